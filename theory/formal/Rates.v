(* Rates, with steps a/(t + t_0): x ← x + α_t(G(h_{t+1})x + f(h_{t+1})), V(x) = xᵀQx, 2⟨x, Ḡx⟩_Q ≤ −cV(x), ca > 1. The
   history of t + 1 observations holds the state of time t.

     rate K V t_0 κ       E V_t ≤ κ/(t + t_0) for every t, and P(V_t ≥ ε for some t ≥ N) ≤ κ/(ε(N + t_0)) for all N and ε > 0:
                          along paths of finite length, and on every probability space that carries the process
     corrected_rate_…     where a corrected state v descends by the inequality of one step, with numbers
     noise_rate           some κ, for noise whose corrections leave at most a multiple of 1/(t + t_0)
     fading_correction    on a chain with one class (Regular.v) noise that fades (Fading.v) has such corrections: lag by lag,
                          as many lags as there are observations
     fading_rate          some κ, where G and b fade
     window_fades         functions of a window fade *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Lyapunov.
From TD Require Import Paths Sequences OneStep Convergence ProbabilityOne Mixing Markov LinearSA Windows Fading Steps Regular.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition rate (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) (t0 kappa : R) : Prop :=
  [/\ forall t, expect K t.+1 V <= kappa / (t%:R + t0),
      forall N T eps, 0 < eps -> prob K T (visits (above V N.+1 eps)) <= kappa / (eps * (N%:R + t0)) &
      forall (W : space R) (X : nat -> Omega W -> S), has_law K X -> forall N eps, 0 < eps ->
        let ever := fun w => exists2 t, (N < t)%N & eps <= V (path X t w) in
        event ever /\ Pr ever <= kappa / (eps * (N%:R + t0))].

Lemma paths_rate (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) (t0 kappa : R) :
  (forall t, expect K t.+1 V <= kappa / (t%:R + t0)) ->
  (forall N T eps, 0 < eps -> prob K T (visits (above V N.+1 eps)) <= kappa / (eps * (N%:R + t0))) -> rate K V t0 kappa.
Proof. by move=> mean ever; split=> // W X X_law N eps eps0; apply: (Pr_some X_law) => T _; apply: ever. Qed.

Section Rate.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) (t0 : R).
Hypothesis K_kernel : kernel K.

Lemma rate_le V' c kappa : 0 < c -> (forall h, c * V' h <= V h) -> rate K V t0 kappa -> rate K V' t0 (kappa / c).
Proof.
move=> c0 VV' [mean ever _]; apply: paths_rate => [t|N T eps eps0].
  apply: (@le_trans _ _ (expect K t.+1 (fun h => c^-1 * V h + 0))).
    by apply: expect_le => // h _; rewrite addr0 ler_pdivl_mull.
  by rewrite expect_affine // addr0 mulrAC [leRHS]mulrC ler_pmul2l ?invr_gt0.
apply: (@le_trans _ _ (kappa / (c * eps * (N%:R + t0)))); last by rewrite -mulrA invfM mulrA.
apply: le_trans (ever N T _ (mulr_gt0 c0 eps0)); apply: prob_le => // h _; apply: visits_sub => h' _.
by case/andP=> Nh le; rewrite /above Nh /=; apply: le_trans (VV' h'); rewrite ler_pmul2l.
Qed.

Hypothesis V_ge0 : forall h, 0 <= V h.
Hypothesis t0_gt0 : 0 < t0.

Lemma early_bounded N : exists2 B, 0 <= B & forall h, (size h <= N)%N -> V h <= B.
Proof.
exists (\sum_(k < N.+1) \sum_(h : k.-tuple S) V h); first by apply: sumr_ge0 => k _; apply: sumr_ge0.
move=> h hN; rewrite -ltnS in hN; rewrite (bigD1 (Ordinal hN)) //= (bigD1 (in_tuple h)) //= -addrA ler_addl.
by rewrite addr_ge0 ?sumr_ge0 // => k _; apply: sumr_ge0.
Qed.

(* Bounds from the time N_0 on are enough. *)
Lemma rate_from N0 k : (forall t, (N0 <= t)%N -> expect K t.+1 V <= k / (t%:R + t0)) ->
  (forall N T eps, (N0 <= N <= T)%N -> 0 < eps -> prob K T.+1 (visits (above V N.+1 eps)) <= k / (eps * (N%:R + t0))) ->
  exists kappa, rate K V t0 kappa.
Proof.
move=> mean ever; have [B B0 V_le] := early_bounded N0.+1; pose s t : R := t%:R + t0.
have s0 t : 0 < s t by rewrite ltr_paddl ?ler0n.
have k0 : 0 <= k.
  have := mean _ (leqnn N0); rewrite -/(s N0) ler_pdivl_mulr //; apply: le_trans.
  by rewrite mulr_ge0 ?(ltW (s0 _)) // expect_ge0.
have s_le t : (t <= N0)%N -> s t <= s N0 by move=> tN; rewrite ler_add2r ler_nat.
exists (k + B * s N0); apply: paths_rate => [t|N T eps eps0].
  rewrite -/(s t); have [tN|tN] := leqP N0 t.
    by apply: le_trans (mean t tN) _; rewrite -/(s t) ler_pmul2r ?invr_gt0 // ler_addl mulr_ge0 // ltW.
  rewrite ler_pdivl_mulr //; apply: (@le_trans _ _ (B * s N0)); last by rewrite ler_addr.
  apply: ler_pmul; rewrite ?(ltW (s0 _)) ?s_le ?expect_ge0 ?(ltnW tN) //.
  by rewrite -[leRHS](expect_const K_kernel t.+1); apply: expect_le => // h ht; rewrite V_le // ht ltnS ltnW.
rewrite -/(s N); have es t : 0 < eps * s t by rewrite mulr_gt0.
have [TN|NT] := leqP T N.
  apply: (@le_trans _ _ 0); last by rewrite divr_ge0 ?(ltW (es _)) // addr_ge0 // mulr_ge0 // ltW.
  rewrite -[leRHS](expect_const K_kernel T); apply: expect_le => // h hT.
  by case: (boolP (visits _ h)) => // /visits_late; rewrite hT ltnNge TN.
