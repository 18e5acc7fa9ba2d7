"""Phase diagrams, computed: for each discount and schedule, what mean, mean square and paths do at constant steps.

The mean is an exact sign (``tdcert.theory.laws.phase_cell``), that of mean square has every rounding bounded
(``tdcert.theory.laws.second_moment_sign``), paths: whether most runs shrink or grow, with one confidence for the whole
diagram (``tdcert.sims.growth_signs``). Where the second moment of differences dies out so
does almost every path, and nothing is simulated. A sign that is not found is ``?``: a category of its own where it is
that of paths.

Boundaries lie between decided signs, never through a guess: those of mean and mean square are bisected with such
decisions, that of paths is as wide as the columns that decide it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tdcert.algorithms.schedules import TITLES, scheduled
from tdcert.sims.growth import PathStability
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram, Place
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_at_step import mean_sign_at
from tdcert.theory.laws.mean_square import quotient_system
from tdcert.theory.laws.phase_cell import Sign, mean_sign
from tdcert.theory.laws.second_moment_sign import mean_square_sign
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import Progress

CATEGORIES = (
    ("converges", "mean, mean square and paths die out"),
    ("heavy", "most runs shrink, mean square grows"),
    ("paths_grow", "the mean dies out, most runs grow"),
    ("mean_grows", "most runs shrink, the mean does not die out"),
    ("diverges", "most runs grow, and the mean does not die out, or is undecided"),
    ("growth_open", "the mean or mean square grows, paths undecided"),
    ("open", "most runs shrink, the mean or mean square is undecided"),
    ("undecided", "paths undecided, and nothing known to grow"),
)
MEAN_WORK = 2_000
"""Most windows × D² for which the mean at a step is decided."""
SIGNS: dict[Sign, str] = {-1: "−", 1: "+", 0: "0", None: "?"}
WORDS: dict[Sign, str] = {-1: "dies out", 1: "grows from some start", 0: "does neither", None: "undecided"}


@dataclass(frozen=True)
class Effort:
    """``work``: moves of the window chain × D³ up to which mean square is decided; ``bisections`` of a boundary between
    two columns; ``rounds`` about paths, all signs right together with probability ``level``.
    """

    work: int
    bisections: int
    rounds: tuple[Round, ...]
    level: float = 0.999


@dataclass(frozen=True)
class Grid:
    """What is asked: ``model_at(x, value)`` on the recurrent class ``states``, for each algorithm.

    Steps α and β = ηα; ``rows`` are (label, value), a schedule or a number. ``step_at``: α of a cell where it is on an
    axis, else None; then the mean is that of the recursion at that step, not the mean dynamics.
    """

    columns: tuple[Fraction, ...]
    rows: tuple[tuple[str, Any], ...]
    algorithms: tuple[str, ...]
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
    """The exact signs of one cell."""

    mean: Sign
    square: Sign
    why: str


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

            def mean_at(x: Fraction, schedule: Any = schedule, algorithm: str = algorithm) -> Sign:
                return _exact(grid, algorithm, x, schedule, effort).mean

            def square_at(x: Fraction, schedule: Any = schedule, algorithm: str = algorithm) -> Sign:
                return _square(grid, algorithm, x, schedule, effort)[0]

            known = None if mean_places is None else mean_places(algorithm, schedule)
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
        found.append(Panel(TITLES[algorithm], shown, tuple(boundaries)))
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


def category(mean: Sign, square: Sign, path: Sign) -> str:
    """The category of three signs."""
    if path is None:
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
    exact: dict[tuple[str, int, Fraction], _Exact] = {}
    for done, (algorithm, r, x) in enumerate(places):
        on_progress(done, 2 * len(places), "phase diagram: mean and mean square")
        exact[algorithm, r, x] = _exact(grid, algorithm, x, grid.rows[r][1], effort)
    asked = [place for place in places if exact[place].square != -1]
    paths: dict[tuple[str, int, Fraction], PathStability] = {}
    if asked:
        questions = [
            SignQuestion(label, grid.model_at(x, value), a, float(grid.step(x, value)), float(grid.eta))
            for a, r, x in asked
            for label, value in [grid.rows[r]]
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
                tuple(_cell(exact[a, r, x], paths.get((a, r, x))) for x in grid.columns) for r in range(len(grid.rows))
            ),
            [[_signs(exact[a, r, x], paths.get((a, r, x))) for x in grid.columns] for r in range(len(grid.rows))],
        )
        for a in grid.algorithms
    ]


def _exact(grid: Grid, algorithm: str, x: Fraction, value: Any, effort: Effort) -> _Exact:
    """The mean of a cell, and its mean square."""
    model, (square, why) = grid.model_at(x, value), _square(grid, algorithm, x, value, effort)
    if grid.step_at is None:
        return _Exact(mean_sign(model, scheduled(algorithm), grid.eta, grid.states), square, why)
    if square == -1:
        return _Exact(-1, -1, why)  # ‖E y‖² ≤ E‖y‖²
    try:
        system = quotient_system(model, scheduled(algorithm), grid.eta, grid.states, MEAN_WORK)
    except (BudgetExceededError, InputError) as error:
        return _Exact(None, square, why or str(error))
    return _Exact(mean_sign_at(system, grid.step(x, value)), square, why)


def _square(grid: Grid, algorithm: str, x: Fraction, value: Any, effort: Effort) -> tuple[Sign, str]:
    model, alpha = grid.model_at(x, value), grid.step(x, value)
    return mean_square_sign(model, scheduled(algorithm), alpha, grid.eta, grid.states, effort.work)


def _signs(exact: _Exact, path: PathStability | None) -> Signs:
    """Mean, mean square, paths; a bounded mean square takes paths with it."""
    return exact.mean, exact.square, -1 if path is None else path.sign


def _cell(exact: _Exact, path: PathStability | None) -> DiagramCell:
    signs = _signs(exact, path)
    square = WORDS[exact.square] + (f" ({exact.why})" if exact.why else "")
    paths = "die out, since mean square does" if path is None else in_words(path)
    detail = f"mean {WORDS[exact.mean]}; mean square {square}; paths: {paths}"
    return DiagramCell(category(*signs), " ".join(SIGNS[sign] for sign in signs), detail)


def _changes(columns: Sequence[Fraction], signs: Sequence[Sign]) -> tuple[Place, ...]:
    """Between neighbours among the decided columns that differ."""
    decided = [(x, sign) for x, sign in zip(columns, signs, strict=True) if sign is not None]
    return tuple((a, b) for (a, before), (b, after) in pairwise(decided) if before != after)


def _bisected(grid: Grid, signs: Sequence[Sign], at: Callable[[Fraction], Sign], times: int) -> tuple[Place, ...]:
    """The same, narrowed by exact decisions; an undecided middle ends the search."""
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
