"""Transitions of a model as an update sees them, in fractions: what tests evaluate functions on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from tdcert.theory.engine.transition import Transition
from tdcert.theory.model.mdp import Model

AT_FIRST = {"discount_before": Fraction(0), "rho_before": Fraction(1), "first": True}
"""What is known of the transition before the first one."""


def transitions_from(
    model: Model, Phi: Sequence[Any], s: int, before: dict[str, Any] = AT_FIRST, ahead: Any = None
) -> Iterator[tuple[Fraction, Any]]:
    """Those from state s, each with its probability; ``ahead``: E_π φ', where an update asks for it."""
    for a, P in enumerate(model.transitions):
        mu, pi = model.behaviour[s, a], model.target[s, a]
        R, G = (table[a].rows[s] for table in (model.rewards, model.discounts))
        for after, p in enumerate(P.rows[s]):
            if mu * p:
                yield (
                    mu * p,
                    Transition(
                        state=s,
                        action=a,
                        next_state=after,
                        phi=Phi[s],
                        phi_next=Phi[after],
                        reward=R[after if len(R) > 1 else 0],
                        discount=G[after if len(G) > 1 else 0],
                        rho=pi / mu,
                        pi=pi,
                        mu=mu,
                        interest=Fraction(1),
                        expected_phi_next=ahead,
                        before=before,
                    ),
                )
