"""The document of an analysis, format ``tdcert-analysis/2`` of docs/formats.md, as frozen structs.

:mod:`tdcert.reports.analysis_json` fills them in; the JSON Schema is made from them. A key that an analysis has nothing
to say under is null there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from tdcert.reports.figure_documents import PictureDocument
from tdcert.theory.document_types import Count, Digest, Number, Rational

FORMAT: Final = "tdcert-analysis/2"

Choices = Literal["stable", "unstable", "stable_modulo_null_space", "marginal", "undecided"]
Sign = Literal["dies_out", "grows", "neither", "undecided"]
"""What differences of two runs do."""
Word = Annotated[int, Meta(ge=-1, le=1)] | None
"""What differences do, as a row says it: −1 they die out, 1 they grow, 0 the mean does neither, null undecided."""
Option = str | int | float | bool | None
"""The value of an option, or one of several."""
Decimals = Annotated[str, Meta(pattern=r"^-?\d[\d.e+-]*(/\d+)?$")]
"""A rational number, or a decimal that was rounded outward."""


class SideFile(Struct, frozen=True):
    """A matrix of more than 100,000 entries, in a file beside the document."""

    file: str
    sha256: Digest
    shape: Sequence[Count]


Column = Sequence[Number | None] | SideFile | None
"""Numbers, or where they are; null for those that are not known."""
Matrix = Sequence[Sequence[Number | None]] | SideFile | None
"""Rows of numbers, or where they are."""
States = Sequence[Count] | SideFile
"""States, from 0, or where they are."""


class EndsText(Struct, frozen=True):
    """A number that is known between two ends, rounded outward."""

    lower: Decimals
    upper: Decimals


class AnswerText(Struct, frozen=True):
    """The answer about one algorithm on one recurrent class."""

    algorithm: str
    """Its name, which ``--algorithms`` takes."""
    recurrent_class: Count
    """Which of the classes of ``chain.recurrent_classes``, from 0."""
    converges: bool | None
    """Whether predictions converge in the mean, for small constant steps; null where that is not decided."""
    words: str
    """What it does, in words."""
    theta_star: Column
    """Where its first parameter as long as φ rests, or else the first; null where that is not determined."""
    how_fast: str | None
    """How fast, in words; null where no rate is known."""


class EndlessText(Struct, frozen=True):
    """A λ without end: one, or one for each state."""

    constant: Number | UnsetType = UNSET
    by_state: Sequence[Number] | UnsetType = UNSET


class ModelText(Struct, frozen=True):
    """The model that was analysed."""

    name: str | None
    states: Count
    actions: Count
    features: Count
    schedule_length: Count | None
    lambdas: Sequence[Number] | EndlessText
    discount: Number | None
    on_policy: bool
    digest: Digest
    defaults_used: Sequence[str]
    sampling: Literal["independent"] | UnsetType = UNSET
    sampling_law: Sequence[Number] | UnsetType = UNSET
    interest: Sequence[Number] | UnsetType = UNSET


class ChainText(Struct, frozen=True):
    """The behaviour chain."""

    irreducible: bool
    period: Count | None
    recurrent_classes: Sequence[States] | SideFile
    periods: Sequence[Count] | SideFile
    transient_states: States
    terminal_states: States


class CoverageText(Struct, frozen=True):
    """What the target policy does and the behaviour policy never does."""

    missing: Sequence[tuple[Count, str]]
    """State and action."""


class LawText(Struct, frozen=True):
    """How the law of a sparse chain was bounded, and its distance in sum from the true one."""

    method: str
    distance: str | None


class DynamicsText(Struct, frozen=True):
    """What mean dynamics do."""

    verdict: Choices
    matrix: str | None
    """Whose eigenvalues decide, in words."""
    rate: EndsText | None
    """Its spectral abscissa, per unit of the summed step sizes."""
    reason: str
    precision_needed: Count | None
    """Bits to try next, where an error bound left it undecided."""
    certificate: str | None


class RatioText(Struct, frozen=True):
    """An open interval of ratios of the later step sizes, which are equal, to the first."""

    left: tuple[Rational, Rational]
    right: tuple[Rational, Rational] | None
    stable: bool


class MemoryMomentsText(Struct, frozen=True):
    """E m and E mmᵀ of the memory m."""

    mean: Column
    second: Matrix


class MemoryText(Struct, frozen=True):
    """Whether the memory has finite moments in the stationary regime; null where that is not decided."""

    mean: bool | None
    second_moments: bool | None
    moments: MemoryMomentsText | None


class SlowText(Struct, frozen=True):
    """Covariances of the parameters of the first step size on two time scales."""

    averaged: Matrix
    at_small_steps: Matrix


class CovarianceText(Struct, frozen=True):
    """The noise at rest and the covariances that follow from it."""

    noise: Matrix
    averaged: Matrix
    at_small_steps: Matrix
    predictions: Matrix
    variance: Number | None
    slow: SlowText | None


class ConstantStepText(Struct, frozen=True):
    """The largest constant step in mean square."""

    bounded_upto: Rational | None
    bounded: Rational
    unbounded: Rational | None
    every_step_below: bool


class UnderWayText(Struct, frozen=True):
    """Mean and mean square of runs under way."""

    mean: Word
    mean_square: Word


class MomentText(Struct, frozen=True):
    """The parameters after ``t`` updates from ones."""

    t: Count
    mean: Column
    covariance: Matrix


class ConstantStepAnswerText(Struct, frozen=True):
    """What the constant step does that was asked about."""

    step: Rational
    mean: Word
    mean_square: Word
    why: str | None
    under_way: UnderWayText | None
    moments: Sequence[MomentText]


class RowText(Struct, frozen=True):
    """What one algorithm does on one recurrent class; null where nobody asked, or nothing is determined."""

    name: str
    label: str
    """The name with the options that were given."""
    options: Mapping[str, Option | Sequence[Option]]
    estimates: str
    recurrent_class: Count
    why_not: str | None
    """Why there are no mean dynamics."""
    first_order: bool
    """Whether all is for steps → 0, by the first order of an update that is not linear in its steps."""
    mean_dynamics: DynamicsText | None
    """With all step sizes equal, or in the ratio asked about."""
    two_time_scales: DynamicsText | None
    """With later step sizes that are equal, and much larger than the first."""
    ratios: Sequence[RatioText] | None
    memory: MemoryText
    parameters: Mapping[str, Column]
    """Where they rest."""
    predictions: Column
    drift: Column
    error_squared: Number | None
    error_bound_squared: Rational | None
    """What the paper's theorem says that it is at most."""
    why_no_error_bound: str | None
    covariance: CovarianceText | None
    why_no_covariance: str | None
    constant_step: ConstantStepText | None
    why_no_constant_step: str | None
    safe_step: Rational | None
    at_step: ConstantStepAnswerText | None
    bits: Count | None
    """The precision of the balls that enclose the row; null where it is exact, or follows from the class."""
    certificates: Sequence[str]


