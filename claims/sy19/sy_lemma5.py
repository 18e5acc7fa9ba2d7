r"""Lemma 5: the first-order term of the drift.

Where: ετ ≤ 1/4. App. C has the proof.
Hypotheses: ‖A(X)‖ ≤ 1, Ā Hurwitz, a mixing time τ.
Model: TD(0) with one feature, k = τ from each state; ε the largest power of ½ with ετ(ε) ≤ 1/4.
Check: both sides in balls.
Closed form: for ετ ≥ 1/31 the left side is at most γ_max(2‖Θ‖² + b_max‖Θ‖); else ‖Θ_0‖² ≤ 2‖Θ_τ‖² + 2‖Θ_τ − Θ_0‖² in
the place of step (c) of (27) leaves room.
"""

from dataclasses import replace

from tdcert.claims import kit
from tdcert.claims.kit import BITS, Evaluated, Fraction, Model, ball, decided, fast_chain, free, precision, slow_chain
from tdcert.claims.sy19.drift import CONDITIONS, NORMALISED, CentredTD

EDGE = Fraction(1, 31)
"""Where the two cases of the proof meet."""


def bounds(model: Model) -> list[Evaluated]:
    """From each state."""
    return from_states(model, 1)


def from_states(model: Model, factor: int) -> list[Evaluated]:
    """Both sides after τ updates from each state; ``factor``: of the right one."""
    of = CentredTD.of(model)
    epsilon = Fraction(1, 4)
    while epsilon * (tau := of.tau(epsilon)) > Fraction(1, 4):
        epsilon /= 2
    mean, found = of.td.A[0, 0], []
    for s in range(len(of.td.states)):
        start = [Fraction(int(h == s)) for h in range(len(of.td.states))]
        held = replace(of.td.path(), start=start).by_node(tau, epsilon)
        with precision(BITS):
            rows = list(zip(held, *of.means, strict=True))
            left = sum((ball(mean - a[0, 0]) * y[0, 0] - ball(b[0, 0]) * y[0, 1] for y, a, b in rows), ball(0))
            square = sum((y[0, 0] for y in held), ball(0))
            right = factor * (ball(of.kappa_1) * square + ball(of.kappa_2)) * ball(epsilon * tau)
            found.append(Evaluated("|E ΘP(ĀΘ − ΔΘ/ε)|", abs(left) * ball(of.P), right, tau, f"ε = {epsilon}"))
    return found


def cases() -> bool:
    """The coefficients of ‖Θ_τ‖² and of 1 in both cases, as polynomials in b = b_max with γ_max and x = ετ divided out:
    those of 62(1 + b) and 55(1 + b)³ are larger, power by power.
    """
    large = [(2 / EDGE * Fraction(1, 1), Fraction(1, 2) / EDGE), (Fraction(0), Fraction(1, 2) / EDGE)]
    over = EDGE * 32  # 32x² ≤ over · x
    head, tail = (19 * EDGE + 2, 10 * EDGE)
    small = [(19 + head * over, 10 + tail * over), (Fraction(1, 2), Fraction(5), 2 + head * over, tail * over)]
    limits = (62, 62), (55, 165, 165, 55)
    return all(
        x <= y
        for case in (large, small)
        for part, limit in zip(case, limits, strict=True)
        for x, y in zip(part, limit, strict=False)
    )


def squares() -> bool:
    """2x² + 2y² − (x + y)² = (x − y)², and x² + 1 − 2x = (x − 1)²."""
    _, x, y = free(x=(), y=())
    return bool(2 * x**2 + 2 * y**2 - (x + y) ** 2 == (x - y) ** 2 and x**2 + 1 - 2 * x == (x - 1) ** 2)


def with_no_mixing_time() -> kit.Refutation:
    """Rows (½, ½): the left side is not zero, as X_k and Θ_k are not independent."""
    return kit.on(fast_chain(), lambda model: kit.decide_bounds(from_states(model, 0)))


CLAIM = kit.Claim(
    id="sy_lemma5",
    stated=kit.Reading(
        r"For $k \ge \tau$: $|E[\Theta_k^\top P(\bar A\Theta_k - \frac1\epsilon(\Theta_{k+1} - \Theta_k)) | "
        r"\Theta_{k-\tau}, X_{k-\tau}]| \le \kappa_1\epsilon\tau E[\|\Theta_k\|^2 | \Theta_{k-\tau}] + "
        r"\kappa_2\epsilon\tau$, with $\kappa_1 = 62\gamma_{\max}(1 + b_{\max})$, $\kappa_2 = 55\gamma_{\max}(1 + "
        r"b_{\max})^3$.",
        quote="Lemma 5 The following inequality holds for all k ≥ τ",
        place="§2.2, Lemma 5",
    ),
    anchors=("Lemma 5",),
    bounds=bounds,
    check=decided(bounds, *CONDITIONS, NORMALISED),
    prove=lambda: kit.proved_for_all(
        "ετ ≥ 1/31: ‖ĀΘ − AΘ − b‖ ≤ 2‖Θ‖ + b_max and 2‖Θ‖ ≤ 1 + ‖Θ‖². ετ ≤ 1/31: (23) to (26) of the proof, ‖Θ_0‖² ≤ "
        "2‖Θ_τ‖² + 2‖Δ‖² and ‖Δ‖² ≤ 32ε²τ²(‖Θ_τ‖² + b_max²) (Lemma 3), coefficient by coefficient in b_max",
        kit.shown(cases, squares),
    ),
    instances=lambda: [fast_chain(), slow_chain()],
    variant=kit.FalseVariant("It holds with τ = 0, as for independent draws from zero on.", with_no_mixing_time),
    constants=(kit.NumericConstant("the 62 in κ_1"), kit.NumericConstant("the 55 in κ_2")),
    notes=(
        "From (b) to (c) of (27) 14ετ(b_max + 1) passes from ‖Θ_0‖² to ‖Θ_τ‖². For A(X) = −1, b(X) = 0, Θ_0 = 1, "
        "τ = 1, ε = ¼ it is 43/8 before and 131/32 after, without γ_max. The lemma holds, by the proof here.",
    ),
    rests_on=("sy_lemma3",),
)
