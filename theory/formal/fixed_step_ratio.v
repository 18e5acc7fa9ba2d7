(* Claims: two_timescale_ratio, thm_4_6 (almost-sure convergence of TDC with a fixed ratio of the step sizes)
   Place: Assumptions 4 and 5, and A5.2, where TDC runs with a fixed ratio; Theorem 4.6 asks for α_t/β_t → 0.
   Statement: with β_t = ηα_t, θ_t → −A⁻¹b and w_t → 0 almost surely if
       [two_timescale_ratio_convergence_hurwitz]    the joint mean matrix J(η) = [[−ηC, ηA], [−(Aᵀ + C), A]] of (w, θ)
       is Hurwitz
       [two_timescale_ratio_convergence]            A is nonsingular and ηC − A positive definite (η > λ_max(C⁻¹ sym A))
       [two_timescale_ratio_convergence_on_policy]  on-policy, under Assumptions 1–3, for every η > 0.
   Reading: the algorithm as printed [OffPolicy.tdc]; A, b of the target policy with D of the behaviour policy.
   Hypotheses: μ covers π where d is positive; lim P_μ(s_t = j | s_0 = i) = d(j); α_t > 0 deterministic, Σα_t = ∞, Σα_t² < ∞; λ_j = 0 for
   j > L.
   "Almost surely": for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² + |w_t|² ≥ ε) ≤ δ for every T ≥ N
   [almost_surely]; and with probability one on every probability space that carries the process (ProbabilityOne.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices Spectrum Rayleigh Lyapunov Hurwitz Examples
  prop_4_1.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA LyapunovSA TwoTimeScales GradientSA.
From TD Require Import Windows Policies OffPolicy Steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Observations.
Variables (R : rcfType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma rho reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).
Let N := kernel_of state q (fun i o => gamma i o * rho i o).
Let A := keyA d N Phi lam L.
Let b := keyb d N (mean_reward q (fun i o => rho i o * reward i o)) Phi lam L.
Let iterates := tdc state Phi lam gamma rho reward alpha beta theta0 w0.

(* Any observations, any ratio ρ of mean 1 where d is positive, any discount of the transitions. *)
Theorem two_timescale_ratio_convergence_observations :
  stochastic P -> observes state P q -> distribution init -> (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  (forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1) -> finite_schedule L lam ->
  A \in unitmx -> posdef (eta *: keyC d Phi - A) -> 0 < eta -> (forall t, beta t = eta * alpha t) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
along_paths.
move=> P_st obs init1 lim rho1 fin uA margin eta0 beta_eta a0 a_div a_sq; have d_law := limit_law P_st lim.
have r0 : 0 < Num.sqrt eta by rewrite sqrtr_gt0.
have etaE : eta = Num.sqrt eta ^+ 2 by rewrite sqr_sqrtr // ltW.
have {}margin : posdef (Num.sqrt eta ^+ 2 *: keyC d Phi - A) by rewrite -etaE.
apply: (tdc_fixed_ratio_convergence P_st obs init1 d_law lim (td_matrix_local _ _ gamma rho fin)
  (@C_of_local _ _ _ _ state Phi L) (td_vector_local _ _ gamma rho reward fin) (td_matrix_mean Phi init P_st obs d_law fin
    gamma rho1)
  (feature_mean Phi init P_st obs d_law L) (td_vector_mean Phi init obs d_law fin gamma rho reward) uA r0 margin a0
    a_div a_sq _
  (theta := fun h => (iterates h).1) (w := fun h => (iterates h).2)) => *.
- by rewrite -etaE.
- exact: tdc_wE.
exact: tdc_thetaE.
Qed.

Local Notation E0 := (stationary_mean state q init d L.+1).

(* the mean of (w, θ) ↦ (η(Aθ − Cw), Aθ − (Aᵀ + C)w) *)
Definition joint_matrix (A' C' : 'M[R]_m) : 'M[R]_(m + m) := block_mx (- (eta *: C')) (eta *: A') (- (A'^T + C')) A'.

Theorem two_timescale_ratio_convergence_hurwitz_observations :
  stochastic P -> observes state P q -> distribution init -> (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  (forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1) -> finite_schedule L lam ->
  hurwitz (joint_matrix A (keyC d Phi)) -> (forall t, beta t = eta * alpha t) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
along_paths.
move=> P_st obs init1 lim rho1 fin hur beta_eta a0 a_div a_sq; have d_law := limit_law P_st lim.
have [Q Q_sym [Q_pos QJ]] := hurwitz_lyapunov hur; set C := keyC d Phi in hur QJ *.
have uA : A \in unitmx.
  apply/inj_unitmx => x Ax0; have : joint_matrix A C *m col_mx 0 x = 0.
    by rewrite mul_block_col !mulmx0 -scalemxAl Ax0 scaler0 !addr0 col_mx0.
  move=> Jx0; have := negdef_inj QJ (x := col_mx 0 x); rewrite -mulmxA Jx0 mulmx0 => /(_ erefl)/eqP.
  by rewrite col_mx_eq0 => /andP[_ /eqP].
pose A1 := A_of state Phi lam gamma rho; pose b1 := b_of state Phi lam gamma rho reward; pose C1 := C_of state Phi.
have A_mean : E0 A1 = A := td_matrix_mean Phi init P_st obs d_law fin gamma rho1.
have b_mean : E0 b1 = b := td_vector_mean Phi init obs d_law fin gamma rho reward.
have C_mean : E0 C1 = C := feature_mean Phi init P_st obs d_law L.
pose G h := joint_matrix (A1 h) (C1 h); pose g h := col_mx (eta *: b1 h) (b1 h).
pose xi h := col_mx (iterates h).2 (iterates h).1; pose goal := col_mx 0 (- invmx A *m b) : 'cV[R]_(m + m).
have G_linear : linear (fun AC : 'M[R]_m * 'M[R]_m => joint_matrix AC.1 AC.2).
  move=> k [A2 C2] [A3 C3]; rewrite /joint_matrix /= scale_block_mx add_block_mx [(_ + _)^T]linearP !scalerN -!opprD.
  by congr block_mx; rewrite ?scalerDr ?scalerA 1?mulrC //; congr (- _); rewrite ?scalerDr ?scalerA 1?mulrC // addrACA.
have g_linear : linear (fun v : 'cV[R]_m => col_mx (eta *: v) v).
  by move=> k v v'; rewrite scale_col_mx add_col_mx scalerDr !scalerA mulrC.
have G_mean : E0 G = joint_matrix A C.
  by rewrite -A_mean -C_mean; apply: (stationary_mean_linear2 state q init d G_linear L.+1 A1 C1).
have g_mean : E0 g = col_mx (eta *: b) b by rewrite -b_mean; apply: (stationary_mean_linear state q init d g_linear
  L.+1 b1).
have rest : A *m (- invmx A *m b) + b = 0 by rewrite mulNmx mulmxN mulKVmx // addNr.
have conv : tends_to_zero_as (observation_kernel state q init) (fun h => dot (xi h - goal) (xi h - goal)).
  apply: (@lyapunov_convergence R n _ O state P q init d P_st obs init1 d_law lim L G g goal Q xi _ _ _ Q_sym Q_pos
    alpha _
    a0 a_div a_sq).
  - move=> h h' E; have EA : A1 h = A1 h' := td_matrix_local _ _ gamma rho fin E.
    by have EC : C1 h = C1 h' := @C_of_local _ _ _ _ state Phi L _ _ E; rewrite /G EA EC.
  - by move=> h h' E; have Eb : b1 h = b1 h' := td_vector_local _ _ gamma rho reward fin E; rewrite /g Eb.
  - rewrite G_mean g_mean mul_block_col !mulmx0 !add0r add_col_mx rest -scalemxAl -scalerDr rest.
    by rewrite scaler0 col_mx0.
  - by rewrite G_mean.
  move=> o' o h; rewrite /xi /iterates tdc_thetaE tdc_wE beta_eta -/(iterates _); set x := iterates (o :: h).
  rewrite /G /g /joint_matrix mul_block_col add_col_mx scale_col_mx add_col_mx; congr (col_mx (_ + _) (_ + _)).
    rewrite mulrC -scalerA; congr (_ *: _).
    by rewrite mulNmx -!scalemxAl scalerBr scalerDr [LHS]addrC addrA.
  by congr (_ *: _); rewrite mulNmx mulmxDl opprD -[LHS]addrA [LHS]addrC addrA.
apply: (tends_to_zero_as_le (observation_kernelP P_st obs init1) ltr01) conv => h; rewrite mul1r.
rewrite /xi /goal opp_col_mx add_col_mx oppr0 addr0 dot_col_mx addrC.
exact: lexx.
Qed.
End Observations.

(* A decision process, behaviour policy μ, target policy π. *)
Section OffPolicy.
Variables (R : rcfType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).
Let N := gamma *: policy_kernel p pi.
Let A := keyA d N Phi lam L.
Let b := keyb d N (policy_reward p pi r) Phi lam L.

(* A nonsingular, ηC − A > 0: θ_t → −A⁻¹b and w_t → 0 almost surely. *)
Theorem two_timescale_ratio_convergence :
  (forall a, stochastic (p a)) -> policy mu -> policy pi -> covers d mu pi -> distribution init ->
  (forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j)) -> finite_schedule L lam ->
  A \in unitmx -> posdef (eta *: keyC d Phi - A) -> 0 < eta -> (forall t, beta t = eta * alpha t) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  almost_surely (observation_kernel snd (behave p mu) init) (fun h => distance2 (- invmx A *m b)
    (tdc snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0 h)).
Proof.
move=> p_st mu_p pi_p cov init1 lim fin.
have d_law := limit_law (policy_stochastic p_st mu_p) lim.
rewrite /A /b /N -(target_A_const p_st mu_p cov Phi d_law fin)
  -(target_b_const p_st mu_p cov L Phi lam d_law) => uA margin eta0 beta_eta a0 a_div a_sq.
exact: (two_timescale_ratio_convergence_observations _ _ _ (policy_stochastic p_st mu_p) (behave_observes p_st mu_p)
  init1 lim
  (ratio_mean p_st cov pi_p) fin uA margin eta0 beta_eta a0 a_div a_sq).
Qed.

(* J(η) Hurwitz: θ_t → −A⁻¹b and w_t → 0 almost surely. *)
Theorem two_timescale_ratio_convergence_hurwitz :
  (forall a, stochastic (p a)) -> policy mu -> policy pi -> covers d mu pi -> distribution init ->
  (forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j)) -> finite_schedule L lam ->
  hurwitz (joint_matrix eta A (keyC d Phi)) -> (forall t, beta t = eta * alpha t) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  almost_surely (observation_kernel snd (behave p mu) init) (fun h => distance2 (- invmx A *m b)
    (tdc snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0 h)).
Proof.
move=> p_st mu_p pi_p cov init1 lim fin.
have d_law := limit_law (policy_stochastic p_st mu_p) lim.
rewrite /A /b /N -(target_A_const p_st mu_p cov Phi d_law fin)
  -(target_b_const p_st mu_p cov L Phi lam d_law) => hur beta_eta a0 a_div a_sq.
exact: (two_timescale_ratio_convergence_hurwitz_observations _ _ _ (policy_stochastic p_st mu_p) (behave_observes p_st
  mu_p) init1
  lim (ratio_mean p_st cov pi_p) fin hur beta_eta a0 a_div a_sq).
Qed.
End OffPolicy.

(* On-policy every η > 0 will do: ηC − A > 0 because C > 0 and A < 0. *)
Section OnPolicy.
Variables (R : rcfType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (eta : R) (theta0 w0 : 'cV[R]_m).
Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) (mean_reward q reward) Phi lam L.

Theorem two_timescale_ratio_convergence_on_policy :
  stochastic P -> irreducible P -> observes state P q -> distribution init ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) -> full_column_rank Phi ->
  0 < eta -> (forall t, beta t = eta * alpha t) ->
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b)
    (tdc state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward alpha beta theta0 w0 h)).
Proof.
move=> P_st irr obs init1 g01 lam01 fin a0 a_div a_sq lim rank eta0 beta_eta; have d_law := limit_law P_st lim.
have A_neg : negdef A := prop_4_1 P_st d_law lam01 fin g01 irr rank; have uA := negdef_unitmx A_neg.
have C_pos : posdef (keyC d Phi) by apply/keyC_posdef => //; exact: (irreducible_law_positive P_st irr d_law).
have margin : posdef (eta *: keyC d Phi - A).
  by move=> x x0; rewrite formB formZ addr_gt0 ?oppr_gt0 ?A_neg // mulr_gt0 // C_pos.
rewrite /A /b -(one_kernel obs) -one_reward in uA margin *.
exact: (two_timescale_ratio_convergence_observations _ _ _ P_st obs init1 lim (fun i di => one_mean P_st obs di) fin uA margin eta0
  beta_eta
  a0 a_div a_sq).
Qed.
End OnPolicy.

(* θ→2θ with γ = 9/10, TD(0): A = 1/5, C = 5/2; η = 1/10 > 2/25 is enough. *)
Theorem two_timescale_ratio_convergence_instance (R : rcfType) (init : 'I_2 * 'I_2 -> R) (theta0 w0 : 'cV[R]_1)
    (gamma := 9%:R / 10%:R : R) (alpha := fun t : nat => 1 / (t%:R + 1) : R) : Num.archimedean_axiom R -> distribution
      init ->
  almost_surely (observation_kernel snd (behave (go_to R) (evenly R)) init)
    (fun h => distance2 (- (5%:R / 2%:R))%:M (tdc snd (two_features R) (schedule [::]) (fun=> fun=> gamma)
       (ratio (evenly R) (second R)) (leaving_first R) alpha (fun t => 10%:R^-1 * alpha t) theta0 w0 h)).
Proof.
move=> archi init1; have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
rewrite -nine_tenths_rest.
apply: (two_timescale_ratio_convergence _ _ _ (@go_to_stochastic R) (evenly_policy R) (second_policy R)
  (@evenly_covers R _) init1
  (@evenly_limit R) fin _ _ _ (fun t => erefl) (fun t => harmonic_gt0 ltr01 ltr01 t) (harmonic_diverges archi ltr01
    ltr01)
  (harmonic_square archi ltr01 ltr01)).
- exact: nine_tenths_unit.
- move=> x x0; rewrite nine_tenths_A two_features_C scale_scalar_mx -raddfB /= /form mul_mx_scalar -scalemxAl mxE
    mulr_gt0
    ?dot_gt0 //.
  rewrite (_ : _ - _ = 20%:R^-1); first by rewrite invr_gt0 ltr0n.
  by field; rewrite ?pnatr_eq0.
by rewrite invr_gt0 ltr0n.
Qed.
