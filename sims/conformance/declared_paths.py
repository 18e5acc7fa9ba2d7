"""Paths of a declared update on floats, and how far rounding may lead away from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np

from tdcert.sims.conformance.battery import Array, TrialCase
from tdcert.sims.conformance.jets import FREEDOM, Jet, constant, variable
from tdcert.sims.conformance.path_differences import Path
from tdcert.sims.rounding import COVER, TINY, UNIT, gamma
from tdcert.theory.engine.declare import Algorithm, Slot
from tdcert.theory.engine.transition import Transition

STARTS = (1.0, -0.5, 0.75, 0.25, -0.875)
"""Parameters start here, entry by entry, those of the k-th from the k-th number on."""

Step = Callable[..., Any]
"""The update on floats: a transition, parameters, memory and step sizes, and the options by name."""


@dataclass(frozen=True)
class DeclaredCase(TrialCase):
    """A trajectory with the options and the starts of the parameters; those that ``reset`` does not take are zero."""

    declared: ClassVar[bool] = True
    algorithm: Algorithm = field(kw_only=True)
    settings: Mapping[str, Any] = field(kw_only=True)
    takes: tuple[str, ...] = field(kw_only=True)

    @property
    def slots(self) -> tuple[list[Slot], list[Slot]]:
        """Parameters and memory."""
        return self.algorithm.slots(self.model.d)

    def start(self, place: int, slot: Slot) -> Array:
        """Where a parameter starts: one that copies another, where that starts, unless ``reset`` names it."""
        if f"{slot.name}0" not in self.takes:
            of = copies(self.algorithm).get(slot.name)
            return np.zeros(slot.shape) if of is None else self.start(of, self.slots[0][of])
        return np.resize(np.roll(STARTS, -place), slot.size).reshape(slot.shape)

    @property
    def given(self) -> tuple[dict[str, float | list[float]], dict[str, float | list[float]]]:
        settings = {name: value for name, value in self.settings.items() if name in self.takes}
        starts = {f"{slot.name}0": self.start(place, slot).tolist() for place, slot in enumerate(self.slots[0])}
        return settings, {name: value for name, value in starts.items() if name in self.takes}

    @property
    def sizes(self) -> Array:
        columns = [np.array(self.alphas), np.array(self.betas)]
        while len(columns) < len(self.algorithm.steps):
            columns.append((columns[-1] + columns[-2]) / 2)
        return np.stack(columns[: len(self.algorithm.steps)], axis=1)

    @property
    def step_names(self) -> tuple[str, ...]:
        return self.algorithm.steps

    def seen(self, number: Callable[[float], Any] = float) -> list[Transition]:
        """The transitions as the update sees them; ``number`` makes each number of them."""
        x = self.trajectory
        phis, phis_next, expected = x.phi, x.phi_next, self.expected_phi_next
        for table in (phis, phis_next, expected):
            table.flags.writeable = False  # one transition is shown to many an update
        columns = zip(
            x.rewards, x.discounts, x.rho, self.pi, self.mu, self.discount_before, self.rho_before, strict=True
        )

        def vector(row: Array) -> Any:
            return row if number is float else np.array([number(y) for y in row], dtype=object)

        found = list[Transition]()
        for k, (reward, discount, rho, pi, mu, discount_before, rho_before) in enumerate(columns):
            before = {"discount_before": number(discount_before), "rho_before": number(rho_before)}
            before["first"] = x.drawn or k == 0
            found.append(
                Transition(
                    state=int(x.left[k]),
                    action=int(x.actions[k]),
                    next_state=int(x.reached[k]),
                    phi=vector(phis[k]),
                    phi_next=vector(phis_next[k]),
                    reward=number(reward),
                    discount=number(discount),
                    rho=number(rho),
                    pi=number(pi),
                    mu=number(mu),
                    interest=number(1.0),
                    expected_phi_next=vector(expected[k]),
                    before=before,
                )
            )
        return found

    @cached_property
    def on_floats(self) -> list[Transition]:
        """The transitions as the update sees them, their arrays read-only."""
        return self.seen()


def split(returned: Any, slots: Sequence[Slot], kind: type = float) -> list[Any]:
    """What an update returned, an array for each slot."""
    parts = returned if isinstance(returned, tuple) else (returned,)
    return [np.array(part, dtype=kind).reshape(slot.shape) for part, slot in zip(parts, slots, strict=True)]


@cache
def copies(algorithm: Algorithm) -> Mapping[str, int]:
    """Parameters that only hold what another one was a step before, and the place of that one: no class has to keep
    them by these names.

    Read off one update of random numbers; empty where the function fails on them.
    """
    rng, (parameters, memory) = np.random.default_rng(0), algorithm.slots(2)
    held: list[Any] = [rng.random(slot.shape or None) for slot in (*parameters, *memory)]
    numbers = {name: rng.random() for name in ("reward", "discount", "rho", "pi", "mu", "interest")}
    vectors = {name: rng.random(2) for name in ("phi", "phi_next", "expected_phi_next")}
    before = {"discount_before": rng.random(), "rho_before": rng.random(), "first": False}
    t = Transition(state=0, action=0, next_state=0, before=before, **numbers, **vectors)
    options = {name: as_float(value) for name, value in algorithm.options.items()}
    try:
        new = split(algorithm.function(t, *held, *rng.random(len(algorithm.steps)), **options), (*parameters, *memory))
    except Exception:
        return {}
    found = dict[str, int]()
    for k, slot in enumerate(parameters):
        others = (i for i, other in enumerate(parameters) if i != k and other.name not in found)
        of = next((i for i in others if np.array_equal(new[k], held[i])), None)
        if of is not None:
            found[slot.name] = of
    return found


def _read(case: DeclaredCase, path: Path) -> Path:
    """The part of a path that is read of a class."""
    unread = copies(case.algorithm)
    return tuple(part for part, slot in zip(path, case.slots[0], strict=True) if slot.name not in unread)


def follow(case: DeclaredCase, step: Step | None = None, settings: Mapping[str, Any] | None = None) -> Path:
    """The path of the update, or of another ``step``, on floats: of the parameters that are read."""
    return _read(case, _whole(case, step, settings))


def _whole(case: DeclaredCase, step: Step | None = None, settings: Mapping[str, Any] | None = None) -> Path:
    """The path of all parameters."""
    parameters, memory = case.slots
    held = [case.start(place, slot) for place, slot in enumerate(parameters)]
    options, path = case.settings if settings is None else settings, [held]
    for t, sizes in zip(case.on_floats, case.sizes.tolist(), strict=True):
        if t.before["first"]:
            held = held[: len(parameters)] + [np.zeros(x.shape) for x in memory]
        now = [x if x.shape else float(x) for x in held]
        returned = (step or case.algorithm.function)(t, *now, *sizes, **options)
        held = split(returned, (*parameters, *memory))
        path.append(held[: len(parameters)])
    return tuple(np.array([row[k].ravel() for row in path]) for k in range(len(parameters)))


def bounds(case: DeclaredCase, unit: float = UNIT) -> Path:
    """How far another correct implementation may be from the right path, entry by entry (``jets``)."""
    parameters, memory = case.slots
    D, M = sum(x.size for x in parameters), sum(x.size for x in memory)
    width = 1 + D + M
    y = np.concatenate(_whole(case), axis=1)
    m, size, off_y, off_m = np.zeros(M), np.zeros(M), np.zeros(D), np.zeros(M)
    found, ways, made = [off_y], np.zeros((0, D, D)), np.zeros((0, D, 1))
    options = {name: _jets(value) for name, value in case.settings.items()}
    seen = case.seen(lambda x: constant(float(x)))
    for k, (t, sizes) in enumerate(zip(seen, case.sizes.tolist(), strict=True)):
        if t.before["first"]:  # what was remembered, and how wrong it may be, is gone
            m, size, off_m = np.zeros(M), np.zeros(M), np.zeros(M)
        entries = [variable(y[k, i], abs(y[k, i]) + off_y[i], i, width) for i in range(D)]
        entries += [variable(m[i], size[i], D + i, width) for i in range(M)]
        inputs, at = list[Any](), 0
        for slot in (*parameters, *memory):
            inputs.append(_shaped(entries[at : at + slot.size], slot.shape))
            at += slot.size
        steps = [constant(x) for x in sizes]
        returned = split(case.algorithm.function(t, *inputs, *steps, **options), (*parameters, *memory), object)
        entries = [x if isinstance(x, Jet) else constant(float(x)) for part in returned for x in part.ravel()]
        slack = 2 * gamma(FREEDOM * max(x.chain for x in entries), unit)
        jets = np.zeros((D + M, 2, width))
        for row, x in zip(jets, entries, strict=True):
            row[:, : x.jet.shape[1]] = x.jet
        slopes, wide, magnitudes = jets[:, 0, 1:], jets[:, 1, 1:], jets[:, 1, 0]
        J, own = slopes[:D, :D], slack * magnitudes + TINY
        new = own[:D] + slack * wide[:D, :D] @ off_y + wide[:D, D:] @ off_m
        new += gamma(D) * np.sum(np.abs(J) @ (np.abs(ways) @ made), axis=0)[:, 0]
        off_m = (np.abs(slopes[D:, D:]) + slack * wide[D:, D:]) @ off_m + own[D:]
        ways, made = np.concatenate([J @ ways, [np.eye(D)]]), np.concatenate([made, [new[:, None]]])
        off_y, m, size = np.sum(np.abs(ways) @ made, axis=0)[:, 0], jets[D:, 0, 0], magnitudes[D:]
        found.append(off_y)
    stacked, at, path = COVER * np.array(found), 0, list[Array]()
    for slot in parameters:
        path.append(stacked[:, at : at + slot.size])
        at += slot.size
    return _read(case, tuple(path))


def _jets(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_jets(x) for x in value)
    return constant(value) if isinstance(value, float) else value


def _shaped(entries: Sequence[Jet], shape: tuple[int, ...]) -> Any:
    if shape == ():
        return entries[0]
    found = np.empty(len(entries), dtype=object)
    found[:] = entries
    return found.reshape(shape)


def as_float(value: Any) -> Any:
    """The value of an option with floats for its fractions, also inside of lists."""
    if isinstance(value, tuple | list | np.ndarray):
        return tuple(as_float(x) for x in value)
    return float(value) if isinstance(value, Fraction | float) else value
