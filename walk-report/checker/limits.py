"""Bounds on what one file may hold, and on what checking it may take. Beyond the first the answer is a rejection;
beyond time and memory it is "not checked", and `--patient` lifts the bound on time. docs/certificates.md lists them.
"""

MAX_BYTES, MAX_CONTAINERS, MAX_DEPTH = 128 * 2**20, 2_000_000, 40  # of the file; its lists and objects; their nesting
MAX_STATES, MAX_FEATURES, MAX_ACTIONS, MAX_LAMBDAS = 1_000, 1_000, 64, 2_000
MAX_DIGITS, MAX_BITS = 200_000, 100_000  # of a number; of the unit of a factor's entries
MAX_PARAMETERS = 2_000  # of an update, and entries of its memory
MAX_STEPS = 100  # step sizes of an update
MAX_COUNT = 2**40  # of what came after a row
MAX_NODES, MAX_PATHS = 2_000, 200_000  # of the expressions of one certificate; under one expectation
MAX_WORK = 10**10  # estimated nanoseconds: ten seconds, unless the caller is patient
MAX_MEMORY = 2**34  # estimated bits: two gibibytes
