r"""What is decided about a large sparse model: enclosures of d, A, b, C, θ* and the verdicts that follow, grade
``enclosed``.

The law comes from :mod:`tdcert.theory.enclose.sparse_law`, the matrices from
:mod:`tdcert.theory.enclose.sparse_matrices`; from there on they are d×d with radii, and
:mod:`tdcert.theory.enclose.definite` decides. Facts used:

* on-policy −sym A − (1 − κ)C is positive semidefinite: C ≻ 0 and κ < 1 give A ≺ 0 with
  λ_max(sym A) ≤ −(1 − κ)λ_min(C), whatever the rounding of A;
* with C ≻ 0, GTD and TDC are stable exactly if A is nonsingular (A4.2);
* off-policy Σ_n w_n ‖Nⁿ‖_D < 1 gives A ≺ 0 for every Φ with C ≻ 0. By Jensen's inequality
  ‖Pⁿx‖²_D ≤ Σ_j (dPⁿ)_j x_j², so ‖Pⁿ‖²_D ≤ max_j (dPⁿ)_j / d_j, which takes n sparse products;
* Lyapunov: AᵀX + XA ≺ 0 makes A stable if X ≻ 0, and gives it an eigenvalue in the open right half-plane if X is not
  ≻ 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, cast

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.sparse_products import Columns, gammas, upward
from tdcert.theory.check import hypotheses as given
from tdcert.theory.check.hypotheses import A_NONSINGULAR, C_POSITIVE, COVERAGE, DISCOUNTED, FULL_COLUMN_RANK, ON_POLICY
from tdcert.theory.check.mean_dynamics import MEAN_A, MEANS
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.enclose.definite import FLOAT_BITS, Conclusion, nonsingular, positive_definite
from tdcert.theory.enclose.mean_matrix import abscissa, mean_real_part, nothing_moves, rows_of_the_paper, td_row
from tdcert.theory.enclose.sparse_law import EnclosedLaw, Structure, stationary_law, structure
from tdcert.theory.enclose.sparse_matrices import key_matrices
from tdcert.theory.enclose.sparse_rank import Dependence, dependence
from tdcert.theory.enclose.sparse_result import SparseClass, SparseErrors, SparseResult
from tdcert.theory.enclose.sparse_value import errors, value_function
from tdcert.theory.enclose.statements import AskedStatement, HypothesisFacts, judged
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.forms import (
    A_HURWITZ,
    A_REGULAR,
    DEFINITE_ON_STATES,
    NEGATIVE_A,
    Form,
    Hurwitz,
    Implications,
    NormBound,
    Over,
    Statement,
    in_unit_interval,
    operator_M,
)
from tdcert.theory.limits import MOST_CLASSES, beyond, raised
from tdcert.theory.model.schedule import return_weights
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.verdict import Status, Verdict

NORMED_WEIGHTS = 64
"""Schedules with more weights skip the norms of single powers."""

LISTED_CLASSES = 100
"""Most recurrent classes whose states are listed."""


NOTHING: Mapping[str, AskedStatement] = {}


@dataclass(frozen=True)
class Keys:
    """The key matrices that are formed: what a form in θ may use."""

    A: MidRadMatrix
    b: MidRadMatrix
    C: MidRadMatrix


def analyse_sparse(model: SparseModel, statements: Mapping[str, AskedStatement] = NOTHING) -> SparseResult:
    """The law, A, b, C, θ* of each recurrent class, V^π, bounds of their errors, and the verdicts about ``statements``
    (by name).
    """
    with np.errstate(all="ignore"):  # what overflows ends in infinite radii, from which nothing is concluded
        return _analysed(model, statements)


def _analysed(model: SparseModel, statements: Mapping[str, AskedStatement]) -> SparseResult:
    chain, kappa = structure(model.behaviour_kernel.weights, LISTED_CLASSES), _kappa(model)
    V, method = value_function(model)
    if chain.count > raised(MOST_CLASSES):
        verdicts = {name: _of_too_many(asked, chain.count) for name, asked in statements.items()}
        return SparseResult(chain, kappa, V, method, (), verdicts)
    classes = tuple(_of_class(model, chain, states, V) for states in chain.recurrent)
    verdicts = {name: _verdict(asked, model, chain, classes) for name, asked in statements.items()}
    return SparseResult(chain, kappa, V, method, classes, verdicts)


def _of_too_many(asked: AskedStatement, classes: int) -> Verdict:
    violated = tuple(h.id for h in asked.hypotheses if h in (given.IRREDUCIBLE, given.UNIQUE_LAW))
    if violated:
        return Verdict(
            Status.HYPOTHESIS_VIOLATED, detail=f"the chain has {classes:,} recurrent classes", violated=violated
        )
    return Verdict(Status.UNDECIDED, detail=too_many(classes))


def too_many(classes: int) -> str:
    """Why no class is asked about where there are so many."""
    said = f"the chain has {classes:,} recurrent classes, a law for each, and at most {raised(MOST_CLASSES)} are asked"
    return beyond(f"{said} about", classes / MOST_CLASSES)


def _verdict(asked: AskedStatement, model: SparseModel, chain: Structure, classes: Sequence[SparseClass]) -> Verdict:
    unknown = next((part for part in classes if part.A is None), None)
    if unknown is not None:
        return Verdict(Status.UNDECIDED, detail=unknown.law_method)
    exact = {
        given.IRREDUCIBLE: chain.irreducible,
        given.UNIQUE_LAW: chain.count == 1,
        given.APERIODIC: set(chain.periods) == {1},
        ON_POLICY: all(part.hypotheses[ON_POLICY.id].holds for part in classes),
        COVERAGE: all(part.hypotheses[COVERAGE.id].holds for part in classes),
        DISCOUNTED: all(_discounted(model, part.states) for part in classes),
        given.CONSTANT_DISCOUNT: model.gamma is not None,
        given.FINITE_SCHEDULE: model.schedule.is_finite,
        given.LAMBDAS: bool(in_unit_interval((*model.schedule.lambdas, model.schedule.tail), model.largest_discount)),
    }
    enclosed = [{h: part.hypotheses[h.id] for h in (C_POSITIVE, FULL_COLUMN_RANK, A_NONSINGULAR)} for part in classes]
    return judged(
        asked, HypothesisFacts(exact, enclosed), lambda: [decide(asked.form, model, part) for part in classes]
    )


def decide(form: Statement, model: SparseModel, part: SparseClass) -> Conclusion:
    """A statement about one recurrent class whose matrices are known. Nothing of n×n is formed: a norm is bounded by
    Σ_n w_n ‖Nⁿ‖_D, and other statements in V are left open.
    """
    assert part.A is not None and part.b is not None and part.C is not None and part.negative is not None
    gamma, tail = model.largest_discount, model.schedule.tail
    if isinstance(form, Implications):
        if [link for link in form.links if isinstance(link, Form)] != [DEFINITE_ON_STATES, NEGATIVE_A]:
            return Conclusion(None, "this chain of statements is not decided in enclosures")
        return _norm_decides(part.off_policy_norm, part.negative)
    if tail * gamma == 1:
        return Conclusion(None, "the weights of an endless schedule with λγ = 1 have no sum")
    kappa = model.schedule.kappa(gamma)
    if isinstance(form, NormBound):
        return _bounded(form, part.off_policy_norm, form.bound(gamma, kappa))
    if form.exactly_if is A_REGULAR:
        return part.hypotheses[A_NONSINGULAR.id]
    if isinstance(form, Hurwitz):
        if form is not A_HURWITZ:
            return Conclusion(None, f"{form.name} is not formed for sparse models")
        found = td_row(part.A, part.negative, FLOAT_BITS)
        return Conclusion(
            {MeanDynamics.STABLE: True, MeanDynamics.UNSTABLE: False}.get(found.mean_dynamics), found.reason
        )
    if form.where is not None and not form.where((*model.schedule.lambdas, tail), gamma):
        return Conclusion(None, f"for this schedule and discount nothing is stated of {form.name}")
    if form.matrix is NEGATIVE_A.matrix:
        return part.negative
    if form.over is not Over.FEATURES:
        return Conclusion(None, f"{form.name} is not formed for sparse models")
    answer = positive_definite(form.matrix(cast(Any, Keys(part.A, part.b, part.C)), gamma, kappa), form.name)
    if form.strict or answer.holds is not False:
        return answer
    return Conclusion(None, f"{answer.why}; whether it is positive semidefinite, only exact arithmetic tells")


def _bounded(form: NormBound, norm: float | None, q: Any) -> Conclusion:
    """‖M‖_D ≤ Σ_n w_n ‖Nⁿ‖_D, as far as that is bounded."""
    if form.operator is not operator_M or norm is None:
        return Conclusion(None, f"the norm of {form.name} is not bounded for sparse models")
    if norm < q:
        return Conclusion(True, f"‖{form.name}‖_D ≤ Σ_n w_n ‖Nⁿ‖_D ≤ {norm:.6f}")
    return Conclusion(None, f"the bound {norm:.6f} of ‖{form.name}‖_D is too large")


@dataclass(frozen=True, eq=False)
class _Matrices:
    """The matrices of one class, and what their enclosures decide: whether C ≻ 0 (``rank``), A ≺ 0 by A alone (``own``)
    or by theorems too (``negative``), A is nonsingular.
    """

    A: MidRadMatrix
    b: MidRadMatrix
    C: MidRadMatrix
    theta: MidRadMatrix | None
    smallest_of_c: tuple[float, float] | None
    largest_of_a: tuple[float, float] | None
    norm: float | None
    rank: Conclusion
    own: Conclusion
    negative: Conclusion

    @cached_property
    def regular(self) -> Conclusion:
        return Conclusion(True, self.negative.why) if self.negative.holds else nonsingular(self.A, "A")

    @staticmethod
    def of(model: SparseModel, states: Any, law: EnclosedLaw) -> _Matrices:
        A, b, C = key_matrices(model, law)
        try:
            theta: MidRadMatrix | None = A.solve(b.scaled(-1))
        except SingularMatrixError:
            theta = None
        of_C = _smallest_eigenvalue(C)
        of_A = _smallest_eigenvalue(A.scaled(-1).symmetric_part())
        margin = _margin(model, states, of_C)
        largest_of_a = None if of_A is None else (-of_A[1], min(-of_A[0], -margin))
        norm = _off_policy_norm(model, law)
        rank = positive_definite(C, "C")
        own = positive_definite(A.scaled(-1), "−sym A")
        negative = _negative_definite(own, margin, norm, rank)
        if negative.holds:  # Cx = 0 means Φx = 0 wherever d > 0, and then xᵀAx = 0
            rank = Conclusion(True, "A is negative definite, so that Φx ≠ 0 under d for every x ≠ 0")
        return _Matrices(A, b, C, theta, of_C, largest_of_a, norm, rank, own, negative)


def _of_class(model: SparseModel, chain: Structure, states: Any, V: Columns | None) -> SparseClass:
    law, method = stationary_law(model.behaviour_kernel, states)
    if law is None:
        return _undecided(model, states, None, method)
    try:
        found = _Matrices.of(model, states, law)
    except BudgetExceededError as error:
        return _undecided(model, states, law, str(error))
    rank, depends, basis, on_basis = found.rank, None, model, found
    if rank.holds is None and (depends := dependence(model, states)) is not None:
        rank = Conclusion(depends.is_full, depends.why("the recurrent states"))
        if depends.columns and not depends.is_full:
            basis = model.with_features(depends.columns)
            on_basis = _Matrices.of(basis, states, law)
    everywhere = rank if chain.irreducible or rank.holds else _rank_everywhere(model)
    singular = Conclusion(False, f"A is singular: {rank.why}") if rank.holds is False else found.regular
    hypotheses = {
        given.IRREDUCIBLE.id: Conclusion(chain.irreducible, "the pattern of the behaviour chain decides"),
        ON_POLICY.id: Conclusion(model.is_on_policy_at(states), "the policies are compared as given"),
        COVERAGE.id: _coverage(model, states),
        DISCOUNTED.id: Conclusion(_discounted(model, states), "the smallest discount of the class decides"),
        C_POSITIVE.id: rank,
        FULL_COLUMN_RANK.id: everywhere,
        A_NONSINGULAR.id: singular,
    }
    distances = SparseErrors()
    if V is not None:
        theta = on_basis.theta if basis is model or hypotheses[COVERAGE.id].holds else None
        distances = errors(basis, states, law, V, on_basis.C, theta)
    return SparseClass(
        states,
        law,
        method,
        A=found.A,
        b=found.b,
        C=found.C,
        theta_star=found.theta,
        smallest_of_c=found.smallest_of_c,
        largest_of_a=found.largest_of_a,
        off_policy_norm=found.norm,
        errors=distances,
        hypotheses=hypotheses,
        negative=found.own,
        dynamics=_dynamics(on_basis, hypotheses, depends),
    )


def _undecided(model: SparseModel, states: Any, law: EnclosedLaw | None, why: str) -> SparseClass:
    return SparseClass(states, law, why, dynamics=_all_undecided(why))


def _all_undecided(why: str) -> dict[str, Dynamics[float]]:
    return {name: Dynamics(MeanDynamics.UNDECIDED, why, matrix=name) for name in MEANS}


def _coverage(model: SparseModel, states: Any) -> Conclusion:
    missing = int(model.uncovered[states].sum())
    return Conclusion(missing == 0, f"{missing} pairs (s, a) of the class have π(a|s) > 0 = μ(a|s)")


def _kappa(model: SparseModel) -> Fraction | None:
    gamma = model.gamma
    return None if gamma is None or model.schedule.tail * gamma == 1 else model.schedule.kappa(gamma)


def _discounted(model: SparseModel, states: Any) -> bool:
    """Whether the discount is below one in one of these states."""
    if isinstance(model.discount, Fraction):
        return model.discount < 1
    if exact := model.ratios.get("discount"):
        return bool((exact.p < exact.q)[states].any())
    return bool((model.discount[states] < 1).any())


def _rank_everywhere(model: SparseModel) -> Conclusion:
    found = dependence(model, np.arange(model.n))
    if found is None:
        return Conclusion(
            None, "the columns of Φ are dependent on a recurrent class; elsewhere they were not looked at"
        )
    return Conclusion(found.is_full, found.why("all states"))


def _margin(model: SparseModel, states: Any, of_C: tuple[float, float] | None) -> float:
    """(1 − κ)λ_min(C) on-policy, rounded down, κ for the largest discount; zero where nothing is known."""
    largest, on_policy = model.largest_discount, model.is_on_policy_at(states)
    if not on_policy or of_C is None or of_C[0] <= 0 or model.schedule.tail * largest == 1:
        return 0.0 if on_policy else -np.inf
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


def _negative_definite(own: Conclusion, margin: float, norm: float | None, C_positive: Conclusion) -> Conclusion:
    """Whether sym A is negative definite: by the margin or by the norm, which are theorems, else by its own enclosure.

    For what the algorithms do. A statement about A itself is decided by A's ``own`` enclosure alone: the margin is
    Proposition 4.1 sharpened, which would be taken for granted where the proposition is asked.
    """
    if margin > 0:
        return Conclusion(True, f"λ_max(sym A) ≤ −(1 − κ)λ_min(C) ≤ −{margin:.3e}")
    if norm is not None and norm < 1 and C_positive.holds:
        return Conclusion(True, f"Σ_n w_n ‖Nⁿ‖_D ≤ {norm:.6f} < 1 and C is positive definite")
    return own


def _norm_decides(norm: float | None, negative: Conclusion) -> Conclusion:
    """Σ w_n ‖Nⁿ‖_D < 1 ⇒ ‖M‖_D < 1 ⇒ sym D(I − M) ≻ 0 ⇒ A ≺ 0: the first line and the last, the last by itself."""
    if norm is None:
        return Conclusion(None, "Σ w_n ‖Nⁿ‖_D was not bounded: a state too improbable, or too many weights", 106)
    if norm >= 1:
        return Conclusion(None, f"the bound {norm:.6f} of Σ w_n ‖Nⁿ‖_D is not below one, which decides nothing", 106)
    return replace(negative, why=f"Σ w_n ‖Nⁿ‖_D ≤ {norm:.6f} < 1; {negative.why}")


def _off_policy_norm(model: SparseModel, law: EnclosedLaw) -> float | None:
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


def _dynamics(
    on_basis: _Matrices, hypotheses: Mapping[str, Conclusion], depends: Dependence | None
) -> dict[str, Dynamics[float]]:
    """``on_basis``: of independent columns among those of Φ, where ``depends`` says that they are dependent."""
    if not hypotheses[COVERAGE.id].holds:
        return _all_undecided(
            f"{hypotheses[COVERAGE.id].why}: what the algorithms do there is decided for exact models only"
        )
    A, C, rank = on_basis.A, on_basis.C, hypotheses[C_POSITIVE.id]
    if depends is None or depends.is_full:
        regular = _both(rank, hypotheses[A_NONSINGULAR.id])
        rows = rows_of_the_paper(A, C, on_basis.negative, regular, FLOAT_BITS)
        return rows | {MEAN_A: _within_bounds(rows[MEAN_A], A, on_basis.largest_of_a)}
    if not depends.columns:
        return nothing_moves(f"{rank.why}: predictions there are zero and nothing moves")
    regular, W = _both(on_basis.rank, on_basis.regular), MidRadMatrix.enclosing(depends.T @ depends.T.T)
    return rows_of_the_paper(A, C, on_basis.negative, regular, FLOAT_BITS, W, rank.why)


def _both(C_positive: Conclusion, regular: Conclusion) -> Conclusion:
    """C ≻ 0 and A nonsingular."""
    if C_positive.holds and regular.holds:
        return Conclusion(True, "C is positive definite and A nonsingular")
    return Conclusion(None, f"{C_positive.why}; {regular.why}")


def _within_bounds(found: Dynamics[float], A: MidRadMatrix, of_sym: tuple[float, float] | None) -> Dynamics[float]:
    """TD with its rate between tr A/d and the bound of λ_max(sym A), where it is undecided too."""
    low, high = found.rate or abscissa(A, FLOAT_BITS)
    most = np.inf if of_sym is None else of_sym[1]
    return replace(found, rate=(max(low, mean_real_part(A)[0]), min(high, most)))
