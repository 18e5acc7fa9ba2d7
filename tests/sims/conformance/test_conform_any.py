"""Classes held to any algorithm that ships, and to updates of files: right ones pass, wrong ones are named."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, named
from tdcert.sims.conformance import trial
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.declared import Declared
from tdcert.sims.conformance.declared_paths import DeclaredCase, bounds, copies, follow
from tdcert.sims.conformance.jets import variable
from tdcert.sims.conformance.path_differences import all_within, first_difference, judged, telling
from tdcert.sims.conformance.trial import Conformance, put_on_trial
from tdcert.sims.experiments.gtd_lambda import EVERY
from tdcert.sims.mistakes.declared import mistakes
from tdcert.sims.rounding import gamma
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.errors import InputError
from tests.effort import by_default

HERE, UPDATES = (Path(__file__).with_name(f"{name}_on_trial.py") for name in ("declared", "updates"))
FEW = 9
OTHERS = [name for name in NAMES if name not in EVERY]


def tried(name: str, algorithm: str, **options: Any) -> Conformance:
    return put_on_trial(f"{HERE}:{name}", algorithm.replace("UPDATES", str(UPDATES)), **options)


def told(found: Conformance) -> str:
    assert found.failure is not None and not found.conforms
    return found.failure.sentence


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every so many-th case is enough, and all of them take seconds."""
    monkeypatch.setattr(Declared, "cases", thinned)
    monkeypatch.setattr(trial, "prepared", prepared)


EVERY_CASE = Declared.cases
prepared = lru_cache(trial.prepared.__wrapped__)
"""Apart from what other tests hold of whole batteries."""


def thinned(self: Declared, *asked: Any) -> tuple[TrialCase, ...]:
    found = EVERY_CASE(self, *asked)
    long = [case for case in found if case.shows == "long_run"]
    return (*[case for case in found if case.shows != "long_run"][::FEW], *long[:1])


RIGHT = [
    ("Retrace", "retrace", "constant", "any"),
    ("TDRC", "tdrc", "constant", "constant"),
    ("TargetNetwork", "averaging_target", "zero", "any"),
    ("Categorical", "categorical_td", "zero", "any"),
    ("Categorical", "categorical_td[atoms=-2:-1:0:1:2]", "zero", "any"),
    ("WithBias", "UPDATES:with_bias", "zero", "any"),
    ("AnyReset", "tree_backup", "constant", "any"),
    ("ETD", "etd", "constant", "any"),
    ("GTD2", "gtd2", "zero", "any"),
    ("VTrace", "vtrace", "constant", "any"),
]


@pytest.mark.parametrize(
    ("name", "algorithm", "schedules", "discounts"), by_default(1, [RIGHT[5], *RIGHT[:5], *RIGHT[6:]])
)
def test_right_classes_conform_to_any_update(name: str, algorithm: str, schedules: str, discounts: str) -> None:
    found = tried(name, algorithm)
    assert found.conforms and found.how == "path_by_path" and not found.notes, found.failure
    assert (found.schedules, found.discounts) == (schedules, discounts)
    assert found.held_to[0].startswith(f"def {algorithm.partition('[')[0].rpartition(':')[2]}(t, ")
    assert all(answer.status == "passes" and answer.tried for answer in found.answers)


WRONG = [
    ("GTD2AllByRho", "gtd2", "ρ on the whole update of w$"),
    ("EagerTDRC", "tdrc", "w updated with the new theta$"),
    ("Uncut", "retrace", r"the update of off_policy_td \(if that is meant, try --algorithm off_policy_td\)$"),
    ("NoRatioOnTheError", "retrace", "ρ missing: 1 used for it in the update of the parameters$"),
    ("Retrace", "tree_backup", r"the update of retrace \(if that is meant, try --algorithm retrace\)$"),
    ("TargetOfTheNew", "averaging_target", "target updated with the new theta$"),
    ("BiasFirst", "UPDATES:with_bias", "theta updated with the new bias$"),
    ("LateRatioInFollowOn", "etd", "ρ_t used for ρ_{t−1} in follow_on$"),
    ("FollowOnForEmphasis", "etd", r"F_t used for the emphasis M_t = λ i_t \+ \(1 − λ\) F_t$"),
    ("VTraceUnclippedError", "vtrace", "the update of retrace|no clipping: clip_error not used$"),
    ("VTraceUnclippedTrace", "vtrace", "no clipping: clip_trace not used$"),
    ("VTraceUnclipped", "vtrace", "the update of off_policy_td"),
    ("RetraceWithoutLambda", "retrace", "1 used for lam$"),
]


