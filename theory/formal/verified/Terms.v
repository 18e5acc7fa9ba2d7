(* Updates that are given by terms: the language, what it means along a path, and what the checker computes of it. A term is

       x · steps · numbers of the transition · a weight by the memory · what is read of the parameters · a vector

   On the transition (s, a, s') = (s, o), after a history, the rows of the first case whose `asked` numbers are these say
       y_k  gains Σ over the terms of its row          y: the parameters, all in one list; x, powers of step sizes too
       m_k  becomes Σ over the products of its row      m: the memory, zero at the start
   A row is of one number, or of as many as there are features, from a place on. The number of a transition before that is not
   read stands as zero; before the first transition they are 0, 1 and 1. *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Chain Policies PathValues Rationals Matrices Checker.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- The language ---- *)

Inductive known := Phi_here | Phi_next | Phi_expected.     (* φ(s), φ(s'), E_π φ(s') *)
Inductive number := T_reward | T_discount | T_rho | T_pi | T_mu | T_state | T_action | T_next_state
  | T_interest | T_discount_before | T_rho_before | T_first | T_dot of known & known.
Inductive vector := Known_vector of known | Kept_vector of nat.        (* kept: of the memory, from there on *)
Inductive weigher := Unweighted | By_entry of nat | By_dot of known & nat.
Inductive reading := Read_entry of nat | Read_dot of vector & nat | Read_whole of nat.
Record product := Product { coefficient : Q; factors : seq number; weigh : weigher; along : option vector }.
Record term := Term { exponents : seq nat; product_of : product; learnt_from : option reading }.
Record row := Row { row_from : nat; row_of_vector : bool }.
Record clause := Clause { asked : seq (number * Q); learns : seq (row * seq term); keeps : seq (row * seq product) }.
Record update := Update { learnt_size : nat; kept_size : nat; reads : bool * bool * bool; cases : seq clause }.
Definition no_clause : clause := Clause [::] [::] [::].

Definition row_width (M : model) (r : row) : nat := if row_of_vector r then columns M else 1%N.
Definition in_row (M : model) (r : row) k : bool := (row_from r <= k < row_from r + row_width M r)%N.

(* ---- What it means ---- *)

Section Meaning.
Variables (R : realFieldType) (M : model) (u : update).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation past := (R * R * R)%type.     (* γ, ρ of the transition before, and whether there is none *)
Implicit Types (s : 'I_n.+1) (o : O) (b : past) (mem : seq R) (y : nat -> R).

Definition feature s j : R := if (j < m)%N then val (entry (features M) s j) else 0.
Definition known_at s o (k : known) j : R :=
  match k with
  | Phi_here => feature s j
  | Phi_next => feature o.2 j
  | Phi_expected => \sum_(a : Act M) pi R s a * \sum_t p R a s t * feature t j
  end.
Definition number_at s b o (x : number) : R :=
  match x with
  | T_reward => reward R s o
  | T_discount => gamma R s o
  | T_rho => ratio (mu R (M := M)) (pi R (M := M)) s o
  | T_pi => pi R s o.1
  | T_mu => mu R s o.1
  | T_state => (s : nat)%:R
  | T_action => (o.1 : nat)%:R
  | T_next_state => (o.2 : nat)%:R
  | T_interest => 1
  | T_discount_before => b.1.1
  | T_rho_before => b.1.2
  | T_first => b.2
  | T_dot v w => \sum_(j < m) known_at s o v j * known_at s o w j
  end.
Definition vector_at s o mem (v : vector) i : R :=
  match v with Known_vector k => known_at s o k i | Kept_vector from => nth 0 mem (from + i) end.
Definition weight_at s o mem (w : weigher) : R :=
  match w with
  | Unweighted => 1
  | By_entry i => nth 0 mem i
  | By_dot k from => \sum_(j < m) known_at s o k j * nth 0 mem (from + j)
  end.
Definition read_at s o mem y (c : reading) i : R :=
  match c with
  | Read_entry j => y j
  | Read_dot v from => \sum_(j < m) vector_at s o mem v j * y (from + j)%N
  | Read_whole from => y (from + i)%N
  end.
Definition product_at s b o mem (x : product) i : R :=
  val (coefficient x) * (\prod_(z <- factors x) number_at s b o z) * weight_at s o mem (weigh x)
  * (if along x is Some v then vector_at s o mem v i else 1).
Definition sizes_at (sizes : seq R) (e : seq nat) : R := \prod_(x <- zip sizes e) x.1 ^+ x.2.
Definition term_at sizes s b o mem y (x : term) i : R :=
  sizes_at sizes (exponents x) * product_at s b o mem (product_of x) i
  * (if learnt_from x is Some c then read_at s o mem y c i else 1).

Definition clause_at s b o : clause :=
  nth no_clause (cases u) (find (fun c => all (fun x => number_at s b o x.1 == val x.2) (asked c)) (cases u)).
Definition increment sizes s b o mem y k : R :=
  \sum_(r <- learns (clause_at s b o) | in_row M r.1 k) \sum_(x <- r.2) term_at sizes s b o mem y x (k - row_from r.1).
Definition kept_after s b o mem : seq R :=
  [seq \sum_(r <- keeps (clause_at s b o) | in_row M r.1 k) \sum_(x <- r.2) product_at s b o mem x (k - row_from r.1)
  | k <- iota 0 (kept_size u)].

(* Along a path; the latest observation is the first of the list. *)
Definition masked b : past := let: (x, y, z) := b in let: (i, j, k) := reads u in
  (if i then x else 0, if j then y else 0, if k then z else 0).
Definition past_of (h : seq O) : past :=
  match h with
  | o' :: o :: _ => masked (gamma R o.2 o', ratio (mu R (M := M)) (pi R (M := M)) o.2 o', 0)
  | _ => masked (0, 1, 1)
  end.
Fixpoint memory_of (h : seq O) : seq R :=
  match h with
  | o' :: ((o :: _) as h') => kept_after o.2 (past_of h') o' (memory_of h')
  | _ => nseq (kept_size u) 0
  end.
Local Notation D := (learnt_size u).
Definition coordinate (x : 'cV[R]_D) k : R := if insub k is Some i then x i 0 else 0.
(* one update, o' observed after the history h; and all of them, from the parameters x after the history h0 on *)
Definition learn (sizes : seq R) (h : seq O) (o' : O) (x : 'cV[R]_D) : 'cV[R]_D :=
  if h is o :: _ then x + \col_k increment sizes o.2 (past_of h) o' (memory_of h) (coordinate x) k else x.
Fixpoint run_on sizes (h0 : seq O) (x : 'cV[R]_D) (k : seq O) : 'cV[R]_D :=
  if k is o' :: k' then learn sizes (k' ++ h0) o' (run_on sizes h0 x k') else x.
(* the update begun with the first observation, at x *)
Fixpoint parameters sizes (x : 'cV[R]_D) (h : seq O) : 'cV[R]_D :=
  match h with o' :: ((_ :: _) as h') => learn sizes h' o' (parameters sizes x h') | _ => x end.
End Meaning.

(* ---- What is computed ---- *)

Definition sum_q (l : seq Q) : Q := foldr qadd qzero l.
Definition product_q (l : seq Q) : Q := foldr qmul qone l.
Definition of_nat (k : nat) : Q := Qmake (Z.of_nat k) xH.

Section Compute.
Variables (M : model) (u : update).
Let n := (last_state M).+1.
Let m := columns M.
Definition expected_features : mat := table n m (fun s j => sum_actions M (fun a => qmul (entry (target M) s a)
  (total [seq qmul (entry (of_action (transitions M) a) s t) (entry (features M) t j) | t <- iota 0 n]))).

Section Transition.
Variables (ahead : mat) (s a t : nat) (b : Q * Q * Q) (mem : vec).
Definition known_vector (k : known) : vec :=
  match k with
  | Phi_here => [seq entry (features M) s j | j <- iota 0 m]
  | Phi_next => [seq entry (features M) t j | j <- iota 0 m]
  | Phi_expected => nth [::] ahead s
  end.
Definition dot_of (v w : vec) (from : nat) : Q := total [seq qmul (at_ v j) (at_ w (from + j)%N) | j <- iota 0 m].
Definition ratio_at : Q := qmul (entry (target M) s a) (fraction_inverse (entry (behaviour M) s a)).
Definition number_value (x : number) : Q :=
  match x with
  | T_reward => entry (of_action (rewards M) a) s t
  | T_discount => entry (of_action (discounts M) a) s t
  | T_rho => ratio_at
  | T_pi => entry (target M) s a
  | T_mu => entry (behaviour M) s a
  | T_state => of_nat s
  | T_action => of_nat a
  | T_next_state => of_nat t
  | T_interest => qone
  | T_discount_before => b.1.1
  | T_rho_before => b.1.2
  | T_first => b.2
  | T_dot v w => dot_of (known_vector v) (known_vector w) 0
  end.
Definition vector_value (v : vector) : nat -> Q :=
  match v with Known_vector k => at_ (known_vector k) | Kept_vector from => fun i => at_ mem (from + i)%N end.
Definition weight_value (w : weigher) : Q :=
  match w with Unweighted => qone | By_entry i => at_ mem i | By_dot k from => dot_of (known_vector k) mem from end.
(* what multiplies y_j in the entry i of a row *)
Definition column_value (c : reading) : nat -> nat -> Q :=
  match c with
  | Read_entry k => fun _ j => if eqn j k then qone else qzero
  | Read_dot v from => let w := vector_value v in
      fun _ j => if (from <= j)%N && (j - from < m)%N then w (j - from)%N else qzero
  | Read_whole from => fun i j => if eqn j (from + i)%N then qone else qzero
  end.
Definition scalar_value (x : product) : Q :=
  qmul (qmul (coefficient x) (product_q [seq number_value z | z <- factors x])) (weight_value (weigh x)).
Definition along_value (x : product) : nat -> Q := if along x is Some v then vector_value v else fun _ => qone.
Fixpoint power_q (x : Q) k : Q := if k is k'.+1 then qmul x (power_q x k') else qone.
Definition sizes_value (sizes : vec) (e : seq nat) : Q := product_q [seq power_q x.1 x.2 | x <- zip sizes e].

Definition clause_number : nat := find (fun c => all (fun x => qequal (number_value x.1) x.2) (asked c)) (cases u).
(* of each term once: a number, a vector and a row *)
Definition made : Type := Q * (nat -> Q) * (nat -> nat -> Q).
Definition made_term (sizes : vec) (x : term) : seq made :=
  if learnt_from x is Some c then
    [:: (qmul (sizes_value sizes (exponents x)) (scalar_value (product_of x)), along_value (product_of x), column_value c)]
  else [::].
Definition made_rows (sizes : vec) : seq (row * seq made) :=
  [seq (r.1, flatten [seq made_term sizes x | x <- r.2]) | r <- learns (nth no_clause (cases u) clause_number)].
Definition change_value (sizes : vec) : mat := let rows := made_rows sizes in
  table (learnt_size u) (learnt_size u) (fun k j => sum_q [seq (let i := (k - row_from r.1)%N in
    sum_q [seq qmul (qmul x.1.1 (x.1.2 i)) (x.2 i j) | x <- r.2]) | r <- rows & in_row M r.1 k]).
Definition memory_value : vec :=
  let rows := [seq (r.1, [seq (scalar_value x, along_value x) | x <- r.2]) | r <- keeps (nth no_clause (cases u) clause_number)] in
  [seq sum_q [seq (let i := (k - row_from r.1)%N in sum_q [seq qmul x.1 (x.2 i) | x <- r.2]) | r <- rows & in_row M r.1 k]
  | k <- iota 0 (kept_size u)].
Definition mask_of (x : Q * Q * Q) : Q * Q * Q := let: (i, j, k) := reads u in
  (if i then x.1.1 else qzero, if j then x.1.2 else qzero, if k then x.2 else qzero).
Definition past_value : Q * Q * Q := mask_of (entry (of_action (discounts M) a) s t, ratio_at, qzero).
End Transition.
(* every term is of the first order in the step sizes *)
Definition first_order (sizes : vec) : bool :=
  all (fun c => all (fun r : row * seq term => all (fun x => eqn (size (exponents x)) (size sizes) && eqn (sumn (exponents x)) 1) r.2)
    (learns c)) (cases u).
End Compute.

(* ---- What is computed is what is meant ---- *)

Section Agree.
Variables (R : realFieldType) (M : model) (u : update).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learnt_size u).

Lemma sum_qE T (l : seq T) f : val (sum_q [seq f x | x <- l]) = \sum_(x <- l) val (f x).
Proof. by elim: l => [|x l IH]; rewrite ?big_nil ?big_cons ?qval0 //= qvalD -IH. Qed.
Lemma product_qE T (l : seq T) f : val (product_q [seq f x | x <- l]) = \prod_(x <- l) val (f x).
Proof. by elim: l => [|x l IH]; rewrite ?big_nil ?big_cons ?qval1 //= qvalM -IH. Qed.
Lemma power_qE x k : val (power_q x k) = val x ^+ k.
Proof. by elim: k => [|k IH]; rewrite ?qval1 //= qvalM IH exprS. Qed.
Lemma of_natE k : val (of_nat k) = k%:R.
Proof.
have top : int_of_Z (Qnum (of_nat k)) = k by rewrite /of_nat /=; lia.
have bottom : int_of_Z (Zpos (Qden (of_nat k))) = 1 by [].
by rewrite /qval /zval top bottom divr1 -pmulrn.
Qed.
Lemma at_map (f : nat -> Q) k j : at_ [seq f i | i <- iota 0 k] j = if (j < k)%N then f j else qzero.
Proof.
rewrite /at_; case: ltnP => jk; last by rewrite nth_default // size_map size_iota.
by rewrite (nth_map 0%N) ?size_iota // nth_iota.
Qed.
Lemma nth_val (v : vec) i : nth 0 [seq val x | x <- v] i = val (at_ v i).
Proof.
rewrite /at_; have [iv|vi] := ltnP i (size v); first by rewrite (nth_map qzero).
by rewrite !nth_default ?size_map // qval0.
Qed.
Lemma sizes_valueE sizes e : val (sizes_value sizes e) = sizes_at [seq val x | x <- sizes] e.
Proof.
rewrite /sizes_value product_qE /sizes_at; elim: sizes e => [|x sizes IH] [|k e]; rewrite ?big_nil //= ?big_nil //.
by rewrite !big_cons power_qE IH.
Qed.

Section Transition.
Variables (s : 'I_n.+1) (o : O) (b : Q * Q * Q) (mem : vec).
Local Notation ahead := (expected_features M).
Local Notation b' := (val b.1.1, val b.1.2, val b.2).
Local Notation mem' := [seq val x | x <- mem].
Local Notation known_vec := (known_vector M ahead s o.2).

Lemma known_vectorE k j : val (at_ (known_vec k) j) = known_at R s o k j.
Proof.
case: k => /=; rewrite /feature ?at_map; first by case: ifP; rewrite ?qval0.
  by case: ifP; rewrite ?qval0.
rewrite -[at_ _ _]/(entry ahead s j); case: ltnP => jm; last first.
  rewrite /entry (nth_map 0%N) ?size_iota // at_map ltnNge jm /= qval0; apply/esym/big1 => a _.
  by rewrite big1 ?mulr0 // => t _; rewrite mulr0.
rewrite entry_table // sum_actionsE; apply: eq_bigr => a _; rewrite qvalM total_map; congr (_ * _).
by apply: eq_bigr => t _; rewrite qvalM mxE.
Qed.

Lemma dot_ofE v w from : val (dot_of M v w from) = \sum_(j < m) val (at_ v j) * val (at_ w (from + j)%N).
Proof. by rewrite total_map; apply: eq_bigr => j _; rewrite qvalM. Qed.

Lemma ratio_atE : val (ratio_at M s o.1) = ratio (mu R (M := M)) (pi R (M := M)) s o.
Proof. by rewrite /ratio_at qvalM fraction_inverseE. Qed.

Lemma number_valueE x : val (number_value M ahead s o.1 o.2 b x) = number_at s b' o x.
Proof.
case: x => //=; try exact: of_natE.
- exact: ratio_atE.
- exact: qval1.
by move=> v w; rewrite dot_ofE; apply: eq_bigr => j _; rewrite !known_vectorE.
Qed.

Lemma vector_valueE v i : val (vector_value M ahead s o.2 mem v i) = vector_at s o mem' v i.
Proof. by case: v => [k|from] /=; [exact: known_vectorE | rewrite nth_val]. Qed.

Lemma weight_valueE w : val (weight_value M ahead s o.2 mem w) = weight_at s o mem' w.
Proof.
case: w => [|i|k from] /=; rewrite ?qval1 ?nth_val // dot_ofE; apply: eq_bigr => j _.
by rewrite known_vectorE nth_val.
Qed.

Lemma product_valueE x i : val (scalar_value M ahead s o.1 o.2 b mem x) * val (along_value M ahead s o.2 mem x i)
  = product_at s b' o mem' x i.
Proof.
rewrite /scalar_value !qvalM product_qE weight_valueE /product_at; congr (_ * _ * _ * _).
  by apply: eq_bigr => z _; rewrite number_valueE.
by rewrite /along_value; case: (along x) => [v|]; [exact: vector_valueE | exact: qval1].
Qed.

Lemma coordinateE (x : 'cV[R]_D) k : coordinate x k = \sum_j (nat_of_ord j == k)%:R * x j 0.
Proof.
rewrite /coordinate; case: insubP => [i iD iE|kD].
  rewrite (bigD1 i) //= -iE eqxx mul1r big1 ?addr0 // => j ji; by rewrite val_eqE (negbTE ji) mul0r.
by rewrite big1 // => j _; case: eqP => [jk|_]; rewrite ?mul0r //; rewrite -jk ltn_ord in kD.
Qed.

Lemma column_valueE c (x : 'cV[R]_D) i :
  read_at s o mem' (coordinate x) c i = \sum_(j < D) val (column_value M ahead s o.2 mem c i j) * x j 0.
Proof.
case: c => [k|v from|from] /=; try by rewrite coordinateE; apply: eq_bigr => j _; rewrite eqnE; case: eqP; rewrite ?qval1 ?qval0.
under eq_bigr => l _ do rewrite coordinateE mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => j _; under eq_bigr => l _ do rewrite mulrA.
rewrite -mulr_suml; congr (_ * _); case: ifP => [/andP[fj jm]|out].
  rewrite (bigD1 (Ordinal jm)) //= subnKC // eqxx mulr1 big1 ?addr0 -?vector_valueE // => l lj.
  case: eqP => [jE|_]; last by rewrite mulr0.
  by case/eqP: lj; apply: val_inj; rewrite /= jE addKn.
rewrite qval0 big1 // => l _; case: eqP => [jE|_]; last by rewrite mulr0.
by move: out; rewrite jE leq_addr addKn ltn_ord.
Qed.

Lemma clause_numberE : nth no_clause (cases u) (clause_number M u ahead s o.1 o.2 b) = clause_at u s b' o.
Proof.
congr (nth _ _ _); apply: eq_find => c; apply: eq_all => x; by rewrite (qequal_val R) number_valueE.
Qed.

Local Notation change sizes := (change_value M u ahead s o.1 o.2 b mem sizes).
Local Notation sum_of_terms k F :=
  (\sum_(r <- learns (clause_at u s b' o) | in_row M r.1 k) \sum_(z <- r.2) if learnt_from z is Some c then F r z c else 0).
Local Notation scaled sizes r z k := (sizes_at [seq val z | z <- sizes] (exponents z)
  * product_at s b' o mem' (product_of z) (k - row_from r.1)).

Lemma change_entryE sizes (k j : 'I_D) : mx R D D (change sizes) k j =
  sum_of_terms k (fun r z c => scaled sizes r z k * val (column_value M ahead s o.2 mem c (k - row_from r.1) j)).
Proof.
rewrite mxE /change_value entry_table // sum_qE big_filter big_map clause_numberE; apply: eq_bigr => r _.
rewrite /= sum_qE big_flatten big_map; apply: eq_bigr => z _.
rewrite /made_term; case: (learnt_from z) => [c|]; last by rewrite big_nil.
rewrite big_seq1 /= -sizes_valueE -product_valueE.
move: (sizes_value _ _) (scalar_value _ _ _ _ _ _ _ _) (along_value _ _ _ _ _ _ _) (column_value _ _ _ _ _ _ _ _) => w x v c'.
by rewrite !qvalM -[val w * val x * val v]mulrA.
Qed.

(* an update is affine in the parameters, and its matrix is the one that is computed *)
Lemma change_valueE sizes (x : 'cV[R]_D) (k : 'I_D) :
  increment u [seq val z | z <- sizes] s b' o mem' (coordinate x) k
  = increment u [seq val z | z <- sizes] s b' o mem' (fun=> 0) k + (mx R D D (change sizes) *m x) k 0.
Proof.
have -> : (mx R D D (change sizes) *m x) k 0
  = sum_of_terms k (fun r z c => scaled sizes r z k * read_at s o mem' (coordinate x) c (k - row_from r.1)).
  rewrite mxE; transitivity (\sum_(j < D) \sum_(r <- learns (clause_at u s b' o) | in_row M r.1 k) \sum_(z <- r.2)
      (if learnt_from z is Some c then scaled sizes r z k * val (column_value M ahead s o.2 mem c (k - row_from r.1) j) else 0)
      * x j 0).
    by apply: eq_bigr => j _; rewrite change_entryE mulr_suml; apply: eq_bigr => r _; rewrite mulr_suml.
  rewrite exchange_big /=; apply: eq_bigr => r _; rewrite exchange_big /=; apply: eq_bigr => z _.
  case: (learnt_from z) => [c|]; last by rewrite big1 // => j _; rewrite mul0r.
  by rewrite column_valueE mulr_sumr; apply: eq_bigr => j _; rewrite mulrA.
rewrite /increment -big_split /=; apply: eq_bigr => r _; rewrite -big_split /=; apply: eq_bigr => z _.
rewrite /term_at; case: (learnt_from z) => [c|]; last by rewrite addr0.
suff -> : read_at s o mem' (fun=> 0) c (k - row_from r.1) = 0 by rewrite mulr0 add0r.
by case: c => //= v from; apply: big1 => j _; rewrite mulr0.
Qed.

Lemma memory_valueE : [seq val x | x <- memory_value M u ahead s o.1 o.2 b mem] = kept_after u s b' o mem'.
Proof.
rewrite -map_comp; apply: eq_map => k /=; rewrite sum_qE big_filter big_map clause_numberE.
apply: eq_bigr => r _.
rewrite /= sum_qE big_map; apply: eq_bigr => x _; by rewrite /= qvalM product_valueE.
Qed.

Lemma past_valueE (x := past_value M u s o.1 o.2) : (val x.1.1, val x.1.2, val x.2)
  = masked u (gamma R s o, ratio (mu R (M := M)) (pi R (M := M)) s o, 0).
Proof.
rewrite /x /past_value /mask_of /masked; case: (reads u) => -[i j] k /=.
by case: i; case: j; case: k; rewrite ?qval0 ?ratio_atE.
Qed.
End Transition.

Lemma sizes_at_scaled (alpha : R) (sizes : seq R) e : size e = size sizes ->
  sizes_at [seq alpha * x | x <- sizes] e = alpha ^+ sumn e * sizes_at sizes e.
Proof.
rewrite /sizes_at; elim: sizes e => [|x sizes IH] [|k e] //=; first by rewrite !big_nil mulr1.
by case=> /IH E; rewrite !big_cons E exprMn exprD /= mulrACA.
Qed.

Lemma eq_sum_all T (l : seq T) (P a : pred T) (F G : T -> R) : all a l -> (forall x, a x -> F x = G x) ->
  \sum_(x <- l | P x) F x = \sum_(x <- l | P x) G x.
Proof.
move=> al FG; elim: l al => [|x l IH]; first by rewrite !big_nil.
by case/andP=> ax /IH E; rewrite !big_cons E; case: ifP => // _; rewrite FG.
Qed.

Lemma increment_scaled alpha (sizes : vec) s b o mem y k : first_order u sizes ->
  increment u [seq alpha * x | x <- [seq val x | x <- sizes]] s b o mem y k
  = alpha * increment (M := M) u [seq val x | x <- sizes] s b o mem y k.
Proof.
rewrite /increment mulr_sumr /clause_at; set i := find _ _ => lin.
have [ci|ic] := leqP (size (cases u)) i; first by rewrite nth_default // !big_nil.
have /(_ _ ic) in_clause := all_nthP no_clause lin; apply: eq_sum_all in_clause _ => r in_row.
rewrite mulr_sumr; apply: eq_sum_all in_row _ => x /andP[/eqP size_e /eqP sum_e].
by rewrite /term_at sizes_at_scaled ?size_map // sum_e expr1 -!mulrA.
Qed.
End Agree.
