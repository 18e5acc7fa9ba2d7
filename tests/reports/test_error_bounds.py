"""Analyses in numbers with error bounds, from the command line to the page."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import diags_array

from tdcert.reports import cli
from tdcert.reports.numbers import decimal, exact_or_decimal, quotient, to_float
from tdcert.theory.files.npz import save_npz
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

CHAIN = {"format": "tdcert-model/1", "transitions": [["1/2", "1/2"], [1, 0]], "rewards": [0, 1], "discount": 0.9}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chain.json").write_text(json.dumps(CHAIN))


def archive(name: str, n: int, row: list[float]) -> None:
    """A walk on a ring as an archive: from s to s, s + 1 and s − 1 with these probabilities; features 1 and (s = 0)."""
    P = diags_array(
        [row[0], row[1], row[2], row[1], row[2]], offsets=[0, 1, -1, 1 - n, n - 1], shape=(n, n), format="csr"
    )
    features = np.column_stack([np.ones(n), np.arange(n) == 0]).astype(float)
    rewards = (np.arange(n) == 0).astype(float)
    save_npz(name, SparseModel.reward_process(P, rewards, Fraction(1, 2), features, Schedule()))


@pytest.mark.thorough
def test_an_archive_of_arrays_is_analysed_by_its_transitions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ring of 4 states, doubly stochastic: the law is uniform, C = [[1, 1/4], [1/4, 1/4]], and κ = γ = 1/2."""
    archive("ring.npz", 4, [0.5, 0.25, 0.25])
    monkeypatch.setattr(
        "tdcert.reports.documents.LARGEST_INLINE", 3
    )  # what is long goes to a side file, the page stays whole
    assert cli.main(["analyze", "ring.npz", "--out", "report"]) == 0
    out = capsys.readouterr().out
    assert "arithmetic: sparse" in out and "to compute them again: tdcert analyze ring.npz" in out
    document = json.loads(Path("report/analysis.json").read_text())
    assert document["arithmetic"] == "sparse" and document["replay"] == "tdcert analyze ring.npz"
    law = json.loads((Path("report") / document["stationary"]["file"]).read_text())
    assert [abs(to_float(x) - 0.25) < 1e-12 for x in law] == [True] * 4
    C = json.loads((Path("report") / document["C"]["file"]).read_text())
    assert [[round(to_float(x), 9) for x in row] for row in C] == [[1, 0.25], [0.25, 0.25]]
    claims_ = {row["id"]: (row["status"], row["grade"]) for row in document["claims"]}
    assert claims_["prop_4_1"] == ("holds", "enclosed")
    page = Path("report/index.html").read_text()
    assert "1: s0, s1, s2, s3" in page and "0.25 +/- " in page and "tdcert check" not in page
    assert cli.main(["analyze", "ring.npz", "--json", "--arithmetic", "exact"]) == 0
    exact = json.loads(capsys.readouterr().out)
    assert exact["arithmetic"] == "exact" and exact["replay"] is None


@pytest.mark.thorough
def test_arithmetic_and_bits_are_asked_for_and_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["analyze", "chain.json", "--json", "--bits", "100"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["arithmetic"] == "enclosed" and document["bits"] == 100
    assert document["replay"] == "tdcert analyze chain.json --json --bits 100"
    assert cli.main(["analyze", "chain.json", "--arithmetic", "sparse", "--bits", "100"]) == 2
    refused = capsys.readouterr().err
    assert refused.count("\n") == 1 and "100 bits" in refused
    assert cli.main(["analyze", "chain.json", "--bits", "10"]) == 2


def test_numbers_with_a_radius_are_read_and_shown() -> None:
    """The radius is shown where it reaches the digits that are, rounded up to two digits of its own."""
    assert quotient("-2.5e-3 +/- 1e-9") == (Decimal("-0.0025"), False)
    assert decimal("0.3333333333 +/- 1e-12") == "0.333333"
    assert decimal("0.3333333333 +/- 1.23e-3") == "0.333333 ± 0.0013"
    assert exact_or_decimal("0.25 +/- 1.21e-17") == "0.25 ± 1.3×10⁻¹⁷"
    assert to_float("1.5 +/- 1e-3") == 1.5
    assert decimal("-0.1", 3, "down") == "−0.1" and decimal("1e-7", 3, "up") == "1×10⁻⁷"
