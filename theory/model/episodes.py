r"""Episodes: what a terminal state means, in every reader of models.

A terminal state stays a state. Its value is zero by definition, so its feature vector is zero, and tabular features
have no column for it. It is left by a restart, whatever the action: to the law of the first states, with reward 0 and
discount 0. The step into it keeps its discount; its target is

    r + γ φ(s′)ᵀθ = r,   the target r + γ V(s′)(1 − terminated) of the usual training loop,

and the step out of it changes no θ in TD: δ = 0. The law of the other states is that of the loop up to one factor, so
Aθ + b is the mean of the loop's update times that factor, and the fixed points are the same
(Sutton and Barto 2018, §3.4: episodes and continuing tasks in one notation).

A time limit is not a termination: a loop that is cut off there bootstraps from the last state, which is not terminal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel


def tabular_rows(n: int, terminal: Collection[int]) -> list[list[int]]:
    """One column for each state that is not terminal (n rows)."""
    kept = [s for s in range(n) if s not in terminal]
    return [[int(s == k) for k in kept] for s in range(n)]


def zero_at_the_ends(rows: Sequence[Sequence[Any]], terminal: Iterable[int]) -> tuple[list[Sequence[Any]], list[int]]:
    """Rows of features with zeros at the terminal states, and the terminal states whose row was not zero."""
    made, replaced = list(rows), []
    for s in terminal:
        if any(x != 0 for x in rows[s]):
            made[s] = [0] * len(rows[s])
            replaced.append(s)
    return made, replaced


def said_of_ends(terminal: Sequence[int], replaced: Sequence[int], names: Sequence[str] | None = None) -> list[str]:
    """What a user is told of the terminal states, and of those whose features were ``replaced``, by their numbers or
    ``names``.
    """
    if not terminal:
        return []
    some = "1 terminal state" if len(terminal) == 1 else f"{len(terminal)} terminal states"
    said = [
        f"leaving {some} is a restart with discount 0: {named_states(terminal, names)}; value and feature vector are "
        "zero there by definition, and tabular features have no column"
    ]
    if replaced:
        said.append(
            f"features were given for terminal states, and are replaced by zero: {named_states(replaced, names)}"
        )
    return said


def named_states(states: Sequence[int], names: Sequence[str] | None = None) -> str:
    """``s1, s2, s5–s9``: runs of three and more are shortened; or the ``names`` of these states."""
    if names is not None:
        return ", ".join(names[s] for s in states)
    runs: list[list[int]] = []
    for state in states:
        if runs and runs[-1][-1] == state - 1:
            runs[-1].append(state)
        else:
            runs.append([state])
    return ", ".join(
        f"s{run[0]}–s{run[-1]}" if len(run) > 2 else ", ".join(f"s{state}" for state in run) for run in runs
    )


def require_restart(name: str, into: Collection[int], rewards: Collection[object], terminal: Collection[int]) -> None:
    """Raises :class:`InputError` unless leaving the terminal state called ``name`` is a restart.

    ``into``: the states its row leads to; ``rewards``: those on leaving it.
    """
    if any(reward != 0 for reward in rewards):
        raise InputError(
            f"leaving the terminal state {name} is rewarded; give 0 there, and the last reward of an episode to the "
            "transition into it"
        )
    if any(s in terminal for s in into):
        raise InputError(
            f"the row of the terminal state {name} leads to a terminal state; give in it the law of the states where "
            "episodes begin"
        )


def looks_terminal(model: Model | SparseModel) -> tuple[int, ...]:
    """The states that every action leaves with reward 0 and discount 0; none where all discounts are zero."""
    if isinstance(model, SparseModel):
        gamma = model.discount
        if not isinstance(gamma, np.ndarray) or model.gamma is not None:
            return ()
        return tuple(s for s in range(model.n) if gamma[s] == 0 and not model.rewards[s].any())
    if model.gamma is not None:
        return ()
    parts = list(zip(model.transitions, model.rewards, model.discounts, strict=True))
    return tuple(s for s in range(model.n) if all(_is_zero(P, G, s) and _is_zero(P, R, s) for P, R, G in parts))


def absorbing_without_reward(model: Model | SparseModel) -> tuple[int, ...]:
    """The states that every action keeps, with reward 0 on staying, and that another state leads to: so many tables of
    transitions write the end of an episode.
    """
    if isinstance(model, SparseModel):
        there = [P != 0 for P in model.transitions]
        kept = np.logical_and.reduce([(T.sum(axis=1) == 1) & T.diagonal() for T in there])
        entered = np.logical_or.reduce([T.sum(axis=0) > T.diagonal() for T in there])
        return tuple(np.flatnonzero(kept & entered & ~model.rewards.any(axis=1)).tolist())
    found = (s for s in range(model.n) if all(P[s, s] == 1 for P in model.transitions))
    pairs = list(zip(model.transitions, model.rewards, strict=True))
    return tuple(
        s
        for s in found
        if all(_is_zero(P, R, s) for P, R in pairs) and any(P[t, s] for P, _ in pairs for t in range(model.n) if t != s)
    )


def has_features(model: Model | SparseModel, s: int) -> bool:
    """Whether the feature vector of a state is not zero."""
    row = model.features[s] if isinstance(model, SparseModel) else model.features.rows[s]
    return any(x != 0 for x in row)


def _is_zero(P: RationalMatrix, values: RationalMatrix, s: int) -> bool:
    """Whether values given per transition, or per state left, are zero wherever P leads from s."""
    if values.shape[1] == 1:
        return values[s, 0] == 0
    return all(x == 0 for p, x in zip(P.rows[s], values.rows[s], strict=True) if p)
