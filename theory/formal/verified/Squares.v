(* A checker of certificates about second moments of TD, GTD and TDC at constant steps, and what its tests mean;
   accepted_squares.v states what it accepts.

   The next update depends on the state s_t and on the trace z_t. With z_t^(k) the trace for the schedule λ_{k+1}, λ_{k+2}, …

       z_{t+1}^(k) = φ_{t+1} + λ_{k+1} γ_{t+1}ρ_t z_t^(k+1)                                   k = 0, …, L

   so a node, a state with these L + 1 traces, is followed by a node, given action and next state; there are finitely many. The
   difference of two runs at the step α obeys y' = (1 + αK)y, K of the node and the transition:
       TD  A      GTD  [[0, −Aᵀ], [ηA, −ηC]]      TDC  [[A, −Aᵀ − C], [ηA, −ηC]]      A = ρz(γφ' − φ)ᵀ, C = φφᵀ
   Nodes and the number of the next one are hints: wrong ones are refused. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule Forms Chain Paths Markov Windows Policies OffPolicy MeanSquares.
From TD Require Import Rationals Matrices Checker Kinds Means Signs PathValues.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

(* The pivots of a symmetric matrix are positive. *)
Fixpoint pivots k (X : mat) : bool :=
  if k is k'.+1 then
    qpos (entry X 0 0) && let r := fraction_inverse (entry X 0 0) in
    pivots k' (table k' k' (fun i j => qadd (entry X i.+1 j.+1) (qopp (qmul (qmul (entry X i.+1 0) r) (entry X 0 j.+1)))))
  else true.
Definition definite_by_pivots k (X : mat) : bool := equal k k X (transpose k k X) && pivots k X.

(* A move out of a place: the place after it, its probability, a matrix *)
Definition move : Type := nat * Q * mat.
Definition sum_of k (l : seq mat) : mat := foldr (plus k k) [::] l.
Definition minus k (X Y : mat) : mat := plus k k X (scale k k (qopp qone) Y).
Definition at_place (Xs : seq mat) i : mat := nth [::] Xs i.
(* Σ p BᵀX'B *)
Definition mean_ahead_of k (Xs : seq mat) (l : seq move) : mat :=
  sum_of k [seq scale k k x.1.2 (times k k k (transpose k k x.2) (times k k k (at_place Xs x.1.1) x.2)) | x <- l].
(* F, G and H, X, T in the place of X *)
Definition F_of k (X : mat) (Ts : seq mat) i (l : seq move) : mat :=
  minus k (at_place Ts i) (sum_of k [seq scale k k x.1.2 (plus k k (plus k k (at_place Ts x.1.1)
    (times k k k (transpose k k x.2) X)) (times k k k X x.2)) | x <- l]).
Definition G_of k (X : mat) (Ts : seq mat) (l : seq move) : mat :=
  sum_of k [seq (let K' := transpose k k x.2 in let T' := at_place Ts x.1.1 in
    scale k k x.1.2 (plus k k (plus k k (times k k k K' T') (times k k k T' x.2)) (times k k k K' (times k k k X x.2)))) | x <- l].
Definition by_step_of k (a : Q) (x : move) : move := (x.1, plus k k (identity k) (scale k k a x.2)).

Section Forms.
Variables (k : nat) (places : seq (seq move)).
Let all_places (f : nat -> seq move -> bool) : bool := each (size places) (fun i => f i (nth [::] places i)).
Definition step_falls (a : Q) (Xs : seq mat) : bool :=
  [&& qpos a, all_places (fun i _ => definite_by_pivots k (at_place Xs i)) &
    all_places (fun i l => definite_by_pivots k (minus k (at_place Xs i) (mean_ahead_of k Xs [seq by_step_of k a x | x <- l])))].
Definition step_grows (a : Q) (Xs : seq mat) : bool :=
  qpos a && all_places (fun i l => equal k k (at_place Xs i) (transpose k k (at_place Xs i)) &&
    definite_by_pivots k (minus k (mean_ahead_of k Xs [seq by_step_of k a x | x <- l]) (at_place Xs i))).
Definition steps_fall (last : Q) (X : mat) (Ts : seq mat) : bool :=
  [&& qpos last, definite_by_pivots k X, all_places (fun i _ => definite_by_pivots k (at_place Ts i)) &
    all_places (fun i l => let F := F_of k X Ts i l in definite_by_pivots k F &&
      definite_by_pivots k (minus k (minus k F (scale k k last (G_of k X Ts l))) (scale k k (qmul last last) (mean_ahead_of k Ts l))))].
Definition steps_grow (last : Q) (X : mat) (Ts : seq mat) : bool :=
  [&& qpos last, equal k k X (transpose k k X), all_places (fun i _ => definite_by_pivots k (at_place Ts i)) &
    all_places (fun i l => let F := F_of k X Ts i l in definite_by_pivots k (scale k k (qopp qone) F) &&
      definite_by_pivots k (minus k (scale k k last (G_of k X Ts l)) F))].
End Forms.

Inductive learner := LearnTD | LearnGTD of Q | LearnTDC of Q.
Record window := Window { window_state : nat; window_traces : mat; window_next : seq (seq nat) }.

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let m := columns M.
Let L := size (lambdas M).
Definition learner_size (f : learner) : nat := match f with LearnTD => m | _ => (m + m)%N end.
Definition learner_fits (f : learner) : bool := match f with LearnTD => true | LearnGTD eta | LearnTDC eta => qpos eta end.

Definition chance_of s a t : Q := qmul (entry (behaviour M) s a) (entry (of_action (transitions M) a) s t).
Definition discount_of s a t : Q := entry (of_action (discounts M) a) s t.
Definition ratio_of s a : Q := qmul (entry (target M) s a) (fraction_inverse (entry (behaviour M) s a)).
Definition traces_at s : mat := table L.+1 m (fun _ j => entry (features M) s j).
Definition traces_after (z : mat) s a t : mat := let g := qmul (discount_of s a t) (ratio_of s a) in
  table L.+1 m (fun k j => qadd (entry (features M) t j) (qmul (qmul (at_ (lambdas M) k) g) (entry z k.+1 j))).

Definition td_change (z : mat) s a t : mat := let rho := ratio_of s a in let g := discount_of s a t in
  table m m (fun i j => qmul (qmul rho (entry z 0 i))
    (qadd (qmul g (entry (features M) t j)) (qopp (entry (features M) s j)))).
Definition outer s : mat := table m m (fun i j => qmul (entry (features M) s i) (entry (features M) s j)).
Definition change (f : learner) z s a t : mat :=
  let A := td_change z s a t in
  match f with
  | LearnTD => A
  | LearnGTD eta => blocks M [::] (scale m m (qopp qone) (transpose m m A)) (scale m m eta A) (scale m m (qopp eta) (outer s))
  | LearnTDC eta => let C := outer s in
    blocks M A (scale m m (qopp qone) (plus m m (transpose m m A) C)) (scale m m eta A) (scale m m (qopp eta) C)
  end.

Definition window_after (w : window) a t : nat := nth 0%N (nth [::] (window_next w) a) t.
Definition moves_of (f : learner) (w : window) : seq move :=
  flatten [seq flatten [seq (let q := chance_of (window_state w) a t in
    if qnull q then [::] else [:: (window_after w a t, q, change f (window_traces w) (window_state w) a t)])
    | t <- iota 0 n] | a <- iota 0 (actions M)].
Definition no_window : window := Window 0 [::] [::].
Definition is_window (ws : seq window) j s (z : mat) : bool := let w := nth no_window ws j in
  [&& (j < size ws)%N, eqn (window_state w) s & equal L.+1 m (window_traces w) z].
(* starts: for each state the number of its window at time zero *)
Definition closed_windows (c : component) (starts : seq nat) (ws : seq window) : bool :=
  [&& proper M, recurrent M (behaviour_chain M) c,
      each n (fun s => if marked (members c) s then is_window ws (nth 0%N starts s) s (traces_at s) else true) &
      all (fun w => (window_state w < n)%N && each2 (actions M) n (fun a t =>
        if qnull (chance_of (window_state w) a t) then true
        else is_window ws (window_after w a t) t (traces_after (window_traces w) (window_state w) a t))) ws].

Definition windowed (f : learner) c starts ws : bool := learner_fits f && closed_windows c starts ws.
Definition check_square_bounded f c starts ws (a : Q) Xs : bool :=
  windowed f c starts ws && step_falls (learner_size f) [seq moves_of f w | w <- ws] a Xs.
Definition check_square_bounded_upto f c starts ws (last : Q) X Ts : bool :=
  windowed f c starts ws && steps_fall (learner_size f) [seq moves_of f w | w <- ws] last X Ts.
Definition check_square_unbounded f c starts ws (a : Q) Xs i x : bool :=
  [&& windowed f c starts ws, (i < size ws)%N, qpos (form_at (learner_size f) (at_place Xs i) x) &
      step_grows (learner_size f) [seq moves_of f w | w <- ws] a Xs].
Definition check_square_unbounded_upto f c starts ws (last : Q) X Ts x : bool :=
  [&& windowed f c starts ws, qpos (form_at (learner_size f) X x) &
      steps_grow (learner_size f) [seq moves_of f w | w <- ws] last X Ts].
End Compute.

(* ---- What it means ---- *)

Section Definite.
Variable R : realFieldType.
Local Notation val := (@qval R).

Lemma form_sums k (E : 'M[R]_k) x : form E x = \sum_i \sum_j x i 0 * E i j * x j 0.
Proof.
rewrite /form mxE exchange_big /=; apply: eq_bigr => j _; rewrite mxE mulr_suml.
by apply: eq_bigr => i _; rewrite !mxE.
Qed.

Lemma pivotsP k X : (mx R k k X)^T = mx R k k X -> pivots k X -> posdef (mx R k k X).
Proof.
elim: k X => [|k IH] X sym /=; first by move=> _ x; rewrite [x]flatmx0 eqxx.
case/andP=> /(qposP R); set a := val (entry X 0 0) => a0; set Y := table _ _ _ => piv x x0.
have symE i j : (i < k.+1)%N -> (j < k.+1)%N -> val (entry X i j) = val (entry X j i).
  by move=> il jl; have /matrixP/(_ (Ordinal jl) (Ordinal il)) := sym; rewrite !mxE.
pose b (j : 'I_k) := val (entry X 0 j.+1).
have bE (i : 'I_k) : val (entry X i.+1 0) = b i by rewrite symE //= ltnS.
have YE (i j : 'I_k) : mx R k k Y i j = val (entry X i.+1 j.+1) - b i * a^-1 * b j.
  by rewrite mxE entry_table // qvalD qvalN !qvalM fraction_inverseE bE.
have Y_sym : (mx R k k Y)^T = mx R k k Y.
  apply/matrixP => i j; rewrite mxE !YE symE ?ltnS //; congr (_ - _); by rewrite mulrC mulrA mulrAC.
pose y : 'cV[R]_k := \col_i x (lift ord0 i) 0; pose u := \sum_j b j * y j 0.
have E : form (mx R k.+1 k.+1 X) x = a^-1 * (a * x 0 0 + u) ^+ 2 + form (mx R k k Y) y.
  have EY : form (mx R k k Y) y = \sum_i \sum_j y i 0 * val (entry X (i : 'I_k).+1 (j : 'I_k).+1) * y j 0 - a^-1 * u * u.
    rewrite form_sums; transitivity (\sum_i (\sum_j y i 0 * val (entry X (i : 'I_k).+1 (j : 'I_k).+1) * y j 0
      - b i * y i 0 * (a^-1 * u))).
      apply: eq_bigr => i _; rewrite /u !mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite YE.
      by move: (y i 0) (y j 0) (val _) (b i) (b j) (a^-1) => *; ring.
    by rewrite sumrB -mulr_suml -/u mulrCA mulrA.
  rewrite EY form_sums big_ord_recl big_ord_recl /=.
  have -> : \sum_(i < k) \sum_(j < k.+1) x (lift ord0 i) 0 * mx R k.+1 k.+1 X (lift ord0 i) j * x j 0
      = x 0 0 * u + \sum_i \sum_j y i 0 * val (entry X (i : 'I_k).+1 (j : 'I_k).+1) * y j 0.
    rewrite /u mulr_sumr -big_split /=; apply: eq_bigr => i _; rewrite big_ord_recl; congr (_ + _).
      by rewrite !mxE -[val _]/(val (entry X i.+1 0)) bE -[x ord0 0]/(x 0 0) mulrC [_ * b i]mulrC.
    by apply: eq_bigr => j _; rewrite !mxE.
  have -> : \sum_(i < k) x ord0 0 * mx R k.+1 k.+1 X ord0 (lift ord0 i) * x (lift ord0 i) 0 = x 0 0 * u.
    by rewrite /u mulr_sumr; apply: eq_bigr => i _; rewrite !mxE /= mulrA.
  clear EY; rewrite mxE -[x ord0 0]/(x 0 0) -[val _]/a; have a1 : a != 0 by rewrite gt_eqF.
  by move: (\sum_i _) (x 0 0) (u) => f t v; field.
have [y0|y0] := eqVneq y 0.
  have u0 : u = 0 by rewrite /u big1 // => j _; rewrite y0 mxE mulr0.
  rewrite E y0 form0 u0 !addr0; apply: mulr_gt0; first by rewrite invr_gt0.
  rewrite lt_neqAle sqr_ge0 andbT eq_sym sqrf_eq0 mulf_eq0 gt_eqF //=; apply: contra x0 => /eqP x00; apply/eqP/matrixP => i j.
  rewrite (ord1 j) [RHS]mxE; case: (unliftP ord0 i) => [i' ->|-> //].
  by have /matrixP/(_ i' 0) := y0; rewrite !mxE.
rewrite E; apply: ltr_paddl; last exact: IH.
by rewrite mulr_ge0 ?sqr_ge0 // invr_ge0 ltW.
Qed.

Lemma definiteP k X : definite_by_pivots k X -> (mx R k k X)^T = mx R k k X /\ posdef (mx R k k X).
Proof.
case/andP=> /(equalP R) sym piv; have sym' : (mx R k k X)^T = mx R k k X by rewrite {2}sym mx_transpose.
by split=> //; apply: pivotsP.
Qed.

Lemma minusE k X Y : mx R k k (minus k X Y) = mx R k k X - mx R k k Y.
Proof. by rewrite mx_plus mx_scale qvalN qval1 scaleN1r. Qed.
Lemma sum_ofE k T (l : seq T) f : mx R k k (sum_of k [seq f x | x <- l]) = \sum_(x <- l) mx R k k (f x).
Proof. by elim: l => [|x l IH]; [rewrite big_nil; exact: Signs.mx_nil | rewrite big_cons -IH -mx_plus]. Qed.

(* Places of a list that stand for the nodes I, moves for S *)
Section Represents.
Variables (k N : nat) (S : finType) (places : seq (seq move)).
Variables (to : 'I_N -> S -> 'I_N) (w : 'I_N -> S -> R) (C : 'I_N -> S -> 'M[R]_k).
Hypothesis places_size : size places = N.
Hypothesis w_ge0 : forall i s, 0 <= w i s.
Hypothesis w_sum : forall i, \sum_s w i s = 1.
(* a sum over the moves out of a place is one over S *)
Hypothesis represents : forall i (f : nat -> 'M[R]_k -> 'M[R]_k),
  \sum_(x <- nth [::] places (i : 'I_N)) val x.1.2 *: f x.1.1 (mx R k k x.2) = \sum_s w i s *: f (to i s) (C i s).
Implicit Types (Xs Ts : seq mat).
Let family Xs (i : 'I_N) : 'M[R]_k := mx R k k (at_place Xs i).

Lemma mean_ahead_ofE Xs (i : 'I_N) : mx R k k (mean_ahead_of k Xs (nth [::] places i)) = part_H to w (family Xs) C i.
Proof.
rewrite /mean_ahead_of sum_ofE /part_H; have /= <- := represents i (fun j K => K^T *m mx R k k (at_place Xs j) *m K).
by apply: eq_bigr => x _; rewrite mx_scale !mx_times mx_transpose mulmxA.
Qed.

Lemma mean_ahead_stepE a Xs (i : 'I_N) (B := fun i s => 1%:M + val a *: C i s) :
  mx R k k (mean_ahead_of k Xs [seq by_step_of k a x | x <- nth [::] places i]) = ahead_form to w (family Xs) B i.
Proof.
rewrite /mean_ahead_of -map_comp sum_ofE.
rewrite /ahead_form; have /= <- := represents i (fun j K => (1%:M + val a *: K)^T *m mx R k k (at_place Xs j)
  *m (1%:M + val a *: K)).
apply: eq_bigr => x _; rewrite /= mx_scale !mx_times mx_transpose mulmxA.
by rewrite mx_plus mx_identity mx_scale.
Qed.

Lemma F_ofE X Ts (i : 'I_N) : mx R k k (F_of k X Ts i (nth [::] places i)) = part_F to w (mx R k k X) (family Ts) C i.
Proof.
rewrite minusE sum_ofE; congr (_ - _).
have /= <- := represents i (fun j K => mx R k k (at_place Ts j) + K^T *m mx R k k X + mx R k k X *m K).
by apply: eq_bigr => x _; rewrite mx_scale !mx_plus !mx_times mx_transpose.
Qed.

Lemma G_ofE X Ts (i : 'I_N) : mx R k k (G_of k X Ts (nth [::] places i)) = part_G to w (mx R k k X) (family Ts) C i.
Proof.
rewrite /G_of sum_ofE /part_G; have /= <- := represents i (fun j K => K^T *m mx R k k (at_place Ts j)
  + mx R k k (at_place Ts j) *m K + K^T *m mx R k k X *m K).
by apply: eq_bigr => x _; rewrite mx_scale !mx_plus !mx_times mx_transpose mulmxA.
Qed.

Let eachI (f : nat -> bool) : each (size places) f -> forall i : 'I_N, f i.
Proof. by rewrite places_size => /eachP. Qed.

Lemma step_fallsP a Xs : step_falls k places a Xs -> [/\ 0 < val a,
  forall i, (family Xs i)^T = family Xs i, forall i, posdef (family Xs i) & falls to w (family Xs) (by_step C (val a))].
Proof.
case/and3P=> /(qposP R) a0 /eachI pos /eachI fall; split=> // [i|i|i z z0]; try by case: (definiteP (pos i)).
have [_ dec] := definiteP (fall i); have := dec z z0.
by rewrite minusE mean_ahead_stepE formB subr_gt0 ahead_formE.
Qed.

Lemma step_growsP a Xs : step_grows k places a Xs -> 0 < val a /\ grows to w (family Xs) (by_step C (val a)).
Proof.
case/andP=> /(qposP R) a0 /eachI grow; split=> // i z z0.
have /andP[_ /definiteP[_ inc]] := grow i; have := inc z z0.
by rewrite minusE mean_ahead_stepE formB subr_gt0 ahead_formE.
Qed.

Lemma tilted_posdef (X : 'M[R]_k) (T : 'I_N -> 'M[R]_k) alpha : posdef X -> (forall i, posdef (T i)) -> 0 < alpha ->
  forall i, posdef (tilted X T alpha i).
Proof. by move=> X0 T0 a0 i z z0; rewrite formD formZ addr_gt0 ?X0 // mulr_gt0 // T0. Qed.

Lemma steps_fallP last X Ts : steps_fall k places last X Ts -> 0 < val last /\ forall alpha, 0 < alpha <= val last ->
  [/\ forall i, (tilted (mx R k k X) (family Ts) alpha i)^T = tilted (mx R k k X) (family Ts) alpha i,
      forall i, posdef (tilted (mx R k k X) (family Ts) alpha i) &
      falls to w (tilted (mx R k k X) (family Ts) alpha) (by_step C alpha)].
Proof.
case/and4P=> /(qposP R) last0 /definiteP[X_sym X_pos] /eachI T_pos /eachI dec; split=> // alpha a01.
have T_def i : (family Ts i)^T = family Ts i /\ posdef (family Ts i) by apply: definiteP (T_pos i).
split=> [i||].
- by rewrite /tilted linearD /= linearZ /= X_sym (T_def i).1.
- by apply: tilted_posdef => // [i|]; [case: (T_def i) | case/andP: a01].
apply: (@every_step_falls _ _ _ _ to w w_ge0 (mx R k k X) (family Ts) C w_sum _ (val last)) => // i; first by case: (T_def i).
  by have /andP[/definiteP[_]] := dec i; rewrite F_ofE.
by have /andP[_ /definiteP[_]] := dec i; rewrite minusE [mx _ _ _ (minus _ (F_of _ _ _ _ _) _)]minusE !mx_scale F_ofE G_ofE mean_ahead_ofE qvalM -expr2.
Qed.

Lemma steps_growP last X Ts : steps_grow k places last X Ts -> 0 < val last /\ forall alpha, 0 < alpha <= val last ->
  (forall i z, form (mx R k k X) z <= form (tilted (mx R k k X) (family Ts) alpha i) z) /\
  grows to w (tilted (mx R k k X) (family Ts) alpha) (by_step C alpha).
Proof.
case/and4P=> /(qposP R) last0 _ /eachI T_pos /eachI inc; split=> // alpha a01; have /andP[a0 _] := a01.
have T_def i : posdef (family Ts i) by have [] := definiteP (T_pos i).
split=> [i z|].
  rewrite formD formZ ler_addl mulr_ge0 ?(ltW a0) //.
  by have [->|/(T_def i)/ltW//] := eqVneq z 0; rewrite form0.
apply: (@every_step_grows _ _ _ _ to w w_ge0 (mx R k k X) (family Ts) C w_sum _ (val last)) => // i.
  by have /andP[/definiteP[_]] := inc i; rewrite mx_scale F_ofE qvalN qval1 scaleN1r.
by have /andP[_ /definiteP[_]] := inc i; rewrite minusE mx_scale F_ofE G_ofE.
Qed.
End Represents.
End Definite.

(* The windows of a model *)
Section Windows.
Variables (R : realFieldType) (M : model) (f : learner).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Local Notation O := [finType of (Act M * 'I_n.+1)%type].
Local Notation D := (learner_size M f).
Local Notation Phi := (Phi R M).
Local Notation rho := (ratio (mu R (M := M)) (pi R (M := M))).
Local Notation gamma := (gamma R (M := M)).
Local Notation reward := (reward R (M := M)).
Local Notation behave := (behave (p R (M := M)) (mu R (M := M))).
Implicit Types (h : seq O) (o : O).

(* ---- The algorithms at the step α, β = ηα, and runs that go on after a history h0 from x: k is what is observed after it ---- *)
Definition iterate (alpha : R) : 'cV[R]_D -> seq O -> 'cV[R]_D :=
  match f return 'cV[R]_(learner_size M f) -> seq O -> 'cV[R]_(learner_size M f) with
  | LearnTD => fun x h => off_policy_td snd Phi (lam R M) gamma rho reward (fun=> alpha) x h
  | LearnGTD eta => fun x h =>
    let y := gtd snd Phi (lam R M) gamma rho reward (fun=> alpha) (fun=> val eta * alpha) (usubmx x) (dsubmx x) h in col_mx y.1 y.2
  | LearnTDC eta => fun x h =>
    let y := tdc snd Phi (lam R M) gamma rho reward (fun=> alpha) (fun=> val eta * alpha) (usubmx x) (dsubmx x) h in col_mx y.1 y.2
  end.

(* the change of one step with the matrices A and C, and what is added with the vector b *)
Definition change_of (A C : 'M[R]_m) : 'M[R]_D :=
  match f return 'M[R]_(learner_size M f) with
  | LearnTD => A
  | LearnGTD eta => block_mx 0 (- A^T) (val eta *: A) (- (val eta *: C))
  | LearnTDC eta => block_mx A (- (A^T + C)) (val eta *: A) (- (val eta *: C))
  end.
Definition gain_of (b : 'cV[R]_m) : 'cV[R]_D :=
  match f return 'cV[R]_(learner_size M f) with
  | LearnTD => b
  | LearnGTD eta => col_mx 0 (val eta *: b)
  | LearnTDC eta => col_mx b (val eta *: b)
  end.
Local Notation A_at := (OffPolicy.A_of snd Phi (lam R M) gamma rho).
Local Notation b_at := (OffPolicy.b_of snd Phi (lam R M) gamma rho reward).
Local Notation C_at := (OffPolicy.C_of snd Phi).

Lemma iterateE alpha x o' o h : iterate alpha x (o' :: o :: h) = iterate alpha x (o :: h)
  + alpha *: (change_of (A_at (o' :: o :: h)) (C_at (o' :: o :: h)) *m iterate alpha x (o :: h) + gain_of (b_at (o' :: o :: h))).
Proof.
rewrite /iterate /change_of /gain_of; case: (f) x => [|eta|eta] x; first exact: off_policy_tdE.
- rewrite gtd_thetaE gtd_wE mul_block_col !mul0mx add0r add_col_mx scale_col_mx add_col_mx; congr (col_mx (_ + _) (_ + _)).
    by rewrite addr0 mulNmx scalerN.
  by rewrite [_ * alpha]mulrC -scalerA; congr (_ *: _); rewrite mulNmx -!scalemxAl scalerBr scalerDr addrAC.
rewrite tdc_thetaE tdc_wE mul_block_col add_col_mx scale_col_mx add_col_mx; congr (col_mx (_ + _) (_ + _)).
  by rewrite mulNmx mulmxDl opprD addrA [in RHS]addrAC [X in _ = _ *: (X - _)]addrAC.
by rewrite [_ * alpha]mulrC -scalerA; congr (_ *: _); rewrite mulNmx -!scalemxAl scalerBr scalerDr addrAC.
Qed.

(* From a history on: what is observed after h0, the latest first *)
Definition step (alpha : R) (o' : O) (h : seq O) (x : 'cV[R]_D) : 'cV[R]_D :=
  x + alpha *: (change_of (A_at (o' :: h)) (C_at (o' :: h)) *m x + gain_of (b_at (o' :: h))).
Fixpoint run (alpha : R) (h0 : seq O) (x : 'cV[R]_D) (k : seq O) : 'cV[R]_D :=
  if k is o' :: k' then step alpha o' (k' ++ h0) (run alpha h0 x k') else x.

Lemma run_iterate alpha o x k : run alpha [:: o] x k = iterate alpha x (k ++ [:: o]).
Proof.
elim: k => [|o' k IH] /=; first by rewrite /iterate; case: (f) x => [|eta|eta] x //=; rewrite vsubmxK.
by rewrite IH /step; case: k {IH} => [|o1 k] /=; rewrite iterateE.
Qed.

(* ---- Windows ---- *)
Variables (c : component) (starts : seq nat) (ws : seq window).
Hypothesis ok : windowed M f c starts ws.
Let closed : closed_windows M c starts ws. Proof. by case/andP: ok. Qed.
Let prop : proper M. Proof. by case/and4P: closed. Qed.
Local Notation window_at := (nth no_window ws).
Local Notation L := (size (lambdas M)).

(* the trace for the schedule from λ_{k+1} on *)
Definition trace_from k h : 'cV[R]_m :=
  td_trace snd Phi (iter k (@Schedule.shift R) (lam R M)) (fun i o => gamma i o * rho i o) h.
(* The window i is that of h: its last state, and all traces for what is left of the schedule, are those of the window. *)
Definition in_window i h : Prop := (i < size ws)%N /\
  if h is o :: _ then window_state (window_at i) = o.2 /\
    forall (k : 'I_L.+1) (j : 'I_m), val (entry (window_traces (window_at i)) k j) = trace_from k h j 0
  else False.

Lemma ratio_ofE (i : 'I_n.+1) (a : Act M) : val (ratio_of M i a) = pi R i a / mu R i a.
Proof. by rewrite /ratio_of qvalM fraction_inverseE. Qed.

Lemma trace_from_first k o : trace_from k [:: o] = phi Phi o.2.
Proof. by rewrite /trace_from td_trace_lags /td_lags big_nat1 c0 big_geq // mulr1 scale1r. Qed.

Lemma iter_shift k (l : nat -> R) j : iter k (@Schedule.shift R) l j = l (k + j)%N.
Proof. by elim: k j => [|k IH] j //=; rewrite /Schedule.shift IH addnS. Qed.

Lemma trace_fromS k o' o h : trace_from k (o' :: o :: h)
  = phi Phi o'.2 + (lam R M k.+1 * (gamma o.2 o' * rho o.2 o')) *: trace_from k.+1 (o :: h).
Proof.
rewrite /trace_from !td_trace_lags /td_lags big_nat_recl //= c0 big_geq // mulr1 scale1r; congr (_ + _).
rewrite -[(size h).+1]/(size (o :: h)) scaler_sumr; apply: eq_bigr => j _.
rewrite scalerA c_first big_nat_recl //= iter_shift addn1; congr (_ *: _).
by rewrite mulrACA.
Qed.

Lemma lam_at k : lam R M k.+1 = val (at_ (lambdas M) k).
Proof.
rewrite /lam /schedule /at_; have [kL|Lk] := ltnP k (size (lambdas M)); first by rewrite (nth_map qzero).
by rewrite !nth_default ?size_map // qval0.
Qed.

Lemma is_windowP j (s : 'I_n.+1) z : is_window M ws j s z -> [/\ (j < size ws)%N, window_state (window_at j) = s &
  mx R L.+1 m (window_traces (window_at j)) = mx R L.+1 m z].
Proof. by case/and3P=> jN /eqP sE /(equalP R). Qed.

Lemma start_in_window (o : O) : o.2 \in set_of M (members c) -> in_window (nth 0%N starts o.2) [:: o].
Proof.
rewrite inE => o_in; case/and4P: closed => _ _ /eachP/(_ o.2); rewrite o_in => /is_windowP[jN sE zE] _.
split=> //; split=> // k j; rewrite trace_from_first; have /matrixP/(_ k j) := zE.
by rewrite !mxE entry_table // => ->; rewrite !mxE.
Qed.

Lemma chanceE (i : 'I_n.+1) (o : O) : val (chance_of M i o.1 o.2) = behave i o.
Proof. by rewrite qvalM /behave mxE. Qed.

Definition next i (o : O) : nat := window_after (window_at i) o.1 o.2.
Lemma next_in_window i (o : O) (s : 'I_n.+1) h : in_window i h -> (if h is o0 :: _ then o0.2 = s else True) ->
  0 < behave s o -> in_window (next i o) (o :: h).
Proof.
case: h => [|o0 h] [iN //] [sE zE] os pos; rewrite os in sE.
case/and4P: closed => _ _ _ /(all_nthP no_window)/(_ _ iN)/andP[_ /each2P/(_ o.1 o.2)].
rewrite sE (qnullP R) chanceE gt_eqF // => /is_windowP[jN jE tE]; split=> //; split=> // k j.
have /matrixP/(_ k j) := tE; rewrite !mxE entry_table // => ->; rewrite trace_fromS !mxE qvalD qvalM qvalM qvalM ratio_ofE -lam_at os.
congr (_ + _).
have [kL|Lk] := ltnP k.+1 L.+1; first by rewrite (zE (Ordinal kL) j).
by rewrite [lam R M _]lam_at /at_ nth_default // qval0 !mul0r.
Qed.

(* ---- The windows as nodes ---- *)
Let size_ws : (0 < size ws)%N -> size ws = (size ws).-1.+1. Proof. by case: (size ws). Qed.
Local Notation I := 'I_(size ws).-1.+1.
Definition state_at (i : I) : 'I_n.+1 := inord (window_state (window_at i)).
Definition node_after (i : I) (o : O) : I := inord (next i o).
Definition node_weight (i : I) (o : O) : R := behave (state_at i) o.
Definition node_change (i : I) (o : O) : 'M[R]_D :=
  mx R D D (change M f (window_traces (window_at i)) (state_at i) o.1 o.2).
Definition node_gain (i : I) (o : O) : 'cV[R]_D :=
  gain_of ((rho (state_at i) o * reward (state_at i) o) *: \col_j val (entry (window_traces (window_at i)) 0 j)).

Lemma places_after (i : I) (F : nat -> 'M[R]_D -> 'M[R]_D) : (0 < size ws)%N ->
  \sum_(x <- nth [::] [seq moves_of M f w | w <- ws] i) val x.1.2 *: F x.1.1 (mx R D D x.2)
  = \sum_o node_weight i o *: F (node_after i o) (node_change i o).
Proof.
move=> ws0; have iN : (i < size ws)%N by rewrite [X in (_ < X)%N]size_ws.
have [_ _ _ /(all_nthP no_window)/(_ _ iN)/andP[sn /each2P inside]] := and4P closed.
have sE : window_state (window_at i) = state_at i by rewrite inordK.
rewrite (nth_map no_window) // /moves_of big_flatten big_map big_seq; set w := window_at i in sn inside sE *.
pose G (a t : nat) := val (chance_of M (window_state w) a t) *:
  F (window_after w a t) (mx R D D (change M f (window_traces w) (window_state w) a t)).
transitivity (\sum_(a <- iota 0 (actions M)) \sum_(t <- iota 0 n.+1) G a t).
  rewrite [RHS]big_seq; apply: eq_bigr => a _; rewrite big_flatten big_map; apply: eq_bigr => t _; rewrite /G.
  case: ifP => [|_]; last by rewrite big_seq1.
  by rewrite big_nil (qnullP R) => /eqP ->; rewrite scale0r.
transitivity (\sum_(a : Act M) \sum_(t : 'I_n.+1) node_weight i (a, t) *: F (node_after i (a, t)) (node_change i (a, t))).
  2: by rewrite pair_bigA; apply: eq_bigr => -[a t] _.
rewrite -[X in iota 0 X]subn0 -/(index_iota 0 (actions M)) big_mkord; apply: eq_bigr => a _.
rewrite -[X in iota 0 X]subn0 -/(index_iota 0 n.+1) big_mkord; apply: eq_bigr => t _.
rewrite /G /node_weight -(chanceE (state_at i) (a, t)) /node_change -/w -sE /=.
have := inside a t; rewrite (qnullP R); case: eqP => [-> _|_ /and3P[jN _ _]]; first by rewrite !scale0r.
have jN' : (next i (a, t) < (size ws).-1.+1)%N by apply: leq_trans jN _; exact: leqSpred.
by rewrite /node_after inordK.
Qed.

Lemma node_weight_ge0 i o : 0 <= node_weight i o.
Proof. exact: (behave_observes (@p_stochastic R M prop) (@mu_policy R M prop)).1. Qed.
Lemma node_weight_sum i : \sum_o node_weight i o = 1.
Proof.
have [mu_ok p_ok] := (@mu_policy R M prop, @p_stochastic R M prop).
by rewrite (observes_sum _ (behave_observes p_ok mu_ok)) (policy_stochastic p_ok mu_ok).2.
Qed.

(* the change and the gain of the last step of a history, by its window *)
Lemma node_changeE i (o' : O) h (iN : (i < size ws)%N) : in_window i h ->
  node_change (inord i) o' = change_of (A_at (o' :: h)) (C_at (o' :: h)).
Proof.
case: h => [|o h] [_ //] [sE zE]; have ws0 : (0 < size ws)%N by apply: leq_ltn_trans iN.
rewrite /node_change /state_at inordK -?size_ws // sE inord_val.
have AE : mx R m m (td_change M (window_traces (window_at i)) o.2 o'.1 o'.2) = A_at (o' :: o :: h).
  apply/matrixP => j l; rewrite mxE entry_table // qvalM qvalM ratio_ofE qvalD qvalN qvalM.
  rewrite (zE ord0 j) /OffPolicy.A_of /td_matrix [RHS]mxE big_ord1 /= !mxE /trace_from /=.
  rewrite -[val (discount_of _ _ _ _)]/(gamma o.2 o') -[pi R _ _ / _]/(rho o.2 o').
  by move: (td_trace _ _ _ _ _ _ _) (gamma _ _) (rho _ _) => z g r; ring.
have CE : mx R m m (outer M o.2) = C_at (o' :: o :: h).
  by apply/matrixP => j l; rewrite mxE entry_table // qvalM /OffPolicy.C_of mxE big_ord1 /= !mxE.
rewrite /change /change_of; case: (f) => [|eta|eta] //=.
  by rewrite blocksE !mx_scale mx_transpose Signs.mx_nil AE CE !qvalN qval1 scaleN1r scaleNr.
by rewrite blocksE !mx_scale mx_plus mx_transpose AE CE !qvalN qval1 scaleN1r scaleNr.
Qed.

Lemma node_gainE i (o' : O) h : in_window i h -> node_gain (inord i) o' = gain_of (b_at (o' :: h)).
Proof.
case: h => [|o h] [iN //] [sE zE]; have ws0 : (0 < size ws)%N by apply: leq_ltn_trans iN.
rewrite /node_gain /state_at inordK -?size_ws // sE inord_val; congr (gain_of _).
rewrite /OffPolicy.b_of /td_vector /=; congr (_ *: _); apply/matrixP => j l.
by rewrite (ord1 l) mxE (zE ord0 j).
Qed.

Variable init : O -> R.
Hypothesis init_law : distribution init.
Local Notation path_law := (observation_kernel snd behave init).
Lemma path_kernel : Paths.kernel path_law.
Proof.
have [mu_ok p_ok] := (@mu_policy R M prop, @p_stochastic R M prop).
exact: (observation_kernelP (policy_stochastic p_ok mu_ok) (behave_observes p_ok mu_ok) init_law).
Qed.

(* the window after what is observed from the window i on *)
Fixpoint place i (k : seq O) : nat := if k is o' :: k' then next (place i k') o' else i.

Section After.
Variables (i : nat) (h0 : seq O).
Hypothesis h0_in : in_window i h0.
Local Notation K := (fun k : seq O => path_law (k ++ h0)).
Local Notation good := (fun k : seq O => in_window (place i k) (k ++ h0)).
Local Notation node := (fun k : seq O => inord (place i k) : I).

Lemma windows_seen : seen_by_nodes node_after node_weight K good node.
Proof.
have [K0 K1] := path_kernel; split=> [|k o|k o|k o].
- by split=> [k o|k].
- case E: (k ++ h0) => [|o0 h] gk; first by case: gk.
  by move=> pos; rewrite /= E; apply: (@next_in_window _ _ o0.2 (o0 :: h)).
- case E: (k ++ h0) => [|o0 h] [iN gk] //; have ws0 : (0 < size ws)%N by apply: leq_ltn_trans iN.
  by case: gk => sE _; rewrite /node_weight /state_at inordK -?size_ws // sE inord_val.
move=> [iN _] _; have ws0 : (0 < size ws)%N by apply: leq_ltn_trans iN.
by rewrite /node_after inordK // -size_ws.
Qed.

Lemma run_obeys alpha x :
  obeys_affine K good node (by_step node_change alpha) (fun j o => alpha *: node_gain j o) (run alpha h0 x).
Proof.
move=> k o gk _; have [iN _] := gk.
rewrite /by_step (node_changeE o iN gk) (node_gainE o gk) -[LHS]/(step alpha o (k ++ h0) (run alpha h0 x k)) /step.
by rewrite mulmxDl mul1mx -scalemxAl scalerDr addrA.
Qed.

Lemma difference_obeys alpha x x' :
  obeys K good node (by_step node_change alpha) (fun k => run alpha h0 x k - run alpha h0 x' k).
Proof.
move=> k o gk pos; rewrite !(run_obeys alpha _ gk pos) mulmxBr opprD addrACA subrr addr0 //.
Qed.

Lemma iter_after t (F : seq O -> R) k : iter t (mean path_law) F (k ++ h0) = iter t (mean K) (fun k => F (k ++ h0)) k.
Proof. by elim: t k => [|t IH] k //=; apply: eq_bigr => o _; rewrite -IH. Qed.
End After.
End Windows.
