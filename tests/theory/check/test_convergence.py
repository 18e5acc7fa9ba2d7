"""A certificate of convergence is written exactly where the theorems apply, and the checker accepts it."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.convergence import convergence_certificate, convergence_certificates
from tdcert.theory.files.load import loads_model
from tdcert.theory.model.mdp import Model
from tests.theory.certificate import convergence_by_hand
from tests.theory.certificate.by_hand import Built, Json, matrix, solve
from tests.theory.certificate.by_hand import text as number
from tests.theory.certificate.test_checker import CHAIN, DOUBLING, INFINITE, TRANSIENT, one_action
from tests.theory.certificate.test_soundness import below, classes, random_model


def loaded(model: Json) -> Model:
    return loads_model(json.dumps(model)).model


def sentence(model: Model, algorithm: str) -> str | None:
    """What the checker says of the certificate; None where there is none."""
    found = convergence_certificate(model, algorithm)
    return None if found is None else checker.check_text(text(document(found, model, None)))


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
        applies = False
        if len(found) == 1 and "constant" not in given["schedule"]:
            b = Built(given, found[0])
            try:
                theta = [-x for (x,) in solve(b.A, b.b)]
            except StopIteration:
                theta = []
            applies = bool(theta) and convergence_by_hand.converges(given, algorithm, theta, found, below)
        assert (sentence(model, algorithm) is not None) == applies, algorithm


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


def test_without_an_end_there_is_none() -> None:
    assert convergence_certificates(loaded(INFINITE)) == ()


def test_a_matrix_that_is_stable_and_not_definite_has_a_lyapunov_matrix() -> None:
    """2A = [[−1, 9/10], [0, −1/10]]: eigenvalues −1 and −1/10, and 4·1·1/10 < (9/10)²."""
    model = loaded({**DOUBLING, "features": [["1", "0"], ["0", "1"]]})
    (td, *_) = convergence_certificates(model)
    assert "lyapunov" in td.witness and sentence(model, "off_policy_td")


def test_many_features_known_by_rank_get_a_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.check.mean_dynamics.TIGHT_RATE_LIMIT", 1)
    model = loaded({**CHAIN, "discount": "7/10"})
    (td, *_) = convergence_certificates(model)
    assert "factor" in td.witness and sentence(model, "td")


def test_where_no_prime_shows_that_a_is_nonsingular_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    prime = convergence_by_hand.SMALL_PRIME
    model = loaded({**convergence_by_hand.OFF_POLICY, "features": [[str(prime)], [str(2 * prime)]]})
    monkeypatch.setattr("tdcert.theory.certificate.bodies.PRIMES", (prime,))
    assert [one.about["algorithm"] for one in convergence_certificates(model)] == ["off_policy_td"]


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
