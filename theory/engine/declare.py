"""What a user declares: an update as one function, with the shapes of what it changes.

.. code-block:: python

    @algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",), schedule="lam")
    def td(t, theta, z, alpha, *, lam=0):
        z = t.discount_before * lam * z + t.phi
        delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
        return theta + alpha * delta * z, z

The function takes the transition ``t``, the parameters, the memory and the step sizes, in the order in which they are
declared, and returns the new parameters and the new memory in that order. What stands behind the star are options; they
have the values that are written there, but for those that ``schedule`` names, which are the model's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from importlib import import_module
from math import prod
from operator import attrgetter
from pathlib import Path
from traceback import walk_tb
from typing import Any

import numpy as np

from tdcert.theory.engine.numbers import Exact, Kind, exact, symbols
from tdcert.theory.errors import InputError

OF_THE_STATE = "by_state"
"""In the place of a λ that the model's schedule gives by state."""
Shape = str | int | tuple[str | int, ...]
"""``"d"``: as long as φ; a whole number (1: a number, no array); the name of an option: as long as it, or as it says;
a tuple of these: an array.
"""


class Estimate(StrEnum):
    """What the predictions φᵀθ of an update are to be, by which its error is measured."""

    DISCOUNTED = "discounted value"
    CENTRED = "discounted value up to a constant"
    DIFFERENTIAL = "differential value"
    DISTRIBUTION = "value distribution"
    OTHER = "something else"

    @property
    def up_to_a_constant(self) -> bool:
        """Whether predictions that differ by a constant are as good."""
        return self in (Estimate.CENTRED, Estimate.DIFFERENTIAL)


