"""Transitions in the order in which they came, as counts: what is read, and what is refused.

Rows must come whole and in order: a transition begins where the one before ended, unless that one was ``terminated`` or
``truncated``. After ``terminated`` the next first state is a draw of the start's own row. After ``truncated`` the reset
is no transition: the draw before it counts as any other, and the verdict is about the chain without that limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, by_shape, short
from tdcert.theory.files.given import features_rows, kind_of, number, policy_rows, terminal_states, tree
from tdcert.theory.files.numerals import unit_number, whole_number
from tdcert.theory.files.overrides import Overrides
from tdcert.theory.files.schedule_forms import of_one_schedule
from tdcert.theory.model.episodes import tabular_rows, zero_at_the_ends
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.intervals import IntervalMatrix
from tdcert.theory.samples.log import ADAPTIVE, END, FIXED, Declarations, Log, read_log
from tdcert.theory.samples.markov import MARKOV_SHARE, Histories, markov_test
from tdcert.theory.samples.observations import positive
from tdcert.theory.samples.reward_set import mean_interval
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel

Whole = NDArray[np.int64]
Truths = NDArray[np.bool_]
Successors = Mapping[tuple[int, int], tuple[int, ...]]
"""For each pair of state and action, where it may lead."""


@dataclass(frozen=True)
class Transitions:
    """T transitions by number, in order: from ``states`` by ``actions`` with ``rewards`` to ``next_states``; ``ended``
    and ``cut`` say after which an episode was terminated or truncated. Raises :class:`InputError` where they are not
    whole, in order, and within ``n`` states and ``m`` actions.
    """

    states: Whole
    actions: Whole
    rewards: NDArray[np.float64]
    next_states: Whole
    ended: Truths
    cut: Truths
    n: int
    m: int
    terminal: tuple[int, ...]

    def __post_init__(self) -> None:
        lengths = {len(part) for part in (self.actions, self.rewards, self.next_states, self.ended, self.cut)}
        if lengths != {len(self.states)}:
            raise InputError(
                "states, actions, rewards, next_states, terminated and truncated have different lengths; give one of "
                "each for every transition"
            )
        for what, values, most in (
            ("states", self.states, self.n),
            ("actions", self.actions, self.m),
            ("next_states", self.next_states, self.n),
        ):
            _within(what, values, most)
        ends, begins = np.isin(self.next_states, self.terminal), np.isin(self.states, self.terminal)
        for odd, said in (
            (begins, "transition {} leaves a terminal state; leave out what follows the end of an episode"),
            (
                self.ended & ~ends,
                "transition {} is terminated, and its next state is not terminal; name it in terminal",
            ),
            (ends & ~self.ended, "transition {} leads to a terminal state, and is not terminated; mark it as such"),
        ):
            if odd.any():
                raise InputError(said.format(int(np.flatnonzero(odd)[0])))
        broken = np.flatnonzero((self.states[1:] != self.next_states[:-1]) & ~(self.ended | self.cut)[:-1])
        if broken.size:
            t = int(broken[0])
            raise InputError(
                f"transition {t} ends in state {self.next_states[t]}, and transition {t + 1} begins in state "
                f"{self.states[t + 1]}; give all transitions in order, and mark where an episode was cut as truncated"
            )

    @property
    def counts(self) -> Whole:
        """How often each state came next, n×m×n."""
        made = np.zeros((self.n, self.m, self.n), dtype=np.int64)
        np.add.at(made, (self.states, self.actions, self.next_states), 1)
        return made

    @property
    def starts(self) -> Whole:
        """How often each state came first after an episode was terminated, n numbers."""
        return np.bincount(self.states[1:][self.ended[:-1]], minlength=self.n).astype(np.int64)

    def acts(self, delta: Fraction) -> tuple[RowSet, ...]:
        """For each state the set of the law of actions, each at ``delta``; in terminal states it says nothing."""
        counts = np.zeros((self.n, self.m), dtype=np.int64)
        np.add.at(counts, (self.states, self.actions), 1)
        return tuple(RowSet(tuple(row), tuple(range(self.m)), delta) for row in counts.tolist())

    @property
    def histories(self) -> Histories:
        """For each pair and each transition before, none at the start of an episode, how often each state came next."""
        fresh = np.concatenate([[True], (self.ended | self.cut)[:-1]])
        before = [np.where(fresh, -1, np.concatenate([[-1], part[:-1]])) for part in (self.states, self.actions)]
        rows = np.stack([self.states, self.actions, *before, self.next_states], axis=1)
        found: Histories = {}
        for (s, a, t, b, after), times in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
            found.setdefault((int(s), int(a)), {}).setdefault((int(t), int(b)), {})[int(after)] = int(times)
        return found

    @property
    def mean_rewards(self) -> RationalMatrix:
        """The mean reward of each pair, n×m, zero where there is none: an estimate."""
        total, times = np.zeros((self.n, self.m)), np.zeros((self.n, self.m))
        np.add.at(total, (self.states, self.actions), self.rewards)
        np.add.at(times, (self.states, self.actions), 1)
        means = np.divide(total, times, out=np.zeros_like(total), where=times > 0)
        return RationalMatrix([[Fraction(float(x)).limit_denominator(10**9) for x in row] for row in means])

    def reward_bounds(self, low: Fraction, high: Fraction, delta: Fraction) -> IntervalMatrix:
        """Intervals of all mean rewards (n×m), each at ``delta``: zero on leaving terminal states, [low, high] where a
        pair never was. Raises :class:`InputError` for a reward outside.
        """
        sums = [[Fraction(0)] * self.m for _ in range(self.n)]
        values = {r: Fraction(repr(r)) for r in set(self.rewards.tolist())}  # floats are the decimals that they print
        odd = next((r for r, value in values.items() if not low <= value <= high), None)
        if odd is not None:
            t = int(np.flatnonzero(self.rewards == odd)[0])
            raise InputError(f"transition {t} has the reward {odd}, which lies outside the declared range")
        for s, a, r in zip(self.states.tolist(), self.actions.tolist(), self.rewards.tolist(), strict=True):
            sums[s][a] += values[r]
        times, zero = self.counts.sum(axis=2).tolist(), (Fraction(0), Fraction(0))
        ends = [
            [
                zero if s in self.terminal else mean_interval(sums[s][a], times[s][a], low, high, delta)
                for a in range(self.m)
            ]
            for s in range(self.n)
        ]
        return IntervalMatrix(*(tuple(tuple(pair[i] for pair in row) for row in ends) for i in range(2)))


def collected(states: Any, actions: Any, rewards: Any, next_states: Any, given: Declarations) -> Log:
    """The transitions, with what is declared of them in place of what the log says. Raises :class:`InputError`."""
    ended, cut = given.get("terminated"), given.get("truncated")
    if actions is None and next_states is None and rewards is None:
        if ended is not None or cut is not None:
            what = "terminated" if ended is not None else "truncated"
            raise InputError(f"{what} is given beside a log, which has its own; leave it out")
        log = read_log(states, given.get("discretise"), given.get("n_states"))
    elif given.get("discretise") is not None:
        raise InputError("discretise is given beside numbers of states; it is for episodes of observations")
    else:
        log = Log(states, actions, rewards, next_states, ended, cut)
    return replace(
        log,
        n_states=_first(given.get("n_states"), log.n_states),
        n_actions=_first(given.get("n_actions"), log.n_actions),
        terminal=_first(given.get("terminal"), log.terminal),
        behaviour=_first(given.get("behaviour"), log.behaviour),
        markov=_first(given.get("markov"), log.markov),
    )


def _first(given: Any, own: Any) -> Any:
    return own if given is None else given


def from_log(log: Log, given: Declarations) -> SampledModel:
    """The set of models that transitions leave, as :func:`tdcert.from_transitions` describes it."""
    missing = next((name for name in ("delta", "discount") if given.get(name) is None), None)
    missing = missing or next(
        (name for name in ("n_states", "n_actions", "behaviour") if vars(log)[name] is None), None
    )
    if missing is not None:
        raise InputError(f"{missing} is not given; declare it before the data are seen, as docs/samples.md says")
    own, m = positive("n_states", log.n_states), positive("n_actions", log.n_actions)
    error = unit_number(number(given["delta"], "delta"), "delta")
    if not 0 < error < 1:
        raise InputError(f"delta is {short(error)}; give a probability above 0 and below 1")
    markov = True if log.markov is None else log.markov
    if not isinstance(markov, bool):
        raise InputError(f"markov is {kind_of(markov)}; give True or False")
    added = isinstance(log.terminal, str) and log.terminal == END
    n = own + added
    ends = (own,) if added else () if log.terminal is None else tuple(terminal_states(log.terminal, n))
    begins, after = _whole(log.states, "states"), _whole(log.next_states, "next_states")
    length = len(begins)
    ended = _truths(log.terminated, "terminated", length)
    if added:
        _within("states", begins, own)
        _within("next_states", after, own)
        if len(ended) == len(after):
            after = np.where(ended, own, after)
    read = Transitions(
        begins,
        _whole(log.actions, "actions"),
        _rewards(log.rewards, length),
        after,
        ended,
        _truths(log.truncated, "truncated", length),
        n,
        m,
        ends,
    )
    names, said = tuple(map(str, range(m))), list[str]()

    def policy(value: Any, what: str) -> RationalMatrix:
        rows = policy_rows(value, own, names, what, said)
        return RationalMatrix([*rows, [Fraction(1, m)] * m] if added else rows)

    if isinstance(log.behaviour, str) and log.behaviour == ADAPTIVE:
        raise InputError(
            "a behaviour that adapts has no long run that a verdict could be about; name the policy that it is to be "
            "about, whichever collected the data"
        )
    possible = _possible(given.get("possible"), n, m, ends)
    fixed = isinstance(log.behaviour, str) and log.behaviour == FIXED
    target, features = given.get("target"), given.get("features")
    rows = None if features is None else features_rows(features, own)
    if rows is not None and added:
        rows = [*rows, [0] * len(rows[0])]
    Phi = tabular_rows(n, ends) if rows is None else zero_at_the_ends(rows, ends)[0]
    begin = _start(given.get("start"), n, ends)
    limits = _reward_range(given.get("reward_range"))
    unsure = _pairs_unsure(possible, limits), fixed * (m > 1) * (n - len(ends))
    share = error * (1 - MARKOV_SHARE) / max(_several(possible, ends, begin) + sum(unsure), 1)
    acts = read.acts(share) if fixed else None
    mu = RationalMatrix([row.centre for row in acts]) if acts is not None else policy(log.behaviour, "behaviour")
    return SampledModel(
        _rows(read, share, possible, begin),
        read.mean_rewards,
        mu,
        mu if target is None else policy(target, "target"),
        unit_number(number(given["discount"], "discount"), "discount"),
        RationalMatrix(Phi),
        error,
        of_one_schedule(
            Overrides(schedule=given.get("schedule"), from_python=True).read_schedule() or Schedule(), "the schedule"
        ),
        ends,
        markov,
        markov_test(read.histories, {pair: len(found) for pair, found in possible.items()}, error * MARKOV_SHARE),
        None if limits is None else read.reward_bounds(*limits, share),
        share * unsure[0],
        acts,
        fixed and target is None,
    )


def _several(possible: Successors, terminal: tuple[int, ...], start: tuple[int, ...]) -> int:
    """The rows with several possible successors: known before any is visited, and counted whether they are or not."""
    return sum(len(found) > 1 for found in possible.values()) + (bool(terminal) and len(start) > 1)


def _pairs_unsure(possible: Successors, limits: tuple[Fraction, Fraction] | None) -> int:
    """The pairs whose mean reward is uncertain."""
    return 0 if limits is None or limits[0] == limits[1] else len(possible)


def _reward_range(given: Any) -> tuple[Fraction, Fraction] | None:
    """The least and the largest reward that may come, as they were declared."""
    if given is None:
        return None
    read = tree(given, "reward_range")
    if read.shape != (2,):
        raise InputError(f"reward_range is {kind_of(given)}; give the least and the largest reward that may come")
    low, high = map(Fraction, read.values)
    if low > high:
        raise InputError(f"reward_range goes from {short(low)} to {short(high)}; give the least first")
    return low, high


def _rows(
    read: Transitions, share: Fraction, possible: Successors, start: tuple[int, ...]
) -> tuple[tuple[RowSet, ...], ...]:
    """The set of each row, each at ``share`` of δ."""
    counts = read.counts
    made, restart = [], None
    if read.terminal:
        try:
            restart = RowSet(tuple(map(int, read.starts)), start, share)
        except InputError as error:
            raise InputError(f"where an episode began, {error}") from None
    for s in range(read.n):
        if s in read.terminal:
            assert restart is not None
            made.append((restart,) * read.m)
            continue
        of_state = []
        for a in range(read.m):
            try:
                of_state.append(RowSet(tuple(map(int, counts[s, a])), possible[s, a], share))
            except InputError as error:
                raise InputError(f"after action {a} in state {s}, {error}") from None
        made.append(tuple(of_state))
    return tuple(made)


def _possible(given: Any, n: int, m: int, terminal: tuple[int, ...]) -> dict[tuple[int, int], tuple[int, ...]]:
    """The declared successors of each pair: all states, or what a function or a mapping says."""
    pairs = [(s, a) for s in range(n) if s not in terminal for a in range(m)]
    if given is None:
        return dict.fromkeys(pairs, tuple(range(n)))
    if callable(given):
        asked: Callable[[int, int], Any] = given
        listed = {pair: asked(*pair) for pair in pairs}
    elif isinstance(given, Mapping):
        missing = next((pair for pair in pairs if pair not in given), None)
        if missing is not None:
            raise InputError(f"possible has no entry for (state, action) = {missing}; give its possible next states")
        listed = {pair: given[pair] for pair in pairs}
    else:
        raise InputError(
            f"possible is {kind_of(given)}; give a function of state and action to their possible next states, or a "
            "mapping of pairs to them"
        )
    return {(s, a): _successors(found, n, f"possible for state {s} and action {a}") for (s, a), found in listed.items()}


def _start(given: Any, n: int, terminal: tuple[int, ...]) -> tuple[int, ...]:
    """The states in which an episode may begin."""
    if given is None:
        return tuple(s for s in range(n) if s not in terminal)
    if not terminal:
        raise InputError("start is given, and no state is terminal; leave it out, or give terminal")
    found = _successors(given, n, "start")
    odd = next((s for s in found if s in terminal), None)
    if odd is not None:
        raise InputError(f"start names the terminal state {odd}; give states in which an episode may begin")
    return found


def _successors(given: Any, n: int, what: str) -> tuple[int, ...]:
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    found = sorted({whole_number(number(s, what), what) for s in listed})
    if not found or found[0] < 0 or found[-1] >= n:
        raise InputError(f"{what} must name states from 0 to {n - 1}, at least one")
    return tuple(found)


def _within(what: str, values: Whole, most: int) -> None:
    bad = np.flatnonzero((values < 0) | (values >= most))
    if bad.size:
        t = int(bad[0])
        raise InputError(f"{what} holds {values[t]} in transition {t}; the numbers go from 0 to {most - 1}")


def _whole(value: Any, what: str) -> Whole:
    array = value if isinstance(value, np.ndarray) else None
    if array is None or array.dtype.kind not in "iu":
        read = tree(value, what)
        if len(read.shape) != 1:
            raise InputError(f"{what} is {kind_of(value)}; give a list of whole numbers, one for each transition")
        array = np.array([whole_number(x, what) for x in read.values], dtype=np.int64)
    if array.ndim != 1 or not len(array):
        shape = by_shape(array.shape)
        raise InputError(f"{what} has shape {shape}; give a list of whole numbers, one for each transition")
    return array.astype(np.int64)


def _truths(value: Any, what: str, length: int) -> Truths:
    if value is None:
        return np.zeros(length, dtype=np.bool_)
    array = np.asarray(value)
    if array.ndim != 1 or array.dtype.kind not in "biu" or not np.isin(array, (0, 1)).all():
        raise InputError(f"{what} is {kind_of(value)}; give True or False for each transition")
    return array.astype(np.bool_)


def _rewards(value: Any, length: int) -> NDArray[np.float64]:
    if value is None:
        return np.zeros(length)
    read = value if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" else None
    if read is None:
        given = tree(value, "rewards")
        read = np.array(given.values if given.shape else [given.values], dtype=np.float64)
    if read.ndim != 1 or not np.all(np.isfinite(read)):
        raise InputError(f"rewards is {kind_of(value)}; give a finite number for each transition, or None")
    return read.astype(np.float64)
