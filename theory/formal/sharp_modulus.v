(* Claim: sharp_modulus
   Place: A4.1, the chain of inequalities ‖MV‖_D ≤ γ‖V‖_D, sharpened.
   Statement: ‖M‖_D = κ = Σ_n w_n γⁿ, attained at V = 𝟏. κ ≤ γ, for 0 < γ < 1 with equality iff λ_1 = 0. κ is
   non-increasing in each λ_j, for 0 < γ < 1 strictly iff c_{j−1} > 0 (1 ≤ j ≤ L).
   Reading: ‖M‖_D is the least a ≥ 0 with ‖MV‖_D ≤ a‖V‖_D for all V.
   Hypotheses: P stochastic, d a stationary law of it, λ_j ∈ [0,1], λ_j = 0 for j > L, one discount γ. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Norms Chain SchurTest KeyMatrices Examples m_contraction.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* κ as the paper's telescoped bracket: γ − (1 − γ) Σ_{k=1}^L γᵏ c_k, and a last term that a finite schedule lacks. *)
Lemma kappa_closed_form (R : comRingType) (lam : nat -> R) L (gamma : R) :
  kappa lam L gamma
  = gamma - (1 - gamma) * (\sum_(1 <= k < L.+1) gamma ^+ k * c lam k) - gamma ^+ L.+1 * c lam L.+1.
Proof.
rewrite /kappa; elim: L => [|L IH].
  by rewrite big_nat1 big_geq // /w /= c0; ring.
rewrite big_nat_recr //= IH [in RHS]big_nat_recr //= /w /= !exprS.
by move: (\sum_(1 <= k < L.+1) _) (gamma ^+ L) (c lam L.+1) (c lam L.+2) => s g a b; ring.
Qed.

Section Modulus.
Variables (R : realFieldType) (lam : nat -> R) (L : nat) (gamma : R).
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.

Theorem sharp_modulus_le_gamma : 0 <= gamma <= 1 -> kappa lam L gamma <= gamma.
Proof. by move=> g01; apply: kappa_le. Qed.

Theorem sharp_modulus_eq_gamma : 0 < gamma < 1 -> kappa lam L gamma = gamma <-> lam 1%N = 0.
Proof.
case/andP=> g0 g1; rewrite kappa_closed_form (c_out lam_finite) // mulr0 subr0.
have terms k : 0 <= gamma ^+ k * c lam k by rewrite mulr_ge0 ?(c_ge0 lam01) // exprn_ge0 // ltW.
split=> [/eqP|lam1]; last first.
  rewrite big_nat big1 ?mulr0 ?subr0 // => k /andP[k1 _].
  by rewrite (@c_zero _ _ 1) ?mulr0.
rewrite subr_eq addrC -subr_eq subrr eq_sym mulf_eq0 subr_eq0 (gt_eqF g1) /=.
have [L0|L0] := posnP L; first by move=> _; apply: lam_finite; rewrite L0.
rewrite big_ltn // paddr_eq0 ?sumr_ge0 // => /andP[+ _].
by rewrite cS c0 mul1r mulf_eq0 expr1 (gt_eqF g0) => /eqP.
Qed.
End Modulus.

(* Two schedules that differ in λ_j alone. *)
Section Monotone.
Variables (R : realFieldType) (lam mu : nat -> R) (L j : nat) (gamma : R).
Hypothesis lam01 : forall i, (0 < i)%N -> 0 <= lam i <= 1.
Hypothesis mu01 : forall i, (0 < i)%N -> 0 <= mu i <= 1.
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis mu_finite : finite_schedule L mu.
Hypothesis jL : (0 < j <= L)%N.
Hypothesis elsewhere : forall i, i != j -> lam i = mu i.
Hypothesis lam_lt_mu : lam j < mu j.

Let c_le k : c lam k <= c mu k.
Proof.
elim: k => [|k IH]; first by rewrite !c0.
rewrite !cS ler_pmul ?(c_ge0 lam01) //; first by case/andP: (lam01 (ltn0Sn k)).
by have [->|/elsewhere->//] := eqVneq k.+1 j; apply: ltW.
Qed.

Let c_same k : (k < j)%N -> c lam k = c mu k.
Proof. by move=> kj; apply: eq_c => i /andP[_ ik]; rewrite elsewhere // neq_ltn (leq_ltn_trans ik). Qed.

Let difference : kappa lam L gamma - kappa mu L gamma
  = (1 - gamma) * \sum_(1 <= k < L.+1) gamma ^+ k * (c mu k - c lam k).
Proof.
rewrite !kappa_closed_form !(@c_out _ L) // !mulr0 !subr0.
have -> : \sum_(1 <= k < L.+1) gamma ^+ k * (c mu k - c lam k)
  = \sum_(1 <= k < L.+1) gamma ^+ k * c mu k - \sum_(1 <= k < L.+1) gamma ^+ k * c lam k.
  by rewrite -sumrB; apply: eq_bigr => k _; rewrite mulrBr.
by move: (\sum_(1 <= k < L.+1) _ * c mu k) (\sum_(1 <= k < L.+1) _) => s t; ring.
Qed.

Let terms k : 0 <= gamma -> 0 <= gamma ^+ k * (c mu k - c lam k).
Proof. by move=> g0; rewrite mulr_ge0 ?exprn_ge0 // subr_ge0. Qed.

Theorem sharp_modulus_monotone : 0 <= gamma <= 1 -> kappa mu L gamma <= kappa lam L gamma.
Proof.
case/andP=> g0 g1; rewrite -subr_ge0 difference mulr_ge0 ?subr_ge0 //.
by apply: sumr_ge0 => k _; apply: terms.
Qed.

Theorem sharp_modulus_strictly : 0 < gamma < 1 ->
  (kappa mu L gamma < kappa lam L gamma) = (0 < c lam j.-1).
Proof.
case/andP=> g0 g1; case/andP: jL => j0 jL'.
rewrite -subr_gt0 difference pmulr_rgt0 ?subr_gt0 //.
rewrite [RHS]lt_def (c_ge0 lam01) andbT; have [cj|cj] := eqVneq (c lam j.-1) 0; apply/idP/idP => //.
  rewrite big_nat big1 ?ltxx // => k _; suff -> : c mu k = c lam k by rewrite subrr mulr0.
  have [kj|jk] := ltnP k j; first by rewrite c_same.
  have vanish nu : c nu j.-1 = 0 -> c nu k = 0.
    rewrite /c => nu0; rewrite (@big_cat_nat _ _ _ j) //= ?nu0 ?mul0r ?ltnS // ?(leq_trans jk) //.
    by rewrite -[j in \prod_(1 <= i < j) _](prednK j0) nu0 mul0r.
  by rewrite !vanish // -c_same // prednK.
rewrite (@big_cat_nat _ _ _ j) //=; last by rewrite (leq_trans jL').
apply: ltr_paddl; first by apply: sumr_ge0 => k _; apply: terms (ltW g0).
rewrite big_ltn ?ltnS //; apply: ltr_paddr; first by apply: sumr_ge0 => k _; apply: terms (ltW g0).
rewrite mulr_gt0 ?exprn_gt0 // -(prednK j0) !cS c_same prednK // -mulrBr mulr_gt0 ?subr_gt0 //.
by rewrite lt_def -c_same ?prednK // cj c_ge0.
Qed.
End Monotone.

Section Attained.
Variables (R : rcfType) (n : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (lam : nat -> R) (L : nat) (gamma : R).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis gamma_ge0 : 0 <= gamma.

Lemma normD_ones : normD d ones = 1.
Proof.
case: d_law => _ d1 _; rewrite /normD sqnormDE -[RHS]sqrtr1 -d1; congr (Num.sqrt _).
by apply: eq_bigr => i _; rewrite mxE expr1n mulr1.
Qed.

(* M𝟏 = κ𝟏 *)
Theorem sharp_modulus_attained : M lam L (gamma *: P) *m ones = kappa lam L gamma *: ones.
Proof. exact: M_ones. Qed.

(* ‖M‖_D = κ *)
Theorem sharp_modulus (a : R) : 0 <= a ->
  (forall V, normD d (M lam L (gamma *: P) *m V) <= a * normD d V) <-> kappa lam L gamma <= a.
Proof.
move=> a0; split=> [/(_ ones)|ka V].
  by rewrite sharp_modulus_attained normDZ ?(kappa_ge0 lam01) // normD_ones !mulr1.
apply: le_trans (m_contraction_kappa L P_stochastic d_law lam01 V gamma_ge0) _.
by rewrite ler_wpmul2r ?normD_ge0.
Qed.
End Attained.

(* γ = ½: κ falls from 17/48 as λ_2 grows from ⅓ to ½, and not at all after λ_1 = 0; there κ = γ. *)
Section Schedules.
Variable R : realFieldType.
Let half : R := 2%:R^-1.
Let third : R := 3%:R^-1.
Let half_01 : 0 < half < 1. Proof. by case/andP: (half01 R) => _ ->; rewrite invr_gt0 ltr0n. Qed.
Let third_half : third < half. Proof. by rewrite ltf_pinv ?posrE ?ltr0n // ltr_nat. Qed.

Let compare (l1 : R) : 0 <= l1 <= 1 ->
  (kappa (schedule [:: l1; half]) 2 half < kappa (schedule [:: l1; third]) 2 half) = (0 < l1).
Proof.
move=> l01; have lam01 k : forall j, (0 < j)%N -> 0 <= schedule [:: l1; k.+1%:R^-1] j <= 1.
  by apply: schedule_01; rewrite /= l01 in01_invn.
have fin (x : R) : finite_schedule 2 (schedule [:: l1; x]) by apply: schedule_of_size.
have elsewhere i : i != 2%N -> schedule [:: l1; third] i = schedule [:: l1; half] i by case: i => [|[|[|i]]].
rewrite (sharp_modulus_strictly (lam01 2%N) (fin _) (fin _) (isT : 0 < 2 <= 2)%N elsewhere third_half half_01).
by rewrite /= cS c0 mul1r.
Qed.

Theorem sharp_modulus_strictly_instance :
  [/\ kappa (schedule [:: half; half]) 2 half < kappa (schedule [:: half; third]) 2 half,
      ~~ (kappa (schedule [:: 0; half]) 2 half < kappa (schedule [:: 0; third]) 2 half) &
      kappa (schedule [:: 0; half]) 2 half = half].
Proof.
split; [by rewrite compare ?in01_invn //; case/andP: half_01 | by rewrite compare ?ltxx // lexx ler01 | ].
apply/(sharp_modulus_eq_gamma _ _ half_01) => //; last exact: schedule_of_size.
by apply: schedule_01; rewrite /= lexx ler01 in01_invn.
Qed.
End Schedules.

(* λ = (½, ⅓), γ = ½ on the triangle: κ = 17/48. *)
Theorem sharp_modulus_instance (R : rcfType) (a : R) : 0 <= a ->
  (forall V, normD (triangle_law R) (M (schedule [:: 2%:R^-1; 3%:R^-1]) 2 (2%:R^-1 *: triangle R) *m V)
             <= a * normD (triangle_law R) V)
  <-> 17%:R / 48%:R <= a.
Proof.
move=> a0; have k : kappa (schedule [:: 2%:R^-1; 3%:R^-1]) 2 2%:R^-1 = 17%:R / 48%:R :> R by by_weights; by_field.
rewrite -k; apply: sharp_modulus => //; [exact: triangle_stochastic | exact: triangle_law_law | | ].
  by apply: schedule_01; rewrite /= !in01_invn.
by rewrite invr_ge0 ler0n.
Qed.
