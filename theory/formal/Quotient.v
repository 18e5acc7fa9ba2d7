(* Dependent features: Φ = FT with T of orthonormal rows. The algorithms on Φ are those on F, seen through T:

     quotient_td      Tθ_t of off_policy_td with Φ, θ_0 is θ_t of off_policy_td with F, Tθ_0
     quotient_gtd     the same of (θ_t, w_t) of GTD; [quotient_tdc] of TDC
     orthonormal      T with independent rows is VT' with T' of orthonormal rows and V nonsingular, so that Φ = BT = (BV)T'
   so that the predictions Φθ_t = F(Tθ_t) are those of F. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms KeyMatrices Windows OffPolicy.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Cholesky *)
Lemma cholesky (R : rcfType) n (W : 'M[R]_n) : W^T = W -> posdef W -> exists V : 'M[R]_n, V *m V^T = W.
Proof.
elim: n W => [|n IH] W sym pos; first by exists 0; apply/matrixP => -[].
pose a := @ulsubmx R 1 n 1 n W 0 0; pose b := @dlsubmx R 1 n 1 n W; pose C := @drsubmx R 1 n 1 n W.
have WE : W = @block_mx R 1 n 1 n a%:M b^T b C.
  have ur : @ursubmx R 1 n 1 n W = b^T by rewrite /b -[in RHS]sym trmx_dlsub trmxK.
  have ul : @ulsubmx R 1 n 1 n W = a%:M := mx11_scalar _.
  by rewrite -[LHS](@submxK R 1 n 1 n W) ur ul.
have C_sym : C^T = C by rewrite /C trmx_drsub sym.
have formE t (y : 'cV[R]_n) : form W (@col_mx R 1 n 1 t%:M y)
    = t ^+ 2 * a + 2%:R * t * (b^T *m y) 0 0 + form C y.
  rewrite /form {1}WE -mulmxA (@mul_block_col R 1 n 1 n 1) (@tr_col_mx R 1 n 1) (@mul_row_col R 1 1 n 1).
  rewrite tr_scalar_mx !mulmxDr -!scalar_mxM mul_scalar_mx mul_mx_scalar -scalemxAr.
  have -> : y^T *m b = (b^T *m y)^T by rewrite trmx_mul trmxK.
  rewrite mulmxA !(mxE, e00T) /= mulr1n; ring.
have a0 : 0 < a.
  have := pos (@col_mx R 1 n 1 1%:M 0); have z : (0 : 'M[R]_1) 0 0 = 0 by rewrite mxE.
  rewrite formE mulmx0 z form0 mulr0 !addr0 expr1n mul1r; apply.
  by apply/eqP => /(congr1 (@usubmx R 1 n 1))/matrixP/(_ 0 0)/eqP; rewrite col_mxKu !mxE oner_eq0.
pose C' := C - a^-1 *: (b *m b^T).
have C'_sym : C'^T = C' by rewrite /C' linearB /= C_sym linearZ /= trmx_mul trmxK.
have C'_pos : posdef C'.
  move=> y y0; pose g := (b^T *m y) 0 0.
  have x0 : @col_mx R 1 n 1 (- a^-1 * g)%:M y != 0.
    by apply: contra y0 => /eqP/(congr1 (@dsubmx R 1 n 1)); rewrite col_mxKd linear0 => ->.
  have := pos _ x0; rewrite formE -/g /C' formB formZ.
  have -> : form (b *m b^T) y = g ^+ 2.
    rewrite /form mulmxA -mulmxA; have -> : y^T *m b = (b^T *m y)^T by rewrite trmx_mul trmxK.
    by rewrite mxE big_ord1 mxE expr2.
  have -> : (- a^-1 * g) ^+ 2 * a + 2%:R * (- a^-1 * g) * g + form C y = form C y - a^-1 * g ^+ 2; last by [].
  by field; rewrite gt_eqF.
have [V' V'E] := IH C' C'_sym C'_pos.
have [s s0 sE] : exists2 s : R, s != 0 & s * s = a.
  by exists (Num.sqrt a); rewrite ?gt_eqF ?sqrtr_gt0 // -expr2 sqr_sqrtr // ltW.
exists (@block_mx R 1 n 1 n s%:M 0 (s^-1 *: b) V').
rewrite (@tr_block_mx R 1 n 1 n) (@mulmx_block R 1 n 1 n 1 n) tr_scalar_mx !trmx0 !mul0mx !mulmx0 !addr0 linearZ /= V'E.
rewrite {}[in RHS]WE; congr (@block_mx R 1 n 1 n).
- by rewrite -scalar_mxM sE.
- by rewrite mul_scalar_mx scalerA divff // scale1r.
- by rewrite mul_mx_scalar scalerA divff // scale1r.
rewrite -scalemxAl -scalemxAr scalerA -invfM sE /C' addrC subrK //.
Qed.

Lemma orthonormal (R : rcfType) k m (T : 'M[R]_(k, m)) (E : 'M[R]_(m, k)) : T *m E = 1%:M ->
  exists V T', [/\ V \in @unitmx R k, T = V *m T' & T' *m T'^T = 1%:M].
Proof.
move=> TE; pose W := T *m T^T; have W_sym : W^T = W by rewrite trmx_mul trmxK.
have W_pos : posdef W.
  move=> y y0; have -> : form W y = dot (T^T *m y) (T^T *m y) by rewrite /form /dot trmx_mul trmxK !mulmxA.
  apply: dot_gt0; apply: contra y0 => /eqP Ty; have := congr1 (mulmx E^T) Ty.
  by rewrite mulmxA -trmx_mul TE trmx1 mul1mx mulmx0 => ->.
have [V VE] := cholesky W_sym W_pos; have V_unit : V \in unitmx.
  by have := posdef_unitmx W_pos; rewrite -VE unitmx_mul => /andP[].
exists V, (invmx V *m T); split=> //; first by rewrite mulKVmx.
by rewrite trmx_mul -mulmxA [T *m _]mulmxA -/W -VE -mulmxA trmx_inv mulmxV ?unitmx_tr // mulmx1 mulVmx.
Qed.

Section Quotient.
Variables (R : realFieldType) (n m k : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Variables (F : 'M[R]_(n.+1, k)) (T : 'M[R]_(k, m)).
Variables (gamma rho reward : 'I_n.+1 -> O -> R) (alpha beta : nat -> R) (theta0 w0 : 'cV[R]_m).
Hypothesis PhiE : Phi = F *m T.
Hypothesis T_orthonormal : T *m T^T = 1%:M.

Lemma quotient_phi i : phi Phi i = T^T *m phi F i.
Proof. by rewrite /phi PhiE row_mul trmx_mul. Qed.

Lemma quotient_feature h : feature state Phi h = T^T *m feature state F h.
Proof. by case: h => [|o h] /=; [rewrite mulmx0 | exact: quotient_phi]. Qed.

Lemma quotient_trace g h : td_trace state Phi lam g h = T^T *m td_trace state F lam g h.
Proof.
rewrite !td_trace_lags /td_lags mulmx_sumr; apply: eq_bigr => j _.
by rewrite quotient_feature scalemxAr.
Qed.

Lemma quotient_z o h : td_z state Phi lam gamma rho o h = T^T *m td_z state F lam gamma rho o h.
Proof. by case: h => [|o' h] /=; [rewrite mulmx0 | rewrite quotient_trace scalemxAr]. Qed.

Lemma quotient_dot (x : 'cV[R]_k) (theta : 'cV[R]_m) : dot (T^T *m x) theta = dot x (T *m theta).
Proof. by rewrite /dot trmx_mul trmxK mulmxA. Qed.

Lemma quotient_delta theta i o :
  td_delta state Phi gamma reward theta i o = td_delta state F gamma reward (T *m theta) i o.
Proof. by rewrite /td_delta !quotient_phi !quotient_dot. Qed.

Let back l (x : 'M[R]_(k, l)) : T *m (T^T *m x) = x.
Proof. by rewrite mulmxA T_orthonormal mul1mx. Qed.

Let td_step l (G : 'M[R]_(n.+1, l)) x o' o h (theta := off_policy_td state G lam gamma rho reward alpha x (o :: h)) :
  off_policy_td state G lam gamma rho reward alpha x (o' :: o :: h) = theta
  + alpha (size h) *: (td_delta state G gamma reward theta (state o) o' *: td_z state G lam gamma rho o' (o :: h)).
Proof. by []. Qed.

Theorem quotient_td h : T *m off_policy_td state Phi lam gamma rho reward alpha theta0 h
  = off_policy_td state F lam gamma rho reward alpha (T *m theta0) h.
Proof.
elim: h => [|o' [|o h] IH] //.
by rewrite !td_step mulmxDr -2!scalemxAr quotient_z back quotient_delta IH.
Qed.

(* (Tθ, Tw) *)
Definition through (x : 'cV[R]_m * 'cV[R]_m) : 'cV[R]_k * 'cV[R]_k := (T *m x.1, T *m x.2).

Let moved (x : 'cV[R]_k) (y : 'cV[R]_k) (w : 'cV[R]_m) :
  T *m (T^T *m x *m (T^T *m y)^T *m w) = x *m y^T *m (T *m w).
Proof. by rewrite trmx_mul trmxK -!mulmxA back. Qed.

Let w_through o' o past theta w :
  T *m w_step state Phi lam gamma rho reward beta o' o past theta w
  = w_step state F lam gamma rho reward beta o' o past (T *m theta) (T *m w).
Proof.
by rewrite /w_step mulmxDr -scalemxAr mulmxBr -scalemxAr quotient_z back quotient_delta !quotient_phi moved.
Qed.

Let difference g i j : phi Phi i - g *: phi Phi j = T^T *m (phi F i - g *: phi F j).
Proof. by rewrite !quotient_phi scalemxAr mulmxBr. Qed.
Let difference' g i j : g *: phi Phi j - phi Phi i = T^T *m (g *: phi F j - phi F i).
Proof. by rewrite !quotient_phi scalemxAr mulmxBr. Qed.

Let gtd_through o' o past x : through (gtd_step state Phi lam gamma rho reward alpha beta o' o past x)
  = gtd_step state F lam gamma rho reward alpha beta o' o past (through x).
Proof.
case: x => theta w; rewrite /through /gtd_step; congr (_, _); last exact: w_through.
by rewrite mulmxDr -scalemxAr quotient_z difference moved.
Qed.

Let tdc_through o' o past x : through (tdc_step state Phi lam gamma rho reward alpha beta o' o past x)
  = tdc_step state F lam gamma rho reward alpha beta o' o past (through x).
Proof.
case: x => theta w; rewrite /through /tdc_step; congr (_, _); last exact: w_through.
rewrite mulmxBr mulmxDr -2!scalemxAr quotient_z back -scalemxAr mulmxDr quotient_delta difference' !quotient_phi.
by rewrite !moved.
Qed.

Theorem quotient_gtd h : through (gtd state Phi lam gamma rho reward alpha beta theta0 w0 h)
  = gtd state F lam gamma rho reward alpha beta (T *m theta0) (T *m w0) h.
Proof.
elim: h => [|o' [|o h] IH] //.
rewrite -[gtd state Phi _ _ _ _ _ _ _ _ _]/(gtd_step state Phi lam gamma rho reward alpha beta o' o h
  (gtd state Phi lam gamma rho reward alpha beta theta0 w0 (o :: h))).
by rewrite gtd_through IH.
Qed.

Theorem quotient_tdc h : through (tdc state Phi lam gamma rho reward alpha beta theta0 w0 h)
  = tdc state F lam gamma rho reward alpha beta (T *m theta0) (T *m w0) h.
Proof.
elim: h => [|o' [|o h] IH] //.
rewrite -[tdc state Phi _ _ _ _ _ _ _ _ _]/(tdc_step state Phi lam gamma rho reward alpha beta o' o h
  (tdc state Phi lam gamma rho reward alpha beta theta0 w0 (o :: h))).
by rewrite tdc_through IH.
Qed.
End Quotient.
