(* Matrices of the checker: lists of rows, read with a default of zero, so that no shape has to be checked. What they
   mean is a matrix over an ordered field; each operation is proved to mean the operation. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Forms Rationals.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition vec := seq Q.
Definition mat := seq (seq Q).
Definition at_ (v : vec) i : Q := nth qzero v i.
Definition entry (X : mat) i j : Q := at_ (nth [::] X i) j.
Definition table (T : Type) n m (f : nat -> nat -> T) : seq (seq T) := [seq [seq f i j | j <- iota 0 m] | i <- iota 0 n].
Definition total (v : vec) : Q := foldr qadd qzero v.
Fixpoint product (u v : vec) : Q :=
  match u, v with x :: u', y :: v' => qadd (qmul x y) (product u' v') | _, _ => qzero end.
Definition times n k m (X Y : mat) : mat :=
  let columns := table m k (fun j i => entry Y i j) in
  [seq [seq product r c | c <- columns] | r <- table n k (entry X)].
Definition plus n m (X Y : mat) : mat := table n m (fun i j => qadd (entry X i j) (entry Y i j)).
Definition scale n m (a : Q) (X : mat) : mat := table n m (fun i j => qmul a (entry X i j)).
Definition transpose n m (X : mat) : mat := table m n (fun i j => entry X j i).
Definition identity n : mat := table n n (fun i j => if eqn i j then qone else qzero).
Definition qabs (a : Q) : Q := if qnneg a then a else qopp a.
Definition qequal (a b : Q) : bool := qnull (qadd a (qopp b)).
Definition each n (f : nat -> bool) : bool := all f (iota 0 n).
Definition each2 n m (f : nat -> nat -> bool) : bool := each n (fun i => each m (f i)).
Definition equal n m (X Y : mat) : bool := each2 n m (fun i j => qequal (entry X i j) (entry Y i j)).

(* S is positive definite: TST − RRᵀ has a dominant diagonal, T = diag(scale), R = h·rows. *)
Definition residual n (S : mat) (sc : vec) (h : Q) (rows : mat) : mat :=
  let R := scale n n h rows in
  let RR := times n n n R (transpose n n R) in
  table n n (fun i j => qadd (qmul (qmul (at_ sc i) (at_ sc j)) (entry S i j)) (qopp (entry RR i j))).
Definition dominant n (E : mat) : bool :=
  equal n n E (transpose n n E) &&
  each n (fun i => qpos (qadd (qadd (entry E i i) (entry E i i)) (qopp (total [seq qabs (entry E i j) | j <- iota 0 n])))).
Definition factored n (S : mat) (sc : vec) (h : Q) (rows : mat) : bool :=
  each n (fun i => qpos (at_ sc i)) && dominant n (residual n S sc h rows).

Lemma nth_table T (x : T) n m f i j : (i < n)%N -> (j < m)%N -> nth x (nth [::] (table n m f) i) j = f i j.
Proof. by move=> lin ljm; rewrite (nth_map 0%N) ?size_iota // (nth_map 0%N) ?size_iota // !nth_iota. Qed.
Lemma entry_table n m f i j : (i < n)%N -> (j < m)%N -> entry (table n m f) i j = f i j.
Proof. exact: nth_table. Qed.

Lemma eachP n (f : nat -> bool) : reflect (forall i : 'I_n, f i) (each n f).
Proof.
apply: (iffP allP) => [H i|H i]; first by apply: H; rewrite mem_iota add0n ltn_ord.
by rewrite mem_iota add0n => /andP[_ lin]; apply: (H (Ordinal lin)).
Qed.
Lemma each2P n m (f : nat -> nat -> bool) : reflect (forall (i : 'I_n) (j : 'I_m), f i j) (each2 n m f).
Proof. by apply: (iffP (eachP _ _)) => H i; apply/eachP; apply: H. Qed.

Section Meaning.
Variable R : realFieldType.
Local Notation val := (@qval R).
Definition mx n m (X : mat) : 'M[R]_(n, m) := \matrix_(i, j) val (entry X i j).
Definition rowv n (v : vec) : 'rV[R]_n := \row_i val (at_ v i).
Definition colv n (v : vec) : 'cV[R]_n := \col_i val (at_ v i).

Lemma mx_table n m f : mx n m (table n m f) = \matrix_(i, j) val (f i j).
Proof. by apply/matrixP => i j; rewrite !mxE entry_table. Qed.

Lemma total_map n (f : nat -> Q) : val (total [seq f j | j <- iota 0 n]) = \sum_(j < n) val (f j).
Proof.
rewrite -(big_mkord xpredT (fun j => val (f j))) /index_iota subn0 /total.
by elim: (iota 0 n) => [|i l IH]; rewrite ?big_nil ?qval0 //= big_cons qvalD IH.
Qed.

Lemma product_map (u v : nat -> Q) l :
  val (product [seq u k | k <- l] [seq v k | k <- l]) = \sum_(k <- l) val (u k) * val (v k).
Proof. by elim: l => [|i l IH]; rewrite ?big_nil ?qval0 //= big_cons qvalD qvalM IH. Qed.

Lemma entry_times n k m X Y i j : (i < n)%N -> (j < m)%N ->
  val (entry (times n k m X Y) i j) = \sum_(l < k) val (entry X i l) * val (entry Y l j).
Proof.
move=> lin ljm; rewrite /entry /times /at_ (nth_map [::]) ?size_map ?size_iota //.
rewrite (nth_map [::]) ?size_map ?size_iota // !(nth_map 0%N) ?size_iota // !nth_iota // !add0n.
by rewrite (product_map (fun l => entry X i l) (fun l => entry Y l j)) -[X in iota 0 X]subn0 big_mkord.
Qed.

Lemma mx_times n k m X Y : mx n m (times n k m X Y) = mx n k X *m mx k m Y.
Proof. by apply/matrixP => i j; rewrite !mxE entry_times //; apply: eq_bigr => l _; rewrite !mxE. Qed.
Lemma mx_plus n m X Y : mx n m (plus n m X Y) = mx n m X + mx n m Y.
Proof. by apply/matrixP => i j; rewrite !mxE entry_table // qvalD. Qed.
Lemma mx_scale n m a X : mx n m (scale n m a X) = val a *: mx n m X.
Proof. by apply/matrixP => i j; rewrite !mxE entry_table // qvalM. Qed.
Lemma mx_transpose n m X : mx m n (transpose n m X) = (mx n m X)^T.
Proof. by apply/matrixP => i j; rewrite !mxE entry_table. Qed.
Lemma mx_identity n : mx n n (identity n) = 1%:M.
Proof.
apply/matrixP => i j; rewrite !mxE entry_table // eqnE -val_eqE /=; case: eqP => _; first exact: qval1.
exact: qval0.
Qed.

Lemma qvalabs a : val (qabs a) = `|val a|.
Proof.
rewrite /qabs; case: ifP => [/(qnnegP R) a0|]; first by rewrite ger0_norm.
case: a => -[|x|x] p //= _; rewrite qvalN ler0_norm // -oppr_ge0 -qvalN; apply: ltW.
exact: (@qposP R (Qmake (Zpos x) p)).
Qed.
Lemma qequalP a b : qequal a b -> val a = val b.
Proof. by rewrite /qequal (qnullP R) qvalD qvalN subr_eq0 => /eqP. Qed.
Lemma equalP n m X Y : equal n m X Y -> mx n m X = mx n m Y.
Proof. by move/each2P => H; apply/matrixP => i j; rewrite !mxE; apply: qequalP. Qed.

(* A symmetric matrix whose diagonal dominates is positive definite. *)
Lemma dominant_posdef n (E : 'M[R]_n) : E^T = E -> (forall i, \sum_j `|E i j| < E i i + E i i) -> posdef E.
Proof.
move=> Esym dom x x0.
have formE : form E x = \sum_i \sum_j x i 0 * E i j * x j 0.
  rewrite /form mxE exchange_big /=; apply: eq_bigr => j _; rewrite mxE mulr_suml.
  by apply: eq_bigr => i _; rewrite !mxE.
have [k xk] : exists k, x k 0 != 0.
  apply/existsP; apply: contraR x0 => /existsPn all0; apply/eqP/matrixP => i j.
  by rewrite (ord1 j) mxE; apply/eqP; have := all0 i; rewrite negbK.
have h2 : (2%:R : R) != 0 by rewrite pnatr_eq0.
pose low i := x i 0 ^+ 2 * (E i i + E i i - \sum_j `|E i j|).
have low0 i : 0 <= low i by rewrite mulr_ge0 ?sqr_ge0 // subr_ge0 ltW.
have pos : 0 < \sum_i low i.
  rewrite (bigD1 k) //=; apply: ltr_paddr; first by apply: sumr_ge0.
  by rewrite mulr_gt0 ?subr_gt0 // lt_neqAle eq_sym sqrf_eq0 xk sqr_ge0.
apply: lt_le_trans pos _.
pose cross i j := (`|E i j| * (x i 0 ^+ 2 + x j 0 ^+ 2)) / 2%:R.
have crossE : \sum_i \sum_j cross i j = \sum_i x i 0 ^+ 2 * \sum_j `|E i j|.
  transitivity (\sum_i \sum_j ((`|E i j| * x i 0 ^+ 2) / 2%:R + (`|E i j| * x j 0 ^+ 2) / 2%:R)).
    by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /cross mulrDr mulrDl.
  under eq_bigr => i _ do rewrite big_split /=.
  rewrite big_split /= [X in _ + X]exchange_big /= -big_split /=; apply: eq_bigr => i _.
  rewrite -big_split /= mulr_sumr; apply: eq_bigr => j _.
  have -> : `|E j i| = `|E i j| by rewrite -{1}Esym mxE.
  by rewrite -mulrDl -mulr2n -mulr_natr mulfK // mulrC.
have lowE : \sum_i low i = \sum_i (x i 0 ^+ 2 * (E i i + E i i)) - \sum_i \sum_j cross i j.
  by rewrite crossE -sumrB; apply: eq_bigr => i _; rewrite /low mulrBr.
rewrite lowE formE.
have -> : \sum_i (x i 0 ^+ 2 * (E i i + E i i)) = \sum_i \sum_j (if j == i then x i 0 ^+ 2 * (E i i + E i i) else 0).
  by apply: eq_bigr => i _; rewrite -big_mkcond big_pred1_eq.
rewrite -sumrB; apply: ler_sum => i _; rewrite -sumrB; apply: ler_sum => j _; rewrite /cross.
have two : 2%:R != 0 :> R by rewrite pnatr_eq0.
have [->|ji] := eqVneq j i.
  have Eii : 0 <= E i i.
    rewrite leNgt; apply/negP => neg; have := dom i; rewrite ltNge => /negP; apply.
    apply: (@le_trans _ _ 0); last by apply: sumr_ge0.
    by rewrite -oppr_ge0 opprD addr_ge0 // oppr_ge0 ltW.
  rewrite ger0_norm // le_eqVlt; apply/orP; left; apply/eqP; by field.
rewrite sub0r -subr_ge0; have [e0|e0] := leP 0 (E i j).
  rewrite ger0_norm // (_ : _ - _ = E i j / 2%:R * (x i 0 + x j 0) ^+ 2); last by field.
  by rewrite mulr_ge0 ?sqr_ge0 // divr_ge0 ?ler0n.
rewrite ltr0_norm // (_ : _ - _ = - E i j / 2%:R * (x i 0 - x j 0) ^+ 2); last by field.
by rewrite mulr_ge0 ?sqr_ge0 // divr_ge0 ?ler0n // oppr_ge0 ltW.
Qed.

Lemma factored_posdef n S sc h rows : factored n S sc h rows -> posdef (mx n n S).
Proof.
case/andP=> /eachP scP /andP[/equalP Esym /eachP dom].
pose T : 'M[R]_n := diag_mx (rowv n sc); pose U := val h *: mx n n rows.
have sc0 i : 0 < val (at_ sc (i : 'I_n)) by apply/qposP/scP.
have EE : mx n n (residual n S sc h rows) = T *m mx n n S *m T - U *m U^T.
  rewrite /residual mx_table /T mul_diag_mx mul_mx_diag; apply/matrixP => i j.
  rewrite !mxE qvalD qvalN !qvalM; congr (_ - _); first by rewrite mulrAC.
  rewrite entry_times //; apply: eq_bigr => l _.
  by rewrite /transpose /scale !entry_table // !qvalM /U !mxE.
have pos : posdef (mx n n (residual n S sc h rows)).
  apply: dominant_posdef => [|i]; first by rewrite -mx_transpose -Esym.
  have := qposP R (dom i); rewrite qvalD qvalN !qvalD total_map subr_gt0 mxE => lt.
  by apply: le_lt_trans lt; apply: ler_sum => j _; rewrite mxE qvalabs.
have T_unit : T \in unitmx.
  rewrite unitmxE det_diag unitfE; apply/prodf_neq0 => i _; by rewrite !mxE gt_eqF.
move=> x x0; have y0 : invmx T *m x != 0 by apply: contra x0 => /eqP E; rewrite -[x](mulKVmx T_unit) E mulmx0.
have := pos _ y0; rewrite EE formB subr_gt0 => lt.
have TT : T^T = T by rewrite /T tr_diag_mx.
have -> : form (mx n n S) x = form (T *m mx n n S *m T) (invmx T *m x).
  by rewrite -{1}TT form_congruence mulKVmx.
apply: le_lt_trans lt; have -> : U *m U^T = (U^T)^T *m 1%:M *m U^T by rewrite mulmx1 trmxK.
by rewrite form_congruence /form mulmx1 dot_ge0.
Qed.
End Meaning.
