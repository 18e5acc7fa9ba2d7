(* A part that is not verified: reads the relations of a certificate, finds the inverses that they ask for, hands all to the
   extracted checker, and says in words what the theorem of accepted_relations.v says. *)
open Verified
open Reader
open Convergence
open Signs
let names = ["I", TheIdentity; "P_mu", TheChain; "P_pi", TheTarget; "N", TheKernel; "r", TheReward; "q", TheShare; "Phi", TheFeatures; "d", TheLaw;
  "D", TheWeights; "A", TheA; "b", TheB; "C", TheC; "theta", TheTheta; "gamma", TheDiscount; "kappa", TheKappa; "L", TheLength]
let numbered = ["ones", (1, fun k -> TheOnes k); "lambda", (1, fun k -> TheLambda k); "c", (0, fun k -> TheProduct k);
  "w", (1, fun k -> TheWeight k); "Lambda", (1, fun k -> TheRows k)]
let at_steps = ["R", StepReward; "gamma", StepDiscount; "rho", StepRatio; "delta", StepError; "v", StepValue; "phi", StepFeatures;
  "state", StepState; "z", StepTrace false; "zrho", StepTrace true]
let orders = ["=", Alike; "!=", Unlike; "<", Below; "<=", AtMost]
(* A word, and the number after a colon *)
let parts s = match String.index_opt s ':' with
  | None -> s, None
  | Some i ->
      let number = String.sub s (i + 1) (String.length s - i - 1) in
      if not (digits number) || String.length number > 4 then refuse ("witness.relations: " ^ brief s ^ " is not a name");
      String.sub s 0 i, Some (int_of_string number)
let rec nodes json = match json with List l -> List.fold_left (fun k x -> k + nodes x) 1 l | _ -> 1
let rec mentions words = function List l -> List.exists (mentions words) l | Text s -> List.mem s words | _ -> false
let rec printed = function List l -> "[" ^ String.concat ", " (List.map printed l) ^ "]" | json -> canonical json
let path c json = match list "witness.relations" json with
  | [] -> refuse "witness.relations: a path has a first state"
  | first :: moves ->
      let move json = match json with
        | List [a; s] -> nat (index "witness.relations" (int_of c.model.actions) a), nat (index "witness.relations" c.n s)
        | _ -> refuse "witness.relations: an action and a state are needed" in
      { first_state = nat (index "witness.relations" c.n first); transitions_of = List.map move moves }
(* There are at most 200,000 paths of so many steps. *)
let bounded c mu from steps =
  let policy = Array.of_list (if mu then c.model.behaviour else c.model.target) and count = Array.make c.n 0 in
  List.iter (fun s -> count.(s) <- 1) from;
  let once count =
    let next = Array.make c.n 0 in
    List.iteri (fun a rows -> List.iteri (fun s row ->
      if count.(s) > 0 && not (qnull (List.nth policy.(s) a)) then
        List.iteri (fun t q -> if not (qnull q) then next.(t) <- next.(t) + count.(s)) row) rows) c.model.transitions;
    if Array.fold_left (+) 0 next > 200_000 then refuse "witness.relations: there are more than 200000 paths"; next in
  ignore (List.fold_left (fun count _ -> once count) count (List.init steps (fun i -> i)))
(* Where an expression stands: on no path, on one, or under a mean, on many *)
type place = Nowhere | On of walk | Many
let rec on_path = function
  | Text s -> List.mem s ["G"; "Grho"] || (match String.index_opt s ':' with
      | Some i -> List.mem_assoc (String.sub s 0 i) at_steps | None -> false)
  | List (Text ("on" | "E") :: _) -> false
  | List l -> List.exists on_path l | _ -> false
