(* Claims: thm_4_3, deterministic_steps
   Place: §4, Theorem 4.3 without Assumption 2.
   Statement: θ_t → −A⁻¹b almost surely on an irreducible chain of any period, for deterministic steps with Σα = ∞,
     Σα² < ∞
   and Σ|α_{t+1} − α_t| < ∞ (non-increasing steps, say). Everything else is as in thm_4_3; d is the stationary law.
   [thm_4_3_regular_steps_flip]: two states that alternate, where steps that follow the clock fail
   (thm_4_3_ablation_aperiodicity): with α_t = a/(t + b) TD(0) converges to −A⁻¹b = 1 from every θ_0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Limits KeyMatrices Examples prop_4_1.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Steps thm_4_3 Regular
  Refuted step_ablations.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Regular.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha : nat -> R) (theta0 : 'cV[R]_m).

Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) (mean_reward q reward) Phi lam L.
Let star := - invmx A *m b.
Let theta := td state Phi lam gamma reward alpha theta0.
Let td_A := td_matrix state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1).
Let td_b := td_vector state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward.

(* E_0 A(X_t) = A and E_0 b(X_t) = b *)
Lemma td_means : stochastic P -> observes state P q -> law P d -> finite_schedule L lam ->
  stationary_mean state q init d L.+1 td_A = A /\ stationary_mean state q init d L.+1 td_b = b.
Proof.
move=> P_st obs d_law fin; have one_mean i : 0 < d 0 i -> \sum_o q i o * 1 = 1.
  by move=> _; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ obs) P_st.2.
have kernel1 : kernel_of state q (fun i o => gamma * 1) = gamma *: P.
  by rewrite -(kernel_of_const obs gamma); apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulr1.
have reward1 : mean_reward q (fun i o => 1 * reward i o) = mean_reward q reward.
  by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mul1r.
rewrite /td_A /td_b (td_matrix_mean _ _ P_st obs d_law fin _ one_mean) (td_vector_mean _ _ obs d_law fin).
by split; rewrite ?kernel1 ?reward1.
Qed.

Theorem thm_4_3_regular_steps :
  stochastic P -> irreducible P -> law P d -> observes state P q -> distribution init ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  summable (fun t => `|alpha t.+1 - alpha t|) ->
  full_column_rank Phi ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  almost_surely (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)).
Proof.
along_paths.
move=> P_st irr d_law obs init1 a0 a_div a_sq a_var rank g01 lam01 fin.
have [EA Eb] := td_means P_st obs d_law fin.
have A_neg : negdef A := prop_4_1 P_st d_law lam01 fin g01 irr rank.
have := @regular_sa_convergence R n O state P q init d P_st (irreducible_one_class irr) obs d_law init1 m L.+1 td_A td_b theta (fun t =>
  alpha t.-1)
  (td_matrix_local _ _ _ _ fin) (td_vector_local _ _ _ _ _ fin).
rewrite EA Eb -/star; apply=> //.
- exact: diverges_later.
- exact: (summable_later a_sq).
- apply: (@summable_le _ 0 _ _ _ _ (summable_later a_var)) => [[|t] _|t] /=; last exact: normr_ge0.
    by rewrite subrr normr0 normr_ge0.
  exact: lexx.
- exact: td_step.
Qed.
End Regular.

(* The numbers of the flip chain, TD(0), φ = 1, γ = ½, reward 1 on leaving the first state *)
Lemma flip_mean_reward (R : realFieldType) :
  mean_reward (fun i j => flip R i j) (fun i _ => reward R i) = mx 2 1 [:: [:: 1]; [:: 0]].
Proof.
by apply/matrixP => i j; rewrite !mxE -mulr_suml (flip_stochastic R).2 mul1r (ord1 j); each_index i.
Qed.

Lemma flip_rest_point (R : realFieldType) : - invmx (- mx 1 1 [:: [:: 2%:R^-1]]) *m mx 1 1 [:: [:: 2%:R^-1]] =
  const_mx 1 :> 'M[R]_1.
Proof.
rewrite (_ : mx 1 1 _ = 2%:R^-1%:M); last by by_entries.
by rewrite -raddfN invmx_scalar; by_entries.
Qed.

(* α_t = a/(t + b) *)
Theorem thm_4_3_regular_steps_flip (R : realFieldType) (a b : R) theta0 : Num.archimedean_axiom R -> 0 < a -> 0 < b ->
  almost_surely (states (flip R) (@from_first R 1)) (sqdist (td1 (harmonic a b) theta0) (const_mx 1)).
Proof.
move=> archi a0 b0; have [EA Eb _ _] := thm_4_3_ablation_means R.
have init1 : distribution (@from_first R 1).
  by split=> [s|]; rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have := @thm_4_3_regular_steps R 1 1 _ (fun i => i) (flip R) (fun i j => flip R i j) (@from_first R 1) (flip_law R)
  (const_mx 1) (schedule [::]) 0 2%:R^-1 (fun i _ => reward R i) (harmonic a b) theta0.
rewrite flip_mean_reward EA Eb flip_rest_point; apply=> //.
- exact: flip_stochastic.
- exact: flip_irreducible.
- exact: flip_law_law.
- exact: (states_observe (flip_stochastic R)).
- exact: harmonic_gt0.
- exact: harmonic_diverges.
- exact: harmonic_square.
- exact: harmonic_variation.
- by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
- exact: half01.
- by move=> j _; rewrite /schedule; case: j => [|[|j]]; rewrite /= ?lexx ?ler01.
by case=> [|[|j]].
Qed.
