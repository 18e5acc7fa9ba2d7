r"""A model is written differently: states permuted, a state split into copies, rewards scaled, another basis of
features.

A state split into copies with shares q_1, q_2 (q_1 + q_2 = 1) is entered with those shares and left as before; its
law is shared likewise, so the copies weigh together what the state weighed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model


def permute_states(model: Model, order: Sequence[int]) -> Model:
    """State ``order[i]`` becomes state i."""
    return _reindex(model, order, RationalMatrix.column([1] * model.n))


def split_state(model: Model, state: int, share: Fraction) -> Model:
    """A copy of ``state`` is put at the end; it is entered with 1 − ``share`` of the probability (0 < share < 1)."""
    weights = [share if s == state else Fraction(1) for s in range(model.n)]
    return _reindex(model, [*range(model.n), state], RationalMatrix.column([*weights, 1 - share]))


def scale_rewards(model: Model, factor: Fraction) -> Model:
    """Every reward times ``factor``."""
    return replace(model, rewards=tuple(R.scaled(factor) for R in model.rewards))


def change_basis(model: Model, T: RationalMatrix) -> Model:
    """Features ΦT for an invertible T (d×d)."""
    return model.with_features(model.features @ T)


def _reindex(model: Model, origin: Sequence[int], weights: RationalMatrix) -> Model:
    """New state i stands for state ``origin[i]`` and is entered with ``weights[i]`` of its probability."""

    def per_transition(values: RationalMatrix) -> RationalMatrix:
        return values.take(rows=origin, columns=None if values.shape[1] == 1 else origin)

    return replace(
        model,
        transitions=tuple(P.take(origin, origin).T.scale_rows(weights).T for P in model.transitions),
        rewards=tuple(per_transition(R) for R in model.rewards),
        discounts=tuple(per_transition(G) for G in model.discounts),
        behaviour=model.behaviour.take(rows=origin),
        target=model.target.take(rows=origin),
        features=model.features.take(rows=origin),
    )
