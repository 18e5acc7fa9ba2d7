"""Hypotheses as objects: each can be asked about a model and answers with evidence.

A claim lists the hypotheses it needs; that gives the property test (all satisfied, so it holds), the ablation
(one dropped), and the answer for a user's model (which are violated). The identifiers are those of
``verdicts.json``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import (
    irreducibility_certificate,
    nonzero_modulo,
    period_certificate,
    rank_certificate,
)
from tdcert.theory.check.trace_law import has_second_moments
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.expressions.forward_views import BACKWARD, MOVES
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.key_matrices import theorem_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate


@dataclass(frozen=True)
class Answer:
    """Whether a model satisfies a hypothesis, with the reason and what proves it."""

    satisfied: bool
    reason: str
    certificate: Certificate | None = None


@dataclass(frozen=True)
class Hypothesis:
    """A condition on models: ``ask`` answers with evidence. ``statement`` may hold ``$...$`` mathematics."""

    id: str
    statement: str
    source: str
    ask: Callable[[Model], Answer]


def _irreducible(model: Model) -> Answer:
    chain = model.behaviour_chain
    certificate = irreducibility_certificate(chain)
    if chain.is_irreducible:
        return Answer(True, f"the {chain.n} states of the behaviour chain reach each other", certificate)
    closed = ", ".join(f"s{s}" for s in chain.recurrent_classes[0][:8])
    reason = f"the behaviour chain never leaves the states {closed}"
    return Answer(False, reason, certificate)


def _unique_law(model: Model) -> Answer:
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) == 1:
        return Answer(True, "the behaviour chain has one recurrent class")
    return Answer(False, f"the behaviour chain has {len(classes)} recurrent classes, each with its own law")


def _aperiodic(model: Model) -> Answer:
    chain = model.behaviour_chain
    for states in chain.recurrent_classes:
        certificate = period_certificate(chain, states)
        period = certificate.witness["period"]
        if period != 1:
            return Answer(False, f"a recurrent class has period {period}", certificate)
    return Answer(True, "every recurrent class has period 1")


def _full_column_rank(model: Model) -> Answer:
    certificate = rank_certificate(model.features, None)
    if certificate.kind == "full_column_rank":
        return Answer(True, f"the {model.d} columns of Phi are linearly independent", certificate)
    return Answer(False, f"Phi has rank {model.features.rank} with {model.d} columns", certificate)


def _rank_on_recurrent_states(model: Model) -> Answer:
    for states in model.behaviour_chain.recurrent_classes:
        certificate = rank_certificate(model.features, states)
        if certificate.kind != "full_column_rank":
            reason = "the columns of Phi are dependent on the recurrent states, so C is singular"
            return Answer(False, reason, certificate)
    reason = "the columns of Phi are independent on the recurrent states, so C is positive definite"
    return Answer(True, reason)


def _coverage(model: Model) -> Answer:
    if not model.uncovered_when_recurrent:
        where = " at every recurrent state" if model.uncovered else ""
        return Answer(True, f"mu(a|s) > 0 wherever pi(a|s) > 0{where}")
    state, action = model.uncovered_when_recurrent[0]
    states = next(states for states in model.behaviour_chain.recurrent_classes if state in states)
    taken = f"action '{model.actions[action]}' in state {state + 1}"
    return Answer(
        False,
        f"the target policy takes {taken}, the behaviour policy never does",
        Certificate("missing_coverage", {"class": list(states)}, {"state": state, "action": action}),
    )


def _coverage_everywhere(model: Model) -> Answer:
    if not model.uncovered:
        return Answer(True, "mu(a|s) > 0 wherever pi(a|s) > 0")
    recurrent = _coverage(model)
    if not recurrent.satisfied:
        return recurrent
    state, action = model.uncovered[0]
    taken = f"action '{model.actions[action]}' in the transient state {state + 1}"
    return Answer(
        False,
        f"the target policy takes {taken}, the behaviour policy never does",
        Certificate("missing_coverage", {}, {"state": state, "action": action}),
    )


def _on_policy(model: Model) -> Answer:
    if model.is_on_policy_when_recurrent:
        where = "" if model.is_on_policy else " at every recurrent state"
        return Answer(True, f"behaviour and target policy are equal{where}")
    return Answer(False, "behaviour and target policy differ")


def _discounted(model: Model) -> Answer:
    for states in model.behaviour_chain.recurrent_classes:
        kernel = model.target_kernel
        undiscounted = all(kernel.N[i, j] == kernel.P[i, j] for i in states for j in range(model.n))
        if undiscounted:
            return Answer(False, "no transition of a recurrent class has a discount below one")
    if model.gamma is None:
        return Answer(True, "some transition is discounted in every class")
    return Answer(True, f"gamma = {model.gamma} < 1")


def _constant_discount(model: Model) -> Answer:
    if model.gamma is not None:
        return Answer(True, f"gamma = {model.gamma} on every transition")
    if len(model.recurrent_discounts) == 1:
        return Answer(True, f"gamma = {min(model.recurrent_discounts)} on every transition of the recurrent classes")
    return Answer(False, "the discount depends on the transition, so there is no kappa")


def _lambdas_in_unit_interval(model: Model) -> Answer:
    for j, lam in enumerate((*model.schedule.lambdas, model.schedule.tail), start=1):
        if not 0 <= lam <= 1:
            return Answer(False, f"lambda_{j} = {lam} lies outside [0, 1]")
    return Answer(True, "every lambda_j lies in [0, 1]")


def _finite_schedule(model: Model) -> Answer:
    if model.schedule.is_finite:
        return Answer(True, f"lambda_j = 0 for j > {model.schedule.length}")
    return Answer(False, f"lambda_j = {model.schedule.tail} for every j")


def _A_nonsingular(model: Model) -> Answer:
    for states in model.behaviour_chain.recurrent_classes:
        A = theorem_matrices(model, states).A
        if nonzero_modulo(A) is None and A.rank < model.d:
            return Answer(False, "A is singular")
    return Answer(True, "det A is not zero")


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


def _moved_rest_point(model: Model) -> Answer:
    if not _A_nonsingular(model).satisfied:
        return Answer(True, "not asked: A is singular")
    found = moving_state(model)
    if found is None:
        return Answer(False, "no state moves -A^-1 b in the mean")
    return Answer(True, f"state {found[1] + 1} moves -A^-1 b in the mean")


def _n_step_schedule(model: Model) -> Answer:
    lambdas = model.schedule.lambdas
    if model.schedule.is_finite and all(lam == 1 for lam in lambdas):
        return Answer(True, f"lambda_j = 1 for j < {len(lambdas) + 1} and 0 after")
    return Answer(False, "the schedule is not of the form 1, ..., 1, 0, 0, ...")


def _equal_weights_schedule(model: Model) -> Answer:
    lambdas = model.schedule.lambdas
    ones = next((j for j, lam in enumerate(lambdas) if lam != 1), len(lambdas))
    n1, n2 = ones + 1, len(lambdas) + 1
    expected = [1 - Fraction(1, n2 - i + 1) for i in range(n1, n2)]
    if model.schedule.is_finite and list(lambdas[ones:]) == expected:
        return Answer(True, f"the schedule is EqualWeights({n1}, {n2})")
    return Answer(False, "the schedule is not EqualWeights(n1, n2) for any n1, n2")


def _episodes_end(model: Model) -> Answer:
    # An episode of discounts ends unless some state sees no discount in n steps: then (Nⁿ1)_s = 1, and for good.
    alive = RationalMatrix.column([1] * model.n)
    for _ in range(model.n if model.gamma is None else 1):
        alive = model.target_kernel.N @ alive
    endless = [s for s, mass in enumerate(alive.column_entries()) if mass == 1]
    if endless:
        return Answer(False, f"no transition is discounted under the target policy from state s{endless[0]} on")
    return Answer(True, "every episode of discounts ends with probability one")


def _return_exists(model: Model) -> Answer:
    if model.has_trace_sum:
        return Answer(True, "the schedule is finite, or its lambda is below one, or discounts make the series converge")
    return Answer(False, "lambda_j = 1 for every j, and some states are never left nor discounted")


def _endless_constant(model: Model) -> Answer:
    if model.schedule.tail or not model.schedule.lambdas:
        return Answer(True, f"lambda_j = {model.schedule.tail} for every j")
    return Answer(False, "the schedule is not one lambda for every j")


def _constant_up_to_end(model: Model) -> Answer:
    if len(set(model.schedule.lambdas)) <= 1:
        return Answer(True, "the schedule is one lambda, for every j or up to its length")
    return Answer(False, "the lambdas differ")


def _all_ones(model: Model) -> Answer:
    if all(lam == 1 for lam in model.schedule.lambdas) and model.schedule.tail in (0, 1):
        return Answer(True, "lambda_j = 1 for every j, or up to the length of the schedule")
    return Answer(False, "some lambda_j before the end of the schedule is not 1")


def _discount_not_zero(model: Model) -> Answer:
    if not any(model.target_kernel.N.numerator.entries()):
        return Answer(False, "every transition has the discount zero")
    return Answer(True, "some transition has a positive discount")


def _lambda_1_not_zero(model: Model) -> Answer:
    first = (*model.schedule.lambdas, model.schedule.tail)[0]
    return Answer(first != 0, f"lambda_1 = {first}")


def _representable(model: Model) -> Answer:
    try:
        V = value_function(model)
    except SingularMatrixError:
        return Answer(False, "V^pi is not defined: no discount is ever met")
    whole = RationalMatrix([[*row, v] for row, v in zip(model.features.rows, V.column_entries(), strict=True)])
    for states in model.behaviour_chain.recurrent_classes:
        met = model.reached_by_target(states)
        if whole.take(rows=met).rank > model.features.take(rows=met).rank:
            return Answer(False, "V^pi is not a combination of the columns of Phi on the states that are reached")
    return Answer(True, "V^pi is a combination of the columns of Phi on the states that are reached")


def _nonnegative_features(model: Model) -> Answer:
    for states in model.behaviour_chain.recurrent_classes:
        negative = [s for s in states if any(x < 0 for x in model.features.rows[s])]
        if negative and not has_second_moments(model, states):
            reason = f"state s{negative[0]} has a negative feature, and the radius of the endless trace is at least one"
            return Answer(False, reason)
    return Answer(True, "no recurrent state has a negative feature, or the trace has second moments whatever the signs")


def _nonnegative_rewards(model: Model) -> Answer:
    for a, (name, P, R) in enumerate(zip(model.actions, model.transitions, model.rewards, strict=True)):
        for s, row in enumerate(R.rows):
            met = row if len(row) == 1 else [x for x, p in zip(row, P.rows[s], strict=True) if p]
            if model.target[s, a] and any(x < 0 for x in met):
                return Answer(False, f"action '{name}' has a negative reward in state s{s}")
    return Answer(True, "no reward that the target policy can meet is negative")


IRREDUCIBLE = Hypothesis("irreducible", "the behaviour chain is irreducible", "§2; Assumption 2", _irreducible)
UNIQUE_LAW = Hypothesis("unique_law", "the behaviour chain has one stationary law", "Assumption 2", _unique_law)
APERIODIC = Hypothesis("aperiodic", "the behaviour chain is aperiodic", "§2; Assumption 2", _aperiodic)
FULL_COLUMN_RANK = Hypothesis("full_column_rank", r"$\Phi$ has full column rank", "Assumption 3", _full_column_rank)
C_POSITIVE = Hypothesis(
    "C_positive",
    r"$C = \Phi^T D \Phi$ is positive definite",
    "implicit in §3 and §4",
    _rank_on_recurrent_states,
)
COVERAGE = Hypothesis(
    "coverage", r"$\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, at the recurrent states", "implicit in §3", _coverage
)
COVERAGE_EVERYWHERE = Hypothesis(
    "coverage_everywhere",
    r"$\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, transient states included",
    "implicit in §3",
    _coverage_everywhere,
)
ON_POLICY = Hypothesis("on_policy", r"$\mu = \pi$, at the recurrent states", "§2", _on_policy)
DISCOUNTED = Hypothesis(
    "discount_below_one",
    r"$\gamma < 1$ (or some transition of every recurrent class is discounted)",
    "§2",
    _discounted,
)
CONSTANT_DISCOUNT = Hypothesis(
    "constant_discount",
    r"one discount $\gamma$ for every transition of the recurrent classes",
    "§2",
    _constant_discount,
)
LAMBDAS = Hypothesis("lambda_in_unit_interval", r"$\lambda_j \in [0,1]$ for every $j$", "§2", _lambdas_in_unit_interval)
FINITE_SCHEDULE = Hypothesis(
    "finite_schedule", r"$\lambda_j = 0$ for $j > L$", "§2, before (trace_eq)", _finite_schedule
)
A_NONSINGULAR = Hypothesis("A_nonsingular", r"$A$ is nonsingular", "implicit in Theorems 4.4 and 4.6", _A_nonsingular)
MOVED_REST_POINT = Hypothesis(
    "moved_rest_point",
    r"some state moves $\theta^* = -A^{-1} b$ in the mean (no state does where $\Phi \theta^* = V^\pi$)",
    "beyond the paper",
    _moved_rest_point,
)
N_STEP_SCHEDULE = Hypothesis(
    "n_step_schedule",
    r"$\lambda_j = 1$ for $j < n$ and $0$ after, for some $n$",
    "§2 obs. (1)",
    _n_step_schedule,
)
EQUAL_WEIGHTS_SCHEDULE = Hypothesis(
    "equal_weights_schedule", "the schedule is EqualWeights$(n_1, n_2)$", "§2.1", _equal_weights_schedule
)

EPISODES_END = Hypothesis(
    "episodes_end",
    r"$\gamma < 1$ (or, under the target policy, a discounted transition is reached from every state)",
    "§2",
    _episodes_end,
)
RETURN_EXISTS = Hypothesis(
    "return_exists",
    r"the series of the return has a sum from every state: a finite schedule, or $\lambda < 1$, or $\gamma < 1$",
    "§2, for every finite schedule",
    _return_exists,
)
ENDLESS_CONSTANT = Hypothesis(
    "endless_constant_schedule", r"$\lambda_j = \lambda$ for every $j$", "§2 obs. (3)", _endless_constant
)
CONSTANT_UP_TO_END = Hypothesis(
    "constant_schedule",
    r"$\lambda_j = \lambda$ for every $j$, or up to the length of the schedule",
    "§2 obs. (3)",
    _constant_up_to_end,
)
ALL_ONES = Hypothesis(
    "all_ones", r"$\lambda_j = 1$ for every $j$, or up to the length of the schedule", "§2 obs. (2)", _all_ones
)
DISCOUNT_NOT_ZERO = Hypothesis(
    "discount_not_zero", r"$\gamma \neq 0$ (or some transition has a positive discount)", "§2", _discount_not_zero
)
LAMBDA_1_NOT_ZERO = Hypothesis("lambda_1_not_zero", r"$\lambda_1 \neq 0$", "implicit in §2", _lambda_1_not_zero)
REPRESENTABLE = Hypothesis(
    "representable_value",
    r"$V^\pi$ lies in the span of the features, on the states that $\pi$ reaches from a recurrent class",
    "beyond the paper",
    _representable,
)
NONNEGATIVE_FEATURES = Hypothesis(
    "nonnegative_features",
    r"$\Phi \geq 0$ on the recurrent states, asked where $L = \infty$ and the radius is at least one",
    "none: beyond the paper",
    _nonnegative_features,
)
NONNEGATIVE_REWARDS = Hypothesis(
    "nonnegative_rewards",
    "no reward that the target policy can meet is negative, from any state",
    "A5.1: rewards from [0, 1]",
    _nonnegative_rewards,
)

ALL = (
    IRREDUCIBLE,
    UNIQUE_LAW,
    APERIODIC,
    FULL_COLUMN_RANK,
    C_POSITIVE,
    COVERAGE,
    COVERAGE_EVERYWHERE,
    ON_POLICY,
    DISCOUNTED,
    CONSTANT_DISCOUNT,
    LAMBDAS,
    FINITE_SCHEDULE,
    A_NONSINGULAR,
    MOVED_REST_POINT,
    N_STEP_SCHEDULE,
    EQUAL_WEIGHTS_SCHEDULE,
    EPISODES_END,
    RETURN_EXISTS,
    ENDLESS_CONSTANT,
    CONSTANT_UP_TO_END,
    ALL_ONES,
    LAMBDA_1_NOT_ZERO,
    DISCOUNT_NOT_ZERO,
    REPRESENTABLE,
    NONNEGATIVE_FEATURES,
    NONNEGATIVE_REWARDS,
)
