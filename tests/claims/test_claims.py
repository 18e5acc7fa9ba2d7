"""Every decided claim: its proof, its instances, its ablations, and the model on which it must fail.

Each test is named after the claims' ids, so ``pytest -k prop_4_1`` runs everything about Proposition 4.1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

from tdcert.claims import paper
from tdcert.claims.claim import Ablation, Claim, Reading, decide
from tdcert.claims.models import gallery_models, random_instances
from tdcert.claims.paper import BEYOND, ENTRIES, Entry
from tdcert.reports.mathml import rich_text
from tdcert.reports.terminal import show_claim
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.reports.verification_page import verification_page
from tdcert.sims.judge.agreement import ASSUMED, Agreement, ErrorBudget
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import NONNEGATIVE_REWARDS
from tdcert.theory.errors import InputError
from tdcert.theory.figures import Figure
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Grade, Scope, Status
from tdcert.verification import verify as verification
from tdcert.verification.verification import Verification
from tests.claims.circular import circular
from tests.effort import IN_FULL, later
from tests.quality import paper_anchors
from tests.replay import replay

DECIDED = [entry for entry in ENTRIES if not entry.is_open]
CLAIMS = [entry.load() for entry in DECIDED]
BY_ID = {claim.id: claim for claim in CLAIMS}
EACH_CLAIM = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
ABLATIONS = [(claim, ablation) for claim in CLAIMS for ablation in claim.ablations]
SEARCHED_LONG = ("sharp_modulus", "m_contraction", "prop_4_1")
"""Whose boxes are large: by default others are searched in the same way, and `tdcert verify` searches all."""
EACH_ABLATION = pytest.mark.parametrize(
    ("claim", "ablation"),
    [
        pytest.param(*row, marks=pytest.mark.thorough)
        if row[0].id in SEARCHED_LONG and row[1].hypothesis.id == "on_policy"
        else row
        for row in ABLATIONS
    ],
    ids=[f"{claim.id}-{ablation.hypothesis.id}" for claim, ablation in ABLATIONS],
)
SEED = 7
Record = Callable[[str, str, object], None]


@pytest.fixture(scope="module")
def models() -> list[Model]:
    """At most eight states, by default five; `.ci/run` asks larger models too in `tdcert verify`."""
    largest, count = (8, 7) if IN_FULL else (5, 5)
    return [*(model for model in gallery_models() if model.n <= largest), *random_instances(SEED, count)]


@pytest.fixture(scope="module")
def many_models() -> list[Model]:
    return [*gallery_models(), *random_instances(SEED, 40)]


@EACH_CLAIM
def test_the_general_proof_goes_through(claim: Claim, exercised: Record) -> None:
    assert claim.prove is not None
    evidence = claim.prove()
    assert evidence
    exercised(claim.id, "grade", Grade.PROVED)
    assert all(found.grade is Grade.PROVED and found.scope in (Scope.ALL_SIZES, Scope.SIZES) for found in evidence)


@pytest.mark.parametrize(
    "claim", later(CLAIMS, lambda claim: claim.id == "path_growth"), ids=[claim.id for claim in CLAIMS]
)
def test_it_holds_wherever_its_hypotheses_do_and_the_checker_agrees(
    claim: Claim, models: list[Model], exercised: Record
) -> None:
    met = met_and_held(claim, models)
    assert met >= 3
    exercised(claim.id, "models", met)
    exercised(claim.id, "grade", Grade.CERTIFIED)
    exercised(claim.id, "stated" if claim.corrected is None else "corrected", Status.HOLDS)


@pytest.mark.thorough
@EACH_CLAIM
def test_it_holds_on_many_models_and_the_checker_agrees(claim: Claim, many_models: list[Model]) -> None:
    """On every size with every kind of features, and every schedule."""
    assert met_and_held(claim, many_models) >= 10


def met_and_held(claim: Claim, models: list[Model]) -> int:
    """On how many models the hypotheses hold; there the claim must hold, with certificates that the checker accepts.

    Rewards are drawn with both signs: a claim about rewards that are not negative is asked with their magnitudes.
    """
    met = 0
    for model in map(with_magnitudes, models) if NONNEGATIVE_REWARDS in claim.hypotheses else models:
        verdict = decide(claim, model).verdict
        assert verdict.status in (Status.HOLDS, Status.HYPOTHESIS_VIOLATED), (model.name, verdict)
        if verdict.status is Status.HOLDS:
            met += 1
            assert verdict.certificates, "a certified verdict without a certificate"
            for certificate in verdict.certificates:
                replay(certificate, model, claim.id)
    return met


def with_magnitudes(model: Model) -> Model:
    """The same with |R| for R."""
    return replace(model, rewards=tuple(RationalMatrix([list(map(abs, row)) for row in R.rows]) for R in model.rewards))


@EACH_ABLATION
def test_dropping_a_hypothesis_alone(claim: Claim, ablation: Ablation, exercised: Record) -> None:
    """The smallest counterexample is found and accepted by the checker; or the hypothesis is not needed."""
    others = [h for h in claim.hypotheses if h.id != ablation.hypothesis.id]

    def violates_it_alone(model: Model) -> bool:
        return not ablation.hypothesis.ask(model).satisfied and all(h.ask(model).satisfied for h in others)

    if ablation.supports is None:
        found = verification.find_counterexample(claim, ablation)
        assert found is not None, "no counterexample was found"
        model, verdict, _ = found
        assert violates_it_alone(model)
        assert verdict.status is Status.REFUTED and verdict.grade is Grade.CERTIFIED
        assert verdict.witness
        assert verdict.certificates, "needed, without a file"
        for certificate in verdict.certificates:
            replay(certificate, model, claim.id)
        assert verdict.undefined or not circular(ablation.hypothesis.id, verdict.certificates), (
            "the certificates say that the hypothesis fails, and nothing of the statement"
        )
        exercised(claim.id, "needed", ablation.hypothesis.id)
    else:
        for model in ablation.supports():
            assert violates_it_alone(model)
            verdict = claim.check(model)
            assert verdict.status is Status.HOLDS and verdict.certificates
        exercised(claim.id, "not_needed", ablation.hypothesis.id)


def test_telescoping_fails_for_a_sum_without_its_discount(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.theory.model import key_matrices

    model = random_instances(SEED, 1)[0].with_schedule(Schedule((Fraction(1, 2),)))
    assert BY_ID["telescoping"].check(model).status is Status.HOLDS
    monkeypatch.setattr(key_matrices, "horner_S", lambda N, lam, X, inner: X + inner.scaled(lam))
    assert BY_ID["telescoping"].check(model).status is Status.REFUTED


NOT_DECIDED_AS_PRINTED = {"thm_4_3": "Theorem 4.2, which is false as printed"}
"""Printed readings that are neither shown nor refuted, and what is missing, in the words of the verdict."""


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.judge_stated is not None], ids=lambda claim: claim.id)
def test_the_printed_reading_is_judged_on_its_own(claim: Claim, exercised: Record) -> None:
    assert claim.judge_stated is not None
    refutation = claim.judge_stated()
    verdict = refutation.verdict
    exercised(claim.id, "stated", verdict.status)
    assert (verdict.status is Status.UNDECIDED) is (claim.id in NOT_DECIDED_AS_PRINTED)
    if verdict.status is Status.REFUTED:
        assert verdict.witness and refutation.model is not None
        assert refutation.model.n <= 2 or claim.empirical, "a witness should be small enough to check by hand"
        for certificate in verdict.certificates:
            replay(certificate, refutation.model, claim.id)
    else:
        assert verdict.status is Status.UNDECIDED and NOT_DECIDED_AS_PRINTED[claim.id] in verdict.detail


PRINTED: dict[str, dict[str, str]] = json.loads(paper_anchors.DIGESTS.read_text(encoding="utf-8"))


@EACH_CLAIM
def test_its_place_in_the_paper_exists(claim: Claim) -> None:
    assert claim.anchors or claim.stated.quote
    for anchor in claim.anchors:
        assert paper_anchors.digest(anchor) in PRINTED[claim.id], f"'{anchor}' does not stand in the paper's source"


@pytest.mark.parametrize("entry", DECIDED, ids=lambda entry: entry.id)
def test_its_printed_reading_quotes_the_paper(entry: Entry) -> None:
    """What stands under "As printed" has a phrase of the source beside it; what is our own has none."""
    claim = entry.load()
    own = [reading for reading in (claim.corrected, claim.sharper) if reading is not None]
    if entry.section == BEYOND:
        own.append(claim.stated)
    else:
        quote = claim.stated.quote
        assert paper_anchors.digest(quote) in PRINTED[claim.id], f"'{quote}' does not stand in the source"
        assert len(paper_anchors.in_one_line(quote)) >= 15 and claim.stated.place
    assert all(reading.quote == reading.place == "" for reading in own)


def test_the_digests_are_those_of_what_is_cited() -> None:
    """Nothing else has a digest: what a claim no longer cites leaves the file."""
    cited = {
        entry.id: {paper_anchors.digest(text) for text in paper_anchors.cited(entry.load(), entry.section)}
        for entry in DECIDED
    }
    assert {claim_id: set(found) for claim_id, found in PRINTED.items()} == cited


if paper_anchors.PAPER is not None:  # the paper's source is not part of this repository

    def test_the_digests_are_those_of_the_source(paper: Path = paper_anchors.PAPER) -> None:
        source = paper.read_text(encoding="utf-8")
        assert paper_anchors.digests(source) == PRINTED, "run python -m tests.quality.paper_anchors"
        assert all(anchor in source for claim in CLAIMS for anchor in claim.anchors)


def test_a_phrase_that_is_not_printed_is_not_found() -> None:
    source = "\\begin{lemma}\nThe matrix $A$ is negative\ndefinite.\n\nThe matrix \\(C\\) is not.\n"
    found = paper_anchors.paragraph("The matrix\n  $A$ is   negative definite.", source)
    assert found == "\\begin{lemma}\nThe matrix $A$ is negative\ndefinite."
    assert paper_anchors.paragraph("matrix $C$ is", source) == "The matrix \\(C\\) is not.\n"
    with pytest.raises(ValueError, match="does not stand in the paper's source"):
        paper_anchors.paragraph("The matrix $A$ is positive definite.", source)


def test_what_is_commented_out_is_not_printed() -> None:
    source = "Of these 50\\% are small. % The matrix $B$ is large.\n% so is $C$\nThey are many.\n"
    assert paper_anchors.paragraph("small. They are", source) == "Of these 50\\% are small. \nThey are many.\n"
    for commented in ("The matrix $B$ is large.", "so is $C$"):
        with pytest.raises(ValueError, match="does not stand in the paper's source"):
            paper_anchors.paragraph(commented, source)


@EACH_CLAIM
def test_its_readings_can_be_typeset(claim: Claim) -> None:
    readings = [reading for reading in (claim.stated, claim.corrected, claim.sharper) if reading is not None]
    for said in (said for reading in readings for said in (reading.statement, reading.quote)):
        typeset = str(rich_text(said))
        assert said.count("$") % 2 == 0 and "merror" not in typeset and "<code>" not in typeset, said


def test_a_quote_needs_its_place() -> None:
    for quote, place in (("a phrase", ""), ("", "§2")):
        with pytest.raises(ValueError, match="come together"):
            Reading("x = 1", quote=quote, place=place)


def test_a_claim_is_sharpened_or_corrected_not_both() -> None:
    with pytest.raises(ValueError, match="belongs into the corrected reading"):
        replace(BY_ID["thm_3_2"], sharper=Reading("more"))


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.facts and not c.empirical], ids=lambda claim: claim.id)
def test_what_its_own_models_show_holds_and_the_checker_agrees(claim: Claim) -> None:
    assert claim.facts is not None
    for fact in claim.facts():
        assert fact.verdict.status is Status.HOLDS, (fact.sentence, fact.verdict)
        assert fact.verdict.certificates
        for certificate in fact.verdict.certificates:
            replay(certificate, fact.model, claim.id)


@EACH_CLAIM
def test_its_file_keeps_the_common_order(claim: Claim) -> None:
    doc = __import__(f"tdcert.claims.dgb22.{claim.id}", fromlist=["CLAIM"]).__doc__ or ""
    order = [doc.find(f"\n{part}:") for part in ("Place", "Statement", "Hypotheses", "Model", "Check", "Closed form")]
    assert -1 not in order and order == sorted(order), (
        f"claims/{claim.id}.py lacks a part of its docstring, or has it out of order"
    )


def test_every_file_in_claims_that_holds_a_claim_is_in_the_table() -> None:
    folder = Path(verification.__file__).parents[1] / "claims"
    holding = {path.stem for path in folder.glob("dgb22/*.py") if "\nCLAIM = " in path.read_text(encoding="utf-8")}
    assert holding == {entry.id for entry in DECIDED}


def test_ids_are_unique() -> None:
    ids = [entry.id for entry in ENTRIES]
    assert len(ids) == len(set(ids))


# ---- known wrong statements must be seen to fail -----------------------------------------------------


def test_prop_4_1_would_be_refuted_with_its_sign_turned(models: list[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check, on −A instead of A: refuted wherever the proposition holds."""
    from tdcert.theory.check import mean_dynamics

    claim = BY_ID["prop_4_1"]
    met = [model for model in models if model.n <= 6 and decide(claim, model).verdict.status is Status.HOLDS]
    assert len(met) >= 3
    straight = vars(mean_dynamics)["theorem_matrices"]
    turned = {model: replace(straight(model, model.behaviour_chain.recurrent_classes[0])) for model in met}
    for model, keys in turned.items():
        keys.__dict__["A"] = -straight(model, model.behaviour_chain.recurrent_classes[0]).A
    monkeypatch.setattr(mean_dynamics, "theorem_matrices", lambda model, states: turned[model])
    forget = vars(mean_dynamics.decide_negative_definite)["cache_clear"]
    forget()
    try:
        for model in met:
            assert claim.check(model).status is Status.REFUTED
    finally:
        forget()


