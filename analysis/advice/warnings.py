"""What a user should know before trusting a run: each warning with its numbers, fired by certain ends of them alone.

A warning is a function here, and a row of the table in :func:`ask`. Thresholds are choices; each stands above the
questions, in units that mean something: factors of steps, of errors, of digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from tdcert.algorithms.schedules import TITLES, applicable, scheduled
from tdcert.analysis.advice.compared_schedules import ScheduleComparison
from tdcert.analysis.advice.model_numbers import ModelNumbers
from tdcert.analysis.facts import OF_ALGORITHM, AlgorithmDynamics, Algorithms, ModelFacts, of_td
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.conditioning import updates_per_e_fold
from tdcert.theory.check.margins import negative_direction
from tdcert.theory.check.mean_dynamics import MEAN_A, MEAN_G, MEAN_SLOW
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.trace_law import bounded_trace, growing_vector, has_second_moments, ratio_kernel, reached
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.averaging import on_policy_trace_bound
from tdcert.theory.model.episodes import absorbing_without_reward, has_features, looks_terminal
from tdcert.theory.model.key_matrices import tdc_matrix

if TYPE_CHECKING:
    from tdcert.analysis.at_step import StepAnswer

SEVERITIES = ("serious", "warning", "note")

Thresholds = tuple[Fraction, Fraction]
"""The number from which on a warning is given, and the number from which on it is serious."""

ONE_CLASS = "asked where the chain has one recurrent class"
NOT_KNOWN = "not known for this model, or not computed at its size"


Number = Fraction | int | str | None | Sequence["Number"] | Mapping[str, "Number"]
"""What stands behind a warning: a number, a word, or several of them."""


@dataclass(frozen=True)
class Warned:
    """``severity`` is one of :data:`SEVERITIES`; ``numbers`` are exact, or the ends that decided."""

    id: str
    severity: str
    text: str
    numbers: Mapping[str, Number]


Answered = Warned | str | None
"""A warning; or why it could not be asked; or None, where there is nothing to warn of."""


@dataclass(frozen=True)
class Warnings:
    """``fired``: the most serious first; ``asked``: their ids, and those of the others that were asked; ``not_asked``:
    (id, why) of those that were not.
    """

    fired: tuple[Warned, ...] = ()
    asked: tuple[str, ...] = ()
    not_asked: tuple[tuple[str, str], ...] = ()

    def answered(self, name: str, answer: Answered) -> Warnings:
        """With another answer to the question of this id."""
        others = Warnings(
            tuple(x for x in self.fired if x.id != name),
            tuple(x for x in self.asked if x != name),
            tuple(x for x in self.not_asked if x[0] != name),
        )
        new = collected({name: answer})
        fired = sorted((*others.fired, *new.fired), key=_seriousness)
        return Warnings(tuple(fired), (*others.asked, *new.asked), (*others.not_asked, *new.not_asked))


MISLEADING, NO_STEP = "averages_mislead", "it is about a constant step, and --steps named none"
OTHERS = "it is about the paper's algorithms, and others were asked about"
OF_THE_PAPER = (
    "mean_dynamics",
    "trace_variance",
    "error_amplified",
    "slow_dynamics",
    "condition_of_A",
    "condition_of_C",
    "transient_growth",
    "not_unique",
)
"""Questions about the paper's algorithms and their matrices."""

RECURSIONS = {MEAN_A: "", MEAN_G: " with β = α", MEAN_SLOW: " with w at its fixed point"}
"""The recursions of the means that slow dynamics speak of: with two free steps GTD and TDC are like methods with
momentum, for which no such bound holds."""

CONDITION = Fraction(10**4), Fraction(10**8)
"""A quarter, and half, of the sixteen digits of floats."""
UPDATES = Fraction(10**3), Fraction(10**6)
"""Updates before the slowest part of the mean error has shrunk by e, whatever the constant step α of the recursions
that :data:`RECURSIONS` names."""
AMPLIFIED = Fraction(10**2), Fraction(10**4)
"""Squared: the fixed point is ten, and a hundred, times as far from the true value as the features allow."""
TRACE = Fraction(10), Fraction(10**3)
"""Times the second moment that the trace can have on-policy."""
INFLATION = Fraction(100), Fraction(10**4)
"""Times as many steps as independent draws would take."""
RATIO = Fraction(10), Fraction(100)
"""Largest importance ratio."""
RARITY = Fraction(10**4), Fraction(10**8)
"""One over the stationary probability of a state: steps between visits."""


