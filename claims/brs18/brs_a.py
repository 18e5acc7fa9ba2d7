r"""Part (a): the average at the constant step 1/√T.

Hypotheses: those of ``projected``; R ≥ ‖θ*‖.
Model: one feature, R the least radius that no path leaves, so that the projection is inactive; T = 1,024.
Check: both sides in balls.
Closed form: 2α(1 − γ)ΣE‖V_θ_t − V_θ*‖² ≤ ‖θ* − θ_0‖² + Tα²G² + 2αΣE ζ_t, and E ζ_t ≤ 2G²(1 + τ)α.
Proof: the drift, summed.
"""

from tdcert.claims import kit
from tdcert.claims.brs18.projected import BIAS, expansion, part, part_a
from tdcert.claims.kit import Evaluated, Fraction, Model, decide_bounds, one_state

ROOT = 32


def bounds(model: Model) -> list[Evaluated]:
    """At T = 1,024."""
    return [part_a(model, ROOT)]


def without_the_discount() -> kit.Refutation:
    """One state, φ = 1, γ = 9999/10000: nothing has been learnt after 1,024 updates, ‖θ̄ − θ*‖ is nearly ‖θ*‖."""
    return kit.on(one_state(Fraction(9_999, 10_000)), lambda model: decide_bounds([part_a(model, ROOT, power=0)]))


CLAIM = part(
    "a",
    r"With $\alpha_t = 1/\sqrt T$: $E\|V_{\bar\theta_T} - V_{\theta^*}\|_D^2 \le \frac{\|\theta^* - \theta_0\|^2 + "
    r"G^2}{2\sqrt T(1-\gamma)} + \frac{2G^2(1 + \tau(1/\sqrt T))}{\sqrt T(1-\gamma)}$.",
    r"With a constant stepsize $\alpha_t = \alpha_0 = 1/\sqrt{T}$",
    bounds,
    lambda: kit.proved_for_all(BIAS, kit.shown(expansion)),
    kit.FalseVariant("It holds without the factor 1/(1 − γ).", without_the_discount),
    ["the 2 in 2G²(1 + τ)"],
)
