"""``tdcert verify``: every decided claim through claim → model → check → verdict and certificate, as data for the
report.

The verdicts come first. Only then is ``predictions.json`` read, and compared: a verdict that differs is a discovery,
reported with exit
code 1, never bent. Nothing here receives a prediction.
"""

from __future__ import annotations

import difflib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claims.claim import Ablation, Claim, Decision, Fact, Finding, ProofError, Simulated, decide
from claims.figures import Picture
from claims.formal import HOLDING, REFUTING, FormalProofs
from claims.models import instances
from claims.paper import ENTRIES, Entry
from claims.search import smallest_counterexample
from claims.verdict_rows import environment, model_row, open_row, scope_row, simulation_row, summary
from sims.agreement import VERIFY_SHARE, ErrorBudget
from theory.certificate.write import document as certificate_document
from theory.errors import InputError
from theory.model.mdp import Model
from theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

PROFILES = ("quick", "default", "thorough")
DEFAULT_SEED = 20220328
PREDICTIONS = Path(__file__).with_name("predictions.json")

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class VerificationRun:
    """What a verification leaves: the document ``verdicts.json``, certificates by relative path, and surprises."""

    document: dict[str, Any]
    certificates: tuple[tuple[str, dict[str, Any]], ...]
    differences: tuple[str, ...]


@dataclass
class _Shelf:
    """Certificates of one claim, written once each."""

    claim: str
    files: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)

    def put(self, certificates: Iterable[Certificate], model: Model) -> list[str]:
        """File certificates about a model; returns their paths."""
        paths = []
        for certificate in certificates:
            body = certificate_document(certificate, model, self.claim)
            key = json.dumps(body, sort_keys=True)
            if key not in self.paths:
                name = f"certificates/{self.claim}/{len(self.files) + 1:03d}-{certificate.kind}.json"
                self.paths[key] = name
                self.files.append((name, body))
            paths.append(self.paths[key])
        return paths


def verify(ids: Sequence[str] | None, profile: str, seed: int, on_progress: Progress) -> VerificationRun:
    """Decide the claims (None: all that are not open) and return the evidence as data.

    ``profile``: how many random models each claim meets. ``on_progress(done, total, label)`` is called before each
    step.
    Raises :class:`InputError` for an unknown id, an open one named alone, or an unknown profile.
    """
    if profile not in PROFILES:
        raise InputError(f"the profile '{profile}' does not exist; give one of {', '.join(PROFILES)}")
    started = time.perf_counter()
    chosen = _chosen(ids)
    decided = [row for row in chosen if not row.is_open]
    models = instances(profile, seed)
    budget = ErrorBudget(VERIFY_SHARE)
    formal = FormalProofs.load()
    rows: list[dict[str, Any]] = []
    seconds: dict[str, float] = {}
    files: list[tuple[str, dict[str, Any]]] = []
    figures: list[Picture] = []
    for done, row in enumerate(chosen):
        if row.is_open:
            rows.append(open_row(row))
            continue
        on_progress(sum(1 for r in chosen[:done] if not r.is_open), len(decided), row.id)
        shelf = _Shelf(row.id)
        begun = time.perf_counter()
        body, drawn = _decide_row(row, row.load(), models, shelf, seed, profile, budget, formal)
        rows.append(body)
        files += shelf.files
        figures += drawn
        seconds[row.id] = round(time.perf_counter() - begun, 1)
    on_progress(len(decided), len(decided), "comparing with predictions")
    differences = compare_with_predictions(rows)
    document = {
        "format": "tdcert-verdicts/1",
        "claims": rows,
        "figures": [figure.document() for figure in figures],
        "summary": summary(rows, len(files), differences),
        "formal": formal.document(),
        "error_budget": [{"name": name, "false_alarm": alpha} for name, alpha in budget.spent.items()],
        "seed": seed,
        "profile": profile,
        "environment": {
            **environment(time.perf_counter() - started), "seconds_by_claim": seconds, "proofs": formal.state(),
        },
    }
    return VerificationRun(document, tuple(files), differences)


