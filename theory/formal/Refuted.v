(* For the counterexamples to almost-sure convergence: recursions as functions of the history, and what "tends to zero
   almost surely" says on a chain that moves along one path.

     iterates alpha G b θ_0      θ(s :: h) = θ(h) + α(h)(G(s :: h)θ(h) + b(s :: h)); the step may depend on the path
     td0_matrix, td0_vector      A(s', s) = φ(s)(γφ(s') − φ(s))ᵀ and b(s', s) = r(s)φ(s) of TD(0)
     one_path                    the kernel K goes s_0, s_1, … with probability one
     common_path                 two sequences that tend to zero are small together on some path *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Forms Chain Limits.
From TD Require Import Paths Sequences OneStep Convergence Steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Recursions.
Variables (R : realFieldType) (S : finType) (m : nat).

Fixpoint iterates (alpha : seq S -> R) (G : seq S -> 'M[R]_m) (b : seq S -> 'cV[R]_m) (theta0 : 'cV[R]_m) (h : seq S) :=
  if h is s :: h' then
    let theta := iterates alpha G b theta0 h' in theta + alpha h' *: (G h *m theta + b h)
  else theta0.

Variables (gamma : R) (phi : S -> 'cV[R]_m) (r : S -> R).
Definition td0_matrix (h : seq S) : 'M[R]_m := if h is s' :: s :: _ then phi s *m (gamma *: phi s' - phi s)^T else 0.
Definition td0_vector (h : seq S) : 'cV[R]_m := if h is _ :: s :: _ then r s *: phi s else 0.

(* |θ(h) − θ*|² *)
Definition sqdist (theta : seq S -> 'cV[R]_m) star (h : seq S) : R := dot (theta h - star) (theta h - star).
End Recursions.

Section OneFeature.
Variables (R : realFieldType) (S : finType).
Variables (gamma : R) (r : S -> R) (alpha : seq S -> R) (theta0 : 'cV[R]_1).
Local Notation one := (fun=> const_mx 1).
Let theta := iterates alpha (td0_matrix gamma one) (td0_vector one r) theta0.

Lemma td0_start s : theta [:: s] = theta0.
Proof. by rewrite /theta /= mul0mx addr0 scaler0 addr0. Qed.

(* One feature φ = 1: θ ← θ + α(r(s) − (1 − γ)θ). *)
Lemma td0_step s' s h :
  theta [:: s', s & h] 0 0 = theta (s :: h) 0 0 + alpha (s :: h) * (r s - (1 - gamma) * theta (s :: h) 0 0).
Proof.
rewrite -[LHS]/((theta (s :: h) + alpha (s :: h) *: (_ *m theta (s :: h) + _)) 0 0).
move: (theta _) => x; rewrite !mxE big_ord1 !mxE big_ord1 !mxE.
have H (a y c : R) : 1 * (a * 1 - 1) * y + c * 1 = c - (1 - a) * y by ring.
by congr (_ + _ * _); apply: H.
Qed.

Lemma sqdist1 (c : R) h : sqdist theta (const_mx c) h = (theta h 0 0 - c) ^+ 2.
Proof. by rewrite /sqdist dotE big_ord1 !mxE expr2. Qed.
End OneFeature.

Lemma visits_drop (S : finType) (A : pred (seq S)) k h : A (drop k h) -> visits A h.
Proof.
elim: h k => [|s h IH] [|k] /=; rewrite ?drop0 ?orbF => // Ah; first by rewrite Ah.
by rewrite (IH k) ?orbT.
Qed.

(* Paths along which both sequences stay small. *)
Lemma common_path (R : realFieldType) (S : finType) (K : seq S -> S -> R) (V1 V2 : seq S -> R) e M : kernel K -> 0 <
  e ->
  tends_to_zero_as K V1 -> tends_to_zero_as K V2 ->
  exists2 N, (M <= N)%N & forall T, (N <= T)%N -> exists2 h, size h = T &
    forall k, (N <= size (drop k h))%N -> V1 (drop k h) < e /\ V2 (drop k h) < e.
Proof.
move=> K_kernel e0 lim1 lim2; have q0 : 0 < 4%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have [N1 P1] := lim1 e 4%:R^-1 e0 q0; have [N2 P2] := lim2 e 4%:R^-1 e0 q0.
exists (maxn M (maxn N1 N2)); first exact: leq_maxl.
move=> T; rewrite !geq_max => /and3P[_ N1T N2T].
pose bad h := visits (above V1 N1 e) h || visits (above V2 N2 e) h.
have [/existsP[h ok]|/existsPn none] := boolP [exists h : T.-tuple S, ~~ bad h].
  exists h => [|k]; first exact: size_tuple.
  rewrite !geq_max => /and3P[_ N1k N2k]; move: ok; rewrite /bad negb_or => /andP[ok1 ok2]; split.
    by rewrite ltNge; apply: contra ok1 => le; apply: (@visits_drop _ _ k); rewrite /above N1k.
  by rewrite ltNge; apply: contra ok2 => le; apply: (@visits_drop _ _ k); rewrite /above N2k.
have {}none h : size h = T -> bad h by move=> /eqP hT; have := none (Tuple hT); rewrite negbK.
have : expect K T (fun h => -1 * (visits (above V1 N1 e) h)%:R + 1) <= prob K T (visits (above V2 N2 e)).
  apply: expect_le => // h /none; rewrite /bad; case: (visits (above V1 _ _) h) => /= [_|->].
    by rewrite mulr1 addNr ler0n.
  by rewrite mulr0 add0r.
rewrite expect_affine // => /le_trans/(_ (P2 T N2T));
  rewrite mulN1r addrC ler_subl_addr => /le_trans/(_ (ler_add (lexx _) (P1 T N1T))).
have -> : 4%:R^-1 + 4%:R^-1 = 2%:R^-1 :> R by field.
by rewrite leNgt invf_lt1 ?ltr0n // ltr1n.
Qed.

Section Limits.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R).
Hypothesis K_kernel : kernel K.

(* Two limits that are apart. *)
Lemma tends_to_zero_as_apart (V1 V2 : seq S -> R) e : 0 < e -> (forall h, e <= V1 h \/ e <= V2 h) ->
  tends_to_zero_as K V1 -> ~ tends_to_zero_as K V2.
Proof.
move=> e0 far lim1 lim2; have [N _ common] := common_path 0 K_kernel e0 lim1 lim2.
have [h hN near] := common N (leqnn N); have := near 0%N; rewrite drop0 hN => /(_ (leqnn N))[].
by case: (far h) => /le_gtF ->.
Qed.

(* Every path is far from zero again and again. *)
Lemma visits_all (V : seq S -> R) e : 0 < e ->
  (forall N, exists2 T, (N <= T)%N & forall h, size h = T -> visits (above V N e) h) -> ~ tends_to_zero_as K V.
Proof.
move=> e0 far lim; have h0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have [N small] := lim e 2%:R^-1 e0 h0; have [T NT all] := far N.
have : expect K T (fun=> 1) <= prob K T (visits (above V N e)) by apply: expect_le => // h /all ->.
rewrite expect_const // => /le_trans/(_ (small T NT)); apply/negP.
by rewrite -ltNge invf_lt1 ?ltr0n // ltr1n.
Qed.

(* The kernel moves along s_0, s_1, …: history t = s_{t−1}, …, s_0. *)
Variable s : nat -> S.
Fixpoint history t : seq S := if t is t'.+1 then s t' :: history t' else [::].
Definition one_path := forall t, K (history t) (s t) = 1.

Lemma size_history t : size (history t) = t.
Proof. by elim: t => //= t ->. Qed.

Hypothesis along : one_path.

Lemma expect_path T F : expect K T F = F (history T).
Proof.
rewrite /expect -[X in iter _ _ _ X]/(history 0) -{2}[T]addn0; elim: T 0%N => [|T IH] j //.
rewrite iterS /mean (bigD1 (s j)) //= along mul1r big1 => [|s' ne].
  by rewrite addr0 -[s j :: _]/(history j.+1) IH addnS.
have [K0 K1] := K_kernel.
have /psumr_eq0P E : \sum_(s' | s' != s j) K (history j) s' = 0.
  by apply: (addrI 1); rewrite addr0 -[RHS](K1 (history j)) [RHS](bigD1 (s j)) //= along.
by rewrite E // mul0r.
Qed.

Lemma visits_path (A : pred (seq S)) T : visits A (history T) -> exists2 t, (t <= T)%N & A (history t).
Proof.
elim: T => [|T IH] /=; first by rewrite orbF; exists 0%N.
by case/orP=> [AT|/IH [t tT At]]; [exists T.+1 | exists t => //; apply: leqW].
Qed.

Lemma tends_to_zero_along (V : seq S -> R) : (forall h, 0 <= V h) ->
  tends_to (fun t => V (history t)) 0 -> tends_to_zero_as K V.
Proof.
move=> V0 lim eps delta eps0 delta0; have [N small] := lim eps eps0; exists N => T NT.
rewrite /prob expect_path; case: (boolP (visits _ _)) => [/visits_path[t _ /andP[]]|_]; last exact: ltW.
rewrite size_history => Nt.
by have := small t Nt; rewrite subr0 ger0_norm // => /lt_geF ->.
Qed.
End Limits.

Section Sequences.
Variable R : realFieldType.

(* e_{t+1} ≤ (1 − c_t + q_t)e_t + q_t with Σc = ∞ and Σq < ∞ *)
Lemma decay_tends_to (c q e : nat -> R) : (forall t, 0 <= c t <= 1) -> (forall t, 0 <= q t) -> (forall t, 0 <= e t) ->
  (forall t, e t.+1 <= (1 - c t + q t) * e t + q t) -> diverges c -> summable q -> tends_to e 0.
Proof.
move=> c01 q0 e0 step div sum eps eps0; have h2 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
have [N1 sum1] := sum _ h2; pose B := 2%:R * (e N1 + 1).
have B0 : 0 < B by rewrite mulr_gt0 ?ltr0n // ltr_paddl ?ltr01.
pose eta := eps / (4%:R * B); have eta0 : 0 < eta by rewrite divr_gt0 // mulr_gt0 ?ltr0n.
have [N2' sum2'] := sum _ eta0; pose N2 := maxn N1 N2'; have N12 : (N1 <= N2)%N := leq_maxl _ _.
have sum2 T : \sum_(N2 <= t < T) q t <= eta.
  apply: le_trans (sum2' T); have [le|lt] := leqP N2 T; last by rewrite big_geq ?(ltnW lt) // sumr_ge0.
  by rewrite (@big_cat_nat _ _ _ N2 N2') //= ?leq_maxr // ler_addr sumr_ge0.
have [N3 [N23 big3]] := div (4%:R * B / eps) N2; exists N3 => m N3m.
have N2m := leq_trans N23 N3m.
have := @decay _ c q e N1 N2 m (e N1) N12 (fun t _ => c01 t) q0 e0 (fun t _ => step t) (sum1 m) (lexx _) eta m (sum2 m).
rewrite leqnn N2m -/B => /(_ isT); rewrite subr0 ger0_norm //.
have c_ge0 t : 0 <= c t by case/andP: (c01 t).
have {}big3 : 4%:R * B / eps <= \sum_(N2 <= t < m) c t.
  by apply: le_trans big3 _; rewrite (big_cat_nat _ _ _ N23 N3m) /= ler_addl sumr_ge0.
set s := \sum_(_ <= _ < _) _ in big3 *; move=> bound.
have big0 : 0 < 4%:R * B / eps by rewrite divr_gt0 // mulr_gt0 ?ltr0n.
have s0 : 0 < 1 + s by rewrite ltr_paddr ?ltr01 // (le_trans _ big3) // ltW.
rewrite -(ltr_pmul2r s0); apply: le_lt_trans bound _.
have Bs : 4%:R * B <= eps * (1 + s).
  by rewrite [eps * _]mulrC -ler_pdivr_mulr //; apply: le_trans big3 _; rewrite ler_addr ler01.
have Beta : B * eta * 4%:R = eps by rewrite /eta; field; rewrite gt_eqF.
rewrite -(ltr_pmul2l (ltr0Sn R 3)) [4%:R * (B + _)]mulrDr; apply: le_lt_trans (ler_add Bs (lexx _)) _.
rewrite mulrA [4%:R * _]mulrC Beta -subr_gt0 (_ : _ - _ = 2%:R * (eps * (1 + s))); last by ring.
by rewrite !mulr_gt0 ?ltr0n.
Qed.
End Sequences.

Section Behead.
Variables (R : realFieldType) (S : finType) (K : seq S -> S -> R).
Hypothesis K_kernel : kernel K.

(* A function of the past without the present state tends to zero with the function of the past. *)
Lemma tends_to_zero_as_behead (V W : seq S -> R) : (forall s h, W (s :: h) = V h) ->
  tends_to_zero_as K V -> tends_to_zero_as K W.
Proof.
move=> WV lim eps delta eps0 delta0; have [N small] := lim eps delta eps0 delta0; exists N.+1 => -[//|T] NT.
have later s h : visits (above W N.+1 eps) (s :: h) = visits (above V N eps) h.
  elim: h s => [|s' h IH] s; first by rewrite /= /above /= WV !orbF.
  by rewrite -[LHS]/(above W N.+1 eps [:: s, s' & h] || visits (above W N.+1 eps) (s' :: h)) IH /above [size _]/= WV
    ltnS.
rewrite /prob expectS; apply: le_trans (small T NT); apply: expect_le => // h _.
by rewrite /mean; under eq_bigr => s _ do rewrite later; rewrite -mulr_suml (K_kernel.2 h) mul1r.
Qed.
End Behead.
