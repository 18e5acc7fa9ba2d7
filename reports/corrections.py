"""What does not hold as printed, and how to mend it: gathered from the verdicts, nothing is known here of any claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from tdcert.claims.claim import Finding
from tdcert.reports import mathml
from tdcert.reports.labels import told
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import FailedRelation, Status

if TYPE_CHECKING:
    from tdcert.verification.verification import ClaimVerdict, Counterexample, HypothesisVerdict, ReadingVerdict

WRONG = (Finding.FALSE, Finding.IMPLICIT_HYPOTHESIS, Finding.MISPRINT)
"""The findings that call for a correction; one about an experiment does where its status is refuted."""

_DENIED = {"=": "≠", "!=": "=", "<": "≮", "<=": "≰"}
_SIDES = ("left", "right", "left value", "right value")


@dataclass(frozen=True)
class Worked:
    """A witness as a reader works it out: its model, equations, what is not an equation, and what follows."""

    name: str
    model: Model | None
    lines: tuple[Markup, ...]
    rest: Mapping[str, Any]
    why: str


def corrections(claims: Sequence[ClaimVerdict]) -> list[tuple[Finding, list[ClaimVerdict]]]:
    """The decided claims that are wrong as printed, by kind: what is false, what needs a hypothesis, misprints, and
    sentences about experiments.
    """
    found = [claim for claim in claims if _is_wrong(claim)]
    kinds = [(kind, [claim for claim in found if claim.finding is kind]) for kind in (*WRONG, Finding.EMPIRICAL)]
    return [(kind, items) for kind, items in kinds if items]


def _is_wrong(claim: ClaimVerdict) -> bool:
    if claim.stated is None or claim.stated.status is Status.UNDECIDED or not claim.entry.is_of_the_paper:
        return False
    refuted = claim.stated.status is Status.REFUTED
    return claim.finding in WRONG or (claim.finding is Finding.EMPIRICAL and refuted)


def unprinted(claim: ClaimVerdict) -> list[HypothesisVerdict]:
    """Hypotheses that the claim needs and the paper uses without printing them, which their source then says."""
    return [found for found in claim.hypotheses if found.counterexample and "implicit" in found.source]


def worked_out(part: ReadingVerdict | Counterexample) -> Worked:
    """A witness in a few lines. Of a relation that fails both sides are shown with their values, and the relation
    that they do have, which says what the sentence "left = right fails" says.
    """
    from tdcert.verification.verification import Counterexample

    why = part.description if isinstance(part, Counterexample) else part.why
    left = told(part.witness)
    name = left.pop("model", "")
    lines: list[Markup] = []
    if part.failed is not None and left.keys() >= set(_SIDES):  # else the claim tells its witness in its own words
        left = {key: value for key, value in left.items() if key not in _SIDES}
        lines = _sides(part.failed)
        if why.endswith(part.failed.sentence):
            why = why.removesuffix(part.failed.sentence).rstrip(" :;,")
            left_side, right_side = map(mathml.expression, (part.failed.left, part.failed.right))
            lines.append(mathml.formula(left_side, right_side, _DENIED[part.failed.sign]))
    for key in list(left):
        if mathml.is_symbol(key) and mathml.has_value(left[key]):
            lines.append(mathml.formula(mathml.content(mathml.symbol(key)), mathml.value(left[key])))
            del left[key]
    return Worked(str(name), part.model, tuple(lines), left, why)


def _sides(failed: FailedRelation) -> list[Markup]:
    """Both sides with their values; a number needs no second writing."""
    sides = ((failed.left, failed.left_value), (failed.right, failed.right_value))
    return [mathml.formula(mathml.expression(side), mathml.value(rows)) for side, rows in sides if rows != ((side,),)]