def _chosen(ids: Sequence[str] | None) -> list[Entry]:
    if not ids:
        return list(ENTRIES)
    known = {row.id: row for row in ENTRIES}
    for claim_id in ids:
        if claim_id not in known:
            near = difflib.get_close_matches(claim_id, known, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "'tdcert verify' without ids lists them all"
            raise InputError(f"there is no claim '{claim_id}'; {hint}")
    return [row for row in ENTRIES if row.id in set(ids)]


def _decide_row(
    row: Entry,
    claim: Claim,
    models: Sequence[Model],
    shelf: _Shelf,
    seed: int,
    profile: str,
    budget: ErrorBudget,
    formal: FormalProofs,
) -> tuple[dict[str, Any], list[Picture]]:
    scopes: list[dict[str, Any]] = formal.scopes(claim.id, HOLDING)
    problems: list[str] = []
    witness: dict[str, str] = {}
    refuted = False
    try:
        scopes += [scope_row(evidence, []) for evidence in claim.prove()]
    except ProofError as error:
        problems.append(f"the general proof failed: {error}")
    met, skipped, paths = [], Counter[str](), []
    for model in models:
        decision = decide(claim, model)
        status = decision.verdict.status
        if status is Status.HYPOTHESIS_VIOLATED:
            skipped.update(decision.verdict.violated)
        elif status is Status.HOLDS:
            met.append(model)
            paths += shelf.put(_all_certificates(decision), model)
        elif status is Status.REFUTED:
            refuted = True
            witness = {"model": model.name or model.digest[:12], **decision.verdict.witness}
            shelf.put(decision.verdict.certificates, model)
        else:
            problems.append(f"undecided on {model.name or model.digest[:12]}: {decision.verdict.detail}")
    if met:
        what = "what is exact in it" if claim.empirical else "the statement"
        detail = f"{what} holds on each of the models that satisfy its hypotheses, {len(met)} in number"
        scopes.append(scope_row(ScopedEvidence(Scope.INSTANCES, Grade.CERTIFIED, len(met), detail), paths))
    facts = list(claim.facts()) if claim.facts else []
    for fact in facts:
        if fact.verdict.status is Status.REFUTED:
            refuted, witness = True, {"model": fact.model.name, "sentence": fact.sentence, **fact.verdict.witness}
        elif fact.verdict.status is not Status.HOLDS:
            problems.append(f"undecided: {fact.sentence} ({fact.verdict.detail})")
    scopes += _shown(facts, shelf)
    figures: list[Picture] = list(claim.pictures(seed, profile)) if claim.pictures else []
    simulations: list[Simulated] = list(claim.simulate(seed, budget)) if claim.simulate else []
    for simulated in simulations:
        figures += [figure for figure in simulated.figures if figure.claim == claim.id]
        if not simulated.agreement.agrees:
            problems.append(f"simulation disagrees with theory: {simulated.what}")
    if simulations:
        spent = sum(s.agreement.alpha_spent for s in simulations)
        compared = tuple(s.summary for s in simulations)
        evidence = ScopedEvidence(
            Scope.SIMULATION, Grade.CONSISTENT, len(compared), f"false alarm at most {spent:.1e} in all", compared
        )
        scopes.append(scope_row(evidence, []))
    reading = _reading(refuted, problems, scopes, witness)
    hypotheses = [_ablate(claim, ablation, shelf) for ablation in claim.ablations]
    listed = {entry["id"] for entry in hypotheses}
    hypotheses += [
        {"id": h.id, "statement": h.statement, "source": h.source, "needed": None, "counterexample": None, "scopes": []}
        for h in claim.hypotheses
        if h.id not in listed
    ]
    stated = {**reading, "statement": claim.stated.statement}
    corrected = None
    if claim.corrected is not None:
        corrected = {
            **reading,
            "statement": claim.corrected.statement,
            "added_hypotheses": list(claim.corrected.added_hypotheses),
        }
        stated = _observed(claim, simulations) if claim.judge_stated is None else _judged(claim, shelf, formal)
    body = {
        "id": row.id,
        "section": row.section,
        "place": row.place,
        "title": row.title,
        "finding": finding_of(claim, stated["status"], None if corrected is None else corrected["status"]),
        "stated": stated,
        "corrected": corrected,
        "hypotheses": hypotheses,
        "models": [model_row(model) for model in met],
        "skipped": dict(sorted(skipped.items())),
        "reproduce": f"tdcert verify {row.id} --profile {profile} --seed {seed}",
        "figures": [figure.name for figure in figures],
        "simulations": [simulation_row(simulated) for simulated in simulations],
        "notes": list(claim.notes),
        "rests_on": list(claim.rests_on),
        "formal": formal.rows(claim.id),
    }
    return body, figures


def _shown(facts: Sequence[Fact], shelf: _Shelf) -> list[dict[str, Any]]:
    """The scope of what an experiment's own models show; empty where they show nothing."""
    held = [fact for fact in facts if fact.verdict.status is Status.HOLDS]
    if not held:
        return []
    paths = [path for fact in held for path in shelf.put(fact.verdict.certificates, fact.model)]
    sentences = tuple(fact.sentence for fact in held)
    detail = "on the experiment's own models"
    return [scope_row(ScopedEvidence(Scope.INSTANCES, Grade.CERTIFIED, len(held), detail, sentences), paths)]


def finding_of(claim: Claim, stated: str, corrected: str | None) -> str:
    """The contract's finding, read off the verdicts: nothing is a finding before it is decided."""
    if claim.empirical:
        return Finding.OPEN if {stated, corrected or stated} == {Status.UNDECIDED} else Finding.EMPIRICAL
    if corrected is None:
        return (
            Finding.AS_STATED if stated == Status.HOLDS else Finding.FALSE if stated == Status.REFUTED else Finding.OPEN
        )
    if stated == Status.HOLDS:
        return Finding.AS_STATED
    if corrected != Status.HOLDS:
        return Finding.FALSE if stated == Status.REFUTED else Finding.OPEN
    return claim.correction


def _reading(
    refuted: bool, problems: Sequence[str], scopes: Sequence[dict[str, Any]], witness: dict[str, str]
) -> dict[str, Any]:
    if refuted:
        status, why = Status.REFUTED, ""
    elif problems or not scopes:
        status, why = Status.UNDECIDED, "; ".join(problems) or "no evidence was found"
    else:
        status, why = Status.HOLDS, ""
    return {"status": status, "why": why, "witness": witness or None, "scopes": list(scopes)}


def _judged(claim: Claim, shelf: _Shelf, formal: FormalProofs) -> dict[str, Any]:
    assert claim.judge_stated is not None
    refutation = claim.judge_stated()
    verdict = refutation.verdict
    scopes = formal.scopes(claim.id, REFUTING)
    if verdict.grade is not None and refutation.model is not None:
        paths = shelf.put(verdict.certificates, refutation.model)
        scopes.append(scope_row(ScopedEvidence(Scope.INSTANCES, verdict.grade, 1, verdict.detail), paths))
    witness = dict(verdict.witness)
    if refutation.model is not None and refutation.model.name:
        witness = {"model": refutation.model.name, **witness}
    return {
        "status": verdict.status,
        "statement": claim.stated.statement,
        "why": verdict.detail,
        "witness": witness or None,
        "scopes": scopes,
        "model": None if refutation.model is None else refutation.model.canonical,
    }


def _observed(claim: Claim, simulations: Sequence[Simulated]) -> dict[str, Any]:
    """The printed reading of an empirical claim, as its simulations judge it."""
    unseen = Verdict(Status.UNDECIDED, detail="no simulation judges the printed reading")
    verdict = next((found.stated for found in simulations if found.stated is not None), unseen)
    scopes = []
    if verdict.grade is not None:
        scopes.append(scope_row(ScopedEvidence(Scope.SIMULATION, Grade.CONSISTENT, 1, verdict.detail), []))
    return {
        "status": verdict.status,
        "statement": claim.stated.statement,
        "why": verdict.detail,
        "witness": dict(verdict.witness) or None,
        "scopes": scopes,
        "model": None,
    }


def _ablate(claim: Claim, ablation: Ablation, shelf: _Shelf) -> dict[str, Any]:
    """Whether a hypothesis is needed: decided by models that violate it alone."""
    hypothesis = ablation.hypothesis
    body: dict[str, Any] = {
        "id": hypothesis.id,
        "statement": hypothesis.statement,
        "source": hypothesis.source,
        "needed": None,
        "counterexample": None,
        "scopes": [],
        "note": ablation.note,
    }
    others = [h for h in claim.hypotheses if h.id != hypothesis.id]
    if ablation.supports is None:
        found = find_counterexample(claim, ablation)
        if found is not None:
            model, verdict, how = found
            paths = shelf.put(verdict.certificates, model)
            body["needed"] = True
            body["scopes"] = [
                scope_row(ScopedEvidence(Scope.INSTANCES, Grade.CERTIFIED, 1, f"{verdict.detail}; {how}"), paths)
            ]
            body["counterexample"] = {
                "description": f"{model.name or describe(model)}: {verdict.detail}",
                "search": how,
                "model": model.canonical,
                "witness": dict(verdict.witness),
            }
        return body
    kept: list[str] = []
    for model in ablation.supports():
        verdict = claim.check(model)
        alone = not hypothesis.ask(model).satisfied and all(h.ask(model).satisfied for h in others)
        if not alone or verdict.status is not Status.HOLDS:
            return body
        kept += shelf.put(verdict.certificates, model)
    body["needed"] = False
    detail = f"the statement holds on {len(ablation.supports())} models that violate it" + (
        f"; {ablation.note}" if ablation.note else ""
    )
    evidence = ScopedEvidence(Scope.INSTANCES, Grade.CERTIFIED, len(ablation.supports()), detail)
    body["scopes"] = [scope_row(evidence, kept)]
    return body


def find_counterexample(claim: Claim, ablation: Ablation) -> tuple[Model, Verdict, str] | None:
    """A model that violates the hypothesis alone and refutes the claim: the smallest in its box, or the given one."""
    if ablation.box is not None:
        found = smallest_counterexample(claim, ablation.hypothesis, ablation.box)
        if found.model is None or found.verdict is None:
            return None
        how = f"smallest in a box searched whole up to its size ({found.enumerated} models: {ablation.box})"
        return found.model, found.verdict, how
    assert ablation.counterexample is not None
    model = ablation.counterexample()
    verdict = claim.check(model)
    others = [h for h in claim.hypotheses if h.id != ablation.hypothesis.id]
    alone = not ablation.hypothesis.ask(model).satisfied and all(h.ask(model).satisfied for h in others)
    return (model, verdict, "given, not searched") if alone and verdict.status is Status.REFUTED else None


def describe(model: Model) -> str:
    """A nameless model in a few words."""
    counts = ((model.n, "state"), (model.d, "feature"), (len(model.actions), "action"))
    return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for count, what in counts)


def _all_certificates(decision: Decision) -> list[Certificate]:
    asked = [answer.certificate for answer in decision.answers.values() if answer.certificate is not None]
    return [*asked, *decision.verdict.certificates]


def compare_with_predictions(rows: Sequence[dict[str, Any]], path: Path | None = None) -> tuple[str, ...]:
    """One sentence for each finding or status that differs from its prediction."""
    predictions = json.loads((path or PREDICTIONS).read_text(encoding="utf-8"))
    sentences = []
    for row in rows:
        if row["stated"] is None:
            continue
        found = {
            "finding": row["finding"],
            "stated": row["stated"]["status"],
            "corrected": None if row["corrected"] is None else row["corrected"]["status"],
        }
        predicted = predictions.get(row["id"], {})
        for what, value in found.items():
            if predicted.get(what) != value:
                reading = row["corrected"] if what == "corrected" else row["stated"]
                why = f" ({reading['why']})" if reading and reading.get("why") else ""
                sentences.append(f"{row['id']}: {what} was predicted '{predicted.get(what)}' and is '{value}'{why}")
    return tuple(sentences)


__all__ = ["DEFAULT_SEED", "Verdict", "VerificationRun", "verify"]
