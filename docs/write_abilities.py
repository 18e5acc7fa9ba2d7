"""Writes ``docs/abilities.md``: what can be asked of each algorithm, found by asking.

    python docs/write_abilities.py          # asks every cell, a few minutes
    python docs/write_abilities.py tdrc     # shows the column of one algorithm and writes nothing

Each cell is asked of the model in ``abilities_model.json`` first: three states in a ring, two policies. Where that
cannot show it, the next of :data:`MODELS` is asked. What no model shows has the reason that the first one gives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from tdcert.algorithms import NAMES, find, for_model, named
from tdcert.analysis.advice.compared_schedules import COMPARED
from tdcert.analysis.advice.schedules_of import schedules_of
from tdcert.analysis.at_step import StepAnswer, answer_steps
from tdcert.analysis.certify import Question, certify, distance_curves
from tdcert.analysis.model_diagram import draw
from tdcert.analysis.request import Arithmetic, PhaseAxes, Request, SimulationRequest, StepQuestion
from tdcert.analysis.simulated_runs import SimulatedRun, simulate_model
from tdcert.analysis.updates import UpdateAnswer, analyse_updates
from tdcert.sims.conformance.declared import Declared
from tdcert.sweeps.questions.stability import UNDECIDED, exact_word
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.error_bound import error_bound
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.errors import InputError
from tdcert.theory.files.load import load_model
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently

HERE = Path(__file__).parent
PAGE, MODEL = HERE / "abilities.md", HERE / "abilities_model.json"
OWN = "centred_td"
FILE = HERE.parent / "examples" / "algorithms" / "reward_centering.py"
STEP, RATIO = Fraction(1, 64), Fraction(1)
COLUMNS = 8
"""Algorithms beside each other."""
Cell = str
"""Empty: answered; else the reason why not."""


@cache
def models() -> tuple[Model, ...]:
    """The ring with two policies; with the behaviour as target; and walked around in one direction with an end, where
    every memory is cut.
    """
    ring = load_model(MODEL).model
    on_policy = replace(ring, target=ring.behaviour)
    around = RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    back = RationalMatrix([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    cut = RationalMatrix([["1/2"] * 3, ["1/2"] * 3, [0] * 3]) if False else _discounts()
    ended = replace(ring, transitions=(around, back), discounts=(cut, cut))
    return ring, on_policy, ended.with_schedule(Schedule())


def _discounts() -> RationalMatrix:
    half = Fraction(1, 2)
    return RationalMatrix([[half] * 3, [Fraction(0)] * 3, [half] * 3])


@cache
def algorithm(name: str) -> Algorithm:
    """One that ships, or the user's."""
    return find(f"{FILE}:{OWN}")[0] if name == OWN else named(name)


@cache
def answer(name: str, model: Model, arithmetic: Arithmetic = Arithmetic.EXACT) -> UpdateAnswer:
    """The row of ``tdcert analyze MODEL --algorithms NAME --steps 1/64``."""
    asked = Request(arithmetic)
    return analyse_updates(model, [algorithm(name)], silently, step=STEP, request=asked).rows[0]


@cache
def at(name: str, model: Model, words: str) -> StepAnswer:
    """What the steps do."""
    return answer_steps(model, StepQuestion.of_words(words), [algorithm(name)]).answers[0]


@cache
def run(name: str, model: Model) -> SimulatedRun:
    """``--simulate``."""
    asked = SimulationRequest.of_words(0, None, None, 200, 50)
    return simulate_model(model, asked, [algorithm(name)]).runs[0]


def of_row(part: str, why: Callable[[UpdateAnswer], str]) -> Callable[[str, Model], Cell]:
    """Whether this part of the row is there."""
    return lambda name, model: "" if getattr(answer(name, model), part) is not None else why(answer(name, model))


# ---- abilities ------------------------------------------------------------------------------------------------------


def mean(name: str, model: Model) -> Cell:
    row = answer(name, model)
    if row.verdict is None:
        return row.why_not
    return row.verdict.reason if row.verdict.mean_dynamics is MeanDynamics.UNDECIDED else ""


def _steps(name: str) -> str:
    count = len(algorithm(name).steps)
    return "" if count == 2 else "one step size" if count == 1 else f"{count} step sizes have no one ratio"


def ratios(name: str, model: Model) -> Cell:
    return _steps(name) or ("" if answer(name, model).ratios is not None else "predictions depend on what is not seen")


def two_scales(name: str, model: Model) -> Cell:
    found = answer(name, model).slow_and_fast
    if found is None:
        return _steps(name)
    return found.reason if found.mean_dynamics is MeanDynamics.UNDECIDED else ""


def rest(name: str, model: Model) -> Cell:
    found = answer(name, model).rest
    return "" if found is not None and found.seen is not None else "the mean matrix is singular"


def error(name: str, model: Model) -> Cell:
    row = answer(name, model)
    return "" if row.error_squared is not None else f"it estimates: {row.algorithm.estimates}"


def bound(name: str, model: Model) -> Cell:
    row = answer(name, model)
    if row.rest is None:
        return "there is no point at rest"
    found = error_bound(model, row.algorithm, row.states, row.rest)
    return found if isinstance(found, str) else ""


