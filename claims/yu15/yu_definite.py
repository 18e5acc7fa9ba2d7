r"""Proposition C.1: C is negative definite if it is nonsingular.

Where: Assumption 2.1 holds.
Model: any, with λ(s) and the interest r(s)² in each state; each recurrent class on its own.
Check: −C − Cᵀ = L diag(D) Lᵀ with D > 0.
Closed form: −2xᵀCx = vᵀGv ≥ |M̄(I − Q)v|²/max m for v = Φx, and Cx = −Φᵀ M̄(I − Q)v: so xᵀCx = 0 gives Cx = 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from tdcert.claims import kit
from tdcert.claims.emphasis import ON_MODELS, OUTSIDE, C, form_identity, lagrange_identity
from tdcert.claims.kit import COVERAGE, HALF, LAMBDAS, Context, Model, Reply, diagonal, evaluate, its
from tdcert.claims.models import ON_POLICY_BOX, reducible_models, uncovered_models
from tdcert.claims.yu15.yu_semidefinite import sign_of


@kit.hypothesis("C_nonsingular", "$C$ exists and is nonsingular", "Assumptions 2.1(i) and 2.2")
def NONSINGULAR(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        try:
            value = evaluate(C(model), Context(model, states))
        except kit.SingularMatrixError:
            return Reply(False, "C does not exist")
        if value.rank < model.d:
            return Reply(False, f"C has rank {value.rank} of {model.d}")
    return Reply(True, "C is nonsingular on every recurrent class")


def turned_by_a_right_angle() -> kit.Refutation:
    """diag(φ)P = [[0, 1], [−1, 0]] on two states that alternate, φ = (1, −1): nonsingular, and xᵀCx = 0 for every x."""
    model = kit.flip_chain(HALF, features=((1,), (-1,)))
    expression, states = diagonal(its.Phi) @ its.P_mu, model.behaviour_chain.recurrent_classes[0]
    return kit.Refutation(kit.decide_definite(model, -expression, states, "[[0, 1], [−1, 0]]"), model)


def kept(models: Callable[[], Sequence[Model]]) -> Callable[[], Sequence[Model]]:
    """The models with all states of interest one, on which C is nonsingular."""

    def with_interest(model: Model) -> Model:
        return replace(model, rewards=(kit.RationalMatrix.column([1] * model.n),) * len(model.actions))

    return lambda: [model for model in map(with_interest, models()) if NONSINGULAR.ask(model).satisfied]


CLAIM = kit.Claim(
    id="yu_definite",
    stated=kit.Reading(
        r"If $C$ is nonsingular, then $C$ is negative definite.",
        quote="Let Assumption 2.1 hold. Then, $C$ is negative definite if $C$ is nonsingular",
        place="App. C, Proposition C.1",
    ),
    anchors=("Proposition C.1",),
    check=lambda model: sign_of(-C(model), model, "−C − Cᵀ is positive definite", strict=True),
    prove=lambda: kit.proved(
        "vᵀGv in squares (yu_semidefinite), n = 1 … 5, and (Σa_i)(Σa_ix_i²) − (Σa_ix_i)² = Σ a_ia_j(x_i − x_j)², up "
        "to five terms: so |M̄(I − Q)v|² ≤ max m · vᵀGv, and xᵀCx = 0 only where Cx = 0",
        kit.shown(form_identity, at=range(1, 6)),
        kit.shown(lagrange_identity, at=range(2, 6)),
    ),
    variant=kit.FalseVariant(
        "It holds of every matrix that is negative semidefinite and nonsingular.", turned_by_a_right_angle
    ),
    ablations=(
        kit.Ablation(NONSINGULAR, box=ON_POLICY_BOX),
        kit.Ablation(LAMBDAS.at("§2.2"), box=OUTSIDE),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=kept(reducible_models)),
        kit.Ablation(COVERAGE.at("Assumption 2.1(ii)"), supports=kept(uncovered_models)),
    ),
    notes=(
        ON_MODELS,
        "The last sentence of the printed proof goes from negative semidefinite and nonsingular to negative definite; "
        "for a matrix that is not symmetric this needs a reason (the variant). There is one: where xᵀCx = 0, "
        "M̄(I − Q)Φx = 0, so that Cx = 0. The paper's own Lemma C.1 and (C.10) give it too.",
    ),
    rests_on=("yu_semidefinite",),
)
