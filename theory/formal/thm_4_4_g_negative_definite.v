(* Claim: thm_4_4_g_negative_definite
   Place: A4.2, proof of Theorem 4.4.
   Stated: G = [[−√η C, A], [−Aᵀ, 0]] is negative definite. It never is: ξᵀGξ = −√η wᵀCw for ξ = (w, θ) does not see θ.
   Corrected: G is Hurwitz for every η > 0 when A is nonsingular (then C > 0 as well); its symmetric part is only
   negative semidefinite.
   Reading: A = ΦᵀD(M − I)Φ and C = ΦᵀDΦ for weights d ≥ 0 and any kernel N, so off-policy too; √η is any s > 0.
   Hypotheses of the corrected reading: A nonsingular. λ_j ∈ [0,1], γ < 1 and D > 0 are not used. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import complex.
From TD Require Import Schedule Forms Chain KeyMatrices Spectrum Examples prop_4_1.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Stated.
Variables (R : realFieldType) (m : nat) (A C : 'M[R]_m.+1) (s : R).

(* at ξ = (0, θ), for any A, C and η *)
Theorem thm_4_4_g_negative_definite_stated_refuted : ~ negdef (gtd_matrix s A C).
Proof.
move=> neg; have xi0 : col_mx 0 (const_mx 1) != 0 :> 'cV[R]_(m.+1 + m.+1).
  rewrite col_mx_eq0 negb_and orbC; apply/orP; left.
  by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
by have := neg _ xi0; rewrite form_gtd form0 mulr0 oppr0 ltxx.
Qed.
End Stated.

(* The smallest example: one state, φ = 1, γ = ½, TD(0), η = 1: A = −½, C = 1, and xᵀGx = 0 at x = (0, 1). *)
Theorem thm_4_4_g_negative_definite_stated_refuted_instance (R : realFieldType)
    (A := keyA (const_mx 1) (2%:R^-1 *: 1%:M) (1%:M : 'M[R]_1) (schedule [::]) 0)
    (C := keyC (const_mx 1) (1%:M : 'M[R]_1)) :
  A = (- 2%:R^-1)%:M /\ C = 1%:M /\ form (gtd_matrix 1 A C) (col_mx 0 1%:M) = 0.
Proof.
split; last split.
- rewrite /A /keyA M_idempotent ?mul1mx // (_ : kappa _ _ _ = 2%:R^-1); last by by_weights; by_field.
  by rewrite trmx1 mul1mx mulmx1; apply/matrixP => i j; rewrite (ord1 i) (ord1 j); by_field.
- by rewrite /C /keyC trmx1 mul1mx mulmx1; apply/matrixP => i j; rewrite (ord1 i) (ord1 j) !mxE.
by rewrite form_gtd form0 mulr0 oppr0.
Qed.

Section Nonsingular.
Variables (R : realFieldType) (n m : nat) (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.

Let A := keyA d N Phi lam L.
Let C := keyC d Phi.

(* xᵀCx = 0 makes DΦx = 0, hence xᵀA = 0: C > 0 comes with a nonsingular A. *)
Lemma A_nonsingular_C_posdef : A \in unitmx -> posdef C.
Proof.
move=> uA x x0; rewrite lt_neqAle form_keyC sqnormD_ge0 // andbT eq_sym.
apply: contra x0 => /eqP/(sqnormD_eq0 d_ge0) DPhix.
have xA : x^T *m A = 0.
  rewrite /A /keyA !mulmxA -trmx_mul -[_^T *m diag_mx d]trmxK trmx_mul trmxK tr_diag_mx DPhix.
  by rewrite trmx0 !mul0mx.
by rewrite -[x]trmxK -[x^T](mulmxK uA) xA mul0mx trmx0.
Qed.

End Nonsingular.

Section Corrected.
Variables (R : rcfType) (n m : nat) (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Hypothesis d_ge0 : forall i, 0 <= d 0 i.

Let A := keyA d N Phi lam L.
Let C := keyC d Phi.

(* the symmetric part is negative semidefinite *)
Theorem thm_4_4_g_semidefinite (s : R) xi : 0 < s -> form (gtd_matrix s A C) xi <= 0.
Proof.
move=> s0; rewrite -[xi]vsubmxK form_gtd oppr_le0 mulr_ge0 ?(ltW s0) //.
by rewrite form_keyC sqnormD_ge0.
Qed.

Theorem thm_4_4_g_negative_definite_corrected (s : R) :
  0 < s -> A \in unitmx -> hurwitz (gtd_matrix s A C).
Proof. by move=> s0 uA; apply: saddle_hurwitz => //; apply: A_nonsingular_C_posdef uA. Qed.
End Corrected.

(* On-policy A is nonsingular by Proposition 4.1; here the triangle with two features. *)
Theorem thm_4_4_g_negative_definite_instance (R : rcfType) (s : R)
    (Phi := mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]])
    (A := keyA (triangle_law R) (2%:R^-1 *: triangle R) Phi (schedule [:: 2%:R^-1; 3%:R^-1]) 2)
    (C := keyC (triangle_law R) Phi) : 0 < s -> hurwitz (gtd_matrix s A C).
Proof.
move=> s0; apply: thm_4_4_g_negative_definite_corrected => //; first by case: (triangle_law_law R).
by apply: negdef_unitmx; apply: prop_4_1_instance.
Qed.

(* Without a nonsingular A it fails: G has the eigenvalue 0. *)
Theorem thm_4_4_g_negative_definite_ablation_A_nonsingular (R : rcfType) m (A C : 'M[R]_m) (s : R) :
  A \notin unitmx -> ~ hurwitz (gtd_matrix s A C).
Proof.
move=> nA hur; have [x x0 Ax] : exists2 x : 'cV[R]_m, x != 0 & A *m x = 0.
  move: nA; rewrite unitmxE unitfE negbK -det_tr => /det0P[v v0 vA]; exists v^T.
    by apply: contra v0 => /eqP v0; rewrite -[v]trmxK v0 trmx0.
  by rewrite -[A]trmxK -trmx_mul vA trmx0.
suff /hur : eigenvalue (map_mx (real_complex R) (gtd_matrix s A C)) 0 by rewrite ltxx.
apply/eigenvalueP; exists (map_mx (real_complex R) (row_mx 0 x^T)).
  rewrite -map_mxM scale0r /gtd_matrix mul_row_block !mul0mx !add0r mulmx0 mulmxN -trmx_mul Ax.
  by rewrite trmx0 oppr0 row_mx0 map_mx0.
by rewrite map_mx_eq0 row_mx_eq0 eqxx /=; apply: contra x0 => /eqP x0; rewrite -[x]trmxK x0 trmx0.
Qed.
