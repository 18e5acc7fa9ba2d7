r"""The first order in the steps: mean dynamics of updates that are not linear in their step sizes, for steps → 0.

Evaluated on power series in the steps (:mod:`tdcert.theory.engine.series`), on every transition

    y' = (K + Σ_k step_k G_k(m)) y + Σ_k step_k g_k(m) + O(step²),        m' = R_m m + s + O(step),

with one K for all transitions, or one for each. *One K.* Let 1 be a semisimple eigenvalue of K, all others inside the
unit circle; the rows of L span the left and the columns of R the right eigenvectors of 1, L R = I. Then s = L y are
slow, y = R s + O(step), and

    s' = s + Σ_k step_k (L G_k(m) R s + L g_k(m)) + O(step²) + step · (what is O(step) in y − R s)

for L(K − I) = 0: the mean dynamics are J_k = L E[G_k] R and L E[g_k]. Where K = I the slow parameters are y. Else
y − R s is a memory that depends on the parameters (the last step of momentum), and L may divide some rows by a number,
but not others: momentum m is stable at the ratio η of steps where the algorithm without it is stable at η(1 − m).

*K depends on the transition.* Let the columns of R span what rests on every transition, K_e R = R, and y = R s + Q u in
coordinates in which K_e is (I B_e; 0 C_e). Second moments of u' = C_e u are to die out: then so does u but for what the
steps bring, u = O(step). On context h let L_h = (I ℓ_h) solve L_h = Σ_{h → h'} p L_{h'} K_e, that is
ℓ_h = Σ p (B_e + ℓ_{h'} C_e). The mean of L_{h'} y' − L_h y, given the past, is of the order of the steps then, and the
mean dynamics are J_k = E[L_{h'} G_k] R and E[L_{h'} g_k]. (L_{h'} K_e u less its mean is of that order as well: it is
noise, and no part of the mean.)

Only terms of the first degree in *all* steps together are left. That says what happens at small constant steps in fixed
ratios; on two time scales each slow parameter must move by multiples of its own step, for a square of the other one
would outweigh it. An update that moves without a step by anything else, or by what it remembers, is refused.

Source: Kushner and Yin, *Stochastic Approximation and Recursive Algorithms and Applications*, 2003, chapter 8 (constant
steps, noise that depends on the state); L, R: Kato, *Perturbation Theory for Linear Operators*, 1980, §II.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, overload

import scipy
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense, Flint
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.definiteness import is_positive_definite
from tdcert.theory.engine.declare import Algorithm, Slot
from tdcert.theory.engine.means import Stationary, means_of_tables, stationary, traced_or_none
from tdcert.theory.engine.memory import Unknown, Weights, solved
from tdcert.theory.engine.regime import Mat
from tdcert.theory.engine.series import Pair
from tdcert.theory.engine.tables import Fan, Parts, Place, Tables
from tdcert.theory.engine.terms import Exponents
from tdcert.theory.engine.terms import Place as TermPlace
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.laws.mean_at_step import radius_sign
from tdcert.theory.model.mdp import Model

Beyond = frozenset[tuple[int, Pair]]
"""Pairs of a row of all parameters and a product of two steps that was cut off there."""
AT_ZERO = "with step sizes of zero its parameters follow y' = K y"


@dataclass(frozen=True)
class Limit:
    """L (r×D) and R (D×r): the slow parameters are s = L y, and y = R s up to O(step). ``lefts``: the L of each context
    where K depends on the transition; ``left`` is that of the first one then.
    """

    left: RationalMatrix
    right: RationalMatrix
    lefts: tuple[RationalMatrix, ...] = ()

    @cached_property
    def is_all(self) -> bool:
        """Whether K = I, so that s = y."""
        return self.left == self.right and self.left.shape[0] == self.left.shape[1]

    def outweighed(self, algorithm: Algorithm, beyond: Beyond, slow: Sequence[int]) -> str:
        """Why the step of these slow parameters does not say how they move on two time scales, with what was cut off
        ``beyond`` first order; empty where it does.
        """
        for i in slow:
            rows = {j for left in self.lefts or (self.left,) for j, x in enumerate(left.rows[i]) if x != 0}
            if any((j, (1, 1)) in beyond for j in rows):
                return f"{algorithm.steps[1]}² moves a slow parameter, which may outweigh its own step"
        return ""

    def of_means(self, means: Mapping[Exponents, Mat], kind: type[Mat]) -> dict[Exponents, Mat]:
        """[L A R, L b] of each [A b] that a step size multiplies."""
        left, right = kind.enclosing(self.left), kind.enclosing(self.right)
        D, found = self.left.shape[1], {}
        for powers, mean in means.items():
            if any(powers):
                moved = left @ mean
                found[powers] = (moved.take(columns=range(D)) @ right).beside(moved.take(columns=[D]))
        return found


def rows_of(places: Sequence[TermPlace], beyond: Iterable[tuple[int, Pair]]) -> Beyond:
    """What was cut off in which rows of all parameters, from what was in which place."""
    return frozenset(
        (places[row].at + i, pair) for row, pair in beyond if row < len(places) for i in range(places[row].width)
    )


def limit_of(K: RationalMatrix) -> Limit | str:
    """The limit L, R of the update at steps zero, y' = K y (K D×D), or why there is none."""
    return _limit_of_parts([K], [], 1)


