"""Estimators on trial: right ones are never accused, known mistakes are caught and named, bad input is one sentence."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.sims.estimators import cases, layout, messages
from tdcert.sims.estimators.calls import arguments_of, run
from tdcert.sims.estimators.cases import Call, battery
from tdcert.sims.estimators.contract import Contract, load_contract, shipped, text_of
from tdcert.sims.estimators.layout import owed
from tdcert.sims.estimators.mistakes import MISTAKES, View, differs, mistakes_in
from tdcert.sims.estimators.rounding import relative
from tdcert.sims.estimators.trial import EstimatorTrial, put_estimator_on_trial
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.stops import Stop
from tdcert.theory.errors import InputError
from tdcert.theory.model.estimators import FORWARD, forward
from tests.effort import by_default
from tests.sims.estimators import right_estimators
from tests.sims.estimators.wrong_estimators import EDITS, REPORTS, Edit

SOURCE = Path(inspect.getfile(right_estimators))
RIGHT = {
    name: tuple(str(found.__doc__).split())
    for name, found in vars(right_estimators).items()
    if inspect.isfunction(found) and len(str(found.__doc__).split()) == 2
}
BRIEF = ("gae_by_powers",)
IN_FULL = pytest.mark.thorough
FEW = 40
"""Patterns of a length in these tests."""


def trial(target: Any, estimator: str, contract: str, **options: Any) -> EstimatorTrial:
    return put_estimator_on_trial(target, estimator, [contract], **{"patterns": FEW, **options})[0]


def in_full(names: Any) -> Any:
    """All of them; those that are not brief only in full runs."""
    return [name if name in BRIEF else pytest.param(name, marks=IN_FULL) for name in names]


@pytest.mark.parametrize("name", in_full(RIGHT))
def test_a_right_estimator_is_not_accused(name: str) -> None:
    estimator, contract = RIGHT[name]
    found = trial(f"{SOURCE}:{name}", estimator, contract)
    assert found.conforms, found.failure
    assert {answer.status for answer in found.answers} == {"passes"}


def test_there_are_enough_of_both() -> None:
    assert len(RIGHT) >= 20 and len(EDITS) >= 30
    assert sum(edit.name is not None for edit in EDITS) >= 0.7 * len(EDITS)
    assert {estimator for estimator, _ in RIGHT.values()} == set(FORWARD)


def test_reported_mistakes_are_counted_as_the_page_says() -> None:
    page = (Path(__file__).parents[3] / "docs" / "estimators.md").read_text(encoding="utf-8")
    found = [report.found for report in REPORTS]
    edits, names = len(EDITS), sum(edit.name is not None for edit in EDITS)
    counts = [found.count(kind) for kind in ("right", "another", "none")]
    said = " ".join(page.split())
    assert (
        f"of {edits} mistakes that were made while the names were written, {edits} are caught and {names} get" in said
    )
    assert f"Of {len(found)} taken afterwards" in said and f"{len(found)} are caught; {counts[0]} got" in said
    assert f"{counts[1]} got another name that describes a part of the mistake, and {counts[2]} got none" in said
    assert not {report.edit[:3] for report in REPORTS} & {edit[:3] for edit in EDITS}


def edited(edit: Edit, folder: Path) -> str:
    text = SOURCE.read_text(encoding="utf-8")
    own = inspect.getsource(getattr(right_estimators, edit.function))
    assert own.count(edit.old) == 1 and text.count(own) == 1, edit
    file = folder / "wrong.py"
    file.write_text(text.replace(own, own.replace(edit.old, edit.new)), encoding="utf-8")
    return f"{file}:{edit.function}"


BRIEF_EDITS = (38,)


@pytest.mark.parametrize(
    "number",
    [number if number in BRIEF_EDITS else pytest.param(number, marks=IN_FULL) for number in range(len(EDITS))],
)
def test_a_known_mistake_is_caught_and_named(number: int, tmp_path: Path) -> None:
    edit = EDITS[number]
    found = trial(edited(edit, tmp_path), *RIGHT[edit.function])
    assert found.failure is not None, edit
    if edit.name is not None:
        assert edit.name in str(found.failure.mistake), found.failure.sentence


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(REPORTS)))
def test_a_mistake_that_was_reported_is_caught_and_named_as_counted(number: int, tmp_path: Path) -> None:
    report = REPORTS[number]
    failure = trial(edited(report.edit, tmp_path), *RIGHT[report.edit.function]).failure
    assert failure is not None and failure.shows != "interface", report
    assert named(report.edit, failure.mistake) == report.found, failure.sentence


def named(edit: Edit, mistake: str | None) -> str:
    if mistake is None:
        return "none"
    return "right" if edit.name is not None and edit.name in mistake else "another"


# ---- what is shown ----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_smallest_row_is_shown_alone(tmp_path: Path) -> None:
    found = trial(edited(EDITS[0], tmp_path), *RIGHT["gae_loop"])
    failure = found.failure
    assert failure is not None and failure.call is not None and failure.difference is not None
    assert failure.shows == "boundary" and len(failure.call.rows) == 1
    row = failure.call.rows[0].row
    assert row.steps == 2 and sum(map(bool, row.rewards)) + sum(map(bool, row.values)) == 1
    assert failure.difference.found != failure.difference.right
    statuses = {answer.shows: answer.status for answer in found.answers}
    assert statuses["one_episode"] == "passes" and statuses["boundary"] == "fails"


# ---- functions that misbehave -----------------------------------------------------------------------------------

BAD = """
import itertools
import numpy as np
from right_estimators import gae_loop as right

