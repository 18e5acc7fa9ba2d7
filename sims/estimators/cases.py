"""What a function is tried on: all short rows first, then random ones, in the order of the properties they show.

**Short rows.** Every pattern of cuts, ratios, λ and γ over small alphabets, on one to four steps. For a pattern the
estimates are linear in rewards and values, so the rows with one of them 1 and the rest 0 decide it for every function
that is linear too; one row with all of them different goes beside, and random rows ask whether the function is linear.
A length has at most ``PATTERNS`` patterns; beyond that a part is drawn, and ``Battery.whole`` says up to which length
nothing was left out.

**Random rows**: longer, several in a batch, with as many rows as steps and otherwise, discounts, λ's and ratios that
change with the step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators.contract import LONGEST, Contract
from tdcert.sims.estimators.layout import owed, slots
from tdcert.sims.trials.limits import CALLED_AT_ONCE, LONG_ROW_SETTINGS, PATTERNS
from tdcert.theory.model.estimator_recursions import LinearForm, Magnitudes, second
from tdcert.theory.model.estimators import TRACES, Row, Settings, forward
from tdcert.theory.model.schedule import Schedule

Array = NDArray[np.float64]

PROPERTIES = {
    "one_step": "one step, cut by the end of the row",
    "one_episode": "one episode, cut by the end of the row",
    "termination": "termination at the last step: no bootstrap",
    "truncation": "truncation at the last step",
    "boundary": "an episode that terminates, and the next one in the same row",
    "truncated_boundary": "an episode that is truncated, and the next one in the same row",
    "per_step": "γ or λ that change with the step",
    "ratios": "importance ratios other than 1",
    "ring": "a ring that is read from its oldest entry on",
    "padding": "padding after the last step",
    "batch": "several rows in one call do not mix",
    "long": "long rows",
}
"""Key → what is looked at, in the order it is asked."""

GO, TERMINATED, TRUNCATED = "·", "T", "t"
HALF, ONE, ZERO = Fraction(1, 2), Fraction(1), Fraction(0)
GAMMAS = (HALF, ONE, ZERO)
LAMBDAS = (HALF, ZERO, ONE)
_Chosen = tuple[Settings, tuple[tuple[str, Any], ...]]  # the scalars of a call, as they are used and as they are given
RATIOS = (ONE, Fraction(2), HALF, ZERO)
LAMBDA_PER_STEP = ("lambdas", "lambdas_and_cuts")


@dataclass(frozen=True, eq=False)
class TrialRow:
    """A row with what it shows, the parameters of its call, and what is owed: name → (T,) exact values and bounds.

    ``parameters`` are the scalars of the call; ``padded``: entries of padding behind it; ``turn``: how far a ring is
    turned.
    """

    shows: str
    row: Row
    settings: Settings
    parameters: tuple[tuple[str, Any], ...]
    exact: Mapping[str, Sequence[Fraction]] = field(compare=False, repr=False, default_factory=dict)
    magnitude: Mapping[str, Sequence[Fraction]] = field(compare=False, repr=False, default_factory=dict)
    padded: int = 0
    turn: int = 0

    def places(self, contract: Contract) -> list[int]:
        """What each entry of an array of the call is: a step's number, ``RESET`` or ``PAD``."""
        found = slots(contract, self.row, self.padded)
        return found[-self.turn :] + found[: -self.turn] if self.turn else found


@dataclass(frozen=True, eq=False)
class Call:
    """One call: rows of equal length with equal parameters, and the precision of what is handed out."""

    shows: str
    rows: tuple[TrialRow, ...]
    dtype: str


@dataclass(frozen=True)
class Battery:
    """All calls in order. ``whole``: every pattern up to so many steps is among them."""

    calls: tuple[Call, ...]
    whole: int


