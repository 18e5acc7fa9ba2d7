(* GTD and TDC as linear stochastic approximation: A(X), b(X), C(X) any functions of a window of a finite chain with
   means A = E_0 A(X), b = E_0 b(X), C = E_0 C(X) > 0, A nonsingular; θ* = −A⁻¹b.

       GTD   θ ← θ − α_t A(X_t)ᵀw                                w ← w + β_t(A(X_t)θ + b(X_t) − C(X_t)w),  β_t = ηα_t
       TDC   θ ← θ + α_t(A(X_t)θ + b(X_t) − (A(X_t)ᵀ + C(X_t))w)   w as above, α_t ≤ εβ_t eventually

   [gtd_convergence, tdc_convergence] θ_t → θ* and w_t → 0 almost surely. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain KeyMatrices Limits Spectrum Rayleigh Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov MarkovConvergence LinearSA LyapunovSA
  TwoTimeScales.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Means.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Local Notation E0 := (stationary_mean state q init d).

(* E_0 commutes with linear maps. *)
Lemma stationary_mean_linear (U W : lmodType R) (f : U -> W) (f_linear : linear f) w (F : seq O -> U) :
  E0 w (fun h => f (F h)) = f (E0 w F).
Proof.
have f_sum (I : finType) (k : I -> R) (u : I -> U) : f (\sum_i k i *: u i) = \sum_i k i *: f (u i).
  apply: etrans (linear_sum (Linear f_linear) _ _ _) _; apply: eq_bigr => i _.
  exact: (linearZ_LR (Linear f_linear)).
rewrite /stationary_mean f_sum; apply: eq_bigr => i _; congr (_ *: _).
rewrite /observe f_sum; apply: eq_bigr => o _; congr (_ *: _).
by elim: w [:: o] => //= k IH h; rewrite /cond f_sum; apply: eq_bigr => o' _; rewrite IH.
Qed.

Lemma stationary_mean_linear2 (U1 U2 W : lmodType R) (f : U1 * U2 -> W) (f_linear : linear f) w
    (F1 : seq O -> U1) (F2 : seq O -> U2) : E0 w (fun h => f (F1 h, F2 h)) = f (E0 w F1, E0 w F2).
Proof.
rewrite stationary_mean_linear //; congr f.
have fst_linear : linear (fst : U1 * U2 -> U1) by [].
have snd_linear : linear (snd : U1 * U2 -> U2) by [].
rewrite -[F1 in RHS]/(fun h => fst (F1 h, F2 h)).
rewrite (stationary_mean_linear fst_linear w (fun h => (F1 h, F2 h))).
rewrite (stationary_mean_linear snd_linear w (fun h => (F1 h, F2 h))).
by case: (E0 _ _).
Qed.
End Means.

Section Gradient.
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

Variables (l : nat) (AX CX : seq O -> 'M[R]_m) (bX : seq O -> 'cV[R]_m).
Hypothesis AX_local : local l.+2 AX.
Hypothesis CX_local : local l.+2 CX.
Hypothesis bX_local : local l.+2 bX.
Variables (A C : 'M[R]_m) (b : 'cV[R]_m).
Hypothesis A_mean : E0 l.+1 AX = A.
Hypothesis C_mean : E0 l.+1 CX = C.
Hypothesis b_mean : E0 l.+1 bX = b.
Let star := - invmx A *m b.
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.
Hypothesis A_unit : A \in unitmx.

Variables (alpha beta : nat -> R) (theta w : seq O -> 'cV[R]_m).
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis w_step : forall o' o h, w (o' :: o :: h) = w (o :: h)
  + beta (size h) *: (AX (o' :: o :: h) *m theta (o :: h) + bX (o' :: o :: h) - CX (o' :: o :: h) *m w (o :: h)).

Let starE : A *m star + b = 0.
Proof. by rewrite /star mulNmx mulmxN mulKVmx // addNr. Qed.

(* |θ − θ*|² + |w|² from a state in which w is scaled. *)
Let both (B : R) (xi : seq O -> 'cV[R]_(m + m)) : 0 < B <= 1 ->
  (forall h, B * dot (w h) (w h) <= dot (usubmx (xi h)) (usubmx (xi h))) -> (forall h, theta h - star = dsubmx (xi h))
    ->
  tends_to_zero_as K (fun h => dot (xi h) (xi h)) ->
  tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star) + dot (w h) (w h)).
Proof.
move=> /andP[B0 B1] wB thetaE; apply: (tends_to_zero_as_le K_kernel B0) => h.
rewrite thetaE -[X in _ <= dot X X]vsubmxK dot_col_mx addrC mulrDr ler_add //.
by rewrite ler_pimull ?dot_ge0.
Qed.

Section GTD.
(* η = r² *)
Variable r : R.
Hypothesis r0 : 0 < r.
Hypothesis beta_eta : forall t, beta t = r ^+ 2 * alpha t.
Hypothesis theta_step : forall o' o h,
  theta (o' :: o :: h) = theta (o :: h) - alpha (size h) *: ((AX (o' :: o :: h))^T *m w (o :: h)).

