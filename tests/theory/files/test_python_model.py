"""Models from Python: every shape, every kind of number, every way to say a policy; and one sentence for the rest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tdcert
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel, LoadedSparse
from tdcert.theory.files.limits import LARGEST_EXACT
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tests.effort import examples

F = Fraction
HALF = F(1, 2)
LEFT: list[list[Any]] = [[1, 0, 0], [HALF, HALF, 0], [0, 1, 0]]
RIGHT: list[list[Any]] = [[0, 1, 0], [0, 0, 1], [0, F(1, 4), F(3, 4)]]
"""Two actions on three states, told apart by every axis."""
BY_ACTION = np.array([LEFT, RIGHT], dtype=object)
REWARDS = [[0, 1], [2, 3], [4, 5]]
MU = [["1/2", "1/2"], ["1/4", "3/4"], [1, 0]]
WALK: dict[str, Any] = {"P": BY_ACTION, "rewards": REWARDS, "discount": "9/10", "behaviour": MU}


def read(*given: Any, **parts: Any) -> LoadedModel:
    found = tdcert.load_model(*given, **parts)
    assert isinstance(found, LoadedModel)
    return found


def loaded(**changed: Any) -> LoadedModel:
    return read(**{**WALK, **changed})


def made(**changed: Any) -> Model:
    return loaded(**changed).model


def refused(**changed: Any) -> str:
    with pytest.raises(InputError) as caught:
        tdcert.load_model(**{**WALK, **changed})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_parts_are_what_they_are_called() -> None:
    model = made(target=[[0, 1]] * 3, features=[[1, 0], [1, 1], [1, 2]], schedule=tdcert.NStep(2))
    assert model.actions == ("0", "1")
    assert [P.rows for P in model.transitions] == [tuple(map(tuple, LEFT)), tuple(map(tuple, RIGHT))]
    assert [R.column_entries() for R in model.rewards] == [(0, 2, 4), (1, 3, 5)]
    assert model.gamma == F(9, 10) and model.behaviour.rows[1] == (F(1, 4), F(3, 4))
    assert model.target.rows == ((0, 1),) * 3 and model.features.rows[2] == (1, 2)
    assert model.schedule == Schedule.n_step(2)


@pytest.mark.parametrize(
    "P",
    [
        BY_ACTION.transpose(1, 0, 2),
        BY_ACTION.tolist(),
        BY_ACTION.astype(float),
        BY_ACTION.astype(float).transpose(1, 0, 2).astype(np.float32),
        [np.array(LEFT, dtype=float), np.array(RIGHT, dtype=float)],
        tuple(scipy.sparse.csr_array(np.array(X, dtype=float)) for X in (LEFT, RIGHT)),
        {"0": LEFT, "1": scipy.sparse.coo_matrix(np.array(RIGHT, dtype=float))},
        {0: LEFT, 1: [[str(x) for x in row] for row in RIGHT]},
        {"0": [[Decimal(str(float(x))) for x in row] for row in LEFT], "1": np.array(RIGHT)},
    ],
)
def test_every_shape_of_P_is_one_model(P: Any) -> None:
    assert made(P=P).digest == made().digest


def test_one_action() -> None:
    one = {"P": RIGHT, "behaviour": None, "rewards": [0, 0, 1]}
    model = made(**one)
    assert model.digest == made(**{**one, "P": np.array([RIGHT])}).digest
    assert model.digest == made(**{**one, "P": scipy.sparse.csr_array(np.array(RIGHT, dtype=float))}).digest
    assert made(**{**one, "rewards": np.diag([1, 2, 3])}).rewards[0].shape == (3, 3)
    assert made(**{**one, "rewards": 1}).rewards[0].column_entries() == (1, 1, 1)
    assert made(**{**one, "discount": [0.5, 0.5, 0]}).discounts[0].column_entries() == (HALF, HALF, 0)


def test_rewards_by_action_and_by_transition() -> None:
    cube = np.arange(18).reshape(2, 3, 3)
    tables = [R.rows for R in made(rewards=cube).rewards]
    assert tables == [tuple(map(tuple, R)) for R in cube.tolist()]
    assert made(rewards=cube.transpose(1, 0, 2)).digest == made(rewards=cube).digest
    assert made(rewards={"0": cube[0], "1": cube[1]}).digest == made(rewards=cube).digest
    for_all = made(rewards=cube[0])
    assert for_all.rewards[0] == for_all.rewards[1] and for_all.rewards[0].rows == tables[0]
    assert made(discount=[["1/2", "1/3"]] * 3).discounts[1].column_entries() == (F(1, 3),) * 3


def test_what_two_readings_fit_is_refused() -> None:
    """Three actions on three states; unless both readings are the same model."""
    cube = np.array([LEFT, RIGHT, LEFT], dtype=object)
    uniform = {"behaviour": "uniform", "rewards": 0}
    said = refused(P=cube, **uniform)
    assert "(A, S, S) or (S, A, S)" in said and "dict(enumerate(P))" in said
    first = made(P=dict(enumerate(cube)), **uniform)
    assert [P.rows[1] for P in first.transitions] == [tuple(X[1]) for X in (LEFT, RIGHT, LEFT)]
    second = made(P=dict(enumerate(cube.transpose(1, 0, 2))), **uniform)
    assert [P.rows[1] for P in second.transitions] == [tuple(row) for row in RIGHT]
    assert made(P=np.full((3, 3, 3), F(1, 3)), **uniform).transitions[0].rows == ((F(1, 3),) * 3,) * 3
    sparse = [scipy.sparse.csr_array(X.astype(float)) for X in cube]
    assert "(A, S, S) or (S, A, S)" in refused(P=sparse, **uniform)
    by_first: Any = sparse
    turned = {a: [rows[a] for rows in by_first] for a in range(3)}  # as the sentence says
    assert (
        "{a: [rows[a] for rows in P] for a in range(3)}" in said and made(P=turned, **uniform).digest == second.digest
    )
    by_state = [scipy.sparse.csr_array(cube[:2, s].astype(float)) for s in range(3)]
    assert made(P=by_state, **uniform).digest == made(P=sparse[:2], **uniform).digest
    named = dict(enumerate(cube))
    assert "may be (S, A) or (S, S)" in refused(P=named, behaviour="uniform", rewards=np.arange(9).reshape(3, 3))
    assert "by action too" in refused(P=named, behaviour="uniform", rewards=np.arange(27).reshape(3, 3, 3))


def test_rows_of_floats_are_mended_up_to_rounding_and_it_is_said() -> None:
    rows = np.random.default_rng(0).random((2, 3, 3))
    P = rows / rows.sum(axis=2, keepdims=True)
    found = loaded(P=P, behaviour=[[1 / 3, 2 / 3]] * 3)
    for s in range(3):
        exact = [F(repr(x)) for x in P[0, s].tolist()]
        assert found.model.transitions[0].rows[s] == tuple(x / sum(exact) for x in exact)
    assert found.model.behaviour.rows[0] == (F(1, 3), F(2, 3))  # 3333333333333333 : 6666666666666666
    said = [note for note in found.notes if "divided by their exact sums" in note]
    assert [note.partition(":")[0] for note in said] == ["P of action '0'", "P of action '1'", "behaviour"]
    assert loaded().notes == []
    # eight decimals of single precision
    assert loaded(P=P.astype(np.float32)).model.transitions[0].rows[0] != found.model.transitions[0].rows[0]


@pytest.mark.parametrize("off", [1e-6, -1e-6, 1e-14])
def test_rows_that_rounding_does_not_explain_are_refused(off: float) -> None:
    P = BY_ACTION.astype(float)
    P[1, 2, 2] += off
    assert "row s2" in refused(P=P) and "sums to" in refused(P=P)
    assert made(P=P, normalise=True).transitions[0].rows == tuple(map(tuple, LEFT))
    exact = BY_ACTION.copy()
    exact[1, 2, 2] = F(3, 4) + F(1, 10**17)  # no float, so no rounding
    assert "row s2" in refused(P=exact)


def test_policies_and_features_in_every_form(tmp_path: Path) -> None:
    actions = np.array([1, 0, 1])
    policy = [[0, 1], [1, 0], [0, 1]]
    np.save(tmp_path / "pi.npy", actions)
    np.save(tmp_path / "table.npy", np.array(policy, dtype=float))
    (tmp_path / "pi.csv").write_text("left,right\n0,1\n1,0\n0,1\n")
    (tmp_path / "chosen.csv").write_text("1\n0\n1\n")
    (tmp_path / "phi.csv").write_text("1,0\n1,0.5\n1,1\n")
    named = {"left": LEFT, "right": RIGHT}
    for target in (
        policy,
        actions,
        ["right", "left", "right"],
        lambda s: 1 - s % 2,
        lambda s: ["right", "left"][s % 2],
        lambda s: [s % 2, 1 - s % 2],
        lambda s: {"right": 1 - s % 2, "left": s % 2},
        {0: 1, 1: "left", 2: [0, 1]},
        tmp_path / "pi.npy",
        str(tmp_path / "table.npy"),
        tmp_path / "pi.csv",
        tmp_path / "chosen.csv",
        scipy.sparse.csr_array(np.array(policy)),
    ):
        assert made(P=named, target=target).target.rows == tuple(map(tuple, policy)), target
    wanted = ((1, 0), (1, HALF), (1, 1))
    for features in (
        [[1, 0], ["1", "1/2"], [1.0, 1]],
        lambda s: [1, s / 2],
        lambda s: np.array([1, s / 2]),
        tmp_path / "phi.csv",
        scipy.sparse.csr_array(np.array(wanted, dtype=float)),
    ):
        assert made(features=features).features.rows == wanted
    assert made(features=[1, 2, 4]).features.rows == ((1,), (2,), (4,))
    assert made(features=lambda s: 2**s).features.rows == ((1,), (2,), (4,))
    assert made(features="tabular").features.rows == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_schedules_as_objects() -> None:
    assert tdcert.EqualWeights(2, 4) == Schedule.equal_weights(2, 4) == made(schedule="equal_weights:2,4").schedule
    three: Any = np.int64(3)
    assert tdcert.NStep(three) == Schedule.n_step(3) == made(schedule={"n_step": 3}).schedule
    assert tdcert.Constant(0.9) == Schedule.constant(F(9, 10)) == made(schedule=tdcert.Constant("9/10")).schedule
    assert tdcert.Constant(0.9, 2) == tdcert.Lambdas([0.9, F(9, 10)]) == tdcert.Lambdas(np.array([0.9, 0.9]))
    assert made(schedule={"lambdas": np.array([0.5])}).schedule == Schedule((HALF,))
    for wrong, said in (
        (0.9, "did you mean tdcert.Constant(0.9)"),
        ([1, 2], "did you mean tdcert.Lambdas"),
        (object(), "give tdcert.NStep(3)"),
        (Schedule((F(2),)), "λ_1"),
    ):
        assert said in refused(schedule=wrong)
    face: Any = tdcert
    for call, said in (
        (lambda: tdcert.Constant(1.5), "λ is '3/2'"),
        (lambda: face.NStep(2.5), "whole number"),
        (lambda: tdcert.EqualWeights(4, 2), "n1 ≤ n2"),
        (lambda: face.Lambdas(0.5), "give a list"),
        (lambda: tdcert.Lambdas([0.5, 2]), "λ_2"),
        (lambda: face.NStep(n_steps=3), "NStep has no argument 'n_steps'; there are n"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_terminal_states_in_every_form() -> None:
    P = [["1/2", "1/2", 0], [0, "1/2", "1/2"], [1, 0, 0]]
    chain = {"P": P, "rewards": [0, 1, 0], "behaviour": None}
    digests = {
        made(**chain, terminal=terminal).digest
        for terminal in (
            [2],
            2,
            np.array([2]),
            {2},
            [False, False, True],
            np.array([0, 0, 1], dtype=bool),
            lambda s: s == 2,
        )
    }
    assert len(digests) == 1 and made(**chain, terminal=[2]).features.shape == (3, 2)


def test_environments_as_objects_and_by_their_ids() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    try:
        one = tdcert.load_model(env, discount=0.95, features=lambda s: [1, s // 4, s % 4], behaviour=lambda s: 2)
    finally:
        env.close()
    other = tdcert.load_model("gymnasium:FrozenLake-v1?is_slippery=false", discount="19/20").model
    assert isinstance(one, LoadedModel) and isinstance(other, Model)
    assert one.model.transitions == other.transitions and one.source == "FrozenLake-v1"
    assert one.model.behaviour.rows[0] == (0, 0, 1, 0) and one.model.features.rows[6] == (1, 1, 2)
    assert read("FrozenLake-v1").model.digest == read("gymnasium:FrozenLake-v1").model.digest
    with pytest.raises(InputError, match="no transition table P"):
        tdcert.load_model(gymnasium.make("CartPole-v1"))
    with pytest.raises(InputError, match="rewards is given beside an environment"):
        tdcert.load_model(env, rewards=1)


def test_a_built_model_takes_other_parts() -> None:
    again = tdcert.load_model(made(), schedule=tdcert.NStep(2), target="uniform", discount=0.5).model
    wanted = made(schedule=tdcert.NStep(2), target="uniform", discount=0.5)
    assert isinstance(again, Model) and again.digest == wanted.digest
    assert read(loaded()).model.digest == made().digest


def test_large_sparse_arrays_are_read_by_their_entries() -> None:
    n = LARGEST_EXACT + 1
    s = np.arange(n)
    P = scipy.sparse.coo_array((np.full(2 * n, 0.5), (np.tile(s, 2), np.concatenate([(s + 1) % n, s]))), shape=(n, n))
    one = tdcert.load_model(P=P, rewards=s % 2, discount=0.9, features=np.eye(3)[s % 3], schedule=tdcert.NStep(2))
    assert isinstance(one, LoadedSparse)
    model = one.model
    assert model.discount == F(9, 10) and model.schedule == Schedule.n_step(2) and model.rewards[1, 0] == 1
    assert model.nonzeros == 2 * n and np.array_equal(model.features[4], [0, 1, 0])
    twice = scipy.sparse.csr_array(
        (np.full(2 * n, 0.5), np.repeat((s + 1) % n, 2), np.arange(0, 2 * n + 1, 2)), shape=(n, n)
    )
    folded = tdcert.load_model(P=twice, rewards=0, discount=0.9, features=[1] * n).model
    assert isinstance(folded, SparseModel) and folded.nonzeros == n and twice.nnz == 2 * n  # the user's stays as it was
    two: Any = tdcert.load_model(
        P={"stay": scipy.sparse.eye_array(n), "go": P}, rewards=np.stack([s, -s], axis=1), discount=np.full(n, 0.5),
        behaviour="uniform", target=lambda s: "go", features=lambda s: [1, s / n],
    ).model  # fmt: skip
    assert two.actions == ("stay", "go") and two.rewards[3].tolist() == [3, -3]
    assert two.target[5].tolist() == [0, 1] and two.gamma == HALF and two.features[7, 1] == 7 / n
    many = scipy.sparse.eye_array(5000)
    for features in (lambda s: [1, s], np.ones((5000, 2)), np.ones((5000, 2), dtype=int)):
        found = tdcert.load_model(P=many, rewards=0, discount=0.9, features=features)
        assert found.model.d == 2
    with pytest.raises(InputError, match="array 'features' is missing"):
        tdcert.load_model(P=many, rewards=0, discount=0.9)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"P": None}, "P is missing"),
        ({"rewards": None}, "rewards is missing"),
        ({"discount": None}, "discount is missing"),
        ({"P": np.zeros((2, 3))}, "give states × states"),
        ({"P": np.zeros((3, 3, 2))}, "did you mean .transpose(2, 0, 1)"),
        ({"P": np.zeros((2, 3, 4))}, "give (A, S, S) or (S, A, S)"),
        ({"P": [[1, 0], [1]]}, "different shapes"),
        ({"P": lambda s: s}, "P is a function"),
        ({"P": BY_ACTION.astype(complex)}, "give real numbers"),
        ({"P": [[None]]}, "holds None"),
        ({"P": [[[[1]]]]}, "nested more than 3 deep"),
        ({"rewards": np.ma.masked_array(REWARDS, [[True, False]] * 3)}, "has masked entries"),
        ({"rewards": np.zeros((2, 3))}, "did you mean its transpose, 3×2"),
        ({"rewards": [1, 2]}, "rewards has shape 2"),
        ({"rewards": [[float("nan")] * 2] * 3}, "'nan' is not a finite number"),
        ({"rewards": {"0": [1, 2, 3]}}, "name the same actions"),
        ({"discount": 1.5}, "discount is '3/2'"),
        ({"discount": "nine"}, "'nine' is not a finite number"),
        ({"discount": True}, "holds True"),
        ({"features": np.zeros((2, 3))}, "did you mean its transpose, 3×2"),
        ({"features": lambda s: 1 / s}, "fails in state 0: ZeroDivisionError"),
        ({"behaviour": None}, 'behaviour is missing with 2 actions; give a policy, states × actions, or behaviour="un'),
        ({"normalise": 2}, "give True or False"),
        ({"P": [[1, 1], [1, 0]], "behaviour": None, "rewards": 0, "features": None}, "normalise=True in Python"),
        ({"behaviour": [[0.5, 0.5]] * 2}, "behaviour has 2 rows; give 3"),
        ({"behaviour": np.full((2, 3), 0.5)}, "did you mean its transpose, 3×2"),
        ({"behaviour": [0, 1, 2]}, "action by its number, 0 to 1"),
        ({"behaviour": "unifrom"}, "there is no file 'unifrom'"),
        ({"target": ["0", "one", "1"]}, "its name"),
        ({"target": [[0.5, 0.6]] * 3}, "sums to 11/10"),
        ({"terminal": [3]}, "0 to 2"),
        ({"terminal": [True]}, "one for each of the 3 states"),
        ({"actions": ["left"]}, "1 name for the 2 actions"),
        ({"actions": "lr"}, "give a list of names"),
        ({"gamma": 0.9}, "did you mean 'discount'?"),
        ({"featurs": 1}, "did you mean 'features'?"),
        ({"policy": "uniform"}, "policy and behaviour are both given"),
    ],
)
def test_whatever_cannot_be_is_one_sentence(changed: dict[str, Any], said: str) -> None:
    assert said in refused(**changed)


def test_a_mapping_takes_both_names_of_a_part() -> None:
    mapping = {"transitions": {"0": LEFT, "1": RIGHT}, "rewards": REWARDS, "discount": F(9, 10), "behaviour": MU}
    assert read(mapping).model.digest == made().digest
    assert read(WALK).model.digest == made().digest
    for wrong, said in (
        ({"gamma": 1}, "unknown key 'gamma'; did you mean 'discount'"),
        ({"transitions": LEFT}, "P and transitions are both given"),
        ({"format": "tdcert-model/2"}, "tdcert-model/1"),
        ({3: 1}, "unknown key the number"),
    ):
        with pytest.raises(InputError, match=said):
            tdcert.load_model({**WALK, **wrong})
    with pytest.raises(InputError, match="rewards is given beside a mapping"):
        tdcert.load_model(WALK, rewards=1)


# ---- wrong types and shapes, at every public function ----------------------------------------------

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=6),
    st.sampled_from(
        [
            object(),
            Exception,
            print,
            Ellipsis,
            range(3),
            {1, 2},
            iter([1]),
            Path("."),
            Path("nowhere.npy"),
            b"x\0",
            "a\0b",
            np.array(None),
            np.zeros(0),
            np.zeros((2, 0)),
            np.zeros((1, 1, 1, 1)),
            np.array(["a"]),
            np.array([object()]),
            np.ma.masked_array([1, 2], [True, False]),
            np.array([1 + 2j]),
            np.array([np.datetime64("2000-01-01")]),
            np.float16(0.1),
            np.longdouble(0.5),
            np.bool_(True),
            scipy.sparse.csr_array((2, 3)),
            scipy.sparse.eye_array(2),
            Decimal("NaN"),
            10**400,
            Schedule(),
            lambda: 0,
            lambda s: None,
            lambda s: {},
            type("Odd", (), {"__array__": lambda self: 1 / 0})(),
            1e400,
            -0.0,
        ]
    ),
)
NESTED = st.recursive(
    ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


def one_sentence(call: Callable[[], Any]) -> None:
    """It works, or says why not in one line."""
    try:
        call()
    except InputError as error:
        assert str(error).strip() and "\n" not in str(error), repr(str(error))


PART = st.sampled_from(
    [
        *("P", "rewards", "discount", "features", "behaviour", "target", "terminal", "schedule", "actions", "name"),
        *("normalise", "policy", "what", "arithmetic", "bits", "simulate", "seed", "steps", "phase_diagram"),
        "model",
    ]
)


@pytest.mark.thorough
@given(part=PART, wrong=NESTED, with_one_action=st.booleans())
@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_traceback_reaches_a_user_of_analyze(part: str, wrong: Any, with_one_action: bool) -> None:
    """Any part of a model that is right, replaced by anything."""
    right: dict[str, Any] = {**WALK, "what": "verdict"}
    if with_one_action:
        right |= {"P": RIGHT, "rewards": [0, 0, 1], "behaviour": None}
    if part in ("simulate", "phase_diagram") and wrong is True:
        return  # they take seconds
    one_sentence(lambda: tdcert.analyze(**{**right, part: wrong}))


@given(wrong=NESTED, part=st.sampled_from(["algorithm", "schedules", "seed", "time_limit"]))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_traceback_reaches_a_user_of_the_other_functions(wrong: Any, part: str) -> None:
    model = made()
    question: dict[str, Any] = {"algorithm": "gtd", "steps": "1,10", "within": 10**9, "probability": "1/1000"}
    for call in (
        lambda: tdcert.load_model(wrong),
        lambda: tdcert.analyze(wrong, what="verdict"),
        lambda: tdcert.EqualWeights(1, wrong),
        lambda: tdcert.NStep(wrong),
        lambda: tdcert.Constant(wrong),
        lambda: tdcert.Constant(0.5, wrong),
        lambda: tdcert.Lambdas(wrong),
        lambda: tdcert.certify(wrong, **question),
        lambda: tdcert.conform("no_such_module:Class", **{"algorithm": "td", part: wrong}),
        *(lambda key=key: tdcert.certify(model, **{**question, key: wrong}) for key in ("algorithm", "steps", "ratio")),
    ):
        one_sentence(call)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")  # that users still have some is why
def test_a_numpy_matrix_is_an_array_of_two_dimensions() -> None:
    given = np.matrix(np.array(RIGHT, dtype=float))
    assert (
        made(P=given, behaviour=None, rewards=[0, 0, 1]).digest
        == made(P=np.asarray(given), behaviour=None, rewards=[0, 0, 1]).digest
    )
    assert "1×3" in refused(P=given, behaviour=None, rewards=np.matrix([1, 2, 3]))


@pytest.mark.parametrize(
    "mask",
    [
        np.array([[True, False], [False, True], [True, True]]),
        [[True, False], [False, True], [True, True]],
        scipy.sparse.csr_array(np.array([[True, False], [False, True], [True, True]])),
        lambda s: [s != 1, s != 0],
        lambda s: np.array([s != 1, s != 0]),
    ],
)
def test_features_that_are_there_or_not_are_zeros_and_ones(mask: Any) -> None:
    given: dict[str, Any] = {"P": np.eye(3)[::-1], "rewards": 0, "discount": 0.5}
    assert tdcert.load_model(**given, features=mask).model.features == RationalMatrix([[1, 0], [0, 1], [1, 1]])
    with pytest.raises(tdcert.InputError, match="rewards"):
        tdcert.load_model(**{**given, "rewards": [True, False, True]}, features=mask)
