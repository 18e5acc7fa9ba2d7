"""What the algorithms say of each other at the top of their files, run in fractions along one path."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import find

F = Fraction
D, LAM, GAMMA = 3, F(2, 3), F(4, 5)


def path(on_policy: bool) -> list[Any]:
    """Transitions with features, rewards and policies drawn anew for each."""
    draw = Random(7)

    def vector() -> Any:
        return np.array([F(draw.randint(-4, 4)) for _ in range(D)], dtype=object)

    found, phi = [], vector()
    for _ in range(6):
        following, mu, pi = vector(), F(draw.randint(1, 8), 9), F(draw.randint(1, 8), 9)
        pi = mu if on_policy else pi
        one = SimpleNamespace(phi=phi, phi_next=following, discount=GAMMA, rho=pi / mu, pi=pi, mu=mu)
        one.at_next = lambda lam: lam
        one.reward, one.interest = F(draw.randint(-3, 3)), F(1)
        found.append(one)
        phi = following
    return found


def thetas(name: str, on_policy: bool, **options: Any) -> list[list[Fraction]]:
    """θ along the path, every parameter from zero."""
    (declared,) = find(name)
    sizes = {"d": D, "lambdas": len(options.get("lambdas", ())), "tail": len(options.get("tail", ()))}
    held: dict[str, Any] = {}
    for part in (declared.parameters, declared.memory):
        for key, shape in dict(part).items():
            shape = shape if isinstance(shape, tuple) else (shape,)
            counts = tuple(sizes[n] if isinstance(n, str) else n for n in shape)
            held[key] = F(0) if counts == (1,) else np.full(counts, F(0), dtype=object)
    steps, found = [F(1, 7), F(1, 5)][: len(declared.steps)], []
    for t in path(on_policy):
        made = declared.function(t, *held.values(), *steps, **options)
        made = made if isinstance(made, tuple) else (made,)
        for (key, before), after in zip(held.items(), made, strict=True):
            held[key] = after if np.ndim(before) == 0 else np.array(after, dtype=object).reshape(before.shape)
        found.append(list(held["theta"]))
    assert len({tuple(theta) for theta in found}) > 3
    return found


OFF_POLICY = ("off_policy_td", {"lambdas": (), "tail": (LAM,)})


@pytest.mark.parametrize(
    ("first", "given", "second", "kin", "on_policy"),
    [
        ("q_sigma", {"lam": LAM, "sigma": 0}, "tree_backup", {"lam": LAM}, False),
        ("q_sigma", {"lam": LAM, "sigma": 1}, *OFF_POLICY, False),
        ("vtrace", {"lam": LAM, "clip_trace": 1, "clip_error": 100}, "retrace", {"lam": LAM}, False),
        ("vtrace", {"lam": LAM, "clip_trace": 100, "clip_error": 100}, *OFF_POLICY, False),
        ("etd_beta", {"lam": LAM, "decay": GAMMA}, "etd", {"lam": LAM}, False),
        ("etd_beta", {"lam": LAM, "decay": 0}, *OFF_POLICY, False),
        ("ridge_td", {"lam": LAM, "ridge": 0}, *OFF_POLICY, False),
        ("td", {"lambdas": (), "tail": (LAM,)}, *OFF_POLICY, True),
        ("true_online_td", {"lam": 0}, "td", {}, True),
        ("tdrc", {"lam": LAM, "ridge": 0}, "gtd_lambda", {"lam": LAM}, False),
        ("gtd_momentum", {"momentum": 0}, "gtd_2008", {}, False),
        ("tdc_momentum", {"momentum": 0}, "gtd_lambda", {"lam": 0}, False),
        ("gtd", {}, "gtd2", {}, False),
        ("tdc", {}, "gtd_lambda", {"lam": 0}, True),
        ("gtd2_lambda", {"lam": 0}, "gtd2", {}, True),
        ("htd", {"lam": LAM}, "td", {"lambdas": (), "tail": (LAM,)}, True),
    ],
)
def test_kin_with_these_options_are_one(
    first: str, given: dict[str, Any], second: str, kin: dict[str, Any], on_policy: bool
) -> None:
    assert thetas(first, on_policy, **given) == thetas(second, on_policy, **kin)


@pytest.mark.parametrize(
    ("name", "options", "c"),
    [
        ("tree_backup", {"lam": LAM}, lambda t: LAM * t.pi),
        ("retrace", {"lam": LAM}, lambda t: LAM * min(1, t.rho)),
        ("abtd", {"psi": F(3, 2)}, lambda t: t.pi * min(F(3, 2), 1 / max(t.mu, t.pi))),
        ("q_sigma", {"lam": LAM, "sigma": F(1, 3)}, lambda t: LAM * (t.rho + 2 * t.pi) / 3),
        (*OFF_POLICY, lambda t: LAM * t.rho),
    ],
)
def test_only_c_differs(name: str, options: dict[str, Any], c: Callable[[Any], Fraction]) -> None:
    theta, z, found = np.full(D, F(0), dtype=object), np.full(D, F(0), dtype=object), []
    for t in path(on_policy=False):
        z = t.phi + z
        delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
        theta, z = theta + F(1, 7) * t.rho * delta * z, t.discount * c(t) * z
        found.append(list(theta))
    assert thetas(name, False, **options) == found
