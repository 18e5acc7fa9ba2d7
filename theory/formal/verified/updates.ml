(* A part that is not verified: reads an update by its terms (docs/certificates.md) and tells it in words. *)
open Verified
open Reader
open Convergence
open Signs
let where = "about.update"
let known = ["t.phi", Phi_here; "t.phi_next", Phi_next; "t.expected_phi_next", Phi_expected]
let before = ["t.discount_before", T_discount_before; "t.rho_before", T_rho_before; "t.first", T_first]
let here = ["t.reward", T_reward; "t.discount", T_discount; "t.rho", T_rho; "t.pi", T_pi; "t.mu", T_mu; "t.interest", T_interest;
  "t.state", T_state; "t.action", T_action; "t.next_state", T_next_state]
let rec split at s =
  let k = String.length at and n = String.length s in
  let rec from i = if i + k > n then [s]
    else if String.sub s i k = at then String.sub s 0 i :: split at (String.sub s (i + k) (n - i - k)) else from (i + 1) in
  from 0
let letter c = c = '_' || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z')
let digit c = '0' <= c && c <= '9'
let name_of dots s =  (* letters, digits and _ (and dots), and perhaps places in brackets, behind dots alone *)
  let word, places = match String.index_opt s '[' with
    | Some i when dots -> String.sub s 0 i, Some (String.sub s i (String.length s - i)) | _ -> s, None in
  word <> "" && String.length s <= 60 && letter word.[0] && String.for_all (fun c -> letter c || digit c || (dots && c = '.')) word
  && match places with
    | Some p -> p.[String.length p - 1] = ']' && List.for_all (fun l -> l <> "" && String.for_all digit l)
        (split ", " (String.sub p 1 (String.length p - 2)))
    | None -> true
let rec position i x = function [] -> None | y :: l -> if x = y then Some i else position (i + 1) x l
let quoted s =
  let long = String.length s > 60 in
  let shown = if long then String.sub s 0 40 else s in
  let q = if String.contains shown '\'' then "\"" else "'" in
  q ^ shown ^ q ^ if long then "... (" ^ digits_of (String.length s) ^ " characters)" else ""
let text json = match json with Text s -> s | _ -> refuse (where ^ ": a text is needed")
let without k s = String.sub s k (String.length s - k)
(* a factor: a name, or the dot product of two; and its power *)
let parts s =
  let n = String.length s in
  let s, power = if n > 2 && s.[n - 2] = '^' && '1' <= s.[n - 1] && s.[n - 1] <= '9' then String.sub s 0 (n - 2), Char.code s.[n - 1] - 48 else s, 1 in
  let n = String.length s in
  match if n > 2 && s.[0] = '(' && s.[n - 1] = ')' then split " @ " (String.sub s 1 (n - 2)) else [] with
  | [left; name] -> Some left, name, power | _ -> None, s, power
let number numbers left name = match left with
  | Some l -> if List.mem_assoc l known && List.mem_assoc name known then Some (T_dot (List.assoc l known, List.assoc name known)) else None
  | None -> List.assoc_opt name numbers
(* [parameters], [memory]: by name, whether it is a vector, and where it begins *)
let term steps numbers parameters memory learnt is_vector json =
  let s = text json in
  if String.length s > 1000 then refuse (where ^ ": a term is too long");
  let pieces = split " * " s in
  let first = List.hd pieces in
  let minus = first <> "" && first.[0] = '-' in
  let bare = if minus then without 1 first else first in
  let coefficient, factors = if bare <> "" && digit bare.[0] then rational where (Text first), List.tl pieces
    else (if minus then qopp one else one), bare :: List.tl pieces in
  let powers = Array.make (List.length steps) 0 and held = ref [] and found = ref [] in
  let vectors = ref [] and columns = ref [] and weights = ref [] in
  let whole name = match List.assoc_opt name known with
    | Some k -> Some (Known_vector k)
    | None -> (match List.assoc_opt name memory with Some (true, at) -> held := () :: !held; Some (Kept_vector (nat at)) | _ -> None) in
  List.iter (fun factor ->
    let left, name, power = parts factor in
    let none () = refuse (where ^ ": " ^ factor ^ " is not a factor here") in
    match left, position 0 name steps, number numbers left name with
    | None, Some i, _ -> powers.(i) <- powers.(i) + power
    | _, _, Some x -> for _ = 1 to power do found := x :: !found done
    | _ ->
      if power > 1 then none ();
      match left, List.assoc_opt name parameters, List.assoc_opt name memory with
      | Some l, Some (true, at), _ -> (match whole l with Some v -> columns := Read_dot (v, nat at) :: !columns | None -> none ())
      | None, Some (false, at), _ -> columns := Read_entry (nat at) :: !columns
      | None, Some (true, at), _ -> vectors := None :: !vectors; columns := Read_whole (nat at) :: !columns
      | Some l, _, Some (true, at) when List.mem_assoc l known -> weights := By_dot (List.assoc l known, nat at) :: !weights
      | None, _, Some (false, at) -> weights := By_entry (nat at) :: !weights
      | None, _, _ -> (match whole name with Some v -> vectors := Some v :: !vectors | None -> none ())
      | _ -> none ()) factors;
  let at_most_one = function [] -> None | [x] -> Some x | _ -> refuse (where ^ ": at most one factor of parameters and of memory each") in
  if List.length !vectors <> (if is_vector then 1 else 0) then refuse (where ^ ": the row takes one vector, or no vector alone");
  if List.length !weights + List.length !held > 1 then ignore (at_most_one [(); ()]);
  let learnt_from = at_most_one !columns in
  if not learnt && (learnt_from <> None || Array.exists (fun k -> k > 0) powers) then
    refuse (where ^ ": the memory would depend on parameters or on step sizes");
  { exponents = List.map nat (Array.to_list powers); learnt_from; product_of = { coefficient; factors = !found;
    weigh = (match at_most_one !weights with Some w -> w | None -> Unweighted);
    along = (match !vectors with [v] -> v | _ -> None) } }
