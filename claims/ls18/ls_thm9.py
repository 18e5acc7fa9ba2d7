r"""Theorem 9: the mean squared error of averages at a constant step.

Where: σ_1² = 2(σ_A²‖θ*‖² + σ_b²), from independent draws.
Hypotheses: ρ_s > 0 (ρ_s ≥ 0 is printed, and at 0 the right side has no value).
Model: any, independent draws of TD(0) with ratios at half of 1/B²; t = 1,000.
Check: both sides in balls, the moment by a power of the matrix of all second moments of (θ_t − θ*, Σe_i, 1).
Closed form: ‖Σe_i‖² = Σ‖e_i‖² + 2Σ_{i<j}⟨e_i, e_j⟩, Lemma 8, and ‖e_i‖² ≤ 2‖Fe_0‖² + 2‖αΣFζ‖².
"""

from tdcert.claims import kit
from tdcert.claims.kit import BITS, Evaluated, Fraction, Model, ball, decide_bounds, decided, free, one_state, precision
from tdcert.claims.ls18.averages import FEW_FEATURES, RHO_POSITIVE, Averages, unstable
from tdcert.claims.ls18.ls_lemma8 import series_identity

TIME = 1_000


def bounds(model: Model) -> list[Evaluated]:
    """Both sides after :data:`TIME` updates."""
    return [evaluated(Averages.of(model), TIME)]


def evaluated(of: Averages, t: int, crossed: int = 4) -> Evaluated:
    """Both sides after t updates; ``crossed``: the 4 of 1 + 4/(αρ_d)."""
    exact = of.td.independent(averaged=True).after(t + 1, of.alpha, of.td.weight).average
    assert exact is not None
    with precision(BITS):
        alpha, start = ball(of.alpha), ball(sum((x * x for x in of.td.target.column_entries()), Fraction(0)))
        rest = start / (t + 1) ** 2 + alpha**2 * ball(of.noise) / (t + 1)
        bound = (1 + crossed / (alpha * of.rho_d)) * (2 / (alpha * of.rho_s)) * rest
    return Evaluated("E‖θ̂_t − θ*‖²", exact, bound, t, f"α = {of.alpha}, independent draws")


def parallelogram() -> bool:
    """2a² + 2b² − (a + b)² = (a − b)², and (a + b)² = a² + b² + 2ab."""
    _, a, b = free(a=(), b=())
    return bool(2 * a**2 + 2 * b**2 - (a + b) ** 2 == (a - b) ** 2 and (a + b) ** 2 == a**2 + b**2 + 2 * a * b)


def without_cross_terms() -> kit.Refutation:
    """One state, φ = 1, γ = 9/10, α = 1/2: the errors decay slowly, so those of neighbouring times are alike."""
    model = one_state(Fraction(9, 10))
    return kit.Refutation(decide_bounds([evaluated(Averages.of(model), TIME, crossed=0)]), model)


CLAIM = kit.Claim(
    id="ls_thm9",
    stated=kit.Reading(
        r"If $\rho_s(\alpha, P_A) > 0$, then $E\|\hat e_t\|^2 \le \left(1 + \frac{4}{\alpha\rho_d}\right)"
        r"\frac{2}{\alpha\rho_s}\left(\frac{\|e_0\|^2}{(t+1)^2} + \frac{\alpha^2\sigma_1^2}{t+1}\right)$.",
        quote="Theorem 9. Assume that ρs (α, PA ) ≥ 0.",
        place="App. A.2, Theorem 9",
    ),
    anchors=("Theorem 9", "Combining (7) and Lemma 8 we get"),
    bounds=bounds,
    check=decided(bounds, FEW_FEATURES),
    prove=lambda: kit.proved_for_all(
        "(t + 1)²E‖ê_t‖² ≤ (1 + 4/(αρ_d))ΣE‖e_i‖² by Lemma 8, as ρ_d ≥ ρ_s > 0; E‖e_i‖² ≤ 2(1 − αρ_s)ⁱ‖e_0‖² + "
        "2α²σ_1²/(αρ_s) by Lemma 7 and 2a² + 2b² − (a + b)² = (a − b)²; the sums are geometric",
        kit.shown(parallelogram),
        kit.shown(series_identity, at=range(1, 7)),
    ),
    variant=kit.FalseVariant("It holds without 4/(αρ_d).", without_cross_terms),
    constants=(kit.NumericConstant("the 4 in 1 + 4/(αρ_d)"), kit.NumericConstant("the 2 in 2/(αρ_s)")),
    ablations=(kit.Ablation(RHO_POSITIVE, counterexample=unstable),),
    notes=("ρ_s ≥ 0 is printed; at ρ_s = 0 the right side has no value, so that > is meant.",),
    rests_on=("ls_lemma8",),
)
