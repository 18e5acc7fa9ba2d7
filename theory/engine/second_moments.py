r"""Constant steps of every update: do second moments of differences of two runs die out or grow, and up to which step?

Three questions are asked here, of TD as of a user's function: what does the step α do (:func:`at_constant_step`; its
mean square alone, in floats: :func:`mean_square_sign`), how large may a step be (:func:`largest_of`). Step sizes are in
fixed ratios to the first. Methods are tried in this order; each has its theorem in the module named.

================================  =============================================================  =======================
what is known of the memory       what decides                                                   certificate
================================  =============================================================  =======================
takes few values                  **at α** a quadratic form on the nodes, in fractions           ``mean_square_…`` of
                                  (:mod:`tdcert.theory.laws.mean_square`), and the mean, from    the paper's algorithms,
                                  time zero and under way (:mod:`tdcert.theory.laws.step_signs`  ``update_mean_…`` of
                                  ); **up to α_0** X + αT_h; **the largest** its crossing        every update
is the trace of a λ-schedule      **up to α_0** moments by state, **at α** a cycle of states     none: every rounding is
that ends, of outer products      (:mod:`tdcert.theory.enclose.safe_steps`)                      bounded
has an end                        **at α** a form on the nodes, in floats                        none
                                  (:mod:`tdcert.theory.laws.second_moment_sign`)
has no end, and grows along a     at **every** step mean square grows                            ``update_no_safe_step``
cycle                             (:mod:`tdcert.theory.engine.growth`)
has no end, one vector with a     **at α** nodes stand for what is near them                     none
bound                             (:mod:`tdcert.theory.engine.near_nodes`)
has no end, no bound is known     **at α** growth on paths that are followed                     none
has no end, bounds by contexts    **up to α_0**, and so **at α** below it, a form with the       ``update_safe_steps``
                                  memory in it (:mod:`tdcert.theory.engine.small_steps`)
================================  =============================================================  =======================

An update that is not linear in its steps is asked step by step, as numbers: its largest step lies between two that are
decided so, and nothing is said of those between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, overload

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense, Flint
from tdcert.theory.enclose.safe_steps import StepBracket
from tdcert.theory.enclose.steps_by_states import StepsByStates
from tdcert.theory.engine.certificates import (
    at_step_certificates,
    growth_certificate,
    mean_square_certificate,
    safe_step_certificate,
)
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import predicts_unseen
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.growth import Growth, growth_of
from tdcert.theory.engine.jumps import JumpSigns, chain_of, jump_system, moments_along
from tdcert.theory.engine.means import Stationary, is_exact, stationary, traced_or_none
from tdcert.theory.engine.near_nodes import bound_of
from tdcert.theory.engine.nodes import edges_of, ends, node_chain
from tdcert.theory.engine.small_steps import safe_step
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.engine.terms import Terms
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.laws.mean_at_step import mean_proof
from tdcert.theory.laws.mean_square import (
    JumpSystem,
    LargestStep,
    LyapunovAtStep,
    NearZero,
    decide_near_zero,
    largest_step,
    simple,
)
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.second_moment_sign import decide_sign, moments_of
from tdcert.theory.laws.step_signs import signs_at
from tdcert.theory.limits import (
    BOUNDED_MOVES,
    BOUNDED_WORK,
    LARGEST_STEP_ENTRIES,
    MEMORY_MOMENTS,
    SAFE_STEP_ENTRIES,
    SEARCHED_ENTRIES,
    LimitError,
    multiple,
    raised,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Sign

HALVINGS, NARROW = 20, Fraction(5, 4)
"""How often a step is halved or doubled in a search, and the ratio of two steps that are close enough."""
BY_ROUNDINGS = "with every rounding bounded, so there is no certificate"
"""Said of mean square that was decided so."""
SPACINGS = tuple(4.0**-k for k in range(1, 24))
"""How near values of a memory without end are one node, in units of the largest that enters it, tried in turn where it
has a bound.
"""
FOLLOWED = tuple(range(3, 13))
"""How many steps paths are followed from where the memory began, if it has none: growth shows as soon as r > 1."""
UNDER_WAY = "a run under way counts as a start"
"""Said of growth where it is not known whether runs from time zero show it."""
TOO_MANY = "too many windows for the work allowed"
"""Said where nodes cannot be listed."""
UNBOUNDED = "the mean square is unbounded from some start{way} for every α ≤ {upto}"


@dataclass(frozen=True)
class Largest:
    """The ``largest`` step, or ``why`` none is known; then ``growth`` where there is none, or a ``safe`` step up to
    which differences of two runs die out. ``certificates``: of what is said, where they were asked for; ``shown``: what
    was decided on ``system``, the nodes in fractions.
    """

    largest: LargestStep | StepBracket | None = None
    why: str = ""
    growth: Growth | None = None
    safe: Fraction | None = None
    certificates: tuple[Certificate, ...] = ()
    system: JumpSystem | None = field(default=None, repr=False)
    shown: tuple[NearZero | LyapunovAtStep, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class OfSchedule:
    """An update as a sum of outer products along the trace of its model's schedule: its ``terms``, and what was found
    of the model ``by_states`` whatever the schedule and the algorithm, None where nothing was.
    """

    terms: ScheduleUpdate
    by_states: StepsByStates | None


@overload
def at_constant_step(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    alpha: Fraction,
    entries: int = ...,
    *,
    bounded: int = ...,
    form: OfSchedule | None = ...,
) -> JumpSigns[RationalMatrix]: ...
@overload
def at_constant_step(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    alpha: Fraction,
    entries: int,
    kind: type[Dense],
    *,
    bounded: int = ...,
    form: OfSchedule | None = ...,
) -> JumpSigns[Dense]: ...
def at_constant_step(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    alpha: Fraction,
    entries: int = LARGEST_STEP_ENTRIES,
    kind: type[Flint] = RationalMatrix,
    *,
    bounded: int = BOUNDED_WORK,
    form: OfSchedule | None = None,
) -> JumpSigns[Any]:
    """Decides constant steps, the first of size ``alpha``, the others in these ratios to it.

    The step sizes are numbers here, so they may enter in any way. ``entries``: most nodes × D² that are decided in
    fractions; ``bounded``: most transitions × D³ that are decided in floats with every rounding bounded. Nodes and
    moves are those of the model, whatever ``kind`` its law has. Raises :class:`InputError` as
    :func:`~tdcert.theory.engine.jumps.jump_system`.
    """
    steps = {name: alpha * ratio for name, ratio in zip(algorithm.steps, ratios, strict=True)}
    found = stationary(model, algorithm, states, steps=steps, kind=kind)
    try:
        system = system_within(found, ratios, entries)
    except BudgetExceededError:
        return _beyond_fractions(found, ratios, alpha, bounded, form)
    signs = signs_at(system, alpha)
    decided = signs.mean is not None and signs.mean_square is not None
    return _modulo_unseen(
        JumpSigns(
            signs.mean,
            signs.mean_square,
            "" if decided else "no quadratic form decides, or the system is too large",
            found,
            system,
            signs.square,
            mean_proof(system, signs.means) if signs.means is not None else None,
            under_way=signs.under_way if signs.differ else None,
            is_confined=signs.is_confined,
        )
    )


def _beyond_fractions(
    found: Stationary[Dense], ratios: Sequence[Fraction], alpha: Fraction, bounded: int, form: OfSchedule | None
) -> JumpSigns[Dense]:
    """What decides where nodes are too many for fractions."""
    model, algorithm, states, own = found.model, found.algorithm, found.states, _own(found)
    if form is not None and (sign := _by_states(model, form, ratios, alpha)):
        return _in_floats(sign, "", found)
    if not ends(own) and not (isinstance(own, Terms) and bound_of(own) < float("inf")):
        growth = growth_of(_tabled(found), ratios)
        if growth is not None:
            return JumpSigns(None, 1, growth.sentence, found, growth=growth)
    try:
        square, why = mean_square_sign(model, algorithm, alpha, ratios, states, bounded)
    except InputError:  # steps enter in another way, or it takes vectors apart
        square, why = None, "floats do not decide"
    if square is None:
        with suppress(BudgetExceededError):
            most = min(BOUNDED_MOVES, bounded // _size(found) ** 3)
            chain = node_chain(own, steps=dict(found.steps or {}), most=most)
            square = decide_sign(moments_of(jump_system(found, chain, ratios)), alpha)
            return _modulo_unseen(_in_floats(square, why, found))
    if square is None and not ends(own) and _is_safe(found, ratios, alpha):
        words = "by a form with the memory in it"
        return _modulo_unseen(JumpSigns(-1, -1, words, found))
    return _in_floats(square, why, found)


def _is_safe(found: Stationary[Dense], ratios: Sequence[Fraction], alpha: Fraction) -> bool:
    """Whether the step is one of those that bounds of a memory without end show to be small enough."""
    try:
        linear = with_mean_dynamics(found.model, found.algorithm, found.states)
    except InputError:
        return False
    if linear.cut or not _is_small(linear):
        return False
    safe = safe_step(linear, _tabled(linear), ratios)
    return safe is not None and alpha <= safe.upto


def _in_floats(square: Sign, why: str, found: Stationary[Dense]) -> JumpSigns[Dense]:
    """A sign of mean square alone, which takes the mean with it where it dies out: ‖E y‖² ≤ E‖y‖²."""
    words = {-1: BY_ROUNDINGS, 1: f"{BY_ROUNDINGS}; {UNDER_WAY}"}
    return JumpSigns(-1 if square == -1 else None, square, words.get(square or 0, why), found)


def _by_states(model: Model, form: OfSchedule, ratios: Sequence[Fraction], alpha: Fraction) -> Sign:
    """The sign where small steps, or cycles of states, tell it."""
    if form.by_states is None or not model.schedule.is_finite:
        return None
    asked = model.schedule, form.terms, ratios[-1]
    small = form.by_states.small(*asked)
    if small is not None and alpha <= small.upto:
        return -1 if small.stable else 1
    return 1 if form.by_states.grows(*asked, alpha) else None


def system_within(found: Stationary[Dense], ratios: Sequence[Fraction], entries: int) -> JumpSystem:
    """Differences on all nodes, in fractions. Raises :class:`BudgetExceededError` beyond ``entries`` nodes × D², and
    :class:`InputError` as :func:`~tdcert.theory.engine.jumps.jump_system`.
    """
    own, size = _own(found), _size(found)
    if (least := len(own.contexts) * size**2) > raised(entries):  # there is a node or more for each context
        said = f"{len(own.contexts)} contexts × {size}² are more than {raised(entries)} entries"
        raise LimitError(said, multiple(least, entries))
    degree = max(Counter(one.source for one in edges_of(own)).values())
    most = entries // size**2 * degree
    chain = node_chain(own, steps=dict(found.steps or {}), most=most if ends(own) else min(most, BOUNDED_MOVES))
    if (held := len(chain.nodes) * size**2) > raised(entries):
        raise LimitError(
            f"{len(chain.nodes)} nodes × {size}² are more than {raised(entries)} entries",
            multiple(held, entries),
        )
    return jump_system(found, chain, ratios)


def _own(found: Stationary[Dense]) -> Terms | Tables:
    """The update from the states of the class at time zero."""
    whole = traced_or_none(found.model, found.algorithm, found.states, steps=found.steps, stationary=False)
    return whole or _tabled(found)


def _tabled(found: Stationary[Dense]) -> Tables:
    """The update from the states of time zero, entry by entry."""
    return tables(found.model, found.algorithm, found.states, steps=found.steps, known=found.raw)


def _size(found: Stationary[Dense]) -> int:
    """D, of the quotient by the null space of Φ on the class."""
    d, rank = found.model.d, found.model.features.take(rows=found.states).rank
    return max(1, sum(rank if slot.shape == (d,) else slot.size for slot in found.algorithm.slots(d)[0]))


def _modulo_unseen(answer: JumpSigns[Dense]) -> JumpSigns[Dense]:
    """What is decided on the quotient, said of all parameters."""
    hidden = answer.found.D - len(answer.found.visible[0])
    if not hidden or -1 not in (answer.mean, answer.mean_square, *(answer.under_way or ())):
        return answer
    kept = f"differences that no update sees stay as they are, of dimension {hidden}"
    if not predicts_unseen(answer.found):
        return replace(answer, why="; ".join(filter(None, (answer.why, kept))))
    mean, square = _not_dying(answer.mean, answer.mean_square)
    under_way = answer.under_way and _not_dying(*answer.under_way)
    why = f"{kept}, and predictions depend on them"
    return replace(answer, mean=mean, mean_square=square, why=why, under_way=under_way)


def _not_dying(mean: Sign, square: Sign) -> tuple[Sign, Sign]:
    return 0 if mean == -1 else mean, None if square == -1 else square


def mean_square_sign(
    model: Model,
    algorithm: Algorithm,
    alpha: Fraction,
    ratios: Sequence[Fraction],
    states: Sequence[int],
    work: int,
) -> tuple[Sign, str]:
    """Whether second moments of differences die out (−1) or grow (+1) at the step α; None, and why, where undecided.

    ``ratios``: of each step size to the first; signs are those of the quotient by the null space of Φ on the recurrent
    class ``states``. ``work``: most moves × D³, D parameters. Raises :class:`InputError` where the features vanish on
    the class, and for an update that is not linear in its steps.
    """
    found = traced_or_none(model, algorithm, states, stationary=False) or tables(model, algorithm, states)
    if ends(found):
        ways: Sequence[tuple[float | None, int | None]] = [(None, None)]
        why, refusal = "no quadratic form decides", "too many windows for the budget"
    elif isinstance(found, Terms) and bound_of(found) < float("inf"):
        ways = [(spacing, None) for spacing in SPACINGS]
        why, refusal = "no quadratic form decides", "traces take too many values for the budget"
    else:
        ways = [(None, depth) for depth in FOLLOWED]
        why = "the trace has no bound, and no growth was found on the paths that were followed"
        refusal = "too many windows for the budget"
    for spacing, depth in ways:
        try:
            moments = moments_along(model, algorithm, ratios, states, work, known=found, spacing=spacing, depth=depth)
        except BudgetExceededError:
            return None, refusal
        if (sign := decide_sign(moments, alpha)) is not None:
            return sign, ""
    return None, why


def largest_of(
    found: Stationary[Dense],
    ratios: Sequence[Fraction],
    certify: bool = False,
    *,
    entries: int = LARGEST_STEP_ENTRIES,
    narrowed: int = 0,
    form: OfSchedule | None = None,
) -> Largest:
    """The largest constant step, all of them in these ratios.

    ``found``: of :func:`~tdcert.theory.engine.first_order.with_mean_dynamics`; ``entries``: most nodes × D² for which
    it is sought in fractions; ``narrowed``: most moves × D³ for which a bracket by states is narrowed down in floats.
    """
    if found.cut:
        return _of_decisions(found, ratios, certify)
    try:
        system = system_within(found, ratios, entries)
    except InputError as error:
        return Largest(why=str(error))
    except BudgetExceededError as error:
        if form is not None and found.model.schedule.is_finite:
            return _of_states(found, ratios, form, narrowed)
        return _of_memory(found, ratios, certify, str(error))
    near = decide_near_zero(system)
    if near is None:
        return _of_memory(found, ratios, certify, "the mean dynamics are not stable, or too close to the edge")
    answer = _of_system(system, near)
    made = (mean_square_certificate(found, chain_of(system), ratios, one) for one in answer.shown)
    return replace(answer, certificates=tuple(made) if certify else ())


def _of_system(system: JumpSystem, near: NearZero) -> Largest:
    if not near.stable:
        return Largest(why=UNBOUNDED.format(way="", upto=near.upto), system=system, shown=(near,))
    found = largest_step(system, near=near)
    if found is None:
        why = f"every α ≤ {near.upto} is small enough; the search above failed"
        return Largest(None, why, safe=near.upto, system=system, shown=(near,))
    return Largest(found, system=system, shown=(near, found.bounded, found.unbounded))


def _of_states(found: Stationary[Dense], ratios: Sequence[Fraction], form: OfSchedule, narrowed: int) -> Largest:
    """By moments and cycles of states, narrowed down by decisions at single steps on the nodes."""
    model = found.model
    if form.by_states is None:
        return Largest(why=TOO_MANY)
    bracket = form.by_states.bracket(model.schedule, form.terms, ratios[-1])
    if isinstance(bracket, str):
        return Largest(why=bracket)
    low, high = bracket.low, bracket.high
    try:
        moments = moments_along(model, found.algorithm, ratios, found.states, narrowed) if narrowed and high else None
    except BudgetExceededError:
        moments = None
    if moments is not None and high is not None:
        low, high = _narrowed(low, high, partial(decide_sign, moments))
    return Largest(replace(bracket, low=low, high=high))


def _narrowed(low: Fraction, high: Fraction, sign: Callable[[Fraction], Sign]) -> tuple[Fraction, Fraction]:
    """A step at which mean square dies out and one at which it grows, brought together as far as signs are decided."""
    while high > low * NARROW:
        middle = simple((float(low) * float(high)) ** 0.5)
        found = sign(middle)
        if found not in (-1, 1):
            break
        low, high = (middle, high) if found == -1 else (low, middle)
    return low, high


def _of_memory(found: Stationary[Dense], ratios: Sequence[Fraction], certify: bool, why: str) -> Largest:
    """What the bounds or the growth of a memory say of all steps."""
    if found.whole_memory is not None and not _is_small(found):  # it has an end, so along no cycle it grows
        return Largest(None, why)
    own = _tabled(found)
    growth, safe = growth_of(own, ratios), None
    if growth is None and _is_small(found):
        exact = found if is_exact(found) else with_mean_dynamics(found.model, found.algorithm, found.states)
        safe = safe_step(exact, own, ratios)
    certificates = [safe_step_certificate(safe, ratios)] if safe else []
    certificates += [growth_certificate(growth, ratios)] if growth else []
    why = growth.sentence if growth else why
    return Largest(None, why, growth, safe.upto if safe else None, tuple(certificates) if certify else ())


def _of_decisions(found: Stationary[Dense], ratios: Sequence[Fraction], certify: bool) -> Largest:
    """The largest step of an update that is not linear in its steps, by decisions at single ones."""
    asked = found.model, found.algorithm, found.states, ratios
    bracket = bracket_by_decisions(*asked, kind=found.kind)
    if isinstance(bracket, str):
        return Largest(why=bracket)
    shown = [alpha for alpha in (bracket.low, bracket.high) if alpha is not None and certify]
    made = [at_step_certificates(at_constant_step(*asked, alpha, SEARCHED_ENTRIES), ratios, alpha) for alpha in shown]
    return Largest(bracket, certificates=tuple(one for some in made for one in some))


def _is_small(found: Stationary[Dense]) -> bool:
    (contexts, M), D = found.extent, found.D
    return contexts * M * (M + 1) // 2 <= raised(MEMORY_MOMENTS) and contexts * D**2 <= raised(SAFE_STEP_ENTRIES)


def bracket_by_decisions(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    *,
    kind: type[Flint] = RationalMatrix,
) -> StepBracket | str:
    """A step at which mean square dies out, and one at most a quarter larger at which it grows (None where it is not
    seen to grow at any), each decided by itself, so that steps may enter the update in any way: nothing is said of the
    steps between. A sentence where there are none. The arguments are those of
    :func:`~tdcert.theory.engine.second_moments.at_constant_step`.
    """
    longest = max(sum(x * x for x in row) for row in model.features.take(rows=states).rows)
    start = Fraction(1, 4) / max(longest, Fraction(1, 1024))

    proved: dict[Fraction, bool] = {}

    def sign(alpha: Fraction) -> Sign:
        try:
            decided = at_constant_step(model, algorithm, states, ratios, alpha, SEARCHED_ENTRIES, kind)
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
    low, high = _narrowed(low, high, sign)
    return StepBracket(Fraction(0), low, high, grade=grade(low, high))
