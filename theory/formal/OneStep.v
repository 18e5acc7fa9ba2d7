(* One step of x' = x + Ux + u, corrected by p x + p̂: the Lyapunov–Poisson inequality, with constants. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms.
From TD Require Import Paths.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Forms.
Variables (R : realFieldType) (m : nat) (Q : 'M[R]_m).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Local Notation V := (form Q).
Implicit Types x y z : 'cV[R]_m.

Lemma formZv a x : V (a *: x) = a ^+ 2 * V x.
Proof. by rewrite /form -scalemxAr linearZ /= -!scalemxAl !e00Z mulrA expr2. Qed.

Lemma formNv x : V (- x) = V x.
Proof. by rewrite -scaleN1r formZv sqrrN expr1n mul1r. Qed.

Lemma form_young kap x y : 0 < kap -> 2%:R * dot (Q *m x) y <= kap * V x + kap^-1 * V y.
Proof.
move=> k0; have := Q_ge0 (kap *: x - y); rewrite form_add // formZv formNv -scalemxAr dotZl dotC dotNl dotC.
move: (dot _ _) (V x) (V y) => b p q H.
rewrite -(ler_pmul2l k0) -subr_ge0 mulrDr [kap * (kap^-1 * q)]mulVKf ?gt_eqF //.
by apply: le_trans H _; apply/eqW; ring.
Qed.

Lemma form_add_le kap x y : 0 < kap -> V (x + y) <= (1 + kap) * V x + (1 + kap^-1) * V y.
Proof.
move=> /(form_young x y); rewrite form_add //; move: (dot _ _) (V x) (V y) (kap^-1) => b p q k' H.
rewrite -subr_ge0; apply: (@le_trans _ _ (kap * p + k' * q - 2%:R * b)); first by rewrite subr_ge0.
by apply/eqW; ring.
Qed.

Lemma form_add2 x y : V (x + y) <= 2%:R * (V x + V y).
Proof. by have := form_add_le x y ltr01; rewrite invr1 mulrDr. Qed.

Lemma form_add4 x y z w : V (x + y + (z + w)) <= 4%:R * (V x + V y + (V z + V w)).
Proof.
apply: le_trans (form_add2 _ _) _.
apply: (@le_trans _ _ (2%:R * (2%:R * (V x + V y) + 2%:R * (V z + V w)))); last by apply/eqW; ring.
by rewrite ler_pmul2l ?ltr0n //; apply: ler_add; apply: form_add2.
Qed.

Lemma form_add3 x y z : V (x + y + z) <= 3%:R * (V x + V y + V z).
Proof.
have h2 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
rewrite addrC; apply: le_trans (form_add_le _ _ (ltr0Sn R 1)) _.
have := form_add2 x y; move: (V (x + y)) (V x) (V y) (V z) => s a b c H.
apply: (@le_trans _ _ ((1 + 2%:R) * c + (1 + 2%:R^-1) * (2%:R * (a + b)))).
  by rewrite ler_add2l ler_wpmul2l // addr_ge0 ?ler01 ?ltW.
by apply/eqW; field.
Qed.

(* Averages *)
Section Mean.
Variables (S : finType) (k : S -> R).
Hypothesis k_ge0 : forall s, 0 <= k s.
Hypothesis k_sum : \sum_s k s = 1.

Lemma mean_bound (F : S -> R) B : (forall s, F s <= B) -> \sum_s k s * F s <= B.
Proof.
move=> FB; apply: (@le_trans _ _ (\sum_s k s * B)); last by rewrite -mulr_suml k_sum mul1r.
by apply: ler_sum => s _; apply: ler_wpmul2l.
Qed.

Lemma form_mean z (N : S -> 'cV[R]_m) :
  \sum_s k s * V (z + N s) = V z + 2%:R * dot (Q *m z) (\sum_s k s *: N s) + \sum_s k s * V (N s).
Proof.
under eq_bigr => s _ do rewrite form_add // !mulrDr.
rewrite !big_split /= -mulr_suml k_sum mul1r; congr (_ + _ + _).
rewrite /dot mulmx_sumr summxE mulr_sumr; apply: eq_bigr => s _.
by rewrite -scalemxAr e00Z mulrCA.
Qed.

Lemma form_jensen (N : S -> 'cV[R]_m) : V (\sum_s k s *: N s) <= \sum_s k s * V (N s).
Proof.
set z := \sum_s _; have := form_mean (- z) N; rewrite formNv -/z => E.
have : 0 <= \sum_s k s * V (- z + N s) by apply: sumr_ge0 => s _; rewrite mulr_ge0 // Q_ge0.
rewrite E mulmxN dotNl (_ : dot (Q *m z) z = V z); last by rewrite dotC /dot /form mulmxA.
by rewrite mulrN mulr_natl mulr2n opprD addrA subrr sub0r addrC subr_ge0.
Qed.

Lemma mean_square kap z (N : S -> 'cV[R]_m) : 0 < kap ->
  \sum_s k s * V (z + N s) <= (1 + kap) * V z + kap^-1 * V (\sum_s k s *: N s) + \sum_s k s * V (N s).
Proof.
move=> k0; rewrite form_mean ler_add2r mulrDl mul1r -addrA ler_add2l.
exact: form_young.
Qed.
End Mean.
End Forms.

(* Sums of columns, by entries; each identity of numbers is stated anew, in one group structure: ring does not see
   through the several that R carries. *)
Section Groups.
Variables (R : realFieldType) (m : nat).
Implicit Types x : 'cV[R]_m.
Lemma group1 x x1 x2 x3 x4 x5 x6 x7 :
  x + (x1 + x2) + x3 + x4 - (x + x5 + x6 + x7) = x1 + x2 + (x3 + x4) + (- (x5 + x6) + - x7).
Proof.
have H (y y1 y2 y3 y4 y5 y6 y7 : R) :
  y + (y1 + y2) + y3 + y4 - (y + y5 + y6 + y7) = y1 + y2 + (y3 + y4) + (- (y5 + y6) + - y7) by ring.
by apply/matrixP => i j; rewrite !mxE; apply: H.
Qed.
Lemma group2 x a1 a2 a3 a4 a5 a6 a7 a8 u q q' :
  x + (a4 + u) + (a3 + (a1 + a2)) + q' - (x + a8 + q + (a6 + a5 + a7))
  = a4 + a3 + (u + q') + (a1 + a2) - (a6 + a8 + q + (a5 + a7)).
Proof.
have H (y b1 b2 b3 b4 b5 b6 b7 b8 v r r' : R) :
  y + (b4 + v) + (b3 + (b1 + b2)) + r' - (y + b8 + r + (b6 + b5 + b7))
  = b4 + b3 + (v + r') + (b1 + b2) - (b6 + b8 + r + (b5 + b7)) by ring.
by apply/matrixP => i j; rewrite !mxE; apply: H.
Qed.
Lemma group3 a1 a2 a3 a5 a6 a7 q : a6 + a5 + a7 - (a2 + a3 + q + a1) = a6 - a2 - a3 + (a5 - q) + (a7 - a1) :> 'cV[R]_m.
Proof.
have H (b1 b2 b3 b5 b6 b7 r : R) : b6 + b5 + b7 - (b2 + b3 + r + b1) = b6 - b2 - b3 + (b5 - r) + (b7 - b1) by ring.
by apply/matrixP => i j; rewrite !mxE; apply: H.
Qed.
Lemma group4 x a ph : x = x + a + ph + - a + - ph.
Proof.
have H (y b q : R) : y = y + b + q + - b + - q by ring.
by apply/matrixP => i j; rewrite !mxE; apply: H.
Qed.
End Groups.

Section OneStep.
Variables (R : realFieldType) (m : nat) (Q : 'M[R]_m) (S : finType) (k : S -> R).
Hypothesis Q_sym : Q^T = Q.
Hypothesis Q_ge0 : possemidef Q.
Hypothesis k_ge0 : forall s, 0 <= k s.
Hypothesis k_sum : \sum_s k s = 1.
Local Notation V := (form Q).

Variables (x : 'cV[R]_m) (U : S -> 'M[R]_m) (u : S -> 'cV[R]_m) (Ub : 'M[R]_m).
Variables (p : 'M[R]_m) (ph : 'cV[R]_m) (p' : S -> 'M[R]_m) (ph' : S -> 'cV[R]_m).
Variables (c kap : R).
Hypothesis kap0 : 0 < kap.
Hypothesis kap6 : 6%:R * kap <= 1.
Hypothesis c0 : 0 <= c.

(* first-order quantities *)
Hypothesis U_le : forall s y, V (U s *m y) <= kap * V y.
Hypothesis u_le : forall s, V (u s) <= kap.
Hypothesis Ub_le : forall y, V (Ub *m y) <= kap * V y.
Hypothesis p_le : forall y, V (p *m y) <= kap * V y.
Hypothesis ph_le : V ph <= kap.
Hypothesis p'_le : forall s y, V (p' s *m y) <= kap * V y.
Hypothesis ph'_le : forall s, V (ph' s) <= kap.
(* the corrections solve the Poisson equation up to second order *)
Hypothesis p_poisson : V ((\sum_s k s *: (U s + p' s) - Ub - p) *m x) <= kap ^+ 2 * V x.
Hypothesis ph_poisson : V (\sum_s k s *: (u s + ph' s) - ph) <= kap ^+ 2.
(* the mean dynamics descends *)
Hypothesis drift : forall y, V (y + Ub *m y) <= (1 - c + kap) * V y.

Let v := x + p *m x + ph.
Let x' s := x + (U s *m x + u s).
Let v' s := x' s + p' s *m x' s + ph' s.
Let z := v + Ub *m v.
Let N s := v' s - z.
Let X := V x + 1.

Let V_ge0 y : 0 <= V y. Proof. exact: Q_ge0. Qed.
Let X_ge1 : 1 <= X. Proof. by rewrite ler_addr. Qed.
Let X_ge0 : 0 <= X. Proof. exact: le_trans X_ge1. Qed.
Let kap_ge0 : 0 <= kap := ltW kap0.
Let kap1 : kap <= 1.
Proof. by apply: le_trans kap6; rewrite ler_pemull // ler1n. Qed.

Let affine_le (B : 'M[R]_m) (w : 'cV[R]_m) : V (B *m x) <= kap * V x -> V w <= kap -> V (B *m x + w) <= 2%:R * kap * X.
Proof.
move=> Bx wk; apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _; rewrite -mulrA ler_pmul2l ?ltr0n //.
by rewrite /X mulrDr mulr1 ler_add.
Qed.

Let x'_le s : V (x' s) <= 6%:R * X.
Proof.
apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _.
have A := affine_le (U_le s x) (u_le s).
apply: (@le_trans _ _ (2%:R * (X + 2%:R * X))); last by apply/eqW; ring.
rewrite ler_pmul2l ?ltr0n //; apply: ler_add; first by rewrite ler_addl ler01.
apply: le_trans A _; rewrite -mulrA ler_pmul2l ?ltr0n //; exact: ler_pimull.
Qed.

Let N_E s : N s = (U s *m x + u s) + (p' s *m x' s + ph' s) + (- (p *m x + ph) + - (Ub *m v)).
Proof.
rewrite /N /v' /z /x' /v; move: (p' s *m _) => a; move: (Ub *m _) => b; move: (U s *m x) (p *m x) => e f.
exact: group1.
Qed.

Let N_le s : V (N s) <= 72%:R * kap * X + 4%:R * kap * V v.
Proof.
rewrite N_E; apply: le_trans (form_add4 Q_sym Q_ge0 _ _ _ _) _; rewrite !formNv.
have A1 := affine_le (U_le s x) (u_le s); have A2 := affine_le (p_le x) ph_le; have A4 := Ub_le v.
have A3 : V (p' s *m x' s + ph' s) <= 14%:R * kap * X.
  apply: le_trans (form_add2 Q_sym Q_ge0 _ _) _.
  apply: (@le_trans _ _ (2%:R * (kap * (6%:R * X) + kap * X))); last by apply/eqW; ring.
  rewrite ler_pmul2l ?ltr0n //; apply: ler_add.
    by apply: le_trans (p'_le _ _) _; apply: ler_wpmul2l.
  by apply: le_trans (ph'_le _) _; apply: ler_pemulr.
apply: (@le_trans _ _ (4%:R * (2%:R * kap * X + 14%:R * kap * X + (2%:R * kap * X + kap * V v)))).
  by rewrite ler_pmul2l ?ltr0n //; rewrite !ler_add.
by apply/eqW; ring.
Qed.

Let meanN_le : V (\sum_s k s *: N s) <= 20%:R * kap ^+ 2 * X.
Proof.
have E : \sum_s k s *: N s = (\sum_s k s *: (U s + p' s) - Ub - p) *m x + (\sum_s k s *: (u s + ph' s) - ph)
    + (\sum_s k s *: (p' s *m (U s *m x + u s)) + - (Ub *m (p *m x + ph))).
  have -> : \sum_s k s *: N s = \sum_s (k s *: (U s + p' s) *m x + k s *: (u s + ph' s)
      + k s *: (p' s *m (U s *m x + u s))) - \sum_s k s *: (Ub *m x + p *m x + ph + Ub *m (p *m x + ph)).
    rewrite -sumrB; apply: eq_bigr => s _; rewrite -scalemxAl -!scalerDr -scalerBr; congr (_ *: _).
    rewrite /N /v' /x' /z /v !(mulmxDr, mulmxDl).
    move: (p' s *m (U s *m x)) (p' s *m u s) (p' s *m x) => a1 a2 a3; move: (U s *m x) => a4.
    move: (Ub *m (p *m x)) (Ub *m x) (Ub *m ph) => a5 a6 a7; move: (p *m x) => a8.
    exact: group2.
  rewrite -scaler_suml k_sum scale1r !big_split /= -mulmx_suml !mulmxBl.
  move: (Ub *m (p *m x + ph)) (Ub *m x) => a1 a2; move: (p *m x) => a3.
  move: (\sum_s k s *: (U s + p' s)) (\sum_s k s *: (u s + ph' s)) => a4 a5; move: (a4 *m x) (\sum_s _) => a6 a7.
  exact: group3.
rewrite E; apply: le_trans (form_add4 Q_sym Q_ge0 _ _ _ _) _; rewrite formNv.
have A3 : V (\sum_s k s *: (p' s *m (U s *m x + u s))) <= 2%:R * kap ^+ 2 * X.
  apply: le_trans (form_jensen Q_sym Q_ge0 k_ge0 k_sum _) _.
  apply: (mean_bound k_ge0 k_sum) => s.
  apply: le_trans (p'_le _ _) _; apply: (@le_trans _ _ (kap * (2%:R * kap * X))); last by apply/eqW; ring.
  by apply: ler_wpmul2l => //; apply: affine_le.
have A4 : V (Ub *m (p *m x + ph)) <= 2%:R * kap ^+ 2 * X.
  apply: le_trans (Ub_le _) _; apply: (@le_trans _ _ (kap * (2%:R * kap * X))); last by apply/eqW; ring.
  by apply: ler_wpmul2l => //; apply: affine_le.
apply: (@le_trans _ _ (4%:R * (kap ^+ 2 * V x + kap ^+ 2 + (2%:R * kap ^+ 2 * X + 2%:R * kap ^+ 2 * X)))).
  by rewrite ler_pmul2l ?ltr0n //; rewrite !ler_add.
by rewrite /X; apply/eqW; ring.
Qed.

Let x_le : V x <= 6%:R * V v + 6%:R * kap.
Proof.
have E : x = v + - (p *m x) + - ph.
  by rewrite /v; move: (p *m x) => a; exact: group4.
have := form_add3 Q_sym Q_ge0 v (- (p *m x)) (- ph); rewrite -E !formNv => H.
have {}H : V x <= 3%:R * (V v + kap * V x + kap).
  by apply: le_trans H _; rewrite ler_pmul2l ?ltr0n //; rewrite !ler_add.
have half : 6%:R * kap * V x <= V x by apply: ler_pimull.
rewrite -(ler_add2r (V x)); apply: (@le_trans _ _ (2%:R * (3%:R * (V v + kap * V x + kap)))).
  by apply: (@le_trans _ _ (2%:R * V x)); [apply/eqW; ring | rewrite ler_pmul2l ?ltr0n].
rewrite (_ : 2%:R * _ = 6%:R * V v + 6%:R * kap + 6%:R * kap * V x); last by ring.
by rewrite ler_add2l.
Qed.

Theorem one_step : \sum_s k s * V (v' s) <= (1 - c + 600%:R * kap) * V v + 600%:R * kap.
Proof.
have E s : v' s = z + N s by rewrite /N addrC subrK.
under eq_bigr => s _ do rewrite E.
apply: le_trans (mean_square Q_sym Q_ge0 k_sum z N kap0) _.
have A1 : (1 + kap) * V z <= (1 - c + 3%:R * kap) * V v.
  apply: (@le_trans _ _ ((1 + kap) * ((1 - c + kap) * V v))).
    by apply: ler_wpmul2l; [rewrite addr_ge0 ?ler01 | apply: drift].
  rewrite mulrA; apply: ler_wpmul2r => //; rewrite -subr_ge0.
  rewrite (_ : _ - _ = kap * (c + (1 - kap))); last by ring.
  by rewrite mulr_ge0 // addr_ge0 // subr_ge0.
have A2 : kap^-1 * V (\sum_s k s *: N s) <= 20%:R * kap * X.
  rewrite -(ler_pmul2l kap0) mulVKf ?gt_eqF //; apply: le_trans meanN_le _.
  by apply/eqW; rewrite expr2; ring.
have A3 : \sum_s k s * V (N s) <= 72%:R * kap * X + 4%:R * kap * V v.
  exact: (mean_bound k_ge0 k_sum).
apply: le_trans (ler_add (ler_add A1 A2) A3) _.
have XX : X <= 6%:R * V v + 2%:R.
  rewrite /X -[2%:R]/(1 + 1) addrA ler_add2r; apply: le_trans x_le _.
  by rewrite ler_add2l.
rewrite -subr_ge0 (_ : _ - _ = 92%:R * kap * (6%:R * V v + 2%:R - X) + 41%:R * kap * V v + 416%:R * kap); last by ring.
by rewrite !addr_ge0 ?mulr_ge0 ?ler0n ?subr_ge0.
Qed.

Theorem state_bound : V x <= 6%:R * V v + 6%:R * kap.
Proof. exact: x_le. Qed.
Theorem corrected_bound : V v <= 3%:R * (2%:R * V x + kap).
Proof.
apply: le_trans (form_add3 Q_sym Q_ge0 _ _ _) _; rewrite ler_pmul2l ?ltr0n //.
apply: (@le_trans _ _ (V x + V x + kap)); last by apply/eqW; ring.
by rewrite !ler_add //; apply: le_trans (p_le _) _; apply: ler_pimull.
Qed.
End OneStep.
