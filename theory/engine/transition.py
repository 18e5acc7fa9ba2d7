"""What an update sees of one transition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tdcert.theory.engine.numbers import Refusal

BEFORE = ("discount_before", "rho_before", "first")
"""What belongs to the transition before; an update that does not read them has a smaller chain."""


BY_STATE = ("lam", "lam_next")
"""λ of the state and of the next one, where the model's λ is given by state; an update has them as its option for λ."""
LOOKED_UP = {"state": "the state", "action": "the action", "next_state": "the next state"}
"""Numbers by which an update may look something up; what they are called."""
INSTEAD = {
    "window": "keep in the memory what the update needs of earlier transitions",
    **dict.fromkeys(
        ("next_action", "action_next"), "ask about tdcert.state_action(model), where phi_next is that of the next pair"
    ),
}
"""What would do, for what others offer under these names."""


class ReadsBefore(BaseException):
    """An update reads a field of the transition before that is not given yet."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


@dataclass(frozen=True)
class Transition:
    """A transition from ``state`` with ``action`` to ``next_state``.

    ``phi``, ``phi_next``: the features (d) of both states, not to be written to. ``reward``; ``discount``: Γ of this
    transition; ``pi``, ``mu``: the probabilities of the action under target and behaviour policy, ``rho`` their
    quotient; ``interest`` of the state; ``expected_phi_next``: Σ_a π(a|s) Σ_s' P_a(s, s') φ(s') (d). Of the transition
    before, read as attributes: ``discount_before`` (0 at the start), ``rho_before`` (1 at the start), and ``first``,
    whether there was none. ``lam``, ``lam_next``: λ of the state and of the next one where λ is given by state, else
    None.
    """

    state: int
    action: int
    next_state: int
    phi: Any
    phi_next: Any
    reward: Any
    discount: Any
    rho: Any
    pi: Any
    mu: Any
    interest: Any
    expected_phi_next: Any
    before: Mapping[str, Any]
    lam: Any = None
    lam_next: Any = None

    def at_next(self, lam: Any) -> Any:
        """An option that is λ, at the next state: λ of that state where λ is given by state, else the option itself."""
        return self.lam_next if lam is not None and lam is self.lam else lam

    def without(self, names: Iterable[str]) -> Transition:
        """Deletes these attributes of :data:`LOOKED_UP` and returns the transition, which now stands for several.

        Reading a deleted attribute raises :class:`Refusal`.
        """
        for name in names:
            object.__delattr__(self, name)
        return self

    def __getattr__(self, name: str) -> Any:
        if name in LOOKED_UP:
            raise Refusal(f"reads {LOOKED_UP[name]}", "write it without", [name])
        if name not in BEFORE:
            offered = ", ".join((*(f for f in self.__dataclass_fields__ if f not in ("before", *BY_STATE)), *BEFORE))
            raise AttributeError(f"a transition has no '{name}'; {INSTEAD.get(name, f'it has {offered}')}")
        if name not in self.before:
            raise ReadsBefore(name)
        return self.before[name]
