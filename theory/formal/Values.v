(* Concrete values of the formal objects: one tactic each, for instances with rational numbers.

   A test compares the Python functions with these definitions: it draws rationals, writes down what Python says as a
   lemma, for instance

       Lemma instance : c (schedule [:: 1 / 2; 2 / 3]) 2 = 1 / 3 :> rat.   Proof. compute_c. Qed.

   and has it proved here. Every tactic unfolds the definition and leaves the rest to [field]; none can prove a wrong
   value. Numerals beyond about 5,000 are to be written as products. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule weight_matrix_rows telescoping Returns Traces equal_weights_schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A path or a matrix given by its numbers; u_0, u_1, … *)
Definition numbers (R : ringType) (s : seq R) : nat -> R := nth 0 s.
Definition matrix_of (R : ringType) n (rows : seq (seq R)) : 'M[R]_n := \matrix_(i, j) nth 0 (nth [::] rows i) j.

Ltac by_field := first [done | by field].

(* c_k = λ_1 … λ_k, w_n = c_{n-1} − c_n, an entry Λ_ij *)
Ltac compute_c := rewrite !(cS, c0) /=; by_field.
Ltac compute_w := rewrite /w /= !(cS, c0) /=; by_field.
Ltac compute_Lambda := rewrite /Lambda /= ?(cS, c0) /=; by_field.
Ltac compute_kappa := rewrite /kappa /index_iota /= !(big_cons, big_nil) /w /= !(cS, c0) /=; by_field.

(* λ_i of EqualWeights(n1, n2) *)
Ltac compute_EqualWeights := rewrite /EqualWeights /= ?(subSS, subn0); by_field.

(* G_t and the n-step return, along a path *)
Ltac compute_G := rewrite /= /shift /numbers /=; by_field.
Ltac compute_n_step :=
  rewrite /n_step /disc /index_iota /= !(big_cons, big_nil) /index_iota /= ?(big_cons, big_nil) /numbers /=; by_field.

(* z_t of one feature *)
Ltac compute_trace :=
  rewrite /trace /span /index_iota /= !(big_cons, big_nil) !(cS, c0) /GRing.scale /numbers /=; by_field.

