"""Verdicts over sets: on all of a set or not at all, with models that disagree; and how often they are wrong."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from scipy import stats

import tdcert
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics, decided
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.intervals import IntervalMatrix
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.verdict import (
    ConfidentVerdict,
    Update,
    below,
    distance_from_one,
    is_definite,
    verdict,
    verdicts,
    weights_below_one,
)
from tests.effort import by_default
from tests.theory.samples.sampled import EPISODES, TWO, Log, some_laws, walk
from tests.theory.samples.test_sampled_model import episodes, noisy_two, seen_once

F = Fraction
SEED = 11
SHARE = 1e-9
STABLE, UNSTABLE, UNDECIDED = MeanDynamics.STABLE, MeanDynamics.UNSTABLE, MeanDynamics.UNDECIDED


def answers(found: Any) -> list[MeanDynamics]:
    return [one.answer for one in verdicts(found)]


def test_few_data_do_not_decide_and_two_models_show_it() -> None:
    found = noisy_two(100)
    td, gtd, tdc = verdicts(found)
    assert {td.answer, gtd.answer, tdc.answer} == {UNDECIDED} and td.grade == ""
    assert td.sentence.startswith("TD: the data do not decide. The set is still too wide for one answer. Two models of")
    said = []
    for witness in td.disagree:
        assert found.contains(tuple(zip(*(P.rows for P in witness.model.transitions), strict=True)))
        (states,) = witness.model.behaviour_chain.recurrent_classes
        said.append(decided(behaviour_matrices(witness.model, states).A).mean_dynamics)
    assert sorted(said) == [STABLE, UNSTABLE]
    signs = []
    for witness in gtd.disagree:
        (states,) = witness.model.behaviour_chain.recurrent_classes
        signs.append(behaviour_matrices(witness.model, states).A.determinant() > 0)
    assert sorted(signs) == [False, True] and "singular A" in tdc.sentence


def test_off_policy_td_is_unstable_on_all_of_a_set_and_the_gradient_methods_stable() -> None:
    """Its true A is positive: d_1 = 0.525, A = d_0(γ(p_0 + 2p_1) − 1) + 2d_1(γ(p_0 + 2p_1) − 2) = 0.24."""
    found = noisy_two(3000)
    assert answers(found) == [UNSTABLE, STABLE, STABLE]
    rng = generator(SEED, "unstable")
    for _ in range(5):
        model = found.model_of(some_laws(found, rng))
        assert decided(behaviour_matrices(model, (0, 1)).A).mean_dynamics is UNSTABLE


@pytest.mark.parametrize("schedule", by_default(1, [None, Schedule((F(1, 2), F(1, 4)))]))
def test_off_policy_td_is_stable_on_all_of_a_set_of_episodes(schedule: Any) -> None:
    found = episodes(20_000, schedule=schedule)
    td, gtd, tdc = verdicts(found)
    assert (td.answer, gtd.answer, tdc.answer) == (STABLE, STABLE, STABLE) and not td.for_every_law
    assert "a Lyapunov matrix" in td.why and td.grade == "confident"


def test_on_policy_the_data_only_show_which_states_return() -> None:
    few = noisy_two(60, target=None, schedule="constant:1/2")
    td = verdict(few, Update.TD)
    assert td.answer is STABLE and td.for_every_law and "whatever the transition probabilities" in td.sentence
    assert answers(seen_once(1)) == [STABLE] * 3  # one class, with state 1 in it, where the feature is not zero
    assert answers(seen_once(0)) == [UNDECIDED] * 3
    assert verdict(seen_once(0), Update.TD).sentence.startswith(
        "TD is not decided: no state is reached from all others"
    )
    assert "class is not known for every model: state 1 was never left; declare" in verdict(seen_once(0), Update.TD).why
    far = Log([0], [0], [0], [False]).sampled(EPISODES[:1] * 4, delta="1/20", discount="1/2", behaviour="uniform")
    assert "3 states, the first of them 1, were never left" in verdict(far, Update.TD).why
    assert "or with terminal that episodes end there" in verdict(far, Update.TD).why


def test_where_the_theorem_does_not_speak_the_data_are_asked() -> None:
    """γ = 1 on-policy, and features that are dependent on the states that return."""
    undiscounted = noisy_two(3000, target=None, discount=1)
    assert not verdict(undiscounted, Update.TD).for_every_law
    dependent = noisy_two(3000, features=[[1, 2], [2, 4]])
    assert answers(dependent) == [UNDECIDED] * 3 and "give independent ones" in verdict(dependent, Update.GTD).why


def test_a_trace_without_end_is_not_enclosed_off_policy() -> None:
    endless = noisy_two(3000, schedule="constant:1/2")
    assert "give a schedule with one" in verdict(endless, Update.TD).why


def test_what_takes_too_long_is_not_begun_and_the_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rows of two successors, and one feature: eight."""
    monkeypatch.setattr("tdcert.theory.samples.verdict.SAMPLED_ENTRIES", 7)
    found = noisy_two(3000)
    td = tdcert.confident_verdicts(found)["TD"]
    assert td.answer is UNDECIDED and "successors × d² are 8, and at most 7" in td.why and "--limits 2" in td.why
    assert tdcert.confident_verdicts(found, limits=2)["TD"].answer is UNSTABLE
    assert verdict(noisy_two(60, target=None), Update.TD).answer is STABLE


