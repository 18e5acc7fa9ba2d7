"""Code as people write it on trial: one γ and a flag, one λ or none, the textbook GTD(λ), notebooks, adapters."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.sims.algorithms import SimulatedTransition
from tdcert.sims.conformance import path_differences, trial
from tdcert.sims.conformance.battery import TrialCase, battery
from tdcert.sims.conformance.trial import Conformance, put_on_trial
from tdcert.sims.conformance.updates import updates
from tdcert.sims.experiments.gtd_lambda import EVERY, ONE_LAMBDA
from tdcert.sims.mistakes import mistakes_in
from tdcert.sims.trials.notebooks import cells_of, definition
from tdcert.sims.trials.place import CodePlace
from tdcert.theory.errors import InputError

HERE = Path(__file__).with_name("as_people_write_it.py")
ADAPTERS = Path(__file__).parents[3] / "examples" / "adapters"
FEW = 3


def tried(name: str, algorithm: str = "td", **options: Any) -> Conformance:
    return put_on_trial(f"{HERE}:{name}", algorithm, **options)


@lru_cache
def thinned(*asked: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(column[::FEW] for column in PREPARED(*asked))


PREPARED = trial.prepared


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "prepared", thinned)


LONG = pytest.mark.thorough

# ---- the signature says what is asked -----------------------------------------------------------------------------

SIGNATURES = [
    pytest.param("FixedGamma", "td", "constant", "constant", marks=LONG),
    pytest.param("LambdasAndGamma", "td", "any", "constant", marks=LONG),
    pytest.param("TDZero", "off_policy_td", "zero", "any", marks=LONG),
    ("Textbook", "gtd_lambda", "constant", "any"),
    pytest.param("Textbook", "tdc_lambda", "constant", "any", marks=LONG),
]


@pytest.mark.parametrize(("name", "algorithm", "schedules", "discounts"), SIGNATURES)
def test_the_signature_of_reset_chooses(name: str, algorithm: str, schedules: str, discounts: str, few: None) -> None:
    options = {} if schedules != "any" else {"schedules": "constant"}
    found = tried(name, algorithm, **options)
    assert found.conforms and found.how == "path_by_path", found.failure
    assert (found.schedules, found.discounts) == ("constant" if schedules == "any" else schedules, discounts)
    asked = {answer.shows for answer in found.answers}
    assert ("discounts" in asked) == (discounts == "any") and "episodes" in asked


def test_what_is_given_counts_for_more_than_the_signature(few: None) -> None:
    found = tried("LambdasAndGamma", schedules="constant", discounts="any")
    assert found.failure is not None and found.failure.shows == "interface"
    assert re.match(r"reset cannot be called \(TypeError: .*'gamma'\); .*--discounts", found.failure.sentence)


@pytest.mark.thorough
def test_keywords_are_given_what_there_is(few: None) -> None:
    found = tried("Keywords", schedules="constant", discounts="constant")
    assert found.conforms, found.failure
    assert tried("Keywords", schedules="constant").discounts == "any"  # its signature says nothing


@pytest.mark.thorough
def test_who_expects_one_lambda_and_is_given_none_is_told(few: None) -> None:
    failure = tried("LambdasAndGamma").failure
    assert failure is not None and failure.shows == "interface"
    assert failure.sentence.endswith("lambdas is empty there: if one λ is meant, give --schedules constant")


NAMED = [
    ("NeverEnds", "td", "episodes", "the trace not begun anew after an episode's end"),
    pytest.param(
        "Bootstraps", "td", "episodes", "the value after an episode's end used in δ (its discount is 0)", marks=LONG
    ),
    pytest.param("WithoutOneMinusLambda", "gtd_lambda", "trace", "1 − λ missing in the correction", marks=LONG),
    pytest.param("Textbook", "gtd", "first_update", "GTD(λ)'s update of θ for one λ, ", marks=LONG),
    ("Textbook", "tdc", "trace", "GTD(λ)'s update of θ for one λ, "),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "algorithm", "shows", "words"), NAMED)
def test_the_mistakes_of_such_code_have_names(name: str, algorithm: str, shows: str, words: str, few: None) -> None:
    failure = tried(name, algorithm).failure
    assert failure is not None and failure.shows == shows and failure.mistake is not None
    assert failure.mistake.startswith(words) and "; it looks like " in failure.sentence
    if name == "NeverEnds":  # an end, and what comes after it
        assert failure.case is not None and failure.case.steps == 2 and failure.case.first == (True, True)


@pytest.mark.thorough
@pytest.mark.parametrize("discounts", ["constant", pytest.param("any", marks=LONG)])
def test_every_known_mistake_in_the_textbook_algorithm_is_named(discounts: str) -> None:
    cases, right, allowed = ((*column[::7], column[-1]) for column in PREPARED("gtd_lambda", "constant", 0, discounts))
    known = mistakes_in("gtd_lambda")
    paths = [[path_differences.follow(mistake.variant(), case) for case in cases] for mistake in known]
    flat = [np.concatenate([x.ravel() for path in found for x in path]) for found in paths]
    for mistake, found, numbers in zip(known, paths, flat, strict=True):
        differences = [path_differences.first_difference(*row) for row in zip(found, right, allowed, strict=True)]
        assert any(differences), f"{mistake.words}: not seen"
        alike = [np.allclose(numbers, other, rtol=1e-9, atol=1e-9) for other in flat]
        assert known[alike.index(True)].words == mistake.words
    assert len({mistake.words for mistake in known}) >= 55


# ---- no exact law --------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_single_precision_of_the_textbook_algorithm_is_judged_by_its_paths(few: None) -> None:
    found = tried("SingleTextbook", "gtd_lambda")
    assert found.conforms and found.how == "single_precision" and not found.law
    alone, unjudged = found.notes  # single precision says nothing of long runs: the bound passes the numbers themselves
    assert alone == "judged by its paths alone: the exact law of gtd_lambda is not computed"
    assert unjudged.startswith("not judged where rounding alone may move the parameters by more than a hundredth")


@pytest.mark.thorough
def test_randomness_in_the_textbook_algorithm_cannot_be_judged(few: None) -> None:
    failure = tried("RandomTextbook", "tdc_lambda").failure
    assert failure is not None and failure.shows == "law"
    assert failure.sentence.startswith("its own randomness moves its paths, so that they cannot be judged")


# ---- the battery -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["td", "tdc"])
def test_one_discount_and_zero_at_the_ends(algorithm: str) -> None:
    cases = battery(algorithm, "constant", 0, "constant")
    assert all(set(case.trajectory.discounts.tolist()) <= {0.0, case.gamma} for case in cases)
    assert len({case.gamma for case in cases}) == 3 and "discounts" not in {case.shows for case in cases}
    assert {case.shows for case in cases if 0.0 in case.trajectory.discounts} >= {"episodes", "together", "long_run"}


@pytest.mark.thorough
def test_lambda_zero_alone() -> None:
    cases = battery("gtd", "zero")
    assert {x for case in cases for x in case.lambdas} == {0} and not {"trace", "window"} & {c.shows for c in cases}


@pytest.mark.parametrize("discounts", ["any", pytest.param("constant", marks=LONG)])
@pytest.mark.parametrize("algorithm", [*ONE_LAMBDA][:1])
def test_bounds_for_the_textbook_algorithm_are_small_and_hold(algorithm: str, discounts: str) -> None:
    """Against the recursion of the trace, in another order of operations; and no mistake of 1e-9 hides in them."""
    for case, right, allowed in zip(*PREPARED(algorithm, "constant", 0, discounts), strict=True):
        assert path_differences.first_difference(recursive(case), right, allowed) is None
        size = max(1.0, *(float(np.abs(x).max()) for x in right))
        assert max(float(x.max()) for x in allowed) < 1e-9 * size


def recursive(case: TrialCase) -> tuple[Any, Any]:
    """Sutton and Barto (2018), §12.11, by itself."""
    theta, w, z, before = np.array(case.theta0), np.zeros(case.model.d), np.zeros(case.model.d), 0.0
    lam = case.floats[0]
    path = [(theta, w)]
    for t, alpha, beta in zip(case.transitions, case.alphas, case.betas, strict=True):
        z = t.rho * (before * lam * z + t.phi)
        delta = t.reward + t.discount * (theta @ t.phi_next) - theta @ t.phi
        theta, w = (
            theta + alpha * delta * z - alpha * t.discount * (1 - lam) * (z @ w) * t.phi_next,
            w + beta * delta * z - beta * (w @ t.phi) * t.phi,
        )
        before = t.discount
        path.append((theta, w))
    return np.array([x for x, _ in path]), np.array([x for _, x in path])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"discounts": "some"}, "there are no discounts 'some'; give one of any, constant"),
        ({"algorithm": "gtd_lambda", "schedules": "any"}, "gtd_lambda has one λ, and the schedules are 'any'"),
        ({"algorithm": "tdc_lambda", "schedules": "n_step"}, "tdc_lambda has one λ"),
        ({"algorithm": "gtdlambda"}, "no algorithm 'gtdlambda'; give FILE.py:NAME, or one of td, "),
    ],
)
def test_bad_words_are_one_sentence(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        put_on_trial(f"{HERE}:FixedGamma", **{"algorithm": "td", **options})  # type: ignore[arg-type]


# ---- the updates in symbols --------------------------------------------------------------------------------------


def value(line: str, numbers: dict[str, float]) -> float:
    """The right side of a printed line with one feature: a transpose is nothing, things side by side are multiplied."""
    right = line.split(" = ", 1)[1].replace("ᵀ", " ").replace("−", "-")
    names = sorted(numbers, key=len, reverse=True)
    tokens = re.findall("|".join([*map(re.escape, names), r"[()+-]", r"\d"]), right)
    assert "".join(tokens) == right.replace(" ", ""), line
    code = ""
    for k, token in enumerate(tokens):
        product = k > 0 and token not in ")+-" and tokens[k - 1] not in "(+-"
        code += ("*" if product else "") + (repr(numbers[token]) if token in numbers else token)
    return float(eval(code))


@pytest.mark.parametrize("algorithm", EVERY)
def test_the_symbols_say_what_the_readable_algorithms_do(algorithm: str) -> None:
    """The second update on one feature, from numbers without a pattern."""
    lam, rng = 0.625, np.random.default_rng(5)
    twin = EVERY[algorithm]()
    twin.reset(lambdas=(lam,) * 2, theta0=[1.5])
    steps = [
        SimulatedTransition(0, 0, x[0], 0, np.array(x[1:2]), np.array(x[2:3]), x[3], x[4], k == 0)
        for k, x in enumerate(rng.uniform(0.25, 2.0, (2, 5)))
    ]
    twin.step(steps[0], 0.25, 0.5)
    theta, w, z = float(twin.theta[0]), float(twin.w[0]), float(steps[0].phi[0])
    t = steps[1]
    numbers = {"θ_t": theta, "w_t": w, "φ_t": float(t.phi[0]), "φ_{t+1}": float(t.phi_next[0]), "λ": lam, "ρ_t": t.rho}
    numbers |= {"γ_t": t.discount, "γ_{t−1}".replace("−", "-"): steps[0].discount, "R_{t+1}": t.reward}
    numbers |= {"α_t": 0.25, "β_t": 0.5, "z_{t-1}": z * (1.0 if algorithm == "td" else steps[0].rho)}
    twin.step(t, 0.25, 0.5)
    found = {}
    for line in updates(algorithm, "constant"):
        name = line.split(" = ")[0]
        found[name] = numbers[name] = value(line, numbers)
    assert found["θ_{t+1}"] == pytest.approx(float(twin.theta[0]), rel=1e-12)
    assert found.get("w_{t+1}", 0.0) == pytest.approx(float(twin.w[0]), rel=1e-12)


# ---- notebooks -----------------------------------------------------------------------------------------------------

CELLS = [
    "%matplotlib inline\nimport numpy as np\n!ls",
    "%%bash\nexit 1",
    "raise SystemExit('hours of training')",
    "for i in range(10**12):\n    pass",
    "GAIN = 1.0\ndef moved(theta, by):\n    return theta + GAIN * sum(by[i] for i in range(1))",
    "class Unfinished(:",
    "class Base:\n    def reset(self, *, n_features, theta0):\n        self.theta = np.array(theta0)",
    "%%time\nclass Mine(Base):\n    def step(self, t, alpha, beta):\n"
    "        delta = t.reward + t.discount * t.phi_next @ self.theta - t.phi @ self.theta\n"
    "        self.theta = moved(self.theta, [alpha * delta * t.phi])",
    "agent = Mine()\nagent.train()",
]


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in CELLS]
    file = tmp_path / "work.ipynb"
    file.write_text(json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# x"]}, *cells]}))
    return file


def test_a_class_is_found_in_a_notebook_and_nothing_else_is_run(notebook: Path, few: None) -> None:
    found = put_on_trial(f"{notebook}:Mine", "td")
    assert found.conforms and found.schedules == "zero", found.failure


def test_only_what_the_class_needs_is_taken(notebook: Path) -> None:
    source = definition(cells_of(notebook), "Mine", "work.ipynb", "class")
    assert "hours" not in source and "range(10" not in source and "agent" not in source and "GAIN = 1.0" in source
    assert [line for line in source.splitlines() if line.startswith(("class", "def", "import"))] == [
        "import numpy as np",
        "def moved(theta, by):",
        "class Base:",
        "class Mine(Base):",
    ]


def test_a_function_of_a_notebook_is_found_as_a_class_is(notebook: Path) -> None:
    place = CodePlace.of(f"{notebook}:moved", "function")
    assert place.source.splitlines() == [
        "GAIN = 1.0",
        "def moved(theta, by):",
        "    return theta + GAIN * sum((by[i] for i in range(1)))",
    ]
    with pytest.raises(InputError, match=r"work\.ipynb has no function 'Mine'; it has moved$"):
        CodePlace.of(f"{notebook}:Mine", "function")


def test_a_notebook_without_the_class_is_one_sentence(notebook: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"work\.ipynb has no class 'Yours'; it has Base, Mine$"):
        put_on_trial(f"{notebook}:Yours", "td")
    for text in ("[]", "{", '{"cells": 3}'):
        (tmp_path / "bad.ipynb").write_text(text)
        with pytest.raises(InputError, match=r"cannot be read as a notebook \(\w+\)"):
            put_on_trial(f"{tmp_path / 'bad.ipynb'}:Mine", "td")


@pytest.mark.thorough
def test_the_class_of_a_running_notebook_is_found() -> None:
    """IPython keeps the inputs in ``In``; the class has no file there."""
    run = [*(cell for cell in CELLS[:1] + CELLS[4:5] + CELLS[6:8])]
    ask = "import tdcert; print(tdcert.conform(Mine, algorithm='td')['conforms'])"
    code = f"In = {['', *run, ask]!r}\nimport numpy as np\n" + "\n".join(
        re.sub("^[%!].*$", "", cell, flags=re.M) for cell in run
    )
    ran = subprocess.run([sys.executable, "-c", f"{code}\n{ask}"], capture_output=True, text=True, check=False)
    assert ran.stdout == "True\n", ran.stderr


# ---- real code -----------------------------------------------------------------------------------------------------

COMMANDS = sorted(
    found
    for file in ADAPTERS.glob("*.py")
    for found in re.findall(
        r"^    tdcert conform examples/adapters/(\S+) --algorithm (\w+)(.*)$", file.read_text(), re.M
    )
)


def test_there_are_six_conventions_and_each_names_its_origin() -> None:
    files = sorted(ADAPTERS.glob("*.py"))
    assert {target.split(":")[0] for target, *_ in COMMANDS} == {file.name for file in files} and len(files) >= 6
    assert all(re.search(r"convention of https://github\.com/[\w.-]+/[\w.-]+ ", file.read_text()) for file in files)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "algorithm", "options"), COMMANDS, ids=[f"{x[0]}-{x[1]}" for x in COMMANDS])
def test_an_adapter_conforms(target: str, algorithm: str, options: str) -> None:
    schedules = "constant" if "--schedules constant" in options else None
    found = put_on_trial(f"{ADAPTERS / target}", algorithm, schedules=schedules)
    assert found.conforms and found.how == "path_by_path" and not found.notes, found.failure


@pytest.mark.thorough
def test_an_adapter_is_told_what_its_class_is_not(few: None) -> None:
    """TDC with ρ on all of the update is not the paper's TDC, even at λ = 0."""
    found = put_on_trial(f"{ADAPTERS / 'without_trace.py'}:OnTrialTDC", "tdc")
    assert found.failure is not None and found.failure.shows == "ratios"
