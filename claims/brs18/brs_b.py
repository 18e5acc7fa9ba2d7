r"""Part (b): the last iterate at a constant step.

Note: 2α_0ω(1 − γ) ≤ 1 is enough.
Hypotheses: those of ``projected``; R ≥ ‖θ*‖.
Model: one feature, R the least radius that no path leaves; T = 1,024, α_0 at 99/100 of the printed limit and at an
eighth of 1/(2ω(1 − γ)).
Check: both sides in balls.
Closed form: e_{t+1} ≤ (1 − 2α_0(1 − γ)ω)e_t + α_0²G²(1 + 4(1 + τ)), whose factor lies in [0, 1).
Proof: the recursion, and its series; 1 − x ≤ e^{−x}.
"""

from tdcert.claims import kit
from tdcert.claims.brs18.projected import BIAS, expansion, part, part_b
from tdcert.claims.kit import HALF, Fraction, decide_bounds, fair_coin_chain
from tdcert.claims.ls18.ls_lemma8 import series_identity

T, PRINTED, BEYOND = 1_024, Fraction(99, 100) / 32, Fraction(1, 8)


def without_the_second_term() -> kit.Refutation:
    """Rows (½, ½), φ = (1, −1), γ = ½: e^{−2α(1−γ)ωT} is tiny, and the noise stays."""
    return kit.on(fair_coin_chain(HALF), lambda model: decide_bounds([part_b(model, T, BEYOND, noise=0)]))


CLAIM = part(
    "b",
    r"With $\alpha_0 < 1/(2\omega\sqrt T(1-\gamma))$: $E\|\theta_T - \theta^*\|^2 \le "
    r"e^{-2\alpha_0(1-\gamma)\omega T}\|\theta_0 - \theta^*\|^2 + "
    r"\frac{\alpha_0 G^2(1 + 4(1 + \tau(\alpha_0)))}{2(1-\gamma)\omega}$.",
    r"With a constant stepsize $\alpha_t = \alpha_0 < 1/(2 \omega \sqrt{T} (1-\gamma))$",
    lambda model: [part_b(model, T, PRINTED), part_b(model, T, BEYOND)],
    lambda: kit.proved_for_all(BIAS, kit.shown(expansion), kit.shown(series_identity, at=range(1, 7))),
    kit.FalseVariant("It holds without the second term.", without_the_second_term),
    ["the 4 in 1 + 4(1 + τ)"],
    sharper=kit.Reading(r"The same for every $\alpha_0$ with $2\alpha_0\omega(1-\gamma) \le 1$."),
)
