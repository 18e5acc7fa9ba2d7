(* A checker of convergence certificates of TD that have no matrix A: it is negative definite by Dominated.v, where the
   kernel lies between zero and the behaviour chain and is not the chain at the states to which that returns, and the
   features are independent there.

     check_td_by_rank M w s rows q inverse
   computes stochastic rows and policies; a column of P_mu^(2^k) without a zero; dP = d; coverage where d is positive;
   0 ≤ N ≤ P entry by entry, and N ≠ P in some row where d is positive; the chosen rows of Φ, where d is positive, which have
   an inverse modulo a number; 0 ≤ λ_j ≤ 1; and, with e = (N − I)Φθ + r,
       a schedule with an end      ΦᵀDSe = 0, by Horner's rule
       λ_j = λ without an end      ΦᵀDy = 0 for the given y, (I − λN)y = e; coverage everywhere; λγρ < 1 at every transition
   Hints are not trusted: y and the inverse. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Schedule telescoping Forms Chain SchurTest Limits KeyMatrices Policies OffPolicy Windows Markov Dominated.
From TD Require Import schedules_without_end.
From TD Require Import Rationals Matrices Checker Kinds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

(* How the schedule goes on: it ends, as the model says; or every λ_j is λ, with y. *)
Inductive ending :=
  | WithEnd
  | WithoutEnd of Q & mat.

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let na := actions M.
Let m := columns M.

Definition between (N P : mat) (d : vec) : bool :=
  each2 n n (fun i j => qnneg (entry N i j) && qnneg (qadd (entry P i j) (qopp (entry N i j)))) &&
  ~~ each n (fun i => if qpos (at_ d i) then each n (fun j => qequal (entry N i j) (entry P i j)) else true).
Definition rank_where (d : vec) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) : bool :=
  [&& Z.ltb (Zpos xH) q, eqn (size rows) m, all (fun i => (i < n)%N && qpos (at_ d i)) rows &
      inverse_modulo m q inverse (whole_rows m (features M) rows)].
(* (N − I)Φθ + r *)
Definition mean_error (N : mat) (th : vec) : mat :=
  let V := times n m 1 (features M) (table m 1 (fun j _ => at_ th j)) in
  plus n 1 (plus n 1 (times n n 1 N V) (scale n 1 (qopp qone) V)) (target_reward M).
Definition no_mean (d : vec) (y : mat) : bool :=
  let z := times m n 1 (weighted M d) y in each m (fun i => qnull (entry z i 0)).
Definition unit_interval (l : Q) : bool := qnneg l && qnneg (qadd qone (qopp l)).
Definition coverage_everywhere : bool :=
  each2 n na (fun i a => if qnull (entry (behaviour M) i a) then qnull (entry (target M) i a) else true).
(* |λγπ| < μ, where μ is positive *)
Definition traces_fade (l : Q) : bool :=
  each na (fun a => let g := of_action (discounts M) a in each n (fun i =>
    let u := entry (behaviour M) i a in
    if qpos u then let lp := qmul l (entry (target M) i a) in each n (fun j => qpos (qadd u (qopp (qabs (qmul lp (entry g i j))))))
    else true)).

Definition rests_by (N : mat) (d th : vec) (s : ending) : bool :=
  let e := mean_error N th in
  match s with
  | WithEnd => all unit_interval (lambdas M) && no_mean d (horner M N 1 (lambdas M) e)
  | WithoutEnd l y =>
    [&& unit_interval l, coverage_everywhere, traces_fade l,
        equal n 1 (plus n 1 y (scale n 1 (qopp l) (times n n 1 N y))) e & no_mean d y]
  end.

Definition check_td_by_rank (w : witness) (s : ending) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) : bool :=
  let P := behaviour_chain M in let N := target_kernel M in let d := stationary w in
  [&& proper M, one_column M (doublings w) (common_state w) P, stationary_law M P d, coverage M d &
      [&& between N P d, rank_where d rows q inverse & rests_by N d (theta w) s]].
