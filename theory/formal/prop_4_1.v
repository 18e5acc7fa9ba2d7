(* Claim: prop_4_1
   Place: §4, Proposition 4.1; proof in A4.1.
   Statement: the matrix A = ΦᵀD(M − I)Φ is negative definite: xᵀAx < 0 for every x ≠ 0 (A need not be symmetric).
   Hypotheses: P stochastic and irreducible, d its stationary law (on-policy), Φ of full column rank, 0 ≤ γ < 1,
   λ_j ∈ [0,1], λ_j = 0 for j > L. Nothing is asked of the period, and D > 0 is a lemma (Chain.v), not a hypothesis.

   [prop_4_1_bounds]  (1 − κ)C ≤ −sym A ≤ (1 + κ)C, of any chain with a stationary law;
   [prop_4_1_iff]     hence A < 0 ⇔ C > 0, irreducible or not;
   [prop_4_1]         and irreducibility with full column rank gives C > 0.

   That E_0[z_t(γφ_{t+1} − φ_t)ᵀ] is this A (Lemma A4.1) is [td_matrix_mean] of Windows.v.

   Each hypothesis is dropped in turn at the end of the file, the others kept: A is then not negative definite. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain SchurTest KeyMatrices Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Proposition.
Variables (R : realFieldType) (n m : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (Phi : 'M[R]_(n.+1, m)).
Variables (lam : nat -> R) (L : nat) (gamma : R).
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.

Let N := gamma *: P.
Let A := keyA d N Phi lam L.
Let C := keyC d Phi.
Let kappa_ := kappa lam L gamma.

Let bounds t : 0 <= gamma -> (1 - kappa_) * form C t <= - form A t <= (1 + kappa_) * form C t.
Proof.
move=> g0; case: (d_law) => d0 _ _; apply: form_keyA_bounds => //; apply: schur_M => //.
by rewrite -[gamma]mulr1; apply: schur_scale => //; apply: schur_law.
Qed.

Theorem prop_4_1_bounds : 0 <= gamma ->
  possemidef (- sym A - (1 - kappa_) *: C) /\ possemidef ((1 + kappa_) *: C + sym A).
Proof.
move=> g0; split=> t; case/andP: (bounds t g0) => lo hi.
  by rewrite formB formN form_sym formZ subr_ge0.
by rewrite formD form_sym formZ -[form A t]opprK subr_ge0.
Qed.

Hypothesis lam_finite : finite_schedule L lam.
Hypothesis gamma01 : 0 <= gamma < 1.

Theorem prop_4_1_iff : negdef A <-> posdef C.
Proof.
case/andP: (gamma01) => g0 g1; have k0 : 0 <= kappa_ by apply: kappa_ge0.
have g01 : 0 <= gamma <= 1 by rewrite g0 ltW.
have k1 : 0 < 1 - kappa_ by rewrite subr_gt0; apply: le_lt_trans (kappa_le lam01 g01 lam_finite) g1.
split=> H t /H; case/andP: (bounds t g0) => lo hi.
  have k2 : 0 < 1 + kappa_ by rewrite ltr_paddr ?ltr01.
  by rewrite -oppr_gt0 => /lt_le_trans/(_ hi); rewrite pmulr_rgt0.
by move=> Ct; rewrite -oppr_gt0; apply: lt_le_trans lo; rewrite mulr_gt0.
Qed.

Theorem prop_4_1 : irreducible P -> full_column_rank Phi -> negdef A.
Proof.
move=> irr rank; apply/prop_4_1_iff/keyC_posdef => //.
exact: irreducible_law_positive irr d_law.
Qed.
End Proposition.

Section Instances.
Variable R : realFieldType.

(* A chain that is not reversible, λ = (½, ⅓), γ = ½, Φ with rows (1,0), (0,1), (1,1). *)
Theorem prop_4_1_instance :
  negdef (keyA (triangle_law R) (2%:R^-1 *: triangle R)
               (mx 3 2 [:: [:: 1; 0]; [:: 0; 1]; [:: 1; 1]]) (schedule [:: 2%:R^-1; 3%:R^-1]) 2).
Proof.
apply: prop_4_1 (triangle_stochastic R) (triangle_law_law R) _ _ _ (triangle_irreducible R) _.
- by apply: schedule_01; rewrite /= !in01_invn.
- exact: schedule_of_size.
- exact: half01.
by apply: (@full_column_rank_by _ _ _ _ (mx 2 3 [:: [:: 1; 0; 0]; [:: 0; 1; 0]])); by_entries.
Qed.

(* A chain of period 2: Assumption 2's aperiodicity is not needed. *)
Theorem prop_4_1_instance_periodic :
  negdef (keyA (flip_law R) (2%:R^-1 *: flip R) 1%:M (schedule [::]) 0).
Proof.
apply: prop_4_1 (flip_stochastic R) (flip_law_law R) _ _ _ (flip_irreducible R) _.
- exact: schedule_01.
- exact: schedule_of_size.
- exact: half01.
by rewrite /full_column_rank mxrank1.
Qed.
End Instances.

(* One hypothesis at a time is dropped, the others hold: A is not negative definite. *)
Section Ablations.
Variable R : realFieldType.
Let half := 2%:R^-1 : R.

Let not_negdef m (A : 'M[R]_m) t : t != 0 -> 0 <= form A t -> ~ negdef A.
Proof. by move=> t0 At neg; have := neg t t0; rewrite ltNge At. Qed.

Let one1 : (ones : 'cV[R]_1) != 0.
Proof. by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0. Qed.

(* Irreducible: both states lead to the second, φ = (1, 0), γ = ½, TD(0). Then DΦ = 0 and A = 0. *)
Theorem prop_4_1_ablation_irreducible :
  exists (P : 'M[R]_2) d (Phi : 'M[R]_(2, 1)),
    [/\ stochastic P, law P d, full_column_rank Phi &
        ~ negdef (keyA d (half *: P) Phi (schedule [::]) 0)].
Proof.
exists (to_second R), (to_second_law R), (mx 2 1 [:: [:: 1]; [:: 0]]).
split; [exact: to_second_stochastic | exact: to_second_law_law | | ].
  by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
have -> : keyA (to_second_law R) (half *: to_second R) (mx 2 1 [:: [:: 1]; [:: 0]]) (schedule [::]) 0 = 0.
  by rewrite /keyA (_ : _^T *m _ = 0) ?mul0mx //; by_entries.
by apply: (not_negdef one1); rewrite /form mulmx0 mul0mx mxE.
Qed.

(* It is not necessary: on the same chain φ = (0, 1) gives A = γ − 1. *)
Theorem prop_4_1_irreducible_not_necessary :
  exists (P : 'M[R]_2) d (Phi : 'M[R]_(2, 1)),
    [/\ stochastic P, law P d, ~ irreducible P & negdef (keyA d (half *: P) Phi (schedule [::]) 0)].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 0]; [:: 1]].
exists (to_second R), (to_second_law R), Phi.
split; [exact: to_second_stochastic | exact: to_second_law_law | | ].
  by move=> /(irreducible_law_positive (to_second_stochastic R))/(_ (to_second_law_law R) 0); rewrite mxE /= ltxx.
have fin : finite_schedule 0 (schedule [::] : nat -> R) by apply: schedule_of_size.
have lam01 := @schedule_01 R [::] isT.
apply/(prop_4_1_iff Phi (to_second_stochastic R) (to_second_law_law R) lam01 fin (half01 R)) => t t0.
have -> : form (keyC (to_second_law R) Phi) t = t 0 0 ^+ 2.
  rewrite form_keyC sqnormDE; expand; rewrite ?(expr1n, mul0r, mul1r, add0r, addr0); congr (t _ _ ^+ 2); exact: val_inj.
rewrite exprn_even_gt0 //=; apply: contra t0 => /eqP t00.
by apply/eqP/matrixP => i j; rewrite (ord1 i) (ord1 j) t00 mxE.
Qed.

(* Full column rank: one state with two equal features. *)
Theorem prop_4_1_ablation_full_column_rank :
  exists (P : 'M[R]_1) d (Phi : 'M[R]_(1, 2)),
    [/\ stochastic P, irreducible P, law P d & ~ negdef (keyA d (half *: P) Phi (schedule [::]) 0)].
Proof.
exists 1%:M, (const_mx 1), (mx 1 2 [:: [:: 1; 1]]).
split; [exact: one_state_stochastic | by move=> i j; rewrite (ord1 i) (ord1 j) connect0 | exact: one_state_law | ].
apply: (@not_negdef _ _ (mx 2 1 [:: [:: 1]; [:: -1]])).
  by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE /= oner_eq0.
rewrite form_keyA (_ : mx 1 2 _ *m _ = 0); last by by_entries.
by rewrite mulmx0 /dotD mulmx0 mxE /sqnormD form0 subrr.
Qed.

(* γ < 1: one state, γ = 1, TD(0). *)
Theorem prop_4_1_ablation_discounted :
  exists (P : 'M[R]_1) d (Phi : 'M[R]_(1, 1)),
    [/\ stochastic P, irreducible P, law P d, full_column_rank Phi &
        ~ negdef (keyA d (1 *: P) Phi (schedule [::]) 0)].
Proof.
exists 1%:M, (const_mx 1), 1%:M.
split; [exact: one_state_stochastic | by move=> i j; rewrite (ord1 i) (ord1 j) connect0 | exact: one_state_law | | ].
  by rewrite /full_column_rank mxrank1.
apply: (not_negdef one1); rewrite (@form_keyA_eigen _ _ _ _ _ _ _ _ _ 1) ?subrr ?mul0r // mul1mx.
rewrite M_ones; last exact: one_state_stochastic.
by congr (_ *: _); by_weights; by_field.
Qed.

(* It is not necessary either: at γ = 1 with the next state drawn evenly, φ = (1, −1) has Pφ = 0 and A = −1. *)
Theorem prop_4_1_discounted_not_necessary :
  exists (P : 'M[R]_2) d (Phi : 'M[R]_(2, 1)),
    [/\ stochastic P, irreducible P, law P d & negdef (keyA d (1 *: P) Phi (schedule [::]) 0)].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: -1]].
exists (even R), (flip_law R), Phi.
split; [exact: even_stochastic | exact: even_irreducible | exact: even_law_law | ] => t t0.
have PPhi : even R *m Phi = 0 by by_entries.
rewrite (@form_keyA_eigen _ _ _ _ _ _ _ _ _ 0); last by rewrite M0 // scale1r mulmxA PPhi mul0mx scale0r.
rewrite sub0r mulN1r oppr_lt0 sqnormD_gt0 //.
  exact: (irreducible_law_positive (even_stochastic R) (even_irreducible R) (even_law_law R)).
by apply: full_column_rank_neq0 t0; apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
Qed.

(* λ_j ∈ [0,1], from below: one state, γ = ½, λ_1 = −3: κ = 5/4, A = 1/4. *)
Theorem prop_4_1_ablation_lambdas_negative :
  exists (P : 'M[R]_1) d (Phi : 'M[R]_(1, 1)),
    [/\ stochastic P, irreducible P, law P d, full_column_rank Phi &
        ~ negdef (keyA d (half *: P) Phi (schedule [:: - 3%:R]) 1)].
Proof.
exists 1%:M, (const_mx 1), 1%:M.
split; [exact: one_state_stochastic | by move=> i j; rewrite (ord1 i) (ord1 j) connect0 | exact: one_state_law | | ].
  by rewrite /full_column_rank mxrank1.
apply: (not_negdef one1); rewrite (@form_keyA_eigen _ _ _ _ _ _ _ _ _ (1 + 4%:R^-1)).
  by rewrite addrAC subrr add0r mulr_ge0 ?invr_ge0 ?ler0n // sqnormD_ge0 // => i; rewrite mxE ler01.
rewrite mul1mx M_ones; last exact: one_state_stochastic.
by congr (_ *: _); rewrite /half; by_weights; by_field.
Qed.

(* λ_j ∈ [0,1], from above: the flip chain, φ = (1, −1), γ = ½, λ_1 = 5/2 > 1/γ: A = 3/8. *)
Theorem prop_4_1_ablation_lambdas_large :
  exists (P : 'M[R]_2) d (Phi : 'M[R]_(2, 1)),
    [/\ stochastic P, irreducible P, law P d, full_column_rank Phi &
        ~ negdef (keyA d (half *: P) Phi (schedule [:: 5%:R / 2%:R]) 1)].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: -1]].
