r"""M contracts the D-norm by γ.

Place: A4.1, the chain of inequalities before Proposition 4.1's conclusion.
Statement: ‖MV‖_D ≤ γ‖V‖_D for all V.
Hypotheses: D is the law of the chain that M is built from (on-policy); λ_j ∈ [0,1]. For a discount that depends on the
transition, γ stands for the largest one.
Model: any; each recurrent class on its own.
Check: γ²D − MᵀDM is positive semidefinite, exactly.
Closed form: ‖MV‖_D ≤ Σ w_n γⁿ ‖PⁿV‖_D ≤ κ‖V‖_D, and γ − κ = γ(1 − γ) Σ_k γ^{k−1} c_k ≥ 0.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import IRREDUCIBLE, LAMBDAS, ON_POLICY, Model, States, Verdict, largest_discount, on_each_class
from tdcert.theory.check.norms import decide_contraction
from tdcert.theory.forms import NormBound, operator_M
from tdcert.theory.identities import forms_and_norms

FORM = NormBound(operator_M, lambda gamma, kappa: gamma, "M")


def prove() -> kit.Proof:
    """‖PV‖ ≤ ‖V‖ as a sum of squares, powers by composition, the triangle inequality, κ ≤ γ by an identity."""
    return kit.proved(
        "symbolic P, d at n = 1 … 4: ‖V‖² − ‖PV‖² = ½ Σ d_i p_ij p_ik (V_j − V_k)², and Pⁿ keeps row sums and law; "
        "symbolic γ, λ at L = 0 … 6: γ − κ = γ(1 − γ) Σ γ^{k−1} c_k; joined by the triangle inequality",
        kit.shown(
            forms_and_norms.stationary_norm_identity, forms_and_norms.powers_keep_row_sums_and_law, at=(1, 2, 3, 4)
        ),
        kit.shown(forms_and_norms.modulus_identity, at=range(7)),
    )


def check(model: Model) -> Verdict:
    """‖MV‖_D ≤ γ‖V‖_D on every recurrent class, γ the largest discount."""
    gamma = largest_discount(model)

    def decide(states: States) -> Verdict:
        return decide_contraction(model, states, FORM.bound(gamma, None))

    return on_each_class(decide, model, f"modulus {gamma}", with_law=True)


CLAIM = kit.Claim(
    id="m_contraction",
    stated=kit.Reading(
        r"$\|MV\|_D \leq \gamma \|V\|_D$ for all $V$.",
        quote=r"$||MV||_{D} \leq [\gamma(1-\lambda_{1}) + \gamma^2\lambda_{1}(1-\lambda_2)$",
        place="A4.1, a chain that ends with γ‖V‖_D",
    ),
    anchors=(r"||MV||_{D} \leq [\gamma(1-\lambda_{1})", r"= \gamma||V||_{D}"),
    form=FORM,
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(
        kit.Ablation(ON_POLICY, box=models.OFF_POLICY),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="the law of one recurrent class is enough"),
    ),
    notes=("The sharp modulus is κ ≤ γ, with equality only for λ_1 = 0 (0 < γ < 1): M1 = κ1.",),
    rests_on=("stationary_norm",),
)
