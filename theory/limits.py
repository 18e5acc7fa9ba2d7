"""The largest questions that are tried: the unit, what the largest takes (processor seconds), and the reason.

Beyond a limit the answer is "undecided", or one sentence that names ``--limits``, which multiplies all of them and the
sizes of ``theory/files/limits.py``. Limits of the checker and of trials stand with these, which run by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from math import ceil, inf
from typing import ParamSpec, TypeVar

from tdcert.theory.errors import BudgetExceededError, InputError, short

Size = TypeVar("Size", int, float)
Given = ParamSpec("Given")
Answer = TypeVar("Answer")

TIMES: ContextVar[int] = ContextVar("TIMES", default=1)
"""By what the limits are multiplied."""
MOST_TIMES = 1_000_000
"""The largest such number: what takes a second would take days."""

EVALUATED_TRANSITIONS = 50_000
"""Different transitions on which an update is evaluated; half a minute, for each calls the function on polynomials."""
UPDATE_ENTRIES = 20_000
"""Parameters and numbers in the memory of an update; seconds: each is a symbol of every polynomial."""
EVALUATIONS = 2_000
"""Evaluations of one function on a sparse model; seconds, for each gives a matrix over all states."""
EXACT_MOVES = 20_000
"""Transitions between nodes, the values of state and memory, where each is decided exactly; a second."""
PROPAGATED_MOVES = 400_000
"""Transitions between nodes along which moments are propagated; a few seconds, and some hundred megabytes."""
ERROR_MOVES = 4_000
"""Transitions between nodes of an error process; seconds, for the checker multiplies the matrix of each many times."""
FOR_EVER_ENTRIES = 50_000
"""Moves × (D + 1)² of a model whose distance from θ* is bounded for ever; seconds: the inequality is decided in every
node."""
FOR_EVER_WORK = 30_000_000
"""Steps × moves × ((D + 1)³ + 250) of second moments that are propagated in integers, twice where steps are irrational;
a few seconds."""
LARGEST_STEP_ENTRIES = 1_500
"""Nodes × D² for which the largest step in mean square is sought; seconds, for a dozen forms are decided exactly."""
DECREASING_ENTRIES = 1_000_000
"""States × (entries of parameters and memory)² of an update at decreasing steps; seconds for its tables."""
ROBUST_STATES = 24
"""States of a model around which all transitions are looked at; a minute, for each pair of states is one."""
ROBUST_CASES = 100
"""Evaluations of a function on all models around a model, one for each case of what it compares; a second."""
COUNTER_ENTRIES = 200
"""Entries of transitions, policies or discounts along which a counter-model is sought; seconds: each is moved once and
the mean found."""
SAMPLED_ENTRIES = 100_000
"""Possible successors of all rows × d² of a set of models from samples, off-policy or for ranges, times the corners of
an unknown policy; ten seconds: every entry of a form is bounded."""
AROUND_ENTRIES = 10_000
"""Pairs of states × actions × d² of a model around which certificates are made; ten seconds: every entry of a form is
bounded at several distances."""
MOST_CLASSES = 20
"""Recurrent classes of a sparse model; seconds on 10⁵ states, for each has a law of its own."""
ELIMINATION_WORK = 2e11
"""Multiplications of the elimination for a stationary law, Σ p f² over fronts of f states; half a minute."""
ELIMINATION_BYTES = 2**31
"""Bytes that back substitution needs; memory, not time."""
MOMENT_ENTRIES = 20_000_000
"""Entries of one array of transitions, n×d×d or moves × entries; about twelve such arrays of 160 MB are held."""
MOMENT_WORK = 2e11
"""Multiplications for one propagation of moments; minutes."""
POWER_ENTRIES = 160
"""Entries of all second moments by nodes whose matrix is raised to powers in balls; seconds, growing with the cube."""
MIXING_STEPS = 2_000
"""Steps that conditional means are followed until they are near their mean; seconds: their digits grow with each."""
CURVE_ENTRIES = 20_000_000
"""Entries of the map that moves the moments of an error curve; some hundred megabytes."""
MEAN_ROWS = 1_000
"""Rows of the map of the means at a constant step, nodes times the width of y; a second, growing with the cube."""
RATE_NODES = 60
"""Nodes on which the Poisson equations of an almost sure rate are solved exactly; seconds, growing with the cube."""
RATIO_FEATURES = 5
"""Features for which the stable ratios of two step sizes are found; seconds: a polynomial of degree about 3d² in η."""
POLYA_POWER = 400
"""The power of 1 + t by which a polynomial gets coefficients of one sign; a second: roots nearer to the values need a
higher one."""
VARIED_ROWS = 16
"""Rows of a mean matrix of polynomials in one number; seconds: determinants of degree about half the square of them."""
VARIED_CONTEXTS = 40
"""Contexts on which means are found for all values of one number; seconds: systems of polynomials."""
VARIED_PIECES = 64
"""Cases of an update by what it compares as one number varies; seconds: each is a matrix of polynomials."""
CRITICAL_DEGREE = 400
"""Degree of a polynomial whose roots are sought; seconds, for it is factored."""
SEARCHED_ENTRIES = 600
"""Nodes × D² for which a dozen steps are decided one by one; seconds."""
MEMORY_MOMENTS = 1_000
"""Second moments of a memory without end, contexts × pairs of entries, 40 times as many in balls; seconds."""
SAFE_STEP_ENTRIES = 1_000
"""Contexts × D² for which a safe step of a memory without end is sought; seconds: a form for each context."""
BOUNDED_MOVES = 4_000
"""Transitions between nodes with which mean square at a step is decided in floats, or a memory without end is
followed; a second."""
BOUNDED_WORK = 2_000_000
"""Such transitions × D³; a second."""
JUMP_MOVES = 40_000
"""Transitions between nodes that floats follow, whatever D is; four seconds, two to list them and two for GMRES."""
GROWTH_ENTRIES = 20_000
"""Contexts × edges among which cycles that grow are sought; a second."""
PATH_MOVES = 4_000
"""Transitions between nodes of an update whose paths are decided; a fraction of a second."""
LAYER_MOVES = 2_000
"""Moves of the layers behind cuts of a memory without end, where paths are decided; seconds: a determinant for each."""
LAW_NODES = 400
"""Nodes whose stationary law is solved for, where paths are decided; a second, for it is exact."""
WEIGHT_UNKNOWNS = 2_000
"""Nodes × D(D + 1)/2 for which weights of a path exponent are searched; seconds, for some hundred factorisations."""
PATH_CELLS = 20_000
"""Moves × cells of directions with which an exponent in two dimensions is bounded; a second, with all coarser grids."""
ZERO_PRODUCTS = 3_000
"""Products of moves that are followed in search of one that is zero; a second."""
RETURN_WORDS = 60
"""Different products of moves from a visit of a node to the next, where a drift on directions is enclosed; a second."""
DRIFT_BOXES = 1_000_000
"""Boxes of directions on which the drift that bounds a path exponent is enclosed; a minute."""
BY_STATES = 1_000
"""States by which safe steps are sought; seconds, for their law and inverses are enclosed."""
BY_STATES_ENTRIES = 4_000_000
"""States × D² that are held at once for that; 32 MB an array."""
RECURSION_ROWS = 120
"""Nodes × D for which a recursion of the mean at a step is sought; a second, growing with the cube."""
RANK_FEATURES = 1_000
"""Features whose rank is found exactly where floats show no independence; seconds."""
SPECTRUM_ROWS = 1_000
"""Rows of a matrix whose spectrum is enclosed in floats; seconds, growing with the cube."""
MEAN_ENTRIES = 2_000
"""Nodes × D² for which the mean is decided in one cell of a phase diagram; a tenth of a second, for cells are many."""
POLYNOMIAL_ROWS = 60
"""Rows of a matrix whose characteristic polynomial is taken; two seconds, growing with the fourth power."""
LYAPUNOV_ROWS = 120
"""Rows of a matrix for which a Lyapunov matrix is sought and checked exactly; seconds, growing as n⁴."""
ENCLOSED_LYAPUNOV_ROWS = 500
"""Rows of a matrix for which a Lyapunov matrix is computed in balls, or many times in floats; seconds: d³ operations
with a large constant."""
FLOAT_LYAPUNOV_ROWS = 2_000
"""Rows of a matrix for which a Lyapunov matrix is computed once in floats; ten seconds, growing with the cube."""
ENCLOSED_STATES = 4_000
"""States of a dense model; minutes, and some 30 matrices of n² floats that are held at once."""
DEFINITE_WORK = 4 * 10**10
"""n³·bits of an integer Cholesky factor, which decides a thin margin; half a minute (n = 200: 5,000 bits)."""


class LimitError(BudgetExceededError):
    """A size beyond a limit of this file; ``times``: as in :func:`beyond`."""

    def __init__(self, sentence: str, times: float) -> None:
        super().__init__(beyond(sentence, times))


def raised(limit: Size) -> Size:
    """The limit as it is in force."""
    return limit * TIMES.get()


def multiple(size: float, limit: float) -> float:
    """By what a limit is to be multiplied to hold this size; infinite where it is zero: nothing is to be tried."""
    return size / limit if limit else inf


def beyond(sentence: str, times: float) -> str:
    """The sentence of a refusal, and the option with which the question is tried. ``times``: a multiple of the limit
    that surely is enough, infinite where none need be; beyond :data:`MOST_TIMES` no option is named.
    """
    if times > MOST_TIMES:
        return sentence
    return f"{sentence}; give --limits {max(ceil(times), TIMES.get() + 1)} to try it"


def cached(entries: int) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Remembers so many answers, as :func:`functools.lru_cache`, where an answer may be that a limit was met: what was
    undecided is asked again when the limits are others.
    """

    def of(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @lru_cache(entries)
        def remembered(_: int, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
            return function(*args, **kwargs)

        @wraps(function)
        def asked(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            return remembered(TIMES.get(), *args, **kwargs)  # type: ignore[arg-type]

        vars(asked)["cache_clear"] = remembered.cache_clear
        return asked

    return of


@contextmanager
def limits_raised(times: int) -> Iterator[None]:
    """Multiplies all limits by ``times`` while it is open. Raises :class:`InputError` unless it is from 1 to
    :data:`MOST_TIMES`.
    """
    if not 1 <= times <= MOST_TIMES:
        raise InputError(f"limits are multiplied by {short(times)}; give a whole number from 1 to {MOST_TIMES:,}")
    token = TIMES.set(times)
    try:
        yield
    finally:
        TIMES.reset(token)
