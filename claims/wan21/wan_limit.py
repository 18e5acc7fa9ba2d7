r"""Where one clock rests: r̄ is the target's average reward, and η(Σv − Σv₀) = r̄ − r̄₀, whatever the law is.

Model: any, tabular, at η = 1/2 with v₀ = 0, r̄₀ = 1/3; the law of the target by its linear system.
Check: Mv = −D(r − r̄₀𝟏) has one solution v, and r̄₀ + η𝟏ᵀv is the mean reward of the target's law.
Closed form: D(r + (P − I)v − r̄𝟏) = 0 gives r + (P − I)v = r̄𝟏, whose mean under the target's law is r(π) = r̄.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Name, Verdict, decide_relations, free, its, solution, sum_of
from tdcert.claims.wan21.one_clock import UNICHAIN, clocked
from tdcert.claims.wan21.wan_off_policy import both_stay

ETA, START = Fraction(1, 2), Name(Fraction(1, 3))
LAW: Expression = solution((its.I - its.P_pi + its.ones @ its.ones.T).T, its.ones)


def mean_identity(n: int) -> bool:
    """The mean of (P − I)v under the law of a symbolic P is zero, for a free v."""
    _, P, v = free(p=("stochastic", n), v=(n, 1))
    return bool((kit.stationary_law(P).T @ (P @ v - v)).is_zero())


@kit.each_class
def rests_at(model: Model, states: kit.States, law: Expression) -> Verdict:
    """Whether r̄ at rest is the mean reward under that law."""
    M = clocked(ETA)
    v = -solution(M, its.D @ (its.r - START * its.ones))
    try:
        relation = START + Name(ETA) * sum_of(v), "=", law.T @ its.r
        return decide_relations(model, [relation], states=states, detail="r̄ at rest is the mean reward")
    except kit.SingularMatrixError:
        kept = decide_relations(model, [(kit.determinant(M), "=", Name(0))], states=states)
        return kit.refuted("M is singular: there is no rest point, or a line", by=kept.certificates, undefined="v")


def of_the_behaviour() -> kit.Refutation:
    """θ→2θ with rewards 1 and 0: the target stays in the second state and earns nothing, the behaviour one half."""
    model = kit.theta_to_two_theta(Fraction(1), rewards=(1, 0))
    return kit.explained(rests_at(model, its.d), model, "θ→2θ, R = 1, 0", "r̄ at rest", "the behaviour's average reward")


CLAIM = kit.Claim(
    id="wan_limit",
    stated=kit.Reading(
        r"At rest $\bar r = r(\pi)$ and $\eta(\sum_s v_s - \sum_s v_{0,s}) = r(\pi) - \bar r_0$, for every $d > 0$."
    ),
    check=lambda model: rests_at(model, LAW),
    prove=kit.proof("(P − I)v has the mean zero under P's law: symbolic P, v, n = 2, 3", mean_identity, at=(2, 3)),
    variant=kit.FalseVariant("r̄ is the behaviour's average reward.", of_the_behaviour),
    ablations=(
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(UNICHAIN, counterexample=both_stay),
    ),
)
