r"""Decides which polynomial step sizes meet the assumptions.

Place: §4, Assumptions 1, 4 and 5.
Statement: α_t = a/(t + t0)^p with a, t0 > 0 meets Assumption 1 exactly for ½ < p ≤ 1. With β_t = b/(t + t0)^q,
Assumption 4 (one ratio η) holds exactly if also q = p, Assumption 5 (α_t/β_t → 0) exactly if q meets the same bounds
and p > q.
Hypotheses: none; t0 > 0 only makes α_0 finite.
Model: any; the statement is about step sizes alone, and every certificate carries the same inequalities.
Check: block sums of t^{−p} and t^{−2p} at exponents on both sides of each boundary, and α_t/β_t of every two, exact.
Closed form: the block sums grow by the factor 2^{m(1−p)}, p = j/m; α_t/β_t = (a/b)(t + t0)^{q−p}.
"""

from collections.abc import Callable

from tdcert.claims import kit
from tdcert.claims.kit import Fraction, Model, Relation, Verdict, decide_along, shown
from tdcert.theory.check import polynomial_steps
from tdcert.theory.identities.return_weights import geometric_step

EXPONENTS = tuple(Fraction(x) for x in ("1/4", "9/20", "1/2", "11/20", "2/3", "1", "21/20", "3/2"))


def prove() -> kit.Proof:
    """Condensation: blocks, the geometric sum, the shift t0; and the decision on a fine grid."""
    shown(geometric_step, polynomial_steps.shift_identity)
    blocks = 6
    kit.require(all(polynomial_steps.bounds_hold(p, blocks) for p in (1, 2, 3)), "a block sum leaves its bounds")
    grid = {Fraction(j, m) for m in range(1, 41) for j in range(0, 2 * m + 1)}
    kit.require(
        all(polynomial_steps.robbins_monro(p) == admissible(p) for p in grid),
        "Assumption 1 does not hold exactly for ½ < p ≤ 1",
    )
    inside = sorted(p for p in grid if admissible(p) and p.denominator <= 12)
    exponents = [(p, q, polynomial_steps.ratio_exponent(p, q)) for p in inside for q in inside]
    kit.require(
        all((e < 0) is (q < p) and (e == 0) is (q == p) for p, q, e in exponents),
        "the ratio of the steps tends to zero, or is constant, for other exponents",
    )
    return kit.proved(
        "every p = j/m in [0, 2] with m up to 40, decided by condensation (Cauchy, cited) against ½ < p ≤ 1: "
        "blocks 2^(mk) ≤ t < 2^(m(k+1)) grow by 2^(m−j), the geometric sum and the shift t ≤ t + t0 ≤ (1 + t0)t "
        "on symbols; the bounds of the blocks themselves "
        f"on the first {blocks} for p = 1, 2, 3. Exponents between follow as t^(−p) falls in p",
        len(grid),
    ) + kit.proved(
        "α_t/β_t = (a/b)(t + t0)^(q−p) falls to zero iff q < p and is constant iff q = p, every pair in (½, 1] "
        "with denominators up to 12",
        len(exponents),
    )


def admissible(p: Fraction) -> bool:
    """½ < p ≤ 1."""
    return Fraction(1, 2) < p <= 1


def inequalities(qualifies: Callable[[Fraction], bool]) -> list[Relation]:
    """Σ α_t = ∞ and Σ α_t² < ∞ at every exponent that qualifies; at another, the one of the two that fails."""
    relations: list[Relation] = []
    for p in EXPONENTS:
        if qualifies(p):
            relations += [
                polynomial_steps.block_relation(p, finite=False),
                polynomial_steps.block_relation(2 * p, finite=True),
            ]
        else:
            relations.append(
                polynomial_steps.block_relation(p, finite=True)
                if p > 1
                else polynomial_steps.block_relation(2 * p, finite=False)
            )
    inside = [p for p in EXPONENTS if qualifies(p)]
    pairs = [(p, q) for p in inside for q in inside]
    return relations + [polynomial_steps.ratio_relation(p, q, "<" if q < p else "=") for p, q in pairs if q <= p]


def check(model: Model) -> Verdict:
    """The inequalities at eight exponents, and the ratio of every two that qualify."""
    shown = ", ".join(map(str, EXPONENTS))
    return decide_along(model, (), (), others=inequalities(admissible), detail=f"block sums at p = {shown}")


CLAIM = kit.Claim(
    id="step_size_conditions",
    stated=kit.Reading(
        r"Assumption 1: $\alpha_t > 0$, $\sum \alpha_t = \infty$ and $\sum \alpha_t^2 < \infty$. Assumptions 4 and 5: "
        r"the same of $\beta_t$, and $\beta_t / \alpha_t = \eta$ (4), or $\alpha_t / \beta_t \to 0$ (5). (An "
        "assumption states no theorem; what is judged is that there are such steps.)",
        quote=(
            r"The step-sizes $\alpha_t$ are positive and satisfy $\sum_t \alpha_t = \infty$ and $\sum_t \alpha_t^2 < "
            r"\infty$"
        ),
        place="§4, Assumption 1",
    ),
    sharper=kit.Reading(
        r"$\alpha_t = a / (t + t_0)^p$ with $a, t_0 > 0$ meets Assumption 1 exactly for $\frac{1}{2} < p \leq 1$; "
        r"with $\beta_t = b / (t + t_0)^q$, $\frac{1}{2} < q \leq 1$, Assumption 4 asks for $q = p$ and Assumption 5 "
        "for $q < p$."
    ),
    anchors=(
        r"\(\frac{\beta_k}{\alpha_k} = \eta\;\; \forall k \geq 0.\)",
        r"\(\frac{\alpha_k}{\beta_k}\rightarrow0 \mbox{ as } k\rightarrow\infty.\)",
    ),
    check=check,
    prove=prove,
    notes=(
        "With different shifts t0 in α and β Assumption 4 fails: the ratio tends to b/a without being constant.",
        "Constant steps meet none of the assumptions.",
    ),
)
