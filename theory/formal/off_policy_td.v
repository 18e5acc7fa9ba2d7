(* Claims: thm_4_3, off_policy_margin (almost-sure convergence of off-policy TD)
   Place: §3, Off-policy TD(λ)-schedule, for which the paper states no theorem: Theorem 4.3 where the mean dynamics
   allows it.
   Statement: θ_{t+1} = θ_t + α_tδ_tz_t with z_t = ρ_t Σ_k (Π_{j=1}^{t−k} ρ_{t−j}γλ_j) φ(s_k) goes to −A⁻¹b almost
   surely, for all deterministic α_t > 0 with Σα_t = ∞, Σα_t² < ∞, if
       thm_4_3_off_policy_hurwitz        A is Hurwitz: every eigenvalue has a negative real part (R real closed)
       thm_4_3_off_policy                some Q = Qᵀ > 0 has QA < 0 (the same, with a Lyapunov matrix; any ordered
       field) off_policy_margin_convergence     D(I − M) > 0, and C > 0: then A < 0
   A = ΦᵀD(M − I)Φ and b = ΦᵀDSr with D of the behaviour policy, M, S, r of the target policy.
   Hypotheses: μ covers π where d is positive; lim P_μ(s_t = j | s_0 = i) = d(j); λ_j = 0 for j > L. Any θ_0, any law of the first
   observation.
   "Almost surely": for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² ≥ ε) ≤ δ for every T ≥ N
   [almost_surely]; and with probability one on every probability space that carries the process (ProbabilityOne.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices Spectrum Lyapunov Hurwitz Examples.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA LyapunovSA Windows Policies
  OffPolicy Steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section OffPolicyTD.
Variables (R : realFieldType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha : nat -> R) (theta0 : 'cV[R]_m).
Let N := gamma *: policy_kernel p pi.
Let A := keyA d N Phi lam L.
Let b := keyb d N (policy_reward p pi r) Phi lam L.
Let theta := off_policy_td snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha theta0.

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

(* QA < 0 for a Q > 0: θ_t → −A⁻¹b almost surely. *)
Theorem thm_4_3_off_policy (Q : 'M[R]_m) : Q^T = Q -> posdef Q -> negdef (Q *m A) ->
  almost_surely (observation_kernel snd (behave p mu) init)
    (fun h => dot (theta h - - invmx A *m b) (theta h - - invmx A *m b)).
Proof.
along_paths.
move=> Q_sym Q_pos QA; have uA : A \in unitmx.
  by apply/inj_unitmx => x Ax0; apply: (negdef_inj QA); rewrite -mulmxA Ax0 mulmx0.
have P_st := policy_stochastic p_stochastic mu_policy; have d_law := limit_law P_st mu_limit.
have EA := off_policy_A p_stochastic mu_policy mu_covers pi_policy init Phi d_law lam_finite gamma.
have Eb := off_policy_b p_stochastic mu_policy mu_covers init Phi d_law lam_finite gamma r.
apply: (lyapunov_convergence P_st (behave_observes p_stochastic mu_policy) init_distribution d_law mu_limit
  (td_matrix_local snd Phi (fun=> fun=> gamma) (ratio mu pi) lam_finite)
  (td_vector_local snd Phi (fun=> fun=> gamma) (ratio mu pi) r lam_finite)
  _ Q_sym Q_pos _ alpha_gt0 alpha_diverges alpha_square).
- by rewrite EA Eb mulNmx mulmxN mulKVmx // addNr.
- by rewrite EA.
exact: off_policy_tdE.
Qed.

(* D(I − M) > 0 and C > 0: A < 0, and θ_t → −A⁻¹b almost surely. *)
Theorem off_policy_margin_convergence : posdef (diag_mx d *m (1%:M - M lam L N)) -> posdef (keyC d Phi) ->
  almost_surely (observation_kernel snd (behave p mu) init)
    (fun h => dot (theta h - - invmx A *m b) (theta h - - invmx A *m b)).
Proof.
move=> safe Cpos; have A_neg : negdef A.
  move=> t t0; have Pt0 : Phi *m t != 0.
    by apply: contra t0 => /eqP Pt0; apply/eqP/(posdef_inj Cpos); rewrite /keyC -mulmxA Pt0 mulmx0.
  have := safe _ Pt0; rewrite form_diag mulmxBl mul1mx dotDBr dotDxx subr_gt0.
  by rewrite form_keyA subr_lt0.
apply: (@thm_4_3_off_policy 1%:M); rewrite ?trmx1 ?mul1mx //.
by move=> x x0; rewrite form_id dot_gt0.
Qed.
End OffPolicyTD.

Section Hurwitz.
Variables (R : rcfType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha : nat -> R) (theta0 : 'cV[R]_m).
Let N := gamma *: policy_kernel p pi.
Let A := keyA d N Phi lam L.
Let b := keyb d N (policy_reward p pi r) Phi lam L.
Let theta := off_policy_td snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha theta0.

(* A Hurwitz: θ_t → −A⁻¹b almost surely. *)
Theorem thm_4_3_off_policy_hurwitz :
  (forall a, stochastic (p a)) -> policy mu -> policy pi -> covers d mu pi -> distribution init ->
  (forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j)) -> finite_schedule L lam ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) -> hurwitz A ->
  almost_surely (observation_kernel snd (behave p mu) init)
    (fun h => dot (theta h - - invmx A *m b) (theta h - - invmx A *m b)).
Proof.
move=> p_st mu_p pi_p cov init1 lim fin a0 a_div a_sq /hurwitz_lyapunov[Q Q_sym [Q_pos QA]].
exact: (thm_4_3_off_policy _ _ p_st mu_p pi_p cov init1 lim fin a0 a_div a_sq Q_sym Q_pos QA).
Qed.
End Hurwitz.

(* θ→2θ with γ = ½, TD(0): A = −1, b = ½. With α_t = 1/(t + 1), θ_t → ½ from anywhere. *)
Theorem off_policy_margin_convergence_instance (R : realFieldType) (init : 'I_2 * 'I_2 -> R) (theta0 : 'cV[R]_1)
    (theta := off_policy_td snd (two_features R) (schedule [::]) (fun=> fun=> 2%:R^-1) (ratio (evenly R) (second R))
       (leaving_first R) (fun t => 1 / (t%:R + 1)) theta0) : Num.archimedean_axiom R -> distribution init ->
  almost_surely (observation_kernel snd (behave (go_to R) (evenly R)) init)
    (fun h => dot (theta h - 2%:R^-1%:M) (theta h - 2%:R^-1%:M)).
Proof.
move=> archi init1; have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
have AE : keyA (flip_law R) (2%:R^-1 *: policy_kernel (go_to R) (second R)) (two_features R) (schedule [::]) 0 =
  (-1)%:M.
  by rewrite two_features_A; congr (_%:M); field; rewrite ?pnatr_eq0.
have star : - invmx (-1)%:M *m 2%:R^-1%:M = 2%:R^-1%:M :> 'M[R]_1.
  by rewrite invmx_scalar invrN invr1 raddfN opprK mul1mx.
rewrite -star -AE -(two_features_b 2%:R^-1).
apply: (@thm_4_3_off_policy _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (@go_to_stochastic R) (evenly_policy R) (second_policy R)
  (@evenly_covers R _)
  init1 (@evenly_limit R) fin (fun t => harmonic_gt0 ltr01 ltr01 t) (harmonic_diverges archi ltr01 ltr01)
    (harmonic_square
    archi ltr01 ltr01) 1%:M).
- by rewrite trmx1.
- by move=> x x0; rewrite form_id dot_gt0.
by move=> x x0; rewrite AE mul1mx raddfN formN form_id oppr_lt0 dot_gt0.
Qed.
