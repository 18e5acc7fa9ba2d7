(* Kinds: update_mean_square_bounded, update_mean_square_unbounded
   Place: docs/certificates.md, the kinds about updates at constant steps.
   Statement: let M be the model and u the update, by its terms, of one certificate, on a recurrent class of the behaviour chain;
   x_t are its parameters, begun with the first observation at x_0 [parameters], at step sizes that do not change. If the
   checker (verified/Updates.v) accepts what a certificate holds, then over every ordered field
       update_mean_square_bounded_accepted       at the sizes of the certificate, or at α·ratios for every 0 < α ≤ upto,
           E|x_t − x'_t|² ≤ c qᵗ |x_0 − x'_0|², q < 1, for two runs x, x' along one path, and E|x_t|² ≤ c(|x_0|² + 1), for every
           law of the first observation on the class and all x_0, x'_0 [update_stays_bounded]
       update_mean_square_unbounded_accepted     at the sizes, from the difference and the node that are named; or at α·ratios
           for every 0 < α ≤ upto, from any node and one difference for all of them,
           E(|x_t − x'_t|² | h) ≥ c rᵗ, c > 0, r > 1, t steps after every history h in that node, for runs that go on with this
           difference after it [update_grows_from].
   A node of h is its last state, what the update reads of the transition before, and its memory [in_node]: those of one
   observation o are in the node starts[o.2]. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Chain Paths OneStep Markov Policies MeanSquares Rationals Matrices Checker Kinds Signs Squares Terms Updates.
From TD Require Import accepted accepted_squares.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Accepted.
Variables (R : realFieldType) (M : model) (u : update) (c : component) (starts : seq nat) (ns : seq node).
Local Notation n := (last_state M).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learnt_size u).
Local Notation class := (set_of M (members c)).
Local Notation val := (@qval R).
Local Notation path_law := (observation_kernel snd (behave (p R (M := M)) (mu R (M := M)))).
Local Notation size2 x := (dot x x).
Local Notation run := (@run_on R M u).

Definition update_stays_bounded (sizes : seq R) : Prop :=
  (exists k q, [/\ 0 <= k, 0 <= q < 1 & forall init (x x' : 'cV[R]_D) t, @on_the_class R M c init ->
    expect (path_law init) t.+1 (fun h => size2 (parameters sizes x h - parameters sizes x' h)) <= k * q ^+ t * size2 (x - x')]) /\
  (exists k, forall init (x : 'cV[R]_D) t, @on_the_class R M c init ->
    expect (path_law init) t.+1 (fun h => size2 (parameters sizes x h)) <= k * (size2 x + 1)).

Definition update_grows_from (sizes : seq R) (i : nat) (y : 'cV[R]_D) : Prop :=
  exists k r, [/\ 0 < k, 1 < r & forall init h0 (x x' : 'cV[R]_D) t, distribution init -> @in_node R M u ns i h0 -> x - x' = y ->
    k * r ^+ t <= iter t (mean (path_law init)) (fun h => size2 (run sizes h0 x (since h0 h) - run sizes h0 x' (since h0 h))) h0].

Variable given : vec.
Hypothesis ok : walked M u c starts ns given.
Let closed : closed_nodes M u (expected_features M) c starts ns. Proof. by case/andP: ok. Qed.
Let after := place_after (M := M) (ns := ns).
Let weight := @place_weight R M ns.
Let change := @place_change R M u ns given.

Lemma class_is_recurrent : recurrent_class (chain R M) class.
Proof. by case/and4P: closed => prop rec _ _; apply: recurrentP. Qed.

Lemma some_node : (0 < size ns)%N.
Proof.
case/and4P: closed => _ /and5P[rn rin _ _ _] /eachP/(_ (Ordinal rn)); rewrite /= rin => /and4P[jN _ _ _] _.
exact: leq_ltn_trans jN.
Qed.

Lemma moves_size : size (all_moves M u ns given) = (size ns).-1.+1.
Proof. by rewrite size_map prednK // some_node. Qed.

Lemma moves_mean (W : lmodType R) (i : 'I_(size ns).-1.+1) (F : nat -> 'M[R]_D -> W) :
  \sum_(x <- nth [::] (all_moves M u ns given) i) val x.1.2 *: F x.1.1 (mx R D D x.2)
  = \sum_o weight i o *: F (after i o : nat) (change i o).
Proof. by rewrite (places_after ok) // some_node. Qed.

Lemma first_observed init F (b : R) t : @on_the_class R M c init ->
  (forall o : O, o.2 \in class -> iter t (mean (path_law init)) F [:: o] <= b) -> expect (path_law init) t.+1 F <= b.
Proof.
move=> [init_law on] le; have K := observed_kernel ok init_law.
rewrite /expect iterS -[X in _ <= X](mean_const K b [::]); apply: (mean_good K) => o pos.
by apply: le; apply: on.
Qed.

Lemma iter_past init h0 t (F : seq O -> R) k :
  iter t (mean (path_law init)) F (k ++ h0) = iter t (mean (fun k => path_law init (k ++ h0))) (fun k => F (k ++ h0)) k.
Proof. by elim: t k => [|t IH] k //=; apply: eq_bigr => o _; rewrite -IH. Qed.

Section Steps.
Variables (X : 'I_(size ns).-1.+1 -> 'M[R]_D) (alpha : R).
Hypothesis alpha_ok : alpha = 1 \/ first_order u given.
Local Notation sizes := [seq alpha * x | x <- [seq val x | x <- given]].

Lemma run_first_observed o (x : 'cV[R]_D) k : run sizes [:: o] x k = parameters sizes x (k ++ [:: o]).
Proof. by elim: k => [|o' k IH] //=; rewrite IH; case: k {IH}. Qed.

Lemma update_bounded_from : (forall i, (X i)^T = X i) -> (forall i, posdef (X i)) -> falls after weight X (by_step change alpha) ->
  update_stays_bounded sizes.
Proof.
move=> X_sym pos fall; have [k [q [k0 q01 die]]] := squares_die pos fall.
have [k' k'0 bounded] := squares_bounded (fun i o => alpha *: @place_gain R M u ns given i o) X_sym pos fall.
split; [exists k, q; split=> // init x x' t on | exists k' => init x t on]; apply: (first_observed on) => o o_in; have [init_law _] := on.
  have h0_in := start_in_node R ok o_in.
  have := die _ _ _ _ (nodes_seen ok init_law _ _) (difference_on_obeys alpha_ok x x') t [::] h0_in.
  apply: le_trans; apply/eqW; rewrite -[[:: o]]cat0s iter_past; apply: eq_iter_F => h.
  by rewrite !run_first_observed.
have h0_in := start_in_node R ok o_in.
have := bounded _ _ _ _ (nodes_seen ok init_law _ _) (run_on_obeys alpha_ok x) t [::] h0_in.
apply: le_trans; apply/eqW; rewrite -[[:: o]]cat0s iter_past; apply: eq_iter_F => h.
by rewrite run_first_observed.
Qed.

Lemma update_grows_by y : grows after weight X (by_step change alpha) -> exists k r, [/\ 0 < k, 1 < r &
  forall i init h0 (x x' : 'cV[R]_D) t, distribution init -> @in_node R M u ns i h0 -> x - x' = y ->
    k * r ^+ t * form (X (inord i)) y
    <= iter t (mean (path_law init)) (fun h => size2 (run sizes h0 x (since h0 h) - run sizes h0 x' (since h0 h))) h0].
Proof.
move=> grow; have [k [r [k0 r1 le]]] := squares_grow grow; exists k, r; split=> // i init h0 x x' t init_law h0_in <-.
have := le _ _ _ _ (nodes_seen ok init_law _ _) (difference_on_obeys alpha_ok x x') t [::] h0_in.
move=> {}le; apply: le_trans le _; apply/eqW; rewrite -[in RHS](cat0s h0) iter_past; apply: eq_iter_F => h.
by rewrite cat0s since_cat.
Qed.
End Steps.
End Accepted.

Section Theorems.
Variables (R : realFieldType) (M : model) (u : update) (c : component) (starts : seq nat) (ns : seq node).
Local Notation class := (set_of M (members c)).
Local Notation val := (@qval R).
Local Notation D := (learnt_size u).
Local Notation values l := [seq val x | x <- l].
Local Notation times_of alpha l := [seq alpha * x | x <- values l].
Definition sizes_given (sizes : vec) : Prop := all (fun x => 0 < x) (values sizes).

Lemma walked_given sizes : walked M u c starts ns sizes -> sizes_given sizes.
Proof. by case/andP=> pos _; rewrite /sizes_given all_map; apply: sub_all pos => q /(qposP R). Qed.
Lemma times_one (l : vec) : times_of 1 l = values l.
Proof. by rewrite (eq_map (fun y => mul1r y)) map_id. Qed.

Lemma update_bounded_accepted sizes Xs : check_update_bounded M u c starts ns sizes Xs ->
  [/\ recurrent_class (chain R M) class, sizes_given sizes & @update_stays_bounded R M u c (values sizes)].
Proof.
case/andP=> ok step; split; [exact: class_is_recurrent ok | exact: walked_given ok |].
have [_ X_sym X_pos fall] := step_fallsP (moves_size ok) (fun i F => @moves_mean R M u c starts ns sizes ok _ i F) step.
rewrite qval1 in fall; rewrite -times_one.
exact: (update_bounded_from ok (or_introl (erefl 1)) X_sym X_pos fall).
Qed.

Lemma update_bounded_upto_accepted ratios last X Ts : check_update_bounded_upto M u c starts ns ratios last X Ts ->
  [/\ recurrent_class (chain R M) class, sizes_given ratios, 0 < val last &
      forall alpha, 0 < alpha <= val last -> @update_stays_bounded R M u c (times_of alpha ratios)].
Proof.
case/and3P=> ok lin step; have rec := class_is_recurrent R ok; have pos := walked_given ok.
have [last0 fall] := steps_fallP (moves_size ok) (@place_weight_ge0 R M u c starts ns ratios ok)
  (@place_weight_sum R M u c starts ns ratios ok) (moves_mean ok (W := _)) step.
split=> // alpha a01; have [X_sym X_pos falling] := fall alpha a01.
exact: (update_bounded_from ok (or_intror lin) X_sym X_pos falling).
Qed.

Lemma update_unbounded_accepted sizes Xs i x : check_update_unbounded M u c starts ns sizes Xs i x ->
  [/\ recurrent_class (chain R M) class, sizes_given sizes, (i < size ns)%N &
      @update_grows_from R M u ns (values sizes) i (colv R D x)].
Proof.
case/and4P=> ok iN; rewrite (qpos_val R) form_atE => x0 step; have rec := class_is_recurrent R ok; have pos := walked_given ok.
have [_ grow] := step_growsP (moves_size ok) (fun i F => @moves_mean R M u c starts ns sizes ok _ i F) step.
rewrite qval1 in grow; split=> //.
have [k [r [k0 r1 le]]] := update_grows_by ok (or_introl (erefl 1)) (colv R _ x) grow.
exists (k * form (mx R D D (at_place Xs i)) (colv R _ x)), r; split=> // [|init h0 y y' t law h_in yE]; first exact: mulr_gt0.
have := le i init h0 y y' t law h_in yE; rewrite inordK -?(moves_size ok) ?size_map // mulrAC times_one; exact.
Qed.

Lemma update_unbounded_upto_accepted ratios last X Ts x : check_update_unbounded_upto M u c starts ns ratios last X Ts x ->
  [/\ recurrent_class (chain R M) class, sizes_given ratios, 0 < val last &
      forall alpha, 0 < alpha <= val last -> forall i, @update_grows_from R M u ns (times_of alpha ratios) i (colv R D x)].
Proof.
case/and4P=> ok lin; rewrite (qpos_val R) form_atE => x0 step; have rec := class_is_recurrent R ok; have pos := walked_given ok.
have [last0 grow] := steps_growP (moves_size ok) (@place_weight_ge0 R M u c starts ns ratios ok)
  (@place_weight_sum R M u c starts ns ratios ok) (moves_mean ok (W := _)) step.
split=> // alpha /grow[above {}grow] i.
have [k [r [k0 r1 le]]] := update_grows_by ok (or_intror lin) (colv R _ x) grow.
exists (k * form (mx R D D X) (colv R _ x)), r; split=> // [|init h0 y y' t law h_in yE]; first exact: mulr_gt0.
apply: le_trans (le i init h0 y y' t law h_in yE); rewrite mulrAC ler_wpmul2l //.
by rewrite mulr_ge0 ?(ltW k0) // exprn_ge0 // (le_trans ler01) // ltW.
Qed.

Theorem update_mean_square_bounded_accepted :
  (forall sizes Xs, check_update_bounded M u c starts ns sizes Xs ->
    [/\ recurrent_class (chain R M) class, sizes_given sizes & @update_stays_bounded R M u c (values sizes)]) /\
  (forall ratios last X Ts, check_update_bounded_upto M u c starts ns ratios last X Ts ->
    [/\ recurrent_class (chain R M) class, sizes_given ratios, 0 < val last &
        forall alpha, 0 < alpha <= val last -> @update_stays_bounded R M u c (times_of alpha ratios)]).
Proof. by split=> *; [apply: update_bounded_accepted | apply: update_bounded_upto_accepted]; eauto. Qed.

(* and a run that begins with the observation o of the class is in the node starts[o.2] *)
Theorem update_mean_square_unbounded_accepted :
  [/\ forall sizes Xs i x, check_update_unbounded M u c starts ns sizes Xs i x ->
        [/\ recurrent_class (chain R M) class, sizes_given sizes, (i < size ns)%N &
            @update_grows_from R M u ns (values sizes) i (colv R D x)],
      forall ratios last X Ts x, check_update_unbounded_upto M u c starts ns ratios last X Ts x ->
        [/\ recurrent_class (chain R M) class, sizes_given ratios, 0 < val last &
            forall alpha, 0 < alpha <= val last -> forall i, @update_grows_from R M u ns (times_of alpha ratios) i (colv R D x)] &
      forall sizes, walked M u c starts ns sizes ->
        forall o : Act M * 'I_(last_state M).+1, o.2 \in class -> @in_node R M u ns (nth 0%N starts o.2) [:: o]].
Proof.
split=> [sizes Xs i x|ratios last X Ts x|sizes ok o]; [exact: update_unbounded_accepted | exact: update_unbounded_upto_accepted |].
by move=> o_in; apply: (start_in_node R ok).
Qed.
End Theorems.
