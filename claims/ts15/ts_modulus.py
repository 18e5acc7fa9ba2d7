r"""T^λ contracts by (1 − λ)γ/(1 − λγ).

Model: any whose schedule is one λ; each recurrent class on its own.
Check: that of ``sharp_modulus``, by which κ is attained at constants, and its κ against this one.
Closed form: κ = (1 − λ)Σ λⁿ⁻¹γⁿ, and γ − κ = λγ(1 − γ)/(1 − λγ).
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import sharp_modulus
from tdcert.claims.kit import HALF, Fraction, Model, Name, Schedule, Verdict, decide_relations, free, its, together
from tdcert.claims.ts15.geometric import ONE_LAMBDA, modulus, with_one_lambda
from tdcert.theory.check.margins import kappa_name


def closed_form(terms: int) -> bool:
    """(1 − λγ)Σ_{n≤k}(1 − λ)λⁿ⁻¹γⁿ = (1 − λ)γ(1 − (λγ)ᵏ), and γ(1 − λγ) − (1 − λ)γ = λγ(1 − γ), λ and γ free."""
    _, lam, gamma = free(l=(), g=())
    sums = sum(((1 - lam) * lam ** (n - 1) * gamma**n for n in range(2, terms + 1)), (1 - lam) * gamma)
    summed = (1 - lam * gamma) * sums == (1 - lam) * gamma * (1 - (lam * gamma) ** terms)
    return bool(summed and gamma * (1 - lam * gamma) - (1 - lam) * gamma == lam * gamma * (1 - gamma))


def prove() -> kit.Proof:
    """The proof of sharp_modulus, and the sum of its κ."""
    sentence = "(1 − λ)Σλⁿ⁻¹γⁿ = (1 − λ)γ/(1 − λγ) ≤ γ: symbolic λ, γ, up to five terms"
    return sharp_modulus.prove() + kit.proved(sentence, kit.shown(closed_form, at=range(1, 6)))


def check(model: Model) -> Verdict:
    kappa, gamma = modulus(model), max(model.recurrent_discounts)
    relations: list[kit.Relation] = [(kappa_name(model), "=", Name(kappa)), (Name(kappa), "<=", Name(gamma))]
    return together(
        (sharp_modulus.check(model), decide_relations(model, relations)), f"‖P^λ‖ = (1 − λ)γ/(1 − λγ) = {kappa}"
    )


def one_percent_less() -> kit.Refutation:
    """Two states that alternate, γ = 9/10, λ = ½, u − v = 1: ‖Q1‖² = κ², κ = 9/11."""
    model = kit.flip_chain(Fraction(9, 10), Schedule.constant(HALF))
    image, bound = its.M @ its.ones, Name((Fraction(99, 100) * modulus(model)) ** 2)
    found = decide_relations(model, [(image.T @ its.D @ image, "<=", bound * (its.ones.T @ its.D @ its.ones))])
    return kit.explained(found, model, "two states, γ = 9/10, λ = ½, u − v = 1", "‖T^λu − T^λv‖²", "(99 % of κ)²")


CLAIM = kit.Claim(
    id="ts_modulus",
    stated=kit.Reading(
        r"$T^\lambda$ is a contraction of modulus $\frac{(1-\lambda)\gamma}{1-\lambda\gamma} \le \gamma$ in "
        r"$\|\cdot\|_\mu$.",
        quote=r"is a contraction mapping of modulus $\frac{(1-\lambda)\gamma}{1-\lambda\gamma} \le \gamma$",
        place="§2, after (2)",
    ),
    anchors=("is a contraction mapping of modulus",),
    check=check,
    prove=prove,
    instances=with_one_lambda,
    variant=kit.FalseVariant("It is one of a modulus that is one percent smaller.", one_percent_less),
    constants=(kit.NumericConstant("the 1 in (1 − λ)γ/(1 − λγ)", one_percent_less),),
    ablations=(
        ONE_LAMBDA,
        kit.Ablation(kit.ON_POLICY.at("§2: one Markov chain"), box=models.OFF_POLICY),
        kit.Ablation(kit.CONSTANT_DISCOUNT.at("§2"), box=sharp_modulus.UNEQUAL_DISCOUNTS),
        kit.Ablation(kit.IRREDUCIBLE.at("§2: ergodic"), supports=lambda: models.reducible_models()[:2]),
        kit.Ablation(kit.APERIODIC.at("§2: ergodic"), supports=lambda: models.periodic_models()[:1]),
    ),
    rests_on=("sharp_modulus",),
)
