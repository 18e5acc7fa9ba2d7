(* A checker of convergence certificates, and what each of its tests means; checked.v proves that it accepts only what
   converges.

   The model is the one of tdcert's certificates in canonical form: several actions, rewards and discounts for every
   transition, a behaviour and a target policy, features, a finite schedule. The witness is not trusted.

     check_td M w y          for TD(λ)-schedule, on-policy or off-policy: y holds a Lyapunov matrix of A
     check_gradient M w y    for GTD and TDC: y is A⁻¹, or a way to A⁻¹ modulo a number
   Both compute: stochastic rows and policies; a column of P_mu^(2^k) without a zero; dP = d; coverage where d is positive; A
   and b by Horner's rule; Aθ + b = 0. *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra ring.
From TD Require Import Schedule telescoping Forms Chain Limits KeyMatrices thm_4_4_g_negative_definite.
From TD Require Import Paths Sequences Convergence Markov LinearSA Windows Policies OffPolicy Steps Rationals Matrices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- What is computed ---- *)

Record model := Model {
  last_state : nat;              (* n states, 0 … n − 1 = last_state *)
  actions : nat;
  columns : nat;                 (* features *)
  transitions : seq mat;         (* for each action n×n *)
  rewards : seq mat;
  discounts : seq mat;
  behaviour : mat;               (* n × actions *)
  target : mat;
  features : mat;                (* n × columns *)
  lambdas : vec }.               (* λ_1 … λ_L *)

Record witness := Witness {
  stationary : vec;              (* d *)
  doublings : nat; common_state : nat;   (* P_mu to the power 2^doublings is positive in this column *)
  theta : vec }.                 (* θ* *)

Record lyapunov := Lyapunov {
  weight : mat;                  (* X *)
  shift : Q;                     (* ≤ 0 *)
  weight_scale : vec; weight_unit : Q; weight_rows : mat;          (* X > 0 *)
  decrease_times : Q;            (* c > 0 *)
  decrease_scale : vec; decrease_unit : Q; decrease_rows : mat }.  (* −c(BᵀX + XB) > 0, B = A − shift·I *)

(* A is nonsingular: its inverse; or a number, and what finds the inverse modulo that number of an integer matrix, whose rows
   are multiples of those of A. It is not trusted: any function will do. *)
Inductive regular :=
  | Inverse of mat
  | Modulo of Z & (seq (seq Z) -> seq (seq Z)).

Section Compute.
Variable M : model.
Let n := (last_state M).+1.
Let na := actions M.
Let m := columns M.
Definition of_action (l : seq mat) a : mat := nth [::] l a.
Definition sum_actions (f : nat -> Q) : Q := total [seq f a | a <- iota 0 na].
(* Rows times a number for each state; sums over the actions, entry by entry *)
Definition by_state (u : nat -> Q) (X : mat) : mat :=
  zipped (fun i r => let x := u i in [seq qmul x y | y <- r]) (iota 0 n) (filled n n X).
Definition over_actions (X : nat -> mat) : mat :=
  [seq [seq total c | c <- turned n l] | l <- turned n [seq X a | a <- iota 0 na]].

Definition behaviour_chain : mat :=
  over_actions (fun a => by_state (fun i => entry (behaviour M) i a) (of_action (transitions M) a)).
(* μρ: the target policy where the behaviour policy takes the action, zero where it does not *)
Definition reweighted i a : Q := if qnull (entry (behaviour M) i a) then qzero else entry (target M) i a.
Definition reweighted_by (X : seq mat) a : mat :=
  zipped (zipped qmul) (by_state (reweighted^~ a) (of_action (transitions M) a)) (filled n n (of_action X a)).
Definition target_kernel : mat := over_actions (reweighted_by (discounts M)).
Definition target_reward : mat :=
  let X := [seq reweighted_by (rewards M) a | a <- iota 0 na] in
  [seq [:: total [seq total r | r <- l]] | l <- turned n X].

