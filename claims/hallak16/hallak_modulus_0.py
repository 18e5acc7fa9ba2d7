r"""At λ = 0, γP contracts in the norm of f.

Hypotheses: 0 < β < 1. Not needed: d stationary, an irreducible chain, coverage.
Model: any, with one γ in (0, 1), β = 1/2 and 4/5; each recurrent class on its own.
Check: κ by its relations; the form of the norms (``norm_bound``) is L diag(D) Lᵀ with D ≥ 0, entry by entry.
Closed form: that of ``weights``; one state has κ = 1 − β, and equality.
"""

from fractions import Fraction

from tdcert.claims import kit, models
from tdcert.claims.emphasis import lagrange_identity
from tdcert.claims.hallak16 import weights
from tdcert.claims.kit import HALF, Expression, Model, Name, States, Verdict, its, one_state, together


def bounded(model: Model, beta: Fraction, norm: Expression, part: Fraction = Fraction(1)) -> Verdict:
    """‖γPv‖² ≤ part²·(γ²(1 − κ)/β)‖v‖² in the norm of these weights."""
    gamma = models.gamma_of(model)

    def decide(states: States) -> Verdict:
        kappa, relations = weights.least_ratio(model, states, beta)
        form = kit.norm_bound(Name(gamma) * its.P_pi, norm, Name(part**2 * gamma**2 * (1 - kappa) / beta))
        least = kit.decide_relations(model, relations, states=states)
        return together((least, kit.decide_definite(model, form, states, "the form of the norms", strict=False)), "")

    return kit.on_each_class(decide, model, f"κ, and the form of the norms at β = {beta}")


def in_the_norm_of_the_law() -> kit.Refutation:
    """θ→2θ, β = ½: f = (½, 3/2), κ = ⅓, and ‖Pv‖_d² = 2‖v‖_d² at v = (0, 1)."""
    return kit.on(weights.seldom_to_the_second(HALF), bounded, HALF, its.d)


def one_per_cent_less() -> kit.Refutation:
    """One state, γ = β = ½: κ = ½, and the modulus is γ."""
    return kit.Refutation(bounded(one_state(HALF), HALF, weights.follow_on(HALF), Fraction(99, 100)), one_state(HALF))


CLAIM = kit.Claim(
    id="hallak_modulus_0",
    stated=kit.Reading(
        r"$\|\gamma P v\|_f \leq \sqrt{\gamma^2 (1 - \kappa)/\beta}\, \|v\|_f$ with $\kappa = \min d/f$."
    ),
    check=lambda model: together((bounded(model, beta, weights.follow_on(beta)) for beta in weights.BETAS), ""),
    prove=lambda: kit.proved(
        "(Σa)(Σax²) − (Σax)² = Σ a_ia_j(x_i − x_j)², up to five terms: (Pv)² ≤ Pv²; and βPᵀf = f − d ≤ (1 − κ)f",
        kit.shown(lagrange_identity, at=range(2, 6)),
    ),
    variant=kit.FalseVariant("So it is in the norm of d.", in_the_norm_of_the_law),
    constants=(kit.NumericConstant("the 1 before √(γ²(1 − κ)/β)", one_per_cent_less),),
    ablations=weights.ANY_CHAIN,
    notes=(weights.ON_MODELS,),
)
