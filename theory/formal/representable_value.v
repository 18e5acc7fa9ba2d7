(* Claim: representable_value
   Place: §4, the limit θ* = −A⁻¹b of the theorems.
   Statement: if V^π lies in the span of the features, θ* = −A⁻¹b is the same for every λ-schedule (and Φθ* = V^π).
   Reading: V = r + NV, V = Φθ for some θ, N any kernel, d any weights; A of the schedule nonsingular.
   Hypotheses not used: on-policy, λ_j ∈ [0,1], γ < 1. *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule Forms KeyMatrices Bellman Chain Examples prop_4_1.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Representable.
Variables (R : realFieldType) (n m : nat).
Variables (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (r : 'cV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Implicit Types (lam mu : nat -> R) (theta : 'cV[R]_m).

Definition theta_star lam L : 'cV[R]_m := - invmx (keyA d N Phi lam L) *m keyb d N r Phi lam L.

(* A representable value is a rest point of every schedule, A nonsingular or not. *)
Lemma representable_rest_point lam L theta : finite_schedule L lam ->
  Phi *m theta = r + N *m (Phi *m theta) -> keyA d N Phi lam L *m theta + keyb d N r Phi lam L = 0.
Proof. by move=> fin VE; rewrite mean_update bellman_fixed_point // subrr mulmx0. Qed.

Lemma theta_starE lam L theta : keyA d N Phi lam L \in unitmx ->
  keyA d N Phi lam L *m theta + keyb d N r Phi lam L = 0 -> theta_star lam L = theta.
Proof.
move=> uA /eqP; rewrite addrC addr_eq0 /theta_star => /eqP ->.
by rewrite mulNmx mulmxN opprK mulKmx.
Qed.

Theorem representable_value lam L mu K theta :
  Phi *m theta = r + N *m (Phi *m theta) ->
  finite_schedule L lam -> keyA d N Phi lam L \in unitmx ->
  finite_schedule K mu -> keyA d N Phi mu K \in unitmx ->
  theta_star lam L = theta_star mu K /\ Phi *m theta_star lam L = r + N *m (Phi *m theta_star lam L).
Proof.
move=> VE fin uA fin' uA'; rewrite !(@theta_starE _ _ theta) //; exact: representable_rest_point.
Qed.
End Representable.

(* Walk of two states, γ = ½, φ = (1, 2), rewards such that V = φ: TD(0) and the 2-step return rest at θ = 1. *)
Theorem representable_value_instance (R : realFieldType) (Phi := mx 2 1 [:: [:: 1]; [:: 2%:R]] : 'M[R]_(2, 1))
    (N := 2%:R^-1 *: walk R) (r := Phi - N *m Phi) :
  theta_star (walk_law R) N r Phi (schedule [::]) 0 = 1%:M /\
  theta_star (walk_law R) N r Phi (schedule [:: 1]) 1 = 1%:M.
Proof.
have VE : Phi *m 1%:M = r + N *m (Phi *m 1%:M) by rewrite !mulmx1 /r subrK.
have unit_of s : all (fun x => 0 <= x <= 1) s -> keyA (walk_law R) N Phi (schedule s) (size s) \in unitmx.
  move=> s01; apply: negdef_unitmx; apply: prop_4_1 (walk_stochastic R) (walk_law_law R) _ _ _ (walk_irreducible R) _.
  - exact: schedule_01.
  - exact: schedule_finite.
  - exact: half01.
  by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
split; apply: theta_starE.
- exact: (unit_of [::]).
- by apply: representable_rest_point => //; apply: schedule_of_size.
- by apply: (unit_of [:: 1]); rewrite /= lexx ler01.
by apply: representable_rest_point => //; apply: schedule_of_size.
Qed.
