"""The document of an analysis, filled in; terminal and page show the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.advice.warnings import Number
from tdcert.analysis.analyse import numbers_of_any_length
from tdcert.analysis.facts import AlgorithmDynamics, ClaimAnswer, ClassFacts, Quantity, Rate
from tdcert.analysis.request import Arithmetic
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.row import AlgorithmRow, values_of
from tdcert.reports import analysis_document as written
from tdcert.reports import answer_words, step_words
from tdcert.reports.analysis_document import FORMAT
from tdcert.reports.analysis_figures import figures, swept
from tdcert.reports.documents import Checked, Row
from tdcert.reports.figure_documents import figure_document
from tdcert.reports.labels import CONVERGES
from tdcert.reports.number_texts import column, digits, matrix, number, rate, upper
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.document_types import UNSET, plain
from tdcert.theory.files.schedule_forms import schedule_option
from tdcert.theory.model.episodes import looks_terminal
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.sparse_model import SparseModel

if TYPE_CHECKING:
    from tdcert.analysis.advice.effects import Recommendation
    from tdcert.analysis.advice.model_numbers import Conditioning
    from tdcert.analysis.advice.schedules_of import SchedulesOf
    from tdcert.analysis.at_step import AtStep, StepAnswers
    from tdcert.analysis.certify import DistanceCurves
    from tdcert.analysis.for_all import ForAll
    from tdcert.analysis.model_diagram import Drawn
    from tdcert.analysis.robustness import RobustRow
    from tdcert.analysis.simulated_runs import Simulation
    from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
    from tdcert.theory.check.conditioning import Ends
    from tdcert.theory.check.stable_values import Algebraic
    from tdcert.theory.check.step_size_ratio import RatioInterval
    from tdcert.theory.enclose.safe_steps import StepBracket
    from tdcert.theory.engine.robustness import CounterModel
    from tdcert.theory.laws.mean_square import LargestStep
    from tdcert.theory.laws.path_exponents import PathSign

SIGNS: dict[int | None, written.Sign] = {-1: "dies_out", 1: "grows", 0: "neither", None: "undecided"}
"""What differences of two runs do."""

VERDICTS: Row = {"grows": "not_small_enough", "dies_out": "small_enough", "undecided": "undecided"}
"""What follows for steps that were asked about."""


FIRST = ("format", "answer", "model", "source", "arithmetic", "arithmetic_why", "bits", "notes", "algorithms", "chain")
"""The keys that come first."""


def analysis_document(analysis: AnalysisResult, checked: Checked | None = None) -> Row:
    """The whole document as JSON holds it, the answer first; ``checked``: what the independent checker said of the
    certificates.
    """
    with numbers_of_any_length():
        found = plain(_document(analysis, checked))
    return {**{key: found[key] for key in FIRST}, **found}


def _document(analysis: AnalysisResult, checked: Checked | None) -> written.AnalysisDocument:
    facts, advice = analysis.facts, analysis.advice
    single, chain, model = facts.single, facts.chain, facts.model
    warnings = advice.warnings
    places = {states: k for k, states in enumerate(chain.recurrent_classes)}
    return written.AnalysisDocument(
        format=FORMAT,
        answer=[_answer(row, places[row.states]) for row in analysis.rows],
        model=_model(model, analysis.defaults_used),
        source=analysis.source,
        arithmetic=facts.arithmetic.value,
        arithmetic_why=analysis.choice.why,
        bits=facts.bits,
        state_names=facts.state_names,
        notes=facts.notes,
        algorithms=[_row(row, places[row.states]) for row in analysis.rows],
        chain=written.ChainText(
            chain.irreducible,
            chain.period,
            chain.recurrent_classes,
            chain.periods,
            chain.transient_states,
            looks_terminal(model),
        ),
        coverage=written.CoverageText([(s, model.actions[a]) for s, a in facts.missing]),
        kappa=None if facts.kappa is None else digits(facts.kappa),
        value=column(facts.value),
        value_method=facts.value_method,
        stationary_law=_law(single),
        **_of_one_class(single or ClassFacts((), {})),
        classes=[
            written.ClassText(**_of_one_class(part), states=part.states, stationary_law=_law(part))
            for part in (() if single else facts.classes)
        ],
        claims=[_claim(answer) for answer in facts.claims],
        claims_not_asked=facts.claims_not_asked,
        budget=written.BudgetText(
            None if isinf(analysis.budget.seconds) else analysis.budget.seconds,
            [written.LeftOutText(one.what, one.seconds, one.option, one.sentence) for one in analysis.left_out],
        ),
        schedules=[schedule_row(row) for row in advice.comparison.rows],
        schedules_missing=advice.comparison.why,
        schedules_answer=advice.sentences,
        schedules_recommendation=_recommendation(advice.recommended),
        schedules_of=[_schedules_of(found) for found in analysis.schedules],
        lambda_sweep=None
        if advice.sweep is None
        else written.SweepText([schedule_row(row) for row in swept(advice.sweep.rows)], advice.sweep.why),
        warnings=[
            written.WarningText(one.id, one.severity, one.text, plain_number(one.numbers)) for one in warnings.fired
        ],
        warnings_asked=warnings.asked,
        warnings_not_asked=[written.NotAskedText(name, why) for name, why in warnings.not_asked],
        conditioning=None if advice.conditioning is None else _conditioning(advice.conditioning),
        step_sizes=None if analysis.steps is None else steps_text(analysis.steps),
        simulation=None if analysis.simulation is None else simulation_text(analysis.simulation),
        comparisons=[
            written.ComparisonText(
                one.name,
                None if isinstance(said, str) else said.agrees,
                said if isinstance(said, str) else said.sentence(),
            )
            for one, said in analysis.comparisons
        ],
        distances=[_distance(curves) for curves in analysis.distances],
        robustness=None if analysis.robustness is None else [_robustness(one) for one in analysis.robustness],
        for_all=None if analysis.for_all is None else _for_all(analysis.for_all),
        phase_diagram=None if analysis.phase_diagram is None else diagram_text(analysis.phase_diagram),
        figures=[figure_document(figure) for figure in figures(analysis)],
        replay=None if facts.arithmetic is Arithmetic.EXACT else analysis.command,
        reproduce=analysis.command,
        checker=UNSET if checked is None else written.CheckerText(checked.accepted, checked.rejected),
    )


def _for_all(asked: ForAll) -> written.ForAllText:
    def end(one: Algebraic) -> written.AlgebraicText:
        return written.AlgebraicText(digits(one.low), digits(one.high), [digits(Fraction(c)) for c in one.polynomial])

    rows = []
    for row in asked.rows:
        stretches = None
        if row.found is not None:
            stretches = [
                written.StretchText(
                    end(one.left),
                    one.left_in,
                    None if one.right is None else end(one.right),
                    one.right_in,
                    one.stable,
                    one.why or None,
                )
                for one in row.found.stretches
            ]
        rows.append(written.ForAllValuesText(row.algorithm, stretches, row.sentence, row.why or None))
    return written.ForAllText(asked.varied.value, asked.note or None, rows)


def _robustness(row: RobustRow) -> written.RobustnessText:
    found = row.found
    if found is None:
        return written.RobustnessText(row.algorithm, row.change.value, None, None, None, row.sentence, row.why)
    return written.RobustnessText(
        row.algorithm,
        row.change.value,
        "stable" if found.verdict is MeanDynamics.STABLE else "unstable",
        digits(found.within),
        None if found.counter is None else _counter_model(found.counter, row),
        row.sentence,
        found.why or None,
        None
        if row.certificate is None or row.certified is None
        else written.RobustCertificateText(digits(row.certified), row.certificate),
        row.why_no_certificate or None,
    )


def _counter_model(counter: CounterModel, row: RobustRow) -> written.CounterModelText:
    model, change, other = counter.model, row.change.value, dict[str, Any]()
    if change == "discount" and model.gamma is not None:
        other["discount"] = digits(model.gamma)
    elif change == "discount":
        discounts = zip(model.actions, model.discounts, strict=True)
        other["discount"] = {name: matrix.to_strings() for name, matrix in discounts}
    elif change != "transitions":
        other[change] = getattr(model, change).to_strings()
    transitions = {name: P.to_strings() for name, P in zip(model.actions, model.transitions, strict=True)}
    kept = list(row.counter_certificates)
    return written.CounterModelText(
        digits(counter.distance), counter.verdict.value, transitions, **other, certificates=kept
    )


def _answer(row: AlgorithmRow, place: int) -> written.AnswerText:
    found = row.answer
    return written.AnswerText(
        row.label,
        place,
        None if found is None else CONVERGES[found.mean_dynamics],
        answer_words.limit(row),
        column(row.theta_star),
        answer_words.how_fast(row),
    )


def _row(row: AlgorithmRow, place: int) -> written.RowText:
    largest, rest, at = row.largest, row.rest, row.at_step
    near = getattr(largest, "near", None)
    return written.RowText(
        row.algorithm.name,
        row.label,
        {name: _option(value) for name, value in row.algorithm.options.items()},
        str(row.algorithm.estimates),
        place,
        row.why_not or None,
        row.first_order,
        _dynamics(row.verdict),
        _dynamics(row.slow_and_fast),
        None if row.ratios is None else [_interval(interval) for interval in row.ratios],
        written.MemoryText(
            row.memory_mean,
            row.memory_square,
            None
            if row.moments is None
            else written.MemoryMomentsText(_column(row.moments[0]), matrix_texts(row.moments[1])),
        ),
        {name: column(values) for name, values in row.parameters.items()},
        column(row.predictions),
        None if rest is None else _column(rest.drift),
        number(row.error),
        None if row.bound is None or isinstance(row.bound, str) else digits(row.bound.bound),
        row.bound if isinstance(row.bound, str) else None,
        _covariance(row),
        row.why_no_noise or None,
        None
        if largest is None
        else written.ConstantStepText(
            None if near is None else digits(near.upto),
            digits(largest.low),
            None if largest.high is None else digits(largest.high),
            largest.crossing is not None,
        ),
        row.why_no_largest or None,
        None if row.safe is None else digits(row.safe),
        None
        if at is None
        else written.ConstantStepAnswerText(
            digits(at.alpha),
            at.mean,
            at.mean_square,
            at.why or None,
            None if at.under_way is None else written.UnderWayText(*at.under_way),
            [written.MomentText(one.t, _column(one.mean), one.covariance.to_strings()) for one in at.moments],
        ),
        row.bits,
        row.files,
    )


def _covariance(row: AlgorithmRow) -> written.CovarianceText | None:
    noise = row.noise
    if noise is None:
        return None
    return written.CovarianceText(
        matrix_texts(noise.long_run),
        matrix_texts(noise.averaged),
        matrix_texts(noise.at_small_steps),
        matrix_texts(noise.predictions),
        number(Quantity.of(row.variance)),
        None if noise.slow is None else written.SlowText(*map(matrix_texts, noise.slow)),
    )


def _interval(found: RatioInterval) -> written.RatioText:
    left, right = (None if ends is None else (digits(ends[0]), digits(ends[1])) for ends in (found.left, found.right))
    assert left is not None
    return written.RatioText(left, right, found.stable)


def matrix_texts(found: RationalMatrix | BallMatrix | None) -> list[Any] | None:
    """Rows of numbers as text, each up to its radius where they are balls."""
    return matrix(values_of(found))


def _column(found: RationalMatrix | BallMatrix | None) -> list[Any] | None:
    return column(values_of(found))


def _option(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_option(x) for x in value]
    return str(value) if isinstance(value, Fraction) else value


def _recommendation(found: Recommendation) -> written.RecommendationText:
    best = found.best
    return written.RecommendationText(
        None if best is None else schedule_option(best.candidate.schedule),
        None if best is None else best.name,
        found.matters,
        found.gain,
        found.steps,
        found.why or None,
    )


def _model(model: Model | SparseModel, defaults_used: Sequence[str]) -> written.ModelText:
    law = model.sampling if isinstance(model, Model) else None
    return written.ModelText(
        model.name or None,
        model.n,
        len(model.actions),
        model.d,
        model.schedule.length,
        _lambdas(model.schedule),
        None if model.gamma is None else digits(model.gamma),
        model.is_on_policy,
        digest_of(model),
        defaults_used,
        UNSET if law is None else "independent",
        UNSET if law is None else column(law) or [],
        UNSET if model.interest is None else [digits(x) for x in model.interest],
    )


def _lambdas(schedule: Schedule) -> written.EndlessText | list[str]:
    if isinstance(schedule, LambdaByState):
        return written.EndlessText(by_state=[digits(lam) for lam in schedule.by_state])
    if not schedule.is_finite:
        return written.EndlessText(digits(schedule.tail))
    return [digits(lam) for lam in schedule.lambdas]


def digest_of(model: Model | SparseModel) -> str:
    """The digest of an exact model; of a sparse one the SHA-256 of actions, λ's and a constant discount as text, then
    of all arrays as little-endian bytes.
    """
    if isinstance(model, Model):
        return model.digest
    found = hashlib.sha256()
    constant, lambdas = str(model.discount) if isinstance(model.discount, Fraction) else None, _lambdas(model.schedule)
    plain_lambdas: Any = lambdas
    if isinstance(lambdas, written.EndlessText):
        by_state = model.lambda_by_state is not None
        plain_lambdas = {"by_state": lambdas.by_state} if by_state else {"constant": lambdas.constant}
    interest = [] if model.interest is None else [list(map(str, model.interest))]
    found.update(json.dumps([list(model.actions), plain_lambdas, constant, *interest]).encode("ascii"))
    arrays = [part for P in model.transitions for part in (P.data, P.indices, P.indptr)]
    arrays += [model.rewards, model.behaviour, model.target, model.features]
    arrays += [] if constant is not None else [model.discount]
    arrays += [part for _, exact in sorted(model.ratios.items()) for part in (exact.p, exact.q)]
    for array in arrays:
        kind = "<f8" if array.dtype.kind == "f" else "<i8"
        found.update(json.dumps(array.shape).encode("ascii"))
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()


def _of_one_class(part: ClassFacts) -> Row:
    return {
        "stationary": column(part.stationary),
        "A": matrix(part.A),
        "b": column(part.b),
        "C": matrix(part.C),
        "theta_star": column(part.theta_star),
        "values_at_fixed_point": column(part.values_at_fixed_point),
        "projection_error_squared": number(part.projection_error_squared),
        "fixed_point_error_squared": number(part.fixed_point_error_squared),
        "error_bound_squared": number(part.error_bound_squared),
    }


def _law(part: ClassFacts | None) -> written.LawText | None:
    if part is None or part.law_bound is None:
        return None
    distance = part.law_bound.distance
    return written.LawText(part.law_bound.method, None if distance is None else upper(distance))


def _dynamics(row: AlgorithmDynamics | None) -> written.DynamicsText | None:
    if row is None:
        return None
    return written.DynamicsText(
        row.mean_dynamics.value, row.matrix, _rate(row.rate), row.reason, row.precision_needed, row.certificate
    )


def _rate(found: Rate | None) -> written.EndsText | None:
    ends = rate(found)
    return None if ends is None else written.EndsText(**ends)


def _claim(answer: ClaimAnswer) -> written.ClaimText:
    verdict = answer.verdict
    return written.ClaimText(
        answer.id,
        verdict.status.value,
        None if verdict.grade is None else verdict.grade.value,
        verdict.violated,
        dict(verdict.witness) or None,
        verdict.detail,
        verdict.precision_needed,
        answer.certificates[0] if answer.certificates else None,
        answer.certificates,
    )


def _schedules_of(found: SchedulesOf) -> written.SchedulesOfText:
    under = [
        written.UnderScheduleText(
            one.candidate.name,
            one.candidate.own,
            schedule_option(one.candidate.schedule),
            one.why or None,
            None if one.answer is None else _row(one.answer, 0),
        )
        for one in found.rows
    ]
    recommended = None if found.why else _recommendation(found.recommended)
    return written.SchedulesOfText(found.algorithm.name, found.why or None, recommended, under)


def schedule_row(row: Compared) -> written.ScheduleText:
    """One entry of ``schedules``."""
    schedule = row.candidate.schedule
    return written.ScheduleText(
        row.name,
        row.candidate.own,
        schedule_option(schedule),
        schedule.length,
        None if row.kappa is None else digits(row.kappa),
        number(row.bound),
        number(row.error),
        {
            name: None if one is None else written.DecidedText(one.mean_dynamics.value, _rate(one.rate))
            for name, one in row.algorithms.items()
        },
        number(row.variance),
        number(row.trace_square),
        None if row.step is None else _largest_step(row.step),
        row.missing,
    )


def _largest_step(found: LargestStep | StepBracket) -> written.LargestStepText:
    crossing = found.crossing
    return written.LargestStepText(
        digits(found.upto),
        digits(found.low),
        None if found.high is None else digits(found.high),
        None if crossing is None else written.EndsText(digits(crossing[0]), digits(crossing[1])),
        found.grade,
    )


def plain_number(value: Number) -> Any:
    """What stands behind a warning: fractions as ``"p/q"``."""
    if isinstance(value, Fraction):
        return digits(value)
    if isinstance(value, Mapping):
        return {name: plain_number(entry) for name, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_number(entry) for entry in value]
    return value


def _conditioning(numbers: Conditioning) -> written.ConditioningText:
    rarest = numbers.rarest
    return written.ConditioningText(
        _ends(numbers.of_matrices[0]),
        _ends(numbers.of_matrices[1]),
        None if numbers.inflation_at_least is None else digits(numbers.inflation_at_least),
        None if rarest is None else written.RarestText(rarest[0], _ends(rarest[1])),
    )


def _ends(ends: Ends | None) -> str | written.EndsText | None:
    """One number where it is exact, else both ends."""
    if ends is None:
        return None
    return digits(ends[0]) if ends[0] == ends[1] else written.EndsText(digits(ends[0]), digits(ends[1]))


def simulation_text(simulation: Simulation) -> written.SimulationText:
    """The key ``simulation``."""
    from tdcert.analysis.run_results import START

    asked = simulation.asked
    return written.SimulationText(
        asked.seed,
        asked.runs,
        asked.updates,
        asked.quantiles,
        START,
        simulation.false_alarm_rate,
        [
            written.RunsText(
                run.algorithm,
                run.alpha,
                run.beta,
                run.judged.status.value,
                None if run.judged.grade is None else run.judged.grade.value,
                run.judged.compared,
                run.judged.detail,
                run.judged.false_alarm_rate,
                run.diverged,
                run.diverged_by,
                run.exact_expectation,
                None if run.at_step is None else _at_step(run.at_step),
                run.figure.name,
            )
            for run in simulation.runs
        ],
    )


def _distance(curves: DistanceCurves) -> written.DistanceText:
    return written.DistanceText(
        curves.algorithm,
        str(curves.steps),
        None if curves.figure is None else curves.figure.name,
        curves.why or None,
        None if curves.last is None else curves.last.in_words,
    )


def steps_text(steps: StepAnswers) -> written.StepsText:
    """The key ``step_sizes``."""
    return written.StepsText(
        str(steps.question),
        digits(steps.question.ratio),
        steps.why,
        [
            written.StepText(
                one.algorithm,
                None if one.at is None else VERDICTS[step_words.verdict_of(one.at) or "undecided"],
                None if one.at is None else _at_step(one.at),
                None if one.largest is None else _largest_step(one.largest),
                one.largest_why or None,
                one.certificates,
            )
            for one in steps.answers
        ],
    )


def _at_step(found: AtStep) -> written.AtStepText:
    from tdcert.analysis.at_step import LEVEL

    return written.AtStepText(
        SIGNS[found.mean],
        SIGNS[found.mean_square],
        None if found.alpha is None else digits(found.alpha),
        SIGNS[found.paths],
        None if found.exponent is None else _exponent(found.exponent),
        found.runs,
        None if found.under_way is None else written.SignsText(*(SIGNS[sign] for sign in found.under_way)),
        LEVEL,
        found.in_words,
        found.from_update,
        found.certificates,
    )


def _exponent(found: PathSign) -> written.ExponentText:
    ends = (found.low, found.high, *found.enclosed_bounds)
    return written.ExponentText(*(None if x is None else digits(x) for x in ends))


def diagram_text(drawn: Drawn) -> written.DiagramText:
    """The key ``phase_diagram``."""
    alpha, axes = drawn.alpha, drawn.axes
    return written.DiagramText(
        None if drawn.picture is None else drawn.picture.name,
        drawn.why,
        None if alpha is None else digits(alpha),
        None if alpha is None else digits(axes.ratio * alpha),
        digits(axes.ratio),
        axes.x,
        axes.y,
        [] if drawn.picture is None else [panel.title for panel in drawn.picture.panels],
        drawn.confidence,
        drawn.seed,
    )
