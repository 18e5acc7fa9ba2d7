"""Cells of directions: against exponents that are known, and against the inequality computed a second time.

The second computation takes a direction and a side as they are: it finds the cell by cross products with the borders,
follows the direction through each matrix and compares f = log |y| + h before and after, in floats with 1e-9 to spare
(logarithms of some units are rounded at 1e-15; heights are exact).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import floor, inf, lcm, log, sqrt
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.engine.paths import OnPaths, on_paths
from tdcert.theory.laws import path_cells
from tdcert.theory.laws.path_cells import BITS, CellMove, Cells, by_cells, image, refined
from tdcert.theory.laws.path_exponents import Determinants, Forms, PathSign, ZeroProduct, decide_paths
from tdcert.theory.limits import limits_raised
from tests.chains import two_actions
from tests.replay import replay
from tests.theory.laws.test_path_exponents import by_hand

F = Fraction
HALF, ONE = F(1, 2), F(1)
Direction = tuple[F, F]
Whole = tuple[int, int]
Rows = Sequence[Sequence[Any]]
SWAP, TURN = [[0, 1], [1, 0]], [[0, -1], [1, 0]]


def moves_of(*moves: tuple[int, int, Any, Rows]) -> list[CellMove]:
    return [CellMove(a, b, F(p), RationalMatrix(B)) for a, b, p, B in moves]


def evenly(*matrices: Rows) -> list[CellMove]:
    return moves_of(*((0, 0, F(1, len(matrices)), B) for B in matrices))


def bounds(moves: list[CellMove], most: int) -> tuple[float, float]:
    """From below and above on the finest grid alone, whether or not another one has a sign."""
    grid = list(refined(moves, 1, most))[-1]
    low, high = (grid.shown(upper, grid.proposed(upper, np.zeros((1, grid.width)))) for upper in (False, True))
    assert low is not None and high is not None
    return float(low.bound), float(high.bound)


# ---- a second computation


def cross(a: Whole, b: Whole) -> int:
    return a[0] * b[1] - a[1] * b[0]


def whole(x: Sequence[F]) -> Whole:
    """A direction in integers."""
    common = lcm(*(F(y).denominator for y in x))
    return int(x[0] * common), int(x[1] * common)


@cache
def borders(N: int) -> list[Whole]:
    """From −45 degrees on, by tangents, then by cotangents."""
    slopes = [F(2 * k, N) - 1 for k in range(N)]
    return [whole((ONE, x)) for x in slopes] + [whole((-x, ONE)) for x in slopes]


def cell_of(x: Sequence[F], side: int, N: int) -> int:
    """The cell behind (side 1) or before (−1) a direction: how many borders lie before it."""
    ends, at = borders(N), whole(x)
    turn = cross(ends[0], at)
    if turn == 0:
        return 0 if side == 1 else 2 * N - 1
    turned = [cross(a, at) * (1 if turn > 0 else -1) for a in ends]
    return sum(x > 0 or (x == 0 and side == 1) for x in turned) - 1


def drift(moves: Sequence[CellMove], heights: Sequence[Sequence[int]], node: int, x: Direction, side: int) -> float:
    """E f − f, −∞ where the next difference may be zero; with the larger of both heights where all become one."""
    N = len(heights[0]) // 2

    def f(node: int, x: Direction, side: int) -> float:
        return log(x[0] ** 2 + x[1] ** 2) / 2 + heights[node][cell_of(x, side, N)] / float(2**BITS)

    total = -f(node, x, side)
    for move in moves:
        if move.source == node:
            (a, b), (c, d) = move.B.rows
            y, turns = (a * x[0] + b * x[1], c * x[0] + d * x[1]), a * d - b * c
            if not any(y):
                return -inf
            sides = (side if turns > 0 else -side,) if turns else (1, -1)
            total += float(move.p) * max(f(move.target, y, s) for s in sides)
    return float(total)


def points(N: int, rng: random.Random, count: int) -> Iterator[tuple[Direction, int]]:
    """All borders from both sides, and directions between them."""
    for x, y in borders(N):
        yield (F(x), F(y)), 1
        yield (F(x), F(y)), -1
    for _ in range(count):
        yield (F(rng.randint(-1000, 1000), 999), F(rng.randint(1, 1000), 1001)), 1


def hold(moves: list[CellMove], shown: Cells, rng: random.Random, count: int = 60) -> bool:
    """Whether the drift is on the right side of the bound everywhere that is looked at."""
    for node in range(len(shown.heights)):
        for x, side in points(len(shown.heights[0]) // 2, rng, count):
            found = drift(moves, shown.heights, node, x, side)
            if not (found <= shown.bound + 1e-9 if shown.upper else found >= shown.bound - 1e-9):
                return False
    return True


def random_moves(rng: random.Random, singular: bool) -> tuple[list[CellMove], int]:
    """One to three nodes, two moves out of each; many entries are such that borders go to borders."""
    count, moves = rng.randint(1, 3), list[CellMove]()
    for h in range(count):
        p = F(rng.randint(1, 4), 5)
        for q, g in ((p, (h + 1) % count), (1 - p, rng.randrange(count))):
            while True:
                B = [[F(rng.randint(-3, 3), rng.choice((1, 1, 2))) for _ in (0, 1)] for _ in (0, 1)]
                turns = B[0][0] * B[1][1] - B[0][1] * B[1][0]
                if turns or (singular and any(x for row in B for x in row)):
                    break
            moves.append(CellMove(h, g, q, RationalMatrix(B)))
    return moves, count


def test_the_inequality_holds_at_directions_and_on_both_sides_of_borders() -> None:
    rng, sides = random.Random(0), set[bool]()
    for _ in range(6):
        moves, count = random_moves(rng, singular=rng.random() < 0.3)
        for shown in by_cells(moves, count, 32 * len(moves)):
            assert hold(moves, shown, rng, 20)
            sides.add(shown.upper)
    assert sides == {True, False}


@pytest.mark.thorough
def test_the_inequality_holds_for_many_systems() -> None:
    rng = random.Random(9)
    for _ in range(100):
        moves, count = random_moves(rng, singular=rng.random() < 0.3)
        for shown in by_cells(moves, count, 64 * len(moves)):
            assert hold(moves, shown, rng, 30)


def test_a_second_computation_sees_what_is_wrong() -> None:
    """Heights that rise by a fifth in one cell, and a reflection whose sides are not exchanged."""
    rng, moves = random.Random(1), evenly([[2, 0], [0, 1]], SWAP)
    for shown in by_cells(moves, 1, 64):
        rows = [list(row) for row in shown.heights]
        rows[0][5] += (1 if not shown.upper else -1) * (2**BITS // 5)
        assert hold(moves, shown, rng)
        assert not hold(moves, replace(shown, heights=tuple(tuple(row) for row in rows)), rng)


MATRICES: tuple[list[list[int]], ...] = (
    [[1, 1], [0, 1]],
    SWAP,
    TURN,
    [[2, 0], [0, -1]],
    [[1, -2], [-2, -3]],
    [[3, 1], [1, 2]],
    [[1, 2], [2, 4]],
)


@pytest.mark.parametrize("N", [2, 3, 8])
@pytest.mark.parametrize("B", MATRICES, ids=str)
def test_arcs_are_the_cells_that_images_meet(B: list[list[int]], N: int) -> None:
    """The images of both ends and of directions between them are in the arc, and arcs go round once: a direction that
    is the image of an end is in two of them, if it is not a border itself.
    """
    rng, ends = random.Random(N), [*borders(N), (-1, 1)]
    found, turns = image(RationalMatrix(B), N), B[0][0] * B[1][1] - B[0][1] * B[1][0]

    def moved(x: Sequence[F]) -> tuple[F, F]:
        return B[0][0] * x[0] + B[0][1] * x[1], B[1][0] * x[0] + B[1][1] * x[1]

    def lies_on_a_border(x: Sequence[F]) -> bool:
        return not all(cross(end, whole(x)) for end in ends)

    for k, (first, length) in enumerate(zip(found.first.tolist(), found.length.tolist(), strict=True)):
        arc = {(first + i) % (2 * N) for i in range(length)}
        if turns == 0:
            assert arc == {cell_of((F(1), F(2)), side, N) for side in (1, -1)}
            continue
        for r in [F(0), F(1), *(F(rng.randint(1, 999), 1000) for _ in range(20))]:
            x = [(1 - r) * a + r * b for a, b in zip(ends[k], ends[k + 1], strict=True)]
            side = (-1 if r == 1 else 1) * (1 if turns > 0 else -1)
            if r in (0, 1) or not lies_on_a_border(moved(x)):
                assert cell_of(moved(x), side, N) in arc
    inside = sum(not lies_on_a_border(moved([F(x) for x in end])) for end in borders(N))
    assert turns == 0 or found.length.sum() == 2 * N + inside


def test_logarithms_are_rounded_outwards() -> None:
    found = image(RationalMatrix([[0, 3], [-3, 0]]), 2)
    units = log(3) * 2**BITS  # off by 2⁻²² at most
    assert found.low is not None and set(found.low) == {floor(units)} and set(found.high) == {floor(units) + 1}


# ---- exponents that are known


def test_one_matrix_has_the_exponents_of_its_eigenvalues() -> None:
    """[[2, 1], [1, 1]] has the eigenvalues g² and g⁻² with g = (1 + √5)/2: there is a start of either rate."""
    rate = 2 * log((1 + sqrt(5)) / 2)
    low, high = bounds(evenly([[2, 1], [1, 1]]), 512)
    assert rate <= high < rate + 0.02 and -rate - 0.02 < low <= -rate


@pytest.mark.parametrize(
    ("matrices", "least", "most"),
    [
        # diagonal: the rates of the axes
        (([[3, 0], [0, HALF]], [[HALF, 0], [0, F(1, 5)]]), log(1 / 10) / 2, log(3 / 2) / 2),
        # triangular: from the axis of x at the rate 0, and so do all others, as y dies out
        (([[2, 5], [0, F(1, 3)]], [[HALF, 1], [0, 2]]), 0.0, 0.0),
        # the axes again, one of them turned round
        (([[2, 0], [0, -1]], [[1, 0], [0, 4]]), log(2) / 2, log(4) / 2),
        # [[0, 3], [1, 0]]² = 3: a reflection with one rate
        (([[0, 3], [1, 0]],), log(3) / 2, log(3) / 2),
        # the same among rotations by right angles
        (([[0, 3], [1, 0]], [[0, -3], [1, 0]]), log(3) / 2, log(3) / 2),
    ],
)
def test_bounds_are_beyond_the_rates_of_all_starts(matrices: Sequence[Rows], least: float, most: float) -> None:
    """The lower one is about every start, so about the slowest; bounds are rounded by 1e-9."""
    low, high = bounds(evenly(*matrices), 2_048)
    assert low <= least + 1e-8 and most - 1e-8 <= high


@pytest.mark.thorough
def test_bounds_come_near_where_directions_contract() -> None:
    """Positive matrices contract the cone of positive directions; a turn by a right angle exchanges the cones."""
    known = simulated([[2, 1], [1, 3]], [[0, -2], [1, 0]])
    found = [bounds(evenly([[2, 1], [1, 3]], [[0, -2], [1, 0]]), most) for most in (128, 512, 2_048)]
    assert all(low <= known + 0.02 and known - 0.02 <= high for low, high in found)
    gaps = [high - low for low, high in found]
    assert gaps[0] > 2 * gaps[1] > 4 * gaps[2] > 0


def simulated(*matrices: Rows) -> float:
    """The exponent of matrices that are drawn evenly: 400 paths of 1,500 steps; sd about 1/√600,000."""
    B, rng = np.array(matrices, dtype=float), np.random.default_rng(4)
    x, total = np.ones((400, 2)), 0.0
    for _ in range(1_500):
        x = np.einsum("kij,kj->ki", B[rng.integers(len(B), size=400)], x)
        size = np.abs(x).max(axis=1)
        total, x = total + float(np.log(size).mean()), x / size[:, None]
    return total / 1_500


def sign_of(*matrices: Rows) -> PathSign:
    return decide_paths(by_hand(*((0, 0, F(1, len(matrices)), B) for B in matrices)), ONE, cells=2_048)


def test_isometries_have_the_exponent_zero() -> None:
    found = sign_of([[F(3, 5), F(-4, 5)], [F(4, 5), F(3, 5)]], SWAP)
    assert found.sign == 0 == found.low == found.high and found.in_words == "certified: λ₁ = 0"


@pytest.mark.parametrize(
    "matrices",
    [
        # isometries of an ellipse: S⁻¹RS with S = [[2, 1], [0, 1]], R by the angle of (3, 4) and by a right one
        ([[F(-1, 5), F(-4, 5)], [F(8, 5), F(7, 5)]], [[-1, -1], [2, 1]]),
        # stretched and exchanged, evenly: the exponent is 0, and no invariant norm shows it
        ([[2, 0], [0, HALF]], TURN),
        ([[2, 0], [0, HALF]], SWAP),
    ],
)
def test_an_exponent_zero_stays_open(matrices: Sequence[Rows]) -> None:
    found = sign_of(*matrices)
    assert found.sign is None and found.low is not None and found.high is not None and found.low <= 0 <= found.high
    assert found.why.startswith(
        "no bound of the exponent has a sign; finer cells of directions may give one: take --limits"
    )
    assert found.in_words == f"{found.bounds_in_words}; {found.why}"


def test_reflections_need_their_sides() -> None:
    """The borders at 0, 45 and 90 degrees are exchanged or kept, so that all of a cell's image depends on sides."""
    moves = evenly([[2, 0], [0, 1]], SWAP, [[1, 0], [0, -1]])
    low, high = bounds(moves, 2_048)
    # (x, y) is multiplied by 2 in one coordinate, exchanged, turned: a product of monomial matrices. One coordinate is
    # zero or not for ever; the mean of log |.| is that of a walk on two coordinates, (log 2)/6
    assert low <= log(2) / 6 <= high and low > 0.05 and high < 0.2
    assert sign_of([[2, 0], [0, F(9, 10)]], SWAP).sign == 1


