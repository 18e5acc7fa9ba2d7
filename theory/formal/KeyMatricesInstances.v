(* The key matrices in numbers: [by_key] proves that C, A, b, κ or M of a concrete chain and a schedule given as a list
   is a given matrix of rationals. The bridge to the Python definitions of the same names rests on such lemmas. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* M and S become sums of powers, powers become products, and every entry a rational expression. *)
Ltac by_key :=
  rewrite /keyA /keyb /keyC ?mul_mx_diag; try by_weights; rewrite ?exprS ?expr0 ?mulr1 -?mulmxE; by_entries.

Section Walk.
Variable R : realFieldType.
Let N := 2%:R^-1 *: walk R.
Let Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: 2%:R]].

Lemma walk_C : keyC (walk_law R) Phi = mx 1 1 [:: [:: 3%:R]].
Proof. by by_key. Qed.

Lemma walk_kappa : kappa (schedule [:: 3%:R^-1]) 1 2%:R^-1 = 5%:R / 12%:R :> R.
Proof. by by_weights; by_field. Qed.

Lemma walk_A : keyA (walk_law R) N Phi (schedule [:: 3%:R^-1]) 1 = mx 1 1 [:: [:: - (175%:R / 96%:R)]].
Proof. by by_key. Qed.

Lemma walk_b : keyb (walk_law R) N (mx 2 1 [:: [:: 1]; [:: -1]]) Phi (schedule [:: 3%:R^-1]) 1
  = mx 1 1 [:: [:: - (10%:R / 9%:R)]].
Proof. by by_key. Qed.
End Walk.
