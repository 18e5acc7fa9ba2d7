(* What the extracted checker and its reader use of Zarith, on JavaScript's BigInt (bigint.js). *)
type big_int
external big_int_of_int : int -> big_int = "bigint_of_int"
external int_of_big_int : big_int -> int = "bigint_to_int"
external big_int_of_string : string -> big_int = "bigint_of_string"
external string_of_big_int : big_int -> string = "bigint_to_string"
external add_big_int : big_int -> big_int -> big_int = "bigint_add"
external sub_big_int : big_int -> big_int -> big_int = "bigint_sub"
external mult_big_int : big_int -> big_int -> big_int = "bigint_mult"
external minus_big_int : big_int -> big_int = "bigint_minus"
external div_big_int : big_int -> big_int -> big_int = "bigint_div"
external mod_big_int : big_int -> big_int -> big_int = "bigint_mod"
external gcd_big_int : big_int -> big_int -> big_int = "bigint_gcd"
external compare_big_int : big_int -> big_int -> int = "bigint_compare"
external power_int_positive_int : int -> int -> big_int = "bigint_power"
let zero_big_int = big_int_of_int 0
let unit_big_int = big_int_of_int 1
let eq_big_int a b = compare_big_int a b = 0
let le_big_int a b = compare_big_int a b <= 0
let sign_big_int a = compare_big_int a zero_big_int
let abs_big_int a = if sign_big_int a < 0 then minus_big_int a else a
let max_big_int a b = if le_big_int a b then b else a
let succ_big_int a = add_big_int a unit_big_int
let pred_big_int a = sub_big_int a unit_big_int
let mult_int_big_int k a = mult_big_int (big_int_of_int k) a
let add_int_big_int k a = add_big_int (big_int_of_int k) a
let quomod_big_int a b = (div_big_int a b, mod_big_int a b)
