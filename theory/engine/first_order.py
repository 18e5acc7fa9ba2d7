r"""The first order in the steps: mean dynamics of updates that are not linear in their step sizes, for steps → 0.

Evaluated on power series in the steps (:mod:`tdcert.theory.engine.series`), on every transition

    y' = (K + Σ_k step_k G_k(m)) y + Σ_k step_k g_k(m) + O(step²),        m' = R_m m + s + O(step),

with one K for all transitions. Let 1 be a semisimple eigenvalue of K, all others inside the unit circle; the rows of L
span the left and the columns of R the right eigenvectors of 1, L R = I. Then s = L y are slow, y = R s + O(step), and

    s' = s + Σ_k step_k (L G_k(m) R s + L g_k(m)) + O(step²) + step · (what is O(step) in y − R s)

for L(K − I) = 0: the mean dynamics are J_k = L E[G_k] R and L E[g_k]. Where K = I the slow parameters are y. Else
y − R s is a memory that depends on the parameters (the last step of momentum), and L may divide some rows by a number,
but not others: momentum m is stable at the ratio η of steps where the algorithm without it is stable at η(1 − m).

Only terms of the first degree in *all* steps together are left. That says what happens at small constant steps in fixed
ratios; on two time scales each slow parameter must move by multiples of its own step, for a square of the other one
would outweigh it. An update whose K depends on the transition, or that moves without a step by anything else, is
refused.

Source: Kushner and Yin, *Stochastic Approximation and Recursive Algorithms and Applications*, 2003, chapter 8 (constant
steps, noise that depends on the state); L, R: Kato, *Perturbation Theory for Linear Operators*, 1980, §II.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.engine.declare import Algorithm, Slot
from tdcert.theory.engine.means import Stationary, means_of_tables, stationary, traced_or_none
from tdcert.theory.engine.memory import Kind
from tdcert.theory.engine.regime import Mat
from tdcert.theory.engine.series import Pair
from tdcert.theory.engine.tables import Exponents, Fan, Parts, Place, Tables
from tdcert.theory.engine.terms import Place as TermPlace
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.laws.mean_at_step import radius_sign
from tdcert.theory.model.mdp import Model

Beyond = frozenset[tuple[int, Pair]]
"""Pairs of a row of all parameters and a product of two steps that was cut off there."""
AT_ZERO = "with step sizes of zero its parameters follow y' = K y"


@dataclass(frozen=True)
class Limit:
    """L (r×D) and R (D×r): the slow parameters are s = L y, and y = R s up to O(step)."""

    left: RationalMatrix
    right: RationalMatrix

    @cached_property
    def is_all(self) -> bool:
        """Whether K = I, so that s = y."""
        return self.left == self.right and self.left.shape[0] == self.left.shape[1]

    def outweighed(self, algorithm: Algorithm, beyond: Beyond, slow: Sequence[int]) -> str:
        """Why the step of these slow parameters does not say how they move on two time scales, with what was cut off
        ``beyond`` first order; empty where it does.
        """
        for i in slow:
            rows = [j for j, x in enumerate(self.left.rows[i]) if x != 0]
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
    D = K.shape[0]
    places = [(i, j) for i, row in enumerate(K.scalars) for j, x in enumerate(row) if x != 0]
    graph = coo_array(([1] * len(places), tuple(zip(*places, strict=True)) or ([], [])), shape=(D, D))
    _, label = connected_components(graph, directed=False)
    parts: dict[int, list[int]] = defaultdict(list)
    for i, which in enumerate(label.tolist()):
        parts[which].append(i)
    known: dict[RationalMatrix, Limit | str] = {}
    left, right = list[list[Fraction]](), list[list[Fraction]]()
    for part in parts.values():
        block = K.take(part, part)
        if block not in known:
            known[block] = _limit_of_part(block)
        found = known[block]
        if isinstance(found, str):
            return f"{AT_ZERO}, and K has {found}"
        for rows, vectors in ((left, found.left.rows), (right, found.right.T.rows)):
            for vector in vectors:
                rows.append([Fraction(0)] * D)
                for i, x in zip(part, vector, strict=True):
                    rows[-1][i] = x
    if not left:
        return f"{AT_ZERO}, and K does not have 1 as an eigenvalue: every parameter forgets what it was"
    return Limit(RationalMatrix(left), RationalMatrix(right).T)


def limit_from(algorithm: Algorithm, change: RationalMatrix | str) -> Limit:
    """The limit of an update for which K − I is ``change``. Raises :class:`InputError` where there is none."""
    found = change if isinstance(change, str) else limit_of(change + change.identity(change.shape[0]))
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
class FirstOrder(Stationary):
    """The slow parameters of an update, to first order in its steps, as an update that is linear in them."""

    @cached_property
    def limit(self) -> Limit:
        """L and R. Raises :class:`InputError` where there is no such limit."""
        moved = None if self._whole is None else self._whole.at_zero
        change = _at_zero(self.raw) if moved is None else moved
        return limit_from(self.algorithm, change)

    @property
    def D(self) -> int:
        """How many slow parameters there are."""
        return self.limit.left.shape[0]

    @cached_property
    def tables(self) -> Tables:
        """The tables of the slow parameters: L G R and L g, without what is cut off."""
        return reduced(self.raw, self.limit)

    @cached_property
    def by_exponents(self) -> dict[Exponents, Any]:
        """[L A R, L b] of each step size."""
        if self._products is None:
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

    def parameters_at(self, slow: Any) -> Any:
        """All parameters R s at the slow parameters s."""
        return self.kind.enclosing(self.limit.right) @ slow

    def covariance_at(self, slow: Any) -> Any:
        """The covariance R X Rᵀ of all parameters for a covariance X of the slow ones."""
        right = self.kind.enclosing(self.limit.right)
        return right @ slow @ right.T

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
    *,
    interest: Sequence[Fraction] | None = None,
    kind: Kind = RationalMatrix,
) -> FirstOrder:
    """The slow parameters of an algorithm on a recurrent class, as of
    :func:`~tdcert.theory.engine.means.stationary`. Raises :class:`InputError` also where there is no limit.
    """
    terms = traced_or_none(model, algorithm, states, interest=interest, first_order=True)
    found = FirstOrder(model, algorithm, tuple(states), kind, None, interest, terms, True)
    _ = found.limit
    return found


def with_mean_dynamics(
    model: Model, algorithm: Algorithm, states: Sequence[int], *, kind: Kind = RationalMatrix
) -> Stationary:
    """The update itself where it is linear in its steps; else its first order.

    Raises :class:`InputError` for an update that has neither, and as :func:`~tdcert.theory.engine.means.stationary`.
    """
    try:
        found = stationary(model, algorithm, states, kind=kind)
        is_linear = all(sum(powers) == 1 for powers in found.powers)
    except InputError:  # steps in its memory, or in a divisor
        is_linear = False
    return found if is_linear else first_order(model, algorithm, states, kind=kind)


def reduced(found: Tables, limit: Limit) -> Tables:
    """Tables of first order as those of the slow parameters."""
    made: dict[Fan, Fan] = {}
    edges = []
    for edge in found.edges:
        if edge.fan not in made:
            made[edge.fan] = _reduced_fan(edge.fan, limit)
        edges.append(replace(edge, fan=made[edge.fan]))
    parameters = found.parameters if limit.is_all else (Slot("slow", (limit.left.shape[0],)),)
    return replace(found, parameters=parameters, edges=tuple(edges), order=1)


def _reduced_fan(fan: Fan, limit: Limit) -> Fan:
    left = [[(i, to_fmpq(x)) for i, x in enumerate(column) if x != 0] for column in limit.left.T.rows]
    right = [[(j, to_fmpq(x)) for j, x in enumerate(row) if x != 0] for row in limit.right.rows]
    right.append([(limit.right.shape[1], fmpq(1))])
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


def _at_zero(found: Tables) -> RationalMatrix | str:
    """K − I, or why there is none."""
    zero = (0,) * len(found.algorithm.steps)
    parts = [edge.increments.get(zero, {}) for edge in found.edges]
    if any(entry is not None for part in parts for entry, _, _ in part):
        return "the memory moves its parameters without a step size"
    if any(column == found.D for part in parts for _, _, column in part):
        return "its parameters move by numbers that no step size multiplies"
    if any(part != parts[0] for part in parts):
        return "what moves its parameters without a step size differs from transition to transition"
    rows = [[Fraction(0)] * found.D for _ in range(found.D)]
    for (_, i, j), x in parts[0].items():
        rows[i][j] = to_fraction(x)
    return RationalMatrix(rows)
