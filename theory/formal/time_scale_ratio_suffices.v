(* time_scale_ratio_suffices — beyond the paper: TDC needs two time scales no further than a bound on their ratio.

   Statement: θ_t of TDC(λ)-schedule converges to −A⁻¹b, and w_t to 0, almost surely, if A is nonsingular and
       limsup α_t/β_t < ε̄ = 2c/(K₁²/(Bτ) + 2K₂)   for some τ > 0,
   where, with K = C⁻¹A,
       c|x|² ≤ xᵀCx,  B|x|² ≤ xᵀAᵀC⁻¹Ax,  |(KAᵀC⁻¹A − τ(A + C))ᵀx| ≤ K₁|x|,  xᵀK(Aᵀ + C)x ≤ K₂|x|².
   Assumption 5 asks for α_t/β_t → 0. Neither α nor β has to be regular, nor α/β monotone or convergent.
   Reading: the algorithm as printed [OffPolicy.tdc], along one path of the behaviour chain; A, b of the target policy
   with D of the behaviour policy.
   Hypotheses: μ covers π where d is positive; lim P_μ(s_t = j | s_0 = i) = d(j) (Assumption 2 for μ); α_t, β_t > 0 deterministic, Σα_t = ∞,
   Σα_t² < ∞, Σβ_t² < ∞; λ_j = 0 for j > L. Any θ_0, w_0, any law of the first observation, any γ and λ_j. Σβ_t = ∞ is
   not used.
   [time_scale_ratio_suffices_ablation_ratio]: without a bound on the ratio it is false. One state, φ = 1, γ = ½,
     λ_1 = −3: A = 1/4, C = 1, so that α_t < 4β_t is needed in the mean, and ε̄ = 16/5 (τ = 1/5, K₁ = 0). With
     α_t = 10β_t, whatever the β_t > 0 are, V = θ² − 18θw + 104w² never falls, for
       V(next) − V = (β/2)(θ² + 34w²) + β²V(10(θ − 5w)/4, (θ − 4w)/4).
   "Almost surely": for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² + |w_t|² ≥ ε) ≤ δ for every T ≥ N
   [almost_surely]; and with probability one on every probability space that carries the process (ProbabilityOne.v). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices KeyMatricesInstances Lyapunov Examples.
From TD Require Import prop_4_1 thm_4_4_g_negative_definite.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Policies TwoTimeScales
  GradientSA OffPolicy Steps Refuted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

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

