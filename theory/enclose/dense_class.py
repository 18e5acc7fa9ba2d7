r"""One recurrent class of a dense model in enclosures: its matrices, and what is decided about them.

Everything is computed when first asked for, by the formulas of :mod:`tdcert.theory.model.key_matrices`; M is formed, by
Horner's rule on I, because sym D(I − M) is asked about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.fixed_point import bound_factor
from tdcert.theory.check.mean_dynamics import MEANS
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.enclose.definite import Conclusion, full_column_rank, next_bits, nonsingular, positive_definite
from tdcert.theory.enclose.dense_law import law_in_balls, refined, stationary_enclosure
from tdcert.theory.enclose.dense_model import EnclosedKernel, EnclosedModel, exact_zeros
from tdcert.theory.enclose.dense_result import EnclosedClass, FloatInterval
from tdcert.theory.enclose.mean_matrix import decided, nothing_moves, rows_of_the_paper
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.forms import A_HURWITZ, Form, Hurwitz, NormBound, Over, operator_M, operator_P
from tdcert.theory.limits import RANK_FEATURES, raised
from tdcert.theory.model.key_matrices import KeyMatrices

BY_SUMS = "because the rows of P sum to one, dP = d and no discount exceeds the largest"
"""Why row sums keep their sign on-policy, in the middle of a sentence."""


@dataclass(frozen=True)
class FormedMatrices(KeyMatrices[Any]):
    """Key matrices that form M − I once: it is asked about itself, and 2n²d operations then give (M − I)Φ."""

    @cached_property
    def K_identity(self) -> Any:
        """M − I, n×n."""
        return super().K(self.N.identity(self.N.shape[0]))

    def K(self, X: Any) -> Any:
        """(M − I) X."""
        return self.K_identity @ X


class ClassInEnclosures:
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
        return law_in_balls(P)

    @cached_property
    def full_law(self) -> Any:
        """The law on all states, zero outside the class."""
        if self.whole:
            return self.law
        place = self.law.identity(self.model.n).take(columns=self.states)
        return place @ self.law

    def keys(self, kernel: EnclosedKernel[Any]) -> FormedMatrices:
        """Key matrices of a kernel with this class's law."""
        schedule = self.model.schedule
        given = self.full_law, kernel.N, kernel.r, self.model.features
        return FormedMatrices(*given, schedule.lambdas, schedule.tail, kernel.mass, kernel.P)

    @cached_property
    def theorem(self) -> FormedMatrices:
        """With the target kernel."""
        return self.keys(self.model.target)

    @cached_property
    def met(self) -> FormedMatrices:
        """With the kernel that the algorithms meet."""
        return self.theorem if self.model.coverage else self.keys(self.model.covered)

    @cached_property
    def rank(self) -> Conclusion:
        """Independent columns of Φ on the class; equivalent to C ≻ 0."""
        Phi = self.model.features if self.whole else self.model.features.take(rows=self.states)
        answer = full_column_rank(Phi, "Phi on the recurrent states", self.bits)
        exact = self.model.exact_features
        if answer.holds is not None or exact.shape[1] > raised(RANK_FEATURES):
            return answer
        rank, d = exact.take(rows=self.states).rank, self.model.d
        return Conclusion(rank == d, f"Phi has rank {rank} with {d} columns on the recurrent states, exactly")

    @cached_property
    def quotient(self) -> tuple[ClassInEnclosures, RationalMatrix] | None:
        """Where columns are dependent: the same class with independent columns B that span those of Φ, and T with
        Φ = Φ_B T on it. None where nothing is dependent, or Φ vanishes.
        """
        exact = self.model.exact_features
        if self.rank.holds is not False:
            return None
        on_class = exact.take(rows=self.states)
        order = scipy.linalg.qr(on_class.to_float(), mode="r", pivoting=True)[1][: on_class.rank]
        columns = sorted(int(k) for k in order)
        if not columns:
            return None
        features, kept = self.model.features.take(columns=columns), exact.take(columns=columns)
        inner = ClassInEnclosures(replace(self.model, features=features, exact_features=kept), self.states, self.bits)
        T = on_class.column_basis[1]
        return (inner, T.take(columns=columns).solve(T)) if inner.rank.holds else None

    @cached_property
    def definite_on_states(self) -> Conclusion | None:
        """sym D(I − M) ≻ 0 on the class; None where the target policy leaves it."""
        K = self.theorem.K_identity
        if not self.whole:
            outside = sorted(set(range(self.model.n)) - set(self.states))
            away = K.take(self.states, outside)
            if np.any(np.abs(away.to_float()) > away.radius()):
                return None
            if not exact_zeros(away).all():
                return Conclusion(None, "whether the target policy leaves the class is not known", next_bits(self.bits))
            K = K.take(self.states, self.states)
        return positive_definite(K.scaled(-1).scale_rows(self.law), "sym D(I − M)", self.bits)

    def negative_definite(self, keys: FormedMatrices) -> Conclusion:
        """A ≺ 0. Not where Φx = 0 on the class for some x ≠ 0: then xᵀA = 0."""
        if self.rank.holds is False:
            return Conclusion(False, f"A is singular: {self.rank.why}")
        states = self.definite_on_states if keys is self.theorem else None
        if states is not None and states.holds and self.rank.holds:
            return Conclusion(True, "sym D(I − M) is positive definite and Phi has independent columns")
        return positive_definite(keys.A.scaled(-1), "−sym A", self.bits)

    @cached_property
    def negative(self) -> Conclusion:
        """A ≺ 0 for the theorem's A."""
        return self.negative_definite(self.theorem)

    @cached_property
    def regular(self) -> Conclusion:
        """The theorem's A nonsingular."""
        if self.negative.holds:
            return Conclusion(True, "A is nonsingular, being negative definite")
        if self.rank.holds is False:
            return Conclusion(False, f"A is singular: {self.rank.why}")
        return nonsingular(self.theorem.A, "A", self.bits)

    @cached_property
    def theta(self) -> Any:
        """θ*, None where the verified solve did not go through."""
        try:
            return self.theorem.theta_star
        except SingularMatrixError:
            return None

    @cached_property
    def regular_as_met(self) -> Conclusion:
        """A nonsingular, for the kernel that the algorithms meet."""
        met = self.met is self.theorem
        return self.regular if met else nonsingular(self.met.A, "A of the covered kernel", self.bits)

    def dynamics(self) -> dict[str, Dynamics[float]]:
        """What TD (off-policy TD where the policies differ), GTD and TDC do under the behaviour policy. C ≻ 0 where A
        is nonsingular: Φx = 0 on the class makes xᵀA = 0.
        """
        if self.rank.holds is not False:
            return self._rows()
        if self.model.exact_features.take(rows=self.states).is_zero():
            return nothing_moves("Phi vanishes on the recurrent states: predictions there are zero and nothing moves")
        if self.quotient is None:
            why = f"{self.rank.why}; independent columns among them were not found"
            where = "on the quotient by the null space"
            return {name: Dynamics(MeanDynamics.UNDECIDED, why, matrix=f"{name} {where}") for name in MEANS}
        inner, T = self.quotient
        return inner._rows(inner.met.A.from_rationals((T @ T.T).rows), self.rank.why)

    def _rows(self, W: Any = None, depends: str = "") -> dict[str, Dynamics[float]]:
        keys, regular = self.met, self.regular_as_met
        negative = self.negative if keys is self.theorem else self.negative_definite(keys)
        why = f"C is positive definite: {regular.why}" if regular.holds else regular.why
        return rows_of_the_paper(keys.A, keys.C, negative, replace(regular, why=why), self.bits, W, depends)

    @cached_property
    def value(self) -> Any:
        """V^π (n×1), None where I − N was not shown nonsingular."""
        N, r = self.model.target.N, self.model.target.r
        try:
            return (N.identity(self.model.n) - N).solve(r)
        except SingularMatrixError:
            return None

    def squared_norm(self, v: Any) -> Any:
        """‖v‖²_D, 1×1."""
        return v.T @ v.scale_rows(self.full_law)

    def errors(self) -> tuple[Any, Any, Any]:
        """‖V − ΠV‖²_D, ‖Φθ* − V‖²_D and the bound ‖V − ΠV‖²_D/(1 − κ²) of the second, each 1×1 or None."""
        V, model = self.value, self.model
        if V is None:
            return None, None, None
        basis = self if self.quotient is None else self.quotient[0]
        theta = basis.theta if basis is self or model.coverage else None  # the target policy does not leave the class
        B = basis.model.features
        reached = None if theta is None else self.squared_norm(B @ theta - V)
        try:
            projection = B @ basis.theorem.C.solve(B.T @ V.scale_rows(self.full_law))
        except SingularMatrixError:
            return None, reached, None
        left = self.squared_norm(V - projection)
        factor = bound_factor(model.on_policy_when_recurrent, model.schedule, model.largest_discount)
        bound = None if factor is None else left.scaled(factor)
        return left, reached, bound

    @cached_property
    def couplings_are_nonnegative(self) -> bool:
        """Whether M is known to have no negative entry off its diagonal."""
        K = self.theorem.K_identity
        fine = (K.to_float() >= K.radius()) | exact_zeros(K)
        return bool(np.all(fine | np.eye(self.model.n, dtype=bool)))

    @cached_property
    def kappa(self) -> Fraction:
        """κ for the largest discount; 0 for λ = 1 without end, where every w_n is zero."""
        schedule = self.model.schedule
        return Fraction(0) if schedule.tail == 1 else schedule.kappa(self.model.largest_discount)

    def definite(self, form: Form) -> Conclusion:
        """Whether the matrix of a form is positive definite, on the states of the class if it is a form on states."""
        S = form.matrix(self.theorem, self.model.largest_discount, self.kappa)
        if form.over is Over.STATES and not self.whole:
            S = S.take(self.states, self.states)
        return positive_definite(S, form.name, self.bits)

    def bounded(self, form: NormBound) -> Conclusion:
        """‖X‖_D ≤ q: by the signs of Z = q²D − XᵀDX on-policy, else by a factor of Z."""
        model, q = self.model, form.bound(self.model.largest_discount, self.kappa)
        norm = self.kappa if form.operator is operator_M else Fraction(1) if form.operator is operator_P else None
        if norm is not None and model.on_policy and model.lambdas_in_unit_interval and q >= norm and not form.strict:
            return Conclusion(
                True,
                f"q²D − XᵀDX has no positive entry off its diagonal for X = {form.name}, and the "
                f"sums of its rows are not negative {BY_SUMS}",
            )
        answer = self.definite(form.form)
        if answer.holds is not False or form.strict:
            return answer
        return Conclusion(None, f"{answer.why}; whether it is positive semidefinite, only exact arithmetic tells")

    def stable(self, form: Hurwitz) -> Conclusion:
        """Every eigenvalue of the matrix has negative real part."""
        if form is A_HURWITZ and self.negative.holds:
            return self.negative
        matrix = form.matrix(self.theorem, self.model.largest_discount, self.kappa)
        found = decided(matrix, self.bits)
        holds = {MeanDynamics.STABLE: True, MeanDynamics.UNSTABLE: False}.get(found.mean_dynamics)
        return Conclusion(holds, found.reason, found.precision_needed)

    def summary(self) -> EnclosedClass:
        """Everything about the class as data."""
        keys = self.theorem
        left, reached, bound = self.errors()
        decisions = {
            "C_positive_definite": self.rank,
            "A_negative_definite": self.negative,
            "A_nonsingular": self.regular,
        }
        if self.definite_on_states is not None:
            decisions["D_I_minus_M_positive_definite"] = self.definite_on_states
        return EnclosedClass(
            states=self.states,
            stationary=interval(self.full_law),
            A=interval(keys.A),
            b=interval(keys.b),
            C=interval(keys.C),
            theta_star=maybe(self.theta),
            values_at_fixed_point=None if self.theta is None else interval(self.model.features @ self.theta),
            projection_error_squared=maybe(left),
            fixed_point_error_squared=maybe(reached),
            error_bound_squared=maybe(bound),
            decisions=decisions,
            dynamics=self.dynamics(),
        )


def interval(matrix: MidRadMatrix | BallMatrix) -> FloatInterval:
    """Midpoints and radii, floats whatever the precision inside."""
    return np.asarray(matrix.to_float()), np.asarray(matrix.radius())


def maybe(matrix: MidRadMatrix | BallMatrix | None) -> FloatInterval | None:
    """:func:`interval`, None for None."""
    return None if matrix is None else interval(matrix)
