r"""The norm of M is exactly κ.

Place: A4.1, the chain of inequalities ‖MV‖_D ≤ γ‖V‖_D, sharpened.
Statement: ‖M‖_D = κ = Σ w_n γⁿ, attained at V = 1. κ ≤ γ; for 0 < γ < 1 with equality iff λ_1 = 0; κ is
non-increasing in each λ_j, strictly iff c_{j−1} > 0.
Hypotheses: on-policy, λ_j ∈ [0,1], one discount γ on the recurrent classes. (In the check γ stands for the largest
one there where there are several.)
Model: any; each recurrent class on its own.
Check: κ²D − MᵀDM positive semidefinite, M1 = κ1, and κ against its value with λ_j put to zero, j ≤ L.
Closed form: κ = γ − (1 − γ) Σ_{k≥1} γᵏ c_k; ∂κ/∂λ_j = −(1 − γ) c_{j−1} Σ_{k≥j} γᵏ λ_{j+1}…λ_k.
"""

from collections.abc import Iterator

from tdcert.claims import kit, models
from tdcert.claims.box import StateDiscountBox
from tdcert.claims.dgb22.m_contraction import prove as prove_contraction
from tdcert.claims.kit import HALF, IRREDUCIBLE, LAMBDAS, Fraction, Model, Name, Relation, States, Verdict, its
from tdcert.theory.check.norms import decide_contraction
from tdcert.theory.forms import NormBound, operator_M
from tdcert.theory.identities import semidefinite as identities

COMPARED = 8
"""Most λ's that are put to zero in turn."""

UNEQUAL_DISCOUNTS = StateDiscountBox(states=2, entries=(1,), gammas=(HALF, HALF / 2))

FORM = NormBound(operator_M, lambda gamma, kappa: kappa, "M")


def prove() -> kit.Proof:
    """‖M‖ ≤ κ as in the paper, M1 = κ1, and the slope of κ."""
    prove_contraction()
    shapes = [(n, length) for n in (2, 3) for length in range(3)]
    slopes = [(length, j) for length in range(1, 6) for j in range(1, length + 1)]
    return kit.proved(
        "‖MV‖ ≤ Σ w_n γⁿ ‖PⁿV‖ ≤ κ‖V‖ by the lemmas of m_contraction; M1 = κ1 for symbolic P, γ, λ at n = 2, 3 "
        "and L = 0, 1, 2",
        kit.shown(identities.ones_are_an_eigenvector, at=shapes),
    ) + kit.proved(
        "κ is affine in λ_j with slope −(1 − γ) c_{j−1} Σ γᵏ λ_{j+1}…λ_k ≤ 0, symbolic γ, λ, L = 1 … 5, each j ≤ "
        "L; its first term −(1 − γ) γʲ c_{j−1} is negative exactly if c_{j−1} > 0 (0 < γ < 1)",
        kit.shown(identities.kappa_slope, at=slopes),
    )


def check(model: Model) -> Verdict:
    """κ ≥ 0, M1 = κ1 and ‖MV‖_D ≤ κ‖V‖_D on every class; κ falls short of its value with λ_j = 0 wherever c_j > 0."""
    gamma = max(model.recurrent_discounts)
    kappa = Fraction(0) if model.schedule.tail == 1 else model.schedule.kappa(gamma)
    detail = f"‖M‖_D = κ = {kappa}"

    def parts(states: States) -> Iterator[Verdict]:
        yield kit.decide_relations(model, _relations(model, gamma, kappa), states=states)
        yield decide_contraction(model, states, FORM.bound(None, kappa))

    return kit.on_each_class(lambda states: kit.together(parts(states), detail), model)


def _relations(model: Model, gamma: Fraction, value: Fraction) -> list[Relation]:
    """κ ≥ 0, DM1 = κd, κ ≤ γ, and the comparisons with λ_j = 0: κ is then Σ_{n<j} w_n γⁿ + c_{j−1} γʲ."""
    kappa = "kappa" if model.kappa is not None else str(value)
    found: list[Relation] = [("0", "<=", kappa), (its.D @ its.M @ its.ones, "=", kappa * its.d)]
    length = model.schedule.length
    if length == 0:
        found.append((kappa, "=", str(gamma)))
    less = "<" if 0 < gamma < 1 else "<="
    for j in range(1, min(COMPARED, COMPARED if length is None else length) + 1):
        without: kit.Expression = its.c(j - 1) * Name(gamma**j)
        for n in range(1, j):
            without = its.w(n) * Name(gamma**n) + without
        found.append((kappa, less, without))
    return found


CLAIM = kit.Claim(
    id="sharp_modulus",
    stated=kit.Reading(
        r"$\|M\|_D = \kappa = \sum_n w_n \gamma^n$, attained at $V = \mathbf{1}$; $\kappa \leq \gamma$, for $0 < "
        r"\gamma < 1$ with equality iff $\lambda_1 = 0$; $\kappa$ is non-increasing in each $\lambda_j$, for $0 < "
        r"\gamma < 1$ strictly iff $c_{j-1} > 0$."
    ),
    anchors=(r"||MV||_{D} \leq [\gamma(1-\lambda_{1})", r"= \gamma||V||_{D}"),
    form=FORM,
    form_is_part=True,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(
            kit.CONSTANT_DISCOUNT,
            box=UNEQUAL_DISCOUNTS,
            note="with κ for the largest discount ‖M‖_D ≤ κ remains, equality at 1 does not",
        ),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="the law of one recurrent class is enough"),
    ),
    rests_on=("m_contraction",),
)
