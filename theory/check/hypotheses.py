"""Hypotheses as objects: each can be asked about a model and answers with evidence.

A claim lists the hypotheses it needs; that gives the property test (all satisfied, so it holds), the ablation (one
dropped), and the answer for a user's model (which are violated). The identifiers are those of ``verdicts.json``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import (
    irreducibility_certificate,
    nonzero_modulo,
    period_certificate,
    rank_certificate,
)
from tdcert.theory.check.trace_law import has_second_moments
from tdcert.theory.expressions.forward_views import BACKWARD, MOVES
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate


@dataclass(frozen=True)
class Reply:
    """Whether a model satisfies a hypothesis, with the reason and what proves it."""

    satisfied: bool
    reason: str
    certificate: Certificate | None = None


@dataclass(frozen=True)
class Hypothesis:
    """A condition on models: ``ask`` answers with evidence. ``statement`` may hold ``$...$`` mathematics.

    ``source``: where the paper states it; for those below, the paper that is decided by default.
    """

    id: str
    statement: str
    source: str
    ask: Callable[[Model], Reply]

    def at(self, source: str) -> Hypothesis:
        """This hypothesis, with its place in another paper."""
        return replace(self, source=source)


def hypothesis(id: str, statement: str, source: str) -> Callable[[Callable[[Model], Reply]], Hypothesis]:
    """The function below becomes the ``ask`` of a hypothesis, which takes its name."""
    return lambda ask: Hypothesis(id, statement, source, ask)


@hypothesis("irreducible", "the behaviour chain is irreducible", "§2; Assumption 2")
def IRREDUCIBLE(model: Model) -> Reply:
    chain = model.behaviour_chain
    certificate = irreducibility_certificate(chain)
    if chain.is_irreducible:
        return Reply(True, f"the {chain.n} states of the behaviour chain reach each other", certificate)
    closed = ", ".join(f"s{s}" for s in chain.recurrent_classes[0][:8])
    reason = f"the behaviour chain never leaves the states {closed}"
    return Reply(False, reason, certificate)


@hypothesis("unique_law", "the behaviour chain has one stationary law", "Assumption 2")
def UNIQUE_LAW(model: Model) -> Reply:
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) == 1:
        return Reply(True, "the behaviour chain has one recurrent class")
    return Reply(False, f"the behaviour chain has {len(classes)} recurrent classes, each with its own law")


@hypothesis("aperiodic", "the behaviour chain is aperiodic", "§2; Assumption 2")
def APERIODIC(model: Model) -> Reply:
    chain = model.behaviour_chain
    for states in chain.recurrent_classes:
        certificate = period_certificate(chain, states)
        period = certificate.witness["period"]
        if period != 1:
            return Reply(False, f"a recurrent class has period {period}", certificate)
    return Reply(True, "every recurrent class has period 1")


@hypothesis("full_column_rank", r"$\Phi$ has full column rank", "Assumption 3")
def FULL_COLUMN_RANK(model: Model) -> Reply:
    certificate = rank_certificate(model.features, None)
    if certificate.kind == "full_column_rank":
        return Reply(True, f"the {model.d} columns of Phi are linearly independent", certificate)
    return Reply(False, f"Phi has rank {model.features.rank} with {model.d} columns", certificate)


@hypothesis("C_positive", r"$C = \Phi^T D \Phi$ is positive definite", "implicit in §3 and §4")
def C_POSITIVE(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        certificate = rank_certificate(model.features, states)
        if certificate.kind != "full_column_rank":
            reason = "the columns of Phi are dependent on the recurrent states, so C is singular"
            return Reply(False, reason, certificate)
    reason = "the columns of Phi are independent on the recurrent states, so C is positive definite"
    return Reply(True, reason)


@hypothesis("coverage", r"$\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, at the recurrent states", "implicit in §3")
def COVERAGE(model: Model) -> Reply:
    if not model.uncovered_when_recurrent:
        where = " at every recurrent state" if model.uncovered else ""
        return Reply(True, f"mu(a|s) > 0 wherever pi(a|s) > 0{where}")
    state, action = model.uncovered_when_recurrent[0]
    states = next(states for states in model.behaviour_chain.recurrent_classes if state in states)
    taken = f"action '{model.actions[action]}' in state s{state}"
    return Reply(
        False,
        f"the target policy takes {taken}, the behaviour policy never does",
        Certificate("missing_coverage", {"class": list(states)}, {"state": state, "action": action}),
    )


@hypothesis(
    "coverage_everywhere", r"$\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, transient states included", "implicit in §3"
)
def COVERAGE_EVERYWHERE(model: Model) -> Reply:
    if not model.uncovered:
        return Reply(True, "mu(a|s) > 0 wherever pi(a|s) > 0")
    recurrent = COVERAGE.ask(model)
    if not recurrent.satisfied:
        return recurrent
    state, action = model.uncovered[0]
    taken = f"action '{model.actions[action]}' in the transient state s{state}"
    return Reply(
        False,
        f"the target policy takes {taken}, the behaviour policy never does",
        Certificate("missing_coverage", {}, {"state": state, "action": action}),
    )


@hypothesis("on_policy", r"$\mu = \pi$, at the recurrent states", "§2")
def ON_POLICY(model: Model) -> Reply:
    if model.is_on_policy_when_recurrent:
        where = "" if model.is_on_policy else " at every recurrent state"
        return Reply(True, f"behaviour and target policy are equal{where}")
    return Reply(False, "behaviour and target policy differ")


@hypothesis("on_policy_everywhere", r"$\mu = \pi$, transient states included", "§2")
def ON_POLICY_EVERYWHERE(model: Model) -> Reply:
    if model.is_on_policy:
        return Reply(True, "behaviour and target policy are equal")
    where = " at transient states alone" if model.is_on_policy_when_recurrent else ""
    return Reply(False, f"behaviour and target policy differ{where}")


@hypothesis("discount_below_one", r"$\gamma < 1$ (or some transition of every recurrent class is discounted)", "§2")
def DISCOUNTED(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        kernel = model.target_kernel
        undiscounted = all(kernel.N[i, j] == kernel.P[i, j] for i in states for j in range(model.n))
        if undiscounted:
            return Reply(False, "no transition of a recurrent class has a discount below one")
    if model.gamma is None:
        return Reply(True, "some transition is discounted in every class")
    return Reply(True, f"gamma = {model.gamma} < 1")


@hypothesis("constant_discount", r"one discount $\gamma$ for every transition of the recurrent classes", "§2")
def CONSTANT_DISCOUNT(model: Model) -> Reply:
    if model.gamma is not None:
        return Reply(True, f"gamma = {model.gamma} on every transition")
    if len(model.recurrent_discounts) == 1:
        return Reply(True, f"gamma = {min(model.recurrent_discounts)} on every transition of the recurrent classes")
    return Reply(False, "the discount depends on the transition, so there is no kappa")


@hypothesis("lambda_in_unit_interval", r"$\lambda_j \in [0,1]$ for every $j$", "§2")
def LAMBDAS(model: Model) -> Reply:
    for j, lam in enumerate((*model.schedule.lambdas, model.schedule.tail), start=1):
        if not 0 <= lam <= 1:
            return Reply(False, f"lambda_{j} = {lam} lies outside [0, 1]")
    return Reply(True, "every lambda_j lies in [0, 1]")


@hypothesis("finite_schedule", r"$\lambda_j = 0$ for $j > L$", "§2, before (trace_eq)")
def FINITE_SCHEDULE(model: Model) -> Reply:
    if model.schedule.is_finite:
        return Reply(True, f"lambda_j = 0 for j > {model.schedule.length}")
    return Reply(False, f"lambda_j = {model.schedule.tail} for every j")


def _nonsingular(model: Model, matrices: Callable[..., KeyMatrices[RationalMatrix]]) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        if nonzero_modulo(matrices(model, states).A) is None:
            return Reply(False, "A is singular")
    return Reply(True, "det A is not zero")


@hypothesis("A_nonsingular", r"$A$ is nonsingular", "implicit in Theorems 4.4 and 4.6")
def A_NONSINGULAR(model: Model) -> Reply:
    return _nonsingular(model, theorem_matrices)


@hypothesis("A_as_met_nonsingular", r"$A$, as the algorithm meets it, is nonsingular", "beyond the paper")
def A_AS_MET_NONSINGULAR(model: Model) -> Reply:
    return _nonsingular(model, behaviour_matrices)


def moving_state(model: Model) -> tuple[tuple[int, ...], int, int] | None:
    """A recurrent class, a state and a feature with E[w(s_t)δ_tz_t] ≠ 0 at −A⁻¹b, w = 2 there and 1 elsewhere."""
    for states in model.behaviour_chain.recurrent_classes:
        context = Context(model, states, "covered", theorem_matrices(model, states).theta_star)
        rests, moves = evaluate(BACKWARD, context), evaluate(MOVES, context)
        for state in states:
            for k in range(model.d):
                if rests[k, 0] + moves[k, state] != 0:
                    return states, state, k
    return None


@hypothesis(
    "moved_rest_point",
    r"some state moves $\theta^* = -A^{-1} b$ in the mean (no state does where $\Phi \theta^* = V^\pi$)",
    "beyond the paper",
)
def MOVED_REST_POINT(model: Model) -> Reply:
    if not A_NONSINGULAR.ask(model).satisfied:
        return Reply(True, "not asked: A is singular")
    found = moving_state(model)
    if found is None:
        return Reply(False, "no state moves -A^-1 b in the mean")
    return Reply(True, f"state s{found[1]} moves -A^-1 b in the mean")


@hypothesis("n_step_schedule", r"$\lambda_j = 1$ for $j < n$ and $0$ after, for some $n$", "§2 obs. (1)")
def N_STEP_SCHEDULE(model: Model) -> Reply:
    lambdas = model.schedule.lambdas
    if model.schedule.is_finite and all(lam == 1 for lam in lambdas):
        return Reply(True, f"lambda_j = 1 for j < {len(lambdas) + 1} and 0 after")
    return Reply(False, "the schedule is not of the form 1, ..., 1, 0, 0, ...")


@hypothesis("equal_weights_schedule", "the schedule is EqualWeights$(n_1, n_2)$", "§2.1")
def EQUAL_WEIGHTS_SCHEDULE(model: Model) -> Reply:
    lambdas = model.schedule.lambdas
    ones = next((j for j, lam in enumerate(lambdas) if lam != 1), len(lambdas))
    n1, n2 = ones + 1, len(lambdas) + 1
    expected = [1 - Fraction(1, n2 - i + 1) for i in range(n1, n2)]
    if model.schedule.is_finite and list(lambdas[ones:]) == expected:
        return Reply(True, f"the schedule is EqualWeights({n1}, {n2})")
    return Reply(False, "the schedule is not EqualWeights(n1, n2) for any n1, n2")


@hypothesis(
    "episodes_end",
    r"$\gamma < 1$ (or, under the target policy, a discounted transition is reached from every state)",
    "§2",
)
def EPISODES_END(model: Model) -> Reply:
    # An episode of discounts ends unless some state sees no discount in n steps: then (Nⁿ1)_s = 1, and for good.
    alive = RationalMatrix.column([1] * model.n)
    for _ in range(model.n if model.gamma is None else 1):
        alive = model.target_kernel.N @ alive
    endless = [s for s, mass in enumerate(alive.column_entries()) if mass == 1]
    if endless:
        return Reply(False, f"no transition is discounted under the target policy from state s{endless[0]} on")
    return Reply(True, "every episode of discounts ends with probability one")


@hypothesis(
    "return_exists",
    r"the series of the return has a sum from every state: a finite schedule, or $\lambda < 1$, or $\gamma < 1$",
    "§2, for every finite schedule",
)
def RETURN_EXISTS(model: Model) -> Reply:
    if model.has_trace_sum:
        return Reply(True, "the schedule is finite, or its lambda is below one, or discounts make the series converge")
    return Reply(False, "lambda_j = 1 for every j, and some states are never left nor discounted")


@hypothesis("endless_constant_schedule", r"$\lambda_j = \lambda$ for every $j$", "§2 obs. (3)")
def ENDLESS_CONSTANT(model: Model) -> Reply:
    if model.schedule.tail or not model.schedule.lambdas:
        return Reply(True, f"lambda_j = {model.schedule.tail} for every j")
    return Reply(False, "the schedule is not one lambda for every j")


@hypothesis(
    "constant_schedule", r"$\lambda_j = \lambda$ for every $j$, or up to the length of the schedule", "§2 obs. (3)"
)
def CONSTANT_UP_TO_END(model: Model) -> Reply:
    if len(set(model.schedule.lambdas)) <= 1:
        return Reply(True, "the schedule is one lambda, for every j or up to its length")
    return Reply(False, "the lambdas differ")


@hypothesis("all_ones", r"$\lambda_j = 1$ for every $j$, or up to the length of the schedule", "§2 obs. (2)")
def ALL_ONES(model: Model) -> Reply:
    if all(lam == 1 for lam in model.schedule.lambdas) and model.schedule.tail in (0, 1):
        return Reply(True, "lambda_j = 1 for every j, or up to the length of the schedule")
    return Reply(False, "some lambda_j before the end of the schedule is not 1")


@hypothesis("discount_not_zero", r"$\gamma \neq 0$ (or some transition has a positive discount)", "§2")
def DISCOUNT_NOT_ZERO(model: Model) -> Reply:
    if not any(model.target_kernel.N.numerator.entries()):
        return Reply(False, "every transition has the discount zero")
    return Reply(True, "some transition has a positive discount")


@hypothesis("lambda_1_not_zero", r"$\lambda_1 \neq 0$", "implicit in §2")
def LAMBDA_1_NOT_ZERO(model: Model) -> Reply:
    first = (*model.schedule.lambdas, model.schedule.tail)[0]
    return Reply(first != 0, f"lambda_1 = {first}")


@hypothesis(
    "representable_value",
    r"$V^\pi$ lies in the span of the features, on the states that $\pi$ reaches from a recurrent class "
    "before a discount of zero",
    "beyond the paper",
)
def REPRESENTABLE(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        if not model.has_value_from(states):
            return Reply(False, f"V^pi is not defined at state s{states[0]}: no discount is ever met")
        met = model.reached_by_target(states)
        N, r, Phi = model.target_kernel.N.take(met, met), model.target_kernel.r.take(rows=met), model.features.take(met)
        V = (N.identity(len(met)) - N).solve(r).column_entries()
        if RationalMatrix([[*row, v] for row, v in zip(Phi.rows, V, strict=True)]).rank > Phi.rank:
            return Reply(False, "V^pi is not a combination of the columns of Phi on the states that are reached")
    return Reply(True, "V^pi is a combination of the columns of Phi on the states that are reached")


@hypothesis(
    "nonnegative_features",
    r"$\Phi \geq 0$ on the recurrent states, asked where $L = \infty$ and the radius is at least one",
    "none: beyond the paper",
)
def NONNEGATIVE_FEATURES(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        negative = [s for s in states if any(x < 0 for x in model.features.rows[s])]
        if negative and not has_second_moments(model, states):
            reason = f"state s{negative[0]} has a negative feature, and the radius of the endless trace is at least one"
            return Reply(False, reason)
    return Reply(True, "no recurrent state has a negative feature, or the trace has second moments whatever the signs")


@hypothesis(
    "nonnegative_rewards",
    "no reward that the target policy can meet is negative, from any state",
    "A5.1: rewards from [0, 1]",
)
def NONNEGATIVE_REWARDS(model: Model) -> Reply:
    for a, (name, P, R) in enumerate(zip(model.actions, model.transitions, model.rewards, strict=True)):
        for s, row in enumerate(R.rows):
            met = row if len(row) == 1 else [x for x, p in zip(row, P.rows[s], strict=True) if p]
            if model.target[s, a] and any(x < 0 for x in met):
                return Reply(False, f"action '{name}' has a negative reward in state s{s}")
    return Reply(True, "no reward that the target policy can meet is negative")


ALL = tuple(value for value in list(vars().values()) if isinstance(value, Hypothesis))
