(* n_step_special_case — §2, observation (1).

   Stated: "If λ_j = 1 for j ≤ n and λ_j = 0 for j > n, for some n > 0, then we obtain the n-step TD algorithm."
   Refuted: that schedule gives the (n+1)-step return, for every n; at n = 1, on one state with V = 1, γ = ½ and no
   reward, the one-step return is ½ and the schedule's return ¼.
   Corrected: λ_j = 1 for j < n, λ_j = 0 for j ≥ n; then w_n = 1, all other weights are 0, and G_t is the n-step
   return, along every path and with any discounts. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Returns delta_expansion.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section NStep.
Variable R : comRingType.
Implicit Types g r v : nat -> R.

(* λ_1 = … = λ_m = 1, zero after: m = n as printed, m = n − 1 as corrected. *)
Definition ones_then_zeros m : nat -> R := fun j => (j <= m)%:R.

Lemma ones_then_zeros_finite m : finite_schedule m (ones_then_zeros m).
Proof. by move=> j mj; rewrite /ones_then_zeros leqNgt mj. Qed.

Lemma c_ones_then_zeros m k : c (ones_then_zeros m) k = (k <= m)%:R.
Proof.
elim: k => [|k IH]; first by rewrite c0.
by rewrite cS IH /ones_then_zeros -natrM mulnb andbC; case: ltnP => // /ltnW->.
Qed.

Lemma w_ones_then_zeros m n : (0 < n)%N -> w (ones_then_zeros m) n = (n == m.+1)%:R.
Proof.
case: n => // n _; rewrite /w !c_ones_then_zeros /= eqSS.
by case: ltngtP => nm; rewrite ?subrr ?subr0.
Qed.

(* With m = n: the printed schedule gives the (n+1)-step return, for every n. *)
Lemma ones_then_zeros_return m g r v : G m (ones_then_zeros m) g r v = n_step g r v m.+1.
Proof.
rewrite return_weighs_n_steps; last exact: ones_then_zeros_finite.
rewrite big_nat_recr //= w_ones_then_zeros // eqxx mul1r big_nat_cond big1 ?add0r // => k.
case/andP=> /andP[k0 km] _; rewrite w_ones_then_zeros // (_ : k == m.+1 = false) ?mul0r //.
by apply/negbTE; rewrite neq_ltn km.
Qed.

Theorem n_step_special_case_corrected n g r v : (0 < n)%N ->
  [/\ G n.-1 (ones_then_zeros n.-1) g r v = n_step g r v n, w (ones_then_zeros n.-1) n = 1 &
      forall m, (0 < m)%N -> m != n -> w (ones_then_zeros n.-1) m = 0].
Proof.
case: n => // n _ /=; rewrite ones_then_zeros_return w_ones_then_zeros // eqxx; split=> // m m0 mn.
by rewrite w_ones_then_zeros // (negbTE mn).
Qed.

End NStep.

Theorem n_step_special_case_stated_refuted (R : numFieldType) :
  ~ (forall n (g r v : nat -> R), (0 < n)%N -> G n (ones_then_zeros R n) g r v = n_step g r v n).
Proof.
move/(_ 1%N (fun=> 1 / 2) (fun=> 0) (fun=> 1) isT); rewrite ones_then_zeros_return.
rewrite /n_step /index_iota /= !(big_cons, big_nil) !disc_const => /eqP; rewrite -subr_eq0.
rewrite (_ : _ - _ = - (1 / 4)); last by field.
by rewrite oppr_eq0 mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
Qed.

(* n = 2: λ = (1), w = (0, 1). *)
Theorem n_step_special_case_instance (R : numFieldType) (g r v : nat -> R) (lam := schedule [:: 1 : R]) :
  G 1 lam g r v = r 1%N + g 0%N * (r 2%N + g 1%N * v 2%N) /\ [seq w lam n | n <- iota 1 3] = [:: 0; 1; 0].
Proof.
split; first by rewrite /= /shift; ring.
by rewrite /= /w /= !(cS, c0) /lam /=; congr [:: _; _; _]; ring.
Qed.
