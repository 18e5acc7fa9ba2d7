r"""No step is universal already for diagonal matrices of size two.

Note: the supremum is 4λ_1λ_2/(λ_1 + λ_2)², at α = 2/(λ_1 + λ_2).
Hypotheses: both are positive, asked as ΦᵀDΦ ≻ 0.
Model: any; λ_1 and λ_2 are the least and the largest entry on the diagonal of ΦᵀDΦ; each recurrent class on its own.
Check: one of the λ_i has αλ_i(2 − αλ_i) no larger at seven steps below 2/λ_2, and both have that value at the last.
Closed form: αλ(2 − αλ) = 1 − (1 − αλ)², and λ_2(1 − αλ_1) − λ_1(1 − αλ_2) = λ_2 − λ_1.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Fraction, Model, Name, States, Verdict, decide_relations, free, its


def meeting_identity() -> bool:
    """Both are 4λ_1λ_2/(λ_1 + λ_2)² at α = 2/(λ_1 + λ_2), and λ_2(1 − αλ_1) − λ_1(1 − αλ_2) = λ_2 − λ_1 for every α."""
    _, x, y, alpha = free(x=(), y=(), a=())
    both = all(2 * z * (2 * (x + y) - 2 * z) == 4 * x * y for z in (x, y))
    return bool(both and y * (1 - alpha * x) - x * (1 - alpha * y) == y - x)


@kit.each_class
def at_most(model: Model, states: States, factor: Fraction) -> Verdict:
    """Whether the supremum is ``factor`` · λ_1λ_2/(λ_1 + λ_2)²."""
    C = kit.evaluate(its.C, Context(model, states))
    found = [C[i, i] for i in range(model.d)]
    x, y = min(found), max(found)
    ends: list[kit.Expression] = [kit.entry_of(its.C, i, i) for i in (found.index(x), found.index(y))]
    if x == 0:
        zero = decide_relations(model, [(ends[0], "=", Name(0))], states=states)
        return kit.refuted("λ_1 = 0: no step has αρ_s > 0", by=zero.certificates, undefined="the supremum")
    bound, meeting = Name(factor * x * y / (x + y) ** 2), 2 / (x + y)
    relations: list[kit.Relation] = []
    for alpha in (meeting, *(Fraction(k, 4) / y for k in range(1, 8))):
        values = [Name(alpha) * end * (2 - Name(alpha) * end) for end in ends]
        numbers = [alpha * z * (2 - alpha * z) for z in (x, y)]
        smaller = values[numbers.index(min(numbers))]
        relations += [(v, "=", bound) for v in values] if alpha == meeting else [(smaller, "<=", bound)]
    return decide_relations(model, relations, states=states, detail=f"sup αρ_s = {bound} at α = {meeting}")


def one_percent_less() -> kit.Refutation:
    """λ_1 = ½, λ_2 = 2, α = 4/5: 16/25, against 99 % of it."""
    model = kit.flip_chain(HALF, features=((1, 0), (0, 2)))
    return kit.explained(at_most(model, Fraction(396, 100)), model, "λ_1 = ½, λ_2 = 2, α = 4/5", "αρ_s", "99 % of it")


CLAIM = kit.Claim(
    id="ls_no_universal",
    stated=kit.Reading(
        r"$\inf_P \sup_{\alpha : \alpha\rho_s(\alpha, P_A) > 0} \alpha\rho_s(\alpha, P_A) = 0$ over $A_t = "
        r"\mathrm{diag}(\lambda_1, \lambda_2)$, $0 < \lambda_1 < \lambda_2$, $\lambda_2$ fixed.",
        quote=r"the infimum over $P$ is for those instances where $\lambda_2$ is fixed",
        place="App. A, after (10)",
    ),
    sharper=kit.Reading(
        r"For $A_t = \mathrm{diag}(\lambda_1, \lambda_2)$, $0 < \lambda_1 \leq \lambda_2$, the supremum over $\alpha$ "
        r"is $\frac{4\lambda_1\lambda_2}{(\lambda_1 + \lambda_2)^2}$, so that (10) holds."
    ),
    anchors=("(10)",),
    check=lambda model: at_most(model, Fraction(4)),
    prove=lambda: kit.proved(
        "λ_2(1 − αλ_1) − λ_1(1 − αλ_2) = λ_2 − λ_1, so min αλ_i(2 − αλ_i) ≤ 1 − ((λ_2 − λ_1)/(λ_2 + λ_1))² = "
        "4λ_1λ_2/(λ_1 + λ_2)² ≤ 4λ_1/λ_2, attained at 2/(λ_1 + λ_2); symbolic λ_1, λ_2, α",
        kit.shown(meeting_identity),
    ),
    variant=kit.FalseVariant("The supremum is one percent less.", one_percent_less),
    constants=(kit.NumericConstant("the 4 in 4λ_1λ_2/(λ_1 + λ_2)²", one_percent_less),),
    ablations=(kit.Ablation(kit.C_POSITIVE.at("App. A, Theorem 2: λ_1 > 0"), box=models.TWO_CLASSES),),
)