Theorem gtd_convergence : tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star) + dot (w h) (w h)).
Proof.
have rr0 : 0 < r ^+ 2 by rewrite exprn_gt0.
have [eps [Spos SGneg]] := saddle_lyapunov r0 C_posdef A_unit.
pose G h := gtd_matrix r (AX h) (CX h); pose g h := col_mx (bX h) 0 : 'cV[R]_(m + m).
pose xi h := col_mx (r^-1 *: w h) (theta h).
have G_linear : linear (fun AC : 'M[R]_m * 'M[R]_m => gtd_matrix r AC.1 AC.2).
  move=> k [A1 C1] [A2 C2]; rewrite /gtd_matrix /= scale_block_mx add_block_mx [(_ + _)^T]linearP scaler0 addr0
    !scalerN.
  by rewrite [r *: (_ + _)]scalerDr !opprD !scalerA [r * k]mulrC.
have g_linear : linear (fun v : 'cV[R]_m => col_mx v 0 : 'cV[R]_(m + m)).
  by move=> k u v; rewrite scale_col_mx add_col_mx scaler0 addr0.
have G_mean : E0 l.+1 G = gtd_matrix r A C.
  by rewrite -A_mean -C_mean; apply: (stationary_mean_linear2 state q init d G_linear l.+1 AX CX).
have g_mean : E0 l.+1 g = col_mx b 0 by rewrite -b_mean; apply: (stationary_mean_linear state q init d g_linear l.+1
  bX).
have conv : tends_to_zero_as K (fun h => dot (xi h - col_mx 0 star) (xi h - col_mx 0 star)).
  apply: (@lyapunov_convergence R n _ O state P q init d P_stochastic q_observes init_distribution d_law P_limit l G g _
            (saddle_weight A eps) xi _ _ _ _ _ (fun t => r * alpha t)) => //.
  - by move=> h h' E; rewrite /G (AX_local E) (CX_local E).
  - by move=> h h' E; rewrite /g (bX_local E).
  - by rewrite G_mean g_mean mul_block_col !mulmx0 mul0mx add0r addr0 add_col_mx addr0 starE col_mx0.
  - exact: saddle_weight_sym.
  - by rewrite G_mean.
  - by move=> t; rewrite mulr_gt0.
  - exact: diverges_scale.
  - move=> e e0; have [N small] := alpha_square (divr_gt0 e0 rr0); exists N => k.
    under eq_bigr => t _ do rewrite exprMn.
    by rewrite -mulr_sumr mulrC -ler_pdivl_mulr.
  - move=> o' o h; rewrite /xi w_step theta_step beta_eta expr2 /G /g mul_block_col mul0mx addr0 add_col_mx scale_col_mx
      add_col_mx addr0.
    congr col_mx.
      rewrite scalerDr scalerA !mulrA mulVf ?gt_eqF // mul1r; congr (_ + _ *: _).
      by rewrite mulNmx -scalemxAl -scalemxAr scalerA divff ?gt_eqF // scale1r addrC addrA.
    by congr (_ + _); rewrite mulNmx scalerN -scalemxAr scalerA mulrAC divff ?gt_eqF // mul1r.
