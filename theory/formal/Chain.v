(* Finite Markov chains: what "P is irreducible" buys.

   The paper's Assumption 2 asks for a limit law d^π. All that its algebra uses of it is proved here from
   irreducibility alone, over any ordered field and any number of states, with no period involved:

     law_exists                every stochastic matrix has a stationary law
     irreducible_law_positive  of an irreducible chain, it is positive everywhere
     irreducible_law_unique    and there is no other *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variables (R : realFieldType) (n : nat).
Implicit Types (P : 'M[R]_n) (d : 'rV[R]_n).

(* P_ij ≥ 0 and Σ_j P_ij = 1 *)
Definition stochastic P := (forall i j, 0 <= P i j) /\ (forall i, \sum_j P i j = 1).

(* a path of positive probability leads from every state to every state *)
Definition edge P : rel 'I_n := fun i j => 0 < P i j.
Definition irreducible P := forall i j, connect (edge P) i j.

(* d_i ≥ 0, Σ_i d_i = 1 and dP = d *)
Definition law P d := [/\ forall i, 0 <= d 0 i, \sum_i d 0 i = 1 & d *m P = d].

(* 𝟏, the vector of ones *)
Definition ones : 'cV[R]_n := const_mx 1.
End Definitions.
Arguments ones {R n}.

Section Chain.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n).
Hypothesis P_stochastic : stochastic P.
Let P_ge0 := P_stochastic.1.
Let P_row := P_stochastic.2.
Implicit Types (d v : 'rV[R]_n).

Lemma stochastic_ones : P *m ones = ones.
Proof.
apply/matrixP => i j; rewrite !mxE -(P_row i).
by apply: eq_bigr => k _; rewrite mxE mulr1.
Qed.

Lemma row_ones v : (v *m ones) 0 0 = \sum_i v 0 i.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite mxE mulr1. Qed.

(* Invariant mass that is anywhere is everywhere that can be reached from there. *)
Lemma mass_follows_edges v i j :
  (forall k, 0 <= v 0 k) -> v *m P = v -> connect (edge P) i j -> 0 < v 0 i -> 0 < v 0 j.
Proof.
move=> v0 vP /connectP[p]; elim: p i => [|k p IH] i /=; first by move=> _ ->.
case/andP=> ik pk ej vi; apply: (IH k pk ej).
rewrite -vP mxE (bigD1 i) //=; apply: ltr_paddr; last exact: mulr_gt0.
by apply: sumr_ge0 => l _; rewrite mulr_ge0.
Qed.

Lemma nonneg_sum_gt0 v : (forall k, 0 <= v 0 k) -> v != 0 -> exists i, 0 < v 0 i.
Proof.
move=> v0 vn0; apply/existsP; apply: contraR vn0 => /existsPn le0.
apply/eqP/matrixP => i j; rewrite (ord1 i) mxE; apply/eqP.
by rewrite eq_le v0 leNgt le0.
Qed.

Lemma law_neq0 d : law P d -> d != 0.
Proof.
case=> _ d1 _; apply/eqP => E; move/eqP: d1; rewrite E big1 => [|i _]; last by rewrite mxE.
by rewrite eq_sym oner_eq0.
Qed.

Lemma law_ones d : law P d -> d *m ones = 1%:M.
Proof.
by case=> _ d1 _; apply/matrixP => i j; rewrite (ord1 i) (ord1 j) row_ones d1 mxE.
Qed.

Theorem irreducible_law_positive d : irreducible P -> law P d -> forall j, 0 < d 0 j.
Proof.
move=> irr dlaw j; case: (dlaw) => d0 _ dP.
have [i di] := nonneg_sum_gt0 d0 (law_neq0 dlaw).
exact: mass_follows_edges d0 dP (irr i j) di.
Qed.

(* d − te with the largest t that keeps it non-negative is invariant and vanishes somewhere, hence everywhere. *)
Theorem irreducible_law_unique d e : irreducible P -> law P d -> law P e -> d = e.
Proof.
move=> irr dlaw elaw; have epos := irreducible_law_positive irr elaw.
case: (dlaw) (elaw) => [d0 d1 dP] [e0 e1 eP].
have [i0 _] := nonneg_sum_gt0 e0 (law_neq0 elaw).
pose ratio i := d 0 i / e 0 i; pose k := [arg min_(i < i0) ratio i]%O; pose t := ratio k.
pose v := d - t *: e.
have v0 i : 0 <= v 0 i.
  rewrite !mxE subr_ge0 -ler_pdivl_mulr // /t /k.
  by case: arg_minP => // j _; apply.
have vP : v *m P = v by rewrite mulmxBl -scalemxAl dP eP.
have vk : v 0 k = 0 by rewrite !mxE /t /ratio divfK ?subrr // gt_eqF.
have v_eq0 : v = 0.
  apply/eqP/negPn/negP => /(nonneg_sum_gt0 v0)[i vi].
  by have := mass_follows_edges v0 vP (irr i k) vi; rewrite vk ltxx.
have dte : d = t *: e by apply/eqP; rewrite -subr_eq0 -/v v_eq0.
suff t1 : t = 1 by rewrite dte t1 scale1r.
have := d1; rewrite dte; under eq_bigr => i _ do rewrite mxE.
by rewrite -mulr_sumr e1 mulr1.
Qed.
End Chain.

(* (I − P)𝟏 = 0, so some v ≠ 0 has vP = v; then |v| ≤ |v|P entrywise with equal sums, so |v| is invariant too. *)
Theorem law_exists (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) : stochastic P -> exists d, law P d.
Proof.
move=> Pst; have [P_ge0 P_row] := Pst.
have [v v0 vP] : exists2 v : 'rV[R]_n.+1, v != 0 & v *m P = v.
  have /det0P[v v0 vE] : \det (1%:M - P) == 0.
    apply/eqP; rewrite -det_tr; apply/eqP/det0P; exists (@ones R n.+1)^T.
      by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
    by rewrite -trmx_mul mulmxBl mul1mx stochastic_ones // subrr trmx0.
  exists v => //; apply/eqP; rewrite eq_sym -subr_eq0; apply/eqP.
  by rewrite -[X in X - _]mulmx1 -mulmxBr.
pose a : 'rV[R]_n.+1 := map_mx Num.norm v.
have a0 i : 0 <= a 0 i by rewrite mxE normr_ge0.
have aP_ge j : 0 <= (a *m P) 0 j - a 0 j.
  have -> : a 0 j = `|(v *m P) 0 j| by rewrite vP mxE.
  rewrite subr_ge0 !mxE; apply: le_trans (ler_norm_sum _ _ _) _.
  by apply: ler_sum => i _; rewrite normrM !mxE (ger0_norm (P_ge0 _ _)).
have aP_sum : \sum_j ((a *m P) 0 j - a 0 j) = 0.
  by rewrite sumrB -!row_ones -mulmxA stochastic_ones // subrr.
have aP : a *m P = a.
  apply/matrixP => i j; rewrite (ord1 i); apply/eqP; rewrite -subr_eq0; apply/eqP.
  by move/psumr_eq0P: aP_sum; apply.
have [k ak] : exists k, 0 < a 0 k.
  apply: nonneg_sum_gt0 => //; apply: contra v0 => /eqP/matrixP E.
  by apply/eqP/matrixP => i j; move/eqP: (E i j); rewrite !mxE normr_eq0 => /eqP.
have S0 : 0 < \sum_i a 0 i.
  by rewrite (bigD1 k) //=; apply: ltr_paddr => //; apply: sumr_ge0.
exists ((\sum_i a 0 i)^-1 *: a); split=> [i||].
- by rewrite mxE mulr_ge0 // invr_ge0 ltW.
- under eq_bigr => i _ do rewrite mxE.
  by rewrite -mulr_sumr mulVf // gt_eqF.
by rewrite -scalemxAl aP.
Qed.

(* The three together: an irreducible chain has exactly one stationary law, and it is positive. *)
Theorem irreducible_law (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) :
  stochastic P -> irreducible P ->
  exists d, [/\ law P d, forall i, 0 < d 0 i & forall e, law P e -> e = d].
Proof.
move=> Pst irr; have [d dlaw] := law_exists Pst; exists d; split=> //.
  exact: (irreducible_law_positive Pst).
by move=> e elaw; exact: (irreducible_law_unique Pst).
Qed.
