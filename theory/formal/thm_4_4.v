(* Claim: thm_4_4
   Place: §4, Theorem 4.4; proof in A4.2.
   Stated: under Assumptions 1–4, θ_t of GTD(λ)-schedule converges almost surely to −A⁻¹b. Off-policy A may be
   singular: for θ→2θ with κ = 5/6, A = 0, and no θ has Aθ + b = 0 [thm_4_4_stated_refuted].
   Corrected: if A is nonsingular (then C > 0), θ_t → −A⁻¹b and w_t → 0 almost surely, for every η > 0.
   Reading: the algorithm as printed [OffPolicy.gtd], along one path of the behaviour chain; observations o_t =
   (a_{t−1}, s_t); ρ_t = π(a_t|s_t)/μ(a_t|s_t); A = ΦᵀD(M − I)Φ and b = ΦᵀDSr with D of the behaviour policy, M, S, r
   of the target policy.
   Hypotheses: μ covers π where d is positive; lim P_μ(s_t = j | s_0 = i) = d(j) (Assumption 2 for μ); α_t > 0 deterministic, Σα_t = ∞,
   Σα_t² < ∞; β_t = ηα_t; λ_j = 0 for j > L. Any θ_0, w_0, any law of the first observation, any γ and λ_j.
   "Almost surely": for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² + |w_t|² ≥ ε) ≤ δ for every T ≥ N
   [almost_surely]; and with probability one on every probability space that carries the process (ProbabilityOne.v).
   [thm_4_4_printed_on_policy]: on-policy, ρ = 1, the paper's Assumptions 1–4 suffice: Proposition 4.1 gives A < 0.
   [thm_4_4_corrected_transitions]: a discount for every transition. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices prop_4_1 thm_4_4_g_negative_definite
  Examples.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Policies GradientSA
  OffPolicy Steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Any observations, any ratio ρ of mean 1 where d is positive, any discount of the transitions. *)
Section Observations.
Variables (R : rcfType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma rho reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).
Let N := kernel_of state q (fun i o => gamma i o * rho i o).
Let A := keyA d N Phi lam L.
Let b := keyb d N (mean_reward q (fun i o => rho i o * reward i o)) Phi lam L.

Theorem thm_4_4_corrected_observations :
  stochastic P -> observes state P q -> distribution init -> (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  (forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1) -> finite_schedule L lam -> A \in unitmx ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  0 < eta -> (forall t, beta t = eta * alpha t) ->
  almost_surely (observation_kernel state q init)
    (fun h => distance2 (- invmx A *m b) (gtd state Phi lam gamma rho reward alpha beta theta0 w0 h)).
Proof.
along_paths.
move=> P_st obs init1 lim rho1 fin uA a0 a_div a_sq eta0 beta_eta; have d_law := limit_law P_st lim.
have d0 : forall i, 0 <= d 0 i by case: d_law.
have r0 : 0 < Num.sqrt eta by rewrite sqrtr_gt0.
apply: (gtd_convergence P_st obs init1 d_law lim (td_matrix_local _ _ gamma rho fin) (@C_of_local _ _ _ _ state Phi L)
  (td_vector_local _ _ gamma rho reward fin) (td_matrix_mean Phi init P_st obs d_law fin gamma rho1)
  (feature_mean Phi init P_st obs d_law L) (td_vector_mean Phi init obs d_law fin gamma rho reward)
  (A_nonsingular_C_posdef d0 uA) uA a0 a_div a_sq _ r0 (theta := fun h => (gtd state Phi lam gamma rho reward alpha beta
    theta0 w0 h).1)
  (w := fun h => (gtd state Phi lam gamma rho reward alpha beta theta0 w0 h).2)) => *.
- exact: gtd_wE.
- by rewrite sqr_sqrtr ?(ltW eta0).
exact: gtd_thetaE.
Qed.
End Observations.

(* A decision process, behaviour policy μ, target policy π. *)
Section OffPolicy.
Variables (R : rcfType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).

Hypothesis p_stochastic : forall a, stochastic (p a).
Hypothesis mu_policy : policy mu.
Hypothesis pi_policy : policy pi.
Hypothesis mu_covers : covers d mu pi.
Hypothesis init_distribution : distribution init.
Hypothesis mu_limit : forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j).
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis eta_gt0 : 0 < eta.
Hypothesis beta_eta : forall t, beta t = eta * alpha t.

(* A nonsingular: θ_t → −A⁻¹b and w_t → 0 almost surely. *)
Theorem thm_4_4_corrected (gamma : R) (N := gamma *: policy_kernel p pi)
    (A := keyA d N Phi lam L) (b := keyb d N (policy_reward p pi r) Phi lam L) : A \in unitmx ->
  almost_surely (observation_kernel snd (behave p mu) init)
    (fun h => distance2 (- invmx A *m b) (gtd snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0 h)).
Proof.
have d_law := limit_law (policy_stochastic p_stochastic mu_policy) mu_limit.
rewrite /A /b /N -(target_A_const p_stochastic mu_policy mu_covers Phi d_law lam_finite)
  -(target_b_const p_stochastic mu_policy mu_covers L Phi lam d_law) => uA.
apply: (thm_4_4_corrected_observations _ _ _ (policy_stochastic p_stochastic mu_policy)
  (behave_observes p_stochastic mu_policy) init_distribution mu_limit (ratio_mean p_stochastic mu_covers pi_policy)
    lam_finite uA
  alpha_gt0 alpha_diverges alpha_square eta_gt0 beta_eta).
