(* Linear stochastic approximation on a finite chain with a limit law; X_t a window of w + 1 observations.

   [window_convergence]     θ ← θ + Λ_t(G(X_t)θ + b(X_t)), Λ_t deterministic matrices, A = E_0 G(X), Aθ* + E_0 b(X) = 0;
                            for some Q > 0 with V(y) = yᵀQy, V(Λ_t y) ≤ a_t V(y), Σa_t < ∞, and
                            V(y + Λ_t A y) ≤ (1 − c_t + g a_t)V(y), 0 ≤ c_t ≤ 1, Σc_t = ∞:    θ_t → θ* almost surely
   [linear_sa_convergence]  Λ_t = α_t I, A negative definite, α_t > 0, Σα_t = ∞, Σα_t² < ∞:
                            θ_t → −A⁻¹E_0 b(X) almost surely *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov MarkovConvergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma local_bounded (R : realFieldType) (O : finType) l (F : seq O -> R) : (forall h, 0 <= F h) -> local l F ->
  exists2 B, 0 <= B & forall h, F h <= B.
Proof.
move=> F0 loc; exists (\sum_(k < l.+1) \sum_(t : k.-tuple O) F t).
  by apply: sumr_ge0 => k _; apply: sumr_ge0.
move=> h; rewrite (loc h (take l h)); last by rewrite take_take.
have lt : (size (take l h) < l.+1)%N by rewrite ltnS size_take_min geq_minl.
rewrite (bigD1 (Ordinal lt)) //= (bigD1 (in_tuple (take l h))) //= -addrA ler_addl addr_ge0 //.
  by apply: sumr_ge0.
by apply: sumr_ge0 => k _; apply: sumr_ge0.
Qed.

(* V(By) ≤ g_B V(y) for every matrix B, V(y) = yᵀQy, Q > 0. *)
Section Bound.
Variables (R : realFieldType) (m : nat) (Q : 'M[R]_m) (rho : R).
Hypothesis rho_gt0 : 0 < rho.
Hypothesis Q_margin : forall y : 'cV[R]_m, rho * dot y y <= form Q y.

Definition matrix_bound (B : 'M[R]_m) : R := rho^-1 * \sum_i \sum_j `|(B^T *m Q *m B) i j|.

Lemma matrix_bound_ge0 B : 0 <= matrix_bound B.
Proof. by rewrite mulr_ge0 ?invr_ge0 ?(ltW rho_gt0) //; apply: sumr_ge0 => i _; apply: sumr_ge0. Qed.

Lemma matrix_boundP B (y : 'cV[R]_m) : form Q (B *m y) <= matrix_bound B * form Q y.
Proof.
rewrite -form_congruence; apply: le_trans (ler_norm _) _; apply: le_trans (form_bound _ _) _.
rewrite /matrix_bound mulrAC [X in _ <= X]mulrC; apply: ler_wpmul2l; last by rewrite ler_pdivl_mull.
by apply: sumr_ge0 => i _; apply: sumr_ge0.
Qed.
End Bound.

(* The steps α_t I with A < 0: |y + α_tAy|² ≤ (1 − ρα_t + gα_t²)|y|², with 0 ≤ ρα_t ≤ 1 from some time on. *)
Lemma negdef_drift (R : realFieldType) m (A : 'M[R]_m) (alpha : nat -> R) : negdef A ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) ->
  exists rho g N0, [/\ forall t, (N0 <= t)%N -> 0 <= rho * alpha t <= 1, diverges (fun t => rho * alpha t) &
    forall t (y : 'cV[R]_m), form 1%:M (y + (alpha t)%:M *m (A *m y)) <=
      (1 - rho * alpha t + g * alpha t ^+ 2) * form 1%:M y].
Proof.
move=> A_negdef alpha_gt0 alpha_diverges alpha_square.
have V1 (y : 'cV[R]_m) : form 1%:M y = dot y y by rewrite form_id.
have [rho rho0 margin] : exists2 rho, 0 < rho & forall y : 'cV[R]_m, rho * dot y y <= form (- A) y.
  by apply: posdef_margin; apply/negdefN.
have [g _ A_le] := form_upper (A^T *m A).
have ir0 : 0 < rho^-1 by rewrite invr_gt0.
have [N0 small] := alpha_square _ (exprn_gt0 2 ir0); exists rho, g, N0; split=> [t Nt|M N|t y].
- rewrite mulr_ge0 ?(ltW rho0) ?(ltW (alpha_gt0 t)) //= -ler_pdivl_mull // mulr1.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?(ltW (alpha_gt0 _)) ?(ltW ir0) //; apply: le_trans (small t.+1).
  by rewrite big_nat_recr //= ler_addr sumr_ge0 // => i _; rewrite sqr_ge0.
- have [N' [NN' big]] := alpha_diverges (M / rho) N; exists N'; split=> //.
  by rewrite -mulr_sumr -ler_pdivr_mull // mulrC.
rewrite mul_scalar_mx form_add ?trmx1 // mul1mx dotC dotZl formZv !V1.
have Ay : dot (A *m y) y = form A y by rewrite dotC /dot /form mulmxA.
have neg : form A y <= - (rho * dot y y) by have := margin y; rewrite formN ler_oppr.
have sq : dot (A *m y) (A *m y) <= g * dot y y by apply: le_trans (A_le y); rewrite /dot /form trmx_mul !mulmxA.
rewrite Ay; move: (form A y) (dot y y) (dot (A *m y) _) (dot_ge0 y) neg sq => p u z u0 pu zu.
have a0 := alpha_gt0 t; have au : 0 <= rho * alpha t * u by rewrite !mulr_ge0 // ltW.
have H (a r k p1 u1 z1 : R) : (1 - r * a + k * a ^+ 2) * u1 - (u1 + 2%:R * (a * p1) + a ^+ 2 * z1)
  = 2%:R * a * (- (r * u1) - p1) + r * a * u1 + a ^+ 2 * (k * u1 - z1) by ring.
rewrite -subr_ge0 H.
by rewrite !addr_ge0 // mulr_ge0 ?sqr_ge0 ?subr_ge0 // mulr_ge0 ?ler0n // ltW.
Qed.

Section LinearSA.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis d_law : law P d.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.
Let q_sum i : \sum_o q i o = 1. Proof. by rewrite (observes_sum _ q_observes) P_stochastic.2. Qed.

Lemma iter_condD (W : lmodType R) (F1 F2 : seq O -> W) k h :
  iter k (@cond R _ K W) (fun h => F1 h + F2 h) h = iter k (@cond R _ K W) F1 h + iter k (@cond R _ K W) F2 h.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond -big_split; apply: eq_bigr => s _ /=.
by rewrite IH scalerDr.
Qed.

Let iter_const (W : lmodType R) (v : W) k h : iter k (@cond R _ K W) (fun=> v) h = v.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond; under eq_bigr => s _ do rewrite IH.
by rewrite -scaler_suml K_kernel.2 scale1r.
Qed.

Lemma stationary_meanD (W : lmodType R) k (F1 F2 : seq O -> W) : E0 k (fun h => F1 h + F2 h) = E0 k F1 + E0 k F2.
Proof.
rewrite /stationary_mean -big_split; apply: eq_bigr => i _ /=; rewrite -scalerDr -big_split /=; congr (_ *: _).
by apply: eq_bigr => o _; rewrite iter_condD scalerDr.
Qed.

Lemma stationary_mean_const (W : lmodType R) k (v : W) : E0 k (fun=> v) = v.
Proof.
rewrite /stationary_mean /observe; under eq_bigr => i _ do under eq_bigr => o _ do rewrite iter_const.
under eq_bigr => i _ do rewrite -scaler_suml q_sum scale1r.
by rewrite -scaler_suml; case: d_law => _ -> _; rewrite scale1r.
Qed.

Lemma stationary_mean_mulr l1 l2 l3 k (F : seq O -> 'M[R]_(l1, l2)) (y : 'M[R]_(l2, l3)) :
  E0 k (fun h => F h *m y) = E0 k F *m y.
Proof.
have iter_mul h : iter k (@cond R _ K _) (fun h => F h *m y) h = iter k (@cond R _ K _) F h *m y.
  elim: k h => [|k IH] h //=; rewrite /cond mulmx_suml; apply: eq_bigr => s _.
  by rewrite IH -scalemxAl.
rewrite /stationary_mean mulmx_suml; apply: eq_bigr => i _; rewrite -scalemxAl mulmx_suml; congr (_ *: _).
by apply: eq_bigr => o _; rewrite iter_mul -scalemxAl.
Qed.

Variables (w : nat) (G : seq O -> 'M[R]_m) (b : seq O -> 'cV[R]_m).
Hypothesis G_local : local w.+1 G.
Hypothesis b_local : local w.+1 b.
Let A := E0 w G.
Variable theta : seq O -> 'cV[R]_m.

Section StepMatrices.
Variables (Q : 'M[R]_m) (Lam : nat -> 'M[R]_m) (star : 'cV[R]_m) (N0 : nat) (g : R) (a2 c : nat -> R).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_posdef : posdef Q.
Hypothesis starE : A *m star + E0 w b = 0.
Hypothesis theta_step : forall o h, theta (o :: h) = theta h + Lam (size h) *m (G (o :: h) *m theta h + b (o :: h)).
Hypothesis Lam_le : forall t (y : 'cV[R]_m), form Q (Lam t *m y) <= a2 t * form Q y.
Hypothesis a2_gt0 : forall t, 0 < a2 t.
Hypothesis a2_summable : summable a2.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N ->
  form Q (y + Lam t *m (A *m y)) <= (1 - c t + g * a2 t) * form Q y.

Theorem window_convergence : tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star)).
Proof.
have [rho rho0 margin] := posdef_margin Q_posdef; apply: (tends_to_zero_as_le K_kernel rho0 (fun h =>
  margin (theta h - star))).
have Q_ge0 : possemidef Q by move=> y; have [->|/Q_posdef/ltW//] := eqVneq y 0; rewrite form0.
have bound B y := matrix_boundP rho0 margin B y; have bound0 B := matrix_bound_ge0 Q rho0 B.
have [g1 g10 G_le] := local_bounded (fun h => bound0 (G h)) (fun h h' E => congr1 (matrix_bound Q rho) (G_local E)).
pose f h := G h *m star + b h.
have f_local : local w.+1 f by move=> h h' E; rewrite /f (G_local E) (b_local E).
have [g2 g20 f_le] := local_bounded (fun h => Q_ge0 (f h)) (fun h h' E => congr1 (form Q) (f_local _ _ E)).
pose k := g1 + (g2 + (matrix_bound Q rho A + (`|g| + 1))).
have n1 : 0 <= `|g| + 1 by rewrite addr_ge0 ?ler01.
have k0 : 0 < k by rewrite ltr_paddl // ltr_paddl // ltr_paddl // ltr_paddl ?ltr01.
have k1 : g1 <= k by rewrite /k ler_addl !addr_ge0.
have k2 : g2 <= k by rewrite /k addrCA ler_addl !addr_ge0.
have kA : matrix_bound Q rho A <= k by rewrite /k addrA addrCA ler_addl !addr_ge0.
have kg : g <= k by apply: le_trans (ler_norm g) _; rewrite /k !addrA addrAC ler_addr !addr_ge0.
apply: (@markov_convergence R n m O state P q init d Q P_stochastic q_observes init_distribution d_law P_limit Q_sym
  Q_ge0
  Lam (fun h => theta h - star) G f A N0 w k a2 c) => //.
- move=> o h; rewrite theta_step /f mulmxBr [_ - _ + (_ + _)]addrA subrK.
  by rewrite addrAC.
- move=> t y Nt; apply: le_trans (drift y Nt) _; apply: ler_wpmul2r; first exact: Q_ge0.
  by rewrite ler_add2l; apply: ler_wpmul2r => //; apply: ltW.
- by move=> h y; apply: le_trans (bound _ _) _; apply: ler_wpmul2r; [exact: Q_ge0 | apply: le_trans (G_le h) _].
- by move=> h; apply: le_trans (f_le h) _.
- by move=> y; apply: le_trans (bound _ _) _; apply: ler_wpmul2r => //; apply: Q_ge0.
- by rewrite stationary_meanD stationary_mean_const -/A subrr.
- by rewrite /f stationary_meanD stationary_mean_mulr.
Qed.
End StepMatrices.

Variable alpha : nat -> R.
Hypothesis A_negdef : negdef A.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis theta_step : forall o h, theta (o :: h) = theta h + alpha (size h) *: (G (o :: h) *m theta h + b (o :: h)).
Let star := - invmx A *m E0 w b.

Theorem linear_sa_convergence : tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star)).
Proof.
have [rho [g [N0 [c01 c_div drift]]]] := negdef_drift A_negdef alpha_gt0 alpha_diverges alpha_square.
apply: (@window_convergence 1%:M (fun t => (alpha t)%:M) star N0 g (fun t => alpha t ^+ 2) (fun t =>
  rho * alpha t)) => //.
- by rewrite trmx1.
- by move=> y y0; rewrite form_id dot_gt0.
- by rewrite /star mulNmx mulmxN mulKVmx ?addNr // negdef_unitmx.
- by move=> o h; rewrite theta_step mul_scalar_mx.
- by move=> t y; rewrite mul_scalar_mx formZv.
by move=> t; rewrite exprn_gt0.
Qed.
End LinearSA.
