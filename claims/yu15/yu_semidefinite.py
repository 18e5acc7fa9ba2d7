r"""C is negative semidefinite.

Where: C = −ΦᵀM̄(I − P^λ)Φ. App. C has the proof.
Hypotheses: (I − P_πΓ)⁻¹ exists; λ(s) ∈ [0, 1]. Not needed: an irreducible behaviour chain, a stationary law (the proof
has any weights d ≥ 0), coverage (C of the target policy is meant).
Model: any, with λ(s) and the interest r(s)² in each state; each recurrent class on its own.
Check: −C − Cᵀ = L diag(D) Lᵀ with D ≥ 0.
Closed form: vᵀGv of the docstring of ``emphasis``, whose weights are no less than zero for Q ≥ 0, Q1 ≤ 1, Qᵀm = m − d.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import ON_MODELS, OUTSIDE, C, form_identity, lam_of, mean_matrix, without_discount
from tdcert.claims.kit import COVERAGE, IRREDUCIBLE, LAMBDAS, Expression, Fraction, Model, Verdict, decide_definite, its


def prove() -> kit.Proof:
    """The form of G in squares."""
    return kit.proved(
        "vᵀGv = Σ v_s²(m(1 − Q1) + m − Qᵀm)_s + Σ m_sQ_ss'(v_s − v_s')²: symbolic Q, m, v, n = 1 … 5; with Q ≥ 0, "
        "Q1 ≤ 1, m ≥ 0 and m − Qᵀm = d ≥ 0 no term is negative",
        kit.shown(form_identity, at=range(1, 6)),
    )


def sign_of(expression: Expression, model: Model, detail: str, strict: bool) -> Verdict:
    """Whether an expression E that needs (I − P_πΓ)⁻¹ has E + Eᵀ positive (semi)definite, on every recurrent class."""

    def decide(states: kit.States) -> Verdict:
        try:
            return decide_definite(model, expression, states, detail, strict=strict)
        except kit.SingularMatrixError:
            return without_discount(states, model, "(I − P_πΓ)⁻¹ does not exist", "C")

    return kit.on_each_class(decide, model)


def with_the_law_as_weights() -> kit.Refutation:
    """θ→2θ, γ = 9/10, λ = 0: C = 1/5 with M_t = 1."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    expression = -mean_matrix(0 * lam_of(model), its.d)
    states = model.behaviour_chain.recurrent_classes[0]
    return kit.Refutation(decide_definite(model, expression, states, "−C − Cᵀ with M_t = 1", strict=False), model)


CLAIM = kit.Claim(
    id="yu_semidefinite",
    stated=kit.Reading(
        r"$C$ is negative semidefinite.",
        quote=r"$C$ is always negative semidefinite",
        place="§2.2, after Assumption 2.2",
    ),
    anchors=("In general, C is always negative semidefinite for nonnegative i(·)",),
    check=lambda model: sign_of(-C(model), model, "−C − Cᵀ is positive semidefinite", strict=False),
    prove=prove,
    variant=kit.FalseVariant("It is so too if M_t is always set to 1.", with_the_law_as_weights),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS.at("§2.2"), box=OUTSIDE),
        kit.Ablation(IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=models.reducible_models),
        kit.Ablation(COVERAGE.at("Assumption 2.1(ii)"), supports=models.uncovered_models),
    ),
    notes=(ON_MODELS,),
    rests_on=("yu_mean",),
)
