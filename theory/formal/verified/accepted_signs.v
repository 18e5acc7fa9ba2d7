(* Kinds: nonsingular, singular, fixed_point
   Place: docs/certificates.md, the kinds about A, C and b.
   Statement: let M be the model of one certificate, b the class, kernel and schedule that it is about with the law that it
   gives, and the rest what it holds. If the checker (verified/Means.v, verified/Signs.v) accepts them, the sentence that the program prints is
   true of the matrices A, C and b of this model (A_of, C_of and b_of of verified/Means.v), over every ordered field. In all of
   them the class is a recurrent class of the behaviour chain and d its law ([well_based]).
       nonsingular_accepted        A is nonsingular
       singular_accepted           Ax = 0 for some x ≠ 0
       fixed_point_accepted        Aθ + b = 0 for this θ, and for no other *)
From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring.
From mathcomp Require Import ssrZ zify.
From TD Require Import Schedule Forms Chain KeyMatrices Policies Rationals Matrices Checker Kinds Means Signs accepted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Accepted.
Variables (R : realFieldType) (M : model) (b : basis).
Local Notation n := (last_state M).
Local Notation m := (columns M).
Local Notation A := (A_of R M b).
Local Notation C := (C_of R M b).

Lemma basedP : based M b -> well_based R M b.
Proof.
case/andP=> stationary sum; have [cls law_d support _ _] := stationary_law_accepted R stationary.
split=> //; case E: (powers b) => [|l T W] //.
have := sum; rewrite /summable_powers E => /and3P[/eachP inside /eachP closed _].
split; last by have [] := mulmx1_unit (resolved_unit R E sum).
  by apply/subsetP => i; rewrite !inE; have /implyP := inside i.
move=> i j; rewrite !inE => iT Nij; have := closed i; rewrite iT => /eachP/(_ j).
by rewrite (qnullP R); have /matrixP/(_ i j) := N_ofE R M b; rewrite mxE => ->; rewrite (negbTE Nij).
Qed.

Theorem nonsingular_accepted q find : check_nonsingular M b q find -> well_based R M b /\ A \in unitmx.
Proof.
case/andP=> ok /andP[/Z.ltb_lt q1 inv]; split; first exact: basedP.
by rewrite -A_ofE //; apply: unit_modulo q1 inv.
Qed.

Theorem singular_accepted x (v := colv R m x) : check_singular M b x -> [/\ well_based R M b, v != 0 & A *m v = 0].
Proof.
case/and3P=> ok some /eachP zero; split; first exact: basedP.
  apply: contra some => /eqP v0; apply/eachP => j; rewrite (qnullP R).
  by have /matrixP/(_ j 0) := v0; rewrite !mxE => ->.
apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE; have := zero i; rewrite (qnullP R) total_map => /eqP E.
rewrite -[RHS]E -A_ofE // mxE; apply: eq_bigr => k _; by rewrite !mxE qvalM.
Qed.

Theorem fixed_point_accepted q find theta (star := point R M theta) : check_fixed_point M b q find theta ->
  [/\ well_based R M b, A \in unitmx, A *m star + b_of R M b = 0 & forall t, A *m t + b_of R M b = 0 -> t = star].
Proof.
case/and3P=> ok inv rest; have [well uA] : well_based R M b /\ A \in unitmx.
  by apply: (@nonsingular_accepted q find); rewrite /check_nonsingular ok.
have E : A *m star + b_of R M b = 0.
  apply/matrixP => i j; rewrite (ord1 j) [RHS]mxE; have /eachP/(_ i) := rest.
  rewrite (qnullP R) qvalD total_map => /eqP zero; rewrite -[RHS]zero -A_ofE // -b_ofE // [LHS]mxE [X in X + _]mxE.
  rewrite [X in _ + X]mxE; congr (_ + _); apply: eq_bigr => k _; by rewrite !mxE qvalM.
split=> // t; rewrite -E => /addIr At; by rewrite -[t](mulKmx uA) At mulKmx.
Qed.
End Accepted.
