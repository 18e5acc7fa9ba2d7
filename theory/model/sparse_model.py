r"""Decision processes too large for exact arithmetic: sparse transition matrices of floats.

The floats stand for an exact model: every stored number is the binary fraction that it is, or the nearest one to a
ratio of integers that is kept beside it (:class:`Ratios`), and each row of a transition matrix or a policy is divided
by its exact sum (which differs from one by rounding only, or the model is refused). Then

    P_π(s, s') = Σ_a π(a|s) P_a(s, s'),   r(s) = Σ_a π(a|s) R(s, a),   N = diag(γ) P_π

as in :mod:`tdcert.theory.model.mdp`, where the discount here depends on the state left alone (0 where an episode ends).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, gamma
from tdcert.theory.arithmetic.sparse_products import LARGEST_DEPTH, SparseKernel, upward
from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule


@dataclass(frozen=True, eq=False)
class Ratios:
    """Exact numbers p/q: integers ``p`` of at most 64 bits, and ``q`` > 0 of the same shape."""

    p: Any
    q: Any

    def nearest(self) -> Floats:
        """The nearest floats: one division where both are floats, of Python's integers elsewhere."""
        found = np.asarray(self.p / self.q, dtype=np.float64)
        large = (np.abs(self.p.astype(np.float64)) > 2.0**53) | (self.q > 2**53)
        found[large] = [int(p) / int(q) for p, q in zip(self.p[large], self.q[large], strict=True)]
        return found

    def __getitem__(self, place: Any) -> Ratios:
        return Ratios(self.p[place], self.q[place])

    def exact(self) -> list[Fraction]:
        """All of them, row by row."""
        return [Fraction(int(p), int(q)) for p, q in zip(self.p.ravel(), self.q.ravel(), strict=True)]