def ask(given: ModelNumbers, compared: ScheduleComparison) -> Warnings:
    """Every question, put to the numbers of a model and to its comparison of schedules."""
    answers: dict[str, Answered] = {
        "terminal_features": terminal_features(given.facts),
        "absorbing_state": absorbing_state(given.facts),
        "coverage": coverage(given),
        "mean_dynamics": mean_dynamics(given),
        "value_not_unique": value_not_unique(given),
        "several_classes": several_classes(given),
        "trace_variance": trace_variance(given, compared),
        "error_amplified": error_amplified(given, compared),
        "slow_dynamics": slow_dynamics(given, compared),
        "condition_of_A": condition_of_A(given),
        "condition_of_C": condition_of_C(given),
        "slow_mixing": slow_mixing(given),
        "large_ratio": large_ratio(given),
        "rare_states": rare_states(given),
        "transient_growth": transient_growth(given),
        "not_unique": not_unique(given),
        "transient_states": transient_states(given),
        MISLEADING: NO_STEP,
    }
    if given.names == ():
        answers |= dict.fromkeys(OF_THE_PAPER, OTHERS)
    return collected(answers)


def collected(answers: Mapping[str, Answered]) -> Warnings:
    """Answers by id, put in order."""
    fired = [answer for answer in answers.values() if isinstance(answer, Warned)]
    return Warnings(
        tuple(sorted(fired, key=_seriousness)),
        tuple(name for name, answer in answers.items() if not isinstance(answer, str)),
        tuple((name, answer) for name, answer in answers.items() if isinstance(answer, str)),
    )


def _seriousness(warned: Warned) -> int:
    return SEVERITIES.index(warned.severity)


def averages_mislead(answers: Sequence[StepAnswer]) -> Answered:
    """Constant steps at which almost every run does the opposite of what means over runs show, by a bound of its
    exponent.
    """
    told, numbers = list[str](), dict[str, Number]()
    asked = [(one, one.at) for one in answers if one.at is not None and one.at.alpha is not None]
    if not asked:
        return NO_STEP
    for one, at in asked:
        paths = None if at.exponent is None else at.exponent.sign
        if paths is None or at.paths != paths:
            continue
        if paths == -1 and at.mean_square == 1:
            what = "the mean square of differences of two runs grows, and almost every run forgets its start"
        elif paths == 1 and at.mean == -1:
            what = "the mean of differences of two runs dies out, and on almost every path they grow"
        else:
            continue
        assert at.exponent is not None and at.alpha is not None
        told.append(f"{TITLES.get(one.algorithm, one.algorithm)} at α = {about(at.alpha)}: {what}.")
        ends = zip(("at_least", "at_most"), at.exponent.best_bounds, strict=True)
        numbers[one.algorithm] = {"alpha": at.alpha, **dict(ends)}
    if not told:
        return None
    said = " ".join(told)
    return Warned(MISLEADING, "warning", f"{said} Averages over runs mislead; quantiles of runs do not.", numbers)


