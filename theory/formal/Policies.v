(* A Markov decision process seen through a behaviour policy: in state i the action a has probability μ(i, a), the
   next state j probability p_a(i, j), and o_{t+1} = (a_t, s_{t+1}) is observed. The target policy π enters through
   the importance ratio.

     policy mu              every μ(i, ·) is a distribution
     policy_kernel p mu     P_ij = Σ_a μ(i, a) p_a(i, j)
     behave p mu i o        the probability of the observation o after the state i
     ratio mu pi i o        ρ = π(i, a) / μ(i, a)
     covers d mu pi         μ(i, a) = 0 only where π(i, a) = 0, at the states i with d_i > 0: the recurrent ones
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
Definition covers (d : 'rV[R]_n.+1) mu pi := forall i a, 0 < d 0 i -> mu i a = 0 -> pi i a = 0.
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

Variable d : 'rV[R]_n.+1.
Hypothesis mu_covers : covers d mu pi.

Lemma behave_ratio i o : 0 < d 0 i -> behave mu i o * ratio mu pi i o = pi i o.1 * p o.1 i o.2.
Proof.
move=> di; rewrite /behave /ratio; have [m0|m0] := eqVneq (mu i o.1) 0; first by rewrite (mu_covers di m0) m0 !mul0r.
by rewrite mulrC mulrA divfK.
Qed.

(* any discount *)
Lemma ratio_kernel (gamma : 'I_n.+1 -> Act * 'I_n.+1 -> R) i j : 0 < d 0 i ->
  kernel_of snd (behave mu) (fun i o => gamma i o * ratio mu pi i o) i j = \sum_a pi i a * p a i j * gamma i (a, j).
Proof.
move=> di; rewrite !mxE -(sum_next (fun a s => pi i a * p a i s * gamma i (a, s))).
by apply: eq_bigr => -[a s] _; rewrite mulrCA behave_ratio // mulrC.
Qed.

Lemma ratio_reward r i : 0 < d 0 i ->
  mean_reward (behave mu) (fun i o => ratio mu pi i o * r i o) i 0 = policy_reward pi r i 0.
Proof. by move=> di; rewrite !mxE; apply: eq_bigr => o _; rewrite mulrA behave_ratio. Qed.

Hypothesis pi_policy : policy pi.
Lemma ratio_mean i : 0 < d 0 i -> \sum_o behave mu i o * ratio mu pi i o = 1.
Proof.
move=> di; under eq_bigr => o _ do rewrite behave_ratio //.
rewrite -(pair_bigA _ (fun a s => pi i a * p a i s)) /= -[RHS](pi_policy i).2; apply: eq_bigr => a _.
by rewrite -mulr_sumr (p_stochastic a).2 mulr1.
Qed.

Variables (init : Act * 'I_n.+1 -> R) (m L : nat) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R).
Hypothesis d_law : law (policy_kernel mu) d.
Hypothesis lam_finite : finite_schedule L lam.
Local Notation E0 := (stationary_mean snd (behave mu) init d).

(* The kernel of the observations has the A and the b of the target policy: any kernel N and reward that are the target
   policy's where d is positive, in particular γP_π, and P_π∘Γ for a discount of every transition. *)
Section Target.
Variables (gamma : 'I_n.+1 -> Act * 'I_n.+1 -> R) (N : 'M[R]_n.+1).
Hypothesis N_target : forall i j, 0 < d 0 i -> \sum_a pi i a * p a i j * gamma i (a, j) = N i j.
Let agree i j : 0 < d 0 i -> kernel_of snd (behave mu) (fun i o => gamma i o * ratio mu pi i o) i j = N i j.
Proof. by move=> di; rewrite ratio_kernel // N_target. Qed.

Lemma target_A : keyA d (kernel_of snd (behave mu) (fun i o => gamma i o * ratio mu pi i o)) Phi lam L = keyA d N Phi lam L.
Proof. exact: (keyA_agree Phi policy_stochastic behave_observes d_law lam_finite agree). Qed.

Lemma target_b r : keyb d (kernel_of snd (behave mu) (fun i o => gamma i o * ratio mu pi i o))
  (mean_reward (behave mu) (fun i o => ratio mu pi i o * r i o)) Phi lam L = keyb d N (policy_reward pi r) Phi lam L.
Proof. exact: (keyb_agree Phi lam L policy_stochastic behave_observes d_law agree (ratio_reward r)). Qed.
End Target.

Lemma constant_target gamma i j : 0 < d 0 i ->
  \sum_a pi i a * p a i j * gamma = (gamma *: policy_kernel pi) i j.
Proof. by move=> _; rewrite !mxE -mulr_suml mulrC. Qed.
Lemma transition_target (Gamma : 'M[R]_n.+1) i j : 0 < d 0 i ->
  \sum_a pi i a * p a i j * Gamma i j = (\matrix_(i, j) (policy_kernel pi i j * Gamma i j)) i j.
Proof. by move=> _; rewrite !mxE mulr_suml. Qed.

Definition target_A_const gamma := @target_A (fun=> fun=> gamma) _ (@constant_target gamma).
Definition target_b_const gamma := @target_b (fun=> fun=> gamma) _ (@constant_target gamma).
Definition target_A_transitions (Gamma : 'M[R]_n.+1) := @target_A (fun i o => Gamma i o.2) _ (@transition_target Gamma).
Definition target_b_transitions (Gamma : 'M[R]_n.+1) := @target_b (fun i o => Gamma i o.2) _ (@transition_target Gamma).

(* A4.1 off-policy *)
Let mean_A gamma := @td_matrix_mean _ _ _ _ _ Phi _ _ _ init _ _ policy_stochastic behave_observes d_law lam_finite gamma _
  ratio_mean.

Theorem off_policy_A gamma :
  E0 L.+1 (td_matrix snd Phi lam (fun=> fun=> gamma) (ratio mu pi)) = keyA d (gamma *: policy_kernel pi) Phi lam L.
Proof. by rewrite mean_A target_A_const. Qed.

Theorem off_policy_b gamma r :
  E0 L.+1 (td_vector snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r)
  = keyb d (gamma *: policy_kernel pi) (policy_reward pi r) Phi lam L.
Proof. by rewrite (td_vector_mean _ _ behave_observes d_law lam_finite) target_b_const. Qed.

Theorem off_policy_A_transitions (Gamma : 'M[R]_n.+1) :
  E0 L.+1 (td_matrix snd Phi lam (fun i o => Gamma i o.2) (ratio mu pi))
  = keyA d (\matrix_(i, j) (policy_kernel pi i j * Gamma i j)) Phi lam L.
Proof. by rewrite mean_A (target_A_transitions Gamma). Qed.

Theorem off_policy_b_transitions (Gamma : 'M[R]_n.+1) r :
  E0 L.+1 (td_vector snd Phi lam (fun i o => Gamma i o.2) (ratio mu pi) r)
  = keyb d (\matrix_(i, j) (policy_kernel pi i j * Gamma i j)) (policy_reward pi r) Phi lam L.
Proof. by rewrite (td_vector_mean _ _ behave_observes d_law lam_finite) (target_b_transitions Gamma). Qed.
End Policies.
