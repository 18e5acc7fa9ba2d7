"""Archives: what is read is what was written, and what is wrong is told in one sentence before work starts."""

from __future__ import annotations

import struct
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files.npz import load_npz, memory_estimate, save_npz
from tdcert.theory.files.overrides import OverrideError, Overrides
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.sparse_model import SparseModel

P = csr_array(np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]]))
THIRDS = np.array([0.1, 0.2, 0.3, 0.4]) / np.array([0.1, 0.2, 0.3, 0.4]).sum()


def arrays(**changes: Any) -> dict[str, Any]:
    """A valid archive with changes; None leaves an array out."""
    valid: dict[str, Any] = {
        "format": "tdcert-model-npz/1",
        "transitions_data": P.data,
        "transitions_indices": P.indices,
        "transitions_indptr": P.indptr,
        "rewards": np.array([1.0, -2.0, 0.5]),
        "discount": "9/10",
        "features": np.array([[1.0], [2.0], [0.5]]),
    }
    return {key: value for key, value in {**valid, **changes}.items() if value is not None}


def dense(matrix: Any) -> dict[str, Any]:
    return arrays(transitions=matrix, transitions_data=None, transitions_indices=None, transitions_indptr=None)


def written(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "model.npz"
    np.savez(path, **content)
    return path


def test_sparse_and_dense_archives_are_the_same_exact_model(tmp_path: Path) -> None:
    sparse = load_npz(written(tmp_path, arrays()))
    same = load_npz(written(tmp_path, dense(P.toarray())))
    assert sparse.model.exact() == same.model.exact() or sparse.model.exact().digest == same.model.exact().digest
    assert sparse.model.discount == Fraction(9, 10) and sparse.model.schedule == Schedule()
    assert sparse.defaults_used == ["behaviour = target = the only action", 'schedule = {"n_step": 1}']


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    policy = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    model = SparseModel(
        ("left", "right"),
        (P, csr_array(np.eye(3))),
        np.arange(6.0).reshape(3, 2),
        np.array([0.5, 0.0, 1.0]),
        policy,
        np.full((3, 2), 0.5),
        np.eye(3)[:, :2],
        Schedule((Fraction(1, 3), Fraction(1))),
        "two ways",
    )
    save_npz(tmp_path / "two.npz", model)
    assert load_npz(tmp_path / "two.npz").model.exact().canonical == model.exact().canonical
    changed = load_npz(tmp_path / "two.npz", Overrides(discount="1/2", schedule="n_step:3", target="uniform")).model
    assert changed.schedule == Schedule.n_step(3) and list(np.asarray(changed.discount)) == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("schedule", [LambdaByState([Fraction(1), Fraction(1, 3), Fraction(0)]), Schedule.n_step(3)])
def test_lambda_and_interest_by_state_are_saved_and_read(tmp_path: Path, schedule: Schedule) -> None:
    interest = Fraction(1, 3), Fraction(0), Fraction(1)
    model = replace(load_npz(written(tmp_path, arrays())).model, schedule=schedule, interest=interest)
    save_npz(tmp_path / "own.npz", model)
    again = load_npz(tmp_path / "own.npz").model
    assert (again.schedule, again.interest) == (schedule, interest)
    assert again.exact().canonical == model.exact().canonical
    assert load_npz(tmp_path / "own.npz", Overrides(interest="2,1,1/7")).model.interest == (2, 1, Fraction(1, 7))


def test_an_interest_in_floats_is_the_binary_fractions(tmp_path: Path) -> None:
    found = load_npz(written(tmp_path, arrays(interest=np.array([0.1, 0.0, 2.0])))).model.interest
    assert found == (Fraction(0.1), 0, 2)


def test_an_interest_beside_an_archive_that_fits_no_state_names_no_file(tmp_path: Path) -> None:
    with pytest.raises(OverrideError, match="interest has 2 weights; give 3 numbers, one for each state"):
        load_npz(written(tmp_path, arrays()), Overrides(interest="1,2"))


def test_rows_of_rounded_quotients_are_accepted_and_divided_exactly(tmp_path: Path) -> None:
    matrix = np.tile(THIRDS, (4, 1))
    exact = load_npz(
        written(tmp_path, dense(matrix) | {"rewards": np.zeros(4), "features": np.ones((4, 1))})
    ).model.exact()
    assert all(sum(row) == 1 for row in exact.transitions[0].rows)
    total = sum(map(Fraction, THIRDS.tolist()))
    assert exact.transitions[0][0, 3] == Fraction(float(THIRDS[3])) / total


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": "other"}, "give format='tdcert-model-npz/1'"),
        ({"rewards": None}, "'rewards' is missing"),
        ({"colour": np.ones(3)}, "unknown array 'colour'"),
        ({"transitions_data": np.array([0.5, np.nan, 0.25, 0.75, 1.0])}, "transitions has nan in row s0, column 1"),
        ({"transitions_data": np.array([0.5, np.inf, 0.25, 0.75, 1.0])}, "transitions has inf in row s0, column 1"),
        ({"transitions_data": np.array([1.5, -0.5, 0.25, 0.75, 1.0])}, "negative entry -0.5 in row s0, column 1"),
        ({"transitions_data": np.array([0.5, 0.5, 0.25, 0.75 + 1e-14, 1.0])}, "row s1 of transitions sums to 1.00"),
        ({"transitions_indices": np.array([1, 0, 1, 2, 0])}, "row s0 of transitions is not sorted at column 0"),
        ({"transitions_indices": np.array([0, 0, 1, 2, 0])}, "row s0 of transitions repeats column 0"),
        ({"transitions_indices": np.array([0, 1, 1, 3, 0])}, "has the column 3"),
        ({"transitions_indices": np.array([0.0, 1, 1, 2, 0])}, "give integers"),
        ({"transitions_indptr": np.array([0, 2, 4, 6])}, "do not fit together"),
        ({"transitions_indptr": np.array([0, 2, 5])}, "give columns from 0 to 1, for 2 rows"),
        ({"transitions": np.eye(3)}, "both dense and sparse"),
        ({"discount": 1.5}, "discount is 1.5"),
        ({"discount": "3/2"}, "discount is '3/2'"),
        ({"discount": None}, "'discount' is missing"),
        ({"features": np.ones((2, 1))}, "features has shape 2×1; give 3 rows"),
        ({"features": np.array([[1.0], [np.inf], [0.0]])}, "features has inf as entry s1, 0"),
        ({"features": np.array([["a"], ["b"], ["c"]])}, "give numbers"),
        ({"rewards": np.ones(4)}, "rewards has shape 4"),
        ({"lambdas": np.array([0.5, 1.5])}, "λ_2 in lambdas is 1.5"),
        ({"schedule": "n_step:x"}, "schedule"),
        ({"target": np.ones((3, 1))}, "target is given without behaviour"),
        ({"behaviour": np.full((3, 1), 0.5)}, "row s0 of behaviour sums to 0.5"),
        ({"interest": np.array([1.0, 2.0])}, "interest has 2 weights; give 3 numbers, one for each state"),
        ({"interest": np.array([1.0, np.nan, 2.0])}, "interest"),
        ({"interest": "1,-1/2,0"}, "interest holds -1/2 (about -0.5); give weights that are"),
    ],
)
def test_every_mistake_is_one_sentence(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        load_npz(written(tmp_path, arrays(**changes)))
    message = str(caught.value)
    assert sentence in message and "\n" not in message and "model.npz" in message


def test_shapes_that_are_not_square_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="transitions has shape 2×3; give a square matrix"):
        load_npz(written(tmp_path, dense(np.full((2, 3), 1 / 3))))


