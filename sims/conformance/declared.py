"""A declared update as what a class is held to: its cases, its right paths, and what a wrong class may look like."""

from __future__ import annotations

import inspect
from ast import FunctionDef, get_docstring, parse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from textwrap import dedent
from typing import ClassVar

from tdcert.sims.conformance.battery import TrialCase, kept_battery
from tdcert.sims.conformance.declared_paths import DeclaredCase, as_float, bounds, copies, follow
from tdcert.sims.conformance.path_differences import KnownMistake, Path
from tdcert.sims.mistakes.declared import mistakes
from tdcert.sims.rounding import UNIT
from tdcert.theory.engine.declare import Algorithm, Slot, failure
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError


@dataclass(frozen=True)
class Declared:
    """A declared update as a standard, what a class is held to; ``words``: how it was named."""

    words: str
    algorithm: Algorithm
    has_law: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters that are read: all but :func:`copies`."""
        return tuple(name for name in self.algorithm.parameters if name not in copies(self.algorithm))

    @property
    def offered(self) -> tuple[str, ...]:
        """What ``reset`` may name: the options, and the starts of the parameters."""
        return (*self.algorithm.options, *(f"{name}0" for name in self.algorithm.parameters))

    def schedules(self, takes: str) -> str:
        """The kind of schedules for a ``reset`` that takes these names, given with commas between them."""
        named = self.algorithm.schedule[:1]
        return ("any" if len(self.algorithm.schedule) > 1 else "constant") if {*named} & {*takes.split(",")} else "zero"

    def slots(self, d: int) -> list[Slot]:
        """What is read of the class."""
        return [slot for slot in self.algorithm.slots(d)[0] if slot.name in self.names]

    def cases(
        self, schedules: str, seed: int, discounts: str, takes: str, sampling: str = "path"
    ) -> tuple[TrialCase, ...]:
        """The battery with options that change from case to case where ``reset`` takes them.

        Raises :class:`InputError` for schedules that the update does not have, and for an update that fails.
        """
        known = set(takes.split(","))
        kinds = list(dict.fromkeys(["zero", self.schedules(takes)]))
        if schedules not in kinds:
            raise InputError(
                f"the schedules are '{schedules}', and '{self.words}' is asked for {' or '.join(kinds)}: "
                "that is what its options and the reset of the class have"
            )
        found = kept_battery(self.words, schedules, seed, discounts, sampling)
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

    def _settings(self, case: TrialCase, place: int, known: set[str]) -> dict[str, object]:
        """The options of one case: those given stay, the schedule's are its own, others take two values in turns."""
        settings, of_schedule = {}, self.algorithm.schedule
        for name, value in self.algorithm.options.items():
            changed = value
            if name in known and name not in self.algorithm.given:
                if name in of_schedule[:1]:
                    changed = case.lambdas if len(of_schedule) > 1 else case.lambdas[0] if case.lambdas else 0
                elif place % 2 and isinstance(value, int | float | Fraction) and not isinstance(value, bool):
                    shapes = (*self.algorithm.parameters.values(), *self.algorithm.memory.values())
                    used = {part for shape in shapes for part in (shape if isinstance(shape, tuple) else (shape,))}
                    if value in (0, 1) and name not in used:
                        changed = Fraction(1, 2)
            settings[name] = as_float(changed)
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
        return bounds(case, unit)

    def mistakes(self) -> Sequence[KnownMistake]:
        """What a wrong class may look like."""
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
