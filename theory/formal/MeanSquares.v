(* Second moments along a path whose next step depends on a node alone, of finitely many: forms X_i, one for each node, that
   fall or grow by one step from every node do so by one factor, and the second moments with them.

     ahead X i z        Σ_s k_is (B_is z)ᵀX_j(B_is z), j = to i s the node after the move s from i
     squares_die        X_i > 0 and ahead < X_i: E|y_t|² ≤ c qᵗ|y_0|², q < 1, for y' = By
     squares_bounded    the same for y' = By + b: E|y_t|² ≤ c(|y_0|² + 1)
     squares_grow       ahead > X_i: E|y_t|² ≥ c rᵗ y_0ᵀX y_0, c > 0, r > 1, for y' = By
   and for B = 1 + αK, X_i + αT_i in the place of X_i, for all α up to one at once [every_step_falls, every_step_grows].
   No number is asked for: R is any ordered field. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Lyapunov Paths OneStep.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Along histories that are met *)
Section Along.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R) (good : seq S -> Prop).
Hypothesis K_kernel : kernel K.
Hypothesis good_next : forall h s, good h -> 0 < K h s -> good (s :: h).
Implicit Types (F G W : seq S -> R) (h : seq S).

Lemma mean_good F G h : (forall s, 0 < K h s -> F (s :: h) <= G (s :: h)) -> mean K F h <= mean K G h.
Proof.
move=> FG; apply: ler_sum => s _; have := K_kernel.1 h s; rewrite le_eqVlt => /orP[/eqP <-|Ks]; first by rewrite !mul0r.
by rewrite ler_pmul2l // FG.
Qed.

Lemma iter_good k F G h : (forall h', good h' -> F h' <= G h') -> good h -> iter k (mean K) F h <= iter k (mean K) G h.
Proof.
move=> FG; elim: k h => [|k IH] h gh /=; first exact: FG.
by apply: mean_good => s Ks; apply: IH; apply: good_next.
Qed.

Lemma iter_affine k a c F h : iter k (mean K) (fun h' => a * F h' + c) h = a * iter k (mean K) F h + c.
Proof.
elim: k h => [|k IH] h //=; rewrite -(mean_affine K_kernel a c (iter k (mean K) F) h).
by apply: eq_bigr => s _; rewrite IH.
Qed.

Lemma good_falling W q b : 0 <= q < 1 -> 0 <= b -> (forall h, good h -> mean K W h <= q * W h + b) ->
  forall k h, good h -> iter k (mean K) W h <= q ^+ k * W h + b / (1 - q).
Proof.
case/andP=> q0 q1 b0 step; have q1' : 0 < 1 - q by rewrite subr_gt0.
elim=> [|k IH] h gh; first by rewrite mul1r ler_addl divr_ge0 // ltW.
rewrite iterSr; apply: le_trans (iter_good k step gh) _; rewrite iter_affine.
apply: (@le_trans _ _ (q * (q ^+ k * W h + b / (1 - q)) + b)); first by rewrite ler_add2r ler_wpmul2l // IH.
by rewrite exprS; apply/eqW; field; rewrite gt_eqF.
Qed.

Lemma good_growing W r : 0 <= r -> (forall h, good h -> r * W h <= mean K W h) ->
  forall k h, good h -> r ^+ k * W h <= iter k (mean K) W h.
