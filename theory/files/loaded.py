"""What a reader of models hands back: the model, and everything a user should know about how it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tdcert.theory.files.arrays import count
from tdcert.theory.model.mdp import Model


@dataclass(frozen=True)
class LoadedModel:
    """A model with its provenance.

    ``state_names``: one per state, ``s0``, ``s1``, … (for environments: the environment's own index).
    ``defaults_used``: what was not given, and is now what. ``notes``: what was recognised, corrected, merged
    or dropped. ``source``: where the model came from, as the user wrote it. ``replaced_features``: terminal states
    for which features were given, that count as zero; ``features_by_function``: they came from a function of the state.
    ``state_numbers``: of an environment or a table, the numbers that the states have in it, of ``all_states``.
    ``state_keys``: the states as the user wrote them, where they have names.
    """

    model: Model
    state_names: tuple[str, ...]
    defaults_used: list[str]
    notes: list[str]
    source: str
    replaced_features: tuple[int, ...] = ()
    features_by_function: bool = False
    state_numbers: tuple[int, ...] = ()
    all_states: int = 0
    state_keys: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        size = f"{count(self.model.n, 'state')}, {count(len(self.model.actions), 'action')}"
        return f"<LoadedModel of {self.source}: {size}, {count(self.model.d, 'feature')}>"
