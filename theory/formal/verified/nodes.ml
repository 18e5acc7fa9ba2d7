(* A part that is not verified: reads certificates about updates at constant steps, finds the nodes that a run meets, hands all to
   the extracted checker, and says in words what the theorems of accepted_updates.v and accepted_means.v say. *)
open Verified
open Reader
open Convergence
open Signs
(* Nodes are numbered as they are met, breadth first, from the states of the class with nothing before; moves in order. *)
let nodes c u found most =
  let ahead = expected_features c.model in
  let follow number (s, past, kept) =
    let next a t =
      let a = nat a and t' = nat t in
      if qnull (chance_of c.model (nat s) a t') then O
      else nat (number (t, past_value c.model u (nat s) a t', memory_value c.model u ahead (nat s) a t' past kept)) in
    { node_state = nat s; node_past = past; node_memory = kept;
      node_next = List.mapi (fun a _ -> List.init c.n (next a)) c.model.transitions } in
  let name (s, ((x, y), z), kept) = String.concat " " (digits_of s :: List.map Squares.printed (x :: y :: z :: kept)) in
  let zeros = List.init (int_of u.kept_size) (fun _ -> zero) in
  Squares.walk c "nodes" name follow (fun s -> s, first_past u, zeros) found most
let all_seen c = if has "seen" c.about || has "coordinates" c.witness then raise (Unread "it is about what the update sees of its parameters")
(* What a statement is about: the update and how many parameters it has, the class, its nodes, its step sizes, its words *)
let opened c upto most =
  let sizes = if upto then "ratios" else "steps" in
  let about = record "about" ("class" :: "update" :: sizes :: if upto then ["upto"] else []) c.about in
  let found, on = Chain.class_of c (about "class") in
  let u, d, steps, at, name = Updates.update c (about "update") in
  let given = vector ("about." ^ sizes) (List.length steps) (about sizes) in
  if at <> Null && (ignore (vector "about.update.at" (List.length steps) at); upto || at <> about sizes) then
    refuse "about.update.at: it is about other step sizes";
  let starts, ns = nodes c u found most in
  let words = "under " ^ name ^ " with " ^ (if upto then "every step up to " ^ brief (words (about "upto")) ^ " times " else "the steps ")
    ^ String.concat ", " (List.map2 (fun x json -> x ^ " = " ^ brief (words json)) steps (list "" (about sizes)))
    ^ ", on " ^ Chain.recurrent c found in
  u, d, on, starts, ns, given, List.length found, words, fun () -> rational "about.upto" (about "upto")
let update_mean_square_bounded c =
  all_seen c;
  let upto = has "upto" c.about in
  let _, most, many, one = Squares.forms c upto (fun _ -> []) in
  let u, d, on, starts, ns, given, _, words, last = opened c upto most in
  Squares.fall words (if upto then check_update_bounded_upto c.model u on starts ns given (last ()) (one d) (many d)
    else check_update_bounded c.model u on starts ns given (many d))
let update_mean_square_unbounded c =
  all_seen c;
  let upto = has "upto" c.about in
  let get, most, many, one = Squares.forms c upto Squares.vectors in
  let u, d, on, starts, ns, given, first, words, last = opened c upto most in
  Squares.grow "node" get d (List.length ns) first words upto
    (fun x -> check_update_unbounded_upto c.model u on starts ns given (last ()) (one d) (many d) x)
    (fun h x -> check_update_unbounded c.model u on starts ns given (many d) h x)
(* The rows, a block for each node, where they are unit vectors, and the form *)
let means c more =
  all_seen c;
  if not (has "rows" c.witness) then raise (Unread "it is about the list of means by node");
  let get = record "witness" (["lyapunov"; "nodes"; "columns"; "rows"] @ more) c.witness in
  let count = index "witness.nodes" 1_000_001 (get "nodes") in
  let u, d, on, starts, ns, given, first, words, _ = opened c false count in
  let columns = states "witness.columns" (count * d) (get "columns") in
  let r = List.length columns in
  let rows = matrix "witness.rows" r (count * d) (get "rows") in
  List.iteri (fun i row -> List.iteri (fun j k ->
    if not (qequal (List.nth row k) (if i = j then one else zero)) then refuse "witness.rows: they are not the unit vectors in witness.columns") columns) rows;
  let x = matrix "witness.lyapunov" r r (get "lyapunov") and r' = nat r in
  if not (equal r' r' x (transpose r' r' x)) then refuse "witness.lyapunov: the matrix is not symmetric";
  let block h = List.map (List.filteri (fun j _ -> j / d = h)) rows in
  let factor key = factor_in ("witness." ^ key) r (get key) in
  u, d, on, starts, ns, given, first, words, get, r, List.init count block, List.map (fun k -> nat (k / d), nat (k mod d)) columns, x, factor
let update_mean_bounded c =
  let u, _, on, starts, ns, given, _, words, _, r, rows, columns, x, factor = means c ["factor_lyapunov"; "factor_decrease"] in
  proved (check_update_mean_bounded c.model u on starts ns given (nat r) rows columns x (factor "factor_lyapunov") (factor "factor_decrease"));
  "the mean of differences goes to zero " ^ words
let update_mean_unbounded c =
  let u, d, on, starts, ns, given, first, words, get, r, rows, columns, x, factor =
    means c ["factor_growth"; "vector"; "entries"; "window"; "after"] in
  let pair json = match items "witness.entries" 2 json with
    | [i; k] -> nat (index "witness.entries" d i), nat (index "witness.entries" r k) | _ -> refuse "witness.entries" in
  let entries = List.map pair (items "witness.entries" r (get "entries")) in
  let h = index "witness.window" (List.length ns) (get "window") and after = index "witness.after" 1000 (get "after") in
  let p = Z.sub_big_int (Z.power_int_positive_int 2 521) Z.unit_big_int in
  let find rows = match Hints.inverse rows p with
    | Some found -> found | None -> refuse "witness.entries: these means do not show what witness.rows do" in
  proved (check_update_mean_unbounded c.model u on starts ns given (nat r) rows columns x (factor "factor_growth") (nat h) (nat after)
    (vector "witness.vector" d (get "vector")) entries p find);
  "the mean of differences grows without bound from some difference in node " ^ digits_of h ^ Squares.under_way first h ^ ", " ^ words
