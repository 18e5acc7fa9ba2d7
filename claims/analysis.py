"""``tdcert analyze``: the whole suite asked about one model, in the arithmetic that its size allows, as data (format
``tdcert-analysis/1`` of docs/formats.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from claims import model_diagram
from claims.advice import simulation
from claims.advice.advise import advise, nothing
from claims.analysis_document import AnalysisRun, Arithmetic, Progress, Request
from claims.analysis_enclosed import analyse_in_balls, analyse_sparsely
from claims.analysis_exact import analyse_exactly
from claims.analysis_figures import values_figure
from claims.choice import choose, in_floats
from theory.errors import InputError
from theory.files import LoadedModel, LoadedSparse
from theory.model.mdp import Model
from theory.model.sparse import SparseModel

__all__ = ["AnalysisRun", "Arithmetic", "Progress", "Request", "analyse"]


def analyse(
    loaded: LoadedModel | LoadedSparse, on_progress: Progress, request: Request | None = None
) -> AnalysisRun:
    """Everything the suite can say about a model, in the arithmetic asked for, or else chosen by its size.

    Raises :class:`~theory.errors.InputError` for sizes that the arithmetic or the memory at hand does not allow.
    """
    # Floats that overflow propose nothing, or end in infinite radii: neither decides anything.
    with _numbers_of_any_length(), np.errstate(all="ignore"):
        return _analysed(loaded, on_progress, request or Request())


def _analysed(loaded: LoadedModel | LoadedSparse, on_progress: Progress, asked: Request) -> AnalysisRun:
    given = loaded.model
    choice = choose(given, asked)
    if choice.arithmetic is Arithmetic.SPARSE:
        if asked.experiment is not None:
            raise InputError("--simulate was asked for a model in sparse arithmetic; give --arithmetic enclosed too")
        sparse = given if isinstance(given, SparseModel) else in_floats(given)
        run = analyse_sparsely(loaded, sparse, on_progress)
    else:
        model = given if isinstance(given, Model) else given.exact()
        if asked.experiment is not None:
            simulation.rest_predictions(model)  # what cannot be simulated is said before anything is computed
        if choice.arithmetic is Arithmetic.EXACT:
            run = analyse_exactly(loaded, model, on_progress)
        else:
            run = analyse_in_balls(loaded, model, on_progress, asked.bits)
    on_progress(1, 1, "comparing schedules")
    if choice.arithmetic is Arithmetic.SPARSE:
        run.document.update(nothing("schedules are compared in exact and in enclosed arithmetic"))
    else:
        added, figures = advise(model, run.document, choice.arithmetic is Arithmetic.EXACT)
        run.document.update(added)
        run = replace(run, figures=(*run.figures, *figures))
    if asked.experiment is not None:
        on_progress(1, 1, "simulating")
        ran = simulation.simulate_model(model, asked.experiment)
        run.document["simulation"] = ran.document
        contradicted = tuple(f"simulation of {name}" for name in ran.contradicted)
        run = replace(run, figures=(*run.figures, *ran.figures), refuted=(*run.refuted, *contradicted))
    run.document["phase_diagram"] = None
    if asked.phase_diagram:
        drawn = model_diagram.draw(given if choice.arithmetic is Arithmetic.SPARSE else model, on_progress)
        run.document["phase_diagram"] = drawn.document()
        run = replace(run, figures=(*run.figures, *([drawn.picture] if drawn.picture else [])))
    command = asked.command or f"tdcert analyze {loaded.source} --json"
    run.document["arithmetic"] = choice.arithmetic.value
    run.document["arithmetic_why"] = choice.why
    run.document["replay"] = None if choice.arithmetic is Arithmetic.EXACT else command
    run.document["reproduce"] = command
    run.document["figures"] = [figure.document() for figure in (*run.figures, *values_figure(run.document))]
    return run


@contextmanager
def _numbers_of_any_length() -> Iterator[None]:
    """Exact results may have more digits than the 4,300 that Python prints unasked."""
    usual = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(usual)
