(* Claim: lemma_a4_1
   Place: A4.1, Lemma A4.1.
   Statement: E_0[φ(s_0)φ(s_m)ᵀ] = ΦᵀDPᵐΦ.
   Reading: E_0 is the mean along the chain of the states, s_0 with the stationary law d of P; off-policy the chain
   is the behaviour policy's. No hypothesis but dP = d: nothing is asked of γ, of the period or of the rank of Φ.
   What the paper derives from it, E_0[z_t(γφ_{t+1} − φ_t)ᵀ] = ΦᵀD(M − I)Φ and E_0[z_tR_{t+1}] = ΦᵀDSr, is in
   Windows.v and Policies.v, with importance ratios. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain KeyMatrices Examples KeyMatricesInstances.
From TD Require Import Paths Mixing Markov Windows.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lemma_A4_1.
Variables (R : realFieldType) (n m : nat) (O : finType) (state : O -> 'I_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (P : 'M[R]_n.+1) (q : 'I_n.+1 -> O -> R) (init : O -> R) (d : 'rV[R]_n.+1).
Hypothesis q_observes : observes state P q.
Hypothesis d_law : law P d.
Local Notation phi := (feature state Phi).

(* h = (s_k, …, s_0): the first state of the window is s_0 = state of [drop k h], the last s_k. *)
Theorem lemma_a4_1 k :
  stationary_mean state q init d k (fun h => phi (drop k h) *m (phi h)^T) = Phi^T *m diag_mx d *m P ^+ k *m Phi.
Proof.
have ahead j o h : iter j (@cond _ _ (observation_kernel state q init) _) (fun h =>
  (phi h)^T) (o :: h) = row (state o) (P ^+ j *m Phi).
  elim: j o h => [|j IH] o h; first by rewrite expr0 mul1mx /= trmxK.
  rewrite exprS -mulmxA row_mul mulmx_sum_row.
  under eq_bigr => s _ do rewrite mxE.
  rewrite -[LHS]/(\sum_o' q (state o) o' *: iter j (@cond _ _ (observation_kernel state q init) _) (fun h =>
    (phi h)^T) (o' :: o :: h)).
  rewrite -(observe_state q_observes (fun s => row s (P ^+ j *m Phi))).
  by apply: eq_bigr => o' _; rewrite IH.
have := @stationary_lag _ _ _ state P q init d _ q_observes d_law 0 k (fun h => phi (drop k h) *m (phi h)^T)
  (fun i => (row i Phi)^T *m row i (P ^+ k *m Phi)); rewrite add0n => ->.
  apply/matrixP => i j; rewrite -mulmxA summxE [RHS]mxE; apply: eq_bigr => s _.
  by rewrite mul_mx_diag !mxE big_ord1 !mxE mulrA [_ * d 0 s]mulrC.
by move=> o h; rewrite -(ahead k o h) -iter_cond_mull; apply: cond_ext => h' hd; rewrite hd.
Qed.
End Lemma_A4_1.

(* P = [[½, ½], [¼, ¾]], d = (⅓, ⅔), φ = (1, 2): E_0[φ(s_0)φ(s_1)] = 17/6. *)
Theorem lemma_a4_1_instance (R : realFieldType) (init : 'I_2 -> R)
  (phi := feature (fun i => i) (mx 2 1 [:: [:: 1]; [:: 2%:R]])) :
  stationary_mean (fun i => i) (fun i j => walk R i j) init (walk_law R) 1 (fun h => phi (behead h) *m (phi h)^T)
  = mx 1 1 [:: [:: 17%:R / 6%:R]].
Proof.
transitivity (stationary_mean (fun i => i) (fun i j => walk R i j) init (walk_law R) 1 (fun h =>
  phi (drop 1 h) *m (phi h)^T)).
  by apply: stationary_mean_ext => h; rewrite drop1.
by rewrite (lemma_a4_1 _ _ (states_observe (walk_stochastic R)) (walk_law_law R)) expr1 mul_mx_diag; by_entries.
Qed.
