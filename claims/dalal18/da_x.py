r"""The matrices X_1 of GTD(0), GTD2 and TDC.

Where: X_1 = Γ_1 − W_1W_2⁻¹Γ_2; A1 holds.
Hypotheses: A is nonsingular, and C then is. Not needed: A positive definite, so one policy.
Model: any; each recurrent class on its own.
Check: Γ_i and W_i of the shipped algorithms, from the transitions that updates see; X_1 and W_2 are definite.
Closed form: A − (C − Aᵀ)C⁻¹A = AᵀC⁻¹A, and xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax).
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A_REGULAR, SHIPPED, A, fields, same
from tdcert.claims.kit import COVERAGE, HALF, Fraction, Model, Verdict, decide_definite, decide_relations, identity, its
from tdcert.theory.identities.algebra import tdc_split_identity
from tdcert.theory.identities.forms_and_norms import tdc_form_identity


@kit.each_class
def translated(model: Model, states: kit.States) -> Verdict:
    """W_2 and X_1 of the three algorithms, on every recurrent class."""
    if (found := kit.singular(model, states, A, "Ax = 0: X_1 is not positive definite")) is not None:
        return found
    verdicts = []
    for name in SHIPPED:
        slow, fast = fields(model, states, name)
        W = identity(model.d) if name == "GTD(0)" else its.C
        X = A.T @ A if name == "GTD(0)" else A.T @ kit.solution(its.C, A)
        relations = same(fast.W, W) + same(slow.Gamma - slow.W @ fast.W.solve(fast.Gamma), X)
        verdicts += [decide_relations(model, relations, states=states), decide_definite(model, X, states, "X_1")]
    return kit.together([*verdicts, decide_definite(model, its.C, states, "C")], "W_2 and X_1 of GTD(0), GTD2, TDC")


def of_gtd2() -> kit.Refutation:
    """One state, φ = 2, γ = ½: A = 2, C = 4, AᵀC⁻¹A = 1, and AᵀA = 4."""
    model = kit.one_state(HALF, features=(2,))
    slow, fast = fields(model, (0,), "GTD2")
    relations = same(slow.Gamma - slow.W @ fast.W.solve(fast.Gamma), A.T @ A)
    return kit.explained(decide_relations(model, relations), model, "one state, φ = 2, γ = ½", "AᵀA", "X_1 of GTD2")


CLAIM = kit.Claim(
    id="da_x",
    stated=kit.Reading(
        r"$X_1$ is $A^\top A$ for GTD(0), $A^\top C^{-1}A$ for GTD2 and TDC; $W_2$ is $I$, $C$, $C$; all are positive "
        r"definite.",
        quote=r"By our assumptions, both $W_2$ and $X_1$ are symmetric positive definite matrices",
        place="Table 3; App. F.1, F.2",
    ),
    check=translated,
    prove=lambda: kit.proved(
        "A − (C − Aᵀ)C⁻¹A = AᵀC⁻¹A and xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax), symbolic, d = 1, 2, 3",
        kit.shown(tdc_split_identity, tdc_form_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("X_1 of GTD2 is AᵀA.", of_gtd2),
    ablations=(
        kit.Ablation(A_REGULAR, box=models.TWO_CLASSES),
        kit.Ablation(COVERAGE.at("off-policy, not in the paper"), box=models.UNCOVERED),
        kit.Ablation(kit.ON_POLICY.at("App. A"), supports=lambda: [kit.theta_to_two_theta(Fraction(9, 10))]),
    ),
)