Arrow = tuple[int, int, fmpq]
"""Source and target among contexts, and the probability of a transition."""


def _limit_of_parts(each: Sequence[RationalMatrix], arrows: Sequence[Arrow], contexts: int) -> Limit | str:
    """The limit where K is one, or that of ``each`` of these ``arrows``; entries that never meet are taken apart."""
    D = each[0].shape[0]
    places = {(i, j) for K in set(each) for i, row in enumerate(K.scalars) for j, x in enumerate(row) if x != 0}
    graph = scipy.sparse.coo_array(([1] * len(places), tuple(zip(*places, strict=True)) or ([], [])), shape=(D, D))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    parts: dict[int, list[int]] = defaultdict(list)
    for i, which in enumerate(label.tolist()):
        parts[which].append(i)
    known: dict[tuple[RationalMatrix, ...], Limit | str] = {}
    lefts, right = [list[list[Fraction]]() for _ in range(contexts)], list[list[Fraction]]()
    for part in parts.values():
        blocks = {K: K.take(part, part) for K in set(each)}
        key = tuple(blocks[K] for K in each)
        if key not in known:
            known[key] = _limit_of_part(key[0]) if len(set(key)) == 1 else _limit_of_each(key, arrows, contexts)
        found = known[key]
        if isinstance(found, str):
            return f"{AT_ZERO}, and K has {found}"
        own = (*found.lefts, *[found.left] * (contexts - len(found.lefts)))
        for rows, matrix in (*zip(lefts, own, strict=True), (right, found.right.T)):
            for vector in matrix.rows:
                rows.append([Fraction(0)] * D)
                for i, x in zip(part, vector, strict=True):
                    rows[-1][i] = x
    if not right:
        return f"{AT_ZERO}, and K does not have 1 as an eigenvalue: every parameter forgets what it was"
    made = tuple(map(RationalMatrix, lefts))
    return Limit(made[0], RationalMatrix(right).T, made if arrows else ())


def limit_from(algorithm: Algorithm, found: Limit | str) -> Limit:
    """The limit of an update. Raises :class:`InputError` where there is none."""
    if isinstance(found, str):
        name, place = algorithm.name, algorithm.place()
        instead = "let parameters rest where step sizes are zero"
        raise InputError(f"the update '{name}' has no mean dynamics for steps → 0: {found} ({place}); {instead}")
    return found


def _limit_of_part(K: RationalMatrix) -> Limit | str:
    unit = K.identity(K.shape[0])
    right, left = _kernel(K - unit), _kernel((K - unit).T).T
    if left.shape[0]:
        try:
            left = (left @ right).solve(left)
        except SingularMatrixError:
            return "1 as an eigenvalue that is not semisimple: parameters run off linearly before any step moves them"
    sign = radius_sign(K - right @ left if left.shape[0] else K)
    if sign == 1:
        return "an eigenvalue outside the unit circle: parameters grow before any step moves them"
    if sign != -1:
        return "another eigenvalue than 1 on the unit circle: parameters go round for ever"
    return Limit(left, right)


def _limit_of_each(each: Sequence[RationalMatrix], arrows: Sequence[Arrow], contexts: int) -> Limit | str:
    """The limit where the K of transitions differ."""
    N = RationalMatrix([row for K in set(each) for row in (K - K.identity(K.shape[0])).rows])
    moved, right = N.column_basis[0], _kernel(N)
    free = [j for j in range(N.shape[1]) if j not in moved]
    fixed = right.take(rows=moved)  # y_moved = fixed s + u, with s = y_free
    B = {K: K.take(free, moved) for K in set(each)}
    C = {K: K.take(moved, moved) - fixed @ B[K] if free else K for K in set(each)}
    moves = [(*arrow, B[K].scalars, C[K].scalars) for K, arrow in zip(each, arrows, strict=True)]
    if not _dies_out([(h, g, p, c) for h, g, p, _, c in moves], contexts, len(moved)):
        return "a part that differs from transition to transition, whose second moments do not die out"
    back, known = defaultdict[tuple[Unknown, Unknown], fmpq](fmpq), dict[Unknown, list[fmpq]]()
    for (h, g, p, b, c), k in product(moves, range(len(moved))):
        known[h, k] = [x + p * row[k] for x, row in zip(known.get((h, k), [fmpq(0)] * len(free)), b, strict=True)]
        for i, row in enumerate(c):
            back[(h, k), (g, i)] += p * row[k]
    every = list(product(range(contexts), range(len(moved))))
    found = solved(every, _nonzero(back), known, len(free), RationalMatrix) if free else {}
    unit, lefts = RationalMatrix.zeros(1, 1).identity(N.shape[1]), list[RationalMatrix]()
    for h in range(contexts):
        L = unit.take(rows=free)
        if free:
            ell = RationalMatrix.of_scalars([x for k in range(len(moved)) for x in found[h, k]], len(free)).T
            L = L + ell @ (unit.take(rows=moved) - fixed @ L)
        lefts.append(L)
    return Limit(lefts[0], right, tuple(lefts))


