(* The paper's trace and the matrices of TD along a path of observations, and their stationary means (Lemma A4.1 and
   A4.1 of the paper), with importance ratios and with discounts that depend on the transition.

   h = (o_t, …, o_0), the latest first; s_t = state o_t; a quantity of the transition from s_t to s_{t+1} is a
   function of s_t and o_{t+1}, which holds the action a_t, the reward, s_{t+1}:
   gamma, rho, reward : 'I_n.+1 -> O -> R.

     feature h       φ(s_t), a column                     transition w0 f h   f(s_t, o_{t+1}), h = (o_{t+1}, o_t, …)
     past k h        (o_k, …, o_0)
     td_trace h      z_t = Σ_k c_{t-k} g_k … g_{t-1} φ(s_k), g = γρ off-policy, g = γ on-policy: Traces.trace
     td_matrix h     ρ_t z_t(γ_{t+1}φ_{t+1} − φ_t)ᵀ       td_vector h         ρ_t R_{t+1} z_t
     kernel_of g     N_ij = E[g(s_t, o_{t+1}); s_{t+1} = j | s_t = i]

   E_0 td_matrix = ΦᵀD(M − I)Φ [td_matrix_mean], where E[ρ_t | s_t] = 1 at every state with mass, and E_0 td_vector = ΦᵀDSr [td_vector_mean], D from the behaviour
   chain, M and S from N = kernel_of (γρ), r the mean reward of the target policy; E_0 φφᵀ = C [feature_mean]. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Traces trace_window.
From TD Require Import Paths Mixing Markov LinearSA.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Known.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (W : lmodType R).
Local Notation C := (@cond R S K W).

(* After k steps from h only the histories that end in h count. *)
Lemma cond_ext (F1 F2 : seq S -> W) k h : (forall h', drop k h' = h -> F1 h' = F2 h') -> iter k C F1 h = iter k C F2 h.
Proof.
elim: k h => [|k IH] h E /=; first by apply: E; rewrite drop0.
rewrite /cond; apply: eq_bigr => s _; congr (_ *: _); apply: IH => h' hd; apply: E.
by rewrite -addn1 addnC -drop_drop hd /= drop0.
Qed.

(* Taking out what is known *)
Lemma cond_scale a (F : seq S -> W) k h : iter k C (fun h => a *: F h) h = a *: iter k C F h.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond scaler_sumr; apply: eq_bigr => s _.
by rewrite IH !scalerA mulrC.
Qed.

Lemma iter_cond_sum I (l : seq I) (F : I -> seq S -> W) k h :
  iter k C (fun h => \sum_(i <- l) F i h) h = \sum_(i <- l) iter k C (F i) h.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond; under eq_bigr => s _ do rewrite IH scaler_sumr.
by rewrite exchange_big.
Qed.
End Known.

Lemma iter_cond_mull (R : realFieldType) (S : finType) (K : seq S -> S -> R) l1 l2 l3
  (B : 'M[R]_(l1, l2)) (F : seq S -> 'M[R]_(l2, l3)) k h :
  iter k (@cond _ _ K _) (fun h => B *m F h) h = B *m iter k (@cond _ _ K _) F h.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond mulmx_sumr; apply: eq_bigr => s _.
by rewrite IH -scalemxAr.
Qed.

Section Stationary.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (W : lmodType R).
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Local Notation C := (@cond R _ (observation_kernel state q init) W).

Lemma stationary_mean_ext w (F1 F2 : seq O -> W) : (forall h, F1 h = F2 h) ->
  stationary_mean state q init d w F1 = stationary_mean state q init d w F2.
Proof.
move=> E; apply: eq_bigr => i _; congr (_ *: _); apply: eq_bigr => o _; congr (_ *: _).
by apply: cond_ext => h _; apply: E.
Qed.

Lemma stationary_mean_sum I (l : seq I) w (F : I -> seq O -> W) :
  stationary_mean state q init d w (fun h => \sum_(i <- l) F i h) =
    \sum_(i <- l) stationary_mean state q init d w (F i).
Proof.
rewrite [RHS]exchange_big; apply: eq_bigr => i _ /=; rewrite -scaler_sumr; congr (_ *: _).
rewrite /observe [RHS]exchange_big; apply: eq_bigr => o _ /=; rewrite -scaler_sumr; congr (_ *: _).
exact: iter_cond_sum.
Qed.

