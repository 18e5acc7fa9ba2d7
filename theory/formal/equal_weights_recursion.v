(* equal_weights_recursion — §2.1; the paper says of z_t that it has no recursion in z_{t-1} alone.

   Statement: for EqualWeights(n1, n2), m = n2 − n1 + 1,
       z_t = γz_{t-1} + φ_t − S_t/m,     S_t = Σ_{k=n1}^{n2} γᵏφ_{t-k},
       S_t = γS_{t-1} + γ^{n1}φ_{t-n1} − γ^{n2+1}φ_{t-n2-1}:
   O(d) work a step whatever n2, with one extra vector.
   Reading: from the start t = 0 on, where states before s_0 count as zero; in any module; with a discount for every
   transition, γᵏ is the product of the last k of them. Hypothesis: 1 ≤ n1 ≤ n2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Traces equal_weights_schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Recursion.
Variables (R : numFieldType) (V : lmodType R) (n1 n2 : nat) (g : nat -> R) (phi : nat -> V).
Hypotheses (n1_ge1 : (0 < n1)%N) (n1_le_n2 : (n1 <= n2)%N).
Let m : R := (n2 - n1).+1%:R.

(* Γ_{t-k} … Γ_{t-1} φ_{t-k}, zero before the start. *)
Definition seen t k : V := if (k <= t)%N then span g (t - k) t *: phi (t - k)%N else 0.

Definition window_sum t : V := \sum_(n1 <= k < n2.+1) seen t k.

Lemma seenS t k : seen t.+1 k.+1 = g t *: seen t k.
Proof.
rewrite /seen ltnS subSS; case: leqP => kt; last by rewrite scaler0.
by rewrite scalerA mulrC spanS ?leq_subr.
Qed.

Theorem equal_weights_recursion_sum t :
  window_sum t.+1 = g t *: window_sum t + seen t.+1 n1 - seen t.+1 n2.+1.
Proof.
rewrite /window_sum scaler_sumr.
under [X in _ = X + _ - _]eq_bigr => k _ do rewrite -seenS.
rewrite -[in RHS](big_add1 _ _ n1 n2.+2 xpredT (seen t.+1)) [X in _ = X + _]addrC.
rewrite -(big_ltn (F := seen t.+1)); last by rewrite ltnS (leq_trans n1_le_n2).
by rewrite [in RHS]big_nat_recr ?addrK //= leqW.
Qed.

Theorem equal_weights_recursion t (z := trace (EqualWeights R n1 n2) g phi) :
  z t.+1 = g t *: z t + phi t.+1 - m^-1 *: window_sum t.+1.
Proof.
rewrite /z trace_step; congr (_ - _).
have weigh k : w (EqualWeights R n1 n2) k *: seen t.+1 k
             = if (n1 <= k <= n2)%N then m^-1 *: seen t.+1 k else 0.
  by rewrite equal_weights_schedule // -/m div1r; case: ifP => _; rewrite ?scale0r.
transitivity (\sum_(1 <= k < (t + n2).+2) w (EqualWeights R n1 n2) k *: seen t.+1 k).
  rewrite [RHS](@big_cat_nat _ _ _ t.+2) ?ltnS ?leq_addr //= [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|k].
    by apply: eq_big_nat => k /andP[_ kt]; rewrite /seen -ltnS kt scalerA.
  by case/andP=> /andP[tk _] _; rewrite /seen leqNgt tk scaler0.
under eq_bigr => k _ do rewrite weigh.
rewrite (@big_cat_nat _ _ _ n1) //=; last by rewrite (leq_trans n1_le_n2) // -addn2 addnAC leq_addl.
rewrite (@big_cat_nat _ _ _ n2.+1 n1 _ _ _ (leqW n1_le_n2)) //=; last by rewrite ltnS leqW ?leq_addl.
rewrite big_nat_cond big1 ?add0r => [|k /andP[/andP[_ kn1] _]]; last by rewrite leqNgt kn1.
rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|k /andP[/andP[n2k _] _]]; last first.
  by rewrite [(k <= n2)%N]leqNgt n2k andbF.
by rewrite scaler_sumr; apply: eq_big_nat => k; rewrite ltnS => ->.
Qed.
End Recursion.

(* As printed: one discount γ, t > n2. *)
Corollary equal_weights_recursion_printed (R : numFieldType) (V : lmodType R) n1 n2 (gamma : R) (phi : nat -> V) t
    (m : R := (n2 - n1).+1%:R) (z := trace (EqualWeights R n1 n2) (fun=> gamma) phi)
    (S := fun t => \sum_(n1 <= k < n2.+1) gamma ^+ k *: phi (t - k)%N) :
  (0 < n1)%N -> (n1 <= n2)%N -> (n2 <= t)%N ->
  z t.+1 = gamma *: z t + phi t.+1 - m^-1 *: S t.+1 /\
  S t.+1 = gamma *: S t + gamma ^+ n1 *: phi (t.+1 - n1)%N - gamma ^+ n2.+1 *: phi (t.+1 - n2.+1)%N.
Proof.
move=> n1_ge1 n12 n2t.
have seen_in u k : (k <= u)%N -> seen (fun=> gamma) phi u k = gamma ^+ k *: phi (u - k)%N.
  by move=> ku; rewrite /seen ku span_const subKn.
have SE u : (n2 <= u)%N -> S u = window_sum n1 n2 (fun=> gamma) phi u.
  by move=> n2u; apply: eq_big_nat => k /andP[_ kn2]; rewrite seen_in // (leq_trans _ n2u).
rewrite !SE ?leqW //; split; first exact: equal_weights_recursion.
by rewrite equal_weights_recursion_sum // !seen_in // (leq_trans n12) // leqW.
Qed.

(* EqualWeights(1, 2), γ = ½, one feature: z_t = φ_t + ¼φ_{t-1}, and the recursion gives the same. *)
Theorem equal_weights_recursion_instance (R : numFieldType) (phi : nat -> R^o) (z := trace (EqualWeights R 1 2) (fun=> 1 / 2) phi) :
  z 3%N = phi 3%N + 1 / 4 * phi 2%N /\
  z 3%N = 1 / 2 * z 2%N + phi 3%N - 1 / 2 * (1 / 2 * phi 2%N + 1 / 4 * phi 1%N).
Proof.
have direct t : z t.+2 = phi t.+2 + 1 / 4 * phi t.+1.
  rewrite /z trace_lags (@big_cat_nat _ _ _ 2) //= [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|k].
    rewrite /index_iota /= !(big_cons, big_nil) /= !span_const !(cS, c0) subn0 subnn subn1 /= subSnn /EqualWeights /=.
    by rewrite subSnn /GRing.scale /=; field.
  case/andP=> /andP[k2 _] _; rewrite (c_out (@EqualWeights_finite _ 1 2 isT isT)) ?mul0r ?scale0r //.
by split; rewrite !direct //; field.
Qed.
