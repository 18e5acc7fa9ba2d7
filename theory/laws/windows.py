"""What happens in a state under the behaviour policy: an action and a successor."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.model.mdp import Model


@dataclass(frozen=True)
class StepOutcome:
    """One (action, successor) pair in ``state`` under the behaviour policy; ``rho`` is 1 for on-policy TD.

    ``action``: its number.
    """

    state: int
    after: int
    probability: Fraction
    reward: Fraction
    discount: Fraction
    rho: Fraction
    action: int


def state_outcomes(model: Model, importance: bool) -> list[list[StepOutcome]]:
    """For each state every (action, successor) of positive probability under μ, actions first."""
    found = []
    for s in range(model.n):
        here = []
        for a, mu in enumerate(model.behaviour.rows[s]):
            if mu == 0:
                continue
            rho = model.target.rows[s][a] / mu if importance else Fraction(1)
            rewards, discounts = model.rewards[a].rows[s], model.discounts[a].rows[s]
            for after, p in enumerate(model.transitions[a].rows[s]):
                if p:
                    reward = rewards[after if len(rewards) > 1 else 0]
                    discount = discounts[after if len(discounts) > 1 else 0]
                    here.append(StepOutcome(s, after, mu * p, reward, discount, rho, a))
        found.append(here)
    return found
