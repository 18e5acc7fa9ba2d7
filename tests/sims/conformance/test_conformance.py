"""The conformance kit: right classes pass however they compute, every known mistake gets its name, and every way to
misbehave gets one sentence."""

from __future__ import annotations

import dataclasses
import re
import time
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.sims import algorithms
from tdcert.sims.algorithms import ALGORITHMS
from tdcert.sims.conformance import in_law, path_differences, trial, worker
from tdcert.sims.conformance.battery import PROPERTIES, SCHEDULES, TrialCase, battery
from tdcert.sims.conformance.trial import Conformance, put_on_trial
from tdcert.sims.experiments.gtd_lambda import EVERY
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.mistakes import VARIANTS, mistakes_in
from tdcert.sims.rounding import difference_bound
from tdcert.sims.trajectories import Trajectory
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine import transition
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import by_default, later
from tests.sims.conformance.on_trial import Noisy, Subtracting

HERE = Path(__file__).with_name("on_trial.py")
FEW = 5
"""Every so many-th case is enough where a class misbehaves at once."""


SEED = 0


def tried(name: str, algorithm: str = "td", **options: object) -> Conformance:
    return put_on_trial(f"{HERE}:{name}", algorithm, **options)  # type: ignore[arg-type]


def failure(found: Conformance) -> trial.PathFailure:
    assert found.failure is not None
    return found.failure


def case(found: Conformance) -> TrialCase:
    shown = failure(found).case
    assert isinstance(shown, TrialCase)
    return shown


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "prepared", thinned)


@lru_cache
def thinned(*asked: Any) -> tuple[tuple[object, ...], ...]:
    return tuple(column[::FEW] for column in PREPARED(*asked))


PREPARED = trial.prepared


# ---- right ones -----------------------------------------------------------------------------------

RIGHT = [
    ("Right", "td", "any"),
    ("Matrices", "tdc", "any"),
    ("ByFirst", "td", "constant"),
    ("StepSizeInTrace", "td", "constant"),
    ("Subtracting", "td", "n_step"),
]


@pytest.mark.parametrize(("name", "algorithm", "schedules"), by_default(1, RIGHT))
def test_right_classes_conform_however_they_compute(name: str, algorithm: str, schedules: str) -> None:
    found = tried(name, algorithm, schedules=schedules)
    assert found.conforms and found.how == "path_by_path" and not found.notes, found.failure
    asked = {answer.shows for answer in found.answers}
    left_out = {"ratios"} if algorithm == "td" else set()
    left_out |= {"window"} if schedules == "constant" else set()
    assert asked == {"interface", "start", "again", "side_by_side", *PROPERTIES} - left_out
    assert all(answer.status == "passes" for answer in found.answers)


ODD = [
    ("RightOffPolicy", "off_policy_td", "any"),
    ("RightGTD", "gtd", "any"),
    ("ByDiscount", "gtd", "constant"),
    ("Exact", "td", "any"),
    ("Lazy", "gtd", "any"),
    ("LeavesThread", "td", "any"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "algorithm", "schedules"), ODD)
def test_odd_but_right_classes_conform(name: str, algorithm: str, schedules: str, few: None) -> None:
    found = tried(name, algorithm, schedules=schedules, time_limit=30)
    assert found.conforms and found.how == "path_by_path" and not found.notes, found.failure