Let T (H : 'I_n.+1 -> W) i := \sum_j P i j *: H j.
Let d_T H : \sum_i d 0 i *: T H i = \sum_i d 0 i *: H i.
Proof.
under eq_bigr => i _ do rewrite scaler_sumr.
rewrite exchange_big /=; apply: eq_bigr => j _; under eq_bigr => i _ do rewrite scalerA.
by rewrite -scaler_suml; congr (_ *: _); case: d_law => _ _ /matrixP/(_ 0 j) <-; rewrite mxE.
Qed.

(* If the mean, k steps before the end of the window, is H of the state of then, E_0 is Σ_i d_i H(i). *)
Lemma stationary_lag j k (F : seq O -> W) (H : 'I_n.+1 -> W) :
  (forall o h, iter k C F (o :: h) = H (state o)) ->
  stationary_mean state q init d (j + k) F = \sum_i d 0 i *: H i.
Proof.
move=> FH; have step o h : iter (j + k) C F (o :: h) = iter j T H (state o).
  rewrite iterD; elim: j o h => [|j IH] o h; first exact: FH.
  rewrite -[LHS]/(\sum_o' q (state o) o' *: iter j C (iter k C F) (o' :: o :: h)) [in RHS]iterS [in RHS]/T.
  by rewrite -(observe_state q_observes); apply: eq_bigr => o' _; rewrite IH.
transitivity (\sum_i d 0 i *: iter j T H i); last by elim: j {step} => [//|j IH]; rewrite iterS d_T.
rewrite -d_T; apply: eq_bigr => i _; congr (_ *: _); rewrite /T -(observe_state q_observes).
by apply: eq_bigr => o _; rewrite step.
Qed.
End Stationary.

Lemma local_drop (S W : Type) w k (F : seq S -> W) : local w F -> local (w + k) (fun h => F (drop k h)).
Proof. by move=> loc h h' E; apply: loc; rewrite !take_drop E. Qed.

(* h = (o_t, …, o_0) *)
Section Algorithm.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Implicit Types (h : seq O) (g gamma rho reward : 'I_n.+1 -> O -> R).

Definition feature h : 'cV[R]_m := if h is o :: _ then (row (state o) Phi)^T else 0.
Definition transition (W : Type) (w0 : W) (f : 'I_n.+1 -> O -> W) h : W :=
  if h is o' :: o :: _ then f (state o) o' else w0.
Definition past k h := drop (size h - k.+1) h.

Definition td_trace g h : 'cV[R]_m :=
  trace lam (fun k => transition 0 g (past k.+1 h)) (fun k => feature (past k h)) (size h).-1.

Definition td_matrix gamma rho h : 'M[R]_m :=
  td_trace (fun i o => gamma i o * rho i o) (behead h)
    *m transition 0 (fun i o => rho i o *: (gamma i o *: row (state o) Phi - row i Phi)) h.

Definition td_vector gamma rho reward h : 'cV[R]_m :=
  transition 0 (fun i o => rho i o * reward i o) h *: td_trace (fun i o => gamma i o * rho i o) (behead h).

(* By lags, the first w of them: the state seen k steps ago weighs c_k times the k last factors. *)
Definition td_lags w g h : 'cV[R]_m :=
  \sum_(0 <= k < w) (c lam k * \prod_(0 <= j < k) transition 0 g (drop j h)) *: feature (drop k h).

Lemma td_trace_lags g h : td_trace g h = td_lags (size h) g h.
Proof.
case: h => [|o h]; first by rewrite /td_trace /trace /td_lags big_nat1 scaler0 big_geq.
rewrite /td_trace trace_lags /=; apply: eq_big_nat => k /andP[_ kt].
rewrite ltnS in kt; rewrite /past /= subSS subKn //; congr ((_ * _) *: _).
rewrite /span -{1}[(size h - k)%N]add0n big_addn subKn // big_nat_rev /= add0n; apply: eq_big_nat => j /andP[_ jk].
suff -> : (k - j.+1 + (size h - k)).+1 = (size h - j)%N by rewrite subSS subKn // (leq_trans (ltnW jk)).
by rewrite -addSn subnSK // addnC addnBA ?(ltnW jk) // subnK.
Qed.

Lemma td_trace_ext g g' h : (forall i o, g i o = g' i o) -> td_trace g h = td_trace g' h.
Proof.
move=> E; rewrite !td_trace_lags; apply: eq_bigr => k _; congr ((_ * _) *: _); apply: eq_bigr => j _.
by case: (drop j h) => [|o [|o' h']] /=.
Qed.

(* The paper's window of L + 1 states. *)
Lemma td_trace_window L g h : finite_schedule L lam ->
  td_trace g h = window L lam (fun k => transition 0 g (past k.+1 h)) (fun k => feature (past k h)) (size h).-1.
Proof. exact: trace_window_corrected. Qed.

Lemma td_trace_upto w g h : (size h <= w)%N -> td_trace g h = td_lags w g h.
Proof.
move=> hw; rewrite td_trace_lags /td_lags [RHS](@big_cat_nat _ _ _ (size h)) //= [X in _ = _ + X]big_nat.
by rewrite [X in _ = _ + X]big1 ?addr0 // => k /andP[hk _]; rewrite drop_oversize ?scaler0.
Qed.

Lemma td_trace_finite L g h : finite_schedule L lam -> td_trace g h =
  \sum_(0 <= k < L.+1) (c lam k * \prod_(0 <= j < k) transition 0 g (drop j h)) *: feature (drop k h).
Proof.
move=> finL; rewrite -/(td_lags L.+1 g h) (@td_trace_upto (size h + L.+1)) ?leq_addr // /td_lags.
rewrite (@big_cat_nat _ _ _ L.+1) ?leq_addl //= [X in _ + X]big_nat.
by rewrite [X in _ + X]big1 ?addr0 // => k /andP[Lk _]; rewrite (c_out finL) ?mul0r ?scale0r.
Qed.

Lemma feature_local : local 1 feature.
Proof. by move=> [|o h] [|o' h'] //= [->]. Qed.

Lemma transition_local (W : Type) (w0 : W) f : local 2 (transition w0 f).
Proof. by move=> [|o [|o1 h]] [|o' [|o1' h']] //= [-> ->]. Qed.

Lemma td_lags_local w g : local w (td_lags w g).
Proof.
move=> h h' E; apply: eq_big_nat => k /andP[_ kw].
have near (W : Type) l j (F : seq O -> W) : local l F -> (l + j <= w)%N -> F (drop j h) = F (drop j h').
  by move=> loc le; apply: (local_le le (local_drop (k := j) loc)).
rewrite (near _ _ _ _ feature_local) //; congr ((_ * _) *: _); apply: eq_big_nat => j /andP[_ jk].
by rewrite (near _ _ _ _ (@transition_local _ _ _)) //; apply: leq_ltn_trans jk kw.
Qed.

Lemma td_trace_local L g : finite_schedule L lam -> local L.+1 (td_trace g).
Proof. by move=> finL h h' E; rewrite !(td_trace_finite _ _ finL); apply: td_lags_local. Qed.

Lemma td_matrix_local L gamma rho : finite_schedule L lam -> local L.+2 (td_matrix gamma rho).
Proof.
move=> finL h h' E; rewrite /td_matrix (local_le _ (@transition_local _ _ _) E) //; congr (_ *m _).
by rewrite -!drop1; apply: (local_drop (k := 1) (td_trace_local _ finL)); rewrite addn1.
Qed.

Lemma td_vector_local L gamma rho reward : finite_schedule L lam -> local L.+2 (td_vector gamma rho reward).
Proof.
move=> finL h h' E; rewrite /td_vector (local_le _ (@transition_local _ _ _) E) //; congr (_ *: _).
by rewrite -!drop1; apply: (local_drop (k := 1) (td_trace_local _ finL)); rewrite addn1.
Qed.
End Algorithm.

Section Means.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (L : nat).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Hypothesis lam_finite : finite_schedule L lam.
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).
Local Notation feature := (feature state Phi).
Local Notation transition := (transition state).

Definition kernel_of (g : 'I_n.+1 -> O -> R) : 'M[R]_n.+1 := \matrix_(i, j) \sum_(o | state o == j) q i o * g i o.
(* the mean of y(s_t, o_{t+1}) after each state, row by row *)
Definition mean_rows l (y : 'I_n.+1 -> O -> 'rV[R]_l) : 'M[R]_(n.+1, l) := \matrix_i \sum_o q i o *: y i o.

Definition mean_reward (reward : 'I_n.+1 -> O -> R) : 'cV[R]_n.+1 := \col_i \sum_o q i o * reward i o.

Lemma kernel_of_const gamma : kernel_of (fun=> fun=> gamma) = gamma *: P.
Proof. by apply/matrixP => i j; rewrite !mxE -mulr_suml q_observes.2 mulrC. Qed.

Lemma kernel_of_state (g : 'I_n.+1 -> O -> R) l (Y : 'M[R]_(n.+1, l)) i :
  \sum_o (q i o * g i o) *: row (state o) Y = row i (kernel_of g *m Y).
Proof. by rewrite (sum_state state _ (fun j => row j Y)) row_mul mulmx_sum_row; apply: eq_bigr => j _;
  rewrite !mxE. Qed.

(* k factors and what follows them, k + 1 steps before: the k-th power of the kernel of g *)
Lemma lag_mean g l (y : 'I_n.+1 -> O -> 'rV[R]_l) k o h :
  iter k.+1 (@cond _ _ K _) (fun h => (\prod_(0 <= j < k) transition 0 g (drop j (behead h))) *: transition 0 y h)
    (o :: h)
  = row (state o) (kernel_of g ^+ k *m mean_rows y).
Proof.
elim: k o h => [|k IH] o h.
  rewrite expr0 mul1mx rowK; apply: eq_bigr => o' _; congr (_ *: _).
  by rewrite /= big_geq // scale1r.
rewrite exprS -mulmxA -kernel_of_state.
rewrite -[LHS]/(\sum_o' q (state o) o' *: iter k.+1 (@cond _ _ K _) _ (o' :: o :: h)).
apply: eq_bigr => o' _; rewrite -scalerA; congr (_ *: _); rewrite -(IH o' (o :: h)) -cond_scale;
  apply: cond_ext => h' hd.
by rewrite scalerA big_nat_recr //= [X in _ = X *: _]mulrC; congr (_ * _ *: _); rewrite -drop1 drop_drop addn1 hd.
Qed.

(* E_0[z y(s_t, o_{t+1})ᵀ] = ΦᵀD(Σ_{k<w} c_k Nᵏ)Y for the trace z of the last w states *)
Theorem lags_mean w g l (y : 'I_n.+1 -> O -> 'rV[R]_l) :
  E0 w (fun h => td_lags state Phi lam w g (behead h) *m transition 0 y h)
  = Phi^T *m diag_mx d *m ((\sum_(0 <= k < w) c lam k *: kernel_of g ^+ k) *m mean_rows y).
Proof.
pose X k := kernel_of g ^+ k *m mean_rows y.
pose F k h := c lam k *: (feature (drop k.+1 h) *m ((\prod_(0 <= j < k) transition 0 g (drop j (behead h))) *:
  transition 0 y h)).
transitivity (E0 w (fun h => \sum_(0 <= k < w) F k h)).
  apply: stationary_mean_ext => h; rewrite mulmx_suml; apply: eq_bigr => k _.
  by rewrite /F -drop1 drop_drop addn1 -scalemxAr scalerA -scalemxAl.
rewrite stationary_mean_sum mulmx_suml mulmx_sumr; apply: eq_big_nat => k /andP[_ kw].
rewrite -{1}(subnK kw) (@stationary_lag _ _ _ _ _ _ _ _ _ q_observes d_law _ k.+1 (F k) (fun i =>
  c lam k *: ((row i Phi)^T *m row i (X k)))) => [|o h].
  have H (a b e x : R) : a * (b * (e * x)) = b * (e * a * x) by ring.
  apply/matrixP => i j; rewrite -scalemxAl -scalemxAr summxE [RHS]mxE mxE mulr_sumr; apply: eq_bigr => s _.
  by rewrite mul_mx_diag !mxE big_ord1 !mxE; apply: H.
rewrite /X -(lag_mean _ _ _ o h) -iter_cond_mull -cond_scale; apply: cond_ext => h' hd.
by rewrite /F hd.
Qed.

Theorem trace_mean g l (y : 'I_n.+1 -> O -> 'rV[R]_l) :
  E0 L.+1 (fun h => td_trace state Phi lam g (behead h) *m transition 0 y h)
  = Phi^T *m diag_mx d *m (trace_sum lam L (kernel_of g) *m mean_rows y).
Proof. by rewrite -lags_mean; apply: stationary_mean_ext => h; rewrite (td_trace_finite _ _ _ _ lam_finite). Qed.

(* Only states with mass count: the chain does not leave them, so that no other row of a kernel enters A or b. *)
Lemma mass_stays g i j : 0 < d 0 i -> ~~ (0 < d 0 j) -> kernel_of g i j = 0.
Proof.
case: d_law => d0 _ dP di; rewrite lt_neqAle d0 andbT negbK eq_sym => /eqP dj; have Pij : P i j = 0.
  have := dj; rewrite -dP mxE => /eqP; rewrite psumr_eq0 => [/allP/(_ i)|k _]; last by rewrite mulr_ge0 // P_stochastic.1.
  by rewrite mem_index_enum mulf_eq0 (gt_eqF di) => /(_ isT)/eqP.
rewrite mxE big1 // => o oj; suff -> : q i o = 0 by rewrite mul0r.
have := q_observes.2 i j; rewrite Pij => /eqP; rewrite psumr_eq0 => [/allP/(_ o)|k _]; last exact: q_observes.1.
by rewrite mem_index_enum oj => /(_ isT)/eqP.
Qed.

Section Agree.
Variables (g : 'I_n.+1 -> O -> R) (N' : 'M[R]_n.+1).
Hypothesis agree : forall i j, 0 < d 0 i -> kernel_of g i j = N' i j.

Lemma powers_agree l (Z Z' : 'M[R]_(n.+1, l)) k i j : (forall i j, 0 < d 0 i -> Z i j = Z' i j) -> 0 < d 0 i ->
  (kernel_of g ^+ k *m Z) i j = (N' ^+ k *m Z') i j.
Proof.
move=> E; elim: k i j => [|k IH] i j di; first by rewrite !expr0 !mul1mx E.
rewrite !exprS -!mulmxA !mxE; apply: eq_bigr => s _; rewrite -agree //.
by have [ds|ds] := boolP (0 < d 0 s); [rewrite IH | rewrite (mass_stays g di ds) !mul0r].
Qed.

Lemma sums_agree l (Z Z' : 'M[R]_(n.+1, l)) : (forall i j, 0 < d 0 i -> Z i j = Z' i j) ->
  Phi^T *m diag_mx d *m (trace_sum lam L (kernel_of g) *m Z) = Phi^T *m diag_mx d *m (trace_sum lam L N' *m Z').
Proof.
move=> E; rewrite -!mulmxA; congr (_ *m _); apply/matrixP => i j; rewrite !mul_diag_mx !mxE.
have [di|] := boolP (0 < d 0 i); last first.
  by case: d_law => d0 _ _; rewrite lt_neqAle d0 andbT negbK eq_sym => /eqP ->; rewrite !mul0r.
congr (_ * _); have sumE (N1 : 'M[R]_n.+1) (Z1 : 'M[R]_(n.+1, l)) :
    \sum_s trace_sum lam L N1 i s * Z1 s j = \sum_(0 <= k < L.+1) c lam k * (N1 ^+ k *m Z1) i j.
  transitivity ((trace_sum lam L N1 *m Z1) i j); first by rewrite mxE.
  by rewrite /trace_sum mulmx_suml summxE; apply: eq_bigr => k _; rewrite -scalemxAl mxE.
by rewrite !sumE; apply: eq_bigr => k _; rewrite (powers_agree k j E di).
Qed.

Lemma keyA_agree : keyA d (kernel_of g) Phi lam L = keyA d N' Phi lam L.
Proof.
rewrite /keyA -!(telescoping_sums _ lam_finite) -!mulmxA [LHS]mulmxA [RHS]mulmxA; apply: sums_agree => i j di.
rewrite !mulmxBl !mul1mx !mxE; congr (_ - _); apply: eq_bigr => s _; by rewrite agree.
Qed.

Lemma keyb_agree (r r' : 'cV[R]_n.+1) : (forall i, 0 < d 0 i -> r i 0 = r' i 0) ->
  keyb d (kernel_of g) r Phi lam L = keyb d N' r' Phi lam L.
Proof. by move=> E; apply: sums_agree => i j; rewrite (ord1 j); apply: E. Qed.
End Agree.

(* A4.1: E_0[ρ_t z_t(γ_{t+1}φ_{t+1} − φ_t)ᵀ] = ΦᵀD(M − I)Φ and E_0[ρ_tR_{t+1}z_t] = ΦᵀDSr,
   r_i = E[ρ_tR_{t+1} | s_t = i]. *)
Variables gamma rho reward : 'I_n.+1 -> O -> R.
Let N := kernel_of (fun i o => gamma i o * rho i o).

Lemma td_row_mean i : \sum_o q i o * rho i o = 1 ->
  row i (mean_rows (fun i o => rho i o *: (gamma i o *: row (state o) Phi - row i Phi))) = row i ((N - 1%:M) *m Phi).
Proof.
move=> rho_mean; rewrite rowK mulmxBl mul1mx raddfB /= -kernel_of_state -[X in _ =
  _ - X]scale1r -rho_mean scaler_suml -sumrB.
by apply: eq_bigr => o _; rewrite !scalerBr !scalerA -mulrA [rho i o * _]mulrC.
Qed.

Lemma td_rows_mean : (forall i, \sum_o q i o * rho i o = 1) ->
  mean_rows (fun i o => rho i o *: (gamma i o *: row (state o) Phi - row i Phi)) = (N - 1%:M) *m Phi.
Proof. by move=> rho_mean; apply/row_matrixP => i; apply: td_row_mean. Qed.

Hypothesis rho_mean : forall i, 0 < d 0 i -> \sum_o q i o * rho i o = 1.

Theorem td_matrix_mean : E0 L.+1 (td_matrix state Phi lam gamma rho) = keyA d N Phi lam L.
Proof.
rewrite trace_mean /keyA -(telescoping_sums _ lam_finite) -!mulmxA [LHS]mulmxA [RHS]mulmxA.
apply: sums_agree => // i j di; by have /rowP/(_ j) := td_row_mean (rho_mean di); rewrite !mxE.
Qed.

Let paid i o : 'rV[R]_1 := (rho i o * reward i o)%:M.

Lemma paid_mean : mean_rows paid = mean_reward (fun i o => rho i o * reward i o).
Proof.
by apply/matrixP => i j; rewrite !mxE summxE; apply: eq_bigr => o _; rewrite !mxE (ord1 j) eqxx mulr1n.
Qed.

Lemma td_vectorE h : td_vector state Phi lam gamma rho reward h =
  td_trace state Phi lam (fun i o => gamma i o * rho i o) (behead h) *m transition 0 paid h.
Proof. by case: h => [|o' [|o h]]; rewrite /td_vector /= ?scale0r ?mulmx0 // mul_mx_scalar. Qed.

Theorem td_vector_mean : E0 L.+1 (td_vector state Phi lam gamma rho reward) =
  keyb d N (mean_reward (fun i o => rho i o * reward i o)) Phi lam L.
Proof. by rewrite /keyb -paid_mean -trace_mean; apply: stationary_mean_ext => h; apply: td_vectorE. Qed.

(* C = E_0[φ_tφ_tᵀ] *)
Theorem feature_mean w : E0 w.+1 (fun h => feature (behead h) *m (feature (behead h))^T) = keyC d Phi.
Proof.
rewrite -{1}[w.+1]addn1 (@stationary_lag _ _ _ _ _ _ _ _ _ q_observes d_law _ 1 _ (fun i =>
  (row i Phi)^T *m row i Phi)) => [|o h].
  apply/matrixP => i j; rewrite /keyC summxE [RHS]mxE; apply: eq_bigr => s _.
  by rewrite mul_mx_diag !mxE big_ord1 !mxE mulrA [_ * d 0 s]mulrC.
transitivity (\sum_o' q (state o) o' *: ((row (state o) Phi)^T *m row (state o) Phi)).
  by apply: eq_bigr => o' _; rewrite /= trmxK.
by rewrite -scaler_suml (observes_sum _ q_observes) P_stochastic.2 scale1r.
Qed.
End Means.
