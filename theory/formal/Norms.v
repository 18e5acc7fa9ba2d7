(* The D-norm of A4.1 as the paper writes it, ‖V‖_D = √(VᵀDV), over any real closed field: it needs square roots.
   Everything about it is decided on squares ([normD_le]); the triangle inequality serves off_policy_margin. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Norms.
Variables (R : rcfType) (n : nat) (d : 'rV[R]_n).
Implicit Types x y : 'cV[R]_n.

Definition normD x : R := Num.sqrt (sqnormD d x).

Hypothesis d_ge0 : forall i, 0 <= d 0 i.

Lemma normD_ge0 x : 0 <= normD x.
Proof. exact: sqrtr_ge0. Qed.

Lemma sqr_normD x : normD x ^+ 2 = sqnormD d x.
Proof. by rewrite sqr_sqrtr // sqnormD_ge0. Qed.

Lemma normD_le (a : R) x y : 0 <= a -> (normD x <= a * normD y) = (sqnormD d x <= a ^+ 2 * sqnormD d y).
Proof.
move=> a0; rewrite -!sqr_normD -exprMn ler_sqr ?nnegrE ?normD_ge0 //.
by rewrite mulr_ge0 ?normD_ge0.
Qed.

Lemma normDZ a x : 0 <= a -> normD (a *: x) = a * normD x.
Proof. by move=> a0; rewrite /normD sqnormDZ sqrtrM ?sqr_ge0 // sqrtr_sqr ger0_norm. Qed.

Lemma normD0 : normD 0 = 0.
Proof. by rewrite /normD /sqnormD form0 sqrtr0. Qed.

(* ‖ ‖y‖x − ‖x‖y ‖² ≥ 0 *)
Lemma cauchy_schwarz x y : dotD d x y <= normD x * normD y.
Proof.
have zero u v : normD u = 0 -> dotD d u v = 0.
  move=> u0; have /(sqnormD_eq0 d_ge0) E : sqnormD d u = 0 by rewrite -sqr_normD u0 expr0n.
  by rewrite dotDC /dotD -mulmxA E mulmx0 mxE.
have [x0|xn0] := eqVneq (normD x) 0; first by rewrite zero // x0 mul0r.
have [y0|yn0] := eqVneq (normD y) 0; first by rewrite dotDC zero // y0 mulr0.
have xy0 : 0 < normD x * normD y *+ 2 by rewrite pmulrn_lgt0 // mulr_gt0 // lt_def ?xn0 ?yn0 normD_ge0.
have := sqnormD_ge0 (normD y *: x + - normD x *: y) d_ge0.
rewrite sqnormDD !sqnormDZ dotDZ -!sqr_normD.
have -> : normD y ^+ 2 * normD x ^+ 2 + normD y * - normD x * dotD d x y *+ 2
    + (- normD x) ^+ 2 * normD y ^+ 2
  = normD x * normD y *+ 2 * (normD x * normD y - dotD d x y).
  by move: (normD x) (normD y) (dotD d x y) => a b e; ring.
by rewrite pmulr_rge0 // subr_ge0.
Qed.

Lemma normD_triangle x y : normD (x + y) <= normD x + normD y.
Proof.
rewrite -ler_sqr ?nnegrE ?addr_ge0 ?normD_ge0 // sqr_normD sqnormDD sqrrD !sqr_normD.
by rewrite ler_add2r ler_add2l ler_muln2r cauchy_schwarz.
Qed.

Lemma normD_sum (I : Type) (s : seq I) (F : I -> 'cV[R]_n) :
  normD (\sum_(k <- s) F k) <= \sum_(k <- s) normD (F k).
Proof.
elim: s => [|k s IH]; first by rewrite !big_nil normD0.
by rewrite !big_cons; apply: le_trans (normD_triangle _ _) _; rewrite ler_add2l.
Qed.
End Norms.
