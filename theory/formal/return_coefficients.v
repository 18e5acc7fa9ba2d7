(* return_coefficients — A1, and the sentence before the second display of §2.

   In the mixture G^Λ_t over episode lengths: "the coefficient of R_{t+1} is 1", and after adding and subtracting
   V(s_{t+1}) in all terms from R_{t+1} + R_{t+2} on, "the coefficient of V(s_{t+1}) is γ". For the Λ of a λ-schedule
   R_{t+k} has γ^{k-1} c_{k-1} and V(s_{t+k}) has γᵏ c_{k-1}(1 − λ_k).

   Reading: first the display cut after N lengths, an exact identity with its remainder: 1 − γᴺ, γ − γᴺ,
   c_{k-1}(γ^{k-1} − γᴺ), c_{k-1}(1 − λ_k)(γᵏ − γᴺ). Then N → ∞ for 0 ≤ γ < 1, over any Archimedean field.
   Discounts may depend on the transition: γᵏ is then Γ_t … Γ_{t+k-1}, [disc g k], and its limit must be 0.
   Hypotheses: rows of Λ sum to one; for the limits γ < 1. At γ = 1 no length has any mass. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule weight_matrix_rows Limits Returns.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Coefficients.
Variable R : comRingType.
Implicit Types (Lam : nat -> nat -> R) (lam g r v : nat -> R).

(* R_{t+k} is part of the returns after j ≥ k steps, V(s_{t+k}) of the bootstrapped return after k steps. *)
Definition reward_coefficient Lam g N k : R :=
  \sum_(k <= i < N.+1) mass g i * \sum_(k <= j < i.+1) Lam i j.
Definition value_coefficient Lam g N k : R := \sum_(k.+1 <= i < N.+1) mass g i * Lam i k.
(* A1: γ(1 − γ)(Λ_21 + Λ_22) + γ²(1 − γ)(Λ_31 + Λ_32 + Λ_33) + … *)
Definition added_value_coefficient Lam g N : R := \sum_(2 <= i < N.+1) mass g i * \sum_(1 <= j < i.+1) Lam i j.

Theorem mixture_coefficients Lam g r v N :
  mixture Lam g r v N = \sum_(1 <= k < N.+1) reward_coefficient Lam g N k * r k
                      + \sum_(1 <= k < N.+1) value_coefficient Lam g N k * v k.
Proof.
pose values i j := mass g i * (if (j < i)%N then Lam i j else 0) * v j.
pose rewards i k := mass g i * (\sum_(k <= j < i.+1) Lam i j) * r k.
rewrite /mixture (eq_bigr (fun i => \sum_(1 <= k < i.+1) rewards i k + \sum_(1 <= j < i.+1) values i j)) => [|i _].
  rewrite big_split /= !sum_triangle; congr (_ + _); apply: eq_big_nat => k /andP[_ kN].
    by rewrite /reward_coefficient mulr_suml.
  rewrite /value_coefficient mulr_suml big_ltn // /values ltnn mulr0 mul0r add0r.
  by apply: eq_big_nat => i /andP[ki _]; rewrite ki.
under eq_bigr => j _ do rewrite mulrDr.
rewrite big_split mulrDr /=; congr (_ + _); rewrite mulr_sumr.
  under eq_bigr => j _ do rewrite mulr_sumr.
  under eq_bigr => j _ do rewrite mulr_sumr.
  rewrite sum_triangle; apply: eq_bigr => k _.
  by rewrite /rewards mulr_sumr mulr_suml; apply: eq_bigr => j _; rewrite mulrA.
by apply: eq_bigr => j _; rewrite /values mulrA; case: ifP => _; rewrite ?mulr0 ?mul0r ?mulrA.
Qed.

(* Any Λ whose rows sum to one: R_{t+1} has the whole mass of the lengths up to N. *)
Theorem return_coefficients_first Lam g N :
  (forall i, (0 < i)%N -> \sum_(1 <= j < i.+1) Lam i j = 1) ->
  reward_coefficient Lam g N 1 = 1 - disc g N.
Proof.
move=> rows; rewrite -[1 in RHS](disc0 g) -(@sum_mass _ g 1) //.
by apply: eq_big_nat => i /andP[i0 _]; rewrite rows // mulr1.
Qed.

Theorem return_coefficients_added Lam g N :
  (forall i, (0 < i)%N -> \sum_(1 <= j < i.+1) Lam i j = 1) -> (0 < N)%N ->
  added_value_coefficient Lam g N = g 0%N - disc g N.
Proof.
move=> rows N0; have <- : disc g 1 = g 0%N by rewrite discS disc0 mul1r.
rewrite -(@sum_mass _ g 2) //; apply: eq_big_nat => i /andP[i1 _].
by rewrite rows ?mulr1 // ltnW.
Qed.

(* V(s_{t+1}) added and subtracted in one line of the display, i ≥ 2. *)
Lemma row_add_and_subtract Lam r v i : \sum_(1 <= j < i.+1) Lam i j = 1 -> (1 < i)%N ->
  \sum_(1 <= j < i.+1) Lam i j * partial_return r v i j
    = r 1%N + v 1%N + \sum_(2 <= j < i.+1) Lam i j * (\sum_(2 <= k < j.+1) r k + (if (j < i)%N then v j else 0) - v 1%N).
Proof.
move=> row i1; have i0 : (1 < i.+1)%N by apply: ltnW.
rewrite -[r 1%N + _]mul1r -row mulr_suml (big_ltn i0) [X in _ = X + _](big_ltn i0).
rewrite /partial_return big_nat1 i1 -addrA; congr (_ + _); rewrite -big_split /=.
by apply: eq_big_nat => j /andP[j1 _]; rewrite big_ltn; [ring | exact: ltnW].
Qed.

(* The display after V(s_{t+1}) is added and subtracted: R_{t+1} + γV(s_{t+1}) comes out, and the rest starts one later. *)
Theorem return_add_and_subtract Lam g r v N :
  (forall i, (0 < i)%N -> \sum_(1 <= j < i.+1) Lam i j = 1) -> (0 < N)%N ->
  mixture Lam g r v N = (1 - disc g N) * r 1%N + added_value_coefficient Lam g N * v 1%N
    + \sum_(2 <= i < N.+1) mass g i * \sum_(2 <= j < i.+1) Lam i j *
        (\sum_(2 <= k < j.+1) r k + (if (j < i)%N then v j else 0) - v 1%N).
Proof.
move=> rows N0; rewrite return_coefficients_added // /mixture big_ltn //.
pose rest i := \sum_(2 <= j < i.+1) Lam i j * (\sum_(2 <= k < j.+1) r k + (if (j < i)%N then v j else 0) - v 1%N).
rewrite (@eq_big_nat _ _ _ 2 _ _ (fun i => mass g i * (r 1%N + v 1%N) + mass g i * rest i)); last first.
  by move=> i /andP[i1 _] /=; rewrite row_add_and_subtract ?rows ?mulrDr // ltnW.
rewrite big_split /= addrA; congr (_ + _); rewrite -mulr_suml sum_mass //=.
have := rows 1%N isT; rewrite !big_nat1 => ->.
by rewrite /partial_return big_nat1 ltnn /mass discS disc0 /=; ring.
Qed.

(* The Λ of a schedule: Λ_k,k + … + Λ_i,k = c_{k-1} whatever i ≥ k, so only masses are left to sum. *)
Lemma Lambda_row_from lam k i : (0 < k <= i)%N -> \sum_(k <= j < i.+1) Lambda lam i j = c lam k.-1.
Proof.
case: k => // k /= ki; have := Lambda_row_sum lam (leq_ltn_trans (leq0n k) ki).
rewrite (@big_cat_nat _ _ _ k.+1) //=; last by rewrite ltnW.
rewrite (eq_big_nat _ _ (F2 := w lam)) => [|j /andP[j1 jk]]; last by rewrite Lambda_w // j1 (leq_trans jk).
by rewrite sum_w_to => /(canRL (addKr _))->; rewrite opprB subrK.
Qed.

Theorem return_coefficients lam g N k : (0 < k <= N)%N ->
  reward_coefficient (Lambda lam) g N k = c lam k.-1 * (disc g k.-1 - disc g N) /\
  value_coefficient (Lambda lam) g N k = c lam k.-1 * (1 - lam k) * (disc g k - disc g N).
Proof.
case/andP=> k0 kN; split; last first.
  rewrite -(@sum_mass _ g k.+1) // mulr_sumr; apply: eq_big_nat => i /andP[ki _].
  by rewrite Lambda_below // mulrC.
rewrite -(@sum_mass _ g k) ?leqW // mulr_sumr; apply: eq_big_nat => i /andP[ki _].
by rewrite Lambda_row_from ?k0 // mulrC.
Qed.

(* As A1 writes it, γ constant. *)
Corollary return_coefficients_printed lam (gamma : R) N k (g := fun=> gamma) : (0 < k <= N)%N ->
  reward_coefficient (Lambda lam) g N k = gamma ^+ k.-1 * c lam k.-1 - gamma ^+ N * c lam k.-1 /\
  value_coefficient (Lambda lam) g N k
    = gamma ^+ k * c lam k.-1 * (1 - lam k) - gamma ^+ N * c lam k.-1 * (1 - lam k).
Proof. by move=> kN; rewrite !(return_coefficients _ _ kN).1 !(return_coefficients _ _ kN).2 !disc_const; split; ring. Qed.
End Coefficients.

(* All lengths: N → ∞. *)
Section Limits.
Variables (R : archiFieldType) (gamma : R).
Hypothesis gamma01 : 0 <= gamma < 1.
Let g : nat -> R := fun=> gamma.

Lemma tends_to_mass_left (a x : R) : tends_to (fun N => a * (x - disc g N)) (a * x).
Proof.
apply: tends_to_scale; rewrite -[X in tends_to _ X]subr0; apply: tends_to_sub; first exact: tends_to_const.
by apply: tends_to_ext (tends_to_geometric gamma01) => N; rewrite disc_const.
Qed.

Theorem return_coefficients_limit_first Lam : weights Lam ->
  tends_to (fun N => reward_coefficient Lam g N 1) 1 /\ tends_to (added_value_coefficient Lam g) gamma.
Proof.
case=> _ _ rows; split.
  rewrite -[X in tends_to _ X]mulr1; apply: tends_to_ext (tends_to_mass_left 1 1) => N.
  by rewrite mul1r return_coefficients_first.
rewrite -[X in tends_to _ X]mul1r; apply: (tends_to_eventually (N := 1)) (tends_to_mass_left 1 gamma) => N N0.
by rewrite mul1r return_coefficients_added.
Qed.

Theorem return_coefficients_limit lam k : (0 < k)%N ->
  tends_to (fun N => reward_coefficient (Lambda lam) g N k) (gamma ^+ k.-1 * c lam k.-1) /\
  tends_to (fun N => value_coefficient (Lambda lam) g N k) (gamma ^+ k * c lam k.-1 * (1 - lam k)).
Proof.
move=> k0; have pair N kN := return_coefficients lam g (introT andP (conj k0 kN) : 0 < k <= N)%N.
split.
  rewrite mulrC -disc_const; apply: (@tends_to_eventually _ k) (tends_to_mass_left _ _) => N kN.
  by rewrite (pair N kN).1.
rewrite -mulrA mulrC -disc_const; apply: (@tends_to_eventually _ k) (tends_to_mass_left _ _) => N kN.
by rewrite (pair N kN).2.
Qed.
End Limits.

(* λ = (½), γ = ½, lengths up to 3, multiplied out from the display. *)
Theorem return_coefficients_instance (R : numFieldType) (r v : nat -> R) :
  mixture (Lambda (schedule [:: 1 / 2])) (fun=> 1 / 2) r v 3
    = 7 / 8 * r 1%N + 3 / 16 * r 2%N + 3 / 16 * v 1%N + 1 / 16 * v 2%N.
Proof.
rewrite /mixture /partial_return /index_iota /= !(big_cons, big_nil) /= !mass_const /Lambda /= !(cS, c0) /=.
by field.
Qed.

(* Without γ < 1 no length has any mass: every coefficient of R_{t+1} is 0. *)
Theorem return_coefficients_ablation_gamma (R : archiFieldType) (lam : nat -> R) :
  ~ tends_to (fun N => reward_coefficient (Lambda lam) (fun=> 1) N 1) 1.
Proof.
suff zero : tends_to (fun N => reward_coefficient (Lambda lam) (fun=> 1) N 1) 0.
  by move/tends_to_unique/(_ zero)/eqP; rewrite oner_eq0.
apply: tends_to_ext (tends_to_const _) => N.
by rewrite return_coefficients_first ?disc_const ?expr1n ?subrr // => i; apply: Lambda_row_sum.
Qed.
