(* A checker of certificates about second moments of updates by terms (Terms.v) at constant steps, and what its tests mean;
   accepted_updates.v states what it accepts.

   The next step of an update depends on the state, on what it reads of the transition before, and on the memory: a node is
   these three. The difference of two runs obeys y' = (1 + K)y, K of the node and the transition. Nodes, and the number of the
   next one, are hints: the first ones, and all that a move leads to, are computed again, and wrong ones are refused. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Chain Paths Markov Policies MeanSquares Rationals Matrices Checker Kinds Signs Squares Terms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Record node := Node { node_state : nat; node_past : Q * Q * Q; node_memory : vec; node_next : seq (seq nat) }.
Definition no_node : node := Node 0 (qzero, qzero, qzero) [::] [::].

Section Compute.
Variables (M : model) (u : update).
Let n := (last_state M).+1.

Definition node_after (w : node) a t : nat := nth 0%N (nth [::] (node_next w) a) t.
Definition same_past (x y : Q * Q * Q) : bool := [&& qequal x.1.1 y.1.1, qequal x.1.2 y.1.2 & qequal x.2 y.2].
Definition same_memory (x y : vec) : bool := eqn (size x) (size y) && each (size x) (fun i => qequal (at_ x i) (at_ y i)).
Definition is_node (ns : seq node) j s past memory : bool := let w := nth no_node ns j in
  [&& (j < size ns)%N, eqn (node_state w) s, same_past (node_past w) past & same_memory (node_memory w) memory].
Definition first_past : Q * Q * Q := mask_of u (qzero, qone, qone).
(* starts: for each state the number of its node at time zero *)
Definition closed_nodes (ahead : mat) (c : component) (starts : seq nat) (ns : seq node) : bool :=
  [&& proper M, recurrent M (behaviour_chain M) c,
      each n (fun s => if marked (members c) s then is_node ns (nth 0%N starts s) s first_past (nseq (kept_size u) qzero) else true) &
      all (fun w => (node_state w < n)%N && each2 (actions M) n (fun a t =>
        if qnull (chance_of M (node_state w) a t) then true
        else (clause_number M u ahead (node_state w) a t (node_past w) < size (cases u))%N &&
          is_node ns (node_after w a t) t (past_value M u (node_state w) a t)
            (memory_value M u ahead (node_state w) a t (node_past w) (node_memory w)))) ns].

Definition moves_from (ahead : mat) (sizes : vec) (w : node) : seq move :=
  flatten [seq flatten [seq (let q := chance_of M (node_state w) a t in
    if qnull q then [::]
    else [:: (node_after w a t, q, change_value M u ahead (node_state w) a t (node_past w) (node_memory w) sizes)])
    | t <- iota 0 n] | a <- iota 0 (actions M)].
Definition walked c starts ns (sizes : vec) : bool :=
  let ahead := expected_features M in all qpos sizes && closed_nodes ahead c starts ns.
Definition all_moves ns (sizes : vec) : seq (seq move) :=
  let ahead := expected_features M in [seq moves_from ahead sizes w | w <- ns].
Definition check_update_bounded c starts ns sizes Xs : bool :=
  walked c starts ns sizes && step_falls (learnt_size u) (all_moves ns sizes) qone Xs.
Definition check_update_bounded_upto c starts ns ratios (last : Q) X Ts : bool :=
  [&& walked c starts ns ratios, first_order u ratios & steps_fall (learnt_size u) (all_moves ns ratios) last X Ts].
Definition check_update_unbounded c starts ns sizes Xs i x : bool :=
  [&& walked c starts ns sizes, (i < size ns)%N, qpos (form_at (learnt_size u) (at_place Xs i) x) &
      step_grows (learnt_size u) (all_moves ns sizes) qone Xs].
Definition check_update_unbounded_upto c starts ns ratios (last : Q) X Ts x : bool :=
  [&& walked c starts ns ratios, first_order u ratios, qpos (form_at (learnt_size u) X x) &
      steps_grow (learnt_size u) (all_moves ns ratios) last X Ts].
End Compute.

(* ---- What it means ---- *)

Section Meaning.
Variables (R : realFieldType) (M : model) (u : update).
Local Notation n := (last_state M).
Local Notation val := (@qval R).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learnt_size u).
Local Notation behave := (behave (p R (M := M)) (mu R (M := M))).
Local Notation run := (@run_on R M u).
Implicit Types (h : seq O) (o : O).
Variables (c : component) (starts : seq nat) (ns : seq node) (sizes : vec).
Hypothesis ok : walked M u c starts ns sizes.
Local Notation ahead := (expected_features M).
Let closed : closed_nodes M u ahead c starts ns. Proof. by case/andP: ok. Qed.
Let prop : proper M. Proof. by case/and4P: closed. Qed.
Local Notation node_at := (nth no_node ns).
Definition past_in i : R * R * R := let x := node_past (node_at i) in (val x.1.1, val x.1.2, val x.2).
Definition memory_in i : seq R := [seq val x | x <- node_memory (node_at i)].

