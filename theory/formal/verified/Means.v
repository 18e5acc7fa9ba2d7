(* A checker of certificates about A, C and b of one recurrent class, and what its tests mean; accepted_signs.v states, kind
   by kind, what it accepts.

   The kernel N sums over all actions, or, "covered", over those that the behaviour policy takes: q is how much of the target
   policy that is. With c_k = λ_1⋯λ_k
       S = Σ_k c_k Nᵏ,  or (I − λN)⁻¹ on the states that N leads to from the class, where every λ_k is λ
       A = ΦᵀDS(N − diag q)Φ    b = ΦᵀDSr    C = ΦᵀDΦ
   Hints are not trusted: the states ahead of the class, (I − λN)⁻¹ there, and the inverse of an integer matrix modulo a
   number. A wrong hint is refused. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Schedule telescoping Forms Chain KeyMatrices Policies OffPolicy Rationals Matrices Checker Kinds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

(* How the powers of N are summed: to the end of the schedule; or without an end, by λ, the states ahead of the class, and
   (I − λN)⁻¹, where the rows of N are zero for other states. *)
Inductive summing :=
  | Ends
  | Endless of Q & seq bool & mat.

Record basis := Basis {
  about_class : component;
  covered : bool;
  powers : summing;
  law_given : vec }.

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let m := columns M.

Definition weight_used (b : basis) i a : Q :=
  if covered b && qnull (entry (behaviour M) i a) then qzero else entry (target M) i a.
Definition kernel (b : basis) : mat := table n n (fun i j => sum_actions M (fun a =>
  qmul (qmul (weight_used b i a) (entry (of_action (transitions M) a) i j)) (entry (of_action (discounts M) a) i j))).
Definition share (b : basis) : vec := [seq sum_actions M (weight_used b i) | i <- iota 0 n].
Definition mean_gain (b : basis) : mat := table n 1 (fun i _ => sum_actions M (fun a =>
  total [seq qmul (qmul (weight_used b i a) (entry (of_action (transitions M) a) i j))
    (entry (of_action (rewards M) a) i j) | j <- iota 0 n])).

Definition ahead_alone (T : seq bool) (N : mat) : mat := table n n (fun i j => if marked T i then entry N i j else qzero).
Definition summable_powers (b : basis) (N : mat) : bool :=
  match powers b with
  | Ends => true
  | Endless l T W =>
    [&& each n (fun i => marked (members (about_class b)) i ==> marked T i),
        each n (fun i => if marked T i then each n (fun j => if qnull (entry N i j) then true else marked T j) else true) &
        equal n n (times n n n (plus n n (identity n) (scale n n (qopp l) (ahead_alone T N))) W) (identity n)]
  end.
Definition summed (b : basis) (N : mat) k (X : mat) : mat :=
  match powers b with Ends => horner M N k (lambdas M) X | Endless _ _ W => times n n k W X end.
(* (N − diag q)X *)
Definition moved (b : basis) (N : mat) k (X : mat) : mat :=
  let q := share b in let NX := times n n k N X in
  table n k (fun i j => qadd (entry NX i j) (qopp (qmul (at_ q i) (entry X i j)))).

Definition based (b : basis) : bool :=
  check_stationary M false (about_class b) (law_given b) && summable_powers b (kernel b).
Definition of_A (b : basis) : mat :=
  let N := kernel b in times m n m (weighted M (law_given b)) (summed b N m (moved b N m (features M))).
Definition of_C (b : basis) : mat := times m n m (weighted M (law_given b)) (features M).
Definition of_b (b : basis) : mat := times m n 1 (weighted M (law_given b)) (summed b (kernel b) 1 (mean_gain b)).

Definition nonzero k (x : vec) : bool := ~~ each k (fun j => qnull (at_ x j)).
Definition null_vector (A : mat) (x : vec) : bool :=
  each m (fun i => qnull (total [seq qmul (entry A i j) (at_ x j) | j <- iota 0 m])).

Definition check_nonsingular (b : basis) (q : Z) (find : seq (seq Z) -> seq (seq Z)) : bool :=
  based b && nonsingular M (of_A b) (Modulo q find).
Definition check_singular (b : basis) (x : vec) : bool :=
  [&& based b, nonzero m x & null_vector (of_A b) x].
Definition check_fixed_point (b : basis) (q : Z) (find : seq (seq Z) -> seq (seq Z)) (theta : vec) : bool :=
  let A := of_A b in [&& based b, nonsingular M A (Modulo q find) & at_rest M A (of_b b) theta].
End Compute.

(* ---- What it means ---- *)

Section Meaning.
Variables (R : realFieldType) (M : model) (b : basis).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation P := (chain R M).

Definition on_class : {set 'I_n.+1} := set_of M (members (about_class b)).
Definition d_of : 'rV[R]_n.+1 := rowv R n.+1 (law_given b).

Definition used_weight (i : 'I_n.+1) (a : Act M) : R := if covered b && (mu R i a == 0) then 0 else pi R i a.
Definition N_of : 'M[R]_n.+1 := \matrix_(i, j) \sum_(a : Act M) used_weight i a * p R a i j * gamma R i (a, j).
Definition q_of : 'rV[R]_n.+1 := \row_i \sum_(a : Act M) used_weight i a.
Definition r_of : 'cV[R]_n.+1 := \col_i \sum_(a : Act M) \sum_j used_weight i a * p R a i j * reward R i (a, j).

(* Without an end: I − λN, the rows of N being zero but for the states in T. *)
Definition resolved (l : R) (T : {set 'I_n.+1}) : 'M[R]_n.+1 := 1%:M - l *: (\matrix_(i, j) if i \in T then N_of i j else 0).
Definition S_of : 'M[R]_n.+1 :=
  match powers b with
  | Ends => trace_sum (lam R M) (size (lambdas M)) N_of
  | Endless l T _ => invmx (resolved (val l) (set_of M T))
  end.
Definition K_of : 'M[R]_n.+1 := S_of *m (N_of - diag_mx q_of).
Definition A_of : 'M[R]_m := (Phi R M)^T *m diag_mx d_of *m K_of *m Phi R M.
Definition b_of : 'cV[R]_m := (Phi R M)^T *m diag_mx d_of *m S_of *m r_of.
Definition C_of : 'M[R]_m := keyC d_of (Phi R M).

(* The class is recurrent, d is its law; and where the schedule has no end, S is what it is said to be: N does not lead out of
   T, which holds the class, and I − λN is invertible there. *)
Definition well_based : Prop :=
  [/\ recurrent_class P on_class, law P d_of, forall i, (0 < d_of 0 i) = (i \in on_class) &
      if powers b is Endless l T _ then
        [/\ on_class \subset set_of M T, forall i j, i \in set_of M T -> N_of i j != 0 -> j \in set_of M T &
            resolved (val l) (set_of M T) \in unitmx]
      else True].

Hypothesis ok : proper M.

Lemma used_weightE (i : 'I_n.+1) (a : Act M) : val (weight_used M b i a) = used_weight i a.
Proof. by rewrite /weight_used /used_weight (qnullP R); case: ifP => _; rewrite ?qval0. Qed.

Lemma N_ofE : mx R n.+1 n.+1 (kernel M b) = N_of.
Proof.
apply/matrixP => i j; rewrite !mxE entry_table // sum_actionsE; apply: eq_bigr => a _.
by rewrite !qvalM used_weightE mxE.
Qed.

Lemma q_ofE (i : 'I_n.+1) : val (at_ (share M b) i) = q_of 0 i.
Proof.
rewrite /share /at_ (nth_map 0%N) ?size_iota // nth_iota // add0n sum_actionsE mxE.
by apply: eq_bigr => a _; rewrite used_weightE.
Qed.

Lemma r_ofE : mx R n.+1 1 (mean_gain M b) = r_of.
Proof.
apply/matrixP => i j; rewrite !mxE entry_table // ?(ord1 j) // sum_actionsE; apply: eq_bigr => a _.
by rewrite total_map; apply: eq_bigr => s _; rewrite !qvalM used_weightE mxE.
Qed.

Lemma movedE k X : mx R n.+1 k (moved M b (kernel M b) k X) = (N_of - diag_mx q_of) *m mx R n.+1 k X.
Proof.
rewrite mulmxBl mul_diag_mx -N_ofE -mx_times /moved mx_table; apply/matrixP => i j.
by rewrite !mxE qvalD qvalN qvalM q_ofE !mxE.
Qed.

Lemma resolvedE l T : mx R n.+1 n.+1 (plus n.+1 n.+1 (identity n.+1) (scale n.+1 n.+1 (qopp l) (ahead_alone M T (kernel M b))))
  = resolved (val l) (set_of M T).
Proof.
rewrite mx_plus mx_identity mx_scale qvalN scaleNr /resolved; congr (_ - _ *: _).
rewrite -N_ofE /ahead_alone mx_table; apply/matrixP => i j; rewrite !mxE inE; case: ifP => // _; exact: qval0.
Qed.

Lemma resolved_unit l T W : powers b = Endless l T W -> summable_powers M b (kernel M b) ->
  resolved (val l) (set_of M T) *m mx R n.+1 n.+1 W = 1%:M.
Proof.
move=> E; rewrite /summable_powers E => /and3P[_ _ /(equalP R)].
by rewrite mx_times resolvedE mx_identity.
Qed.

Lemma summedE k X : summable_powers M b (kernel M b) ->
  mx R n.+1 k (summed M b (kernel M b) k X) = S_of *m mx R n.+1 k X.
Proof.
move=> sum; rewrite /summed /S_of; case E: (powers b) => [|l T W]; first by rewrite hornerE N_ofE.
have inv := resolved_unit E sum; have [u _] := mulmx1_unit inv.
by rewrite mx_times; congr (_ *m _); rewrite -[LHS](mulKmx u) inv mulmx1.
Qed.

Lemma based_proper : based M b -> proper M.
Proof. by case/andP=> /and5P[]. Qed.

Lemma A_ofE : based M b -> mx R m m (of_A M b) = A_of.
Proof. by case/andP=> _ sum; rewrite /of_A mx_times weightedE summedE // movedE /A_of /K_of !mulmxA. Qed.
Lemma b_ofE : based M b -> mx R m 1 (of_b M b) = b_of.
Proof. by case/andP=> _ sum; rewrite /of_b mx_times weightedE summedE // r_ofE /b_of !mulmxA. Qed.
Lemma C_ofE : mx R m m (of_C M b) = C_of.
Proof. by rewrite /of_C mx_times weightedE. Qed.

Lemma nonzeroP k x : nonzero k x -> colv R k x != 0.
Proof.
apply: contra => /eqP x0; apply/eachP => j; rewrite (qnullP R).
by have /matrixP/(_ j 0) := x0; rewrite !mxE => ->.
Qed.
End Meaning.
