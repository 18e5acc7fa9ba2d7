"""Laws of the paper's algorithms on a model, each with its chain of nodes from a start law."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tdcert.algorithms.schedules import chain_of, declared, jump_system
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine import second_moments as engine
from tdcert.theory.engine.jumps import moments_along
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import averages, constant_steps, error_curves, mean_square, moments
from tdcert.theory.laws.mean_square import JumpSystem
from tdcert.theory.laws.moments import Convergence, Moments
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.second_moment_sign import SecondMoments
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Sign

Start = Sequence[Fraction]


def two_actions(d: int, n: int, seed: int) -> Model:
    """A model that is drawn: n states with two actions, laws of weights from 1 to 9, d features in halves up to 2,
    rewards one, γ = 9/10.
    """
    rng = random.Random(seed)

    def law(size: int) -> list[Fraction]:
        weights = [rng.randint(1, 9) for _ in range(size)]
        return [Fraction(w, sum(weights)) for w in weights]

    P = [RationalMatrix([law(n) for _ in range(n)]) for _ in range(2)]
    mu, pi = (RationalMatrix([law(2) for _ in range(n)]) for _ in range(2))
    Phi = RationalMatrix([[Fraction(rng.randint(-4, 4), 2) for _ in range(d)] for _ in range(n)])
    one = RationalMatrix.column([1] * n)
    return Model(
        ("a", "b"), tuple(P), (one, one), (one.scaled(Fraction(9, 10)),) * 2, mu, pi, Phi, Schedule(), "random"
    )


def theta_star(model: Model) -> Any:
    """−A⁻¹b of the behaviour on the one recurrent class, in floats."""
    (states,) = model.behaviour_chain.recurrent_classes
    return behaviour_matrices(model, states).theta_star.to_float()[:, 0]


def finite_time_moments(
    model: Model,
    name: str,
    steps: Any,
    times: Sequence[int],
    *,
    start: Start,
    theta0: Sequence[Any] | None = None,
    w0: Sequence[Any] | None = None,
    order: int = 2,
    exact: bool = False,
) -> list[Moments]:
    """The moments at these times from θ_0 and w_0, zero unless given."""
    chain = chain_of(model, name, start, until=times[-1])
    y0 = chain.first(theta0)
    if w0 is not None and len(y0) > 2 * model.d:
        y0[model.d : 2 * model.d] = w0
    return moments.finite_time_moments(chain, steps, times, y0, order=order, exact=exact)


def convergence_series(
    model: Model, name: str, steps: Any, times: Sequence[int], *, start: Start, theta0: Sequence[float] | None = None
) -> Convergence:
    """The distance of the mean from θ* at these times."""
    chain = chain_of(model, name, start, until=times[-1])
    return moments.convergence_series(chain, steps, times, theta_star(model), theta0)


def error_curve(
    model: Model, name: str, alpha: float, beta: float, times: Sequence[int], *, start: Start, value: Any
) -> error_curves.ErrorCurve:
    """The mean square error at these times."""
    return error_curves.error_curve(chain_of(model, name, start, until=times[-1]), (alpha, beta), times, value)


def mean_curve(
    model: Model, name: str, alpha: float, beta: float, times: Sequence[int], *, start: Start, value: Any
) -> tuple[float, ...]:
    """The error of the mean at these times."""
    return error_curves.mean_curve(chain_of(model, name, start, until=times[-1]), (alpha, beta), times, value)


def averaged_errors(
    model: Model,
    steps: Any,
    times: Sequence[int],
    *,
    start: Start,
    theta0: Sequence[float],
    value: Any,
    law: Any,
    work: float = 1e9,
) -> tuple[float, ...]:
    """The mean square error of averages of TD's iterates, within so much ``work``."""
    most = int(work / averages.work_of(1, times[-1], model.d + 1))
    chain = chain_of(model, "td", start, until=times[-1], most=most)
    features = model.features.to_float()
    return averages.averaged_errors(chain, [steps], times, theta0=theta0, features=features, value=value, law=law)


def distances_at_constant_steps(
    model: Model,
    name: str,
    alpha: float,
    beta: float,
    interval: int,
    count: int,
    *,
    start: Start,
    theta0: Sequence[float],
) -> tuple[float, ...]:
    """The distance of the mean from θ* at constant steps."""
    chain = chain_of(model, name, start)
    return constant_steps.distances_at_constant_steps(chain, (alpha, beta), theta_star(model), interval, count, theta0)


def mean_square_sign(
    model: Model, name: str, alpha: Fraction, eta: Fraction, states: Sequence[int], work: int
) -> tuple[int | None, str]:
    """The sign of second moments at α and β = ηα."""
    update = declared(name, model)
    ratios = [Fraction(1), eta][: len(update.steps)]
    return engine.mean_square_sign(model, update, alpha, ratios, states, work)


def second_moments(
    model: Model, name: str, eta: Fraction, states: Sequence[int], work: int, **how: Any
) -> SecondMoments:
    """𝓛 at β = ηα."""
    update = declared(name, model)
    return moments_along(model, update, [Fraction(1), eta][: len(update.steps)], states, work, **how)


def quotient_system(
    model: Model, update: ScheduleUpdate, eta: Fraction, states: Sequence[int], entries: int = mean_square.LARGEST
) -> JumpSystem:
    """Differences of runs of one of the paper's algorithms at β = ηα by the formulas: with Φ = FT on the class, u = Tθ
    obeys the updates with features F and every increment multiplied by TTᵀ, and so does Tw.
    """
    reduced = reduce_features(model, tuple(states))
    if reduced is None:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    found = jump_system(reduced.model, update, eta, states, entries)
    W = update.on_blocks(reduced.weight)
    moves = [replace(move, K=W @ move.K, k=W @ move.k) for move in found.moves]
    return replace(found, moves=tuple(moves), J=W @ found.J)


def mean_sign(model: Model, algorithm: ScheduleUpdate, eta: Fraction, states: Sequence[int]) -> Sign:
    """By closed forms: the sign of the spectral abscissa of the joint mean matrix at β = ηα (§4): of A for TD.

    Raises :class:`InputError` where the features vanish on the class.
    """
    reduced = reduce_features(model, tuple(states))
    if reduced is None:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    keys = behaviour_matrices(reduced.model, tuple(states))
    J = algorithm.mean(keys.A, keys.C, eta)
    try:
        return spectral_abscissa(J if reduced.is_full else algorithm.on_blocks(reduced.weight) @ J, bits=8).sign
    except BudgetExceededError:
        return None
