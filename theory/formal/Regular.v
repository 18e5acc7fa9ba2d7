(* Regular steps on chains of any period: Σ|α_{t+1} − α_t| < ∞ and the Poisson equation in place of mixing.

   θ ← θ + α_t(G(h_{t+1})θ + f(h_{t+1})), Ḡ the mean of G. Corrections g, f̂ with
       g(h) = E_h[G(s :: h) − Ḡ + g(s :: h)],   f̂(h) = E_h[f(s :: h) + f̂(s :: h)]
   turn the noise into martingale differences, up to (α_{t+1} − α_t)g. They need not be exact:
     unsolved               α_t(E_h[F(s :: h) + F̂(s :: h)] − F̂(h)) + (α_{t+1} − α_t)E_h F̂(s :: h), what a correction F̂ leaves
     poisson_step           the inequality of one step for v = x + α_t(g x + f̂), as OneStep.v has it
     regular_convergence    θ_t → 0 almost surely for Σα² < ∞, Σ|α_{t+1} − α_t| < ∞
     one_class P            some state is reached from every state: one recurrent class, of any period
     poisson_solution       on such a chain every centred function of a window has a correction that leaves (α_{t+1} − α_t)E_h F̂
     regular_sa_convergence θ_t → −A⁻¹b almost surely on such a chain, A = E_0 G(X_t) negative definite *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov LinearSA Steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition unsolved (R : realFieldType) (S : finType) (K : seq S -> S -> R) (W : lmodType R) (alpha : nat -> R)
    (F Fh : seq S -> W) h : W :=
  alpha (size h) *: (cond K (fun h => F h + Fh h) h - Fh h) + (alpha (size h).+1 - alpha (size h)) *: cond K Fh h.

Section Poisson.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Variables (x : seq S -> 'cV[R]_m) (G : seq S -> 'M[R]_m) (f : seq S -> 'cV[R]_m) (Gb : 'M[R]_m).
Variables (gh : seq S -> 'M[R]_m) (fh : seq S -> 'cV[R]_m) (alpha c kap : nat -> R) (N0 : nat) (g : R).
Hypothesis x_step : forall s h, x (s :: h) = x h + alpha (size h) *: (G (s :: h) *m x h + f (s :: h)).
Hypothesis g_poisson : forall h (y : 'cV[R]_m), (N0 <= size h)%N ->
  V (unsolved K alpha (fun h => G h - Gb) gh h *m y) <= kap (size h) ^+ 2 * V y.
Hypothesis f_poisson : forall h, (N0 <= size h)%N -> V (unsolved K alpha f fh h) <= kap (size h) ^+ 2.
Hypothesis G_le : forall h (y : 'cV[R]_m), V (G h *m y) <= g * V y.
Hypothesis f_le : forall h, V (f h) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis gh_le : forall h (y : 'cV[R]_m), V (gh h *m y) <= g * V y.
Hypothesis fh_le : forall h, V (fh h) <= g.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis kap_gt0 : forall t, 0 < kap t.
Hypothesis kap_now : forall t, g * alpha t ^+ 2 <= kap t.
Hypothesis kap_next : forall t, g * alpha t.+1 ^+ 2 <= kap t.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N -> V (y + alpha t *: (Gb *m y)) <= (1 - c t + kap t) * V y.

Let V_ge0 y : 0 <= V y. Proof. exact: Q_ge0. Qed.
Let U h := alpha (size h).-1 *: G h.
Let u h := alpha (size h).-1 *: f h.
Let p h := alpha (size h) *: gh h.
Let ph h := alpha (size h) *: fh h.

(* the corrected state *)
Definition corrected h := x h + p h *m x h + ph h.

Let scale_le a (y : 'cV[R]_m) k Y : 0 <= Y -> V y <= g * Y -> g * a ^+ 2 <= k -> V (a *: y) <= k * Y.
Proof.
move=> Y0 yY ak; rewrite formZv; apply: le_trans (ler_wpmul2r Y0 ak).
by apply: le_trans (ler_wpmul2l (sqr_ge0 a) yY) _; rewrite mulrA [g * _]mulrC.
Qed.

Let scale_le1 a (y : 'cV[R]_m) k : V y <= g -> g * a ^+ 2 <= k -> V (a *: y) <= k.
Proof. by move=> yg ak; rewrite -[k]mulr1; apply: scale_le => //; rewrite mulr1. Qed.

(* α_tF + α_{t+1}F̂ in the mean, and α_tF̂ *)
Let mean_unsolved n (F Fh : seq S -> 'M[R]_(m, n)) h :
  \sum_s K h s *: (alpha (size h) *: F (s :: h) + alpha (size h).+1 *: Fh (s :: h)) - alpha (size h) *: Fh h
  = unsolved K alpha F Fh h.
Proof.
rewrite /unsolved scalerBr addrAC; congr (_ - _); rewrite /cond !scaler_sumr -big_split; apply: eq_bigr => s _ /=.
rewrite !scalerA ![_ * K h s]mulrC -!scalerA -scalerDr; congr (_ *: _).
by rewrite scalerDr scalerBl -addrA [_ *: _ + (_ - _)]addrC subrK.
Qed.

Let p_poisson h (y : 'cV[R]_m) : (N0 <= size h)%N ->
  V ((\sum_s K h s *: (U (s :: h) + p (s :: h)) - alpha (size h) *: Gb - p h) *m y) <= kap (size h) ^+ 2 * V y.
Proof.
move=> Nh; have [_ K_row] := K_kernel; suff -> : \sum_s K h s *: (U (s :: h) + p (s :: h)) - alpha (size h) *: Gb - p h =
    unsolved K alpha (fun h => G h - Gb) gh h by apply: g_poisson.
rewrite -mean_unsolved; congr (_ - _).
rewrite -[alpha (size h) *: Gb]scale1r -(K_row h) scaler_suml -sumrB; apply: eq_bigr => s _.
by rewrite -scalerBr /U /p /= addrAC scalerBr.
Qed.

Let ph_poisson h : (N0 <= size h)%N -> V (\sum_s K h s *: (u (s :: h) + ph (s :: h)) - ph h) <= kap (size h) ^+ 2.
Proof. by move=> Nh; rewrite /u /ph /= mean_unsolved; apply: f_poisson. Qed.

Let x_step' s h : x (s :: h) = x h + (U (s :: h) *m x h + u (s :: h)).
Proof. by rewrite x_step scalerDr -scalemxAl. Qed.

Theorem poisson_step h : (N0 <= size h)%N -> 6%:R * kap (size h) <= 1 ->
  mean K (fun h => V (corrected h)) h
  <= (1 - c (size h) + 600%:R * kap (size h)) * V (corrected h) + 600%:R * kap (size h).
Proof.
move=> Nh k6; have [K_ge0 K_row] := K_kernel; have /andP[ch0 _] := c01 Nh.
rewrite /mean /corrected; under eq_bigr => s _ do rewrite x_step'.
apply: (one_step Q_sym Q_ge0 (K_ge0 h) (K_row h) (kap_gt0 _) k6 ch0
   (U := fun s => U (s :: h)) (u := fun s => u (s :: h)) (Ub := alpha (size h) *: Gb)
   (p' := fun s => p (s :: h)) (ph' := fun s => ph (s :: h))) => [s y|s|y|y||s y|s|||y].
- by rewrite -scalemxAl; apply: scale_le.
- exact: scale_le1.
- by rewrite -scalemxAl; apply: scale_le.
- by rewrite -scalemxAl; apply: scale_le.
- exact: scale_le1.
- by rewrite -scalemxAl; apply: scale_le => //; apply: kap_next.
- by apply: scale_le1 => //; apply: kap_next.
- exact: p_poisson.
- exact: ph_poisson.
by rewrite -scalemxAl; apply: drift.
Qed.

Lemma corrected_le h : 6%:R * kap (size h) <= 1 -> V (corrected h) <= 3%:R * (2%:R * V (x h) + kap (size h)).
Proof.
move=> k6; apply: (corrected_bound Q_sym Q_ge0 (x h) (kap_gt0 (size h)) k6); last exact: scale_le1.
by move=> y; rewrite -scalemxAl; apply: scale_le.
Qed.

Lemma state_le h : 6%:R * kap (size h) <= 1 -> V (x h) <= 6%:R * V (corrected h) + 6%:R * kap (size h).
Proof.
move=> k6; apply: (state_bound Q_sym Q_ge0 (x h) k6); last exact: scale_le1.
by move=> y; rewrite -scalemxAl; apply: scale_le.
Qed.

Theorem regular_convergence : diverges c -> summable kap -> tends_to_zero_as K (fun h => V (x h)).
Proof.
move=> c_div kap_sum.
apply: (@convergence _ _ K m Q K_kernel Q_sym Q_ge0 x U u (fun t => alpha t *: Gb) (fun _ => p) (fun _ => ph) c
  (fun _ => kap) N0) => //.
- by move=> eps /kap_sum[N small]; exists N.
- by move=> _ s h y _; rewrite -scalemxAl; apply: scale_le.
- by move=> _ s h _; apply: scale_le1.
- by move=> _ t y _; rewrite -scalemxAl; apply: scale_le.
- by move=> _ h y _; rewrite -scalemxAl; apply: scale_le.
- by move=> _ h _; apply: scale_le1.
- by move=> _ s h y _; rewrite -scalemxAl; apply: scale_le => //; apply: kap_next.
- by move=> _ s h _; apply: scale_le1 => //; apply: kap_next.
- by move=> _ h y /andP[Nh _]; apply: p_poisson.
- by move=> _ h /andP[Nh _]; apply: ph_poisson.
by move=> _ t y /andP[Nt _]; rewrite -scalemxAl; apply: drift.
Qed.
End Poisson.

(* What corrections leave that solve the Poisson equation *)
Section Exact.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m) (alpha : nat -> R) (g k : R).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Lemma cond_le (F : seq S -> 'cV[R]_m) h c : (forall h, V (F h) <= c) -> V (cond K F h) <= c.
Proof.
have [K_ge0 K_row] := K_kernel => F_le; apply: le_trans (form_jensen Q_sym Q_ge0 (K_ge0 h) (K_row h) _) _.
exact: (mean_bound (K_ge0 h) (K_row h)).
Qed.

Lemma cond_mulr n l (F : seq S -> 'M[R]_(m, n)) (y : 'M[R]_(n, l)) h : cond K F h *m y = cond K (fun h => F h *m y) h.
Proof. by rewrite /cond mulmx_suml; apply: eq_bigr => s _; rewrite scalemxAl. Qed.

Lemma solved (F Fh : seq S -> 'cV[R]_m) h : cond K (fun h => F h + Fh h) h = Fh h -> (forall h, V (Fh h) <= g) ->
  g * (alpha (size h).+1 - alpha (size h)) ^+ 2 <= k ^+ 2 -> V (unsolved K alpha F Fh h) <= k ^+ 2.
Proof.
rewrite /unsolved => -> Fh_le le; rewrite subrr scaler0 add0r formZv mulrC; apply: le_trans le.
by apply: ler_wpmul2r; [apply: sqr_ge0 | apply: cond_le].
Qed.

Lemma solved_matrix (F Fh : seq S -> 'M[R]_m) h (y : 'cV[R]_m) : cond K (fun h => F h + Fh h) h = Fh h ->
  (forall h, V (Fh h *m y) <= g * V y) -> g * (alpha (size h).+1 - alpha (size h)) ^+ 2 <= k ^+ 2 ->
  V (unsolved K alpha F Fh h *m y) <= k ^+ 2 * V y.
Proof.
rewrite /unsolved => -> Fh_le le; rewrite subrr scaler0 add0r -scalemxAl formZv cond_mulr mulrC.
apply: le_trans (ler_wpmul2r (Q_ge0 y) le); rewrite mulrAC; apply: ler_wpmul2r; first exact: sqr_ge0.
exact: cond_le.
Qed.
End Exact.

(* 2⟨y, Ay⟩_Q ≤ −cV(y): the drift of small steps *)
Lemma descent_drift (R : realFieldType) m (Q A : 'M[R]_m) (c g a k : R) (y : 'cV[R]_m) : Q^T = Q -> possemidef Q ->
  (forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y) ->
  (forall y : 'cV[R]_m, form Q (A *m y) <= g * form Q y) -> 0 <= a -> g * a ^+ 2 <= k ->
  form Q (y + a *: (A *m y)) <= (1 - c * a + k) * form Q y.
Proof.
move=> Q_sym Q_ge0 descends A_le a0 ak; rewrite form_add // dotC dotZl dotC formZv.
apply: (@le_trans _ _ (form Q y + a * (- c * form Q y) + a ^+ 2 * (g * form Q y))).
  by rewrite ler_add ?ler_wpmul2l ?sqr_ge0 // ler_add2l mulrCA ler_wpmul2l.
move: (form Q y) (Q_ge0 y) => v v0.
have H : (1 - c * a + k) * v - (v + a * (- c * v) + a ^+ 2 * (g * v)) = (k - g * a ^+ 2) * v by ring.
by rewrite -subr_ge0 H mulr_ge0 // subr_ge0.
Qed.

Section Summable.
Variable R : realFieldType.
Implicit Types (c d : nat -> R).

Lemma summable_add c d : (forall t, 0 <= c t) -> (forall t, 0 <= d t) -> summable c -> summable d ->
  summable (fun t => c t + d t).
Proof.
move=> c0 d0 sc sd eps eps0; have e2 : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
have [N cN] := sc _ e2; have [N' dN] := sd _ e2; exists (maxn N N') => n.
have tail (u : nat -> R) a : (forall t, 0 <= u t) -> (a <= maxn N N')%N ->
    \sum_(maxn N N' <= t < n) u t <= \sum_(a <= t < n) u t.
  move=> u0 aN; have [le|lt] := leqP (maxn N N') n; last by rewrite big_geq ?(ltnW lt) // sumr_ge0.
  by rewrite (@big_cat_nat _ _ _ (maxn N N') a) //= ler_addr sumr_ge0.
rewrite big_split /= (splitr eps); apply: ler_add.
  by apply: le_trans (cN n); apply: tail; rewrite ?leq_maxl.
by apply: le_trans (dN n); apply: tail; rewrite ?leq_maxr.
Qed.

Lemma summable_scale a c : 0 < a -> summable c -> summable (fun t => a * c t).
Proof.
move=> a0 sc eps eps0; have [N small] := sc _ (divr_gt0 eps0 a0); exists N => n.
by rewrite -mulr_sumr mulrC -ler_pdivl_mulr.
Qed.

Lemma summable_next c : (forall t, 0 <= c t) -> summable c -> summable (fun t => c t.+1).
Proof.
move=> c0 sc eps eps0; have [N small] := sc eps eps0; exists N => n; rewrite -(big_add1 _ _ N n.+1 xpredT c).
apply: le_trans (small n.+1); have [le|lt] := leqP N n; last by rewrite !big_geq // ltnW.
by rewrite [X in _ <= X]big_ltn ?ltnS // ler_addr.
Qed.
End Summable.

Definition one_class (R : realFieldType) n (P : 'M[R]_n) := exists k, forall i, connect (edge P) i k.

Lemma irreducible_one_class (R : realFieldType) n (P : 'M[R]_n.+1) : irreducible P -> one_class P.
Proof. by move=> irr; exists ord0 => i; apply: irr. Qed.

(* Py = y leaves only the constants on a chain with one class, so I − P + 𝟏d is invertible. *)
Section Fundamental.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_one_class : one_class P.
Hypothesis d_law : law P d.

(* The largest value is taken wherever one goes from where it is taken; −y has one, too. *)
Let top_spreads (y : 'cV[R]_n.+1) k i : P *m y = y -> (forall j, y j 0 <= y k 0) -> connect (edge P) k i -> y i 0 = y k 0.
Proof.
move=> Py top; suff walk p : forall j, path (edge P) j p -> y j 0 = y k 0 -> y (last j p) 0 = y k 0.
  by move=> /connectP[p kp ->]; apply: walk.
elim: p => [|l p IH] j //= /andP[jl lp] yj; apply: IH => //.
have ge0 s : 0 <= y k 0 - y s 0 by rewrite subr_ge0.
have /psumr_eq0P zero : \sum_s P j s * (y k 0 - y s 0) = 0.
  under eq_bigr => s _ do rewrite mulrBr.
  by rewrite sumrB -mulr_suml P_stochastic.2 mul1r -yj -{1}Py mxE subrr.
have /eqP := zero (fun s _ => mulr_ge0 (P_stochastic.1 j s) (ge0 s)) l isT.
by rewrite mulf_eq0 (gt_eqF jl) subr_eq0 => /eqP.
Qed.

Lemma invariant_const (y : 'cV[R]_n.+1) : P *m y = y -> forall i j, y i 0 = y j 0.
Proof.
have [c reach] := P_one_class.
have le (z : 'cV[R]_n.+1) j : P *m z = z -> z j 0 <= z c 0.
  move=> Pz; pose k := [arg max_(i > (0 : 'I_n.+1)) z i 0]%O.
  have top i : z i 0 <= z k 0 by rewrite /k; case: arg_maxP => // l _; apply.
  by rewrite (top_spreads Pz top (reach k)).
move=> Py; suff all j : y j 0 = y c 0 by move=> i j; rewrite !all.
apply/le_anti; rewrite le //= -ler_opp2; have := @le (- y) j; rewrite !mxE; apply.
by rewrite mulmxN Py.
Qed.

Definition fundamental : 'M[R]_n.+1 := 1%:M - P + ones *m d.

Lemma fundamental_unit : fundamental \in unitmx.
Proof.
have [_ _ dP] := d_law; apply/inj_unitmx => y; rewrite mulmxDl mulmxBl mul1mx -mulmxA => E.
have dy : d *m y = 0.
  have := congr1 (mulmx d) E; rewrite mulmxDr mulmxBr !mulmxA dP subrr add0r -mulmxA mulmx0.
  by rewrite mulmxA (law_ones d_law) mul1mx.
have {E}Py : P *m y = y by apply/eqP; rewrite eq_sym -subr_eq0; apply/eqP; rewrite -E dy mulmx0 addr0.
have yc := invariant_const Py; apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE.
have /matrixP/(_ 0 0) := dy; rewrite !mxE => <-; case: d_law => _ d1 _.
by under eq_bigr => s _ do rewrite (yc s i); rewrite -mulr_suml d1 mul1r.
Qed.

Lemma fundamental_inverse : invmx fundamental = 1%:M + P *m invmx fundamental - ones *m d.
Proof.
have [_ _ dP] := d_law; set Z := invmx _.
have FZ : fundamental *m Z = 1%:M by rewrite mulmxV // fundamental_unit.
have dZ : d *m Z = d.
  rewrite -[RHS]mulmx1 -FZ mulmxA; congr (_ *m Z).
  by rewrite mulmxDr mulmxBr mulmx1 dP subrr add0r mulmxA (law_ones d_law) mul1mx.
by rewrite -FZ /fundamental mulmxDl mulmxBl mul1mx -mulmxA dZ addrAC addrK subrK.
Qed.

(* v = Zu solves v = u + Pv where u has mean zero. *)
Lemma fundamental_solves (W : lmodType R) (u : 'I_n.+1 -> W) : \sum_i d 0 i *: u i = 0 ->
  let v i := \sum_j invmx fundamental i j *: u j in forall i, v i = u i + \sum_j P i j *: v j.
Proof.
move=> mean0 v i; rewrite /v {1}fundamental_inverse.
under eq_bigr => j _ do rewrite !mxE big_ord1 mxE mul1r scalerBl scalerDl.
rewrite sumrB mean0 subr0 big_split /=; congr (_ + _).
  rewrite (bigD1 i) //= eqxx scale1r big1 ?addr0 // => j /negbTE ne.
  by rewrite eq_sym ne scale0r.
under eq_bigr => j _ do rewrite scaler_suml; rewrite exchange_big /=; apply: eq_bigr => j _.
by rewrite scaler_sumr; apply: eq_bigr => l _; rewrite scalerA.
Qed.
End Fundamental.

(* Chains *)
Section Chain.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_one_class : one_class P.
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).

(* g(h) = E_h[F(s :: h) + g(s :: h)] has a solution that depends on the window of F, where E_0 F = 0. *)
Section Correction.
Variables (W : lmodType R) (w : nat) (F : seq O -> W).
Let C := @cond R O K W.
Definition correction h : W := \sum_(1 <= k < w.+1) iter k (@cond R O K W) F h +
  if h is o :: _ then \sum_j invmx (fundamental P d) (state o) j *: observe q (iter w (@cond R O K W) F) j else 0.
Hypothesis F_local : local w.+1 F.

Lemma correction_local : local w.+1 correction.
Proof.
have iter_loc k : local w.+1 (iter k C F).
  by elim: k => [|k IH] //; apply: cond_local; apply: local_le IH.
move=> h h' E; congr (_ + _); first by apply: eq_bigr => k _; apply: iter_loc.
by case: h h' E => [|o h] [|o' h'] //= [->].
Qed.

Theorem poisson_solution h : E0 w F = 0 -> (0 < size h)%N -> cond K (fun h => F h + correction h) h = correction h.
Proof.
move=> mean0; case: h => [//|o h] _; pose u := observe q (iter w C F).
pose v i := \sum_j invmx (fundamental P d) i j *: u j.
have v_step : forall i, v i = u i + \sum_j P i j *: v j := fundamental_solves P_stochastic P_one_class d_law mean0.
rewrite -[LHS]/(C _ _) /C /cond; under eq_bigr => o' _ do rewrite !scalerDr.
rewrite !big_split /= (observe_state q_observes v).
have -> : \sum_o' q (state o) o' *: (\sum_(1 <= k < w.+1) iter k C F (o' :: o :: h)) = \sum_(2 <= k < w.+2) iter k C
  F (o :: h).
  rewrite (big_add1 _ _ 1 w.+2) /=; under eq_bigr => o' _ do rewrite scaler_sumr.
  by rewrite exchange_big.
rewrite addrA -[X in X + _ + _]/(iter 1 C F (o :: h)) -(@big_ltn _ _ _ 1 w.+2) // big_nat_recr //= -addrA;
  congr (_ + _).
rewrite -/(v (state o)) v_step; congr (_ + _); apply: eq_bigr => o' _; congr (_ *: _).
by apply: (iter_local state q init F_local); rewrite /= ?take0.
Qed.
End Correction.

Hypothesis init_distribution : distribution init.
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.

Variables (m w : nat) (G : seq O -> 'M[R]_m) (b : seq O -> 'cV[R]_m) (theta : seq O -> 'cV[R]_m) (alpha : nat -> R).
Hypothesis G_local : local w.+1 G.
Hypothesis b_local : local w.+1 b.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis alpha_variation : summable (fun t => `|alpha t.+1 - alpha t|).
Hypothesis theta_step : forall o h, theta (o :: h) = theta h + alpha (size h) *: (G (o :: h) *m theta h + b (o :: h)).
Let A := E0 w G.

(* 2⟨y, Ay⟩_Q ≤ −c|y|²_Q for some Q > 0: A is Hurwitz. *)
Theorem regular_lyapunov_convergence (Q : 'M[R]_m) c star : Q^T = Q -> posdef Q -> 0 < c ->
  (forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y) -> A *m star + E0 w b = 0 ->
  tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star)).
Proof.
move=> Q_sym Q_pos c0 descends starE.
have [rho rho0 margin] := posdef_margin Q_pos;
  apply: (tends_to_zero_as_le K_kernel rho0 (fun h => margin (theta h - star))).
have Q_ge0 : possemidef Q by move=> y; have [->|/Q_pos/ltW//] := eqVneq y 0; rewrite form0.
have bound B y := matrix_boundP rho0 margin B y; have bound0 B := matrix_bound_ge0 Q rho0 B.
pose f h := G h *m star + b h.
have f_local : local w.+1 f by move=> h h' E; rewrite /f (G_local E) (b_local E).
have GA_local : local w.+1 (fun h => G h - A) by move=> h h' E; rewrite (G_local E).
have GA_mean : E0 w (fun h => G h - A) = 0.
  by rewrite stationary_meanD (stationary_mean_const P_stochastic q_observes init_distribution d_law) subrr.
have f_mean : E0 w f = 0 by rewrite stationary_meanD stationary_mean_mulr.
have gh_local := correction_local GA_local; have gh_poisson h := poisson_solution GA_local (h := h) GA_mean.
have fh_local := correction_local f_local; have fh_poisson h := poisson_solution f_local (h := h) f_mean.
set gh := correction w (fun h => G h - A) in gh_local gh_poisson; set fh := correction w f in fh_local fh_poisson.
have [g1 g10 G_le] := local_bounded (fun h => bound0 (G h)) (fun h h' E => congr1 (matrix_bound Q rho) (G_local E)).
have [g2 g20 f_le] := local_bounded (fun h => Q_ge0 (f h)) (fun h h' E => congr1 (form Q) (f_local _ _ E)).
have [g3 g30 gh_le] := local_bounded (fun h => bound0 (gh h)) (fun h h' E => congr1 (matrix_bound Q rho) (gh_local _
  _ E)).
have [g4 g40 fh_le] := local_bounded (fun h => Q_ge0 (fh h)) (fun h h' E => congr1 (form Q) (fh_local _ _ E)).
pose l := [:: g1; g2; g3; g4; matrix_bound Q rho A]; pose k : R := 1 + \sum_(i < 5) nth 0 l i.
have l0 (i : 'I_5) : 0 <= nth 0 l i by case: i => -[|[|[|[|[|//]]]]] lt; rewrite /l /=.
have k_ge (i : 'I_5) : nth 0 l i <= k by rewrite /k (bigD1 i) //= addrCA ler_addl addr_ge0 ?ler01 ?sumr_ge0.
have k0 : 0 < k by rewrite /k; apply: ltr_paddr; [apply: sumr_ge0 | apply: ltr01].
have le_k (z : R) (y : 'cV[R]_m) : z <= k -> z * form Q y <= k * form Q y by move=> zk; apply: ler_wpmul2r.
pose kap t : R := k * (alpha t ^+ 2 + alpha t.+1 ^+ 2) + (k + 1) * `|alpha t.+1 - alpha t|.
have k10 : 0 < k + 1 by rewrite addr_gt0 ?ltr01.
have v0 t : 0 <= (k + 1) * `|alpha t.+1 - alpha t| by rewrite mulr_ge0 // ltW.
have s0 t : 0 <= alpha t ^+ 2 + alpha t.+1 ^+ 2 by rewrite addr_ge0 ?sqr_ge0.
have kap_now t : k * alpha t ^+ 2 <= kap t by rewrite /kap mulrDr -addrA ler_addl addr_ge0 // mulr_ge0 ?sqr_ge0 // ltW.
have kap_variation t : k * (alpha t.+1 - alpha t) ^+ 2 <= kap t ^+ 2.
  apply: (@le_trans _ _ (((k + 1) * `|alpha t.+1 - alpha t|) ^+ 2)).
    rewrite exprMn real_normK ?num_real //; apply: ler_wpmul2r; first exact: sqr_ge0.
    have H (z : R) : (z + 1) ^+ 2 - z = z ^+ 2 + z + 1 by ring.
    rewrite -subr_ge0 H; apply: addr_ge0; last exact: ler01.
    by apply: addr_ge0; [exact: sqr_ge0 | exact: ltW].
  rewrite ler_sqr ?nnegrE ?v0 //; last by rewrite addr_ge0 // mulr_ge0 // ltW.
  by rewrite ler_addr mulr_ge0 // ltW.
have [N1 small] : exists N1, forall t, (N1 <= t)%N -> c * alpha t <= 1.
  have ic0 : 0 < c^-1 by rewrite invr_gt0.
  have [N1 small] := alpha_square (exprn_gt0 2 ic0); exists N1 => t Nt; rewrite -ler_pdivl_mull // mulr1.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?(ltW (alpha_gt0 _)) ?(ltW ic0) //; apply: le_trans (small t.+1).
  by rewrite big_nat_recr //= ler_addr sumr_ge0 // => i _; rewrite sqr_ge0.
apply: (@regular_convergence R O K m Q K_kernel Q_sym Q_ge0 (fun h => theta h - star) G f A gh fh alpha
  (fun t => c * alpha t) kap (maxn N1 1) k) => //.
- by move=> o h; rewrite theta_step /f mulmxBr [_ - _ + (_ + _)]addrA subrK addrAC.
- move=> h y; rewrite geq_max => /andP[_ /gh_poisson eq]; apply: (@solved_matrix _ _ _ _ _ _ k _ K_kernel Q_sym Q_ge0 _ _ _ _ eq) => // h'.
  by apply: le_trans (bound _ _) _; apply/le_k/(le_trans (gh_le h'))/(k_ge (@Ordinal 5 2 isT)).
- move=> h; rewrite geq_max => /andP[_ /fh_poisson eq]; apply: (@solved _ _ _ _ _ _ k _ K_kernel Q_sym Q_ge0 _ _ _ eq) => // h'.
  by apply: le_trans (fh_le h') _; apply: (k_ge (@Ordinal 5 3 isT)).
- by move=> h y; apply: le_trans (bound _ _) _; apply/le_k/(le_trans (G_le h))/(k_ge (@Ordinal 5 0 isT)).
- by move=> h; apply: le_trans (f_le h) _; apply: (k_ge (@Ordinal 5 1 isT)).
- by move=> y; apply: le_trans (bound _ _) _; apply/le_k/(k_ge (@Ordinal 5 4 isT)).
- by move=> h y; apply: le_trans (bound _ _) _; apply/le_k/(le_trans (gh_le h))/(k_ge (@Ordinal 5 2 isT)).
- by move=> h; apply: le_trans (fh_le h) _; apply: (k_ge (@Ordinal 5 3 isT)).
- by move=> t; rewrite geq_max => /andP[/small ->]; rewrite mulr_ge0 // ltW.
- by move=> t; rewrite ltr_paddr // mulr_gt0 // ltr_paddr ?sqr_ge0 // exprn_gt0.
- by move=> t; rewrite /kap mulrDr addrAC ler_addr addr_ge0 // mulr_ge0 ?sqr_ge0 // ltW.
- move=> t y _; apply: (descent_drift y Q_sym Q_ge0 descends _ (ltW (alpha_gt0 t)) (kap_now t)) => y'.
  by apply: le_trans (bound _ _) _; apply/le_k/(k_ge (@Ordinal 5 4 isT)).
- move=> M N; have [N' [NN' big]] := alpha_diverges (M / c) N; exists N'; split=> //.
  by rewrite -mulr_sumr -ler_pdivr_mull // mulrC.
apply: summable_add => [t|//||]; first by rewrite mulr_ge0 // ltW.
  apply: summable_scale => //; apply: summable_add => [t|t||]; rewrite ?sqr_ge0 //.
  by apply: (@summable_next _ (fun t => alpha t ^+ 2)) => // t; apply: sqr_ge0.
exact: summable_scale.
Qed.

(* A = E_0 G(X_t) negative definite *)
Theorem regular_sa_convergence : negdef A -> let star := - invmx A *m E0 w b in
  tends_to_zero_as K (fun h => dot (theta h - star) (theta h - star)).
Proof.
move=> A_neg star; have [rho rho0 margin] : exists2 rho, 0 < rho & forall y : 'cV[R]_m, rho * dot y y <= form (- A) y.
  by apply: posdef_margin; apply/negdefN.
have r0 : 0 < 2%:R * rho by rewrite mulr_gt0 ?ltr0n.
apply: (@regular_lyapunov_convergence 1%:M (2%:R * rho) star) => //; first exact: trmx1.
- by move=> y y0; rewrite form_id dot_gt0.
- move=> y; rewrite mul1mx form_id -mulrN -!mulrA ler_pmul2l ?ltr0n // mulNr -ler_oppr; apply: le_trans (margin y) _.
  by rewrite formN /form /dot mulmxA.
by rewrite /star mulNmx mulmxN mulKVmx ?addNr // negdef_unitmx.
Qed.
End Chain.
