(* A checker of certificates about means of updates by terms at constant steps, and what its tests mean; accepted_means.v states
   what it accepts.

   The difference of two runs obeys y' = (1 + K)y. Rows T_i, one matrix for each node i, with the mean of T'(1 + K) equal to A T_i
   and Σ T_i = 1 for a fixed Σ, give E(T y after one step) = A T y, so E y after t steps is Σ Aᵗ T y_0. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Forms Lyapunov Paths OneStep MeanSquares Rationals Matrices Checker Kinds Signs Squares Terms Updates.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Section Compute.
(* cs: for each row, the node and the entry of the difference in which it is a unit vector *)
Variables (k r : nat) (places : seq (seq move)) (Ts : seq mat) (cs : seq (nat * nat)).
Definition rows_ahead (l : seq move) : mat :=
  foldr (plus r k) [::] [seq scale r k x.1.2 (times r k k (at_place Ts x.1.1) (plus k k (identity k) x.2)) | x <- l].
Definition column_named j : nat * nat := nth (0%N, 0%N) cs j.
Definition next_rows : mat := let ahead := [seq rows_ahead l | l <- places] in
  table r r (fun i j => entry (at_place ahead (column_named j).1) i (column_named j).2).
Definition sum_rows : mat := table k r (fun i j => if eqn i (column_named j).2 then qone else qzero).
Definition rows_follow (A : mat) : bool := each (size places) (fun i =>
  equal r k (rows_ahead (nth [::] places i)) (times r r k A (at_place Ts i)) &&
  equal k k (times k r k sum_rows (at_place Ts i)) (identity k)).
Definition moved_form (A X : mat) : mat := times r r r (transpose r r A) (times r r r X A).
Definition means_fall (X : mat) (y z : factor) : bool := let A := next_rows in
  [&& rows_follow A, positive_definite r X y & positive_definite r (minus r X (moved_form A X)) z].

(* rows of Σ, ΣA, ΣA², …, as many as there are of T *)
Fixpoint powers_after (A P : mat) j : seq mat := if j is j'.+1 then P :: powers_after A (times k r r P A) j' else [::].
Definition latest_of (es : seq (nat * nat)) : nat := foldr (fun e => maxn e.2) 0%N es.
Definition rows_shown (A : mat) (es : seq (nat * nat)) : mat := let Ps := powers_after A sum_rows (latest_of es).+1 in
  table r r (fun i j => let e := nth (0%N, 0%N) es i in entry (nth [::] Ps e.2) e.1 j).
Definition point_after (A : mat) after h (x : vec) : mat :=
  iter after (times r r 1 A) (times r k 1 (at_place Ts h) (table k 1 (fun i _ => at_ x i))).
Definition means_grow (X : mat) (y : factor) h after (x : vec) es (q : Z) (find : seq (seq Z) -> seq (seq Z)) : bool :=
  let A := next_rows in let z := point_after A after h x in
  [&& rows_follow A, positive_definite r (minus r (moved_form A X) X) y, all (fun e => e.1 < k)%N es && eqn (size es) r,
      qpos (entry (times 1 r 1 (transpose r 1 z) (times r r 1 X z)) 0 0), Z.ltb (Zpos xH) q &
      let B := whole_rows r (rows_shown A es) (iota 0 r) in inverse_modulo r q (find B) B].
End Compute.

Section Check.
Variables (M : model) (u : update).
Definition check_update_mean_bounded c starts ns sizes r Ts cs X y z : bool :=
  walked M u c starts ns sizes && means_fall (learnt_size u) r (all_moves M u ns sizes) Ts cs X y z.
Definition check_update_mean_unbounded c starts ns sizes r Ts cs X y h after x es q find : bool :=
  [&& walked M u c starts ns sizes, (h < size ns)%N &
      means_grow (learnt_size u) r (all_moves M u ns sizes) Ts cs X y h after x es q find].
End Check.

(* ---- What it means ---- *)

Section Matrices.
Variable R : realFieldType.

Lemma dot_form k (x : 'cV[R]_k) : dot x x = form 1%:M x.
Proof. by rewrite /form mulmx1. Qed.
Lemma norm_le k l (B : 'M[R]_(l, k)) : exists2 c, 0 < c & forall x, dot (B *m x) (B *m x) <= c * dot x x.
Proof.
have [c c0 le] := form_upper (B^T *m 1%:M *m B); exists c => // x; apply: le_trans (le x); by rewrite form_congruence dot_form.
Qed.

Lemma iter_sum r (A : 'M[R]_r) (S : finType) (w : S -> R) (v : S -> 'cV[R]_r) t :
  iter t (mulmx A) (\sum_s w s *: v s) = \sum_s w s *: iter t (mulmx A) (v s).
Proof.
elim: t => [|t IH] //=; rewrite IH mulmx_sumr; by apply: eq_bigr => s _; rewrite scalemxAr.
Qed.

Variables (r : nat) (A X : 'M[R]_r).
Local Notation power t z := (iter t (mulmx A) z).

Lemma powers_die : posdef X -> (forall z, z != 0 -> form X (A *m z) < form X z) ->
  exists c q, [/\ 0 <= c, 0 <= q < 1 & forall t z, dot (power t z) (power t z) <= c * q ^+ t * dot z z].
Proof.
move=> pos fall; have one (F : unit -> R) : \sum_s 1 * F s = F tt by rewrite (big_pred1 tt) ?mul1r // => -[].
have [|q q01 le] := @ahead_le R [finType of unit] [finType of unit] r (fun=> id) (fun=> fun=> 1) (fun=> X) (fun=> fun=> A) (fun=> pos).
  by move=> i z z0; rewrite /ahead one; apply: fall.
have {}le t z : form X (power t z) <= q ^+ t * form X z.
  have /andP[q0 _] := q01; elim: t => [|t IH]; first by rewrite mul1r.
  have := le tt (power t z); rewrite /ahead one => /le_trans; apply.
  by rewrite exprS -mulrA ler_wpmul2l.
have [c c0 upper] := form_upper X; have [e e0 margin] := posdef_margin pos; have /andP[q0 _] := q01.
exists (e^-1 * c), q; split=> // [|t z]; first by rewrite mulr_ge0 ?invr_ge0 ?ltW.
apply: (@le_trans _ _ (e^-1 * form X (power t z))); first by rewrite ler_pdivl_mull.
rewrite -!mulrA ler_wpmul2l ?invr_ge0 ?(ltW e0) //; apply: le_trans (le t z) _.
by rewrite mulrCA ler_wpmul2l ?exprn_ge0.
Qed.

Lemma powers_grow : (forall z, z != 0 -> form X z < form X (A *m z)) ->
  exists c q, [/\ 0 < c, 1 < q & forall t z, c * q ^+ t * form X z <= dot (power t z) (power t z)].
Proof.
move=> grow; have one (F : unit -> R) : \sum_s 1 * F s = F tt by rewrite (big_pred1 tt) ?mul1r // => -[].
have [|q q1 le] := @ahead_ge R [finType of unit] [finType of unit] r (fun=> id) (fun=> fun=> 1) (fun=> X) (fun=> fun=> A).
  by move=> i z z0; rewrite /ahead one; apply: grow.
have {}le t z : q ^+ t * form X z <= form X (power t z).
  elim: t => [|t IH]; first by rewrite mul1r.
  have := le tt (power t z); rewrite /ahead one; apply: le_trans.
  by rewrite exprS -mulrA ler_wpmul2l // (le_trans ler01) // ltW.
have [c c0 upper] := form_upper X; exists c^-1, q; split=> // [|t z]; first by rewrite invr_gt0.
by rewrite -mulrA ler_pdivr_mull //; apply: le_trans (le t z) (upper _).
Qed.
End Matrices.

(* ---- Along a path whose next step depends on a node ---- *)
Section Along.
Variables (R : realFieldType) (I S : finType) (k r : nat) (to : I -> S -> I) (w : I -> S -> R).
Variables (B : I -> S -> 'M[R]_k) (T : I -> 'M[R]_(r, k)) (A : 'M[R]_r) (Sum : 'M[R]_(k, r)).
Hypothesis T_next : forall i, \sum_s w i s *: (T (to i s) *m B i s) = A *m T i.
Hypothesis T_sum : forall i, Sum *m T i = 1%:M.
Variables (K : seq S -> S -> R) (good : seq S -> Prop) (node : seq S -> I) (y : seq S -> 'cV[R]_k).
Hypothesis seen : seen_by_nodes to w K good node.
Hypothesis y_obeys : obeys K good node B y.

(* E(F after t steps | h) *)
Definition mean_vector (Q : seq S -> S -> R) l t (F : seq S -> 'cV[R]_l) h : 'cV[R]_l := \col_i iter t (mean Q) (fun h' => F h' i 0) h.
Lemma mean_vectorS l t (F : seq S -> 'cV[R]_l) h :
  mean_vector K t.+1 F h = \sum_s K h s *: mean_vector K t F (s :: h).
Proof. by apply/matrixP => i j; rewrite mxE summxE; apply: eq_bigr => s _; rewrite !mxE. Qed.

Lemma same_iter (Q : seq S -> S -> R) F G t h : (forall h', F h' = G h') -> iter t (mean Q) F h = iter t (mean Q) G h.
Proof. by move=> E; elim: t h => [|t IH] h //=; apply: eq_bigr => s _; rewrite IH. Qed.

Lemma rows_mean t h : good h -> mean_vector K t (fun h => T (node h) *m y h) h = iter t (mulmx A) (T (node h) *m y h).
Proof.
have [[K0 _] next kE nodeE] := seen.
elim: t h => [|t IH] h gh; first by apply/matrixP => i j; rewrite mxE (ord1 j).
transitivity (iter t (mulmx A) (\sum_s w (node h) s *: (T (to (node h) s) *m B (node h) s *m y h))).
  rewrite mean_vectorS iter_sum; apply: eq_bigr => s _.
  rewrite -(kE h s gh); have := K0 h s; rewrite le_eqVlt => /orP[/eqP <-|pos]; first by rewrite !scale0r.
  by rewrite IH ?nodeE ?y_obeys ?mulmxA //; apply: next.
rewrite iterSr mulmxA -T_next mulmx_suml; congr (iter _ _ _); apply: eq_bigr => s _; exact: scalemxAl.
Qed.

Lemma iter_mean_sum (Q : seq S -> S -> R) (c : 'I_r -> R) (F : 'I_r -> seq S -> R) t h :
  iter t (mean Q) (fun h' => \sum_l c l * F l h') h = \sum_l c l * iter t (mean Q) (F l) h.
Proof.
elim: t h => [|t IH] h //=; transitivity (\sum_s Q h s * \sum_l c l * iter t (mean Q) (F l) (s :: h)).
  by apply: eq_bigr => s _; rewrite IH.
under eq_bigr => s _ do rewrite mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => l _.
rewrite -[mean Q _ h]/(\sum_s Q h s * iter t (mean Q) (F l) (s :: h)) mulr_sumr; apply: eq_bigr => s _; exact: mulrCA.
Qed.

Lemma difference_mean t h : good h -> mean_vector K t y h = Sum *m iter t (mulmx A) (T (node h) *m y h).
Proof.
move=> gh; rewrite -rows_mean //; apply/matrixP => i j; rewrite (ord1 j) [LHS]mxE [RHS]mxE.
transitivity (iter t (mean K) (fun h' => \sum_l Sum i l * (T (node h') *m y h') l 0) h).
  by apply: (same_iter K) => h'; rewrite -{1}[y h']mul1mx -(T_sum (node h')) -mulmxA mxE.
by rewrite (iter_mean_sum K); apply: eq_bigr => l _; rewrite [X in _ = _ * X]mxE.
Qed.
End Along.

(* ---- What is computed is what is meant ---- *)
Section Represents.
Variables (R : realFieldType) (k r N : nat) (S : finType) (places : seq (seq move)).
Variables (to : 'I_N -> S -> 'I_N) (w : 'I_N -> S -> R) (C : 'I_N -> S -> 'M[R]_k).
Hypothesis places_size : size places = N.
Hypothesis represents : forall i (f : nat -> 'M[R]_k -> 'M[R]_(r, k)),
  \sum_(x <- nth [::] places (i : 'I_N)) qval R x.1.2 *: f x.1.1 (mx R k k x.2) = \sum_s w i s *: f (to i s) (C i s).
Variables (Ts : seq mat) (cs : seq (nat * nat)).
Local Notation val := (@qval R).
Local Notation A := (next_rows k r places Ts cs).
Definition rows_in (i : 'I_N) : 'M[R]_(r, k) := mx R r k (at_place Ts i).
Definition A_in : 'M[R]_r := mx R r r A.
Definition sum_in : 'M[R]_(k, r) := mx R k r (sum_rows k r cs).

Lemma rows_aheadE (i : 'I_N) : mx R r k (rows_ahead k r Ts (nth [::] places i))
  = \sum_s w i s *: (rows_in (to i s) *m by_step C 1 i s).
Proof.
have := represents i (fun j K => mx R r k (at_place Ts j) *m (1%:M + 1 *: K)) => /= <-; rewrite /rows_ahead.
elim: (nth _ _ _) => [|x l IH] /=.
  by rewrite big_nil; apply/matrixP => a b; rewrite !mxE /entry nth_nil /at_ nth_nil qval0.
by rewrite big_cons -IH mx_plus mx_scale mx_times mx_plus mx_identity scale1r.
Qed.

Lemma rows_followP : rows_follow k r places Ts cs A ->
  (forall i, \sum_s w i s *: (rows_in (to i s) *m by_step C 1 i s) = A_in *m rows_in i) /\
  (forall i, sum_in *m rows_in i = 1%:M).
Proof.
rewrite /rows_follow places_size => /eachP both; split=> i; have /andP[/(equalP R) next /(equalP R) sum] := both i.
  by rewrite -rows_aheadE next mx_times.
by have := sum; rewrite mx_times mx_identity.
Qed.

Lemma moved_formE X z : form (mx R r r (moved_form r A X)) z = form (mx R r r X) (A_in *m z).
Proof. by rewrite /moved_form !mx_times mx_transpose mulmxA form_congruence. Qed.

Lemma means_fallP X y z : means_fall k r places Ts cs X y z -> [/\ rows_follow k r places Ts cs A, posdef (mx R r r X) &
  forall x, x != 0 -> form (mx R r r X) (A_in *m x) < form (mx R r r X) x].
Proof.
case/and3P=> follow /(@factored_posdef R) pos /(@factored_posdef R) dec; split=> // x x0.
by have := dec x x0; rewrite minusE formB moved_formE subr_gt0.
Qed.

Lemma powers_afterE P j l (z : 'cV[R]_r) : (l < j)%N ->
  mx R k r (nth [::] (powers_after k r A P j) l) *m z = mx R k r P *m iter l (mulmx A_in) z.
Proof.
elim: j P l => [|j IH] P [|l] //= lj; rewrite IH // mx_times -mulmxA; congr (_ *m _).
Qed.

Lemma latest_le es i : (i < size es)%N -> ((nth (0, 0) es i).2 <= latest_of es)%N.
Proof.
elim: es i => [|e es IH] [|i] //=; first by rewrite leq_maxl.
by rewrite ltnS => /IH le; apply: leq_trans le (leq_maxr _ _).
Qed.

Lemma point_afterE after h x : mx R r 1 (point_after k r Ts A after h x)
  = iter after (mulmx A_in) (mx R r k (at_place Ts h) *m colv R k x).
Proof.
rewrite /point_after; elim: after => [|t IH]; last by rewrite !iterS mx_times IH.
by rewrite /= mx_times; congr (_ *m _); apply/matrixP => i j; rewrite !mxE entry_table // (ord1 j).
Qed.

Lemma means_growP X y h after x es q find : means_grow k r places Ts cs X y h after x es q find ->
  [/\ rows_follow k r places Ts cs A, forall z, z != 0 -> form (mx R r r X) z < form (mx R r r X) (A_in *m z),
      0 < form (mx R r r X) (iter after (mulmx A_in) (mx R r k (at_place Ts h) *m colv R k x)) &
      exists2 c, 0 < c & forall z, dot z z <= c * \sum_(l < (latest_of es).+1)
        dot (sum_in *m iter l (mulmx A_in) z) (sum_in *m iter l (mulmx A_in) z)].
Proof.
case/and5P=> follow /(@factored_posdef R) inc /andP[/(all_nthP (0, 0)%N) inside /eqP size_es] pos /andP[/Z.ltb_lt q1 inv]; split=> //.
- by move=> z z0; have := inc z z0; rewrite minusE formB moved_formE subr_gt0.
- have := qposP R pos; congr (0 < _); rewrite -point_afterE /form.
  set z := point_after _ _ _ _ _ _ _.
  have -> : val (entry (times 1 r 1 (transpose r 1 z) (times r r 1 X z)) 0 0)
    = mx R 1 1 (times 1 r 1 (transpose r 1 z) (times r r 1 X z)) 0 0 by rewrite mxE.
  by rewrite !mx_times mx_transpose mulmxA.
have unit := unit_modulo R q1 inv; set O := mx R r r _ in unit.
have [c c0 le] := norm_le (invmx O); exists (c * r.+1%:R) => [|z]; first by rewrite mulr_gt0 ?ltr0n.
have /= := le (O *m z); rewrite mulKmx // => /le_trans; apply; rewrite -mulrA ler_wpmul2l ?(ltW c0) //.
set total := \sum_(l < _) _; rewrite dotE.
have term (i : 'I_r) : (O *m z) i 0 * (O *m z) i 0 <= total.
  have ies : (i < size es)%N by rewrite size_es.
  set e := nth (0, 0)%N es i; have ek : (e.1 < k)%N := inside i ies; have el : (e.2 < (latest_of es).+1)%N := latest_le ies.
  have -> : (O *m z) i 0 = (sum_in *m iter e.2 (mulmx A_in) z) (Ordinal ek) 0.
    rewrite /sum_in -(powers_afterE (sum_rows k r cs) z el) !mxE; apply: eq_bigr => j _.
    by rewrite !mxE entry_table.
  rewrite /total (bigD1 (Ordinal el)) //= dotE (bigD1 (Ordinal ek)) //= -addrA ler_addl addr_ge0 //.
    by apply: sumr_ge0 => a _; rewrite -expr2 sqr_ge0.
  by apply: sumr_ge0 => a _; exact: dot_ge0.
apply: le_trans (ler_sum _ (fun i _ => term i)) _; rewrite sumr_const card_ord -[total *+ r]mulr_natl ler_wpmul2r //.
  by apply: sumr_ge0 => a _; exact: dot_ge0.
by rewrite ler_nat.
Qed.
End Represents.
