"""Phase diagrams, computed: for each discount and schedule, what mean, mean square and paths do at constant steps.

Mean and mean square are exact signs (``tdcert.theory.laws.phase_cell``), paths whether most runs shrink or grow, with
one confidence for the whole diagram (``tdcert.sims.growth_signs``). Where the second moment of differences dies out so
does almost every path, and nothing is simulated. A sign that is not found is ``?``: a category of its own where it is
that of paths.

Boundaries lie between decided signs, never through a guess: those of mean and mean square are bisected with exact
decisions, that of paths is as wide as the columns that decide it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tdcert.sims.growth import PathStability
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram, Place
from tdcert.theory.laws.phase_cell import Sign, mean_sign, mean_square_sign
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import Progress

TITLES = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
CATEGORIES = (
    ("converges", "mean, mean square and paths die out"),
    ("heavy", "the mean dies out, most runs shrink; mean square grows or is undecided"),
    ("paths_grow", "the mean dies out, most runs grow"),
    ("mean_grows", "most runs shrink, the mean does not die out"),
    ("diverges", "most runs grow, and the mean does not die out"),
    ("undecided", "paths undecided"),
)
SIGNS: dict[Sign, str] = {-1: "−", 1: "+", 0: "0", None: "?"}
WORDS: dict[Sign, str] = {-1: "dies out", 1: "grows from some start", 0: "does neither", None: "undecided"}


@dataclass(frozen=True)
class Effort:
    """``work``: windows × D³ up to which mean square is decided; ``bisections`` of a boundary between two columns;
    ``rounds`` about paths, all signs right together with probability ``level``.
    """

    work: int
    bisections: int
    rounds: tuple[Round, ...]
    level: float = 0.999


@dataclass(frozen=True)
class Grid:
    """What is asked: ``model_at(discount, schedule)`` on the recurrent class ``states``, for each algorithm.

    Steps α and β = ηα; ``rows`` are (label, schedule).
    """

    columns: tuple[Fraction, ...]
    rows: tuple[tuple[str, Schedule], ...]
    algorithms: tuple[str, ...]
    model_at: Callable[[Fraction, Schedule], Model]
    states: tuple[int, ...]
    alpha: Fraction
    eta: Fraction


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

            def mean_at(x: Fraction, schedule: Schedule = schedule, algorithm: str = algorithm) -> Sign:
                return mean_sign(grid.model_at(x, schedule), algorithm, grid.eta, grid.states)

            def square_at(x: Fraction, schedule: Schedule = schedule, algorithm: str = algorithm) -> Sign:
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
    name: str, claim: str | None, title: str, caption: str, x_label: str, grid: Grid, drawn: Sequence[Panel]
) -> PhaseDiagram:
    """The panels of a grid as a picture."""
    return PhaseDiagram(
        name,
        claim,
        title,
        caption,
        x_label,
        "schedule",
        grid.columns,
        tuple(label for label, _ in grid.rows),
        tuple(drawn),
        CATEGORIES,
    )


def category(mean: Sign, square: Sign, path: Sign) -> str:
    """The category of three signs."""
    if path is None:
        return "undecided"
    if path > 0:
        return "paths_grow" if mean == -1 else "diverges"
    if mean != -1:
        return "mean_grows"
    return "converges" if square == -1 else "heavy"


Signs = tuple[Sign, Sign, Sign]


def _decided(
    grid: Grid, effort: Effort, seed: int, name: str, on_progress: Progress
) -> list[tuple[tuple[tuple[DiagramCell, ...], ...], list[list[Signs]]]]:
    places = [(a, r, x) for a in grid.algorithms for r in range(len(grid.rows)) for x in grid.columns]
    exact: dict[tuple[str, int, Fraction], _Exact] = {}
    for done, (algorithm, r, x) in enumerate(places):
        on_progress(done, 2 * len(places), "phase diagram: mean and mean square")
        schedule = grid.rows[r][1]
        mean = mean_sign(grid.model_at(x, schedule), algorithm, grid.eta, grid.states)
        exact[algorithm, r, x] = _Exact(mean, *_square(grid, algorithm, x, schedule, effort))
    asked = [place for place in places if exact[place].square != -1]
    paths: dict[tuple[str, int, Fraction], PathStability] = {}
    if asked:
        questions = [
            SignQuestion(grid.rows[r][0], grid.model_at(x, grid.rows[r][1]), a, float(grid.alpha), float(grid.eta))
            for a, r, x in asked
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


def _square(grid: Grid, algorithm: str, x: Fraction, schedule: Schedule, effort: Effort) -> tuple[Sign, str]:
    model = grid.model_at(x, schedule)
    return mean_square_sign(model, algorithm, grid.alpha, grid.eta, grid.states, effort.work)


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
