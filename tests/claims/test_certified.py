"""Nowhere in a document stands ``certified`` without a certificate file, and the checker accepts the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tdcert.analysis.analyse import Arithmetic, Request, analyse
from tdcert.claims.claim import Claim, decide
from tdcert.claims.models import HALF, instances, two_absorbing_states, uncovered_models
from tdcert.claims.paper import ENTRIES
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import text
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.gallery import absorbing_pair, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Grade
from tdcert.verification import verify as verification
from tdcert.verification.verification import Verification
from tests.effort import by_default

SEED = 11


def graded(part: Any, where: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every part of a document that has the grade ``certified``, and where it stands."""
    if isinstance(part, dict):
        if part.get("grade") == "certified":
            yield where, part
        for key, inner in part.items():
            yield from graded(inner, f"{where}.{key}")
    elif isinstance(part, list):
        for k, inner in enumerate(part):
            yield from graded(inner, f"{where}[{inner.get('id', k) if isinstance(inner, dict) else k}]")


def audit(document: Any, certificates: Mapping[str, Any]) -> int:
    """How many parts are certified; each must have files, and the checker accepts every file."""
    found = 0
    for where, part in graded(document):
        assert part["certificates"] and set(part["certificates"]) <= set(certificates), where
        found += 1
    for certificate in certificates.values():
        checker.check_text(text(certificate))
    return found


def audit_of(run: Verification) -> int:
    """The same of a verification."""
    return audit(verdicts_document(run)["claims"], {kept.path: kept.body for kept in run.certificates})


def test_the_audit_sees_what_has_no_file() -> None:
    row = {"id": "irreducible", "scopes": [{"grade": "certified", "certificates": []}]}
    with pytest.raises(AssertionError, match=r"hypotheses\[irreducible\]\.scopes"):
        audit({"hypotheses": [row]}, {})


@pytest.mark.thorough
def test_in_a_verification_of_everything() -> None:
    """But of experiments, which take most of the time: what they certify are facts, which are asked below and in
    ``test_baird_facts.py``. Three statements had counterexamples without: a singular A, two laws, the null space of Φ.
    """
    ids = [entry.id for entry in ENTRIES if not entry.is_open and not entry.id.startswith("exp_")]
    assert {"thm_4_4_g_negative_definite", "thm_4_2", "trace_not_recursive"} <= set(ids)
    run = verification.verify(ids, "quick", SEED, silently)
    assert audit_of(run) >= 150
    for claim in run.claims:
        for found in claim.hypotheses:
            assert found.needed is not None, (claim.entry.id, found.id)


MODELS = (
    one_state(HALF),
    flip_chain(),
    absorbing_pair(),
    two_absorbing_states(),
    theta_to_two_theta(9 * HALF / 5),
    one_state(HALF).with_features(RationalMatrix([[0]])),
    *uncovered_models()[:1],
)


@pytest.mark.parametrize("model", by_default(1, MODELS), ids=lambda model: model.name or model.digest[:8])
def test_in_an_analysis(model: Model) -> None:
    names = tuple(str(s) for s in range(model.n))
    run = analyse(LoadedModel(model, names, [], [], "made up"), silently, Request(Arithmetic.EXACT))
    document = analysis_document(run)
    assert audit(document["claims"], {kept.path: kept.body for kept in run.certificates}) >= 5
    paths = {kept.path for kept in run.certificates}
    for row in document["algorithms"]:
        said = row["mean_dynamics"] or row["two_time_scales"]
        assert {said["certificate"], *row["certificates"]} <= paths, row["name"]


STRUCTURE = {"stationary_law", "irreducible", "reducible", "period"}
"""Kinds that speak of the behaviour chain alone: premises of a statement, seldom the statement."""
ONCE_WITHOUT = {"trace_variance", "lambda_outside_unit_interval"}
"""Claims that once had such certificates alone on some models: asked in every run, the others in a thorough one."""
CLAIMS = [
    pytest.param(entry.load(), marks=() if entry.id in ONCE_WITHOUT else pytest.mark.thorough, id=entry.id)
    for entry in ENTRIES
    if not entry.is_open
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_certificate_says_more_than_that_there_is_a_law(claim: Claim) -> None:
    """On each of the models that every claim is asked about, and for each fact: no claim is about the law itself."""
    for model in instances("quick", SEED):
        verdict = decide(claim, model).verdict
        if verdict.grade is Grade.CERTIFIED:
            kinds = {certificate.kind for certificate in verdict.certificates}
            assert kinds - STRUCTURE, f"{model.name}: {verdict.detail}"
    for fact in claim.facts() if claim.facts and claim.id != "exp_baird" else ():  # its facts: test_baird_facts.py
        assert {certificate.kind for certificate in fact.verdict.certificates} - STRUCTURE, fact.sentence
