r"""A ridge on emphatic TD(0) with exact emphasis: definite for every η ≥ 0, with solutions of size |b|/η at most.

Place: our own; the paper was not read.
Statement: A = −Φᵀ diag(m)(I − N)Φ, (I − Nᵀ)m = d, is negative definite, and |θ_η| ≤ |b|/η for (η − A)θ_η = b.
Hypotheses: episodes of discounts end; C ≻ 0. Not needed: coverage, an irreducible chain.
Model: any, its schedule apart; each recurrent class on its own, the bound at η = 1 and 1/10.
Check: −A − Aᵀ ≻ 0, and |b|² − η²|θ_η|² ≥ 0.
Closed form: |b|² = η²|θ|² − 2ηθᵀAθ + |Aθ|² ≥ η²|θ|².
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.definite import decide_definite, identity
from tdcert.claims.emphasis import emphasis, every, form_identity, mean_matrix, without_discount
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, proved, shown
from tdcert.claims.manek22.mk_divergence import too_small
from tdcert.claims.models import TWO_CLASSES, UNDISCOUNTED, meeting, reducible_models, uncovered_models
from tdcert.claims.verdicts import Verdict, on_each_class
from tdcert.theory.check.hypotheses import C_POSITIVE, COVERAGE, EPISODES_END, IRREDUCIBLE
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.expressions.notation import Name, diagonal, its, solution
from tdcert.theory.expressions.paths import together
from tdcert.theory.expressions.relations import Expression, decide_relations
from tdcert.theory.identities.symbols import free

M: Expression = emphasis(every(0), its.d)
A: Expression = mean_matrix(every(0), M)


def size_identity(d: int) -> bool:
    """|(η − A)θ|² = η²|θ|² − 2ηθᵀAθ + |Aθ|² for a free A, θ, η."""
    _, A, theta, eta = free(a=(d, d), t=(d, 1), e=())
    b = theta.scaled(eta) - A @ theta
    parts = (theta.T @ theta).scaled(eta**2) - (theta.T @ A @ theta).scaled(2 * eta) + (A @ theta).T @ A @ theta
    return bool((b.T @ b - parts).is_zero())


def prove() -> Proof:
    """yu_semidefinite's squares with m − Nᵀm = d > 0 on the class, and the size of b."""
    return proved(
        "vᵀGv in squares, n = 1 … 4, G = diag(m)(I − N) + (I − N)ᵀdiag(m); |(η − A)θ|², d = 1 … 3",
        shown(form_identity, at=range(1, 5)),
        shown(size_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """On every recurrent class."""
    b, unit = its.Phi.T @ diagonal(M) @ its.r, identity(model.d)

    def decide(states: tuple[int, ...]) -> Verdict:
        try:
            definite = decide_definite(model, -A, states, "−A ≻ 0 for emphatic TD(0), and so η − A for every η ≥ 0")
            relations = []
            for eta in (Fraction(1), Fraction(1, 10)):
                theta = solution(Name(eta) * unit - A, b)
                relations.append((Name(eta**2) * (theta.T @ theta), "<=", b.T @ b))
            return together((definite, decide_relations(model, relations, states=states)), definite.detail)
        except SingularMatrixError:
            return without_discount(states, model, "emphasis grows without a mean", "m")

    return on_each_class(decide, model)


CLAIM = Claim(
    id="mk_etd",
    stated=Reading(
        r"With exact emphasis and $C \succ 0$, $\eta I - A$ of emphatic TD(0) is positive definite for every "
        r"$\eta \ge 0$, and $|\theta_\eta| \le |b|/\eta$: no ridge makes it diverge."
    ),
    check=check,
    prove=prove,
    variant=FalseVariant("It is so of off-policy TD(0).", too_small),
    ablations=(
        Ablation(EPISODES_END.at("our own"), box=UNDISCOUNTED),
        Ablation(C_POSITIVE.at("our own"), box=TWO_CLASSES),
        Ablation(COVERAGE.at("our own"), supports=uncovered_models),
        Ablation(IRREDUCIBLE.at("our own"), supports=meeting(reducible_models, C_POSITIVE)),
    ),
    notes=("Nothing is said of another regulariser, or of learnt emphasis.",),
)
