(* Limits of sequences over an Archimedean ordered field, the little that infinite sums over episode lengths need.

   u tends to l if |u_n − l| < ε from some n on, for every ε > 0. No completeness is used: limits are exhibited, not
   constructed, so that everything holds over the rationals too. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition tends_to (R : realFieldType) (u : nat -> R) (l : R) :=
  forall eps, 0 < eps -> exists N, forall n, (N <= n)%N -> `|u n - l| < eps.

Section Limits.
Variable R : realFieldType.
Implicit Types (u v : nat -> R) (l m a x : R).

Lemma tends_to_const l : tends_to (fun=> l) l.
Proof. by move=> eps e0; exists 0%N => n _; rewrite subrr normr0. Qed.

(* Only the far end counts. *)
Lemma tends_to_eventually N u v l : (forall n, (N <= n)%N -> u n = v n) -> tends_to u l -> tends_to v l.
Proof.
move=> uv ul eps e0; have [K uK] := ul eps e0; exists (maxn N K) => n.
by rewrite geq_max => /andP[Nn Kn]; rewrite -uv // uK.
Qed.

Lemma tends_to_ext u v l : u =1 v -> tends_to u l -> tends_to v l.
Proof. by move=> uv; apply: (@tends_to_eventually 0) => n _; apply: uv. Qed.

Lemma tends_to_eq u l m : l = m -> tends_to u l -> tends_to u m.
Proof. by move->. Qed.

Lemma tends_to_add u v l m : tends_to u l -> tends_to v m -> tends_to (fun n => u n + v n) (l + m).
Proof.
move=> ul vm eps e0; have e2 : 0 < eps / 2 by rewrite divr_gt0 // ltr0n.
have [N uN] := ul _ e2; have [K vK] := vm _ e2; exists (maxn N K) => n.
rewrite geq_max => /andP[Nn Kn]; rewrite opprD addrACA.
apply: le_lt_trans (ler_norm_add _ _) _; rewrite [ltRHS](_ : _ = eps / 2 + eps / 2); last by field.
by rewrite ltr_add ?uN ?vK.
Qed.

Lemma tends_to_scale a u l : tends_to u l -> tends_to (fun n => a * u n) (a * l).
Proof.
move=> ul eps e0; have [->|a0] := eqVneq a 0.
  by exists 0%N => n _; rewrite !mul0r subrr normr0.
have a_gt0 : 0 < `|a| by rewrite normr_gt0.
have [N uN] := ul _ (divr_gt0 e0 a_gt0).
exists N => n /uN; rewrite ltr_pdivl_mulr // => lt_eps.
by rewrite -mulrBr normrM mulrC.
Qed.

Lemma tends_to_scaler a u l : tends_to u l -> tends_to (fun n => u n * a) (l * a).
Proof. by move/(tends_to_scale a); rewrite mulrC; apply: tends_to_ext => n; rewrite mulrC. Qed.

Lemma tends_to_later K u l : tends_to u l -> tends_to (fun n => u (n + K)%N) l.
Proof.
by move=> ul eps e0; have [N uN] := ul eps e0; exists N => n Nn; rewrite uN // (leq_trans Nn) ?leq_addr.
Qed.

Lemma tends_to_opp u l : tends_to u l -> tends_to (fun n => - u n) (- l).
Proof.
by move/(tends_to_scale (-1)); rewrite mulN1r; apply: tends_to_ext => n; rewrite mulN1r.
Qed.

Lemma tends_to_sub u v l m : tends_to u l -> tends_to v m -> tends_to (fun n => u n - v n) (l - m).
Proof. by move=> ul /tends_to_opp; apply: tends_to_add. Qed.

Lemma tends_to_sum K (F : nat -> nat -> R) (l : nat -> R) :
  (forall k, tends_to (F k) (l k)) ->
  tends_to (fun n => \sum_(0 <= k < K) F k n) (\sum_(0 <= k < K) l k).
Proof.
move=> Fl; elim: K => [|K IH].
  by apply: tends_to_ext (tends_to_const _) => n; rewrite !big_geq.
rewrite big_nat_recr //=; apply: tends_to_ext (tends_to_add IH (Fl K)) => n.
by rewrite big_nat_recr.
Qed.

Lemma tends_to_difference u v l : tends_to (fun n => u n - v n) 0 -> tends_to v l -> tends_to u l.
Proof.
move=> uv vl; rewrite -[l]add0r; apply: tends_to_ext (tends_to_add uv vl) => n.
by rewrite subrK.
Qed.

Lemma tends_to_unique u l m : tends_to u l -> tends_to u m -> l = m.
Proof.
move=> ul um; apply/eqP/negPn/negP => lm; rewrite -subr_eq0 -normr_gt0 in lm.
have := tends_to_sub ul um; move/(_ _ lm) => [N /(_ N (leqnn N))].
by rewrite subrr sub0r normrN ltxx.
Qed.

Lemma tends_to_ge0 u l : (forall n, 0 <= u n) -> tends_to u l -> 0 <= l.
Proof.
move=> u0 ul; rewrite leNgt; apply/negP => l0; have nl0 : 0 < - l by rewrite oppr_gt0.
have [N /(_ N (leqnn N))] := ul _ nl0; rewrite ltNge => /negP; apply.
by apply: le_trans (ler_norm _); rewrite ler_addr.
Qed.

(* Bounded by a sequence that tends to zero. *)
Lemma tends_to_squeeze u v : (forall n, `|u n| <= v n) -> tends_to v 0 -> tends_to u 0.
Proof.
move=> uv v0 eps e0; have [N vN] := v0 _ e0; exists N => n Nn.
by have := vN n Nn; rewrite !subr0; apply: le_lt_trans; apply: le_trans (uv n) (ler_norm _).
Qed.

(* The identity theorem at zero: a power series with bounded coefficients that vanishes on (0,1) has none. *)
Theorem power_series_eq0 (a : nat -> R) B : (forall i, `|a i| <= B) ->
  (forall x, 0 < x < 1 -> tends_to (fun N => \sum_(0 <= i < N) a i * x ^+ i) 0) ->
  forall i, a i = 0.
Proof.
move=> aB vanishes; elim/ltn_ind => m IH; apply/eqP/negPn/negP => am0.
have am_gt0 : 0 < `|a m| by rewrite normr_gt0.
have B0 : 0 < B := lt_le_trans am_gt0 (aB m).
have den : 0 < 4 * B + 2 * `|a m| by rewrite addr_gt0 // mulr_gt0 // ltr0n.
pose x := `|a m| / (4 * B + 2 * `|a m|).
have x0 : 0 < x by rewrite divr_gt0.
have x2 : x * 2 <= 1.
  rewrite /x mulrAC ler_pdivr_mulr // mul1r mulrC ler_addr mulr_ge0 ?ltW //; exact: ltr0n.
