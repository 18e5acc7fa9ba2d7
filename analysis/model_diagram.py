"""``tdcert analyze MODEL --phase-diagram``: the phase diagram of a user's model around its own discount.

Columns: discounts, the model's own among them; where the discount depends on the transition, factors on all of it, with
1 the model as given. Rows: its own schedule and five common ones, or the candidates. Steps: α = 1/(40 max |φ(s)|²) over
the recurrent states and β = 10α, which on Baird's star are those of A5.3. Axes and steps may be others: a constant λ,
or the step itself. Any update may be asked about in the place of TD, GTD and TDC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tdcert.algorithms import as_written, is_shipped, named
from tdcert.algorithms.schedules import applicable
from tdcert.analysis.advice.compared_schedules import schedule_name
from tdcert.analysis.request import PhaseAxes
from tdcert.sims.growth_signs import Round
from tdcert.sims.phases.cells import Effort, Grid, diagram, panels, signs_told
from tdcert.sims.phases.diagram import PhaseDiagram
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress

MOST_STATES, MOST_FEATURES = 64, 16
"""Largest model, for which a diagram takes a minute or two."""
LONGEST = 40
"""Longest schedule of a row."""
SEED = 0
NO_SCHEDULES = (
    "a trace of independent draws is of one transition, so no schedule and no λ changes it; a λ of an increment itself "
    "is an option of the algorithm"
)
DISCOUNTS = tuple(Fraction(x) for x in ("1/4", "1/2", "4/5", "9/10", "19/20", "99/100"))
ROWS = (
    ("TD(0)", Schedule()),
    ("2-step", Schedule.n_step(2)),
    ("EqualWeights(2, 4)", Schedule.equal_weights(2, 4)),
    ("λ = 1/2", Schedule.constant(Fraction(1, 2))),
    ("λ = 9/10", Schedule.constant(Fraction(9, 10))),
)
LAMBDAS = tuple(Fraction(x) for x in ("0", "1/4", "1/2", "3/4", "9/10", "99/100"))
STEPS = tuple(Fraction(2) ** k for k in range(-2, 8))
"""Times the usual step, where the step is an axis."""
EFFORT = Effort(110_000_000, 3, (Round(80, 10_000), Round(80, 60_000, 12)), unknowns=3_000)


@dataclass(frozen=True)
class Drawn:
    """The diagram, or in ``why`` a sentence that says why there is none; its step ``alpha``; its ``axes``, with β/α;
    ``confidence``: the probability with which all signs of paths are right together.
    """

    picture: PhaseDiagram | None
    why: str | None = None
    alpha: Fraction | None = None
    axes: PhaseAxes = field(default_factory=PhaseAxes)
    confidence: float = field(default_factory=lambda: EFFORT.level)
    seed: int = SEED


def draw(
    model: Model | SparseModel,
    on_progress: Progress,
    axes: PhaseAxes | None = None,
    candidates: Sequence[Schedule] | None = None,
) -> Drawn:
    """The phase diagram of a model, or why there is none. ``candidates``: the schedules of its rows, None for the usual
    ones.
    """
    effort, axes = EFFORT, axes or PhaseAxes()
    why = _why_not(model, candidates or (), (axes.x, axes.y))
    if why is not None:
        return Drawn(None, why, axes=axes)
    assert isinstance(model, Model)
    (states,) = model.classes
    independent = model.sampling is not None
    squares = [sum((x * x for x in model.features.rows[s]), start=Fraction(0)) for s in states]
    if not max(squares):
        where = "states that are drawn" if independent else "recurrent states"
        return Drawn(None, f"the features vanish on the {where}, so there is nothing to learn", axes=axes)
    alpha = axes.alpha or 1 / (40 * max(squares))
    rows: tuple[tuple[str, Any], ...]
    if axes.y == "schedule" and independent:
        rows = (("independent draws", model.schedule),)
    elif axes.y == "schedule":
        rows = _rows(model.schedule, candidates)
    else:
        rows = tuple((_short(value), value) for value in _values(axes.y, axes.y_values, model, alpha))
    columns = _values(axes.x, axes.x_values, model, alpha)
    stepped = "step" in (axes.x, axes.y)
    grid = Grid(
        columns,
        rows,
        _algorithms(model, axes.algorithms),
        _at(model, axes),
        states,
        alpha,
        axes.ratio,
        (lambda x, value: x if axes.x == "step" else value) if stepped else None,
    )
    cells = [grid.model_at(x, value) for x in columns for _, value in rows]
    if not independent and any(not cell.has_trace_sum_on(states) for cell in cells):
        return Drawn(None, "the series Σ Nᵏ of a cell has no sum; leave out λ = 1, or the discount 1", axes=axes)
    try:
        found = panels(grid, effort, seed=SEED, name="phase diagram of a model", on_progress=on_progress)
    except InputError as error:
        return Drawn(None, str(error), None if stepped else alpha, axes)
    steps = f"β = {axes.ratio} α" if stepped else f"α = {alpha}, β = {axes.ratio * alpha}"
    mean = "the mean of the recursion at the step itself" if stepped else "the mean dynamics"
    drawn = ", transitions drawn independently" if independent else ""
    signs = signs_told(f"exact, {mean}", effort.level)
    more = "Strokes: something grows. Dots: it is not known whether anything grows."
    notes = dict.fromkeys(as_written(one, cell) for one in axes.algorithms for cell in cells)
    caption = " ".join([f"Constant steps {steps}{drawn};", signs, more, *(f"Note: {note}." for note in notes if note)])
    title = f"What dies out, by {_WORDS[axes.x]} and {_WORDS[axes.y]}"
    picture = diagram(
        "phases", None, title, caption, _label(axes.x, model), grid, found, _label(axes.y, model, "schedule")
    )
    return Drawn(picture, None, None if stepped else alpha, axes)


_WORDS = {"discount": "discount", "schedule": "schedule", "lambda": "λ", "step": "step"}


def _label(kind: str, model: Model, otherwise: str = "") -> str:
    """What an axis is called."""
    if kind == "step":
        return "constant step α"
    if kind == "lambda":
        return "constant λ, without end"
    if kind == "schedule":
        return otherwise
    if model.gamma is None:
        return "factor on the model's discounts (1 is the model as given)"
    return f"discount γ (the model's own: {model.gamma})"


def _values(kind: str, given: tuple[Fraction, ...], model: Model, alpha: Fraction) -> tuple[Fraction, ...]:
    """The values of an axis, increasing."""
    if given:
        return tuple(sorted(given))
    if kind == "step":
        return tuple(alpha * factor for factor in STEPS)
    return LAMBDAS if kind == "lambda" else _columns(model)


def _short(x: Fraction) -> str:
    return str(x) if len(str(x)) < 8 else f"{float(x):.3g}"


def _why_not(model: Model | SparseModel, rows: Sequence[Schedule], axes: Sequence[str]) -> str | None:
    """A sentence about what stands in the way, if anything does."""
    if isinstance(model, SparseModel) or model.n > MOST_STATES or model.d > MOST_FEATURES:
        return (
            f"phase diagrams are drawn for up to {MOST_STATES} states and {MOST_FEATURES} features, every cell being "
            f"decided; this model has {model.n} and {model.d}"
        )
    if model.sampling is not None:
        return NO_SCHEDULES if rows or "lambda" in axes else None
    if len(model.behaviour_chain.recurrent_classes) != 1:
        count = len(model.behaviour_chain.recurrent_classes)
        return f"the behaviour chain has {count} recurrent classes, and each would have a diagram of its own"
    if not model.has_trace_sum_on(model.behaviour_chain.recurrent_classes[0]):
        return "λ = 1 without a length and I − N singular: the series Σ Nᵏ has no sum; give the schedule a length"
    longest = max(schedule.length or 0 for schedule in (model.schedule, *rows))
    if longest > LONGEST:
        return f"the schedule has {longest} λ's; diagrams are drawn for up to {LONGEST}"
    return None


def _columns(model: Model) -> tuple[Fraction, ...]:
    own = Fraction(1) if model.gamma is None else model.gamma
    return tuple(sorted({*DISCOUNTS, own}))


def _rows(own: Schedule, candidates: Sequence[Schedule] | None) -> tuple[tuple[str, Schedule], ...]:
    """The model's own schedule first, then the candidates, or the common ones, that are not it."""
    known = ROWS if candidates is None else tuple((schedule_name(schedule), schedule) for schedule in candidates)
    others = [(label, schedule) for label, schedule in known if schedule != own]
    name = next((label for label, schedule in known if schedule == own), None)
    return ((f"{name} (own)" if name else "the model's own", own), *others)


