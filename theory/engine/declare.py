"""What a user declares: an update as one function, with the shapes of what it changes.

.. code-block:: python

    @algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
    def td(t, theta, z, alpha, *, lam=0):
        z = t.discount_before * lam * z + t.phi
        delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
        return theta + alpha * delta * z, z

The function takes the transition ``t``, the parameters, the memory and the step sizes, in the order in which they are
declared, and returns the new parameters and the new memory in that order. What stands behind the star are options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tdcert.theory.engine.numbers import Exact, Kind, exact, symbols
from tdcert.theory.errors import InputError

Shape = str | int | tuple[str | int, ...]
"""``"d"``: as long as φ; a whole number (1: a number, no array); the name of an option: as long as it, or as it says;
a tuple of these: an array.
"""


@dataclass(frozen=True)
class Slot:
    """A named array among the parameters or the memory: ``shape`` () for a number."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def entries(self) -> list[str]:
        """The names of its numbers."""
        if self.shape == ():
            return [self.name]
        return [f"{self.name}[{', '.join(map(str, index))}]" for index in np.ndindex(*self.shape)]


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An update as it was declared by :func:`algorithm`; called, it is the function."""

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, Shape]
    memory: Mapping[str, Shape]
    steps: tuple[str, ...]
    options: Mapping[str, Any]
    defaults: Mapping[str, Any]

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.function(*arguments, **options)

    @property
    def description(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def place(self, line: int | None = None) -> str:
        """Its file and a line of it, the first unless another is given."""
        code = self.function.__code__
        return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"

    def with_options(self, **options: Any) -> Algorithm:
        """The same with these options. Raises :class:`InputError` for one that it does not have."""
        for name in options:
            if name not in self.options:
                has = f"it has {', '.join(self.options)}" if self.options else "it has none"
                raise InputError(f"the algorithm '{self.name}' has no option '{name}'; {has}")
        return replace(self, options={**self.options, **options})

    def slots(self, d: int) -> tuple[list[Slot], list[Slot]]:
        """Parameters and memory for features of length ``d``."""
        return (
            [Slot(name, self._shape(name, shape, d)) for name, shape in self.parameters.items()],
            [Slot(name, self._shape(name, shape, d)) for name, shape in self.memory.items()],
        )

    def _shape(self, name: str, shape: Shape, d: int) -> tuple[int, ...]:
        if shape == 1:
            return ()
        found = []
        for part in shape if isinstance(shape, tuple) else (shape,):
            size: Any = d if part == "d" else part
            if isinstance(size, str):
                if size not in self.options:
                    raise InputError(
                        f"the shape of '{name}' in the algorithm '{self.name}' names '{size}'; give \"d\", a whole "
                        "number, or an option"
                    )
                size = self.options[size]
            size = len(size) if isinstance(size, Sequence) else size
            if not isinstance(size, int) or isinstance(size, bool) or size < 0:
                raise InputError(
                    f"the shape of '{name}' in the algorithm '{self.name}' is {shape!r}; give \"d\", a whole number, "
                    "an option that is one or that has a length, or a tuple of these"
                )
            found.append(size)
        return tuple(found)

    def exact_options(self) -> dict[str, Any]:
        """The options as exact numbers: a float counts as the decimal it prints; whole numbers may be indices."""
        return {name: _exact_option(value) for name, value in self.options.items()}

    def symbols(self, d: int, mark: str = "", given: Sequence[str] = ()) -> list[Exact]:
        """One for each parameter, entry of the memory, step size, and number of the transition that is ``given`` by its
        name, in this order. ``mark`` is added to each name: symbols with other marks cannot be computed with together.
        """
        parameters, memory = self.slots(d)
        named = [(entry, Kind.PARAMETER) for slot in parameters for entry in slot.entries]
        named += [(entry, Kind.MEMORY) for slot in memory for entry in slot.entries]
        named += [(step, Kind.STEP) for step in self.steps] + [(name, Kind.GIVEN) for name in given]
        return symbols([(name + mark, kind) for name, kind in named])


def failure(error: BaseException, d: int, instead: str = "mend it") -> tuple[str, str]:
    """What an update that raised ``error`` on features of length ``d`` does, and what to do instead."""
    said = str(error).partition("\n")[0] or "without a message"
    if isinstance(error, ValueError) and ("mismatch" in said or "broadcast" in said):
        fit = f'features have length {d} on this model, and so has every "d" and every option that meets one'
        return "combines arrays whose lengths do not fit", fit
    return f"fails ({type(error).__name__}: {said})", instead


def _exact_option(value: Any) -> Any:
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_exact_option(x) for x in value)
    if isinstance(value, bool | int | str):
        return value
    found = exact(value)
    return value if found is None else found


def algorithm(
    *given: Any,
    parameters: Mapping[str, Shape] | None = None,
    memory: Mapping[str, Shape] | None = None,
    steps: Sequence[str] = ("alpha",),
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Declares a function as an update: see docs/your_own_algorithm.md.

    ``parameters``: names and shapes of what is learnt; ``memory``: of what is carried from step to step and starts at
    zero; ``steps``: the step sizes, from the slow time scale to the fast one. Raises :class:`InputError` where the
    arguments of the function are others, and where it is used without ``(parameters=…)``.
    """
    if given or parameters is None:
        raise InputError('tdcert.algorithm takes keywords alone; write @tdcert.algorithm(parameters={"theta": "d"})')
    declared: Mapping[str, Shape] = parameters
    memory = memory or {}

    def declare(function: Callable[..., Any]) -> Algorithm:
        name = getattr(function, "__name__", "")
        if not inspect.isfunction(function):
            raise InputError("@algorithm was put on something that is not a plain function; put it on a def")
        signature = inspect.signature(function).parameters.values()
        positional = [p.name for p in signature if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        expected = ["t", *declared, *memory, *steps]
        if not declared or not steps:
            raise InputError(f"the algorithm '{name}' needs at least one parameter and one step size")
        if len(set(expected)) != len(expected):
            raise InputError(f"the algorithm '{name}' declares a name twice: {', '.join(expected)}")
        if len(positional) != len(expected) or positional[1:] != expected[1:]:
            raise InputError(
                f"the function '{name}' takes ({', '.join(positional)}); from what is declared it should take "
                f"({', '.join(expected)}), and options behind a star"
            )
        options = {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}
        missing = next((option for option, value in options.items() if value is inspect.Parameter.empty), None)
        if missing:
            raise InputError(f"the option '{missing}' of the function '{name}' has no value; give it one")
        return Algorithm(name, function, dict(declared), dict(memory), tuple(steps), options, options)

    return declare
