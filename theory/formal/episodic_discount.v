(* Claim: episodic_discount (the definiteness criterion; the telescoping identity is telescoping_episodes)
   Place: §2–§4, with γP replaced by N = P∘Γ, N_ij = P_ij Γ_ij: the discount Γ_ij depends on the transition, which is
   how episodes are modelled.
   Statement: on-policy, with λ's in [0,1], ½(D(I − M) + (I − M)ᵀD) is positive definite exactly if some transition of
   positive probability has Γ < 1, whatever the period; so exactly then A < 0 for all independent features
   [episodic_discount_all_features], and then A < 0 ⇔ C > 0. There is no κ: on the flip chain with Γ = 1 one way and 0
   the other ‖M‖_D = 1 and A < 0.
   Hypotheses: P stochastic and irreducible, d its law, 0 ≤ Γ ≤ 1, λ_j ∈ [0,1], λ_j = 0 for j > L.

   Not formalised: that the forward view equals the backward view with N_π, an identity of expectations over paths.

   The form of D(I − M) is Σ_n w_n (‖x‖² − xᵀDNⁿx), each term a sum of squares. If it vanishes at x, no walk from a
   state with x_i ≠ 0 is ever discounted; as all states can be reached, no transition is. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain SchurTest KeyMatrices Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* If the form of a matrix that passes the Schur test attains its bound at x, the squares vanish. *)
Lemma schur_form_attained (R : realFieldType) n (d : 'rV[R]_n) (Q : 'M[R]_n) x :
  (forall i, 0 < d 0 i) -> schur d 1 Q -> dotD d x (Q *m x) = sqnormD d x ->
  (forall i, x i 0 != 0 -> (Q *m ones) i 0 = 1) /\ (forall i j, 0 < Q i j -> x i 0 = x j 0).