def terminal_features(facts: ModelFacts) -> Answered:
    """Recurrent states that are left as terminal states are, and have features: the update bootstraps from them. Or
    terminal states that were given features, which count as zero: an update that bootstraps from them differs.

    Where the fixed point predicts zero in all of them it is a fixed point without their features too: in their own
    increments, and in those of the steps into them, nothing but φ(s)ᵀθ* = 0 is lost.
    """
    model, transient = facts.model, set(facts.chain.transient_states)
    found = [s for s in looks_terminal(model) if s not in transient and has_features(model, s)]
    replaced = facts.replaced_features
    if not found and replaced:
        who = f"terminal {_state(facts, replaced[0])}" if len(replaced) == 1 else f"{len(replaced)} terminal states"
        text = (
            f"Features were given for {who}, and count as zero there, as in the usual training loop, "
            "r + γV(s′)(1 − terminated); a loop without that factor bootstraps from φ(s′)ᵀθ and settles elsewhere."
        )
        severity = "note" if facts.features_by_function else "serious"  # a function is asked for all states
        return Warned("terminal_features", severity, text, {"states": list(replaced)})
    if not found:
        return None
    one = len(found) == 1
    some, it = (f"{_state(facts, found[0]).capitalize()} is", "it") if one else (f"{len(found)} states are", "them")
    text = (
        f"{some} left with reward 0 and discount 0 alone, as terminal states are, and the features of {it} are not "
        f"zero: the update of a step into {it} bootstraps from φ(s′)ᵀθ, which the usual training loop, r + γV(s′)(1 − "
        "terminated), does not."
    )
    if all(_predicts_zero(facts, s) for s in found):
        text += f" Here the fixed point is the same, for it predicts zero in {'that state' if one else 'those states'}."
        return Warned("terminal_features", "note", text, {"states": found})
    text += f' List {it} under "terminal", or give {it} the feature vector zero.'
    return Warned("terminal_features", "serious", text, {"states": found})


def absorbing_state(facts: ModelFacts) -> Answered:
    """States with features that every action keeps with reward 0, and that are entered: ends of episodes without a
    restart. In the long run everything is decided in them.
    """
    found = [s for s in absorbing_without_reward(facts.model) if has_features(facts.model, s)]
    if not found:
        return None
    one = len(found) == 1
    lead = f"{_state(facts, found[0]).capitalize()} leads" if one else f"{len(found)} states lead"
    it, its = ("it", "its") if one else ("them", "their")
    text = (
        f"{lead} nowhere else under every action, with reward 0, and {its} features are not zero: a run stays there "
        f"for ever, and A, θ* and the verdicts on it are about {it} alone. If episodes end there, list {it} under "
        f'"terminal", with the states where episodes begin in {its} row.'
    )
    return Warned("absorbing_state", "serious", text, {"states": found})


def _predicts_zero(facts: ModelFacts, s: int) -> bool:
    """Whether Φθ* is known to be zero in a recurrent state."""
    values = next((part.values_at_fixed_point for part in facts.classes if s in part.states), None)
    return isinstance(values, RationalMatrix) and values[s, 0] == 0


def several_classes(given: ModelNumbers) -> Answered:
    """More than one recurrent class, and whether one θ is a fixed point in all of them."""
    count = len(given.model.behaviour_chain.recurrent_classes)
    if count == 1:
        return None
    rest = given.rest_points
    if rest is None:
        level, words = "warning", "whether one θ is a fixed point in all of them was not decided"
    elif rest.without:
        where = "each" if rest.without == count else f"{rest.without} of them"
        level, words = "warning", f"in {where} Aθ + b = 0 has no solution, so the algorithms have no fixed point there"
    elif not rest.shared:
        level, words = "warning", "no θ is a fixed point in all of them, so where an algorithm can settle depends on it"
    elif rest.unique:
        level, words = "note", "all have the same fixed point"
    else:
        level, words = "note", "some θ is a fixed point in all of them"
    text = f"The chain has {count} recurrent classes, and a run ends in one of them: {words}."
    known = {} if rest is None else {"without_fixed_point": rest.without, "common_fixed_point": rest.shared}
    return Warned("several_classes", level, text, {"classes": count, **known})


def transient_states(given: ModelNumbers) -> Answered:
    """States that are visited finitely often, and whether the recurrent states determine the predictions there."""
    transient = given.model.behaviour_chain.transient_states
    if not transient:
        return None
    one = len(transient) == 1
    who = f"{state_name(given, transient[0]).capitalize()} is" if one else f"{len(transient)} states are"
    text = f"{who} visited finitely often, so data about {'it' if one else 'them'} ends."
    free = given.undetermined
    if free is None:
        return Warned("transient_states", "note", text, {"states": list(transient)})
    if free:
        where = state_name(given, free[0]) if len(free) == 1 else f"{len(free)} of them"
        more = f"The predictions in the recurrent states do not determine that in {where}."
    else:
        more = "The predictions in the recurrent states determine those there as well."
    return Warned("transient_states", "note", f"{text} {more}", {"states": list(transient), "undetermined": list(free)})