def test_pickled_objects_and_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rewards"):
        load_npz(written(tmp_path, arrays(rewards=np.array([{}, {}, {}], dtype=object))))
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(InputError, match="is not a NumPy archive"):
        load_npz(tmp_path / "text.npz")
    with pytest.raises(InputError, match="does not exist"):
        load_npz(tmp_path / "absent.npz")


def test_models_beyond_the_memory_are_refused_from_their_headers(tmp_path: Path) -> None:
    # Headers that promise 10⁶ states, 10⁹ transitions and 500 features, with no data behind them.
    path = tmp_path / "huge.npz"
    shapes = {"transitions_data": 10**9, "transitions_indices": 10**9, "transitions_indptr": 10**6 + 1}
    with zipfile.ZipFile(path, "w") as archive:
        for key, shape in {**shapes, "features": (10**6, 500), "rewards": 10**6, "discount": ()}.items():
            header = str(
                {
                    "descr": "<f8",
                    "fortran_order": False,
                    "shape": shape if shape == () or isinstance(shape, tuple) else (shape,),
                }
            )
            text = header.encode() + b" " * (63 - (len(header) + 10) % 64) + b"\n"
            archive.writestr(f"{key}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
        np.save(tmp_path / "format.npy", "tdcert-model-npz/1")
        archive.write(tmp_path / "format.npy", "format.npy")
    # 2·(12·10⁹ + 8·10⁶) + 8·10⁶·(500 + 6·16 + 90 + 4) bytes
    with pytest.raises(InputError, match=r"takes about 27.5 GiB, and 4.0 GiB are there") as caught:
        load_npz(path, memory=4 * 2**30)
    assert "1000000 states" in str(caught.value)
    assert memory_estimate(10**6, 10**7, 50, 1) < 4 * 2**30  # the size the suite is made for


def test_large_models_need_features(tmp_path: Path) -> None:
    n = 2001
    content = {
        "transitions_data": np.ones(n),
        "transitions_indices": np.arange(n),
        "transitions_indptr": np.arange(n + 1),
    }
    with pytest.raises(InputError, match="tabular features of 2001 states"):
        load_npz(written(tmp_path, arrays(**content, rewards=np.zeros(n), features=None)))


def fractions(**changes: Any) -> dict[str, Any]:
    """Two states and two actions, every array of integers with denominators beside it."""
    valid: dict[str, Any] = {
        "format": "tdcert-model-npz/1",
        "actions": ["left", "right"],
        "transitions_0_data": np.array([1, 2, 4]),
        "transitions_0_data_denominator": np.array([3, 3, 4]),
        "transitions_0_indices": np.array([0, 1, 0]),
        "transitions_0_indptr": np.array([0, 2, 3]),
        "transitions_1": np.array([[0, 7], [3, 4]]),
        "transitions_1_denominator": 7,
        "rewards": np.array([[1, -2], [2**62 + 1, 5]]),
        "rewards_denominator": np.array([[3, 7], [2**62 + 3, 1]]),
        "discount": np.array([1, 2**60 - 1]),
        "discount_denominator": np.array([3, 2**60]),
        "behaviour": np.array([[1, 2], [2, 1]]),
        "behaviour_denominator": 3,
        "features": np.array([[1, 0], [1, 1]]),
        "features_denominator": np.array([[3, 1], [7, 11]]),
        "lambdas": np.array([1, 2]),
        "lambdas_denominator": 3,
    }
    return {key: value for key, value in {**valid, **changes}.items() if value is not None}


def test_fractions_are_read_exactly_rounded_once_and_saved(tmp_path: Path) -> None:
    model = load_npz(written(tmp_path, fractions())).model
    third, exact = Fraction(1, 3), model.exact()
    assert exact.transitions[0] == RationalMatrix([[third, 2 * third], [1, 0]])
    assert exact.transitions[1] == RationalMatrix([[0, 1], [Fraction(3, 7), Fraction(4, 7)]])
    assert exact.rewards[0].rows == ((third,), (Fraction(2**62 + 1, 2**62 + 3),)) and exact.rewards[1][
        0, 0
    ] == -2 / Fraction(7)
    assert exact.features == RationalMatrix([[third, 0], [Fraction(1, 7), Fraction(1, 11)]])
    assert exact.schedule == Schedule((third, 2 * third)) and model.is_on_policy and exact.is_on_policy
    assert [row[0] for row in exact.discounts[0].rows] == [third, 1 - Fraction(1, 2**60)]
    assert list(np.asarray(model.discount)) == [1 / 3, 1.0] and model.gamma is None and model.largest_discount == 1
    assert model.rewards[0, 0] == 1 / 3 and model.rewards[1, 0] == float(Fraction(2**62 + 1, 2**62 + 3))
    save_npz(tmp_path / "again.npz", model)
    again = load_npz(tmp_path / "again.npz").model
    assert again.exact().canonical == exact.canonical and again.ratios.keys() == model.ratios.keys()
    one = load_npz(written(tmp_path, fractions(discount=2, discount_denominator=3))).model
    assert one.discount == 2 * third
    ended = load_npz(
        written(
            tmp_path,
            fractions(
                terminal=np.array([0]),
                rewards=np.array([[0, 0], [1, 1]]),
                rewards_denominator=3,
                transitions_0_data=np.array([3, 4]),
                transitions_0_data_denominator=np.array([3, 4]),
                transitions_0_indices=np.array([1, 0]),
                transitions_0_indptr=np.array([0, 1, 2]),
            ),
        )
    ).model
    assert not ended.features[0].any() and np.asarray(ended.discount)[0] == 0 and ended.exact().discounts[0][0, 0] == 0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"features_denominator": 0}, "features_denominator has 0; give positive integers"),
        (
            {"features_denominator": np.array([3, 5])},
            "features_denominator has shape 2; give one integer, or one for each",
        ),
        ({"features_denominator": 3.0}, "type float64; give integers"),
        ({"features": np.array([[0.5, 0], [1, 1]])}, "type float64; give integers"),
        ({"features_denominator": np.uint64(2**63)}, "give integers below 2^63"),
        ({"terminal_denominator": 3}, "unknown array 'terminal_denominator'"),
        ({"target_denominator": 3}, "unknown array 'target_denominator'"),
        ({"behaviour_denominator": 4}, "row s0 of behaviour sums to 0.75"),
        ({"transitions_1_denominator": -7}, "transitions_1_denominator has -7; give positive integers"),
        ({"discount": np.array([4, 1])}, "discount has an entry outside [0, 1]"),
        ({"discount": 4, "discount_denominator": 3}, "discount is 4/3; give a number from 0 to 1"),
        (
            {
                "target": np.array([[2**60, 2**61 + 3], [2, 1]]),
                "target_denominator": np.array([[3 * 2**60 + 3] * 2, [3] * 2]),
            },
            "differ by less than floats can tell",
        ),
    ],
)
def test_fractions_that_are_none_are_told_in_one_sentence(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        load_npz(written(tmp_path, fractions(**changes)))
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
