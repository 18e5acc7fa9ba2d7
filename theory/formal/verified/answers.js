// answers.ml for node: a line with the number of bytes, the bytes of a certificate; back comes one line.
require("./convergence.js");
const fs = require("fs");
let held = Buffer.alloc(0);
function more() {
  const piece = Buffer.alloc(1 << 16), size = fs.readSync(0, piece);
  if (size === 0) process.exit(0);
  held = Buffer.concat([held, piece.subarray(0, size)]);
}
for (;;) {
  let end;
  while ((end = held.indexOf(10)) < 0) more();
  const length = Number(held.subarray(0, end).toString());
  held = held.subarray(end + 1);
  while (held.length < length) more();
  const text = held.subarray(0, length).toString("latin1");
  held = held.subarray(length);
  fs.writeSync(1, globalThis.tdcertConvergence(text) + "\n");
}
