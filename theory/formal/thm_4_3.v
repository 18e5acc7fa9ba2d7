(* Claim: thm_4_3
   Place: §4, Theorem 4.3, about equation (tdLambdaSchedule) of §2.
   Statement: under Assumptions 1–3 the iterates θ_{t+1} = θ_t + α_tδ_tz_t, z_t = Σ_{k=0}^t (Π_{j=1}^{t−k} γλ_j)φ(s_k),
   δ_t = R_{t+1} + γφ(s_{t+1})ᵀθ_t − φ(s_t)ᵀθ_t, converge to θ* = −A⁻¹b almost surely.
   Reading: as printed. A = ΦᵀD(M − I)Φ and b = ΦᵀDSr. The steps α_t > 0 are deterministic, Σα_t = ∞, Σα_t² < ∞
   (Assumption 1), nothing more; lim P(s_t = j | s_0 = i) = d(j) (Assumption 2); Φ has full column rank (Assumption
   3); the chain is irreducible (§2), 0 ≤ γ < 1, λ_j ∈ [0,1], λ_j = 0 for j > L. Any θ_0, any law of the first state.
   The reward may depend on anything that is observed: o_{t+1} is the state s_{t+1} and whatever comes with it (the
   action a_t, a random part of the reward), with a law that depends on s_t only. Observations are a finite type, so the
   reward takes finitely many values. "Almost surely" is
   [almost_surely]: for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |θ_t − θ*|² ≥ ε) ≤ δ for every T ≥ N; and
   θ_t → θ* with probability one on every probability space that carries the process (ProbabilityOne.v).
   [thm_4_3_positive_power]: Assumption 2 replaced by "some power of P has no zero entry", over Archimedean fields.
   Not used: that the chain is aperiodic, beyond Assumption 2; that the steps decrease. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Limits KeyMatrices prop_4_1.
From TD Require Import Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Steps Examples
  KeyMatricesInstances.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* TD(λ)-schedule along a path; h = (o_t, …, o_0), the latest first. *)
Section Algorithm.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (gamma : R) (reward : 'I_n.+1 -> O -> R) (alpha : nat -> R) (theta0 : 'cV[R]_m).

(* V_θ(i) = φ(i)ᵀθ and δ_t = R_{t+1} + γV_θ(s_{t+1}) − V_θ(s_t), i = s_t, o = o_{t+1} *)
Definition value (theta : 'cV[R]_m) i : R := (row i Phi *m theta) 0 0.
Definition td_error theta i o : R := reward i o + gamma * value theta (state o) - value theta i.

(* θ_{t+1} after (o_{t+1}, o_t, …, o_0); θ_0 before the first transition *)
Fixpoint td (h : seq O) : 'cV[R]_m :=
  if h is o' :: (o :: _) as h' then
    td h' + (alpha (size h').-1 * td_error (td h') (state o) o') *: td_trace state Phi lam (fun=> fun=> gamma) h'
  else theta0.

(* θ_{t+1} = θ_t + α_t(A(X_t)θ_t + b(X_t)) *)
Lemma td_step o h : td (o :: h) = td h + alpha (size h).-1 *:
  (td_matrix state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) (o :: h) *m td h
   + td_vector state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward (o :: h)).
Proof.
case: h => [|s h]; first by rewrite /td_matrix /td_vector /= mulmx0 mul0mx scale0r addr0 scaler0 addr0.
rewrite /td_matrix /td_vector -[LHS]/(td (s :: h) + (alpha (size h) * td_error (td (s :: h)) (state s) o)
  *: td_trace state Phi lam (fun=> fun=> gamma) (s :: h)).
move: (td (s :: h)) => t; rewrite -scalerA; congr (_ + _ *: _).
rewrite -[behead _]/(s :: h) (td_trace_ext state Phi lam (s :: h) (fun i o => mulr1 gamma)).
rewrite -mulmxA [X in _ *m X]mx11_scalar mul_mx_scalar -scalerDl; congr (_ *: _).
rewrite /= scale1r mul1r mulmxBl -scalemxAl !e00 /td_error /value.
by rewrite [RHS]addrC addrA.
Qed.
End Algorithm.

Lemma diverges_later (R : realFieldType) (a : nat -> R) : (forall t, 0 < a t) -> diverges a -> diverges (fun t =>
  a t.-1).
