"""``import tdcert``: the example of its docstring, and what it accepts and refuses."""

import doctest
from fractions import Fraction

import numpy as np
import pytest

import tdcert

CHAIN = {
    "format": "tdcert-model/1",
    "transitions": [["1/2", "1/2"], [1, 0]],
    "rewards": [0, 1],
    "discount": 0.9,
}


def test_the_example_runs() -> None:
    tested = doctest.testmod(tdcert)
    assert tested.attempted >= 3 and tested.failed == 0


def test_files_mappings_arrays_and_built_models_agree() -> None:
    arrays = {**CHAIN, "transitions": np.array([[0.5, 0.5], [1, 0]]), "discount": Fraction(9, 10)}
    loaded = tdcert.load_model(CHAIN)
    digests = {tdcert.analyze(given)["model"]["digest"] for given in (CHAIN, arrays, loaded, loaded.model)}
    assert digests == {loaded.model.digest}


def test_bad_input_is_one_sentence() -> None:
    for given in ({**CHAIN, "discount": object()}, {**CHAIN, "discount": float("nan")}, {}):
        with pytest.raises(tdcert.InputError) as caught:
            tdcert.analyze(given)
        assert "\n" not in str(caught.value)
    with pytest.raises(tdcert.InputError, match="already built"):
        tdcert.analyze(tdcert.load_model(CHAIN), discount="1/2")
