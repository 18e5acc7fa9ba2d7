(* The off-policy algorithms of §3 as printed, along a path of observations, and their matrix form.

   h = (o_t, …, o_0), the latest first; s_t = state o_t; gamma, rho, reward are functions of s_t and o_{t+1}, so that
   the discount may depend on the transition and ρ_t on the action. On-policy ρ = 1. α_t, β_t are the steps from s_t
   to s_{t+1}, t ≥ 0.

     td_delta θ i o     δ_t = R_{t+1} + γφ_{t+1}ᵀθ − φ_tᵀθ
     td_z o' h          z_t = ρ_t Σ_k (Π_{j=1}^{t−k} ρ_{t−j}γλ_j) φ(s_k), o' = o_{t+1}, h = (o_t, …, o_0)
     off_policy_td h    θ_{t+1} = θ_t + α_t δ_t z_t
     gtd h              θ_{t+1} = θ_t + α_t (φ_t − γφ_{t+1}) z_tᵀ w_t,
                        w_{t+1} = w_t + β_t (δ_t(θ_t) z_t − φ_tφ_tᵀ w_t)
     tdc h              θ_{t+1} = θ_t + α_t δ_t(θ_t) z_t − α_t ((γφ_{t+1} − φ_t) z_tᵀ w_t + φ_tφ_tᵀ w_t), w as in GTD
   before the first transition θ_0 and w_0, any. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Limits Examples Markov Windows Policies.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Algorithms.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (gamma rho reward : 'I_n.+1 -> O -> R) (alpha beta : nat -> R) (theta0 w0 : 'cV[R]_m).
Implicit Types (theta w : 'cV[R]_m) (h : seq O).

Definition phi i : 'cV[R]_m := (row i Phi)^T.
Definition td_delta theta i o : R := reward i o + gamma i o * dot (phi (state o)) theta - dot (phi i) theta.
Definition td_z o' h : 'cV[R]_m :=
  if h is o :: _ then rho (state o) o' *: td_trace state Phi lam (fun i o => gamma i o * rho i o) h else 0.

Fixpoint off_policy_td h : 'cV[R]_m :=
  if h is o' :: ((o :: past) as h') then
    let theta := off_policy_td h' in theta + alpha (size past) *: (td_delta theta (state o) o' *: td_z o' h')
  else theta0.

(* w_{t+1}, of GTD and of TDC *)
Definition w_step o' o past theta w : 'cV[R]_m := let i := state o in
  w + beta (size past) *: (td_delta theta i o' *: td_z o' (o :: past) - phi i *m (phi i)^T *m w).

Definition gtd_step o' o past (x : 'cV[R]_m * 'cV[R]_m) : 'cV[R]_m * 'cV[R]_m := let (theta, w) := x in let i := state
  o in
  (theta + alpha (size past) *: ((phi i - gamma i o' *: phi (state o')) *m (td_z o' (o :: past))^T *m w),
   w_step o' o past theta w).

Fixpoint gtd h : 'cV[R]_m * 'cV[R]_m :=
  if h is o' :: ((o :: past) as h') then gtd_step o' o past (gtd h') else (theta0, w0).

Definition tdc_step o' o past (x : 'cV[R]_m * 'cV[R]_m) : 'cV[R]_m * 'cV[R]_m := let (theta, w) := x in let i := state
  o in
  let z := td_z o' (o :: past) in
  (theta + alpha (size past) *: (td_delta theta i o' *: z)
         - alpha (size past) *: ((gamma i o' *: phi (state o') - phi i) *m z^T *m w + phi i *m (phi i)^T *m w),
   w_step o' o past theta w).

Fixpoint tdc h : 'cV[R]_m * 'cV[R]_m :=
  if h is o' :: ((o :: past) as h') then tdc_step o' o past (tdc h') else (theta0, w0).

(* A(X_t), b(X_t), C(X_t) *)
Definition A_of := td_matrix state Phi lam gamma rho.
Definition b_of := td_vector state Phi lam gamma rho reward.
Definition C_of h : 'M[R]_m := feature state Phi (behead h) *m (feature state Phi (behead h))^T.

(* δ_t(θ)z_t = A(X_t)θ + b(X_t) *)
Lemma td_delta_zE theta o' o h :
  td_delta theta (state o) o' *: td_z o' (o :: h) = A_of (o' :: o :: h) *m theta + b_of (o' :: o :: h).
Proof.
rewrite /A_of /b_of /td_matrix /td_vector /td_z; set z := td_trace _ _ _ _ _.
have D i : row i Phi *m theta = (dot (phi i) theta)%:M by rewrite [LHS]mx11_scalar /dot /phi trmxK.
rewrite /= -mulmxA -scalemxAl mulmxBl -scalemxAl !D scale_scalar_mx -raddfB scale_scalar_mx mul_mx_scalar -scalerDl
  scalerA.
by congr (_ *: _); rewrite /td_delta; ring.
Qed.