(* S X by Horner's rule, S = Σ_k c_k Nᵏ *)
Fixpoint horner (N : mat) k (lams : vec) (X : mat) : mat :=
  match lams with
  | [::] => X
  | l :: lams' => plus n k X (scale n k l (times n n k N (horner N k lams' X)))
  end.

Definition weighted (d : vec) : mat :=                                                                  (* ΦᵀD *)
  turned m (zipped (fun r x => [seq qmul y x | y <- r]) (filled n m (features M)) (fit qzero n d)).
Definition moves (N : mat) : mat :=                                                                     (* (N − I)Φ *)
  plus n m (times n n m N (features M)) (scale n m (qopp qone) (features M)).
Definition matrix_A (d : vec) : mat :=
  let N := target_kernel in times m n m (weighted d) (horner N m (lambdas M) (moves N)).
Definition vector_b (d : vec) : mat :=
  let N := target_kernel in times m n 1 (weighted d) (horner N 1 (lambdas M) target_reward).

Definition row_law n' (f : nat -> Q) : bool :=
  each n' (fun j => qnneg (f j)) && qequal (total [seq f j | j <- iota 0 n']) qone.

Definition laws n' k (X : mat) : bool := all (fun r => all qnneg r && qequal (total r) qone) (filled n' k X).
Definition proper : bool :=
  [&& each na (fun a => laws n n (of_action (transitions M) a)), laws n na (behaviour M) & laws n na (target M)].
Definition coverage (d : vec) : bool :=
  each2 n na (fun i a => qpos (at_ d i) ==> qnull (entry (behaviour M) i a) ==> qnull (entry (target M) i a)).

(* Which entries of P^(2^k) are certainly positive. *)
Definition support (P : mat) : seq (seq bool) := table n n (fun i j => qpos (entry P i j)).
Definition positive (B : seq (seq bool)) i j : bool := nth false (nth [::] B i) j.
Fixpoint meet (u v : seq bool) : bool :=
  match u, v with x :: u', y :: v' => (x && y) || meet u' v' | _, _ => false end.
Definition double (B : seq (seq bool)) : seq (seq bool) :=
  let cols := table n n (fun j i => positive B i j) in
  [seq [seq meet r c | c <- cols] | r <- table n n (positive B)].
Definition one_column k c (P : mat) : bool :=
  let B := iter k double (support P) in each n (fun i => positive B i c) && (c < n)%N.

Definition stationary_law (P : mat) (d : vec) : bool :=
  let dP := times 1 n n [:: d] P in row_law n (at_ d) && each n (fun j => qequal (entry dP 0 j) (at_ d j)).

Definition at_rest (A b : mat) (th : vec) : bool :=
  equal m 1 (times m m 1 A (table m 1 (fun j _ => at_ th j))) (scale m 1 (qopp qone) b).

(* A is computed once, for all that a certificate asks of it. *)
Definition common_with (A : mat) (w : witness) : bool :=
  let P := behaviour_chain in
  [&& proper, one_column (doublings w) (common_state w) P, stationary_law P (stationary w), coverage (stationary w) &
      at_rest A (vector_b (stationary w)) (theta w)].
Definition common (w : witness) : bool := common_with (matrix_A (stationary w)) w.

Definition decreases (A : mat) (X : mat) (s c : Q) : mat :=
  let B := plus m m A (scale m m (qopp s) (identity m)) in
  let XB := times m m m X B in scale m m (qopp c) (plus m m XB (transpose m m XB)).

Definition lyapunov_with (A : mat) (y : lyapunov) : bool :=
  let X := weight y in
  [&& equal m m X (transpose m m X), qnneg (qopp (shift y)), qpos (decrease_times y),
      factored m X (weight_scale y) (weight_unit y) (weight_rows y) &
      factored m (decreases A X (shift y) (decrease_times y)) (decrease_scale y) (decrease_unit y) (decrease_rows y)].
