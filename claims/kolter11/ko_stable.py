r"""Where the linear matrix inequality holds, off-policy TD(0) is stable.

Place: not seen; as remembered.
Statement: [[C, B], [Bᵀ, C]] ⪰ 0, C ≻ 0 and γ < 1 imply that γB − C is negative definite.
Hypotheses: these three. Not needed: an irreducible chain, coverage.
Model: any, γ its largest discount; each recurrent class on its own.
Check: C − γB is L diag(D) Lᵀ with D > 0.
Closed form: wᵀCw − γwᵀBw = (1 − γ)wᵀCw + (γ/2)(w, −w)ᵀ[[C, B], [Bᵀ, C]](w, −w).
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.definite import decide_definite
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, proved, shown
from tdcert.claims.kolter11.lmi import LMI, B, C, lmi
from tdcert.claims.models import GAMMA_BELOW_ONE, HALF, ON_POLICY_BOX, UNDISCOUNTED, any_chain
from tdcert.claims.verdicts import Verdict, on_each_class
from tdcert.theory.check.hypotheses import C_POSITIVE
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.expressions.notation import Name
from tdcert.theory.identities.symbols import free, inner
from tdcert.theory.model.gallery import theta_to_two_theta


def form_identity(d: int) -> bool:
    """The closed form, free symmetric C, free B, w, γ."""
    _, C, B, w, gamma = free(c=("symmetric", d), b=(d, d), w=(d, 1), g=())
    matrix = 2 * inner(w, C @ w) - 2 * inner(w, B @ w)
    return bool(2 * inner(w, C @ w) - 2 * gamma * inner(w, B @ w) == 2 * (1 - gamma) * inner(w, C @ w) + gamma * matrix)


def prove() -> Proof:
    """The form as a sum of two that are not negative."""
    sentence = "wᵀCw − γwᵀBw = (1 − γ)wᵀCw + (γ/2)(w, −w)ᵀ[[C, B], [Bᵀ, C]](w, −w): symbolic C, B, w, γ, d = 1, 2, 3"
    return proved(sentence, shown(form_identity, at=(1, 2, 3)))


def check(model: Model) -> Verdict:
    """C − γB on every recurrent class."""
    gap = C - Name(largest_discount(model)) * B
    return on_each_class(lambda states: decide_definite(model, gap, states, "C − γB ≻ 0"), model)


def conversely() -> Refutation:
    """θ→2θ, γ = ½: B = 3 > C = 5/2, and γB − C = −1."""
    model = theta_to_two_theta(HALF)
    return Refutation(
        decide_definite(model, lmi(1), (0, 1), "[[C, B], [Bᵀ, C]] where γB − C = −1", strict=False), model
    )


CLAIM = Claim(
    id="ko_stable",
    stated=Reading(r"$[[C, B], [B^\top, C]] \succeq 0$, $C \succ 0$ and $\gamma < 1$ imply $\gamma B - C \prec 0$."),
    check=check,
    prove=prove,
    variant=FalseVariant("And conversely: where γB − C is negative definite, the inequality holds.", conversely),
    ablations=(
        Ablation(LMI, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        Ablation(GAMMA_BELOW_ONE, box=UNDISCOUNTED),
        Ablation(C_POSITIVE.at("as remembered"), box=ON_POLICY_BOX),
        *any_chain(LMI, C_POSITIVE, GAMMA_BELOW_ONE),
    ),
)
