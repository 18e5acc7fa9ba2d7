r"""The return of §2 as a mixture over episode lengths, in the relation language, along one path.

Given the discounts of a path, an episode is longer than i steps with probability Γ_0…Γ_{i−1}. Row i of Λ weighs the
returns of an episode of i steps. The rows of a schedule of length L agree from row L + 1 on, but for the step from a
flat to a bootstrapped return; so L + 2 rows are enough, and the last one carries the mass of all longer episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tdcert.theory.expressions.notation import Expr, entry_of, its
from tdcert.theory.expressions.paths import decide_along, some_paths
from tdcert.theory.expressions.relations import Expression, Relation, decide_relations
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Status, Verdict

ROWS = 8
"""Rows of Λ that are used of a longer schedule; its further rows begin with the same entries."""


def rows_used(model: Model) -> int:
    """L + 2, and at most ROWS."""
    length = model.schedule.length
    return ROWS if length is None else min(ROWS, length + 2)


def episodes_end(model: Model) -> list[Relation]:
    """The lengths have total mass one: γ < 1, or a discount below one within n steps of every state."""
    if model.gamma is not None:
        return [(its.gamma, "<", "1")]
    return [(Expr(("@", *["N"] * model.n, its.ones)), "<", its.ones)]


def decide_without_lengths(
    model: Model, amounts: Sequence[Expression], stated: Expression, what: str, theta: Sequence[int] | None = None
) -> Verdict:
    """γ = 1: length i has mass (1 − γ)γ^{i−1} = 0 for every i, so the mixture of any amounts is 0; against ``stated``.

    ``refuted`` where the stated value is another one. The certificates hold the sum over the first lengths and γ = 1,
    by which all longer ones add nothing.
    """
    mass = decide_relations(model, [(its.gamma, "=", "1")])
    mixture = over_lengths([*amounts, "0"])
    verdict = decide_along(model, some_paths(model, len(amounts), 1), [(mixture, "=", stated)], theta=theta)
    if verdict.status is not Status.REFUTED or mass.status is not Status.HOLDS:
        return Verdict(Status.UNDECIDED, detail=f"without a discount {what} is 0, and is stated to be 0 on this model")
    witness = {f"{what}, over all lengths": verdict.witness["left value"], "stated": verdict.witness["right value"]}
    detail = f"every episode length has mass (1 − γ)γ^(i−1) = 0, so {what} is 0"
    return replace(verdict, detail=detail, witness=witness, certificates=(*verdict.certificates, *mass.certificates))


def decide_without_sum(model: Model, undefined: str) -> Verdict:
    """λ = 1 without end, dᵀN = dᵀ, dᵀr ≠ 0: every term of Σ_k γᵏc_kPᵏr has the mean dᵀr, so the series has no sum."""
    mean: Expression = its.d.T @ its.r
    kept: Relation = (its.N.T @ its.d, "=", its.d)
    found = decide_relations(model, [("lambda:1", "=", "1"), kept, (mean, "!=", "0")])
    if found.status is not Status.HOLDS:
        return Verdict(Status.UNDECIDED, detail="the series of the return may have no sum, and this was not shown")
    law = model.behaviour_chain.stationary_law(model.behaviour_chain.recurrent_classes[0])
    value = str((law.T @ model.target_kernel.r)[0, 0])
    witness = {"λ_j, for every j": "1", "dᵀγᵏc_kPᵏr, for every k": value}
    detail = f"every term γᵏ c_k Pᵏ r has the mean {value} under d: {undefined} does not exist"
    return Verdict(
        Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=found.certificates, undefined=undefined
    )


def over_lengths(amounts: Sequence[Expression], first: int = 1) -> Expression:
    """Σ_i (mass of length i) x_i, i = first, first + 1, …, without the factor Γ_0…Γ_{first−2}; the last x goes on."""
    value = amounts[-1]
    for i in reversed(range(first, first + len(amounts) - 1)):
        discount = its.discount(i - 1)
        value = (1 - discount) * amounts[i - first] + discount * value
    return value


def entry(size: int, i: int, j: int) -> Expression:
    """Λ_ij, counted from 1, of the model's schedule."""
    return entry_of(its.Lambda(size), i - 1, j - 1)


def share(size: int, i: int, k: int) -> Expression:
    """Σ_{j≥k} Λ_ij: the sum of row i less its first k − 1 entries."""
    row: Expression = entry_of(its.Lambda(size) @ its.at("ones", size), i - 1)
    for j in range(1, k):
        row = row - entry(size, i, j)
    return row
