r"""The terms of an update on a large sparse model, and their coefficients as sparse kernels.

The function is evaluated as in :mod:`tdcert.theory.engine.terms`, once for each case of the numbers that it compares
and for each value of those by which it divides. A coefficient c is a polynomial in the numbers of a state and an
action, and in dot products with φ'; with it goes K(s, s') = Σ_a μ(a|s) P_a(s, s') c(s, a, s'), a signed sparse matrix
whose error is bounded row by row: of stored probabilities as in :mod:`tdcert.theory.arithmetic.sparse_products`, of c
in midpoints and radii, of dot products with φ' for each stored transition. Cases that φ'ᵀφ' decides tell next states
apart: K is then a sum over the classes of these.

What the update reads of the transition before needs no larger chain: where γ₋ and ρ₋ are those of the transition into
s, E[γ₋ⁱ ρ₋ʲ m; s] is the mean of one more part of the memory, which moves as m does, times γⁱρʲ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np
import scipy
from flint import fmpq

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.arithmetic.sparse_products import Columns, gammas, upward
from tdcert.theory.enclose.sparse_law import Mass
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.numbers import CASES, Cases, Exact, Unsettled
from tdcert.theory.engine.numbers import terms as monomials
from tdcert.theory.engine.series import Pair
from tdcert.theory.engine.terms import (
    AHEAD,
    DOTS,
    NEXT,
    NO_NUMBER,
    NUMBERS,
    PHI,
    At,
    Evaluator,
    Exponents,
    Place,
    Polynomial,
    Term,
)
from tdcert.theory.errors import InputError
from tdcert.theory.limits import EVALUATIONS, beyond, raised
from tdcert.theory.model.sparse_model import SparseModel

TRANSITIONS = 100_000
"""Stored transitions whose dot products are computed at a time (a hundred megabytes)."""

BEFORE = (NUMBERS.index("discount_before"), NUMBERS.index("rho_before"))
NOW = (NUMBERS.index("discount"), NUMBERS.index("rho"))
OF_STATES = ("lam", "interest")
"""Numbers that a model gives for each state."""
LAMBDA_NEXT = NUMBERS.index("lam_next")
Before = tuple[int, int]
"""Exponents of the discount and of ρ of the transition before."""
NOT_BEFORE: Before = (0, 0)
Coefficient = tuple[tuple[Exponents, tuple[fmpq, ...]], ...]
"""Monomials in the numbers of a transition with their factors, one for each evaluation; the first of them is 1."""
ALWAYS: Coefficient = (((0,) * (len(NUMBERS) + len(DOTS)), (fmpq(1),)),)
"""The number 1."""


@dataclass(frozen=True, eq=False)
class Signed:
    """A sparse kernel K. ``weights``: the CSR array W of floats; ``size`` (n,): at least Σ_j |K_ij|; ``wrong`` (n,): at
    least Σ_j |K_ij − W_ij|, and what a product of row i with numbers of at most 1 loses by rounding.
    """

    weights: Any
    size: Floats
    wrong: Floats

    def __matmul__(self, X: Columns) -> Columns:
        error = float(self.size.max()) * X.error + float(self.wrong.max()) * X.largest
        return Columns(self.weights @ X.mid, upward(error))

    @cached_property
    def sizes(self) -> Any:
        """|W|."""
        return self.weights if self.weights.data.min(initial=0.0) >= 0 else abs(self.weights)

    @cached_property
    def _column_rounding(self) -> Floats:
        return gammas(np.bincount(self.weights.indices, minlength=self.weights.shape[0]) + 2)

    def above(self, h: Floats) -> Floats:
        """At least |K| h (n,), for h ≥ 0."""
        return upward(self.sizes @ h + 2 * self.wrong * float(h.max()))

    def pushed(self, x: Mass) -> Mass:
        """Kᵀx."""
        size, moved = np.abs(x.mid), self.weights.T @ x.mid
        plain = self.sizes is self.weights and bool((x.mid >= 0).all())
        rounding = float(self._column_rounding @ (moved if plain else self.sizes.T @ size))
        return Mass(moved, upward(rounding + float(self.wrong @ size) + float(self.size.max()) * x.distance))


@dataclass(frozen=True, eq=False)
class SparseTerms:
    """An update on the states ``inside`` (a mask (n,)) of a sparse model. ``evaluations``, ``beyond``: as of
    :class:`~tdcert.theory.engine.terms.Terms`; ``which`` (n×m×k): the evaluation at each state, action and class of
    the next state, None where there is one; ``classes`` (n,): to which of the k classes a next state belongs.
    ``when``: names of the numbers whose values the function asked for, or which it compared.
    """

    model: SparseModel
    algorithm: Algorithm
    inside: Any
    parameters: tuple[Place, ...]
    memory: tuple[Place, ...]
    evaluations: tuple[Mapping[Term, Polynomial], ...]
    which: Any
    classes: Any
    beyond: frozenset[tuple[int, Pair]]
    when: frozenset[str]

    @cached_property
    def present(self) -> dict[Term, list[tuple[Before, fmpq, Coefficient]]]:
        """Each term as a sum: exponents of what was before, and x·c with the coefficient c."""
        every = dict.fromkeys(term for one in self.evaluations for term in one)
        return {term: self._parts(term, NOT_BEFORE) for term in every}

    def _parts(self, term: Term, more: Before) -> list[tuple[Before, fmpq, Coefficient]]:
        """What :attr:`present` says of a term, times the discount and ρ of the transition to these powers."""
        found: dict[Before, dict[Exponents, list[fmpq]]] = {}
        for k, one in enumerate(self.evaluations):
            for powers, x in one.get(term, {}).items():
                before = powers[BEFORE[0]], powers[BEFORE[1]]
                rest = list(powers)
                for place, now, power in zip(BEFORE, NOW, more, strict=True):
                    rest[place], rest[now] = 0, rest[now] + power
                factors = found.setdefault(before, {}).setdefault(tuple(rest), [fmpq(0)] * len(self.evaluations))
                factors[k] = x
        return [(before, *_normalised(parts)) for before, parts in found.items()]

    def moved(self, term: Term, more: Before) -> list[tuple[Before, fmpq, Coefficient]]:
        """What :attr:`present` says of a term of the memory that stands for m times what was before to these powers."""
        return self.present[term] if more == NOT_BEFORE else self._parts(term, more)

    # ---- numbers of states and actions ----------------------------------------------------------

    @cached_property
    def _policies(self) -> dict[str, MidRadMatrix]:
        """π, μ, and ρ where μ > 0 (n×m)."""
        model, found = self.model, dict[str, MidRadMatrix]()
        errors = {of: model.policy_error(of)[:, None] for of in ("target", "behaviour")}
        for name, of in (("pi", "target"), ("mu", "behaviour")):
            stored = getattr(model, of)
            found[name] = MidRadMatrix(stored, upward(stored * errors[of]) * (errors[of] > 0))
        off = errors["target"] + errors["behaviour"]
        rho = np.divide(model.target, model.behaviour, out=np.zeros_like(model.target), where=model.behaviour > 0)
        wrong = upward(rho * (off * (1 + 4 * off) + 2 * UNIT)) * (rho > 0)
        if not {"behaviour", "target"} & model.ratios.keys():
            wrong = np.where((model.target == model.behaviour).all(axis=1)[:, None], 0.0, wrong)  # ρ is one
        found["rho"] = MidRadMatrix(rho, wrong)
        return found

    def _number(self, which: int) -> MidRadMatrix:
        """One of the numbers of a transition, n×1 where it depends on the state alone, else n×m."""
        model = self.model
        if which >= len(NUMBERS):
            vectors = {PHI: self.features, AHEAD: self.ahead}
            x, y = (vectors[v] for v in DOTS[which - len(NUMBERS)])
            rounding = gammas(model.d + 3) * (np.abs(x.mid) * np.abs(y.mid)).sum(axis=1)
            rounding = rounding + np.abs(x.mid) @ y.error + np.abs(y.mid) @ x.error + float(x.error @ y.error)
            return MidRadMatrix((x.mid * y.mid).sum(axis=1)[:, None], upward(rounding)[:, None])
        name = NUMBERS[which]
        key = {"discount": "discount", "reward": "rewards"}.get(name)
        if key is not None:
            stored = getattr(model, key).reshape(model.n, -1)
            return MidRadMatrix(stored, upward(np.abs(stored) * model.rounding(key)) * (model.rounding(key) > 0))
        if name in OF_STATES:
            stored, wrong = self._lambdas if name == "lam" else _rounded(self.model.interest or ())
            return MidRadMatrix(stored[:, None], wrong[:, None])
        return self._policies[name]

    @cached_property
    def _lambdas(self) -> tuple[Floats, Floats]:
        """λ(s) of each state (n,), where it is given by state, and bounds of its rounding."""
        return _rounded(self.model.lambda_by_state or ())

    def value(self, c: Coefficient, after: int = 0) -> MidRadMatrix:
        """c without its dot products with φ', at each state (n×1), or at each state and action (n×m); ``after``: the
        class of the next state.
        """
        m = len(self.model.actions)
        total: MidRadMatrix | None = None
        for powers, factors in c:
            part = self._factor(factors, after)
            for which, power in enumerate(powers):
                for _ in range(power):
                    other = self._number(which)
                    part, other = (part, other) if part.shape[1] >= other.shape[1] else (other, part)
                    part = part.scale_rows(other) if other.shape[1] == 1 else part.hadamard(other)
            if total is not None and total.shape != part.shape:
                total, part = (_wide(x, m) for x in (total, part))
            total = part if total is None else total + part
        assert total is not None
        return total

    def _factor(self, factors: Sequence[fmpq], after: int) -> MidRadMatrix:
        n = self.model.n
        nearest = np.array([int(x.p) / int(x.q) for x in factors])
        off = np.array(
            [2 * UNIT * (Fraction(y) != to_fraction(x)) for x, y in zip(factors, nearest.tolist(), strict=True)]
        )
        if len(set(factors)) == 1:
            return MidRadMatrix(np.full((n, 1), nearest[0]), np.full((n, 1), abs(nearest[0]) * off[0]))
        which = self.which[:, :, after]
        return MidRadMatrix(nearest[which], (np.abs(nearest) * off)[which])

    # ---- sums over transitions ------------------------------------------------------------------

    def sums(self, c: Coefficient) -> MidRadMatrix:
        """Σ_a μ(a|s) Σ_s' P_a(s, s') c(s, a, s') (n×1)."""
        if self._of_transitions(c):
            whole = self.kernel(c) @ Columns.exactly(np.ones((self.model.n, 1)))
            return MidRadMatrix(whole.mid, np.full_like(whole.mid, whole.error[0]))
        found = self.value(c)
        if found.shape[1] == 1:
            return found
        weighted = found.hadamard(self._policies["mu"])
        columns = [weighted.take(columns=[a]) for a in range(found.shape[1])]
        return sum(columns[1:], start=columns[0])

    def kernel(self, c: Coefficient) -> Signed:
        """K; zero outside of the class."""
        if c not in self._kernels:
            self._kernels[c] = self._built(c)
        return self._kernels[c]

    @cached_property
    def _kernels(self) -> dict[Coefficient, Signed]:
        return {}

    def _of_transitions(self, c: Coefficient) -> bool:
        """Whether c depends on the next state."""
        several = self.which is not None and self.which.shape[2] > 1
        return any((several and len(set(factors)) > 1) or _with_next(powers) for powers, factors in c)

    def _parts_of(self, c: Coefficient) -> list[tuple[Any, Floats, MidRadMatrix, Exponents, int | None]]:
        """K as a sum of stored kernels with their relative errors, times a number of each state, times dot products
        with φ' to some powers, at next states of one class (None: at all).
        """
        model, found = self.model, list[Any]()
        by_dots: dict[Exponents, list[tuple[Exponents, tuple[fmpq, ...]]]] = {}
        for powers, factors in c:
            by_dots.setdefault(_with_next(powers), []).append((_without_next(powers), factors))
        for dots, part in by_dots.items():
            same = self.which is None or all(len(set(factors)) == 1 for _, factors in part)
            for after in [None] if same or self.which.shape[2] == 1 else range(self.which.shape[2]):
                value = self.value(tuple(part), after or 0)
                if value.shape[1] == 1:
                    chain = model.behaviour_kernel
                    found.append((chain.weights, chain.entry_error, value, dots, after))
                    continue
                weighted = value.hadamard(self._policies["mu"])
                for a, (P, error) in enumerate(zip(model.transitions, model.row_errors, strict=True)):
                    found.append((P, error, weighted.take(columns=[a]), dots, after))
        return found

    def _built(self, c: Coefficient) -> Signed:
        model, parts = self.model, self._parts_of(c)
        W: Any = None
        size, wrong = np.zeros(model.n), np.zeros(model.n)
        for P, error, column, dots, after in parts:
            factor, off = (np.where(self.inside, x[:, 0], 0.0) for x in (column.mid, column.rad))
            scaled = P if (factor == 1).all() else _scaled_rows(P, factor)
            whole = np.abs(factor) + off
            missed = off + np.abs(factor) * (1 + 2 * error) * (error + (2 + len(parts)) * UNIT)
            if dots:
                mid, rad = self._dots(P, dots)
                scaled = scipy.sparse.csr_array((scaled.data * mid, scaled.indices, scaled.indptr), shape=scaled.shape)
                largest, off_by = (_row_largest(P, np.abs(x)) for x in (mid, rad))
                missed = (missed + 2 * UNIT * whole) * largest + (whole + missed) * off_by
                whole = whole * (largest + off_by)
            if after is not None:
                kept = scaled.data * (self.classes[scaled.indices] == after)
                scaled = scipy.sparse.csr_array((kept, scaled.indices, scaled.indptr), shape=scaled.shape)
            W = scaled if W is None else W + scaled
            size += whole
            wrong += missed
        rounding = gammas(np.diff(W.indptr) + 2)
        return Signed(W, upward(size), upward(wrong + rounding * (size + wrong)))

    def _dots(self, P: Any, powers: Exponents) -> tuple[Floats, Floats]:
        """A product of λ(s') and dot products with φ', for each stored transition of P: midpoints and radii (nnz,)."""
        after = P.indices
        before = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
        mid, rad = np.ones(len(after)), np.zeros(len(after))
        for _ in range(powers[LAMBDA_NEXT]):
            one, off = (x[after] for x in self._lambdas)
            rad = upward(np.abs(mid) * off + rad * (one + off) + 2 * UNIT * mid * one)
            mid = mid * one
        for (v, w), power in zip(DOTS, powers[len(NUMBERS) :], strict=True):
            if power:
                x, y = (self._at(of, before, after) for of in (v, w))
                one, off = np.empty(len(after)), np.empty(len(after))
                for k in range(0, len(after), TRANSITIONS):
                    here = slice(k, k + TRANSITIONS)
                    one[here], off[here] = _dot_products(x, y, here)
                for _ in range(power):
                    rad = upward(np.abs(mid) * off + rad * (np.abs(one) + off) + 2 * UNIT * np.abs(mid * one))
                    mid = mid * one
        return mid, rad

    def _at(self, v: int, before: Any, after: Any) -> tuple[Columns, Any]:
        return (self.ahead if v == AHEAD else self.features), (after if v == NEXT else before)

    # ---- vectors --------------------------------------------------------------------------------

    @cached_property
    def features(self) -> Columns:
        """Φ (n×d)."""
        Phi, rounded = self.model.features, self.model.rounding("features")
        found = Columns.exactly(Phi)
        return Columns(Phi, upward(rounded * found.largest)) if rounded else found

    @cached_property
    def ahead(self) -> Columns:
        """E_π φ' (n×d)."""
        return self._ahead(self.features)

    def _ahead(self, X: Columns) -> Columns:
        kernel = self.model.target_kernel
        return type(kernel)(kernel.weights, kernel.entry_error, np.ones(self.model.n)) @ X

    def vectors(self, v: int, columns: range | None) -> Columns:
        """φ or E_π φ' of each state, these columns of it; the number 1 where there are none."""
        if columns is None:
            return Columns.exactly(np.ones((self.model.n, 1)))
        part = slice(columns.start, columns.stop)
        Phi = Columns(np.ascontiguousarray(self.features.mid[:, part]), self.features.error[part])
        return self._ahead(Phi) if v == AHEAD else Phi

    def along(self, c: Coefficient, v: int, columns: range | None) -> Columns:
        """Σ_a Σ_s' μ P c v (n×k), v being φ, φ', E_π φ' or 1."""
        X = self.vectors(v, columns)
        return self.kernel(c) @ X if v == NEXT else scaled_rows(self.sums(c), X)


def _rounded(exact: Sequence[Fraction]) -> tuple[Floats, Floats]:
    """Numbers that are not negative, and bounds of their rounding."""
    stored = np.array([float(x) for x in exact])
    wrong = [UNIT * y if Fraction(y) != x else 0.0 for x, y in zip(exact, stored.tolist(), strict=True)]
    return stored, upward(np.array(wrong))


def scaled_rows(column: MidRadMatrix, X: Columns) -> Columns:
    """diag(column) X."""
    size, off = float(np.abs(column.mid).max()), float(column.rad.max())
    if size == 1 and not off and bool((column.mid == 1).all()):
        return X
    error = (size + off) * X.error + (off + 2 * UNIT * size) * X.largest
    return Columns(column.mid * X.mid, upward(error))


def _dot_products(x: tuple[Columns, Any], y: tuple[Columns, Any], here: slice) -> tuple[Floats, Floats]:
    """Dot products of rows of two arrays, and bounds of their errors."""
    (X, i), (Y, j) = x, y
    a, b = X.mid[i[here]], Y.mid[j[here]]
    sizes = np.abs(a), np.abs(b)
    rounding = gammas(a.shape[1] + 3) * (sizes[0] * sizes[1]).sum(axis=1)
    return (a * b).sum(axis=1), upward(rounding + sizes[0] @ Y.error + sizes[1] @ X.error + float(X.error @ Y.error))


def _row_largest(P: Any, sizes: Floats) -> Floats:
    """The largest of these numbers in each row of P, 0 where it has none."""
    found = np.zeros(P.shape[0])
    np.maximum.at(found, np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), sizes)
    return found