(* The node i is that of h: its state is the last one, and what the update reads and keeps is what the node says. *)
Definition in_node i h : Prop := (i < size ns)%N /\
  if h is o :: _ then [/\ node_state (node_at i) = o.2, past_in i = past_of R u h & memory_in i = memory_of R u h] else False.

Lemma is_nodeP j (s : 'I_n.+1) past memory : is_node ns j s past memory -> [/\ (j < size ns)%N, node_state (node_at j) = s,
  past_in j = (val past.1.1, val past.1.2, val past.2) & memory_in j = [seq val x | x <- memory]].
Proof.
case/and4P=> jN /eqP sE /and3P[/(qequalP R) E1 /(qequalP R) E2 /(qequalP R) E3] /andP[/eqP size_m /eachP mE].
split=> //; first by rewrite /past_in E1 E2 E3.
apply: (@eq_from_nth _ 0) => [|i]; rewrite ?size_map // => iN; rewrite !nth_val.
exact: (qequalP R (mE (Ordinal iN))).
Qed.

Lemma mask_ofE x : (val (mask_of u x).1.1, val (mask_of u x).1.2, val (mask_of u x).2)
  = masked u (val x.1.1, val x.1.2, val x.2).
Proof. by rewrite /mask_of /masked; case: (reads u) => -[[] []] [] /=; rewrite ?qval0. Qed.

Lemma start_in_node (o : O) : o.2 \in set_of M (members c) -> in_node (nth 0%N starts o.2) [:: o].
Proof.
rewrite inE => o_in; case/and4P: closed => _ _ /eachP/(_ o.2); rewrite o_in => /is_nodeP[jN sE bE mE] _.
split=> //; split=> //; first by rewrite bE mask_ofE /= qval0 qval1.
by rewrite mE map_nseq qval0.
Qed.

