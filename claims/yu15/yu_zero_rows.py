r"""Lemma C.1: the emphasis is zero exactly where the row and the column of G are.

Where: G = M̄(I − Q) + (I − Q)ᵀM̄.
Hypotheses: I − Q is invertible; Q is substochastic, which λ(s) ∈ [0, 1] gives. Not needed: an irreducible chain.
Model: any, with Q = P^λ for λ(s), and the interest r(s)² in each state; each recurrent class on its own.
Check: at each state m_s = 0 and (G²)_ss = 0, or both are positive. (G²)_ss is the sum of squares of row s, as G = Gᵀ.
Closed form: G_ss = 2m_s(1 − Q_ss), and m_s = d_s + Σ_t m_tQ_ts.
Proof: where m_s = 0 the sum d_s + Σ m_tQ_ts of terms that are not negative is zero: so is each, and column s.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import OF_INTEREST, ON_MODELS, emphasis, lam_of, law_identity, missed, without_discount
from tdcert.claims.kit import HALF, LAMBDAS, Context, Fraction, Model, Relation, Schedule, Verdict, entry_of, evaluate
from tdcert.claims.yu15.yu_rank import no_interest_at_the_end


@kit.each_class
def vanish_together(model: Model, states: kit.States, zero: kit.Expression) -> Verdict:
    """Whether the entries of ``zero`` (n×1) and the rows of G vanish at the same states."""
    half = kit.diagonal(emphasis(lam_of(model))) @ missed(lam_of(model))
    G = half + half.T
    relations = list[Relation]()
    try:
        given = evaluate(zero, Context(model, states))
        for s in range(model.n):
            sign = "=" if given[s, 0] == 0 else "!="
            relations += [(entry_of(zero, s), sign, "0"), (entry_of(G @ G, s, s), sign, "0")]
        return kit.decide_relations(model, relations, states=states, detail="m_s and row s of G vanish together")
    except kit.SingularMatrixError:
        return without_discount(states, model, "I − Q is not invertible", "M̄")


def by_interest_alone() -> kit.Refutation:
    """R = 1, 0: the second state is of no interest, and its row of G is not zero."""
    model = no_interest_at_the_end()
    sides = ("(G²)_ss of the second state", "zero, as its interest")
    return kit.explained(
        vanish_together(model, OF_INTEREST), model, "a state of no interest that others lead to", *sides
    )


def at_lambda_four() -> Model:
    """Two states that alternate, γ = ½, λ = 4, R = 1, 0: m = (0, −1), and Q is negative."""
    return kit.flip_chain(HALF, Schedule((Fraction(4),)))


CLAIM = kit.Claim(
    id="yu_zero_rows",
    stated=kit.Reading(
        r"$\bar M_{ss} = 0$ if and only if the $s$-th row and column of $G$ are zero.",
        quote=(
            r"the $s$-th diagonal entry $\bar M_{ss} = 0$ if and only if the $s$-th row and $s$-th column of $G$ "
            r"contain all zeros"
        ),
        place="App. C, Lemma C.1",
    ),
    anchors=("Lemma C.1",),
    check=lambda model: vanish_together(model, emphasis(lam_of(model))),
    prove=lambda: kit.proved(
        "m_s = d_s + Σ_t m_tQ_ts and G_ss = 2m_s(1 − Q_ss): symbolic Q, m, n = 1 … 4; Q_ss < 1, as I − Q is invertible",
        kit.shown(law_identity, at=range(1, 5)),
    ),
    instances=lambda: (no_interest_at_the_end(),),
    variant=kit.FalseVariant("They are zero exactly where the interest i(s) is.", by_interest_alone),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS.at("§2.2"), counterexample=at_lambda_four),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=models.reducible_models),
    ),
    notes=(ON_MODELS,),
)
