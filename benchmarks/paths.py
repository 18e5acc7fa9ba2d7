"""``python -m benchmarks.paths``: what decides signs of path exponents, and how fast, beside what was foreseen.

Each row is a case of the table in the design of path exponents, with the bounds and the seconds that a prototype had
there on another machine. One process; seconds are processor time. Prints the table of docs/benchmarks-paths.md; with
words (``python -m benchmarks.paths ETD``) the rows that hold one of them, with ``--drift`` also drifts on directions, a
minute a row.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.limits import DRIFT_BOXES
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.chains import two_actions

F = Fraction
Bounds = tuple[float | None, float | None]
SIGNS = {-1: "−", 0: "0", 1: "+", None: "?"}


@dataclass(frozen=True)
class Row:
    """A case: what is asked, and the bounds and seconds foreseen; None for a bound that was not certified."""

    name: str
    model: Callable[[], Model]
    update: str
    alpha: Fraction
    foreseen: Bounds
    seconds: float
    eta: Fraction = Fraction(1)


def theta(p: Fraction) -> Model:
    """θ→2θ whose behaviour goes to the second state with probability p."""
    return replace(gallery.theta_to_two_theta(F(9, 10)), behaviour=RationalMatrix([[1 - p, p]] * 2))


def star(gamma: Fraction, schedule: Schedule | None = None) -> Callable[[], Model]:
    """Baird's star."""
    return partial(gallery.bairds_star, gamma, schedule)


DRAWN: Sequence[tuple[int, int, int, Fraction, Bounds, float]] = (
    (1, 3, 5, F(1, 5), (-0.018349, -0.018349), 0.0),
    (2, 4, 2, F(1, 10), (-0.0382, -0.02219), 2.3),
    (2, 4, 3, F(2, 5), (-0.0261, 0.0130), 2.5),
    (3, 4, 7, F(1, 10), (-0.165, -0.002151), 0.0),
    (3, 4, 8, F(1, 2), (-0.0435, 0.270), 0.0),
    (5, 6, 11, F(1, 10), (-0.107, -0.000490), 0.6),
    (5, 6, 12, F(1, 3), (-0.0118, 0.339), 0.6),
)
"""d, n and seed of models that are drawn, with α, and what was foreseen of off-policy TD(0)."""
OF_STAR: Sequence[tuple[str, str, Fraction, Fraction, Bounds, float]] = (
    ("TD(0)", "off_policy_td", F(1, 2), F(1, 100), (-0.0063, -0.00429), 0.1),
    ("TD(0)", "off_policy_td", F(1, 2), F(1, 20), (-0.0221, -0.00812), 0.1),
    ("TD(0)", "off_policy_td", F(4, 5), F(1, 100), (-0.0050, -0.000841), 0.0),
    ("TD(0)", "off_policy_td", F(4, 5), F(1, 20), (-0.0303, -0.000340), 0.0),
    ("TD(0)", "off_policy_td", F(17, 20), F(1, 20), (-0.0335, 0.00159), 0.0),
    ("TD(0)", "off_policy_td", F(9, 10), F(1, 100), (None, 0.000304), 12.0),
    ("TD(0)", "off_policy_td", F(99, 100), F(1, 5), (0.0202, 0.0831), 0.0),
    ("GTD, α = β", "gtd", F(49, 50), F(1, 20), (-0.0052, 0.0172), 0.1),
    ("ETD(0)", "etd", F(9, 10), F(1, 10), (0.00613, None), 0.5),
    ("ETD(0)", "etd", F(99, 100), F(1, 10), (0.00123, None), 0.7),
    ("ETD(0)", "etd", F(9, 10), F(1, 100), (-0.0052, None), 8.0),
    ("ETD(0)", "etd", F(99, 100), F(1, 100), (None, None), 11.0),
)
"""Algorithm, γ and α on the star, and what was foreseen."""


