// Integers without a bound, and the one function that pages and node call: tdcertConvergence(text) is the answer.
// An integer below 2^53 in size is a number, any other a BigInt. What is computed of two numbers is a number where it is that
// small, for then binary64 has not rounded it, and else computed again of two BigInts.
//Provides: bigint_of
function bigint_of(x) { var k = Number(x); return Number.isSafeInteger(k) ? k : BigInt(x); }
//Provides: bigint_small
function bigint_small(a, b) { return typeof a === "number" && typeof b === "number"; }
//Provides: bigint_of_int
function bigint_of_int(k) { return k; }
//Provides: bigint_to_int
function bigint_to_int(a) { return a; }
//Provides: bigint_of_string
//Requires: caml_jsbytes_of_string, bigint_of
function bigint_of_string(s) { return bigint_of(caml_jsbytes_of_string(s)); }
//Provides: bigint_to_string
//Requires: caml_string_of_jsbytes
function bigint_to_string(a) { return caml_string_of_jsbytes(String(a)); }
//Provides: bigint_add
//Requires: bigint_of, bigint_small
function bigint_add(a, b) {
  if (bigint_small(a, b)) { var c = a + b; if (Number.isSafeInteger(c)) return c; }
  return bigint_of(BigInt(a) + BigInt(b));
}
//Provides: bigint_minus
function bigint_minus(a) { return -a; }
//Provides: bigint_sub
//Requires: bigint_add, bigint_minus
function bigint_sub(a, b) { return bigint_add(a, bigint_minus(b)); }
//Provides: bigint_mult
//Requires: bigint_of, bigint_small
function bigint_mult(a, b) {
  if (bigint_small(a, b)) { var c = a * b; if (Number.isSafeInteger(c)) return c; }
  return bigint_of(BigInt(a) * BigInt(b));
}
//Provides: bigint_rest
//Requires: bigint_of, bigint_small
function bigint_rest(a, b) { return b && bigint_small(a, b) ? a % b : bigint_of(BigInt(a) % BigInt(b)); }
//Provides: bigint_mod
//Requires: bigint_add, bigint_rest, bigint_minus
function bigint_mod(a, b) {
  var rest = bigint_rest(a, b);
  return rest < 0 ? bigint_add(rest, b < 0 ? bigint_minus(b) : b) : rest;
}
//Provides: bigint_div
//Requires: bigint_mod, bigint_of, bigint_small
function bigint_div(a, b) {
  if (b && bigint_small(a, b) && a >= 0) return (a - a % b) / b;
  return bigint_of((BigInt(a) - BigInt(bigint_mod(a, b))) / BigInt(b));
}
//Provides: bigint_gcd
//Requires: bigint_rest, bigint_minus
function bigint_gcd(a, b) {
  while (b) { var rest = bigint_rest(a, b); a = b; b = rest; }
  return a < 0 ? bigint_minus(a) : a;
}
//Provides: bigint_compare
function bigint_compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }
//Provides: bigint_power
//Requires: bigint_mult
function bigint_power(a, k) { var power = 1; while (k-- > 0) power = bigint_mult(power, a); return power; }
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
// A string is one of JavaScript, each character a byte; strings are made from left to right.
//Provides: caml_create_bytes
function caml_create_bytes(length) { return {text: "", length: length}; }
//Provides: caml_bytes_of_string
function caml_bytes_of_string(s) { return {text: s, length: s.length}; }
//Provides: caml_string_of_bytes
function caml_string_of_bytes(bytes) { return bytes.text; }
//Provides: caml_ml_bytes_length
function caml_ml_bytes_length(bytes) { return bytes.length; }
//Provides: caml_bytes_unsafe_get
function caml_bytes_unsafe_get(bytes, i) { return bytes.text.charCodeAt(i); }
//Provides: caml_blit_string
function caml_blit_string(from, i, into, j, length) {
  into.text = into.text.slice(0, j) + from.slice(i, i + length) + into.text.slice(j + length);
  return 0;
}
//Provides: caml_blit_bytes
//Requires: caml_blit_string
function caml_blit_bytes(from, i, into, j, length) { return caml_blit_string(from.text, i, into, j, length); }
//Provides: caml_bytes_unsafe_set
//Requires: caml_blit_string
function caml_bytes_unsafe_set(bytes, i, k) { return caml_blit_string(String.fromCharCode(k), 0, bytes, i, 1); }
// Of digits alone
//Provides: caml_int_of_string
function caml_int_of_string(s) { return Number(s); }
// Numbers, strings, and blocks of them: a number is below a block; along the last field, as lists may be long.
//Provides: caml_compare_val
function caml_compare_val(a, b, total) {
  for (;;) {
    var blocks = (a instanceof Array) - (b instanceof Array);
    if (blocks || !(a instanceof Array)) return blocks || (a < b ? -1 : a > b ? 1 : 0);
    if (a[0] !== b[0] || a.length !== b.length) return a[0] - b[0] || a.length - b.length;
    var last = a.length - 1;
    for (var i = 1; i < last; i++) { var found = caml_compare_val(a[i], b[i], total); if (found) return found; }
    if (!last) return 0;
    a = a[last]; b = b[last];
  }
}
// An exception that nothing catches is thrown on as it is; an error of JavaScript is no exception of OCaml.
//Provides: caml_setup_uncaught_exception_handler
function caml_setup_uncaught_exception_handler() {}
//Provides: caml_fatal_uncaught_exception
function caml_fatal_uncaught_exception(error) { throw error; }
//Provides: caml_wrap_exception
function caml_wrap_exception(error) { return error; }
