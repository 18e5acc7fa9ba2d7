"""Exact verdicts on one model: one recurrent class, each of them, and what is singular."""

from collections.abc import Iterator
from fractions import Fraction

import pytest

from tdcert.claims.models import jumps, meeting, one_state_two_actions, two_absorbing_states
from tdcert.claims.verdicts import (
    States,
    definite_or_not,
    holds,
    negative_definite,
    on_each_class,
    refuted,
    refuted_where_singular,
    undecided,
)
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.hypotheses import IRREDUCIBLE
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.paths import together
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.verdict import Certificate, Grade, Status, Verdict

HALF = Fraction(1, 2)
KEPT = Certificate("kept", {}, {})


def test_parts_are_one_verdict_where_all_hold() -> None:
    """The first that does not hold is the answer, undecided ones too, and what comes after it is not made."""
    made = []

    def parts(*given: Verdict) -> Iterator[Verdict]:
        for one in given:
            made.append(one.detail)
            yield one

    first, last = holds("first", by=[KEPT]), holds("last", by=[KEPT, None])
    found = together(parts(first, last), "both", {"x": "1"})
    assert (found.status, found.detail, found.witness) == (Status.HOLDS, "both", {"x": "1"})
    assert found.certificates == (KEPT, KEPT)
    for other in (undecided("why"), refuted("no")):
        made.clear()
        assert together(parts(first, other, last), "all") == other and made == ["first", other.detail]


def test_what_rests_on_balls_is_enclosed() -> None:
    """One part or one class that was decided in balls makes the whole so."""
    ball = Verdict(Status.HOLDS, Grade.ENCLOSED, "in balls")
    for parts in ([ball, holds("exact")], [holds("exact"), ball]):
        assert together(parts, "").grade is Grade.ENCLOSED
    for first in (0, 1):

        def decide(states: tuple[int, ...], k: int = first) -> Verdict:
            return ball if states == (k,) else holds("")

        found = on_each_class(decide, two_absorbing_states())
        assert (found.status, found.grade) == (Status.HOLDS, Grade.ENCLOSED)


def test_models_that_meet_a_hypothesis() -> None:
    one, two = one_state(HALF), two_absorbing_states()
    assert meeting(lambda: [one, two], IRREDUCIBLE)() == [one]


def test_every_class_is_asked_and_says_where_it_is() -> None:
    def decide(states: States) -> Verdict:
        return holds(f"as {states[0]}", {"x": str(states[0])}, by=[None, KEPT])

    found = on_each_class(decide, two_absorbing_states())
    assert (found.status, found.grade, found.detail) == (Status.HOLDS, Grade.CERTIFIED, "as 0; as 1")
    assert found.witness == {"x, from state 0 on": "0", "x, from state 1 on": "1"}
    assert found.certificates == (KEPT, KEPT)
    with_law = on_each_class(decide, two_absorbing_states(), "all", with_law=True)
    assert with_law.detail == "all" and [c.kind for c in with_law.certificates] == ["kept", "stationary_law"] * 2
    assert on_each_class(decide, one_state(HALF)).witness == {"x": "0"}


def test_the_first_class_that_does_not_hold_ends_it() -> None:
    asked: list[States] = []

    def decide(states: States) -> Verdict:
        asked.append(states)
        return refuted("not here", {"x": "1"}, by=[None, KEPT], undefined="θ*")

    found = on_each_class(decide, two_absorbing_states())
    assert asked == [(0,)] and found.status is Status.REFUTED and found.grade is Grade.CERTIFIED
    assert (found.detail, found.undefined, found.certificates) == ("not here", "θ*", (KEPT,))

    def exhausted(states: States) -> Verdict:
        raise BudgetExceededError("too many")

    assert on_each_class(exhausted, two_absorbing_states()) == undecided("too many")


def test_a_of_one_state_is_negative_below_gamma_one() -> None:
    assert negative_definite(one_state(HALF), (0,)).status is Status.HOLDS
    failing = negative_definite(one_state(1), (0,), "but ")
    assert failing.status is Status.REFUTED and failing.detail.startswith("but xᵀAx = 0")
    assert failing.witness["x"] and failing.certificates[0].kind == "not_definite"


@pytest.mark.parametrize(("gamma", "kind", "evidence"), [(HALF, "definite", "factor"), (1, "not_definite", "vector")])
def test_an_answer_about_a_class_is_certified_as_what_it_is(gamma: Fraction, kind: str, evidence: str) -> None:
    keys = theorem_matrices(one_state(gamma), (0,))
    kept = definite_or_not(keys, (0,), decide_positive_definite(RationalMatrix([[1 - gamma]])))
    assert kept.kind == kind and set(kept.witness) == {"stationary", evidence}


def test_what_is_singular_names_the_vector_and_what_is_missing() -> None:
    keys = theorem_matrices(one_state(1), (0,))
    found = refuted_where_singular(keys, (0,), "target", "no point", "−A⁻¹b")
    assert (found.detail, found.undefined) == ("no point", "−A⁻¹b") and found.witness == {"x": ["1"]}


def test_models_of_two_actions_and_of_jumps() -> None:
    coin = one_state_two_actions("coin", ("a", "b"), (HALF, HALF), (1, 0), (3, 5), Fraction(1, 4))
    assert [r[0, 0] for r in coin.rewards] == [3, 5] and coin.gamma == Fraction(1, 4)
    assert coin.behaviour.rows == ((HALF, HALF),) and coin.target.rows == ((1, 0),)
    law = [Fraction(1, 4), Fraction(3, 4)]
    model = jumps("jumps", law, (1, 1), RationalMatrix([[1], [2]]), HALF)
    assert model.behaviour_chain.stationary_law((0, 1)).column_entries() == tuple(law)
    assert model.target_kernel.P.rows == ((0, 1), (0, 1)) and model.target_kernel.r.is_zero()