class _WhenAsked(Mapping[str, Sequence[Fraction]]):
    """Exact numbers by name, made once when the first is asked for: of long rows they take longest of a battery."""

    def __init__(self, make: Callable[[], Mapping[str, Sequence[Fraction]]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, Sequence[Fraction]]:
        return self._make()

    def __getitem__(self, name: str) -> Sequence[Fraction]:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def with_owed(contract: Contract, case: TrialRow) -> TrialRow:
    """The row with its exact estimates and the magnitudes that bound rounding."""
    row = owed(contract, case.row)

    def magnitude() -> Mapping[str, Sequence[Fraction]]:
        made = row.with_numbers(lambda x: Magnitudes({(): abs(Fraction(x))}))
        sizes = second(contract.estimator, made, case.settings)
        return {name: [x.terms.get((), ZERO) for x in found] for name, found in sizes.items()}

    exact = _WhenAsked(lambda: forward(contract.estimator, row, case.settings))
    return replace(case, exact=exact, magnitude=_WhenAsked(magnitude))


@dataclass(frozen=True)
class _Pattern:
    """Everything but rewards and values."""

    cuts: str
    discounts: tuple[Fraction, ...]
    lambdas: tuple[Fraction, ...]
    rhos: tuple[Fraction, ...]
    policy: tuple[Fraction, ...]
    settings: Settings
    parameters: tuple[tuple[str, Any], ...]
    turn: int = 0

    @property
    def steps(self) -> int:
        return len(self.cuts)

    def row(self, numbers: Mapping[Any, Any], zero: Any = 0) -> Row:
        """The row with these rewards, values and action values; what is not named is ``zero``."""
        T = self.steps

        def get(name: str, t: int) -> Any:
            return numbers.get((name, t), zero)

        ahead = [get("V", t + 1) if cut == GO and t + 1 < T else get("N", t) for t, cut in enumerate(self.cuts)]
        return Row(
            [get("R", t) for t in range(T)],
            [get("V", t) for t in range(T)],
            ahead,
            self.discounts,
            [cut == TERMINATED for cut in self.cuts],
            [cut == TRUNCATED for cut in self.cuts],
            self.lambdas,
            self.rhos,
            [get("Q", t) for t in range(T)] if self.policy else (),
            self.policy,
        )

    def names(self) -> list[tuple[str, int]]:
        """The rewards and values that a row of this pattern has."""
        kinds = ["R", "V", *(["Q"] if self.policy else [])]
        ends = [t for t, cut in enumerate(self.cuts) if cut != GO or t + 1 == self.steps]
        return [(kind, t) for kind in kinds for t in range(self.steps)] + [("N", t) for t in ends]

    def shows(self, contract: Contract) -> str:
        """The property that a row of this pattern belongs to."""
        inside = self.cuts[:-1]
        if self.turn:
            return "ring"
        if any(rho != 1 for rho in self.rhos) and contract.needs_ratios():
            return "ratios"
        if len(set(self.lambdas[:-1])) > 1 or len(set(self.discounts)) > 1:
            return "per_step"
        if TRUNCATED in inside:
            return "truncated_boundary"
        if TERMINATED in inside:
            return "boundary"
        if self.cuts[-1] != GO:
            return "termination" if self.cuts[-1] == TERMINATED else "truncation"
        return "one_step" if self.steps == 1 else "one_episode"


def battery(contract: Contract, seed: int = 0, patterns: int = PATTERNS) -> Battery:
    """All calls for one contract, property by property, from small to large; ``patterns``: of a length, at most."""
    rng = random.Random(f"estimators {contract.estimator} {seed}")
    rows: list[TrialRow] = []
    whole = LONGEST
    for steps in range(contract.shortest, LONGEST + 1):
        drawn, complete = _patterns(contract, steps, rng, patterns)
        if not complete:
            whole = min(whole, steps - 1)
        for pattern in drawn:
            rows += _rows(contract, pattern, rng)
    calls = _grouped(contract, rows, contract.dtypes[0])
    settings = list(_parameters(contract, LONGEST))
    settings = [x for x in settings if dict(x[1]).get("gamma", ONE)] or settings
    if contract.batched:
        for steps, size in ((3, 3), (4, 2), (2, 4), (1, 3), (5, 5), (6, 1)):
            if steps < contract.shortest:
                continue
            batch = _random_batch(contract, rng, rng.choice(settings), "batch", steps, size)
            calls += [Call("batch", batch, dtype) for dtype in contract.dtypes]
    if contract.padding == "after":
        calls += [
            Call(
                "padding",
                _random_batch(contract, rng, rng.choice(settings), "padding", steps, 3, True),
                contract.dtypes[0],
            )
            for steps in (2, 4, 6)
        ]
    # a sum that leaves out small powers of γλ is right where γλ is large: long rows are asked for several
    for chosen, steps in product(rng.sample(settings, min(LONG_ROW_SETTINGS, len(settings))), (7, 12, 24)):
        batch = _random_batch(contract, rng, chosen, "long", steps, 4 if contract.batched else 1)
        calls += [Call("long", batch, dtype) for dtype in contract.dtypes]
    order = {name: place for place, name in enumerate(PROPERTIES)}
    calls.sort(key=lambda call: (order[call.shows], call.rows[0].row.steps))
    return Battery(tuple(calls), whole)


def _cuts(contract: Contract, steps: int) -> list[str]:
    """Every pattern of cuts that the contract has."""
    kinds = GO + TERMINATED + (TRUNCATED if contract.truncation != "never" else "")
    last = kinds if contract.sees_last_termination else GO
    inside = kinds if contract.boundaries != "single" else GO
    return ["".join(found) for found in product(*[inside] * (steps - 1), last)]


def _ratios(contract: Contract) -> list[Fraction]:
    """0 has no logarithm."""
    return [x for x in RATIOS if x or not contract.has("log_rhos", "target_log_probs")]


def _patterns(contract: Contract, steps: int, rng: random.Random, most: int) -> tuple[list[_Pattern], bool]:
    ratios: Sequence[tuple[Fraction, ...]] = [()]
    if contract.needs_ratios():
        ratios = list(product(_ratios(contract)[: 4 if steps < 3 else 3], repeat=steps))
    parameters = list(_parameters(contract, steps))
    turns = range(steps) if contract.has("position") else range(1)
    choices: list[Sequence[Any]] = [_cuts(contract, steps), ratios, parameters, turns]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count <= most:
        drawn: list[Any] = list(product(*choices))
    else:
        plain = [(cuts, ratios[0], parameters[0], 0) for cuts in choices[0]]
        drawn = plain + [tuple(rng.choice(list(choice)) for choice in choices) for _ in range(most - len(plain))]
    found = [
        _pattern(contract, rng, cuts, rhos, settings, given, turn)
        for cuts, rhos, (settings, given), turn in dict.fromkeys(drawn)
    ]
    return found, count <= most


def _pattern(
    contract: Contract,
    rng: random.Random,
    cuts: str,
    rhos: tuple[Fraction, ...],
    settings: Settings,
    given: tuple[tuple[str, Any], ...],
    turn: int,
) -> _Pattern:
    steps, scalars = len(cuts), dict(given)
    gamma = scalars.get("gamma", ONE)
    lam = scalars.get("lambda", contract.fixed.get("lambda", ONE))
    discounts, lambdas = (gamma,) * steps, (lam if lam is not None else ONE,) * steps
    if scalars.get("_varied"):
        if contract.has("discounts"):
            discounts = tuple(Fraction(1 + (t % 3), 4) for t in range(steps))
        if contract.has(*LAMBDA_PER_STEP):
            lambdas = tuple(Fraction((3, 1, 2)[t % 3], 4) for t in range(steps))
    policy: tuple[Fraction, ...] = ()
    if contract.estimator in TRACES:
        policy = tuple(Fraction(rng.choice((1, 2, 3)), 4) for _ in range(steps))
    return _Pattern(cuts, discounts, lambdas, rhos, policy, settings, given, turn)


def _parameters(contract: Contract, steps: int) -> Iterator[_Chosen]:
    """Settings and scalars of the call, the plainest first."""
    fixed: dict[str, Any] = {name: x for name, x in contract.fixed.items() if name not in ("gamma", "lambda")}
    fixed = {name: int(x) if name == "n" else x for name, x in fixed.items()} | {"bootstrap": contract.bootstrap}
    alphabets: dict[str, Sequence[Any]] = {}
    given_gamma = contract.fixed.get("gamma")
    differential = contract.estimator.startswith("differential")
    gammas = (given_gamma,) if given_gamma is not None else ((ONE,) if differential else GAMMAS)
    alphabets["gamma"] = gammas if contract.gives("gamma") or given_gamma is not None else (ONE,)
    if contract.gives("lambda"):
        alphabets["lambda"] = LAMBDAS
    for name, values in {
        "n": (1, 2, 3, 6),
        "clip_rho": (ONE, HALF, Fraction(2)),
        "clip_c": (ONE, HALF),
        "clip_pg": (ONE, Fraction(2)),
        "mix_rho": (ONE, HALF),
        "mix_c": (ONE, HALF),
        "sigma": (HALF, ONE),
        "mean_reward": (HALF, ZERO),
    }.items():
        if contract.has(name):
            alphabets[name] = values
    if contract.has("schedule"):
        alphabets["schedule"] = ((), (HALF, Fraction(3, 4)), (ONE, ONE), (Fraction(3, 4),))
    if contract.has("n1", "n2"):
        alphabets["equal"] = ((1, 1), (1, 2), (2, 3), (1, 4), (3, 3))
    if contract.has("discounts", *LAMBDA_PER_STEP) and steps > 1:
        alphabets["_varied"] = (0, 1)
    for name in contract.above_zero:
        if name in alphabets:
            alphabets[name] = [x for x in alphabets[name] if x is None or x > 0]
    for drawn in product(*alphabets.values()):
        scalars: dict[str, Any] = dict(zip(alphabets, drawn, strict=True))
        used = {name: scalars[name] for name in scalars if name in Settings.__dataclass_fields__}
        if "equal" in scalars:
            n1, n2 = scalars.pop("equal")
            scalars |= {"n1": n1, "n2": n2}
            used["schedule"] = Schedule.equal_weights(n1, n2).lambdas
        yield Settings(**{**fixed, **used}), tuple(scalars.items())


def _rows(contract: Contract, pattern: _Pattern, rng: random.Random) -> Iterator[TrialRow]:
    """The row with one number 1, for each, and one with all of them different."""
    shows, names = pattern.shows(contract), pattern.names()
    forms = owed(contract, pattern.row({name: LinearForm({name: ONE}) for name in names}, LinearForm({})))
    sizes = owed(contract, pattern.row({name: Magnitudes({name: ONE}) for name in names}, Magnitudes({})))
    exact = forward(contract.estimator, forms, pattern.settings)
    magnitude = second(contract.estimator, sizes, pattern.settings)
    different = {name: Fraction(rng.choice((-1, 1)) * (3 + 2 * place), 4) for place, name in enumerate(names)}
    for numbers in (*({name: ONE} for name in names), different):

        def at(form: LinearForm, numbers: Mapping[Any, Fraction] = numbers, absolute: bool = False) -> Fraction:
            total = form.terms.get((), ZERO)
            for name, x in numbers.items():
                if name in form.terms:
                    total += form.terms[name] * (abs(x) if absolute else x)
            return total

        yield TrialRow(
            shows,
            pattern.row(numbers),
            pattern.settings,
            pattern.parameters,
            {name: [at(form) for form in found] for name, found in exact.items()},
            {name: [at(form, absolute=True) for form in found] for name, found in magnitude.items()},
            turn=pattern.turn,
        )


def _grouped(contract: Contract, rows: Sequence[TrialRow], dtype: str) -> list[Call]:
    """Rows that can share a call do, where the contract has a batch axis."""
    groups: dict[Any, list[TrialRow]] = {}
    for case in rows:
        key = (case.shows, case.parameters, len(slots(contract, case.row)), case.turn)
        groups.setdefault(key, []).append(case)
    size = CALLED_AT_ONCE if contract.batched else 1
    return [
        Call(group[0].shows, tuple(group[start : start + size]), dtype)
        for group in groups.values()
        for start in range(0, len(group), size)
    ]


def _random_batch(
    contract: Contract, rng: random.Random, chosen: _Chosen, shows: str, steps: int, size: int, padded: bool = False
) -> tuple[TrialRow, ...]:
    """Rows of equal length, whatever resets and padding make of their steps."""
    settings, given = chosen
    turn = rng.randrange(steps) if contract.has("position") else 0
    rows: list[TrialRow] = []
    while len(rows) < size:
        behind = rng.randrange(steps) if padded and rows else 0
        pattern = _random_pattern(contract, rng, steps - behind, settings, given, turn)
        if pattern is None:
            continue
        numbers = {name: Fraction(rng.randint(-16, 16), 8) for name in pattern.names()}
        row = pattern.row(numbers)
        extra = steps - len(slots(contract, row))
        if extra and not padded:
            continue
        rows.append(with_owed(contract, TrialRow(shows, row, settings, given, padded=extra, turn=turn)))
    return tuple(rows)


def _random_pattern(
    contract: Contract,
    rng: random.Random,
    entries: int,
    settings: Settings,
    given: tuple[tuple[str, Any], ...],
    turn: int,
) -> _Pattern | None:
    """Cuts are rare; with resets in the row there are fewer steps than entries. None where they do not fit."""
    cuts, used = "", 0
    while used < entries:
        kinds = _cuts(contract, 2 if used + 1 < entries else 1)
        cut = rng.choice(kinds)[0] if rng.random() < 0.35 else GO
        if used + 1 < entries and contract.boundaries == "single":
            cut = GO
        cuts += cut
        used += 1
        if contract.boundaries == "next-step" and cut != GO and used < entries:
            used += 1
            if used == entries:  # the row would end with a reset
                return None
    ratios: tuple[Fraction, ...] = ()
    if contract.needs_ratios():
        ratios = tuple(rng.choice(_ratios(contract)) for _ in cuts)
    return _pattern(contract, rng, cuts, ratios, settings, given, turn)
