r"""How large may a constant step be? For every update: a bracket of the largest step in mean square where the memory
takes few values (:mod:`tdcert.theory.laws.mean_square`), single steps on both sides of it where the update is not
linear in its steps, an explicit small step where a memory without end is bounded
(:mod:`tdcert.theory.engine.small_steps`), and none at all where the memory grows along a cycle
(:mod:`tdcert.theory.engine.growth`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.enclose.safe_steps import StepBracket
from tdcert.theory.engine.certificates import (
    at_step_certificates,
    growth_certificate,
    mean_square_certificate,
    safe_step_certificate,
)
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.growth import Growth, growth_of
from tdcert.theory.engine.jumps import at_constant_step, jump_system
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Kind
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.small_steps import safe_step
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.laws.mean_square import LargestStep, largest_step, simple
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade

ENTRIES, SEARCHED = 1_500, 600
"""Most nodes × D² for which the largest step in mean square is sought (seconds); and for which a dozen steps are
decided one by one.
"""
MOMENTS, FORMS = 1_000, 1_000
"""Most second moments of the memory, contexts × pairs of entries, and contexts × D², for which a safe step is sought
(seconds).
"""
HALVINGS, NARROW = 20, Fraction(5, 4)
"""How often a step is halved or doubled in a search, and the ratio of two steps that are close enough."""


@dataclass(frozen=True)
class Largest:
    """The ``largest`` step, or ``why`` none is known; then ``growth`` where there is none, or a ``safe`` step up to
    which differences of two runs die out. ``certificates``: of what is said, where they were asked for.
    """

    largest: LargestStep | StepBracket | None = None
    why: str = ""
    growth: Growth | None = None
    safe: Fraction | None = None
    certificates: tuple[Certificate, ...] = ()


def largest_of(found: Stationary, ratios: Sequence[Fraction], certify: bool = False) -> Largest:
    """The largest constant step, all of them in these ratios, of an update whose mean dynamics are stable there;
    ``found``: of :func:`~tdcert.theory.engine.first_order.with_mean_dynamics`.
    """
    model, algorithm, states = found.model, found.algorithm, found.states
    if found.cut:
        bracket = bracket_by_decisions(model, algorithm, states, ratios, kind=found.kind)
        if isinstance(bracket, str):
            return Largest(why=bracket)
        shown = [alpha for alpha in (bracket.low, bracket.high) if alpha is not None and certify]
        each = (at_constant_step(model, algorithm, states, ratios, alpha, SEARCHED) for alpha in shown)
        made = [at_step_certificates(decided, ratios, alpha) for decided, alpha in zip(each, shown, strict=True)]
        return Largest(bracket, certificates=tuple(one for some in made for one in some))
    own = tables(model, algorithm, states, known=found.tables)
    try:
        largest, chain = _largest_step(found, own, ratios)
    except BudgetExceededError as error:
        growth, safe = growth_of(own, ratios), None
        if growth is None and _is_small(found):
            exact = found if found.kind is RationalMatrix else with_mean_dynamics(model, algorithm, states)
            safe = safe_step(exact, own, ratios)
        certificates = [safe_step_certificate(safe, ratios)] if safe else []
        certificates += [growth_certificate(growth, ratios)] if growth else []
        why = growth.sentence if growth else str(error)
        return Largest(None, why, growth, safe.upto if safe else None, tuple(certificates) if certify else ())
    except InputError as error:
        return Largest(why=str(error))
    shows = (largest.near, largest.bounded, largest.unbounded) if certify else ()
    return Largest(largest, certificates=tuple(mean_square_certificate(found, chain, ratios, one) for one in shows))


def sign_without_end(found: Stationary, own: Tables, ratios: Sequence[Fraction], alpha: Fraction) -> Sign:
    """The sign of mean square at one step where the memory has no end, of runs under way: 1 where it grows along a
    cycle, −1 up to a safe step, else None; ``found``: linear in the steps, ``own``: from the states of the class.
    """
    if growth_of(own, ratios) is not None:
        return 1
    if found.cut or not _is_small(found) or found.kind is not RationalMatrix:
        return None
    safe = safe_step(found, own, ratios)
    return -1 if safe is not None and alpha <= safe.upto else None


def _is_small(found: Stationary) -> bool:
    contexts, M = len(found.tables.contexts), found.tables.M
    return contexts * M * (M + 1) // 2 <= MOMENTS and contexts * found.tables.D**2 <= FORMS


def _largest_step(found: Stationary, own: Tables, ratios: Sequence[Fraction]) -> tuple[LargestStep, Nodes]:
    size = len(found.visible[0])
    most = ENTRIES // max(1, size**2) * max(len(edges) for edges in found.tables.leaving)
    chain = node_chain(own, most=most)
    if len(chain.nodes) * size**2 > ENTRIES:
        raise BudgetExceededError(f"{len(chain.nodes)} nodes × {size}² are more than {ENTRIES} entries")
    largest = largest_step(jump_system(found, chain, ratios))
    if largest is None:
        raise BudgetExceededError("no quadratic form decides")
    return largest, chain


def bracket_by_decisions(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    *,
    kind: Kind = RationalMatrix,
) -> StepBracket | str:
    """A step at which mean square dies out, and one at most a quarter larger at which it grows (None where it is not
    seen to grow at any), each decided by itself, so that steps may enter the update in any way: nothing is said of the
    steps between. A sentence where there are none. The arguments are those of
    :func:`~tdcert.theory.engine.jumps.at_constant_step`.
    """
    longest = max(sum(x * x for x in row) for row in model.features.take(rows=states).rows)
    start = Fraction(1, 4) / max(longest, Fraction(1, 1024))

    proved: dict[Fraction, bool] = {}

    def sign(alpha: Fraction) -> Sign:
        try:
            decided = at_constant_step(model, algorithm, states, ratios, alpha, SEARCHED, kind)
        except (BudgetExceededError, InputError, SingularMatrixError):
            return None
        proved[alpha] = decided.square is not None or decided.growth is not None
        return decided.mean_square

    def grade(*ends: Fraction) -> Grade:
        """An end that floats decided, every rounding bounded, has no certificate."""
        return Grade.CERTIFIED if all(proved[alpha] for alpha in ends) else Grade.ENCLOSED

    low, found = start, sign(start)
    for _ in range(HALVINGS):
        if found == -1:
            break
        low, found = low / 2, sign(low / 2)
    if found != -1:
        return "no constant step was found at which the mean square is shown to die out"
    high, found = 2 * low, sign(2 * low)
    while found == -1 and high < start * 2**HALVINGS:
        low, high, found = high, 2 * high, sign(2 * high)
    if found == -1:
        return StepBracket(Fraction(0), high, None, grade=grade(high))
    if found != 1:
        return f"the mean square dies out at the step {low}, and is undecided at {high}"
    while high > low * NARROW:
        middle = simple((float(low) * float(high)) ** 0.5)
        found = sign(middle)
        if found not in (-1, 1):
            break
        low, high = (middle, high) if found == -1 else (low, middle)
    return StepBracket(Fraction(0), low, high, grade=grade(low, high))