(* An expression, with the inverses that it asks for *)
let expression c basis given star =
  let t = prepare c.model basis given in
  let here place = value c.model basis star t (match place with On p -> p | _ -> { first_state = O; transitions_of = [] }) in
  let square x = fst (shape c.model x) = snd (shape c.model x) in
  let solution place w u =
    if not (square w && fst (shape c.model w) = fst (shape c.model u)) then
      refuse "witness.relations: solve needs a square matrix and as many rows";
    match Hints.invert Hints.fractions (here place w) with
    | Some inverse -> SolutionOf (w, u, inverse) | None -> refuse "witness.relations: a matrix to be inverted is singular" in
  let with_theta word = if not (has "theta" c.witness) then refuse ("witness.relations: " ^ word ^ " needs a theta") in
  let hinted place json = if place = Many && on_path json then
    raise (Unread "it solves a system, or asks for a determinant, that depends on the path, for which there is no hint") in
  let rec read place json = let read = read place and product = product place in match json with
    | List [Text "on"; p; x] -> let p = path c p in OnPath (p, read_on (On p) x)
    | List [Text "E"; policy; start; steps; x] ->
        let mu = match policy with Text "mu" -> true | Text "pi" -> false | _ -> refuse "witness.relations: mu or pi is needed" in
        let steps = index "witness.relations" 100 steps in
        let start, from = match start with
          | Text "d" when given -> None, List.filter (fun s -> not (qnull (List.nth basis.law_given s))) (List.init c.n (fun i -> i))
          | json -> let s = index "witness.relations" c.n json in Some (nat s), [s] in
        bounded c mu from steps; MeanOver (mu, start, nat steps, read_on Many x)
    | Text ("G" | "Grho" as s) when place <> Nowhere ->
        with_theta s; if c.endless <> None then refuse "witness.relations: the return needs a schedule with an end";
        ReturnOf (s = "Grho")
    | Text "S" -> PowersOf (Named TheIdentity) | Text "M" -> StepsOf (Named TheIdentity)
    | Text "V" -> solution place (Added (Named TheIdentity, Negated (Named TheKernel))) (Named TheReward)
    | Text "ones" -> Named (TheOnes (nat c.n))
    | Text s when List.mem_assoc s names ->
        if (s = "gamma" || s = "kappa") && not c.one_discount || s = "theta" && not (has "theta" c.witness)
        || not given && List.mem s ["d"; "D"; "A"; "b"; "C"] then refuse ("witness.relations: " ^ s ^ " has no value here");
        Named (List.assoc s names)
    | Text s as json -> (match parts s with
        | word, Some k when List.mem_assoc word numbered ->
            let low, made = List.assoc word numbered in
            if k < low || k > 2002 then refuse ("witness.relations: " ^ s ^ " has no value"); Named (made (nat k))
        | word, Some k when place <> Nowhere && List.mem_assoc word at_steps ->
            if word = "v" || word = "delta" then with_theta word; OnStep (List.assoc word at_steps, nat k)
        | _ -> Constant (rational "witness.relations" json))
    | List (Text "@" :: (_ :: _ :: _ as factors)) -> product factors
    | List [Text "^"; x; k] -> Raised (read x, nat (index "witness.relations" 200 k))
    | List [Text "entry"; x; i; j] -> let y = read x in
        let at side json = nat (index "witness.relations" (int_of (side (shape c.model y))) json) in EntryOf (y, at fst i, at snd j)
    | List (Text "+" :: x :: (_ :: _ as more)) -> List.fold_left (fun sum y -> Added (sum, read y)) (read x) more
    | List [Text "-"; x] -> Negated (read x) | List [Text "-"; x; y] -> Added (read x, Negated (read y))
    | List [Text "*"; x; y] -> Scaled (read x, read y)
    | List [Text "T"; x] -> Transposed (read x)
    | List [Text "sum"; x] -> SumOf (read x) | List [Text "diag"; x] -> DiagonalOf (read x)
    | List [Text "solve"; w; u] -> hinted place w; solution place (read w) (read u)
    | List (Text "beside" :: x :: more) -> List.fold_left (fun all y -> Beside (all, read y)) (read x) more
    | List (Text "over" :: x :: more) ->
        Transposed (List.fold_left (fun all y -> Beside (all, Transposed (read y))) (Transposed (read x)) more)
    | List [Text ("det" | "pairs" as word); x] ->
        let y = read x in
        if not (square y) || word = "pairs" && fst (shape c.model y) = nat 1 then refuse ("witness.relations: " ^ word ^ " needs a square matrix");
        if word = "pairs" then PairsOf y else (hinted place x; let r, l, u = Hints.triangles (here place y) in DeterminantOf (y, r, l, u))
    | json -> refuse ("witness.relations: " ^ brief (printed json) ^ " is not an expression")
  and read_on place json = read place json
  and product place l = let read = read place and product = product place in match l with
    | [x] -> read x
    | Text "S" :: more -> PowersOf (product more) | Text "M" :: more -> StepsOf (product more)
    | x :: more -> Multiplied (read x, product more)
    | [] -> refuse "witness.relations: a product of nothing" in
  read Nowhere
