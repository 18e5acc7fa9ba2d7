(* The operator TV = Sr + MV of the λ-schedule (§3), the rest point Aθ + b = 0 and the projection Π = ΦC⁻¹ΦᵀD: what
   lemma_3_1, representable_value and error_bound share. Any kernel N, any schedule that ends. *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule telescoping Forms KeyMatrices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bellman.
Variables (R : realFieldType) (n m : nat).
Variables (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (r : 'cV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).
Implicit Types (V : 'cV[R]_n.+1) (theta : 'cV[R]_m).

(* Aθ + b = ΦᵀD(TV_θ − V_θ), V_θ = Φθ *)
Lemma mean_update theta :
  keyA d N Phi lam L *m theta + keyb d N r Phi lam L
  = Phi^T *m diag_mx d *m (bellman N r lam L (Phi *m theta) - Phi *m theta).
Proof.
rewrite /keyA /keyb /bellman -!mulmxA -!mulmxDr; congr (_ *m (_ *m _)).
by rewrite mulmxBl mul1mx addrC addrA.
Qed.

(* TV − V = S(r + NV − V): the λ-schedule applies S to the one-step error. *)
Lemma bellman_one_step V : finite_schedule L lam ->
  bellman N r lam L V - V = trace_sum lam L N *m (r + N *m V - V).
Proof.
move=> fin; have E := telescoping_sums N fin.
rewrite -addrA mulmxDr /bellman -addrA; congr (_ + _).
rewrite -[in X in _ = _ *m (_ - X)](mul1mx V) -mulmxBl mulmxA.
by rewrite [_ *m (N - 1%:M)]E mulmxBl mul1mx.
Qed.

(* V = r + NV is a fixed point of T, whatever the schedule. *)
Lemma bellman_fixed_point V : finite_schedule L lam -> V = r + N *m V -> bellman N r lam L V = V.
Proof.
by move=> fin VE; apply/eqP; rewrite -subr_eq0 bellman_one_step // -VE subrr mulmx0.
Qed.

(* Π is the projection onto the span of Φ, at right angles in the D-norm. *)
Hypothesis C_unit : keyC d Phi \in unitmx.

Lemma proj_span theta : proj d Phi *m (Phi *m theta) = Phi *m theta.
Proof.
have E : Phi^T *m diag_mx d *m (Phi *m theta) = keyC d Phi *m theta by rewrite /keyC !mulmxA.
by rewrite /proj -(mulmxA _ Phi^T) -mulmxA E -mulmxA mulKmx.
Qed.

Lemma proj_orthogonal V : Phi^T *m diag_mx d *m (V - proj d Phi *m V) = 0.
Proof.
have E x : Phi^T *m diag_mx d *m (Phi *m x) = keyC d Phi *m x by rewrite /keyC !mulmxA.
by rewrite mulmxBr /proj -!(mulmxA Phi) E -!(mulmxA (invmx _)) mulKVmx // subrr.
Qed.

Lemma proj_of_orthogonal V : Phi^T *m diag_mx d *m V = 0 -> proj d Phi *m V = 0.
Proof. by move=> E; rewrite /proj -(mulmxA _ Phi^T) -mulmxA E mulmx0. Qed.

(* ‖V‖² = ‖ΠV‖² + ‖V − ΠV‖² *)
Lemma pythagoras V : sqnormD d V = sqnormD d (proj d Phi *m V) + sqnormD d (V - proj d Phi *m V).
Proof.
set p := proj d Phi *m V; set e := V - p.
have pe : dotD d p e = 0.
  have -> : p = Phi *m (invmx (keyC d Phi) *m Phi^T *m diag_mx d *m V) by rewrite /p /proj !mulmxA.
  by rewrite /dotD trmx_mul -(mulmxA _ Phi^T) -mulmxA proj_orthogonal mulmx0 mxE.
have VE : V = p + e by rewrite addrC subrK.
by rewrite [in LHS]VE sqnormDD pe mul0rn addr0.
Qed.

Lemma proj_shrinks V : (forall i, 0 <= d 0 i) -> sqnormD d (proj d Phi *m V) <= sqnormD d V.
Proof. by move=> d0; rewrite [leRHS]pythagoras ler_addl sqnormD_ge0. Qed.
End Bellman.
