"""Runs of a declared update: the user's function itself, on floats, all runs side by side.

Where it branches, and not all runs go the same way, they are taken apart: first those with one answer, then the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.kernels.records import DIVERGED
from tdcert.sims.streams import generator
from tdcert.sims.trajectories import AliasTable, Sampler
from tdcert.sims.updates.lanes import UNIT, Array, DependsOnRun, Lanes
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm, failure
from tdcert.theory.engine.numbers import Exact
from tdcert.theory.engine.outcomes import nothing_before
from tdcert.theory.engine.transition import Transition
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model

COVER = 1 + 2.0**-20
"""Covers the roundings of an error bound itself, a sum of non-negative terms."""


@dataclass(frozen=True)
class Runs:
    """The parameters in the end, (runs, D), and bounds on their rounding, None where it was not followed."""

    parameters: Array
    rounding: Array | None


class UpdateRuns:
    """Runs of an algorithm on a model, s_0 ~ ``start``.

    ``ratios``: of each step size to the first; ``followed``: whether rounding is bounded.
    """

    def __init__(
        self,
        model: Model,
        algorithm: Algorithm,
        ratios: Sequence[Fraction],
        start: Sequence[Fraction],
        *,
        followed: bool = False,
        interest: Sequence[Fraction] | None = None,
    ) -> None:
        self.model, self.algorithm, self.ratios, self.followed = model, algorithm, ratios, followed
        if model.sampling is not None and algorithm.memory:
            raise InputError(nothing_before(algorithm.name))
        self.sampler = Sampler.of_updates(model, start)
        self.parameters, self.memory = algorithm.slots(model.d)
        self.emptied = algorithm.emptied_slots(model.d)
        self.options = {name: _fractions(value) for name, value in algorithm.exact_options().items()}
        self.lambdas = np.array([float(x) for x in model.lambda_by_state or ()])
        self.interest = np.array([float(x) for x in interest or model.interest or [Fraction(1)] * model.n])
        self.expected = (model.target_kernel.P @ model.features).to_float().T
        self.pi, self.mu = model.target.to_float(), model.behaviour.to_float()

    def run(
        self, steps: Sequence[float] | Array, runs: int, seed: int, name: str, y0: Sequence[float] | None = None
    ) -> Runs:
        """``steps``: α_0, α_1, …, as many updates; ``name``: of the random stream. Starts from ``y0`` (zeros).

        Raises :class:`InputError` where the function fails on floats, or leaves their range.
        """
        held = deque(self._walked(steps, runs, seed, name, y0), maxlen=1).pop()
        value = self._flat(held)
        if not np.isfinite(value).all():
            raise InputError(f"runs of '{self.algorithm.name}' leave the range of floats; give smaller steps")
        if not self.followed:
            return Runs(value, None)
        learnt = held[: len(self.parameters)]
        errors = [np.broadcast_to(x.error, x.value.shape) for x in learnt if x.error is not None]
        return Runs(value, COVER * np.concatenate([e.reshape(-1, runs) for e in errors]).T)

    def path(
        self, steps: Sequence[float] | Array, runs: int, seed: int, name: str, y0: Sequence[float] | None = None
    ) -> Iterator[Array]:
        """The parameters (runs, D) before the first update and after each, as :meth:`run`; what overflows stays so."""
        return map(self._flat, self._walked(steps, runs, seed, name, y0))

    def at_times(
        self, sizes: Array, times: Sequence[int], runs: int, seed: int, name: str, y0: Sequence[float] | None = None
    ) -> tuple[Iterator[tuple[int, Array]], NDArray[np.int64]]:
        """The parameters (runs, D) at each of these times, which increase, and the update at which each run passed
        :data:`DIVERGED`, −1 where it did not, known once all times were taken. ``sizes``: as ``steps`` of :meth:`run`.
        """
        gone_at = np.full(runs, -1, dtype=np.int64)

        def drawn() -> Iterator[tuple[int, Array]]:
            with np.errstate(over="ignore", invalid="ignore"):
                for t, y in enumerate(self.path(sizes, runs, seed, name, y0)):
                    gone_at[~(np.abs(y).max(axis=1) <= DIVERGED) & (gone_at < 0)] = t
                    if t in times:
                        yield t, y

        return drawn(), gone_at

    def _flat(self, held: list[Lanes]) -> Array:
        learnt = held[: len(self.parameters)]
        return np.concatenate([x.value.reshape(-1, x.value.shape[-1]) for x in learnt]).T

    def _walked(
        self, steps: Sequence[float] | Array, runs: int, seed: int, name: str, y0: Sequence[float] | None
    ) -> Iterator[list[Lanes]]:
        words = generator(seed, name)
        held = self._first(runs, y0)
        yield held
        s = _drawn(self.sampler.start, np.zeros(runs, dtype=np.int64), words)
        independent = self.sampler.drawn is not None
        before: dict[str, Array] = {"discount": np.zeros(runs), "rho": np.ones(runs)}
        for k, alpha in enumerate(steps):
            outcome = _drawn(self.sampler.steps, s, words)
            left, after = self.sampler.ends(s, outcome)
            seen: dict[str, NDArray[Any]] = {
                "row": s,
                "state": left,
                "outcome": outcome,
                "after": after,
                "discount_before": before["discount"],
                "rho_before": before["rho"],
            }
            held = self._advanced(held, seen, k == 0 or independent, alpha)
            yield held
            if not independent:  # else each transition is the first one
                before = {"discount": self.sampler.discounts[s, outcome], "rho": self.sampler.rho[s, outcome]}
            s = self.sampler.next_states[s, outcome]

    def _first(self, runs: int, y0: Sequence[float] | None) -> list[Lanes]:
        held, at = [], 0
        start = np.zeros(sum(x.size for x in self.parameters)) if y0 is None else np.asarray(y0, dtype=np.float64)
        for k, slot in enumerate((*self.parameters, *self.memory)):
            one = np.zeros(slot.size)
            if k < len(self.parameters):
                one, at = start[at : at + slot.size], at + slot.size
            value = np.repeat(one.reshape(slot.shape)[..., None], runs, axis=-1)
            held.append(self._exactly(value))
        return held

    def _exactly(self, value: Array) -> Lanes:
        return Lanes(value, np.zeros_like(value) if self.followed else None)

    def _rounded(self, value: Array) -> Lanes:
        """A rational that was rounded once."""
        return Lanes(value, UNIT * np.abs(value) if self.followed else None)

    def _advanced(self, held: list[Lanes], seen: dict[str, NDArray[Any]], first: bool, alpha: float) -> list[Lanes]:
        try:
            return self._updated(held, seen, first, alpha)
        except DependsOnRun as runs:
            parts = [runs.which, ~runs.which]
        new = [Lanes(x.value.copy(), None if x.error is None else x.error.copy()) for x in held]
        for which in parts:
            here = {name: values[which] for name, values in seen.items()}
            found = self._advanced([_of_runs(x, which) for x in held], here, first, alpha)
            for whole, part in zip(new, found, strict=True):
                whole.value[..., which] = part.value
                if whole.error is not None:
                    whole.error[..., which] = part.error
        return new

    def _updated(self, held: list[Lanes], seen: dict[str, NDArray[Any]], first: bool, alpha: float) -> list[Lanes]:
        """One update. Raises :class:`DependsOnRun` where the function branches, and not all runs go the same way."""
        s, after, here = seen["state"], seen["after"], (seen["row"], seen["outcome"])
        a = self.sampler.actions[here]
        Phi = self.sampler.Phi.T
        t = Transition(
            state=self._exactly(s.astype(np.float64)),  # type: ignore[arg-type]
            action=self._exactly(a.astype(np.float64)),  # type: ignore[arg-type]
            next_state=self._exactly(after.astype(np.float64)),  # type: ignore[arg-type]
            phi=self._rounded(Phi[:, s]),
            phi_next=self._rounded(Phi[:, after]),
            reward=self._rounded(self.sampler.rewards[here]),
            discount=self._rounded(self.sampler.discounts[here]),
            rho=self._rounded(self.sampler.rho[here]),
            pi=self._rounded(self.pi[s, a]),
            mu=self._rounded(self.mu[s, a]),
            interest=self._rounded(self.interest[s]),
            expected_phi_next=self._rounded(self.expected[:, s]),
            before={
                "discount_before": self._rounded(seen["discount_before"]),
                "rho_before": self._rounded(seen["rho_before"]),
                "first": first,
            },
            lam=self._rounded(self.lambdas[s]) if self.algorithm.by_state else None,
            lam_next=self._rounded(self.lambdas[after]) if self.algorithm.by_state else None,
        )
        steps = [self._exactly(np.array([alpha]))]
        for ratio in self.ratios[1:]:
            beta = np.array([float(ratio) * alpha])
            steps.append(Lanes(beta, 3 * UNIT * np.abs(beta) if self.followed else None))
        try:
            empty = [self._exactly(np.zeros((*slot.shape, len(s)))) for slot in self.emptied]
            returned = self.algorithm.applied(t, held, empty, steps, self.options)
        except DependsOnRun:
            raise
        except Exception as error:
            does, instead = failure(error, self.model.d, "use + − · / @, indices, min and max")
            raise InputError(f"the update '{self.algorithm.name}', run on floats, {does}; {instead}") from None
        parts = returned if isinstance(returned, tuple) else (returned,)
        return [
            self._stacked(part, slot.shape, len(s))
            for slot, part in zip((*self.parameters, *self.memory), parts, strict=True)
        ]

    def _stacked(self, part: Any, shape: tuple[int, ...], runs: int) -> Lanes:
        """A returned array, or a list of them, as lanes of a shape."""
        if isinstance(part, list | tuple):
            rows = [self._stacked(row, shape[1:], runs) for row in part]
            if not rows:
                return self._exactly(np.zeros((*shape, runs)))
            errors = [row.error for row in rows if row.error is not None]
            return Lanes(np.stack([row.value for row in rows]), np.stack(errors) if errors else None)
        if not isinstance(part, Lanes):
            part = self._rounded(np.asarray(part, dtype=np.float64)[..., None])
        value = np.broadcast_to(part.value, (*shape, runs))
        return Lanes(value, None if part.error is None else np.broadcast_to(part.error, value.shape))


def _fractions(option: Any) -> Any:
    """An option whose numbers floats can meet: the same, as fractions."""
    if isinstance(option, tuple):
        return tuple(map(_fractions, option))
    return to_fraction(option.constant) if isinstance(option, Exact) and option.constant is not None else option


def _drawn(table: AliasTable, row: NDArray[np.int64], words: np.random.Generator) -> NDArray[np.int64]:
    """One outcome for each row number: :meth:`AliasTable.outcome`, side by side."""
    word = words.integers(0, 2**64, dtype=np.uint64, size=len(row))
    shift = np.uint64(64 - table.bits)
    column = (word >> shift).astype(np.int64)
    rest = word & np.uint64((1 << (64 - table.bits)) - 1)
    return np.where(rest < table.keep[row, column], column, table.alias[row, column])


def _of_runs(x: Lanes, runs: NDArray[np.bool_]) -> Lanes:
    """Only these runs."""
    return Lanes(x.value[..., runs], None if x.error is None else x.error[..., runs])