NAMED = ["OneStepSize", "ByOtherNames", "ByName", "AnySteps"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", by_default(1, NAMED))
def test_step_sizes_are_handed_over_as_the_signature_says_and_theta_starts_at_zero_without_theta0(
    name: str, few: None
) -> None:
    found = tried(name)
    assert found.conforms and (found.schedules, found.discounts) == ("zero", "any"), found.failure


HANDED = [
    (lambda t, alpha: 0, (), {"alpha": 1.0}),
    (lambda t, alpha, beta: 0, (), {"alpha": 1.0, "beta": 2.0}),
    (lambda t, beta, alpha: 0, (), {"alpha": 1.0, "beta": 2.0}),
    (lambda t, alpha, momentum=0.0: 0, (), {"alpha": 1.0}),
    (lambda t, *, alpha, **more: 0, (), {"alpha": 1.0, "beta": 2.0}),
    (lambda t, rate: 0, (1.0,), {}),
    (lambda t, rate, other: 0, (1.0, 2.0), {}),
    (lambda t, gamma, alpha: 0, (1.0, 2.0), {}),
    (lambda *given: 0, (1.0, 2.0), {}),
]


@pytest.mark.parametrize(("step", "by_place", "by_name"), HANDED)
def test_ways_of_handing_over_step_sizes(step: Any, by_place: Any, by_name: Any) -> None:
    """TD has α alone; β is there for code that asks for it."""
    ((args, named),) = worker.handed(step, (["alpha", "beta"], 1), [[1.0, 2.0]])
    assert (tuple(args), named) == (by_place, by_name)
    step(None, *args, **named)


def test_a_second_step_size_is_handed_over_where_one_is_declared_and_two_are_asked_for() -> None:
    one = (["alpha"], 1), [[1.0]]
    assert worker.handed(lambda t, alpha, beta: 0, *one) == [([1.0, 0.5], {})]
    assert worker.handed(lambda t, alpha, beta=0.0: 0, *one) == [([], {"alpha": 1.0})]
    assert worker.handed(lambda t, alpha, tau: 0, (["tau", "alpha"], 2), [[1.0, 2.0]]) == [
        ([], {"tau": 1.0, "alpha": 2.0})
    ]


@pytest.mark.thorough
def test_w0_is_handed_over_where_reset_names_it(few: None) -> None:
    found = tried("TDCFromW", "tdc")
    assert found.conforms and found.schedules == "zero", found.failure
    wrong = tried("ForgetsW", "tdc")
    assert re.match(r"w = \(-?0\) after reset, .* where \(-0\.375\) is right", failure(wrong).sentence)
    assert case(wrong).w0 == (-0.375,)
    statuses = {answer.shows: answer.status for answer in wrong.answers}
    assert {statuses.pop("interface"), statuses.pop("start")} == {"passes", "fails"}
    assert set(statuses.values()) == {"not_judged"}  # from a wrong start nothing that follows is compared


@pytest.mark.thorough
def test_in_law_too_theta_starts_where_reset_takes_it(
    monkeypatch: pytest.MonkeyPatch, error_budget: ErrorBudget, few: None
) -> None:
    monkeypatch.setattr(in_law, "RUNS", 1000)
    error_budget.spend("conformance of NoisyFromZero", len(in_law.SIZES) * in_law.ALPHA)
    found = tried("NoisyFromZero", seed=SEED)
    assert found.conforms and found.how == "in_law", found.failure


def test_printing_and_handing_out_one_array_change_nothing(few: None) -> None:
    found = tried("InPlace")
    assert found.conforms and len(found.notes) == 1
    assert re.fullmatch(r"it printed [\d,]+ lines, which changes nothing: 'reset'", found.notes[0])


@pytest.mark.thorough
def test_classes_are_found_by_path_module_and_object(few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE.parent)
    assert put_on_trial("on_trial:Outer.Inner", "td").conforms
    assert failure(put_on_trial(OnTrialHere, "td")).sentence.startswith("it has no attribute 'theta'")


class OnTrialHere:
    """Found by the file it lies in, although pytest gave the module a name of its own."""

    def reset(self, *, n_features: int, lambdas: object, theta0: object) -> None:
        pass

    def step(self, t: object, alpha: float, beta: float) -> None:
        pass


# ---- known mistakes -------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_known_mistake_is_caught_and_named(algorithm: str) -> None:
    """On a tenth of the battery; what is told apart there is told apart on all of it."""
    cases, right, allowed = ((*column[::10], column[-1]) for column in PREPARED(algorithm, "any", 0))

    known = mistakes_in(algorithm)
    paths = [[path_differences.follow(mistake.variant(), case) for case in cases] for mistake in known]
    flat = [np.concatenate([x.ravel() for path in found for x in path]) for found in paths]
    assert len({mistake.words for mistake in known}) >= 40
    for mistake, found, numbers in zip(known, paths, flat, strict=True):
        differences = [path_differences.first_difference(*row) for row in zip(found, right, allowed, strict=True)]
        clear = [abs(np.array(one.found) - one.right).max() for one in differences if one]
        assert clear and max(clear) > 1e-3, f"{mistake.words}: not seen, or hardly"
        alike = (
            np.allclose(numbers, other, rtol=path_differences.ALIKE, atol=path_differences.ALIKE) for other in flat
        )
        assert next(other.words for other, same in zip(known, alike, strict=True) if same) == mistake.words


@pytest.mark.thorough
def test_two_mistakes_at_once_are_named_by_the_one_that_explains_most(few: None) -> None:
    found = tried("LateAndWithoutRho", "off_policy_td", schedules="n_step")
    assert failure(found).mistake == "R_t used for R_{t+1}"
    assert failure(found).sentence.endswith("; most of its wrong paths look like R_t used for R_{t+1}")


def test_variants_are_all_used_and_words_are_distinct_sentences() -> None:
    used = {mistake.words for name in EVERY for mistake in mistakes_in(name)}
    assert used == {variant.words for variant in VARIANTS}
    assert all(words and words == words.strip() and not words.endswith(".") for words in used)
    with pytest.raises(InputError, match="no algorithm 'sarsa'"):
        mistakes_in("sarsa")


@pytest.mark.thorough
def test_an_unknown_mistake_is_shown_without_a_name(few: None) -> None:
    found = tried("Unnamed")
    assert not found.conforms and failure(found).mistake is None
    assert failure(found).shows == "first_update" and case(found).steps == 1
    assert re.fullmatch(
        r"θ = \(.*\) after 1 update, on a model with 1 state and 1 feature, where \(.*\) is right "
        r"\(rounding explains \de-1\d\)",
        failure(found).sentence,
    )


@pytest.mark.thorough
def test_the_failure_is_shown_on_the_shortest_piece(few: None) -> None:
    """ρ on the update differs first where two ratios meet: two updates, wherever in the trajectory they lie."""
    found = put_on_trial(f"{HERE}:Right", "off_policy_td")
    assert (failure(found).shows, failure(found).mistake) == ("ratios", "ρ missing")
    assert case(found).steps == 1 and case(found).model.n == 1
    statuses = {answer.shows: answer.status for answer in found.answers}
    before = list(PROPERTIES)[: list(PROPERTIES).index("ratios")]
    assert all(statuses[shows] == "passes" for shows in before) and statuses["ratios"] == "fails"
    assert statuses["again"] == statuses["side_by_side"] == "not_judged"


# ---- right, off the paths -------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "algorithm", "how"),
    [("Single", "tdc", "single_precision"), ("Batches", "gtd", "in_batches"), ("Noisy", "td", "in_law")],
)
def test_legitimate_ways_off_the_paths(
    name: str, algorithm: str, how: str, monkeypatch: pytest.MonkeyPatch, error_budget: ErrorBudget, few: None
) -> None:
    monkeypatch.setattr(in_law, "RUNS", 1000)
    error_budget.spend(f"conformance of {name}", len(in_law.SIZES) * in_law.ALPHA)
    found = tried(name, algorithm, seed=SEED)
    assert found.conforms and found.how == how, found.failure
    assert found.batch == (3 if how == "in_batches" else None)
    assert [(one.agrees, one.alpha_spent, one.n) for one in found.law] == [(True, in_law.ALPHA, 1000)] * 2


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["TooNoisy", "Sometimes"])
def test_a_wrong_law_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch, few: None) -> None:
    monkeypatch.setattr(in_law, "RUNS", 1000)
    found = tried(name)
    assert not found.conforms and failure(found).shows == "law"
    assert failure(found).sentence.startswith("its own randomness moves its paths, and their law is wrong: ")


