"""What may happen next in each context of an update: along a path, or with transitions that are drawn independently.

Along a path the next context is of the state that the transition leads to. Where transitions are drawn independently
there is one context: each transition (s, a, s') has the probability D(s) μ(a|s) P_a(s, s') whatever came before, D the
sampling law. The update then is a random map, drawn anew at every time, and all that is asked of chains of contexts is
asked of a chain of one node whose moves are the transitions. What came before a transition does not belong to it: an
update's memory is empty before each (:meth:`~tdcert.theory.engine.declare.Algorithm.emptying`), and it is told that
each is the first.

Source: Kolter, NeurIPS 2011, whose D is any law; Lakshminarayanan and Szepesvári, AISTATS 2018, whose data are such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.laws.windows import StepOutcome, state_outcomes
from tdcert.theory.model.mdp import Model

DRAWN = -1
"""In the place of the state of a context where transitions are drawn independently."""


def nothing_before(name: str) -> str:
    """Why an update with a memory is refused."""
    return (
        f"the update '{name}' keeps a memory, and transitions that are drawn independently have nothing before them; "
        "give it with an empty one, as its emptying() returns it"
    )


class Outcomes:
    """The transitions out of each context, by its state, or by :data:`DRAWN`.

    Raises :class:`InputError` for an update with a memory where transitions are drawn independently.
    """

    def __init__(self, model: Model, algorithm: Algorithm) -> None:
        self.by_state, self.law = state_outcomes(model, importance=True), model.sampling
        if self.independent and algorithm.memory:
            raise InputError(nothing_before(algorithm.name))
        weights = [Fraction(0)] * model.n if self.law is None else self.law.column_entries()
        self.drawn = [
            replace(outcome, probability=weight * outcome.probability)
            for weight, outcomes in zip(weights, self.by_state, strict=True)
            for outcome in outcomes
            if weight
        ]

    @property
    def independent(self) -> bool:
        """Whether there is one context."""
        return self.law is not None

    def first(self, states: Sequence[int]) -> Sequence[int]:
        """These states, or :data:`DRAWN` in their place."""
        return [DRAWN] if self.independent else states

    def __getitem__(self, state: int) -> list[StepOutcome]:
        return self.drawn if state == DRAWN else self.by_state[state]
