(* SHA-256 of a string, in hexadecimal (FIPS 180-4). It names the model of a certificate; no theorem rests on it. *)
let round_constants, start =
  (* the first 32 bits behind the point of the cube roots and square roots of primes, by whole numbers below 2^53 *)
  let is_prime n = let rec go d = d * d > n || (n mod d <> 0 && go (d + 1)) in go 2 in
  let rec primes n k = if k = 0 then [] else if is_prime n then n :: primes (n + 1) (k - 1) else primes (n + 1) k in
  let word root = let part = root -. floor root in
    let high = floor (part *. 65536.) in
    let low = floor ((part *. 65536. -. high) *. 65536.) in
    Int32.logor (Int32.shift_left (Int32.of_float high) 16) (Int32.of_float low) in
  (* the 64th prime is 311: its cube root is below 7, so a float holds 50 bits behind the point *)
  Array.of_list (List.map (fun p -> word (Float.cbrt (float_of_int p))) (primes 2 64)),
  Array.of_list (List.map (fun p -> word (sqrt (float_of_int p))) (primes 2 8))

let ( + ) = Int32.add and ( ^^ ) = Int32.logxor and ( &&& ) = Int32.logand
let turn x k = Int32.logor (Int32.shift_right_logical x k) (Int32.shift_left x (32 - k))

let of_string text =
  let length = String.length text in
  let blocks = Int.add ((Int.add length 8) / 64) 1 in
  let byte i = Int32.of_int (if i < length then Char.code text.[i] else if i = length then 128 else
    let left = blocks * 64 - 1 - i in if left < 4 then (length * 8) lsr (8 * left) land 255 else 0) in  (* below 2^28 bytes *)
  let state = Array.copy start and w = Array.make 64 0l in
  for block = 0 to blocks - 1 do
    for i = 0 to 15 do
      let k = Int.add (block * 64) (i * 4) in
      w.(i) <- List.fold_left (fun word j -> Int32.logor (Int32.shift_left word 8) (byte (Int.add k j))) 0l [0; 1; 2; 3]
    done;
    for i = 16 to 63 do
      let a = w.(i - 15) and b = w.(i - 2) in
      w.(i) <- w.(i - 16) + (turn a 7 ^^ turn a 18 ^^ Int32.shift_right_logical a 3) + w.(i - 7)
               + (turn b 17 ^^ turn b 19 ^^ Int32.shift_right_logical b 10)
    done;
    let v = Array.copy state in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let one = v.(7) + (turn e 6 ^^ turn e 11 ^^ turn e 25) + ((e &&& v.(5)) ^^ (Int32.lognot e &&& v.(6)))
                + round_constants.(i) + w.(i) in
      let two = (turn a 2 ^^ turn a 13 ^^ turn a 22) + ((a &&& v.(1)) ^^ (a &&& v.(2)) ^^ (v.(1) &&& v.(2))) in
      Array.blit v 0 v 1 7;
      v.(4) <- v.(4) + one;
      v.(0) <- one + two
    done;
    Array.iteri (fun i x -> state.(i) <- state.(i) + x) v
  done;
  let hex = "0123456789abcdef" in
  String.init 64 (fun i ->
    hex.[Int32.to_int (Int32.shift_right_logical state.(i / 8) (28 - 4 * (i mod 8))) land 15])
