(* Descent of a linear mean recursion x ← x + αBx for small constant steps α, in discrete time.

       [lyapunov_descent]   if S > 0 and SB < 0, some α_0 > 0 gives for every 0 < α ≤ α_0 a q < 1 with
                            xᵀSx at the next point ≤ q · xᵀSx
       [lyapunov_decay]     along the recursion x_{k+1} = x_k + αBx_k: x_kᵀSx_k ≤ qᵏ x_0ᵀSx_0

   S = I for a negative definite B [negdef_descent]; for the G of GTD, which is not, S = [[I, −εA], [−εAᵀ, I]] with a
   small ε [saddle_lyapunov]. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms KeyMatrices Rayleigh.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bounds.
Variable R : realFieldType.

(* xᵀQx ≤ K xᵀx with some K > 0 *)
Lemma form_upper n (Q : 'M[R]_n) : exists2 K, 0 < K & forall x, form Q x <= K * dot x x.
Proof.
have S0 : 0 <= \sum_i \sum_j `|Q i j| by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _.
exists (\sum_i \sum_j `|Q i j| + 1) => [|x]; first by rewrite ltr_paddl ?ltr01.
apply: le_trans (ler_norm _) _; apply: le_trans (form_bound Q x) _.
by rewrite ler_wpmul2r ?dot_ge0 // ler_addl ler01.
Qed.

(* A positive definite matrix is so with a margin: with xᵀB⁻¹x ≤ K|x|², 0 ≤ (x − K⁻¹B⁻¹x)ᵀB(x − K⁻¹B⁻¹x) ≤ xᵀBx −
   K⁻¹|x|². *)
Lemma posdef_margin n (B : 'M[R]_n) : posdef B -> exists2 rho, 0 < rho & forall x, rho * dot x x <= form B x.
Proof.
move=> pos; have [S [S_sym SB]] : exists S, S^T = S /\ form S =1 form B.
  by exists (sym B); split=> [|x]; rewrite ?form_sym //; apply/matrixP => i j; rewrite !mxE addrC.
have S_pos : posdef S by move=> x /pos; rewrite SB.
have S_unit := posdef_unitmx S_pos; have [K K0 upper] := form_upper (invmx S).
have S_ge0 z : 0 <= form S z by have [->|/S_pos/ltW//] := eqVneq z 0; rewrite form0.
exists K^-1 => [|x]; first by rewrite invr_gt0.
pose y := invmx S *m x; have Sy : S *m y = x by rewrite mulKVmx.
have Sxy : dot (S *m x) y = dot x x by rewrite /dot trmx_mul S_sym -mulmxA Sy.
have Sy_y : form S y = form (invmx S) x by rewrite /form -mulmxA Sy -[LHS]/(dot y x) dotC /dot mulmxA.
have yy : form S (- K^-1 *: y) = K^-1 * (K^-1 * form (invmx S) x).
  by rewrite -Sy_y /form -scalemxAr linearZ /= -!scalemxAl !e00Z !mulNr mulrN opprK.
have := S_ge0 (x + - K^-1 *: y); rewrite form_add // yy [dot _ (_ *: _)]dotC dotZl dotC Sxy -SB.
have : K^-1 * form (invmx S) x <= dot x x by rewrite ler_pdivr_mull.
move: (form (invmx S) x) (dot x x) (form S x) => p z f; rewrite -(@ler_pmul2l _ K^-1) ?invr_gt0 // => pz H.
rewrite -subr_ge0; apply: le_trans H _; rewrite -subr_ge0.
by rewrite (_ : _ - _ = K^-1 * z - K^-1 * (K^-1 * p)) ?subr_ge0 //; move: K^-1 => k; ring.
Qed.
End Bounds.

Section Descent.
Variables (R : realFieldType) (n : nat) (S B : 'M[R]_n).
Hypothesis S_sym : S^T = S.
Hypothesis S_posdef : posdef S.
Hypothesis SB_negdef : negdef (S *m B).

Lemma form_step alpha (x : 'cV[R]_n) :
  form S (x + alpha *: (B *m x)) = form S x + 2%:R * alpha * form (S *m B) x + alpha ^+ 2 * form (B^T *m S *m B) x.
Proof.
rewrite form_add // form_congruence; congr (_ + _ + _).
  rewrite dotC dotZl dotC -mulrA; congr (_ * (_ * _)).
  by rewrite /dot /form trmx_mul S_sym !mulmxA.
have formE y : form S y = dot y (S *m y) by rewrite /form /dot mulmxA.
by rewrite !formE -scalemxAr dotZl dotC dotZl dotC mulrA expr2.
Qed.

Theorem lyapunov_descent : exists2 alpha0, 0 < alpha0 &
  forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall x : 'cV[R]_n, form S (x + alpha *: (B *m x)) <= q * form S x.
Proof.
have [rho rho0 margin] : exists2 rho, 0 < rho & forall x : 'cV[R]_n, rho * dot x x <= form (- (S *m B)) x.
  by apply: posdef_margin; apply/negdefN.
have [K K0 upper] := form_upper S; have [K' K0' upper'] := form_upper (B^T *m S *m B).
exists (rho / K') => [|alpha /andP[a0 a_le]]; first exact: divr_gt0.
have aK : alpha * K' <= rho by rewrite -ler_pdivl_mulr.
have step (x : 'cV[R]_n) : form S (x + alpha *: (B *m x)) <= form S x - alpha * rho * dot x x.
  rewrite form_step -addrA ler_add2l.
  have := margin x; rewrite formN ler_oppr => SB_le.
  apply: (@le_trans _ _ (2%:R * alpha * - (rho * dot x x) + alpha ^+ 2 * (K' * dot x x))).
    by apply: ler_add; rewrite ler_pmul2l ?mulr_gt0 ?exprn_gt0 ?ltr0n.
  rewrite -subr_ge0 (_ : _ - _ = alpha * dot x x * (rho - alpha * K')); last by move: (dot x x) => y; ring.
  by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 ?dot_ge0 ?ltW.
have c0 : 0 < alpha * rho / K by rewrite divr_gt0 ?mulr_gt0.
exists (Num.max 0 (1 - alpha * rho / K)) => [|x].
  by rewrite le_maxr lexx /= lt_maxl ltr01 ltr_subl_addr ltr_addl.
apply: le_trans (step x) _; apply: (@le_trans _ _ ((1 - alpha * rho / K) * form S x)); last first.
  rewrite ler_wpmul2r //; last by rewrite le_maxr lexx orbT.
  by have [->|/S_posdef/ltW//] := eqVneq x 0; rewrite form0.
have SK : form S x / K <= dot x x by rewrite ler_pdivr_mulr // mulrC.
have aR : 0 <= alpha * rho by rewrite mulr_ge0 // ltW.
by rewrite mulrBl mul1r ler_add2l ler_opp2 mulrAC -mulrA ler_wpmul2l.
Qed.

Lemma lyapunov_decay alpha q (x : nat -> 'cV[R]_n) : 0 <= q ->
  (forall y : 'cV[R]_n, form S (y + alpha *: (B *m y)) <= q * form S y) ->
  (forall k, x k.+1 = x k + alpha *: (B *m x k)) -> forall k, form S (x k) <= q ^+ k * form S (x 0%N).
Proof.
move=> q0 step xE; elim=> [|k IH]; first by rewrite expr0 mul1r.
by rewrite xE exprS -mulrA; apply: le_trans (step _) _; rewrite ler_wpmul2l.
Qed.
End Descent.

(* A negative definite matrix descends in the Euclidean norm. *)
Section NegativeDefinite.
Variables (R : realFieldType) (n : nat) (B : 'M[R]_n).
Hypothesis B_negdef : negdef B.

Lemma form_id (x : 'cV[R]_n) : form 1%:M x = dot x x.
Proof. by rewrite /form mulmx1. Qed.

Theorem negdef_descent : exists2 alpha0, 0 < alpha0 &
  forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall x : nat -> 'cV[R]_n,
    (forall k, x k.+1 = x k + alpha *: (B *m x k)) -> forall k, dot (x k) (x k) <= q ^+ k * dot (x 0%N) (x 0%N).
Proof.
have one_posdef : posdef (1%:M : 'M[R]_n) by move=> x x0; rewrite form_id dot_gt0.
have neg : negdef (1%:M *m B) by rewrite mul1mx.
have [a0 a0p descent] := lyapunov_descent (trmx1 _ _) one_posdef neg; exists a0 => // a /descent[q q01 step].
exists q => // x xE k; have /andP[q0 _] := q01.
by have := lyapunov_decay q0 step xE k; rewrite !form_id.
Qed.
End NegativeDefinite.

(* GTD's G = [[−sC, A], [−Aᵀ, 0]]: with S = [[I, −εA], [−εAᵀ, I]],
   ξᵀSGξ = −s wᵀCw + ε|Aᵀw|² + εs (Aθ)ᵀCw − ε|Aθ|². *)
Section Saddle.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (s : R).
Hypothesis s_gt0 : 0 < s.
Hypothesis C_posdef : posdef C.
Hypothesis A_unit : A \in unitmx.

Definition saddle_weight (eps : R) : 'M[R]_(m + m) := block_mx 1%:M (- (eps *: A)) (- (eps *: A^T)) 1%:M.

Lemma saddle_weight_sym eps : (saddle_weight eps)^T = saddle_weight eps.
Proof. by rewrite /saddle_weight tr_block_mx !trmx1 !linearN !linearZ /= trmxK. Qed.

Let dot_adjoint (B : 'M[R]_m) x y : dot x (B *m y) = dot (B^T *m x) y.
Proof. by rewrite /dot trmx_mul trmxK mulmxA. Qed.
Let dotDr (x y z : 'cV[R]_m) : dot x (y + z) = dot x y + dot x z.
Proof. by rewrite dotC dotDl !(dotC x). Qed.
Let dotNr (x y : 'cV[R]_m) : dot x (- y) = - dot x y.
Proof. by rewrite dotC dotNl dotC. Qed.
Let dotZr a (x y : 'cV[R]_m) : dot x (a *: y) = a * dot x y.
Proof. by rewrite dotC dotZl dotC. Qed.

(* ξᵀSη for ξ = (w, θ), η = (y, z) *)
Let bilinear eps (w theta y z : 'cV[R]_m) :
  ((col_mx w theta)^T *m (saddle_weight eps *m col_mx y z)) 0 0
  = dot w y - eps * dot (A^T *m w) z - eps * dot (A *m theta) y + dot theta z.
Proof.
rewrite /saddle_weight mul_block_col !mul1mx !mulNmx -!scalemxAl -[LHS]/(dot (col_mx w theta) (col_mx _ _)) dot_col_mx.
rewrite !dotDr !dotNr !dotZr (dot_adjoint A) (dot_adjoint A^T) trmxK.
by move: (dot w y) (dot _ _) (dot _ _) (dot theta z) => a b e f; ring.
Qed.

Lemma form_saddle_weight eps (w theta : 'cV[R]_m) :
  form (saddle_weight eps) (col_mx w theta) = dot w w + dot theta theta - 2%:R * eps * dot (A^T *m w) theta.
Proof.
rewrite /form -mulmxA bilinear [dot (A *m theta) w]dotC dot_adjoint.
by move: (dot w w) (dot theta theta) (dot _ _) => a b e; ring.
Qed.

Lemma form_saddle_product eps (w theta : 'cV[R]_m) :
  form (saddle_weight eps *m gtd_matrix s A C) (col_mx w theta)
  = - (s * form C w) + eps * dot (A^T *m w) (A^T *m w)
    + eps * s * dot (A *m theta) (C *m w) - eps * dot (A *m theta) (A *m theta).
Proof.
have GE : gtd_matrix s A C *m col_mx w theta = col_mx (- (s *: (C *m w)) + A *m theta) (- (A^T *m w)).
  by rewrite /gtd_matrix mul_block_col mul0mx addr0 !mulNmx -scalemxAl.
have CE : form C w = dot w (C *m w) by rewrite /form /dot mulmxA.
rewrite /form -mulmxA -(mulmxA (saddle_weight eps)) GE bilinear -/(form C w) CE.
rewrite !dotDr !dotNr !dotZr (dot_adjoint A w) [dot theta _]dotC.
move: (dot w (C *m w)) (dot (A^T *m w) theta) (dot (A^T *m w) (A^T *m w)) => a b e.
by move: (dot (A *m theta) (C *m w)) (dot (A *m theta) (A *m theta)) => f g; ring.
Qed.

(* A small ε makes both signs right. *)
Theorem saddle_lyapunov : exists eps, posdef (saddle_weight eps) /\ negdef (saddle_weight eps *m gtd_matrix s A C).
Proof.
have [mu mu0 C_margin] := posdef_margin C_posdef.
have [K K0 AA] := form_upper (A *m A^T); have [K' K0' CC] := form_upper (C^T *m C).
have AAE w : dot (A^T *m w) (A^T *m w) <= K * dot w w.
  by apply: le_trans (AA w); rewrite /dot /form trmx_mul trmxK !mulmxA.
have CCE w : dot (C *m w) (C *m w) <= K' * dot w w.
  by apply: le_trans (CC w); rewrite /dot /form trmx_mul !mulmxA.
have sm0 : 0 < s * mu by rewrite mulr_gt0.
pose D : R := 2%:R + 2%:R * K + (2%:R * K + s ^+ 2 * K') / (s * mu).
have t0 : 0 < (2%:R * K + s ^+ 2 * K') / (s * mu).
  by rewrite divr_gt0 // addr_gt0 ?mulr_gt0 ?exprn_gt0 ?ltr0n.
have D2 : 2%:R + 2%:R * K < D by rewrite ltr_addl.
have D0 : 0 < D by apply: lt_trans D2; rewrite addr_gt0 ?mulr_gt0 ?ltr0n.
pose eps : R := D^-1; have e0 : 0 < eps by rewrite invr_gt0.
have e1 : eps * (1 + K) < 1.
  rewrite mulrC ltr_pdivr_mulr // mul1r; apply: lt_trans D2; rewrite -subr_gt0.
  by rewrite (_ : _ - _ = 1 + K) ?addr_gt0 ?ltr01 //; ring.
have e2 : eps * (2%:R * K + s ^+ 2 * K') < s * mu.
  have XD : (2%:R * K + s ^+ 2 * K') / (s * mu) < D by rewrite /D ltr_addr addr_gt0 ?mulr_gt0 ?ltr0n.
  by rewrite mulrC ltr_pdivr_mulr // [s * mu * D]mulrC -ltr_pdivr_mulr.
have young (x y : 'cV[R]_m) : 2%:R * dot x y <= dot x x + dot y y.
  have E : dot (x - y) (x - y) = dot x x + dot y y - 2%:R * dot x y.
    rewrite dotDr dotNr !dotDl !dotNl (dotC y x).
    by move: (dot x x) (dot x y) (dot y y) => a b e; ring.
  by rewrite -subr_ge0 -E dot_ge0.
clearbody eps; exists eps; split=> xi; rewrite -[xi]vsubmxK; move: (usubmx xi) (dsubmx xi) => w theta.
- rewrite col_mx_eq0 negb_and => nz; rewrite form_saddle_weight subr_gt0 mulrAC [2%:R * _]mulrC.
  have ab0 : 0 < dot w w + dot theta theta.
    by case/orP: nz => /dot_gt0 H; [apply: ltr_paddr | apply: ltr_paddl]; rewrite ?dot_ge0.
  have le : 2%:R * dot (A^T *m w) theta <= (1 + K) * (dot w w + dot theta theta).
    apply: le_trans (young _ _) _; apply: (@le_trans _ _ (K * dot w w + dot theta theta)); first by rewrite ler_add2r.
    rewrite -subr_ge0 (_ : _ - _ = dot w w + K * dot theta theta); last first.
      by move: (dot w w) (dot theta theta) => *; ring.
    by rewrite addr_ge0 ?mulr_ge0 ?dot_ge0 // ltW.
  rewrite [dot _ _ * _]mulrC mulrC; apply: (@le_lt_trans _ _ (eps * ((1 + K) * (dot w w + dot theta theta)))).
    by rewrite ler_pmul2l.
  by rewrite mulrA gtr_pmull.
rewrite col_mx_eq0 negb_and => nz; have two0 : 0 < 2%:R :> R by rewrite ltr0n.
rewrite form_saddle_product -(pmulr_rlt0 _ two0).
have yo := young (A *m theta) (s *: (C *m w)); rewrite dotZr dotZ2 in yo.
have Cw : s * mu * dot w w <= s * form C w by rewrite -mulrA ler_pmul2l.
have last0 : 0 < s * mu * dot w w + eps * dot (A *m theta) (A *m theta).
  case/orP: nz => [/dot_gt0 ww|theta0].
    by apply: ltr_paddr; [rewrite mulr_ge0 ?dot_ge0 // ltW | rewrite mulr_gt0].
  have Atheta0 : A *m theta != 0 by apply: contra theta0 => /eqP/(proj2 (inj_unitmx A) A_unit)/eqP.
  by apply: ltr_paddl; [rewrite mulr_ge0 ?dot_ge0 // ltW | rewrite mulr_gt0 // dot_gt0].
move: last0 Cw yo (AAE w) (CCE w) (dot_ge0 w) e2; rewrite -oppr_gt0.
move: (dot w w) (dot (A *m theta) (A *m theta)) (form C w) (dot (A^T *m w) (A^T *m w)) => x y p q.
move: (dot (A *m theta) (C *m w)) (dot (C *m w) (C *m w)) => z k last0 Cw yo AAw CCw x0 e2'.
have -> : - (2%:R * (- (s * p) + eps * q + eps * s * z - eps * y))
  = 2%:R * (s * p - s * mu * x) + 2%:R * eps * (K * x - q) + eps * (y + s ^+ 2 * k - 2%:R * (s * z))
    + eps * s ^+ 2 * (K' * x - k) + (s * mu - eps * (2%:R * K + s ^+ 2 * K')) * x + (s * mu * x + eps * y) by ring.
have e0' := ltW e0; have s0' := ltW s_gt0.
by apply: ltr_paddl => //; rewrite !addr_ge0 ?mulr_ge0 ?exprn_ge0 ?ler0n ?subr_ge0 // ltW.
Qed.
End Saddle.