def variance(name: str, model: Model) -> Cell:
    row = answer(name, model)
    if row.noise is None:
        return row.why_no_noise
    return "" if row.variance is not None or row.noise.averaged is not None else "updates do not see all parameters"


def covariance(name: str, model: Model) -> Cell:
    row = answer(name, model)
    if row.noise is None:
        return row.why_no_noise
    return "" if row.noise.of_seen is not None else "the mean dynamics are not stable"


def square(name: str, model: Model) -> Cell:
    found = at(name, model, str(STEP)).at
    return "" if found is not None and found.mean_square is not None else found.why if found else "no answer"


def largest(name: str, model: Model) -> Cell:
    found = at(name, model, str(STEP))
    return "" if found.largest is not None or found.safe is not None else found.largest_why


def decreasing(name: str, model: Model) -> Cell:
    found = at(name, model, "10,100,3/4").at
    return "" if found is not None and found.mean_square is not None else found.why if found else "no answer"


def moments(name: str, model: Model) -> Cell:
    found = answer(name, model).at_step
    return "" if found is not None and found.moments else "polynomials of too many terms"


def paths(name: str, model: Model) -> Cell:
    found = at(name, model, str(STEP)).at
    return "" if found is not None and found.paths is not None else found.paths_why if found else "no answer"


def curves(name: str, model: Model) -> Cell:
    found = run(name, model)
    return "" if len(found.figure.series[0].x) > 5 else found.figure.caption


def for_ever_curves(name: str, model: Model) -> Cell:
    steps = DecreasingSteps(Fraction(20), Fraction(20_000))
    begin = [Fraction(1)] * _measured(name, model)
    found = distance_curves(model, for_model(algorithm(name), model)[0], steps, begin, None)
    return "" if found.figure is not None else found.why


def _measured(name: str, model: Model) -> int:
    parameters = algorithm(name).slots(model.d)[0]
    return next((slot.size for slot in parameters if slot.shape == (model.d,)), parameters[0].size)


def schedules(name: str, model: Model) -> Cell:
    found = schedules_of(model, algorithm(name), COMPARED[:2] + COMPARED[7:8])
    return found.why or ("" if sum(row.answer is not None for row in found.rows) > 1 else found.rows[0].why)


def diagram(name: str, model: Model) -> Cell:
    axes = PhaseAxes("step", (Fraction(1, 64), Fraction(8)), "discount", (Fraction(1, 2),), algorithms=(algorithm(name),))
    found = draw(model, silently, axes)
    if found.picture is None:
        return found.why or "no picture"
    cells = [cell for row in found.picture.panels[0].cells for cell in row]
    return "" if any("?" not in cell.text for cell in cells) else cells[0].detail


def certified(name: str, model: Model) -> Cell:
    steps = DecreasingSteps(Fraction(20), Fraction(20_000))
    try:
        found = certify(model, Question(algorithm(name), steps, Fraction(1), Fraction(9, 10)))
    except InputError as reason:
        return str(reason)
    return "" if found.ever_after is not None else found.why or "no N"


def simulated(name: str, model: Model) -> Cell:
    found = run(name, model).judged
    return "" if found.compared is not None else found.detail


def conform(name: str, model: Model) -> Cell:
    held = Declared(name, algorithm(name))
    case = held.cases("zero", 0, "any", "gamma,alpha")[0]
    return "" if held.path(case) and held.bounds(case, held.path(case)) else "no path"


def batch(name: str, model: Model) -> Cell:
    word = exact_word(model, for_model(algorithm(name), model)[0], RATIO)
    return mean(name, model) if word == UNDECIDED else ""


def enclosed(name: str, model: Model) -> Cell:
    row = answer(name, model, Arithmetic.ENCLOSED)
    if row.verdict is None or row.verdict.mean_dynamics is MeanDynamics.UNDECIDED:
        return row.why_not or (row.verdict.reason if row.verdict else "no mean")
    return "" if row.at_step is not None and row.at_step.mean_square is not None else "no mean square at a step"


ABILITIES: Mapping[str, Callable[[str, Model], Cell]] = {
    "mean dynamics": mean,
    "stable ratios": ratios,
    "two time scales": two_scales,
    "rest point": rest,
    "error": error,
    "κ, bound of the error": bound,
    "noise": of_row("noise", lambda row: row.why_no_noise),
    "variance of averages": variance,
    "small-step covariance": covariance,
    "mean square at a step": square,
    "largest or safe step": largest,
    "decreasing steps": decreasing,
    "moments at a time": moments,
    "paths": paths,
    "curves over time": curves,
    "bounds over time": for_ever_curves,
    "schedules compared": schedules,
    "phase diagram": diagram,
    "certify (N)": certified,
    "simulate": simulated,
    "conform": conform,
    "many models": batch,
    "enclosed": enclosed,
}
"""Each asks the code that every algorithm shares."""


def cell(ability: str, name: str) -> Cell:
    """Empty where one of the models shows it, else the first one's reason."""
    reasons = []
    for model in models():
        reasons.append(ABILITIES[ability](name, model))
        if not reasons[-1]:
            return ""
    return reasons[0]