@pytest.mark.thorough
def test_singular_matrices_have_bounds_from_above_alone() -> None:
    """(x, y)' = (x + y)/4·(1, 1), or (2x, y/2): the first takes all to the border at 45 degrees, in two cells."""
    singular = [[F(1, 4)] * 2] * 2
    (found,) = by_cells(evenly(singular, [[2, 0], [0, HALF]]), 1, 2_048)
    grid = list(refined(evenly(singular, [[2, 0], [0, HALF]]), 1, 1_024))[-1]
    fine = grid.shown(True, grid.proposed(True, np.zeros((1, grid.width))))
    assert found.upper and not grid.is_regular and fine is not None
    # from (1, 1) on: (2^k + 2^−k)/4 after k of the second, k with probability 2^−(k + 1); a round takes 2 moves
    rate = sum(2.0 ** -(k + 1) * log((2.0**k + 2.0**-k) / 4) for k in range(60)) / 2
    assert rate <= fine.bound < rate + 0.003 < found.bound < 0
    assert by_cells(evenly([[0, 0], [0, 0]], TURN), 1, 2_048) == ()
    zero = sign_of([[0, 0], [0, 0]], TURN)
    assert zero.sign == -1 and isinstance(zero.shown[0], ZeroProduct)
    left = sign_of([[2, 2], [2, 2]], [[3, 1], [1, 3]])  # (1, 1) grows
    assert left.sign is None and left.low is None and "some matrix is singular" in left.why
    assert "singular" not in sign_of([[2, 0], [0, HALF]], TURN).why


