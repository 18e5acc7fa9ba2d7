(* Writes the checker as an OCaml program, verified.ml and verified.mli, where it is compiled; proves nothing. Integers become
   those of Zarith, and Coq's greatest common divisor, which is slow, becomes Zarith's: ggcd a b = (g, (a/g, b/g)). These two
   replacements, extraction and OCaml are trusted. *)
From Coq Require Import ZArith QArith Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
From TD Require Import Rationals Matrices Checker ByRank Columns Kinds Means Signs Contractions Relations Squares Terms Updates UpdateMeans.
Extract Constant Z.ggcd => "(fun a b -> let g = Big_int_Z.gcd_big_int a b in
  if Big_int_Z.sign_big_int g = 0 then (g, (a, b)) else (g, (Big_int_Z.div_big_int a g, Big_int_Z.div_big_int b g)))".
Extraction "verified.ml" check_td check_td_by_rank check_gradient check_td_columns check_td_by_rank_columns check_gradient_columns matrix_A vector_b check_irreducible check_reducible check_stationary check_period
  check_missing_coverage check_rank_deficient check_full_rank
  check_nonsingular check_singular check_fixed_point check_definite check_not_definite check_GTD_not_definite check_C_by_rank check_A_by_rank check_gradient_stable check_hurwitz check_unstable
  check_contraction check_not_contraction check_relation
  check_square_bounded check_square_bounded_upto check_square_unbounded check_square_unbounded_upto
  check_update_bounded check_update_bounded_upto check_update_unbounded check_update_unbounded_upto check_update_mean_bounded check_update_mean_unbounded.
