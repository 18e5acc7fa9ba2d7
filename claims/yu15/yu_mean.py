r"""The mean matrix of ETD(λ).

Where: the mean matrix is E[e_t ρ_t (γ_{t+1}φ_{t+1} − φ_t)ᵀ] in the stationary regime.
Model: any, with λ(s) and the interest 1 + r(s)² in each state; each recurrent class on its own.
Check: the mean of the shipped ETD(λ), from the transitions that updates see, against C, entry by entry.
Closed form: E[F 1{s}] = ((I − Nᵀ)⁻¹d)_s, E[M 1{s}] = λd + (1 − λ)E[F 1{s}], E[e 1{s}] = (I − λNᵀ)⁻¹ diag(E M) Φ.
"""

from dataclasses import replace
from typing import Any

from tdcert.algorithms import named
from tdcert.claims import emphasis as yu
from tdcert.claims import kit, models
from tdcert.claims.kit import Context, Fraction, Model, RationalMatrix, States, Verdict, its, theta_to_two_theta
from tdcert.claims.means import decide_mean, seen
from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory={"z": "d", "follow_on": 1}, steps=("alpha",))
def etd_by_states(t: Any, theta: Any, z: Any, follow_on: Any, alpha: Any, *, lambdas: Any = ()) -> Any:
    """The shipped ETD(λ), with λ of the state."""
    return named("etd")(t, theta, z, follow_on, alpha, lam=lambdas[t.state])


@kit.each_class
def against(model: Model, states: States, weights: kit.Expression) -> Verdict:
    """What updates see, against the matrix of the target policy with these weights."""
    wanted = yu.mean_matrix(yu.lam_of(model), weights)
    try:
        kit.evaluate(wanted, Context(model, states))
    except kit.SingularMatrixError:
        return yu.without_discount(states, model, "F grows without a mean", "E F")
    J = mean(model, states)
    return decide_mean(model, J, wanted, states, "E[eρ(γφ' − φ)ᵀ] = C")


def mean(model: Model, states: States) -> RationalMatrix:
    """E[eρ(γφ' − φ)ᵀ], from the transitions that updates see."""
    interest = [1 + r * r for r in model.target_kernel.r.column_entries()]
    return seen(model, etd_by_states.with_options(lambdas=yu.lambdas_of(model)), states, interest=interest)


def never_to_the_second() -> Model:
    """θ→2θ with a behaviour policy that never takes the target's action."""
    return replace(theta_to_two_theta(Fraction(9, 10)), behaviour=RationalMatrix([[1, 0], [1, 0]]), name="never to 2")


def with_the_law_as_weights() -> kit.Refutation:
    """θ→2θ, γ = 9/10, λ = ½, without rewards: weights of off-policy TD(λ)."""
    model = theta_to_two_theta(Fraction(9, 10))
    sides, detail = ("−ΦᵀD(I − P^λ)Φ", "E[eρ(γφ' − φ)ᵀ]"), "θ→2θ, γ = 9/10, λ = ½"
    return kit.explained(against(model, its.d), model, detail, *sides)


CLAIM = kit.Claim(
    id="yu_mean",
    stated=kit.Reading(
        r"The mean matrix of ETD($\lambda$) is $C = -\Phi^\top \bar M (I - P^\lambda_{\pi,\gamma}) \Phi$ with "
        r"$\mathrm{diag}(\bar M) = d_{\pi^o,i}^\top (I - P^\lambda_{\pi,\gamma})^{-1}$.",
        quote=r"$C = -\Phi^\top \bar M (I - P^\lambda_{\pi,\gamma}) \Phi$",
        place="§2.2, (2.9)",
    ),
    anchors=("(2.8)", "(2.9)"),
    check=lambda model: against(model, yu.emphasis(yu.lam_of(model), its.d + yu.OF_INTEREST)),
    prove=lambda: kit.proved(
        "E[eρ(γφ' − φ)ᵀ] = −Φᵀ diag(E M)(I − P^λ)Φ and E M = (I − (P^λ)ᵀ)⁻¹d: symbolic P_πΓ, λ(s), d(s)i(s), features, "
        "n = 1, 2",
        kit.shown(yu.trace_identity, yu.weights_identity, at=(1, 2)),
    ),
    variant=kit.FalseVariant("It is that with the law d in the place of M̄'s diagonal.", with_the_law_as_weights),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.COVERAGE.at("Assumption 2.1(ii)"), counterexample=never_to_the_second),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=models.reducible_models),
    ),
    notes=("(2.9) defines C; that it is this mean is (A.9), from which Theorem 2.1 follows.",),
)