have pos : 0 < 1 + r ^+ 2 by rewrite addr_gt0 ?ltr01.
have both_le : 0 < (1 + r ^+ 2)^-1 <= 1 by rewrite invr_gt0 pos invf_le1 //= ler_addl ltW.
apply: (both both_le (xi := fun h => xi h - col_mx 0 star)) conv => h; last by rewrite /xi opp_col_mx add_col_mx
  col_mxKd.
rewrite /xi opp_col_mx add_col_mx oppr0 addr0 col_mxKu dotZ2 exprVn ler_wpmul2r ?dot_ge0 //.
by rewrite lef_pinv ?posrE // ler_addr ler01.
Qed.
End GTD.

Section TDC.
Variables (c B K1 K2 tau eps : R) (N1 : nat).
Hypothesis c_gt0 : 0 < c.
Hypothesis B_gt0 : 0 < B.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis C_margin : forall x : 'cV[R]_m, c * dot x x <= form C x.
Hypothesis B_margin : forall x : 'cV[R]_m, B * dot x x <= form (A^T *m invmx C *m A) x.
Hypothesis K1_bound : forall x : 'cV[R]_m,
  dot ((tdc_cross A C tau)^T *m x) ((tdc_cross A C tau)^T *m x) <= K1 ^+ 2 * dot x x.