@pytest.mark.thorough
def test_divergence_leaves_no_mean_to_compare(monkeypatch: pytest.MonkeyPatch, few: None) -> None:
    monkeypatch.setattr(in_law, "RUNS", 400)
    found = tried("NoisyAndDivergent")
    assert failure(found).shows == "law" and failure(found).sentence.endswith(
        "run 301 of 400 diverges: it passed 1e100 after 2 of 4 updates"
    )
    assert [(answer.shows, answer.status) for answer in found.answers] == [("interface", "passes")]


def test_a_trace_trimmed_by_subtraction_leaves_a_residue_that_the_bound_covers() -> None:
    """n = 2 and φ = 10¹² once, while α = 0: 10¹² + 0.1 − 10¹² is not 0.1, and nothing else is large."""
    model = Model.reward_process(
        RationalMatrix([[int(j == (i + 1) % 7) for j in range(7)] for i in range(7)]),
        RationalMatrix.column([1] * 7),
        Fraction(1),
        RationalMatrix.column([10**12, Fraction(1, 10), 1, 3, 2, 1, 2]),
        Schedule.n_step(2),
    )
    ones, Phi = np.ones(6), model.features.to_float()
    path = Trajectory(np.arange(7), np.zeros(6, dtype=np.int64), ones, ones, ones, Phi)
    alphas = (0.0, 0.0, 0.25, 0.25, 0.25, 0.25)
    case = TrialCase("window", model, (Fraction(1),), path, alphas, alphas, (1.0,))
    reset = partial(Subtracting.reset, n_features=1)
    learner = type("OnOneFeature", (Subtracting,), {"reset": lambda self, **given: reset(self, **given)})()
    found = path_differences.follow(learner, case)
    right = path_differences.reference("td", case)
    assert np.abs(found[0] - right[0]).max() > 1e-6
    assert path_differences.first_difference(found, right, path_differences.bounds("td", case, right)) is None
    plain = difference_bound("td", path, np.ones(2), 0.0, alphas, alphas, *right)
    assert path_differences.first_difference(found, right, plain) is not None


