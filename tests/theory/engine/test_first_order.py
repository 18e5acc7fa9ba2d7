"""The first order in the steps: against eigenvalues of the exact mean operator at small steps, and by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.algorithms import NAMES, named
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import at_ratios, ratio_set, rest_of, time_scales, two_time_scales
from tdcert.theory.engine.first_order import FirstOrder, first_order, limit_of, with_mean_dynamics
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import Stationary, means_of_tables, stationary
from tdcert.theory.engine.nodes import node_chain
from tdcert.theory.engine.numbers import Exact, Refusal
from tdcert.theory.engine.series import StepSeries, steps_as_series
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError
from tdcert.theory.laws.mean_at_step import first_moment
from tdcert.theory.model.gallery import HALF, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tests.effort import examples
from tests.replay import replay

F = Fraction
ONE = F(1)
GAMMA = F(9, 10)
FIRST = ("implicit_td", "true_online_td", "gtd_momentum", "tdc_momentum", "gtd2_mp")
MOMENTA = (F(2, 5), F(-1, 2))
some = settings(max_examples=examples(30), deadline=None)


def on_class(model: Model, declared: Algorithm) -> Stationary[RationalMatrix]:
    return with_mean_dynamics(model, declared, model.behaviour_chain.recurrent_classes[0])


def three_states() -> Model:
    """Two features, two actions; every cycle passes the last state, where the discount is zero and traces end."""
    half: Any = HALF
    left, right = ([[0, half, half], [0, 0, 1], [1, 0, 0]], [[0, 1, 0], [0, 0, 1], [half, half, 0]])
    discounts = RationalMatrix([[GAMMA], [GAMMA], [0]])
    rewards = RationalMatrix([[1], [-2], [3]])
    target, behaviour = ([[F(1, 4), F(3, 4)]] * 3, [[HALF, HALF]] * 3)
    features = RationalMatrix([[1, 0], [1, 1], [-1, 2]])
    small = theta_to_two_theta(GAMMA)
    return Model(
        ("left", "right"),
        (RationalMatrix(left), RationalMatrix(right)),
        (rewards, rewards),
        (discounts, discounts),
        RationalMatrix(target),
        RationalMatrix(behaviour),
        features,
        small.schedule,
    )


# ---- against the update itself at small steps -----------------------------------------------------------------------


def growth(model: Model, declared: Algorithm, ratios: list[Fraction], alpha: Fraction) -> float:
    """(r − 1)/α with r the spectral radius of the exact mean of all parameters and nodes after one update."""
    steps = {name: alpha * ratio for name, ratio in zip(declared.steps, ratios, strict=True)}
    states = model.behaviour_chain.recurrent_classes[0]
    found = stationary(model, declared, states, steps=steps)
    chain = node_chain(tables(model, declared, states, steps=steps))
    L = first_moment(jump_system(found, chain, ratios), alpha).to_float()
    return float((np.abs(np.linalg.eigvals(L)).max() - 1) / float(alpha))


CASES = [
    *(
        (name, options, eta)
        for name, options in (("implicit_td", {}), ("true_online_td", {"lam": HALF}))
        for eta in (1,)
    ),
    *(("gtd2_mp", {}, eta) for eta in (F(1, 3), F(2))),
    *(
        (name, {"momentum": m}, eta)
        for name in ("gtd_momentum", "tdc_momentum")
        for m in MOMENTA
        for eta in (F(1, 4), 2)
    ),
]


@pytest.mark.parametrize(("name", "options", "eta"), CASES)
@pytest.mark.parametrize("model", [theta_to_two_theta(GAMMA), three_states()], ids=["two states", "three states"])
def test_the_mean_operator_at_small_steps(model: Model, name: str, options: dict[str, Any], eta: Fraction) -> None:
    """The radius is 1 + α a + α² c + O(α³), a the abscissa of J: where the step is halved, so is the distance of
    (r − 1)/α from a. Another a would leave it as it is.
    """
    declared = named(name).with_options(**options)
    if model.n == 2 and name == "true_online_td":
        declared = declared.with_options(lam=0)  # its trace has no end there
    ratios = [ONE, F(eta)][: len(declared.steps)]
    J = on_class(model, declared).joint(ratios)
    J = J.take(columns=range(J.shape[0])).to_float()
    a = float(np.linalg.eigvals(J).real.max())
    first, second = (abs(growth(model, declared, ratios, F(1, 2**k)) - a) for k in (11, 12))
    assert abs(a) > 1e-3 and first < abs(a) / 8
    # floats know the radius to 1e-14 or so, times 2¹² of the step
    assert second < 1e-9 or 0.45 < second / first < 0.55


# ---- where what is left at steps zero differs from transition to transition ----


@algorithm(parameters={"theta": "d", "old": "d"})
def momentum_by_state(t: Any, theta: Any, old: Any, alpha: Any) -> Any:
    """TD(0) with a momentum that depends on the state."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi + (HALF if t.state == 0 else -F(1, 3)) * (theta - old), theta


