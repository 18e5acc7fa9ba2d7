"""``import tdcert``: the example of its docstring, and what it accepts and refuses."""

import doctest
import inspect
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import tdcert
from tdcert.reports.analysis_json import digest_of
from tdcert.reports.analysis_report import file_of, model_of_the_report
from tdcert.reports.cli import main
from tdcert.reports.output import OutputFolder
from tdcert.theory.files import LoadedSparse
from tdcert.theory.files.npz import save_npz
from tdcert.theory.files.python_model import ModelParts, Parts
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.log import Declarations
from tests.effort import by_default

HALF = Fraction(1, 2)
CHAIN = {
    "format": "tdcert-model/1",
    "transitions": [["1/2", "1/2"], [1, 0]],
    "rewards": [0, 1],
    "discount": 0.9,
}


@pytest.mark.thorough
def test_the_example_runs() -> None:
    tested = doctest.testmod(tdcert)
    assert tested.attempted >= 3 and tested.failed == 0


class Unprintable(float):
    """A number that raises where it is printed."""

    def __repr__(self) -> str:
        raise RuntimeError("no name")

    __str__ = __repr__


def test_files_mappings_arrays_and_built_models_agree() -> None:
    arrays = {**CHAIN, "transitions": np.array([[0.5, 0.5], [1, 0]]), "discount": Fraction(9, 10)}
    loaded = tdcert.load_model(CHAIN)
    assert isinstance(loaded.model, Model)
    digests = {
        tdcert.analyze(given, what="verdict")["model"]["digest"] for given in (CHAIN, arrays, loaded, loaded.model)
    }
    assert digests == {loaded.model.digest}


def test_bad_input_is_one_sentence() -> None:
    for given in ({**CHAIN, "discount": object()}, {**CHAIN, "discount": float("nan")}, {}):
        with pytest.raises(tdcert.InputError) as caught:
            tdcert.analyze(given)
        assert "\n" not in str(caught.value)
    huge, unprintable = 10**400, Unprintable(3)
    algorithms: Any = {"algorithms": "td"}
    for asked, said in (
        (lambda: tdcert.analyze(CHAIN, bits=huge), "about 1e[+]400 bits were asked for; give 53 to 1,000,000"),
        (lambda: tdcert.analyze(CHAIN, steps=10**5000), "steps holds about 1e[+]5000, which is beyond floats"),
        (lambda: tdcert.compare(CHAIN, "td", step=huge), "step holds about 1e[+]400, which is beyond floats"),
        (lambda: tdcert.analyze(CHAIN, seed=3), "--seed is about --simulate, or one constant step"),
        (lambda: tdcert.compare(CHAIN, "td", seed=3), "--seed is about --simulate"),
        (lambda: tdcert.certify(CHAIN, algorithm="td", steps="2,9", within=1, probability=0.5, ratio=2), "td has one"),
        (lambda: tdcert.load_model(CHAIN, **algorithms), "no argument 'algorithms'; tdcert.analyze has it"),
        (lambda: tdcert.conform("x:y", **algorithms), "did you mean 'algorithm'"),
        (lambda: tdcert.load_model(CHAIN, terminal=unprintable), "terminal is given beside"),
        (lambda: tdcert.load_model({**CHAIN, "name": unprintable}), "name is the number '<Unprintable>'"),
        (lambda: tdcert.load_model(P=[[1]], rewards=1, discount=0, schedule=unprintable), "the number '<Unprintable>'"),
    ):
        with pytest.raises(tdcert.InputError, match=said):
            asked()
    with pytest.raises(tdcert.InputError, match="already built"):
        tdcert.analyze(sparse(), discount="1/2")


class Unlistable(list[Any]):
    """A list that cannot be walked through, by a mistake of its author."""

    def __iter__(self) -> Iterator[Any]:
        raise LookupError("not yet loaded")


