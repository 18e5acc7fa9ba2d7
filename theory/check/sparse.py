r"""What is decided about a large sparse model: enclosures of d, A, b, C, θ* and the verdicts that follow, grade
``enclosed``.

The law comes from :mod:`theory.check.sparse_law`, the matrices from :mod:`theory.check.sparse_matrices`; from there
on they are d×d with radii, and :mod:`theory.check.enclosed_definite` decides. Facts used, each a claim of the
paper's list or stated there:

* on-policy −sym A − (1 − κ)C is positive semidefinite (``negative_margin``): C ≻ 0 and κ < 1 give A ≺ 0
  (``prop_4_1``) with λ_max(sym A) ≤ −(1 − κ)λ_min(C), whatever the rounding of A;
* with C ≻ 0, GTD and TDC are stable exactly if A is nonsingular (A4.2);
* off-policy Σ_n w_n ‖Nⁿ‖_D < 1 gives A ≺ 0 for every Φ with C ≻ 0 (``off_policy_margin``). By Jensen's inequality
  ‖Pⁿx‖²_D ≤ Σ_j (dPⁿ)_j x_j², so ‖Pⁿ‖²_D ≤ max_j (dPⁿ)_j / d_j, which takes n sparse products;
* Lyapunov: AᵀX + XA ≺ 0 makes A stable if X ≻ 0, and gives it an eigenvalue in the open right half-plane if X is not
  ≻ 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import scipy.linalg

from theory.arithmetic.midrad import MidRadMatrix
from theory.arithmetic.sparse import Columns, gammas, upward
from theory.check.enclosed_definite import Decision, nonsingular, positive_definite
from theory.check.hypotheses import (
    A_NONSINGULAR,
    C_POSITIVE,
    COVERAGE,
    DISCOUNTED,
    FULL_COLUMN_RANK,
    IRREDUCIBLE,
    ON_POLICY,
)
from theory.check.mean_dynamics import MeanDynamics
from theory.check.sparse_law import Law, Structure, stationary_law, structure
from theory.check.sparse_matrices import key_matrices
from theory.check.sparse_result import Claim, SparseClass, SparseDynamics, SparseErrors, SparseResult
from theory.check.sparse_value import errors, value_function
from theory.errors import BudgetExceededError, SingularMatrixError
from theory.model.schedule import return_weights
from theory.model.sparse import SparseModel
from theory.verdict import Status

NORMED_WEIGHTS = 64
"""Schedules with more weights skip the norms of single powers."""

CLASSES = 20
"""Most recurrent classes that are asked about, each with a law and matrices of its own."""

CLAIMS = ("prop_4_1", "negative_margin", "off_policy_margin")


def analyse_sparse(model: SparseModel) -> SparseResult:
    """The law, A, b, C, θ* of each recurrent class, V^π, bounds of their errors, and the verdicts that follow."""
    with np.errstate(all="ignore"):  # what overflows ends in infinite radii, from which nothing is concluded
        return _analysed(model)


def _analysed(model: SparseModel) -> SparseResult:
    chain, kappa = structure(model.behaviour_kernel), _kappa(model)
    V, method = value_function(model)
    if chain.count > CLASSES:
        why = f"the chain has {chain.count:,} recurrent classes, a law for each; give up to {CLASSES} at a time"
        claims = dict.fromkeys(CLAIMS, (Status.UNDECIDED, why, None))
        return SparseResult(chain, kappa, V, method, (), claims)
    classes = tuple(_of_class(model, chain, states, V) for states in chain.recurrent)
    return SparseResult(chain, kappa, V, method, classes, {name: _together(classes, name) for name in CLAIMS})


def _of_class(model: SparseModel, chain: Structure, states: Any, V: Columns | None) -> SparseClass:
    law, method = stationary_law(model.behaviour_kernel, states)
    if law is None:
        return _undecided(model, states, None, method)
    try:
        A, b, C = key_matrices(model, law)
    except BudgetExceededError as error:
        return _undecided(model, states, law, str(error))
    try:
        theta: MidRadMatrix | None = A.solve(b.scaled(-1))
    except SingularMatrixError:
        theta = None
    of_C = _smallest_eigenvalue(C)
    of_A = _smallest_eigenvalue(A.scaled(-1).symmetric_part())
    margin = _margin(model, of_C)
    largest_of_a = None if of_A is None else (-of_A[1], min(-of_A[0], -margin))
    norm = _off_policy_norm(model, law)
    of_rank = positive_definite(C, "C")
    negative = _negative_definite(model, A, margin, norm, of_rank)
    if negative.holds:  # Cx = 0 means Φx = 0 wherever d > 0, and then xᵀAx = 0
        of_rank = Decision(True, "A is negative definite, so that Φx ≠ 0 under d for every x ≠ 0")
    hypotheses = {
        IRREDUCIBLE.id: Decision(chain.irreducible, "the pattern of the behaviour chain decides"),
        ON_POLICY.id: Decision(model.is_on_policy, "the policies are compared as given"),
        COVERAGE.id: Decision(model.uncovered == 0, f"{model.uncovered} pairs (s, a) have π(a|s) > 0 = μ(a|s)"),
        DISCOUNTED.id: Decision(_smallest_discount(model, states) < 1, "the smallest discount of the class decides"),
        C_POSITIVE.id: of_rank,
        FULL_COLUMN_RANK.id: of_rank if chain.irreducible or of_rank.holds else _unknown_rank(),
        A_NONSINGULAR.id: Decision(True, negative.why) if negative.holds else nonsingular(A, "A"),
    }
    needed = (IRREDUCIBLE.id, ON_POLICY.id, FULL_COLUMN_RANK.id, DISCOUNTED.id)
    verdicts = {
        "prop_4_1": _claim(negative, hypotheses, needed),
        "negative_margin": _claim(_margin_holds(of_C, margin), hypotheses, (ON_POLICY.id,)),
        "off_policy_margin": _claim(_norm_decides(norm, negative), hypotheses, (C_POSITIVE.id,)),
    }
    return SparseClass(
        states, law, method, A, b, C, theta, of_C, largest_of_a, norm,
        SparseErrors() if V is None else errors(model, law, V, C, theta), hypotheses, verdicts,
        _algorithms(model, A, negative, hypotheses, largest_of_a),
    )  # fmt: skip


def _undecided(model: SparseModel, states: Any, law: Law | None, why: str) -> SparseClass:
    claims = dict.fromkeys(CLAIMS, (Status.UNDECIDED, why, None))
    dynamics = SparseDynamics(MeanDynamics.UNDECIDED, why)
    algorithms = {
        name: dynamics if name != "td" or model.is_on_policy else None for name in ("td", "off_policy_td", "gtd", "tdc")
    }
    return SparseClass(states, law, why, verdicts=claims, algorithms=algorithms)


def _together(classes: Sequence[SparseClass], name: str) -> Claim:
    """A claim about all classes: a violated hypothesis first, then a refutation, then what is open; else it holds."""
    answers = [part.verdicts[name] for part in classes]
    for status in (Status.HYPOTHESIS_VIOLATED, Status.REFUTED, Status.UNDECIDED):
        found = next((answer for answer in answers if answer[0] is status), None)
        if found is not None:
            return found
    return Status.HOLDS, "; ".join(dict.fromkeys(why for _, why, _ in answers)), None


def _kappa(model: SparseModel) -> Fraction | None:
    gamma = model.gamma
    return None if gamma is None or model.schedule.tail * gamma == 1 else model.schedule.kappa(gamma)


def _smallest_discount(model: SparseModel, states: Any) -> Fraction:
    if isinstance(model.discount, Fraction):
        return model.discount
    return Fraction(float(model.discount[states].min()))


def _unknown_rank() -> Decision:
    return Decision(
        None, "the columns of Φ are dependent on the recurrent class; elsewhere they were not looked at", 106
    )


def _margin(model: SparseModel, of_C: tuple[float, float] | None) -> float:
    """(1 − κ)λ_min(C) on-policy, rounded down, κ for the largest discount; zero where nothing is known."""
    largest = model.largest_discount
    if not model.is_on_policy or of_C is None or of_C[0] <= 0 or model.schedule.tail * largest == 1:
        return 0.0 if model.is_on_policy else -np.inf
    return float(np.nextafter(float((1 - model.schedule.kappa(largest)) * Fraction(of_C[0])), -np.inf))


def _smallest_eigenvalue(S: MidRadMatrix) -> tuple[float, float] | None:
    """Bounds of λ_min of the symmetric members of S: S − μI shown positive definite, and a Rayleigh quotient."""
    if not np.isfinite(S.rad).all():
        return None
    values, vectors = np.linalg.eigh(S.mid / 2 + S.mid.T / 2)
    if not np.isfinite(values).all():
        return None
    x = MidRadMatrix(vectors[:, :1])
    quotient, square = float((x.T @ (S @ x)).upper[0, 0]), x.T @ x
    length = float((square.lower if quotient >= 0 else square.upper)[0, 0])
    upper = float(np.nextafter(quotient / length, np.inf))
    size = float(max(abs(values[0]), abs(values[-1])))
    slack = float(S.rad.sum(axis=1).max()) + 1e-14 * size
    for _ in range(12):
        mu = Fraction(float(values[0] - slack))
        shifted = S - S.identity(S.shape[0]).scaled(mu)
        if positive_definite(shifted, "S − μI").holds:
            return float(mu), upper
        slack *= 4
    return None


def _negative_definite(
    model: SparseModel, A: MidRadMatrix, margin: float, norm: float | None, C_positive: Decision
) -> Decision:
    """Whether sym A is negative definite: by the margin, by the norm, else by its own enclosure."""
    if margin > 0:
        return Decision(True, f"λ_max(sym A) ≤ −(1 − κ)λ_min(C) ≤ −{margin:.3e}")
    if norm is not None and norm < 1 and C_positive.holds:
        return Decision(True, f"Σ_n w_n ‖Nⁿ‖_D ≤ {norm:.6f} < 1 and C is positive definite")
    return positive_definite(A.scaled(-1), "−sym A")


def _margin_holds(of_C: tuple[float, float] | None, margin: float) -> Decision:
    """The inequality λ_max(sym A) ≤ −(1 − κ)λ_min(C), with the number it gives here."""
    if of_C is None:
        return Decision(None, "λ_min(C) has no lower bound", 106)
    return Decision(True, f"λ_max(sym A) ≤ −(1 − κ)λ_min(C) by the theorem; λ_min(C) in [{of_C[0]:.3e}, {of_C[1]:.3e}]"
                    + (f", so ≤ −{margin:.3e}" if margin > 0 else ""))  # fmt: skip


def _norm_decides(norm: float | None, negative: Decision) -> Decision:
    """The chain of implications of ``off_policy_margin``, entered at its first line."""
    if norm is None:
        return Decision(None, "Σ w_n ‖Nⁿ‖_D was not bounded: a state too improbable, or too many weights", 106)
    if norm >= 1:
        return Decision(None, f"the bound {norm:.6f} of Σ w_n ‖Nⁿ‖_D is not below one, which decides nothing", 106)
    return Decision(True, f"Σ w_n ‖Nⁿ‖_D ≤ {norm:.6f} < 1; {negative.why}")


def _off_policy_norm(model: SparseModel, law: Law) -> float | None:
    """An upper bound of Σ_n w_n ‖Nⁿ‖_D, n = 1 … ; κ on-policy, where ‖P‖_D = 1.

    dPⁿ ≤ xPⁿ + min(δ, ρ xPⁿ) entry by entry, ρ = max |x − d|/x; every product with Wᵀ lifts by its rounding and by ε.
    """
    if model.schedule.tail or len(model.schedule.lambdas) >= NORMED_WEIGHTS:
        return None
    gamma = model.largest_discount
    weights = [float(w) for w in return_weights(model.schedule.lambdas)]
    below = np.nextafter(law.mid - law.entrywise, -np.inf)
    if not (below > 0).all():
        return None
    if model.is_on_policy:
        return float(np.nextafter(float(model.schedule.kappa(gamma)), np.inf))
    W = model.target_kernel.weights
    into = gammas(np.bincount(W.indices, minlength=model.n) + 2)
    lift = 1 + 2 * into + float(upward(model.target_kernel.entry_error).max())
    relative = float((law.entrywise / law.mid).max())
    flow, total = law.mid, 0.0
    for n, w in enumerate(weights, start=1):
        flow = upward((W.T @ flow) * lift)
        above = flow + np.minimum(law.distance, upward(relative * flow))
        total += w * float(gamma) ** n * sqrt(float((above / below).max()))
    return float(upward(total))


def _claim(decision: Decision, hypotheses: Mapping[str, Decision], needed: tuple[str, ...]) -> Claim:
    """A statement under its hypotheses: a violated one comes first, then an open one, then the statement."""
    violated = [name for name in needed if hypotheses[name].holds is False]
    if violated:
        return Status.HYPOTHESIS_VIOLATED, ", ".join(violated), None
    for name in needed:
        if hypotheses[name].holds is None:
            return Status.UNDECIDED, f"{name}: {hypotheses[name].why}", hypotheses[name].precision_needed
    if decision.holds is None:
        return Status.UNDECIDED, decision.why, decision.precision_needed
    return (Status.HOLDS if decision.holds else Status.REFUTED), decision.why, None


def _algorithms(
    model: SparseModel,
    A: MidRadMatrix,
    negative: Decision,
    hypotheses: Mapping[str, Decision],
    largest_of_a: tuple[float, float] | None,
) -> dict[str, SparseDynamics | None]:
    if not hypotheses[COVERAGE.id].holds:
        why = f"{hypotheses['coverage'].why}: what the algorithms do there is decided for exact models only"
        open_row = SparseDynamics(MeanDynamics.UNDECIDED, why)
        return {"td": None, "off_policy_td": open_row, "gtd": open_row, "tdc": open_row}
    td = _td(A, negative, largest_of_a)
    if hypotheses[C_POSITIVE.id].holds and hypotheses[A_NONSINGULAR.id].holds:
        gradient = SparseDynamics(MeanDynamics.STABLE, "C is positive definite and A nonsingular")
    else:
        gradient = SparseDynamics(
            MeanDynamics.UNDECIDED, f"{hypotheses['C_positive'].why}; {hypotheses['A_nonsingular'].why}"
        )
    return {"td": td if model.is_on_policy else None, "off_policy_td": td, "gtd": gradient, "tdc": gradient}


def _td(A: MidRadMatrix, negative: Decision, largest_of_a: tuple[float, float] | None) -> SparseDynamics:
    """A's eigenvalues: tr A / d ≤ max Re ≤ λ_max(sym A); where that has no sign, Lyapunov's equation."""
    d = A.shape[0]
    ends = MidRadMatrix(A.mid.diagonal()[:, None], A.rad.diagonal()[:, None])
    mean = (MidRadMatrix(np.ones((1, d))) @ ends).scaled(Fraction(1, d)).lower[0, 0]
    rate = None if largest_of_a is None else (float(mean), float(largest_of_a[1]))
    if negative.holds:
        return SparseDynamics(MeanDynamics.STABLE, negative.why, rate)
    try:
        with warnings.catch_warnings():  # an X from perturbed coefficients proves nothing below, and does no harm
            warnings.simplefilter("ignore", RuntimeWarning)
            X = scipy.linalg.solve_continuous_lyapunov(A.mid.T, -np.eye(d))
    except (np.linalg.LinAlgError, ValueError):
        return SparseDynamics(MeanDynamics.UNDECIDED, negative.why, rate)
    if not np.isfinite(X).all():
        return SparseDynamics(MeanDynamics.UNDECIDED, negative.why, rate)
    lyapunov = MidRadMatrix((X + X.T) / 2)
    if positive_definite((A.T @ lyapunov + lyapunov @ A).scaled(-1), "−(AᵀX + XA)").holds:
        positive = positive_definite(lyapunov, "X").holds
        if positive:
            return SparseDynamics(MeanDynamics.STABLE, "AᵀX + XA is negative and X positive definite", rate)
        if positive is False:
            why = "AᵀX + XA is negative definite, and X is not positive definite"
            return SparseDynamics(MeanDynamics.UNSTABLE, why, rate)
    return SparseDynamics(MeanDynamics.UNDECIDED, negative.why, rate)
