(* A part that is not verified: what certificates of convergence are about and their witness, handed to the extracted checker,
   and in words what the theorems of checked.v say. *)
open Verified
open Reader
type case = { n : int; d : int; on_policy : bool; endless : q option; one_discount : bool; model : model; about : json; witness : json }
let digits_of = string_of_int
let proved accepted = if not accepted then refuse "the checker does not accept it"
let prime where = function
  | Number s when String.length s <= 20 ->
      let p = Z.big_int_of_string s and power k = Z.power_int_positive_int 2 k in
      if not (Z.le_big_int (power 20) p) || Z.le_big_int (power 62) p then refuse (where ^ ": it is below 2^20 or from 2^62 on");
      if not (Hints.is_prime p) then refuse (where ^ ": this is not a prime"); p
  | _ -> refuse (where ^ ": an integer is needed")
let prime_to p = List.iter (List.iter (fun q ->
  if Z.sign_big_int (Z.mod_big_int q.qden p) = 0 then refuse "a denominator is divisible by the prime"))
let factor where d json =  (* R over 2^bits, R lower triangular in integers *)
  let get = record where ["scale"; "bits"; "rows"] json in
  let whole q = if Z.eq_big_int q.qden Z.unit_big_int then q else refuse (where ^ ": rows are of integers") in
  let rows = List.mapi (fun i row -> List.map whole (vector where (i + 1) row)) (items where d (get "rows")) in
  vector where d (get "scale"), over Z.unit_big_int (Z.power_int_positive_int 2 (index where 100_001 (get "bits"))), rows
let states where n json =
  let found = List.map (index where n) (list where json) in
  if found = [] || repeats found then refuse (where ^ ": the list of states is empty or repeats a state");
  found
(* The rows of Phi, the prime and the inverse modulo it that a rank is proved by *)
let rank c json =
  let get = record "witness.rank" ["prime"; "rows"] json in
  let rows = states "witness.rank.rows" c.n (List (items "witness.rank.rows" c.d (get "rows"))) in
  let p = prime "witness.rank.prime" (get "prime") in
  prime_to p (List.map (List.nth c.model.features) rows);
  let chosen = List.map nat rows in
  match Hints.inverse (whole_rows c.model.columns c.model.features chosen) p with
  | None -> refuse "witness.rank.rows: the determinant of these rows of Phi is zero modulo the prime"
  | Some inverse -> chosen, p, inverse
(* A number modulo which the determinant of A is not zero, and what finds the inverse *)
let modulus json numbers =
  let p = prime "witness.prime" json in
  prime_to p numbers;
  p, fun rows -> match Hints.inverse rows p with
    | Some found -> found | None -> refuse "witness.prime: the determinant of A is zero modulo it"
(* How the schedule goes on; with the sum of the powers of the kernel, applied to the mean error, where it has no end *)
let ending c given = match c.endless with
  | None -> WithEnd
  | Some x -> WithoutEnd (x, List.map (fun y -> [y]) (vector "witness.series" c.n (given "series")))
(* The statement is about all features, or about predictions: some columns of Phi, and what these are to be multiplied by *)
let chosen_columns c =
  let about = record ~allowed:["columns"] "about" ["algorithm"] c.about in
  let has key = function Object l -> List.mem_assoc key l | _ -> false in
  if has "columns" c.about <> has "coordinates" c.witness then refuse "about.columns and witness.coordinates: one without the other";
  about "algorithm", if has "columns" c.about then Some (states "about.columns" c.d (about "columns")) else None
