"""What a claim file is written with: the claim and its parts, the rows of its proof, and the words of its check.

A claim imports this module, and by name what it uses often. What is reached through it: verdicts (``claims/verdicts``),
decisions about matrices (``claims/definite``), printed bounds (``claims/bounds``), notation and relations
(``theory/expressions``), symbols, hypotheses, and the named models; boxes and families of models are in
``claims/models``.

A proof is one row or several, added up, each a sentence with the cases in which its identities were evaluated:

    return proved("xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) at d = 1, 2, 3", shown(tdc_form_identity, at=(1, 2, 3)))
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tdcert.claims.bounds import (
    BITS,
    ONE_FEATURE,
    Bounds,
    Evaluated,
    LinearTD,
    ball,
    decide_bounds,
    decided,
    fast_chain,
    precision,
    slow_chain,
    where,
)
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
from tdcert.claims.definite import (
    blocks,
    decide_definite,
    decide_hurwitz,
    identity,
    literal,
    norm_bound,
    regular,
    singular,
)
from tdcert.claims.verdicts import States, each_class, holds, on_each_class, refuted, refuted_where_singular, undecided
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import is_positive_definite, largest_eigenvalue
from tdcert.theory.check.hypotheses import (
    A_NONSINGULAR,
    APERIODIC,
    C_POSITIVE,
    CONSTANT_DISCOUNT,
    COVERAGE,
    DISCOUNTED,
    EPISODES_END,
    FULL_COLUMN_RANK,
    IRREDUCIBLE,
    LAMBDAS,
    ON_POLICY,
    UNIQUE_LAW,
    Hypothesis,
    Reply,
    hypothesis,
)
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.expressions.notation import (
    Expr,
    Name,
    along,
    determinant,
    diagonal,
    entry_of,
    expected,
    its,
    part,
    solution,
    sum_of,
    table,
)
from tdcert.theory.expressions.paths import decide_along, moves_from, some_paths, some_theta, together, total
from tdcert.theory.expressions.relations import Context, Expression, Path, Relation, decide_relations, evaluate
from tdcert.theory.identities.symbols import free, stationary_law
from tdcert.theory.model.gallery import (
    HALF,
    absorbing_pair,
    fair_coin_chain,
    flip_chain,
    one_state,
    random_walk_5,
    theta_to_two_theta,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

Proof = tuple[ScopedEvidence, ...]
"""What ``prove`` returns: the rows of :func:`proved` and :func:`proved_for_all`, added up."""


def shown(*identities: Callable[..., bool], at: Collection[Any] = ((),)) -> int:
    """Evaluate each identity in each case; returns how often.

    ``at``: the cases, each one argument or a tuple of them; by default one case without arguments. Raises
    :class:`ProofError`, which names the identity and the case, where one does not hold.
    """
    for each in identities:
        for case in at:
            given = case if isinstance(case, tuple) else (case,)
            if not each(*given):
                raise ProofError(f"{each.__name__}({', '.join(map(str, given))}) does not hold")
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


def proof(sentence: str, *identities: Callable[..., bool], at: Collection[Any] = ((),)) -> Callable[[], Proof]:
    """What ``prove`` is where it has one short row: :func:`proved` by identities, :func:`shown` in these cases."""
    return lambda: proved(sentence, shown(*identities, at=at))


def proof_for_all(sentence: str, *identities: Callable[..., bool]) -> Callable[[], Proof]:
    """What ``prove`` is where it has one short row at every size: :func:`proved_for_all`, by these identities."""
    return lambda: proved_for_all(sentence, shown(*identities))


def in_words(verdict: Verdict, detail: str, left: str, right: str, **given: Any) -> Verdict:
    """A verdict on relations; where one is refuted, in words: what was given, and both values under their own names."""
    if verdict.status is not Status.REFUTED:
        return verdict
    values = {left: verdict.witness["left value"], right: verdict.witness["right value"]}
    return replace(verdict, detail=detail, witness={**given, **values})


def on(model: Model, check: Callable[..., Verdict], *given: Any, **options: Any) -> Refutation:
    """What a check says of a model, with what else it is given: it is to refute."""
    return Refutation(check(model, *given, **options), model)


def explained(verdict: Verdict, model: Model, detail: str, left: str, right: str, **given: Any) -> Refutation:
    """The refutation of one relation :func:`in_words`."""
    return Refutation(in_words(verdict, detail, left, right, **given), model)


__all__ = ["Ablation", "Claim", "Fact", "FalseVariant", "Finding", "NumericConstant", "Proof", "ProofError"]
__all__ += [
    "Reading",
    "Refutation",
    "Simulated",
    "explained",
    "in_words",
    "on",
    "proof",
    "proof_for_all",
    "proved",
    "proved_for_all",
]
__all__ += ["require", "shown"]
__all__ += ["APERIODIC", "A_NONSINGULAR", "BITS", "CONSTANT_DISCOUNT", "COVERAGE", "C_POSITIVE", "DISCOUNTED"]
__all__ += ["EPISODES_END", "FULL_COLUMN_RANK", "HALF", "IRREDUCIBLE", "LAMBDAS", "ONE_FEATURE", "ON_POLICY"]
__all__ += ["UNIQUE_LAW", "Bounds"]
__all__ += ["Certificate", "Context", "Evaluated", "Expr", "Expression", "Fraction", "Grade", "Hypothesis"]
__all__ += ["InputError", "LinearTD", "Model", "Name", "Path", "RationalMatrix", "Relation", "Reply", "Schedule"]
__all__ += ["Scope", "ScopedEvidence", "SingularMatrixError", "States", "Status", "Verdict", "absorbing_pair", "along"]
__all__ += ["ball", "blocks", "decide_along", "decide_bounds", "decide_definite", "decide_hurwitz", "decide_relations"]
__all__ += ["decided", "determinant", "diagonal", "each_class", "entry_of", "evaluate", "expected", "fair_coin_chain"]
__all__ += ["fast_chain", "flip_chain", "free", "holds", "hypothesis", "identity", "is_positive_definite", "its"]
__all__ += ["largest_discount", "largest_eigenvalue", "literal", "moves_from", "norm_bound", "on_each_class"]
__all__ += ["one_state", "part", "precision", "random_walk_5", "refuted", "refuted_where_singular", "regular"]
__all__ += ["singular", "slow_chain", "solution", "some_paths", "some_theta", "stationary_law", "sum_of", "table"]
__all__ += ["theta_to_two_theta", "together", "total", "undecided", "where"]
