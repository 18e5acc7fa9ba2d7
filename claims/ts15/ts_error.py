r"""Theorem 2: the approximation error of the limit.

Model: any whose schedule is one λ; each recurrent class on its own. κ is that of the largest discount.
Check: (1 − κ)²‖Φθ* − v‖² ≤ ‖v − Πv‖² and (1 − κ)(1 − λγ) = 1 − γ, at the exact θ* and v.
Closed form: (1 − κ²)‖Φθ* − v‖² ≤ ‖v − Πv‖² (``error_bound``), and 1 − κ² − (1 − κ)² = 2κ(1 − κ) ≥ 0.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import error_bound
from tdcert.claims.kit import APERIODIC, DISCOUNTED, ON_POLICY, Fraction, Model, Name, Schedule, Verdict, free, together
from tdcert.claims.ts15.geometric import ONE_LAMBDA, modulus, with_one_lambda
from tdcert.theory.check.margins import kappa_name


def gap_identity() -> bool:
    """1 − κ² − (1 − κ)² = 2κ(1 − κ), and (1 − κ)(1 − λγ) = 1 − γ for (1 − λγ)κ = (1 − λ)γ, κ, λ, γ free."""
    _, kappa, lam, gamma = free(k=(), l=(), g=())
    same = (1 - lam * gamma) - (1 - lam) * gamma == 1 - gamma
    return bool(1 - kappa**2 - (1 - kappa) ** 2 == 2 * kappa * (1 - kappa) and same)


def prove() -> kit.Proof:
    """The proof of error_bound, which is sharper."""
    sentence = "1 − κ² − (1 − κ)² = 2κ(1 − κ) ≥ 0 and (1 − κ)(1 − λγ) = 1 − γ, symbolic"
    return error_bound.prove() + kit.proved(sentence, kit.shown(gap_identity))


def times(model: Model, part: Fraction) -> Verdict:
    """The bound with a part of its constant."""
    kappa = kappa_name(model)
    factor = Name(1 / part**2) * ((1 - kappa) * (1 - kappa))
    below = error_bound.bounded(model, factor, f"(1 − κ)²/{part**2}")
    same = kit.decide_relations(model, [(kappa, "=", Name(modulus(model)))])
    return together((below, same), f"‖v − Φθ*‖ ≤ {part}/(1 − κ)·‖v − Πv‖, κ = {modulus(model)}")


def one_percent_less() -> kit.Refutation:
    """Two states that alternate, φ = 1, 2, γ = ½, λ = 99/100: κ = 1/101, and 99/100 of 1/(1 − κ) is below 1."""
    model = kit.flip_chain(Fraction(1, 2), Schedule.constant(Fraction(99, 100)), ((1,), (2,)))
    found = times(model, Fraction(99, 100))
    return kit.explained(found, model, "two states, γ = ½, λ = 99/100", "(1 − κ)²/(99/100)²·‖v − Φθ*‖²", "‖v − Πv‖²")


CLAIM = kit.Claim(
    id="ts_error",
    stated=kit.Reading(
        r"$\|v - v_{LSTD(\lambda)}\|_\mu \le \frac{1 - \lambda\gamma}{1 - \gamma}\|v - \Pi v\|_\mu$.",
        quote=r"$\|v - v_{LSTD(\lambda)}\|_\mu \le \frac{1 - \lambda\gamma}{1 - \gamma}\|v - \Pi v\|_\mu$",
        place="§3, Theorem 2",
    ),
    sharper=kit.Reading(
        r"$\|v - v_{LSTD(\lambda)}\|_\mu \le (1 - \kappa^2)^{-1/2}\|v - \Pi v\|_\mu$ with $\kappa = "
        r"\frac{(1-\lambda)\gamma}{1-\lambda\gamma}$."
    ),
    anchors=("Theorem 2",),
    check=lambda model: times(model, Fraction(1)),
    prove=prove,
    instances=with_one_lambda,
    variant=kit.FalseVariant("It holds with 99 % of (1 − λγ)/(1 − γ).", one_percent_less),
    constants=(
        kit.NumericConstant(
            "the 1 before (1 − λγ)/(1 − γ)",
            one_percent_less,
            note="near λ = 1; at each λ < 1 (1 − κ²)^{−1/2} is smaller",
        ),
    ),
    ablations=(
        ONE_LAMBDA,
        kit.Ablation(ON_POLICY.at("§2: one Markov chain"), box=models.OFF_POLICY_SURE),
        kit.Ablation(DISCOUNTED.at("§2"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("§2, Assumption 1 and ergodic"), box=models.ON_POLICY_BOX),
        kit.Ablation(kit.IRREDUCIBLE.at("§2: ergodic"), supports=lambda: error_bound.reducible_with_rank()[:1]),
        kit.Ablation(APERIODIC.at("§2: ergodic"), supports=lambda: models.periodic_models()[:1]),
    ),
    rests_on=("error_bound", "ts_modulus"),
)
