"""Schemas follow from dataclasses: what is required, what is closed, what is said, and that the files are current."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from typing import Annotated, Literal

import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import fields

from tdcert.reports import schema
from tdcert.sims.estimators import contract
from tdcert.sims.estimators.contract_document import contract_file
from tdcert.theory.document_types import UNSET, Count, Digest, Number, Rational, UnsetType, plain
from tdcert.theory.files import model_file
from tdcert.theory.files.model_document import ModelFile
from tdcert.theory.model.estimators import FORWARD


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part
    of two lines.
    """

    exact: Fraction
    """``p/q``, or
    an integer."""
    number: Number | None
    extra: Count | UnsetType = UNSET


@dataclass(frozen=True, kw_only=True)
class Whole:
    format: Literal["tdcert-whole/1"] = "tdcert-whole/1"
    parts: tuple[Part, ...]
    named: dict[str, Part]
    digest: Digest | None = None


@dataclass(frozen=True)
class PartOfNumbers:
    x: complex


class Renamed(msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    class_: Annotated[str, msgspec.Meta(min_length=1)]
    """What it is."""


PART = Part(exact=Fraction(1, 2), number="0.25 +/- 1e-17")
WHOLE = Whole(parts=(PART, Part(exact=Fraction(3), number=None, extra=0)), named={"x": PART})


def test_a_document_is_written_in_the_order_of_its_fields() -> None:
    found = plain(WHOLE)
    assert list(found) == ["format", "parts", "named", "digest"]
    assert found["named"] == {"x": {"exact": "1/2", "number": "0.25 +/- 1e-17"}}
    assert found["parts"][1] == {"exact": "3", "number": None, "extra": 0}
    with pytest.raises(TypeError, match="a document holds complex, which has no form in JSON"):
        plain(PartOfNumbers(1j))


def test_a_schema_is_closed_and_requires_every_key_that_may_not_be_left_out() -> None:
    found = schema.schema_of("tdcert-whole/1", Whole)
    Draft202012Validator.check_schema(found)
    assert found["$id"] == "urn:tdcert:tdcert-whole-1"
    assert sorted(found["required"]) == ["digest", "format", "named", "parts"]
    part = found["$defs"]["Part"]
    assert sorted(part["required"]) == ["exact", "number"]
    assert sorted(part["properties"]) == ["exact", "extra", "number"]
    assert part["description"] == "A part of two lines."
    assert part["properties"]["exact"]["description"] == "`p/q`, or an integer."
    renamed = schema.schema_of("tdcert-renamed/1", Renamed)
    assert renamed["required"] == ["class"] and renamed["properties"]["class"]["description"] == "What it is."


@pytest.mark.parametrize(
    "change",
    [
        {"format": "tdcert-whole/2"},
        {"more": 1},
        {"digest": "0" * 63},
        {"parts": {}},
        {"parts": [{"exact": "1/2"}]},
        {"parts": [{"exact": "1/0", "number": None}]},
        {"parts": [{"exact": 0.5, "number": None}]},
        {"parts": [{"exact": "1", "number": "about 1"}]},
        {"parts": [{"exact": "1", "number": None, "extra": -1}]},
        {"parts": [{"exact": "1", "number": None, "extra": None}]},
        {"named": {"x": {"exact": "1", "number": None, "another": 1}}},
    ],
)
def test_a_schema_refuses_what_is_wrong(change: dict[str, object]) -> None:
    validator = Draft202012Validator(schema.schema_of("tdcert-whole/1", Whole))
    right = msgspec.json.decode(msgspec.json.encode(plain(WHOLE)))
    assert validator.is_valid(right) and not validator.is_valid({**right, **change})
    for key in right:
        assert not validator.is_valid({k: value for k, value in right.items() if k != key})


def test_two_parts_with_one_name_and_fields_without_a_form_are_refused() -> None:
    both = make_dataclass("Both", [("a", Part), ("b", make_dataclass("Part", [("x", int)]))])
    with pytest.raises(TypeError, match="two parts of Both are called Part"):
        schema.schema_of("tdcert-both/1", both)
    odd = make_dataclass("Odd", [("x", complex)])
    with pytest.raises(TypeError, match="complex"):
        schema.schema_of("tdcert-odd/1", odd)


@pytest.mark.parametrize("format_", schema.document_types())
def test_the_files_are_current(format_: str) -> None:
    file = schema.FOLDER / f"{format_.replace('/', '-')}.json"
    assert file.read_text("ascii") == schema.schema_text(format_), "run make schemas"


def test_readers_know_the_keys_of_their_schemas() -> None:
    assert set(model_file._KEYS) == set(ModelFile.__annotations__)
    assert set(contract.COMMON) | set(FORWARD) == {field.encode_name for field in fields(contract_file())}


def test_rationals_and_balls_are_told_from_other_texts() -> None:
    @dataclass(frozen=True)
    class Numbers:
        exact: Rational
        number: Number

    validator = Draft202012Validator(schema.schema_of("tdcert-numbers/1", Numbers))
    for exact in ("0", "-1/2", "10/3"):
        assert validator.is_valid({"exact": exact, "number": exact})
    for exact in ("", "1/", "/2", "1/0", "0.5", "1 +/- 2"):
        assert not validator.is_valid({"exact": exact, "number": "1"}), exact
    for number in ("0.25", "-1.5e-17", "0.25 +/- 1.22e-17", "1/3"):
        assert validator.is_valid({"exact": "1", "number": number}), number
    for number in ("", "nan", "+/- 1", "0.25 +/-", "one"):
        assert not validator.is_valid({"exact": "1", "number": number}), number


@pytest.mark.thorough
def test_memory_is_as_it_was_when_all_are_made() -> None:
    """A union of a text with msgspec's own pattern and a list ends in a segmentation fault here."""
    code = "from tdcert.reports import schema; [schema.schema_text(name) for name in schema.document_types()]"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONMALLOC": "debug"})


@pytest.mark.thorough
def test_help_does_not_import_it() -> None:
    code = "import sys; from tdcert.reports import cli; cli.main(['--help']); assert 'msgspec' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
