"""What a survey measures on one model under one schedule; each answer with the grade of its evidence.

* numbers: ``kappa``; ``margin_ratio``, the largest t with −sym A ⪰ t(1 − κ)C (on-policy at least 1);
  ``error_ratio``, (1 − κ²)‖Φθ* − V‖² / ‖V − ΠV‖² (on-policy at most 1); ``asymptotic_variance``, the trace of
  C·A⁻¹ΣA⁻ᵀ: the mean square error of averaged predictions, times T; ``least_stable_n``, from which n on no n-step TD
  up to :data:`LARGEST_N` has an unstable mean.
* stability of an algorithm with steps α, and ηα for every later one: in the ``mean`` (all eigenvalues of the mean
  matrix have negative real part), in ``mean_square`` (``tdcert.theory.laws.mean_square``), on ``path``s (whether most
  runs shrink or grow). Any declared update is asked through the engine; for one with the terms of the paper's four the
  closed forms of their mean matrices (Theorems 4.3 to 4.6) and their compiled kernel are tried first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tdcert.algorithms import under as under_schedule
from tdcert.algorithms.schedules import PAPER, as_of_the_paper, scheduled
from tdcert.sims.growth import path_stability
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.batched import BatchMatrix, Floats, smallest_eigenvalue
from tdcert.sweeps.exact import exact_keys
from tdcert.theory.arithmetic.unreduced import UnreducedMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.dynamics import at_ratios
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.second_moments import BY_ROUNDINGS, at_constant_step
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.laws.long_run_covariance import ExactNoise, averaged_covariance
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

ALGORITHMS = tuple(name for name in PAPER if scheduled(name).off_policy)
NOTIONS = ("mean", "mean_square", "path")
FLOATS = ("kappa", "margin_ratio", "error_ratio")
NUMBERS = (*FLOATS, "asymptotic_variance", "least_stable_n")
LARGEST_N = 20
STABLE, UNSTABLE, UNDECIDED, DEPENDENT = "stable", "not stable", "undecided", "dependent features"


@dataclass(frozen=True)
class Measured:
    """A number or a word, or both. ``grade``: "certified" is exact, "enclosed" in floats with every rounding bounded,
    "consistent" simulated, "float" none of these.
    """

    value: float = float("nan")
    word: str = ""
    grade: str = "certified"


@dataclass(frozen=True)
class Paths:
    """How a path is judged: ``runs`` runs of ``steps`` updates; a sign is wrong with probability at most 1 − level."""

    steps: int
    runs: int
    level: float


# ---- numbers ----------------------------------------------------------------------------------------


def float_number(quantity: str, batch: Batch) -> Floats:
    """κ, margin ratio or error ratio of every model of a batch; not a number where there is none."""
    keys, kappa = batch.keys, batch.kappa
    if quantity == "kappa":
        return kappa
    with np.errstate(all="ignore"):
        if quantity == "margin_ratio":
            root = cholesky(keys.C)
            form = root.solve(root.solve(keys.A.symmetric_part().scaled(-1.0)).T)
            return smallest_eigenvalue(form.symmetric_part()) / (1.0 - kappa)
        V = (keys.N.identity(batch.shape[0]) - keys.N).solve(keys.r)
        left = keys.Phi @ keys.theta_star - V
        rest = keys.Phi @ keys.C.solve(keys.Phi.T @ V.scale_rows(keys.d)) - V
        ratio = (1.0 - kappa * kappa) * (left.T @ left.scale_rows(keys.d)).array[0, 0]
        return np.asarray(ratio / (rest.T @ rest.scale_rows(keys.d)).array[0, 0])


def cholesky(S: BatchMatrix) -> BatchMatrix:
    """Lower triangular L with LLᵀ = S; not finite where S is not positive definite in floats."""
    n = S.shape[0]
    L = np.zeros_like(S.array)
    for j in range(n):
        for i in range(j, n):
            rest = S.array[i, j].copy()
            for k in range(j):
                rest -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(rest) if i == j else rest / L[j, j]
    return BatchMatrix(L)


def asymptotic_variance(one: Batch) -> Measured:
    """tr(C A⁻¹ΣA⁻ᵀ) with Σ the long-run covariance of the increments (``clt_covariance``), exactly."""
    model = one.model(0)
    states = tuple(range(model.n))
    keys = theorem_matrices(model, states)
    try:
        covariance = averaged_covariance(keys.A, ExactNoise(model, states).long_run())
    except SingularMatrixError:
        return Measured(word=UNDECIDED)
    product = keys.C @ covariance
    return Measured(float(sum((product[i, i] for i in range(model.d)), start=Fraction(0))))


def least_stable_n(one: Batch) -> Measured:
    """The least n such that the mean of m-step TD is stable for n ≤ m ≤ LARGEST_N; none where LARGEST_N is not."""
    least = None
    for n in range(LARGEST_N, 0, -1):
        keys = exact_keys(under(one, Schedule.n_step(n)), 0)
        if keys is None or not keys.A.is_hurwitz():
            break
        least = n
    return Measured(word=f"none up to {LARGEST_N}") if least is None else Measured(float(least))


def under(batch: Batch, schedule: Schedule) -> Batch:
    """The models of the batch, all under one schedule."""
    return replace(batch, schedules=(schedule,), schedule=np.zeros_like(batch.schedule))


# ---- stability --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AskedUpdate:
    """An algorithm under a schedule. ``paper``: which of the paper's four has its terms, None where none has, or where
    its closed forms are not those of the models.
    """

    algorithm: Algorithm
    paper: str | None

    @staticmethod
    def of(algorithm: Algorithm, schedule: Schedule, on_policy: bool) -> AskedUpdate:
        """``on_policy``: whether behaviour and target policies of the models are equal."""
        chosen = under_schedule(algorithm, schedule)[0]
        return AskedUpdate(chosen, as_of_the_paper(chosen, schedule, on_policy))


def mean_dynamics(model: Model, algorithm: Algorithm, eta: Fraction) -> MeanDynamics:
    """The mean dynamics in fractions, at equal steps but for ``eta``, on a model with one recurrent class."""
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) != 1:
        return MeanDynamics.UNDECIDED
    try:
        return at_ratios(with_mean_dynamics(model, algorithm, classes[0]), ratios_of(algorithm, eta)).mean_dynamics
    except (BudgetExceededError, InputError):
        return MeanDynamics.UNDECIDED


def stable_in_mean(model: Model, keys: KeyMatrices[UnreducedMatrix], asked: AskedUpdate, eta: Fraction) -> Measured:
    """Whether the mean matrix is Hurwitz, exactly; ``keys``: the matrices of the theorems on this model."""
    if asked.paper is not None:
        J = scheduled(asked.paper).mean(keys.A, keys.C, eta)
        return Measured(word=STABLE if J.is_hurwitz() else UNSTABLE)
    found = mean_dynamics(model, asked.algorithm, eta)
    if found is MeanDynamics.UNDECIDED:
        return Measured(word=UNDECIDED)
    return Measured(word=STABLE if found.is_stable else UNSTABLE)


def stable_in_mean_square(model: Model, asked: AskedUpdate, alpha: Fraction, eta: Fraction, entries: int) -> Measured:
    """Whether second moments stay bounded at this step from every start, runs under way included; undecided where the
    exact search fails. Above ``entries`` windows × D² in floats with every rounding bounded, or for a memory without
    end by its growth and its bounds.
    """
    states = tuple(range(model.n))
    update, ratios = asked.algorithm, ratios_of(asked.algorithm, eta)
    try:
        found = at_constant_step(model, update, states, ratios, alpha, entries)
        sign = found.mean_square if found.under_way is None else found.under_way[1]
    except (BudgetExceededError, InputError, SingularMatrixError):
        return Measured(word=UNDECIDED)
    word = {-1: STABLE, 1: UNSTABLE}.get(sign or 0, UNDECIDED)
    return Measured(word=word, grade="enclosed" if BY_ROUNDINGS in found.why else "certified")


def stable_on_paths(
    model: Model, asked: AskedUpdate, alpha: Fraction, eta: Fraction, paths: Paths, seed: int, name: str
) -> Measured:
    """Whether most runs shrink or grow, by simulation (``tdcert.sims.growth``); the value is the median growth per
    step. Undecided where runs leave the range of floats, or parameters never move.
    """
    try:
        found = path_stability(
            model,
            asked.paper or asked.algorithm,
            float(alpha),
            eta=float(eta),
            steps=paths.steps,
            runs=paths.runs,
            seed=seed,
            name=name,
            level=paths.level,
        )
    except (BudgetExceededError, InputError):
        return Measured(word=UNDECIDED, grade="consistent")
    word = {-1: STABLE, 1: UNSTABLE, None: UNDECIDED}[found.sign]
    return Measured(float(f"{found.exponent.estimate:.6g}"), word, "consistent")
