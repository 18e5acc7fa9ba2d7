
type __ = Obj.t
let __ = let rec f _ = Obj.repr f in Obj.repr f

(** val implb : bool -> bool -> bool **)

let implb b1 b2 =
  if b1 then b2 else true

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

type comparison =
| Eq
| Lt
| Gt

(** val pred : nat -> nat **)

let pred n = match n with
| O -> n
| S u -> u

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n m =
   match n with
   | O -> m
   | S p -> S (add p m)
end
include Coq__1

(** val sub : nat -> nat -> nat **)

let rec sub n m =
  match n with
  | O -> n
  | S k -> (match m with
            | O -> n
            | S l -> sub k l)

type reflect =
| ReflectT
| ReflectF

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec succ = Big_int_Z.succ_big_int

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec add = Big_int_Z.add_big_int

  (** val add_carry :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  and add_carry x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (add_carry p q0))
        (fun q0 -> Big_int_Z.mult_int_big_int 2 (add_carry p q0))
        (fun _ ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (succ p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> Big_int_Z.mult_int_big_int 2 (add_carry p q0))
        (fun q0 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (add p q0))
        (fun _ -> Big_int_Z.mult_int_big_int 2 (succ p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        (succ q0))
        (fun q0 -> Big_int_Z.mult_int_big_int 2 (succ q0))
        (fun _ ->
        (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
        Big_int_Z.unit_big_int)
        y)
      x

  (** val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec pred_double x =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      (Big_int_Z.mult_int_big_int 2 p))
      (fun p ->
      (fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      (pred_double p))
      (fun _ -> Big_int_Z.unit_big_int)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Big_int_Z.big_int
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Big_int_Z.unit_big_int
  | IsPos p ->
    IsPos ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (Big_int_Z.mult_int_big_int 2 p)
  | x0 -> x0

  (** val double_pred_mask : Big_int_Z.big_int -> mask **)

  let double_pred_mask x =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p -> IsPos (Big_int_Z.mult_int_big_int 2
      (Big_int_Z.mult_int_big_int 2 p)))
      (fun p -> IsPos (Big_int_Z.mult_int_big_int 2
      (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Big_int_Z.big_int -> Big_int_Z.big_int -> mask **)

  let rec sub_mask x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> double_mask (sub_mask p q0))
        (fun q0 -> succ_double_mask (sub_mask p q0))
        (fun _ -> IsPos (Big_int_Z.mult_int_big_int 2 p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun q0 -> double_mask (sub_mask p q0))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Big_int_Z.big_int -> Big_int_Z.big_int -> mask **)

  and sub_mask_carry x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun q0 -> double_mask (sub_mask p q0))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> double_mask (sub_mask_carry p q0))
        (fun q0 -> succ_double_mask (sub_mask_carry p q0))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = (fun n m -> Big_int_Z.max_big_int
  Big_int_Z.unit_big_int (Big_int_Z.sub_big_int n m))

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec mul = Big_int_Z.mult_big_int

  (** val size_nat : Big_int_Z.big_int -> nat **)

  let rec size_nat p =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 -> S (size_nat p0))
      (fun p0 -> S (size_nat p0))
      (fun _ -> S O)
      p

  (** val compare_cont :
      comparison -> Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let rec compare_cont = (fun c x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then c else if s < 0 then Lt else Gt)

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let rec eqb p q0 =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p0 ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q1 -> eqb p0 q1)
        (fun _ -> false)
        (fun _ -> false)
        q0)
      (fun p0 ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> false)
        (fun q1 -> eqb p0 q1)
        (fun _ -> false)
        q0)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun _ -> false)
        (fun _ -> false)
        (fun _ -> true)
        q0)
      p

  (** val ggcdn :
      nat -> Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let rec ggcdn n a b =
    match n with
    | O -> (Big_int_Z.unit_big_int, (a, b))
    | S n0 ->
      ((fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
         (fun a' ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun b' ->
           match compare a' b' with
           | Eq -> (a, (Big_int_Z.unit_big_int, Big_int_Z.unit_big_int))
           | Lt ->
             let (g, p) = ggcdn n0 (sub b' a') a in
             let (ba, aa) = p in
             (g, (aa, (add aa (Big_int_Z.mult_int_big_int 2 ba))))
           | Gt ->
             let (g, p) = ggcdn n0 (sub a' b') b in
             let (ab, bb) = p in
             (g, ((add bb (Big_int_Z.mult_int_big_int 2 ab)), bb)))
           (fun b0 ->
           let (g, p) = ggcdn n0 a b0 in
           let (aa, bb) = p in (g, (aa, (Big_int_Z.mult_int_big_int 2 bb))))
           (fun _ -> (Big_int_Z.unit_big_int, (a, Big_int_Z.unit_big_int)))
           b)
         (fun a0 ->
         (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
           (fun _ ->
           let (g, p) = ggcdn n0 a0 b in
           let (aa, bb) = p in (g, ((Big_int_Z.mult_int_big_int 2 aa), bb)))
           (fun b0 ->
           let (g, p) = ggcdn n0 a0 b0 in
           ((Big_int_Z.mult_int_big_int 2 g), p))
           (fun _ -> (Big_int_Z.unit_big_int, (a, Big_int_Z.unit_big_int)))
           b)
         (fun _ -> (Big_int_Z.unit_big_int, (Big_int_Z.unit_big_int, b)))
         a)

  (** val ggcd :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let ggcd a b =
    ggcdn (Coq__1.add (size_nat a) (size_nat b)) a b

  (** val of_succ_nat : nat -> Big_int_Z.big_int **)

  let rec of_succ_nat = function
  | O -> Big_int_Z.unit_big_int
  | S x -> succ (of_succ_nat x)
 end

module Z =
 struct
  (** val double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun p -> (Big_int_Z.mult_int_big_int 2 p))
      (fun p -> Big_int_Z.minus_big_int (Big_int_Z.mult_int_big_int 2 p))
      x

  (** val succ_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let succ_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p ->
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x))
      p))
      (fun p -> Big_int_Z.minus_big_int (Coq_Pos.pred_double p))
      x

  (** val pred_double : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let pred_double x =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
      (fun p -> (Coq_Pos.pred_double p))
      (fun p -> Big_int_Z.minus_big_int
      ((fun x -> Big_int_Z.succ_big_int (Big_int_Z.mult_int_big_int 2 x)) p))
      x

  (** val pos_sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let rec pos_sub x y =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> double (pos_sub p q0))
        (fun q0 -> succ_double (pos_sub p q0))
        (fun _ -> (Big_int_Z.mult_int_big_int 2 p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> pred_double (pos_sub p q0))
        (fun q0 -> double (pos_sub p q0))
        (fun _ -> (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
        (fun q0 -> Big_int_Z.minus_big_int (Big_int_Z.mult_int_big_int 2
        q0))
        (fun q0 -> Big_int_Z.minus_big_int (Coq_Pos.pred_double q0))
        (fun _ -> Big_int_Z.zero_big_int)
        y)
      x

  (** val add :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let add = Big_int_Z.add_big_int

  (** val opp : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let opp = Big_int_Z.minus_big_int

  (** val sub :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sub = Big_int_Z.sub_big_int

  (** val mul :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let mul = Big_int_Z.mult_big_int

  (** val compare : Big_int_Z.big_int -> Big_int_Z.big_int -> comparison **)

  let compare = (fun x y -> let s = Big_int_Z.compare_big_int x y in
  if s = 0 then Eq else if s < 0 then Lt else Gt)

  (** val sgn : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let sgn z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.zero_big_int)
      (fun _ -> Big_int_Z.unit_big_int)
      (fun _ -> Big_int_Z.minus_big_int Big_int_Z.unit_big_int)
      z0

  (** val leb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val eqb : Big_int_Z.big_int -> Big_int_Z.big_int -> bool **)

  let eqb = Big_int_Z.eq_big_int

  (** val abs : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let abs = Big_int_Z.abs_big_int

  (** val of_nat : nat -> Big_int_Z.big_int **)

  let of_nat = function
  | O -> Big_int_Z.zero_big_int
  | S n0 -> (Coq_Pos.of_succ_nat n0)

  (** val to_pos : Big_int_Z.big_int -> Big_int_Z.big_int **)

  let to_pos z0 =
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> Big_int_Z.unit_big_int)
      (fun p -> p)
      (fun _ -> Big_int_Z.unit_big_int)
      z0

  (** val pos_div_eucl :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * Big_int_Z.big_int **)

  let rec pos_div_eucl a b =
    (fun f2p1 f2p f1 p ->
  if Big_int_Z.le_big_int p Big_int_Z.unit_big_int then f1 () else
  let (q,r) = Big_int_Z.quomod_big_int p (Big_int_Z.big_int_of_int 2) in
  if Big_int_Z.eq_big_int r Big_int_Z.zero_big_int then f2p q else f2p1 q)
      (fun a' ->
      let (q0, r) = pos_div_eucl a' b in
      let r' =
        add (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) r)
          Big_int_Z.unit_big_int
      in
      if ltb r' b
      then ((mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q0),
             r')
      else ((add
              (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q0)
              Big_int_Z.unit_big_int), (sub r' b)))
      (fun a' ->
      let (q0, r) = pos_div_eucl a' b in
      let r' = mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) r in
      if ltb r' b
      then ((mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q0),
             r')
      else ((add
              (mul (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) q0)
              Big_int_Z.unit_big_int), (sub r' b)))
      (fun _ ->
      if leb (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) b
      then (Big_int_Z.zero_big_int, Big_int_Z.unit_big_int)
      else (Big_int_Z.unit_big_int, Big_int_Z.zero_big_int))
      a

  (** val div_eucl :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * Big_int_Z.big_int **)

  let div_eucl = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> (zero_big_int, x)
  | 1 -> quomod_big_int x y
  | _ -> let (q, r) = quomod_big_int (add_int_big_int (-1) x) y in
          (add_int_big_int (-1) q, add_big_int (add_int_big_int 1 y) r))

  (** val div :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let div = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> zero_big_int
  | 1 -> div_big_int x y
  | _ -> add_int_big_int (-1) (div_big_int (add_int_big_int (-1) x) y))

  (** val modulo :
      Big_int_Z.big_int -> Big_int_Z.big_int -> Big_int_Z.big_int **)

  let modulo = Big_int_Z.(fun x y ->
  match sign_big_int y with
  | 0 -> x
  | 1 -> mod_big_int x y
  | _ -> add_big_int y (add_int_big_int 1 (mod_big_int (add_int_big_int (-1) x) y)))

  (** val ggcd :
      Big_int_Z.big_int -> Big_int_Z.big_int ->
      Big_int_Z.big_int * (Big_int_Z.big_int * Big_int_Z.big_int) **)

  let ggcd = (fun a b -> let g = Big_int_Z.gcd_big_int a b in
  if Big_int_Z.sign_big_int g = 0 then (g, (a, b)) else (g, (Big_int_Z.div_big_int a g, Big_int_Z.div_big_int b g)))
 end

type q = { qnum : Big_int_Z.big_int; qden : Big_int_Z.big_int }

(** val qplus : q -> q -> q **)

let qplus x y =
  { qnum = (Z.add (Z.mul x.qnum y.qden) (Z.mul y.qnum x.qden)); qden =
    (Coq_Pos.mul x.qden y.qden) }

(** val qmult : q -> q -> q **)

let qmult x y =
  { qnum = (Z.mul x.qnum y.qnum); qden = (Coq_Pos.mul x.qden y.qden) }

(** val qopp : q -> q **)

let qopp x =
  { qnum = (Z.opp x.qnum); qden = x.qden }

(** val qred : q -> q **)

let qred q0 =
  let { qnum = q1; qden = q2 } = q0 in
  let (r1, r2) = snd (Z.ggcd q1 q2) in { qnum = r1; qden = (Z.to_pos r2) }

(** val iffP : bool -> reflect -> reflect **)

let iffP _ pb =
  let _evar_0_ = fun _ _ _ -> ReflectT in
  let _evar_0_0 = fun _ _ _ -> ReflectF in
  (match pb with
   | ReflectT -> _evar_0_ __ __ __
   | ReflectF -> _evar_0_0 __ __ __)

(** val idP : bool -> reflect **)

let idP = function
| true -> ReflectT
| false -> ReflectF

type 't pred0 = 't -> bool

type 't rel = 't -> 't pred0

module Equality =
 struct
  type 't axiom = 't -> 't -> reflect

  type 't mixin_of = { op : 't rel; mixin_of__1 : 't axiom }

  (** val op : 'a1 mixin_of -> 'a1 rel **)

  let op m =
    m.op

  type coq_type =
    __ mixin_of
    (* singleton inductive, whose constructor was Pack *)

  type sort = __

  (** val coq_class : coq_type -> sort mixin_of **)

  let coq_class cT =
    cT
 end

(** val eq_op : Equality.coq_type -> Equality.sort rel **)

let eq_op t =
  (Equality.coq_class t).Equality.op

(** val eqn : nat -> nat -> bool **)

let rec eqn m n =
  match m with
  | O -> (match n with
          | O -> true
          | S _ -> false)
  | S m' -> (match n with
             | O -> false
             | S n' -> eqn m' n')

(** val eqnP : nat Equality.axiom **)

let eqnP n m =
  iffP (eqn n m) (idP (eqn n m))

(** val nat_eqMixin : nat Equality.mixin_of **)

let nat_eqMixin =
  { Equality.op = eqn; Equality.mixin_of__1 = eqnP }

(** val nat_eqType : Equality.coq_type **)

let nat_eqType =
  Obj.magic nat_eqMixin

(** val addn_rec : nat -> nat -> nat **)

let addn_rec =
  add

(** val addn : nat -> nat -> nat **)

let addn =
  addn_rec

(** val subn_rec : nat -> nat -> nat **)

let subn_rec =
  sub

(** val subn : nat -> nat -> nat **)

let subn =
  subn_rec

(** val leq : nat -> nat -> bool **)

let leq m n =
  eq_op nat_eqType (Obj.magic subn m n) (Obj.magic O)

(** val maxn : nat -> nat -> nat **)

let maxn m n =
  if leq (S m) n then n else m

(** val iter : nat -> ('a1 -> 'a1) -> 'a1 -> 'a1 **)

let rec iter n f x =
  match n with
  | O -> x
  | S i -> f (iter i f x)

(** val size : 'a1 list -> nat **)

let rec size = function
| [] -> O
| _ :: s' -> S (size s')

(** val ncons : nat -> 'a1 -> 'a1 list -> 'a1 list **)

let ncons n x =
  iter n (fun x0 -> x :: x0)

(** val nseq : nat -> 'a1 -> 'a1 list **)

let nseq n x =
  ncons n x []

(** val cat : 'a1 list -> 'a1 list -> 'a1 list **)

let rec cat s1 s2 =
  match s1 with
  | [] -> s2
  | x :: s1' -> x :: (cat s1' s2)

(** val rcons : 'a1 list -> 'a1 -> 'a1 list **)

let rec rcons s z0 =
  match s with
  | [] -> z0 :: []
  | x :: s' -> x :: (rcons s' z0)

(** val last : 'a1 -> 'a1 list -> 'a1 **)

let rec last x = function
| [] -> x
| x' :: s' -> last x' s'

(** val nth : 'a1 -> 'a1 list -> nat -> 'a1 **)

let rec nth x0 s n =
  match s with
  | [] -> x0
  | x :: s' -> (match n with
                | O -> x
                | S n' -> nth x0 s' n')

(** val set_nth : 'a1 -> 'a1 list -> nat -> 'a1 -> 'a1 list **)

let rec set_nth x0 s n y =
  match s with
  | [] -> ncons n x0 (y :: [])
  | x :: s' -> (match n with
                | O -> y :: s'
                | S n' -> x :: (set_nth x0 s' n' y))

(** val find : 'a1 pred0 -> 'a1 list -> nat **)

let rec find a = function
| [] -> O
| x :: s' -> if a x then O else S (find a s')

(** val filter : 'a1 pred0 -> 'a1 list -> 'a1 list **)

let rec filter a = function
| [] -> []
| x :: s' -> if a x then x :: (filter a s') else filter a s'

(** val all : 'a1 pred0 -> 'a1 list -> bool **)

let rec all a = function
| [] -> true
| x :: s' -> (&&) (a x) (all a s')

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| x :: s' -> (f x) :: (map f s')

(** val iota : nat -> nat -> nat list **)

let rec iota m = function
| O -> []
| S n' -> m :: (iota (S m) n')

(** val foldr : ('a1 -> 'a2 -> 'a2) -> 'a2 -> 'a1 list -> 'a2 **)

let rec foldr f z0 = function
| [] -> z0
| x :: s' -> f x (foldr f z0 s')

(** val sumn : nat list -> nat **)

let sumn =
  foldr addn O

(** val zip : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec zip s t =
  match s with
  | [] -> []
  | x :: s' -> (match t with
                | [] -> []
                | y :: t' -> (x, y) :: (zip s' t'))

(** val flatten : 'a1 list list -> 'a1 list **)

let flatten s =
  foldr cat [] s

(** val path : 'a1 rel -> 'a1 -> 'a1 list -> bool **)

let rec path e x = function
| [] -> true
| y :: p' -> (&&) (e x y) (path e y p')

(** val modn_rec : nat -> nat -> nat **)

let rec modn_rec d m =
  match subn m d with
  | O -> m
  | S m' -> modn_rec d m'

(** val modn : nat -> nat -> nat **)

let modn m d =
  if leq (S O) d then modn_rec (pred d) m else m

(** val gcdn_rec : nat -> nat -> nat **)

let rec gcdn_rec m n =
  let n' = modn n m in
  (match n' with
   | O -> m
   | S _ ->
     (match subn m (pred n') with
      | O -> n'
      | S m' -> gcdn_rec (modn m' n') n'))

(** val gcdn : nat -> nat -> nat **)

let gcdn =
  gcdn_rec

(** val qzero : q **)

let qzero =
  { qnum = Big_int_Z.zero_big_int; qden = Big_int_Z.unit_big_int }

(** val qone : q **)

let qone =
  { qnum = Big_int_Z.unit_big_int; qden = Big_int_Z.unit_big_int }

(** val qadd : q -> q -> q **)

let qadd a b =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> b)
    (fun _ ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> a)
      (fun _ -> qred (qplus a b))
      (fun _ -> qred (qplus a b))
      b.qnum)
    (fun _ ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> a)
      (fun _ -> qred (qplus a b))
      (fun _ -> qred (qplus a b))
      b.qnum)
    a.qnum

(** val qmul : q -> q -> q **)

let qmul a b =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> qzero)
    (fun _ ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> qzero)
      (fun _ -> qred (qmult a b))
      (fun _ -> qred (qmult a b))
      b.qnum)
    (fun _ ->
    (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
      (fun _ -> qzero)
      (fun _ -> qred (qmult a b))
      (fun _ -> qred (qmult a b))
      b.qnum)
    a.qnum

(** val qopp0 : q -> q **)

let qopp0 =
  qopp

(** val qpos : q -> bool **)

let qpos a =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> false)
    (fun _ -> true)
    (fun _ -> false)
    a.qnum

(** val qnneg : q -> bool **)

let qnneg a =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> true)
    (fun _ -> true)
    (fun _ -> false)
    a.qnum

(** val qnull : q -> bool **)

let qnull a =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> true)
    (fun _ -> false)
    (fun _ -> false)
    a.qnum

type vec = q list

type mat = q list list

(** val at_ : vec -> nat -> q **)

let at_ v i =
  nth qzero v i

(** val entry : mat -> nat -> nat -> q **)

let entry x i j =
  at_ (nth [] x i) j

(** val fit : 'a1 -> nat -> 'a1 list -> 'a1 list **)

let rec fit x n l =
  match n with
  | O -> []
  | S n' ->
    (match l with
     | [] -> x :: (fit x n' [])
     | y :: l' -> y :: (fit x n' l'))

(** val filled : nat -> nat -> mat -> mat **)

let filled n m x =
  map (fun r -> fit qzero m r) (fit [] n x)

(** val zipped : ('a1 -> 'a2 -> 'a3) -> 'a1 list -> 'a2 list -> 'a3 list **)

let rec zipped f u v =
  match u with
  | [] -> []
  | x :: u' ->
    (match v with
     | [] -> []
     | y :: v' -> (f x y) :: (zipped f u' v'))

(** val turned : nat -> 'a1 list list -> 'a1 list list **)

let turned m l =
  foldr (zipped (fun x x0 -> x :: x0)) (nseq m []) l

(** val table : nat -> nat -> (nat -> nat -> 'a1) -> 'a1 list list **)

let table n m f =
  map (fun i -> map (fun j -> f i j) (iota O m)) (iota O n)

(** val multiple : q -> Big_int_Z.big_int -> Big_int_Z.big_int **)

let multiple q0 l =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> l)
    (fun _ ->
    let (_, p) = Z.ggcd q0.qden l in let (d, _) = p in Z.mul d l)
    (fun _ ->
    let (_, p) = Z.ggcd q0.qden l in let (d, _) = p in Z.mul d l)
    q0.qnum

(** val denominator : vec -> Big_int_Z.big_int **)

let denominator v =
  foldr multiple Big_int_Z.unit_big_int v

(** val whole : Big_int_Z.big_int -> q -> Big_int_Z.big_int **)

let whole l q0 =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> Big_int_Z.zero_big_int)
    (fun p -> Z.mul p (Z.div l q0.qden))
    (fun p -> Z.mul (Big_int_Z.minus_big_int p) (Z.div l q0.qden))
    q0.qnum

(** val integers : vec -> Big_int_Z.big_int * Big_int_Z.big_int list **)

let integers v =
  let l = denominator v in (l, (map (fun q0 -> whole l q0) v))

(** val over : Big_int_Z.big_int -> Big_int_Z.big_int -> q **)

let over a l =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> qzero)
    (fun _ -> qred { qnum = a; qden = (Z.to_pos l) })
    (fun _ -> qred { qnum = a; qden = (Z.to_pos l) })
    a

(** val product :
    Big_int_Z.big_int list -> Big_int_Z.big_int list -> Big_int_Z.big_int **)

let rec product u v =
  match u with
  | [] -> Big_int_Z.zero_big_int
  | x :: u' ->
    (match v with
     | [] -> Big_int_Z.zero_big_int
     | y :: v' ->
       ((fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
          (fun _ -> product u' v')
          (fun _ ->
          (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
            (fun _ -> product u' v')
            (fun _ -> Z.add (Z.mul x y) (product u' v'))
            (fun _ -> Z.add (Z.mul x y) (product u' v'))
            y)
          (fun _ ->
          (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
            (fun _ -> product u' v')
            (fun _ -> Z.add (Z.mul x y) (product u' v'))
            (fun _ -> Z.add (Z.mul x y) (product u' v'))
            y)
          x))

(** val total : vec -> q **)

let total v =
  let (l, w) = integers v in over (foldr Z.add Big_int_Z.zero_big_int w) l

(** val times : nat -> nat -> nat -> mat -> mat -> mat **)

let times n k m x y =
  let columns0 = map integers (turned m (filled k m y)) in
  map (fun r ->
    let (l, w) = integers r in
    map (fun c -> over (product w (snd c)) (Z.mul l (fst c))) columns0)
    (filled n k x)

(** val plus : nat -> nat -> mat -> mat -> mat **)

let plus n m x y =
  zipped (zipped qadd) (filled n m x) (filled n m y)

(** val scale : nat -> nat -> q -> mat -> mat **)

let scale n m a x =
  map (fun r -> map (fun x0 -> qmul a x0) r) (filled n m x)

(** val transpose : nat -> nat -> mat -> mat **)

let transpose n m x =
  turned m (filled n m x)

(** val identity : nat -> mat **)

let identity n =
  table n n (fun i j -> if eqn i j then qone else qzero)

(** val qabs : q -> q **)

let qabs a =
  if qnneg a then a else qopp0 a

(** val qequal : q -> q -> bool **)

let qequal a b =
  Z.eqb (Z.mul a.qnum b.qden) (Z.mul b.qnum a.qden)

(** val each : nat -> (nat -> bool) -> bool **)

let each n f =
  all f (iota O n)

(** val each2 : nat -> nat -> (nat -> nat -> bool) -> bool **)

let each2 n m f =
  each n (fun i -> each m (f i))

(** val everywhere : (q -> q -> bool) -> nat -> nat -> mat -> mat -> bool **)

let everywhere f n m x y =
  all (all (fun x0 -> x0)) (zipped (zipped f) (filled n m x) (filled n m y))

(** val equal : nat -> nat -> mat -> mat -> bool **)

let equal =
  everywhere qequal

(** val residual : nat -> mat -> vec -> q -> mat -> mat **)

let residual n s sc h rows =
  let r = scale n n h rows in
  let t = fit qzero n sc in
  let tST =
    zipped (fun x r0 -> zipped (fun y s0 -> qmul x (qmul y s0)) t r0) t
      (filled n n s)
  in
  zipped (zipped (fun x y -> qadd x (qopp0 y))) tST
    (filled n n (times n n n r (transpose n n r)))

(** val dominates : nat -> vec -> bool **)

let dominates i r =
  qpos (qadd (qadd (at_ r i) (at_ r i)) (qopp0 (total (map qabs r))))

(** val dominant : nat -> mat -> bool **)

let dominant n e =
  (&&) (equal n n e (transpose n n e))
    (all (fun x -> x) (zipped dominates (iota O n) (filled n n e)))

(** val factored : nat -> mat -> vec -> q -> mat -> bool **)

let factored n s sc h rows =
  (&&) (each n (fun i -> qpos (at_ sc i)))
    (dominant n (residual n s sc h rows))

(** val whole_rows : nat -> mat -> nat list -> Big_int_Z.big_int list list **)

let whole_rows m x rows =
  map (fun i -> snd (integers (map (fun j -> entry x i j) (iota O m)))) rows

(** val inverse_modulo :
    nat -> Big_int_Z.big_int -> Big_int_Z.big_int list list ->
    Big_int_Z.big_int list list -> bool **)

let inverse_modulo m q0 inverse b =
  let columns0 =
    table m m (fun j i -> nth Big_int_Z.zero_big_int (nth [] b i) j)
  in
  each m (fun i ->
    let r = nth [] inverse i in
    let full = map (fun k -> nth Big_int_Z.zero_big_int r k) (iota O m) in
    each m (fun j ->
      Z.eqb
        (Z.modulo
          (Z.sub (product full (nth [] columns0 j))
            (if eqn i j
             then Big_int_Z.unit_big_int
             else Big_int_Z.zero_big_int)) q0) Big_int_Z.zero_big_int))

type model = { last_state : nat; actions : nat; columns : nat;
               transitions : mat list; rewards : mat list;
               discounts : mat list; behaviour : mat; target : mat;
               features : mat; lambdas : vec }

type witness = { stationary : vec; doublings : nat; common_state : nat;
                 theta : vec }

type lyapunov = { weight : mat; shift : q; weight_scale : vec;
                  weight_unit : q; weight_rows : mat; decrease_times : 
                  q; decrease_scale : vec; decrease_unit : q;
                  decrease_rows : mat }

type regular =
| Inverse of mat
| Modulo of Big_int_Z.big_int
   * (Big_int_Z.big_int list list -> Big_int_Z.big_int list list)

(** val of_action : mat list -> nat -> mat **)

let of_action l a =
  nth [] l a

(** val sum_actions : model -> (nat -> q) -> q **)

let sum_actions m =
  let na = m.actions in (fun f -> total (map f (iota O na)))

(** val by_state : model -> (nat -> q) -> mat -> mat **)

let by_state m =
  let n = S m.last_state in
  (fun u x ->
  zipped (fun i r -> let x0 = u i in map (fun y -> qmul x0 y) r) (iota O n)
    (filled n n x))

(** val over_actions : model -> (nat -> mat) -> mat **)

let over_actions m =
  let n = S m.last_state in
  let na = m.actions in
  (fun x ->
  map (fun l -> map total (turned n l)) (turned n (map x (iota O na))))

(** val behaviour_chain : model -> mat **)

let behaviour_chain m =
  over_actions m (fun a ->
    by_state m (fun i -> entry m.behaviour i a) (of_action m.transitions a))

(** val reweighted : model -> nat -> nat -> q **)

let reweighted m i a =
  if qnull (entry m.behaviour i a) then qzero else entry m.target i a

(** val reweighted_by : model -> mat list -> nat -> mat **)

let reweighted_by m =
  let n = S m.last_state in
  (fun x a ->
  zipped (zipped qmul)
    (by_state m (fun x0 -> reweighted m x0 a) (of_action m.transitions a))
    (filled n n (of_action x a)))

(** val target_kernel : model -> mat **)

let target_kernel m =
  over_actions m (reweighted_by m m.discounts)

(** val target_reward : model -> mat **)

let target_reward m =
  let n = S m.last_state in
  let na = m.actions in
  let x = map (fun a -> reweighted_by m m.rewards a) (iota O na) in
  map (fun l -> (total (map total l)) :: []) (turned n x)

(** val horner : model -> mat -> nat -> vec -> mat -> mat **)

let horner m =
  let n = S m.last_state in
  let rec horner0 n0 k lams x =
    match lams with
    | [] -> x
    | l :: lams' ->
      plus n k x (scale n k l (times n n k n0 (horner0 n0 k lams' x)))
  in horner0

(** val weighted : model -> vec -> mat **)

let weighted m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun d ->
  turned m0
    (zipped (fun r x -> map (fun y -> qmul y x) r) (filled n m0 m.features)
      (fit qzero n d)))

(** val moves : model -> mat -> mat **)

let moves m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun n0 ->
  plus n m0 (times n n m0 n0 m.features) (scale n m0 (qopp0 qone) m.features))

(** val matrix_A : model -> vec -> mat **)

let matrix_A m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun d ->
  let n0 = target_kernel m in
  times m0 n m0 (weighted m d) (horner m n0 m0 m.lambdas (moves m n0)))

(** val vector_b : model -> vec -> mat **)

let vector_b m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun d ->
  let n0 = target_kernel m in
  times m0 n (S O) (weighted m d)
    (horner m n0 (S O) m.lambdas (target_reward m)))

(** val row_law : nat -> (nat -> q) -> bool **)

let row_law n' f =
  (&&) (each n' (fun j -> qnneg (f j)))
    (qequal (total (map f (iota O n'))) qone)

(** val laws : nat -> nat -> mat -> bool **)

let laws n' k x =
  all (fun r -> (&&) (all qnneg r) (qequal (total r) qone)) (filled n' k x)

(** val proper : model -> bool **)

let proper m =
  let n = S m.last_state in
  let na = m.actions in
  (&&) (each na (fun a -> laws n n (of_action m.transitions a)))
    ((&&) (laws n na m.behaviour) (laws n na m.target))

(** val coverage : model -> vec -> bool **)

let coverage m =
  let n = S m.last_state in
  let na = m.actions in
  (fun d ->
  each2 n na (fun i a ->
    implb (qpos (at_ d i))
      (implb (qnull (entry m.behaviour i a)) (qnull (entry m.target i a)))))

(** val support : model -> mat -> bool list list **)

let support m =
  let n = S m.last_state in
  (fun p -> table n n (fun i j -> qpos (entry p i j)))

(** val positive0 : bool list list -> nat -> nat -> bool **)

let positive0 b i j =
  nth false (nth [] b i) j

(** val meet : bool list -> bool list -> bool **)

let rec meet u v =
  match u with
  | [] -> false
  | x :: u' ->
    (match v with
     | [] -> false
     | y :: v' -> (||) ((&&) x y) (meet u' v'))

(** val double0 : model -> bool list list -> bool list list **)

let double0 m =
  let n = S m.last_state in
  (fun b ->
  let cols = table n n (fun j i -> positive0 b i j) in
  map (fun r -> map (fun c -> meet r c) cols) (table n n (positive0 b)))

(** val one_column : model -> nat -> nat -> mat -> bool **)

let one_column m =
  let n = S m.last_state in
  (fun k c p ->
  let b = iter k (double0 m) (support m p) in
  (&&) (each n (fun i -> positive0 b i c)) (leq (S c) n))

(** val stationary_law : model -> mat -> vec -> bool **)

let stationary_law m =
  let n = S m.last_state in
  (fun p d ->
  let dP = times (S O) n n (d :: []) p in
  (&&) (row_law n (at_ d)) (each n (fun j -> qequal (entry dP O j) (at_ d j))))

(** val at_rest : model -> mat -> mat -> vec -> bool **)

let at_rest m =
  let m0 = m.columns in
  (fun a b th ->
  equal m0 (S O) (times m0 m0 (S O) a (table m0 (S O) (fun j _ -> at_ th j)))
    (scale m0 (S O) (qopp0 qone) b))

(** val common_with : model -> mat -> witness -> bool **)

let common_with m a w =
  let p = behaviour_chain m in
  (&&) (proper m)
    ((&&) (one_column m w.doublings w.common_state p)
      ((&&) (stationary_law m p w.stationary)
        ((&&) (coverage m w.stationary)
          (at_rest m a (vector_b m w.stationary) w.theta))))

(** val decreases : model -> mat -> mat -> q -> q -> mat **)

let decreases m =
  let m0 = m.columns in
  (fun a x s c ->
  let b = plus m0 m0 a (scale m0 m0 (qopp0 s) (identity m0)) in
  let xB = times m0 m0 m0 x b in
  scale m0 m0 (qopp0 c) (plus m0 m0 xB (transpose m0 m0 xB)))

(** val lyapunov_with : model -> mat -> lyapunov -> bool **)

let lyapunov_with m =
  let m0 = m.columns in
  (fun a y ->
  let x = y.weight in
  (&&) (equal m0 m0 x (transpose m0 m0 x))
    ((&&) (qnneg (qopp0 y.shift))
      ((&&) (qpos y.decrease_times)
        ((&&) (factored m0 x y.weight_scale y.weight_unit y.weight_rows)
          (factored m0 (decreases m a x y.shift y.decrease_times)
            y.decrease_scale y.decrease_unit y.decrease_rows)))))

(** val check_td : model -> witness -> lyapunov -> bool **)

let check_td m w y =
  let a = matrix_A m w.stationary in
  (&&) (common_with m a w) (lyapunov_with m a y)

(** val nonsingular : model -> mat -> regular -> bool **)

let nonsingular m =
  let m0 = m.columns in
  (fun a y ->
  match y with
  | Inverse x -> equal m0 m0 (times m0 m0 m0 x a) (identity m0)
  | Modulo (q0, find0) ->
    (&&) (Z.ltb Big_int_Z.unit_big_int q0)
      (let b = whole_rows m0 a (iota O m0) in inverse_modulo m0 q0 (find0 b) b))

(** val check_gradient : model -> witness -> regular -> bool **)

let check_gradient m w y =
  let a = matrix_A m w.stationary in
  (&&) (common_with m a w) (nonsingular m a y)

(** val marked : bool list -> nat -> bool **)

let marked s i =
  nth false s i

(** val grow :
    (nat -> nat -> bool) -> bool list -> (nat * nat) list -> bool list **)

let rec grow edge known0 = function
| [] -> known0
| p :: rest ->
  let (a, b) = p in
  if (&&) (marked known0 a) (edge a b)
  then grow edge (set_nth false known0 b true) rest
  else known0

(** val grown :
    (nat -> nat -> bool) -> nat -> (nat * nat) list -> bool list **)

let grown edge root0 order0 =
  grow edge (set_nth false [] root0 true) order0

type component = { members : bool list; root : nat;
                   from_root : (nat * nat) list; to_root : (nat * nat) list }

(** val edge_of : mat -> nat -> nat -> bool **)

let edge_of p i j =
  qpos (entry p i j)

(** val closed_set : model -> mat -> bool list -> bool **)

let closed_set m =
  let n = S m.last_state in
  (fun p s ->
  each n (fun i ->
    if marked s i
    then each n (fun j -> if edge_of p i j then marked s j else true)
    else true))

(** val recurrent : model -> mat -> component -> bool **)

let recurrent m =
  let n = S m.last_state in
  (fun p c ->
  (&&) (leq (S c.root) n)
    ((&&) (marked c.members c.root)
      ((&&) (closed_set m p c.members)
        ((&&)
          (let known0 = grown (edge_of p) c.root c.from_root in
           each n (fun j -> implb (marked c.members j) (marked known0 j)))
          (let known0 = grown (fun i j -> edge_of p j i) c.root c.to_root in
           each n (fun i -> implb (marked c.members i) (marked known0 i)))))))

(** val check_irreducible : model -> component -> bool **)

let check_irreducible m =
  let n = S m.last_state in
  (fun c ->
  (&&) (proper m)
    ((&&) (each n (marked c.members)) (recurrent m (behaviour_chain m) c)))

(** val check_reducible : model -> bool list -> bool **)

let check_reducible m =
  let n = S m.last_state in
  (fun s ->
  (&&) (proper m)
    ((&&) (negb (each n (fun i -> negb (marked s i))))
      ((&&) (negb (each n (marked s))) (closed_set m (behaviour_chain m) s))))

(** val check_stationary : model -> bool -> component -> vec -> bool **)

let check_stationary m =
  let n = S m.last_state in
  (fun unique c d ->
  let p = behaviour_chain m in
  (&&) (proper m)
    ((&&) (recurrent m p c)
      ((&&)
        (if unique
         then let known0 = grown (fun i j -> edge_of p j i) c.root c.to_root
              in
              each n (marked known0)
         else true)
        ((&&)
          (each n (fun i ->
            if marked c.members i then qpos (at_ d i) else qnull (at_ d i)))
          (stationary_law m p d)))))

(** val next_phase : nat -> nat -> nat **)

let next_phase r k =
  if eqn (S k) r then O else S k

(** val closed_walk : mat -> component -> nat list -> bool **)

let closed_walk p c = function
| [] -> false
| i :: rest ->
  (match rest with
   | [] -> false
   | _ :: _ ->
     (&&) (marked c.members i)
       ((&&) (eqn (last i rest) i) (path (edge_of p) i rest)))

(** val check_period :
    model -> component -> nat -> nat list -> nat list list -> bool **)

let check_period m =
  let n = S m.last_state in
  (fun c r phase walks ->
  let p = behaviour_chain m in
  let at_phase = nth O phase in
  (&&) (proper m)
    ((&&) (recurrent m p c)
      ((&&)
        (each n (fun i ->
          if marked c.members i
          then (&&) (leq (S (at_phase i)) r)
                 (each n (fun j ->
                   if edge_of p i j
                   then eqn (at_phase j) (next_phase r (at_phase i))
                   else true))
          else true))
        ((&&) (all (closed_walk p c) walks)
          (eqn (foldr (fun w g -> gcdn (pred (size w)) g) O walks) r)))))

(** val among : component option -> nat -> bool **)

let among c i =
  match c with
  | Some c' -> marked c'.members i
  | None -> true

(** val is_class : model -> component option -> bool **)

let is_class m = function
| Some c' -> recurrent m (behaviour_chain m) c'
| None -> true

(** val check_missing_coverage :
    model -> component option -> nat -> nat -> bool **)

let check_missing_coverage m =
  let n = S m.last_state in
  (fun c s a ->
  (&&) (proper m)
    ((&&) (is_class m c)
      ((&&) (leq (S s) n)
        ((&&) (among c s)
          ((&&) (leq (S a) m.actions)
            ((&&) (qpos (entry m.target s a)) (qnull (entry m.behaviour s a))))))))

(** val check_rank_deficient : model -> component option -> vec -> bool **)

let check_rank_deficient m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun c x ->
  (&&) (proper m)
    ((&&) (is_class m c)
      ((&&) (negb (each m0 (fun j -> qnull (at_ x j))))
        (each n (fun i ->
          if among c i
          then qnull
                 (total
                   (map (fun j -> qmul (entry m.features i j) (at_ x j))
                     (iota O m0)))
          else true)))))

(** val check_full_rank :
    model -> component option -> nat list -> Big_int_Z.big_int ->
    Big_int_Z.big_int list list -> bool **)

let check_full_rank m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun c rows q0 inverse ->
  (&&) (proper m)
    ((&&) (is_class m c)
      ((&&) (Z.ltb Big_int_Z.unit_big_int q0)
        ((&&) (eqn (size rows) m0)
          ((&&) (all (fun i -> (&&) (leq (S i) n) (among c i)) rows)
            (inverse_modulo m0 q0 inverse (whole_rows m0 m.features rows)))))))

type ending =
| WithEnd
| WithoutEnd of q * mat

(** val between : model -> mat -> mat -> vec -> bool **)

let between m =
  let n = S m.last_state in
  (fun n0 p d ->
  (&&)
    (each2 n n (fun i j ->
      (&&) (qnneg (entry n0 i j))
        (qnneg (qadd (entry p i j) (qopp0 (entry n0 i j))))))
    (negb
      (each n (fun i ->
        if qpos (at_ d i)
        then each n (fun j -> qequal (entry n0 i j) (entry p i j))
        else true))))

(** val rank_where :
    model -> vec -> nat list -> Big_int_Z.big_int -> Big_int_Z.big_int list
    list -> bool **)

let rank_where m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun d rows q0 inverse ->
  (&&) (Z.ltb Big_int_Z.unit_big_int q0)
    ((&&) (eqn (size rows) m0)
      ((&&) (all (fun i -> (&&) (leq (S i) n) (qpos (at_ d i))) rows)
        (inverse_modulo m0 q0 inverse (whole_rows m0 m.features rows)))))

(** val mean_error : model -> mat -> vec -> mat **)

let mean_error m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun n0 th ->
  let v = times n m0 (S O) m.features (table m0 (S O) (fun j _ -> at_ th j))
  in
  plus n (S O)
    (plus n (S O) (times n n (S O) n0 v) (scale n (S O) (qopp0 qone) v))
    (target_reward m))

(** val no_mean : model -> vec -> mat -> bool **)

let no_mean m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun d y ->
  let z0 = times m0 n (S O) (weighted m d) y in
  each m0 (fun i -> qnull (entry z0 i O)))

(** val unit_interval : q -> bool **)

let unit_interval l =
  (&&) (qnneg l) (qnneg (qadd qone (qopp0 l)))

(** val coverage_everywhere : model -> bool **)

let coverage_everywhere m =
  let n = S m.last_state in
  let na = m.actions in
  each2 n na (fun i a ->
    if qnull (entry m.behaviour i a) then qnull (entry m.target i a) else true)

(** val traces_fade : model -> q -> bool **)

let traces_fade m =
  let n = S m.last_state in
  let na = m.actions in
  (fun l ->
  each na (fun a ->
    let g = of_action m.discounts a in
    each n (fun i ->
      let u = entry m.behaviour i a in
      if qpos u
      then let lp = qmul l (entry m.target i a) in
           each n (fun j ->
             qpos (qadd u (qopp0 (qabs (qmul lp (entry g i j))))))
      else true)))

(** val rests_by : model -> mat -> vec -> vec -> ending -> bool **)

let rests_by m =
  let n = S m.last_state in
  (fun n0 d th s ->
  let e = mean_error m n0 th in
  (match s with
   | WithEnd ->
     (&&) (all unit_interval m.lambdas)
       (no_mean m d (horner m n0 (S O) m.lambdas e))
   | WithoutEnd (l, y) ->
     (&&) (unit_interval l)
       ((&&) (coverage_everywhere m)
         ((&&) (traces_fade m l)
           ((&&)
             (equal n (S O)
               (plus n (S O) y
                 (scale n (S O) (qopp0 l) (times n n (S O) n0 y))) e)
             (no_mean m d y))))))

(** val check_td_by_rank :
    model -> witness -> ending -> nat list -> Big_int_Z.big_int ->
    Big_int_Z.big_int list list -> bool **)

let check_td_by_rank m w s rows q0 inverse =
  let p = behaviour_chain m in
  let n = target_kernel m in
  let d = w.stationary in
  (&&) (proper m)
    ((&&) (one_column m w.doublings w.common_state p)
      ((&&) (stationary_law m p d)
        ((&&) (coverage m d)
          ((&&) (between m n p d)
            ((&&) (rank_where m d rows q0 inverse) (rests_by m n d w.theta s))))))

(** val with_columns : model -> nat list -> model **)

let with_columns m chosen =
  let n = S m.last_state in
  let k = size chosen in
  { last_state = m.last_state; actions = m.actions; columns = k;
  transitions = m.transitions; rewards = m.rewards; discounts = m.discounts;
  behaviour = m.behaviour; target = m.target; features =
  (table n k (fun i j -> entry m.features i (nth O chosen j))); lambdas =
  m.lambdas }

(** val spans : model -> nat list -> mat -> bool **)

let spans m chosen =
  let n = S m.last_state in
  let m0 = m.columns in
  let k = size chosen in
  (fun t ->
  (&&) (all (fun c -> leq (S c) m0) chosen)
    ((&&)
      (each2 k k (fun i j ->
        qequal (entry t i (nth O chosen j)) (if eqn i j then qone else qzero)))
      (equal n m0 (times n k m0 (with_columns m chosen).features t)
        m.features)))

(** val check_td_columns :
    model -> nat list -> mat -> witness -> lyapunov -> bool **)

let check_td_columns m chosen =
  let k = size chosen in
  (fun t w y ->
  (&&) (spans m chosen t)
    ((&&) (equal k k y.weight (identity k))
      (check_td (with_columns m chosen) w y)))

(** val check_td_by_rank_columns :
    model -> nat list -> mat -> witness -> ending -> nat list ->
    Big_int_Z.big_int -> Big_int_Z.big_int list list -> bool **)

let check_td_by_rank_columns m chosen t w s rows q0 inverse =
  (&&) (spans m chosen t)
    (check_td_by_rank (with_columns m chosen) w s rows q0 inverse)

(** val check_gradient_columns :
    model -> nat list -> mat -> witness -> regular -> bool **)

let check_gradient_columns m chosen t w y =
  (&&) (spans m chosen t) (check_gradient (with_columns m chosen) w y)

type summing =
| Ends
| Endless of q * bool list * mat

type basis = { about_class : component; covered : bool; powers : summing;
               law_given : vec }

(** val weight_used : model -> basis -> nat -> nat -> q **)

let weight_used m b i a =
  if (&&) b.covered (qnull (entry m.behaviour i a))
  then qzero
  else entry m.target i a

(** val kernel : model -> basis -> mat **)

let kernel m =
  let n = S m.last_state in
  (fun b ->
  table n n (fun i j ->
    sum_actions m (fun a ->
      qmul
        (qmul (weight_used m b i a) (entry (of_action m.transitions a) i j))
        (entry (of_action m.discounts a) i j))))

(** val share : model -> basis -> vec **)

let share m =
  let n = S m.last_state in
  (fun b -> map (fun i -> sum_actions m (weight_used m b i)) (iota O n))

(** val mean_gain : model -> basis -> mat **)

let mean_gain m =
  let n = S m.last_state in
  (fun b ->
  table n (S O) (fun i _ ->
    sum_actions m (fun a ->
      total
        (map (fun j ->
          qmul
            (qmul (weight_used m b i a)
              (entry (of_action m.transitions a) i j))
            (entry (of_action m.rewards a) i j)) (iota O n)))))

(** val ahead_alone : model -> bool list -> mat -> mat **)

let ahead_alone m =
  let n = S m.last_state in
  (fun t n0 ->
  table n n (fun i j -> if marked t i then entry n0 i j else qzero))

(** val summable_powers : model -> basis -> mat -> bool **)

let summable_powers m =
  let n = S m.last_state in
  (fun b n0 ->
  match b.powers with
  | Ends -> true
  | Endless (l, t, w) ->
    (&&)
      (each n (fun i -> implb (marked b.about_class.members i) (marked t i)))
      ((&&)
        (each n (fun i ->
          if marked t i
          then each n (fun j ->
                 if qnull (entry n0 i j) then true else marked t j)
          else true))
        (equal n n
          (times n n n
            (plus n n (identity n) (scale n n (qopp0 l) (ahead_alone m t n0)))
            w) (identity n))))

(** val summed : model -> basis -> mat -> nat -> mat -> mat **)

let summed m =
  let n = S m.last_state in
  (fun b n0 k x ->
  match b.powers with
  | Ends -> horner m n0 k m.lambdas x
  | Endless (_, _, w) -> times n n k w x)

(** val moved : model -> basis -> mat -> nat -> mat -> mat **)

let moved m =
  let n = S m.last_state in
  (fun b n0 k x ->
  let q0 = share m b in
  let nX = times n n k n0 x in
  table n k (fun i j ->
    qadd (entry nX i j) (qopp0 (qmul (at_ q0 i) (entry x i j)))))

(** val based : model -> basis -> bool **)

let based m b =
  (&&) (check_stationary m false b.about_class b.law_given)
    (summable_powers m b (kernel m b))

(** val of_A : model -> basis -> mat **)

let of_A m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun b ->
  let n0 = kernel m b in
  times m0 n m0 (weighted m b.law_given)
    (summed m b n0 m0 (moved m b n0 m0 m.features)))

(** val of_C : model -> basis -> mat **)

let of_C m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun b -> times m0 n m0 (weighted m b.law_given) m.features)

(** val of_b : model -> basis -> mat **)

let of_b m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun b ->
  times m0 n (S O) (weighted m b.law_given)
    (summed m b (kernel m b) (S O) (mean_gain m b)))

(** val nonzero : nat -> vec -> bool **)

let nonzero k x =
  negb (each k (fun j -> qnull (at_ x j)))

(** val null_vector : model -> mat -> vec -> bool **)

let null_vector m =
  let m0 = m.columns in
  (fun a x ->
  each m0 (fun i ->
    qnull (total (map (fun j -> qmul (entry a i j) (at_ x j)) (iota O m0)))))

(** val check_nonsingular :
    model -> basis -> Big_int_Z.big_int -> (Big_int_Z.big_int list list ->
    Big_int_Z.big_int list list) -> bool **)

let check_nonsingular m b q0 find0 =
  (&&) (based m b) (nonsingular m (of_A m b) (Modulo (q0, find0)))

(** val check_singular : model -> basis -> vec -> bool **)

let check_singular m =
  let m0 = m.columns in
  (fun b x ->
  (&&) (based m b) ((&&) (nonzero m0 x) (null_vector m (of_A m b) x)))

(** val check_fixed_point :
    model -> basis -> Big_int_Z.big_int -> (Big_int_Z.big_int list list ->
    Big_int_Z.big_int list list) -> vec -> bool **)

let check_fixed_point m b q0 find0 theta0 =
  let a = of_A m b in
  (&&) (based m b)
    ((&&) (nonsingular m a (Modulo (q0, find0)))
      (at_rest m a (of_b m b) theta0))

(** val listed : model -> bool list -> nat list **)

let listed m =
  let n = S m.last_state in (fun s -> filter (fun i -> marked s i) (iota O n))

(** val part : nat list -> mat -> mat **)

let part rows x =
  map (fun i -> map (fun j -> entry x i j) rows) rows

(** val of_K : model -> basis -> mat **)

let of_K m =
  let n = S m.last_state in
  (fun b ->
  let n0 = kernel m b in summed m b n0 n (moved m b n0 n (identity n)))

(** val inside : model -> bool list -> mat -> bool **)

let inside m =
  let n = S m.last_state in
  (fun s k ->
  each n (fun i ->
    if marked s i
    then each n (fun j -> if marked s j then true else qnull (entry k i j))
    else true))

(** val minus_D : model -> vec -> mat -> mat **)

let minus_D m =
  let n = S m.last_state in
  (fun d k -> table n n (fun i j -> qopp0 (qmul (at_ d i) (entry k i j))))

type factor = { factor_scale : vec; factor_unit : q; factor_rows : mat }

(** val positive_definite : nat -> mat -> factor -> bool **)

let positive_definite k s f =
  factored k s f.factor_scale f.factor_unit f.factor_rows

(** val both : nat -> q -> mat -> mat **)

let both k c x =
  table k k (fun i j -> qmul c (qadd (entry x i j) (entry x j i)))

(** val half : bool -> q **)

let half positive1 =
  { qnum =
    (if positive1
     then Big_int_Z.unit_big_int
     else Big_int_Z.minus_big_int Big_int_Z.unit_big_int); qden =
    (Big_int_Z.mult_int_big_int 2 Big_int_Z.unit_big_int) }

(** val form_at : nat -> mat -> vec -> q **)

let form_at k x x0 =
  total
    (map (fun i ->
      qmul (at_ x0 i)
        (total (map (fun j -> qmul (entry x i j) (at_ x0 j)) (iota O k))))
      (iota O k))

type formed =
| FormA
| FormC
| FormD

(** val form_size : model -> basis -> formed -> nat **)

let form_size m =
  let m0 = m.columns in
  (fun b f ->
  match f with
  | FormD -> size (listed m b.about_class.members)
  | _ -> m0)

(** val form_K : model -> basis -> formed -> mat **)

let form_K m b = function
| FormD -> of_K m b
| _ -> []

(** val form_matrix : model -> basis -> formed -> mat -> mat **)

let form_matrix m b f k =
  match f with
  | FormA -> of_A m b
  | FormC -> of_C m b
  | FormD -> part (listed m b.about_class.members) (minus_D m b.law_given k)

(** val form_stays : model -> basis -> formed -> mat -> bool **)

let form_stays m b f k =
  match f with
  | FormD -> inside m b.about_class.members k
  | _ -> true

(** val definite_with :
    model -> basis -> formed -> mat -> bool -> factor -> bool **)

let definite_with m b f k positive1 y =
  let k0 = form_size m b f in
  (&&) (based m b)
    ((&&) (form_stays m b f k)
      (positive_definite k0 (both k0 (half positive1) (form_matrix m b f k))
        y))

(** val check_definite :
    model -> basis -> formed -> bool -> factor -> bool **)

let check_definite m b f positive1 y =
  definite_with m b f (form_K m b f) positive1 y

(** val wrong_sign : bool -> q -> bool **)

let wrong_sign positive1 a =
  if positive1 then negb (qpos a) else negb (qpos (qopp0 a))

(** val not_definite_with :
    model -> basis -> formed -> mat -> bool -> vec -> bool **)

let not_definite_with m b f k positive1 x =
  let k0 = form_size m b f in
  (&&) (based m b)
    ((&&) (form_stays m b f k)
      ((&&) (nonzero k0 x)
        (wrong_sign positive1 (form_at k0 (form_matrix m b f k) x))))

(** val check_not_definite :
    model -> basis -> formed -> bool -> vec -> bool **)

let check_not_definite m b f positive1 x =
  not_definite_with m b f (form_K m b f) positive1 x

(** val check_C_by_rank :
    model -> basis -> nat list -> Big_int_Z.big_int -> Big_int_Z.big_int list
    list -> bool **)

let check_C_by_rank m b rows q0 inverse =
  (&&) (based m b) (check_full_rank m (Some b.about_class) rows q0 inverse)

(** val check_A_by_rank :
    model -> basis -> nat list -> Big_int_Z.big_int -> Big_int_Z.big_int list
    list -> factor -> bool **)

let check_A_by_rank m b rows q0 inverse y =
  (&&) (check_full_rank m (Some b.about_class) rows q0 inverse)
    (check_definite m b FormD true y)

(** val check_gradient_stable :
    model -> basis -> nat list -> Big_int_Z.big_int -> Big_int_Z.big_int list
    list -> Big_int_Z.big_int -> (Big_int_Z.big_int list list ->
    Big_int_Z.big_int list list) -> bool **)

let check_gradient_stable m b rows p inverse q0 find0 =
  (&&) (check_full_rank m (Some b.about_class) rows p inverse)
    (check_nonsingular m b q0 find0)

type dynamics =
| TD
| GTD of q
| TDC of mat
| TDCJoint of q

(** val dynamics_size : model -> dynamics -> nat **)

let dynamics_size m =
  let m0 = m.columns in
  (fun f -> match f with
            | TD -> m0
            | TDC _ -> m0
            | _ -> addn m0 m0)

(** val blocks : model -> mat -> mat -> mat -> mat -> mat **)

let blocks m =
  let m0 = m.columns in
  (fun w x y z0 ->
  table (addn m0 m0) (addn m0 m0) (fun i j ->
    if leq (S i) m0
    then if leq (S j) m0 then entry w i j else entry x i (subn j m0)
    else if leq (S j) m0
         then entry y (subn i m0) j
         else entry z0 (subn i m0) (subn j m0)))

(** val dynamics_matrix : model -> basis -> dynamics -> mat **)

let dynamics_matrix m =
  let m0 = m.columns in
  (fun b f ->
  let a = of_A m b in
  let c = of_C m b in
  let aT = transpose m0 m0 a in
  (match f with
   | TD -> a
   | GTD eta ->
     blocks m (scale m0 m0 (qopp0 eta) c) (scale m0 m0 eta a)
       (scale m0 m0 (qopp0 qone) aT) []
   | TDC inverse ->
     scale m0 m0 (qopp0 qone) (times m0 m0 m0 aT (times m0 m0 m0 inverse a))
   | TDCJoint eta ->
     blocks m a (scale m0 m0 (qopp0 qone) (plus m0 m0 aT c))
       (scale m0 m0 eta a) (scale m0 m0 (qopp0 eta) c)))

(** val dynamics_given : model -> basis -> dynamics -> bool **)

let dynamics_given m =
  let m0 = m.columns in
  (fun b f ->
  match f with
  | TD -> true
  | GTD eta -> qpos eta
  | TDC inverse ->
    equal m0 m0 (times m0 m0 m0 (of_C m b) inverse) (identity m0)
  | TDCJoint eta -> qpos eta)

(** val check_GTD_not_definite :
    model -> basis -> q -> bool -> vec -> bool **)

let check_GTD_not_definite m =
  let m0 = m.columns in
  (fun b eta positive1 x ->
  (&&) (based m b)
    ((&&) (dynamics_given m b (GTD eta))
      ((&&) (nonzero (addn m0 m0) x)
        (wrong_sign positive1
          (form_at (addn m0 m0) (dynamics_matrix m b (GTD eta)) x)))))

(** val shifted : nat -> mat -> mat -> q -> mat **)

let shifted k b x s =
  times k k k x (plus k k b (scale k k (qopp0 s) (identity k)))

(** val check_hurwitz :
    model -> basis -> dynamics -> q -> mat -> factor -> factor -> bool **)

let check_hurwitz m b f s x y z0 =
  let k = dynamics_size m f in
  (&&) (based m b)
    ((&&) (dynamics_given m b f)
      ((&&) (equal k k x (transpose k k x))
        ((&&) (positive_definite k x y)
          (positive_definite k
            (both k (qopp0 qone) (shifted k (dynamics_matrix m b f) x s)) z0))))

(** val check_unstable :
    model -> basis -> dynamics -> q -> mat -> vec -> factor -> bool **)

let check_unstable m b f s x x0 y =
  let k = dynamics_size m f in
  (&&) (based m b)
    ((&&) (dynamics_given m b f)
      ((&&) (negb (qpos (qopp0 s)))
        ((&&) (equal k k x (transpose k k x))
          ((&&) (qpos (form_at k x x0))
            (positive_definite k
              (both k qone (shifted k (dynamics_matrix m b f) x s)) y)))))

type semidefinite =
| Squares of nat list * mat * factor
| Weights of vec

(** val moves_on : model -> nat list -> mat -> mat **)

let moves_on m =
  let n = S m.last_state in
  (fun rows k -> part rows (plus n n k (identity n)))

(** val gap : nat list -> q -> vec -> mat -> mat **)

let gap rows c d x =
  let k = size rows in
  let e = map (fun i -> at_ d i) rows in
  let t =
    times k k k (transpose k k x)
      (table k k (fun i j -> qmul (at_ e i) (entry x i j)))
  in
  table k k (fun i j ->
    qadd (if eqn i j then qmul (qmul c c) (at_ e i) else qzero)
      (qopp0 (entry t i j)))

(** val no_form_below_zero : nat -> mat -> mat -> semidefinite -> bool **)

let no_form_below_zero k x z0 = function
| Squares (b, c, f) ->
  let l = size b in
  let t = part b z0 in
  (&&) (positive_definite l t f)
    (equal k k z0 (times k l k (transpose l k c) (times l l k t c)))
| Weights w ->
  (&&) (each k (fun i -> qpos (at_ w i)))
    ((&&) (each2 k k (fun i j -> qnneg (entry x i j)))
      (each k (fun i ->
        qnneg
          (total (map (fun j -> qmul (entry z0 i j) (at_ w j)) (iota O k))))))

(** val contraction_with :
    model -> basis -> q -> mat -> semidefinite -> bool **)

let contraction_with m b c k y =
  let rows = listed m b.about_class.members in
  let x = moves_on m rows k in
  (&&) (based m b)
    ((&&) (qnneg c)
      ((&&) (inside m b.about_class.members k)
        (no_form_below_zero (size rows) x (gap rows c b.law_given x) y)))

(** val check_contraction : model -> basis -> q -> semidefinite -> bool **)

let check_contraction m b c y =
  contraction_with m b c (of_K m b) y

(** val column : vec -> mat **)

let column x =
  map (fun a -> a :: []) x

(** val longer_than : model -> q -> vec -> vec -> vec -> bool **)

let longer_than m =
  let n = S m.last_state in
  (fun c d x z0 ->
  qpos
    (qadd
      (total
        (map (fun i -> qmul (at_ d i) (qmul (at_ z0 i) (at_ z0 i)))
          (iota O n)))
      (qopp0
        (qmul (qmul c c)
          (total
            (map (fun i -> qmul (at_ d i) (qmul (at_ x i) (at_ x i)))
              (iota O n)))))))

(** val check_not_contraction : model -> basis -> q -> vec -> bool **)

let check_not_contraction m =
  let n = S m.last_state in
  (fun b c x ->
  let n0 = kernel m b in
  let kx = summed m b n0 (S O) (moved m b n0 (S O) (column x)) in
  (&&) (based m b)
    (longer_than m c b.law_given x
      (map (fun i -> qadd (entry kx i O) (at_ x i)) (iota O n))))

(** val fraction_inverse : q -> q **)

let fraction_inverse a =
  (fun fO fp fn z -> let s = Big_int_Z.sign_big_int z in
  if s = 0 then fO () else if s > 0 then fp z
  else fn (Big_int_Z.minus_big_int z))
    (fun _ -> qzero)
    (fun x -> { qnum = a.qden; qden = x })
    (fun x -> { qnum = (Big_int_Z.minus_big_int a.qden); qden = x })
    a.qnum

type named =
| TheIdentity
| TheOnes of nat
| TheChain
| TheTarget
| TheKernel
| TheReward
| TheShare
| TheFeatures
| TheLaw
| TheWeights
| TheA
| TheB
| TheC
| TheTheta
| TheDiscount
| TheKappa
| TheLength
| TheLambda of nat
| TheProduct of nat
| TheWeight of nat
| TheRows of nat

type at_step =
| StepReward
| StepDiscount
| StepRatio
| StepError
| StepValue
| StepFeatures
| StepState
| StepTrace of bool

type walk = { first_state : nat; transitions_of : (nat * nat) list }

type expression =
| OnStep of at_step * nat
| ReturnOf of bool
| OnPath of walk * expression
| MeanOver of bool * nat option * nat * expression
| Constant of q
| Named of named
| Added of expression * expression
| Negated of expression
| Scaled of expression * expression
| Multiplied of expression * expression
| Raised of expression * nat
| Transposed of expression
| EntryOf of expression * nat * nat
| SumOf of expression
| DiagonalOf of expression
| Beside of expression * expression
| DeterminantOf of expression * mat * mat * mat
| PairsOf of expression
| SolutionOf of expression * expression * mat
| PowersOf of expression
| StepsOf of expression

type order =
| Alike
| Unlike
| Below
| AtMost

type relation = (expression * order) * expression

type prepared = { chain_is : mat; kernel_is : mat; sum_is : bool; a_is : 
                  mat; b_is : mat; c_is : mat }

(** val lambda_at : model -> basis -> nat -> q **)

let lambda_at m b k =
  match b.powers with
  | Ends -> (match k with
             | O -> qzero
             | S i -> at_ m.lambdas i)
  | Endless (l, _, _) -> l

(** val product_at : model -> basis -> nat -> q **)

let product_at m b k =
  foldr (fun j a -> qmul (lambda_at m b j) a) qone (iota (S O) k)

(** val weight_at : model -> basis -> nat -> q **)

let weight_at m b k =
  qadd (product_at m b (pred k)) (qopp0 (product_at m b k))

(** val row_at : model -> basis -> nat -> nat -> q **)

let row_at m b i j =
  if leq (S j) i
  then qmul (product_at m b (pred j)) (qadd qone (qopp0 (lambda_at m b j)))
  else if eqn j i then product_at m b (pred i) else qzero

(** val power_at : q -> nat -> q **)

let rec power_at a = function
| O -> qone
| S k' -> qmul a (power_at a k')

(** val discount_at : model -> q **)

let discount_at m =
  entry (of_action m.discounts O) O O

(** val one_discount : model -> bool **)

let one_discount m =
  let n = S m.last_state in
  each m.actions (fun a ->
    each2 n n (fun i j ->
      qequal (entry (of_action m.discounts a) i j) (discount_at m)))

(** val kappa_at : model -> basis -> q **)

let kappa_at m b =
  match b.powers with
  | Ends ->
    total
      (map (fun k ->
        qmul (weight_at m b (S k)) (power_at (discount_at m) (S k)))
        (iota O (S (size m.lambdas))))
  | Endless (l, _, _) ->
    qmul (qmul (qadd qone (qopp0 l)) (discount_at m))
      (fraction_inverse (qadd qone (qopp0 (qmul l (discount_at m)))))

(** val natural_at : nat -> q **)

let natural_at k =
  total (map (fun _ -> qone) (iota O k))

(** val target_at : model -> basis -> mat **)

let target_at m b =
  let n = S m.last_state in
  table n n (fun i j ->
    sum_actions m (fun a ->
      qmul (weight_used m b i a) (entry (of_action m.transitions a) i j)))

(** val upright : nat -> vec -> mat **)

let upright k v =
  table k (S O) (fun i _ -> at_ v i)

(** val diagonal : nat -> mat -> mat **)

let diagonal k x =
  table k k (fun i j -> if eqn i j then entry x i O else qzero)

(** val state_on : walk -> nat -> nat **)

let state_on w = function
| O -> w.first_state
| S k' -> snd (nth (O, O) w.transitions_of k')

(** val action_on : walk -> nat -> nat **)

let action_on w k =
  fst (nth (O, O) w.transitions_of k)

(** val reward_on : model -> walk -> nat -> q **)

let reward_on m w k =
  entry (of_action m.rewards (action_on w k)) (state_on w k)
    (state_on w (S k))

(** val discount_on : model -> walk -> nat -> q **)

let discount_on m w k =
  entry (of_action m.discounts (action_on w k)) (state_on w k)
    (state_on w (S k))

(** val target_on : model -> walk -> nat -> q **)

let target_on m w k =
  entry m.target (state_on w k) (action_on w k)

(** val behaviour_on : model -> walk -> nat -> q **)

let behaviour_on m w k =
  entry m.behaviour (state_on w k) (action_on w k)

(** val ratio_on : model -> walk -> nat -> q **)

let ratio_on m w k =
  qmul (target_on m w k) (fraction_inverse (behaviour_on m w k))

(** val ratio_if : model -> bool -> walk -> nat -> q **)

let ratio_if m r w k =
  if r then ratio_on m w k else qone

(** val value_on : model -> vec -> walk -> nat -> q **)

let value_on m star =
  let m0 = m.columns in
  (fun w k ->
  total
    (map (fun j -> qmul (entry m.features (state_on w k) j) (at_ star j))
      (iota O m0)))

(** val error_on : model -> vec -> walk -> nat -> q **)

let error_on m star w k =
  qadd
    (qadd (reward_on m w k)
      (qmul (discount_on m w k) (value_on m star w (S k))))
    (qopp0 (value_on m star w k))

(** val lag_on : model -> basis -> bool -> walk -> nat -> nat -> q **)

let lag_on m b r w k i =
  qmul (product_at m b (subn k i))
    (foldr (fun j a -> qmul (qmul (discount_on m w j) (ratio_if m r w j)) a)
      (ratio_if m r w k) (iota i (subn k i)))

(** val trace_on : model -> basis -> bool -> walk -> nat -> mat **)

let trace_on m b =
  let m0 = m.columns in
  (fun r w k ->
  table m0 (S O) (fun j _ ->
    total
      (map (fun i ->
        qmul (lag_on m b r w k i) (entry m.features (state_on w i) j))
        (iota O (S k)))))

(** val return_on :
    model -> basis -> vec -> bool -> walk -> nat -> nat -> q **)

let rec return_on m b star r w k i =
  let l = lambda_at m b (S i) in
  let rest = match k with
             | O -> qzero
             | S k' -> return_on m b star r w k' (S i)
  in
  qmul (ratio_if m r w i)
    (qadd (reward_on m w i)
      (qmul (discount_on m w i)
        (qadd (qmul (qadd qone (qopp0 l)) (value_on m star w (S i)))
          (qmul l rest))))

(** val step_shape : model -> at_step -> nat * nat **)

let step_shape m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun x ->
  match x with
  | StepFeatures -> (m0, (S O))
  | StepState -> (n, (S O))
  | StepTrace _ -> (m0, (S O))
  | _ -> ((S O), (S O)))

(** val step_value :
    model -> basis -> vec -> walk -> at_step -> nat -> mat **)

let step_value m b star =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun w x k ->
  match x with
  | StepReward -> ((reward_on m w k) :: []) :: []
  | StepDiscount -> ((discount_on m w k) :: []) :: []
  | StepRatio -> ((ratio_on m w k) :: []) :: []
  | StepError -> ((error_on m star w k) :: []) :: []
  | StepValue -> ((value_on m star w k) :: []) :: []
  | StepFeatures ->
    table m0 (S O) (fun j _ -> entry m.features (state_on w k) j)
  | StepState ->
    table n (S O) (fun i _ -> if eqn i (state_on w k) then qone else qzero)
  | StepTrace r -> trace_on m b r w k)

(** val in_window : model -> basis -> nat -> nat -> bool **)

let in_window m b k i =
  match b.powers with
  | Ends -> leq (subn k (size m.lambdas)) i
  | Endless (_, _, _) -> true

(** val taken : model -> walk -> nat -> bool **)

let taken m w i =
  negb (qnull (behaviour_on m w i))

(** val step_fits : model -> basis -> walk -> at_step -> nat -> bool **)

let step_fits m b w x k =
  match x with
  | StepReward -> leq (S k) (size w.transitions_of)
  | StepDiscount -> leq (S k) (size w.transitions_of)
  | StepRatio -> (&&) (leq (S k) (size w.transitions_of)) (taken m w k)
  | StepError -> leq (S k) (size w.transitions_of)
  | StepTrace b0 ->
    if b0
    then (&&) (leq (S k) (size w.transitions_of))
           (each (S k) (fun i -> implb (in_window m b k i) (taken m w i)))
    else leq k (size w.transitions_of)
  | _ -> leq k (size w.transitions_of)

(** val return_fits : model -> basis -> bool -> walk -> bool **)

let return_fits m b r w =
  match b.powers with
  | Ends ->
    (&&) (leq (S (size m.lambdas)) (size w.transitions_of))
      (if r then each (S (size m.lambdas)) (taken m w) else true)
  | Endless (_, _, _) -> false

(** val legal_from : model -> nat -> (nat * nat) list -> bool **)

let legal_from m =
  let n = S m.last_state in
  let rec legal_from0 s = function
  | [] -> true
  | p :: l' ->
    let (a, t) = p in
    (&&) (leq (S a) m.actions)
      ((&&) (leq (S t) n)
        ((&&) (qpos (entry (of_action m.transitions a) s t))
          (legal_from0 t l')))
  in legal_from0

(** val legal : model -> walk -> bool **)

let legal m =
  let n = S m.last_state in
  (fun w ->
  (&&) (leq (S w.first_state) n) (legal_from m w.first_state w.transitions_of))

(** val last_of : walk -> nat **)

let last_of w =
  last w.first_state (map snd w.transitions_of)

(** val extended : walk -> nat -> nat -> walk **)

let extended w a t =
  { first_state = w.first_state; transitions_of =
    (rcons w.transitions_of (a, t)) }

(** val chance : model -> bool -> walk -> nat -> nat -> q **)

let chance m mu_ w a t =
  qmul (entry (if mu_ then m.behaviour else m.target) (last_of w) a)
    (entry (of_action m.transitions a) (last_of w) t)

(** val joined : nat -> nat -> mat -> mat -> mat **)

let joined h k x s =
  match x with
  | [] -> s
  | _ :: _ -> plus h k x s

(** val mean_on :
    model -> nat -> nat -> bool -> nat -> (walk -> mat) -> walk -> mat **)

let mean_on m =
  let n = S m.last_state in
  let rec mean_on0 h k mu_ steps f w =
    match steps with
    | O -> f w
    | S steps' ->
      foldr (joined h k) []
        (map (fun a ->
          foldr (joined h k) []
            (map (fun t ->
              let q0 = chance m mu_ w a t in
              if qnull q0
              then []
              else scale h k q0 (mean_on0 h k mu_ steps' f (extended w a t)))
              (iota O n))) (iota O m.actions))
  in mean_on0

(** val every_on : model -> bool -> nat -> (walk -> bool) -> walk -> bool **)

let every_on m =
  let n = S m.last_state in
  let rec every_on0 mu_ steps f w =
    match steps with
    | O -> f w
    | S steps' ->
      each2 m.actions n (fun a t ->
        if qnull (chance m mu_ w a t)
        then true
        else every_on0 mu_ steps' f (extended w a t))
  in every_on0

(** val prepare : model -> basis -> bool -> prepared **)

let prepare m b given =
  let n = kernel m b in
  let sum = summable_powers m b n in
  let a_and_b = (&&) given sum in
  { chain_is = (behaviour_chain m); kernel_is = n; sum_is = sum; a_is =
  (if a_and_b then of_A m b else []); b_is =
  (if a_and_b then of_b m b else []); c_is = (of_C m b) }

(** val name_shape : model -> named -> nat * nat **)

let name_shape m =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun x ->
  match x with
  | TheIdentity -> (n, n)
  | TheOnes k -> (k, (S O))
  | TheChain -> (n, n)
  | TheTarget -> (n, n)
  | TheKernel -> (n, n)
  | TheReward -> (n, (S O))
  | TheShare -> (n, (S O))
  | TheFeatures -> (n, m0)
  | TheLaw -> (n, (S O))
  | TheWeights -> (n, n)
  | TheA -> (m0, m0)
  | TheB -> (m0, (S O))
  | TheC -> (m0, m0)
  | TheTheta -> (m0, (S O))
  | TheRows k -> (k, k)
  | _ -> ((S O), (S O)))

(** val name_value : model -> basis -> vec -> prepared -> named -> mat **)

let name_value m b star =
  let n = S m.last_state in
  let m0 = m.columns in
  (fun t x ->
  match x with
  | TheIdentity -> identity n
  | TheOnes k -> table k (S O) (fun _ _ -> qone)
  | TheChain -> t.chain_is
  | TheTarget -> target_at m b
  | TheKernel -> t.kernel_is
  | TheReward -> mean_gain m b
  | TheShare -> upright n (share m b)
  | TheFeatures -> m.features
  | TheLaw -> upright n b.law_given
  | TheWeights -> diagonal n (upright n b.law_given)
  | TheA -> t.a_is
  | TheB -> t.b_is
  | TheC -> t.c_is
  | TheTheta -> upright m0 star
  | TheDiscount -> ((discount_at m) :: []) :: []
  | TheKappa -> ((kappa_at m b) :: []) :: []
  | TheLength -> ((natural_at (size m.lambdas)) :: []) :: []
  | TheLambda k -> ((lambda_at m b k) :: []) :: []
  | TheProduct k -> ((product_at m b k) :: []) :: []
  | TheWeight k -> ((weight_at m b k) :: []) :: []
  | TheRows k -> table k k (fun i j -> row_at m b (S i) (S j)))

(** val name_fits : model -> basis -> bool -> prepared -> named -> bool **)

let name_fits m b given t = function
| TheLaw -> given
| TheWeights -> given
| TheA -> (&&) given t.sum_is
| TheB -> (&&) given t.sum_is
| TheC -> given
| TheDiscount -> one_discount m
| TheKappa ->
  (&&) (one_discount m)
    (match b.powers with
     | Ends -> true
     | Endless (l, _, _) -> negb (qequal (qmul l (discount_at m)) qone))
| TheLength -> (match b.powers with
                | Ends -> true
                | Endless (_, _, _) -> false)
| _ -> true

(** val places : nat -> (nat * nat) list **)

let places k =
  filter (fun ij -> leq (S (fst ij)) (snd ij))
    (flatten (map (fun i -> map (fun j -> (i, j)) (iota O k)) (iota O k)))

(** val at_pairs :
    mat -> (nat * nat) list -> nat -> ((bool * bool) * (q * q)) list **)

let at_pairs x l i =
  let r = nth [] x i in
  map (fun y -> (((eqn i (fst y)), (eqn i (snd y))), ((at_ r (fst y)),
    (at_ r (snd y))))) l

(** val of_pairs :
    ((bool * bool) * (q * q)) -> ((bool * bool) * (q * q)) -> q **)

let of_pairs u v =
  let (p, p0) = u in
  let (ii', ij') = p in
  let (xii', xij') = p0 in
  let (p1, p2) = v in
  let (ji', jj') = p1 in
  let (xji', xjj') = p2 in
  qadd
    (qadd (if jj' then xii' else qzero) (if ji' then qopp0 xij' else qzero))
    (qadd (if ii' then xjj' else qzero) (if ij' then qopp0 xji' else qzero))

(** val compound : nat -> mat -> mat **)

let compound k x =
  let l = places k in
  let s = map (fun i -> at_pairs x l i) (iota O k) in
  map (fun x0 -> zipped of_pairs (nth [] s (fst x0)) (nth [] s (snd x0))) l

(** val upper : bool -> nat -> mat -> bool **)

let upper unit0 k x =
  each2 k k (fun i j ->
    if leq (S i) j
    then true
    else if eqn i j
         then if unit0 then qequal (entry x i j) qone else true
         else qnull (entry x i j))

(** val shape : model -> expression -> nat * nat **)

let rec shape m = function
| OnStep (x, _) -> step_shape m x
| OnPath (_, a) -> shape m a
| MeanOver (_, _, _, a) -> shape m a
| Named x -> name_shape m x
| Added (a, _) -> shape m a
| Negated a -> shape m a
| Scaled (_, a) -> shape m a
| Multiplied (a, c) -> ((fst (shape m a)), (snd (shape m c)))
| Raised (a, _) -> shape m a
| Transposed a -> let s = shape m a in ((snd s), (fst s))
| DiagonalOf a -> let s = shape m a in ((fst s), (fst s))
| Beside (a, c) ->
  let s = shape m a in ((fst s), (addn (snd s) (snd (shape m c))))
| PairsOf a -> let k = size (places (fst (shape m a))) in (k, k)
| SolutionOf (_, a, _) -> shape m a
| PowersOf a -> shape m a
| StepsOf a -> shape m a
| _ -> ((S O), (S O))

(** val summed_with : model -> basis -> prepared -> nat -> mat -> mat **)

let summed_with m b t k x =
  summed m b t.kernel_is k x

(** val value :
    model -> basis -> vec -> prepared -> walk -> expression -> mat **)

let value m b star =
  let n = S m.last_state in
  let rec value0 t p e =
    let h = fst (shape m e) in
    let w = snd (shape m e) in
    (match e with
     | OnStep (x, k) -> step_value m b star p x k
     | ReturnOf r -> ((return_on m b star r p (size m.lambdas) O) :: []) :: []
     | OnPath (p', a) -> value0 t p' a
     | MeanOver (mu_, s, k, a) ->
       (match s with
        | Some s' ->
          mean_on m h w mu_ k (fun p' -> value0 t p' a) { first_state = s';
            transitions_of = [] }
        | None ->
          foldr (joined h w) []
            (map (fun s' ->
              let q0 = at_ b.law_given s' in
              if qnull q0
              then []
              else scale h w q0
                     (mean_on m h w mu_ k (fun p' -> value0 t p' a)
                       { first_state = s'; transitions_of = [] })) (iota O n)))
     | Constant q0 -> (q0 :: []) :: []
     | Named x -> name_value m b star t x
     | Added (a, c) -> plus h w (value0 t p a) (value0 t p c)
     | Negated a -> scale h w (qopp0 qone) (value0 t p a)
     | Scaled (a, c) -> scale h w (entry (value0 t p a) O O) (value0 t p c)
     | Multiplied (a, c) ->
       times h (snd (shape m a)) w (value0 t p a) (value0 t p c)
     | Raised (a, k) ->
       let x = value0 t p a in iter k (times h h h x) (identity h)
     | Transposed a -> transpose w h (value0 t p a)
     | EntryOf (a, i, j) -> ((entry (value0 t p a) i j) :: []) :: []
     | SumOf a ->
       let x = value0 t p a in
       ((total
          (map (fun i ->
            total (map (fun j -> entry x i j) (iota O (snd (shape m a)))))
            (iota O (fst (shape m a))))) :: []) :: []
     | DiagonalOf a -> diagonal h (value0 t p a)
     | Beside (a, c) ->
       let x = value0 t p a in
       let y = value0 t p c in
       let k = snd (shape m a) in
       table h w (fun i j ->
         if leq (S j) k then entry x i j else entry y i (subn j k))
     | DeterminantOf (a, _, _, u) ->
       ((foldr (fun i -> qmul (entry u i i)) qone (iota O (fst (shape m a)))) :: []) :: []
     | PairsOf a -> compound (fst (shape m a)) (value0 t p a)
     | SolutionOf (_, c, inverse) -> times h h w inverse (value0 t p c)
     | PowersOf a -> summed_with m b t w (value0 t p a)
     | StepsOf a ->
       let x = value0 t p a in
       plus h w x
         (summed_with m b t w
           (plus h w (times h h w t.kernel_is x) (scale h w (qopp0 qone) x))))
  in value0

(** val same : (nat * nat) -> (nat * nat) -> bool **)

let same x y =
  (&&) (eqn (fst x) (fst y)) (eqn (snd x) (snd y))

(** val powers_everywhere : model -> basis -> prepared -> bool **)

let powers_everywhere m b =
  let n = S m.last_state in
  (fun t ->
  (&&) t.sum_is
    (match b.powers with
     | Ends -> true
     | Endless (_, t0, _) -> each n (marked t0)))

(** val path_of : walk option -> walk **)

let path_of = function
| Some p' -> p'
| None -> { first_state = O; transitions_of = [] }

(** val fits :
    model -> basis -> bool -> vec -> prepared -> walk option -> expression ->
    bool **)

let fits m b given star =
  let n = S m.last_state in
  let rec fits0 t p = function
  | OnStep (x, k) ->
    (match p with
     | Some p' -> step_fits m b p' x k
     | None -> false)
  | ReturnOf r ->
    (match p with
     | Some p' -> return_fits m b r p'
     | None -> false)
  | OnPath (p', a) -> (&&) (legal m p') (fits0 t (Some p') a)
  | MeanOver (mu_, s, k, a) ->
    let all_on = fun s' ->
      every_on m mu_ k (fun p' -> fits0 t (Some p') a) { first_state = s';
        transitions_of = [] }
    in
    (match s with
     | Some s' -> (&&) (leq (S s') n) (all_on s')
     | None ->
       (&&) given
         (each n (fun s' ->
           if qnull (at_ b.law_given s') then true else all_on s')))
  | Constant _ -> true
  | Named x -> name_fits m b given t x
  | Added (a, c) ->
    (&&) (fits0 t p a) ((&&) (fits0 t p c) (same (shape m a) (shape m c)))
  | Negated a -> fits0 t p a
  | Scaled (a, c) ->
    (&&) (fits0 t p a) ((&&) (fits0 t p c) (same (shape m a) ((S O), (S O))))
  | Multiplied (a, c) ->
    (&&) (fits0 t p a)
      ((&&) (fits0 t p c) (eqn (snd (shape m a)) (fst (shape m c))))
  | Raised (a, _) ->
    (&&) (fits0 t p a) (eqn (snd (shape m a)) (fst (shape m a)))
  | Transposed a -> fits0 t p a
  | EntryOf (a, i, j) ->
    (&&) (fits0 t p a)
      ((&&) (leq (S i) (fst (shape m a))) (leq (S j) (snd (shape m a))))
  | SumOf a -> fits0 t p a
  | DiagonalOf a -> (&&) (fits0 t p a) (eqn (snd (shape m a)) (S O))
  | Beside (a, c) ->
    (&&) (fits0 t p a)
      ((&&) (fits0 t p c) (eqn (fst (shape m a)) (fst (shape m c))))
  | DeterminantOf (a, u', l, u) ->
    let k = fst (shape m a) in
    (&&) (fits0 t p a)
      ((&&) (eqn (snd (shape m a)) k)
        ((&&) (upper true k u')
          ((&&) (upper true k (transpose k k l))
            ((&&) (upper false k u)
              (equal k k (times k k k u' (value m b star t (path_of p) a))
                (times k k k l u))))))
  | PairsOf a -> (&&) (fits0 t p a) (eqn (snd (shape m a)) (fst (shape m a)))
  | SolutionOf (a, c, inverse) ->
    let k = fst (shape m c) in
    (&&) (fits0 t p a)
      ((&&) (fits0 t p c)
        ((&&) (same (shape m a) (k, k))
          (equal k k (times k k k (value m b star t (path_of p) a) inverse)
            (identity k))))
  | PowersOf a ->
    (&&) (fits0 t p a)
      ((&&) (eqn (fst (shape m a)) n) (powers_everywhere m b t))
  | StepsOf a ->
    (&&) (fits0 t p a)
      ((&&) (eqn (fst (shape m a)) n) (powers_everywhere m b t))
  in fits0

(** val compared : order -> nat -> nat -> mat -> mat -> bool **)

let compared s h w x y =
  match s with
  | Alike -> equal h w x y
  | Unlike -> negb (equal h w x y)
  | Below -> everywhere (fun x0 y0 -> qpos (qadd y0 (qopp0 x0))) h w x y
  | AtMost -> everywhere (fun x0 y0 -> qnneg (qadd y0 (qopp0 x0))) h w x y

(** val relation_holds :
    model -> basis -> bool -> vec -> prepared -> relation -> bool **)

let relation_holds m b given star t = function
| (p, y) ->
  let (x, s) = p in
  (&&) (fits m b given star t None x)
    ((&&) (fits m b given star t None y)
      ((&&) (same (shape m x) (shape m y))
        (compared s (fst (shape m x)) (snd (shape m x))
          (value m b star t (path_of None) x)
          (value m b star t (path_of None) y))))

(** val check_relation :
    model -> basis -> bool -> vec -> component option -> relation list -> bool **)

let check_relation m b given star about l =
  (&&) (proper m)
    ((&&) (is_class m about)
      ((&&)
        (if given
         then check_stationary m false b.about_class b.law_given
         else true)
        (let t = prepare m b given in all (relation_holds m b given star t) l)))

(** val pivots : nat -> mat -> bool **)

let rec pivots k x =
  match k with
  | O -> true
  | S k' ->
    (&&) (qpos (entry x O O))
      (let r = fraction_inverse (entry x O O) in
       pivots k'
         (table k' k' (fun i j ->
           qadd (entry x (S i) (S j))
             (qopp0 (qmul (qmul (entry x (S i) O) r) (entry x O (S j)))))))

(** val definite_by_pivots : nat -> mat -> bool **)

let definite_by_pivots k x =
  (&&) (equal k k x (transpose k k x)) (pivots k x)

type move = (nat * q) * mat

(** val sum_of : nat -> mat list -> mat **)

let sum_of k l =
  foldr (plus k k) [] l

(** val minus : nat -> mat -> mat -> mat **)

let minus k x y =
  plus k k x (scale k k (qopp0 qone) y)

(** val at_place : mat list -> nat -> mat **)

let at_place xs i =
  nth [] xs i

(** val mean_ahead_of : nat -> mat list -> move list -> mat **)

let mean_ahead_of k xs l =
  sum_of k
    (map (fun x ->
      scale k k (snd (fst x))
        (times k k k (transpose k k (snd x))
          (times k k k (at_place xs (fst (fst x))) (snd x)))) l)

(** val f_of : nat -> mat -> mat list -> nat -> move list -> mat **)

let f_of k x ts i l =
  minus k (at_place ts i)
    (sum_of k
      (map (fun x0 ->
        scale k k (snd (fst x0))
          (plus k k
            (plus k k (at_place ts (fst (fst x0)))
              (times k k k (transpose k k (snd x0)) x))
            (times k k k x (snd x0)))) l))

(** val g_of : nat -> mat -> mat list -> move list -> mat **)

let g_of k x ts l =
  sum_of k
    (map (fun x0 ->
      let k' = transpose k k (snd x0) in
      let t' = at_place ts (fst (fst x0)) in
      scale k k (snd (fst x0))
        (plus k k (plus k k (times k k k k' t') (times k k k t' (snd x0)))
          (times k k k k' (times k k k x (snd x0))))) l)

(** val by_step_of : nat -> q -> move -> move **)

let by_step_of k a x =
  ((fst x), (plus k k (identity k) (scale k k a (snd x))))

(** val step_falls : nat -> move list list -> q -> mat list -> bool **)

let step_falls k places0 =
  let all_places = fun f ->
    each (size places0) (fun i -> f i (nth [] places0 i))
  in
  (fun a xs ->
  (&&) (qpos a)
    ((&&) (all_places (fun i _ -> definite_by_pivots k (at_place xs i)))
      (all_places (fun i l ->
        definite_by_pivots k
          (minus k (at_place xs i)
            (mean_ahead_of k xs (map (fun x -> by_step_of k a x) l)))))))

(** val step_grows : nat -> move list list -> q -> mat list -> bool **)

let step_grows k places0 =
  let all_places = fun f ->
    each (size places0) (fun i -> f i (nth [] places0 i))
  in
  (fun a xs ->
  (&&) (qpos a)
    (all_places (fun i l ->
      (&&) (equal k k (at_place xs i) (transpose k k (at_place xs i)))
        (definite_by_pivots k
          (minus k (mean_ahead_of k xs (map (fun x -> by_step_of k a x) l))
            (at_place xs i))))))

(** val steps_fall : nat -> move list list -> q -> mat -> mat list -> bool **)

let steps_fall k places0 =
  let all_places = fun f ->
    each (size places0) (fun i -> f i (nth [] places0 i))
  in
  (fun last0 x ts ->
  (&&) (qpos last0)
    ((&&) (definite_by_pivots k x)
      ((&&) (all_places (fun i _ -> definite_by_pivots k (at_place ts i)))
        (all_places (fun i l ->
          let f = f_of k x ts i l in
          (&&) (definite_by_pivots k f)
            (definite_by_pivots k
              (minus k (minus k f (scale k k last0 (g_of k x ts l)))
                (scale k k (qmul last0 last0) (mean_ahead_of k ts l)))))))))

(** val steps_grow : nat -> move list list -> q -> mat -> mat list -> bool **)

let steps_grow k places0 =
  let all_places = fun f ->
    each (size places0) (fun i -> f i (nth [] places0 i))
  in
  (fun last0 x ts ->
  (&&) (qpos last0)
    ((&&) (equal k k x (transpose k k x))
      ((&&) (all_places (fun i _ -> definite_by_pivots k (at_place ts i)))
        (all_places (fun i l ->
          let f = f_of k x ts i l in
          (&&) (definite_by_pivots k (scale k k (qopp0 qone) f))
            (definite_by_pivots k
              (minus k (scale k k last0 (g_of k x ts l)) f)))))))

type learner =
| LearnTD
| LearnGTD of q
| LearnTDC of q

type window = { window_state : nat; window_traces : mat;
                window_next : nat list list }

(** val learner_size : model -> learner -> nat **)

let learner_size m =
  let m0 = m.columns in
  (fun f -> match f with
            | LearnTD -> m0
            | _ -> addn m0 m0)

(** val learner_fits : learner -> bool **)

let learner_fits = function
| LearnTD -> true
| LearnGTD eta -> qpos eta
| LearnTDC eta -> qpos eta

(** val chance_of : model -> nat -> nat -> nat -> q **)

let chance_of m s a t =
  qmul (entry m.behaviour s a) (entry (of_action m.transitions a) s t)

(** val discount_of : model -> nat -> nat -> nat -> q **)

let discount_of m s a t =
  entry (of_action m.discounts a) s t

(** val ratio_of : model -> nat -> nat -> q **)

let ratio_of m s a =
  qmul (entry m.target s a) (fraction_inverse (entry m.behaviour s a))

(** val traces_at : model -> nat -> mat **)

let traces_at m =
  let m0 = m.columns in
  let l = size m.lambdas in
  (fun s -> table (S l) m0 (fun _ j -> entry m.features s j))

(** val traces_after : model -> mat -> nat -> nat -> nat -> mat **)

let traces_after m =
  let m0 = m.columns in
  let l = size m.lambdas in
  (fun z0 s a t ->
  let g = qmul (discount_of m s a t) (ratio_of m s a) in
  table (S l) m0 (fun k j ->
    qadd (entry m.features t j)
      (qmul (qmul (at_ m.lambdas k) g) (entry z0 (S k) j))))

(** val td_change : model -> mat -> nat -> nat -> nat -> mat **)

let td_change m =
  let m0 = m.columns in
  (fun z0 s a t ->
  let rho = ratio_of m s a in
  let g = discount_of m s a t in
  table m0 m0 (fun i j ->
    qmul (qmul rho (entry z0 O i))
      (qadd (qmul g (entry m.features t j)) (qopp0 (entry m.features s j)))))

(** val outer : model -> nat -> mat **)

let outer m =
  let m0 = m.columns in
  (fun s ->
  table m0 m0 (fun i j -> qmul (entry m.features s i) (entry m.features s j)))

(** val change : model -> learner -> mat -> nat -> nat -> nat -> mat **)

let change m =
  let m0 = m.columns in
  (fun f z0 s a t ->
  let a0 = td_change m z0 s a t in
  (match f with
   | LearnTD -> a0
   | LearnGTD eta ->
     blocks m [] (scale m0 m0 (qopp0 qone) (transpose m0 m0 a0))
       (scale m0 m0 eta a0) (scale m0 m0 (qopp0 eta) (outer m s))
   | LearnTDC eta ->
     let c = outer m s in
     blocks m a0
       (scale m0 m0 (qopp0 qone) (plus m0 m0 (transpose m0 m0 a0) c))
       (scale m0 m0 eta a0) (scale m0 m0 (qopp0 eta) c)))

(** val window_after : window -> nat -> nat -> nat **)

let window_after w a t =
  nth O (nth [] w.window_next a) t

(** val moves_of : model -> learner -> window -> move list **)

let moves_of m =
  let n = S m.last_state in
  (fun f w ->
  flatten
    (map (fun a ->
      flatten
        (map (fun t ->
          let q0 = chance_of m w.window_state a t in
          if qnull q0
          then []
          else (((window_after w a t), q0),
                 (change m f w.window_traces w.window_state a t)) :: [])
          (iota O n))) (iota O m.actions)))

(** val no_window : window **)

let no_window =
  { window_state = O; window_traces = []; window_next = [] }

(** val is_window : model -> window list -> nat -> nat -> mat -> bool **)

let is_window m =
  let m0 = m.columns in
  let l = size m.lambdas in
  (fun ws j s z0 ->
  let w = nth no_window ws j in
  (&&) (leq (S j) (size ws))
    ((&&) (eqn w.window_state s) (equal (S l) m0 w.window_traces z0)))

(** val closed_windows :
    model -> component -> nat list -> window list -> bool **)

let closed_windows m =
  let n = S m.last_state in
  (fun c starts ws ->
  (&&) (proper m)
    ((&&) (recurrent m (behaviour_chain m) c)
      ((&&)
        (each n (fun s ->
          if marked c.members s
          then is_window m ws (nth O starts s) s (traces_at m s)
          else true))
        (all (fun w ->
          (&&) (leq (S w.window_state) n)
            (each2 m.actions n (fun a t ->
              if qnull (chance_of m w.window_state a t)
              then true
              else is_window m ws (window_after w a t) t
                     (traces_after m w.window_traces w.window_state a t))))
          ws))))

(** val windowed :
    model -> learner -> component -> nat list -> window list -> bool **)

let windowed m f c starts ws =
  (&&) (learner_fits f) (closed_windows m c starts ws)

(** val check_square_bounded :
    model -> learner -> component -> nat list -> window list -> q -> mat list
    -> bool **)

let check_square_bounded m f c starts ws a xs =
  (&&) (windowed m f c starts ws)
    (step_falls (learner_size m f) (map (fun w -> moves_of m f w) ws) a xs)

(** val check_square_bounded_upto :
    model -> learner -> component -> nat list -> window list -> q -> mat ->
    mat list -> bool **)

let check_square_bounded_upto m f c starts ws last0 x ts =
  (&&) (windowed m f c starts ws)
    (steps_fall (learner_size m f) (map (fun w -> moves_of m f w) ws) last0 x
      ts)

(** val check_square_unbounded :
    model -> learner -> component -> nat list -> window list -> q -> mat list
    -> nat -> vec -> bool **)

let check_square_unbounded m f c starts ws a xs i x =
  (&&) (windowed m f c starts ws)
    ((&&) (leq (S i) (size ws))
      ((&&) (qpos (form_at (learner_size m f) (at_place xs i) x))
        (step_grows (learner_size m f) (map (fun w -> moves_of m f w) ws) a
          xs)))

(** val check_square_unbounded_upto :
    model -> learner -> component -> nat list -> window list -> q -> mat ->
    mat list -> vec -> bool **)

let check_square_unbounded_upto m f c starts ws last0 x ts x0 =
  (&&) (windowed m f c starts ws)
    ((&&) (qpos (form_at (learner_size m f) x x0))
      (steps_grow (learner_size m f) (map (fun w -> moves_of m f w) ws) last0
        x ts))

type known =
| Phi_here
| Phi_next
| Phi_expected

type number =
| T_reward
| T_discount
| T_rho
| T_pi
| T_mu
| T_state
| T_action
| T_next_state
| T_interest
| T_discount_before
| T_rho_before
| T_first
| T_dot of known * known

type vector =
| Known_vector of known
| Kept_vector of nat

type weigher =
| Unweighted
| By_entry of nat
| By_dot of known * nat

type reading =
| Read_entry of nat
| Read_dot of vector * nat
| Read_whole of nat

type product0 = { coefficient : q; factors : number list; weigh : weigher;
                  along : vector option }

type term = { exponents : nat list; product_of : product0;
              learnt_from : reading option }

type row = { row_from : nat; row_of_vector : bool }

type clause = { asked : (number * q) list; learns : (row * term list) list;
                keeps : (row * product0 list) list }

type update = { learnt_size : nat; kept_size : nat;
                reads : ((bool * bool) * bool); cases : clause list }

(** val no_clause : clause **)

let no_clause =
  { asked = []; learns = []; keeps = [] }

(** val row_width : model -> row -> nat **)

let row_width m r =
  if r.row_of_vector then m.columns else S O

(** val in_row : model -> row -> nat -> bool **)

let in_row m r k =
  (&&) (leq r.row_from k) (leq (S k) (addn r.row_from (row_width m r)))

(** val sum_q : q list -> q **)

let sum_q l =
  foldr qadd qzero l

(** val product_q : q list -> q **)

let product_q l =
  foldr qmul qone l

(** val of_nat0 : nat -> q **)

let of_nat0 k =
  { qnum = (Z.of_nat k); qden = Big_int_Z.unit_big_int }

(** val expected_features : model -> mat **)

let expected_features m =
  let n = S m.last_state in
  let m0 = m.columns in
  table n m0 (fun s j ->
    sum_actions m (fun a ->
      qmul (entry m.target s a)
        (total
          (map (fun t ->
            qmul (entry (of_action m.transitions a) s t)
              (entry m.features t j)) (iota O n)))))

(** val known_vector : model -> mat -> nat -> nat -> known -> vec **)

let known_vector m =
  let m0 = m.columns in
  (fun ahead s t k ->
  match k with
  | Phi_here -> map (fun j -> entry m.features s j) (iota O m0)
  | Phi_next -> map (fun j -> entry m.features t j) (iota O m0)
  | Phi_expected -> nth [] ahead s)

(** val dot_of : model -> vec -> vec -> nat -> q **)

let dot_of m =
  let m0 = m.columns in
  (fun v w from ->
  total (map (fun j -> qmul (at_ v j) (at_ w (addn from j))) (iota O m0)))

(** val ratio_at : model -> nat -> nat -> q **)

let ratio_at m s a =
  qmul (entry m.target s a) (fraction_inverse (entry m.behaviour s a))

(** val number_value :
    model -> mat -> nat -> nat -> nat -> ((q * q) * q) -> number -> q **)

let number_value m ahead s a t b = function
| T_reward -> entry (of_action m.rewards a) s t
| T_discount -> entry (of_action m.discounts a) s t
| T_rho -> ratio_at m s a
| T_pi -> entry m.target s a
| T_mu -> entry m.behaviour s a
| T_state -> of_nat0 s
| T_action -> of_nat0 a
| T_next_state -> of_nat0 t
| T_interest -> qone
| T_discount_before -> fst (fst b)
| T_rho_before -> snd (fst b)
| T_first -> snd b
| T_dot (v, w) ->
  dot_of m (known_vector m ahead s t v) (known_vector m ahead s t w) O

(** val vector_value :
    model -> mat -> nat -> nat -> vec -> vector -> nat -> q **)

let vector_value m ahead s t mem = function
| Known_vector k -> at_ (known_vector m ahead s t k)
| Kept_vector from -> (fun i -> at_ mem (addn from i))

(** val weight_value : model -> mat -> nat -> nat -> vec -> weigher -> q **)

let weight_value m ahead s t mem = function
| Unweighted -> qone
| By_entry i -> at_ mem i
| By_dot (k, from) -> dot_of m (known_vector m ahead s t k) mem from

(** val column_value :
    model -> mat -> nat -> nat -> vec -> reading -> nat -> nat -> q **)

let column_value m =
  let m0 = m.columns in
  (fun ahead s t mem c ->
  match c with
  | Read_entry k -> (fun _ j -> if eqn j k then qone else qzero)
  | Read_dot (v, from) ->
    let w = vector_value m ahead s t mem v in
    (fun _ j ->
    if (&&) (leq from j) (leq (S (subn j from)) m0)
    then w (subn j from)
    else qzero)
  | Read_whole from ->
    (fun i j -> if eqn j (addn from i) then qone else qzero))

(** val scalar_value :
    model -> mat -> nat -> nat -> nat -> ((q * q) * q) -> vec -> product0 -> q **)

let scalar_value m ahead s a t b mem x =
  qmul
    (qmul x.coefficient
      (product_q (map (fun z0 -> number_value m ahead s a t b z0) x.factors)))
    (weight_value m ahead s t mem x.weigh)

(** val along_value :
    model -> mat -> nat -> nat -> vec -> product0 -> nat -> q **)

let along_value m ahead s t mem x =
  match x.along with
  | Some v -> vector_value m ahead s t mem v
  | None -> (fun _ -> qone)

(** val power_q : q -> nat -> q **)

let rec power_q x = function
| O -> qone
| S k' -> qmul x (power_q x k')

(** val sizes_value : vec -> nat list -> q **)

let sizes_value sizes e =
  product_q (map (fun x -> power_q (fst x) (snd x)) (zip sizes e))

(** val clause_number :
    model -> update -> mat -> nat -> nat -> nat -> ((q * q) * q) -> nat **)

let clause_number m u ahead s a t b =
  find (fun c ->
    all (fun x -> qequal (number_value m ahead s a t b (fst x)) (snd x))
      c.asked) u.cases

type made = (q * (nat -> q)) * (nat -> nat -> q)

(** val made_term :
    model -> mat -> nat -> nat -> nat -> ((q * q) * q) -> vec -> vec -> term
    -> made list **)

let made_term m ahead s a t b mem sizes x =
  match x.learnt_from with
  | Some c ->
    (((qmul (sizes_value sizes x.exponents)
        (scalar_value m ahead s a t b mem x.product_of)),
      (along_value m ahead s t mem x.product_of)),
      (column_value m ahead s t mem c)) :: []
  | None -> []

(** val made_rows :
    model -> update -> mat -> nat -> nat -> nat -> ((q * q) * q) -> vec ->
    vec -> (row * made list) list **)

let made_rows m u ahead s a t b mem sizes =
  map (fun r -> ((fst r),
    (flatten (map (fun x -> made_term m ahead s a t b mem sizes x) (snd r)))))
    (nth no_clause u.cases (clause_number m u ahead s a t b)).learns

(** val change_value :
    model -> update -> mat -> nat -> nat -> nat -> ((q * q) * q) -> vec ->
    vec -> mat **)

let change_value m u ahead s a t b mem sizes =
  let rows = made_rows m u ahead s a t b mem sizes in
  table u.learnt_size u.learnt_size (fun k j ->
    sum_q
      (map (fun r ->
        let i = subn k (fst r).row_from in
        sum_q
          (map (fun x ->
            qmul (qmul (fst (fst x)) (snd (fst x) i)) (snd x i j)) (snd r)))
        (filter (fun r -> in_row m (fst r) k) rows)))

(** val memory_value :
    model -> update -> mat -> nat -> nat -> nat -> ((q * q) * q) -> vec -> vec **)

let memory_value m u ahead s a t b mem =
  let rows =
    map (fun r -> ((fst r),
      (map (fun x -> ((scalar_value m ahead s a t b mem x),
        (along_value m ahead s t mem x))) (snd r))))
      (nth no_clause u.cases (clause_number m u ahead s a t b)).keeps
  in
  map (fun k ->
    sum_q
      (map (fun r ->
        let i = subn k (fst r).row_from in
        sum_q (map (fun x -> qmul (fst x) (snd x i)) (snd r)))
        (filter (fun r -> in_row m (fst r) k) rows))) (iota O u.kept_size)

(** val mask_of : update -> ((q * q) * q) -> (q * q) * q **)

let mask_of u x =
  let (p, k) = u.reads in
  let (i, j) = p in
  (((if i then fst (fst x) else qzero), (if j then snd (fst x) else qzero)),
  (if k then snd x else qzero))

(** val past_value : model -> update -> nat -> nat -> nat -> (q * q) * q **)

let past_value m u s a t =
  mask_of u (((entry (of_action m.discounts a) s t), (ratio_at m s a)), qzero)

(** val first_order : update -> vec -> bool **)

let first_order u sizes =
  all (fun c ->
    all (fun r ->
      all (fun x ->
        (&&) (eqn (size x.exponents) (size sizes))
          (eqn (sumn x.exponents) (S O))) (snd r)) c.learns) u.cases

type node = { node_state : nat; node_past : ((q * q) * q); node_memory : 
              vec; node_next : nat list list }

(** val no_node : node **)

let no_node =
  { node_state = O; node_past = ((qzero, qzero), qzero); node_memory = [];
    node_next = [] }

(** val node_after : node -> nat -> nat -> nat **)

let node_after w a t =
  nth O (nth [] w.node_next a) t

(** val same_past : ((q * q) * q) -> ((q * q) * q) -> bool **)

let same_past x y =
  (&&) (qequal (fst (fst x)) (fst (fst y)))
    ((&&) (qequal (snd (fst x)) (snd (fst y))) (qequal (snd x) (snd y)))

(** val same_memory : vec -> vec -> bool **)

let same_memory x y =
  (&&) (eqn (size x) (size y))
    (each (size x) (fun i -> qequal (at_ x i) (at_ y i)))

(** val is_node : node list -> nat -> nat -> ((q * q) * q) -> vec -> bool **)

let is_node ns j s past memory =
  let w = nth no_node ns j in
  (&&) (leq (S j) (size ns))
    ((&&) (eqn w.node_state s)
      ((&&) (same_past w.node_past past) (same_memory w.node_memory memory)))

(** val first_past : update -> (q * q) * q **)

let first_past u =
  mask_of u ((qzero, qone), qone)

(** val closed_nodes :
    model -> update -> mat -> component -> nat list -> node list -> bool **)

let closed_nodes m u =
  let n = S m.last_state in
  (fun ahead c starts ns ->
  (&&) (proper m)
    ((&&) (recurrent m (behaviour_chain m) c)
      ((&&)
        (each n (fun s ->
          if marked c.members s
          then is_node ns (nth O starts s) s (first_past u)
                 (nseq u.kept_size qzero)
          else true))
        (all (fun w ->
          (&&) (leq (S w.node_state) n)
            (each2 m.actions n (fun a t ->
              if qnull (chance_of m w.node_state a t)
              then true
              else (&&)
                     (leq (S
                       (clause_number m u ahead w.node_state a t w.node_past))
                       (size u.cases))
                     (is_node ns (node_after w a t) t
                       (past_value m u w.node_state a t)
                       (memory_value m u ahead w.node_state a t w.node_past
                         w.node_memory))))) ns))))

(** val moves_from : model -> update -> mat -> vec -> node -> move list **)

let moves_from m u =
  let n = S m.last_state in
  (fun ahead sizes w ->
  flatten
    (map (fun a ->
      flatten
        (map (fun t ->
          let q0 = chance_of m w.node_state a t in
          if qnull q0
          then []
          else (((node_after w a t), q0),
                 (change_value m u ahead w.node_state a t w.node_past
                   w.node_memory sizes)) :: []) (iota O n)))
      (iota O m.actions)))

(** val walked :
    model -> update -> component -> nat list -> node list -> vec -> bool **)

let walked m u c starts ns sizes =
  let ahead = expected_features m in
  (&&) (all qpos sizes) (closed_nodes m u ahead c starts ns)

(** val all_moves : model -> update -> node list -> vec -> move list list **)

let all_moves m u ns sizes =
  let ahead = expected_features m in
  map (fun w -> moves_from m u ahead sizes w) ns

(** val check_update_bounded :
    model -> update -> component -> nat list -> node list -> vec -> mat list
    -> bool **)

let check_update_bounded m u c starts ns sizes xs =
  (&&) (walked m u c starts ns sizes)
    (step_falls u.learnt_size (all_moves m u ns sizes) qone xs)

(** val check_update_bounded_upto :
    model -> update -> component -> nat list -> node list -> vec -> q -> mat
    -> mat list -> bool **)

let check_update_bounded_upto m u c starts ns ratios last0 x ts =
  (&&) (walked m u c starts ns ratios)
    ((&&) (first_order u ratios)
      (steps_fall u.learnt_size (all_moves m u ns ratios) last0 x ts))

(** val check_update_unbounded :
    model -> update -> component -> nat list -> node list -> vec -> mat list
    -> nat -> vec -> bool **)

let check_update_unbounded m u c starts ns sizes xs i x =
  (&&) (walked m u c starts ns sizes)
    ((&&) (leq (S i) (size ns))
      ((&&) (qpos (form_at u.learnt_size (at_place xs i) x))
        (step_grows u.learnt_size (all_moves m u ns sizes) qone xs)))

(** val check_update_unbounded_upto :
    model -> update -> component -> nat list -> node list -> vec -> q -> mat
    -> mat list -> vec -> bool **)

let check_update_unbounded_upto m u c starts ns ratios last0 x ts x0 =
  (&&) (walked m u c starts ns ratios)
    ((&&) (first_order u ratios)
      ((&&) (qpos (form_at u.learnt_size x x0))
        (steps_grow u.learnt_size (all_moves m u ns ratios) last0 x ts)))

(** val rows_ahead : nat -> nat -> mat list -> move list -> mat **)

let rows_ahead k r ts l =
  foldr (plus r k) []
    (map (fun x ->
      scale r k (snd (fst x))
        (times r k k (at_place ts (fst (fst x)))
          (plus k k (identity k) (snd x)))) l)

(** val column_named : (nat * nat) list -> nat -> nat * nat **)

let column_named cs j =
  nth (O, O) cs j

(** val next_rows :
    nat -> nat -> move list list -> mat list -> (nat * nat) list -> mat **)

let next_rows k r places0 ts cs =
  let ahead = map (fun l -> rows_ahead k r ts l) places0 in
  table r r (fun i j ->
    entry (at_place ahead (fst (column_named cs j))) i
      (snd (column_named cs j)))

(** val sum_rows : nat -> nat -> (nat * nat) list -> mat **)

let sum_rows k r cs =
  table k r (fun i j ->
    if eqn i (snd (column_named cs j)) then qone else qzero)

(** val rows_follow :
    nat -> nat -> move list list -> mat list -> (nat * nat) list -> mat ->
    bool **)

let rows_follow k r places0 ts cs a =
  each (size places0) (fun i ->
    (&&)
      (equal r k (rows_ahead k r ts (nth [] places0 i))
        (times r r k a (at_place ts i)))
      (equal k k (times k r k (sum_rows k r cs) (at_place ts i)) (identity k)))

(** val moved_form : nat -> mat -> mat -> mat **)

let moved_form r a x =
  times r r r (transpose r r a) (times r r r x a)

(** val means_fall :
    nat -> nat -> move list list -> mat list -> (nat * nat) list -> mat ->
    factor -> factor -> bool **)

let means_fall k r places0 ts cs x y z0 =
  let a = next_rows k r places0 ts cs in
  (&&) (rows_follow k r places0 ts cs a)
    ((&&) (positive_definite r x y)
      (positive_definite r (minus r x (moved_form r a x)) z0))

(** val powers_after : nat -> nat -> mat -> mat -> nat -> mat list **)

let rec powers_after k r a p = function
| O -> []
| S j' -> p :: (powers_after k r a (times k r r p a) j')

(** val latest_of : (nat * nat) list -> nat **)

let latest_of es =
  foldr (fun e -> maxn (snd e)) O es

(** val rows_shown :
    nat -> nat -> (nat * nat) list -> mat -> (nat * nat) list -> mat **)

let rows_shown k r cs a es =
  let ps = powers_after k r a (sum_rows k r cs) (S (latest_of es)) in
  table r r (fun i j ->
    let e = nth (O, O) es i in entry (nth [] ps (snd e)) (fst e) j)

(** val point_after :
    nat -> nat -> mat list -> mat -> nat -> nat -> vec -> mat **)

let point_after k r ts a after h x =
  iter after (times r r (S O) a)
    (times r k (S O) (at_place ts h) (table k (S O) (fun i _ -> at_ x i)))

(** val means_grow :
    nat -> nat -> move list list -> mat list -> (nat * nat) list -> mat ->
    factor -> nat -> nat -> vec -> (nat * nat) list -> Big_int_Z.big_int ->
    (Big_int_Z.big_int list list -> Big_int_Z.big_int list list) -> bool **)

let means_grow k r places0 ts cs x y h after x0 es q0 find0 =
  let a = next_rows k r places0 ts cs in
  let z0 = point_after k r ts a after h x0 in
  (&&) (rows_follow k r places0 ts cs a)
    ((&&) (positive_definite r (minus r (moved_form r a x) x) y)
      ((&&) ((&&) (all (fun e -> leq (S (fst e)) k) es) (eqn (size es) r))
        ((&&)
          (qpos
            (entry
              (times (S O) r (S O) (transpose r (S O) z0)
                (times r r (S O) x z0)) O O))
          ((&&) (Z.ltb Big_int_Z.unit_big_int q0)
            (let b = whole_rows r (rows_shown k r cs a es) (iota O r) in
             inverse_modulo r q0 (find0 b) b)))))

(** val check_update_mean_bounded :
    model -> update -> component -> nat list -> node list -> vec -> nat ->
    mat list -> (nat * nat) list -> mat -> factor -> factor -> bool **)

let check_update_mean_bounded m u c starts ns sizes r ts cs x y z0 =
  (&&) (walked m u c starts ns sizes)
    (means_fall u.learnt_size r (all_moves m u ns sizes) ts cs x y z0)

(** val check_update_mean_unbounded :
    model -> update -> component -> nat list -> node list -> vec -> nat ->
    mat list -> (nat * nat) list -> mat -> factor -> nat -> nat -> vec ->
    (nat * nat) list -> Big_int_Z.big_int -> (Big_int_Z.big_int list list ->
    Big_int_Z.big_int list list) -> bool **)

let check_update_mean_unbounded m u c starts ns sizes r ts cs x y h after x0 es q0 find0 =
  (&&) (walked m u c starts ns sizes)
    ((&&) (leq (S h) (size ns))
      (means_grow u.learnt_size r (all_moves m u ns sizes) ts cs x y h after
        x0 es q0 find0))
