(* A checker of certificates about contractions on one recurrent class, on top of Means.v and Signs.v, and what its tests mean:
   M = K + 1, so K = M − I, and |MV|_D is to be at most modulus·|V|_D. accepted_signs.v states what it accepts.

   With Z = modulus²D − MᵀDM on the class: Z = CᵀZ_BB C, Z_BB > 0, for some states B; or M has no negative entry there, and Zy has
   none for some y > 0. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Forms Chain KeyMatrices Policies Rationals Matrices Checker Kinds Means Signs.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Inductive semidefinite := Squares of seq nat & mat & factor | Weights of vec.

Section Compute.
Variable M : model.
Let n := (last_state M).+1.

(* M on the class, for K there *)
Definition moves_on (rows : seq nat) (K : mat) : mat := part rows (plus n n K (identity n)).
Definition gap (rows : seq nat) (c : Q) (d : vec) (X : mat) : mat :=
  let k := size rows in let e := [seq at_ d i | i <- rows] in
  let T := times k k k (transpose k k X) (table k k (fun i j => qmul (at_ e i) (entry X i j))) in
  table k k (fun i j => qadd (if eqn i j then qmul (qmul c c) (at_ e i) else qzero) (qopp (entry T i j))).
Definition no_form_below_zero k (X Z : mat) (y : semidefinite) : bool :=
  match y with
  | Squares B C f => let l := size B in let T := part B Z in
      positive_definite l T f && equal k k Z (times k l k (transpose l k C) (times l l k T C))
  | Weights w => [&& each k (fun i => qpos (at_ w i)), each2 k k (fun i j => qnneg (entry X i j)) &
      each k (fun i => qnneg (total [seq qmul (entry Z i j) (at_ w j) | j <- iota 0 k]))]
  end.
Definition contraction_with (b : basis) (c : Q) (K : mat) (y : semidefinite) : bool :=
  let rows := listed M (members (about_class b)) in let X := moves_on rows K in
  [&& based M b, qnneg c, inside M (members (about_class b)) K &
      no_form_below_zero (size rows) X (gap rows c (law_given b) X) y].
Definition check_contraction (b : basis) (c : Q) (y : semidefinite) : bool := contraction_with b c (of_K M b) y.

Definition column (x : vec) : mat := [seq [:: a] | a <- x].
Definition longer_than (c : Q) (d x z : vec) : bool :=
  qpos (qadd (total [seq qmul (at_ d i) (qmul (at_ z i) (at_ z i)) | i <- iota 0 n])
    (qopp (qmul (qmul c c) (total [seq qmul (at_ d i) (qmul (at_ x i) (at_ x i)) | i <- iota 0 n])))).
Definition check_not_contraction (b : basis) (c : Q) (x : vec) : bool :=
  let N := kernel M b in let Kx := summed M b N 1 (moved M b N 1 (column x)) in
  based M b && longer_than c (law_given b) x [seq qadd (entry Kx i 0) (at_ x i) | i <- iota 0 n].
End Compute.

(* ---- What it means ---- *)

(* A symmetric matrix without positive entries off the diagonal that maps some y > 0 to what is nowhere negative is positive
   semidefinite: 2 x_i Z_ij x_j >= Z_ij (y_j/y_i x_i² + y_i/y_j x_j²). *)
Lemma weighted_semidefinite (R : realFieldType) k (Z : 'M[R]_k) (y : 'I_k -> R) : Z^T = Z -> (forall i j, i != j -> Z i j <= 0) ->
  (forall i, 0 < y i) -> (forall i, 0 <= \sum_j Z i j * y j) -> possemidef Z.
Proof.
move=> Z_sym off y0 Zy x.
have two : (2%:R : R) != 0 by rewrite pnatr_eq0.
have y_neq i : y i != 0 by rewrite gt_eqF.
pose below i j := Z i j * (y j / y i * x i 0 ^+ 2 + y i / y j * x j 0 ^+ 2) / 2%:R.
have formE : form Z x = \sum_i \sum_j x i 0 * Z i j * x j 0.
  rewrite /form mxE exchange_big /=; apply: eq_bigr => j _; rewrite mxE mulr_suml.
  by apply: eq_bigr => i _; rewrite !mxE.
have belowE : \sum_i \sum_j below i j = \sum_i x i 0 ^+ 2 / y i * \sum_j Z i j * y j.
  pose half i j := x i 0 ^+ 2 / y i * (Z i j * y j) / 2%:R.
  transitivity (\sum_i \sum_j (half i j + half j i)).
    apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /below /half.
    have -> : Z j i = Z i j by rewrite -{1}Z_sym mxE.
    by move: (y_neq i) (y_neq j); move: (y i) (y j) (x i 0) (x j 0) (Z i j) => a b u v z a0 b0; field; rewrite a0 b0.
  under eq_bigr => i _ do rewrite big_split /=.
  rewrite big_split /= [X in _ + X]exchange_big /= -big_split /=; apply: eq_bigr => i _.
  rewrite -big_split /= mulr_sumr; apply: eq_bigr => j _.
  by rewrite /half -mulr2n -mulr_natr mulfVK.
rewrite formE; apply: (@le_trans _ _ (\sum_i \sum_j below i j)).
  by rewrite belowE; apply: sumr_ge0 => i _; rewrite mulr_ge0 // divr_ge0 ?sqr_ge0 // ltW.
apply: ler_sum => i _; apply: ler_sum => j _; rewrite /below.
have [->|ij] := eqVneq i j.
  rewrite divff // !mul1r le_eqVlt; apply/orP; left; apply/eqP; move: (Z j j) (x j 0) => z u; by field.
have z0 : 0 <= - Z i j by rewrite oppr_ge0 off.
move: (y0 i) (y0 j); rewrite -subr_ge0; move: (y i) (y j) (x i 0) (x j 0) (Z i j) z0 => a b u v z z0 a0 b0.
have -> : u * z * v - z * (b / a * u ^+ 2 + a / b * v ^+ 2) / 2%:R = - z * (b * u - a * v) ^+ 2 / (2%:R * (a * b)).
  by field; rewrite !gt_eqF // two.
apply: divr_ge0; first by rewrite mulr_ge0 ?sqr_ge0.
by rewrite mulr_ge0 ?ler0n // ltW // mulr_gt0.
Qed.

Section Meaning.
Variables (R : realFieldType) (M : model) (b : basis).
Local Notation n := (last_state M).
Local Notation val := (@qval R).
Local Notation d_of := (d_of R M b).
Local Notation K_of := (K_of R M b).

(* |MV|_D <= c |V|_D for every V, in squares; M = K + 1 *)
Definition contracts (c : R) : Prop := forall V : 'cV[R]_n.+1, sqnormD d_of (K_of *m V + V) <= c ^+ 2 * sqnormD d_of V.

Section Class.
Variable X : mat.
Let rows := listed M (members (about_class b)).
Let k := size rows.
Let e (a : 'I_k) : R := val (at_ (law_given b) (nth 0%N rows a)).

Lemma gapE c : mx R k k (gap rows c (law_given b) X) =
  \matrix_(i, j) (val c ^+ 2 * e i *+ (i == j) - \sum_a mx R k k X a i * e a * mx R k k X a j).
Proof.
rewrite /gap mx_table; apply/matrixP => i j; rewrite !mxE qvalD qvalN.
have eE (a : 'I_k) : val (at_ [seq at_ (law_given b) i | i <- rows] a) = e a by rewrite /at_ (nth_map 0%N).
congr (_ - _); first by rewrite eqnE val_eqE; case: eqP => _; rewrite ?qval0 // !qvalM eE mulr1n expr2.
rewrite entry_times //; apply: eq_bigr => a _; rewrite transposeE !entry_table // qvalM eE !mxE.
by rewrite mulrA.
Qed.

Lemma gap_sym c : (mx R k k (gap rows c (law_given b) X))^T = mx R k k (gap rows c (law_given b) X).
Proof.
rewrite gapE; apply/matrixP => i j; rewrite !mxE eq_sym; congr (_ - _).
  by case: eqP => [->|_].
by apply: eq_bigr => a _; ring.
Qed.

Lemma form_gap c (y : 'cV[R]_k) : form (mx R k k (gap rows c (law_given b) X)) y
  = val c ^+ 2 * (\sum_a e a * y a 0 ^+ 2) - \sum_a e a * ((mx R k k X *m y) a 0) ^+ 2.
Proof.
pose D := \row_a e a; have -> : mx R k k (gap rows c (law_given b) X)
  = val c ^+ 2 *: diag_mx D - (mx R k k X)^T *m diag_mx D *m mx R k k X.
  rewrite gapE; apply/matrixP => i j; rewrite !mxE; congr (_ - _); first by rewrite mulrnAr.
  apply: eq_bigr => a _; congr (_ * _); rewrite !mxE (bigD1 a) //= big1 ?addr0.
    by rewrite !mxE eqxx mulr1n.
  by move=> l la; rewrite !mxE (negbTE la) mulr0n mulr0.
have sq (z : 'cV[R]_k) : form (diag_mx D) z = \sum_a e a * z a 0 ^+ 2.
  by rewrite -/(sqnormD D z) sqnormDE; apply: eq_bigr => a _; rewrite mxE.
by rewrite formB formZ form_congruence !sq.
Qed.

Lemma no_form_below_zeroP c y : (forall a, 0 <= e a) ->
  no_form_below_zero k X (gap rows c (law_given b) X) y -> possemidef (mx R k k (gap rows c (law_given b) X)).
Proof.
move=> e0; case: y => [B C f /andP[/(@factored_posdef R) S_pos /(equalP R) ->] x|w].
  rewrite !mx_times mx_transpose mulmxA form_congruence.
  by have [->|/S_pos/ltW//] := eqVneq (mx R (size B) k C *m x) 0; rewrite form0.
case/and3P=> /eachP w0 /each2P X0 /eachP Zw.
have X_ge0 (i j : 'I_k) : 0 <= mx R k k X i j by rewrite mxE; exact: (qnnegP R (X0 i j)).
apply: (weighted_semidefinite (gap_sym c) (y := fun i => val (at_ w i))) => [i j ij|i|i].
- rewrite gapE mxE (negbTE ij) mulr0n sub0r oppr_le0; apply: sumr_ge0 => a _.
  by rewrite mulr_ge0 // mulr_ge0.
- exact: (qposP R (w0 i)).
have := qnnegP R (Zw i); rewrite total_map; congr (0 <= _); apply: eq_bigr => j _; by rewrite qvalM mxE.
Qed.
End Class.

Lemma contractionP c y : check_contraction M b c y -> well_based R M b -> 0 <= val c /\ contracts (val c).
Proof.
case/and4P=> bas c0 ins semi [_ [d0 _ _] support _]; split=> [|V]; first exact: (qnnegP R c0).
set s := members (about_class b) in ins semi *; set rows := listed M s in semi *; pose k := size rows.
have stays := insideP R bas ins; pose W := K_of *m V + V.
have off i : i \notin set_of M s -> d_of 0 i = 0.
  by move=> out; apply/eqP; rewrite eq_le d0 leNgt support out.
have row_in (a : 'I_k) : [/\ (nth 0%N rows a < n.+1)%N & marked s (nth 0%N rows a)].
  have : nth 0%N rows a \in rows by rewrite mem_nth.
  by rewrite mem_filter mem_iota add0n => /andP[].
pose e (a : 'I_k) : R := val (at_ (law_given b) (nth 0%N rows a)).
have on_rows (U : 'cV[R]_n.+1) : sqnormD d_of U = \sum_(a < k) e a * U (inord (nth 0%N rows a)) 0 ^+ 2.
  rewrite sqnormDE; pose F i := if (i < n.+1)%N then d_of 0 (inord i) * U (inord i) 0 ^+ 2 else 0.
  transitivity (\sum_(i < n.+1) F i); first by apply: eq_bigr => i _; rewrite /F ltn_ord inord_val.
  rewrite (@sum_listed R M s F) => [|i out]; last first.
    by rewrite /F; case: ifP => // lin; rewrite off ?mul0r // inE inordK.
  by apply: eq_bigr => a _; have [lin _] := row_in a; rewrite /F lin mxE inordK.
pose z : 'cV[R]_k := \col_a V (inord (nth 0%N rows a)) 0; pose X := moves_on M rows (of_K M b).
have WE (a : 'I_k) : W (inord (nth 0%N rows a)) 0 = (mx R k k X *m z) a 0.
  have [lin a_in] := row_in a; set i := inord (nth 0%N rows a) : 'I_n.+1.
  have ia : nat_of_ord i = nth 0%N rows a by rewrite inordK.
  have -> : W = (K_of + 1%:M) *m V by rewrite mulmxDl mul1mx.
  rewrite mxE; pose F j := if (j < n.+1)%N then (K_of + 1%:M) i (inord j) * V (inord j) 0 else 0.
  transitivity (\sum_(j < n.+1) F j); first by apply: eq_bigr => j _; rewrite /F ltn_ord inord_val.
  rewrite (@sum_listed R M s F) => [|j out]; last first.
    rewrite /F; case: ifP => // lj; have j_out : inord j \notin set_of M s by rewrite inE inordK.
    have K0 : K_of i (inord j) = 0 by apply: stays => //; rewrite inE ia.
    rewrite mxE K0 add0r mxE; case: eqP => [E|_]; last by rewrite mul0r.
    by move: j_out; rewrite -E inE ia a_in.
  rewrite [RHS]mxE; apply: eq_bigr => c' _; have [lc _] := row_in c'; rewrite /F lc [in RHS]mxE [z c' 0]mxE.
  congr (_ * _); rewrite /X /moves_on /part {1}/entry /at_ (nth_map 0%N) // (nth_map 0%N) //.
  have := mx_plus R n.+1 n.+1 (of_K M b) (identity n.+1); rewrite K_ofE // mx_identity => /matrixP/(_ i (inord (nth 0%N rows c'))).
  by rewrite mxE ia inordK // => ->.
have e0 (a : 'I_k) : 0 <= e a.
  by have [lin _] := row_in a; have := d0 (inord (nth 0%N rows a)); rewrite mxE inordK.
have := no_form_below_zeroP e0 semi z; rewrite form_gap subr_ge0 => le.
rewrite -/W !on_rows; apply: le_trans (le_trans _ le) _; rewrite le_eqVlt; apply/orP; left; apply/eqP.
  by apply: eq_bigr => a _; rewrite WE.
by congr (_ * _); apply: eq_bigr => a _; rewrite mxE.
Qed.

Lemma not_contractionP c x (V := colv R n.+1 x) : check_not_contraction M b c x ->
  val c ^+ 2 * sqnormD d_of V < sqnormD d_of (K_of *m V + V).
Proof.
case/andP=> bas; case/andP: (bas) => _ sum /(qposP R); rewrite qvalD qvalN !qvalM subr_gt0 !total_map -expr2.
have colE : mx R n.+1 1 (column x) = V.
  apply/matrixP => i j; rewrite (ord1 j) !mxE /column /entry.
  have [lt|le] := ltnP (nat_of_ord i) (size x); first by rewrite (nth_map qzero).
  by rewrite [nth [::] _ _]nth_default ?size_map // /at_ nth_nil [nth _ x _]nth_default.
rewrite !sqnormDE; congr (_ * _ < _); apply: eq_bigr => i _; rewrite !qvalM mxE [in RHS]mxE -expr2 //; congr (_ * _ ^+ 2).
rewrite /at_ (nth_map 0%N) ?size_iota // nth_iota // add0n qvalD [V i 0]mxE; congr (_ + _).
by rewrite -colE /Means.K_of -mulmxA -movedE -summedE // mxE.
Qed.
End Meaning.
