(* equal_weights_schedule — §2.1.

   EqualWeights(n1, n2):  λ_i = 1 for i < n1,  1 − 1/(n2 − i + 1) for n1 ≤ i ≤ n2,  0 for i > n2.

   Statement: it gives each n-step return, n1 ≤ n ≤ n2, the weight 1/(n2 − n1 + 1), and none to others; and the schedule
   and matrix of EqualWeights(3, 5) are as printed. Hypothesis: 1 ≤ n1 ≤ n2. Closed form, m = n2 − n1 + 1:
   c_k = 1 for k < n1, (n2 − k)/m from n1 − 1 to n2; λ_{n2} = 0, so the schedule has length n2 − 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition EqualWeights (R : numFieldType) (n1 n2 : nat) : nat -> R := fun i =>
  if (i < n1)%N then 1 else if (i <= n2)%N then 1 - 1 / (n2 - i).+1%:R else 0.

Lemma lose_one (F : fieldType) (x y : F) : x != 0 -> y != 0 -> x / y * (1 - 1 / x) = (x - 1) / y.
Proof. by move=> x0 y0; field; rewrite y0 x0. Qed.

Section EqualWeights.
Variables (R : numFieldType) (n1 n2 : nat).
Hypotheses (n1_ge1 : (0 < n1)%N) (n1_le_n2 : (n1 <= n2)%N).
Let m : R := (n2 - n1).+1%:R.
Let lam : nat -> R := EqualWeights R n1 n2.

Let m_neq0 : m != 0. Proof. by rewrite pnatr_eq0. Qed.

Lemma EqualWeights_last : lam n2 = 0.
Proof. by rewrite /lam /EqualWeights ltnNge n1_le_n2 /= leqnn subnn divr1 subrr. Qed.

Lemma EqualWeights_finite : finite_schedule n2.-1 lam.
Proof.
move=> j; rewrite prednK ?(leq_trans n1_ge1) // leq_eqVlt => /orP[/eqP<-|n2j]; first exact: EqualWeights_last.
by rewrite /lam /EqualWeights ltnNge (leq_trans n1_le_n2 (ltnW n2j)) /= leqNgt n2j.
Qed.

Lemma c_before k : (k < n1)%N -> c lam k = 1.
Proof.
elim: k => [|k IH] kn1; first by rewrite c0.
by rewrite cS IH ?(ltnW kn1) // mul1r /lam /EqualWeights kn1.
Qed.

(* c_{n1-1+k} = (m − k)/m *)
Lemma c_from k : (k <= (n2 - n1).+1)%N -> c lam (n1.-1 + k) = ((n2 - n1).+1 - k)%:R / m.
Proof.
elim: k => [|k IH] km; first by rewrite addn0 subn0 c_before ?divff // prednK.
have lamk : lam (n1 + k) = 1 - 1 / ((n2 - n1).+1 - k)%:R.
  by rewrite /lam /EqualWeights ltnNge leq_addr /= -leq_subRL // -ltnS km subnDA -subSn.
have pred : ((n2 - n1).+1 - k.+1)%:R = ((n2 - n1).+1 - k)%:R - 1 :> R.
  by rewrite subnS -subn1 natrB // subn_gt0.
rewrite addnS cS IH ?(ltnW km) // -addSn prednK // lamk pred lose_one //.
by rewrite pnatr_eq0 -lt0n subn_gt0.
Qed.

Theorem equal_weights_schedule n :
  w lam n = if (n1 <= n <= n2)%N then 1 / m else 0.
Proof.
case: n => [|n]; first by rewrite w0 leqNgt n1_ge1.
rewrite /w /=; case: (ltnP n.+1 n1) => [n1n|n1n]; first by rewrite !c_before ?subrr // ltnW.
case: (leqP n.+1 n2) => /= [nn2|n2n]; last first.
  by rewrite !(c_out EqualWeights_finite) ?subrr // prednK ?(leq_trans n1_ge1) // -ltnS ltnW.
have [k nk km] : exists2 k, n = (n1.-1 + k)%N & (k < (n2 - n1).+1)%N.
  exists (n - n1.-1)%N; first by rewrite subnKC // -ltnS prednK.
  by rewrite ltnS -subSS prednK // leq_sub2r.
rewrite nk -addnS !c_from ?(ltnW km) // -mulrBl -natrB; last by rewrite leq_sub2l.
by rewrite (_ : _ - _ = 1)%N // subnBA // addnS subnK 1?ltnW // subSnn.
Qed.
End EqualWeights.

(* EqualWeights(3, 5): the schedule and the matrix that §2.1 prints. *)
Theorem equal_weights_schedule_instance (R : numFieldType) (lam := EqualWeights R 3 5) :
  [seq lam i | i <- iota 1 6] = [:: 1; 1; 2 / 3; 1 / 2; 0; 0] /\
  [seq [seq Lambda lam i j | j <- iota 1 5] | i <- iota 1 5]
    = [:: [:: 1; 0;     0;     0;     0];
          [:: 0; 1;     0;     0;     0];
          [:: 0; 0;     1;     0;     0];
          [:: 0; 0; 1 / 3; 2 / 3;     0];
          [:: 0; 0; 1 / 3; 1 / 3; 1 / 3]].
Proof.
split; rewrite /= /lam /EqualWeights /= ?(subSS, subn0); first by congr [:: _; _; _; _; _; _]; field.
rewrite /Lambda /= !(cS, c0) /EqualWeights /= !(subSS, subn0).
by congr [:: [:: _; _; _; _; _]; [:: _; _; _; _; _]; [:: _; _; _; _; _]; [:: _; _; _; _; _]; [:: _; _; _; _; _]]; field.
Qed.

(* n1 ≤ n2 is needed: EqualWeights(2, 1) has λ = (1, 0, …) and puts all weight on the two-step return. *)
Theorem equal_weights_schedule_ablation_order (R : numFieldType) : w (EqualWeights R 2 1) 2 = 1.
Proof. by rewrite /w !(cS, c0) /EqualWeights /=; ring. Qed.
