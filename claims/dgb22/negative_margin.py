r"""How negative A is.

Place: Proposition 4.1 and its proof in A4.1, sharpened.
Statement: −sym A − (1 − κ)C is positive semidefinite; hence λ_max(sym A) ≤ −(1 − κ) λ_min(C).
Hypotheses: on-policy, λ_j ∈ [0,1]. κ = Σ w_n γⁿ with γ the largest discount, if there are several.
Model: any; each recurrent class on its own. Neither full rank nor γ < 1 nor a period is assumed.
Check: the matrix is −sym A − (1 − κ)C = ΦᵀZΦ, Z = κD − sym DM, with no positive entry of Z off the diagonal and Z1 ≥
0, exactly.
Closed form: −xᵀAx = (1 − κ)‖Φx‖²_D + ½ Σ_n w_n γⁿ Σ_ij d_i (Pⁿ)_ij (V_i − V_j)², V = Φx (one discount).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import IRREDUCIBLE, LAMBDAS, ON_POLICY, Fraction, Model, Verdict, on_each_class
from tdcert.theory.check.margins import WHOLE_MATRIX_LIMIT, decide_margin, largest_kappa, margin_relations
from tdcert.theory.forms import Form
from tdcert.theory.identities import forms_and_norms, semidefinite

FORM = Form(
    lambda k, gamma, kappa: (k.A + k.A.T).scaled(Fraction(-1, 2)) - k.C.scaled(1 - kappa),
    "−sym A − (1 − κ)C",
    strict=False,
    through_signs=True,
)


def prove() -> kit.Proof:
    """The closed form on symbols; and the argument through Z, which needs no constant discount."""
    whole = ((2, 0), (2, 1), (2, 2), (3, 0))
    return kit.proved(
        "−xᵀD(M − I)x = (1 − κ)‖x‖²_D + squares, symbolic P, γ, λ, x, its law as rational functions, (n, L) = "
        + ", ".join(f"({n}, {length})" for n, length in whole),
        kit.shown(forms_and_norms.key_matrix_identity, at=whole),
    ) + kit.proved(
        "−sym A − (1 − κ)C = ΦᵀZΦ for free N, D, Φ, λ, κ at (n, d, L) up to (3, 2, 1), and xᵀZx = Σ (Z1)_i x_i² + "
        "½ Σ (−Z_ij)(x_i − x_j)² at n = 1 … 4: with DM ≥ 0, M1 ≤ κ1 and dM ≤ κd both sums are non-negative",
        kit.shown(semidefinite.margin_identity, at=((2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1))),
        kit.shown(semidefinite.dominance_identity, at=(1, 2, 3, 4)),
    )


def check(model: Model) -> Verdict:
    """−sym A − (1 − κ)C positive semidefinite on every recurrent class."""
    relations = margin_relations(model) if model.n <= WHOLE_MATRIX_LIMIT else []
    detail = f"−sym A − (1 − κ)C is positive semidefinite, κ = {largest_kappa(model)}"
    return on_each_class(lambda states: decide_margin(FORM, model, states, relations, detail), model, detail)


CLAIM = kit.Claim(
    id="negative_margin",
    stated=kit.Reading(
        r"$-\frac12 (A + A^T) - (1 - \kappa) C$ is positive semidefinite; hence "
        r"$\lambda_{\max}(\frac12 (A + A^T)) \leq -(1 - \kappa) \lambda_{\min}(C)$."
    ),
    anchors=(r"$A$ can be shown to be negative definite", r"\label{propND}"),
    form=FORM,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(ON_POLICY, box=models.OFF_POLICY_SURE),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS_2),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="the law of one recurrent class is enough"),
        kit.Ablation(
            kit.CONSTANT_DISCOUNT,
            supports=models.varying_discount_models,
            note="κ for the largest discount; it says little where that is 1",
        ),
    ),
    rests_on=("prop_4_1",),
)
