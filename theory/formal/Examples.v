(* Concrete chains for the instances and counterexamples of the claims, over any ordered field.

       flip     two states that alternate (period 2), law (1, 1)/2
       walk     two states, P = [[1/2, 1/2], [1/4, 3/4]], law (1, 2)/3
       triangle three states, each stays or moves on, evenly: not reversible, law (1, 1, 1)/3

   [mx m n rows] is the matrix with the given rows. The tactic [by_entries] proves an equation of such matrices entry
   by entry, [by_sums] one of their sums, with the field tactic. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition mx (R : ringType) m n (rows : seq (seq R)) : 'M[R]_(m, n) :=
  \matrix_(i, j) nth 0 (nth [::] rows i) j.

(* One goal for each index below 3. *)
Ltac each_index i := revert i; case=> -[|[|[|//]]] //= ?.
Ltac expand := repeat (progress rewrite ?(mxE, big_ord_recl, big_ord0) /=).
Ltac by_field := expand; try field; rewrite ?pnatr_eq0 ?oner_eq0 //.
Ltac nonnegative := by rewrite mxE /= ?(mulr_ge0, invr_ge0, ler0n, lexx, ler01).
(* κ, M and S of a schedule given as a list, as a plain sum *)
Ltac by_weights := rewrite /kappa /M /trace_sum; repeat (rewrite big_ltn; last by []);
  (rewrite big_geq; last by []); rewrite /w /= ?cS ?c0 /=.
Ltac by_entries := let i := fresh "i" in let j := fresh "j" in
  apply/matrixP => i j; each_index i; each_index j; by_field.

Section Irreducible.
Variable R : realFieldType.

Lemma irreducible2 (P : 'M[R]_2) : 0 < P 0 1 -> 0 < P 1 0 -> irreducible P.
Proof.
move=> P01 P10 i j.
have index k : k = 0 \/ k = 1 :> 'I_2 by case: k => -[|[|//]] ?; [left | right]; apply/val_inj.
by case: (index i) (index j) => -> [] ->; rewrite ?connect0 //; apply: connect1.
Qed.

Lemma irreducible3 (P : 'M[R]_3) : 0 < P 0 1 -> 0 < P 1 (1 + 1) -> 0 < P (1 + 1) 0 -> irreducible P.
Proof.
move=> P01 P12 P20 i j.
have index k : [\/ k = 0, k = 1 | k = 1 + 1 :> 'I_3].
  by case: k => -[|[|[|//]]] ?; [constructor 1 | constructor 2 | constructor 3]; apply/val_inj.
have c01 : connect (edge P) 0 1 by apply: connect1.
have c12 : connect (edge P) 1 (1 + 1) by apply: connect1.
have c20 : connect (edge P) (1 + 1) 0 by apply: connect1.
case: (index i) (index j) => -> [] ->; rewrite ?connect0 //;
  [exact: connect_trans c01 c12 | exact: connect_trans c12 c20 | exact: connect_trans c20 c01].
Qed.
End Irreducible.

Section Chains.
Variable R : realFieldType.

Definition flip : 'M[R]_2 := mx 2 2 [:: [:: 0; 1]; [:: 1; 0]].
Definition flip_law : 'rV[R]_2 := mx 1 2 [:: [:: 2%:R^-1; 2%:R^-1]].

Definition walk : 'M[R]_2 := mx 2 2 [:: [:: 2%:R^-1; 2%:R^-1]; [:: 4%:R^-1; 3%:R / 4%:R]].
Definition walk_law : 'rV[R]_2 := mx 1 2 [:: [:: 3%:R^-1; 2%:R / 3%:R]].

Definition triangle : 'M[R]_3 :=
  mx 3 3 [:: [:: 2%:R^-1; 2%:R^-1; 0]; [:: 0; 2%:R^-1; 2%:R^-1]; [:: 2%:R^-1; 0; 2%:R^-1]].
Definition triangle_law : 'rV[R]_3 := mx 1 3 [:: [:: 3%:R^-1; 3%:R^-1; 3%:R^-1]].

(* Every state leads to the second one: the target policy of θ→2θ, and the absorbing pair; its law is (0, 1). *)
Definition to_second : 'M[R]_2 := mx 2 2 [:: [:: 0; 1]; [:: 0; 1]].
Definition to_second_law : 'rV[R]_2 := mx 1 2 [:: [:: 0; 1]].

(* One state that returns to itself: P = 1, d = 1. *)
Lemma one_state_stochastic : stochastic (1%:M : 'M[R]_1).
Proof. by split=> [i j|i]; rewrite ?big_ord1 !mxE ?ord1 ?eqxx ?ler01. Qed.
Lemma one_state_law : law (1%:M : 'M[R]_1) (const_mx 1).
Proof. by split=> [i||]; rewrite ?big_ord1 ?mulmx1 ?mxE ?ler01. Qed.

(* Every next state drawn evenly: the behaviour chain of θ→2θ, with the law (1, 1)/2. *)
Definition even : 'M[R]_2 := const_mx 2%:R^-1.

Lemma flip_stochastic : stochastic flip.
Proof. by split=> [i j|i]; last (by each_index i; by_field); each_index i; each_index j; nonnegative. Qed.
Lemma flip_law_law : law flip flip_law.
Proof. by split=> [i||]; [each_index i; nonnegative | by_field | by_entries]. Qed.
Lemma flip_irreducible : irreducible flip.
Proof. by apply: irreducible2; rewrite mxE /= ltr01. Qed.

Lemma to_second_stochastic : stochastic to_second.
Proof. by split=> [i j|i]; last (by each_index i; by_field); each_index i; each_index j; nonnegative. Qed.
Lemma to_second_law_law : law to_second to_second_law.
Proof. by split=> [i||]; [each_index i; nonnegative | by_field | by_entries]. Qed.

Lemma even_stochastic : stochastic even.
Proof. by split=> [i j|i]; last (by by_field); nonnegative. Qed.
Lemma even_law_law : law even flip_law.
Proof. by split=> [i||]; [each_index i; nonnegative | by_field | by_entries]. Qed.
Lemma even_irreducible : irreducible even.
Proof. by apply: irreducible2; rewrite mxE invr_gt0 ltr0n. Qed.

Lemma walk_stochastic : stochastic walk.
Proof. by split=> [i j|i]; last (by each_index i; by_field); each_index i; each_index j; nonnegative. Qed.
Lemma walk_law_law : law walk walk_law.
Proof. by split=> [i||]; [each_index i; nonnegative | by_field | by_entries]. Qed.
Lemma walk_irreducible : irreducible walk.
Proof. by apply: irreducible2; rewrite mxE /= invr_gt0 ltr0n. Qed.

Lemma triangle_stochastic : stochastic triangle.
Proof. by split=> [i j|i]; last (by each_index i; by_field); each_index i; each_index j; nonnegative. Qed.
Lemma triangle_law_law : law triangle triangle_law.
Proof. by split=> [i||]; [each_index i; nonnegative | by_field | by_entries]. Qed.
Lemma triangle_irreducible : irreducible triangle.
Proof. by apply: irreducible3; rewrite mxE /= invr_gt0 ltr0n. Qed.

Lemma in01_invn k : 0 <= (k.+1%:R : R)^-1 <= 1.
Proof. by rewrite invr_ge0 ler0n invf_le1 ?ltr0n // ler1n. Qed.

Lemma half01 : 0 <= (2%:R : R)^-1 < 1.
Proof. by rewrite invr_ge0 ler0n invf_lt1 ?ltr0n // ltr1n. Qed.

Lemma schedule_of_size (s : seq R) L : size s == L -> finite_schedule L (schedule s).
Proof. by move/eqP <-; apply: schedule_finite. Qed.

(* The schedule with the given λ's lies in [0,1] as soon as they do. *)
Lemma schedule_01 (s : seq R) : all (fun x => 0 <= x <= 1) s -> forall j, (0 < j)%N -> 0 <= schedule s j <= 1.
Proof.
move=> /allP s01 [//|j] _; rewrite /schedule; case: (ltnP j (size s)) => js.
  by apply: s01; apply: mem_nth.
by rewrite nth_default // lexx ler01.
Qed.
End Chains.

(* Against vacuity: the triangle's law is the only one it has. *)
Theorem irreducible_law_instance (R : realFieldType) (e : 'rV[R]_3) : law (triangle R) e -> e = triangle_law R.
Proof.
move=> elaw; apply: (irreducible_law_unique (triangle_stochastic R) (triangle_irreducible R) elaw).
exact: triangle_law_law.
Qed.
