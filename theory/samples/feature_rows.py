r"""Rows of features without states: what n independent ones say of A and C, by the matrix Bernstein inequality.

A row is φ, φ' and ρ, X = ρφ(γφ' − φ)ᵀ (d×d), A = E X, C = E φφᵀ. Rows are independent and equally distributed *by
construction*: one of each independent episode, or a state and an action drawn afresh and simulated. Their number n is
fixed before, and so are bounds |φ|, |φ'| ≤ F and ρ ≤ R, so that ‖X‖ ≤ B = R(1 + γ)F². A shuffled replay buffer is not
independent, and neither are the steps of one trajectory.

*Theorem* (Tropp, *User-friendly tail bounds for sums of random matrices*, Found. Comput. Math. 12, 2012, Theorem 1.6).
With V ≥ max(‖E XXᵀ‖, ‖E XᵀX‖) and ℓ = log(2d/δ), with probability at least 1 − δ,

.. math::
    \|\hat A - A\| \le t = \sqrt{2V\ell/n} + 4B\ell/(3n),

as centred rows have norms up to 2B and E(X − A)(X − A)ᵀ ⪯ E XXᵀ. V = B² is always right. From data, at δ' for each of
XXᵀ and XᵀX: let s be the largest eigenvalue of their mean and ℓ' = log(d/δ'). As 0 ⪯ Y = XXᵀ ⪯ B², E Y² ⪯ B² E Y and
E Y − Y ⪯ V, the one-sided inequality gives V ≤ s + B√(2Vℓ'/n) + 2B²ℓ'/(3n), and so

.. math::
    \sqrt V \le B\sqrt{\ell'/(2n)} + \sqrt{s + 7B^2\ell'/(6n)}.

The smaller of both is taken. An observed variance or largest norm in the place of V or B proves nothing.

*One trajectory* is cut into cycles at an atom: a state that is known to be the same each time, such as the draw of the
first state of an episode; equal features are not enough. Cycles are independent from the first visit on, and
A = E S/E τ, S the sum of X over a cycle and τ its length, so that sign and stability of A are those of E S (λ = 0).
‖S‖ ≤ Bτ is bounded only if the length is: with a declared limit τ ≤ T the theorem holds with BT for B. Or with a
*minorisation*, known before: from everywhere, whatever came before, the atom is met within m steps with probability at
least ε. Then P(τ > t) ≤ (1 − ε)^⌊t/m⌋, and so, for any T fixed before,

.. math::
    E[\tau;\, \tau > T] = T\,P(\tau > T) + \sum_{t \ge T} P(\tau > t)
    \le (1 - \varepsilon)^{\lfloor T/m \rfloor} (T + m/\varepsilon):

the theorem holds with BT for the sums of cycles of at most T steps, zeros in the places of longer ones, and E S is at
most B times that number away from their mean. Without either nothing is claimed: an excursion of probability below
δ/n, long enough, turns the sign, and is not seen with probability 1 − δ. What holds at the mean of the cycles is then
an estimate, and called one (:class:`EstimatedRows`). The number of cycles is fixed before, and the last, open one
dropped.

*Traces* of cycles: z_t = ρ_t(φ_t + γλ z_{t−1}) in the place of ρφ, from z = 0 at the start of a cycle. That is the
trace of the trajectory only where it is cut, which the end of an episode does (its discount is zero): so with λ > 0
cycles are whole episodes, and the next features of their last rows zero. With q = Rγλ and g = Σ_{k<T} q^k, |z| ≤ RFg,
so that ‖S‖ ≤ BgT. Where no limit is declared but a minorisation, traces of cycles that are cut off must be bounded too:
q < 1, and g = 1/(1 − q). Traces are rounded to multiples of 2^−100, at each step; entries of z are then dg2^−100 away
at most, and S is ηT, η = dg(1 + γ)F2^−100, which t and the variance count.

*Shares*: half of δ is for A, half for C; of each half the mean takes a half, the variances the rest.

*Verdicts*, about the ball around Â, with an X that may depend on the data: X ≻ 0 and XÂ + ÂᵀX + 2t‖X‖ ≺ 0: TD is
stable. X symmetric with vᵀXv > 0 for a v, and X(Â − s) + (Â − s)ᵀX − 2t‖X‖ ≻ 0 for an s ≥ 0: unstable. GTD and TDC are
stable where Ĉ − t_C ≻ 0 and A is nonsingular on the ball: by one of these forms with s = 0, or as ‖I − RÂ‖ + t‖R‖ < 1.

Floats of the rows are the binary numbers that they are; sums are whole numbers, and Â is rounded to multiples of
1/GRID, which t counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.definiteness import largest_eigenvalue
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import float_lyapunov_solution, prove_unstable
from tdcert.theory.errors import InputError, SingularMatrixError, by_shape, short
from tdcert.theory.files.given import kind_of, number
from tdcert.theory.files.numerals import unit_number
from tdcert.theory.samples.intervals import GRID
from tdcert.theory.samples.observations import positive
from tdcert.theory.samples.row_set import BITS
from tdcert.theory.samples.verdict import ConfidentVerdict, SetForm, Update, is_definite, rounded

BALL = (
    "over rows that are independent by construction, their number fixed before, A and C are within stated distances of "
    "their means, all of which it is about"
)
"""What is claimed of independent rows, after the probability."""
CYCLES = (
    "over cycles between visits to one atom, their number fixed before, the sums of A and C over a cycle are within "
    "stated distances of their means, all of which it is about"
)
"""What is claimed of cycles of one trajectory, after the probability."""

OF_TRACES = 2**100
"""Traces are rounded to multiples of 1/OF_TRACES."""
MOST_BITS = 100_000
"""Bits of a bound of traces that grow; of so many no number of cycles would decide."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IndependentRows:
    """What n independent rows say: with probability at least 1 − ``delta``, A is within ``A_radius`` of ``A``, and C
    within ``C_radius`` of ``C``, in the spectral norm (d×d matrices); of n cycles, A and C are sums over a cycle.
    ``rests``: what is claimed, in words.
    """

    A: RationalMatrix
    A_radius: Fraction
    C: RationalMatrix
    C_radius: Fraction
    n: int
    delta: Fraction
    rests: str = BALL

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise InputError(f"delta is {short(self.delta)}; give a probability above 0 and below 1")

    @cached_property
    def form(self) -> SetForm | None:
        """One Lyapunov matrix that shows that A is stable on all of the ball, or unstable; or None."""
        one = self.A.identity(self.A.shape[0])
        X = float_lyapunov_solution(self.A.to_float(), -np.eye(one.shape[0]))
        if X is not None and is_definite(proposed := rounded(X)):
            return SetForm(proposed, one, -1) if is_definite(self._form(-proposed)) else None
        grows = prove_unstable(self.A)
        if grows is not None and is_definite(self._form(grows.X) - grows.X.scaled(2 * grows.shift)):
            return SetForm(grows.X, one, 1, grows.shift, grows.vector)
        return None

    @property
    def answer(self) -> MeanDynamics:
        """Whether TD is stable for every A of the ball, or unstable for every one, or not decided."""
        if self.form is None:
            return MeanDynamics.UNDECIDED
        return MeanDynamics.STABLE if self.form.sign < 0 else MeanDynamics.UNSTABLE

    def _form(self, X: RationalMatrix) -> RationalMatrix:
        """A matrix below XA + AᵀX for every A of the ball."""
        change = X @ self.A
        return change + change.T - X.identity(X.shape[0]).scaled(2 * self.A_radius * _largest_root(X @ X))

    @property
    def is_regular(self) -> bool:
        """Whether A is known to be nonsingular on the ball."""
        if self.form is not None and self.form.is_regular:
            return True
        one = self.A.identity(self.A.shape[0])
        try:
            R = rounded(self.A.solve(one).to_float())
        except SingularMatrixError:
            return False
        off = one - R @ self.A
        reach = _largest_root(off @ off.T) + self.A_radius * _largest_root(R @ R.T)
        return reach < 1

    def verdict(self, update: Update) -> ConfidentVerdict:
        """The verdict about one algorithm."""
        wide = "the distance from the mean of the rows is still too large for one answer; more rows narrow it"
        answer, why = MeanDynamics.UNDECIDED, wide
        if update is Update.TD:
            answer = self.answer
            if answer is not MeanDynamics.UNDECIDED:
                word = "A Lyapunov" if answer is MeanDynamics.STABLE else "An indefinite Lyapunov"
                why = f"{word} matrix of the mean of the rows serves all of them"
        elif is_definite(self.C - self.C.identity(self.C.shape[0]).scaled(self.C_radius)) and self.is_regular:
            answer, why = MeanDynamics.STABLE, "C is positive definite, and A is nonsingular, within these distances"
        return ConfidentVerdict(update, answer, why, self.delta, markov=True, rests=self.rests)


