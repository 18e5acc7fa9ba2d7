r"""Verdicts on dense models too large for exact arithmetic, every rounding error bounded (grade ``enclosed``).

At 53 bits the matrices are midpoints and radii in floats (:mod:`theory.arithmetic.midrad`), beyond it balls of as
many bits. The formulas are those of :mod:`theory.model.key_matrices`, written once; M is formed, by Horner's rule on I.
What is decided, for one recurrent class of the behaviour chain with law d:

* sym D(I − M) ≻ 0, by a verified factor. With independent columns of Φ on the class, A = −ΦᵀD(I − M)Φ is then negative
  definite: a far better conditioned question than sym A, which is asked where the first says nothing;
* C = ΦᵀDΦ ≻ 0 exactly if Φ has independent columns on the class, d being positive there;
* A nonsingular, by definiteness or an approximate inverse. With C ≻ 0 it makes GTD (every η > 0) and TDC stable (the
  argument is in :mod:`theory.check.mean_dynamics`);
* θ* = −A⁻¹b, enclosed by a verified solve;
* −sym A − (1 − κ)C ≻ 0. Where that matrix is exactly singular, as for features that can write a constant function
  on-policy, no enclosure can tell, and the verdict says so.

What is not decided carries the precision to try next. An exactly singular matrix is never decided this way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theory.arithmetic import BallMatrix
from theory.arithmetic.ball import precision
from theory.arithmetic.midrad import Floats, MidRadMatrix
from theory.check.enclosed_definite import FLOAT_BITS, Decision, full_column_rank, nonsingular, positive_definite
from theory.check.enclosed_law import refined, stationary_enclosure
from theory.check.enclosed_model import EnclosedKernel, EnclosedModel, Pattern, pattern
from theory.check.hypotheses import (
    C_POSITIVE,
    COVERAGE,
    DISCOUNTED,
    FULL_COLUMN_RANK,
    IRREDUCIBLE,
    LAMBDAS,
    ON_POLICY,
    UNIQUE_LAW,
    Hypothesis,
)
from theory.check.mean_dynamics import MeanDynamics
from theory.errors import BudgetExceededError, InputError, SingularMatrixError
from theory.model.key_matrices import KeyMatrices
from theory.model.mdp import Model
from theory.verdict import Status

LARGEST_STATES = 4_000
"""Dense models beyond this many states are refused: some 20 matrices of n² floats are held at once."""

Interval = tuple[Floats, Floats]
"""Midpoints and radii."""


@dataclass(frozen=True)
class EnclosedVerdict:
    """The answer about one claim: grade ``enclosed`` where it holds or is refuted."""

    status: Status
    why: str
    precision_needed: int | None = None
    violated: tuple[str, ...] = ()


@dataclass(frozen=True)
class EnclosedDynamics:
    """One algorithm's mean dynamics. ``rate``: encloses the spectral abscissa of ``matrix``, None where unknown."""

    mean_dynamics: MeanDynamics
    matrix: str
    rate: tuple[float, float] | None
    why: str
    precision_needed: int | None = None


@dataclass(frozen=True)
class EnclosedClass:
    """One recurrent class: (midpoints, radii) of its matrices, ``theta_star`` None where A was not shown
    nonsingular, decisions by name, and dynamics for ``td`` (None off-policy), ``off_policy_td``, ``gtd``, ``tdc``.
    """

    states: tuple[int, ...]
    stationary: Interval
    A: Interval
    b: Interval
    C: Interval
    theta_star: Interval | None
    values_at_fixed_point: Interval | None
    decisions: dict[str, Decision]
    dynamics: dict[str, EnclosedDynamics | None]


@dataclass(frozen=True)
class EnclosedResult:
    """An analysis in enclosures of ``bits`` bits. ``kappa``: (value, radius), None without a constant discount."""

    bits: int
    pattern: Pattern
    kappa: tuple[float, float] | None
    classes: tuple[EnclosedClass, ...]
    verdicts: dict[str, EnclosedVerdict]

    @property
    def single(self) -> EnclosedClass | None:
        """The one recurrent class, if there is one only."""
        return self.classes[0] if len(self.classes) == 1 else None

    @property
    def stationary(self) -> Interval | None:
        """d (n×1)."""
        return None if self.single is None else self.single.stationary

    @property
    def A(self) -> Interval | None:
        """A (d×d)."""
        return None if self.single is None else self.single.A

    @property
    def b(self) -> Interval | None:
        """b (d×1)."""
        return None if self.single is None else self.single.b

    @property
    def C(self) -> Interval | None:
        """C (d×d)."""
        return None if self.single is None else self.single.C

    @property
    def theta_star(self) -> Interval | None:
        """θ* (d×1)."""
        return None if self.single is None else self.single.theta_star


