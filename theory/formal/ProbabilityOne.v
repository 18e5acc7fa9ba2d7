(* Almost surely, in both forms: through paths of finite length [tends_to_zero_as], and with probability one on every
   probability space that carries the process. The second follows from the first, and each space that carries the
   process has the first follow from the second [probability_one_iff].

   No measure is built here. Over the reals the fields of [space] are Kolmogorov's axioms (countable additivity as
   additivity and continuity from below) and say that every event is decided, as it is classically; infinite_paths.v
   builds such a space for every process. *)
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Limits Paths Sequences Convergence.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Record space (R : realFieldType) := Space {
  Omega : Type;
  event : (Omega -> Prop) -> Prop;
  Pr : (Omega -> Prop) -> R;
  event_ext : forall A B : Omega -> Prop, (forall w, A w <-> B w) -> event A -> event B /\ Pr A = Pr B;
  event_decided : forall A, event A -> forall w, A w \/ ~ A w;
  event_not : forall A, event A -> event (fun w => ~ A w);
  event_some : forall A : nat -> Omega -> Prop, (forall n, event (A n)) -> event (fun w => exists n, A n w);
  event_all : event (fun=> True);
  Pr_ge0 : forall A, event A -> 0 <= Pr A;
  Pr_all : Pr (fun=> True) = 1;
  Pr_add : forall A B, event A -> event B -> (forall w, A w -> B w -> False) ->
    Pr (fun w => A w \/ B w) = Pr A + Pr B;
  Pr_up : forall A : nat -> Omega -> Prop, (forall n, event (A n)) -> (forall n w, A n w -> A n.+1 w) ->
    tends_to (fun n => Pr (A n)) (Pr (fun w => exists n, A n w)) }.

(* V_N(h) < ε for every history of N observations or more, but for a probability below δ, where N is late enough *)
Definition settles (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : nat -> seq S -> R) :=
  forall eps delta, 0 < eps -> 0 < delta ->
  exists N, forall T, (N <= T)%N -> prob K T (visits (above (V N) N eps)) <= delta.

Section Space.
Variables (R : realFieldType) (W : space R).
Local Notation event := (@event R W).
Local Notation Pr := (@Pr R W).
Implicit Types A B : Omega W -> Prop.

Lemma event_or A B : event A -> event B -> event (fun w => A w \/ B w).
Proof.
move=> eA eB; have e : event (fun w => exists n : nat, (if n is 0%N then A else B) w).
  by apply: event_some => -[|n].
by apply: (proj1 (event_ext _ e)) => w; split=> [[[|n] H]|[H|H]]; [left | right | exists 0%N | exists 1%N].
Qed.

