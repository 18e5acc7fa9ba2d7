"""van Seijen and Sutton 2014: both views against a second writing, numbers by hand, and the shipped algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from tdcert.claims.vs14 import vs_alg2, vs_lambda1, vs_lemma1, vs_lemma2, vs_no_other, vs_offline, vs_thm1
from tdcert.claims.vs14.iterates import Episode, Followed, along, episodes, some
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.gallery import HALF, boyan_chain, one_state, random_walk_5
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction
Numbers = Sequence[Fraction]


def dot(x: Numbers, y: Numbers) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), F(0))


def plain_forward(
    phi: Sequence[Numbers], R: Numbers, gamma: Numbers, alpha: Numbers, lam: Fraction, start: Numbers
) -> list[list[Fraction]]:
    """θ_{t,t}, written from (6), (8), (9) by sums, not by Horner's rule."""
    found = [list(start)]
    for h in range(1, len(R) + 1):
        theta = list(start)
        for k in range(h):

            def returned(n: int, k: int = k) -> Fraction:
                total, weight = F(0), F(1)
                for i in range(k, k + n):
                    total, weight = total + weight * R[i], weight * gamma[i]
                return total + weight * dot(found[k + n - 1], phi[k + n])

            weights = [(1 - lam) * lam ** (n - 1) for n in range(1, h - k)] + [lam ** (h - k - 1)]
            target = sum((w * returned(n) for n, w in enumerate(weights, start=1)), F(0))
            error = alpha[k] * (target - dot(theta, phi[k]))
            theta = [x + error * y for x, y in zip(theta, phi[k], strict=True)]
        found.append(theta)
    return found


MODELS = (one_state(HALF), random_walk_5(), boyan_chain())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_forward_view_is_that_of_a_second_writing(model: Model) -> None:
    for path in some(model):
        found = along(model, path, F(3, 5))
        walk = found.numbers
        plain = plain_forward(walk.features, walk.rewards, walk.discounts, walk.steps, F(3, 5), walk.start)
        assert [row[-1] for row in found.forward()] == plain


def one_feature(rewards: Sequence[int], start: int) -> Followed:
    """φ = 1 throughout, γ = λ = α = ½."""
    T = len(rewards)
    walk = Episode([[F(1)]] * (T + 1), [F(r) for r in rewards], [HALF] * T, [HALF] * T, HALF, [F(start)])
    return Followed(walk, None)


def test_two_steps_by_hand() -> None:
    """R = 0, 1, θ_0 = 1. θ_1 = 1 + ½(½ − 1) = ¾. G_0^{λ|2} = ½·½ + ½(½ + ¼·¾) = 19/32, so θ_{2,1} = 51/64, and
    θ_{2,2} = 51/64 + ½(1 + ½·¾ − 51/64) = 139/128; with v̂_S' of the new θ the pseudo-code comes to 141/128.
    """
    found = one_feature((0, 1), 1)
    assert [row[-1] for row in found.forward()] == [[1], [F(3, 4)], [F(139, 128)]]
    assert found.backward()[0] == [[1], [F(3, 4)], [F(139, 128)]]
    assert vs_alg2.same(one_feature((0, 1), 1)) and not vs_alg2.same(one_feature((0, 1), 1), before=False)


def test_variants_fail_where_they_should() -> None:
    for walk in (one_feature((0, 1, 0), 1), one_feature((2, 0, 1), 3)):
        assert vs_thm1.same(walk) and vs_lemma1.same(walk) and vs_lemma2.same(walk) and vs_offline.same(walk)
        assert not vs_lemma1.same(walk, one_earlier=False) and not vs_offline.same(walk, end=False)


def test_monte_carlo_by_hand() -> None:
    """0 → 1 → end, R = 0, 2, γ = ½, θ_init = 1, α = ½, −⅓: θ_1 = 1 + ½(1 − 1) = 1, θ_2 = 1 − ⅓(2 − 1) = ⅔."""
    model = vs_lambda1.two_steps()
    path = episodes(model)[-1]
    assert path.states == (0, 1, 2)
    assert along(model, path, F(1)).forward()[-1][-1] == [F(2, 3)]


def test_episodes_end_where_the_value_is_zero() -> None:
    assert episodes(one_state(HALF)) == []
    assert {path.states[-1] for path in episodes(vs_no_other.two_ends())} == {2, 3}
    P, Phi = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([1, 1])
    discounts = RationalMatrix([[0, HALF], [0, 0]])  # the way back is an end
    found = episodes(Model.reward_process(P, RationalMatrix.column([1, 2]), discounts, Phi))
    assert [path.states for path in found] == [(1, 0), (0, 1, 0)]


def test_a_first_state_without_features_moves_nothing() -> None:
    """Two λ-returns, and one θ_1: the hypothesis is not met, and the check fails. With features both hold."""
    model = vs_no_other.two_ends()
    assert vs_no_other.TWO_WAYS_ON.ask(model).satisfied and vs_no_other.CLAIM.check(model).status is Status.HOLDS
    bare = replace(model, features=RationalMatrix.column([0, 1, 0, 0]))
    assert not vs_no_other.TWO_WAYS_ON.ask(bare).satisfied and vs_no_other.CLAIM.check(bare).status is Status.REFUTED
