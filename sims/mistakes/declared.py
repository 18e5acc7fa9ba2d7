"""Mistakes in any declared update, made from the update itself: what it sees, in which order it moves, its options.

Like the others they name what an implementation does wrong, and never decide that it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tdcert.algorithms import NAMES, named
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.declared_paths import DeclaredCase, follow, split
from tdcert.sims.conformance.path_differences import Path
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.transition import Transition

Seen = Callable[[Transition, Transition | None, float], Transition]
"""(t, the transition before, the discount inside of episodes) → what the update is shown."""
Options = Mapping[str, Any]


@dataclass(frozen=True)
class Wrong:
    """``stepper`` makes a step for one path: it may keep what came before."""

    words: str
    stepper: Callable[[DeclaredCase], Callable[..., Any]]
    settings: Callable[[Options], Options] = dict

    def path(self, case: TrialCase) -> Path:
        """The path of the update with this mistake; no numbers where it divides by zero."""
        assert isinstance(case, DeclaredCase)
        try:
            return follow(case, self.stepper(case), self.settings(case.settings))
        except ZeroDivisionError:
            return tuple(np.full_like(part, np.nan) for part in follow(case))


def _before(t: Transition, **changed: float) -> Transition:
    return replace(t, before={**t.before, **changed})


def _late(t: Transition, before: Transition | None, _: float) -> Transition:
    return replace(t, reward=before.reward if before else 0.0)


def _wrong_end(t: Transition, before: Transition | None, _: float) -> Transition:
    return _before(replace(t, discount=t.discount_before), discount_before=t.discount)


def _never_ends(t: Transition, before: Transition | None, inside: float) -> Transition:
    first = t.before["first"]
    kept = replace(t, discount=t.discount or inside)
    return kept if first else _before(kept, discount_before=t.discount_before or inside)


SEEN: tuple[tuple[str, Seen], ...] = (
    ("R_t used for R_{t+1}", _late),
    ("the reward left out", lambda t, *_: replace(t, reward=0.0)),
    ("the reward with the wrong sign", lambda t, *_: replace(t, reward=-t.reward)),
    ("γ missing: 1 used for every discount", lambda t, *_: _before(replace(t, discount=1.0), discount_before=1.0)),
    ("γ used as 0: the next state left out", lambda t, *_: replace(t, discount=0.0)),
    ("the discount of the transition before used for γ_t", lambda t, *_: replace(t, discount=t.discount_before)),
    ("γ_t used for the discount of the transition before", lambda t, *_: _before(t, discount_before=t.discount)),
    ("the discounts of this transition and of the one before exchanged", _wrong_end),
    ("the end of an episode not seen: γ used where the discount is 0", _never_ends),
    ("ρ missing: 1 used for it", lambda t, *_: _before(replace(t, rho=1.0), rho_before=1.0)),
    ("1/ρ used for ρ", lambda t, *_: replace(t, rho=1 / t.rho if t.rho else 0.0)),
    ("ρ cut at 1", lambda t, *_: replace(t, rho=min(1.0, t.rho))),
    ("ρ² used for ρ", lambda t, *_: replace(t, rho=t.rho**2)),
    ("ρ_{t−1} used for ρ_t", lambda t, *_: replace(t, rho=t.rho_before)),
    ("ρ_t used for ρ_{t−1}", lambda t, *_: _before(t, rho_before=t.rho)),
    ("μ used for π", lambda t, *_: replace(t, pi=t.mu)),
    ("π used for μ", lambda t, *_: replace(t, mu=t.pi)),
    ("ρ used for π", lambda t, *_: replace(t, pi=t.rho)),
    ("π used for ρ", lambda t, *_: replace(t, rho=t.pi)),
    ("φ_{t+1} and φ_t exchanged", lambda t, *_: replace(t, phi=t.phi_next, phi_next=t.phi)),
    ("φ_t used for φ_{t+1}", lambda t, *_: replace(t, phi_next=t.phi)),
    ("the next state's features left out", lambda t, *_: replace(t, phi_next=0 * t.phi_next)),
)


def _inside(case: DeclaredCase) -> float:
    """The discount inside of episodes."""
    kept = [x for x in case.trajectory.discounts if x != 0]
    return case.gamma or (float(kept[0]) if kept else 1.0)


BOTH, LEARNT, REMEMBERED = "", " in the update of the parameters", " in the memory"
"""Where a change is seen, in the words of the mistake."""


def _showing(change: Seen, where: str) -> Callable[[DeclaredCase], Callable[..., Any]]:
    def stepper(case: DeclaredCase) -> Callable[..., Any]:
        past: list[Transition] = []
        inside, count = _inside(case), len(case.slots[0])
        slots = (*case.slots[0], *case.slots[1])

        def step(t: Transition, *held: Any, **options: Any) -> Any:
            nonlocal inside
            inside = t.discount or inside
            shown = change(t, past[-1] if past else None, inside)
            past.append(t)
            wrong = case.algorithm.function(shown, *held, **options)
            if where == BOTH:
                return wrong
            wrong, right = split(wrong, slots), split(case.algorithm.function(t, *held, **options), slots)
            first, second = (wrong, right) if where == LEARNT else (right, wrong)
            return (*first[:count], *second[count:])

        return step

    return stepper


def mistakes(algorithm: Algorithm) -> list[Wrong]:
    """All that can be made of one update, the likeliest first."""
    wheres = (BOTH, LEARNT, REMEMBERED) if algorithm.memory else (BOTH,)
    found = [Wrong(words + where, _showing(change, where)) for where in wheres for words, change in SEEN]
    rest = (*_in_options(algorithm), *_in_steps(algorithm), *_in_order(algorithm), *_in_ratios(algorithm))
    return [*_of_others(algorithm), *found, *rest, *_in_emphasis(algorithm)]


def _right(case: DeclaredCase) -> Callable[..., Any]:
    return case.algorithm.function


def _in_options(algorithm: Algorithm) -> Iterator[Wrong]:
    changes: dict[str, Callable[[Any], Any]] = {
        "{} not used: 0 in its place": lambda x: 0,
        "1 used for {}": lambda x: 1,
        "1 − {0} used for {0}": lambda x: 1 - x,
        "{0}² used for {0}": lambda x: x * x,
    }
    for name, value in algorithm.options.items():
        if isinstance(value, tuple | list | str | bool):
            continue
        unclipped = {"no clipping: {} not used": lambda x: float("inf")} if name.startswith("clip") else {}
        for words, change in (changes | unclipped).items():

            def settings(options: Options, name: str = name, change: Callable[[Any], Any] = change) -> Options:
                return {**options, name: change(options[name])}

            yield Wrong(words.format(name), _right, settings)


def _arranged(change: Callable[[DeclaredCase, Any, list[Any], list[float], Options], Any]) -> Callable[..., Any]:
    """A stepper from a function of (case, t, what is held, step sizes, options)."""

    def stepper(case: DeclaredCase) -> Callable[..., Any]:
        count = sum(map(len, case.slots))

        def step(t: Transition, *given: Any, **options: Any) -> Any:
            return change(case, t, list(given[:count]), list(given[count:]), options)

        return step

    return stepper


def _moved(case: DeclaredCase, t: Any, held: list[Any], sizes: list[float], options: Options) -> list[Any]:
    return split(case.algorithm.function(t, *held, *sizes, **options), (*case.slots[0], *case.slots[1]))


def _in_steps(algorithm: Algorithm) -> Iterator[Wrong]:
    steps = algorithm.steps
    for i, name in enumerate(steps):
        for j, other in enumerate(steps):
            if i != j:

                def used(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i, j: int = j) -> Any:
                    return tuple(
                        _moved(case, t, held, [sizes[j] if k == i else x for k, x in enumerate(sizes)], options)
                    )

                yield Wrong(f"the step size {other} used for {name}", _arranged(used))
    if len(steps) == 2:

        def exchanged(case: Any, t: Any, held: Any, sizes: Any, options: Any) -> Any:
            return tuple(_moved(case, t, held, sizes[::-1], options))

        yield Wrong(f"the step sizes {steps[0]} and {steps[1]} exchanged", _arranged(exchanged))


def _in_order(algorithm: Algorithm) -> Iterator[Wrong]:
    parameters, memory = list(algorithm.parameters), list(algorithm.memory)
    count = len(parameters)
    for i, name in enumerate(parameters):

        def kept(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i) -> Any:
            new = _moved(case, t, held, sizes, options)
            return (*new[:i], held[i], *new[i + 1 :])

        def against(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i) -> Any:
            new = _moved(case, t, held, sizes, options)
            return (*new[:i], 2 * np.asarray(held[i]) - new[i], *new[i + 1 :])

        yield Wrong(f"{name} never updated", _arranged(kept))
        yield Wrong(f"{name} moved the wrong way", _arranged(against))
        for j, other in enumerate(parameters):
            if i == j:
                continue

            def eager(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i, j: int = j) -> Any:
                new = _moved(case, t, held, sizes, options)
                after = _moved(case, t, [*held[:i], new[i], *held[i + 1 :]], sizes, options)
                return (*new[:j], after[j], *new[j + 1 :])

            yield Wrong(f"{other} updated with the new {name}", _arranged(eager))
    for k, name in enumerate(memory, start=count):

        def forgotten(case: Any, t: Any, held: Any, sizes: Any, options: Any, k: int = k) -> Any:
            return tuple(_moved(case, t, [*held[:k], 0 * np.asarray(held[k]), *held[k + 1 :]], sizes, options))

        def anew(case: Any, t: Any, held: Any, sizes: Any, options: Any, forget: Any = forgotten) -> Any:
            ended = t.discount_before == 0
            return forget(case, t, held, sizes, options) if ended else tuple(_moved(case, t, held, sizes, options))

        def early(case: Any, t: Any, held: Any, sizes: Any, options: Any, k: int = k) -> Any:
            new = _moved(case, t, held, sizes, options)
            after = _moved(case, t, [*held[:k], new[k], *held[k + 1 :]], sizes, options)
            return (*after[:count], *new[count:])

        yield Wrong(f"{name} not carried on from step to step", _arranged(forgotten))
        yield Wrong(f"{name} begun anew where an episode ends", _arranged(anew))
        yield Wrong(f"the new {name} used where the one before is meant", _arranged(early))


def _in_ratios(algorithm: Algorithm) -> Iterator[Wrong]:
    """ρ on all of an update where it belongs to a part of it, and ρ_t on what is carried with ρ_{t−1}."""
    slots = [*algorithm.parameters, *algorithm.memory]
    for i, name in enumerate(slots):
        learnt = name in algorithm.parameters

        def whole(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i) -> Any:
            new, plain = (_moved(case, seen, held, sizes, options) for seen in (t, replace(t, rho=1.0)))
            return (*new[:i], held[i] + t.rho * (plain[i] - held[i]), *new[i + 1 :])

        def late(case: Any, t: Any, held: Any, sizes: Any, options: Any, i: int = i) -> Any:
            held = [*held[:i], t.rho * np.asarray(held[i]), *held[i + 1 :]]
            new, plain = (_moved(case, seen, held, sizes, options) for seen in (t, replace(t, rho=1.0)))
            return (*new[:i], plain[i], *new[i + 1 :])

        words = f"ρ on the whole update of {name}" if learnt else f"ρ_t used for ρ_{{t−1}} in {name}"
        yield Wrong(words, _arranged(whole if learnt else late))


def _in_emphasis(algorithm: Algorithm) -> Iterator[Wrong]:
    """The mistake in updates with a follow-on trace, such as emphatic TD: F_t in place of M_t = λ i_t + (1 − λ) F_t."""
    if list(algorithm.memory) != ["z", "follow_on"] or "lam" not in algorithm.options:
        return

    def follow_on(case: Any, t: Any, held: Any, sizes: Any, options: Any) -> Any:
        theta, z, _ = held
        _, _, carried = _moved(case, t, held, sizes, options)
        z = t.rho * ((held[2] + t.interest) * t.phi + options["lam"] * z)
        delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
        return theta + sizes[0] * delta * z, t.discount * z, carried

    yield Wrong("F_t used for the emphasis M_t = λ i_t + (1 − λ) F_t", _arranged(follow_on))


def _of_others(algorithm: Algorithm) -> Iterator[Wrong]:
    """The updates that ship for the same parameters, with the options that both have."""
    for name in NAMES:
        other = named(name)
        same = dict(other.parameters) == dict(algorithm.parameters) and other.steps == algorithm.steps
        if not same or other.function is algorithm.function:
            continue

        def stepper(case: DeclaredCase, other: Algorithm = other) -> Callable[..., Any]:
            shared = {key: value for key, value in case.settings.items() if key in other.options}
            if len(algorithm.schedule) == 1:
                lam = case.settings[algorithm.schedule[0]]
                held = (lam,) if len(other.schedule) == 1 else ((), (lam,))
                shared |= dict(zip(other.schedule, held, strict=False))
            theirs = other.with_options(**shared)
            options = {key: x if isinstance(x, tuple | int) else float(x) for key, x in theirs.options.items()}
            parameters, memory = theirs.slots(case.model.d)
            count, last = len(parameters), len(theirs.steps)
            carried: list[Any] = []

            def step(t: Transition, *given: Any, **_: Any) -> Any:
                if t.before["first"]:
                    carried[:] = [np.zeros(slot.shape) if slot.shape else 0.0 for slot in memory]
                returned = theirs.function(t, *given[:count], *carried, *given[len(given) - last :], **options)
                new = split(returned, (*parameters, *memory))
                carried[:] = [x if x.shape else float(x) for x in new[count:]]
                return (*new[:count], *given[count : len(given) - last])

            return step

        yield Wrong(f"the update of {name} (if that is meant, try --algorithm {name})", stepper)
