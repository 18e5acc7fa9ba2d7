(* weight_matrix_rows — §2, the display of Λ.

   "… a matrix as below, where each Λ_ij ∈ [0,1] and weights in each row sum to one", lower triangular with Λ_11 = 1.
   Reading: so is the Λ built from a λ-schedule; its first K rows and columns, for every K.
   Hypothesis: λ_j ∈ [0,1]. Without it entries leave [0,1], though the rows still sum to one. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The first K rows and columns of Λ as a matrix; MathComp counts them from 0. *)
Definition Lambda_mx (R : comRingType) (lam : nat -> R) K : 'M[R]_K := \matrix_(i, j) Lambda lam i.+1 j.+1.

Lemma Lambda_row_sum (R : comRingType) (lam : nat -> R) i :
  (0 < i)%N -> \sum_(1 <= j < i.+1) Lambda lam i j = 1.
Proof.
case: i => // i _; rewrite big_nat_recr //= Lambda_diag.
rewrite (eq_big_nat _ _ (F2 := w lam)) ?sum_w_to ?subrK // => j /andP[j0 ji].
by rewrite Lambda_w // j0.
Qed.

Section Rows.
Variables (R : numDomainType) (lam : nat -> R).
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.

Theorem weight_matrix_rows : weights (Lambda lam) /\ Lambda lam 1 1 = 1.
Proof.
split; last by rewrite Lambda_diag c0.
split=> [i j|i j|i]; [exact: Lambda_above | exact: Lambda_01 | exact: Lambda_row_sum].
Qed.

Theorem weight_matrix_rows_matrix K (Lam := Lambda_mx lam K.+1) :
  [/\ forall i j : 'I_K.+1, (i < j)%N -> Lam i j = 0, forall i j, 0 <= Lam i j <= 1,
      Lam *m const_mx 1 = const_mx 1 :> 'cV_K.+1 & Lam 0 0 = 1].
Proof.
rewrite /Lam; split=> [i j ij|i j||]; rewrite ?mxE; first exact: Lambda_above.
- exact: Lambda_01.
- apply/matrixP => i j; rewrite !mxE -[RHS](Lambda_row_sum lam (ltn0Sn i)) [RHS]big_add1 /=.
  rewrite (big_nat_widen _ _ K.+1) // big_mkord [RHS]big_mkcond /=; apply: eq_bigr => k _.
  by rewrite !mxE mulr1 ltnS; case: leqP => // ik; rewrite Lambda_above.
- by rewrite Lambda_diag c0.
Qed.
End Rows.

(* Row i + 1 is row i with its last entry c_{i-1} split into c_{i-1}(1 − λ_i) and c_{i-1}λ_i. *)
Lemma Lambda_next_row (R : comRingType) (lam : nat -> R) i : (0 < i)%N ->
  [/\ forall j, (0 < j < i)%N -> Lambda lam i.+1 j = Lambda lam i j,
      Lambda lam i.+1 i = Lambda lam i i * (1 - lam i) & Lambda lam i.+1 i.+1 = Lambda lam i i * lam i].
Proof.
case: i => // i _; split=> [j /andP[j0 ji]||].
- by rewrite !Lambda_below // (ltn_trans ji).
- by rewrite Lambda_below // Lambda_diag.
- by rewrite !Lambda_diag /= cS.
Qed.

(* λ = (½, ⅓): the rows (1), (½, ½), (½, ⅓, ⅙). *)
Theorem weight_matrix_rows_instance (R : numFieldType) (lam := schedule [:: 1 / 2; 1 / 3 : R]) :
  weights (Lambda lam) /\
  [seq [seq Lambda lam i j | j <- iota 1 3] | i <- iota 1 3]
    = [:: [:: 1; 0; 0]; [:: 1 / 2; 1 / 2; 0]; [:: 1 / 2; 1 / 3; 1 / 6]].
Proof.
split; last first.
  rewrite /= /Lambda /= !(cS, c0) /lam /=.
  by congr [:: [:: _; _; _]; [:: _; _; _]; [:: _; _; _]]; field.
apply: (proj1 (weight_matrix_rows _)) => -[|[|[|j]]] //= _; rewrite ?nth_nil ?lexx ?ler01 //.
  by rewrite div1r invr_ge0 ler0n invf_le1 ?ltr0n // ler1n.
by rewrite div1r invr_ge0 ler0n invf_le1 ?ltr0n // ler1n.
Qed.

(* Without λ ∈ [0,1]: λ_1 = −1 gives Λ_21 = 2. *)
Theorem weight_matrix_rows_ablation_lambda (R : numDomainType) :
  exists lam : nat -> R, finite_schedule 1 lam /\ ~ weights (Lambda lam).
Proof.
exists (schedule [:: -1]); split=> [|[_ le01 _]]; first exact: (@schedule_finite _ [:: -1]).
have := le01 2%N 1%N isT; rewrite Lambda_below // c0 /= mul1r opprK => /andP[_].
by rewrite ger_addl ler10.
Qed.