@dataclass(frozen=True)
class Slot:
    """A named array among the parameters or the memory: ``shape`` () for a number."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers the slot holds."""
        return prod(self.shape)

    @property
    def entries(self) -> list[str]:
        """The names of its numbers."""
        if self.shape == ():
            return [self.name]
        return [f"{self.name}[{', '.join(map(str, index))}]" for index in np.ndindex(*self.shape)]


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An update as it was declared by :func:`algorithm`; called, it is the function.

    ``schedule``: the options that hold the model's schedule, unless they are among those that were ``given``.
    ``emptied``: memory that is empty before every transition (:meth:`emptying`), and so none of the ``memory``.
    ``two_scales``: whether it is meant for a first step size that is much smaller than the later ones.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    parameters: Mapping[str, Shape]
    memory: Mapping[str, Shape]
    steps: tuple[str, ...]
    options: Mapping[str, Any]
    defaults: Mapping[str, Any]
    schedule: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    estimates: Estimate = Estimate.DISCOUNTED
    emptied: Mapping[str, Shape] = field(default_factory=dict)
    two_scales: bool = False

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.function(*arguments, **options)

    def applied(
        self, t: Any, held: Sequence[Any], empty: Sequence[Any], sizes: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """What the function returns, without what it leaves in a memory that is emptied. ``held``: parameters and
        memory; ``empty``: zeros in the place of that memory (:meth:`emptied_slots`); ``sizes``: the steps.
        """
        returned = self.function(t, *held, *empty, *sizes, **self._at(t, options))
        whole = isinstance(returned, tuple) and len(returned) == len(held) + len(empty)
        return returned[: len(held)] if empty and whole else returned  # what is wrong with it is for others to say

    @property
    def by_state(self) -> bool:
        """Whether it takes λ by state."""
        return any(_of_the_state(x) for name in self.schedule for x in _all_of(self.options[name]))

    def _at(self, t: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options at a transition: λ of its state where λ is given by state."""
        if not self.by_state:
            return options
        held = {name: options[name] for name in self.schedule}
        return {
            **options,
            **{
                name: tuple(t.lam if _of_the_state(x) else x for x in value)
                if isinstance(value, tuple)
                else (t.lam if _of_the_state(value) else value)
                for name, value in held.items()
            },
        }

    def emptying(self) -> Algorithm:
        """The update with a memory that is empty before every transition, as where transitions are drawn independently:
        each is then the first one of a run of its own, and what it leaves in the memory is not looked at.
        """
        return self if not self.memory else replace(self, memory={}, emptied=dict(self.memory))

    def __reduce__(self) -> tuple[Callable[..., Algorithm], tuple[Any, ...]]:
        """Pickled by where its function is, as a function is; the decorator stands in its place there."""
        where = self.function.__module__, self.function.__qualname__
        return _again, (*where, dict(self.options), self.given, bool(self.emptied))

    @property
    def description(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def place(self, line: int | None = None) -> str:
        """Its file and a line of it, the first unless another is given."""
        code = self.function.__code__
        return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"

    def with_options(self, **options: Any) -> Algorithm:
        """A copy of the algorithm with these options. Raises :class:`InputError` for one that it does not have."""
        for name in options:
            if name not in self.options:
                has = f"it has {', '.join(self.options)}" if self.options else "it has none"
                raise InputError(f"the algorithm '{self.name}' has no option '{name}'; {has}")
        return replace(self, options={**self.options, **options}, given=self.given | options.keys())

    def called(self, options: Iterable[str]) -> str:
        """Its name with these of its options, as a command line gives them."""
        words = ",".join(f"{name}={in_words(self.options[name])}" for name in options)
        return f"{self.name}[{words}]" if words else self.name

    def slots(self, d: int) -> tuple[list[Slot], list[Slot]]:
        """Parameters and memory for features of length ``d``."""
        return (
            [Slot(name, self._shape(name, shape, d)) for name, shape in self.parameters.items()],
            [Slot(name, self._shape(name, shape, d)) for name, shape in self.memory.items()],
        )

    def emptied_slots(self, d: int) -> list[Slot]:
        """The memory that is emptied, for features of length ``d``."""
        return [Slot(name, self._shape(name, shape, d)) for name, shape in self.emptied.items()]

    def width(self, d: int) -> int:
        """How many parameters there are for features of length ``d``."""
        return sum(slot.size for slot in self.slots(d)[0])

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

    def exact_options(self) -> dict[str, object]:
        """The options as exact numbers: a float counts as the decimal it prints; whole numbers may be indices."""
        return {name: _exact_option(value) for name, value in self.options.items()}

    def holding(self, lambdas: Sequence[object], tail: Sequence[object]) -> dict[str, object]:
        """The options that hold a λ-schedule, λ_1, …, λ_L and then ``tail`` (one number, or none for zero), where they
        are declared: two options, or one that holds the λ after all others.
        """
        one_only = tail[0] if tail else Fraction(0)
        held = (one_only,) if len(self.schedule) == 1 else (tuple(lambdas), tuple(tail))
        return dict(zip(self.schedule, held, strict=True)) if self.schedule else {}

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


def _all_of(option: Any) -> Sequence[Any]:
    return option if isinstance(option, tuple | list) else (option,)


def _of_the_state(option: Any) -> bool:
    return isinstance(option, str) and option == OF_THE_STATE


def _again(
    module: str, name: str, options: Mapping[str, Any], given: frozenset[str], emptied: bool = False
) -> Algorithm:
    declared: Algorithm = attrgetter(name)(import_module(module))
    found = replace(declared, options=options, given=given)
    return found.emptying() if emptied else found


def in_words(option: Any) -> str:
    """The value of an option, several numbers with colons between them."""
    return (":".join(map(str, option)) or "()") if isinstance(option, tuple | list) else str(option)


def refused(algorithm: Algorithm, error: BaseException | None, does: str, instead: str) -> InputError:
    """The sentence about what an update ``does``, with the line of it that ``error`` came from."""
    file, lines = algorithm.function.__code__.co_filename, list[int | None]([None])
    if error is not None:
        lines += [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return InputError(f"the update '{algorithm.name}' {does} ({algorithm.place(lines[-1])}); {instead}")


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
    schedule: str | Sequence[str] = (),
    estimates: str = Estimate.DISCOUNTED,
    two_scales: bool = False,
) -> Callable[[Callable[..., Any]], Algorithm]:
    """Declares a function as an update: see docs/your_own_algorithm.md.

    ``parameters``: names and shapes of what is learnt; ``memory``: of what is carried from step to step and starts at
    zero; ``steps``: the step sizes, from the slow time scale to the fast one; ``schedule``: the option that is λ of the
    model's schedule, or a pair of options, for λ_1 … λ_L and for what follows (λ in a tuple, or none); ``estimates``:
    what predictions are held against, one of :class:`Estimate`; ``two_scales``: the first step size is meant to be much
    smaller than the later ones, so that answers are about that limit. What no model gives is as the function says.
    Raises :class:`InputError` where the arguments of the function are others, and where it is used without
    ``(parameters=…)``.
    """
    if given or parameters is None:
        raise InputError('tdcert.algorithm takes keywords alone; write @tdcert.algorithm(parameters={"theta": "d"})')
    if estimates not in list(Estimate):
        known = ", ".join(f"'{one}'" for one in Estimate)
        raise InputError(f"an algorithm is declared to estimate {estimates!r}; give one of {known}")
    if two_scales and len(steps) == 1:
        raise InputError("two time scales are declared of one step size; give two, or leave two_scales out")
    declared: Mapping[str, Shape] = parameters
    memory = memory or {}
    of_schedule = (schedule,) if isinstance(schedule, str) else tuple(schedule)

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
        if len(of_schedule) > 2 or not set(of_schedule) <= set(options):
            has = f"it has the options {', '.join(options)}" if options else "it has no options"
            raise InputError(
                f"the function '{name}' is declared with schedule={schedule!r}; name the option that is λ, or two that "
                f"are λ_1 … λ_L and what follows: {has}"
            )
        return Algorithm(
            name,
            function,
            dict(declared),
            dict(memory),
            tuple(steps),
            options,
            options,
            of_schedule,
            estimates=Estimate(estimates),
            two_scales=two_scales,
        )

    return declare


def ratios_of(update: Algorithm, eta: Fraction | float) -> tuple[Fraction, ...]:
    """The ratios of the update's step sizes to the first one: 1, then η for each later one."""
    return Fraction(1), *[Fraction(eta)] * (len(update.steps) - 1)
