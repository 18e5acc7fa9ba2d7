// Integers without a bound, and the one function that pages and node call: tdcertConvergence(text) is the answer.
//Provides: bigint_of_int
function bigint_of_int(k) { return BigInt(k); }
//Provides: bigint_of_string
//Requires: caml_jsstring_of_string
function bigint_of_string(s) { return BigInt(caml_jsstring_of_string(s)); }
//Provides: bigint_to_string
//Requires: caml_string_of_jsbytes
function bigint_to_string(a) { return caml_string_of_jsbytes(String(a)); }
//Provides: bigint_add
function bigint_add(a, b) { return a + b; }
//Provides: bigint_sub
function bigint_sub(a, b) { return a - b; }
//Provides: bigint_mult
function bigint_mult(a, b) { return a * b; }
//Provides: bigint_minus
function bigint_minus(a) { return -a; }
//Provides: bigint_mod
function bigint_mod(a, b) {
  var zero = BigInt(0), rest = a % b;
  return rest < zero ? rest + (b < zero ? -b : b) : rest;
}
//Provides: bigint_div
//Requires: bigint_mod
function bigint_div(a, b) { return (a - bigint_mod(a, b)) / b; }
//Provides: bigint_gcd
function bigint_gcd(a, b) {
  var zero = BigInt(0);
  if (a < zero) a = -a;
  if (b < zero) b = -b;
  while (b !== zero) { var rest = a % b; a = b; b = rest; }
  return a;
}
//Provides: bigint_compare
function bigint_compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }
//Provides: bigint_power
function bigint_power(a, k) { var power = BigInt(1), one = BigInt(a); while (k-- > 0) power *= one; return power; }
//Provides: page_export
//Requires: caml_string_of_jsbytes, caml_jsbytes_of_string, caml_call_gen
function page_export(answer) {
  globalThis.tdcertConvergence = function (text) {
    var said = caml_call_gen(answer, [caml_string_of_jsbytes(text.replace(/[^\0-\xff]/g, "\xff"))]);
    return decodeURIComponent(escape(caml_jsbytes_of_string(said)));
  };
}
// It reads no files and writes none: in the place of the channels and of the file system that js_of_ocaml brings along.
//Provides: caml_ml_open_descriptor_in
function caml_ml_open_descriptor_in(descriptor) { return descriptor; }
//Provides: caml_ml_open_descriptor_out
function caml_ml_open_descriptor_out(descriptor) { return descriptor; }
//Provides: caml_ml_out_channels_list
function caml_ml_out_channels_list() { return 0; }
//Provides: caml_ml_flush
function caml_ml_flush() { return 0; }
//Provides: jsoo_mount_point
var jsoo_mount_point = [];
// Nor does it compare Int64 or Bigarray.
//Provides: caml_custom_ops
var caml_custom_ops = {};
