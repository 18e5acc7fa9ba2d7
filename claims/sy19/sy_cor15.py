r"""Corollary 15: negative definite mean matrices.

Where: P = I, γ_min = γ_max = 1, as two lines above (39).
Hypotheses: sym Ā negative definite, ‖A(X)‖ ≤ 1, a mixing time τ.
Model: TD(0) with one feature, at the largest ε that the corrected condition allows.
Check: both sides of the corrected reading in balls.
Closed form: ‖Θ_{k+1}‖² − ‖Θ_k‖² = 2ΘᵀΔ + ‖Δ‖²: the printed line before (39) has half of it.
"""

from tdcert.claims import kit, models
from tdcert.claims.bounds import shown as digits
from tdcert.claims.kit import HALF, Evaluated, Fraction, Model, Name, Relation, Status, decide_bounds, decided, refuted
from tdcert.claims.sy19.drift import CONDITIONS, FAR, LIMIT, NORMALISED, CentredTD, bound
from tdcert.claims.sy19.sy_thm7 import drift_identity

ONE = Fraction(1)
A, STEP, TIME = Fraction(1, 10_000), Fraction(1, 2_500), 12_500_000
"""The counterexample: Ā = −A, b = ±1 evenly, at the step and the time."""


def bounds(model: Model) -> list[Evaluated]:
    """The corrected bound."""
    of = CentredTD.of(model, ONE)
    mu = -of.td.A[0, 0]
    epsilon, tau = of.largest_step(LIMIT * mu)
    decay = Fraction(19, 10) * mu * epsilon
    rest = of.noise * epsilon * tau / (Fraction(19, 10) * mu)
    return [bound(of, k, decay, rest, epsilon, tau) for k in (tau + int(1 / epsilon), FAR)]


def printed(model: Model, sign: int = 1) -> Evaluated:
    """The printed bound on the counterexample; ``sign``: −1 mends the sign of λ_min."""
    of = CentredTD.of(model, ONE)
    tau = of.tau(STEP)
    decay = Fraction(9, 10) * of.td.A[0, 0] * sign * STEP
    return bound(of, TIME, decay, of.noise * STEP * tau * 10 / 9, STEP, tau)


def counterexample() -> Model:
    """One state, φ = 1, γ = 9999/10000, rewards 1 and −1 evenly: A(X) = −1/10000, b(X) = ±1, τ = 1."""
    return models.one_state_two_actions(
        "a coin for a reward", ("up", "down"), (HALF, HALF), (HALF, HALF), (1, -1), 1 - A
    )


def judge_stated() -> kit.Refutation:
    """Bernoulli twice: (1 − x)ᵏ ≤ 1/(1 + kx) below the exact moment, and (1 + y)ᵏ ≤ 1/(1 − ky) above the bound."""
    model = counterexample()
    found = printed(model)
    square = (1 - STEP * A) ** 2
    low = STEP**2 * (1 - 1 / (1 + TIME * (1 - square))) / (1 - square)
    growth = Fraction(9, 10) * A * STEP
    high = Fraction(1, 4) / (1 - TIME * growth) + Fraction(2 * (55 * 8 + 1)) * STEP * 10 / 9
    condition = Name(62 * 2) * Name(STEP) + Name(STEP)
    relations: list[Relation] = [(condition, "<=", Name(LIMIT)), (Name(high), "<", Name(low))]
    kept = kit.decide_relations(model, relations)
    if found.holds is not False or kept.status is not Status.HOLDS:
        return kit.Refutation(decide_bounds([found]), model)
    detail = (
        f"A = −1/10000, b = ±1 evenly, Θ_0 = 0, ε = 1/2500, τ = 1, κ_1ετ + ε = 1/20: after {TIME:,} updates E Θ² = "
        f"ε²(1 − (1 − εA)^{{2k}})/(1 − (1 − εA)²) = {digits(found.exact)}, printed bound {digits(found.bound)}. By "
        f"hand, with (1 − x)ᵏ ≤ 1/(1 + kx): at least 2(1 − ½) = {float(low):.4g}; with κ̃_2 = 882 at most "
        f"¼/(1 − 9/20) + 49/125 = {float(high):.4g}"
    )
    witness = {"E Θ², at least": str(low), "bound, at most": str(high)}
    return kit.Refutation(refuted(detail, witness, by=kept.certificates), model)