def _algorithms(model: Model, chosen: Sequence[Algorithm]) -> tuple[str | Algorithm, ...]:
    """The usual ones go by their names, which their kernels have, unless their options are others."""
    usual = applicable(model)
    if model.sampling is not None or model.lambda_by_state is not None:
        return tuple(chosen) or tuple(map(named, usual))
    return tuple(one.name if one.name in usual and is_shipped(one, model) else one for one in chosen) or usual


def _at(model: Model, axes: PhaseAxes) -> Callable[[Fraction, Any], Model]:
    """The model of a cell: at a discount, or a factor on its discounts, and under a schedule, or a constant λ."""

    def at(x: Fraction, value: Any) -> Model:
        found = model
        for kind, chosen in ((axes.x, x), (axes.y, value)):
            if kind == "discount":
                found = replace(found, discounts=_discounts(model, chosen))
            elif kind != "step":
                found = found.with_schedule(chosen if isinstance(chosen, Schedule) else Schedule.constant(chosen))
        return found

    return at


def _discounts(model: Model, x: Fraction) -> tuple[RationalMatrix, ...]:
    if model.gamma is None:
        return tuple(G.scaled(x) for G in model.discounts)
    ones = model.discounts[0].from_rationals([[Fraction(1)]] * model.n)
    return (ones.scaled(x),) * len(model.actions)
