(* Linear recursions driven by a window of observations of a finite Markov chain: any deterministic steps, Assumption
   2. Only the chain of the states needs a limit law; the windows are never made a chain. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits.
From TD Require Import Paths Sequences OneStep Convergence Mixing Markov.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Signed.
Variables (R : realFieldType) (m : nat) (Q : 'M[R]_m) (S : finType).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).

Lemma form_signed (a : S -> R) (y : S -> 'cV[R]_m) B : (forall s, V (y s) <= B) ->
  V (\sum_s a s *: y s) <= (\sum_s `|a s|) ^+ 2 * B.
Proof.
move=> yB; set A := \sum_s `|a s|; have A0 : 0 <= A by apply: sumr_ge0.
have [AZ|An] := eqVneq A 0.
  have az s : a s = 0 by apply/eqP; rewrite -normr_eq0; apply/eqP; move/psumr_eq0P: AZ; apply=> // i _.
  by rewrite AZ expr0n mul0r big1 ?form0 // => s _; rewrite az scale0r.
have k_sum : \sum_s `|a s| / A = 1 by rewrite -mulr_suml divff.
have k_ge0 s : 0 <= `|a s| / A by rewrite divr_ge0.
rewrite (_ : \sum_s _ = \sum_s (`|a s| / A) *: ((A * Num.sg (a s)) *: y s)); last first.
  by apply: eq_bigr => s _; rewrite scalerA {1}[a s]numEsg; congr (_ *: _); rewrite mulrA divfK // mulrC.
apply: le_trans (form_jensen Q_sym Q_ge0 k_ge0 k_sum _) _; apply: (mean_bound k_ge0 k_sum) => s.
rewrite formZv exprMn -mulrA ler_wpmul2l ?sqr_ge0 //; apply: le_trans (yB s).
rewrite -[X in _ <= X]mul1r ler_wpmul2r ?Q_ge0 // sqr_sg.
by case: (_ != 0); rewrite ?lexx ?ler01.
Qed.
End Signed.

Section Chain.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1) (Q : 'M[R]_m).
Hypothesis P_stochastic : stochastic P.
Hypothesis q_observes : observes state P q.
Hypothesis init_distribution : distribution init.
Hypothesis d_law : law P d.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).
Local Notation K := (observation_kernel state q init).
Local Notation C := (@cond R _ K _).
Let K_kernel : kernel K := observation_kernelP P_stochastic q_observes init_distribution.

Lemma iter_cond_le k (F : seq O -> 'cV[R]_m) B h : (forall h, V (F h) <= B) -> V (iter k C F h) <= B.
Proof.
move=> FB; elim: k h => [|k IH] h //=; have [K_ge0 K_row] := K_kernel.
apply: le_trans (form_jensen Q_sym Q_ge0 (K_ge0 h) (K_row h) _) _.
exact: (mean_bound (K_ge0 h) (K_row h)).
Qed.

Lemma iter_cond_mul k (F : seq O -> 'M[R]_m) (y : 'cV[R]_m) h :
  iter k C F h *m y = iter k C (fun h => F h *m y) h.
Proof.
elim: k h => [|k IH] h //=; rewrite /cond mulmx_suml; apply: eq_bigr => s _.
by rewrite -scalemxAl IH.
Qed.

Lemma observe_le (F : seq O -> 'cV[R]_m) B i : (forall h, V (F h) <= B) -> V (observe q F i) <= B.
Proof.
have q1 : \sum_o q i o = 1 by rewrite (observes_sum _ q_observes) P_stochastic.2.
move=> FB; apply: le_trans (form_jensen Q_sym Q_ge0 (q_observes.1 i) q1 _) _.
exact: (mean_bound (q_observes.1 i) q1).
Qed.

(* A centred function of a window forgets summably fast. *)
Theorem window_mixing w B : 0 <= B ->
  exists2 r, (forall k, 0 < r k) /\ (exists Gam, forall N, \sum_(0 <= k < N) r k <= Gam) &
  forall F : seq O -> 'cV[R]_m, local w.+1 F -> stationary_mean state q init d w F = 0 ->
  forall Y, 0 <= Y -> (forall h, V (F h) <= B * Y) ->
  forall k h, (0 < size h)%N -> V (iter k.+1 C F h) <= r k ^+ 2 * Y.
Proof.
move=> B0; have [rho [rho0 rhoP] [Gam rho_sum]] := gap_summable P_stochastic d_law P_limit.
have B1 : 0 < B + 1 by rewrite ltr_paddl ?ltr01.
have BB : B <= (B + 1) ^+ 2.
  by rewrite -subr_ge0 (_ : _ - _ = B ^+ 2 + B + 1) ?addr_ge0 ?sqr_ge0 ?ler01 //; ring.
pose r k := (B + 1) * (if (k < w)%N then 1 else rho (k - w)%N).
have r0 k : 0 < r k by rewrite mulr_gt0 //; case: ifP.
exists r.
  split=> //; exists ((B + 1) * (w%:R + Gam)) => N; apply: (@le_trans _ _ (\sum_(0 <= k < w + N) r k)).
    by rewrite (@big_cat_nat _ _ _ N _ (w + N)) ?leq_addl //= ler_addl sumr_ge0 // => k _; apply: ltW.
  rewrite -mulr_sumr ler_pmul2l // (@big_cat_nat _ _ _ w) ?leq_addr //=; apply: ler_add.
    rewrite big_nat (eq_bigr (fun=> 1)) -?big_nat; last by move=> i /andP[_ ->].
    by rewrite big_const_nat subn0 iter_addr_0.
  rewrite -{1}[w]add0n big_addn addKn; apply: le_trans (rho_sum N).
  by apply: ler_sum => k _; rewrite ltnNge leq_addl /= addnK.
move=> F loc mean0 Y Y0 FB k [//|o h] _; rewrite /r; case: ifP => [kw|/negbT].
  rewrite mulr1; apply: le_trans (iter_cond_le _ _ FB) _; exact: ler_wpmul2r.
rewrite -leqNgt => wk; have {1}-> : k = (w + (k - w))%N by rewrite subnKC.
rewrite (@window_gap _ _ _ state q init _ P q_observes d w (k - w) F o h loc) mean0 add0r.
apply: le_trans (form_signed Q_sym Q_ge0 _ (fun i => observe_le i (fun h' => iter_cond_le w h' FB))) _.
rewrite exprMn mulrA [X in X * Y <= _]mulrC; apply: ler_wpmul2r => //; apply: ler_pmul => //; first exact: sqr_ge0.
rewrite ler_sqr ?nnegrE ?(ltW (rho0 _)) ?sumr_ge0 //; exact: rhoP.
Qed.

Variables (Lam : nat -> 'M[R]_m) (x : seq O -> 'cV[R]_m).
Variables (G : seq O -> 'M[R]_m) (f : seq O -> 'cV[R]_m) (Gb : 'M[R]_m).
Variables (N0 w : nat) (g : R) (a2 c : nat -> R).
Hypothesis x_step : forall s h, x (s :: h) = x h + Lam (size h) *m (G (s :: h) *m x h + f (s :: h)).
Hypothesis Lam_le : forall t (y : 'cV[R]_m), V (Lam t *m y) <= a2 t * V y.
Hypothesis a2_gt0 : forall t, 0 < a2 t.
Hypothesis a2_summable : summable a2.
Hypothesis c01 : forall t, (N0 <= t)%N -> 0 <= c t <= 1.
Hypothesis c_diverges : diverges c.
Hypothesis drift : forall t (y : 'cV[R]_m), (N0 <= t)%N -> V (y + Lam t *m (Gb *m y)) <= (1 - c t + g * a2 t) * V y.
Hypothesis g_gt0 : 0 < g.
Hypothesis G_le : forall h (y : 'cV[R]_m), V (G h *m y) <= g * V y.
Hypothesis f_le : forall h, V (f h) <= g.
Hypothesis Gb_le : forall y : 'cV[R]_m, V (Gb *m y) <= g * V y.
Hypothesis G_local : local w.+1 G.
Hypothesis f_local : local w.+1 f.
Hypothesis G_mean : stationary_mean state q init d w (fun h => G h - Gb) = 0.
Hypothesis f_mean : stationary_mean state q init d w f = 0.

Theorem markov_convergence : tends_to_zero_as K (fun h => V (x h)).
Proof.
have B0 : 0 <= 4%:R * g by rewrite mulr_ge0 ?ler0n // ltW.
have [r [r0 [Gam r_sum]] mix] := window_mixing w B0.
have V_ge0 y : 0 <= V y by apply: Q_ge0.
apply: (@mixing_convergence R _ K m Q K_kernel Q_sym Q_ge0 Lam x G f Gb x_step (maxn N0 1) g Gam a2 c r) => //.
- by move=> t; rewrite geq_max => /andP[/c01].
- by move=> t y; rewrite geq_max => /andP[/drift].
- move=> k h y; rewrite geq_max => /andP[_ h0]; rewrite iter_cond_mul; apply: mix => //.
  + by move=> h1 h2 E; rewrite (G_local E).
  + rewrite -[RHS](mul0mx _ y) -G_mean mulmx_suml; apply: eq_bigr => s _; rewrite -scalemxAl mulmx_suml.
    by congr (_ *: _); apply: eq_bigr => o _; rewrite -scalemxAl iter_cond_mul.
  + move=> h'; rewrite mulmxBl; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; rewrite formNv.
    apply: (@le_trans _ _ (2%:R * (g * V y + g * V y))); last by apply/eqW; ring.
    by rewrite ler_pmul2l ?ltr0n // ler_add.
- move=> k h; rewrite geq_max => /andP[_ h0]; rewrite -[X in _ <= X]mulr1; apply: mix => //; [exact: ler01 | move=> h'].
  rewrite mulr1; apply: le_trans (f_le _) _; by rewrite ler_pemull ?ler1n // ltW.
Qed.
End Chain.