# ---- limits, and what is asked first


def test_nothing_is_tried_beyond_the_limit_and_more_where_it_is_raised() -> None:
    system = by_hand((0, 0, HALF, [[2, 1], [1, 1]]), (0, 0, HALF, TURN))
    few = decide_paths(system, ONE, cells=31)
    assert not any(isinstance(x, Cells) for x in few.shown)
    some = decide_paths(system, ONE, cells=32)
    with limits_raised(16):
        more = decide_paths(system, ONE, cells=32)
    assert some.high is not None and more.high is not None and more.high < some.high
    assert len(list(refined(evenly(TURN), 1, 64))) == 3


def test_what_forms_and_determinants_decide_is_not_asked_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("tdcert.theory.laws.path_exponents.by_cells", never)
    assert sign_of([[3, 0], [1, 2]]).sign == 1 and sign_of([[F(1, 3), 0], [1, HALF]]).sign == -1
    with pytest.raises(AssertionError):
        sign_of([[2, 0], [0, HALF]], TURN)
    # three dimensions have no cells
    assert decide_paths(by_hand((0, 0, ONE, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])), ONE).sign is None


def test_heights_that_are_too_large_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_cells, "LARGEST", 0.01)
    assert by_cells(evenly([[2, 0], [0, 1]], SWAP), 1, 64) == ()


