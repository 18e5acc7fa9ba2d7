"""Phase diagrams, computed: for each discount and schedule, what mean, mean square and paths do at constant steps.

The mean is an exact sign (``tdcert.theory.verdict.Sign``, at a step ``tdcert.theory.laws.mean_at_step``), that of
mean square has every rounding bounded (``tdcert.theory.laws.second_moment_sign``), both with runs under way among the
starts. Where the second moment of differences dies out so does almost every path; else the sign of paths is that of the
exponent where its bounds show it (``tdcert.theory.engine.paths``), and where they do not it is simulated: whether most
runs shrink or grow, with one confidence for the whole diagram (``tdcert.sims.growth_signs``), and a star beside it. A
sign that is not found is ``?``: a category of its own where it is that of paths.

Boundaries lie between decided signs, never through a guess: those of mean and mean square are bisected with such
decisions, that of paths is as wide as the columns that decide it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tdcert.algorithms import for_model
from tdcert.algorithms.schedules import TITLES, declared
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.sims.phases.diagram import SIMULATED, Boundary, DiagramCell, Panel, PhaseDiagram, Place
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.dynamics import at_ratios, predicts_unseen
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.paths import NEVER_CUT, on_paths
from tdcert.theory.engine.second_moments import at_constant_step, system_within
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_at_step import mean_signs
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.limits import MEAN_ENTRIES, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import Progress
from tdcert.theory.verdict import Sign

if TYPE_CHECKING:
    from tdcert.sims.growth import PathStability

CATEGORIES = (
    ("converges", "mean, mean square and paths die out"),
    ("heavy", "paths die out, mean square grows"),
    ("paths_grow", "the mean dies out, paths grow"),
    ("mean_grows", "paths die out, the mean does not"),
    ("diverges", "paths grow, and the mean does not die out, or is undecided"),
    ("growth_open", "the mean or mean square grows, paths undecided or at no rate"),
    ("open", "paths die out, the mean or mean square is undecided"),
    ("undecided", "paths undecided or at no rate, and nothing known to grow"),
)
STARTS = "a start may be a run under way, its parameters changed and its trace kept"
"""What growth from some start means in a cell."""
SIGNS: dict[Sign, str] = {-1: "−", 1: "+", 0: "0", None: "?"}
WORDS: dict[Sign, str] = {
    -1: "dies out",
    1: "grows from some start",
    0: "neither dies out nor grows geometrically",
    None: "undecided",
}


@dataclass(frozen=True)
class Effort:
    """``work``: moves of the window chain × D³ up to which mean square is decided; ``bisections`` of a boundary between
    two columns; ``rounds`` about paths, all signs right together with probability ``level``; ``unknowns``: nodes ×
    D(D + 1)/2 up to which weights that bound an exponent are searched, ``directions``: moves × cells of directions for
    that (each a tenth of a second a cell); ``boxes`` of directions, times the limits, on which a drift is enclosed
    where these are raised (half a minute a cell and more).
    """

    work: int
    bisections: int
    rounds: tuple[Round, ...]
    level: float = 0.999
    unknowns: int = 300
    directions: int = 3_000
    boxes: int = 100_000


@dataclass(frozen=True)
class Grid:
    """What is asked: ``model_at(x, value)`` on the recurrent class ``states``, for each algorithm: one of the paper's
    four by its name, for which there are kernels, or any update as it was declared.

    Steps α, and ηα for the later ones; ``rows`` are (label, value), a schedule or a number. ``step_at``: α of a cell
    where it is on an axis, else None; then the mean is that of the recursion at that step, not the mean dynamics.
    """

    columns: tuple[Fraction, ...]
    rows: tuple[tuple[str, Any], ...]
    algorithms: tuple[str | Algorithm, ...]
    model_at: Callable[[Fraction, Any], Model]
    states: tuple[int, ...]
    alpha: Fraction
    eta: Fraction
    step_at: Callable[[Fraction, Any], Fraction] | None = None

    def step(self, x: Fraction, value: Any) -> Fraction:
        """α of a cell."""
        return self.alpha if self.step_at is None else self.step_at(x, value)


@dataclass(frozen=True)
class _Exact:
    """The exact signs of one cell; ``simulated``: whether paths can be, where mean square does not decide them."""

    mean: Sign
    square: Sign
    why: str
    simulated: bool = True


def panels(
    grid: Grid,
    effort: Effort,
    *,
    seed: int,
    name: str,
    on_progress: Progress,
    mean_places: Callable[[str, Schedule], tuple[Place, ...]] | None = None,
    mean_label: str = "mean, bisected",
) -> tuple[Panel, ...]:
    """A panel for each algorithm. ``mean_places``: the exact places of the mean's boundary where they are known.

    Raises what the exact decisions and the simulation raise, :class:`InputError` among them.
    """
    found = []
    for algorithm, (shown, signs) in zip(grid.algorithms, _decided(grid, effort, seed, name, on_progress), strict=True):
        mean, square, paths = [], [], []
        for (_, schedule), row in zip(grid.rows, signs, strict=True):

            def mean_at(x: Fraction, schedule: Any = schedule, algorithm: str | Algorithm = algorithm) -> Sign:
                if grid.step_at is None:
                    return _mean_dynamics(grid, algorithm, x, schedule)
                return _exact(grid, algorithm, x, schedule, effort).mean

            def square_at(x: Fraction, schedule: Any = schedule, algorithm: str | Algorithm = algorithm) -> Sign:
                return _exact(grid, algorithm, x, schedule, effort).square

            known = mean_places(algorithm, schedule) if mean_places and isinstance(algorithm, str) else None
            mean.append(known if known is not None else _bisected(grid, [m for m, _, _ in row], mean_at, 20))
            square.append(_bisected(grid, [q for _, q, _ in row], square_at, effort.bisections))
            paths.append(_changes(grid.columns, [p for _, _, p in row]))
        boundaries = [
            Boundary(label, tuple(places))
            for label, places in (
                (mean_label, mean),
                ("mean square, bisected", square),
                ("paths, between decided signs", paths),
            )
            if any(places)
        ]
        found.append(Panel(_title(algorithm), shown, tuple(boundaries)))
    return tuple(found)


def diagram(
    name: str,
    claim: str | None,
    title: str,
    caption: str,
    x_label: str,
    grid: Grid,
    drawn: Sequence[Panel],
    y_label: str = "schedule",
) -> PhaseDiagram:
    """The panels of a grid as a picture."""
    return PhaseDiagram(
        name,
        claim,
        title,
        caption,
        x_label,
        y_label,
        grid.columns,
        tuple(label for label, _ in grid.rows),
        tuple(drawn),
        CATEGORIES,
    )


def signs_told(mean: str, level: float) -> str:
    """What a caption says of the signs in the cells. ``mean``: how that of the mean is decided; ``level``: of the
    effort.
    """
    return (
        "predictions, so without what the features do not see. In each cell the signs of mean "
        f"({mean}), mean square (every rounding bounded) and paths: − differences die out, + they grow from some start "
        f"({STARTS}), ? undecided. For paths a sign is shown by mean square that dies out or by bounds of the Lyapunov "
        "exponent, and the words of a cell say which; with a star it is simulated: − says that more than half of all "
        "runs shrink from a fifth of the updates to the last, + that more than half grow so (all simulated signs right "
        f"together with probability {level})."
    )


def category(mean: Sign, square: Sign, path: Sign) -> str:
    """The category of three signs."""
    if not path:
        return "growth_open" if 1 in (mean, square) else "undecided"
    if path > 0:
        return "paths_grow" if mean == -1 else "diverges"
    if mean in (0, 1):
        return "mean_grows"
    if square == 1:
        return "heavy"
    return "converges" if mean == square == -1 else "open"


Signs = tuple[Sign, Sign, Sign]


def _decided(
    grid: Grid, effort: Effort, seed: int, name: str, on_progress: Progress
) -> list[tuple[tuple[tuple[DiagramCell, ...], ...], list[list[Signs]]]]:
    places = [(a, r, x) for a in grid.algorithms for r in range(len(grid.rows)) for x in grid.columns]
    exact: dict[tuple[str | Algorithm, int, Fraction], _Exact] = {}
    for done, (algorithm, r, x) in enumerate(places):
        on_progress(done, 2 * len(places), "phase diagram: mean and mean square")
        exact[algorithm, r, x] = _exact(grid, algorithm, x, grid.rows[r][1], effort)
    bounds = {place: _bound(grid, place, effort) for place in places if exact[place].square != -1}
    asked = [place for place, bound in bounds.items() if bound.sign is None and exact[place].simulated]
    paths: dict[tuple[str | Algorithm, int, Fraction], PathStability] = {}
    if asked:
        questions = [
            SignQuestion(
                label, model, a if isinstance(a, str) else for_model(a, model)[0], float(step), float(grid.eta)
            )
            for a, r, x in asked
            for label, value in [grid.rows[r]]
            for model, step in [(grid.model_at(x, value), grid.step(x, value))]
        ]
        answers = find_signs(
            questions,
            effort.rounds,
            seed=seed,
            name=name,
            level=effort.level,
            on_done=lambda done, total: on_progress(
                len(places) + len(places) * done // total, 2 * len(places), "phase diagram: paths"
            ),
        )
        paths = dict(zip(asked, answers, strict=True))
    return [
        (
            tuple(
                tuple(_cell(exact[a, r, x], bounds.get((a, r, x)), paths.get((a, r, x))) for x in grid.columns)
                for r in range(len(grid.rows))
            ),
            [
                [_signs(exact[a, r, x], bounds.get((a, r, x)), paths.get((a, r, x))) for x in grid.columns]
                for r in range(len(grid.rows))
            ],
        )
        for a in grid.algorithms
    ]


def _bound(grid: Grid, place: tuple[str | Algorithm, int, Fraction], effort: Effort) -> PathSign:
    """What bounds of the exponent say of a cell."""
    algorithm, r, x = place
    value = grid.rows[r][1]
    model, alpha = grid.model_at(x, value), grid.step(x, value)
    update, note = _update(algorithm, model)
    if note:
        return PathSign(None, why=note)
    ratios, boxes = ratios_of(update, grid.eta), effort.boxes if raised(1) > 1 else 0
    return on_paths(model, update, grid.states, ratios, alpha, effort.unknowns, effort.directions, boxes).sign


def _update(algorithm: str | Algorithm, model: Model) -> tuple[Algorithm, str]:
    """The update as it was declared for this model, and what is not as it was asked."""
    return (declared(algorithm, model), "") if isinstance(algorithm, str) else for_model(algorithm, model)


def _exact(grid: Grid, algorithm: str | Algorithm, x: Fraction, value: Any, effort: Effort) -> _Exact:
    """The mean of a cell, and its mean square, with the step sizes as numbers: they may enter in any way."""
    model, alpha = grid.model_at(x, value), grid.step(x, value)
    update, note = _update(algorithm, model)
    if note:
        return _Exact(None, None, "the schedule has an end, and the update takes one λ", False)
    ratios = ratios_of(update, grid.eta)
    answer = at_constant_step(model, update, grid.states, ratios, alpha, 0, bounded=effort.work)
    found, square, why = answer.found, answer.mean_square, "" if answer.mean_square else answer.why
    known = found.memory.without_end is None or found.memory.exists is True
    if len(found.visible[0]) < found.tables.D and predicts_unseen(found):
        mean = answer.mean if grid.step_at is not None else _mean_dynamics(grid, algorithm, x, value)
        return _Exact(mean, square, why, False)
    if grid.step_at is None:
        return _Exact(_mean_dynamics(grid, algorithm, x, value), square, why, known)
    if square == -1:
        return _Exact(-1, -1, why, known)  # ‖E y‖² ≤ E‖y‖²
    try:
        system = system_within(found, ratios, MEAN_ENTRIES)
    except BudgetExceededError as error:
        return _Exact(None, square, why or str(error), known)
    return _Exact(mean_signs(system, alpha).under_way, square, why, known)


MEANS: dict[MeanDynamics, Sign] = {
    MeanDynamics.STABLE: -1,
    MeanDynamics.STABLE_MODULO_NULL_SPACE: -1,
    MeanDynamics.MARGINAL: 0,
    MeanDynamics.UNSTABLE: 1,
    MeanDynamics.UNDECIDED: None,
}


def _mean_dynamics(grid: Grid, algorithm: str | Algorithm, x: Fraction, value: Any) -> Sign:
    """The sign of the mean dynamics in the limit of small steps; None where it is not decided, or there are none."""
    model = grid.model_at(x, value)
    update, note = _update(algorithm, model)
    found = None if note else _with_mean_dynamics(model, update, grid.states)
    return None if found is None else MEANS[at_ratios(found, ratios_of(update, grid.eta)).mean_dynamics]


def _with_mean_dynamics(model: Model, update: Algorithm, states: tuple[int, ...]) -> Stationary[RationalMatrix] | None:
    try:
        return with_mean_dynamics(model, update, states)
    except InputError:
        return None


def _title(algorithm: str | Algorithm) -> str:
    if isinstance(algorithm, str):
        return TITLES[algorithm]
    return algorithm.called(name for name in algorithm.options if name in algorithm.given)


def _signs(exact: _Exact, bound: PathSign | None, path: PathStability | None) -> Signs:
    """Mean, mean square, paths; a bounded mean square takes paths with it."""
    seen = None if path is None else path.sign
    return exact.mean, exact.square, -1 if bound is None else seen if bound.sign is None else bound.sign


def _cell(exact: _Exact, bound: PathSign | None, path: PathStability | None) -> DiagramCell:
    signs = _signs(exact, bound, path)
    square = WORDS[exact.square] + (f": {exact.why}" if exact.why else "")
    if path is not None:
        paths = "; ".join(x for x in (in_words(path), _beside(bound) if bound else "") if x)
    elif bound is None:
        paths = f"{WORDS[-1]}, since mean square does"
    else:
        paths = bound.in_words if bound.sign is not None else ": ".join(x for x in (WORDS[None], bound.in_words) if x)
    detail = f"mean {WORDS[exact.mean]}; mean square {square}; paths: {paths}"
    if 1 in (exact.mean, exact.square):
        detail += f" ({STARTS})"
    star = SIMULATED if path is not None and path.sign else ""
    return DiagramCell(category(*signs), " ".join(SIGNS[sign] for sign in signs) + star, detail)


def _beside(bound: PathSign) -> str:
    """What bounds say beside a sign that is simulated: themselves, or that there are none as memory is never cut."""
    return bound.bounds_in_words or (f"no bound: {bound.why}" if bound.why == NEVER_CUT else "")


def _changes(columns: Sequence[Fraction], signs: Sequence[Sign]) -> tuple[Place, ...]:
    """The pairs of neighbours among the decided columns whose signs differ."""
    decided = [(x, sign) for x, sign in zip(columns, signs, strict=True) if sign is not None]
    return tuple((a, b) for (a, before), (b, after) in pairwise(decided) if before != after)


def _bisected(grid: Grid, signs: Sequence[Sign], at: Callable[[Fraction], Sign], times: int) -> tuple[Place, ...]:
    """The places where the sign changes, narrowed by exact decisions; an undecided middle ends the search."""
    found = []
    for low, high in _changes(grid.columns, signs):
        left = signs[grid.columns.index(low)]
        for _ in range(times):
            middle = (low + high) / 2
            sign = at(middle)
            if sign is None:
                break
            low, high = (middle, high) if sign == left else (low, middle)
        found.append((low, high))
    return tuple(found)
