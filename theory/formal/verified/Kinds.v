(* A checker of certificates about the chain and the features, and what its tests mean; accepted.v states, kind by kind,
   what it accepts.

   Hints are not trusted: an order in which the states of a class are found from one of them, and the inverse of an integer
   matrix modulo a number. A wrong hint is refused. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Forms Chain Policies Rationals Matrices Checker.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Definition marked (s : seq bool) i : bool := nth false s i.

(* Every pair (a, b) of the order is an edge from a state that is known already; then b is known, too. *)
Fixpoint grow (edge : nat -> nat -> bool) (known : seq bool) (order : seq (nat * nat)) : seq bool :=
  match order with
  | [::] => known
  | (a, b) :: rest => if marked known a && edge a b then grow edge (set_nth false known b true) rest else known
  end.
Definition grown (edge : nat -> nat -> bool) root order : seq bool := grow edge (set_nth false [::] root true) order.

Record component := Component {
  members : seq bool;            (* of each state, whether it is one *)
  root : nat;
  from_root : seq (nat * nat);   (* edges in the order in which they find the members *)
  to_root : seq (nat * nat) }.   (* the same for the edges reversed *)

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let m := columns M.

Definition edge_of (P : mat) i j : bool := qpos (entry P i j).
Definition closed_set P (s : seq bool) : bool :=
  each n (fun i => if marked s i then each n (fun j => if edge_of P i j then marked s j else true) else true).
Definition recurrent P (c : component) : bool :=
  [&& (root c < n)%N, marked (members c) (root c), closed_set P (members c),
      (let known := grown (edge_of P) (root c) (from_root c) in each n (fun j => marked (members c) j ==> marked known j)) &
      (let known := grown (fun i j => edge_of P j i) (root c) (to_root c) in each n (fun i => marked (members c) i ==> marked known i))].

Definition check_irreducible (c : component) : bool :=
  [&& proper M, each n (marked (members c)) & recurrent (behaviour_chain M) c].

Definition check_reducible (s : seq bool) : bool :=
  [&& proper M, ~~ each n (fun i => ~~ marked s i), ~~ each n (marked s) & closed_set (behaviour_chain M) s].

(* [unique]: every state of the model leads to the class *)
Definition check_stationary (unique : bool) (c : component) (d : vec) : bool :=
  let P := behaviour_chain M in
  [&& proper M, recurrent P c,
      (if unique then let known := grown (fun i j => edge_of P j i) (root c) (to_root c) in each n (marked known) else true),
      each n (fun i => if marked (members c) i then qpos (at_ d i) else qnull (at_ d i)) &
      stationary_law M P d].

(* phase: a number below r for each state. walks: lists of states, in each of which the last is the first. *)
Definition next_phase r k : nat := if eqn k.+1 r then 0%N else k.+1.
Definition closed_walk P (c : component) (w : seq nat) : bool :=
  match w with
  | i :: (_ :: _) as rest => [&& marked (members c) i, eqn (last i rest) i & path (edge_of P) i rest]
  | _ => false
  end.
Definition check_period (c : component) r (phase : seq nat) (walks : seq (seq nat)) : bool :=
  let P := behaviour_chain M in let at_phase := nth 0%N phase in
  [&& proper M, recurrent P c,
      each n (fun i => if marked (members c) i then
        (at_phase i < r)%N && each n (fun j => if edge_of P i j then eqn (at_phase j) (next_phase r (at_phase i)) else true) else true),
      all (closed_walk P c) walks & eqn (foldr (fun w g => gcdn (size w).-1 g) 0%N walks) r].

(* The statements below are about one class, or about all states. *)
Definition among (c : option component) i : bool := if c is Some c' then marked (members c') i else true.
Definition is_class (c : option component) : bool := if c is Some c' then recurrent (behaviour_chain M) c' else true.

Definition check_missing_coverage (c : option component) s a : bool :=
  [&& proper M, is_class c, (s < n)%N, among c s, (a < actions M)%N, qpos (entry (target M) s a) & qnull (entry (behaviour M) s a)].

