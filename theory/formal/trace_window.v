(* trace_window — §2, equation (trace_eq); §4, the stationary trace.

   Corrected (as §2 prints it): z_t = Σ_{k ≤ t} (Π_{j=1}^{t-k} γλ_j) φ(s_k) = Σ_{k=t-L}^t (Π_{j=1}^{t-k} γλ_j) φ(s_k).
   Stated (§4): φ(s_τ) inside the product over j. Refuted: a scalar feature is then raised to the power t − τ; φ = 2,
   γ = ½, λ = (1, 1) gives 7/2 for the trace and 3 for the printed sum (4 if the empty product were φ).
   Reading: near the start the window is shorter; of the two-sided past of §4 any number of states beyond L + 1 add
   nothing. Hypothesis: λ_j = 0 for j > L. The discount may depend on the transition. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Traces.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Window.
Variables (R : comRingType) (V : lmodType R).
Implicit Types (lam g : nat -> R).

Theorem trace_window_corrected L lam g (phi : nat -> V) t : finite_schedule L lam ->
  trace lam g phi t = window L lam g phi t.
Proof.
move=> finL; rewrite /trace (@big_cat_nat _ _ _ (t - L)) //=; last by rewrite leqW ?leq_subr.
rewrite big_nat_cond big1 ?add0r // => k /andP[/andP[_ kt] _].
by rewrite (c_out finL) ?mul0r ?scale0r // ltn_subRL addnC -ltn_subRL.
Qed.

(* As printed in §2. *)
Corollary trace_window_printed L lam (gamma : R) (phi : nat -> V) t : finite_schedule L lam ->
  \sum_(0 <= k < t.+1) (\prod_(1 <= j < (t - k).+1) (gamma * lam j)) *: phi k
    = \sum_(t - L <= k < t.+1) (\prod_(1 <= j < (t - k).+1) (gamma * lam j)) *: phi k.
Proof.
move=> finL; rewrite -trace_printed (trace_window_corrected _ _ _ finL).
by apply: eq_bigr => k _; rewrite prod_gamma_lambda span_const mulrC.
Qed.

(* §4: time runs over all integers; K states of the past, however many, count as L + 1. *)
Theorem trace_window_two_sided L lam (gamma : R) (phi : int -> V) (t : int) K : finite_schedule L lam -> (L < K)%N ->
  \sum_(0 <= k < K) (\prod_(1 <= j < k.+1) (gamma * lam j)) *: phi (t - k%:Z)
    = \sum_(0 <= k < L.+1) (\prod_(1 <= j < k.+1) (gamma * lam j)) *: phi (t - k%:Z).
Proof.
move=> finL LK; rewrite (@big_cat_nat _ _ _ L.+1) //= [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 // => k.
by case/andP=> /andP[Lk _] _; rewrite prod_gamma_lambda (c_out finL) // mulr0 scale0r.
Qed.
End Window.

(* §4's display for one scalar feature: φ(s_τ) under the product. *)
Definition printed_trace (R : comRingType) (lam : nat -> R) (gamma : R) (phi : nat -> R) t : R :=
  \sum_(0 <= k < t.+1) \prod_(1 <= j < (t - k).+1) (gamma * lam j * phi k).

Theorem trace_window_stated_refuted (R : numFieldType) :
  ~ forall (lam : nat -> R) gamma (phi : nat -> R^o) t,
      finite_schedule 2 lam -> trace lam (fun=> gamma) phi t = printed_trace lam gamma phi t.
Proof.
move/(_ (schedule [:: 1; 1]) (1 / 2) (fun=> 2) 2%N (@schedule_finite _ [:: 1; 1])).
rewrite trace_printed /printed_trace /index_iota /= !(big_cons, big_nil).
rewrite /GRing.scale /= => /eqP; rewrite -subr_eq0 (_ : _ - _ = 1 / 2); last by field.
by rewrite mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
Qed.

(* Two features, λ = (½), γ = ½: from the third state on, z_t = φ(s_t) + ¼φ(s_{t-1}). *)
Theorem trace_window_instance (R : numFieldType) (phi : nat -> 'rV[R]_2) t :
  trace (schedule [:: 1 / 2]) (fun=> 1 / 2) phi t.+2 = phi t.+2 + (1 / 4) *: phi t.+1.
Proof.
rewrite (@trace_window_corrected _ _ 1) /window; last exact: (@schedule_finite _ [:: 1 / 2]).
rewrite subn1 /= big_nat_recr //= big_nat1 subnn span_same !(cS, c0) mulr1 scale1r addrC subSnn.
by rewrite span_const subSnn !(cS, c0) /=; congr (_ + _ *: _); field.
Qed.

(* Without an end of the schedule the past never stops to count: λ_j = 1, γ = ½, window of two states. *)
Theorem trace_window_ablation_finite (R : numFieldType) :
  exists phi : nat -> R^o, trace (fun=> 1) (fun=> 1 / 2) phi 2 <> window 1 (fun=> 1) (fun=> 1 / 2) phi 2.
Proof.
exists (fun=> 1); rewrite /window /trace subSS subn0 /index_iota /= !(big_cons, big_nil) !span_const /= !(cS, c0).
rewrite /GRing.scale /= => /eqP; rewrite -subr_eq0 (_ : _ - _ = 1 / 4); last by field.
by rewrite mulf_eq0 oner_eq0 invr_eq0 pnatr_eq0.
Qed.
