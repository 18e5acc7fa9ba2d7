(* Claim: thm_4_6
   Place: §4, Theorem 4.6 (printed again as 4.7).
   Stated: under Assumptions 1–3 and 5, θ_t of TDC(λ)-schedule converges almost surely to −A⁻¹b. Off-policy A may be
   singular: for θ→2θ with κ = 5/6, A = 0, and no θ has Aθ + b = 0 [thm_4_6_stated_refuted].
   Corrected: if A is nonsingular (then C > 0), θ_t → −A⁻¹b and w_t → 0 almost surely [thm_4_6_corrected].
   Neither α nor β has to be regular, nor α/β monotone. α_t/β_t need not go to zero: time_scale_ratio_suffices.v.
   Reading: the algorithm as printed [OffPolicy.tdc], along one path of the behaviour chain; observations o_t =
   (a_{t−1}, s_t); ρ_t = π(a_t|s_t)/μ(a_t|s_t); A = ΦᵀD(M − I)Φ and b = ΦᵀDSr with D of the behaviour policy, M, S, r
   of the target policy.
   Hypotheses: μ covers π where d is positive; lim P_μ(s_t = j | s_0 = i) = d(j) (Assumption 2 for μ); α_t, β_t > 0 deterministic, Σα_t = ∞,
   Σα_t² < ∞, Σβ_t² < ∞; λ_j = 0 for j > L. Any θ_0, w_0, any law of the first observation, any γ and λ_j. Σβ_t = ∞ is
   not used.
   "Almost surely": for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² + |w_t|² ≥ ε) ≤ δ for every T ≥ N
   [almost_surely]; and with probability one on every probability space that carries the process (ProbabilityOne.v).
   [thm_4_6_printed_on_policy]: on-policy, ρ = 1, the paper's assumptions suffice: Proposition 4.1 gives A < 0.
   The matrices behind it: −AᵀC⁻¹A is negative definite exactly if A is nonsingular (no need of A < 0), so it is
   Hurwitz, and so is −C [thm_4_6]. The slow mean dynamics θ' = h̄(θ, λ(θ)), h̄(θ, w) = Aθ + b − Aᵀw − Cw, λ(θ) =
   C⁻¹(Aθ + b), is θ' = −AᵀC⁻¹(Aθ + b); it rests at −A⁻¹b alone, where w = λ(θ) = 0 (the conditions (C3)–(C6) of the
   paper). *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices Spectrum Lyapunov Examples.
From TD Require Import prop_4_1 thm_4_4_g_negative_definite.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Policies TwoTimeScales
  GradientSA OffPolicy Steps time_scale_ratio_suffices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Inverse.
