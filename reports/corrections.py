"""What the paper gets wrong, and how to mend it: gathered from the verdicts, nothing is known here of any claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tdcert.claims.paper import BEYOND
from tdcert.reports import expressions, mathml

Document = Mapping[str, Any]

WRONG = ("false", "implicit_hypothesis", "misprint")
"""The findings that call for a correction."""
EMPIRICAL = "empirical"
"""The finding about an experiment: it says nothing of right or wrong, the status does."""

_RELATIONS = {"=": "≠", "!=": "=", "<": "≮", "<=": "≰"}
_SIDES = ("left", "right", "left value", "right value")


@dataclass(frozen=True)
class Worked:
    """A witness as a reader works it out: the model's name, equations, what is no equation, and what follows."""

    name: str
    lines: tuple[Markup, ...]
    rest: Document
    why: str


@dataclass(frozen=True)
class Unprinted:
    """A hypothesis that is needed and stands nowhere in the paper, with the model that shows it.

    ``undefined``: what does not exist there; empty where the statement itself fails.
    """

    statement: str
    undefined: str
    worked: Worked
    model: Document | None
    certificates: tuple[str, ...]


@dataclass(frozen=True)
class Correction:
    """One statement that is wrong as printed."""

    claim: Document
    worked: Worked
    certificates: tuple[str, ...]
    unprinted: tuple[Unprinted, ...]


def corrections(document: Document) -> list[Correction]:
    """The decided claims that are wrong as printed, experiments among them, in the document's order."""
    return [
        Correction(
            claim=claim,
            worked=worked_out(claim["stated"].get("witness") or {}, claim["stated"].get("why") or ""),
            certificates=_certificates(claim["stated"]),
            unprinted=tuple(
                Unprinted(
                    statement=hypothesis.get("statement", hypothesis["id"]),
                    undefined=found.get("undefined") or "",
                    worked=worked_out(found.get("witness") or {}, found.get("description") or ""),
                    model=found.get("model"),
                    certificates=_certificates(hypothesis),
                )
                for hypothesis in claim.get("hypotheses", ())
                if (found := hypothesis.get("counterexample")) and is_implicit(hypothesis)
            ),
        )
        for claim in document["claims"]
        if _is_wrong(claim)
    ]


def by_finding(found: Sequence[Correction]) -> list[tuple[str, list[Correction]]]:
    """The corrections of each kind: what is false, what needs a hypothesis, misprints, and experiments."""
    kinds = [(kind, [item for item in found if item.claim["finding"] == kind]) for kind in (*WRONG, EMPIRICAL)]
    return [(kind, items) for kind, items in kinds if items]


def _is_wrong(claim: Document) -> bool:
    """Wrong as printed: refuted, and with such a finding, or a sentence about an experiment."""
    stated = claim.get("stated")
    if not stated or stated["status"] == "undecided" or claim["section"] == BEYOND:
        return False
    return claim["finding"] in WRONG or (claim["finding"] == EMPIRICAL and stated["status"] == "refuted")


def is_implicit(hypothesis: Document) -> bool:
    """Whether the paper uses the hypothesis without printing it, which its source then says."""
    return "implicit" in (hypothesis.get("source") or "")


def worked_out(witness: Document, why: str) -> Worked:
    """A witness in a few lines. Those of relations show both sides with their values."""
    left = dict(witness)
    name = left.pop("model", "")
    lines: list[Markup] = []
    if all(isinstance(left.get(side), str) for side in _SIDES):
        expression, other, found, other_found = (left.pop(side) for side in _SIDES)
        lines, why = _relation(expression, other, found, other_found, why)
    for key in list(left):
        shown = expressions.value(left[key])
        if shown is not None and mathml.is_symbol(key):
            lines.append(mathml.formula(mathml.content(mathml.symbol(key)), shown))
            del left[key]
    return Worked(str(name), tuple(lines), left, why)


def _relation(left: str, right: str, left_value: str, right_value: str, why: str) -> tuple[list[Markup], str]:
    """Both sides with their values; the sentence "left = right fails" becomes the relation that they do have."""
    lines = []
    for side, found in ((left, left_value), (right, right_value)):
        if side != found:  # a number needs no second writing
            lines.append(mathml.formula(_written(side), _value(found)))
    for sign, instead in _RELATIONS.items():
        sentence = f"{left} {sign} {right} fails"
        if why.endswith(sentence):
            lines.append(mathml.formula(_written(left), _written(right), instead))
            return lines, why.removesuffix(sentence).rstrip(" :;,")
    return lines, why


def _written(text: str) -> Markup:
    found = expressions.expression(text)
    return Markup("<mtext>{}</mtext>").format(text) if found is None else found


def _value(text: str) -> Markup:
    found = expressions.value(text)
    return _written(text) if found is None else found


def _certificates(part: Document) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for scope in part.get("scopes", ()) for path in scope.get("certificates", ())))
