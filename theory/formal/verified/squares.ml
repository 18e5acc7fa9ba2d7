(* A part that is not verified: reads certificates about second moments at constant steps, finds the windows that a run meets,
   hands all to the extracted checker, and says in words what the theorems of accepted_squares.v say. *)
open Verified
open Reader
open Convergence
open Signs
let printed q = Z.string_of_big_int q.qnum ^ "/" ^ Z.string_of_big_int q.qden
(* Nodes are numbered as they are met, breadth first, from those of the states of the class; moves in order, actions and states
   increasing. `follow` makes of a node what the checker is told, and numbers the nodes behind it. *)
let walk c what name follow start found most =
  let known = ref [] and count = ref 0 and fresh = ref [] in
  let number node =
    let key = name node in
    match List.assoc_opt key !known with
    | Some k -> k
    | None ->
        let k = !count in
        if k >= most then refuse ("witness: there are more " ^ what);
        incr count; known := (key, k) :: !known; fresh := node :: !fresh; k in
  let starts = List.map (fun s -> s, number (start s)) found in
  let rec all made = match !fresh with
    | [] -> List.rev made
    | l -> fresh := []; all (List.rev_append (List.map (follow number) (List.rev l)) made) in
  let made = all [] in
  if !count < most then refuse ("witness: there are " ^ digits_of !count ^ " " ^ what);
  List.init c.n (fun s -> match List.assoc_opt s starts with Some k -> nat k | None -> O), made
(* The past of a window: each state before, the newest first, with rho gamma of the step out of it (as good as the product from
   it on, which is not zero); before a zero, and so many states as the schedule has numbers, there is none. *)
let windows c =
  let length = List.length c.model.lambdas in
  let name (s, past, _) = String.concat " " (digits_of s :: List.map (fun (t, q) -> digits_of t ^ ":" ^ printed q) past) in
  let follow number (s, past, traces) =
    let ahead a t =
      let s' = nat s and a = nat a and t' = nat t in
      if qnull (chance_of c.model s' a t') then O else
        let g = qmul (ratio_of c.model s' a) (discount_of c.model s' a t') in
        let behind = List.filteri (fun i _ -> i < length) ((s, g) :: past) in
        nat (number (t, (if qnull g then [] else behind), traces_after c.model traces s' a t')) in
    { window_state = nat s; window_traces = traces; window_next = List.mapi (fun a _ -> List.init c.n (ahead a)) c.model.transitions } in
  walk c "windows" name follow (fun s -> s, [], traces_at c.model (nat s))
(* What the witness gives: how many forms, and them; the one at zero *)
let forms c upto more =
  let get = record "witness" ("lyapunov" :: (if upto then ["tilt"] else []) @ more upto) c.witness in
  let where = if upto then "tilt" else "lyapunov" in
  let l = list ("witness." ^ where) (get where) in
  get, List.length l, (fun d -> List.map (matrix ("witness." ^ where) d d) l), fun d -> matrix "witness.lyapunov" d d (get "lyapunov")
let fall words accepted =
  proved accepted; "second moments of differences go to zero, those of the iterates stay bounded, " ^ words
let vectors upto = "vector" :: if upto then [] else ["window"]
let under_way first h = if h < first then " (at time zero)" else " (of a run under way; a run from time zero may never meet it)"
let grow what get d size first words upto everywhere at =
  let x = vector "witness.vector" d (get "vector") in
  let from = if upto then (proved (everywhere x); "any " ^ what) else
    let h = index "witness.window" size (get "window") in
    proved (at (nat h) x);
    what ^ " " ^ digits_of h ^ under_way first h in
  "second moments of differences grow without bound from some difference in " ^ from ^ ", " ^ words
let squares c more =
  let upto = has "upto" c.about in
  let step = if upto then "upto" else "step" in
  let about = record ~allowed:["eta"] "about" ["class"; "algorithm"; step] c.about in
  let get, most, many, one = forms c upto more in
  if c.endless <> None then refuse "model.schedule: without an end there are no windows";
  let name, made = choice "about.algorithm" ["off_policy_td", None; "gtd", Some (fun eta -> LearnGTD eta);
    "tdc", Some (fun eta -> LearnTDC eta)] (about "algorithm") in
  if has "eta" c.about <> (made <> None) then refuse "about.eta: a positive number is needed for gtd and tdc, and none for off_policy_td";
  let f = match made with Some make -> make (rational "about.eta" (about "eta")) | None -> LearnTD in
  let d = int_of (learner_size c.model f) and found, on = Chain.class_of c (about "class") in
  let starts, ws = windows c found most in
  let alpha = rational ("about." ^ step) (about step) in
  let words = "under " ^ name ^ (if has "eta" c.about then " at eta = " ^ brief (words (about "eta")) else "")
    ^ (if upto then " with every step up to " else " with the step ") ^ brief (words (about step)) ^ ", on " ^ Chain.recurrent c found in
  f, on, starts, ws, alpha, upto, (fun () -> one d), (fun () -> many d), get, d, List.length found, words
let mean_square_bounded c =
  let f, on, starts, ws, alpha, upto, one, many, _, _, _, words = squares c (fun _ -> []) in
  fall words (if upto then check_square_bounded_upto c.model f on starts ws alpha (one ()) (many ())
    else check_square_bounded c.model f on starts ws alpha (many ()))
let mean_square_unbounded c =
  let f, on, starts, ws, alpha, upto, one, many, get, d, first, words = squares c vectors in
  grow "window" get d (List.length ws) first words upto
    (fun x -> check_square_unbounded_upto c.model f on starts ws alpha (one ()) (many ()) x)
    (fun h x -> check_square_unbounded c.model f on starts ws alpha (many ()) h x)
