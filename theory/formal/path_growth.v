(* path_growth — beyond the paper: paths, mean square and mean are three questions.

   Place: §4, the recursions with constant steps.
   Statement: let y_t be the difference of two runs along one path, the memory having finitely many values. If
   E|y_t|² → 0 from every start, then E y_t → 0, and |y_t| → 0 exponentially on almost every path. Nothing else follows:
   of the signs of mean, mean square and paths all five combinations that are left occur on one state with one feature.
   Reading: finitely many nodes; from the node i the move e with probability p_e, to the node j, takes y to B_e y. A start
   is a node and y_0. The bound of paths behind it is Ville's inequality: forms X_i ≥ 0 and weights w_e > 0 with
   Σ_{e from i} p_e w_e B_eᵀX_jB_e ≤ X_i give, with probability at least 1 − 1/c, for all t at once
       y_tᵀX y_t ≤ c y_0ᵀX y_0 Π_{s<t} 1/w_{e_s}                                                  [path_bound]
   through paths of finite length, and on every probability space that carries the process [path_bound_every_space].
   That the product of the 1/w vanishes exponentially needs no logarithm: it is so if numbers u_e > 0 with
   1/w_e ≤ u_e^k have a mean below one, Σ_e p_e u_e g_j ≤ q g_i, q < 1, for some g > 0 [path_decay]. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Limits Lyapunov.
From TD Require Import Paths Sequences OneStep ProbabilityOne Mixing Markov Examples.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section System.
Variables (R : realFieldType) (n D : nat) (E : finType) (to : E -> 'I_n.+1).
Variables (p : 'I_n.+1 -> E -> R) (B : E -> 'M[R]_D).
Implicit Types (i : 'I_n.+1) (h : seq E) (y : 'cV[R]_D).

(* the law of the moves from the node i, the node after them, and the difference after them *)
Definition moves i : seq E -> E -> R := observation_kernel to p (p i).
Definition node i h := if h is e :: _ then to e else i.
Fixpoint difference y h : 'cV[R]_D := if h is e :: h' then B e *m difference y h' else y.

(* E y_t and E|y_t|², y_0 = y, from the node i *)
Definition mean_difference i y t : 'cV[R]_D := iter t (@cond R E (moves i) _) (difference y) [::].
Definition mean_square i y t : R := expect (moves i) t (fun h => dot (difference y h) (difference y h)).

Definition dies_out_in_the_mean :=
  forall i y, tends_to (fun t => dot (mean_difference i y t) (mean_difference i y t)) 0.
Definition dies_out_in_mean_square := forall i y, tends_to (mean_square i y) 0.
Definition dies_out_on_paths := exists2 r, 1 < r &
  forall i y, almost_surely (moves i) (fun h => r ^+ size h * dot (difference y h) (difference y h)).

(* from some start, and on paths from every start but 0: |y_t| > 0, and r^t/|y_t|² → 0 *)
Definition grows_in_the_mean := exists i y, y != 0 /\ exists2 r, 1 < r &
  forall t, r ^+ t * dot y y <= dot (mean_difference i y t) (mean_difference i y t).
Definition grows_in_mean_square := exists i y, y != 0 /\ exists2 r, 1 < r &
  forall t, r ^+ t * dot y y <= mean_square i y t.
Definition grows_on_paths := exists2 r, 1 < r & forall i y, y != 0 ->
  (forall h, difference y h != 0) /\
  almost_surely (moves i) (fun h => r ^+ size h * (dot (difference y h) (difference y h))^-1).

Hypothesis p_law : forall i, distribution (p i).

Lemma movesE i h e : moves i h e = p (node i h) e.
Proof. by case: h. Qed.

Lemma moves_kernel i : kernel (moves i).
Proof.
split=> [h e|h]; last by under eq_bigr => e _ do rewrite movesE; exact: (p_law (node i h)).2.
by rewrite movesE; exact: (p_law (node i h)).1.
Qed.

(* Σ_{e from i} p_e F_e B_eᵀX_jB_e, j the node after e *)
Definition mean_form (F : E -> R) (X : 'I_n.+1 -> 'M[R]_D) i : 'M[R]_D :=
  \sum_e (p i e * F e) *: ((B e)^T *m X (to e) *m B e).

Lemma mean_formE F X i y : form (mean_form F X i) y = \sum_e p i e * (form (X (to e)) (B e *m y) * F e).
Proof.
by rewrite /mean_form form_sum; apply: eq_bigr => e _; rewrite formZ form_congruence -mulrA [F e * _]mulrC.
Qed.

Section Bound.
Variables (X : 'I_n.+1 -> 'M[R]_D) (w : E -> R).
Hypothesis X_ge0 : forall i, possemidef (X i).
Hypothesis w_gt0 : forall e, 0 < w e.
Hypothesis X_down : forall i, possemidef (X i - mean_form w X i).

(* y_tᵀX y_t ≤ c y_0ᵀX y_0 Π 1/w *)
Definition bounded i y c : pred (seq E) := fun h =>
  form (X (node i h)) (difference y h) <= c * form (X i) y * \prod_(e <- h) (w e)^-1.

Theorem path_bound i y c T : 0 < c -> prob (moves i) T (visits (predC (bounded i y c))) <= c^-1.
Proof.
move=> c0; pose W h := form (X (node i h)) (difference y h) * \prod_(e <- h) w e.
have K := moves_kernel i; have w0 h : 0 < \prod_(e <- h) w e by apply: prodr_gt0 => e _.
have W_step h : mean (moves i) W h <= W h.
  have WE e : moves i h e * W (e :: h)
      = p (node i h) e * (form (X (to e)) (B e *m difference y h) * w e) * \prod_(e <- h) w e.
    by rewrite movesE /W big_cons !mulrA.
  rewrite /mean (eq_bigr _ (fun e _ => WE e)) -mulr_suml; apply: ler_wpmul2r; first exact: ltW.
  by rewrite -mean_formE -subr_ge0 -formB; apply: X_down.
apply: le_trans (@ville R E _ K W c T (fun h => mulr_ge0 (X_ge0 _ _) (ltW (w0 h))) W_step c0).
apply: (prob_le K) => h _; apply: visits_sub => h' _.
by rewrite /bounded /W big_nil mulr1 /= prodfV -ltNge ltr_pdivr_mulr.
Qed.

Theorem path_bound_every_space (S : space R) (moved : nat -> Omega S -> E) i y c :
  has_law (moves i) moved -> 0 < c ->
  let always s := forall t, bounded i y c (path moved t s) in event always /\ 1 - c^-1 <= Pr always.
Proof.
move=> law c0 always; have [ev le] := Pr_ever law (N := 0%N) (fun T _ => path_bound i y T c0).
have H s : (~ exists t, ~~ bounded i y c (path moved t s)) <-> always s.
  rewrite /always; split=> [no t|all [t]]; last by rewrite all.
  by apply/negPn/negP => un; case: no; exists t.
by have [ev' <-] := event_ext H (event_not ev); split=> //; rewrite Pr_not // ler_add2l ler_opp2.
Qed.

Section Decay.
Variables (u : E -> R) (g : 'I_n.+1 -> R) (q : R) (k : nat).
Hypothesis archi : Num.archimedean_axiom R.
Hypothesis u_gt0 : forall e, 0 < u e.
Hypothesis g_gt0 : forall i, 0 < g i.
Hypothesis q01 : 0 < q < 1.
Hypothesis k_gt0 : (0 < k)%N.
Hypothesis uw : forall e, 1 <= u e ^+ k * w e.
Hypothesis u_down : forall i, \sum_e p i e * (u e * g (to e)) <= q * g i.

Theorem path_decay : exists2 r, 1 < r &
  forall i y, almost_surely (moves i) (fun h => r ^+ size h * form (X (node i h)) (difference y h)).
Proof.
have /andP[q0 q1] := q01; have qk0 : 0 < q ^+ k by rewrite exprn_gt0.
have qk1 : q ^+ k < 1 by rewrite exprn_ilt1 -?lt0n // ltW.
pose r := (1 + (q ^+ k)^-1) / 2%:R; have r1 : 1 < r.
  by rewrite ltr_pdivl_mulr ?ltr0n // mul1r mulr2n ltr_add2l invf_gt1.
have r0 : 0 < r by apply: lt_trans r1.
pose s := r * q ^+ k; have s0 : 0 <= s by rewrite mulr_ge0 // ltW.
have s1 : s < 1.
  rewrite /s /r mulrAC mulrDl mul1r mulVf ?gt_eqF // ltr_pdivr_mulr ?ltr0n // mul1r mulr2n.
  by rewrite ltr_add2r.
exists r => // i y; apply: paths_almost_surely => [h|eps delta eps0 delta0].
  by apply: mulr_ge0; [rewrite exprn_ge0 // ltW | exact: X_ge0].
have K := moves_kernel i; pose c := 2%:R / delta; have c0 : 0 < c by rewrite divr_gt0 ?ltr0n.
pose Z h := (\prod_(e <- h) u e) * g (node i h) * q^-1 ^+ size h.
have u0 h : 0 < \prod_(e <- h) u e by apply: prodr_gt0 => e _.
have w0 h : 0 < \prod_(e <- h) w e by apply: prodr_gt0 => e _.
have Z_step h : mean (moves i) Z h <= Z h.
  have ZE e : moves i h e * Z (e :: h)
      = p (node i h) e * (u e * g (to e)) * ((\prod_(e <- h) u e) * q^-1 ^+ size h * q^-1).
    by rewrite movesE /Z big_cons /= exprS; move: (\prod_(_ <- _) _) (q^-1) (_ ^+ _) => a b d; ring.
  rewrite /mean (eq_bigr _ (fun e _ => ZE e)) -mulr_suml /Z.
  apply: le_trans (ler_wpmul2r _ (u_down _)) _; first by rewrite !mulr_ge0 ?exprn_ge0 ?invr_ge0 // ltW.
  by rewrite [X in X <= _]mulrC -[X in X <= _]mulrA mulKf ?gt_eqF // mulrAC.
have Z_small := @ville R E _ K Z c _ (fun h => mulr_ge0 (mulr_ge0 (ltW (u0 h)) (ltW (g_gt0 _)))
  (exprn_ge0 _ (etrans (invr_ge0 q) (ltW q0)))) Z_step c0.
pose G := c * g i * \sum_j (g j)^-1.
have G_le h : ~~ (c * Z [::] < Z h) -> \prod_(e <- h) u e <= G * q ^+ size h.
  rewrite -leNgt /Z big_nil mul1r mulr1 exprVn ler_pdivr_mulr ?exprn_gt0 // => le.
  have -> : \prod_(e <- h) u e = (\prod_(e <- h) u e) * g (node i h) * (g (node i h))^-1 by rewrite mulfK ?gt_eqF.
  apply: le_trans (ler_wpmul2r _ le) _; first by rewrite invr_ge0 ltW.
  rewrite /G mulrAC; apply: ler_wpmul2r; first by rewrite exprn_ge0 // ltW.
  apply: ler_wpmul2l; first by rewrite mulr_ge0 // ltW.
  by rewrite (bigD1 (node i h)) //= ler_addl sumr_ge0 // => j _; rewrite invr_ge0 ltW.
have G0 : 0 <= G.
  by apply: mulr_ge0; [rewrite mulr_ge0 ?ltW | apply: sumr_ge0 => j _; rewrite invr_ge0 ltW].
have wu h : \prod_(e <- h) (w e)^-1 <= (\prod_(e <- h) u e) ^+ k.
  elim: h => [|e h IH]; rewrite ?big_nil ?expr1n // !big_cons exprMn; apply: ler_pmul => //.
  - by rewrite invr_ge0 ltW.
  - by rewrite prodfV invr_ge0 ltW.
  by rewrite -[(w e)^-1]mul1r ler_pdivr_mulr.
have F0 : 0 <= c * form (X i) y by apply: mulr_ge0; [exact: ltW | exact: X_ge0].
pose C := c * form (X i) y * G ^+ k; have C0 : 0 <= C by rewrite mulr_ge0 ?exprn_ge0.
have [N small] : exists N, forall t, (N <= t)%N -> C * s ^+ t < eps.
  have := @tends_to_geometric (ArchiFieldType R archi) s (introT andP (conj s0 s1)).
  have C1 : 0 < C + 1 by rewrite ltr_paddl ?ltr01.
  move=> lim; have [N small] := lim _ (divr_gt0 eps0 C1); exists N => t Nt.
  have := small t Nt; rewrite subr0 ger0_norm ?exprn_ge0 // ltr_pdivl_mulr // mulrC.
  by apply: le_lt_trans; rewrite ler_wpmul2r ?exprn_ge0 // ler_addl ler01.
exists N => T _; apply: (@le_trans _ _ (c^-1 + c^-1)); last first.
  by rewrite /c invf_div -mulrDl -mulr2n -[_ *+ 2]mulr_natr mulfK ?pnatr_eq0.
apply: le_trans (ler_add (path_bound i y T c0) (Z_small T)); apply: le_trans (prob_or K _ _ _).
apply: (prob_le K) => h _ hit; rewrite /= -visits_or; apply: visits_sub hit => h' _ /andP[Nh le] /=.
apply: contraTT le; rewrite negb_or negbK => /andP[form_le /G_le prod_le].
rewrite -ltNge; apply: le_lt_trans (small _ Nh).
have : form (X (node i h')) (difference y h') <= C * (q ^+ k) ^+ size h'.
  apply: le_trans form_le _; rewrite /C -[X in _ <= X]mulrA; apply: ler_wpmul2l => //.
  apply: le_trans (wu h') _; rewrite -exprM mulnC exprM -exprMn; apply: ler_expn2r => //; rewrite nnegrE.
    exact: ltW.
  by rewrite mulr_ge0 // exprn_ge0 // ltW.
move=> le; rewrite [X in C * X]exprMn [X in _ <= X]mulrCA; apply: ler_wpmul2l => //.
by rewrite exprn_ge0 // ltW.
Qed.
End Decay.
End Bound.

(* (E y_t)ᵀQ(E y_t) ≤ E y_tᵀQy_t *)
Theorem mean_below_mean_square (Q : 'M[R]_D) i y t : Q^T = Q -> possemidef Q ->
  form Q (mean_difference i y t) <= expect (moves i) t (fun h => form Q (difference y h)).
Proof.
move=> Q_sym Q_ge0; have K := moves_kernel i; rewrite /mean_difference /expect.
elim: t (difference y) [::] => [|t IH] F h //; rewrite !iterSr.
apply: le_trans (IH _ h) _; apply: (iter_mean_le K) => h' _.
exact: (form_jensen Q_sym Q_ge0 (fun e => K.1 h' e) (K.2 h') (fun e => F (e :: h'))).
Qed.

(* E|y_t|² from the node i as a form of y_0 *)
Fixpoint square_form t i : 'M[R]_D := if t is t'.+1 then mean_form (fun=> 1) (square_form t') i else 1%:M.

Lemma mean_squareE i y t : mean_square i y t = form (square_form t i) y.
Proof.
suff H h : iter t (mean (moves i)) (fun h => dot (difference y h) (difference y h)) h
    = form (square_form t (node i h)) (difference y h) by rewrite /mean_square /expect H.
elim: t h => [|t IH] h; first by rewrite form_id.
rewrite iterS /mean [square_form _ _]/= mean_formE; apply: eq_bigr => e _.
by rewrite movesE IH mulr1.
Qed.

Lemma square_form_ge0 t i : possemidef (square_form t i).
Proof. by move=> y; rewrite -mean_squareE; apply: (expect_ge0 (moves_kernel i)) => h _; apply: dot_ge0. Qed.

Lemma square_form_sym t i : (square_form t i)^T = square_form t i.
Proof.
elim: t i => [|t IH] i; first exact: trmx1.
rewrite /= /mean_form linear_sum; apply: eq_bigr => e _.
by rewrite linearZ /= !trmx_mul trmxK IH mulmxA.
Qed.

(* Within one time the mean square is halved from every start. *)
Lemma square_halves : dies_out_in_mean_square ->
  exists T, forall i y, form (square_form T.+1 i) y <= 2%:R^-1 * dot y y.
Proof.
move=> dies; case: (posnP D) => [D0|D0].
  exists 0%N => i y; suff -> : y = 0 by rewrite form0 dotE big1 ?mulr0 // => j _; rewrite mxE mul0r.
  by apply/matrixP => j; have := ltn_ord j; rewrite [X in (_ < X)%N -> _]D0.
have e0 : 0 < (2%:R * D%:R)^-1 :> R by rewrite invr_gt0 mulr_gt0 ?ltr0n.
have [f fP] := fin_all_exists (fun ij : 'I_n.+1 * 'I_D => dies ij.1 (delta_mx ij.2 0) _ e0).
exists (\max_ij f ij) => i y; set T := (\max_ij f ij).+1; set Q := square_form T i.
have Q_sym : Q^T = Q by apply: square_form_sym.
have Q_ge0 : possemidef Q by apply: square_form_ge0.
have D_neq0 : D%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have unit j : form Q (delta_mx j 0) <= (2%:R * D%:R)^-1.
  have := fP (i, j) T (leqW (leq_bigmax _)); rewrite subr0 mean_squareE => /(le_lt_trans (ler_norm _)).
  exact: ltW.
have k_sum : \sum_(j < D) (D%:R : R)^-1 = 1 by rewrite sumr_const card_ord -[LHS]mulr_natr mulVf.
have yE : y = \sum_(j < D) (D%:R)^-1 *: ((D%:R * y j 0) *: delta_mx j 0).
  rewrite {1}[y]matrix_sum_delta; apply: eq_bigr => j _.
  by rewrite big_ord1 scalerA mulKf.
rewrite {1}yE; apply: le_trans (form_jensen Q_sym Q_ge0 _ k_sum _) _ => [j|]; first by rewrite invr_ge0 ler0n.
rewrite dotE mulr_sumr; apply: ler_sum => j _; rewrite formZv //.
apply: (@le_trans _ _ (D%:R^-1 * ((D%:R * y j 0) ^+ 2 * (2%:R * D%:R)^-1))).
  by rewrite ler_wpmul2l ?invr_ge0 ?ler0n // ler_wpmul2l // sqr_ge0.
by apply/eqW; move: D_neq0; move: (D%:R : R) (y j 0) => d x d0; field.
Qed.

Theorem path_growth : Num.archimedean_axiom R -> dies_out_in_mean_square ->
  dies_out_in_the_mean /\ dies_out_on_paths.
Proof.
move=> archi dies; split=> [i y eps eps0|].
  have [N small] := dies i y _ eps0; exists N => t /small; rewrite !subr0; apply: le_lt_trans.
  rewrite !ger0_norm ?dot_ge0 //; last by apply: (expect_ge0 (moves_kernel i)) => h _; apply: dot_ge0.
  rewrite -form_id /mean_square; apply: le_trans (mean_below_mean_square i y t (trmx1 _ _) _) _.
    by move=> z; rewrite form_id dot_ge0.
  by apply: (expect_le (moves_kernel i)) => h _; rewrite form_id.
have [T half] := square_halves dies; have T0 : 0 < 2%:R * T.+1%:R :> R by rewrite mulr_gt0 ?ltr0n.
pose v : R := 1 + (2%:R * T.+1%:R)^-1; have v1 : 1 < v by rewrite ltr_addl invr_gt0.
have v0 : 0 < v by apply: lt_trans v1.
have vT : v ^+ T.+1 <= 2%:R.
  have := @prod1D_le2 R (fun=> (2%:R * T.+1%:R)^-1) 0 T.+1 2%:R^-1 (fun=> _) _ (lexx _).
  rewrite prodr_const_nat sumr_const_nat subn0 divff ?pnatr_eq0 //; apply; first by rewrite invr_ge0 ltW.
  by rewrite -[X in X <= _]mulr_natr invfM mulfVK ?pnatr_eq0.
pose X i := \sum_(0 <= k < T.+1) v ^+ k *: square_form k i.
have X_form i y : form (X i) y = \sum_(0 <= k < T.+1) v ^+ k * form (square_form k i) y.
  by rewrite form_sum; apply: eq_bigr => k _; rewrite formZ.
have term k i y : 0 <= v ^+ k * form (square_form k i) y.
  by apply: mulr_ge0; [rewrite exprn_ge0 // ltW | exact: square_form_ge0].
have X_ge i y : dot y y <= form (X i) y.
  by rewrite X_form big_ltn // mul1r form_id ler_addl sumr_ge0.
have X_ge0 i : possemidef (X i) by move=> y; apply: le_trans (X_ge i y); apply: dot_ge0.
have X_down i : possemidef (X i - mean_form (fun=> v) X i).
  move=> y; rewrite formB subr_ge0; pose a k := v ^+ k * form (square_form k i) y.
  have next : form (mean_form (fun=> v) X i) y = \sum_(0 <= k < T.+1) a k.+1.
    rewrite mean_formE; under eq_bigr => e _ do rewrite X_form mulr_suml mulr_sumr.
    rewrite exchange_big; apply: eq_bigr => k _ /=; rewrite /a [square_form _ _]/= mean_formE mulr_sumr.
    by apply: eq_bigr => e _; rewrite exprS; move: (v ^+ k) (p i e) (form _ _) => b d f; ring.
  have a0 : a 0%N = dot y y by rewrite /a mul1r form_id.
  rewrite next -(ler_add2l (a 0%N)) -big_nat_recl // big_nat_recr //= X_form addrC ler_add2r a0 /a.
  apply: le_trans (ler_wpmul2r (square_form_ge0 _ i y) vT) _; apply: le_trans (ler_wpmul2l _ (half i y)) _ => //.
  by rewrite mulVKf // pnatr_eq0.
have one i : \sum_e p i e * (v^-1 * 1) <= v^-1 * 1.
  by rewrite -mulr_suml (proj2 (p_law i)) mul1r.
have q01 : 0 < v^-1 < 1 by rewrite invr_gt0 v0 invf_lt1.
have vw (e : E) : 1 <= v^-1 ^+ 1 * v by rewrite expr1 mulVf // gt_eqF.
have vi0 (e : E) : 0 < v^-1 by case/andP: q01.
have [r r1 small] := path_decay X_ge0 (fun=> v0) X_down archi vi0 (fun=> ltr01) q01 (ltn0Sn 0) vw one.
exists r => // i y; apply: (almost_surely_le (moves_kernel i) ltr01 _ _ (small i y)) => h.
  by rewrite mulr_ge0 ?dot_ge0 // exprn_ge0 // (le_trans ler01) // ltW.
by rewrite mul1r; apply: ler_wpmul2l (X_ge _ _); rewrite exprn_ge0 // (le_trans ler01) // ltW.
Qed.
End System.

(* One state with one feature: y is multiplied by the number f_a, where the action a is taken with probability μ_a. *)
Section OneState.
Variables (R : realFieldType) (mu f : 'I_2 -> R).
Hypothesis mu_law : distribution mu.
Hypothesis archi : Num.archimedean_axiom R.

Definition stay (a : 'I_2) : 'I_1 := 0.
Definition taken (i : 'I_1) : 'I_2 -> R := mu.
Definition times (a : 'I_2) : 'M[R]_1 := (f a)%:M.
Let mean_f := \sum_a mu a * f a.
Let square_f := \sum_a mu a * f a ^+ 2.

Let geometric (x c : R) : 0 <= x < 1 -> tends_to (fun t => x ^+ t * c) 0.
Proof. by move=> /(@tends_to_geometric (ArchiFieldType R archi))/(tends_to_scaler c)/(tends_to_eq (mul0r c)). Qed.

Lemma one_difference y h : difference times y h = (\prod_(a <- h) f a) *: y.
Proof.
by elim: h => [|a h IH] /=; rewrite ?big_nil ?scale1r // IH big_cons /times mul_scalar_mx scalerA.
Qed.

Lemma one_mean i y t : dot (mean_difference stay taken times i y t) (mean_difference stay taken times i y t)
  = (mean_f ^+ 2) ^+ t * dot y y.
Proof.
rewrite /mean_difference (_ : iter t _ _ [::] = mean_f ^+ t *: y); first by rewrite dotZ2 -!exprM mulnC.
suff H h : iter t (@cond R _ (moves stay taken i) _) (difference times y) h = mean_f ^+ t *: difference times y h.
  by rewrite H.
elim: t h => [|t IH] h; first by rewrite scale1r.
rewrite iterS /cond; under eq_bigr => a _ do rewrite IH movesE /= /times mul_scalar_mx !scalerA.
by rewrite -scaler_suml exprSr /mean_f mulr_sumr; congr (_ *: _); apply: eq_bigr => a _; rewrite [RHS]mulrCA mulrA.
Qed.

Lemma one_square i y t : mean_square stay taken times i y t = square_f ^+ t * dot y y.
Proof.
rewrite mean_squareE (ord1 i); elim: t => [|t IH]; first by rewrite mul1r form_id.
rewrite [square_form _ _ _ _ _]/= mean_formE exprS -mulrA -IH /square_f mulr_suml; apply: eq_bigr => a _.
by rewrite mulr1 /times mul_scalar_mx formZv mulrA.
Qed.

Lemma one_mean_dies : mean_f ^+ 2 < 1 -> dies_out_in_the_mean stay taken times.
Proof.
move=> lt i y; apply: tends_to_ext (geometric (dot y y) (introT andP (conj (sqr_ge0 mean_f) lt))) => t.
by rewrite one_mean.
Qed.

Let one : 'cV[R]_1 := const_mx 1.
Let one0 : one != 0.
Proof. by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0. Qed.

Lemma one_mean_grows : 1 < mean_f ^+ 2 -> grows_in_the_mean stay taken times.
Proof. by move=> lt; exists 0, one; split=> //; exists (mean_f ^+ 2) => // t; rewrite one_mean. Qed.

Lemma one_square_dies : square_f < 1 -> dies_out_in_mean_square stay taken times.
Proof.
move=> lt i y; have s0 : 0 <= square_f by apply: sumr_ge0 => a _; rewrite mulr_ge0 ?sqr_ge0 // mu_law.1.
by apply: tends_to_ext (geometric (dot y y) (introT andP (conj s0 lt))) => t; rewrite one_square.
Qed.

Lemma one_square_grows : 1 < square_f -> grows_in_mean_square stay taken times.
Proof. by move=> lt; exists 0, one; split=> //; exists square_f => // t; rewrite one_square. Qed.

Lemma one_paths_die (u : 'I_2 -> R) q k : (forall a, f a != 0) -> (forall a, 0 < u a) -> (0 < k)%N -> 0 < q < 1 ->
  (forall a, f a ^+ 2 <= u a ^+ k) -> \sum_a mu a * u a <= q -> dies_out_on_paths stay taken times.
Proof.
move=> f0 u0 k0 q01 fu u_mean; have f2 a : 0 < f a ^+ 2 by rewrite exprn_even_gt0 // f0 orbT.
have w0 a : 0 < (f a ^+ 2)^-1 by rewrite invr_gt0.
have X_ge0 (i : 'I_1) : possemidef (1%:M : 'M[R]_1) by move=> y; rewrite form_id dot_ge0.
have X_down i : possemidef (1%:M - mean_form stay taken times (fun a => (f a ^+ 2)^-1) (fun=> 1%:M) i).
  move=> y; rewrite formB mean_formE form_id; under eq_bigr => a _.
    rewrite /times mul_scalar_mx formZv form_id mulrAC divff ?gt_eqF // mul1r; over.
  by rewrite -mulr_suml (proj2 mu_law) mul1r subrr.
have uw a : 1 <= u a ^+ k * (f a ^+ 2)^-1 by rewrite ler_pdivl_mulr // mul1r.
have u_down (i : 'I_1) : \sum_a taken i a * (u a * 1) <= q * 1.
  by rewrite mulr1; under eq_bigr => a _ do rewrite mulr1.
have [r r1 small] := path_decay (fun=> mu_law) X_ge0 w0 X_down archi u0 (fun=> ltr01) q01 k0 uw u_down.
exists r => // i y; apply: (almost_surely_le _ ltr01 _ _ (small i y)) => [|h|h].
- exact: moves_kernel (fun=> mu_law) i.
- by rewrite mulr_ge0 ?dot_ge0 // exprn_ge0 // (le_trans ler01) // ltW.
by rewrite mul1r form_id.
Qed.
End OneState.

Lemma one_paths_grow (R : realFieldType) (mu f u : 'I_2 -> R) q k : distribution mu -> Num.archimedean_axiom R ->
  (forall a, f a != 0) -> (forall a, 0 < u a) -> (0 < k)%N -> 0 < q < 1 ->
  (forall a, (f a)^-1 ^+ 2 <= u a ^+ k) -> \sum_a mu a * u a <= q -> grows_on_paths stay (taken mu) (times f).
Proof.
move=> mu_law archi f0 u0 k0 q01 fu u_mean; have fi a : (f a)^-1 != 0 by rewrite invr_eq0.
have [r r1 small] := one_paths_die mu_law archi fi u0 k0 q01 fu u_mean; exists r => // i y y0.
have prod0 h : \prod_(a <- h) f a != 0 by rewrite prodf_seq_neq0; apply/allP => a _ /=.
split=> [h|]; first by rewrite one_difference scaler_eq0 negb_or prod0.
apply: (almost_surely_le _ ltr01 _ _ (small i ((dot y y)^-1 *: y))) => [|h|h].
- exact: moves_kernel (fun=> mu_law) i.
- by rewrite mulr_ge0 ?invr_ge0 ?dot_ge0 // exprn_ge0 // (le_trans ler01) // ltW.
rewrite mul1r !one_difference !dotZ2 prodfV invfM exprVn; apply/eqW.
by rewrite [(dot y y)^-1 ^+ 2]expr2 mulfVK // gt_eqF // dot_gt0.
Qed.

(* TD(0), γ = ½, φ = 1, the difference multiplied by f_a = 1 − α(π_a/μ_a)(1 − γ)φ²: the five combinations of signs. *)
Section Combinations.
Variable R : realFieldType.
Hypothesis archi : Num.archimedean_axiom R.

Definition two (x y : R) (a : 'I_2) : R := if a == 0 then x else y.
Definition factor (mu target : 'I_2 -> R) (alpha : R) (a : 'I_2) : R := 1 - alpha * (target a / mu a) * (1 - 2%:R^-1).
Let third : R := 3%:R^-1.
Let mu := two third (2%:R * third).
Let swapped alpha := factor mu (two (2%:R * third) third) alpha.
Let fair := two 2%:R^-1 2%:R^-1.
Let coin := factor fair (two 1 0).

Let two_distribution x y : 0 <= x -> 0 <= y -> x + y = 1 -> distribution (two x y).
Proof. by move=> x0 y0 xy; split=> [a|]; [rewrite /two; case: ifP | rewrite !big_ord_recl big_ord0 addr0]. Qed.
Let mu_law : distribution mu.
Proof. by apply: two_distribution; rewrite ?mulr_ge0 ?invr_ge0 ?ler0n // /third; field. Qed.
Let fair_law : distribution fair.
Proof. by apply: two_distribution; rewrite ?invr_ge0 ?ler0n //; field. Qed.

Let swappedE alpha a : swapped alpha a = two (1 - alpha) (1 - alpha / 4%:R) a.
Proof. by rewrite /swapped /factor /mu /two /third; case: ifP => _; field. Qed.
Let coinE alpha a : coin alpha a = two (1 - alpha) 1 a.
Proof. by rewrite /coin /factor /fair /two; case: ifP => _; field. Qed.

Let le_by m n (x y : R) : y - x = m%:R / n.+1%:R -> x <= y.
Proof. by move=> E; rewrite -subr_ge0 E divr_ge0 ?ler0n. Qed.
Let lt_by m n (x y : R) : y - x = m.+1%:R / n.+1%:R -> x < y.
Proof. by move=> E; rewrite -subr_gt0 E divr_gt0 ?ltr0n. Qed.

Let sum_two x y (F : 'I_2 -> R) : \sum_a two x y a * F a = x * F 0 + y * F 1.
Proof. by rewrite !big_ord_recl big_ord0 addr0 /two /= (_ : lift _ _ = 1) //; apply/val_inj. Qed.

Let two_all (P : R -> R -> Prop) x y x' y' : P x x' -> P y y' -> forall a, P (two x y a) (two x' y' a).
Proof. by move=> Px Py a; rewrite /two; case: ifP. Qed.

Theorem path_growth_instance : let f := times (swapped 2%:R) in
  [/\ dies_out_in_the_mean stay (taken mu) f, dies_out_in_mean_square stay (taken mu) f &
      dies_out_on_paths stay (taken mu) f].
Proof.
move=> f; have square : dies_out_in_mean_square stay (taken mu) f.
  by apply: one_square_dies => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 0 1); field.
by have [mean paths] := path_growth (fun=> mu_law) archi square.
Qed.

Let square k (z t : R) : `|z| <= t ^+ k.+1 -> z ^+ 2 <= t ^+ (k.+1 * 2).
Proof.
move=> zt; rewrite [X in _ <= X]exprM -real_normK ?num_real //.
by apply: ler_expn2r; rewrite // nnegrE // (le_trans _ zt).
Qed.

Section Paths.
Variables (nu f : 'I_2 -> R) (x y u v q : R) (k : nat).
Hypothesis nu_law : distribution nu.
Hypothesis fE : f =1 two x y.
Hypothesis x_neq0 : x != 0.
Hypothesis y_neq0 : y != 0.
Hypothesis u_gt0 : 0 < u.
Hypothesis v_gt0 : 0 < v.
Hypothesis q01 : 0 < q < 1.
Hypothesis u_mean : nu 0 * u + nu 1 * v <= q.

Let f0 a : f a != 0.
Proof. by rewrite fE; apply: (two_all (P := fun z _ => z != 0) (x' := 0) (y' := 0)). Qed.
Let uv_gt0 a : 0 < two u v a.
Proof. exact: (two_all (P := fun z _ => 0 < z) (x' := 0) (y' := 0)). Qed.
Let uv_mean : \sum_a nu a * two u v a <= q.
Proof. by rewrite (eq_bigr _ (fun a _ => mulrC _ _)) sum_two mulrC [v * _]mulrC. Qed.

Lemma two_paths_die : `|x| <= u ^+ k.+1 -> `|y| <= v ^+ k.+1 -> dies_out_on_paths stay (taken nu) (times f).
Proof.
move=> xu yv; apply: (one_paths_die nu_law archi f0 uv_gt0 (k := (k.+1 * 2)%N) _ q01 _ uv_mean) => // a.
by rewrite fE; apply: (two_all (P := fun z t => z ^+ 2 <= t ^+ (k.+1 * 2))); apply: square.
Qed.

Lemma two_paths_grow : `|x^-1| <= u ^+ k.+1 -> `|y^-1| <= v ^+ k.+1 -> grows_on_paths stay (taken nu) (times f).
Proof.
move=> xu yv; apply: (one_paths_grow nu_law archi f0 uv_gt0 (k := (k.+1 * 2)%N) _ q01 _ uv_mean) => // a.
by rewrite fE; apply: (two_all (P := fun z t => z^-1 ^+ 2 <= t ^+ (k.+1 * 2))); apply: square.
Qed.
End Paths.

(* The mean square alone grows. *)
Theorem path_growth_instance_square_grows : let f := times (swapped 3%:R) in
  [/\ dies_out_in_the_mean stay (taken mu) f, grows_in_mean_square stay (taken mu) f &
      dies_out_on_paths stay (taken mu) f].
Proof.
move=> f; split.
- by apply: one_mean_dies => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 2 3); field.
- by apply: one_square_grows => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 2 7); field.
apply: (two_paths_die (u := 2%:R) (v := 4%:R^-1) (q := 5%:R / 6%:R) (k := 0) mu_law (swappedE _)) => //.
- by apply/ltr0_neq0/(@lt_by 1 0); field.
- by apply/lt0r_neq0/(@lt_by 0 3); field.
- by rewrite ltr0n.
- by rewrite invr_gt0 ltr0n.
- by rewrite divr_gt0 ?ltr0n //=; apply: (@lt_by 0 5); field.
- by rewrite /mu /two /third /=; apply/eqW; field.
- by rewrite ler_norml; apply/andP; split; [apply: (@le_by 0 0) | apply: (@le_by 4 0)]; field.
by rewrite ler_norml; apply/andP; split; [apply: (@le_by 1 1) | apply: (@le_by 0 0)]; field.
Qed.

(* The mean alone dies out. *)
Theorem path_growth_instance_mean_dies_out : let f := times (coin 3%:R) in
  [/\ dies_out_in_the_mean stay (taken fair) f, grows_in_mean_square stay (taken fair) f &
      grows_on_paths stay (taken fair) f].
Proof.
move=> f; split.
- by apply: one_mean_dies => //; rewrite sum_two !coinE /two /=; apply: (@lt_by 2 3); field.
- by apply: one_square_grows => //; rewrite sum_two !coinE /two /=; apply: (@lt_by 2 1); field.
apply: (two_paths_grow (u := 2%:R^-1) (v := 1) (q := 3%:R / 4%:R) (k := 0) fair_law (coinE _)) => //.
- by apply/ltr0_neq0/(@lt_by 1 0); field.
- exact: oner_neq0.
- by rewrite invr_gt0 ltr0n.
- exact: ltr01.
- by rewrite divr_gt0 ?ltr0n //=; apply: (@lt_by 0 3); field.
- by rewrite /fair /two /=; apply/eqW; field.
- by rewrite ler_norml; apply/andP; split; [apply: (@le_by 0 0) | apply: (@le_by 1 0)]; field.
by rewrite ler_norml; apply/andP; split; [apply: (@le_by 2 0) | apply: (@le_by 0 0)]; field.
Qed.

(* Paths alone die out. *)
Theorem path_growth_instance_paths_die_out : let f := times (swapped 5%:R) in
  [/\ grows_in_the_mean stay (taken mu) f, grows_in_mean_square stay (taken mu) f &
      dies_out_on_paths stay (taken mu) f].
Proof.
move=> f; split.
- by apply: one_mean_grows => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 4 3); field.
- by apply: one_square_grows => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 34 7); field.
apply: (two_paths_die (u := 8%:R / 5%:R) (v := 2%:R / 3%:R) (q := 44%:R / 45%:R) (k := 2) mu_law (swappedE _)) => //.
- by apply/ltr0_neq0/(@lt_by 3 0); field.
- by apply/ltr0_neq0/(@lt_by 0 3); field.
- by rewrite divr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?ltr0n //=; apply: (@lt_by 0 44); field.
- by rewrite /mu /two /third /=; apply/eqW; field.
- by rewrite ler_norml; apply/andP; split; [apply: (@le_by 12 124) | apply: (@le_by 1012 124)]; field.
by rewrite ler_norml; apply/andP; split; [apply: (@le_by 5 107) | apply: (@le_by 59 107)]; field.
Qed.

(* Products of bounds: 2 ≤ (28/27)^20 and 1/5 ≤ (37/40)^20, without large numerals. *)
Let le_over m d e (x y : R) : y - x = m%:R / (d.+1%:R * e.+1%:R) -> x <= y.
Proof. by move=> E; rewrite -subr_ge0 E divr_ge0 ?mulr_ge0 ?ler0n. Qed.
Let power_le t a c j k m n (x := a%:R / m.+1%:R) (y := c%:R / n.+1%:R) (z : R) :
  x <= t ^+ j -> y <= t ^+ k -> z <= x * y -> z <= t ^+ (j + k).
Proof. by move=> xt yt /le_trans; apply; rewrite exprD; apply: ler_pmul; rewrite ?divr_ge0 ?ler0n. Qed.

Let above_fifth : 5%:R^-1 <= (37%:R / 40%:R) ^+ 20 :> R.
Proof.
set t := 37%:R / 40%:R.
have t2 : 171%:R / 200%:R <= t ^+ 2 by apply: (@le_over 1 39 39); rewrite /t; field.
have t4 : 73%:R / 100%:R <= t ^+ 4 by apply: (power_le t2 t2); apply: (@le_over 41 199 199); field.
have t8 : 53%:R / 100%:R <= t ^+ 8 by apply: (power_le t4 t4); apply: (@le_over 29 99 99); field.
have t16 : 7%:R / 25%:R <= t ^+ 16 by apply: (power_le t8 t8); apply: (@le_over 9 99 99); field.
by apply: (power_le t16 t4); apply: (@le_over 11 49 49); field.
Qed.

Let above_two : 2%:R <= (28%:R / 27%:R) ^+ 20 :> R.
Proof.
set t := 28%:R / 27%:R.
have t2 : 43%:R / 40%:R <= t ^+ 2 by apply: (@le_over 13 728 39); rewrite /t; field.
have t4 : 231%:R / 200%:R <= t ^+ 4 by apply: (power_le t2 t2); apply: (@le_over 1 39 39); field.
have t8 : 133%:R / 100%:R <= t ^+ 8 by apply: (power_le t4 t4); apply: (@le_over 161 199 199); field.
have t16 : 44%:R / 25%:R <= t ^+ 16 by apply: (power_le t8 t8); apply: (@le_over 89 99 99); field.
by apply: (power_le t16 t4); apply: (@le_over 164 49 99); field.
Qed.

(* All three grow. *)
Theorem path_growth_instance_all_grow : let f := times (swapped 6%:R) in
  [/\ grows_in_the_mean stay (taken mu) f, grows_in_mean_square stay (taken mu) f &
      grows_on_paths stay (taken mu) f].
Proof.
move=> f; split.
- by apply: one_mean_grows => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 2 0); field.
- by apply: one_square_grows => //; rewrite sum_two !swappedE /two /third /=; apply: (@lt_by 14 1); field.
have xE : (1 - 6%:R)^-1 = - 5%:R^-1 :> R by rewrite -invrN; congr _^-1; ring.
have yE : (1 - 6%:R / 4%:R)^-1 = - 2%:R :> R.
  by rewrite -[2%:R]invrK -invrN; congr _^-1; field.
apply: (two_paths_grow (u := 37%:R / 40%:R) (v := 28%:R / 27%:R) (q := 3239%:R / 3240%:R) (k := 19) mu_law
  (swappedE _)) => //.
- by apply/ltr0_neq0/(@lt_by 4 0); field.
- by apply/ltr0_neq0/(@lt_by 0 1); field.
- by rewrite divr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?ltr0n.
- by rewrite divr_gt0 ?ltr0n //=; apply: (@lt_by 0 3239); field.
- by rewrite /mu /two /third /=; apply/eqW; field.
- by rewrite xE normrN ger0_norm ?invr_ge0 ?ler0n //; exact: above_fifth.
by rewrite yE normrN ger0_norm ?ler0n //; exact: above_two.
Qed.

End Combinations.
