"""What a constant step that a user gave does: in the mean, in mean square, and on paths.

Mean and mean square are exact signs at that step, on windows; paths are simulated where mean square does not decide
them, as in a phase diagram (``tdcert.sims.phases.cells``). Stable mean dynamics say nothing of this: they are the limit
of small steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.sims.growth import PathStability
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.sims.phases.cells import WORDS
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_at_step import mean_sign_at
from tdcert.theory.laws.mean_square import quotient_system, show_bounded, show_unbounded
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.laws.windows import is_td
from tdcert.theory.model.mdp import Model

WORK = 66_000
"""Most windows × D³ that are looked at, D numbers in (θ, w), as in the phase diagram of a model."""
ROUNDS = (Round(80, 10_000),)
LEVEL = 0.999
"""Probability with which a sign of paths that is given is right."""


@dataclass(frozen=True)
class AtStep:
    """Signs for differences of two runs at the steps α = β = ``alpha``: −1 they die out, 1 they grow from some start, 0
    the mean does neither, None undecided. ``paths``: −1 where mean square dies out, and so almost every path; else
    simulated, and ``paths_why`` says what was seen. ``why``: what stood in the way of the exact signs, if anything did.
    """

    alpha: Fraction
    mean: Sign
    mean_square: Sign
    paths: Sign
    paths_why: str
    why: str = ""

    @property
    def in_words(self) -> str:
        """``in the mean grows from some start, …``."""
        parts = (("the mean", self.mean), ("mean square", self.mean_square))
        said = "; ".join(f"in {what}: {WORDS[sign]}" for what, sign in parts)
        return f"{said}{f' ({self.why})' if self.why else ''}; on paths: {self.paths_why}"


def at_step(model: Model, algorithm: str, alpha: Fraction, states: tuple[int, ...], seed: int) -> AtStep:
    """The three answers for one algorithm on its one recurrent class."""
    mean, square, why = _exact_signs(model, algorithm, alpha, states)
    if square == -1:
        return AtStep(alpha, mean, square, -1, "die out, since mean square does", why)
    path = _paths(model, algorithm, alpha, seed)
    if isinstance(path, str):
        return AtStep(alpha, mean, square, None, path, why)
    return AtStep(alpha, mean, square, path.sign, f"{in_words(path)} × 10⁻⁵ per update", why)


def _exact_signs(model: Model, algorithm: str, alpha: Fraction, states: tuple[int, ...]) -> tuple[Sign, Sign, str]:
    if not model.schedule.is_finite:
        return None, None, "a λ without end has no finite window"
    size = model.features.take(rows=states).rank * (1 if is_td(algorithm) else 2)
    try:
        system = quotient_system(model, algorithm, Fraction(1), states, entries=WORK // max(1, size))
    except BudgetExceededError:
        return None, None, "too many windows for the work allowed"
    if show_bounded(system, alpha) is not None:
        return -1, -1, ""  # ‖E y‖² ≤ E‖y‖²
    square = 1 if show_unbounded(system, alpha) is not None else None
    return mean_sign_at(system, alpha), square, ""


def _paths(model: Model, algorithm: str, alpha: Fraction, seed: int) -> PathStability | str:
    """What most runs do, or why it is not known."""
    question = SignQuestion("the step given", model, algorithm, float(alpha), 1.0)
    try:
        return find_signs([question], ROUNDS, seed=seed, name="paths at the step given", level=LEVEL)[0]
    except InputError as error:
        return f"undecided ({error})"
