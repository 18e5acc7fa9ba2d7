r"""A Hurwitz E A_t is necessary for bounded iterates.

Where: A = E A_t, and E‖θ_t‖² is that at some α > 0.
Model: any, its independent pairs with their importance-sampling ratios; each recurrent class on its own.
Check: A is Hurwitz, by a form W; or it has an eigenvalue with a negative real part, by a form that grows.
Closed form: |1 − αz|² = 1 − 2αx + α²(x² + y²) for an eigenvalue z = x + iy: above 1 if x ≤ 0 and z ≠ 0, and then
E‖e_t‖² ≥ ‖(I − αA)ᵗe_0‖² is unbounded.
Proof: the factor of an eigenvalue; the mean of squares is at least the square of the mean.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import Model, Name, Relation, States, Status, Verdict, free, total
from tdcert.claims.ls18.hurwitz import NO_CHAIN, NONSINGULAR, SHEAR, decide_hurwitz, mean


def square_of_a_factor() -> bool:
    """(1 − αx)² + (αy)² = 1 − 2αx + α²(x² + y²), symbolic."""
    _, x, y, alpha = free(x=(), y=(), a=())
    return bool((1 - alpha * x) ** 2 + (alpha * y) ** 2 == 1 - 2 * alpha * x + alpha**2 * (x**2 + y**2))


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    found, _ = decide_hurwitz(model, states)
    if found.status is not Status.REFUTED or mean(model, states).rank < model.d:
        return found
    return replace(found, status=Status.HOLDS, detail=f"{found.detail}: E θ_t grows without bound", witness={})


def definite_is_needed() -> kit.Refutation:
    """A_t = A of App. A.1, b_t = 0, α = 1: (I − A)² = 0, so e_2 = 0 from every start; and xᵀAx = −8 at x = (1, 1)."""
    M = (SHEAR.identity(2) - SHEAR).rows
    squared = [total([Name(M[i][k]) * Name(M[k][j]) for k in (0, 1)]) for i in (0, 1) for j in (0, 1)]
    bounded: list[Relation] = [(entry, "=", Name(0)) for entry in squared]
    form = total([Name(x) for row in SHEAR.rows for x in row])
    found = kit.decide_relations(NO_CHAIN, [*bounded, (Name(0), "<", form)])
    return kit.explained(
        found, NO_CHAIN, "A = [[1, −10], [0, 1]], α = 1, (I − A)² = 0", "wanted above", "xᵀAx at (1, 1)"
    )


CLAIM = kit.Claim(
    id="ls_hurwitz_needed",
    stated=kit.Reading(
        r"If $A$ is nonsingular and $E\|\theta_t\|^2$ is bounded from every $\theta_0$, then $A$ is Hurwitz.",
        quote="the assumption that $A_P$ is Hurwitz is necessary for the boundedness",
        place="§2, after Assumption 1",
    ),
    anchors=("Assumption 1",),
    check=check,
    prove=kit.proof("|1 − αz|² = 1 − 2α Re z + α²|z|², symbolic: above 1 for Re z ≤ 0, z ≠ 0", square_of_a_factor),
    variant=kit.FalseVariant("It is necessary that A + Aᵀ is positive definite.", definite_is_needed),
    ablations=(
        kit.Ablation(NONSINGULAR, box=models.TWO_CLASSES, note="A_t = 0 = b_t is bounded: the paper assumes it"),
    ),
)
