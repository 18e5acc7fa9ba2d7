r"""A verdict over a set of models about any update: one that holds all around the middle of the set.

The middle is the model of the frequencies. Each law of a row's set is within some distance of that row in total
variation: with entries in [l_j, u_j] and the middle c, those that rise above c are some set J, and what they rise by is
what the others fall by: at most the smaller of Σ_J (u_j − c_j) and Σ_{not J} (c_j − l_j). With ε the largest of these
distances, every model of the set is within ε of the middle, and a verdict that :mod:`tdcert.theory.engine.robustness`
shows within ε, by an enclosure of all mean matrices and one Lyapunov form, is that of every model of the set. The ball
is larger than the set: TD, GTD and TDC, which :mod:`tdcert.theory.samples.verdict` decides on the set itself, need
fewer visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.perturbation import PerturbedTransitions
from tdcert.theory.engine.robustness import DECIDED, Asked, holds_within
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import ConfidentVerdict, unfounded

FEW = 8
"""Successors of which all sets are looked at: 2^8."""
UNKNOWN = "of this update nothing is bounded under a behaviour policy that is not known; name the policy"
AT_ONE = " at equal step sizes"
APART = " on two time scales (later step sizes ≫ α)"


def reach(row: RowSet) -> Fraction:
    """No law of the row's set is farther from its frequencies in total variation: of at most :data:`FEW` successors the
    largest over all J; of more with all of them in J, and in its complement.
    """
    ends = [(row.bounds[j], row.centre[j]) for j in row.possible]
    rise = [max(high - c, Fraction(0)) for (_, high), c in ends]
    fall = [max(c - low, Fraction(0)) for (low, _), c in ends]
    if row.k > FEW:
        return min(sum(rise, start=Fraction(0)), sum(fall, start=Fraction(0)))
    up = [sum(part, start=Fraction(0)) for part in product(*((Fraction(0), x) for x in rise))]
    down = [sum(part, start=Fraction(0)) for part in product(*((x, Fraction(0)) for x in fall))]
    return max(min(a, b) for a, b in zip(up, down, strict=True))


def distance(found: SampledModel) -> Fraction:
    """ε: no model of the set has a row, of an action that the behaviour policy takes, farther from the middle."""
    return max(
        reach(row)
        for rows, mu in zip(found.rows, found.behaviour.rows, strict=True)
        for row, p in zip(rows, mu, strict=True)
        if p
    )


def verdict_nearby(found: SampledModel, algorithm: Algorithm, label: str, apart: bool) -> ConfidentVerdict:
    """The verdict about an ``algorithm`` that has the set's schedule, at equal step sizes, or ``apart``, on two time
    scales; ``label``: what it is called.
    """
    meant = (APART if apart else AT_ONE) if len(algorithm.steps) > 1 else ""

    def said(answer: MeanDynamics, why: str) -> ConfidentVerdict:
        return ConfidentVerdict(
            label, answer, why, found.delta, found.markov, markov_refuted=found.markov_refuted, meant=meant
        )

    if why := unfounded(found) or (UNKNOWN if found.acts is not None else ""):
        return said(MeanDynamics.UNDECIDED, why)
    ratios: Sequence[Fraction] = [Fraction(1)] * len(algorithm.steps)
    middle, asked = found.centre, Asked(algorithm, ratios, apart)
    try:
        if len(middle.classes) > 1:
            return said(MeanDynamics.UNDECIDED, "the model of the frequencies has several recurrent classes")
        answer = asked.verdict(middle, middle.classes[0])
        if answer not in DECIDED:
            return said(MeanDynamics.UNDECIDED, f"it is {answer.replace('_', ' ')} on the model of the frequencies")
        if not holds_within(PerturbedTransitions(middle), asked, answer, distance(found)):
            return said(MeanDynamics.UNDECIDED, "what holds in the middle of the set is not shown as far as it goes")
    except (BudgetExceededError, InputError) as error:
        return said(MeanDynamics.UNDECIDED, str(error))
    why = "one Lyapunov form decides for all models whose rows are as near to the frequencies as those of the set"
    return said(answer, why)
