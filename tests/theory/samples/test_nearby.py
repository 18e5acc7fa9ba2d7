"""Verdicts over a set of models about any update: what is said is true of the models of the set."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms import NAMES, for_model, named
from tdcert.analysis.sampled import confident
from tdcert.reports.cli import main
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import algorithm
from tdcert.theory.engine.robustness import Asked
from tdcert.theory.errors import InputError
from tdcert.theory.samples.nearby import FEW, distance, reach, verdict_nearby
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import ConfidentVerdict, Update
from tests.effort import by_default
from tests.theory.samples.sampled import EPISODES, TWO, Table, some_laws, walk

F = Fraction
STABLE, UNSTABLE, UNDECIDED = MeanDynamics.STABLE, MeanDynamics.UNSTABLE, MeanDynamics.UNDECIDED


def visited(times: int, table: Table = TWO, **given: Any) -> SampledModel:
    """The set where each row came out as its law says, so many times 120."""
    terminal = given.get("terminal", ())
    rows = tuple(
        tuple(
            RowSet(tuple(int(120 * times * p) for p in law), tuple(j for j, p in enumerate(law) if p), F(1, 200))
            for law in row
        )
        for row in table
    )
    n, m = len(table), len(table[0])
    even, last = [F(1, m)] * m, [0] * (m - 1) + [1]
    target = RationalMatrix([even if s in terminal else last for s in range(n)])
    features = RationalMatrix(given.pop("features", [[1], [2]]))
    policies, gamma = (RationalMatrix([even] * n), target), given.pop("discount", F(9, 10))
    return SampledModel(rows, RationalMatrix([[0] * m] * n), *policies, gamma, features, F(1, 10), **given)


def asked_of(found: SampledModel, name: str) -> ConfidentVerdict:
    chosen = for_model(named(name), found.centre)[0]
    return verdict_nearby(found, chosen, name, chosen.two_scales)


def on_the_set(found: SampledModel, name: str) -> ConfidentVerdict:
    return confident(found, name)[name]


def test_no_law_of_a_row_is_farther_than_said() -> None:
    """Of two successors p moves within one interval, so the farther end is the distance; of more, by corners."""
    row = RowSet((30, 10), (0, 1), F(1, 100))
    (low, high), c = row.bounds[0], row.centre[0]
    assert reach(row) == max(high - c, c - low)
    for counts in ((5, 3, 2), (40, 0, 7), (1, 1, 1), (2, 3, 4, 5)):
        row = RowSet(counts, tuple(range(len(counts))), F(1, 100))
        assert min(reach(row), F(1)) >= corners(row) > reach(row) * F(9, 10)
    many = RowSet(tuple(range(1, FEW + 4)), tuple(range(FEW + 3)), F(1, 100))
    assert reach(many) >= corners(many)
    assert reach(RowSet((7, 0), (0,), F(1, 100))) == 0


def corners(row: RowSet) -> Fraction:
    """The largest distance of laws with all entries but one at ends of their intervals: corners of the box of laws."""
    best, k = F(0), row.k
    for free in range(k):
        for ends in product((0, 1), repeat=k - 1):
            law = [row.bounds[j][end] for j, end in zip((j for j in range(k) if j != free), ends, strict=True)]
            law.insert(free, 1 - sum(law, start=F(0)))
            low, high = row.bounds[free]
            if low <= law[free] <= high:
                best = max(best, sum((abs(p - c) for p, c in zip(law, row.centre, strict=True)), start=F(0)) / 2)
    return best


@pytest.mark.parametrize(
    "name", by_default(4, ["etd", "retrace", "tdrc", "htd", *sorted({*NAMES} - {"etd", "retrace", "tdrc", "htd"})])
)
def test_what_is_said_is_so_on_models_of_the_set(name: str) -> None:
    rng, decided = generator(3, f"nearby {name}"), 0
    for table, given in (
        (TWO, {}), (TWO, {"features": [[1, 0], [0, 1]]}),
        (EPISODES, {"terminal": (3,), "features": [[1], [2], [1], [0]]}),
    ):  # fmt: skip
        found = visited(10**6, table, **given)
        said = asked_of(found, name)
        if said.answer is UNDECIDED:
            continue
        decided += 1
        chosen = for_model(named(name), found.centre)[0]
        asked = Asked(chosen, [F(1)] * len(chosen.steps), chosen.two_scales)
        for _ in range(5):
            model = found.model_of(some_laws(found, rng))
            assert asked.verdict(model, model.classes[0]) is said.answer
    assert decided or name in NONE


NONE: tuple[str, ...] = ()
"""Algorithms of which these sets leave all undecided."""


@pytest.mark.thorough
def test_few_visits_do_not_decide_what_near_models_do_not_share() -> None:
    """Off-policy TD on θ→2θ with actions that fail is stable at .75 and unstable at .95, whatever the visits are; near
    the discount at which its sign changes some models of the set are either.
    """
    for gamma, answer in ((F(3, 4), STABLE), (F(19, 20), UNSTABLE)):
        assert asked_of(visited(10**5, discount=gamma), "off_policy_td").answer is answer
    low, high = F(3, 4), F(19, 20)
    for _ in range(12):
        middle = (low + high) / 2
        stable = asked_of(visited(10**12, discount=middle), "off_policy_td").answer is STABLE
        low, high = (middle, high) if stable else (low, middle)
    near = visited(10, discount=low)
    said = asked_of(near, "off_policy_td")
    assert said.answer is UNDECIDED and "not shown as far as it goes" in said.why
    signs = set()
    rng, asked = np.random.default_rng(0), Asked(for_model(named("off_policy_td"), near.centre)[0], [F(1)])
    for _ in range(20):
        model = near.model_of(some_laws(near, rng))
        signs.add(asked.verdict(model, model.classes[0]))
    assert signs == {STABLE, UNSTABLE}
    assert 0 < distance(visited(10**6)) < distance(visited(10)) < 1


def test_the_papers_are_decided_on_the_set_itself() -> None:
    found = visited(20, discount=F(19, 20))
    said = confident(found, "off_policy_td,gtd,tdc,etd")
    assert [one.update for one in said.values()] == [*Update, "etd"] and [*said][-1] == "etd"
    least = {
        kind: next(k for k in range(1, 40) if ask(visited(k, discount=F(19, 20)), "off_policy_td").grade)
        for kind, ask in (("set", on_the_set), ("ball", asked_of))
    }
    assert least["set"] < least["ball"], least
    assert confident(found).keys() == {"TD", "GTD", "TDC"}
    with pytest.raises(InputError, match="there is no algorithm 'tdx'"):
        confident(found, "tdx")


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def off_policy_td(t: Any, theta: Any, alpha: Any) -> Any:
    """An update of one's own with the name of one of the paper's: it moves away from zero."""
    return theta + alpha * t.phi * (t.phi @ theta)


def test_an_update_of_ones_own_is_not_taken_for_the_one_of_its_name() -> None:
    found = visited(10**5, discount=F(3, 4))
    assert on_the_set(found, "off_policy_td").answer is STABLE
    (said,) = confident(found, off_policy_td).values()
    assert said.answer is UNSTABLE and said.update == "off_policy_td"
    for word in Update:
        with pytest.raises(InputError, match=f"are called '{word}'; give yours another name"):
            confident(found, replace(off_policy_td, name=str(word)))


def test_what_is_not_asked_says_why() -> None:
    log = walk(TWO, np.random.default_rng(1), 200)
    unknown = log.sampled(TWO, behaviour="fixed", discount="9/10", features=[[1], [2]], delta="1/10")
    assert "name the policy" in confident(unknown, "etd")["etd"].why
    refuted = asked_of(visited(10**6), "gtd2")
    assert "at equal step sizes" in refuted.sentence and refuted.grade == "confident"


def test_the_command_and_python_take_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, place = walk(TWO, np.random.default_rng(2), 3000), tmp_path / "log.csv"
    rows = zip(log.states, log.actions, [0] * 3000, log.next_states, strict=True)
    place.write_text("states,actions,rewards,next_states\n" + "".join(f"{s},{a},{r},{t}\n" for s, a, r, t in rows))
    words = ["samples", str(place), "--states", "2", "--actions", "2", "--delta", "0.1", "--discount", "0.5"]
    assert main([*words, "--policy", "uniform", "--algorithms", "etd,tdrc,off_policy_td"]) == 0
    out = capsys.readouterr().out
    assert "etd is stable with confidence" in out and "tdrc at equal step sizes is stable" in out and "\nTD is" in out
    rows_of = tdcert.from_feature_rows([[1.0]] * 5, [[0.5]] * 5, discount=0.5, largest=1, delta=0.1)
    with pytest.raises(InputError, match="leave algorithms out"):
        tdcert.confident_verdicts(rows_of, "etd")