@pytest.mark.thorough
def test_single_precision_does_not_excuse_a_small_mistake(few: None) -> None:
    found = tried("SinglePlus", "tdc")
    assert not found.conforms and not found.how and failure(found).mistake is None


# ---- misbehaviour ---------------------------------------------------------------------------------

ON = r"on a model with \d states? and \d features?"
MISBEHAVIOUR = [
    ("NeedsArguments", "td", r"the constructor cannot be called \(TypeError: .*\); the class is made without.*"),
    ("RaisesAtOnce", "td", rf"it raises RuntimeError: no licence found, in its constructor, {ON}"),
    ("NoStep", "td", r"it has no method 'step'; .*"),
    ("NoReset", "td", r"it has no method 'reset'; .*"),
    ("NoTheta", "td", r"it has no attribute 'theta'; .*"),
    ("NoW", "gtd", r"it has no attribute 'w'; .*"),
    ("SetsThetaLate", "td", rf"it raises AttributeError: .* 'weights', in reading theta after reset, {ON}"),
    ("RaisesWhenRead", "td", rf"it raises RuntimeError: locked, in reading theta after update 2, {ON}"),
    ("Awaits", "td", r"step returns a coroutine, so nothing in it is run; make it a plain method"),
    ("Yields", "td", r"step returns a generator, so nothing in it is run; make it a plain method"),
    ("OtherReset", "td", r"reset cannot be called \(TypeError: .*\); it is called as reset\(n_features=.*\)"),
    ("OtherStep", "td", r"step cannot be called \(TypeError: .*\); it is called as step\(t, alpha, beta\), or .*"),
    ("ListTheta", "td", r"theta is a list after reset; give a float64 NumPy array of length \d"),
    ("Float32Theta", "td", r"theta is an array of float32 after reset; give a float64 NumPy array of length \d"),
    ("ColumnTheta", "td", r"theta is an array of shape \(1, 1\) after reset; give a float64 NumPy array of length 1"),
    ("Raises", "td", rf"it raises KeyError: 'third', in step, at update 3, {ON}"),
    ("WritesIntoTheta0", "td", r"it changes an array that it was given, in step, at update 1 \(ValueError.*\); .*"),
    ("WritesIntoPhi", "td", rf"it raises ValueError: cannot set WRITEABLE flag .*, in step, at update 1, {ON}"),
    ("ChangesTransition", "td", rf"it raises FrozenInstanceError: .*, in step, at update 1, {ON}"),
    ("Asks", "td", rf"it raises EOFError: .*, in step, at update 1, {ON}"),
    ("Exits", "td", rf"it ended the process \(exit code 3\), in step, at update 2, {ON}"),
]