Lemma chance_ofE (i : 'I_n.+1) (o : O) : val (chance_of M i o.1 o.2) = behave i o.
Proof. by rewrite qvalM /behave mxE. Qed.

Definition next_node i (o : O) : nat := node_after (node_at i) o.1 o.2.
Lemma next_in_node i (o : O) (s : 'I_n.+1) h : in_node i h -> (if h is o0 :: _ then o0.2 = s else True) ->
  0 < behave s o -> in_node (next_node i o) (o :: h).
Proof.
case: h => [|o0 h] [iN //] [sE bE mE] os pos; rewrite os in sE.
case/and4P: closed => _ _ _ /(all_nthP no_node)/(_ _ iN)/andP[_ /each2P/(_ o.1 o.2)].
rewrite sE (qnullP R) chance_ofE gt_eqF // => /andP[_ /is_nodeP[jN jE bE' mE']]; split=> //; split=> //.
  by rewrite bE' past_valueE -os.
by rewrite mE' memory_valueE -os -[RHS]/(kept_after u o0.2 (past_of R u (o0 :: h)) o (memory_of R u (o0 :: h))) -bE -mE.
Qed.

(* ---- The nodes of the list as places ---- *)
Let size_ns : (0 < size ns)%N -> size ns = (size ns).-1.+1. Proof. by case: (size ns). Qed.
Local Notation I := 'I_(size ns).-1.+1.
Definition state_in (i : I) : 'I_n.+1 := inord (node_state (node_at i)).
Definition place_after (i : I) (o : O) : I := inord (next_node i o).
Definition place_weight (i : I) (o : O) : R := behave (state_in i) o.
Definition place_change (i : I) (o : O) : 'M[R]_D :=
  mx R D D (change_value M u ahead (state_in i) o.1 o.2 (node_past (node_at i)) (node_memory (node_at i)) sizes).
Definition place_gain (i : I) (o : O) : 'cV[R]_D :=
  \col_k increment u [seq val x | x <- sizes] (state_in i) (past_in i) o (memory_in i) (fun=> 0) k.

Lemma places_after (W : lmodType R) (i : I) (F : nat -> 'M[R]_D -> W) : (0 < size ns)%N ->
  \sum_(x <- nth [::] (all_moves M u ns sizes) i) val x.1.2 *: F x.1.1 (mx R D D x.2)
  = \sum_o place_weight i o *: F (place_after i o) (place_change i o).
Proof.
move=> ns0; have iN : (i < size ns)%N by rewrite [X in (_ < X)%N]size_ns.
have [_ _ _ /(all_nthP no_node)/(_ _ iN)/andP[sn /each2P inside]] := and4P closed.
have sE : node_state (node_at i) = state_in i by rewrite inordK.
rewrite (nth_map no_node) // /moves_from big_flatten big_map big_seq; set w := node_at i in sn inside sE *.
pose G (a t : nat) := val (chance_of M (node_state w) a t) *: F (node_after w a t)
  (mx R D D (change_value M u ahead (node_state w) a t (node_past w) (node_memory w) sizes)).
transitivity (\sum_(a <- iota 0 (actions M)) \sum_(t <- iota 0 n.+1) G a t).
  rewrite [RHS]big_seq; apply: eq_bigr => a _; rewrite big_flatten big_map; apply: eq_bigr => t _; rewrite /G.
  case: ifP => [|_]; last by rewrite big_seq1.
  by rewrite big_nil (qnullP R) => /eqP ->; rewrite scale0r.
transitivity (\sum_(a : Act M) \sum_(t : 'I_n.+1) place_weight i (a, t) *: F (place_after i (a, t)) (place_change i (a, t))).
  2: by rewrite pair_bigA; apply: eq_bigr => -[a t] _.
rewrite -[X in iota 0 X]subn0 -/(index_iota 0 (actions M)) big_mkord; apply: eq_bigr => a _.
rewrite -[X in iota 0 X]subn0 -/(index_iota 0 n.+1) big_mkord; apply: eq_bigr => t _.
rewrite /G /place_weight -(chance_ofE (state_in i) (a, t)) /place_change -/w -sE /=.
have := inside a t; rewrite (qnullP R); case: eqP => [-> _|_ /andP[_ /and4P[jN _ _ _]]]; first by rewrite !scale0r.
have jN' : (next_node i (a, t) < (size ns).-1.+1)%N by apply: leq_trans jN _; exact: leqSpred.
by rewrite /place_after inordK.
Qed.

Lemma place_weight_ge0 i o : 0 <= place_weight i o.
Proof. exact: (behave_observes (@p_stochastic R M prop) (@mu_policy R M prop)).1. Qed.
Lemma place_weight_sum i : \sum_o place_weight i o = 1.
Proof.
have [mu_ok p_ok] := (@mu_policy R M prop, @p_stochastic R M prop).
by rewrite (observes_sum _ (behave_observes p_ok mu_ok)) (policy_stochastic p_ok mu_ok).2.
Qed.

Lemma inord_in_node i o h : in_node i (o :: h) -> [/\ nat_of_ord (inord i : I) = i, state_in (inord i) = o.2 &
  place_change (inord i) = fun o' => mx R D D (change_value M u ahead o.2 o'.1 o'.2 (node_past (node_at i)) (node_memory (node_at i)) sizes)].
Proof.
case=> iN [sE _ _]; have ns0 : (0 < size ns)%N by apply: leq_ltn_trans iN.
have iE : nat_of_ord (inord i : I) = i by rewrite inordK -?size_ns.
have sE' : state_in (inord i) = o.2 by rewrite /state_in iE sE inord_val.
by split=> //; rewrite /place_change iE sE'.
Qed.

(* one update at the steps α·sizes, where α is 1 or no term has another order in the steps *)
Lemma learn_in_node i o' h (x : 'cV[R]_D) alpha (alpha_ok : alpha = 1 \/ first_order u sizes) : in_node i h ->
  learn [seq alpha * x | x <- [seq val x | x <- sizes]] h o' x
  = by_step place_change alpha (inord i) o' *m x + alpha *: place_gain (inord i) o'.
Proof.
case: h => [|o h] h_in; first by case: h_in.
have [iE sE cE] := inord_in_node h_in; case: (h_in) => _ [_ bE mE].
set C := mx R D D (change_value M u ahead o.2 o'.1 o'.2 (node_past (node_at i)) (node_memory (node_at i)) sizes).
pose gain := increment u [seq val x | x <- sizes] o.2 (past_in i) o' (memory_in i) (fun=> 0).
have gainE k : place_gain (inord i) o' k 0 = gain k by rewrite mxE sE /past_in /memory_in iE.
have key k : increment u [seq alpha * x | x <- [seq val x | x <- sizes]] o.2 (past_in i) o' (memory_in i) (coordinate x) (k : 'I_D)
  = alpha * ((C *m x) k 0 + gain k).
  rewrite addrC -change_valueE; case: alpha_ok => [->|lin]; last exact: increment_scaled.
  by rewrite mul1r (eq_map (fun y => mul1r y)) map_id.
have CE : place_change (inord i) o' = C by rewrite cE.
rewrite /by_step CE mulmxDl mul1mx -addrA -scalemxAl -scalerDr; congr (x + _); apply/matrixP => k l.
by rewrite (ord1 l) mxE [RHS]mxE [X in _ = _ * X]mxE gainE -key bE mE.
Qed.

Variable init : O -> R.
Hypothesis init_law : distribution init.
Local Notation path_law := (observation_kernel snd behave init).
Lemma observed_kernel : Paths.kernel path_law.
Proof.
have [mu_ok p_ok] := (@mu_policy R M prop, @p_stochastic R M prop).
exact: (observation_kernelP (policy_stochastic p_ok mu_ok) (behave_observes p_ok mu_ok) init_law).
Qed.

(* the node after what is observed from the node i on *)
Fixpoint node_of i (k : seq O) : nat := if k is o' :: k' then next_node (node_of i k') o' else i.

Section After.
Variables (i : nat) (h0 : seq O).
Hypothesis h0_in : in_node i h0.
Local Notation K := (fun k : seq O => path_law (k ++ h0)).
Local Notation good := (fun k : seq O => in_node (node_of i k) (k ++ h0)).
Local Notation node := (fun k : seq O => inord (node_of i k) : I).

Lemma nodes_seen : seen_by_nodes place_after place_weight K good node.
Proof.
have [K0 K1] := observed_kernel; split=> [|k o|k o|k o].
- by split=> [k o|k].
- case E: (k ++ h0) => [|o0 h] gk; first by case: gk.
  by move=> pos; rewrite /= E; apply: (@next_in_node _ _ o0.2 (o0 :: h)).
- case E: (k ++ h0) => [|o0 h] gk; first by case: gk.
  by have [_ sE _] := inord_in_node gk; rewrite /place_weight sE.
move=> [iN _] _; have ns0 : (0 < size ns)%N by apply: leq_ltn_trans iN.
by rewrite /place_after inordK // -size_ns.
Qed.

Variables (alpha : R) (alpha_ok : alpha = 1 \/ first_order u sizes).
Local Notation steps := [seq alpha * x | x <- [seq val x | x <- sizes]].
Lemma run_on_obeys x :
  obeys_affine K good node (by_step place_change alpha) (fun j o => alpha *: place_gain j o) (run steps h0 x).
Proof. by move=> k o gk _; apply: learn_in_node. Qed.

Lemma difference_on_obeys x x' :
  obeys K good node (by_step place_change alpha) (fun k => run steps h0 x k - run steps h0 x' k).
Proof. move=> k o gk pos; rewrite !(run_on_obeys _ gk pos) mulmxBr opprD addrACA subrr addr0 //. Qed.
End After.
End Meaning.
