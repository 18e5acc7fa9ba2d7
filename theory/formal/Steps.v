(* Where the hypotheses of the convergence theorems are met: steps a/(t + b), and chains that have a positive power.

     harmonic a b t            a/(t + b)
     harmonic_diverges         Σ a/(t + b) = ∞
     harmonic_square           Σ (a/(t + b))² < ∞
     harmonic_variation        Σ |α_{t+1} − α_t| < ∞ for α_t = a/(t + b)
     column_power_limit        if some power of P has a column without a zero, lim P(s_t = j | s_0 = i) = d(j)
                               (Assumption 2)

   The field has to be Archimedean, as the rationals, the real algebraic numbers and the reals are. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits.
From TD Require Import Sequences Markov Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma archimedean (R : archiFieldType) : Num.archimedean_axiom R.
Proof. by move=> x; exists (Num.bound `|x|); apply: archi_boundP. Qed.

Section Sums.
Variable R : realFieldType.
Implicit Types (c u : nat -> R).

(* A sum of which every block has at least e diverges. *)
Lemma diverges_blocks c e : Num.archimedean_axiom R -> (forall t, 0 <= c t) -> 0 < e ->
  (forall N, exists2 n, (N <= n)%N & e <= \sum_(N <= t < n) c t) -> diverges c.
Proof.
move=> archi c0 e0 block M N; have [j jM] := archi (M / e).
have {jM} : M <= e * j%:R.
  by rewrite mulrC -ler_pdivr_mulr //; apply: le_trans (ler_norm _) (ltW jM).
suff [n Nn big] : exists2 n, (N <= n)%N & e * j%:R <= \sum_(N <= t < n) c t.
  by exists n; split=> //; apply: le_trans big.
elim: j => [|j [n Nn IH]]; first by exists N => //; rewrite mulr0 sumr_ge0.
have [m nm big] := block n; exists m; first exact: leq_trans nm.
by rewrite (big_cat_nat _ _ _ Nn nm) /= mulrSr mulrDr mulr1 ler_add.
Qed.

(* c_t ≤ u_t − u_{t+1} with u ≥ 0, u → 0 *)
Lemma summable_telescope N0 c u : (forall t, (N0 <= t)%N -> c t <= u t - u t.+1) -> (forall t, 0 <= u t) ->
  tends_to u 0 -> summable c.
Proof.
move=> cu u0 lim eps eps0; have [N uN] := lim eps eps0; exists (maxn N0 N) => n.
apply: (@le_trans _ _ (u (maxn N0 N))); last first.
  by have := uN _ (leq_maxr N0 N); rewrite subr0 ger0_norm // => /ltW.
have [Nn|nN] := leqP (maxn N0 N) n; last by rewrite big_geq // ltnW.
apply: (@le_trans _ _ (u (maxn N0 N) - u n)); last by rewrite ger_addl oppr_le0.
elim: n Nn => [|n IH]; first by rewrite leqn0 => /eqP->; rewrite big_geq // subrr.
rewrite leq_eqVlt => /orP[/eqP <-|]; first by rewrite big_geq // subrr.
rewrite ltnS => Nn; rewrite big_nat_recr //=; apply: le_trans (ler_add (IH Nn) (cu n _)) _.
  by apply: leq_trans Nn; apply: leq_maxl.
by rewrite addrA subrK.
Qed.

Lemma summable_le N0 c u : (forall t, (N0 <= t)%N -> c t <= u t) -> (forall t, 0 <= u t) -> summable u -> summable c.
Proof.
move=> cu u0 sum eps eps0; have [N uN] := sum eps eps0; exists (maxn N0 N) => n.
apply: le_trans (uN n); have [le|lt] := leqP (maxn N0 N) n; last by rewrite big_geq ?(ltnW lt) // sumr_ge0.
rewrite (@big_cat_nat _ _ _ (maxn N0 N) N) //= ?leq_maxr // ler_paddl ?sumr_ge0 //.
rewrite big_nat [X in _ <= X]big_nat; apply: ler_sum => t /andP[Nt _]; apply: cu.
by apply: leq_trans Nt; apply: leq_maxl.
Qed.
End Sums.

Section Harmonic.
Variables (R : realFieldType) (a b : R).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis a_gt0 : 0 < a.
Hypothesis b_gt0 : 0 < b.

Definition harmonic (t : nat) : R := a / (t%:R + b).

Let den_gt0 t : 0 < t%:R + b. Proof. by rewrite ltr_paddl ?ler0n. Qed.

Lemma harmonic_gt0 t : 0 < harmonic t.
Proof. exact: divr_gt0. Qed.

(* α_t − α_{t+1} = α_t α_{t+1}/a *)
Lemma harmonic_difference t : harmonic t - harmonic t.+1 = a^-1 * harmonic t * harmonic t.+1.
Proof.
have := den_gt0 t.+1; rewrite /harmonic mulrSr; have := den_gt0 t; move: (t%:R : R) => x x0 x1.
by field; rewrite !gt_eqF.
Qed.

Lemma harmonic_antitone t : harmonic t.+1 <= harmonic t.
Proof. by rewrite -subr_ge0 harmonic_difference !mulr_ge0 ?invr_ge0 // ltW // harmonic_gt0. Qed.

Lemma harmonic_tends_to_zero : tends_to harmonic 0.
Proof.
move=> eps eps0; have [N aN] := archi (a / eps); exists N => n Nn.
rewrite subr0 ger0_norm ?(ltW (harmonic_gt0 n)) // ltr_pdivr_mulr // mulrC -ltr_pdivr_mulr //.
apply: le_lt_trans (ler_norm _) (lt_le_trans aN _); rewrite ler_paddr ?ler_nat //; exact: ltW.
Qed.

(* Σ a/(t + b) = ∞ *)
Theorem harmonic_diverges : diverges harmonic.
Proof.
have [B bB] := archi b; have {}bB : b <= B%:R by apply: le_trans (ler_norm _) (ltW bB).
apply: (@diverges_blocks _ _ (a / 3%:R)) => // [t||N]; first exact: ltW (harmonic_gt0 t).
  by rewrite divr_gt0 ?ltr0n.
pose K := (maxn N B).+1; have NK : (N <= K)%N by rewrite leqW // leq_maxl.
have BK : (B <= K)%N by rewrite leqW // leq_maxr.
exists (K + K)%N; first by rewrite (leq_trans NK) ?leq_addl.
rewrite (@big_cat_nat _ _ _ K) ?leq_addr //=.
apply: ler_paddl; first by apply: sumr_ge0 => t _; apply: ltW; apply: harmonic_gt0.
have K0 : 0 < K%:R :> R by rewrite ltr0n.
apply: (@le_trans _ _ (\sum_(K <= t < K + K) a / (3%:R * K%:R))).
  rewrite sumr_const_nat addnK -(mulr_natr _ K) invfM mulrA divfK ?gt_eqF //.
rewrite big_nat [X in _ <= X]big_nat; apply: ler_sum => t /andP[_ tK].
rewrite ler_pmul2l // lef_pinv ?posrE ?mulr_gt0 ?ltr0n //.
apply: (@le_trans _ _ ((K + K)%:R + B%:R)); first by rewrite ler_add // ler_nat ltnW.
by rewrite -natrD -natrM ler_nat !mulSn mul0n addn0 addnA leq_add2l.
Qed.

(* Σ (a/(t + b))² < ∞ *)
Theorem harmonic_square : summable (fun t => harmonic t ^+ 2).
Proof.
apply: (@summable_telescope _ 1 _ (fun t => a * harmonic t.-1)) => [[//|t] _|t|].
- rewrite /= -mulrBr harmonic_difference -[_^-1 * _ * _]mulrA mulVKf ?gt_eqF // expr2.
  by rewrite ler_pmul2r ?harmonic_gt0 // harmonic_antitone.
- by rewrite mulr_ge0 ?(ltW (harmonic_gt0 _)) // ltW.
rewrite -(mulr0 a); apply: tends_to_scale => eps eps0; have [N H] := harmonic_tends_to_zero eps0.
by exists N.+1 => -[//|n]; apply: H.
Qed.

(* Σ |α_{t+1} − α_t| < ∞ *)
Theorem harmonic_variation : summable (fun t => `|harmonic t.+1 - harmonic t|).
Proof.
apply: (@summable_telescope _ 0 _ harmonic) harmonic_tends_to_zero => [t _|t]; last exact: ltW (harmonic_gt0 t).
by rewrite distrC ger0_norm // subr_ge0 harmonic_antitone.
Qed.
End Harmonic.

(* Doeblin: if a column of Pᵏ is at least ε, the rows of Pᵏᵗ − 𝟏d shrink like (1 − ε)ᵗ. One recurrent class of period 1;
   transient states are allowed. *)
Section ColumnPower.
Variables (R : realFieldType) (n : nat) (P : 'M[R]_n.+1) (d : 'rV[R]_n.+1) (k : nat) (c : 'I_n.+1).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis P_stochastic : stochastic P.
Hypothesis d_law : law P d.
Hypothesis P_positive : forall i, 0 < (P ^+ k) i c.

Let power_ge0 t i j : 0 <= (P ^+ t) i j.
Proof.
elim: t i j => [|t IH] i j; first by rewrite expr0 mxE ler0n.
by rewrite exprS mxE; apply: sumr_ge0 => l _; rewrite mulr_ge0 // P_stochastic.1.
Qed.
Let power_ones t : P ^+ t *m ones = ones.
Proof. by elim: t => [|t IH]; rewrite ?expr0 ?mul1mx // exprS -mulmxA IH stochastic_ones. Qed.
Let power_row t i : \sum_j (P ^+ t) i j = 1.
Proof.
have /matrixP/(_ i 0) := power_ones t; rewrite !mxE => <-.
by apply: eq_bigr => j _; rewrite mxE mulr1.
Qed.

Theorem column_power_limit i j : tends_to (fun t => (P ^+ t) i j) (d 0 j).
Proof.
have [eps eps0 P_eps] : exists2 eps, 0 < eps & forall i, eps <= (P ^+ k) i c.
  pose F i := (P ^+ k) i c.
  exists (F [arg min_(x < 0) F x]%O); first exact: P_positive.
  by move=> i'; case: arg_minP => // x _ /(_ i' isT).
pose rho := 1 - eps.
have rho0 : 0 <= rho.
  rewrite subr_ge0; apply: le_trans (P_eps 0) _; rewrite -(power_row k 0) (bigD1 c) //= ler_addl.
  by apply: sumr_ge0.
have rho1 : rho < 1 by rewrite ltr_subl_addr ltr_addl.
have gap_ones t : gap P d t *m ones = 0.
  by rewrite mulmxBl power_ones -mulmxA (law_ones d_law) mulmx1 subrr.
pose e : 'rV[R]_n.+1 := delta_mx 0 c.
pose T := P ^+ k - eps *: (ones *m e).
have TE i' j' : T i' j' = (P ^+ k) i' j' - eps * (j' == c)%:R.
  by rewrite !mxE big_ord1 !mxE eqxx mul1r.
have T_rows : rows_le T rho.
  move=> i'; rewrite le_eqVlt; apply/orP; left; apply/eqP.
  transitivity (\sum_j' ((P ^+ k) i' j' - eps * (j' == c)%:R)).
    apply: eq_bigr => j' _; rewrite TE ger0_norm // subr_ge0; case: eqP => [->|_]; first by rewrite mulr1.
    by rewrite mulr0.
  rewrite sumrB power_row -mulr_sumr (bigD1 c) //= eqxx big1 ?addr0 ?mulr1 // => j' /negbTE ->.
  by [].
