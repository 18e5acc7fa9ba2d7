(* A part that is not verified: reads JSON, numbers and the model of a certificate (docs/certificates.md) as strictly as the
   Python checker does. kinds.ml and convergence.ml read the rest. *)
open Verified
module Z = Big_int_Z
exception Refused of string exception Unread of string  (* it may be one, in letters that are not read here *)
let refuse why = raise (Refused why)
(* ---- JSON: no floats, no negative numbers, no key twice, 40 levels ---- *)
type json = Null | Bool of bool | Number of string | Text of string | List of json list | Object of (string * json) list
let parse s =
  let at = ref 0 and length = String.length s in
  let not_json () = refuse ("the file is not JSON, at byte " ^ string_of_int !at) in
  let peek () = if !at < length then s.[!at] else not_json () in
  let rec blank () = if !at < length then match s.[!at] with ' ' | '\n' | '\t' | '\r' -> incr at; blank () | _ -> () in
  let next () = blank (); let c = peek () in incr at; c in
  let word w v = String.iter (fun c -> if peek () <> c then not_json (); incr at) w; v in
  let text () =
    if next () <> '"' then not_json ();
    let from = !at in
    while peek () <> '"' do
      if peek () < ' ' then not_json ();
      if peek () = '\\' || peek () > '~' then raise (Unread "a text is beyond plain ASCII"); incr at
    done;
    incr at; String.sub s from (!at - 1 - from) in
  let rec rest close one found = match next () with
    | ',' -> rest close one (one found :: found)
    | c -> if c = close then List.rev found else not_json () in
  let rec value depth =
    let inside close one =
      if depth = 0 then refuse "the file nests deeper than 40";
      incr at; blank (); if peek () = close then (incr at; []) else rest close one [one []] in
    blank (); match peek () with
    | '{' -> Object (inside '}' (fun found ->
        let key = text () in
        if List.mem_assoc key found then refuse ("the key " ^ key ^ " stands twice");
        if next () <> ':' then not_json (); key, value (depth - 1)))
    | '[' -> List (inside ']' (fun _ -> value (depth - 1)))
    | '"' -> Text (text ())
    | 'n' -> word "null" Null | 't' -> word "true" (Bool true) | 'f' -> word "false" (Bool false)
    | _ ->
        let from = !at in
        while !at < length && '0' <= s.[!at] && s.[!at] <= '9' do incr at done;
        if !at = from || (s.[from] = '0' && !at > from + 1) then not_json (); Number (String.sub s from (!at - from)) in
  let found = value 40 in blank (); if !at < length then not_json (); found
let canonical json =  (* the text that the digest of a model is of *)
  let rec pieces json rest = match json with
    | Null -> "null" :: rest | Bool b -> string_of_bool b :: rest | Number s -> s :: rest | Text s -> "\"" :: s :: "\"" :: rest
    | List l -> "[" :: all pieces l ("]" :: rest)
    | Object l -> let rec insert one = function other :: l when fst other < fst one -> other :: insert one l | l -> one :: l in
        "{" :: all (fun (key, v) rest -> "\"" :: key :: "\":" :: pieces v rest) (List.fold_right insert l []) ("}" :: rest)
  and all : 'a. ('a -> string list -> string list) -> 'a list -> string list -> string list = fun one l rest -> match l with
    | [] -> rest | [x] -> one x rest | x :: l -> one x ("," :: all one l rest) in
  String.concat "" (pieces json [])
let list where = function List l -> l | _ -> refuse (where ^ ": a list is needed")
let rec repeats = function [] -> false | one :: l -> List.mem one l || repeats l
let exactly where word json = if json <> Text word then refuse (where ^ ": " ^ word ^ " is needed")
let record ?(allowed = []) where keys = function
  | Object l ->
      List.iter (fun (key, _) -> if not (List.mem key (keys @ allowed)) then refuse (where ^ ": the key " ^ key ^ " is not known here")) l;
      fun key -> (try List.assoc key l with Not_found -> refuse (where ^ ": the key " ^ key ^ " is missing"))
  | _ -> refuse (where ^ ": an object is needed")
let index where bound = function
  | Number s when String.length s <= 8 && int_of_string s < bound -> int_of_string s
  | _ -> refuse (where ^ ": an integer below " ^ string_of_int bound ^ " is needed")
let length_within where low high json =
  let k = List.length (list where json) in if k < low || k > high then refuse (where ^ ": " ^ string_of_int k ^ " of them"); k
