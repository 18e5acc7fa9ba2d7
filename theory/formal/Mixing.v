(* Deterministic step matrices Λ_t (α_t I for TD, diag(ηα_t, α_t) for GTD, diag(β_t, α_t) for TDC); steps α_t > 0 with Σα = ∞, Σα² < ∞ and noise that forgets summably fast: the corrections are
   p_T(h) = Σ_{t ≤ i < T} α_i E[G(h_{i+1}) − Ḡ | h_t = h], the Poisson equation of a moving horizon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms.
From TD Require Import Paths Sequences OneStep Convergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Conditional.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R).

(* E[F(h_{t+1}) | h_t = h] for F with values in a module *)
Definition cond (W : lmodType R) (F : seq S -> W) (h : seq S) : W := \sum_s K h s *: F (s :: h).

Lemma cond_mul (m n l : nat) (A : 'M[R]_(m, n)) (F : seq S -> 'M[R]_(n, l)) h :
  cond (fun h => A *m F h) h = A *m cond F h.
Proof. by rewrite /cond mulmx_sumr; apply: eq_bigr => s _; rewrite scalemxAr. Qed.

Lemma cond_sum (W : lmodType R) (I : Type) (l : seq I) (A : I -> seq S -> W) h :
  cond (fun h => \sum_(i <- l) A i h) h = \sum_(i <- l) cond (A i) h.
Proof.
rewrite /cond; under eq_bigr => s _ do rewrite scaler_sumr.
by rewrite exchange_big.
Qed.

(* Σ_{n ≤ i < T} Λ_i E[F(h_{i+1}) | h], n = |h| *)
Definition ahead m n (Lam : nat -> 'M[R]_m) (F : seq S -> 'M[R]_(m, n)) T (h : seq S) : 'M[R]_(m, n) :=
  \sum_(size h <= i < T) Lam i *m iter (i - size h).+1 (@cond _) F h.

Lemma ahead_step m n (Lam : nat -> 'M[R]_m) (F : seq S -> 'M[R]_(m, n)) T h : (size h < T)%N ->
  \sum_s K h s *: (Lam (size h) *m F (s :: h) + ahead Lam F T (s :: h)) = ahead Lam F T h.
Proof.
move=> hT; under eq_bigr => s _ do rewrite scalerDr.
rewrite big_split /= /ahead [in RHS]big_ltn // subnn; congr (_ + _).
  by rewrite -[LHS]/(cond (fun h' => Lam (size h) *m F h') h) cond_mul.
rewrite -[LHS]/(cond (fun h' => \sum_((size h).+1 <= i < T) Lam i *m iter (i - (size h).+1).+1 (@cond _) F h') h).
rewrite cond_sum big_nat [RHS]big_nat; apply: eq_bigr => i /andP[hi _].
by rewrite cond_mul -(subnSK hi).
Qed.
End Conditional.

(* V(Σ y_i) ≤ (Σ r_i)(Σ V(y_i)/r_i) *)
Section Weighted.
Variables (R : realFieldType) (m : nat) (Q : 'M[R]_m).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Lemma form_weighted (r : nat -> R) (y : nat -> 'cV[R]_m) a b : (forall i, 0 < r i) ->
  V (\sum_(a <= i < b) y i) <= (\sum_(a <= i < b) r i) * \sum_(a <= i < b) (r i)^-1 * V (y i).