Proof.
move=> a0 div M N; have [n [Nn big]] := div M N; exists n.+1; split; first exact: leqW.
by rewrite big_ltn // big_add1; apply: le_trans big _; rewrite ler_addr ltW.
Qed.

Lemma summable_later (R : realFieldType) (a : nat -> R) : summable a -> summable (fun t => a t.-1).
Proof.
move=> sum eps eps0; have [N small] := sum eps eps0; exists N.+1 => n.
case: n => [|n]; last by rewrite big_add1.
by rewrite big_geq // ltW.
Qed.

Section Theorem43.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha : nat -> R) (theta0 : 'cV[R]_m).

Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) (mean_reward q reward) Phi lam L.
Let star := - invmx A *m b.
Let theta := td state Phi lam gamma reward alpha theta0.

Theorem thm_4_3 :
  (* the policy's chain, what is observed of it, the law of the first observation *)
  stochastic P -> irreducible P -> observes state P q -> distribution init ->
  (* Assumption 1 *)
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (* Assumption 2 *)
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  (* Assumption 3 *)
  full_column_rank Phi ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  (* θ_t → −A⁻¹b almost surely *)
  almost_surely (observation_kernel state q init)
    (fun h => dot (theta h - star) (theta h - star)).
Proof.
along_paths.
move=> P_st irr obs init1 a0 a_div a_sq lim rank g01 lam01 fin.
have d_law := limit_law P_st lim.
have one_mean i : 0 < d 0 i -> \sum_o q i o * 1 = 1.
  by move=> _; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ obs) P_st.2.
have EA : stationary_mean state q init d L.+1 (td_matrix state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1)) = A.
  rewrite (@td_matrix_mean R n m O state Phi lam P q init d L P_st obs d_law fin (fun=> fun=> gamma) (fun=> fun=> 1)
    one_mean).
  rewrite /A; suff -> : kernel_of state q (fun i o => gamma * 1) = gamma *: P by [].
  rewrite -(kernel_of_const obs gamma).
  by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulr1.
have Eb : stationary_mean state q init d L.+1 (td_vector state Phi lam (fun=> fun=> gamma) (fun=> fun=> 1) reward) = b.
  rewrite (@td_vector_mean R n m O state Phi lam P q init d L obs d_law fin (fun=> fun=> gamma) (fun=> fun=> 1) reward).
  rewrite /b; suff [-> ->] : kernel_of state q (fun i o => gamma * 1) = gamma *: P /\
    mean_reward q (fun i o => 1 * reward i o) = mean_reward q reward by [].
  split; first rewrite -(kernel_of_const obs gamma).
    by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulr1.
  by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mul1r.
have A_neg : negdef A := prop_4_1 P_st d_law lam01 fin g01 irr rank.
rewrite -EA in A_neg; have := @linear_sa_convergence R n m O state P q init d P_st obs init1 d_law lim L.+1 _ _
  (@td_matrix_local R n m O state Phi lam L (fun=> fun=> gamma) (fun=> fun=> 1) fin)
  (@td_vector_local R n m O state Phi lam L (fun=> fun=> gamma) (fun=> fun=> 1) reward fin) theta (fun t =>
    alpha t.-1) A_neg.
rewrite EA Eb -/star; apply=> //.
- exact: diverges_later.
- exact: (summable_later a_sq).
exact: td_step.
Qed.
End Theorem43.

(* A path of positive probability from state to state in exactly k steps, for all pairs: irreducible and aperiodic. *)
Lemma positive_power_irreducible (R : realFieldType) n (P : 'M[R]_n.+1) k : stochastic P ->
  (forall i j, 0 < (P ^+ k) i j) -> irreducible P.
Proof.
move=> [P0 _] pos i j; have {pos} := pos i j; elim: k i => [|k IH] i.
  by rewrite expr0 mxE; case: eqP => [-> _|_]; rewrite ?connect0 // ltxx.
rewrite exprS mxE => sum; suff [s /andP[Pis /IH sj]] : exists s, (0 < P i s) && (0 < (P ^+ k) s j).
  exact: connect_trans (connect1 Pis) sj.
apply/existsP; apply: contraLR sum => /existsPn none; rewrite -leNgt -oppr_ge0 -sumrN; apply: sumr_ge0 => s _.
rewrite oppr_ge0.
have := none s; have Pk : 0 <= (P ^+ k) s j.
  elim: k s {IH none} => [|k IH] s; first by rewrite expr0 mxE ler0n.
  by rewrite exprS mxE; apply: sumr_ge0 => s' _; rewrite mulr_ge0.
rewrite negb_and -!leNgt => /orP[le|le]; first exact: mulr_le0_ge0.
exact: mulr_ge0_le0.
Qed.

Section PositivePower.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (k : nat).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha : nat -> R) (theta0 : 'cV[R]_m).
Let star := - invmx (keyA d (gamma *: P) Phi lam L) *m keyb d (gamma *: P) (mean_reward q reward) Phi lam L.
Let theta := td state Phi lam gamma reward alpha theta0.

(* Assumption 2 from a positive power of P; d the stationary law *)
Theorem thm_4_3_positive_power : Num.archimedean_axiom R ->
  stochastic P -> (forall i j, 0 < (P ^+ k) i j) -> law P d -> observes state P q -> distribution init ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) -> full_column_rank Phi ->
  0 <= gamma < 1 -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  almost_surely (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)).
