(* The Schur test: how a non-negative matrix acts on the D-norm and on the form xᵀDQx.

   [schur d a Q] says of a matrix Q and weights d

       Q_ij ≥ 0,     Q𝟏 ≤ a𝟏,     dQ ≤ a d.

   A stochastic P with law d passes it with a = 1, γP with a = γ, M with a = κ; a discount that depends on the
   transition, N = P∘Γ, with the largest discount. Products and weighted sums pass it with the products and sums of
   their a's, and two facts about the D-norm follow, each from a sum of squares:

       ‖Qx‖²_D ≤ a² ‖x‖²_D                       [schur_norm]
       −a ‖x‖²_D ≤ xᵀDQx ≤ a ‖x‖²_D              [schur_form_ge, schur_form_le]

   Neither needs a period, irreducibility or d > 0. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition schur (R : realFieldType) n (d : 'rV[R]_n) (a : R) (Q : 'M[R]_n) :=
  [/\ forall i j, 0 <= Q i j,
      forall i, (Q *m ones) i 0 <= a * ones i 0 &
      forall j, (d *m Q) 0 j <= a * d 0 j].

Section SumsOfSquares.
Variables (R : realFieldType) (n : nat).
Implicit Types (p v : 'I_n -> R) (d : 'rV[R]_n) (Q : 'M[R]_n) (x : 'cV[R]_n).

Lemma lagrange p v :
  \sum_j \sum_k p j * p k * (v j - v k) ^+ 2
  = 2%:R * ((\sum_j p j) * (\sum_j p j * v j ^+ 2) - (\sum_j p j * v j) ^+ 2).
Proof.
have -> : 2%:R * ((\sum_j p j) * (\sum_j p j * v j ^+ 2) - (\sum_j p j * v j) ^+ 2)
  = (\sum_j p j * v j ^+ 2) * (\sum_k p k) + (\sum_j p j) * (\sum_k p k * v k ^+ 2)
    - ((\sum_j p j * v j) * (\sum_k p k * v k)) *+ 2 by ring.
rewrite !big_distrlr /= -sumrMnl -big_split -sumrB /=; apply: eq_bigr => j _.
by rewrite -sumrMnl -big_split -sumrB /=; apply: eq_bigr => k _; ring.
Qed.

Lemma weighted_cauchy_schwarz p v : (forall j, 0 <= p j) ->
  (\sum_j p j * v j) ^+ 2 <= (\sum_j p j) * \sum_j p j * v j ^+ 2.
Proof.
move=> p0; rewrite -subr_ge0 -(pmulr_rge0 _ (ltr0Sn R 1)) -lagrange.
by apply: sumr_ge0 => j _; apply: sumr_ge0 => k _; rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0.
Qed.

Lemma row_sumE Q i : (Q *m ones) i 0 = \sum_j Q i j.
Proof. by rewrite mxE; apply: eq_bigr => j _; rewrite mxE mulr1. Qed.

(* For s = 1 and s = −1: the squares are what keeps xᵀDQx between −a‖x‖² and a‖x‖². *)
Lemma dirichlet (s a : R) d Q x : s ^+ 2 = 1 ->
  2%:R * (a * sqnormD d x - s * dotD d x (Q *m x))
  = \sum_i d 0 i * x i 0 ^+ 2 * (a - (Q *m ones) i 0)
    + \sum_j x j 0 ^+ 2 * (a * d 0 j - (d *m Q) 0 j)
    + \sum_i \sum_j d 0 i * Q i j * (x i 0 - s * x j 0) ^+ 2.
Proof.
move=> s2.
have -> : \sum_i \sum_j d 0 i * Q i j * (x i 0 - s * x j 0) ^+ 2
  = \sum_i d 0 i * x i 0 ^+ 2 * (Q *m ones) i 0 + \sum_j x j 0 ^+ 2 * (d *m Q) 0 j
    - (s * dotD d x (Q *m x)) *+ 2.
  have -> : \sum_j x j 0 ^+ 2 * (d *m Q) 0 j = \sum_i \sum_j d 0 i * Q i j * x j 0 ^+ 2.
    rewrite exchange_big; apply: eq_bigr => j _ /=; rewrite mxE mulr_sumr.
    by apply: eq_bigr => i _; rewrite mulrC.
  rewrite dotDE mulr_sumr -sumrMnl -big_split -sumrB /=; apply: eq_bigr => i _.
  rewrite row_sumE [(Q *m x) i 0]mxE !mulr_sumr -sumrMnl -big_split -sumrB /=.
  apply: eq_bigr => j _; rewrite -[in RHS](mul1r (x j 0 ^+ 2)) -s2; ring.
have -> : \sum_i d 0 i * x i 0 ^+ 2 * (a - (Q *m ones) i 0)
  = a * sqnormD d x - \sum_i d 0 i * x i 0 ^+ 2 * (Q *m ones) i 0.
  by rewrite sqnormDE mulr_sumr -sumrB; apply: eq_bigr => i _; ring.
have -> : \sum_j x j 0 ^+ 2 * (a * d 0 j - (d *m Q) 0 j)
  = a * sqnormD d x - \sum_j x j 0 ^+ 2 * (d *m Q) 0 j.
  by rewrite sqnormDE mulr_sumr -sumrB; apply: eq_bigr => i _; ring.
ring.
Qed.
End SumsOfSquares.

Section SchurTest.
Variables (R : realFieldType) (n : nat) (d : 'rV[R]_n).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.
Implicit Types (Q : 'M[R]_n) (x : 'cV[R]_n).

Lemma schur_norm a Q x : 0 <= a -> schur d a Q -> sqnormD d (Q *m x) <= a ^+ 2 * sqnormD d x.
Proof.
move=> a0 [Q0 Q1 dQ]; rewrite !sqnormDE.
apply: (@le_trans _ _ (\sum_i d 0 i * (a * \sum_j Q i j * x j 0 ^+ 2))).
  apply: ler_sum => i _; rewrite ler_wpmul2l // mxE.
  apply: le_trans (weighted_cauchy_schwarz _ (Q0 i)) _; rewrite ler_wpmul2r //.
    by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?sqr_ge0.
  by rewrite -row_sumE (le_trans (Q1 i)) // mxE mulr1.
have -> : \sum_i d 0 i * (a * \sum_j Q i j * x j 0 ^+ 2) = a * \sum_j (d *m Q) 0 j * x j 0 ^+ 2.
  under eq_bigr => i _ do rewrite mulrCA mulr_sumr.
  rewrite -mulr_sumr exchange_big; congr (_ * _); apply: eq_bigr => j _ /=.
  by rewrite mxE mulr_suml; apply: eq_bigr => i _; rewrite mulrA.
rewrite expr2 -mulrA ler_wpmul2l // mulr_sumr; apply: ler_sum => j _.
by rewrite [leRHS]mulrA ler_wpmul2r ?sqr_ge0.
Qed.

Let schur_form a Q x (s : R) : s ^+ 2 = 1 -> (forall i j, 0 <= d 0 i * Q i j) -> schur d a Q ->
  s * dotD d x (Q *m x) <= a * sqnormD d x.
Proof.
move=> s2 dQ0 [Q0 Q1 dQ]; rewrite -subr_ge0 -(pmulr_rge0 _ (ltr0Sn R 1)) dirichlet //.
rewrite !addr_ge0 //; apply: sumr_ge0 => i _.
- apply: mulr_ge0; first by rewrite mulr_ge0 ?sqr_ge0.
  by rewrite subr_ge0 (le_trans (Q1 i)) // mxE mulr1.
- by apply: mulr_ge0; rewrite ?sqr_ge0 // subr_ge0.
by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?sqr_ge0.
Qed.

Lemma schur_form_le a Q x : schur d a Q -> dotD d x (Q *m x) <= a * sqnormD d x.
Proof.
move=> H; case: (H) => Q0 _ _; rewrite -[leLHS]mul1r.
by apply: schur_form H; rewrite ?expr1n // => i j; rewrite mulr_ge0.
Qed.

Lemma schur_form_ge a Q x : schur d a Q -> - (a * sqnormD d x) <= dotD d x (Q *m x).
Proof.
move=> H; case: (H) => Q0 _ _; rewrite ler_oppl -mulN1r.
by apply: schur_form H; rewrite ?sqrrN ?expr1n // => i j; rewrite mulr_ge0.
Qed.

(* The test is closed under products and non-negative combinations. *)
Lemma schur_id : schur d 1 1%:M.
Proof.
split=> [i j|i|j]; first by rewrite mxE ler0n.
  by rewrite mul1mx mul1r.
by rewrite mulmx1 mul1r.
Qed.

Lemma schur_mul a b Q Q' : 0 <= a -> 0 <= b -> schur d a Q -> schur d b Q' -> schur d (a * b) (Q *m Q').
Proof.
move=> a0 b0 [Q0 Q1 dQ] [Q0' Q1' dQ']; split=> [i j|i|j].
- by rewrite mxE; apply: sumr_ge0 => k _; rewrite mulr_ge0.
- rewrite -mulmxA mxE; apply: (@le_trans _ _ (\sum_j Q i j * (b * ones j 0))).
    by apply: ler_sum => j _; rewrite ler_wpmul2l.
  under eq_bigr => j _ do rewrite mulrCA.
  rewrite -mulr_sumr [leRHS]mulrAC [leLHS]mulrC ler_wpmul2r //.
  by have := Q1 i; rewrite mxE.
rewrite mulmxA mxE; apply: (@le_trans _ _ (\sum_i a * d 0 i * Q' i j)).
  by apply: ler_sum => i _; rewrite ler_wpmul2r.
under eq_bigr => i _ do rewrite -mulrA.
by rewrite -mulr_sumr -mulrA ler_wpmul2l //; have := dQ' j; rewrite mxE.
Qed.

Lemma schur_scale a b Q : 0 <= b -> schur d a Q -> schur d (b * a) (b *: Q).
Proof.
move=> b0 [Q0 Q1 dQ]; split=> [i j|i|j]; first by rewrite mxE mulr_ge0.
  by rewrite -scalemxAl mxE -mulrA ler_wpmul2l.
by rewrite -scalemxAr mxE -mulrA ler_wpmul2l.
Qed.

Lemma schur_add a b Q Q' : schur d a Q -> schur d b Q' -> schur d (a + b) (Q + Q').
Proof.
move=> [Q0 Q1 dQ] [Q0' Q1' dQ']; split=> [i j|i|j]; first by rewrite mxE addr_ge0.
  by rewrite mulmxDl mxE mulrDl ler_add.
by rewrite mulmxDr mxE mulrDl ler_add.
Qed.

Lemma schur_zero : schur d 0 0.
Proof.
split=> [i j|i|j]; first by rewrite mxE.
  by rewrite mul0mx mxE mul0r.
by rewrite mulmx0 mxE mul0r.
Qed.

Lemma schur_sum (I : eqType) (r : seq I) (a : I -> R) (F : I -> 'M[R]_n) :
  (forall k, k \in r -> schur d (a k) (F k)) -> schur d (\sum_(k <- r) a k) (\sum_(k <- r) F k).
Proof.
elim: r => [|k r IH] H; first by rewrite !big_nil; apply: schur_zero.
rewrite !big_cons; apply: schur_add; first by apply: H; rewrite mem_head.
by apply: IH => l lr; apply: H; rewrite in_cons lr orbT.
Qed.
End SchurTest.

(* P with its law, and any N between 0 and gP entrywise. *)
Lemma schur_law (R : realFieldType) n (P : 'M[R]_n) d : stochastic P -> law P d -> schur d 1 P.
Proof.
move=> Pst [d0 _ dP]; split=> [|i|j]; first by case: Pst.
  by rewrite stochastic_ones // mul1r.
by rewrite dP mul1r.
Qed.

Lemma schur_below (R : realFieldType) n (d : 'rV[R]_n) (g : R) (P N : 'M[R]_n) :
  0 <= g -> (forall i, 0 <= d 0 i) -> schur d 1 P -> (forall i j, 0 <= N i j <= g * P i j) -> schur d g N.
Proof.
move=> g0 d0 [P0 P1 dP] NgP.
have le i j : N i j <= g * P i j by case/andP: (NgP i j).
have gP1 i : (N *m ones) i 0 <= g * (P *m ones) i 0.
  by rewrite !row_sumE mulr_sumr; apply: ler_sum => j _.
have gdP j : (d *m N) 0 j <= g * (d *m P) 0 j.
  by rewrite !mxE mulr_sumr; apply: ler_sum => i _; rewrite mulrCA ler_wpmul2l.
split=> [i j|i|j]; first by case/andP: (NgP i j).
  by apply: le_trans (gP1 i) _; rewrite ler_wpmul2l // -[leRHS]mul1r.
by apply: le_trans (gdP j) _; rewrite ler_wpmul2l // -[leRHS]mul1r.
Qed.