End Compute.

(* ---- What it means ---- *)

(* Finitely many numbers below one have a bound below one. *)
Lemma bound_below_one (R : realFieldType) (T : finType) (f : T -> R) : (forall x, f x < 1) ->
  exists2 beta, 0 <= beta < 1 & forall x, f x <= beta.
Proof.
move=> f1; suff [beta b01 all_le] : exists2 beta, 0 <= beta < 1 & forall x, x \in enum T -> f x <= beta.
  by exists beta => // x; apply: all_le; rewrite mem_enum.
elim: (enum T) => [|x l [beta /andP[b0 b1] le]]; first by exists 0; rewrite ?lexx ?ltr01.
have [fb|bf] := leP (f x) beta.
  by exists beta; rewrite ?b0 // => y; rewrite inE => /orP[/eqP ->|/le].
exists (f x); first by rewrite f1 (le_trans b0 (ltW bf)).
move=> y; rewrite inE => /orP[/eqP -> //|/le yb]; exact: le_trans yb (ltW bf).
Qed.

Section Meaning.
Variables (R : realFieldType) (M : model) (w : witness) (s : ending) (rows : seq nat) (q : Z) (inverse : seq (seq Z)).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation P := (policy_kernel (p R (M := M)) (mu R (M := M))).
Local Notation rho := (ratio (mu R (M := M)) (pi R (M := M))).
Local Notation N := (kernel_of snd (behave (p R (M := M)) (mu R (M := M))) (fun i o => gamma R i o * rho i o)).
Local Notation r := (mean_reward (behave (p R (M := M)) (mu R (M := M))) (fun i o => rho i o * reward R i o)).
Local Notation d := (rowv R n.+1 (stationary w)).
Local Notation star := (point R M (theta w)).

(* λ_1, λ_2, … *)
Definition lambdas_of : nat -> R := if s is WithoutEnd l _ then fun=> val l else lam R M.

Hypothesis archi : Num.archimedean_axiom R.
Hypothesis accepted : check_td_by_rank M w s rows q inverse.

Let ok : proper M. Proof. by case/and5P: accepted. Qed.
Let P_st : stochastic P := policy_stochastic (@p_stochastic R M ok) (@mu_policy R M ok).

Lemma by_rank_limit i j : tends_to (fun t => (P ^+ t) i j) (d 0 j).
Proof. by case/and5P: accepted => _ col law_ok _ _; apply: (column_limit ok archi col law_ok). Qed.
Lemma by_rank_coverage : coverage M (stationary w).
Proof. by case/and5P: accepted. Qed.

Let N_between : (forall i j, 0 <= N i j <= P i j) /\ exists i j, 0 < d 0 i /\ N i j < P i j.
Proof.
case/and5P: accepted => _ _ _ _ /andP[/andP[/each2P bounds some] _].
have NE i j : N i j = val (entry (target_kernel M) i j) by rewrite -kernelE mxE.
have PE i j : P i j = val (entry (behaviour_chain M) i j) by rewrite -chainE mxE.
have le i j : 0 <= N i j <= P i j.
  have /andP[/(qnnegP R) n0 /(qnnegP R)] := bounds i j; rewrite qvalD qvalN subr_ge0 => np.
  by rewrite NE PE n0.
split=> //; have [/existsP[i /existsP[j /andP[di lt]]]|/existsPn none] :=
  boolP [exists i, exists j, (0 < d 0 i) && (N i j < P i j)]; first by exists i, j.
case/negP: some; apply/eachP => i; case: ifP => // di; apply/eachP => j.
have /existsPn/(_ j) := none i; rewrite negb_and mxE -(qpos_val R) di /= -leNgt => ge.
rewrite (qequal_val R) -NE -PE eq_le ge andbT; by have /andP[] := le i j.
Qed.

Let independent (t : 'cV[R]_m) : (forall i, 0 < d 0 i -> (Phi R M *m t) i 0 = 0) -> t = 0.
Proof.
case/and5P: accepted => _ _ _ _ /and3P[_ /and4P[/Z.ltb_lt q1 /eqP size_rows /allP inside inv] _] zero.
apply: (@independent_rows R M [set i | 0 < d 0 i] rows q inverse q1 size_rows _ inv) => [k /inside/andP[kn dk]|i].
  by exists (Ordinal kn) => //; rewrite inE mxE -(qpos_val R).
by rewrite inE => /zero.
Qed.

Let unit_intervalP l : unit_interval l -> 0 <= val l <= 1.
Proof. by case/andP=> /(qnnegP R) l0 /(qnnegP R); rewrite qvalD qvalN qval1 subr_ge0 l0. Qed.

Let mean_errorE : mx R n.+1 1 (mean_error M (target_kernel M) (theta w)) = (N - 1%:M) *m Phi R M *m star + r.
Proof.
rewrite /mean_error mx_plus rewardE mx_plus mx_times kernelE mx_scale qvalN qval1 scaleN1r mx_times.
have -> : mx R m 1 (table m 1 (fun j _ => at_ (theta w) j)) = star.
  by rewrite mx_table; apply/matrixP => i j; rewrite !mxE.
by rewrite !mulmxBl mul1mx mulmxA.
Qed.

Let no_meanP y : no_mean M (stationary w) y -> (Phi R M)^T *m diag_mx d *m mx R n.+1 1 y = 0.
Proof.
move/eachP=> zero; apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE -weightedE -mx_times mxE.
by apply/eqP; rewrite -(qnullP R).
Qed.

(* A schedule with an end *)
Section End.
Hypothesis ends : s = WithEnd.
Let L := size (lambdas M).

Let rests : all unit_interval (lambdas M) && no_mean M (stationary w)
  (horner M (target_kernel M) 1 (lambdas M) (mean_error M (target_kernel M) (theta w))).
Proof. by case/and5P: accepted => _ _ _ _ /and3P[_ _]; rewrite ends. Qed.

Lemma by_rank_negdef : negdef (keyA d N (Phi R M) (lam R M) L).
Proof.
have [N_le N_lt] := N_between; have /andP[/(all_nthP qzero) l01 _] := rests.
apply: (dominated_negdef P_st by_rank_limit N_le N_lt independent) => [j j0|]; last exact: lam_finite.
rewrite /lam /schedule; case: j j0 => // j _; have [jL|Lj] := ltnP j (size (lambdas M)).
  by rewrite (nth_map qzero) //; apply/unit_intervalP/l01.
by rewrite nth_default ?size_map // lexx ler01.
Qed.

Lemma by_rank_rest : keyA d N (Phi R M) (lam R M) L *m star + keyb d N r (Phi R M) (lam R M) L = 0.
Proof.
have /andP[_ /no_meanP zero] := rests; rewrite -[RHS]zero hornerE kernelE mean_errorE.
rewrite /keyA /keyb -(telescoping_sums _ (@lam_finite R M)) !mulmxDr; congr (_ + _); by rewrite !mulmxA.
Qed.
End End.

(* A schedule without an end *)
Section NoEnd.
Variables (l : Q) (y : mat).
Hypothesis goes_on : s = WithoutEnd l y.

Let rests : [&& unit_interval l, coverage_everywhere M, traces_fade M l,
    equal n.+1 1 (plus n.+1 1 y (scale n.+1 1 (qopp l) (times n.+1 n.+1 1 (target_kernel M) y)))
      (mean_error M (target_kernel M) (theta w)) & no_mean M (stationary w) y].
Proof. by case/and5P: accepted => _ _ _ _ /and3P[_ _]; rewrite goes_on. Qed.

Lemma by_rank_ratio i : \sum_o behave (p R (M := M)) (mu R (M := M)) i o * rho i o = 1.
Proof.
have /and5P[_ /each2P cov _ _ _] := rests.
apply: (@ratio_mean R n (Act M) (p R (M := M)) (@p_stochastic R M ok) (mu R (M := M)) (pi R (M := M)) (const_mx 1));
  last by rewrite mxE ltr01.
- move=> j a _ /eqP m0; have := cov j a; rewrite !(qnullP R) -/(mu R j a) m0 => /eqP; exact.
- exact: pi_policy.
Qed.

Lemma by_rank_trace : exists2 beta : R, 0 <= beta < 1 &
  forall (i : 'I_n.+1) (o : Act M * 'I_n.+1), `|val l * (gamma R i o * rho i o)| <= beta.
Proof.
have /and5P[_ _ /eachP fade _ _] := rests.
have [x|beta b01 le] := @bound_below_one R [finType of 'I_n.+1 * (Act M * 'I_n.+1)]
  (fun x => `|val l * (gamma R x.1 x.2 * rho x.1 x.2)|); last by exists beta => // i o; apply: (le (i, o)).
case: x => i [a j]; rewrite /ratio /=; have [->|m0] := eqVneq (mu R i a) 0.
  by rewrite invr0 !mulr0 normr0 ltr01.
have mu0 : 0 < mu R i a by rewrite lt_neqAle eq_sym m0 (@mu_policy R M ok i).1.
have /eachP/(_ i) := fade a; cbv zeta; rewrite (qpos_val R) -/(mu R i a) mu0 => /eachP/(_ j).
rewrite (qpos_val R) qvalD qvalN qvalabs !qvalM subr_gt0 => lt.
have H (a1 a2 a3 a4 : R) : a1 * (a2 * (a3 * a4)) = a1 * a3 * a2 * a4 by ring.
by rewrite H normrM normfV (gtr0_norm mu0) ltr_pdivr_mulr // mul1r.
Qed.

Let S := invmx (1%:M - val l *: N).

Lemma by_rank_sum : 1%:M - val l *: N \in unitmx /\
  forall i j, tends_to (fun K => (trace_sum (fun=> val l) K N) i j) (S i j).
Proof.
have [beta b01 le] := by_rank_trace; have obs := behave_observes (@p_stochastic R M ok) (@mu_policy R M ok).
have rows_N : rows_le (val l *: N) beta.
  have := @power_rows R n _ snd (fun=> val l) P _ beta _ P_st obs b01 (fun _ i o _ => le i o) 1.
  by rewrite cS c0 mul1r !expr1.
have u := @resolvent_unit (ArchiFieldType R archi) n (val l *: N) beta rows_N b01.
split=> // i j; exact: (@constant_sum (ArchiFieldType R archi) n (val l *: N) beta rows_N b01 (val l) N i j).
Qed.

Lemma by_rank_endless_negdef : negdef ((Phi R M)^T *m diag_mx d *m S *m (N - 1%:M) *m Phi R M).
Proof.
have [N_le N_lt] := N_between; have [u _] := by_rank_sum; have /andP[/unit_intervalP l01 _] := rests.
exact: (dominated_endless P_st by_rank_limit N_le N_lt independent l01 (mulmxV u)).
Qed.

Lemma by_rank_endless_rest : (Phi R M)^T *m diag_mx d *m S *m (N - 1%:M) *m Phi R M *m star
  + (Phi R M)^T *m diag_mx d *m S *m r = 0.
Proof.
have [u _] := by_rank_sum; have /and5P[_ _ _ /(equalP R) yE /no_meanP zero] := rests.
have E : mx R n.+1 1 y = S *m ((N - 1%:M) *m Phi R M *m star + r).
  rewrite -mean_errorE -yE mx_plus mx_scale mx_times kernelE qvalN scaleNr -[LHS](mulKmx u) -/S; congr (_ *m _).
  by rewrite mulmxBl mul1mx scalemxAl.
by rewrite -[RHS]zero E (mulmxDr S) [RHS]mulmxDr !mulmxA.
Qed.
End NoEnd.
End Meaning.
