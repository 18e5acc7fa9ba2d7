(* almost_sure_rate — beyond the paper: how fast, and from when on for ever.

   Statement: for θ ← θ + α_t(G(X_t)θ + f(X_t)) with α_t = a/(t + t_0) and ca > 1, x_t = θ_t − θ*, V(x) = xᵀQx
       E V(x_t) ≤ 6(M + κ_0)/(t + t_0)
       P(some t ≥ N has V(x_t) ≥ ε) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1))   for N + t_0 − 1 ≥ 1200κ_0, ε(N + t_0)² ≥ 12κ_0.
   Hypotheses: 2⟨x, Ḡx⟩_Q ≤ −cV(x); G, f, Ḡ and the solutions of the Poisson equations g(h) = E_h[G(s :: h) − Ḡ + g(s
     :: h)],
   f̂(h) = E_h[f(s :: h) + f̂(s :: h)] from time N_0 on, all bounded by γ_0 in V; V(x_h) ≤ B at time N_0;
     numbers κ_0, M with
   γ_0a² ≤ κ_0, γ_0a² ≤ κ_0², s_0 = N_0 + t_0 ≥ ca, (ca − 1)s_0 ≥ 1200κ_0, s_0² ≥ 6κ_0, (ca − 1)M ≥ 1200κ_0,
   M ≥ 3(2B + κ_0/s_0²)s_0.
   [almost_sure_rate_instance]: TD(0) on two states.
   ca > 1 is needed, and so are steps of order 1/t. TD(0), φ = 1, γ = ½, every state of two drawn evenly, reward 1 on
   leaving the first, θ_0 = 0; θ* = 1 and c = 1:
   [almost_sure_rate_ablation_drift]     α_t = a/(t + t_0), a ≤ 1 ≤ t_0: (t + t_0 − 1) E(θ_t − 1)² is at least
                                         (a²/4) Σ_{i<t} 1/(i + t_0), so no K has E(θ_t − 1)² ≤ K/(t + t_0) for all t
   [almost_sure_rate_ablation_exponent]  α_t ≤ 1 non-increasing: E(θ_t − 1)² ≥ α_t/4 for all t.
   Reading: P is over paths of any length T ≥ N; the bound does not depend on T. 600 is the constant of OneStep.v. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Examples Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov Steps thm_4_3 Refuted step_ablations Regular.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rate.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Variables (x : seq S -> 'cV[R]_m) (G : seq S -> 'M[R]_m) (f : seq S -> 'cV[R]_m) (Gb : 'M[R]_m).
Variables (gh : seq S -> 'M[R]_m) (fh : seq S -> 'cV[R]_m) (N0 : nat) (a t0 c g k0 M B : R).
Let s t : R := t%:R + t0.
Let alpha := harmonic a t0.

