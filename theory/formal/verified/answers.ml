(* Answers certificates one after the other: a line with the number of bytes, the bytes; back comes one line. *)
let () =
  set_binary_mode_in stdin true; set_binary_mode_out stdout true;
  try while true do
    let length = int_of_string (input_line stdin) in
    print_endline (Kinds.answer (really_input_string stdin length))
  done with End_of_file -> ()