def raises(rewards, values, next_values, terminated, truncated, gamma, lam):
    raise ValueError("no gradient here")

def needs_device(rewards, values, next_values, terminated, truncated, gamma, lam):
    raise RuntimeError("Found no NVIDIA driver for the cuda device")

def other_shape(*given):
    advantages, targets = right(*given)
    return advantages[:-1], targets

def one_array(*given):
    return right(*given)[0]

def nothing(*given):
    return None

def words(*given):
    return "a", "b"

def integers(rewards, *given):
    return rewards.astype(bool), rewards

def changes(rewards, values, next_values, terminated, truncated, gamma, lam):
    found = right(rewards, values, next_values, terminated, truncated, gamma, lam)
    rewards += 1
    return found

COUNT = itertools.count()
def keeps_state(*given):
    advantages, targets = right(*given)
    return advantages + 1e-3 * next(COUNT), targets

def other_arguments(rewards, values):
    return rewards, values

def coroutine(*given):
    yield 1

def not_a_number(*given):
    advantages, targets = right(*given)
    return advantages / 0.0 * 0.0, targets

def mixes_rows(rewards, values, next_values, terminated, truncated, gamma, lam):
    advantages, targets = right(rewards, values, next_values, terminated, truncated, gamma, lam)
    return advantages + (rewards.shape[1] > 1) * rewards.mean(axis=1, keepdims=True), targets

def transposed(rewards, values, next_values, terminated, truncated, gamma, lam):
    advantages, targets = right(rewards, values, next_values, terminated, truncated, gamma, lam)
    return (advantages.T if advantages.shape[0] == advantages.shape[1] else advantages), targets

def coarse(*given):
    advantages, targets = right(*given)
    return advantages.astype(np.float32), targets.astype(np.float32)