Definition check_rank_deficient (c : option component) (x : vec) : bool :=
  [&& proper M, is_class c, ~~ each m (fun j => qnull (at_ x j)) &
      each n (fun i => if among c i then qnull (total [seq qmul (entry (features M) i j) (at_ x j) | j <- iota 0 m]) else true)].

Definition check_full_rank (c : option component) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) : bool :=
  [&& proper M, is_class c, Z.ltb (Zpos xH) q, eqn (size rows) m, all (fun i => (i < n)%N && among c i) rows &
      inverse_modulo m q inverse (whole_rows m (features M) rows)].
End Compute.

(* ---- What it means ---- *)

(* A class that the chain never leaves, and in which every state leads to every state. *)
Definition recurrent_class (R : realFieldType) n (P : 'M[R]_n) (S : {set 'I_n}) : Prop :=
  S != set0 /\ forall i, i \in S -> forall j, connect (edge P) i j = (j \in S).

(* r is the greatest common divisor of the times in which a state of S can return. *)
Definition has_period (R : realFieldType) n (P : 'M[R]_n.+1) (S : {set 'I_n.+1}) (r : nat) : Prop :=
  forall q : nat, (q %| r)%N <-> (forall i k, i \in S -> 0 < (P ^+ k) i i -> (q %| k)%N).

(* The columns of Φ, at the states of S, are independent. *)
Definition independent_columns (R : realFieldType) n m (Phi : 'M[R]_(n, m)) (S : {set 'I_n}) : Prop :=
  forall x : 'cV[R]_m, (forall i, i \in S -> (Phi *m x) i 0 = 0) -> x = 0.

Section Chains.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n.+1).
Hypothesis P_stochastic : stochastic P.

Lemma powers_ge0 k i j : 0 <= (P ^+ k) i j.
Proof.
elim: k i j => [|k IH] i j; first by rewrite expr0 mxE ler0n.
by rewrite exprS mxE; apply: sumr_ge0 => l _; rewrite mulr_ge0 // P_stochastic.1.
Qed.

Lemma path_power i p : path (edge P) i p -> 0 < (P ^+ size p) i (last i p).
Proof.
elim: p i => [|j p IH] i /=; first by rewrite expr0 mxE eqxx ltr01.
case/andP=> ij /IH pos; rewrite exprS mxE (bigD1 j) //=; apply: ltr_paddr; last exact: mulr_gt0.
by apply: sumr_ge0 => l _; rewrite mulr_ge0 ?powers_ge0 // P_stochastic.1.
Qed.

(* A function that every edge moves on by one modulo r, on a closed set, moves on by k in k steps. *)
Lemma phase_power r (f : 'I_n.+1 -> nat) (S : {set 'I_n.+1}) : (forall i j, i \in S -> edge P i j -> j \in S) ->
  (forall i j, i \in S -> edge P i j -> f j = (f i).+1 %[mod r]) ->
  forall k i j, i \in S -> 0 < (P ^+ k) i j -> f j = f i + k %[mod r].
