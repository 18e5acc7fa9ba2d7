(* TDC on two time scales: one Lyapunov function for both, valid while α_t/β_t stays below a bound.

   The mean recursion of (w, y), y = θ − θ*, is
       w⁺ = w + β(Ay − Cw),   y⁺ = y + α(Ay − (Aᵀ + C)w).
   With K = C⁻¹A, B = AᵀC⁻¹A and z = w − Ky it reads
       z⁺ = z − βCz + αK(By + (Aᵀ + C)z),   y⁺ = y − α(By + (Aᵀ + C)z),
   and V = |z|² + τ|y|² = ξᵀQξ, ξ = (w, y), descends to first order by
       αbτ|y|² + (2βc − α(K₁²/(bτ) + 2K₂))|z|²                                       [tdc_drift]
   where c|x|² ≤ xᵀCx, b|x|² ≤ xᵀBx, |(KB − τ(A + C))ᵀx| ≤ K₁|x| and xᵀK(Aᵀ + C)x ≤ K₂|x|²; τ > 0 is free. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Rayleigh OneStep.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variables (R : realFieldType) (m : nat).
Implicit Types (A C : 'M[R]_m).

(* the two step sizes: β for w, α for θ *)
Definition two_steps (beta alpha : R) : 'M[R]_(m + m) := block_mx beta%:M 0 0 alpha%:M.

(* E_0 of TDC's matrix: (w, θ) ↦ (Aθ − Cw, Aθ − (Aᵀ + C)w) *)
Definition tdc_mean A C : 'M[R]_(m + m) := block_mx (- C) A (- (A^T + C)) A.

(* (w, y) ↦ (z, y), z = w − C⁻¹Ay *)
Definition tdc_coordinates A C : 'M[R]_(m + m) := block_mx 1%:M (- (invmx C *m A)) 0 1%:M.
Definition tdc_weight A C (tau : R) : 'M[R]_(m + m) :=
  (tdc_coordinates A C)^T *m block_mx 1%:M 0 0 tau%:M *m tdc_coordinates A C.

(* KB − τ(A + C) *)
Definition tdc_cross A C (tau : R) : 'M[R]_m := invmx C *m A *m (A^T *m invmx C *m A) - tau *: (A + C).
End Definitions.

Section Weight.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (tau : R).
Local Notation Q := (tdc_weight A C tau).
Local Notation K := (invmx C *m A).
Implicit Types (w y : 'cV[R]_m).

Lemma tdc_coordinatesE w y : tdc_coordinates A C *m col_mx w y = col_mx (w - K *m y) y.
Proof. by rewrite /tdc_coordinates mul_block_col !mul1mx mul0mx add0r mulNmx. Qed.

Let scale_sym : (block_mx 1%:M 0 0 tau%:M : 'M[R]_(m + m))^T = block_mx 1%:M 0 0 tau%:M.
Proof. by rewrite tr_block_mx !trmx0 !tr_scalar_mx. Qed.

Lemma tdc_weight_sym : Q^T = Q.
Proof. by rewrite /tdc_weight !trmx_mul trmxK scale_sym mulmxA. Qed.

(* ξᵀQη *)
Lemma tdc_weight_dot w y (eta : 'cV[R]_(m + m)) : ((col_mx w y)^T *m Q *m eta) 0 0
  = dot (col_mx (w - K *m y) (tau *: y)) (tdc_coordinates A C *m eta).
Proof.
have -> : col_mx (w - K *m y) (tau *: y) = block_mx 1%:M 0 0 tau%:M *m (tdc_coordinates A C *m col_mx w y).
  by rewrite tdc_coordinatesE mul_block_col !mul0mx addr0 add0r mul1mx mul_scalar_mx.
by rewrite /dot /tdc_weight !trmx_mul scale_sym !mulmxA.
Qed.

Lemma form_tdc_weight w y : form Q (col_mx w y) = dot (w - K *m y) (w - K *m y) + tau * dot y y.
Proof. by rewrite /form tdc_weight_dot tdc_coordinatesE dot_col_mx dotZl. Qed.

Lemma tdc_weight_posdef : 0 < tau -> posdef Q.
Proof.
move=> t0 xi; rewrite -[xi]vsubmxK; move: (usubmx xi) (dsubmx xi) => w y; rewrite form_tdc_weight col_mx_eq0 negb_and.
have [->|/dot_gt0 y0 _] := eqVneq y 0; last by rewrite ltr_paddl ?dot_ge0 // mulr_gt0.
by rewrite orbF mulmx0 subr0 => /dot_gt0 w0; rewrite ltr_paddr // mulr_ge0 ?dot_ge0 // ltW.
Qed.

(* A step changes ξ by at most its larger step size. *)
Lemma two_steps_le (alpha beta : R) (xi : 'cV[R]_(m + m)) :
  dot (two_steps m beta alpha *m xi) (two_steps m beta alpha *m xi) <= (alpha ^+ 2 + beta ^+ 2) * dot xi xi.
Proof.
rewrite -[xi]vsubmxK; move: (usubmx xi) (dsubmx xi) => w y.
rewrite /two_steps mul_block_col !mul0mx addr0 add0r !mul_scalar_mx !dot_col_mx !dotZ2.
rewrite -subr_ge0 (_ : _ - _ = alpha ^+ 2 * dot w w + beta ^+ 2 * dot y y); last by move: (dot w w) (dot y y) => p q;
  ring.
by apply: addr_ge0; apply: mulr_ge0; rewrite ?sqr_ge0 ?dot_ge0.
Qed.
End Weight.

Section Drift.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (b c K1 K2 tau : R).
Local Notation Q := (tdc_weight A C tau).
Local Notation F := (tdc_cross A C tau).
Local Notation K := (invmx C *m A).
Local Notation B := (A^T *m invmx C *m A).
Hypothesis C_unit : C \in unitmx.
Hypothesis C_sym : C^T = C.
Hypothesis b_gt0 : 0 < b.
Hypothesis tau_gt0 : 0 < tau.
Hypothesis C_margin : forall x : 'cV[R]_m, c * dot x x <= form C x.
Hypothesis B_margin : forall x : 'cV[R]_m, b * dot x x <= form B x.
Hypothesis K1_bound : forall x : 'cV[R]_m, dot (F^T *m x) (F^T *m x) <= K1 ^+ 2 * dot x x.
Hypothesis K2_bound : forall x : 'cV[R]_m, form (K *m (A^T + C)) x <= K2 * dot x x.

Let dot_mul (M : 'M[R]_m) x y : dot x (M *m y) = dot (M^T *m x) y.
Proof. by rewrite /dot trmx_mul trmxK mulmxA. Qed.
Let dotDr (x y z : 'cV[R]_m) : dot x (y + z) = dot x y + dot x z.
Proof. by rewrite dotC dotDl !(dotC x). Qed.
Let dotZr a (x y : 'cV[R]_m) : dot x (a *: y) = a * dot x y.
Proof. by rewrite dotC dotZl dotC. Qed.

Theorem tdc_drift (alpha beta : R) (w y : 'cV[R]_m) (z := w - K *m y) : 0 <= alpha -> 0 <= beta ->
  2%:R * form (Q *m two_steps m beta alpha *m tdc_mean A C) (col_mx w y)
  <= - (alpha * b * (tau * dot y y) + (2%:R * beta * c - alpha * (K1 ^+ 2 / (b * tau) + 2%:R * K2)) * dot z z).
Proof.
move=> a0 b0; have wE : w = z + K *m y by rewrite subrK.
have zE : w - K *m y = z by [].
clearbody z.
have meanE : tdc_mean A C *m col_mx w y = col_mx (- (C *m z)) (- (B *m y + (A^T + C) *m z)).
  rewrite /tdc_mean mul_block_col wE !mulmxDr !mulNmx !mulmxA (mulmxV C_unit) mul1mx; congr col_mx.
    by rewrite subrK.
  rewrite (mulmxDl A^T C (invmx C)) (mulmxV C_unit) (mulmxDl _ 1%:M A) mul1mx (mulmxDl _ A y).
  move: (B *m y) (A *m y) ((A^T + C) *m z) => p q u.
  by rewrite !opprD addrA subrK addrC.
have -> : form (Q *m two_steps m beta alpha *m tdc_mean A C) (col_mx w y)
  = dot (col_mx z (tau *: y)) (tdc_coordinates A C *m (two_steps m beta alpha *m (tdc_mean A C *m col_mx w y))).
  by rewrite -zE -tdc_weight_dot /form !mulmxA.
rewrite meanE /two_steps mul_block_col !mul0mx addr0 add0r !mul_scalar_mx tdc_coordinatesE dot_col_mx.
rewrite !scalerN mulmxN opprK !dotDr -!scaleNr -scalemxAr !dotZr mulmxDr !dotDr !dotZl.
have -> : dot z (C *m z) = form C z by rewrite /form /dot mulmxA.
have -> : dot y (B *m y) = form B y by rewrite /form /dot !mulmxA.
have -> : dot z (K *m ((A^T + C) *m z)) = form (K *m (A^T + C)) z by rewrite /form /dot !mulmxA.
have cross : dot z (K *m (B *m y)) = dot (F^T *m z) y + tau * dot y ((A^T + C) *m z).
  rewrite -dot_mul [dot y _]dot_mul [dot (_ *m y) z]dotC linearD /= trmxK C_sym -dotZr scalemxAl -dotDr.
  by rewrite /tdc_cross -mulmxDl subrK mulmxA.
have bt0 : 0 < b * tau by rewrite mulr_gt0.
have young : 2%:R * dot (F^T *m z) y <= b * tau * dot y y + K1 ^+ 2 / (b * tau) * dot z z.
  have one_ge0 : possemidef (1%:M : 'M[R]_m) by move=> x; rewrite /form mulmx1 dot_ge0.
  have b1 : 0 < (b * tau)^-1 by rewrite invr_gt0.
  apply: le_trans (_ : (b * tau)^-1 * (K1 ^+ 2 * dot z z) + b * tau * dot y y <= _); last by rewrite addrC mulrA [_^-1
    * _]mulrC.
  have := form_young (trmx1 _ _) one_ge0 (F^T *m z) y b1.
  rewrite mul1mx /form !mulmx1 invrK => H; apply: le_trans H _.
  by apply: ler_add; rewrite // ler_pmul2l //; apply: K1_bound.
have Cz := C_margin z; have By := B_margin y; have Kz := K2_bound z; rewrite cross.
move: (dot (F^T *m z) y) (form C z) (form B y) (form (K *m _) z) young Cz By Kz => p Cf Bf Kf.
move: (dot y ((A^T + C) *m z)) (dot y y) (dot z z) (K1 ^+ 2 / (b * tau)) => e q r k young Cz By Kz.
rewrite -subr_ge0; have E (a g p' e' Cf' Bf' Kf' q' r' k' b' c' K' t' : R) :
  - (a * b' * (t' * q') + (2%:R * g * c' - a * (k' + 2%:R * K')) * r')
    - 2%:R * (- g * Cf' + a * (p' + t' * e' + Kf') + - a * (t' * Bf' + t' * e'))
  = a * (b' * t' * q' + k' * r' - 2%:R * p') + 2%:R * a * t' * (Bf' - b' * q') + 2%:R * g * (Cf' - c' * r')
    + 2%:R * a * (K' * r' - Kf') by ring.
by rewrite E !addr_ge0 // mulr_ge0 ?subr_ge0 // ?mulr_ge0 ?ler0n // ltW.
Qed.
End Drift.
