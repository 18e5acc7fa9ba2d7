(* Claims: thm_4_3, thm_4_4, thm_4_6 (what the proved checker accepts converges, where features are dependent)
   Place: §4, Theorems 4.3, 4.4 and 4.6 without full column rank, for the model of one certificate.
   Statement: let M be a model, Φ_B some columns of its Φ, T with Φ = Φ_BT on all states, w and y what a certificate holds of
   the model M_B with the features Φ_B. If the checker (verified/Columns.v) accepts them, then along one path of the behaviour
   chain, as in checked.v, the predictions converge almost surely: with the certificate's θ_B
       thm_4_3_td_columns_checked            Φθ_t → Φ_Bθ_B, θ_t of TD(λ)-schedule of M, on-policy or off-policy
       thm_4_3_td_by_rank_columns_checked    the same by rank; the schedule ends, or every λ_j is λ
       thm_4_4_gtd_columns_checked           Φθ_t → Φ_Bθ_B and Φw_t → 0, of GTD
       thm_4_6_tdc_columns_checked           the same of TDC
   Nothing is asked of the model or of the witness but that the checker accepts them. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule telescoping Forms Lyapunov Chain Limits KeyMatrices Paths Sequences Convergence ProbabilityOne Markov.
From TD Require Import LinearSA Windows Policies OffPolicy Quotient thm_4_4 thm_4_6 Rationals Matrices Checker ByRank Columns checked.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* What converges does so through a matrix. *)
Section Image.
Variables (R : realFieldType) (O : finType) (K : seq O -> O -> R) (a k : nat) (F : 'M[R]_(a, k)).
Hypothesis K_kernel : kernel K.

Let image_le : exists2 c, 0 < c & forall x : 'cV[R]_k, c * dot (F *m x) (F *m x) <= dot x x.
Proof.
have [c c0 up] := form_upper (F^T *m F); exists c^-1; first by rewrite invr_gt0.
move=> x; rewrite mulrC ler_pdivr_mulr // mulrC; have -> : dot (F *m x) (F *m x) = form (F^T *m F) x; last exact: up.
by rewrite /dot /form trmx_mul !mulmxA.
Qed.

Lemma image_converges (X : seq O -> 'cV[R]_k) (Y : seq O -> 'cV[R]_a) x y : (forall h, Y h = F *m X h) -> y = F *m x ->
  almost_surely K (fun h => dot (X h - x) (X h - x)) -> almost_surely K (fun h => dot (Y h - y) (Y h - y)).
Proof.
move=> YE ->; have [c c0 le] := image_le; apply: almost_surely_le K_kernel c0 _ _ => h; first exact: dot_ge0.
by rewrite YE -mulmxBr.
Qed.

Lemma image_pair_converges (X : seq O -> 'cV[R]_k * 'cV[R]_k) (Y : seq O -> 'cV[R]_a * 'cV[R]_a) x y :
  (forall h, Y h = (F *m (X h).1, F *m (X h).2)) -> y = F *m x ->
  almost_surely K (fun h => distance2 x (X h)) -> almost_surely K (fun h => distance2 y (Y h)).
Proof.
move=> YE ->; have [c c0 le] := image_le; apply: almost_surely_le K_kernel c0 _ _ => h.
  by rewrite /distance2 addr_ge0 ?dot_ge0.
by rewrite /distance2 YE /= -mulmxBr mulrDr ler_add.
Qed.
End Image.

Section Soundness.
Variables (R : rcfType) (M : model) (chosen : seq nat) (T : mat) (w : witness).
Hypothesis archi : Num.archimedean_axiom R.
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation Mb := (with_columns M chosen).
Local Notation k := (size chosen).
Variables (init : Act M * 'I_n.+1 -> R) (theta0 w0 : 'cV[R]_m) (alpha beta : nat -> R).
Hypothesis init_distribution : distribution init.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Local Notation path_law := (observation_kernel snd (behave (p R (M := M)) (mu R (M := M))) init).
Local Notation prediction := (Phi R Mb *m point R Mb (theta w)).
Local Notation ratio := (ratio (mu R (M := M)) (pi R (M := M))).
Local Notation d := (rowv R n.+1 (stationary w)).
Local Notation N := (kernel_of snd (behave (p R (M := M)) (mu R (M := M))) (fun i o => gamma R i o * ratio i o)).
Local Notation gain := (mean_reward (behave (p R (M := M)) (mu R (M := M))) (fun i o => ratio i o * reward R i o)).
Local Notation L := (size (lambdas M)).

Section Basis.
Variables (V : 'M[R]_k) (uV : V \in unitmx).
Let F := Phi R Mb *m V.
Let star := invmx V *m point R Mb (theta w).

Lemma columns_star : prediction = F *m star.
Proof. by rewrite /F /star -mulmxA mulKVmx. Qed.

Lemma congruent_negdef (A : 'M[R]_k) : negdef A -> negdef (V^T *m A *m V).
Proof.
move=> neg x x0; rewrite form_congruence; apply: neg; apply: contra x0 => /eqP Vx.
by rewrite -[x](mulKmx uV) Vx mulmx0.
Qed.

Lemma congruent_rest (A : 'M[R]_k) b : A *m point R Mb (theta w) + b = 0 -> V^T *m A *m V *m star + V^T *m b = 0.
Proof. by move=> rest; rewrite /star -!mulmxA mulKVmx // -mulmxDr rest mulmx0. Qed.

Lemma columns_A lam : keyA d N F lam L = V^T *m keyA d N (Phi R Mb) lam L *m V.
Proof. by rewrite /keyA /F trmx_mul !mulmxA. Qed.
Lemma columns_b lam : keyb d N gain F lam L = V^T *m keyb d N gain (Phi R Mb) lam L.
Proof. by rewrite /keyb /F trmx_mul !mulmxA. Qed.
End Basis.

Lemma columns_kernel : proper Mb -> kernel path_law.
Proof.
move=> ok; have P_st := policy_stochastic (@p_stochastic R Mb ok) (@mu_policy R Mb ok).
exact: (observation_kernelP P_st (behave_observes (@p_stochastic R Mb ok) (@mu_policy R Mb ok)) init_distribution).
Qed.

(* θ_t on Φ, through T', is θ_t on F = Φ_BV. *)
Lemma columns_td V (T' : 'M[R]_(k, m)) lam star : proper Mb -> Phi R M = Phi R Mb *m V *m T' -> T' *m T'^T = 1%:M ->
  prediction = Phi R Mb *m V *m star ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R Mb *m V) lam (gamma R (M := M)) ratio (reward R (M := M)) alpha (T' *m theta0) h in
    dot (theta_t - star) (theta_t - star)) ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R M) lam (gamma R (M := M)) ratio (reward R (M := M)) alpha theta0 h in
    dot (Phi R M *m theta_t - prediction) (Phi R M *m theta_t - prediction)).
Proof.
move=> ok PhiF ortho starE; apply: (image_converges (columns_kernel ok) _ starE) => h.
by rewrite -(quotient_td _ _ _ _ _ _ _ PhiF ortho) mulmxA PhiF.
Qed.

Theorem thm_4_3_td_columns_checked y : check_td_columns M chosen T w y ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha theta0 h in
    dot (Phi R M *m theta_t - prediction) (Phi R M *m theta_t - prediction)).
Proof.
case/and3P=> spanned /(equalP R) one acc; have [PhiE [E TE]] := spansP R spanned.
have [V [T' [uV TV ortho]]] := orthonormal TE; case/andP: acc => com /(@lyapunovP R).
have [ok _ _ cov /(restP R) rest] := and5P com; rewrite one mx_identity mul1mx => -[_ _ neg].
have PhiF : Phi R M = Phi R Mb *m V *m T' by rewrite PhiE TV mulmxA.
have lim := @limitP R Mb ok archi w com.
apply: (columns_td ok PhiF ortho (columns_star uV)).
apply: (@td_definite R Mb init alpha init_distribution alpha_gt0 alpha_diverges alpha_square k (Phi R Mb *m V)
  (T' *m theta0) (invmx V *m point R Mb (theta w)) d ok lim (@mu_covers R Mb (stationary w) cov)).
  by rewrite columns_A; apply: congruent_negdef.
by rewrite columns_A columns_b; apply: congruent_rest.
Qed.

Theorem thm_4_3_td_by_rank_columns_checked s rows q inverse (lambdas := lambdas_of R Mb s) :
  check_td_by_rank_columns M chosen T w s rows q inverse ->
  almost_surely path_law (fun h =>
    let theta_t := off_policy_td snd (Phi R M) lambdas (gamma R (M := M)) ratio (reward R (M := M)) alpha theta0 h in
    dot (Phi R M *m theta_t - prediction) (Phi R M *m theta_t - prediction)).
Proof.
case/andP=> spanned acc; have [PhiE [E TE]] := spansP R spanned; have [V [T' [uV TV ortho]]] := orthonormal TE.
have ok : proper Mb by case/and5P: acc.
have PhiF : Phi R M = Phi R Mb *m V *m T' by rewrite PhiE TV mulmxA.
have lim := by_rank_limit archi acc; apply: (columns_td ok PhiF ortho (columns_star uV)).
case Es: s @lambdas => [|l y] lambdas.
  apply: (@td_definite R Mb init alpha init_distribution alpha_gt0 alpha_diverges alpha_square k (Phi R Mb *m V)
    (T' *m theta0) (invmx V *m point R Mb (theta w)) d ok lim (@mu_covers R Mb (stationary w) (by_rank_coverage acc))).
    by rewrite columns_A; apply: (congruent_negdef uV (by_rank_negdef archi acc Es)).
  by rewrite columns_A columns_b; apply: (congruent_rest uV (by_rank_rest R acc Es)).
apply: (@td_endless_definite R Mb init alpha init_distribution alpha_gt0 alpha_diverges alpha_square k (Phi R Mb *m V)
  (T' *m theta0) (invmx V *m point R Mb (theta w)) d ok lim (qval R l) (by_rank_trace R acc Es) (by_rank_sum archi acc Es)
  (by_rank_ratio R acc Es)).
  have := congruent_negdef uV (by_rank_endless_negdef archi acc Es); by rewrite trmx_mul !mulmxA.
have := congruent_rest uV (by_rank_endless_rest archi acc Es); by rewrite trmx_mul !mulmxA.
Qed.

(* GTD and TDC *)
Section Gradient.
Variable y : regular.
Hypothesis checked : check_gradient_columns M chosen T w y.
Let com : common Mb w. Proof. by case/andP: checked => _ /andP[]. Qed.
Let ok : proper Mb. Proof. by case/andP: com. Qed.
Let cov : coverage Mb (stationary w). Proof. by case/and5P: com. Qed.
Let uA : keyA d N (Phi R Mb) (lam R M) L \in unitmx.
Proof. by case/andP: checked => _ /andP[_ /(nonsingularP R)]. Qed.
Let rest : keyA d N (Phi R Mb) (lam R M) L *m point R Mb (theta w) + keyb d N gain (Phi R Mb) (lam R M) L = 0.
Proof. by have [_ _ _ _ /(restP R)] := and5P com. Qed.

Let basis : exists V (T' : 'M[R]_(k, m)), [/\ V \in @unitmx R k, Phi R M = Phi R Mb *m V *m T' & T' *m T'^T = 1%:M].
Proof.
case/andP: checked => spanned _; have [PhiE [E TE]] := spansP R spanned; have [V [T' [uV TV ortho]]] := orthonormal TE.
by exists V, T'; rewrite -mulmxA -TV.
Qed.

Let P_st := policy_stochastic (@p_stochastic R Mb ok) (@mu_policy R Mb ok).
Let obs := behave_observes (@p_stochastic R Mb ok) (@mu_policy R Mb ok).
Let rho1 := ratio_mean (@p_stochastic R Mb ok) (@mu_covers R Mb (stationary w) cov) (@pi_policy R Mb ok).
Let uF (V : 'M[R]_k) : V \in unitmx -> keyA d N (Phi R Mb *m V) (lam R M) L \in unitmx.
Proof. by move=> uV; rewrite columns_A !unitmx_mul unitmx_tr uV uA. Qed.
Let starE (V : 'M[R]_k) (uV : V \in unitmx) : - invmx (keyA d N (Phi R Mb *m V) (lam R M) L)
  *m keyb d N gain (Phi R Mb *m V) (lam R M) L = invmx V *m point R Mb (theta w).
Proof. by apply: rest_point (uF uV) _; rewrite columns_A columns_b; apply: congruent_rest. Qed.

Theorem thm_4_4_gtd_columns_checked eta : 0 < eta -> (forall t, beta t = eta * alpha t) ->
  almost_surely path_law (fun h =>
    let x := gtd snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta theta0 w0 h in
    distance2 prediction (Phi R M *m x.1, Phi R M *m x.2)).
Proof.
move=> eta0 beta_eta; have [V [T' [uV PhiF ortho]]] := basis.
apply: (image_pair_converges (X := gtd snd (Phi R Mb *m V) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta
  (T' *m theta0) (T' *m w0)) (columns_kernel ok) _ (columns_star uV)) => [h|].
  by rewrite -(quotient_gtd _ _ _ _ _ _ _ _ _ PhiF ortho) /= !mulmxA -PhiF.
rewrite -(starE uV).
exact: (thm_4_4_corrected_observations _ _ _ P_st obs init_distribution (@limitP R Mb ok archi w com) rho1 (@lam_finite R M)
  (uF uV) alpha_gt0 alpha_diverges alpha_square eta0 beta_eta).
Qed.

Theorem thm_4_6_tdc_columns_checked : (forall t, 0 < beta t) -> summable (fun t => beta t ^+ 2) ->
  tends_to (fun t => alpha t / beta t) 0 ->
  almost_surely path_law (fun h =>
    let x := tdc snd (Phi R M) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta theta0 w0 h in
    distance2 prediction (Phi R M *m x.1, Phi R M *m x.2)).
Proof.
move=> beta0 beta_sq slow; have [V [T' [uV PhiF ortho]]] := basis.
apply: (image_pair_converges (X := tdc snd (Phi R Mb *m V) (lam R M) (gamma R (M := M)) ratio (reward R (M := M)) alpha beta
  (T' *m theta0) (T' *m w0)) (columns_kernel ok) _ (columns_star uV)) => [h|].
  by rewrite -(quotient_tdc _ _ _ _ _ _ _ _ _ PhiF ortho) /= !mulmxA -PhiF.
rewrite -(starE uV).
exact: (thm_4_6_corrected_observations _ _ _ P_st obs init_distribution (@limitP R Mb ok archi w com) rho1 (@lam_finite R M)
  (uF uV) alpha_gt0 alpha_diverges alpha_square beta0 beta_sq slow).
Qed.
End Gradient.
End Soundness.
