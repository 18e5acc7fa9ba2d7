"""The schemas that ship: one for each format, each can fail, and what the commands write is as they say."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tdcert import certify, conform_estimator, from_transitions
from tdcert.reports import cli, samples
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.conform import document as conformance
from tdcert.reports.earlier_formats import ANALYSIS, UPDATES
from tdcert.reports.samples import SamplesDocument
from tdcert.reports.schema import document_types
from tdcert.reports.verdict_files import verdict_files
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.sims.conformance.trial import put_on_trial
from tdcert.sims.estimators.contract import shipped
from tdcert.sims.estimators.contract import text_of as contract_text
from tdcert.sims.trials.elsewhere import ANSWERS, QUESTIONS
from tdcert.theory.document_types import plain
from tdcert.theory.files.npz import save_npz
from tdcert.theory.formal.record import read_record
from tdcert.theory.model.gallery import boyan_chain
from tdcert.theory.samples.ranges import ranges
from tdcert.theory.samples.verdict import verdicts
from tests.reports import sample
from tests.schemas import archive, faults, names, require, validator
from tests.sweeps.tiny import swept, tiny_spec

ROOT = Path(__file__).parents[2]


def test_each_format_that_is_documented_has_a_schema() -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8") + (ROOT / "docs" / "formal.md").read_text()
    text += (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    formats = set(re.findall(r"tdcert-[a-z-]+/[12]", text)) - {ANALYSIS, UPDATES}  # those of the last release
    formats -= {QUESTIONS, ANSWERS}  # files of lines, none of which is a document
    formats -= {"tdcert-set/1", "tdcert-around/1"}  # parts of certificates, whose schema has them
    assert formats == {"/".join(name.rsplit("-", 1)) for name in names()} and len(formats) == 15
    for name in names():
        assert validator(name).schema["$id"] == f"urn:tdcert:{name}"


def transitions() -> SamplesDocument:
    """What a few transitions of two states show."""
    found = from_transitions(
        [0, 1] * 200, [0] * 400, [1] * 400, [1, 0] * 200, n_states=2, n_actions=1, delta=0.1, discount=0.5,
        behaviour="uniform", reward_range=[0, 1],
    )  # fmt: skip
    said = verdicts(found)
    return samples.document(
        samples.Answered(
            found=found, transitions=400, verdicts=said, ranges=ranges(found), estimates=(None,) * len(said), command=""
        )
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """A document of each format."""
    folder = tmp_path_factory.mktemp("written")
    done = swept(folder / "sweep", tiny_spec(figure=True))
    from tdcert.analysis.choose_arithmetic import in_floats
    from tdcert.reports.sweep_page import sweep_document

    save_npz(folder / "chain.npz", in_floats(boyan_chain()))
    late = put_on_trial(str(ROOT / "examples" / "conformance" / "broken.py") + ":LateReward", "td")
    estimator = conform_estimator(
        str(ROOT / "examples" / "estimators" / "ppo.py") + ":wrong_flag", estimator="gae", contract="cleanrl-done"
    )
    documents = [
        estimator,
        tomllib.loads(contract_text("cleanrl-done")),
        dict(boyan_chain().canonical),
        archive(folder / "chain.npz"),
        analysis_document(sample.analysis()),
        verdicts_document(sample.run()),
        json.loads(verdict_files(sample.run(), {})["verdicts/prop_4_1.json"]),
        sample.certificate(),
        certify(boyan_chain(), algorithm="td", steps="20,200", within="10", probability="1/2").to_dict(),
        plain(conformance(late, 60.0)),
        plain(transitions()),
        dict(read_record().document()),
        dict(done.spec.document()),
        json.loads((folder / "sweep" / "manifest.json").read_text()),
        sweep_document(done),
    ]
    read: list[dict[str, Any]] = json.loads(json.dumps(documents))
    return {document["format"].replace("/", "-"): document for document in read}


@pytest.mark.thorough
def test_what_is_written_is_as_the_schemas_say(written: dict[str, dict[str, Any]]) -> None:
    assert sorted(written) == names()
    for document in written.values():
        require(document)


@pytest.mark.thorough
@pytest.mark.parametrize("name", names())
def test_without_any_one_of_its_keys_a_document_is_refused(name: str, written: dict[str, dict[str, Any]]) -> None:
    for key in validator(name).schema["required"]:
        less = {k: value for k, value in written[name].items() if k != key or k == "format"}
        if key == "format":
            less["format"] = written[name]["format"] + "0"
            assert list(validator(name).iter_errors(less)), "another format"
        else:
            assert any(repr(key) in fault for fault in faults(less)), key


def changes(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The document with one word of each enumeration replaced by one that does not exist."""
    for keys in CHANGED.get(document["format"], ()):
        changed = copy.deepcopy(document)
        place: Any = changed
        for key in keys[:-1]:
            place = place[key]
        assert keys[-1] in place if isinstance(place, dict) else place[keys[-1]] is not None
        place[keys[-1]] = "unheard of"
        yield changed