Qed.

(* A discount Γ_ij for every transition. *)
Theorem thm_4_4_corrected_transitions (Gamma : 'M[R]_n.+1) (N := \matrix_(i, j) (policy_kernel p pi i j * Gamma i j))
    (A := keyA d N Phi lam L) (b := keyb d N (policy_reward p pi r) Phi lam L) : A \in unitmx ->
  almost_surely (observation_kernel snd (behave p mu) init)
    (fun h => distance2 (- invmx A *m b) (gtd snd Phi lam (fun i o => Gamma i o.2) (ratio mu pi) r alpha beta theta0
      w0 h)).
Proof.
have d_law := limit_law (policy_stochastic p_stochastic mu_policy) mu_limit.
rewrite /A /b /N -(target_A_transitions p_stochastic mu_policy mu_covers Phi d_law lam_finite)
  -(target_b_transitions p_stochastic mu_policy mu_covers L Phi lam d_law) => uA.
apply: (thm_4_4_corrected_observations _ _ _ (policy_stochastic p_stochastic mu_policy)
  (behave_observes p_stochastic mu_policy) init_distribution mu_limit (ratio_mean p_stochastic mu_covers pi_policy)
    lam_finite uA
  alpha_gt0 alpha_diverges alpha_square eta_gt0 beta_eta).
Qed.
End OffPolicy.

(* On-policy, as printed. *)
Section OnPolicy.
Variables (R : rcfType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).
Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) (mean_reward q reward) Phi lam L.

Theorem thm_4_4_printed_on_policy :
  (* the policy's chain, what is observed of it, the law of the first observation *)
  stochastic P -> irreducible P -> observes state P q -> distribution init ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  (* Assumptions 1, 2, 3, 4 *)
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  full_column_rank Phi ->
  0 < eta -> (forall t, beta t = eta * alpha t) ->
  (* θ_t → −A⁻¹b and w_t → 0 almost surely *)
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b)
    (gtd state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward alpha beta theta0 w0 h)).
Proof.
move=> P_st irr obs init1 g01 lam01 fin a0 a_div a_sq lim rank eta0 beta_eta.
have uA : A \in unitmx := negdef_unitmx (prop_4_1 P_st (limit_law P_st lim) lam01 fin g01 irr rank).
rewrite /A /b -(one_kernel obs) -one_reward in uA *.
exact: (thm_4_4_corrected_observations _ _ _ P_st obs init1 lim (fun i di => one_mean P_st obs di) fin uA a0 a_div a_sq eta0 beta_eta).
Qed.
End OnPolicy.

(* θ→2θ with γ = 9/10, TD(0): A = 1/5, so that the mean of off-policy TD moves away. With α_t = 1/(t + 1), β_t = 2α_t,
   GTD goes to θ* = −5/2 from anywhere. *)
Theorem thm_4_4_instance (R : rcfType) (init : 'I_2 * 'I_2 -> R) (theta0 w0 : 'cV[R]_1) (gamma := 9%:R / 10%:R : R)
    (alpha := fun t : nat => 1 / (t%:R + 1) : R) : Num.archimedean_axiom R -> distribution init ->
  almost_surely (observation_kernel snd (behave (go_to R) (evenly R)) init)
    (fun h => distance2 (- (5%:R / 2%:R))%:M (gtd snd (two_features R) (schedule [::]) (fun=> fun=> gamma)
       (ratio (evenly R) (second R)) (leaving_first R) alpha (fun t => 2%:R * alpha t) theta0 w0 h)).
Proof.
move=> archi init1; have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
rewrite -nine_tenths_rest.
apply: (thm_4_4_corrected _ _ _ (@go_to_stochastic R) (evenly_policy R) (second_policy R) (@evenly_covers R _) init1
  (@evenly_limit R) fin
  (fun t => harmonic_gt0 ltr01 ltr01 t) (harmonic_diverges archi ltr01 ltr01) (harmonic_square archi ltr01 ltr01)
    (ltr0Sn R
    1)) => //.
exact: nine_tenths_unit.
Qed.

(* Without a nonsingular A: θ→2θ at γ = 5/6, TD(0); there is no −A⁻¹b. *)
Theorem thm_4_4_stated_refuted (R : realFieldType) (N := (5%:R / 6%:R) *: policy_kernel (go_to R) (second R)) :
  [/\ forall a, stochastic (go_to R a), policy (evenly R) /\ policy (second R), covers (flip_law R) (evenly R) (second R),
      forall i j, tends_to (fun t => (policy_kernel (go_to R) (evenly R) ^+ t) i j) (flip_law R 0 j) &
      full_column_rank (two_features R) /\ forall theta,
        keyA (flip_law R) N (two_features R) (schedule [::]) 0 *m theta
        + keyb (flip_law R) N (policy_reward (go_to R) (second R) (leaving_first R)) (two_features R) (schedule [::])
          0 != 0].
Proof.
split; [exact: go_to_stochastic | split; [exact: evenly_policy | exact: second_policy] | exact: evenly_covers | |].
  exact: evenly_limit.
split; first by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
move=> theta; rewrite two_features_b two_features_A (_ : _ - _ = 0); last by field; rewrite ?pnatr_eq0.
rewrite raddf0 mul0mx add0r; apply/eqP => /matrixP/(_ 0 0)/eqP.
by rewrite !mxE eqxx mulr1n invr_eq0 pnatr_eq0.
Qed.
