r"""Named models, each with its source: known answers for the tests, witnesses for the claims.

States count from 0 in the matrices; docstrings say which state of the source that is. Episodes restart: a
terminal state stays a state, left with reward 0, discount 0, to the start law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Number = Fraction | int
Either = TypeVar("Either")
Pair = tuple[Either, Either]
HALF = Fraction(1, 2)


def one_state(
    gamma: Number, schedule: Schedule | None = None, features: Sequence[Number] = (1,), reward: Number = 1
) -> Model:
    """One state that returns to itself, so M = κ and A = (κ − 1) φφᵀ.

    The smallest witness about hypotheses of Proposition 4.1 wherever one state will do: γ = 1 gives A = 0;
    γ = ½, λ_1 = −3 gives κ = 5/4 and A = ¼ > 0; two features for one state lack full column rank.
    """
    one = RationalMatrix([[1]])
    return Model.reward_process(
        one, one.scaled(reward), Fraction(gamma), RationalMatrix([features]), schedule, "one state"
    )


def uncovered_action() -> Model:
    """One state, two actions, μ = (1, 0), π = (½, ½), reward 1: no coverage (Theorem 3.2 of the paper).

    With θ = 1 and γ = ½ the target sees E δφ = ½, the behaviour E[ρδφ] = ½ · ½ = ¼.
    """
    one = RationalMatrix([[1]])
    names = ("taken", "never taken")
    return _two_actions("uncovered action", names, (one, one), one, HALF, (1, 0), (HALF, HALF), one, None)


def absorbing_pair(features: Sequence[Sequence[Number]] = ((1,), (0,))) -> Model:
    """Two states, the first goes to the second for good, γ = ½: reducible, and its law is (0, 1).

    φ = (1, 0) vanishes where the chain ends, so A = 0; φ = (0, 1) does not, and A = κ − 1 < 0:
    irreducibility is sufficient for Proposition 4.1, not necessary.
    """
    P, r = RationalMatrix([[0, 1], [0, 1]]), RationalMatrix.column([1, 0])
    return Model.reward_process(P, r, HALF, RationalMatrix(features), None, "absorbing pair")


def flip_chain(
    gamma: Number | RationalMatrix = HALF,
    schedule: Schedule | None = None,
    features: Sequence[Sequence[Number]] = ((1,), (1,)),
) -> Model:
    """Two states that alternate, rewards (1, 0): the smallest chain of period 2.

    With φ = 1, γ = ½ and TD(0): A = −½, b = ½, θ* = 1, which the step sizes of the witness against Theorem
    4.2 as printed fail to reach. With φ = (1, −1) and one λ_1 > 1/γ, A > 0. ``gamma`` may be a 2×2 matrix.
    """
    P, r = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([1, 0])
    discount = gamma if isinstance(gamma, RationalMatrix) else Fraction(gamma)
    return Model.reward_process(P, r, discount, RationalMatrix(features), schedule, "flip chain")


def fair_coin_chain(gamma: Number = 1, schedule: Schedule | None = None) -> Model:
    """Two states, each next state drawn evenly, φ = (1, −1): Pφ = 0, so A = −C = −1 even at γ = 1.

    γ < 1 is sufficient for Proposition 4.1, not necessary.
    """
    P, r, Phi = RationalMatrix([[HALF, HALF]] * 2), RationalMatrix.column([1, 0]), RationalMatrix([[1], [-1]])
    return Model.reward_process(P, r, Fraction(gamma), Phi, schedule, "fair coin chain")


def theta_to_two_theta(gamma: Number, schedule: Schedule | None = None, rewards: Sequence[Number] = (0, 0)) -> Model:
    """Two states with features 1 and 2; behaviour draws the next state evenly, target takes the second.

    Tsitsiklis and Van Roy (1996), "Feature-based methods for large scale dynamic programming", Machine
    Learning 22; Sutton and Barto (2018), Reinforcement Learning, §11.2. ``rewards``: on leaving each state.
    """
    P = RationalMatrix([[1, 0], [1, 0]]), RationalMatrix([[0, 1], [0, 1]])
    r, Phi = RationalMatrix.column(rewards), RationalMatrix([[1], [2]])
    return _two_actions("θ→2θ", ("to 1", "to 2"), P, r, gamma, (HALF, HALF), (0, 1), Phi, schedule)


def bairds_star(gamma: Number, schedule: Schedule | None = None) -> Model:
    """Baird's star: seven states, eight features; state i ≤ 6 has the value 2θ_i + θ_8, state 7 θ_7 + 2θ_8.

    The dashed action leads evenly to states 1–6, the solid one to state 7; behaviour takes them with 6/7 and
    1/7, which makes its law uniform, the target takes the solid one; all rewards are 0. rank Φ = 7 < 8.
    Baird (1995), "Residual algorithms", ICML, as in Sutton and Barto (2018), Example 11.1; A5.3 of the paper.
    """
    sixth = Fraction(1, 6)
    upper = [[2 * int(i == j) for j in range(7)] + [1] for i in range(6)]
    P = RationalMatrix([[sixth] * 6 + [0]] * 7), RationalMatrix([[0] * 6 + [1]] * 7)
    zero, Phi = RationalMatrix.zeros(7, 1), RationalMatrix([*upper, [0] * 6 + [1, 2]])
    policies = (Fraction(6, 7), Fraction(1, 7)), (0, 1)
    return _two_actions("Baird's star", ("dashed", "solid"), P, zero, gamma, *policies, Phi, schedule)


STAR_SCALE = 104
"""Inner products of the features of :func:`bairds_star_of_full_rank` over those of the star."""


def bairds_star_of_full_rank(gamma: Number, schedule: Schedule | None = None) -> Model:
    """Baird's star on the quotient by what its features do not see: seven features G with GGᵀ = 104 ΦΦᵀ, rank 7.

    Updates use features through inner products alone, so along one trajectory the steps α/104, β/104 here give the
    predictions Gu, Gw of α, β there, from equal ones. Rational G exists since 26, the square of the null vector
    (−1, …, −1, −4, 2), is a sum of two squares: a rotation by (5 + i) and a reflection take it to a coordinate.
    """
    turn = ((20, 4), (-4, 20))
    common = (2, 3) * 3
    upper = [[(turn[i % 2][j % 2] if i // 2 == j // 2 else 0) - common[j] for j in range(6)] + [13] for i in range(6)]
    G = RationalMatrix([*upper, [3 * x for x in common] + [13]])
    return replace(bairds_star(gamma, schedule).with_features(G), name="Baird's star, seven features")


def boyan_chain(schedule: Schedule | None = None) -> Model:
    """Boyan's chain: states 12 … 0 (row s is state s), from s ≥ 2 evenly to s − 1 or s − 2 with reward −3,
    from 1 to 0 with reward −2; γ = 1; state 0 ends the episode and restarts in 12. V(s) = −2s.

    Four hat functions with tops at 12, 8, 4 and 0: feature k of state s is max(0, 1 − |s − top_k|/4).
    Boyan (2002), "Technical update: least-squares temporal difference learning", Machine Learning 49.
    """
    P: list[list[Number]] = [[0] * 13 for _ in range(13)]
    P[0][12] = 1
    P[1][0] = 1
    for s in range(2, 13):
        P[s][s - 1] = P[s][s - 2] = HALF
    hats = [[max(Fraction(0), 1 - Fraction(abs(s - top), 4)) for top in (12, 8, 4, 0)] for s in range(13)]
    r = RationalMatrix.column([0, -2] + [-3] * 11)
    stays = RationalMatrix([[int(s != 0)] * 13 for s in range(13)])
    return Model.reward_process(RationalMatrix(P), r, stays, RationalMatrix(hats), schedule, "Boyan's chain")


def random_walk_5(schedule: Schedule | None = None, ends: tuple[Number, Number] = (0, 1)) -> Model:
    """Random walk on A … E (rows 1–5) between two ends (rows 0 and 6), from the centre C, γ = 1, tabular.

    Stepping left and right is equally likely; only the step into an end is rewarded, with ``ends``. Then
    V(i) = left + (right − left) i/6: i/6 for the rewards 0 and 1. Sutton and Barto (2018), Example 6.2.
    """
    P: list[list[Number]] = [[0] * 7 for _ in range(7)]
    R: list[list[Number]] = [[0] * 7 for _ in range(7)]
    for i in range(1, 6):
        P[i][i - 1] = P[i][i + 1] = HALF
    P[0][3] = P[6][3] = 1
    R[1][0], R[5][6] = ends
    stays = RationalMatrix([[int(0 < i < 6)] * 7 for i in range(7)])
    walk, r = RationalMatrix(P), RationalMatrix(R)
    return Model.reward_process(walk, r, stays, None, schedule, "random walk of five states")


def random_chain(gamma: Number = Fraction(9, 10), schedule: Schedule | None = None) -> Model:
    """The Random Chain of A5.2: states 1–15 in a line (rows 1–15) between two ends (rows 0 and 16), tabular.

    Action L steps down with probability 0.9 and up with 0.1, R the other way round; a step to state 5 or 10
    is rewarded with 1; behaviour takes both evenly, the target L with 0.6. Not said there, and chosen here:
    states count from 1, an episode starts evenly in 1–15, and the ends restart (else the law sits on them).
    """
    likely, unlikely = Fraction(9, 10), Fraction(1, 10)
    rewards = RationalMatrix([[int(0 < i < 16 and j in (5, 10)) for j in range(17)] for i in range(17)])
    restart: list[Number] = [0, *[Fraction(1, 15)] * 15, 0]

    def walk(down: Fraction) -> RationalMatrix:
        P: list[list[Number]] = [restart] + [[0] * 17 for _ in range(15)] + [restart]
        for s in range(1, 16):
            P[s][s - 1], P[s][s + 1] = down, 1 - down
        return RationalMatrix(P)

    discount = RationalMatrix.column([Fraction(gamma) if 0 < s < 16 else 0 for s in range(17)])
    P, policies = (walk(likely), walk(unlikely)), ((HALF, HALF), (Fraction(3, 5), Fraction(2, 5)))
    tabular = discount.identity(17)
    return _two_actions("random chain", ("L", "R"), P, rewards, discount, *policies, tabular, schedule)


def _two_actions(
    name: str,
    actions: Pair[str],
    P: Pair[RationalMatrix],
    r: RationalMatrix,
    gamma: Number | RationalMatrix,
    behaviour: Pair[Number],
    target: Pair[Number],
    Phi: RationalMatrix,
    schedule: Schedule | None,
) -> Model:
    """Two actions with the same rewards and discounts, and policies that are the same in every state."""
    n = Phi.shape[0]
    discount = gamma if isinstance(gamma, RationalMatrix) else RationalMatrix.column([Fraction(gamma)] * n)
    mu, pi = RationalMatrix([behaviour] * n), RationalMatrix([target] * n)
    return Model(actions, P, (r, r), (discount, discount), mu, pi, Phi, schedule or Schedule(), name)
