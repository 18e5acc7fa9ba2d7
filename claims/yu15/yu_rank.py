r"""Proposition C.2: C is nonsingular exactly if the states with positive emphasis have n independent feature vectors.

Note: it has (C.3), in the words of Remark C.2.
Model: any, with λ(s) and the interest r(s)² in each state; each recurrent class on its own.
Check: C and W = ΦᵀM̄Φ are both nonsingular, or a vector x ≠ 0 has Cx = 0 and Wx = 0.
Closed form: Cx = 0 makes every term of the form of G zero for v = Φx (``emphasis``); along Q from a state with m_s > 0
the value stays the same, to a state where 1 − Q1 > 0 and v = 0.
"""

from tdcert.claims import kit, models
from tdcert.claims.definite import annuls
from tdcert.claims.emphasis import ON_MODELS, C, emphasis, form_identity, lam_of, law_identity, without_discount
from tdcert.claims.kit import HALF, Fraction, Model, RationalMatrix, Verdict, decide_relations, diagonal, its, regular


@kit.each_class
def both_singular_or_none(model: Model, states: kit.States, W: kit.Expression) -> Verdict:
    """Whether C is singular exactly where W is, and with the same vector."""
    try:
        found = [kit.evaluate(X, kit.Context(model, states)) for X in (C(model), W)]
    except kit.SingularMatrixError:
        return without_discount(states, model, "(I − P_πΓ)⁻¹ does not exist", "C")
    kernel = next((x for X in found if (x := X.null_vector()) is not None), None)
    if kernel is None:
        solved = [regular(X, model.d) for X in (C(model), W)]
        return decide_relations(model, solved, states=states, detail="C and ΦᵀM̄Φ are nonsingular")
    relations = [relation for X in (C(model), W) for relation in annuls(X, kernel)]
    return decide_relations(model, relations, states=states, detail="Cx = 0 and ΦᵀM̄Φx = 0")


def by_interest_alone() -> kit.Refutation:
    """1 → 2 → 2, R = 1, 0 and φ = 0, 1: the second state is of no interest, and C = −1."""
    model = no_interest_at_the_end()
    W = its.Phi.T @ its.D @ diagonal(its.r) @ diagonal(its.r) @ its.Phi
    found = both_singular_or_none(model, W)
    return kit.explained(
        found, model, "by the states of interest: only φ = 0 is of interest", "Cx at x = 1", "Wx, W by interest"
    )


def no_interest_at_the_end() -> Model:
    """From either state evenly to both, R = 1, 0, φ = 0, 1, γ = ½: the second state has emphasis and no interest."""
    even = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    R, Phi = RationalMatrix.column([1, 0]), RationalMatrix.column([0, 1])
    return Model.reward_process(even, R, HALF, Phi, name="no interest in the second")


def at_lambda_four() -> Model:
    """Two states that alternate, γ = ½, λ = 4, R = 1, 0, φ = 0, 1: m = (0, −1), W = −1, and C = 0."""
    return kit.flip_chain(HALF, kit.Schedule((Fraction(4),)), ((0,), (1,)))


CLAIM = kit.Claim(
    id="yu_rank",
    stated=kit.Reading(
        r"$C$ is nonsingular if and only if the feature vectors of the states with $\bar M_{ss} > 0$ contain $n$ "
        r"linearly independent ones.",
        quote="$C$ is nonsingular if and only if the condition (C.3) holds",
        place="App. C, Proposition C.2",
    ),
    anchors=("Proposition C.2", "Remark C.2"),
    check=lambda model: both_singular_or_none(model, its.Phi.T @ diagonal(emphasis(lam_of(model))) @ its.Phi),
    prove=lambda: kit.proved(
        "vᵀGv in squares (yu_semidefinite), n = 1 … 5, and m_s = d_s + Σ m_tQ_ts: with vᵀGv = 0, m_s > 0 and Q_ss' > 0 "
        "give v_s = v_s' and m_s' > 0, until 1 − Q1 > 0, where v = 0; so Cx = 0 exactly if v = 0 wherever m > 0",
        kit.shown(form_identity, at=range(1, 6)),
        kit.shown(law_identity, at=range(1, 5)),
    ),
    instances=lambda: (no_interest_at_the_end(),),
    variant=kit.FalseVariant("It is so with the states of positive interest i(s) in their place.", by_interest_alone),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.LAMBDAS.at("§2.2"), counterexample=at_lambda_four),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=models.reducible_models),
    ),
    notes=(
        ON_MODELS,
        "The condition on the states of interest (Corollary C.1) suffices, and is not necessary: the variant.",
    ),
    rests_on=("yu_semidefinite",),
)