@algorithm(parameters={"theta": "d", "target": "d"})
def frozen_target(t: Any, theta: Any, target: Any, alpha: Any) -> Any:
    """TD(0) towards a copy of the parameters that is taken whenever state 0 is left."""
    delta = t.reward + t.discount * (t.phi_next @ target) - t.phi @ theta
    return theta + alpha * delta * t.phi, theta if t.state == 0 else target


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def swapped_by_action(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
    """Two learners that are mixed after action 0, each learning one from the other."""
    first, second = ((3 * theta + w) / 4, (theta + w) / 2) if t.action == 0 else (theta, w)
    ahead, behind = t.discount * (t.phi_next @ w) - t.phi @ theta, t.discount * (t.phi_next @ theta) - t.phi @ w
    return first + alpha * (t.reward + ahead) * t.phi, second + beta * t.rho * behind * t.phi


VARYING = [momentum_by_state, frozen_target, swapped_by_action]


@pytest.mark.parametrize("declared", VARYING, ids=lambda one: one.name)
@pytest.mark.parametrize("model", [theta_to_two_theta(GAMMA), three_states()], ids=["two states", "three states"])
def test_the_mean_operator_where_what_is_left_differs(model: Model, declared: Algorithm) -> None:
    """As above; and the J of the mean of K is that limit only where the increments do not depend on the context."""
    ratios = [ONE, F(2)][: len(declared.steps)]
    found = on_class(model, declared)
    assert isinstance(found, FirstOrder) and len(found.limit.lefts) == len(found.raw.contexts)
    a, wrong = (abscissa(matrix) for matrix in (found.joint(ratios), by_mean_of_K(found, ratios)))
    first, second = (growth(model, declared, ratios, F(1, 2**k)) for k in (11, 12))
    assert abs(a) > 1e-3 and abs(first - a) < abs(a) / 8
    assert abs(second - a) < 1e-9 or 0.45 < abs(second - a) / abs(first - a) < 0.55
    if declared is momentum_by_state:
        assert abs(second - wrong) > 0.9 * abs(first - wrong) > 0.1
    rest = rest_of(found, ratios).parameters
    assert rest is not None
    far, near = (np.abs(mean_at_rest(found, ratios, F(1, 2**k)) - rest.to_float()[:, 0]).max() for k in (11, 12))
    assert near < 1e-9 or 0.45 < near / far < 0.55


def abscissa(joint: RationalMatrix) -> float:
    return float(np.linalg.eigvals(joint.take(columns=range(joint.shape[0])).to_float()).real.max())


def mean_at_rest(found: FirstOrder[RationalMatrix], ratios: list[Fraction], alpha: Fraction) -> Any:
    """E[y] in the stationary regime at constant steps, of an update without a memory: by its edges, in floats."""
    raw, law = found.raw, [float(x) for x in map(F, map(str, found.memory.law))]
    D, n = raw.D, len(raw.contexts)
    A, b = np.eye(n * D), np.zeros(n * D)
    for edge in raw.edges:
        p = float(edge.outcome.probability)
        to, of = edge.target * D, edge.source * D
        A[to : to + D, of : of + D] -= p * np.eye(D)
        for powers, part in edge.increments.items():
            size = p * float(np.prod([float(alpha * x) ** k for x, k in zip(ratios, powers, strict=True)]))
            for (_, i, j), x in part.items():
                if j < D:
                    A[to + i, of + j] -= size * float(F(str(x)))
                else:
                    b[to + i] += size * float(F(str(x))) * law[edge.source]
    return np.linalg.solve(A, b).reshape(n, D).sum(axis=0)


def test_answers_where_what_is_left_differs() -> None:
    """In balls as exactly, with certificates that the checker takes, and without a covariance: u adds noise."""
    model, quiet = three_states(), lambda done, total, what: None
    (row,) = analyse_updates(model, [momentum_by_state], quiet, certify=True).rows
    assert row.first_order and row.verdict is not None and row.verdict.mean_dynamics is MeanDynamics.STABLE
    assert row.noise is None and "makes noise" in row.why_no_noise
    kinds = {certificate.kind for certificate in row.certificates}
    assert {"update_hurwitz", "update_rest"} <= kinds and not any("covariance" in kind for kind in kinds)
    for certificate in row.certificates:
        replay(certificate, model)
    exact = on_class(model, momentum_by_state)
    with precision(128):
        enclosed = with_mean_dynamics(model, momentum_by_state, exact.states, kind=BallMatrix)
        assert at_ratios(enclosed, [ONE]).mean_dynamics is MeanDynamics.STABLE
        assert enclosed.means[0].contains(exact.means[0])


@algorithm(parameters={"theta": 1, "v": 1})
def turning(t: Any, theta: Any, v: Any, alpha: Any, *, c: Fraction = HALF) -> Any:
    """v' = ±c v + αθ, the sign drawn anew."""
    return theta - alpha * (theta + v), (c if t.action == 0 else -c) * v + alpha * theta


def test_what_does_not_rest_must_die_out_in_mean_square() -> None:
    """v dies out in the mean for every c, but the mean of v² is multiplied by c²."""
    assert on_class(three_states(), turning.with_options(c=HALF)).means == (RationalMatrix([[-1, 0]]),)
    for c in (ONE, F(2)):
        with pytest.raises(InputError, match="second moments do not die out"):
            on_class(three_states(), turning.with_options(c=c))


def by_mean_of_K(found: FirstOrder[RationalMatrix], ratios: list[Fraction]) -> RationalMatrix:
    """L E[G] R, with the one L of the mean of K under the law of transitions: no limit of this update."""
    memory, raw = found.memory, found.raw
    means = means_of_tables(raw, memory)
    (zero,) = (powers for powers in means if not any(powers))
    K = means[zero].take(columns=range(raw.D)) + RationalMatrix.zeros(1, 1).identity(raw.D)
    limit = limit_of(K)
    assert not isinstance(limit, str)
    parts = limit.of_means(means, RationalMatrix)
    steps = [tuple(int(i == k) for i in range(len(ratios))) for k in range(len(ratios))]
    each = (parts[step].scaled(x) for step, x in zip(steps, ratios, strict=True))
    return sum(each, start=RationalMatrix.zeros(*parts[steps[0]].shape))


# ---- against other algorithms ---------------------------------------------------------------------------------------


@some
@given(
    models(policy="off"), st.sampled_from(("gtd", "tdc")), st.sampled_from(MOMENTA), st.sampled_from((F(1, 3), F(4)))
)
def test_momentum_is_the_algorithm_at_another_ratio(model: Model, name: str, m: Fraction, eta: Fraction) -> None:
    """diag(1/(1 − m), 1) J(η), only the rows of θ; so stable at η where GTD and TDC are at η(1 − m), as they rest."""
    heavy = on_class(model, named(f"{name}_momentum").with_options(momentum=m))
    plain = on_class(model, named({"gtd": "gtd_2008", "tdc": "gtd_lambda"}[name]))
    assert isinstance(heavy, FirstOrder) and not heavy.limit.is_all
    d = model.d
    (theta, w), (theta_m, w_m) = plain.means, heavy.means
    assert theta_m == theta.scaled(1 / (1 - m)) and w_m == w
    assert (w.take(rows=range(d)).is_zero(), theta.take(rows=range(d, 2 * d)).is_zero()) == (True, True)
    verdicts = at_ratios(heavy, [ONE, eta]), at_ratios(plain, [ONE, eta * (1 - m)])
    assert verdicts[0].mean_dynamics is verdicts[1].mean_dynamics
    there, here = rest_of(heavy, [ONE, eta]), rest_of(plain, [ONE, eta])
    assert (there.seen, there.predictions) == (here.seen, here.predictions)
    if here.parameters is not None:
        parts = [here.parameters.take(rows=part).T for part in (range(d), range(d), range(d, 2 * d))]
        assert there.parameters == parts[0].beside(*parts[1:]).T  # the θ of the step before is θ
    slow, plainly = two_time_scales(heavy), two_time_scales(plain)
    assert slow is not None and plainly is not None and slow.mean_dynamics is plainly.mean_dynamics


@some
@given(models(policy="on", endless=True), st.sampled_from((F(0), HALF)))
def test_implicit_true_online_and_mirror_prox(model: Model, lam: Fraction) -> None:
    """Their limits are TD(0), TD(λ) and GTD2."""
    pairs = [
        (named("implicit_td"), named("td")),
        (named("true_online_td").with_options(lam=lam), named("off_policy_td").with_options(tail=(lam,))),
        (named("gtd2_mp"), named("gtd2")),
    ]
    for limit, plain in pairs:
        found, wanted = on_class(model, limit), on_class(model, plain)
        if wanted.has_mean is True:
            assert found.cut and not wanted.cut and found.means == wanted.means
            assert at_ratios(found, [ONE] * len(limit.steps)) == at_ratios(wanted, [ONE] * len(limit.steps))


@pytest.mark.thorough
def test_all_that_ship_have_mean_dynamics() -> None:
    found = analyse_updates(theta_to_two_theta(HALF), [named(name) for name in NAMES], lambda *_: None).rows
    assert len(found) == 30 and not any(row.why_not for row in found)
    assert all(row.verdict is not None and row.rest is not None for row in found)
    assert {row.algorithm.name for row in found if row.first_order} == set(FIRST)


# ---- both forms of an update ----------------------------------------------------------------------------------------


@some
@given(models(discount="any", policy="any", endless=True), st.sampled_from(FIRST))
def test_entries_and_whole_vectors_have_the_same_limit(model: Model, name: str) -> None:
    declared = named(name).with_options(lam=HALF) if name == "true_online_td" else named(name)
    whole = first_order(model, declared, model.behaviour_chain.recurrent_classes[0], RationalMatrix)
    entries = replace(whole, terms=None)
    assert whole.terms is not None and whole.limit == entries.limit
    assert whole.raw_beyond == entries.raw_beyond
    if whole.has_mean is True:
        assert entries.has_mean is True and whole.means == entries.means
        assert (
            means_of_tables(whole.tables, whole.memory).items()
            >= {powers: mean for powers, mean in whole.by_exponents.items() if not mean.is_zero()}.items()
        )


def test_steps_in_a_table_of_first_order() -> None:
    """θ' = θ + αδφ/(1 + 2α) takes the first entry apart; α² is cut off there."""

    @algorithm(parameters={"theta": "d"})
    def apart(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha / (1 + 2 * alpha) * (t.reward - t.phi[0] * theta[0]) * t.phi

    found = first_order(theta_to_two_theta(GAMMA, rewards=(3, 5)), apart, (0, 1), RationalMatrix)
    assert found.terms is None and found.raw_beyond == {(0, (0, 0))}
    assert found.means == (RationalMatrix([[F(-5, 2), F(13, 2)]]),)
    assert found.raw.edges[0].increments == {(1,): {(None, 0, 0): fmpq(-1), (None, 0, 1): fmpq(3)}}


# ---- where there is no limit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "said"),
    [
        (F(1), "1 as an eigenvalue that is not semisimple"),
        (F(-1), "another eigenvalue than 1 on the unit circle"),
        (F(2), "an eigenvalue outside the unit circle"),
        (F(-3, 2), "an eigenvalue outside the unit circle"),
    ],
)
@pytest.mark.parametrize("name", ["gtd_momentum", "tdc_momentum"])
def test_momentum_without_a_limit(name: str, m: Fraction, said: str) -> None:
    with pytest.raises(InputError, match=f"no mean dynamics for steps → 0: with step sizes of zero .* K has {said}"):
        on_class(theta_to_two_theta(GAMMA), named(name).with_options(momentum=m))


def moves(change: Any, memory: Any = None) -> Algorithm:
    """A declared update of one number θ and perhaps of a memory m."""

    def plain(t: Any, theta: Any, alpha: Any, beta: Any) -> Any:
        return change(t, theta, alpha, beta)

    def remembering(t: Any, theta: Any, m: Any, alpha: Any, beta: Any) -> Any:
        return change(t, theta, m, alpha, beta)

    declare = algorithm(parameters={"theta": 1}, memory=memory or {}, steps=("alpha", "beta"))
    return declare(remembering if memory else plain)


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (moves(lambda t, y, a, b: y + 1 + a * b * y), "move by numbers that no step size multiplies"),
        (moves(lambda t, y, a, b: y * t.rho + a * y), "differs from transition to transition, whose second moments do"),
        (moves(lambda t, y, m, a, b: (y + m + a * y, t.reward), {"m": 1}), "the memory moves its parameters without"),
        (moves(lambda t, y, a, b: y / 2 + a * y), "K does not have 1 as an eigenvalue"),
        (moves(lambda t, y, a, b: y + y / a), "divides by what vanishes with its step sizes"),
        (moves(lambda t, y, a, b: y + a * b * y if a > b else y), "asks for the value of what depends on a step size"),
        (moves(lambda t, y, m, a, b: (y + a * b * m, y), {"m": 1}), "returns a memory whose entry m depends on theta"),
        (moves(lambda t, y, m, a, b: (y + a * b * m, a * y), {"m": 1}), "a memory whose entry m depends on theta"),
    ],
)
def test_updates_without_a_limit(update: Algorithm, said: str) -> None:
    with pytest.raises(InputError, match=said):
        on_class(theta_to_two_theta(GAMMA), update)


