"""``tdcert analyze``: the whole suite asked about one model, in the arithmetic that its size allows.

The walk goes one way: the arithmetic is chosen, the facts are computed in it, and the advice follows from the facts.
What not every analysis asks for is imported where it is asked for: imports are most of the time of a short answer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tdcert.algorithms import for_model, is_shipped, named
from tdcert.algorithms.schedules import applicable
from tdcert.analysis.advice.advise import advise, nothing
from tdcert.analysis.advice.compared_schedules import COMPARED, SWEPT
from tdcert.analysis.advice.warnings import MISLEADING, averages_mislead
from tdcert.analysis.budget import USUAL
from tdcert.analysis.by_state import NOT_ASKED as OF_ONE_SCHEDULE
from tdcert.analysis.by_state import about_interest, asked_by_state, facts_by_state, is_by_state
from tdcert.analysis.choose_arithmetic import choose, in_floats
from tdcert.analysis.facts import ModelFacts
from tdcert.analysis.independent import NOT_ASKED, asked_of_draws, facts_of_draws, is_independent
from tdcert.analysis.request import Arithmetic, Part, Request
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.row import Rows
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, LoadedSparse
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import Progress

if TYPE_CHECKING:
    from tdcert.analysis.advice.schedules_of import SchedulesOf
    from tdcert.analysis.certify import DistanceCurves

__all__ = ["AnalysisResult", "Arithmetic", "Progress", "Request", "analyse"]


def analyse(
    loaded: LoadedModel | LoadedSparse, on_progress: Progress, request: Request | None = None
) -> AnalysisResult:
    """Everything the suite can say about a model, in the arithmetic asked for, or else chosen by its size.

    Raises :class:`~tdcert.theory.errors.InputError` for sizes that the arithmetic or the memory at hand does not allow.
    """
    # Floats that overflow propose nothing, or end in infinite radii: neither decides anything.
    with numbers_of_any_length(), np.errstate(all="ignore"):
        return _analysed(loaded, on_progress, request or Request())


def _analysed(loaded: LoadedModel | LoadedSparse, on_progress: Progress, asked: Request) -> AnalysisResult:
    choice = choose(loaded.model, asked)
    if choice.arithmetic is Arithmetic.SPARSE:
        for option, given in (
            ("--simulate", asked.experiment),
            ("--steps", asked.steps),
            ("--candidates", None if asked.phase_diagram else asked.candidates),
            ("--lambda-sweep", asked.lambda_sweep or None),
            ("--budget", asked.budget),
            ("--robustness", asked.robustness or None),
            ("--for-all", asked.for_all),
        ):
            if given is not None:
                raise InputError(f"{option} was asked of a model in sparse arithmetic; give --arithmetic enclosed too")
    model = _model(loaded.model, choice.arithmetic)
    independent = is_independent(model)
    if independent and isinstance(model, Model):
        asked = asked_of_draws(asked, model)
    by_state = is_by_state(model)
    if by_state:
        asked = asked_by_state(asked, model)
    listed, alone = asked.algorithms, independent or by_state
    if asked.experiment is not None and listed is None and isinstance(model, Model):
        from tdcert.analysis.simulated_runs import rest_predictions

        rest_predictions(model)  # raises before anything is computed where there is no point of rest
    facts, certificates = _facts(model, choice.arithmetic, asked, on_progress)
    shelf = Shelf("certificates/algorithms")
    found = _rows(model, facts, asked, shelf, on_progress)
    of_interest = asked.algorithms or tuple(map(named, applicable(model)))
    on_progress(1, 1, "comparing schedules")
    facts = replace(
        facts,
        state_names=loaded.state_names if isinstance(loaded, LoadedModel) else None,
        notes=(*loaded.notes, *facts.notes, *found.notes, *about_interest(model, of_interest)),
        replaced_features=loaded.replaced_features,
        features_by_function=loaded.features_by_function,
    )
    schedules = _schedules(model, asked, on_progress)
    parts = asked.parts - {Part.SCHEDULES} if schedules else asked.parts
    of_rows, of_steps = asked.budget_of(Part.SCHEDULES), asked.budget_of_steps
    own, steps = () if alone else _of_the_paper(model, listed), None
    sweep = asked.lambda_sweep and listed is None
    advice = (
        nothing(NOT_ASKED if independent else OF_ONE_SCHEDULE)
        if alone
        else advise(facts, asked.candidates, sweep, parts, of_rows, of_steps, None if listed is None else own)
    )
    if asked.steps is not None and isinstance(model, Model):
        from tdcert.analysis.at_step import answer_steps

        on_progress(1, 1, "asking about the steps")
        steps = answer_steps(model, asked.steps, own, found.rows if listed else ())
        if advice.warnings.asked:
            told = advice.warnings.answered(MISLEADING, averages_mislead(steps.answers))
            advice = replace(advice, warnings=told)
        found = replace(found, rows=tuple(map(steps.in_row, found.rows)))
    simulation = None
    if asked.experiment is not None and isinstance(model, Model):
        from tdcert.analysis import simulated_runs
        from tdcert.analysis.averages import averages

        on_progress(1, 1, "simulating")
        known = {} if steps is None else steps.constant_steps
        simulation = simulated_runs.simulate_model(model, asked.experiment, listed, at_steps=known)
        shown = () if alone else averages(model, facts, advice.comparison.rows, asked.experiment)
        simulation = replace(simulation, averages=shown)
    distances = _distances(model, asked, on_progress) if isinstance(model, Model) and not independent else ()
    later = Shelf("certificates/for_ever")
    for curves in distances:
        if curves.last is not None and isinstance(model, Model):
            later.put(curves.last.certificate(), model)
    # In sparse arithmetic too the diagram is drawn of the model as it was given.
    of = loaded.model if choice.arithmetic is Arithmetic.SPARSE else model
    drawn = None
    if asked.phase_diagram:
        from tdcert.analysis import model_diagram

        drawn = model_diagram.draw(of, on_progress, asked.axes, asked.candidates)
    answer = AnalysisResult(
        loaded.source,
        tuple(loaded.defaults_used),
        choice,
        facts,
        advice,
        asked.command,
        (*certificates, *shelf.files, *(() if steps is None else steps.files), *later.files),
        simulation,
        drawn,
        steps,
        distances,
        None if listed is None else found.rows,
        () if simulation is None or listed is None else tuple(zip(listed, simulation.agreements, strict=True)),
        schedules,
        asked.budget or USUAL,
    )
    exact = choice.arithmetic is Arithmetic.EXACT
    if asked.robustness and isinstance(model, Model):
        from tdcert.analysis.robustness import robust_rows

        near = Shelf("certificates/robustness")
        robust = robust_rows(model, answer.rows, asked.robustness, exact, asked.ratio, near, on_progress)
        answer = replace(answer, robustness=robust, certificates=(*answer.certificates, *near.files))
    if asked.for_all and isinstance(model, Model):
        from tdcert.analysis.for_all import asked_for_all

        values = asked_for_all(model, answer.rows, asked.for_all, exact, asked.ratio, on_progress)
        answer = replace(answer, for_all=values)
    return answer


def _of_the_paper(model: Model | SparseModel, listed: Sequence[Algorithm] | None) -> tuple[str, ...]:
    """The names of the paper's algorithms that are asked about as they ship, and apply."""
    names = applicable(model)
    if listed is None or not isinstance(model, Model):
        return names
    asked = {one.name for one in listed if is_shipped(for_model(one, model)[0], model)}
    return tuple(name for name in names if name in asked)


