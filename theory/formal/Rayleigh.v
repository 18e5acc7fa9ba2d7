(* The extreme eigenvalues of a symmetric matrix bound its form: λ_min xᵀx ≤ xᵀSx ≤ λ_max xᵀx, over any real closed
   field, and both exist in dimension ≥ 1. This is what lets a claim say λ_min(C) or λ_max(sym A).

       [least_eigenvalue S mu], [greatest_eigenvalue S mu]

   Proof: a symmetric matrix has a real eigenvalue (eigenvalue_pair of Spectrum.v, with b = 0); a reflection moves its
   eigenvector to the first axis and leaves a symmetric matrix of one dimension less. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import complex ring.
From TD Require Import Forms Spectrum.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition least_eigenvalue (R : realFieldType) n (S : 'M[R]_n) mu :=
  eigenvalue S mu /\ forall nu, eigenvalue S nu -> mu <= nu.
Definition greatest_eigenvalue (R : realFieldType) n (S : 'M[R]_n) mu :=
  eigenvalue S mu /\ forall nu, eigenvalue S nu -> nu <= mu.

Lemma dot_col_mx (R : realFieldType) p n (a b : 'cV[R]_p) (x y : 'cV[R]_n) :
  dot (col_mx a x) (col_mx b y) = dot a b + dot x y.
Proof. by rewrite /dot tr_col_mx mul_row_col e00. Qed.

Section Eigenvectors.
Variables (R : realFieldType) (n : nat).
Implicit Types (S : 'M[R]_n) (x : 'cV[R]_n).

Lemma eigenvector_eigenvalue S x (mu : R) : S^T = S -> x != 0 -> S *m x = mu *: x -> eigenvalue S mu.
Proof.
move=> sS x0 Sx; apply/eigenvalueP; exists x^T; first by rewrite -{1}sS -trmx_mul Sx linearZ.
by apply: contra x0 => /eqP x0; rewrite -[x]trmxK x0 trmx0.
Qed.

Lemma eigenvector_form S x (mu : R) : S *m x = mu *: x -> form S x = mu * dot x x.
Proof. by move=> Sx; rewrite /form -mulmxA Sx -scalemxAr mxE. Qed.

(* an eigenvalue is a value of the form: it lies between the bounds *)
Lemma form_le_eigenvalue S (mu nu : R) : (forall x : 'cV[R]_n, mu * dot x x <= form S x) -> eigenvalue S nu -> mu <= nu.
Proof.
move=> bound /eigenvalue_column[x x0 Sx]; have := bound x.
by rewrite (eigenvector_form Sx) ler_pmul2r ?dot_gt0.
Qed.
End Eigenvectors.

Section Symmetric.
Variable R : rcfType.

Lemma symmetric_eigenvector n (S : 'M[R]_n.+1) : S^T = S ->
  exists a, exists2 x : 'cV[R]_n.+1, x != 0 & S *m x = a *: x.
Proof.
move=> sS; pose SC := map_mx (real_complex R) S.
have /closed_rootP[z rz] : size (char_poly SC) != 1%N by rewrite size_char_poly.
have /eigenvalue_pair[u [v E]] : eigenvalue SC z by rewrite eigenvalue_root_char.
exists (complex.Re z); case: (E) => Su Sv uv.
have b0 : complex.Im z = 0.
  have swap : dot v (S *m u) = dot u (S *m v) by rewrite /dot -[LHS]e00T !trmx_mul trmxK sS mulmxA.
  move: swap; rewrite Su Sv /dot mulmxBr mulmxDr -!scalemxAr !e00 -/(dot v u) -/(dot v v) -/(dot u u) -/(dot u v).
  rewrite (dotC v u) => /eqP; have := eigenpair_norm E.
  move: (complex.Re z) (complex.Im z) (dot u u) (dot v v) (dot u v) => p q uu vv uv' pos.
  rewrite -subr_eq0 (_ : _ - _ = - (q * (uu + vv))); last by ring.
  by rewrite oppr_eq0 mulf_eq0 (gt_eqF pos) orbF => /eqP.
move: Su Sv; rewrite b0 !scale0r subr0 add0r => Su Sv.
by case/orP: uv => nz; [exists u | exists v].
Qed.

(* The reflection that moves the unit vector x to e: H = I − 2vvᵀ/vᵀv, v = x − e. *)
Lemma reflection n (x e : 'cV[R]_n) : dot x x = 1 -> dot e e = 1 ->
  exists H : 'M[R]_n, [/\ H^T = H, H *m H = 1%:M & H *m x = e].
Proof.
move=> xx ee; have [->|xe] := eqVneq x e; first by exists 1%:M; rewrite trmx1 mulmx1 mul1mx.
pose v := x - e; have vv : 0 < dot v v by apply: dot_gt0; rewrite subr_eq0.
have vvE : dot v v = 2%:R * dot v x.
  have vT : v^T = x^T - e^T by rewrite /v linearB.
  rewrite /dot vT /v !mulmxBl !mulmxBr !e00 -/(dot x x) -/(dot e e) -/(dot x e) -/(dot e x) xx ee (dotC e x).
  by move: (dot x e) => a; ring.
pose t := 2%:R / dot v v; pose H := 1%:M - t *: (v *m v^T).
exists H; split.
- by rewrite /H linearB linearZ /= trmx1 trmx_mul trmxK.
- have vvM : v *m v^T *m (v *m v^T) = dot v v *: (v *m v^T).
    rewrite -mulmxA (mulmxA v^T) [v^T *m v](_ : _ = (dot v v)%:M) ?mul_scalar_mx -?scalemxAr //.
    by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) [RHS]mxE eqxx mulr1n.
  rewrite /H mulmxBl mul1mx mulmxBr mulmx1 -scalemxAl -scalemxAr vvM !scalerA.
  have -> : t * t * dot v v = t + t by rewrite -mulrA {2}/t divfK ?gt_eqF // mulr_natr mulr2n.
  by rewrite scalerDl opprB addrK subrK.
rewrite /H mulmxBl mul1mx -scalemxAl -mulmxA [v^T *m x](_ : _ = (dot v x)%:M).
  rewrite mul_mx_scalar scalerA /t mulrAC -vvE divff ?gt_eqF // scale1r /v opprB addrC subrK //.
by apply/matrixP => i j; rewrite (ord1 i) (ord1 j) [RHS]mxE eqxx mulr1n.
Qed.

Lemma reflection_dot n (H : 'M[R]_n) (x y : 'cV[R]_n) : H^T = H -> H *m H = 1%:M -> dot (H *m x) (H *m y) = dot x y.
Proof. by move=> sH HH; rewrite /dot trmx_mul sH -mulmxA (mulmxA H) HH mul1mx. Qed.

Theorem symmetric_least n (S : 'M[R]_n.+1) : S^T = S ->
  exists2 mu, eigenvalue S mu & forall y : 'cV[R]_n.+1, mu * dot y y <= form S y.
Proof.
elim: n S => [|n IH] S sS.
  exists (S 0 0) => [|y].
    apply: (@eigenvector_eigenvalue _ _ _ 1%:M) => //; first by apply: matrix_nonzero1.
    by rewrite mulmx1 scalemx1; apply/matrixP => i j; rewrite (ord1 i) (ord1 j) mxE eqxx mulr1n.
  by rewrite /form -mulmxA dotE !mxE !big_ord1 !mxE big_ord1 mulrCA.
have [a [x0 x0n Sx0]] := symmetric_eigenvector sS.
have x0x0 := dot_gt0 x0n; pose s := (Num.sqrt (dot x0 x0))^-1; pose x := s *: x0.
have s0 : s != 0 by rewrite invr_eq0 sqrtr_eq0 -ltNge.
have xx : dot x x = 1.
  by rewrite dotZ2 exprVn sqr_sqrtr ?ltW // mulVf ?gt_eqF.
have Sx : S *m x = a *: x by rewrite /x -scalemxAr Sx0 !scalerA mulrC.
pose e : 'cV[R]_(1 + n.+1) := col_mx 1%:M 0.
have ee : dot e e = 1 by rewrite dot_col_mx /dot trmx1 mulmx1 mulmx0 !mxE addr0.
have [H [sH HH Hx]] := reflection (xx : dot (x : 'cV[R]_(1 + n.+1)) x = 1) ee.
pose S' : 'M[R]_(1 + n.+1) := H *m S *m H.
have sS' : S'^T = S' by rewrite /S' !trmx_mul sH sS mulmxA.
have He : H *m e = x by rewrite -Hx mulmxA HH mul1mx.
have S'e : S' *m e = a *: e by rewrite /S' -!mulmxA He Sx -scalemxAr Hx.
pose T := drsubmx S'.
have S'E : S' = block_mx a%:M 0 0 T.
  have : S' *m e = col_mx (ulsubmx S') (dlsubmx S').
    by rewrite -[in LHS](submxK S') /e mul_block_col !mulmx1 !mulmx0 !addr0.
  rewrite S'e /e scale_col_mx scaler0 scalemx1 => /eq_col_mx[ul dl].
  by rewrite -[LHS](submxK S') -ul -dl -[ursubmx S'](trmxK) trmx_ursub sS' -dl trmx0.
have sT : T^T = T by rewrite /T trmx_drsub sS'.
have [mu /eigenvalue_column[t t0 Tt] bound] := IH T sT.
have S_of z : S *m (H *m z) = H *m (S' *m z) by rewrite /S' -!mulmxA !mulmxA HH mul1mx.
have form_of z : form S (H *m z) = a * dot (usubmx z) (usubmx z) + form T (dsubmx z).
  rewrite /form -[LHS]/(((H *m z)^T *m S *m (H *m z)) 0 0) -mulmxA S_of -[LHS]/(dot (H *m z) (H *m (S' *m z))).
  rewrite reflection_dot // S'E -{1 2}[z]vsubmxK mul_block_col !mul0mx addr0 add0r dot_col_mx.
  by rewrite mul_scalar_mx /dot -scalemxAr mxE mulmxA.
have dot_of z : dot (H *m z) (H *m z) = dot (usubmx z) (usubmx z) + dot (dsubmx z) (dsubmx z).
  by rewrite reflection_dot // -{1 2}[z]vsubmxK dot_col_mx.
exists (Num.min a mu) => [|y].
  rewrite /Num.min; case: ifP => _; first exact: eigenvector_eigenvalue sS x0n Sx0.
  apply: (@eigenvector_eigenvalue _ _ _ (H *m col_mx 0 t)) => //.
    apply: contra t0 => /eqP E; have : H *m (H *m col_mx 0 t) = 0 by rewrite E mulmx0.
    by rewrite mulmxA HH mul1mx => /eqP; rewrite col_mx_eq0 => /andP[].
  by rewrite S_of S'E mul_block_col !mulmx0 !mul0mx !addr0 add0r Tt scalemxAr scale_col_mx scaler0.
have -> : y = H *m (H *m y) by rewrite mulmxA HH mul1mx.
rewrite form_of dot_of mulrDr; apply: ler_add; first by rewrite ler_wpmul2r ?dot_ge0 // le_minl lexx.
by apply: le_trans (bound _); rewrite ler_wpmul2r ?dot_ge0 // le_minl lexx orbT.
Qed.

Theorem least_eigenvalue_exists n (S : 'M[R]_n.+1) : S^T = S -> exists mu, least_eigenvalue S mu.
Proof.
by move=> /symmetric_least[mu Smu bound]; exists mu; split=> // nu; apply: form_le_eigenvalue.
Qed.

Theorem least_eigenvalue_form n (S : 'M[R]_n.+1) mu (y : 'cV[R]_n.+1) :
  S^T = S -> least_eigenvalue S mu -> mu * dot y y <= form S y.
Proof.
move=> /symmetric_least[nu Snu bound] [_ least]; apply: le_trans (bound y).
by rewrite ler_wpmul2r ?dot_ge0 // least.
Qed.

Lemma trmxN n (S : 'M[R]_n) : (- S)^T = - S^T.
Proof. by apply/matrixP => i j; rewrite !mxE. Qed.

Lemma eigenvalueN n (S : 'M[R]_n) nu : eigenvalue (- S) (- nu) = eigenvalue S nu.
Proof.
apply/eigenvalueP/eigenvalueP => -[v vS v0]; exists v => //; last by rewrite mulmxN scaleNr vS.
by apply: oppr_inj; rewrite -mulmxN vS scaleNr.
Qed.

Lemma greatest_eigenvalueN n (S : 'M[R]_n) mu : greatest_eigenvalue S mu -> least_eigenvalue (- S) (- mu).
Proof.
case=> Smu greatest; split=> [|nu]; first by rewrite eigenvalueN.
by rewrite -[nu]opprK eigenvalueN ler_oppl => /greatest; rewrite opprK.
Qed.

Theorem greatest_eigenvalue_form n (S : 'M[R]_n.+1) mu (y : 'cV[R]_n.+1) :
  S^T = S -> greatest_eigenvalue S mu -> form S y <= mu * dot y y.
Proof.
move=> sS /greatest_eigenvalueN least; rewrite -ler_opp2 -mulNr -formN.
by apply: least_eigenvalue_form => //; rewrite trmxN sS.
Qed.

Theorem greatest_eigenvalue_exists n (S : 'M[R]_n.+1) : S^T = S -> exists mu, greatest_eigenvalue S mu.
Proof.
move=> sS; have [|mu [Smu least]] := @least_eigenvalue_exists _ (- S); first by rewrite trmxN sS.
exists (- mu); split=> [|nu Snu]; first by rewrite -eigenvalueN opprK.
by rewrite ler_oppr; apply: least; rewrite eigenvalueN.
Qed.
End Symmetric.