def test_what_decays_by_itself_is_no_slow_parameter() -> None:
    """v' = v/2 + αθ stays of the size of the step: θ' = θ + α(R − θ + v) is θ' = θ + α(R − θ)."""

    @algorithm(parameters={"v": 1, "theta": 1})
    def follows(t: Any, v: Any, theta: Any, alpha: Any) -> Any:
        return v / 2 + alpha * theta, theta + alpha * (t.reward - theta + v)

    found = on_class(one_state(HALF), follows)
    assert isinstance(found, FirstOrder)
    assert (found.limit.left, found.limit.right) == (RationalMatrix([[0, 1]]), RationalMatrix([[0], [1]]))
    reward = one_state(HALF).rewards[0][0, 0]
    assert found.means == (RationalMatrix([[-1, reward]]),)
    assert rest_of(found, [ONE]).seen == RationalMatrix([[reward]])


def test_a_square_of_the_fast_step_outweighs_the_slow_one() -> None:
    """θ' = θ − αθ + β²θ, w' = w + β(θ − w): stable for small steps at any ratio; for α/β → 0 β² may outweigh α."""

    def declared(power: int) -> Algorithm:
        @algorithm(parameters={"theta": 1, "w": 1}, steps=("alpha", "beta"))
        def squared(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
            return theta - alpha * theta + alpha ** (2 - power) * beta**power * theta, w + beta * (theta - w)

        return squared

    model = one_state(HALF)
    for power, apart in ((1, True), (2, False)):
        found = on_class(model, declared(power))
        assert at_ratios(found, [ONE, F(7)]).mean_dynamics is MeanDynamics.STABLE
        scales = time_scales(found)
        assert isinstance(scales, str) != apart
        verdict = two_time_scales(found)
        assert verdict is not None
        assert verdict.mean_dynamics is (MeanDynamics.STABLE if apart else MeanDynamics.UNDECIDED)
        assert apart or "beta² moves a slow parameter" in verdict.reason
    assert ratio_set(on_class(model, declared(2))) is not None


def test_limits_by_hand() -> None:
    """A rotation, a shear, a projection, and blocks of them."""
    for rows, said in (
        ([[0, -1], [1, 0]], "another eigenvalue"),
        ([[1, 1], [0, 1]], "not semisimple"),
        ([[1, 0], [0, -1]], "another eigenvalue"),
        ([[F(1, 2)]], "does not have 1"),
    ):
        why = limit_of(RationalMatrix(rows))
        assert isinstance(why, str) and said in why
    found = limit_of(RationalMatrix([[HALF, HALF, 0], [HALF, HALF, 0], [0, 0, 1]]))
    assert not isinstance(found, str)
    assert found.right == RationalMatrix([[1, 0], [1, 0], [0, 1]])
    assert found.left == RationalMatrix([[HALF, HALF, 0], [0, 0, 1]])


# ---- power series ---------------------------------------------------------------------------------------------------


def test_series_by_hand() -> None:
    """With x = 2 + 3α and y = 1 − β: products, quotients, powers, and what is cut off."""
    alpha, beta = steps_as_series(2)
    x, y = 2 + 3 * alpha, 1 - beta

    def parts(z: Any) -> tuple[Any, dict[int, Any], set[Any]]:
        assert isinstance(z, StepSeries)

        def number(value: Exact) -> Fraction:
            found = value.constant
            assert found is not None
            return F(int(found.p), int(found.q))

        return number(z.still), {k: number(v) for k, v in z.first.items()}, set(z.beyond)

    assert parts(x * y) == (2, {0: 3, 1: -2}, {(0, 1)})
    assert parts(x / y) == (2, {0: 3, 1: 2}, {(0, 1), (1, 1)})
    assert parts(1 / x) == (HALF, {0: F(-3, 4)}, {(0, 0)})
    assert parts(x**3) == (8, {0: 36}, {(0, 0)})
    assert parts(x - y) == (1, {0: 3, 1: 1}, set())
    assert parts(5 - x) == (3, {0: -3}, set()) and parts(+x) == parts(x) and parts(-x) == (-2, {0: -3}, set())
    assert parts(beta * (alpha * beta)) == (0, {}, {(0, 1)})  # a multiple of αβ
    for asked in (lambda: x > y, lambda: bool(x), lambda: abs(x), lambda: hash(x), lambda: x == y):
        with pytest.raises(Refusal, match="value of what depends on a step size"):
            asked()
    with pytest.raises(Refusal, match="vanishes with its step sizes"):
        _ = 1 / alpha
    with pytest.raises(Refusal, match="to the power"):
        _ = x**HALF