(* α_t ≤ εβ_t from some t on, ε < 2c/(K₁²/(Bτ) + 2K₂) *)
Theorem time_scale_ratio_suffices_observations (c B K1 K2 tau eps : R) (N1 : nat) : 0 < c -> 0 < B -> 0 < tau ->
  (forall x, c * dot x x <= form C x) -> (forall x, B * dot x x <= form (A^T *m invmx C *m A) x) ->
  (forall x, dot ((tdc_cross A C tau)^T *m x) ((tdc_cross A C tau)^T *m x) <= K1 ^+ 2 * dot x x) ->
  (forall x, form (invmx C *m A *m (A^T + C)) x <= K2 * dot x x) ->
  eps * (K1 ^+ 2 / (B * tau) + 2%:R * K2) < 2%:R * c -> (forall t, (N1 <= t)%N -> alpha t <= eps * beta t) ->
  almost_surely (observation_kernel state q init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
along_paths.
move=> c0 B0 tau0 C_margin B_margin K1_bound K2_bound eps_small ratio; have d_law := limit_law P_stochastic P_limit.
have d0 : forall i, 0 <= d 0 i by case: d_law.
apply: (tdc_convergence P_stochastic q_observes init_distribution d_law P_limit
  (td_matrix_local _ _ gamma rho lam_finite) (@C_of_local _ _ _ _ state Phi L) (td_vector_local _ _ gamma rho reward
    lam_finite)
  (td_matrix_mean Phi init P_stochastic q_observes d_law lam_finite gamma rho_mean) (feature_mean Phi init P_stochastic q_observes
    d_law L)
  (td_vector_mean Phi init q_observes d_law lam_finite gamma rho reward) (keyC_sym d Phi) (A_nonsingular_C_posdef d0
    A_unit)
    A_unit
  alpha_gt0 alpha_diverges alpha_square _ c0 B0 tau0 C_margin B_margin K1_bound K2_bound beta_gt0 beta_square
    eps_small ratio
  (theta := fun h => (iterates h).1) (w := fun h => (iterates h).2)) => *.
- exact: tdc_wE.
exact: tdc_thetaE.
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

(* limsup α_t/β_t < 2c/(K₁²/(Bτ) + 2K₂): θ_t → −A⁻¹b and w_t → 0 almost surely. *)
Theorem time_scale_ratio_suffices (c B K1 K2 tau eps : R) (N1 : nat) : 0 < c -> 0 < B -> 0 < tau ->
  (forall x, c * dot x x <= form C x) -> (forall x, B * dot x x <= form (A^T *m invmx C *m A) x) ->
  (forall x, dot ((tdc_cross A C tau)^T *m x) ((tdc_cross A C tau)^T *m x) <= K1 ^+ 2 * dot x x) ->
  (forall x, form (invmx C *m A *m (A^T + C)) x <= K2 * dot x x) ->
  eps * (K1 ^+ 2 / (B * tau) + 2%:R * K2) < 2%:R * c -> (forall t, (N1 <= t)%N -> alpha t <= eps * beta t) ->
  almost_surely (observation_kernel snd (behave p mu) init) (fun h => distance2 (- invmx A *m b) (iterates h)).
Proof.
have d_law := limit_law (policy_stochastic p_stochastic mu_policy) mu_limit.
move: A_unit; rewrite /A /b /N -(target_A_const p_stochastic mu_policy mu_covers Phi d_law lam_finite)
  -(target_b_const p_stochastic mu_policy mu_covers L Phi lam d_law) => uA.
exact: (time_scale_ratio_suffices_observations _ _ _ (policy_stochastic p_stochastic mu_policy)
  (behave_observes p_stochastic mu_policy) init_distribution mu_limit (ratio_mean p_stochastic mu_covers pi_policy)
    lam_finite uA
  alpha_gt0 alpha_diverges alpha_square beta_gt0 beta_square).
Qed.
End OffPolicy.

(* θ→2θ with γ = 9/10, TD(0): A = 1/5, C = 5/2, b = 1/2. With β_t = 1/(t + 1) and α_t = 10β_t, TDC goes to θ* = −5/2
   from anywhere:
   c = 5/2, B = 2/125, τ = 8/(27·625), K₁ = 0, K₂ = 27/125, and 2c/(K₁²/(Bτ) + 2K₂) = 625/54 > 10. *)
Theorem time_scale_ratio_suffices_instance (R : realFieldType) (init : 'I_2 * 'I_2 -> R) (theta0 w0 : 'cV[R]_1)
    (gamma := 9%:R / 10%:R : R) (beta := fun t : nat => 1 / (t%:R + 1) : R) (alpha := fun t : nat => 10%:R / (t%:R +
      1) : R) :
  Num.archimedean_axiom R -> distribution init ->
  almost_surely (observation_kernel snd (behave (go_to R) (evenly R)) init)
    (fun h => distance2 (- (5%:R / 2%:R))%:M (tdc snd (two_features R) (schedule [::]) (fun=> fun=> gamma)
       (ratio (evenly R) (second R)) (leaving_first R) alpha beta theta0 w0 h)).
Proof.
move=> archi init1; have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
have formE a (x : 'cV[R]_1) : form a%:M x = a * dot x x by rewrite /form mul_mx_scalar -scalemxAl mxE.
have a10 : 0 < 10%:R :> R by rewrite ltr0n.
rewrite -nine_tenths_rest.
apply: (@time_scale_ratio_suffices _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (@go_to_stochastic R) (evenly_policy R)
  (second_policy R)
  (@evenly_covers R _) init1 (@evenly_limit R) fin _ (fun t => harmonic_gt0 a10 ltr01 t) (harmonic_diverges archi a10
    ltr01)
  (harmonic_square archi a10 ltr01) (fun t => harmonic_gt0 ltr01 ltr01 t) (harmonic_square archi ltr01 ltr01)
  (5%:R / 2%:R) (2%:R / 125%:R) 0 (27%:R / 125%:R) (8%:R / (27%:R * 625%:R)) 10%:R 0).
- exact: nine_tenths_unit.
- by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
- by move=> x; rewrite two_features_C formE.
- move=> x; rewrite nine_tenths_A two_features_C tr_scalar_mx invmx_scalar -!scalar_mxM formE; apply/eqW; congr (_ * _).
  by field; rewrite ?pnatr_eq0.
- move=> x; rewrite /tdc_cross nine_tenths_A two_features_C tr_scalar_mx invmx_scalar -!scalar_mxM -raddfD
    scale_scalar_mx
    -raddfB /= (_ : _ - _ = 0).
    by rewrite raddf0 trmx0 mul0mx /dot mulmx0 mxE expr0n mul0r.
  by field; rewrite ?pnatr_eq0.
- move=> x; rewrite nine_tenths_A two_features_C tr_scalar_mx invmx_scalar -raddfD -!scalar_mxM formE; apply/eqW;
    congr (_ * _).
  by field; rewrite ?pnatr_eq0.
- rewrite expr0n mul0r add0r -subr_gt0.
  have -> : 2%:R * (5%:R / 2%:R) - 10%:R * (2%:R * (27%:R / 125%:R)) = 17%:R / 25%:R :> R by field; rewrite ?pnatr_eq0.
  by rewrite divr_gt0 ?ltr0n.
by move=> t _; rewrite mulrA mulr1.
Qed.

(* One state, A = 1/4 > 0, α_t = 10β_t. *)
Section TooFast.
Variables (R : realFieldType) (beta : nat -> R).
Hypothesis beta_gt0 : forall t, 0 < beta t.
Let lam : nat -> R := schedule [:: - 3%:R].
Let Phi : 'M[R]_1 := mx 1 1 [:: [:: 1]].
Let half (i o : 'I_1) : R := 2%:R^-1.
Let one (i o : 'I_1) : R := 1.
Let zero (i o : 'I_1) : R := 0.
Let alpha t := 10%:R * beta t.
Let x := tdc (fun i => i) Phi lam half one zero alpha beta (mx 1 1 [:: [:: 1]]) 0.
Let K := observation_kernel (fun i => i) one (fun=> 1).
Let V (y : 'cV[R]_1 * 'cV[R]_1) := y.1 0 0 ^+ 2 - 18%:R * y.1 0 0 * y.2 0 0 + 104%:R * y.2 0 0 ^+ 2.
Let fin : finite_schedule 1 lam. Proof. exact: schedule_of_size. Qed.

Let A_first (a b : 'I_1) : A_of (fun i => i) Phi lam half one [:: a; b] = (- 2%:R^-1)%:M.
Proof.
rewrite /A_of /td_matrix (td_trace_finite _ _ _ _ fin) !big_nat_recr ?big_geq //= c0 !ord1.
by rewrite /half /one !(add0r, scaler0, addr0) mulr1 scale1r; by_entries.
Qed.
Let A_later (a b c : 'I_1) h : A_of (fun i => i) Phi lam half one [:: a, b, c & h] = 4%:R^-1%:M.
Proof.
rewrite /A_of /td_matrix (td_trace_finite _ _ _ _ fin) !big_nat_recr ?big_geq //= ?big_nat_recr ?big_geq //= cS
  c0 !ord1.
by rewrite /half /one; by_entries.
Qed.
Let b_of0 h : b_of (fun i => i) Phi lam half one zero h = 0.
Proof. by case: h => [|a [|b h]]; rewrite /b_of /td_vector /= ?mul1r ?mulr0 scale0r. Qed.
Let C_of1 (a b : 'I_1) h : C_of (fun i => i) Phi [:: a, b & h] = 1%:M.
Proof. by rewrite /C_of /= !ord1; by_entries. Qed.

Let V_step (t w be : R) : let t' := t + 10%:R * be * (4%:R^-1 * t - 4%:R^-1 * w - w) in
  let w' := w + be * (4%:R^-1 * t - w) in
  t' ^+ 2 - 18%:R * t' * w' + 104%:R * w' ^+ 2 - (t ^+ 2 - 18%:R * t * w + 104%:R * w ^+ 2)
  = be / 2%:R * (t ^+ 2 + 34%:R * w ^+ 2)
    + be ^+ 2 * ((10%:R / 4%:R * (t - 5%:R * w) - 9%:R / 4%:R * (t - 4%:R * w)) ^+ 2
                 + 23%:R / 16%:R * (t - 4%:R * w) ^+ 2).
Proof. by move=> /=; field. Qed.

(* one update, in numbers; A(X_t) = A0 *)
Let update a b h A0 (t := (x (b :: h)).1 0 0) (w := (x (b :: h)).2 0 0) :
  A_of (fun i => i) Phi lam half one [:: a, b & h] = A0%:M ->
  (x [:: a, b & h]).1 0 0 = t + 10%:R * beta (size h) * (A0 * t - A0 * w - w) /\
  (x [:: a, b & h]).2 0 0 = w + beta (size h) * (A0 * t - w).
Proof.
move=> AE; split.
  rewrite {1}/x tdc_thetaE -/x AE C_of1 b_of0 addr0 tr_scalar_mx mul1mx !mul_scalar_mx /t /w.
  by move: (x _) => [T W]; rewrite !mxE.
rewrite {1}/x tdc_wE -/x AE C_of1 b_of0 addr0 mul1mx !mul_scalar_mx /t /w.
by move: (x _) => [T W]; rewrite !mxE.
Qed.

Let V_grows a b c h : V (x [:: b, c & h]) <= V (x [:: a, b, c & h]).
Proof.
have [E1 E2] := update (A_later a b c h); rewrite -subr_ge0 /V E1 E2.
move: (x _) (beta_gt0 (size (c :: h))) => [T W] /=; move: (T 0 0) (W 0 0) (beta _) => t w be be0.
have := V_step t w be; cbv zeta => ->.
have square (k : R) y : 0 <= k -> 0 <= k * y ^+ 2 by move=> k0; rewrite mulr_ge0 ?sqr_ge0.
apply: addr_ge0; apply: mulr_ge0; [by rewrite divr_ge0 ?ler0n ?(ltW be0) | | exact: sqr_ge0 |].
  by apply: addr_ge0; [exact: sqr_ge0 | apply: square; rewrite ler0n].
by apply: addr_ge0; [exact: sqr_ge0 | apply: square; rewrite divr_ge0 ?ler0n].
Qed.

Let V_first a b : 23%:R / 4%:R * beta 0 ^+ 2 <= V (x [:: a; b]).
Proof.
have [E1 E2] := update (A_first a b); rewrite -subr_ge0 /V E1 E2 /= !mxE /=; move: (beta 0%N) => be.
set v := (X in 0 <= X); have -> : v = (1 - 2%:R^-1 * be) ^+ 2 by rewrite /v; field.
exact: sqr_ge0.
Qed.

Let V_late h : (1 < size h)%N -> 23%:R / 4%:R * beta 0 ^+ 2 <= V (x h).
Proof.
case: h => [|a [|b h]] // _; elim: h a b => [|c h IH] a b; first exact: V_first.
by apply: le_trans (IH b c) _; apply: V_grows.
Qed.

Let V_le y : V y <= 113%:R * distance2 0 y.
Proof.
rewrite /distance2 subr0 /V !dotE !big_ord1; move: (y.1 0 0) (y.2 0 0) => t w; rewrite -subr_ge0.
have -> : 113%:R * (t * t + w * w) - (t ^+ 2 - 18%:R * t * w + 104%:R * w ^+ 2)
  = 103%:R * t ^+ 2 + 9%:R * (t + w) ^+ 2 by ring.
by apply: addr_ge0; rewrite mulr_ge0 ?sqr_ge0 ?ler0n.
Qed.

Theorem time_scale_ratio_suffices_ablation_ratio :
  [/\ keyA (mx 1 1 [:: [:: 1]]) (2%:R^-1 *: mx 1 1 [:: [:: 1]]) Phi lam 1 = 4%:R^-1%:M,
      keyb (mx 1 1 [:: [:: 1]]) (2%:R^-1 *: mx 1 1 [:: [:: 1]]) 0 Phi lam 1 = 0,
      forall t, alpha t = 10%:R * beta t & ~ tends_to_zero_as K (fun h => distance2 0 (x h))].
Proof.
split=> //.
- by rewrite /Phi /lam (_ : 4%:R^-1%:M = mx 1 1 [:: [:: 4%:R^-1]]); [by_key | by_entries].
- by rewrite /keyb !mulmx0 ?mul0mx.
have e0 : 0 < 23%:R / 4%:R * beta 0 ^+ 2 / 113%:R by rewrite !(divr_gt0, mulr_gt0) ?exprn_gt0 ?ltr0n.
have K_kernel : kernel K by split=> [[|o h] s|[|o h]]; rewrite /K /= /one ?ler01 // big_ord1.
apply: (visits_all K_kernel e0) => N; exists (maxn N 2) => [|h hN]; first exact: leq_maxl.
have far : above (fun h => distance2 0 (x h)) N (23%:R / 4%:R * beta 0 ^+ 2 / 113%:R) h.
  rewrite /above hN leq_maxl /= ler_pdivr_mulr ?ltr0n //; apply: (@le_trans _ _ (V (x h))).
    by apply: V_late; rewrite hN leq_maxr.
  by rewrite [_ * 113%:R]mulrC; apply: V_le.
by case: h far {hN} => [|a h] /= ->.
Qed.
End TooFast.