@dataclass(frozen=True, eq=False)
class EstimatedRows:
    """Means of A and C (d×d) over n cycles whose length nothing bounds: estimates, of which nothing is claimed."""

    A: RationalMatrix
    C: RationalMatrix
    n: int
    delta: Fraction

    def verdict(self, update: Update) -> ConfidentVerdict:
        """Undecided; what holds at the means is said in ``why``, as an estimate."""
        at = IndependentRows(self.A, Fraction(0), self.C, Fraction(0), self.n, self.delta).verdict(update)
        said = f"not known to be {MeanDynamics.STABLE}" if at.answer is MeanDynamics.UNDECIDED else str(at.answer)
        why = (
            "nothing bounds the length of a cycle, as longest or minorised would, so that nothing is claimed; an "
            f"estimate: at the mean of these {self.n} cycles {update} is {said}"
        )
        return ConfidentVerdict(update, MeanDynamics.UNDECIDED, why, self.delta, markov=True, rests=CYCLES)


@dataclass(frozen=True, eq=False)
class _Draws:
    """N rows in whole numbers (arrays of objects): φ and γφ' − φ (N×d) and ρ (N), each in multiples of one over its
    unit; ``bound`` of ‖X‖, ``largest`` of |φ| and ``step_bound`` of |γφ' − φ|. ``lengths`` of the cycles that they are,
    or None. ``traces``: z (N×d) in multiples of 1/:data:`OF_TRACES`, or None where z is ρφ; ``rounded``: how far X is
    from that of exact ones.
    """

    phi: Any
    steps: Any
    rho: Any
    units: tuple[int, int, int]
    bound: Fraction
    largest: Fraction
    step_bound: Fraction
    lengths: Any
    traces: Any = None
    rounded: Fraction = Fraction(0)

    def cut(self, most: int) -> _Draws:
        """Zeros in the places of cycles of more than so many steps."""
        kept = np.repeat(self.lengths <= most, self.lengths)[:, None]
        traces = None if self.traces is None else np.where(kept, self.traces, 0)
        return replace(self, phi=np.where(kept, self.phi, 0), traces=traces)

    def traced(self, decay: Fraction, growth: Fraction) -> _Draws:
        """The rows with traces of cycles; ``decay``: γλ, ``growth``: g of the module docstring."""
        of_phi, _, of_rho = self.units
        begins, z = set(np.cumsum([0, *self.lengths]).tolist()), [0] * self.phi.shape[1]
        own, carried = decay.denominator * OF_TRACES, decay.numerator * of_phi
        unit, found = of_rho * decay.denominator * of_phi, []
        for t, (w, phi) in enumerate(zip(self.rho, self.phi, strict=True)):
            z = [0] * len(z) if t in begins else z
            z = [(2 * w * (own * x + carried * y) + unit) // (2 * unit) for x, y in zip(phi, z, strict=True)]
            found.append(z)
        off = len(z) * growth * self.step_bound / OF_TRACES
        return replace(self, traces=np.array(found, dtype=object), bound=self.bound * growth, rounded=off)

    @cached_property
    def moments(self) -> tuple[RationalMatrix, ...]:
        """Means of X, XXᵀ, XᵀX, φφᵀ and its square over rows; over cycles, of sums in the place of X and φφᵀ."""
        of_phi, of_step, of_rho = self.units
        unit, plain = of_phi * of_step * of_rho, of_phi**2
        if self.lengths is not None:
            begins = np.cumsum([0, *self.lengths[:-1]])
            weighted = self.phi * self.rho[:, None] if self.traces is None else self.traces
            unit = unit if self.traces is None else OF_TRACES * of_step
            sums = np.add.reduceat(weighted[:, :, None] * self.steps[:, None, :], begins, axis=0)
            own = np.add.reduceat(self.phi[:, :, None] * self.phi[:, None, :], begins, axis=0)
            n, d = sums.shape[:2]
            rows, columns, both = (
                part.transpose(order).reshape(d, -1)
                for part, order in ((sums, (1, 0, 2)), (sums, (2, 0, 1)), (own, (1, 0, 2)))
            )
            found = (sums.sum(axis=0), rows @ rows.T, columns @ columns.T, own.sum(axis=0), both @ both.T)
        else:
            n = len(self.phi)
            weighted, lengths = self.phi * self.rho[:, None], (self.steps * self.steps).sum(axis=1)
            long, squared = (self.phi * self.phi).sum(axis=1), self.rho * self.rho
            found = (
                weighted.T @ self.steps,
                (self.phi * (squared * lengths)[:, None]).T @ self.phi,
                (self.steps * (squared * long)[:, None]).T @ self.steps,
                self.phi.T @ self.phi,
                (self.phi * long[:, None]).T @ self.phi,
            )
        scales = (unit, unit**2, unit**2, plain, plain**2)
        return tuple(_mean(part, Fraction(1, n * scale)) for part, scale in zip(found, scales, strict=True))

    @property
    def n(self) -> int:
        """How many are independent."""
        return len(self.phi) if self.lengths is None else len(self.lengths)


def independent_rows(
    features: Any,
    next_features: Any,
    discount: Any,
    largest: Any,
    delta: Any,
    ratios: Any,
    largest_ratio: Any,
    cycles: Any,
    longest: Any,
    minorised: Any = None,
    lam: Any = 0,
) -> IndependentRows | EstimatedRows:
    """What rows say, as :func:`tdcert.from_feature_rows` describes it. Raises :class:`InputError`."""
    error = Fraction(unit_number(number(delta, "delta"), "delta"))
    if not 0 < error < 1:
        raise InputError(f"delta is {short(error)}; give a probability above 0 and below 1")
    bias = _bias(minorised, longest) if minorised is not None else Fraction(0)
    lengths = _lengths(cycles, longest, limited=minorised is None)
    drawn = _draws(features, next_features, discount, largest, ratios, largest_ratio, lengths)
    if trace := Fraction(unit_number(number(lam, "lam"), "lam")):
        decay = trace * Fraction(unit_number(number(discount, "discount"), "discount"))
        _require_cut_traces(lengths, next_features)
        limit = int(longest) if minorised is None and longest is not None else None
        drawn = drawn.traced(decay, _growth(decay * Fraction(number(largest_ratio, "largest_ratio")), limit))
    if lengths is not None and longest is not None:
        drawn = drawn.cut(int(longest))
    A, left, right, C, own = drawn.moments
    if lengths is not None and longest is None:
        return EstimatedRows(A, C, drawn.n, error)
    n, d, times = drawn.n, A.shape[0], 1 if cycles is None else int(longest)
    rounding, B, F = Fraction(d, GRID), drawn.bound * times, drawn.largest**2 * times
    off = drawn.rounded * times
    square = max(map(largest_eigenvalue, (left, right))) + rounding + 2 * B * off + off**2
    return IndependentRows(
        A,
        _radius(square, B, n, d, error / 4, error / 8) + rounding + off + drawn.bound * bias,
        C,
        _radius(largest_eigenvalue(own) + rounding, F, n, d, error / 4, error / 4) + rounding + drawn.largest**2 * bias,
        n,
        error,
        BALL if cycles is None else CYCLES,
    )


def _require_cut_traces(lengths: Any, next_features: Any) -> None:
    """Raises :class:`InputError` unless rows are whole episodes, which cut traces."""
    if lengths is None:
        raise InputError("traces (lam above 0) are of cycles; give cycles and longest, the lengths of whole episodes")
    ends = np.cumsum(lengths) - 1
    after = _rows(next_features, "next_features")
    odd = next((k for k, t in enumerate(ends) if t >= len(after) or after[t].any()), None)
    if odd is not None:
        raise InputError(
            f"cycle {odd} does not end an episode: the next features of its last row are not zero; with lam above 0 "
            "give whole episodes, whose ends cut the trace"
        )


def _growth(q: Fraction, longest: int | None) -> Fraction:
    """Σ_{k<T} q^k or more; T is ``longest``, or no number."""
    if q < 1:
        return 1 / (1 - q)
    if longest is None:
        raise InputError(
            f"traces grow by up to {short(q)} a step (largest_ratio · discount · lam), so those of cycles that are cut "
            "off are not bounded; declare longest as a limit, without minorised"
        )
    if longest * q.numerator.bit_length() > MOST_BITS:
        raise InputError(
            f"traces grow by up to {short(q)} a step (largest_ratio · discount · lam), and {longest} steps are too "
            "many for a bound; give a smaller lam or largest_ratio"
        )
    return Fraction(longest) if q == 1 else (q**longest - 1) / (q - 1)


def _bias(minorised: Any, longest: Any) -> Fraction:
    """An upper bound of E[τ; τ > T]: (1 − ε)^⌊T/m⌋ (T + m/ε)."""
    if longest is None or not isinstance(minorised, Sequence) or len(minorised) != 2:
        raise InputError(
            "minorised is a number of steps and a probability, given with cycles and longest: from everywhere the atom "
            "is met within so many steps with at least that probability"
        )
    m, p = positive("the steps of minorised", minorised[0]), Fraction(number(minorised[1], "minorised"))
    if not 0 < p <= 1:
        raise InputError(f"the probability of minorised is {short(p)}; give one above 0 and at most 1")
    T = positive("longest", longest)
    return (1 - p) ** (T // m) * (T + m / p)


def _lengths(cycles: Any, longest: Any, limited: bool) -> Any:
    """The lengths of cycles; where these are ``limited`` and a limit is declared, held against it."""
    if cycles is None and longest is None:
        return None
    if cycles is None:
        raise InputError("longest is given without cycles; give the length of each cycle too")
    most, found = None if longest is None else positive("longest", longest), np.asarray(cycles)
    if found.ndim != 1 or not found.size or found.dtype.kind not in "iu" or np.any(found < 1):
        raise InputError(f"cycles is {kind_of(cycles)}; give the length of each cycle, a whole number from 1 on")
    if limited and most is not None and np.any(found > most):
        t = int(np.flatnonzero(found > most)[0])
        raise InputError(f"cycle {t} has {found[t]} steps, and {most} were declared the most; nothing can be said")
    return found.astype(np.int64)


def _draws(
    features: Any, next_features: Any, discount: Any, largest: Any, ratios: Any, largest_ratio: Any, lengths: Any
) -> _Draws:
    """The rows in whole numbers, held against what was declared of them."""
    phi, after = _rows(features, "features"), _rows(next_features, "next_features")
    if phi.shape != after.shape:
        raise InputError(
            f"features have shape {by_shape(phi.shape)}, next_features {by_shape(after.shape)}; give both alike"
        )
    n = len(phi)
    if lengths is not None and int(lengths.sum()) != n:
        raise InputError(
            f"the cycles have {lengths.sum()} steps, and there are {n} rows; leave out what is no whole cycle"
        )
    gamma = Fraction(unit_number(number(discount, "discount"), "discount"))
    F, most = Fraction(number(largest, "largest")), Fraction(number(largest_ratio, "largest_ratio"))
    if F <= 0 or most <= 0:
        raise InputError("largest and largest_ratio are above 0; give such numbers")
    rho = np.ones(n) if ratios is None else np.asarray(ratios, dtype=np.float64)
    if rho.shape != (n,) or not np.all(np.isfinite(rho)) or np.any(rho < 0):
        raise InputError(f"ratios is {kind_of(ratios)}; give a number from 0 on for each of the {n} rows")
    whole, unit = _in_whole_numbers(np.vstack([phi, after]))
    weights, unit_of_ratios = _in_whole_numbers(rho)
    for what, part in (("features", whole[:n]), ("next_features", whole[n:])):
        odd = next((t for t, x in enumerate((part * part).sum(axis=1)) if x > F**2 * unit**2), None)
        if odd is not None:
            raise InputError(f"{what} of row {odd} are longer than {short(F)}, which was declared the largest length")
    odd = next((t for t, x in enumerate(weights) if x > most * unit_of_ratios), None)
    if odd is not None:
        raise InputError(f"the ratio of row {odd} is larger than {short(most)}, which was declared the largest")
    steps = gamma.numerator * whole[n:] - gamma.denominator * whole[:n]
    units = unit, unit * gamma.denominator, unit_of_ratios
    return _Draws(whole[:n], steps, weights, units, most * (1 + gamma) * F**2, F, (1 + gamma) * F, lengths)


def _radius(s: Fraction, B: Fraction, n: int, d: int, delta: Fraction, of_variance: Fraction) -> Fraction:
    """t of the theorem, V the smaller of B² and its bound from ``s``, the largest eigenvalue of the mean square."""
    with precision(BITS):
        ell, own = arb(to_fmpq(2 * d / delta)).log(), arb(to_fmpq(d / of_variance)).log()
        bound = arb(to_fmpq(B))
        root = bound * (own / (2 * n)).sqrt() + (arb(to_fmpq(s)) + 7 * bound * bound * own / (6 * n)).sqrt()
        t = [v * (2 * ell / n).sqrt() + 4 * bound * ell / (3 * n) for v in (root, bound)]
        return min(exact_value(x.upper()) for x in t)


def _largest_root(S: RationalMatrix) -> Fraction:
    """An upper bound of the root of the largest eigenvalue of a symmetric S ⪰ 0, near it."""
    with precision(BITS):
        return exact_value(arb(to_fmpq(largest_eigenvalue(S))).sqrt().upper())


def _rows(value: Any, what: str) -> Floats:
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 2 or not found.size or not np.all(np.isfinite(found)):
        raise InputError(f"{what} is {kind_of(value)}; give finite numbers, a row of features for each draw")
    return found


def _in_whole_numbers(values: Floats) -> tuple[Any, int]:
    """Floats as whole numbers (an array of objects) of 1/unit, unit a power of two."""
    mantissas, exponents = np.frexp(values)
    exponents = exponents.astype(np.int64) - 53
    unit = max(0, -int(exponents[values != 0].min(initial=0)))
    whole = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
    shifts = np.where(values != 0, exponents + unit, 0)
    return whole * (2 ** shifts.astype(object)), 2**unit


def _mean(sums: Any, factor: Fraction) -> RationalMatrix:
    """Whole numbers times a factor, rounded to multiples of 1/GRID."""
    return RationalMatrix([[Fraction(round(int(x) * factor * GRID), GRID) for x in row] for row in sums])
