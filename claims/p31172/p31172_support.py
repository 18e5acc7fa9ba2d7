r"""For TDC(λ) in the mean coverage suffices: the behaviour need not take every action.

Place: our own; the paper was not read.
Statement: under coverage with A nonsingular, updates meet A itself, and −AᵀC⁻¹A is negative definite.
Hypotheses: coverage; A nonsingular. Not needed: every action is taken everywhere; an irreducible chain.
Model: any, under its schedule; each recurrent class on its own.
Check: A over the actions that the behaviour takes is A over all; AᵀC⁻¹A ≻ 0.
Closed form: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax).
"""

from __future__ import annotations

from tdcert.claims.definite import decide_definite, literal
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, proved, shown
from tdcert.claims.models import (
    TWO_CLASSES,
    UNCOVERED,
    meeting,
    one_state_two_actions,
    reducible_models,
    uncovered_rewards,
)
from tdcert.claims.verdicts import Verdict, on_each_class, refuted_where_singular
from tdcert.theory.check.hypotheses import A_NONSINGULAR, COVERAGE, IRREDUCIBLE, Hypothesis, Reply
from tdcert.theory.expressions.notation import its, solution
from tdcert.theory.expressions.paths import together
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.identities.forms_and_norms import tdc_form_identity
from tdcert.theory.model.key_matrices import theorem_matrices


def _everywhere(model: Model) -> Reply:
    return Reply(all(x > 0 for row in model.behaviour.rows for x in row), "whether every action is taken everywhere")


EVERYWHERE = Hypothesis("every_action", r"$\mu(a|s) > 0$ for every pair", "our own", _everywhere)


def prove() -> Proof:
    """A congruence of C⁻¹; under coverage both sums over actions are one."""
    return proved("xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax): symbolic A, C, x, d = 1, 2", shown(tdc_form_identity, at=(1, 2)))


def check(model: Model) -> Verdict:
    """On every recurrent class."""

    def decide(states: tuple[int, ...]) -> Verdict:
        keys = theorem_matrices(model, states)
        if keys.A.rank < model.d:
            return refuted_where_singular(keys, states, "target")
        sides = [(its.A, "=", literal(keys.A)), (its.b, "=", literal(keys.b))]
        met = decide_relations(model, sides, states=states, kernel="covered")
        form = its.A.T @ solution(its.C, its.A)
        slow = decide_definite(model, form, states, "AᵀC⁻¹A ≻ 0, A and b as updates meet them")
        return together((met, slow), slow.detail)

    return on_each_class(decide, model)


def avoided() -> Model:
    """One state; neither policy takes the second action."""
    return one_state_two_actions("an action that is avoided", ("taken", "avoided"), (1, 0), (1, 0), (1, 5))


CLAIM = Claim(
    id="p31172_support",
    stated=Reading(
        r"Under coverage, with $A$ nonsingular, the updates of TDC($\lambda$) have the mean of $A$ and $b$, and "
        r"$-A^\top C^{-1} A$ is negative definite."
    ),
    check=check,
    prove=prove,
    variant=FalseVariant(
        "It is so without coverage.", lambda: Refutation(check(uncovered_rewards()), uncovered_rewards())
    ),
    ablations=(
        Ablation(COVERAGE.at("our own"), box=UNCOVERED),
        Ablation(A_NONSINGULAR.at("our own"), box=TWO_CLASSES),
        Ablation(EVERYWHERE, supports=lambda: [avoided()]),
        Ablation(
            IRREDUCIBLE.at("our own"),
            supports=meeting(reducible_models, A_NONSINGULAR),
        ),
    ),
)
