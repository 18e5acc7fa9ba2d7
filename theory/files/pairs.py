"""Features of pairs of state and action, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import kind_of, tree
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.model.mdp import Model


def pair_rows(features: Any, loaded: LoadedModel) -> list[Sequence[Any]]:
    """A row for each pair (s, a) at s·m + a, from an array or a function of the two.

    A function is asked about the states by their names where they have some, else by the numbers that ``loaded`` names
    (an environment's own), and about actions by their numbers; in terminal states, which are left with discount 0
    whatever the action, its rows count as zero.
    Raises :class:`InputError`.
    """
    model = loaded.model
    m, numbers = len(model.actions), loaded.state_numbers or tuple(range(model.n))
    if not callable(features):
        found = tree(features, "features")
        if len(found.shape or ()) != 2:
            raise InputError(
                f"features is {kind_of(features)}; give (S·A, k), a row for each pair, or a function of (s, a)"
            )
        if found.shape[0] == loaded.all_states * m:  # dropped states too
            return [found.values[s * m + a] for s in numbers for a in range(m)]
        return list(found.values)
    found = tree([[_asked(features, s, a) for a in range(m)] for s in loaded.state_keys or numbers], "features")
    if len(found.shape) != 3:
        raise InputError("the function given as features gives numbers; give a list of numbers for each (s, a)")
    zero = [0] * found.shape[2]
    return [zero if _ends(model, s) else row for s, rows in enumerate(found.values) for row in rows]


def _ends(model: Model, s: int) -> bool:
    """Whether a state is left with reward 0 and discount 0 whatever the action, as terminal states are."""
    return all(x == 0 for by_action in (model.rewards, model.discounts) for given in by_action for x in given.rows[s])


def _asked(function: Any, s: Any, a: int) -> Any:
    try:
        return function(s, a)
    except Exception as error:  # the user's own function may raise anything
        raise InputError(
            f"the function given as features fails in state {s}, action {a}: {type(error).__name__} ({one_line(error)})"
        ) from error
