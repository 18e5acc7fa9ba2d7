"""Writes ``docs/abilities.md``: what can be asked of each algorithm, found by asking.

    python docs/write_abilities.py          # asks every cell, a few minutes
    python docs/write_abilities.py tdrc     # shows the column of one algorithm and writes nothing

Each cell is asked of the model in ``abilities_model.json`` first: three states in a ring, two policies. Where that
cannot show it, the next of :data:`MODELS` is asked. What no model shows has the reason that the first one gives.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isfinite, lcm
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tdcert.algorithms import NAMES, find, for_model, named
from tdcert.analysis.advice.compared_schedules import COMPARED
from tdcert.analysis.advice.schedules_of import schedules_of
from tdcert.analysis.at_step import StepAnswer, answer_steps
from tdcert.analysis.by_state import has_interest
from tdcert.analysis.certify import Question, certify
from tdcert.analysis.choose_arithmetic import in_floats
from tdcert.analysis.model_diagram import draw
from tdcert.analysis.request import Arithmetic, PhaseAxes, Request, SimulationRequest, StepQuestion
from tdcert.analysis.row import AlgorithmRow
from tdcert.analysis.run_results import SimulatedRun
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.conformance.trial import put_on_trial
from tdcert.sweeps.questions import question_of
from tdcert.sweeps.questions.stability import UNDECIDED
from tdcert.sweeps.spec import Spec
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.error_bound import error_bound
from tdcert.theory.engine.for_all_values import Varied, for_all_values
from tdcert.theory.engine.perturbation import KINDS, Change
from tdcert.theory.engine.robustness import DECIDED, Asked, radius
from tdcert.theory.errors import InputError
from tdcert.theory.files.load import load_model
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.progress import silently
from tdcert.theory.samples.nearby import verdict_nearby
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel

HERE = Path(__file__).parent
PAGE, MODEL = HERE / "abilities.md", HERE / "abilities_model.json"
OWN = "centred_td"
FILE = HERE.parent / "examples" / "algorithms" / "reward_centering.py"
INTEREST = (Fraction(1), Fraction(0), Fraction(2))
STEP, RATIO = Fraction(1, 64), Fraction(1)
BY_STATE = LambdaByState((Fraction(1, 2), Fraction(0), Fraction(1)))
COLUMNS = 8
"""Algorithms beside each other."""
Cell = str
"""Empty: answered; else the reason why not."""


@cache
def models() -> tuple[Model, ...]:
    """The ring; the same with equal policies; and under TD(0), with a discount of zero on leaving the second state."""
    ring = load_model(MODEL).model
    half = Fraction(1, 2)
    ends = RationalMatrix([[half] * 3, [Fraction(0)] * 3, [half] * 3])
    return ring, replace(ring, target=ring.behaviour), replace(ring, discounts=(ends, ends)).with_schedule(Schedule())


@cache
def algorithm(name: str) -> Algorithm:
    """One that ships, or the user's."""
    return find(f"{FILE}:{OWN}")[0] if name == OWN else named(name)


@cache
def answer(name: str, model: Model, arithmetic: Arithmetic = Arithmetic.EXACT) -> AlgorithmRow:
    """The row of ``tdcert analyze MODEL --algorithms NAME --steps 1/64``."""
    asked = Request(arithmetic)
    return analyse_updates(model, [algorithm(name)], silently, step=STEP, request=asked).rows[0]


@cache
def known(name: str, model: Model) -> AlgorithmRow:
    """The same without a step, which most cells do not ask about."""
    return analyse_updates(model, [algorithm(name)], silently, request=Request(Arithmetic.EXACT)).rows[0]


@cache
def at(name: str, model: Model, words: str) -> StepAnswer:
    """What the steps do."""
    asked = StepQuestion.of_words(words)
    if asked.constant == STEP:
        row = answer(name, model)
    else:
        row = analyse_updates(
            model, [algorithm(name)], silently, step=asked.constant, decreasing=asked if asked.t0 else None
        ).rows[0]
    return answer_steps(model, asked, [], [row]).answers[0]


@cache
def run(name: str, model: Model) -> SimulatedRun:
    """``--simulate``."""
    asked = SimulationRequest.of_words(0, None, None, 40, 20)
    return simulate_model(model, asked, [algorithm(name)]).runs[0]


def of_row(part: str, why: Callable[[AlgorithmRow], str]) -> Callable[[str, Model], Cell]:
    """Whether this part of the row is there."""
    return lambda name, model: "" if getattr(known(name, model), part) is not None else why(known(name, model))


