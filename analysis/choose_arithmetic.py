r"""Which arithmetic a model is analysed in: by its size, said with the reason; sizes beyond memory are refused.

Exact arithmetic says most, and every one of its answers has a certificate; what it costs depends on the digits. With
D_s the common denominator of row s of the behaviour chain, the stationary law has about Σ_s log₂ D_s bits (it is a
ratio of minors of I − P); M Φ gains those of the common denominator of N at each of the L + 1 steps. The matrix
products and solves cost about n·d·(n + d) operations on such numbers. It is chosen while that product stays below
:data:`EXACT_WORK`. Beyond it come dense enclosures; models given as arrays of floats are analysed by their stored
transitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np

from tdcert.analysis.request import FLOAT_BITS, Arithmetic, Request
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, short
from tdcert.theory.files.limits import LARGEST_EXACT
from tdcert.theory.files.npz import memory_estimate
from tdcert.theory.limits import ENCLOSED_STATES, beyond, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import Ratios, SparseModel

EXACT_STATES = LARGEST_EXACT
"""Largest model that is analysed exactly; beyond it digits and time grow without use."""

EXACT_WORK = 2e11
"""Bit operations in the estimate above, minutes: 4e10 for n = d = 200, L = 10, rows over 100; 1.6e11 for Taxi."""

DENSE_MATRICES = 20
"""n×n matrices that dense enclosures hold at once."""


@dataclass(frozen=True)
class Choice:
    """The arithmetic, and why in one sentence."""

    arithmetic: Arithmetic
    why: str


def choose(model: Model | SparseModel, request: Request) -> Choice:
    """The arithmetic asked for, or the most informative one that the size allows.

    Raises :class:`InputError` where the model is too large for what was asked, or for the memory at hand; nothing
    has been computed then.
    """
    choice = _asked(model, request) or _by_size(model)
    needed, free = bytes_needed(model, choice.arithmetic, request.bits), available_bytes()
    if choice.arithmetic is Arithmetic.ENCLOSED and model.n > raised(ENCLOSED_STATES):
        offered = f"dense enclosures are offered up to {raised(ENCLOSED_STATES):,}; {_otherwise(model, choice)}"
        raise InputError(beyond(f"the model has {model.n:,} states, and {offered}", model.n / ENCLOSED_STATES))
    if free is not None and needed > free:
        raise InputError(
            f"{choice.arithmetic} arithmetic on {model.n} states and {model.d} features needs about {_gib(needed)} of "
            f"memory, and {_gib(free)} are free; {_otherwise(model, choice)}"
        )
    return choice


def _otherwise(model: Model | SparseModel, choice: Choice) -> str:
    """What to give instead of a choice that is too large; never what was given."""
    if choice.arithmetic is Arithmetic.SPARSE:
        return "give a smaller model"
    if isinstance(model, SparseModel):
        return "leave out --arithmetic and --bits, and the archive is analysed by its stored transitions"
    return "give a smaller model, or one with sparse transitions as .npz"


def reachable(model: Model | SparseModel, bits: int | None) -> int | None:
    """``bits`` where dense enclosures of that precision are possible, so that advice may name them; else None."""
    if bits is None or model.n > raised(ENCLOSED_STATES):
        return None
    free = available_bytes()
    return bits if free is None or bytes_needed(model, Arithmetic.ENCLOSED, bits) <= free else None


def bytes_needed(model: Model | SparseModel, arithmetic: Arithmetic, bits: int = FLOAT_BITS) -> int:
    """About how much memory an analysis takes at its peak."""
    n, d = model.n, model.d
    if arithmetic is Arithmetic.EXACT:
        longest = exact_bits(model) if isinstance(model, Model) else 64 * n  # rows of floats over their exact sums
        return (n * n + 4 * n * d) * (16 + longest // 8)
    if arithmetic is Arithmetic.ENCLOSED:
        width = 8 if bits <= FLOAT_BITS else 48 + bits // 4  # a ball has two parts, each with a header
        return DENSE_MATRICES * width * n * n
    m = len(model.actions)
    return memory_estimate(n, model.nonzeros if isinstance(model, SparseModel) else m * n * n, d, m)


def exact_bits(model: Model) -> int:
    """About how long the numbers of an exact analysis get, in bits."""
    N, steps = model.target_kernel.N, 1 if model.schedule.length is None else model.schedule.length + 1
    if model.sampling is not None:
        law, steps = int(model.sampling.denominator).bit_length(), 1
    else:
        P = model.behaviour_chain.P
        common = int(P.denominator)
        law = sum((common // gcd(common, *map(int, row))).bit_length() for row in P.numerator.table())
    by_state = model.lambda_by_state
    lambdas = sum(lam.denominator.bit_length() for lam in (model.schedule.lambdas if by_state is None else by_state))
    largest = max(abs(int(entry)) for entry in model.features.numerator.entries())
    features = int(model.features.denominator).bit_length() + largest.bit_length()
    return law + steps * int(N.denominator).bit_length() + lambdas + 2 * features


def available_bytes() -> int | None:
    """Memory that can still be had, where the system says so."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def _asked(model: Model | SparseModel, request: Request) -> Choice | None:
    if request.arithmetic is None:
        return Choice(Arithmetic.ENCLOSED, f"{request.bits} bits were asked for") if request.bits > FLOAT_BITS else None
    if request.arithmetic is Arithmetic.EXACT and model.n > EXACT_STATES:
        raise InputError(
            f"the model has {model.n} states, and exact arithmetic is offered up to {EXACT_STATES}; leave the choice "
            "of arithmetic out, or aggregate states"
        )
    return Choice(request.arithmetic, f"{request.arithmetic} arithmetic was asked for")