(* S and M of a matrix given by its rows: Horner's rule on lists, one step per λ. *)
Section Rows.
Variable R : comRingType.
Implicit Types (a b : seq (seq R)) (s : seq R).

Definition rows_by n (F : nat -> nat -> R) : seq (seq R) := [seq [seq F i j | j <- iota 0 n] | i <- iota 0 n].
Definition entry a i j : R := nth 0 (nth [::] a i) j.
Definition product n a b i j : R := \sum_(0 <= k < n) entry a i k * entry b k j.

Definition S_step n (l : R) a b := rows_by n (fun i j => (i == j)%:R + l * product n a b i j).
Definition M_step n (l : R) a b := rows_by n (fun i j => (1 - l) * entry a i j + l * product n a b i j).
Definition S_rows n s a := foldr (fun l b => S_step n l a b) (rows_by n (fun i j => (i == j)%:R)) s.
Definition M_rows n s a := foldr (fun l b => M_step n l a b) a s.

Lemma matrix_of_rows_by n F i j : matrix_of n (rows_by n F) i j = F i j.
Proof.
by rewrite mxE (nth_map 0%N) ?size_iota // (nth_map 0%N) ?size_iota // !nth_iota.
Qed.

Lemma product_mul n a b (i j : 'I_n.+1) : (matrix_of n.+1 a *m matrix_of n.+1 b) i j = product n.+1 a b i j.
Proof.
by rewrite mxE /product big_mkord; apply: eq_bigr => k _; rewrite !mxE.
Qed.

Lemma eq_M L lam mu (A : algType R) (N : A) : (forall j, lam j.+1 = mu j.+1) -> M lam L N = M mu L N.
Proof. by move=> E; apply: eq_bigr => n _; rewrite /w !(@eq_c _ lam mu) // => -[|j]. Qed.

Lemma eq_trace_sum L lam mu (A : algType R) (N : A) :
  (forall j, lam j.+1 = mu j.+1) -> trace_sum lam L N = trace_sum mu L N.
Proof. by move=> E; apply: eq_bigr => k _; rewrite (@eq_c _ lam mu) // => -[|j]. Qed.

Lemma S_rowsE n s a : trace_sum (schedule s) (size s) (matrix_of n.+1 a) = matrix_of n.+1 (S_rows n.+1 s a).
Proof.
elim: s => [|l s IH]; apply/matrixP => i j; first by rewrite trace_sum0 matrix_of_rows_by !mxE.
rewrite trace_sum_horner /= (@eq_trace_sum _ _ (schedule s)) // IH matrix_of_rows_by -mulmxE -product_mul.
by rewrite [LHS]mxE [X in X + _]mxE [X in _ + X]mxE.
Qed.

Lemma M_rowsE n s a : M (schedule s) (size s) (matrix_of n.+1 a) = matrix_of n.+1 (M_rows n.+1 s a).
Proof.
elim: s => [|l s IH]; first by rewrite M0.
apply/matrixP => i j; rewrite M_horner /= (@eq_M _ _ (schedule s)) // IH matrix_of_rows_by -mulmxE -product_mul.
by rewrite mulmxDr -!scalemxAr mulmx1 [LHS]mxE [X in X + _]mxE [X in _ + X]mxE [matrix_of _ a _ _]mxE.
Qed.
End Rows.

Ltac compute_rows :=
  rewrite /S_rows /M_rows /= /S_step /M_step /rows_by /= /product /index_iota /= !(big_cons, big_nil) /entry /=;
  congr (matrix_of _ _); do ?congr (_ :: _); by_field.
Ltac compute_M s := rewrite (@M_rowsE _ _ s); compute_rows.
Ltac compute_S s := rewrite (@S_rowsE _ _ s); compute_rows.

Section Examples.
Variable R : numFieldType.
Goal c (schedule [:: 1 / 2; 2 / 3]) 2 = 1 / 3 :> R. Proof. compute_c. Qed.
Goal w (schedule [:: 1 / 2; 2 / 3]) 2 = 1 / 6 :> R. Proof. compute_w. Qed.
Goal Lambda (schedule [:: 1 / 2; 2 / 3]) 4 2 = 1 / 6 :> R. Proof. compute_Lambda. Qed.
Goal Lambda (schedule [:: 1 / 2; 2 / 3]) 2 3 = 0 :> R. Proof. compute_Lambda. Qed.
Goal kappa (schedule [:: 1 / 2]) 1 (1 / 2) = 3 / 8 :> R. Proof. compute_kappa. Qed.
Goal EqualWeights R 3 5 4 = 1 / 2 :> R. Proof. compute_EqualWeights. Qed.

Let g : nat -> R := numbers [:: 1 / 2; 1 / 3].
Let r : nat -> R := schedule [:: 2; 2].
Let v : nat -> R := numbers [:: 4; 6; 6].
Goal G 1 (schedule [:: 1 / 2]) g r v = 9 / 2. Proof. rewrite /g /r /v; compute_G. Qed.
Goal n_step g r v 2 = 4. Proof. rewrite /g /r /v; compute_n_step. Qed.
Goal trace (schedule [:: 1 / 2]) g (numbers [:: 1; 2; 3] : nat -> R^o) 2 = 10 / 3. Proof. rewrite /g; compute_trace. Qed.

Let N : seq (seq R) := [:: [:: 0; 1 / 2]; [:: 1 / 4; 1 / 4]].
Let lam : seq R := [:: 1 / 2; 3 / 7].
Goal M (schedule lam) 2 (matrix_of 2 N) = matrix_of 2 [:: [:: 19 / 448; 137 / 448]; [:: 137 / 896; 25 / 128]].
Proof. compute_M lam. Qed.
Goal trace_sum (schedule [:: 1 / 2]) 1 (matrix_of 2 N) = matrix_of 2 [:: [:: 1; 1 / 4]; [:: 1 / 8; 9 / 8]].
Proof. compute_S [:: 1 / 2 : R]. Qed.
End Examples.
