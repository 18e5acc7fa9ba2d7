(* Claim: stationary_norm
   Place: A4.1, before the contraction of M.
   Statement: ‖PV‖_D ≤ ‖V‖_D for all V, where ‖V‖_D = √(VᵀDV).
   Hypotheses: P stochastic, d a stationary law of it (on-policy). Neither irreducibility nor a period is used.

   The theorem is the sum of squares ‖V‖²_D − ‖PV‖²_D = ½ Σ_i d_i Σ_jk P_ij P_ik (V_j − V_k)². *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Norms Chain SchurTest Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Theorem stationary_norm_identity (R : realFieldType) (n : nat) (P : 'M[R]_n) (d : 'rV[R]_n) (V : 'cV[R]_n) :
  stochastic P -> law P d ->
  sqnormD d V - sqnormD d (P *m V)
  = 2%:R^-1 * \sum_i d 0 i * \sum_j \sum_k P i j * P i k * (V j 0 - V k 0) ^+ 2.
Proof.
case=> _ P1 [_ _ dP]; under eq_bigr => i _ do rewrite lagrange P1 mul1r mulrCA.
rewrite -mulr_sumr mulKf ?pnatr_eq0 //; under eq_bigr => i _ do rewrite mulrBr.
rewrite sumrB !sqnormDE; congr (_ - _); last by apply: eq_bigr => i _; rewrite mxE.
under [RHS]eq_bigr => i _ do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _ /=; rewrite -{1}dP mxE mulr_suml.
by apply: eq_bigr => i _; rewrite -mulrA.
Qed.

Theorem stationary_norm (R : rcfType) (n : nat) (P : 'M[R]_n) (d : 'rV[R]_n) (V : 'cV[R]_n) :
  stochastic P -> law P d -> normD d (P *m V) <= normD d V.
Proof.
move=> Pst dlaw; case: (dlaw) => d0 _ _.
by rewrite -[leRHS]mul1r (normD_le d0) ?ler01 // (schur_norm d0) ?ler01 //; apply: schur_law.
Qed.

(* On a chain of period 2. *)
Theorem stationary_norm_instance (R : rcfType) (V : 'cV[R]_2) :
  normD (flip_law R) (flip R *m V) <= normD (flip_law R) V.
Proof. exact: stationary_norm (flip_stochastic R) (flip_law_law R). Qed.

(* Without dP = d it fails: all states lead to the second, d = (½, ½), V = (0, 1). *)
Theorem stationary_norm_ablation_on_policy (R : rcfType) :
  exists (P : 'M[R]_2) (d : 'rV[R]_2) (V : 'cV[R]_2),
    [/\ stochastic P, forall i, 0 <= d 0 i, \sum_i d 0 i = 1 & normD d V < normD d (P *m V)].
Proof.
exists (to_second R), (flip_law R), (mx 2 1 [:: [:: 0]; [:: 1]]).
case: (flip_law_law R) => d0 d1 _; split=> //; first exact: to_second_stochastic.
rewrite /normD ltr_sqrt !sqnormDE; expand; rewrite ?(expr0n, expr1n, mul1r, mulr1, mulr0, add0r, addr0, mul0r) /=.
  by rewrite ltr_addl invr_gt0 ltr0n.
by rewrite addr_gt0 // invr_gt0 ltr0n.
Qed.