have late N' : (N0 <= N')%N -> prob K T (visits (above V N'.+1 eps)) <= k / (eps * s N').
  move=> N'0; case: T NT => // T NT; have [N'T|N'T] := leqP N' T; first by apply: ever; rewrite ?N'0.
  apply: (@le_trans _ _ 0); last by rewrite divr_ge0 ?(ltW (es _)).
  rewrite -[leRHS](expect_const K_kernel T.+1); apply: expect_le => // h hT.
  by case: (boolP (visits _ h)) => // /visits_late; rewrite hT ltnS leqNgt N'T.
have [NN|NN] := leqP N0 N.
  by apply: le_trans (late N NN) _; rewrite ler_pmul2r ?invr_gt0 // ler_addl mulr_ge0 // ltW.
have [eB|Be] := leP eps B.
  apply: (@le_trans _ _ 1).
    rewrite -[leRHS](expect_const K_kernel T); apply: expect_le => // h _.
    by case: (visits _ h); rewrite ?ler01.
  rewrite ler_pdivl_mulr // mul1r; apply: (@le_trans _ _ (B * s N0)); last by rewrite ler_addr.
  by apply: ler_pmul; rewrite ?(ltW eps0) ?(ltW (s0 _)) ?s_le ?(ltnW NN).
apply: (@le_trans _ _ (prob K T (visits (above V N0.+1 eps)))).
  apply: prob_le => // h _; apply: visits_sub => h' _ /andP[_ le]; rewrite /above le andbT ltnNge.
  by apply: contraTN le => h'N; rewrite -ltNge (le_lt_trans (V_le _ _) Be) // leqW.
apply: le_trans (late N0 (leqnn _)) _; apply: ler_pmul; rewrite ?invr_ge0 ?(ltW (es _)) //.
  by rewrite ler_addl mulr_ge0 // ltW.
by rewrite lef_pinv ?posrE // ler_pmul2l // s_le // ltnW.
Qed.
End Rate.

(* A corrected state v that descends; κ_t = κ_0/(t + t_0)² *)
Section Corrected.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).
Variables (x v : seq S -> 'cV[R]_m) (N0 : nat) (t0 ca k0 M B : R).
Let s t : R := t%:R + t0.
Let kap t := k0 / s t ^+ 2.
Hypothesis v_step : forall h, (N0 < size h)%N -> mean K (fun h => V (v h)) h
  <= (1 - ca / s (size h).-1 + 600%:R * kap (size h).-1) * V (v h) + 600%:R * kap (size h).-1.
Hypothesis state : forall h, (N0 < size h)%N -> V (x h) <= 6%:R * V (v h) + 6%:R * kap (size h).-1.
Hypothesis start : forall h, size h = N0.+1 -> V (v h) <= 3%:R * (2%:R * B + kap N0).

Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < ca.
Hypothesis k0_gt0 : 0 < k0.
Hypothesis s0_ca : ca <= s N0.
Hypothesis s0_q : 1200%:R * k0 <= (ca - 1) * s N0.
Hypothesis M_q : 1200%:R * k0 <= (ca - 1) * M.
Hypothesis M_start : 3%:R * (2%:R * B + k0 / s N0 ^+ 2) * s N0 <= M.

Let s_gt0 t : 0 < s t. Proof. by rewrite ltr_paddl ?ler0n. Qed.
Let ca0 : 0 < ca - 1. Proof. by rewrite subr_gt0. Qed.
Let s_le t : (N0 <= t)%N -> s N0 <= s t. Proof. by move=> Nt; rewrite ler_add2r ler_nat. Qed.
Let s_ge1 t : (N0 <= t)%N -> 1 <= s t.
Proof. by move=> /s_le; apply: le_trans; apply: le_trans s0_ca; apply: ltW. Qed.
Let M_ge0 : 0 <= M.
Proof. by rewrite -(pmulr_rge0 _ ca0); apply: le_trans M_q; rewrite mulr_ge0 ?ler0n // ltW. Qed.
Let kap_gt0 t : 0 < kap t. Proof. by rewrite divr_gt0 // exprn_gt0. Qed.
Let c01 t : (N0 <= t)%N -> 0 <= ca / s t <= 1.
Proof.
move=> Nt; have c0 : 0 <= ca by rewrite ltW // (lt_trans ltr01).
by rewrite divr_ge0 ?(ltW (s_gt0 t)) //= ler_pdivr_mulr // mul1r (le_trans s0_ca) // s_le.
Qed.
Let e t := expect K t.+1 (fun h => V (v h)).
Let sS t : s t.+1 = s t + 1. Proof. by rewrite /s mulrSr addrAC. Qed.

(* e_t ≤ M/(t + t_0) *)
Let e_le t : (N0 <= t)%N -> e t <= M / s t.
Proof.
have base : e N0 <= M / s N0.
  rewrite ler_pdivl_mulr //; apply: le_trans M_start; apply: ler_wpmul2r; first exact: ltW.
  by rewrite -[X in _ <= X](expect_const K_kernel N0.+1); apply: expect_le => // h; apply: start.
elim: t => [|t IH]; rewrite leq_eqVlt => /orP[/eqP <-|Nt] //; rewrite ltnS in Nt.
apply: (@le_trans _ _ ((1 - ca / s t + 600%:R * kap t) * (M / s t) + 600%:R * kap t)).
  apply: (@le_trans _ _ ((1 - ca / s t + 600%:R * kap t) * e t + 600%:R * kap t)).
    rewrite /e expectS -expect_affine //; apply: expect_le => // h ht; have := v_step (h := h).
    by rewrite ht ltnS; apply.
  rewrite ler_add2r; apply: ler_wpmul2l; last exact: IH.
  apply: addr_ge0; last by rewrite mulr_ge0 ?ler0n // ltW.
  by rewrite subr_ge0; case/andP: (c01 Nt).
have u1 : 1200%:R * k0 <= (ca - 1) * s t by apply: le_trans s0_q _; rewrite ler_pmul2l ?s_le.
rewrite sS /kap; move: (s t) (s_gt0 t) u1 => u u0 u1; rewrite -subr_ge0.
have H : M / (u + 1) - ((1 - ca / u + 600%:R * (k0 / u ^+ 2)) * (M / u) + 600%:R * (k0 / u ^+ 2))
    = M / (u ^+ 2 * (u + 1)) + (M * ((ca - 1) * u - 1200%:R * k0) + u * ((ca - 1) * M - 1200%:R * k0)) / (2%:R
      * u ^+ 3).
  by field; rewrite !gt_eqF ?addr_gt0 ?ltr01.
rewrite H; apply: addr_ge0; rewrite divr_ge0 //.
- by rewrite mulr_ge0 ?exprn_ge0 ?addr_ge0 ?ler01 // ltW.
- by apply: addr_ge0; apply: mulr_ge0; rewrite ?(ltW u0) // subr_ge0.
by rewrite mulr_ge0 ?ler0n // exprn_ge0 // ltW.
Qed.

(* E V(x_t) ≤ 6(M + κ_0)/(t + t_0) *)
Lemma corrected_rate_mean t : (N0 <= t)%N -> expect K t.+1 (fun h => V (x h)) <= 6%:R * (M + k0) / s t.
Proof.
move=> Nt; have s1 := s_ge1 Nt; have s0 := s_gt0 t.
apply: (@le_trans _ _ (6%:R * e t + 6%:R * kap t)).
  rewrite /e -expect_affine //; apply: expect_le => // h ht.
  by have := @state h; rewrite ht ltnS; apply.
rewrite -mulrDr -mulrA ler_pmul2l ?ltr0n // mulrDl ler_add ?e_le // /kap ler_pmul2l // lef_pinv ?posrE ?exprn_gt0 //.
by rewrite expr2 ler_pemulr // ltW.
Qed.

(* P(V(x_t) ≥ ε for some t ≥ N) ≤ 24(M + 600κ_0)/(ε(N + t_0 − 1)) *)
Lemma corrected_rate_ever N T eps : (N0 <= N <= T)%N -> 0 < eps -> 1200%:R * k0 <= s N - 1 -> 12%:R * k0 <=
  eps * s N ^+ 2 ->
  prob K T.+1 (visits (above (fun h => V (x h)) N.+1 eps)) <= 24%:R * (M + 600%:R * k0) / (eps * (s N - 1)).
Proof.
move=> /andP[N0N NT] eps0 sN1 sN2; pose q t := 600%:R * kap t.-1.
have s1 : 0 < s N - 1 by apply: lt_le_trans sN1; rewrite mulr_gt0 ?ltr0n.
pose eta := 600%:R * k0 / (s N - 1).
have q0 t : 0 <= q t by rewrite mulr_ge0 ?ler0n // ltW.
have sum : \sum_(N.+1 <= t < T.+1) q t <= eta.
  rewrite big_add1 /= /q /=; have k600 : 0 <= 600%:R * k0 by rewrite mulr_ge0 ?ler0n // ltW.
  have s_sub t : (N <= t)%N -> 0 < s t - 1.
    by move=> Nt; apply: lt_le_trans s1 _; rewrite ler_add2r ler_add2r ler_nat.
  have tel t : (N <= t)%N -> 600%:R * kap t <= 600%:R * k0 / (s t - 1) - 600%:R * k0 / (s t.+1 - 1).
    move=> /s_sub; rewrite sS addrK /kap; move: (s t) (s_gt0 t) => u u0 u1; rewrite -subr_ge0.
    have H : 600%:R * k0 / (u - 1) - 600%:R * k0 / u - 600%:R * (k0 / u ^+ 2) = 600%:R * k0 / (u ^+ 2 * (u - 1)).
      by field; rewrite !gt_eqF.
    by rewrite H divr_ge0 // mulr_ge0 ?exprn_ge0 // ltW.
  suff : \sum_(N <= t < T) 600%:R * kap t <= eta - 600%:R * k0 / (s T - 1).
    by move=> /le_trans; apply; rewrite ger_addl oppr_le0 divr_ge0 // ltW // s_sub.
  elim: T NT => [|T' IH]; first by rewrite leqn0 => /eqP N0'; rewrite big_geq // /eta N0' subrr.
  rewrite leq_eqVlt => /orP[/eqP <-|]; first by rewrite big_geq // /eta subrr.
  rewrite ltnS => NT'; rewrite big_nat_recr //=; apply: le_trans (ler_add (IH NT') (tel _ NT')) _.
  by rewrite addrA subrK.
have eta2 : eta <= 2%:R^-1.
  by rewrite /eta ler_pdivr_mulr // ler_pdivl_mull ?ltr0n // mulrA -natrM.
have V_step h : (N.+1 <= size h < T.+1)%N -> mean K (fun h => V (v h)) h <= (1 + q (size h)) * V (v h) + q (size h).
  move=> /andP[Nh _]; have N0h := leq_ltn_trans N0N Nh; apply: le_trans (v_step N0h) _.
  rewrite ler_add2r; apply: ler_wpmul2r; first exact: Q_ge0.
  rewrite ler_add2r ger_addl oppr_le0.
  by have /c01/andP[] : (N0 <= (size h).-1)%N by rewrite -ltnS prednK // (leq_ltn_trans _ N0h).
have eps12 : 0 <= eps / 12%:R by rewrite divr_ge0 ?ler0n // ltW.
have := maximal K_kernel (fun h => Q_ge0 (v h)) q0 eps12 V_step NT.
set P := prob _ _ _; rewrite -/(e N) => bound; apply: (@le_trans _ _ P).
  apply: prob_le => // h hT; apply: visits_sub => h' hh' /andP[Nh' eps_le]; rewrite /above Nh' /=.
  have N0h := leq_ltn_trans N0N Nh'; have kapN : kap (size h').-1 <= eps / 12%:R.
    rewrite ler_pdivr_mulr ?exprn_gt0 // mulrAC ler_pdivl_mulr ?ltr0n // [k0 * _]mulrC; apply: le_trans sN2 _.
    rewrite ler_pmul2l // ler_sqr ?nnegrE ?(ltW (s_gt0 _)) // ler_add2r ler_nat.
    by rewrite -ltnS prednK // (leq_ltn_trans _ Nh').
  rewrite ler_pdivr_mulr ?ltr0n // -(ler_add2r eps); apply: (@le_trans _ _ (2%:R * V (x h'))).
    by rewrite mulr_natl mulr2n ler_add.
  apply: (@le_trans _ _ (2%:R * (6%:R * V (v h') + 6%:R * (eps / 12%:R)))).
    rewrite ler_pmul2l ?ltr0n //; apply: le_trans (state N0h) _.
    by rewrite ler_add2l ler_pmul2l ?ltr0n.
  by apply/eqW; field.
have P2 := prod1D_le2 q0 sum eta2; have eN := e_le N0N.
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
End Corrected.

(* The steps α_t = a/(t + t_0); the history of t + 1 observations takes the step α_t. *)
Section Harmonic.
Variables (R : realFieldType) (a t0 g k : R).
Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis g_ge0 : 0 <= g.
Let s t : R := t.-1%:R + t0.
Let alpha t := harmonic a t0 t.-1.
Let s_gt0 t : 0 < s t. Proof. by rewrite ltr_paddl ?ler0n. Qed.

Lemma harmonic_variation_le t : (alpha t.+1 - alpha t) ^+ 2 <= (a / s t ^+ 2) ^+ 2.
Proof.
have al0 := harmonic_gt0 a_gt0 t0_gt0; have d0 : 0 <= alpha t - alpha t.+1.
  by rewrite subr_ge0; case: t => [|t] //; apply: harmonic_antitone.
rewrite -sqrrN opprB ler_sqr ?nnegrE //; last by rewrite divr_ge0 ?exprn_ge0 // ltW.
case: t d0 => [|t] _; first by rewrite /alpha /= subrr divr_ge0 ?exprn_ge0 ?ltW.
rewrite /alpha /= harmonic_difference // -mulrA ler_pdivr_mull //.
apply: le_trans (ler_wpmul2l (ltW (al0 t)) (harmonic_antitone a_gt0 t0_gt0 t)) _.
by rewrite /harmonic -/(s t.+1) -expr2 expr_div_n mulrA -expr2.
Qed.

Hypothesis k_le : g * a ^+ 2 <= k.
Lemma harmonic_now t : g * alpha t ^+ 2 <= k / s t ^+ 2.
Proof. by rewrite /alpha /harmonic -/(s t) expr_div_n mulrA ler_pmul2r ?invr_gt0 ?exprn_gt0. Qed.
Lemma harmonic_next t : g * alpha t.+1 ^+ 2 <= k / s t ^+ 2.
Proof.
apply: le_trans (harmonic_now t); apply: ler_wpmul2l => //; have al0 := harmonic_gt0 a_gt0 t0_gt0.
rewrite ler_sqr ?nnegrE ?(ltW (al0 _)) //; case: t => [|t] //; exact: harmonic_antitone.
Qed.
End Harmonic.

(* x ← x + α_t(G(h_{t+1})x + f(h_{t+1})) with corrections that leave at most a multiple of 1/(t + t_0) *)
Section Noise.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).
Variables (x : seq S -> 'cV[R]_m) (G : seq S -> 'M[R]_m) (f : seq S -> 'cV[R]_m) (Gb : 'M[R]_m).
Variables (gh : seq S -> 'M[R]_m) (fh : seq S -> 'cV[R]_m) (a t0 c g : R).
Let s t : R := t.-1%:R + t0.
Let alpha t := harmonic a t0 t.-1.
Hypothesis x_step : forall o h, x (o :: h) = x h + alpha (size h) *: (G (o :: h) *m x h + f (o :: h)).
Hypothesis mean_descends : forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (Gb *m y) <= - c * V y.
Hypothesis g_left : forall h (y : 'cV[R]_m), (0 < size h)%N ->
  V ((cond K (fun h => G h - Gb + gh h) h - gh h) *m y) <= g / s (size h) ^+ 2 * V y.
Hypothesis f_left : forall h, (0 < size h)%N -> V (cond K (fun h => f h + fh h) h - fh h) <= g / s (size h) ^+ 2.
Hypothesis G_le : forall h (y : 'cV[R]_m), V (G h *m y) <= g * V y.
Hypothesis f_le : forall h, V (f h) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis gh_le : forall h (y : 'cV[R]_m), V (gh h *m y) <= g * V y.
Hypothesis fh_le : forall h, V (fh h) <= g.
Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < c * a.

Let s_gt0 t : 0 < s t. Proof. by rewrite ltr_paddl ?ler0n. Qed.
Let g_ge0 : 0 <= g. Proof. by apply: le_trans (fh_le [::]); apply: Q_ge0. Qed.
Let k0 := 4%:R * g * a ^+ 2 + 1.
Let kap t := k0 / s t ^+ 2.
Let ga_ge0 : 0 <= g * a ^+ 2. Proof. by rewrite mulr_ge0 // sqr_ge0. Qed.
Let k0_ge1 : 1 <= k0. Proof. by rewrite /k0 ler_addr -mulrA mulr_ge0 ?ler0n. Qed.
Let k0_gt0 : 0 < k0. Proof. exact: lt_le_trans ltr01 k0_ge1. Qed.
Let k0_le : g * a ^+ 2 <= k0.
Proof. by rewrite /k0 -mulrA; apply: ler_paddr ler01 _; rewrite ler_pemull // ler1n. Qed.
Let kap_gt0 t : 0 < kap t. Proof. by rewrite divr_gt0 // exprn_gt0. Qed.

Let left_le (u w : 'cV[R]_m) Y t : 0 <= Y -> V u <= g / s t ^+ 2 * Y -> V w <= g * Y ->
  V (alpha t *: u + (alpha t.+1 - alpha t) *: w) <= kap t ^+ 2 * Y.
Proof.
move=> Y0 u_le w_le; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; rewrite !formZv.
have step : alpha t ^+ 2 * V u <= (a / s t ^+ 2) ^+ 2 * (g * Y).
  apply: le_trans (ler_wpmul2l (sqr_ge0 _) u_le) _.
  rewrite /alpha /harmonic -/(s t) le_eqVlt; apply/orP; left; apply/eqP.
  by move: (s t) (s_gt0 t) => z z0; field; rewrite gt_eqF.
have next : (alpha t.+1 - alpha t) ^+ 2 * V w <= (a / s t ^+ 2) ^+ 2 * (g * Y).
  by apply: ler_pmul; rewrite ?sqr_ge0 ?Q_ge0 ?harmonic_variation_le.
apply: (@le_trans _ _ (2%:R * ((a / s t ^+ 2) ^+ 2 * (g * Y) + (a / s t ^+ 2) ^+ 2 * (g * Y)))).
  by rewrite ler_pmul2l ?ltr0n // ler_add.
have -> : 2%:R * ((a / s t ^+ 2) ^+ 2 * (g * Y) + (a / s t ^+ 2) ^+ 2 * (g * Y))
    = 4%:R * g * a ^+ 2 * (s t ^+ 2)^-1 ^+ 2 * Y by move: (s t ^+ 2)^-1 => w0; ring.
apply: ler_wpmul2r => //; rewrite /kap exprMn; apply: ler_wpmul2r; first exact: sqr_ge0.
by apply: (@le_trans _ _ k0); [rewrite ler_addl ler01 | rewrite expr2 ler_pemull // ltW].
Qed.

Theorem noise_rate : exists kappa, rate K (fun h => V (x h)) t0 kappa.
Proof.
have ca0 : 0 < c * a - 1 by rewrite subr_gt0.
pose z := c * a + 1200%:R * k0 / (c * a - 1) + 1200%:R * k0 + 2%:R.
have q0 : 0 <= 1200%:R * k0 / (c * a - 1) by rewrite divr_ge0 ?(ltW ca0) // mulr_ge0 ?ler0n // ltW.
have c0 : 0 <= c * a by rewrite ltW // (lt_trans ltr01).
have p0 : 0 <= 1200%:R * k0 by rewrite mulr_ge0 ?ler0n // ltW.
have two0 : 0 <= 2%:R :> R := ler0n _ _.
have [N0 zN] := archi z; have {}zN t : (N0 <= t)%N -> z <= t%:R + t0.
  move=> Nt; apply: le_trans (ler_norm z) _; apply: le_trans (ltW zN) _; apply: le_trans (_ : t%:R <= _).
    by rewrite ler_nat.
  by rewrite ler_addl ltW.
have z_ca : c * a <= z by rewrite /z -!addrA ler_addl (addr_ge0 q0 (addr_ge0 p0 two0)).
have z_q : 1200%:R * k0 / (c * a - 1) <= z by rewrite /z -!addrA addrCA ler_addl (addr_ge0 c0 (addr_ge0 p0 two0)).
have z_p : 1200%:R * k0 + 2%:R <= z by rewrite /z -addrA ler_addr (addr_ge0 c0 q0).
have z_2 : 2%:R <= z by apply: le_trans z_p; rewrite ler_addr.
have kap6 t : (N0 < t)%N -> 6%:R * kap t <= 1.
  case: t => // t; rewrite ltnS => Nt; rewrite mulrA ler_pdivr_mulr ?exprn_gt0 // mul1r.
  have zt := zN t Nt; rewrite /s /= expr2; apply: (@le_trans _ _ (1200%:R * k0)).
    by rewrite ler_pmul2r // ler_nat.
  apply: (@le_trans _ _ (t%:R + t0)); first by apply: le_trans zt; apply: le_trans z_p; rewrite ler_addl.
  rewrite ler_pemull ?(ltW (s_gt0 t.+1)) //; apply: le_trans zt; apply: le_trans z_2; exact: ler1n.
have [B B0 B_le] := early_bounded (fun h => Q_ge0 (x h)) N0.+1.
have variation h (y : 'cV[R]_m) : (N0 < size h)%N ->
    V (unsolved K alpha (fun h => G h - Gb) gh h *m y) <= kap (size h) ^+ 2 * V y.
  move=> Nh; rewrite /unsolved mulmxDl -!scalemxAl; apply: left_le; rewrite ?Q_ge0 ?cond_mulr //.
    by apply: g_left; apply: leq_ltn_trans Nh.
  exact: cond_le.
have f_variation h : (N0 < size h)%N -> V (unsolved K alpha f fh h) <= kap (size h) ^+ 2.
  move=> Nh; rewrite -[leRHS]mulr1; apply: left_le; rewrite ?mulr1; [exact: ler01 | | exact: cond_le].
  by apply: f_left; apply: leq_ltn_trans Nh.
have c01 t : (N0 < t)%N -> 0 <= c * a / s t <= 1.
  case: t => // t; rewrite ltnS => Nt; rewrite divr_ge0 ?(ltW (s_gt0 _)) //= ler_pdivr_mulr // mul1r.
  exact: le_trans z_ca (zN t Nt).
have now t := harmonic_now t0_gt0 k0_le t.
have next t := harmonic_next a_gt0 t0_gt0 g_ge0 k0_le t.
have drift t (y : 'cV[R]_m) : (N0 < t)%N -> V (y + alpha t *: (Gb *m y)) <= (1 - c * a / s t + kap t) * V y.
  have -> : c * a / s t = c * alpha t by rewrite /alpha /harmonic mulrA.
  move=> _; apply: (descent_drift y Q_sym Q_ge0 mean_descends Gb_le _ (now t)).
  exact: ltW (harmonic_gt0 a_gt0 t0_gt0 _).
have step := poisson_step K_kernel Q_sym Q_ge0 x_step variation f_variation G_le f_le Gb_le gh_le fh_le
  c01 kap_gt0 now next drift.
have sN : 0 < N0%:R + t0 := s_gt0 N0.+1.
pose M := 1200%:R * k0 / (c * a - 1) + 3%:R * (2%:R * B + k0 / (N0%:R + t0) ^+ 2) * (N0%:R + t0).
have M1 : 0 <= 3%:R * (2%:R * B + k0 / (N0%:R + t0) ^+ 2) * (N0%:R + t0).
  by rewrite mulr_ge0 ?(ltW sN) // mulr_ge0 ?ler0n // addr_ge0 ?(ltW (kap_gt0 N0.+1)) // mulr_ge0.
have [mean ever] : (forall t, (N0 <= t)%N -> expect K t.+1 (fun h => V (x h)) <= 6%:R * (M + k0) / (t%:R + t0)) /\
    (forall N T eps, (N0 <= N <= T)%N -> 0 < eps -> 1200%:R * k0 <= N%:R + t0 - 1 ->
       12%:R * k0 <= eps * (N%:R + t0) ^+ 2 ->
       prob K T.+1 (visits (above (fun h => V (x h)) N.+1 eps)) <= 24%:R * (M + 600%:R * k0) / (eps * (N%:R + t0 - 1))).
  have v_step h : (N0 < size h)%N -> _ := fun Nh => step h Nh (kap6 _ Nh).
  have state h : (N0 < size h)%N -> _ := fun Nh => state_le Q_sym Q_ge0 x gh_le fh_le now (kap6 _ Nh).
  have start h : size h = N0.+1 -> V (corrected x gh fh alpha h) <= 3%:R * (2%:R * B + k0 / (N0%:R + t0) ^+ 2).
    move=> hN; have Nh : (N0 < size h)%N by rewrite hN.
    apply: le_trans (corrected_le Q_sym Q_ge0 x gh_le fh_le kap_gt0 now (kap6 _ Nh)) _; rewrite hN.
    by rewrite ler_pmul2l ?ltr0n // ler_add2r ler_pmul2l ?ltr0n // B_le // hN.
  have ca_s : c * a <= N0%:R + t0 := le_trans z_ca (zN _ (leqnn _)).
  have q_s : 1200%:R * k0 <= (c * a - 1) * (N0%:R + t0).
    by rewrite -ler_pdivr_mull // mulrC (le_trans z_q) // zN.
  have q_M : 1200%:R * k0 <= (c * a - 1) * M by rewrite -ler_pdivr_mull // mulrC ler_addl.
  have M_s : 3%:R * (2%:R * B + k0 / (N0%:R + t0) ^+ 2) * (N0%:R + t0) <= M by rewrite ler_addr.
  split=> [t|N T eps].
    exact: (corrected_rate_mean K_kernel v_step state start t0_gt0 ca_gt1 k0_gt0 ca_s q_s q_M M_s).
  exact: (corrected_rate_ever K_kernel Q_ge0 v_step state start t0_gt0 ca_gt1 k0_gt0 ca_s q_s q_M M_s).
have M0 : 0 <= M := addr_ge0 q0 M1.
pose k := 48%:R * (M + 600%:R * k0); have k600 : 0 <= 600%:R * k0 by rewrite mulr_ge0 ?ler0n // ltW.
have Mk : 0 <= M + 600%:R * k0 := addr_ge0 M0 k600.
apply: (@rate_from R S K (fun h => V (x h)) t0 K_kernel (fun h => Q_ge0 _) t0_gt0 N0 k) => [t Nt|N T eps NT eps0].
  apply: le_trans (mean t Nt) _; rewrite ler_pmul2r ?invr_gt0 ?(s_gt0 t.+1) // /k.
  have Mk0 : 0 <= M + k0 := addr_ge0 M0 (ltW k0_gt0).
  apply: ler_pmul; [exact: ler0n | exact: Mk0 | by rewrite ler_nat |].
  by rewrite ler_add2l ler_pemull ?ler1n // ltW.
have /andP[N0N _] := NT; have sz := zN N N0N; have s2 := le_trans z_2 sz; have s0 : 0 < N%:R + t0 := s_gt0 N.+1.
have s1 : 0 < N%:R + t0 - 1 by rewrite subr_gt0; apply: lt_le_trans s2; rewrite ltr1n.
have [large|small] := leP (12%:R * k0) (eps * (N%:R + t0) ^+ 2); last first.
  apply: (@le_trans _ _ 1).
    rewrite -[leRHS](expect_const K_kernel T.+1); apply: expect_le => // h _.
    by case: (visits _ h); rewrite ?ler01.
  rewrite ler_pdivl_mulr ?mulr_gt0 // mul1r; apply: (@le_trans _ _ (eps * (N%:R + t0) ^+ 2)).
    rewrite ler_pmul2l // expr2 ler_pemull ?(ltW s0) //; apply: le_trans s2; exact: ler1n.
  apply: le_trans (ltW small) _; apply: ler_pmul; [exact: ler0n | exact: ltW k0_gt0 | by rewrite ler_nat |].
  by rewrite -[leLHS]add0r ler_add // ler_pemull ?ler1n // ltW.
apply: le_trans (ever _ _ _ NT eps0 _ large) _.
  rewrite ler_subr_addr; apply: le_trans sz; apply: le_trans z_p; rewrite ler_add2l; exact: ler1n.
rewrite ler_pdivr_mulr ?mulr_gt0 // mulrAC ler_pdivl_mulr ?mulr_gt0 // /k.
have H (A e u : R) : 48%:R * A * (e * (u - 1)) - 24%:R * A * (e * u) = 24%:R * A * e * (u - 2%:R) by ring.
by rewrite -subr_ge0 H !mulr_ge0 ?ler0n ?subr_ge0 // ltW.
Qed.
End Noise.

Lemma natr_next (R : ringType) k : k.+1%:R = k%:R + 1 :> R.
Proof. exact: mulrSr. Qed.

Section Lags.
Variables (R : realFieldType) (beta c : R).
Hypothesis beta01 : 0 <= beta < 1.
Hypothesis c_ge0 : 0 <= c.
Let b0 : 0 <= beta. Proof. by case/andP: beta01. Qed.
Let d0 : 0 < 1 - beta. Proof. by rewrite subr_gt0; case/andP: beta01. Qed.

Lemma lag_sum n : \sum_(0 <= k < n) (k%:R + c) * beta ^+ k <= c / (1 - beta) + beta / (1 - beta) ^+ 2.
Proof.
pose left k : R := (k%:R + c) * beta ^+ k / (1 - beta) + beta ^+ k.+1 / (1 - beta) ^+ 2.
suff -> : c / (1 - beta) + beta / (1 - beta) ^+ 2 = \sum_(0 <= k < n) (k%:R + c) * beta ^+ k + left n.
  by rewrite ler_addl addr_ge0 ?divr_ge0 ?exprn_ge0 ?(ltW d0) // mulr_ge0 ?exprn_ge0 ?addr_ge0 ?ler0n.
elim: n => [|n IH]; first by rewrite big_geq // /left expr0 expr1 !add0r mulr1.
rewrite big_nat_recr //= {}IH -addrA; congr (_ + _); rewrite /left !exprS natr_next.
move: (n%:R : R) (beta ^+ n) => x y; field; rewrite ?gt_eqF //.
Qed.

Lemma lag_square : Num.archimedean_axiom R -> exists2 C, 0 <= C & forall t, (t%:R + c) ^+ 2 * beta ^+ t <= C.
Proof.
move=> archi; have [N N_le] := archi (3%:R / (1 - beta)).
pose u t : R := (t%:R + c) ^+ 2 * beta ^+ t; have u0 t : 0 <= u t by rewrite mulr_ge0 ?sqr_ge0 ?exprn_ge0.
have sum_ge0 : 0 <= \sum_(i < N.+1) u i by apply: sumr_ge0.
have early t : (t <= N)%N -> u t <= \sum_(i < N.+1) u i.
  by rewrite -ltnS => tN; rewrite (bigD1 (Ordinal tN)) //= ler_addl sumr_ge0.
exists (\sum_(i < N.+1) u i) => // t; rewrite -/(u t); elim: t => [|t IH]; first exact: early.
have [tN|Nt] := ltnP t N; first exact: early.
apply: le_trans IH; rewrite /u (exprS beta) mulrA natr_next; apply: ler_wpmul2r; first by rewrite exprn_ge0.
have x3 : 3%:R <= (1 - beta) * (t%:R + c).
  rewrite -ler_pdivr_mull // mulrC; apply: le_trans (ler_norm _) (le_trans (ltW N_le) _).
  by apply: (@le_trans _ _ t%:R); rewrite ?ler_nat ?ler_addl.
have x1 : 1 <= t%:R + c.
  apply: (@le_trans _ _ ((1 - beta) * (t%:R + c))); first by apply: le_trans x3; rewrite ler1n.
  by rewrite ler_pimull ?addr_ge0 ?ler0n // ger_addl oppr_le0.
rewrite addrAC; move: (t%:R + c) x1 x3 => x x1 x3; rewrite -subr_ge0.
have -> : x ^+ 2 - (x + 1) ^+ 2 * beta = x * ((1 - beta) * x - 3%:R) + 3%:R * x * (1 - beta) + beta * (x - 1) by ring.
have x0 : 0 <= x := le_trans ler01 x1.
by apply: addr_ge0; [apply: addr_ge0 |]; rewrite !mulr_ge0 ?ler0n ?subr_ge0 // -subr_ge0 ltW.
Qed.
End Lags.

Section Entries.
Variables (R : realFieldType) (p r : nat).
Implicit Types X : 'M[R]_(p, r).

Lemma entries_leZ a X e : entries_le X e -> entries_le (a *: X) (`|a| * e).
Proof. by move=> Xe i j; rewrite mxE normrM ler_wpmul2l. Qed.

Lemma entries_le_sum (I : Type) (l : seq I) (F : I -> 'M[R]_(p, r)) (e : I -> R) :
  (forall i, entries_le (F i) (e i)) -> entries_le (\sum_(i <- l) F i) (\sum_(i <- l) e i).
Proof.
move=> Fe; elim: l => [|i l IH]; first by rewrite !big_nil => i j; rewrite mxE normr0.
by rewrite !big_cons; apply: entries_leD.
Qed.

(* an average *)
Lemma entries_le_mean (I : finType) (w : I -> R) (F : I -> 'M[R]_(p, r)) e : (forall i, 0 <= w i) -> \sum_i w i = 1 ->
  (forall i, entries_le (F i) e) -> entries_le (\sum_i w i *: F i) e.
Proof.
move=> w0 w1 Fe; rewrite -[e]mul1r -w1 mulr_suml; apply: entries_le_sum => i.
by rewrite -{2}(ger0_norm (w0 i)); apply: entries_leZ.
Qed.

Lemma entries_leN X e : entries_le X e -> entries_le (- X) e.
Proof. by move=> Xe i j; rewrite mxE normrN. Qed.

Lemma entries_le_mulr l X (y : 'M[R]_(r, l)) e : 0 <= e -> entries_le X e -> entries_le (X *m y) (e * total y).
Proof.
move=> e0 Xe i j; rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_sumr; apply: ler_sum => k _.
by rewrite normrM; apply: ler_pmul => //; rewrite (bigD1 j) //= ler_addl sumr_ge0.
Qed.
End Entries.

Section FadingCorrection.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_one_class : one_class P.
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Hypothesis init_distribution : distribution init.
Local Notation K := (observation_kernel state q init).
Local Notation C := (@cond R _ K _).
Local Notation E0 := (stationary_mean state q init d).
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.
Let q1 i : \sum_o q i o = 1. Proof. by rewrite (observes_sum _ q_observes) P_stochastic.2. Qed.

(* a longer window has the same mean *)
Lemma stationary_mean_later (W : lmodType R) w w' (F : seq O -> W) : local w.+1 F -> (w <= w')%N -> E0 w' F = E0 w F.
Proof.
move=> loc; rewrite leq_eqVlt => /orP[/eqP -> //|ww].
rewrite -(subnK ww) (@stationary_lag _ _ _ _ _ _ init _ _ q_observes d_law _ w.+1 F (observe q (iter w C F))) // => o h.
rewrite -[LHS]/(\sum_o' q (state o) o' *: iter w C F (o' :: o :: h)); apply: eq_bigr => o' _; congr (_ *: _).
by apply: (iter_local state q init loc); rewrite /= ?take0.
Qed.

Section Bounds.
Variables (p r : nat) (F : seq O -> 'M[R]_(p, r)) (e : R).
Hypothesis F_le : forall h, entries_le (F h) e.

Let iter_entries k h : entries_le (iter k C F h) e.
Proof. by elim: k h => [|k IH] h //=; apply: entries_le_mean => [s||s]; [exact: K_kernel.1 | exact: K_kernel.2 | exact: IH]. Qed.
Let observe_entries w i : entries_le (observe q (iter w C F) i) e.
Proof. by apply: entries_le_mean => [o||o]; [exact: q_observes.1 | exact: q1 | exact: iter_entries]. Qed.

Lemma cond_entries h : entries_le (cond K F h) e. Proof. exact: (iter_entries 1 h). Qed.
Lemma stationary_mean_entries w : entries_le (E0 w F) e.
Proof. by case: d_law => dge0 dsum _; apply: entries_le_mean => // i; apply: observe_entries. Qed.

Lemma correction_entries w h : entries_le (correction state P q init d w F h) ((w%:R + total (invmx (fundamental P d))) * e).
Proof.
rewrite mulrDl; apply: entries_leD.
  have -> : w%:R * e = \sum_(1 <= k < w.+1) e by rewrite sumr_const_nat subn1 mulr_natl.
  by apply: entries_le_sum => k; apply: iter_entries.
have e0 (i : 'I_p) (j : 'I_r) : 0 <= e by apply: le_trans (F_le [::] i j).
case: h => [|o h] i j; first by rewrite mxE normr0 mulr_ge0 ?total_ge0 ?(e0 i j).
apply: (@le_trans _ _ (\sum_k `|invmx (fundamental P d) (state o) k| * e)).
  by apply: entries_le_sum => k; apply/entries_leZ/observe_entries.
rewrite -mulr_suml; apply: ler_wpmul2r; first exact: (e0 i j).
by rewrite /total [leRHS](bigD1 (state o)) //= ler_addl; apply: sumr_ge0 => i' _; apply: sumr_ge0.
Qed.
End Bounds.

Variables (beta B t0 : R).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis beta01 : 0 <= beta < 1.
Hypothesis B_ge0 : 0 <= B.
Hypothesis t0_gt0 : 0 < t0.

(* The lags one by one: the w-th is F_w − F_{w−1}, of w + 1 observations, at most 2Bβ^{w−1}. *)
Theorem fading_correction p r (F : seq O -> 'M[R]_(p, r)) Fw mean : fades state q init d beta B F Fw mean ->
  exists gh, exists2 g, 0 <= g & (forall h, entries_le (gh h) g) /\
    forall h, (0 < size h)%N -> entries_le (cond K (fun h => F h - mean + gh h) h - gh h) (g / ((size h).-1%:R + t0)).
Proof.
case=> loc near bound close; have /andP[b0 b1] := beta01.
pose D w h := Fw w h - (if w is w'.+1 then Fw w' h else 0).
pose ED w := E0 w (Fw w) - (if w is w'.+1 then E0 w' (Fw w') else 0).
pose cD w h := D w h - ED w; pose e w := 4%:R * B * beta ^+ w.-1.
have D_loc w : local w.+1 (D w).
  by case: w => [|w] h h' E; rewrite /D (loc _ _ _ E) // (local_le _ (loc w) E).
have cD_loc w : local w.+1 (cD w) by move=> h h' E; rewrite /cD (D_loc w _ _ E).
have D_mean w : E0 w (D w) = ED w.
  apply: (@addIr _ (if w is w'.+1 then E0 w' (Fw w') else 0)); rewrite /ED subrK.
  have <- : E0 w (if w is w'.+1 then Fw w' else fun=> 0) = if w is w'.+1 then E0 w' (Fw w') else 0.
    case: w => [|w]; last exact: stationary_mean_later.
    exact: (stationary_mean_const P_stochastic q_observes init_distribution d_law).
  rewrite -(stationary_meanD state q init d); apply: stationary_mean_ext => h; rewrite /D.
  by case: w => [|w]; rewrite subrK.
have cD_mean w : E0 w (cD w) = 0.
  by rewrite (stationary_meanD state q init d) D_mean (stationary_mean_const P_stochastic q_observes init_distribution d_law) subrr.
have Bw w : 0 <= B * beta ^+ w by rewrite mulr_ge0 ?exprn_ge0.
have Bs w : B * beta ^+ w.+1 <= B * beta ^+ w.
  by rewrite ler_wpmul2l // exprS ler_pimull ?exprn_ge0 // ltW.
have cD_le w h : entries_le (cD w h) (e w).
  have four (x : R) : 4%:R * x = (x + x) + (x + x) by ring.
  rewrite /e -mulrA four; case: w => [|w] /=.
    rewrite expr0 mulr1; apply: entries_leD; last apply: entries_leN.
      by rewrite /D subr0; apply: entries_le_weak (bound 0%N h); rewrite ler_addl.
    rewrite /ED subr0; apply: (@entries_le_weak _ _ _ _ B); first by rewrite ler_addl.
    by apply: stationary_mean_entries => h'; apply: bound.
  apply: entries_leD; last apply: entries_leN.
    rewrite /D (_ : _ - _ = - (F h - Fw w.+1 h) + (F h - Fw w h)); last by rewrite opprB addrA subrK.
    by apply: entries_leD; [apply: entries_leN; apply: entries_le_weak (near w.+1 h) | apply: near].
  rewrite /ED (_ : _ - _ = (E0 w.+1 (Fw w.+1) - mean) + - (E0 w (Fw w) - mean)); last by rewrite opprB addrA subrK.
  by apply: entries_leD; [apply: entries_le_weak (close w.+1) | apply/entries_leN/close].
pose Z := total (invmx (fundamental P d)); have Z0 : 0 <= Z := total_ge0 _.
pose cor w := correction state P q init d w (cD w).
have cor_le w h : entries_le (cor w h) ((w%:R + Z) * e w) by apply: correction_entries.
have cor_eq w h : (0 < size h)%N -> cond K (fun h => cD w h + cor w h) h = cor w h.
  exact: (@poisson_solution _ _ _ _ _ _ init _ P_stochastic P_one_class q_observes d_law _ _ _ (cD_loc w) _ (cD_mean w)).
pose c := 3%:R + Z + t0; have c0 : 0 <= c := addr_ge0 (addr_ge0 (ler0n _ _) Z0) (ltW t0_gt0).
have [C2 C20 C2_le] := lag_square beta01 c0 archi.
pose g1 := 4%:R * B * (Z + (c / (1 - beta) + beta / (1 - beta) ^+ 2)); pose g2 := 4%:R * B * C2.
have d0 : 0 < 1 - beta by rewrite subr_gt0.
have four0 : 0 <= 4%:R * B by rewrite mulr_ge0 ?ler0n.
have tail0 : 0 <= c / (1 - beta) + beta / (1 - beta) ^+ 2 by rewrite addr_ge0 // divr_ge0 ?exprn_ge0 // ltW.
have g10 : 0 <= g1 by rewrite mulr_ge0 // addr_ge0.
have g20 : 0 <= g2 by rewrite mulr_ge0.
pose gh h := \sum_(0 <= w < (size h).+1) cor w h.
exists gh, (g1 + g2); first exact: addr_ge0; split=> [h|h h0].
  apply: (@entries_le_weak _ _ _ _ (\sum_(0 <= w < (size h).+1) (w%:R + Z) * e w)); last first.
    by apply: entries_le_sum => w; apply: cor_le.
  rewrite big_nat_recl //= add0r /e /= expr0 mulr1 mulrC; apply: (@le_trans _ _ g1); last by rewrite ler_addl.
  rewrite /g1 mulrDr ler_add2l; apply: le_trans (ler_wpmul2l four0 (lag_sum beta01 c0 (size h))).
  rewrite mulr_sumr; apply: ler_sum => w _; rewrite mulrCA -!mulrA ler_wpmul2l ?ler0n // ler_wpmul2l //.
  rewrite ler_wpmul2r ?exprn_ge0 // natr_next -addrA ler_add2l /c -addrA; apply: ler_add; first by rewrite ler1n.
  by rewrite ler_addl ltW.
set t := (size h).-1; have tE : size h = t.+1 by rewrite prednK.
have D_sum h' k : \sum_(0 <= w < k.+1) D w h' = Fw k h'.
  by elim: k => [|k IH]; rewrite ?big_nat1 /D ?subr0 // big_nat_recr //= IH addrC subrK.
have ED_sum k : \sum_(0 <= w < k.+1) ED w = E0 k (Fw k).
  by elim: k => [|k IH]; rewrite ?big_nat1 /ED ?subr0 // big_nat_recr //= IH addrC subrK.
have shuffle (u v w x y : 'M[R]_(p, r)) : u - v + y = u - w + (x - v) + (w - x + y).
  by apply/matrixP => i j; rewrite !mxE; ring.
have -> : cond K (fun h => F h - mean + gh h) h - gh h
    = cond K (fun h => F h - Fw t.+2 h) h + (E0 t.+2 (Fw t.+2) - mean) + cor t.+2 h.
  apply/eqP; rewrite subr_eq -addrA; apply/eqP.
  have -> : cor t.+2 h + gh h = \sum_(0 <= w < t.+3) cond K (fun h => cD w h + cor w h) h.
    by rewrite /gh tE addrC -big_nat_recr //=; apply: eq_bigr => w _; rewrite cor_eq.
  rewrite -cond_sum -[E0 _ _ - mean]scale1r -(K_kernel.2 h) scaler_suml -!big_split /=; apply: eq_bigr => o _.
  rewrite -!scalerDr; congr (_ *: _); rewrite /gh /= tE [in RHS]big_split /= [in RHS]sumrB D_sum ED_sum.
  exact: shuffle.
have g2_t : 4%:R * B * ((t%:R + c) * beta ^+ t.+1) <= g2 / (t%:R + t0).
  have s0 : 0 < t%:R + t0 by rewrite ltr_paddl ?ler0n.
  rewrite ler_pdivl_mulr // -!mulrA /g2 -mulrA ler_wpmul2l ?ler0n // ler_wpmul2l //.
  apply: le_trans (C2_le t); rewrite expr2 -mulrA; apply: ler_wpmul2l; first by rewrite addr_ge0 ?ler0n.
  rewrite mulrC; apply: ler_pmul; rewrite ?exprn_ge0 ?(ltW s0) //.
    by rewrite ler_add2l /c ler_addr (addr_ge0 (ler0n _ _) Z0).
  by rewrite exprS ler_pimull ?exprn_ge0 // ltW.
apply: (@entries_le_weak _ _ _ _ (4%:R * B * ((t%:R + c) * beta ^+ t.+1))).
  apply: (le_trans g2_t); apply: ler_wpmul2r; last by rewrite ler_addr.
  by rewrite invr_ge0 addr_ge0 ?ler0n // ltW.
apply: (@entries_le_weak _ _ _ _ (B * beta ^+ t.+1 + B * beta ^+ t.+1 + (t.+2%:R + Z) * e t.+2)); last first.
  apply: entries_leD (cor_le t.+2 h); apply: entries_leD.
    by apply: entries_le_weak (Bs t.+1) _; apply: cond_entries => h'; apply: near.
  exact: entries_le_weak (Bs t.+1) (close t.+2).
have -> : t.+2%:R = t%:R + 2%:R :> R by rewrite -addn2 natrD.
rewrite /e /= /c; move: (t%:R : R) (beta ^+ t.+1) (exprn_ge0 t.+1 b0) => x y y0; rewrite -subr_ge0.
have -> : 4%:R * B * ((x + (3%:R + Z + t0)) * y) - (B * y + B * y + (x + 2%:R + Z) * (4%:R * B * y))
   = 2%:R * B * y * (1 + 2%:R * t0) by ring.
by rewrite mulr_ge0 ?addr_ge0 ?ler01 // mulr_ge0 ?ler0n // ?mulr_ge0 ?ler0n // ltW.
Qed.
End FadingCorrection.

Section FadingRate.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis P_stochastic : stochastic P.
Hypothesis P_one_class : one_class P.
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Hypothesis init_distribution : distribution init.
Local Notation K := (observation_kernel state q init).
Local Notation E0 := (stationary_mean state q init d).
Local Notation fades := (fades state q init d).
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.

(* h ↦ G(h)y + b(h) *)
Lemma fades_affine beta B (G : seq O -> 'M[R]_m) Gw A (b : seq O -> 'cV[R]_m) bw bb (y : 'cV[R]_m) : 0 <= beta -> 0 <= B ->
  fades beta B G Gw A -> fades beta B b bw bb ->
  fades beta (B * total y + B) (fun h => G h *m y + b h) (fun w h => Gw w h *m y + bw w h) (A *m y + bb).
Proof.
move=> b0 B0 [G_loc G_near G_le G_mean] [b_loc b_near b_le b_mean]; have Bw w : 0 <= B * beta ^+ w by rewrite mulr_ge0 ?exprn_ge0.
have split w : (B * total y + B) * beta ^+ w = B * beta ^+ w * total y + B * beta ^+ w by rewrite mulrDl mulrAC.
have near (X X' : 'M[R]_m) (u u' : 'cV[R]_m) : X *m y + u - (X' *m y + u') = (X - X') *m y + (u - u').
  by rewrite mulmxBl opprD addrACA.
split=> [w h h' E|w h|w h|w].
- by rewrite (G_loc w _ _ E) (b_loc w _ _ E).
- by rewrite near split; apply: entries_leD; [apply: entries_le_mulr | apply: b_near].
- by apply: entries_leD; [apply: entries_le_mulr | apply: b_le].
rewrite (stationary_meanD state q init d) stationary_mean_mulr near split.
by apply: entries_leD; [apply: entries_le_mulr | apply: b_mean].
Qed.

Lemma window_fades w0 p r (F : seq O -> 'M[R]_(p, r)) : local w0.+1 F -> exists2 B, 0 <= B &
  fades 2%:R^-1 B F (fun w h => if (w0 <= w)%N then F h else 0) (E0 w0 F).
Proof.
move=> loc; have [T T0 T_le] := local_bounded (fun h => total_ge0 (F h)) (fun h h' E => congr1 (@total _ p r) (loc _ _ E)).
pose t := total (E0 w0 F); have t0 : 0 <= t := total_ge0 _; have Tt := addr_ge0 T0 t0.
have two (w : nat) : 0 <= 2%:R ^+ w :> R by rewrite exprn_ge0 ?ler0n.
have half w : 0 <= 2%:R^-1 ^+ w :> R by rewrite exprn_ge0 // invr_ge0 ler0n.
exists ((T + t) * 2%:R ^+ w0) => [|]; first exact: mulr_ge0.
have large w : (w <= w0)%N -> T + t <= (T + t) * 2%:R ^+ w0 * 2%:R^-1 ^+ w.
  move=> ww; rewrite -mulrA ler_pemulr // -(subnK ww) exprD -mulrA -exprMn mulfV ?pnatr_eq0 // expr1n mulr1.
  by rewrite exprn_ege1 // ler1n.
have ge0 w : 0 <= (T + t) * 2%:R ^+ w0 * 2%:R^-1 ^+ w by rewrite !mulr_ge0.
have F_le h e : T + t <= e -> entries_le (F h) e.
  by move=> le; apply: entries_le_weak (entries_le_total (F h)); apply: le_trans (T_le h) (le_trans _ le); rewrite ler_addl.
split=> [w h h' E|w h|w h|w]; case: (leqP w0 w) => ww.
- by apply: loc; have := congr1 (take w0.+1) E; rewrite !take_take.
- by [].
- by rewrite subrr => i j; rewrite mxE normr0.
- by rewrite subr0; apply/F_le/large/ltnW.
- by apply: F_le; rewrite ler_pemulr // exprn_ege1 // ler1n.
- by move=> i j; rewrite mxE normr0 mulr_ge0.
- by rewrite (stationary_mean_later init q_observes d_law loc ww) subrr => i j; rewrite mxE normr0.
rewrite (stationary_mean_const P_stochastic q_observes init_distribution d_law) sub0r; apply: entries_leN.
apply: entries_le_weak (entries_le_total _); apply: le_trans (large w (ltnW ww)); by rewrite ler_addr.
Qed.

Variables (theta : seq O -> 'cV[R]_m) (Q A : 'M[R]_m) (bb star : 'cV[R]_m) (a t0 c : R).
Variables (G : seq O -> 'M[R]_m) (b : seq O -> 'cV[R]_m).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_posdef : posdef Q.
Hypothesis descends : forall y : 'cV[R]_m, 2%:R * dot (Q *m y) (A *m y) <= - c * form Q y.
Hypothesis starE : A *m star + bb = 0.
Hypothesis a_gt0 : 0 < a.
Hypothesis t0_gt0 : 0 < t0.
Hypothesis ca_gt1 : 1 < c * a.
Hypothesis theta_step : forall o h,
  theta (o :: h) = theta h + harmonic a t0 (size h).-1 *: (G (o :: h) *m theta h + b (o :: h)).

Theorem fading_rate beta B Gw bw : 0 <= beta < 1 -> 0 <= B -> fades beta B G Gw A -> fades beta B b bw bb ->
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> beta01 B0 G_fades b_fades; have /andP[beta0 _] := beta01.
have [rho rho0 margin] := posdef_margin Q_posdef.
have Q_ge0 : possemidef Q by move=> y; have [->|/Q_posdef/ltW//] := eqVneq y 0; rewrite form0.
suff [kappa found] : exists kappa, rate K (fun h => form Q (theta h - star)) t0 kappa.
  by exists (kappa / rho); apply: (rate_le K_kernel rho0 _ found) => h; apply: margin.
have f_fades := fades_affine star beta0 B0 G_fades b_fades; rewrite starE in f_fades.
set B1 := B * total star + B in f_fades; have B10 : 0 <= B1 by rewrite addr_ge0 // mulr_ge0 // total_ge0.
have [gh [g1 g10 [gh_le gh_left]]] := fading_correction P_stochastic P_one_class q_observes d_law init_distribution archi
  beta01 B0 t0_gt0 G_fades.
have [fh [g2 g20 [fh_le fh_left]]] := fading_correction P_stochastic P_one_class q_observes d_law init_distribution archi
  beta01 B10 t0_gt0 f_fades.
pose e := g1 + (g2 + (2%:R * B + (2%:R * B1 + total A))); pose Cf := form_constant Q rho.
have Cf0 : 0 <= Cf by apply: form_constant_ge0.
have two (x : R) : 0 <= x -> 0 <= 2%:R * x by move=> x0; rewrite mulr_ge0 ?ler0n.
have tA0 : 0 <= total A := total_ge0 A.
have e3 : 0 <= 2%:R * B1 + total A := addr_ge0 (two _ B10) tA0.
have e2 := addr_ge0 (two _ B0) e3; have e1 := addr_ge0 g20 e2; have e0 : 0 <= e := addr_ge0 g10 e1.
have le1 : g1 <= e by rewrite ler_addl.
have le2 : g2 <= e by rewrite /e addrCA ler_addl (addr_ge0 g10 e2).
have le3 : 2%:R * B <= e by rewrite /e [g2 + _]addrCA addrCA ler_addl (addr_ge0 g10 (addr_ge0 g20 e3)).
have le4 : 2%:R * B1 <= e.
  by rewrite /e; apply: ler_paddl => //; apply: ler_paddl => //; apply: ler_paddl; [apply: two | rewrite ler_addl].
have le5 : total A <= e.
  rewrite /e; apply: ler_paddl => //; apply: ler_paddl => //; apply: ler_paddl; first exact: two.
  by rewrite ler_addr two.
have matrix_le (X : 'M[R]_m) y x : 0 <= x -> entries_le X x -> form Q (X *m y) <= Cf * x ^+ 2 * form Q y.
  exact: form_matrix_entries.
have vector_le (u : 'cV[R]_m) x : 0 <= x -> entries_le u x -> form Q u <= Cf * x ^+ 2 by exact: form_vector_entries.
have weak x : 0 <= x -> x <= e -> Cf * x ^+ 2 <= Cf * e ^+ 2.
  by move=> x0 xe; rewrite ler_wpmul2l // ler_sqr ?nnegrE.
have matrix_e (X : 'M[R]_m) y x : 0 <= x -> x <= e -> entries_le X x -> form Q (X *m y) <= Cf * e ^+ 2 * form Q y.
  by move=> x0 xe /matrix_le le; apply: le_trans (le y x0) _; rewrite ler_wpmul2r // weak.
have vector_e (u : 'cV[R]_m) x : 0 <= x -> x <= e -> entries_le u x -> form Q u <= Cf * e ^+ 2.
  by move=> x0 xe /vector_le le; apply: le_trans (le x0) (weak _ x0 xe).
have s0 k : 0 < k%:R + t0 by rewrite ltr_paddl ?ler0n.
have left_le g k : 0 <= g -> g <= e -> Cf * (g / (k%:R + t0)) ^+ 2 <= Cf * e ^+ 2 / (k%:R + t0) ^+ 2.
  by move=> g0 ge; rewrite expr_div_n mulrA ler_wpmul2r ?weak // invr_ge0 exprn_ge0 // ltW.
have si k : 0 <= (k%:R + t0)^-1 by rewrite invr_ge0 ltW.
apply: (@noise_rate R O K m Q archi K_kernel Q_sym Q_ge0 (fun h => theta h - star) G (fun h => G h *m star + b h) A gh fh
  a t0 c (Cf * e ^+ 2)) => //.
- by move=> o h; rewrite theta_step mulmxBr [_ - _ + (_ + _)]addrA subrK addrAC.
- move=> h y h0; apply: le_trans (matrix_le _ y _ (mulr_ge0 g10 (si _)) (gh_left h h0)) _.
  by rewrite ler_wpmul2r ?left_le.
- move=> h h0; apply: le_trans (left_le g2 (size h).-1 g20 le2); apply: vector_le; first exact: mulr_ge0.
  have -> : cond K (fun h => G h *m star + b h + fh h) h = cond K (fun h => G h *m star + b h - 0 + fh h) h.
    by apply: eq_bigr => o _; rewrite subr0.
  exact: fh_left.
- by move=> h y; apply: (matrix_e _ y _ (two _ B0) le3); apply: fades_bounded G_fades.
- by move=> h; apply: (vector_e _ _ (two _ B10) le4); apply: fades_bounded f_fades.
- by move=> y; apply: (matrix_e _ y _ tA0 le5); apply: entries_le_total.
- by move=> h y; apply: (matrix_e _ y _ g10 le1).
by move=> h; apply: (vector_e _ _ g20 le2).
Qed.

Theorem window_rate w : local w.+1 G -> local w.+1 b -> E0 w G = A -> E0 w b = bb ->
  exists kappa, rate K (fun h => dot (theta h - star) (theta h - star)) t0 kappa.
Proof.
move=> G_loc b_loc EA Eb; have [B B0 G_fades] := window_fades G_loc; have [B' B0' b_fades] := window_fades b_loc.
rewrite EA in G_fades; rewrite Eb in b_fades.
have half01 : 0 <= (2%:R^-1 : R) < 1 by rewrite invr_ge0 ler0n invf_lt1 ?ltr1n ?ltr0n.
have half0 : 0 <= 2%:R^-1 :> R by case/andP: half01.
have BB : B <= B + B' by rewrite ler_addl.
have BB' : B' <= B + B' by rewrite ler_addr.
exact: (fading_rate half01 (addr_ge0 B0 B0') (fades_weak half0 BB G_fades) (fades_weak half0 BB' b_fades)).
Qed.
End FadingRate.
