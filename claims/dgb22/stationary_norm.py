r"""P does not expand the D-norm.

Place: A4.1, before the contraction of M.
Statement: ‖PV‖_D ≤ ‖V‖_D for all V.
Hypotheses: D is the law of P (on-policy).
Model: any; each recurrent class on its own. P is the target policy's matrix, D the behaviour policy's law.
Check: D − PᵀDP has non-positive entries off the diagonal and row sums d − Pᵀd; if these are zero it is positive
semidefinite. If not, the statement fails, at V = 1 − ε(d − Pᵀd) for small ε > 0.
Closed form: ‖V‖² − ‖PV‖² = ½ Σ_i d_i Σ_jk p_ij p_ik (V_j − V_k)². The statement holds for all V exactly if dP = d.
"""

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.kit import IRREDUCIBLE, Expression, Fraction, Model, Name, Relation, Verdict, decide_relations, its
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.forms import NormBound, operator_P
from tdcert.theory.identities import algebra, forms_and_norms
from tdcert.theory.model.key_matrices import theorem_matrices

TWO_POLICIES = Box(states=2, entries=(1,), off_policy=True)
KEPT: Relation = (its.P_pi.T @ its.d, "=", its.d)

FORM = NormBound(operator_P, lambda gamma, kappa: 1, "P")


def prove() -> kit.Proof:
    """The sum of squares, and the direction along which it fails for any other law."""
    return kit.proved(
        "‖V‖² − ‖PV‖² = ½ Σ d_i p_ij p_ik (V_j − V_k)², free P, d, V with P1 = 1 and dP = d as explicit "
        "multipliers, n = 1 … 4",
        kit.shown(forms_and_norms.stationary_norm_identity, at=(1, 2, 3, 4)),
    ) + kit.proved(
        "sharpness: for Z = D − PᵀDP, P1 = 1: VᵀZV = −2ε‖Z1‖² + ε²(…) along V = 1 − εZ1, Z1 = d − Pᵀd, n = 1, 2, 3",
        kit.shown(algebra.norm_defect_identity, at=(1, 2, 3)),
    )


def squared_norm(V: Expression) -> Expression:
    """VᵀDV."""
    return V.T @ its.D @ V


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """D − PᵀDP positive semidefinite, on every recurrent class."""
    row_sums: Relation = (its.P_pi.T @ its.D @ its.P_pi @ its.ones, "=", its.d)
    signs: list[Relation] = [(0 * X, "<=", X) for X in (its.P_pi, its.D)]
    samples: list[Relation] = [
        (squared_norm(its.P_pi @ V), "<=", squared_norm(V)) for V in (its.r, its.Phi @ its.at("ones", model.d))
    ]
    detail = "D − PᵀDP has row sums 0 and no positive entry off the diagonal"
    verdict = decide_relations(model, [KEPT, row_sums, *signs, *samples], states=states, detail=detail)
    return verdict if verdict.status is kit.Status.HOLDS else _expanding(model, states)


def _expanding(model: Model, states: kit.States) -> Verdict:
    """V = 1 − ε(d − Pᵀd) with ‖PV‖_D > ‖V‖_D, the first ε = 1, ½, ¼, … that does it."""
    P, d = model.target_kernel.P, theorem_matrices(model, states).d
    ones, u = kit.RationalMatrix.column([1] * model.n), d - P.T @ d
    if u.is_zero():
        return kit.undecided("Pᵀd = d, so V = 1 − ε(d − Pᵀd) shows nothing")
    epsilon = Fraction(1)
    while True:  # ends, since u is not zero: the form is −2ε‖u‖² + ε²c
        V = ones - u.scaled(epsilon)
        image = P @ V
        if (V.T @ V.scale_rows(d))[0, 0] < (image.T @ image.scale_rows(d))[0, 0]:
            break
        epsilon /= 2
    expression = its.ones - Name(epsilon) * (its.d - its.P_pi.T @ its.d)
    growth: Relation = (squared_norm(expression), "<", squared_norm(its.P_pi @ expression))
    held = decide_relations(model, [growth], states=states)
    witness = {"V": strings(V), "d": strings(d)}
    return kit.refuted("‖PV‖_D > ‖V‖_D", witness, by=held.certificates)


CLAIM = kit.Claim(
    id="stationary_norm",
    stated=kit.Reading(
        r"$\|PV\|_D \leq \|V\|_D$ for all $V$.",
        quote=r"The first inequality above follows from the facts that $||PV||_D \leq ||V||_D$",
        place="A4.1, end of the proof of Proposition 4.1",
    ),
    form=FORM,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=TWO_POLICIES, note="what is needed is dP = d, and nothing less"),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="the law of one recurrent class is enough"),
        kit.Ablation(kit.APERIODIC, supports=models.periodic_models),
    ),
    notes=(
        "‖PV‖_D ≤ ‖V‖_D holds for all V exactly if d is stationary for P: with any other d it fails next to V = 1.",
    ),
)
