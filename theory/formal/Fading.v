(* Linear stochastic approximation driven by the whole history of a finite chain, when the past fades geometrically:
   θ ← θ + Λ_t(G(h_{t+1})θ + b(h_{t+1})), where G and b are approximated by functions of the last w + 1 observations
   up to Bβ^w, β < 1.

     entries_le X e            |X_ij| ≤ e for all i, j
     fades beta B F Fw mean    |F(h) − F_w(h)| ≤ Bβ^w, |F_w(h)| ≤ B, |E_0 F_w − mean| ≤ Bβ^w, F_w of w + 1 observations

   [fading_convergence] is [window_convergence] without an end of the window; A and b are the limits of the means of
   the windows. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov MarkovConvergence LinearSA Windows.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variables (R : realFieldType) (u : nat -> R) (U : R).
Hypothesis u_ge0 : forall k, 0 <= u k.
Hypothesis u_sum : forall n, \sum_(0 <= k < n) u k <= U.

Lemma sum_half n : \sum_(0 <= k < n) u k./2 <= U + U.
Proof.
apply: (@le_trans _ _ (\sum_(0 <= k < n.*2) u k./2)).
  by apply: sum_nat_le_right => //; rewrite -addnn leq_addr.
suff -> : \sum_(0 <= k < n.*2) u k./2 = \sum_(0 <= k < n) u k + \sum_(0 <= k < n) u k by apply: ler_add.
elim: n => [|n IH]; first by rewrite !big_geq ?addr0.
by rewrite doubleS !big_nat_recr //= IH uphalf_double doubleK -!addrA; congr (_ + _); rewrite addrCA addrA.
Qed.

Lemma sum_uphalf n : \sum_(0 <= k < n) u (k - k./2)%N <= U + U.
Proof.
apply: (@le_trans _ _ (\sum_(0 <= k < n.*2) u (k - k./2)%N)).
  by apply: sum_nat_le_right => //; rewrite -addnn leq_addr.
suff -> : \sum_(0 <= k < n.*2) u (k - k./2)%N = \sum_(0 <= k < n) u k + \sum_(0 <= k < n) u k.+1.
  apply: ler_add => //; apply: le_trans (u_sum n.+1); by rewrite big_nat_recl // ler_addr.
elim: n => [|n IH]; first by rewrite !big_geq ?addr0.
rewrite doubleS !big_nat_recr //= IH uphalf_double doubleK subSn -addnn ?leq_addr // addnK.
by rewrite -!addrA; congr (_ + _); rewrite addrCA addrA.
Qed.
End Sums.

Lemma sum_powers (R : realFieldType) (beta : R) n : 0 <= beta < 1 -> \sum_(0 <= k < n) beta ^+ k <= (1 - beta)^-1.
Proof.
case/andP=> b0 b1; have d0 : 0 < 1 - beta by rewrite subr_gt0.
rewrite -(ler_pmul2l d0) divff ?gt_eqF //; suff -> : (1 - beta) * (\sum_(0 <= k < n) beta ^+ k) = 1 - beta ^+ n.
  by rewrite ger_addl oppr_le0 exprn_ge0.
elim: n => [|n IH]; first by rewrite big_geq // mulr0 expr0 subrr.
by rewrite big_nat_recr //= mulrDr IH exprS; ring.
Qed.

Section Entries.
Variable R : realFieldType.
Definition entries_le p r (X : 'M[R]_(p, r)) (e : R) := forall i j, `|X i j| <= e.

Definition total p r (X : 'M[R]_(p, r)) : R := \sum_i \sum_j `|X i j|.

Lemma total_ge0 p r (X : 'M[R]_(p, r)) : 0 <= total X.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0. Qed.

Lemma entries_le_total p r (X : 'M[R]_(p, r)) : entries_le X (total X).
Proof.
move=> i j; rewrite /total (bigD1 i) //= (bigD1 j) //= -addrA ler_addl addr_ge0 ?sumr_ge0 // => k _.
exact: sumr_ge0.
Qed.

Lemma entries_le_weak p r (X : 'M[R]_(p, r)) e e' : e <= e' -> entries_le X e -> entries_le X e'.
Proof. by move=> ee Xe i j; apply: le_trans ee. Qed.

Lemma entries_leD p r (X Y : 'M[R]_(p, r)) e e' : entries_le X e -> entries_le Y e' -> entries_le (X + Y) (e + e').
Proof. by move=> Xe Ye i j; rewrite mxE; apply: le_trans (ler_norm_add _ _) _; apply: ler_add. Qed.

(* |UXY| ≤ |U|_1 |X|_∞ |Y|_1 and |XᵀQX| ≤ |Q|_1 |X|²_∞ *)
Lemma entries_le_sandwich p r l l' (U : 'M[R]_(l, p)) (X : 'M[R]_(p, r)) (Y : 'M[R]_(r, l')) e : 0 <= e ->
  entries_le X e ->
  entries_le (U *m X *m Y) (total U * total Y * e).
Proof.
move=> e0 Xe i j; rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
have row_le k : `|(U *m X) i k| <= total U * e.
  rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
  apply: (@le_trans _ _ (\sum_s `|U i s| * e)); first by apply: ler_sum => s _; rewrite normrM ler_wpmul2l.
  rewrite -mulr_suml ler_wpmul2r // /total (bigD1 i) //= ler_addl; apply: sumr_ge0 => s _; exact: sumr_ge0.
apply: (@le_trans _ _ (\sum_k total U * e * `|Y k j|)); first by apply: ler_sum => k _; rewrite normrM ler_wpmul2r.
rewrite -mulr_sumr mulrAC ler_wpmul2r // ler_wpmul2l ?total_ge0 //; apply: ler_sum => k _.
by rewrite (bigD1 j) //= ler_addl sumr_ge0.
Qed.

Lemma entries_le_form p r (Q : 'M[R]_p) (X : 'M[R]_(p, r)) e : 0 <= e -> entries_le X e ->
  entries_le (X^T *m Q *m X) (total Q * e ^+ 2).
Proof.
move=> e0 Xe i j; rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
apply: (@le_trans _ _ (\sum_l (\sum_k `|Q k l|) * e * e)).
  apply: ler_sum => l _; rewrite normrM ler_pmul // mxE; apply: le_trans (ler_norm_sum _ _ _) _.
  by rewrite mulr_suml; apply: ler_sum => k _; rewrite normrM mulrC ler_wpmul2l // mxE.
by rewrite -!mulr_suml -mulrA -expr2 exchange_big.
Qed.

Section Form.
Variables (m : nat) (Q : 'M[R]_m) (rho : R).
Hypothesis rho_gt0 : 0 < rho.
Hypothesis Q_margin : forall y : 'cV[R]_m, rho * dot y y <= form Q y.

Definition form_constant : R := total Q * (m%:R * m%:R / rho + 1).

Lemma form_constant_ge0 : 0 <= form_constant.
Proof. by rewrite mulr_ge0 ?total_ge0 // addr_ge0 ?ler01 // divr_ge0 ?(ltW rho_gt0) // mulr_ge0 ?ler0n. Qed.

Lemma form_matrix_entries (X : 'M[R]_m) e (y : 'cV[R]_m) : 0 <= e -> entries_le X e ->
  form Q (X *m y) <= form_constant * e ^+ 2 * form Q y.
Proof.
move=> e0 Xe; rewrite -form_congruence; apply: le_trans (ler_norm _) _; apply: le_trans (form_bound _ _) _.
have V0 : 0 <= form Q y by apply: le_trans (Q_margin y); rewrite mulr_ge0 ?dot_ge0 // ltW.
apply: (@le_trans _ _ (m%:R * m%:R * (total Q * e ^+ 2) * dot y y)).
  apply: ler_wpmul2r; first exact: dot_ge0.
  apply: (@le_trans _ _ (\sum_(i < m) \sum_(j < m) total Q * e ^+ 2)).
    by apply: ler_sum => i _; apply: ler_sum => j _; apply: entries_le_form.
  by rewrite !sumr_const !card_ord -mulrnA -mulr_natl natrM.
have -> : form_constant * e ^+ 2 * form Q y = total Q * e ^+ 2 * (m%:R * m%:R) * (form Q y / rho) + total Q * e ^+ 2
  * form Q y.
  have H (t v k ir E : R) : t * (k * k * ir + 1) * E * v = t * E * (k * k) * (v * ir) + t * E * v by ring.
  exact: H.
rewrite ler_paddr //; first by rewrite !mulr_ge0 ?total_ge0 ?sqr_ge0.
rewrite [_ * (total Q * _)]mulrC; apply: ler_wpmul2l; last by rewrite ler_pdivl_mulr // mulrC.
by rewrite !mulr_ge0 ?total_ge0 ?sqr_ge0 ?ler0n.
Qed.

Lemma form_vector_entries (u : 'cV[R]_m) e : 0 <= e -> entries_le u e -> form Q u <= form_constant * e ^+ 2.
Proof.
move=> e0 ue; apply: le_trans (ler_norm _) (le_trans (entries_le_form Q e0 ue 0 0) _).
rewrite ler_wpmul2r ?sqr_ge0 // ler_pemulr ?total_ge0 // ler_addr.
by rewrite divr_ge0 ?(ltW rho_gt0) // mulr_ge0 ?ler0n.
Qed.
End Form.
End Entries.

Section Fading.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (beta B : R).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis d_law : law P d.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Hypothesis beta01 : 0 <= beta < 1.
Hypothesis B_ge0 : 0 <= B.
Local Notation K := (observation_kernel state q init).
Local Notation C := (@cond R _ K _).
Local Notation E0 := (stationary_mean state q init d).

Definition fades p r (F : seq O -> 'M[R]_(p, r)) (Fw : nat -> seq O -> 'M[R]_(p, r)) (mean : 'M[R]_(p, r)) :=
  [/\ forall w, local w.+1 (Fw w), forall w h, entries_le (F h - Fw w h) (B * beta ^+ w),
      forall w h, entries_le (Fw w h) B & forall w, entries_le (E0 w (Fw w) - mean) (B * beta ^+ w)].

Lemma fades_bounded p r F Fw mean h : @fades p r F Fw mean -> entries_le (F h) (2%:R * B).
Proof.
case=> _ near bound _; rewrite -[F h](subrK (Fw 0%N h)) mulr_natl mulr2n; apply: entries_leD => //.
by have := near 0%N h; rewrite expr0 mulr1.
Qed.

Section Mixing.
Variable Q : 'M[R]_m.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).
Variables (rho : nat -> R) (E g : R).
Hypothesis rho_ge0 : forall j, 0 <= rho j.
Hypothesis rhoP : forall j, rows_le (gap P d j) (rho j).
Hypothesis E_ge0 : 0 <= E.
Hypothesis g_ge0 : 0 <= g.
Definition fading_rate k : R := (6%:R * E + 3%:R * g + 1) * (beta ^+ k./2 + rho (k - k./2)).

Lemma fading_mixing (F : seq O -> 'cV[R]_m) (Fw : nat -> seq O -> 'cV[R]_m) Y k h : 0 <= Y ->
  (forall w, local w.+1 (Fw w)) -> (forall w h, V (F h - Fw w h) <= E * beta ^+ w ^+ 2 * Y) ->
  (forall w h, V (Fw w h) <= g * Y) -> (forall w, V (E0 w (Fw w)) <= E * beta ^+ w ^+ 2 * Y) ->
  (0 < size h)%N -> V (iter k.+1 C F h) <= fading_rate k ^+ 2 * Y.
Proof.
move=> Y0 loc near bound mean; case: h => [//|o h] _; set w := k./2.
have kw : (w + (k - w) = k)%N by rewrite subnKC // -{1}(odd_double_half k) -addnn addnA leq_addl.
have -> : iter k.+1 C F (o :: h) = iter k.+1 C (fun h => F h - Fw w h + Fw w h) (o :: h).
  by apply: cond_ext => h' _; rewrite subrK.
rewrite iter_condD -{2}kw (@window_gap _ _ _ state q init _ P q_observes d w (k - w) (Fw w) o h (loc w)) addrA.
apply: le_trans (form_add3 Q_sym Q_ge0 _ _ _) _.
have a1 := @iter_cond_le _ _ _ _ state P q init Q P_stochastic q_observes init_distribution Q_sym Q_ge0 k.+1 _ _ (o
  :: h) (near w).
have a3 : V (\sum_i gap P d (k - w) (state o) i *: observe q (iter w C (Fw w)) i) <= rho (k - w)%N ^+ 2 * (g * Y).
  apply: le_trans (form_signed Q_sym Q_ge0 _ _) _.
    move=> i; apply: (@observe_le _ _ _ _ state P q Q P_stochastic q_observes Q_sym Q_ge0) => h'.
    exact: (@iter_cond_le _ _ _ _ state P q init Q P_stochastic q_observes init_distribution Q_sym Q_ge0 w _ _ h'
      (bound w)).
  by rewrite ler_wpmul2r ?mulr_ge0 // ler_sqr ?nnegrE ?sumr_ge0 // rhoP.
have u0 : 0 <= beta ^+ w by rewrite exprn_ge0 //; case/andP: beta01.
have := mean w; rewrite /fading_rate -/w; move: (V _) a1 => x1; move: (V (E0 _ _)) => x2; move: (V _) a3 => x3.
move: (beta ^+ w) (rho (k - w)%N) (rho_ge0 (k - w)) u0 => u v v0 u0 h3 h1 h2.
have T0 : 0 <= 6%:R * E + 3%:R * g + 1 by rewrite !addr_ge0 ?ler01 // mulr_ge0 ?ler0n.
have T1 : 0 <= (6%:R * E + 3%:R * g + 1) * (6%:R * E + 3%:R * g) by rewrite mulr_ge0 // !addr_ge0 // mulr_ge0 ?ler0n.
have H (e p y z1 z2 z3 : R) : ((6%:R * e + 3%:R * p + 1) * (u + v)) ^+ 2 * y - 3%:R * (z1 + z2 + z3)
  = ((u ^+ 2 * ((6%:R * e + 3%:R * p + 1) * (6%:R * e + 3%:R * p) + 3%:R * p + 1)
     + v ^+ 2 * ((6%:R * e + 3%:R * p + 1) * (6%:R * e + 3%:R * p) + 6%:R * e + 1)
     + 2%:R * (6%:R * e + 3%:R * p + 1) ^+ 2 * (u * v)) * y
     + 3%:R * ((e * u ^+ 2 * y - z1) + (e * u ^+ 2 * y - z2) + (v ^+ 2 * (p * y) - z3))) by ring.
rewrite -subr_ge0 H; apply: addr_ge0; last first.
  by apply: mulr_ge0; [exact: ler0n | apply: addr_ge0; [apply: addr_ge0|]; rewrite subr_ge0].
apply: mulr_ge0 => //; apply: addr_ge0; last by rewrite !mulr_ge0 ?ler0n ?sqr_ge0.
by rewrite addr_ge0 // mulr_ge0 ?sqr_ge0 // addr_ge0 ?ler01 // addr_ge0 // mulr_ge0 ?ler0n.
Qed.
End Mixing.

Variables (Lam : nat -> 'M[R]_m) (theta : seq O -> 'cV[R]_m) (Q A : 'M[R]_m) (bb star : 'cV[R]_m).
Variables (G : seq O -> 'M[R]_m) (Gw : nat -> seq O -> 'M[R]_m) (b : seq O -> 'cV[R]_m) (bw : nat -> seq O -> 'cV[R]_m).
Variables (N0 : nat) (g0 : R) (a2 c : nat -> R).
Hypothesis G_fades : fades G Gw A.
Hypothesis b_fades : fades b bw bb.
Hypothesis starE : A *m star + bb = 0.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_posdef : posdef Q.
Hypothesis theta_step : forall o h, theta (o :: h) = theta h + Lam (size h) *m (G (o :: h) *m theta h + b (o :: h)).
Hypothesis Lam_le : forall t (y : 'cV[R]_m), form Q (Lam t *m y) <= a2 t * form Q y.
Hypothesis a2_gt0 : forall t, 0 < a2 t.
Hypothesis a2_summable : summable a2.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N ->
  form Q (y + Lam t *m (A *m y)) <= (1 - c t + g0 * a2 t) * form Q y.

Theorem fading_convergence : tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star)).
Proof.
have K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.
have [mrg mrg0 margin] := posdef_margin Q_posdef; apply: (tends_to_zero_as_le K_kernel mrg0 (fun h =>
  margin (theta h - star))).
have Q_ge0 : possemidef Q by move=> y; have [->|/Q_posdef/ltW//] := eqVneq y 0; rewrite form0.
have [rho [rho0 rhoP] [Gam rho_sum]] := gap_summable P_stochastic d_law P_limit.
have /andP[beta0 beta1] := beta01.
pose Cf := form_constant Q mrg; have Cf0 : 0 <= Cf by apply: form_constant_ge0.
have matrix_le (X : 'M[R]_m) e y : 0 <= e -> entries_le X e -> form Q (X *m y) <= Cf * e ^+ 2 * form Q y.
  exact: form_matrix_entries.
have vector_le (u : 'cV[R]_m) e : 0 <= e -> entries_le u e -> form Q u <= Cf * e ^+ 2 by exact: form_vector_entries.
have Bb0 w : 0 <= B * beta ^+ w by rewrite mulr_ge0 // exprn_ge0.
have powE w (y : R) : Cf * (B * beta ^+ w) ^+ 2 * y = Cf * B ^+ 2 * beta ^+ w ^+ 2 * y by rewrite exprMn mulrA.
have [G_loc G_near G_bound G_mean] := G_fades; have [b_loc b_near b_bound b_mean] := b_fades.
pose s := form Q star; have s0 : 0 <= s := Q_ge0 star.
pose BB := Cf * B ^+ 2; have BB0 : 0 <= BB by rewrite mulr_ge0 ?sqr_ge0.
pose TA := Cf * total A ^+ 2; have TA0 : 0 <= TA by rewrite mulr_ge0 ?sqr_ge0.
have [sE BBE TAE] : [/\ s = form Q star, BB = Cf * B ^+ 2 & TA = Cf * total A ^+ 2] by [].
clearbody s BB TA; pose E := 2%:R * BB * (s + 1); pose g := 8%:R * BB * (s + 1) + 2%:R * TA + (`|g0| + 1).
have s1 : 0 <= s + 1 by rewrite addr_ge0 ?ler01.
have n1 : 0 < `|g0| + 1 by rewrite ltr_paddl ?ltr01.
have BBs : BB <= BB * (s + 1) by rewrite ler_pemulr // ler_addr.
have E0' : 0 <= E by rewrite /E !mulr_ge0 ?ler0n.
have BE : BB <= E by apply: le_trans BBs _; rewrite /E -mulrA ler_pemull ?ler1n // mulr_ge0.
have g_gt0 : 0 < g by apply: ltr_paddl => //; rewrite addr_ge0 // !mulr_ge0 ?ler0n.
have g1 : 8%:R * BB * (s + 1) <= g by rewrite /g -addrA ler_addl addr_ge0 // ?(ltW n1) // mulr_ge0 ?ler0n.
have g2 : 2%:R * BB + 2%:R * TA <= g.
  rewrite /g -[X in X <= _]addr0; apply: ler_add (ltW n1); rewrite ler_add2r -mulrA.
  by apply: ler_pmul => //; rewrite ?ler0n ?ler_nat.
have gg0 : g0 <= g.
  apply: le_trans (ler_norm g0) _; by rewrite /g addrCA ler_addl !addr_ge0 ?ler01 // !mulr_ge0 ?ler0n.
pose r := fading_rate rho E g.
have T0 : 0 < 6%:R * E + 3%:R * g + 1 by rewrite ltr_paddl ?ltr01 // addr_ge0 ?mulr_ge0 ?ler0n // ltW.
have r0 k : 0 < r k by rewrite mulr_gt0 // ltr_paddl // exprn_ge0.
pose U := (1 - beta)^-1 + (1 - beta)^-1 + (Gam + Gam).
have r_sum N : \sum_(0 <= k < N) r k <= (6%:R * E + 3%:R * g + 1) * U.
  rewrite -mulr_sumr ler_pmul2l // big_split /=; apply: ler_add.
    by apply: (sum_half (u := fun k => beta ^+ k)) => [k|N']; [rewrite exprn_ge0 | apply: sum_powers].
  by apply: (sum_uphalf (u := rho)) => // k; apply: ltW.
apply: (@mixing_convergence R _ K m Q K_kernel Q_sym Q_ge0 Lam (fun h => theta h - star) G (fun h =>
  G h *m star + b h) A _
  (maxn N0 1) g ((6%:R * E + 3%:R * g + 1) * U) a2 c r) => //.
- by move=> o h; rewrite theta_step mulmxBr [_ - _ + (_ + _)]addrA subrK addrAC.
- by move=> t; rewrite geq_max => /andP[/c01].
- move=> t y; rewrite geq_max => /andP[Nt _]; apply: le_trans (drift y Nt) _; apply: ler_wpmul2r; first exact: Q_ge0.
  by rewrite ler_add2l; apply: ler_wpmul2r => //; apply: ltW.
- move=> o h y _; apply: le_trans (matrix_le _ _ y _ (fades_bounded (o :: h) G_fades)) _;
  first by rewrite mulr_ge0 ?ler0n.
  apply: ler_wpmul2r; first exact: Q_ge0.
  apply: le_trans g1; rewrite exprMn (mulrCA Cf) -BBE -mulrA.
  by apply: ler_pmul => //; rewrite -?natrX ?ler0n ?ler_nat.
- move=> o h _; have Bn : 0 <= 2%:R * B by rewrite mulr_ge0 ?ler0n.
  apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; apply: le_trans g1.
  have x1 := matrix_le _ _ star Bn (fades_bounded (o :: h) G_fades).
  have x2 := vector_le _ _ Bn (fades_bounded (o :: h) b_fades).
  rewrite exprMn (mulrCA Cf) -BBE in x1 x2; rewrite -sE in x1.
  apply: (@le_trans _ _ (2%:R * (2%:R ^+ 2 * BB * s + 2%:R ^+ 2 * BB))); first by rewrite ler_pmul2l ?ltr0n // ler_add.
  by apply/eqW; ring.
- move=> y; apply: le_trans (matrix_le _ _ y (total_ge0 A) (@entries_le_total _ _ _ A)) _; rewrite -TAE.
  apply: ler_wpmul2r; first exact: Q_ge0.
  apply: le_trans g2; rewrite -[X in X <= _]add0r; apply: ler_add; first by rewrite mulr_ge0 ?ler0n.
  by rewrite ler_pemull ?ler1n.
- move=> k h y; rewrite geq_max => /andP[_ h0]; rewrite iter_cond_mul.
  apply: (@fading_mixing Q Q_sym Q_ge0 rho E g (fun j => ltW (rho0 j)) rhoP E0' (ltW g_gt0) _
    (fun w h => (Gw w h - A) *m y)) => //.
  + by move=> w h1 h2 /G_loc ->.
  + move=> w h'; rewrite -mulmxBl opprB addrA subrK; apply: le_trans (matrix_le _ _ y (Bb0 w) (G_near w h')) _.
    by rewrite powE -BBE; apply: ler_wpmul2r; [exact: Q_ge0 | apply: ler_wpmul2r; rewrite ?sqr_ge0].
  + move=> w h'; rewrite mulmxBl; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; rewrite formNv.
    have x1 := matrix_le _ _ y B_ge0 (G_bound w h'); rewrite -BBE in x1.
    have x2 := matrix_le _ _ y (total_ge0 A) (@entries_le_total _ _ _ A); rewrite -TAE in x2.
    apply: (@le_trans _ _ ((2%:R * BB + 2%:R * TA) * form Q y)); last by apply: ler_wpmul2r => //; apply: Q_ge0.
    by rewrite -mulrDr -mulrA mulrDl ler_pmul2l ?ltr0n // ler_add.
  + move=> w; rewrite stationary_mean_mulr stationary_meanD (stationary_mean_const P_stochastic q_observes
    init_distribution d_law).
    apply: le_trans (matrix_le _ _ y (Bb0 w) (G_mean w)) _.
    by rewrite powE -BBE; apply: ler_wpmul2r; [exact: Q_ge0 | apply: ler_wpmul2r; rewrite ?sqr_ge0].
move=> k h; rewrite geq_max => /andP[_ h0]; rewrite -[X in _ <= X]mulr1.
have split (X : 'M[R]_m) (u : 'cV[R]_m) w : entries_le X (B * beta ^+ w) -> entries_le u (B * beta ^+ w) ->
    form Q (X *m star + u) <= E * beta ^+ w ^+ 2 * 1.
  move=> Xe ue; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; rewrite mulr1.
  have := matrix_le _ _ star (Bb0 w) Xe; have := vector_le _ _ (Bb0 w) ue;
    rewrite powE -BBE -sE -[Cf * _]mulr1 powE -BBE mulr1.
  rewrite /E; move: (form Q (X *m star)) (form Q u) (beta ^+ w ^+ 2) => x1 x2 t h2 h1.
  apply: (@le_trans _ _ (2%:R * (BB * t * s + BB * t))); last by apply/eqW; ring.
  by rewrite ler_pmul2l ?ltr0n // ler_add.
apply: (@fading_mixing Q Q_sym Q_ge0 rho E g (fun j => ltW (rho0 j)) rhoP E0' (ltW g_gt0) _
  (fun w h => Gw w h *m star + bw w h)) => //.
- exact: ler01.
- by move=> w h1 h2 E12; rewrite (G_loc w _ _ E12) (b_loc w _ _ E12).
- move=> w h'; rewrite opprD addrACA -mulmxBl; exact: split.
- move=> w h'; rewrite mulr1; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; apply: le_trans g1.
  have x1 := matrix_le _ _ star B_ge0 (G_bound w h'); have x2 := vector_le _ _ B_ge0 (b_bound w h').
  rewrite -BBE in x1 x2; rewrite -sE in x1; apply: (@le_trans _ _ (2%:R * (BB * s + BB))).
    by rewrite ler_pmul2l ?ltr0n // ler_add.
  by rewrite -[X in _ + X]mulr1 -mulrDr -mulrA ler_wpmul2r ?ler_nat // mulr_ge0.
move=> w; rewrite stationary_meanD stationary_mean_mulr.
have -> : E0 w (Gw w) *m star + E0 w (bw w) = (E0 w (Gw w) - A) *m star + (E0 w (bw w) - bb).
  by rewrite mulmxBl addrACA -opprD starE subr0.
exact: split.
Qed.
End Fading.

Lemma fades_weak (R : realFieldType) n (O : finType) (state : O -> 'I_n.+1) q init d (beta B B' : R) p r F Fw mean :
  0 <= beta -> B <= B' -> @fades R n O state q init d beta B p r F Fw mean -> fades state q init d beta B' F Fw mean.
Proof.
move=> b0 BB [loc near bound close]; have le w : B * beta ^+ w <= B' * beta ^+ w by rewrite ler_wpmul2r ?exprn_ge0.
split=> // [w h|w h|w]; last exact: entries_le_weak (le w) (close w).
  exact: entries_le_weak (le w) (near w h).
exact: entries_le_weak BB (bound w h).
Qed.
