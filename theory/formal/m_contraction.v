(* Claim: m_contraction
   Place: A4.1, the chain of inequalities before the conclusion of Proposition 4.1.
   Statement: ‖MV‖_D ≤ [Σ_n w_n γⁿ] ‖V‖_D ≤ γ ‖V‖_D for all V, M = Σ_n w_n γⁿ Pⁿ.
   Reading: P stochastic, d a stationary law of it, 0 ≤ γ ≤ 1, λ_j ∈ [0,1], λ_j = 0 for j > L. For a discount that
   depends on the transition, N ≤ gP entrywise, g stands for γ.
   Hypotheses not used: irreducibility, aperiodicity, γ < 1. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Norms Chain SchurTest KeyMatrices Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Contraction.
Variables (R : rcfType) (n : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (lam : nat -> R) (L : nat).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.

(* ‖MV‖ ≤ κ‖V‖ for every kernel 0 ≤ N ≤ gP, κ = Σ w_n gⁿ *)
Lemma m_contraction_kernel (N : 'M[R]_n.+1) (g : R) V :
  0 <= g -> (forall i j, 0 <= N i j <= g * P i j) ->
  normD d (M lam L N *m V) <= kappa lam L g * normD d V.
Proof.
case: (d_law) => d0 _ _ g0 NgP.
rewrite (normD_le d0) ?(kappa_ge0 lam01) // (schur_norm d0) ?(kappa_ge0 lam01) //.
by apply: schur_M => //; apply: schur_below NgP => //; apply: schur_law.
Qed.

(* the first inequality of the display *)
Theorem m_contraction_kappa (gamma : R) V : 0 <= gamma ->
  normD d (M lam L (gamma *: P) *m V) <= kappa lam L gamma * normD d V.
Proof.
move=> g0; apply: m_contraction_kernel => // i j; rewrite mxE lexx andbT mulr_ge0 //.
by case: P_stochastic.
Qed.

Hypothesis lam_finite : finite_schedule L lam.

Theorem m_contraction (gamma : R) V : 0 <= gamma <= 1 ->
  normD d (M lam L (gamma *: P) *m V) <= gamma * normD d V.
Proof.
move=> g01; case/andP: (g01) => g0 _; apply: le_trans (m_contraction_kappa V g0) _.
by rewrite ler_wpmul2r ?normD_ge0 // (kappa_le lam01).
Qed.

Theorem m_contraction_transition_discount (N : 'M[R]_n.+1) (g : R) V :
  0 <= g <= 1 -> (forall i j, 0 <= N i j <= g * P i j) -> normD d (M lam L N *m V) <= g * normD d V.
Proof.
move=> g01 NgP; case/andP: (g01) => g0 _; apply: le_trans (m_contraction_kernel V g0 NgP) _.
by rewrite ler_wpmul2r ?normD_ge0 // (kappa_le lam01).
Qed.
End Contraction.

(* The triangle, which is not reversible, with λ = (½, ⅓) and γ = ½. *)
Theorem m_contraction_instance (R : rcfType) (V : 'cV[R]_3) :
  normD (triangle_law R) (M (schedule [:: 2%:R^-1; 3%:R^-1]) 2 (2%:R^-1 *: triangle R) *m V)
  <= 2%:R^-1 * normD (triangle_law R) V.
Proof.
apply: m_contraction; [exact: triangle_stochastic | exact: triangle_law_law | | exact: schedule_of_size | ].
  by apply: schedule_01; rewrite /= !in01_invn.
exact: in01_invn.
Qed.

(* Off-policy it fails: all states lead to the second, d = (½, ½), V = (0, 1), TD(0): ‖MV‖ = γ, ‖V‖ = √½. *)
Theorem m_contraction_ablation_on_policy (R : rcfType) (gamma : R) : 0 < gamma ->
  exists (P : 'M[R]_2) (d : 'rV[R]_2) (V : 'cV[R]_2),
    [/\ stochastic P, forall i, 0 < d 0 i, \sum_i d 0 i = 1 &
        gamma * normD d V < normD d (M (schedule [::]) 0 (gamma *: P) *m V)].
Proof.
move=> g0; pose V : 'cV[R]_2 := mx 2 1 [:: [:: 0]; [:: 1]].
exists (to_second R), (flip_law R), V.
case: (flip_law_law R) => d0 d1 _; split=> //; first exact: to_second_stochastic.
  by move=> i; each_index i; rewrite mxE /= invr_gt0 ltr0n.
have -> : M (schedule [::]) 0 (gamma *: to_second R) *m V = gamma *: ones.
  rewrite /M big_nat1 /w /= cS c0 mulr0 subr0 scale1r expr1 -scalemxAl; congr (_ *: _).
  by by_entries.
rewrite normDZ ?ltW // ltr_pmul2l // /normD ltr_sqrt !sqnormDE; expand.
  rewrite ?(expr0n, expr1n, mul1r, mulr1, mulr0, add0r, addr0, mul0r) /=.
  by rewrite ltr_addl invr_gt0 ltr0n.
by rewrite ?(expr1n, mulr1, addr0) addr_gt0 // invr_gt0 ltr0n.
Qed.

(* With λ_1 = −3, one state, γ = ½: M = κ = 5/4. *)
Theorem m_contraction_ablation_lambdas (R : rcfType) :
  exists (P : 'M[R]_1) (d : 'rV[R]_1) (V : 'cV[R]_1),
    [/\ stochastic P, law P d &
        2%:R^-1 * normD d V < normD d (M (schedule [:: - 3%:R]) 1 (2%:R^-1 *: P) *m V)].
Proof.
exists 1%:M, (const_mx 1), ones; have Pst := one_state_stochastic R; split=> //; first exact: one_state_law.
rewrite M_ones //; have -> : kappa (schedule [:: - 3%:R]) 1 2%:R^-1 = 5%:R / 4%:R :> R by by_weights; by_field.
have pos k : 0 <= k.+1%:R / 4%:R :> R by rewrite divr_ge0 ?ler0n.
have -> : 2%:R^-1 = 2%:R / 4%:R :> R by by_field.
rewrite normDZ //; have : 0 < normD (const_mx 1) (ones : 'cV[R]_1).
  by rewrite /normD sqrtr_gt0 sqnormDE big_ord1 !mxE expr1n mulr1 ltr01.
by move=> n0; rewrite ltr_pmul2r // ltr_pmul2r ?invr_gt0 ?ltr0n // ltr_nat.
Qed.
