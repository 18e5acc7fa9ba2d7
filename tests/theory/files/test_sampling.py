"""How transitions come, as files, arrays and options say it: along a path, or drawn independently by a law."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import tdcert
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, Overrides, load_any
from tdcert.theory.files.limits import LARGEST_EXACT
from tdcert.theory.files.load import loads_model
from tdcert.theory.model.mdp import Model

F = Fraction
WALK: dict[str, Any] = {"P": [[0, 1], ["1/2", "1/2"]], "rewards": [1, 0], "discount": "9/10"}
STATIONARY = (F(1, 3), F(2, 3))


def read(model: Any = None, **parts: Any) -> Model:
    """The model that Python gives."""
    found = tdcert.load_model(model, **parts) if model is not None else tdcert.load_model(**WALK, **parts)
    assert isinstance(found, LoadedModel)
    return found.model


def law(model: Any = None, **parts: Any) -> tuple[Fraction, ...] | None:
    """Its sampling law."""
    sampling = read(model, **parts).sampling
    return None if sampling is None else sampling.column_entries()


def document(**more: Any) -> str:
    """A model file."""
    plain = {"transitions": WALK["P"], "rewards": [1, 0], "discount": "9/10"}
    return json.dumps({"format": "tdcert-model/1", **plain, **more})


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ({}, None),
        ({"sampling": "path"}, None),
        ({"sampling": "independent"}, STATIONARY),
        ({"sampling": "independent", "sampling_law": ["1/4", "3/4"]}, (F(1, 4), F(3, 4))),
        ({"sampling": "independent", "sampling_law": [3, 1]}, (F(3, 4), F(1, 4))),
        ({"sampling": "independent", "sampling_law": [0, 2]}, (F(0), F(1))),
    ],
)
def test_files_and_arrays_say_the_same(parts: dict[str, Any], wanted: Any) -> None:
    assert law(**parts) == wanted
    found = loads_model(document(**parts)).model
    assert (None if found.sampling is None else found.sampling.column_entries()) == wanted


def test_weights_are_a_file_an_array_or_a_text(tmp_path: Path) -> None:
    for name, content in (("w.json", "[[1], [3]]"), ("w.csv", "weight\n1\n3\n")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    np.save(tmp_path / "w.npy", np.array([0.25, 0.75]))
    files = [str(tmp_path / name) for name in ("w.json", "w.csv", "w.npy")]
    for weights in (np.array([0.25, 0.75]), np.array([[1], [3]]), "1,3", "1/4, 0.75", *files):
        assert law(sampling="independent", sampling_law=weights) == (F(1, 4), F(3, 4))


def test_that_weights_were_divided_is_said() -> None:
    for weights, notes in (([3, 1], ["sampling_law: the weights are divided by their sum, 4"]), (["3/4", "1/4"], [])):
        found = tdcert.load_model(**WALK, sampling="independent", sampling_law=weights)
        assert [note for note in found.notes if "weights" in note] == notes


def test_what_is_given_beside_a_model_comes_first(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.json"
    drawn.write_text(document(sampling="independent", sampling_law=[3, 1]), encoding="utf-8")
    assert law(drawn) == (F(3, 4), F(1, 4))
    assert law(drawn, sampling="path") is None
    assert law(drawn, sampling="independent") == (F(3, 4), F(1, 4))
    assert law(drawn, sampling_law=[1, 3]) == (F(1, 4), F(3, 4))
    assert law(read(), sampling="independent") == STATIONARY
    again = read(read(), sampling="independent", sampling_law=[1, 1])
    assert law(again) == law(again.canonical) == (F(1, 2), F(1, 2))
    beside = load_any(drawn, Overrides(sampling="independent", sampling_law="0,1")).model
    assert isinstance(beside, Model) and beside.classes == ((1,),)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"sampling": "iid"}, 'give "independent", or "path"'),
        ({"sampling": True}, 'give "independent", or "path"'),
        ({"sampling_law": [1, 1]}, 'give sampling "independent" too'),
        ({"sampling": "path", "sampling_law": [1, 1]}, 'give sampling "independent" too'),
        ({"sampling": "independent", "sampling_law": [1, 1, 1]}, "has 3 weights; give 2 numbers"),
        ({"sampling": "independent", "sampling_law": [[1, 0], [0, 1]]}, "has shape 2×2; give 2 numbers"),
        ({"sampling": "independent", "sampling_law": [[[1], [1]]]}, "has shape 1×2×1; give 2 numbers"),
        ({"sampling": "independent", "sampling_law": 1}, "is one number; give 2 numbers"),
        ({"sampling": "independent", "sampling_law": []}, "has no weights"),
        ({"sampling": "independent", "sampling_law": [2, -1]}, "holds -1"),
        ({"sampling": "independent", "sampling_law": [0, 0]}, "holds zeros alone"),
        ({"sampling": "independent", "sampling_law": "1,x"}, "'x' is not a finite number"),
    ],
)
def test_what_is_no_law_is_refused_in_a_sentence(parts: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError) as caught:
        tdcert.load_model(**WALK, **parts)
    assert why in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"sampling": None}, "sampling is None"),
        ({"sampling": "independent", "sampling_law": None}, "sampling_law is None"),
        ({"sampling": "independent", "sampling_law": "1,1"}, "sampling_law is the text '1,1'"),
        ({"sampling": "independent", "sampling_law": {"s0": 1}}, "sampling_law is a dict"),
        ({"sampling": "independent", "sampling_law": 1}, "sampling_law is the number '1'"),
    ],
)
def test_a_model_file_holds_its_law(more: dict[str, Any], why: str) -> None:
    """As its schema says: a text is no list of weights, nor the name of a file that another folder has otherwise."""
    with pytest.raises(InputError, match="or leave the key out") as caught:
        loads_model(document(**more))
    assert why in str(caught.value)


def test_a_law_of_an_environment_is_one_of_all_its_states() -> None:
    """State 2 is not reached; its row is left out as those of policies are, and must not be drawn."""
    table = {
        0: {0: [(1, 1, 0, False)]},
        1: {0: [(1, 0, 1, False)]},
        2: {0: [(1, 0, 0, False)]},
    }
    drawn = law(table, discount=0.5, start=0, sampling="independent", sampling_law=[3, 1, 0])
    assert drawn == (F(3, 4), F(1, 4))
    with pytest.raises(InputError, match="draws state 2, which cannot be reached"):
        law(table, discount=0.5, start=0, sampling="independent", sampling_law=[1, 1, 1])


def test_large_models_have_paths_alone(tmp_path: Path) -> None:
    n = LARGEST_EXACT + 1
    with pytest.raises(InputError, match="independent draws are not offered beyond"):
        tdcert.load_model(P=scipy.sparse.eye_array(n).tocsr(), rewards=0, discount=0.5, sampling="independent")
    with pytest.raises(InputError, match="independent draws are asked of models in exact numbers"):
        load_any(tmp_path / "model.npz", Overrides(sampling="independent"))
