(* Returns along one path (§2 and A2 of the paper), and the mixture over episode lengths that §2 starts from.

   A path from s_t is given by sequences: r k = R_{t+k} for k ≥ 1, v k = V_θ(s_{t+k}), and g k = Γ_{t+k}, the discount
   of the transition from s_{t+k} to s_{t+k+1}; the paper's discount is g = (fun=> γ).

       Γ_t … Γ_{t+k-1}             [disc g k]            γᵏ where the discount is constant
       δ_{t+k}                     [delta g r v k]       R_{t+k+1} + Γ_{t+k} V(s_{t+k+1}) − V(s_{t+k})
       n-step return               [n_step g r v n]      Σ_{k<n} γᵏ R_{t+k+1} + γⁿ V(s_{t+n})
       G_t^{[λ_1:λ_L]}             [G L lam g r v]       R_{t+1} + γ((1 − λ_1)V(s_{t+1}) + λ_1 G_{t+1}^{[λ_2:λ_L]})
       G_t^Λ, lengths up to N      [mixture Lam g r v N] first display of §2, cut after N lines *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : comRingType.
Implicit Types (lam g r v : nat -> R) (Lam : nat -> nat -> R).

Definition disc g k : R := \prod_(0 <= i < k) g i.

Definition delta g r v k : R := r k.+1 + g k * v k.+1 - v k.

Definition n_step g r v n : R := \sum_(0 <= k < n) disc g k * r k.+1 + disc g n * v n.

Fixpoint G L lam g r v : R :=
  r 1%N + g 0%N * (if L is K.+1 then (1 - lam 1%N) * v 1%N + lam 1%N * G K (shift lam) (shift g) (shift r) (shift v)
                   else v 1%N).

(* An episode ends after exactly i steps with probability Γ_t … Γ_{t+i-2}(1 − Γ_{t+i-1}), that is γ^{i-1}(1 − γ). *)
Definition mass g i : R := disc g i.-1 * (1 - g i.-1).

(* The undiscounted return after j steps of an episode of i: bootstrapped for j < i, flat for j = i. *)
Definition partial_return r v i j : R := \sum_(1 <= k < j.+1) r k + (if (j < i)%N then v j else 0).

Definition mixture Lam g r v N : R :=
  \sum_(1 <= i < N.+1) mass g i * \sum_(1 <= j < i.+1) Lam i j * partial_return r v i j.

End Definitions.

Section Facts.
Variable R : comRingType.
Implicit Types (lam g r v : nat -> R).

Lemma disc0 g : disc g 0 = 1.
Proof. exact: big_geq. Qed.

Lemma discS g k : disc g k.+1 = disc g k * g k.
Proof. by rewrite /disc big_nat_recr. Qed.

Lemma disc_first g k : disc g k.+1 = g 0%N * disc (shift g) k.
Proof. by rewrite /disc big_nat_recl. Qed.

Lemma disc_const (gamma : R) k : disc (fun=> gamma) k = gamma ^+ k.
Proof. by rewrite /disc prodr_const_nat subn0. Qed.

Lemma mass_const (gamma : R) i : mass (fun=> gamma) i = gamma ^+ i.-1 * (1 - gamma).
Proof. by rewrite /mass disc_const. Qed.

(* Lengths from k to N carry what is left of the mass after k − 1 steps, less what is left after N. *)
Lemma sum_mass g k N : (0 < k)%N -> (k <= N.+1)%N -> \sum_(k <= i < N.+1) mass g i = disc g k.-1 - disc g N.
Proof.
case: k => // k _ /=; elim: N => [|N IH]; rewrite ltnS.
  by rewrite leqn0 => /eqP->; rewrite big_geq // subrr.
rewrite leq_eqVlt => /orP[/eqP->|kN]; first by rewrite big_geq // subrr.
by rewrite big_nat_recr ?IH //= /mass /= discS; ring.
Qed.

Lemma eq_n_step g r r' v v' n : (forall k, (1 <= k <= n)%N -> r k = r' k) -> v n = v' n ->
  n_step g r v n = n_step g r' v' n.
Proof.
move=> rr' vv'; rewrite /n_step vv'; congr (_ + _).
by apply: eq_big_nat => k /andP[_ kn]; rewrite rr'.
Qed.

Lemma n_step0 g r v : n_step g r v 0 = v 0%N.
Proof. by rewrite /n_step big_geq // disc0 mul1r add0r. Qed.

Lemma n_step_first g r v n :
  n_step g r v n.+1 = r 1%N + g 0%N * n_step (shift g) (shift r) (shift v) n.
Proof.
rewrite /n_step big_nat_recl // disc0 mul1r disc_first mulrDr mulrA -addrA; congr (_ + (_ + _)).
by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite disc_first mulrA.
Qed.

(* One more step replaces V(s_{t+n}) by R_{t+n+1} + ΓV(s_{t+n+1}). *)
Lemma n_stepS g r v n : n_step g r v n.+1 = n_step g r v n + disc g n * delta g r v n.
Proof. by rewrite /n_step big_nat_recr //= discS /delta; ring. Qed.

End Facts.

(* Sums over the triangle 1 ≤ j ≤ i ≤ N, row by row or column by column. *)
Lemma sum_triangle (R : zmodType) (F : nat -> nat -> R) N :
  \sum_(1 <= i < N.+1) \sum_(1 <= j < i.+1) F i j = \sum_(1 <= j < N.+1) \sum_(j <= i < N.+1) F i j.
Proof.
elim: N => [|N IH]; first by rewrite !big_geq.
rewrite big_nat_recr //= IH [RHS]big_nat_recr //= big_nat1 [in LHS](big_nat_recr N.+1) //= addrA; congr (_ + _).
rewrite -big_split /=; apply: eq_big_nat => j /andP[_ jN].
by rewrite [RHS]big_nat_recr // ltnW.
Qed.