def test_the_sentence_says_delta_and_what_is_assumed() -> None:
    sure, aggregated = noisy_two(3000), noisy_two(3000, markov=False)
    said = verdict(sure, Update.TD).sentence
    assert "1 − 1/20" in said and "at all times at once" in said and "Markov" not in said
    assert "TD is unstable with confidence, if these states are Markov:" in verdict(aggregated, Update.TD).sentence
    assert verdict(sure, Update.TDC).sentence.startswith("TDC on two time scales (β ≫ α) is stable with confidence:")


@pytest.mark.parametrize(
    "parts",
    [
        {"answer": MeanDynamics.MARGINAL},
        {"why": ""},
        {"delta": F(1)},
        {"disagree": (None,)},
        {"answer": STABLE, "disagree": (None, None)},
        {"answer": STABLE, "markov_refuted": True},
    ],
)
def test_a_verdict_that_cannot_be(parts: dict[str, Any]) -> None:
    given: dict[str, Any] = {"update": Update.TD, "answer": UNDECIDED, "why": "x", "delta": F(1, 2), "markov": True}
    ConfidentVerdict(**given)
    with pytest.raises(ValueError, match=r"verdict"):
        ConfidentVerdict(**{**given, **parts})


def random_table(rng: Any, n: int) -> Any:
    """n states and two actions, with some transitions that are impossible."""
    weights = rng.integers(0, 5, size=(n, 2, n)).tolist()
    return tuple(tuple(tuple(F(w, sum(law)) if sum(law) else F(1, n) for w in law) for law in row) for row in weights)


@pytest.mark.parametrize("seed", by_default(1, range(3)))
def test_what_is_said_of_a_set_is_true_of_its_models(seed: int) -> None:
    """Random models, features and schedules, off-policy: five models of each set are decided exactly."""
    rng, said = generator(seed, "random models"), 0
    for schedule in (None, Schedule((F(1, 2),)), Schedule((F(1), F(1, 3)))):
        n, d = int(rng.integers(2, 5)), int(rng.integers(1, 3))
        table, features = random_table(rng, n), rng.integers(1, 9, size=(n, d))
        given: dict[str, Any] = {"target": [1] * n, "features": features, "schedule": schedule, "discount": "19/20"}
        found = walk(table, rng, 5000).sampled(table, delta="1/20", behaviour="uniform", **given)
        td, gtd, _ = verdicts(found)
        for _ in range(5 if found.core else 0):
            model = found.model_of(some_laws(found, rng))
            (states,) = model.behaviour_chain.recurrent_classes
            A = behaviour_matrices(model, states).A
            assert td.answer is UNDECIDED or td.answer is decided(A).mean_dynamics
            assert gtd.answer is UNDECIDED or A.is_regular
        said += td.answer is not UNDECIDED
    assert said > 0


@pytest.mark.parametrize("scale", [F(10) ** 200, F(1, 10**200)])
@pytest.mark.parametrize(
    ("steps", "said", "models"), [(3000, [UNSTABLE, STABLE, STABLE], 0), (100, [UNDECIDED] * 3, 2)]
)
def test_the_scale_of_the_features_changes_nothing(
    scale: Fraction, steps: int, said: list[MeanDynamics], models: int
) -> None:
    found = verdicts(noisy_two(steps, features=[[scale], [2 * scale]]))
    assert [one.answer for one in found] == said and [len(one.disagree) for one in found] == [models] * 3


