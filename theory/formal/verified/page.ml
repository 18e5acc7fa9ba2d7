(* For JavaScript: tdcertConvergence(text), in bigint.js. *)
external export : (string -> string) -> unit = "page_export"
let () = export Kinds.answer
