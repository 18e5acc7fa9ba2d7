(* Claim: thm_4_4_block_inverse
   Place: A4.2, the last two displays of the proof of Theorem 4.4.
   Statement: [[A_11, A_12], [A_21, 0]]⁻¹ = [[0, A_21⁻¹], [A_12⁻¹, −A_12⁻¹A_11A_21⁻¹]], and so
              −G⁻¹ = [[0, (Aᵀ)⁻¹], [−A⁻¹, A⁻¹√ηC(Aᵀ)⁻¹]] and the limit −G⁻¹(b, 0) = (0, −A⁻¹b).
   Stated: the last block of −G⁻¹ is printed as A⁻¹√ηCA⁻¹: refuted at d = 2, where A ≠ Aᵀ.
   Hypotheses: A_12, A_21 (so A) nonsingular; nothing else, C is any matrix. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Examples prop_4_1.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section BlockInverse.
Variables (R : realFieldType) (m : nat).
Implicit Types (A C : 'M[R]_m) (b : 'cV[R]_m) (s : R).

(* The formula quoted for a block matrix with a zero corner. *)
Theorem thm_4_4_block_inverse_formula (A11 A12 A21 : 'M[R]_m) : A12 \in unitmx -> A21 \in unitmx ->
  invmx (block_mx A11 A12 A21 0)
  = block_mx 0 (invmx A21) (invmx A12) (- (invmx A12 *m A11 *m invmx A21)).
Proof.
move=> u12 u21; set X := block_mx 0 _ _ _.
have BX : block_mx A11 A12 A21 0 *m X = 1%:M.
  rewrite mulmx_block !mulmx0 !mul0mx add0r !addr0 mulmxN !mulmxA !mulmxV // mul1mx subrr.
  by rewrite -scalar_mx_block.
have [uB _] := mulmx1_unit BX.
by rewrite -[X](mulKmx uB) BX mulmx1.
Qed.

Theorem thm_4_4_block_inverse_corrected A C s : A \in unitmx ->
  - invmx (gtd_matrix s A C)
  = block_mx 0 (invmx A^T) (- invmx A) (invmx A *m (s *: C) *m invmx A^T).
Proof.
move=> uA; have uAt : A^T \in unitmx by rewrite unitmx_tr.
have uN : (-1) *: A^T \in unitmx by rewrite unitmxZ ?unitrN1.
rewrite /gtd_matrix -(scaleN1r A^T) thm_4_4_block_inverse_formula // opp_block_mx oppr0 opprK.
by rewrite invmxZ // invrN invr1 !scaleN1r opprK mulmxN mulmxN mulNmx opprK.
Qed.

(* The printed last block A⁻¹√ηCA⁻¹ is that of −G⁻¹ only where A is symmetric. *)
Lemma printed_block_symmetric A C s : s != 0 -> A \in unitmx -> C \in unitmx ->
  invmx A *m (s *: C) *m invmx A^T = invmx A *m (s *: C) *m invmx A <-> A^T = A.
Proof.
move=> s0 uA uC; split=> [E|->] //.
have uAC : invmx A *m (s *: C) \in unitmx by rewrite unitmx_mul unitmx_inv uA unitmxZ ?unitfE.
by rewrite -[A^T]invmxK -[RHS]invmxK -[invmx A^T](mulKmx uAC) E mulKmx.
Qed.

(* GTD's limit: (w/√η, θ) → −G⁻¹(b, 0) = (0, −A⁻¹b); it does not see the last block. *)
Theorem thm_4_4_block_inverse_limit A C s b : A \in unitmx ->
  - invmx (gtd_matrix s A C) *m col_mx b 0 = col_mx 0 (- invmx A *m b).
Proof.
by move=> uA; rewrite thm_4_4_block_inverse_corrected // mul_block_col !mulmx0 mul0mx !addr0.
Qed.
End BlockInverse.

(* The paper's own setting, on-policy: the triangle with tabular features, γ = ½, TD(0), η = 1. *)
Section Triangle.
Variable R : realFieldType.
Let A := keyA (triangle_law R) (2%:R^-1 *: triangle R) 1%:M (schedule [::]) 0.
Let C := keyC (triangle_law R) (1%:M : 'M[R]_3).

Let full : full_column_rank (1%:M : 'M[R]_3).
Proof. by rewrite /full_column_rank mxrank1. Qed.

Lemma triangle_A_unit : A \in unitmx.
Proof.
apply: negdef_unitmx; apply: prop_4_1 (triangle_stochastic R) (triangle_law_law R) _ _ _ (triangle_irreducible R) full.
- exact: schedule_01.
- exact: schedule_of_size.
exact: half01.
Qed.

Lemma triangle_C_unit : C \in unitmx.
Proof.
apply: posdef_unitmx; apply/keyC_posdef => //.
exact: (irreducible_law_positive (triangle_stochastic R) (triangle_irreducible R) (triangle_law_law R)).
Qed.

Theorem thm_4_4_block_inverse_stated_refuted :
  - invmx (gtd_matrix 1 A C) <> block_mx 0 (invmx A^T) (- invmx A) (invmx A *m C *m invmx A).
Proof.
rewrite thm_4_4_block_inverse_corrected ?triangle_A_unit // => /eq_block_mx[_ _ _].
rewrite -[in RHS](scale1r C) => /printed_block_symmetric; rewrite oner_neq0 triangle_A_unit triangle_C_unit.
move=> /(_ isT isT isT)/matrixP/(_ 0 1); rewrite mxE /A /keyA trmx1 mul1mx mulmx1.
rewrite M0; last by [].
by rewrite !mul_diag_mx; expand => /eqP; rewrite mulr0 !subr0 mulr0 eq_sym !mulf_eq0 !invr_eq0 !pnatr_eq0.
Qed.

Theorem thm_4_4_block_inverse_instance (b : 'cV[R]_3) :
  - invmx (gtd_matrix 1 A C) *m col_mx b 0 = col_mx 0 (- invmx A *m b).
Proof. by apply: thm_4_4_block_inverse_limit; apply: triangle_A_unit. Qed.
End Triangle.
