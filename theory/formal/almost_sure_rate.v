(* almost_sure_rate — beyond the paper: how fast, and from when on for ever.

   Statement: for θ ← θ + α_t(G(X_t)θ + f(X_t)) with α_t = a/(t + t_0) and ca > 1, x_t = θ_t − θ*, V(x) = xᵀQx
       E V(x_t) ≤ 6(M + κ_0)/(t + t_0)
       P(some t ≥ N has V(x_t) ≥ ε) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1))   for N + t_0 − 1 ≥ 1200κ_0, ε(N + t_0)² ≥ 12κ_0.
   [almost_sure_rate_mean_square], [almost_sure_rate_any_time], [almost_sure_rate_any_time_every_space]
   Hypotheses: 2⟨x, Ḡx⟩_Q ≤ −cV(x); G, f, Ḡ and the solutions of the Poisson equations g(h) = E_h[G(s :: h) − Ḡ + g(s
     :: h)],
   f̂(h) = E_h[f(s :: h) + f̂(s :: h)] from time N_0 on, all bounded by γ_0 in V; V(x_{N_0}) ≤ B;
     numbers κ_0, M with
   γ_0a² ≤ κ_0, γ_0a² ≤ κ_0², s_0 = N_0 + t_0 ≥ ca, (ca − 1)s_0 ≥ 1200κ_0, s_0² ≥ 6κ_0, (ca − 1)M ≥ 1200κ_0,
   M ≥ 3(2B + κ_0/s_0²)s_0.
   TD(λ)-schedule by name: some κ has
       E|θ_t − θ*|² ≤ κ/(t + t_0) for every t,
       P(some t ≥ N has |θ_t − θ*|² ≥ ε) ≤ κ/(ε(N + t_0)) for all N and ε > 0,
   θ* = −A⁻¹b, for every a, t_0 > 0 with ca > 1, where xᵀ(A + Aᵀ)x ≤ −c|x|², from every θ_0 and law of the first observation;
   along paths of finite length, and on every probability space that carries the process [rate of Rates.v]:
   [almost_sure_rate_td]           on-policy as in thm_4_3, on an irreducible chain of any period; some such c > 0 exists
   [almost_sure_rate_transitions]  the same with a discount for every transition
   [almost_sure_rate_without_end]  the same with λ_j ∈ [0,1] without an end
   [almost_sure_rate_fading]       off-policy or with discounts by transition, λ_j without an end, where |λ_jγρ| ≤ β < 1
   [almost_sure_rate_off_policy]   where μ covers π at the recurrent states, which are one class; here and above c may be that of any weight Q
   No equation is assumed to have a solution there; κ is not computed.
   [almost_sure_rate_instance]: TD(0) on two states, with numbers. [almost_sure_rate_instance_flip]: TD(0) on two states that
   alternate.
   ca > 1 is needed, and so are steps of order 1/t. TD(0), φ = 1, γ = ½, every state of two drawn evenly, reward 1 on
   leaving the first, θ_0 = 0; θ* = 1 and c = 1:
   [almost_sure_rate_ablation_drift]     α_t = a/(t + t_0), a ≤ 1 ≤ t_0: (t + t_0 − 1) E(θ_t − 1)² is at least
                                         (a²/4) Σ_{i<t} 1/(i + t_0), so no K has E(θ_t − 1)² ≤ K/(t + t_0) for all t
   [almost_sure_rate_ablation_exponent]  α_t ≤ 1 non-increasing: E(θ_t − 1)² ≥ α_t/4 for all t.
   Reading: in [almost_sure_rate_any_time] P is over paths of any length T ≥ N, and the bound does not depend on T; in the
   third theorem it is that of any probability space that carries the process, over all times at once. 600 is the constant
   of OneStep.v. The field is Archimedean where a theorem says that some κ exists. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Examples Limits Lyapunov KeyMatrices prop_4_1 episodic_discount.
From TD Require Import Paths Sequences OneStep Convergence ProbabilityOne Mixing Markov LinearSA Windows Policies OffPolicy Fading
  Steps thm_4_3 schedules_without_end Refuted step_ablations Regular Rates regular_steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rate.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Variables (x : seq S -> 'cV[R]_m) (G : seq S -> 'M[R]_m) (f : seq S -> 'cV[R]_m) (Gb : 'M[R]_m).
Variables (gh : seq S -> 'M[R]_m) (fh : seq S -> 'cV[R]_m) (N0 : nat) (a t0 c g k0 M B : R).
Let s t : R := t%:R + t0.
Let alpha t := harmonic a t0 t.-1.

