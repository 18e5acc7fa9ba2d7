r"""Two values θ and 2θ, updated equally often, diverge for γ > 5/6.

Note: the mean update matrix is A = (6γ − 5)/2.
Model: ``theta_to_two_theta`` with any discount.
Check: A = (6γ − 5)/2 and its sign.
Closed form: A = ½·1·(2γ − 1) + ½·2·(2γ − 2).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Name, Relation, Verdict, flip_chain, free, its, theta_to_two_theta

THRESHOLD = Fraction(5, 6)


EXAMPLE = models.the_example(
    "theta_to_two_theta", "the two states of the example, TD(0)", "not seen", theta_to_two_theta
)


def closed_form() -> bool:
    """½·1·(2γ − 1) + ½·2·(2γ − 2) = (6γ − 5)/2 for a free γ."""
    _, gamma = free(g=())
    return bool((2 * gamma - 1) + 2 * (2 * gamma - 2) == 6 * gamma - 5)


def with_threshold(model: Model, threshold: Fraction) -> Verdict:
    """A, and whether it is positive exactly if γ is above the threshold."""
    gamma = model.gamma or Fraction(0)
    sign: Relation = (Name(0), "<", its.A) if gamma > threshold else (its.A, "<=", Name(0))
    form: Relation = (its.A, "=", (6 * Name(gamma) - 5) * Name(HALF))
    return kit.decide_relations(model, [form, sign], detail=f"A = (6γ − 5)/2 = {(6 * gamma - 5) / 2}")


def one_percent_less() -> kit.Refutation:
    """γ = 83/100, between 99 % of 5/6 and 5/6: A = −1/100."""
    model = theta_to_two_theta(Fraction(83, 100))
    return kit.explained(
        with_threshold(model, Fraction(99, 100) * THRESHOLD), model, "γ = 83/100", "wanted below A", "A"
    )


CLAIM = kit.Claim(
    id="tvr_off_policy",
    stated=kit.Reading(
        r"Two states with values $\theta$ and $2\theta$ that both lead to the second, updated equally often: TD(0) "
        r"diverges for $\gamma > 5/6$."
    ),
    check=lambda model: with_threshold(model, THRESHOLD),
    prove=kit.proof("½(2γ − 1) + ½·2(2γ − 2) = (6γ − 5)/2: symbolic γ; positive exactly for γ > 5/6", closed_form),
    instances=lambda: [theta_to_two_theta(gamma) for gamma in (HALF, THRESHOLD, Fraction(84, 100), Fraction(1))],
    variant=kit.FalseVariant("It diverges for γ above 99 % of 5/6.", one_percent_less),
    constants=(kit.NumericConstant("the 5/6", one_percent_less),),
    ablations=(kit.Ablation(EXAMPLE, counterexample=lambda: flip_chain(HALF, features=((1,), (2,)))),),
)