class OfOneClass(Struct, frozen=True):
    """What exists once for each recurrent class: of the theorem (target policy, law of the behaviour policy)."""

    stationary: Column
    A: Matrix
    b: Column
    C: Matrix
    theta_star: Column
    values_at_fixed_point: Column
    projection_error_squared: Number | None
    fixed_point_error_squared: Number | None
    error_bound_squared: Number | None


class ClassText(OfOneClass, frozen=True):
    """One of several recurrent classes."""

    states: States
    stationary_law: LawText | None


class ClaimText(Struct, frozen=True):
    """A statement of the paper, in its corrected reading, asked of the model."""

    id: str
    status: Literal["holds", "refuted", "hypothesis_violated", "undecided"]
    grade: Literal["proved", "certified", "enclosed", "consistent"] | None
    violated: Sequence[str]
    witness: Mapping[str, object] | None
    detail: str
    precision_needed: Count | None
    certificate: str | None
    certificates: Sequence[str]


class DecidedText(Struct, frozen=True):
    """The mean dynamics of an algorithm with another schedule."""

    mean_dynamics: Choices
    rate: EndsText | None


class LargestStepText(Struct, frozen=True):
    """The largest constant step that is known to be small enough."""

    bounded_up_to: Rational
    bounded_at: Rational
    unbounded_at: Rational | None
    crossing: EndsText | None
    grade: str


class ScheduleText(Struct, frozen=True):
    """A schedule on this model."""

    name: str
    of_the_model: bool
    schedule: str
    schedule_length: Count | None
    kappa: Number | None
    error_bound_squared: Number | None
    fixed_point_error_squared: Number | None
    algorithms: Mapping[str, DecidedText | None]
    asymptotic_variance: Number | None
    trace_second_moment: Number | None
    largest_step: LargestStepText | None
    missing: Mapping[str, str]


class UnderScheduleText(Struct, frozen=True):
    """What an algorithm that was asked for does under a schedule, or why it cannot have it."""

    name: str
    of_the_model: bool
    schedule: str
    why_not: str | None
    row: RowText | None


class RecommendationText(Struct, frozen=True):
    """Which schedule, and how much it matters."""

    schedule: str | None
    name: str | None
    matters: bool
    gain: float | None
    steps: Count
    why: str | None


