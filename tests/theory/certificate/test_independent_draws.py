"""Certificates about transitions that are drawn independently are not about a path, nor the other way round.

What is accepted is decided a second time from the model and the function (`tests.theory.engine.test_independent`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import for_model, named
from tdcert.analysis.updates import analyse_updates
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker, write
from tdcert.theory.certificate.bodies import stationary_certificate
from tdcert.theory.check.convergence import convergence_certificates
from tdcert.theory.engine.certificates import difference
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import silently
from tests.replay import replay
from tests.theory.engine.test_independent import ROUND, moments, over_all, transitions, updated

F = Fraction
Json = Any
ONE = F(1)
DRAWN = ROUND.drawn_independently()


@cache
def certificates(name: str, drawn: bool, step: Fraction) -> dict[str, Json]:
    """What an analysis certifies, by kind; the last one of each, which is about the step."""
    model = DRAWN if drawn else ROUND
    row = analyse_updates(model, [named(name)], silently, step=step, certify=True).rows[0]
    return {one.kind: dict(write.document(one, model, None)) for one in row.certificates}


def of(kind: str, name: str = "td", drawn: bool = True, step: Fraction = ONE) -> Json:
    return deepcopy(certificates(name, drawn, step)[kind])


def again(body: Json) -> str:
    """The certificate with the digest of the model that it now has."""
    text = json.dumps(body["model"], sort_keys=True, separators=(",", ":"))
    return json.dumps({**body, "digest": hashlib.sha256(text.encode()).hexdigest()})


KINDS = {"update_hurwitz", "update_rest", "update_covariance", "update_mean_square_bounded", "update_moments"}


@pytest.mark.parametrize("name", ["td", "etd", "gtd2_mp"])
def test_the_sentence_says_that_transitions_are_drawn_independently(name: str) -> None:
    """By terms, and by tables to first order in the steps (gtd2_mp)."""
    found = certificates(name, True, F(1, 8))
    assert found.keys() >= KINDS
    for body in found.values():
        said = checker.check_text(json.dumps(body))
        assert "on transitions drawn independently" in said and "recurrent class" not in said


def test_what_is_accepted_of_a_step_is_so_for_the_function() -> None:
    """X ≻ 0 and X − E[BᵀXB] ≻ 0, a mean over all transitions by their probabilities; at α = 1, not on a path."""
    body = of("update_mean_square_bounded")
    checker.check_text(json.dumps(body))
    (X,) = ([[F(x) for x in row] for row in one] for one in body["witness"]["lyapunov"])
    assert body["about"]["steps"] == ["1"]
    update = for_model(named("td"), DRAWN)[0]
    left = RationalMatrix(X)
    for p, t in transitions(DRAWN):
        linear = replace(t, reward=F(0))
        B = RationalMatrix([updated(update, 2, linear, unit, ONE) for unit in ([ONE, F(0)], [F(0), ONE])]).T
        left = left - (B.T @ RationalMatrix(X) @ B).scaled(p)
    assert all(np.linalg.eigvalsh(one.to_float()).min() > 1e-6 for one in (left, RationalMatrix(X)))
    assert "update_mean_square_unbounded" in certificates("td", False, ONE)


def test_moments_are_those_over_all_pairs_of_transitions() -> None:
    body = of("update_moments")
    body["about"] |= {"time": 2}
    mean, covariance = moments(over_all(for_model(named("td"), DRAWN)[0], DRAWN, [ONE, ONE], ONE, 2))
    body["about"] |= {"mean": list(map(str, mean)), "covariance": [list(map(str, row)) for row in covariance]}
    assert "after 2 updates" in checker.check_text(json.dumps(body))
    body["about"]["mean"][0] = str(mean[0] + F(1, 10**9))
    with pytest.raises(checker.Rejected, match="not the mean at that time"):
        checker.check_text(json.dumps(body))


def test_a_sign_on_almost_every_path_of_draws() -> None:
    update = for_model(named("td"), DRAWN)[0]
    found = on_paths(DRAWN, update, DRAWN.classes[0], [ONE], ONE)
    said = [replay(one, DRAWN) for one in found.certificates]
    assert said and all("drawn independently" in one for one in said)


def test_a_certificate_is_about_its_function() -> None:
    body = of("update_hurwitz", "etd")
    assert not difference(body, DRAWN, for_model(named("etd"), DRAWN)[0])
    assert difference(body, DRAWN, for_model(named("gtd"), DRAWN)[0])
    tables = of("update_hurwitz", "gtd2_mp", step=F(1, 8))
    assert tables["about"]["update"]["contexts"] == [None]
    assert not difference(tables, DRAWN, for_model(named("gtd2_mp"), DRAWN)[0])


# ---- forgeries -------------------------------------------------------------------------------------------------------


def _on_a_path(body: Json) -> None:
    del body["model"]["sampling"], body["model"]["sampling_law"]
    if "lyapunov" in body["witness"] and len(body["about"]) == 3:  # one form for each state instead of one for all
        body["witness"]["lyapunov"] *= 3


def _drawn(body: Json) -> None:
    body["model"] |= {"sampling": "independent", "sampling_law": DRAWN.canonical["sampling_law"]}


def _with_memory(body: Json) -> None:
    update = body["about"]["update"]
    update["memory"] = [["z", "d"]]
    for one in update["terms"]:
        one["z"] = ["t.phi"]


def _two_contexts(body: Json) -> None:
    update = body["about"]["update"]
    update |= {"contexts": [None, None], "moves": update["moves"] * 2}


def _state_zero(body: Json) -> None:
    body["about"]["update"]["contexts"] = [0]


def _law(*weights: str) -> Callable[[Json], None]:
    return lambda body: body["model"].update(sampling_law=list(weights))


def _without(key: str) -> Callable[[Json], None]:
    return lambda body: body["model"].pop(key)


def _other_word(body: Json) -> None:
    body["model"]["sampling"] = "path"


def _other_class(body: Json) -> None:
    body["about"]["class"] = [0, 1]


def _other_start(body: Json) -> None:
    body["about"]["start"] = ["1", "0", "0"]


FORGED: dict[str, tuple[Json, Callable[[Json], None], str]] = {
    # what dies out where draws are independent grows on the path
    "said of the path": (("update_mean_square_bounded",), _on_a_path, "the decrease in node 0"),
    "the mean, said of the path": (("update_hurwitz",), _on_a_path, "witness.law"),
    "moments, said of the path": (("update_moments",), _on_a_path, "not the mean at that time"),
    # what grows on the path dies out where draws are independent
    "of the path, said of draws": (("update_mean_square_unbounded", "td", False), _drawn, "witness.lyapunov: "),
    "a mean on the path, said of draws": (("update_hurwitz", "td", False), _drawn, "witness"),
    "another law": (("update_rest",), _law("1/2", "1/4", "1/4"), "witness.rest"),
    "no law": (("update_hurwitz",), _law("1/2", "1/4", "1/3"), "not a probability law"),
    "a negative law": (("update_hurwitz",), _law("3/2", "-1/4", "-1/4"), "not a probability law"),
    "a law of two states": (("update_hurwitz",), _law("1/2", "1/2"), "needs 3"),
    "states that are not drawn": (("update_hurwitz",), _law("1/2", "1/2", "0"), "not the states that are drawn"),
    "a law and no draws": (("update_hurwitz",), _without("sampling"), "the key 'sampling' is missing"),
    "draws and no law": (("update_hurwitz",), _without("sampling_law"), "the key 'sampling_law' is missing"),
    "another word": (("update_hurwitz",), _other_word, "model.sampling"),
    "some of the states": (("update_hurwitz",), _other_class, "not the states that are drawn"),
    "a memory": (("update_hurwitz",), _with_memory, "nothing is before"),
    "a start of its own": (("update_moments",), _other_start, "drawn as all others"),
    "a memory of what was drawn": (("update_hurwitz", "gtd2_mp", True, F(1, 8)), _two_contexts, "there is one, null"),
    "a state": (("update_hurwitz", "gtd2_mp", True, F(1, 8)), _state_zero, "there is one, null"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_certificate_is_rejected(name: str) -> None:
    which, forge, why = FORGED[name]
    body = of(*which)
    checker.check_text(json.dumps(body))
    forge(body)
    with pytest.raises(checker.Rejected) as caught:
        checker.check_text(again(body))
    assert why in str(caught.value), str(caught.value)


def test_kinds_about_a_path_are_not_about_draws() -> None:
    """Each of them, with its own witness: theorems of the paper above all."""
    chain = ROUND.behaviour_chain
    path = [stationary_certificate(chain, (0, 1, 2)), *convergence_certificates(aperiodic())]
    assert len(path) > 1
    for one in path:
        model = ROUND if one is path[0] else aperiodic()
        body = dict(write.document(one, model, None))
        checker.check_text(json.dumps(body))
        body["model"] = model.drawn_independently().canonical
        with pytest.raises(checker.Rejected, match="it is about a path"):
            checker.check_text(again(body))


def aperiodic() -> Model:
    """The round with a rest in state 0, so that the paper's theorem about its limit law applies."""
    P = RationalMatrix([[F(1, 2), F(1, 2), 0], [0, 0, 1], [1, 0, 0]])
    return replace(ROUND, transitions=(P,))
