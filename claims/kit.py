"""What a claim file is written with: the claim, its parts, and the rows of its proof.

A proof is one row or several, added up, each a sentence with the cases in which its identities were evaluated:

    return proved("xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) at d = 1, 2, 3", shown(tdc_form_identity, at=(1, 2, 3)))
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from tdcert.claims.claim import (
    Ablation,
    Claim,
    Fact,
    FalseVariant,
    Finding,
    NumericConstant,
    ProofError,
    Reading,
    Refutation,
    Simulated,
)
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Expression, Relation, decide_relations
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

Proof = tuple[ScopedEvidence, ...]
"""What ``prove`` returns: the rows of :func:`proved` and :func:`proved_for_all`, added up."""


def shown(*identities: Callable[..., bool], at: Collection[Any] = ((),)) -> int:
    """Evaluate each identity in each case; returns how often.

    ``at``: the cases, each one argument or a tuple of them; by default one case without arguments. Raises
    :class:`ProofError`, which names the identity and the case, where one does not hold.
    """
    for identity in identities:
        for case in at:
            given = case if isinstance(case, tuple) else (case,)
            if not identity(*given):
                raise ProofError(f"{identity.__name__}({', '.join(map(str, given))}) does not hold")
    return len(identities) * len(at)


def require(condition: bool, otherwise: str) -> None:
    """Raise :class:`ProofError` with the sentence ``otherwise`` where the condition does not hold."""
    if not condition:
        raise ProofError(otherwise)


def proved(sentence: str, *counts: int) -> Proof:
    """A row of a proof at stated sizes: what is proved, and in how many cases (:func:`shown`), added up."""
    return (ScopedEvidence(Scope.SIZES, Grade.PROVED, sum(counts), sentence),)


def proved_for_all(sentence: str, *counts: int) -> Proof:
    """A row of a proof at every size: what is proved, and how many identities without a size it uses."""
    return (ScopedEvidence(Scope.ALL_SIZES, Grade.PROVED, sum(counts), sentence),)


def in_words(verdict: Verdict, detail: str, left: str, right: str, **given: Any) -> Verdict:
    """A verdict on relations; where one is refuted, in words: what was given, and both values under their own names."""
    if verdict.status is not Status.REFUTED:
        return verdict
    values = {left: verdict.witness["left value"], right: verdict.witness["right value"]}
    return replace(verdict, detail=detail, witness={**given, **values})


def explained(verdict: Verdict, model: Model, detail: str, left: str, right: str, **given: Any) -> Refutation:
    """The refutation of one relation :func:`in_words`."""
    return Refutation(in_words(verdict, detail, left, right, **given), model)


__all__ = [
    "Ablation",
    "Certificate",
    "Claim",
    "Expression",
    "Fact",
    "FalseVariant",
    "Finding",
    "Grade",
    "Model",
    "NumericConstant",
    "Proof",
    "ProofError",
    "Reading",
    "Refutation",
    "Relation",
    "Simulated",
    "Status",
    "Verdict",
    "decide_relations",
    "explained",
    "in_words",
    "its",
    "proved",
    "proved_for_all",
    "require",
    "shown",
]
