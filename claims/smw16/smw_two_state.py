r"""Two states where off-policy TD is unstable and emphatic TD is stable.

Note: it is remembered at γ = 9/10.
Model: θ→2θ with any γ.
Check: minus the means of the shipped algorithms, from the transitions that updates see.
Closed form: m = (½, (1 + γ)/(2(1 − γ))), and Σ m_sφ_s(φ_s − 2γ); with d for m that of TD.
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Verdict, decide_hurwitz, free, its, literal, theta_to_two_theta
from tdcert.claims.means import decide_mean, seen

TD, ETD = named("off_policy_td"), named("etd")


def key_identity() -> bool:
    """½(1 − 2γ) + m(4 − 4γ) is (5 − 6γ)/2 for m = ½, and 5/2 + γ for m = ½(1 + γ)/(1 − γ) = ½ + γ(½ + m), free γ."""
    _, gamma = free(g=())
    m = HALF * (1 + gamma) / (1 - gamma)
    first = HALF * (1 - 2 * gamma)
    same = m == HALF + gamma * (HALF + m)
    return bool(
        same and first + 2 - 2 * gamma == (5 - 6 * gamma) / 2 and first + m * (4 - 4 * gamma) == HALF * 5 + gamma
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    keys = ((TD, 5 * HALF - 3 * its.gamma), (ETD, 5 * HALF + its.gamma))
    found = (decide_mean(model, -seen(model, one, states), key, states, one.name) for one, key in keys)
    return kit.together(found, "the key matrices of TD and emphatic TD")


def without_emphasis() -> kit.Refutation:
    """TD(0) at γ = 9/10."""
    model = theta_to_two_theta(Fraction(9, 10))
    return kit.Refutation(decide_hurwitz(model, literal(seen(model, TD, (0, 1))), (0, 1), "TD's mean matrix"), model)


CLAIM = kit.Claim(
    id="smw_two_state",
    stated=kit.Reading(
        r"On $\theta \to 2\theta$ the key matrix of off-policy TD(0) is $(5 - 6\gamma)/2$, $-0.2$ at $\gamma = 0.9$, "
        r"and that of emphatic TD(0) is $5/2 + \gamma$, $3.4$ there."
    ),
    check=check,
    prove=kit.proof("(5 − 6γ)/2 with the law (½, ½), 5/2 + γ with m = d + γPᵀm: symbolic γ", key_identity),
    instances=lambda: (theta_to_two_theta(HALF),),
    variant=kit.FalseVariant("Off-policy TD(0) is stable there at γ = 9/10.", without_emphasis),
    ablations=(
        kit.Ablation(models.THETA_TO_TWO_THETA, counterexample=lambda: kit.flip_chain(HALF, features=((1,), (2,)))),
    ),
)