(* (φ_t − γφ_{t+1})z_tᵀ = −A(X_t)ᵀ *)
Lemma td_gradientE o' o h :
  (phi (state o) - gamma (state o) o' *: phi (state o')) *m (td_z o' (o :: h))^T = - (A_of (o' :: o :: h))^T.
Proof.
rewrite /A_of /td_matrix /td_z /phi; set z := td_trace _ _ _ _ _.
rewrite [transition _ _ _ _]/= -scalemxAr !linearZ /= trmx_mul linearB linearZ /=.
by rewrite -mulNmx opprB scalerN.
Qed.

Lemma off_policy_tdE o' o h : off_policy_td (o' :: o :: h)
  = off_policy_td (o :: h) + alpha (size h) *: (A_of (o' :: o :: h) *m off_policy_td (o :: h) + b_of (o' :: o :: h)).
Proof. by rewrite -td_delta_zE. Qed.

Lemma off_policy_td_step o h : off_policy_td (o :: h)
  = off_policy_td h + alpha (size h).-1 *: (A_of (o :: h) *m off_policy_td h + b_of (o :: h)).
Proof.
case: h => [|o' h]; last exact: off_policy_tdE.
by rewrite /A_of /b_of /td_matrix /td_vector /= mulmx0 mul0mx scale0r addr0 scaler0 addr0.
Qed.

Lemma w_stepE o' o h theta w : w_step o' o h theta w
  = w + beta (size h) *: (A_of (o' :: o :: h) *m theta + b_of (o' :: o :: h) - C_of (o' :: o :: h) *m w).
Proof. by rewrite /w_step td_delta_zE. Qed.

Lemma gtd_thetaE o' o h :
  (gtd (o' :: o :: h)).1 = (gtd (o :: h)).1 - alpha (size h) *: ((A_of (o' :: o :: h))^T *m (gtd (o :: h)).2).
Proof.
rewrite -[gtd (o' :: _)]/(gtd_step o' o h (gtd (o :: h))); case: (gtd _) => theta w.
by rewrite /gtd_step td_gradientE mulNmx scalerN.
Qed.

Lemma gtd_wE o' o h : (gtd (o' :: o :: h)).2 = (gtd (o :: h)).2
  + beta (size h) *: (A_of (o' :: o :: h) *m (gtd (o :: h)).1 + b_of (o' :: o :: h) - C_of (o' :: o :: h) *m (gtd (o
    :: h)).2).
