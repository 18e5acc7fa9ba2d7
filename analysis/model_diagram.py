"""``tdcert analyze MODEL --phase-diagram``: the phase diagram of a user's model around its own discount.

Columns: discounts, the model's own among them; where the discount depends on the transition, factors on all of it, with
1 the model as given. Rows: its own schedule and five common ones. Steps: α = 1/(40 max |φ(s)|²) over the recurrent
states and β = 10α, which on Baird's star are those of A5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tdcert.sims.growth_signs import Round
from tdcert.sims.phases.cells import Effort, Grid, diagram, panels
from tdcert.sims.phases.diagram import PhaseDiagram
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress

MOST_STATES, MOST_FEATURES = 64, 16
"""Largest model, for which a diagram takes about a minute."""
LONGEST = 40
"""Longest schedule of a row."""
ETA = Fraction(10)
SEED = 0
DISCOUNTS = tuple(Fraction(x) for x in ("1/4", "1/2", "4/5", "9/10", "19/20", "99/100"))
ROWS = (
    ("TD(0)", Schedule()),
    ("2-step", Schedule.n_step(2)),
    ("EqualWeights(2, 4)", Schedule.equal_weights(2, 4)),
    ("λ = 1/2", Schedule.constant(Fraction(1, 2))),
    ("λ = 9/10", Schedule.constant(Fraction(9, 10))),
)
EFFORT = Effort(work=66_000, bisections=3, rounds=(Round(80, 10_000), Round(80, 60_000, 12)))


@dataclass(frozen=True)
class Drawn:
    """The diagram, or in ``why`` a sentence that says why there is none; its steps ``alpha``, and β = ``eta`` α;
    ``confidence``: the probability with which all signs of paths are right together.
    """

    picture: PhaseDiagram | None
    why: str | None = None
    alpha: Fraction | None = None
    eta: Fraction = ETA
    confidence: float = field(default_factory=lambda: EFFORT.level)
    seed: int = SEED


def draw(model: Model | SparseModel, on_progress: Progress) -> Drawn:
    """The phase diagram of a model, or why there is none."""
    effort, why = EFFORT, _why_not(model)
    if why is not None:
        return Drawn(None, why)
    assert isinstance(model, Model)
    (states,) = model.behaviour_chain.recurrent_classes
    squares = [sum((x * x for x in model.features.rows[s]), start=Fraction(0)) for s in states]
    if not max(squares):
        return Drawn(None, "the features vanish on the recurrent states, so there is nothing to learn")
    alpha = 1 / (40 * max(squares))
    grid = Grid(_columns(model), _rows(model.schedule), _algorithms(model), _at(model), states, alpha, ETA)
    try:
        found = panels(grid, effort, seed=SEED, name="phase diagram of a model", on_progress=on_progress)
    except InputError as error:
        return Drawn(None, str(error), alpha)
    own = "the model's own" if model.gamma is not None else "1 is the model as given"
    caption = (
        f"Constant steps α = {alpha}, β = {ETA * alpha}; predictions, so without what the features do not see. In each "
        "cell the signs of mean (exact), mean square (exact, where windows are few) and paths: − differences die out, "
        "+ they grow from some start, ? undecided. For paths − says that mean square dies out, and so does almost "
        "every path, or, simulated, that more than half of all runs shrink from a fifth of the updates to the last; + "
        f"that more than half grow so (all simulated signs right together with probability {effort.level})."
    )
    x_label = "discount γ" if model.gamma is not None else "factor on the model's discounts"
    label = f"{x_label} ({own}: {model.gamma})" if model.gamma is not None else f"{x_label} ({own})"
    picture = diagram("phases", None, "What dies out, by discount and schedule", caption, label, grid, found)
    return Drawn(picture, None, alpha)


def _why_not(model: Model | SparseModel) -> str | None:
    """A sentence about what stands in the way, if anything does."""
    if isinstance(model, SparseModel) or model.n > MOST_STATES or model.d > MOST_FEATURES:
        return (
            f"phase diagrams are drawn for up to {MOST_STATES} states and {MOST_FEATURES} features, every cell being "
            f"decided exactly; this model has {model.n} and {model.d}"
        )
    if len(model.behaviour_chain.recurrent_classes) != 1:
        count = len(model.behaviour_chain.recurrent_classes)
        return f"the behaviour chain has {count} recurrent classes, and each would have a diagram of its own"
    if not model.has_trace_sum_on(model.behaviour_chain.recurrent_classes[0]):
        return "λ = 1 without a length and I − N singular: the series Σ Nᵏ has no sum; give the schedule a length"
    if (model.schedule.length or 0) > LONGEST:
        return f"the schedule has {model.schedule.length} λ's; diagrams are drawn for up to {LONGEST}"
    return None


def _columns(model: Model) -> tuple[Fraction, ...]:
    own = Fraction(1) if model.gamma is None else model.gamma
    return tuple(sorted({*DISCOUNTS, own}))


def _rows(own: Schedule) -> tuple[tuple[str, Schedule], ...]:
    """The model's own schedule first, then the common ones that are not it."""
    common = [(label, schedule) for label, schedule in ROWS if schedule != own]
    name = next((label for label, schedule in ROWS if schedule == own), None)
    return ((f"{name} (own)" if name else "the model's own", own), *common)


def _algorithms(model: Model) -> tuple[str, ...]:
    return ("td" if model.is_on_policy else "off_policy_td", "gtd", "tdc")


def _at(model: Model) -> Callable[[Fraction, Schedule], Model]:
    """The model at a discount, or at a factor on its discounts, under a schedule."""

    def at(x: Fraction, schedule: Schedule) -> Model:
        if model.gamma is None:
            discounts = tuple(G.scaled(x) for G in model.discounts)
        else:
            ones = model.discounts[0].from_rationals([[Fraction(1)]] * model.n)
            discounts = (ones.scaled(x),) * len(model.actions)
        return replace(model, discounts=discounts, schedule=schedule)

    return at
