r"""The special cases as online algorithms.

Place: §2, observations (1)–(3), "we obtain the … algorithm".
Statement: the schedule's update is that of the named algorithm: the mean updates are equal at every θ,
E[(G_t − V(s_t))φ_t] = E[δ_t z_t] = Aθ + b, and so are their sums over a path with θ frozen. A stronger reading, iterate
by iterate, is not printed, and fails: n-step TD and Monte Carlo wait for their return, the schedule's algorithm moves θ
at once by δ_t z_t.
Hypotheses: on-policy, which identifies the mean update with Aθ + b; the return exists.
Model: any; each recurrent class on its own.
Check: both expectations over all paths where there are few, from the stationary law; else in matrix form.
Closed form: ΦᵀD(S r + (M − I)Φθ) = ΦᵀDS(r + (N − I)Φθ) = Aθ + b.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Path, Relation, Verdict, along, decide_relations, its
from tdcert.theory.check.hypotheses import RETURN_EXISTS
from tdcert.theory.expressions.mixtures import decide_without_sum, episodes_end
from tdcert.theory.expressions.paths import can_be_written_out, few_paths
from tdcert.theory.identities import return_weights, single_updates

MOST_PATHS = 1_000
"""Paths of L + 1 steps up to which the expectations are summed path by path."""


def prove() -> kit.Proof:
    """Means over all symbolic paths, and sums along one symbolic path."""
    sizes = ((2, 0), (2, 1), (3, 0))
    cases = [(length, steps) for length in range(3) for steps in range(1, 5)]
    return kit.proved(
        "E[(G_t − V(s_t))φ_t] = E[δ_t z_t] over all paths, symbolic P with its law, rewards, features, values, γ, "
        "λ, (n, L) = " + ", ".join(f"({n}, {length})" for n, length in sizes),
        kit.shown(single_updates.mean_updates_agree, at=sizes),
    ) + kit.proved(
        "Σ_t (G_t − V(s_t))φ_t = Σ_t δ_t z_t along every path of 1 … 4 steps, θ frozen, returns cut at its end, L "
        "= 0, 1, 2",
        kit.shown(return_weights.frozen_updates_agree, at=cases),
    )


def check(model: Model) -> Verdict:
    """Both mean updates are Aθ + b, on every recurrent class."""
    if not model.has_trace_sum:
        return decide_without_sum(model, "G_t = Σ_k R_{t+k+1}")
    series = episodes_end(model) if model.schedule.tail == 1 else []
    detail = "equal mean updates, in matrix form; path by path where there are few"
    theta = kit.some_theta(model.d)

    def decide(states: kit.States) -> Verdict:
        return decide_relations(model, [*series, *mean_updates(model, states)], states=states, theta=theta)

    return kit.on_each_class(decide, model, detail)


def mean_updates(model: Model, states: kit.States) -> list[Relation]:
    """Forward and backward mean update against Aθ + b."""
    v = its.Phi @ its.theta
    update: Expression = its.A @ its.theta + its.b
    weighted = its.Phi.T @ its.D
    forward = weighted @ (its.S @ its.r + (its.M @ v - v))
    backward = weighted @ its.S @ (its.r + (its.N @ v - v))
    relations: list[Relation] = [(forward, "=", update), (backward, "=", update)]
    length = model.schedule.length
    if length is not None and can_be_written_out(model) and few_paths(model, states, length + 1, MOST_PATHS):
        seen = kit.expected("mu", "d", length + 1, (its.G - its.v(0)) * its.phi(0))
        traced = kit.expected("mu", "d", length + 1, its.delta(length) * its.z(length))
        relations += [(seen, "=", update), (traced, "=", update)]
    return relations


def two_rewards() -> Model:
    """One state, φ = 1, γ = ½, actions that pay 0 and 1, λ_1 = 1: two-step TD."""
    even, schedule = (HALF, HALF), kit.Schedule((Fraction(1),))
    return models.one_state_two_actions(
        "one state with two rewards", ("nothing", "one"), even, even, rewards=(0, 1), schedule=schedule
    )


def iterates(alpha: str, steps: int, forward: bool) -> list[Expression]:
    """θ_0 = 0 and the iterates that follow, two-step TD (d = 1): forward as it is defined, or by δ_t z_t."""
    found: list[Expression] = ["0"]
    for t in range(steps):
        theta = found[-1]

        def value(k: int, theta: Expression = theta) -> Expression:
            return theta * its.phi(k)

        def ahead(k: int, rest: Expression) -> Expression:
            return its.reward(k) + its.discount(k) * rest

        if forward:
            step = (ahead(t, ahead(t + 1, value(t + 2))) - value(t)) * its.phi(t)
        else:
            step = (ahead(t, value(t + 1)) - value(t)) * its.z(t)
        found.append(theta + alpha * step)
    return found


PAIRED = (("1/4", "0"), ("21/32", "3/4"), ("105/256", "15/32"))
"""θ after 1, 2, 3 updates on rewards 0, 1, 0, 0: two-step TD, and the schedule's algorithm."""


def facts() -> Sequence[kit.Fact]:
    """Not iterate by iterate: rewards 0, 1, 0, …, α = γ = ½, θ_0 = 0: forward ¼ once R_2 = 1 is seen, backward ¾."""
    model = two_rewards()
    path = Path((0,) * 5, (0, 1, 0, 0))
    # Two-step TD makes its first update when the backward algorithm makes its second: the iterates of the same instant.
    forward, backward = iterates("1/2", 1, forward=True)[-1], iterates("1/2", 2, forward=False)[-1]
    verdict = decide_relations(model, [(along(path, forward), "=", "1/4"), (along(path, backward), "=", "3/4")])
    sentence = (
        "a stronger reading, iterate by iterate, fails: one state, φ = 1, γ = α = ½, λ = (1), θ_0 = 0: after the "
        "rewards 0, 1 two-step TD is at ¼ and the schedule's algorithm at ¾"
    )
    pairs = zip(iterates("1/2", 3, forward=True)[1:], iterates("1/2", 3, forward=False)[1:], PAIRED, strict=True)
    paired: list[Relation] = [
        (along(path, found), "=", value) for *both, values in pairs for found, value in zip(both, values, strict=True)
    ]
    in_pairs = "paired update by update they differ too: " + ", ".join(" and ".join(values) for values in PAIRED)
    return [kit.Fact(sentence, model, verdict), kit.Fact(in_pairs, model, decide_relations(model, paired))]


CLAIM = kit.Claim(
    id="online_equivalence",
    stated=kit.Reading(
        r"With these schedules the update $\delta_t z_t$ is that of the $n$-step TD ($n$ as corrected in "
        r"n_step_special_case), Monte Carlo and TD($\lambda$) algorithms, read in the mean: it has that of "
        r"$(G_t - V(s_t)) \phi_t$, $G_t$ their return.",
        quote="then we obtain the $n$-step TD algorithm",
        place="§2, observations (1) to (3)",
    ),
    anchors=(r"then we obtain the TD($\lambda$) algorithm",),
    check=check,
    prove=prove,
    facts=facts,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY_REWARDS),
        kit.Ablation(RETURN_EXISTS, box=models.MONTE_CARLO),
    ),
    notes=(
        "Observation (3) does hold iterate by iterate against TD(λ) as it is run, with its trace "
        "(td_lambda_special_case).",
    ),
    rests_on=("telescoping",),
)