(* The update, its step sizes, and its words *)
let update c json =
  (match json with Object _ when not (has "terms" json) -> raise (Unread "the update is given by tables") | _ -> ());
  let get = record where ["name"; "parameters"; "memory"; "steps"; "at"; "reads"; "terms"] json in
  let steps = List.map text (list where (get "steps")) and reads = List.map text (list where (get "reads")) in
  if List.length steps > 100 then refuse (where ^ ".steps: there are more than 100");
  if steps = [] || not (List.for_all (name_of false) steps) then refuse (where ^ ".steps: distinct words are needed");
  if not (List.for_all (fun x -> List.mem_assoc x before) reads) || repeats reads then refuse (where ^ ".reads: distinct names are needed");
  let places key =
    let at = ref 0 in
    let found = List.map (fun one -> match one with
      | List [Text name; width] when name_of true name && not (String.length name > 1 && String.sub name 0 2 = "t.") ->
        let is_vector = width = Text "d" in
        if not is_vector && width <> Number "1" then refuse (where ^ ": 'd' or 1 is needed");
        let from = !at in at := from + (if is_vector then c.d else 1); name, (is_vector, from)
      | _ -> refuse (where ^ ": this is not a name of its own")) (list where (get key)) in
    if !at > 1999 then refuse (where ^ "." ^ key ^ ": there are more than 1999 numbers");
    found, !at in
  let parameters, size = places "parameters" and memory, kept = places "memory" in
  let rows = List.map fst parameters @ List.map fst memory in
  if parameters = [] || repeats (rows @ steps) then refuse (where ^ ": there are no parameters, or two parts have one name");
  let numbers = here @ List.filter (fun (x, _) -> List.mem x reads) before in
  let told = ref [] in
  let case json =
    let part = record (where ^ ".terms") ("when" :: rows) json in
    let asked = match part "when" with
      | Object l -> List.map (fun (key, x) -> let left, name, _ = parts key in
          match number numbers left name with
          | Some y when not (String.contains key '^') -> y, rational where x
          | _ -> refuse (where ^ ".when: this is not a number of the transition")) l
      | _ -> refuse (where ^ ".when: an object is needed") in
    let row learnt (name, (is_vector, from)) =
      let l = list where (part name) in
      told := (name ^ (if learnt then " += " else " = ") ^ if l = [] then "0" else String.concat " + " (List.map text l)) :: !told;
      { row_from = nat from; row_of_vector = is_vector }, List.map (term steps numbers parameters memory learnt is_vector) l in
    let learns = List.map (row true) parameters in
    { asked; learns; keeps = List.map (fun (r, l) -> r, List.map (fun x -> x.product_of) l) (List.map (row false) memory) } in
  let cases = List.map case (list where (get "terms")) in
  let said = String.concat " - " (split " + -" (String.concat "; " (List.rev !told))) in
  let said = if String.length said <= 240 && List.length cases = 1 then said else digits_of (List.length !told) ^ " sums of terms" in
  let reading x = List.mem x reads in
  { learnt_size = nat size; kept_size = nat kept; cases;
    reads = (reading "t.discount_before", reading "t.rho_before"), reading "t.first" },
  size, steps, get "at", "the update in this file's terms (" ^ said ^ "; the file's name for it: " ^ quoted (text (get "name")) ^ ")"
