"""Every decided claim: its proof, its instances, its ablations, and the model on which it must fail.

Each test is named after the claims' ids, so ``pytest -k prop_4_1`` runs everything about Proposition 4.1.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from pathlib import Path

import pytest

from claims import verify as verification
from claims.claim import Ablation, Claim, decide
from claims.models import gallery_models, random_instances
from claims.paper import ENTRIES
from sims.agreement import Agreement, ErrorBudget
from theory.certificate import checker
from theory.certificate.write import document, text
from theory.check.hypotheses import Hypothesis
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Grade, Scope, Status

DECIDED = [entry for entry in ENTRIES if not entry.is_open]
CLAIMS = [entry.load() for entry in DECIDED]
BY_ID = {claim.id: claim for claim in CLAIMS}
EACH_CLAIM = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
ABLATIONS = [(claim, ablation) for claim in CLAIMS for ablation in claim.ablations]
EACH_ABLATION = pytest.mark.parametrize(
    ("claim", "ablation"), ABLATIONS, ids=[f"{claim.id}-{ablation.hypothesis.id}" for claim, ablation in ABLATIONS]
)
SEED = 7
Record = Callable[[str, str, object], None]
PAPER = Path(__file__).parents[3] / "shared" / "paper" / "schedule-based-td.tex"


@pytest.fixture(scope="module")
def models() -> list[Model]:
    return [*gallery_models(), *random_instances(SEED, 24)]


@EACH_CLAIM
def test_the_general_proof_goes_through(claim: Claim, exercised: Record) -> None:
    evidence = claim.prove()
    assert evidence
    exercised(claim.id, "grade", Grade.PROVED)
    assert all(found.grade is Grade.PROVED and found.scope in (Scope.ALL_SIZES, Scope.SIZES) for found in evidence)


@EACH_CLAIM
def test_it_holds_wherever_its_hypotheses_do_and_the_checker_agrees(
    claim: Claim, models: list[Model], exercised: Record
) -> None:
    met = 0
    for model in models:
        verdict = decide(claim, model).verdict
        assert verdict.status in (Status.HOLDS, Status.HYPOTHESIS_VIOLATED), (model.name, verdict)
        if verdict.status is Status.HOLDS:
            met += 1
            assert verdict.certificates, "a certified verdict without a certificate"
            for certificate in verdict.certificates:
                checker.check_text(text(document(certificate, model, claim.id)))
    assert met >= 8
    exercised(claim.id, "models", met)
    exercised(claim.id, "grade", Grade.CERTIFIED)
    exercised(claim.id, "stated" if claim.corrected is None else "corrected", Status.HOLDS)


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
        for certificate in verdict.certificates:
            checker.check_text(text(document(certificate, model, claim.id)))
        exercised(claim.id, "needed", ablation.hypothesis.id)
    else:
        for model in ablation.supports():
            assert violates_it_alone(model)
            assert claim.check(model).status is Status.HOLDS
        exercised(claim.id, "not_needed", ablation.hypothesis.id)


def test_telescoping_fails_for_a_sum_without_its_discount(monkeypatch: pytest.MonkeyPatch) -> None:
    from theory.model import key_matrices

    model = random_instances(SEED, 1)[0].with_schedule(Schedule((Fraction(1, 2),)))
    assert BY_ID["telescoping"].check(model).status is Status.HOLDS
    monkeypatch.setattr(key_matrices, "horner_S", lambda N, lam, X, inner: X + inner.scaled(lam))
    assert BY_ID["telescoping"].check(model).status is Status.REFUTED


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.judge_stated is not None], ids=lambda claim: claim.id)
def test_the_printed_reading_is_judged_on_its_own(claim: Claim, exercised: Record) -> None:
    assert claim.judge_stated is not None
    refutation = claim.judge_stated()
    verdict = refutation.verdict
    exercised(claim.id, "stated", verdict.status)
    if verdict.status is Status.REFUTED:
        assert verdict.witness and refutation.model is not None
        assert refutation.model.n <= 2 or claim.empirical, "a witness should be small enough to check by hand"
        for certificate in verdict.certificates:
            checker.check_text(text(document(certificate, refutation.model, claim.id)))
    else:
        assert verdict.status is Status.UNDECIDED and verdict.detail


@pytest.mark.skipif(
    not PAPER.exists(), reason="the paper's source is not part of this repository, and does not lie beside it"
)
@EACH_CLAIM
def test_its_place_in_the_paper_exists(claim: Claim) -> None:
    assert claim.anchors
    source = PAPER.read_text(encoding="utf-8")
    for anchor in claim.anchors:
        assert anchor in source, f"'{anchor}' does not stand in the paper's source"


@EACH_CLAIM
def test_its_file_keeps_the_common_order(claim: Claim) -> None:
    doc = __import__(f"claims.{claim.id}", fromlist=["CLAIM"]).__doc__
    order = [doc.find(f"\n{part}:") for part in ("Place", "Statement", "Hypotheses", "Model", "Check", "Closed form")]
    assert -1 not in order and order == sorted(order), (
        f"claims/{claim.id}.py lacks a part of its docstring, or has it out of order"
    )


def test_every_file_in_claims_that_holds_a_claim_is_in_the_table() -> None:
    folder = Path(verification.__file__).parent
    holding = {path.stem for path in folder.glob("*.py") if "\nCLAIM = " in path.read_text(encoding="utf-8")}
    assert holding == {entry.id for entry in DECIDED}


def test_ids_are_unique() -> None:
    ids = [entry.id for entry in ENTRIES]
    assert len(ids) == len(set(ids))


@EACH_CLAIM
def test_hypotheses_that_are_listed_are_all_ablated(claim: Claim) -> None:
    dropped: set[Hypothesis] = {ablation.hypothesis for ablation in claim.ablations}
    assert set(claim.hypotheses) <= dropped, "a hypothesis without an ablation"


# ---- known wrong statements must be seen to fail -----------------------------------------------------


def test_prop_4_1_would_be_refuted_with_its_sign_turned(models: list[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check, on −A instead of A: refuted wherever the proposition holds."""
    from theory.check import mean_dynamics

    claim = BY_ID["prop_4_1"]
    met = [model for model in models if model.n <= 6 and decide(claim, model).verdict.status is Status.HOLDS]
    assert len(met) >= 8
    straight = mean_dynamics.theorem_matrices
    turned = {model: replace(straight(model, model.behaviour_chain.recurrent_classes[0])) for model in met}
    for model, keys in turned.items():
        keys.__dict__["A"] = -straight(model, model.behaviour_chain.recurrent_classes[0]).A
    monkeypatch.setattr(mean_dynamics, "theorem_matrices", lambda model, states: turned[model])
    for model in met:
        assert claim.check(model).status is Status.REFUTED


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.simulate is not None], ids=lambda claim: claim.id)
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
            first, last = figure.series[0].y[0], figure.series[0].y[-1]
            assert last < first / 100, f"{figure.name}: the mean iterate does not approach the fixed point"
    exercised(claim.id, "grade", Grade.CONSISTENT)


