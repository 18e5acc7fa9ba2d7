r"""A ridge on emphatic TD(0) with exact emphasis: definite for every η ≥ 0, with solutions of size |b|/η at most.

Where: A = −Φᵀ diag(m)(I − N)Φ, (I − Nᵀ)m = d, and (η − A)θ_η = b.
Model: any, its schedule apart; each recurrent class on its own, the bound at η = 1 and 1/10.
Check: −A − Aᵀ ≻ 0, and |b|² − η²|θ_η|² ≥ 0.
Closed form: |b|² = η²|θ|² − 2ηθᵀAθ + |Aθ|² ≥ η²|θ|².
Proof: yu_semidefinite's squares with m − Nᵀm = d > 0 on the class, and the size of b.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import emphasis, every, form_identity, mean_matrix, without_discount
from tdcert.claims.kit import C_POSITIVE, COVERAGE, Expression, Fraction, Model, Name, Verdict, free, identity, its
from tdcert.claims.manek22.mk_divergence import too_small

M: Expression = emphasis(every(0), its.d)
A: Expression = mean_matrix(every(0), M)


def size_identity(d: int) -> bool:
    """|(η − A)θ|² = η²|θ|² − 2ηθᵀAθ + |Aθ|² for a free A, θ, η."""
    _, A, theta, eta = free(a=(d, d), t=(d, 1), e=())
    b = theta.scaled(eta) - A @ theta
    parts = (theta.T @ theta).scaled(eta**2) - (theta.T @ A @ theta).scaled(2 * eta) + (A @ theta).T @ A @ theta
    return bool((b.T @ b - parts).is_zero())


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    b, unit = its.Phi.T @ kit.diagonal(M) @ its.r, identity(model.d)
    try:
        definite = kit.decide_definite(model, -A, states, "−A ≻ 0 for emphatic TD(0), and so η − A for every η ≥ 0")
        relations = []
        for eta in (Fraction(1), Fraction(1, 10)):
            theta = kit.solution(Name(eta) * unit - A, b)
            relations.append((Name(eta**2) * (theta.T @ theta), "<=", b.T @ b))
        return kit.together((definite, kit.decide_relations(model, relations, states=states)), definite.detail)
    except kit.SingularMatrixError:
        return without_discount(states, model, "emphasis grows without a mean", "m")


CLAIM = kit.Claim(
    id="mk_etd",
    stated=kit.Reading(
        r"With exact emphasis and $C \succ 0$, $\eta I - A$ of emphatic TD(0) is positive definite for every "
        r"$\eta \ge 0$, and $|\theta_\eta| \le |b|/\eta$: no ridge makes it diverge."
    ),
    check=check,
    prove=lambda: kit.proved(
        "vᵀGv in squares, n = 1 … 4, G = diag(m)(I − N) + (I − N)ᵀdiag(m); |(η − A)θ|², d = 1 … 3",
        kit.shown(form_identity, at=range(1, 5)),
        kit.shown(size_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("It is so of off-policy TD(0).", too_small),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("our own"), box=models.UNDISCOUNTED),
        kit.Ablation(C_POSITIVE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(COVERAGE.at("our own"), supports=models.uncovered_models),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, C_POSITIVE)),
    ),
    notes=("Nothing is said of another regulariser, or of learnt emphasis.",),
)
