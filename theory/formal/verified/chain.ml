(* A part that is not verified: reads what a certificate about the chain or the features is about and its witness, hands them
   to the extracted checker, and says in words what the theorems of accepted.v say. *)
open Verified
open Reader
open Convergence
let marks n found = List.init n (fun s -> List.mem s found)
let edges order = List.map (fun (a, b) -> nat a, nat b) order
let component c found =
  let next = Hints.successors c.model c.n and first = List.hd found in
  { members = marks c.n found; root = nat first; from_root = edges (Hints.order next first);
    to_root = edges (Hints.order (Hints.reversed next) first) }
let class_of c json =
  let found = states "about.class" c.n json in
  let rec increasing = function s :: (t :: _ as l) -> s < t && increasing l | _ -> true in
  if not (increasing found) then refuse "about.class: the states are not in increasing order";
  found, component c found
let recurrent c found =
  let some = List.filteri (fun i _ -> i < 6) found in
  "the recurrent class " ^ (if List.length found = c.n then "of all " ^ digits_of c.n ^ " states" else
    "{" ^ String.concat ", " (List.map digits_of some) ^ (if List.length found > 6 then ", ..." else "") ^ "}")
(* The class that a statement may be about, and its words *)
let perhaps c =
  let given = record ~allowed:["class"] "about" [] c.about in
  match c.about with
  | Object [] -> None, "all states"
  | _ -> let found, one = class_of c (given "class") in Some one, recurrent c found
let irreducible c =
  ignore (record "about" [] c.about);
  let get = record "witness" ["root"; "from_root"; "to_root"] c.witness in
  let root = index "witness.root" c.n (get "root") in
  let tree key =  (* the edges that the tree of predecessors, or of successors, names *)
    let next = Array.make c.n [] in
    let where = "witness." ^ key in
    List.iteri (fun s json ->
      if s <> root then (let t = index where c.n json in next.(t) <- s :: next.(t))
      else if json <> Null then refuse (where ^ ": null is needed at the root")) (items where c.n (get key));
    edges (Hints.order next root) in
  proved (check_irreducible c.model { members = List.init c.n (fun _ -> true); root = nat root;
    from_root = tree "from_root"; to_root = tree "to_root" });
  "the behaviour chain on " ^ digits_of c.n ^ " states is irreducible"
let reducible c =
  ignore (record "about" [] c.about);
  let closed = states "witness.closed_set" c.n (record "witness" ["closed_set"] c.witness "closed_set") in
  proved (check_reducible c.model (marks c.n closed));
  "the behaviour chain on " ^ digits_of c.n ^ " states is reducible: it never leaves a set of " ^ digits_of (List.length closed)
let stationary_law c =
  let about = record ~allowed:["unique"] "about" ["class"] c.about in
  let unique = match c.about with
    | Object l when List.mem_assoc "unique" l ->
        (match about "unique" with Bool b -> b | _ -> refuse "about.unique: true or false is needed")
    | _ -> false in
  let found, one = class_of c (about "class") in
  proved (check_stationary c.model unique one (vector "witness.stationary" c.n (record "witness" ["stationary"] c.witness "stationary")));
  "the stationary law of the behaviour chain on " ^ recurrent c found ^ (if unique then ", the only one" else "")
let period c =
  let found, one = class_of c (record "about" ["class"] c.about "class") in
  let get = record "witness" ["period"; "phase"; "closed_walks"] c.witness in
  let length = index "witness.period" (c.n + 1) (get "period") in
  let phases = Array.make c.n O in
  List.iter2 (fun s json -> phases.(s) <- nat (index "witness.phase" length json)) found
    (items "witness.phase" (List.length found) (get "phase"));
  let walk json = List.map (fun s -> nat (index "witness.closed_walks" c.n s)) (list "witness.closed_walks" json) in
  let walks = List.map walk (list "witness.closed_walks" (get "closed_walks")) in
  proved (check_period c.model one (nat length) (Array.to_list phases) walks);
  recurrent c found ^ " of the behaviour chain has period exactly " ^ digits_of length
let missing_coverage c =
  let one, place = perhaps c and get = record "witness" ["state"; "action"] c.witness in
  let s = index "witness.state" c.n (get "state") in
  let a = index "witness.action" (List.length c.model.transitions) (get "action") in
  proved (check_missing_coverage c.model one (nat s) (nat a));
  "coverage fails: in state " ^ digits_of s ^ (if one = None then "" else " of " ^ place)
  ^ " the target takes action number " ^ digits_of a ^ ", the behaviour never does"
let rank_deficient c =
  let one, place = perhaps c in
  proved (check_rank_deficient c.model one (vector "witness.vector" c.d (record "witness" ["vector"] c.witness "vector")));
  "Phi does not have full column rank " ^ digits_of c.d ^ " on " ^ place
let full_column_rank c =
  let one, place = perhaps c in
  let rows, p, inverse = rank c (record "witness" ["rank"] c.witness "rank") in
  proved (check_full_rank c.model one rows p inverse);
  "Phi has full column rank " ^ digits_of c.d ^ " on " ^ place
