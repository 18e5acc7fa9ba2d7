(* A checker of convergence certificates of predictions, where features may be dependent: on all states Φ is some of its
   columns times T, and the certificate of convergence is one of the model with these columns alone.

     spans M columns T           Φ = Φ_B T, Φ_B the chosen columns, and T is the identity on them
     check_td_columns, check_td_by_rank_columns, check_gradient_columns
                                 that, and the checks of Checker.v and ByRank.v on the model with Φ_B; for TD by a Lyapunov
                                 matrix, this is the identity *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Rationals Matrices Checker ByRank.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Compute.
Variables (M : model) (chosen : seq nat).
Let n := (last_state M).+1.
Let m := columns M.
Let k := size chosen.

Definition with_columns : model := Model (last_state M) (actions M) k (transitions M) (rewards M) (discounts M)
  (behaviour M) (target M) (table n k (fun i j => entry (features M) i (nth 0%N chosen j))) (lambdas M).
Definition spans (T : mat) : bool :=
  [&& all (fun c => c < m)%N chosen,
      each2 k k (fun i j => qequal (entry T i (nth 0%N chosen j)) (if eqn i j then qone else qzero)) &
      equal n m (times n k m (features with_columns) T) (features M)].
Definition check_td_columns (T : mat) (w : witness) (y : lyapunov) : bool :=
  [&& spans T, equal k k (weight y) (identity k) & check_td with_columns w y].
Definition check_td_by_rank_columns (T : mat) (w : witness) (s : ending) (rows : seq nat) (q : Z) (inverse : seq (seq Z)) :
  bool := spans T && check_td_by_rank with_columns w s rows q inverse.
Definition check_gradient_columns (T : mat) (w : witness) (y : regular) : bool :=
  spans T && check_gradient with_columns w y.
End Compute.

Section Meaning.
Variables (R : realFieldType) (M : model) (chosen : seq nat) (T : mat).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation k := (size chosen).
Local Notation val := (@qval R).
Hypothesis spanned : spans M chosen T.

Lemma spansP : Phi R M = Phi R (with_columns M chosen) *m mx R k m T /\ exists E : 'M[R]_(m, k), mx R k m T *m E = 1%:M.
Proof.
case/and3P: spanned => /(all_nthP 0%N) below /each2P unit /(equalP R) PhiE; split; first by rewrite /Phi -PhiE mx_times.
exists (\matrix_(l, j) (nat_of_ord l == nth 0%N chosen j)%:R); apply/matrixP => i j; rewrite mxE.
have cm := below j (ltn_ord j); rewrite (bigD1 (Ordinal cm)) //= !mxE eqxx mulr1 big1 ?addr0 => [|l /negbTE lc].
  rewrite (qequalP R (unit i j)) eqnE -val_eqE; case: eqP => _; [exact: qval1 | exact: qval0].
by rewrite !mxE -[nth _ _ _]/(nat_of_ord (Ordinal cm)) val_eqE lc mulr0.
Qed.
End Meaning.
