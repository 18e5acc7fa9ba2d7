r"""For TDC(λ) in the mean coverage suffices: the behaviour need not take every action.

Model: any, under its schedule; each recurrent class on its own.
Check: A over the actions that the behaviour takes is A over all; AᵀC⁻¹A ≻ 0.
Closed form: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax).
Proof: a congruence of C⁻¹; under coverage both sums over actions are one.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import A_NONSINGULAR, COVERAGE, Model, Reply, Verdict, its, literal, solution, together
from tdcert.theory.identities.forms_and_norms import tdc_form_identity
from tdcert.theory.model.key_matrices import theorem_matrices


@kit.hypothesis("every_action", r"$\mu(a|s) > 0$ for every pair", "our own")
def EVERYWHERE(model: Model) -> Reply:
    return Reply(all(x > 0 for row in model.behaviour.rows for x in row), "whether every action is taken everywhere")


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    keys = theorem_matrices(model, states)
    if keys.A.rank < model.d:
        return kit.refuted_where_singular(keys, states, "target")
    sides = [(its.A, "=", literal(keys.A)), (its.b, "=", literal(keys.b))]
    met = kit.decide_relations(model, sides, states=states, kernel="covered")
    form = its.A.T @ solution(its.C, its.A)
    slow = kit.decide_definite(model, form, states, "AᵀC⁻¹A ≻ 0, A and b as updates meet them")
    return together((met, slow), slow.detail)


def avoided() -> Model:
    """One state; neither policy takes the second action."""
    return models.one_state_two_actions("an action that is avoided", ("taken", "avoided"), (1, 0), (1, 0), (1, 5))


CLAIM = kit.Claim(
    id="p31172_support",
    stated=kit.Reading(
        r"Under coverage, with $A$ nonsingular, the updates of TDC($\lambda$) have the mean of $A$ and $b$, and "
        r"$-A^\top C^{-1} A$ is negative definite."
    ),
    check=check,
    prove=kit.proof("xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax): symbolic A, C, x, d = 1, 2", tdc_form_identity, at=(1, 2)),
    variant=kit.FalseVariant(
        "It is so without coverage.",
        lambda: kit.Refutation(check(models.uncovered_rewards()), models.uncovered_rewards()),
    ),
    ablations=(
        kit.Ablation(COVERAGE.at("our own"), box=models.UNCOVERED),
        kit.Ablation(A_NONSINGULAR.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(EVERYWHERE, supports=lambda: [avoided()]),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, A_NONSINGULAR)),
    ),
)
