r"""The key matrices D, M, A, b, C, θ*, G: one formula each, for every number system.

With N the discounted kernel (γP for a constant discount), c_k and w_n of the schedule:

.. math::
    S = \sum_k c_k N^k, \qquad M = \sum_n w_n N^n, \qquad S (N - I) = M - I,

.. math::
    A = \Phi^T D (M - I)\Phi, \qquad b = \Phi^T D S r, \qquad C = \Phi^T D \Phi, \qquad
    \theta^* = -A^{-1} b .

S and M are never formed as powers: they are applied by Horner's rule, one product with N per λ,

    S(λ_1 … λ_L) X = X + λ_1 N S(λ_2 … λ_L) X
    M(λ_1 … λ_L) X = N ((1 − λ_1) X + λ_1 M(λ_2 … λ_L) X)

(:func:`horner_S`, :func:`horner_M`: one step each, on which the induction proofs in ``claims`` rest too). A
constant λ without end closes the recursion with a linear solve: S X = (I − λN)^{-1} X. Long runs of λ's on
dense models are applied at once (:mod:`tdcert.theory.model.doubling`).

Sources: M, A in A4.1; b = E_0[z_t R_{t+1}] and C = E_0[φ_t φ_tᵀ] in §4; G in A4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Generic, Protocol, Self, TypeVar

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Matrix
from tdcert.theory.model.doubling import apply_run, runs, worth_doubling
from tdcert.theory.model.mdp import Kernel, Model
from tdcert.theory.model.schedule import LambdaByState, Schedule

Mat = TypeVar("Mat", bound=Matrix)


class BlockMatrix(Matrix, Protocol):
    """A number system whose matrices are put together from blocks."""

    def block(self, *, right: Self, below: Self, corner: Self) -> Self:
        """``[[self, right], [below, corner]]``."""
        ...


BlockMat = TypeVar("BlockMat", bound=BlockMatrix)


def horner_S(N: Mat, lam: Any, X: Mat, inner: Mat) -> Mat:
    """``X + λ N inner``: S X from the S X of the schedule that starts one later."""
    return X + (N @ inner).scaled(lam)


def horner_M(N: Mat, lam: Any, X: Mat, inner: Mat) -> Mat:
    """``N ((1 − λ) X + λ inner)``: M X from the M X of the schedule that starts one later."""
    return N @ (X.scaled(1 - lam) + inner.scaled(lam))


def apply_S(N: Mat, lambdas: Sequence[Any], tail: Any, X: Mat) -> Mat:
    """S X = Σ_k c_k N^k X, the operator of the trace (A4.1)."""
    result = (N.identity(N.shape[0]) - N.scaled(tail)).solve(X) if tail else X
    for lam in reversed(lambdas):
        result = horner_S(N, lam, X, result)
    return result


def apply_M(N: Mat, lambdas: Sequence[Any], tail: Any, X: Mat) -> Mat:
    """M X = Σ_n w_n N^n X, the expected bootstrap of the λ-schedule return (A4.1)."""
    result = N @ X
    if tail:
        result = (N.identity(N.shape[0]) - N.scaled(tail)).solve(result.scaled(1 - tail))
    for lam in reversed(lambdas):
        result = horner_M(N, lam, X, result)
    return result


def apply_S_by_runs(N: Mat, lambdas: Sequence[Any], X: Mat) -> Mat:
    """:func:`apply_S` for a finite schedule, long runs of λ's at once (:mod:`tdcert.theory.model.doubling`)."""
    result = X
    for run in reversed(tuple(runs(lambdas))):
        if worth_doubling(len(run.lambdas), *X.shape):
            result = apply_run(N, run, X, result)
        else:
            for lam in reversed(run.lambdas):
                result = horner_S(N, lam, X, result)
    return result


@dataclass(frozen=True)
class KeyMatrices(Generic[Mat]):
    """The matrices of the mean dynamics, each computed when first asked for.

    ``d``: n×1 law that weights the states; ``N``: n×n discounted kernel; ``r``: n×1 expected reward;
    ``Phi``: n×d; ``lambdas`` and ``tail`` the schedule; ``mass``: n×1 policy mass behind each row of N
    (None: all ones, the theorem's case). With mass q < 1 (missing coverage) M − I becomes S(N − diag(q)).
    ``P``: n×n, N without its discounts (None: not given). ``carried``: n×n, NΛ where λ is given by state, Λ =
    diag(λ(s)): S is then Σ_k (NΛ)^k = (I − NΛ)^{-1}, and there are no ``lambdas`` (None: a λ-schedule).
    """

    d: Mat
    N: Mat
    r: Mat
    Phi: Mat
    lambdas: tuple[Any, ...]
    tail: Any = Fraction(0)
    mass: Mat | None = None
    P: Mat | None = None
    carried: Mat | None = None

    def S(self, X: Mat) -> Mat:
        """S X."""
        if self.carried is not None:
            return apply_S(self.carried, (), 1, X)
        if self._doubles(X):
            return apply_S_by_runs(self.N, self.lambdas, X)
        return apply_S(self.N, self.lambdas, self.tail, X)

    def M(self, X: Mat) -> Mat:
        """M X; X + S(N − I)X where S is doubled, or λ is given by state."""
        if self.carried is not None or self._doubles(X):
            return X + self.S(self.N @ X - X)
        return apply_M(self.N, self.lambdas, self.tail, X)

    def _doubles(self, X: Mat) -> bool:
        """Whether some run of λ's is long enough to be worth doubling."""
        return any(worth_doubling(len(run.lambdas), *X.shape) for run in runs(self.lambdas))

    def K(self, X: Mat) -> Mat:
        """(M − I) X; S(N − diag(mass)) X where the mass is not one."""
        if self.mass is None:
            return self.M(X) - X
        return self.S(self.N @ X - X.scale_rows(self.mass))

    @cached_property
    def K_Phi(self) -> Mat:
        """(M − I) Φ, n×d."""
        return self.K(self.Phi)

    @cached_property
    def A(self) -> Mat:
        """A = ΦᵀD(M − I)Φ, d×d: the key matrix of TD(λ)-schedule."""
        return self.Phi.T @ self.K_Phi.scale_rows(self.d)

    @cached_property
    def b(self) -> Mat:
        """b = ΦᵀD S r, d×1."""
        return self.Phi.T @ self.S(self.r).scale_rows(self.d)

    @cached_property
    def C(self) -> Mat:
        """C = ΦᵀDΦ, d×d."""
        return self.Phi.T @ self.Phi.scale_rows(self.d)

    @cached_property
    def theta_star(self) -> Mat:
        """θ* = −A⁻¹b, d×1; raises SingularMatrixError where A is singular."""
        return self.A.solve(self.b.scaled(-1))

    def D_I_minus_M(self) -> Mat:
        """D(I − M), n×n."""
        return self.K(self.N.identity(self.N.shape[0])).scaled(-1).scale_rows(self.d)