CHANGED: dict[str, list[tuple[Any, ...]]] = {
    "tdcert-analysis/2": [
        ("claims", 0, "status"),
        ("claims", 0, "grade"),
        ("arithmetic",),
        ("answer", 0, "converges"),
        ("algorithms", 1, "mean_dynamics", "verdict"),
        ("algorithms", 1, "mean_dynamics", "rate", "upper"),
        ("algorithms", 0, "memory", "mean"),
        ("algorithms", 0, "parameters", "theta", 0),
        ("stationary", 0),
        ("A", 0, 0),
        ("model", "digest"),
        ("figures", 0, "kind"),
    ],
    "tdcert-verdicts/1": [
        ("claims", 3, "stated", "status"),
        ("claims", 3, "stated", "scopes", 0, "scope"),
        ("claims", 3, "stated", "scopes", 0, "grade"),
        ("claims", 3, "finding"),
        ("claims", 3, "hypotheses", 0, "needed"),
        ("claims", 3, "hypotheses", 0, "counterexample", "model", "discount"),
        ("figures", 1, "columns", 0),
        ("profile",),
    ],
    "tdcert-verdict/1": [("claim", "stated", "status"), ("claim", "finding"), ("paper", "text")],
    "tdcert-certificate/1": [("digest",), ("model", "transitions", "only", 0, 0), ("kind",)],
    "tdcert-conformance/1": [
        ("schedules",),
        ("properties", 0, "status"),
        ("failure", "difference", "kind"),
        ("failure", "difference", "found", 0),
    ],
    "tdcert-estimator-contract/1": [("axes",), ("truncation",), ("gae", "arguments", "rewards")],
    "tdcert-estimator-trial/1": [
        ("grade",),
        ("contracts", 0, "axes"),
        ("contracts", 0, "properties", 0, "status"),
        ("contracts", 0, "failure", "difference", "right"),
    ],
    "tdcert-certify/1": [("model", "digest"), ("theta_star", 0), ("ever_after",), ("grade",)],
    "tdcert-samples/1": [("delta",), ("verdicts", 0, "answer"), ("theta_star", 0, 0), ("verdicts", 1, "grade")],
    "tdcert-proofs/1": [("theorems", 0, "reading"), ("digest",)],
    "tdcert-model/1": [("transitions", "only", 0, 0), ("schedule",)],
    "tdcert-model-npz/1": [("rewards", 0)],
    "tdcert-sweep/1": [("kind",), ("seed",), ("tiny",)],
    "tdcert-sweep-manifest/1": [("complete",), ("shards", 0, "sha256"), ("spec", "kind")],
    "tdcert-sweep-result/1": [("indices", "done"), ("answer", "tables", 0, "rows", 0), ("figures", 0, "series")],
}
"""By format: places whose value a schema knows."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", names())
def test_a_word_or_a_number_that_does_not_exist_is_refused(name: str, written: dict[str, dict[str, Any]]) -> None:
    changed = list(changes(written[name]))
    assert len(changed) == len(CHANGED[written[name]["format"]]) > 0
    for document in changed:
        assert faults(document) != []


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a document: every key, and the first two entries of every list."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(min(len(value), 2)):
            yield from places(value[index], (*path, index))


def changed_at(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


OF_ANY_FORM = {
    ("tdcert-analysis/2", "claims", "witness"),
    ("tdcert-analysis/2", "warnings", "numbers"),
    ("tdcert-verdicts/1", "claims", "stated", "witness"),
    ("tdcert-verdicts/1", "claims", "corrected", "witness"),
    ("tdcert-verdicts/1", "claims", "hypotheses", "counterexample", "witness"),
    ("tdcert-verdict/1", "claim", "stated", "witness"),
    ("tdcert-verdict/1", "claim", "corrected", "witness"),
    ("tdcert-verdict/1", "claim", "hypotheses", "counterexample", "witness"),
    ("tdcert-certificate/1", "about"),
    ("tdcert-certificate/1", "witness"),
    ("tdcert-sweep/1", "tiny"),
    ("tdcert-sweep-manifest/1", "spec", "tiny"),
    ("tdcert-sweep-result/1", "spec", "tiny"),
}
"""Places, by their keys from the format on, that hold what the schema does not describe."""
OPEN = {
    ("tdcert-sweep/1",),
    ("tdcert-sweep-manifest/1", "spec"),
    ("tdcert-sweep-result/1", "spec"),
    ("tdcert-sweep-result/1", "answer"),
}
"""Objects that may have other tables."""


def brief(document: dict[str, Any]) -> dict[str, Any]:
    """Of the record of the proofs some of its hundreds of theorems, words and files, which are alike; others whole."""
    if document["format"] != "tdcert-proofs/1":
        return document
    few = {key: value[:2] for key, value in document.items() if isinstance(value, list)}
    return document | few | {k: dict(list(v.items())[:3]) for k, v in document.items() if isinstance(v, dict)}


@pytest.mark.thorough
@pytest.mark.parametrize("name", [format_.replace("/", "-") for format_ in document_types()])
def test_at_no_place_is_another_type_or_key_taken(name: str, written: dict[str, dict[str, Any]]) -> None:
    document = brief(written[name])
    assert validator(name).is_valid(document)
    for path in places(document):
        keys = (document["format"], *(key for key in path if isinstance(key, str)))
        if any(keys[: len(place)] == place for place in OF_ANY_FORM):
            continue
        strange: Any = {"unheard of": [[None]]}
        if path:
            assert not validator(name).is_valid(changed_at(document, path, strange)), path
        place: Any = document
        for key in path:
            place = place[key]
        if isinstance(place, dict):
            strange = 0 if keys in OPEN else strange
            assert not validator(name).is_valid(changed_at(document, (*path, "unheard of"), strange)), path


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
def test_the_commands_write_what_the_schemas_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the file, not only before it is written: side files and the checker's answer included."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tdcert.reports.documents.LARGEST_INLINE", 3)
    assert cli.main(["analyze", str(ROOT / "examples" / "boyan_chain.json"), "--out", "report"]) == 0
    for path in Path("report").rglob("*.json"):
        if path.parent.name != "matrices":
            require(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.json")), ids=lambda path: path.stem)
def test_shipped_documents(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(document, dict) and "format" in document:
        require(document)


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "sweeps").glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_sweeps(path: Path) -> None:
    require(tomllib.loads(path.read_text(encoding="utf-8"), parse_float=str))


def test_every_contract_that_ships_is_as_the_schema_says() -> None:
    for name in shipped():
        require(tomllib.loads(contract_text(name)))
