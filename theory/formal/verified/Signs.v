(* A checker of certificates about forms and mean dynamics of one recurrent class, on top of Means.v: definite matrices,
   Hurwitz matrices; and what its tests mean. accepted_signs.v states, kind by kind, what it accepts.

       −DK                                       K = S(N − diag q), on the states of the class where K does not lead out of it
       [[−ηC, ηA], [−Aᵀ, 0]]                     GTD, of (w, θ)
       −AᵀC⁻¹A                                   TDC on its slow time scale
       [[A, −(Aᵀ + C)], [ηA, −ηC]]               TDC, of (θ, w)
   Hints are not trusted: C⁻¹. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Schedule Forms Chain KeyMatrices Policies Rationals Matrices Checker Kinds Means.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let m := columns M.

(* −DK and the like, on the states of the class: rows and columns in increasing order. *)
Definition listed (s : seq bool) : seq nat := [seq i <- iota 0 n | marked s i].
Definition part (rows : seq nat) (X : mat) : mat := [seq [seq entry X i j | j <- rows] | i <- rows].
Definition of_K (b : basis) : mat := let N := kernel M b in summed M b N n (moved M b N n (identity n)).
Definition inside (s : seq bool) (K : mat) : bool :=
  each n (fun i => if marked s i then each n (fun j => if marked s j then true else qnull (entry K i j)) else true).
Definition minus_D (d : vec) (K : mat) : mat := table n n (fun i j => qopp (qmul (at_ d i) (entry K i j))).

Record factor := Factor { factor_scale : vec; factor_unit : Q; factor_rows : mat }.
Definition positive_definite k (S : mat) (f : factor) : bool := factored k S (factor_scale f) (factor_unit f) (factor_rows f).
(* c(X + Xᵀ) *)
Definition both k (c : Q) (X : mat) : mat := table k k (fun i j => qmul c (qadd (entry X i j) (entry X j i))).
Definition half (positive : bool) : Q := Qmake (if positive then Zpos xH else Zneg xH) 2.
Definition form_at k (X : mat) (x : vec) : Q :=
  total [seq qmul (at_ x i) (total [seq qmul (entry X i j) (at_ x j) | j <- iota 0 k]) | i <- iota 0 k].

Inductive formed := FormA | FormC | FormD.
Definition form_size (b : basis) (f : formed) : nat :=
  match f with FormD => size (listed (members (about_class b))) | _ => m end.
(* K is computed once. *)
Definition form_K (b : basis) (f : formed) : mat := match f with FormD => of_K b | _ => [::] end.
Definition form_matrix (b : basis) (f : formed) (K : mat) : mat :=
  match f with
  | FormA => of_A M b
  | FormC => of_C M b
  | FormD => part (listed (members (about_class b))) (minus_D (law_given b) K)
  end.
Definition form_stays (b : basis) (f : formed) (K : mat) : bool :=
  match f with FormD => inside (members (about_class b)) K | _ => true end.

Definition definite_with (b : basis) (f : formed) (K : mat) (positive : bool) (y : factor) : bool :=
  let k := form_size b f in
  [&& based M b, form_stays b f K & positive_definite k (both k (half positive) (form_matrix b f K)) y].
Definition check_definite (b : basis) (f : formed) (positive : bool) (y : factor) : bool :=
  definite_with b f (form_K b f) positive y.
Definition wrong_sign (positive : bool) (a : Q) : bool := if positive then ~~ qpos a else ~~ qpos (qopp a).
Definition not_definite_with (b : basis) (f : formed) (K : mat) (positive : bool) (x : vec) : bool :=
  let k := form_size b f in
  [&& based M b, form_stays b f K, nonzero k x & wrong_sign positive (form_at k (form_matrix b f K) x)].
Definition check_not_definite (b : basis) (f : formed) (positive : bool) (x : vec) : bool :=
  not_definite_with b f (form_K b f) positive x.
Definition check_C_by_rank (b : basis) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) : bool :=
  based M b && check_full_rank M (Some (about_class b)) rows q inverse.
