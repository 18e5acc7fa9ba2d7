(* Matrices of the checker: lists of rows, read with a default of zero, so that no shape has to be checked. What they
   mean is a matrix over an ordered field; each operation is proved to mean the operation. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Forms Rationals.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition vec := seq Q.
Definition mat := seq (seq Q).
Definition at_ (v : vec) i : Q := nth qzero v i.
Definition entry (X : mat) i j : Q := at_ (nth [::] X i) j.
(* Lists of a given length, whole matrices, two lists entry by entry, and columns as rows: each is one walk along lists, where
   [entry] walks to an entry. *)
Fixpoint fit (T : Type) (x : T) n (l : seq T) : seq T :=
  if n is n'.+1 then match l with [::] => x :: fit x n' [::] | y :: l' => y :: fit x n' l' end else [::].
Definition filled n m (X : mat) : mat := [seq fit qzero m r | r <- fit [::] n X].
Fixpoint zipped (T U V : Type) (f : T -> U -> V) (u : seq T) (v : seq U) : seq V :=
  match u, v with x :: u', y :: v' => f x y :: zipped f u' v' | _, _ => [::] end.
Definition turned (T : Type) m (l : seq (seq T)) : seq (seq T) := foldr (zipped cons) (nseq m [::]) l.
Definition table (T : Type) n m (f : nat -> nat -> T) : seq (seq T) := [seq [seq f i j | j <- iota 0 m] | i <- iota 0 n].
(* Integers over one denominator, so that a sum or a product of vectors asks for one greatest common divisor at its end. *)
Definition multiple (q : Q) (l : Z) : Z :=
  match Qnum q with Z0 => l | _ => let: (_, (d, _)) := Z.ggcd (Zpos (Qden q)) l in Z.mul d l end.
Definition denominator (v : vec) : Z := foldr multiple (Zpos xH) v.
Definition whole (l : Z) (q : Q) : Z := match Qnum q with Z0 => Z0 | x => Z.mul x (Z.div l (Zpos (Qden q))) end.
Definition integers (v : vec) : Z * seq Z := let l := denominator v in (l, [seq whole l q | q <- v]).
Definition over (a l : Z) : Q := match a with Z0 => qzero | _ => Qred (Qmake a (Z.to_pos l)) end.
Fixpoint product (u v : seq Z) : Z :=
  match u, v with
  | x :: u', y :: v' =>
    match x with Z0 => product u' v' | _ => match y with Z0 => product u' v' | _ => Z.add (Z.mul x y) (product u' v') end end
  | _, _ => Z0
  end.
Definition total (v : vec) : Q := let: (l, w) := integers v in over (foldr Z.add Z0 w) l.
Definition times n k m (X Y : mat) : mat :=
  let columns := [seq integers c | c <- turned m (filled k m Y)] in
  [seq let: (l, w) := integers r in [seq over (product w c.2) (Z.mul l c.1) | c <- columns] | r <- filled n k X].
Definition plus n m (X Y : mat) : mat := zipped (zipped qadd) (filled n m X) (filled n m Y).
Definition scale n m (a : Q) (X : mat) : mat := [seq [seq qmul a x | x <- r] | r <- filled n m X].
Definition transpose n m (X : mat) : mat := turned m (filled n m X).
Definition identity n : mat := table n n (fun i j => if eqn i j then qone else qzero).
Definition qabs (a : Q) : Q := if qnneg a then a else qopp a.
Definition qequal (a b : Q) : bool := Z.eqb (Z.mul (Qnum a) (Zpos (Qden b))) (Z.mul (Qnum b) (Zpos (Qden a))).
Definition each n (f : nat -> bool) : bool := all f (iota 0 n).
Definition each2 n m (f : nat -> nat -> bool) : bool := each n (fun i => each m (f i)).
Definition everywhere (f : Q -> Q -> bool) n m (X Y : mat) : bool :=
  all (all id) (zipped (zipped f) (filled n m X) (filled n m Y)).
Definition equal : nat -> nat -> mat -> mat -> bool := everywhere qequal.

(* S is positive definite: TST − RRᵀ has a dominant diagonal, T = diag(scale), R = h·rows. *)
Definition residual n (S : mat) (sc : vec) (h : Q) (rows : mat) : mat :=
  let R := scale n n h rows in
  let t := fit qzero n sc in
  let TST := zipped (fun x r => zipped (fun y s => qmul x (qmul y s)) t r) t (filled n n S) in
  zipped (zipped (fun x y => qadd x (qopp y))) TST (filled n n (times n n n R (transpose n n R))).
Definition dominates i (r : vec) : bool :=
  qpos (qadd (qadd (at_ r i) (at_ r i)) (qopp (total [seq qabs x | x <- r]))).
Definition dominant n (E : mat) : bool :=
  equal n n E (transpose n n E) && all id (zipped dominates (iota 0 n) (filled n n E)).
Definition factored n (S : mat) (sc : vec) (h : Q) (rows : mat) : bool :=
  each n (fun i => qpos (at_ sc i)) && dominant n (residual n S sc h rows).

(* Rows of X, each times its denominators, are integers; the inverse is one modulo q. *)
Definition whole_rows m (X : mat) (rows : seq nat) : seq (seq Z) :=
  [seq (integers [seq entry X i j | j <- iota 0 m]).2 | i <- rows].
Definition inverse_modulo m (q : Z) (inverse B : seq (seq Z)) : bool :=
  let columns := table m m (fun j i => nth Z0 (nth [::] B i) j) in
  each m (fun i => let r := nth [::] inverse i in let full := [seq nth Z0 r k | k <- iota 0 m] in
    each m (fun j => Z.eqb (Z.modulo (Z.sub (product full (nth [::] columns j)) (if eqn i j then Zpos xH else Z0)) q) Z0)).

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

Lemma fitE (T : Type) (x : T) n l : fit x n l = [seq nth x l i | i <- iota 0 n].
Proof.
elim: n l => [|n IH] l //=; rewrite -[1%N]addn0 iotaDl -map_comp.
by case: l => [|y l]; rewrite IH; congr (_ :: _); apply: eq_map => i //=; rewrite nth_nil.
Qed.
Lemma filledE n m X : filled n m X = table n m (entry X).
Proof. by rewrite /filled fitE -map_comp; apply: eq_map => i /=; rewrite fitE. Qed.
Lemma zipped_map (I T U V : Type) (f : T -> U -> V) (g : I -> T) (h : I -> U) l :
  zipped f (map g l) (map h l) = [seq f (g i) (h i) | i <- l].
Proof. by elim: l => //= i l ->. Qed.
Lemma zipped_table (T U V : Type) (f : T -> U -> V) n m (g : nat -> nat -> T) (h : nat -> nat -> U) :
  zipped (zipped f) (table n m g) (table n m h) = table n m (fun i j => f (g i j) (h i j)).
Proof. by rewrite /table zipped_map; apply: eq_map => i; exact: zipped_map. Qed.
Lemma turned_table (T : Type) m n (f : nat -> nat -> T) : turned m (table n m f) = table m n (fun j i => f i j).
Proof.
rewrite /turned /table; elim: (iota 0 n) => [|i l IH] /=; last by rewrite IH zipped_map.
by elim: m 0%N => //= m IH k; rewrite -IH.
Qed.
Lemma map_table (T U : Type) (f : T -> U) n m (g : nat -> nat -> T) :
  [seq [seq f x | x <- r] | r <- table n m g] = table n m (fun i j => f (g i j)).
Proof. by rewrite /table -map_comp; apply: eq_map => i /=; rewrite -map_comp. Qed.

Lemma zipped_iota (T U : Type) (f : nat -> T -> U) n (h : nat -> T) :
  zipped f (iota 0 n) [seq h i | i <- iota 0 n] = [seq f i (h i) | i <- iota 0 n].
Proof. by rewrite -{1}[iota 0 n]map_id zipped_map. Qed.

Lemma timesE n k m X Y : times n k m X Y = let columns := [seq integers c | c <- table m k (fun j i => entry Y i j)] in
  [seq let: (l, w) := integers r in [seq over (product w c.2) (Z.mul l c.1) | c <- columns] | r <- table n k (entry X)].
Proof. by rewrite /times !filledE turned_table. Qed.
Lemma plusE n m X Y : plus n m X Y = table n m (fun i j => qadd (entry X i j) (entry Y i j)).
Proof. by rewrite /plus !filledE zipped_table. Qed.
Lemma scaleE n m a X : scale n m a X = table n m (fun i j => qmul a (entry X i j)).
Proof. by rewrite /scale filledE map_table. Qed.
Lemma transposeE n m X : transpose n m X = table m n (fun i j => entry X j i).
Proof. by rewrite /transpose filledE turned_table. Qed.
Lemma everywhere_table f n m X Y : everywhere f n m X Y = each2 n m (fun i j => f (entry X i j) (entry Y i j)).
Proof.
rewrite /everywhere !filledE zipped_table /table all_map; apply: eq_all => i /=; rewrite all_map; exact: eq_all.
Qed.

Lemma residualE n S sc h rows (R := scale n n h rows) : residual n S sc h rows = table n n (fun i j =>
  qadd (qmul (at_ sc i) (qmul (at_ sc j) (entry S i j))) (qopp (entry (times n n n R (transpose n n R)) i j))).
Proof.
rewrite /residual fitE !filledE -/R -(zipped_table (fun x y => qadd x (qopp y))); congr (zipped _ _ _).
by rewrite /table zipped_map; apply: eq_map => i; rewrite zipped_map.
Qed.
Lemma dominantE n E : dominant n E = equal n n E (transpose n n E) && each n (fun i =>
  qpos (qadd (qadd (entry E i i) (entry E i i)) (qopp (total [seq qabs (entry E i j) | j <- iota 0 n])))).
Proof.
rewrite /dominant filledE zipped_iota all_map; congr (_ && _); apply: eq_in_all => i; rewrite mem_iota => /andP[_ lin].
by rewrite /= /dominates -map_comp /at_ (nth_map 0%N) ?size_iota // nth_iota // add0n.
Qed.

(* An integer matrix with an inverse modulo q > 1 has a determinant that is not zero. *)
Lemma modular_det m (q : nat) (X B : 'M[int]_m) : (1 < q)%N ->
  (forall i j, (q%:Z %| (X *m B - 1%:M) i j)%Z) -> \det B != 0.
Proof.
move=> q1 div; apply/eqP => detB.
pose f := intmul (1 : 'Z_q).
have fq (z : int) : (q%:Z %| z)%Z -> z%:~R = 0 :> 'Z_q.
  by case/dvdzP=> k ->; rewrite intrM -pmulrn char_Zp // mulr0.
have XB : map_mx intr (X *m B) = 1%:M :> 'M['Z_q]_m.
  apply/matrixP => i j; have := fq _ (div i j); rewrite !mxE mulrzBr => /eqP; rewrite subr_eq0 => /eqP ->.
  by rewrite mulrz_nat.
have := congr1 determinant XB; rewrite det1 det_map_mx det_mulmx detB mulr0 => /eqP.
by rewrite eq_sym oner_eq0.
Qed.

Section Meaning.
Variable R : realFieldType.
Local Notation val := (@qval R).
Definition mx n m (X : mat) : 'M[R]_(n, m) := \matrix_(i, j) val (entry X i j).
Definition rowv n (v : vec) : 'rV[R]_n := \row_i val (at_ v i).
Definition colv n (v : vec) : 'cV[R]_n := \col_i val (at_ v i).

Lemma mx_table n m f : mx n m (table n m f) = \matrix_(i, j) val (f i j).
Proof. by apply/matrixP => i j; rewrite !mxE entry_table. Qed.

Local Notation zv := (@zval R).
Lemma denominator_gt0 v : Z.lt Z0 (denominator v).
Proof.
elim: v => [|q v IH] //=; rewrite /multiple; set l := denominator v in IH *.
have pos : Z.lt Z0 (let: (_, (d, _)) := Z.ggcd (Zpos (Qden q)) l in Z.mul d l).
  have := Z.ggcd_correct_divisors (Zpos (Qden q)) l; have := Z.ggcd_gcd (Zpos (Qden q)) l.
  have := Z.gcd_nonneg (Zpos (Qden q)) l.
  by case: (Z.ggcd _ _) => g [d e] /= g0 gE [dE _]; nia.
by case: (Qnum q).
Qed.

(* The denominators of the entries divide the common one. *)
Definition fits (l : Z) (q : Q) : Prop := Qnum q = Z0 \/ Z.divide (Zpos (Qden q)) l.
Lemma fits_multiple q v : fits (denominator (q :: v)) q /\ Z.divide (denominator v) (denominator (q :: v)).
Proof.
rewrite /fits /= /multiple; set l := denominator v.
have both : let: (_, (d, _)) := Z.ggcd (Zpos (Qden q)) l in
  Z.divide (Zpos (Qden q)) (Z.mul d l) /\ Z.divide l (Z.mul d l).
  have := Z.ggcd_correct_divisors (Zpos (Qden q)) l.
  case: (Z.ggcd _ _) => g [d e] /= [dE lE]; split; last by exists d.
  by exists e; nia.
case E: (Qnum q) => [|x|x]; first by split; [left | exists (Zpos xH); case: l both].
  by move: both; case: (Z.ggcd _ _) => g [d e] [H1 H2]; split=> //; right.
by move: both; case: (Z.ggcd _ _) => g [d e] [H1 H2]; split=> //; right.
Qed.

Lemma fits_map (u : nat -> Q) l k : k \in l -> fits (denominator [seq u i | i <- l]) (u k).
Proof.
elim: l => [|i l IH] //; rewrite inE map_cons; have [here more] := fits_multiple (u i) [seq u j | j <- l].
case/orP=> [/eqP -> //|/IH[E|div]]; [by left | right].
exact: Z.divide_trans div more.
Qed.

Lemma wholeP l q : fits l q -> zv (whole l q) = zv l * val q.
Proof.
rewrite /whole /fits /qval; case: (Qnum q) => [|x|x] H; first by rewrite /zval /= mul0r mulr0.
  by case: H => [|[k ->]] //; rewrite Z.div_mul // !zvalM mulrACA divff ?zval_neq0 // mulr1 mulrC.
by case: H => [|[k ->]] //; rewrite Z.div_mul // !zvalM mulrACA divff ?zval_neq0 // mulr1 mulrC.
Qed.

Lemma zval_gt0 l : Z.lt Z0 l -> 0 < zv l.
Proof. by case: l => [|l|l] // _; apply: zval_pos. Qed.
Lemma overP a l : Z.lt Z0 l -> val (over a l) = zv a / zv l.
Proof.
move=> l0; rewrite /over; case: a => [|a|a]; first by rewrite qval0 /zval /= mul0r.
  by rewrite (qval_eq R (Qred_correct _)) /qval /= Z2Pos.id.
by rewrite (qval_eq R (Qred_correct _)) /qval /= Z2Pos.id.
Qed.

Lemma total_map n (f : nat -> Q) : val (total [seq f j | j <- iota 0 n]) = \sum_(j < n) val (f j).
Proof.
rewrite -(big_mkord xpredT (fun j => val (f j))) /index_iota subn0 /total /integers.
move: (denominator _) (denominator_gt0 [seq f j | j <- iota 0 n]) (@fits_map f (iota 0 n)) => l l0.
rewrite overP // -map_comp => fit; apply: (canLR (mulfK _)); first by rewrite gt_eqF // zval_gt0.
elim: (iota 0 n) fit => [|i s IH] fit; first by rewrite big_nil mul0r.
rewrite big_cons mulrDl -IH => [|k ks]; last by apply: fit; rewrite inE ks orbT.
by rewrite [LHS]zvalD wholeP 1?mulrC //; apply: fit; rewrite inE eqxx.
Qed.

Lemma product_map (u v : nat -> Z) l :
  zv (product [seq u k | k <- l] [seq v k | k <- l]) = \sum_(k <- l) zv (u k) * zv (v k).
Proof.
elim: l => [|i l IH]; first by rewrite big_nil.
rewrite big_cons -IH !map_cons [product (_ :: _) _]/=; set rest := product _ _.
case: (u i) => [|x|x]; first by rewrite mul0r add0r.
  by case: (v i) => [|y|y]; rewrite ?mulr0 ?add0r // zvalD zvalM.
by case: (v i) => [|y|y]; rewrite ?mulr0 ?add0r // zvalD zvalM.
Qed.

Lemma entry_times n k m X Y i j : (i < n)%N -> (j < m)%N ->
  val (entry (times n k m X Y) i j) = \sum_(l < k) val (entry X i l) * val (entry Y l j).
Proof.
move=> lin ljm; rewrite /entry timesE /at_ (nth_map [::]) ?size_map ?size_iota //.
rewrite (nth_map (Z0, [::])) ?size_map ?size_iota // (nth_map [::]) ?size_map ?size_iota //.
rewrite !(nth_map 0%N) ?size_iota // !nth_iota // !add0n /integers /=.
set u := entry X i; set v := fun l => entry Y l j.
move: (denominator [seq u l | l <- _]) (denominator_gt0 [seq u l | l <- iota 0 k]) (@fits_map u (iota 0 k)) => a a0 fit_u.
move: (denominator [seq _ | l <- _]) (denominator_gt0 [seq v l | l <- iota 0 k]) (@fits_map v (iota 0 k)) => b b0 fit_v.
rewrite overP; last by apply: Z.mul_pos_pos.
rewrite -(map_comp _ u) -(map_comp _ v) (product_map (whole a \o u) (whole b \o v)) zvalM.
apply: (canLR (mulfK _)); first by rewrite mulf_neq0 // gt_eqF // zval_gt0.
rewrite -[X in iota 0 X]subn0 -/(index_iota 0 k) big_mkord mulr_suml; apply: eq_bigr => l _.
have lk : nat_of_ord l \in iota 0 k by rewrite mem_iota add0n ltn_ord.
by rewrite /= (wholeP (fit_u _ lk)) (wholeP (fit_v _ lk)) mulrACA mulrC.
Qed.

Lemma mx_times n k m X Y : mx n m (times n k m X Y) = mx n k X *m mx k m Y.
Proof. by apply/matrixP => i j; rewrite !mxE entry_times //; apply: eq_bigr => l _; rewrite !mxE. Qed.
Lemma mx_plus n m X Y : mx n m (plus n m X Y) = mx n m X + mx n m Y.
Proof. by rewrite plusE; apply/matrixP => i j; rewrite !mxE entry_table // qvalD. Qed.
Lemma mx_scale n m a X : mx n m (scale n m a X) = val a *: mx n m X.
Proof. by rewrite scaleE; apply/matrixP => i j; rewrite !mxE entry_table // qvalM. Qed.
Lemma mx_transpose n m X : mx m n (transpose n m X) = (mx n m X)^T.
Proof. by rewrite transposeE; apply/matrixP => i j; rewrite !mxE entry_table. Qed.
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
Lemma qequal_val a b : qequal a b = (val a == val b).
Proof.
rewrite /qval eqr_div ?zval_neq0 // -!zvalM /zval eqr_int /qequal; apply/idP/eqP => [/Z.eqb_eq -> //|E].
by apply/Z.eqb_eq; rewrite -[LHS]int_of_ZK E int_of_ZK.
Qed.
Lemma qequalP a b : qequal a b -> val a = val b.
Proof. by rewrite qequal_val => /eqP. Qed.
Lemma equalP n m X Y : equal n m X Y -> mx n m X = mx n m Y.
Proof. by rewrite /equal everywhere_table => /each2P H; apply/matrixP => i j; rewrite !mxE; apply: qequalP. Qed.

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
rewrite /factored dominantE => /andP[/eachP scP /andP[/equalP Esym /eachP dom]].
pose T : 'M[R]_n := diag_mx (rowv n sc); pose U := val h *: mx n n rows.
have sc0 i : 0 < val (at_ sc (i : 'I_n)) by apply/qposP/scP.
have EE : mx n n (residual n S sc h rows) = T *m mx n n S *m T - U *m U^T.
  rewrite residualE mx_table /T mul_diag_mx mul_mx_diag; apply/matrixP => i j.
  rewrite !mxE qvalD qvalN !qvalM; congr (_ - _); first by rewrite mulrA mulrAC.
  rewrite entry_times //; apply: eq_bigr => l _.
  by rewrite transposeE scaleE !entry_table // !qvalM /U !mxE.
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

(* Rows as an integer matrix: where it has an inverse modulo q its determinant is not zero. *)
Definition whole_matrix m X rows : 'M[int]_m := \matrix_(i, j) int_of_Z (nth Z0 (nth [::] (whole_rows m X rows) i) j).

Lemma inverse_moduloP m q inverse X rows : Z.lt (Zpos xH) q -> inverse_modulo m q inverse (whole_rows m X rows) ->
  map_mx intr (whole_matrix m X rows) \in (@unitmx R m).
Proof.
move=> q1 /eachP inv; pose Y : 'M[int]_m := \matrix_(i, j) int_of_Z (nth Z0 (nth [::] inverse i) j).
have q_nat : (1 < Z.to_nat q)%N by lia.
rewrite unitmxE det_map_mx unitfE intr_eq0.
apply: (@modular_det _ (Z.to_nat q) Y _ q_nat) => i j.
have /eachP/(_ j)/Z.eqb_eq/Z.mod_divide div := inv i; have [k E] := div ltac:(lia); apply/dvdzP; exists (int_of_Z k).
have -> : (Z.to_nat q)%:Z = int_of_Z q by lia.
have -> : int_of_Z k * int_of_Z q = int_of_Z (Z.mul k q) by lia.
rewrite -{}E; pose u l := nth Z0 (nth [::] inverse i) l; pose v l := nth Z0 (nth [::] (whole_rows m X rows) l) j.
have -> : nth [::] (table m m (fun b a => nth Z0 (nth [::] (whole_rows m X rows) a) b)) j = [seq v l | l <- iota 0 m].
  by rewrite (nth_map 0%N) ?size_iota // nth_iota.
set whole_product := product _ _; rewrite [LHS]mxE [X in _ + X = _]mxE.
have -> : (Y *m whole_matrix m X rows) i j = int_of_Z whole_product.
  apply: (@intr_inj R); rewrite -[RHS]/(zval R whole_product) (product_map u v) mxE rmorph_sum.
  rewrite -[X in iota 0 X]subn0 -/(index_iota 0 m) big_mkord.
  by apply: eq_bigr => l _; rewrite !mxE rmorphM.
have -> : (1%:M : 'M[int]_m) i j = int_of_Z (if eqn i j then Zpos xH else Z0) by rewrite mxE eqnE val_eqE; case: eqP.
by lia.
Qed.

Lemma whole_matrixE m X rows (i j : 'I_m) (r := nth 0%N rows i) : (i < size rows)%N ->
  (whole_matrix m X rows i j)%:~R = zv (denominator [seq entry X r k | k <- iota 0 m]) * val (entry X r j).
Proof.
move=> i_row; set l := denominator _.
have j_in : nat_of_ord j \in iota 0 m by rewrite mem_iota add0n ltn_ord.
rewrite -(wholeP (fits_map (entry X r) j_in)) mxE -[LHS]/(zv _); congr (zv _).
rewrite (nth_map 0%N) // -/r /integers -/l /= -map_comp (nth_map 0%N) ?size_iota //.
by rewrite nth_iota // add0n.
Qed.

Lemma unit_modulo m q inverse X : Z.lt (Zpos xH) q -> inverse_modulo m q inverse (whole_rows m X (iota 0 m)) ->
  mx m m X \in unitmx.
Proof.
move=> q1 /(inverse_moduloP q1); set B := map_mx _ _.
have -> : B = diag_mx (\row_i zv (denominator [seq entry X (nat_of_ord i) k | k <- iota 0 m])) *m mx m m X.
  by rewrite mul_diag_mx; apply/matrixP => i j; rewrite mxE whole_matrixE ?size_iota // nth_iota // !mxE.
by rewrite unitmx_mul => /andP[].
Qed.
End Meaning.
