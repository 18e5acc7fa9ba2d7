(* Claims: thm_4_3, thm_4_4, thm_4_6, path_growth (on a space of infinite paths)
   Place: §4; the probability space that the paper leaves unsaid.
   Statement: over every complete Archimedean ordered field R (a realType of mathcomp-analysis: the reals), each process has
   a probability space of infinite paths s_0, s_1, … whose coordinates have its law [infinite_paths_law], and what holds
   almost surely is what holds with probability one there [infinite_paths]. So "on every probability space that carries the
   process" in [almost_surely] speaks of at least this one. The instances of the three theorems and the bound of paths at
   constant steps are restated there.
   Reading: the interval ]0, 1] is cut into one cell for each history h of length t, of length P(h); the cell of a longer
   history lies in that of its beginning. A point of ]0, 1] is the path of the cells that hold it. A set of paths is an
   event if its points are a Borel set, and its probability is their Lebesgue measure [path_space].
   The axioms are those of mathcomp-analysis: functional and propositional extensionality, and constructive indefinite
   description (choice, and with it excluded middle). No other file leans on them. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets.
From mathcomp.analysis Require Import reals ereal normedtype sequences measure lebesgue_measure topology.
From TD Require Import Limits Forms Chain Paths Sequences Convergence ProbabilityOne Markov Examples Steps.
From TD Require Import Schedule KeyMatrices Windows Policies OffPolicy thm_4_3 thm_4_4 thm_4_6 path_growth.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Lengths f s ≥ 0 put side by side in the order of l: [s] lies between [before s] and [before s + f s]. *)
Section Cells.
Variables (R : realFieldType) (S : finType) (f : S -> R).
Hypothesis f_ge0 : forall s, 0 <= f s.

Fixpoint before (l : seq S) (s : S) : R := if l is s' :: l' then if s' == s then 0 else f s' + before l' s else 0.

Lemma before_ge0 l s : 0 <= before l s.
Proof. by elim: l => //= s' l IH; case: ifP => // _; rewrite addr_ge0. Qed.

