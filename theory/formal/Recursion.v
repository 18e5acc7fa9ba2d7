(* What "the recursion of the return" says of a weight matrix Λ (§2), and what it asks for at one γ.

   There are weight matrices Λ = Λ⁰, Λ¹, Λ², … and numbers λ_1, λ_2, … such that along every finite path, for every m,
       G^{Λ^m}_t − V(s_t) = δ_t + γλ_{m+1}[G^{Λ^{m+1}}_{t+1} − V(s_{t+1})],
   the mixtures over episode lengths being limits of their partial sums. The paper's own choice Λ^{m+1}_ij =
   Λ^m_{i+1,j+1}/Λ^m_22 is one possibility; all are allowed, and they may differ from one γ to another.
   Λ is any infinite lower triangular matrix with entries in [0,1] and rows that sum to one. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule weight_matrix_rows Limits Returns return_coefficients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : realFieldType.
Implicit Types (Lam : nat -> nat -> R) (gamma : R).

(* A path that is over after T steps: rewards and values vanish from there on. *)
Definition ends_after T (u : nat -> R) := forall k, (T < k)%N -> u k = 0.

(* One step: both sides are compared in the limit of all episode lengths. *)
Definition recursion_step gamma (lambda : R) Lam Lam' :=
  forall T r v, ends_after T r -> ends_after T v ->
  tends_to (fun N => (mixture Lam (fun=> gamma) r v N - v 0%N)
                   - (delta (fun=> gamma) r v 0
                      + gamma * lambda * (mixture Lam' (fun=> gamma) (shift r) (shift v) N - v 1%N))) 0.

Definition recursion gamma Lam :=
  exists (Lams : nat -> nat -> nat -> R) (lam : nat -> R),
    [/\ Lams 0%N = Lam, forall m, weights (Lams m) & forall m, recursion_step gamma (lam m.+1) (Lams m) (Lams m.+1)].

Definition printed_condition Lam :=
  forall j, (2 <= j)%N -> Lam j j.-1 + Lam j j = Lam j.-1 j.-1.

Definition columns_constant Lam := forall i j, (0 < j < i)%N -> Lam i j = Lam j.+1 j.

(* Σ_{j≥k} Λ_ij: the weight of the returns of an episode of i steps that contain R_{t+k}. *)
Definition share Lam i k : R := \sum_(k <= j < i.+1) Lam i j.

End Definitions.

(* Sums against a unit path. *)
Section UnitPaths.
Variable R : comRingType.
Implicit Types (Lam : nat -> nat -> R) (g : nat -> R).

Definition unit_at (k : nat) : nat -> R := fun j => (j == k)%:R.
Definition nothing : nat -> R := fun=> 0.

Lemma sum_unit (a : nat -> R) N k : (0 < k <= N)%N -> \sum_(1 <= j < N.+1) a j * unit_at k j = a k.
Proof.
move=> kN; rewrite (bigD1_seq k) ?iota_uniq ?mem_index_iota //= /unit_at eqxx mulr1 big1 ?addr0 // => j /negbTE->.
by rewrite mulr0.
Qed.

Lemma sum_nothing (a : nat -> R) N : \sum_(1 <= j < N.+1) a j * nothing j = 0.
Proof. by rewrite big1 // => j _; rewrite mulr0. Qed.

Lemma sum_unit0 (a : nat -> R) N : \sum_(1 <= j < N.+1) a j * unit_at 0 j = 0.
Proof. by rewrite big_nat_cond big1 // => -[|j] // _; rewrite mulr0. Qed.

Lemma mixture_unit_reward Lam g N k : (0 < k <= N)%N ->
  mixture Lam g (unit_at k) nothing N = reward_coefficient Lam g N k.
Proof. by move=> kN; rewrite mixture_coefficients sum_unit // sum_nothing addr0. Qed.

Lemma mixture_unit_value Lam g N k : (0 < k <= N)%N ->
  mixture Lam g nothing (unit_at k) N = value_coefficient Lam g N k.
Proof. by move=> kN; rewrite mixture_coefficients sum_unit // sum_nothing add0r. Qed.

Lemma mixture_unit0 Lam g N :
  mixture Lam g (unit_at 0) nothing N = 0 /\ mixture Lam g nothing (unit_at 0) N = 0.
Proof. by rewrite !mixture_coefficients !sum_unit0 !sum_nothing addr0. Qed.

(* A length of k steps counts once among the rewards of k and not among those of k + 1 or the values of k. *)
Lemma coefficient_balance Lam g N k : (0 < k <= N)%N ->
  reward_coefficient Lam g N k
    = reward_coefficient Lam g N k.+1 + value_coefficient Lam g N k + mass g k * Lam k k.
Proof.
case/andP=> k0 kN; rewrite /reward_coefficient /value_coefficient big_ltn // big_nat1 addrC; congr (_ + _).
rewrite -big_split; apply: eq_big_nat => i /andP[ki _] /=.
by rewrite (big_ltn (_ : k < i.+1)%N) 1?addrC ?mulrDr // ltnW.
Qed.
End UnitPaths.
Arguments unit_at {R} k.
Arguments nothing {R}.

(* What the recursion asks for at one γ, and that it is enough. *)
Section OneGamma.
Variables (R : realFieldType) (gamma : R).
Hypothesis gamma01 : 0 < gamma < 1.
Let g : nat -> R := fun=> gamma.
Implicit Types (Lam : nat -> nat -> R) (lam : nat -> R).

Let gamma_ge0 : 0 <= gamma. Proof. by case/andP: gamma01 => /ltW. Qed.
Let gamma_lt1 : 0 <= gamma < 1. Proof. by rewrite gamma_ge0; case/andP: gamma01. Qed.
Let gamma_neq0 : gamma != 0. Proof. by rewrite gt_eqF //; case/andP: gamma01. Qed.
Let gammaC_neq0 : 1 - gamma != 0. Proof. by rewrite subr_eq0 eq_sym lt_eqF //; case/andP: gamma01. Qed.

(* Limits of all coefficients: those of the return of a schedule. *)
Definition coefficients_at lam Lam k :=
  tends_to (fun N => reward_coefficient Lam g N k.+1) (gamma ^+ k * c lam k) /\
  tends_to (fun N => value_coefficient Lam g N k.+1) (gamma ^+ k.+1 * c lam k * (1 - lam k.+1)).
Definition coefficients_of lam Lam := forall k, coefficients_at lam Lam k.

Definition diagonal_condition Lam := forall k, (0 < k)%N ->
  tends_to (fun N => \sum_(k <= i < N.+1) (1 - gamma) * gamma ^+ (i - k) * share Lam i k) (Lam k k).

Lemma reward_share Lam N k : (0 < k)%N ->
  reward_coefficient Lam g N k
    = gamma ^+ k.-1 * \sum_(k <= i < N.+1) (1 - gamma) * gamma ^+ (i - k) * share Lam i k.
Proof.
move=> k0; rewrite mulr_sumr; apply: eq_big_nat => i /andP[ki _].
rewrite mass_const -/(share Lam i k) (_ : i.-1 = k.-1 + (i - k))%N ?exprD.
  by move: (gamma ^+ (i - k)) (gamma ^+ k.-1) (share _ _ _) => x y s; ring.
by rewrite -[in LHS](subnKC ki); case: (k) k0.
Qed.

Lemma diagonal_condition_rewards Lam : diagonal_condition Lam <->
  forall k, (0 < k)%N -> tends_to (fun N => reward_coefficient Lam g N k) (gamma ^+ k.-1 * Lam k k).
Proof.
split=> cond k k0.
  by apply: tends_to_ext (tends_to_scale (gamma ^+ k.-1) (cond k k0)) => N; rewrite reward_share.
have := tends_to_scale (gamma ^+ k.-1)^-1 (cond k k0).
rewrite mulKf ?expf_neq0 //; apply: tends_to_ext => N.
by rewrite reward_share // mulKf ?expf_neq0.
Qed.

(* From the recursion to the coefficients: unit paths. *)
Lemma unit_ends k : ends_after k (@unit_at R k).
Proof. by move=> j kj; rewrite /unit_at gtn_eqF. Qed.

Lemma nothing_ends k : ends_after k (@nothing R).
Proof. by []. Qed.

(* A step, read on unit paths. *)
Lemma step_first_reward l Lam Lam' : recursion_step gamma l Lam Lam' ->
  tends_to (fun N => reward_coefficient Lam g N 1) 1.
Proof.
move=> step; apply: (tends_to_difference (v := fun=> 1)); last exact: tends_to_const.
apply: (tends_to_eventually (N := 1)) (step 1%N _ _ (@unit_ends 1) (@nothing_ends 1)) => N N1.
have -> : shift (@unit_at R 1) = unit_at 0 by [].
rewrite mixture_unit_reward // (mixture_unit0 _ _ _).1 /delta /nothing /unit_at /g /=; ring.
Qed.

Lemma step_first_value l Lam Lam' : recursion_step gamma l Lam Lam' ->
  tends_to (fun N => value_coefficient Lam g N 1) (gamma * (1 - l)).
Proof.
move=> step; apply: (tends_to_difference (v := fun=> gamma * (1 - l))); last exact: tends_to_const.
apply: (tends_to_eventually (N := 1)) (step 1%N _ _ (@nothing_ends 1) (@unit_ends 1)) => N N1.
have -> : shift (@unit_at R 1) = unit_at 0 by [].
rewrite mixture_unit_value // (mixture_unit0 _ _ _).2 /delta /nothing /unit_at /g /=; ring.
Qed.

Lemma step_next_reward l Lam Lam' k x : recursion_step gamma l Lam Lam' ->
  tends_to (fun N => reward_coefficient Lam' g N k.+1) x ->
  tends_to (fun N => reward_coefficient Lam g N k.+2) (gamma * l * x).
Proof.
move=> step limit; apply: tends_to_difference (tends_to_scale (gamma * l) limit).
apply: (tends_to_eventually (N := k.+2)) (step k.+2 _ _ (@unit_ends k.+2) (@nothing_ends k.+2)) => N kN.
have -> : shift (@unit_at R k.+2) = unit_at k.+1 by [].
have [k1 k2] : (0 < k.+1 <= N)%N /\ (0 < k.+2 <= N)%N by split=> //; apply: ltnW.
rewrite (mixture_unit_reward _ _ k1) (mixture_unit_reward _ _ k2) /delta /nothing /unit_at /g /=; ring.
Qed.

Lemma step_next_value l Lam Lam' k x : recursion_step gamma l Lam Lam' ->
  tends_to (fun N => value_coefficient Lam' g N k.+1) x ->
  tends_to (fun N => value_coefficient Lam g N k.+2) (gamma * l * x).
Proof.
move=> step limit; apply: tends_to_difference (tends_to_scale (gamma * l) limit).
apply: (tends_to_eventually (N := k.+2)) (step k.+2 _ _ (@nothing_ends k.+2) (@unit_ends k.+2)) => N kN.
have -> : shift (@unit_at R k.+2) = unit_at k.+1 by [].
have [k1 k2] : (0 < k.+1 <= N)%N /\ (0 < k.+2 <= N)%N by split=> //; apply: ltnW.
rewrite (mixture_unit_value _ _ k1) (mixture_unit_value _ _ k2) /delta /nothing /unit_at /g /=; ring.
Qed.

Lemma recursion_coefficients Lam : recursion gamma Lam -> exists lam, coefficients_of lam Lam.
Proof.
case=> Lams [lam [<- laws steps]]; exists lam => k.
suff limits m : coefficients_at (fun j => lam (m + j)%N) (Lams m) k by exact: (limits 0%N).
have first n i : c (fun j => lam (n + j)%N) i.+1 = lam n.+1 * c (fun j => lam (n.+1 + j)%N) i.
  by rewrite c_first addn1; congr (_ * _); apply: eq_c => j _; rewrite /shift addnS.
elim: k m => [|k IH] m; split; rewrite ?c0 ?mulr1 ?expr0 ?expr1.
- exact: step_first_reward (steps m).
- by rewrite addn1; apply: step_first_value (steps m).
- have [reward _] := IH m.+1; have := step_next_reward (steps m) reward; apply: tends_to_eq.
  by rewrite first exprS; move: (c _ _) (lam _) => x y; ring.
have [_ value] := IH m.+1; have := step_next_value (steps m) value; apply: tends_to_eq.
by rewrite first [gamma ^+ k.+2]exprS addSnnS; move: (c _ _) (lam _) (lam _) => x y z; ring.
Qed.

(* From the coefficients to the diagonal, and back. *)
Lemma coefficients_diagonal lam Lam k : coefficients_of lam Lam -> Lam k.+1 k.+1 = c lam k.
Proof.
move=> limits; have [reward value] := limits k; have [next _] := limits k.+1.
have balance : tends_to (fun N => reward_coefficient Lam g N k.+1)
    (gamma ^+ k.+1 * c lam k.+1 + gamma ^+ k.+1 * c lam k * (1 - lam k.+1) + mass g k.+1 * Lam k.+1 k.+1).
  apply: (tends_to_eventually (N := k.+1)) (tends_to_add (tends_to_add next value) (tends_to_const _)) => N kN.
  by rewrite [in RHS]coefficient_balance.
have := tends_to_unique reward balance; rewrite mass_const cS /= exprS => E.
have := E; move/eqP; rewrite -subr_eq0.
set a := gamma ^+ k; rewrite (_ : _ - _ = a * (1 - gamma) * (c lam k - Lam k.+1 k.+1)); last by ring.
by rewrite !mulf_eq0 expf_eq0 (negbTE gamma_neq0) andbF (negbTE gammaC_neq0) /= subr_eq0 => /eqP.
Qed.

Lemma recursion_diagonal Lam : recursion gamma Lam -> diagonal_condition Lam.
Proof.
case/recursion_coefficients=> lam limits; apply/diagonal_condition_rewards => -[//|k] _.
by rewrite (coefficients_diagonal k limits); case: (limits k).
Qed.

Definition schedule_of Lam : nat -> R := fun k => Lam k.+1 k.+1 / Lam k k.

Section FromDiagonal.
Variable Lam : nat -> nat -> R.
Hypotheses (law : weights Lam) (diagonal : diagonal_condition Lam).

Let entry_ge0 i j : (0 < j)%N -> 0 <= Lam i j.
Proof. by case: law => _ le01 _ /(le01 i)/andP[]. Qed.

Let mass_ge0 i : 0 <= mass g i.
Proof. by rewrite mass_const mulr_ge0 ?exprn_ge0 // subr_ge0; case/andP: gamma_lt1 => _ /ltW. Qed.

Let share_ge0 i k : (0 < k)%N -> 0 <= share Lam i k.
Proof.
move=> k0; rewrite /share big_nat_cond; apply: sumr_ge0 => j /andP[/andP[kj _] _].
by apply: entry_ge0; apply: leq_trans kj.
Qed.

Let rewards k := (diagonal_condition_rewards Lam).1 diagonal k.

(* The values from the balance of coefficients: γᵏ(Λ_kk − Λ_{k+1,k+1}). *)
Lemma diagonal_values k : (0 < k)%N ->
  tends_to (fun N => value_coefficient Lam g N k) (gamma ^+ k * (Lam k k - Lam k.+1 k.+1)).
Proof.
move=> k0; have := tends_to_sub (tends_to_sub (rewards k0) (rewards (ltn0Sn k))) (tends_to_const (mass g k * Lam k k)).
move/(tends_to_eventually (N := k) (v := fun N => value_coefficient Lam g N k)) => limit.
apply: tends_to_eq (limit _) => [|N kN].
  rewrite mass_const -[in gamma ^+ k](prednK k0) exprS; move: (gamma ^+ _) (Lam k k) (Lam _ _) => x y z; ring.
rewrite [reward_coefficient _ _ _ k]coefficient_balance ?k0 //.
by rewrite addrAC addrK addrAC subrr add0r.
Qed.

Lemma diagonal_decreases k : (0 < k)%N -> Lam k.+1 k.+1 <= Lam k k.
Proof.
move=> k0; have gk : 0 < gamma ^+ k by rewrite exprn_gt0 //; case/andP: gamma01.
rewrite -subr_ge0 -(pmulr_rge0 _ gk); apply: tends_to_ge0 (diagonal_values k0) => N.
rewrite /value_coefficient big_nat_cond; apply: sumr_ge0 => i _.
by rewrite mulr_ge0 ?entry_ge0.
Qed.

Lemma schedule_of_01 k : (0 < k)%N -> 0 <= schedule_of Lam k <= 1.
Proof.
move=> k0; rewrite /schedule_of divr_ge0 ?entry_ge0 //=.
have [->|kk0] := eqVneq (Lam k k) 0; first by rewrite invr0 mulr0 ler01.
by rewrite ler_pdivr_mulr ?mul1r ?diagonal_decreases // lt_neqAle eq_sym kk0 entry_ge0.
Qed.

Lemma c_schedule_of k : c (schedule_of Lam) k = Lam k.+1 k.+1.
Proof.
elim: k => [|k IH]; first by rewrite c0; case: law => _ _ /(_ 1%N isT); rewrite big_nat1.
rewrite cS IH /schedule_of; have [kk0|kk0] := eqVneq (Lam k.+1 k.+1) 0; last by rewrite mulrC divfK.
by apply/eqP; rewrite kk0 mul0r eq_le entry_ge0 //= -kk0 diagonal_decreases.
Qed.

Lemma diagonal_coefficients : coefficients_of (schedule_of Lam) Lam.
Proof.
move=> k; split; rewrite c_schedule_of; first exact: rewards.
apply: tends_to_eq (diagonal_values (ltn0Sn k)).
by rewrite -mulrA [X in _ = _ * X]mulrBr mulr1; congr (_ * (_ - _)); rewrite -!c_schedule_of cS.
Qed.
End FromDiagonal.

(* Two matrices with the coefficients of a schedule and of the one that starts later: one step of the recursion. *)
Definition limit_return lam T r v :=
  \sum_(0 <= k < T) (gamma ^+ k * c lam k * r k.+1 + gamma ^+ k.+1 * c lam k * (1 - lam k.+1) * v k.+1).

Lemma mixture_limit lam Lam T r v : coefficients_of lam Lam -> ends_after T r -> ends_after T v ->
  tends_to (mixture Lam g r v) (limit_return lam T r v).
Proof.
move=> limits rT vT.
pose F k N := reward_coefficient Lam g N k.+1 * r k.+1 + value_coefficient Lam g N k.+1 * v k.+1.
apply: (@tends_to_eventually _ T (fun N => \sum_(0 <= k < T) F k N)) => [N TN|].
  rewrite mixture_coefficients -big_split big_add1 /= [RHS](@big_cat_nat _ _ _ T) //=.
  rewrite [X in _ = _ + X]big_nat_cond [X in _ = _ + X]big1 ?addr0 // => k /andP[/andP[Tk _] _].
  by rewrite rT // vT // !mulr0 addr0.
apply: tends_to_sum => k; case: (limits k) => reward value.
by apply: tends_to_add; apply: tends_to_scaler.
Qed.

Lemma coefficients_step lam Lam Lam' : coefficients_of lam Lam -> coefficients_of (shift lam) Lam' ->
  recursion_step gamma (lam 1%N) Lam Lam'.
Proof.
move=> limits limits' T r v rT vT.
have rT' : ends_after T (shift r) by move=> k /ltnW Tk; apply: rT.
have vT' : ends_after T (shift v) by move=> k /ltnW Tk; apply: vT.
have rTS : ends_after T.+1 r by move=> k /ltnW; apply: rT.
have vTS : ends_after T.+1 v by move=> k /ltnW; apply: vT.
have outer := tends_to_sub (mixture_limit limits rTS vTS) (tends_to_const (v 0%N)).
have inner := tends_to_sub (mixture_limit limits' rT' vT') (tends_to_const (v 1%N)).
have both := tends_to_sub outer (tends_to_add (tends_to_const (delta g r v 0)) (tends_to_scale (gamma * lam 1%N) inner)).
apply: tends_to_eq both.
have -> : limit_return lam T.+1 r v
    = r 1%N + gamma * (1 - lam 1%N) * v 1%N + gamma * lam 1%N * limit_return (shift lam) T (shift r) (shift v).
  rewrite /limit_return big_nat_recl // c0 expr0 expr1 !mul1r mulr1 mulr_sumr; congr (_ + _); apply: eq_bigr => k _.
  by rewrite c_first !exprS /shift; move: (gamma ^+ k) (c _ k) => x y; ring.
by rewrite /delta /g /=; move: (limit_return _ _ _ _) => x; ring.
Qed.
End OneGamma.