@pytest.mark.thorough
def test_what_the_code_of_a_caller_raises_is_named_as_theirs() -> None:
    bad = Unlistable([1])
    for asked, name in (
        (lambda: tdcert.Lambdas(bad), "Lambdas"),
        (lambda: tdcert.load_model(P=[bad], rewards=1, discount=0), "load_model"),
        (lambda: tdcert.load_model(CHAIN, behaviour=bad), "load_model"),
        (lambda: tdcert.analyze(CHAIN, what=bad), "analyze"),
        (lambda: tdcert.analyze(CHAIN, schedules=bad), "analyze"),
    ):
        said = rf"^{name} was given code of yours that raised LookupError \(not yet loaded\) in .*face\.py, line"
        with pytest.raises(tdcert.InputError, match=said) as caught:
            asked()
        assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(tdcert.InputError, match="P is missing"):
        tdcert.load_model()


def test_the_parts_of_a_model_are_named_in_signatures() -> None:
    """Where help and completion read them; each is a part that a mapping may hold too, or a synonym."""
    for function in (tdcert.load_model, tdcert.analyze):
        parameters = inspect.signature(function).parameters
        named = set(ModelParts.__annotations__)
        assert named <= set(parameters) and "parts" not in parameters
        assert named == {part.name for part in fields(Parts)} - {"said"} | {"policy"}
        assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in named)


def test_what_is_declared_of_transitions_is_named_in_the_signature() -> None:
    parameters = inspect.signature(tdcert.from_transitions).parameters
    assert list(parameters)[:4] == ["states", "actions", "rewards", "next_states"] and "declared" not in parameters
    named = set(Declarations.__annotations__)
    assert named == set(parameters) - {"states", "actions", "rewards", "next_states"}
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in named)


@pytest.mark.thorough
def test_arithmetic_is_chosen_or_asked_for_and_archives_are_read(tmp_path: Path) -> None:
    """The law of the chain is (2/3, 1/3): 0 → 1 with ½, 1 → 0."""
    assert tdcert.analyze(CHAIN)["arithmetic"] == "exact"
    enclosed = tdcert.analyze(CHAIN, arithmetic="enclosed", bits=80)
    middle, radius = enclosed["stationary"][1].split(" +/- ")
    assert enclosed["bits"] == 80 and abs(Fraction(middle) - Fraction(1, 3)) <= Fraction(radius) < Fraction(1, 10**12)
    P = csr_array(np.array([[0.5, 0.5], [1, 0]]))
    built = tdcert.SparseModel.reward_process(P, np.array([0.0, 1]), Fraction(9, 10), np.eye(2), Schedule())
    save_npz(tmp_path / "chain.npz", built)
    read = tdcert.analyze(tmp_path / "chain.npz")
    assert read["arithmetic"] == "sparse" and read["A"] == tdcert.analyze(built)["A"]
    assert read["model"]["digest"] == tdcert.analyze(built, arithmetic="sparse")["model"]["digest"]
    for wrong, said in ((("float", 53), "no arithmetic 'float'"), (("exact", 99), "99 bits")):
        with pytest.raises(tdcert.InputError, match=said):
            tdcert.analyze(CHAIN, arithmetic=wrong[0], bits=wrong[1])


def arrays() -> dict[str, Any]:
    return {
        **CHAIN,
        "transitions": np.array([[0.5, 0.5], [1, 0]]),
        "features": np.array([[1.0], [2.0]]),
        "terminal": [],
    }