Proof.
move=> closed step; elim=> [|k IH] i j iS.
  rewrite expr0 mxE addn0; case: eqP => [-> //|_]; by rewrite ltxx.
rewrite exprS mxE => pos.
have [l /andP[il lj]] : exists l, edge P i l && (0 < (P ^+ k) l j).
  apply/existsP; apply: contraLR pos => /existsPn none; rewrite -leNgt big1 // => l _; apply/eqP.
  have := none l; rewrite negb_and /edge -!leNgt mulf_eq0 => /orP[le|le]; apply/orP; [left | right].
    by rewrite eq_le le P_stochastic.1.
  by rewrite eq_le le powers_ge0.
rewrite (IH l j (closed i l iS il) lj) addnS -addSn; apply/eqP; rewrite eqn_modDr; apply/eqP; exact: step.
Qed.

(* Two laws, the first positive on S alone: all mass of the second leads to every state of S. *)
Lemma laws_agree d e (S : {set 'I_n.+1}) : law P d -> law P e -> (forall i, (0 < d 0 i) = (i \in S)) ->
  (forall i j, 0 < e 0 i -> j \in S -> connect (edge P) i j) -> e = d.
Proof.
move=> dlaw elaw dS leads; case: (dlaw) (elaw) => [d0 d1 dP] [e0 e1 eP].
have [i0 i0S] := nonneg_sum_gt0 d0 (law_neq0 dlaw); rewrite dS in i0S.
pose share i := e 0 i / d 0 i; pose k := [arg min_(i < i0 in S) share i]%O; pose t := share k.
have [kS k_least] : k \in S /\ forall i, i \in S -> t <= share i by rewrite /t /k; case: arg_minP.
have dk : 0 < d 0 k by rewrite dS.
have d_off i : i \notin S -> d 0 i = 0.
  by move=> iS; apply/eqP; rewrite eq_le d0 leNgt dS iS.
pose v := e - t *: d.
have v0 i : 0 <= v 0 i.
  rewrite !mxE subr_ge0; case: (boolP (i \in S)) => iS; last by rewrite d_off ?mulr0.
  by rewrite -ler_pdivl_mulr ?dS //; apply: k_least.
have vP : v *m P = v by rewrite mulmxBl -scalemxAl dP eP.
have vk : v 0 k = 0 by rewrite !mxE /t /share divfK ?subrr // gt_eqF.
have v_eq0 : v = 0.
  apply/eqP/negPn/negP => /(nonneg_sum_gt0 v0)[i vi].
  have ei : 0 < e 0 i.
    have t0 : 0 <= t by rewrite divr_ge0.
    by apply: lt_le_trans vi _; rewrite !mxE ler_subl_addr ler_addl mulr_ge0.
  by have := mass_follows_edges P_stochastic v0 vP (leads i k ei kS) vi; rewrite vk ltxx.
have etd : e = t *: d by apply/eqP; rewrite -subr_eq0 -/v v_eq0.
suff t1 : t = 1 by rewrite etd t1 scale1r.
have := e1; rewrite etd; under eq_bigr => i _ do rewrite mxE.
by rewrite -mulr_sumr d1 mulr1.
Qed.
End Chains.

Section Meaning.
Variables (R : realFieldType) (M : model).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Definition chain : 'M[R]_n.+1 := policy_kernel (p R (M := M)) (mu R (M := M)).
Definition set_of (s : seq bool) : {set 'I_n.+1} := [set i | marked s (nat_of_ord i)].

(* Rows of Φ at states of S that have an inverse modulo a number, each row times its denominators *)
Lemma independent_rows (S : {set 'I_n.+1}) rows q inverse : Z.lt (Zpos xH) q -> size rows = m ->
  (forall r, r \in rows -> exists2 i : 'I_n.+1, i \in S & nat_of_ord i = r) ->
  inverse_modulo m q inverse (whole_rows m (features M) rows) -> independent_columns (Phi R M) S.
Proof.
move=> q1 size_rows inside inv x zero; have B_unit := inverse_moduloP R q1 inv; set B := map_mx _ _ in B_unit.
suff Bx : B *m x = 0 by rewrite -(mulKmx B_unit x) Bx mulmx0.
apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE.
have i_row : (i < size rows)%N by rewrite size_rows.
have [s sS sE] := inside _ (mem_nth 0%N i_row); set r := nth 0%N rows i in sE.
pose l := denominator [seq entry (features M) r j | j <- iota 0 m].
transitivity (zval R l * (Phi R M *m x) s 0); last by rewrite zero // mulr0.
by rewrite !mxE mulr_sumr; apply: eq_bigr => k _; rewrite mxE whole_matrixE // !mxE sE mulrA.
Qed.

Lemma chain_stochastic : proper M -> stochastic chain.
Proof. by move=> ok; have [P_st mu_ok _] := properP R ok; apply: policy_stochastic. Qed.

Lemma edgeE (i j : 'I_n.+1) : edge_of (behaviour_chain M) i j = edge chain i j.
Proof. by rewrite /edge_of (qpos_val R) /edge /chain -chainE !mxE. Qed.

Lemma entry_outside k l (f : nat -> nat -> Q) a b : (k <= a)%N || (l <= b)%N -> entry (table k l f) a b = qzero.
Proof.
rewrite /entry /at_; have [ak _|ak /= bl] := leqP k a.
  by rewrite [nth [::] _ a]nth_default ?nth_nil // size_map size_iota.
by rewrite nth_default // (nth_map 0%N) ?size_map size_iota.
Qed.

Lemma edge_inside a b : edge_of (behaviour_chain M) a b -> (a < n.+1)%N /\ (b < n.+1)%N.
Proof.
rewrite /edge_of => e; apply/andP; apply: contraLR e; rewrite negb_and -!leqNgt => out.
by rewrite chain_table entry_outside.
Qed.

(* What an order finds is found by edges. *)
Lemma growP (e : nat -> nat -> bool) (g : rel 'I_n.+1) (r : 'I_n.+1) : (forall a b, e a b -> (a < n.+1)%N /\ (b < n.+1)%N) ->
  (forall i j : 'I_n.+1, e i j -> g i j) ->
  forall order (i : 'I_n.+1), marked (grown e r order) i -> connect g r i.
Proof.
move=> inside eg order.
have first (i : 'I_n.+1) : marked (set_nth false [::] r true) i -> connect g r i.
  rewrite /marked nth_set_nth /= nth_nil; case: eqP => // /val_inj -> _; exact: connect0.
rewrite /grown; move: (set_nth _ _ _ _) first; elim: order => [|[a b] order IH] known found i /=; first exact: found.
case: ifP => [/andP[ka eab]|_]; last exact: found.
apply: IH => j; rewrite {1}/marked nth_set_nth /=; case: eqP => [jb _|_]; last exact: found.
have [an _] := inside _ _ eab; have kr : connect g r (Ordinal an) by apply: found.
by apply: connect_trans kr (connect1 _); apply: eg; rewrite jb.
Qed.

Lemma closed_setP s : closed_set M (behaviour_chain M) s ->
  forall i j : 'I_n.+1, i \in set_of s -> edge chain i j -> j \in set_of s.
Proof.
move/eachP=> closed i j; rewrite !inE => is_in e; have := closed i; rewrite is_in => /eachP/(_ j).
by rewrite edgeE e.
Qed.

Lemma connected_inside (S : {set 'I_n.+1}) : (forall i j, i \in S -> edge chain i j -> j \in S) ->
  forall i j, i \in S -> connect (edge chain) i j -> j \in S.
Proof.
move=> closed i j iS /connectP[w]; elim: w i iS => [|k w IH] i iS /=; first by move=> _ ->.
by case/andP=> ik kw; apply: (IH k) => //; apply: closed ik.
Qed.

Lemma leads_to_root c (i : 'I_n.+1) (rn : (root c < n.+1)%N) :
  marked (grown (fun i j => edge_of (behaviour_chain M) j i) (root c) (to_root c)) i ->
  connect (edge chain) i (Ordinal rn).
Proof.
have inside a b : edge_of (behaviour_chain M) b a -> (a < n.+1)%N /\ (b < n.+1)%N by case/edge_inside.
have eg (i' j : 'I_n.+1) : edge_of (behaviour_chain M) j i' -> edge chain j i' by rewrite edgeE.
move/(@growP _ [rel x y | edge chain y x] (Ordinal rn) inside eg); by rewrite connect_rev.
Qed.

Lemma recurrentP c : recurrent M (behaviour_chain M) c -> recurrent_class chain (set_of (members c)).
Proof.
case/and5P=> rn rin closed /eachP from /eachP to; have root_in : Ordinal rn \in set_of (members c) by rewrite inE.
split=> [|i iS j]; first by apply/set0Pn; exists (Ordinal rn).
have inside := connected_inside (closed_setP closed).
apply/idP/idP => [|jS]; first exact: inside.
have /implyP := to i; rewrite inE in iS; move=> /(_ iS)/(leads_to_root rn) up.
have /implyP := from j; rewrite inE in jS; move=> /(_ jS) down; apply: connect_trans up _.
by apply: (@growP _ (edge chain) (Ordinal rn) edge_inside _ _ _ down) => x y; rewrite edgeE.
Qed.

Lemma amongP c : is_class M c ->
  if c is Some c' then recurrent_class chain (set_of (members c')) else True.
Proof. by case: c => // c; apply: recurrentP. Qed.
End Meaning.