def coverage(given: ModelNumbers) -> Answered:
    """Actions of the target policy that the behaviour policy never takes in recurrent states, and what that changes."""
    missing = given.model.uncovered_when_recurrent
    if not missing:
        return None
    s, a = missing[0]
    count = "a pair" if len(missing) == 1 else f"{len(missing)} pairs"
    text = (
        f"In recurrent states the target policy takes {count} of state and action that the behaviour policy never "
        f"takes ({given.model.actions[a]} in {state_name(given, s)})"
    )
    changed = given.changed_by_coverage
    numbers: dict[str, Number] = {"pairs": len(missing)}
    if changed is None:
        return Warned("coverage", "serious", f"{text}: the algorithms follow the target policy without them.", numbers)
    if not changed.matrices:
        return Warned("coverage", "note", f"{text}: here A and b are the same without them.", numbers)
    if changed.distance == 0:
        words = "the algorithms meet another A or b, with the same fixed point"
        return Warned("coverage", "warning", f"{text}: {words}.", {**numbers, "distance_squared": Fraction(0)})
    if changed.distance is None:
        return Warned("coverage", "serious", f"{text}: the algorithms meet another A or b.", numbers)
    several = len(given.model.behaviour_chain.recurrent_classes) > 1
    words = f"{about(changed.distance)}{' in the class where it is largest' if several else ''}"
    numbers |= {"distance_squared": changed.distance}
    text += f": the fixed point of the algorithms is not θ*, the squared distance ‖Φθ − Φθ*‖²_D is {words}."
    return Warned("coverage", "serious", text, numbers)


def large_ratio(given: ModelNumbers) -> Answered:
    """Pairs in recurrent states that the behaviour policy takes much more rarely than the target policy."""
    model = given.model
    if model.is_on_policy:
        return None
    ratio, s, a = max(
        (pi / mu, -s, -a)
        for states in model.behaviour_chain.recurrent_classes
        for s in states
        for a, (mu, pi) in enumerate(zip(model.behaviour.rows[s], model.target.rows[s], strict=True))
        if mu
    )
    s, a = -s, -a
    found = severity(ratio, RATIO)
    if found is None:
        return None
    text = (
        f"The importance ratio of {model.actions[a]} in {state_name(given, s)} is {about(ratio)}: there the trace is "
        "multiplied by it."
    )
    return Warned("large_ratio", found, text, {"ratio": ratio, "state": s, "action": model.actions[a]})


def rare_states(given: ModelNumbers) -> Answered:
    """Recurrent states with a tiny stationary probability."""
    if given.states is None:
        return ONE_CLASS
    if given.rarest is None:
        return NOT_KNOWN
    s, (_, most) = given.rarest
    found = severity(1 / most, RARITY)
    if found is None:
        return None
    text = (
        f"{state_name(given, s).capitalize()} is visited once in {at_least(1 / most)} steps on average, or more "
        f"rarely: the D-norm weights its squared error with 1/{at_least(1 / most)} or less."
    )
    return Warned("rare_states", found, text, {"probability_at_most": most, "state": s})


def slow_mixing(given: ModelNumbers) -> Answered:
    """Averages along the chain that take far more steps than independent draws."""
    if given.states is None:
        return ONE_CLASS
    if len(given.states) == 1:
        return None
    if given.inflation is None:
        return NOT_KNOWN
    least = given.inflation[0]
    found = severity(least, INFLATION)
    if found is None:
        return None
    text = (
        f"The chain mixes slowly: in the long run some average along it takes at least {at_least(least)} times as many "
        "steps as one of independent draws."
    )
    return Warned("slow_mixing", found, text, {"inflation_at_least": least})