Variables (R : realFieldType) (m : nat) (C : 'M[R]_m).
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.

(* C⁻¹ is positive definite with C: yᵀC⁻¹y = xᵀCx for y = Cx. *)
Lemma invmx_posdef : posdef (invmx C).
Proof.
move=> y y0; have uC := posdef_unitmx C_posdef.
have x0 : invmx C *m y != 0 by apply: contra y0 => /eqP E; rewrite -[y](mulKVmx uC) E mulmx0.
have := C_posdef x0; congr (0 < _).
by rewrite /form trmx_mul trmx_inv C_sym -2!mulmxA mulKVmx // mulmxA.
Qed.
End Inverse.

Section SlowDynamics.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (b : 'cV[R]_m).
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.
Implicit Types theta w : 'cV[R]_m.

Definition h_bar theta w := A *m theta + b - A^T *m w - C *m w.
Definition g_bar theta w := A *m theta + b - C *m w.
Definition lambda_of theta := invmx C *m (A *m theta + b).

(* xᵀ(−AᵀC⁻¹A)x = −(Ax)ᵀC⁻¹(Ax) *)
Lemma form_tdc x : form (tdc_matrix A C) x = - form (invmx C) (A *m x).
Proof. by rewrite /tdc_matrix formN form_congruence. Qed.

Theorem thm_4_6_negative_definite : negdef (tdc_matrix A C) <-> A \in unitmx.
Proof.
split=> [neg|uA x x0].
  apply/inj_unitmx => x Ax0; apply/eqP/negPn/negP => /neg.
  by rewrite form_tdc Ax0 form0 oppr0 ltxx.
rewrite form_tdc oppr_lt0; apply: (invmx_posdef C_sym C_posdef).
by apply: contra x0 => /eqP Ax; rewrite (proj2 (inj_unitmx A) uA x Ax).
Qed.

(* (C5): w' = ḡ(θ, w) rests at λ(θ) alone; (C6): h̄ there. *)
Theorem thm_4_6_fast_rest_point theta w : g_bar theta w = 0 <-> w = lambda_of theta.
Proof.
have uC := posdef_unitmx C_posdef; rewrite /g_bar /lambda_of; split=> [/eqP|->].
  by rewrite subr_eq0 => /eqP ->; rewrite mulKmx.
by rewrite mulKVmx // subrr.
Qed.

Theorem thm_4_6_slow_dynamics theta :
  h_bar theta (lambda_of theta) = - (A^T *m invmx C *m (A *m theta + b)).
Proof.
have uC := posdef_unitmx C_posdef; rewrite /h_bar /lambda_of mulKVmx // addrAC subrr add0r.
by rewrite mulmxA.
Qed.

Theorem thm_4_6_slow_rest_point theta : A \in unitmx ->
  h_bar theta (lambda_of theta) = 0 <-> theta = - invmx A *m b.
Proof.
move=> uA; have uC := posdef_unitmx C_posdef; rewrite thm_4_6_slow_dynamics.
have uAC : A^T *m invmx C \in unitmx by rewrite unitmx_mul unitmx_tr uA unitmx_inv.
split=> [/eqP|->].
  rewrite oppr_eq0 => /eqP E; have /eqP : A *m theta + b = 0 by rewrite -[LHS](mulKmx uAC) E mulmx0.
  by rewrite addr_eq0 => /eqP E'; rewrite mulNmx -mulmxN -E' mulKmx.
by rewrite mulNmx mulmxN mulKVmx // addNr mulmx0 oppr0.
Qed.

(* w_t → λ(−A⁻¹b) = 0 *)
Theorem thm_4_6_w_limit : A \in unitmx -> lambda_of (- invmx A *m b) = 0.
Proof. by move=> uA; rewrite /lambda_of mulNmx mulmxN mulKVmx // addNr mulmx0. Qed.
End SlowDynamics.

(* (C3), (C4): both linear mean dynamics are Hurwitz, A of the theorem, weights d ≥ 0, any kernel. *)
Section Hurwitz.
Variables (R : rcfType) (n m : nat) (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.
Let A := keyA d N Phi lam L.
Let C := keyC d Phi.

Theorem thm_4_6 : A \in unitmx -> [/\ negdef (tdc_matrix A C), hurwitz (tdc_matrix A C) & hurwitz (- C)].
Proof.
move=> uA; have Cpos := A_nonsingular_C_posdef d_ge0 uA.
have neg : negdef (tdc_matrix A C) by apply/(thm_4_6_negative_definite A (keyC_sym d Phi) Cpos).
split=> //; apply: negdef_hurwitz => //.
by move=> x /Cpos; rewrite formN oppr_lt0.
Qed.
End Hurwitz.

Theorem thm_4_6_instance (R : rcfType) (Phi := mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]])
    (A := keyA (triangle_law R) (2%:R^-1 *: triangle R) Phi (schedule [:: 2%:R^-1; 3%:R^-1]) 2)
    (C := keyC (triangle_law R) Phi) : negdef (tdc_matrix A C) /\ hurwitz (tdc_matrix A C).
Proof.
have d0 : forall i, 0 <= triangle_law R 0 i by case: (triangle_law_law R).
by have [] := thm_4_6 d0 (negdef_unitmx (@prop_4_1_instance R)).
Qed.

(* θ→2θ, γ = 5/6, TD(0), reward 1 on leaving the first state: all assumptions hold, A = 0, and no θ has Aθ + b = 0. *)
Theorem thm_4_6_stated_refuted (R : realFieldType) :
  exists (P P_mu : 'M[R]_2) (d : 'rV[R]_2) (Phi : 'M[R]_(2, 1)) (r : 'cV[R]_2) (N := (5%:R / 6%:R) *: P),
    [/\ stochastic P, stochastic P_mu /\ irreducible P_mu, law P_mu d, full_column_rank Phi &
        forall theta, keyA d N Phi (schedule [::]) 0 *m theta + keyb d N r Phi (schedule [::]) 0 != 0].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: 2%:R]].