class SchedulesOfText(Struct, frozen=True):
    """What an algorithm that was asked for does under schedules, or why they make no difference to it."""

    algorithm: str
    why_not: str | None
    recommendation: RecommendationText | None
    """Null where schedules make no difference."""
    under: Sequence[UnderScheduleText]


class SweepText(Struct, frozen=True):
    """Constant λ's compared."""

    schedules: Sequence[ScheduleText]
    missing: str | None


class WarningText(Struct, frozen=True):
    """What a user should know before trusting a run."""

    id: str
    severity: Annotated[str, Meta(pattern="^(serious|warning|note)$")]
    text: str
    numbers: Mapping[str, object]


class NotAskedText(Struct, frozen=True):
    """A warning that was not asked, and why."""

    id: str
    why: str


class RarestText(Struct, frozen=True):
    """The state that is visited least."""

    state: Count
    probability: Number | EndsText | None


class ConditioningText(Struct, frozen=True):
    """Condition numbers; a number, both ends of one, or null."""

    condition_of_A: Number | EndsText | None  # noqa: N815
    condition_of_C: Number | EndsText | None  # noqa: N815
    inflation_at_least: Number | None
    rarest_state: RarestText | None


class SignsText(Struct, frozen=True):
    """What steps do to differences of two runs."""

    mean: Sign
    mean_square: Sign


class ExponentText(Struct, frozen=True):
    """Certified bounds of the rate a step at which differences grow on almost every path; null where there is none.

    ``enclosed_at_least``, ``enclosed_at_most``: a bound of the grade ``enclosed``, which no certificate carries.
    """

    at_least: Rational | None
    at_most: Rational | None
    enclosed_at_least: Rational | None
    enclosed_at_most: Rational | None


class AtStepText(SignsText, frozen=True):
    """What steps do: from time zero, and under way where that is something else.

    ``exponent``: its bounds, where any are certified or enclosed. If they have no sign, that of paths is simulated with
    the confidence given; null where it follows from mean square. ``runs``: of runs with their rewards, on what updates
    see: they have one stationary law, which every run comes near, or are unbounded from almost every start; null where
    neither is shown.
    """

    alpha: Rational | None
    paths: Sign
    exponent: ExponentText | None
    runs: Literal["one_law", "unbounded"] | None
    under_way: SignsText | None
    confidence_of_paths: float
    detail: str
    from_update: Count | None
    certificates: Sequence[str]


class StepText(Struct, frozen=True):
    """The answer about steps for one algorithm."""

    algorithm: str
    verdict: Literal["small_enough", "not_small_enough", "undecided"] | None
    at: AtStepText | None
    largest: LargestStepText | None
    largest_missing: str | None
    certificates: Sequence[str]


class StepsText(Struct, frozen=True):
    """Whether the steps asked about are small enough."""

    steps: str
    ratio: Rational
    why: str | None
    algorithms: Sequence[StepText]


class RunsText(Struct, frozen=True):
    """The runs of one algorithm, against theory."""

    algorithm: str
    alpha: str
    beta: str | None
    status: Annotated[str, Meta(pattern="^(holds|refuted|undecided)$")]
    grade: Annotated[str, Meta(pattern="^consistent$")] | None
    compared: str | None
    detail: str
    false_alarm_rate: float | None
    diverged: Count
    diverged_by: Count | None
    exact_expectation: bool
    at_step: AtStepText | None
    figure: str


class SimulationText(Struct, frozen=True):
    """Runs that were simulated and drawn."""

    seed: Count
    runs: Count
    updates: Count
    quantiles: tuple[float, float]
    start: str
    false_alarm_rate: float
    algorithms: Sequence[RunsText]


class ComparisonText(Struct, frozen=True):
    """Runs of an algorithm that was asked for by name, against its exact moments."""

    name: str
    agrees: bool | None
    said: str


class DistanceText(Struct, frozen=True):
    """The distance of θ from θ* over time, under steps that decrease."""

    algorithm: str
    steps: str
    figure: str | None
    why: str | None
    certified: str | None


class DiagramText(Struct, frozen=True):
    """The phase diagram, or why there is none."""

    figure: str | None
    why: str | None
    alpha: Rational | None
    beta: Rational | None
    ratio: Rational
    x: str
    y: str
    algorithms: Sequence[str]
    confidence: float
    seed: Count


class CheckerText(Struct, frozen=True):
    """What the independent checker said of the certificates."""

    accepted: Count
    rejected: Sequence[str]


class LeftOutText(Struct, frozen=True):
    """A part that was not computed, as nobody asked for it by name and its work is estimated beyond the budget."""

    what: str
    seconds: float
    option: str
    words: str


