"""JSON Schemas of the documents, made from the frozen dataclasses that hold them; ``make schemas`` writes ``schemas/``.

msgspec derives the form of every field from its type. Added here: what a class and its fields say of themselves, that
a key is required unless it is ``UNSET`` where it is absent, and that no other keys are allowed. (cattrs makes no
schemas, and pydantic takes 70 ms to import where msgspec takes 10.)
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec import NODEFAULT
from msgspec.inspect import DataclassType, Field, Metadata, StructType, TypedDictType, type_info

from tdcert.theory.document_types import ONE_OF

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parent / "schemas"
Schema = dict[str, Any]
OTHER_KEYS: Mapping[str, Schema | bool] = {
    "SpecDocument": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]},
    "AnswerDocument": {"type": "array", "items": {"type": "object"}},
}
"""Classes whose documents may have other keys, and what these hold."""
OBJECTS = (DataclassType, StructType, TypedDictType)


def document_types() -> Mapping[str, type]:
    """The dataclass of each format."""
    from tdcert.reports import analysis_document, certify, conform, estimators, samples, verdict_files, verdicts_json
    from tdcert.sims.estimators import contract
    from tdcert.sims.estimators.contract_document import contract_file
    from tdcert.theory.certificate.envelope import CertificateFile
    from tdcert.theory.files import model_file, npz
    from tdcert.theory.files.model_document import ModelArchive, ModelFile
    from tdcert.theory.formal import record

    return {
        analysis_document.FORMAT: analysis_document.AnalysisDocument,
        certify.FORMAT: certify.CertifyDocument,
        conform.FORMAT: conform.ConformanceDocument,
        estimators.FORMAT: estimators.EstimatorDocument,
        samples.FORMAT: samples.SamplesDocument,
        verdict_files.FORMAT: verdict_files.VerdictFile,
        verdicts_json.FORMAT: verdicts_json.VerdictsDocument,
        record.FORMAT: record.RecordDocument,
        "tdcert-certificate/1": CertificateFile,
        model_file.FORMAT: ModelFile,
        npz.FORMAT: ModelArchive,
        contract.FORMAT: contract_file(),
        **_of_sweeps(),
    }


def _of_sweeps() -> Mapping[str, type]:
    """The documents that the extra ``sweep`` writes; there are none where it is not installed."""
    try:
        from tdcert.reports import sweep_page
        from tdcert.sweeps import folder, spec
    except ImportError:
        return {}
    return {
        spec.FORMAT: spec.SpecDocument,
        folder.FORMAT: folder.Manifest,
        sweep_page.FORMAT: sweep_page.SweepDocument,
    }


def schema_of(format_: str, document: type) -> Schema:
    """The JSON Schema (draft 2020-12) of a format whose documents are of this dataclass.

    Raises :class:`TypeError` for a field of a type that has no schema.
    """
    name = format_.replace("/", "-")
    types = [document, *_alternatives(document)]
    classes = {name: class_ for one in types for name, class_ in _classes(one).items()}
    (root, *_), components = msgspec.json.schema_components(types, schema_hook=_of_other_types)
    for key, component in components.items():
        if key in classes:
            _close(component, classes[key])
    components = {key: _all_alike(component) for key, component in components.items()}
    top = components.pop(document.__name__)
    assert root == {"$ref": f"#/$defs/{document.__name__}"}
    return {"$schema": DIALECT, "$id": f"urn:tdcert:{name}", **top, "$defs": components}


def schema_text(format_: str) -> str:
    """The file of a format's schema: a line for each key, and for each type that it defines."""
    schema = schema_of(format_, document_types()[format_])
    return "{\n" + ",\n".join(_lines(key, schema[key]) for key in schema) + "\n}\n"


def _lines(key: str, value: Any) -> str:
    if key not in ("properties", "$defs") or not value:
        return f" {json.dumps(key)}: {json.dumps(value)}"
    inside = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value[name])}" for name in value)
    return f" {json.dumps(key)}: {{\n{inside}\n }}"


def _of_other_types(type_: type) -> Schema:
    if type_ is object:
        return {"title": "Any value"}
    if type_ is Fraction:
        return {"type": "string", "pattern": r"^-?\d+(/[1-9]\d*)?$"}
    raise TypeError(f"{type_} has no schema")


