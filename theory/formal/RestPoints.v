(* On a chain with a limit law, deterministic α_t > 0, Σα_t = ∞, Σα_t² < ∞:

     mean_vanishes         if u_{t+1} = u_t + α_t(f(X_t) + e_t), |u_t|² ≤ V_t and |e_t|² ≤ gV_t with V_t → 0 almost surely,
                           then E_0 f(X_t) = 0
     limit_is_rest_point   if θ ← θ + α_t(G(X_t)θ + b(X_t)) converges almost surely to θ*, then Aθ* + E_0 b(X_t) = 0 with
                           A = E_0 G(X_t); where no θ* solves this, θ_t does not converge *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits Lyapunov.
From TD Require Import Paths Sequences Convergence Markov LinearSA Refuted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section RestPoints.
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

Variables (w : nat) (alpha : nat -> R).
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_diverges : diverges alpha.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).

Let sq (y : 'cV[R]_m) := dot y y.

Lemma dot_convex a (x y : 'cV[R]_m) : 0 <= a <= 1 -> sq ((1 - a) *: x + a *: y) <= (1 - a) * sq x + a * sq y.
Proof.
case/andP=> a0 a1; rewrite /sq !dotE !mulr_sumr -big_split; apply: ler_sum => i _; rewrite !mxE /=.
move: (x i 0) (y i 0) => u v; rewrite -subr_ge0.
have H : (1 - a) * (u * u) + a * (v * v) - ((1 - a) * u + a * v) * ((1 - a) * u + a * v) = a * (1 - a) * (u - v) ^+ 2.
  by ring.
by rewrite H; apply: mulr_ge0; [apply: mulr_ge0; rewrite ?subr_ge0 | exact: sqr_ge0].
Qed.

Let sq_add2 x y : sq (x + y) <= 2%:R * (sq x + sq y).
Proof.
rewrite /sq !dotE -big_split mulr_sumr; apply: ler_sum => i _; rewrite !mxE /=.
move: (x i 0) (y i 0) => u v; rewrite -subr_ge0.
have H : 2%:R * (u * u + v * v) - (u + v) * (u + v) = (u - v) ^+ 2 by ring.
by rewrite H sqr_ge0.
Qed.

(* the running mean of Gθ* + b, with the same steps *)
Fixpoint running (f : seq O -> 'cV[R]_m) h : 'cV[R]_m :=
  if h is _ :: h' then running f h' + alpha (size h') *: ((- 1%:M) *m running f h' + f h) else 0.

Section Driven.
Variables (u e : seq O -> 'cV[R]_m) (f : seq O -> 'cV[R]_m) (V : seq O -> R) (g : R).
Hypothesis f_local : local w.+1 f.
Hypothesis u_step : forall o h, u (o :: h) = u h + alpha (size h) *: (f (o :: h) + e (o :: h)).
Hypothesis u_le : forall h, sq (u h) <= V h.
Hypothesis e_le : forall o h, sq (e (o :: h)) <= g * V h.
Hypothesis g_ge0 : 0 <= g.

Theorem mean_vanishes : tends_to_zero_as K V -> E0 w f = 0.
Proof.
move=> lim; set fb := E0 w f; apply/eqP/negPn/negP => fb0.
have lim_m : tends_to_zero_as K (fun h => sq (running f h - fb)).
  have one_mean : E0 w (fun=> - 1%:M : 'M[R]_m) = - 1%:M by apply: (stationary_mean_const P_stochastic q_observes
    init_distribution d_law).
  have neg1 : negdef (- 1%:M : 'M[R]_m) by move=> y y0; rewrite formN form_id oppr_lt0 dot_gt0.
  have := @linear_sa_convergence R n m O state P q init d P_stochastic q_observes init_distribution d_law P_limit w
    (fun=> - 1%:M) f (fun _ _ _ => erefl) f_local (running f) alpha.
  rewrite one_mean => /(_ neg1 alpha_gt0 alpha_diverges alpha_square (fun _ _ => erefl)).
  suff -> : - invmx (- 1%:M) *m E0 w f = fb by [].
  by rewrite -raddfN invmx_scalar invrN1 raddfN opprK mul1mx.
pose C := 2%:R * (1 + g); have C0 : 0 < C by rewrite mulr_gt0 ?ltr0n // ltr_paddr ?ltr01.
pose eta := sq fb / (6%:R + 8%:R * C).
have den0 : 0 < 6%:R + 8%:R * C by apply: addr_gt0; [exact: ltr0n | apply: mulr_gt0; [exact: ltr0n | exact: C0]].
have eta0 : 0 < eta by rewrite divr_gt0 // dot_gt0.
have [N1 small] : exists N1, forall t, (N1 <= t)%N -> alpha t <= 1.
  have [N1 small] := alpha_square (@ltr01 R); exists N1 => t Nt.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?(ltW (alpha_gt0 _)) ?ler01 // expr1n; apply: le_trans (small t.+1).
  by rewrite big_nat_recr //= ler_addr sumr_ge0 // => i _; rewrite sqr_ge0.
have [N N1N common] := common_path N1 K_kernel eta0 lim lim_m.
pose ww h := running f h - u h; pose B := \sum_(h : N.-tuple O) sq (ww h).
have B0 : 0 <= B by apply: sumr_ge0 => h _; apply: dot_ge0.
have ww_step o h : ww (o :: h) = (1 - alpha (size h)) *: ww h + alpha (size h) *: - (u h + e (o :: h)).
  rewrite /ww u_step [running _ _]/= mulNmx mul1mx.
  move: (running _ h) (u h) (e _) (f _) (alpha _) => x1 x2 x3 x4 a.
  have H (y1 y2 y3 y4 : R) : y1 + a * (- y1 + y4) - (y2 + a * (y4 + y3)) = (1 - a) * (y1 - y2) + a * - (y2 + y3) by ring.
  by apply/matrixP => i j; rewrite !mxE; apply: H.
have w_le h : (N <= size h)%N -> (forall k, (N <= size (drop k h))%N -> V (drop k h) < eta) ->
    sq (ww h) <= B * \prod_(N <= t < size h) (1 - alpha t) + C * eta.
  have start h' : size h' = N -> sq (ww h') <= B * \prod_(N <= t < size h') (1 - alpha t) + C * eta.
    move=> hN; rewrite hN big_geq // mulr1; apply: (@le_trans _ _ B); last by rewrite ler_addl mulr_ge0 // ltW.
    have hN' := introT eqP hN; rewrite /B (bigD1 (Tuple hN')) //= ler_addl sumr_ge0 // => i _; exact: dot_ge0.
  elim: h => [|o h IH]; rewrite leq_eqVlt => /orP[/eqP NE near|]; try (by apply: start; rewrite NE); first by [].
  rewrite ltnS -[(_ <= _)%N]/(N <= size h)%N => Nh near; have a1 := small _ (leq_trans N1N Nh);
    have a0 := ltW (alpha_gt0 (size h)).
  have {}IH := IH Nh (fun k => near k.+1); have := near 1%N; rewrite /= drop0 => /(_ Nh) u_small.
  rewrite ww_step; apply: le_trans (dot_convex _ _ _) _; first by rewrite a0.
  have z_le : sq (- (u h + e (o :: h))) <= C * eta.
    rewrite /sq dotNl dotC dotNl opprK; apply: le_trans (sq_add2 _ _) _; rewrite /C -mulrA ler_pmul2l ?ltr0n //.
    apply: (@le_trans _ _ ((1 + g) * V h)); last by rewrite ler_pmul2l ?(ltW u_small) // ltr_paddr ?ltr01.
    by rewrite mulrDl mul1r ler_add.
  rewrite [size _]/= big_nat_recr //=; apply: (@le_trans _ _ ((1 - alpha (size h)) * (B * \prod_(N <= t < size h) (1
    - alpha t) + C * eta)
    + alpha (size h) * (C * eta))).
    by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0.
  have H (z p r : R) : (1 - z) * (B * p + r) + z * r = B * (p * (1 - z)) + r by ring.
  by apply/eqW; apply: H.