# ---- forms and inverses on a box, against its corners ----------------------------------------------------------


def box(middle: list[list[Fraction | int]], radius: Fraction) -> IntervalMatrix:
    rows = [[F(x) for x in row] for row in middle]
    return IntervalMatrix(
        tuple(tuple(x - radius for x in row) for row in rows), tuple(tuple(x + radius for x in row) for row in rows)
    )


def corners(A: IntervalMatrix) -> list[RationalMatrix]:
    ends = [pair for low, high in zip(A.lower, A.upper, strict=True) for pair in zip(low, high, strict=True)]
    d = A.shape[0]
    return [RationalMatrix([list(x[i * d : (i + 1) * d]) for i in range(d)]) for x in product(*ends)]


@pytest.mark.parametrize(("radius", "all_of_it"), [(F(1, 10), True), (F(99, 100), True), (F(1), False), (F(3), False)])
def test_a_form_on_a_box(radius: Fraction, all_of_it: bool) -> None:
    """2I ± r, entry by entry: positive definite below r = 1, where [[1, 1], [1, 1]] is met."""
    S = box([[2, 0], [0, 2]], radius)
    assert is_definite(below(S)) is all_of_it
    assert all(B[0, 0] > 0 and B.determinant() > 0 for B in corners(S) if B[0, 1] == B[1, 0]) is all_of_it
    assert not is_definite(below(S.scaled(F(-1))))


@pytest.mark.parametrize(("radius", "regular"), [(F(1, 4), True), (F(1, 2), False), (F(2), False)])
def test_a_box_near_the_identity(radius: Fraction, regular: bool) -> None:
    """The identity ± r: singular members from r = ½ on, as [[½, ½], [½, ½]]."""
    B = box([[1, 0], [0, 1]], radius)
    assert (weights_below_one(distance_from_one(B)) is not None) is regular
    assert any(corner.determinant() == 0 for corner in corners(B)) is (radius == F(1, 2))
    assert distance_from_one(box([[F(1, 2), 0], [0, 3]], F(1, 8))).rows == ((F(5, 8), F(1, 8)), (F(1, 8), F(17, 8)))
    assert weights_below_one(RationalMatrix([[F(1, 2), 0], [0, 2]])) is None
    assert weights_below_one(RationalMatrix([[0, 5], [0, 0]])) is not None
    assert weights_below_one(RationalMatrix([[0, 5], [F(1, 5), 0]])) is None


# ---- calibration -----------------------------------------------------------------------------------------------


def least_tried(log: Log, s: int) -> int:
    """The action that was taken less often in a state, and after a surprise the other one: behaviour that adapts."""
    tried = [sum(t == s and a == b for t, a in zip(log.states, log.actions, strict=True)) for b in range(2)]
    surprised = bool(log.next_states) and log.next_states[-1] != log.actions[-1]
    return int(tried[1] < tried[0]) ^ int(surprised)


@cache
def excluded(action: int, counts: tuple[int, ...], possible: tuple[int, ...], share: Fraction) -> bool:
    """Whether the set of a row of :data:`TWO` does not hold its law: both states have the same rows."""
    return RowSet(counts, possible, share).excludes(TWO[0][action])


def first_miss(log: Log, share: Fraction, declared: bool = True) -> int | None:
    """The transition after which the set first did not hold the true model, looked at after each; or None."""
    counts = [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]
    for t, (s, a, after) in enumerate(zip(log.states, log.actions, log.next_states, strict=True)):
        row = counts[s][a]
        row[after] += 1
        if excluded(a, tuple(row), (0, 1) if declared else tuple(j for j in range(2) if row[j]), share):
            return t
    return None


CALIBRATED = F(1, 5)
STEPS = 50
ASKED: tuple[tuple[dict[str, Any], MeanDynamics], ...] = (
    ({"discount": F(13, 15), "target": [1, 1]}, UNSTABLE),
    ({"discount": F(19, 22), "target": [1, 1]}, STABLE),
    ({"discount": F(3, 4), "target": [1, 1]}, STABLE),
    ({"discount": F(19, 20), "target": [0, 0]}, STABLE),
    ({"discount": F(1, 2)}, STABLE),
)
"""Questions about :data:`TWO` and what is true of it. Under the even policy d_1 = 21/40; the target leads to state 1
with q = 19/20 or 1/10, so A = d_0(γ(1 + q) − 1) + 2d_1(γ(1 + q) − 2) is 0.002, −0.007, −0.35, −0.98: on both sides of
zero and near it, then far from it. The last is on-policy.
"""


