r"""TDRC on two time scales is stable at every β > 0 at which βH + AAᵀ is positive definite.

Hypotheses: A of TD(0) is nonsingular. Not needed: coverage, an irreducible chain, C ≻ 0.
Model: any, its schedule apart; each recurrent class on its own, at the largest β = 4, 1, 1/4, … of that kind.
Check: βH + AAᵀ ≻ 0, and a Lyapunov matrix of the slow matrix.
Closed form: with K = (C + β)⁻¹ and X = AᵀKA, XS + SᵀX = −2AᵀK(βH + AAᵀ)KA for the slow matrix S.
Proof: Lyapunov's theorem with X = AᵀKA; at β near zero AAᵀ ≻ 0 outweighs βH.
"""

from itertools import count

from tdcert.claims import kit, models
from tdcert.claims.ghiassian20.tdrc import NONSINGULAR, A, slow, squares
from tdcert.claims.kit import COVERAGE, Fraction, Model, Status, Verdict, decide_hurwitz, free, singular, together


def lyapunov_identity(d: int) -> bool:
    """The closed form with a free A and a free symmetric K."""
    _, A, K, beta = free(a=(d, d), k=("symmetric", d), b=())
    unit = A.identity(d).scaled(beta)
    change = (A.T @ K @ A) @ ((unit + A.T) @ K @ A)
    right = A.T @ K @ ((A + A.T).scaled(beta) + (A @ A.T).scaled(2)) @ K @ A
    return bool((change + change.T - right).is_zero())


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    if (flat := singular(model, states, A, "Ax = 0: the slow matrix is singular at every β")) is not None:
        return flat
    for beta in (Fraction(4) ** -k for k in count(-1)):
        definite = kit.decide_definite(model, squares(model, beta), states, "βH + AAᵀ ≻ 0")
        if definite.status is Status.HOLDS:
            break
    stable = decide_hurwitz(model, slow(model, beta), states, f"the slow matrix is Hurwitz at β = {beta}")
    return together((definite, stable), stable.detail, {"β": str(beta)})


def beyond_the_form() -> kit.Refutation:
    """θ→2θ, γ = 9/10, β = 1: A = −1/5, and the slow matrix is 8/175."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    return kit.Refutation(decide_hurwitz(model, slow(model, Fraction(1)), (0, 1), "Hurwitz at β = 1"), model)


CLAIM = kit.Claim(
    id="tdrc_two_scale",
    stated=kit.Reading(
        r"Let $A = \Phi^\top D(I - N)\Phi$ be nonsingular and $H$ its symmetric part. Some $\beta > 0$ have "
        r"$\beta H + AA^\top \succ 0$, and at each of them the slow matrix "
        r"$-(\beta I + A^\top)(C + \beta I)^{-1}A$ of TDRC is Hurwitz."
    ),
    check=check,
    prove=kit.proof(
        "XS + SᵀX = −2AᵀK(βH + AAᵀ)KA with X = AᵀKA ≻ 0: symbolic A, K, β, d = 1 … 3", lyapunov_identity, at=(1, 2, 3)
    ),
    variant=kit.FalseVariant("It is Hurwitz at every β > 0.", beyond_the_form),
    ablations=(
        kit.Ablation(NONSINGULAR, box=models.TWO_CLASSES),
        kit.Ablation(COVERAGE.at("our own"), supports=models.uncovered_models),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, NONSINGULAR)),
    ),
    notes=("βH + AAᵀ ≻ 0 says that β is below every −μ, μ the negative eigenvalues of H⁻¹AAᵀ where H is nonsingular.",),
)