def rows() -> Iterator[Row]:
    """The rows of the design's table whose models are given there."""
    fifth, td, coin = F(1, 5), "off_policy_td", partial(gallery.fair_coin_chain, F(9, 10))
    yield Row("θ→2θ, μ = 1/10, γ = 9/10, α = 1/5", partial(theta, F(1, 10)), td, fifth, (0.0699, 0.0699), 0.3)
    yield Row("θ→2θ, μ = 1/2", partial(theta, F(1, 2)), td, fifth, (0.02582, 0.02582), 0.3)
    yield Row("fair coin, γ = 9/10, α = 3/2", coin, "td", F(3, 2), (0.22633, 0.22633), 0.2)
    for d, n, seed, alpha, foreseen, seconds in DRAWN:
        name = f"random off-policy TD(0), d = {d}, α = {alpha}"
        yield Row(name, partial(two_actions, d, n, seed), td, alpha, foreseen, seconds)
    small, large = partial(two_actions, 1, 3, 5), partial(two_actions, 1, 3, 6)
    yield Row("GTD, d = 1, α = β = 1/5", small, "gtd", fifth, (-0.0483, -0.002629), 0.0)
    yield Row("GTD, d = 1, α = β = 1/2", large, "gtd", F(1, 2), (0.00122, 0.0467), 1.2)
    traced, ten = star(F(9, 10), Schedule.equal_weights(4, 6)), F(10)
    name = "star, TD, EqualWeights(4, 6), γ = 9/10, α = 1/200"
    yield Row(name, traced, td, F(1, 200), (-0.00238, -0.000438), 0.9)
    name = "star, GTD, γ = 1/2, α = 1/100, β = 1/10"
    yield Row(name, star(F(1, 2)), "gtd", F(1, 100), (-0.0390, -0.00153), 0.2, ten)
    for called, update, gamma, alpha, foreseen, seconds in OF_STAR:
        yield Row(f"star, {called}, γ = {gamma}, α = {alpha}", star(gamma), update, alpha, foreseen, seconds)


def sign_of(foreseen: Bounds) -> int | None:
    """What the bounds that were foreseen decide."""
    low, high = foreseen
    return 1 if low is not None and low > 0 else -1 if high is not None and high < 0 else None


def asked(row: Row, boxes: int) -> tuple[PathSign, float]:
    """What is decided of a row, and in how many seconds."""
    model = row.model()
    update = declared(row.update, model)
    (states,) = model.behaviour_chain.recurrent_classes
    begun = time.process_time()
    sign = on_paths(model, update, states, ratios_of(update, row.eta), row.alpha, boxes=boxes).sign
    return sign, time.process_time() - begun


def by_of(sign: PathSign) -> str:
    """What shows the bounds, in words."""
    kinds = [re.sub("(?<!^)(?=[A-Z])", " ", type(one).__name__).lower() for one in sign.shown]
    return ", ".join(dict.fromkeys([*kinds, *(["drift"] if sign.enclosed else [])])) or "–"


def number(x: Fraction | float | None) -> str:
    """A bound."""
    return "–" if x is None else f"{float(x):+.5g}".replace("-", "−")


def lines(words: Sequence[str], boxes: int) -> Iterator[str]:
    """The table, a row at a time: those that hold one of the words, all without any."""
    yield "| case | foreseen: bounds | sign | s | here: bounds | sign | by | s |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows():
        if words and not any(word in row.name for word in words):
            continue
        sign, seconds = asked(row, boxes)
        own = [x if x is not None else y for x, y in zip(sign.enclosed_bounds, (sign.low, sign.high), strict=True)]
        before, here = (", ".join(map(number, pair)) for pair in (row.foreseen, own))
        yield (
            f"| {row.name} | {before} | {SIGNS[sign_of(row.foreseen)]} | {row.seconds:.1f} | {here} | "
            f"{SIGNS[sign.sign]} | {by_of(sign)} | {seconds:.1f} |"
        )


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--drift"]
    for line in lines(given, DRIFT_BOXES if "--drift" in sys.argv else 0):
        print(line, flush=True)