(* As many as fit into a thousand characters, and how many follow *)
let told relations =
  let rec more left = function
    | [] -> ""
    | x :: rest as all -> let s = printed x in
        if String.length s > left then "; and " ^ digits_of (List.length all) ^ " more" else "; " ^ s ^ more (left - String.length s) rest in
  let first = printed (List.hd relations) in let size = String.length first and s = if List.tl relations = [] then ": " else "s: " in
  s ^ (if size > 1000 then String.sub first 0 1000 ^ "... (" ^ digits_of size ^ " characters)" else first) ^ more (1000 - size) (List.tl relations)
let relation c =
  let about = record ~allowed:["class"; "kernel"] "about" [] c.about in
  let get = record ~allowed:["stationary"; "theta"] "witness" ["relations"] c.witness in
  let relations = list "witness.relations" (get "relations") in
  let count = List.fold_left (fun k x -> k + nodes x) 0 relations in
  if relations = [] || count > 2000 then refuse "witness.relations: there are none, or more than 2000 nodes in them";
  let given = has "stationary" c.witness and covered = has "kernel" c.about && covers (about "kernel") in
  let one, place, found =
    if not (has "class" c.about) then None, "all states", []
    else let found, one = Chain.class_of c (about "class") in Some one, Chain.recurrent c found, found in
  if given && one = None then refuse "about: the key class is missing";
  let star = if has "theta" c.witness then vector "witness.theta" c.d (get "theta") else [] in
  let about_class = Option.value one ~default:{ members = []; root = O; from_root = []; to_root = [] } in
  let basis = { about_class; covered; powers = Ends; law_given = if given then vector "witness.stationary" c.n (get "stationary") else [] } in
  let everywhere = mentions ["S"; "M"] (List relations) in
  let powers = match c.endless with
    | None -> Ends
    | Some x ->
        let sum = Hints.resolvent x (kernel c.model basis) in
        match sum (List.init c.n (fun i -> i)), sum found with
        | None, Some _ when everywhere && given -> raise (Unread "the powers of the kernel have no sum at some state")
        | Some (ahead, inverse), _ | None, Some (ahead, inverse) -> Endless (x, ahead, inverse)
        | None, None -> Endless (x, [], []) in
  let read = expression c { basis with powers } given star in
  let stated = function
    | List [x; Text s; y] when List.mem_assoc s orders -> (read x, List.assoc s orders), read y
    | _ -> refuse "witness.relations: a left side, one of =, !=, <, <=, and a right side are needed" in
  proved (check_relation c.model { basis with powers } given star one (List.map stated relations));
  digits_of (List.length relations) ^ " relation" ^ told relations ^ ", on " ^ place ^ (if covered then ", kernel covered" else "")
  ^ if star = [] then "" else ", theta = " ^ brief ("(" ^ String.concat ", " (List.map words (list "" (get "theta"))) ^ ")")