have P_rows r : rows_le (P ^+ r) 1.
  move=> i'; rewrite -(power_row r i') le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => j' _.
  by rewrite ger0_norm.
have d_power r : d *m P ^+ r = d.
  by case: d_law => _ _ dP; elim: r => [|r IH]; rewrite ?expr0 ?mulmx1 // exprS mulmxA dP.
have gap_mul s r : gap P d (s + r) = gap P d s *m P ^+ r.
  by rewrite /gap mulmxBl -mulmxA d_power exprD.
have gap_T s : gap P d (s + k) = gap P d s *m T.
  by rewrite gap_mul /T mulmxBr -scalemxAr mulmxA gap_ones mul0mx scaler0 subr0.
have gap_rows q r : rows_le (gap P d (q * k + r)) (2%:R * rho ^+ q).
  rewrite gap_mul -[X in rows_le _ X]mulr1; apply: rows_le_mul => //; elim: q => [|q IH].
    by rewrite mul0n expr0 mulr1; apply: gap_le2.
  by rewrite mulSn addnC gap_T exprSr mulrA; apply: rows_le_mul.
have := @tends_to_geometric (ArchiFieldType R archi) rho (introT andP (conj rho0 rho1)).
move=> lim e' e0; have [N small] := lim _ (divr_gt0 e0 (ltr0Sn R 1)).
exists (N * k)%N => t Nt; rewrite -(subnKC Nt); set r := (t - _)%N.
have := gap_rows N r i; rewrite (bigD1 j) //= !mxE big_ord1 mxE mul1r => bound.
apply: le_lt_trans (le_trans _ bound) _; first by rewrite ler_addl sumr_ge0.
have := small N (leqnn N); rewrite subr0 ger0_norm ?exprn_ge0 //.
by rewrite ltr_pdivl_mulr ?ltr0n // mulrC.
Qed.
End ColumnPower.

(* Against vacuity: the walk forgets where it started. *)
Theorem column_power_limit_instance (R : realFieldType) : Num.archimedean_axiom R ->
  forall i j, tends_to (fun t => (walk R ^+ t) i j) (walk_law R 0 j).
Proof.
move=> archi; apply: (@column_power_limit _ _ _ _ 1 0) => //; [exact: walk_stochastic | exact: walk_law_law |].
by move=> i; rewrite expr1; each_index i; rewrite mxE /= ?divr_gt0 ?invr_gt0 ?ltr0n.
Qed.
