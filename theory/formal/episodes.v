(* Claims: thm_4_3, episodic_discount (almost-sure convergence with a discount for every transition)
   Place: §2–§4; the experiments of A5 run in episodes: an end is a transition with discount 0 to the start of the
   next one.
   Statement: on-policy TD(λ)-schedule with the discount Γ(s_t, s_{t+1}) in δ_t and in the trace goes to −A⁻¹b almost
   surely, for all deterministic α_t > 0 with Σα_t = ∞, Σα_t² < ∞; A = ΦᵀD(M − I)Φ and b = ΦᵀDSr with N_ij = P_ij
   Γ_ij in place of γP.
   Hypotheses: P, restarts included, is irreducible, lim P(s_t = j | s_0 = i) = d(j); 0 ≤ Γ ≤ 1, Γ_ij < 1 for some
   transition with P_ij > 0; λ_j ∈ [0,1], λ_j = 0 for j > L; Φ has full column rank. Any θ_0, any law of the first
   observation.
   "Almost surely" is [almost_surely] of ProbabilityOne.v. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Limits KeyMatrices Lyapunov episodic_discount.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA LyapunovSA Windows OffPolicy Steps
  Examples KeyMatricesInstances.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Episodes.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P Gamma : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (reward : 'I_n.+1 -> O -> R).
Variables (alpha : nat -> R) (theta0 : 'cV[R]_m).
Let N : 'M[R]_n.+1 := \matrix_(i, j) (P i j * Gamma i j).
Let A := keyA d N Phi lam L.
Let b := keyb d N (mean_reward q reward) Phi lam L.
Let star := - invmx A *m b.
Let theta := off_policy_td state Phi lam (fun i o => Gamma i (state o)) (fun=> fun=> 1) reward alpha theta0.

Theorem episodes_convergence :
  stochastic P -> irreducible P -> observes state P q -> distribution init ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) -> full_column_rank Phi ->
  (forall i j, 0 <= Gamma i j <= 1) -> discounted P Gamma ->
  (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  almost_surely (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)).
Proof.
along_paths.
move=> P_st irr obs init1 a0 a_div a_sq lim rank Gamma01 disc lam01 fin; have d_law := limit_law P_st lim.
have one_mean i : 0 < d 0 i -> \sum_o q i o * 1 = 1.
  by move=> _; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ obs) P_st.2.
have NE : kernel_of state q (fun i o => Gamma i (state o) * 1) = N.
  apply/matrixP => i j; rewrite !mxE -obs.2 mulr_suml; apply: eq_bigr => o /eqP <-.
  by rewrite mulr1.
have rE : mean_reward q (fun i o => 1 * reward i o) = mean_reward q reward.
  by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mul1r.
have A_neg : negdef A := episodic_discount_prop_4_1 P_st irr d_law Gamma01 lam01 fin disc rank.
have EA := td_matrix_mean Phi init P_st obs d_law fin (fun i o => Gamma i (state o)) one_mean.
have Eb := td_vector_mean Phi init obs d_law fin (fun i o => Gamma i (state o)) (fun=> fun=> 1) reward.
rewrite NE -/A in EA; rewrite NE rE -/b in Eb.
have one_pos : posdef (1%:M : 'M[R]_m) by move=> y y0; rewrite form_id dot_gt0.
apply: (lyapunov_convergence P_st obs init1 d_law lim
  (td_matrix_local state Phi (fun i o => Gamma i (state o)) (fun=> fun=> 1) fin)
  (td_vector_local state Phi (fun i o => Gamma i (state o)) (fun=> fun=> 1) reward fin)
  _ (trmx1 _ _) one_pos _ a0 a_div a_sq).
- by rewrite EA Eb /star mulNmx mulmxN mulKVmx ?addNr // negdef_unitmx.
- by rewrite EA mul1mx.
exact: off_policy_tdE.
Qed.
End Episodes.

(* P = [[½, ½], [¼, ¾]], the transition from the first state to the second ends an episode (discount 0), the others
   have discount 1; φ = (1, 2), TD(0), reward 1 on leaving the first state and −1 on leaving the second, α_t =
   1/(t + 1): A = −½, b = −1, θ_t → −2. *)
Theorem episodes_convergence_instance (R : archiFieldType) (Gamma := mx 2 2 [:: [:: 1; 0]; [:: 1; 1]] : 'M[R]_2)
  (reward := fun i _ : 'I_2 => if i == 0 then 1 else -1 : R)
  (theta := off_policy_td (fun i => i) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [::])
    (fun i j => Gamma i j) (fun=> fun=> 1)
    reward (fun t => 1 / (t%:R + 1)) 0) :
  almost_surely (observation_kernel (fun i => i) (fun i j => walk R i j) (fun i => (i == 0)%:R))
    (fun h => (theta h 0 0 + 2%:R) ^+ 2).
Proof.
have archi := @archimedean R; have st := walk_stochastic R; have obs := states_observe st.
have init1 : distribution (fun i : 'I_2 => (i == 0)%:R : R) by split=> [i|];
  rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have r_mean : mean_reward (fun i j => walk R i j) reward = mx 2 1 [:: [:: 1]; [:: -1]].
  by apply/matrixP => i j; rewrite !mxE -mulr_suml st.2 mul1r (ord1 j); each_index i.
pose K : 'M[R]_2 := \matrix_(i, j) (walk R i j * Gamma i j).
have KE : K = mx 2 2 [:: [:: 2%:R^-1; 0]; [:: 4%:R^-1; 3%:R / 4%:R]] by by_entries.
have AE : keyA (walk_law R) K (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [::]) 0 = (- 2%:R^-1)%:M by rewrite KE; by_key.
have bE : keyb (walk_law R) K (mx 2 1 [:: [:: 1]; [:: -1]]) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [::]) 0 = (-1)%:M.
  by rewrite KE; by_key.
have Gamma01 i j : 0 <= Gamma i j <= 1 by each_index i; each_index j; rewrite mxE /= ?lexx ?ler01.
apply: (almost_surely_le (observation_kernelP st obs init1) ltr01 (fun h => sqr_ge0 _)); last first.
  apply: (@episodes_convergence R 1 1 _ (fun i => i) (walk R) Gamma _ _ (walk_law R)
    (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [::]) 0
    reward (harmonic 1 1) 0) => //.
  - exact: walk_irreducible.
  - by move=> t; apply: harmonic_gt0; apply: ltr01.
  - by apply: harmonic_diverges => //; apply: ltr01.
  - by apply: harmonic_square => //; apply: ltr01.
  - exact: column_power_limit_instance.
  - by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
  - by exists 0, 1; rewrite !mxE /= invr_gt0 ltr0n ltr01.
  - exact: schedule_01.
  - exact: schedule_of_size.
move=> h; rewrite mul1r -/K r_mean AE bE invmx_scalar dotE big_ord1 -expr2.
rewrite (_ : - _ *m _ = mx 1 1 [:: [:: - 2%:R]]); last by by_entries.
by rewrite [X in _ <= X ^+ 2]mxE [X in _ <= (_ + X) ^+ 2]mxE [X in _ <= (_ + - X) ^+ 2]mxE opprK.
Qed.
