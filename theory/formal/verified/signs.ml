(* A part that is not verified: reads what a certificate about A, b and C, about forms or mean dynamics is about and its
   witness, hands them to the extracted checker, and says in words what the theorems of accepted_signs.v say. *)
open Verified
open Reader
open Convergence
open Chain
type opened = { asked : string -> json; given : string -> json; basis : basis; place : string }
let has key = function Object l -> List.mem_assoc key l | _ -> false
let covers = function Text "covered" -> true | Text "target" -> false | _ -> refuse "about.kernel: target or covered is needed"
(* The class, kernel and law of a statement; [powers]: whether it is about powers of the kernel. *)
let opened ?(powers = true) ?(kernels = ["kernel"]) ?(about = []) ?(allowed = []) ?(perhaps = []) keys c =
  let about = record ~allowed:(kernels @ allowed) "about" ("class" :: about) c.about in
  let get = record ~allowed:perhaps "witness" ("stationary" :: keys) c.witness in
  if has "columns" c.about || has "coordinates" c.witness then raise (Unread "it is about predictions, modulo the null space of Phi");
  let found, about_class = class_of c (about "class") in
  let covered = has "kernel" c.about && covers (about "kernel") in
  let basis = { about_class; covered; powers = Ends; law_given = vector "witness.stationary" c.n (get "stationary") } in
  let powers = match c.endless with
    | Some x when powers -> (match Hints.resolvent x (kernel c.model basis) found with
        | Some (ahead, inverse) -> Endless (x, ahead, inverse)
        | None -> refuse "model.schedule: the powers of the kernel have no sum")
    | _ -> Ends in
  { asked = about; given = get; basis = { basis with powers }; place = recurrent c found ^ if covered then ", kernel covered" else "" }
let modulus_of_A c o =
  let sum = match o.basis.powers with Ends -> [] | Endless (x, _, inverse) -> [x] :: inverse in
  modulus (o.given "prime") (o.basis.law_given :: c.model.lambdas :: share c.model o.basis :: sum @ c.model.features @ kernel c.model o.basis)
let choice where allowed json = match json with
  | Text s when List.mem_assoc s allowed -> s, List.assoc s allowed | _ -> refuse (where ^ ": it is none that is known here")
let only_A o = ignore (choice "about.matrix" ["A", ()] (o.asked "matrix"))
let nonsingular c =
  let o = opened ~about:["matrix"] ["prime"] c in
  only_A o;
  let p, find = modulus_of_A c o in
  proved (check_nonsingular c.model o.basis p find);
  "A is nonsingular, on " ^ o.place
let columns = ["columns"] and coordinates = ["coordinates"]
let singular c =
  let o = opened ~about:["matrix"] ~allowed:columns ~perhaps:coordinates ["vector"] c in
  only_A o;
  proved (check_singular c.model o.basis (vector "witness.vector" c.d (o.given "vector")));
  "A is singular, on " ^ o.place
(* Of a text, or of numbers in brackets, so much as is printed *)
let brief s = if String.length s <= 60 then s else
  "'" ^ String.sub s 0 40 ^ "'... (" ^ digits_of (String.length s) ^ " characters)"
let words = function Text s -> s | _ -> ""
let fixed_point c =
  let o = opened ["theta"; "prime"] c in
  let theta = vector "witness.theta" c.d (o.given "theta") in
  let p, find = modulus_of_A c o in
  proved (check_fixed_point c.model o.basis p find theta);
  "A theta + b = 0 at theta = " ^ brief ("(" ^ String.concat ", " (List.map words (list "" (o.given "theta"))) ^ ")")
  ^ " and nowhere else, on " ^ o.place
let factor_in where k json =
  let factor_scale, factor_unit, factor_rows = factor where k json in
  { factor_scale; factor_unit; factor_rows }
let factor_of o k key = factor_in ("witness." ^ key) k (o.given key)
let forms = ["A", FormA; "C", FormC; "D(I-M)", FormD]
let signs = ["positive", true; "negative", false]
let words_of_form o name = if name = "D(I-M)" && o.basis.covered then "-DK" else name
let rec int_of = function O -> 0 | S k -> 1 + int_of k
(* C has no powers of the kernel in it. *)
let has_powers c = match c.about with Object l -> List.assoc_opt "matrix" l <> Some (Text "C") | _ -> true
let definite c =
  let o = opened ~powers:(has_powers c) ~about:["matrix"; "sign"] ~perhaps:["rank"; "factor"] [] c in
  let name, form = choice "about.matrix" forms (o.asked "matrix") and sign, positive = choice "about.sign" signs (o.asked "sign") in
  let factored form = factor_of o (int_of (form_size c.model o.basis form)) "factor" in
  proved (match form, positive, has "rank" c.witness, has "factor" c.witness with
    | FormC, true, true, false -> let rows, p, inverse = rank c (o.given "rank") in check_C_by_rank c.model o.basis rows p inverse
    | FormA, false, true, true ->
        let rows, p, inverse = rank c (o.given "rank") in check_A_by_rank c.model o.basis rows p inverse (factored FormD)
    | _, _, false, true -> check_definite c.model o.basis form positive (factored form)
    | _ -> refuse ("witness: it does not prove that " ^ name ^ " is " ^ sign ^ " definite"));
  "the symmetric part of " ^ words_of_form o name ^ " is " ^ sign ^ " definite, on " ^ o.place
