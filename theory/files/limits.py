"""The largest inputs that are read: the unit, what the largest takes (processor seconds or memory), and the reason.

``--limits`` (:mod:`tdcert.theory.limits`) multiplies those named in :data:`RAISED`; the others are about what a number
is, or choose how a matrix is read.
"""

from __future__ import annotations

MAX_BYTES = 256 * 1024 * 1024
"""Bytes of a file of JSON; 4 s to parse. It is held whole, as text and as lists, so that its length bounds memory."""
MAX_MATRIX_BITS = 2**33
"""Bits of all entries of a matrix, which has one common denominator; 1 GiB. Denominators without common factors make
every entry long, so that a small file would take all memory."""
MOST_DENSE = 2**26
"""Entries of an array that is written out as exact numbers; 12 µs each, so 13 minutes, and gigabytes. Larger
ones come as sparse matrices, or by mistake."""
DEEPEST = 3
"""Nested lists of numbers; P by action is the deepest, and a list that holds itself would be followed for ever."""
MAX_DIGITS = 400
"""Digits of a number (of each part of "p/q"); microseconds. An elimination multiplies entries, so that its time grows
faster than the square of their length."""
MAX_EXPONENT = 308
"""Exponent of ten, up or down; that of the largest float: a power of ten is written out, and takes a file no room."""
TABULAR_STATES = 2000
"""States of a sparse model whose features may be left out; 31 MiB, for the identity has n² entries."""
LARGEST_EXACT = 700
"""States of a sparse P that is read as exact numbers; 3 s, growing with n² as it is written out. More are read as an
archive is, by the stored entries, in milliseconds."""

RAISED = ("MAX_BYTES", "MAX_MATRIX_BITS", "MOST_DENSE", "TABULAR_STATES")