class Method: pass
"""


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "right_estimators.py").write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "bad.py").write_text(BAD, encoding="utf-8")
    return folder / "bad.py"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        pytest.param("raises", "raises ValueError: no gradient here", marks=IN_FULL),
        pytest.param("needs_device", "if it needs a device, give an adapter", marks=IN_FULL),
        pytest.param("other_shape", 'with axes = "TB" it must be', marks=IN_FULL),
        pytest.param("one_array", "its output 'advantages' has the shape", marks=IN_FULL),
        pytest.param("nothing", "it returns a NoneType, where the contract looks for", marks=IN_FULL),
        pytest.param("words", "return an array of floats", marks=IN_FULL),
        pytest.param("integers", "'advantages' is of the type bool; return an array of floats", marks=IN_FULL),
        ("changes", "it changes its argument 'rewards'"),
        pytest.param("keeps_state", "differs when it is called again", marks=IN_FULL),
        pytest.param("other_arguments", "cannot be called as (rewards, values, next_values", marks=IN_FULL),
        pytest.param("coroutine", "make it a plain function", marks=IN_FULL),
        pytest.param("not_a_number", "is not a number", marks=IN_FULL),
    ],
)
def test_a_function_that_misbehaves_is_one_sentence(bad: Path, name: str, sentence: str) -> None:
    found = trial(f"{bad}:{name}", "gae", "gymnasium-autoreset-same-step", patterns=5)
    assert found.failure is not None and sentence in found.failure.sentence, found.failure
    assert "\n" not in found.failure.sentence and found.failure.mistake is None


@pytest.mark.thorough
def test_rows_that_mix_are_shown_with_the_others(bad: Path) -> None:
    found = trial(f"{bad}:mixes_rows", "gae", "gymnasium-autoreset-same-step", patterns=5)
    assert found.failure is not None and found.failure.shows == "batch"
    assert found.failure.call is not None and len(found.failure.call.rows) > 1


@pytest.mark.thorough
def test_rows_and_steps_transposed_are_named(bad: Path) -> None:
    found = trial(f"{bad}:transposed", "gae", "gymnasium-autoreset-same-step")
    assert found.failure is not None and "transposed" in str(found.failure.mistake)


@pytest.mark.thorough
def test_single_precision_is_a_note_and_no_failure(bad: Path) -> None:
    found = trial(f"{bad}:coarse", "gae", "gymnasium-autoreset-same-step", patterns=5)
    assert found.conforms and found.precision == "float32"
    assert found.notes == ("it returns float32 where it is given float64, and is held to float32",)


@pytest.mark.thorough
def test_a_function_that_hangs_is_ended(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ndef slow(*given):\n    time.sleep(60)\n")
    with pytest.raises(InputError) as caught:
        trial(f"{tmp_path}/slow.py:slow", "gae", "cleanrl-done", patterns=2, time_limit=3.0)
    said = str(caught.value)
    assert f"{tmp_path}/slow.py:slow is not decided under cleanrl-done: it had not ended after 3 s, on " in said
    assert said.endswith("; if it is slow rather than stuck, give a longer --time-limit")
    (call,) = battery(load_contract("dm-env-discounts", "gae"), 0, 1).calls[:1]
    for jit, hint in ((True, "stuck, give"), (False, "stuck, say jit = true in the contract, or give")):
        contract = replace(load_contract("dm-env-discounts", "gae"), jit=jit)
        assert hint in messages.stopped(Stop("hangs", {"limit": 3.0}, "", 0, 0), contract, call)


@pytest.mark.parametrize("number", by_default(1, [1, 0]))
def test_the_call_that_did_not_come_back_is_blamed(number: int, tmp_path: Path) -> None:
    """The first call is made twice, so the second one is the third time that the function runs."""
    (tmp_path / "stops.py").write_text(
        f"import os\nCOUNT = []\ndef stops(rewards, *given):\n    COUNT.append(0)\n"
        f"    if len(COUNT) == {1 + 2 * number}:\n        os._exit(3)\n    return rewards, rewards\n"
    )
    contract = load_contract("cleanrl-done", "gae")
    found = run(CodePlace.of(f"{tmp_path}/stops.py:stops", "function"), contract, battery(contract, 0, 2).calls)
    assert found.stop is not None and (found.stop.kind, found.stop.case, found.stop.step) == ("exits", number, number)
    assert found.reached == number
    for k, outputs in enumerate(found.outputs):
        assert all(np.isnan(array).all() == (k >= number) for array in outputs.values())


@pytest.mark.thorough
def test_what_fails_before_the_first_call_is_laid_on_it(tmp_path: Path) -> None:
    """A library that ends the process when it is imported: the run stands before the first call."""
    (tmp_path / "jax.py").write_text("import os\nos._exit(3)\n")
    (tmp_path / "mine.py").write_text("def mine(*given):\n    pass\n")
    contract = replace(load_contract("cleanrl-done", "gae"), library="jax")
    found = run(CodePlace.of(f"{tmp_path}/mine.py:mine", "function"), contract, battery(contract, 0, 2).calls)
    assert found.stop is not None and (found.stop.kind, found.stop.case, found.stop.step) == ("exits", 0, -1)
    assert found.reached == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"target": 3}, "is not a function"),
        ({"time_limit": 0}, "the time limit is 0 s"),
        ({"seed": -1}, "the seed is -1"),
        ({"library": "tensorflow"}, "there is no library 'tensorflow'; give one of numpy, torch"),
    ],
)
def test_bad_usage_is_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        trial(options.pop("target", f"{SOURCE}:gae_cleanrl"), "gae", "cleanrl-done", patterns=2, **options)
    assert sentence in str(error.value) and "\n" not in str(error.value)


DM_VTRACE = """
import numpy as np

