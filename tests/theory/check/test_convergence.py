"""A certificate of convergence is written exactly where the theorems apply, and the checker accepts it."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import prod

import pytest

from tdcert.theory.certificate.bodies import PRIMES, fixed_point_certificate, rank_certificate
from tdcert.theory.check.convergence import convergence_certificate, convergence_certificates
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.files.load import loads_model
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tests.replay import replay
from tests.theory.certificate import convergence_by_hand
from tests.theory.certificate.by_hand import Built, Json, add, matrix, solve, sym, times
from tests.theory.certificate.by_hand import text as number
from tests.theory.certificate.test_checker import CHAIN, DOUBLING, INFINITE, TRANSIENT, one_action
from tests.theory.certificate.test_soundness import below, classes, independent, positive, random_model


def loaded(model: Json) -> Model:
    return loads_model(json.dumps(model)).model


def sentence(model: Model, algorithm: str) -> str | None:
    """What the checker says of the certificate; None where there is none."""
    found = convergence_certificate(model, algorithm)
    return None if found is None else replay(found, model)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_written_where_the_theorem_applies(seed: int) -> None:
    rng = random.Random(seed)
    given = random_model(rng)
    if "lambdas" in given["schedule"]:
        given["schedule"] = {"lambdas": [x for x in given["schedule"]["lambdas"] if x in ("1", "1/2")]}
    if seed % 2:
        given |= {"schedule": {"lambdas": ["1/2"]}, "discount": "1/2"}
    if seed % 4 == 1:
        given["target"] = given["behaviour"]
    model = loaded(given)
    found = classes(convergence_rows(model))
    for algorithm in convergence_by_hand.ALGORITHMS:
        applies = len(found) == 1 and by_hand(given, algorithm, found)
        assert (sentence(model, algorithm) is not None) == applies, algorithm


def by_hand(given: Json, algorithm: str, found: list[list[int]]) -> bool:
    """Whether the theorem applies and there is a certificate: by rank alone without an end, and by a definite A where
    features are dependent."""
    columns = independent([[Fraction(x) for x in row] for row in given["features"]])
    if not columns:
        return False
    inner = {**given, "features": [[row[j] for j in columns] for row in given["features"]]}
    b, endless = Built({**inner, "schedule": {"lambdas": []}}, found[0]), "constant" in given["schedule"]
    if endless:
        gap = add(b.P_mu, b.N, -1)
        if any(x < 0 for row in gap for x in row) or not any(x for s in found[0] for x in gap[s]):
            return False
    try:
        b = Built(inner, found[0])
        theta = [-x for (x,) in solve(b.A, b.b)]
    except StopIteration:
        return False
    if "td" in algorithm and len(columns) < len(given["features"][0]) and not positive(sym(times(-1, b.A))):
        return False
    return convergence_by_hand.converges(inner, algorithm, theta, found, below)


def convergence_rows(model: Model) -> list[list[Fraction]]:
    chain = model.behaviour_chain.P
    return [[chain[i, j] for j in range(model.n)] for i in range(model.n)]


def test_what_it_says() -> None:
    b = Built(CHAIN)
    star = ", ".join(number(-x) for (x,) in solve(b.A, b.b))
    said = sentence(loaded(CHAIN), "td")
    assert said is not None and f"TD(lambda)-schedule converges to theta = ({star}) with probability one" in said
    on_policy = convergence_certificates(loaded(TRANSIENT))
    assert [one.about["algorithm"] for one in on_policy] == ["td", "gtd", "tdc"]
    off_policy = convergence_certificates(loaded(convergence_by_hand.OFF_POLICY))
    assert [one.about["algorithm"] for one in off_policy] == ["off_policy_td", "gtd", "tdc"]


@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        (INFINITE, "td"),
        (convergence_by_hand.without_end(TRANSIENT, "1"), "td"),
        (convergence_by_hand.without_end(convergence_by_hand.BELOW, "1"), "off_policy_td"),
    ],
)
def test_without_an_end_there_is_one_of_td_alone(model: Json, algorithm: str) -> None:
    (only,) = convergence_certificates(loaded(model))
    assert only.about["algorithm"] == algorithm and {"rank", "series"} <= only.witness.keys()
    said = sentence(loaded(model), algorithm)
    assert said is not None and "TD(lambda)-schedule, lambda without an end, converges to" in said


@pytest.mark.parametrize(
    "model",
    [
        convergence_by_hand.without_end({**convergence_by_hand.BELOW, "discount": "2/3"}, "1"),  # λγρ = 1
        convergence_by_hand.without_end({**convergence_by_hand.BELOW, "features": [["0"], ["0"]]}, "1"),
        convergence_by_hand.without_end({**convergence_by_hand.UNCOVERED_AT_FIRST, "discount": "1/2"}, "1/2"),
    ],
)
def test_without_an_end_where_a_premise_fails_there_is_none(model: Json) -> None:
    assert convergence_certificates(loaded(model)) == ()


def test_dependent_features_get_a_certificate_about_predictions() -> None:
    """Of some columns, which are independent on the class, and the coordinates of all."""
    model = loaded(convergence_by_hand.wider(TRANSIENT))
    found = convergence_certificates(model)
    assert [one.about["algorithm"] for one in found] == ["td", "gtd", "tdc"]
    for one in found:
        assert one.about["columns"] == [0, 1] and one.witness["coordinates"] == convergence_by_hand.WIDER
        said = sentence(model, str(one.about["algorithm"]))
        assert said is not None and "converges to Phi theta, theta = (" in said and "columns 0, 1 of Phi" in said


def test_where_columns_are_dependent_on_the_class_alone_there_is_none() -> None:
    """The first of them is not zero where the chain does not return."""
    assert convergence_certificates(loaded({**TRANSIENT, "features": [["1", "1"], ["2", "2"], ["7", "8"]]})) == ()


def test_of_dependent_features_a_lyapunov_matrix_is_no_certificate() -> None:
    model = loaded({**DOUBLING, "features": [["1", "0", "1"], ["0", "1", "0"]]})
    assert [one.about["algorithm"] for one in convergence_certificates(model)] == ["gtd", "tdc"]


def test_a_rank_is_enough_where_the_kernel_is_below_the_chain() -> None:
    """Off-policy, too; where it is not, in one place, a factor is needed."""
    for model in (CHAIN, TRANSIENT, convergence_by_hand.BELOW):
        assert "rank" in convergence_certificates(loaded(model))[0].witness
    above = {
        **convergence_by_hand.BELOW,
        "discount": {"first": ["1/2", "1/2"], "second": [["1/2", "1/2"], ["1/2", "7/10"]]},
    }
    assert "factor" in convergence_certificates(loaded(above))[0].witness
    undiscounted = {**CHAIN, "discount": "1"}
    assert "rank" not in convergence_certificates(loaded(undiscounted))[0].witness


def test_a_matrix_that_is_stable_and_not_definite_has_a_lyapunov_matrix() -> None:
    """2A = [[−1, 9/10], [0, −1/10]]: eigenvalues −1 and −1/10, and 4·1·1/10 < (9/10)²."""
    model = loaded({**DOUBLING, "features": [["1", "0"], ["0", "1"]]})
    (td, *_) = convergence_certificates(model)
    assert "lyapunov" in td.witness and sentence(model, "off_policy_td")


def test_many_features_of_a_definite_matrix_get_a_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off-policy, with the kernel above the chain in one place; D(I − M) is definite."""
    monkeypatch.setattr("tdcert.theory.check.mean_dynamics.TIGHT_RATE_LIMIT", 1)
    model = loaded({**DOUBLING, "discount": "11/20", "features": [["1", "0"], ["3", "1"]]})
    (td, *_) = convergence_certificates(model)
    assert "factor" in td.witness and sentence(model, "off_policy_td")