let not_definite c =
  let o = opened ~powers:(has_powers c) ~about:["matrix"; "sign"] ~allowed:["eta"] ["vector"] c in
  let name, form = choice "about.matrix" (("GTD", None) :: List.map (fun (key, form) -> key, Some form) forms) (o.asked "matrix") in
  let sign, positive = choice "about.sign" signs (o.asked "sign") in
  if has "eta" c.about <> (form = None) then refuse "about.eta: a positive number is needed for GTD, and none for other matrices";
  let vector k = vector "witness.vector" k (o.given "vector") in
  proved (match form with
    | Some form -> check_not_definite c.model o.basis form positive (vector (int_of (form_size c.model o.basis form)))
    | None -> check_GTD_not_definite c.model o.basis (rational "about.eta" (o.asked "eta")) positive (vector (2 * c.d)));
  "the symmetric part of " ^ words_of_form o name ^ " is not " ^ sign ^ " definite, on " ^ o.place
let gradient_stable c =
  let o = opened ~allowed:columns ~perhaps:coordinates ["rank"; "prime"] c in
  let rows, p, inverse = rank c (o.given "rank") and q, find = modulus_of_A c o in
  proved (check_gradient_stable c.model o.basis rows p inverse q find);
  "C is positive definite and A nonsingular, hence GTD's mean matrix is Hurwitz for every eta > 0 and -A'C^-1 A is negative definite, on "
  ^ o.place
(* Which mean matrix a statement is about, and its words *)
let dynamics c o =
  let joint make = make (rational "about.eta" (o.asked "eta")) in
  let name, made = choice "about.matrix" ["A", (fun () -> TD); "GTD", (fun () -> joint (fun eta -> GTD eta));
    "TDC joint", (fun () -> joint (fun eta -> TDCJoint eta));
    "TDC", fun () -> match Hints.invert Hints.fractions (of_C c.model o.basis) with
      | Some inverse -> TDC inverse | None -> refuse "about.matrix: C has no inverse"] (o.asked "matrix") in
  if has "eta" c.about <> List.mem name ["GTD"; "TDC joint"]
  then refuse "about.eta: a positive number is needed for GTD and TDC joint, and none for other matrices";
  made (), if has "eta" c.about then name ^ " at eta = " ^ brief (words (o.asked "eta")) else name
(* A statement about the eigenvalues of a mean matrix: its matrix, size, shift and X, and its words *)
let spectral c keys =
  let o = opened ~about:["matrix"; "shift"] ~allowed:("eta" :: columns) ~perhaps:coordinates ("lyapunov" :: keys) c in
  let of_what, name = dynamics c o in
  let k = int_of (dynamics_size c.model of_what) in
  let said which side = which ^ " eigenvalue of " ^ name ^ " has real part " ^ side ^ " " ^ brief (words (o.asked "shift")) ^ ", on " ^ o.place in
  o, of_what, k, rational "about.shift" (o.asked "shift"), matrix "witness.lyapunov" k k (o.given "lyapunov"), said
let hurwitz c =
  let o, of_what, k, shift, x, said = spectral c ["factor_lyapunov"; "factor_decrease"] in
  proved (check_hurwitz c.model o.basis of_what shift x (factor_of o k "factor_lyapunov") (factor_of o k "factor_decrease"));
  said "every" "below"
let unstable c =
  let o, of_what, k, shift, x, said = spectral c ["factor_growth"; "vector"] in
  proved (check_unstable c.model o.basis of_what shift x (vector "witness.vector" k (o.given "vector")) (factor_of o k "factor_growth"));
  said "some" "above"
let contraction c =
  let o = opened ~kernels:[] ~about:["modulus"] ~perhaps:["weights"; "semidefinite"] [] c in
  let k = int_of (form_size c.model o.basis FormD) in
  let shown = match has "weights" c.witness, has "semidefinite" c.witness with
    | true, false -> Weights (vector "witness.weights" k (o.given "weights"))
    | false, true ->
        let where = "witness.semidefinite" in
        let get = record where ["columns"; "coordinates"; "factor"] (o.given "semidefinite") in
        let chosen = List.map (index where k) (list where (get "columns")) in
        let l = List.length chosen in
        let none = { factor_scale = []; factor_unit = one; factor_rows = [] } in
        if (l = 0) <> (get "factor" = Null) then refuse (where ^ ": without columns, and then alone, there is no factor");
        Squares (List.map nat chosen, matrix where l k (get "coordinates"), if l = 0 then none else factor_in (where ^ ".factor") l (get "factor"))
    | _ -> refuse "witness: it has not one of weights and semidefinite" in
  proved (check_contraction c.model o.basis (rational "about.modulus" (o.asked "modulus")) shown);
  "|MV|_D <= " ^ brief (words (o.asked "modulus")) ^ " |V|_D for every V, on " ^ o.place
let not_contraction c =
  let o = opened ~kernels:[] ~about:["modulus"] ["vector"] c in
  proved (check_not_contraction c.model o.basis (rational "about.modulus" (o.asked "modulus")) (vector "witness.vector" c.n (o.given "vector")));
  "|MV|_D > " ^ brief (words (o.asked "modulus")) ^ " |V|_D for some V, on " ^ o.place