# ---- updates


def asked(d: int, n: int, seed: int, name: str, alpha: F, cells: int = 20_000) -> tuple[OnPaths, list[str]]:
    """What is decided, and the sentences of its certificates."""
    model = two_actions(d, n, seed)
    update = declared(name, model)
    found = on_paths(model, update, tuple(range(n)), [ONE] * len(update.steps), alpha, cells=cells)
    said = [replay(c, model) for c in found.certificates]
    return found, said


@pytest.mark.thorough
def test_gtd_grows_where_neither_forms_nor_determinants_show_it() -> None:
    """One feature, α = β = 1/2; simulated, 24 runs of 200,000 updates: +.0259."""
    found, said = asked(1, 3, 6, "gtd", HALF, 3_000)
    low, high = found.sign.low, found.sign.high
    assert found.sign.sign == 1 and low is not None and high is not None and F(1, 1000) < low < F(259, 10_000) < high
    assert (
        found.sign.from_every_start
        and found.sign.from_time_zero
        and "from every start other than 0" in found.sign.in_words
    )
    assert [x.upper for x in found.sign.shown if isinstance(x, Cells)] == [True, False]
    assert ["that is not zero" in x and "it grows" in x for x in said] == [False, True]
    model = two_actions(1, 3, 6)
    for made, side in zip(found.certificates, (-1, 1), strict=True):  # a unit of the sixth digit is too much
        unit = F(1, 10**7 if side == 1 else 10**6)
        better = replace(made, about={**made.about, "bound": str(F(str(made.about["bound"])) + side * unit)})
        with pytest.raises(checker.Rejected, match="the cells show less"):
            replay(better, model)


