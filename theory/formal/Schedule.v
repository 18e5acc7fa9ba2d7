(* λ-schedules and the weights they give to n-step returns (§2 and A4.1 of the paper): definitions, first facts.

   A schedule is a sequence λ_1, λ_2, …: a function lam : nat -> R, of which lam 0 is never used. From §2 on the
   paper asks for some L with λ_j = 0 for every j > L: here [finite_schedule L lam].

       c_k = λ_1 … λ_k         [c lam k]              c_0 = 1; weight of δ_{t+k} in the return, of φ(s_{t-k}) in the trace
       w_n = c_{n-1} − c_n     [w lam n]              weight of the n-step return, n = 1 … L + 1
       Λ_ij                    [Lambda lam i j]       c_{j-1}(1 − λ_j) for j < i, c_{i-1} for j = i, 0 above; i, j ≥ 1
       any weight matrix       [weights Lam]          lower triangular, entries in [0,1], rows that sum to one
       κ = Σ w_n γⁿ            [kappa lam L gamma]    n = 1 … L + 1
       M = Σ w_n Nⁿ            [M lam L N]            N = γP, or the discounted kernel P∘Γ; N in any algebra over R
       S = Σ c_k Nᵏ            [trace_sum lam L N]    k = 0 … L

   Nothing is assumed of the λ's unless a lemma says so: most facts are identities in any commutative ring. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The sequence that starts one later: [λ_2:] from [λ_1:], and the path seen from s_{t+1}. *)
Definition shift T (u : nat -> T) : nat -> T := fun k => u k.+1.

Section Definitions.
Variable R : comRingType.
Implicit Types (lam : nat -> R) (s : seq R).

(* The schedule with the given λ_1, …, λ_L and zeros after them. *)
Definition schedule s : nat -> R := fun j => if j is i.+1 then nth 0 s i else 0.

Definition finite_schedule L lam := forall j, (L < j)%N -> lam j = 0.

Definition c lam k : R := \prod_(1 <= j < k.+1) lam j.

Definition w lam n : R := c lam n.-1 - c lam n.

Definition Lambda lam (i j : nat) : R :=
  if (j < i)%N then c lam j.-1 * (1 - lam j) else if j == i then c lam i.-1 else 0.

Definition kappa lam L (gamma : R) : R := \sum_(1 <= n < L.+2) w lam n * gamma ^+ n.

Definition M lam L (A : algType R) (N : A) : A := \sum_(1 <= n < L.+2) w lam n *: N ^+ n.

Definition trace_sum lam L (A : algType R) (N : A) : A := \sum_(0 <= k < L.+1) c lam k *: N ^+ k.

End Definitions.

(* Lam i j weighs the return after j steps of an episode of i steps; i, j ≥ 1. *)
Definition weights (R : numDomainType) (Lam : nat -> nat -> R) :=
  [/\ forall i j, (i < j)%N -> Lam i j = 0,
      forall i j, (0 < j)%N -> 0 <= Lam i j <= 1 &
      forall i, (0 < i)%N -> \sum_(1 <= j < i.+1) Lam i j = 1].

Section Identities.
Variable R : comRingType.
Implicit Types (lam : nat -> R) (s : seq R).

Lemma schedule_finite s : finite_schedule (size s) (schedule s).
Proof. by case=> // j sj; rewrite /schedule nth_default. Qed.

Lemma shift_schedule x s j : shift (schedule (x :: s)) j.+1 = schedule s j.+1.
Proof. by []. Qed.

Lemma finite_schedule_shift L lam : finite_schedule L.+1 lam -> finite_schedule L (shift lam).
Proof. by move=> finL j Lj; apply: finL. Qed.

(* c_k *)

Lemma c0 lam : c lam 0 = 1.
Proof. exact: big_geq. Qed.

Lemma cS lam k : c lam k.+1 = c lam k * lam k.+1.
Proof. by rewrite /c big_nat_recr. Qed.

Lemma c_first lam k : c lam k.+1 = lam 1%N * c (shift lam) k.
Proof. by rewrite /c big_ltn // big_add1. Qed.

Lemma eq_c lam mu k : (forall j, (1 <= j <= k)%N -> lam j = mu j) -> c lam k = c mu k.
Proof. by move=> eq_lam; apply: eq_big_nat => j /andP[j1 jk]; apply: eq_lam; rewrite j1. Qed.

(* λ_j = 0 hides every later λ. *)
Lemma c_zero lam j k : (0 < j <= k)%N -> lam j = 0 -> c lam k = 0.
Proof.
move=> /andP[j0 jk] lamj; rewrite /c (@big_cat_nat _ _ _ j.+1) //= (big_nat_recr j) //=.
by rewrite lamj mulr0 mul0r.
Qed.

Lemma c_out L lam k : finite_schedule L lam -> (L < k)%N -> c lam k = 0.
Proof. by move=> finL Lk; apply: (@c_zero _ L.+1) => //; apply: finL. Qed.

(* As the paper writes it: the γ's and the λ's in one product. *)
Lemma prod_gamma_lambda lam (gamma : R) k : \prod_(1 <= j < k.+1) (gamma * lam j) = gamma ^+ k * c lam k.
Proof. by rewrite big_split /= prodr_const_nat subn1. Qed.

(* w_n *)

Lemma w0 lam : w lam 0 = 0.
Proof. by rewrite /w subrr. Qed.

Lemma wS lam n : w lam n.+1 = c lam n * (1 - lam n.+1).
Proof. by rewrite /w /= cS mulrBr mulr1. Qed.

Lemma wE lam n : (0 < n)%N -> w lam n = c lam n.-1 * (1 - lam n).
Proof. by case: n => // n _; apply: wS. Qed.

Lemma w_out L lam n : finite_schedule L lam -> (L.+1 < n)%N -> w lam n = 0.
Proof.
case: n => // n finL Ln; rewrite /w /=.
by rewrite (c_out finL Ln) (@c_out L) ?subrr // (ltn_trans _ (ltnSn n)).
Qed.

Lemma w_last L lam : finite_schedule L lam -> w lam L.+1 = c lam L.
Proof. by move=> finL; rewrite /w /= (c_out finL (ltnSn L)) subr0. Qed.

(* Σ_{n=1}^N w_n = 1 − c_N: what the first N returns leave over is c_N. *)
Lemma sum_w_to lam N : \sum_(1 <= n < N.+1) w lam n = 1 - c lam N.
Proof.
elim: N => [|N IH]; first by rewrite big_geq // c0 subrr.
by rewrite big_nat_recr //= IH /w /=; ring.
Qed.

Lemma sum_w L lam : finite_schedule L lam -> \sum_(1 <= n < L.+2) w lam n = 1.
Proof. by move=> finL; rewrite sum_w_to (c_out finL) ?subr0. Qed.

(* Λ *)

Lemma Lambda_below lam i j : (j < i)%N -> Lambda lam i j = c lam j.-1 * (1 - lam j).
Proof. by rewrite /Lambda => ->. Qed.

Lemma Lambda_diag lam i : Lambda lam i i = c lam i.-1.
Proof. by rewrite /Lambda ltnn eqxx. Qed.

Lemma Lambda_above lam i j : (i < j)%N -> Lambda lam i j = 0.
Proof. by move=> ij; rewrite /Lambda ltnNge ltnW //= gtn_eqF. Qed.

(* Below its diagonal, column j of Λ holds the weight of the j-step return. *)
Lemma Lambda_w lam i j : (0 < j < i)%N -> Lambda lam i j = w lam j.
Proof. by case/andP=> j0 ji; rewrite Lambda_below // wE. Qed.

End Identities.

Section Order.
Variables (R : numDomainType) (lam : nat -> R).
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.

Lemma c_ge0 k : 0 <= c lam k.
Proof.
by rewrite /c big_nat_cond; apply: prodr_ge0 => j /andP[/andP[j1 _] _]; case/andP: (lam01 j1).
Qed.

Lemma c_decreases k : c lam k.+1 <= c lam k.
Proof. by rewrite cS ler_pimulr ?c_ge0 //; case/andP: (lam01 (ltn0Sn k)). Qed.

Lemma c_le1 k : c lam k <= 1.
Proof. by elim: k => [|k IH]; [rewrite c0 | apply: le_trans (c_decreases k) IH]. Qed.

Lemma w_ge0 n : 0 <= w lam n.
Proof. by case: n => [|n]; [rewrite w0 | rewrite subr_ge0 c_decreases]. Qed.

Lemma w_le1 n : w lam n <= 1.
Proof. by rewrite /w ler_subl_addr; apply: le_trans (c_le1 _) _; rewrite ler_addl c_ge0. Qed.

Lemma Lambda_01 i j : (0 < j)%N -> 0 <= Lambda lam i j <= 1.
Proof.
move=> j0; case: (ltngtP j i) => [ji|ij|<-].
- by rewrite Lambda_w ?j0 // w_ge0 w_le1.
- by rewrite Lambda_above // lexx ler01.
- by rewrite Lambda_diag c_ge0 c_le1.
Qed.

(* κ ≤ γ: every power of γ is at most γ, and the weights sum to one. *)
Lemma kappa_ge0 L (gamma : R) : 0 <= gamma -> 0 <= kappa lam L gamma.
Proof. by move=> g0; apply: sumr_ge0 => n _; rewrite mulr_ge0 ?w_ge0 ?exprn_ge0. Qed.

Lemma kappa_le L (gamma : R) : 0 <= gamma <= 1 -> finite_schedule L lam -> kappa lam L gamma <= gamma.
Proof.
case/andP=> g0 g1 finL; rewrite -[leRHS]mul1r -(sum_w finL) mulr_suml.
rewrite /kappa big_nat_cond [leRHS]big_nat_cond; apply: ler_sum => -[|n] //= _.
by rewrite ler_wpmul2l ?w_ge0 // exprS ler_pimulr // exprn_ile1.
Qed.

End Order.
