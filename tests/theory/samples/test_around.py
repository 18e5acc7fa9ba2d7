"""All models around a model: bounds on the set, certificates of it and of counter-models, and what is refused.

The second decision: with one feature and λ = 0, A times the positive normaliser of the stationary law is affine in each
law apart (tree formula), so that its sign on all of a set is that at the corners of its laws.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.analysis.robustness import OF_A
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.checker.around import moved
from tdcert.theory.certificate.checker.budget import Rejected
from tdcert.theory.certificate.checker.program import check_text
from tdcert.theory.certificate.write import document
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.perturbation import KINDS, Change, Key, Perturbation
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.around_certificate import body_around, certified_around, disagreement, singular_at
from tdcert.theory.samples.around_set import ModelsNear, largest_mean
from tdcert.theory.samples.verdict import Update

F = Fraction
STABLE, UNSTABLE = MeanDynamics.STABLE, MeanDynamics.UNSTABLE
CRITICAL = {
    Change.TRANSITIONS: F(4, 27),
    Change.DISCOUNT: F(1, 15),
    Change.BEHAVIOUR: F(1, 6),
    Change.TARGET: F(4, 27),
}
"""θ→2θ at γ = 9/10, by hand in tests/theory/engine/test_robustness.py: A is singular at that distance."""


def theta_2theta(gamma: str = "9/10") -> Model:
    """Two states with the features 1 and 2; the actions lead to the first and to the second."""
    ones = RationalMatrix.column([1, 1])
    P = [RationalMatrix([[int(j == a) for j in range(2)]] * 2) for a in range(2)]
    half = RationalMatrix([[F(1, 2)] * 2] * 2)
    return Model(
        ("left", "right"), tuple(P), (ones.scaled(F(0)),) * 2, (ones.scaled(F(gamma)),) * 2, half,
        RationalMatrix([[0, 1]] * 2), RationalMatrix.column([1, 2]), Schedule(),
    )  # fmt: skip


def some_model(rng: np.random.Generator, n: int, d: int, lambdas: Sequence[Fraction] = ()) -> Model:
    """A model in which every transition is possible; discounts by transition for two models in three."""

    def law(size: int) -> list[Fraction]:
        parts = rng.integers(1, 6, size=size)
        return [F(int(x), int(parts.sum())) for x in parts]

    P = tuple(RationalMatrix([law(n) for _ in range(n)]) for _ in range(2))
    discounts: tuple[RationalMatrix, ...]
    if rng.random() < 1 / 3:
        discounts = (RationalMatrix.column([F(9, 10)] * n),) * 2
    else:
        discounts = tuple(
            RationalMatrix([[F(int(rng.integers(4, 10)), 10) for _ in range(n)] for _ in range(n)]) for _ in range(2)
        )
    Phi = RationalMatrix([[F(int(rng.integers(-3, 4))) + (i == j) * 4 for j in range(d)] for i in range(n)])
    mu, pi = (RationalMatrix([law(2) for _ in range(n)]) for _ in range(2))
    zero = RationalMatrix.column([0] * n)
    return Model(("0", "1"), P, (zero,) * 2, discounts, mu, pi, Phi, Schedule(tuple(lambdas)))


def member(rng: np.random.Generator, perturbation: Perturbation, epsilon: Fraction) -> Model:
    """A model within the distance, most of its laws as far as that."""
    rows = dict[Key, list[Fraction]]()
    for key, row in perturbation.rows.items():
        law, left = list(row), epsilon * F(int(rng.integers(2, 4)), 3)
        to = int(rng.integers(len(law)))
        for k in rng.permutation(len(law)):
            step = min(left, law[int(k)] * F(9, 10))
            law[int(k)] -= step
            law[to] += step
            left -= step
        rows[key] = law
    return perturbation.moved(rows)


def corners(perturbation: Perturbation, epsilon: Fraction) -> Iterator[Model]:
    """The models with every law of two outcomes as far as the distance goes, to both sides."""
    each = []
    for p, _ in perturbation.rows.values():
        ends = {max(F(0), p - epsilon), min(F(1), p + epsilon)}
        each.append([(x, 1 - x) for x in ends])
    for rows in product(*each):
        yield perturbation.moved(dict(zip(perturbation.rows, rows, strict=True)))


def replay(found: ModelsNear, body: Any) -> str:
    return check_text(json.dumps(document(body, found, None)))


def A_of(model: Model) -> RationalMatrix:
    return behaviour_matrices(model, model.classes[0]).A


def test_the_largest_mean_near_a_law_is_that_of_its_corners() -> None:
    """Against all ways to move mass from some outcomes to one; the checker's own writing too."""
    rng = generator(11, "around")
    for _ in range(15):
        parts = [int(x) for x in rng.integers(0, 5, size=4)]
        if not sum(parts):
            continue
        values, within = [int(x) for x in rng.integers(-9, 9, size=4)], int(rng.integers(0, sum(parts) + 1))
        best = max(
            sum(p * x for p, x in zip(law, values, strict=True))
            for law in product(range(sum(parts) + 1), repeat=4)
            if sum(law) == sum(parts) and sum(abs(a - b) for a, b in zip(law, parts, strict=True)) <= 2 * within
        )
        assert largest_mean(parts, values, within) == best
        law = {k: F(p, sum(parts)) for k, p in enumerate(parts) if p}
        assert moved(law, dict(enumerate(map(F, values))), F(within, sum(parts))) * sum(parts) == best


