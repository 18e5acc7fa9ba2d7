"""A declared update as what a class is held to: the cases, the right paths, and how far rounding may lead away."""

from __future__ import annotations

import inspect
from ast import FunctionDef, get_docstring, parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from textwrap import dedent
from typing import Any, ClassVar

import numpy as np

from tdcert.sims.conformance.battery import Array, TrialCase, battery
from tdcert.sims.conformance.jets import FREEDOM, Jet, constant, variable
from tdcert.sims.conformance.path_differences import KnownMistake, Path
from tdcert.sims.rounding import COVER, TINY, UNIT, gamma
from tdcert.theory.engine.declare import Algorithm, Slot, failure
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.transition import Transition
from tdcert.theory.errors import InputError

STARTS = (1.0, -0.5, 0.75, 0.25, -0.875)
"""Where parameters start, entry by entry, those of the k-th from the k-th number on."""

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
        """Where a parameter starts."""
        if f"{slot.name}0" not in self.takes:
            return np.zeros(slot.shape)
        return np.resize(np.roll(STARTS, -place), slot.size).reshape(slot.shape)

    @property
    def given(self) -> tuple[dict[str, Any], dict[str, Any]]:
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
        columns = zip(
            x.rewards, x.discounts, x.rho, self.pi, self.mu, self.discount_before, self.rho_before, strict=True
        )

        def vector(row: Array) -> Any:
            return row if number is float else np.array([number(y) for y in row], dtype=object)

        found, expected = [], self.expected_phi_next
        for k, (reward, discount, rho, pi, mu, discount_before, rho_before) in enumerate(columns):
            before = {"discount_before": number(discount_before), "rho_before": number(rho_before), "first": k == 0}
            found.append(
                Transition(
                    state=int(x.states[k]),
                    action=int(x.actions[k]),
                    next_state=int(x.states[k + 1]),
                    phi=vector(x.phi[k]),
                    phi_next=vector(x.phi_next[k]),
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


def split(returned: Any, slots: Sequence[Slot], kind: type = float) -> list[Any]:
    """What an update returned, an array for each slot."""
    parts = returned if isinstance(returned, tuple) else (returned,)
    return [np.array(part, dtype=kind).reshape(slot.shape) for part, slot in zip(parts, slots, strict=True)]


def follow(case: DeclaredCase, step: Step | None = None, settings: Mapping[str, Any] | None = None) -> Path:
    """The path of the update, or of another ``step``, on floats."""
    parameters, memory = case.slots
    held = [case.start(place, slot) for place, slot in enumerate(parameters)] + [np.zeros(x.shape) for x in memory]
    options, path = case.settings if settings is None else settings, [held[: len(parameters)]]
    for t, sizes in zip(case.seen(), case.sizes.tolist(), strict=True):
        now = [x if x.shape else float(x) for x in held]
        returned = (step or case.algorithm.function)(t, *now, *sizes, **options)
        held = split(returned, (*parameters, *memory))
        path.append(held[: len(parameters)])
    return tuple(np.array([row[k].ravel() for row in path]) for k in range(len(parameters)))


def bounds(case: DeclaredCase, right: Path, unit: float = UNIT) -> Path:
    """How far another correct implementation may be from the right path, entry by entry (``jets``)."""
    parameters, memory = case.slots
    D, M = sum(x.size for x in parameters), sum(x.size for x in memory)
    width = 1 + D + M
    y = np.concatenate(right, axis=1)
    m, size, off_y, off_m = np.zeros(M), np.zeros(M), np.zeros(D), np.zeros(M)
    found = [off_y]
    options = {name: _jets(value, width) for name, value in case.settings.items()}
    seen = case.seen(lambda x: constant(float(x), width))
    for k, (t, sizes) in enumerate(zip(seen, case.sizes.tolist(), strict=True)):
        entries = [variable(y[k, i], abs(y[k, i]) + off_y[i], i, width) for i in range(D)]
        entries += [variable(m[i], size[i], D + i, width) for i in range(M)]
        inputs, at = list[Any](), 0
        for slot in (*parameters, *memory):
            inputs.append(_shaped(entries[at : at + slot.size], slot.shape))
            at += slot.size
        steps = [constant(x, width) for x in sizes]
        returned = split(case.algorithm.function(t, *inputs, *steps, **options), (*parameters, *memory), object)
        new = [x if isinstance(x, Jet) else constant(float(x), width) for part in returned for x in part.ravel()]
        slack = 2 * gamma(FREEDOM * max(x.chain for x in new), unit)
        jets = np.array([x.jet for x in new])  # (D + M, 2, width)
        slopes, magnitudes = np.abs(jets[:, 0, 1:]) + slack * jets[:, 1, 1:], jets[:, 1, 0]
        off = slopes[:, :D] @ off_y + jets[:, 1, 1 + D :] @ off_m + slack * magnitudes + TINY
        off[D:] = slopes[D:, D:] @ off_m + slack * magnitudes[D:] + TINY
        off_y, off_m, m, size = off[:D], off[D:], jets[D:, 0, 0], magnitudes[D:]
        found.append(off_y)
    stacked, at, path = COVER * np.array(found), 0, list[Array]()
    for slot in parameters:
        path.append(stacked[:, at : at + slot.size])
        at += slot.size
    return tuple(path)


def _jets(value: Any, width: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_jets(x, width) for x in value)
    return constant(value, width) if isinstance(value, float) else value


def _shaped(entries: Sequence[Jet], shape: tuple[int, ...]) -> Any:
    if shape == ():
        return entries[0]
    found = np.empty(len(entries), dtype=object)
    found[:] = entries
    return found.reshape(shape)


def _float(value: Any) -> Any:
    if isinstance(value, tuple | list | np.ndarray):
        return tuple(_float(x) for x in value)
    return float(value) if isinstance(value, Fraction | float) else value


@dataclass(frozen=True, eq=False)
class Declared:
    """A declared update as a standard (``trial.Standard``); ``words``: how it was named."""

    words: str
    algorithm: Algorithm
    has_law: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(self.algorithm.parameters)

    @property
    def offered(self) -> tuple[str, ...]:
        """What ``reset`` may name: the options, and the starts of the parameters."""
        return (*self.algorithm.options, *(f"{name}0" for name in self.names))

    def slots(self, d: int) -> list[Slot]:
        """What is read of the class."""
        return self.algorithm.slots(d)[0]

    def cases(self, schedules: str, seed: int, discounts: str, takes: str) -> tuple[TrialCase, ...]:
        """The battery with options that change from case to case where ``reset`` takes them.

        Raises :class:`InputError` for schedules that the update does not have, and for an update that fails.
        """
        known = set(takes.split(","))
        kinds = [kind for kind, word in (("lam", "constant"), ("lambdas", "any")) if kind in known for kind in [word]]
        if schedules not in ("zero", *kinds):
            raise InputError(
                f"the schedules are '{schedules}', and '{self.words}' is asked for {' or '.join(['zero', *kinds])}: "
                "that is what its options and the reset of the class have"
            )
        found = battery(self.words, schedules, seed, discounts)
        kept = {f.name: None for f in fields(TrialCase)}
        cases = [
            DeclaredCase(
                **{name: getattr(case, name) for name in kept},
                algorithm=self.algorithm,
                settings=self._settings(case, place, known),
                takes=tuple(sorted(known)),
            )
            for place, case in enumerate(found)
        ]
        model = cases[0].model
        try:
            tables(model, self.algorithm)
        except InputError:  # steps may stand in its memory, or below a fraction
            tables(model, self.algorithm, steps=dict.fromkeys(self.algorithm.steps, Fraction(1, 8)))
        return tuple(cases)

    def _settings(self, case: TrialCase, place: int, known: set[str]) -> dict[str, Any]:
        """The options of one case: those given stay, the schedule's are its own, others take two values in turns."""
        settings = {}
        for name, value in self.algorithm.options.items():
            default, changed = self.algorithm.defaults[name], value
            if name in known and value is default:
                if name == "lam":
                    changed = case.lambdas[0] if case.lambdas else 0
                elif name == "lambdas":
                    changed = case.lambdas
                elif place % 2 and isinstance(value, int | float | Fraction) and not isinstance(value, bool):
                    shapes = (*self.algorithm.parameters.values(), *self.algorithm.memory.values())
                    used = {part for shape in shapes for part in (shape if isinstance(shape, tuple) else (shape,))}
                    if value in (0, 1) and name not in used:
                        changed = Fraction(1, 2)
            settings[name] = _float(changed)
        return settings

    def path(self, case: TrialCase) -> Path:
        """The right path. Raises :class:`InputError` where the function fails on floats."""
        assert isinstance(case, DeclaredCase)
        try:
            return follow(case)
        except Exception as error:
            does, instead = failure(error, case.model.d, "use + − · / @, indices, min and max")
            raise InputError(f"the update '{self.words}', run on floats, {does}; {instead}") from None

    def bounds(self, case: TrialCase, right: Path, unit: float = UNIT) -> Path:
        """How far rounding may lead away from it."""
        assert isinstance(case, DeclaredCase)
        return bounds(case, right, unit)

    def mistakes(self) -> Sequence[KnownMistake]:
        """What a wrong class may look like."""
        from tdcert.sims.mistakes.declared import mistakes

        return mistakes(self.algorithm)

    def updates(self, schedules: str) -> tuple[str, ...]:
        """The function as it is written, without decorator, docstring and types."""
        function = self.algorithm.function
        signature = inspect.signature(function)
        plain = [x.replace(annotation=x.empty) for x in signature.parameters.values()]
        head = f"def {self.algorithm.name}{signature.replace(parameters=plain, return_annotation=signature.empty)}:"
        lines = dedent(inspect.getsource(function)).splitlines()
        (tree,) = parse("\n".join(lines)).body
        assert isinstance(tree, FunctionDef)
        body = tree.body[1:] if get_docstring(tree) and len(tree.body) > 1 else tree.body
        return (head, *lines[body[0].lineno - 1 :])
