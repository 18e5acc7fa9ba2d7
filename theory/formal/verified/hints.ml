(* Hints for the checker, which it does not trust: a wrong one is refused. In which order edges of the chain find the states
   of a class, and the inverse of an integer matrix modulo a prime. *)
open Verified
module Z = Big_int_Z
let positive q = Z.sign_big_int q.qnum > 0
(* The successors of every state, by the behaviour chain. *)
let successors model n =
  let found = Array.init n (fun _ -> Array.make n false) in
  List.iteri (fun a rows ->
    List.iteri (fun s (row, mu) -> if positive (List.nth mu a) then
      List.iteri (fun t p -> if positive p then found.(s).(t) <- true) row) (List.combine rows model.behaviour)) model.transitions;
  Array.map (fun row -> List.filter (Array.get row) (List.init n Fun.id)) found
let reversed next =
  let found = Array.make (Array.length next) [] in
  Array.iteri (fun s -> List.iter (fun t -> found.(t) <- s :: found.(t))) next; found
(* The edges along which a search from the root finds each state first. *)
let order next root =
  let known = Array.make (Array.length next) false and edges = ref [] and waiting = Queue.create () in
  known.(root) <- true; Queue.add root waiting;
  while not (Queue.is_empty waiting) do
    let s = Queue.pop waiting in
    List.iter (fun t -> if not known.(t) then (known.(t) <- true; edges := (s, t) :: !edges; Queue.add t waiting)) next.(s)
  done;
  List.rev !edges
let modulo_inverse a p =
  let rec go a x b y =
    if Z.sign_big_int b = 0 then x else
      let q = Z.div_big_int a b in
      go b y (Z.sub_big_int a (Z.mult_big_int q b)) (Z.sub_big_int x (Z.mult_big_int q y)) in
  Z.mod_big_int (go a Z.unit_big_int p Z.zero_big_int) p
(* Gauss and Jordan; None where there is none. *)
let inverse rows p =
  let d = List.length rows in
  let wide = Array.of_list (List.mapi (fun i row ->
    Array.append (Array.of_list (List.map (fun x -> Z.mod_big_int x p) row))
      (Array.init d (fun j -> if i = j then Z.unit_big_int else Z.zero_big_int))) rows) in
  let zero x = Z.sign_big_int x = 0 in
  let rec pivot k i = if i = d then None else if zero wide.(i).(k) then pivot k (i + 1) else Some i in
  let rec eliminate k =
    if k = d then Some (Array.to_list (Array.map (fun row -> Array.to_list (Array.sub row d d)) wide)) else
    match pivot k k with
    | None -> None
    | Some i ->
        let chosen = wide.(i) in
        wide.(i) <- wide.(k);
        let by = modulo_inverse chosen.(k) p in
        let first = Array.map (fun x -> if zero x then x else Z.mod_big_int (Z.mult_big_int x by) p) chosen in
        wide.(k) <- first;
        Array.iteri (fun j row -> if j <> k && not (zero row.(k)) then
          let factor = row.(k) in
          wide.(j) <- Array.mapi (fun c x -> if zero first.(c) then x else
            Z.mod_big_int (Z.sub_big_int x (Z.mult_big_int factor first.(c))) p) row) wide;
        eliminate (k + 1) in
  eliminate 0
(* Miller and Rabin, without error below 2^64. *)
let is_prime p =
  let one = Z.unit_big_int and two = Z.big_int_of_int 2 in
  let times a b = Z.mod_big_int (Z.mult_big_int a b) p and last = Z.sub_big_int p one in
  let even e = Z.sign_big_int (Z.mod_big_int e two) = 0 in
  let rec power b e =
    if Z.sign_big_int e = 0 then one else
      let half = power (times b b) (Z.div_big_int e two) in if even e then half else times half b in
  let rec split e twos = if even e then split (Z.div_big_int e two) (twos + 1) else e, twos in
  let odd, twos = split last 0 in
  List.for_all (fun base ->
    let rec squares x i = i < twos && (Z.eq_big_int x last || squares (times x x) (i + 1)) in
    let x = power (Z.big_int_of_int base) odd in Z.eq_big_int x one || squares x 0) [2; 3; 5; 7; 11; 13; 17; 19; 23; 29; 31; 37]
