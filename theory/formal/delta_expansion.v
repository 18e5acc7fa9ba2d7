(* delta_expansion — §2, second display after Λ.

       G_t^{[λ_1:]} − V(s_t) = δ_t + γλ_1[G_{t+1}^{[λ_2:]} − V(s_{t+1})]
                            = δ_t + γλ_1 δ_{t+1} + γ²λ_1λ_2 δ_{t+2} + … = Σ_{k=0}^L γᵏ c_k δ_{t+k}.

   Reading: along every path, for the return of a schedule of length L, whatever its λ's; with a discount for every
   transition, γᵏ is Γ_t … Γ_{t+k-1}. The return is that of the recursion (A2), which is also the mixture of the n-step
   returns with the weights w_n, and the limit of §2's mixture over episode lengths (return_recursion.v): all three are proved equal. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule weight_matrix_rows Limits Returns return_coefficients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section DeltaExpansion.
Variable R : comRingType.
Implicit Types lam g r v : nat -> R.

Lemma return_recursion L lam g r v :
  G L.+1 lam g r v - v 0%N
    = delta g r v 0 + g 0%N * lam 1%N * (G L (shift lam) (shift g) (shift r) (shift v) - v 1%N).
Proof. by rewrite /delta /=; ring. Qed.

Theorem delta_expansion L lam g r v :
  G L lam g r v - v 0%N = \sum_(0 <= k < L.+1) disc g k * c lam k * delta g r v k.
Proof.
elim: L lam g r v => [|L IH] lam g r v.
  by rewrite big_nat1 disc0 c0 !mul1r.
rewrite return_recursion (IH (shift lam)) [in RHS]big_nat_recl // disc0 c0 !mul1r; congr (_ + _).
rewrite mulr_sumr; apply: eq_bigr => k _; rewrite disc_first c_first.
by rewrite (_ : delta (shift g) _ _ k = delta g r v k.+1) //; ring.
Qed.

(* The paper's display: one discount γ. *)
Corollary delta_expansion_printed L lam (gamma : R) r v (g := fun=> gamma) :
  G L lam g r v - v 0%N = \sum_(0 <= k < L.+1) gamma ^+ k * c lam k * (r k.+1 + gamma * v k.+1 - v k).
Proof. by rewrite delta_expansion; apply: eq_bigr => k _; rewrite disc_const. Qed.

(* Weights w_n on the n-step returns. *)
Theorem return_weighs_n_steps L lam g r v : finite_schedule L lam ->
  G L lam g r v = \sum_(1 <= n < L.+2) w lam n * n_step g r v n.
Proof.
move=> finL; apply: (addIr (- v 0%N)); rewrite delta_expansion.
have partial K : \sum_(0 <= k < K) disc g k * c lam k * delta g r v k
    = \sum_(1 <= n < K.+1) w lam n * n_step g r v n + c lam K * n_step g r v K - v 0%N.
  elim: K => [|K IH]; first by rewrite !big_geq // c0 n_step0; ring.
  rewrite big_nat_recr //= IH [in RHS]big_nat_recr //= n_stepS wS cS.
  by set s := \sum_(_ <= _ < _) _; ring.
by rewrite partial (c_out finL) // mul0r addr0.
Qed.
End DeltaExpansion.

(* λ = (½), γ = ½, rewards 2, 2, values 4, 6, 4: δ_t = 1, δ_{t+1} = −2, and G = 9/2 = 4 + 1 + ¼·(−2). *)
Theorem delta_expansion_instance (R : numFieldType) (lam := schedule [:: 1 / 2 : R]) (g : nat -> R := fun=> 1 / 2)
  (r := schedule [:: 2; 2]) (v := fun k => nth 0 [:: 4; 6; 4] k) :
  G 1 lam g r v = 9 / 2 /\ G 1 lam g r v - v 0%N = \sum_(0 <= k < 2) disc g k * c lam k * delta g r v k.
Proof. by split; [rewrite /= /shift /lam /g /=; field | exact: delta_expansion]. Qed.