def vtrace(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    rho = np.minimum(1.0, rho_tm1)
    errors, carried = np.zeros_like(r_t), 0.0
    for t in reversed(range(len(r_t))):
        carried = rho[t] * (r_t[t] + discount_t[t] * v_t[t] - v_tm1[t]) + discount_t[t] * lambda_[t] * rho[t] * carried
        errors[t] = carried
    targets = v_tm1 + errors
    ahead = lambda_[:-1] * targets[1:] + (1 - lambda_[:-1]) * v_t[:-1]
    return errors, rho * (r_t + discount_t * np.append(ahead, v_t[-1]) - v_tm1)
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    by_default(
        0,
        [
            ("", "", None),
            ("* v_t[:-1]", "* v_tm1[1:]", "the next entry of the values used in the advantage for the value of the"),
            ("    rho =", "    v_t = np.append(v_tm1[1:], v_t[-1])\n    rho =", "first state used after truncation"),
        ],
    ),
)
def test_truncation_as_a_lambda_of_zero_with_the_discount_kept(
    old: str, new: str, name: str | None, tmp_path: Path
) -> None:
    """Under dm-env-discounts, where v_t is the next entry of v_tm1, the first two mistakes are none."""
    (tmp_path / "dm.py").write_text(DM_VTRACE.replace(old, new) if old else DM_VTRACE, encoding="utf-8")
    found = trial(f"{tmp_path}/dm.py:vtrace", "vtrace", "dm-env-truncation", library="numpy")
    if name is None:
        assert found.conforms and {"truncation", "truncated_boundary"} <= {answer.shows for answer in found.answers}
    else:
        assert found.failure is not None and found.failure.shows in ("truncated_boundary", "boundary", "per_step")
        assert name in str(found.failure.mistake), found.failure.sentence


def test_lambdas_are_zero_at_cuts_and_discounts_at_terminations_alone() -> None:
    contract = load_contract("dm-env-truncation", "lambda_return")
    for call in battery(contract, 0, 20).calls:
        for case in call.rows:
            held = {argument.holds: value for argument, value in arguments_of(contract, Call("", (case,), "float64"))}
            cut = np.array([case.row.cut(t) for t in range(case.row.steps)])
            ended = np.array(case.row.terminated)
            assert not np.asarray(held["lambdas_and_cuts"])[cut].any()
            assert not np.asarray(held["discounts"])[ended].any()
            kept = [float(x) for x in case.row.discounts]
            assert np.array_equal(np.asarray(held["discounts"])[~ended], np.array(kept)[~ended])


# ---- contracts --------------------------------------------------------------------------------------------------

