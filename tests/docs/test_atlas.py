"""The atlas: pages say what the data say, and what the data say of models is so."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tdcert.algorithms import NAMES, find
from tdcert.sweeps.questions.stability import STABLE, UNSTABLE, at_lambda, exact_word
from tdcert.sweeps.shrink import size
from tdcert.sweeps.statistics import share_limits
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.model.mdp import Model
from tests.docs.programs import program

DOCS = Path(__file__).parents[2] / "docs"
ATLAS = DOCS / "atlas"
DATA: dict[str, Any] = json.loads((ATLAS / "data.json").read_text(encoding="utf-8"))
KNOWN: dict[str, Any] = json.loads((ATLAS / "known.json").read_text(encoding="utf-8"))
LAM = Fraction(DATA["lam"])
ONE = Fraction(1)


def writer() -> Any:
    return program("write_atlas")


def test_pages_are_written_from_the_data() -> None:
    files = writer().pages(DATA, KNOWN)
    for name, text in files.items():
        if name.endswith(".md"):
            assert (ATLAS / name).read_text(encoding="utf-8") == text, f"run python docs/write_atlas.py: {name} is old"
    written = {path.name for path in ATLAS.iterdir()} - {"data.json", "known.json"}
    assert written == set(files)


def asked(word: str) -> Algorithm:
    return at_lambda(find(word)[0], LAM)


def test_links_of_the_pages_resolve() -> None:
    for page in ATLAS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+\.[a-z]+)\)", page.read_text(encoding="utf-8")):
            assert (ATLAS / target).exists(), f"{page.name} links to {target}"


def test_every_algorithm_has_its_page_and_its_share() -> None:
    assert list(KNOWN) == list(NAMES) and {word.partition("[")[0] for word in DATA["algorithms"]} == set(NAMES)
    for word, row in DATA["algorithms"].items():
        share = row["share"]
        assert (share is None) == KNOWN[word.partition("[")[0]]["matrix"].startswith("for steps → 0"), word
        if share is None:
            continue
        n, unstable, undecided = share["models"], share["unstable"], share["undecided"]
        low, high = share_limits(unstable, n, 0.99)[0], share_limits(unstable + undecided, n, 0.99)[1]
        assert share["limits"] == pytest.approx([low, high]) and n >= 10_000
        assert (row["smallest"] is not None) >= (unstable > 0)


def test_rows_say_what_they_were_asked_with_and_where_that_misleads() -> None:
    """ETD(λ, β) is asked where it differs from off-policy TD, and a gap of one is not the paper's algorithm."""
    rows = {
        line.split("|")[1].strip(): line
        for line in (ATLAS / "index.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| [")
    }
    assert all(word.replace("[", "\\[").replace("]", "\\]") in " ".join(rows) for word in DATA["algorithms"])
    shares = {word: row["share"] for word, row in DATA["algorithms"].items()}
    for word, repeated in (
        ("etd_beta[decay=19/40]", "off_policy_td"),
        ("q_sigma[sigma=1/2]", "off_policy_td"),
        ("abtd[psi=2]", "abtd"),
    ):
        assert shares[word]["unstable"] != shares[repeated]["unstable"]
        assert DATA["algorithms"][word]["asked_with"] == {k: str(v) for k, v in asked(word).options.items()}
    assert "β = 0, so that it repeats off_policy_td" in rows["[etd_beta](etd_beta.md)"]
    assert "not what the paper proposes" in rows["[direct_gtd](direct_gtd.md)"]
    first = (ATLAS / "direct_gtd.md").read_text(encoding="utf-8").splitlines()[2]
    assert first.startswith("**This is not the algorithm that the paper proposes.**")


@pytest.mark.thorough
@pytest.mark.parametrize("most", [2, pytest.param(7, marks=pytest.mark.thorough)])
def test_no_model_that_ships_is_smaller_than_the_smallest_found(most: int) -> None:
    own = writer()
    models = [model for model in own.known_models() if model.n <= most]
    assert {"θ→2θ", "flip chain"} <= {model.name for model in models}
    for word, row in DATA["algorithms"].items():
        for model in models if row["share"] else ():
            if exact_word(model, asked(word), ONE) == UNSTABLE:
                assert row["smallest"] is not None and row["smallest"]["size"] <= list(size(model)), (word, model.name)


def test_smallest_models_are_unstable_and_as_large_as_said() -> None:
    for name, row in DATA["algorithms"].items():
        smallest = row["smallest"]
        if smallest is None:
            continue
        model = Model.of_canonical(smallest["model"])
        assert list(size(model)) == smallest["size"]
        assert exact_word(model, asked(name), ONE) == UNSTABLE and writer().fits(model)
        J = RationalMatrix([[Fraction(x) for x in line] for line in smallest["mean_matrix"]])
        assert spectral_abscissa(J).sign == 1


@pytest.mark.thorough
def test_pairs_disagree_on_their_models() -> None:
    counts = {(row["stable"], row["unstable"]): row["count"] for row in DATA["pairs"]}
    assert len(counts) == len(DATA["pairs"])
    for row in DATA["pairs"]:
        place = row["smallest"]
        given = place["model"] if "model" in place else DATA["algorithms"][place["of"]]["smallest"]["model"]
        model = Model.of_canonical(given)
        assert list(size(model)) == place["size"]
        for role, word in (("stable", STABLE), ("unstable", UNSTABLE)):
            assert exact_word(model, asked(row[role]), ONE) == word
        assert row["count"] <= DATA["algorithms"][row["unstable"]]["share"]["unstable"]


def test_largest_steps_are_followed_by_what_is_no_decrease() -> None:
    steps = list(map(str, writer().STEPS))
    for word, row in DATA["algorithms"].items():
        for question, found in row["largest_steps"].items():
            count = 0 if found["step"] is None else steps.index(found["step"]) + 1
            assert ("next" in found) == (count < len(steps)), word
            if "next" in found:
                assert found["next"]["step"] == steps[count] and found["next"]["sign"] in (None, 0, 1), (word, question)
        # what dies out in mean square does so in the mean and on paths
        square, *others = (
            Fraction(row["largest_steps"][question]["step"] or 0) for question in ("mean_square", "mean", "paths")
        )
        assert all(square <= other for other in others), word


def test_signs_at_a_step_are_those_by_hand() -> None:
    """TD(0) on θ→2θ multiplies θ by 1 + 8α/5 and 1 − 4α/5, a fourth of the time each: the mean grows, as ½[[1, 1],
    [1 + 8α/5, 1 − 4α/5]] has an eigenvalue above one; paths die out where |(1 + 8α/5)(1 − 4α/5)| < 1, from 5/8 to 8/5.
    """
    td0 = at_lambda(find("off_policy_td")[0], Fraction(0))
    for alpha, paths in ((Fraction(1, 2), 1), (Fraction(3, 4), -1), (ONE, -1), (Fraction(3, 2), -1), (Fraction(2), 1)):
        assert writer().signs_at(td0, alpha) == {"mean": 1, "mean_square": 1, "paths": paths}
    nowhere = {"step": None, "next": {"step": "1/128", "sign": 1}}
    assert writer().largest_steps(td0) == dict.fromkeys(("mean", "mean_square", "paths"), nowhere)


@pytest.mark.parametrize("word", ["direct_gtd", "differential_td", "residual_gradient"])
def test_largest_steps_are_those_of_the_data(word: str) -> None:
    assert writer().largest_steps(asked(word)) == DATA["algorithms"][word]["largest_steps"]