Hypothesis K2_bound : forall x : 'cV[R]_m, form (invmx C *m A *m (A^T + C)) x <= K2 * dot x x.
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_square : summable (fun t => beta t ^+ 2).
Hypothesis eps_small : eps * (K1 ^+ 2 / (B * tau) + 2%:R * K2) < 2%:R * c.
Hypothesis ratio : forall t, (N1 <= t)%N -> alpha t <= eps * beta t.
Hypothesis theta_step : forall o' o h, theta (o' :: o :: h) = theta (o :: h)
  + alpha (size h) *: (AX (o' :: o :: h) *m theta (o :: h) + bX (o' :: o :: h) - (AX (o' :: o :: h))^T *m w (o :: h)
                       - CX (o' :: o :: h) *m w (o :: h)).

Theorem tdc_convergence : tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star) + dot (w h) (w h)).
Proof.
have C_unit := posdef_unitmx C_posdef; pose Q := tdc_weight A C tau; have Qpos : posdef Q := tdc_weight_posdef A C
  tau_gt0.
have [rho rho0 margin] := posdef_margin Qpos; have [k' k'0 upper] := form_upper Q.
pose G h := tdc_mean (AX h) (CX h); pose g h := col_mx (bX h) (bX h).
pose xi h := col_mx (w h) (theta h).
have G_linear : linear (fun AC : 'M[R]_m * 'M[R]_m => tdc_mean AC.1 AC.2).
  move=> k [A1 C1] [A2 C2]; rewrite /tdc_mean /= scale_block_mx add_block_mx [(_ + _)^T]linearP !scalerN.
  by rewrite -!opprD scalerDr; congr block_mx; congr (- _); apply: addrACA.
have g_linear : linear (fun v : 'cV[R]_m => col_mx v v : 'cV[R]_(m + m)).
  by move=> k u v; rewrite scale_col_mx add_col_mx.
have G_mean : E0 l.+1 G = tdc_mean A C.
  by rewrite -A_mean -C_mean; apply: (stationary_mean_linear2 state q init d G_linear l.+1 AX CX).
have g_mean : E0 l.+1 g = col_mx b b by rewrite -b_mean; apply: (stationary_mean_linear state q init d g_linear l.+1
  bX).
have eps_gt0 : 0 < eps.
  by rewrite -(pmulr_lgt0 _ (beta_gt0 N1)) (lt_le_trans (alpha_gt0 N1)) // ratio.
pose k := K1 ^+ 2 / (B * tau) + 2%:R * K2; pose e := (2%:R * c - eps * k) / eps.
have e0 : 0 < e by rewrite divr_gt0 // subr_gt0.
pose r := Num.min B e; have r0 : 0 < r by rewrite lt_minr B_gt0.
have [N2 small] := eventually_small (etrans (invr_gt0 _) r0) (fun t => ltW (alpha_gt0 t)) alpha_square.
have conv : tends_to_zero_as K (fun h => dot (xi h - col_mx 0 star) (xi h - col_mx 0 star)).
  apply: (@step_matrix_convergence R n _ O state P q init d P_stochastic q_observes init_distribution d_law P_limit l
    G g _ Q
    xi _ _ _ _ _
            (fun t => two_steps m (beta t) (alpha t)) (fun t => k' / rho * (alpha t ^+ 2 + beta t ^+ 2))
            (fun t => r * alpha t) (maxn N1 N2)) => //.
  - by move=> h h' E; rewrite /G (AX_local E) (CX_local E).
  - by move=> h h' E; rewrite /g (bX_local E).
  - by rewrite G_mean g_mean mul_block_col !mulmx0 !add0r add_col_mx starE col_mx0.
  - exact: tdc_weight_sym.
  - move=> o' o h; rewrite /xi w_step theta_step; set h' := o' :: _.
    have -> : G h' *m col_mx (w (o :: h)) (theta (o :: h)) + g h' = col_mx (AX h' *m theta (o :: h) + bX h' - CX h' *m
      w (o :: h))
        (AX h' *m theta (o :: h) + bX h' - (AX h')^T *m w (o :: h) - CX h' *m w (o :: h)).
      rewrite /G /g /tdc_mean mul_block_col add_col_mx !mulNmx mulmxDl opprD; congr col_mx; first by rewrite -addrA
        addrC.
      by rewrite -[LHS]addrA [LHS]addrC addrA.
    by rewrite /two_steps mul_block_col !mul0mx addr0 add0r !mul_scalar_mx add_col_mx.
  - move=> t y; apply: le_trans (upper _) _; rewrite -!mulrA ler_pmul2l //; apply: le_trans (two_steps_le _ _ _) _.
    by rewrite mulrCA ler_wpmul2l ?addr_ge0 ?sqr_ge0 // ler_pdivl_mull.
  - by move=> t; rewrite mulr_gt0 ?divr_gt0 // addr_gt0 ?exprn_gt0.
  - by apply: summable_add => // [|t|t]; rewrite ?divr_gt0 ?sqr_ge0.
  - move=> t; rewrite geq_max => /andP[_ Nt].
    by rewrite mulr_ge0 ?(ltW r0) ?(ltW (alpha_gt0 _)) // -ler_pdivl_mull // mulr1 small.
  - exact: diverges_scale.
  move=> t y; rewrite geq_max => /andP[/ratio al _]; rewrite G_mean.
  have a0 := ltW (alpha_gt0 t); have b0 := ltW (beta_gt0 t).
  rewrite -[y]vsubmxK; move: (usubmx y) (dsubmx y) => u v.
  apply: le_trans (tdc_drift C_unit C_sym B_gt0 tau_gt0 C_margin B_margin K1_bound K2_bound _ _ a0 b0) _.
  rewrite form_tdc_weight ler_opp2 [r * _ * (_ + _)]mulrDr [leRHS]addrC; apply: ler_add; apply: ler_wpmul2r; rewrite
    ?mulr_ge0 ?dot_ge0 ?(ltW tau_gt0) //.
    apply: (@le_trans _ _ (e * alpha t)); first by rewrite ler_wpmul2r // le_minl lexx orbT.
    rewrite /e mulrAC ler_pdivr_mulr // -/k -subr_ge0.
    have E (p s k1 : R) : (2%:R * p * c - s * k1) * eps - (2%:R * c - eps * k1) * s = 2%:R * c * (eps * p - s) by ring.
    by rewrite E !mulr_ge0 ?subr_ge0 ?ler0n // ltW.
  by rewrite mulrC ler_wpmul2l // le_minl lexx.
have both1 : 0 < (1 : R) <= 1 by apply/andP; split; [apply: ltr01 | apply: lexx].
apply: (@both 1 (fun h => xi h - col_mx 0 star) both1 _ _ conv) => h; rewrite /xi opp_col_mx add_col_mx.
  by rewrite col_mxKu oppr0 addr0 mul1r.
by rewrite col_mxKd.
Qed.
End TDC.
End Gradient.

(* TDC with a fixed ratio β_t = ηα_t, η = r²: for v = ηθ − w and ηw it is GTD, with C − A/η in place of C and ηb in
   place of b. *)
Section FixedRatio.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis d_law : law P d.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).

Variables (l : nat) (AX CX : seq O -> 'M[R]_m) (bX : seq O -> 'cV[R]_m) (A C : 'M[R]_m) (b : 'cV[R]_m).
Hypothesis AX_local : local l.+2 AX.
Hypothesis CX_local : local l.+2 CX.
Hypothesis bX_local : local l.+2 bX.
Hypothesis A_mean : E0 l.+1 AX = A.
Hypothesis C_mean : E0 l.+1 CX = C.
Hypothesis b_mean : E0 l.+1 bX = b.
Let star := - invmx A *m b.
Variables (r : R) (alpha beta : nat -> R) (theta w : seq O -> 'cV[R]_m).
Hypothesis A_unit : A \in unitmx.
Hypothesis r_gt0 : 0 < r.
Hypothesis margin : posdef (r ^+ 2 *: C - A).
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis beta_eta : forall t, beta t = r ^+ 2 * alpha t.
Hypothesis w_step : forall o' o h, w (o' :: o :: h) = w (o :: h)
  + beta (size h) *: (AX (o' :: o :: h) *m theta (o :: h) + bX (o' :: o :: h) - CX (o' :: o :: h) *m w (o :: h)).
Hypothesis theta_step : forall o' o h, theta (o' :: o :: h) = theta (o :: h)
  + alpha (size h) *: (AX (o' :: o :: h) *m theta (o :: h) + bX (o' :: o :: h) - (AX (o' :: o :: h))^T *m w (o :: h)
                       - CX (o' :: o :: h) *m w (o :: h)).

Theorem tdc_fixed_ratio_convergence :
  tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star) + dot (w h) (w h)).
Proof.
have [eta etaE] : {eta | eta = r ^+ 2} by exists (r ^+ 2).
have eta0 : 0 < eta by rewrite etaE exprn_gt0.
have K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.
pose C' := C - eta^-1 *: A; pose C'X h := CX h - eta^-1 *: AX h; pose b'X h := eta *: bX h.
have C'_pos : posdef C'.
  by move=> x /margin; rewrite -etaE !formB !formZ => H; rewrite -(pmulr_rgt0 _ eta0) mulrBr mulVKf // gt_eqF.
have C'_mean : E0 l.+1 C'X = C'.
  rewrite /C' -A_mean -C_mean.
  have C'_linear : linear (fun AC : 'M[R]_m * 'M[R]_m => AC.2 - eta^-1 *: AC.1).
    move=> k [A1 C1] [A2 C2] /=; rewrite scalerDr opprD scalerBr !scalerA [k * _]mulrC addrACA.
    by [].
  exact: (stationary_mean_linear2 state q init d C'_linear l.+1 AX CX).
have b'_mean : E0 l.+1 b'X = eta *: b.
  rewrite -b_mean; have b'_linear : linear (fun v : 'cV[R]_m => eta *: v).
    by move=> k u v; rewrite scalerDr !scalerA mulrC.
  exact: (stationary_mean_linear state q init d b'_linear l.+1 bX).
have C'X_local : local l.+2 C'X by move=> h h' E; rewrite /C'X (AX_local E) (CX_local E).
have b'X_local : local l.+2 b'X by move=> h h' E; rewrite /b'X (bX_local E).
pose v h := eta *: theta h - w h; pose u h := eta *: w h.
have conv : tends_to_zero_as K (fun h => dot (v h - - invmx A *m (eta *: b)) (v h - - invmx A *m (eta *: b)) + dot (u
  h) (u h)).
  apply: (gtd_convergence P_stochastic q_observes init_distribution d_law P_limit AX_local C'X_local b'X_local A_mean
    C'_mean
    b'_mean
    C'_pos A_unit alpha_gt0 alpha_diverges alpha_square _ r_gt0 beta_eta) => o' o h.
  - rewrite /u /v /C'X /b'X w_step; move: (AX _) (bX _) (CX _) (theta _) (w _) => A1 b1 C1 t1 w1.
    rewrite scalerDr scalerA [eta * _]mulrC -scalerA; congr (_ + _ *: _).
    rewrite mulmxBr mulmxBl -!scalemxAl -!scalemxAr scalerA mulVf ?gt_eqF // scale1r.
    by rewrite opprB addrACA subrK scalerBr scalerDr addrA.
  rewrite /v /u theta_step w_step beta_eta -etaE; move: (AX _) (bX _) (CX _) (theta _) (w _) => A1 b1 C1 t1 w1.
  rewrite [A1 *m t1 + b1 - _ - _]addrAC scalerDr scalerA scalerBr -scalemxAr scalerA [alpha _ * eta]mulrC opprD.
  by rewrite addrACA [_ - _ - _]addrAC subrr add0r.
pose M := 2%:R / eta ^+ 2 * (1 + eta ^- 2) + eta ^- 2.
have e2 : 0 < eta ^- 2 by rewrite invr_gt0 exprn_gt0.
have M0 : 0 < M by rewrite addr_gt0 // mulr_gt0 ?divr_gt0 ?exprn_gt0 ?ltr0n // addr_gt0 ?ltr01.
have iM0 : 0 < M^-1 by rewrite invr_gt0.
apply: (tends_to_zero_as_le K_kernel iM0) conv => h; rewrite ler_pdivr_mull //.
set y := v h - _; have -> : theta h - star = eta^-1 *: (y + w h).
  by rewrite /y /v -scalemxAr addrAC subrK scalerBr !scalerA mulVf ?gt_eqF // !scale1r.
have one_ge0 : possemidef (1%:M : 'M[R]_m) by move=> x; rewrite /form mulmx1 dot_ge0.
have form1 (x : 'cV[R]_m) : form 1%:M x = dot x x by rewrite /form mulmx1.
have := form_add2 (trmx1 _ m) one_ge0 y (w h); rewrite !form1 !dotZ2.
move: (dot (y + w h) _) (dot y y) (dot (w h) (w h)) (dot_ge0 y) (dot_ge0 (w h)) => p y2 w2 y0 w0 p_le.
rewrite /M exprVn; set e := eta ^- 2 in e2 *; have eK : e * eta ^+ 2 = 1 by rewrite mulVf // gt_eqF // exprn_gt0.
apply: (@le_trans _ _ (e * (2%:R * (y2 + w2)) + w2)); first by rewrite ler_add2r ler_pmul2l.
have E : (2%:R * e * (1 + e) + e) * (y2 + eta ^+ 2 * w2) - (e * (2%:R * (y2 + w2)) + w2)
  = 2%:R * e * e * y2 + e * y2 + 2%:R * e * (e * eta ^+ 2 - 1) * w2 + 2%:R * e * eta ^+ 2 * w2 + (e * eta ^+ 2 - 1) *
    w2.
  by ring.
rewrite -subr_ge0 E eK subrr mulr0 !mul0r !addr0.
by rewrite !addr_ge0 // !mulr_ge0 ?ler0n ?sqr_ge0 // ltW.
Qed.
End FixedRatio.