# ---- abilities ------------------------------------------------------------------------------------------------------


def mean(name: str, model: Model) -> Cell:
    row = known(name, model)
    if row.verdict is None:
        return row.why_not
    return row.verdict.reason if row.verdict.mean_dynamics is MeanDynamics.UNDECIDED else ""


def values(varied: Varied) -> Callable[[str, Model], Cell]:
    """``--for-all``: whether something is decided."""

    def cell(name: str, model: Model) -> Cell:
        row = known(name, model)
        ones = [Fraction(1)] * len(row.algorithm.steps)
        found = for_all_values(model, row.algorithm, row.states, varied, ones)
        if isinstance(found, str):
            return found
        return "" if any(one.stable is not None for one in found.stretches) else found.stretches[0].why

    return cell


def two_scales(name: str, model: Model) -> Cell:
    found = known(name, model).slow_and_fast
    if found is None:
        return "one step size" if len(algorithm(name).steps) == 1 else "no answer"
    return found.reason if found.mean_dynamics is MeanDynamics.UNDECIDED else ""


def rest(name: str, model: Model) -> Cell:
    found = known(name, model).rest
    return "" if found is not None and found.seen is not None else "the mean matrix is singular"


def error(name: str, model: Model) -> Cell:
    row = known(name, model)
    return "" if row.error_squared is not None else f"it estimates: {row.algorithm.estimates}"


def bound(name: str, model: Model) -> Cell:
    equal = replace(model, target=model.behaviour)
    row = known(name, equal)
    if row.rest is None:
        return "there is no point at rest"
    found = error_bound(equal, row.algorithm, row.states, row.rest)
    return found if isinstance(found, str) else ""


def variance(name: str, model: Model) -> Cell:
    row = known(name, model)
    if row.noise is None:
        return row.why_no_noise
    return "" if row.variance is not None or row.noise.averaged is not None else "updates do not see all parameters"


def covariance(name: str, model: Model) -> Cell:
    row = known(name, model)
    if row.noise is None:
        return row.why_no_noise
    return "" if row.noise.of_seen is not None else "the mean dynamics are not stable"


def square(name: str, model: Model) -> Cell:
    found = answer(name, model).at_step
    return "" if found is not None and found.mean_square is not None else found.why if found else "no answer"


def largest(name: str, model: Model) -> Cell:
    row = answer(name, model)
    return "" if row.largest is not None or row.safe is not None else row.why_no_largest


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


def schedules(name: str, model: Model) -> Cell:
    found = schedules_of(model, algorithm(name), COMPARED[:2] + COMPARED[7:8])
    return found.why or ("" if sum(row.answer is not None for row in found.rows) > 1 else found.rows[0].why)


def diagram(name: str, model: Model) -> Cell:
    axes = PhaseAxes("step", (STEP, 2 * STEP), "discount", (Fraction(1, 2),), algorithms=(algorithm(name),))
    found = draw(model, silently, axes)
    if found.picture is None:
        return found.why or "no picture"
    cells = [cell for row in found.picture.panels[0].cells for cell in row]
    return "" if any("?" not in cell.text for cell in cells) else cells[0].detail


def certified(name: str, model: Model) -> Cell:
    steps = DecreasingSteps(Fraction(20), Fraction(20_000))
    try:
        found = certify(model, Question(algorithm(name), steps, Fraction(3), Fraction(1, 2)))
    except InputError as reason:
        return str(reason)
    return "" if found.ever_after is not None else found.why or "no N"


def simulated(name: str, model: Model) -> Cell:
    found = run(name, model).judged
    return "" if found.compared is not None else found.detail