Definition check_A_by_rank (b : basis) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) (y : factor) : bool :=
  check_full_rank M (Some (about_class b)) rows q inverse && check_definite b FormD true y.
Definition check_gradient_stable (b : basis) (rows : seq nat) (p : Z) (inverse : seq (seq Z))
    (q : Z) (find : seq (seq Z) -> seq (seq Z)) : bool :=
  check_full_rank M (Some (about_class b)) rows p inverse && check_nonsingular M b q find.

(* The mean matrices of A, of GTD, of TDC on its slow time scale with C⁻¹, and of TDC on both. *)
Inductive dynamics := TD | GTD of Q | TDC of mat | TDCJoint of Q.
Definition dynamics_size (f : dynamics) : nat := match f with GTD _ | TDCJoint _ => (m + m)%N | _ => m end.
Definition blocks (W X Y Z : mat) : mat := table (m + m) (m + m) (fun i j =>
  if (i < m)%N then if (j < m)%N then entry W i j else entry X i (j - m)
  else if (j < m)%N then entry Y (i - m) j else entry Z (i - m) (j - m)).
Definition dynamics_matrix (b : basis) (f : dynamics) : mat :=
  let A := of_A M b in let C := of_C M b in let AT := transpose m m A in
  match f with
  | TD => A
  | GTD eta => blocks (scale m m (qopp eta) C) (scale m m eta A) (scale m m (qopp qone) AT) [::]
  | TDC inverse => scale m m (qopp qone) (times m m m AT (times m m m inverse A))
  | TDCJoint eta => blocks A (scale m m (qopp qone) (plus m m AT C)) (scale m m eta A) (scale m m (qopp eta) C)
  end.
Definition dynamics_given (b : basis) (f : dynamics) : bool :=
  match f with
  | TD => true
  | GTD eta | TDCJoint eta => qpos eta
  | TDC inverse => equal m m (times m m m (of_C M b) inverse) (identity m)
  end.

Definition check_GTD_not_definite (b : basis) (eta : Q) (positive : bool) (x : vec) : bool :=
  [&& based M b, dynamics_given b (GTD eta), nonzero (m + m) x &
      wrong_sign positive (form_at (m + m) (dynamics_matrix b (GTD eta)) x)].

(* X(B − shift·I) *)
Definition shifted k (B X : mat) (s : Q) : mat := times k k k X (plus k k B (scale k k (qopp s) (identity k))).
Definition check_hurwitz (b : basis) (f : dynamics) (s : Q) (X : mat) (y z : factor) : bool :=
  let k := dynamics_size f in
  [&& based M b, dynamics_given b f, equal k k X (transpose k k X), positive_definite k X y &
      positive_definite k (both k (qopp qone) (shifted k (dynamics_matrix b f) X s)) z].
Definition check_unstable (b : basis) (f : dynamics) (s : Q) (X : mat) (x : vec) (y : factor) : bool :=
  let k := dynamics_size f in
  [&& based M b, dynamics_given b f, ~~ qpos (qopp s), equal k k X (transpose k k X), qpos (form_at k X x) &
      positive_definite k (both k qone (shifted k (dynamics_matrix b f) X s)) y].
End Compute.

(* ---- What it means ---- *)

Section Meaning.
Variables (R : realFieldType) (M : model) (b : basis).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation on_class := (on_class M b).
Local Notation d_of := (d_of R M b).
Local Notation K_of := (K_of R M b).
Local Notation A_of := (A_of R M b).
Local Notation C_of := (C_of R M b).

(* K does not lead out of the class. *)
Definition stays_inside : Prop := forall i j, i \in on_class -> j \notin on_class -> K_of i j = 0.
Definition signed (positive : bool) (x : R) : Prop := if positive then 0 < x else x < 0.
(* The form of A, of C, or of −DK on the class, where K does not lead out of it, has one sign but at zero. *)
Definition definite_form (f : formed) (positive : bool) : Prop :=
  match f with
  | FormA => forall x : 'cV[R]_m, x != 0 -> signed positive (form A_of x)
  | FormC => forall x : 'cV[R]_m, x != 0 -> signed positive (form C_of x)
  | FormD => stays_inside /\ forall V : 'cV[R]_n.+1, (forall i, i \notin on_class -> V i 0 = 0) -> V != 0 ->
      signed positive (form (- (diag_mx d_of *m K_of)) V)
  end.

