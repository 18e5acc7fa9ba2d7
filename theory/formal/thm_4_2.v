(* Claim: thm_4_2 (its linear case)
   Place: §4, Theorem 4.2, stochastic approximation with Markov noise.
   Stated: (B1)–(B5) suffice; of the steps they ask Σα = ∞, Σα² < ∞ only. Refuted: linear recursions are among them,
       θ ← θ + α_t(G(X_t)θ + b(X_t)), X_t a window of w + 1 observations of an irreducible chain, A = E_0 G(X_t) < 0,
   the only invariant set of θ' = Aθ + E_0 b(X_t) is {−A⁻¹E_0 b(X_t)}, and on two states that alternate, with the
     steps of
   thm_4_3_ablation_aperiodicity, TD(0) tends to 2, not to −A⁻¹b = 1.
   Corrected: with Σ|α_{t+1} − α_t| < ∞ such recursions converge to −A⁻¹E_0 b(X_t) almost surely.
     [thm_4_2_corrected_mixing]: for
   any steps, if lim P(s_t = j | s_0 = i) = d(j). So the statement fails only where the chain is periodic and the
     steps vary with it, or
   where they follow the path (deterministic_steps).
   Not formalised: recursions that are not linear in θ. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Forms Chain Limits KeyMatrices Examples.
From TD Require Import Lyapunov Paths Sequences Convergence ProbabilityOne Markov LinearSA Windows Steps thm_4_3
  Regular Refuted step_ablations regular_steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Theorem42.
Variable R : realFieldType.

(* Every linear recursion on an irreducible chain of the given kind, with steps of the given kind, converges to
  −A⁻¹b. *)
Definition linear_case (chains : forall n, 'M[R]_n.+1 -> 'rV[R]_n.+1 -> Prop) (steps : (nat -> R) -> Prop) :=
  forall n m (O : finType) (state : O -> 'I_n.+1) (P : 'M[R]_n.+1) q init d w G b alpha (theta : seq O -> 'cV[R]_m),
  stochastic P -> irreducible P -> observes state P q -> distribution init -> law P d -> chains n P d ->
  local w.+1 G -> local w.+1 b ->
  (forall t, 0 < alpha t) -> diverges alpha -> summable (fun t => alpha t ^+ 2) -> steps alpha ->
  (forall o h, theta (o :: h) = theta h + alpha (size h) *: (G (o :: h) *m theta h + b (o :: h))) ->
  let A := stationary_mean state q init d w G in let star := - invmx A *m stationary_mean state q init d w b in
  negdef A -> almost_surely (observation_kernel state q init) (sqdist theta star).

Theorem thm_4_2_stated_refuted : Num.archimedean_axiom R -> ~ linear_case (fun _ _ _ => True) (fun _ => True).
Proof.
move=> archi all; have [[a0 a_div a_sq] [_]] := thm_4_3_ablation_aperiodicity archi 0; apply.
have [EA Eb _ _] := thm_4_3_ablation_means R.
have st := flip_stochastic R; have obs := states_observe st.
have init1 : distribution (@from_first R 1).
  by split=> [s|]; rewrite ?ler0n // !big_ord_recl big_ord0 /= !addr0.
have fin : finite_schedule 0 (schedule [::] : nat -> R) by case=> [|[|j]].
have [] := @td_means R 1 1 _ (fun i => i) (flip R) (fun i j => flip R i j) (@from_first R 1) (flip_law R) (const_mx 1)
  (schedule [::]) 0 2%:R^-1 (fun i _ => reward R i) st obs (flip_law_law R) fin.
rewrite flip_mean_reward EA Eb => mA mb.
have := all 1%N 1%N _ (fun i => i) (flip R) (fun i j => flip R i j) (@from_first R 1) (flip_law R) 1%N _ _
  (fun t => clock_step R t.-1) (td1 (clock_step R) 0) st (flip_irreducible R) obs init1 (flip_law_law R) I
  (td_matrix_local _ _ _ _ fin) (td_vector_local _ _ _ _ _ fin) (fun t => a0 t.-1) (diverges_later a0 a_div)
  (summable_later a_sq) I (td_step _ _ _ _ _ _ _).
cbv zeta; rewrite mA mb flip_rest_point => lim; apply: (proj1 (lim _)).
move=> x x0; rewrite (_ : mx 1 1 _ = 2%:R^-1%:M); last by by_entries.
by rewrite formN oppr_lt0 -scalemx1 formZ mulr_gt0 ?invr_gt0 ?ltr0n // form_id dot_gt0.
Qed.

Theorem thm_4_2_corrected : linear_case (fun _ _ _ => True) (fun alpha => summable (fun t => `|alpha t.+1 - alpha t|)).
Proof.
move=> n m O state P q init d w G b alpha theta P_st irr obs init1 d_law _ G_loc b_loc a0 a_div a_sq a_var step A
  star A_neg.
apply: paths_almost_surely => [h|]; first exact: dot_ge0.
exact: (regular_sa_convergence P_st (irreducible_one_class irr) obs d_law init1 G_loc b_loc a0 a_div a_sq a_var step A_neg).
Qed.

(* lim P(s_t = j | s_0 = i) = d(j): any steps *)
Theorem thm_4_2_corrected_mixing :
  linear_case (fun _ P d => forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j)) (fun _ => True).
Proof.
move=> n m O state P q init d w G b alpha theta P_st irr obs init1 d_law lim G_loc b_loc a0 a_div a_sq _ step A star
  A_neg.
apply: paths_almost_surely => [h|]; first exact: dot_ge0.
exact: (linear_sa_convergence P_st obs init1 d_law lim G_loc b_loc A_neg a0 a_div a_sq step).
Qed.
End Theorem42.