def mean_dynamics(given: ModelNumbers) -> Answered:
    """Algorithms whose mean dynamics are not stable, or not known to be, with the number of classes where that is."""
    parts = given.facts.classes
    found: dict[str, dict[str, int]] = {}
    for part in parts:
        for name, row in _distinct(given, part.algorithms).items():
            if not row.is_stable:
                counts = found.setdefault(name, {})
                counts[str(row.mean_dynamics)] = counts.get(str(row.mean_dynamics), 0) + 1
    if not found:
        return None
    sentences = []
    for kind, words in (
        (MeanDynamics.UNSTABLE, "diverge: an eigenvalue has positive real part"),
        (MeanDynamics.MARGINAL, "are not stable: an eigenvalue lies on the imaginary axis"),
        (MeanDynamics.UNDECIDED, "were shown to be neither stable nor unstable"),
    ):
        where = [(name, counts[kind]) for name, counts in found.items() if kind in counts]
        who = [TITLES[name] + (f" (in {k} of {len(parts)} classes)" if len(parts) > 1 else "") for name, k in where]
        if who:
            sentences.append(f"The mean dynamics of {listed(who)} {words}.")
    kinds = {kind for counts in found.values() for kind in counts}
    level = "warning" if kinds == {MeanDynamics.UNDECIDED} else "serious"
    numbers = {name: counts if len(parts) > 1 else next(iter(counts)) for name, counts in found.items()}
    return Warned("mean_dynamics", level, " ".join(sentences), numbers)


def not_unique(given: ModelNumbers) -> Answered:
    """Parameters that are not determined though predictions are."""
    if given.facts.single is None:
        return ONE_CLASS
    rows = _distinct(given, given.facts.single.algorithms)
    names = [TITLES[name] for name, row in rows.items() if row.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE]
    if not names:
        return None
    text = (
        f"The columns of Φ are dependent on the recurrent states: the mean dynamics of {listed(names)} bring the "
        "predictions there to one limit, while θ keeps a part of its start."
    )
    return Warned("not_unique", "note", text, {"features": given.model.d})


def value_not_unique(given: ModelNumbers) -> Answered:
    """I − N singular: γ = 1 somewhere for ever under the target policy."""
    if given.facts.value is not None:
        return None
    if not given.exactly:
        return NOT_KNOWN
    solvable = given.value_exists
    solutions = {None: "", True: ": it has many solutions", False: ": it has no solution"}[solvable]
    text = f"I − N is singular, so (I − N)V = r does not determine the true value{solutions}."
    numbers = {} if solvable is None else {"solutions": "many" if solvable else "none"}
    if all(map(given.model.has_value_from, given.model.behaviour_chain.recurrent_classes)):
        return Warned("value_not_unique", "note", f"{text} At the recurrent states it is determined.", numbers)
    return Warned("value_not_unique", "serious", text, numbers)


def condition_of_A(given: ModelNumbers) -> Answered:
    """Digits lost in the fixed point."""
    least = _condition(given, 0, "A")
    if not isinstance(least, Fraction) or (found := severity(least, CONDITION)) is None:
        return least if isinstance(least, str) else None
    text = (
        f"A is ill conditioned: a relative error ε of A can move the fixed point by at least {at_least(least)} ε of "
        "its size, to first order (norm of row sums)."
    )
    return Warned("condition_of_A", found, text, {"condition_at_least": least})


def condition_of_C(given: ModelNumbers) -> Answered:
    """Features on very different scales, or nearly dependent. cond_∞ ≤ d cond_2 for a symmetric matrix."""
    least = _condition(given, 1, "C")
    if not isinstance(least, Fraction) or (found := severity(least, CONDITION)) is None:
        return least if isinstance(least, str) else None
    text = (
        f"C is ill conditioned, cond is at least {at_least(least)} (norm of row sums): for two directions x of θ, both "
        f"of length 1, the mean square E(φᵀx)² differs by a factor of at least {at_least(least / given.model.d)}."
    )
    return Warned("condition_of_C", found, text, {"condition_at_least": least})


