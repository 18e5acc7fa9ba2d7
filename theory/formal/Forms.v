(* Quadratic forms and weighted norms: the vocabulary of the claims about matrices.

   A vector is a column x : 'cV[R]_n, a matrix need not be symmetric.

     form A x       xᵀAx
     posdef A       xᵀAx > 0 for every x ≠ 0          negdef A    xᵀAx < 0 for every x ≠ 0
     possemidef A   xᵀAx ≥ 0 for every x
     sym A          ½ (A + Aᵀ)
     dotD d x y     xᵀDy, D = diag(d)
     sqnormD d x    ‖x‖²_D = xᵀDx = Σ_i d_i x_i²     (A4.1 of the paper)

   R is an ordered field, so that everything here speaks of the rationals and of the reals alike. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : realFieldType.

Definition form n (A : 'M[R]_n) (x : 'cV[R]_n) : R := (x^T *m A *m x) 0 0.
Definition posdef n (A : 'M[R]_n) := forall x : 'cV[R]_n, x != 0 -> 0 < form A x.
Definition negdef n (A : 'M[R]_n) := forall x : 'cV[R]_n, x != 0 -> form A x < 0.
Definition possemidef n (A : 'M[R]_n) := forall x : 'cV[R]_n, 0 <= form A x.
Definition sym n (A : 'M[R]_n) : 'M[R]_n := 2%:R^-1 *: (A + A^T).

Definition dot n (x y : 'cV[R]_n) : R := (x^T *m y) 0 0.
Definition dotD n (d : 'rV[R]_n) (x y : 'cV[R]_n) : R := (x^T *m diag_mx d *m y) 0 0.
Definition sqnormD n (d : 'rV[R]_n) (x : 'cV[R]_n) : R := form (diag_mx d) x.
End Definitions.

Section EntriesOf1x1.
Variable R : realFieldType.
Lemma e00D (X Y : 'M[R]_1) : (X + Y) 0 0 = X 0 0 + Y 0 0. Proof. by rewrite mxE. Qed.
Lemma e00N (X : 'M[R]_1) : (- X) 0 0 = - X 0 0. Proof. by rewrite mxE. Qed.
Lemma e00Z a (X : 'M[R]_1) : (a *: X) 0 0 = a * X 0 0. Proof. by rewrite mxE. Qed.
Lemma e00T (X : 'M[R]_1) : X^T 0 0 = X 0 0. Proof. by rewrite mxE. Qed.
Definition e00 := (e00D, e00N, e00Z).
End EntriesOf1x1.

Section Forms.
Variables (R : realFieldType) (n : nat).
Implicit Types (A B : 'M[R]_n) (x y z : 'cV[R]_n) (d : 'rV[R]_n).

Lemma formD A B x : form (A + B) x = form A x + form B x.
Proof. by rewrite /form mulmxDr mulmxDl e00. Qed.
Lemma formN A x : form (- A) x = - form A x.
Proof. by rewrite /form mulmxN mulNmx e00. Qed.
Lemma formB A B x : form (A - B) x = form A x - form B x.
Proof. by rewrite formD formN. Qed.
Lemma formZ a A x : form (a *: A) x = a * form A x.
Proof. by rewrite /form -scalemxAr -scalemxAl e00. Qed.
Lemma form0 A : form A 0 = 0.
Proof. by rewrite /form mulmx0 mxE. Qed.
Lemma formT A x : form A^T x = form A x.
Proof. by rewrite /form -[RHS]e00T !trmx_mul trmxK mulmxA. Qed.
Lemma form_sum (I : Type) (r : seq I) (P : pred I) (F : I -> 'M[R]_n) x :
  form (\sum_(i <- r | P i) F i) x = \sum_(i <- r | P i) form (F i) x.
Proof. by rewrite /form mulmx_sumr mulmx_suml summxE. Qed.
Lemma form_congruence m (Phi : 'M[R]_(n, m)) A (t : 'cV[R]_m) :
  form (Phi^T *m A *m Phi) t = form A (Phi *m t).
Proof. by rewrite /form trmx_mul !mulmxA. Qed.

Lemma form_sym A x : form (sym A) x = form A x.
Proof.
by rewrite /sym formZ formD formT -mulr2n -(mulr_natl (form A x)) mulKf ?pnatr_eq0.
Qed.

Lemma negdefN A : negdef A <-> posdef (- A).
Proof. by split=> H x /H; rewrite formN oppr_gt0. Qed.

(* A definite matrix is nonsingular: Ax = 0 gives xᵀAx = 0. *)
Lemma negdef_inj A x : negdef A -> A *m x = 0 -> x = 0.
Proof.
move=> neg Ax0; apply/eqP/negPn/negP => /neg.
by rewrite /form -mulmxA Ax0 mulmx0 mxE ltxx.
Qed.

Lemma posdef_inj A x : posdef A -> A *m x = 0 -> x = 0.
Proof.
move=> pos Ax0; apply/eqP/negPn/negP => /pos.
by rewrite /form -mulmxA Ax0 mulmx0 mxE ltxx.
Qed.

Lemma inj_unitmx A : (forall x, A *m x = 0 -> x = 0) <-> A \in unitmx.
Proof.
split=> [inj|uA x Ax0]; last by rewrite -[x](mulKmx uA) Ax0 mulmx0.
rewrite unitmxE unitfE -det_tr; apply/det0P => -[v v0 vA].
by move/negP: v0; apply; rewrite -(trmxK v) (inj v^T) ?trmx0 // -[A]trmxK -trmx_mul vA trmx0.
Qed.

Lemma negdef_unitmx A : negdef A -> A \in unitmx.
Proof. by move=> neg; apply/inj_unitmx => x; apply: negdef_inj. Qed.
Lemma posdef_unitmx A : posdef A -> A \in unitmx.
Proof. by move=> pos; apply/inj_unitmx => x; apply: posdef_inj. Qed.

Lemma dotC x y : dot x y = dot y x.
Proof. by rewrite /dot -[LHS]e00T trmx_mul trmxK. Qed.
Lemma dotE x y : dot x y = \sum_i x i 0 * y i 0.
Proof. by rewrite /dot mxE; apply: eq_bigr => i _; rewrite mxE. Qed.
Lemma dotDl x y z : dot (x + y) z = dot x z + dot y z.
Proof. by rewrite /dot linearD mulmxDl e00. Qed.
Lemma dotZl a x z : dot (a *: x) z = a * dot x z.
Proof. by rewrite /dot linearZ -scalemxAl e00. Qed.
Lemma dotNl x z : dot (- x) z = - dot x z.
Proof. by rewrite -scaleN1r dotZl mulN1r. Qed.
Lemma dotZ2 a z : dot (a *: z) (a *: z) = a ^+ 2 * dot z z.
Proof. by rewrite dotZl dotC dotZl mulrA expr2. Qed.
Lemma dot_ge0 x : 0 <= dot x x.
Proof. by rewrite dotE; apply: sumr_ge0 => i _; rewrite -expr2 sqr_ge0. Qed.
Lemma dot_gt0 x : x != 0 -> 0 < dot x x.
Proof.
move=> x0; rewrite lt_neqAle dot_ge0 andbT eq_sym; apply: contra x0 => /eqP.
rewrite dotE => /psumr_eq0P E; apply/eqP/matrixP => i j; rewrite (ord1 j) mxE.
have /eqP := E (fun k _ => ltac:(by rewrite -expr2 sqr_ge0)) i isT.
by rewrite mulf_eq0 orbb => /eqP.
Qed.

Lemma dotDE d x y : dotD d x y = \sum_i d 0 i * x i 0 * y i 0.
Proof.
rewrite /dotD mxE; apply: eq_bigr => i _; rewrite mul_mx_diag !mxE; congr (_ * _).
exact: mulrC.
Qed.
Lemma sqnormDE d x : sqnormD d x = \sum_i d 0 i * x i 0 ^+ 2.
Proof. by rewrite [LHS]dotDE; apply: eq_bigr => i _; rewrite expr2 mulrA. Qed.
Lemma dotDC d x y : dotD d x y = dotD d y x.
Proof. by rewrite !dotDE; apply: eq_bigr => i _; ring. Qed.
Lemma dotDxx d x : dotD d x x = sqnormD d x.
Proof. by []. Qed.
Lemma dotDDr d x y z : dotD d x (y + z) = dotD d x y + dotD d x z.
Proof. by rewrite /dotD mulmxDr e00. Qed.
Lemma dotDZr d a x y : dotD d x (a *: y) = a * dotD d x y.
Proof. by rewrite /dotD -scalemxAr e00. Qed.
Lemma dotDBr d x y z : dotD d x (y - z) = dotD d x y - dotD d x z.
Proof. by rewrite -scaleN1r dotDDr dotDZr mulN1r. Qed.
Lemma form_diag d A x : form (diag_mx d *m A) x = dotD d x (A *m x).
Proof. by rewrite /form /dotD !mulmxA. Qed.

Lemma sqnormDD d x y : sqnormD d (x + y) = sqnormD d x + (dotD d x y) *+ 2 + sqnormD d y.
Proof.
rewrite !sqnormDE dotDE -sumrMnl -!big_split /=; apply: eq_bigr => i _.
by rewrite mxE; move: (d 0 i) (x i 0) (y i 0) => e a b; ring.
Qed.

Lemma sqnormDZ d a x : sqnormD d (a *: x) = a ^+ 2 * sqnormD d x.
Proof. by rewrite !sqnormDE mulr_sumr; apply: eq_bigr => i _; rewrite mxE exprMn mulrCA. Qed.

Lemma dotDZ d a b x y : dotD d (a *: x) (b *: y) = a * b * dotD d x y.
Proof.
rewrite !dotDE mulr_sumr; apply: eq_bigr => i _; rewrite !mxE.
by move: (d 0 i) (x i 0) (y i 0) => e u v; ring.
Qed.

Lemma sqnormD_ge0 d x : (forall i, 0 <= d 0 i) -> 0 <= sqnormD d x.
Proof. by move=> d0; rewrite sqnormDE; apply: sumr_ge0 => i _; rewrite mulr_ge0 ?sqr_ge0. Qed.

Lemma sqnormD_eq0 d x : (forall i, 0 <= d 0 i) -> sqnormD d x = 0 -> diag_mx d *m x = 0.
Proof.
move=> d0 /eqP; rewrite sqnormDE => /eqP/psumr_eq0P E; apply/matrixP => i j.
rewrite (ord1 j) mul_diag_mx !mxE; apply/eqP.
have /eqP := E (fun k _ => mulr_ge0 (d0 k) (sqr_ge0 _)) i isT.
by rewrite !mulf_eq0 orbb.
Qed.

Lemma sqnormD_gt0 d x : (forall i, 0 < d 0 i) -> x != 0 -> 0 < sqnormD d x.
Proof.
move=> d0 x0; have dge0 i := ltW (d0 i).
rewrite lt_neqAle sqnormD_ge0 // andbT eq_sym; apply: contra x0 => /eqP/(sqnormD_eq0 dge0)/matrixP E.
apply/eqP/matrixP => i j; move: (E i j); rewrite mul_diag_mx !mxE => /eqP.
by rewrite mulf_eq0 (gt_eqF (d0 i)) => /eqP.
Qed.

(* hᵀQh is at most (Σ_ij |Q_ij|) hᵀh. *)
Lemma form_bound (Q : 'M[R]_n) (h : 'cV[R]_n) : `|form Q h| <= (\sum_i \sum_j `|Q i j|) * dot h h.
Proof.
have sq_le i : h i 0 ^+ 2 <= dot h h.
  rewrite dotE (bigD1 i) //= -expr2; apply: ler_paddr => //.
  by apply: sumr_ge0 => k _; rewrite -expr2 sqr_ge0.
have hh_le i j : `|h i 0 * h j 0| <= dot h h.
  rewrite normrM -(ler_pmul2l (ltr0Sn R 1)).
  apply: (@le_trans _ _ (`|h i 0| ^+ 2 + `|h j 0| ^+ 2)).
    rewrite -subr_ge0.
    have -> : `|h i 0| ^+ 2 + `|h j 0| ^+ 2 - 2%:R * (`|h i 0| * `|h j 0|) = (`|h i 0| - `|h j 0|) ^+ 2.
      by move: `|h i 0| `|h j 0| => a b; ring.
    exact: sqr_ge0.
  by rewrite !real_normK ?num_real // mulr_natl mulr2n ler_add.
have -> : form Q h = \sum_i \sum_j Q i j * (h i 0 * h j 0).
  rewrite /form -mulmxA mxE; apply: eq_bigr => i _; rewrite !mxE mulr_sumr; apply: eq_bigr => j _.
  by rewrite mulrCA.
apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_suml; apply: ler_sum => i _.
apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_suml; apply: ler_sum => j _.
by rewrite normrM ler_wpmul2l.
Qed.

Lemma form_add (Q : 'M[R]_n) x y : Q^T = Q -> form Q (x + y) = form Q x + 2%:R * dot (Q *m x) y + form Q y.
Proof.
move=> QT; have T : (x + y)^T = x^T + y^T by rewrite linearD.
have xy : (x^T *m Q *m y) 0 0 = dot (Q *m x) y by rewrite /dot trmx_mul QT.
have yx : (y^T *m Q *m x) 0 0 = dot (Q *m x) y by rewrite dotC /dot -mulmxA.
rewrite /form T !mulmxDl !mulmxDr !e00 xy yx.
by move: (dot _ _) ((_ *m x) 0 0) ((_ *m y) 0 0) => a p q; ring.
Qed.
End Forms.
