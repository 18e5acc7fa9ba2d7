(* weight_matrix_recursion — §2, the constraint on Λ that the recursion of the return asks for.

   Stated: to write the return recursively, Λ_{j,j-1} + Λ_jj = Λ_{j-1,j-1} must hold for every j ≥ 2. So it must, if the
   recursion is to hold at every γ in (0,1).
   Sharper: the recursion holds at every γ in (0,1) exactly if every column of Λ is constant below its diagonal; and
   exactly these are the Λ of λ-schedules in [0,1]. The printed condition alone is not sufficient: the rows (1), (1,0),
   (1,0,0), (0,1,0,0), (0,1,0,…) meet it, and at γ = ½ the return has no recursion. At a single γ the condition is
       Λ_kk = Σ_{i≥k} (1 − γ)γ^{i-k} Σ_{j≥k} Λ_ij   for every k,
   weaker: the rows (1), (½,½), (¾,¼,0), (0,1,0,0), (½,½,0,…) have the recursion at γ = ½.

   Reading: "the recursion" is [recursion] of Recursion.v; Λ is any infinite lower triangular matrix with entries in
   [0,1] and rows that sum to one. The infinite sums over episode lengths are limits, over any Archimedean field. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule weight_matrix_rows Limits Returns return_coefficients Recursion.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Theorems.
Variable R : archiFieldType.
Implicit Types (gamma : R) (Lam : nat -> nat -> R).

Lemma schedule_coefficients gamma lam : 0 < gamma < 1 -> coefficients_of gamma lam (Lambda lam).
Proof.
by case/andP=> g0 g1 k; apply: (return_coefficients_limit _ _ (ltn0Sn k)); rewrite ltW.
Qed.

(* At one γ: the recursion is the diagonal condition. *)
Theorem weight_matrix_recursion_at_one_gamma gamma Lam : 0 < gamma < 1 -> weights Lam ->
  recursion gamma Lam <-> diagonal_condition gamma Lam.
Proof.
move=> gamma01 law; split; first exact: recursion_diagonal.
move=> diagonal; pose later m := iter m (@shift R) (schedule_of Lam).
have later01 m k : (0 < k)%N -> 0 <= later m k <= 1.
  by elim: m k => [|m IH] k k0; [exact: (schedule_of_01 gamma01 law diagonal k0) | exact: (IH k.+1)].
exists (fun m => if m is _.+1 then Lambda (later m) else Lam), (fun k => later k.-1 1%N).
split=> // [[|m] //|m]; first by have [] := weight_matrix_rows (later01 m.+1).
apply: coefficients_step (schedule_coefficients (later m.+1) gamma01).
by case: m => [|m]; [exact: diagonal_coefficients | exact: schedule_coefficients].
Qed.

(* Columns. *)
Lemma share_row Lam i k : weights Lam -> (0 < k <= i)%N -> share Lam i k = 1 - \sum_(1 <= j < k) Lam i j.
Proof.
case=> _ _ rows /andP[k0 ki]; rewrite -(rows i (leq_trans k0 ki)) (@big_cat_nat _ _ _ k) //= ?leqW //.
by rewrite addrC addKr.
Qed.

Lemma share_next Lam i k : (k <= i)%N -> share Lam i k = Lam i k + share Lam i k.+1.
Proof. by move=> ki; rewrite /share big_ltn. Qed.

Lemma share_diagonal Lam k : share Lam k k = Lam k k.
Proof. by rewrite /share big_nat1. Qed.

Lemma columns_shares Lam : weights Lam ->
  columns_constant Lam <-> forall k i, (0 < k <= i)%N -> share Lam i k = Lam k k.
Proof.
move=> law; split=> [columns k i /andP[k0 ki]|shares i j /andP[j0 ji]].
  rewrite -share_diagonal !share_row ?k0 ?ki ?leqnn //; congr (1 - _).
  apply: eq_big_nat => j /andP[j0 jk]; rewrite columns ?j0 ?(leq_trans jk) //.
  by rewrite [RHS]columns ?j0.
have entry n : (j < n)%N -> Lam n j = Lam j j - Lam j.+1 j.+1.
  move=> jn; rewrite -(shares j n) ?j0 1?ltnW // -(shares j.+1 n) ?jn // share_next ?(ltnW jn) //.
  by rewrite addrK.
by rewrite (entry i ji) (entry j.+1 (leqnn _)).
Qed.

Lemma columns_diagonal gamma Lam : 0 < gamma < 1 -> weights Lam -> columns_constant Lam -> diagonal_condition gamma Lam.
Proof.
move=> gamma01 law /(columns_shares law) shares; apply/(diagonal_condition_rewards gamma01) => k k0.
have gamma_lt1 : 0 <= gamma < 1 by case/andP: gamma01 => /ltW->.
have := tends_to_mass_left gamma_lt1 (Lam k k) (gamma ^+ k.-1); rewrite mulrC.
apply: (tends_to_eventually (N := k)) => N kN.
rewrite -disc_const -sum_mass // ?leqW // mulr_sumr; apply: eq_big_nat => i /andP[ki _].
by rewrite -[Lam k k](shares k i) ?k0 // mulrC.
Qed.

Lemma diagonal_columns Lam : weights Lam ->
  (forall gamma, 0 < gamma < 1 -> diagonal_condition gamma Lam) -> columns_constant Lam.
Proof.
move=> law diagonal; apply/(columns_shares law) => k i /andP[k0 ki].
pose a n := share Lam (k + n) k - Lam k k.
suff a0 : forall n, a n = 0 by have /eqP := a0 (i - k)%N; rewrite /a subnKC // subr_eq0 => /eqP.
have share01 n : 0 <= share Lam (k + n) k <= 1.
  case: (law) => _ le01 rows; apply/andP; split.
    rewrite /share big_nat_cond; apply: sumr_ge0 => j /andP[/andP[kj _] _].
    by case/andP: (le01 (k + n)%N j (leq_trans k0 kj)).
  rewrite share_row ?k0 ?leq_addr // ger_addl oppr_le0 big_nat_cond; apply: sumr_ge0 => j /andP[/andP[j0 _] _].
  by case/andP: (le01 (k + n)%N j j0).
have bounded n : `|a n| <= 1.
  have /andP[s0 s1] := share01 n; have /andP[d0 d1] : 0 <= Lam k k <= 1 by case: law => _ /(_ k k k0).
  rewrite /a ler_norml; apply/andP; split; last by rewrite ler_subl_addr; apply: le_trans s1 _; rewrite ler_addl.
  by rewrite ler_subr_addl; apply: le_trans s0; rewrite subr_le0.
apply: (power_series_eq0 bounded) => x x01; have x_lt1 : 0 <= x < 1 by case/andP: x01 => /ltW->.
have shares := tends_to_later k.-1 (diagonal x x01 k k0).
have all : tends_to (fun N => \sum_(0 <= n < N) (1 - x) * x ^+ n * Lam k k) (Lam k k).
  rewrite -[X in tends_to _ X]mulr1 -[in X in tends_to _ X](subr0 1).
  apply: tends_to_ext (tends_to_scale _ (tends_to_sub (tends_to_const 1) (tends_to_geometric x_lt1))) => N.
  by rewrite -mulr_suml sum_geometric mulrC.
have x1 : 1 - x != 0 by rewrite subr_eq0 eq_sym lt_eqF //; case/andP: x01.
have := tends_to_scale (1 - x)^-1 (tends_to_sub shares all); rewrite subrr mulr0; apply: tends_to_ext => N.
rewrite -{1}(add0n k) -addnS prednK // big_addn addnK -sumrB mulr_sumr.
by apply: eq_bigr => n _; rewrite addnK addnC /a; field.
Qed.

(* At every γ. *)
Theorem weight_matrix_recursion_columns Lam : weights Lam ->
  (forall gamma, 0 < gamma < 1 -> recursion gamma Lam) <-> columns_constant Lam.
Proof.
move=> law; split=> [recurs|columns gamma gamma01].
  by apply: diagonal_columns => // gamma gamma01; apply/(weight_matrix_recursion_at_one_gamma gamma01 law)/recurs.
by apply/(weight_matrix_recursion_at_one_gamma gamma01 law)/columns_diagonal.
Qed.

(* Exactly the matrices of schedules. *)
Theorem weight_matrix_recursion_schedules Lam : weights Lam ->
  columns_constant Lam <->
  exists lam : nat -> R, (forall j, (0 < j)%N -> 0 <= lam j <= 1) /\
    forall i j, (0 < i)%N -> (0 < j)%N -> Lam i j = Lambda lam i j.
Proof.
move=> law; split=> [columns|[lam [_ LamE]] i j /andP[j0 ji]]; last first.
  by rewrite !LamE ?(leq_trans j0 (ltnW ji)) // !Lambda_below.
have half : 0 < (1 / 2 : R) < 1 by rewrite divr_gt0 ?ltr01 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr1n.
have diagonal := columns_diagonal half law columns.
exists (schedule_of Lam); split=> [j j0|i j i0 j0]; first exact: (schedule_of_01 half law diagonal j0).
have diag k : (0 < k)%N -> Lam k k = c (schedule_of Lam) k.-1.
  by case: k => // k _; rewrite (c_schedule_of half law diagonal).
case: (ltngtP j i) => [ji|ij|<-]; last by rewrite Lambda_diag diag.
  have shares := (columns_shares law).1 columns.
  rewrite Lambda_w ?j0 // /w -diag // -[c _ j]/(c _ j.+1.-1) -diag //.
  rewrite -(shares j i) ?j0 1?ltnW // -(shares j.+1 i) //= share_next ?(ltnW ji) //.
  by rewrite addrK.
by rewrite Lambda_above //; case: law => /(_ i j ij).
Qed.

(* The printed condition is one consequence. *)
Theorem columns_constant_printed Lam : weights Lam -> columns_constant Lam -> printed_condition Lam.
Proof.
move=> law /(columns_shares law) shares [|[|j]] // _ /=.
by rewrite -(shares j.+1 j.+2 (leqnSn _)) share_next // share_diagonal.
Qed.

(* As printed: the condition is necessary. *)
Theorem weight_matrix_recursion Lam : weights Lam ->
  (forall gamma, 0 < gamma < 1 -> recursion gamma Lam) -> printed_condition Lam.
Proof.
by move=> law recurs; apply: (columns_constant_printed law); apply/(weight_matrix_recursion_columns law).
Qed.
End Theorems.

(* Where the shares of R_{t+k} are one number from row K on, the sum over lengths closes. *)
Lemma diagonal_sum (R : archiFieldType) (gamma : R) Lam k K s : 0 < gamma < 1 -> (k <= K)%N ->
  (forall i, (K <= i)%N -> share Lam i k = s) ->
  tends_to (fun N => \sum_(k <= i < N.+1) (1 - gamma) * gamma ^+ (i - k) * share Lam i k)
           (\sum_(k <= i < K) (1 - gamma) * gamma ^+ (i - k) * share Lam i k + gamma ^+ (K - k) * s).
Proof.
move=> gamma01 kK shares; have gamma_lt1 : 0 <= gamma < 1 by case/andP: gamma01 => /ltW->.
set first := \sum_(k <= i < K) _; set y := gamma ^+ (K - k).
have far : tends_to (fun n => first + y * s * (1 - gamma ^+ n)) (first + y * s * (1 - 0)).
  apply: tends_to_add (tends_to_const _) (tends_to_scale _ _).
  exact: tends_to_sub (tends_to_const _) (tends_to_geometric gamma_lt1).
rewrite subr0 mulr1 in far => eps e0; have [n0 near] := far eps e0; exists (n0 + K)%N => N NK.
have KN : (K <= N.+1)%N by rewrite leqW // (leq_trans _ NK) ?leq_addl.
suff -> : \sum_(k <= i < N.+1) (1 - gamma) * gamma ^+ (i - k) * share Lam i k
        = first + y * s * (1 - gamma ^+ (N.+1 - K)).
  by apply: near; rewrite leq_subRL // leqW // addnC.
rewrite (@big_cat_nat _ _ _ K) //=; congr (_ + _); rewrite -[K in LHS]add0n big_addn -sum_geometric mulr_sumr.
apply: eq_bigr => i _; rewrite shares ?leq_addl // -addnBA // exprD -/y.
by move: (gamma ^+ i) => x; ring.
Qed.

(* The printed condition is not sufficient: the rows (1), (1,0), (1,0,0), (0,1,0,0), (0,1,0,…). *)
Definition split_freely (R : numDomainType) (i j : nat) : R := ((0 < i < 4)%N && (j == 1%N) || (3 < i)%N && (j == 2%N))%:R.

Lemma split_freely_weights (R : numDomainType) : weights (@split_freely R).
Proof.
split=> [i j ij|i j _|i i0].
- by rewrite /split_freely; case: i j ij => [|[|[|i]]] [|[|[|j]]] //= _; rewrite ?andbF.
- by rewrite /split_freely; case: (_ || _); rewrite ?lexx ?ler01.
have row3 n : (0 < n < 4)%N -> \sum_(1 <= j < n.+1) @split_freely R n j = 1.
  by case: n => [|[|[|[|n]]]] // _; rewrite /index_iota /= !(big_cons, big_nil) /split_freely /= ?addr0.
case: (ltnP i 4) => [i4|i4]; first by rewrite row3 // i0.
rewrite (bigD1_seq 2%N) ?iota_uniq //=; last by rewrite mem_index_iota; apply: ltnW (ltnW i4).
have not_less : (i < 4)%N = false by rewrite ltnNge i4.
by rewrite /split_freely i4 not_less andbF big1 ?addr0 // => j /negbTE->.
Qed.

Theorem weight_matrix_recursion_not_sufficient (R : archiFieldType) :
  ~ forall gamma (Lam : nat -> nat -> R), 0 < gamma < 1 -> weights Lam -> printed_condition Lam -> recursion gamma Lam.
Proof.
have half : 0 < (1 / 2 : R) < 1 by rewrite divr_gt0 ?ltr01 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr1n.
move/(_ _ _ half (split_freely_weights R)) => recurs; have printed : printed_condition (@split_freely R).
  by case=> [|[|[|[|[|j]]]]] // _; rewrite /split_freely /= ?addr0.
have limit := recursion_diagonal half (recurs printed) (isT : 0 < 2)%N.
have shares i : (4 <= i)%N -> share (@split_freely R) i 2 = 1.
  move=> i4; have i2 : (0 < 2 <= i)%N := ltnW (ltnW i4).
  rewrite (share_row (split_freely_weights R) i2) big_nat1.
  by rewrite /split_freely i4 [(i < 4)%N]ltnNge i4 andbF /= subr0.
have := tends_to_unique limit (diagonal_sum half (isT : 2 <= 4)%N shares).
rewrite /index_iota /= !(big_cons, big_nil) /share /index_iota /= !(big_cons, big_nil) /split_freely /= => /eqP.
rewrite -subr_eq0 (_ : _ - _ = - (1 / 4)); last by field.
by rewrite oppr_eq0 mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
Qed.

(* Nor is it necessary for the recursion at a single γ: at γ = ½ the rows (1), (½,½), (¾,¼,0), (0,1,0,0), (½,½,0,…). *)
Section AtOneHalf.
Variable R : archiFieldType.

Definition at_one_half_row i : seq R :=
  match i with
  | 0%N => [::] | 1%N => [:: 1] | 2%N => [:: 1 / 2; 1 / 2] | 3%N => [:: 3 / 4; 1 / 4] | 4%N => [:: 0; 1]
  | _ => [:: 1 / 2; 1 / 2]
  end.
Definition at_one_half i : nat -> R := schedule (at_one_half_row i).

Lemma sum_schedule (s : seq R) n : (size s <= n)%N -> \sum_(1 <= j < n.+1) schedule s j = \sum_(x <- s) x.
Proof.
move=> sn; rewrite big_add1 /= (@big_cat_nat _ _ _ (size s)) //= -(big_nth 0 predT id).
rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 // => j /andP[/andP[sj _] _].
exact: nth_default.
Qed.

Let row_size i : (size (at_one_half_row i) <= minn i 2)%N.
Proof. by case: i => [|[|[|[|[|i]]]]]. Qed.

Let row_sum i : (0 < i)%N -> \sum_(x <- at_one_half_row i) x = 1.
Proof. by case: i => [|[|[|[|[|i]]]]] // _; rewrite !(big_cons, big_nil); field. Qed.

Lemma at_one_half_weights : weights at_one_half.
Proof.
have part (p q : nat) : (p <= q)%N -> (0 < q)%N -> 0 <= (p%:R / q%:R : R) <= 1.
  move=> pq q0; apply/andP; split; first by apply: divr_ge0; apply: ler0n.
  by rewrite ler_pdivr_mulr ?mul1r ?ler_nat // ltr0n.
have zero : 0 <= (0 : R) <= 1 by rewrite lexx ler01.
have one : 0 <= (1 : R) <= 1 by rewrite lexx ler01.
split=> [i [//|j] ij|i [//|[|[|j]]] _|i i0].
- by apply: nth_default; rewrite -ltnS (leq_ltn_trans _ ij) // (leq_trans (row_size i)) ?geq_minl.
- case: i => [|[|[|[|[|i]]]]] //=; [exact: (part 1 2)%N | exact: (part 3 4)%N | exact: (part 1 2)%N].
- case: i => [|[|[|[|[|i]]]]] //=; [exact: (part 1 2)%N | exact: (part 1 4)%N | exact: (part 1 2)%N].
- by rewrite [at_one_half _ _]nth_default // (leq_trans (row_size i)) // geq_min orbT.
by rewrite sum_schedule ?row_sum // (leq_trans (row_size i)) ?geq_minl.
Qed.

Theorem weight_matrix_recursion_not_necessary_at_one_gamma :
  [/\ weights at_one_half, recursion (1 / 2) at_one_half & at_one_half 3 2 + at_one_half 3 3 != at_one_half 2 2].
Proof.
have law := at_one_half_weights; split=> //; last first.
  rewrite /at_one_half /= addr0 -subr_eq0 (_ : _ - _ = - (1 / 4)); last by field.
  by rewrite oppr_eq0 mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
have half : 0 < (1 / 2 : R) < 1 by rewrite divr_gt0 ?ltr01 ?ltr0n //= ltr_pdivr_mulr ?ltr0n // mul1r ltr1n.
apply/(weight_matrix_recursion_at_one_gamma half law) => -[//|[|[|k]]] _.
- have shares i : (1 <= i)%N -> share at_one_half i 1 = 1.
    by move=> i0; rewrite share_row ?i0 // big_geq ?subr0.
  apply: tends_to_eq (diagonal_sum half (leqnn 1) shares).
  by rewrite big_geq // subnn expr0 mulr1 add0r.
- have shares i : (5 <= i)%N -> share at_one_half i 2 = 1 / 2.
    case: i => [|[|[|[|[|i]]]]] // _; rewrite share_row // big_nat1 /at_one_half /=; by field.
  apply: tends_to_eq (diagonal_sum half (isT : 2 <= 5)%N shares).
  rewrite /index_iota /= !(big_cons, big_nil) /share /index_iota /= !(big_cons, big_nil) /at_one_half /=; by field.
have shares i : (k.+3 <= i)%N -> share at_one_half i k.+3 = 0.
  move=> ki; rewrite share_row // sum_schedule ?row_sum ?subrr ?(leq_trans _ ki) //.
  by rewrite (leq_trans (row_size i)) // geq_min orbT.
apply: tends_to_eq (diagonal_sum half (leqnn _) shares).
by rewrite big_geq // mulr0 addr0 -share_diagonal shares.
Qed.
End AtOneHalf.

(* λ = (½, ⅓) gives the recursion at every γ. *)
Theorem weight_matrix_recursion_instance (R : archiFieldType) (gamma : R) :
  0 < gamma < 1 -> recursion gamma (Lambda (schedule [:: 1 / 2; 1 / 3])).
Proof.
move: gamma; apply/weight_matrix_recursion_columns; first exact: (weight_matrix_rows_instance R).1.
by move=> i j /andP[j0 ji]; rewrite !Lambda_below.
Qed.
