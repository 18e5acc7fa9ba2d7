(* Claim: mspbe_gradient
   Place: §3, after Theorem 3.4: the two displays from which GTD(λ)-schedule and TDC(λ)-schedule are read off.
   Statement: with J(θ) = E[δz]ᵀ C⁻¹ E[δz], E[δz] = Aθ + b, E[(φ_t − γφ_{t+1})z_tᵀ] = −Aᵀ and C = E[φφᵀ]:
       −½∇J(θ) = −AᵀC⁻¹(Aθ + b)
               = E[δz] − E[(γφ_{t+1} − φ_t)z_tᵀ + φφᵀ] C⁻¹E[δz].
   Reading: A, b any matrix and vector, C symmetric positive definite (C_posdef). g is the gradient of J at θ if
   |J(θ + h) − J(θ) − gᵀh| ≤ K hᵀh for all h and some K [is_gradient]; there is at most one [is_gradient_unique].
   Not formalised: the expectations over paths; E[δz] = Aθ + b and E[(φ_t − γφ_{t+1})z_tᵀ] = −Aᵀ are read as definitions. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain KeyMatrices Examples thm_4_6.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Gradient.
Variables (R : realFieldType) (m : nat).
Implicit Types (f : 'cV[R]_m -> R) (theta h g x y : 'cV[R]_m) (Q : 'M[R]_m).

Definition is_gradient f theta g :=
  exists K : R, forall h, `|f (theta + h) - f theta - dot g h| <= K * dot h h.

(* Along th, t → 0, the difference of two gradients would be of order t and of order t². *)
Theorem is_gradient_unique f theta g g' : is_gradient f theta g -> is_gradient f theta g' -> g = g'.
Proof.
move=> [K gK] [K' gK']; apply/eqP; rewrite -subr_eq0; apply/eqP; set e := g - g'.
apply/eqP/negPn/negP => /dot_gt0 e0; set S := `|K| + `|K'|.
have S0 : 0 <= S by rewrite addr_ge0 ?normr_ge0.
have S1 : 0 < S + 1 by rewrite ltr_paddl ?ltr01.
set t := (S + 1)^-1; have t0 : 0 < t by rewrite invr_gt0.
have : `|dot e (t *: e)| <= S * dot (t *: e) (t *: e).
  have -> : dot e (t *: e) = (f (theta + t *: e) - f theta - dot g' (t *: e))
                          - (f (theta + t *: e) - f theta - dot g (t *: e)).
    rewrite {1}/e dotDl dotNl; move: (f _) (f _) (dot g _) (dot g' _) => a b x y; ring.
  apply: le_trans (ler_norm_sub _ _) _; rewrite addrC mulrDl; apply: ler_add.
    apply: le_trans (gK _) _; rewrite ler_wpmul2r ?dot_ge0 //; exact: ler_norm.
  by apply: le_trans (gK' _) _; rewrite ler_wpmul2r ?dot_ge0 //; exact: ler_norm.
rewrite dotZ2 dotC dotZl ger0_norm; last by rewrite mulr_ge0 ?ltW.
have -> : S * (t ^+ 2 * dot e e) = S * t * (t * dot e e) by rewrite expr2 !mulrA.
by rewrite leNgt gtr_pmull ?mulr_gt0 // /t ltr_pdivr_mulr // mul1r ltr_addl ltr01.
Qed.

Variables (A C : 'M[R]_m) (b : 'cV[R]_m).
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.

(* J(θ) = (Aθ + b)ᵀC⁻¹(Aθ + b) *)
Definition J theta : R := form (invmx C) (A *m theta + b).

(* J is quadratic: J(θ + h) = J(θ) + 2hᵀAᵀC⁻¹(Aθ + b) + hᵀAᵀC⁻¹Ah *)
Lemma J_expansion theta h :
  J (theta + h) = J theta + 2%:R * dot (A^T *m invmx C *m (A *m theta + b)) h + form (A^T *m invmx C *m A) h.
Proof.
have Ci : (invmx C)^T = invmx C by rewrite trmx_inv C_sym.
rewrite form_congruence /J (_ : A *m (theta + h) + b = A *m theta + b + A *m h); last by rewrite mulmxDr addrAC.
rewrite form_add //; congr (_ + _ * _ + _).
by rewrite /dot !trmx_mul trmxK !mulmxA.
Qed.

Theorem mspbe_gradient theta : is_gradient J theta (- 2%:R *: - (A^T *m invmx C *m (A *m theta + b))).
Proof.
exists (\sum_i \sum_j `|(A^T *m invmx C *m A) i j|) => h.
have cancel (a p q : R) : a + p + q - a - p = q by ring.
by rewrite J_expansion scalerN scaleNr opprK dotZl cancel form_bound.
Qed.

(* −½∇J(θ) = −AᵀC⁻¹(Aθ + b), whatever is called the gradient *)
Theorem mspbe_gradient_display theta g : is_gradient J theta g ->
  - 2%:R^-1 *: g = - (A^T *m invmx C *m (A *m theta + b)).
Proof.
move=> /is_gradient_unique/(_ (mspbe_gradient theta)) ->.
by rewrite scalerA mulrNN mulVf ?pnatr_eq0 // scale1r.
Qed.

(* the split behind TDC *)
Theorem mspbe_gradient_tdc_split theta :
  - (A^T *m invmx C *m (A *m theta + b))
  = (A *m theta + b) - (A^T + C) *m (invmx C *m (A *m theta + b)).
Proof.
have uC := posdef_unitmx C_posdef.
by rewrite mulmxDl mulKVmx // opprD addrA addrAC subrr add0r mulmxA.
Qed.
End Gradient.

(* One state, γ = ½, TD(0), φ = 1, reward 1: A = −½, b = 1, C = 1, J(θ) = (1 − θ/2)². *)
Theorem mspbe_gradient_instance (R : realFieldType) (theta : R) (g : 'cV[R]_1) :
  is_gradient (J (- 2%:R^-1)%:M 1%:M 1%:M) theta%:M g -> - 2%:R^-1 *: g = (2%:R^-1 * (1 - theta / 2%:R))%:M.
Proof.
move=> /(mspbe_gradient_display (trmx1 _ _)) ->.
rewrite invmx1 mulmx1 tr_scalar_mx -!scalar_mxM; apply/matrixP => i j; rewrite (ord1 i) (ord1 j); by_field.
Qed.
