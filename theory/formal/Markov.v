(* A finite Markov chain with lim P(s_t = j | s_0 = i) = d(j) forgets summably fast, and so does every function of a
   window of observations of it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits.
From TD Require Import Paths Sequences OneStep Convergence Mixing.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rows.
Variables (R : realFieldType) (n : nat).
Definition rows_le (B : 'M[R]_n) rho := forall i, \sum_j `|B i j| <= rho.
Lemma rows_le_mul A B a b : 0 <= b -> rows_le A a -> rows_le B b -> rows_le (A *m B) (a * b).
Proof.
move=> b0 Aa Bb i; apply: (@le_trans _ _ (\sum_j \sum_k `|A i k| * `|B k j|)).
  apply: ler_sum => j _; rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _.
  by apply: ler_sum => k _; rewrite normrM.
rewrite exchange_big /=; apply: (@le_trans _ _ (\sum_k `|A i k| * b)).
  by apply: ler_sum => k _; rewrite -mulr_sumr ler_wpmul2l.
by rewrite -mulr_suml ler_wpmul2r.
Qed.
End Rows.

Lemma tends_to_big (R : realFieldType) (I : Type) (r : seq I) (F : nat -> I -> R) (l : I -> R) :
  (forall k, tends_to (fun t => F t k) (l k)) -> tends_to (fun t => \sum_(k <- r) F t k) (\sum_(k <- r) l k).
Proof.
move=> Fl; elim: r => [|k r IH]; first by rewrite big_nil; apply: tends_to_ext (tends_to_const _) => t; rewrite big_nil.
by rewrite big_cons; apply: tends_to_ext (tends_to_add (Fl k) IH) => t; rewrite big_cons.
Qed.

(* A limit law, P(s_t = j | s_0 = i) → d(j) for all i and j (Assumption 2 of the paper), is stationary. *)
Lemma limit_law (R : realFieldType) n (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) : stochastic P ->
  (forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) -> law P d.
Proof.
move=> [P0 P1] lim; have power t : (forall i j, 0 <= (P ^+ t) i j) /\ forall i, \sum_j (P ^+ t) i j = 1.
  elim: t => [|t [IH0 IH1]]; split=> [i j|i].
  - by rewrite expr0 mxE ler0n.
  - by rewrite expr0 (bigD1 i) //= mxE eqxx big1 ?addr0 // => j ji; rewrite mxE eq_sym (negbTE ji).
  - by rewrite exprS mxE; apply: sumr_ge0 => k _; rewrite mulr_ge0.
  under eq_bigr => j _ do rewrite exprS mxE.
  by rewrite exchange_big /= -[RHS](P1 i); apply: eq_bigr => k _; rewrite -mulr_sumr IH1 mulr1.
split=> [j||].
- by apply: tends_to_ge0 (lim 0 j) => t; have [] := power t.
- apply: tends_to_unique (tends_to_big _ (lim 0)) _; apply: tends_to_ext (tends_to_const _) => t.
  by have [_ ->] := power t.
apply/matrixP => i j; rewrite (ord1 i) mxE.
have next : tends_to (fun t => (P ^+ t.+1) 0 j) (\sum_k d 0 k * P k j).
  apply: tends_to_ext (tends_to_big _ (F := fun t k => (P ^+ t) 0 k * P k j) _) => [t|k]; first by rewrite exprSr mxE.
  exact: tends_to_scaler (lim 0 k).
by apply: tends_to_unique next _; apply: tends_to_ext (tends_to_later 1 (lim 0 j)) => t; rewrite addn1.
Qed.

Section Halving.
Variables (R : realFieldType) (k0 : nat).
Hypothesis k0_gt0 : (0 < k0)%N.
Definition halving j : R := 2%:R * 2%:R^-1 ^+ (j %/ k0).
Lemma halving_gt0 j : 0 < halving j.
Proof. by rewrite mulr_gt0 ?ltr0n // exprn_gt0 // invr_gt0 ltr0n. Qed.
Lemma halving_sum n : \sum_(0 <= j < n) halving j <= (4 * k0)%:R.
Proof.
pose Phi j : R := halving j * (2 * k0 - j %% k0)%:R.
suff H m : \sum_(0 <= j < m) halving j + Phi m = (4 * k0)%:R.
  by rewrite -(H n) ler_addl mulr_ge0 ?ler0n // ltW // halving_gt0.
elim: m => [|m IH].
  rewrite big_geq // add0r /Phi /halving div0n mod0n expr0 subn0 mulr1 -natrM mulnA //.
rewrite big_nat_recr //= -IH -addrA; congr (_ + _).
have b_lt : (m %% k0 < k0)%N by rewrite ltn_mod.
rewrite /Phi /halving divnS // modnS; case: ifP => dv /=.
  have b1 : (m %% k0).+1 = k0.
    apply: (@addnI (m %/ k0 * k0)%N); rewrite addnS -divn_eq.
    by have := divn_eq m.+1 k0; rewrite modnS dv addn0 divnS // dv add1n mulSnr.
  rewrite subn0 add1n exprS.
  have -> : (2 * k0 - m %% k0)%N = k0.+1 by rewrite mul2n -addnn -{1}b1 addSn subSn ?leq_addr // addKn.
  rewrite natrM -[k0.+1]addn1 natrD; by field.
have -> : (2 * k0 - m %% k0)%N = (2 * k0 - (m %% k0).+1).+1.
  by rewrite subnSK // mul2n -addnn ltn_addr.
by move: (2 * k0 - (m %% k0).+1)%N => X; rewrite add0n [X.+1%:R]mulrS mulrDr mulr1.
Qed.
End Halving.

Section Mixing.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
(* Assumption 2 *)
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).

Definition gap t : 'M[R]_n.+1 := P ^+ t - ones *m d.

Let P_ones t : P ^+ t *m ones = ones.
Proof. by elim: t => [|t IH]; rewrite ?expr0 ?mul1mx // exprS -mulmxA IH stochastic_ones. Qed.
Let d_P t : d *m P ^+ t = d.
Proof. by case: d_law => _ _ dP; elim: t => [|t IH]; rewrite ?expr0 ?mulmx1 // exprS mulmxA dP. Qed.

Lemma gap_add a b : gap (a + b) = gap a *m gap b.
Proof.
rewrite /gap mulmxBl !mulmxBr -[in RHS]mulmxA d_P -[ones *m d *m (_ *m _)]mulmxA [d *m (_ *m _)]mulmxA (law_ones
  d_law) mul1mx.
by rewrite subrr subr0 mulmxA P_ones exprD.
Qed.

Lemma gap_le2 t : rows_le (gap t) 2%:R.
Proof.
have Pt_ge0 u i j : 0 <= (P ^+ u) i j.
  elim: u i j => [|u IH] i j; first by rewrite expr0 mxE ler0n.
  by rewrite exprS mxE; apply: sumr_ge0 => k _; rewrite mulr_ge0 // P_stochastic.1.
have Pt1 u i : \sum_j (P ^+ u) i j = 1.
  have := P_ones u => /matrixP/(_ i 0); rewrite !mxE => <-.
  by apply: eq_bigr => j _; rewrite mxE mulr1.
case: d_law => d0 d1 _ i; apply: (@le_trans _ _ (\sum_j ((P ^+ t) i j + d 0 j))).
  apply: ler_sum => j _; rewrite !mxE big_ord1 mxE mul1r; apply: le_trans (ler_norm_sub _ _) _.
  by rewrite !ger0_norm.
by rewrite big_split /= Pt1 d1.
Qed.

Lemma gap_half : exists2 k0, (0 < k0)%N & rows_le (gap k0) 2%:R^-1.
Proof.
have e0 : 0 < 2%:R^-1 / n.+1%:R :> R by rewrite divr_gt0 ?invr_gt0 ?ltr0n.
have [f fP] := fin_all_exists (fun ij : 'I_n.+1 * 'I_n.+1 => P_limit ij.1 ij.2 e0).
exists (\max_ij f ij).+1 => // i; set k := (\max_ij f ij).+1.
apply: (@le_trans _ _ (\sum_(j < n.+1) 2%:R^-1 / n.+1%:R)).
  apply: ler_sum => j _; rewrite !mxE big_ord1 mxE mul1r; apply: ltW; apply: (fP (i, j)).
  by apply: leqW; apply: leq_bigmax.
by rewrite sumr_const card_ord -mulr_natr divfK ?pnatr_eq0.
Qed.

Theorem gap_summable : exists2 rho, (forall k, 0 < rho k) /\ (forall k, rows_le (gap k) (rho k)) &
  exists Gam, forall m, \sum_(0 <= k < m) rho k <= Gam.
Proof.
have [k0 k0_gt0 half] := gap_half; exists (halving R k0); last by exists (4 * k0)%:R => m; apply: halving_sum.
split=> k; first exact: halving_gt0.
rewrite /halving {1}(divn_eq k k0); elim: (k %/ k0)%N => [|q IH].
  by rewrite mul0n add0n expr0 mulr1; apply: gap_le2.
rewrite mulSn -addnA gap_add exprS mulrCA; apply: rows_le_mul => //.
by rewrite mulr_ge0 ?ler0n // exprn_ge0 // invr_ge0 ler0n.
Qed.
End Mixing.

(* Observations: the state s_t and what came with it, o_t = (a_{t-1}, s_t), say, or (a_{t-1}, R_t, s_t): any finite
   set O with a map to the states. After a state i the next observation is o with probability q i o, whatever was
   seen before, and its state is j with probability P_ij. The states alone: O = 'I_n.+1, state = id, q = P
   [states_observe].

     observation_kernel state q init   the law of the observations, the first from init
     local w F                         F(h) depends on the last w observations only
     observe q F i                     E[F(o_{t+1}) | s_t = i]
     stationary_mean q d K w F         E_0 F(o_{t+1}, …, o_{t+1+w}), s_t with law d, K the law of the observations *)
Definition distribution (R : numDomainType) (S : finType) (p : S -> R) := (forall s, 0 <= p s) /\ \sum_s p s = 1.

Section Observations.
Variables (R : realFieldType) (n : nat) (O : finType) (state : O -> 'I_n.+1).

Definition observes (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) :=
  (forall i o, 0 <= q i o) /\ forall i j, \sum_(o | state o == j) q i o = P i j.

Lemma observes_sum P q i : observes P q -> \sum_o q i o = \sum_j P i j.
Proof. by case=> _ qP; rewrite (partition_big state xpredT) //=; apply: eq_bigr => j _; apply: qP. Qed.

Variables (q : 'I_n.+1 -> O -> R) (init : O -> R).
Definition observation_kernel (h : seq O) (o : O) : R := if h is o0 :: _ then q (state o0) o else init o.
Definition local (S W : Type) w (F : seq S -> W) := forall h h', take w h = take w h' -> F h = F h'.
Local Notation K := observation_kernel.

Lemma local_le (S W : Type) w w' (F : seq S -> W) : (w <= w')%N -> local w F -> local w' F.
Proof. by move=> ww loc h h' E; apply: loc; rewrite -(take_take ww h) E take_take. Qed.

Lemma observation_kernelP P : stochastic P -> observes P q -> distribution init -> kernel K.
Proof.
move=> [_ P_row] obs [init0 init1]; split=> [[|o0 h] o|[|o0 h]] //=; first exact: obs.1.
by rewrite (observes_sum _ obs).
Qed.

Variable W : lmodType R.
Local Notation C := (@cond R _ K W).
Definition observe (F : seq O -> W) i : W := \sum_o q i o *: F [:: o].
Definition stationary_mean (d : 'rV[R]_n.+1) w (F : seq O -> W) : W := \sum_i d 0 i *: observe (iter w C F) i.

Lemma cond_local w (F : seq O -> W) : local w.+2 F -> local w.+1 (C F).
Proof.
move=> loc h h' E; rewrite /cond; apply: eq_bigr => s _; congr (_ *: _); last by apply: loc; rewrite /= E.
by case: h h' E => [|s0 h] [|s1 h'] //= [->].
Qed.

Lemma iter_local w (F : seq O -> W) : local w.+1 F -> local 1 (iter w C F).
Proof. by elim: w F => [|w IH] F loc //; rewrite iterSr; apply: IH; apply: cond_local. Qed.

Variable P : 'M[R]_n.+1.
Hypothesis q_observes : observes P q.

Lemma sum_state (p : O -> R) (F : 'I_n.+1 -> W) :
  \sum_o p o *: F (state o) = \sum_j (\sum_(o | state o == j) p o) *: F j.
Proof.
rewrite (partition_big state xpredT) //=; apply: eq_bigr => j _; rewrite scaler_suml.
by apply: eq_bigr => o /eqP ->.
Qed.

Lemma observe_state (F : 'I_n.+1 -> W) i : \sum_o q i o *: F (state o) = \sum_j P i j *: F j.
Proof. by rewrite sum_state; apply: eq_bigr => j _; rewrite q_observes.2. Qed.

Lemma iter_power j (F : seq O -> W) o h : local 1 F ->
  iter j.+1 C F (o :: h) = \sum_i (P ^+ j) (state o) i *: observe F i.
Proof.
move=> loc; elim: j o h => [|j IH] o h.
  rewrite (bigD1 (state o)) //= expr0 mxE eqxx scale1r big1 ?addr0 => [|i /negbTE ne].
    by apply: eq_bigr => o' _; congr (_ *: _); apply: loc; rewrite /= ?take0.
  by rewrite mxE eq_sym ne scale0r.
rewrite -[LHS]/(\sum_o1 q (state o) o1 *: iter j.+1 C F (o1 :: o :: h)); under eq_bigr => o1 _ do rewrite IH.
rewrite (observe_state (fun s => \sum_i (P ^+ j) s i *: observe F i)); under eq_bigr => s1 _ do rewrite scaler_sumr.
rewrite exchange_big /=; apply: eq_bigr => i _; rewrite exprS mxE scaler_suml.
by apply: eq_bigr => s1 _; rewrite scalerA.
Qed.

Variable d : 'rV[R]_n.+1.
Theorem window_gap w j (F : seq O -> W) o h : local w.+1 F ->
  iter (w + j).+1 C F (o :: h) = stationary_mean d w F + \sum_i (gap P d j) (state o) i *: observe (iter w C F) i.
Proof.
move=> loc; rewrite -addSn addnC addnS -addSn iterD (iter_power _ _ _ (iter_local loc)) -big_split /=.
by apply: eq_bigr => i _; rewrite !mxE big_ord1 mxE mul1r -scalerDl addrC subrK.
Qed.
End Observations.

Lemma states_observe (R : realFieldType) n (P : 'M[R]_n.+1) : stochastic P ->
  observes (fun s => s) P (fun i j => P i j).
Proof. by case=> P0 _; split=> // i j; rewrite big_pred1_eq. Qed.
