(* Kinds: update_mean_bounded, update_mean_unbounded
   Place: docs/certificates.md, the kinds about updates at constant steps.
   Statement: let M be the model and u the update, by its terms, of one certificate, on a recurrent class of the behaviour chain;
   x_t are its parameters, begun with the first observation at x_0 [parameters], at step sizes that do not change. If the
   checker (verified/UpdateMeans.v) accepts what a certificate holds, then over every ordered field, at the sizes of the certificate
       update_mean_bounded_accepted       |E(x_t − x'_t)|² ≤ c qᵗ |x_0 − x'_0|², q < 1, for two runs x, x' along one path, for every law
           of the first observation on the class and all x_0, x'_0 [mean_goes_to_zero]
       update_mean_unbounded_accepted     from the difference and the node that are named
           Σ_{l < L} |E(x_{t+l} − x'_{t+l} | h)|² ≥ c rᵗ, c > 0, r > 1, for every t and every history h in that node, for runs that go
           on with this difference after it [mean_grows_from]. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Chain Paths OneStep Markov Policies MeanSquares Rationals Matrices Checker Kinds Signs Squares Terms Updates UpdateMeans.
From TD Require Import accepted accepted_squares accepted_updates.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Accepted.
Variables (R : realFieldType) (M : model) (u : update) (c : component) (starts : seq nat) (ns : seq node) (given : vec).
Local Notation n := (last_state M).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learnt_size u).
Local Notation class := (set_of M (members c)).
Local Notation val := (@qval R).
Local Notation path_law := (observation_kernel snd (behave (p R (M := M)) (mu R (M := M)))).
Local Notation size2 x := (dot x x).
Local Notation run := (@run_on R M u).
Local Notation sizes := [seq val x | x <- given].

Definition mean_goes_to_zero (sizes : seq R) : Prop :=
  exists k q, [/\ 0 <= k, 0 <= q < 1 & forall init (x x' : 'cV[R]_D) t, @on_the_class R M c init ->
    size2 (\col_i expect (path_law init) t.+1 (fun h => (parameters sizes x h - parameters sizes x' h) i 0)) <= k * q ^+ t * size2 (x - x')].

Definition mean_grows_from (sizes : seq R) (i : nat) (y : 'cV[R]_D) : Prop :=
  exists k r L, [/\ 0 < k, 1 < r & forall init h0 (x x' : 'cV[R]_D) t, distribution init -> @in_node R M u ns i h0 -> x - x' = y ->
    k * r ^+ t <= \sum_(l < L) size2 (\col_j iter (t + l) (mean (path_law init))
      (fun h => (run sizes h0 x (since h0 h) - run sizes h0 x' (since h0 h)) j 0) h0)].

Hypothesis ok : walked M u c starts ns given.
Let after := place_after (M := M) (ns := ns).
Let weight := @place_weight R M ns.
Let change := @place_change R M u ns given.

Section Rows.
Variables (r : nat) (Ts : seq mat) (cs : seq (nat * nat)).
Local Notation moves := (all_moves M u ns given).
Hypothesis follow : rows_follow D r moves Ts cs (next_rows D r moves Ts cs).
Local Notation T := (@rows_in R D r (size ns).-1.+1 Ts).
Local Notation A := (@A_in R D r moves Ts cs).
Local Notation Sum := (@sum_in R D r cs).

Lemma mean_from init i h0 (x x' : 'cV[R]_D) t : distribution init -> @in_node R M u ns i h0 ->
  \col_j iter t (mean (path_law init)) (fun h => (run sizes h0 x (since h0 h) - run sizes h0 x' (since h0 h)) j 0) h0
  = Sum *m iter t (mulmx A) (T (inord i) *m (x - x')).
Proof.
move=> init_law h0_in.
have [next sum] := rows_followP (moves_size ok) (fun i F => @moves_mean R M u c starts ns given ok _ i F) follow.
have obey := difference_on_obeys (init := init) (or_introl (erefl 1)) x x' (i := i) (h0 := h0) (ns := ns) (sizes := given).
have := @difference_mean R _ _ _ _ after weight (by_step change 1) T A Sum next sum _ _ _ _ (nodes_seen ok init_law i h0) obey t [::] h0_in.
rewrite /= => <-; apply/matrixP => j l; rewrite !mxE (iter_past _ h0 _ _ [::]).
by apply: same_iter => h; rewrite since_cat times_one.
Qed.
End Rows.

Lemma mean_dies r Ts cs X y z : means_fall D r (all_moves M u ns given) Ts cs X y z -> mean_goes_to_zero sizes.
Proof.
move=> /(@means_fallP R)[follow pos fall].
have [k [q [k0 q01 die]]] := powers_die pos fall; have /andP[q0 _] := q01.
have [kS kS0 leS] := norm_le (@sum_in R D r cs).
have [f f0 leT] := fin_all_exists2 (fun i : 'I_(size ns).-1.+1 => norm_le (@rows_in R D r (size ns).-1.+1 Ts i)).
have kT0 : 0 <= \sum_i f i by apply: sumr_ge0 => i _; exact: ltW.
exists (kS * k * \sum_i f i), q; split=> // [|init x x' t [init_law on]]; first by rewrite !mulr_ge0 // ltW.
pose v o : 'cV[R]_D := \col_i iter t (mean (path_law init)) (fun h => (parameters sizes x h - parameters sizes x' h) i 0) [:: o].
have -> : \col_i expect (path_law init) t.+1 (fun h => (parameters sizes x h - parameters sizes x' h) i 0) = \sum_o init o *: v o.
  by apply/matrixP => i j; rewrite mxE summxE; apply: eq_bigr => o _; rewrite !mxE.
have le o : 0 < init o -> size2 (v o) <= kS * k * (\sum_i f i) * q ^+ t * size2 (x - x').
  move=> pos_o; have h0_in := start_in_node R ok (on o pos_o).
  have -> : v o = @sum_in R D r cs *m iter t (mulmx (@A_in R D r (all_moves M u ns given) Ts cs))
    (@rows_in R D r (size ns).-1.+1 Ts (inord (nth 0%N starts o.2)) *m (x - x')).
    rewrite -(mean_from follow x x' t init_law h0_in); apply/matrixP => i j; rewrite !mxE !(iter_past _ [:: o] _ _ [::]).
    by apply: same_iter => h; rewrite since_cat -times_one !run_first_observed.
  set i := inord _; set y0 := _ *m (x - x').
  apply: le_trans (leS _) _; rewrite -!mulrA ler_wpmul2l ?(ltW kS0) //; apply: le_trans (die t y0) _.
  rewrite -mulrA ler_wpmul2l // [X in _ <= X]mulrCA ler_wpmul2l ?exprn_ge0 //.
  apply: le_trans (leT i (x - x')) _; rewrite ler_wpmul2r ?dot_ge0 //.
  by rewrite (bigD1 i) //= ler_addl sumr_ge0 // => j _; exact: ltW.
have [init0 init1] := init_law.
have one_sym : (1%:M : 'M[R]_D)^T = 1%:M by rewrite trmx1.
have one_ge0 : possemidef (1%:M : 'M[R]_D) by move=> w; rewrite -dot_form dot_ge0.
rewrite dot_form; apply: le_trans (form_jensen one_sym one_ge0 init0 init1 v) _.
apply: (@le_trans _ _ (\sum_o init o * (kS * k * (\sum_i f i) * q ^+ t * size2 (x - x')))); last by rewrite -mulr_suml init1 mul1r.
apply: ler_sum => o _; have := init0 o; rewrite le_eqVlt => /orP[/eqP <-|pos_o]; first by rewrite !mul0r.
by rewrite ler_pmul2l // -dot_form le.
Qed.

Lemma mean_grows r Ts cs X y h after_h x es q find :
  means_grow D r (all_moves M u ns given) Ts cs X y h after_h x es q find -> (h < size ns)%N -> mean_grows_from sizes h (colv R D x).
Proof.
move=> /(@means_growP R)[follow grow pos [kO kO0 shown]] hN.
have [k [g [k0 g1 le]]] := powers_grow grow.
have g0 : 0 <= g by apply: le_trans (ltW g1); exact: ler01.
set z := iter after_h _ _ in pos.
exists (k * form (mx R r r X) z / kO), g, (after_h + (latest_of es).+1)%N; split=> // [|init h0 x0 x' t init_law h0_in xE].
  by rewrite divr_gt0 // mulr_gt0.
have meanE l := mean_from follow x0 x' l init_law h0_in.
rewrite xE in meanE; have hE : nat_of_ord (inord h : 'I_(size ns).-1.+1) = h by rewrite inordK // -(moves_size ok) size_map.
rewrite mulrAC ler_pdivr_mulr // [X in _ <= X]mulrC mulrAC.
apply: le_trans (le t z) _; apply: le_trans (shown _) _; rewrite ler_wpmul2l ?(ltW kO0) //.
rewrite big_split_ord /=; apply: ler_paddl; first by apply: sumr_ge0 => l _; exact: dot_ge0.
apply: ler_sum => l _; rewrite meanE /rows_in hE -[iter l _ (iter t _ z)]iterD /z -iterD.
have -> : (l + t + after_h = t + (after_h + l))%N by rewrite [(l + t)%N]addnC -addnA [(l + after_h)%N]addnC.
exact: lexx.
Qed.
End Accepted.

Section Theorems.
Variables (R : realFieldType) (M : model) (u : update) (c : component) (starts : seq nat) (ns : seq node).
Local Notation class := (set_of M (members c)).
Local Notation D := (learnt_size u).
Local Notation values l := [seq qval R x | x <- l].

Theorem update_mean_bounded_accepted sizes r Ts cs X y z :
  check_update_mean_bounded M u c starts ns sizes r Ts cs X y z ->
  [/\ recurrent_class (chain R M) class, sizes_given R sizes & @mean_goes_to_zero R M u c (values sizes)].
Proof.
case/andP=> ok fall; split; [exact: class_is_recurrent ok | exact: walked_given ok | apply: (@mean_dies R _ _ _ _ _ _ ok _ _ _ _ _ _ fall)].
Qed.

Theorem update_mean_unbounded_accepted sizes r Ts cs X y h after x es q find :
  check_update_mean_unbounded M u c starts ns sizes r Ts cs X y h after x es q find ->
  [/\ recurrent_class (chain R M) class, sizes_given R sizes, (h < size ns)%N & @mean_grows_from R M u ns (values sizes) h (colv R D x)].
Proof.
case/and3P=> ok hN grow; split=> //; [exact: class_is_recurrent ok | exact: walked_given ok | apply: (@mean_grows R _ _ _ _ _ _ ok _ _ _ _ _ _ _ _ _ _ _ grow hN)].
Qed.
End Theorems.
