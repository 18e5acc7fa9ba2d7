r"""Where the linear matrix inequality holds, off-policy TD(0) is stable.

Model: any, γ its largest discount; each recurrent class on its own.
Check: C − γB is L diag(D) Lᵀ with D > 0.
Closed form: wᵀCw − γwᵀBw = (1 − γ)wᵀCw + (γ/2)(w, −w)ᵀ[[C, B], [Bᵀ, C]](w, −w).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, Fraction, Model, Name, Verdict, decide_definite, free, theta_to_two_theta
from tdcert.claims.kolter11.lmi import LMI, B, C, lmi
from tdcert.theory.identities.symbols import inner


def form_identity(d: int) -> bool:
    """The closed form, free symmetric C, free B, w, γ."""
    _, C, B, w, gamma = free(c=("symmetric", d), b=(d, d), w=(d, 1), g=())
    matrix = 2 * inner(w, C @ w) - 2 * inner(w, B @ w)
    return bool(2 * inner(w, C @ w) - 2 * gamma * inner(w, B @ w) == 2 * (1 - gamma) * inner(w, C @ w) + gamma * matrix)


def check(model: Model) -> Verdict:
    gap = C - Name(kit.largest_discount(model)) * B
    return kit.on_each_class(lambda states: decide_definite(model, gap, states, "C − γB ≻ 0"), model)


def conversely() -> kit.Refutation:
    """θ→2θ, γ = ½: B = 3 > C = 5/2, and γB − C = −1."""
    model = theta_to_two_theta(kit.HALF)
    return kit.Refutation(
        decide_definite(model, lmi(1), (0, 1), "[[C, B], [Bᵀ, C]] where γB − C = −1", strict=False), model
    )


CLAIM = kit.Claim(
    id="ko_stable",
    stated=kit.Reading(
        r"$[[C, B], [B^\top, C]] \succeq 0$, $C \succ 0$ and $\gamma < 1$ imply $\gamma B - C \prec 0$."
    ),
    check=check,
    prove=lambda: kit.proved(
        "wᵀCw − γwᵀBw = (1 − γ)wᵀCw + (γ/2)(w, −w)ᵀ[[C, B], [Bᵀ, C]](w, −w): symbolic C, B, w, γ, d = 1, 2, 3",
        kit.shown(form_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("And conversely: where γB − C is negative definite, the inequality holds.", conversely),
    ablations=(
        kit.Ablation(LMI, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        kit.Ablation(models.GAMMA_BELOW_ONE, box=models.UNDISCOUNTED),
        kit.Ablation(C_POSITIVE.at("as remembered"), box=models.ON_POLICY_BOX),
        *models.any_chain(LMI, C_POSITIVE, models.GAMMA_BELOW_ONE),
    ),
)
