(* Claims: thm_4_3, deterministic_steps
   Place: §4, Assumption 1 and Theorem 4.3.
   Statement: θ_t → −A⁻¹b almost surely needs what it says about chain and steps. TD(0) with one feature φ = 1, γ = ½,
   reward 1 on leaving the first of two states: A = −½, b = ½, −A⁻¹b = 1 on both chains below.
       thm_4_3_ablation_aperiodicity      the two states alternate;
         α_t = 1/(t + 2) for even t, spent in the first state, and
                                          1/(t + 2)² for odd t: Σα = ∞, Σα² < ∞, and θ_t → 2 from every θ_0
       deterministic_steps_ablation_deterministic
                                          every next state is drawn evenly, α_t = 1/(t + 2) in the first state and
                                          1/(t + 2)² in the second: θ_t → 2; with 2/(t + 2) and 1/(t + 2)
                                          (…_every_path) Σα_t = ∞ and Σα_t² < ∞ on every path, and θ_t → 4/3
       thm_4_3_ablation_square_summable   the same chain, α_t = 1: θ_t does not converge to 1
       thm_4_3_ablation_divergent_sum     Σα_t < ∞: one state, reward 1, θ_0 = 0: −A⁻¹b = 2, and θ_t ≤ 1 for all t
   Reading: "almost surely" is tends_to_zero_as (Convergence.v). A step that follows the path is a function of s_t,
     …, s_0. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain KeyMatrices Examples KeyMatricesInstances Limits.
From TD Require Import Paths Sequences OneStep Convergence Markov Windows Steps thm_4_3 Refuted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Ablations.
Variable R : realFieldType.
Hypothesis archi : Num.archimedean_axiom R.
Implicit Types theta : 'cV[R]_1.

Definition phi {n} (s : 'I_n) : 'cV[R]_1 := const_mx 1.
Definition reward {n} (s : 'I_n.+1) : R := (s == 0)%:R.
Definition from_first {n} (s : 'I_n.+1) : R := (s == 0)%:R.
(* the states of the chain P are observed, the first has the law init *)
Definition states n (P : 'M[R]_n.+1) init := observation_kernel (fun i => i) (fun i j => P i j) init.
Definition td0 n (alpha : seq 'I_n.+1 -> R) theta := iterates alpha (td0_matrix 2%:R^-1 phi) (td0_vector phi reward)
  theta.

Lemma td0E n alpha theta (s' s : 'I_n.+1) h : td0 alpha theta [:: s', s & h] 0 0 =
  td0 alpha theta (s :: h) 0 0 + alpha (s :: h) * (reward s - td0 alpha theta (s :: h) 0 0 / 2%:R).
Proof.
rewrite /td0 td0_step; move: (iterates _ _ _ _ _ 0 0) => x; congr (_ + _ * (_ - _)).
by field.
Qed.

(* the iterates of Theorem 4.3, steps by the clock *)
Definition td1 n (alpha : nat -> R) theta : seq 'I_n.+1 -> 'cV[R]_1 :=
  td (fun i => i) (const_mx 1) (schedule [::]) 2%:R^-1 (fun i _ => reward i) alpha theta.

Lemma td1E n alpha theta (s' s : 'I_n.+1) h : td1 alpha theta [:: s', s & h] 0 0 =
  td1 alpha theta (s :: h) 0 0 + alpha (size h) * (reward s - td1 alpha theta (s :: h) 0 0 / 2%:R).
Proof.
rewrite {1}/td1 td_step -/(td1 alpha theta) -/(td1 alpha theta (s :: h)); move: (td1 alpha theta (s :: h)) => x.
have tr g : td_trace (fun i => i) (const_mx 1 : 'M[R]_(n.+1, 1)) (schedule [::]) g (s :: h) = const_mx 1.
  rewrite (@td_trace_finite _ _ _ _ _ _ _ 0) ?big_nat1; last by case=> [|[|j]].
  by rewrite c0 big_geq // mulr1 scale1r; apply/matrixP => i j; rewrite !mxE.
rewrite /td_matrix /td_vector [behead _]/= !tr /= mul1r scale1r; apply: (_ : (_ + _ *: (_ *m _ *m _ + _)) 0 0 = _).
rewrite !mxE big_ord1 !mxE big_ord1 !mxE.
have H (y z w : R) : y + z * (1 * (2%:R^-1 * 1 - 1) * y + w * 1) = y + z * (w - y / 2%:R) by field.
exact: H.
Qed.

Lemma sqdist_const n (theta : seq 'I_n -> 'cV[R]_1) c h : sqdist theta (const_mx c) h = (theta h 0 0 - c) ^+ 2.
Proof. by rewrite /sqdist dotE big_ord1 !mxE expr2. Qed.

Lemma states_kernel n (P : 'M[R]_n.+1) init : stochastic P -> distribution init -> kernel (states P init).
Proof. by move=> P_st; apply: observation_kernelP P_st (states_observe P_st). Qed.

(* A and b of the two chains: −A⁻¹b = 1 *)
Let Phi : 'M[R]_(2, 1) := const_mx 1.
Let r : 'cV[R]_2 := mx 2 1 [:: [:: 1]; [:: 0]].
Let half : 'M[R]_1 := mx 1 1 [:: [:: 2%:R^-1]].

Theorem thm_4_3_ablation_means : let A P := keyA (flip_law R) (2%:R^-1 *: P) Phi (schedule [::]) 0 in
  let b P := keyb (flip_law R) (2%:R^-1 *: P) r Phi (schedule [::]) 0 in
  [/\ A (flip R) = - half, b (flip R) = half, A (even R) = - half & b (even R) = half].
Proof. by split; by_key. Qed.

(* 1/(t + 2) for even t, 1/(t + 2)² for odd t *)
Definition clock_step t : R := if odd t then t.+2%:R^-1 ^+ 2 else t.+2%:R^-1.

Lemma harmonic11 k : harmonic 1 1 k = k.+1%:R^-1 :> R.
Proof. by rewrite /harmonic div1r [in RHS]mulrSr. Qed.

Lemma diverges_pairs (c d : nat -> R) : (forall t, 0 <= c t) -> (forall t, d t <= c t + c t.+1) -> diverges d ->
  diverges c.
Proof.
move=> c0 dc div M N; have [n [Nn big]] := div (2%:R * M) N; exists n.+1; split; first exact: leqW.
rewrite -(ler_pmul2l (ltr0Sn R 1)); apply: le_trans big _.
apply: (@le_trans _ _ (\sum_(N <= t < n) (c t + c t.+1))); first by apply: ler_sum => t _; apply: dc.
rewrite big_split /= mulr_natl mulr2n; apply: ler_add; first exact: sum_nat_le_right.
by rewrite -(big_add1 _ _ N n.+1 xpredT c) [X in _ <= X]big_ltn ?ler_addr.
Qed.

Lemma clock_step_gt0 k : 0 < clock_step k.
Proof. by rewrite /clock_step; case: ifP => _; rewrite ?exprn_gt0 // invr_gt0 ltr0n. Qed.

Lemma clock_step_diverges : diverges clock_step.
Proof.
apply: (@diverges_pairs _ (harmonic 1 3%:R)) => [t|t|]; first exact: ltW (clock_step_gt0 t).
  have -> : harmonic 1 3%:R t = t.+3%:R^-1 :> R by rewrite /harmonic div1r -natrD addn3.
  have le1 : t.+3%:R^-1 <= t.+2%:R^-1 :> R by rewrite lef_pinv ?posrE ?ltr0n // ler_nat.
  rewrite /clock_step /=; case: (odd t) => /=.
    by rewrite ler_addr sqr_ge0.
  by apply: le_trans le1 _; rewrite ler_addl sqr_ge0.
by apply: harmonic_diverges; rewrite ?ltr01 ?ltr0n.
Qed.

Lemma inverse_squares : summable (fun k => (k.+1%:R^-1 : R) ^+ 2).
Proof.
apply: (@summable_le _ 0 _ (fun k => harmonic 1 1 k ^+ 2)) => [k _|k|]; [by rewrite harmonic11 | exact: sqr_ge0 |].
by apply: harmonic_square; rewrite ?ltr01.
Qed.

Lemma inv_le1 k : 0 <= (k.+1%:R^-1 : R) <= 1.
Proof. exact: in01_invn. Qed.

Lemma shifted_squares : summable (fun k => (k.+2%:R^-1 : R) ^+ 2).
Proof.
move=> eps eps0; have [N small] := inverse_squares eps0; exists N => n;
  rewrite -(big_add1 _ _ N n.+1 xpredT (fun k => k.+1%:R^-1 ^+ 2)).
apply: le_trans (small n.+1); have [le|lt] := leqP N n; last by rewrite !big_geq // ltnW.
by rewrite [X in _ <= X]big_ltn ?ltnS // ler_addr sqr_ge0.
Qed.

Lemma clock_step_square : summable (fun k => clock_step k ^+ 2).
Proof.
apply: (@summable_le _ 0 _ (fun k => k.+2%:R^-1 ^+ 2)) shifted_squares => [k _|k]; last exact: sqr_ge0.
rewrite /clock_step; case: ifP => // _; rewrite -exprM.
by have /andP[x0 x1] := inv_le1 k.+1; apply: ler_wiexpn2l.
Qed.

Lemma tends_to_sqr (u : nat -> R) : tends_to u 0 -> tends_to (fun t => u t ^+ 2) 0.
Proof.
move=> lim eps eps0; have m0 : 0 < Num.min eps 1 by rewrite lt_minr eps0 ltr01.
have [N small] := lim _ m0; exists N => n /small; rewrite !subr0 normrX lt_minr => /andP[ue u1].
by apply: le_lt_trans ue; rewrite expr2 ler_pimull // ltW.
Qed.

(* Nothing is near both p and q. *)
Lemma not_both n (theta : seq 'I_n -> 'cV[R]_1) (p q : R) h : let e := (p - q) ^+ 2 / 4%:R in
  e <= sqdist theta (const_mx p) h \/ e <= sqdist theta (const_mx q) h.
Proof.
move=> e; rewrite /e /sqdist !dotE !big_ord1 !mxE; move: (theta h 0 0) => x.
have [le|lt] := leP ((p - q) ^+ 2 / 4%:R) ((x - p) * (x - p)); [by left | right].
have H : (x - q) * (x - q) - (p - q) ^+ 2 / 4%:R
    = 2%:R * (x - (p + q) / 2%:R) ^+ 2 + ((p - q) ^+ 2 / 4%:R - (x - p) * (x - p)) by field.
rewrite -subr_ge0 H; apply: addr_ge0; [apply: mulr_ge0; [exact: ler0n | exact: sqr_ge0] | by rewrite subr_ge0 ltW].
Qed.

Lemma other_limit n (K : seq 'I_n -> 'I_n -> R) (theta : seq 'I_n -> 'cV[R]_1) p q : kernel K -> p != q ->
  tends_to_zero_as K (sqdist theta (const_mx p)) -> ~ tends_to_zero_as K (sqdist theta (const_mx q)).
Proof.
move=> K_kernel pq; apply: (tends_to_zero_as_apart K_kernel _ (not_both theta p q)).
by rewrite divr_gt0 ?ltr0n // exprn_even_gt0 //= subr_eq0.
Qed.

(* θ_t → 2: with e = |2 − θ|, e′ = (1 − α_t/2)e in the first state and e′ ≤ e + α_t in the second *)
Theorem thm_4_3_ablation_aperiodicity theta0 :
  let theta := td1 clock_step theta0 in let K := states (flip R) from_first in
  [/\ forall t, 0 < clock_step t, diverges clock_step & summable (fun t => clock_step t ^+ 2)]
  /\ tends_to_zero_as K (sqdist theta (const_mx 2%:R)) /\ ~ tends_to_zero_as K (sqdist theta (const_mx 1)).
Proof.
move=> theta K; split.
  by split; [exact: clock_step_gt0 | exact: clock_step_diverges | exact: clock_step_square].
have K_kernel : kernel K.
  apply: (states_kernel (flip_stochastic R)); split=> [s|]; first by rewrite ler0n.
  by rewrite !big_ord_recl big_ord0 /= !addr0.
pose s t : 'I_2 := if odd t then 1 else 0.
have along : one_path K s by case=> [|t]; rewrite /= /s /=; last case: (odd t); rewrite ?mxE.
suff lim : tends_to_zero_as K (sqdist theta (const_mx 2%:R)).
  by split=> //; apply: (other_limit K_kernel _ lim); rewrite (eqr_nat _ 2 1).
apply: (tends_to_zero_along K_kernel along) => [h|]; first exact: dot_ge0.
pose x t := theta (history s t) 0 0; pose e t := `|2%:R - x t.+1|.
suff lim : tends_to e 0.
  move=> eps eps0; have [N small] := tends_to_sqr lim eps0; exists N.+1 => -[//|t] /small.
  by rewrite /theta sqdist_const /e real_normK ?num_real // -sqrrN opprB.
pose c t : R := (~~ odd t)%:R * (2%:R^-1 * t.+2%:R^-1); pose q t : R := t.+2%:R^-1 ^+ 2.
have c0 t : 0 <= c t by rewrite !mulr_ge0 ?ler0n ?invr_ge0 ?ler0n.
have a01 t : 0 <= clock_step t <= 1.
  rewrite ltW ?clock_step_gt0 //= /clock_step; have /andP[i0 i1] := inv_le1 t.+1.
  by case: ifP => _ //; apply: exprn_ile1.
have aE t : clock_step t / 2%:R * (~~ odd t)%:R = c t.
  by rewrite /c /clock_step; case: (odd t); rewrite /= ?mulr0 ?mul0r // mulr1 mul1r mulrC.
apply: (@decay_tends_to _ c q e) => [t|t|t|t||].
- have /andP[a0 a1] := a01 t; rewrite c0 -aE /=; case: (~~ _); rewrite ?mulr0 ?mulr1 ?ler01 //.
  by rewrite ler_pdivr_mulr ?ltr0n // mul1r (le_trans a1) // ler1n.
- exact: sqr_ge0.
- exact: normr_ge0.
- have step : 2%:R - x t.+2 = (1 - clock_step t / 2%:R) * (2%:R - x t.+1) + clock_step t * (odd t)%:R.
    rewrite /x [history s t.+2]/= /theta td1E -[s t :: _]/(history s t.+1) size_history.
    have -> : reward (s t) = 1 - (odd t)%:R by rewrite /reward /s; case: (odd t); rewrite /= ?subrr ?subr0.
    by move: (td1 _ _ _ 0 0) (clock_step _) (odd t)%:R => y a rw; field.
  have /andP[a0 a1] := a01 t; have e0 : 0 <= e t by apply: normr_ge0.
  have n0 : 0 <= 1 - clock_step t / 2%:R.
    by rewrite subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r (le_trans a1) // ler1n.
  rewrite [X in X <= _]/e step; apply: le_trans (ler_norm_add _ _) _.
  rewrite !normrM (ger0_norm n0) (ger0_norm a0) (ger0_norm (ler0n _ _)) -/(e t) -aE /q /clock_step.
  case: (odd t); rewrite /= ?mulr0 ?mulr1 ?subr0 ?addr0.
    rewrite ler_add //; apply: ler_wpmul2r => //; rewrite ler_add2l; apply: (@le_trans _ _ 0); last exact: sqr_ge0.
    by rewrite oppr_le0 mulr_ge0 ?sqr_ge0 // invr_ge0 ler0n.
  by rewrite -[X in X <= _]addr0 ler_add ?sqr_ge0 //; apply: ler_wpmul2r => //; rewrite ler_addl sqr_ge0.
- apply: (@diverges_pairs _ (harmonic 2%:R^-1 3%:R)) => [//|t|].
    have -> : harmonic 2%:R^-1 3%:R t = 2%:R^-1 * t.+3%:R^-1 :> R by rewrite /harmonic -natrD addn3.
    rewrite /c /=; case: (odd t) => /=; rewrite ?mul1r ?mul0r ?addr0 ?add0r // ler_pmul2l ?invr_gt0 ?ltr0n //.
    by rewrite lef_pinv ?posrE ?ltr0n // ler_nat.
  by apply: harmonic_diverges; rewrite ?invr_gt0 ?ltr0n.
exact: shifted_squares.
Qed.
End Ablations.

Section Iid.
Variable R : realFieldType.
Hypothesis archi : Num.archimedean_axiom R.

Lemma dot1 (y : 'cV[R]_1) : form 1%:M y = y 0 0 ^+ 2.
Proof. by rewrite /form mulmx1 -[LHS]/(dot y y) dotE big_ord1 expr2. Qed.

(* Every next state drawn evenly, steps a_t in the first state and b_t in the second, t = |h| *)
Definition by_state (a b : nat -> R) (h : seq 'I_2) : R := if head 0 h == 0 then a (size h) else b (size h).

(* θ′ = θ + α(r − θ/2): to θ* where a_t(1 − θ*/2) − b_tθ*/2 is small *)
Lemma even_limit init theta0 (a b c kap : nat -> R) star : distribution init ->
  (forall t, 0 <= c t <= 1) -> diverges c -> (forall t, 0 < kap t) -> summable kap ->
  (forall t, (a t / 2%:R) ^+ 2 <= kap t) -> (forall t, (b t / 2%:R) ^+ 2 <= kap t) ->
  (forall t, (a t * (1 - star / 2%:R)) ^+ 2 <= kap t) -> (forall t, (b t * (star / 2%:R)) ^+ 2 <= kap t) ->
  (forall t, ((a t * (1 - star / 2%:R) - b t * (star / 2%:R)) / 2%:R) ^+ 2 <= kap t ^+ 2) ->
  (forall t, (1 - (a t + b t) / 4%:R) ^+ 2 <= 1 - c t + kap t) ->
  tends_to_zero_as (states (even R) init) (sqdist (td0 (by_state a b) theta0) (const_mx star)).
Proof.
move=> init1 c01 c_div kap0 kap_sum a_le b_le ua_le ub_le u_mean drift.
set theta := td0 _ _; set K := states _ _.
have K_kernel : kernel K by apply: (states_kernel (even_stochastic R)).
have later s h : theta (s :: h) = theta (0 :: h).
  by case: h => [|s' h]; apply/matrixP => i j; rewrite !ord1 /theta ?td0E // /td0 !td0_start.
have step s h : theta [:: 0, s & h] 0 0 =
    theta (0 :: h) 0 0 + by_state a b (s :: h) * (reward R s - theta (0 :: h) 0 0 / 2%:R).
  by rewrite -(later s h); apply: td0E.
clearbody theta; pose x h : 'cV[R]_1 := theta (0 :: h) - const_mx star.
apply: (@tends_to_zero_as_behead _ _ K K_kernel (fun h => form 1%:M (x h))) => [s h|].
  by rewrite /form mulmx1 /sqdist later.
pose al (s : 'I_2) t : R := if s == 0 then a t.+1 else b t.+1.
pose U h : 'M[R]_1 := (- (by_state a b h / 2%:R))%:M.
pose u h : 'cV[R]_1 := const_mx (by_state a b h * (reward R (head 0 h) - star / 2%:R)).
pose Ub t : 'M[R]_1 := (- ((a t.+1 + b t.+1) / 4%:R))%:M.
have stepE s h : by_state a b (s :: h) = al s (size h) by [].
have mul1 (y : R) (z : 'cV[R]_1) : form 1%:M (y%:M *m z) = y ^+ 2 * form 1%:M z.
  by rewrite mul_scalar_mx !dot1 mxE exprMn.
have V0 (y : 'cV[R]_1) : 0 <= form 1%:M y by rewrite dot1 sqr_ge0.
apply: (@convergence _ _ K 1 1%:M K_kernel _ _ x U u Ub (fun _ _ => 0) (fun _ _ => 0) (fun t => c t.+1)
  (fun _ t => kap t.+1) 1%N) => //.
- exact: trmx1.
- move=> s h; apply/matrixP => i j; rewrite !ord1 /x mul_scalar_mx !mxE step.
  move: (theta _ 0 0) (by_state _ _ _) (reward _ _) => y z w.
  have H : y + z * (w - y / 2%:R) - star = y - star + (- (z / 2%:R) * (y - star) + z * (w - star / 2%:R)) by field.
  exact: H.
- move=> M N; have [n [Nn big]] := c_div M N.+1; exists n; split; first exact: ltnW.
  apply: le_trans big _; rewrite big_add1; apply: sum_nat_le_right; last exact: leq_pred.
  by move=> t; case/andP: (c01 t.+1).
- move=> eps eps0; have [N small] := kap_sum eps eps0; exists N => T.
  apply: le_trans (small T.+2); have [le|lt] := leqP N T.+1; last by rewrite !big_geq // ltnW.
  by rewrite -(big_add1 _ _ N T.+2 xpredT kap) [X in _ <= X]big_ltn ?ler_addr ?ltW // ltnW.
- by move=> _ s h y _; rewrite mul1 sqrrN ler_wpmul2r // stepE /al; case: ifP.
- move=> _ s h _; rewrite dot1 mxE stepE /al /reward [head _ _]/=; case: (s == 0) => //.
  by rewrite sub0r mulrN sqrrN.
- move=> _ t y _; rewrite mul1 sqrrN ler_wpmul2r //.
  have := a_le t.+1; have := b_le t.+1; move: (a _) (b _) (kap _) => v w k wk vk.
  rewrite -subr_ge0; have H : k - ((v + w) / 4%:R) ^+ 2
      = 2%:R^-1 * (k - (v / 2%:R) ^+ 2) + 2%:R^-1 * (k - (w / 2%:R) ^+ 2) + ((v - w) / 4%:R) ^+ 2 by field.
  by rewrite H !addr_ge0 ?sqr_ge0 // mulr_ge0 ?invr_ge0 ?ler0n ?subr_ge0.
- by move=> _ h y _; rewrite mul0mx form0 mulr_ge0 // ltW.
- by move=> _ h _; rewrite form0 ltW.
- by move=> _ s h y _; rewrite mul0mx form0 mulr_ge0 // ltW.
- by move=> _ s h _; rewrite form0 ltW.
- move=> _ h y /andP[h0 _]; rewrite (_ : _ - _ - 0 = 0); first by rewrite mul0mx form0 mulr_ge0 ?sqr_ge0.
  apply/matrixP => i j; rewrite !ord1; case: h h0 => [//|s h] _;
    rewrite !big_ord_recl big_ord0 !mxE /= !stepE /al /= !mxE.
  move: (a _) (b _) => v w; have H : 2%:R^-1 * (- (v / 2%:R) *+ 1 + 0)
    + (2%:R^-1 * (- (w / 2%:R) *+ 1 + 0) + 0) - - ((v + w) / 4%:R) *+ 1 - 0 = 0 by field.
  exact: H.
- move=> _ h /andP[h0 _]; rewrite dot1; case: h h0 => [//|s h] _; apply: le_trans (u_mean _).
  rewrite !big_ord_recl big_ord0 !mxE /= !stepE /al /reward /= !mxE; move: (a _) (b _) => v w; apply/eqW;
    congr (_ ^+ 2).
  have H : 2%:R^-1 * (v * (1 - star / 2%:R) + 0) + (2%:R^-1 * (w * (0 - star / 2%:R) + 0) + 0) - 0
    = (v * (1 - star / 2%:R) - w * (star / 2%:R)) / 2%:R by field.
  exact: H.
move=> _ t y _; rewrite -[X in X + _]mul1mx -mulmxDl -[1%:M + _]raddfD mul1; exact: ler_wpmul2r.
Qed.

Lemma quarter_steps : (forall t, 0 <= (t.+1%:R^-1 / 4%:R : R) <= 1) /\ diverges (fun t => t.+1%:R^-1 / 4%:R : R).
Proof.
have q0 : 0 < 4%:R^-1 :> R by rewrite invr_gt0 ltr0n.
split=> [t|M N].
  have /andP[y0 y1] := inv_le1 R t; have /andP[_ q1] := inv_le1 R 3%N.
  by rewrite mulr_ge0 ?(ltW q0) //= mulr_ile1 ?(ltW q0).
have [n [Nn big]] := harmonic_diverges archi q0 (@ltr01 R) M N; exists n; split=> //.
by apply: le_trans big _; apply/eqW; apply: eq_bigr => t _; rewrite /harmonic mulrC -[_ + 1]mulrSr.
Qed.

(* α_t = 1/(t + 1) in the first state, 1/(t + 1)² in the second: θ_t → 2 *)
Theorem deterministic_steps_ablation_deterministic init theta0 : distribution init ->
  let alpha := by_state (fun t => t.+1%:R^-1) (fun t => t.+1%:R^-1 ^+ 2) in
  let theta := td0 alpha theta0 in let K := states (even R) init in
  tends_to_zero_as K (sqdist theta (const_mx 2%:R)) /\ ~ tends_to_zero_as K (sqdist theta (const_mx 1)).
Proof.
move=> init1 alpha theta K; have K_kernel : kernel K by apply: (states_kernel (even_stochastic R)).
suff lim : tends_to_zero_as K (sqdist theta (const_mx 2%:R)).
  by split=> //; apply: (other_limit K_kernel _ lim); rewrite (eqr_nat _ 2 1).
have [c01 c_div] := quarter_steps.
have pos t : 0 < (t.+1%:R^-1 : R) ^+ 2 by rewrite exprn_gt0 // invr_gt0 ltr0n.
apply: (even_limit _ init1 c01 c_div pos (inverse_squares archi)) => t; rewrite -subr_ge0.
all: have /andP[] := inv_le1 R t; move: (t.+1%:R^-1) => y y0 y1.
all: have yy : 0 <= y ^+ 2 * (1 - y) * (1 + y) by rewrite !mulr_ge0 ?subr_ge0 ?addr_ge0 ?ler01.
all: have y2 := sqr_ge0 y; have q0 : 0 <= 4%:R^-1 :> R by rewrite invr_ge0 ler0n.
- have H : y ^+ 2 - (y / 2%:R) ^+ 2 = 3%:R * (4%:R^-1 * y ^+ 2) by field.
  by rewrite H !mulr_ge0 ?ler0n.
- have H : y ^+ 2 - (y ^+ 2 / 2%:R) ^+ 2 = 3%:R * (4%:R^-1 * y ^+ 2) + 4%:R^-1 * (y ^+ 2 * (1 - y) * (1 + y)) by field.
  by rewrite H addr_ge0 ?[0 <= 4%:R^-1 * _]mulr_ge0 // !mulr_ge0 ?ler0n.
- have H : y ^+ 2 - (y * (1 - 2%:R / 2%:R)) ^+ 2 = y ^+ 2 by field.
  by rewrite H.
- have H : y ^+ 2 - (y ^+ 2 * (2%:R / 2%:R)) ^+ 2 = y ^+ 2 * (1 - y) * (1 + y) by field.
  by rewrite H.
- have H : y ^+ 2 ^+ 2 - ((y * (1 - 2%:R / 2%:R) - y ^+ 2 * (2%:R / 2%:R)) / 2%:R) ^+ 2 = 3%:R * (4%:R^-1 * y ^+ 2 ^+
  2) by field.
  by rewrite H !mulr_ge0 ?ler0n ?sqr_ge0.
have H : 1 - y / 4%:R + y ^+ 2 - (1 - (y + y ^+ 2) / 4%:R) ^+ 2 = 4%:R^-1 * y + 5%:R * (4%:R^-1 * y ^+ 2)
    + 4%:R^-1 * (y * (1 - y)) * (4%:R^-1 * (3%:R * y + y ^+ 2)) by field.
rewrite H !addr_ge0 ?mulr_ge0 ?ler0n ?subr_ge0 //; apply: addr_ge0 => //.
by rewrite mulr_ge0 ?ler0n.
Qed.

(* α_t = 2/(t + 1) in the first state, 1/(t + 1) in the second: on every path Σα_t = ∞ and Σα_t² < ∞; θ_t → 4/3 *)
Theorem deterministic_steps_ablation_deterministic_every_path init theta0 : distribution init ->
  let alpha := by_state (fun t => 2%:R * t.+1%:R^-1) (fun t => t.+1%:R^-1) in
  let theta := td0 alpha theta0 in let K := states (even R) init in
  tends_to_zero_as K (sqdist theta (const_mx (4%:R / 3%:R))) /\ ~ tends_to_zero_as K (sqdist theta (const_mx 1)).
Proof.
move=> init1 alpha theta K; have K_kernel : kernel K by apply: (states_kernel (even_stochastic R)).
suff lim : tends_to_zero_as K (sqdist theta (const_mx (4%:R / 3%:R))).
  split=> //; apply: (other_limit K_kernel _ lim); rewrite -subr_eq0 (_ : _ - 1 = 3%:R^-1); last by field.
  by rewrite invr_eq0 pnatr_eq0.
have [c01 c_div] := quarter_steps.
have pos t : 0 < (t.+1%:R^-1 : R) ^+ 2 by rewrite exprn_gt0 // invr_gt0 ltr0n.
apply: (even_limit _ init1 c01 c_div pos (inverse_squares archi)) => t; rewrite -subr_ge0.
all: have /andP[] := inv_le1 R t; move: (t.+1%:R^-1) => y y0 y1; have y2 := sqr_ge0 y.
- have H : y ^+ 2 - (2%:R * y / 2%:R) ^+ 2 = 0 by field.
  by rewrite H.
- have H : y ^+ 2 - (y / 2%:R) ^+ 2 = 3%:R / 4%:R * y ^+ 2 by field.
  by rewrite H !mulr_ge0 ?invr_ge0 ?ler0n.
- have H : y ^+ 2 - (2%:R * y * (1 - 4%:R / 3%:R / 2%:R)) ^+ 2 = 5%:R / 9%:R * y ^+ 2 by field.
  by rewrite H !mulr_ge0 ?invr_ge0 ?ler0n.
- have H : y ^+ 2 - (y * (4%:R / 3%:R / 2%:R)) ^+ 2 = 5%:R / 9%:R * y ^+ 2 by field.
  by rewrite H !mulr_ge0 ?invr_ge0 ?ler0n.
- have H : y ^+ 2 ^+ 2 - ((2%:R * y * (1 - 4%:R / 3%:R / 2%:R) - y * (4%:R / 3%:R / 2%:R)) / 2%:R) ^+ 2 = y ^+ 2 ^+ 2
  by field.
  by rewrite H sqr_ge0.
have H : 1 - y / 4%:R + y ^+ 2 - (1 - (2%:R * y + y) / 4%:R) ^+ 2 = 5%:R / 4%:R * y + 7%:R / 16%:R * y ^+ 2 by field.
by rewrite H addr_ge0 ?mulr_ge0 ?invr_ge0 ?ler0n.
Qed.

(* Constant steps: θ′ = r + θ/2 is away from 1 now or at the next step. *)
Theorem thm_4_3_ablation_square_summable init theta0 : distribution init ->
  let theta := td1 (fun=> 1) theta0 in ~ tends_to_zero_as (states (even R) init) (sqdist theta (const_mx 1)).
Proof.
move=> init1 theta; apply: (@visits_all _ _ _ _ _ 9%:R^-1) => [||N].
- by apply: (states_kernel (even_stochastic R)).
- by rewrite invr_gt0 ltr0n.
exists N.+2; first by rewrite !leqW.
case=> [|s' [|s h]] // [sz]; set A := above _ _ _;
  rewrite -[visits _ _]/(A [:: s', s & h] || (A (s :: h) || visits A h)) orbA.
have [n1 n2] : (N <= size (s :: h))%N /\ (N <= size [:: s', s & h])%N by rewrite /= sz; split; rewrite !leqW.
apply/orP; left; rewrite /A /above n1 n2 /theta !sqdist_const td1E mul1r.
move: (td1 _ _ _ 0 0) => x; have [le|lt] := leP 9%:R^-1 ((x - 1) ^+ 2); first by rewrite orbT.
rewrite orbF; have : (reward R s - 2%:R^-1) ^+ 2 = 4%:R^-1.
  by rewrite /reward; case: (s == 0) => /=; field.
move: (reward R s) => r r2; have H : (x + (r - x / 2%:R) - 1) ^+ 2 - 9%:R^-1 = 3%:R^-1 * (r - 2%:R^-1 + 3%:R / 2%:R *
  (x - 1)) ^+ 2
    + 2%:R^-1 * (9%:R^-1 - (x - 1) ^+ 2) + 2%:R / 3%:R * ((r - 2%:R^-1) ^+ 2 - 4%:R^-1) by field.
rewrite -subr_ge0 H r2 subrr mulr0 addr0; apply: addr_ge0; apply: mulr_ge0; rewrite ?invr_ge0 ?ler0n ?sqr_ge0 //.
by rewrite subr_ge0 ltW.
Qed.

(* Steps 1/((k + 1)(k + 2)), one state, reward 1: A = −½, b = 1, −A⁻¹b = 2, and θ_t ≤ 1 from θ_0 = 0 *)
Theorem thm_4_3_ablation_divergent_sum : let alpha k : R := k.+1%:R^-1 - k.+2%:R^-1 in
  [/\ forall k, 0 < alpha k, summable alpha & summable (fun k => alpha k ^+ 2)]
  /\ ~ tends_to_zero_as (states (1%:M : 'M[R]_1) (fun=> 1)) (sqdist (td1 alpha 0) (const_mx 2%:R)).
Proof.
move=> alpha; have alpha0 k : 0 < alpha k by rewrite subr_gt0 ltf_pinv ?posrE ?ltr0n // ltr_nat.
have alpha1 k : alpha k <= 1.
  have /andP[_ y1] := inv_le1 R k; apply: le_trans y1; rewrite ger_addl oppr_le0 invr_ge0 ler0n //.
have lim : tends_to (fun k => k.+1%:R^-1 : R) 0.
  by apply: tends_to_ext (harmonic_tends_to_zero archi ltr01 ltr01) => k; rewrite harmonic11.
have sum : summable alpha by apply: (@summable_telescope _ 0%N _ _ _ _ lim) => // k; rewrite invr_ge0 ler0n.
split; first split=> //.
  apply: (@summable_le _ 0%N _ _ _ _ sum) => k; last exact: ltW.
  by move=> _; rewrite expr2 ler_pimull // ltW.
have far (h : seq (ordinal 1)) : 1 + (size h).-1.+1%:R^-1 <= 2%:R - td1 alpha 0 h 0 0 <= (2%:R : R).
  elim: h => [|s [|s0 h] IH].
  - by rewrite /td1 /= mxE subr0 invr1 lexx andbT.
  - by rewrite /td1 /= mxE subr0 invr1 lexx andbT.
  rewrite td1E; move: IH; move: (td1 _ _ _ 0 0) => x; rewrite (_ : reward R s0 = 1); last by rewrite /reward ord1 eqxx.
  have := alpha0 (size h); have /andP[] := inv_le1 R (size h); rewrite /alpha [size _]/= [_.-1]/=.
  rewrite -[(size [:: s, s0 & h]).-1.+1]/(size h).+2.
  move: (_.+1%:R^-1) (_.+2%:R^-1) => u v u0 _ a0 /andP[x0 x2]; apply/andP; split; rewrite -subr_ge0.
    have H : 2%:R - (x + (u - v) * (1 - x / 2%:R)) - (1 + v) = 2%:R - x - (1 + u) + (u - v) * (2%:R - (2%:R - x)) /
      2%:R by field.
    rewrite H; apply: addr_ge0; first by rewrite subr_ge0.
    by rewrite !mulr_ge0 ?(ltW a0) ?invr_ge0 ?ler0n // subr_ge0.
  have H : 2%:R - (2%:R - (x + (u - v) * (1 - x / 2%:R))) = 2%:R - (2%:R - x) + (u - v) * (2%:R - x) / 2%:R by field.
  rewrite H; apply: addr_ge0; first by rewrite subr_ge0.
  by rewrite !mulr_ge0 ?(ltW a0) ?invr_ge0 ?ler0n //; apply: le_trans x0; rewrite addr_ge0 ?ler01.
apply: (@visits_all _ _ _ _ _ 1) => [||N]; last 1 first.
- exists N => // h hN; suff A : above (sqdist (td1 alpha 0) (const_mx 2%:R)) N 1 h.
    by case: h A {hN} => [|s h] /= ->.
  rewrite /above hN leqnn sqdist_const -sqrrN opprB; have /andP[x1 _] := far h.
  by apply: exprn_ege1; apply: le_trans x1; rewrite ler_addl invr_ge0 ler0n.
- by apply: (states_kernel (one_state_stochastic R)); split=> [i|]; rewrite ?ler01 ?big_ord1.
exact: ltr01.
Qed.
End Iid.