Definition not_definite_form (f : formed) (positive : bool) : Prop :=
  match f with
  | FormA => exists2 x : 'cV[R]_m, x != 0 & ~ signed positive (form A_of x)
  | FormC => exists2 x : 'cV[R]_m, x != 0 & ~ signed positive (form C_of x)
  | FormD => stays_inside /\ exists V : 'cV[R]_n.+1,
      [/\ forall i, i \notin on_class -> V i 0 = 0, V != 0 & ~ signed positive (form (- (diag_mx d_of *m K_of)) V)]
  end.

Definition mean_matrix (f : dynamics) : 'M[R]_(dynamics_size M f) :=
  match f return 'M[R]_(dynamics_size M f) with
  | TD => A_of
  | GTD eta => block_mx (- (val eta *: C_of)) (val eta *: A_of) (- A_of^T) 0
  | TDC _ => tdc_matrix A_of C_of
  | TDCJoint eta => block_mx A_of (- (A_of^T + C_of)) (val eta *: A_of) (- (val eta *: C_of))
  end.

Lemma K_ofE : based M b -> mx R n.+1 n.+1 (of_K M b) = K_of.
Proof. by case/andP=> _ sum; rewrite /of_K summedE // movedE mx_identity mulmx1. Qed.

Lemma insideP : based M b -> inside M (members (about_class b)) (of_K M b) -> stays_inside.
Proof.
move=> bas /eachP ins i j; rewrite !inE => iS jS; have := ins i; rewrite iS => /eachP/(_ j); rewrite (negbTE jS).
by rewrite (qnullP R) => /eqP; have /matrixP/(_ i j) := K_ofE bas; rewrite mxE => ->.
Qed.

Lemma minus_DE : based M b -> mx R n.+1 n.+1 (minus_D M (law_given b) (of_K M b)) = - (diag_mx d_of *m K_of).
Proof.
move=> bas; rewrite -K_ofE // mul_diag_mx /minus_D mx_table; apply/matrixP => i j.
by rewrite !mxE qvalN qvalM.
Qed.

(* A sum over the states, in which the others are zero, is one over those listed. *)
Lemma sum_listed (s : seq bool) (F : nat -> R) (rows := listed M s) : (forall i, ~~ marked s i -> F i = 0) ->
  \sum_(i < n.+1) F i = \sum_(a < size rows) F (nth 0%N rows a).
Proof.
move=> off; rewrite -(big_mkord xpredT (fun a => F (nth 0%N rows a))) -(big_nth 0%N xpredT F) /rows /listed big_filter.
rewrite -(big_mkord xpredT F) /index_iota subn0 [RHS]big_mkcond; apply: eq_bigr => i _.
by case: ifP => // /negbT/off.
Qed.