@pytest.mark.parametrize("change", Change)
def test_the_critical_distance_by_hand_is_approached_and_never_passed(change: Change) -> None:
    perturbation = KINDS[change](theta_2theta())
    found = certified_around(perturbation, Update.TD, UNSTABLE, F(0), F(1))
    assert not isinstance(found, str) and F(7, 10) * CRITICAL[change] < found.within < CRITICAL[change]
    near = ModelsNear.of(perturbation, CRITICAL[change] * F(99, 100), Schedule())
    body = body_around(near, Update.TD, UNSTABLE)
    assert body is not None and body.kind == "set_unstable" and "eigenvalue of A has positive" in replay(near, body)
    assert body_around(near, Update.TD, STABLE) is None
    assert all(A_of(model)[0, 0] > 0 for model in corners(perturbation, near.epsilon))
    too_far = ModelsNear.of(perturbation, CRITICAL[change], Schedule())
    assert body_around(too_far, Update.TD, UNSTABLE) is None
    with pytest.raises(Rejected):
        replay(too_far, body)
    regular = body_around(near, Update.GTD, STABLE)
    assert regular is not None and regular.kind == "set_regular" and "nonsingular" in replay(near, regular)
    with pytest.raises(Rejected):
        replay(too_far, regular)


def test_a_statement_about_one_discount_says_that_it_is_one() -> None:
    """By hand: both states lead evenly to both, with the features 1 and −1, so that A = −1 whatever γ is where it is
    one number; where each transition has its own, A = −1 + (γ of staying − γ of leaving)/2 in the mean over states.
    """
    model = replace(theta_2theta("1/2"), target=RationalMatrix([[F(1, 2)] * 2] * 2))
    model = model.with_features(RationalMatrix.column([1, -1]))
    apart = replace(model, discounts=(RationalMatrix([[F(1, 2), F(1, 4)], [F(1, 4), F(1, 2)]]),) * 2)
    up, said = RationalMatrix([[1]]), list[str]()
    for one, most in ((model, F(-1)), (apart, F(-1) + F(3, 4) / 2)):
        found = ModelsNear.of(KINDS[Change.DISCOUNT](one), F(1, 4), Schedule())
        assert most <= found.most(up) <= most + F(1, 2**40)
        said.append(replay(found, body_around(found, Update.TD, STABLE)))
    assert "every model whose discount, one number, is within 1/4 of" in said[0]
    assert "every model whose discounts are each within 1/4 of" in said[1]


