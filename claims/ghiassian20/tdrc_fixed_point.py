r"""TDRC rests where TD rests, and nowhere else, where −β is no eigenvalue of A.

Where: it rests at y = (θ, w) where Jy + (b, ηb) = 0.
Model: any, its schedule apart; each recurrent class on its own, at β = 1 and β = 1/5.
Check: det J ≠ 0, and y is a rest point.
Closed form: det J = (−1)²ᵈ ηᵈ det A det(β + A): from a rest point (β + Aᵀ)w = 0, and then Aθ = b.
Proof: w = 0 from the difference of the two rows, then Aθ = b.
"""

from tdcert.claims import kit, models
from tdcert.claims.ghiassian20.tdrc import NONSINGULAR, A, joint, regular
from tdcert.claims.kit import COVERAGE, Fraction, Model, Name, Verdict, free, solution, table, theta_to_two_theta
from tdcert.claims.means import PAID

BETAS = (Fraction(1), Fraction(1, 5))
NO_EIGENVALUE = regular("beta_no_eigenvalue", r"$-\beta$ is no eigenvalue of $A$, $\beta = 1, 1/5$", BETAS)


def rest_identity(d: int) -> bool:
    """Rows of J(θ, w) + (b, ηb), the second over η less the first: −(β + Aᵀ)w; free A, C, b, θ, w, β."""
    _, A, C, b, theta, w, beta = free(a=(d, d), c=(d, d), b=(d, 1), t=(d, 1), w=(d, 1), e=())
    first = b - A @ theta - (C - A.T) @ w
    second = b - A @ theta - C @ w - w.scaled(beta)
    return bool((second - first + w.scaled(beta) + A.T @ w).is_zero())


def rests(model: Model, states: kit.States, betas: tuple[Fraction, ...]) -> Verdict:
    """det J ≠ 0 and the rest point, at η = 1."""
    relations = list[kit.Relation]()
    zero = Name(0) * PAID
    for beta in betas:
        J = joint(model, beta)
        relations += [
            (kit.determinant(J), "!=", Name(0)),
            (J @ table([[solution(A, PAID)], [zero]]) + table([[PAID], [PAID]]), "=", table([[zero], [zero]])),
        ]
    return kit.decide_relations(model, relations, states=states, detail="det J ≠ 0, and (A⁻¹b, 0) is the rest point")


def at_its_eigenvalue() -> kit.Refutation:
    """θ→2θ, γ = 9/10, β = 1/5: A = −1/5, and J is singular."""
    return kit.on(theta_to_two_theta(Fraction(9, 10)), rests, (0, 1), (Fraction(1, 5),))


CLAIM = kit.Claim(
    id="tdrc_fixed_point",
    stated=kit.Reading(
        r"If $A$ and $A + \beta I$ are nonsingular, TDRC's mean update rests at $\theta = A^{-1}b$, $w = 0$ and "
        r"nowhere else."
    ),
    check=lambda model: kit.on_each_class(lambda states: rests(model, states, BETAS), model),
    prove=lambda: kit.proved(
        "the two rows differ by (β + Aᵀ)w: symbolic A, C, b, θ, w, β, d = 1 … 3", kit.shown(rest_identity, at=(1, 2, 3))
    ),
    variant=kit.FalseVariant("It does so wherever A is nonsingular.", at_its_eigenvalue),
    ablations=(
        kit.Ablation(NONSINGULAR, box=models.TWO_CLASSES),
        kit.Ablation(NO_EIGENVALUE, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        kit.Ablation(COVERAGE.at("our own"), supports=models.uncovered_models),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, NONSINGULAR)),
    ),
)
