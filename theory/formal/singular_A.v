(* Claims: thm_4_4, thm_4_6
   Place: §4, Theorems 4.4 and 4.6, off-policy, where Aθ + b = 0 has no solution.
   Statement: let one path of the behaviour chain drive GTD(λ)- or TDC(λ)-schedule, β_t > 0 deterministic, Σβ = ∞,
     Σβ² < ∞, any α_t.
   If (θ_t, w_t) converges almost surely to (θ*, 0), then Aθ* + b = 0 [thm_4_4_limit_solves, thm_4_6_limit_solves].
     So for θ→2θ
   at γ = 5/6 (A = 0, b = ½) neither converges to (θ*, 0), for any θ*, θ_0, w_0 [thm_4_4_ablation_nonsingular,
   thm_4_6_ablation_nonsingular].
   Not formalised: that θ_t alone has no limit. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Limits Lyapunov KeyMatrices Examples.
From TD Require Import Paths Sequences Convergence Markov LinearSA Windows Policies OffPolicy thm_4_3 RestPoints.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section LimitSolves.
Variables (R : realFieldType) (n m : nat) (Act : finType) (p : Act -> 'M[R]_n.+1) (mu pi : 'I_n.+1 -> Act -> R).
Variables (init : Act * 'I_n.+1 -> R) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)) (lam : nat -> R) (L : nat) (gamma : R).
Variables (r : 'I_n.+1 -> Act * 'I_n.+1 -> R) (alpha beta : nat -> R) (theta0 w0 star : 'cV[R]_m).
Let N := gamma *: policy_kernel p pi.
Let A := keyA d N Phi lam L.
Let b := keyb d N (policy_reward p pi r) Phi lam L.
Let K := observation_kernel snd (behave p mu) init.
Let AX := A_of snd Phi lam (fun=> fun=> gamma) (ratio mu pi).
Let bX := b_of snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r.
Let CX := @C_of R n m [finType of Act * 'I_n.+1] snd Phi.

Hypothesis p_stochastic : forall a, stochastic (p a).
Hypothesis mu_policy : policy mu.
Hypothesis pi_policy : policy pi.
Hypothesis mu_covers : covers d mu pi.
Hypothesis init_distribution : distribution init.
Hypothesis mu_limit : forall i j, tends_to (fun t => (policy_kernel p mu ^+ t) i j) (d 0 j).
Hypothesis lam_finite : finite_schedule L lam.
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_diverges : diverges beta.
Hypothesis beta_square : summable (fun t => beta t ^+ 2).

(* whatever drives θ, if w follows the recursion that GTD and TDC share *)
Let w_limit (x : seq (Act * 'I_n.+1) -> 'cV[R]_m * 'cV[R]_m) : (forall o, (x [:: o]).2 = (x [::]).2) ->
  (forall o' o h, (x (o' :: o :: h)).2 = (x (o :: h)).2
    + beta (size h) *: (AX (o' :: o :: h) *m (x (o :: h)).1 + bX (o' :: o :: h) - CX (o' :: o :: h) *m (x (o ::
      h)).2)) ->
  tends_to_zero_as K (fun h => distance2 star (x h)) -> A *m star + b = 0.
Proof.
move=> start step lim; have P_st := policy_stochastic p_stochastic mu_policy; have d_law := limit_law P_st mu_limit.
have obs := behave_observes p_stochastic mu_policy.
have A_loc : local L.+2 AX by apply: td_matrix_local lam_finite.
have b_loc : local L.+2 bX by apply: td_vector_local lam_finite.
have C_loc : local L.+2 CX by apply: C_of_local.
have EA : stationary_mean snd (behave p mu) init d L.+1 AX = A.
  exact: (off_policy_A p_stochastic mu_policy mu_covers pi_policy init Phi d_law lam_finite gamma).
have Eb : stationary_mean snd (behave p mu) init d L.+1 bX = b.
  exact: (off_policy_b p_stochastic mu_policy mu_covers init Phi d_law lam_finite gamma r).
rewrite -EA -Eb -stationary_mean_mulr -stationary_meanD.
have one_margin (y : 'cV[R]_m) : 1 * dot y y <= form 1%:M y by rewrite form_id mul1r.
have [gA gA0 A_le] := local_bounded (fun h => matrix_bound_ge0 1%:M (@ltr01 R) (AX h))
  (fun h h' E => congr1 (matrix_bound 1%:M 1) (A_loc _ _ E)).
have [gC gC0 C_le] := local_bounded (fun h => matrix_bound_ge0 1%:M (@ltr01 R) (CX h))
  (fun h h' E => congr1 (matrix_bound 1%:M 1) (C_loc _ _ E)).
have mul_le (B : 'M[R]_m) g (y : 'cV[R]_m) : matrix_bound 1%:M 1 B <= g -> dot (B *m y) (B *m y) <= g * dot y y.
  move=> Bg; have := matrix_boundP (@ltr01 R) one_margin B y; rewrite !form_id => /le_trans; apply.
  by apply: ler_wpmul2r; first exact: dot_ge0.
apply: (@mean_vanishes R n m _ snd (policy_kernel p mu) (behave p mu) init d P_st obs init_distribution d_law
  mu_limit L.+1
  (fun t => beta t.-1) (fun t => beta_gt0 t.-1) (diverges_later beta_gt0 beta_diverges) (summable_later beta_square)
  (fun h => (x h).2) (fun h => AX h *m ((x (behead h)).1 - star) - CX h *m (x (behead h)).2)
  _ (fun h => distance2 star (x h)) (2%:R * (gA + gC))) => //.
- by move=> h h' E; rewrite (A_loc _ _ E) (b_loc _ _ E).
- move=> o' [|o h].
    rewrite start /AX /bX /CX /A_of /b_of /C_of /td_matrix /td_vector /= !mulmx0 scale0r !mul0mx.
    by rewrite !(addr0, subr0) scaler0 addr0.
  rewrite step /=; congr (_ + _ *: _); rewrite mulmxBr.
  move: (AX _ *m (x _).1) (AX _ *m star) (bX _) (CX _ *m _) => x1 x2 x3 x4.
  have H (y1 y2 y3 y4 : R) : y1 + y3 - y4 = y2 + y3 + (y1 - y2 - y4) by ring.
  by apply/matrixP => i j; rewrite !mxE; apply: H.
- by move=> h; rewrite /distance2 ler_addr dot_ge0.
- move=> o h; rewrite [behead _]/= /distance2; move: ((x h).1 - star) (x h).2 => y z.
  have add2 (u v : 'cV[R]_m) : dot (u - v) (u - v) <= 2%:R * (dot u u + dot v v).
    rewrite !dotE -big_split mulr_sumr; apply: ler_sum => i _; rewrite !mxE /=.
    move: (u i 0) (v i 0) => a c; rewrite -subr_ge0.
    have H : 2%:R * (a * a + c * c) - (a - c) * (a - c) = (a + c) ^+ 2 by ring.
    by rewrite H sqr_ge0.
  apply: le_trans (add2 _ _) _; rewrite -mulrA ler_pmul2l ?ltr0n // mulrDl; apply: ler_add.
    by apply: le_trans (mul_le _ _ _ (A_le _)) _; apply: ler_wpmul2l => //; rewrite ler_addl dot_ge0.
  by apply: le_trans (mul_le _ _ _ (C_le _)) _; apply: ler_wpmul2l => //; rewrite ler_addr dot_ge0.
by rewrite mulr_ge0 ?ler0n ?addr_ge0.
Qed.

(* If GTD's (θ_t, w_t) → (θ*, 0) almost surely, then Aθ* + b = 0. *)
Theorem thm_4_4_limit_solves : tends_to_zero_as K (fun h =>
    distance2 star (gtd snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0 h)) -> A *m star + b = 0.
Proof. by apply: w_limit => // o' o h; apply: gtd_wE. Qed.

(* The same for TDC. *)
Theorem thm_4_6_limit_solves : tends_to_zero_as K (fun h =>
    distance2 star (tdc snd Phi lam (fun=> fun=> gamma) (ratio mu pi) r alpha beta theta0 w0 h)) -> A *m star + b = 0.
Proof. by apply: w_limit => // o' o h; apply: tdc_wE. Qed.
End LimitSolves.

(* θ→2θ, TD(0), γ = 5/6: any θ_0, w_0, any law of the first observation, any steps β_t > 0 with Σβ = ∞, Σβ² < ∞, any
  α_t *)
Section ThetaToTwoTheta.
Variables (R : realFieldType) (init : 'I_2 * 'I_2 -> R) (alpha beta : nat -> R) (theta0 w0 star : 'cV[R]_1).
Hypothesis init_distribution : distribution init.
Hypothesis beta_gt0 : forall t, 0 < beta t.
Hypothesis beta_diverges : diverges beta.
Hypothesis beta_square : summable (fun t => beta t ^+ 2).
Let gamma : R := 5%:R / 6%:R.
Let K := observation_kernel snd (behave (go_to R) (evenly R)) init.
Let rho := ratio (evenly R) (second R).

Let no_solution : keyA (flip_law R) (gamma *: policy_kernel (go_to R) (second R)) (two_features R) (schedule [::]) 0
  *m star
  + keyb (flip_law R) (gamma *: policy_kernel (go_to R) (second R)) (policy_reward (go_to R) (second R)
    (leaving_first R))
      (two_features R) (schedule [::]) 0 != 0.
Proof.
rewrite two_features_b two_features_A (_ : _ - _ = 0); last by rewrite /gamma; field; rewrite ?pnatr_eq0.
rewrite raddf0 mul0mx add0r; apply/eqP => /matrixP/(_ 0 0)/eqP.
by rewrite !mxE eqxx mulr1n invr_eq0 pnatr_eq0.
Qed.
Let fin : finite_schedule 0 (schedule [::] : nat -> R). Proof. exact: schedule_of_size. Qed.

Theorem thm_4_4_ablation_nonsingular : ~ tends_to_zero_as K (fun h => distance2 star
  (gtd snd (two_features R) (schedule [::]) (fun=> fun=> gamma) rho (leaving_first R) alpha beta theta0 w0 h)).
Proof.
move=> lim; move/eqP: no_solution; apply.
exact: (thm_4_4_limit_solves (@go_to_stochastic R) (@evenly_policy R) (@second_policy R) (@evenly_covers R _)
  init_distribution
  (@evenly_limit R) fin beta_gt0 beta_diverges beta_square lim).
Qed.

Theorem thm_4_6_ablation_nonsingular : ~ tends_to_zero_as K (fun h => distance2 star
  (tdc snd (two_features R) (schedule [::]) (fun=> fun=> gamma) rho (leaving_first R) alpha beta theta0 w0 h)).
Proof.
move=> lim; move/eqP: no_solution; apply.
exact: (thm_4_6_limit_solves (@go_to_stochastic R) (@evenly_policy R) (@second_policy R) (@evenly_covers R _)
  init_distribution
  (@evenly_limit R) fin beta_gt0 beta_diverges beta_square lim).
Qed.
End ThetaToTwoTheta.