SIMULATED_AT_ONCE = ("two_timescale_ratio",)
"""The others take a second to minutes: `.ci/run` has all of them in `tdcert verify`."""


@pytest.mark.parametrize(
    "claim",
    [
        claim if claim.id in SIMULATED_AT_ONCE else pytest.param(claim, marks=pytest.mark.thorough)
        for claim in CLAIMS
        if claim.simulate is not None
    ],
    ids=lambda claim: claim.id,
)
def test_its_simulations_agree_with_theory(claim: Claim, error_budget: ErrorBudget, exercised: Record) -> None:
    assert claim.simulate is not None
    found = claim.simulate(SEED, error_budget)
    assert len(found) >= 2
    for simulated in found:
        assert simulated.agreement.agrees, simulated.agreement.sentence()
        if isinstance(simulated.agreement, Agreement):
            assert all(map(isfinite, simulated.agreement.detectable)), "no deviation is promised to be caught"
        if simulated.stated is not None:
            exercised(claim.id, "stated", simulated.stated.status)
        if claim.empirical:
            continue
        for figure in simulated.figures:
            if figure.name.startswith("means_"):  # not a distance: tests/sims/test_mean_evidence.py
                continue
            assert isinstance(figure, Figure)
            first, last = figure.series[0].y[0], figure.series[0].y[-1]
            assert last < first / 100, f"{figure.name}: the mean iterate does not approach the fixed point"
    exercised(claim.id, "grade", Grade.CONSISTENT)


