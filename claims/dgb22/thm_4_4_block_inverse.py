r"""The block inverse in the proof of Theorem 4.4, and GTD's limit.

Place: A4.2, the last two displays of the proof.
Statement: [[A_11, A_12], [A_21, 0]]⁻¹ = [[0, A_21⁻¹], [A_12⁻¹, −A_12⁻¹A_11A_21⁻¹]], and so −G⁻¹ = [[0, (Aᵀ)⁻¹], [−A⁻¹,
A⁻¹√ηC(Aᵀ)⁻¹]]. Printed, the last block is A⁻¹√ηCA⁻¹. The limit −G⁻¹(b, 0) = (0, −A⁻¹b) does not see it.
Hypotheses: A nonsingular.
Model: any; each recurrent class on its own.
Check: G times the inverse is the identity at η = 1 and η = 4, exactly; the last block solves AX = C(Aᵀ)⁻¹; the limit is
a rest point.
Closed form: the one equation with the last block is −√ηC·(−(Aᵀ)⁻¹) + A·(−X) = 0.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, RationalMatrix, Verdict, decide_relations, its, solution
from tdcert.theory.identities import algebra as identities
from tdcert.theory.model.key_matrices import theorem_matrices

DENSE_LIMIT = 20
"""Features up to which G and its inverse are multiplied out."""
ROOTS = (Fraction(1), Fraction(2))
"""√η."""
LAST_BLOCK: Expression = solution(its.A, its.C @ solution(its.A.T, its.C))
"""A⁻¹C(Aᵀ)⁻¹·C at η = 1; the factor C (nonsingular with A) stands in for the identity."""
PRINTED_BLOCK: Expression = solution(its.A, its.C @ solution(its.A, its.C))
"""A⁻¹CA⁻¹·C, as printed."""


def prove() -> kit.Proof:
    """The formula multiplied out with free blocks."""
    return kit.proved(
        "A_12A_12⁻¹ = 1, A_11X − A_12A_12⁻¹A_11X = 0, A_21X = 1 with X = A_21⁻¹, free blocks at d = 1, 2 (and by "
        "cancelling at any d)",
        kit.shown(identities.block_inverse_identity, at=(1, 2)),
    )


def inverse_of_gtd(A: RationalMatrix, C: RationalMatrix, root: Fraction) -> tuple[RationalMatrix, RationalMatrix]:
    """G of A4.2 at √η = ``root``, and its inverse by the corrected formula."""
    d = A.shape[0]
    one, zero = A.identity(d), RationalMatrix.zeros(d, d)
    G = C.scaled(-root).block(right=A, below=-A.T, corner=zero)
    X = A.T.solve(one)
    return G, zero.block(right=-X, below=A.solve(one), corner=-(A.solve((C @ X).scaled(root))))


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """G·G⁻¹ = I and the limit, on every recurrent class."""
    keys = theorem_matrices(model, states)
    if keys.A.null_vector() is not None:
        return kit.refuted_where_singular(keys, states, "target", "A is singular, and G with it", "G⁻¹")
    if model.d <= DENSE_LIMIT:
        for root in ROOTS:
            G, inverse = inverse_of_gtd(keys.A, keys.C, root)
            if G @ inverse != G.identity(2 * model.d):
                return kit.refuted("G·G⁻¹ is not the identity", {"G": G.to_strings()})
    rest: Expression = -solution(its.A, its.b)
    relations: list[kit.Relation] = [
        (its.A @ LAST_BLOCK, "=", its.C @ solution(its.A.T, its.C)),
        (its.A @ rest + its.b, "=", 0 * its.b),
    ]
    return decide_relations(
        model, relations, states=states, detail="G times its block inverse is the identity; −A⁻¹b is GTD's limit"
    )


def judge_stated() -> kit.Refutation:
    """θ→2θ with tabular features, γ = ½: A = ½[[−1, ½], [0, −½]], C = ½I; the blocks differ because A ≠ Aᵀ."""
    model = kit.theta_to_two_theta(kit.HALF).with_features(RationalMatrix([[1, 0], [0, 1]]))
    verdict = decide_relations(model, [(PRINTED_BLOCK, "=", LAST_BLOCK)])
    if verdict.status is kit.Status.REFUTED:
        keys = theorem_matrices(model, (0, 1))
        one = keys.A.identity(2)
        printed = keys.A.solve(keys.C @ keys.A.solve(one))
        correct = keys.A.solve(keys.C @ keys.A.T.solve(one))
        witness = {
            "A": keys.A.to_strings(),
            "C": keys.C.to_strings(),
            "printed, η = 1": printed.to_strings(),
            "correct, η = 1": correct.to_strings(),
        }
        detail = "the (2,2) block is A⁻¹√ηC(Aᵀ)⁻¹, not A⁻¹√ηCA⁻¹; the limit does not depend on it"
        verdict = replace(verdict, detail=detail, witness=witness)
    return kit.Refutation(verdict, model)


CLAIM = kit.Claim(
    id="thm_4_4_block_inverse",
    stated=kit.Reading(
        r"$-G^{-1} = \begin{pmatrix} 0 & (A^T)^{-1} \\ -A^{-1} & A^{-1} \sqrt{\eta}\, C A^{-1} \end{pmatrix}$, and "
        "$-G^{-1} (b, 0) = (0, -A^{-1} b)$.",
        quote=r"$A^{-1}\sqrt{\eta}CA^{-1}$",
        place="A4.2, last display but one, last block",
    ),
    corrected=kit.Reading(
        r"$-G^{-1} = \begin{pmatrix} 0 & (A^T)^{-1} \\ -A^{-1} & A^{-1} \sqrt{\eta}\, C (A^T)^{-1} \end{pmatrix}$, and "
        r"$-G^{-1} (b, 0) = (0, -A^{-1} b)$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"-A^{-1} & A^{-1}\sqrt{\eta}CA^{-1}", r"A_{12}^{-1} & -A_{12}^{-1}A_{11}A_{21}^{-1}"),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.COVERAGE, supports=models.uncovered_models, note="an identity of matrices"),
        kit.Ablation(kit.LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=(
        "For d = 1, and wherever A = Aᵀ (on-policy: reversible chains, so every chain of two states), both blocks "
        "agree.",
    ),
)