have [n' [Nn big]] := alpha_diverges (B / (C * eta)) N.
have [h hT near] := common n' Nn; have hN : (N <= size h)%N by rewrite hT.
have := w_le h hN (fun k Nk => (near k Nk).1); have := near 0%N; rewrite drop0 => /(_ hN)[uh mh]; rewrite hT.
have Ce : 0 < C * eta by rewrite mulr_gt0.
have {}big : B * \prod_(N <= t < n') (1 - alpha t) <= C * eta.
  have P0 : 0 <= \prod_(N <= t < n') (1 - alpha t) by apply: prod1B_ge0 => t Nt; apply: small; apply: leq_trans Nt.
  have := @prod1B_le _ alpha N n' (fun t Nt => introT andP (conj (ltW (alpha_gt0 t)) (small t (leq_trans N1N Nt)))).
  move: big; rewrite ler_pdivr_mulr //; move: (\prod_(_ <= _ < _) _) P0 (\sum_(_ <= _ < _) _) => p p0 s Bs ps.
  apply: (@le_trans _ _ (s * (C * eta) * p)); first exact: ler_wpmul2r.
  rewrite mulrAC; apply: ler_pimull; first exact: ltW.
  by apply: le_trans ps; rewrite mulrC ler_wpmul2l // ler_addr ler01.
move=> wh; have {}wh := le_trans wh (ler_add big (lexx _)).
have fbE : fb = - (running f h - fb) + (ww h + u h) by rewrite /ww subrK opprB subrK.
have : sq fb < sq fb.
  rewrite {1}fbE; apply: le_lt_trans (sq_add2 _ _) _; rewrite /sq dotNl dotC dotNl opprK.
  apply: (@le_lt_trans _ _ (2%:R * (sq (running f h - fb) + 2%:R * (sq (ww h) + sq (u h))))).
    by rewrite ler_pmul2l ?ltr0n // ler_add2l sq_add2.
  apply: (@lt_le_trans _ _ (2%:R * (eta + 2%:R * (C * eta + C * eta + eta)))).
    rewrite ltr_pmul2l ?ltr0n //; apply: ltr_le_add => //; rewrite ler_pmul2l ?ltr0n //; apply: ler_add => //.
    exact: le_trans (u_le h) (ltW uh).
  have E : eta * (6%:R + 8%:R * C) = sq fb by rewrite divfK ?gt_eqF.
  have H (z : R) : 2%:R * (z + 2%:R * (C * z + C * z + z)) = z * (6%:R + 8%:R * C) by ring.
  by rewrite H E.
by rewrite ltxx.
Qed.
End Driven.

Theorem limit_is_rest_point (G : seq O -> 'M[R]_m) (b theta : seq O -> 'cV[R]_m) star : local w.+1 G -> local w.+1 b ->
  (forall o h, theta (o :: h) = theta h + alpha (size h) *: (G (o :: h) *m theta h + b (o :: h))) ->
  tends_to_zero_as K (fun h => sq (theta h - star)) -> E0 w G *m star + E0 w b = 0.
Proof.
move=> G_local b_local theta_step lim; rewrite -stationary_mean_mulr -stationary_meanD.
have one_margin (y : 'cV[R]_m) : 1 * dot y y <= form 1%:M y by rewrite form_id mul1r.
have [g g0 G_le] := local_bounded (fun h => matrix_bound_ge0 1%:M (@ltr01 R) (G h))
  (fun h h' E => congr1 (matrix_bound 1%:M 1) (G_local _ _ E)).
apply: (@mean_vanishes (fun h => theta h - star) (fun h => G h *m (theta (behead h) - star)) _ (fun h => sq (theta h - star)) g)
  => //.
- by move=> h h' E; rewrite (G_local _ _ E) (b_local _ _ E).
- move=> o h; rewrite theta_step /= mulmxBr; move: (theta h) (G _ *m theta h) (G _ *m star) (b _) => x1 x2 x3 x4.
  have H (y1 y2 y3 y4 z a : R) : y1 + a * (y2 + y4) - z = y1 - z + a * (y3 + y4 + (y2 - y3)) by ring.
  by apply/matrixP => i j; rewrite !mxE; apply: H.
move=> o h; have := matrix_boundP (@ltr01 R) one_margin (G (o :: h)) (theta h - star); rewrite !form_id => /le_trans; apply.
by apply: ler_wpmul2r; [exact: dot_ge0 | exact: G_le].
Qed.
End RestPoints.