@pytest.mark.parametrize("sets", [60, pytest.param(2000, marks=pytest.mark.thorough)])
def test_the_true_model_is_missed_and_verdicts_are_wrong_as_seldom_as_said(
    sets: int, error_budget: ErrorBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adaptive behaviour, a look after every step, and who knows the truth stops where it is missed first: each data
    set gets a verdict, and no verdict is wrong where the model was not missed. The same counts catch a set with
    successors read off the data, and verdicts about the frequencies.
    """
    monkeypatch.setattr("tdcert.theory.samples.verdict._disagree_about_td", lambda _: ())  # a search, no verdict
    monkeypatch.setattr("tdcert.theory.samples.transitions.RowSet", cache(RowSet))  # few counts, many data sets
    rng, misses, wrong, caught = generator(SEED, f"calibrated {sets}"), 0, 0, 0
    given: dict[str, Any] = {"delta": CALIBRATED, "behaviour": "uniform", "features": [[1], [2]]}
    share, said, fooled = noisy_two(1, delta=CALIBRATED).rows[0][0].delta, [0] * len(ASKED), 0
    assert share == CALIBRATED * F(9, 10) / 4
    for k in range(sets):
        log = walk(TWO, rng, STEPS, choose=least_tried)
        miss = first_miss(log, share)
        caught += first_miss(log, share, declared=False) is not None
        asked, truth = ASKED[k % len(ASKED)]
        found = log.until(STEPS if miss is None else miss + 1).sampled(TWO, **asked, **given)
        answer = verdict(found, Update.TD).answer
        said[k % len(ASKED)] += answer is not UNDECIDED
        wrong += answer not in (truth, UNDECIDED)
        misses += miss is not None
        assert miss is not None or answer in (truth, UNDECIDED)
        fooled += k % len(ASKED) < 2 and (found.in_floats(found.centre_laws).A.array[0, 0] > 0) != (truth is UNSTABLE)
    allowed = stats.binom.isf(error_budget.spend(f"samples: models, {sets} sets", SHARE), sets, float(CALIBRATED))
    assert wrong <= misses <= allowed < caught
    assert min(said[2:]) > sets / len(ASKED) / 2  # far from zero, so many visits decide
    near = 2 * sets // len(ASKED)
    assert sets < 1000 or fooled > stats.binom.isf(SHARE, near, float(CALIBRATED))


@pytest.mark.thorough
def test_misses_do_occur_and_delta_that_is_not_divided_is_caught() -> None:
    """At δ = ½ more than 2 % are missed; with δ = ½ for each of 40 rows alone, more than half of the sets are."""
    rng, sets = generator(SEED, "power"), 100
    fair = (F(1, 2), F(1, 2))
    alone = whole = 0
    for _ in range(sets):
        flips = rng.integers(2, size=(40, 60)).tolist()

        def out(delta: Fraction, rows: list[list[int]]) -> bool:
            for draws in rows:
                ones = 0
                for n, x in enumerate(draws, start=1):
                    ones += x
                    if RowSet((n - ones, ones), (0, 1), delta).excludes(fair):
                        return True
            return False

        alone += out(F(1, 2), flips[:1])
        whole += out(F(1, 2), flips)
    assert alone > 0.02 * sets
    assert whole > stats.binom.isf(SHARE, sets, 0.5)


# ---- from Python -----------------------------------------------------------------------------------------------


def test_the_public_face_gives_the_same() -> None:
    log = walk(EPISODES, generator(SEED, "face"), 3000, [3])
    found = tdcert.from_transitions(
        log.states,
        log.actions,
        [1.0] * 3000,
        log.next_states,
        n_states=4,
        n_actions=2,
        delta=0.05,
        discount=0.9,
        behaviour="uniform",
        terminated=log.terminated,
        terminal=[3],
    )
    said = tdcert.confident_verdicts(found)
    assert list(said) == ["TD", "GTD", "TDC"] and said["TD"].answer is STABLE
    assert found.centre.features.shape == (4, 3) and found.centre.rewards[0][0, 0] == 1
    with pytest.raises(tdcert.InputError, match=r"give what tdcert\.from_transitions gave"):
        tdcert.confident_verdicts(found.centre)  # type: ignore[arg-type]