@dataclass(frozen=True, eq=False)
class SparseModel:
    """An MDP with m actions over n states; valid once built.

    ``transitions``: for each action an n×n SciPy sparse array (or matrix) of float64. ``rewards``: n×m, the expected
    reward on leaving s by a. ``discount``: a rational in [0,1], or (n,) floats, on leaving s. ``behaviour``,
    ``target``: n×m. ``features``: n×d. ``ratios``: what arrays stand for that are rounded, by the names of the fields,
    of transitions ``transitions_0`` and so on, their entries in the order of the CSR array's. Raises
    :class:`InputError`, one sentence, for shapes that do not fit, entries that are not finite or negative, unsorted or
    repeated indices, and rows that do not sum to one within the rounding of their own entries.
    """

    actions: tuple[str, ...]
    transitions: tuple[Any, ...]
    rewards: Floats
    discount: Fraction | Floats
    behaviour: Floats
    target: Floats
    features: Floats
    schedule: Schedule
    name: str = ""
    ratios: Mapping[str, Ratios] = field(default_factory=dict)
    interest: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        m = len(self.actions)
        if m == 0 or len(self.transitions) != m:
            raise InputError(f"{m} actions have {len(self.transitions)} transition matrices; give one for each")
        n = self.transitions[0].shape[0]
        if not 1 <= n <= LARGEST_DEPTH:
            raise InputError(f"the model has {n} states; give from 1 to {LARGEST_DEPTH}")
        kept = []
        for name, P in zip(self.actions, self.transitions, strict=True):
            kept.append(_stochastic_rows(P, n, "transitions" + (f" of action '{name}'" if m > 1 else "")))
        object.__setattr__(self, "transitions", tuple(kept))
        self._require_rounded()
        for what, array, shape in (
            ("rewards", self.rewards, (n, m)),
            ("behaviour", self.behaviour, (n, m)),
            ("target", self.target, (n, m)),
        ):
            if array.shape != shape:
                raise InputError(f"{what} has shape {by_shape(array.shape)}; give {n}×{m} (states × actions)")
            _require_finite(array, what)
        if (by_state := self.lambda_by_state) is not None and len(by_state) != n:
            raise InputError(f"λ is given by state for {len(by_state)} states; give {n} numbers, one for each state")
        lambdas = (*self.schedule.lambdas, self.schedule.tail) if by_state is None else by_state
        if not all(0 <= lam <= 1 for lam in lambdas):
            raise InputError("the schedule has a λ outside [0, 1]; give numbers from 0 to 1")
        if self.features.ndim != 2 or self.features.shape[0] != n or self.features.shape[1] == 0:
            raise InputError(
                f"features has shape {by_shape(self.features.shape)}; give {n} rows, and at least one column"
            )
        _require_finite(self.features, "features")
        for what, policy in (("behaviour", self.behaviour), ("target", self.target)):
            if (policy < 0).any():
                s, a = np.argwhere(policy < 0)[0]
                raise InputError(f"{what} has the negative entry {policy[s, a]:.6g} in row s{s}, column {a}")
            _require_row_sums(policy.sum(axis=1), np.full(n, m), what)
            if m > 1:
                _require_normal_products(policy, self.transitions, what)
        if isinstance(self.discount, np.ndarray):
            if self.discount.shape != (n,):
                raise InputError(f"discount has shape {by_shape(self.discount.shape)}; give one number, or {n}")
            _require_finite(self.discount, "discount")
        given = self.discount if isinstance(self.discount, np.ndarray) else np.array([float(self.discount)])
        if not (given.min() >= 0 and given.max() <= 1):
            raise InputError("discount has an entry outside [0, 1]; give numbers from 0 to 1")

    def _require_rounded(self) -> None:
        """The arrays are those that their ratios round to; stored zeros are gone, and go there too."""
        kept = {key: part[part.p != 0] if key.startswith("transitions") else part for key, part in self.ratios.items()}
        for key, part in kept.items():
            if not np.array_equal(part.nearest(), self._stored(key)):
                raise InputError(f"{key} is not what its ratios round to; give the nearest floats")
        object.__setattr__(self, "ratios", kept)
        given = {"behaviour", "target"} & kept.keys()
        if (
            given
            and np.array_equal(self.behaviour, self.target)
            and self.exactly("behaviour") != self.exactly("target")
        ):
            raise InputError("behaviour and target differ by less than floats can tell; give equal policies, or others")

    def _stored(self, key: str) -> Any:
        stem, _, action = key.partition("_")
        return self.transitions[int(action)].data if stem == "transitions" else getattr(self, key)

    def exactly(self, key: str, rows: Any = slice(None)) -> list[Fraction]:
        """The exact numbers of an array, or of some of its rows, row by row; ``key`` as in ``ratios``."""
        if key in self.ratios:
            return self.ratios[key][rows].exact()
        return [Fraction(x) for x in self._stored(key)[rows].ravel().tolist()]

    def rounding(self, key: str) -> float:
        """The largest relative error of the stored numbers: u where they are rounded, else 0."""
        return UNIT if key in self.ratios else 0.0

    @staticmethod
    def reward_process(
        P: Any, rewards: Floats, discount: Fraction | Floats, features: Floats, schedule: Schedule, name: str = ""
    ) -> SparseModel:
        """A model with one action: P n×n sparse, rewards (n,)."""
        ones, Phi = np.ones((P.shape[0], 1)), np.asarray(features, dtype=np.float64)
        r = np.asarray(rewards, dtype=np.float64).reshape(-1, 1)
        return SparseModel(("only",), (P,), r, discount, ones, ones, Phi, schedule, name)

    def with_features(self, columns: Sequence[int]) -> SparseModel:
        """A copy of the model with these columns of the features alone."""
        kept = {key: part[:, list(columns)] if key == "features" else part for key, part in self.ratios.items()}
        return replace(self, features=self.features[:, list(columns)], ratios=kept)

    @property
    def lambda_by_state(self) -> tuple[Fraction, ...] | None:
        """λ(s) of each state where it is given by state; None under a λ-schedule."""
        return self.schedule.by_state if isinstance(self.schedule, LambdaByState) else None

    @property
    def n(self) -> int:
        """Number of states."""
        return int(self.features.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])

    @property
    def nonzeros(self) -> int:
        """Stored entries of all transition matrices."""
        return sum(int(P.nnz) for P in self.transitions)

    @cached_property
    def is_on_policy(self) -> bool:
        """Whether behaviour and target policy are equal."""
        return self.behaviour is self.target or np.array_equal(self.behaviour, self.target)

    def is_on_policy_at(self, states: Any) -> bool:
        """Whether they are equal at these states."""
        return self.is_on_policy or np.array_equal(self.behaviour[states], self.target[states])

    @cached_property
    def uncovered(self) -> Any:
        """Per state, how many actions have π(a|s) > 0 and μ(a|s) = 0 (n,)."""
        return ((self.target > 0) & (self.behaviour == 0)).sum(axis=1)

    @property
    def gamma(self) -> Fraction | None:
        """The discount where it is one number for all states."""
        if isinstance(self.discount, Fraction) or "discount" in self.ratios:
            return self.discount if isinstance(self.discount, Fraction) else None
        first = float(self.discount[0])
        return Fraction(first) if bool((self.discount == first).all()) else None

    @property
    def largest_discount(self) -> Fraction:
        """max γ, or at most a rounding more where it is none of the floats."""
        if isinstance(self.discount, Fraction):
            return self.discount
        return Fraction(min(1.0, float(self.discount.max() * (1 + 2 * self.rounding("discount")))))

    @cached_property
    def behaviour_kernel(self) -> SparseKernel:
        """P_μ, undiscounted."""
        return self._kernel("behaviour", np.ones(self.n))

    @cached_property
    def target_kernel(self) -> SparseKernel:
        """N = diag(γ) P_π."""
        discount = self.discount
        factors = discount if isinstance(discount, np.ndarray) else np.full(self.n, float(discount))
        if self.is_on_policy:
            chain = self.behaviour_kernel
            return SparseKernel(chain.weights, chain.entry_error, factors)
        return self._kernel("target", factors)

    @cached_property
    def expected_reward(self) -> tuple[Floats, float]:
        """r (n×1) and a bound of its error in the maximum norm: m products each, what is stored rounded, and policies
        normalised.
        """
        m, rounded = len(self.actions), self.rounding("rewards")
        if m == 1:
            return self.rewards, upward(rounded * float(np.abs(self.rewards).max())) if rounded else 0.0
        r = (self.target * self.rewards).sum(axis=1, keepdims=True)
        size = float((self.target * np.abs(self.rewards)).sum(axis=1).max())
        policy = float(_sum_error(self.target.sum(axis=1), np.full(self.n, m)).max())
        policy += 2 * rounded
        return r, upward((gamma(m + 1) + policy) * (1 + policy) * (1 + gamma(m + 1)) * size)

    @cached_property
    def row_errors(self) -> tuple[Floats, ...]:
        """For each action, the relative error (n,) of what is stored of each row of its transition matrix."""
        return tuple(_sum_error(P.sum(axis=1), np.diff(P.indptr)) for P in self.transitions)

    def policy_error(self, of: str) -> Floats:
        """The relative error (n,) of what is stored of each row of the policy ``behaviour`` or ``target``."""
        return _sum_error(getattr(self, of).sum(axis=1), np.full(self.n, len(self.actions)))

    def _kernel(self, of: str, discount: Floats) -> SparseKernel:
        """Σ_a diag(π_a) P_a: m products and sums an entry, rows of P_a and π divided by their exact sums."""
        m, policy = len(self.actions), getattr(self, of)
        rows = np.max(self.row_errors, axis=0)
        if m == 1:
            return SparseKernel(self.transitions[0], rows, discount)
        weights = scipy.sparse.csr_array((self.n, self.n))
        for a, P in enumerate(self.transitions):
            weights = weights + scipy.sparse.diags_array(policy[:, a]) @ P
        weights.sum_duplicates()
        weights.eliminate_zeros()
        total = gamma(m + 1) + rows + self.policy_error(of)  # Π(1 + x) − 1 ≤ e^Σx − 1 ≤ Σx(1 + Σx) for Σx ≤ 1
        return SparseKernel(weights, upward(total * (1 + total)), discount)

    def exact(self) -> Model:
        """The exact model that the floats stand for; for models of a few hundred states."""
        n, m = self.n, len(self.actions)
        transitions = []
        for a, P in enumerate(self.transitions):
            rows: list[list[Fraction]] = [[Fraction(0)] * n for _ in range(n)]
            at = np.repeat(np.arange(n), np.diff(P.indptr)).tolist()
            for i, j, x in zip(at, P.indices.tolist(), self.exactly(f"transitions_{a}"), strict=True):
                rows[i][j] = x
            transitions.append(_laws(rows))
        rewards = RationalMatrix(self._rows("rewards"))
        columns = tuple(rewards.take(columns=[a]) for a in range(m))
        factors = (
            [[self.discount]] * n if isinstance(self.discount, Fraction) else [[x] for x in self.exactly("discount")]
        )
        mu, pi = (_laws(self._rows(key)) for key in ("behaviour", "target"))
        discounts, Phi = (RationalMatrix(factors),) * m, RationalMatrix(self._rows("features"))
        return Model(
            self.actions,
            tuple(transitions),
            columns,
            discounts,
            mu,
            pi,
            Phi,
            self.schedule,
            self.name,
            interest=self.interest,
        )

    def _rows(self, key: str) -> list[list[Fraction]]:
        values, width = self.exactly(key), getattr(self, key).shape[1]
        return [values[k : k + width] for k in range(0, len(values), width)]


