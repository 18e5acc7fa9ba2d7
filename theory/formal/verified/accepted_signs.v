(* Kinds: nonsingular, singular, fixed_point, definite, not_definite, contraction, not_contraction, gradient_stable, hurwitz, unstable
   Place: docs/certificates.md, the kinds about A, C and b.
   Statement: let M be the model of one certificate, b the class, kernel and schedule that it is about with the law that it
   gives, and the rest what it holds. If the checker (verified/Means.v, verified/Signs.v) accepts them, the sentence that the program prints is
   true of the matrices A, C and b of this model (A_of, C_of and b_of of verified/Means.v), over every ordered field. In all of
   them the class is a recurrent class of the behaviour chain and d its law ([well_based]).
       nonsingular_accepted        A is nonsingular
       singular_accepted           Ax = 0 for some x ≠ 0
       fixed_point_accepted        Aθ + b = 0 for this θ, and for no other
       definite_accepted           xᵀAx, or xᵀCx, has one sign for every x ≠ 0; so has −VᵀDKV for every V ≠ 0 that is zero
                                   outside the class, and K does not lead out of it
       not_definite_accepted       one of these forms, or that of GTD's mean matrix, has not that sign at some such x or V
       contraction_accepted        with M = K + 1: K does not lead out of the class, and |MV|_D <= c|V|_D for every V, in squares
       not_contraction_accepted    |MV|_D > c|V|_D for this V, in squares
       gradient_stable_accepted    C > 0, A is nonsingular, GTD's mean matrix is Hurwitz for every η > 0, and −AᵀC⁻¹A is
                                   negative definite
       hurwitz_accepted            every complex eigenvalue of the mean matrix of TD, GTD or TDC has real part below the shift
       unstable_accepted           the shift is at least 0, and some complex eigenvalue of that matrix has real part above it
   The last three speak of eigenvalues, over every real closed field. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify complex.
From TD Require Import Schedule Forms Chain KeyMatrices Spectrum Hurwitz Policies thm_4_6 Rationals Matrices Checker Kinds Means Signs.
From TD Require Import Contractions accepted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A form DK at a vector depends on its part on S alone, where d is zero elsewhere and K does not lead out of S. *)
Lemma form_supported (R : realFieldType) n (d : 'rV[R]_n) (K : 'M[R]_n) (S : {set 'I_n}) V :
  (forall i, i \notin S -> d 0 i = 0) -> (forall i j, i \in S -> j \notin S -> K i j = 0) ->
  form (diag_mx d *m K) V = form (diag_mx d *m K) (\col_i if i \in S then V i 0 else 0).
Proof.
move=> off stays; rewrite !form_diag !dotDE; apply: eq_bigr => i _.
have [i_in|i_out] := boolP (i \in S); last by rewrite off // !mul0r.
rewrite [in RHS]mxE i_in; congr (_ * _); rewrite !mxE; apply: eq_bigr => j _; rewrite mxE.
by case: ifP => // /negbT j_out; rewrite stays // !mul0r.
Qed.

(* Lyapunov: X > 0 and X(B − s) negative definite put every eigenvalue to the left of s. *)
Lemma lyapunov_pair (R : realFieldType) n (B X : 'M[R]_n) (s a c : R) u v : X^T = X -> posdef X ->
  negdef (X *m (B - s *: 1%:M)) -> eigenpair B a c u v -> a < s.
Proof.
move=> X_sym X_pos neg [Bu Bv nz].
have X0 x : 0 <= form X x by have [->|/X_pos/ltW//] := eqVneq x 0; rewrite form0.
have N0 x : form (X *m (B - s *: 1%:M)) x <= 0 by have [->|/neg/ltW//] := eqVneq x 0; rewrite form0.
have pos : 0 < form X u + form X v by case/orP: nz => /X_pos H; [apply: ltr_paddr | apply: ltr_paddl].
have lt0 : form (X *m (B - s *: 1%:M)) u + form (X *m (B - s *: 1%:M)) v < 0.
  by case/orP: nz => /neg H; [apply: ltr_naddr | apply: ltr_naddl].
pose g := (u^T *m X *m v) 0 0.
have gE : (v^T *m X *m u) 0 0 = g by rewrite /g -[RHS]e00T !trmx_mul trmxK X_sym mulmxA.
have Xu : form (X *m B) u = a * form X u - c * g.
  have E : u^T *m (X *m B) *m u = a *: (u^T *m X *m u) - c *: (u^T *m X *m v).
    by rewrite -!mulmxA Bu !mulmxBr -!scalemxAr.
  by rewrite /form E !e00.
have Xv : form (X *m B) v = c * g + a * form X v.
  have E : v^T *m (X *m B) *m v = c *: (v^T *m X *m u) + a *: (v^T *m X *m v).
    by rewrite -!mulmxA Bv !mulmxDr -!scalemxAr.
  by rewrite /form E !e00 gE.
have E x : form (X *m (B - s *: 1%:M)) x = form (X *m B) x - s * form X x.
  by rewrite mulmxBr formB -scalemxAr mulmx1 formZ.
move: lt0; rewrite !E Xu Xv.
have -> : a * form X u - c * g - s * form X u + (c * g + a * form X v - s * form X v)
  = (a - s) * (form X u + form X v) by ring.
by rewrite pmulr_llt0 // subr_lt0.
Qed.

(* GTD's mean matrix is √η times the one of Theorem 4.4, with w in the unit √η. *)
Lemma gtd_hurwitz (R : rcfType) m (A C : 'M[R]_m) eta : 0 < eta -> posdef C -> A \in unitmx ->
  hurwitz (block_mx (- (eta *: C)) (eta *: A) (- A^T) 0).
Proof.
move=> eta0 C_pos uA z /eigenvalue_pair[x [y]]; rewrite -[x]vsubmxK -[y]vsubmxK.
move: (complex.Re z) (complex.Im z) (usubmx x) (dsubmx x) (usubmx y) (dsubmx y) => a c w t w' t' [].
rewrite !mul_block_col !scale_col_mx opp_col_mx !add_col_mx => /eq_col_mx[wE tE] /eq_col_mx[wE' tE'] nz.
have [s s0 ss] : exists2 s, 0 < s & s * s = eta.
  by exists (Num.sqrt eta); rewrite ?sqrtr_gt0 // -expr2 sqr_sqrtr // ltW.
have s_neq0 : s != 0 by rewrite gt_eqF.
have top u v : - (s *: C) *m (s^-1 *: u) + A *m v = eta^-1 *: (- (eta *: C) *m u + (eta *: A) *m v).
  rewrite !mulNmx -!scalemxAl -!scalemxAr scalerDr scalerN !scalerA mulfV // mulVf ?scale1r //.
  by rewrite gt_eqF.
have bottom (u v : 'cV[R]_m) : - A^T *m (s^-1 *: u) + 0 *m v = s^-1 *: (- A^T *m u + 0 *m v).
  by rewrite !mul0mx !addr0 -scalemxAr.
suff /(saddle_eigenpair s0 C_pos uA) : eigenpair (gtd_matrix s A C) (a / s) (c / s)
  (col_mx (s^-1 *: w) t) (col_mx (s^-1 *: w') t') by rewrite pmulr_llt0 // invr_gt0.
have by_s k : k / s * s^-1 = eta^-1 * k by rewrite -ss; field.
split.
- rewrite /gtd_matrix mul_block_col !scale_col_mx opp_col_mx add_col_mx top bottom wE tE; congr col_mx.
    by rewrite scalerBr !scalerA !by_s.
  by rewrite scalerBr !scalerA [a / s]mulrC [c / s]mulrC.
- rewrite /gtd_matrix mul_block_col !scale_col_mx add_col_mx top bottom wE' tE'; congr col_mx.
    by rewrite scalerDr !scalerA !by_s.
  by rewrite scalerDr !scalerA [a / s]mulrC [c / s]mulrC.
apply: contraTT nz; rewrite !negb_or !negbK !col_mx_eq0 !scaler_eq0 invr_eq0 (negbTE s_neq0) /=.
by case/andP=> /andP[-> ->] /andP[-> ->].
Qed.

Section Accepted.
Variables (R : realFieldType) (M : model) (b : basis).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation A := (A_of R M b).
Local Notation C := (C_of R M b).

Lemma basedP : based M b -> well_based R M b.
Proof.
case/andP=> stationary sum; have [cls law_d support _ _] := stationary_law_accepted R stationary.
split=> //; case E: (powers b) => [|l T W] //.
have := sum; rewrite /summable_powers E => /and3P[/eachP inside /eachP closed _].
split; last by have [] := mulmx1_unit (resolved_unit R E sum).
  by apply/subsetP => i; rewrite !inE; have /implyP := inside i.
move=> i j; rewrite !inE => iT Nij; have := closed i; rewrite iT => /eachP/(_ j).
by rewrite (qnullP R); have /matrixP/(_ i j) := N_ofE R M b; rewrite mxE => ->; rewrite (negbTE Nij).
Qed.

Theorem nonsingular_accepted q find : check_nonsingular M b q find -> well_based R M b /\ A \in unitmx.
Proof.
case/andP=> ok /andP[/Z.ltb_lt q1 inv]; split; first exact: basedP.
by rewrite -A_ofE //; apply: unit_modulo q1 inv.
Qed.

Theorem singular_accepted x (v := colv R m x) : check_singular M b x -> [/\ well_based R M b, v != 0 & A *m v = 0].
Proof.
case/and3P=> ok some /eachP zero; split; [exact: basedP | exact: nonzeroP |].
apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE; have := zero i; rewrite (qnullP R) total_map => /eqP E.
rewrite -[RHS]E -A_ofE // mxE; apply: eq_bigr => k _; by rewrite !mxE qvalM.
Qed.

Theorem fixed_point_accepted q find theta (star := point R M theta) : check_fixed_point M b q find theta ->
  [/\ well_based R M b, A \in unitmx, A *m star + b_of R M b = 0 & forall t, A *m t + b_of R M b = 0 -> t = star].
Proof.
case/and3P=> ok inv rest; have [well uA] : well_based R M b /\ A \in unitmx.
  by apply: (@nonsingular_accepted q find); rewrite /check_nonsingular ok.
have E : A *m star + b_of R M b = 0.
  have := equalP R rest; rewrite mx_times A_ofE // mx_scale b_ofE // qvalN qval1 scaleN1r.
  have -> : mx R (columns M) 1 (table (columns M) 1 (fun j _ => at_ theta j)) = star.
    by rewrite mx_table; apply/matrixP => i j; rewrite !mxE.
  by move->; rewrite addNr.
split=> // t; rewrite -E => /addIr At; by rewrite -[t](mulKmx uA) At mulKmx.
Qed.

Lemma law_off_class i : well_based R M b -> i \notin on_class M b -> d_of R M b 0 i = 0.
Proof. by case=> _ [d0 _ _] support _ i_out; apply/eqP; rewrite eq_le d0 leNgt support i_out. Qed.

Lemma C_positive : well_based R M b -> independent_columns (Phi R M) (on_class M b) -> posdef C.
Proof.
case=> _ [d0 _ _] support _ ind x x0; rewrite lt_neqAle form_keyC sqnormD_ge0 // andbT eq_sym.
apply: contra x0 => /eqP/(sqnormD_eq0 d0)/matrixP zero; apply/eqP; apply: ind => i i_in.
have := zero i 0; rewrite mul_diag_mx mxE [RHS]mxE => /eqP; rewrite mulf_eq0 => /orP[/eqP di|/eqP //].
by move: i_in; rewrite -support di ltxx.
Qed.

Lemma A_negative : well_based R M b -> independent_columns (Phi R M) (on_class M b) -> definite_form R M b FormD true -> negdef A.
Proof.
move=> well ind [stays pos] x x0; pose V := Phi R M *m x.
have -> : form A x = form (diag_mx (d_of R M b) *m K_of R M b) V.
  have -> : A = (Phi R M)^T *m (diag_mx (d_of R M b) *m K_of R M b) *m Phi R M by rewrite /A_of !mulmxA.
  by rewrite form_congruence.
rewrite (form_supported V (fun i => @law_off_class i well) stays); set W := \col_i _.
rewrite -oppr_gt0 -formN; apply: pos => [i /negbTE i_out|]; first by rewrite mxE i_out.
apply: contra x0 => /eqP/matrixP zero; apply/eqP; apply: ind => i i_in.
by have := zero i 0; rewrite mxE i_in => ->; rewrite mxE.
Qed.

Theorem definite_accepted :
  [/\ forall f positive y, check_definite M b f positive y -> well_based R M b /\ definite_form R M b f positive,
      forall rows q inverse, check_C_by_rank M b rows q inverse -> well_based R M b /\ definite_form R M b FormC true &
      forall rows q inverse y, check_A_by_rank M b rows q inverse y -> well_based R M b /\ definite_form R M b FormA false].
Proof.
split=> [f positive y ok|rows q inverse /andP[bas rank]|rows q inverse y /andP[rank def]].
- by split; [have /and3P[/basedP] := ok | apply: definiteP ok].
- have well := basedP bas; split=> //; have [_ ind] := full_column_rank_accepted R rank.
  exact: C_positive.
have /and3P[/basedP well _ _] := def; split=> //; have [_ ind] := full_column_rank_accepted R rank.
exact: A_negative (definiteP R def).
Qed.

Theorem not_definite_accepted :
  (forall f positive x, check_not_definite M b f positive x -> well_based R M b /\ not_definite_form R M b f positive) /\
  (forall eta positive x, check_GTD_not_definite M b eta positive x ->
    [/\ well_based R M b, 0 < qval R eta &
        exists2 v, v != 0 & ~ signed positive (form (mean_matrix R M b (GTD eta)) v)]).
Proof.
split=> [f positive x ok|eta positive x /and4P[bas eta0 x0 wrong]].
  by split; [have /and4P[/basedP] := ok | apply: not_definiteP ok].
split; [exact: basedP | exact: (qposP R eta0) | exists (colv R _ x); first exact: nonzeroP].
by rewrite -dynamicsE // -form_atE; apply: wrong_signP.
Qed.
Theorem contraction_accepted c y : check_contraction M b c y ->
  [/\ well_based R M b, stays_inside R M b, 0 <= qval R c & contracts M b (qval R c)].
Proof.
move=> ok; have /and4P[bas _ ins _] := ok; have well := basedP bas.
by have [c0 con] := contractionP ok well; split=> //; apply: insideP bas ins.
Qed.

Theorem not_contraction_accepted c x (V := colv R (last_state M).+1 x) : check_not_contraction M b c x ->
  well_based R M b /\ qval R c ^+ 2 * sqnormD (d_of R M b) V < sqnormD (d_of R M b) (K_of R M b *m V + V).
Proof. by move=> ok; split; [have /andP[/basedP] := ok | apply: not_contractionP]. Qed.
End Accepted.

Section Stable.
Variables (R : rcfType) (M : model) (b : basis).
Local Notation A := (A_of R M b).
Local Notation C := (C_of R M b).

Theorem gradient_stable_accepted rows p inverse q find : check_gradient_stable M b rows p inverse q find ->
  [/\ well_based R M b, posdef C, A \in unitmx,
      forall eta : R, 0 < eta -> hurwitz (block_mx (- (eta *: C)) (eta *: A) (- A^T) 0) & negdef (tdc_matrix A C)].
Proof.
case/andP=> rank /(nonsingular_accepted R)[well uA]; have [_ ind] := full_column_rank_accepted R rank.
have C_pos := C_positive well ind; split=> // [eta eta0|]; first exact: gtd_hurwitz.
exact: (proj2 (thm_4_6_negative_definite A (keyC_sym _ _) C_pos)).
Qed.

Theorem hurwitz_accepted f s X y z : check_hurwitz M b f s X y z ->
  well_based R M b /\ forall e : R[i]%C, eigenvalue (map_mx (real_complex R) (mean_matrix R M b f)) e -> complex.Re e < qval R s.
Proof.
case/and5P=> bas given /(equalP R) X_sym pos dec; split=> [|e /eigenvalue_pair[u [v pair]]]; first exact: basedP.
set k := dynamics_size M f in u v pair X_sym pos dec.
apply: (@lyapunov_pair R k _ (mx R k k X) _ _ _ _ _ _ _ _ pair).
- by rewrite -mx_transpose -X_sym.
- exact: factored_posdef pos.
move=> x x0; have := @factored_posdef R _ _ _ _ _ dec x x0.
by rewrite form_both qvalN qval1 mulN1r oppr_gt0 pmulrn_llt0 // shiftedE dynamicsE.
Qed.

Theorem unstable_accepted f s X x y : check_unstable M b f s X x y ->
  [/\ well_based R M b, 0 <= qval R s &
      exists2 e : R[i]%C, eigenvalue (map_mx (real_complex R) (mean_matrix R M b f)) e & qval R s < complex.Re e].
Proof.
case/and3P=> bas given /and4P[]; rewrite (qpos_val R) qvalN oppr_gt0 -leNgt => s0 /(equalP R) X_sym.
rewrite (qpos_val R) form_atE => Xx grows; split=> //; first exact: basedP.
apply: lyapunov_unstable Xx _; first by rewrite -mx_transpose -X_sym.
move=> z z0; have := @factored_posdef R _ _ _ _ _ grows z z0.
by rewrite form_both qval1 mul1r pmulrn_lgt0 // shiftedE dynamicsE.
Qed.
End Stable.