# ---- the run as a whole --------------------------------------------------------------------------------


def quiet(done: int, total: int, label: str) -> None:
    """No progress."""


QUICK = ["weight_matrix_rows", "n_step_special_case", "prop_4_1", "thm_4_4_g_negative_definite"]


def comparable(run: verification.VerificationRun) -> str:
    """Everything but the environment, and but the differences from predictions."""
    claims = json.dumps([run.document["claims"], run.document["error_budget"]], sort_keys=True)
    return claims + json.dumps(run.certificates, sort_keys=True)


def test_predictions_are_never_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scrambled predictions leave the verdicts byte-identical, and are reported as differences."""
    straight = verification.verify(QUICK, "quick", SEED, quiet)
    assert straight.differences == ()
    scrambled = tmp_path / "predictions.json"
    predictions = json.loads(verification.PREDICTIONS.read_text(encoding="utf-8"))
    ids = list(predictions)
    shifted = {claim_id: predictions[ids[(k + 3) % len(ids)]] for k, claim_id in enumerate(ids)}
    scrambled.write_text(json.dumps(shifted), encoding="utf-8")
    monkeypatch.setattr(verification, "PREDICTIONS", scrambled)
    crooked = verification.verify(QUICK, "quick", SEED, quiet)
    assert crooked.differences
    assert comparable(crooked) == comparable(straight)


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
    monkeypatch.setattr(verification, "ENTRIES", shortened)
    run = verification.verify(QUICK, "quick", SEED, quiet)
    (row,) = (row for row in run.document["claims"] if row["id"] == "prop_4_1")
    assert row["finding"] == "open" and row["stated"] is None and row["corrected"] is None
    assert run.document["summary"]["open"] == 1
    assert run.document["summary"]["decided"] == len(QUICK) - 1


def test_a_failed_proof_leaves_the_claim_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from theory.check import identities

    monkeypatch.setattr(identities, "dirichlet_identity", lambda n: False)
    run = verification.verify(["prop_4_1"], "quick", SEED, quiet)
    (row,) = run.document["claims"]
    assert row["stated"]["status"] == "undecided" and "proof failed" in row["stated"]["why"]
    assert run.differences


def test_unknown_ids_and_profiles_are_told_in_one_sentence() -> None:
    from theory.errors import InputError

    with pytest.raises(InputError, match="did you mean prop_4_1"):
        verification.verify(["prop_41"], "quick", SEED, quiet)
    with pytest.raises(InputError, match="quick, default, thorough"):
        verification.verify(None, "fast", SEED, quiet)