GOOD = """format = "tdcert-estimator-contract/1"
boundaries = "same-step"
truncation = "bootstrap"
[gae]
arguments = { r = "rewards", v = "values", w = "next_values", end = "terminated", cut = "truncated", g = "gamma", \
l = "lambda" }
returns = { advantages = "whole" }
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('w = "next_values", ', 'w = "last_value", ', "no argument holds the value of an episode's final state"),
        (', cut = "truncated"', "", "no argument says where an episode is truncated"),
        ('end = "terminated", cut = "truncated", ', "", "no argument says where they end"),
        ('end = "terminated", cut = "truncated"', 'end = "done"', "no argument tells them apart"),
        (
            'l = "lambda"',
            'x = "valid"',
            "no argument that holds lambda or lambdas or lambdas_and_cuts, which gae needs",
        ),
        ('r = "rewards", ', "", "no argument that holds folded_rewards or rewards"),
        ('"same-step"', '"sometimes"', "give one of single, same-step, next-step"),
        ('"rewards"', '"salary"', "holds 'salary'; give one of rewards"),
        ('"rewards"', '"not rewards"', "which is not a flag"),
        ("advantages =", "profits =", "gae has advantages, targets"),
        ('"whole"', "true", "is returned at True"),
        ("[gae]", "[vtrace]", "has no table [gae]; it has vtrace"),
        ("[gae]", "colour = 1\n[gae]", "the unknown key 'colour'"),
        ("[gae]", "[gae]\ncolour = 1", "the unknown key 'colour' in [gae]"),
        ("contract/1", "contract/9", "does not begin with format"),
        ("[gae]", "[gae", "is not TOML"),
        ("[gae]", 'end = "zero"\n[gae]', 'and says end = "zero"'),
        ("[gae]", 'padding = "after"\n[gae]', "no argument holds valid or length"),
        ("[gae]", 'dtypes = ["int8"]\n[gae]', "give float64, float32 or both"),
        ("returns =", "fixed = { colour = 1 }\nreturns =", "fixes 'colour'"),
        ("returns =", "fixed = { n = 1.5 }\nreturns =", "fixes n = 1.5; give a whole number from 1"),
        ("returns =", 'fixed = { lambda = "none" }\nreturns =', "fixes lambda = 'none'; give a number from 0 to 1"),
        ("returns =", 'fixed = { gamma = "1/0" }\nreturns =', "fixes gamma = '1/0'; give a number from 0 to 1"),
        ("returns =", "fixed = { clip_rho = -1 }\nreturns =", "fixes clip_rho = -1; give a number from 0"),
        ("[gae]", 'jit = "no"\n[gae]', "jit = 'no'; give true or false"),
        ("[gae]", "jit = true\n[gae]", 'has jit = true and library = "numpy"; say library = "jax"'),
        ('l = "lambda"', 'l = "lambda", x = "rhos"', "the argument 'x' holds rhos, which gae does not have"),
        ('l = "lambda"', 'l = "lambda", x = "next_policy"', "holds next_policy, which gae does not have"),
        ("returns =", "fixed = { gamma = 1 }\nreturns =", "fixes gamma, and an argument holds it too"),
        (
            ', l = "lambda" }',
            ' }\nfixed = { lambda = 0 }\nabove_zero = ["lambda"]',
            "fixes lambda = 0 and has it in above_zero",
        ),
        ('advantages = "whole"', "advantages = 0, targets = 0", "returns advantages and targets at one place"),
        ('advantages = "whole"', 'advantages = "whole", targets = 1', "returns advantages and targets at one place"),
        ("[gae]", 'above_zero = ["n"]\n[gae]', 'give ["gamma"], ["lambda"]'),
        ("[gae]", "shortest = 9\n[gae]", "give the least number of steps in a row, 1 to 4"),
    ],
)
def test_a_contract_that_contradicts_itself_is_one_sentence(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert old in GOOD
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_contract(str(file), "gae")
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_an_unknown_contract_or_estimator_is_one_sentence() -> None:
    with pytest.raises(InputError, match="there is no contract 'nowhere'; give a file, or one of cleanrl-done"):
        load_contract("nowhere", "gae")
    with pytest.raises(InputError, match="there is no estimator 'profit'; give one of discounted_return"):
        load_contract("cleanrl-done", "profit")


def contracts() -> list[tuple[str, str]]:
    return [(name, key) for name in shipped() for key in FORWARD if f"[{key}]" in text_of(name)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "estimator"),
    [pair if pair[0] == "cleanrl-done" else pytest.param(*pair, marks=IN_FULL) for pair in contracts()],
)
def test_the_frame_that_mistakes_are_edits_of_is_right(name: str, estimator: str) -> None:
    contract = load_contract(name, estimator)
    tried = cases.battery(contract, patterns=6)
    rows = [row for call in tried.calls for row in call.rows]
    for row in rows[::5]:
        made, exact = View(contract, row).outputs(), forward(contract.estimator, owed(contract, row.row), row.settings)
        for name in exact:
            assert all(abs(x - float(y)) <= 1e-9 * (1 + abs(x)) for x, y in zip(made[name], exact[name], strict=True))
    for call in tried.calls:
        for argument, value in arguments_of(contract, call):
            assert np.isfinite(value).all(), (argument, call.shows)


CLIPPED = """format = "tdcert-estimator-contract/1"
[vtrace]
arguments = { r = "rewards", v = "values", last = "last_value", rho = "rhos", g = "gamma", a = "clip_rho", \
b = "clip_c" }
returns = { targets = "whole" }
"""


@pytest.mark.thorough
def test_the_reward_of_the_step_before_is_that_of_a_reset_or_of_no_step_where_one_lies_there(tmp_path: Path) -> None:
    """The mistake on each row is what the wrong function returns for its steps, resets among them."""
    (edit,) = (x for x in EDITS if x.function == "lambda_return_on_arrival" and x.new == "ahead = rew[:, t]")
    wrong: dict[str, Any] = {}
    exec(Path(edited(edit, tmp_path).rpartition(":")[0]).read_text(encoding="utf-8"), wrong)
    contract = load_contract("dreamer-arrivals", "lambda_return")
    (mistake,) = (x for x in mistakes_in("lambda_return") if x.words.startswith("the reward of the step before"))
    resets = 0
    for call in cases.battery(contract, patterns=6).calls:
        if call.dtype != contract.dtypes[0]:
            continue
        returned = wrong[edit.function](*(value for _, value in arguments_of(contract, call)))
        for row, found in zip(call.rows, returned, strict=True):
            places = row.places(contract)
            steps = [places.index(t) for t in range(row.row.steps)]
            resets += len(places) - len(steps)
            # a dozen roundings of 1.1e-16 for each of some hundred steps, and a wrong reward is off by far more
            near = 1e-12 * (1 + max(map(abs, found[steps])))
            for x, y in zip(found[steps], mistake.outputs(contract, row)["returns"], strict=True):
                assert abs(x - y) <= near, (call.shows, row)
    assert resets > 0


@pytest.mark.thorough
def test_every_mistake_changes_something(tmp_path: Path) -> None:
    """No row of the table is the right estimate under another name."""
    idle = {mistake.words for mistake in MISTAKES}
    (tmp_path / "clipped.toml").write_text(CLIPPED, encoding="utf-8")
    for patterns, (name, estimator) in product((5, 25), [(str(tmp_path / "clipped.toml"), "vtrace"), *contracts()]):
        asked = [mistake for mistake in mistakes_in(estimator) if mistake.words in idle]
        if asked:
            contract = load_contract(name, estimator)
            rows = [row for call in cases.battery(contract, patterns=patterns).calls for row in call.rows]
            idle -= {mistake.words for mistake in asked if any(differs(contract, mistake, row) for row in rows[::3])}
    assert idle == set()


# ---- layout and battery -----------------------------------------------------------------------------------------


def contract_of(text: str, tmp_path: Path) -> Contract:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    return load_contract(str(file), "gae")


@pytest.mark.thorough
def test_a_reset_row_stands_between_episodes() -> None:
    contract = load_contract("gymnasium-autoreset-next-step", "gae")
    tried = cases.battery(contract, patterns=FEW)
    call = next(call for call in tried.calls if call.shows == "truncated_boundary" and call.rows[0].row.steps == 2)
    case = call.rows[-1]
    assert layout.slots(contract, case.row) == [0, layout.RESET, 1]
    held = {argument.name: value for argument, value in arguments_of(contract, cases.Call("x", (case,), "float64"))}
    rewards, values = (np.asarray(held[name])[:, 0].tolist() for name in ("rewards", "values"))
    assert rewards == [float(case.row.rewards[0]), 0.0, float(case.row.rewards[1])]
    assert values == [float(x) for x in (case.row.values[0], case.row.next_values[0], case.row.values[1])]


@pytest.mark.thorough
def test_all_patterns_of_short_rows_are_there() -> None:
    contract = load_contract("single-episode", "gae")
    tried = cases.battery(contract)
    assert tried.whole == 4
    cuts = {(case.row.steps, tuple(case.row.terminated)) for call in tried.calls for case in call.rows}
    assert (4, (False, False, False, True)) in cuts and (1, (False,)) in cuts


@pytest.mark.thorough
def test_a_contract_may_leave_out_zeros_and_short_rows(tmp_path: Path) -> None:
    text = GOOD.replace("[gae]", 'above_zero = ["gamma", "lambda"]\nshortest = 2\n[gae]')
    for given, zeros, least in ((text, False, 2), (GOOD, True, 1)):
        rows = [case for call in cases.battery(contract_of(given, tmp_path), patterns=FEW).calls for case in call.rows]
        assert any(0 in (dict(case.parameters)[name] for name in ("gamma", "lambda")) for case in rows) == zeros
        assert min(case.row.steps for case in rows) == least


@pytest.mark.thorough
def test_long_rows_have_small_powers_of_gamma_lambda() -> None:
    """What leaves them out (a filter cut at 10⁻⁷, as edits have it) is right on short rows, and where γλ is large."""
    calls = [
        call for call in cases.battery(load_contract("cleanrl-done", "gae"), patterns=1).calls if call.shows == "long"
    ]
    given = [dict(call.rows[0].parameters) for call in calls if call.rows[0].row.steps == 24]
    products = {float(x["gamma"] * x["lambda"]) for x in given}
    assert max(products) == 1 and 0 < min(products - {0.0}) ** 12 < 1e-7


def test_the_bound_on_rounding_is_small_and_grows() -> None:
    assert 0 < relative(4, "float64") < 1e-13 < relative(4, "float32") < relative(40, "float32") < 1e-3


@pytest.mark.thorough
def test_an_error_beyond_rounding_is_seen(tmp_path: Path) -> None:
    text = SOURCE.read_text(encoding="utf-8")
    file = tmp_path / "off.py"
    file.write_text(
        text.replace("return advantages, advantages + values", "return advantages * (1 + 1e-9), advantages + values")
    )
    found = trial(f"{file}:gae_cleanrl", "gae", "cleanrl-done", patterns=5)
    assert found.failure is not None and found.failure.difference is not None
    assert found.failure.difference.output == "advantages" and found.failure.mistake is None


OLD_PYTHON = """#!/bin/sh
if [ "$1" = -P ]; then echo "unknown option -P" >&2; exit 2; fi
exec {} "$@"
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for another Python")
def test_an_older_python_runs_it(tmp_path: Path) -> None:
    """It knows no -P, and a module of the user's is not hidden behind one of ours of the same name."""
    (tmp_path / "old").write_text(OLD_PYTHON.format(sys.executable), encoding="utf-8")
    (tmp_path / "old").chmod(0o755)
    (tmp_path / "cases.py").write_text("FACTOR = 1\n", encoding="utf-8")
    text = "from cases import FACTOR\n" + inspect.getsource(right_estimators)
    (tmp_path / "own.py").write_text(text, encoding="utf-8")
    assert trial(f"{tmp_path}/own.py:gae_cleanrl", "gae", "cleanrl-done", patterns=2, python=f"{tmp_path}/old").conforms
    for place in ("trials", "estimators"):
        source = (SOURCE.parents[3] / "sims" / place / "worker.py").read_text(encoding="utf-8")
        ast.parse(source, feature_version=(3, 8))
        assert "strict=" not in source


