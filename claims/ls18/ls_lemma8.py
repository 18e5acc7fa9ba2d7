r"""Lemma 8: errors at different times.

Where: e_i = θ_i − θ*, from independent draws.
Hypotheses: ρ_d > 0, which ρ_s > 0 implies (at ρ_d = 0 the right side has no value).
Model: any, independent draws of TD(0) with ratios at half of 1/B²; t = 10.
Check: both sides in balls; the left one is half of (t + 1)²E‖ê_t‖² − ΣE‖e_i‖².
Closed form: E⟨e_i, e_j⟩ = E e_iᵀ(I − αA)^{j−i}e_i, ‖I − αA‖² = 1 − αρ_d, √(1 − x) ≤ 1 − x/2, and a geometric series.
Proof: the spectral norm by its form, and the series; e_j − F e_i is a sum of noise of mean zero (Lemma 7).
"""

from tdcert.claims import kit
from tdcert.claims.kit import BITS, Evaluated, Fraction, Model, ball, decide_bounds, decided, free, one_state, precision
from tdcert.claims.ls18.averages import FEW_FEATURES, RHO_POSITIVE, Averages, unstable
from tdcert.claims.ls18.ls_lemma11 import dot

TIMES = 10


def bounds(model: Model) -> list[Evaluated]:
    """Both sides after :data:`TIMES` updates."""
    of = Averages.of(model)
    moments, weight = of.td.independent(averaged=True), of.td.weight
    with precision(BITS):
        start = ball(sum((x * x for x in of.td.target.column_entries()), Fraction(0)))
        squares = sum((moments.after(t, of.alpha, weight).last for t in range(1, TIMES + 1)), start)
        whole = moments.after(TIMES + 1, of.alpha, weight).average
        assert whole is not None
        crossed = (whole * (TIMES + 1) ** 2 - squares) / 2
        limit = 2 / (ball(of.alpha) * of.rho_d) * squares
    return [Evaluated("Σ E⟨e_i, e_j⟩", crossed, limit, TIMES, f"α = {of.alpha}, independent draws")]


def norm_identity(d: int) -> bool:
    """‖(I − αA)x‖² = ‖x‖² − α xᵀ(A + Aᵀ − αAᵀA)x, free A, α, x."""
    _, entries, alpha, x = free(A=d * d, a=(), x=d)
    y = [dot(entries[i * d : (i + 1) * d], x) for i in range(d)]
    moved = [x[i] - alpha * y[i] for i in range(d)]
    return bool(dot(moved, moved) == dot(x, x) - alpha * (2 * dot(x, y) - alpha * dot(y, y)))


def series_identity(n: int) -> bool:
    """xΣ_{k=1}^n (1 − x)^k = (1 − x) − (1 − x)^{n+1}, and (1 − x/2)² − (1 − x) = x²/4."""
    _, x = free(x=())
    total = sum(((1 - x) ** k for k in range(1, n + 1)), start=0 * x)
    return bool(x * total == (1 - x) - (1 - x) ** (n + 1)) and bool(4 * (1 - x / 2) ** 2 - 4 * (1 - x) == x * x)


def one_percent_less() -> kit.Refutation:
    """One state, φ = 1, γ = 999/1000, α = 1/2: e_i = qⁱe_0 with q = 1999/2000, and q(1 + q) > 1.98 to which 2 is
    compared.
    """
    model, q, t = one_state(Fraction(999, 1000)), Fraction(1999, 2000), 50_000
    with precision(BITS):
        x = ball(q)
        squares = (1 - x ** (2 * t + 2)) / (1 - x**2)
        crossed = (((1 - x ** (t + 1)) / (1 - x)) ** 2 - squares) / 2
        limit = ball(Fraction(198, 100)) / (1 - x**2) * squares
    found = Evaluated("Σ⟨e_i, e_j⟩/‖e_0‖²", crossed, limit, t, "α = 1/2, noise-free, q = 1999/2000")
    return kit.Refutation(decide_bounds([found]), model)


CLAIM = kit.Claim(
    id="ls_lemma8",
    stated=kit.Reading(
        r"If $\rho_d(\alpha, P_A) > 0$, then $\sum_{i=0}^{t-1}\sum_{j=i+1}^{t} E\langle e_i, e_j\rangle \le "
        r"\frac{2}{\alpha\rho_d(\alpha, P_A)} \sum_{i=0}^{t} E\|e_i\|^2$.",
        quote="Assume that ρd (α, PA ) ≥ 0. Then it holds that",
        place="App. A.2, Lemma 8",
    ),
    anchors=("Lemma 8", "proportional to the contribution of the “diagonal terms”"),
    bounds=bounds,
    check=decided(bounds, FEW_FEATURES),
    prove=lambda: (
        kit.proved(
            "‖(I − αA)x‖² = ‖x‖² − αxᵀ(A + Aᵀ − αAᵀA)x, symbolic A, α, x, d = 1, 2, 3: so E⟨e_i, (I − αA)^k e_i⟩ ≤ "
            "(1 − αρ_d/2)^k E‖e_i‖²",
            kit.shown(norm_identity, at=(1, 2, 3)),
        )
        + kit.proved_for_all(
            "√(1 − x) ≤ 1 − x/2, and x times a sum of powers of 1 − x is at most 1, n = 1 … 6 and by induction",
            kit.shown(series_identity, at=range(1, 7)),
        )
    ),
    variant=kit.FalseVariant("It holds with 198/100 for the 2.", one_percent_less),
    constants=(kit.NumericConstant("the 2 in 2/(αρ_d)", one_percent_less),),
    ablations=(kit.Ablation(RHO_POSITIVE, counterexample=unstable),),
)
