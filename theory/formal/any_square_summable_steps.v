(* any_square_summable_steps — beyond the paper: what the averaging of Markov noise needs of the steps.

   Statement: on a chain with lim P(s_t = j | s_0 = i) = d(j), for every function F of a window with E_0 F(X_t) = 0
     and every
   deterministic α_t > 0 with Σα_t² < ∞, Σα_tF(X_t) converges almost surely; no regularity of the steps is needed.
   Reading: the Cauchy form, S_t = Σ_{i < t} α_iF(X_{i+1}), as [settles_almost_surely] says it: for all ε, δ > 0 there is an
   N with P(max_{N ≤ t ≤ T} |S_t − S_N|² ≥ ε) ≤ δ for all T ≥ N; and, over an Archimedean field, on every probability space
   that carries the process: on an event of probability one, every ε > 0 has an N with |S_t − S_N|² < ε for all t ≥ N. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence ProbabilityOne Mixing Markov MarkovConvergence LinearSA.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Local Notation K := (observation_kernel state q init).
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.
Let d_law := limit_law P_stochastic P_limit.

Variables (w : nat) (F : seq O -> 'cV[R]_m) (alpha : nat -> R).
Hypothesis F_local : local w.+1 F.
Hypothesis F_mean : stationary_mean state q init d w F = 0.
Hypothesis alpha_gt0 : forall t, 0 < alpha t.
Hypothesis alpha_square : summable (fun t => alpha t ^+ 2).

(* S_t = Σ_{i < t} α_iF(X_{i+1}), and S_t − S_N *)
Fixpoint partial_sum h : 'cV[R]_m := if h is _ :: h' then partial_sum h' + alpha (size h') *: F h else 0.
Definition sum_since N h : 'cV[R]_m := partial_sum h - partial_sum (drop (size h - N) h).

Let V := form (1%:M : 'M[R]_m).
Let Q_sym : (1%:M : 'M[R]_m)^T = 1%:M. Proof. exact: trmx1. Qed.
Let Q_ge0 : possemidef (1%:M : 'M[R]_m). Proof. by move=> y; rewrite form_id dot_ge0. Qed.
Let Lam t : 'M[R]_m := (alpha t)%:M.
Let a2 t := alpha t ^+ 2.
Let a2_ge0 t : 0 <= a2 t. Proof. exact: sqr_ge0. Qed.

Theorem any_square_summable_steps : settles_almost_surely K (fun N h => dot (sum_since N h) (sum_since N h)).
Proof.
apply: paths_settle_almost_surely => eps delta eps0 delta0.
have [B B0 F_le] := local_bounded (fun h => Q_ge0 (F h)) (fun h h' E => congr1 (form 1%:M) (F_local E)).
have [r [r0 [Gam r_sum]] mix] := window_mixing P_stochastic q_observes init_distribution d_law P_limit Q_sym Q_ge0 w B0.
have {}mix k h : (0 < size h)%N -> V (iter k.+1 (@cond _ _ K _) F h) <= r k ^+ 2.
  by move=> h0; have := mix F F_local F_mean 1 ler01 (fun h => le_trans (F_le h) (eqW (esym (mulr1 B)))) k h h0;
    rewrite mulr1.
have Gam0 : 0 <= Gam by apply: le_trans (r_sum 0%N); rewrite big_geq.
pose lag T t : R := Gam * \sum_(t <= i < T) a2 i * r (i - t)%N.
have lag0 T t : 0 <= lag T t by rewrite mulr_ge0 ?sumr_ge0 // => i _; rewrite mulr_ge0 // ltW.
have ahead_le T h : (0 < size h)%N -> V (ahead K Lam F T h) <= lag T (size h).
  move=> h0; apply: le_trans (form_weighted Q_sym Q_ge0 _ _ _ (fun i => r0 (i - size h)%N)) _; apply: ler_pmul.
  - by apply: sumr_ge0 => i _; apply: ltW.
  - by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?invr_ge0 ?(ltW (r0 _)) ?Q_ge0.
  - exact: sum_lags.
  apply: ler_sum => i _; rewrite -(ler_pmul2l (r0 (i - size h)%N)) mulVKf ?gt_eqF // mul_scalar_mx formZv.
  have E (y z : R) : y * (z * y) = z * y ^+ 2 by ring.
  by rewrite E; apply: ler_wpmul2l; [exact: sqr_ge0 | exact: mix].
pose kap T t : R := (B + 1) * a2 t + (lag T t + lag T t.+1).
have B1 : 0 < B + 1 by rewrite ltr_paddl ?ltr01.
have kap0 T t : 0 < kap T t by rewrite ltr_paddr ?addr_ge0 // mulr_gt0 // exprn_gt0.
have kap_small e : 0 < e -> exists N, forall T, \sum_(N <= t < T.+1) kap T t <= e.
  move=> e0; have C0 : 0 < B + 1 + (Gam * Gam + Gam * Gam) by rewrite ltr_paddr ?addr_ge0 ?mulr_ge0.
  have [N sum] := alpha_square (divr_gt0 e0 C0); exists N => T.
  have s0 : 0 <= \sum_(N <= t < T.+1) a2 t by apply: sumr_ge0.
  have sT : \sum_(N <= t < T) a2 t <= \sum_(N <= t < T.+1) a2 t by exact: sum_nat_le_right.
  have sC := sum T.+1; rewrite ler_pdivl_mulr // mulrC in sC; apply: le_trans sC.
  rewrite !big_split /= -!mulr_sumr [X in _ <= X]mulrDl ler_add2l mulrDl; apply: ler_add; rewrite -mulrA;
    apply: ler_wpmul2l => //.
    by apply: le_trans (convolution a2_ge0 r_sum N T) _; apply: ler_wpmul2l.
  by apply: le_trans (convolution_next a2_ge0 r_sum N T) _; apply: ler_wpmul2l.
pose v N T h := sum_since N h + ahead K Lam F T h.
have lag_le T t : lag T t <= kap T t by rewrite /kap addrCA ler_addl addr_ge0 // mulr_ge0 // ltW.
have next_le T t : lag T t.+1 <= kap T t by rewrite /kap addrA ler_addr addr_ge0 // mulr_ge0 // ltW.
have u_le T t h : V (alpha t *: F h) <= kap T t.
  rewrite /V formZv; apply: (@le_trans _ _ ((B + 1) * a2 t)); last by rewrite ler_addl addr_ge0.
  by rewrite [X in X <= _]mulrC; apply: ler_wpmul2r; [exact: sqr_ge0 | apply: le_trans (F_le h) _;
    rewrite ler_addl ler01].
have V_ge0 y : 0 <= V y by apply: Q_ge0.
have z_le T t (y : 'cV[R]_m) : V ((0 : 'M[R]_m) *m y) <= kap T t * V y by rewrite mul0mx /V form0 mulr_ge0 // ltW.
have step N T h : (0 < N)%N -> (N <= size h < T)%N -> 6%:R * kap T (size h) <= 1 ->
    mean K (fun h => V (v N T h)) h <= (1 + 600%:R * kap T (size h)) * V (v N T h) + 600%:R * kap T (size h).
  move=> N0 /andP[Nh hT] k6; have [K_ge0 K_row] := K_kernel; have h0 := leq_trans N0 Nh.
  have one := @one_step R m 1%:M O (K h) Q_sym Q_ge0 (K_ge0 h) (K_row h) (sum_since N h) (fun=> 0)
    (fun s => alpha (size h) *: F (s :: h)) 0 0 (ahead K Lam F T h) (fun=> 0) (fun s => ahead K Lam F T (s :: h)) 0
    (kap T (size h)) (kap0 _ _) k6 (lexx 0) (fun _ => z_le T _) (fun s => u_le T _ _) (z_le T _) (z_le T _)
    (le_trans (ahead_le T h h0) (lag_le T _)) (fun _ => z_le T _)
    (fun s => le_trans (ahead_le T (s :: h) isT) (next_le T _)).
  have E o : v N T (o :: h) = sum_since N h + (0 *m sum_since N h + alpha (size h) *: F (o :: h))
      + 0 *m (sum_since N h + (0 *m sum_since N h + alpha (size h) *: F (o :: h))) + ahead K Lam F T (o :: h).
    by rewrite !mul0mx addr0 add0r /v; congr (_ + _); rewrite /sum_since [in LHS]/= subSn //= addrAC.
  have E0 : v N T h = sum_since N h + 0 *m sum_since N h + ahead K Lam F T h by rewrite mul0mx addr0.
  rewrite /mean; under eq_bigr => o _ do rewrite E.
  rewrite E0 -{1}[1]subr0; apply: one.
  - rewrite big1 => [|s _]; last by rewrite addr0 scaler0.
    by rewrite !subr0 mul0mx /V form0; apply: mulr_ge0; [exact: sqr_ge0 | exact: V_ge0].
  - have := ahead_step K Lam F hT; under eq_bigr => s _ do rewrite mul_scalar_mx.
    by move=> ->; rewrite subrr form0 sqr_ge0.
  - by move=> y; rewrite mul0mx addr0 subr0 mulrDl mul1r ler_addl mulr_ge0 // ltW.
pose eps' := eps / 12%:R; have eps'0 : 0 < eps' by rewrite divr_gt0 ?ltr0n.
pose eta := Num.min 2%:R^-1 (eps' * delta / 4%:R).
have eta0 : 0 < eta by rewrite lt_minr invr_gt0 ltr0n divr_gt0 ?ltr0n // mulr_gt0.
have eta2 : eta <= 2%:R^-1 by rewrite le_minl lexx.
have eta4 : 4%:R * eta <= eps' * delta by rewrite -ler_pdivl_mull // mulrC le_minl lexx orbT.
have min0 : 0 < Num.min (eta / 600%:R) (eps / 12%:R) by rewrite lt_minr !divr_gt0 ?ltr0n.
have [N1 sumk] := kap_small _ min0; pose N := maxn N1 1; exists N => T NT; have N0 : (0 < N)%N by rewrite leq_maxr.
have {}sumk : \sum_(N <= t < T.+1) kap T t <= Num.min (eta / 600%:R) (eps / 12%:R).
  apply: le_trans (sumk T); rewrite (@big_cat_nat _ _ _ N N1) ?leq_maxl ?(leq_trans NT) //= ler_addr sumr_ge0 // => t _.
  exact: ltW.
have term t : (N <= t <= T)%N -> kap T t <= Num.min (eta / 600%:R) (eps / 12%:R).
  move=> /andP[Nt tT]; apply: le_trans sumk;
    rewrite (big_cat_nat _ _ _ Nt (leqW tT)) /= (@big_ltn _ _ _ t) // addrCA ler_addl.
  by rewrite addr_ge0 ?sumr_ge0 // => i _; apply: ltW.
have k12 t : (N <= t <= T)%N -> kap T t <= eps / 12%:R by move=> /term/le_trans; apply; rewrite le_minl lexx orbT.
have keta t : (N <= t <= T)%N -> 600%:R * kap T t <= eta.
  by move=> /term; rewrite le_minr => /andP[le _]; rewrite mulrC -ler_pdivl_mulr ?ltr0n.
have k6 t : (N <= t <= T)%N -> 6%:R * kap T t <= 1.
  move=> /keta le; apply: (@le_trans _ _ (600%:R * kap T t)); first by rewrite ler_wpmul2r ?ler_nat // ltW.
  by apply: le_trans le (le_trans eta2 _); rewrite invf_le1 ?ltr0n // ler1n.
pose q' t := 600%:R * kap T t; have q0 t : 0 <= q' t by rewrite mulr_ge0 ?ler0n // ltW.
have sq : \sum_(N <= t < T) q' t <= eta.
  apply: le_trans (sum_nat_le_right q0 N (leqnSn T)) _; rewrite -mulr_sumr mulrC -ler_pdivl_mulr ?ltr0n //.
  by move: sumk; rewrite le_minr => /andP[].
have V_step h : (N <= size h < T)%N -> mean K (fun h => V (v N T h)) h <= (1 + q' (size h)) * V (v N T h) + q' (size h).
  by move=> /andP[Nh hT]; apply: step; rewrite ?Nh ?hT ?k6 // Nh ltnW.
have := maximal K_kernel (fun h => V_ge0 (v N T h)) q0 (ltW eps'0) V_step NT.
set Pv := prob _ _ _ => bound; apply: (@le_trans _ _ Pv).
  apply: prob_le => // h hT; apply: visits_sub => h' hh' /andP[Nh' eps_le]; rewrite /above Nh' /=.
  have NhT : (N <= size h' <= T)%N by rewrite Nh' -hT.
  have xE : sum_since N h' = v N T h' - ahead K Lam F T h' by rewrite /v addrK.
  have := form_add2 Q_sym Q_ge0 (v N T h') (- ahead K Lam F T h'); rewrite -xE formNv form_id => le2.
  have la := le_trans (le_trans (ahead_le T h' (leq_trans N0 Nh')) (lag_le T _)) (k12 _ NhT).
  have {}le2 := le_trans (le_trans eps_le le2) (ler_wpmul2l (ler0n R 2) (ler_add (lexx _) la)).
  rewrite /eps' -subr_ge0; have H (z y : R) : y - z / 12%:R = 2%:R^-1 * (2%:R * (y + z / 12%:R) - z) + z / 4%:R + z /
    12%:R by field.
  by rewrite H !addr_ge0 ?mulr_ge0 ?invr_ge0 ?ler0n ?subr_ge0 ?(ltW eps0).
rewrite -(ler_pmul2l eps'0); apply: le_trans eta4; rewrite -(ler_add2r 1); apply: le_trans bound _.
have eN : expect K N (fun h => V (v N T h)) <= eta.
  rewrite -[X in _ <= X](expect_const K_kernel N); apply: expect_le => // h hN.
  rewrite /v /sum_since hN subnn drop0 subrr add0r; have NhT : (N <= N <= T)%N by rewrite leqnn.
  apply: le_trans (ahead_le T h _) _; first by rewrite hN.
  rewrite hN; apply: le_trans (lag_le T N) (le_trans _ (keta _ NhT)).
  by rewrite ler_pemull ?ler1n // ltW.
apply: (@le_trans _ _ ((1 + 2%:R * eta) * (eta + 1))).
  apply: ler_pmul => //; first by apply: prodr_ge0 => t _; rewrite addr_ge0 ?ler01.
  - by rewrite addr_ge0 ?ler01 // expect_ge0.
  - exact: prod1D_le2 q0 sq eta2.
  by rewrite ler_add2r.
have H (z : R) : 4%:R * z + 1 - (1 + 2%:R * z) * (z + 1) = 2%:R * z * (2%:R^-1 - z) by field.
by rewrite -subr_ge0 H !mulr_ge0 ?ler0n ?subr_ge0 // ltW.
Qed.
End Sums.