# ---- the run as a whole --------------------------------------------------------------------------------


QUICK = ["weight_matrix_rows", "n_step_special_case", "prop_4_1", "thm_4_4_g_negative_definite"]


def comparable(run: Verification) -> str:
    """Everything but the environment, and but the differences from predictions."""
    document = verdicts_document(run)
    claims = json.dumps([document["claims"], document["error_budget"]], sort_keys=True)
    return claims + json.dumps([(kept.path, kept.body) for kept in run.certificates], sort_keys=True)


def test_a_row_quotes_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    """The document and the pages carry quote, place and what is sharper; what is our own is not called printed."""
    run = verification.verify(["weight_matrix_recursion", "negative_margin"], "quick", SEED, silently)
    document = verdicts_document(run)
    printed, own = document["claims"]
    claim = BY_ID["weight_matrix_recursion"]
    assert (printed["stated"]["quote"], printed["stated"]["place"]) == (claim.stated.quote, claim.stated.place)
    assert claim.sharper is not None and printed["sharper"] == {"status": "holds", "statement": claim.sharper.statement}
    assert own["stated"]["quote"] == "" and own["sharper"] is None
    html = verification_page(run)
    opening = '<article class="claim" id="{}">'
    mine, theirs = (html.split(opening.format(c["id"]))[1].split("</article>")[0] for c in (own, printed))
    assert str(rich_text(claim.stated.quote)) in theirs and claim.stated.place in theirs
    assert "As printed" in theirs and "Sharper, not printed" in theirs and "holds as printed" in theirs
    assert "printed" not in mine and "Statement" in mine
    for found in run.claims:
        show_claim(found, "decided just now")
    shown = " ".join(capsys.readouterr().out.split())
    assert "“In general we must ensure that" in shown and "Sharper, not printed" in shown
    assert "Finding: holds as printed" in shown and "Finding: holds (" in shown