def _stochastic_rows(P: Any, n: int, what: str) -> Any:
    """P as a CSR array of float64 without stored zeros, refused unless its rows are probability laws."""
    if P.shape != (n, n) or n == 0:
        raise InputError(f"{what} has shape {P.shape[0]}×{P.shape[1]}; give a square matrix, the same for every action")
    matrix = scipy.sparse.csr_array(P, dtype=np.float64)
    indptr, indices = matrix.indptr, matrix.indices
    if not matrix.has_sorted_indices or not matrix.has_canonical_format:
        inside = np.ones(len(indices), dtype=bool)
        inside[indptr[:-1][np.diff(indptr) > 0]] = False
        bad = int(np.flatnonzero(inside & (np.diff(indices, prepend=-1) <= 0))[0])
        row = int(np.searchsorted(indptr, bad, side="right")) - 1
        kind = "repeats column" if indices[bad] == indices[bad - 1] else "is not sorted at column"
        raise InputError(
            f"row s{row} of {what} {kind} {indices[bad]}; give each row's columns in increasing order, each once "
            "(SciPy: sum_duplicates, sort_indices)"
        )
    if not np.isfinite(matrix.data).all():
        bad = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(indptr, bad, side="right")) - 1
        raise InputError(f"{what} has {matrix.data[bad]} in row s{row}, column {indices[bad]}; give finite numbers")
    if len(matrix.data) and matrix.data.min() < 0:
        bad = int(matrix.data.argmin())
        row = int(np.searchsorted(indptr, bad, side="right")) - 1
        raise InputError(
            f"{what} has the negative entry {matrix.data[bad]:.6g} in row s{row}, column {indices[bad]}; "
            "give none below 0"
        )
    if len(matrix.data) and matrix.data.min() == 0:
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    _require_row_sums(matrix.sum(axis=1), np.diff(matrix.indptr), what)
    return matrix


