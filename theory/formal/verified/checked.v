(* Claims: thm_4_3, thm_4_4, thm_4_6 (what the proved checker accepts converges)
   Place: §4, Theorems 4.3, 4.4 and 4.6, for the model of one certificate.
   Statement: let M be a model, w and y what a certificate holds. If the checker (verified/Checker.v, ByRank.v)
   accepts them, then along one path of the behaviour chain, from every law of the first observation, every θ_0 and w_0, with
   deterministic steps α_t > 0, Σα_t = ∞, Σα_t² < ∞:
       thm_4_3_td_checked     θ_t of TD(λ)-schedule, on-policy or off-policy, converges to the certificate's θ* almost surely
       thm_4_3_td_by_rank_checked    the same, of a certificate with a rank and no number of A; the schedule ends, or every
                              λ_j is λ
       thm_4_4_gtd_checked    θ_t of GTD, β_t = ηα_t, η > 0, converges to θ*, and w_t to 0
       thm_4_6_tdc_checked    θ_t of TDC, β_t > 0, Σβ_t² < ∞, α_t/β_t → 0, converges to θ*, and w_t to 0
   "Almost surely" is [almost_surely]: through paths of finite length, and with probability one on every probability space
   that carries the process. Nothing is asked of the model or of the witness but that the checker accepts them. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices thm_4_4_g_negative_definite.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA LyapunovSA Windows Policies OffPolicy Steps.
From TD Require Import Lyapunov schedules_without_end thm_4_3 thm_4_4 thm_4_6 Rationals Matrices Checker ByRank.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Soundness.
Variables (R : rcfType) (M : model) (w : witness).
Hypothesis archi : Num.archimedean_axiom R.
Local Notation n := (last_state M).
Local Notation m := (columns M).
Variables (init : Act M * 'I_n.+1 -> R) (theta0 w0 : 'cV[R]_m) (alpha beta : nat -> R).
Hypothesis init_distribution : distribution init.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Local Notation path_law := (observation_kernel snd (behave (p R (M := M)) (mu R (M := M))) init).
Local Notation star := (point R M (theta w)).
Local Notation ratio := (ratio (mu R (M := M)) (pi R (M := M))).

(* TD(λ)-schedule, on-policy or off-policy: if the checker accepts, θ_t → θ* almost surely. *)
Theorem thm_4_3_td_checked y : check_td M w y ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha theta0 h in
    dot (theta_t - star) (theta_t - star)).
Proof.
case/andP=> com /(@lyapunovP R) lya; have [ok _ _ cov _] := and5P com.
have [X_sym X_pos XA] := lya; set A := keyA _ _ _ _ _ in XA.
have uA : A \in unitmx.
  by apply/inj_unitmx => x Ax0; apply: (negdef_inj XA); rewrite -mulmxA Ax0 mulmx0.
have P_st := policy_stochastic (@p_stochastic R M ok) (@mu_policy R M ok).
have lim := @limitP R M ok archi w com; have d_law := limit_law P_st lim.
have obs := behave_observes (@p_stochastic R M ok) (@mu_policy R M ok).
have rho1 := ratio_mean (@p_stochastic R M ok) (@mu_covers R M (stationary w) cov) (@pi_policy R M ok).
have fin := @lam_finite R M.
have EA := td_matrix_mean (Phi R M) init P_st obs d_law fin (gamma R (M := M)) rho1.
have Eb := td_vector_mean (Phi R M) init obs d_law fin (gamma R (M := M)) ratio (reward R (M := M)).
apply: paths_almost_surely => [h|]; first exact: dot_ge0.
apply: (lyapunov_convergence P_st obs init_distribution d_law lim
  (td_matrix_local snd (Phi R M) (gamma R (M := M)) ratio fin)
  (td_vector_local snd (Phi R M) (gamma R (M := M)) ratio (reward R (M := M)) fin)
  _ X_sym X_pos _ alpha_gt0 alpha_diverges alpha_square).
