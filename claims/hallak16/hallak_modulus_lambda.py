r"""A modulus for λ > 0 holds at β = γ.

Where: Π projects onto span Φ.
Note: one state has the modulus γ(1 − λ)/(1 − γλ). Nothing is said of what the paper has for λ > 0.
Hypotheses: β = γ. Not needed: an irreducible chain, coverage.
Model: any, with λ and γ in (0, 1); each recurrent class on its own.
Check: the form of the norms of P^λ is L diag(D) Lᵀ with D ≥ 0; Π makes no vector longer in the norm of m.
Closed form: P^λ1 = c1 with c = γ(1 − λ)/(1 − γλ), so (P^λv)² ≤ c P^λv² by Cauchy and Schwarz, and mᵀP^λ = mᵀ − dᵀ ≤ mᵀ.
"""

from fractions import Fraction

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.emphasis import lagrange_identity, weights_identity
from tdcert.claims.hallak16 import weights
from tdcert.claims.kit import HALF, Model, Name, Verdict, norm_bound, on_each_class, one_state
from tdcert.claims.means import decide_mean, seen

HIGH = Fraction(9, 10)


def contracts(model: Model, lam: Fraction, gamma: Fraction, beta: Fraction, part: Fraction = Fraction(1)) -> Verdict:
    """‖P^λv‖_m² ≤ part·q²‖v‖_m² for the modulus q at this decay."""
    q2 = gamma**2 * (1 + lam * beta) ** 2 * (1 - lam) / (beta * (1 + gamma * lam) ** 2 * (1 - lam * beta))
    form = norm_bound(weights.reached(lam, gamma), weights.emphasis(lam, beta), Name(part * q2))
    told = f"the form of the norms at γ = {gamma}, λ = {lam}, β = {beta}"
    return on_each_class(lambda states: kit.decide_definite(model, form, states, told, strict=False), model)


def judge_stated() -> kit.Refutation:
    """One state, γ = λ = 9/10, β = ½: 9/19 = 0.474 against 0.435; Π = I, as φ = 1."""
    return kit.Refutation(contracts(one_state(HIGH), HIGH, HIGH, HALF), one_state(HIGH))


def less(part: Fraction) -> kit.Refutation:
    """θ→2θ, whose behaviour goes to the second state once in a thousand steps, λ = ½: the modulus is nearly reached."""
    model = weights.seldom_to_the_second(Fraction(1, 1000))
    return kit.Refutation(contracts(model, HALF, HIGH, HIGH, part), model)


def facts() -> list[kit.Fact]:
    """θ→2θ, to the second with 1/10, λ = β = ½: q² = 675/841, and the mean matrix is positive."""
    model = weights.seldom_to_the_second(Fraction(1, 10))
    J = seen(model, named("etd_beta").with_options(lam=HALF, decay=HALF), (0, 1))
    found = decide_mean(model, J, Name(Fraction(3, 22)), (0, 1), "3/22")
    told = (
        "θ→2θ, to the second with 1/10, γ = 9/10, λ = β = ½: √(675/841) < 1, and the mean matrix of ETD(λ, β) is 3/22."
    )
    return [kit.Fact(told, model, found)]


CLAIM = kit.Claim(
    id="hallak_modulus_lambda",
    stated=kit.Reading(
        r"$\Pi P^\lambda$ contracts in the norm of $m$ by $\sqrt{\gamma^2 (1 + \lambda\beta)^2 (1 - \lambda) / (\beta "
        r"(1 + \gamma\lambda)^2 (1 - \lambda\beta))}$."
    ),
    corrected=kit.Reading(
        r"For $\beta = \gamma$, $\Pi P^\lambda$ contracts in the norm of $m$ by $\sqrt{\gamma (1 - \lambda)/(1 - "
        r"\gamma\lambda)}$.",
        added_hypotheses=("β = γ",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    check=lambda model: contracts(model, weights.lam_of(model), models.gamma_of(model), models.gamma_of(model)),
    prove=lambda: kit.proved(
        "(Σa)(Σax²) − (Σax)² = Σ a_ia_j(x_i − x_j)², up to five terms: (P^λv)² ≤ c P^λv²; mᵀP^λ = mᵀ − dᵀ at β = γ: "
        "symbolic γP, λ, d, n = 1, 2",
        kit.shown(lagrange_identity, at=range(2, 6)),
        kit.shown(weights_identity, at=(1, 2)),
    ),
    facts=facts,
    variant=kit.FalseVariant("For β = γ it contracts by γ(1 − λ)/(1 − γλ).", lambda: less(Fraction(9, 11))),
    constants=(kit.NumericConstant("the 1 before √(γ(1 − λ)/(1 − γλ))", lambda: less(Fraction(99, 100) ** 2)),),
    ablations=weights.ANY_CHAIN,
    notes=(weights.ON_MODELS,),
    rests_on=("hallak_modulus_0",),
)
