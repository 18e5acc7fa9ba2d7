(* Eigenvalues of real matrices, over any real closed field R with its complex numbers R[i].

   [hurwitz A]           every complex eigenvalue of A has a negative real part
   [eigenvalue_pair]     an eigenvalue a + ib with eigenvector u + iv, in real terms: Au = au − bv, Av = bu + av
   [negdef_hurwitz]      a negative definite matrix, symmetric or not, is Hurwitz
   [saddle_hurwitz]      so is [[−sC, A], [−Aᵀ, 0]] for s > 0, C > 0 and A nonsingular *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import complex.
From TD Require Import Forms KeyMatrices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Pairs.
Variables (R : realFieldType) (n : nat).
Implicit Types (A : 'M[R]_n) (u v : 'cV[R]_n).

Definition eigenpair A (a b : R) u v :=
  [/\ A *m u = a *: u - b *: v, A *m v = b *: u + a *: v & (u != 0) || (v != 0)].

Lemma eigenpair_form A a b u v : eigenpair A a b u v -> a * (dot u u + dot v v) = form A u + form A v.
Proof.
case=> Au Av _; rewrite /form -!mulmxA Au Av mulmxBr mulmxDr -!scalemxAr !e00.
rewrite -/(dot u u) -/(dot v v) -/(dot u v) -/(dot v u) (dotC v u) mulrDr.
by rewrite addrA subrK.
Qed.

Lemma eigenpair_norm A a b u v : eigenpair A a b u v -> 0 < dot u u + dot v v.
Proof. by case=> _ _ /orP[] /dot_gt0 H; [apply: ltr_paddr | apply: ltr_paddl]; rewrite ?dot_ge0. Qed.

Lemma negdef_eigenpair A a b u v : negdef A -> eigenpair A a b u v -> a < 0.
Proof.
move=> neg E; rewrite -(pmulr_llt0 _ (eigenpair_norm E)) (eigenpair_form E).
have le0 x : form A x <= 0 by have [->|/neg/ltW//] := eqVneq x 0; rewrite form0.
by case: E => _ _ /orP[] /neg H; [apply: ltr_naddr | apply: ltr_naddl].
Qed.
End Pairs.

Section Saddle.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (s : R).

(* ξᵀGξ = −s wᵀCw for ξ = (w, θ): G does not see θ. *)
Lemma form_gtd w theta : form (gtd_matrix s A C) (col_mx w theta) = - (s * form C w).
Proof.
rewrite /form /gtd_matrix -mulmxA mul_block_col tr_col_mx mul_row_col mul0mx addr0.
rewrite mulmxDr !mulNmx !mulmxN -scalemxAl -scalemxAr !e00.
have -> : (theta^T *m (A^T *m w)) 0 0 = (w^T *m (A *m theta)) 0 0.
  by rewrite mulmxA -trmx_mul -/(dot (A *m theta) w) dotC.
by rewrite addrK -mulmxA.
Qed.

Hypothesis s_gt0 : 0 < s.
Hypothesis C_posdef : posdef C.
Hypothesis A_unit : A \in unitmx.

(* On the axis wᵀCw = 0, so w = 0; then Aθ = 0, so θ = 0. *)
Lemma saddle_eigenpair a b x y : eigenpair (gtd_matrix s A C) a b x y -> a < 0.
Proof.
move=> E; have := eigenpair_form E; have := eigenpair_norm E; case: E.
rewrite -[x]vsubmxK -[y]vsubmxK.
move: (usubmx x) (dsubmx x) (usubmx y) (dsubmx y) => w theta w' theta' Ex Ey nz pos.
rewrite !form_gtd => formE.
have C0 z : 0 <= form C z by have [->|/C_posdef/ltW//] := eqVneq z 0; rewrite form0.
have [w0|/C_posdef Cw] := eqVneq w 0; last first.
  by rewrite -(pmulr_llt0 _ pos) formE -opprD oppr_lt0 -mulrDr mulr_gt0 // ltr_paddr.
have [w0'|/C_posdef Cw] := eqVneq w' 0; last first.
  by rewrite -(pmulr_llt0 _ pos) formE -opprD oppr_lt0 -mulrDr mulr_gt0 // ltr_paddl.
move: Ex Ey nz; rewrite /gtd_matrix !mul_block_col w0 w0' !mulmx0 !mul0mx !add0r.
rewrite !scale_col_mx opp_col_mx !add_col_mx => /eq_col_mx[Ex _] /eq_col_mx[Ey _].
have inj := proj2 (inj_unitmx A) A_unit.
rewrite scaler0 scaler0 subrr in Ex; rewrite !scaler0 addr0 in Ey.
by rewrite (inj _ Ex) (inj _ Ey) !col_mx0 eqxx.
Qed.
End Saddle.

Local Open Scope complex_scope.

Definition hurwitz (R : rcfType) n (A : 'M[R]_n) :=
  forall z : R[i], eigenvalue (map_mx (real_complex R) A) z -> complex.Re z < 0.

Section Hurwitz.
Variable R : rcfType.

Lemma char_poly_trmx (F : comRingType) n (A : 'M[F]_n) : char_poly A^T = char_poly A.
Proof.
rewrite /char_poly -det_tr; congr (\det _).
by apply/matrixP => i j; rewrite !mxE eq_sym.
Qed.

Lemma eigenvalue_column (F : fieldType) n (A : 'M[F]_n) z :
  eigenvalue A z -> exists2 x : 'cV[F]_n, x != 0 & A *m x = z *: x.
Proof.
rewrite eigenvalue_root_char -char_poly_trmx -eigenvalue_root_char => /eigenvalueP[v vA v0].
exists v^T; first by apply: contra v0 => /eqP v0; rewrite -[v]trmxK v0 trmx0.
by rewrite -[A]trmxK -trmx_mul vA linearZ.
Qed.

Lemma eigenvalue_pair n (A : 'M[R]_n) (z : R[i]) :
  eigenvalue (map_mx (real_complex R) A) z ->
  exists u v, eigenpair A (complex.Re z) (complex.Im z) u v.
Proof.
case/eigenvalue_column => x x0 Ax; set re := @complex.Re R; set im := @complex.Im R.
have re_sum (F : 'I_n -> R[i]) : re (\sum_k F k) = \sum_k re (F k) by apply: big_morph => // -[? ?] [].
have im_sum (F : 'I_n -> R[i]) : im (\sum_k F k) = \sum_k im (F k) by apply: big_morph => // -[? ?] [].
have re_real a y : re (a%:C * y) = a * re y by case: y => p q; rewrite /re /= mul0r subr0.
have im_real a y : im (a%:C * y) = a * im y by case: y => p q; rewrite /im /= mul0r addr0.
have entry i : \sum_k (A i k)%:C * x k 0 = z * x i 0.
  by move/matrixP/(_ i 0): Ax; rewrite !mxE => <-; apply: eq_bigr => k _; rewrite mxE.
exists (map_mx re x), (map_mx im x); split.
- apply/matrixP => i j; rewrite (ord1 j) !mxE -/re -/im.
  have := congr1 re (entry i); rewrite re_sum.
  under eq_bigr => k _ do rewrite re_real; under [in X in _ -> X]eq_bigr => k _ do rewrite mxE.
  by move=> ->; case: z (x i 0) {Ax entry} => p q [].
- apply/matrixP => i j; rewrite (ord1 j) !mxE -/re -/im.
  have := congr1 im (entry i); rewrite im_sum.
  under eq_bigr => k _ do rewrite im_real; under [in X in _ -> X]eq_bigr => k _ do rewrite mxE.
  by move=> ->; case: z (x i 0) {Ax entry} => p q [s t]; rewrite /= addrC.
rewrite -negb_and; apply: contra x0 => /andP[/eqP/matrixP x_re /eqP/matrixP x_im].
apply/eqP/matrixP => i j; move: (x_re i j) (x_im i j); rewrite !mxE /re /im.
by case: (x i j) => p q /= -> ->.
Qed.

Theorem negdef_hurwitz n (A : 'M[R]_n) : negdef A -> hurwitz A.
Proof. by move=> neg z /eigenvalue_pair[u [v]]; apply: negdef_eigenpair. Qed.

Theorem saddle_hurwitz m (A C : 'M[R]_m) s :
  0 < s -> posdef C -> A \in unitmx -> hurwitz (gtd_matrix s A C).
Proof. by move=> s0 Cpos uA z /eigenvalue_pair[u [v]]; apply: saddle_eigenpair. Qed.
End Hurwitz.