(* ---- numbers: a sign if need be, digits, and perhaps a slash and digits, in lowest terms ---- *)
let over a b = { qnum = a; qden = b } let zero = over Z.zero_big_int Z.unit_big_int and one = over Z.unit_big_int Z.unit_big_int
let digits s =
  s <> "" && String.length s <= 200_000 && (s = "0" || s.[0] <> '0') && String.for_all (fun c -> '0' <= c && c <= '9') s
let rational where json =
  match json with Text "0" -> zero | _ ->
  let s = match json with Text s when s <> "" -> s | _ -> refuse (where ^ ": a rational number is needed") in
  let after i = String.sub s i (String.length s - i) and sign = if s.[0] = '-' then 1 else 0 in
  let top, bottom = match String.index_opt s '/' with
    | Some i -> String.sub s sign (max 0 (i - sign)), after (i + 1)
    | None -> after sign, "" in
  if not (digits top && (digits bottom && bottom <> "0" && bottom <> "1" || s = String.sub s 0 sign ^ top)) || s = "-0"
  then refuse (where ^ ": this is not a rational number");
  let p = Z.big_int_of_string top and q = if bottom = "" then Z.unit_big_int else Z.big_int_of_string bottom in
  if not (Z.eq_big_int (Z.gcd_big_int p q) Z.unit_big_int) then refuse (where ^ ": a number is not in lowest terms");
  over (if sign = 1 then Z.minus_big_int p else p) q
let items where n json = let l = list where json in if List.length l <> n then refuse (where ^ ": the list has another length"); l
let vector where n json = List.map (rational where) (items where n json)
let matrix where n m json = List.map (vector where m) (items where n json)
let rec nat k = if k = 0 then O else S (nat (k - 1))
let apart () = raise (Unread "the model has draws, interest or lambda by state")
let read_schedule = function  (* all of a schedule with an end; or the number that all are *)
  | Object ["by_state", _] -> apart ()
  | Object ["constant", json] ->
      let x = rational "model.schedule" (record "model.schedule.constant" ["lambda"] json "lambda") in
      if Z.sign_big_int x.qnum <= 0 || not (Z.le_big_int x.qnum x.qden) then refuse "model.schedule: it is outside (0, 1]";
      [], Some x
  | json ->
      let lambdas = record "model.schedule" ["lambdas"] json "lambdas" in
      let length = length_within "model.schedule" 0 2000 lambdas in
      if length > 0 && List.nth (list "" lambdas) (length - 1) = Text "0" then refuse "model.schedule: the last one is zero";
      vector "model.schedule" length lambdas, None
(* How many states and features; whether the policies are the same; the λ of a schedule without an end; the model *)
let read_model json =
  let keys = ["format"; "actions"; "transitions"; "rewards"; "discount"; "behaviour"; "target"; "features"; "schedule"] in
  let get = record ~allowed:["sampling"; "sampling_law"; "interest"] "model" keys json in
  (match json with Object l when List.length l > List.length keys -> apart () | _ -> ());
  exactly "model.format" "tdcert-model/1" (get "format");
  let m = length_within "model.actions" 1 64 (get "actions") in
  let names = List.map (function Text a -> a | _ -> refuse "model.actions: names are needed") (list "" (get "actions")) in
  if repeats names then refuse "model.actions: a name twice";
  let by_action key = List.map (record ("model." ^ key) names (get key)) names in
  let n = length_within "model.transitions" 1 1000 (List.hd (by_action "transitions")) in
  let spread x = List.init n (fun _ -> x) in
  let table where json =
    if List.for_all (function Text _ -> true | _ -> false) (list where json) then List.map spread (vector where n json)
    else matrix where n n json in
  let discounts = match get "discount" with
    | Text _ as x -> let all = spread (spread (rational "model.discount" x)) in List.map (fun _ -> all) names
    | _ -> List.map (table "model.discount") (by_action "discount") in
  let allowed q = Z.sign_big_int q.qnum >= 0 && Z.le_big_int q.qnum q.qden in
  if not (List.for_all (List.for_all (List.for_all allowed)) discounts) then refuse "model.discount: an entry is outside [0, 1]";
  let first = match get "features" with List (row :: _) -> row | _ -> refuse "model.features: rows are needed" in
  let d = length_within "model.features" 1 1000 first in
  let lambdas, endless = read_schedule (get "schedule") in
  n, d, get "behaviour" = get "target", endless, { last_state = nat (n - 1); actions = nat m; columns = nat d; discounts;
    transitions = List.map (matrix "model.transitions" n n) (by_action "transitions");
    rewards = List.map (table "model.rewards") (by_action "rewards");
    behaviour = matrix "model.behaviour" n m (get "behaviour"); target = matrix "model.target" n m (get "target");
    features = matrix "model.features" n d (get "features"); lambdas }
