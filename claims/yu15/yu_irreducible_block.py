r"""Lemma C.2: an irreducible G is positive definite, and every emphasis is positive.

Where: G = M̄(I − Q) + (I − Q)ᵀM̄.
Model: any, with Q = P^λ for one λ, and the interest r(s)² in each state; each recurrent class on its own.
Check: m_s > 0 at every state, and G = L diag(D) Lᵀ with D > 0, entry by entry.
Closed form: vᵀGv in squares (``emphasis``): where it is zero v is one number on a connected graph, and zero at a state
with 1 − Q1 > 0, which exists as I − Q is invertible.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import ON_MODELS, emphasis, form_identity, lam_of, law_identity, missed
from tdcert.claims.kit import HALF, Expression, Model, Name, RationalMatrix, Reply, States, Verdict, decide_definite
from tdcert.claims.yu15.yu_zero_rows import at_lambda_four


def half_of_G(model: Model) -> Expression:
    """M̄(I − Q), of which G is the double of the symmetric part."""
    return kit.diagonal(emphasis(lam_of(model))) @ missed(lam_of(model))


@kit.hypothesis("G_irreducible", r"$I - Q$ is invertible, $G$ irreducible", "App. C, Lemma C.2")
def CONNECTED(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        try:
            half = kit.evaluate(half_of_G(model), kit.Context(model, states))
        except kit.SingularMatrixError:
            return Reply(False, "I − Q is not invertible")
        G, met, new = (half + half.T).rows, {0}, [0]
        while new:
            s = new.pop()
            new += (found := [t for t in range(model.n) if G[s][t] and t not in met])
            met.update(found)
        if len(met) < model.n or (model.n == 1 and not G[0][0]):
            return Reply(False, f"from the first state the graph of G reaches {len(met)} of {model.n} states")
    return Reply(True, "the graph of G is connected")


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    m = emphasis(lam_of(model))
    signs = kit.decide_relations(model, [(0 * m, "<", m)], states=states)
    signs = kit.in_words(signs, "some emphasis is not positive", "zero", "diag(M̄)")
    parts = (signs, decide_definite(model, half_of_G(model), states, "G is positive definite"))
    return kit.together(parts, "M̄ > 0 and G is positive definite")


def without_connection() -> kit.Refutation:
    """Two states that never leave themselves, of interest 1 and 0: G = diag(g, 0)."""
    R = RationalMatrix.column([1, 0])
    model = Model.reward_process(RationalMatrix([[HALF, HALF], [0, 1]]), R, HALF, name="a state without interest")
    expression: Expression = Name(1) * half_of_G(model)
    return kit.Refutation(decide_definite(model, expression, (1,), "G of a class without interest"), model)


CLAIM = kit.Claim(
    id="yu_irreducible_block",
    stated=kit.Reading(
        r"If $I - Q$ is invertible and $G$ is irreducible, then the diagonal entries of $\bar M$ are positive and $G$ "
        r"is positive definite.",
        quote=r"the diagonal entries of $\bar M$ must be positive",
        place="App. C, Lemma C.2",
    ),
    anchors=("Lemma C.2",),
    check=check,
    prove=lambda: kit.proved(
        "vᵀGv = Σ v_s²(m(1 − Q1) + m − Qᵀm)_s + Σ m_sQ_ss'(v_s − v_s')², n = 1 … 5, and m_s = d_s + Σ m_tQ_ts: no term "
        "is negative, and m > 0 as no row of G is zero (yu_zero_rows)",
        kit.shown(form_identity, at=range(1, 6)),
        kit.shown(law_identity, at=range(1, 5)),
    ),
    variant=kit.FalseVariant("G is positive definite whenever I − Q is invertible.", without_connection),
    ablations=(
        kit.Ablation(CONNECTED, box=models.TWO_CLASSES),
        kit.Ablation(kit.LAMBDAS.at("App. C, before Lemma C.1: Q is substochastic"), counterexample=at_lambda_four),
    ),
    notes=(ON_MODELS, "A matrix of one row counts as irreducible if it is not zero."),
    rests_on=("yu_zero_rows",),
)