Proof.
move=> archi P_st pos d_law obs init1 a0 a_div a_sq rank g01 lam01 fin.
apply: thm_4_3 => //; first exact: positive_power_irreducible pos.
exact: (@column_power_limit _ _ _ _ k 0 archi P_st d_law (fun i => pos i 0)).
Qed.
End PositivePower.

(* Two states, P = [[½, ½], [¼, ¾]], φ = (1, 2), λ = (⅓), γ = ½, reward 1 on leaving the first state and −1 on
   leaving the second, θ_0 = 0, s_0 the first state, α_t = 1/(t + 1): A = −175/96, b = −10/9, and θ_t → −64/105
   almost surely. *)
Section Instance.
Variable R : archiFieldType.
Let q (i j : 'I_2) := walk R i j.
Let first_state (i : 'I_2) : R := (i == 0)%:R.
Let reward (i _ : 'I_2) : R := if i == 0 then 1 else -1.
Let theta := td (fun i => i) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [:: 3%:R^-1]) 2%:R^-1 reward
  (fun t => 1 / (t%:R + 1)) 0.

Theorem thm_4_3_instance :
  almost_surely (observation_kernel (fun i => i) q first_state) (fun h => (theta h 0 0 + 64%:R / 105%:R) ^+ 2).
Proof.
have archi := @archimedean R; have st := walk_stochastic R; have obs := states_observe st.
have init1 : distribution first_state by split=> [i|]; rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have r_mean : mean_reward q reward = mx 2 1 [:: [:: 1]; [:: -1]].
  by apply/matrixP => i j; rewrite !mxE -mulr_suml st.2 mul1r (ord1 j); each_index i.
have star : - invmx (keyA (walk_law R) (2%:R^-1 *: walk R) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [:: 3%:R^-1]) 1)
    *m keyb (walk_law R) (2%:R^-1 *: walk R) (mean_reward q reward) (mx 2 1 [:: [:: 1]; [:: 2%:R]])
      (schedule [:: 3%:R^-1]) 1
    = mx 1 1 [:: [:: - (64%:R / 105%:R)]].
  rewrite walk_A r_mean walk_b (_ : mx 1 1 [:: [:: - (175%:R / 96%:R)]] = (- (175%:R / 96%:R))%:M) ?invmx_scalar;
    by_entries.
apply: (almost_surely_le (observation_kernelP st obs init1) ltr01 (fun h => sqr_ge0 _)); last first.
  apply: (@thm_4_3_positive_power R 1 1 _ (fun i => i) (walk R) q first_state (walk_law R) 1
    (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [:: 3%:R^-1]) 1 2%:R^-1 reward (harmonic 1 1) 0) => //.
  - by move=> i j; rewrite expr1; each_index i; each_index j; rewrite mxE /= ?divr_gt0 ?invr_gt0 ?ltr0n.
  - exact: walk_law_law.
  - by move=> t; apply: harmonic_gt0; apply: ltr01.
  - by apply: harmonic_diverges => //; apply: ltr01.
  - by apply: harmonic_square => //; apply: ltr01.
  - by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
  - exact: half01.
  - by apply: schedule_01; rewrite /= in01_invn.
  - exact: schedule_of_size.
move=> h; rewrite mul1r star dotE big_ord1 -expr2.
by rewrite [X in _ <= X ^+ 2]mxE [X in _ <= (_ + X) ^+ 2]mxE [X in _ <= (_ + - X) ^+ 2]mxE opprK.
Qed.
End Instance.