DIVIDED = {
    "all primes divide A": {
        **convergence_by_hand.OFF_POLICY,
        "features": [[str(k * prod(PRIMES))] for k in (1, 2)],
    },
    "a prime in a state that is left for good, which A does not see": {
        **convergence_by_hand.UNCOVERED_AT_FIRST,
        "transitions": {
            "first": [["1", "0", "0"], ["1", "0", "0"], [f"1/{PRIMES[0]}", f"{PRIMES[0] - 1}/{PRIMES[0]}", "0"]],
            "second": [["0", "1", "0"], ["0", "1", "0"], ["0", "1", "0"]],
        },
        "target": [["1/2", "1/2"], ["1/4", "3/4"], ["1", "0"]],
    },
    "a prime in a lambda, where all discounts are zero": {
        **convergence_by_hand.OFF_POLICY,
        "discount": "0",
        "schedule": {"lambdas": [f"1/{PRIMES[0]}"]},
    },
}


@pytest.mark.parametrize("given", DIVIDED.values(), ids=DIVIDED)
def test_a_prime_that_does_not_serve_gives_way_to_another(given: Json) -> None:
    """Every A is a number that is not zero, so all certificates that rest on a prime are written and accepted."""
    model = loaded(given)
    states = model.behaviour_chain.recurrent_classes[0]
    keys = theorem_matrices(model, states)
    stable = gradient_dynamics(model, states)[0].certificate
    fixed = fixed_point_certificate(keys, states, "target", keys.theta_star)
    rank = rank_certificate(model.features, states)
    for found in (stable, fixed, rank, *convergence_certificates(model)):
        assert found is not None and replay(found, model)
    assert len(convergence_certificates(model)) == 3


def test_coverage_is_asked_where_the_chain_returns() -> None:
    """A first state is left for good; what the target would do there decides nothing."""
    model = loaded(convergence_by_hand.UNCOVERED_AT_FIRST)
    found = convergence_certificates(model)
    assert model.uncovered and [one.about["algorithm"] for one in found] == ["off_policy_td", "gtd", "tdc"]
    assert all(sentence(model, str(one.about["algorithm"])) for one in found)


def test_a_slow_mixing_chain_needs_many_doublings() -> None:
    """A round of 7 with one short cut: two closed walks, of 7 and 6 steps."""
    rows = [" ".join("1" if j == (i + 1) % 7 else "0" for j in range(7)) for i in range(7)]
    rows[5] = "1/2 0 0 0 0 0 1/2"
    model = loaded(one_action(matrix(*rows), "1/2", matrix(*["1"] * 7), ["1"] * 7, {"lambdas": []}))
    (td, *_) = convergence_certificates(model)
    assert td.witness["doublings"] in (5, 6) and sentence(model, "td")  # the last column is full after 36 steps