@pytest.mark.parametrize(("name", "algorithm", "words"), by_default(1, WRONG), ids=[row[0] for row in WRONG])
def test_wrong_classes_are_named(name: str, algorithm: str, words: str) -> None:
    options = {"schedules": "zero"} if name == "EagerTDRC" else {}
    assert re.search(f"like {words}", told(tried(name, algorithm, **options)))


@pytest.mark.thorough
def test_single_precision_is_judged_by_its_paths_and_randomness_is_not_judged() -> None:
    found = tried("SingleRetrace", "retrace")
    assert found.conforms and found.how == "single_precision"
    assert found.notes == ("judged by its paths alone: the exact law of retrace is not computed",)
    assert "its own randomness moves its paths" in told(tried("RandomRetrace", "retrace"))


SENTENCES = [
    ("NoTheta", "retrace", "it has no attribute 'theta'"),
    (
        "OfOtherShape",
        "retrace",
        r"theta is an array of shape \(2,\) after update 1; give a float64 NumPy array of length 1",
    ),
    ("Retrace", "residual_gradient", "reset cannot be called .*lam.*with what it names besides of the options"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "algorithm", "sentence"), by_default(1, SENTENCES))
def test_misbehaviour_is_one_sentence(name: str, algorithm: str, sentence: str) -> None:
    assert re.match(sentence, told(tried(name, algorithm)))


@pytest.mark.parametrize(
    ("algorithm", "options", "sentence"),
    [
        ("retrac", {}, "there is no algorithm 'retrac'; give FILE.py:NAME, or one of td, "),
        ("all", {}, "'all' names 23 algorithms; give one of them".replace("23", str(len(NAMES)))),
        ("retrace[cut=1]", {}, "the algorithm 'retrace' has no option 'cut'; it has lam"),
        pytest.param(
            *("retrace", {"schedules": "n_step"}),
            "the schedules are 'n_step', and 'retrace' is asked for zero or constant",
            marks=pytest.mark.thorough,
        ),
        ("missing.py:mine", {}, "there is no file 'missing.py'; give FILE.py:NAME"),
    ],
)
def test_bad_words_are_one_sentence(algorithm: str, options: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        tried("Retrace", algorithm, **options)
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "algorithm", "read"),
    by_default(
        1,
        [
            ("TrueOnline", "true_online_td", ["theta"]),
            ("Velocity", "gtd_momentum", ["theta", "w"]),
            ("VMTDC", "vmtdc", ["theta", "omega", "u"]),
        ],
    ),
)
def test_nobody_has_to_keep_the_theta_of_one_step_before(name: str, algorithm: str, read: list[str]) -> None:
    found = tried(name, algorithm)
    assert found.conforms and found.how == "path_by_path", found.failure
    assert [slot.name for slot in Declared(algorithm, named(algorithm)).slots(2)] == read


def test_two_parameters_that_change_places_are_not_both_left_out() -> None:
    @algorithm(parameters={"a": "d", "b": "d"})
    def swapping(t: Any, a: Any, b: Any, alpha: Any) -> Any:
        return b, a

    assert copies(swapping) == {"a": 1}


@pytest.mark.thorough
def test_what_is_not_named_of_a_copy_starts_where_that_starts() -> None:
    found = tried("AtRest", "gtd_momentum")
    assert found.conforms and found.how == "path_by_path", found.failure


