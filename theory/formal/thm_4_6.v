(* Claim: thm_4_6 (its matrix core)
   Place: §4, Theorem 4.6 (printed again as 4.7), verification of (C3)–(C6).
   Statement proved: with C > 0, −AᵀC⁻¹A is negative definite exactly if A is nonsingular (no need of A < 0), so it is
   Hurwitz, and so is −C. The slow mean dynamics θ' = h̄(θ, λ(θ)), h̄(θ, w) = Aθ + b − Aᵀw − Cw, λ(θ) = C⁻¹(Aθ + b), is
   θ' = −AᵀC⁻¹(Aθ + b); it rests at −A⁻¹b alone, where w = λ(θ) = 0.
   Stated: Assumptions 1–3 and 5 suffice. Off-policy they do not: θ→2θ with κ = 5/6 has A = 0 and b ≠ 0.
   Not formalised: almost-sure convergence of the iterates. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Spectrum Examples.
From TD Require Import prop_4_1 thm_4_4_g_negative_definite.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Inverse.
Variables (R : realFieldType) (m : nat) (C : 'M[R]_m).
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.

(* C⁻¹ is positive definite with C: yᵀC⁻¹y = xᵀCx for y = Cx. *)
Lemma invmx_posdef : posdef (invmx C).
Proof.
move=> y y0; have uC := posdef_unitmx C_posdef.
have x0 : invmx C *m y != 0 by apply: contra y0 => /eqP E; rewrite -[y](mulKVmx uC) E mulmx0.
have := C_posdef x0; congr (0 < _).
by rewrite /form trmx_mul trmx_inv C_sym -2!mulmxA mulKVmx // mulmxA.
Qed.
End Inverse.

Section SlowDynamics.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m) (b : 'cV[R]_m).
Hypothesis C_sym : C^T = C.
Hypothesis C_posdef : posdef C.
Implicit Types theta w : 'cV[R]_m.

Definition h_bar theta w := A *m theta + b - A^T *m w - C *m w.
Definition g_bar theta w := A *m theta + b - C *m w.
Definition lambda_of theta := invmx C *m (A *m theta + b).

(* xᵀ(−AᵀC⁻¹A)x = −(Ax)ᵀC⁻¹(Ax) *)
Lemma form_tdc x : form (tdc_matrix A C) x = - form (invmx C) (A *m x).
Proof. by rewrite /tdc_matrix formN form_congruence. Qed.

Theorem thm_4_6_negative_definite : negdef (tdc_matrix A C) <-> A \in unitmx.
Proof.
split=> [neg|uA x x0].
  apply/inj_unitmx => x Ax0; apply/eqP/negPn/negP => /neg.
  by rewrite form_tdc Ax0 form0 oppr0 ltxx.
rewrite form_tdc oppr_lt0; apply: (invmx_posdef C_sym C_posdef).
by apply: contra x0 => /eqP Ax; rewrite (proj2 (inj_unitmx A) uA x Ax).
Qed.

(* (C5): w' = ḡ(θ, w) rests at λ(θ) alone; (C6): h̄ there. *)
Theorem thm_4_6_fast_rest_point theta w : g_bar theta w = 0 <-> w = lambda_of theta.
Proof.
have uC := posdef_unitmx C_posdef; rewrite /g_bar /lambda_of; split=> [/eqP|->].
  by rewrite subr_eq0 => /eqP ->; rewrite mulKmx.
by rewrite mulKVmx // subrr.
Qed.

Theorem thm_4_6_slow_dynamics theta :
  h_bar theta (lambda_of theta) = - (A^T *m invmx C *m (A *m theta + b)).
Proof.
have uC := posdef_unitmx C_posdef; rewrite /h_bar /lambda_of mulKVmx // addrAC subrr add0r.
by rewrite mulmxA.
Qed.

Theorem thm_4_6_slow_rest_point theta : A \in unitmx ->
  h_bar theta (lambda_of theta) = 0 <-> theta = - invmx A *m b.
Proof.
move=> uA; have uC := posdef_unitmx C_posdef; rewrite thm_4_6_slow_dynamics.
have uAC : A^T *m invmx C \in unitmx by rewrite unitmx_mul unitmx_tr uA unitmx_inv.
split=> [/eqP|->].
  rewrite oppr_eq0 => /eqP E; have /eqP : A *m theta + b = 0 by rewrite -[LHS](mulKmx uAC) E mulmx0.
  by rewrite addr_eq0 => /eqP E'; rewrite mulNmx -mulmxN -E' mulKmx.
by rewrite mulNmx mulmxN mulKVmx // addNr mulmx0 oppr0.
Qed.

(* w_t → λ(−A⁻¹b) = 0 *)
Theorem thm_4_6_w_limit : A \in unitmx -> lambda_of (- invmx A *m b) = 0.
Proof. by move=> uA; rewrite /lambda_of mulNmx mulmxN mulKVmx // addNr mulmx0. Qed.
End SlowDynamics.

(* (C3), (C4): both linear mean dynamics are Hurwitz, A of the theorem, weights d ≥ 0, any kernel. *)
Section Hurwitz.
Variables (R : rcfType) (n m : nat) (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.
Let A := keyA d N Phi lam L.
Let C := keyC d Phi.

Theorem thm_4_6 : A \in unitmx -> [/\ negdef (tdc_matrix A C), hurwitz (tdc_matrix A C) & hurwitz (- C)].
Proof.
move=> uA; have Cpos := A_nonsingular_C_posdef d_ge0 uA.
have neg : negdef (tdc_matrix A C) by apply/(thm_4_6_negative_definite A (keyC_sym d Phi) Cpos).
split=> //; apply: negdef_hurwitz => //.
by move=> x /Cpos; rewrite formN oppr_lt0.
Qed.
End Hurwitz.

Theorem thm_4_6_instance (R : rcfType) (Phi := mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]])
    (A := keyA (triangle_law R) (2%:R^-1 *: triangle R) Phi (schedule [:: 2%:R^-1; 3%:R^-1]) 2)
    (C := keyC (triangle_law R) Phi) : negdef (tdc_matrix A C) /\ hurwitz (tdc_matrix A C).
Proof.
have d0 : forall i, 0 <= triangle_law R 0 i by case: (triangle_law_law R).
by have [] := thm_4_6 d0 (negdef_unitmx (@prop_4_1_instance R)).
Qed.

(* θ→2θ, γ = 5/6, TD(0), reward 1 on leaving the first state: all assumptions hold, A = 0, and no θ has Aθ + b = 0. *)
Theorem thm_4_6_stated_refuted (R : realFieldType) :
  exists (P P_mu : 'M[R]_2) (d : 'rV[R]_2) (Phi : 'M[R]_(2, 1)) (r : 'cV[R]_2) (N := (5%:R / 6%:R) *: P),
    [/\ stochastic P, stochastic P_mu /\ irreducible P_mu, law P_mu d, full_column_rank Phi &
        forall theta, keyA d N Phi (schedule [::]) 0 *m theta + keyb d N r Phi (schedule [::]) 0 != 0].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: 2%:R]].
exists (to_second R), (even R), (flip_law R), Phi, (mx 2 1 [:: [:: 1]; [:: 0]]) => N.
split; [exact: to_second_stochastic | split | exact: even_law_law | | ].
- exact: even_stochastic.
- exact: even_irreducible.
- by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
move=> theta; have -> : keyA (flip_law R) N Phi (schedule [::]) 0 = 0.
  by rewrite /keyA M0 // mul_mx_diag -mulmxA /N; by_entries.
rewrite mul0mx add0r; apply/eqP => /matrixP/(_ 0 0).
rewrite /keyb trace_sum0 mul1mx mul_mx_diag; expand => /eqP.
by rewrite !(mul0r, mulr0, mul1r, mulr1, addr0) invr_eq0 pnatr_eq0.
Qed.
