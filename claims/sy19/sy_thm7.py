r"""Theorem 7: the mean square at a constant step.

Hypotheses: Ā Hurwitz, ‖A(X)‖ ≤ 1, a mixing time τ.
Model: TD(0) with one feature, at the largest ε that the condition allows; two times.
Check: both sides in balls, the moment by a power of the matrix of second moments by states.
Closed form: the drift of W = Θ²P, by Lemmas 4 and 5, and its series.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Evaluated, Fraction, Model, decided, fast_chain, free, one_state, slow_chain
from tdcert.claims.sy19.drift import CONDITIONS, NORMALISED, theorem_7


def bounds(model: Model) -> list[Evaluated]:
    """At both times."""
    return theorem_7(model)


def drift_identity() -> bool:
    """W(Θ + Δ) − W(Θ) = 2εΘP(ĀΘ) + 2ΘP(Δ − εĀΘ) + ΔPΔ, and −1 + 2 · 0.05 = −0.9."""
    _, x, P, A, step, move = free(x=(), p=(), a=(), e=(), m=())
    left = P * (x + move) ** 2 - P * x**2
    right = 2 * step * x * P * A * x + 2 * x * P * (move - step * A * x) + move * P * move
    return bool(left == right) and -1 + 2 * Fraction(1, 20) == Fraction(-9, 10)


def tenfold() -> Model:
    """One state, φ = 10, γ = ½: A(X) = −50, P = 1/100, b(X) = 0, so that ε = 5/63 is allowed, and 1 − 50ε < −2."""
    return one_state(Fraction(1, 2), features=(10,))


def without_noise() -> kit.Refutation:
    """Rows (½, ½), φ = (1, ½), γ = ½: what the steps keep up does not die out."""
    return kit.on(fast_chain(), lambda model: kit.decide_bounds(theorem_7(model, noise=0)))


CLAIM = kit.Claim(
    id="sy_thm7",
    stated=kit.Reading(
        r"For $k \ge \tau$ and $\kappa_1\epsilon\tau + \epsilon\gamma_{\max} \le 0.05$: $E\|\Theta_k\|^2 \le "
        r"\frac{\gamma_{\max}}{\gamma_{\min}}\left(1 - \frac{0.9\epsilon}{\gamma_{\max}}\right)^{k-\tau}"
        r"(1.5\|\Theta_0\| + 0.5b_{\max})^2 + \frac{\tilde\kappa_2\gamma_{\max}}{0.9\gamma_{\min}}\epsilon\tau$.",
        quote="we have the following finite-time bound",
        place="§2.2, Theorem 7",
    ),
    anchors=("Theorem 7",),
    bounds=bounds,
    check=decided(bounds, *CONDITIONS),
    prove=lambda: kit.proved_for_all(
        "E W_{k+1} − E W_k ≤ −ε(1 − 2(κ_1ετ + εγ_max))E‖Θ_k‖² + κ̃_2ε²τ by Lemmas 4 and 5, and 2ΘP(ĀΘ) = −‖Θ‖²; the "
        "series, and ‖Θ_τ‖ ≤ (1 + 2ετ)‖Θ_0‖ + 2ετb_max with ετ ≤ 1/4 (Lemma 3)",
        kit.shown(drift_identity),
    ),
    instances=lambda: [fast_chain(), slow_chain()],
    variant=kit.FalseVariant("It holds without the second term.", without_noise),
    constants=(
        kit.NumericConstant("the 0.9"),
        kit.NumericConstant("the 62 in κ_1"),
        kit.NumericConstant("the 55 in κ_2"),
    ),
    ablations=(kit.Ablation(NORMALISED, counterexample=tenfold),),
    rests_on=("sy_lemma3", "sy_lemma4", "sy_lemma5"),
)