AT_ONCE = ("NeedsArguments", "NoTheta", "Yields", "OtherStep", "Float32Theta", "Raises", "WritesIntoPhi", "Exits")


@pytest.mark.parametrize(
    ("name", "algorithm", "sentence"),
    later(MISBEHAVIOUR, lambda row: row[0] not in AT_ONCE),
    ids=[row[0] for row in MISBEHAVIOUR],
)
def test_misbehaviour_is_one_sentence(name: str, algorithm: str, sentence: str, few: None) -> None:
    found = tried(name, algorithm)
    assert failure(found).shows == "interface" and re.fullmatch(sentence, failure(found).sentence), failure(
        found
    ).sentence
    assert found.answers[0].status == "fails"
    assert {answer.status for answer in found.answers[-2:]} == {"not_judged"}


@pytest.mark.thorough
def test_a_class_that_hangs_and_floods_is_ended_and_not_decided(few: None) -> None:
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        tried("Hangs", time_limit=2)
    assert time.monotonic() - start < 20
    assert re.fullmatch(
        rf".*:Hangs is not decided: it had not ended after 2 s, in step, at update 3, {ON}; if it is slow "
        r"rather than stuck, give a longer --time-limit",
        str(caught.value),
    )


@pytest.mark.thorough
def test_what_was_wrong_before_the_time_was_up_is_a_failure(few: None) -> None:
    found = tried("WrongThenHangs", time_limit=2)
    assert failure(found).shows == "first_update"
    assert any(note.startswith("later: it had not ended after 2 s") for note in found.notes)


@pytest.mark.thorough
def test_what_jax_runs_slowly_is_told_to_be_compiled(few: None, tmp_path: Path) -> None:
    (tmp_path / "jax.py").touch()
    (tmp_path / "mine.py").write_text("import time, jax\nclass A:\n    def __init__(self):\n        time.sleep(60)\n")
    with pytest.raises(InputError, match=r"compile what it computes with jax\.jit, or give a longer --time-limit"):
        put_on_trial(f"{tmp_path}/mine.py:A", "td", time_limit=1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "shows", "sentence"),
    [
        ("NotANumber", "trace", r"θ is not a number after 2 updates, .*"),
        ("Diverges", "first_update", r"θ = \(-?\d\.\d+e\+\d\d\) after 1 update, .*"),
        ("StartsAtZero", "start", r"θ = \(0\) after reset, on a model with 1 state and 1 feature, where \(1\) .*"),
        ("ResetsOnce", "again", r"reset after an earlier run, it raises AssertionError: used, in reset, on .*"),
        ("NeverEmptied", "side_by_side", r"a new instance does not begin anew: .*"),
        ("OneWindow", "side_by_side", r"two instances disturb each other: stepped in turns, .*"),
    ],
)
def test_wrong_paths_that_no_variant_makes(name: str, shows: str, sentence: str, few: None) -> None:
    found = tried(name)
    assert failure(found).shows == shows, found.failure
    assert re.fullmatch(sentence, failure(found).sentence), failure(found).sentence


