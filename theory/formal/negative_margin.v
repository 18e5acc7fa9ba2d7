(* Claim: negative_margin
   Place: Proposition 4.1 and its proof in A4.1, sharpened.
   Statement: −½(A + Aᵀ) − (1 − κ)C is positive semidefinite; hence λ_max(½(A + Aᵀ)) ≤ −(1 − κ) λ_min(C).
   Hypotheses: P stochastic, d a stationary law of it (on-policy), λ_j ∈ [0,1], 0 ≤ γ; for the second part also
   γ ≤ 1 and λ_j = 0 for j > L, so that κ ≤ 1. Neither irreducibility, nor rank, nor a period is used. For a discount that depends
   on the transition, 0 ≤ N ≤ gP entrywise, κ is that of g. *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule Forms Chain SchurTest KeyMatrices Spectrum Rayleigh Examples prop_4_1.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Semidefinite.
Variables (R : realFieldType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.

Theorem negative_margin (gamma : R) : 0 <= gamma ->
  possemidef (- sym (keyA d (gamma *: P) Phi lam L) - (1 - kappa lam L gamma) *: keyC d Phi).
Proof. by move=> g0; have [] := prop_4_1_bounds Phi L P_stochastic d_law lam01 g0. Qed.

Theorem negative_margin_transition_discount (N : 'M[R]_n.+1) (g : R) :
  0 <= g -> (forall i j, 0 <= N i j <= g * P i j) ->
  possemidef (- sym (keyA d N Phi lam L) - (1 - kappa lam L g) *: keyC d Phi).
Proof.
case: (d_law) => d0 _ _ g0 NgP t; rewrite formB formN form_sym formZ subr_ge0.
have N_schur : schur d g N by apply: schur_below NgP => //; apply: schur_law.
by have /andP[] := form_keyA_bounds Phi t d0 (schur_M L g0 lam01 N_schur).
Qed.
End Semidefinite.

Section Eigenvalues.
Variables (R : rcfType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m.+1)).
Variables (lam : nat -> R) (L : nat) (gamma : R).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis gamma01 : 0 <= gamma <= 1.

Theorem negative_margin_eigenvalues (lambda_max lambda_min : R) :
  greatest_eigenvalue (sym (keyA d (gamma *: P) Phi lam L)) lambda_max ->
  least_eigenvalue (keyC d Phi) lambda_min ->
  lambda_max <= - (1 - kappa lam L gamma) * lambda_min.
Proof.
case=> /eigenvalue_column[x x0 Ax] _ least; case/andP: (gamma01) => g0 g1.
have k1 : 0 <= 1 - kappa lam L gamma by rewrite subr_ge0 (le_trans (kappa_le lam01 gamma01 lam_finite)).
rewrite -(ler_pmul2r (dot_gt0 x0)) -(eigenvector_form Ax) !mulNr -mulrA ler_oppr.
have := negative_margin Phi L P_stochastic d_law lam01 g0 x; rewrite formB formN (formZ _ (keyC d Phi)) subr_ge0.
apply: le_trans; rewrite ler_wpmul2l //.
by apply: least_eigenvalue_form => //; apply: keyC_sym.
Qed.
End Eigenvalues.

(* Walk of two states, tabular, γ = ½, λ = (½): κ = 3/8. *)
Theorem negative_margin_instance (R : rcfType) (lambda_max lambda_min : R)
    (A := keyA (walk_law R) (2%:R^-1 *: walk R) (1%:M : 'M[R]_2) (schedule [:: 2%:R^-1]) 1) :
  greatest_eigenvalue (sym A) lambda_max -> least_eigenvalue (keyC (walk_law R) (1%:M : 'M[R]_2)) lambda_min ->
  lambda_max <= - (1 - 3%:R / 8%:R) * lambda_min.
Proof.
have k : kappa (schedule [:: 2%:R^-1]) 1 2%:R^-1 = 3%:R / 8%:R :> R by by_weights; by_field.
rewrite -k; apply: negative_margin_eigenvalues (walk_stochastic R) (walk_law_law R) _ _ _ _ _.
- by apply: schedule_01; rewrite /= in01_invn.
- exact: schedule_of_size.
exact: in01_invn.
Qed.
