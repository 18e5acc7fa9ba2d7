(* Kinds: relation
   Place: docs/certificates.md, the kind relation.
   Statement: let M be the model of one certificate, b the kernel and schedule that it is about with the class and the law that
   it gives, if any, and l its relations. If the checker (verified/Relations.v) accepts them, then over every ordered field
       relation_accepted           the class, if one is named, is recurrent; d, if it is given, is its law; and each relation
                                   is true: both sides are defined ([defined]: shapes fit, what is inverted is invertible, the discount
                                   that is named is the same at all transitions, a path has the steps that are named), have
                                   one shape, and their values ([meaning]) are alike, or unlike, or below or at most one
                                   another entry by entry.
   Expressions speak of the model by names ([name_meaning]): P_mu, P_pi, N, r, q, Φ, d, D, A, b, C, S, M, θ, the discount, κ,
   λ_k, c_k, w_k, Λ, the length of the schedule; of blocks, determinants and the second additive compound ([pair_of]); of a path at a step ([step_meaning], [return_at]): R, Γ, ρ, δ, v, φ, the state, the trace, the return;
   and of means over all paths of so many steps ([mean_of]). *)
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Forms Chain Policies Rationals Matrices Checker Kinds Means Relations accepted accepted_signs.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Theorem relation_accepted (R : realFieldType) (M : model) (b : basis) given star about l :
  check_relation M b given star about l ->
  [/\ recurrent_place R M about, given -> lawful R M b & forall r, List.In r l -> relation_true R M b star r].
Proof.
case/and4P=> ok cls law all_hold.
have law_ok : given -> check_stationary M false (about_class b) (law_given b) /\ lawful R M b.
  by move=> g; rewrite g in law; split=> //; have [cls' law_d support _ _] := stationary_law_accepted R law.
split; [exact: amongP cls | by move/law_ok=> [] | move=> r].
have based_ok := @basedP R M b.
elim: l all_hold => [|r' l IH] // /andP[here rest] [<-|]; [exact: relationE law_ok based_ok _ here | exact: IH].
Qed.
