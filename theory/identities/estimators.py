r"""The return estimators of ``model.estimators`` on symbols: both writings, and what ties them to the returns of §2.

Every function returns True exactly if the identity holds, by normal form, with a symbol for every reward, value,
discount, λ and ratio of the row.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.estimator_recursions import second
from tdcert.theory.model.estimators import Row, Settings, forward, mixture
from tdcert.theory.model.returns import schedule_return, td_errors

WITHOUT_CLIPPING = Settings(clip_rho=None, clip_c=None, clip_pg=None)
POLYNOMIAL = (
    "discounted_return",
    "n_step",
    "lambda_return",
    "gae",
    "schedule_return",
    "vtrace",
    "tree_backup",
    "q_lambda",
    "q_sigma",
    "per_decision",
    "off_policy_schedule",
)
"""The estimators without a minimum in them; V-trace without its clipping."""


def symbolic_row(steps: int, terminated: tuple[bool, ...], truncated: tuple[bool, ...]) -> Row:
    """A row of symbols. Where no episode is cut the next value is the value of the next step."""
    shapes = dict.fromkeys(("r", "v", "f", "g", "l", "rho", "q", "pi"), steps)
    _, rewards, values, final, discounts, lambdas, rhos, actions, policy = free(**shapes)
    ahead = [values[t + 1] if t + 1 < steps and not (terminated[t] or truncated[t]) else final[t] for t in range(steps)]
    return Row(rewards, values, ahead, discounts, terminated, truncated, lambdas, rhos, actions, policy)


def writings_agree(name: str, steps: int) -> bool:
    """The forward view and the second writing, for every way to cut the row into episodes."""
    kinds = ((False, False), (True, False), (False, True))
    for cuts in product(kinds, repeat=steps):
        row = symbolic_row(steps, tuple(x for x, _ in cuts), tuple(x for _, x in cuts))
        settings = Settings(n=2, schedule=tuple(row.lambdas), clip_rho=None, clip_c=None, clip_pg=None)
        one, other = forward(name, row, settings), second(name, row, settings)
        if any(x != y for key in one for x, y in zip(one[key], other[key], strict=True)):
            return False
    return True


def gae_step() -> bool:
    """A = δ + γλA' for A = G − V: the recursion of GAE, from G = R + γ((1 − λ)V' + λG')."""
    reward, gamma, lam, v0, v1, inner = SymbolicRing("R", "g", "l", "v0", "v1", "G").symbols
    (delta,) = td_errors([reward], [gamma], [v0, v1])
    outer = schedule_return([reward, 0 * reward], [gamma, 0 * gamma + 1], [v0, v1, inner], [lam])
    return bool(outer - v0 == delta + gamma * lam * (inner - v1))


def gae_is_return(steps: int) -> bool:
    """GAE over a row without cuts is the return of the schedule λ, …, λ (one less than steps) less the value."""
    row = symbolic_row(steps, (False,) * steps, (False,) * steps)
    lam = row.lambdas[0]
    same = Row(row.rewards, row.values, row.next_values, row.discounts, row.terminated, row.truncated, [lam] * steps)
    values = [row.values[0], *row.next_values]
    expected = schedule_return(row.rewards, row.discounts, values, [lam] * (steps - 1)) - row.values[0]
    found = forward("gae", same, Settings())["advantages"][0]
    return bool(found == expected and second("gae", same, Settings())["advantages"][0] == expected)


def vtrace_step() -> bool:
    """v − V = ρδ + γρ(v' − V') with ρ = 1 and v' = G': v = R + γG', the step of the n-step return."""
    reward, gamma, v0, v1, inner = SymbolicRing("R", "g", "v0", "v1", "G").symbols
    (delta,) = td_errors([reward], [gamma], [v0, v1])
    return bool(v0 + delta + gamma * (inner - v1) == reward + gamma * inner)


def vtrace_on_policy(steps: int) -> bool:
    """V-trace with ρ = λ = 1, clipped at 1 or not, is the flat return of the row with its value at the end."""
    row = symbolic_row(steps, (False,) * steps, (False,) * steps)
    ones: list[Any] = [1] * steps
    plain = Row(row.rewards, row.values, row.next_values, row.discounts, row.terminated, row.truncated, ones, ones)
    expected = [mixture(plain, t, ones) for t in range(steps)]
    found = [forward("vtrace", plain, settings)["targets"] for settings in (Settings(), WITHOUT_CLIPPING)]
    return all(x == y for targets in found for x, y in zip(targets, expected, strict=True))