ON_TRIAL = """import numpy as np
from tdcert.algorithms import one

class Right:
    sign = 1

    def reset(self, *, n_features, **given):
        update = one({words!r})
        given["lam"] = given.get("lam", next(iter(given.get("lambdas", ())), 0))
        self.update = update.with_options(**{{name: given[name] for name in update.options if name in given}})
        parameters, memory = self.update.slots(n_features)
        for slot in parameters:
            setattr(self, slot.name, np.array(given.get(slot.name + "0", np.zeros(slot.shape))))
        self.memory = [np.zeros(slot.shape) for slot in memory]

    def step(self, t, {steps}):
        names = list(self.update.parameters)
        held = [getattr(self, name) for name in names]
        options = {{name: _floats(value) for name, value in self.update.options.items()}}
        t = _Seen(t, self.sign)
        new = self.update.function(t, *held, *self.memory, {steps}, **options)
        new = new if isinstance(new, tuple) else (new,)
        for name, value in zip(names, new):
            setattr(self, name, np.array(value, dtype=float))
        memory = zip(new[len(names):], self.memory)
        self.memory = [np.array(value, dtype=float).reshape(old.shape) for value, old in memory]


class Wrong(Right):
    sign = -1


class _Seen:
    def __init__(self, t, sign):
        self.given, self.reward = t, sign * t.reward

    def __getattr__(self, name):
        return getattr(self.given, name)


def _floats(option):
    return tuple(map(_floats, option)) if isinstance(option, (tuple, list)) else float(option)
"""
"""A class that does what an update says, and one that takes rewards with the wrong sign."""
WRONG_TOO = (
    *("off_policy_td", "etd", "direct_gtd", "categorical_td", "averaging_target", "true_online_td", "vmtdc"),
    OWN,
)
"""Where the wrong class is tried as well, which takes longest, as its mistake is named: of every shape of a memory."""


def conform(name: str, model: Model) -> Cell:
    words = f"{FILE}:{OWN}" if name == OWN else name
    with TemporaryDirectory() as folder:
        place = Path(folder) / "on_trial.py"
        place.write_text(ON_TRIAL.format(words=words, steps=", ".join(algorithm(name).steps)), encoding="utf-8")
        right = put_on_trial(f"{place}:Right", words)
        if name in WRONG_TOO and put_on_trial(f"{place}:Wrong", words).conforms:
            return "a wrong class conforms"
    if right.failure is not None:
        return right.failure.sentence
    unjudged = [answer.shows for answer in right.answers if answer.status != "passes"]
    return f"not judged: {', '.join(unjudged)}" if unjudged else ""


def sweep(name: str, kind: str, **asked: Any) -> Mapping[str, Sequence[Any]]:
    """The rows of the first models of ``tdcert sweep`` with these tables."""
    tables: dict[str, Any] = {kind: {"algorithms": [f"{FILE}:{OWN}" if name == OWN else name], **asked}}
    if kind != "experiment":
        tables["family"] = [{"kind": "garnet", "states": 3, "width": 2, "branching": 2, "gammas": ["9/10"]}]
    return question_of(Spec("abilities", kind, 0, 4, 4, tables)).rows(0, 4)


def batch(name: str, model: Model) -> Cell:
    return "" if UNDECIDED not in sweep(name, "stability", models=5)["word"] else mean(name, model)


def survey(name: str, model: Model) -> Cell:
    asked = {"alpha": "1/1000", "entries": 10_000, "steps": 2_000, "runs": 20}
    rows = sweep(name, "survey", stability=["mean", "mean_square", "path"], **asked)
    answered = {notion for notion, word in zip(rows["quantity"], rows["word"], strict=True) if word != UNDECIDED}
    whys = {"mean": mean, "mean_square": square, "path": paths}
    return next((why(name, model) or "undecided" for notion, why in whys.items() if notion not in answered), "")


def experiment(name: str, model: Model) -> Cell:
    try:
        rows = sweep(name, "experiment", model=model.canonical, times=[0, 20], runs=2)
    except InputError as reason:
        return str(reason)
    return (
        "" if all(map(isfinite, (*rows["error"], *rows["residual"]))) else "it has no value to hold predictions against"
    )


def enclosed(name: str, model: Model) -> Cell:
    row = answer(name, model, Arithmetic.ENCLOSED)
    if row.verdict is None or row.verdict.mean_dynamics is MeanDynamics.UNDECIDED:
        return row.why_not or (row.verdict.reason if row.verdict else "no mean")
    return "" if row.at_step is not None and row.at_step.mean_square is not None else "no mean square at a step"


def sparse(name: str, model: Model) -> Cell:
    row = analyse_updates(in_floats(model), [algorithm(name)], silently, request=Request(Arithmetic.SPARSE)).rows[0]
    if row.verdict is None:
        return row.why_not
    exact = known(name, model)
    for part, here, there in (
        ("mean dynamics", row.verdict, exact.verdict),
        ("two time scales", row.slow_and_fast, exact.slow_and_fast),
    ):
        if there is not None and (here is None or here.mean_dynamics is not there.mean_dynamics):
            return here.reason if here is not None and here.reason else f"{part} are others than exactly"
    if exact.rest is not None and exact.rest.seen is not None and (row.rest is None or row.rest.seen is None):
        return "no rest point"
    return "no error" if exact.error_squared is not None and row.error_squared is None else ""