def _close(component: Schema, class_: type) -> None:
    """Adds to a class's schema what msgspec does not say: requirements, closedness and descriptions."""
    info = type_info(class_)
    assert isinstance(info, OBJECTS)
    if class_.__name__ == "ModelArchive":
        _name_actions(component)
    said = _descriptions(class_)
    if "description" in component:
        component["description"] = _line(component["description"])
    tag = [info.tag_field] if isinstance(info, StructType) and info.tag_field else []
    component["required"] = tag + [f.encode_name for f in info.fields if f.required or _has_default(f)]
    component["additionalProperties"] = OTHER_KEYS.get(class_.__name__, False)
    for field in info.fields:
        form = component["properties"][field.encode_name]
        form.pop("default", None)
        if field.name in said:
            form["description"] = said[field.name]


def _classes(top: type) -> dict[str, type]:
    """The dataclasses that a document is made of, by name. Raises :class:`TypeError` where two have one name."""
    found: dict[str, type] = {}

    def walk(node: object) -> None:
        if isinstance(node, OBJECTS):
            if found.setdefault(node.cls.__name__, node.cls) is not node.cls:
                raise TypeError(f"two parts of {top.__name__} are called {node.cls.__name__}")
            if node.cls in walked:
                return
            walked.add(node.cls)
        for part in _parts(node):
            walk(part)

    walked: set[type] = set()
    walk(type_info(top))
    return found


def _alternatives(document: type) -> list[type]:
    """The types that a field of the document is one of (:func:`~tdcert.theory.document_types.one_of`)."""
    info = type_info(document)
    assert isinstance(info, OBJECTS)
    fields = (field.type for field in info.fields)
    return [type_ for one in fields if isinstance(one, Metadata) for type_ in (one.extra or {}).get(ONE_OF, ())]


def _parts(node: object) -> list[object]:
    """The types inside a type, as msgspec describes it."""
    if isinstance(node, OBJECTS):
        return [field.type for field in node.fields]
    inside: list[object] = []
    for name in getattr(node, "__struct_fields__", ()):
        value = getattr(node, name)
        inside += value if isinstance(value, tuple) else [value]
    return [part for part in inside if isinstance(part, msgspec.inspect.Type)]


def _name_actions(archive: Schema) -> None:
    """Arrays of transitions for each action, by their number, beside those of a single action."""
    found = {key: form for key, form in archive["properties"].items() if key.startswith("transitions")}
    archive["patternProperties"] = {key.replace("transitions", r"^transitions_\d+") + "$": found[key] for key in found}
    sparse = ["transitions_data", "transitions_indices", "transitions_indptr"]
    archive["anyOf"] = [{"required": keys} for keys in (["transitions"], sparse, ["actions"])]


def _has_default(field: Field) -> bool:
    """Whether it is always written; no default is reported for one that is ``UNSET`` where it is absent."""
    return field.default is not NODEFAULT or field.default_factory is not NODEFAULT


def _all_alike(schema: Any) -> Any:
    """A schema in which lists that are :data:`~tdcert.theory.document_types.ALIKE` are lists of one type or another."""
    if isinstance(schema, list):
        return [_all_alike(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("alike") is True:
        rest = {key: value for key, value in schema.items() if key not in ("alike", "items")}
        lists = [form for form in schema["items"]["anyOf"] if form.get("type") == "array"]
        others = [form for form in schema["items"]["anyOf"] if form not in lists]
        return {"anyOf": [{**rest, "items": f[0] if len(f) == 1 else {"anyOf": f}} for f in (others, lists)]}
    return {key: _all_alike(value) for key, value in schema.items()}


@cache
def _descriptions(class_: type) -> dict[str, str]:
    """What is written under the fields of a class and of those that it extends, by name."""
    found: dict[str, str] = {}
    for owner in reversed(class_.__mro__[:-1]):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError):
            continue
        assert isinstance(tree.body[0], ast.ClassDef)
        body = tree.body[0].body
        for field, text in pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                assert isinstance(field.target, ast.Name)
                found[field.target.id] = _line(str(text.value.value))
    return found


def _line(docstring: str) -> str:
    return inspect.cleandoc(docstring).replace("\n", " ").replace("``", "`")


def main() -> None:
    """Writes the schema of each format into the package's ``schemas/``."""
    for format_ in document_types():
        (FOLDER / f"{format_.replace('/', '-')}.json").write_text(schema_text(format_), encoding="ascii")


if __name__ == "__main__":
    main()
