"""How far a model may change before the rows of an analysis have other verdicts, asked of every algorithm alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product

from tdcert.algorithms import is_shipped
from tdcert.algorithms.schedules import TD
from tdcert.analysis.row import AlgorithmRow
from tdcert.analysis.sampled import OWN
from tdcert.theory.certificate.shelf import Shelf
from tdcert.theory.engine.certificates import stability_certificates, time_scale_certificates
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.perturbation import KINDS, Change
from tdcert.theory.engine.robustness import Robustness, robustness
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress
from tdcert.theory.samples.around_certificate import CertifiedAround, certified_around, disagreement, singular_at
from tdcert.theory.samples.verdict import Update

SHOWN = 3
"""Digits of a distance in a sentence."""
OF_A = "certificates around a model are about TD, GTD and TDC as they ship, whose verdicts are those of A"
KEEPS_POLICIES = Change.TRANSITIONS, Change.DISCOUNT
NOT_EXACT = "the analysis is not in exact arithmetic; give --arithmetic exact"
QUESTIONS = {
    Change.TRANSITIONS: "How far may transitions change?",
    Change.DISCOUNT: "How far may the discount change?",
    Change.BEHAVIOUR: "How far may the behaviour policy change?",
    Change.TARGET: "How far may the target policy change?",
}
NEAR = {
    Change.TRANSITIONS: "for every P within {} of each row in total variation",
    Change.DISCOUNT: "for every γ within {} of the model's, below one",
    Change.BEHAVIOUR: "for every μ within {} in each state in total variation that takes what π takes",
    Change.TARGET: "for every π within {} in each state in total variation that takes only what μ takes",
}
"""What is near, by what changes."""


@dataclass(frozen=True)
class RobustRow:
    """The answer about one algorithm and one ``change``: what was ``found``, or ``why`` there is nothing.

    ``certified``: the distance of a certificate about all models within it, at the path ``certificate`` in a report, or
    ``why_no_certificate``; ``counter_certificates``: paths of those about the counter-model.
    """

    algorithm: str
    found: Robustness | None
    why: str = ""
    change: Change = Change.TRANSITIONS
    certified: Fraction | None = None
    certificate: str | None = None
    why_no_certificate: str = ""
    counter_certificates: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What was asked."""
        return QUESTIONS[self.change]

    @property
    def sentence(self) -> str:
        """The answer in words; distances are rounded to the side on which it stays true."""
        if self.found is None:
            return f"not known: {self.why}"
        verdict, counter = self.found.verdict, self.found.counter
        said = f"{verdict}, with no distance from the model that is certified"
        if self.found.within:
            low = rounded(self.found.within, ROUND_FLOOR)
            said = f"{verdict} {NEAR[self.change].format(low)}"
            if self.certified is not None:
                below = f" within {rounded(self.certified, ROUND_FLOOR)}" if self.certified < self.found.within else ""
                said += f", with a certificate{below}"
        if counter is not None:
            other = counter.verdict.replace("_", " ")
            said += f"; within {rounded(counter.distance, ROUND_CEILING)} there is a model that is {other}"
        return f"{said} ({self.found.why})" if self.found.why else said


def rounded(value: Fraction, side: str) -> str:
    """A few digits of a positive number, rounded to one side."""
    context = Context(prec=SHOWN, rounding=side)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"


def robust_rows(
    model: Model,
    rows: Sequence[AlgorithmRow],
    changes: Sequence[str],
    exact: bool,
    ratio: Fraction,
    shelf: Shelf,
    on_progress: Progress,
) -> tuple[RobustRow, ...]:
    """One answer for each of the ``changes`` and algorithms of the rows; ``ratio``: of its later step sizes to the
    first; ``shelf``: takes the certificates.
    """
    found = list[RobustRow]()
    asked = list(product(map(Change, changes), {row.label: row for row in rows}.items()))
    searches = dict[tuple[Change, bool], CertifiedAround | str]()
    for done, (change, (label, row)) in enumerate(asked, start=1):
        on_progress(done, len(asked), f"changing the {change}")
        if not exact:
            found.append(RobustRow(label, None, NOT_EXACT, change))
            continue
        ratios = ratios_of(row.algorithm, ratio)
        answer = robustness(model, row.algorithm, ratios, row.algorithm.two_scales, change)
        if isinstance(answer, str):
            found.append(RobustRow(label, None, answer, change))
        else:
            found.append(RobustRow(label, answer, "", change))
            if (update := _update_of(model, row.algorithm, change)) is None:
                found[-1] = replace(found[-1], why_no_certificate=OF_A)
            else:
                key = change, update is Update.TD  # what holds for GTD holds for TDC
                if key not in searches:
                    searches[key] = _certified(model, update, answer)
                found[-1] = _with_certificate(found[-1], searches[key], shelf)
            found[-1] = _with_counter_certificates(found[-1], model, update, row, ratios, shelf)
    return tuple(found)


def _update_of(model: Model, algorithm: Algorithm, change: Change) -> Update | None:
    """The update whose verdict is that of A on all models around, None of another: TD without ratios is that of a fixed
    pair of policies alone.
    """
    own = OWN | ({TD: Update.TD} if model.is_on_policy and change in KEEPS_POLICIES else {})
    return own.get(algorithm.name) if is_shipped(algorithm, model) else None


def _certified(model: Model, update: Update, answer: Robustness) -> CertifiedAround | str:
    limit = Fraction(1) if answer.counter is None else answer.counter.distance
    return certified_around(KINDS[answer.change](model), update, answer.verdict, answer.within, limit)


def _with_certificate(row: RobustRow, around: CertifiedAround | str, shelf: Shelf) -> RobustRow:
    """The answer with a certificate on the shelf; one about a larger distance makes that the answer."""
    assert row.found is not None
    if isinstance(around, str):
        return replace(row, why_no_certificate=around)
    path = shelf.put(around.body, around.around)
    return replace(row, found=row.found.certified(around.within), certified=around.within, certificate=path)


def _with_counter_certificates(
    row: RobustRow, model: Model, update: Update | None, of: AlgorithmRow, ratios: Sequence[Fraction], shelf: Shelf
) -> RobustRow:
    """The answer with certificates about its counter-model, if any: that both models disagree, and are as near as it
    says; else that A is singular there, or of the update's own mean dynamics there.
    """
    assert row.found is not None
    counter = row.found.counter
    if counter is None:
        return row
    if update is not None:
        both = disagreement(KINDS[row.change](model), update, counter.model, counter.distance)
        if both is not None:
            return replace(row, counter_certificates=(shelf.put(both[1], both[0]),))
        if (body := singular_at(counter.model)) is not None:
            return replace(row, counter_certificates=(shelf.put(body, counter.model),))
    there = with_mean_dynamics(counter.model, of.algorithm, counter.states)
    apart = of.algorithm.two_scales
    made = time_scale_certificates(there) if apart else stability_certificates(there, ratios)
    return replace(row, counter_certificates=tuple(shelf.put(one, counter.model) for one in made))


def by_question(rows: Sequence[RobustRow]) -> dict[str, list[RobustRow]]:
    """The answers by what was asked, in their order."""
    found = dict[str, list[RobustRow]]()
    for row in rows:
        found.setdefault(row.question, []).append(row)
    return found