exists (flip R), (flip_law R), Phi.
split; [exact: flip_stochastic | exact: flip_irreducible | exact: flip_law_law | | ].
  by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
apply: (not_negdef one1); rewrite (@form_keyA_eigen _ _ _ _ _ _ _ _ _ (1 + 3%:R / 8%:R)).
  rewrite addrAC subrr add0r mulr_ge0 ?divr_ge0 ?ler0n // sqnormD_ge0 // => i.
  by case: (flip_law_law R).
have -> : half *: flip R = - half *: - flip R by rewrite scalerN scaleNr opprK.
rewrite (M_eigenvector _ _ (- half)); last by by_entries.
by congr (_ *: _); rewrite /half; by_weights; by_field.
Qed.

(* On-policy: θ→2θ. The behaviour's law is (½, ½), the target goes to the second state, φ = (1, 2), γ = 9/10:
   A = (6κ − 5)/2 = 1/5. *)
Theorem prop_4_1_ablation_on_policy :
  exists (P P_mu : 'M[R]_2) d (Phi : 'M[R]_(2, 1)),
    [/\ stochastic P, stochastic P_mu /\ irreducible P_mu, law P_mu d, full_column_rank Phi &
        ~ negdef (keyA d ((9%:R / 10%:R) *: P) Phi (schedule [::]) 0)].
Proof.
pose Phi : 'M[R]_(2, 1) := mx 2 1 [:: [:: 1]; [:: 2%:R]].
exists (to_second R), (even R), (flip_law R), Phi.
split; [exact: to_second_stochastic | split | exact: even_law_law | | ].
- exact: even_stochastic.
- exact: even_irreducible.
- by apply: (@full_column_rank_by _ _ _ _ (mx 1 2 [:: [:: 1; 0]])); by_entries.
apply: (not_negdef one1).
rewrite form_keyA M_idempotent; last by by_entries.
rewrite dotDE sqnormDE (_ : kappa _ _ _ = 9%:R / 10%:R :> R); last by by_weights; by_field.
rewrite (_ : _ - _ = 5%:R^-1) ?invr_ge0 ?ler0n //; by_field.
Qed.
End Ablations.
