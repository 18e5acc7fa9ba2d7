(* Claim: error_bound
   Place: §4, the limit of Theorem 4.3, with the modulus of A4.1 sharpened.
   Statement: (1 − κ²) ‖Φθ* − V^π‖²_D ≤ ‖V^π − ΠV^π‖²_D, Π the projection on the span of Φ in the D-norm; that is,
   ‖Φθ* − V^π‖_D ≤ (1 − κ²)^{−1/2} ‖V^π − ΠV^π‖_D [error_bound_norm].
   Reading: V^π = r + γPV^π, θ* = −A⁻¹b, P stochastic, d a stationary law of it (on-policy). For a discount that depends
   on the transition, 0 ≤ N ≤ gP entrywise, κ is that of g.
   Hypotheses: λ_j ∈ [0,1], λ_j = 0 for j > L, 0 ≤ γ < 1, C > 0 (then A is negative definite, so nonsingular).

   With e = V^π − Φθ*: ΦᵀD(e − Me) = 0, so Πe = ΠMe, and
   ‖e‖² = ‖e − Πe‖² + ‖Πe‖² = ‖V^π − ΠV^π‖² + ‖ΠMe‖² ≤ ‖V^π − ΠV^π‖² + κ²‖e‖². *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Norms Chain SchurTest KeyMatrices Bellman Examples prop_4_1 representable_value.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Kernel.
Variables (R : realFieldType) (n m : nat) (P N : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (g : R) (r V : 'cV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis g01 : 0 <= g < 1.
Hypothesis NgP : forall i j, 0 <= N i j <= g * P i j.
Hypothesis C_posdef : posdef (keyC d Phi).
Hypothesis V_value : V = r + N *m V.

Let theta := theta_star d N r Phi lam L.
Let k := kappa lam L g.
Let g_ge0 : 0 <= g. Proof. by case/andP: g01. Qed.

Lemma kappa_lt1 : 0 <= k < 1.
Proof.
case/andP: (g01) => g0 g1; rewrite (kappa_ge0 lam01) //=.
by apply: le_lt_trans (kappa_le lam01 _ lam_finite) (g1); rewrite g0 ltW.
Qed.

Let M_schur : schur d k (M lam L N).
Proof. by case: (d_law) => d0 _ _; apply: schur_M => //; apply: schur_below NgP => //; apply: schur_law. Qed.

Lemma error_bound_A_nonsingular : keyA d N Phi lam L \in unitmx.
Proof.
apply: negdef_unitmx => t t0; case: (d_law) => d0 _ _; case/andP: kappa_lt1 => _ k1.
rewrite -oppr_gt0; case/andP: (form_keyA_bounds Phi t d0 M_schur) => + _; apply: lt_le_trans.
by rewrite mulr_gt0 ?subr_gt0 ?C_posdef.
Qed.

Let rest_point : keyA d N Phi lam L *m theta + keyb d N r Phi lam L = 0.
Proof. by rewrite /theta /theta_star mulNmx mulmxN mulKVmx ?error_bound_A_nonsingular // addNr. Qed.

Theorem error_bound_transition_discount :
  (1 - k ^+ 2) * sqnormD d (Phi *m theta - V) <= sqnormD d (V - proj d Phi *m V).
Proof.
case: (d_law) => d0 _ _.
have uC := posdef_unitmx C_posdef; set e := V - Phi *m theta.
have -> : sqnormD d (Phi *m theta - V) = sqnormD d e.
  by rewrite -opprB -scaleN1r sqnormDZ sqrrN expr1n mul1r.
have Pe : proj d Phi *m e = proj d Phi *m (M lam L N *m e).
  apply/eqP; rewrite -subr_eq0 -mulmxBr; apply/eqP; apply: proj_of_orthogonal.
  have := rest_point; rewrite mean_update; congr (_ *m _ = 0).
  have VT : V = trace_sum lam L N *m r + M lam L N *m V.
    by rewrite -/(bellman _ _ _ _ _) bellman_fixed_point.
  rewrite {2}/e mulmxBr /e {1}VT /bellman.
  move: (trace_sum _ _ _ *m r) (_ *m V) (Phi *m theta) => s mv p; move: (_ *m p) => mp.
  by apply/matrixP => i j; rewrite !mxE; move: (s i j) (mv i j) (p i j) (mp i j) => a b x y; ring.
have eE : e - proj d Phi *m e = V - proj d Phi *m V.
  by rewrite /e mulmxBr proj_span // opprB addrA subrK.
rewrite mulrBl mul1r ler_subl_addl -eE [in leLHS](pythagoras uC e) ler_add2r Pe.
apply: le_trans (proj_shrinks uC _ d0) _; apply: schur_norm M_schur => //.
by case/andP: kappa_lt1.
Qed.
End Kernel.

(* One discount γ, as in the paper. *)
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

Theorem error_bound :
  (1 - kappa lam L gamma ^+ 2) * sqnormD d (Phi *m theta_star d (gamma *: P) r Phi lam L - V)
  <= sqnormD d (V - proj d Phi *m V).
Proof.
apply: error_bound_transition_discount P_stochastic d_law lam01 lam_finite gamma01 _ C_posdef V_value => i j.
by case/andP: gamma01 => g0 _; rewrite mxE lexx andbT mulr_ge0 //; case: P_stochastic.
Qed.
End ErrorBound.

(* With the norms and the root. *)
Theorem error_bound_norm (R : rcfType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m))
    (lam : nat -> R) (L : nat) (gamma : R) (r V : 'cV[R]_n.+1) :
  stochastic P -> law P d -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam -> 0 <= gamma < 1 ->
  posdef (keyC d Phi) -> V = r + gamma *: P *m V ->
  normD d (Phi *m theta_star d (gamma *: P) r Phi lam L - V)
  <= (Num.sqrt (1 - kappa lam L gamma ^+ 2))^-1 * normD d (V - proj d Phi *m V).
Proof.
move=> Pst dlaw lam01 fin g01 Cpos VE; have := error_bound Pst dlaw lam01 fin g01 Cpos VE.
case/andP: (kappa_lt1 lam01 fin g01) => k0 k1; case: (dlaw) => d0 _ _.
have k2 : 0 < 1 - kappa lam L gamma ^+ 2 by rewrite subr_gt0 expr_lt1.
rewrite normD_le ?invr_ge0 ?sqrtr_ge0 // exprVn sqr_sqrtr ?(ltW k2) //.
by rewrite [(_ - _)^-1 * _]mulrC ler_pdivl_mulr // mulrC.
Qed.

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