def _rows(model: Model | SparseModel, facts: ModelFacts, asked: Request, shelf: Shelf, on_progress: Progress) -> Rows:
    """A row for each algorithm and recurrent class; certificates of those that are listed go to the shelf."""
    if asked.algorithms is None:
        return Rows(())
    from tdcert.analysis.updates import analyse_updates

    step = None if asked.steps is None else asked.steps.constant
    found = analyse_updates(
        model,
        asked.algorithms,
        on_progress,
        step=step,
        certify=asked.certify,
        request=asked,
        ratio=asked.ratio,
        decreasing=None if asked.steps is None or asked.steps.t0 is None else asked.steps,
    )
    if not isinstance(model, Model):
        return found
    filed = (replace(row, files=tuple(shelf.put(one, model) for one in row.certificates)) for row in found.rows)
    return replace(found, rows=tuple(filed))


def _schedules(model: Model | SparseModel, asked: Request, on_progress: Progress) -> tuple[SchedulesOf, ...]:
    """What the algorithms that are listed do under other schedules, where these are to be compared."""
    compared = Part.SCHEDULES in asked.parts or asked.lambda_sweep
    if asked.algorithms is None or not compared or not isinstance(model, Model):
        return ()
    from tdcert.analysis.advice.schedules_of import schedules_of

    usual = () if asked.lambda_sweep else COMPARED
    others = (*(usual if asked.candidates is None else asked.candidates), *(SWEPT if asked.lambda_sweep else ()))
    return tuple(schedules_of(model, one, others, asked, on_progress) for one in asked.algorithms)