let convergence given_case =
  let algorithm, chosen = chosen_columns given_case in
  let all = given_case.model and columns = List.map nat (Option.value chosen ~default:[]) in
  let { n; d; on_policy; endless; model; witness; _ } as c = match chosen with
    | None -> given_case | Some l -> { given_case with d = List.length l; model = with_columns all columns } in
  let holds key = match witness with Object l -> List.mem_assoc key l | _ -> false in
  if endless <> None && not (holds "rank") then refuse "model.schedule: the schedule is without an end, and no rank is given";
  let forms = ["lyapunov"; "factor_lyapunov"; "factor_decrease"] in
  let proof = if holds "rank" then "rank" :: (if endless = None then [] else ["series"])
    else if holds "lyapunov" then forms else if holds "factor" then ["factor"] else if holds "prime" then ["prime"] else ["inverse"] in
  if chosen <> None && proof = forms then refuse "about.columns: a Lyapunov matrix is of independent features";
  let more = if chosen = None then [] else ["coordinates"] in
  let given = record "witness" ("stationary" :: "theta" :: "doublings" :: "column" :: more @ proof) witness in
  let coordinates = if chosen = None then [] else matrix "witness.coordinates" d given_case.d (given "coordinates") in
  let w = { stationary = vector "witness.stationary" n (given "stationary"); theta = vector "witness.theta" d (given "theta");
    doublings = nat (index "witness.doublings" 64 (given "doublings"));
    common_state = nat (index "witness.column" n (given "column")) } in
  let gradient y = if chosen = None then check_gradient all w y else check_gradient_columns all columns coordinates w y in
  let td y = if chosen = None then check_td all w y else check_td_columns all columns coordinates w y in
  let by_rank s (rows, p, inverse) = if chosen = None then check_td_by_rank all w s rows p inverse
    else check_td_by_rank_columns all columns coordinates w s rows p inverse in
  let unit i = List.init d (fun j -> if i < 0 || i = j then one else zero) in
  let decreases weight (weight_scale, weight_unit, weight_rows) times key =
    let decrease_scale, decrease_unit, decrease_rows = factor ("witness." ^ key) d (given key) in
    td { weight; shift = zero; weight_scale; weight_unit; weight_rows;
      decrease_times = over Z.unit_big_int (Z.big_int_of_int times); decrease_scale; decrease_unit; decrease_rows } in
  let accepted, is_gradient = match proof with
    | "rank" :: _ -> by_rank (ending c given) (rank c (given "rank")), false
    | ["inverse"] -> gradient (Inverse (matrix "witness.inverse" d d (given "inverse"))), true
    | ["prime"] ->
        let p, inverse = modulus (given "prime") (w.stationary :: model.lambdas :: model.features @ target_kernel model) in
        gradient (Modulo (p, inverse)), true
    | ["factor"] -> decreases (List.init d unit) (unit (-1), one, []) 2 "factor", false
    | _ -> let positive = factor "witness.factor_lyapunov" d (given "factor_lyapunov") in
        decreases (matrix "witness.lyapunov" d d (given "lyapunov")) positive 1 "factor_decrease", false in
  let more, name = match algorithm, is_gradient with
    | Text "td", false when on_policy -> "", "TD(λ)-schedule"
    | Text "off_policy_td", false -> "", "off-policy TD(λ)-schedule"
    | Text "gtd", true -> ", and β_t = ηα_t with η > 0", "GTD(λ)-schedule"
    | Text "tdc", true -> ", and β_t > 0 with Σβ_t² < ∞ and α_t/β_t → 0", "TDC(λ)-schedule"
    | _ -> refuse "about.algorithm: the witness says nothing about it" in
  proved accepted;
  let star = String.concat ", " (List.map (function Text s -> s | _ -> "") (list "" (given "theta"))) in
  let phi, where = match chosen with
    | None -> "", ""
    | Some l -> "Φ", " on the columns " ^ String.concat ", " (List.map digits_of l) ^ " of Φ and zero elsewhere" in
  "for every law of the first state, every start, and all deterministic α_t > 0 with Σα_t = ∞ and Σα_t² < ∞" ^ more ^ ": " ^ phi ^ "θ_t of "
  ^ name ^ (if endless <> None then ", λ without an end," else "") ^ " → " ^ phi ^ "θ*"
  ^ (if is_gradient then " and " ^ phi ^ "w_t → 0" else "") ^ " with probability one, θ* = (" ^ star ^ ")" ^ where
