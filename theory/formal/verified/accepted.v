(* Kinds: irreducible, reducible, stationary_law, period, missing_coverage, rank_deficient, full_column_rank
   Place: docs/certificates.md, the kinds about the chain and the features.
   Statement: let M be the model of one certificate, c a class with the orders that find it, and the rest what the
   certificate holds. If the checker (verified/Kinds.v) accepts them, the sentence that the program prints is true of the
   behaviour chain P_ij = Σ_a μ(i, a) p_a(i, j) and of the features Φ, over every ordered field:
       irreducible_accepted        P is irreducible
       reducible_accepted          P never leaves the set, which is not empty and not all states; so P is not irreducible
       stationary_law_accepted     the class is a recurrent class of P; d is a stationary law, positive there and zero
                                   elsewhere, the only one of the class; with [unique], of the chain
       period_accepted             the class is recurrent, and r is the greatest common divisor of its times of return
       missing_coverage_accepted   π(a|s) > 0 and μ(a|s) = 0, in the class if one is given
       rank_deficient_accepted     Φx = 0 at the states of the class, or at all, for some x ≠ 0
       full_column_rank_accepted   Φx = 0 at the states of the class, or at all, for x = 0 alone *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Forms Chain Policies Rationals Matrices Checker Kinds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Accepted.
Variables (R : realFieldType) (M : model).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation P := (chain R M).
Local Notation class c := (set_of M (members c)).

(* The states that a statement is about: those of the class that is given, or all. *)
Definition place (c : option component) : {set 'I_n.+1} := if c is Some c' then class c' else setT.
Definition recurrent_place (c : option component) : Prop := if c is Some c' then recurrent_class P (class c') else True.

Lemma placeE c i : (i \in place c) = among c (nat_of_ord i).
Proof. by case: c => [c|]; rewrite inE. Qed.

Theorem irreducible_accepted c : check_irreducible M c -> irreducible P.
Proof.
case/and3P=> ok /eachP all_in rec i j; have [_ leads] := recurrentP R rec.
by rewrite (leads i) inE.
Qed.

Theorem reducible_accepted s (S := set_of M s) : check_reducible M s ->
  [/\ S != set0, S != setT, forall i j, i \in S -> edge P i j -> j \in S & ~ irreducible P].
Proof.
case/and4P=> ok some_in some_out closed; have inside := @closed_setP R M s closed.
have S0 : S != set0.
  apply: contra some_in => /eqP S0; apply/eachP => i; have : i \notin S by rewrite S0 inE.
  by rewrite inE.
have ST : S != setT.
  apply: contra some_out => /eqP ST; apply/eachP => i; have : i \in S by rewrite ST inE.
  by rewrite inE.
split=> // irr; move: ST; rewrite -subTset; have [i iS] := set0Pn _ S0.
move/subsetPn=> [j _ jS]; case/negP: jS.
exact: (connected_inside inside iS (irr i j)).
Qed.

Theorem stationary_law_accepted unique c d (law_d := rowv R n.+1 d) : check_stationary M unique c d ->
  [/\ recurrent_class P (class c), law P law_d, forall i, (0 < law_d 0 i) = (i \in class c),
      forall e, law P e -> (forall i, i \notin class c -> e 0 i = 0) -> e = law_d &
      unique -> forall e, law P e -> e = law_d].
Proof.
case/and5P=> ok rec all_lead /eachP support stationary.
have P_st := chain_stochastic R ok; have rec_class := recurrentP R rec; case: (rec_class) => _ leads.
have dlaw : law P law_d := lawP R stationary.
have dS i : (0 < law_d 0 i) = (i \in class c).
  rewrite !mxE inE; have := support i; case: ifP => _; first by rewrite (qpos_val R).
  by rewrite (qnullP R) => /eqP ->; rewrite ltxx.
split=> // [e elaw off|u e elaw]; apply: (laws_agree P_st dlaw elaw dS) => i j ei jS.
  have iS : i \in class c by apply: contraLR ei => /off ->; rewrite ltxx.
  by rewrite leads.
rewrite u in all_lead; move/eachP/(_ i): all_lead; case/and5P: rec => rn root_in _ _ _.
move/(@leads_to_root R M c i rn) => up; apply: connect_trans up _.
by rewrite leads // inE.
Qed.

Theorem period_accepted c r phase walks : check_period M c r phase walks ->
  recurrent_class P (class c) /\ has_period P (class c) r.
Proof.
case/and5P=> ok rec /eachP phases /allP walked /eqP gcd_r.
have P_st := chain_stochastic R ok; have rec_class := recurrentP R rec.
have closed : forall i j : 'I_n.+1, i \in class c -> edge P i j -> j \in class c.
  by case/and5P: rec => _ _ /(@closed_setP R M _).
pose f (i : 'I_n.+1) := nth 0%N phase i.
have step i j : i \in class c -> edge P i j -> f j = (f i).+1 %[mod r].
  rewrite inE => iS ij; have := phases i; rewrite iS => /andP[below /eachP/(_ j)].
  rewrite (edgeE R) ij /f => /eqP ->; rewrite /next_phase; case: eqnP => // E.
  by rewrite E modnn mod0n.
split=> // q; split=> [qr i k iS|returns].
  move/(phase_power P_st closed step iS) => E; apply: dvdn_trans qr _.
  by move/eqP: E; rewrite -{1}(addn0 (f i)) eqn_modDl mod0n eq_sym.
rewrite -gcd_r; elim: walks walked {gcd_r} => [|w walks IH] walked; first exact: dvdn0.
rewrite /= dvdn_gcd IH ?andbT => [|w' w'in]; last by apply: walked; rewrite inE w'in orbT.
have : closed_walk (behaviour_chain M) c w by apply: walked; rewrite inE eqxx.
case: w {walked} => [|i [|k w]] //= /and3P[i_in /eqP back /andP[ik walk]].
pose rest := k :: w; have {walk}walk : path (edge_of (behaviour_chain M)) i rest by rewrite /= ik.
have {ik}[lin _] := edge_inside ik.
have [v vE] : exists v : seq 'I_n.+1, rest = [seq nat_of_ord x | x <- v].
  have : all (fun x => x < n.+1)%N rest.
    elim: rest {back} i {i_in lin} walk => [|b rest IHr] a //= /andP[ab] /IHr ->; rewrite andbT.
    by have [] := edge_inside ab.
  elim: rest {back walk} => [|b rest IHr]; first by exists [::].
  by case/andP=> bin /IHr[v ->]; exists (Ordinal bin :: v).
have walkP : path (edge P) (Ordinal lin) v.
  move: walk; rewrite vE -[i]/(nat_of_ord (Ordinal lin)).
  elim: v (Ordinal lin) {vE} => [|b v IHv] a //= /andP[ab /IHv ->]; rewrite andbT.
  by rewrite -(edgeE R).
have pos := path_power P_st walkP; apply: (returns (Ordinal lin)); first by rewrite inE.
have -> : (size w).+1 = size v by have := congr1 size vE; rewrite size_map.
have E : last (Ordinal lin) v = Ordinal lin.
  by apply: val_inj; rewrite /= -last_map -vE.
by rewrite -{2}E.
Qed.

Theorem missing_coverage_accepted c s a : check_missing_coverage M c s a ->
  recurrent_place c /\ exists (i : 'I_n.+1) (b : Act M),
    [/\ nat_of_ord i = s, nat_of_ord b = a, i \in place c, 0 < pi R i b & mu R i b = 0].
Proof.
case/and5P=> ok cls sn s_in /and3P[an pos null]; split; first exact: amongP cls.
exists (Ordinal sn), (Ordinal an); split=> //; first by rewrite placeE.
  by rewrite -(qpos_val R).
by apply/eqP; rewrite -(qnullP R).
Qed.

Theorem rank_deficient_accepted c x (v := colv R m x) : check_rank_deficient M c x ->
  [/\ recurrent_place c, v != 0 & forall i, i \in place c -> (Phi R M *m v) i 0 = 0].
Proof.
case/and4P=> ok cls some zero; split; first exact: amongP cls.
  apply: contra some => /eqP v0; apply/eachP => j; rewrite (qnullP R).
  by have /matrixP/(_ j 0) := v0; rewrite !mxE => ->.
move=> i; rewrite placeE => i_in; have /eachP/(_ i) := zero; rewrite i_in (qnullP R) total_map => /eqP E.
rewrite -[RHS]E mxE; apply: eq_bigr => j _; by rewrite !mxE qvalM.
Qed.

Theorem full_column_rank_accepted c rows q inverse : check_full_rank M c rows q inverse ->
  recurrent_place c /\ independent_columns (Phi R M) (place c).
Proof.
case/and5P=> ok cls /Z.ltb_lt q1 /eqP size_rows /andP[/allP inside inv]; split; first exact: amongP cls.
apply: (independent_rows q1 size_rows _ inv) => r /inside/andP[rn r_in]; exists (Ordinal rn) => //.
by rewrite placeE.
Qed.
End Accepted.