def independent(name: str, model: Model) -> Cell:
    return _of_functions(answer(name, model.drawn_independently()))


def by_state(name: str, model: Model) -> Cell:
    if not algorithm(name).schedule:
        return f"'{name}' takes no schedule: it is the same update under each"
    row = analyse_updates(model.with_schedule(BY_STATE), [algorithm(name)], silently).rows[0]
    if row.verdict is None or row.verdict.mean_dynamics is MeanDynamics.UNDECIDED:
        return row.why_not or (row.verdict.reason if row.verdict else "no mean")
    return "" if row.rest is not None and row.rest.seen is not None else "no rest point"


def interest(name: str, model: Model) -> Cell:
    given = replace(model, interest=INTEREST)
    if has_interest(given, algorithm(name)) is False:
        return "its definition has no interest: it is the same update whatever the interest is"
    return _of_functions(answer(name, given))


def _of_functions(row: AlgorithmRow) -> Cell:
    if row.verdict is None or row.verdict.mean_dynamics is MeanDynamics.UNDECIDED:
        return row.why_not or (row.verdict.reason if row.verdict else "no mean")
    if row.at_step is None or row.at_step.mean_square is None:
        return "no mean square at a step" if row.at_step is None else row.at_step.why
    return "" if row.noise is not None else row.why_no_noise


def robust(name: str, model: Model) -> Cell:
    """Whether a distance is certified for each change."""
    update = for_model(algorithm(name), model)[0]
    asked = Asked(update, [RATIO] * len(update.steps), update.two_scales)
    verdict = asked.verdict(model, model.classes[0])
    if verdict not in DECIDED:
        return f"the verdict is {verdict}"
    found = (radius(KINDS[change](model), asked, verdict) for change in Change)
    return next((why for within, why in found if not within), "")


def from_samples(name: str, model: Model) -> Cell:
    """Whether something is decided of a set of models of which each row was visited a billion times and more."""
    rows = []
    for s in range(model.n):
        laws = [P.rows[s] for P in model.transitions]
        times = [10**9 * lcm(*(p.denominator for p in law)) for law in laws]
        possible = [tuple(j for j, p in enumerate(law) if p) for law in laws]
        counts = [tuple(int(p * t) for p in law) for law, t in zip(laws, times, strict=True)]
        rows.append(tuple(RowSet(*one, Fraction(1, 10**4)) for one in zip(counts, possible, strict=True)))
    rewards = RationalMatrix([[0] * len(model.actions)] * model.n)
    policies, delta = (model.behaviour, model.target), Fraction(1, 10)
    gamma = model.discounts[0][0, 0]
    found = SampledModel(tuple(rows), rewards, *policies, gamma, model.features, delta, model.schedule)
    update = for_model(algorithm(name), model)[0]
    said = verdict_nearby(found, update, name, update.two_scales)
    return "" if said.grade else said.why