def _by_size(model: Model | SparseModel) -> Choice:
    if isinstance(model, SparseModel):
        return Choice(Arithmetic.SPARSE, f"the model was given as arrays of floats, {model.nonzeros:,} transitions")
    n, d = model.n, model.d
    if n > EXACT_STATES:
        return Choice(Arithmetic.ENCLOSED, f"{n:,} states are beyond exact arithmetic, which ends at {EXACT_STATES}")
    bits = exact_bits(model)
    size = f"{n} states, {d} features and numbers of about {bits:,} bits"
    if float(n) * d * (n + d) * bits <= EXACT_WORK:
        return Choice(Arithmetic.EXACT, f"{size} are within its reach")
    return Choice(Arithmetic.ENCLOSED, f"{size} would take exact arithmetic too long")


def in_floats(model: Model) -> SparseModel:
    """The model in floats, with ratios of integers where a number is not a float. Raises :class:`InputError` where
    integers of 64 bits are not enough, for a discount that depends on more than the state left, and for transitions
    that are drawn independently.
    """
    if model.sampling is not None:
        raise InputError(
            "sparse arithmetic is about paths, and the transitions of this model are drawn independently; leave the "
            "choice of arithmetic out"
        )
    if any(G.shape[1] != 1 or model.discounts[0] != G for G in model.discounts):
        raise InputError(
            "sparse arithmetic takes a discount that depends on the state left alone, not on the transition; leave the "
            "choice of arithmetic out"
        )
    ones = RationalMatrix.column([1] * model.n)
    rewards = [
        R if R.shape[1] == 1 else P.hadamard(R) @ ones for P, R in zip(model.transitions, model.rewards, strict=True)
    ]
    expected = RationalMatrix([[R[s, 0] for R in rewards] for s in range(model.n)])
    given = {
        "rewards": _floats(expected, "the expected rewards"),
        "behaviour": _floats(model.behaviour, "the behaviour policy"),
        "target": _floats(model.target, "the target policy"),
        "features": _floats(model.features, "the features"),
        **{f"transitions_{a}": _floats(P, "the transitions") for a, P in enumerate(model.transitions)},
    }
    if model.gamma is None:
        discounts, exact = _floats(model.discounts[0], "the discounts")
        given["discount"] = discounts[:, 0], None if exact is None else exact[:, 0]
    ratios = {key: exact for key, (_, exact) in given.items() if exact is not None}
    from scipy.sparse import csr_array

    return SparseModel(
        model.actions,
        tuple(csr_array(given[f"transitions_{a}"][0]) for a in range(len(model.actions))),
        given["rewards"][0],
        given["discount"][0] if model.gamma is None else model.gamma,
        given["behaviour"][0],
        given["target"][0],
        given["features"][0],
        model.schedule,
        model.name,
        ratios,
        model.interest,
    )


def _floats(matrix: RationalMatrix, what: str) -> tuple[Any, Ratios | None]:
    """The nearest floats, and the ratios that they stand for where one is not equal to its entry."""
    made = matrix.to_float()
    if RationalMatrix([[Fraction(x) for x in row] for row in made.tolist()]) == matrix:
        return made, None
    for s, row in enumerate(matrix.rows):
        for x in row:
            if max(abs(x.numerator), x.denominator) >= 2**63:
                raise InputError(
                    f"row s{s} of {what} holds {short(x)}, which is no ratio of integers of 64 bits, as sparse "
                    "arithmetic takes them; leave the choice of arithmetic out, or give an .npz archive"
                )
    parts = np.array([[(x.numerator, x.denominator) for x in row] for row in matrix.rows], dtype=np.int64)
    exact = Ratios(parts[..., 0], parts[..., 1])
    return exact.nearest(), exact


def _gib(count: int) -> str:
    return f"{count / 2**30:.1f} GiB"