def mspbe(A: Mat, b: Mat, C: Mat, theta: Mat) -> Mat:
    """J(θ) = (Aθ + b)ᵀ C⁻¹ (Aθ + b), 1×1 (Lemma 3.1, norm of D_μ)."""
    error = A @ theta + b
    return error.T @ C.solve(error)


@lru_cache(maxsize=32)
def theorem_matrices(model: Model, states: tuple[int, ...]) -> KeyMatrices[RationalMatrix]:
    """The paper's matrices of an exact model: target kernel, behaviour chain's law on one recurrent class; those of
    TD(0) with the sampling law where transitions are drawn independently.
    """
    return _matrices(model, model.target_kernel, states)


@lru_cache(maxsize=32)
def behaviour_matrices(model: Model, states: tuple[int, ...]) -> KeyMatrices[RationalMatrix]:
    """What the algorithms see under the behaviour policy: the covered kernel (all of it under coverage)."""
    if not model.uncovered:
        return theorem_matrices(model, states)
    return _matrices(model, model.covered_kernel, states)


def _matrices(model: Model, kernel: Kernel, states: tuple[int, ...]) -> KeyMatrices[RationalMatrix]:
    law, schedule, N = model.law_of(states), model.schedule, kernel.N
    if model.sampling is not None:  # a trace of one transition, whatever the schedule is
        schedule = Schedule()
    elif not model.has_trace_sum:  # D S and D M are the same without the rows that the class never reaches
        reached = set(model.reached_by_target(states))
        N = N.scale_rows(RationalMatrix.column([int(s in reached) for s in range(model.n)]))
    mass = None if kernel.mass == RationalMatrix.column([1] * model.n) else kernel.mass
    if isinstance(schedule, LambdaByState):
        carried = N.T.scale_rows(RationalMatrix.column(schedule.by_state)).T
        return KeyMatrices(law, N, kernel.r, model.features, (), mass=mass, P=kernel.P, carried=carried)
    return KeyMatrices(law, N, kernel.r, model.features, schedule.lambdas, schedule.tail, mass, kernel.P)


def gtd_matrix(A: BlockMat, C: BlockMat, eta: Fraction = Fraction(1), *, theta_first: bool = False) -> BlockMat:
    """Mean matrix of (w, θ) under GTD(λ)-schedule with β = ηα: [[−ηC, ηA], [−Aᵀ, 0]]; of (θ, w) if ``theta_first``.

    Similar to √η·G of A4.2 through the scaling w/√η, and rational for rational η; at η = 1 it is G itself.
    """
    w, w_theta, theta_w, theta = C.scaled(-eta), A.scaled(eta), A.T.scaled(-1), A.scaled(0)
    if theta_first:
        return theta.block(right=theta_w, below=w_theta, corner=w)
    return w.block(right=w_theta, below=theta_w, corner=theta)


def joint_matrix(A: BlockMat, C: BlockMat, eta: Fraction) -> BlockMat:
    """Mean matrix J(η) of (θ, w) under TDC(λ)-schedule with β = ηα: [[A, −(Aᵀ + C)], [ηA, −ηC]]."""
    return A.block(right=(A.T + C).scaled(-1), below=A.scaled(eta), corner=C.scaled(-eta))


def tdc_matrix(A: RationalMatrix, C: RationalMatrix) -> RationalMatrix:
    """Mean matrix of θ on TDC's slow time scale: −Aᵀ C⁻¹ A (§4, proof of Theorem 4.6)."""
    return -(A.T @ C.solve(A))


def gtd_lambda_correction(keys: KeyMatrices[Mat]) -> Mat:
    """E[γ(1 − λ)φ_{t+1} z_tᵀ] = (1 − λ)(ΦᵀDSNΦ)ᵀ, d×d: what GTD(λ) takes times w from θ (A5.3, gtd_theta).

    For a constant λ without end; the other two terms of GTD(λ), E[δz] and E[φφᵀ], are those of TDC.
    """
    moved = keys.S(keys.N @ keys.Phi).scale_rows(keys.d)
    return (keys.Phi.T @ moved).T.scaled(1 - keys.tail)


def value_function(model: Model, kind: Any = RationalMatrix) -> Any:
    """V^π (n×1), the solution of (I − N)V = r, exact or in balls; raises SingularMatrixError where it is not unique, or
    not known to be.
    """
    kernel = model.target_kernel
    N, r = kind.enclosing(kernel.N), kind.enclosing(kernel.r)
    return (N.identity(model.n) - N).solve(r)