have x1 : x < 1.
  apply: lt_le_trans x2; rewrite mulr_natr mulr2n ltr_addl //.
have xB : 2 * B * x <= `|a m| / 2.
  rewrite /x mulrA ler_pdivr_mulr // -subr_ge0.
  rewrite (_ : _ - _ = `|a m| ^+ 2); first by rewrite sqr_ge0.
  by field.
(* the tail after the m-th term: at most 2Bx, by summing a geometric series *)
have tail K : `|\sum_(0 <= i < K) a (m + i.+1)%N * x ^+ i.+1| <= 2 * B * x * (1 - x ^+ K).
  elim: K => [|K IHK]; first by rewrite big_geq // normr0 expr0 subrr mulr0.
  rewrite big_nat_recr //=; apply: le_trans (ler_norm_add _ _) _.
  apply: le_trans (ler_add IHK (_ : _ <= B * x ^+ K.+1)) _.
    by rewrite normrM (ger0_norm (exprn_ge0 _ (ltW x0))) ler_wpmul2r // exprn_ge0 // ltW.
  rewrite -subr_ge0 (_ : _ - _ = B * x ^+ K.+1 * (1 - x * 2)); last by rewrite !exprS; ring.
  by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 ?exprn_ge0 ?ltW.
have [N /(_ (maxn N m.+1) (leq_maxl _ _))] :=
  vanishes x (introT andP (conj x0 x1)) (x ^+ m * (`|a m| / 2)) (mulr_gt0 (exprn_gt0 _ x0) (divr_gt0 am_gt0 (ltr0n _ 2))).
