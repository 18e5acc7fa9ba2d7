"""``import tdcert``: the example of its docstring, and what it accepts and refuses."""

import doctest
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import tdcert
from tdcert.theory.files.npz import save_npz
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

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
    assert isinstance(loaded.model, Model)
    digests = {tdcert.analyze(given)["model"]["digest"] for given in (CHAIN, arrays, loaded, loaded.model)}
    assert digests == {loaded.model.digest}


def test_bad_input_is_one_sentence() -> None:
    for given in ({**CHAIN, "discount": object()}, {**CHAIN, "discount": float("nan")}, {}):
        with pytest.raises(tdcert.InputError) as caught:
            tdcert.analyze(given)
        assert "\n" not in str(caught.value)
    with pytest.raises(tdcert.InputError, match="already built"):
        tdcert.analyze(tdcert.load_model(CHAIN), discount="1/2")


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
