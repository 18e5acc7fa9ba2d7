(* Eligibility traces (§2, the update rule and equation (trace_eq)) in any module over R: vectors of features of any
   length. phi k = φ(s_k), g k the discount of the transition from s_k to s_{k+1}.

       Γ_k … Γ_{t-1}    [span g k t]               γ^{t-k} where the discount is constant
       z_t              [trace lam g phi t]        Σ_{k=0}^t c_{t-k} Γ_k … Γ_{t-1} φ(s_k)
       the window       [window L lam g phi t]     the same from k = t − L (from 0 for t < L) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variables (R : comRingType) (V : lmodType R).
Implicit Types (lam g : nat -> R) (phi : nat -> V).

Definition span g k t : R := \prod_(k <= i < t) g i.

Definition trace lam g phi t : V := \sum_(0 <= k < t.+1) (c lam (t - k) * span g k t) *: phi k.

Definition window L lam g phi t : V := \sum_(t - L <= k < t.+1) (c lam (t - k) * span g k t) *: phi k.

End Definitions.

Section Facts.
Variables (R : comRingType) (V : lmodType R).
Implicit Types (lam g : nat -> R) (phi : nat -> V).

Lemma span_same g t : span g t t = 1.
Proof. exact: big_geq. Qed.

Lemma spanS g k t : (k <= t)%N -> span g k t.+1 = span g k t * g t.
Proof. by move=> kt; rewrite /span big_nat_recr. Qed.

Lemma span_const (gamma : R) k t : span (fun=> gamma) k t = gamma ^+ (t - k).
Proof. exact: prodr_const_nat. Qed.

(* As the paper writes z_t: γ's and λ's in one product. *)
Lemma trace_printed lam (gamma : R) phi t :
  trace lam (fun=> gamma) phi t = \sum_(0 <= k < t.+1) (\prod_(1 <= j < (t - k).+1) (gamma * lam j)) *: phi k.
Proof. by apply: eq_bigr => k _; rewrite prod_gamma_lambda span_const mulrC. Qed.

(* By lags: the state seen k steps ago weighs c_k Γ_{t-k} … Γ_{t-1}. *)
Lemma trace_lags lam g phi t :
  trace lam g phi t = \sum_(0 <= k < t.+1) (c lam k * span g (t - k) t) *: phi (t - k)%N.
Proof.
rewrite /trace big_nat_rev /= add0n; apply: eq_big_nat => k /andP[_ kt].
by rewrite subSS subKn.
Qed.

(* One step: every lag grows by one, and c_{k-1} − c_k = w_k is lost on the way. *)
Theorem trace_step lam g phi t :
  trace lam g phi t.+1 = g t *: trace lam g phi t + phi t.+1
    - \sum_(1 <= k < t.+2) (w lam k * span g (t.+1 - k) t.+1) *: phi (t.+1 - k)%N.
Proof.
rewrite [in LHS]trace_lags big_ltn // subn0 span_same c0 mulr1 scale1r addrC -addrA [phi _ - _]addrC addrA.
congr (_ + _); rewrite trace_lags scaler_sumr [in RHS]big_add1 big_add1 -sumrB /=.
apply: eq_big_nat => k /andP[_ kt]; rewrite subSS scalerA -scalerBl /w /= spanS ?leq_subr //.
by congr (_ *: _); ring.
Qed.
End Facts.
