r"""A nonsingular A implies independent features on every recurrent class, so that full rank need not be asked.

Model: any, under its schedule; each recurrent class on its own.
Check: the rank of Φ on the class.
Closed form: A = ΦᵀD(…) with D zero off the class: Φx = 0 there gives xᵀA = 0.
Proof: DΦx = 0 gives xᵀA = 0.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import A_NONSINGULAR, COVERAGE, IRREDUCIBLE, Model, Verdict, free, holds, one_state, refuted
from tdcert.theory.certificate.bodies import rank_certificate
from tdcert.theory.model.key_matrices import theorem_matrices


def left_identity(n: int) -> bool:
    """xᵀ(ΦᵀDK) = (DΦx)ᵀK for a free Φ (n×2), D, K, x."""
    _, Phi, law, K, x = free(f=(n, 2), d=(n, 1), k=(n, n), x=(2, 1))
    return bool((x.T @ (Phi.T @ K.scale_rows(law)) - ((Phi @ x).scale_rows(law)).T @ K).is_zero())


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    kept = rank_certificate(model.features, states)
    if kept.kind == "full_column_rank":
        return holds("Φ has full column rank on the class", by=[kept])
    return refuted("Φx = 0 on the class", {"x": kept.witness["vector"]}, by=[kept])


def the_other_way() -> kit.Refutation:
    """One state, φ = 1, γ = 1: A = 0."""
    return kit.on(one_state(1), lambda model: kit.refuted_where_singular(theorem_matrices(model, (0,)), (0,), "target"))


CLAIM = kit.Claim(
    id="p31172_rank",
    stated=kit.Reading(r"If $A$ is nonsingular, the columns of $\Phi$ are independent on every recurrent class."),
    check=check,
    prove=kit.proof("xᵀΦᵀDK = (DΦx)ᵀK: symbolic Φ, D, K, x, n = 1 … 3", left_identity, at=(1, 2, 3)),
    variant=kit.FalseVariant("Independent features have a nonsingular A.", the_other_way),
    ablations=(
        kit.Ablation(A_NONSINGULAR.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(COVERAGE.at("our own"), supports=models.uncovered_models),
        kit.Ablation(IRREDUCIBLE.at("our own"), supports=models.meeting(models.reducible_models, A_NONSINGULAR)),
    ),
)