def sparse() -> tdcert.SparseModel:
    P = csr_array(np.array([[0.5, 0.5], [1, 0]]))
    return tdcert.SparseModel.reward_process(P, np.array([0.0, 1]), Fraction(9, 10), np.eye(2), Schedule((HALF,)))


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
@pytest.mark.parametrize(
    ("given", "options", "name"),
    [
        *by_default(
            0,
            [
                (arrays, {"schedule": "n_step:2", "arithmetic": "enclosed", "bits": 80}, "model.json"),
                (lambda: tdcert.load_model(CHAIN, discount="1/2"), {}, "model.json"),
                (lambda: tdcert.load_model(CHAIN).model, {"arithmetic": "exact"}, "model.json"),
                (sparse, {}, "model.npz"),
            ],
        ),
        (arrays, {"simulate": True, "updates": 100, "runs": 40, "seed": 3, "steps": "1/8"}, "model.json"),
    ],
    ids=["arrays, enclosed", "loaded", "model", "sparse", "arrays, simulated"],
)
def test_the_command_of_an_analysis_from_python_reproduces_it(
    given: Callable[[], Any], options: dict[str, Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is saved beside the report, and the command names it, with every option; it may write over the report
    that holds the model, which stays there.
    """
    monkeypatch.chdir(tmp_path)
    found = tdcert.analyze(given(), out="my report", **options)
    words = shlex.split(found["reproduce"])
    assert words[:3] == ["tdcert", "analyze", f"my report/{name}"]
    for _ in range(2):
        assert main([*words[1:], "--out", "my report"]) == 0
        again = json.loads(Path("my report/analysis.json").read_text())
        again.pop("checker")
        of_command = ("source", "reproduce", "replay", "model", "notes")
        assert {k: v for k, v in again.items() if k not in of_command} == {
            k: v for k, v in found.items() if k not in of_command
        }
        assert again["model"]["digest"] == found["model"]["digest"]
    assert tdcert.analyze(given(), **options)["reproduce"] is None


@pytest.mark.thorough
def test_the_command_of_a_file_has_all_options_and_no_report_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chain.json").write_text(json.dumps(CHAIN))
    found = tdcert.analyze(Path("chain.json"), discount="1/2", out="report")
    assert found["reproduce"] == "tdcert analyze chain.json --discount 1/2"
    with pytest.raises(tdcert.InputError, match=r"another model, 'chain.json'"):
        tdcert.analyze(CHAIN, discount="1/3", out="report")
    page = Path("report/index.html").read_text()
    assert found["reproduce"] in page and not Path("report/model.json").exists()


def test_a_model_inside_the_report_that_is_written_stays(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    for name in ("report/model.json", "report/other.json", "model.json"):
        (tmp_path / name).write_text("{}")
    folder = OutputFolder(tmp_path / "report")
    assert model_of_the_report(str(tmp_path / "report" / "model.json"), folder) == ("model.json", b"{}")
    for name in ("report/other.json", "model.json"):
        assert model_of_the_report(str(tmp_path / name), folder) is None
    assert model_of_the_report("gymnasium:FrozenLake-v1", folder) is None


def test_a_saved_model_reads_back(tmp_path: Path) -> None:
    """As an equal model, its name included."""
    loaded = tdcert.load_model({**CHAIN, "name": "two states", "schedule": {"equal_weights": [1, 3]}})
    for given in (loaded, LoadedSparse(sparse(), [], [], "built")):
        name, content = file_of(given)
        (tmp_path / name).write_bytes(content)
        again = tdcert.load_model(tmp_path / name)
        assert digest_of(again.model) == digest_of(given.model) and again.model.name == given.model.name


def test_dir_offers_the_public_names_alone() -> None:
    assert tdcert.theory  # rooms that are loaded are no part of the face
    assert [name for name in dir(tdcert) if not name.startswith("__")] == sorted({*tdcert.__all__} - {"__version__"})


@pytest.mark.parametrize("steps", [[0.1, 0.2], (10, 100, "3/4")])
def test_several_numbers_are_no_step(steps: Any) -> None:
    with pytest.raises(tdcert.InputError, match=r"steps holds \d numbers; give one constant step, or '[\d/,]+' for A/"):
        tdcert.analyze(CHAIN, what="verdict", steps=steps)
    assert tdcert.analyze(CHAIN, what="verdict", steps=[0.1]).steps.asked