Proof.
move=> d0 [Q0 Q1 dQ] E; have Q1' i : (Q *m ones) i 0 <= 1 by rewrite (le_trans (Q1 i)) // mxE mulr1.
have t1 i : 0 <= d 0 i * x i 0 ^+ 2 * (1 - (Q *m ones) i 0).
  by apply: mulr_ge0; [rewrite mulr_ge0 ?sqr_ge0 // ltW | rewrite subr_ge0].
have t2 j : 0 <= x j 0 ^+ 2 * (1 * d 0 j - (d *m Q) 0 j) by apply: mulr_ge0; rewrite ?sqr_ge0 // subr_ge0.
have t3 i j : 0 <= d 0 i * Q i j * (x i 0 - 1 * x j 0) ^+ 2.
  by apply: mulr_ge0; [rewrite mulr_ge0 // ltW | rewrite sqr_ge0].
have sum_ge0 (F : 'I_n -> R) : (forall i, 0 <= F i) -> 0 <= \sum_i F i by move=> F0; apply: sumr_ge0.
have t3_row i := sum_ge0 _ (t3 i).
have : 2%:R * (1 * sqnormD d x - 1 * dotD d x (Q *m x)) == 0 by rewrite E subrr mulr0.
have [[S1 S2] S3] := (sum_ge0 _ t1, sum_ge0 _ t2, sum_ge0 _ t3_row).
rewrite dirichlet ?expr1n // -addrA paddr_eq0 ?(addr_ge0 S2 S3) // paddr_eq0 //.
case/and3P=> /eqP s1 _ /eqP s3.
split=> [i xi|i j Qij].
  move/psumr_eq0P: s1 => /(_ (fun k _ => t1 k) i isT)/eqP.
  by rewrite !mulf_eq0 (gt_eqF (d0 i)) (negbTE xi) subr_eq0 eq_sym => /eqP.
have row0 : \sum_l d 0 i * Q i l * (x i 0 - 1 * x l 0) ^+ 2 = 0.
  exact: (psumr_eq0P (fun k _ => t3_row k) s3).
have /eqP : d 0 i * Q i j * (x i 0 - 1 * x j 0) ^+ 2 = 0 by apply: (psumr_eq0P (fun l _ => t3 i l) row0).
by rewrite !mulf_eq0 (gt_eqF (d0 i)) (gt_eqF Qij) /= orbb mul1r subr_eq0 => /eqP.
Qed.

Section Episodes.
Variables (R : realFieldType) (n : nat) (P Gamma : 'M[R]_n.+1) (d : 'rV[R]_n.+1).
Variables (lam : nat -> R) (L : nat).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_irreducible : irreducible P.
Hypothesis d_law : law P d.
Hypothesis Gamma01 : forall i j, 0 <= Gamma i j <= 1.
Hypothesis lam01 : forall j, (0 < j)%N -> 0 <= lam j <= 1.
Hypothesis lam_finite : finite_schedule L lam.

Definition N : 'M[R]_n.+1 := \matrix_(i, j) (P i j * Gamma i j).
Definition discounted := exists i j, 0 < P i j /\ Gamma i j < 1.

Let d_gt0 : forall i, 0 < d 0 i := irreducible_law_positive P_stochastic P_irreducible d_law.
Let d_ge0 i : 0 <= d 0 i. Proof. exact: ltW. Qed.
Let P_ge0 i j : 0 <= P i j. Proof. by case: P_stochastic. Qed.

Lemma schur_N : schur d 1 N.
Proof.
apply: (schur_below ler01 d_ge0 (schur_law P_stochastic d_law)) => i j.
by have /andP[G0 G1] := Gamma01 i j; rewrite mxE mul1r mulr_ge0 //= ler_pimulr.
Qed.

Let schur_power k : schur d 1 (N ^+ k).
Proof. by have := schur_exp k ler01 schur_N; rewrite expr1n. Qed.

(* u_k = Nᵏ𝟏: the mean discount of a walk of k steps *)
Let u k i := (N ^+ k *m ones) i 0.

Let u_step k i : u k.+1 i = \sum_j P i j * (Gamma i j * u k j).
Proof. by rewrite /u exprS -mulmxA mxE; apply: eq_bigr => j _; rewrite mxE mulrA. Qed.

Let u01 k i : 0 <= u k i <= 1.
Proof.
case: (schur_power k) => Q0 Q1 _; rewrite /u (le_trans (Q1 i)) ?mxE ?mulr1 // andbT.
by apply: sumr_ge0 => j _; rewrite mxE mulr1.
Qed.

Let u_decreases k l i : (k <= l)%N -> u l i <= u k i.
Proof.
move/subnK <-; elim: (l - k)%N => [|m IH] //; apply: le_trans IH; rewrite addSn /u exprSr -mulmxA.
case: (schur_power (m + k)) => Q0 _ _; rewrite !mxE; apply: ler_sum => j _; rewrite ler_wpmul2l //.
by case: schur_N => _ Q1 _; rewrite (le_trans (Q1 j)) // mul1r.
Qed.

(* A state whose walks are never discounted passes this on along every transition. *)
Let undiscounted i := forall k, u k i = 1.

Let undiscounted_step i j : undiscounted i -> 0 < P i j -> Gamma i j = 1 /\ undiscounted j.
Proof.
move=> ui Pij; have Gu k : Gamma i j * u k j = 1.
  have term l : 0 <= P i l * (1 - Gamma i l * u k l).
    have /andP[G0 G1] := Gamma01 i l; have /andP[u0 u1] := u01 k l.
    by rewrite mulr_ge0 // subr_ge0 mulr_ile1.
  have sum0 : \sum_l P i l * (1 - Gamma i l * u k l) = 0.
    under eq_bigr => l _ do rewrite mulrBr mulr1.
    by rewrite sumrB -u_step ui; case: P_stochastic => _ ->; rewrite subrr.
  have /eqP : P i j * (1 - Gamma i j * u k j) = 0 by apply: (psumr_eq0P (fun l _ => term l) sum0).
  by rewrite mulf_eq0 (gt_eqF Pij) subr_eq0 eq_sym => /eqP.
have G1 : Gamma i j = 1 by have := Gu 0%N; rewrite /u expr0 mul1mx mxE mulr1.
by split=> // k; have := Gu k; rewrite G1 mul1r.
Qed.

Let undiscounted_everywhere i : undiscounted i -> forall j, undiscounted j.
Proof.
move=> ui j; case/connectP: (P_irreducible i j) => p; elim: p i ui => [|k p IH] i ui /=; first by move=> _ ->.
by case/andP=> ik pk; apply: IH pk; case: (undiscounted_step ui ik).
Qed.

(* ‖x‖² = xᵀDNᵐx for an m ≥ 1 and x ≠ 0 leaves no transition discounted. *)
Let attained m x : (0 < m)%N -> x != 0 -> dotD d x (N ^+ m *m x) = sqnormD d x -> ~ discounted.
Proof.
move=> m0 x0 /(schur_form_attained d_gt0 (schur_power m))[stay level].
have [i xi] : exists i, x i 0 != 0.
  apply/existsP; apply: contraR x0 => /existsPn x0; apply/eqP/matrixP => i j.
  by rewrite (ord1 j) mxE; apply/eqP; have := x0 i; rewrite negbK.
have multiples k j : x j 0 != 0 -> u (m * k) j = 1.
  elim: k j => [|k IH] j xj; first by rewrite muln0 /u expr0 mul1mx mxE.
  rewrite -(stay j xj) mulnS /u exprD -mulmxA [LHS]mxE [RHS]mxE; apply: eq_bigr => l _.
  rewrite [ones l 0]mxE mulr1.
  have [Q0 _ _] := schur_power m; have := Q0 j l; rewrite le_eqVlt => /predU1P[<-|Qjl].
    by rewrite !mul0r.
  by rewrite -/(u (m * k) l) IH ?mulr1 // -(level _ _ Qjl).
have ui : undiscounted i.
  move=> k; apply/eqP; rewrite eq_le; case/andP: (u01 k i) => _ -> /=.
  by rewrite -(multiples k i xi); apply: u_decreases; rewrite leq_pmull.
case=> a [b [Pab Gab]]; have [G1 _] := undiscounted_step (undiscounted_everywhere ui a) Pab.
by rewrite G1 ltxx in Gab.
Qed.

(* The form of D(I − M). *)
Lemma form_D_I_M x : form (diag_mx d *m (1%:M - M lam L N)) x
  = \sum_(1 <= k < L.+2) w lam k * (sqnormD d x - dotD d x (N ^+ k *m x)).
Proof.
rewrite form_diag mulmxBl mul1mx dotDBr dotDxx.
have -> : dotD d x (M lam L N *m x) = \sum_(1 <= k < L.+2) w lam k * dotD d x (N ^+ k *m x).
  rewrite /M mulmx_suml /dotD mulmx_sumr summxE; apply: eq_bigr => k _.
  by rewrite -scalemxAl -scalemxAr mxE.
under [RHS]eq_bigr => k _ do rewrite mulrBr.
by rewrite sumrB -mulr_suml sum_w // mul1r.
Qed.

Let term_ge0 k x : 0 <= w lam k * (sqnormD d x - dotD d x (N ^+ k *m x)).
Proof.
rewrite mulr_ge0 ?(w_ge0 lam01) // subr_ge0 -[leRHS]mul1r.
exact: schur_form_le.
Qed.

Lemma no_discount_kernel : ~ discounted -> N = P.
Proof.
move=> none; apply/matrixP => i j; rewrite mxE; have := P_ge0 i j; rewrite le_eqVlt => /predU1P[<-|Pij].
  by rewrite mul0r.
have /andP[_] := Gamma01 i j; rewrite le_eqVlt => /predU1P[->|Gij]; first by rewrite mulr1.
by case: none; exists i, j.
Qed.

Theorem episodic_discount : posdef (diag_mx d *m (1%:M - M lam L N)) <-> discounted.
Proof.
split=> [pos|disc x x0].
  have [/existsP[i /existsP[j /andP[Pij Gij]]]|none] :=
    boolP [exists i, exists j, (0 < P i j) && (Gamma i j < 1)]; first by exists i, j.
  have NP : N = 1 *: P.
    rewrite scale1r; apply: no_discount_kernel => -[i [j [Pij Gij]]]; case/existsP: none; exists i.
    by apply/existsP; exists j; rewrite Pij.
  have one0 : (ones : 'cV[R]_n.+1) != 0 by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
  have k1 : kappa lam L 1 = 1.
    by rewrite /kappa -[RHS](sum_w lam_finite); apply: eq_bigr => k _; rewrite expr1n mulr1.
  have := pos _ one0; rewrite form_diag NP mulmxBl mul1mx M_ones // k1 scale1r subrr.
  by rewrite /dotD mulmx0 mxE ltxx.
have terms_ge0 k : true -> 0 <= w lam k * (sqnormD d x - dotD d x (N ^+ k *m x)) by move=> _; apply: term_ge0.
rewrite lt_neqAle form_D_I_M sumr_ge0 // andbT eq_sym psumr_eq0 //; apply/negP => /allP terms.
suff w0 k : k \in index_iota 1 L.+2 -> w lam k = 0.
  by have := sum_w lam_finite; rewrite big_seq big1 // => /esym/eqP; rewrite oner_eq0.
move=> kr; have := terms k kr; rewrite mulf_eq0 => /orP[/eqP //|].
rewrite subr_eq0 eq_sym => /eqP /attained nodisc; case: nodisc => //.
by move: kr; rewrite mem_index_iota => /andP[].
Qed.

Let form_A m (Phi : 'M[R]_(n.+1, m)) t : form (keyA d N Phi lam L) t = - form (diag_mx d *m (1%:M - M lam L N)) (Phi *m t).
Proof. by rewrite form_keyA form_diag mulmxBl mul1mx dotDBr dotDxx opprB. Qed.

(* Proposition 4.1 holds for all independent features exactly if some transition is discounted. *)
Theorem episodic_discount_all_features :
  (forall m (Phi : 'M[R]_(n.+1, m)), full_column_rank Phi -> negdef (keyA d N Phi lam L)) <-> discounted.
Proof.
split=> [all|disc m Phi rank t t0].
  apply/episodic_discount => x x0; have := all _ 1%:M (mxrank1 _ _) x x0.
  by rewrite form_A mul1mx oppr_lt0.
by rewrite form_A oppr_lt0; apply: (proj2 episodic_discount disc); apply: full_column_rank_neq0.
Qed.

Variables (m : nat) (Phi : 'M[R]_(n.+1, m)).

(* Proposition 4.1 for episodes *)
Theorem episodic_discount_iff : discounted -> negdef (keyA d N Phi lam L) <-> posdef (keyC d Phi).
Proof.
move=> disc; have /(keyC_posdef Phi) -> := d_gt0; split=> [neg|rank t t0].
  apply/full_column_rank_inj => t Pt0; apply/eqP/negPn/negP => /neg.
  by rewrite form_A Pt0 form0 oppr0 ltxx.
by rewrite form_A oppr_lt0; apply: (proj2 episodic_discount disc); apply: full_column_rank_neq0.
Qed.

Theorem episodic_discount_prop_4_1 : discounted -> full_column_rank Phi -> negdef (keyA d N Phi lam L).
Proof. by move=> disc rank; apply/episodic_discount_iff/keyC_posdef. Qed.
End Episodes.

(* The flip chain with Γ = 1 from the first state and Γ = 0 from the second, TD(0): A < 0 with tabular features, … *)
Section OneEnd.
Variable R : realFieldType.
Let Gamma : 'M[R]_2 := mx 2 2 [:: [:: 0; 1]; [:: 0; 0]].

Theorem episodic_discount_instance :
  negdef (keyA (flip_law R) (N (flip R) Gamma) (1%:M : 'M[R]_2) (schedule [::]) 0).
Proof.
apply: (episodic_discount_prop_4_1 (flip_stochastic R) (flip_irreducible R) (flip_law_law R)).
- by move=> i j; each_index i; each_index j; rewrite !mxE /= ?lexx ?ler01.
- exact: schedule_01.
- exact: schedule_of_size.
- by exists 1, 0; rewrite !mxE /= ltr01.
by rewrite /full_column_rank mxrank1.
Qed.

(* … although ‖MV‖_D = ‖V‖_D at V = (0, 1): M does not contract. *)
Theorem episodic_discount_no_kappa (V := mx 2 1 [:: [:: 0]; [:: 1]] : 'cV[R]_2) :
  sqnormD (flip_law R) (M (schedule [::]) 0 (N (flip R) Gamma) *m V) = sqnormD (flip_law R) V
  /\ 0 < sqnormD (flip_law R) V.
Proof.
rewrite M0 // (_ : N _ _ *m V = mx 2 1 [:: [:: 1]; [:: 0]]); last by rewrite /V; by_entries.
rewrite !sqnormDE; split; first by by_field.
by expand; rewrite expr0n expr1n mulr0 add0r addr0 mulr1 invr_gt0 ltr0n.
Qed.

(* Without any discount D(I − M) is singular: A = 0 at φ = (1, 1). *)
Theorem episodic_discount_ablation_discounted :
  ~ negdef (keyA (flip_law R) (N (flip R) (const_mx 1)) (mx 2 1 [:: [:: 1]; [:: 1]]) (schedule [::]) 0).
Proof.
move=> neg; have t0 : (ones : 'cV[R]_1) != 0 by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
have := neg _ t0; rewrite (@form_keyA_eigen _ _ _ _ _ _ _ _ _ 1) ?subrr ?mul0r ?ltxx //.
by rewrite M0 //; by_entries.
Qed.
End OneEnd.
