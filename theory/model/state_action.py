"""Pairs of state and action as the states of a model, for algorithms that learn values of actions.

An update for actions meets φ(s_t, a_t) and φ(s_{t+1}, a_{t+1}), so its time is one choice later than that of a model.
The states here are the triples (s, a, s'), left by the choice of an action b in s' for (s', b, s''), with the reward
and the discount of the first. Then ``phi`` is φ(s_t, a_t), ``phi_next`` φ(s_{t+1}, a_{t+1}), ``rho`` the ratio of
a_{t+1}, ``rho_before`` that of a_t, and ``expected_phi_next`` Σ_b π(b|s') φ(s', b).
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState


def state_action(model: Model, features: RationalMatrix | None = None) -> Model:
    """The model of the pairs of a model, as the module docstring says.

    ``features``: (n·m)×k, the row of (s, a) at s·m + a; without them those of the state, in a block for each action.
    The value of a triple is R + γV(s'), whose mean over s' is the value of the pair. Raises :class:`InputError`.
    """
    if model.sampling is not None:
        raise InputError("pairs are made of a path; make them first, and give the sampling law over the triples")
    n, m, d = model.n, len(model.actions), model.d
    zeros = (Fraction(0),) * d
    blocks = [
        [x for b in range(m) for x in (row if a == b else zeros)] for row in model.features.rows for a in range(m)
    ]
    pairs = RationalMatrix(blocks) if features is None else features
    if pairs.shape[0] != n * m or not pairs.shape[1]:
        raise InputError(
            f"the features of pairs have shape {by_shape(pairs.shape)}; give one row for each of the {n}·{m} pairs, "
            "those of a state one after the other, and at least one column"
        )
    P = model.transitions
    triples = [(s, a, after) for s in range(n) for a in range(m) for after in range(n) if P[a][s, after]]
    place = {triple: k for k, triple in enumerate(triples)}

    def kernel(b: int) -> RationalMatrix:
        rows = [[Fraction(0)] * len(triples) for _ in triples]
        for row, (_, _, s) in zip(rows, triples, strict=True):
            for after, p in enumerate(P[b].rows[s]):
                if p:
                    row[place[s, b, after]] = p
        return RationalMatrix(rows)

    def left(given: tuple[RationalMatrix, ...]) -> RationalMatrix:
        rows = [given[a].rows[s] for s, a, _ in triples]
        return RationalMatrix.column([row[t[2] if len(row) > 1 else 0] for row, t in zip(rows, triples, strict=True)])

    schedule, by_state = model.schedule, model.lambda_by_state
    if by_state is not None:  # of the state in which the pair is
        schedule = LambdaByState([by_state[s] for s, _, _ in triples])
    there = [after for _, _, after in triples]
    return Model(
        model.actions,
        tuple(kernel(b) for b in range(m)),
        (left(model.rewards),) * m,
        (left(model.discounts),) * m,
        model.behaviour.take(rows=there),
        model.target.take(rows=there),
        pairs.take(rows=[s * m + a for s, a, _ in triples]),
        schedule,
        f"pairs of {model.name}" if model.name else "",
        interest=None if model.interest is None else tuple(model.interest[s] for s, _, _ in triples),
    )