def _require_row_sums(sums: Floats, counts: Any, what: str) -> None:
    """Rows of quotients w/Σw, rounded, sum to one within ku: k − 1 roundings of Σw, one of the quotient; ours add k."""
    off = np.abs(sums - 1) > 2 * UNIT * (counts + 1)
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"row s{row} of {what} sums to {sums[row]:.17g}, which the rounding of its {int(counts[row])} entries "
            "does not explain; divide the row by its sum"
        )


def _require_normal_products(policy: Floats, transitions: tuple[Any, ...], what: str) -> None:
    """π(a|s)P_a(s, s') has a relative error, and is not zero, only where it does not underflow."""
    for a, P in enumerate(transitions):
        rows = np.flatnonzero(policy[:, a])
        smallest = P[rows].data.min(initial=1.0)
        if smallest * policy[rows, a].min(initial=1.0) < 2.0**-1022:
            raise InputError(
                f"probabilities of {what} times transitions fall to {smallest:.3g}·{policy[rows, a].min():.3g}, below "
                "the range of floats; give 0 for what never happens, or an exact model (.json)"
            )


def _sum_error(sums: Floats, counts: Any) -> Floats:
    """By how much x/Σx may differ relatively from a stored entry of a row, from the computed sums s of k entries.

    |s − 1|, k − 1 roundings of s and, where the entry and the others are rounded themselves, two more: 2k for k > 1.
    """
    off = np.abs(sums - 1) + 2 * UNIT * np.where(counts > 1, counts, 0)  # one entry is its own sum
    return upward(off * (1 + 4 * off)) * (off > 0)


def _require_finite(array: Floats, what: str) -> None:
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        where = "s" + ", ".join(map(str, place))
        raise InputError(f"{what} has {array[tuple(place)]} as entry {where}; give finite numbers")


def _laws(rows: list[list[Fraction]]) -> RationalMatrix:
    """Rows divided by their exact sums."""
    return RationalMatrix([[x / total for x in row] for row in rows for total in (sum(row, start=Fraction(0)),)])
