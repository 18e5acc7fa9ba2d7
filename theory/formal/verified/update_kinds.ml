(* A part that is not verified: the kinds of certificates about updates by terms, which the program of pages has no room for. *)
let () = Kinds.known := ["update_mean_square_bounded", Nodes.update_mean_square_bounded;
  "update_mean_square_unbounded", Nodes.update_mean_square_unbounded; "update_mean_bounded", Nodes.update_mean_bounded;
  "update_mean_unbounded", Nodes.update_mean_unbounded] @ !Kinds.known