Hypothesis x_step : forall o h, x (o :: h) = x h + alpha (size h) *: (G (o :: h) *m x h + f (o :: h)).
Hypothesis mean_descends : forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (Gb *m y) <= - c * V y.
Hypothesis g_poisson : forall h, (N0 <= size h)%N -> cond K (fun h => G h - Gb + gh h) h = gh h.
Hypothesis f_poisson : forall h, (N0 <= size h)%N -> cond K (fun h => f h + fh h) h = fh h.
Hypothesis G_le : forall h (y : 'cV[R]_m), V (G h *m y) <= g * V y.
Hypothesis f_le : forall h, V (f h) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis gh_le : forall h (y : 'cV[R]_m), V (gh h *m y) <= g * V y.
Hypothesis fh_le : forall h, V (fh h) <= g.
Hypothesis start : forall h, size h = N0 -> V (x h) <= B.

Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < c * a.
Hypothesis k0_gt0 : 0 < k0.
Hypothesis k0_le : g * a ^+ 2 <= k0.
Hypothesis k0_le2 : g * a ^+ 2 <= k0 ^+ 2.
Hypothesis s0_ca : c * a <= s N0.
Hypothesis s0_q : 1200%:R * k0 <= (c * a - 1) * s N0.
Hypothesis s0_k : 6%:R * k0 <= s N0 ^+ 2.
Hypothesis M_q : 1200%:R * k0 <= (c * a - 1) * M.
Hypothesis M_start : 3%:R * (2%:R * B + k0 / s N0 ^+ 2) * s N0 <= M.

Let kap t := k0 / s t ^+ 2.
Let ct t := c * a / s t.
Let s_gt0 t : 0 < s t. Proof. by rewrite ltr_paddl ?ler0n. Qed.
Let ca0 : 0 < c * a - 1. Proof. by rewrite subr_gt0. Qed.
Let g_ge0 : 0 <= g. Proof. by apply: le_trans (fh_le [::]); apply: Q_ge0. Qed.
Let s_le t : (N0 <= t)%N -> s N0 <= s t. Proof. by move=> Nt; rewrite ler_add2r ler_nat. Qed.
Let s_ge1 t : (N0 <= t)%N -> 1 <= s t.
Proof. by move=> /s_le; apply: le_trans; apply: le_trans s0_ca; apply: ltW. Qed.
Let M_ge0 : 0 <= M.
Proof. by rewrite -(pmulr_rge0 _ ca0); apply: le_trans M_q; rewrite mulr_ge0 ?ler0n // ltW. Qed.
Let kap_gt0 t : 0 < kap t. Proof. by rewrite divr_gt0 // exprn_gt0. Qed.
Let kap6 t : (N0 <= t)%N -> 6%:R * kap t <= 1.
Proof.
move=> Nt; rewrite mulrA ler_pdivr_mulr ?exprn_gt0 // mul1r; apply: le_trans s0_k _.
by rewrite ler_sqr ?nnegrE ?(ltW (s_gt0 _)) // s_le.
Qed.
Let kap_now t : g * alpha t ^+ 2 <= kap t.
Proof. by rewrite /alpha /harmonic -/(s t) expr_div_n mulrA ler_pmul2r ?invr_gt0 ?exprn_gt0. Qed.
Let kap_next t : g * alpha t.+1 ^+ 2 <= kap t.
Proof.
apply: le_trans (kap_now t); apply: ler_wpmul2l => //; rewrite ler_sqr ?nnegrE ?(ltW (harmonic_gt0 a_gt0 t0_gt0 _)) //.
exact: harmonic_antitone.
Qed.
Let kap_variation t : g * (alpha t.+1 - alpha t) ^+ 2 <= kap t ^+ 2.
Proof.
have al0 := harmonic_gt0 a_gt0 t0_gt0; have step : alpha t - alpha t.+1 <= a / s t ^+ 2.
  rewrite /alpha harmonic_difference // -mulrA ler_pdivr_mull //.
  apply: le_trans (ler_wpmul2l (ltW (al0 t)) (harmonic_antitone a_gt0 t0_gt0 t)) _.
  by rewrite /harmonic -/(s t) -expr2 expr_div_n mulrA -expr2.
have d0 : 0 <= alpha t - alpha t.+1 by rewrite subr_ge0 harmonic_antitone.
rewrite -sqrrN opprB; apply: (@le_trans _ _ (g * (a / s t ^+ 2) ^+ 2)).
  by apply: ler_wpmul2l => //; rewrite ler_sqr ?nnegrE // (le_trans d0).
by rewrite /kap !expr_div_n mulrA ler_pmul2r ?invr_gt0 ?exprn_gt0.
Qed.
Let c01 t : (N0 <= t)%N -> 0 <= ct t <= 1.
Proof.
move=> Nt; have c0 : 0 <= c * a by rewrite ltW // (lt_trans ltr01).
by rewrite divr_ge0 ?(ltW (s_gt0 t)) //= ler_pdivr_mulr // mul1r (le_trans s0_ca) // s_le.
Qed.
Let drift t (y : 'cV[R]_m) : (N0 <= t)%N -> V (y + alpha t *: (Gb *m y)) <= (1 - ct t + kap t) * V y.
Proof.
move=> _; rewrite form_add // dotC dotZl dotC formZv.
have -> : ct t = c * alpha t by rewrite /ct /alpha /harmonic mulrA.
have al0 := harmonic_gt0 a_gt0 t0_gt0 t; rewrite -/(alpha t) in al0.
apply: (@le_trans _ _ (V y + alpha t * (- c * V y) + alpha t ^+ 2 * (g * V y))).
  rewrite ler_add ?ler_wpmul2l ?sqr_ge0 // ler_add2l mulrCA ler_pmul2l //.
have := kap_now t; move: (alpha t) (kap t) (V y) (Q_ge0 y) => al k v v0 ak.
have H : (1 - c * al + k) * v - (v + al * (- c * v) + al ^+ 2 * (g * v)) = (k - g * al ^+ 2) * v by ring.
by rewrite -subr_ge0 H mulr_ge0 // subr_ge0.
Qed.

Let step := poisson_step K_kernel Q_sym Q_ge0 x_step g_poisson f_poisson G_le f_le Gb_le gh_le fh_le
  c01 kap_gt0 kap_now kap_next kap_variation drift.
Let state := state_le Q_sym Q_ge0 x gh_le fh_le kap_now.
Let start_le := corrected_le Q_sym Q_ge0 x gh_le fh_le kap_gt0 kap_now.

Let v := corrected x gh fh alpha.
Let e t := expect K t (fun h => V (v h)).

Let sS t : s t.+1 = s t + 1. Proof. by rewrite /s mulrSr addrAC. Qed.

(* e_t ≤ M/(t + t_0) *)
Let e_le t : (N0 <= t)%N -> e t <= M / s t.
Proof.
have base : e N0 <= M / s N0.
  rewrite ler_pdivl_mulr //; apply: le_trans M_start; apply: ler_wpmul2r; first exact: ltW.
  rewrite -[X in _ <= X](expect_const K_kernel N0); apply: expect_le => // h hN.
  apply: le_trans (start_le _) _; first by rewrite hN kap6.
  rewrite hN ler_pmul2l ?ltr0n //; apply: ler_add; last exact: lexx.
  by rewrite ler_pmul2l ?ltr0n // start.
elim: t => [|t IH]; rewrite leq_eqVlt => /orP[/eqP <-|Nt] //; rewrite ltnS in Nt.
apply: (@le_trans _ _ ((1 - ct t + 600%:R * kap t) * (M / s t) + 600%:R * kap t)).
  apply: (@le_trans _ _ ((1 - ct t + 600%:R * kap t) * e t + 600%:R * kap t)).
    rewrite /e expectS -expect_affine //; apply: expect_le => // h ht; rewrite -ht.
    by apply: step; rewrite ?kap6 ?ht.
  rewrite ler_add2r; apply: ler_wpmul2l; last exact: IH.
  apply: addr_ge0; last by rewrite mulr_ge0 ?ler0n // ltW.
  by rewrite subr_ge0; case/andP: (c01 Nt).
have u1 : 1200%:R * k0 <= (c * a - 1) * s t by apply: le_trans s0_q _; rewrite ler_pmul2l ?s_le.
rewrite sS /ct /kap; move: (s t) (s_gt0 t) u1 => u u0 u1; rewrite -subr_ge0.
have H : M / (u + 1) - ((1 - c * a / u + 600%:R * (k0 / u ^+ 2)) * (M / u) + 600%:R * (k0 / u ^+ 2))
    = M / (u ^+ 2 * (u + 1)) + (M * ((c * a - 1) * u - 1200%:R * k0) + u * ((c * a - 1) * M - 1200%:R * k0)) / (2%:R
      * u ^+ 3).
  by field; rewrite !gt_eqF ?addr_gt0 ?ltr01.
rewrite H; apply: addr_ge0; rewrite divr_ge0 //.
- by rewrite mulr_ge0 ?exprn_ge0 ?addr_ge0 ?ler01 // ltW.
- by apply: addr_ge0; apply: mulr_ge0; rewrite ?(ltW u0) // subr_ge0.
by rewrite mulr_ge0 ?ler0n // exprn_ge0 // ltW.
Qed.

(* E V(x_t) ≤ 6(M + κ_0)/(t + t_0) *)
Theorem almost_sure_rate_mean_square t : (N0 <= t)%N -> expect K t (fun h => V (x h)) <= 6%:R * (M + k0) / s t.
Proof.
move=> Nt; have s1 := s_ge1 Nt; have s0 := s_gt0 t.
apply: (@le_trans _ _ (6%:R * e t + 6%:R * kap t)).
  rewrite /e -expect_affine //; apply: expect_le => // h ht.
  by have := @state h; rewrite ht; apply; apply: kap6.
rewrite -mulrDr -mulrA ler_pmul2l ?ltr0n // mulrDl ler_add ?e_le // /kap ler_pmul2l // lef_pinv ?posrE ?exprn_gt0 //.
by rewrite expr2 ler_pemulr // ltW.
Qed.

(* P(V(x_t) ≥ ε for some t ≥ N) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1)) *)
Theorem almost_sure_rate_any_time N T eps : (N0 <= N <= T)%N -> 0 < eps -> 1200%:R * k0 <= s N - 1 -> 12%:R * k0 <=
  eps * s N ^+ 2 ->
  prob K T (visits (above (fun h => V (x h)) N eps)) <= 24%:R * (M + 600%:R * k0) / (eps * (s N - 1)).
Proof.
move=> /andP[N0N NT] eps0 sN1 sN2; pose q t := 600%:R * kap t.
have s1 : 0 < s N - 1 by apply: lt_le_trans sN1; rewrite mulr_gt0 ?ltr0n.
pose eta := 600%:R * k0 / (s N - 1).
have q0 t : 0 <= q t by rewrite mulr_ge0 ?ler0n // ltW.
have sum T' : \sum_(N <= t < T') q t <= eta.
  have k600 : 0 <= 600%:R * k0 by rewrite mulr_ge0 ?ler0n // ltW.
  have s_sub t : (N <= t)%N -> 0 < s t - 1.
    by move=> Nt; apply: lt_le_trans s1 _; rewrite ler_add2r ler_add2r ler_nat.
  have tel t : (N <= t)%N -> q t <= 600%:R * k0 / (s t - 1) - 600%:R * k0 / (s t.+1 - 1).
    move=> /s_sub; rewrite sS addrK /q /kap; move: (s t) (s_gt0 t) => u u0 u1; rewrite -subr_ge0.
    have H : 600%:R * k0 / (u - 1) - 600%:R * k0 / u - 600%:R * (k0 / u ^+ 2) = 600%:R * k0 / (u ^+ 2 * (u - 1)).
      by field; rewrite !gt_eqF.
    by rewrite H divr_ge0 // mulr_ge0 ?exprn_ge0 // ltW.
  have [NT'|T'N] := leqP N T'; last by rewrite big_geq ?(ltnW T'N) // divr_ge0 // ltW.
  suff : \sum_(N <= t < T') q t <= eta - 600%:R * k0 / (s T' - 1).
    by move=> /le_trans; apply; rewrite ger_addl oppr_le0 divr_ge0 // ltW // s_sub.
  elim: T' NT' => [|T' IH]; first by rewrite leqn0 => /eqP N0'; rewrite big_geq // /eta N0' subrr.
  rewrite leq_eqVlt => /orP[/eqP <-|]; first by rewrite big_geq // /eta subrr.
  rewrite ltnS => NT'; rewrite big_nat_recr //=; apply: le_trans (ler_add (IH NT') (tel _ NT')) _.
  by rewrite addrA subrK.
have eta2 : eta <= 2%:R^-1.
  by rewrite /eta ler_pdivr_mulr // ler_pdivl_mull ?ltr0n // mulrA -natrM.
have V_step h : (N <= size h < T)%N -> mean K (fun h => V (v h)) h <= (1 + q (size h)) * V (v h) + q (size h).
  move=> /andP[Nh _]; have N0h := leq_trans N0N Nh; apply: le_trans (step N0h (kap6 N0h)) _.
  rewrite ler_add2r; apply: ler_wpmul2r; first exact: Q_ge0.
  by rewrite ler_add2r ger_addl oppr_le0; case/andP: (c01 N0h).
have eps12 : 0 <= eps / 12%:R by rewrite divr_ge0 ?ler0n // ltW.
have := maximal K_kernel (fun h => Q_ge0 (v h)) q0 eps12 V_step NT.
set P := prob _ _ _; rewrite -/(e N) => bound; apply: (@le_trans _ _ P).
  apply: prob_le => // h hT; apply: visits_sub => h' hh' /andP[Nh' eps_le]; rewrite /above Nh' /=.
  have N0h := leq_trans N0N Nh'; have kapN : kap (size h') <= eps / 12%:R.
    rewrite ler_pdivr_mulr ?exprn_gt0 // mulrAC ler_pdivl_mulr ?ltr0n // [k0 * _]mulrC; apply: le_trans sN2 _.
    by rewrite ler_pmul2l // ler_sqr ?nnegrE ?(ltW (s_gt0 _)) // ler_add2r ler_nat.
  rewrite ler_pdivr_mulr ?ltr0n // -(ler_add2r eps); apply: (@le_trans _ _ (2%:R * V (x h'))).
    by rewrite mulr_natl mulr2n ler_add.
  apply: (@le_trans _ _ (2%:R * (6%:R * V (v h') + 6%:R * (eps / 12%:R)))).
    rewrite ler_pmul2l ?ltr0n //; apply: le_trans (state (kap6 N0h)) _.
    by rewrite ler_add2l ler_pmul2l ?ltr0n.
  by apply/eqW; field.
have P2 := prod1D_le2 q0 (sum T) eta2; have eN := e_le N0N.
have e0 : 0 <= e N by apply: expect_ge0 => // h _; apply: Q_ge0.
have {}bound : eps / 12%:R * P <= 2%:R * eta + 2%:R * e N.
  rewrite -(ler_add2r 1); apply: le_trans bound _.
  apply: (@le_trans _ _ ((1 + 2%:R * eta) * (e N + 1))); first by apply: ler_wpmul2r => //; rewrite addr_ge0 ?ler01.
  rewrite -subr_ge0 (_ : _ - _ = 2%:R * (2%:R^-1 - eta) * e N); last by field.
  by rewrite !mulr_ge0 ?ler0n ?subr_ge0.
have eN1 : e N * (s N - 1) <= M.
  apply: (@le_trans _ _ (M / s N * s N)); last by rewrite divfK ?gt_eqF.
  by apply: ler_pmul => //; [exact: ltW | rewrite ger_addl oppr_le0 ler01].
have etaE : eta * (s N - 1) = 600%:R * k0 by rewrite divfK ?gt_eqF.
rewrite ler_pdivl_mulr ?mulr_gt0 //; apply: (@le_trans _ _ (12%:R * (2%:R * eta + 2%:R * e N) * (s N - 1))).
  rewrite mulrA; apply: ler_wpmul2r; first exact: ltW.
  by rewrite -ler_pdivr_mull ?ltr0n // mulrCA [_^-1 * eps]mulrC mulrC.
rewrite (_ : _ * (s N - 1) = 24%:R * (e N * (s N - 1) + eta * (s N - 1))); last by ring.
by rewrite ler_pmul2l ?ltr0n // etaE ler_add2r.
Qed.
End Rate.

(* TD(0), φ = 1, γ = ½, every next state of two drawn evenly, reward 1 on leaving the first, α_t = 4/(t + 1600), θ_0
  = 0:
   c = 1, κ_0 = 4, M = 9601. h has t + 1 states. *)
Section Instance.
Variables (R : realFieldType) (init : 'I_2 -> R).
Hypothesis init_distribution : distribution init.
Let K := states (even R) init.
Let theta : seq 'I_2 -> 'cV[R]_1 := td1 (harmonic 4%:R 1600%:R) 0.
Let M : R := 6%:R * 1600%:R + 1.

Let r (s : 'I_2) : 'cV[R]_1 := const_mx (reward R s - 2%:R^-1).
Let G (h : seq 'I_2) : 'M[R]_1 := if h is _ :: _ :: _ then (- 2%:R^-1)%:M else 0.
Let f (h : seq 'I_2) : 'cV[R]_1 := if h is _ :: s :: _ then r s else 0.
Let fh (h : seq 'I_2) : 'cV[R]_1 := if h is s :: _ then r s else 0.
Let V1 (y : 'cV[R]_1) : form 1%:M y = y 0 0 ^+ 2. Proof. exact: dot1. Qed.
Let quarter (z : R) (y : 'cV[R]_1) : z = - 2%:R^-1 -> form 1%:M (z%:M *m y) = 4%:R^-1 * form 1%:M y.
Proof. by move=> ->; rewrite mul_scalar_mx !V1 mxE exprMn sqrrN; congr (_ * _); field. Qed.
Let r_le s : form 1%:M (r s) <= 4%:R^-1.
Proof. by rewrite V1 mxE /reward; apply/eqW; case: (s == 0) => /=; field. Qed.
Let V_ge0 (y : 'cV[R]_1) : 0 <= form 1%:M y. Proof. by rewrite V1 sqr_ge0. Qed.
Let quarter0 : 0 <= 4%:R^-1 :> R. Proof. by rewrite invr_ge0 ler0n. Qed.
Let s1 : 1%:R + 1599%:R = 1600%:R :> R. Proof. by rewrite -natrD. Qed.

Let x_step o h : theta (o :: h) - const_mx 1 = theta h - const_mx 1
  + harmonic 4%:R 1599%:R (size h) *: (G (o :: h) *m (theta h - const_mx 1) + f (o :: h)).
Proof.
case: h => [|s h]; first by rewrite /= mul0mx addr0 scaler0 addr0.
have -> : harmonic 4%:R 1599%:R (size (s :: h)) = harmonic 4%:R 1600%:R (size h) :> R.
  by rewrite /harmonic -!natrD; congr (_ / _%:R); apply: addSnnS.
have : theta [:: o, s & h] 0 0 = theta (s :: h) 0 0
    + harmonic 4%:R 1600%:R (size h) * (reward R s - theta (s :: h) 0 0 / 2%:R) by exact: td1E.
rewrite /G /f mul_scalar_mx /r; move: (theta (o :: s :: h)) (theta (s :: h)) (harmonic _ _ _) (reward R s) => y x a z E.
apply/matrixP => i j; rewrite !ord1 !mxE E; move: (x 0 0) => w.
have H (u : R) : u + a * (z - u / 2%:R) - 1 = u - 1 + a * (- 2%:R^-1 * (u - 1) + (z - 2%:R^-1)) by field.
exact: H.
Qed.

Let mean_half (a : R) : \sum_(s : 'I_2) 2%:R^-1 * (a + (reward R s - 2%:R^-1)) = a.
Proof.
rewrite !big_ord_recl big_ord0 /reward /=.
have H (z : R) : 2%:R^-1 * (z + (1 - 2%:R^-1)) + (2%:R^-1 * (z + (0 - 2%:R^-1)) + 0) = z by field.
exact: H.
Qed.

Let three : 1 * 4%:R - 1 = 3%:R :> R. Proof. by ring. Qed.

Theorem almost_sure_rate_instance t : (0 < t)%N ->
  expect K t (sqdist theta (const_mx 1)) <= 6%:R * (M + 4%:R) / (t%:R + 1599%:R).
Proof.
move=> t0; have K_kernel := states_kernel (even_stochastic R) init_distribution.
have -> : expect K t (sqdist theta (const_mx 1)) = expect K t (fun h => form 1%:M (theta h - const_mx 1)).
  by apply/eqP; rewrite eq_le !expect_le // => h _; rewrite /form mulmx1.
apply: (@almost_sure_rate_mean_square R _ K 1 1%:M K_kernel (trmx1 _ _) V_ge0 (fun h => theta h - const_mx 1) G f
  (- 2%:R^-1)%:M (fun=> 0) fh 1 4%:R 1599%:R 1 4%:R^-1 4%:R M 1) => //.
- move=> y; rewrite mul1mx mul_scalar_mx dotC dotZl mulN1r /form mulmx1 -[(_ *m _) 0 0]/(dot y y).
  have H (z : R) : 2%:R * (- 2%:R^-1 * z) = - z by field.
  by apply/eqW; apply: H.
- by move=> [//|s h] _; rewrite /cond big1 // => o _; rewrite subrr addr0 scaler0.
- move=> [//|s h] _; apply/matrixP => i j; rewrite !ord1 /cond summxE /f /fh /r.
  have KE o : K (s :: h) o = 2%:R^-1 by rewrite /K /states /= mxE.
  under eq_bigr => o _ do rewrite KE !mxE.
  by rewrite mean_half !mxE.
- move=> [|s [|s' h]] y; rewrite /G ?mul0mx ?form0 ?mulr_ge0 //.
  by rewrite (quarter _ (erefl _)).
- by case=> [|s [|s' h]]; rewrite /f ?form0.
- by move=> y; rewrite (quarter _ (erefl _)).
- by move=> _ y; rewrite mul0mx form0 mulr_ge0.
- by case=> [|s h]; rewrite /fh ?form0.
- by move=> [|s [|s' h]] // _; rewrite V1 /theta /td1 /= !mxE sub0r sqrrN expr1n.
- exact: ltr0n.
- exact: ltr0n.
- by rewrite mul1r ltr1n.
- exact: ltr0n.
- by apply/eqW; field.
- by rewrite -subr_ge0 (_ : _ - _ = 12%:R) ?ler0n //; field.
- by rewrite mul1r s1 ler_nat.
- by rewrite s1 three -!natrM ler_nat.
- rewrite s1; apply: (@le_trans _ _ 1600%:R); first by rewrite -natrM ler_nat.
  by rewrite expr2 ler_pemulr ?ler0n ?ler1n.
- rewrite three; apply: (@le_trans _ _ (3%:R * 1600%:R)); first by rewrite -!natrM ler_nat.
  rewrite ler_pmul2l ?ltr0n //; apply: (@le_trans _ _ (6%:R * 1600%:R)); last by rewrite ler_addl ler01.
  by rewrite ler_pemull ?ler0n ?ler1n.
rewrite s1 /M; have z0 : 0 < 1600%:R :> R by rewrite ltr0n.
have z12 : 12%:R / 1600%:R <= 1 :> R by rewrite ler_pdivr_mulr // mul1r ler_nat.
move: 1600%:R z0 z12 => z z0 z12.
have -> : 3%:R * (2%:R * 1 + 4%:R / z ^+ 2) * z = 6%:R * z + 12%:R / z by field; rewrite gt_eqF.
by rewrite ler_add2l.
Qed.
End Instance.

(* The same chain with slow steps: E(θ_t − 1)² from below. *)
Section SlowSteps.
Variables (R : realFieldType) (alpha : nat -> R).
Let K := states (even R) (fun=> 2%:R^-1).
Let theta : seq 'I_2 -> 'cV[R]_1 := td1 alpha 0.
Let y h : R := theta (0 :: h) 0 0 - 1.

(* E(θ_t − 1)²; h has t + 1 states *)
Definition slow_error t : R := expect K t.+1 (sqdist theta (const_mx 1)).

Let K_even h s : K h s = 2%:R^-1.
Proof. by case: h => [|s' h] //=; rewrite /even mxE. Qed.
Let K_kernel : kernel K.
Proof.
split=> [h s|h]; first by rewrite K_even invr_ge0 ler0n.
by under eq_bigr => s _ do rewrite K_even; rewrite !big_ord_recl big_ord0 /=; field.
Qed.
Let theta_past s h : theta (s :: h) 0 0 = theta (0 :: h) 0 0.
Proof. by case: h => [|s' h]; [rewrite /theta /td1 /= | rewrite !td1E]. Qed.
Let mean_now h : mean K (sqdist theta (const_mx 1)) h = y h ^+ 2.
Proof.
rewrite /mean !big_ord_recl big_ord0 /= !K_even !sqdist_const !theta_past -/(y h).
by move: (y h) => z; field.
Qed.
Let y_step s h : y (s :: h) = (1 - alpha (size h) / 2%:R) * y h + alpha (size h) * (reward R s - 2%:R^-1).
Proof.
rewrite /y td1E (theta_past s); move: (theta _ 0 0) (alpha _) (reward R s) => x a r.
by field.
Qed.

Lemma slow_error_step t : slow_error t.+1 = (1 - alpha t / 2%:R) ^+ 2 * slow_error t + alpha t ^+ 2 / 4%:R.
Proof.
rewrite /slow_error !expectS -(expect_affine K_kernel).
have E h : size h = t -> mean K (mean K (sqdist theta (const_mx 1))) h
    = (1 - alpha t / 2%:R) ^+ 2 * mean K (sqdist theta (const_mx 1)) h + alpha t ^+ 2 / 4%:R.
  move=> <-; rewrite mean_now [LHS]/mean !big_ord_recl big_ord0 !K_even !mean_now !y_step /reward /=.
  by move: (y h) (alpha _) => z a; field.
by apply/eqP; rewrite eq_le; apply/andP; split; apply: expect_le => // h ht; rewrite E.
Qed.
Lemma slow_error_ge0 t : 0 <= slow_error t.
Proof. by apply: expect_ge0 => // h _; rewrite sqdist_const sqr_ge0. Qed.
Let error_start : slow_error 0 = 1.
Proof.
rewrite /slow_error expectS -[LHS]/(mean K (sqdist theta (const_mx 1)) [::]) mean_now.
by rewrite /y /theta /td1 /= mxE sub0r sqrrN expr1n.
Qed.

(* E(θ_t − 1)² ≥ α_t/4 for all non-increasing steps α_t ≤ 1 *)
Theorem almost_sure_rate_ablation_exponent t : (forall i, 0 <= alpha i <= 1) -> (forall i, alpha i.+1 <= alpha i) ->
  alpha t / 4%:R <= slow_error t.
Proof.
move=> a01 anti; elim: t => [|t IH].
  have /andP[_ a1] := a01 0%N.
  by rewrite error_start ler_pdivr_mulr ?ltr0n // mul1r (le_trans a1) // ler1n.
have /andP[a0 a1] := a01 t; rewrite slow_error_step; apply: (@le_trans _ _ (alpha t / 4%:R)).
  by rewrite ler_pmul2r ?invr_gt0 ?ltr0n.
move: (alpha t) (slow_error t) a0 a1 IH (slow_error_ge0 t) => a e a0 a1 le e0; rewrite -subr_ge0.
have -> : (1 - a / 2%:R) ^+ 2 * e + a ^+ 2 / 4%:R - a / 4%:R = (1 - a) * (e - a / 4%:R) + a ^+ 2 / 4%:R * e by field.
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?invr_ge0 ?sqr_ge0 ?ler0n.
Qed.
End SlowSteps.

(* α_t = a/(t + t_0) with ca = a ≤ 1: (t + t_0 − 1) E(θ_t − 1)² is not bounded. *)
Section SlowDrift.
Variables (R : realFieldType) (a t0 : R).
Hypothesis a_gt0 : 0 < a.
Hypothesis a_le1 : a <= 1.
Hypothesis t0_ge1 : 1 <= t0.
Let e := slow_error (harmonic a t0).

Let e_step t : e t.+1 = (1 - harmonic a t0 t / 2%:R) ^+ 2 * e t + harmonic a t0 t ^+ 2 / 4%:R.
Proof. exact: slow_error_step. Qed.

Lemma slow_drift t : a ^+ 2 / 4%:R * (\sum_(0 <= i < t) harmonic 1 t0 i) <= (t%:R + t0 - 1) * e t.
Proof.
have t00 : 0 < t0 by apply: lt_le_trans t0_ge1; apply: ltr01.
elim: t => [|t IH]; first by rewrite big_geq // mulr0 add0r mulr_ge0 ?subr_ge0 // slow_error_ge0.
have s0 : 0 < t%:R + t0 by rewrite ltr_paddl ?ler0n.
rewrite big_nat_recr //= mulrDr e_step -subr_ge0; move: IH (slow_error_ge0 (harmonic a t0) t) => IH.
rewrite -/(e t) mulrSr; rewrite /harmonic in IH *; move: (\sum_(0 <= i < t) _) (e t) IH => S f IH f0.
have -> : (t%:R + 1 + t0 - 1) * ((1 - a / (t%:R + t0) / 2%:R) ^+ 2 * f + (a / (t%:R + t0)) ^+ 2 / 4%:R)
    - (a ^+ 2 / 4%:R * S + a ^+ 2 / 4%:R * (1 / (t%:R + t0)))
  = ((t%:R + t0 - 1) * f - a ^+ 2 / 4%:R * S) + (1 - a + a ^+ 2 / (4%:R * (t%:R + t0))) * f.
  rewrite (_ : t%:R + 1 + t0 - 1 = t%:R + t0); last by ring.
  by move: (t%:R + t0) s0 => s s0; field; rewrite gt_eqF.
rewrite addr_ge0 ?subr_ge0 // mulr_ge0 // addr_ge0 ?subr_ge0 // divr_ge0 ?sqr_ge0 // mulr_ge0 ?ler0n //.
exact: ltW.
Qed.

Theorem almost_sure_rate_ablation_drift kappa : Num.archimedean_axiom R -> exists t, kappa / (t%:R + t0) < e t.
Proof.
move=> archi; have t00 : 0 < t0 by apply: lt_le_trans t0_ge1; apply: ltr01.
have q0 : 0 < a ^+ 2 / 4%:R by rewrite divr_gt0 ?exprn_gt0 ?ltr0n.
have [t [_ big]] := harmonic_diverges archi ltr01 t00 ((kappa + 1) / (a ^+ 2 / 4%:R)) 0%N; exists t.
have s0 : 0 < t%:R + t0 by rewrite ltr_paddl ?ler0n.
rewrite ltr_pdivr_mulr //; apply: (@lt_le_trans _ _ (kappa + 1)); first by rewrite ltr_addl ltr01.
rewrite ler_pdivr_mulr // mulrC in big; apply: le_trans big _; apply: le_trans (slow_drift t) _.
by rewrite mulrC ler_wpmul2l ?slow_error_ge0 // ger_addl oppr_le0 ler01.
Qed.
End SlowDrift.
