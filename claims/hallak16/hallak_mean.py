r"""The mean matrix of ETD(λ, β).

Where: P^λ is made of P_πΓ.
Model: any, with one λ in (0, 1), β = 1/2 and 4/5; each recurrent class on its own.
Check: the mean of the shipped ETD(λ, β), from the transitions that updates see, entry by entry.
Closed form: E[F 1{s}] = f_s, E[M 1{s}] = m_s, E[e 1{s}] = (I − λNᵀ)⁻¹ diag(m) Φ with N = P_πΓ.
"""

from tdcert.algorithms import named
from tdcert.claims import emphasis as yu
from tdcert.claims import kit
from tdcert.claims.box import Box
from tdcert.claims.hallak16.weights import ANY_CHAIN, BETAS, ENDLESS, ON_MODELS, emphasis, lam_of
from tdcert.claims.kit import COVERAGE, HALF, Expression, Fraction, Model, Name, States, Verdict, free, its, together
from tdcert.claims.means import decide_mean, seen
from tdcert.claims.yu15.yu_mean import never_to_the_second


def emphasis_identity(n: int) -> bool:
    """The stationary E[F 1{s}] = x solves x = d + βPᵀx, and E[M 1{s}] = λd + (1 − λ)x is m: free P, d, β, λ."""
    _, P, d, beta, lam = free(p=(n, n), d=(n, 1), b=(), l=())
    f = (P.identity(n) - P.scaled(beta)).T.solve(d)
    m = d + (P.T @ f).scaled(beta * (1 - lam))  # λd + (1 − λ)(d + βPᵀf)
    return bool((f - d - (P.T @ f).scaled(beta)).is_zero() and (m - f.scaled(1 - lam) - d.scaled(lam)).is_zero())


def check(model: Model) -> Verdict:
    lam = lam_of(model)
    return together((against(model, lam, beta, emphasis(lam, beta)) for beta in BETAS), "")


@kit.each_class
def against(model: Model, states: States, lam: Fraction, beta: Fraction, weights: Expression) -> Verdict:
    """What updates see, against the matrix with these weights."""
    J = seen(model, named("etd_beta").with_options(lam=lam, decay=beta), states)
    return decide_mean(model, J, yu.mean_matrix(Name(lam) * its.ones, weights), states, f"the mean at β = {beta}")


def with_f_alone() -> kit.Refutation:
    """θ→2θ, γ = 9/10, λ = β = ½."""
    return kit.on(kit.theta_to_two_theta(Fraction(9, 10)), against, HALF, HALF, emphasis(Fraction(0), HALF))


CLAIM = kit.Claim(
    id="hallak_mean",
    stated=kit.Reading(
        r"The mean matrix of ETD($\lambda, \beta$) is $\Phi^\top \mathrm{diag}(m) (P^\lambda - I) \Phi$, with "
        r"$m = (1 - \lambda) f + \lambda d$ and $f = (I - \beta P^\top)^{-1} d$."
    ),
    check=check,
    prove=lambda: kit.proved(
        "E M = (1 − λ)f + λd from F = 1 + βρF, and E[eρ(γφ' − φ)ᵀ] = Φᵀ diag(E M)(P^λ − I)Φ: symbolic P, P_πΓ, λ, β, "
        "d, features, n = 1, 2",
        kit.shown(emphasis_identity, yu.trace_identity, at=(1, 2)),
    ),
    variant=kit.FalseVariant("It is that with f in the place of m.", with_f_alone),
    ablations=(
        kit.Ablation(ENDLESS, box=Box(states=1, gammas=(Fraction(0),))),
        kit.Ablation(COVERAGE.at("as remembered"), counterexample=never_to_the_second),
        ANY_CHAIN[0],
    ),
    notes=(ON_MODELS,),
)
