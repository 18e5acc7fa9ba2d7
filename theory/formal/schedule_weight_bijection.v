(* schedule_weight_bijection — abstract; §2, "the user can assign the weights to different n-step returns".

   Statement: every λ-schedule of length L gives a law w on the n-step returns, 1 ≤ n ≤ L + 1, and every such law comes
   from a schedule, λ_n = 1 − w_n/(1 − Σ_{k<n} w_k).
   Reading: w_n ≥ 0, Σ w_n = 1, no weight beyond L + 1. Where the tail 1 − Σ_{k<n} w_k is used up the formula is 0/0 and
   any λ_n does [schedule_weight_free]; [lambdas_of] takes 0. One-to-one exactly while the tails are positive.
   Hypotheses: λ_j ∈ [0,1]; λ_j = 0 for j > L. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bijection.
Variable R : realFieldType.
Implicit Types (lam u : nat -> R).

Definition weight_law L u :=
  [/\ forall n, 0 <= u n, u 0%N = 0, forall n, (L.+1 < n)%N -> u n = 0 & \sum_(1 <= n < L.+2) u n = 1].

Definition tail u n : R := 1 - \sum_(1 <= k < n) u k.

Definition lambdas_of u : nat -> R := fun n => if tail u n == 0 then 0 else 1 - u n / tail u n.

(* Schedules give laws. *)
Theorem schedule_gives_law L lam :
  (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam -> weight_law L (w lam).
Proof.
move=> lam01 finL; split=> [n||n|]; [exact: w_ge0 | exact: w0 | exact: w_out | exact: sum_w].
Qed.

Lemma tail_w lam n : (0 < n)%N -> tail (w lam) n = c lam n.-1.
Proof. by case: n => // n _; rewrite /tail sum_w_to opprB addrCA subrr addr0. Qed.

Lemma tailS u n : (0 < n)%N -> tail u n.+1 = tail u n - u n.
Proof. by move=> n0; rewrite /tail big_nat_recr //= opprD addrA. Qed.

(* Laws come from schedules. *)
Section FromLaw.
Variables (L : nat) (u : nat -> R).
Hypothesis law : weight_law L u.

Lemma tail_ge n : (0 < n)%N -> u n <= tail u n.
Proof.
case: law => u0 _ u_out u1; case: n => // n _; rewrite /tail -u1 ler_subr_addl.
case: (leqP n.+1 L.+2) => [nL|Ln]; last first.
  rewrite u_out ?addr0; last exact: ltnW.
  rewrite (@big_cat_nat _ _ _ L.+2 _ n.+1) //=; last exact: ltnW.
  rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 // => k /andP[/andP[Lk _] _].
  exact: u_out.
rewrite [leRHS](@big_cat_nat _ _ _ n.+1) //= ler_add2l.
move: nL; rewrite leq_eqVlt => /orP[/eqP[->]|nL]; first by rewrite u_out // big_geq.
by rewrite big_ltn // ler_addl sumr_ge0.
Qed.

Lemma tail_ge0 n : (0 < n)%N -> 0 <= tail u n.
Proof. by case: law => u0 _ _ _ n0; apply: le_trans (u0 n) (tail_ge n0). Qed.

Lemma tail_eq0 n : (0 < n)%N -> tail u n = 0 -> u n = 0.
Proof. by move=> n0 t0; apply/eqP; rewrite eq_le -[X in _ <= X]t0 tail_ge //=; case: law. Qed.

Lemma tail_lambda n : (0 < n)%N -> tail u n * lambdas_of u n = tail u n - u n.
Proof.
move=> n0; rewrite /lambdas_of; case: eqP => [t0|/eqP tn0].
  by rewrite mulr0 t0 tail_eq0 // subrr.
by rewrite mulrBr mulr1 mulrCA divff // mulr1.
Qed.

Lemma c_lambdas_of n : c (lambdas_of u) n = tail u n.+1.
Proof.
elim: n => [|n IH]; first by rewrite c0 /tail big_geq // subr0.
by rewrite cS IH tail_lambda // -tailS.
Qed.

Theorem schedule_weight_onto : w (lambdas_of u) =1 u.
Proof.
case=> [|n]; first by rewrite w0; case: law.
by rewrite /w /= !c_lambdas_of [X in _ - X]tailS // opprB addrC subrK.
Qed.

Theorem lambdas_of_01 n : (0 < n)%N -> 0 <= lambdas_of u n <= 1.
Proof.
move=> n0; rewrite /lambdas_of; case: eqP => [_|/eqP tn0]; first by rewrite lexx ler01.
have t0 : 0 < tail u n by rewrite lt_neqAle eq_sym tn0 tail_ge0.
rewrite subr_ge0 ler_pdivr_mulr // mul1r tail_ge //= ger_addl oppr_le0.
by apply: divr_ge0; [case: law | apply: ltW].
Qed.

Theorem lambdas_of_finite : finite_schedule L (lambdas_of u).
Proof.
move=> n Ln; have n0 := leq_ltn_trans (leq0n L) Ln.
rewrite /lambdas_of; case: eqP => // /eqP tn0; case: law => u0 _ u_out u1.
have sum1 : tail u L.+2 = 0 by rewrite /tail u1 subrr.
have nL : n = L.+1.
  apply/eqP; rewrite eqn_leq Ln andbT leqNgt; apply: contra tn0 => L1n.
  rewrite /tail (@big_cat_nat _ _ _ L.+2) //= u1 [X in _ - (_ + X)]big_nat_cond [X in _ - (_ + X)]big1 ?addr0 ?subrr // => k.
  by case/andP=> /andP[Lk _] _; apply: u_out.
have tu : tail u n = u n by apply/eqP; rewrite -subr_eq0 -tailS // nL sum1.
by rewrite -tu divff // subrr.
Qed.
End FromLaw.

(* The printed inverse, and one-to-one while the tails are positive. *)
Theorem schedule_weight_inverse lam n : (0 < n)%N -> tail (w lam) n != 0 ->
  lam n = 1 - w lam n / (1 - \sum_(1 <= k < n) w lam k).
Proof.
move=> n0; rewrite -/(tail (w lam) n) tail_w // => c_n0.
by rewrite wE // mulrAC divff // mul1r opprB addrC subrK.
Qed.

Theorem schedule_weight_bijection L u : weight_law L u ->
  [/\ forall n, (0 < n)%N -> 0 <= lambdas_of u n <= 1, finite_schedule L (lambdas_of u), w (lambdas_of u) =1 u &
      forall lam, w lam =1 u -> forall n, (0 < n)%N -> 0 < tail u n -> lam n = lambdas_of u n].
Proof.
move=> law; split=> [n n0|||lam wu n n0 t0]; [exact: lambdas_of_01 law _ n0 | exact: lambdas_of_finite | | ].
  exact: schedule_weight_onto law.
have tails : tail (w lam) n = tail u n by rewrite /tail; congr (_ - _); apply: eq_bigr => k _; apply: wu.
rewrite schedule_weight_inverse ?tails ?gt_eqF // -/(tail (w lam) n) tails wu.
by rewrite /lambdas_of gt_eqF.
Qed.

(* Where the tail is used up λ_n is free: any x there gives the same law. *)
Theorem schedule_weight_free L u n x : weight_law L u -> (0 < n <= L)%N -> tail u n = 0 -> 0 <= x <= 1 ->
  let lam j := if j == n then x else lambdas_of u j in
  [/\ forall j, (0 < j)%N -> 0 <= lam j <= 1, finite_schedule L lam & w lam =1 u].
Proof.
move=> law /andP[n0 nL] tn x01 lam; split=> [j j0|j Lj|j].
- by rewrite /lam; case: eqP => // _; apply: (lambdas_of_01 law).
- by rewrite /lam gtn_eqF ?(leq_ltn_trans nL) //; apply: (lambdas_of_finite law).
have same k : c lam k = c (lambdas_of u) k.
  case: (ltnP k n) => [kn|nk].
    by apply: eq_c => i /andP[_ ik]; rewrite /lam ltn_eqF // (leq_ltn_trans ik).
  have before : c lam n.-1 = 0.
    rewrite (@eq_c _ lam (lambdas_of u)) ?(c_lambdas_of law) ?prednK // => i /andP[_ i_n].
    by rewrite /lam ltn_eqF // -(prednK n0).
  have vanish mu : c mu n.-1 = 0 -> c mu k = 0.
    by rewrite /c => mu0; rewrite (@big_cat_nat _ _ _ n) //= ?(leqW nk) // -[n in \prod_(1 <= i < n) _](prednK n0) mu0 mul0r.
  by rewrite !vanish // (c_lambdas_of law) prednK.
by rewrite /w !same; apply: (schedule_weight_onto law).
Qed.

(* After λ_1 = 0 the mass is used up: λ_2 is free. *)
Theorem schedule_weight_not_one_to_one :
  exists lam mu : nat -> R, [/\ finite_schedule 2 lam, finite_schedule 2 mu, lam 2%N != mu 2%N & w lam =1 w mu].
Proof.
exists (schedule [:: 0; 0]), (schedule [:: 0; 1]); split; try exact: (@schedule_finite _ [:: _; _]).
  by rewrite /= eq_sym oner_eq0.
have same (x : R) k : c (schedule [:: 0; x]) k = (k == 0%N)%:R.
  by case: k => [|k]; [rewrite c0 | rewrite c_first mul0r].
by move=> n; rewrite /w !same.
Qed.
End Bijection.

(* λ = (½, ⅓) ↔ w = (½, ⅓, ⅙). *)
Theorem schedule_weight_bijection_instance (R : realFieldType)
  (lam := schedule [:: 1 / 2; 1 / 3 : R]) (u := schedule [:: 1 / 2; 1 / 3; 1 / 6 : R]) :
  [/\ [seq w lam n | n <- iota 1 4] = [:: 1 / 2; 1 / 3; 1 / 6; 0], weight_law 2 u &
      [seq lambdas_of u n | n <- iota 1 3] = [:: 1 / 2; 1 / 3; 0]].
Proof.
have [t1 t2 t3] : [/\ tail u 1 = 1, tail u 2 = 1 / 2 & tail u 3 = 1 / 6].
  by split; rewrite /tail /index_iota /= !(big_cons, big_nil) /=; field.
have nz k : (1 / k.+1%:R == 0 :> R) = false by rewrite mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
split; last by rewrite /= /lambdas_of t1 t2 t3 oner_eq0 !nz /=; congr [:: _; _; _]; field.
  by rewrite /= /w /= !(cS, c0) /lam /=; congr [:: _; _; _; _]; field.
have part x : 0 <= 1 / x%:R :> R by rewrite divr_ge0 ?ler01 ?ler0n.
split=> [[|[|[|[|n]]]]||[|[|[|[|n]]]]|] //=; rewrite ?nth_nil ?lexx //; try exact: part.
by rewrite /index_iota /= !(big_cons, big_nil) /=; field.
Qed.

(* Without λ ∈ [0,1] some weight is negative: λ_1 = −1 gives w_1 = 2, w_2 = −1. *)
Theorem schedule_weight_bijection_ablation_lambda (R : realFieldType) :
  exists lam : nat -> R, finite_schedule 1 lam /\ w lam 2 < 0.
Proof.
exists (schedule [:: -1]); split; first exact: (@schedule_finite _ [:: -1]).
by rewrite /w !(cS, c0) /= mulr0 subr0 mul1r ltrN10.
Qed.
