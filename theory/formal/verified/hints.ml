(* Hints for the checker, which it does not trust: a wrong one is refused. In which order edges of the chain find the states
   of a class, the inverse of an integer matrix modulo a prime, and that of a matrix of fractions. *)
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
  let known = Array.make (Array.length next) false and edges = ref [] and waiting = ref [root] in
  known.(root) <- true;
  while !waiting <> [] do
    let s = List.hd !waiting in
    waiting := List.tl !waiting;
    List.iter (fun t -> if not known.(t) then (known.(t) <- true; edges := (s, t) :: !edges; waiting := t :: !waiting)) next.(s)
  done;
  List.rev !edges
(* Gauss and Jordan, in any field; None where there is no inverse. *)
type 'a field = { zero : 'a; one : 'a; null : 'a -> bool; times : 'a -> 'a -> 'a; less : 'a array -> 'a -> 'a array -> 'a array; reciprocal : 'a -> 'a }
let invert f rows =
  let d = List.length rows in
  let wide = Array.of_list (List.mapi (fun i row ->
    Array.append (Array.of_list row) (Array.init d (fun j -> if i = j then f.one else f.zero))) rows) in
  let rec pivot k i = if i = d then None else if f.null wide.(i).(k) then pivot k (i + 1) else Some i in
  let rec eliminate k =
    if k = d then Some (Array.to_list (Array.map (fun row -> Array.to_list (Array.sub row d d)) wide)) else
    match pivot k k with
    | None -> None
    | Some i ->
        let chosen = wide.(i) in
        wide.(i) <- wide.(k);
        let by = f.reciprocal chosen.(k) in
        let first = Array.map (fun x -> if f.null x then x else f.times x by) chosen in
        wide.(k) <- first;
        Array.iteri (fun j row -> if j <> k && not (f.null row.(k)) then
          wide.(j) <- f.less row row.(k) first) wide;
        eliminate (k + 1) in
  eliminate 0
(* A row less a factor times another, entry by entry *)
let by_entry null less row factor = Array.map2 (fun x y -> if null y then x else less x factor y) row
let modulo p =
  let reduce x = Z.mod_big_int x p in
  let rec reciprocal a x b y =
    if Z.sign_big_int b = 0 then reduce x else
      let q = Z.div_big_int a b in
      reciprocal b y (Z.sub_big_int a (Z.mult_big_int q b)) (Z.sub_big_int x (Z.mult_big_int q y)) in
  let null x = Z.sign_big_int x = 0 in
  { zero = Z.zero_big_int; one = Z.unit_big_int; null; times = (fun x y -> reduce (Z.mult_big_int x y));
    less = by_entry null (fun x y z -> reduce (Z.sub_big_int x (Z.mult_big_int y z)));
    reciprocal = fun x -> reciprocal x Z.unit_big_int p Z.zero_big_int }
(* The same for p < 2^30, in integers of 32 bits: a quotient of floats is off by one at most, so the rest is within them, even
   where its two parts are not. *)
let residues p =
  let reduce x = if x < 0 then x + p else if x >= p then x - p else x in
  let times x y = reduce (x * y - int_of_float (float x *. float y /. float p) * p) in
  let rec reciprocal a x b y = if b = 0 then reduce x else reciprocal b y (a mod b) (x - a / b * y) in
  { zero = 0; one = 1; null = (fun x -> x = 0); times;
    less = (fun row factor -> Array.map2 (fun x y -> if y = 0 then x else reduce (x - times factor y)) row);
    reciprocal = fun x -> reciprocal x 1 p 0 }
let inverse rows p =
  let each f = List.map (List.map f) in
  let rows = each (fun x -> Z.mod_big_int x p) rows in
  if Z.le_big_int (Z.power_int_positive_int 2 30) p then invert (modulo p) rows else
    Option.map (each Z.big_int_of_int) (invert (residues (Z.int_of_big_int p)) (each Z.int_of_big_int rows))
let fractions =
  let reciprocal x = if positive x then { qnum = x.qden; qden = x.qnum } else
    { qnum = Z.minus_big_int x.qden; qden = Z.minus_big_int x.qnum } in
  { zero = qzero; one = qone; null = qnull; times = qmul; less = by_entry qnull (fun x y z -> qadd x (qopp (qmul y z))); reciprocal }
(* R, L and U with R rows = LU: R and U have zeros below the diagonal, L above it, R and L ones on it. *)
let triangles rows =
  let k = List.length rows in
  let one () = Array.init k (fun i -> Array.init k (fun j -> if i = j then qone else qzero)) in
  let u = Array.of_list (List.map Array.of_list rows) and l = one () and r = one () in
  let add x i j times = x.(i) <- Array.mapi (fun c y -> qadd y (qmul times x.(j).(c))) x.(i) in
  for c = 0 to k - 1 do
    let rec pivot i = if i = k || not (qnull u.(i).(c)) then i else pivot (i + 1) in
    let i = pivot c in
    if i < k then begin
      if i > c then (add u c i qone; add r c i qone; for j = 0 to c - 1 do l.(c).(j) <- qadd l.(c).(j) l.(i).(j) done);
      let by = fractions.reciprocal u.(c).(c) in
      for i = c + 1 to k - 1 do
        let times = qmul u.(i).(c) by in l.(i).(c) <- times; add u i c (qopp times)
      done
    end
  done;
  let list x = Array.to_list (Array.map Array.to_list x) in list r, list l, list u
(* The states that a matrix leads to from some, and (1 - x N)^-1 with no rows of N but theirs. *)
let resolvent x rows from =
  let n = List.length rows in
  let next = Array.of_list (List.map (fun row -> List.filter (fun t -> not (qnull (List.nth row t))) (List.init n Fun.id)) rows) in
  let known = Array.make n false in
  let rec visit s = if not known.(s) then (known.(s) <- true; List.iter visit next.(s)) in
  List.iter visit from;
  let minus = qopp x in
  let row s values = List.mapi (fun t y ->
    qadd (if s = t then qone else qzero) (if known.(s) then qmul minus y else qzero)) values in
  match invert fractions (List.mapi row rows) with
  | None -> None | Some inverse -> Some (Array.to_list known, inverse)
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
