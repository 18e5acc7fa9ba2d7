(* return_recursion — §3, equation (return), and A2.

       G_t^{[λ_1:λ_L]} = R_{t+1} + γ[(1 − λ_1)V(s_{t+1}) + λ_1 G_{t+1}^{[λ_2:λ_L]}].

   Reading: the mixture over episode lengths that §2 starts from, with the Λ of the schedule, has a limit, and the limit
   obeys this recursion. Cut after N ≥ L + 1 lengths it falls short by the last discount Γ_t … Γ_{t+N-1} = γᴺ times
   Σ_k c_{k-1}(R_{t+k} + (1 − λ_k)V(s_{t+k})): A2 cuts it at N = L and drops this.
   Hypotheses: λ_j = 0 for j > L; for the limit 0 ≤ γ < 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Limits Returns return_coefficients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Recursion.
Variable R : comRingType.
Implicit Types lam g r v : nat -> R.

(* The recursion unrolled: R_{t+k} has Γ…Γ c_{k-1}, V(s_{t+k}) has Γ…Γ c_{k-1}(1 − λ_k). *)
Lemma G_coefficients L lam g r v : finite_schedule L lam ->
  G L lam g r v = \sum_(1 <= k < L.+2) c lam k.-1 * (disc g k.-1 * r k + (1 - lam k) * disc g k * v k).
Proof.
elim: L lam g r v => [|L IH] lam g r v finL.
  by rewrite big_nat1 c0 disc0 finL // discS disc0 /=; ring.
rewrite /= (IH (shift lam)); last exact: finite_schedule_shift.
rewrite [RHS]big_ltn // [in RHS]big_add1 /= c0 disc0 discS disc0 mulrDr addrA; congr (_ + _); first by ring.
rewrite !mulr_sumr !big_add1; apply: eq_bigr => k _ /=.
by rewrite c_first !disc_first /shift; ring.
Qed.

Theorem mixture_remainder L lam g r v N : finite_schedule L lam -> (L < N)%N ->
  mixture (Lambda lam) g r v N
    = G L lam g r v - disc g N * \sum_(1 <= k < L.+2) c lam k.-1 * (r k + (1 - lam k) * v k).
Proof.
move=> finL LN; rewrite mixture_coefficients -big_split G_coefficients // mulr_sumr -sumrB /=.
rewrite (@big_cat_nat _ _ _ L.+2) //= [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|k].
  apply: eq_big_nat => k /andP[k0 kL]; have kN : (0 < k <= N)%N by rewrite k0 (leq_trans _ LN).
  by rewrite !(return_coefficients _ _ kN).1 !(return_coefficients _ _ kN).2; ring.
case/andP=> /andP[Lk kN] _; have k0N : (0 < k <= N)%N by apply/andP; split; [apply: leq_trans Lk | rewrite -ltnS].
rewrite !(return_coefficients _ _ k0N).1 !(return_coefficients _ _ k0N).2 (c_out finL) ?mul0r ?addr0 //.
by rewrite -ltnS prednK //; case/andP: k0N.
Qed.
End Recursion.

Section Limit.
Variables (R : archiFieldType) (gamma : R).
Hypothesis gamma01 : 0 <= gamma < 1.
Let g : nat -> R := fun=> gamma.

Lemma mixture_tends_to L lam r v :
  finite_schedule L lam -> tends_to (mixture (Lambda lam) g r v) (G L lam g r v).
Proof.
move=> finL; set x := \sum_(1 <= k < L.+2) c lam k.-1 * (r k + (1 - lam k) * v k).
rewrite -[G _ _ _ _ _]subr0 -(mulr0 x); apply: (@tends_to_eventually _ L.+1 (fun N => G L lam g r v - x * gamma ^+ N)).
  by move=> N LN; rewrite (mixture_remainder _ _ _ finL) // disc_const mulrC.
by apply: tends_to_sub (tends_to_const _) _; apply/tends_to_scale/tends_to_geometric.
Qed.

Theorem return_recursion L lam r v : finite_schedule L.+1 lam ->
  exists Gt Gt' : R,
    [/\ tends_to (mixture (Lambda lam) g r v) Gt,
        tends_to (mixture (Lambda (shift lam)) g (shift r) (shift v)) Gt' &
        Gt = r 1%N + gamma * ((1 - lam 1%N) * v 1%N + lam 1%N * Gt')].
Proof.
move=> finL; exists (G L.+1 lam g r v), (G L (shift lam) g (shift r) (shift v)); split=> //.
  exact: mixture_tends_to.
exact/mixture_tends_to/finite_schedule_shift.
Qed.
End Limit.

(* λ = (½), γ = ½, R = 2, 2, V = 6, 4: the mixture tends to 2 + ½(½·6 + ½·4) = 9/2. *)
Theorem return_recursion_instance (lam := schedule [:: 1 / 2 : rat]) (r := schedule [:: 2; 2]) (v := schedule [:: 6; 4]) :
  tends_to (mixture (Lambda lam) (fun=> 1 / 2) r v) (9 / 2).
Proof.
rewrite (_ : 9 / 2 = G 1 lam (fun=> 1 / 2) r v); last by rewrite /= /shift /lam /=; field.
by apply: mixture_tends_to; [rewrite divr_ge0 //= ltr_pdivr_mulr | apply: (@schedule_finite _ [:: 1 / 2])].
Qed.

(* Without γ < 1 no episode ends: every mixture is 0. *)
Theorem return_recursion_ablation_gamma (R : comRingType) Lam (r v : nat -> R) N : mixture Lam (fun=> 1) r v N = 0.
Proof. by rewrite /mixture big1 // => i _; rewrite mass_const subrr mulr0 mul0r. Qed.
