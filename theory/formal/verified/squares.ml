(* A part that is not verified: reads certificates about second moments at constant steps, finds the windows that a run meets,
   hands all to the extracted checker, and says in words what the theorems of accepted_squares.v say. *)
open Verified
open Reader
open Convergence
open Signs
let printed q = Z.string_of_big_int q.qnum ^ "/" ^ Z.string_of_big_int q.qden
(* Windows are numbered as they are met, breadth first, from the states of the class without a past; actions and states in
   increasing order. The past: each state before, the newest first, with rho gamma of the step out of it (as good as the
   product from it on, which is not zero); before a zero, and so many states as the schedule has numbers, there is none. *)
let windows c found most =
  let length = List.length c.model.lambdas and known = ref [] and count = ref 0 and fresh = ref [] in
  let number s past traces =
    let name = String.concat " " (digits_of s :: List.map (fun (t, q) -> digits_of t ^ ":" ^ printed q) past) in
    match List.assoc_opt name !known with
    | Some k -> k
    | None ->
        let k = !count in
        if k >= most then refuse "witness: there are more windows";
        incr count; known := (name, k) :: !known; fresh := (s, past, traces) :: !fresh; k in
  let starts = List.map (fun s -> s, number s [] (traces_at c.model (nat s))) found in
  let after (s, past, traces) =
    let ahead a t =
      let s = nat s and a = nat a and t' = nat t in
      if qnull (chance_of c.model s a t') then O else
        let g = qmul (ratio_of c.model s a) (discount_of c.model s a t') in
        let behind = List.filteri (fun i _ -> i < length) ((int_of s, g) :: past) in
        nat (number t (if qnull g then [] else behind) (traces_after c.model traces s a t')) in
    { window_state = nat s; window_traces = traces; window_next = List.mapi (fun a _ -> List.init c.n (ahead a)) c.model.transitions } in
  let rec all found = match !fresh with
    | [] -> List.rev found
    | l -> fresh := []; all (List.rev_append (List.map after (List.rev l)) found) in
  let ws = all [] in
  List.init c.n (fun s -> match List.assoc_opt s starts with Some k -> nat k | None -> O), ws
let squares c more =
  let upto = has "upto" c.about in
  let step = if upto then "upto" else "step" in
  let about = record ~allowed:["eta"] "about" ["class"; "algorithm"; step] c.about in
  let get = record "witness" ("lyapunov" :: (if upto then ["tilt"] else []) @ more upto) c.witness in
  if c.endless <> None then refuse "model.schedule: without an end there are no windows";
  let name, made = choice "about.algorithm" ["off_policy_td", None; "gtd", Some (fun eta -> LearnGTD eta);
    "tdc", Some (fun eta -> LearnTDC eta)] (about "algorithm") in
  if has "eta" c.about <> (made <> None) then refuse "about.eta: a positive number is needed for gtd and tdc, and none for off_policy_td";
  let f = match made with Some make -> make (rational "about.eta" (about "eta")) | None -> LearnTD in
  let d = int_of (learner_size c.model f) and found, one = Chain.class_of c (about "class") in
  let forms key = let l = list ("witness." ^ key) (get key) in List.length l, fun () -> List.map (matrix ("witness." ^ key) d d) l in
  let most, many = forms (if upto then "tilt" else "lyapunov") in
  let starts, ws = windows c found most in
  if List.length ws < most then refuse ("witness: there are " ^ digits_of (List.length ws) ^ " windows");
  let alpha = rational ("about." ^ step) (about step) in
  let words = "under " ^ name ^ (if has "eta" c.about then " at eta = " ^ brief (words (about "eta")) else "")
    ^ (if upto then " with every step up to " else " with the step ") ^ brief (words (about step)) ^ ", on " ^ Chain.recurrent c found in
  let one_form () = matrix "witness.lyapunov" d d (get "lyapunov") in
  f, one, starts, ws, alpha, upto, one_form, many, get, d, List.length found, words
let mean_square_bounded c =
  let f, one, starts, ws, alpha, upto, form, many, _, _, _, words = squares c (fun _ -> []) in
  proved (if upto then check_square_bounded_upto c.model f one starts ws alpha (form ()) (many ())
    else check_square_bounded c.model f one starts ws alpha (many ()));
  "second moments of differences go to zero, those of the iterates stay bounded, " ^ words
let mean_square_unbounded c =
  let f, one, starts, ws, alpha, upto, form, many, get, d, first, words =
    squares c (fun upto -> "vector" :: (if upto then [] else ["window"])) in
  let x = vector "witness.vector" d (get "vector") in
  let from = if upto then
    (proved (check_square_unbounded_upto c.model f one starts ws alpha (form ()) (many ()) x); "any window")
  else
    let h = index "witness.window" (List.length ws) (get "window") in
    proved (check_square_unbounded c.model f one starts ws alpha (many ()) (nat h) x);
    "window " ^ digits_of h ^ (if h < first then " (at time zero)" else " (of a run under way; a run from time zero may never meet it)") in
  "second moments of differences grow without bound from some difference in " ^ from ^ ", " ^ words
