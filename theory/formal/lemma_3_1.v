(* Claim: lemma_3_1
   Place: §3, Lemma 3.1; proof in A3.1.
   Statement: J(θ) = ‖V_θ − ΠTV_θ‖² = (P_μ^π δφ)ᵀ E_μ[φφᵀ]⁻¹ (P_μ^π δφ), V_θ = Φθ.
   Reading: d is the behaviour policy's law, T = T^{π,[λ_1:λ_L]} that of the target policy's kernel N and rewards r,
   Π = ΦC⁻¹ΦᵀD; E_μ[φφᵀ] = Σ_s d(s) φ(s)φ(s)ᵀ, P_μ^π δφ = Σ_s d(s) (TV_θ − V_θ)(s) φ(s): sums over the states.
   Stated: ‖·‖_D has d^π on its diagonal (§2). Refuted on θ→2θ.
   Corrected: ‖·‖_{D_μ}, with C = E_μ[φφᵀ] nonsingular.
   Hypotheses not used: coverage, λ_j ∈ [0,1], γ < 1, T the operator of any schedule.
   Not formalised: that TV_θ(s) is the mean of the return G_t over the paths from s; it is taken as the definition. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Bellman Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lemma31.
Variables (R : realFieldType) (n m : nat).
Variables (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (r : 'cV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (theta : 'cV[R]_m).

Definition phi (s : 'I_n.+1) : 'cV[R]_m := (row s Phi)^T.

(* E_μ[φ_tφ_tᵀ] *)
Definition E_phi_phi : 'M[R]_m := \sum_s d 0 s *: (phi s *m (phi s)^T).

(* the mean of δ_t = G_t − V_θ(s_t), given s_t = s, under the target policy *)
Definition delta (s : 'I_n.+1) : R := (bellman N r lam L (Phi *m theta) - Phi *m theta) s 0.

(* P_μ^π δφ *)
Definition P_delta_phi : 'cV[R]_m := \sum_s (d 0 s * delta s) *: phi s.

(* J(θ), the mean squared projected Bellman error in the norm with weights e *)
Definition mspbe (e : 'rV[R]_n.+1) : R :=
  sqnormD e (Phi *m theta - proj d Phi *m bellman N r lam L (Phi *m theta)).

Lemma E_phi_phiE : E_phi_phi = keyC d Phi.
Proof.
apply/matrixP => i j; rewrite summxE /keyC mul_mx_diag mxE; apply: eq_bigr => s _.
by rewrite !mxE big_ord1 !mxE mulrA [d 0 s * _]mulrC.
Qed.

Lemma P_delta_phiE : P_delta_phi
  = Phi^T *m diag_mx d *m (bellman N r lam L (Phi *m theta) - Phi *m theta).
Proof.
rewrite /P_delta_phi /delta; move: (bellman _ _ _ _ _ - _) => x.
apply/matrixP => i j; rewrite (ord1 j) summxE mul_mx_diag mxE; apply: eq_bigr => s _.
by rewrite !mxE mulrC mulrA.
Qed.

(* V_θ − ΠTV_θ = −Πe and ‖Πe‖² = eᵀDΦC⁻¹ΦᵀDe, e = TV_θ − V_θ *)
Theorem lemma_3_1_corrected : E_phi_phi \in unitmx ->
  mspbe d = (P_delta_phi^T *m invmx E_phi_phi *m P_delta_phi) 0 0.
Proof.
rewrite /mspbe E_phi_phiE P_delta_phiE => uC; set e := bellman _ _ _ _ _ - _.
have -> : Phi *m theta - proj d Phi *m bellman N r lam L (Phi *m theta) = -1 *: (proj d Phi *m e).
  by rewrite /e mulmxBr proj_span // scaleN1r opprB.
have -> : proj d Phi *m e = Phi *m (invmx (keyC d Phi) *m (Phi^T *m diag_mx d *m e)).
  by rewrite /proj !mulmxA.
rewrite sqnormDZ sqrrN expr1n mul1r -form_keyC; move: (_ *m _ *m e) => x.
by rewrite /form trmx_mul trmx_inv keyC_sym mulmxKV // mulmxA.
Qed.
End Lemma31.

(* Over any chain with independent features; here the triangle, any N, r, θ and schedule. *)
Theorem lemma_3_1_instance (R : realFieldType) (N : 'M[R]_3) r lam L (theta : 'cV[R]_2)
    (d := triangle_law R) (Phi := mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]]) :
  mspbe d N r Phi lam L theta d
  = ((P_delta_phi d N r Phi lam L theta)^T *m invmx (E_phi_phi d Phi) *m P_delta_phi d N r Phi lam L theta) 0 0.
Proof.
apply: lemma_3_1_corrected; rewrite E_phi_phiE; apply: posdef_unitmx; apply/keyC_posdef.
  exact: (irreducible_law_positive (triangle_stochastic R) (triangle_irreducible R) (triangle_law_law R)).
by apply: (@full_column_rank_by _ _ _ _ (mx 2 3 [:: [:: 1; 0; 0]; [:: 0; 1; 0]])); by_entries.
Qed.

(* θ→2θ, γ = ½, no rewards, TD(0), θ = 1: d^μ = (½, ½), d^π = (0, 1), φ = (1, 2). The product is 2/5; the norm of
   D_π gives 16/25. *)
Theorem lemma_3_1_stated_refuted (R : realFieldType)
    (N := 2%:R^-1 *: to_second R) (Phi := mx 2 1 [:: [:: 1]; [:: 2%:R]] : 'M[R]_(2, 1))
    (J := mspbe (flip_law R) N 0 Phi (schedule [::]) 0 1%:M)
    (v := P_delta_phi (flip_law R) N 0 Phi (schedule [::]) 0 1%:M) :
  [/\ law (even R) (flip_law R) /\ law (to_second R) (to_second_law R),
      J (to_second_law R) = 16%:R / 25%:R &
      (v^T *m invmx (E_phi_phi (flip_law R) Phi) *m v) 0 0 = 2%:R / 5%:R].
Proof.
have C52 : keyC (flip_law R) Phi = (5%:R / 2%:R)%:M.
  by rewrite /keyC mul_mx_diag; apply/matrixP => i j; rewrite (ord1 i) (ord1 j); by_field.
have Ci : invmx (keyC (flip_law R) Phi) = (2%:R / 5%:R)%:M.
  by rewrite C52 invmx_scalar invf_div.
have T1 : bellman N 0 (schedule [::]) 0 (Phi *m 1%:M) = ones.
  by rewrite /bellman mulmx0 add0r M0 // /N; by_entries.
split; first by split; [exact: even_law_law | exact: to_second_law_law].
  rewrite /J /mspbe T1 /proj Ci -!mulmxA.
  have -> : Phi^T *m (diag_mx (flip_law R) *m ones) = (3%:R / 2%:R)%:M.
    by rewrite mul_diag_mx; apply/matrixP => i j; rewrite (ord1 i) (ord1 j); by_field.
  by rewrite sqnormDE; by_field.
rewrite E_phi_phiE Ci /v P_delta_phiE T1.
have -> : Phi^T *m diag_mx (flip_law R) *m (ones - Phi *m 1%:M) = (-1)%:M.
  by rewrite mul_mx_diag; apply/matrixP => i j; rewrite (ord1 i) (ord1 j); by_field.
by rewrite tr_scalar_mx -!scalar_mxM mxE eqxx mulr1n; field; rewrite ?pnatr_eq0.
Qed.
