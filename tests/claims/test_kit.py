"""What claim files are written with: identities evaluated, rows of proofs, refutations in words."""

from __future__ import annotations

import pytest

from tdcert.claims.claim import ProofError
from tdcert.claims.kit import each_class, explained, on, proof, proof_for_all, proved, proved_for_all, require, shown
from tdcert.claims.models import two_absorbing_states
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Scope, Status, Verdict


def test_an_identity_is_evaluated_in_every_case() -> None:
    asked: list[tuple[int, ...]] = []

    def always(*sizes: int) -> bool:
        asked.append(sizes)
        return True

    def below_three(n: int, length: int = 0) -> bool:
        return n + length < 3

    assert shown(always) == 1 and asked == [()]
    assert shown(always, below_three, at=(1, (1, 1), (2, 0))) == 6
    assert asked[1:] == [(1,), (1, 1), (2, 0)]
    for cases in ((3, 1), (1, 3), ((1, 0), (1, 2))):
        with pytest.raises(ProofError, match=r"below_three\((3|1, 2)\) does not hold"):
            shown(always, below_three, at=cases)


def test_a_row_of_a_proof_has_the_scope_that_it_says() -> None:
    here, everywhere = proved("at two sizes", 1, 1) + proved_for_all("by induction", 2)
    assert (here.scope, everywhere.scope) == (Scope.SIZES, Scope.ALL_SIZES)
    assert {here.grade, everywhere.grade} == {Grade.PROVED} and here.count == everywhere.count == 2
    assert proof("of three sizes", bool, at=(1, 2, 3))() == proved("of three sizes", 3)
    assert proof_for_all("of any size", lambda: True)() == proved_for_all("of any size", 1)
    with pytest.raises(ValueError, match="without a single case"):
        proved("of nothing", shown(bool, at=()))
    require(True, "it is so")
    with pytest.raises(ProofError, match="it is not so"):
        require(False, "it is not so")


def test_only_a_refutation_is_explained() -> None:
    model, witness = one_state(1), {"left value": "1", "right value": "2"}
    refuted = Verdict(Status.REFUTED, Grade.CERTIFIED, "1 is not 2", witness)
    found = explained(refuted, model, "the sides differ", "what is printed", "what is so", γ="1").verdict
    assert found.detail == "the sides differ"
    assert found.witness == {"γ": "1", "what is printed": "1", "what is so": "2"}
    holds = Verdict(Status.HOLDS, Grade.CERTIFIED, "1 is 1")
    assert explained(holds, model, "the sides differ", "left", "right").verdict is holds


def test_a_check_of_one_class_is_asked_of_every_class_with_what_it_is_given() -> None:
    @each_class
    def starts_at(model: Model, states: tuple[int, ...], allowed: int, *, least: int = 0) -> Verdict:
        """Whether the class begins between both numbers."""
        held = least <= states[0] <= allowed
        return Verdict(Status.HOLDS if held else Status.REFUTED, Grade.CERTIFIED, f"{states}", {"states": states})

    model = two_absorbing_states()
    assert starts_at.__doc__ == "Whether the class begins between both numbers."
    assert starts_at(model, 1).witness == {"states, from state 0 on": (0,), "states, from state 1 on": (1,)}
    refuted = on(model, starts_at, 0)
    assert refuted.verdict.status is Status.REFUTED and refuted.verdict.detail == "(1,)" and refuted.model is model
    assert on(model, starts_at, 1, least=1).verdict.detail == "(0,)"
