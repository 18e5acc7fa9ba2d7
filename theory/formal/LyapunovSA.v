(* Linear stochastic approximation with step matrices and a Lyapunov weight, as the algorithms are printed: after the
   first observation x is any x_0, which may depend on it; the history of t + 2 observations h_{t+1} = o_{t+1}, o_t,
   …, o_0 gives

       x_{t+1} = x_t + Λ_t(G(h_{t+1})x_t + b(h_{t+1})),   Ḡ = E_0 G, b̄ = E_0 b, Ḡx* + b̄ = 0.

   [step_matrix_convergence]  for some Q = Qᵀ > 0, V(y) = yᵀQy: V(Λ_t y) ≤ a_t V(y), Σa_t < ∞, and
                              2yᵀQΛ_tḠy ≤ −c_t V(y), 0 ≤ c_t ≤ 1, Σc_t = ∞ give x_t → x* almost surely
   [lyapunov_convergence]     Λ_t = α_t I and QḠ < 0: Ḡ is Hurwitz, not necessarily negative definite *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov MarkovConvergence LinearSA.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sequences.
Variable R : realFieldType.
Implicit Types (alpha u v : nat -> R).

(* α_t ≤ a from some t on *)
Lemma eventually_small alpha a : 0 < a -> (forall t, 0 <= alpha t) -> summable (fun t => alpha t ^+ 2) ->
  exists N, forall t, (N <= t)%N -> alpha t <= a.
Proof.
move=> a0 alpha0 square; have [N small] := square _ (exprn_gt0 2 a0); exists N => t Nt.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?(ltW a0) //; apply: le_trans (small t.+1).
by rewrite big_nat_recr //= ler_addr sumr_ge0 // => i _; rewrite sqr_ge0.
Qed.

Lemma diverges_scale alpha a : 0 < a -> diverges alpha -> diverges (fun t => a * alpha t).
Proof.
move=> a0 div M N; have [n [Nn big]] := div (M / a) N; exists n; split=> //.
by rewrite -mulr_sumr -ler_pdivr_mull // mulrC.
Qed.

Lemma summable_add u v k : 0 < k -> (forall t, 0 <= u t) -> (forall t, 0 <= v t) ->
  summable u -> summable v -> summable (fun t => k * (u t + v t)).
Proof.
move=> k0 u0 v0 sum_u sum_v eps eps0; have e0 : 0 < eps / (2%:R * k) by rewrite divr_gt0 // mulr_gt0 ?ltr0n.
have later (c : nat -> R) N N' e : (N <= N')%N -> (forall t, 0 <= c t) ->
    (forall n, \sum_(N <= t < n) c t <= e) -> forall n, \sum_(N' <= t < n) c t <= e.
  move=> NN c0 small n; have [N'n|nN'] := leqP N' n; last first.
    by rewrite big_geq ?(ltnW nN') //; apply: le_trans (small N); rewrite big_geq.
  by apply: le_trans (small n); rewrite (@big_cat_nat _ _ _ N' N) //= ler_addr sumr_ge0.
have [[N small] [N' small']] := (sum_u _ e0, sum_v _ e0); exists (maxn N N') => n.
rewrite -mulr_sumr big_split /=; apply: (@le_trans _ _ (k * (eps / (2%:R * k) + eps / (2%:R * k)))).
  by rewrite ler_pmul2l // ler_add //; [apply: (later u N) | apply: (later v N')]; rewrite ?leq_maxl ?leq_maxr.
by apply/eqW; field; rewrite gt_eqF.
Qed.

End Sequences.

Section LyapunovSA.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis d_law : law P d.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).

Variables (w : nat) (G : seq O -> 'M[R]_m) (b : seq O -> 'cV[R]_m) (star : 'cV[R]_m) (Q : 'M[R]_m) (x : seq O ->
  'cV[R]_m).
Hypothesis G_local : local w.+2 G.
Hypothesis b_local : local w.+2 b.
Let Gb := E0 w.+1 G.
Hypothesis star_rest : Gb *m star + E0 w.+1 b = 0.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_posdef : posdef Q.

Section StepMatrices.
Variables (Lam : nat -> 'M[R]_m) (a c : nat -> R) (N0 : nat).
Hypothesis x_step : forall o' o h,
  x (o' :: o :: h) = x (o :: h) + Lam (size h) *m (G (o' :: o :: h) *m x (o :: h) + b (o' :: o :: h)).
Hypothesis Lam_le : forall t (y : 'cV[R]_m), form Q (Lam t *m y) <= a t * form Q y.
Hypothesis a_gt0 : forall t, 0 < a t.
Hypothesis a_summable : summable a.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N -> 2%:R * form (Q *m Lam t *m Gb) y <= - (c t * form Q y).

(* x_0 is reached from x* in a first step with Λ = I, G = 0 and b = x_0 − x*. *)
Let G0 h := if h is _ :: _ :: _ then G h else 0.
Let b0 h := if h is _ :: _ :: _ then b h else x h - star.
Let x0 h := if h is _ :: _ then x h else star.
Let Lam0 t := if t is t'.+1 then Lam t' else 1%:M.
Let a0 t := if t is t'.+1 then a t' else 1.
Let c0 t := if t is t'.+1 then c t' else 0.

Let summable0 : summable a0.
Proof.
move=> eps eps0; have [N small] := a_summable eps0; exists N.+1 => -[|k]; first by rewrite big_geq // ltW.
by rewrite big_add1 /=; apply: small.
Qed.

Let diverges0 : diverges c0.
Proof.
move=> M N; have [k [Nk big]] := c_diverges M N.-1; exists k.+1.
by case: N Nk big => [|N] Nk big; split=> //; rewrite ?big_add1 // big_nat_recl //= add0r.
Qed.

(* Only windows of two or more observations count in E_0. *)
Let mean_ext (W : lmodType R) (F1 F2 : seq O -> W) :
  (forall o' o h, F1 (o' :: o :: h) = F2 (o' :: o :: h)) -> E0 w.+1 F1 = E0 w.+1 F2.
Proof.
move=> E; apply: eq_bigr => i _; congr (_ *: _); apply: eq_bigr => o _; congr (_ *: _).
have H k h : iter k.+1 (@cond R _ K W) F1 (o :: h) = iter k.+1 (@cond R _ K W) F2 (o :: h); last exact: H.
elim: k o h => [|k IH] o1 h; rewrite [LHS]/= [RHS]/= /cond; apply: eq_bigr => o' _; congr (_ *: _); first exact: E.
exact: IH.
Qed.

(* x_t → x* almost surely *)
Theorem step_matrix_convergence : tends_to_zero_as K (fun h => dot (x h - star) (x h - star)).
Proof.
have conv : tends_to_zero_as K (fun h => dot (x0 h - star) (x0 h - star)).
  have G0E : E0 w.+1 G0 = Gb by apply: mean_ext.
  have [rho rho0 margin] := posdef_margin Q_posdef.
  apply: (@window_convergence R n m O state P q init d P_stochastic q_observes init_distribution d_law P_limit w.+1
    G0 b0 _ _ x0 Q Lam0 star N0.+1 (matrix_bound Q rho Gb) a0 c0) => //.
  - move=> h h' E; rewrite /G0; case: h h' E => [|s [|s1 h]] [|s' [|s1' h']] // E; exact: G_local.
  - move=> h h' E; rewrite /b0; case: h h' E => [|s [|s1 h]] [|s' [|s1' h']] // E; last exact: b_local.
    by case: E => ->.
  - by rewrite G0E (mean_ext (F2 := b)).
  - by move=> o' [|o h]; rewrite /= ?x_step // mul1mx mul0mx add0r addrC subrK.
  - by move=> [|t] y /=; [rewrite mul1mx mul1r | apply: Lam_le].
  - by case=> [|t] /=; rewrite ?ltr01.
  - by case=> [|t] //; apply: c01.
  case=> // t y Nt; rewrite G0E form_add // (_ : dot _ _ = form (Q *m Lam t *m Gb) y); last first.
    by rewrite /dot /form trmx_mul Q_sym !mulmxA.
  rewrite mulrDl mulrBl mul1r; apply: ler_add; first by rewrite ler_add2l drift.
  apply: le_trans (Lam_le _ _) _; rewrite mulrAC [leRHS]mulrC ler_wpmul2l ?(ltW (a_gt0 _)) //.
  exact: matrix_boundP.
move=> eps delta eps0 delta0; have [N small] := conv eps delta eps0 delta0; exists N.+1 => T NT.
apply: le_trans (small T (ltnW NT)); apply: prob_le => [|h _]; first exact: observation_kernelP q_observes _.
by apply: visits_sub => -[|o h'] _ /andP[//= Nh le]; rewrite /above (ltnW Nh).
Qed.
End StepMatrices.

(* One step size for all coordinates. *)
Section OneStepSize.
Variable alpha : nat -> R.
Hypothesis QG_negdef : negdef (Q *m Gb).
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).
Hypothesis x_step : forall o' o h,
  x (o' :: o :: h) = x (o :: h) + alpha (size h) *: (G (o' :: o :: h) *m x (o :: h) + b (o' :: o :: h)).

(* x_t → x* almost surely *)
Theorem lyapunov_convergence : tends_to_zero_as K (fun h => dot (x h - star) (x h - star)).
Proof.
have [k k0 Vk] := form_upper Q.
have [rho rho0 margin] := posdef_margin (proj1 (negdefN _) QG_negdef).
have rk0 : 0 < rho / k by rewrite divr_gt0.
have [N0 small] := eventually_small (etrans (invr_gt0 _) rk0) (fun t => ltW (alpha_gt0 t)) alpha_square.
apply: (@step_matrix_convergence (fun t => (alpha t)%:M) (fun t => alpha t ^+ 2) (fun t => rho / k * alpha t) N0) => //.
- by move=> o' o h; rewrite mul_scalar_mx.
- by move=> t y; rewrite mul_scalar_mx formZv.
- by move=> t; rewrite exprn_gt0.
- by move=> t Nt; rewrite mulr_ge0 ?(ltW rk0) ?(ltW (alpha_gt0 _)) // -ler_pdivl_mull // mulr1 small.
- exact: diverges_scale.
move=> t y _; rewrite scalar_mxC -mulmxA mul_scalar_mx formZ.
have := margin y; rewrite formN ler_oppr => neg; apply: (@le_trans _ _ (2%:R * (alpha t * - (rho * dot y y)))).
  by rewrite !ler_pmul2l // ltr0n.
have q0 : 0 <= form Q y by have [->|/Q_posdef/ltW//] := eqVneq y 0; rewrite form0.
have a0 := ltW (alpha_gt0 t).
have : rho / k * form Q y <= rho * dot y y by rewrite mulrAC ler_pdivr_mulr // -mulrA ler_pmul2l // mulrC.
move: (rho / k) rk0 (form Q y) (rho * dot y y) q0 => r r0 v z v0 rv.
rewrite -subr_ge0 (_ : _ - _ = alpha t * (z - r * v) + alpha t * (z - r * v) + alpha t * (r * v)); last by ring.
by rewrite !addr_ge0 ?mulr_ge0 ?subr_ge0 // ltW.
Qed.
End OneStepSize.
End LyapunovSA.