(* The form of a matrix at a vector that is zero outside the class is that of its part. *)
Lemma form_part (s : seq bool) X (V : 'cV[R]_n.+1) (rows := listed M s) (k := size rows)
    (y : 'cV[R]_k := \col_a V (inord (nth 0%N rows a)) 0) : (forall i, i \notin set_of M s -> V i 0 = 0) ->
  form (mx R n.+1 n.+1 X) V = form (mx R k k (part rows X)) y /\ (V != 0 -> y != 0).
Proof.
move=> off; pose W i := V (inord i : 'I_n.+1) 0.
have W0 i : (i < n.+1)%N -> ~~ marked s i -> W i = 0 by move=> lin out; rewrite /W off // inE inordK.
have sum (F : nat -> R) : \sum_(i < n.+1) W i * F i = \sum_(a < k) W (nth 0%N rows a) * F (nth 0%N rows a).
  pose G i := if (i < n.+1)%N then W i * F i else 0.
  transitivity (\sum_(i < n.+1) G i); first by apply: eq_bigr => i _; rewrite /G ltn_ord.
  rewrite (@sum_listed s G) => [|i out]; last by rewrite /G; case: ifP => // lin; rewrite W0 ?mul0r.
  apply: eq_bigr => a _; rewrite /G; have : nth 0%N rows a \in rows by rewrite mem_nth.
  by rewrite mem_filter mem_iota add0n => /andP[_ /= ->].
have V_W (i : 'I_n.+1) : V i 0 = W i by rewrite /W inord_val.
have formE : form (mx R n.+1 n.+1 X) V = \sum_(i < n.+1) W i * \sum_(j < n.+1) W j * val (entry X i j).
  rewrite /form -mulmxA mxE; apply: eq_bigr => i _; rewrite !mxE V_W; congr (_ * _).
  by apply: eq_bigr => j _; rewrite mxE V_W mulrC.
split.
  rewrite formE (sum (fun i => \sum_(j < n.+1) W j * val (entry X i j))) /form -mulmxA mxE; apply: eq_bigr => a _.
  rewrite !mxE; congr (_ * _); rewrite (sum (fun j => val (entry X (nth 0%N rows a) j))); apply: eq_bigr => c _.
  rewrite !mxE mulrC; congr (val _ * _).
  by rewrite /part {2}/entry /at_ (nth_map 0%N) // (nth_map 0%N).
apply: contra => /eqP y0; apply/eqP/matrixP => i j; rewrite (ord1 j) [RHS]mxE.
have [i_in|/off //] := boolP (i \in set_of M s); rewrite inE in i_in.
have i_row : nat_of_ord i \in rows by rewrite mem_filter i_in mem_iota add0n ltn_ord.
have ik : (index (nat_of_ord i) rows < k)%N by rewrite index_mem.
by have /matrixP/(_ (Ordinal ik) 0) := y0; rewrite !mxE /= nth_index // inord_val.
Qed.

Lemma bothE k c X : mx R k k (both k c X) = val c *: (mx R k k X + (mx R k k X)^T).
Proof. by rewrite /both mx_table; apply/matrixP => i j; rewrite !mxE qvalM qvalD. Qed.
Lemma form_both k c X x : form (mx R k k (both k c X)) x = val c * (form (mx R k k X) x *+ 2).
Proof. by rewrite bothE formZ formD formT mulr2n. Qed.

Lemma half_signed k positive X y (x : 'cV[R]_k) : positive_definite k (both k (half positive) X) y -> x != 0 ->
  signed positive (form (mx R k k X) x).
Proof.
move/(@factored_posdef R) => pos x0; have := pos x x0; rewrite form_both.
have two : 0 < zval R (Zpos 2) := zval_pos R 2.
have -> : val (half positive) = (if positive then 1 else -1) / zval R (Zpos 2) by rewrite /qval; case: (positive).
rewrite /signed; case: (positive).
  by rewrite pmulr_rgt0 ?divr_gt0 ?ltr01 // pmulrn_lgt0.
by rewrite !mulNr mul1r oppr_gt0 pmulr_rlt0 ?invr_gt0 // pmulrn_llt0.
Qed.

Lemma definiteP f positive y : check_definite M b f positive y -> definite_form f positive.
Proof.
case/and3P=> bas stays pos; case: f stays pos => /= [_|_|stays] pos.
- by move=> x; rewrite -A_ofE //; apply: half_signed pos.
- by move=> x; rewrite -C_ofE; apply: half_signed pos.
split=> [|V off V0]; first exact: insideP.
rewrite -minus_DE //; have [-> /(_ V0) y0] := form_part (minus_D M (law_given b) (of_K M b)) off.
exact: half_signed pos y0.
Qed.

Lemma form_atE k X x : val (form_at k X x) = form (mx R k k X) (colv R k x).
Proof.
rewrite /form_at total_map /form -mulmxA mxE; apply: eq_bigr => i _; rewrite qvalM total_map !mxE; congr (_ * _).
by apply: eq_bigr => j _; rewrite qvalM !mxE.
Qed.
Lemma wrong_signP positive a : wrong_sign positive a -> ~ signed positive (val a).
Proof. by rewrite /wrong_sign /signed; case: (positive); rewrite (qpos_val R) ?qvalN ?oppr_gt0 => /negP. Qed.

(* A vector of the class, with zeros elsewhere *)
Definition widened (s : seq bool) (x : vec) : 'cV[R]_n.+1 :=
  \col_i (if marked s i then val (at_ x (index (nat_of_ord i) (listed M s))) else 0).
Lemma form_widened s X x (rows := listed M s) (k := size rows) : nonzero k x ->
  form (mx R n.+1 n.+1 X) (widened s x) = val (form_at k (part rows X) x) /\ widened s x != 0.
Proof.
move=> /(nonzeroP R) x0; have off i : i \notin set_of M s -> widened s x i 0 = 0 by rewrite inE mxE => /negbTE ->.
have [E _] := form_part X off; rewrite {}E -/rows -/k form_atE; set y := \col_a _.
have yE : y = colv R k x.
  apply/matrixP => a j; rewrite !mxE; have a_in : nth 0%N rows a \in rows by rewrite mem_nth.
  have := a_in; rewrite mem_filter mem_iota add0n => /andP[marked_a a_lt]; rewrite inordK // marked_a.
  by rewrite index_uniq // filter_uniq // iota_uniq.
rewrite -yE; split=> //; apply: contra x0 => /eqP V0; rewrite -yE; apply/eqP/matrixP => a j.
by rewrite mxE V0 !mxE.
Qed.

Lemma not_definiteP f positive x : check_not_definite M b f positive x -> not_definite_form f positive.
Proof.
case/and4P=> bas stays x0 /wrong_signP wrong; case: f stays x0 wrong => /= [_ x0|_ x0|stays x0] wrong.
- by exists (colv R m x); [exact: nonzeroP | rewrite -A_ofE // -form_atE].
- by exists (colv R m x); [exact: nonzeroP | rewrite -C_ofE -form_atE].
split; first exact: insideP.
have [E V0] := form_widened (minus_D M (law_given b) (of_K M b)) x0.
exists (widened (members (about_class b)) x); split=> // [i|]; first by rewrite inE mxE => /negbTE ->.
by rewrite -minus_DE // E.
Qed.

Lemma blocksE W X Y Z : mx R (m + m) (m + m) (blocks M W X Y Z) = block_mx (mx R m m W) (mx R m m X) (mx R m m Y) (mx R m m Z).
Proof.
rewrite /blocks mx_table; apply/matrixP => i j; rewrite !mxE.
case: splitP => k E; rewrite mxE E; case: splitP => l F; rewrite !mxE F ?ltn_ord ?ltnNge ?leq_addr /= ?addKn //.
Qed.

Lemma mx_nil k : mx R k k [::] = 0.
Proof. by apply/matrixP => i j; rewrite !mxE /entry /at_ !nth_nil qval0. Qed.

Lemma dynamicsE f : based M b -> dynamics_given M b f ->
  mx R (dynamics_size M f) (dynamics_size M f) (dynamics_matrix M b f) = mean_matrix f.
Proof.
move=> bas; case: f => [|eta|inverse|eta] /= given; first exact: A_ofE.
- by rewrite blocksE !mx_scale mx_transpose mx_nil A_ofE // C_ofE !qvalN qval1 scaleN1r scaleNr.
- move/(equalP R): given; rewrite mx_times C_ofE mx_identity => inv; have [u _] := mulmx1_unit inv.
  rewrite mx_scale mx_times mx_transpose A_ofE // mx_times A_ofE // qvalN qval1 scaleN1r /tdc_matrix mulmxA.
  by have -> : invmx C_of = mx R m m inverse by rewrite -[LHS]mulmx1 -inv mulKmx.
by rewrite blocksE !mx_scale mx_plus mx_transpose A_ofE // C_ofE !qvalN qval1 scaleN1r scaleNr.
Qed.

Lemma shiftedE k B X s : mx R k k (shifted k B X s) = mx R k k X *m (mx R k k B - val s *: 1%:M).
Proof. by rewrite /shifted mx_times mx_plus mx_scale mx_identity qvalN scaleNr. Qed.
End Meaning.