@pytest.mark.parametrize("change", Change)
@pytest.mark.parametrize("lambdas", [(), (F(1, 2), F(1, 3))])
def test_every_model_near_by_is_in_the_box(change: Change, lambdas: tuple[Fraction, ...]) -> None:
    rng = generator(12, f"{change}{len(lambdas)}")
    for _ in range(2):
        model = some_model(rng, 3, 2, lambdas)
        perturbation, epsilon = KINDS[change](model), F(1, 20)
        found = ModelsNear.of(perturbation, epsilon, model.schedule)
        box = found.times(RationalMatrix([[1, 2], [0, 1]]))
        touched = F(0)
        for _ in range(15):
            near = member(rng, perturbation, epsilon)
            assert perturbation.distance(near) <= epsilon
            LA = RationalMatrix([[1, 2], [0, 1]]) @ A_of(near)
            assert box.contains(LA)
            off = LA - (RationalMatrix([[1, 2], [0, 1]]) @ A_of(model))
            touched = max(touched, abs(off[0, 0]) / box.radius[0, 0])
        assert touched > F(1, 10), "the box is so wide that nothing would be noticed"
        wider = ModelsNear.of(perturbation, 2 * epsilon, model.schedule)
        assert wider.times(RationalMatrix([[1, 2], [0, 1]])).radius[0, 0] > box.radius[0, 0]


@pytest.mark.thorough
def test_a_forged_distance_is_refused_where_it_is_false() -> None:
    """Random models of two states and one feature: what the checker accepts is true at all corners."""
    rng, accepted, refused = generator(13, "forged"), 0, 0
    for _ in range(8):
        model = some_model(rng, 2, 1)
        change = list(Change)[int(rng.integers(4))]
        if change is Change.DISCOUNT and model.gamma is None:
            model = replace(model, discounts=(RationalMatrix.column([F(9, 10)] * 2),) * 2)
        verdict = STABLE if A_of(model)[0, 0] < 0 else UNSTABLE
        perturbation = KINDS[change](model)
        found = certified_around(perturbation, Update.TD, verdict, F(1, 50), F(1))
        if isinstance(found, str):
            continue
        for factor in (F(1, 2), F(1), F(3, 2), F(3)):
            claimed = ModelsNear.of(perturbation, min(F(1), found.within * factor), Schedule())
            try:
                replay(claimed, found.body)
            except Rejected:
                refused += 1
                continue
            accepted += 1
            signs = {A_of(one)[0, 0] > 0 for one in corners(perturbation, claimed.epsilon)}
            assert signs == {verdict is UNSTABLE}
    assert accepted > 8 and refused > 2


def test_on_policy_stability_holds_as_far_as_one_class_is_certain() -> None:
    rng = generator(14, "on-policy")
    model = some_model(rng, 3, 2)
    model = replace(model, target=model.behaviour, discounts=(RationalMatrix.column([F(9, 10)] * 3),) * 2)
    least = max(min(x for matrix in model.transitions for x in matrix.rows[s]) for s in range(3))
    found = certified_around(KINDS[Change.TRANSITIONS](model), Update.TD, STABLE, F(1, 100), F(1))
    assert not isinstance(found, str) and found.body.kind == "set_on_policy" and found.within > least / 2
    assert "whatever the probabilities" in replay(found.around, found.body)
    with pytest.raises(Rejected, match="not every state leads to it"):
        replay(ModelsNear.of(KINDS[Change.TRANSITIONS](model), F(1), Schedule()), found.body)
    with pytest.raises(Rejected, match="or the policies differ"):  # a policy that moves is another policy
        replay(ModelsNear.of(KINDS[Change.TARGET](model), F(1, 100), Schedule()), found.body)
    near_one = ModelsNear.of(KINDS[Change.DISCOUNT](model), F(1, 10), Schedule())
    with pytest.raises(Rejected, match="it is one"):
        replay(near_one, found.body)
    other = body_around(near_one, Update.TD, STABLE)
    assert other is None or other.kind == "set_stable"