def _dies_out(moves: Iterable[tuple[int, int, fmpq, list[list[fmpq]]]], contexts: int, size: int) -> bool:
    """Whether second moments of u' = C u die out: where X(h') = Σ p C X(h) Cᵀ + I has a solution X ≻ 0. (That keeps
    the order of symmetric matrices, so X is at least every sum of its powers on I.)
    """
    weights = defaultdict[tuple[Unknown, Unknown], fmpq](fmpq)
    pairs = [(i, j) for i in range(size) for j in range(i, size)]
    for (h, g, p, c), (i, j) in product(moves, pairs):
        for (k, x), (m, y) in product(enumerate(c[i]), enumerate(c[j])):
            weights[(g, i, j), (h, min(k, m), max(k, m))] += p * x * y
    every = [(h, i, j) for h in range(contexts) for i, j in pairs]
    try:
        X = solved(
            every,
            _nonzero(weights),
            {(h, i, i): [fmpq(1)] for h in range(contexts) for i in range(size)},
            1,
            RationalMatrix,
        )
    except SingularMatrixError:
        return False
    entries = [[X[h, min(i, j), max(i, j)][0] for i in range(size) for j in range(size)] for h in range(contexts)]
    return all(is_positive_definite(RationalMatrix.of_scalars(row, size)) for row in entries)


def _nonzero(weights: Weights) -> Weights:
    return {pair: x for pair, x in weights.items() if x != 0}


def _kernel(N: RationalMatrix) -> RationalMatrix:
    """A basis of {x: N x = 0}, as columns: the identity where the entries are free."""
    size = N.shape[1]
    columns, T = N.column_basis
    free = [j for j in range(size) if j not in columns]
    found = [[Fraction(int(i == j)) for j in free] for i in range(size)]
    for i, row in zip(columns, T.rows, strict=True):
        found[i] = [-row[j] for j in free]
    return RationalMatrix(found) if free else RationalMatrix.zeros(size, 0)


