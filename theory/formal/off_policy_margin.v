(* Claim: off_policy_margin
   Place: §3 and §4, where Proposition 4.1 is used off-policy without a proof.
   Statement: with D = D_μ and M of the target policy, each line implies the next:
       Σ_n w_n ‖Nⁿ‖_D < 1 (N = γP_π: γⁿ‖P_πⁿ‖_D);   ‖M‖_D < 1;
       λ_max(½(D^{1/2} M D^{-1/2} + (D^{1/2} M D^{-1/2})ᵀ)) < 1;   A < 0 for every Φ with C > 0;
   the last two are equivalent. For the n-step return, γ^{2n} < min_s d^μ(s) suffices. κ‖P_π‖_D < 1 does not.
   Reading: ‖Q‖_D < 1 is: some a < 1 has ‖QV‖_D ≤ a‖V‖_D for all V. The third line is D(I − M) > 0
   [off_policy_margin_eigenvalue].
   Hypotheses: the behaviour chain irreducible with law d; λ_j ∈ [0,1] for the first line. Nothing of N. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Norms Chain KeyMatrices Spectrum Rayleigh Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition norm_below (R : rcfType) n (d : 'rV[R]_n) (Q : 'M[R]_n) (a : R) :=
  0 <= a /\ forall V, normD d (Q *m V) <= a * normD d V.

Section OffPolicy.
Variables (R : rcfType) (n : nat) (P_mu N : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (lam : nat -> R) (L : nat).
Hypothesis P_mu_stochastic : stochastic P_mu.
Hypothesis P_mu_irreducible : irreducible P_mu.
Hypothesis d_law : law P_mu d.

Let d_gt0 : forall i, 0 < d 0 i := irreducible_law_positive P_mu_stochastic P_mu_irreducible d_law.
Let d_ge0 i : 0 <= d 0 i. Proof. exact: ltW. Qed.

Let Mx := M lam L N.

(* D(I − M) > 0 *)
Definition margin := posdef (diag_mx d *m (1%:M - Mx)).

Lemma marginE : margin <-> forall V : 'cV[R]_n.+1, V != 0 -> dotD d V (Mx *m V) < sqnormD d V.
Proof.
by split=> H V /H; rewrite form_diag mulmxBl mul1mx dotDBr dotDxx subr_gt0.
Qed.

Theorem off_policy_margin_sum_of_norms (a : nat -> R) : (forall j, (0 < j)%N -> 0 <= lam j <= 1) ->
  (forall k, norm_below d (N ^+ k) (a k)) -> norm_below d Mx (\sum_(1 <= k < L.+2) w lam k * a k).
Proof.
move=> lam01 Na; split=> [|V].
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?(w_ge0 lam01) //; case: (Na k).
rewrite /Mx /M mulmx_suml mulr_suml; apply: le_trans (normD_sum d_ge0 _ _) _.
apply: ler_sum => k _; rewrite -scalemxAl normDZ ?(w_ge0 lam01) // -mulrA ler_wpmul2l ?(w_ge0 lam01) //.
by case: (Na k).
Qed.

Theorem off_policy_margin_norm (a : R) : a < 1 -> norm_below d Mx a -> margin.
Proof.
move=> a1 [a0 Ma]; apply/marginE => V V0; have := sqnormD_gt0 d_gt0 V0; rewrite -(sqr_normD d_ge0) => pos.
apply: le_lt_trans (cauchy_schwarz d_ge0 _ _) _.
have nV : 0 < normD d V by rewrite lt_def normD_ge0 andbT -sqrf_eq0 gt_eqF.
rewrite expr2 ltr_pmul2l //; apply: le_lt_trans (Ma V) _.
by rewrite gtr_pmull.
Qed.

(* The third line, as the paper would write it. *)
Definition balanced : 'M[R]_n.+1 :=
  diag_mx (map_mx Num.sqrt d) *m Mx *m diag_mx (map_mx (fun x => (Num.sqrt x)^-1) d).

Let root := diag_mx (map_mx Num.sqrt d).
Let unroot := diag_mx (map_mx (fun x => (Num.sqrt x)^-1) d).

Let sqrt_neq0 i : Num.sqrt (d 0 i) != 0.
Proof. by rewrite sqrtr_eq0 -ltNge. Qed.

Let rootK V : unroot *m (root *m V) = V :> 'cV[R]_n.+1.
Proof.
apply/matrixP => i j; rewrite /unroot /root !mul_diag_mx !mxE mulrA mulVf ?mul1r //.
Qed.

Let unrootK V : root *m (unroot *m V) = V :> 'cV[R]_n.+1.
Proof.
apply/matrixP => i j; rewrite /unroot /root !mul_diag_mx !mxE mulrA divff ?mul1r //.
Qed.

Let root_root : root *m root = diag_mx d.
Proof.
by apply/matrixP => i j; rewrite /root mul_diag_mx !mxE mulrnAr -expr2 sqr_sqrtr.
Qed.

Let dot_root V W : dot (root *m V) (root *m W) = dotD d V W.
Proof. have sroot : root^T = root by exact: tr_diag_mx.
by rewrite /dot /dotD trmx_mul sroot !mulmxA -(mulmxA _ root root) root_root. Qed.

Let form_balanced V : form balanced (root *m V) = dotD d V (Mx *m V).
Proof.
have E : balanced *m (root *m V) = root *m (Mx *m V) by rewrite /balanced -/root -/unroot -!mulmxA rootK.
by rewrite /form -mulmxA E -/(dot _ _) dot_root.
Qed.

Theorem off_policy_margin_eigenvalue (lambda_max : R) :
  greatest_eigenvalue (sym balanced) lambda_max -> margin <-> lambda_max < 1.
Proof.
move=> greatest; rewrite marginE; split=> [H|below V V0].
  case: greatest => /eigenvalue_column[y y0 By] _; pose V := unroot *m y.
  have yE : y = root *m V by rewrite unrootK.
  have V0 : V != 0 by apply: contra y0 => /eqP V0; rewrite yE V0 mulmx0.
  have := H V V0; rewrite -form_balanced -dotDxx -dot_root -yE -form_sym (eigenvector_form By).
  by rewrite gtr_pmull // dot_gt0.
have rV0 : root *m V != 0 by apply: contra V0 => /eqP E; rewrite -[V]rootK E mulmx0.
rewrite -form_balanced -dotDxx -dot_root -form_sym.
apply: le_lt_trans (greatest_eigenvalue_form _ _ greatest) _.
  by apply/matrixP => i j; rewrite !mxE addrC.
by rewrite gtr_pmull // dot_gt0.
Qed.

Theorem off_policy_margin :
  margin <-> forall m (Phi : 'M[R]_(n.+1, m)), posdef (keyC d Phi) -> negdef (keyA d N Phi lam L).
Proof.
rewrite marginE; split=> [H m Phi Cpos t t0|H V V0].
  rewrite form_keyA subr_lt0; apply: H; apply: contra t0 => /eqP Pt0.
  by apply/eqP/(posdef_inj Cpos); rewrite /keyC -mulmxA Pt0 mulmx0.
have t0 : (1%:M : 'cV[R]_1) != 0 by apply: matrix_nonzero1.
have Cpos : posdef (keyC d V).
  move=> t tn; rewrite form_keyC sqnormD_gt0 //; apply: contra V0 => /eqP/matrixP E.
  have t00 : t 0 0 != 0 by apply: contra tn => /eqP E0; apply/eqP/matrixP => i j; rewrite !ord1 E0 mxE.
  apply/eqP/matrixP => i j; move: (E i 0); rewrite !mxE big_ord1 (ord1 j) => /eqP.
  by rewrite mulf_eq0 (negbTE t00) orbF => /eqP.
by have := H _ _ Cpos _ t0; rewrite form_keyA !mulmx1 subr_lt0.
Qed.
End OffPolicy.

(* The n-step return alone, n = k + 1: λ_j = 1 for j < n, and M = Nⁿ. *)
Section NStep.
Variables (R : rcfType) (n : nat) (P_mu P : 'M[R]_n.+1) (d : 'rV[R]_n.+1).
Hypothesis P_mu_stochastic : stochastic P_mu.
Hypothesis P_mu_irreducible : irreducible P_mu.
Hypothesis d_law : law P_mu d.
Hypothesis P_stochastic : stochastic P.

Lemma M_n_step k (N : 'M[R]_n.+1) : M (schedule (nseq k 1)) k N = N ^+ k.+1.
Proof.
have c1 j : (j <= k)%N -> c (schedule (nseq k 1)) j = 1 :> R.
  elim: j => [|j IH] jk; first by rewrite c0.
  by rewrite cS (IH (ltnW jk)) /schedule nth_nseq jk mulr1.
rewrite /M big_nat_recr //= big_nat big1 ?add0r => [|[//|j] jk].
  have fin : finite_schedule k (schedule (nseq k 1) : nat -> R) by apply: schedule_of_size; rewrite size_nseq eqxx.
  by rewrite (w_last fin) c1 // scale1r.
by rewrite /w /= !c1 // ?subrr ?scale0r // ltnW.
Qed.

Lemma max_norm_power k (V : 'cV[R]_n.+1) (b : R) : (forall i, `|V i 0| <= b) -> forall i, `|(P ^+ k *m V) i 0| <= b.
Proof.
case: P_stochastic => P0 P1 Vb; elim: k => [|k IH] i; first by rewrite expr0 mul1mx.
rewrite exprS -mulmxA mxE; apply: le_trans (ler_norm_sum _ _ _) _.
rewrite -[b]mul1r -(P1 i) mulr_suml; apply: ler_sum => j _.
by rewrite normrM (ger0_norm (P0 i j)) ler_wpmul2l.
Qed.

Theorem off_policy_margin_n_step k (gamma : R) : (forall s, gamma ^+ (2 * k.+1) < d 0 s) ->
  margin (gamma *: P) d (schedule (nseq k 1)) k.
Proof.
move=> small; have d0 := irreducible_law_positive P_mu_stochastic P_mu_irreducible d_law.
case: (d_law) => dge0 d1 _; apply/marginE => V V0; rewrite M_n_step.
pose s := [arg max_(i > 0%R : 'I_n.+1) `|V i 0|]%O; pose b := `|V s 0|.
have Vb i : `|V i 0| <= b by rewrite /b /s; case: arg_maxP => // j _; apply.
have b0 : 0 < b ^+ 2.
  rewrite exprn_even_gt0 //=; apply: contra V0 => /eqP bz; apply/eqP/matrixP => i j.
  by rewrite (ord1 j) mxE; apply/normr0_eq0/eqP; rewrite eq_le normr_ge0 -bz Vb.
have sq i : ((P ^+ k.+1 *m V) i 0) ^+ 2 <= b ^+ 2.
  by rewrite -[leLHS]real_normK ?num_real // ler_sqr ?nnegrE ?normr_ge0 //; apply: max_norm_power.
have shrinks : sqnormD d ((gamma *: P) ^+ k.+1 *m V) < sqnormD d V.
  rewrite exprZn -scalemxAl sqnormDZ -exprM mulnC.
  apply: (@le_lt_trans _ _ (gamma ^+ (2 * k.+1) * b ^+ 2)).
    rewrite ler_wpmul2l ?exprM ?sqr_ge0 //; first by rewrite exprn_ge0 // sqr_ge0.
    rewrite sqnormDE -[leRHS]mul1r -d1 mulr_suml; apply: ler_sum => i _.
    by rewrite ler_wpmul2l.
  apply: (@lt_le_trans _ _ (d 0 s * b ^+ 2)); first by rewrite ltr_pmul2r.
  rewrite sqnormDE (bigD1 s) //= /b real_normK ?num_real // ler_addl.
  by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?sqr_ge0.
have := sqnormD_ge0 (V - (gamma *: P) ^+ k.+1 *m V) dge0.
rewrite -scaleN1r sqnormDD dotDZr sqnormDZ sqrrN expr1n mul1r mulN1r mulNrn addrAC subr_ge0 => le2.
by rewrite -(ltr_pmuln2r (isT : (0 < 2)%N)); apply: le_lt_trans le2 _; rewrite mulr2n ltr_add2l.
Qed.
End NStep.

(* θ→2θ with γ = ½: γ² < ½, so even TD(0) is safe for all features. *)
Theorem off_policy_margin_instance (R : rcfType) m (Phi : 'M[R]_(2, m)) :
  posdef (keyC (flip_law R) Phi) -> negdef (keyA (flip_law R) (2%:R^-1 *: to_second R) Phi (schedule [::]) 0).
Proof.
apply: (proj1 (off_policy_margin _ _ _ (even_stochastic R) (even_irreducible R) (even_law_law R))).
apply: (@off_policy_margin_n_step _ _ _ _ _ (even_stochastic R) (even_irreducible R) (even_law_law R)
          (to_second_stochastic R) 0%N).
move=> s; each_index s; rewrite mxE /= expr2 -invfM ltf_pinv ?qualifE ?mulr_gt0 ?ltr0n //;
  by rewrite -natrM ltr_nat.
Qed.

(* κ‖P_π‖ < 1 is not enough: the target goes 1→2→3→3, every next state of the behaviour is drawn from
   d = (12, 3, 1)/16, φ = (1, 1, 5), γ = 2/3, 2-step return: κ = 4/9, ‖P_π‖ ≤ 2, κ‖P_π‖ ≤ 8/9, A = 5/18. *)
Section KappaNorm.
Variable R : rcfType.
Let d : 'rV[R]_3 := mx 1 3 [:: [:: 12%:R / 16%:R; 3%:R / 16%:R; 1 / 16%:R]].
Let P_mu : 'M[R]_3 := \matrix_(i, j) d 0 j.
Let P : 'M[R]_3 := mx 3 3 [:: [:: 0; 1; 0]; [:: 0; 0; 1]; [:: 0; 0; 1]].
Let Phi : 'M[R]_(3, 1) := mx 3 1 [:: [:: 1]; [:: 1]; [:: 5%:R]].

Theorem off_policy_margin_kappa_norm_not_sufficient :
  [/\ stochastic P_mu /\ irreducible P_mu, law P_mu d /\ stochastic P, full_column_rank Phi,
      norm_below d P 2%:R /\ kappa (schedule [:: 1]) 1 (2%:R / 3%:R) * 2%:R < 1 :> R &
      keyA d ((2%:R / 3%:R) *: P) Phi (schedule [:: 1]) 1 = (5%:R / 18%:R)%:M].
Proof.
have d0 i : 0 < d 0 i by each_index i; rewrite mxE /= divr_gt0 ?ltr0n // ltr01.
have d1 : \sum_i d 0 i = 1 by by_field.
split.
- split; last by apply: irreducible3; rewrite mxE.
  split=> [i j|i]; first by rewrite mxE; apply: ltW.
  by rewrite -d1; apply: eq_bigr => j _; rewrite [LHS]mxE.
- split.
    split=> [i||]; [exact: ltW | exact: d1 | ].
    apply/matrixP => i j; rewrite [LHS]mxE (ord1 i) -[RHS]mul1r -d1 mulr_suml.
    by apply: eq_bigr => k _; rewrite [P_mu _ _]mxE.
  by split=> [i j|i]; last (by each_index i; by_field); each_index i; each_index j; nonnegative.
- by apply: (@full_column_rank_by _ _ _ _ (mx 1 3 [:: [:: 1; 0; 0]])); by_entries.
- split.
    split=> [|V]; first by rewrite ler0n.
    rewrite normD_le ?ler0n // => [|i]; last exact: ltW.
    rewrite !sqnormDE -subr_ge0 [X in 0 <= X](_ : _ = 3%:R * V 0 0 ^+ 2); first by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
    expand; move: (V _ 0) (V _ 0) (V _ 0) => a b e; field; rewrite ?pnatr_eq0 //.
  have -> : kappa (schedule [:: 1]) 1 (2%:R / 3%:R) = 4%:R / 9%:R :> R by by_weights; by_field.
  by rewrite mulrAC ltr_pdivr_mulr ?ltr0n // mul1r -natrM ltr_nat.
rewrite /keyA (@M_n_step _ _ 1) expr2 -mulmxE; apply/matrixP => i j; rewrite (ord1 i) (ord1 j).
have -> : (2%:R / 3%:R) *: P *m ((2%:R / 3%:R) *: P) - 1%:M
  = mx 3 3 [:: [:: -1; 0; 4%:R / 9%:R]; [:: 0; -1; 4%:R / 9%:R]; [:: 0; 0; - (5%:R / 9%:R)]] by by_entries.
by rewrite mul_mx_diag; by_field.
Qed.
End KappaNorm.
