(* Claim: schedules_without_end
   Place: §2: "if λ_j = 1 for all j, then we obtain the MC algorithm; if λ_j = λ for all j, then we obtain the TD(λ)
   algorithm"; the paper's convergence theorems ask for λ_j = 0, j > L.
   Statement: without that condition, with any λ_j ∈ [0,1] and γ < 1, TD(λ)-schedule on-policy converges to −A⁻¹b
   almost surely under Assumptions 1–3, A = ΦᵀDS(γP − I)Φ, b = ΦᵀDSr, S = Σ_{k≥0} c_k(γP)ᵏ.
   Reading: θ_t is the algorithm of thm_4_3, with the whole trace. S is any matrix to which the partial sums of the
   series converge entry by entry (over the reals they do; TD(λ) and Monte Carlo have it in closed form).
   [off_policy_schedules_without_end] the same off-policy where |λ_jγρ| ≤ β < 1 for every j and every transition, if A
   has a Lyapunov matrix: QA < 0 for some Q > 0.
   "Almost surely" is [almost_surely] of ProbabilityOne.v.
   Not formalised: off-policy with γ sup λ max ρ ≥ 1, where the trace need not be bounded. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Lyapunov Chain Limits KeyMatrices prop_4_1 Traces.
From TD Require Import Paths Sequences OneStep Convergence ProbabilityOne Mixing Markov MarkovConvergence LinearSA
  LyapunovSA Windows Fading Steps Examples KeyMatricesInstances thm_4_3.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Trace.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (beta : R).
Variable g : 'I_n.+1 -> O -> R.
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Hypothesis beta01 : 0 <= beta < 1.
Hypothesis g_le : forall j i o, (0 < j)%N -> `|lam j * g i o| <= beta.
Local Notation E0 := (stationary_mean state q init d).
Local Notation N := (kernel_of state q g).
Let beta0 : 0 <= beta. Proof. by case/andP: beta01. Qed.
Let weight k h : R := c lam k * \prod_(0 <= j < k) transition state 0 g (drop j h).

Lemma weight_le k h : `|weight k h| <= beta ^+ k.
Proof.
elim: k => [|k IH]; first by rewrite /weight c0 big_geq // mul1r normr1 expr0.
rewrite /weight cS big_nat_recr //= mulrACA normrM exprSr ler_pmul //.
case: (drop k h) => [|o [|o' h']] /=; rewrite ?mulr0 ?normr0 //; exact: g_le.
Qed.

Lemma powers_le a b : \sum_(a <= k < b) beta ^+ k <= beta ^+ a * (1 - beta)^-1.
Proof.
rewrite -{1}[a]add0n big_addn; under eq_bigr => k _ do rewrite addnC exprD.
by rewrite -mulr_sumr ler_wpmul2l ?exprn_ge0 // sum_powers.
Qed.

Let tail_le a b h : entries_le (\sum_(a <= k < b) weight k h *: feature state Phi (drop k h))
  (beta ^+ a * (1 - beta)^-1 * total Phi).
Proof.
move=> i j; rewrite summxE; apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ (\sum_(a <= k < b) beta ^+ k * total Phi)); last first.
  by rewrite -mulr_suml ler_wpmul2r ?total_ge0 // powers_le.
