(* Proposition 4.1 for a kernel between zero and the chain, and features that are independent where the chain returns.

   P has the limit law d, 0 ≤ N ≤ P entry by entry, and N_ij < P_ij for some i with d_i > 0: on-policy, N = P∘Γ with a
   discount of every transition, one of them below 1. With ‖x‖² = xᵀDx, where x is not zero at all states with d_i > 0,

     dominated_power     xᵀDNᵏx < ‖x‖² for every k ≥ 1
     dominated_negdef    A = ΦᵀD(M − I)Φ < 0, for a schedule with an end and λ's in [0, 1]
     dominated_endless      A = ΦᵀDS(N − I)Φ < 0, for λ_j = λ without an end and (I − λN)S = I

   The chain may have transient states, and no numbers of D(I − M) are asked for.

   If xᵀDNᵏx = ‖x‖², Nᵏx is x where d > 0, so |x| = Pᵏ|x| there; as the rows of P^t tend to d, |x| is constant, and N has
   no row sum below 1. For λ without an end put x = (I − λN)y:
   xᵀDS(I − N)x = (1 − λ)(‖y‖² − yᵀDNy) + λ‖y − Ny‖². *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule telescoping Forms Chain SchurTest Limits KeyMatrices Markov.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Dominated.
Variables (R : realFieldType) (n : nat) (P N : 'M[R]_n.+1) (d : 'rV[R]_n.+1).
Hypothesis P_stochastic : stochastic P.
Hypothesis P_limit : forall i j, tends_to (fun t => (P ^+ t) i j) (d 0 j).
Hypothesis N_between : forall i j, 0 <= N i j <= P i j.
Hypothesis N_less : exists i j, 0 < d 0 i /\ N i j < P i j.

Let d_law : law P d := limit_law P_stochastic P_limit.
Let d_ge0 i : 0 <= d 0 i. Proof. by case: d_law. Qed.
Let off i : ~~ (0 < d 0 i) -> d 0 i = 0.
Proof. by rewrite lt_neqAle d_ge0 andbT negbK eq_sym => /eqP. Qed.

Let schur_N : schur d 1 N.
Proof.
by apply: (schur_below ler01 d_ge0 (schur_law P_stochastic d_law)) => i j; rewrite mul1r.
Qed.
Let schur_power k : schur d 1 (N ^+ k).
Proof. by have := schur_exp k ler01 schur_N; rewrite expr1n. Qed.

Let power_between k i j : 0 <= (N ^+ k) i j <= (P ^+ k) i j.
Proof.
elim: k i j => [|k IH] i j; first by rewrite !expr0 mxE lexx ler0n.
rewrite !exprS !mxE; apply/andP; split.
  by apply: sumr_ge0 => l _; have /andP[? _] := N_between i l; have /andP[? _] := IH l j; rewrite mulr_ge0.
apply: ler_sum => l _; have /andP[N0 NP] := N_between i l; have /andP[Q0 QP] := IH l j; exact: ler_pmul.
Qed.
Let P_ge0 k i j : 0 <= (P ^+ k) i j.
Proof. by have /andP[a b] := power_between k i j; apply: le_trans a b. Qed.

Let d_power k : d *m P ^+ k = d.
Proof. by elim: k => [|k IH]; rewrite ?expr0 ?mulmx1 // exprSr mulmxA IH; case: d_law. Qed.

(* The chain does not leave the states with mass. *)
Let stays k i j : 0 < d 0 i -> ~~ (0 < d 0 j) -> (P ^+ k) i j = 0.
Proof.
move=> di /off dj; have : (d *m P ^+ k) 0 j = 0 by rewrite d_power.
rewrite mxE => sum0; have /eqP : d 0 i * (P ^+ k) i j = 0.
  by apply: (psumr_eq0P (fun l _ => mulr_ge0 (d_ge0 l) (P_ge0 k l j)) sum0).
by rewrite mulf_eq0 (gt_eqF di) => /eqP.
Qed.

Let on_support x : diag_mx d *m x = 0 -> forall i, 0 < d 0 i -> x i (0 : 'I_1) = 0.
Proof.
move/matrixP=> E i di; have /eqP := E i 0; by rewrite mul_diag_mx mxE [X in _ == X]mxE mulf_eq0 (gt_eqF di) => /eqP.
Qed.

(* N does not lead to a state without mass, so that Nx there depends on x there. *)
Let power_support k (x : 'cV[R]_n.+1) : (forall i, 0 < d 0 i -> x i 0 = 0) -> forall i, 0 < d 0 i -> (N ^+ k *m x) i 0 = 0.
Proof.
move=> x0 i di; rewrite mxE big1 // => j _; have [dj|dj] := boolP (0 < d 0 j); first by rewrite x0 // mulr0.
have := power_between k i j; rewrite (stays k di dj) => /le_anti <-; exact: mul0r.
Qed.

Let subsequence (u : nat -> R) l k : (0 < k)%N -> tends_to u l -> tends_to (fun t => u (k * t)%N) l.
Proof. by move=> k0 lim eps /lim[K near]; exists K => t Kt; apply: near; apply: leq_trans Kt (leq_pmull _ k0). Qed.

Let row_le1 k i : \sum_j (N ^+ k) i j <= 1.
Proof. by have [_ /(_ i)] := schur_power k; rewrite row_sumE mxE mul1r. Qed.

Theorem dominated_power k (x : 'cV[R]_n.+1) : (0 < k)%N -> diag_mx d *m x != 0 ->
  dotD d x (N ^+ k *m x) < sqnormD d x.
Proof.
move=> k0 x0; set Q := N ^+ k; have sQ : schur d 1 Q := schur_power k.
rewrite lt_neqAle -[X in _ && (_ <= X)]mul1r schur_form_le // andbT; apply/negP => /eqP E.
have QP i j : 0 <= Q i j <= (P ^+ k) i j := power_between k i j.
(* Qx = x where d > 0 *)
have fixed i : 0 < d 0 i -> (Q *m x) i 0 = x i 0.
  move=> di; apply/eqP; rewrite -subr_eq0; apply/eqP.
  have : sqnormD d (Q *m x - x) = 0.
    apply/le_anti/andP; split; last exact: sqnormD_ge0.
    rewrite -[X in sqnormD d (_ + X)]scaleN1r sqnormDD dotDZr sqnormDZ dotDC E sqrrN expr1n mul1r mulN1r.
    have := schur_norm d_ge0 x ler01 sQ; rewrite expr1n mul1r => le.
    by rewrite mulNrn mulr2n opprD !addrA subrK subr_le0.
  by move/(sqnormD_eq0 d_ge0)/on_support/(_ i di); rewrite mxE [X in _ + X]mxE.
pose y : 'cV[R]_n.+1 := \col_i `|x i 0|.
have below i : 0 < d 0 i -> y i 0 <= (Q *m y) i 0 /\ (Q *m y) i 0 <= (P ^+ k *m y) i 0.
  move=> di; split.
    rewrite [y i 0]mxE -(fixed i di) !mxE; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
    by have /andP[Q0 _] := QP i j; rewrite normrM ger0_norm // mxE.
  rewrite !mxE; apply: ler_sum => j _; have /andP[_ le] := QP i j; by rewrite ler_wpmul2r // mxE.
have gap i : 0 <= d 0 i * ((P ^+ k *m y) i 0 - y i 0).
  have [di|/off ->] := boolP (0 < d 0 i); last by rewrite mul0r.
  by have [a b] := below i di; rewrite mulr_ge0 // subr_ge0 (le_trans a b).
have sum0 : \sum_i d 0 i * ((P ^+ k *m y) i 0 - y i 0) = 0.
  under eq_bigr => i _ do rewrite mulrBr.
  have sumE (z : 'cV[R]_n.+1) : \sum_i d 0 i * z i 0 = (d *m z) 0 (0 : 'I_1) by rewrite mxE.
  by rewrite sumrB !sumE mulmxA d_power subrr.
have harmonic i : 0 < d 0 i -> (P ^+ k *m y) i 0 = y i 0.
  move=> di; have /eqP : d 0 i * ((P ^+ k *m y) i 0 - y i 0) = 0 by apply: (psumr_eq0P (fun j _ => gap j) sum0).
  by rewrite mulf_eq0 (gt_eqF di) subr_eq0 => /eqP.
have again t i : 0 < d 0 i -> (P ^+ (k * t) *m y) i 0 = y i 0.
  elim: t i => [|t IH] i di; first by rewrite muln0 expr0 mul1mx.
  rewrite mulnS exprD -mulmxA -[RHS](harmonic i di) mxE [RHS]mxE; apply: eq_bigr => j _.
  by have [dj|dj] := boolP (0 < d 0 j); [rewrite IH | rewrite (stays k di dj) !mul0r].
pose s := \sum_j d 0 j * y j 0.
have level i : 0 < d 0 i -> y i 0 = s.
  move=> di; apply: (@tends_to_unique _ (fun t => (P ^+ (k * t) *m y) i 0)).
    by apply: tends_to_ext (tends_to_const _) => t; rewrite again.
  apply: (subsequence k0 (u := fun t => (P ^+ t *m y) i 0)).
  apply: tends_to_ext (tends_to_big _ (fun j => tends_to_scaler (y j 0) (P_limit i j))) => t; by rewrite mxE.
have [i [di xi]] : exists i, 0 < d 0 i /\ x i 0 != 0.
  have [/existsP[i /andP[di xi]]|/existsPn none] := boolP [exists i, (0 < d 0 i) && (x i 0 != 0)]; first by exists i.
  case/negP: x0; apply/eqP/matrixP => i j; rewrite (ord1 j) mul_diag_mx mxE [RHS]mxE.
  have := none i; rewrite negb_and negbK => /orP[/off ->|/eqP ->]; [exact: mul0r | exact: mulr0].
have s0 : 0 < s by rewrite -(level i di) mxE normr_gt0.
(* so Q has full row sums where d > 0, and so has N *)
have full a : 0 < d 0 a -> \sum_j Q a j = 1.
  move=> da; have [ya _] := below a da; apply/le_anti; rewrite row_le1 /=.
  rewrite -(ler_pmul2r s0) mul1r -{1}(level a da); apply: le_trans ya _.
  rewrite mxE mulr_suml; apply: ler_sum => j _; have [dj|dj] := boolP (0 < d 0 j); first by rewrite level.
  by have := QP a j; rewrite (stays k da dj) => /le_anti <-; rewrite !mul0r.
case: N_less => a [b [da lt]].
have : \sum_j Q a j <= \sum_j N a j.
  have -> : \sum_j Q a j = \sum_l N a l * \sum_j (N ^+ k.-1) l j.
    rewrite /Q -{1}(prednK k0) exprS; under [RHS]eq_bigr => l _ do rewrite mulr_sumr.
    by rewrite exchange_big; apply: eq_bigr => j _; rewrite mxE.
  by apply: ler_sum => l _; have /andP[N0 _] := N_between a l; rewrite ler_pimulr.
rewrite full // leNgt => /negP; apply; rewrite -(P_stochastic.2 a) (bigD1 b) //= [ltRHS](bigD1 b) //=.
by apply: ltr_le_add => //; apply: ler_sum => j _; have /andP[_] := N_between a j.
Qed.

Variables (m : nat) (Phi : 'M[R]_(n.+1, m)).
Hypothesis Phi_independent : forall t : 'cV[R]_m, (forall i, 0 < d 0 i -> (Phi *m t) i 0 = 0) -> t = 0.
Let Phi_mass (t : 'cV[R]_m) : t != 0 -> diag_mx d *m (Phi *m t) != 0.
Proof. by apply: contra => /eqP/on_support/Phi_independent ->. Qed.

Theorem dominated_negdef lam L : (forall j, (0 < j)%N -> 0 <= lam j <= 1) -> finite_schedule L lam ->
  negdef (keyA d N Phi lam L).
Proof.
move=> lam01 fin t /Phi_mass x0; rewrite form_keyA subr_lt0; set x := Phi *m t in x0 *.
have -> : dotD d x (M lam L N *m x) = \sum_(1 <= k < L.+2) w lam k * dotD d x (N ^+ k *m x).
  rewrite /M mulmx_suml /dotD mulmx_sumr summxE; apply: eq_bigr => k _; by rewrite -scalemxAl -scalemxAr mxE.
rewrite -[ltRHS]mul1r -(sum_w fin) mulr_suml -subr_gt0 -sumrB.
under eq_bigr => k _ do rewrite -mulrBr.
have terms k : (1 <= k < L.+2)%N -> 0 <= w lam k * (sqnormD d x - dotD d x (N ^+ k *m x)).
  by case/andP=> k0 _; rewrite mulr_ge0 ?(w_ge0 lam01) // subr_ge0 ltW // dominated_power.
rewrite lt_neqAle eq_sym big_nat sumr_ge0 // andbT; apply/negP => sum0.
suff zero k : (1 <= k < L.+2)%N -> w lam k = 0.
  by have := sum_w fin; rewrite big_nat big1 // => /esym/eqP; rewrite oner_eq0.
move=> kr; move: sum0; rewrite -big_nat big_seq psumr_eq0 => [/allP/(_ k)|l]; last by rewrite mem_index_iota => /terms.
rewrite mem_index_iota kr => /(_ isT); rewrite mulf_eq0 => /orP[/eqP //|].
by case/andP: kr => k0 _; rewrite gt_eqF // subr_gt0 dominated_power.
Qed.

Theorem dominated_endless l (S : 'M[R]_n.+1) : 0 <= l <= 1 -> (1%:M - l *: N) *m S = 1%:M ->
  negdef (Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi).
Proof.
move=> /andP[l0 l1] inv t /Phi_mass x0; set x := Phi *m t in x0 *.
have [u _] := mulmx1_unit inv; pose y := S *m x.
have xE : x = y - l *: (N *m y) by rewrite -[LHS]mul1mx -inv -mulmxA -/y mulmxBl mul1mx -scalemxAl.
have comm : S *m (N - 1%:M) = (N - 1%:M) *m S.
  have E : (1%:M - l *: N) *m (N - 1%:M) = (N - 1%:M) *m (1%:M - l *: N).
    rewrite mulmxBr mulmx1 [RHS]mulmxBl mul1mx; congr (_ - _).
    by rewrite mulmxBl mul1mx -scalemxAl mulmxBr mulmx1 -scalemxAr.
  by apply: (can_inj (mulKmx u)); rewrite !mulmxA inv mul1mx E -mulmxA inv mulmx1.
have vE : S *m (N - 1%:M) *m x = N *m y - y by rewrite comm -mulmxA -/y mulmxBl mul1mx.
have -> : form (Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi) t = dotD d x (N *m y - y).
  have -> : Phi^T *m diag_mx d *m S *m (N - 1%:M) *m Phi = Phi^T *m (diag_mx d *m (S *m (N - 1%:M))) *m Phi.
    by rewrite !mulmxA.
  by rewrite form_congruence form_diag -/x vE.
have y0 : diag_mx d *m y != 0.
  apply: contra x0 => /eqP/on_support zero; apply/eqP/matrixP => i j; rewrite (ord1 j) mul_diag_mx mxE [RHS]mxE.
  have [di|/off ->] := boolP (0 < d 0 i); last exact: mul0r.
  have := power_support 1 zero di; rewrite expr1 => Ny.
  have H (a b : 'cV[R]_n.+1) : (a - l *: b) i 0 = a i 0 - l * b i 0 by rewrite !mxE.
  by rewrite xE H Ny zero // mulr0 subrr mulr0.
have := dominated_power (ltn0Sn 0) y0; rewrite expr1 => strict.
have Ny0 := schur_norm d_ge0 y ler01 schur_N; rewrite expr1n mul1r in Ny0.
have -> : dotD d x (N *m y - y) = - ((1 - l) * (sqnormD d y - dotD d y (N *m y))
    + l * (sqnormD d y - (dotD d y (N *m y)) *+ 2 + sqnormD d (N *m y))).
  rewrite xE dotDC dotDBr dotDZr ![dotD d (_ - _) _]dotDC !dotDBr !dotDxx [dotD d (N *m y) y]dotDC.
  move: (dotD _ _ _) (sqnormD _ _) (sqnormD _ _) => a b e; ring.
rewrite oppr_lt0; have sq : 0 <= sqnormD d y - (dotD d y (N *m y)) *+ 2 + sqnormD d (N *m y).
  have := sqnormD_ge0 (y + (-1) *: (N *m y)) d_ge0.
  by rewrite sqnormDD dotDZr sqnormDZ sqrrN expr1n mul1r mulN1r mulNrn.
have pos : 0 < sqnormD d y - dotD d y (N *m y) by rewrite subr_gt0.
have [l_one|l_less] := eqVneq l 1; last first.
  by apply: ltr_paddr; [rewrite mulr_ge0 | rewrite mulr_gt0 // subr_gt0 lt_neqAle l_less].
rewrite l_one subrr mul0r add0r mul1r lt_neqAle sq andbT eq_sym; apply/negP => /eqP zero.
have : sqnormD d (y + (-1) *: (N *m y)) = 0 by rewrite sqnormDD dotDZr sqnormDZ sqrrN expr1n mul1r mulN1r mulNrn.
move/(sqnormD_eq0 d_ge0)/on_support => same.
have E : dotD d y (N *m y) = sqnormD d y.
  rewrite dotDE sqnormDE; apply: eq_bigr => i _; have [di|/off ->] := boolP (0 < d 0 i); last by rewrite !mul0r.
  have := same i di; rewrite !mxE mulN1r => /eqP; rewrite subr_eq0 => /eqP <-; by rewrite -mulrA.
by rewrite E ltxx in strict.
Qed.
End Dominated.
