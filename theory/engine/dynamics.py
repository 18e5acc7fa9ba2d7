r"""The mean dynamics of an update: at one ratio of its steps, at all ratios, on two time scales; and where it rests.

Parameters enter updates through u = T y alone (:attr:`tdcert.theory.engine.regime.Regime.visible`), and with
J = J_B T, J_B the columns B of J, u' = T J_B u + T g: this quotient decides. Where T has full rank it is y itself.

Two time scales (the later step sizes equal, and much larger than step_1): with the parameters that step_1 moves slow
and those that later ones move fast, the fast matrix F must be Hurwitz, and the slow one is the Schur complement
J_ss − J_sf F⁻¹ J_fs (Borkar, *Stochastic Approximation*, 2008, ch. 6).

Every matrix but T is of the arithmetic of what it comes from. In balls, Lyapunov's inertia theorem decides
(:mod:`tdcert.theory.enclose.mean_matrix`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic

from flint import ctx

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.protocol import Enclosing
from tdcert.theory.check import mean_matrix as exact
from tdcert.theory.check.fixed_point import Rest
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.check.step_size_ratio import RatioInterval, stable_ratios
from tdcert.theory.enclose import mean_matrix as enclosed
from tdcert.theory.enclose.definite import FLOAT_BITS
from tdcert.theory.engine.regime import Mat, Regime
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError

NO_MEAN = {
    False: "the memory has no mean: its size grows without bound in expectation",
    None: "whether the memory has a mean is not decided (the sizes of its recursion are not shown to contract)",
}


Decided = Dynamics[Fraction] | Dynamics[float]


@dataclass(frozen=True)
class TimeScales(Generic[Mat]):
    """The matrices of both time scales, on the quotient: ``fast`` F, ``slow`` J_ss − J_sf F⁻¹ J_fs, and ``carried``,
    −J_sf F⁻¹; the last two are None where F is singular. ``places``: the slow parameters, and the fast ones.
    """

    fast: Mat
    slow: Mat | None
    carried: Mat | None
    places: tuple[list[int], list[int]]


def at_ratios(found: Regime[Mat], ratios: Sequence[Fraction]) -> Decided:
    """The mean dynamics with step sizes in these ratios (one for each, the first being 1)."""
    if found.has_mean is not True:
        return Dynamics(MeanDynamics.UNDECIDED, NO_MEAN[found.has_mean])
    B = quotient(found, ratios)
    if B is None:
        return _modulo_unseen(found, Dynamics(MeanDynamics.STABLE, "no update depends on the parameters"))
    return _modulo_unseen(found, _decided(B))


def _modulo_unseen(found: Regime[Mat], verdict: Decided) -> Decided:
    """What is decided on the quotient, said of all parameters."""
    columns, _ = found.visible
    hidden = found.D - len(columns)
    if verdict.mean_dynamics is not MeanDynamics.STABLE or not hidden:
        return verdict
    if predicts_unseen(found):
        reason = f"{hidden} directions are never seen by an update, and predictions depend on them"
        return Dynamics(MeanDynamics.MARGINAL, reason, (Fraction(0), Fraction(0)))
    where = f", on the quotient by {hidden} directions that no update sees" if columns else ""
    return replace(verdict, mean_dynamics=MeanDynamics.STABLE_MODULO_NULL_SPACE, reason=f"{verdict.reason}{where}")


def predicts_unseen(found: Regime[Mat]) -> bool:
    """Whether predictions depend on what no update sees; where there are none, whether something is not seen."""
    columns, T = found.visible
    return len(columns) < found.D and not found.sees_predictions(T)


def quotient(found: Regime[Mat], ratios: Sequence[Fraction]) -> Mat | None:
    """T J_B, the mean matrix of what updates see; None where they see nothing. The memory's mean must exist.

    Raises :class:`InputError` for an update that is not linear in its steps.
    """
    (columns, T), joint = found.visible, found.joint(ratios)
    return found.kind.enclosing(T) @ joint.take(columns=columns) if columns else None


def _decided(B: Enclosing) -> Decided:
    """Whether x' = Bx is stable, in the arithmetic of B."""
    if isinstance(B, RationalMatrix):
        return exact.decided(B)
    assert isinstance(B, BallMatrix | MidRadMatrix)
    return enclosed.decided(B, ctx.prec) if isinstance(B, BallMatrix) else enclosed.decided(B, FLOAT_BITS)


def ratio_set(found: Regime[Mat]) -> list[RatioInterval] | None:
    """The ratios η of the later step sizes to the first with stable mean dynamics, on the quotient; None where there is
    one step size, and where predictions depend on what no update sees.

    Raises :class:`BudgetExceededError` for too many parameters, and in balls. The memory's mean must exist.
    """
    if len(found.algorithm.steps) == 1:
        return None
    if found.kind is not RationalMatrix:
        raise BudgetExceededError("the set of stable ratios is found in exact arithmetic alone")
    columns, T = found.visible
    if not columns or predicts_unseen(found):
        return None
    slow, fast = (
        T @ mean.take(columns=columns) for mean in _first_and_later(found) if isinstance(mean, RationalMatrix)
    )
    return stable_ratios(slow, fast)