exists (to_second R), (even R), (flip_law R), Phi, (mx 2 1 [:: [:: 1]; [:: 0]]) => N.
split; [exact: to_second_stochastic | split | exact: even_law_law | | ].
- exact: even_stochastic.
- exact: even_irreducible.
- by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
move=> theta; have -> : keyA (flip_law R) N Phi (schedule [::]) 0 = 0.
  by rewrite /keyA M0 // mul_mx_diag -mulmxA /N; by_entries.
rewrite mul0mx add0r; apply/eqP => /matrixP/(_ 0 0).
rewrite /keyb trace_sum0 mul1mx mul_mx_diag; expand => /eqP.
by rewrite !(mul0r, mulr0, mul1r, mulr1, addr0) invr_eq0 pnatr_eq0.
Qed.

(* Almost-sure convergence. Any observations, any ratio ρ of mean 1 where d is positive, any discount of the transitions. *)
Section Observations.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma rho reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (theta0 w0 : 'cV[R]_m).
Let N := kernel_of state q (fun i o => gamma i o * rho i o).
Let A := keyA d N Phi lam L.
Let b := keyb d N (mean_reward q (fun i o => rho i o * reward i o)) Phi lam L.
Let C := keyC d Phi.
Let iterates := tdc state Phi lam gamma rho reward alpha beta theta0 w0.

Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Hypothesis rho_mean : forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1.
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis A_unit : A \in unitmx.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_square : summable (fun t => beta t ^+ 2).

Theorem thm_4_6_corrected_observations : tends_to (fun t => alpha t / beta t) 0 ->
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
move=> ratio; have d0 : forall i, 0 <= d 0 i by case: (limit_law P_stochastic P_limit).
have Cpos := A_nonsingular_C_posdef d0 A_unit.
have Bpos : posdef (A^T *m invmx C *m A).
  by move=> x x0; rewrite -oppr_lt0 -formN; apply: (proj2 (thm_4_6_negative_definite A (keyC_sym d Phi) Cpos) A_unit).
have [c c0 C_margin] := posdef_margin Cpos; have [B B0 B_margin] := posdef_margin Bpos.
have [k k0 F_bound] := form_upper (tdc_cross A C 1 *m (tdc_cross A C 1)^T).
have [K2 K20 K2_bound] := form_upper (invmx C *m A *m (A^T + C)).
pose K1 := 1 + k; have kK1 : k <= K1 ^+ 2.
  by rewrite -subr_ge0 (_ : _ - _ = 1 + k + k ^+ 2) ?addr_ge0 ?ler01 ?sqr_ge0 ?(ltW k0) // /K1; ring.
have s0 : 0 < K1 ^+ 2 / (B * 1) + 2%:R * K2.
  by apply: addr_gt0; [rewrite divr_gt0 ?mulr1 // exprn_gt0 // addr_gt0 ?ltr01 | rewrite mulr_gt0 ?ltr0n].
have [N1 small] := ratio _ (divr_gt0 c0 s0).
apply: (time_scale_ratio_suffices_observations _ _ _ P_stochastic q_observes init_distribution P_limit rho_mean
  lam_finite A_unit alpha_gt0 alpha_diverges alpha_square beta_gt0 beta_square (K1 := K1) (N1 := N1) c0 B0 ltr01
  C_margin B_margin _ K2_bound
  (eps := c / (K1 ^+ 2 / (B * 1) + 2%:R * K2))).
- move=> x; apply: le_trans (_ : k * dot x x <= _); last by rewrite ler_wpmul2r ?dot_ge0.
  by apply: le_trans (F_bound x); rewrite /dot /form trmx_mul trmxK !mulmxA.
- by rewrite divfK ?gt_eqF // ltr_pmull // ltr1n.
move=> t /small; rewrite subr0 ger0_norm ?divr_ge0 ?(ltW (alpha_gt0 t)) ?(ltW (beta_gt0 t)) // ltr_pdivr_mulr //.
exact: ltW.
Qed.
End Observations.

(* A decision process, behaviour policy μ, target policy π. *)
Section OffPolicy.
Variables (R : realFieldType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha beta : nat -> R) (theta0 w0 : 'cV[R]_m).
Let N := gamma *: policy_kernel p pi.
Let A := keyA d N Phi lam L.
Let b := keyb d N (policy_reward p pi r) Phi lam L.
Let C := keyC d Phi.
Let iterates := tdc snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0.

Hypothesis p_stochastic : forall a, stochastic (p a).
Hypothesis mu_policy : policy mu.
Hypothesis pi_policy : policy pi.
Hypothesis mu_covers : covers d mu pi.
Hypothesis init_distribution : distribution init.
Hypothesis mu_limit : forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j).
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis A_unit : A \in unitmx.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_square : summable (fun t => beta t ^+ 2).

(* α_t/β_t → 0: θ_t → −A⁻¹b and w_t → 0 almost surely. *)
Theorem thm_4_6_corrected : tends_to (fun t => alpha t / beta t) 0 ->
  almost_surely (observation_kernel snd (behave p mu) init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
have d_law := limit_law (policy_stochastic p_stochastic mu_policy) mu_limit.
move: A_unit; rewrite /A /b /N -(target_A_const p_stochastic mu_policy mu_covers Phi d_law lam_finite)
  -(target_b_const p_stochastic mu_policy mu_covers L Phi lam d_law) => uA.
exact: (thm_4_6_corrected_observations _ _ _ (policy_stochastic p_stochastic mu_policy)
  (behave_observes p_stochastic mu_policy) init_distribution mu_limit (ratio_mean p_stochastic mu_covers pi_policy)
    lam_finite uA
  alpha_gt0 alpha_diverges alpha_square beta_gt0 beta_square).
Qed.
End OffPolicy.

(* On-policy, as printed. *)
Section OnPolicy.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha beta : nat -> R) (theta0 w0 : 'cV[R]_m).
Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) (mean_reward q reward) Phi lam L.

Theorem thm_4_6_printed_on_policy :
  (* the policy's chain, what is observed of it, the law of the first observation *)
  stochastic P -> irreducible P -> observes state P q -> distribution init ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  (* Assumptions 1, 2, 3, 5 *)
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  full_column_rank Phi ->
  (forall t, 0 < beta t) -> diverges beta -> summable (fun t => beta t ^+ 2) -> tends_to (fun t => alpha t / beta t) 0
    ->
  (* θ_t → −A⁻¹b and w_t → 0 almost surely *)
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b)
    (tdc state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward alpha beta theta0 w0 h)).
Proof.
move=> P_st irr obs init1 g01 lam01 fin a0 a_div a_sq lim rank b0 _ b_sq ratio.
have uA : A \in unitmx := negdef_unitmx (prop_4_1 P_st (limit_law P_st lim) lam01 fin g01 irr rank).
rewrite /A /b -(one_kernel obs) -one_reward in uA *.
exact: (thm_4_6_corrected_observations _ _ _ P_st obs init1 lim (fun i di => one_mean P_st obs di) fin uA a0 a_div a_sq b0 b_sq ratio).
Qed.
End OnPolicy.

(* Two time scales from any β with Σβ_t = ∞: α_t = β_t/(1 + β_0 + … + β_t) has Σα_t = ∞ too, and α_t/β_t → 0 (Abel and
   Dini). *)
Section SlowSteps.
Variables (R : realFieldType) (beta : nat -> R).
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_diverges : diverges beta.
Definition slow t : R := beta t / (1 + \sum_(0 <= i < t.+1) beta i).

Let sum_ge0 a c : 0 <= \sum_(a <= i < c) beta i. Proof. by apply: sumr_ge0 => i _; apply: ltW. Qed.
Let total_gt0 t : 0 < 1 + \sum_(0 <= i < t) beta i. Proof. by rewrite ltr_paddr ?ltr01. Qed.
Let total_le s t : (s <= t)%N -> 1 + \sum_(0 <= i < s) beta i <= 1 + \sum_(0 <= i < t) beta i.
Proof. by move=> st; rewrite (@big_cat_nat _ _ _ s 0 t) //= addrA ler_addl. Qed.

Lemma slow_gt0 t : 0 < slow t.
Proof. exact: divr_gt0. Qed.

Lemma slow_square : summable (fun t => beta t ^+ 2) -> summable (fun t => slow t ^+ 2).
Proof.
apply: (@summable_le _ 0) => t; rewrite ?sqr_ge0 // => _.
rewrite ler_sqr ?nnegrE ?(ltW (slow_gt0 t)) ?(ltW (beta_gt0 t)) // ler_pdivr_mulr // ler_pemulr ?(ltW (beta_gt0 t)) //.
by rewrite ler_addl.
Qed.

Lemma slow_ratio : tends_to (fun t => slow t / beta t) 0.
Proof.
move=> eps eps0; have [N [_ big]] := beta_diverges eps^-1 0%N; exists N => t Nt.
rewrite subr0 /slow mulrAC divff ?gt_eqF // mul1r ger0_norm ?invr_ge0 ?(ltW (total_gt0 _)) //.
rewrite -[eps]invrK ltf_pinv ?posrE ?invr_gt0 //; apply: le_lt_trans big _.
by rewrite -[X in X < _]add0r; apply: ltr_le_add; [apply: ltr01 | rewrite -(ler_add2l 1) total_le // ltnW].
Qed.

Lemma slow_diverges : Num.archimedean_axiom R -> diverges slow.
Proof.
move=> archi; apply: (@diverges_blocks _ _ 2%:R^-1) => // [t||N]; [exact: ltW (slow_gt0 t) | by rewrite invr_gt0 ltr0n
  |].
have [k [Nk big]] := beta_diverges (1 + \sum_(0 <= i < N) beta i) N; exists k => //.
set B := \sum_(N <= t < k) beta t in big; pose T := 1 + \sum_(0 <= i < k) beta i.
have TE : T = 1 + \sum_(0 <= i < N) beta i + B by rewrite /T (@big_cat_nat _ _ _ N 0 k) //= addrA.
apply: (@le_trans _ _ (B / T)).
  by rewrite ler_pdivl_mulr ?total_gt0 // mulrC ler_pdivr_mulr ?ltr0n // TE mulr_natr mulr2n ler_add2r.
rewrite /B mulr_suml big_nat [leRHS]big_nat; apply: ler_sum => t /andP[_ tk].
by rewrite /slow /T ler_pmul2l // lef_pinv ?posrE // total_le.
Qed.
End SlowSteps.

(* θ→2θ with γ = 9/10, TD(0), on two time scales: β_t = 1/(t + 1), α_t = β_t/(1 + β_0 + … + β_t). *)
Theorem thm_4_6_instance_two_time_scales (R : realFieldType) (init : 'I_2 * 'I_2 -> R) (theta0 w0 : 'cV[R]_1)
    (gamma := 9%:R / 10%:R : R) (beta := fun t : nat => 1 / (t%:R + 1) : R) : Num.archimedean_axiom R -> distribution
      init ->
  almost_surely (observation_kernel snd (behave (go_to R) (evenly R)) init)
    (fun h => distance2 (- (5%:R / 2%:R))%:M (tdc snd (two_features R) (schedule [::]) (fun=> fun=> gamma)
       (ratio (evenly R) (second R)) (leaving_first R) (slow beta) beta theta0 w0 h)).
Proof.
move=> archi init1; have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
have b0 t : 0 < beta t := harmonic_gt0 ltr01 ltr01 t; have b_div : diverges beta := harmonic_diverges archi ltr01 ltr01.
have b_sq : summable (fun t => beta t ^+ 2) := harmonic_square archi ltr01 ltr01.
rewrite -nine_tenths_rest.
exact: (@thm_4_6_corrected _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (@go_to_stochastic R) (evenly_policy R) (second_policy R)
  (@evenly_covers R _) init1 (@evenly_limit R) fin (nine_tenths_unit R) (slow_gt0 b0) (slow_diverges b0 b_div archi)
  (slow_square b0 b_sq) b0 b_sq (slow_ratio b0 b_div)).
Qed.
