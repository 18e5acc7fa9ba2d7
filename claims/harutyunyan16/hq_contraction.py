r"""A sweep multiplies errors by at most γ(1 − λ + λε)/(1 − λγ) in the maximum norm.

Model: any, with its λ farthest from zero.
Check: every row of R, with the signs of its entries.
Closed form: ‖(I − λγP_μ)⁻¹‖ = 1/(1 − λγ), and P_π − λP_μ = (1 − λ)P_π + λ(P_π − P_μ).
Proof: the triangle inequality; (I − λγP_μ)⁻¹ has no negative entry and the row sums 1/(1 − λγ).
"""

from tdcert.claims import kit, models
from tdcert.claims.harutyunyan16.sweep import DISCOUNTED, contracts, distance, split_identity, stay_and_swap
from tdcert.claims.kit import LAMBDAS, Fraction


def one_percent_less() -> kit.Refutation:
    """Stay and swap at λ = 1/18: R = [[0.9 …]] has rows whose sum is the bound; ε = 198/100 is too small."""
    model = stay_and_swap()
    return kit.Refutation(contracts(model, Fraction(1, 18), Fraction(99, 100) * distance(model), least=False), model)


CLAIM = kit.Claim(
    id="hq_contraction",
    stated=kit.Reading(
        r"For $\gamma < 1$, $\lambda \in [0, 1]$ and $\epsilon = \|P_\pi - P_\mu\|_\infty$, "
        r"$\|(I - \lambda\gamma P_\mu)^{-1}\gamma(P_\pi - \lambda P_\mu)\|_\infty \le "
        r"\gamma(1 - \lambda + \lambda\epsilon)/(1 - \lambda\gamma)$."
    ),
    check=lambda model: contracts(model, models.lambda_of(model), distance(model), least=False),
    prove=kit.proof("both identities: symbolic P_π, P_μ, λ, γ, n = 1 … 4", split_identity, at=range(1, 5)),
    instances=lambda: (stay_and_swap(),),
    variant=kit.FalseVariant("It holds with one percent less than ε.", one_percent_less),
    constants=(kit.NumericConstant("the bound, at ε = 2 and λ = 1/18", one_percent_less),),
    ablations=(
        kit.Ablation(DISCOUNTED, box=models.UNDISCOUNTED_TWO_STEPS),
        kit.Ablation(LAMBDAS.at("our own"), box=models.SIGNED_LAMBDAS_2),
    ),
)
