r"""Printed bounds, evaluated beside the exact moments that they bound.

A bound is a function of a model: :class:`Evaluated` holds its value, that of the moment, and the steps, both as balls,
so that the sign of their difference is decided or left open, never guessed. :func:`decide_bounds` makes the verdict of
a claim from them; ``Claim.bounds`` is where a claim has them, and docs/bounds.md the table of all on :func:`chains`.

The algorithm is TD(0) in its linear form, θ' = θ + α(A(X)θ + b(X)), along the chain from its stationary law or on
independent draws (:class:`LinearTD`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil

from flint import arb

from tdcert.algorithms.schedules import chain_of
from tdcert.claims.verdicts import States
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.hypotheses import Hypothesis, Reply
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.laws.many_steps import BITS, MomentPowers, drawn
from tdcert.theory.laws.mixing import Mixing, geometric
from tdcert.theory.laws.reach import Move, largest_value
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, one_state
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade, Status, Verdict

HALVINGS = 40
"""How often the interval of a least eigenvalue is halved."""


@dataclass(frozen=True)
class Evaluated:
    """A bound at its own steps: ``moment`` in words with its value ``exact``, and the ``bound``; balls.

    ``horizon``: after so many updates; ``steps``: the step sizes; ``constants``: those of the bound, in words.
    """

    moment: str
    exact: arb
    bound: arb
    horizon: int
    steps: str
    constants: str = ""

    @property
    def ratio(self) -> arb:
        """Bound ÷ exact."""
        return self.bound / self.exact

    @property
    def holds(self) -> bool | None:
        """Whether the moment does not exceed the bound; None where the balls overlap."""
        return True if self.exact <= self.bound else False if self.exact > self.bound else None

    def sentence(self) -> str:
        """Both values, in a few words."""
        both = f"{self.moment} = {shown(self.exact)} after {self.horizon:,} updates ({self.steps})"
        return f"{both}, bound {shown(self.bound)}"


Bounds = Callable[[Model], Sequence[Evaluated]]
"""A bound as a function of a model. Raises InputError, with the reason, where it says nothing of the model."""


def shown(x: arb, digits: int = 4) -> str:
    """A ball for people: the digits that are certain, at most so many; beyond 10^±300 only that it is."""
    if 0 < x < arb("1e-300"):
        return "<1e-300"
    return ">1e300" if x > arb("1e300") else str(x.str(digits, radius=False))


def ball(x: Fraction | int) -> arb:
    """A rational number as a ball of the precision in force."""
    return arb(to_fmpq(Fraction(x)))


def decide_bounds(found: Sequence[Evaluated]) -> Verdict:
    """Holds where every moment is at most its bound; refuted with the first that is above; undecided where there is
    none to compare.
    """
    if not found:
        return Verdict(Status.UNDECIDED, detail="no bound has a value here")
    for one in found:
        if one.holds is False:
            witness = {"moment": shown(one.exact), "bound": shown(one.bound), "updates": str(one.horizon)}
            return Verdict(Status.REFUTED, Grade.ENCLOSED, f"{one.sentence()}: it exceeds the bound", witness)
    for one in found:
        if one.holds is None:
            return Verdict(
                Status.UNDECIDED, detail=f"the balls of both sides overlap: {one.sentence()}; raise the bits"
            )
    return Verdict(Status.HOLDS, Grade.ENCLOSED, "; ".join(one.sentence() for one in found))


def decided(bounds: Bounds, *conditions: Hypothesis) -> Callable[[Model], Verdict]:
    """The check of a claim from its bounds, :func:`decide_bounds`, :func:`where` the conditions hold."""
    return where(lambda model: decide_bounds(bounds(model)), *conditions)


def where(check: Callable[[Model], Verdict], *conditions: Hypothesis) -> Callable[[Model], Verdict]:
    """A check that is asked of models that meet the conditions, without which nothing is evaluated here; undecided
    where it raises InputError or BudgetExceededError.
    """

    def asked(model: Model) -> Verdict:
        for condition in conditions:
            reply = condition.ask(model)
            if not reply.satisfied:
                return Verdict(Status.HYPOTHESIS_VIOLATED, detail=reply.reason, violated=(condition.statement,))
        try:
            return check(model)
        except (BudgetExceededError, InputError) as error:
            return Verdict(Status.UNDECIDED, detail=str(error))

    return asked


def least_eigenvalue(S: RationalMatrix) -> arb:
    """λ_min of a symmetric matrix: exact for one entry, else between two rationals with S − low·I ≻ 0 and not S −
    high·I.
    """
    if S.shape == (1, 1):
        return ball(S[0, 0])
    size, one = S.shape[0], S.identity(S.shape[0])
    high = min(S[i, i] for i in range(size))
    reach = max(sum((abs(x) for x in row), Fraction(0)) for row in S.rows)
    low = -reach - 1
    for _ in range(HALVINGS + (reach + 1).numerator.bit_length()):
        middle = (low + high) / 2
        if decide_positive_definite(S - one.scaled(middle)).vector is None:
            low = middle
        else:
            high = middle
    return ball(low).union(ball(high))


@dataclass(frozen=True, eq=False)
class LinearTD:
    """TD(0) with importance ratios on the one recurrent class of a model; θ_0 = 0, s_0 from the stationary law.

    Raises InputError for several classes, and for a model whose A is singular.
    """

    model: Model

    def __post_init__(self) -> None:
        if len(self.model.behaviour_chain.recurrent_classes) > 1:
            raise InputError("the chain has several recurrent classes; give one with a single law")

    @cached_property
    def states(self) -> States:
        """The recurrent class."""
        return self.model.behaviour_chain.recurrent_classes[0]

    @cached_property
    def law(self) -> list[Fraction]:
        """Its stationary law, over all states."""
        return list(self.model.behaviour_chain.stationary_law(self.states).column_entries())

    @cached_property
    def _chain(self) -> tuple[list[Move], list[Fraction]]:
        chain = chain_of(self.model.with_schedule(Schedule()), "off_policy_td", self.law)
        return list(chain.moves([Fraction(1)])), [Fraction(x) for x in chain.start]

    @property
    def moves(self) -> list[Move]:
        """Between nodes, which are the states of the class; [A(X) b(X)] of each."""
        return self._chain[0]

    @property
    def draws(self) -> list[Move]:
        """Independent draws: the moves of one node."""
        return drawn(self.moves, self._chain[1])

    @cached_property
    def A(self) -> RationalMatrix:
        """E A(X)."""
        return self._mean.take(columns=range(self.model.d))

    @cached_property
    def _mean(self) -> RationalMatrix:
        first, *others = [K.scaled(p) for _, _, p, K in self.draws]
        return sum(others, start=first)

    @cached_property
    def target(self) -> RationalMatrix:
        """θ*, where E A(X)θ + E b(X) = 0."""
        b = self._mean.take(columns=[self.model.d])
        if self.A.null_vector() is not None:
            raise InputError("A is singular, so there is no θ*")
        return self.A.solve(b).scaled(-1)

    @cached_property
    def C(self) -> RationalMatrix:
        """ΦᵀDΦ."""
        return behaviour_matrices(self.model, self.states).C

    @cached_property
    def weight(self) -> RationalMatrix:
        """The identity: ‖θ‖² is meant."""
        return self.A.identity(self.model.d)

    @cached_property
    def mixing(self) -> Mixing:
        """m and ρ. Raises InputError for a class with a period."""
        found = geometric(self.model.behaviour_chain, self.states)
        if found is None:
            raise InputError("the chain has a period, so its law does not tend to the stationary one")
        return found

    @property
    def r_max(self) -> Fraction:
        """The largest reward in absolute value on the class, over moves of positive probability."""
        return max(
            abs(R.rows[s][0] if R.shape[1] == 1 else R[s, after])
            for a, (P, R) in enumerate(zip(self.model.transitions, self.model.rewards, strict=True))
            for s in self.states
            for after in self.states
            if self.model.behaviour[s, a] * P[s, after]
        )

    @property
    def gamma(self) -> Fraction:
        """The one discount. Raises InputError where there are several."""
        if self.model.gamma is None:
            raise InputError("the discount depends on the transition; give a model with one")
        return self.model.gamma

    def path(self, averaged: bool = False) -> MomentPowers:
        """Second moments along the chain."""
        return _moments(self, averaged, independent=False)

    def independent(self, averaged: bool = False) -> MomentPowers:
        """Second moments of independent draws."""
        return _moments(self, averaged, independent=True)

    def largest(self, steps: Sequence[Fraction]) -> Fraction:
        """A number that ‖θ‖ does not exceed on any path with these steps, and that some path comes near; one feature.
        Raises InputError for more features.
        """
        top = largest_value(self.moves, range(len(self._chain[1])), Fraction(0), steps)
        return Fraction(ceil(exact_value(top.upper()) * 2**20), 2**20)


@lru_cache(maxsize=16)
def _moments(td: LinearTD, averaged: bool, independent: bool) -> MomentPowers:
    zero = td.target.scaled(0)
    moves, start = (td.draws, [Fraction(1)]) if independent else td._chain
    return MomentPowers(moves, start, td.target, zero, averaged)


def _one_feature(model: Model) -> Reply:
    return Reply(model.d == 1, f"the model has {model.d} feature{'s' if model.d > 1 else ''}")


ONE_FEATURE = Hypothesis(
    "one_feature", "the model has one feature", "not in the paper: what is evaluated here", _one_feature
)
"""Bounds whose constants are evaluated for one feature alone."""


def _chain(stay: Fraction, gamma: Fraction, name: str) -> Model:
    """Two states, φ = (1, ½), reward 1 on leaving the second."""
    P = RationalMatrix([[stay, 1 - stay], [1 - stay, stay]])
    features = RationalMatrix.column([Fraction(1), HALF])
    return Model.reward_process(P, RationalMatrix.column([0, 1]), gamma, features, None, name)


def fast_chain() -> Model:
    """Rows (½, ½), γ = ½: θ* = 8/11."""
    return _chain(HALF, HALF, "fast pair")


def slow_chain() -> Model:
    """Rows (9/10, 1/10) and (1/10, 9/10), γ = 9/10: θ* = 200/59."""
    return _chain(Fraction(9, 10), Fraction(9, 10), "slow pair")


def chains() -> tuple[Model, ...]:
    """Five chains on which every bound is evaluated: the first three mix, the last two do not or need not."""
    return fast_chain(), slow_chain(), fair_coin_chain(HALF), flip_chain(HALF), one_state(HALF)


def picture(claim: str, bounds: Bounds) -> Figure:
    """Both sides on the five chains, as dots on a logarithmic axis; a chain of which the bound says nothing has
    none.
    """
    found = [(place, one) for place, model in enumerate(chains(), start=1) for one in _of(bounds, model)]
    exact = Series.through("exact moment", ((x, _drawn(one.exact)) for x, one in found), "points")
    bound = Series.through("bound", ((x, _drawn(one.bound)) for x, one in found), "points")
    moments = ", ".join(dict.fromkeys(one.moment for _, one in found))
    said = "; ".join(
        f"{chains()[x - 1].name}: {one.sentence()}, bound ÷ exact {shown(one.ratio, 3)}" for x, one in found
    )
    names = tuple(model.name for model in chains())
    title = "the printed bound and the exact moment"
    return Figure(f"{claim}_bound", claim, title, "", moments, (exact, bound), f"{said}.", log_y=True, x_names=names)


def _of(bounds: Bounds, model: Model) -> Sequence[Evaluated]:
    try:
        return bounds(model)
    except (BudgetExceededError, InputError):
        return []


def _drawn(x: arb) -> float:
    """A ball's midpoint; nothing is drawn at zero, or where floats end."""
    value = float(x.mid())
    return value if 0 < value < float("inf") else float("nan")


__all__ = ["BITS", "ONE_FEATURE", "Bounds", "Evaluated", "LinearTD", "ball", "chains", "decide_bounds", "decided"]
__all__ += ["fast_chain", "least_eigenvalue", "picture", "precision", "shown", "slow_chain", "where"]