class BudgetText(Struct, frozen=True):
    """What parts may take that nobody asked for by name."""

    seconds: float | None
    """Estimated by sizes; null: any number."""
    left_out: Sequence[LeftOutText]


class CounterModelText(Struct, frozen=True):
    """Transitions by action, and what else changed, at a distance in total variation, and the verdict there."""

    distance: Rational
    verdict: str
    transitions: Mapping[str, Sequence[Sequence[Rational]]]
    discount: Rational | Mapping[str, Sequence[Sequence[Rational]]] | UnsetType = UNSET
    """A number, or by action where it is not one."""
    behaviour: Sequence[Sequence[Rational]] | UnsetType = UNSET
    target: Sequence[Sequence[Rational]] | UnsetType = UNSET
    certificates: Sequence[str] = ()
    """Paths in a report: about this model, or that it disagrees with the model asked about and is as near."""


class RobustCertificateText(Struct, frozen=True):
    """The certificate that a verdict holds within a distance, and where it lies in a report."""

    within: Rational
    path: str


class RobustnessText(Struct, frozen=True):
    """How far a model may change; null for what is not known, and why."""

    algorithm: str
    change: Literal["transitions", "discount", "behaviour", "target"]
    verdict: Literal["stable", "unstable"] | None
    within: Rational | None
    """The verdict holds for all models whose transitions, discounts or policies are within it (rows in total variation,
    discounts by their difference); 0: nothing is certified.
    """
    counter_model: CounterModelText | None
    sentence: str
    why: str | None
    certificate: RobustCertificateText | None = None
    why_no_certificate: str | None = None
    """Why there is none; null where there is one, and where nothing is known."""


class AlgebraicText(Struct, frozen=True):
    """The one root of a polynomial between two numbers, which are equal where it is one of them."""

    low: Rational
    high: Rational
    polynomial: Sequence[Rational]
    """Irreducible; whole coefficients, the constant one first."""


class StretchText(Struct, frozen=True):
    """All values between two ends, which belong to it or not; without end where ``right`` is null."""

    left: AlgebraicText
    left_in: bool
    right: AlgebraicText | None
    right_in: bool
    stable: bool | None
    """At each of them; null where that is not known."""
    why: str | None


class ForAllValuesText(Struct, frozen=True):
    """The answer of one algorithm; null for what is not known, and why."""

    algorithm: str
    stretches: Sequence[StretchText] | None
    """The stretches of the domain, in order, without gaps."""
    sentence: str
    why: str | None


class ForAllText(Struct, frozen=True):
    """For which values the mean dynamics are stable."""

    varied: Literal["gamma", "lambda", "ratio"]
    note: str | None
    algorithms: Sequence[ForAllValuesText]


class AnalysisDocument(OfOneClass, frozen=True, kw_only=True):
    """The whole document; what exists once for each class is null at top level where there are several."""

    format: Literal["tdcert-analysis/2"]
    answer: Sequence[AnswerText]
    """The answer about each algorithm, on each recurrent class."""
    model: ModelText
    source: str
    arithmetic: Literal["exact", "enclosed", "sparse"]
    arithmetic_why: str
    bits: Count | None
    """Precision of enclosures."""
    state_names: Sequence[str] | SideFile | None
    notes: Sequence[str]
    algorithms: Sequence[RowText]
    """A row for each algorithm on each recurrent class."""
    chain: ChainText
    coverage: CoverageText
    kappa: Number | None
    value: Column
    value_method: str | None
    stationary_law: LawText | None
    classes: Sequence[ClassText]
    """Where there are several."""
    claims: Sequence[ClaimText]
    claims_not_asked: Sequence[str]
    budget: BudgetText
    schedules: Sequence[ScheduleText]
    schedules_missing: str | None
    schedules_answer: Sequence[str]
    schedules_recommendation: RecommendationText
    schedules_of: Sequence[SchedulesOfText]
    """What is compared for algorithms that were asked for by name."""
    lambda_sweep: SweepText | None
    warnings: Sequence[WarningText]
    warnings_asked: Sequence[str]
    warnings_not_asked: Sequence[NotAskedText]
    conditioning: ConditioningText | None
    step_sizes: StepsText | None
    simulation: SimulationText | None
    comparisons: Sequence[ComparisonText]
    distances: Sequence[DistanceText]
    robustness: Sequence[RobustnessText] | None
    for_all: ForAllText | None
    phase_diagram: DiagramText | None
    figures: Sequence[PictureDocument]
    replay: str | None
    """The command that computes error bounds again, in the place of certificates."""
    reproduce: str | None
    checker: CheckerText | UnsetType = UNSET
    """In a report alone."""