ABILITIES: Mapping[str, Callable[[str, Model], Cell]] = {
    "mean dynamics": mean,
    "all discounts": values(Varied.GAMMA),
    "all constant λ": values(Varied.LAMBDA),
    "all ratios": values(Varied.RATIO),
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
    "schedules compared": schedules,
    "phase diagram": diagram,
    "certify (N)": certified,
    "simulate": simulated,
    "conform": conform,
    "many models": batch,
    "survey": survey,
    "experiment": experiment,
    "enclosed": enclosed,
    "sparse": sparse,
    "independent draws": independent,
    "robustness": robust,
    "from samples": from_samples,
    "λ by state": by_state,
    "interest by state": interest,
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


# ---- the page -------------------------------------------------------------------------------------------------------

HEAD = """# What can be asked of each algorithm

Written by `docs/write_abilities.py`, which asks every cell: ✓ is answered, a letter is a reason below. The model is
small and natural: three states in a ring, two actions, two policies (`docs/abilities_model.json`). Where it cannot show
an answer it is asked with equal policies, or under TD(0) with a discount of zero on leaving one state. All step sizes
are equal. `{own}` stands for a function of one's own: it is in `examples/algorithms/reward_centering.py`, and nothing
in the package knows its name ([your own algorithm](your_own_algorithm.md)).

The same code answers for every column. Where the paper has a closed form (windows of its four algorithms, Aθ* + b = 0,
(1 − κ²)⁻¹), it is a lemma that is tried first and names its theorem.

"""
ROWS = {
    "mean dynamics": "stable, unstable or marginal, at equal steps",
    "all discounts": "`--for-all gamma`: for which of all γ they are stable",
    "all constant λ": "`--for-all lambda`: for which of all constant λ",
    "all ratios": "`--for-all ratio`: for which ratios of the later step sizes to the first",
    "two time scales": "for a ratio that goes to zero, the later step sizes being equal",
    "rest point": "where the mean increment is zero",
    "error": "‖Φθ* − V‖²_D, V what it estimates",
    "κ, bound of the error": "(1 − κ²)⁻¹‖V − ΠV‖²_D, where it rests at TD's fixed point",
    "noise": "Σ of the increments at rest, over all lags",
    "variance of averages": "t times the covariance of averages over t updates",
    "small-step covariance": "of parameters at constant steps, per step, in the limit",
    "mean square at a step": "`--steps 1/64`: do differences of two runs die out?",
    "largest or safe step": "up to which constant step do they?",
    "decreasing steps": "`--steps 10,100,3/4`: do they at a/(t + t0)^p?",
    "moments at a time": "mean and covariance after t updates",
    "paths": "does almost every path shrink, or do most grow?",
    "curves over time": "mean square error over runs, and its expectation",
    "schedules compared": "under other schedules, or λ's",
    "phase diagram": "signs over discount, step, λ or schedule",
    "certify (N)": "from which N on θ stays near θ* for ever, with which probability",
    "simulate": "runs against exact moments",
    "conform": "a class on trial against it",
    "many models": "`tdcert sweep`, stability: shares of a family with unstable mean dynamics",
    "survey": "`tdcert sweep`, survey: shares stable in the mean, in mean square and on paths",
    "experiment": "`tdcert sweep`, experiment: errors of runs over a grid",
    "enclosed": "mean dynamics and steps where the law is enclosed in balls",
    "sparse": "mean dynamics, two time scales, rest point, error from stored transitions alone, up to a million states",
    "independent draws": "`--sampling independent`: mean dynamics, noise, mean square at the step 1/64",
    "robustness": "how far transitions, the discount, the behaviour or target policy may change: a distance each",
    "from samples": "a verdict over the set of models that transitions leave, with confidence",
    "λ by state": "`--schedule by_state:1/2,0,1`: mean dynamics, rest point",
    "interest by state": "`--interest 1,0,2`: mean dynamics, noise, mean square at the step 1/64",
}


def table() -> dict[str, dict[str, Cell]]:
    """Every cell, by ability and algorithm."""
    return {ability: {name: cell(ability, name) for name in (*NAMES, OWN)} for ability in ABILITIES}


def plain(reason: Cell) -> Cell:
    """A reason without what to do instead, and without the names of one algorithm."""
    said = reason.partition("; give")[0].partition("; declare")[0].partition(" (tdcert")[0]
    for name in (*NAMES, OWN):
        said = (
            said.replace(f"the update '{name}'", f"'{name}'")
            .replace(f"'{name}'", "the update")
            .replace(f" of {name} ", " ")
        )
    said = re.sub(r", as [\w\[\]]+ depends on itself", ", as an entry of it depends on itself", said)
    said = re.sub(r" \([\w.]+\.py, line \d+\)", "", said.partition("; write")[0])
    return said[:1].lower() + said[1:]


def page(cells: Mapping[str, Mapping[str, Cell]]) -> str:
    """The page from all cells."""
    names = (*NAMES, OWN)
    reasons = list(dict.fromkeys(plain(x) for row in cells.values() for x in row.values() if x))
    letters = {reason: chr(ord("a") + k) for k, reason in enumerate(reasons)}
    parts = [HEAD.format(own=OWN), "| | |\n|---|---|\n"]
    parts += [f"| {ability} | {ROWS[ability]} |\n" for ability in cells]
    for first in range(0, len(names), COLUMNS):
        shown = names[first : first + COLUMNS]
        parts.append(f"\n| | {' | '.join(shown)} |\n|---|{'---|' * len(shown)}\n")
        for ability, row in cells.items():
            marks = (letters[plain(row[name])] if row[name] else "✓" for name in shown)
            parts.append(f"| {ability} | {' | '.join(marks)} |\n")
    parts.append("\n" + "".join(f"* **{letter}**: {reason}\n" for reason, letter in letters.items()))
    return "".join(parts)


def main(arguments: Sequence[str]) -> None:
    """See the module docstring."""
    if arguments:
        for name in arguments:
            for ability in ABILITIES:
                print(f"{name}: {ability}: {cell(ability, name) or '✓'}")
        return
    PAGE.write_text(page(table()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