def _distances(model: Model, asked: Request, on_progress: Progress) -> tuple[DistanceCurves, ...]:
    """The distance curves of each algorithm under the steps asked about, from ones, where drawn runs start."""
    steps = None if asked.steps is None else asked.steps.decreasing
    if asked.steps is None or steps is None:
        return ()
    from tdcert.analysis.certify import distance_curves

    on_progress(1, 1, "bounding the distance from θ*")
    ones, seed = [Fraction(1)] * model.d, None if asked.experiment is None else asked.experiment.seed
    listed = asked.algorithms or tuple(map(named, applicable(model)))
    return tuple(distance_curves(model, one, steps, ones, seed, asked.steps.ratio) for one in listed)


def _model(given: Model | SparseModel, arithmetic: Arithmetic) -> Model | SparseModel:
    """The model as the arithmetic takes it."""
    if arithmetic is Arithmetic.SPARSE:
        return given if isinstance(given, SparseModel) else in_floats(given)
    return given if isinstance(given, Model) else given.exact()


def _facts(
    model: Model | SparseModel, arithmetic: Arithmetic, asked: Request, on_progress: Progress
) -> tuple[ModelFacts, tuple[FiledCertificate, ...]]:
    """What is computed in an arithmetic, and the certificates of it: enclosures have none."""
    if isinstance(model, Model) and model.interest is not None:  # no interest enters them, nor their certificates
        found, files = _facts(model.without_interest, arithmetic, asked, on_progress)
        return replace(found, model=model), files
    claims = Part.CLAIMS in asked.parts
    if isinstance(model, Model) and is_independent(model):
        return facts_of_draws(model, arithmetic, asked.bits), ()
    if is_by_state(model):
        return facts_by_state(model, arithmetic, asked.bits, on_progress), ()
    if isinstance(model, Model) and arithmetic is Arithmetic.EXACT:
        from tdcert.analysis.exact_analysis import analyse_exactly

        return analyse_exactly(model, on_progress, claims, asked.budget_of(Part.CLAIMS))
    from tdcert.analysis.enclosed import analyse_in_balls, analyse_sparsely

    if isinstance(model, SparseModel):
        return analyse_sparsely(model, on_progress, claims), ()
    return analyse_in_balls(model, on_progress, asked.bits, claims), ()


@contextmanager
def numbers_of_any_length() -> Iterator[None]:
    """Exact results may have more digits than the 4,300 that Python prints unasked."""
    usual = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(usual)
