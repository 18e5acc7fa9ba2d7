r"""Functions of two states are nearly those of independent ones.

Note: it is what the draft's proof uses of its lemma mc_exp_bd, also for what comes after s_t; it is not so for
functions of s_1.
Hypotheses: s_1 from the stationary law. Not needed: an irreducible or aperiodic chain.
Model: any, t = 3, b_t = s_t; each recurrent class on its own.
Check: the v = ±1 with the largest difference, against the row of largest distance.
Closed form: Σ_s π(s)Σ_j |P(s, j) − π(j)| is a mean of 2 d_TV over s.
Proof: a mean over s of sums that are at most k times 2 d_TV; b_t depends on s_1 through s_t alone.
"""

from itertools import product

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Name, Verdict, decide_relations, entry_of, free, its, total

MOST = 8
"""Most states: the difference is written out entry by entry."""


@kit.hypothesis("few_states", f"at most {MOST} states", "not in the draft: what is written out here")
def FEW_STATES(model: Model) -> kit.Reply:
    return kit.Reply(model.n <= MOST, f"the model has {model.n} states")


GAP: Expression = its.P_mu**2 - its.ones @ its.d.T
"""P(s_3 = j | s_1 = s) − π(j)."""


def mean_identity(n: int) -> bool:
    """Σ_s π_s Σ_j (P_sj − π_j)v_sj = Σ_sj π_sP_sjv_sj − Σ_sj π_sπ_jv_sj, everything free."""
    _, P, law, v = free(p=(n, n), d=(n, 1), v=(n, n))
    places = list(product(range(n), repeat=2))
    left = sum((law[s, 0] * (P[s, j] - law[j, 0]) * v[s, j] for s, j in places), start=0 * law[0, 0])
    joint = sum((law[s, 0] * P[s, j] * v[s, j] for s, j in places), start=0 * law[0, 0])
    apart = sum((law[s, 0] * law[j, 0] * v[s, j] for s, j in places), start=0 * law[0, 0])
    return bool(left == joint - apart)


def bounded(model: Model, factor: Fraction) -> Verdict:
    """The largest E_P v − E_Q v for |v| ≤ 1, against factor · max d_TV."""

    def decide(states: kit.States) -> Verdict:
        gap = kit.evaluate(GAP, kit.Context(model, states))
        signs = {s: [(j, 1 if gap[s, j] > 0 else -1) for j in states] for s in states}
        worst = max(states, key=lambda s: sum(abs(gap[s, j]) for j in states))
        joint: Expression = its.D @ GAP
        left = total([Name(sign) * entry_of(joint, s, j) for s in states for j, sign in signs[s]])
        right = total([Name(sign * factor / 2) * entry_of(GAP, worst, j) for j, sign in signs[worst]])
        return decide_relations(model, [(left, "<=", right)], states=states)

    return kit.on_each_class(decide, model, "the largest difference of both means is at most 2 max d_TV, k = 1")


def functions_of_the_first_state() -> kit.Refutation:
    """Rows (½, ½): s_1 and s_3 are independent, d_TV = 0; b = s_1 and v = 1 where both agree, else −1: 1 against 0."""
    model = kit.fast_chain()
    apart = 2 * (1 - its.d.T @ its.d)
    return kit.Refutation(decide_relations(model, [(apart, "<=", 2 * entry_of(GAP, 0, 0))]), model)


def one_percent_less() -> kit.Refutation:
    """Two states that alternate: both rows of P² have the distance ½ from π."""
    return kit.on(kit.flip_chain(), bounded, Fraction(198, 100))


CLAIM = kit.Claim(
    id="brs_info",
    stated=kit.Reading(
        r"For $s_1 \sim \pi$, $|v| \le k$ and $b_t$ a function of $s_t$: "
        r"$|E_P v(s_1, b_t) - E_Q v(s_1, b_t)| \le 2k \max_s d_{TV}(P(s_t = \cdot | s_1 = s), \pi)$."
    ),
    check=kit.where(lambda model: bounded(model, Fraction(2)), FEW_STATES),
    prove=lambda: kit.proved(
        "E_P v − E_Q v = Σ_s π(s)Σ_j (P(s, j) − π(j))v(s, j), symbolic P, π, v, n = 2, 3: each inner sum is at most "
        "kΣ_j |P(s, j) − π(j)| = 2k d_TV",
        kit.shown(mean_identity, at=(2, 3)),
    ),
    variant=kit.FalseVariant("It holds for functions b_t of the whole history.", functions_of_the_first_state),
    constants=(kit.NumericConstant("the 2 in 2k", one_percent_less),),
    ablations=(
        kit.Ablation(kit.IRREDUCIBLE.at("the draft's Assumption 2"), supports=models.reducible_models),
        kit.Ablation(kit.APERIODIC.at("the draft's Assumption 2"), supports=models.periodic_models),
    ),
    notes=(
        "In the draft, which is unfinished, the lemma lets b_t be a function of the whole history (s_1, …, s_t); the "
        "proof of its theorem uses functions of the past of one state against a later state, which is the case decided "
        "here, read backwards.",
    ),
)
