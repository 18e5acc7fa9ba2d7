(* The convergence theorem for linear recursions with noise that a correction p, p̂ averages out. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms.
From TD Require Import Paths Sequences OneStep.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* P( max_{N ≤ t ≤ T} V(h_t) ≥ ε ) ≤ δ for all T ≥ N, N depending on ε and δ *)
Definition tends_to_zero_as (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) :=
  forall eps delta, 0 < eps -> 0 < delta ->
  exists N, forall T, (N <= T)%N -> prob K T (visits (above V N eps)) <= delta.

Lemma tends_to_zero_as_le (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V V' : seq S -> R) c : kernel K ->
  0 < c ->
  (forall h, c * V' h <= V h) -> tends_to_zero_as K V -> tends_to_zero_as K V'.
Proof.
move=> K_kernel c0 VV' conv eps delta eps0 delta0; have [N HN] := conv _ _ (mulr_gt0 c0 eps0) delta0.
exists N => T NT; apply: le_trans (HN T NT); apply: (prob_le K_kernel) => h _; apply: visits_sub => h' _.
by case/andP=> Nh le; rewrite /above Nh /=; apply: le_trans (VV' h'); rewrite ler_pmul2l.
Qed.

Section Convergence.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (m : nat) (Q : 'M[R]_m).
Hypothesis K_kernel : kernel K.
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Variables (x : seq S -> 'cV[R]_m) (U : seq S -> 'M[R]_m) (u : seq S -> 'cV[R]_m) (Ub : nat -> 'M[R]_m).
Variables (p : nat -> seq S -> 'M[R]_m) (ph : nat -> seq S -> 'cV[R]_m).
Variables (c : nat -> R) (kap : nat -> nat -> R) (N0 : nat).

Hypothesis x_step : forall s h, x (s :: h) = x h + (U (s :: h) *m x h + u (s :: h)).
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis kap_gt0 : forall T t, 0 < kap T t.
Hypothesis kap_small : forall eps, 0 < eps -> exists N, forall T, \sum_(N <= t < T.+1) kap T t <= eps.

Hypothesis U_le : forall T s h y, (N0 <= size h < T)%N -> V (U (s :: h) *m y) <= kap T (size h) * V y.
Hypothesis u_le : forall T s h, (N0 <= size h < T)%N -> V (u (s :: h)) <= kap T (size h).
Hypothesis Ub_le : forall T t y, (N0 <= t < T)%N -> V (Ub t *m y) <= kap T t * V y.
Hypothesis p_le : forall T h y, (N0 <= size h <= T)%N -> V (p T h *m y) <= kap T (size h) * V y.
Hypothesis ph_le : forall T h, (N0 <= size h <= T)%N -> V (ph T h) <= kap T (size h).
Hypothesis p_next : forall T s h y, (N0 <= size h < T)%N -> V (p T (s :: h) *m y) <= kap T (size h) * V y.
Hypothesis ph_next : forall T s h, (N0 <= size h < T)%N -> V (ph T (s :: h)) <= kap T (size h).
Hypothesis p_poisson : forall T h y, (N0 <= size h < T)%N ->
  V ((\sum_s K h s *: (U (s :: h) + p T (s :: h)) - Ub (size h) - p T h) *m y) <= kap T (size h) ^+ 2 * V y.
Hypothesis ph_poisson : forall T h, (N0 <= size h < T)%N ->
  V (\sum_s K h s *: (u (s :: h) + ph T (s :: h)) - ph T h) <= kap T (size h) ^+ 2.
Hypothesis drift : forall T t y, (N0 <= t < T)%N -> V (y + Ub t *m y) <= (1 - c t + kap T t) * V y.

Let v T h := x h + p T h *m x h + ph T h.
Let q T t := 600%:R * kap T t.
Let e T t := expect K t (fun h => V (v T h)).

Let V_ge0 y : 0 <= V y. Proof. exact: Q_ge0. Qed.
Let kap_ge0 T t : 0 <= kap T t. Proof. exact: ltW. Qed.
Let q_ge0 T t : 0 <= q T t. Proof. by rewrite mulr_ge0 ?ler0n. Qed.
Let e_ge0 T t : 0 <= e T t. Proof. by apply: expect_ge0. Qed.

(* one term of a small sum is small *)
Let term_le N T t eps : \sum_(N <= i < T.+1) kap T i <= eps -> (N <= t <= T)%N -> kap T t <= eps.
Proof.
move=> sum /andP[Nt tT]; apply: le_trans sum.
rewrite (big_cat_nat _ _ _ Nt (leqW tT)) /= (@big_ltn _ _ _ t) // addrCA ler_addl.
by rewrite addr_ge0 ?sumr_ge0.
Qed.

Let step T h : (N0 <= size h < T)%N -> 6%:R * kap T (size h) <= 1 ->
  mean K (fun h => V (v T h)) h <= (1 - c (size h) + q T (size h)) * V (v T h) + q T (size h).
Proof.
move=> hT k6; have /andP[N0h hltT] := hT.
have hT' : (N0 <= size h <= T)%N by rewrite N0h ltnW.
have [K_ge0 K_row] := K_kernel; have /andP[ch0 _] := c01 N0h.
rewrite /mean /v; under eq_bigr => s _ do rewrite x_step.
apply: (one_step Q_sym Q_ge0 (K_ge0 h) (K_row h) (kap_gt0 T (size h)) k6 ch0
   (U := fun s => U (s :: h)) (u := fun s => u (s :: h)) (Ub := Ub (size h))
   (p' := fun s => p T (s :: h)) (ph' := fun s => ph T (s :: h))) => *.
- exact: U_le.
- exact: u_le.
- exact: Ub_le.
- exact: p_le.
- exact: ph_le.
- exact: p_next.
- exact: ph_next.
- exact: p_poisson.
- exact: ph_poisson.
- exact: drift.
Qed.

Let sum_q a b T : \sum_(a <= t < b) q T t = 600%:R * \sum_(a <= t < b) kap T t.
Proof. by rewrite mulr_sumr. Qed.

Let sum_kap_le a b T : (b <= T.+1)%N -> \sum_(a <= t < b) kap T t <= \sum_(a <= t < T.+1) kap T t.
Proof. exact: sum_nat_le_right. Qed.

(* The second moments go to zero, uniformly in the horizon. *)
Theorem mean_square_convergence : exists2 N1, (N0 <= N1)%N &
  (forall T t, (N1 <= t <= T)%N -> 1200%:R * kap T t <= 1) /\
  forall eps, 0 < eps -> exists2 N, (N1 <= N)%N & forall T t, (N <= t <= T)%N -> e T t <= eps.
Proof.
have k0 : 0 < 1200%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have [N1' sum1] := kap_small k0; pose N1 := maxn N0 N1'; exists N1; first exact: leq_maxl.
have {}sum1 T : \sum_(N1 <= t < T.+1) kap T t <= 1200%:R^-1.
  apply: le_trans (sum1 T); have [le|lt] := leqP N1 T.+1; last first.
    by rewrite big_geq ?(ltnW lt) // sumr_ge0.
  by rewrite (@big_cat_nat _ _ _ N1 N1') //= ?leq_maxr // ler_addr sumr_ge0.
have small T t : (N1 <= t <= T)%N -> 1200%:R * kap T t <= 1.
  by move=> tT; rewrite -ler_pdivl_mull ?ltr0n // mulr1; apply: term_le tT.
split=> // eps eps0.
pose Bx := \sum_(h : N1.-tuple S) V (x h).
have x_le h : size h = N1 -> V (x h) <= Bx.
  move=> /eqP hN; rewrite /Bx (bigD1 (Tuple hN)) //= ler_addl.
  by apply: sumr_ge0 => i _.
pose B0 := 3%:R * (2%:R * Bx + 1); pose B := 2%:R * (B0 + 1).
have Bx0 : 0 <= Bx by apply: sumr_ge0.
have B0_ge0 : 0 <= B0 by rewrite mulr_ge0 ?ler0n // addr_ge0 ?ler01 // mulr_ge0 ?ler0n.
have B_gt0 : 0 < B by rewrite mulr_gt0 ?ltr0n // ltr_paddl ?ltr01.
pose eta := eps / (2%:R * B); have eta0 : 0 < eta by rewrite divr_gt0 // mulr_gt0 ?ltr0n.
have [N2' sum2] := kap_small (divr_gt0 eta0 (ltr0Sn R 599)).
pose N2 := maxn N1 N2'.
have [N3 [N23 big3]] := c_diverges (2%:R * B / eps) N2.
exists N3; first by apply: leq_trans N23; apply: leq_maxl.
move=> T n /andP[N3n nT]; have N3T := leq_trans N3n nT; have N12 : (N1 <= N2)%N := leq_maxl _ _.
have start : e T N1 <= B0.
  rewrite /e -[X in _ <= X](expect_const K_kernel N1); apply: expect_le => // h hN.
  have h01 : (N0 <= size h <= T)%N by rewrite hN leq_maxl (leq_trans N12) // (leq_trans N23).
  apply: le_trans (@corrected_bound _ _ _ Q_sym Q_ge0 (x h) (p T h) (ph T h) _ (kap_gt0 T (size h)) _ _ _) _.
  - apply: le_trans (small T (size h) _); last by rewrite hN leqnn (leq_trans N12) // (leq_trans N23).
    by rewrite ler_wpmul2r // ler_nat.
  - by move=> y; apply: p_le.
  - exact: ph_le.
  rewrite ler_pmul2l ?ltr0n // ler_add ?ler_pmul2l ?ltr0n ?x_le //.
  apply: le_trans (small T (size h) _); last by rewrite hN leqnn (leq_trans N12) // (leq_trans N23).
  by rewrite ler_pemull // ler1n.
have stepe t : (N1 <= t < T)%N -> e T t.+1 <= (1 - c t + q T t) * e T t + q T t.
  move=> /andP[N1t tT]; rewrite /e expectS -expect_affine //; apply: expect_le => // h ht.
  rewrite -ht; apply: step; first by rewrite ht tT andbT (leq_trans _ N1t) // leq_maxl.
  apply: le_trans (small T t _); last by rewrite N1t ltnW.
  by rewrite ht ler_wpmul2r // ler_nat.
have sumq1 : \sum_(N1 <= t < T) q T t <= 2%:R^-1.
  rewrite sum_q; apply: (@le_trans _ _ (600%:R * 1200%:R^-1)); last by apply/eqW; field.
  by rewrite ler_pmul2l ?ltr0n //; apply: le_trans (sum_kap_le _ (leqnSn _)) (sum1 T).
have sumq2 : \sum_(N2 <= t < T) q T t <= eta.
  rewrite sum_q mulrC -ler_pdivl_mulr ?ltr0n //; apply: le_trans (sum2 T).
  apply: le_trans (sum_kap_le _ (leqnSn _)) _; have [le|lt] := leqP N2 T.+1; last first.
    by rewrite big_geq ?(ltnW lt) // sumr_ge0.
  by rewrite (@big_cat_nat _ _ _ N2 N2') //= ?leq_maxr // ler_addr sumr_ge0.
have c01' t : (N1 <= t)%N -> 0 <= c t <= 1 by move=> N1t; apply: c01; apply: leq_trans N1t; apply: leq_maxl.
have := decay N12 c01' (q_ge0 T) (e_ge0 T) stepe sumq1 start sumq2 (introT andP (conj (leq_trans N23 N3n) nT)).
have {}big3 : 2%:R * B / eps <= \sum_(N2 <= t < n) c t.
  apply: le_trans big3 _; rewrite (big_cat_nat _ _ _ N23 N3n) /= ler_addl big_nat_cond.
  by apply: sumr_ge0 => t /andP[/andP[N3t _] _]; case/andP: (c01' t (leq_trans N12 (leq_trans N23 N3t))).
rewrite -/B; set s := \sum_(_ <= _ < _) _ in big3 *; move=> bound.
have s0 : 0 < 1 + s.
  apply: ltr_paddr ltr01; apply: le_trans big3; rewrite mulr_ge0 ?invr_ge0 ?ltW //.
  by rewrite mulr_gt0 ?ltr0n.
rewrite -(ler_pmul2r s0); apply: le_trans bound _.
have Beta : B * eta = eps / 2%:R by rewrite /eta; field; rewrite (gt_eqF B_gt0).
rewrite Beta -ler_subr_addr -mulrBl (_ : eps - eps / 2%:R = eps / 2%:R); last by field.
rewrite -ler_pdivr_mull ?divr_gt0 ?ltr0n //; apply: (@le_trans _ _ s); last by rewrite ler_addr ler01.
by apply: le_trans big3; apply/eqW; field; rewrite (gt_eqF eps0).
Qed.

Theorem convergence : tends_to_zero_as K (fun h => V (x h)).
Proof.
move=> eps delta eps0 delta0; have [N1 N01 [small moment]] := mean_square_convergence.
pose eps' := eps / 12%:R; have eps'0 : 0 < eps' by rewrite divr_gt0 ?ltr0n.
pose eta := Num.min 2%:R^-1 (eps' * delta / 5%:R).
have eta0 : 0 < eta by rewrite /eta lt_minr invr_gt0 ltr0n /= divr_gt0 ?ltr0n //; apply: mulr_gt0.
have eta2 : eta <= 2%:R^-1 by rewrite /eta le_minl lexx.
have eta1 : eta <= 1 by apply: le_trans eta2 _; rewrite invf_le1 ?ltr0n // ler1n.
have eta5 : 5%:R * eta <= eps' * delta.
  by rewrite -ler_pdivl_mull ?ltr0n // mulrC /eta le_minl lexx orbT.
have [N2 N12 e_le] := moment eta eta0.
have min0 : 0 < Num.min (eta / 600%:R) (eps / 12%:R) by rewrite lt_minr !divr_gt0 ?ltr0n.
have [Nq sumq] := kap_small min0.
pose N := maxn N2 Nq; exists N => T NT; have N2N : (N2 <= N)%N := leq_maxl _ _.
have N0N : (N0 <= N)%N := leq_trans N01 (leq_trans N12 N2N).
have {}sumq : \sum_(N <= t < T.+1) kap T t <= Num.min (eta / 600%:R) (eps / 12%:R).
  by apply: le_trans (sumq T); rewrite (@big_cat_nat _ _ _ N Nq) ?leq_maxr ?(leq_trans NT) //= ler_addr sumr_ge0.
have sq : \sum_(N <= t < T) q T t <= eta.
  rewrite sum_q mulrC -ler_pdivl_mulr ?ltr0n //; apply: le_trans (sum_kap_le _ (leqnSn _)) (le_trans sumq _).
  by rewrite le_minl lexx.
have kap12 t : (N <= t <= T)%N -> kap T t <= eps / 12%:R.
  by apply: term_le; apply: le_trans sumq _; rewrite le_minl lexx orbT.
have small6 t : (N <= t <= T)%N -> 6%:R * kap T t <= 1.
  move=> /andP[Nt tT]; apply: le_trans (small T t _); last by rewrite (leq_trans (leq_trans N12 N2N)).
  by rewrite ler_wpmul2r // ler_nat.
have V_step h : (N <= size h < T)%N ->
    mean K (fun h => V (v T h)) h <= (1 + q T (size h)) * V (v T h) + q T (size h).
  move=> /andP[Nh hT]; have N0h := leq_trans N0N Nh.
  apply: le_trans (step _ _) _; rewrite ?N0h ?small6 ?Nh ?(ltnW hT) // ler_add2r; apply: ler_wpmul2r => //.
  by rewrite ler_add2r ler_subl_addr ler_addl; case/andP: (c01 N0h).
have := maximal K_kernel (fun h => V_ge0 (v T h)) (q_ge0 T) (ltW eps'0) V_step NT.
set P := prob _ _ _; rewrite -/(e T N) => bound.
apply: (@le_trans _ _ P).
  apply: prob_le => // h hT; apply: visits_sub => h' hh' /andP[Nh' eps_le]; rewrite /above Nh' /=.
  have N0h' := leq_trans N0N Nh'; rewrite hT in hh'.
  have N0T : (N0 <= size h' <= T)%N by rewrite N0h' hh'.
  have NhT : (N <= size h' <= T)%N by rewrite Nh' hh'.
  have xv := state_bound Q_sym Q_ge0 (x h') (small6 _ NhT) (fun y => p_le y N0T) (ph_le N0T).
  have k12 := kap12 (size h') (introT andP (conj Nh' hh')).
  rewrite /eps' ler_pdivr_mulr ?ltr0n //; apply: le_trans (_ : 2%:R * eps - eps <= _); first by apply/eqW; ring.
  rewrite ler_subl_addr; apply: (@le_trans _ _ (2%:R * (6%:R * V (v T h') + 6%:R * kap T (size h')))).
    by rewrite ler_pmul2l ?ltr0n // (le_trans eps_le).
  rewrite mulrDr; apply: ler_add; first by apply/eqW; ring.
  by rewrite mulrA -natrM mulrC -ler_pdivl_mulr ?ltr0n.
rewrite -(ler_pmul2l eps'0); apply: le_trans eta5; rewrite -(ler_add2r 1).
apply: le_trans bound _.
have P2 := prod1D_le2 (q_ge0 T) sq eta2.
apply: (@le_trans _ _ ((1 + 2%:R * eta) * (eta + 1))).
  apply: ler_pmul => //; first by apply: prodr_ge0 => t _; rewrite addr_ge0 ?ler01.
  - by rewrite addr_ge0 ?ler01.
  - by rewrite ler_add2r e_le // N2N.
rewrite -subr_ge0 (_ : _ - _ = 2%:R * eta * (1 - eta)); last by ring.
by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 ?ler0n // ltW.
Qed.
End Convergence.
