(* A part that is not verified: the kinds of certificates that pages read, too, and the answer to one. *)
open Reader
open Convergence
let known = ref ["convergence", convergence; "irreducible", Chain.irreducible; "reducible", Chain.reducible;
  "stationary_law", Chain.stationary_law; "period", Chain.period; "missing_coverage", Chain.missing_coverage;
  "rank_deficient", Chain.rank_deficient; "full_column_rank", Chain.full_column_rank; "nonsingular", Signs.nonsingular;
  "singular", Signs.singular; "fixed_point", Signs.fixed_point; "definite", Signs.definite; "not_definite", Signs.not_definite;
  "gradient_stable", Signs.gradient_stable; "hurwitz", Signs.hurwitz; "unstable", Signs.unstable; "contraction", Signs.contraction;
  "not_contraction", Signs.not_contraction; "relation", Relations.relation;
  "mean_square_bounded", Squares.mean_square_bounded; "mean_square_unbounded", Squares.mean_square_unbounded]
let check json =
  let get = record "the file" ["format"; "kind"; "claim"; "model"; "digest"; "about"; "witness"] json in
  exactly "format" "tdcert-certificate/1" (get "format");
  let kind = match get "kind" with
    | Text kind when List.mem_assoc kind !known -> List.assoc kind !known | _ -> refuse "kind: it is none that is known here" in
  (match get "claim" with Null | Text _ -> () | _ -> refuse "claim: a name or null is needed");
  let n, d, on_policy, endless, model = read_model (get "model") in
  exactly "digest" (Sha256.of_string (canonical (get "model"))) (get "digest");
  let one_discount = match get "model" with Object l -> (match List.assoc "discount" l with Text _ -> true | _ -> false) | _ -> false in
  kind { n; d; on_policy; endless; one_discount; model; about = get "about"; witness = get "witness" }
let answer text = match check (parse text) with
  | said -> "accepted: " ^ said
  | exception Refused why -> "refused: no conclusion; " ^ why
  | exception Unread why -> "not read: " ^ why