@pytest.mark.thorough
def test_off_policy_td_dies_out_where_its_mean_square_grows() -> None:
    """Two features, α = 2/5; simulated: −.0053 ± .0001. Cells that are few leave it open."""
    few, said = asked(2, 4, 3, "off_policy_td", F(2, 5), 8_192)
    assert few.sign.sign is None and few.sign.low is not None and few.sign.high is not None
    assert few.sign.low < F(-53, 10_000) < few.sign.high and len(said) == 2
    found, said = asked(2, 4, 3, "off_policy_td", F(2, 5))
    assert found.sign.sign == -1 and found.sign.high is not None and F(-52, 10_000) < found.sign.high < 0
    assert "it dies out" in said[0] and isinstance(found.sign.shown[0], Cells)


@pytest.mark.thorough
def test_forms_decide_first_and_cells_agree() -> None:
    """Two features, α = 1/10; simulated: −.02236."""
    found, _ = asked(2, 4, 2, "off_policy_td", F(1, 10))
    assert [type(x) for x in found.sign.shown] == [Forms, Determinants]
    assert found.found is not None and found.sign.found is not None
    system = found.sign.found.system
    one = RationalMatrix([[1, 0], [0, 1]])
    moves = [CellMove(m.source, m.target, m.p, one + m.K.scaled(F(1, 10))) for m in system.moves]
    last = list(refined(moves, 4, 7_000))[-1]
    low, high = (last.shown(upper, last.proposed(upper, np.zeros((4, last.width)))) for upper in (False, True))
    assert low is not None and high is not None and F(-382, 10_000) < low.bound < F(-22, 1_000) < high.bound < 0