have := leq_maxr N m.+1; move: (maxn _ _) => K /subnKC <-.
move: (K - m.+1)%N => {}K.
rewrite subr0 (@big_cat_nat _ _ _ m) //=; last by rewrite addSn leqW ?leq_addr.
rewrite big_nat_cond big1 ?add0r => [|i /andP[/andP[_ im] _]]; last by rewrite IH ?mul0r.
rewrite -[X in \sum_(X <= _ < _) _]add0n big_addn addSn subSn ?leq_addr // addKn.
rewrite big_nat_recl //= add0n.
have -> : \sum_(0 <= i < K) a (i.+1 + m)%N * x ^+ (i.+1 + m)
        = x ^+ m * \sum_(0 <= i < K) a (m + i.+1)%N * x ^+ i.+1.
  by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite addnC exprD; ring.
rewrite mulrC -mulrDr normrM (ger0_norm (exprn_ge0 _ (ltW x0))) ltr_pmul2l ?exprn_gt0 //.
apply/negP; rewrite -leNgt; set s := \sum_(_ <= _ < _) _.
have sle : `|s| <= `|a m| / 2.
  apply: le_trans (tail K) _; apply: le_trans xB; rewrite ler_pimulr //.
    by rewrite mulr_ge0 ?ltW // mulr_gt0 // ltr0n.
  by rewrite ger_addl oppr_le0 exprn_ge0 ?ltW.
rewrite -(ler_add2r `|s|); apply: le_trans (ler_add (lexx _) sle) _.
by rewrite -splitr -[X in `|X| <= _](addrK s) -[X in _ <= _ + X]normrN ler_norm_add.
Qed.
End Limits.

Section Archimedean.
Variable R : archiFieldType.

(* Bernoulli: (1 + h)ⁿ ≥ 1 + nh. *)
Lemma bernoulli (h : R) n : 0 <= h -> 1 + n%:R * h <= (1 + h) ^+ n.
Proof.
move=> h0; elim: n => [|n IH]; first by rewrite mul0r addr0 expr0.
rewrite exprS; apply: le_trans (ler_wpmul2l (addr_ge0 ler01 h0) IH).
rewrite -subr_ge0 (_ : _ - _ = n%:R * h ^+ 2); last by rewrite -addn1 natrD; ring.
by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
Qed.

Lemma sum_geometric (x : R) n : \sum_(0 <= i < n) (1 - x) * x ^+ i = 1 - x ^+ n.
Proof.
elim: n => [|n IH]; first by rewrite big_geq // subrr.
by rewrite big_nat_recr //= IH exprS; ring.
Qed.

Lemma tends_to_geometric (x : R) : 0 <= x < 1 -> tends_to (fun n => x ^+ n) 0.
Proof.
case/andP=> x_ge0 x1 eps e0; move: x_ge0; rewrite le_eqVlt => /orP[/eqP <-|x0].
  by exists 1%N => -[|n] // _; rewrite expr0n /= subrr normr0.
pose h := x^-1 - 1.
have h0 : 0 < h by rewrite subr_gt0 invf_gt1.
have [N Nbig] : exists N, eps^-1 / h < N%:R.
  by exists (Num.bound (eps^-1 / h)); apply: archi_boundP; rewrite divr_ge0 ?invr_ge0 ?ltW.
exists N => n Nn; rewrite subr0 ger0_norm ?exprn_ge0 ?ltW //.
rewrite -[eps]invrK -[x ^+ n]invrK ltf_pinv ?posrE ?invr_gt0 ?exprn_gt0 //.
rewrite -exprVn (_ : x^-1 = 1 + h); last by rewrite addrC subrK.
apply: lt_le_trans (bernoulli n (ltW h0)); rewrite -ltr_subl_addl.
rewrite -ltr_pdivr_mulr //; apply: lt_le_trans (_ : N%:R <= _); last by rewrite ler_nat.
by apply: le_lt_trans Nbig; rewrite ler_pmul2r ?invr_gt0 // ger_addl oppr_le0 ler01.
Qed.
End Archimedean.