Proof. by rewrite -w_stepE -[gtd (o' :: _)]/(gtd_step o' o h (gtd (o :: h))); case: (gtd _). Qed.

Lemma tdc_thetaE o' o h : (tdc (o' :: o :: h)).1 = (tdc (o :: h)).1
  + alpha (size h) *: (A_of (o' :: o :: h) *m (tdc (o :: h)).1 + b_of (o' :: o :: h) - (A_of (o' :: o :: h))^T *m (tdc
    (o :: h)).2
                       - C_of (o' :: o :: h) *m (tdc (o :: h)).2).
Proof.
rewrite -[tdc (o' :: _)]/(tdc_step o' o h (tdc (o :: h))); case: (tdc _) => theta w.
rewrite /tdc_step /= td_delta_zE -addrA -scalerBr; congr (_ + _ *: _).
by rewrite -[gamma _ _ *: _ - _]opprB mulNmx td_gradientE opprK opprD addrA.
Qed.

Lemma tdc_wE o' o h : (tdc (o' :: o :: h)).2 = (tdc (o :: h)).2
  + beta (size h) *: (A_of (o' :: o :: h) *m (tdc (o :: h)).1 + b_of (o' :: o :: h) - C_of (o' :: o :: h) *m (tdc (o
    :: h)).2).
Proof. by rewrite -w_stepE -[tdc (o' :: _)]/(tdc_step o' o h (tdc (o :: h))); case: (tdc _). Qed.

Lemma C_of_local l : local l.+2 C_of.
Proof. by move=> [|o' [|o h]] [|o1' [|o1 h1]] //= [_ E _]; rewrite /C_of /= E. Qed.
End Algorithms.

(* On-policy: ρ = 1. *)
Section OnPolicy.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1) (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.

Lemma one_mean (d : 'rV[R]_n.+1) i : 0 < d 0 i -> \sum_o q i o * 1 = 1.
Proof. by move=> _; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ q_observes) P_stochastic.2. Qed.

Lemma one_kernel gamma : kernel_of state q (fun i o => gamma * 1) = gamma *: P.
Proof.
by rewrite -(kernel_of_const q_observes); apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulr1.
Qed.

Lemma one_reward reward : mean_reward q (fun i o => 1 * reward i o) = mean_reward q reward.
Proof. by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mul1r. Qed.
End OnPolicy.

(* |θ − θ*|² + |w|² of x = (θ, w) *)
Definition distance2 (R : realFieldType) m (star : 'cV[R]_m) (x : 'cV[R]_m * 'cV[R]_m) : R :=
  dot (x.1 - star) (x.1 - star) + dot x.2 x.2.

(* θ→2θ as a decision process: action a leads to state a; the behaviour policy draws it evenly, the target policy
   always takes the second one; φ = (1, 2), reward 1 on leaving the first state. A = 3γ − 5/2 for TD(0). *)
Section ThetaToTwoTheta.
Variable R : realFieldType.

Definition go_to (a : 'I_2) : 'M[R]_2 := \matrix_(i, j) (j == a)%:R.
Definition evenly (i a : 'I_2) : R := 2%:R^-1.
Definition second (i a : 'I_2) : R := (a == 1)%:R.
Definition two_features : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: 2%:R]].
Definition leaving_first (i : 'I_2) (o : 'I_2 * 'I_2) : R := (i == 0)%:R.

Lemma go_to_stochastic a : stochastic (go_to a).
Proof.
split=> [i j|i]; first by rewrite mxE ler0n.
by rewrite (bigD1 a) //= mxE eqxx big1 ?addr0 // => j /negbTE ja; rewrite mxE ja.
Qed.

Lemma evenly_policy : policy evenly.
Proof. by split=> [a|]; [rewrite invr_ge0 ler0n | rewrite /evenly; by_field]. Qed.

Lemma second_policy : policy second.
Proof. by split=> [a|]; [rewrite ler0n | rewrite !big_ord_recl big_ord0 /second /= addr0 add0r]. Qed.

Lemma evenly_covers (d : 'rV[R]_2) : covers d evenly second.
Proof. by move=> i a _ /eqP; rewrite invr_eq0 pnatr_eq0. Qed.

Lemma evenly_kernel : policy_kernel go_to evenly = even R.
Proof. by rewrite /policy_kernel /evenly; by_entries. Qed.

Lemma second_kernel : policy_kernel go_to second = to_second R.
Proof. by rewrite /policy_kernel /second; by_entries. Qed.

(* the behaviour chain has the limit law (1, 1)/2 *)
Lemma evenly_limit (i j : 'I_2) : tends_to (fun t => (policy_kernel go_to evenly ^+ t) i j) (flip_law R 0 j).
Proof.
rewrite evenly_kernel; have powers t : even R ^+ t.+1 = even R.
  by elim: t => [|t IH]; rewrite ?expr1 // exprS IH -mulmxE; by_entries.
apply: (tends_to_eventually (N := 1) _ (tends_to_const _)) => -[//|t] _; rewrite powers.
by each_index j; rewrite !mxE /=.
Qed.

Variable gamma : R.
Let N := gamma *: policy_kernel go_to second.

(* TD(0), the empty schedule *)
Lemma two_features_A : keyA (flip_law R) N two_features (schedule [::]) 0 = (3%:R * gamma - 5%:R / 2%:R)%:M.
Proof. by rewrite /keyA M0 // mul_mx_diag -mulmxA /N second_kernel; by_entries. Qed.

Lemma two_features_b : keyb (flip_law R) N (policy_reward go_to second leaving_first) two_features (schedule [::]) 0 =
  2%:R^-1%:M.
Proof.
have -> : policy_reward go_to second leaving_first = mx 2 1 [:: [:: 1]; [:: 0]].
  apply/matrixP => i j; rewrite mxE -(pair_bigA _ (fun a s => second i a * go_to a i s * leaving_first i (a, s))) /=.
  by each_index i; each_index j; expand; rewrite /second /leaving_first /=; by_field.
by rewrite /keyb trace_sum0 mul1mx mul_mx_diag; by_entries.
Qed.

Lemma two_features_C : keyC (flip_law R) two_features = (5%:R / 2%:R)%:M.
Proof. by rewrite /keyC mul_mx_diag; by_entries. Qed.
End ThetaToTwoTheta.

(* γ = 9/10: A = 1/5, and −A⁻¹b = −5/2. *)
Section NineTenths.
Variable R : realFieldType.
Let N := (9%:R / 10%:R) *: policy_kernel (go_to R) (second R).
Let A := keyA (flip_law R) N (two_features R) (schedule [::]) 0.

Lemma nine_tenths_A : A = 5%:R^-1%:M.
Proof. by rewrite /A two_features_A; congr (_%:M); field; rewrite ?pnatr_eq0. Qed.

Lemma nine_tenths_unit : A \in unitmx.
Proof. by rewrite nine_tenths_A unitmxE det_scalar expr1 unitfE invr_eq0 pnatr_eq0. Qed.

Lemma nine_tenths_rest : - invmx A *m keyb (flip_law R) N (policy_reward (go_to R) (second R) (leaving_first R))
  (two_features R)
  (schedule [::]) 0 = (- (5%:R / 2%:R))%:M.
Proof. by rewrite nine_tenths_A two_features_b invmx_scalar invrK mulNmx -scalar_mxM -raddfN. Qed.
End NineTenths.