def test_two_models_that_disagree_are_replayed_with_their_distance() -> None:
    model = theta_2theta()
    for change, beyond in ((Change.TRANSITIONS, F(3, 20)), (Change.BEHAVIOUR, F(1, 5)), (Change.TARGET, F(3, 20))):
        perturbation = KINDS[change](model)
        other = next(one for one in corners(perturbation, beyond) if A_of(one)[0, 0] < 0)
        for update in (Update.TD, Update.GTD):
            both = disagreement(perturbation, update, other, beyond)
            assert both is not None and f"{update}: two models of the set disagree" in replay(*both)
            nearer = ModelsNear.of(perturbation, beyond - F(1, 1000), Schedule())
            with pytest.raises(Rejected, match="farther from the model"):
                replay(nearer, both[1])
        assert disagreement(perturbation, Update.TD, model, beyond) is None
    perturbation = KINDS[Change.DISCOUNT](model)
    assert disagreement(perturbation, Update.TD, theta_2theta("5/6"), F(1, 15)) is None


def test_singular_is_more_than_dependent_features_make_it() -> None:
    """With the features φ and 2φ A is singular whatever φ says; beyond their null space it is at γ = 5/6 alone."""
    twice, none = RationalMatrix([[1, 2], [2, 4]]), RationalMatrix([[0], [0]])
    for features, place in ((RationalMatrix.column([1, 2]), ""), (twice, ", modulo the null space of Phi")):
        there, elsewhere = (theta_2theta(gamma).with_features(features) for gamma in ("5/6", "9/10"))
        found = singular_at(there)
        assert found is not None and singular_at(elsewhere) is None
        said = check_text(json.dumps(document(found, there, None)))
        assert f"A is singular, on the recurrent class of all 2 states{place} (" in said
    assert singular_at(theta_2theta("5/6").with_features(none)) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"interest": (F(1), F(1))}, "without interest"),
        ({"sampling": RationalMatrix.column([F(1, 2), F(1, 2)])}, "along a path"),
        ({"schedule": Schedule((F(-1, 2), F(1, 2)))}, "λ's from 0 to 1"),
        (
            {"schedule": Schedule((F(1, 2),)), "behaviour": RationalMatrix([[F(1, 2), F(1, 2)], [1, 0]])},
            "policies that",
        ),
    ],
    ids=["interest", "draws", "λ", "coverage"],
)
def test_certificates_that_the_checker_would_refuse_are_not_made(
    changes: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    """What is refused is said, and every certificate that lies in a report is accepted."""
    model = replace(theta_2theta(), **changes)
    found = tdcert.compare(model, "off_policy_td", robustness="discount")
    found.report(tmp_path / "report")
    (told,) = found.to_dict()["robustness"]
    assert told["certificate"] is None and said in told["why_no_certificate"]
    for path in told["counter_model"]["certificates"]:
        assert checker.check_file(str(tmp_path / "report" / path))


def sealed(certificate: dict[str, Any]) -> str:
    canonical = json.dumps(certificate["model"], sort_keys=True, separators=(",", ":"))
    return json.dumps({**certificate, "digest": hashlib.sha256(canonical.encode("ascii")).hexdigest()})


def changed(certificate: Mapping[str, Any], path: Sequence[str | int], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(dict(certificate))
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


UNIFORM = [["1/2", "1/2"]] * 2
FALSE: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("model", "format"), "tdcert-around/2", "is missing"),
    (("model", "change"), "rewards", "model.change"),
    (("model", "within"), "2", "outside [0, 1]"),
    (("model", "within"), "-1/100", "outside [0, 1]"),
    (("model", "within"), "3/20", "witness.factor_growth"),
    (("model", "model", "behaviour"), [["1", "0"]] * 2, "never taken in state 0"),
    (("model", "model", "discount"), "1/2", "witness.factor_growth"),
    (("model", "model", "schedule"), {"lambdas": ["3/2"]}, "a lambda is outside [0, 1]"),
    (("model", "model", "schedule"), {"by_state": ["1/2", "1/2"]}, "lambdas by time"),
    (("model", "model", "schedule"), {"constant": {"lambda": "1/2"}}, "schedules that end"),
    (("model", "model", "interest"), ["1", "1"], "no interest"),
    (("witness", "root"), 2, "witness.root"),
    (("witness", "vector"), ["0"], "the vector is zero"),
    (("witness", "lyapunov"), [["-1"]], "not positive at witness.vector"),
    (("kind",), "set_stable", "witness"),
]


