r"""Without the emphasis C need not be negative definite, unless λ is near 1.

Where: the weights are d or d∘i in the place of M̄.
Hypotheses: of the second part: (C.4) holds, so that Φᵀdiag(d∘i)Φ ≻ 0; (I − P_πΓ)⁻¹ exists.
Model: any, with the interest r(s)² in each state; each recurrent class on its own.
Check: Φᵀdiag(w)(I − Q)Φ is definite at λ = 1 − 2⁻ᵏ, for the first k that does, and at 1, for both weights w.
Closed form: Q = (1 − λ)(I − λN)⁻¹N, which tends to 0. On θ→2θ, M_t = 1: C = (6κ − 5)/2, κ = (1 − λ)γ/(1 − λγ).
"""

from itertools import count

from tdcert.claims import kit, models
from tdcert.claims.emphasis import OF_INTEREST, every, mean_matrix, without_discount
from tdcert.claims.kit import Context, Fraction, Model, States, Verdict, decide_definite, evaluate, its, together
from tdcert.claims.yu15.yu_definite import kept
from tdcert.claims.yu15.yu_rank_interest import INTEREST

NINE_TENTHS = Fraction(9, 10)


def geometric_form(n: int) -> bool:
    """I − (I − λN)⁻¹(I − N) = (1 − λ)(I − λN)⁻¹N for free N (n×n) and λ."""
    _, N, lam = kit.free(p=(n, n), l=())
    before = N.identity(n) - N.scaled(lam)
    return bool((N.identity(n) - before.solve(N.identity(n) - N) - before.solve(N).scaled(1 - lam)).is_zero())


def prove() -> kit.Proof:
    """One model on which it is not definite; Q falls as 1 − λ."""
    C = evaluate(mean_matrix(every(0), its.d), Context(kit.theta_to_two_theta(NINE_TENTHS), (0, 1)))
    kit.require(C[0, 0] > 0, "C is not positive on θ→2θ")
    return kit.proved(
        "θ→2θ, γ = 9/10, λ = 0, M_t = 1: C = 1/5; P^λ = (1 − λ)(I − λN)⁻¹N for symbolic N and λ, n = 1, 2, 3, where "
        "(I − λN)⁻¹ is bounded for λ ≤ 1, so that C tends to −Φᵀdiag(w)Φ ≺ 0",
        kit.shown(geometric_form, at=(1, 2, 3)),
    )


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    try:
        parts = [_near_one(model, states, w) for w in (its.d, OF_INTEREST)]
    except kit.SingularMatrixError:
        return without_discount(states, model, "constants are taken to zero at every λ", "C at λ = 1")
    return together(parts, "; ".join(dict.fromkeys(part.detail for part in parts)))


def _near_one(model: Model, states: States, weights: kit.Expression) -> Verdict:
    """C with these weights at λ = 1, and at the first λ = 1 − 2⁻ᵏ at which it is definite."""
    at_one = decide_definite(model, -mean_matrix(every(1), weights), states, "−C at λ = 1")
    if at_one.status is not kit.Status.HOLDS:
        return at_one
    for k in count():  # ends, as it is definite at λ = 1
        C = mean_matrix(every(1 - Fraction(1, 2**k)), weights)
        value = -evaluate(C, Context(model, states))
        if kit.is_positive_definite(value + value.T):
            break
    near = decide_definite(model, -C, states, "−C near λ = 1")
    return together((at_one, near), f"−C is positive definite at λ = 1 − 1/{2**k} and at 1")


def at_four_ninths() -> kit.Refutation:
    """θ→2θ, γ = 9/10, M_t = 1, λ = 4/9: κ = 5/6, and C = 0."""
    model, lam = kit.theta_to_two_theta(NINE_TENTHS), Fraction(4, 9)
    return kit.Refutation(
        decide_definite(model, -mean_matrix(every(lam), its.d), (0, 1), "θ→2θ, λ = 4/9, M_t = 1: −C"), model
    )


CLAIM = kit.Claim(
    id="yu_plain_fails",
    stated=kit.Reading(
        r"With $M_t = 1$ or $M_t = i(s)$ the matrix $C$ need not be negative definite; on each model it is if "
        r"$\lambda$ is sufficiently close to 1.",
        quote=r"Neither of these cases guarantees $C$ to be negative definite",
        place="§2.2, after (2.9)",
    ),
    anchors=("Neither of these cases guarantees C to be negative definite",),
    check=check,
    prove=prove,
    variant=kit.FalseVariant("λ = 4/9 is close enough on every model.", at_four_ninths),
    ablations=(
        kit.Ablation(INTEREST, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=kept(models.reducible_models)),
    ),
)
