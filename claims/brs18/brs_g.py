r"""The gradient is bounded.

Hypotheses: ‖φ(s)‖ ≤ 1; |R(s, s')| ≤ r_max; the discounts are at most 1, which every model has.
Model: any, its pairs (φ, φ') under the behaviour policy.
Check: ‖φ‖²‖Γφ' − φ‖² ≤ (1 + Γ)² and ‖φ‖²r² ≤ r_max² on every move, Γ its discount.
Closed form: ‖g‖ ≤ ‖φ‖|r| + ‖φ‖‖Γφ' − φ‖‖θ‖, and r_max + (1 + γ)R is enough.
"""

from tdcert.claims import kit, models
from tdcert.claims.brs18.projected import UNIT_FEATURES
from tdcert.claims.kit import Context, Expr, Fraction, Model, Name, Path, Relation, Verdict, evaluate, free, its
from tdcert.claims.ls18.ls_lemma11 import row_identity


def square_identity() -> bool:
    """(1 + c)² − (1 + c²x − 2cy) = c²(1 − x) + 2c(1 + y), for ‖φ'‖² = x ≤ 1 and φᵀφ' = y ≥ −1."""
    _, c, x, y = free(c=(), x=(), y=())
    return bool((1 + c) ** 2 - (1 + c**2 * x - 2 * c * y) == c**2 * (1 - x) + 2 * c * (1 + y))


def prove() -> kit.Proof:
    """Cauchy and Schwarz, and ‖γφ' − φ‖ ≤ 1 + γ."""
    return kit.proved(
        "‖x‖²‖a‖² − (aᵀx)² is a sum of squares, symbolic a and x, d = 1 … 4, and ‖γφ' − φ‖² ≤ (1 + γ)²: so ‖g‖ ≤ "
        "r_max + (1 + γ)R",
        kit.shown(row_identity, at=range(1, 5)),
        kit.shown(square_identity),
    )


def bounded(model: Model, factor: Expr) -> Verdict:
    """‖φ‖‖Γφ' − φ‖ ≤ ``factor`` on every move of the behaviour policy, by squares, and ‖φ‖|r| ≤ r_max."""
    moves = [Path((s, after), (a,)) for s in range(model.n) for a, after in kit.moves_from(model, s)]
    context = Context(model, model.behaviour_chain.recurrent_classes[0])
    most = max(abs(evaluate(its.reward(0), context.along(path))[0, 0]) for path in moves)
    phi, psi = its.phi(0), its.discount(0) * its.phi(1) - its.phi(0)
    square = (phi.T @ phi) * (psi.T @ psi)
    earned = (phi.T @ phi) * (its.reward(0) * its.reward(0))
    relations: list[Relation] = [(square, "<=", factor * factor), (earned, "<=", Name(most * most))]
    return kit.decide_along(model, moves, relations, detail="‖φ‖‖Γφ' − φ‖ ≤ 1 + Γ and ‖φ‖|r| ≤ r_max")


def without_the_second_R() -> kit.Refutation:
    """Two states that alternate, φ = (1, −1), γ = 9/10: ‖γφ' − φ‖ = 19/10."""
    return kit.on(kit.flip_chain(Fraction(9, 10), features=((1,), (-1,))), bounded, Name(1) * Name(1))


CLAIM = kit.Claim(
    id="brs_g",
    stated=kit.Reading(
        r"$\|g_t(\theta)\| \le G = r_{\max} + 2R$ for $\|\theta\| \le R$.",
        quote=r"With probability 1, $\norm{g_t(\theta_t)} \leq G \,\, \forall \,\, t$.",
        place="the draft's lemma mc_norm_grad",
    ),
    sharper=kit.Reading(r"$\|g_t(\theta)\| \le r_{\max} + (1 + \gamma) R$ for $\|\theta\| \le R$."),
    check=lambda model: bounded(model, 1 + its.discount(0)),
    prove=prove,
    variant=kit.FalseVariant("‖g_t(θ)‖ ≤ r_max + R.", without_the_second_R),
    constants=(kit.NumericConstant("the 2 in r_max + 2R", better=prove, note="1 + γ will do"),),
    ablations=(kit.Ablation(UNIT_FEATURES, box=models.OFF_POLICY_SURE),),
)