Proof.
move=> r0 step; elim=> [|k IH] h gh; first by rewrite mul1r.
have step' h' : good h' -> r * W h' + 0 <= mean K W h' by rewrite addr0; apply: step.
rewrite iterSr; apply: le_trans _ (iter_good k step' gh); rewrite iter_affine addr0 exprS -mulrA.
by rewrite ler_wpmul2l // IH.
Qed.
End Along.

(* The numbers of finitely many matrices at once *)
Section Uniform.
Variables (R : realFieldType) (I : finType) (D : nat).
Implicit Types X Y : I -> 'M[R]_D.

Lemma uniform_upper X : exists2 c, 1 <= c & forall i z, form (X i) z <= c * dot z z.
Proof.
have [f f0 le] := fin_all_exists2 (fun i => form_upper (X i)).
exists (1 + \sum_i f i) => [|i z]; first by rewrite ler_addl sumr_ge0 // => i _; apply: ltW.
apply: le_trans (le i z) _; rewrite ler_wpmul2r ?dot_ge0 //.
by rewrite (bigD1 i) //= addrCA ler_addl addr_ge0 ?ler01 // sumr_ge0 // => j _; apply: ltW.
Qed.

Lemma uniform_margin X : (forall i, posdef (X i)) -> exists2 c, 0 < c <= 1 & forall i z, c * dot z z <= form (X i) z.
Proof.
move=> pos; have [f f0 le] := fin_all_exists2 (fun i => posdef_margin (pos i)).
have sum0 : 0 <= \sum_i (f i)^-1 by apply: sumr_ge0 => i _; rewrite invr_ge0 ltW.
have c0 : 0 < 1 + \sum_i (f i)^-1 by rewrite ltr_paddr ?ltr01.
exists (1 + \sum_i (f i)^-1)^-1 => [|i z]; first by rewrite invr_gt0 c0 invf_le1 // ler_addl.
apply: le_trans (le i z); rewrite ler_wpmul2r ?dot_ge0 // -[X in _ <= X]invrK lef_pinv ?posrE ?invr_gt0 //.
rewrite (bigD1 i) //= addrCA ler_addl addr_ge0 ?ler01 // sumr_ge0 // => j _; by rewrite invr_ge0 ltW.
Qed.
End Uniform.

Section Family.
Variables (R : realFieldType) (I S : finType) (D : nat).
Variables (to : I -> S -> I) (k : I -> S -> R).
Hypothesis k_ge0 : forall i s, 0 <= k i s.
Implicit Types (X : I -> 'M[R]_D) (B : I -> S -> 'M[R]_D) (y : seq S -> 'cV[R]_D).

Definition ahead X B i z : R := \sum_s k i s * form (X (to i s)) (B i s *m z).
Definition falls X B := forall i z, z != 0 -> ahead X B i z < form (X i) z.
Definition grows X B := forall i z, z != 0 -> form (X i) z < ahead X B i z.

Definition ahead_form X B i : 'M[R]_D := \sum_s k i s *: ((B i s)^T *m X (to i s) *m B i s).
Lemma ahead_formE X B i z : ahead X B i z = form (ahead_form X B i) z.
Proof. by rewrite form_sum; apply: eq_bigr => s _; rewrite formZ form_congruence. Qed.

Lemma ahead_le X B : (forall i, posdef (X i)) -> falls X B ->
  exists2 q, 0 <= q < 1 & forall i z, ahead X B i z <= q * form (X i) z.
Proof.
move=> pos fall; have [c c1 upper] := uniform_upper X.
have dec i : posdef (X i - ahead_form X B i) by move=> z z0; rewrite formB subr_gt0 -ahead_formE fall.
have [e /andP[e0 e1] margin] := uniform_margin dec; have c0 : 0 < c by apply: lt_le_trans c1.
exists (1 - e / c) => [|i z].
  by rewrite subr_ge0 ltr_subl_addr ltr_addl divr_gt0 // andbT ler_pdivr_mulr // mul1r (le_trans e1).
have := margin i z; rewrite formB -ahead_formE ler_subr_addl -ler_subr_addr => /le_trans; apply.
rewrite mulrBl mul1r ler_add2l ler_opp2 -mulrA ler_wpmul2l ?(ltW e0) // ler_pdivr_mull //.
Qed.

Lemma ahead_ge X B : grows X B -> exists2 r, 1 < r & forall i z, r * form (X i) z <= ahead X B i z.
Proof.
move=> grow; have [c c1 upper] := uniform_upper X.
have inc i : posdef (ahead_form X B i - X i) by move=> z z0; rewrite formB subr_gt0 -ahead_formE grow.
have [e /andP[e0 e1] margin] := uniform_margin inc; have c0 : 0 < c by apply: lt_le_trans c1.
exists (1 + e / c) => [|i z]; first by rewrite ltr_addl divr_gt0.
have := margin i z; rewrite formB -ahead_formE ler_subr_addl; apply: le_trans.
by rewrite mulrDl mul1r ler_add2l -mulrA ler_wpmul2l ?(ltW e0) // ler_pdivr_mull.
Qed.

Section Runs.
Variables (K : seq S -> S -> R) (good : seq S -> Prop) (node : seq S -> I).
(* a path whose step after a history that is met depends on the node of the history *)
Definition seen_by_nodes := [/\ kernel K, (forall h s, good h -> 0 < K h s -> good (s :: h)),
  (forall h s, good h -> K h s = k (node h) s) & forall h s, good h -> 0 < K h s -> node (s :: h) = to (node h) s].
Hypothesis seen : seen_by_nodes.

Lemma mean_ahead X B y h : good h -> (forall s, 0 < K h s -> y (s :: h) = B (node h) s *m y h) ->
  mean K (fun h => form (X (node h)) (y h)) h = ahead X B (node h) (y h).
Proof.
case: seen => K_kernel _ kE nodeE gh yE; apply: eq_bigr => s _; rewrite -kE //.
have := K_kernel.1 h s; rewrite le_eqVlt => /orP[/eqP <-|Ks]; first by rewrite !mul0r.
by rewrite yE // nodeE.
Qed.
End Runs.

(* y' = By *)
Definition obeys K good node B y := forall (h : seq S) s, good h -> 0 < (K h s : R) -> y (s :: h) = B (node h) s *m y h.
(* y' = By + b *)
Definition obeys_affine K good node B b y :=
  forall (h : seq S) s, good h -> 0 < (K h s : R) -> y (s :: h) = B (node h) s *m y h + b (node h) s.

Theorem squares_die X B : (forall i, posdef (X i)) -> falls X B -> exists c q, [/\ 0 <= c, 0 <= q < 1 &
  forall K good node y, seen_by_nodes K good node -> obeys K good node B y ->
  forall t h, good h -> iter t (mean K) (fun h => dot (y h) (y h)) h <= c * q ^+ t * dot (y h) (y h)].
Proof.
move=> pos fall; have [q q01 le] := ahead_le pos fall; have /andP[q0 q1] := q01.
have [c c1 upper] := uniform_upper X; have [e /andP[e0 e1] margin] := uniform_margin pos.
have c0 : 0 <= c by apply: le_trans c1; rewrite ler01.
exists (e^-1 * c), q; split=> // [|K good node y seen step t h gh]; first by rewrite mulr_ge0 // invr_ge0 ltW.
have [K_kernel next kE nodeE] := seen.
pose W h := form (X (node h)) (y h).
have W_ge h' : good h' -> dot (y h') (y h') <= e^-1 * W h' + 0.
  by move=> _; rewrite addr0 ler_pdivl_mull // margin.
apply: le_trans (iter_good K_kernel next t W_ge gh) _; rewrite (iter_affine K_kernel) addr0 -!mulrA ler_wpmul2l ?invr_ge0 ?(ltW e0) //.
have W_step h' : good h' -> mean K W h' <= q * W h' + 0.
  by move=> gh'; rewrite addr0 (mean_ahead seen X gh' (fun s => step h' s gh')) le.
apply: le_trans (good_falling K_kernel next q01 (lexx 0) W_step t gh) _; rewrite mul0r addr0 mulrCA.
by rewrite ler_wpmul2l ?exprn_ge0 // upper.
Qed.

Theorem squares_grow X B : grows X B -> exists c r, [/\ 0 < c, 1 < r &
  forall K good node y, seen_by_nodes K good node -> obeys K good node B y ->
  forall t h, good h -> c * r ^+ t * form (X (node h)) (y h) <= iter t (mean K) (fun h => dot (y h) (y h)) h].
Proof.
move=> grow; have [r r1 le] := ahead_ge grow; have [c c1 upper] := uniform_upper X.
have c0 : 0 < c by apply: lt_le_trans c1.
exists c^-1, r; split=> // [|K good node y seen step t h gh]; first by rewrite invr_gt0.
have [K_kernel next kE nodeE] := seen.
pose W h := form (X (node h)) (y h).
have W_le h' : good h' -> c^-1 * W h' + 0 <= dot (y h') (y h').
  by move=> _; rewrite addr0 ler_pdivr_mull // upper.
apply: le_trans _ (iter_good K_kernel next t W_le gh); rewrite (iter_affine K_kernel) addr0 -mulrA ler_wpmul2l ?invr_ge0 ?(ltW c0) //.
apply: (good_growing K_kernel next) gh => [|h' gh']; first by apply: le_trans (ltW r1); rewrite ler01.
by rewrite (mean_ahead seen X gh' (fun s => step h' s gh')) le.
Qed.

Theorem squares_bounded X B b : (forall i, (X i)^T = X i) -> (forall i, posdef (X i)) -> falls X B ->
  exists2 c, 0 <= c & forall K good node y, seen_by_nodes K good node -> obeys_affine K good node B b y ->
  forall t h, good h -> iter t (mean K) (fun h => dot (y h) (y h)) h <= c * (dot (y h) (y h) + 1).
Proof.
move=> X_sym pos fall; have [q q01 le] := ahead_le pos fall; have /andP[q0 q1] := q01.
have [c c1 upper] := uniform_upper X; have [e /andP[e0 e1] margin] := uniform_margin pos.
have X_ge0 i : possemidef (X i) by move=> z; have [->|/pos/ltW//] := eqVneq z 0; rewrite form0.
have c0 : 0 <= c by apply: le_trans c1; rewrite ler01.
pose l := (1 - q) / 2%:R; have l0 : 0 < l by rewrite divr_gt0 ?ltr0n // subr_gt0.
pose q' := q + l; have q'01 : 0 <= q' < 1.
  rewrite addr_ge0 ?(ltW l0) //= /q' /l -subr_gt0 (_ : _ - _ = (1 - q) / 2%:R) ?divr_gt0 ?subr_gt0 ?ltr0n //; by field.
have /andP[q'0 q'1] := q'01; have q'1' : 0 < 1 - q' by rewrite subr_gt0.
pose beta := (1 + l^-1) * (\sum_i \sum_s `|form (X (to i s)) (b i s)|).
have beta0 : 0 <= beta.
  apply: mulr_ge0; first by rewrite addr_ge0 ?ler01 // invr_ge0 ltW.
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => s _.
have b_le i s : (1 + l^-1) * form (X (to i s)) (b i s) <= beta.
  apply: ler_wpmul2l; first by rewrite addr_ge0 ?ler01 // invr_ge0 ltW.
  apply: le_trans (ler_norm _) _; rewrite (bigD1 i) //= (bigD1 s) //= -addrA ler_addl addr_ge0 //.
    by apply: sumr_ge0 => s' _.
  by apply: sumr_ge0 => i' _; apply: sumr_ge0 => s' _.
exists (e^-1 * (c + beta / (1 - q'))) => [|K good node y seen step t h gh].
  by rewrite mulr_ge0 ?invr_ge0 ?(ltW e0) // addr_ge0 // divr_ge0 // ltW.
have [K_kernel next kE nodeE] := seen.
pose W h := form (X (node h)) (y h).
have W_ge h' : good h' -> dot (y h') (y h') <= e^-1 * W h' + 0.
  by move=> _; rewrite addr0 ler_pdivl_mull // margin.
apply: le_trans (iter_good K_kernel next t W_ge gh) _; rewrite (iter_affine K_kernel) addr0 -mulrA ler_wpmul2l ?invr_ge0 ?(ltW e0) //.
have W_step h' : good h' -> mean K W h' <= q' * W h' + beta.
  move=> gh'; pose W' s := (1 + l) * form (X (to (node h') s)) (B (node h') s *m y h') + beta.
  apply: (@le_trans _ _ (\sum_s K h' s * W' s)).
    apply: ler_sum => s _; have := K_kernel.1 h' s; rewrite le_eqVlt => /orP[/eqP <-|Ks]; first by rewrite !mul0r.
    rewrite ler_pmul2l // /W step // nodeE // /W'.
    by apply: le_trans (form_add_le (X_sym _) (X_ge0 _) _ _ l0) _; rewrite ler_add2l b_le.
  rewrite /W'; under eq_bigr => s _ do rewrite mulrDr mulrCA.
  rewrite big_split /= -mulr_sumr -mulr_suml K_kernel.2 mul1r ler_add2r.
  have -> : \sum_s K h' s * form (X (to (node h') s)) (B (node h') s *m y h') = ahead X B (node h') (y h').
    by apply: eq_bigr => s _; rewrite kE.
  apply: (@le_trans _ _ ((1 + l) * (q * W h'))); first by rewrite ler_wpmul2l ?le // addr_ge0 ?ler01 // ltW.
  rewrite mulrA ler_wpmul2r ?X_ge0 // /q' mulrDl mul1r ler_add2l ler_pimulr // ltW //.
apply: le_trans (good_falling K_kernel next q'01 beta0 W_step t gh) _; rewrite mulrDr mulr1 ler_add //.
  rewrite mulrDl; apply: ler_paddr; first by rewrite mulr_ge0 ?dot_ge0 // divr_ge0 // ltW.
  apply: le_trans (upper _ _); apply: ler_pimull; first exact: X_ge0.
  by apply: exprn_ile1 => //; apply: ltW.
by rewrite ler_addr.
Qed.

(* ---- B = 1 + αK, X + αT_i: the decrease divided by α is F − αG − α²H ---- *)
Section Steps.
Variables (X : 'M[R]_D) (T : I -> 'M[R]_D) (C : I -> S -> 'M[R]_D).
Hypothesis k_sum : forall i, \sum_s k i s = 1.

Definition part_F i : 'M[R]_D :=
  T i - \sum_s k i s *: (T (to i s) + (C i s)^T *m X + X *m C i s).
Definition part_G i : 'M[R]_D :=
  \sum_s k i s *: ((C i s)^T *m T (to i s) + T (to i s) *m C i s + (C i s)^T *m X *m C i s).
Definition part_H i : 'M[R]_D := \sum_s k i s *: ((C i s)^T *m T (to i s) *m C i s).
Definition decrease alpha i : 'M[R]_D := part_F i - alpha *: part_G i - alpha ^+ 2 *: part_H i.
Definition tilted alpha i : 'M[R]_D := X + alpha *: T i.
Definition by_step alpha i s : 'M[R]_D := 1%:M + alpha *: C i s.

Lemma form_shifted (Y L : 'M[R]_D) alpha z : form Y ((1%:M + alpha *: L) *m z)
  = form Y z + alpha * (form (L^T *m Y) z + form (Y *m L) z) + alpha ^+ 2 * form (L^T *m Y *m L) z.
Proof.
have cross : (1%:M + alpha *: L)^T *m Y *m (1%:M + alpha *: L)
    = Y + alpha *: (L^T *m Y + Y *m L) + (alpha ^+ 2) *: (L^T *m Y *m L).
  rewrite [(_ + _)^T]raddfD /= [(_ *: _)^T]linearZ /= trmx1 mulmxDl mul1mx mulmxDr mulmx1 -!scalemxAl -!scalemxAr.
  by rewrite mulmxDl -!scalemxAl !scalerDr scalerA -expr2 !addrA.
by rewrite -form_congruence cross !formD !formZ !formD.
Qed.

Lemma decrease_parts alpha i z :
  form (decrease alpha i) z = form (part_F i) z - alpha * form (part_G i) z - alpha ^+ 2 * form (part_H i) z.
Proof. by rewrite /decrease formB formB !formZ. Qed.

Lemma decreaseE alpha i z :
  alpha * form (decrease alpha i) z = form (tilted alpha i) z - ahead (tilted alpha) (by_step alpha) i z.
Proof.
pose U s := alpha * (form (T (to i s)) z + form ((C i s)^T *m X) z + form (X *m C i s) z)
  + alpha ^+ 2 * (form ((C i s)^T *m T (to i s)) z + form (T (to i s) *m C i s) z + form ((C i s)^T *m X *m C i s) z)
  + alpha ^+ 3 * form ((C i s)^T *m T (to i s) *m C i s) z.
transitivity (alpha * form (T i) z - \sum_s k i s * U s).
  rewrite decrease_parts /part_F /part_G /part_H formB !form_sum !mulrBr !mulr_sumr -!addrA; congr (_ + _).
  rewrite -!opprD -!big_split /=; congr (- _); apply: eq_bigr => s _; rewrite !formZ !formD /U.
  move: (k i s) (form (T _) z) (form (_ *m X) z) (form (X *m _) z) (form (_ *m T _) z) (form (T _ *m _) z).
  by move: (form (_ *m X *m _) z) (form (_ *m T _ *m _) z) => *; ring.
rewrite /ahead /tilted formD formZ.
have -> : \sum_s k i s * form (X + alpha *: T (to i s)) (by_step alpha i s *m z) = form X z + \sum_s k i s * U s.
  rewrite -[form X z]mul1r -(k_sum i) mulr_suml -big_split /=; apply: eq_bigr => s _; rewrite form_shifted /U.
  rewrite !mulmxDl !mulmxDr -!scalemxAr -!scalemxAl !mulmxDl -?scalemxAl !formD !formZ.
  move: (k i s) (form X z) (form (T _) z) (form (_ *m X) z) (form (X *m _) z) (form (_ *m T _) z) (form (T _ *m _) z).
  by move: (form (_ *m X *m _) z) (form (_ *m T _ *m _) z) => *; ring.
by rewrite opprD addrACA subrr add0r.
Qed.

Hypothesis T_pos : forall i, posdef (T i).
Lemma part_H_ge0 i z : 0 <= form (part_H i) z.
Proof.
rewrite form_sum; apply: sumr_ge0 => s _; rewrite formZ mulr_ge0 // form_congruence.
by have [->|/T_pos/ltW//] := eqVneq (C i s *m z) 0; rewrite form0.
Qed.

(* at every step up to the last: f − αg − α²h is concave in α, and so is its negative less α²h *)
Lemma every_step_falls last : 0 < last -> (forall i, posdef (part_F i)) -> (forall i, posdef (decrease last i)) ->
  forall alpha, 0 < alpha <= last -> falls (tilted alpha) (by_step alpha).
Proof.
move=> last0 at0 at1 alpha /andP[a0 a1] i z z0; rewrite -subr_gt0 -decreaseE pmulr_rgt0 //.
have := at0 i z z0; have := at1 i z z0; have := part_H_ge0 i z; rewrite !decrease_parts.
move: (form (part_F i) z) (form (part_G i) z) (form (part_H i) z) => f g h h0 last_pos f_pos.
pose s := alpha / last; have s0 : 0 < s by rewrite divr_gt0.
have s1 : s <= 1 by rewrite ler_pdivr_mulr // mul1r.
have aE : alpha = s * last by rewrite divfK // gt_eqF.
have -> : f - alpha * g - alpha ^+ 2 * h
    = (1 - s) * f + (s * (f - last * g - last ^+ 2 * h) + s * (1 - s) * (last ^+ 2 * h)) by rewrite aE; ring.
have s1' : 0 <= 1 - s by rewrite subr_ge0.
apply: ltr_paddl; first by rewrite mulr_ge0 // ltW.
apply: ltr_paddr; last exact: mulr_gt0.
by apply: mulr_ge0; apply: mulr_ge0 => //; [exact: ltW | exact: sqr_ge0].
Qed.

Lemma every_step_grows last : 0 < last -> (forall i, posdef (- part_F i)) ->
  (forall i, posdef (last *: part_G i - part_F i)) ->
  forall alpha, 0 < alpha <= last -> grows (tilted alpha) (by_step alpha).
Proof.
move=> last0 at0 at1 alpha /andP[a0 a1] i z z0; rewrite -subr_gt0 -opprB oppr_gt0 -decreaseE pmulr_rlt0 //.
have := at0 i z z0; have := at1 i z z0; have := part_H_ge0 i z; rewrite decrease_parts [form (_ - _) z]formB [form (- _) z]formN [form (_ *: _) z]formZ.
move: (form (part_F i) z) (form (part_G i) z) (form (part_H i) z) => f g h h0 last_pos f_pos.
pose s := alpha / last; have s0 : 0 < s by rewrite divr_gt0.
have s1 : s <= 1 by rewrite ler_pdivr_mulr // mul1r.
have aE : alpha = s * last by rewrite divfK // gt_eqF.
rewrite -oppr_gt0; have -> : - (f - alpha * g - alpha ^+ 2 * h)
    = (1 - s) * (- f) + (s * (last * g - f) + alpha ^+ 2 * h) by rewrite aE; ring.
have s1' : 0 <= 1 - s by rewrite subr_ge0.
apply: ltr_paddl; first by rewrite mulr_ge0 // ltW.
apply: ltr_paddr; last exact: mulr_gt0.
by apply: mulr_ge0 => //; exact: sqr_ge0.
Qed.
End Steps.
End Family.
