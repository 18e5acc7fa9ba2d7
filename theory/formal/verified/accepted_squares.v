(* Kinds: mean_square_bounded, mean_square_unbounded
   Place: docs/certificates.md, the kinds about second moments under constant steps.
   Statement: let M be the model of one certificate, f TD(λ)-schedule (off-policy), GTD or TDC, α_t = α, β_t = ηα, η > 0, on a
   recurrent class of the behaviour chain. If the checker (verified/Squares.v) accepts what a certificate holds, then over every
   ordered field
       mean_square_bounded_accepted          at the step α of the certificate, or at every step 0 < α ≤ upto,
           E|x_t − x'_t|² ≤ c qᵗ |x_0 − x'_0|², q < 1, for two runs x, x' along one path, and E|x_t|² ≤ c(|x_0|² + 1), for every
           law of the first observation on the class and all x_0, x'_0 [squares_stay_bounded]; x is θ, or (θ, w)
       mean_square_unbounded_accepted        at the step α, from the difference and the window that are named; or at every step
           0 < α ≤ upto, from any window and one difference for all of them,
           E(|x_t − x'_t|² | h) ≥ c rᵗ, c > 0, r > 1, t steps after every history h in that window, for runs that go on with
           this difference after it [squares_grow_from].
   A window of h is its last state with the traces of h for what is left of the schedule after k steps, k = 0, …, L [in_window]: those of one
   observation o are in the window starts[o.2], with the algorithm begun there [run_iterate]. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Chain Paths OneStep Markov Policies OffPolicy MeanSquares Rationals Matrices Checker Kinds Means Signs Squares.
From TD Require Import accepted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Accepted.
Variables (R : realFieldType) (M : model) (f : learner) (c : component) (starts : seq nat) (ws : seq window).
Local Notation n := (last_state M).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learner_size M f).
Local Notation class := (set_of M (members c)).
Local Notation path_law := (observation_kernel snd (behave (p R (M := M)) (mu R (M := M)))).
Local Notation size2 x := (dot x x).
Local Notation iterate := (@iterate R M f).
Local Notation run := (@run R M f).

(* a law of the first observation, on the class *)
Definition on_the_class (init : O -> R) : Prop := distribution init /\ forall o, 0 < init o -> o.2 \in class.

Definition squares_stay_bounded (alpha : R) : Prop :=
  (exists k q, [/\ 0 <= k, 0 <= q < 1 & forall init (x x' : 'cV[R]_D) t, on_the_class init ->
    expect (path_law init) t.+1 (fun h => size2 (iterate alpha x h - iterate alpha x' h)) <= k * q ^+ t * size2 (x - x')]) /\
  (exists k, forall init (x : 'cV[R]_D) t, on_the_class init ->
    expect (path_law init) t.+1 (fun h => size2 (iterate alpha x h)) <= k * (size2 x + 1)).

(* what is observed after h0 *)
Definition since (h0 h : seq O) : seq O := take (size h - size h0) h.
Definition squares_grow_from (alpha : R) (i : nat) (y : 'cV[R]_D) : Prop :=
  exists k r, [/\ 0 < k, 1 < r & forall init h0 (x x' : 'cV[R]_D) t, distribution init -> @in_window R M ws i h0 -> x - x' = y ->
    k * r ^+ t <= iter t (mean (path_law init)) (fun h => size2 (run alpha h0 x (since h0 h) - run alpha h0 x' (since h0 h))) h0].

Lemma since_cat h0 k : since h0 (k ++ h0) = k.
Proof. by rewrite /since size_cat addnK take_size_cat. Qed.

Hypothesis ok : windowed M f c starts ws.
Let closed : closed_windows M c starts ws. Proof. by case/andP: ok. Qed.
Let prop : proper M. Proof. by case/and4P: closed. Qed.

Lemma eq_iter_F (K : seq O -> O -> R) F G t k : (forall h, F h = G h) -> iter t (mean K) F k = iter t (mean K) G k.
Proof. by move=> E; elim: t k => [|t IH] k //=; apply: eq_bigr => o _; rewrite IH. Qed.

Lemma class_recurrent : recurrent_class (chain R M) class.
Proof. by case/and4P: closed => _ rec _ _; apply: recurrentP. Qed.

Lemma some_window : (0 < size ws)%N.
Proof.
case/and4P: closed => _ /and5P[rn rin _ _ _] /eachP/(_ (Ordinal rn)); rewrite /= rin => /and3P[jN _ _] _.
exact: leq_ltn_trans jN.
Qed.

Lemma places_size : size [seq moves_of M f w | w <- ws] = (size ws).-1.+1.
Proof. by rewrite size_map prednK // some_window. Qed.
Let after := node_after (M := M) (ws := ws).
Let weight := @node_weight R M ws.
Let change := @node_change R M f ws.

Lemma first_step init F (b : R) t : on_the_class init ->
  (forall o : O, o.2 \in class -> iter t (mean (path_law init)) F [:: o] <= b) -> expect (path_law init) t.+1 F <= b.
Proof.
move=> [init_law on] le; have K := path_kernel ok init_law.
rewrite /expect iterS -[X in _ <= X](mean_const K b [::]); apply: (mean_good K) => o pos.
by apply: le; apply: on.
Qed.

Section Steps.
Variables (X : 'I_(size ws).-1.+1 -> 'M[R]_D) (alpha : R).

Lemma run_first o (x : 'cV[R]_D) k : run alpha [:: o] x k = iterate alpha x (k ++ [:: o]).
Proof. exact: run_iterate. Qed.

Lemma bounded_from : (forall i, (X i)^T = X i) -> (forall i, posdef (X i)) -> falls after weight X (by_step change alpha) ->
  squares_stay_bounded alpha.
Proof.
move=> X_sym pos fall; have [k [q [k0 q01 die]]] := squares_die pos fall.
have [k' k'0 bounded] := squares_bounded (fun i o => alpha *: @node_gain R M f ws i o) X_sym pos fall.
split; [exists k, q; split=> // init x x' t on | exists k' => init x t on]; apply: (first_step on) => o o_in; have [init_law _] := on.
  have h0_in := start_in_window R ok o_in.
  have := die _ _ _ _ (windows_seen ok init_law _ [:: o]) (difference_obeys alpha x x') t [::] h0_in.
  apply: le_trans; apply/eqW; rewrite -[[:: o]]cat0s iter_after; apply: eq_iter_F => h.
  by rewrite !run_first.
have h0_in := start_in_window R ok o_in.
have := bounded _ _ _ _ (windows_seen ok init_law _ [:: o]) (run_obeys alpha x) t [::] h0_in.
apply: le_trans; apply/eqW; rewrite -[[:: o]]cat0s iter_after; apply: eq_iter_F => h.
by rewrite run_first.
Qed.

Lemma grows_from y : grows after weight X (by_step change alpha) -> exists k r, [/\ 0 < k, 1 < r &
  forall i init h0 (x x' : 'cV[R]_D) t, distribution init -> @in_window R M ws i h0 -> x - x' = y ->
    k * r ^+ t * form (X (inord i)) y
    <= iter t (mean (path_law init)) (fun h => size2 (run alpha h0 x (since h0 h) - run alpha h0 x' (since h0 h))) h0].
Proof.
move=> grow; have [k [r [k0 r1 le]]] := squares_grow grow; exists k, r; split=> // i init h0 x x' t init_law h0_in <-.
have := le _ _ _ _ (windows_seen ok init_law i h0) (difference_obeys alpha x x') t [::] h0_in.
move=> {}le; apply: le_trans le _; apply/eqW; rewrite -[in RHS](cat0s h0) iter_after; apply: eq_iter_F => h.
by rewrite cat0s since_cat.
Qed.
End Steps.

Lemma moves_stand (i : 'I_(size ws).-1.+1) (F : nat -> 'M[R]_D -> 'M[R]_D) :
  \sum_(x <- nth [::] [seq moves_of M f w | w <- ws] i) qval R x.1.2 *: F x.1.1 (mx R D D x.2)
  = \sum_o weight i o *: F (after i o : nat) (change i o).
Proof. by rewrite (places_after ok) // some_window. Qed.
End Accepted.

Section Theorems.
Variables (R : realFieldType) (M : model) (f : learner) (c : component) (starts : seq nat) (ws : seq window).
Local Notation class := (set_of M (members c)).
Local Notation val := (@qval R).
Definition learner_given (f : learner) : Prop := match f with LearnTD => True | LearnGTD eta | LearnTDC eta => 0 < val eta end.

Lemma windowed_given : windowed M f c starts ws -> learner_given f.
Proof. by case/andP; rewrite /learner_given; case: (f) => // eta /(qposP R). Qed.

Lemma bounded_accepted a Xs : check_square_bounded M f c starts ws a Xs ->
  [/\ recurrent_class (chain R M) class, learner_given f, 0 < val a & @squares_stay_bounded R M f c (val a)].
Proof.
case/andP=> ok step; have given := windowed_given ok; have rec := class_recurrent R ok.
have [a0 X_sym X_pos fall] := step_fallsP (places_size ok) (fun i F => @moves_stand R M f c starts ws ok i F) step.
split=> //.
exact: (@bounded_from R M f c starts ws ok (fun i => mx R _ _ (at_place Xs i)) _ X_sym X_pos fall).
Qed.

Lemma bounded_upto_accepted last X Ts : check_square_bounded_upto M f c starts ws last X Ts ->
  [/\ recurrent_class (chain R M) class, learner_given f, 0 < val last &
      forall alpha, 0 < alpha <= val last -> @squares_stay_bounded R M f c alpha].
Proof.
case/andP=> ok step; have given := windowed_given ok; have rec := class_recurrent R ok.
have [last0 fall] := steps_fallP (places_size ok) (@node_weight_ge0 R M f c starts ws ok)
  (@node_weight_sum R M f c starts ws ok) (moves_stand ok) step.
split=> // alpha a01; have [X_sym X_pos falling] := fall alpha a01.
have H := @bounded_from R M f c starts ws ok _ alpha X_sym X_pos falling; exact: H.
Qed.

Lemma unbounded_accepted a Xs i x : check_square_unbounded M f c starts ws a Xs i x ->
  [/\ recurrent_class (chain R M) class, learner_given f, 0 < val a, (i < size ws)%N &
      @squares_grow_from R M f ws (val a) i (colv R (learner_size M f) x)].
Proof.
case/and4P=> ok iN; rewrite (qpos_val R) form_atE => x0 step; have given := windowed_given ok; have rec := class_recurrent R ok.
have [a0 grow] := step_growsP (places_size ok) (fun i F => @moves_stand R M f c starts ws ok i F) step.
split=> //.
have [k [r [k0 r1 le]]] := grows_from ok (colv R _ x) grow.
exists (k * form (mx R (learner_size M f) (learner_size M f) (at_place Xs i)) (colv R _ x)), r; split=> // [|init h0 y y' t law h_in yE].
  exact: mulr_gt0.
have := le i init h0 y y' t law h_in yE; rewrite inordK -?(places_size ok) ?size_map // mulrAC; exact.
Qed.

Lemma unbounded_upto_accepted last X Ts x : check_square_unbounded_upto M f c starts ws last X Ts x ->
  [/\ recurrent_class (chain R M) class, learner_given f, 0 < val last &
      forall alpha, 0 < alpha <= val last -> forall i, @squares_grow_from R M f ws alpha i (colv R (learner_size M f) x)].
Proof.
case/and3P=> ok; rewrite (qpos_val R) form_atE => x0 step; have given := windowed_given ok; have rec := class_recurrent R ok.
have [last0 grow] := steps_growP (places_size ok) (@node_weight_ge0 R M f c starts ws ok)
  (@node_weight_sum R M f c starts ws ok) (moves_stand ok) step.
split=> // alpha /grow[above {}grow] i.
have [k [r [k0 r1 le]]] := grows_from ok (colv R _ x) grow.
exists (k * form (mx R (learner_size M f) (learner_size M f) X) (colv R _ x)), r; split=> // [|init h0 y y' t law h_in yE].
  exact: mulr_gt0.
apply: le_trans (le i init h0 y y' t law h_in yE); rewrite mulrAC ler_wpmul2l //.
by rewrite mulr_ge0 ?(ltW k0) // exprn_ge0 // (le_trans ler01) // ltW.
Qed.

Theorem mean_square_bounded_accepted :
  (forall a Xs, check_square_bounded M f c starts ws a Xs ->
    [/\ recurrent_class (chain R M) class, learner_given f, 0 < val a & @squares_stay_bounded R M f c (val a)]) /\
  (forall last X Ts, check_square_bounded_upto M f c starts ws last X Ts ->
    [/\ recurrent_class (chain R M) class, learner_given f, 0 < val last &
        forall alpha, 0 < alpha <= val last -> @squares_stay_bounded R M f c alpha]).
Proof. by split=> *; [apply: bounded_accepted | apply: bounded_upto_accepted]; eauto. Qed.

(* and a run that begins with the observation o of the class is in the window starts[o.2] *)
Theorem mean_square_unbounded_accepted :
  [/\ forall a Xs i x, check_square_unbounded M f c starts ws a Xs i x ->
        [/\ recurrent_class (chain R M) class, learner_given f, 0 < val a, (i < size ws)%N &
            @squares_grow_from R M f ws (val a) i (colv R (learner_size M f) x)],
      forall last X Ts x, check_square_unbounded_upto M f c starts ws last X Ts x ->
        [/\ recurrent_class (chain R M) class, learner_given f, 0 < val last &
            forall alpha, 0 < alpha <= val last -> forall i, @squares_grow_from R M f ws alpha i (colv R (learner_size M f) x)] &
      windowed M f c starts ws -> forall o : Act M * 'I_(last_state M).+1, o.2 \in class -> in_window R ws (nth 0%N starts o.2) [:: o]].
Proof.
split=> [a Xs i x|last X Ts x|ok o]; [exact: unbounded_accepted | exact: unbounded_upto_accepted |].
by move=> o_in; apply: (start_in_window R ok).
Qed.
End Theorems.