def _first_and_later(found: Regime[Mat]) -> tuple[Mat, Mat]:
    """[A b] of the first step size, and of the later ones together."""
    first, *others = found.means
    return first, sum(others[1:], start=others[0])


def two_time_scales(found: Regime[Mat]) -> Decided | None:
    """The mean dynamics where the later step sizes are equal and step_1 over them tends to zero; None where there is
    one step size.

    Undecided where both move a parameter, or where what updates see mixes slow and fast parameters.
    """
    if len(found.algorithm.steps) == 1:
        return None
    if found.has_mean is not True:
        return Dynamics(MeanDynamics.UNDECIDED, NO_MEAN[found.has_mean])
    scales = time_scales(found)
    if isinstance(scales, str):
        return Dynamics(MeanDynamics.UNDECIDED, scales)
    inner = _decided(scales.fast)
    if inner.mean_dynamics is not MeanDynamics.STABLE:
        return replace(inner, reason=f"the fast time scale: {inner.reason}")
    if scales.slow is None:  # a Hurwitz matrix is not singular
        return Dynamics(MeanDynamics.UNDECIDED, "balls do not determine the matrix of the slow time scale")
    outer = _modulo_unseen(found, _decided(scales.slow))
    return replace(outer, reason=f"the fast time scale is stable; the slow one: {outer.reason}")


def time_scales(found: Regime[Mat]) -> TimeScales[Mat] | str:
    """The matrices of both, or why there are none. The memory's mean must exist."""
    if len(found.algorithm.steps) == 1:
        return "there is one step size"
    D, parts = found.D, _first_and_later(found)
    first, later = (mean.take(columns=range(D)) for mean in parts)
    moved_by = [mean.nonzero_rows for mean in found.means]
    moved_by = [moved_by[0], set().union(*moved_by[1:])]
    if moved_by[0] & moved_by[1]:
        return "the first step size and a later one move the same parameter"
    if why := found.outweighed([i for i in range(D) if i not in moved_by[1]]):
        return why
    fast = sorted(moved_by[1])
    slow = [i for i in range(D) if i not in moved_by[1]]
    columns, T = found.visible
    seen = [T.take(columns=part).column_basis if part else ((), T) for part in (slow, fast)]
    if sum(len(basis) for basis, _ in seen) != len(columns) or not all(basis for basis, _ in seen):
        return "slow and fast parameters are not seen apart"
    J = first + later
    (ss, sf), (fs, ff) = (
        [
            found.kind.enclosing(part_T) @ J.take(rows=rows, columns=[others[k] for k in basis])
            for others, (basis, _) in columns_of
        ]
        for rows, (_, part_T), columns_of in (
            (slow, seen[0], list(zip((slow, fast), seen, strict=True))),
            (fast, seen[1], list(zip((slow, fast), seen, strict=True))),
        )
    )
    try:
        carried = -ff.T.solve(sf.T).T
    except SingularMatrixError:
        return TimeScales(ff, None, None, (slow, fast))
    return TimeScales(ff, ss + carried @ fs, carried, (slow, fast))


def rest_of(found: Regime[Mat], ratios: Sequence[Fraction]) -> Rest:
    """Where the mean increment T(J_B u + g) of what updates see is zero, at these ratios. The memory's mean must exist.

    No update sees the drift J_B u + g, for T times it is zero: where T is square, so is the drift.
    """
    columns, T = found.visible
    D = found.D
    joint, lifted = found.joint(ratios), found.kind.enclosing(T)
    g = joint.take(columns=[D])
    if not columns:
        return Rest(None, None, drift=g)
    J = joint.take(columns=columns)
    try:
        u = (lifted @ J).solve(-(lifted @ g))
    except SingularMatrixError:
        return Rest(None, None)
    drift = found.kind.enclosing(RationalMatrix.zeros(D, 1)) if len(columns) == D else J @ u + g
    Phi = predictor(found, T)
    seen = None if Phi is None else found.kind.enclosing(Phi.take(columns=columns)) @ u
    return Rest(found.parameters_at(u) if len(columns) == D else None, seen, u, drift)


def predictor(found: Regime[Mat], T: RationalMatrix, *, up_to_a_constant: bool = False) -> RationalMatrix | None:
    """The matrix of predictions Φθ at the states of the class from all D parameters; None where no parameter has
    length d, or where they depend on what T does not see. (At T's columns B it is then the matrix from u: T_B = I.)
    ``up_to_a_constant``: of their differences from that at the first state.
    """
    Phi = found.predictions
    if Phi is None:
        return None
    if up_to_a_constant:
        Phi = Phi - RationalMatrix([[1]] * Phi.shape[0]) @ Phi.take(rows=[0])
    return Phi if RationalMatrix([*T.rows, *Phi.rows]).rank == T.shape[0] else None