apply: ler_sum => k _; rewrite mxE normrM ler_pmul ?weight_le //.
case: (drop k h) => [|o h'] /=; first by rewrite mxE normr0 total_ge0.
by rewrite !mxE; apply: entries_le_total.
Qed.

Lemma td_trace_near w h : entries_le (td_trace state Phi lam g h - td_lags state Phi lam w g h)
  (beta ^+ w * (1 - beta)^-1 * total Phi).
Proof.
rewrite (@td_trace_upto _ _ _ _ _ _ _ (size h + w)) ?leq_addr // /td_lags (@big_cat_nat _ _ _ w) ?leq_addl //=.
by rewrite addrC addKr; apply: tail_le.
Qed.

(* c_kNᵏ has rows of at most βᵏ *)
Lemma power_rows k : rows_le (c lam k *: N ^+ k) (beta ^+ k).
Proof.
elim: k => [|k IH].
  move=> i; rewrite c0 expr0 scale1r (bigD1 i) //= mxE eqxx normr1 big1 ?addr0 ?expr0 // => j ji.
  by rewrite mxE eq_sym (negbTE ji) normr0.
rewrite cS [N ^+ _]exprSr -scalerA [lam _ *: _]scalerAr scalerAl exprSr; apply: rows_le_mul => // i.
apply: (@le_trans _ _ (\sum_j \sum_(o | state o == j) q i o * beta)).
  apply: ler_sum => j _; rewrite !mxE mulr_sumr; apply: le_trans (ler_norm_sum _ _ _) _.
  apply: ler_sum => o _; rewrite mulrCA normrM ger0_norm ?q_observes.1 // ler_wpmul2l ?q_observes.1 //.
  exact: g_le.
have <- : \sum_o q i o * beta = \sum_j \sum_(o | state o == j) q i o * beta by rewrite (partition_big state xpredT).
by rewrite -mulr_suml (observes_sum _ q_observes) P_stochastic.2 mul1r.
Qed.

Variable S : 'M[R]_n.+1.
Hypothesis S_limit : forall i j, tends_to (fun K => (trace_sum lam K N) i j) (S i j).

Lemma partial_sum_near w : entries_le (\sum_(0 <= k < w) c lam k *: N ^+ k - S) (beta ^+ w * (1 - beta)^-1).
Proof.
move=> i j; apply/ler_addgt0Pr => e /(S_limit i j)[K near]; have := near (w + K)%N (leq_addl _ _).
rewrite /trace_sum (@big_cat_nat _ _ _ w) //=; last by rewrite leqW // leq_addr.
set T := \sum_(0 <= k < w) _; set U := \sum_(w <= k < _) _ => close.
have H (a b s : R) : a - s = - b + (a + b - s) by ring.
rewrite (_ : (T - S) i j = - U i j + ((T + U) i j - S i j)); last by rewrite !mxE; apply: H.
apply: le_trans (ler_norm_add _ _) _; apply: ler_add (ltW close); rewrite normrN summxE.
apply: le_trans (ler_norm_sum _ _ _) _; apply: le_trans (powers_le w (w + K).+1); apply: ler_sum => k _.
by apply: le_trans (power_rows k i); rewrite (bigD1 j) //= ler_addl sumr_ge0.
Qed.

(* z y(s_t, o_{t+1})ᵀ fades, and its mean is ΦᵀDSY *)
Definition fading_bound l (y : 'I_n.+1 -> O -> 'rV[R]_l) : R :=
  (1 - beta)^-1 * (total Phi * (\sum_i \sum_o total (y i o)) + total (Phi^T *m diag_mx d) * total (mean_rows q y)).

Let inv0 : 0 <= (1 - beta)^-1. Proof. by rewrite invr_ge0 subr_ge0 ltW //; case/andP: beta01. Qed.
Let Y0 l (y : 'I_n.+1 -> O -> 'rV[R]_l) : 0 <= \sum_i \sum_o total (y i o).
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => o _; apply: total_ge0. Qed.

Lemma fading_bound_ge0 l (y : 'I_n.+1 -> O -> 'rV[R]_l) : 0 <= fading_bound y.
Proof. by rewrite mulr_ge0 // addr_ge0 // mulr_ge0 ?total_ge0. Qed.

Lemma trace_fades l (y : 'I_n.+1 -> O -> 'rV[R]_l) :
  fades state q init d beta (fading_bound y) (fun h => td_trace state Phi lam g (behead h) *m transition state 0 y h)
    (fun w h => td_lags state Phi lam w g (behead h) *m transition state 0 y h)
    (Phi^T *m diag_mx d *m (S *m mean_rows q y)).
Proof.
have y_le h : entries_le (transition state 0 y h) (\sum_i \sum_o total (y i o)).
  move=> i j; case: h => [|o [|o' h]] /=; rewrite ?mxE ?normr0 //; apply: le_trans (entries_le_total _ _ _) _.
  apply: (@le_trans _ _ (\sum_o1 total (y (state o') o1))).
    by rewrite (bigD1 o) //= ler_addl; apply: sumr_ge0 => o1 _; apply: total_ge0.
  rewrite [X in _ <= X](bigD1 (state o')) //= ler_addl; apply: sumr_ge0 => i1 _; apply: sumr_ge0 => o1 _.
  exact: total_ge0.
have product_le (z : 'cV[R]_m) h e : 0 <= e -> entries_le z (e * (1 - beta)^-1 * total Phi) ->
    entries_le (z *m transition state 0 y h) (fading_bound y * e).
  move=> e0 ze i j; rewrite mxE big_ord1 normrM.
  apply: (@le_trans _ _ (e * (1 - beta)^-1 * total Phi * (\sum_i \sum_o total (y i o))));
    first exact: ler_pmul (ze _ _) (y_le _ _ _).
  rewrite /fading_bound mulrDr mulrDl -mulrA ler_paddr //; first by rewrite !mulr_ge0 ?total_ge0.
  by rewrite [_ * e]mulrC -!mulrA.
split.
- case=> [|w] h h' E; first by rewrite /td_lags !big_geq // !mul0mx.
  have tl : local w.+2 (transition state (0 : 'rV[R]_l) y) by apply: local_le (@transition_local _ _ _ _ _ _).
  rewrite (tl _ _ E) -!drop1; congr (_ *m _); apply: (local_drop (k := 1) (w := w.+1)); last by rewrite addn1.
  exact: td_lags_local.
- by move=> w h; rewrite -mulmxBl; apply: product_le; [rewrite exprn_ge0 | apply: td_trace_near].
- move=> w h; rewrite -[fading_bound y]mulr1; apply: product_le; first exact: ler01.
  by rewrite -(expr0 beta); apply: tail_le.
move=> w; rewrite (lags_mean _ _ _ q_observes d_law) -mulmxBr -mulmxBl mulmxA.
apply: entries_le_weak (entries_le_sandwich _ _ _ (partial_sum_near w)); last by rewrite mulr_ge0 ?exprn_ge0.
rewrite /fading_bound mulrDr mulrDl ler_paddl //; first by rewrite !mulr_ge0 ?total_ge0 ?exprn_ge0.
by have H (a b e f : R) : a * b * (e * f) = f * (a * b) * e; [ring | rewrite H].
Qed.
End Trace.

(* The steps α_t I with QA < 0: V(y + α_tAy) ≤ (1 − ρα_t + gα_t²)V(y), V(y) = yᵀQy. *)
Lemma lyapunov_drift (R : realFieldType) m (Q A : 'M[R]_m) (alpha : nat -> R) : Q^T = Q -> posdef Q -> negdef (Q *m A) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  exists rho g N0, [/\ forall t, (N0 <= t)%N -> 0 <= rho * alpha t <= 1, diverges (fun t => rho * alpha t) &
    forall t (y : 'cV[R]_m),
      form Q (y + (alpha t)%:M *m (A *m y)) <= (1 - rho * alpha t + g * alpha t ^+ 2) * form Q y].
Proof.
move=> Q_sym Q_pos QA a0 a_div a_sq; have [k k0 Vk] := form_upper Q.
have [r r0 margin] := posdef_margin (proj1 (negdefN _) QA); have [mrg mrg0 Q_margin] := posdef_margin Q_pos.
have rk0 : 0 < r / k by rewrite divr_gt0.
have [N0 small] := eventually_small (etrans (invr_gt0 _) rk0) (fun t => ltW (a0 t)) a_sq.
exists (r / k), (matrix_bound Q mrg A), N0; split=> [t Nt||t y].
- by rewrite mulr_ge0 ?(ltW rk0) ?(ltW (a0 t)) //= -ler_pdivl_mull // mulr1 small.
- exact: diverges_scale.
rewrite mul_scalar_mx form_add // dotC dotZl dotC formZv.
have -> : dot (Q *m y) (A *m y) = form (Q *m A) y by rewrite /dot /form trmx_mul Q_sym !mulmxA.
have neg : form (Q *m A) y <= - (r / k * form Q y).
  have := margin y; rewrite formN ler_oppr => /le_trans; apply; rewrite ler_opp2 mulrAC ler_pdivr_mulr // -mulrA.
  by rewrite ler_pmul2l // mulrC.
have V0 : 0 <= form Q y by have [->|/Q_pos/ltW//] := eqVneq y 0; rewrite form0.
have := matrix_boundP mrg0 Q_margin A y; move: (form _ (A *m y)) (form _ y) (form Q y) V0 neg => z p u u0 pu zu.
have at0 := a0 t; have au : 0 <= r / k * alpha t * u by apply: mulr_ge0 => //; apply: mulr_ge0; apply: ltW.
have H (a c e p1 u1 z1 : R) : (1 - c * a + e * a ^+ 2) * u1 - (u1 + 2%:R * (a * p1) + a ^+ 2 * z1)
  = 2%:R * a * (- (c * u1) - p1) + c * a * u1 + a ^+ 2 * (e * u1 - z1) by ring.
rewrite -subr_ge0 H.
by rewrite !addr_ge0 // mulr_ge0 ?sqr_ge0 ?subr_ge0 // mulr_ge0 ?ler0n // ltW.
Qed.

Section OffPolicy.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (beta : R) (S : 'M[R]_n.+1).
Variables (gamma rho reward : 'I_n.+1 -> O -> R) (alpha : nat -> R) (theta : seq O -> 'cV[R]_m).
Let N := kernel_of state q (fun i o => gamma i o * rho i o).
Let A := Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi.
Let b := Phi^T *m diag_mx d *m S *m mean_reward q (fun i o => rho i o * reward i o).
Let star := - invmx A *m b.

(* A(X_t) and b(X_t) fade *)
Lemma td_fades : stochastic P -> observes state P q -> law P d -> (forall i, \sum_o q i o * rho i o = 1) ->
  0 <= beta < 1 -> (forall j i o, (0 < j)%N -> `|lam j * (gamma i o * rho i o)| <= beta) ->
  (forall i j, tends_to (fun K => (trace_sum lam K N) i j) (S i j)) ->
  exists B Gw bw, [/\ 0 <= B, fades state q init d beta B (td_matrix state Phi lam gamma rho) Gw A &
    fades state q init d beta B (td_vector state Phi lam gamma rho reward) bw b].
Proof.
move=> P_st obs d_law rho1 b01 g_le S_lim; have /andP[b0 _] := b01.
pose yA i o := rho i o *: (gamma i o *: row (state o) Phi - row i Phi);
  pose yb i o : 'rV[R]_1 := (rho i o * reward i o)%:M.
have fA := trace_fades Phi init P_st obs d_law b01 g_le S_lim yA.
have fb := trace_fades Phi init P_st obs d_law b01 g_le S_lim yb.
rewrite (td_rows_mean state Phi gamma rho1) -/N !mulmxA -/A in fA; rewrite paid_mean mulmxA -/b in fb.
have BA := fading_bound_ge0 Phi q d b01 yA; have Bb := fading_bound_ge0 Phi q d b01 yb.
have GA := fades_weak b0 (ler_paddr Bb (lexx _)) fA; have [loc near bound close] := fades_weak b0 (ler_paddl BA (lexx _)) fb.
do 3 eexists; split; [exact: addr_ge0 BA Bb | exact: GA |].
by split; [exact: loc | move=> w h; rewrite td_vectorE; apply: near | exact: bound | exact: close].
Qed.

Theorem off_policy_schedules_without_end (Q : 'M[R]_m) :
  stochastic P -> observes state P q -> distribution init -> (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) ->
  (forall i, \sum_o q i o * rho i o = 1) ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  0 <= beta < 1 -> (forall j i o, (0 < j)%N -> `|lam j * (gamma i o * rho i o)| <= beta) ->
  (forall i j, tends_to (fun K => (trace_sum lam K N) i j) (S i j)) ->
  Q^T = Q -> posdef Q -> negdef (Q *m A) ->
  (forall o h, theta (o :: h) = theta h + alpha (size h).-1 *:
    (td_matrix state Phi lam gamma rho (o :: h) *m theta h + td_vector state Phi lam gamma rho reward (o :: h))) ->
  almost_surely (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)).
Proof.
along_paths.
move=> P_st obs init1 lim rho1 a0 a_div a_sq b01 g_le S_lim Q_sym Q_pos A_neg step; have d_law := limit_law P_st lim.
have [B [Gw [bw [B0 GA Gb]]]] := td_fades P_st obs d_law rho1 b01 g_le S_lim.
have A_unit : A \in unitmx by apply/inj_unitmx => x Ax0; apply: (negdef_inj A_neg); rewrite -mulmxA Ax0 mulmx0.
have [r [k [N0 [c01 c_div drift]]]] := lyapunov_drift Q_sym Q_pos A_neg (fun t => a0 t.-1) (diverges_later a0 a_div)
  (summable_later a_sq).
apply: (@fading_convergence R n m O state P q init d beta _ P_st obs init1 d_law lim b01 B0
  (fun t => (alpha t.-1)%:M) theta Q A b star _ _ _ _ N0 k (fun t => alpha t.-1 ^+ 2) (fun t =>
    r * alpha t.-1) GA Gb) => //.
- by rewrite /star mulNmx mulmxN mulKVmx ?addNr.
- by move=> o h; rewrite step mul_scalar_mx.
- by move=> t y; rewrite mul_scalar_mx formZv.
- by move=> t; rewrite exprn_gt0.
exact: (summable_later a_sq).
Qed.
End OffPolicy.

Lemma tends_to_form (R : realFieldType) n (a : 'rV[R]_n) (X : nat -> 'M[R]_n) (Y : 'M[R]_n) (v : 'cV[R]_n) :
  (forall i j, tends_to (fun K => X K i j) (Y i j)) -> tends_to (fun K => (a *m X K *m v) 0 0) ((a *m Y *m v) 0 0).
Proof.
move=> XY; have E (Z : 'M[R]_n) : (a *m Z *m v) 0 0 = \sum_j \sum_i a 0 i * v j 0 * Z i j.
  by rewrite mxE; apply: eq_bigr => j _; rewrite mxE mulr_suml; apply: eq_bigr => i _; rewrite mulrAC.
rewrite E; apply: tends_to_ext (tends_to_big _ _) => [K|j]; first by rewrite E.
by apply: tends_to_big => i; apply: tends_to_scale.
Qed.

Section OnPolicy.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (gamma : R) (reward : 'I_n.+1 -> O -> R).
Variables (alpha : nat -> R) (theta0 : 'cV[R]_m) (S : 'M[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis gamma01 : 0 <= gamma < 1.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
(* S = Σ_{k≥0} c_k(γP)ᵏ *)
Hypothesis S_limit : forall i j, tends_to (fun K => (trace_sum lam K (gamma *: P)) i j) (S i j).
Let A := Phi^T *m diag_mx d *m S *m (gamma *: P - 1%:M) *m Phi.
Let b := Phi^T *m diag_mx d *m S *m mean_reward q reward.
Let star := - invmx A *m b.
Let theta := td state Phi lam gamma reward alpha theta0.

(* Proposition 4.1 in the limit *)
Lemma endless_negdef : irreducible P -> law P d -> full_column_rank Phi -> negdef A.
Proof.
move=> irr d_law rank; have C_pos : posdef (keyC d Phi) by apply/keyC_posdef => //;
  apply: irreducible_law_positive irr d_law.
have /andP[g0 g1] := gamma01; have g01 : 0 <= gamma <= 1 by rewrite g0 ltW.
suff below t : 0 <= - form A t - (1 - gamma) * form (keyC d Phi) t.
  move=> t /C_pos C0; rewrite -oppr_gt0; apply: lt_le_trans (_ : (1 - gamma) * form (keyC d Phi) t <= _);
    last by rewrite -subr_ge0.
  by rewrite mulr_gt0 ?subr_gt0.
pose lamK K j := if (j <= K)%N then lam j else 0.
have fin K : finite_schedule K (lamK K) by move=> j Kj; rewrite /lamK leqNgt Kj.
have lamK01 K j : (0 < j)%N -> 0 <= lamK K j <= 1 by rewrite /lamK; case: ifP => // _ /lam01; rewrite ?lexx ?ler01.
have sumK K : trace_sum (lamK K) K (gamma *: P) = trace_sum lam K (gamma *: P).
  apply: eq_big_nat => k /andP[_ kK]; congr (_ *: _); apply: eq_c => j /andP[_ jk].
  by rewrite /lamK (leq_trans jk).
pose a := t^T *m (Phi^T *m diag_mx d); pose v := (gamma *: P - 1%:M) *m (Phi *m t).
have formE (X : 'M[R]_n.+1) : form (Phi^T *m diag_mx d *m X *m (gamma *: P - 1%:M) *m Phi) t = (a *m X *m v) 0 0.
  by rewrite /form /a /v !mulmxA.
rewrite [form A t]formE; apply: (@tends_to_ge0 _ (fun K => - (a *m trace_sum lam K (gamma *: P) *m v) 0 0
    - (1 - gamma) * form (keyC d Phi) t)) => [K|]; last first.
  by apply: tends_to_sub (tends_to_opp _) (tends_to_const _); apply: tends_to_form.
rewrite -sumK -formE; have := (prop_4_1_bounds Phi K P_stochastic d_law (lamK01 K) g0).1 t.
rewrite formB formN form_sym formZ /keyA -(telescoping_sums _ (fin K)) -!mulmxA => pos.
apply: le_trans pos _; rewrite ler_add2l ler_opp2; apply: ler_wpmul2r; last first.
  by rewrite ler_add2l ler_opp2; apply: (kappa_le (lamK01 K) g01 (fin K)).
by have [->|/C_pos/ltW//] := eqVneq t 0; rewrite form0.
Qed.

Theorem schedules_without_end :
  irreducible P -> observes state P q -> distribution init ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) -> full_column_rank Phi ->
  almost_surely (observation_kernel state q init) (fun h => dot (theta h - star) (theta h - star)).
Proof.
move=> irr obs init1 a0 a_div a_sq lim rank; have d_law := limit_law P_stochastic lim.
have /andP[g0 g1] := gamma01.
have NE : kernel_of state q (fun i o => gamma * 1) = gamma *: P.
  by rewrite -(kernel_of_const obs gamma); apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulr1.
have rE : mean_reward q (fun i o => 1 * reward i o) = mean_reward q reward.
  by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mul1r.
have := @off_policy_schedules_without_end R n m O state Phi lam P q init d gamma S (fun=> fun=> gamma) (fun=> fun=>
  1) reward
  alpha theta 1%:M P_stochastic obs init1 lim.
rewrite NE rE; apply=> //.
- by move=> i; under eq_bigr => o _ do rewrite mulr1; rewrite (observes_sum _ obs) P_stochastic.2.
- move=> j i o /lam01/andP[l0 l1]; rewrite mulr1 ger0_norm ?mulr_ge0 //.
  by rewrite ler_pimull.
- by rewrite trmx1.
- by move=> y y0; rewrite form_id dot_gt0.
- by rewrite mul1mx; apply: endless_negdef.
exact: td_step.
Qed.
End OnPolicy.

Lemma scaled_rows (R : realFieldType) n (P : 'M[R]_n) a : stochastic P -> 0 <= a -> rows_le (a *: P) a.
Proof.
move=> [P0 P1] a0 i; under eq_bigr => j _ do rewrite mxE ger0_norm ?mulr_ge0 ?P0 //.
by rewrite -mulr_sumr P1 mulr1.
Qed.

(* S in closed form where the rows of N sum to less than one: TD(λ), S = (I − λγP)⁻¹; Monte Carlo, λ = 1, A = −C, and
   Φθ* is the projection of V = (I − γP)⁻¹r. *)
Section ClosedForm.
Variables (R : archiFieldType) (n : nat) (N : 'M[R]_n.+1) (a : R).
Hypothesis N_rows : rows_le N a.
Hypothesis a01 : 0 <= a < 1.
Let a0 : 0 <= a. Proof. by case/andP: a01. Qed.

Let rows k : rows_le (N ^+ k) (a ^+ k).
Proof.
elim: k => [|k IH] i.
  by rewrite !expr0 (bigD1 i) //= mxE eqxx normr1 big1 ?addr0 // => j ji; rewrite mxE eq_sym (negbTE ji) normr0.
by rewrite !exprSr; apply: rows_le_mul.
Qed.

Let vanish l (Y : 'M[R]_(n.+1, l)) i j : tends_to (fun K => (N ^+ K *m Y) i j) 0.
Proof.
apply: (@tends_to_squeeze _ _ (fun K => a ^+ K * total Y)) => [K|]; last first.
  by rewrite -(mul0r (total Y)); apply: tends_to_scaler; apply: tends_to_geometric.
rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ (\sum_k `|(N ^+ K) i k| * total Y));
  last by rewrite -mulr_suml ler_wpmul2r ?total_ge0 //; apply: rows.
by apply: ler_sum => k _; rewrite normrM ler_wpmul2l //; apply: entries_le_total.
Qed.

Lemma resolvent_unit : 1%:M - N \in unitmx.
Proof.
apply/inj_unitmx => x /eqP; rewrite mulmxBl mul1mx subr_eq0 => /eqP Nx; apply/matrixP => i j; rewrite mxE.
apply: tends_to_unique (vanish x i j); apply: tends_to_ext (tends_to_const (x i j)) => K.
by elim: K => [|K IH]; rewrite ?expr0 ?mul1mx // exprSr -mulmxA -Nx.
Qed.

Lemma resolvent_sum i j : tends_to (fun K => (\sum_(0 <= k < K.+1) N ^+ k) i j) ((invmx (1%:M - N)) i j).
Proof.
have E K : \sum_(0 <= k < K.+1) N ^+ k = invmx (1%:M - N) - N ^+ K.+1 *m invmx (1%:M - N).
  rewrite -[X in X - _]mul1mx -mulmxBl; apply: (canRL (mulmxK resolvent_unit)).
  elim: K => [|K IH]; first by rewrite big_nat1 expr0 expr1 mul1mx.
  by rewrite big_nat_recr //= mulmxDl IH mulmxBr mulmx1 addrA subrK [in RHS]exprSr.
apply: tends_to_eq (_ : (invmx (1%:M - N)) i j - 0 = _) _; first by rewrite subr0.
apply: tends_to_ext (tends_to_sub (tends_to_const _) (tends_to_later 1 (vanish (invmx (1%:M - N)) i j))) => K.
by rewrite E [in RHS]mxE [X in _ = _ + X]mxE addn1.
Qed.

(* S = (I − λN)⁻¹ for λ_j = λ, N here being λ times a kernel *)
Lemma constant_sum l (X : 'M[R]_n.+1) i j : N = l *: X ->
  tends_to (fun K => (trace_sum (fun=> l) K X) i j) ((invmx (1%:M - N)) i j).
Proof.
move=> NE; apply: tends_to_ext (resolvent_sum i j) => K; congr (fun_of_matrix _ i j).
by apply: eq_bigr => k _; rewrite NE [in LHS]exprZn /c prodr_const_nat subn1.
Qed.
End ClosedForm.

Section Special.
Variables (R : archiFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Variables (Phi : 'M[R]_(n.+1, m)) (gamma : R) (reward : 'I_n.+1 -> O -> R) (alpha : nat -> R) (theta0 : 'cV[R]_m).
Hypothesis P_stochastic : stochastic P.
Hypothesis gamma01 : 0 <= gamma < 1.
Hypothesis P_irreducible : irreducible P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Hypothesis Phi_rank : full_column_rank Phi.
Local Notation converges lam star := (almost_surely (observation_kernel state q init)
  (fun h => dot (td state Phi lam gamma reward alpha theta0 h - star) (td state Phi lam gamma reward alpha theta0 h -
    star))).

(* λ_j = l for every j *)
Theorem schedules_without_end_td_lambda l (S := invmx (1%:M - (l * gamma) *: P)) : 0 <= l <= 1 ->
  converges (fun=> l) (- invmx (Phi^T *m diag_mx d *m S *m (gamma *: P - 1%:M) *m Phi)
                         *m (Phi^T *m diag_mx d *m S *m mean_reward q reward)).
Proof.
move=> /andP[l0 l1]; have /andP[g0 g1] := gamma01; apply: schedules_without_end => // [j _|i j]; first by rewrite l0.
have lg01 : 0 <= l * gamma < 1 by rewrite mulr_ge0 //= (le_lt_trans _ g1) // ler_pimull.
by apply: (constant_sum (scaled_rows P_stochastic _) lg01); rewrite ?scalerA ?mulr_ge0.
Qed.

(* Monte Carlo: λ_j = 1 for every j; Φθ* is the projection of the value function V = (I − γP)⁻¹r *)
Theorem schedules_without_end_monte_carlo (V := invmx (1%:M - gamma *: P) *m mean_reward q reward) :
  converges (fun=> 1) (invmx (keyC d Phi) *m (Phi^T *m diag_mx d *m V)).
Proof.
have one01 : 0 <= (1 : R) <= 1 by rewrite ler01 lexx.
have := schedules_without_end_td_lambda one01; rewrite mul1r.
have -> : Phi^T *m diag_mx d *m invmx (1%:M - gamma *: P) *m (gamma *: P - 1%:M) *m Phi = - keyC d Phi.
  by rewrite -(opprB 1%:M) mulmxN mulNmx mulmxKV // (resolvent_unit (scaled_rows P_stochastic _) gamma01) //; case/andP: gamma01.
have -> : invmx (- keyC d Phi) = - invmx (keyC d Phi).
  have C_unit : keyC d Phi \in unitmx.
    apply: posdef_unitmx; apply/keyC_posdef => //.
    exact: irreducible_law_positive P_irreducible (limit_law P_stochastic P_limit).
  by rewrite -[- keyC d Phi]scaleN1r invmxZ ?unitmxZ ?unitrN1 // invrN1 scaleN1r.
by rewrite opprK /V !mulmxA.
Qed.
End Special.

(* Monte Carlo on the chain of thm_4_3_instance: V = (6/7, −10/7), C = 3, θ_t → −34/63 almost surely. *)
Theorem schedules_without_end_instance (R : archiFieldType) (reward := fun i _ : 'I_2 => if i == 0 then 1 else -1 : R)
  (theta := td (fun i => i) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (fun=> 1) 2%:R^-1 reward (fun t => 1 / (t%:R + 1)) 0) :
  almost_surely (observation_kernel (fun i => i) (fun i j => walk R i j) (fun i => (i == 0)%:R))
    (fun h => (theta h 0 0 + 34%:R / 63%:R) ^+ 2).
Proof.
have archi := @archimedean R; have st := walk_stochastic R; have obs := states_observe st.
have init1 : distribution (fun i : 'I_2 => (i == 0)%:R : R) by split=> [i|];
  rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have V : invmx (1%:M - 2%:R^-1 *: walk R) *m mean_reward (fun i j => walk R i j) reward
    = mx 2 1 [:: [:: 6%:R / 7%:R]; [:: - (10%:R / 7%:R)]].
  rewrite -[RHS](mulKmx (resolvent_unit (scaled_rows st _) (half01 R))) ?invr_ge0 ?ler0n //; congr (_ *m _).
  apply/matrixP => i j; rewrite mxE -mulr_suml st.2 mul1r (ord1 j); each_index i; by_field.
have C1 : keyC (walk_law R) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) = 3%:R%:M by rewrite walk_C; by_entries.
apply: (almost_surely_le (observation_kernelP st obs init1) ltr01 (fun h => sqr_ge0 _)); last first.
  apply: (@schedules_without_end_monte_carlo R 1 1 _ (fun i => i) (walk R) _ _ (walk_law R)
    (mx 2 1 [:: [:: 1]; [:: 2%:R]]) 2%:R^-1 reward (harmonic 1 1) 0 st) => //.
  - exact: half01.
  - exact: walk_irreducible.
  - by move=> t; apply: harmonic_gt0; apply: ltr01.
  - by apply: harmonic_diverges => //; apply: ltr01.
  - by apply: harmonic_square => //; apply: ltr01.
  - exact: column_power_limit_instance.
  - by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
move=> h; rewrite mul1r V C1 invmx_scalar mul_mx_diag mul_scalar_mx dotE big_ord1 -expr2.
rewrite (_ : 3%:R^-1 *: _ = mx 1 1 [:: [:: - (34%:R / 63%:R)]]); last by by_entries.
by rewrite [X in _ <= X ^+ 2]mxE [X in _ <= (_ + X) ^+ 2]mxE [X in _ <= (_ + - X) ^+ 2]mxE opprK.
Qed.