def transient_growth(given: ModelNumbers) -> Answered:
    """TD is stable, and xᵀAx > 0 for some x.

    Then |e|² grows at first under e' = Ae from e = x. With the features ΦR, RRᵀ = xxᵀ + εI, TD has a matrix similar to
    RRᵀA, which has for a small ε > 0 an eigenvalue near xᵀAx > 0.
    """
    if given.facts.single is None:
        return ONE_CLASS
    if given.names is not None and applicable(given.model)[0] not in given.names:
        return OTHERS
    rows = given.facts.single.algorithms
    td = of_td(rows)
    if td is None or td.mean_dynamics is not MeanDynamics.STABLE:
        return None
    if given.matrices is None or not isinstance(given.matrices[0], RationalMatrix):
        return NOT_KNOWN
    A = given.matrices[0]
    try:
        x = negative_direction(-A.symmetric_part())
    except BudgetExceededError as error:
        return str(error)
    if x is None:
        return None
    name = TITLES[applicable(given.model)[0]]
    text = (
        f"{name[0].upper()}{name[1:]} is stable, and xᵀAx > 0 for some x: from some starts the mean error grows before "
        "it shrinks, and there are features with the same span that make the mean dynamics unstable."
    )
    direction = list(x.column_entries())
    return Warned("transient_growth", "note", text, {"x": direction, "form": A.quadratic_form(x)})


def slow_dynamics(given: ModelNumbers, compared: ScheduleComparison) -> Answered:
    """Mean dynamics with a direction far slower than the others."""
    if given.states is None:
        return ONE_CLASS
    if not compared.rows or given.matrices is None or not isinstance(given.matrices[0], RationalMatrix):
        return NOT_KNOWN
    A, C = given.matrices
    found: dict[str, Fraction] = {}
    open_rate = False
    for name, row in _distinct(given, compared.rows[0].algorithms).items():
        if row.mean_dynamics is not MeanDynamics.STABLE or row.rate is None:
            continue
        of = OF_ALGORITHM[name]
        size, diagonal = (2 * given.model.d, C) if of == MEAN_G else (given.model.d, A)
        matrix = tdc_matrix(A, C) if of == MEAN_SLOW else diagonal
        low, high = map(Fraction, row.rate)
        trace = matrix.trace()
        updates = updates_per_e_fold(trace, size, low)
        if updates >= UPDATES[0]:
            found[name] = updates
        elif high >= 0 or updates_per_e_fold(trace, size, high) >= UPDATES[0]:
            open_rate = True
    if not found:
        return "the rates are not enclosed tightly enough" if open_rate else None
    by_name = ", ".join(
        f"{at_least(updates)} ({TITLES[name]}{RECURSIONS[OF_ALGORITHM[name]]})" for name, updates in found.items()
    )
    others = " Of other β this says nothing." if any(OF_ALGORITHM[name] != MEAN_A for name in found) else ""
    text = (
        "The mean dynamics are slow: whatever the constant step α, the recursion of the means needs at least so many "
        f"updates to shrink the slowest part of its error by a factor of e: {by_name}.{others}"
    )
    numbers = dict(found)
    return Warned("slow_dynamics", severity(min(found.values()), UPDATES) or "warning", text, numbers)


def error_amplified(given: ModelNumbers, compared: ScheduleComparison) -> Answered:
    """A fixed point far from the best that the features can do."""
    left, reached = compared.projected, compared.rows[0].error if compared.rows else None
    if left is None or reached is None:
        return NOT_KNOWN
    if left.upper <= 0:
        return None
    ratio = reached.lower / left.upper
    found = severity(ratio, AMPLIFIED)
    if found is None:
        return None
    times = Fraction(isqrt(int(ratio * 10**12)), 10**6)
    text = (
        f"The fixed point is at least {at_least(times)} times as far from the true value as the best that the features "
        "can do (D-norm)."
    )
    return Warned("error_amplified", found, text, {"squared_ratio_at_least": ratio})