def _with_next(powers: Exponents) -> Exponents:
    """The exponents of λ(s') and of dot products with φ' alone; empty where there are none."""
    found = tuple(x * _is_of_next(k) for k, x in enumerate(powers))
    return found if any(found) else ()


def _without_next(powers: Exponents) -> Exponents:
    """The exponents of all other numbers."""
    return tuple(x * (not _is_of_next(k)) for k, x in enumerate(powers))


def _is_of_next(which: int) -> bool:
    """Whether a number of the transition depends on the next state."""
    return which == LAMBDA_NEXT or (which >= len(NUMBERS) and NEXT in DOTS[which - len(NUMBERS)])


def _scaled_rows(P: Any, factor: Floats) -> Any:
    data = P.data * np.repeat(factor, np.diff(P.indptr))
    return scipy.sparse.csr_array((data, P.indices, P.indptr), shape=P.shape)


def _wide(x: MidRadMatrix, m: int) -> MidRadMatrix:
    """n×1 as n×m."""
    return x if x.shape[1] == m else x.take(columns=[0] * m)


def _normalised(parts: Mapping[Exponents, Sequence[fmpq]]) -> tuple[fmpq, Coefficient]:
    ordered = sorted(parts.items())
    lead = next(x for x in ordered[0][1] if x != 0)
    found = []
    for powers, factors in ordered:
        scaled = tuple(x / lead for x in factors)
        found.append((powers, scaled[:1] if len(set(scaled)) == 1 else scaled))
    return lead, tuple(found)