- rewrite EA Eb; have := thetaP com uA; rewrite -/A => <-; by rewrite mulNmx mulmxN mulKVmx // addNr.
- by rewrite EA.
exact: off_policy_tdE.
Qed.

(* TD on any features F where A is negative definite *)
Section Features.
Variables (k : nat) (F : 'M[R]_(n.+1, k)) (x0 star : 'cV[R]_k) (d : 'rV[R]_n.+1).
Local Notation P := (policy_kernel (p R (M := M)) (mu R (M := M))).
Local Notation N := (kernel_of snd (behave (p R (M := M)) (mu R (M := M))) (fun i o => gamma R i o * ratio i o)).
Local Notation gain := (mean_reward (behave (p R (M := M)) (mu R (M := M))) (fun i o => ratio i o * reward R i o)).
Hypothesis ok : proper M.
Hypothesis lim : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Let P_st : stochastic P := policy_stochastic (@p_stochastic R M ok) (@mu_policy R M ok).
Let obs := behave_observes (@p_stochastic R M ok) (@mu_policy R M ok).
Let d_law : law P d := limit_law P_st lim.
Let id_sym : (1%:M : 'M[R]_k)^T = 1%:M. Proof. by rewrite trmx1. Qed.
Let id_pos : posdef (1%:M : 'M[R]_k). Proof. by move=> y y0; rewrite form_id dot_gt0. Qed.

Lemma td_definite (A := keyA d N F (lam R M) (size (lambdas M))) (b := keyb d N gain F (lam R M) (size (lambdas M))) :
  covers d (mu R (M := M)) (pi R (M := M)) -> negdef A -> A *m star + b = 0 ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd F (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha x0 h in
    dot (theta_t - star) (theta_t - star)).
Proof.
move=> cov neg rest; have fin := @lam_finite R M.
have rho1 := ratio_mean (@p_stochastic R M ok) cov (@pi_policy R M ok).
have EA := td_matrix_mean F init P_st obs d_law fin (gamma R (M := M)) rho1.
have Eb := td_vector_mean F init obs d_law fin (gamma R (M := M)) ratio (reward R (M := M)).
apply: paths_almost_surely => [h|]; first exact: dot_ge0.
apply: (lyapunov_convergence P_st obs init_distribution d_law lim
  (td_matrix_local snd F (gamma R (M := M)) ratio fin)
  (td_vector_local snd F (gamma R (M := M)) ratio (reward R (M := M)) fin)
  _ id_sym id_pos _ alpha_gt0 alpha_diverges alpha_square).
- by rewrite EA Eb.
- by rewrite mul1mx EA.
exact: off_policy_tdE.
Qed.

(* λ_j = l without an end *)
Lemma td_endless_definite l (S := invmx (1%:M - l *: N)) (A := F^T *m diag_mx d *m S *m (N - 1%:M) *m F)
  (b := F^T *m diag_mx d *m S *m gain) :
  (exists2 c : R, 0 <= c < 1 & forall (i : 'I_n.+1) (o : Act M * 'I_n.+1), `|l * (gamma R i o * ratio i o)| <= c) ->
  1%:M - l *: N \in unitmx /\ (forall i j, tends_to (fun K => (trace_sum (fun=> l) K N) i j) (S i j)) ->
  (forall i, \sum_o behave (p R (M := M)) (mu R (M := M)) i o * ratio i o = 1) ->
  negdef A -> A *m star + b = 0 ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd F (fun=> l) (gamma R (M := M)) ratio (reward R (M := M)) alpha x0 h in
    dot (theta_t - star) (theta_t - star)).
Proof.
move=> [c c01 le] [_ sum] rho1 neg rest; rewrite -(rest_point (negdef_unitmx neg) rest).
apply: (off_policy_schedules_without_end (Q := 1%:M) (beta := c) P_st obs init_distribution lim rho1
  alpha_gt0 alpha_diverges alpha_square c01 (fun _ i o _ => le i o) sum id_sym id_pos); first by rewrite mul1mx.
exact: off_policy_td_step.
Qed.
End Features.

(* TD without the numbers of A: the schedule ends, or every λ_j is λ. *)
Theorem thm_4_3_td_by_rank_checked s rows q inverse (lambdas := lambdas_of R M s) : check_td_by_rank M w s rows q inverse ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R M) lambdas (gamma R (M := M)) ratio (reward R (M := M)) alpha theta0 h in
    dot (theta_t - star) (theta_t - star)).
Proof.
move=> acc; have ok : proper M by case/and5P: acc.
have lim := by_rank_limit archi acc.
case E: s @lambdas => [|l y] lambdas.
  exact: (@td_definite m (Phi R M) theta0 star (rowv R n.+1 (stationary w)) ok lim
    (@mu_covers R M (stationary w) (by_rank_coverage acc)) (by_rank_negdef archi acc E) (by_rank_rest R acc E)).
exact: (@td_endless_definite m (Phi R M) theta0 star (rowv R n.+1 (stationary w)) ok lim (qval R l) (by_rank_trace R acc E)
  (by_rank_sum archi acc E) (by_rank_ratio R acc E) (by_rank_endless_negdef archi acc E) (by_rank_endless_rest archi acc E)).
Qed.

(* GTD and TDC: if the checker accepts, θ_t → θ* and w_t → 0 almost surely. *)
Section Gradient.
Variable y : regular.
Hypothesis checked : check_gradient M w y.
Let com : common M w. Proof. by case/andP: checked. Qed.
Let ok : proper M. Proof. by case/andP: com. Qed.
Let cov : coverage M (stationary w). Proof. by case/and5P: com. Qed.

Let uA : keyA (rowv R n.+1 (stationary w)) (kernel_of snd (behave (p R (M := M)) (mu R (M := M)))
   (fun i o => gamma R i o * ratio i o)) (Phi R M) (lam R M) (size (lambdas M)) \in unitmx.
Proof. by case/andP: checked => _ /nonsingularP. Qed.

Theorem thm_4_4_gtd_checked eta : 0 < eta -> (forall t, beta t = eta * alpha t) ->
  almost_surely path_law (fun h => distance2 star
    (gtd snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta theta0 w0 h)).
Proof.
move=> eta0 beta_eta; rewrite -(thetaP com uA).
have P_st := policy_stochastic (@p_stochastic R M ok) (@mu_policy R M ok).
have obs := behave_observes (@p_stochastic R M ok) (@mu_policy R M ok).
have rho1 := ratio_mean (@p_stochastic R M ok) (@mu_covers R M (stationary w) cov) (@pi_policy R M ok).
exact: (thm_4_4_corrected_observations _ _ _ P_st obs init_distribution (@limitP R M ok archi w com) rho1 (@lam_finite R M) uA
  alpha_gt0 alpha_diverges alpha_square eta0 beta_eta).
Qed.

Theorem thm_4_6_tdc_checked : (forall t, 0 < beta t) -> summable (fun t => beta t ^+ 2) ->
  tends_to (fun t => alpha t / beta t) 0 ->
  almost_surely path_law (fun h => distance2 star
    (tdc snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta theta0 w0 h)).
Proof.
move=> beta0 beta_sq slow; rewrite -(thetaP com uA).
have P_st := policy_stochastic (@p_stochastic R M ok) (@mu_policy R M ok).
have obs := behave_observes (@p_stochastic R M ok) (@mu_policy R M ok).
have rho1 := ratio_mean (@p_stochastic R M ok) (@mu_covers R M (stationary w) cov) (@pi_policy R M ok).
exact: (thm_4_6_corrected_observations _ _ _ P_st obs init_distribution (@limitP R M ok archi w com) rho1 (@lam_finite R M) uA
  alpha_gt0 alpha_diverges alpha_square beta0 beta_sq slow).
Qed.
End Gradient.
End Soundness.
