"""The view of an analysis as JSON, format ``tdcert-analysis/1`` of docs/formats.md; terminal and page show the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tdcert.analysis.advice.advise import Advice
from tdcert.analysis.advice.compared_schedules import Compared, schedule_option
from tdcert.analysis.advice.effects import Recommendation
from tdcert.analysis.advice.warnings import Number, Warnings
from tdcert.analysis.analyse import numbers_of_any_length
from tdcert.analysis.facts import AlgorithmDynamics, ClaimAnswer, ClassFacts
from tdcert.analysis.request import Arithmetic
from tdcert.analysis.result import Analysis
from tdcert.reports import step_words
from tdcert.reports.analysis_figures import figures, swept
from tdcert.reports.documents import Checked, Row, fields_of, figure_row
from tdcert.reports.number_texts import column, digits, matrix, number, rate, upper
from tdcert.theory.model.episodes import looks_terminal
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

if TYPE_CHECKING:
    from tdcert.analysis.advice.model_numbers import Conditioning
    from tdcert.analysis.at_step import AtStep, StepAnswers
    from tdcert.analysis.certify import DistanceCurves
    from tdcert.analysis.model_diagram import Drawn
    from tdcert.analysis.simulated_runs import Simulation
    from tdcert.theory.check.conditioning import Ends
    from tdcert.theory.enclose.safe_steps import StepBracket
    from tdcert.theory.laws.mean_square import LargestStep

SIGNS: dict[int | None, str] = {-1: "dies_out", 1: "grows", 0: "neither", None: "undecided"}
"""What differences of two runs do."""

VERDICTS = {"grows": "not_small_enough", "dies_out": "small_enough", "undecided": "undecided"}
"""What follows for steps that were asked about."""

PER_CLASS = (
    "stationary",
    "A",
    "b",
    "C",
    "theta_star",
    "values_at_fixed_point",
    "projection_error_squared",
    "fixed_point_error_squared",
    "error_bound_squared",
    "algorithms",
)
"""Keys that exist once for each recurrent class; at top level where there is one class."""


def analysis_document(analysis: Analysis, checked: Checked | None = None) -> Row:
    """The whole document, its keys in the order in which files have always had them; ``checked``: what the independent
    checker said of the certificates.
    """
    with numbers_of_any_length():
        return {**_document(analysis), **({} if checked is None else {"checker": checked.counts()})}


def _document(analysis: Analysis) -> Row:
    facts = analysis.facts
    exact, sparse = (facts.arithmetic is kind for kind in (Arithmetic.EXACT, Arithmetic.SPARSE))
    single = facts.single
    classes = [_class(part, facts.arithmetic) for part in facts.classes]
    return {
        "format": "tdcert-analysis/1",
        "model": _model(facts.model, analysis.defaults_used),
        "source": analysis.source,
        "state_names": None if facts.state_names is None else list(facts.state_names),
        **({} if exact else {"bits": facts.bits}),
        "notes": list(facts.notes),
        "claims_not_asked": list(facts.claims_not_asked),
        "chain": {
            **fields_of(facts.chain, "irreducible", "period", "recurrent_classes", "periods", "transient_states"),
            "terminal_states": list(looks_terminal(facts.model)),
        },
        "coverage": {"missing": [[s, facts.model.actions[a]] for s, a in facts.missing]},
        "kappa": None if facts.kappa is None else digits(facts.kappa),
        "value": column(facts.value),
        **({"value_method": facts.value_method, "stationary_law": _law(single)} if sparse else {}),
        **{key: classes[0][key] if len(classes) == 1 else None for key in PER_CLASS},
        "classes": classes if len(classes) != 1 else [],
        "claims": [_claim(answer, exact) for answer in facts.claims],
        **advice_keys(analysis.advice),
        **({} if analysis.simulation is None else {"simulation": simulation_document(analysis.simulation)}),
        **({"distances": [_distance(curves) for curves in analysis.distances]} if analysis.distances else {}),
        "step_sizes": None if analysis.steps is None else steps_document(analysis.steps),
        "phase_diagram": None if analysis.phase_diagram is None else diagram_document(analysis.phase_diagram),
        "arithmetic": facts.arithmetic.value,
        "arithmetic_why": analysis.choice.why,
        "replay": None if exact else analysis.command,
        "reproduce": analysis.command,
        "figures": [figure_row(figure) for figure in figures(analysis)],
    }


def advice_keys(advice: Advice) -> Row:
    """The keys that say what follows: schedules compared, warnings, conditioning."""
    return {
        "schedules": [schedule_row(row) for row in advice.comparison.rows],
        "schedules_missing": advice.comparison.why,
        "schedules_answer": list(advice.sentences),
        "schedules_recommendation": _recommendation(advice.recommended),
        "lambda_sweep": None
        if advice.sweep is None
        else {"schedules": [schedule_row(row) for row in swept(advice.sweep.rows)], "missing": advice.sweep.why},
        **warning_keys(advice.warnings),
        "conditioning": None if advice.conditioning is None else _conditioning(advice.conditioning),
    }


def _recommendation(found: Recommendation) -> Row:
    """Which schedule, and how much it matters."""
    return {
        "schedule": None if found.best is None else schedule_option(found.best.candidate.schedule),
        "name": None if found.best is None else found.best.name,
        "matters": found.matters,
        "gain": found.gain,
        "steps": found.steps,
        "why": found.why or None,
    }


def warning_keys(warnings: Warnings) -> Row:
    """What fired, what was asked, and what was not."""
    return {
        "warnings": [
            {**fields_of(fired, "id", "severity", "text"), "numbers": plain_number(fired.numbers)}
            for fired in warnings.fired
        ],
        "warnings_asked": list(warnings.asked),
        "warnings_not_asked": [{"id": name, "why": why} for name, why in warnings.not_asked],
    }


def _model(model: Model | SparseModel, defaults_used: Sequence[str]) -> Row:
    return {
        "name": model.name or None,
        "states": model.n,
        "actions": len(model.actions),
        "features": model.d,
        "schedule_length": model.schedule.length,
        "lambdas": _lambdas(model.schedule),
        "discount": None if model.gamma is None else digits(model.gamma),
        "on_policy": model.is_on_policy,
        "digest": digest_of(model),
        "defaults_used": list(defaults_used),
    }


def _lambdas(schedule: Schedule) -> dict[str, str] | list[str]:
    if not schedule.is_finite:
        return {"constant": digits(schedule.tail)}
    return [digits(lam) for lam in schedule.lambdas]


def digest_of(model: Model | SparseModel) -> str:
    """The digest of an exact model; of a sparse one the SHA-256 of actions, λ's and a constant discount as text, then
    of all arrays as little-endian bytes.
    """
    if isinstance(model, Model):
        return model.digest
    found = hashlib.sha256()
    constant = str(model.discount) if isinstance(model.discount, Fraction) else None
    found.update(json.dumps([list(model.actions), _lambdas(model.schedule), constant]).encode("ascii"))
    arrays = [part for P in model.transitions for part in (P.data, P.indices, P.indptr)]
    arrays += [model.rewards, model.behaviour, model.target, model.features]
    arrays += [] if constant is not None else [model.discount]
    arrays += [part for _, exact in sorted(model.ratios.items()) for part in (exact.p, exact.q)]
    for array in arrays:
        kind = "<f8" if array.dtype.kind == "f" else "<i8"
        found.update(json.dumps(array.shape).encode("ascii"))
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()


def _class(part: ClassFacts, arithmetic: Arithmetic) -> Row:
    exact = arithmetic is Arithmetic.EXACT
    return {
        "states": list(part.states),
        **({"stationary_law": _law(part)} if arithmetic is Arithmetic.SPARSE else {}),
        "stationary": column(part.stationary),
        "A": matrix(part.A),
        "b": column(part.b),
        "C": matrix(part.C),
        "theta_star": column(part.theta_star),
        "values_at_fixed_point": column(part.values_at_fixed_point),
        "projection_error_squared": number(part.projection_error_squared),
        "fixed_point_error_squared": number(part.fixed_point_error_squared),
        "error_bound_squared": number(part.error_bound_squared),
        "algorithms": {name: row and _dynamics(row, exact) for name, row in part.algorithms.items()},
    }


def _law(part: ClassFacts | None) -> Row | None:
    """How the law of a sparse chain was bounded, and its distance in sum."""
    if part is None or part.law_bound is None:
        return None
    distance = part.law_bound.distance
    return {"method": part.law_bound.method, "distance": None if distance is None else upper(distance)}


def _dynamics(row: AlgorithmDynamics, exact: bool) -> Row:
    return {
        "mean_dynamics": row.mean_dynamics,
        "matrix": row.matrix,
        "rate": rate(row.rate),
        "reason": row.reason,
        **({} if exact else {"precision_needed": row.precision_needed}),
        "certificate": row.certificate,
    }


def _claim(answer: ClaimAnswer, exact: bool) -> Row:
    verdict = answer.verdict
    return {
        "id": answer.id,
        "status": verdict.status,
        "grade": verdict.grade,
        "violated": list(verdict.violated),
        "witness": dict(verdict.witness) or None,
        "detail": verdict.detail,
        **({} if exact else {"precision_needed": verdict.precision_needed}),
        "certificate": answer.certificates[0] if answer.certificates else None,
        "certificates": list(answer.certificates),
    }


def schedule_row(row: Compared) -> Row:
    """One entry of ``schedules``."""
    schedule = row.candidate.schedule
    return {
        "name": row.name,
        "of_the_model": row.candidate.own,
        "schedule": schedule_option(schedule),
        "schedule_length": schedule.length,
        "kappa": None if row.kappa is None else digits(row.kappa),
        "error_bound_squared": number(row.bound),
        "fixed_point_error_squared": number(row.error),
        "algorithms": {
            name: one and {"mean_dynamics": one.mean_dynamics, "rate": rate(one.rate)}
            for name, one in row.algorithms.items()
        },
        "asymptotic_variance": number(row.variance),
        "trace_second_moment": number(row.trace_square),
        "largest_step": None if row.step is None else _largest_step(row.step),
        "missing": dict(row.missing),
    }


def _largest_step(found: LargestStep | StepBracket) -> Row:
    crossing = found.crossing
    return {
        "bounded_up_to": digits(found.upto),
        "bounded_at": digits(found.low),
        "unbounded_at": None if found.high is None else digits(found.high),
        "crossing": None if crossing is None else {"lower": digits(crossing[0]), "upper": digits(crossing[1])},
        "grade": found.grade,
    }


def plain_number(value: Number) -> Any:
    """What stands behind a warning: fractions as ``"p/q"``."""
    if isinstance(value, Fraction):
        return digits(value)
    if isinstance(value, Mapping):
        return {name: plain_number(entry) for name, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_number(entry) for entry in value]
    return value


def _conditioning(numbers: Conditioning) -> Row:
    rarest = numbers.rarest
    return {
        "condition_of_A": _ends(numbers.of_matrices[0]),
        "condition_of_C": _ends(numbers.of_matrices[1]),
        "inflation_at_least": None if numbers.inflation_at_least is None else digits(numbers.inflation_at_least),
        "rarest_state": None if rarest is None else {"state": rarest[0], "probability": _ends(rarest[1])},
    }


def _ends(ends: Ends | None) -> str | dict[str, str] | None:
    """One number where it is exact, else both ends."""
    if ends is None:
        return None
    return digits(ends[0]) if ends[0] == ends[1] else {"lower": digits(ends[0]), "upper": digits(ends[1])}


def simulation_document(simulation: Simulation) -> Row:
    """The key ``simulation``."""
    from tdcert.analysis.simulated_runs import START

    return {
        "seed": simulation.asked.seed,
        "runs": simulation.asked.runs,
        "updates": simulation.asked.updates,
        "quantiles": list(simulation.asked.quantiles),
        "start": START,
        "false_alarm_rate": simulation.false_alarm_rate,
        "algorithms": [
            {
                **fields_of(run, "algorithm", "alpha", "beta"),
                **fields_of(run.judged, "status", "grade", "compared", "detail", "false_alarm_rate"),
                **fields_of(run, "diverged", "diverged_by", "exact_expectation"),
                "at_step": None if run.at_step is None else _at_step(run.at_step),
                "figure": run.figure.name,
            }
            for run in simulation.runs
        ],
    }


def _distance(curves: DistanceCurves) -> Row:
    return {
        "algorithm": curves.algorithm,
        "steps": str(curves.steps),
        "figure": None if curves.figure is None else curves.figure.name,
        "why": curves.why or None,
        "certified": None if curves.last is None else curves.last.in_words,
    }


def steps_document(steps: StepAnswers) -> Row:
    """The key ``step_sizes``."""
    question = steps.question
    return {
        "steps": str(question),
        "ratio": digits(question.ratio),
        "why": steps.why,
        "algorithms": [
            {
                "algorithm": one.algorithm,
                "verdict": None if one.at is None else VERDICTS[step_words.verdict_of(one.at) or "undecided"],
                "at": None
                if one.at is None
                else {**_at_step(one.at), **fields_of(one.at, "from_update", "certificates")},
                "largest": None if one.largest is None else _largest_step(one.largest),
                "largest_missing": one.largest_why or None,
                "certificates": list(one.certificates),
            }
            for one in steps.answers
        ],
    }


def _at_step(found: AtStep) -> Row:
    from tdcert.analysis.at_step import LEVEL

    return {
        "alpha": None if found.alpha is None else digits(found.alpha),
        "mean": SIGNS[found.mean],
        "mean_square": SIGNS[found.mean_square],
        "paths": SIGNS[found.paths],
        "under_way": None
        if found.under_way is None
        else {name: SIGNS[sign] for name, sign in zip(("mean", "mean_square"), found.under_way, strict=True)},
        "confidence_of_paths": LEVEL,
        "detail": found.in_words,
    }


def diagram_document(drawn: Drawn) -> Row:
    """The key ``phase_diagram``."""
    alpha = drawn.alpha
    return {
        "figure": None if drawn.picture is None else drawn.picture.name,
        "why": drawn.why,
        "alpha": None if alpha is None else digits(alpha),
        "beta": None if alpha is None else digits(drawn.axes.ratio * alpha),
        "ratio": digits(drawn.axes.ratio),
        **fields_of(drawn.axes, "x", "y"),
        "algorithms": [] if drawn.picture is None else [panel.title for panel in drawn.picture.panels],
        "confidence": drawn.confidence,
        "seed": drawn.seed,
    }
