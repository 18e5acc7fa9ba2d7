"""Check certificates about temporal-difference learning: Python 3.10 or newer alone, exact integers alone.

    python -I -S checker/ [--patient] FILE|FOLDER...

A certificate carries a finite model, a statement about it and a witness.  Everything the statement speaks of
is rebuilt here from the model; the witness is only ever *tested*: a false one can waste time, never convince.

Letters.  ``P_mu`` is the behaviour chain, ``d`` its stationary law on one recurrent class (zero elsewhere),
``D = diag(d)``.  ``N(s,t) = sum_a pi(a|s) P_a(s,t) Gamma_a(s,t)``, ``q(s) = sum_a pi(a|s)`` and
``r(s) = sum_a pi(a|s) sum_t P_a(s,t) R_a(s,t)``; the sums run over all actions (kernel "target") or over
those with ``mu(a|s) > 0`` (kernel "covered").  With ``c_k = lambda_1 ... lambda_k``: ``S = sum_k c_k N^k``,
``K = S (N - diag(q))``, ``A = Phi' D K Phi``, ``C = Phi' D Phi``, ``b = Phi' D S r``.  For the kernel "target"
``q = 1``, so ``K = M - I`` with ``M = sum_n w_n N^n``; "D(I-M)" names ``-D K`` for this kernel alone.

Reading order, each file resting on those before it:

    limits, budget   what a file may hold and cost: charged before the work is done
    reading          JSON, numbers, lists, objects
    matrices         rational matrices, and the tests with a theorem behind them: `solve_modulo` (a determinant is not
                     zero), `solve`, `require_positive_definite`, `require_semidefinite`
    opened           what a certificate is about, its witness, and tests that all share
    model            the model, a certificate about it, and its matrices
    chain, signs     kinds about the chain, and about the signs of its matrices
    convergence      one kind: an algorithm converges with probability one
    windows          kinds about second moments of the paper's algorithms
    update           an update, given by its tables
    whole            the mean of its increments, where it is given by terms of whole vectors
    regime, nodes    kinds about its mean dynamics, and about constant steps
    paths            kinds about almost every path at constant steps
    restart          such kinds where moves cut a memory without end
    memory           kinds about its memory and its long-run covariance
    small_steps      kinds about all small constant steps
    errors, for_ever one kind: close to rest from a time on, with a probability
    values, expressions, relation   one kind: two expressions agree, or are ordered
    row_sets, sets   sets of models: intervals that follow from counts, and bounds over all models of a set
    over_sets        kinds about all models of a set
    folder           the verdict files of a report, and the certificates that they name
    program          all kinds, and the program

A kind is one function; it says why what it tests is enough.
"""

from .budget import NotChecked, Rejected
from .folder import ACCEPTED, NOT_CHECKED, REJECTED, VERDICTS, overall, replayed
from .program import KINDS, answer, check_file, check_text, main

__all__ = [
    "ACCEPTED",
    "KINDS",
    "NOT_CHECKED",
    "REJECTED",
    "VERDICTS",
    "NotChecked",
    "Rejected",
    "answer",
    "check_file",
    "check_text",
    "main",
    "overall",
    "replayed",
]
