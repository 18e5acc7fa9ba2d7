"""Return estimators: the two writings held equal in fractions, and values that can be checked by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tdcert.theory.identities import estimators as identities
from tdcert.theory.model import estimator_recursions
from tdcert.theory.model.estimator_recursions import LinearForm, Magnitudes, second
from tdcert.theory.model.estimators import FORWARD, Row, Settings, forward

HALF = Fraction(1, 2)


def random_row(seed: int) -> tuple[Row, Settings]:
    rng = random.Random(seed)
    steps = rng.randint(1, 6)

    def numbers(low: int = -6, high: int = 6) -> list[Fraction]:
        return [Fraction(rng.randint(low, high), 4) for _ in range(steps)]

    terminated = [rng.random() < 0.2 for _ in range(steps)]
    truncated = [not x and rng.random() < 0.2 for x in terminated]
    values, following = numbers(), numbers()
    for t in range(steps - 1):
        if not (terminated[t] or truncated[t]):
            following[t] = values[t + 1]
    row = Row(numbers(), values, following, numbers(0, 4), terminated, truncated, numbers(0, 4), numbers(0, 10),
              numbers(), numbers(0, 4))  # fmt: skip
    settings = Settings(
        n=rng.randint(1, 8),
        schedule=tuple(numbers(0, 4)[: rng.randint(0, 4)]),
        clip_rho=rng.choice([None, Fraction(1), Fraction(2)]),
        clip_c=rng.choice([None, Fraction(1)]),
        mix_rho=rng.choice([Fraction(1), HALF]),
        mix_c=rng.choice([Fraction(1), Fraction(1, 3)]),
        bootstrap=rng.choice(["target", "lambda"]),
        sigma=Fraction(1, 3),
        mean_reward=Fraction(rng.randint(0, 2)),
    )
    return row, settings


@pytest.mark.parametrize("name", FORWARD)
def test_both_writings_are_equal(name: str) -> None:
    for seed in range(40):
        row, settings = random_row(seed)
        assert forward(name, row, settings) == second(name, row, settings), seed


def two_episodes(**changes: object) -> Row:
    """R = 1, 2, 4; V = 8, 16, 32; γ = λ = ½; the first episode ends after two steps, with the value 64 there."""
    lists = {
        "rewards": [1, 2, 4], "values": [8, 16, 32], "next_values": [16, 64, 128], "discounts": [HALF] * 3,
        "terminated": [False, True, False], "truncated": [False] * 3, "lambdas": [HALF] * 3, "rhos": [2, 2, HALF],
    }  # fmt: skip
    return Row(**{**lists, **changes})  # type: ignore[arg-type]


def test_values_by_hand() -> None:
    # δ = 1 + 16/2 − 8, 2 − 16, 4 + 128/2 − 32: the second step terminates, the third is cut by the end of the row
    assert forward("gae", two_episodes(), Settings())["advantages"] == [1 - Fraction(14, 4), -14, 36]
    truncated = two_episodes(terminated=[False] * 3, truncated=[False, True, False])
    assert forward("gae", truncated, Settings())["advantages"] == [1 + Fraction(18, 4), 18, 36]
    assert forward("n_step", two_episodes(), Settings(n=2))["returns"] == [1 + 1, 2, 4 + 64]
    assert forward("n_step", two_episodes(), Settings(n=1))["returns"] == [1 + 8, 2, 4 + 64]
    # ρ̂ = c = 1, 1, ½ with c times λ: the errors are δ_0 + δ_1/4, δ_1, δ_2/2
    vtrace = forward("vtrace", two_episodes(), Settings())
    assert vtrace["errors"] == [1 - Fraction(14, 4), -14, 18]
    assert vtrace["advantages"] == [1 + HALF * 2 - 8, 2 - 16, HALF * (4 + 64 - 32)]
    assert forward("per_decision", two_episodes(), Settings())["returns"] == [2 * (1 + HALF * 4), 4, HALF * 68]


def test_forms_and_magnitudes() -> None:
    x, y = LinearForm({"x": Fraction(1)}), LinearForm({"y": Fraction(1)})
    assert (HALF * x - y - 3).terms == {"x": HALF, "y": -1, (): -3}
    size = HALF * Magnitudes({"x": Fraction(1)}) - Magnitudes({"y": Fraction(2)}) - Fraction(3)
    assert size.terms == {"x": HALF, "y": 2, (): 3}
    assert (-2 * Magnitudes({"x": Fraction(1)})).terms == {"x": 2}


def test_an_identity_on_symbols_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert identities.writings_agree("gae", 2) and identities.gae_is_return(2) and identities.vtrace_on_policy(2)
    rewards_alone = {"gae": lambda row, settings: {"advantages": list(row.rewards), "targets": list(row.rewards)}}
    monkeypatch.setattr(estimator_recursions, "SECOND", rewards_alone)
    assert not identities.writings_agree("gae", 1) and not identities.gae_is_return(1)