def analyse_enclosed(model: Model | EnclosedModel[Any], bits: int = FLOAT_BITS) -> EnclosedResult:
    """The verdicts about a dense model; ``bits`` ≥ 53, beyond 53 by balls (slower by a factor of a hundred and more).

    Raises :class:`InputError` for fewer bits and for models that are too large; :class:`BudgetExceededError`, which is
    no verdict, where probabilities leave the range of floats or the series of an endless schedule may have no sum.
    """
    if bits < FLOAT_BITS:
        raise InputError(f"{bits} bits were asked for; give {FLOAT_BITS} or more")
    if model.n > LARGEST_STATES:
        raise InputError(
            f"the model has {model.n} states; dense enclosures are offered up to {LARGEST_STATES} "
            f"(about {20 * 8 * model.n**2 / 2**30:.0f} GiB for this one), give it as a sparse model"
        )
    if isinstance(model, EnclosedModel) and bits > FLOAT_BITS:
        raise InputError("arrays of floats are analysed with 53 bits; give an exact model for more")
    with precision(bits) if bits > FLOAT_BITS else nullcontext():
        enclosed = model if isinstance(model, EnclosedModel) else EnclosedModel.of_model(model, bits)
        _require_trace_sum(enclosed, bits)
        shape = pattern(_positive(enclosed.behaviour))
        parts = [_Part(enclosed, states, bits) for states in shape.recurrent_classes]
        classes = tuple(part.summary() for part in parts)
        verdicts = _verdicts(enclosed, shape, parts)
    return EnclosedResult(bits, shape, _kappa(enclosed), classes, verdicts)


def _require_trace_sum(model: EnclosedModel[Any], bits: int) -> None:
    """λ without end needs I − λN nonsingular, for the series of the trace to have a sum."""
    if model.schedule.tail:
        for N in (model.target.N, model.covered.N):
            answer = nonsingular(N.identity(model.n) - N.scaled(model.schedule.tail), "I − λN", bits)
            if not answer.holds:
                raise BudgetExceededError(f"the series of the trace may have no sum: {answer.why}")


def _positive(P: MidRadMatrix | BallMatrix) -> Any:
    """Which entries are not zero."""
    mid = P.to_float()
    if np.any((mid == 0) & (P.radius() > 0) & (np.abs(mid) + P.radius() > 2.0**-1000)):
        raise BudgetExceededError("a probability of the chain cannot be told from zero")
    return (mid != 0) | ((mid == 0) & (P.radius() > 2.0**-1070))


def _kappa(model: EnclosedModel[Any]) -> tuple[float, float] | None:
    if model.gamma is None or model.schedule.tail * model.gamma == 1:
        return None
    exact = model.schedule.kappa(model.gamma)
    return float(exact), float(np.spacing(abs(float(exact))))


@dataclass(frozen=True)
class _FormedMatrices(KeyMatrices[Any]):
    """Key matrices that form M − I once: it is asked about itself, and 2n²d operations then give (M − I)Φ."""

    @cached_property
    def K_identity(self) -> Any:
        """M − I, n×n."""
        return super().K(self.N.identity(self.N.shape[0]))

    def K(self, X: Any) -> Any:
        """(M − I) X."""
        return self.K_identity @ X