@pytest.mark.parametrize(("path", "value", "said"), FALSE)
def test_a_false_statement_around_a_model_is_rejected(path: tuple[str | int, ...], value: Any, said: str) -> None:
    near = ModelsNear.of(KINDS[Change.TRANSITIONS](theta_2theta()), F(1, 10), Schedule())
    body = body_around(near, Update.TD, UNSTABLE)
    assert body is not None
    certificate = json.loads(json.dumps(document(body, near, None)))
    assert check_text(sealed(certificate))
    with pytest.raises(Rejected) as caught:
        check_text(sealed(changed(certificate, path, value)))
    assert said in str(caught.value)


def test_what_is_to_be_kept_is_asked_of_a_member() -> None:
    """Coverage, a discount below one, one number for one discount."""
    model = theta_2theta()
    target = KINDS[Change.TARGET](model)
    other = next(one for one in corners(target, F(3, 20)) if A_of(one)[0, 0] < 0)
    near, body = disagreement(target, Update.TD, other, F(3, 20)) or pytest.fail("they disagree")
    certificate = json.loads(json.dumps(document(body, near, None)))
    far = changed(certificate, ("witness", "one", "changed"), [["1", "0"]] * 2)
    with pytest.raises(Rejected, match="farther from the model than 3/20"):
        check_text(sealed(far))
    behaviour = KINDS[Change.BEHAVIOUR](model)
    mu = next(one for one in corners(behaviour, F(1, 5)) if A_of(one)[0, 0] < 0)
    near, body = disagreement(behaviour, Update.TD, mu, F(1, 2)) or pytest.fail("they disagree")
    uncovered = changed(
        json.loads(json.dumps(document(body, near, None))), ("witness", "one", "changed"), [["1", "0"]] * 2
    )
    with pytest.raises(Rejected, match="never taken"):
        check_text(sealed(uncovered))
    discount = KINDS[Change.DISCOUNT](model)
    lower = theta_2theta("3/4")
    near, body = disagreement(discount, Update.TD, lower, F(1, 5)) or pytest.fail("they disagree")
    certificate = json.loads(json.dumps(document(body, near, None)))
    assert "two models of the set disagree" in check_text(sealed(certificate))
    for value, said in (("1", "or a discount is one"), ({"left": ["3/4"] * 2, "right": ["3/4", "1/2"]}, "one number")):
        with pytest.raises(Rejected, match=said):
            check_text(sealed(changed(certificate, ("witness", "one", "changed"), value)))


@pytest.mark.thorough
def test_certificates_lie_in_the_report_and_are_counted(tmp_path: Path) -> None:
    found = tdcert.compare(tdcert.example("two_state_theta_2theta"), "off_policy_td,gtd,retrace", robustness=True)
    td, gtd, retrace = (found.robustness[name] for name in ("off_policy_td", "gtd", "retrace"))
    assert td.certified_within is not None and td.certified_within.exact == td.within.exact  # type: ignore[union-attr]
    assert gtd.certified_within is not None and retrace.certified_within is None
    told = found.to_dict()["robustness"]
    assert [one["certificate"] is None for one in told] == [False, False, True] and told[2][
        "why_no_certificate"
    ] == OF_A
    found.report(tmp_path / "report")
    paths = [one["certificate"]["path"] for one in told[:2]] + told[0]["counter_model"]["certificates"]
    paths += told[2]["counter_model"]["certificates"]
    assert len(set(paths)) == len(paths) >= 3
    for path in paths:
        assert checker.check_file(str(tmp_path / "report" / path))