Lemma event_and A B : event A -> event B -> event (fun w => A w /\ B w).
Proof.
move=> eA eB; have e := event_not (event_or (event_not eA) (event_not eB)).
apply: (proj1 (event_ext _ e)) => w; split=> [H|[a b] [na|nb] //].
by split; [case: (event_decided eA w) | case: (event_decided eB w)] => // n; case: H; [left | right].
Qed.

Lemma event_none : event (fun=> False).
Proof. by apply: (proj1 (event_ext _ (event_not (event_all W)))) => w; split. Qed.

Lemma Pr_not A : event A -> Pr (fun w => ~ A w) = 1 - Pr A.
Proof.
move=> eA; have eN := event_not eA; rewrite -(Pr_all W).
have -> : Pr (fun=> True) = Pr (fun w => A w \/ ~ A w).
  by apply: (proj2 (event_ext _ (event_all W))) => w; split=> // _; apply: event_decided.
by rewrite Pr_add // addrC addKr.
Qed.

Lemma Pr_none : Pr (fun=> False) = 0.
Proof.
have -> : Pr (fun=> False) = Pr (fun w => ~ (fun=> True) w) by apply: (proj2 (event_ext _ event_none)) => w; split=> // H; case: H.
by rewrite (Pr_not (event_all W)) Pr_all subrr.
Qed.

Lemma Pr_mono A B : event A -> event B -> (forall w, A w -> B w) -> Pr A <= Pr B.
Proof.
move=> eA eB AB; have eD := event_and eB (event_not eA).
have -> : Pr B = Pr (fun w => A w \/ (B w /\ ~ A w)).
  apply: (proj2 (event_ext _ eB)) => w; split=> [b|[/AB|[]]//].
  by case: (event_decided eA w); [left | right].
by rewrite Pr_add // ?ler_addl ?Pr_ge0 // => w a [].
Qed.

Lemma Pr_or A B : event A -> event B -> Pr (fun w => A w \/ B w) <= Pr A + Pr B.
Proof.
move=> eA eB; have eD := event_and eB (event_not eA).
have -> : Pr (fun w => A w \/ B w) = Pr (fun w => A w \/ (B w /\ ~ A w)).
  apply: (proj2 (event_ext _ (event_or eA eB))) => w; split=> [[a|b]|[a|[b _]]]; try by [left | right].
  by case: (event_decided eA w); [left | right].
by rewrite Pr_add // => [|w a []//]; rewrite ler_add2l; apply: Pr_mono => // w [].
Qed.

Lemma le1_Pr A : event A -> Pr A <= 1.
Proof. by move=> eA; rewrite -(Pr_all W); apply: Pr_mono => //; apply: event_all. Qed.

Lemma limit_le (u : nat -> R) l c N : (forall n, (N <= n)%N -> u n <= c) -> tends_to u l -> l <= c.
Proof.
move=> uc lim; rewrite leNgt; apply/negP => cl; have [K H] := lim (l - c) (etrans (subr_gt0 _ _) cl).
have := H (maxn N K) (leq_maxr _ _); rewrite ltNge => /negP; apply; rewrite distrC; apply: le_trans (ler_norm _).
by rewrite ler_add2l ler_opp2 uc // leq_maxl.
Qed.

Section Process.
Variables (S : finType) (K : seq S -> S -> R) (X : nat -> Omega W -> S).

(* the first T observations, the latest first *)
Fixpoint path T (w : Omega W) : seq S := if T is t.+1 then X t w :: path t w else [::].

(* Every beginning of the process has the product of the kernel's probabilities. *)
Definition has_law := forall h, event (fun w => path (size h) w = h) /\ Pr (fun w => path (size h) w = h) = weight K h.

Hypothesis X_law : has_law.

Lemma size_path T w : size (path T w) = T.
Proof. by elim: T => //= T ->. Qed.

Lemma event_path T h : event (fun w => path T w = h).
Proof.
have [<-|ne] := eqVneq (size h) T; first by have [] := X_law h.
by apply: (proj1 (event_ext _ event_none)) => w; split=> // E; move: ne; rewrite -E size_path eqxx.
Qed.

Lemma Pr_among T (l : seq (seq S)) : event (fun w => path T w \in l) /\
  (uniq l -> (forall h, h \in l -> size h = T) -> Pr (fun w => path T w \in l) = \sum_(h <- l) weight K h).
Proof.
elim: l => [|h l [e IH]].
  split; last by move=> _ _; rewrite big_nil -Pr_none; apply: esym; apply: (proj2 (event_ext _ event_none)) => w; rewrite in_nil.
  by apply: (proj1 (event_ext _ event_none)) => w; rewrite in_nil.
have E w : (path T w = h \/ path T w \in l) <-> path T w \in h :: l.
  by rewrite in_cons; split=> [[->|->]|/orP[/eqP|]]; rewrite ?eqxx ?orbT //; [left | right].
have e2 := event_or (event_path T h) e; split; first exact: (proj1 (event_ext E e2)).
move=> /= /andP[hl ul] sz; rewrite big_cons -(proj2 (event_ext E e2)) (Pr_add (event_path T h) e); last by move=> w -> hl'; rewrite hl' in hl.
rewrite -{1}(sz h (mem_head _ _)) (X_law h).2.
by rewrite IH // => h' h'l; apply: sz; rewrite in_cons h'l orbT.
Qed.

Lemma event_pred T (A : pred (seq S)) : event (fun w => A (path T w)) /\ Pr (fun w => A (path T w)) = prob K T A.
Proof.
pose l := [seq val h | h <- enum {: T.-tuple S} & A (val h)].
have E w : path T w \in l <-> A (path T w).
  split=> [/mapP[h]|Ah]; first by rewrite mem_filter => /andP[Ah _] ->.
  have sz : size (path T w) == T by rewrite size_path.
  by apply/mapP; exists (Tuple sz) => //; rewrite mem_filter mem_enum andbT.
have [e P] := Pr_among T l; split; first exact: (proj1 (event_ext E e)).
rewrite -(proj2 (event_ext E e)) P.
- rewrite /prob expectE big_map big_filter big_enum_cond /= big_mkcond /=; apply: eq_bigr => h _.
  by case: (A h); rewrite ?mulr1 ?mulr0.
- by rewrite (map_inj_uniq val_inj) filter_uniq // enum_uniq.
by move=> h /mapP[h' _ ->]; rewrite size_tuple.
Qed.

(* A holds at some time: its probability is the limit of those along paths of finite length. *)
Let ever (A : pred (seq S)) w := exists T, visits A (path T w).
Let event_ever (A : pred (seq S)) : event (ever A).
Proof. by apply: event_some => T; have [] := event_pred T (visits A). Qed.

Let everE (A : pred (seq S)) w : ever A w <-> exists t, A (path t w).
Proof.
split=> [[T]|[t At]]; last by exists t; case: (path t w) At => [|s h] /= ->.
by elim: T => [|T IH]; [rewrite /= orbF; exists 0%N | case/orP=> [At|/IH//]; exists T.+1].
Qed.

Lemma Pr_ever (A : pred (seq S)) N c : (forall T, (N <= T)%N -> prob K T (visits A) <= c) ->
  event (fun w => exists t, A (path t w)) /\ Pr (fun w => exists t, A (path t w)) <= c.
Proof.
move=> small; have [e <-] := event_ext (everE A) (event_ever A); split=> //.
have up : tends_to (fun T => Pr (fun w => visits A (path T w))) (Pr (ever A)).
  by apply: Pr_up => [T|T w]; [have [] := event_pred T (visits A) | move=> /= ->; rewrite orbT].
by apply: (limit_le (N := N) _ up) => T NT; rewrite (proj2 (event_pred T (visits A))) small.
Qed.

Let above_path (v : seq S -> R) N eps w : (exists t, above v N eps (path t w)) <-> exists2 t, (N <= t)%N & eps <= v (path t w).
Proof.
by split=> [[t /andP[]]|[t Nt le]]; [rewrite size_path; exists t | exists t; rewrite /above size_path Nt].
Qed.

(* v ≥ ε at some time from N on *)
Lemma Pr_some (v : seq S -> R) N eps c : (forall T, (N <= T)%N -> prob K T (visits (above v N eps)) <= c) ->
  event (fun w => exists2 t, (N <= t)%N & eps <= v (path t w)) /\
  Pr (fun w => exists2 t, (N <= t)%N & eps <= v (path t w)) <= c.
Proof. by move/Pr_ever=> [e le]; have [e' <-] := event_ext (above_path v N eps) e. Qed.

(* V_N(h): how far a history is from what it was at the time N *)
Section Settling.
Variable V : nat -> seq S -> R.

Definition late N eps := ever (above (V N) N eps).
Lemma event_late N eps : event (late N eps).
Proof. exact: event_ever. Qed.

Definition near eps w := exists N, forall t, (N <= t)%N -> V N (path t w) < eps.

Lemma late_some N eps w : late N eps w <-> exists2 t, (N <= t)%N & eps <= V N (path t w).
Proof. exact: iff_trans (everE _ w) (above_path (V N) N eps w). Qed.

Lemma nearE eps w : (exists N, ~ late N eps w) <-> near eps w.
Proof.
split=> -[N H]; exists N; last by move=> /late_some[t Nt]; rewrite leNgt H.
by move=> t Nt; rewrite ltNge; apply/negP => le; apply/H/late_some; exists t.
Qed.

Lemma event_near eps : event (near eps).
Proof.
have e : event (fun w => exists N, ~ late N eps w) by apply: event_some => N; apply/event_not/event_late.
exact: (proj1 (event_ext (nearE eps) e)).
Qed.

Let Pr_near eps : settles K V -> 0 < eps -> Pr (near eps) = 1.
Proof.
move=> conv eps0; apply/le_anti; rewrite (le1_Pr (event_near eps)) /= leNgt; apply/negP => lt1.
have d0 : 0 < (1 - Pr (near eps)) / 2%:R by rewrite divr_gt0 ?subr_gt0 ?ltr0n.
have [N small] := conv _ _ eps0 d0.
have [_] := Pr_some small; rewrite -(proj2 (event_ext (late_some N eps) (event_late N eps))) => le.
have : 1 - Pr (late N eps) <= Pr (near eps).
  rewrite -(Pr_not (event_late N eps)); apply: Pr_mono => [||w n]; [exact/event_not/event_late | exact: event_near |].
  by apply/nearE; exists N.
rewrite ler_subl_addl -ler_subl_addr => /le_trans/(_ le); rewrite ler_pdivl_mulr ?ltr0n // leNgt => /negP; apply.
by rewrite mulr_natr mulr2n ltr_addl subr_gt0.
Qed.

(* V_N < 1/(k + 1) from some time N on, for every k *)
Definition vanishes w := forall k : nat, near k.+1%:R^-1 w.

Lemma event_vanishes : event vanishes.
Proof.
have e : event (fun w => exists k : nat, ~ near k.+1%:R^-1 w) by apply: event_some => k; apply/event_not/event_near.
apply: (proj1 (event_ext _ (event_not e))) => w; split=> [H k|H [k nk]]; last exact: nk.
by case: (event_decided (event_near k.+1%:R^-1) w) => // nk; case: H; exists k.
Qed.

Lemma Pr_vanishes : settles K V -> Pr vanishes = 1.
Proof.
move=> conv; pose far (n : nat) w := exists k : nat, (k < n)%N /\ ~ near k.+1%:R^-1 w.
have far0 n : event (far n) /\ Pr (far n) = 0.
  elim: n => [|n [e P]].
    have E w : False <-> far 0%N w by split=> // -[k []].
    by split; [exact: (proj1 (event_ext E event_none)) | rewrite -(proj2 (event_ext E event_none)) Pr_none].
  have E w : (far n w \/ ~ near n.+1%:R^-1 w) <-> far n.+1 w.
    split=> [[[k [kn nk]]|nk]|[k [kn nk]]]; first by exists k; split=> //; apply: ltnW.
      by exists n.
    by move: kn; rewrite ltnS leq_eqVlt => /orP[/eqP <-|kn]; [right | left; exists k].
  have eN := event_not (event_near n.+1%:R^-1); have e2 := event_or e eN.
  split; first exact: (proj1 (event_ext E e2)).
  apply/le_anti; rewrite -(proj2 (event_ext E e2)) Pr_ge0 // andbT; apply: le_trans (Pr_or e eN) _.
  by rewrite P add0r (Pr_not (event_near _)) ?Pr_near ?subrr // invr_gt0 ltr0n.
have up : tends_to (fun n => Pr (far n)) (Pr (fun w => exists n, far n w)).
  apply: Pr_up => [n|n w [k [kn nk]]]; first by have [] := far0 n.
  by exists k; split=> //; apply: ltnW.
have eF : event (fun w => exists n, far n w) by apply: event_some => n; have [] := far0 n.
have F0 : Pr (fun w => exists n, far n w) = 0.
  apply/le_anti; rewrite Pr_ge0 // andbT; apply: (limit_le (N := 0%N) _ up) => n _.
  by have [_ ->] := far0 n.
rewrite -(proj2 (event_ext (_ : forall w, ~ (exists n, far n w) <-> vanishes w) (event_not eF))).
  by rewrite Pr_not // F0 subr0.
move=> w; split=> [H k|H [n [k [_ nk]]]]; last exact: nk.
by case: (event_decided (event_near k.+1%:R^-1) w) => // nk; case: H; exists k.+1; exists k.
Qed.

(* For every ε, over an Archimedean field. *)
Lemma vanishes_near w eps : Num.archimedean_axiom R -> vanishes w -> 0 < eps -> near eps w.
Proof.
move=> archi H eps0; have [k] := archi eps^-1; rewrite ger0_norm ?invr_ge0 ?ltW // => kE.
have [N near_] := H k; exists N => t Nt; apply: lt_trans (near_ t Nt) _.
rewrite -[X in _ < X]invrK ltf_pinv ?posrE ?ltr0n ?invr_gt0 //; apply: lt_trans kE _.
by rewrite ltr_nat.
Qed.

(* Every ε > 0 has an N with V_N < ε from N on, on an event of probability one. *)
Definition settles_surely := exists2 C : Omega W -> Prop, event C /\ Pr C = 1 &
  forall w, C w -> forall eps, 0 < eps -> exists N, forall t, (N <= t)%N -> V N (path t w) < eps.

Lemma paths_settle_surely : Num.archimedean_axiom R -> settles K V -> settles_surely.
Proof.
move=> archi conv; exists vanishes; first by split; [exact: event_vanishes | exact: Pr_vanishes].
by move=> w Vw eps eps0; apply: vanishes_near.
Qed.
End Settling.

Variable V : seq S -> R.
Local Notation late_from := (late (fun=> V)).

(* V → 0 on an event of probability one *)
Definition probability_one := exists2 C : Omega W -> Prop, event C /\ Pr C = 1 &
  forall w, C w -> tends_to (fun t => V (path t w)) 0.

Lemma probability_one_paths : probability_one -> tends_to_zero_as K V.
Proof.
move=> [C [eC PC] lim] eps delta eps0 delta0.
have mono N w : ~ late_from N eps w -> ~ late_from N.+1 eps w.
  by move=> H /late_some[t Nt le]; apply/H/late_some; exists t; rewrite // ltnW.
have up := Pr_up (fun N => event_not (event_late (fun=> V) N eps)) mono.
have one : Pr (fun w => exists N, ~ late_from N eps w) = 1.
  have e : event (fun w => exists N, ~ late_from N eps w) by apply: event_some => N; apply/event_not/event_late.
  apply/le_anti; rewrite le1_Pr //= -PC; apply: Pr_mono => // w /lim/(_ _ eps0)[N small].
  apply/nearE; exists N => t /small; rewrite subr0; exact: le_lt_trans (ler_norm _).
rewrite one in up; have [N /(_ N (leqnn N)) small] := up _ delta0; exists N => T NT.
rewrite -(proj2 (event_pred T (visits (above V N eps)))).
apply: (@le_trans _ _ (Pr (late_from N eps))).
  by apply: Pr_mono => [||w v]; [exact: proj1 (event_pred T (visits (above V N eps))) | exact: event_late | exists T].
move: small; rewrite (Pr_not (event_late _ _ _)) addrAC subrr add0r normrN (ger0_norm (Pr_ge0 (event_late _ _ _))); exact: ltW.
Qed.

(* Probability one on one space that carries the process says the same as the paths of finite length. *)
Theorem probability_one_iff : Num.archimedean_axiom R -> (forall h, 0 <= V h) ->
  probability_one <-> tends_to_zero_as K V.
Proof.
move=> archi V0; split=> [|conv]; first exact: probability_one_paths.
have [C C1 settled] := paths_settle_surely (V := fun=> V) archi conv; exists C => // w /settled H eps /H[N small].
by exists N => t /small; rewrite subr0 ger0_norm.
Qed.
End Process.
End Space.

(* V → 0 almost surely, for V ≥ 0: through finite paths over every ordered field, and with probability one where limits are
   those of the reals. *)
Definition almost_surely (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) :=
  tends_to_zero_as K V /\
  (Num.archimedean_axiom R ->
   forall (W : space R) (X : nat -> Omega W -> S), has_law K X -> probability_one X V).

Lemma paths_almost_surely (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : seq S -> R) :
  (forall h, 0 <= V h) -> tends_to_zero_as K V -> almost_surely K V.
Proof. by move=> V0 conv; split=> // archi W X X_law; apply/(probability_one_iff X_law archi V0). Qed.

(* The same of V_N(h) that depends on the time N from which on it is small, too: of |S_t − S_N|², where sums S_t converge *)
Definition settles_almost_surely (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : nat -> seq S -> R) :=
  settles K V /\
  (Num.archimedean_axiom R ->
   forall (W : space R) (X : nat -> Omega W -> S), has_law K X -> settles_surely X V).

Lemma paths_settle_almost_surely (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V : nat -> seq S -> R) :
  settles K V -> settles_almost_surely K V.
Proof. by move=> conv; split=> // archi W X X_law; apply: paths_settle_surely. Qed.

Lemma almost_surely_le (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V V' : seq S -> R) c : kernel K ->
  0 < c -> (forall h, 0 <= V' h) -> (forall h, c * V' h <= V h) -> almost_surely K V -> almost_surely K V'.
Proof.
move=> K_kernel c0 V0 VV' [conv _]; apply: paths_almost_surely => //.
exact: (tends_to_zero_as_le K_kernel c0 VV' conv).
Qed.

(* Under the hypotheses of the goal, paths of finite length are enough: V is a distance or a square. *)
Ltac along_paths := lazymatch goal with
  | |- almost_surely _ _ => refine (paths_almost_surely _ _);
      [by move=> ?; first [exact: sqr_ge0 | exact: dot_ge0 | apply: addr_ge0; exact: dot_ge0] |]
  | |- forall _, _ => let H := fresh in intro H; along_paths; revert H
  | |- let _ := _ in _ => let H := fresh in intro H; along_paths; revert H
  end.
