"""What ``import tdcert`` offers; :mod:`tdcert` loads it when it is first asked for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from importlib.metadata import packages_distributions
from numbers import Real
from os import PathLike
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack

from tdcert.analysis.request import FLOAT_BITS
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.errors import InputError, short
from tdcert.theory.extras import PAGES, of_an_extra, require
from tdcert.theory.files import LoadedModel, LoadedSparse, Overrides
from tdcert.theory.files.document import one_line
from tdcert.theory.files.given import did_you_mean, kind_of, number, tree
from tdcert.theory.files.numerals import unit_number, whole_number
from tdcert.theory.files.python_model import SYNONYMS, ModelParts, Parts, read_model
from tdcert.theory.limits import limits_raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import silently
from tdcert.theory.samples.log import Declarations, Log

if TYPE_CHECKING:
    from tdcert.analysis.result import AnalysisResult
    from tdcert.reports.analysis_view import Analysis
    from tdcert.reports.certified_view import Certified
    from tdcert.reports.trial_view import Trial
    from tdcert.sims.enumerated import Enumerated
    from tdcert.theory.samples.feature_rows import EstimatedRows, IndependentRows
    from tdcert.theory.samples.ranges import ConfidentRanges
    from tdcert.theory.samples.sampled_model import SampledModel
    from tdcert.theory.samples.verdict import ConfidentVerdict
    from tdcert.theory.samples.visits import VisitsEstimate

__all__ = [
    "Analysis",
    "ByState",
    "Certified",
    "Constant",
    "EqualWeights",
    "InputError",
    "Lambdas",
    "LoadedModel",
    "LoadedSparse",
    "Model",
    "NStep",
    "Schedule",
    "SparseModel",
    "algorithm",
    "analyze",
    "certify",
    "compare",
    "confident_ranges",
    "confident_report",
    "confident_verdicts",
    "conform",
    "conform_estimator",
    "enumerate_env",
    "estimate_visits",
    "example",
    "from_feature_rows",
    "from_transitions",
    "load_model",
    "sample",
    "state_action",
]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Update = str | Algorithm
"""The name of an algorithm, or one that is declared."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in (places := {"Analysis": "analysis_view", "Certified": "certified_view"}):
        raise AttributeError(name)
    return getattr(import_module(f"tdcert.reports.{places[name]}"), name)