@dataclass(frozen=True, eq=False)
class FirstOrder(Stationary[Dense]):
    """The slow parameters of an update, to first order in its steps, as an update that is linear in them."""

    @cached_property
    def limit(self) -> Limit:
        """L and R. Raises :class:`InputError` where there is no such limit."""
        moved = None if self._whole is None else self._whole.at_zero
        found = _limit_of_tables(self.raw) if moved is None else limit_of(moved + moved.identity(moved.shape[0]))
        return limit_from(self.algorithm, found)

    @property
    def D(self) -> int:
        """How many slow parameters there are."""
        return self.limit.left.shape[0]

    @cached_property
    def tables(self) -> Tables:
        """The tables of the slow parameters: L G R and L g, without what is cut off."""
        return reduced(self.raw, self.limit)

    @cached_property
    def by_exponents(self) -> dict[Exponents, Dense]:
        """[L A R, L b] of each step size."""
        if self._products is None or self.limit.lefts:
            return means_of_tables(self.tables, self.memory)
        return self.limit.of_means(self._products.by_exponents, self.kind)

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes that stand in some increment; all are of first degree."""
        if self._whole is None:
            return self.tables.powers
        return tuple(powers for powers in self._whole.powers if any(powers))

    @property
    def predictions(self) -> RationalMatrix | None:
        """The matrix of the predictions Φθ from the slow parameters; None where :class:`Stationary` has none."""
        plain = super().predictions
        return None if plain is None else plain @ self.limit.right

    def parameters_at(self, slow: Dense) -> Dense:
        """All parameters R s at the slow parameters s."""
        return self.kind.enclosing(self.limit.right) @ slow

    def covariance_at(self, slow: Dense) -> Dense:
        """The covariance R X Rᵀ of all parameters for a covariance X of the slow ones."""
        right = self.kind.enclosing(self.limit.right)
        return right @ slow @ right.T

    @property
    def noise_beside(self) -> str:
        """What else makes noise of the order of the steps than the increments of slow parameters; empty if nothing."""
        return (
            "what does not rest at step sizes of zero makes noise of the order of the steps" if self.limit.lefts else ""
        )

    def outweighed(self, slow: Sequence[int]) -> str:
        """Why two time scales are not apart although each step moves parameters of its own; empty where they are."""
        return self.limit.outweighed(self.algorithm, self.raw_beyond, slow)

    @cached_property
    def raw_beyond(self) -> Beyond:
        """The pairs of a row of all parameters and a product of two steps that was cut off there."""
        if self.terms is None:
            return frozenset(cut for edge in self.raw.edges for cut in edge.fan.beyond)
        return rows_of(self.terms.parameters, self.terms.beyond)


def first_order(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    kind: type[Dense],
    *,
    interest: Sequence[Fraction] | None = None,
) -> FirstOrder[Dense]:
    """The slow parameters of an algorithm on a recurrent class, as of
    :func:`~tdcert.theory.engine.means.stationary`. Raises :class:`InputError` also where there is no limit.
    """
    terms = traced_or_none(model, algorithm, states, interest=interest, first_order=True)
    found = FirstOrder(model, algorithm, tuple(states), kind, None, interest, terms, True)
    _ = found.limit
    return found


@overload
def with_mean_dynamics(model: Model, algorithm: Algorithm, states: Sequence[int]) -> Stationary[RationalMatrix]: ...
@overload
def with_mean_dynamics(
    model: Model, algorithm: Algorithm, states: Sequence[int], *, kind: type[Dense]
) -> Stationary[Dense]: ...
def with_mean_dynamics(
    model: Model, algorithm: Algorithm, states: Sequence[int], *, kind: type[Flint] = RationalMatrix
) -> Stationary[Any]:
    """The update itself where it is linear in its steps; else its first order.

    Raises :class:`InputError` for an update that has neither, and as :func:`~tdcert.theory.engine.means.stationary`.
    """
    try:
        found = stationary(model, algorithm, states, kind=kind)
        is_linear = all(sum(powers) == 1 for powers in found.powers)
    except InputError:  # steps in its memory, or in a divisor
        is_linear = False
    return found if is_linear else first_order(model, algorithm, states, kind)


def reduced(found: Tables, limit: Limit) -> Tables:
    """Tables of first order as those of the slow parameters."""
    made: dict[tuple[Fan, RationalMatrix], Fan] = {}
    edges = []
    for edge in found.edges:
        left = limit.lefts[edge.target] if limit.lefts else limit.left
        if (edge.fan, left) not in made:
            made[edge.fan, left] = _reduced_fan(edge.fan, left, limit.right)
        edges.append(replace(edge, fan=made[edge.fan, left]))
    parameters = found.parameters if limit.is_all else (Slot("slow", (limit.left.shape[0],)),)
    return replace(found, parameters=parameters, edges=tuple(edges), order=1)


def _reduced_fan(fan: Fan, L: RationalMatrix, R: RationalMatrix) -> Fan:
    left = [[(i, to_fmpq(x)) for i, x in enumerate(column) if x != 0] for column in L.T.rows]
    right = [[(j, to_fmpq(x)) for j, x in enumerate(row) if x != 0] for row in R.rows]
    right.append([(R.shape[1], fmpq(1))])
    made: dict[Exponents, dict[Place, Parts]] = {}
    for powers, part in fan.G.items():
        if any(powers):
            entries: dict[Place, Parts] = defaultdict(list)
            for (entry, row, column), parts in part.items():
                for i, x in left[row]:
                    for j, y in right[column]:
                        entries[entry, i, j] += [(k, z * x * y) for k, z in parts]
            made[powers] = dict(entries)
    return replace(fan, G=made)


def _limit_of_tables(found: Tables) -> Limit | str:
    """The limit of first order, or why there is none."""
    zero = (0,) * len(found.algorithm.steps)
    parts = [edge.increments.get(zero, {}) for edge in found.edges]
    if any(entry is not None for part in parts for entry, _, _ in part):
        return "the memory moves its parameters without a step size"
    if any(column == found.D for part in parts for _, _, column in part):
        return "its parameters move by numbers that no step size multiplies"
    made: dict[frozenset[tuple[Place, fmpq]], RationalMatrix] = {}
    for part in parts:
        key = frozenset(part.items())
        if key not in made:
            rows = [[Fraction(int(i == j)) for j in range(found.D)] for i in range(found.D)]
            for (_, i, j), x in part.items():
                rows[i][j] += to_fraction(x)
            made[key] = RationalMatrix(rows)
    if len(made) == 1:
        return limit_of(made[key])
    arrows = [(edge.source, edge.target, to_fmpq(edge.outcome.probability)) for edge in found.edges]
    return _limit_of_parts([made[frozenset(part.items())] for part in parts], arrows, len(found.contexts))