@pytest.mark.thorough
def test_what_raises_after_a_wrong_number_is_noted(tmp_path: Path) -> None:
    text = "def total(rewards, last_value, gamma):\n    if len(rewards) > 1:\n        raise ValueError('too long')\n"
    (tmp_path / "own.py").write_text(text + "    return rewards\n")
    found = trial(f"{tmp_path}/own.py:total", "discounted_return", "single-episode", patterns=5)
    assert found.failure is not None and found.failure.shows == "one_step"
    assert found.answers[0].status == "fails" and "raises ValueError: too long" in found.notes[0]


@pytest.mark.thorough
def test_the_library_may_be_given_apart(tmp_path: Path) -> None:
    """Lists have no shape: what takes arrays raises, what takes lists conforms."""
    text = "def of_lists(rewards, last_value, gamma):\n    assert isinstance(rewards, list)\n    found = []\n"
    text += "    for reward in reversed(rewards):\n        last_value = reward + gamma * last_value\n"
    (tmp_path / "own.py").write_text(text + "        found.insert(0, last_value)\n    return found\n")
    place = f"{tmp_path}/own.py:of_lists"
    assert trial(place, "discounted_return", "single-episode", patterns=5, library="list").conforms
    assert not trial(place, "discounted_return", "single-episode", patterns=5).conforms


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import a_library_nobody_has", "or with --python a Python that has what it imports"),
        ("def gae(*given):\n    raise TypeError('must be Tensor, not numpy.ndarray')", "say so with --library torch"),
    ],
)
def test_what_a_function_on_tensors_needs_is_said(source: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "ppo.py").write_text(source + "\n", encoding="utf-8")
    try:
        said = str(trial(f"{tmp_path}/ppo.py:gae", "gae", "cleanrl-done", patterns=2).failure)
    except InputError as error:
        said = str(error)
    assert sentence in said


@pytest.mark.thorough
def test_another_python_runs_it() -> None:
    assert trial(f"{SOURCE}:gae_cleanrl", "gae", "cleanrl-done", patterns=2, python=sys.executable).conforms
