r"""The indices of the pseudo-code.

Place: Algorithm 1, lines 4 and 7.
Statement: the pseudo-code implements the update. It does not: δ_t takes R_t where it needs R_{t+1}, and a_t is drawn
from π(·|s_{t−1}) but performed in s_t. Corrected: R_{t+1} and a_t ~ π(·|s_t); then the mean update is Aθ + b.
Hypotheses: on-policy; the return exists.
Model: any; each recurrent class on its own.
Check: E[z_t R_{t+1}] = b, E[z_t(γφ_{t+1} − φ_t)ᵀ] = A and the closed form of E[z_t R_t], over all paths where there
are few; else the matrix forms of A and b.
Closed form: with R_t alone the limit is −A⁻¹E[z_t R_t], E[z_t R_t] = Σ_ij d_i p_ij r_ij φ_j + Σ_{k≥1} γᵏc_k
ΦᵀDP^{k−1}r. Both slips: the right algorithm on the chain of (s_{t−1}, a_{t−1}, s_t), rewarded for the transition that
led to s_t, with a_t ~ π(·|s_{t−1}); A changes too.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tdcert.algorithms.schedules import chain_of
from tdcert.claims import kit, models
from tdcert.claims.dgb22.curves import curve
from tdcert.claims.dgb22.simulated_limit import RUNS, SAMPLES, STEPS, TIME, summary
from tdcert.claims.kit import HALF, Expr, Fraction, Model, RationalMatrix, Relation, Verdict, its, on_each_class, shown
from tdcert.sims.algorithm_1 import Step, as_printed
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.check.hypotheses import RETURN_EXISTS
from tdcert.theory.expressions.mixtures import decide_without_sum, episodes_end
from tdcert.theory.expressions.paths import can_be_written_out, few_paths
from tdcert.theory.figures import Figure
from tdcert.theory.identities import single_updates
from tdcert.theory.laws.moments import convergence_series
from tdcert.theory.model.key_matrices import theorem_matrices

MOST_PATHS = 1_000
"""Paths of L + 2 steps up to which the expectations are summed path by path."""


def printed_process(model: Model, late_reward: bool = True, late_policy: bool = True) -> Model:
    """The reward process on which TD(λ)-schedule is Algorithm 1 as printed: its states are (s_{t−1}, a_{t−1}, s_t).

    ``late_reward``: the reward of a step is that of the transition before (line 7), else its own. ``late_policy``: the
    action is drawn for s_{t−1} (line 4), else for s_t. Features are those of s_t. One action; at most n²m states.
    """
    states = previous_steps(model)

    def given(table: RationalMatrix, s: int, successor: int) -> Fraction:
        return table[s, 0] if table.shape[1] == 1 else table[s, successor]

    P, rewards, discounts = [], [], []
    for p, a, s in states:
        decided_in = p if late_policy else s
        after = [(b, s2) if q == s else None for q, b, s2 in states]
        P.append([0 if x is None else model.target[decided_in, x[0]] * model.transitions[x[0]][s, x[1]] for x in after])
        discounts.append([0 if x is None else given(model.discounts[x[0]], s, x[1]) for x in after])
        own = [0 if x is None else given(model.rewards[x[0]], s, x[1]) for x in after]
        rewards.append([given(model.rewards[a], p, s)] * len(states) if late_reward else own)
    features = RationalMatrix([model.features.take(rows=[s]).rows[0] for _, _, s in states])
    gamma = model.gamma if model.gamma is not None else RationalMatrix(discounts)
    return Model.reward_process(
        RationalMatrix(P), RationalMatrix(rewards), gamma, features, model.schedule, f"Algorithm 1 on {model.name}"
    )


def previous_steps(model: Model) -> list[Step]:
    """The states (s_{t−1}, a_{t−1}, s_t) of :func:`printed_process`, in their order there."""
    n, m = model.n, len(model.actions)
    return [(p, a, s) for p in range(n) for a in range(m) for s in range(n) if model.transitions[a][p, s] > 0]


def flip_policy() -> Model:
    """Two states, actions that lead to 1 and to 2; the policy always leaves. Leaving 1 earns 1; tabular, TD(0)."""
    to_1, to_2 = RationalMatrix([[1, 0], [1, 0]]), RationalMatrix([[0, 1], [0, 1]])
    r, flip = RationalMatrix.column([1, 0]), RationalMatrix([[0, 1], [1, 0]])
    discount = RationalMatrix.column([HALF, HALF])
    return Model(
        ("to 1", "to 2"),
        (to_1, to_2),
        (r, r),
        (discount, discount),
        flip,
        flip,
        flip.identity(2),
        kit.Schedule(),
        "flip policy",
    )


def fixed_point(model: Model) -> list[str]:
    """−A⁻¹b of the one recurrent class, in words."""
    return [str(x) for x in own_point(model).column_entries()]


def prove() -> kit.Proof:
    """The closed form of E[z_t R_t] on symbols; the flip policy under one slip and both."""
    sizes = ((2, 0), (2, 1), (2, 2))
    model = flip_policy()
    right = printed_process(model, late_reward=False, late_policy=False)
    kit.require(
        fixed_point(right) == fixed_point(model) and fixed_point(model) == ["4/3", "2/3"],
        "without the slips the process on (s, a, s') has another limit",
    )
    # θ_1 = R + ½θ_2: with R_t the reward 1 is seen in state 2. With both, the states come 1, 1, 2, 2: each value is
    # ½·1 + ½(½θ_1 + ½θ_2), so 1.
    kit.require(fixed_point(printed_process(model, late_policy=False)) == ["2/3", "4/3"], "R_t alone has another limit")
    kit.require(fixed_point(printed_process(model)) == ["1", "1"], "both slips have another limit")
    return kit.proved(
        "E[z_t R_t] over all paths is the closed form, and b of the chain of pairs, whose A is A; symbolic P with "
        "its law, r_ij, φ, γ, λ, (n, L) = " + ", ".join(f"({n}, {length})" for n, length in sizes),
        shown(single_updates.previous_reward_closed_form, at=sizes),
    )


def check(model: Model) -> Verdict:
    """The corrected lines have the mean update Aθ + b; with R_t the closed form."""

    if not model.has_trace_sum:
        return decide_without_sum(model, "b = Φᵀ D Σ_k γᵏ c_k Pᵏ r")
    series = episodes_end(model) if model.schedule.tail == 1 else []

    def decide(states: kit.States) -> Verdict:
        return kit.decide_relations(model, [*series, *mean_update(model, states)], states=states)

    return on_each_class(decide, model, "the mean update is Aθ + b, in matrix form; path by path where there are few")


def mean_update(model: Model, states: kit.States) -> list[Relation]:
    """A and b as S(N − I) and S r, and as expectations over paths of L + 1 steps."""
    weighted: kit.Expression = its.Phi.T @ its.D
    difference = its.N @ its.Phi - its.Phi
    relations: list[Relation] = [(weighted @ its.S @ difference, "=", its.A), (weighted @ its.S @ its.r, "=", its.b)]
    L = model.schedule.length
    if L is None or not (can_be_written_out(model) and few_paths(model, states, L + 2, MOST_PATHS)):
        return relations
    ahead = (its.discount(L) * its.phi(L + 1) - its.phi(L)).T
    relations += [
        (kit.expected("mu", "d", L + 1, its.z(L) @ ahead), "=", its.A),
        (kit.expected("mu", "d", L + 1, its.reward(L) * its.z(L)), "=", its.b),
    ]
    if model.gamma is not None:
        closed = [late_rewards(0), *[later(weighted, k) for k in range(1, L + 1)]]
        relations.append((late_rewards(L), "=", kit.total(closed)))
    return relations


def late_rewards(length: int) -> kit.Expression:
    """E[z_t R_t], the window full; for length 0 it is E[φ_t R_t] = Σ_ij d_i p_ij r_ij φ_j."""
    trace = its.z(length + 1) if length else its.phi(1)
    return kit.expected("mu", "d", length + 1, its.reward(length) * trace)


def later(weighted: kit.Expression, k: int) -> kit.Expression:
    """γᵏc_k ΦᵀDP^{k−1}r."""
    return its.gamma**k * its.c(k) * Expr(("@", weighted, *[its.P_pi] * (k - 1), its.r))


def simulated_model() -> Model:
    """Three states, two actions, a window of two states. All probabilities are multiples of 1/4, so that every draw
    from 64 bits has exactly its law, both in the pseudo-code and in the process it is compared with.
    """
    quarter = Fraction(1, 4)
    stay = RationalMatrix([[HALF, HALF, 0], [0, HALF, HALF], [HALF, 0, HALF]])
    jump = RationalMatrix([[0, 0, 1], [1, 0, 0], [quarter, 3 * quarter, 0]])
    policy = RationalMatrix([[3 * quarter, quarter], [quarter, 3 * quarter], [HALF, HALF]])
    rewards = RationalMatrix.column([1, 0, -1]), RationalMatrix.column([0, 2, 0])
    discount = RationalMatrix.column([3 * quarter] * 3)
    Phi = RationalMatrix([[1, 0], [1, 1], [0, 2]])
    return Model(
        ("stay", "jump"),
        (stay, jump),
        rewards,
        (discount,) * 2,
        policy,
        policy,
        Phi,
        kit.Schedule.equal_weights(1, 2),
        "three states in quarters",
    )


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """The pseudo-code line by line, with both slips and with the first alone, against the process that it is."""
    model = simulated_model()
    both, late = printed_process(model), printed_process(model, late_policy=False)
    steps = previous_steps(model)
    literal, first_slip = as_printed(model, steps), as_printed(model, steps, late_policy=False)
    found = []
    for process, simulator, slips in ((both, literal, "both slips"), (late, first_slip, "R_t alone")):
        law = simulate_against_moments(
            Target(process, "td", STEPS, simulator=simulator),
            TIME,
            Sampling(f"Algorithm 1, {slips}: moments", RUNS, seed, budget),
        )
        point = simulate_fixed_point(
            Target(process, "td", simulator=simulator),
            own_point(process),
            Sampling(f"Algorithm 1, {slips}: fixed point", SAMPLES, seed, budget),
        )
        what = f"E and Cov of the pseudo-code's iterates, {slips}"
        found.append(kit.Simulated(law, what, summary(law, f"{slips}, mean and covariance at t = {TIME}")))
        what = f"the pseudo-code's own limit, {slips}"
        found.append(kit.Simulated(point, what, summary(point, f"{slips}, E_0[δ z] = 0 at its own point")))
    return (replace(found[0], figures=(_figure(model, both, late),)), *found[1:])


def own_point(process: Model) -> RationalMatrix:
    """−A⁻¹b of the one recurrent class."""
    (states,) = process.behaviour_chain.recurrent_classes
    return theorem_matrices(process, states).theta_star


def _figure(model: Model, both: Model, late: Model) -> Figure:
    """Each algorithm approaches its own point; the printed ones stay away from θ*."""
    times = tuple(round(10 ** (k / 4)) for k in range(17))
    shown = {"as printed": both, "R_t alone": late, "as meant": model}
    series = []
    for label, process in shown.items():
        chain, star = chain_of(process, "td", uniform_start(process)), own_point(process).to_float()[:, 0]
        found = convergence_series(chain, STEPS.arrays(times[-1]), times, star, [3.0, -3.0])
        series.append(curve(label, times, found.distance))
    gap = (own_point(both) - own_point(model)).to_float()
    away = curve("gap", (times[0], times[-1]), [np.linalg.norm(gap)] * 2)
    caption = (
        f"Distance of the exactly propagated mean from the algorithm's own point, {model.name}, EqualWeights(1, 2); "
        "the gap is from the point of the printed one to θ*. No simulation."
    )
    return Figure(
        "algorithm_1_limits",
        "algorithm_1_indices",
        "Algorithm 1 converges, but elsewhere",
        "t",
        "‖E θ_t − limit‖",
        (*series, away),
        caption,
        log_x=True,
        log_y=True,
    )


def judge_stated() -> kit.Refutation:
    """Flip chain, φ = (1, 0), γ = ½, TD(0): a step from state 1 earns 1, but R_t is seen in state 2, where φ = 0."""
    model = kit.flip_chain(HALF, features=((1,), (0,)))
    printed = kit.solution(its.A, -late_rewards(0))
    verdict = kit.decide_relations(model, [(printed, "=", kit.solution(its.A, -its.b))])
    return kit.explained(
        verdict,
        model,
        "with R_t the algorithm has another limit",
        "printed limit −A⁻¹E[z_t R_t]",
        "θ* = −A⁻¹b",
        φ="(1, 0)",
        γ="1/2",
        r="(1, 0)",
    )


CLAIM = kit.Claim(
    id="algorithm_1_indices",
    stated=kit.Reading(
        r"The pseudo-code, with $a_t \sim \pi(\cdot|s_{t-1})$ and $\delta_t = R_t + \gamma \phi(s_{t+1})^T \theta - "
        r"\phi(s_t)^T \theta$, implements the update.",
        quote=r"Choose an action $a_t \sim \pi(\cdot|s_{t-1})$",
        place="Algorithm 1, line 4; line 7 has R_t",
    ),
    corrected=kit.Reading(
        r"With $a_t \sim \pi(\cdot|s_t)$ and $\delta_t = R_{t+1} + \gamma \phi(s_{t+1})^T \theta - \phi(s_t)^T "
        r"\theta$ the mean update is $A \theta + b$; with $R_t$ alone it is $A \theta + E[z_t R_t]$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"$\delta_t \leftarrow R_t + \gamma \phi(s_{t+1})^{T}\theta - \phi(s_{t})^T\theta$",),
    check=check,
    prove=prove,
    simulate=simulate,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY_REWARDS),
        kit.Ablation(RETURN_EXISTS, box=models.MONTE_CARLO),
    ),
    notes=(
        "The second slip changes the chain: under a policy that always leaves its state the states come 1, 1, 2, 2, … "
        "and A changes.",
        "Flip policy, two states, γ = ½, reward 1 on leaving state 1, tabular: θ* = (4/3, 2/3); with R_t alone (2/3, "
        "4/3); with both slips (1, 1).",
    ),
)