Lemma before_le l s : s \in l -> before l s + f s <= \sum_(s' <- l) f s'.
Proof.
elim: l => //= s' l IH; rewrite in_cons big_cons eq_sym; case: eqP => [<- _|_ /IH le] /=.
  by rewrite add0r ler_addl sumr_ge0.
by rewrite -addrA ler_add2l.
Qed.

Lemma cell_exists l x : uniq l -> 0 < x <= \sum_(s <- l) f s -> exists2 s, s \in l & before l s < x <= before l s + f s.
Proof.
elim: l x => [|s' l IH] x /=; first by rewrite big_nil => _ /andP[/lt_le_trans H /H]; rewrite ltxx.
move=> /andP[s'l ul] /andP[x0]; rewrite big_cons => le; have [xs|sx] := leP x (f s').
  by exists s'; rewrite ?mem_head // eqxx add0r x0.
have [|s sl /andP[lo hi]] := IH (x - f s') ul; first by rewrite subr_gt0 sx ler_subl_addl.
exists s; first by rewrite in_cons sl orbT.
have /negbTE -> : s' != s by apply: contraNneq s'l => ->.
by rewrite -ltr_subr_addl lo -addrA -ler_subl_addl.
Qed.

Lemma cell_unique l x s1 s2 : s1 \in l -> s2 \in l ->
  before l s1 < x <= before l s1 + f s1 -> before l s2 < x <= before l s2 + f s2 -> s1 = s2.
Proof.
elim: l x => //= s' l IH x; rewrite !in_cons ![_ == s']eq_sym.
have far s : f s' + before l s < x -> ~~ (x <= 0 + f s').
  by move=> lt; rewrite add0r -ltNge; apply: le_lt_trans lt; rewrite ler_addl before_ge0.
case: (eqVneq s' s1) => [<-|_]; case: (eqVneq s' s2) => [<-|_] //= s1l s2l /andP[a1 b1] /andP[a2 b2].
- by move: b1; rewrite (negbTE (far _ a2)).
- by move: b2; rewrite (negbTE (far _ a1)).
by apply: (IH (x - f s')) => //; rewrite ltr_subr_addl ler_subl_addl addrA ?a1 ?a2.
Qed.
End Cells.

Section Walk.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R).
Hypothesis K_kernel : kernel K.

Fixpoint left_end (h : seq S) : R :=
  if h is s :: h' then left_end h' + before (fun s' => weight K (s' :: h')) (enum S) s else 0.
Definition inside h (u : R) : bool := left_end h < u <= left_end h + weight K h.

Lemma weight_sum h : \sum_(s <- enum S) weight K (s :: h) = weight K h.
Proof. by rewrite big_enum /= -mulr_sumr K_kernel.2 mulr1. Qed.

Lemma inside_shorter s h u : inside (s :: h) u -> inside h u.
Proof.
rewrite /inside [left_end (_ :: _)]/= -addrA => /andP[lo hi].
have nn s' : 0 <= weight K (s' :: h) := weight_ge0 K_kernel (s' :: h).
apply/andP; split; first by apply: le_lt_trans lo; rewrite ler_addl before_ge0.
apply: le_trans hi _; rewrite ler_add2l -[X in _ <= X]weight_sum.
by apply: (before_le nn); rewrite mem_enum.
Qed.

Lemma inside_longer h u : inside h u -> exists s, inside (s :: h) u.
Proof.
move=> /andP[lo hi]; have [|s _ sE] := @cell_exists _ _ (fun s => weight K (s :: h)) (enum S) (u - left_end h) (enum_uniq _).
  by rewrite subr_gt0 lo weight_sum ler_subl_addl.
by exists s; move: sE; rewrite /inside [left_end (_ :: _)]/= ltr_subr_addl ler_subl_addl addrA.
Qed.

Lemma inside_unique h u s1 s2 : inside (s1 :: h) u -> inside (s2 :: h) u -> s1 = s2.
Proof.
rewrite /inside ![left_end (_ :: _)]/= -!addrA -![_ < u]ltr_subr_addl -![u <= _]ler_subl_addl.
apply: (@cell_unique _ _ (fun s => weight K (s :: h)) (fun s => weight_ge0 K_kernel (s :: h)) (enum S) (u - left_end h));
  by rewrite mem_enum.
Qed.

Let some : exists s : S, true.
Proof.
have [s _|none] := pickP (fun _ : S => true); first by exists s.
by have := K_kernel.2 [::]; rewrite big1 => [/eqP|s]; [rewrite eq_sym oner_eq0 | have := none s].
Qed.

Definition next h (u : R) : S := if [pick s | inside (s :: h) u] is Some s then s else xchoose some.
Fixpoint history t (u : R) : seq S := if t is t'.+1 then next (history t' u) u :: history t' u else [::].
Definition path_of (u : R) (t : nat) : S := next (history t u) u.

Lemma next_inside h u : inside h u -> inside (next h u :: h) u.
Proof. by move=> hu; rewrite /next; case: pickP => // none; have [s] := inside_longer hu; rewrite none. Qed.

Lemma historyP h u : inside [::] u -> (history (size h) u = h) <-> inside h u.
Proof.
move=> u01; split=> [E|]; first by rewrite -E; elim: (size h) => //= t; apply: next_inside.
elim: h => //= s h IH su; have hu := inside_shorter su; rewrite (IH hu); congr (_ :: _).
exact: inside_unique (next_inside hu) su.
Qed.
End Walk.

Section Space.
Variables (R : realType) (S : finType) (K : seq S -> S -> R).
Hypothesis K_kernel : kernel K.
Local Open Scope classical_set_scope.
Local Notation mu := (@lebesgue_measure R).
Local Notation path_of := (path_of K_kernel).
Local Notation Borel := [the measurableType _ of salgebraType (@ocitv R)].

(* the points in the cell of a history *)
Definition cell h : set Borel := [set u | inside K h u].

(* the points of ]0, 1] whose path is in A *)
Definition points (A : (nat -> S) -> Prop) : set Borel := [set u | inside K [::] u /\ A (path_of u)].

Lemma cellE h : cell h = `](left_end K h), (left_end K h + weight K h)].
Proof. by rewrite predeqE => u; rewrite /= in_itv. Qed.

Lemma cell_measurable h : measurable (cell h).
Proof. by rewrite cellE; apply: sub_sigma_algebra; apply: is_ocitv. Qed.

Lemma cell_measure h : mu (cell h) = (weight K h)%:E.
Proof.
rewrite cellE /lebesgue_measure /= /Hahn_ext measurable_mu_extE //=; last exact: is_ocitv.
  rewrite hlength_itv /= lte_fin ltr_addl lt_neqAle weight_ge0 // andbT -EFinB addrAC subrr add0r.
  by case: eqP => //= <-.
exact: hlength_sigma_sub_additive.
Qed.

Lemma points_le A : measurable (points A) -> (mu (points A) <= 1)%E.
Proof.
move=> mA; have <- : mu (cell [::]) = 1%E by rewrite cell_measure.
by apply: le_measure; rewrite ?inE //; [exact: cell_measurable | move=> u []].
Qed.

Lemma points_fin A : measurable (points A) -> mu (points A) \is a fin_num.
Proof. by move=> mA; rewrite ge0_fin_numE //; apply: le_lt_trans (points_le mA) _; rewrite ltry. Qed.

Lemma points_ext A B : (forall w, A w <-> B w) -> points A = points B.
Proof. by move=> AB; rewrite predeqE => u /=; split=> -[? /AB]. Qed.

Definition path_space : space R.
Proof.
refine (@Space R (nat -> S) (fun A => measurable (points A)) (fun A => fine (mu (points A))) _ _ _ _ _ _ _ _ _).
- by move=> A B AB mA; rewrite -(points_ext AB).
- by move=> A _ w; apply: EM.
- move=> A mA; have -> : points (fun w => ~ A w) = points (fun=> True) `\` points A.
    rewrite predeqE => u /=; split=> [[u01 nA]|[[u01 _] nA]]; first by split=> // -[_ /nA].
    by split=> // a; apply: nA.
  apply: measurableD => //; rewrite (_ : points _ = cell [::]); first exact: cell_measurable.
  by rewrite predeqE => u /=; split=> [[]|].
- move=> A mA; have -> : points (fun w => exists n, A n w) = \bigcup_n points (A n).
    by rewrite predeqE => u /=; split=> [[? [n An]]|[n _ [? An]]]; [exists n | split=> //; exists n].
  exact: bigcupT_measurable.
- rewrite (_ : points _ = cell [::]); first exact: cell_measurable.
  by rewrite predeqE => u /=; split=> [[]|].
- by move=> A mA; apply: fine_ge0.
- rewrite (_ : points _ = cell [::]); first by rewrite cell_measure.
  by rewrite predeqE => u /=; split=> [[]|].
- move=> A B mA mB AB; have -> : points (fun w => A w \/ B w) = points A `|` points B.
    by rewrite predeqE => u /=; split=> [[? []]|[[]|[]]]; [left | right | split=> //; left | split=> //; right].
  rewrite measureU // ?fineD ?points_fin //.
  by rewrite predeqE => u /=; split=> // -[[_ a] [_ b]]; apply: AB a b.
move=> A mA up; have E : points (fun w => exists n, A n w) = \bigcup_n points (A n).
  by rewrite predeqE => u /=; split=> [[? [n An]]|[n _ [? An]]]; [exists n | split=> //; exists n].
have mU : measurable (\bigcup_n points (A n)) by apply: bigcupT_measurable.
have ndA : nondecreasing_seq (fun n => points (A n)).
  by apply/nondecreasing_seqP => n; rewrite subsetEset => u [? ?]; split=> //; apply: up.
have fU : mu (\bigcup_n points (A n)) \is a fin_num by rewrite -E; apply: points_fin; rewrite E.
have lim : (fun n => mu (points (A n))) --> (fine (mu (\bigcup_n points (A n))))%:E.
  by rewrite fineK //; apply: (nondecreasing_cvg_mu (mu := [the measure _ _ of mu]) mA mU ndA).
move: lim => /fine_fcvg/(@cvgrPdist_lt _ [normedModType R of R^o]) lim eps eps0; rewrite E.
have [N _ small] := lim _ eps0; exists N => n Nn; rewrite distrC; exact: small.
Defined.

Definition coordinate (t : nat) (w : Omega path_space) : S := w t.

Theorem infinite_paths_law : has_law K coordinate.
Proof.
have pathE T u : path coordinate T (path_of u) = history K_kernel T u by elim: T => //= T ->.
have E h : points (fun w => path coordinate (size h) w = h) = cell h.
  rewrite predeqE => u; split=> [[u01]|hu]; first by rewrite pathE => /(historyP K_kernel _ u01).
  have u01 : inside K [::] u by elim: h hu => // s h IH /(inside_shorter K_kernel).
  by split=> //; rewrite pathE; apply/(historyP K_kernel _ u01).
by move=> h; rewrite /event /Pr /= E cell_measure; split=> //; apply: cell_measurable.
Qed.
(* V → 0 almost surely exactly if V → 0 on a set of infinite paths of probability one. *)
Theorem infinite_paths (V : seq S -> R) : (forall h, 0 <= V h) -> almost_surely K V <-> probability_one coordinate V.
Proof.
move=> V0; have law := infinite_paths_law; split=> [[_ one]|]; first exact: (one (@archimedean R) _ _ law).
by move/(probability_one_iff law (@archimedean R) V0); apply: paths_almost_surely.
Qed.
End Space.
Arguments coordinate {R S K} K_kernel t w.

(* The difference of two runs at constant steps: its bound for all times at once, and its decay where its mean square
   dies out. *)
Section PathGrowth.
Variables (R : realType) (n D : nat) (E : finType) (to : E -> 'I_n.+1).
Variables (p : 'I_n.+1 -> E -> R) (B : E -> 'M[R]_D) (i : 'I_n.+1) (y : 'cV[R]_D).
Hypothesis p_law : forall i, distribution (p i).
Variable K_kernel : kernel (moves to p i).

Theorem path_growth_infinite_paths_bound (X : 'I_n.+1 -> 'M[R]_D) (w : E -> R) c :
  (forall i, possemidef (X i)) -> (forall e, 0 < w e) -> (forall i, possemidef (X i - mean_form to p B w X i)) ->
  0 < c ->
  let always s := forall t, bounded to B X w i y c (path (coordinate K_kernel) t s) in
  event always /\ 1 - c^-1 <= Pr always.
Proof. by move=> X_ge0 w_gt0 X_down c0; apply: path_bound_every_space (infinite_paths_law K_kernel) c0. Qed.

Theorem path_growth_infinite_paths : dies_out_in_mean_square to p B -> exists2 r, 1 < r &
  probability_one (coordinate K_kernel) (fun h => r ^+ size h * dot (difference B y h) (difference B y h)).
Proof.
move=> dies; have [_ [r r1 small]] := path_growth.path_growth p_law (@archimedean R) dies; exists r => //.
apply/infinite_paths; last exact: small.
by move=> h; rewrite mulr_ge0 ?dot_ge0 // exprn_ge0 // (le_trans ler01) // ltW.
Qed.
End PathGrowth.

(* TD on the two-state chain of thm_4_3_instance, θ_0 = 0, α_t = 1/(t + 1): θ_t → −64/105. *)
Theorem thm_4_3_infinite_paths_instance (R : realType)
    (path_law := observation_kernel (fun i => i) (fun i j : 'I_2 => walk R i j) (fun i => (i == 0)%:R))
    (K_kernel : kernel path_law)
    (theta := td (fun i => i) (mx 2 1 [:: [:: 1]; [:: 2%:R]]) (schedule [:: 3%:R^-1]) 2%:R^-1
       (fun i _ : 'I_2 => if i == 0 then 1 else -1 : R) (fun t => 1 / (t%:R + 1)) 0) :
  probability_one (coordinate K_kernel) (fun h => (theta h 0 0 + 64%:R / 105%:R) ^+ 2).
Proof. by apply/infinite_paths => [h|]; [apply: sqr_ge0 | apply: thm_4_3_instance]. Qed.

(* GTD and TDC on θ→2θ, γ = 9/10, where the mean of off-policy TD moves away: θ_t → −5/2 and w_t → 0 from anywhere. *)
Section ThetaToTwoTheta.
Variables (R : realType) (init : 'I_2 * 'I_2 -> R) (theta0 w0 : 'cV[R]_1).
Let gamma : R := 9%:R / 10%:R.
Let step (t : nat) : R := 1 / (t%:R + 1).
Let path_law := observation_kernel snd (behave (go_to R) (evenly R)) init.
Hypothesis init_distribution : distribution init.
Variable K_kernel : kernel path_law.

Theorem thm_4_4_infinite_paths_instance :
  probability_one (coordinate K_kernel) (fun h => distance2 (- (5%:R / 2%:R))%:M
    (gtd snd (two_features R) (schedule [::]) (fun=> fun=> gamma) (ratio (evenly R) (second R)) (leaving_first R)
       step (fun t => 2%:R * step t) theta0 w0 h)).
Proof.
apply/infinite_paths => [h|]; first by apply: addr_ge0; apply: dot_ge0.
exact: (thm_4_4_instance theta0 w0 (@archimedean R) init_distribution).
Qed.

Theorem thm_4_6_infinite_paths_instance :
  probability_one (coordinate K_kernel) (fun h => distance2 (- (5%:R / 2%:R))%:M
    (tdc snd (two_features R) (schedule [::]) (fun=> fun=> gamma) (ratio (evenly R) (second R)) (leaving_first R)
       (slow step) step theta0 w0 h)).
Proof.
apply/infinite_paths => [h|]; first by apply: addr_ge0; apply: dot_ge0.
exact: (thm_4_6_instance_two_time_scales theta0 w0 (@archimedean R) init_distribution).
Qed.
End ThetaToTwoTheta.
