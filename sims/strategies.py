"""Hypothesis strategies for everything the theory talks about (the extra ``tdcert[strategies]``).

Everything is valid by construction, never by filtering, rational with small denominators, and shrinks to the
smallest case of its kind: fewest states, fewest actions, shortest schedule, zeros and ones. :func:`arrays` makes NumPy
arrays of it. To users this is ``tdcert.strategies``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tdcert.sims.random_models import from_weights, share_out
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

WEIGHTS = st.integers(0, 3)

UNIT_INTERVAL = tuple(
    Fraction(p, q) for q, p in ((1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (4, 3), (5, 4), (10, 9))
)
"""Rationals in [0,1], simplest first."""

DISCOUNTS = tuple(Fraction(x) for x in ("0", "1/2", "9/10", "99/100"))
"""Discounts below one, simplest first."""


def unit_rationals() -> SearchStrategy[Fraction]:
    """Rationals in [0,1] with small denominators; shrinks to 0."""
    return st.sampled_from(UNIT_INTERVAL)


@st.composite
def irreducible_chains(draw: DrawFn, *, min_states: int = 1, max_states: int = 4, period: int | None = None) -> Chain:
    """Irreducible chains: the cycle 0 → 1 → … → 0 plus other transitions. Shrinks to the bare cycle.

    ``period`` None: any. ``period`` 1: state 0 may stay. ``period`` p > 1: the number of states is a multiple of p, and
    every transition leads from phase k to phase k + 1 modulo p (the period is then a multiple of p).
    """
    step = period or 1
    n = step * draw(st.integers(max(1, -(-min_states // step)), max(1, max_states // step)))
    weights = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if (j - i - 1) % step == 0:
                weights[i][j] = draw(WEIGHTS)
        weights[i][(i + 1) % n] += 1
    if period == 1:
        weights[0][0] += 1
    return Chain(from_weights(weights))


def periodic_chains(*, max_states: int = 6) -> SearchStrategy[Chain]:
    """Irreducible chains whose period is a multiple of 2 or 3. Shrinks to the flip chain of two states."""
    return st.sampled_from([2, 3]).flatmap(lambda p: irreducible_chains(period=p, max_states=max_states))


@st.composite
def reducible_chains(draw: DrawFn, *, max_classes: int = 2, max_transient: int = 2) -> Chain:
    """Chains with several recurrent classes, or one and transient states. Shrinks to one absorbing state and
    a transient one.

    Each class is an irreducible block; a transient state leads to the class or transient state just before it, and
    possibly to other earlier states or to itself, so that it is left in the end and never entered again from a class.
    """
    classes = draw(st.integers(1, max_classes))
    blocks = [draw(irreducible_chains(max_states=2)).P.rows for _ in range(classes)]
    transient = draw(st.integers(0 if classes > 1 else 1, max_transient))
    n = sum(len(block) for block in blocks) + transient
    rows: list[list[Fraction]] = []
    for block in blocks:
        before = len(rows)
        rows += [[Fraction(0)] * before + list(row) + [Fraction(0)] * (n - before - len(block)) for row in block]
    for s in range(n - transient, n):
        weights = [draw(WEIGHTS) if j <= s else 0 for j in range(n)]
        weights[s - 1] += 1
        rows.append(share_out(weights))
    return Chain(RationalMatrix(rows))


def chains(*, max_states: int = 4) -> SearchStrategy[Chain]:
    """Irreducible, periodic and reducible chains."""
    return st.one_of(
        irreducible_chains(max_states=max_states),
        periodic_chains(max_states=max(max_states, 2)),
        reducible_chains(),
    )


@st.composite
def policies(draw: DrawFn, n: int, m: int, *, taken: list[int] | None = None) -> RationalMatrix:
    """One policy (n×m). Shrinks to always the first action. ``taken``: for each state an action that must be
    possible."""
    rows = []
    for s in range(n):
        weights = [draw(WEIGHTS) for _ in range(m)]
        weights[taken[s] if taken else draw(st.integers(0, m - 1))] += 1
        rows.append(weights)
    return from_weights(rows)


@st.composite
def covered_policies(
    draw: DrawFn, n: int, m: int, *, taken: list[int] | None = None, distinct: bool = False
) -> tuple[RationalMatrix, RationalMatrix]:
    """(behaviour, target) with μ(a|s) > 0 wherever π(a|s) > 0: the behaviour is drawn to cover the target.

    ``taken``: for each state an action that the behaviour must take with positive probability. ``distinct``: the two
    differ, m ≥ 2.
    """
    behaviour, target = [], []
    for s in range(n):
        wanted = [draw(WEIGHTS) for _ in range(m)]
        wanted[draw(st.integers(0, m - 1))] += 1
        weights = [draw(WEIGHTS) + (1 if wanted[a] else 0) for a in range(m)]
        if taken:
            weights[taken[s]] += 1
        behaviour.append(weights)
        target.append(wanted)
    if distinct and from_weights(behaviour) == from_weights(target):
        # more weight on an action that is not certain changes its probability
        behaviour[0][next(a for a in range(m) if behaviour[0][a] < sum(behaviour[0]))] += 1
    return from_weights(behaviour), from_weights(target)


@st.composite
def uncovered_policies(
    draw: DrawFn, n: int, m: int, *, taken: list[int] | None = None
) -> tuple[RationalMatrix, RationalMatrix]:
    """(behaviour, target), m ≥ 2, that miss coverage in at least one state. Shrinks to a single missing action."""
    behaviour, target = (list(map(list, policy.rows)) for policy in draw(covered_policies(n, m, taken=taken)))
    s = draw(st.integers(0, n - 1))
    possible = taken[s] if taken else draw(st.integers(0, m - 1))
    missing = (possible + draw(st.integers(1, m - 1))) % m
    weights, wanted = [draw(WEIGHTS) for _ in range(m)], [draw(WEIGHTS) for _ in range(m)]
    weights[possible] += 1
    weights[missing] = 0
    wanted[missing] += 1
    behaviour[s] = share_out(weights)
    target[s] = share_out(wanted)
    return RationalMatrix(behaviour), RationalMatrix(target)


@st.composite
def full_rank_features(draw: DrawFn, n: int, *, max_features: int | None = None) -> RationalMatrix:
    """n×d integer features of full column rank: d of the rows are lower times upper triangular, the rest is free.

    Shrinks to one column with a single one.
    """
    d = draw(st.integers(1, min(n, max_features or n)))
    order = draw(st.permutations(range(n)))
    entries = st.integers(-2, 2)
    lower = [[draw(entries) if j < i else int(i == j) for j in range(d)] for i in range(d)]
    upper = [[draw(entries) if j > i else int(i == j) * draw(st.integers(1, 2)) for j in range(d)] for i in range(d)]
    block = (RationalMatrix(lower) @ RationalMatrix(upper)).rows
    rows: list[list[Fraction]] = [[Fraction(0)] * d for _ in range(n)]
    for i, s in enumerate(order):
        rows[s] = list(block[i]) if i < d else [Fraction(draw(entries)) for _ in range(d)]
    return RationalMatrix(rows)


@st.composite
def deficient_features(draw: DrawFn, n: int, *, max_features: int = 3) -> RationalMatrix:
    """n×d integer features whose columns are dependent: one column is a combination of the others (zero if d = 1).

    Shrinks to a single zero column.
    """
    d = draw(st.integers(1, max_features))
    entries = st.integers(-2, 2)
    free = [[draw(entries) for _ in range(d - 1)] for _ in range(n)]
    mix = [draw(entries) for _ in range(d - 1)]
    place = draw(st.integers(0, d - 1))
    rows = []
    for row in free:
        made = list(row)
        made.insert(place, sum(c * x for c, x in zip(mix, row, strict=True)))
        rows.append(made)
    return RationalMatrix(rows)


@st.composite
def schedules(draw: DrawFn, *, max_length: int = 3, endless: bool = False) -> Schedule:
    """λ-schedules with λ's in [0,1]: free, n-step, EqualWeights, constant, from weights; ``endless`` adds
    classical TD(λ).

    Shrinks to TD(0).
    """
    kinds = ["free", "n_step", "equal_weights", "constant", "weights"] + (["endless"] if endless else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "free":
        return Schedule(tuple(draw(st.lists(unit_rationals(), max_size=max_length))))
    if kind == "n_step":
        return Schedule.n_step(draw(st.integers(1, max_length + 1)))
    if kind == "equal_weights":
        n2 = draw(st.integers(1, max_length + 1))
        return Schedule.equal_weights(draw(st.integers(1, n2)), n2)
    if kind == "constant":
        return Schedule.constant(draw(unit_rationals()), draw(st.integers(0, max_length)))
    if kind == "weights":
        weights = [*draw(st.lists(WEIGHTS, max_size=max_length)), draw(WEIGHTS) + 1]
        return Schedule.from_weights(share_out(weights))
    return Schedule.constant(draw(st.sampled_from([x for x in UNIT_INTERVAL if x > 0])))


def models(
    *,
    policy: str = "any",
    rank: str = "full",
    discount: str = "constant",
    max_states: int = 3,
    max_actions: int = 2,
    max_length: int = 2,
    endless: bool = False,
) -> SearchStrategy[Model]:
    """Models whose behaviour chain is irreducible. Shrinks to one state, as few actions as there can be, all zero.

    In every state s one action that the behaviour takes leads to s + 1 (mod n); everything else is free, so
    that the target may leave states for good. Off-policy, a third are :func:`near_threshold_models` where the other
    options allow it: free draws are hardly ever unstable.

    ``policy``: ``on`` (equal policies), ``off`` (two policies that differ, with coverage), ``uncovered``, or ``any`` of
    the first two. ``rank``: of Φ, ``full`` or ``deficient``. ``discount``: ``constant`` γ in [0,1), ``transitions``
    (per transition in [0,1]) or ``any``. ``max_states``, ``max_actions``, ``max_length``: largest S, A and L;
    ``endless``: schedules without end too. Raises :class:`InputError` for other words.
    """
    for given, known in (
        (policy, ("on", "off", "uncovered", "any")),
        (rank, ("full", "deficient")),
        (discount, ("constant", "transitions", "any")),
    ):
        if given not in known:
            raise InputError(f"'{given}' is not a kind of model; give one of {', '.join(known)}")
    fits = max_states > 1 and rank == "full" and discount != "transitions"
    return _models(policy, rank, discount, fits, max_states, max_actions, max_length, endless)


@st.composite
def _models(
    draw: DrawFn,
    policy: str,
    rank: str,
    discount: str,
    fits: bool,
    max_states: int,
    max_actions: int,
    max_length: int,
    endless: bool,
) -> Model:
    if policy == "any":
        policy = draw(st.sampled_from(["on", "off"]))
    n = draw(st.integers(1, max_states))
    fewest = 2 if policy in ("off", "uncovered") else 1
    m = draw(st.integers(fewest, max(max_actions, fewest)))
    taken = [draw(st.integers(0, m - 1)) for _ in range(n)]
    P = []
    for a in range(m):
        weights = [[draw(WEIGHTS) for _ in range(n)] for _ in range(n)]
        for s in range(n):
            weights[s][(s + 1) % n if a == taken[s] else draw(st.integers(0, n - 1))] += 1
        P.append(from_weights(weights))
    reward = st.integers(-2, 2)
    rewards = tuple(RationalMatrix.column([draw(reward) for _ in range(n)]) for _ in range(m))
    if discount == "transitions" or (discount == "any" and draw(st.booleans())):
        entry = unit_rationals()
        gammas = tuple(RationalMatrix([[draw(entry) for _ in range(n)] for _ in range(n)]) for _ in range(m))
    else:
        gammas = (RationalMatrix.column([draw(st.sampled_from(DISCOUNTS))] * n),) * m
    if policy == "uncovered":
        behaviour, target = draw(uncovered_policies(n, m, taken=taken))
    elif policy == "on":
        behaviour = target = draw(policies(n, m, taken=taken))
    else:
        behaviour, target = draw(covered_policies(n, m, taken=taken, distinct=True))
    phi = draw(full_rank_features(n) if rank == "full" else deficient_features(n))
    names = tuple("abcdefgh"[:m]) if m <= 8 else tuple(str(k) for k in range(m))
    schedule = draw(schedules(max_length=max_length, endless=endless))
    # asked last: what has fewer draws counts as simpler, and the smallest model is to be one of those above
    if policy == "off" and fits and draw(st.integers(0, 2)) == 2:
        return draw(near_threshold_models(max_length=max_length, endless=endless))
    return Model(names, tuple(P), rewards, gammas, behaviour, target, phi, schedule)


@st.composite
def unstable_models(draw: DrawFn) -> Model:
    """Off-policy models, covered and of full rank, with A > 0: off-policy TD diverges in the mean.

    :func:`near_threshold_models` with p = ½ above the threshold, which is 5/6 for k = 2 and k = 3; the discounts and
    schedules drawn have κ ≥ 9/10. Shrinks to k = 2, γ = 9/10, TD(0), no reward.
    """
    k = draw(st.integers(2, 3))
    gamma = draw(st.sampled_from([Fraction(9, 10), Fraction(99, 100)]))
    # κ ≥ γ^(L+1) for a schedule of length L
    schedule = draw(schedules(max_length=3)) if gamma > Fraction(9, 10) else Schedule()
    rewards = [draw(st.integers(-2, 2)) for _ in range(2)]
    return theta_to_k_theta(k, Fraction(1, 2), gamma, schedule, rewards)


@st.composite
def near_threshold_models(draw: DrawFn, *, max_length: int = 2, endless: bool = False) -> Model:
    """Off-policy models about the point where A changes its sign: below it, at it, above it; covered, of full rank.

    θ → kθ (Tsitsiklis and Van Roy 1997, for k = 2): two states with features 1 and k; the behaviour goes to the second
    one with probability p, the target always. With one feature A = (1 − p)(kκ − 1) + pk²(κ − 1), which is negative for
    κ < κ* = (1 − p + pk²)/((1 − p)k + pk²). γ is κ*, a hundredth or a tenth of the way to 0 or to 1 from it, or near 1;
    and κ = γ for TD(0), κ ≤ γ for every schedule.
    """
    k, p = draw(st.integers(2, 3)), Fraction(draw(st.sampled_from([2, 1, 3])), 4)
    threshold = (1 - p + p * k**2) / ((1 - p) * k + p * k**2)
    step = draw(st.sampled_from([Fraction(x) for x in ("0", "1/100", "-1/100", "1/10", "-1/10", "9/10")]))
    gamma = threshold + step * (1 - threshold if step > 0 else threshold)
    rewards = [draw(st.integers(-2, 2)) for _ in range(2)]
    schedule = draw(schedules(max_length=max_length, endless=endless))
    return theta_to_k_theta(k, p, gamma, schedule, rewards)


def theta_to_k_theta(k: int, p: Fraction, gamma: Fraction, schedule: Schedule, rewards: list[int]) -> Model:
    """θ → kθ; ``rewards``: on leaving either state."""
    reward = RationalMatrix.column(rewards)
    return Model(
        ("first", "second"),
        (RationalMatrix([[1, 0]] * 2), RationalMatrix([[0, 1]] * 2)),
        (reward, reward),
        (RationalMatrix.column([gamma] * 2),) * 2,
        RationalMatrix([[1 - p, p]] * 2),
        RationalMatrix([[Fraction(0), Fraction(1)]] * 2),
        RationalMatrix([[1], [k]]),
        schedule,
    )


# ---- NumPy -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ModelArrays:
    """A model as float arrays under the field's names; ``model`` is the exact one, for ``tdcert.analyze`` and checks.

    ``P``: (A, S, S), rows sum to one up to rounding; ``rewards``: (A, S, S), of a transition; ``discount``: γ, or
    (A, S, S) where it depends on the transition; ``behaviour``, ``target``: (S, A); ``features``: Φ, (S, d);
    ``lambdas``: λ_1 … λ_L; ``tail``: λ after these, 0 for a schedule with an end.
    """

    P: Any
    rewards: Any
    discount: Any
    behaviour: Any
    target: Any
    features: Any
    lambdas: Any
    tail: float
    model: Model


def arrays(strategy: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """A strategy for the values of another as float64 arrays: a chain becomes its P, a matrix an array, a schedule
    λ_1 … λ_L, a model :class:`ModelArrays`; each entry of a tuple is converted by itself."""
    return strategy.map(as_arrays)


def as_arrays(value: Any) -> Any:
    """What :func:`arrays` makes of one value; raises :class:`InputError` for anything else."""
    if isinstance(value, RationalMatrix):
        return value.to_float()
    if isinstance(value, Chain):
        return value.P.to_float()
    if isinstance(value, Schedule):
        return np.array([float(x) for x in value.lambdas])
    if isinstance(value, tuple):
        return tuple(map(as_arrays, value))
    if not isinstance(value, Model):
        raise InputError(
            f"a {type(value).__name__} has no arrays; give a strategy of models, chains, matrices, schedules"
        )
    rewards, discounts = (
        np.array([np.broadcast_to(x.to_float(), (value.n, value.n)) for x in table])
        for table in (value.rewards, value.discounts)
    )
    return ModelArrays(
        P=np.array([x.to_float() for x in value.transitions]),
        rewards=rewards,
        discount=discounts if value.gamma is None else float(value.gamma),
        behaviour=value.behaviour.to_float(),
        target=value.target.to_float(),
        features=value.features.to_float(),
        lambdas=as_arrays(value.schedule),
        tail=float(value.schedule.tail),
        model=value,
    )