@pytest.mark.thorough
def test_divergence_is_told_with_its_step(few: None) -> None:
    """Beyond 1e100 after two updates; infinite, then not a number, later."""
    found = tried("Diverges")
    assert [note for note in found.notes if note.startswith("it diverges too: an entry passed 1e100 after 2 updates")]
    path = np.array([[1.0], [1e90], [1e101], [np.inf], [np.nan]])
    right, zero = np.ones((5, 1)), np.zeros((5, 1))
    assert path_differences.divergence((path, zero)) == 2
    only = path_differences.first_difference((path[2:], zero[2:]), (right[2:], zero[2:]), (zero[2:], zero[2:]))
    assert only is not None and (only.kind, only.step) == ("diverges", 0)
    last = path_differences.first_difference((path[4:], zero[4:]), (right[4:], zero[4:]), (zero[4:], zero[4:]))
    assert last is not None and last.kind == "not_a_number"


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "schedules"), [("KeepsW", "any"), ("KeepsTrace", "constant")])
def test_a_reset_that_keeps_something_is_noticed(name: str, schedules: str, few: None) -> None:
    found = tried(name, "tdc", schedules=schedules)
    assert failure(found).shows == "again" and failure(found).sentence.startswith("reset keeps something")
    assert getattr(failure(found).difference, "step", None) == (0 if name == "KeepsW" else 1)


# ---- usage ----------------------------------------------------------------------------------------


def test_bad_arguments_are_one_sentence() -> None:
    for given, options, sentence in (
        ("a:B", {"algorithm": "sarsa"}, "no algorithm 'sarsa'"),
        ("a:B", {"algorithm": "td", "schedules": "some"}, "no schedules 'some'"),
        ("a:B", {"algorithm": "td", "time_limit": 0}, "the time limit is 0 s"),
        ("a:B", {"algorithm": "td", "seed": -1}, "the seed is -1"),
        ("no_such:B", {"algorithm": "td"}, "no module 'no_such'"),
        (Noisy(), {"algorithm": "td"}, "an object of type Noisy is not a class"),
    ):
        with pytest.raises(InputError, match=sentence):
            put_on_trial(given, **options)  # type: ignore[arg-type]


# ---- the battery ----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("schedules", SCHEDULES)
def test_the_battery_hands_out_what_it_promises(schedules: str) -> None:
    for case in PREPARED("off_policy_td" if schedules == "any" else "td", schedules, 0)[0]:
        x, lambdas = case.trajectory, case.lambdas
        if schedules == "constant":
            assert len(set(lambdas)) == 1 and len(lambdas) >= case.steps
        if schedules == "n_step":
            assert set(lambdas) <= {1}
        assert case.first == (True, *(x.discounts == 0))[: case.steps]
        assert case.shows in ("ratios", "together", "long_run") or (x.rho == 1).all()


@pytest.mark.thorough
def test_the_battery_is_ordered_and_repeats() -> None:
    cases = battery("td", "n_step")
    keys = [(list(PROPERTIES).index(case.shows), *case.size) for case in cases]
    assert keys == sorted(keys)
    drawn, again, other = (
        [case.trajectory.rewards.tolist() for case in found]
        for found in (cases, battery("td", "n_step"), battery("td", "n_step", seed=1))
    )
    assert drawn == again != other


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_bounds_on_rounding_are_small_where_paths_are(algorithm: str) -> None:
    """The bound stays below 1e-9 of the path, so that no mistake hides in it; and it is not zero."""
    for path, allowed in zip(*PREPARED(algorithm, "any", 0)[1:], strict=True):
        size = max(1.0, *(float(np.abs(x).max()) for x in path))
        widest = max(float(x.max()) for x in allowed)
        assert 0 < widest < 1e-9 * size and size < 100


def test_the_transition_is_the_same_on_both_sides() -> None:
    ours, declared, theirs = (
        [field.name for field in dataclasses.fields(cls)]
        for cls in (algorithms.SimulatedTransition, transition.Transition, worker.GivenTransition)
    )
    assert ours == theirs[: len(ours)]
    seen = {*declared, *transition.BEFORE} - {"before", *transition.BY_STATE}  # λ by state: no trial has one
    assert seen == set(theirs)
