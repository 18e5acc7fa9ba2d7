(* Claim: error_bound
   Place: §4, the limit of Theorem 4.3, with the modulus of A4.1 sharpened.
   Statement: (1 − κ²) ‖Φθ* − V^π‖²_D ≤ ‖V^π − ΠV^π‖²_D, Π the projection on the span of Φ in the D-norm.
   Reading: V^π = r + γPV^π, θ* = −A⁻¹b, P stochastic, d a stationary law of it (on-policy).
   Hypotheses: λ_j ∈ [0,1], λ_j = 0 for j > L, 0 ≤ γ < 1, C > 0 (then A is nonsingular by prop_4_1_iff).

   With e = V^π − Φθ*: ΦᵀD(e − Me) = 0, so Πe = ΠMe, and
   ‖e‖² = ‖e − Πe‖² + ‖Πe‖² = ‖V^π − ΠV^π‖² + ‖ΠMe‖² ≤ ‖V^π − ΠV^π‖² + κ²‖e‖². *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain SchurTest KeyMatrices Bellman Examples prop_4_1 representable_value.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section ErrorBound.
Variables (R : realFieldType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (gamma : R) (r V : 'cV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis gamma01 : 0 <= gamma < 1.
Hypothesis C_posdef : posdef (keyC d Phi).
Hypothesis V_value : V = r + gamma *: P *m V.

Let theta := theta_star d (gamma *: P) r Phi lam L.
Let k := kappa lam L gamma.

Lemma error_bound_A_nonsingular : keyA d (gamma *: P) Phi lam L \in unitmx.
Proof. by apply: negdef_unitmx; apply/prop_4_1_iff. Qed.

Let rest_point : keyA d (gamma *: P) Phi lam L *m theta + keyb d (gamma *: P) r Phi lam L = 0.
Proof. by rewrite /theta /theta_star mulNmx mulmxN mulKVmx ?error_bound_A_nonsingular // addNr. Qed.

Theorem error_bound :
  (1 - k ^+ 2) * sqnormD d (Phi *m theta - V) <= sqnormD d (V - proj d Phi *m V).
Proof.
case: (d_law) => d0 _ _; case/andP: gamma01 => g0 _.
have uC := posdef_unitmx C_posdef; set e := V - Phi *m theta.
have -> : sqnormD d (Phi *m theta - V) = sqnormD d e.
  by rewrite -opprB -scaleN1r sqnormDZ sqrrN expr1n mul1r.
have Pe : proj d Phi *m e = proj d Phi *m (M lam L (gamma *: P) *m e).
  apply/eqP; rewrite -subr_eq0 -mulmxBr; apply/eqP; apply: proj_of_orthogonal.
  have := rest_point; rewrite mean_update; congr (_ *m _ = 0).
  have VT : V = trace_sum lam L (gamma *: P) *m r + M lam L (gamma *: P) *m V.
    by rewrite -/(bellman _ _ _ _ _) bellman_fixed_point.
  rewrite {2}/e mulmxBr /e {1}VT /bellman.
  move: (trace_sum _ _ _ *m r) (_ *m V) (Phi *m theta) => s mv p; move: (_ *m p) => mp.
  by apply/matrixP => i j; rewrite !mxE; move: (s i j) (mv i j) (p i j) (mp i j) => a b x y; ring.
have eE : e - proj d Phi *m e = V - proj d Phi *m V.
  by rewrite /e mulmxBr proj_span // opprB addrA subrK.
rewrite mulrBl mul1r ler_subl_addl -eE [in leLHS](pythagoras uC e) ler_add2r Pe.
apply: le_trans (proj_shrinks uC _ d0) _; apply: schur_norm => //; first exact: kappa_ge0.
apply: schur_M => //; rewrite -[X in schur _ X](mulr1 gamma).
by apply: schur_scale => //; apply: schur_law.
Qed.
End ErrorBound.

(* Walk of two states, φ = (1, 2), γ = ½, λ = (½): any value function V, with the rewards r = V − γPV that it needs. *)
Theorem error_bound_instance (R : realFieldType) (V : 'cV[R]_2)
    (Phi := mx 2 1 [:: [:: 1]; [:: 2%:R]] : 'M[R]_(2, 1)) (N := 2%:R^-1 *: walk R) (d := walk_law R)
    (theta := theta_star d N (V - N *m V) Phi (schedule [:: 2%:R^-1]) 1) :
  (1 - (3%:R / 8%:R) ^+ 2) * sqnormD d (Phi *m theta - V) <= sqnormD d (V - proj d Phi *m V).
Proof.
have k : kappa (schedule [:: 2%:R^-1]) 1 2%:R^-1 = 3%:R / 8%:R :> R by by_weights; by_field.
rewrite -k; apply: error_bound (walk_stochastic R) (walk_law_law R) _ _ (half01 R) _ _.
- by apply: schedule_01; rewrite /= in01_invn.
- exact: schedule_of_size.
- apply/keyC_posdef; first exact: (irreducible_law_positive (walk_stochastic R) (walk_irreducible R) (walk_law_law R)).
  by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
by rewrite subrK.
Qed.