@pytest.mark.thorough
def test_what_follows_a_wrong_start_is_not_judged() -> None:
    """Three parameters; the number among them is not what was given, and θ goes wrong at every update."""
    found = tried("ForgetsOmegaAndAdds", "vmtdc")
    assert re.match(r"omega = \(0\) after reset, .*, where \(-0\.5\) is right", told(found))
    statuses = {answer.shows: (answer.status, answer.compared) for answer in found.answers}
    assert statuses.pop("interface")[0] == "passes" and statuses.pop("start") == ("fails", 0)
    assert {statuses.pop(mode)[0] for mode in ("again", "side_by_side")} == {"not_judged"}
    assert set(statuses.values()) == {("not_judged", 0)}


@pytest.mark.thorough
def test_a_bound_that_says_nothing_judges_nothing() -> None:
    """Rounding of w is tripled: what comes after some 30 updates is not judged, and what comes before is."""
    found = tried("WrongLate", "UPDATES:tripled")
    assert found.conforms and [x.status for x in found.answers if x.shows == "long_run"] == ["not_judged"]
    assert {x.status for x in found.answers if x.shows != "long_run"} == {"passes"}
    assert 20 < next(x.compared for x in found.answers if x.shows == "long_run") < 30
    assert [note for note in found.notes if note.endswith("largest: many updates, decreasing step sizes")]
    assert re.match(r"θ = .* after 20 updates", told(tried("WrongInTime", "UPDATES:tripled")))
    with pytest.raises(InputError, match="nothing can be judged: rounding alone may move the parameters of"):
        tried("Tripled", "UPDATES:tripled[factor=1000000000000000000]")


def test_paths_are_compared_whatever_their_number_of_parameters_and_whatever_is_infinite() -> None:
    one, inf = np.ones((3, 1)), np.full((3, 1), np.inf)
    path, bound = (one, one, one), (0 * one, 0 * one, 0 * one)
    assert all_within([path], [path], [bound]) and not all_within([(one, one, 2 * one)], [path], [bound])
    assert judged(telling(path, (0 * one, 0 * one, np.array([[0.0], [1e-3], [0.1]])))) == 1
    assert judged(telling((one, np.array([[1.0], [1e3], [np.inf]])), (0.1 * one, 0 * one))) == 1
    assert all_within([(inf * np.nan,)], [(inf,)], [(inf,)]) and not all_within([(inf,)], [(one,)], [(one,)])


def cases_of(name: str | Algorithm) -> tuple[Any, ...]:
    found = named(name) if isinstance(name, str) else name
    standard = Declared(found.name, found)
    schedules = "constant" if "lam" in standard.offered else "zero"
    return trial.prepared(standard, schedules, 0, "any", ",".join(standard.offered))


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[] if x == "gtd2_mp" else pytest.mark.thorough) for x in OTHERS]
)
def test_bounds_are_small_and_every_mistake_leaves_them_or_changes_nothing(name: str) -> None:
    """Each mistake either makes the right numbers on all of these cases, or leaves a bound: rounding hides none."""
    cases, right, allowed = cases_of(name)
    for path, bound in zip(right, allowed, strict=True):
        size = max(1.0, *(float(np.abs(x).max()) for x in path))
        assert all((x[1:] > 0).all() for x in bound) and max(float(x.max()) for x in bound) < 1e-7 * size
    left = 0
    for mistake in mistakes(named(name)):
        with np.errstate(all="ignore"):
            made = [mistake.path(case) for case in cases]
        same = all(
            np.allclose(x, y, rtol=1e-9, atol=1e-12)
            for a, b in zip(made, right, strict=True)
            for x, y in zip(a, b, strict=True)
        )
        assert same == all_within(made, right, allowed), mistake.words
        left += not same
    assert left > 10


