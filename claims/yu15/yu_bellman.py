r"""The generalised Bellman equation has the value function as its one solution.

Where: P^λ = I − (I − P_πΓΛ)⁻¹(I − P_πΓ), r^λ = (I − P_πΓΛ)⁻¹r_π; (2.6).
Model: any, with λ(s) in each state.
Check: (I − P^λ)⁻¹ r^λ = v_π, whose left side exists only if the solution is unique.
Closed form: I − P^λ = (I − P_πΓΛ)⁻¹(I − P_πΓ).
"""

from functools import reduce
from operator import add

from tdcert.claims import kit, models
from tdcert.claims.emphasis import lam_of, missed, reached_by_states, rewarded, without_discount
from tdcert.claims.kit import HALF, IRREDUCIBLE, Expression, Model, Schedule, Verdict, free, its, one_state, solution


def solves(n: int) -> bool:
    """(I − NΛ)(r^λ + P^λv − v) = r − (I − N)v for free N, Λ, r, v, n states: both vanish together."""
    ring, N, lam, r, v = free(p=(n, n), l=n, r=n, v=n)
    rows = N.rows
    _, before, Q = reached_by_states(ring, N, lam)
    column, values = ring.matrix([[x] for x in r]), ring.matrix([[x] for x in v])
    left = before @ (before.solve(column) + Q @ values - values)
    right = [r[s] - v[s] + reduce(add, (rows[s][t] * v[t] for t in range(n))) for s in range(n)]
    return bool(all(left[s, 0] == right[s] for s in range(n)))


def prove() -> kit.Proof:
    """The two equations are one."""
    sizes = (1, 2, 3)
    sentence = "v = r^λ + P^λv if and only if v = r + P_πΓv: symbolic P_πΓ, λ(s), r, v, n = 1, 2, 3"
    return kit.proved(sentence, kit.shown(solves, at=sizes))


def check(model: Model) -> Verdict:
    lam = lam_of(model)
    return against_the_value(model, rewarded(lam))


def against_the_value(model: Model, rewards: Expression) -> Verdict:
    """(I − P^λ)⁻¹ times these rewards, against v_π."""
    try:
        left = solution(missed(lam_of(model)), rewards)
        return kit.decide_relations(model, [(left, "=", its.V)], detail="(I − P^λ)⁻¹ r^λ = v_π")
    except kit.SingularMatrixError:
        states = model.behaviour_chain.recurrent_classes[0]
        return without_discount(states, model, "constants solve the equation without rewards", "v_π")


def with_plain_rewards() -> kit.Refutation:
    """One state, R = 1, γ = λ = ½: r^λ = 4/3 and v_π = 2, and with r = 1 in its place 3/2."""
    model = one_state(HALF, Schedule.constant(HALF))
    sides, detail = ("(I − P^λ)⁻¹ r_π", "v_π"), "one state, R = 1, γ = λ = ½"
    return kit.explained(against_the_value(model, its.r), model, detail, *sides)


CLAIM = kit.Claim(
    id="yu_bellman",
    stated=kit.Reading(
        r"$v_\pi$ is the unique solution of $v = r^\lambda_{\pi,\gamma} + P^\lambda_{\pi,\gamma} v$.",
        quote="a generalized Bellman equation of which $v_\\pi$ is the unique solution",
        place="§2.2, before (2.5)",
    ),
    anchors=("(2.5)", "(2.6)"),
    check=check,
    prove=prove,
    variant=kit.FalseVariant("It is the solution of v = r_π + P^λ v.", with_plain_rewards),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=models.reducible_models),
    ),
)