class _Part:
    """One recurrent class: its matrices and what is decided about them, each when first asked for."""

    def __init__(self, model: EnclosedModel[Any], states: tuple[int, ...], bits: int) -> None:
        self.model, self.states, self.bits = model, states, bits
        self.whole = len(states) == model.n

    @cached_property
    def law(self) -> Any:
        """The law on the states of the class."""
        P = self.model.behaviour if self.whole else self.model.behaviour.take(self.states, self.states)
        if isinstance(P, MidRadMatrix):
            return refined(stationary_enclosure(P), P)
        m = P.shape[0]
        rows = [*(P.identity(m) - P).T.rows[: m - 1], (1,) * m]
        return BallMatrix(rows).solve(BallMatrix([[int(i == m - 1)] for i in range(m)]))

    @cached_property
    def full_law(self) -> Any:
        """The law on all states, zero outside the class."""
        if self.whole:
            return self.law
        place = self.law.identity(self.model.n).take(columns=self.states)
        return place @ self.law

    def keys(self, kernel: EnclosedKernel[Any]) -> _FormedMatrices:
        """Key matrices of a kernel with this class's law."""
        schedule = self.model.schedule
        return _FormedMatrices(
            d=self.full_law, N=kernel.N, r=kernel.r, Phi=self.model.features, lambdas=schedule.lambdas,
            tail=schedule.tail, mass=kernel.mass,
        )  # fmt: skip

    @cached_property
    def theorem(self) -> _FormedMatrices:
        """With the target kernel."""
        return self.keys(self.model.target)

    @cached_property
    def met(self) -> _FormedMatrices:
        """With the kernel that the algorithms meet."""
        return self.theorem if self.model.coverage else self.keys(self.model.covered)

    @cached_property
    def rank(self) -> Decision:
        """Independent columns of Φ on the class; equivalent to C ≻ 0."""
        Phi = self.model.features if self.whole else self.model.features.take(rows=self.states)
        return full_column_rank(Phi, "Phi on the recurrent states", self.bits)

    @cached_property
    def definite_on_states(self) -> Decision | None:
        """sym D(I − M) ≻ 0 on the class; None where the target policy leaves it."""
        K = self.theorem.K_identity
        if not self.whole:
            outside = sorted(set(range(self.model.n)) - set(self.states))
            away = K.take(self.states, outside)
            mid, rad = np.abs(away.to_float()), away.radius()
            if np.any(mid > rad):
                return None
            if np.any(rad > 0):
                return Decision(None, "whether the target policy leaves the class is not known", 2 * self.bits)
            K = K.take(self.states, self.states)
        return positive_definite(K.scaled(-1).scale_rows(self.law), "sym D(I − M)", self.bits)

    def negative_definite(self, keys: _FormedMatrices) -> Decision:
        """A ≺ 0."""
        states = self.definite_on_states if keys is self.theorem else None
        if states is not None and states.holds and self.rank.holds:
            return Decision(True, "sym D(I − M) is positive definite and Phi has independent columns")
        return positive_definite(keys.A.scaled(-1), "−sym A", self.bits)

    @cached_property
    def negative(self) -> Decision:
        """A ≺ 0 for the theorem's A."""
        return self.negative_definite(self.theorem)

    @cached_property
    def regular(self) -> Decision:
        """The theorem's A nonsingular."""
        if self.negative.holds:
            return Decision(True, "A is nonsingular, being negative definite")
        return nonsingular(self.theorem.A, "A", self.bits)

    @cached_property
    def theta(self) -> Any:
        """θ*, None where the verified solve did not go through."""
        try:
            return self.theorem.theta_star
        except SingularMatrixError:
            return None

    def td(self) -> EnclosedDynamics:
        """What the algorithm does under the behaviour policy."""
        keys = self.met
        negative = self.negative if keys is self.theorem else self.negative_definite(keys)
        lower, _ = _bounds(_trace(keys.A))
        mean = lower / self.model.d  # the abscissa is at least the mean of the real parts
        if negative.holds:
            return EnclosedDynamics(MeanDynamics.STABLE, "A", (float(np.nextafter(mean, -np.inf)), 0.0), negative.why)
        if lower > 0:
            rate = (float(np.nextafter(mean, -np.inf)), float(np.max(_row_sums(keys.A))))
            why = "the trace of A is positive, so some eigenvalue has positive real part"
            return EnclosedDynamics(MeanDynamics.UNSTABLE, "A", rate, why)
        needed = negative.precision_needed or 2 * self.bits
        return EnclosedDynamics(MeanDynamics.UNDECIDED, "A", None, negative.why, needed)

    def gradient(self, name: str) -> EnclosedDynamics:
        """GTD at η = 1 and TDC: stable where A is nonsingular (then C ≻ 0: Φx = 0 on the class makes xᵀA = 0)."""
        met = self.met is self.theorem
        regular = self.regular if met else nonsingular(self.met.A, "A of the covered kernel", self.bits)
        if regular.holds:
            return EnclosedDynamics(MeanDynamics.STABLE, name, None, f"C is positive definite: {regular.why}")
        return EnclosedDynamics(MeanDynamics.UNDECIDED, name, None, regular.why, regular.precision_needed)

    def margin(self) -> Decision:
        """−sym A − (1 − κ)C ≻ 0, κ for the largest discount."""
        kappa = self.model.schedule.kappa(self.model.largest_discount)
        gap = self.theorem.A.scaled(-1) - self.theorem.C.scaled(1 - kappa)
        return positive_definite(gap, "−sym A − (1 − κ)C", self.bits)

    def summary(self) -> EnclosedClass:
        """Everything about the class as data."""
        keys, td = self.theorem, self.td()
        values = None if self.theta is None else self.model.features @ self.theta
        decisions = {
            "C_positive_definite": self.rank,
            "A_negative_definite": self.negative,
            "A_nonsingular": self.regular,
        }
        if self.definite_on_states is not None:
            decisions["D_I_minus_M_positive_definite"] = self.definite_on_states
        return EnclosedClass(
            states=self.states,
            stationary=_interval(self.full_law),
            A=_interval(keys.A),
            b=_interval(keys.b),
            C=_interval(keys.C),
            theta_star=None if self.theta is None else _interval(self.theta),
            values_at_fixed_point=None if values is None else _interval(values),
            decisions=decisions,
            dynamics={
                "td": td if self.model.on_policy else None,
                "off_policy_td": td,
                "gtd": self.gradient("G at η = 1"),
                "tdc": self.gradient("−AᵀC⁻¹A"),
            },
        )


