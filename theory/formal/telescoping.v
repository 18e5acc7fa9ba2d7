(* telescoping — A4.1, the displayed chain of equalities that defines M.

       Σ_{k=0}^L (Π_{j=1}^k γλ_j)(γP^{k+1} − Pᵏ) = M − I,
       M = γ(1 − λ_1)P + γ²λ_1(1 − λ_2)P² + … + γ^{L+1}λ_1…λ_L P^{L+1} = Σ_{n=1}^{L+1} w_n γⁿPⁿ.

   Reading: λ_j = 0 for j > L; P any square matrix, not necessarily stochastic. The theorem holds in every algebra, for
   any N in place of γP: with N = P∘Γ for discounts that depend on the transition, it reads S(N − I) = M − I.
   No other hypothesis. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Algebra.
Variables (R : comRingType) (A : algType R).
Implicit Types (lam : nat -> R) (N : A).

Lemma telescoping_to lam K N :
  \sum_(0 <= k < K) c lam k *: (N ^+ k.+1 - N ^+ k)
    = \sum_(1 <= n < K.+1) w lam n *: N ^+ n + c lam K *: N ^+ K - 1.
Proof.
elim: K => [|K IH]; first by rewrite !big_geq // c0 expr0 scale1r add0r subrr.
rewrite big_nat_recr //= IH (big_nat_recr K.+1) //= scalerBr {2}/w /= scalerBl.
set s := \sum_(1 <= n < _) _; set a := c lam K *: N ^+ K.
by rewrite addrAC [_ - a]addrC addrA addrK [in RHS]addrA subrK.
Qed.

Theorem telescoping L lam N : finite_schedule L lam ->
  \sum_(0 <= k < L.+1) c lam k *: (N ^+ k.+1 - N ^+ k) = M lam L N - 1.
Proof. by move=> finL; rewrite telescoping_to (c_out finL) // scale0r addr0. Qed.

(* As the suite checks it on a model. *)
Corollary telescoping_sums L lam N : finite_schedule L lam -> trace_sum lam L N * (N - 1) = M lam L N - 1.
Proof.
move=> finL; rewrite -telescoping // /trace_sum mulr_suml; apply: eq_bigr => k _.
by rewrite -scalerAl mulrBr mulr1 -exprSr.
Qed.

(* Horner's rule, one product with N per λ: how S and M are computed. *)
Lemma trace_sum_horner L lam N : trace_sum lam L.+1 N = 1 + lam 1%N *: (N * trace_sum (shift lam) L N).
Proof.
rewrite /trace_sum big_nat_recl // c0 expr0 scale1r; congr (_ + _).
rewrite mulr_sumr scaler_sumr; apply: eq_bigr => k _.
by rewrite c_first exprS -scalerAr scalerA.
Qed.

Lemma M_horner L lam N :
  M lam L.+1 N = N * ((1 - lam 1%N) *: 1 + lam 1%N *: M (shift lam) L N).
Proof.
rewrite /M big_ltn // big_add1 /= mulrDr -!scalerAr mulr1 wS c0 mul1r expr1; congr (_ + _).
rewrite mulr_sumr scaler_sumr [LHS]big_nat_cond [RHS]big_nat_cond.
by apply: eq_bigr => -[|n] //= _; rewrite /w /= !c_first -mulrBr exprS -scalerAr scalerA.
Qed.

Lemma trace_sum0 lam N : trace_sum lam 0 N = 1.
Proof. by rewrite /trace_sum big_nat1 c0 expr0 scale1r. Qed.

Lemma M0 lam N : lam 1%N = 0 -> M lam 0 N = N.
Proof. by move=> lam1; rewrite /M big_nat1 wS c0 lam1 subr0 mulr1 expr1 scale1r. Qed.
End Algebra.

Section Printed.
Variables (R : comRingType) (n : nat).
Implicit Types (P Gamma : 'M[R]_n.+1).

(* M with its γ's beside the weights, as A4.1 defines it. *)
Lemma M_printed lam L (gamma : R) P :
  M lam L (gamma *: P) = \sum_(1 <= m < L.+2) (w lam m * gamma ^+ m) *: P ^+ m.
Proof. by apply: eq_bigr => m _; rewrite exprZn scalerA. Qed.

Theorem telescoping_printed L lam (gamma : R) P : finite_schedule L lam ->
  \sum_(0 <= k < L.+1) (\prod_(1 <= j < k.+1) (gamma * lam j)) *: (gamma *: P ^+ k.+1 - P ^+ k)
    = \sum_(1 <= m < L.+2) (w lam m * gamma ^+ m) *: P ^+ m - 1%:M.
Proof.
move=> finL; rewrite -M_printed -telescoping //; apply: eq_bigr => k _.
rewrite prod_gamma_lambda mulrC -scalerA scalerBr scalerA -exprSr.
by rewrite !exprZn.
Qed.

(* Discounts that depend on the transition: N_ij = p_ij Γ_ij. *)
Corollary telescoping_episodes L lam P Gamma (N := \matrix_(i, j) (P i j * Gamma i j)) :
  finite_schedule L lam -> trace_sum lam L N *m (N - 1%:M) = M lam L N - 1%:M.
Proof. exact: telescoping_sums. Qed.
End Printed.

(* Two states, P = [[0, 1], [½, ½]], γ = ½, λ = (½): M = ¼P + ⅛P², and S(γP − I) is M − I entry by entry. *)
Section Instance.
Variable R : numFieldType.
Let P : 'M[R]_2 := \matrix_(i, j) if i == 0 then (j == 1)%:R else 1 / 2.
Let lam : nat -> R := schedule [:: 1 / 2].

Theorem telescoping_instance :
  M lam 1 ((1 / 2) *: P) = (\matrix_(i, j) if i == 0 then if j == 0 then 1 / 16 else 5 / 16
                                            else if j == 0 then 5 / 32 else 7 / 32) /\
  trace_sum lam 1 ((1 / 2) *: P) *m ((1 / 2) *: P - 1%:M) = M lam 1 ((1 / 2) *: P) - 1%:M.
Proof.
split; last exact: (telescoping_sums _ (@schedule_finite _ [:: 1 / 2])).
rewrite M_printed /index_iota /= !big_cons big_nil expr1 expr2 /w /= !(cS, c0) /=.
apply/matrixP => i j; rewrite !mxE !big_ord_recl big_ord0 !mxE.
by case: i j => [[|[|//]] ?] [[|[|//]] ?]; rewrite /=; field.
Qed.
End Instance.
