"""The estimate of visits that would decide: called one, and enough where frequencies stay as they were."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import tdcert
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import verdict
from tests.theory.samples.test_sampled_model import episodes, noisy_two

F = Fraction


def visited(found: SampledModel, said: Any) -> SampledModel:
    """The set with so many more visits, at the frequencies that were seen."""
    rows: list[Any] = []
    for s, of_state in enumerate(found.rows):
        made = []
        for a, row in enumerate(of_state):
            more = said.starts if s in found.terminal else said.visits.get((s, a), 0)
            n = row.n + more
            counts = tuple(round(p * n) for p in row.centre) if more else row.counts
            made.append(replace(row, counts=counts))
        rows.append(tuple(made))
    return replace(found, rows=tuple(rows))


@pytest.mark.parametrize("make", [noisy_two, pytest.param(episodes, marks=pytest.mark.thorough)])
def test_so_many_visits_decide_and_each_pair_counts(make: Any) -> None:
    found = make(150)
    said = tdcert.estimate_visits(found)
    assert said.visits and said.answer in (MeanDynamics.STABLE, MeanDynamics.UNSTABLE)
    assert said.sentence.startswith("an estimate, if frequencies stay as they are: TD would be")
    assert verdict(visited(found, said), said.update).answer is said.answer
    for pair in said.visits:
        fewer = replace(said, visits={other: n for other, n in said.visits.items() if other != pair})
        assert verdict(visited(found, fewer), said.update).answer is MeanDynamics.UNDECIDED


def test_what_is_decided_needs_none() -> None:
    said = tdcert.estimate_visits(noisy_two(3000), "GTD")
    assert said.visits == {} and said.sentence == "GTD is decided"


def test_where_no_visits_would_help_the_reason_is_said() -> None:
    """γ p·φ' = φ for the centre: A is singular there, whatever the number of visits."""
    singular = tdcert.from_transitions(
        [0, 1] * 4, [0] * 8, None, [1, 0] * 4, n_states=2, n_actions=1, delta=0.05, discount=1, behaviour="uniform",
        features=[[1], [1]],
    )  # fmt: skip
    said = tdcert.estimate_visits(singular)
    assert said.visits is None and "4,096 times the visits would not decide either" in said.sentence


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: tdcert.estimate_visits(3), "give what tdcert.from_transitions gave"),  # type: ignore[arg-type]
        (lambda: tdcert.estimate_visits(noisy_two(10), "ETD"), "give TD, GTD or TDC"),
    ],
)
def test_what_is_asked_wrongly_is_refused(asked: Any, said: str) -> None:
    with pytest.raises(tdcert.InputError, match=said):
        asked()