def _interval(matrix: MidRadMatrix | BallMatrix) -> Interval:
    return np.asarray(matrix.to_float()), np.asarray(matrix.radius())


def _trace(A: Any) -> Any:
    """The trace, 1×1."""
    d = A.shape[0]
    ones = A.from_rationals([[Fraction(1)]] * d)
    return ones.T @ (A.hadamard(A.identity(d)) @ ones)


def _bounds(number: MidRadMatrix | BallMatrix) -> tuple[float, float]:
    """Floats below and above a 1×1 matrix."""
    mid, rad = float(number.to_float().item()), float(number.radius().item())
    return float(np.nextafter(mid - rad, -np.inf)), float(np.nextafter(mid + rad, np.inf))


def _row_sums(A: MidRadMatrix | BallMatrix) -> Floats:
    """Upper bounds of the absolute row sums."""
    return MidRadMatrix(A.to_float(), A.radius()).row_sums


def _verdicts(model: EnclosedModel[Any], shape: Pattern, parts: Sequence[_Part]) -> dict[str, EnclosedVerdict]:
    """The claims of large models: each asked with its hypotheses, on every recurrent class."""
    schedule = model.schedule
    exact = {
        IRREDUCIBLE: shape.is_irreducible,
        UNIQUE_LAW: len(parts) == 1,
        ON_POLICY: model.on_policy,
        COVERAGE: model.coverage,
        DISCOUNTED: model.discounted,
        LAMBDAS: all(0 <= x <= 1 for x in (*schedule.lambdas, schedule.tail)),
    }

    def verdict(hypotheses: Sequence[Hypothesis], *questions: Callable[[_Part], Decision]) -> EnclosedVerdict:
        violated = tuple(h.id for h in hypotheses if not exact[h])
        if violated:
            return EnclosedVerdict(Status.HYPOTHESIS_VIOLATED, "hypotheses do not hold", None, violated)
        answers = [question(part) for question in questions for part in parts]
        for answer in answers:
            if answer.holds is None:
                return EnclosedVerdict(Status.UNDECIDED, answer.why, answer.precision_needed)
        against = next((answer for answer in answers if answer.holds is False), None)
        if against is not None:
            return EnclosedVerdict(Status.REFUTED, against.why)
        return EnclosedVerdict(Status.HOLDS, "; ".join(dict.fromkeys(answer.why for answer in answers)))

    def rank_then(question: Callable[[_Part], Decision], *hypotheses: Hypothesis) -> EnclosedVerdict:
        """A claim that assumes independent columns besides what is known exactly."""
        if all(exact[h] for h in hypotheses):
            for part in parts:
                if part.rank.holds is None:
                    return EnclosedVerdict(Status.UNDECIDED, part.rank.why, part.rank.precision_needed)
                if not part.rank.holds:
                    name = C_POSITIVE.id if question is _conditions else FULL_COLUMN_RANK.id
                    return EnclosedVerdict(Status.HYPOTHESIS_VIOLATED, part.rank.why, None, (name,))
        return verdict(hypotheses, question)

    on_policy = (IRREDUCIBLE, ON_POLICY, DISCOUNTED, LAMBDAS)
    return {
        "prop_4_1": rank_then(lambda part: part.negative, *on_policy),
        "thm_4_3": rank_then(lambda part: part.negative, *on_policy),
        "thm_4_4_g_negative_definite": verdict((), lambda part: part.regular),
        "thm_4_4": verdict((UNIQUE_LAW, COVERAGE), lambda part: part.regular),
        "thm_4_6": verdict((UNIQUE_LAW, COVERAGE), lambda part: part.regular),
        "negative_margin": verdict((ON_POLICY, LAMBDAS), _strict_margin),
        "off_policy_margin": rank_then(_conditions, LAMBDAS),
    }


def _strict_margin(part: _Part) -> Decision:
    """``negative_margin``; an x with xᵀSx ≤ 0 would not refute semidefiniteness."""
    answer = part.margin()
    if answer.holds is False:
        return Decision(None, f"{answer.why}: at best semidefinite, which no enclosure shows", 2 * part.bits)
    return answer


def _conditions(part: _Part) -> Decision:
    """``off_policy_margin``: sym D(I − M) ≻ 0 makes A ≺ 0; and where xᵀD(I − M)x ≤ 0, ‖x‖² ≤ ⟨x, Mx⟩ ≤ ‖x‖‖Mx‖."""
    states = part.definite_on_states
    if states is None:
        return Decision(True, "the target policy leaves the class, so no norm is finite")
    if states.holds is False:
        return Decision(True, f"{states.why}: A ≥ 0 for some feature, and ‖M‖_D ≥ 1")
    return states if states.holds is None else part.negative
