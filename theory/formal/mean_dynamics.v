(* Claims: thm_4_3, thm_4_4, thm_4_6 (their mean dynamics, in discrete time with a small constant step)
   Place: §4, Theorems 4.3, 4.4 and 4.6: the Lyapunov functions behind them.
   Statement: the recursions that the algorithms follow in the mean
       thm_4_3   θ ← θ + α(Aθ + b)                       TD(λ)-schedule, on-policy
       thm_4_4   ξ ← ξ + α(Gξ + g), g = (b, 0)           GTD(λ)-schedule, ξ = (w/√η, θ)
       thm_4_6   θ ← θ − αAᵀC⁻¹(Aθ + b)                  TDC(λ)-schedule on its slow time scale
   approach −A⁻¹b (and w = 0) at a geometric rate for every small enough α. For 4.3 also V(θ) = ½|Aθ + b|² decays.
   Reading: A, b, C of the chain. 4.3: the hypotheses of prop_4_1. 4.4, 4.6: A nonsingular, any weights
   d ≥ 0, any kernel.
   Not formalised: the noise. Almost-sure convergence is not claimed here. *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule Forms Chain KeyMatrices Spectrum Lyapunov Examples.
From TD Require Import prop_4_1 thm_4_4_g_negative_definite thm_4_4_block_inverse thm_4_6.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Affine.
Variables (R : rcfType) (n : nat) (B : 'M[R]_n) (c : 'cV[R]_n).

(* x_{k+1} = x_k + α(Bx_k + c) *)
Definition recursion (alpha : R) (x : nat -> 'cV[R]_n) := forall k, x k.+1 = x k + alpha *: (B *m x k + c).
Definition rest_point : 'cV[R]_n := - invmx B *m c.

Hypothesis B_unit : B \in unitmx.

Lemma rest_pointE : B *m rest_point + c = 0.
Proof. by rewrite /rest_point mulNmx mulmxN mulKVmx // addNr. Qed.

Lemma recursion_error alpha x : recursion alpha x ->
  forall k, x k.+1 - rest_point = (x k - rest_point) + alpha *: (B *m (x k - rest_point)).
Proof.
move=> xE k; rewrite xE addrAC; congr (_ + _ *: _).
by rewrite mulmxBr; congr (_ + _); apply/eqP; rewrite -addr_eq0 addrC rest_pointE.
Qed.

Lemma recursion_residual alpha x : recursion alpha x ->
  forall k, B *m x k.+1 + c = (B *m x k + c) + alpha *: (B *m (B *m x k + c)).
Proof. by move=> xE k; rewrite xE [B *m (_ + alpha *: _)]mulmxDr -scalemxAr addrAC. Qed.

Hypothesis B_negdef : negdef B.

Theorem affine_descent : exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall x, recursion alpha x -> forall k,
    dot (x k - rest_point) (x k - rest_point) <= q ^+ k * dot (x 0%N - rest_point) (x 0%N - rest_point) /\
    dot (B *m x k + c) (B *m x k + c) <= q ^+ k * dot (B *m x 0%N + c) (B *m x 0%N + c).
Proof.
have [a0 a0p descent] := negdef_descent B_negdef; exists a0 => // a /descent[q q01 decay].
exists q => // x xE k; split.
  exact: (decay (fun k => x k - rest_point) (recursion_error xE)).
exact: (decay (fun k => B *m x k + c) (recursion_residual xE)).
Qed.
End Affine.

Section OnPolicy.
Variables (R : rcfType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (gamma : R) (r : 'cV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_irreducible : irreducible P.
Hypothesis d_law : law P d.
Hypothesis Phi_rank : full_column_rank Phi.
Hypothesis gamma01 : 0 <= gamma < 1.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.

Let A := keyA d (gamma *: P) Phi lam L.
Let b := keyb d (gamma *: P) r Phi lam L.

Theorem thm_4_3_mean_dynamics : exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall theta, recursion A b alpha theta -> forall k,
    dot (theta k - rest_point A b) (theta k - rest_point A b)
      <= q ^+ k * dot (theta 0%N - rest_point A b) (theta 0%N - rest_point A b) /\
    dot (A *m theta k + b) (A *m theta k + b) <= q ^+ k * dot (A *m theta 0%N + b) (A *m theta 0%N + b).
Proof.
have neg : negdef A by apply: prop_4_1.
exact: affine_descent (negdef_unitmx neg) neg.
Qed.
End OnPolicy.

Section Gradient.
Variables (R : rcfType) (n m : nat) (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (r : 'cV[R]_n.+1).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.
Let A := keyA d N Phi lam L.
Let b := keyb d N r Phi lam L.
Let C := keyC d Phi.
Hypothesis A_unit : A \in unitmx.

(* S > 0 measures the distance: GTD may move away in the Euclidean norm. *)
Theorem thm_4_4_mean_dynamics (s : R) (G := gtd_matrix s A C) (g := col_mx b 0) : 0 < s ->
  rest_point G g = col_mx 0 (- invmx A *m b) /\
  exists2 S : 'M[R]_(m + m), posdef S & exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall xi, recursion G g alpha xi -> forall k,
    form S (xi k - rest_point G g) <= q ^+ k * form S (xi 0%N - rest_point G g).
Proof.
move=> s0; have Cpos := A_nonsingular_C_posdef d_ge0 A_unit.
split; first exact: thm_4_4_block_inverse_limit.
have [eps [Spos SGneg]] := saddle_lyapunov s0 Cpos A_unit; exists (saddle_weight A eps) => //.
have uG : G \in unitmx.
  apply/inj_unitmx => x Gx0; apply: (negdef_inj SGneg).
  by rewrite -mulmxA Gx0 mulmx0.
have [a0 a0p descent] := lyapunov_descent (saddle_weight_sym A eps) Spos SGneg.
exists a0 => // a /descent[q q01 step]; exists q => // xi xiE k; have /andP[q0 _] := q01.
exact: (lyapunov_decay q0 step (recursion_error uG xiE)).
Qed.

Theorem thm_4_6_mean_dynamics (B := tdc_matrix A C) (c := - (A^T *m invmx C *m b)) :
  rest_point B c = - invmx A *m b /\
  exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall theta,
    (forall k, theta k.+1 = theta k + alpha *: - (A^T *m invmx C *m (A *m theta k + b))) -> forall k,
    dot (theta k - rest_point B c) (theta k - rest_point B c)
      <= q ^+ k * dot (theta 0%N - rest_point B c) (theta 0%N - rest_point B c).
Proof.
have Cpos := A_nonsingular_C_posdef d_ge0 A_unit.
have neg : negdef B by apply/(thm_4_6_negative_definite A (keyC_sym d Phi) Cpos).
have uB := negdef_unitmx neg.
have BE theta : B *m theta + c = - (A^T *m invmx C *m (A *m theta + b)).
  by rewrite /B /c /tdc_matrix mulNmx -(mulmxA _ A theta) [in RHS]mulmxDr opprD.
split.
  have E : B *m (- invmx A *m b) + c = 0 by rewrite BE mulNmx mulmxN mulKVmx // addNr mulmx0 oppr0.
  rewrite /rest_point; have /eqP := E; rewrite addrC addr_eq0 => /eqP ->.
  by rewrite mulNmx mulmxN opprK mulKmx.
have [a0 a0p descent] := affine_descent c uB neg; exists a0 => // a /descent[q q01 decay].
exists q => // theta thetaE k; apply: (proj1 (decay theta _ k)) => l.
by rewrite thetaE BE.
Qed.
End Gradient.

(* The triangle, whose A is nonsingular: two features, λ = (½, ⅓), γ = ½, any rewards. *)
Section Instances.
Variables (R : rcfType) (r : 'cV[R]_3).
Let Phi := mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]] : 'M[R]_(3, 2).
Let N := 2%:R^-1 *: triangle R.
Let lam : nat -> R := schedule [:: 2%:R^-1; 3%:R^-1].
Let d := triangle_law R.
Let A := keyA d N Phi lam 2.
Let b := keyb d N r Phi lam 2.
Let C := keyC d Phi.

Let A_unit : A \in unitmx := negdef_unitmx (@prop_4_1_instance R).
Let d_ge0 : forall i, 0 <= d 0 i. Proof. by case: (triangle_law_law R). Qed.

Theorem thm_4_3_mean_dynamics_instance : exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall theta, recursion A b alpha theta -> forall k,
    dot (theta k - rest_point A b) (theta k - rest_point A b)
      <= q ^+ k * dot (theta 0%N - rest_point A b) (theta 0%N - rest_point A b).
Proof.
have [a0 a0p descent] := affine_descent b A_unit (@prop_4_1_instance R); exists a0 => // a /descent[q q01 decay].
by exists q => // theta thetaE k; case: (decay theta thetaE k).
Qed.

Theorem thm_4_4_mean_dynamics_instance (G := gtd_matrix 1 A C) (g := col_mx b 0) :
  rest_point G g = col_mx 0 (- invmx A *m b) /\
  exists2 S : 'M[R]_(2 + 2), posdef S & exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall xi, recursion G g alpha xi -> forall k,
    form S (xi k - rest_point G g) <= q ^+ k * form S (xi 0%N - rest_point G g).
Proof. exact: (thm_4_4_mean_dynamics r d_ge0 A_unit ltr01). Qed.

Theorem thm_4_6_mean_dynamics_instance (B := tdc_matrix A C) (c := - (A^T *m invmx C *m b)) :
  rest_point B c = - invmx A *m b /\
  exists2 alpha0, 0 < alpha0 & forall alpha, 0 < alpha <= alpha0 ->
  exists2 q, 0 <= q < 1 & forall theta,
    (forall k, theta k.+1 = theta k + alpha *: - (A^T *m invmx C *m (A *m theta k + b))) -> forall k,
    dot (theta k - rest_point B c) (theta k - rest_point B c)
      <= q ^+ k * dot (theta 0%N - rest_point B c) (theta 0%N - rest_point B c).
Proof. exact: (thm_4_6_mean_dynamics r d_ge0 A_unit). Qed.
End Instances.