def trace_variance(given: ModelNumbers, compared: ScheduleComparison) -> Answered:
    """Traces whose second moment is infinite, or far beyond what it can be on-policy."""
    model, states = given.model, given.states
    if states is None:
        return ONE_CLASS
    if not model.has_trace_sum_on(states):
        text = (
            "λ = 1 without end, and I − N is singular: the series Σ Nᵏ behind the mean of the trace has no sum, and A "
            "and b are not defined by it. Give the schedule a length."
        )
        return Warned("trace_variance", "serious", text, {"second_moment": None})
    if given.exactly and not has_second_moments(model, states):
        return _endless(given, states)
    square = compared.rows[0].trace_square if compared.rows else None
    if square is None or given.matrices is None or not isinstance(given.matrices[1], RationalMatrix):
        return NOT_KNOWN
    on_policy = on_policy_trace_bound(model, states, given.matrices[1])
    if on_policy is None or on_policy == 0:
        return None
    ratio = square.lower / on_policy
    found = severity(ratio, TRACE)
    if found is None:
        return None
    text = (
        f"Importance ratios make the trace large: E‖z‖² is at least {at_least(ratio)} times as large as it can be "
        "on-policy."
    )
    return Warned("trace_variance", found, text, {"times_at_least": ratio})


def _endless(given: ModelNumbers, states: tuple[int, ...]) -> Answered:
    """λ without end, and λ² radius(N₂) ≥ 1: infinite where no feature is negative (the claim ``trace_variance``)."""
    model, lam = given.model, given.model.schedule.tail
    if bounded_trace(model, states) is not None:
        return None
    inside = reached(model, states)
    grows = growing_vector(ratio_kernel(model, 2).take(inside, inside).scaled(lam * lam)) is not None
    if grows and all(x >= 0 for s in states for x in model.features.rows[s]):
        text = "The second moment of the stationary trace is infinite. With a length of the schedule it is finite."
        return Warned("trace_variance", "serious", text, {"second_moment": "infinite"})
    text = (
        "Whether the second moment of the trace is finite was not decided: the products of λ, discounts and importance "
        "ratios do not vanish in mean square. With a length of the schedule it is finite."
    )
    return Warned("trace_variance", "warning", text, {"second_moment": None})


def _distinct(given: ModelNumbers, algorithms: Algorithms) -> dict[str, AlgorithmDynamics]:
    """The algorithms that apply and are asked about; TD on-policy and off-policy count as one, under the first name."""
    found: dict[str, str] = {}
    for name, row in algorithms.items():
        if row is not None and (given.names is None or name in given.names):
            found.setdefault(scheduled(name).certified_as, name)
    return {name: row for name in found.values() if (row := algorithms[name]) is not None}


def _condition(given: ModelNumbers, which: int, name: str) -> Fraction | str:
    """The lower end of cond_∞, or why it is not known."""
    if given.states is None:
        return ONE_CLASS
    if given.matrices is None:
        return NOT_KNOWN
    ends = given.condition(which)
    return f"{name} is singular, or was not shown not to be" if ends is None else ends[0]


def severity(number: Fraction, thresholds: Thresholds) -> str | None:
    """How much a number, or a lower end of it, deserves."""
    warning, serious = thresholds
    return "serious" if number >= serious else "warning" if number >= warning else None


def at_least(number: Fraction) -> str:
    """A positive number for a sentence that says "at least": rounded down to three digits, or to a whole number."""
    return _text(_rounded(number, ROUND_FLOOR))


def about(number: Fraction) -> str:
    """A positive number in three digits, or as a whole number; with the word "about" where it is not exactly that."""
    value = _rounded(number, ROUND_HALF_EVEN)
    return f"{'' if Fraction(value) == number else 'about '}{_text(value)}"


def _rounded(number: Fraction, rounding: str) -> Decimal:
    digits = 3 if number < 1000 or number >= 10**7 else len(str(int(number)))
    return Context(prec=digits, rounding=rounding).divide(Decimal(number.numerator), Decimal(number.denominator))


def _text(value: Decimal) -> str:
    if 1000 <= value < 10**7:
        return f"{value:,.0f}"
    return f"{value.normalize():{'f' if Decimal('0.0001') <= value < 1000 else 'g'}}"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def state_name(given: ModelNumbers, s: int) -> str:
    """The name of state ``s`` as the user gave it."""
    return _state(given.facts, s)


def _state(facts: ModelFacts, s: int) -> str:
    names = facts.state_names
    return f"state {names[s] if names else f's{s}'}"
