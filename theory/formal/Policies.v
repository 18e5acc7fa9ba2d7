(* A Markov decision process seen through a behaviour policy: in state i the action a has probability μ(i, a), the
   next state j probability p_a(i, j), and o_{t+1} = (a_t, s_{t+1}) is observed. The target policy π enters through
   the importance ratio.

     policy mu              every μ(i, ·) is a distribution
     policy_kernel p mu     P_ij = Σ_a μ(i, a) p_a(i, j)
     behave p mu i o        the probability of the observation o after the state i
     ratio mu pi i o        ρ = π(i, a) / μ(i, a)
     covers mu pi           μ(i, a) = 0 only where π(i, a) = 0
     policy_reward p pi r   Σ_a π(i, a) Σ_j p_a(i, j) r(i, a, j)

   With coverage A4.1's means are those of the target policy, whatever depends on the transition:
   E_0[ρ_t z_t(γ_{t+1}φ_{t+1} − φ_t)ᵀ] = ΦᵀD(M − I)Φ, E_0[ρ_tR_{t+1}z_t] = ΦᵀDSr with N = P_π∘Γ, D from the behaviour
   chain. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain KeyMatrices.
From TD Require Import Paths Mixing Markov Windows.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Policies.
Variables (R : realFieldType) (n : nat) (Act : finType) (p : Act -> 'M[R]_n.+1).
Implicit Types (mu pi : 'I_n.+1 -> Act -> R) (o : Act * 'I_n.+1).

Definition policy mu := forall i, distribution (mu i).
Definition policy_kernel mu : 'M[R]_n.+1 := \matrix_(i, j) \sum_a mu i a * p a i j.
Definition behave mu i o : R := mu i o.1 * p o.1 i o.2.
Definition ratio mu pi i o : R := pi i o.1 / mu i o.1.
Definition covers mu pi := forall i a, mu i a = 0 -> pi i a = 0.
Definition policy_reward pi (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) : 'cV[R]_n.+1 :=
  \col_i \sum_o pi i o.1 * p o.1 i o.2 * r i o.

Hypothesis p_stochastic : forall a, stochastic (p a).
Variables mu pi : 'I_n.+1 -> Act -> R.
Hypothesis mu_policy : policy mu.

Lemma policy_stochastic : stochastic (policy_kernel mu).
Proof.
split=> [i j|i]; first by rewrite mxE; apply: sumr_ge0 => a _; rewrite mulr_ge0 ?(mu_policy i).1 ?(p_stochastic a).1.
under eq_bigr => j _ do rewrite mxE.
rewrite exchange_big /= -[RHS](mu_policy i).2; apply: eq_bigr => a _.
by rewrite -mulr_sumr (p_stochastic a).2 mulr1.
Qed.

Let sum_next (F : Act -> 'I_n.+1 -> R) j : \sum_(o : Act * 'I_n.+1 | o.2 == j) F o.1 o.2 = \sum_a F a j.
Proof.
rewrite (eq_bigl (fun o : Act * 'I_n.+1 => true && (o.2 == j))) //.
by rewrite -(pair_big xpredT (fun s => s == j) F) /=; apply: eq_bigr => a _; rewrite big_pred1_eq.
Qed.

Lemma behave_observes : observes snd (policy_kernel mu) (behave mu).
Proof.
split=> [i o|i j]; first by rewrite mulr_ge0 ?(mu_policy i).1 ?(p_stochastic _).1.
by rewrite mxE -(sum_next (fun a s => mu i a * p a i s)).
Qed.

Hypothesis mu_covers : covers mu pi.

Lemma behave_ratio i o : behave mu i o * ratio mu pi i o = pi i o.1 * p o.1 i o.2.
Proof.
rewrite /behave /ratio; have [m0|m0] := eqVneq (mu i o.1) 0; first by rewrite (mu_covers m0) m0 !mul0r.
by rewrite mulrC mulrA divfK.
Qed.

(* a discount for every transition *)
Lemma ratio_kernel (Gamma : 'M[R]_n.+1) :
  kernel_of snd (behave mu) (fun i o => Gamma i o.2 * ratio mu pi i o) =
    \matrix_(i, j) (policy_kernel pi i j * Gamma i j).
Proof.
apply/matrixP => i j; rewrite !mxE -(sum_next (fun a s => pi i a * p a i s)) mulr_suml.
by apply: eq_bigr => o /eqP <-; rewrite mulrCA mulrC behave_ratio.
Qed.

Lemma ratio_kernel_const gamma :
  kernel_of snd (behave mu) (fun i o => gamma * ratio mu pi i o) = gamma *: policy_kernel pi.
Proof.
apply/matrixP => i j; have := ratio_kernel (const_mx gamma) => /matrixP/(_ i j); rewrite !mxE [_ * gamma]mulrC => <-.
by apply: eq_bigr => o _; rewrite mxE.
Qed.

Lemma ratio_reward r : mean_reward (behave mu) (fun i o => ratio mu pi i o * r i o) = policy_reward pi r.
Proof. by apply/matrixP => i j; rewrite !mxE; apply: eq_bigr => o _; rewrite mulrA behave_ratio. Qed.

Hypothesis pi_policy : policy pi.
Lemma ratio_mean i : \sum_o behave mu i o * ratio mu pi i o = 1.
Proof.
under eq_bigr => o _ do rewrite behave_ratio.
rewrite -(pair_bigA _ (fun a s => pi i a * p a i s)) /= -[RHS](pi_policy i).2; apply: eq_bigr => a _.
by rewrite -mulr_sumr (p_stochastic a).2 mulr1.
Qed.

Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (m L : nat) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Hypothesis d_law : law (policy_kernel mu) d.
Hypothesis lam_finite : finite_schedule L lam.
Local Notation E0 := (stationary_mean snd (behave mu) init d).

(* A4.1 off-policy *)
Theorem off_policy_A gamma :
  E0 L.+1 (td_matrix snd Phi lam (fun=> fun=> gamma) (ratio mu pi)) = keyA d (gamma *: policy_kernel pi) Phi lam L.
Proof. by rewrite (td_matrix_mean _ _ behave_observes d_law lam_finite _ ratio_mean) ratio_kernel_const. Qed.

Theorem off_policy_b gamma r :
  E0 L.+1 (td_vector snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r)
  = keyb d (gamma *: policy_kernel pi) (policy_reward pi r) Phi lam L.
Proof. by rewrite (td_vector_mean _ _ behave_observes d_law lam_finite) ratio_kernel_const ratio_reward. Qed.

Theorem off_policy_A_transitions (Gamma : 'M[R]_n.+1) :
  E0 L.+1 (td_matrix snd Phi lam (fun i o => Gamma i o.2) (ratio mu pi))
  = keyA d (\matrix_(i, j) (policy_kernel pi i j * Gamma i j)) Phi lam L.
Proof. by rewrite (td_matrix_mean _ _ behave_observes d_law lam_finite _ ratio_mean) ratio_kernel. Qed.

Theorem off_policy_b_transitions (Gamma : 'M[R]_n.+1) r :
  E0 L.+1 (td_vector snd Phi lam (fun i o => Gamma i o.2) (ratio mu pi) r)
  = keyb d (\matrix_(i, j) (policy_kernel pi i j * Gamma i j)) (policy_reward pi r) Phi lam L.
Proof. by rewrite (td_vector_mean _ _ behave_observes d_law lam_finite) ratio_kernel ratio_reward. Qed.
End Policies.