@pytest.mark.thorough
def test_another_order_of_operations_stays_inside_the_bound_and_a_late_digit_does_not() -> None:
    """The same update with every product and sum taken the other way round; then with a relative error of 1e-10."""
    case, path, bound = next(row for row in zip(*cases_of("htd"), strict=True) if row[0].shows == "long_run")
    assert isinstance(case, DeclaredCase)

    def turned(t: Any, theta: Any, w: Any, z: Any, own: Any, alpha: Any, beta: Any, *, lam: Any) -> Any:
        z, own = z * lam * t.rho + t.phi * t.rho, own * lam + t.phi
        error = (theta[::-1] @ t.phi_next[::-1]) * t.discount - (theta[::-1] @ t.phi[::-1]) + t.reward
        ahead = t.phi_next * t.discount
        along = (w[::-1] @ z[::-1]) - (w[::-1] @ own[::-1])
        return (
            theta + z * error * alpha + t.phi * along * alpha - ahead * along * alpha,
            w + z * error * beta - t.phi * (w @ own) * beta + ahead * (w @ own) * beta,
            z * t.discount,
            own * t.discount,
        )

    found = follow(case, turned)
    assert not np.array_equal(found[0], path[0])
    assert first_difference(found, path, bound, ("theta", "w")) is None
    off = follow(case, lambda t, *held, **options: turned(t, held[0] * (1 + 1e-10), *held[1:], **options))
    assert first_difference(off, path, bound, ("theta", "w")) is not None


def test_jets_are_values_magnitudes_and_their_derivatives() -> None:
    """f = (x − y)·m/4 at x = 3, y = 3, m = −2: zero, with the magnitude 6·2/4, and derivatives by x and m."""
    x, m = variable(3.0, 3.0, 0, 3), variable(-2.0, 2.0, 1, 3)
    found = (x - 3) * m / 4
    assert found.jet.tolist() == [[0.0, -0.5, 0.0], [3.0, 0.5, 1.5]]
    assert (2 - x).jet.tolist() == [[-1.0, -1.0, 0.0], [5.0, 1.0, 0.0]]
    assert found.chain == x.chain + 2 + m.chain + 1 + 1 + 1 and (1 / (x * 0 + 4)).value == 0.25
    assert min(x, 4) is x and abs(m).jet.tolist() == (-m).jet.tolist()


def test_errors_of_the_memory_reach_the_parameters() -> None:
    """A memory that adds up: after 80 steps its error is that of 80 sums, and θ sees it."""

    @algorithm(parameters={"theta": "d"}, memory={"z": "d"})
    def adding(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
        return theta + alpha * z, z + t.phi * t.phi

    case = Declared("adding", adding).cases("zero", 0, "any", "")[-1]
    assert isinstance(case, DeclaredCase) and case.steps == 80
    path = follow(case)
    bound = bounds(case)[0][-1]
    of_theta_alone = 2 * gamma(4 * 4) * np.abs(path[0][1:]).sum(axis=0)  # chains of four, and each update's own error
    assert (bound > 1.5 * of_theta_alone).all()


def test_errors_of_earlier_updates_are_carried_on_and_not_doubled_by_momentum() -> None:
    """θ' = θ + (θ − θ_{t−1})/2 + φ: an error of one update moves later θ by 1, 3/2, 7/4, … of it, at most twice; what
    an update adds to the error of θ is 2γ_μ times the sum of magnitudes, |θ| + (|θ| + |θ_{t−1}|)/2 + |φ|, at least |θ|.
    """

    @algorithm(parameters={"theta": "d", "old": "d"})
    def moving(t: Any, theta: Any, old: Any, alpha: Any) -> Any:
        return theta + (theta - old) / 2 + t.phi, theta

    case = Declared("moving", moving).cases("zero", 0, "any", "")[-1]
    assert isinstance(case, DeclaredCase) and case.steps == 80
    ((theta,), (bound,)) = follow(case), bounds(case)
    phi, before = np.abs(case.trajectory.phi), np.abs(np.concatenate([theta[:1], theta[:-2]]))
    of_one = 2 * gamma(4 * 5)  # chains of five: θ_{t−1}, its minus, the half, and two sums
    least = of_one * np.abs(theta[1:-1]).sum(axis=0)
    most = 2 * of_one * (1.5 * np.abs(theta[:-1]) + 0.5 * before + phi).sum(axis=0)
    most += 2 * of_one * 0.5 * before.sum(axis=0)  # and of what it keeps of θ_{t−1}
    assert (least < bound[-1]).all() and (bound[-1] < 1.01 * most).all(), (least, bound[-1], most)


@pytest.mark.thorough
def test_the_start_and_the_options_are_what_reset_is_handed() -> None:
    @algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
    def two(t: Any, theta: Any, w: Any, alpha: Any, beta: Any, *, ridge: Any = 1, far: Any = 1) -> Any:
        return theta + alpha * t.reward * t.phi, w - beta * ridge * w

    standard = Declared("two", two)
    cases = standard.cases("zero", 0, "any", "w0,ridge")
    assert {case.given[0]["ridge"] for case in cases} == {1, 0.5} and all("far" not in case.given[0] for case in cases)
    assert {case.settings["far"] for case in cases} == {1}  # type: ignore[attr-defined]
    path = follow(cases[-1])  # type: ignore[arg-type]
    assert not path[0][0].any() and path[1][0].tolist() == cases[-1].given[1]["w0"] != path[0][0].tolist()
    fixed = Declared("two", two.with_options(ridge=0)).cases("zero", 0, "any", "ridge")
    assert {case.given[0]["ridge"] for case in fixed} == {0}


@pytest.mark.thorough
def test_a_schedule_is_handed_over_where_the_update_asks_for_one_whatever_it_is_called() -> None:
    def of(declared: Any, names: str) -> set[Any]:
        standard = Declared("decays", declared)
        return {case.given[0][names] for case in standard.cases(standard.schedules(names), 0, "any", names)}

    def decays(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 1 / 4, trace: Any = 0) -> Any:
        return theta + alpha * t.reward * z, lam * (1 - trace) * z + t.phi

    written = algorithm(parameters={"theta": "d"}, memory={"z": "d"})(decays)
    asks = algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="trace")(decays)
    assert of(written, "lam") == of(asks, "lam") == {1 / 4} and of(written, "trace") == {0, 1 / 2}
    assert len(of(asks, "trace")) > 2 and of(asks.with_options(trace=0), "trace") == {0}
    assert Declared("td", named("td")).schedules("alpha,lambdas") == "any"
    assert Declared("td", named("td")).schedules("lam") == "zero"


