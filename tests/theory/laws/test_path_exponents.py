"""Almost every path at constant steps: against exponents known in closed form, and against each other.

Systems that a change of coordinates makes triangular have the exponents max_i Σ π_e log |b_ii(e)|: the sign and both
bounds are held against them. What is said of the paper's examples is held against the sums of logarithms written down.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, log, prod
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.certificate.checker import budget, paths
from tdcert.theory.engine.certificates import path_certificates
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.tables import tables
from tdcert.theory.laws.mean_square import JumpSystem, WindowMove, show_bounded, show_unbounded
from tdcert.theory.laws.path_exponents import (
    Determinants,
    Forms,
    OneDimension,
    PathSign,
    RecurrentNodes,
    ZeroProduct,
    blocks,
    by_determinants,
    by_forms,
    coprime_base,
    decide_paths,
    is_product_one,
    log_sum,
    recurrent_nodes,
    steps_of_a_factor,
)
from tdcert.theory.laws.tilted_moments import TiltedMoments
from tdcert.theory.model.gallery import bairds_star, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.replay import replay

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)
STAR = bairds_star(F(9, 10))


def by_hand(*moves: tuple[int, int, Fraction, Any]) -> JumpSystem:
    """Of (from, to, p, B), at the step one."""
    unit = RationalMatrix.zeros(len(moves[0][3]), len(moves[0][3])).identity(len(moves[0][3]))
    found = [WindowMove(a, b, p, RationalMatrix(B) - unit, unit.take(columns=[0])) for a, b, p, B in moves]
    windows = tuple(range(1 + max(max(move[:2]) for move in moves)))
    return JumpSystem("by hand", None, (0,), windows, tuple(found), unit, 1)


def of(model: Model, name: str, alpha: Fraction, ratios: Sequence[Fraction]) -> tuple[JumpSystem, Any, Nodes]:
    update, states = declared(name, model), model.behaviour_chain.recurrent_classes[0]
    steps = {step: alpha * ratio for step, ratio in zip(update.steps, ratios, strict=True)}
    found = stationary(model, update, states, steps=steps)
    chain = node_chain(tables(model, update, states, steps=steps, known=found.tables))
    return jump_system(found, chain, ratios), found, chain


def asked(model: Model, name: str, alpha: Fraction, *others: Fraction) -> tuple[PathSign, list[str]]:
    """What is decided, and the sentences of its certificates."""
    ratios = [ONE, *others]
    system, found, chain = of(model, name, alpha, ratios)
    answer = decide_paths(system, alpha)
    made = path_certificates(found, chain, [alpha * x for x in ratios], answer)
    return answer, [replay(c, model) for c in made]


# ---- one dimension


@pytest.mark.parametrize("p", [F(1, 10), HALF])
def test_theta_to_two_theta_grows_at_a_rate_in_closed_form(p: Fraction) -> None:
    """θ ↦ θ(1 + αρφ(γφ' − φ)) with φ = 1, 2: the ratio is 1/p into the state of the larger feature, else zero."""
    gamma, alpha = F(9, 10), F(1, 5)
    model = theta_to_two_theta(gamma)
    behaviour = RationalMatrix([[1 - p, p]] * 2)
    assert model.behaviour.shape == (2, 2)
    target = next(a for a in (0, 1) if model.target.rows[0][a] == 1)
    model = replace(model, behaviour=behaviour if target == 1 else RationalMatrix([[p, 1 - p]] * 2))
    wanted = sum(
        float(x) * log(float(1 + alpha / p * phi * (gamma * 2 - phi))) * float(p) for x, phi in ((1 - p, 1), (p, 2))
    )
    found, said = asked(model, "off_policy_td", alpha)
    (shown,) = found.shown
    assert isinstance(shown, OneDimension) and found.low is not None and found.high is not None
    assert float(found.low) <= wanted <= float(found.high) and found.high - found.low <= F(1, 10**5) * found.high
    assert found.sign == (1 if wanted > 0 else -1) and len(said) == 1


@pytest.mark.parametrize(
    ("numbers", "sign"),
    [((2, HALF), 0), ((F(4, 9), F(9, 4)), 0), ((-2, HALF), 0), ((2, F(2, 3)), 1), ((2, 0), -1), ((3, F(1, 4)), -1)],
)
def test_the_sign_in_one_dimension_is_exact(numbers: Sequence[Any], sign: int) -> None:
    found = decide_paths(by_hand(*((0, 0, HALF, [[b]]) for b in numbers)), ONE)
    assert found.sign == sign and (found.low is None) == (0 in numbers)


def test_a_product_that_is_almost_one_is_told_from_one() -> None:
    near = 1 + F(1, 10**60)
    assert decide_paths(by_hand((0, 0, HALF, [[2 * near]]), (0, 0, HALF, [[HALF]])), ONE).sign == 1
    assert decide_paths(by_hand((0, 0, HALF, [[2]]), (0, 0, HALF, [[HALF / near]])), ONE).sign == -1


def test_a_coprime_base_makes_all_numbers() -> None:
    rng = random.Random(3)
    for _ in range(50):
        numbers = [prod(rng.choices((2, 3, 4, 6, 9, 35, 49, 121), k=4)) for _ in range(4)]
        base = coprime_base(numbers)
        assert all(np.gcd(a, b) == 1 for k, a in enumerate(base) for b in base[:k]) and min(base) > 1
        for n in numbers:
            rest = n
            for b in base:
                while rest % b == 0:
                    rest //= b
            assert rest == 1
    assert is_product_one({F(4): ONE, F(1, 8): F(2, 3)}) and not is_product_one({F(4): ONE, F(1, 8): F(3, 4)})


# ---- several dimensions


def triangular(rng: random.Random, D: int, nodes: int) -> tuple[JumpSystem, float]:
    """A system on a cycle of nodes with a coin in each, upper triangular in other coordinates, and its exponent."""
    while True:
        S = RationalMatrix([[F(rng.randint(-2, 2)) for _ in range(D)] for _ in range(D)])
        if S.is_regular:
            break
    moves, rates = [], np.zeros(D)
    for h in range(nodes):
        p = F(rng.randint(1, 4), 5)
        for q, g in ((p, (h + 1) % nodes), (1 - p, h)):
            diagonal = [F(rng.choice((-1, 1)) * rng.randint(1, 9), rng.randint(4, 6)) for _ in range(D)]
            B = [[diagonal[i] if i == j else F(rng.randint(-1, 1) * (j > i), 2) for j in range(D)] for i in range(D)]
            moves.append((h, g, q, (S.solve(RationalMatrix(B) @ S)).rows, np.log(np.abs([float(x) for x in diagonal]))))
    # the law is proportional to the time that is spent in a node
    stay = np.array([float(1 / p) for h in range(nodes) for p in [moves[2 * h][2]]])
    law = stay / stay.sum()
    for h, _, q, _, logs in moves:
        rates += law[h] * float(q) * logs
    return by_hand(*(move[:4] for move in moves)), float(rates.max())


@pytest.mark.parametrize("D", [1, 2, 3, pytest.param(4, marks=pytest.mark.thorough)])
def test_both_bounds_hold_where_the_exponent_is_known(D: int) -> None:
    """Closed forms are in floats, off by far less than 1e-9; bounds are rounded outwards by more than that."""
    rng, signs = random.Random(D), list[int | None]()
    for _ in range(6):
        system, rate = triangular(rng, D, rng.randint(1, 3))
        found = decide_paths(system, ONE, cells=2_048)
        low = -inf if found.low is None else float(found.low)
        high = inf if found.high is None else float(found.high)
        assert low - 1e-9 <= rate <= high + 1e-9
        assert found.sign is None or found.sign == (1 if rate > 0 else -1)
        signs.append(found.sign)
    assert 1 in signs and (D > 3 or -1 in signs)  # the largest of four numbers is rarely negative


def on_class(system: JumpSystem) -> RecurrentNodes:
    found = recurrent_nodes(system)
    assert isinstance(found, RecurrentNodes)
    return found


def test_the_gradient_of_the_weights_is_a_slope() -> None:
    system, _ = triangular(random.Random(7), 3, 2)
    found = on_class(system)
    tilted = TiltedMoments(found.system, np.array([float(x) for x in found.law]), 1.0)
    u = np.linspace(-0.3, 0.4, len(system.moves))
    at = tilted.at(u)
    assert at is not None and abs(at[1].sum()) < 1e-9  # equal weights on all moves change nothing
    for k in range(len(u)):
        step = 1e-5 * (np.arange(len(u)) == k)
        above, below = tilted.at(u + step), tilted.at(u - step)
        assert above is not None and below is not None
        # central differences are off by the third derivative times 1e-10 and by rounding, 1e-10 / 1e-5
        assert (above[0] - below[0]) / 2e-5 == pytest.approx(at[1][k], abs=1e-4)


def test_paths_die_out_where_mean_square_grows() -> None:
    """θ' = 2θ or θ/8, and beside it half of another number: E θ² grows, E log |θ| falls."""
    moves = [(0, 0, HALF, [[2, 0], [0, HALF]]), (0, 0, HALF, [[F(1, 8), 1], [0, HALF]])]
    system = by_hand(*moves)
    found = decide_paths(system, ONE)
    assert show_unbounded(system, ONE) is not None and show_bounded(system, ONE) is None
    (falls, _) = found.shown
    assert found.sign == -1 and isinstance(falls, Forms)
    # both exponents are log 1/2: (log 2 + log 1/8)/2, and that of the other number
    assert found.high is not None and -log(2) <= found.high < -0.3
    # with the weights of the moves exchanged the forms no longer fall
    turned = [replace(move, p=move.p * w) for move, w in zip(system.moves, reversed(falls.weights), strict=True)]
    assert show_bounded(replace(system, moves=tuple(turned)), ONE) is None


def test_determinants_of_a_block_see_what_the_whole_hides() -> None:
    moves = [(0, 0, ONE, [[2, 0, 0], [1, F(1, 10), 1], [0, 1, F(1, 10)]])]
    system = by_hand(*moves)
    assert blocks(on_class(system).system) == [[0, 1, 2], [0], [1, 2]]
    grows = by_determinants(on_class(system), ONE)
    assert grows is not None and grows.block == (0,) and F(69, 100) < grows.bound <= F(log(2)) + F(1, 10**9)
    assert decide_paths(system, ONE).sign == 1
    # a turn of the plane: no coordinate is a block, and |det| = 1/100 alone
    turn = by_hand((0, 0, ONE, [[0, F(1, 10)], [F(-1, 10), 0]]))
    (whole,) = blocks(turn)
    assert whole == [0, 1] and decide_paths(turn, ONE).sign == -1


def test_a_singular_matrix_silences_determinants() -> None:
    system = by_hand((0, 0, HALF, [[3, 1], [1, 3]]), (0, 0, HALF, [[3, 3], [3, 3]]))
    assert by_determinants(on_class(system), ONE) is None
    assert decide_paths(system, ONE, cells=512).sign is None


def test_a_product_that_is_zero_is_found_and_is_a_walk() -> None:
    """Two projections: from the first node along (1, 0), from the second along (0, 1)."""
    moves = [
        (0, 1, HALF, [[1, 0], [0, 0]]),
        (0, 0, HALF, [[5, 0], [0, 5]]),
        (1, 0, HALF, [[0, 0], [0, 1]]),
        (1, 0, HALF, [[4, 1], [1, 4]]),
    ]
    found = decide_paths(by_hand(*moves), ONE)
    (shown,) = found.shown
    assert found.sign == -1 and isinstance(shown, ZeroProduct)
    product = np.eye(2)
    for before, after in zip(shown.moves, shown.moves[1:], strict=False):
        assert moves[before][1] == moves[after][0]
    for k in shown.moves:
        product = np.array(moves[k][3], dtype=float) @ product
    assert not product.any()
    # where a turn stands between them both ways round, neither product is zero
    turn = [[1, 1], [1, 2]]
    kept = by_hand((0, 1, ONE, moves[0][3]), (1, 2, ONE, turn), (2, 3, ONE, moves[2][3]), (3, 0, ONE, turn))
    assert not any(isinstance(x, ZeroProduct) for x in decide_paths(kept, ONE, cells=512).shown)


def test_nodes_with_two_recurrent_classes_are_not_decided() -> None:
    moves = [(0, 1, HALF, [[1]]), (0, 2, HALF, [[1]]), (1, 1, ONE, [[2]]), (2, 2, ONE, [[HALF]])]
    found = decide_paths(by_hand(*moves), ONE)
    assert found.sign is None and "several recurrent classes" in found.why
    assert not by_hand(*moves).has_one_class
    assert by_hand(*moves[:1], (0, 0, HALF, [[1]]), moves[2]).has_one_class  # with a node that is left for good
    assert by_hand((0, 1, ONE, [[1]]), (1, 0, ONE, [[1]])).has_one_class


def test_nodes_that_are_left_for_good_do_not_count() -> None:
    """Growth before the class is entered is one finite factor."""
    moves = [(0, 0, HALF, [[9]]), (0, 1, HALF, [[9]]), (1, 1, ONE, [[HALF]])]
    assert decide_paths(by_hand(*moves), ONE).sign == -1


def test_logarithms_of_the_checker_are_enclosed() -> None:
    """Held against balls of 400 bits."""
    rng = random.Random(5)
    numbers = [F(rng.randint(1, 10**9), rng.randint(1, 10**9)) for _ in range(100)]
    for x in [*numbers, ONE, F(2), HALF, F(1, 3), F(2**90 + 1, 2**90), F(2**90 - 1, 2**90), F(10**40), F(1, 10**40)]:
        budget.SPENT.set([0, 0])
        budget.BUDGET.set(None)
        low, high = paths.log(x, 128)
        with precision(400):
            exact = log_sum([(ONE, x)], 400) * 2**128
            assert exact >= low and exact <= high
        assert high - low < 10**4 * (1 + abs(log(x)))


# ---- the star


@pytest.mark.parametrize(
    ("gamma", "alpha", "sign"),
    [(HALF, F(1, 100), -1), (HALF, F(1, 20), -1), (F(4, 5), F(1, 20), -1), (F(99, 100), F(1, 5), 1)],
)
def test_td_on_the_star(gamma: Fraction, alpha: Fraction, sign: int) -> None:
    found, said = asked(bairds_star(gamma), "off_policy_td", alpha)
    assert found.sign == sign and len(said) == len(found.shown)
    assert isinstance(found.shown[0], Forms if sign < 0 else Determinants)
    assert ("it dies out" if sign < 0 else "it grows") in said[0]


@pytest.mark.thorough
def test_a_trace_on_the_star_paths_die_out_where_mean_square_explodes() -> None:
    model = replace(STAR, schedule=Schedule.equal_weights(4, 6))
    found, said = asked(model, "off_policy_td", F(1, 200))
    system, _, _ = of(model, "off_policy_td", F(1, 200), [ONE])
    assert found.sign == -1 and found.high is not None and found.high < F(-4, 10**4)
    assert show_unbounded(system, F(1, 200)) is not None and any("it dies out" in x for x in said)


@pytest.mark.thorough
def test_gtd_on_the_star() -> None:
    found, said = asked(bairds_star(HALF), "gtd", F(1, 100), F(10))
    assert found.sign == -1 and found.high is not None and found.high < F(-15, 10**4) and len(said) == 2


def test_too_large_systems_are_left_open() -> None:
    system, _ = triangular(random.Random(1), 2, 3)
    found = on_class(system)
    wide = replace(system, moves=tuple(replace(m, K=RationalMatrix.zeros(70, 70)) for m in system.moves))
    assert by_forms(replace(found, system=replace(wide, J=RationalMatrix.zeros(70, 70))), ONE) is None


@pytest.mark.parametrize(
    ("bound", "steps"),
    [
        (F(-4, 10_000), 2_500),
        (F(-438, 1_000_000), 2_300),
        (F(-964156, 10**7), 11),
        (F(1, 100), 100),
        (F(1, 101), 110),
        (F(3), 1),
    ],
)
def test_a_factor_e_takes_no_more_steps_than_are_said(bound: Fraction, steps: int) -> None:
    """1/.000438 = 2283.1…: rounded up, so that the bound shows it, to two digits."""
    assert steps_of_a_factor(bound) == steps and steps * abs(bound) >= 1
    assert (steps - max(1, 10 ** (len(str(steps)) - 2))) * abs(bound) < 1
    sign = 1 if bound > 0 else -1
    said = PathSign(sign, low=bound if sign == 1 else None, high=bound if sign == -1 else None).in_words
    assert ("gains" in said, "loses" in said) == (sign == 1, sign == -1)
    assert said.endswith(f"a factor e every {steps:,} steps") and f"{float(bound):g} a step" in said


def test_differences_that_are_zero_lose_no_factor() -> None:
    assert PathSign(-1).in_words == "certified: differences are exactly zero from some update on"
    assert PathSign(0).in_words == "certified: λ₁ = 0"
