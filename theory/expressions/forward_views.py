r"""Forward and backward view (§3) as expressions, and the bound up to which expectations are summed over paths.

With V = Φθ and the kernel as a policy sees it (the whole target kernel under π, its covered part under μ):

    E[(G_t − V(s_t))φ_t] = ΦᵀD(S r + MV − V),     E_μ[δ_t z_t] = Aθ + b = ΦᵀD S(r + NV − q∘V).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.notation import diagonal, entry_of, expected, its
from tdcert.theory.expressions.paths import few_paths, some_theta
from tdcert.theory.expressions.relations import (
    Context,
    Expression,
    Relation,
    decide_relations,
    evaluate,
    relation_certificate,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Status, Verdict

PATHS = 300
"""Expectations are summed over all paths up to this many of them; above it they are stated in matrix form alone."""

V_THETA: Expression = its.Phi @ its.theta
BELLMAN: Expression = its.S @ its.r + its.M @ its.Phi @ its.theta
"""T V = S r + M V at V = Φθ."""
FORWARD: Expression = its.Phi.T @ its.D @ (BELLMAN - V_THETA)
BACKWARD: Expression = its.A @ its.theta + its.b
EXPANDED: Expression = its.S @ (its.r + its.N @ its.Phi @ its.theta - diagonal(its.q) @ its.Phi @ its.theta)
"""S(r + NV − q∘V): the mean of the δ-expansion, from each state."""
MOVES: Expression = its.Phi.T @ its.D @ its.S @ diagonal(EXPANDED[2])
"""E[δ_t z_t; s_t = i], a column for each state i: ΦᵀDS diag(r + NV − q∘V). The columns sum to Aθ + b."""


def moved_by(state: int, feature: int) -> Expression:
    """One entry of E[w(s_t)δ_tz_t], w = 2 in the state and 1 elsewhere: the mean update with steps that follow it."""
    return entry_of(BACKWARD, feature) + entry_of(MOVES, feature, state)


def forward_mean(policy: str, length: int) -> Expression:
    """E[(G_t − V(s_t))φ_t] over paths from the law: ``"mu"``: the per-decision return, ``"pi"``: the plain one."""
    found = "Grho" if policy == "mu" else "G"
    return expected(policy, "d", length + 1, (found - its.v(0)) * its.phi(0))


def backward_mean(length: int) -> Expression:
    """E_μ[δ_t z_t] over paths from the law, t = L so that the window is full."""
    return expected("mu", "d", length + 1, its.delta(length) * its.z_rho(length))


def few(model: Model, states: Sequence[int], steps: int, policy: str = "mu") -> bool:
    """Whether all paths of that many steps from these states, under that policy, are at most :data:`PATHS`."""
    walked = model if policy == "mu" else replace(model, behaviour=model.target)
    return few_paths(walked, states, steps, PATHS)


def summable(model: Model, states: Sequence[int], more: int = 0, policies: Sequence[str] = ("mu",)) -> int | None:
    """L, if the schedule has an end and paths of L + 1 (+ ``more``) steps are few under each policy; else None."""
    length = model.schedule.length
    if length is None or not all(few(model, states, length + 1 + more, policy) for policy in policies):
        return None
    return length


def decide_across_kernels(model: Model, states: tuple[int, ...], expression: Expression, detail: str) -> Verdict:
    """Whether a column has one value for the covered and for the target kernel: two certificates with the numbers."""
    theta = some_theta(model.d)
    values: list[RationalMatrix] = []
    certificates: list[Certificate] = []
    for kernel in ("covered", "target"):
        context = Context(model, states, kernel, RationalMatrix.column(theta))
        value = evaluate(expression, context)
        entries = [row[0] for row in value.to_strings()]
        numbers: list[Relation] = [(entry_of(expression, i), "=", entry) for i, entry in enumerate(entries)]
        certificates.append(relation_certificate(context, numbers))
        values.append(value)
    if values[0] == values[1]:
        return Verdict(Status.HOLDS, Grade.CERTIFIED, detail, certificates=tuple(certificates))
    seen, meant = ([row[0] for row in value.to_strings()] for value in values)
    witness = {"under mu": seen, "under pi": meant}
    return Verdict(
        Status.REFUTED,
        Grade.CERTIFIED,
        "the mean under μ differs from the mean under π",
        witness,
        certificates=tuple(certificates),
    )


def refute_one_mean(model: Model, of: str) -> Verdict:
    """Several recurrent classes: f, the indicator of one state of the first, has a positive mean there and 0 elsewhere.

    ``of``: what f is a function of, in words.
    """
    first, second = model.behaviour_chain.recurrent_classes[:2]
    mean: Expression = entry_of(its.d, first[0])
    there = decide_relations(model, [("0", "<", mean)], states=first)
    elsewhere = decide_relations(model, [(mean, "=", "0")], states=second)
    assert there.status is Status.HOLDS and elsewhere.status is Status.HOLDS
    witness = {
        "f": f"1 where {of} is {first[0] + 1}, else 0",
        "mean on the first class": str(evaluate(mean, Context(model, first))[0, 0]),
        "mean on the second": "0",
    }
    certificates = (*there.certificates, *elsewhere.certificates)
    return Verdict(Status.REFUTED, Grade.CERTIFIED, "f has two means", witness, certificates=certificates)