Proof.
move=> r0; elim: b => [|b IH]; first by rewrite !big_geq // form0 mul0r.
have [ab|ab|->] := ltngtP a b; [| by rewrite !big_geq // form0 mul0r |]; last first.
  by rewrite !big_nat1 mulVKf ?gt_eqF.
have s0 : 0 < \sum_(a <= i < b) r i by rewrite big_ltn // ltr_paddr // sumr_ge0 // => i _; apply: ltW.
rewrite !big_nat_recr ?(ltnW ab) //=; set s := \sum_(a <= i < b) r i in IH s0 *.
set Y := \sum_(a <= i < b) y i in IH *; set w := \sum_(a <= i < b) _ in IH *.
have w0 : 0 <= w by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?Q_ge0 // invr_ge0 ltW.
apply: le_trans (form_add_le Q_sym Q_ge0 _ _ (divr_gt0 (r0 b) s0)) _.
rewrite invf_div; move: IH (r0 b) s0; move: (V Y) (V (y b)) (r b) w w0 s => p q x w w0 s IH x0 s0.
rewrite -subr_ge0 (_ : _ - _ = (1 + x / s) * (s * w - p)); first by rewrite mulr_ge0 ?subr_ge0 // addr_ge0 ?ler01 ?divr_ge0 ?ltW.
by field; rewrite !gt_eqF.
Qed.
End Weighted.

Section Convolution.
Variables (R : realFieldType) (b r : nat -> R) (Gam : R).
Hypothesis b_ge0 : forall i, 0 <= b i.
Hypothesis r_sum : forall n, \sum_(0 <= k < n) r k <= Gam.

Lemma sum_lags a n : \sum_(a <= i < n) r (i - a) <= Gam.
Proof.
rewrite -{1}[a]add0n big_addn; apply: le_trans (r_sum (n - a)).
by rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => i _; rewrite addnK.
Qed.

Lemma sum_lags_back a n : \sum_(a <= t < n.+1) r (n - t) <= Gam.
Proof.
rewrite big_nat_rev /=; have [an|an] := leqP a n; last first.
  by rewrite big_geq //; apply: le_trans (r_sum 0); rewrite big_geq.
apply: le_trans (sum_lags a n.+1); rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite big_nat [RHS]big_nat; apply: eq_bigr => i /andP[ai]; rewrite ltnS => i_n; congr (r _).
by rewrite addnS subSS -{1}(subnKC ai) subnDl subKn // leq_subLR (leq_trans i_n) // leq_addl.
Qed.

Lemma convolution N T :
  \sum_(N <= t < T.+1) \sum_(t <= i < T) b i * r (i - t) <= Gam * \sum_(N <= i < T) b i.
Proof.
have Gam0 : 0 <= Gam by apply: le_trans (r_sum 0); rewrite big_geq.
elim: T => [|T IH].
  rewrite [X in _ <= Gam * X]big_geq // mulr0; apply/eqW; apply: big1_seq => t _.
  by rewrite big_geq.
have [NT|NT] := leqP N T; last first.
  rewrite [X in _ <= Gam * X]big_geq // mulr0; apply/eqW; rewrite big_nat; apply: big1 => t /andP[Nt _].
  by rewrite big_geq // (leq_trans NT).
rewrite big_nat_recr ?(leqW NT) //= [X in _ + X]big_geq // addr0.
rewrite [X in _ <= Gam * X]big_nat_recr //= mulrDr.
apply: (@le_trans _ _ (\sum_(N <= t < T.+1) (\sum_(t <= i < T) b i * r (i - t) + b T * r (T - t)))).
  by apply/eqW; rewrite big_nat [RHS]big_nat; apply: eq_bigr => t /andP[_ tT]; rewrite big_nat_recr.
rewrite big_split /=; apply: ler_add => //; rewrite -mulr_sumr mulrC; apply: ler_wpmul2r => //.
exact: sum_lags_back.
Qed.

Lemma convolution_next N T :
  \sum_(N <= t < T.+1) \sum_(t.+1 <= i < T) b i * r (i - t.+1) <= Gam * \sum_(N <= i < T) b i.
Proof.
have Gam0 : 0 <= Gam by apply: le_trans (r_sum 0); rewrite big_geq.
apply: (@le_trans _ _ (Gam * \sum_(N.+1 <= i < T) b i)); last first.
  apply: ler_wpmul2l => //; have [NT|NT] := ltnP N T; last by rewrite !big_geq // leqW.
  by rewrite [X in _ <= X]big_ltn // ler_addr.
apply: le_trans (convolution N.+1 T); rewrite -(big_add1 _ _ N T.+2 xpredT (fun t => \sum_(t <= i < T) b i * r (i - t))) /=.
have [NT|NT] := leqP N.+1 T.+1; last by rewrite !big_geq // leqW.
by rewrite [X in X <= _]big_nat_recr //= [X in _ + X]big_geq // addr0.
Qed.
End Convolution.

Section MixingConvergence.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Variables (Lam : nat -> 'M[R]_m) (x : seq S -> 'cV[R]_m) (G : seq S -> 'M[R]_m) (f : seq S -> 'cV[R]_m) (Gb : 'M[R]_m).
Hypothesis x_step : forall s h, x (s :: h) = x h + Lam (size h) *m (G (s :: h) *m x h + f (s :: h)).

Variables (N0 : nat) (g Gam : R) (a2 c r : nat -> R).
(* the steps: a2 bounds their squares, c their drift *)
Hypothesis Lam_le : forall t (y : 'cV[R]_m), V (Lam t *m y) <= a2 t * V y.
Hypothesis a2_gt0 : forall t, 0 < a2 t.
Hypothesis a2_summable : summable a2.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N -> V (y + Lam t *m (Gb *m y)) <= (1 - c t + g * a2 t) * V y.
(* the noise is bounded and forgets *)
Hypothesis g_gt0 : 0 < g.
Hypothesis G_le : forall s h (y : 'cV[R]_m), (N0 <= size h)%N -> V (G (s :: h) *m y) <= g * V y.
Hypothesis f_le : forall s h, (N0 <= size h)%N -> V (f (s :: h)) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis r_gt0 : forall k, 0 < r k.
Hypothesis r_sum : forall n, \sum_(0 <= k < n) r k <= Gam.
Hypothesis G_mixing : forall k h (y : 'cV[R]_m), (N0 <= size h)%N ->
  V (iter k.+1 (@cond _ _ K _) (fun h => G h - Gb) h *m y) <= r k ^+ 2 * V y.
Hypothesis f_mixing : forall k h, (N0 <= size h)%N -> V (iter k.+1 (@cond _ _ K _) f h) <= r k ^+ 2.

Let V_ge0 y : 0 <= V y. Proof. exact: Q_ge0. Qed.
Let Gam_ge0 : 0 <= Gam. Proof. by apply: le_trans (r_sum 0); rewrite big_geq. Qed.
Let r_ge0 k : 0 <= r k. Proof. exact: ltW. Qed.
Let a2_ge0 t : 0 <= a2 t. Proof. exact: ltW. Qed.
Let F h := G h - Gb.

Let kap T t : R := g * a2 t + (Gam * (\sum_(t <= i < T) a2 i * r (i - t))
                                + Gam * (\sum_(t.+1 <= i < T) a2 i * r (i - t.+1))).

Let lags_ge0 T t n : 0 <= Gam * (\sum_(t <= i < T) a2 i * r (i - n)).
Proof. by rewrite mulr_ge0 // sumr_ge0 // => i _; rewrite mulr_ge0. Qed.

Let kap_gt0 T t : 0 < kap T t.
Proof.
rewrite /kap; apply: ltr_paddr; last exact: mulr_gt0.
by apply: addr_ge0; apply: lags_ge0.
Qed.

Let kap_small eps : 0 < eps -> exists N, forall T, \sum_(N <= t < T.+1) kap T t <= eps.
Proof.
move=> eps0; have C0 : 0 < g + Gam * Gam + Gam * Gam by rewrite -addrA; apply: ltr_paddr => //; rewrite addr_ge0 ?mulr_ge0.
have [N sum] := a2_summable (divr_gt0 eps0 C0); exists N => T.
have s0 : 0 <= \sum_(N <= t < T.+1) a2 t by apply: sumr_ge0.
have sT : \sum_(N <= t < T) a2 t <= \sum_(N <= t < T.+1) a2 t by exact: sum_nat_le_right.
rewrite !big_split /= -!mulr_sumr.
apply: (@le_trans _ _ ((g + Gam * Gam + Gam * Gam) * \sum_(N <= t < T.+1) a2 t)); last first.
  by rewrite mulrC -ler_pdivl_mulr.
rewrite !mulrDl -addrA ler_add2l; apply: ler_add; rewrite -mulrA; apply: ler_wpmul2l => //.
  by apply: le_trans (convolution a2_ge0 r_sum N T) _; apply: ler_wpmul2l.
by apply: le_trans (convolution_next a2_ge0 r_sum N T) _; apply: ler_wpmul2l.
Qed.

Let weighted_le (W : nat -> 'cV[R]_m) Y t T : 0 <= Y -> (forall k, V (W k) <= r k ^+ 2 * Y) ->
  V (\sum_(t <= i < T) Lam i *m W (i - t)%N) <= Gam * (\sum_(t <= i < T) a2 i * r (i - t)) * Y.
Proof.
move=> Y0 WY; apply: le_trans (form_weighted Q_sym Q_ge0 _ _ _ (fun i => r_gt0 (i - t))) _.
rewrite -mulrA; apply: ler_pmul => //.
- exact: sumr_ge0.
- by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?invr_ge0.
- exact: sum_lags.
rewrite mulr_suml; apply: ler_sum => i _; rewrite -(ler_pmul2l (r_gt0 (i - t))) mulVKf ?gt_eqF //.
apply: le_trans (Lam_le _ _) _; apply: le_trans (ler_wpmul2l (a2_ge0 i) (WY _)) _; apply/eqW.
by move: (a2 i) (r _) => a q; ring.
Qed.

Let mul_ahead T h (y : 'cV[R]_m) :
  ahead K Lam F T h *m y = \sum_(size h <= i < T) Lam i *m (iter (i - size h).+1 (@cond _ _ K _) F h *m y).
Proof. by rewrite /ahead mulmx_suml; apply: eq_bigr => i _; rewrite mulmxA. Qed.

Theorem mixing_convergence : tends_to_zero_as K (fun h => V (x h)).
Proof.
pose U h := Lam (size h).-1 *m G h; pose u h := Lam (size h).-1 *m f h; pose Ub t := Lam t *m Gb.
have gk T t : g * a2 t <= kap T t by rewrite /kap ler_addl addr_ge0.
have ak1 T t : Gam * (\sum_(t <= i < T) a2 i * r (i - t)) <= kap T t.
  by rewrite /kap addrCA ler_addl addr_ge0 // mulr_ge0 // ltW.
have ak2 T t : Gam * (\sum_(t.+1 <= i < T) a2 i * r (i - t.+1)) <= kap T t.
  by rewrite /kap addrA ler_addr addr_ge0 // mulr_ge0 // ltW.
have first (B : 'cV[R]_m) Y t T : 0 <= Y -> V B <= g * Y -> V (Lam t *m B) <= kap T t * Y.
  move=> Y0 BY; apply: le_trans (Lam_le _ _) _; apply: le_trans (ler_wpmul2r Y0 (gk T t)).
  by apply: le_trans (ler_wpmul2l (a2_ge0 t) BY) _; rewrite mulrA [a2 t * g]mulrC.
apply: (@convergence R S K m Q K_kernel Q_sym Q_ge0 x U u Ub (ahead K Lam F) (ahead K Lam f) c kap N0) => //.
- by move=> s h; rewrite x_step mulmxDr mulmxA.
- by move=> T s h y /andP[Nh _]; rewrite /U -mulmxA; apply: first => //; apply: G_le.
- move=> T s h /andP[Nh _]; rewrite -[X in _ <= X]mulr1; apply: first; first exact: ler01.
  by rewrite mulr1; apply: f_le.
- by move=> T t y _; rewrite /Ub -mulmxA; apply: first.
- move=> T h y /andP[Nh _]; rewrite mul_ahead.
  apply: le_trans (ler_wpmul2r (V_ge0 y) (ak1 T (size h))).
  by apply: (weighted_le (W := fun k => iter k.+1 (@cond _ _ K _) F h *m y)) => // k; apply: G_mixing.
- move=> T h /andP[Nh _]; rewrite -[X in _ <= X]mulr1.
  apply: le_trans (ler_wpmul2r ler01 (ak1 T (size h))).
  by rewrite /ahead; apply: (weighted_le (W := fun k => iter k.+1 (@cond _ _ K _) f h) _ _ ler01) => k; rewrite mulr1; apply: f_mixing.
- move=> T s h y /andP[Nh _]; rewrite mul_ahead.
  apply: le_trans (ler_wpmul2r (V_ge0 y) (ak2 T (size h))).
  apply: (weighted_le (W := fun k => iter k.+1 (@cond _ _ K _) F (s :: h) *m y)) => // k; apply: G_mixing.
  exact: leqW.
- move=> T s h /andP[Nh _]; rewrite -[X in _ <= X]mulr1.
  apply: le_trans (ler_wpmul2r ler01 (ak2 T (size h))).
  rewrite /ahead; apply: (weighted_le (W := fun k => iter k.+1 (@cond _ _ K _) f (s :: h)) _ _ ler01) => k; rewrite mulr1; apply: f_mixing.
  exact: leqW.
- move=> T h y /andP[_ hT]; have [_ K_row] := K_kernel.
  rewrite (_ : \sum_s _ - _ - _ = 0); first by rewrite mul0mx form0 mulr_ge0 ?sqr_ge0.
  rewrite -(ahead_step K Lam F hT) -[Ub _]scale1r -(K_row h) scaler_suml -!sumrB big1 // => s _.
  rewrite -[X in X - _]scalerBr /U /= /Ub; apply/eqP; rewrite subr_eq0; apply/eqP; congr (_ *: _).
  by rewrite /F mulmxBr addrAC.
- move=> T h /andP[_ hT]; rewrite (_ : \sum_s _ - _ = 0); first by rewrite form0 sqr_ge0.
  by rewrite -(ahead_step K Lam f hT) subrr.
- move=> T t y /andP[Nt _]; rewrite /Ub -mulmxA; apply: le_trans (drift _ Nt) _.
  by apply: ler_wpmul2r => //; rewrite ler_add2l.
Qed.
End MixingConvergence.