# ---- evaluation -------------------------------------------------------------------------------------


def sparsely_traced(model: SparseModel, algorithm: Algorithm, states: Any, *, first_order: bool = False) -> SparseTerms:
    """The terms of an update on these states; ``first_order`` as of :func:`~tdcert.theory.engine.terms.traced`.

    Raises :class:`InputError` where vectors are taken apart, for an update that is not affine, and where the function
    divides by numbers that take more than :data:`EVALUATIONS` values, or compares those of a transition.
    """
    tracer = _SparseTracer(model, algorithm, states, first_order)
    return tracer.settled(tracer.terms)


class _SparseTracer(Evaluator):
    def __init__(self, model: SparseModel, algorithm: Algorithm, states: Any, first_order: bool) -> None:
        super().__init__(algorithm, model.d, None, first_order)
        self.model = model
        self.evaluations, self.beyond = list[Mapping[Term, Polynomial]](), set[tuple[int, Pair]]()
        self.cases, self.compared = list[tuple[Any, Any]](), set[str]()
        self.inside = np.zeros(model.n, dtype=bool)
        self.inside[states] = True
        self.pairs = np.nonzero((model.behaviour > 0) & self.inside[:, None])
        given = {"t.lam": model.lambda_by_state, "t.interest": model.interest}
        self.of_states = {name: values for name, values in given.items() if values is not None}
        self.single = {} if model.interest is not None else {"t.interest": fmpq(1)}
        if model.gamma is not None:
            self.single |= dict.fromkeys(("t.discount", "t.discount_before"), to_fmpq(model.gamma))
        if model.is_on_policy:
            self.single |= dict.fromkeys(("t.rho", "t.rho_before"), fmpq(1))
        if len(model.actions) == 1:
            self.single |= {"t.pi": fmpq(1), "t.mu": fmpq(1)}
        self.fixed |= self.single.keys()

    def terms(self) -> SparseTerms:
        """The terms at all states and actions."""
        states, actions = self.pairs
        varied = [self._numbered(name) for name in sorted(self.fixed - self.single.keys())]
        first: Any = [0]
        at: Any = None
        if varied:
            _, first, at = np.unique(np.column_stack(varied), axis=0, return_index=True, return_inverse=True)
            at = at.ravel()
        self._require(len(first), self.fixed - self.single.keys())
        self.evaluations, self.beyond, self.cases = [], set(), []
        groups = np.zeros(len(states), dtype=np.int64) if at is None else at
        everywhere = np.ones(self.model.n, dtype=bool)
        for group, k in enumerate(first):
            s, a = int(states[k]), int(actions[k])
            at_pair = At(partial(self._exactly, s, a), (s, a, -1))
            self._explore(at_pair, groups == group, everywhere, {})
        evaluations = self.evaluations
        told_apart = {after.tobytes(): after for _, after in self.cases}
        _, of, classes = np.unique(np.array([*told_apart.values()]), axis=1, return_index=True, return_inverse=True)
        by_pair = np.zeros((*self.model.behaviour.shape, len(of)), dtype=np.int64)
        for k, (pairs, after) in enumerate(self.cases):
            for j in np.flatnonzero(after[of]).tolist():
                by_pair[states[pairs], actions[pairs], j] = k
        space = self.space
        return SparseTerms(
            self.model,
            self.algorithm,
            self.inside,
            space.parameters,
            space.memory,
            tuple(evaluations),
            by_pair if len(evaluations) > 1 else None,
            classes.ravel(),
            frozenset(self.beyond),
            frozenset((self.fixed - self.single.keys()) | self.compared),
        )

    def _explore(self, at: At, chosen: Any, after: Any, signs: Mapping[str, int]) -> None:
        """Evaluates the function for the pairs ``chosen`` and the next states ``after`` (masks), once for each case of
        what it compares.
        """
        token = CASES.set(Cases(signs, ()))
        try:
            terms, cut = self.evaluated(at, self.space)
            if not self.evaluations:
                self.ask_again(at, terms)
        except Unsettled as asked:
            ahead = self._signs_ahead(asked.gap)
            found = self._signs(asked.gap, chosen) if ahead is None else ahead
            for sign in (1, -1, 0):
                pairs, states = (
                    (chosen & (found == sign), after) if ahead is None else (chosen, after & (found == sign))
                )
                if pairs.any() and states.any():
                    self._explore(at, pairs, states, {**signs, str(asked.gap): sign})
            return
        finally:
            CASES.reset(token)
        self._require(len(self.evaluations) + 1, ["several numbers"])
        self.cases.append((chosen, after))
        self.evaluations.append(terms)
        self.beyond |= cut

    def _signs_ahead(self, gap: Exact) -> Any:
        """The sign of a multiple of φ'ᵀφ' at each next state: a square is zero where φ' is; None for other gaps."""
        G, square = len(self.space.given), len(NUMBERS) + DOTS.index((NEXT, NEXT))
        parts = [(powers[:G], x) for powers, x in monomials(gap).items()]
        if len(parts) != 1 or [k for k, power in enumerate(parts[0][0]) if power] != [square]:
            return None
        model = self.model
        stored = model.ratios["features"].p if "features" in model.ratios else model.features
        return np.where((stored != 0).any(axis=1), 1 if parts[0][1] > 0 else -1, 0)

    def _signs(self, gap: Exact, chosen: Any) -> Any:
        """The sign of a polynomial at each pair: of its enclosure, or of the fraction where that does not tell."""
        G, names = len(self.space.given), self.space.given_names
        parts = {powers[:G] or NO_NUMBER: x for powers, x in monomials(gap).items()}
        used = {k for powers in parts for k, power in enumerate(powers) if power}
        for k in used:
            if k >= len(NUMBERS) or k in (*BEFORE, LAMBDA_NEXT):
                self._refuse("needs the value of", names[k])
        self.compared |= {names[k] for k in used}
        space = self.space
        given = self.model, self.algorithm, self.inside, space.parameters, space.memory
        nothing = SparseTerms(*given, (), None, None, frozenset(), frozenset())
        value = _wide(nothing.value(tuple((powers, (x,)) for powers, x in parts.items())), len(self.model.actions))
        mid, rad = (x[self.pairs] for x in (value.mid, value.rad))
        found = np.where(mid > rad, 1, np.where(mid < -rad, -1, 0))
        unsure = np.flatnonzero(chosen & (np.abs(mid) <= rad) & (rad > 0))
        if len(unsure):
            numbered = np.column_stack([self._numbered(names[k])[unsure] for k in sorted(used)])
            _, first, same = np.unique(numbered, axis=0, return_index=True, return_inverse=True)
            self._require(len(first), [names[k] for k in used])
            exact = []
            for s, a in zip(*(x[unsure[first]].tolist() for x in self.pairs), strict=True):
                total = fmpq(0)
                for powers, x in parts.items():
                    for k in (k for k, power in enumerate(powers) for _ in range(power)):
                        x = x * self._exactly(s, a, k)
                    total += x
                exact.append((total > 0) - (total < 0))
            found[unsure] = np.array(exact)[same.ravel()]
        return found

    def _exactly(self, s: int, a: int, number: int) -> fmpq:
        """One of the numbers that are fixed."""
        model, name = self.model, self.space.given_names[number]
        if name in self.single:
            return self.single[name]
        if name in ("t.discount", "t.reward"):
            key, place = ("discount", 0) if name == "t.discount" else ("rewards", a)
            return to_fmpq(model.exactly(key, [s])[place])
        if name in self.of_states:
            return to_fmpq(self.of_states[name][s])
        chosen = {}
        for of in ("target", "behaviour"):
            row = model.exactly(of, [s])
            chosen[of] = row[a] / sum(row)
        if name == "t.rho":
            return to_fmpq(chosen["target"] / chosen["behaviour"])
        return to_fmpq(chosen["target" if name == "t.pi" else "behaviour"])

    def _numbered(self, name: str) -> Any:
        """A number for each value at states and actions (the same number only for the same value)."""
        states, actions = self.pairs
        if name in ("state", "action"):
            return states if name == "state" else actions
        model, keys = self.model, _READ.get(name)
        if name in self.of_states:
            numbered = {x: k for k, x in enumerate(dict.fromkeys(self.of_states[name]))}
            return np.array([numbered[x] for x in self.of_states[name]])[states]
        if keys is None:
            self._refuse("needs the value of", name)
        columns = [actions] if keys[0] in ("behaviour", "target") else []
        for key in keys:
            stored = [model.ratios[key].p, model.ratios[key].q] if key in model.ratios else [getattr(model, key)]
            for array in stored:
                bits = np.ascontiguousarray(array).view(np.int64)
                columns.append(bits[states, actions] if key == "rewards" else bits[states])
        table = np.column_stack(columns)
        return np.unique(table, axis=0, return_inverse=True)[1].ravel()

    def _require(self, count: int, of: Iterable[str]) -> None:
        if count > raised(EVALUATIONS):
            names = ", ".join(sorted(of))
            sentence = (
                f"the update '{self.algorithm.name}' compares, or divides by, {names}, which take {count:,} values on "
                f"this model; sparse arithmetic evaluates it for up to {raised(EVALUATIONS):,} of them"
            )
            raise InputError(beyond(sentence, count / EVALUATIONS))

    def _refuse(self, does: str, name: str) -> NoReturn:
        raise InputError(
            f"the update '{self.algorithm.name}' {does} {name}, which differs from transition to transition; sparse "
            "arithmetic keeps numbers of a state and an action"
        )


_READ = {
    "t.reward": ("rewards",),
    "t.discount": ("discount",),
    "t.rho": ("behaviour", "target"),
    "t.pi": ("target",),
    "t.mu": ("behaviour",),
}
"""The arrays that say what a number is."""
