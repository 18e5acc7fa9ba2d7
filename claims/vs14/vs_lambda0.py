r"""At λ = 0 both algorithms are TD(0).

Where: θ_{t+1,t+1} and θ_{t+1} are θ_t + α_t(R_{t+1} + γθ_tᵀφ_{t+1} − θ_tᵀφ_t)φ_t; §4.1 says the same.
Hypotheses: none on the model; λ = 0 takes the place of its λ's.
Model: any; two paths of three steps.
Check: both views and TD(0), with all vectors as numbers.
Closed form: e_t = α_tφ_t, and the last term of (12) puts θ_t into the second value of δ_t.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, one_state
from tdcert.claims.vs14.iterates import Followed, backed_up, decide, shown_along, some, td_error, varied

ZERO = Fraction(0)


def same(found: Followed) -> bool:
    """Both views and TD(0)."""
    theta, held = list(found.numbers.start), True
    views = list(zip(found.forward(), found.backward()[0], strict=True))
    for t in range(found.numbers.length):
        theta = found.vector(lambda walk, now, t=t: backed_up(walk, now, t, td_error(walk, t, now, now)), theta)
        row, other = views[t + 1]
        held &= found.equal(row[-1], theta)
        held &= found.equal(other, theta)
    return held


def at_another_lambda() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = ½, λ = 1/100."""
    model = one_state(HALF)
    sides, detail = ("θ_{t,t}", "θ_t of TD(0)"), "at λ = 1/100"
    return varied(model, some(model)[0], same, detail, sides, Fraction(1, 100))


CLAIM = kit.Claim(
    id="vs_lambda0",
    stated=kit.Reading(
        r"For $\lambda = 0$ the truncated $\lambda$-return algorithm and true online TD($\lambda$) are TD(0).",
        quote=r"for $\lambda = 0$ the truncated $\lambda$-return algorithm is equivalent to TD(0)",
        place="§3, after (9)",
    ),
    anchors=("For λ = 0, the algorithm is equivalent to (regular) TD(0)",),
    check=lambda model: decide(model, some(model), same, "θ_{t,t}, θ_t and TD(0)", ZERO),
    prove=lambda: shown_along("θ_{t,t} = θ_t = the iterates of TD(0) at λ = 0", same, lam=ZERO),
    variant=kit.FalseVariant("For λ close to zero both are TD(0).", at_another_lambda),
)
