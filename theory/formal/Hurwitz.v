(* A Hurwitz matrix has a Lyapunov matrix: if every complex eigenvalue of A has a negative real part, some Q = Qᵀ > 0
   has QA < 0
   [hurwitz_lyapunov]. A form that grows shows that a matrix is not [lyapunov_unstable].

   Proof: in suitable complex coordinates A is triangular with small entries off the diagonal; there it decreases the
   norm. By induction on the size: a row vector v with vA = av is completed to a basis. ip y z is the real inner product
   Re Σ_j y_j z̄_j. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring complex.
From TD Require Import Forms Spectrum Rayleigh Lyapunov OneStep.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Local Open Scope complex_scope.

Section Inner.
Variable R : rcfType.
Local Notation C := R[i].
Local Notation re := (@complex.Re R).
Local Notation im := (@complex.Im R).

Definition re_part n (y : 'rV[C]_n) : 'cV[R]_n := \col_j re (y 0 j).
Definition im_part n (y : 'rV[C]_n) : 'cV[R]_n := \col_j im (y 0 j).
Definition ip n (y z : 'rV[C]_n) : R := dot (re_part y) (re_part z) + dot (im_part y) (im_part z).

Let reD (a b : C) : re (a + b) = re a + re b. Proof. by case: a b => ? ? []. Qed.
Let imD (a b : C) : im (a + b) = im a + im b. Proof. by case: a b => ? ? []. Qed.
Let reM (a b : C) : re (a * b) = re a * re b - im a * im b. Proof. by case: a b => ? ? []. Qed.
Let imM (a b : C) : im (a * b) = re a * im b + im a * re b. Proof. by case: a b => ? ? []. Qed.
Let re_sum (I : finType) (F : I -> C) : re (\sum_k F k) = \sum_k re (F k).
Proof. by apply: big_morph => // a b; apply: reD. Qed.
Let im_sum (I : finType) (F : I -> C) : im (\sum_k F k) = \sum_k im (F k).
Proof. by apply: big_morph => // a b; apply: imD. Qed.

Lemma ipE n (y z : 'rV[C]_n) : ip y z = \sum_j (re (y 0 j) * re (z 0 j) + im (y 0 j) * im (z 0 j)).
Proof. by rewrite /ip !dotE -big_split; apply: eq_bigr => j _; rewrite !mxE. Qed.

Lemma ip_ge0 n (y : 'rV[C]_n) : 0 <= ip y y.
Proof. by rewrite addr_ge0 ?dot_ge0. Qed.

Lemma ipDl n (y y' z : 'rV[C]_n) : ip (y + y') z = ip y z + ip y' z.
Proof. by rewrite !ipE -big_split; apply: eq_bigr => j _; rewrite mxE reD imD !mulrDl addrACA. Qed.

Lemma ip_row p n (y1 z1 : 'rV[C]_p) (y2 z2 : 'rV[C]_n) : ip (row_mx y1 y2) (row_mx z1 z2) = ip y1 z1 + ip y2 z2.
Proof.
rewrite !ipE big_split_ord /=; congr (_ + _); apply: eq_bigr => j _; rewrite ?row_mxEl ?row_mxEr //.
Qed.

Lemma ip_scale n (a : C) (y : 'rV[C]_n) : ip (a *: y) y = re a * ip y y.
Proof.
have H (p s u v : R) : (p * u - s * v) * u + (p * v + s * u) * v = p * (u * u + v * v) by ring.
by rewrite !ipE mulr_sumr; apply: eq_bigr => j _; rewrite mxE reM imM; apply: H.
Qed.

Lemma ip_real n (t : R) (y z : 'rV[C]_n) : ip (t%:C *: y) (t%:C *: z) = t ^+ 2 * ip y z.
Proof.
have H (p s u v : R) : (t * p - 0 * s) * (t * u - 0 * v) + (t * s + 0 * p) * (t * v + 0 * u) = t ^+ 2 * (p * u + s *
  v) by ring.
by rewrite !ipE mulr_sumr; apply: eq_bigr => j _; rewrite !mxE !reM !imM; apply: H.
Qed.

Lemma ip_young n (k : R) (y z : 'rV[C]_n) : 0 < k -> 2%:R * ip y z <= k * ip z z + k^-1 * ip y y.
Proof.
move=> k0; have one_ge0 : possemidef (1%:M : 'M[R]_n) by move=> x; rewrite /form mulmx1 dot_ge0.
have H (u v : 'cV[R]_n) : 2%:R * dot u v <= k * dot v v + k^-1 * dot u u.
  by have := form_young (trmx1 _ _) one_ge0 v u k0; rewrite mul1mx dotC !form_id.
rewrite /ip; have := ler_add (H (re_part y) (re_part z)) (H (im_part y) (im_part z)).
rewrite -mulrDr => /le_trans; apply; rewrite !mulrDr addrACA.
by [].
Qed.

(* yM is a real linear function of the parts of y *)
Lemma ip_bound n p (M : 'M[C]_(n, p)) : exists2 K, 0 < K & forall y : 'rV[C]_n, ip (y *m M) (y *m M) <= K * ip y y.
Proof.
pose M1 := \matrix_(i, j) re (M j i); pose M2 := \matrix_(i, j) im (M j i).
have reE y : re_part (y *m M) = row_mx M1 (- M2) *m col_mx (re_part y) (im_part y).
  rewrite mul_row_col mulNmx; apply/matrixP => i j; rewrite !mxE re_sum -sumrB; apply: eq_bigr => k _.
  by rewrite !mxE reM; congr (_ - _); apply: mulrC.
have imE y : im_part (y *m M) = row_mx M2 M1 *m col_mx (re_part y) (im_part y).
  rewrite mul_row_col; apply/matrixP => i j; rewrite !mxE im_sum -big_split; apply: eq_bigr => k _.
  by rewrite !mxE imM /=; congr (_ + _); apply: mulrC.
have [K K0 upper] := form_upper ((row_mx M1 (- M2))^T *m row_mx M1 (- M2) + (row_mx M2 M1)^T *m row_mx M2 M1).
exists K => // y; have := upper (col_mx (re_part y) (im_part y)).
by rewrite formD /ip reE imE /form /dot !trmx_mul !mulmxA tr_col_mx mul_row_col [X in K * X]mxE.
Qed.

Lemma ip_gt0 n (y : 'rV[C]_n) : y != 0 -> 0 < ip y y.
Proof.
move=> y0; rewrite lt_def ip_ge0 andbT; apply: contra y0 => /eqP; rewrite ipE => /psumr_eq0P H.
apply/eqP/matrixP => i j; rewrite (ord1 i) mxE.
have /eqP := H (fun k _ => addr_ge0 (sqr_ge0 (re (y 0 k))) (sqr_ge0 (im (y 0 k)))) j isT.
rewrite paddr_eq0 -?expr2 ?sqr_ge0 // !sqrf_eq0 => /andP[/eqP r0 /eqP i0].
by case: (y 0 j) r0 i0 => ? ? /= -> ->.
Qed.

Lemma re_part_real n p (u : 'cV[R]_n) (M : 'M[C]_(n, p)) :
  re_part (map_mx (real_complex R) u^T *m M) = (\matrix_(i, j) re (M i j))^T *m u.
Proof.
apply/matrixP => j i; rewrite !mxE re_sum; apply: eq_bigr => k _.
by rewrite !mxE reM /= mul0r subr0 mulrC (ord1 i).
Qed.

Lemma im_part_real n p (u : 'cV[R]_n) (M : 'M[C]_(n, p)) :
  im_part (map_mx (real_complex R) u^T *m M) = (\matrix_(i, j) im (M i j))^T *m u.
Proof.
apply/matrixP => j i; rewrite !mxE im_sum; apply: eq_bigr => k _.
by rewrite !mxE imM /= mul0r addr0 mulrC (ord1 i).
Qed.
End Inner.

Section Coordinates.
Variable R : rcfType.
Local Notation C := R[i].
Local Notation re := (@complex.Re R).

Let column_eigenvalue n (A : 'M[C]_n) z (x : 'cV[C]_n) : x != 0 -> A *m x = z *: x -> eigenvalue A z.
Proof.
move=> x0 Ax; rewrite eigenvalue_root_char -char_poly_trmx -eigenvalue_root_char; apply/eigenvalueP; exists x^T.
  by rewrite -trmx_mul Ax linearZ.
by apply: contra x0 => /eqP x0; rewrite -[x]trmxK x0 trmx0.
Qed.

(* In the coordinates y = xS the map x ↦ xA decreases the norm. *)
Lemma decreasing_coordinates n (A : 'M[C]_n) : (forall z, eigenvalue A z -> re z < 0) ->
  exists2 S : 'M[C]_n, S \in unitmx & exists2 c : R, 0 < c & forall x : 'rV[C]_n,
    ip (x *m A *m S) (x *m S) <= - (c * ip (x *m S) (x *m S)).
Proof.
elim: n A => [|n IH] A neg.
  by exists 1%:M; rewrite ?unitmx1 //; exists 1 => [|x]; rewrite ?ltr01 // !ipE !big_ord0 mulr0 oppr0.
have [a eig] := @complex.Theorem7' R n.+1 A isT; have a0 := neg a eig.
have /eigenvalueP[v vA v0] := eig.
pose U : 'M[C]_(1 + n) := row_ebase v; have uU : U \in unitmx := row_ebase_unit v.
pose e : 'rV[C]_(1 + n) := row_mx 1%:M 0.
have [k k0 vE] : exists2 k : C, k != 0 & v = k *: (e *m U).
  have r1 : \rank v = 1%N by rewrite rank_rV v0.
  have ve : v = col_ebase v *m e *m U by rewrite -[LHS]mulmx_ebase r1 pid_mx_row.
  exists (col_ebase v 0 0).
    by have := col_ebase_unit v; rewrite unitmxE [col_ebase v]mx11_scalar det_scalar expr1 unitfE mxE.
  by rewrite {1}ve {1}[col_ebase v]mx11_scalar mul_scalar_mx -scalemxAl.
pose T : 'M[C]_(1 + n) := U *m A *m invmx U.
have eT : e *m T = a *: e.
  have := vA; rewrite vE -scalemxAl scalerA mulrC -scalerA => /(scalerI k0) eUA.
  by rewrite /T !mulmxA eUA -scalemxAl mulmxK.
have Tul : ulsubmx T = a%:M /\ ursubmx T = 0.
  have := eT; rewrite -{1}[T]submxK mul_row_block !mul1mx !mul0mx !addr0 scale_row_mx scaler0 scale_scalar_mx mulr1.
  by move=> /eq_row_mx[].
pose u := dlsubmx T; pose B := drsubmx T.
have TE : T = block_mx a%:M 0 u B by rewrite -[LHS]submxK Tul.1 Tul.2.
have [S' uS' [c' c'0 decrease]] : exists2 S : 'M[C]_n, S \in unitmx & exists2 c : R, 0 < c & forall x : 'rV[C]_n,
    ip (x *m B *m S) (x *m S) <= - (c * ip (x *m S) (x *m S)).
  apply: IH => z /eigenvalue_column[x x0 Bx]; apply: neg.
  apply: (@column_eigenvalue _ _ _ (invmx U *m col_mx 0 x)).
    apply: contra x0 => /eqP E; have : U *m (invmx U *m col_mx 0 x) = 0 by rewrite E mulmx0.
    by rewrite mulKVmx // => /eqP; rewrite col_mx_eq0 => /andP[].
  have -> : A *m (invmx U *m col_mx 0 x) = invmx U *m (T *m col_mx 0 x) by rewrite /T !mulmxA mulVmx // mul1mx.
  by rewrite TE mul_block_col !mulmx0 !mul0mx !add0r Bx -{1}[0](scaler0 _ z) -scale_col_mx scalemxAr.
have [K K0 u_le] := ip_bound (invmx S' *m u).
pose al := - re a; have al0 : 0 < al by rewrite oppr_gt0.
pose t := 1 + K / (al * c'); have Kac : 0 < K / (al * c') by rewrite divr_gt0 // mulr_gt0.
have t2 : K / (al * c') <= t ^+ 2.
  by rewrite -subr_ge0 (_ : _ - _ = 1 + K / (al * c') + (K / (al * c')) ^+ 2) ?addr_ge0 ?ler01 ?sqr_ge0 ?(ltW Kac) //
    /t; ring.
have t0 : 0 < t by rewrite addr_gt0 ?ltr01.
pose D : 'M[C]_(1 + n) := block_mx 1%:M 0 0 (t%:C *: S').
have uD : D \in unitmx.
  have tC : t%:C \is a GRing.unit by rewrite unitfE; apply/eqP => -[] /eqP; rewrite gt_eqF.
  by rewrite unitmxE det_ublock det1 mul1r -unitmxE unitmxZ.
exists (invmx U *m D); first by rewrite unitmx_mul unitmx_inv uU.
exists (Num.min (al / 2%:R) (c' / 2%:R)) => [|x]; first by rewrite lt_minr !divr_gt0 ?ltr0n.
pose y : 'rV[C]_(1 + n) := x *m invmx U; have xE : x = y *m U by rewrite mulmxKV.
have -> : x *m A *m (invmx U *m D) = y *m T *m D by rewrite {1}xE /T !mulmxA.
have -> : x *m (invmx U *m D) = y *m D by rewrite mulmxA.
rewrite -[y]hsubmxK TE /D; move: (lsubmx y) (rsubmx y) => y1 y2.
have split_ip (z1 z1' : 'rV[C]_1) (z2 z2' : 'rV[C]_n) :
  @ip R n.+1 (row_mx z1 z2) (row_mx z1' z2') = ip z1 z1' + ip z2 z2' := ip_row z1 z1' z2 z2'.
rewrite !mul_row_block !mulmx0 !addr0 !add0r !mulmx1 mul_mx_scalar -!scalemxAr !split_ip !ip_real ipDl ip_scale.
have := decrease y2; have := u_le (y2 *m S'); rewrite mulmxA mulmxK //.
have := ip_young (y2 *m u) y1 al0; have := ip_ge0 y1; have := ip_ge0 (y2 *m S').
move: (ip (y2 *m u) y1) (ip (y2 *m u) (y2 *m u)) (ip (y2 *m B *m S') _) (ip (y2 *m S') _) (ip y1 y1) => p w z s r s0
  r0 young
  w_le z_le.
rewrite -[re a]opprK -/al.
apply: (@le_trans _ _ (- (al / 2%:R * r + c' / 2%:R * (t ^+ 2 * s)))).
  have E (x1 x2 x3 x4 x5 x6 x7 x8 x9 : R) : x1 != 0 -> x2 != 0 ->
    - (x1 / 2%:R * x3 + x2 / 2%:R * (x9 * x4)) - (- x1 * x3 + x5 + x9 * x6) = 2%:R^-1 * (x1 * x3 + x1^-1 * x7 - 2%:R *
        x5)
      + 2%:R^-1 * x1^-1 * (x8 * x4 - x7) + x9 * (- (x2 * x4) - x6) + 2%:R^-1 * x2 * x4 * (x9 - x8 / (x1 * x2)).
    by move=> n1 n2; field; rewrite n1 n2.
  rewrite -subr_ge0 (E al c' r s p z w K) ?gt_eqF //.
  have h0 : 0 <= (2%:R : R)^-1 by rewrite invr_ge0 ler0n.
  apply: addr_ge0; last by apply: mulr_ge0; rewrite ?subr_ge0 //; apply: mulr_ge0 => //; apply: mulr_ge0 => //; apply:
    ltW.
  apply: addr_ge0; last by apply: mulr_ge0; rewrite ?sqr_ge0 ?subr_ge0.
  apply: addr_ge0; first by rewrite mulr_ge0 ?subr_ge0.
  by apply: mulr_ge0; rewrite ?subr_ge0 //; apply: mulr_ge0 => //; rewrite invr_ge0 ltW.
by rewrite ler_opp2 mulrDr ler_add // ler_wpmul2r ?(mulr_ge0 (sqr_ge0 t) s0) // le_minl lexx ?orbT.
Qed.
End Coordinates.

Section Hurwitz.
Variables (R : rcfType) (m : nat) (A : 'M[R]_m).
Local Notation toC := (map_mx (real_complex R)).

(* Q = S₁S₁ᵀ + S₂S₂ᵀ for S = S₁ + iS₂, the coordinates of Aᵀ *)
Theorem hurwitz_lyapunov : hurwitz A -> exists2 Q : 'M[R]_m, Q^T = Q & posdef Q /\ negdef (Q *m A).
Proof.
move=> hur; have eig z : eigenvalue (toC A^T) z -> complex.Re z < 0.
  by rewrite -map_trmx eigenvalue_root_char char_poly_trmx -eigenvalue_root_char; apply: hur.
have [S uS [c c0 decrease]] := decreasing_coordinates eig.
pose S1 := \matrix_(i, j) complex.Re (S i j); pose S2 := \matrix_(i, j) complex.Im (S i j).
pose Q := S1 *m S1^T + S2 *m S2^T.
have Q_sym : Q^T = Q by rewrite linearD /= !trmx_mul !trmxK.
have ipQ (x y : 'cV[R]_m) : ip (toC x^T *m S) (toC y^T *m S) = dot x (Q *m y).
  rewrite /ip !re_part_real !im_part_real -/S1 -/S2 /dot !trmx_mul !trmxK /Q mulmxDl mulmxDr !mulmxA.
  by rewrite [RHS]mxE.
have ip_pos (x : 'cV[R]_m) : x != 0 -> 0 < ip (toC x^T *m S) (toC x^T *m S).
  move=> x0; apply: ip_gt0; apply: contra x0 => /eqP E.
  have : toC x^T *m S *m invmx S = 0 by rewrite E mul0mx.
  by rewrite mulmxK // => /eqP; rewrite map_mx_eq0 => /eqP xT; rewrite -[x]trmxK xT trmx0.
have formQ (x y : 'cV[R]_m) : (x^T *m Q *m y) 0 0 = dot x (Q *m y) by rewrite /dot mulmxA.
exists Q => //; split=> x x0; first by rewrite /form formQ -ipQ ip_pos.
have -> : form (Q *m A) x = ip (toC x^T *m toC A^T *m S) (toC x^T *m S).
  by rewrite -map_mxM -trmx_mul ipQ dotC /dot trmx_mul Q_sym /form !mulmxA.
by apply: le_lt_trans (decrease _) _; rewrite oppr_lt0 mulr_gt0 // ip_pos.
Qed.
End Hurwitz.

(* A form that grows along x' = (B − s)x and is positive somewhere puts an eigenvalue of B to the right of s. If there
   were none, B − s − ε would be Hurwitz for every ε > 0, with a Lyapunov matrix Q; where Xv = μQv with the greatest μ,
   which is positive, the form of X would fall with that of Q. *)
Section Unstable.
Variable R : rcfType.

(* Q = GᵀG *)
Lemma posdef_square n (Q : 'M[R]_n) : Q^T = Q -> posdef Q -> exists2 G : 'M[R]_n, G \in unitmx & Q = G^T *m G.
Proof.
elim: n Q => [|n IH] Q sQ pos; first by exists 1%:M; rewrite ?unitmx1 //; apply/matrixP => -[].
pose Q1 : 'M[R]_(1 + n) := Q; pose b := dlsubmx Q1; pose C := drsubmx Q1; pose a := Q 0 0.
have QE : Q1 = block_mx a%:M b^T b C.
  rewrite -[LHS]submxK -/b -/C; congr block_mx.
    by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) !mxE eqxx mulr1n /Q1 /a; congr (Q _ _); apply/val_inj.
  by rewrite /b trmx_dlsub; congr ursubmx; rewrite /Q1 sQ.
have a0 : 0 < a.
  pose e : 'cV[R]_(1 + n) := col_mx 1%:M 0.
  have -> : a = form Q1 e.
    rewrite /form QE /e -mulmxA mul_block_col !mulmx1 !mulmx0 !addr0 tr_col_mx mul_row_col trmx1 mul1mx trmx0 mul0mx addr0.
    by rewrite mxE eqxx mulr1n.
  have e0 : e != 0 by rewrite col_mx_eq0 negb_and matrix_nonzero1.
  exact: pos e0.
have an : a != 0 by rewrite gt_eqF.
pose C' := C - a^-1 *: (b *m b^T).
have sC : C^T = C by rewrite /C trmx_drsub /Q1 sQ.
have sC' : C'^T = C' by rewrite /C' linearB linearZ /= trmx_mul trmxK sC.
have posC' : posdef C'.
  move=> y y0; pose y1 := - (a^-1 *: (b^T *m y)).
  have -> : form C' y = form Q1 (col_mx y1 y).
    rewrite /form QE -[in RHS]mulmxA mul_block_col tr_col_mx mul_row_col mul_scalar_mx.
    have -> : a *: y1 + b^T *m y = 0 by rewrite /y1 scalerN scalerA divff // scale1r addNr.
    rewrite mulmx0 add0r -mulmxA; congr ((_ *m _) 0 0).
    by rewrite /C' /y1 mulmxBl mulmxN -scalemxAr -scalemxAl mulmxA addrC.
  have nz : (col_mx y1 y : 'cV[R]_(1 + n)) != 0 by rewrite col_mx_eq0 negb_and y0 orbT.
  exact: pos nz.
have [G' uG' CE] := IH C' sC' posC'; pose s := Num.sqrt a.
have s0 : s != 0 by rewrite gt_eqF // sqrtr_gt0.
have ss : s * s = a by rewrite -expr2 sqr_sqrtr // ltW.
pose G : 'M[R]_(1 + n) := block_mx s%:M (s^-1 *: b^T) 0 G'.
have uG : G \in unitmx by rewrite unitmxE det_ublock det_scalar1 unitrM unitfE s0 -unitmxE.
have bT : (s^-1 *: b^T)^T = s^-1 *: b by rewrite linearZ /= trmxK.
have GE : Q1 = G^T *m G.
  rewrite QE tr_block_mx mulmx_block !mulmx0 !trmx0 !mul0mx !addr0 tr_scalar_mx -scalar_mxM ss.
  rewrite bT mul_scalar_mx mul_mx_scalar !scalerA mulfV // !scale1r -scalemxAl -scalemxAr scalerA.
  by rewrite -CE -invfM ss /C' addrC subrK.
by exists G.
Qed.

Lemma lyapunov_unstable n (B X : 'M[R]_n) (s : R) x : X^T = X -> 0 < form X x -> posdef (X *m (B - s *: 1%:M)) ->
  exists2 e : R[i], eigenvalue (map_mx (real_complex R) B) e & s < complex.Re e.
Proof.
case: n B X x => [|n] B X x sX Xx pos; first by move: Xx; rewrite [x](_ : _ = 0) ?form0 ?ltxx //; apply/matrixP => -[].
pose p := char_poly (map_mx (real_complex R) B); have [r pE] := closed_field_poly_normal p.
have [/hasP[e er lt]|left_] := boolP (has (fun z => s < complex.Re z) r).
  exists e => //; rewrite eigenvalue_root_char -/p pE rootZ ?root_prod_XsubC // lead_coef_eq0.
  by rewrite -size_poly_eq0 size_char_poly.
have all_left e : eigenvalue (map_mx (real_complex R) B) e -> complex.Re e <= s.
  rewrite eigenvalue_root_char -/p pE rootZ ?root_prod_XsubC; last first.
    by rewrite lead_coef_eq0 -size_poly_eq0 size_char_poly.
  by move=> er; rewrite leNgt; apply: contra left_ => lt; apply/hasP; exists e.
have [rho rho0 margin] := posdef_margin pos; have [K K0 upper] := form_upper X.
pose eps := rho / (2%:R * K); have eps0 : 0 < eps by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
pose B' := B - (s + eps) *: 1%:M.
have posB' y : y != 0 -> 0 < form (X *m B') y.
  move=> y0; have yy := dot_gt0 y0.
  have -> : form (X *m B') y = form (X *m (B - s *: 1%:M)) y - eps * form X y.
    by rewrite /B' scalerDl opprD addrA mulmxBr formB -scalemxAr mulmx1 formZ.
  rewrite subr_gt0; apply: lt_le_trans (margin y); apply: le_lt_trans (ler_wpmul2l (ltW eps0) (upper y)) _.
  have -> : eps * (K * dot y y) = rho / 2%:R * dot y y by rewrite /eps; field; rewrite gt_eqF.
  by rewrite ltr_pmul2r // ltr_pdivr_mulr ?ltr0n // ltr_pmulr ?ltr1n.
have hur : hurwitz B'.
  move=> z /eigenvalueP[v vB v0]; suff : complex.Re z + (s + eps) <= s.
    by rewrite -ler_subr_addr opprD addrA subrr sub0r => /le_lt_trans; apply; rewrite oppr_lt0.
  have -> : complex.Re z + (s + eps) = complex.Re (z + (s + eps)%:C) by case: z {vB}.
  apply: all_left; apply/eigenvalueP; exists v => //; move: vB.
  rewrite /B' map_mxB map_mxZ map_mx1 mulmxBr -scalemxAr mulmx1 => /eqP; rewrite subr_eq => /eqP ->.
  by rewrite scalerDl.
have [Q sQ [posQ negQ]] := hurwitz_lyapunov hur; have [G uG QE] := posdef_square sQ posQ.
pose Y := (invmx G)^T *m X *m invmx G.
have sY : Y^T = Y by rewrite /Y !trmx_mul trmxK sX mulmxA.
have [mu greatest] := greatest_eigenvalue_exists sY.
have form_Y y : form Y (G *m y) = form X y by rewrite /Y form_congruence mulKmx.
have mu0 : 0 < mu.
  have := greatest_eigenvalue_form (G *m x) sY greatest; rewrite form_Y => /(lt_le_trans Xx).
  by apply: contraTT; rewrite -!leNgt => mu0; rewrite mulr_le0_ge0 ?dot_ge0.
have [/eigenvalue_column[z z0 Yz] _] := greatest.
pose v := invmx G *m z; have v0 : v != 0 by apply: contra z0 => /eqP E; rewrite -[z](mulKVmx uG) -/v E mulmx0.
have Xv : X *m v = mu *: (Q *m v).
  have -> : X *m v = G^T *m (Y *m z).
    by rewrite /Y !mulmxA -trmx_mul mulVmx // trmx1 mul1mx -mulmxA.
  by rewrite Yz -scalemxAr QE -mulmxA /v mulKVmx.
have := posB' v v0; have := negQ v v0.
have -> : form (X *m B') v = mu * form (Q *m B') v.
  rewrite /form !mulmxA (_ : v^T *m X = mu *: (v^T *m Q)) -?scalemxAl ?e00Z //.
  by rewrite -{1}sX -trmx_mul Xv linearZ /= trmx_mul sQ.
by rewrite pmulr_rgt0 // => /lt_trans lt /lt; rewrite ltxx.
Qed.
End Unstable.