@pytest.mark.thorough
def test_the_lambda_of_an_update_is_that_of_another_whatever_it_is_called() -> None:
    """TD(κ) without importance ratios: on-policy it is every TD(λ) that ships, and is named as such."""

    @algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="kappa")
    def plain(t: Any, theta: Any, z: Any, alpha: Any, *, kappa: Any = 0) -> Any:
        z = t.phi + kappa * z
        return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, t.discount * z

    cases = Declared("plain", plain).cases("constant", 0, "any", "kappa,theta0")
    known = {mistake.words: mistake for mistake in mistakes(plain)}
    assert len({case.settings["kappa"] for case in cases if isinstance(case, DeclaredCase)}) > 2
    for case in cases:
        assert isinstance(case, DeclaredCase)
        of_td = known["the update of td (if that is meant, try --algorithm td)"].path(case)
        assert np.allclose(of_td[0], follow(case)[0], rtol=1e-9, atol=1e-12)


@pytest.mark.thorough
def test_each_memory_that_begins_anew_is_named_by_itself() -> None:
    """Of a trace that ends with the episode and one that goes on: anew changes the latter alone."""

    @algorithm(parameters={"theta": "d"}, memory={"z": "d", "follow_on": 1}, steps=("alpha",))
    def goes_on(t: Any, theta: Any, z: Any, follow_on: Any, alpha: Any) -> Any:
        z = t.rho * (z + (1 + follow_on) * t.phi)
        return theta + alpha * (t.reward - t.phi @ theta) * z, t.discount * z, t.rho * (1 + follow_on) / 2

    cases, right, _ = cases_of(goes_on)
    known = {mistake.words: mistake for mistake in mistakes(goes_on)}
    paths = {
        words: [known[f"{words} begun anew where an episode ends"].path(case) for case in cases]
        for words in ("z", "follow_on")
    }
    same = {
        words: all(np.allclose(x[0], y[0], rtol=1e-9) for x, y in zip(found, right, strict=True))
        for words, found in paths.items()
    }
    assert same == {"z": True, "follow_on": False}
