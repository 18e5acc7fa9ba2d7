"""Families of random models, drawn by index in integers (:mod:`tdcert.sweeps.batch`).

* ``uniform``: every weight from 1 … grain. ``garnet``: each (state, action) leads to ``branching`` states drawn without
  replacement (Archibald, McKinnon and Thomas 1995), and by weight 1 to the next state, so chains are irreducible.
* ``ring`` and ``birth_death``: neighbours only. ``near_reducible``: two halves, left with weights 1 … grain against
  weights a thousand times as large.
* ``tiny``: weights 0, 1, 2 and small whole numbers everywhere: the small models that counterexamples shrink to.

What a family may vary follows from the hypotheses that are kept (:class:`Freedom`): a claim on-policy meets on-policy
models, one that does not ask for a constant discount meets discounts that depend on the state left, and so on.
Features: ``random`` integers, ``one_hot``, ``aggregated`` (neighbouring states share one), ``adversarial`` (random ones
whose first column is then put along the direction in which sym D(I − M) is weakest, see ``tdcert.sweeps.screen``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws, Integers
from tdcert.sweeps.tables import Table
from tdcert.theory.check import hypotheses
from tdcert.theory.errors import InputError
from tdcert.theory.files.schedule_forms import one_schedule_from_text
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.schedule import Schedule

KINDS = ("uniform", "garnet", "ring", "birth_death", "near_reducible", "tiny")
FEATURES = ("random", "one_hot", "aggregated", "adversarial")
APART = 1000
"""How much heavier the weights inside the halves of a near-reducible chain are."""
ABOUT_SCHEDULES = (
    hypotheses.LAMBDAS,
    hypotheses.FINITE_SCHEDULE,
    hypotheses.N_STEP_SCHEDULE,
    hypotheses.EQUAL_WEIGHTS_SCHEDULE,
    hypotheses.ENDLESS_CONSTANT,
    hypotheses.CONSTANT_UP_TO_END,
    hypotheses.ALL_ONES,
    hypotheses.LAMBDA_1_NOT_ZERO,
)
"""Hypotheses that a schedule alone decides."""

UNIT = tuple(Fraction(k, 4) for k in range(5))
SIGNED = tuple(Fraction(k, 2) for k in (-6, -4, -3, -2, -1, 1, 3, 4, 5, 6))
GAMMAS = tuple(Fraction(x) for x in ("1/2", "3/4", "9/10", "99/100"))
TINY_GAMMAS = tuple(Fraction(x) for x in ("0", "1/2", "1/3", "2/3", "3/4", "9/10"))


@dataclass(frozen=True)
class Freedom:
    """What a family may vary, read off the ids of the hypotheses that are kept."""

    kept: frozenset[str]

    @property
    def on_policy(self) -> bool:
        """Whether behaviour and target are equal."""
        return bool(self.kept & {"on_policy", "on_policy_everywhere"})

    @property
    def covered(self) -> bool:
        """Whether μ > 0 wherever π > 0."""
        return self.on_policy or bool(self.kept & {"coverage", "coverage_everywhere"})

    @property
    def discounted(self) -> bool:
        """Whether every discount is below one."""
        return bool(self.kept & {"discount_below_one", "episodes_end"})

    @property
    def constant_discount(self) -> bool:
        """Whether there is one discount."""
        return "constant_discount" in self.kept

    def schedules(self, tiny: bool) -> tuple[Schedule, ...]:
        """Schedules that satisfy the kept hypotheses about them; those of ``tiny`` may have no end.

        The named kinds (n-step, EqualWeights, constant without end) are about half of the list, the rest are λ's.
        """
        return _schedules(self.kept & {h.id for h in ABOUT_SCHEDULES}, tiny)


@cache
def _schedules(kept: frozenset[str], tiny: bool) -> tuple[Schedule, ...]:
    named = [Schedule.n_step(n) for n in range(1, 5)]
    named += [Schedule.equal_weights(a, b) for a, b in ((1, 2), (1, 3), (2, 3), (2, 4))]
    values = [Fraction(1), Fraction(1, 2), Fraction(1, 3)] if tiny else [*UNIT[1:]]
    if tiny:
        named += [Schedule.constant(x) for x in (*values, Fraction(3, 4))]
    if "lambda_in_unit_interval" not in kept:
        values += SIGNED
    plain = [Schedule((x,)) for x in values] + [Schedule((x, y)) for x, y in product(values, repeat=2)]
    if not tiny:
        plain += [Schedule((x, y, z)) for x, y, z in product(UNIT[1:], repeat=3)]
    asked = [h for h in ABOUT_SCHEDULES if h.id in kept]
    fit = [
        [s for s in dict.fromkeys(listed) if all(h.ask(one_state(0, s)).satisfied for h in asked)]
        for listed in (named, plain)
    ]
    return tuple(fit[0] * max(1, len(fit[1]) // max(1, len(fit[0]))) + fit[1])


@dataclass(frozen=True)
class ModelFamily:
    """A family of models of n states and d features, ``freedom`` what it may vary.

    ``actions``: of off-policy models (on-policy ones have one, mixed already). ``branching``: of Garnet models.
    ``gammas``, ``schedules``: what discounts and schedules are drawn from. Raises :class:`InputError` for sizes and
    names that do not go together.
    """

    kind: str
    n: int
    d: int
    freedom: Freedom
    gammas: tuple[Fraction, ...]
    schedules: tuple[Schedule, ...]
    features: str = "random"
    actions: int = 2
    branching: int = 2
    grain: int = 16

    def __post_init__(self) -> None:
        for what, value, known in (("family", self.kind, KINDS), ("features", self.features, FEATURES)):
            if value not in known:
                raise InputError(f"the {what} '{value}' does not exist; give one of {', '.join(known)}")
        for what, number, most in (
            ("states", self.n, 12),
            ("width", self.d, 8),
            ("actions", self.actions, 8),
            ("branching", self.branching, self.n),
            ("grain", self.grain, 1000),
        ):
            if not 1 <= number <= most:
                raise InputError(f"the family's {what} is {number}; give a whole number from 1 to {most}")
        if self.features == "one_hot" and self.d != self.n:
            raise InputError(f"one-hot features have one column for each state; give width = {self.n}")
        if not self.gammas or not self.schedules:
            raise InputError("no discount or no schedule is left that satisfies the hypotheses that are kept")

    def batch(self, draws: Draws, on_policy: bool | None = None) -> Batch:
        """The models of these draws; ``on_policy`` None: as the kept hypotheses ask."""
        on = self.freedom.on_policy if on_policy is None else on_policy
        m = 1 if on else self.actions
        count, n = draws.count, self.n
        behaviour, target = self._policies(draws, m)
        discounts = draws.below("discount", len(self.gammas), (m, n))
        constant = np.broadcast_to(discounts[:, :1, :1], discounts.shape)
        if self.freedom.constant_discount:
            discounts = constant
        else:
            discounts = np.where(draws.below("discount varies", 2, (1, 1)) == 1, discounts, constant)
        largest = 2 if self.kind == "tiny" else 4
        return Batch(
            self._transitions(draws, m),
            behaviour,
            target,
            self._features(draws),
            draws.below("rewards", 2 * largest + 1, (m, n)) - largest,
            discounts,
            draws.below("schedule", len(self.schedules), ()).reshape(count),
            self.gammas,
            self.schedules,
        )

    def _transitions(self, draws: Draws, m: int) -> Integers:
        n, shape = self.n, (m, self.n, self.n)
        if self.kind == "tiny":
            return _no_row_zero(draws.below("transitions", 3, shape))
        weights = draws.below("transitions", self.grain, shape) + 1
        state = np.arange(n)
        ahead, behind = np.eye(n, dtype=bool)[(state + 1) % n], np.eye(n, dtype=bool)[(state - 1) % n]
        if self.kind == "garnet":
            places = draws.order("places", n, shape[:2])[..., : self.branching]
            chosen = np.zeros((draws.count, *shape), dtype=bool)
            np.put_along_axis(chosen, places, True, axis=-1)
            return np.where(chosen, weights, 0) + ahead
        if self.kind == "ring":
            return np.where(ahead | behind | np.eye(n, dtype=bool), weights, 0)
        if self.kind == "birth_death":
            return np.where(np.abs(state[:, None] - state) <= 1, weights, 0)
        if self.kind == "near_reducible":
            half = state < (n + 1) // 2
            return np.where(half[:, None] == half, APART * weights, weights)
        return weights

    def _policies(self, draws: Draws, m: int) -> tuple[Integers, Integers]:
        """Behaviour and target weights; the target leaves actions out, the behaviour only where it need not cover."""
        if m == 1:
            ones = np.ones((draws.count, self.n, 1), dtype=np.int64)
            return ones, ones
        most = 2 if self.kind == "tiny" else self.grain
        target = _no_row_zero(draws.below("target", most + 1, (self.n, m)))
        if self.freedom.covered:
            return draws.below("behaviour", most, (self.n, m)) + 1, target
        return _no_row_zero(draws.below("behaviour", most + 1, (self.n, m))), target

    def _features(self, draws: Draws) -> Integers:
        n, d = self.n, self.d
        if self.features == "one_hot":
            fixed = np.eye(n, dtype=np.int64)
        elif self.features == "aggregated":
            fixed = (np.arange(n)[:, None] * d // n == np.arange(d)).astype(np.int64)
        else:
            most = 2 if self.kind == "tiny" else 3
            return draws.below("features", 2 * most + 1, (n, d)) - most
        return np.broadcast_to(fixed, (draws.count, n, d))


def discounts(freedom: Freedom, tiny: bool) -> tuple[Fraction, ...]:
    """The discounts that are drawn from where none are given."""
    return (TINY_GAMMAS if tiny else GAMMAS) + (() if freedom.discounted else (Fraction(1),))


def family_of(table: Table, freedom: Freedom, endless: bool) -> Iterator[ModelFamily]:
    """The families of a ``[[family]]`` table, one for each pair of states and width; ``endless``: whether schedules may
    have no end. Schedules are written as on the command line (``n_step:3``); none given means all kinds.

    Raises :class:`InputError` for what is not a family.
    """
    kind = table.word("kind", "uniform", KINDS)
    tiny = kind == "tiny"
    states = table.wholes("states", [1, 2, 3] if tiny else [2, 3, 4], most=12)
    widths = table.wholes("width", [1, 2], most=8)
    features = table.word("features", "random", FEATURES)
    gammas = table.numbers("gammas", list(discounts(freedom, tiny)))
    if not all(0 <= g <= 1 for g in gammas):
        raise InputError(f"gammas in {table.where} must lie in [0, 1]")
    named = table.words("schedules", ["all"])
    where = f"schedules in {table.where}"
    schedules = (
        freedom.schedules(tiny) if named == ["all"] else tuple(one_schedule_from_text(text, where) for text in named)
    )
    if not endless:
        schedules = tuple(s for s in schedules if s.is_finite)
    actions, grain = table.whole("actions", 2, most=8), table.whole("grain", 16, most=1000)
    branching = table.whole("branching", 2, most=12)
    table.done()
    fitting = [(n, d) for n, d in product(states, widths) if d <= n or tiny or features == "one_hot"]
    if not fitting:
        raise InputError(f"{table.where} has more features than states; give a width of at most {max(states)}")
    for n, d in fitting:
        width = n if features == "one_hot" else d
        yield ModelFamily(
            kind, n, width, freedom, tuple(gammas), schedules, features, actions, min(branching, n), grain
        )


def _no_row_zero(weights: Integers) -> Integers:
    """The weights, with a one in the first place of rows that are zero."""
    zero = weights.sum(axis=-1) == 0
    weights[..., 0] += zero
    return weights
