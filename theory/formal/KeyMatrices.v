(* The key matrices of the mean dynamics (§4 and A4.1 of the paper), for any kernel N: N = γP where the discount is
   constant, N = P∘Γ where it depends on the transition; off-policy, N belongs to the target policy and d to the
   behaviour policy.

       C  = ΦᵀDΦ                          [keyC d Phi]
       A  = ΦᵀD(M − I)Φ                   [keyA d N Phi lam L]
       b  = ΦᵀDSr                         [keyb d N r Phi lam L]
       Π  = ΦC⁻¹ΦᵀD                       [proj d Phi]
       TV = Sr + MV                       [bellman N r lam L V]
       G  = [[−√η C, A], [−Aᵀ, 0]]        [gtd_matrix root_eta A C]
           −AᵀC⁻¹A                        [tdc_matrix A C]

   with M = Σ w_n Nⁿ and S = Σ c_k Nᵏ of Schedule.v. The chain has n + 1 states (at least one), Φ has any number m of
   columns. [schur_M] says that M passes the Schur test with κ as soon as N passes it with γ. *)

From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule Forms Chain SchurTest.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variables (R : realFieldType) (n m : nat).
Implicit Types (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (r V : 'cV[R]_n.+1).
Implicit Types (lam : nat -> R) (L : nat).

Definition keyC d Phi : 'M[R]_m := Phi^T *m diag_mx d *m Phi.
Definition keyA d N Phi lam L : 'M[R]_m := Phi^T *m diag_mx d *m (M lam L N - 1%:M) *m Phi.
Definition keyb d N r Phi lam L : 'cV[R]_m := Phi^T *m diag_mx d *m (trace_sum lam L N *m r).
Definition proj d Phi : 'M[R]_n.+1 := Phi *m invmx (keyC d Phi) *m Phi^T *m diag_mx d.
Definition bellman N r lam L V : 'cV[R]_n.+1 := trace_sum lam L N *m r + M lam L N *m V.

Definition gtd_matrix (root_eta : R) (A C : 'M[R]_m) : 'M[R]_(m + m) :=
  block_mx (- (root_eta *: C)) A (- A^T) 0.
Definition tdc_matrix (A C : 'M[R]_m) : 'M[R]_m := - (A^T *m invmx C *m A).

(* rank Φ = number of columns: the features are linearly independent *)
Definition full_column_rank Phi := \rank Phi = m.
End Definitions.

Section KeyMatrices.
Variables (R : realFieldType) (n m : nat).
Variables (d : 'rV[R]_n.+1) (N : 'M[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat).

Lemma keyC_sym : (keyC d Phi)^T = keyC d Phi.
Proof. by rewrite /keyC !trmx_mul tr_diag_mx trmxK mulmxA. Qed.

Lemma form_keyC (t : 'cV[R]_m) : form (keyC d Phi) t = sqnormD d (Phi *m t).
Proof. exact: form_congruence. Qed.

Lemma form_keyA (t : 'cV[R]_m) :
  form (keyA d N Phi lam L) t = dotD d (Phi *m t) (M lam L N *m (Phi *m t)) - sqnormD d (Phi *m t).
Proof.
have -> : keyA d N Phi lam L = Phi^T *m (diag_mx d *m (M lam L N - 1%:M)) *m Phi by rewrite /keyA !mulmxA.
rewrite form_congruence form_diag mulmxBl mul1mx.
by rewrite /dotD mulmxBr mxE [X in _ + X]mxE.
Qed.

Lemma form_keyA_eigen (t : 'cV[R]_m) a :
  M lam L N *m (Phi *m t) = a *: (Phi *m t) -> form (keyA d N Phi lam L) t = (a - 1) * sqnormD d (Phi *m t).
Proof. by move=> E; rewrite form_keyA E dotDZr dotDxx mulrBl mul1r. Qed.

Lemma full_column_rank_inj :
  full_column_rank Phi <-> forall t : 'cV[R]_m, Phi *m t = 0 -> t = 0.
Proof.
have -> : full_column_rank Phi <-> row_free Phi^T.
  by rewrite /full_column_rank /row_free mxrank_tr; split=> [->|/eqP].
split=> [/row_freeP[B PhiB] t Pt0|inj].
  by rewrite -[t]mul1mx -[1%:M]trmx1 -PhiB trmx_mul trmxK -mulmxA Pt0 mulmx0.
rewrite -kermx_eq0; apply/rowV0P => v /sub_kermxP vP.
by rewrite -[v]trmxK (inj v^T) ?trmx0 // -[Phi]trmxK -trmx_mul vP trmx0.
Qed.

Lemma full_column_rank_by (B : 'M[R]_(m, n.+1)) : B *m Phi = 1%:M -> full_column_rank Phi.
Proof.
by move=> BPhi; apply/full_column_rank_inj => t Pt0; rewrite -[t]mul1mx -BPhi -mulmxA Pt0 mulmx0.
Qed.

Lemma full_column_rank_neq0 (t : 'cV[R]_m) : full_column_rank Phi -> t != 0 -> Phi *m t != 0.
Proof. by move=> /full_column_rank_inj inj; apply: contra => /eqP/inj ->. Qed.

(* With a positive law, C > 0 says no more and no less than: the features are independent. *)
Lemma keyC_posdef : (forall i, 0 < d 0 i) -> posdef (keyC d Phi) <-> full_column_rank Phi.
Proof.
move=> d0; split=> [Cpos|rk t t0]; last by rewrite form_keyC sqnormD_gt0 // full_column_rank_neq0.
apply/full_column_rank_inj => t Pt0; apply: (posdef_inj Cpos).
by rewrite /keyC -mulmxA Pt0 mulmx0.
Qed.

(* M inherits the Schur test: M ≥ 0, M𝟏 ≤ κ𝟏 and dM ≤ κd. *)
Lemma schur_exp (g : R) k : 0 <= g -> schur d g N -> schur d (g ^+ k) (N ^+ k).
Proof.
move=> g0 H; elim: k => [|k IH]; first exact: schur_id.
by rewrite !exprS; apply: schur_mul => //; apply: exprn_ge0.
Qed.

Lemma schur_M (g : R) : 0 <= g -> (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> schur d g N ->
  schur d (kappa lam L g) (M lam L N).
Proof.
move=> g0 lam01 H; apply: schur_sum => k _; apply: schur_scale; first exact: w_ge0.
exact: schur_exp.
Qed.

(* (1 − a)C ≤ −sym A ≤ (1 + a)C: how negative A is, measured by C. *)
Lemma form_keyA_bounds (a : R) (t : 'cV[R]_m) : (forall i, 0 <= d 0 i) -> schur d a (M lam L N) ->
  (1 - a) * form (keyC d Phi) t <= - form (keyA d N Phi lam L) t <= (1 + a) * form (keyC d Phi) t.
Proof.
move=> d0 H; rewrite form_keyA form_keyC opprB mulrBl mulrDl !mul1r ler_add2l ler_opp2 schur_form_le //=.
by rewrite ler_add2l ler_oppl schur_form_ge.
Qed.
End KeyMatrices.

(* M𝟏 = κ𝟏 and dM = κd for the constant discount. *)
Section ConstantDiscount.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) (lam : nat -> R) (L : nat) (gamma : R).

Lemma M_eigenvector (x : 'cV[R]_n.+1) : P *m x = x -> M lam L (gamma *: P) *m x = kappa lam L gamma *: x.
Proof.
move=> Px; have Pk k : P ^+ k *m x = x.
  by elim: k => [|k IH]; [rewrite expr0 mul1mx | rewrite exprS -mulmxA IH].
rewrite /M mulmx_suml /kappa scaler_suml; apply: eq_bigr => k _.
by rewrite exprZn -!scalemxAl Pk scalerA.
Qed.

Lemma M_ones : stochastic P -> M lam L (gamma *: P) *m ones = kappa lam L gamma *: ones.
Proof. by move=> Pst; apply: M_eigenvector; apply: stochastic_ones. Qed.

(* A projection P (the target policy that goes to one state for good): M = κP. *)
Lemma M_idempotent : P *m P = P -> M lam L (gamma *: P) = kappa lam L gamma *: P.
Proof.
move=> PP; have Pk k : P ^+ k.+1 = P by elim: k => [|k IH]; rewrite ?expr1 // exprS IH -mulmxE.
rewrite /M /kappa scaler_suml big_nat [RHS]big_nat; apply: eq_bigr => -[//|k] _.
by rewrite exprZn Pk scalerA.
Qed.
End ConstantDiscount.