def with_the_sign_mended() -> kit.Refutation:
    """The counterexample with 1 + 0.9λ_minε: the last term lacks 1/|λ_min|."""
    return kit.on(counterexample(), lambda model: decide_bounds([printed(model, sign=-1)]))


CLAIM = kit.Claim(
    id="sy_cor15",
    stated=kit.Reading(
        r"For negative definite $\bar A$ with largest eigenvalue $\lambda_{\min} < 0$, $k \ge \tau$ and "
        r"$\kappa_1\epsilon\tau + \epsilon\gamma_{\max} \le 0.05$: $E\|\Theta_k\|^2 \le (1 - "
        r"0.9\lambda_{\min}\epsilon)^{k-\tau}(1.5\|\Theta_0\| + 0.5b_{\max})^2 + "
        r"\frac{\tilde\kappa_2}{0.9}\epsilon\tau$, with $\gamma_{\max} = 1$.",
        quote="λmin < 0 is the largest eigenvalue of the negative definite matrix Ā",
        place="App. G, before Corollary 15",
    ),
    corrected=kit.Reading(
        r"With $\gamma_{\max} = 1$, $\mu = -\lambda_{\max}(\frac12(\bar A + \bar A^\top)) > 0$, $k \ge \tau$ "
        r"and $\kappa_1\epsilon\tau + \epsilon\le 0.05\mu$: $E\|\Theta_k\|^2 \le (1 - 1.9\mu\epsilon)^{k-\tau}"
        r"(1.5\|\Theta_0\| + 0.5b_{\max})^2 + \frac{\tilde\kappa_2}{1.9\mu}\epsilon\tau$."
    ),
    judge_stated=judge_stated,
    anchors=("Corollary 15",),
    bounds=bounds,
    check=decided(bounds, *CONDITIONS, NORMALISED),
    prove=lambda: kit.proved_for_all(
        "E‖Θ_{k+1}‖² − E‖Θ_k‖² ≤ −2ε(μ − κ_1ετ − ε)E‖Θ_k‖² + κ̃_2ε²τ by Lemmas 4 and 5 with P = I, and 2 · 0.95 = 1.9; "
        "the series, and ‖Θ_τ‖ ≤ 1.5‖Θ_0‖ + 0.5b_max by Lemma 3, as κ_1 ≥ 62 gives ετ ≤ 1/4",
        kit.shown(drift_identity),
    ),
    instances=lambda: [kit.fast_chain(), kit.slow_chain()],
    variant=kit.FalseVariant("It holds with 1 + 0.9λ_minε for 1 − 0.9λ_minε.", with_the_sign_mended),
    constants=(kit.NumericConstant("the 1.9"),),
    notes=(
        "P = I is read, as the line before the corollary sets γ_min = γ_max = 1. With the γ_max of Assumption 3 in "
        "κ_1, κ̃_2 and the condition it follows from Theorem 7 for one feature.",
        "Beside the sign of λ_min, (39) lacks 1/|λ_min| in its last term, and the condition lacks λ_min: with b = 0 "
        "and independent A(X) = ±1 of mean −1/10000 it allows ε = 1/1260, where each update multiplies EΘ² by "
        "1 − 2ε/10000 + ε² > 1.",
        "For an Ā that is not symmetric λ_min must be that of its symmetric part. The drift line has half of "
        "‖Θ_{k+1} − Θ_k‖² and of the first-order term, a factor of two.",
    ),
    rests_on=("sy_lemma3", "sy_lemma4", "sy_lemma5"),
)