def _public(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """A public function: arguments that it does not have, and what is raised by the caller's own code that they bring
    along, are answered by a sentence. ``**parts`` is shown as the arguments that it stands for.
    """
    signature = _spelled_out(inspect.signature(function))

    @wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            odd = next((name for name in kwargs if name not in signature.parameters), None)
            names = list(signature.parameters)
            if odd is None:
                raise InputError(f"{function.__name__}: {error}; its arguments are {', '.join(names)}") from None
            known = {word: name for word, name in SYNONYMS.items() if name in names}
            near = any(odd.startswith(name) or name.startswith(odd) for name in names)
            other = "" if near or odd in known else _elsewhere(odd)
            meant = other or did_you_mean(odd, names, known) or f"; there are {', '.join(names)}"
            raise InputError(f"{function.__name__} has no argument '{odd}'{meant}") from None
        plain: Any = (map(_plain, args), {name: _plain(value) for name, value in kwargs.items()})
        try:
            return function(*plain[0], **plain[1])
        except Exception as error:
            if isinstance(error, ImportError) and (missing := of_an_extra(error)):
                raise missing from None
            place = _place_of_the_caller(error)
            if place is None:
                raise
            raised = f"{type(error).__name__} ({one_line(error)})"
            raise InputError(f"{function.__name__} was given code of yours that raised {raised} in {place}") from error

    called.__signature__ = signature  # type: ignore[attr-defined]
    return called


def _spelled_out(signature: inspect.Signature) -> inspect.Signature:
    """The signature with the parts of a model by their names in the place of ``**parts``, behind its first argument;
    or what is declared of transitions, behind all others.
    """
    first, *others = signature.parameters.values()
    if not others or others[-1].kind is not inspect.Parameter.VAR_KEYWORD:
        return signature
    *others, variable = others
    known = Declarations if variable.name == "declared" else ModelParts
    parts = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
        for name, kind in known.__annotations__.items()
    ]
    ahead = [first, *(part for part in others if part.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    return signature.replace(parameters=[*ahead, *parts, *others[len(ahead) - 1 :]])


def _place_of_the_caller(error: Exception) -> str | None:
    """The file and line of the caller's own code that raised an error; None where a package or Python itself did."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    module = str(frame.f_globals.get("__name__")).partition(".")[0]
    if module == "tdcert" or module in sys.stdlib_module_names or module in packages_distributions():
        return None
    return f"{frame.f_code.co_filename}, line {line}"


def _plain(value: Any) -> Any:
    """A text of a class derived from ``str``, whose own ways of printing may be anything, as plain text."""
    return str.__str__(value) if isinstance(value, str) else value


def _elsewhere(name: str) -> str:
    """``; tdcert.compare has it``, where another public function does."""
    others = [other for other in __all__ if (made := globals().get(other)) and inspect.isfunction(made)]
    having = [other for other in others if name in inspect.signature(globals()[other]).parameters]
    return f"; tdcert.{having[0]} has it" if having else ""


# ---- schedules ------------------------------------------------------------------------------------


@_public
def EqualWeights(n1: int, n2: int) -> Schedule:
    """The schedule EqualWeights(n1, n2) of §2.1: each n-step return, n1 ≤ n ≤ n2, has the same weight."""
    return Schedule.equal_weights(*(whole_number(number(n, what), what) for n, what in ((n1, "n1"), (n2, "n2"))))


@_public
def NStep(n: int) -> Schedule:
    """The n-step return alone; ``NStep(1)`` is TD(0)."""
    return Schedule.n_step(whole_number(number(n, "n"), "n"))


@_public
def Constant(lam: Any, length: int | None = None) -> Schedule:
    """λ_j = ``lam``, from 0 to 1, for j ≤ ``length``; for every j, the classical TD(λ), where no length is given."""
    last = None if length is None else whole_number(number(length, "the length"), "the length")
    return Schedule.constant(unit_number(number(lam, "λ"), "λ"), last)


@_public
def Lambdas(lambdas: Iterable[Any]) -> Schedule:
    """The schedule λ_1, λ_2, …, each from 0 to 1, and zero after the last."""
    try:
        given = list(lambdas) if isinstance(lambdas, Iterable) and not isinstance(lambdas, str) else lambdas
    except TypeError:  # a sparse matrix that gives no rows, say
        raise InputError(f"lambdas is {kind_of(lambdas)}; give a list of numbers λ_1, λ_2, …") from None
    found = tree(given, "lambdas")
    if len(found.shape) != 1:
        raise InputError(f"lambdas is {kind_of(lambdas)}; give a list of numbers λ_1, λ_2, …")
    return Schedule(tuple(unit_number(x, f"λ_{i}") for i, x in enumerate(found.values, start=1)))


@_public
def ByState(lambdas: Iterable[Any]) -> Schedule:
    """λ(s), from 0 to 1, for each state: where a schedule does not say it, docs/by_state.md."""
    found = tree(lambdas, "lambdas")
    if len(found.shape) != 1:
        raise InputError(f"lambdas is {kind_of(lambdas)}; give a list of numbers, one for each state")
    return LambdaByState([Fraction(unit_number(x, f"λ(s{s})")) for s, x in enumerate(found.values)])


# ---- models ---------------------------------------------------------------------------------------


@_public
def load_model(model: Any = None, **parts: Unpack[ModelParts]) -> LoadedModel | LoadedSparse:
    """A model from arrays, a mapping, a file, an archive, an environment, or one that is built.

    ``model``: the path of a ``tdcert-model/1`` file or an ``.npz`` archive; ``"gymnasium:ID"`` or the id alone;
    ``"example:NAME"``; an environment object with a table of transitions, or such a table; a mapping with the keys of a
    model file or the names below; a :class:`Model` or :class:`SparseModel`. Beside it, ``discount``, ``features``,
    ``behaviour``, ``target`` and ``schedule`` complete or replace its own. Without it, all parts by name (S states, A
    actions, d features):

    ``P``: (S, S); (A, S, S) or (S, A, S); ``{action: (S, S)}``; NumPy, lists or SciPy sparse. ``rewards``: one number;
    (S,), on leaving a state; (S, A); (S, S) for all actions; (A, S, S) or (S, A, S); by action. ``discount``: one
    number in [0, 1], or any of these shapes. ``features``: (S, d); a function of the state; a ``.npy``, ``.csv`` or
    ``.json`` file; default ``"tabular"``. ``behaviour`` and ``target``: (S, A); one action for each state; a function
    of the state to a row or an action; a file; ``"uniform"``; needed with several actions; default target = behaviour.
    ``terminal``: states, a mask, or a function of the state: docs/episodes.md. ``start``: where episodes begin, for a
    table ``{s: {a: [(p, s', r, done)]}}``, which may be ``model`` or ``P``. ``schedule``: :func:`NStep`,
    :func:`EqualWeights`, :func:`Constant`, :func:`Lambdas`, :func:`ByState`, a text such as ``"n_step:3"``; default
    TD(0). ``actions``:
    their names. ``normalise``: divide rows by their sums whatever these are. ``policy``: another name of ``behaviour``.
    ``sampling``: ``"independent"`` where each transition is drawn by itself, its state from ``sampling_law``, (S,)
    weights, by default the stationary law of the behaviour policy (docs/sampling.md); default ``"path"``.
    ``interest``: i(s) ≥ 0, (S,), of emphatic algorithms (docs/by_state.md); default one everywhere.

    Numbers are floats (each counts as the decimal that it prints), integers, fractions, decimals, or strings
    ``"p/q"``. Rows of floats that sum to one up to rounding are divided by their exact sums, and a note says so. Raises
    :class:`InputError`, one sentence, for anything that is not a valid model.
    """
    return read_model(model, Parts.of_names(parts))


@_public
def example(name: str) -> LoadedModel:
    """A model that ships, by its name: ``"baird"``, ``"boyan_chain"``, ``"two_state_theta_2theta"``, …

    ``"example:baird"`` names the same model wherever one is read, on the command line too; a wrong name is answered by
    the list. Raises :class:`InputError`.
    """
    from tdcert.theory.files.examples import load_example

    if not isinstance(name, str):
        raise InputError(f"the example is {kind_of(name)}; give a name, such as 'baird'")
    return load_example(name)


@_public
def enumerate_env(
    env: Any, *, state: Callable[[Any], Hashable] | None = None, most: int = 700, unused_draws: bool = False
) -> Enumerated:
    """The table of transitions of a small simulator whose resets and steps are deterministic, to be analysed.

    States are found by breadth-first search from the reset, and told apart by the whole content of the simulator, or
    by ``state``, a hashable function of the environment; more than ``most`` are refused. Refused, too: random numbers
    drawn by a reset or a step, unless you say that they decide nothing (``unused_draws``; then resets and steps are
    repeated with others), and repeated steps that do not agree. The environment is reset, and stays open. What
    must be true for the table to be exact: :mod:`tdcert.sims.enumerated`. Raises :class:`InputError`.
    """
    from tdcert.sims.enumerated import enumerate_env

    most = _whole("most", most)
    if most < 1:
        raise InputError(f"most is {most}; give 1 or more")
    return enumerate_env(env, state, most, unused_draws)


@_public
def state_action(
    model: Any,
    features: Any = None,
    *,
    discount: Any = None,
    behaviour: Any = None,
    target: Any = None,
    start: Any = None,
    schedule: Any = None,
) -> Model:
    """The model whose states are the pairs of state and action of ``model``, for updates of action values.

    ``model``: as :func:`load_model` takes it, an environment too, with ``discount``, ``behaviour``, ``target``,
    ``start`` and ``schedule`` beside it as there. ``features``: of pairs, (S·A, k), row s·A + a of the pair (s, a);
    or a function of the state and the action, by their numbers (an environment's own; in terminal states its rows
    count as zero); default the features of the state, in a block for each action. See docs/your_own_algorithm.md.
    Raises :class:`InputError`.
    """
    from tdcert.theory.arithmetic import RationalMatrix
    from tdcert.theory.files.pairs import pair_rows
    from tdcert.theory.model.state_action import state_action

    loaded = read_model(
        model, Parts(discount=discount, behaviour=behaviour, target=target, start=start, schedule=schedule)
    )
    if not isinstance(loaded, LoadedModel):
        raise InputError("pairs are made of exact models alone; give a model of a few hundred states")
    if features is None:
        return state_action(loaded.model)
    return state_action(loaded.model, RationalMatrix(pair_rows(features, loaded)))


# ---- models from samples --------------------------------------------------------------------------


@_public
def sample(
    env: Any,
    policy: Any = "uniform",
    *,
    steps: int,
    seed: int,
    discretise: Any = None,
    n_states: Any = None,
    terminal: Any = None,
) -> Log:
    """Transitions of an environment of Gymnasium, in order, for :func:`from_transitions`, which takes them whole.

    ``env``: an environment with discrete actions, or its id (extra ``gym``); one that is given stays open. ``policy``:
    rows of probabilities by state, one action for each state, or ``"uniform"``, which :func:`from_transitions` then
    takes for the behaviour policy; or a function of the observation to an action or a row, which is named there.
    ``steps``: how many transitions; ``seed``: of the first reset and of the actions, so that the same call gives the
    same transitions wherever the environment draws from its own generator. ``discretise``: a function of the
    observation to a state, with ``n_states``, or for each coordinate the increasing edges between its boxes; without
    it, the observations are of a finite space. ``terminal``: the states that end episodes, where no other step leads to
    them; without it, one state is added for the end of every episode, behind all others. Raises :class:`InputError`.
    """
    from tdcert.sims.rollout import roll_out

    return roll_out(env, policy, _whole("steps", steps), _whole("the seed", seed), discretise, n_states, terminal)


@_public
def from_transitions(
    states: Any,
    actions: Any = None,
    rewards: Any = None,
    next_states: Any = None,
    **declared: Unpack[Declarations],
) -> SampledModel:
    """The set of all models that T transitions do not exclude: with probability at least 1 − ``delta`` over the data,
    at all times at once, the true model is one of them (docs/samples.md); :func:`confident_verdicts` says what all are.

    ``states``, ``actions``, ``next_states``: T numbers each, from 0, in the order in which they came, whole episodes;
    ``rewards``: T numbers, or None; no verdict rests on them, and ranges only with ``reward_range``, the least and the
    largest that may come. In their place one log: what :func:`sample` gave, a data frame, a mapping or a file
    (``.csv``, ``.npz``) with these columns, or episodes with ``observations`` (one more than ``actions``), ``rewards``,
    ``terminations`` and ``truncations``, as datasets of Minari hold them; ``discretise`` and ``n_states`` as in
    :func:`sample` make states of these observations.

    To be declared before the data are seen: ``n_states`` and ``n_actions``, S and A, all that may occur; ``delta``, in
    (0, 1); ``terminal``: terminal states, as :func:`load_model` takes them, or ``"end"``, one state with the number S
    behind all others, to which every terminated transition then leads; ``start``: the states in which an episode may
    begin, default all others; ``possible``: a function of state and action to the states that may come next, or a
    mapping of such pairs, default all. ``terminated``, ``truncated``: T truths; a terminated transition leads to a
    terminal state, and the next first state is a draw of the start's own row; the reset after a truncated one is no
    transition. ``behaviour``: the policy that the verdicts are about, whatever collected the data; it, ``target``,
    ``features``, ``discount`` and ``schedule`` as :func:`load_model` takes them; or ``"fixed"``, where one policy
    acted all the time and is not known: its rows get sets too, at shares of the same δ. ``markov``: False where the
    states are discretised or aggregated observations; verdicts then say "if these states are Markov". Raises
    :class:`InputError`.
    """
    from tdcert.theory.samples.transitions import collected, from_log

    return from_log(collected(states, actions, rewards, next_states, declared), declared)


@_public
def from_feature_rows(
    features: Any,
    next_features: Any,
    *,
    discount: Any,
    largest: Any,
    delta: Any,
    ratios: Any = None,
    largest_ratio: Any = 1,
    cycles: Any = None,
    longest: Any = None,
    minorised: Any = None,
    lam: Any = 0,
) -> IndependentRows | EstimatedRows:
    """What n rows of features say without states, for :func:`confident_verdicts`; they must be independent and equally
    distributed *by construction*: one of each independent episode, or a state and an action drawn afresh and simulated.
    Steps of one trajectory and draws from a replay buffer are not. But whole cycles of one trajectory are, between
    visits to an atom, a state that is known to be the same each time: ``cycles`` are their lengths, in order, from the
    first visit on, the last, open one left out.

    ``features``, ``next_features``: n×d floats; the next are zeros where an episode ended. ``ratios``: ρ of each row,
    n numbers, ones where they are not given. To be declared before the data are seen, the number of rows or cycles too:
    ``largest``, the largest length of a feature vector; ``largest_ratio``; ``longest``, the most steps of a cycle,
    or, with ``minorised``, of those that are not taken for zero; ``minorised``, (m, ε): from everywhere, whatever came
    before, the atom is met within m steps with probability at least ε (cycles with neither give an estimate, no more);
    ``delta``, in (0, 1); ``discount``: in [0, 1]. ``lam``: λ in [0, 1] of a trace along each cycle; above 0 cycles are
    whole episodes, whose ends cut it. Features of a length near one in every direction give the narrowest
    bounds. Raises :class:`InputError`, one sentence.
    """
    from tdcert.theory.samples.feature_rows import independent_rows

    declared = discount, largest, delta, ratios, largest_ratio, cycles, longest, minorised, lam
    return independent_rows(features, next_features, *declared)


@_public
def confident_verdicts(
    model: SampledModel | IndependentRows | EstimatedRows, algorithms: Any = None, *, limits: int = 1
) -> dict[str, ConfidentVerdict]:
    """What holds for every model of the set, for ``"TD"``, ``"GTD"`` and ``"TDC"`` or the ``algorithms`` that are named
    as in :func:`compare`: ``answer`` is stable, unstable or undecided, ``sentence`` says it with its δ. All of them
    share the one δ of the data.

    ``model``: what :func:`from_transitions` or :func:`from_feature_rows` gave. Undecided verdicts hold two models of
    the set that ``disagree``, where they were found. ``limits``: as in :func:`analyze`. Raises :class:`InputError` for
    anything else.
    """
    from tdcert.analysis.sampled import confident
    from tdcert.theory.samples.feature_rows import EstimatedRows, IndependentRows
    from tdcert.theory.samples.sampled_model import SampledModel
    from tdcert.theory.samples.verdict import Update

    if not isinstance(model, SampledModel | IndependentRows | EstimatedRows):
        raise InputError(f"the model is {kind_of(model)}; give what tdcert.from_transitions gave")
    with limits_raised(_whole("limits", limits)):
        if isinstance(model, SampledModel):
            return confident(model, algorithms)
        if algorithms is not None:
            raise InputError("rows of features are asked for TD, GTD and TDC alone; leave algorithms out")
        return {str(update): model.verdict(update) for update in Update}


@_public
def estimate_visits(model: SampledModel, algorithm: str = "TD", *, limits: int = 1) -> VisitsEstimate:
    """How many more visits of which pairs of state and action would decide: an estimate, if frequencies stay as they
    are; ``visits``, or None with the reason in ``why``. Nothing is claimed of it, and no verdict may rest on it.

    ``model``: what :func:`from_transitions` gave; ``algorithm``: ``"TD"``, ``"GTD"`` or ``"TDC"``; ``limits``: as in
    :func:`analyze`. Raises :class:`InputError` for anything else.
    """
    from tdcert.theory.samples.sampled_model import SampledModel
    from tdcert.theory.samples.verdict import Update
    from tdcert.theory.samples.visits import estimate_visits

    if not isinstance(model, SampledModel):
        raise InputError(f"the model is {kind_of(model)}; give what tdcert.from_transitions gave")
    if algorithm not in list(Update):
        raise InputError(f"the algorithm is {kind_of(algorithm)}; give TD, GTD or TDC")
    with limits_raised(_whole("limits", limits)):
        return estimate_visits(model, Update(algorithm))


@_public
def confident_ranges(model: SampledModel, *, limits: int = 1) -> ConfidentRanges:
    """θ*, the values and the error as ranges that hold those of every model of the set, with its δ, shared with
    :func:`confident_verdicts`: ``theta_star``, ``values`` and ``error``, or ``why`` they are not bounded.

    ``model``: what :func:`from_transitions` gave with ``reward_range``; an average over steps, ``error`` is the root of
    the mean square of Φθ* − v, v the values of the target policy. ``limits``: as in :func:`analyze`. Raises
    :class:`InputError` for anything else.
    """
    from tdcert.theory.samples.ranges import ranges
    from tdcert.theory.samples.sampled_model import SampledModel

    if not isinstance(model, SampledModel):
        raise InputError(f"the model is {kind_of(model)}; give what tdcert.from_transitions gave")
    with limits_raised(_whole("limits", limits)):
        return ranges(model)


@_public
def confident_report(model: SampledModel, out: str | PathLike[str], *, limits: int = 1) -> Path:
    """Writes a folder about a set of models: a page with its verdicts, ranges and rows, the document ``samples.json``,
    a certificate of each verdict, and the checker, which reads them with Python's standard library alone.

    ``model``: what :func:`from_transitions` gave; ``out``: the folder, new or of an earlier report about the same set;
    ``limits``: as in :func:`analyze`. The path of the page. Raises :class:`InputError` for anything else, and where the
    checker does not accept what was written.
    """
    from tdcert.reports.output import Analysed, OutputFolder
    from tdcert.reports.samples import Answered
    from tdcert.reports.samples_report import DOCUMENT, written_samples
    from tdcert.theory.samples.ranges import ranges
    from tdcert.theory.samples.sampled_model import SampledModel
    from tdcert.theory.samples.verdict import verdicts

    require("a report", *PAGES)
    if not isinstance(model, SampledModel):
        raise InputError(f"the model is {kind_of(model)}; give what tdcert.from_transitions gave")
    with limits_raised(_whole("limits", limits)):
        said = verdicts(model)
        asked = Answered(
            found=model,
            transitions=model.transitions,
            verdicts=said,
            ranges=ranges(model),
            estimates=(None,) * len(said),
            command="",
        )
        with OutputFolder(Path(out), Analysed(None, asked.shelf[1], DOCUMENT)) as folder:
            checked = written_samples(folder, asked, silently)
            if checked.rejected:
                raise InputError(f"a certificate was rejected: {checked.rejected[0]}")
            folder.commit()
    return folder.place / "index.html"


@_public
def analyze(
    model: Any = None,
    *,
    algorithms: Update | Sequence[Update] | None = None,
    what: str | Iterable[str] | None = None,
    arithmetic: str | None = None,
    bits: int = FLOAT_BITS,
    steps: Any = None,
    ratio: Any = None,
    schedules: Iterable[Any] | None = None,
    budget: float | None = None,
    lambda_sweep: bool = False,
    robustness: bool | str | Iterable[str] = False,
    for_all: str | None = None,
    simulate: bool = False,
    seed: int | None = None,
    updates: int | None = None,
    runs: int | None = None,
    quantiles: Any = None,
    phase_diagram: bool = False,
    phase_x: str | None = None,
    phase_y: str | None = None,
    phase_step: Any = None,
    phase_algorithms: str | None = None,
    limits: int = 1,
    out: str | Path | None = None,
    **parts: Unpack[ModelParts],
) -> Analysis:
    """The analysis of a model: does TD, off-policy TD, GTD, TDC converge on it, to what, how fast?

    The model: the first argument, or its parts by name, as :func:`load_model` takes them. ``algorithms``: others than
    these four, as :func:`compare` takes them. ``what``: the parts of the answer, some of ``verdict`` (chain, matrices,
    fixed point, mean dynamics; always there), ``claims``, ``schedules`` and ``warnings``; all by default, and
    ``verdict`` where algorithms are named. ``arithmetic``: ``exact``, ``enclosed`` or ``sparse``, by default chosen by
    the model's size; ``bits``: precision of enclosures, 53 or more. ``steps``: are these small enough?
    ``0.1``, ``"10,100,0.75"`` for 10/(t + 100)^0.75, or ``"largest"``; ``ratio``: β/α. ``schedules``: compared with the
    model's own, in the place of the usual ones; ``lambda_sweep``: constant λ's too. ``budget``: parts that nobody
    names are left out where they are estimated at more seconds, usually 2. ``robustness``: how far transitions may
    change before a verdict does, or some of ``transitions``, ``discount``, ``behaviour``, ``target``. ``for_all``:
    ``"gamma"``, ``"lambda"`` or ``"ratio"`` (of the later step sizes to the first): for which of all its values the
    mean dynamics are stable. ``simulate``: run the algorithms, with this ``seed``, ``runs`` of so many ``updates``, a
    band between these ``quantiles``. ``phase_diagram``: draw one, over ``phase_x`` and ``phase_y`` at ``phase_step``,
    of ``phase_algorithms`` (``"tdrc,FILE.py:NAME"``), as ``--phase-x`` and the like take them. ``limits``: multiplies
    the limits of size, as a refusal says that names ``--limits`` (docs/limits.md). ``out``: a folder for the report, as
    ``--out`` writes it. Raises :class:`InputError` for bad input.

    ``reproduce`` of the answer is the command that makes it again. A model that is in no file is saved in the report,
    as ``model.json`` or ``model.npz``, which the command then names; without a report it is None.
    """
    from tdcert.analysis.analyse import Request, analyse
    from tdcert.reports.analysis_view import Analysis

    beside = Parts.of_names(parts)
    _require_truths(simulate=simulate, phase_diagram=phase_diagram, lambda_sweep=lambda_sweep)
    bits, seed = _whole("bits", bits), _seed(seed)
    for word, value in (
        ("arithmetic", arithmetic),
        ("for_all", for_all),
        ("phase_x", phase_x),
        ("phase_y", phase_y),
        ("phase_algorithms", phase_algorithms),
    ):
        if value is not None and not isinstance(value, str):
            raise InputError(f"{word} is {kind_of(value)}; give a name")
    if out is not None and not (isinstance(out, str | Path) and str(out)):
        raise InputError(f"out is {kind_of(out)}; give the path of a folder")
    if isinstance(steps, list | tuple) and len(steps) > 1:
        many, words = len(steps), _text("steps", steps)
        raise InputError(f"steps holds {many} numbers; give one constant step, or '{words}' for A/(t + T0)^P")
    asked: dict[str, Any] = {
        "what": _names(what),
        "simulate": simulate,
        "seed": seed,
        "steps": _text("steps", steps),
        "ratio": _text("ratio", ratio),
        "updates": None if updates is None else _whole("updates", updates),
        "runs": None if runs is None else _whole("runs", runs),
        "quantiles": _text("quantiles", quantiles),
        "candidates": _candidates(schedules),
        "budget": budget,
        "lambda_sweep": lambda_sweep,
        "robustness": robustness if isinstance(robustness, bool) else _names(robustness, "robustness", CHANGES),
        "for_all": for_all,
        "phase_diagram": phase_diagram,
        "phase_x": phase_x,
        "phase_y": phase_y,
        "phase_step": _text("phase_step", phase_step),
        "phase_algorithms": phase_algorithms,
        "algorithms": algorithms,
    }
    request = Request.of_words(arithmetic, bits, None, **asked, certify=out is not None)
    with limits_raised(times := _whole("limits", limits)):
        loaded, words = read_model(model, beside), _algorithm_words(algorithms)
        options = {"arithmetic": arithmetic, "bits": str(bits) if bits > FLOAT_BITS else None}
        options |= {name.replace("_", "-"): _option(value) for name, value in {**asked, "algorithms": words}.items()}
        options["limits"] = str(times) if times > 1 else None
        source = None if algorithms is not None and words is None else _source(model, loaded, beside)
        writing = _Writing(loaded, source, {**_words(beside), **options}, named=algorithms is None or words is not None)
        return Analysis(writing.write(lambda: analyse(loaded, silently, request), out), writing)


def _algorithm_words(given: object) -> str | None:
    """Algorithms as ``--algorithms`` takes them; None where one of them is a function that no command names."""
    listed = given if isinstance(given, list | tuple) else [given]
    return ",".join(map(str, listed)) if all(isinstance(one, str) for one in listed) else None


class _Writing:
    """How the report of an analysis is written, and the command that makes it again; ``named``: whether a command can
    name the algorithms that were asked for.
    """

    def __init__(
        self,
        loaded: LoadedModel | LoadedSparse,
        source: str | None,
        options: Mapping[str, str | None],
        named: bool = True,
    ) -> None:
        self.loaded, self.source, self.options, self.named = loaded, source, options, named

    def __call__(self, result: AnalysisResult, folder: str | Path, png: bool) -> None:
        """Writes the report of an analysis that is there."""
        self.write(lambda: result, folder, png)

    def write(self, make: Callable[[], AnalysisResult], out: str | Path | None, png: bool = False) -> AnalysisResult:
        """The analysis that ``make`` makes, with its command, written to a folder (refused before) or to none."""
        from dataclasses import replace

        from tdcert.reports.analysis_json import digest_of
        from tdcert.reports.analysis_report import file_name, file_of, model_of_the_report, written_analysis
        from tdcert.reports.documents import shell_command
        from tdcert.reports.output import Analysed, OutputFolder

        named = self.source or (None if out is None else str(Path(out) / file_name(self.loaded)))
        command = None if named is None or not self.named else shell_command("analyze", named, self.options)
        if out is None:
            return replace(make(), command=command)
        require("a report", *PAGES)
        with OutputFolder(out, Analysed(self.source, digest_of(self.loaded.model))) as folder:
            run = replace(make(), command=command)
            kept = model_of_the_report(self.source, folder) if self.source else file_of(self.loaded)
            written_analysis(folder, run, kept, silently, png)
            folder.commit()
        return run


def _source(model: Any, loaded: LoadedModel | LoadedSparse, beside: Parts) -> str | None:
    """The file or environment that a command can name, with what is beside it as options; None where there is none."""
    if not isinstance(model, str | PathLike) or _words(beside) is NOT_WORDS:
        return None
    return loaded.source


NOT_WORDS: dict[str, str | None] = {}
"""In the place of options, where some cannot be written as text."""


def _words(beside: Parts) -> dict[str, str | None]:
    """What is beside a model as options of the command line."""
    from tdcert.theory.files.schedule_forms import schedule_option

    if beside.start is not None:
        return NOT_WORDS
    found: dict[str, str | None] = {}
    for option in ("discount", "schedule", "features", "behaviour", "target", "sampling", "sampling_law", "interest"):
        value = getattr(beside, option)
        if isinstance(value, Schedule):
            value = schedule_option(value)
        elif option == "discount" and isinstance(value, Real):
            value = str(Fraction(number(value, option)))
        elif isinstance(value, PathLike):
            value = str(value)
        if value is not None and not isinstance(value, str):
            return NOT_WORDS
        found["policy" if option == "behaviour" else option.replace("_", "-")] = value
    return found


def _require_truths(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, bool):
            raise InputError(f"{name} is {kind_of(value)}; give True or False")


def _option(value: Any) -> str | None:
    """What stands behind an option on the command line; None where it is left out."""
    if value is None or isinstance(value, bool):
        return "" if value else None
    return " ".join(value) if isinstance(value, list) else str(value)


def _candidates(schedules: Any) -> list[str] | None:
    """Schedules to compare, as ``--candidates`` takes them."""
    from tdcert.theory.files.schedule_forms import schedule_option

    if schedules is None:
        return None
    given = list(schedules) if isinstance(schedules, list | tuple) else [schedules]
    found = []
    for one in given:
        read = Overrides(schedule=one, from_python=True).read_schedule()
        if read is None:
            raise InputError("schedules lists None; give schedules such as tdcert.NStep(3)")
        found.append(schedule_option(read))
    return found


def _whole(name: str, value: Any) -> int:
    return whole_number(number(value, name), name)


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    seed = _whole("seed", value)
    if seed < 0:
        raise InputError(f"the seed is {seed}; give 0 or more")
    return seed


def _text(name: str, value: Any) -> str | None:
    """A text, or numbers as one."""
    if value is None or isinstance(value, str):
        return value
    numbers = [Fraction(number(x, name)) for x in (value if isinstance(value, list | tuple) else [value])]
    beyond = next((x for x in numbers if abs(x) > sys.float_info.max), None)
    if beyond is not None:
        raise InputError(f"{name} holds {short(beyond)}, which is beyond floats; give a smaller number")
    return ",".join(map(str, numbers))


CHANGES, PARTS = "transitions, discount, behaviour, target", "verdict, claims, schedules, warnings"
"""What may change, and the parts of an analysis, as they are named."""


def _names(what: Any, argument: str = "what", known: str = PARTS) -> str | None:
    """Names between commas."""
    if what is None or isinstance(what, str):
        return what
    names = list(what) if isinstance(what, list | tuple | set | frozenset) else [what]
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{argument} is {kind_of(what)}; give names: {known}")
    return ",".join(names)


@_public
def certify(
    model: Any,
    *,
    algorithm: Update,
    within: Any,
    probability: Any,
    steps: Any = "auto",
    ratio: Any = None,
    theta0: Any = None,
    limits: int = 1,
    certificate: str | Path | None = None,
) -> Certified:
    """When θ_t is within a distance of θ*. As a mapping the answer is the document ``tdcert-certify/1``, as ``tdcert
    certify --json`` prints it.

    ``one_time``: T with P(|θ_T − θ*| ≤ within) ≥ probability; ``ever_after``: N with P(|θ_t − θ*| ≤ within for all
    t ≥ N) ≥ probability, certified, or None with the reason in ``why``. ``model``: as :func:`load_model` takes
    it; ``algorithm``: any that ships (``td``, ``tdrc[ridge=1/2]``; ``tdcert algorithms`` lists them), or
    ``"FILE.py:NAME"``, or what :func:`algorithm` declared; ``steps``: ``"A,T0"`` or ``"A,T0,P"``, or the numbers, for
    A/(t + T0)^P, ½ < P ≤ 1, or ``"auto"``: those with the smallest N of a few that are tried; ``ratio``: of its later
    step sizes to the first, one number or several, where it is not given ones, or proposed with the steps; ``theta0``:
    where the first parameter as long as φ begins, as ``"x,y,…"`` or the numbers, zeros where it is not given; all
    others begin at zero; the first state is drawn evenly from all.
    ``limits``: as in :func:`analyze`. ``certificate``: a file to write the certificate to. Floats count as the decimals
    they print. Raises :class:`InputError` for bad input.
    """
    from tdcert.analysis.certify import Question
    from tdcert.analysis.certify import certify as answer
    from tdcert.reports import certify as answers
    from tdcert.reports.certified_view import Certified
    from tdcert.reports.replay import rejection
    from tdcert.theory.certificate.write import text

    if not isinstance(algorithm, str | Algorithm):
        raise InputError(f"the algorithm is {kind_of(algorithm)}; give a name, FILE.py:NAME, or what is declared")
    if certificate is not None and not isinstance(certificate, str | Path):
        raise InputError(f"the certificate is {kind_of(certificate)}; give the path of a file")
    near, likely = str(number(within, "the distance")), str(number(probability, "the probability"))
    words = _text("steps", steps) or "", near, likely, _text("ratio", ratio), _text("theta0", theta0)
    question = Question.of_words(algorithm, *words)
    with limits_raised(_whole("limits", limits)):
        loaded = read_model(model, Parts())
        if not isinstance(loaded.model, Model):
            raise InputError("certify is exact; give a model file or an environment, not an archive")
        found = answer(loaded.model, question)
    body = answers.certificate(found)
    rejected = "" if body is None else rejection(body)
    document = answers.document(found, "tdcert.certify", rejected)
    if certificate is not None and body is not None:
        document = replace(document, certificate=str(certificate))
        try:
            Path(certificate).write_text(text(body), encoding="ascii")
        except (OSError, ValueError) as error:  # ValueError: a NUL byte
            why = getattr(error, "strerror", None) or error
            raise InputError(f"the certificate cannot be written to '{certificate}' ({why})") from None
    return Certified(found, document)


@_public
def conform(
    target: str | type,
    *,
    algorithm: str,
    schedules: str | None = None,
    discounts: str | None = None,
    sampling: str = "path",
    seed: int = 0,
    time_limit: float = 60.0,
) -> Trial:
    """An implementation of yours on trial: a dictionary of the format ``tdcert-conformance/1``, as ``tdcert conform
    --json`` prints it, that is shown by its answer.

    ``target``: ``"module:Class"``, ``"path/to/file.py:Class"``, ``"notebook.ipynb:Class"``, or a class at the top level
    of a file or a notebook; what is asked of it is in docs/conformance.md. ``algorithm``: any that ships
    (``td``, ``tdrc[ridge=1/2]``; ``tdcert algorithms`` lists them), or ``"FILE.py:NAME"``, an update of your own;
    ``schedules``: ``any``, ``constant``, ``n_step`` or ``zero``; ``discounts``: ``any`` or ``constant``, which is one
    γ, and 0 where an episode ends; None: what its ``reset`` takes. ``sampling``: ``path`` or ``independent``: draws as
    of a replay buffer, each marked ``first``. ``time_limit``: seconds for each process the class
    runs in.
    Raises :class:`InputError` for a class that is not found and for unknown words.
    """
    from tdcert.reports.conform import document, summary
    from tdcert.reports.trial_view import Trial
    from tdcert.sims.conformance.trial import put_on_trial
    from tdcert.theory.document_types import plain

    words = {"algorithm": algorithm, "sampling": sampling, "schedules": schedules, "discounts": discounts}
    for what, word in words.items():
        if not isinstance(word, str) and (word is not None or what in ("algorithm", "sampling")):
            raise InputError(f"{what} is {kind_of(word)}; give a name")
    seed, time_limit = _whole("the seed", seed), _seconds(time_limit)
    asked: Any = {"schedules": schedules, "discounts": discounts, "sampling": sampling, "seed": seed}
    found = put_on_trial(target, algorithm, **asked, time_limit=time_limit)
    return Trial(plain(document(found, time_limit)), summary(found))


@_public
def conform_estimator(
    function: str | Callable[..., Any],
    *,
    estimator: str,
    contract: str | Path | Sequence[str | Path],
    seed: int = 0,
    time_limit: float = 120.0,
    python: str | None = None,
    library: str | None = None,
) -> Trial:
    """A return estimator of yours on trial: a dictionary of the format ``tdcert-estimator-trial/1``, as ``conform
    --json`` prints it, that is shown by its answer.

    ``function``: ``"module:function"``, ``"path/to/file.py:function"``, or a function at the top level of a file.
    ``estimator``: ``gae``, ``vtrace`` and so on; ``contract``: names or files (docs/estimators.md); it conforms if it
    satisfies one of them. ``time_limit``: seconds for each process the function runs in; ``python``: another Python to
    run it; ``library``: ``numpy``, ``torch``, ``jax`` or ``list``, for the contract's own. Raises :class:`InputError`
    for a function that is not found, and for a contract that contradicts itself.
    """
    from tdcert.reports.estimators import document, summary
    from tdcert.reports.trial_view import Trial
    from tdcert.sims.estimators.trial import put_estimator_on_trial
    from tdcert.theory.document_types import plain

    seed, time_limit = _whole("the seed", seed), _seconds(time_limit)
    if not isinstance(contract, str | Path | list | tuple) or not isinstance(estimator, str):
        raise InputError("the estimator is a name, and the contract a name, a file or a list of them; give these")
    if python is not None and not isinstance(python, str):
        raise InputError(f"python is {kind_of(python)}; give the path of an interpreter")
    names = [str(name) for name in ([contract] if isinstance(contract, str | Path) else contract)]
    if library is not None and not isinstance(library, str):
        raise InputError(f"the library is {kind_of(library)}; give numpy, torch, jax or list")
    options = {"python": python, "library": library}
    found = put_estimator_on_trial(
        function, estimator, names, seed=seed, time_limit=time_limit, python=python, library=library
    )
    words = "\n".join(summary(trial, name) for trial, name in zip(found, names, strict=True))
    return Trial(plain(document(found, names, time_limit, options)), words)


@_public
def compare(
    model: Any,
    algorithms: Update | Sequence[Update] = "all",
    *,
    simulate: bool = False,
    seed: int | None = None,
    step: Any = None,
    robustness: bool | str | Iterable[str] = False,
    for_all: str | None = None,
    arithmetic: str | None = None,
    bits: int = FLOAT_BITS,
    limits: int = 1,
) -> Analysis:
    """What algorithms do on a model: :func:`analyze` of the rows of these algorithms.

    ``algorithms``: names as ``--algorithms`` takes them (``"td,etd"``, ``"tdrc[ridge=1/2]"``, ``"FILE.py:NAME"``,
    ``"all"``), what :func:`algorithm` declared, or a list of both. ``simulate``: run each with this ``seed``, against
    its exact moments. ``step``: a constant step to ask about. ``robustness``: how far transitions may change before a
    verdict does; ``for_all``: both as in :func:`analyze`. ``arithmetic``: ``exact``, ``enclosed`` or ``sparse``, by
    default chosen by the model's size; ``bits``: precision of enclosures, beyond 53; ``limits``: as in
    :func:`analyze`. Raises :class:`InputError` for bad input, and for a function that is not an affine update.
    """
    return analyze(
        model,
        algorithms=algorithms,
        simulate=simulate,
        seed=seed,
        steps=_text("step", step),
        robustness=robustness,
        for_all=for_all,
        arithmetic=arithmetic,
        bits=bits,
        limits=limits,
    )


def _seconds(given: Any) -> float:
    limit = number(given, "the time limit")
    if not 0 < limit < 10**6:
        raise InputError(f"the time limit is {short(limit)} s; give seconds above 0, below a million")
    return float(limit)
