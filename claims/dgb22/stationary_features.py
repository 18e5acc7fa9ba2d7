r"""Proposition 4.1 without the Markov property.

Place: Proposition 4.1 and A4.1, generalised.
Statement: for any stationary process of features φ_t (and discounts Γ_t ≤ γ), A = E[z_t(Γφ_{t+1} − φ_t)ᵀ] satisfies A
≤ −(1 − κ)C, C = E[φ_tφ_tᵀ].
Hypotheses: on-policy (the process that is weighted is the one that is followed), λ_j ∈ [0,1].
Model: any; its chain is hidden and only φ(s_t) is seen, which in general is not a Markov chain. Each recurrent class on
its own.
Check: −sym A − (1 − κ)C equals the mean below along all paths, term by term without a negative part, as far as paths
are few; else as negative_margin.
Closed form: −sym A − (1 − κ)C = ½ Σ_n w_n E[Γ_n (φ_0 − φ_n)(φ_0 − φ_n)ᵀ + (γⁿ − Γ_n)(φ_0φ_0ᵀ + φ_nφ_nᵀ)], Γ_n the
product of n discounts.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22.episodic_discount import count_paths
from tdcert.claims.dgb22.negative_margin import FORM
from tdcert.claims.kit import LAMBDAS, Expression, Model, Name, Relation, States, Verdict, expected, its, total
from tdcert.theory.check import margins
from tdcert.theory.identities import semidefinite as identities

PATHS = 400
"""Most paths that are walked for the longest of the expectations."""


def prove() -> kit.Proof:
    """The closed form from stationarity alone."""
    return kit.proved(
        "any stationary process, f_t = xᵀφ_t: −xᵀAx − (1 − κ)xᵀCx = ½ Σ w_n E[Γ_n (f_0 − f_n)² + (γⁿ − Γ_n)(f_0² "
        "+ f_n²)], its moments free symbols that "
        "obey E f_n² = E f_0², symbolic γ, λ, L = 0 … 6; 0 ≤ Γ_n ≤ γⁿ and w_n ≥ 0 make every term non-negative",
        kit.shown(identities.stationary_gap_identity, at=range(7)),
    )


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    """A ≤ −(1 − κ)C on every recurrent class."""
    length = model.schedule.length
    few = length is not None and count_paths(model, states, length + 1) <= PATHS
    whole = margins.margin_relations(model) if model.n <= margins.WHOLE_MATRIX_LIMIT else []
    how = "the mean of squares along every path" if few else "the form of ΦᵀZΦ"
    detail = f"A ≤ −(1 − κ)C, κ = {margins.largest_kappa(model)}, as {how}"
    return margins.decide_margin(FORM, model, states, _relations(model) if few else whole, detail)


def _relations(model: Model) -> list[Relation]:
    """The closed form with means over paths from the law, and weights that are not negative."""
    gamma = kit.largest_discount(model)
    terms: list[Expression] = []
    found: list[Relation] = []
    for n in range(1, len(model.schedule.lambdas) + 2):
        step: Expression = its.phi(0) - its.phi(n)
        lasting: Expression = its.discount(0)
        for k in range(1, n):
            lasting = lasting * its.discount(k)
        ends = its.phi(0) @ its.phi(0).T + its.phi(n) @ its.phi(n).T
        inner = lasting * (step @ step.T) + (Name(gamma**n) - lasting) * ends
        terms.append(Name("1/2") * its.w(n) * expected("mu", "d", n, inner))
        found.append(("0", "<=", its.w(n)))
    return [(margins.margin_expression(margins.kappa_name(model)), "=", total(terms)), *found]


CLAIM = kit.Claim(
    id="stationary_features",
    stated=kit.Reading(
        r"For any stationary process of features with discounts at most $\gamma$: $\frac12 (A + A^T) \leq -(1 - "
        r"\kappa) C$ as quadratic forms; no Markov property is needed."
    ),
    anchors=(r"\label{propND}", r"$A = \mathbb{E}_{0}[\gamma z_{0}\phi_{1}^{T} - z_{0}\phi_{0}^{T}]$"),
    form=FORM,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY_SURE),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS_2),
        kit.Ablation(
            kit.IRREDUCIBLE, supports=models.reducible_models, note="a class with its law is a stationary process"
        ),
        kit.Ablation(kit.CONSTANT_DISCOUNT, supports=models.varying_discount_models, note="discounts up to γ"),
    ),
)