@pytest.mark.thorough
def test_predictions_are_never_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scrambled predictions leave the verdicts byte-identical, and are reported as differences."""
    asked = ["weight_matrix_rows", "prop_4_1"]
    straight = verification.verify(asked, "quick", SEED, silently)
    assert straight.summary.differences == ()
    assert straight.error_budget_assumes == ASSUMED
    scrambled = tmp_path / paper.SEED.id / "predictions.json"
    scrambled.parent.mkdir()
    predictions = json.loads((verification.PREDICTIONS / paper.SEED.id / scrambled.name).read_text(encoding="utf-8"))
    ids = list(predictions)
    shifted = {claim_id: predictions[ids[(k + 3) % len(ids)]] for k, claim_id in enumerate(ids)}
    scrambled.write_text(json.dumps(shifted), encoding="utf-8")
    monkeypatch.setattr(verification, "PREDICTIONS", tmp_path)
    crooked = verification.verify(asked, "quick", SEED, silently)
    assert crooked.summary.differences
    assert comparable(crooked) == comparable(straight)


@pytest.mark.thorough
def test_workers_side_by_side_find_the_same() -> None:
    """Two processes, which start with nothing, and this one: the same verdicts, certificates, pictures and shares."""
    labels: list[str] = []
    asked = ["weight_matrix_rows", "two_timescale_ratio"]
    alone = verification.verify(asked, "quick", SEED, silently)
    shared = verification.verify(asked, "quick", SEED, lambda done, total, label: labels.append(label), workers=2)
    assert comparable(shared) == comparable(alone)
    assert shared.certificates == alone.certificates and shared.error_budget == alone.error_budget
    assert [figure.name for figure in shared.figures] == [figure.name for figure in alone.figures]
    assert labels[0] == "starting the workers" and set(asked) <= set(labels)


def test_a_claim_that_kills_its_worker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(work: Any, numbers: Any, workers: int, told: Callable[[Sequence[int]], str]) -> Any:
        raise InputError(f"the last time at {told([1])}")
        yield

    monkeypatch.setattr(verification, "processes", deadly)
    with pytest.raises(InputError, match=r"at n_step_special_case, as happens.* --workers 1"):
        verification.verify(QUICK, "quick", SEED, silently, workers=2)


def test_only_verify_reads_the_predictions() -> None:
    folder = Path(verification.__file__).parent
    rooms = [folder, *(folder.parent / room for room in ("theory", "sims", "reports"))]
    readers = {
        path.name
        for room in rooms
        for path in room.rglob("*.py")
        if "predictions.json" in path.read_text(encoding="utf-8") or "PREDICTIONS" in path.read_text(encoding="utf-8")
    }
    assert readers == {"verify.py"}


def test_open_claims_never_look_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim without a module is counted as open and shows no verdict; so does a decided one whose module is
    taken away.
    """
    shortened = tuple(replace(entry, module=None) if entry.id == "prop_4_1" else entry for entry in ENTRIES)
    monkeypatch.setattr(paper, "ENTRIES", shortened)
    run = verification.verify(QUICK, "quick", SEED, silently)
    (row,) = (row for row in verdicts_document(run)["claims"] if row["id"] == "prop_4_1")
    assert row["finding"] == "open" and row["stated"] is None and row["corrected"] is None
    assert run.summary.open == 1
    assert run.summary.decided == len(QUICK) - 1


def test_a_failed_proof_leaves_the_claim_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.theory.identities import forms_and_norms

    monkeypatch.setattr(forms_and_norms, "dirichlet_identity", lambda n: False)
    run = verification.verify(["prop_4_1"], "quick", SEED, silently)
    (row,) = verdicts_document(run)["claims"]
    assert row["stated"]["status"] == "undecided" and "proof failed" in row["stated"]["why"]
    assert run.summary.differences


def test_unknown_ids_and_profiles_are_told_in_one_sentence() -> None:
    from tdcert.theory.errors import InputError

    with pytest.raises(InputError, match="did you mean prop_4_1"):
        verification.verify(["prop_41"], "quick", SEED, silently)
    with pytest.raises(InputError, match="quick, default, thorough"):
        verification.verify(None, "fast", SEED, silently)