Hypothesis x_step : forall o h, x (o :: h) = x h + alpha (size h) *: (G (o :: h) *m x h + f (o :: h)).
Hypothesis mean_descends : forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (Gb *m y) <= - c * V y.
Hypothesis g_poisson : forall h, (N0 < size h)%N -> cond K (fun h => G h - Gb + gh h) h = gh h.
Hypothesis f_poisson : forall h, (N0 < size h)%N -> cond K (fun h => f h + fh h) h = fh h.
Hypothesis G_le : forall h (y : 'cV[R]_m), V (G h *m y) <= g * V y.
Hypothesis f_le : forall h, V (f h) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis gh_le : forall h (y : 'cV[R]_m), V (gh h *m y) <= g * V y.
Hypothesis fh_le : forall h, V (fh h) <= g.
Hypothesis start : forall h, size h = N0.+1 -> V (x h) <= B.

Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < c * a.
Hypothesis k0_gt0 : 0 < k0.
Hypothesis k0_le : g * a ^+ 2 <= k0.
Hypothesis k0_le2 : g * a ^+ 2 <= k0 ^+ 2.
Hypothesis s0_ca : c * a <= s N0.
Hypothesis s0_q : 1200%:R * k0 <= (c * a - 1) * s N0.
Hypothesis s0_k : 6%:R * k0 <= s N0 ^+ 2.
Hypothesis M_q : 1200%:R * k0 <= (c * a - 1) * M.
Hypothesis M_start : 3%:R * (2%:R * B + k0 / s N0 ^+ 2) * s N0 <= M.

Let kap t := k0 / s t.-1 ^+ 2.
Let s_gt0 t : 0 < s t. Proof. by rewrite ltr_paddl ?ler0n. Qed.
Let g_ge0 : 0 <= g. Proof. by apply: le_trans (fh_le [::]); apply: Q_ge0. Qed.
Let s_le t : (N0 < t)%N -> s N0 <= s t.-1. Proof. by case: t => // t Nt; rewrite ler_add2r ler_nat. Qed.
Let kap_gt0 t : 0 < kap t. Proof. by rewrite divr_gt0 // exprn_gt0. Qed.
Let kap6 t : (N0 < t)%N -> 6%:R * kap t <= 1.
Proof.
move=> Nt; rewrite mulrA ler_pdivr_mulr ?exprn_gt0 // mul1r; apply: le_trans s0_k _.
by rewrite ler_sqr ?nnegrE ?(ltW (s_gt0 _)) // s_le.
Qed.
Let kap_now t : g * alpha t ^+ 2 <= kap t. Proof. exact: harmonic_now. Qed.
Let kap_next t : g * alpha t.+1 ^+ 2 <= kap t. Proof. exact: harmonic_next. Qed.
Let kap_variation t : g * (alpha t.+1 - alpha t) ^+ 2 <= kap t ^+ 2.
Proof.
apply: le_trans (ler_wpmul2l g_ge0 (harmonic_variation_le a_gt0 t0_gt0 t)) _.
by rewrite -/(s t.-1) /kap !expr_div_n mulrA ler_pmul2r ?invr_gt0 ?exprn_gt0.
Qed.
Let c01 t : (N0 < t)%N -> 0 <= c * a / s t.-1 <= 1.
Proof.
move=> Nt; have c0 : 0 <= c * a by rewrite ltW // (lt_trans ltr01).
by rewrite divr_ge0 ?(ltW (s_gt0 _)) //= ler_pdivr_mulr // mul1r (le_trans s0_ca) // s_le.
Qed.
Let drift t (y : 'cV[R]_m) : (N0 < t)%N -> V (y + alpha t *: (Gb *m y)) <= (1 - c * a / s t.-1 + kap t) * V y.
Proof.
move=> _; have -> : c * a / s t.-1 = c * alpha t by rewrite /alpha /harmonic mulrA.
exact: (descent_drift y Q_sym Q_ge0 mean_descends Gb_le (ltW (harmonic_gt0 a_gt0 t0_gt0 _)) (kap_now t)).
Qed.
Let g_left h (y : 'cV[R]_m) : (N0 < size h)%N -> V (unsolved K alpha (fun h => G h - Gb) gh h *m y) <= kap (size h) ^+ 2 * V y.
Proof. by move=> Nh; apply: (@solved_matrix _ _ _ _ _ _ g _ K_kernel Q_sym Q_ge0 _ _ _ _ (g_poisson Nh)). Qed.
Let f_left h : (N0 < size h)%N -> V (unsolved K alpha f fh h) <= kap (size h) ^+ 2.
Proof. by move=> Nh; apply: (@solved _ _ _ _ _ _ g _ K_kernel Q_sym Q_ge0 _ _ _ (f_poisson Nh)). Qed.

Let v_step h (Nh : (N0 < size h)%N) := poisson_step K_kernel Q_sym Q_ge0 x_step g_left f_left G_le f_le Gb_le gh_le fh_le
  c01 kap_gt0 kap_now kap_next drift Nh (kap6 Nh).
Let state h (Nh : (N0 < size h)%N) := state_le Q_sym Q_ge0 x gh_le fh_le kap_now (kap6 Nh).
Let v_start h : size h = N0.+1 -> V (corrected x gh fh alpha h) <= 3%:R * (2%:R * B + k0 / s N0 ^+ 2).
Proof.
move=> hN; have Nh : (N0 < size h)%N by rewrite hN.
apply: le_trans (corrected_le Q_sym Q_ge0 x gh_le fh_le kap_gt0 kap_now (kap6 Nh)) _; rewrite /kap hN.
by rewrite ler_pmul2l ?ltr0n // ler_add2r ler_pmul2l ?ltr0n // start.
Qed.

(* E V(x_t) ≤ 6(M + κ_0)/(t + t_0) *)
Theorem almost_sure_rate_mean_square t : (N0 <= t)%N -> expect K t.+1 (fun h => V (x h)) <= 6%:R * (M + k0) / s t.
Proof. exact: (corrected_rate_mean K_kernel v_step state v_start). Qed.

(* P(V(x_t) ≥ ε for some t ≥ N) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1)) *)
Theorem almost_sure_rate_any_time N T eps : (N0 <= N <= T)%N -> 0 < eps -> 1200%:R * k0 <= s N - 1 -> 12%:R * k0 <=
  eps * s N ^+ 2 ->
  prob K T.+1 (visits (above (fun h => V (x h)) N.+1 eps)) <= 24%:R * (M + 600%:R * k0) / (eps * (s N - 1)).
Proof. exact: (corrected_rate_ever K_kernel Q_ge0 v_step state v_start). Qed.

(* The same bound for all times at once, on every probability space that carries the process *)
Theorem almost_sure_rate_any_time_every_space (W : space R) (X : nat -> Omega W -> S) N eps : has_law K X -> (N0 <= N)%N ->
  0 < eps -> 1200%:R * k0 <= s N - 1 -> 12%:R * k0 <= eps * s N ^+ 2 ->
  let ever := fun w => exists2 t, (N < t)%N & eps <= V (x (path X t w)) in
  event ever /\ Pr ever <= 24%:R * (M + 600%:R * k0) / (eps * (s N - 1)).
Proof.
move=> X_law N0N eps0 kN kE; apply: (Pr_some X_law (v := fun h => V (x h))) => -[|T] // NT.
by apply: almost_sure_rate_any_time; rewrite // N0N.
Qed.
End Rate.

(* TD by name: some κ bounds E|θ_t − θ*|² by κ/(t + t_0) and, for every N and ε, P(|θ_t − θ*|² ≥ ε for some t ≥ N) by
   κ/(ε(N + t_0)) [rate of Rates.v]; the corrections are those of the chain. *)
Section Recursion.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (gamma rho reward : 'I_n.+1 -> O -> R) (theta : seq O -> 'cV[R]_m) (Q A : 'M[R]_m) (b : 'cV[R]_m) (a t0 c : R).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis P_stochastic : stochastic P.
Hypothesis P_one_class : one_class P.
Hypothesis d_law : law P d.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_posdef : posdef Q.
Hypothesis descends : forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y.
Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < c * a.
Hypothesis theta_step : forall o h, theta (o :: h) = theta h + harmonic a t0 (size h).-1 *:
  (td_matrix state Phi lam gamma rho (o :: h) *m theta h + td_vector state Phi lam gamma rho reward (o :: h)).
Let K := observation_kernel state q init.
Let star := - invmx A *m b.

Let star_rest : A *m star + b = 0.
Proof.
suff uA : A \in unitmx by rewrite /star mulNmx mulmxN mulKVmx ?addNr.
apply/inj_unitmx => y Ay0; apply/eqP/negPn/negP => /Q_posdef Vy; have := descends y; apply/negP.
rewrite -ltNge Ay0 /dot mulmx0 mxE mulr0 mulNr oppr_lt0 mulr_gt0 //.
by rewrite -(pmulr_lgt0 _ a_gt0) (lt_trans ltr01).
Qed.

Lemma recursion_rate L : finite_schedule L lam -> (forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1) ->
  keyA d (kernel_of state q (fun i o => gamma i o * rho i o)) Phi lam L = A ->
  keyb d (kernel_of state q (fun i o => gamma i o * rho i o)) (mean_reward q (fun i o => rho i o * reward i o)) Phi lam L = b ->
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> fin rho1 EA Eb.
apply: (window_rate archi P_stochastic P_one_class q_observes d_law init_distribution Q_sym Q_posdef descends star_rest
  a_gt0 t0_gt0 ca_gt1 theta_step (td_matrix_local _ _ _ _ fin) (td_vector_local _ _ _ _ _ fin)).
  by rewrite (td_matrix_mean _ _ P_stochastic q_observes d_law fin _ rho1).
by rewrite (td_vector_mean _ _ q_observes d_law fin).
Qed.

(* λ without end, where |λ_jγρ| ≤ β < 1; S is the limit of Σ_{k ≤ K} c_kNᵏ *)
Lemma endless_rate beta (S : 'M[R]_n.+1) (N := kernel_of state q (fun i o => gamma i o * rho i o)) :
  (forall i, \sum_o q i o * rho i o = 1) -> 0 <= beta < 1 ->
  (forall j i o, (0 < j)%N -> `|lam j * (gamma i o * rho i o)| <= beta) ->
  (forall i j, tends_to (fun K => (trace_sum lam K N) i j) (S i j)) ->
  Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi = A ->
  Phi^T *m diag_mx d *m S *m mean_reward q (fun i o => rho i o * reward i o) = b ->
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> rho1 b01 g_le S_lim EA Eb.
have [B [Gw [bw [B0 GA Gb]]]] := td_fades Phi init reward P_stochastic q_observes d_law rho1 b01 g_le S_lim.
rewrite EA in GA; rewrite Eb in Gb.
exact: (fading_rate archi P_stochastic P_one_class q_observes d_law init_distribution Q_sym Q_posdef descends star_rest
  a_gt0 t0_gt0 ca_gt1 theta_step b01 B0 GA Gb).
Qed.
End Recursion.

(* xᵀ(A + Aᵀ)x ≤ −c|x|² *)
Definition descends (R : realFieldType) m (A : 'M[R]_m) (c : R) := forall x : 'cV[R]_m, form (A + A^T) x <= - c * dot x x.

Section Descends.
Variables (R : realFieldType) (m : nat) (A : 'M[R]_m).

Let descends_form x : form (A + A^T) x = 2%:R * form A x. Proof. by rewrite formD formT; ring. Qed.

Lemma negdef_descends : negdef A -> exists2 c, 0 < c & descends A c.
Proof.
move/negdefN/posdef_margin=> [r r0 margin]; exists (2%:R * r) => [|x]; first by rewrite mulr_gt0 ?ltr0n.
rewrite descends_form mulNr -mulrA -mulrN ler_pmul2l ?ltr0n // ler_oppr -formN.
exact: margin.
Qed.

Lemma descends_id c : descends A c -> forall y : 'cV[R]_m, 2%:R * dot (1%:M *m y) (A *m y) <= - c * form 1%:M y.
Proof.
move=> H y; apply: le_trans (_ : form (A + A^T) y <= _); last by rewrite form_id.
by rewrite mul1mx descends_form /form /dot mulmxA.
Qed.

Lemma id_posdef : posdef (1%:M : 'M[R]_m).
Proof. by move=> y y0; rewrite form_id dot_gt0. Qed.
End Descends.

Section OnPolicy.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (reward : 'I_n.+1 -> O -> R) (theta0 : 'cV[R]_m).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis P_stochastic : stochastic P.
Hypothesis P_irreducible : irreducible P.
Hypothesis d_law : law P d.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis Phi_rank : full_column_rank Phi.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Let K := observation_kernel state q init.
Let one := irreducible_one_class P_irreducible.

(* TD(λ)-schedule as in thm_4_3, on an irreducible chain of any period. Some c > 0 has xᵀ(A + Aᵀ)x ≤ −c|x|²; with any
   such c, steps a/(t + t_0) with ca > 1 have the rate. *)
Theorem almost_sure_rate_td L gamma (A := keyA d (gamma *: P) Phi lam L)
    (star := - invmx A *m keyb d (gamma *: P) (mean_reward q reward) Phi lam L) :
  0 <= gamma < 1 -> finite_schedule L lam ->
  (exists2 c, 0 < c & descends A c) /\
  forall c a t0, descends A c -> 0 < a -> 0 < t0 -> 1 < c * a ->
  let theta := td state Phi lam gamma reward (harmonic a t0) theta0 in
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> g01 fin; split; first exact/negdef_descends/(prop_4_1 P_stochastic d_law lam01 fin g01 P_irreducible Phi_rank).
move=> c a t0 /descends_id down a0 t00 ca theta.
apply: (recursion_rate archi P_stochastic one d_law q_observes init_distribution (trmx1 _ _) (@id_posdef _ _) down a0 t00 ca
  (td_step _ _ _ _ _ _ _) fin (one_mean P_stochastic q_observes (d := d))).
  by rewrite (one_kernel q_observes).
by rewrite (one_kernel q_observes) one_reward.
Qed.

(* With a discount for every transition, episodes among them *)
Theorem almost_sure_rate_transitions L (Gamma : 'M[R]_n.+1) (N := \matrix_(i, j) (P i j * Gamma i j))
    (A := keyA d N Phi lam L) (star := - invmx A *m keyb d N (mean_reward q reward) Phi lam L) :
  (forall i j, 0 <= Gamma i j <= 1) -> discounted P Gamma -> finite_schedule L lam ->
  (exists2 c, 0 < c & descends A c) /\
  forall c a t0, descends A c -> 0 < a -> 0 < t0 -> 1 < c * a ->
  let theta := off_policy_td state Phi lam (fun i o => Gamma i (state o)) (fun=> fun=> 1) reward (harmonic a t0) theta0 in
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> Gamma01 disc fin; split.
  exact/negdef_descends/(episodic_discount_prop_4_1 P_stochastic P_irreducible d_law Gamma01 lam01 fin disc Phi_rank).
move=> c a t0 /descends_id down a0 t00 ca theta.
have NE : kernel_of state q (fun i o => Gamma i (state o) * 1) = N.
  apply/matrixP => i j; rewrite !mxE -q_observes.2 mulr_suml; apply: eq_bigr => o /eqP <-.
  by rewrite mulr1.
apply: (recursion_rate archi P_stochastic one d_law q_observes init_distribution (trmx1 _ _) (@id_posdef _ _) down a0 t00 ca
  (off_policy_td_step _ _ _ _ _ _ _ _) fin (one_mean P_stochastic q_observes (d := d))).
  by rewrite NE.
by rewrite NE one_reward.
Qed.

(* λ_j ∈ [0,1] with or without an end: S = Σ_{k≥0} c_k(γP)ᵏ, as in schedules_without_end *)
Theorem almost_sure_rate_without_end gamma (S : 'M[R]_n.+1) (A := Phi^T *m diag_mx d *m S *m (gamma *: P - 1%:M) *m Phi)
    (star := - invmx A *m (Phi^T *m diag_mx d *m S *m mean_reward q reward)) :
  0 <= gamma < 1 -> (forall i j, tends_to (fun K => (trace_sum lam K (gamma *: P)) i j) (S i j)) ->
  (exists2 c, 0 < c & descends A c) /\
  forall c a t0, descends A c -> 0 < a -> 0 < t0 -> 1 < c * a ->
  let theta := td state Phi lam gamma reward (harmonic a t0) theta0 in
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> g01 S_lim; have /andP[g0 g1] := g01; split.
  exact/negdef_descends/(endless_negdef P_stochastic g01 lam01 S_lim P_irreducible d_law Phi_rank).
move=> c a t0 /descends_id down a0 t00 ca theta.
apply: (endless_rate archi P_stochastic one d_law q_observes init_distribution (trmx1 _ _) (@id_posdef _ _) down a0 t00 ca
  (td_step _ _ _ _ _ _ _) (beta := gamma) (S := S)) => //.
- by move=> i; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ q_observes) P_stochastic.2.
- by move=> j i o /lam01/andP[l0 l1]; rewrite mulr1 ger0_norm ?mulr_ge0 // ler_pimull.
- by rewrite (one_kernel q_observes).
- by rewrite (one_kernel q_observes).
by rewrite one_reward.
Qed.
End OnPolicy.

(* λ without end off-policy and with discounts by transition, where |λ_jγρ| ≤ β < 1 on every transition and some Q > 0 and
   c > 0 have 2⟨x, Ax⟩_Q ≤ −cV(x), as in off_policy_schedules_without_end *)
Section Fading.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (beta : R) (S : 'M[R]_n.+1).
Variables (gamma rho reward : 'I_n.+1 -> O -> R) (a t0 : R) (theta0 : 'cV[R]_m).
Let N := kernel_of state q (fun i o => gamma i o * rho i o).
Let A := Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi.
Let star := - invmx A *m (Phi^T *m diag_mx d *m S *m mean_reward q (fun i o => rho i o * reward i o)).
Let theta := off_policy_td state Phi lam gamma rho reward (harmonic a t0) theta0.

Theorem almost_sure_rate_fading (Q : 'M[R]_m) c : Num.archimedean_axiom R ->
  stochastic P -> one_class P -> law P d -> observes state P q -> distribution init -> (forall i, \sum_o q i o * rho i o = 1) ->
  0 <= beta < 1 -> (forall j i o, (0 < j)%N -> `|lam j * (gamma i o * rho i o)| <= beta) ->
  (forall i j, tends_to (fun K => (trace_sum lam K N) i j) (S i j)) ->
  Q^T = Q -> posdef Q -> (forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y) ->
  0 < a -> 0 < t0 -> 1 < c * a ->
  exists kappa, rate (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> archi P_st one d_law obs init1 rho1 b01 g_le S_lim Q_sym Q_pos down a0 t00 ca.
exact: (endless_rate archi P_st one d_law obs init1 Q_sym Q_pos down a0 t00 ca (off_policy_td_step _ _ _ _ _ _ _ _) rho1
  b01 g_le S_lim (erefl _) (erefl _)).
Qed.
End Fading.

(* Off-policy, with coverage at the recurrent states of a chain with one class of them; N is the target policy's kernel
   with its discounts there (γP_π, say). A is Hurwitz where some Q > 0 and c > 0 have 2⟨x, Ax⟩_Q ≤ −cV(x). *)
Section OffPolicyRate.
Variables (R : realFieldType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat).
Variables (gamma r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (N : 'M[R]_n.+1) (theta0 : 'cV[R]_m) (a t0 : R).
Let A := keyA d N Phi lam L.
Let star := - invmx A *m keyb d N (policy_reward p pi r) Phi lam L.
Let theta := off_policy_td snd Phi lam gamma (ratio mu pi) r (harmonic a t0) theta0.

Theorem almost_sure_rate_off_policy (Q : 'M[R]_m) c : Num.archimedean_axiom R ->
  (forall a, stochastic (p a)) -> policy mu -> policy pi -> one_class (policy_kernel p mu) -> law (policy_kernel p mu) d ->
  covers d mu pi -> distribution init -> finite_schedule L lam ->
  (forall i j, 0 < d 0 i -> \sum_a pi i a * p a i j * gamma i (a, j) = N i j) ->
  Q^T = Q -> posdef Q -> (forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y) ->
  0 < a -> 0 < t0 -> 1 < c * a ->
  exists kappa, rate (observation_kernel snd (behave p mu) init) (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> archi p_st mu_p pi_p one d_law cov init1 fin NE Q_sym Q_pos down a0 t00 ca.
apply: (recursion_rate archi (policy_stochastic p_st mu_p) one d_law (behave_observes p_st mu_p) init1 Q_sym Q_pos down a0
  t00 ca (off_policy_td_step _ _ _ _ _ _ _ _) fin (ratio_mean p_st cov pi_p)).
  exact: (target_A p_st mu_p cov Phi d_law fin NE).
exact: (target_b p_st mu_p cov L Phi lam d_law NE r).
Qed.
End OffPolicyRate.

(* TD(0), φ = 1, γ = ½, every next state of two drawn evenly, reward 1 on leaving the first, α_t = 4/(t + 1600), θ_0
  = 0:
   c = 1, κ_0 = 4, M = 9601. h has t + 1 states. *)
Section Instance.
Variables (R : realFieldType) (init : 'I_2 -> R).
Hypothesis init_distribution : distribution init.
Let K := states (even R) init.
Let theta : seq 'I_2 -> 'cV[R]_1 := td1 (harmonic 4%:R 1600%:R) 0.
Let M : R := 6%:R * 1600%:R + 1.

Let r (s : 'I_2) : 'cV[R]_1 := const_mx (reward R s - 2%:R^-1).
Let G (h : seq 'I_2) : 'M[R]_1 := if h is _ :: _ :: _ then (- 2%:R^-1)%:M else 0.
Let f (h : seq 'I_2) : 'cV[R]_1 := if h is _ :: s :: _ then r s else 0.
Let fh (h : seq 'I_2) : 'cV[R]_1 := if h is s :: _ then r s else 0.
Let V1 (y : 'cV[R]_1) : form 1%:M y = y 0 0 ^+ 2. Proof. exact: dot1. Qed.
Let quarter (z : R) (y : 'cV[R]_1) : z = - 2%:R^-1 -> form 1%:M (z%:M *m y) = 4%:R^-1 * form 1%:M y.
Proof. by move=> ->; rewrite mul_scalar_mx !V1 mxE exprMn sqrrN; congr (_ * _); field. Qed.
Let r_le s : form 1%:M (r s) <= 4%:R^-1.
Proof. by rewrite V1 mxE /reward; apply/eqW; case: (s == 0) => /=; field. Qed.
Let V_ge0 (y : 'cV[R]_1) : 0 <= form 1%:M y. Proof. by rewrite V1 sqr_ge0. Qed.
Let quarter0 : 0 <= 4%:R^-1 :> R. Proof. by rewrite invr_ge0 ler0n. Qed.
Let s1 : 0%:R + 1600%:R = 1600%:R :> R. Proof. exact: add0r. Qed.

Let x_step o h : theta (o :: h) - const_mx 1 = theta h - const_mx 1
  + harmonic 4%:R 1600%:R (size h).-1 *: (G (o :: h) *m (theta h - const_mx 1) + f (o :: h)).
Proof.
case: h => [|s h]; first by rewrite /= mul0mx addr0 scaler0 addr0.
rewrite [_.-1]/=.
have : theta [:: o, s & h] 0 0 = theta (s :: h) 0 0
    + harmonic 4%:R 1600%:R (size h) * (reward R s - theta (s :: h) 0 0 / 2%:R) by exact: td1E.
rewrite /G /f mul_scalar_mx /r; move: (theta (o :: s :: h)) (theta (s :: h)) (harmonic _ _ _) (reward R s) => y x a z E.
apply/matrixP => i j; rewrite !ord1 !mxE E; move: (x 0 0) => w.
have H (u : R) : u + a * (z - u / 2%:R) - 1 = u - 1 + a * (- 2%:R^-1 * (u - 1) + (z - 2%:R^-1)) by field.
exact: H.
Qed.

Let mean_half (a : R) : \sum_(s : 'I_2) 2%:R^-1 * (a + (reward R s - 2%:R^-1)) = a.
Proof.
rewrite !big_ord_recl big_ord0 /reward /=.
have H (z : R) : 2%:R^-1 * (z + (1 - 2%:R^-1)) + (2%:R^-1 * (z + (0 - 2%:R^-1)) + 0) = z by field.
exact: H.
Qed.

Let three : 1 * 4%:R - 1 = 3%:R :> R. Proof. by ring. Qed.

Theorem almost_sure_rate_instance t : expect K t.+1 (sqdist theta (const_mx 1)) <= 6%:R * (M + 4%:R) / (t%:R + 1600%:R).
Proof.
have K_kernel := states_kernel (even_stochastic R) init_distribution.
have -> : expect K t.+1 (sqdist theta (const_mx 1)) = expect K t.+1 (fun h => form 1%:M (theta h - const_mx 1)).
  by apply/eqP; rewrite eq_le !expect_le // => h _; rewrite /form mulmx1.
apply: (@almost_sure_rate_mean_square R _ K 1 1%:M K_kernel (trmx1 _ _) V_ge0 (fun h => theta h - const_mx 1) G f
  (- 2%:R^-1)%:M (fun=> 0) fh 0 4%:R 1600%:R 1 4%:R^-1 4%:R M 1) => //.
- move=> y; rewrite mul1mx mul_scalar_mx dotC dotZl mulN1r /form mulmx1 -[(_ *m _) 0 0]/(dot y y).
  have H (z : R) : 2%:R * (- 2%:R^-1 * z) = - z by field.
  by apply/eqW; apply: H.
- by move=> [//|s h] _; rewrite /cond big1 // => o _; rewrite subrr addr0 scaler0.
- move=> [//|s h] _; apply/matrixP => i j; rewrite !ord1 /cond summxE /f /fh /r.
  have KE o : K (s :: h) o = 2%:R^-1 by rewrite /K /states /= mxE.
  under eq_bigr => o _ do rewrite KE !mxE.
  by rewrite mean_half !mxE.
- move=> [|s [|s' h]] y; rewrite /G ?mul0mx ?form0 ?mulr_ge0 //.
  by rewrite (quarter _ (erefl _)).
- by case=> [|s [|s' h]]; rewrite /f ?form0.
- by move=> y; rewrite (quarter _ (erefl _)).
- by move=> _ y; rewrite mul0mx form0 mulr_ge0.
- by case=> [|s h]; rewrite /fh ?form0.
- by move=> [|s [|s' h]] // _; rewrite V1 /theta /td1 /= !mxE sub0r sqrrN expr1n.
- exact: ltr0n.
- exact: ltr0n.
- by rewrite mul1r ltr1n.
- exact: ltr0n.
- by apply/eqW; field.
- by rewrite -subr_ge0 (_ : _ - _ = 12%:R) ?ler0n //; field.
- by rewrite mul1r s1 ler_nat.
- by rewrite s1 three -!natrM ler_nat.
- rewrite s1; apply: (@le_trans _ _ 1600%:R); first by rewrite -natrM ler_nat.
  by rewrite expr2 ler_pemulr ?ler0n ?ler1n.
- rewrite three; apply: (@le_trans _ _ (3%:R * 1600%:R)); first by rewrite -!natrM ler_nat.
  rewrite ler_pmul2l ?ltr0n //; apply: (@le_trans _ _ (6%:R * 1600%:R)); last by rewrite ler_addl ler01.
  by rewrite ler_pemull ?ler0n ?ler1n.
rewrite s1 /M; have z0 : 0 < 1600%:R :> R by rewrite ltr0n.
have z12 : 12%:R / 1600%:R <= 1 :> R by rewrite ler_pdivr_mulr // mul1r ler_nat.
move: 1600%:R z0 z12 => z z0 z12.
have -> : 3%:R * (2%:R * 1 + 4%:R / z ^+ 2) * z = 6%:R * z + 12%:R / z by field; rewrite gt_eqF.
by rewrite ler_add2l.
Qed.
End Instance.

(* Two states that alternate, of period 2: A = −½, c = 1, and a > 1 is enough. *)
Theorem almost_sure_rate_instance_flip (R : realFieldType) (a t0 : R) theta0 : Num.archimedean_axiom R -> 1 < a -> 0 < t0 ->
  exists kappa, rate (states (flip R) (@from_first R 1)) (sqdist (td1 (harmonic a t0) theta0) (const_mx 1)) t0 kappa.
Proof.
move=> archi a1 t00; have [EA Eb _ _] := thm_4_3_ablation_means R.
have init1 : distribution (@from_first R 1).
  by split=> [s|]; rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have rank : full_column_rank (const_mx 1 : 'M[R]_(2, 1)).
  by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
have lam01 j : (0 < j)%N -> 0 <= (schedule [::] : nat -> R) j <= 1.
  by move=> _; rewrite /schedule; case: j => [|[|j]]; rewrite /= ?lexx ?ler01.
have fin : finite_schedule 0 (schedule [::] : nat -> R) by case=> [|[|j]].
have := @almost_sure_rate_td R 1 1 _ (fun i => i) (flip R) (fun i j => flip R i j) (@from_first R 1) (flip_law R)
  (const_mx 1) (schedule [::]) (fun i _ => reward R i) theta0 archi (flip_stochastic R) (@flip_irreducible R)
  (flip_law_law R) (states_observe (flip_stochastic R)) init1 rank lam01 0 2%:R^-1 (half01 R) fin.
rewrite flip_mean_reward EA Eb flip_rest_point; case=> _ /(_ 1 a t0); apply=> //.
- move=> x; rewrite formD formT formN (_ : mx 1 1 _ = 2%:R^-1%:M); last by by_entries.
  rewrite /form mul_mx_scalar -scalemxAl e00Z -/(dot x x); move: (dot x x) => z.
  by apply/eqW; field.
- exact: lt_trans ltr01 a1.
by rewrite mul1r.
Qed.

(* The same chain with slow steps: E(θ_t − 1)² from below. *)
Section SlowSteps.
Variables (R : realFieldType) (alpha : nat -> R).
Let K := states (even R) (fun=> 2%:R^-1).
Let theta : seq 'I_2 -> 'cV[R]_1 := td1 alpha 0.
Let y h : R := theta (0 :: h) 0 0 - 1.

(* E(θ_t − 1)²; h has t + 1 states *)
Definition slow_error t : R := expect K t.+1 (sqdist theta (const_mx 1)).

Let K_even h s : K h s = 2%:R^-1.
Proof. by case: h => [|s' h] //=; rewrite /even mxE. Qed.
Let K_kernel : kernel K.
Proof.
split=> [h s|h]; first by rewrite K_even invr_ge0 ler0n.
by under eq_bigr => s _ do rewrite K_even; rewrite !big_ord_recl big_ord0 /=; field.
Qed.
Let theta_past s h : theta (s :: h) 0 0 = theta (0 :: h) 0 0.
Proof. by case: h => [|s' h]; [rewrite /theta /td1 /= | rewrite !td1E]. Qed.
Let mean_now h : mean K (sqdist theta (const_mx 1)) h = y h ^+ 2.
Proof.
rewrite /mean !big_ord_recl big_ord0 /= !K_even !sqdist_const !theta_past -/(y h).
by move: (y h) => z; field.
Qed.
Let y_step s h : y (s :: h) = (1 - alpha (size h) / 2%:R) * y h + alpha (size h) * (reward R s - 2%:R^-1).
Proof.
rewrite /y td1E (theta_past s); move: (theta _ 0 0) (alpha _) (reward R s) => x a r.
by field.
Qed.

Lemma slow_error_step t : slow_error t.+1 = (1 - alpha t / 2%:R) ^+ 2 * slow_error t + alpha t ^+ 2 / 4%:R.
Proof.
rewrite /slow_error !expectS -(expect_affine K_kernel).
have E h : size h = t -> mean K (mean K (sqdist theta (const_mx 1))) h
    = (1 - alpha t / 2%:R) ^+ 2 * mean K (sqdist theta (const_mx 1)) h + alpha t ^+ 2 / 4%:R.
  move=> <-; rewrite mean_now [LHS]/mean !big_ord_recl big_ord0 !K_even !mean_now !y_step /reward /=.
  by move: (y h) (alpha _) => z a; field.
by apply/eqP; rewrite eq_le; apply/andP; split; apply: expect_le => // h ht; rewrite E.
Qed.
Lemma slow_error_ge0 t : 0 <= slow_error t.
Proof. by apply: expect_ge0 => // h _; rewrite sqdist_const sqr_ge0. Qed.
Let error_start : slow_error 0 = 1.
Proof.
rewrite /slow_error expectS -[LHS]/(mean K (sqdist theta (const_mx 1)) [::]) mean_now.
by rewrite /y /theta /td1 /= mxE sub0r sqrrN expr1n.
Qed.

(* E(θ_t − 1)² ≥ α_t/4 for all non-increasing steps α_t ≤ 1 *)
Theorem almost_sure_rate_ablation_exponent t : (forall i, 0 <= alpha i <= 1) -> (forall i, alpha i.+1 <= alpha i) ->
  alpha t / 4%:R <= slow_error t.
Proof.
move=> a01 anti; elim: t => [|t IH].
  have /andP[_ a1] := a01 0%N.
  by rewrite error_start ler_pdivr_mulr ?ltr0n // mul1r (le_trans a1) // ler1n.
have /andP[a0 a1] := a01 t; rewrite slow_error_step; apply: (@le_trans _ _ (alpha t / 4%:R)).
  by rewrite ler_pmul2r ?invr_gt0 ?ltr0n.
move: (alpha t) (slow_error t) a0 a1 IH (slow_error_ge0 t) => a e a0 a1 le e0; rewrite -subr_ge0.
have -> : (1 - a / 2%:R) ^+ 2 * e + a ^+ 2 / 4%:R - a / 4%:R = (1 - a) * (e - a / 4%:R) + a ^+ 2 / 4%:R * e by field.
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?invr_ge0 ?sqr_ge0 ?ler0n.
Qed.
End SlowSteps.

(* α_t = a/(t + t_0) with ca = a ≤ 1: (t + t_0 − 1) E(θ_t − 1)² is not bounded. *)
Section SlowDrift.
Variables (R : realFieldType) (a t0 : R).
Hypothesis a_gt0 : 0 < a.
Hypothesis a_le1 : a <= 1.
Hypothesis t0_ge1 : 1 <= t0.
Let e := slow_error (harmonic a t0).

Let e_step t : e t.+1 = (1 - harmonic a t0 t / 2%:R) ^+ 2 * e t + harmonic a t0 t ^+ 2 / 4%:R.
Proof. exact: slow_error_step. Qed.

Lemma slow_drift t : a ^+ 2 / 4%:R * (\sum_(0 <= i < t) harmonic 1 t0 i) <= (t%:R + t0 - 1) * e t.
Proof.
have t00 : 0 < t0 by apply: lt_le_trans t0_ge1; apply: ltr01.
elim: t => [|t IH]; first by rewrite big_geq // mulr0 add0r mulr_ge0 ?subr_ge0 // slow_error_ge0.
have s0 : 0 < t%:R + t0 by rewrite ltr_paddl ?ler0n.
rewrite big_nat_recr //= mulrDr e_step -subr_ge0; move: IH (slow_error_ge0 (harmonic a t0) t) => IH.
rewrite -/(e t) mulrSr; rewrite /harmonic in IH *; move: (\sum_(0 <= i < t) _) (e t) IH => S f IH f0.
have -> : (t%:R + 1 + t0 - 1) * ((1 - a / (t%:R + t0) / 2%:R) ^+ 2 * f + (a / (t%:R + t0)) ^+ 2 / 4%:R)
    - (a ^+ 2 / 4%:R * S + a ^+ 2 / 4%:R * (1 / (t%:R + t0)))
  = ((t%:R + t0 - 1) * f - a ^+ 2 / 4%:R * S) + (1 - a + a ^+ 2 / (4%:R * (t%:R + t0))) * f.
  rewrite (_ : t%:R + 1 + t0 - 1 = t%:R + t0); last by ring.
  by move: (t%:R + t0) s0 => s s0; field; rewrite gt_eqF.
rewrite addr_ge0 ?subr_ge0 // mulr_ge0 // addr_ge0 ?subr_ge0 // divr_ge0 ?sqr_ge0 // mulr_ge0 ?ler0n //.
exact: ltW.
Qed.

Theorem almost_sure_rate_ablation_drift kappa : Num.archimedean_axiom R -> exists t, kappa / (t%:R + t0) < e t.
Proof.
move=> archi; have t00 : 0 < t0 by apply: lt_le_trans t0_ge1; apply: ltr01.
have q0 : 0 < a ^+ 2 / 4%:R by rewrite divr_gt0 ?exprn_gt0 ?ltr0n.
have [t [_ big]] := harmonic_diverges archi ltr01 t00 ((kappa + 1) / (a ^+ 2 / 4%:R)) 0%N; exists t.
have s0 : 0 < t%:R + t0 by rewrite ltr_paddl ?ler0n.
rewrite ltr_pdivr_mulr //; apply: (@lt_le_trans _ _ (kappa + 1)); first by rewrite ltr_addl ltr01.
rewrite ler_pdivr_mulr // mulrC in big; apply: le_trans big _; apply: le_trans (slow_drift t) _.
by rewrite mulrC ler_wpmul2l ?slow_error_ge0 // ger_addl oppr_le0 ler01.
Qed.
End SlowDrift.