Definition check_lyapunov (d : vec) (y : lyapunov) : bool := lyapunov_with (matrix_A d) y.

(* A certificate for TD, and one for GTD and TDC. *)
Definition check_td (w : witness) (y : lyapunov) : bool :=
  let A := matrix_A (stationary w) in common_with A w && lyapunov_with A y.
Definition nonsingular (A : mat) (y : regular) : bool :=
  match y with
  | Inverse X => equal m m (times m m m X A) (identity m)
  | Modulo q find => Z.ltb (Zpos xH) q && let B := whole_rows m A (iota 0 m) in inverse_modulo m q (find B) B
  end.
Definition check_gradient (w : witness) (y : regular) : bool :=
  let A := matrix_A (stationary w) in common_with A w && nonsingular A y.
End Compute.

(* ---- What it means ---- *)

Lemma rest_point (R : fieldType) m (A : 'M[R]_m) (b x : 'cV[R]_m) : A \in unitmx -> A *m x + b = 0 -> - invmx A *m b = x.
Proof.
move=> uA rest; apply/eqP; rewrite mulNmx eq_sym -addr_eq0.
by rewrite -{1}[x](mulKmx uA) -mulmxDr rest mulmx0.
Qed.

Section Meaning.
Variables (R : realFieldType) (M : model).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation val := (@qval R).
Definition Act : finType := [finType of 'I_(actions M)].
Definition p (a : Act) : 'M[R]_n.+1 := mx R _ _ (of_action (transitions M) a).
Definition mu (i : 'I_n.+1) (a : Act) : R := val (entry (behaviour M) i a).
Definition pi (i : 'I_n.+1) (a : Act) : R := val (entry (target M) i a).
Definition gamma (i : 'I_n.+1) (o : Act * 'I_n.+1) : R := val (entry (of_action (discounts M) o.1) i o.2).
Definition reward (i : 'I_n.+1) (o : Act * 'I_n.+1) : R := val (entry (of_action (rewards M) o.1) i o.2).
Definition Phi : 'M[R]_(n.+1, m) := mx R _ _ (features M).
Definition lam : nat -> R := schedule [seq val l | l <- lambdas M].
Definition point (v : vec) : 'cV[R]_m := colv R m v.

Let L := size (lambdas M).
Let N : 'M[R]_n.+1 := kernel_of snd (behave p mu) (fun i o => gamma i o * ratio mu pi i o).
Let A (d : vec) : 'M[R]_m := keyA (rowv R n.+1 d) N Phi lam L.
Let weighted_reward := mean_reward (behave p mu) (fun i o => ratio mu pi i o * reward i o).
Let b (d : vec) : 'cV[R]_m := keyb (rowv R n.+1 d) N weighted_reward Phi lam L.

Lemma row_lawP k f : row_law k f -> (forall j : 'I_k, 0 <= val (f j)) /\ \sum_(j < k) val (f j) = 1.
Proof.
case/andP=> /eachP nn /(qequalP R); rewrite total_map qval1 => sum; split=> // j.
exact: qnnegP (nn j).
Qed.

Lemma lawsE n' k X : laws n' k X = each n' (fun i => row_law k (entry X i)).
Proof. by rewrite /laws filledE all_map; apply: eq_all => i /=; rewrite all_map. Qed.
Lemma by_state_table u X : by_state M u X = table n.+1 n.+1 (fun i j => qmul (u i) (entry X i j)).
Proof. by rewrite /by_state filledE zipped_iota; apply: eq_map => i; rewrite -map_comp. Qed.
Lemma over_actions_table X g : (forall a, X a = table n.+1 n.+1 (g a)) ->
  over_actions M X = table n.+1 n.+1 (fun i j => sum_actions M (fun a => g a i j)).
Proof.
move=> XE; rewrite /over_actions (eq_map XE).
rewrite -[turned _ _]/(turned _ (table (actions M) n.+1 (fun a i => [seq g a i j | j <- iota 0 n.+1]))) turned_table.
rewrite -map_comp; apply: eq_map => i /=.
by rewrite -[turned _ _]/(turned _ (table (actions M) n.+1 (fun a j => g a i j))) turned_table -map_comp.
Qed.
Lemma chain_table : behaviour_chain M = table n.+1 n.+1 (fun i j =>
  sum_actions M (fun a => qmul (entry (behaviour M) i a) (entry (of_action (transitions M) a) i j))).
Proof. by apply: over_actions_table => a; exact: by_state_table. Qed.
Lemma reweighted_by_table X a : reweighted_by M X a = table n.+1 n.+1 (fun i j =>
  qmul (qmul (reweighted M i a) (entry (of_action (transitions M) a) i j)) (entry (of_action X a) i j)).
Proof. by rewrite /reweighted_by by_state_table filledE zipped_table. Qed.
Lemma kernel_table : target_kernel M = table n.+1 n.+1 (fun i j =>
  sum_actions M (fun a => qmul (qmul (reweighted M i a) (entry (of_action (transitions M) a) i j))
    (entry (of_action (discounts M) a) i j))).
Proof. by apply: over_actions_table => a; exact: reweighted_by_table. Qed.
Lemma reward_table : target_reward M = table n.+1 1 (fun i _ =>
  sum_actions M (fun a => total [seq qmul (qmul (reweighted M i a) (entry (of_action (transitions M) a) i j))
    (entry (of_action (rewards M) a) i j) | j <- iota 0 n.+1])).
Proof.
rewrite /target_reward (eq_map (reweighted_by_table _)).
set g := fun a i j => qmul (qmul (reweighted M i a) (entry (of_action (transitions M) a) i j)) (entry (of_action (rewards M) a) i j).
rewrite -[turned _ _]/(turned _ (table (actions M) n.+1 (fun a i => [seq g a i j | j <- iota 0 n.+1]))) turned_table.
by rewrite -map_comp; apply: eq_map => i /=; rewrite -map_comp.
Qed.
Lemma weighted_table d : weighted M d = table m n.+1 (fun i j => qmul (entry (features M) j i) (at_ d j)).
Proof.
rewrite /weighted filledE fitE zipped_map -turned_table; congr turned; apply: eq_map => i; by rewrite -map_comp.
Qed.

Lemma sum_actionsE f : val (sum_actions M f) = \sum_(a : Act) val (f a).
Proof. exact: total_map. Qed.

Lemma properP : proper M -> [/\ forall a, stochastic (p a), policy mu & policy pi].
Proof.
rewrite /proper !lawsE => /and3P[/eachP P_ok /eachP mu_ok /eachP pi_ok]; split=> [a|i|i].
- split=> [i j|i].
    have := P_ok a; rewrite lawsE => /eachP/(_ i)/row_lawP[nn _]; by rewrite mxE nn.
  have := P_ok a; rewrite lawsE => /eachP/(_ i)/row_lawP[_ sum]; rewrite -[RHS]sum.
  by apply: eq_bigr => j _; rewrite mxE.
- by have [] := row_lawP (mu_ok i).
by have [] := row_lawP (pi_ok i).
Qed.

Hypothesis ok : proper M.
Lemma p_stochastic a : stochastic (p a).
Proof. by have [] := properP ok. Qed.
Lemma mu_policy : policy mu.
Proof. by have [] := properP ok. Qed.
Lemma pi_policy : policy pi.
Proof. by have [] := properP ok. Qed.
Lemma mu_covers d : coverage M d -> covers (rowv R n.+1 d) mu pi.
Proof.
move/each2P=> H i a; rewrite mxE => di /eqP m0; apply/eqP.
have /implyP := H i a; rewrite (qpos_val R) => /(_ di)/implyP; rewrite !(qnullP R); exact.
Qed.

Lemma chainE : mx R n.+1 n.+1 (behaviour_chain M) = policy_kernel p mu.
Proof.
rewrite chain_table; apply/matrixP => i j; rewrite !mxE entry_table // sum_actionsE; apply: eq_bigr => a _.
by rewrite qvalM mxE.
Qed.

Let sum_next (F : Act -> 'I_n.+1 -> R) j : \sum_(o : Act * 'I_n.+1 | o.2 == j) F o.1 o.2 = \sum_a F a j.
Proof.
rewrite (eq_bigl (fun o : Act * 'I_n.+1 => true && (o.2 == j))) //.
by rewrite -(pair_big xpredT (fun s => s == j) F) /=; apply: eq_bigr => a _; rewrite big_pred1_eq.
Qed.

Lemma reweightedE i (a : Act) j : behave p mu i (a, j) * ratio mu pi i (a, j) = val (reweighted M i a) * p a i j.
Proof.
rewrite /behave /ratio /reweighted /= (qnullP R) -/(mu i a); case: eqP => [->|/eqP m0]; first by rewrite !mul0r qval0 mul0r.
by rewrite mulrC mulrA divfK.
Qed.

Lemma kernelE : mx R n.+1 n.+1 (target_kernel M) = N.
Proof.
rewrite kernel_table; apply/matrixP => i j; rewrite !mxE entry_table // sum_actionsE.
rewrite -(sum_next (fun a s => val (qmul (qmul (reweighted M i a) (entry (of_action (transitions M) a) i s))
  (entry (of_action (discounts M) a) i s)))).
by apply: eq_bigr => -[a s] _; rewrite mulrCA reweightedE !qvalM mxE mulrC.
Qed.

Lemma rewardE : mx R n.+1 1 (target_reward M) = weighted_reward.
Proof.
rewrite reward_table; apply/matrixP => i j; rewrite !mxE entry_table // ?(ord1 j) // sum_actionsE.
transitivity (\sum_(a : Act) \sum_(s < n.+1) val (reweighted M i a) * p a i s * reward i (a, s)).
  by apply: eq_bigr => a _; rewrite total_map; apply: eq_bigr => s _; rewrite !qvalM mxE.
rewrite (pair_bigA _ (fun (a : Act) (s : 'I_n.+1) => val (reweighted M i a) * p a i s * reward i (a, s))) /=.
by apply: eq_bigr => -[a s] _; rewrite mulrA reweightedE.
Qed.

Lemma trace_sum_ext (l1 l2 : nat -> R) k (X : 'M[R]_n.+1) : (forall j, l1 j.+1 = l2 j.+1) ->
  trace_sum l1 k X = trace_sum l2 k X.
Proof. by move=> E; apply: eq_bigr => j _; congr (_ *: _); apply: eq_c => -[|i]. Qed.

Lemma hornerS X k l lams Y : horner M X k (l :: lams) Y =
  plus (last_state M).+1 k Y (scale (last_state M).+1 k l
    (times (last_state M).+1 (last_state M).+1 k X (horner M X k lams Y))).
Proof. by []. Qed.

Lemma trace_sumS l lams (X : 'M[R]_n.+1) :
  trace_sum (schedule [seq val l | l <- l :: lams]) (size lams).+1 X
  = 1%:M + val l *: (X *m trace_sum (schedule [seq val l | l <- lams]) (size lams) X).
Proof.
rewrite trace_sum_horner; congr (_ + _ *: (_ *m _)); exact: trace_sum_ext.
Qed.

Lemma hornerE X k Y lams : mx R n.+1 k (horner M X k lams Y)
  = trace_sum (schedule [seq val l | l <- lams]) (size lams) (mx R n.+1 n.+1 X) *m mx R n.+1 k Y.
Proof.
elim: lams => [|l lams IH]; first by rewrite trace_sum0 mul1mx.
rewrite hornerS mx_plus mx_scale mx_times IH.
rewrite [trace_sum _ (size (l :: lams)) _]trace_sumS mulmxDl mul1mx -scalemxAl.
by rewrite mulmxA.
Qed.

Lemma lam_finite : finite_schedule L lam.
Proof. by move=> j Lj; apply: schedule_finite; rewrite size_map. Qed.

Lemma weightedE d : mx R m n.+1 (weighted M d) = Phi^T *m diag_mx (rowv R n.+1 d).
Proof. by rewrite weighted_table mx_table mul_mx_diag; apply/matrixP => i j; rewrite !mxE qvalM. Qed.

Lemma AE d : mx R m m (matrix_A M d) = A d.
Proof.
rewrite /matrix_A mx_times hornerE weightedE kernelE /A /keyA -(telescoping_sums _ lam_finite) /lam /L.
have -> : mx R n.+1 m (moves M (target_kernel M)) = (N - 1%:M) *m Phi.
  rewrite /moves mx_plus mx_times kernelE mx_scale mulmxBl mul1mx; congr (_ + _).
  by rewrite qvalN qval1 scaleN1r.
by rewrite !mulmxA.
Qed.

Lemma bE d : mx R m 1 (vector_b M d) = b d.
Proof. by rewrite /vector_b mx_times hornerE weightedE kernelE rewardE. Qed.

(* The chain: a positive power, and its law. *)
Let P := policy_kernel p mu.
Let P_st : stochastic P := policy_stochastic p_stochastic mu_policy.

Lemma power_ge0 k i j : 0 <= (P ^+ k) i j.
Proof.
elim: k i j => [|k IH] i j; first by rewrite expr0 mxE ler0n.
by rewrite exprS mxE; apply: sumr_ge0 => l _; rewrite mulr_ge0 // P_st.1.
Qed.

Lemma meet_map (u v : nat -> bool) l : meet [seq u k | k <- l] [seq v k | k <- l] = has (fun k => u k && v k) l.
Proof. by elim: l => [|k l IH] //=; rewrite IH. Qed.

Lemma positive_double B (i j : 'I_n.+1) : positive (double M B) i j ->
  exists2 l : 'I_n.+1, positive B i l & positive B l j.
Proof.
rewrite /positive /double (nth_map [::]) ?size_map ?size_iota // (nth_map [::]) ?size_map ?size_iota //.
rewrite !(nth_map 0%N) ?size_iota // !nth_iota // !add0n.
rewrite (meet_map (fun l => positive B i l) (fun l => positive B l j)) => /hasP[l].
rewrite mem_iota add0n => /andP[_ ln] /andP[Bil Blj].
by exists (Ordinal ln).
Qed.

Lemma iter_positive k (i j : 'I_n.+1) : positive (iter k (double M) (support M (behaviour_chain M))) i j ->
  0 < (P ^+ (2 ^ k)) i j.
Proof.
elim: k i j => [|k IH] i j.
  rewrite expn0 expr1 /positive nth_table // => /(qposP R).
  by have /matrixP/(_ i j) := chainE; rewrite mxE => ->.
rewrite iterS => /positive_double[l /IH il /IH lj].
rewrite expnS mul2n -addnn exprD mxE (bigD1 l) //=; apply: ltr_paddr; last exact: mulr_gt0.
by apply: sumr_ge0 => l' _; rewrite mulr_ge0 // power_ge0.
Qed.

Lemma lawP d : stationary_law M (behaviour_chain M) d -> law P (rowv R n.+1 d).
Proof.
case/andP=> /row_lawP[d0 d1] /eachP dP; split=> [j||]; first by rewrite mxE.
  by rewrite -[RHS]d1; apply: eq_bigr => j _; rewrite mxE.
apply/matrixP => i j; rewrite (ord1 i) mxE [RHS]mxE -(qequalP R (dP j)) entry_times //.
apply: eq_bigr => l _; have /matrixP/(_ l j) := chainE; rewrite mxE => ->.
by congr (_ * _); rewrite mxE.
Qed.

Lemma restP d th : at_rest M (matrix_A M d) (vector_b M d) th -> A d *m point th + b d = 0.
Proof.
move/(equalP R); rewrite mx_times AE mx_scale bE qvalN qval1 scaleN1r.
have -> : mx R m 1 (table m 1 (fun j _ => at_ th j)) = point th.
  by rewrite mx_table; apply/matrixP => i j; rewrite !mxE.
by move->; rewrite addNr.
Qed.

Lemma nonsingularP d y : nonsingular M (matrix_A M d) y -> A d \in unitmx.
Proof.
rewrite -AE; case: y => [X /(equalP R)|q find /andP[/Z.ltb_lt q1]].
  by rewrite mx_times mx_identity => /mulmx1_unit[].
exact: unit_modulo.
Qed.

(* A Lyapunov matrix of A *)
Lemma lyapunovP d y (X := mx R m m (weight y)) : check_lyapunov M d y ->
  [/\ X^T = X, posdef X & negdef (X *m A d)].
Proof.
case/and5P=> /(equalP R) Xsym s0 /(qposP R) c0 /(@factored_posdef R) Xpos /(@factored_posdef R) dec.
split=> // [|x x0]; first by rewrite -mx_transpose -Xsym.
have s_le : val (shift y) <= 0 by rewrite -oppr_ge0 -qvalN; apply/qnnegP.
have := dec x x0; set s := val (shift y) in s_le.
have -> : mx R m m (decreases M (matrix_A M d) (weight y) (shift y) (decrease_times y))
  = val (decrease_times y) *: - (X *m (A d - s *: 1%:M) + (X *m (A d - s *: 1%:M))^T).
  have E : mx R m m (times m m m (weight y) (plus m m (matrix_A M d) (scale m m (qopp (shift y)) (identity m))))
    = X *m (A d - s *: 1%:M).
    by rewrite mx_times mx_plus mx_scale mx_identity AE qvalN scaleNr.
  by rewrite -E /decreases mx_scale mx_plus mx_transpose qvalN scaleNr scalerN.
rewrite formZ pmulr_rgt0 // formN formD formT oppr_gt0 mulmxBr formB -scalemxAr mulmx1 formZ.
set f := form (X *m A d) x; set g := form X x => lt.
have g0 : 0 <= s * - g by rewrite mulr_le0 // oppr_le0 ltW // Xpos.
rewrite -oppr_gt0; have : 0 < (- f + s * g) + (- f + s * g) by rewrite -oppr_lt0 opprD !opprD !opprK.
rewrite -mulr2n pmulrn_lgt0 // => pos; apply: lt_le_trans pos _.
by rewrite ger_addl -oppr_ge0 -mulrN.
Qed.

Lemma column_limit k c d : Num.archimedean_axiom R -> one_column M k c (behaviour_chain M) ->
  stationary_law M (behaviour_chain M) d -> forall i j, tends_to (fun t => (P ^+ t) i j) (rowv R n.+1 d 0 j).
Proof.
move=> archi /andP[/eachP col cn] law_ok i j.
apply: (@column_power_limit _ _ _ _ (2 ^ k) (Ordinal cn) archi P_st (lawP law_ok)) => i'.
by apply: (@iter_positive _ i' (Ordinal cn)); apply: col.
Qed.

(* What every certificate gives: the chain has the limit law, and θ* is where the mean update rests. *)
Section Certified.
Hypothesis archi : Num.archimedean_axiom R.
Variable w : witness.
Hypothesis common_ok : common M w.
Let d := rowv R n.+1 (stationary w).

Lemma limitP i j : tends_to (fun t => (P ^+ t) i j) (d 0 j).
Proof. by case/and5P: common_ok => _ col law_ok _ _; apply: column_limit col law_ok i j. Qed.

Lemma thetaP : A (stationary w) \in unitmx -> - invmx (A (stationary w)) *m b (stationary w) = point (theta w).
Proof. by case/and5P: common_ok => _ _ _ _ /restP rest uA; apply: rest_point. Qed.
End Certified.
End Meaning.
