"""``tdcert verify``: every decided claim through claim → model → check → verdict and certificate.

The verdicts come first. Only then are the papers' ``predictions.json`` read, and compared: a verdict that differs is a
discovery. It is reported with exit code 1 and changes nothing. Nothing here receives a prediction.
"""

from __future__ import annotations

import difflib
import json
import pickle
import platform
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from tdcert.claims.bounds import picture
from tdcert.claims.claim import (
    Ablation,
    Claim,
    ClaimDecision,
    Fact,
    FalseVariant,
    Finding,
    NumericConstant,
    ProofError,
    Reading,
    Refutation,
    Simulated,
    decide,
)
from tdcert.claims.models import instances
from tdcert.claims.own import every, from_file, is_file, known, raised
from tdcert.claims.paper import Entry, paper_of
from tdcert.claims.search import smallest_counterexample, smallest_refutation
from tdcert.sims.judge.agreement import ASSUMED, VERIFY_SHARE, ErrorBudget
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.check.hypotheses import RETURN_EXISTS, Hypothesis
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Picture
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress
from tdcert.theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict
from tdcert.theory.workers import processes
from tdcert.verification.formal_evidence import HOLDING, REFUTING, FormalProofs
from tdcert.verification.tallies import summary
from tdcert.verification.verification import (
    ClaimVerdict,
    ConstantVerdict,
    Counterexample,
    Environment,
    HypothesisVerdict,
    ModelSummary,
    ReadingVerdict,
    Replayable,
    SimulationVerdict,
    Verification,
)

PACKAGES = ("numpy", "scipy", "python-flint", "numba", "matplotlib")
"""Whose versions the block of the environment names."""
PROFILES = ("quick", "default", "thorough")
DEFAULT_SEED = 20220328
NOT_ABLATED = "not ablated, so nothing is said of whether it is needed; it is asked of every model"
PREDICTIONS = Path(__file__).parents[1] / "claims"
"""The folder of the papers: what is expected of a paper's statements lies in the paper's folder."""


@dataclass(frozen=True)
class _Inputs:
    """What every claim is decided with: random models, the seed they come from, and how much is asked of each claim."""

    models: Sequence[Model]
    seed: int
    profile: str
    budget: ErrorBudget
    formal: FormalProofs

    @staticmethod
    def of(profile: str, seed: int) -> _Inputs:
        """The inputs as every process makes them; the caller sums up what the claims spend of the budget."""
        return _Inputs(instances(profile, seed), seed, profile, ErrorBudget(VERIFY_SHARE), FormalProofs.load())


@dataclass(frozen=True)
class _Decided:
    """One claim's row of the run, with its certificates and pictures, what it spent, and how long it took."""

    verdict: ClaimVerdict
    files: list[FiledCertificate]
    figures: list[Picture]
    spent: dict[str, float]
    seconds: float

    @staticmethod
    def of(row: Entry, inputs: _Inputs) -> _Decided:
        """Decide a row that is not open."""
        begun = time.perf_counter()
        shelf, budget = Shelf(f"certificates/{row.id}"), ErrorBudget(VERIFY_SHARE)
        decide_row = _decide_own if row.own else _decide_row
        verdict, drawn = decide_row(row, row.load(), replace(inputs, budget=budget), shelf)
        return _Decided(verdict, shelf.files, drawn, budget.spent, round(time.perf_counter() - begun, 1))


@dataclass(frozen=True)
class _Rows:
    """The task of a worker process: the number of a row gives what was decided, pickled."""

    rows: tuple[Entry, ...]
    profile: str
    seed: int

    def __call__(self, number: int) -> bytes:
        return pickle.dumps(_Decided.of(self.rows[number], _inputs_of_worker(self.profile, self.seed)))


_inputs_of_worker = lru_cache(maxsize=1)(_Inputs.of)
"""A worker decides many claims with the same inputs."""


def verify(
    ids: Sequence[str] | None, profile: str, seed: int, on_progress: Progress, workers: int = 1, paper: str = ""
) -> Verification:
    """Decide the claims and return what was found.

    ``ids``: of claims of any paper and of installed packages (``tdcert.claims.own``), and files with one of your own.
    None: all of ``paper``; without one, of the paper that is decided by default, and all installed ones.

    ``profile``: how many random models each claim meets. ``on_progress(done, total, label)`` is called before each
    step. ``workers``: processes that decide claims side by side; 1: this process does all of it. What is found is the
    same. Claims of your own are decided by this process.
    Raises :class:`InputError` for an unknown id, an unknown profile, and a claim of your own
    that is not one or raises.
    """
    if profile not in PROFILES:
        raise InputError(f"the profile '{profile}' does not exist; give one of {', '.join(PROFILES)}")
    started = time.perf_counter()
    chosen = list(paper_of(paper).entries) if paper and not ids else _chosen(ids)
    decided = [row for row in chosen if not row.is_open]
    inputs = _Inputs.of(profile, seed)
    ours = [row for row in decided if row.own is None]
    found = _side_by_side(ours, profile, seed, on_progress, workers) if workers > 1 and ours else {}
    budget = ErrorBudget(VERIFY_SHARE)
    claims: list[ClaimVerdict] = []
    seconds: dict[str, float] = {}
    files: list[FiledCertificate] = []
    figures: list[Picture] = []
    for row in chosen:
        if row.is_open:
            claims.append(ClaimVerdict(row, unexamined(row)))
            continue
        if row.id not in found:
            on_progress(len(seconds), len(decided), row.id)
            found[row.id] = _Decided.of(row, inputs)
        done = found[row.id]
        for name, share in done.spent.items():
            budget.spend(name, share)
        claims.append(done.verdict)
        files += done.files
        figures += done.figures
        seconds[row.id] = done.seconds
    on_progress(len(decided), len(decided), "comparing with predictions")
    return Verification(
        claims=tuple(claims),
        figures=tuple(figures),
        certificates=tuple(files),
        summary=summary(claims, len(files), (*compare_with_predictions(claims), *against_own_claims(claims))),
        formal=inputs.formal.summary,
        error_budget=budget.spent,
        error_budget_assumes=tuple(ASSUMED),
        seed=seed,
        profile=profile,
        environment=_environment(time.perf_counter() - started, seconds, inputs.formal.state()),
    )


def unexamined(row: Entry) -> Finding:
    """The finding of a row that nothing decides."""
    return Finding.NOT_DECIDABLE if row.not_decidable else Finding.OPEN


def _side_by_side(
    rows: Sequence[Entry], profile: str, seed: int, on_progress: Progress, workers: int
) -> dict[str, _Decided]:
    """Every row decided, by id. Those that draw or simulate take longest and come first, so that none is left alone
    at the end.
    """

    def last(row: Entry) -> tuple[bool, bool]:
        claim = row.load()
        return claim.pictures is None, claim.simulate is None

    ordered = tuple(sorted(rows, key=last))
    found: dict[str, _Decided] = {}
    on_progress(0, len(rows), "starting the workers")
    work = _Rows(ordered, profile, seed)

    def told(numbers: Sequence[int]) -> str:
        named = ", ".join(ordered[number].id for number in numbers)
        return f"{named}, as happens where memory runs out; give --workers 1"

    for finished in processes(work, range(len(ordered)), min(workers, len(ordered)), told):
        if finished is not None:
            row = ordered[finished[0]]
            found[row.id] = pickle.loads(finished[1])
            on_progress(len(found), len(rows), row.id)
    return found


def _environment(seconds: float, by_claim: dict[str, float], proofs: str) -> Environment:
    versions = {"tdcert": metadata.version("tdcert"), "python": sys.version.split()[0]}
    return Environment(
        {**versions, **{name: metadata.version(name) for name in PACKAGES}},
        platform.system() + " " + platform.machine(),
        round(seconds, 1),
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        by_claim,
        proofs,
    )


def _chosen(ids: Sequence[str] | None) -> list[Entry]:
    if not ids:
        return list(every())
    files = {word: from_file(word) for word in dict.fromkeys(ids) if is_file(word)}
    own = {row.id: row for row in files.values()}
    if len(own) < len(files):
        raise InputError(f"two of the files have the same id ({', '.join(files)}); give each claim an id of its own")
    rows = {row.id: row for row in known()} | own
    for claim_id in ids:
        if claim_id not in rows and claim_id not in files:
            near = difflib.get_close_matches(claim_id, rows, n=3)
            hint = f"did you mean {' or '.join(near)}" if near else "'tdcert verify' without ids lists them all"
            raise InputError(f"there is no claim '{claim_id}'; {hint}, or path/to/claim.py for one of your own?")
    return [row for row in rows.values() if row.id in set(ids) | set(own)]


def _decide_own(row: Entry, claim: Claim, inputs: _Inputs, shelf: Shelf) -> tuple[ClaimVerdict, list[Picture]]:
    """Decides a claim that a user wrote, as :func:`_decide_row` does.

    Raises :class:`InputError`, with one sentence, for whatever the claim's code raises.
    """
    try:
        return _decide_row(row, claim, inputs, shelf)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"claim {row.id} cannot be decided, its code raises {raised(error, Path(row.file))}") from None


def _decide_row(row: Entry, claim: Claim, inputs: _Inputs, shelf: Shelf) -> tuple[ClaimVerdict, list[Picture]]:
    scopes = _theorems(claim, inputs.formal, HOLDING)
    problems: list[str] = []
    if claim.formal and not scopes:
        problems.append(f"it rests on a machine-checked proof, and none counts here: {inputs.formal.why_not}")
    witness: Mapping[str, Any] = {}
    refuted, failed, smallest = False, None, None
    try:
        scopes += [Replayable(evidence) for evidence in claim.prove()] if claim.prove else []
    except ProofError as error:
        problems.append(f"the general proof failed: {error}")
    met: list[Model] = []
    graded: dict[Grade, list[Model]] = {Grade.CERTIFIED: [], Grade.ENCLOSED: []}
    refuting: list[tuple[Model, Verdict]] = []
    paths: dict[Grade, list[str]] = {Grade.CERTIFIED: [], Grade.ENCLOSED: []}
    skipped: Counter[str] = Counter()
    for model in (*inputs.models, *(claim.instances() if claim.instances else ())):
        decision = decide(claim, model)
        status = decision.verdict.status
        if status is Status.HYPOTHESIS_VIOLATED:
            skipped.update(decision.verdict.violated)
        elif status is Status.HOLDS:
            met.append(model)
            grade = decision.verdict.grade or Grade.CERTIFIED
            graded[grade].append(model)
            paths[grade] += _filed(shelf, claim, _all_certificates(decision), model)
        elif status is Status.REFUTED:
            refuting.append((model, decision.verdict))
        else:
            problems.append(f"undecided on {model.name or model.digest[:12]}: {decision.verdict.detail}")
    whole = skipped.keys() <= {RETURN_EXISTS.id, *(hypothesis.id for hypothesis in claim.hypotheses)}
    meet = "satisfy its hypotheses" if whole else "satisfy its hypotheses and the conditions of its check"
    what = f"the part decided here ({claim.decides})" if claim.decides else "the statement"
    what = "what is exact in it" if claim.empirical and not claim.decides else what
    if refuting:
        refuted, (smallest, against) = True, smallest_refutation(claim, refuting)
        witness, failed = {"model": smallest.name or describe(smallest), **against.witness}, against.failed
        if _is_shown(against):
            held = tuple(_filed(shelf, claim, against.certificates, smallest))
            detail = f"{what} fails on {len(refuting)} of the {len(refuting) + len(met)} models that {meet}"
            detail += "; here on the smallest of these, and of those in the boxes of its ablations"
            grade = against.grade or Grade.CERTIFIED
            scopes.append(Replayable(ScopedEvidence(Scope.INSTANCES, grade, 1, detail), held))
    for grade, models in graded.items():
        if not models:
            continue
        each = "the other" if refuting else "each of the" if models == met else "some of the"
        detail = f"{what} holds on {each} models that {meet}, {len(models)} in number"
        if grade is Grade.ENCLOSED:
            detail += "; every rounding is bounded, and certificates are of the hypotheses alone"
        scopes.append(Replayable(ScopedEvidence(Scope.INSTANCES, grade, len(models), detail), tuple(paths[grade])))
    facts = list(claim.facts()) if claim.facts else []
    for fact in facts:
        if fact.verdict.status is Status.REFUTED:
            refuted = True
            if smallest is None:
                witness = {"model": fact.model.name, "sentence": fact.sentence, **fact.verdict.witness}
                smallest, failed = fact.model, fact.verdict.failed
        elif fact.verdict.status is not Status.HOLDS or not _is_shown(fact.verdict):
            why = fact.verdict.detail if fact.verdict.status is not Status.HOLDS else "no certificate was written"
            problems.append(f"undecided: {fact.sentence} ({why})")
    scopes += _shown(claim, facts, shelf, "the experiment's own models" if claim.empirical else "models of its own")
    variant = None if claim.variant is None else _varied(claim.variant, claim, shelf)
    constants = tuple(_constant(constant, claim, shelf) for constant in claim.constants)
    if variant is not None and variant.status is not Status.REFUTED:
        problems.append(f"its nearest false variant is not refuted, so the check may be unable to fail: {variant.why}")
    figures: list[Picture] = list(claim.pictures(inputs.seed, inputs.profile)) if claim.pictures else []
    figures += [] if claim.bounds is None else [picture(claim.id, claim.bounds)]
    simulations: list[Simulated] = list(claim.simulate(inputs.seed, inputs.budget)) if claim.simulate else []
    for simulated in simulations:
        figures += [figure for figure in simulated.figures if figure.claim == claim.id]
        if not simulated.agreement.agrees:
            problems.append(f"simulation does not agree with theory, or leaves it open: {simulated.what}")
    if simulations:
        spent = sum(s.agreement.alpha_spent for s in simulations)
        compared = tuple(s.summary for s in simulations)
        said = f"false alarm at most {spent:.1e} in all"
        scopes.append(Replayable(ScopedEvidence(Scope.SIMULATION, Grade.CONSISTENT, len(compared), said, compared)))
    if scopes and not (met or refuting or facts or claim.empirical):
        problems.append("none of the models that were tried meets its hypotheses, so it may be vacuous")
    if scopes and not claim.empirical and not any(scope.evidence.grade is Grade.PROVED for scope in scopes):
        problems.append("no proof was given, and models alone never decide it")
    status, why = _status(refuted, problems, scopes)
    reading = claim.corrected or claim.stated
    holding = ReadingVerdict(reading, status, why, witness, tuple(scopes), claim.decides, smallest, failed)
    hypotheses = tuple(_ablate(claim, ablation, shelf) for ablation in claim.ablations)
    stated, corrected = holding, None
    if claim.corrected is not None:
        corrected = holding
        stated = _observed(claim, simulations) if claim.judge_stated is None else _judged(claim, shelf, inputs.formal)
    verdict = ClaimVerdict(
        entry=row,
        finding=finding_of(claim, stated.status, None if corrected is None else corrected.status),
        stated=stated,
        corrected=corrected,
        sharper="" if claim.sharper is None else claim.sharper.statement,
        hypotheses=hypotheses,
        models=tuple(map(ModelSummary.of, met)),
        skipped=dict(skipped),
        reproduce=shlex.join(
            ["tdcert", "verify", row.asked_as, "--profile", inputs.profile, "--seed", str(inputs.seed)]
        ),
        figures=tuple(figure.name for figure in figures),
        simulations=tuple(map(_simulation, simulations)),
        notes=claim.notes,
        rests_on=claim.rests_on,
        theorems=inputs.formal.theorems(claim.id),
        variant=variant,
        constants=constants,
    )
    return verdict, figures


def _filed(shelf: Shelf, claim: Claim, certificates: Iterable[Certificate], model: Model) -> tuple[str, ...]:
    """The paths of certificates about a model."""
    return tuple(shelf.put(certificate, model, claim.id) for certificate in certificates)


def _simulation(found: Simulated) -> SimulationVerdict:
    about = found.agreement
    return SimulationVerdict(found.what, about.agrees, about.contradicts, about.alpha_spent, found.summary)


def _theorems(claim: Claim, formal: FormalProofs, readings: tuple[str, ...]) -> list[Replayable]:
    """The evidence of the machine-checked proofs for some readings; empty without a theorem."""
    found = formal.evidence(claim.id, readings)
    names = tuple(theorem.name for theorem in formal.theorems(claim.id, readings))
    return [] if found is None else [Replayable(found, theorems=names)]


def _shown(claim: Claim, facts: Sequence[Fact], shelf: Shelf, where: str) -> list[Replayable]:
    """The scopes of what a claim's own models show, one for each grade; empty where they show nothing."""
    found = []
    for grade in (Grade.CERTIFIED, Grade.ENCLOSED):
        shown = [f for f in facts if f.verdict.status is Status.HOLDS and f.verdict.grade is grade]
        held = [fact for fact in shown if _is_shown(fact.verdict)]
        if held:
            paths = tuple(path for fact in held for path in _filed(shelf, claim, fact.verdict.certificates, fact.model))
            sentences = tuple(fact.sentence for fact in held)
            evidence = ScopedEvidence(Scope.INSTANCES, grade, len(held), f"on {where}", sentences)
            found.append(Replayable(evidence, paths))
    return found


def _is_shown(verdict: Verdict) -> bool:
    """Whether a verdict on one model has what its grade asks for: an enclosure bounds every rounding and has no
    certificate, any other has one.
    """
    return verdict.grade is Grade.ENCLOSED or bool(verdict.certificates)


def finding_of(claim: Claim, stated: Status, corrected: Status | None) -> Finding:
    """The contract's finding, read off the verdicts: nothing is a finding before it is decided."""
    if claim.empirical:
        return Finding.OPEN if {stated, corrected or stated} == {Status.UNDECIDED} else Finding.EMPIRICAL
    if corrected is None:
        return (
            Finding.AS_STATED if stated == Status.HOLDS else Finding.FALSE if stated == Status.REFUTED else Finding.OPEN
        )
    if stated == Status.HOLDS:
        return Finding.AS_STATED
    if stated == Status.UNDECIDED:  # the corrected reading says nothing of what is printed
        return Finding.OPEN
    if corrected != Status.HOLDS:
        return Finding.FALSE if stated == Status.REFUTED else Finding.OPEN
    return claim.correction


def _status(refuted: bool, problems: Sequence[str], scopes: Sequence[Replayable]) -> tuple[Status, str]:
    """The worst that was found, and why it does not hold."""
    if refuted:
        return Status.REFUTED, ""
    if problems or not scopes:
        return Status.UNDECIDED, "; ".join(problems) or "no evidence was found"
    return Status.HOLDS, ""


def _judged(claim: Claim, shelf: Shelf, formal: FormalProofs) -> ReadingVerdict:
    assert claim.judge_stated is not None
    return _against(claim.stated, claim.judge_stated, claim, shelf, _theorems(claim, formal, REFUTING))


def _varied(variant: FalseVariant, claim: Claim, shelf: Shelf) -> ReadingVerdict:
    return _against(Reading(variant.statement), variant.judge, claim, shelf, [])


def _constant(constant: NumericConstant, claim: Claim, shelf: Shelf) -> ConstantVerdict:
    """Whether a constant is sharp: True where the statement is refuted with a tighter one, False where it is proved."""
    found = ConstantVerdict(constant.what, constant.note)
    if constant.better is not None:
        try:
            scopes = tuple(Replayable(evidence) for evidence in constant.better())
        except ProofError as error:
            return replace(found, note=f"the proof of a tighter constant failed: {error}")
        proved = any(scope.evidence.grade is Grade.PROVED for scope in scopes)
        return replace(found, sharp=False, scopes=scopes) if proved else found
    if constant.tighter is None:
        return found
    tighter = _against(Reading(constant.what), constant.tighter, claim, shelf, [])
    shown = tighter.status is Status.REFUTED and bool(tighter.scopes)  # without a model there is no evidence
    return replace(found, sharp=True if shown else None, tighter=tighter)


def _against(
    reading: Reading, judge: Callable[[], Refutation], claim: Claim, shelf: Shelf, scopes: list[Replayable]
) -> ReadingVerdict:
    """A reading as one model or argument judges it; ``scopes``: evidence that there is beside it."""
    try:
        refutation = judge()
    except BudgetExceededError as error:  # an exhausted budget is not a verdict
        refutation = Refutation(Verdict(Status.UNDECIDED, detail=str(error)))
    verdict, model = refutation.verdict, refutation.model
    witness = dict(verdict.witness)
    if verdict.grade is not None and model is not None:
        paths = _filed(shelf, claim, verdict.certificates, model)
        scopes.append(Replayable(ScopedEvidence(Scope.INSTANCES, verdict.grade, 1, verdict.detail), paths))
    if model is not None and model.name:
        witness = {"model": model.name, **witness}
    return ReadingVerdict(
        reading, verdict.status, verdict.detail, witness, tuple(scopes), model=model, failed=verdict.failed
    )


def _observed(claim: Claim, simulations: Sequence[Simulated]) -> ReadingVerdict:
    """The printed reading of an empirical claim, as its simulations judge it."""
    unseen = Verdict(Status.UNDECIDED, detail="no simulation judges the printed reading")
    verdict = next((found.stated for found in simulations if found.stated is not None), unseen)
    scopes: tuple[Replayable, ...] = ()
    if verdict.grade is not None:
        scopes = (Replayable(ScopedEvidence(Scope.SIMULATION, Grade.CONSISTENT, 1, verdict.detail)),)
    return ReadingVerdict(claim.stated, verdict.status, verdict.detail, dict(verdict.witness), scopes)


def _ablate(claim: Claim, ablation: Ablation, shelf: Shelf) -> HypothesisVerdict:
    """Whether a hypothesis is needed: decided by models that violate it alone."""
    hypothesis = ablation.hypothesis
    open_ = HypothesisVerdict(hypothesis.id, hypothesis.statement, hypothesis.source, ablation.note)
    if not ablation.is_made:
        return replace(open_, note=ablation.note or NOT_ABLATED)
    if ablation.supports is None:
        found = find_counterexample(claim, ablation)
        if found is None and ablation.box is not None:
            return replace(open_, note=ablation.note or f"no counterexample in the whole box: {ablation.box}")
        if found is None or not _is_shown(found[1]):  # without a file nothing is certified
            return open_
        model, verdict, how = found
        paths = _filed(shelf, claim, verdict.certificates, model)
        grade = verdict.grade or Grade.CERTIFIED
        evidence = ScopedEvidence(Scope.INSTANCES, grade, 1, f"{verdict.detail}; {how}")
        description = f"{model.name or describe(model)}: {verdict.detail}"
        counterexample = Counterexample(
            description, how, verdict.undefined, model, dict(verdict.witness), verdict.failed
        )
        return replace(open_, needed=True, counterexample=counterexample, scopes=(Replayable(evidence, paths),))
    kept: list[str] = []
    models, grades = ablation.supports(), set[Grade | None]()
    for model in models:
        verdict = claim.check(model)
        alone = _violates_alone(claim, hypothesis, model)
        if not alone or verdict.status is not Status.HOLDS or not _is_shown(verdict):
            return open_
        grades.add(verdict.grade)
        kept += _filed(shelf, claim, verdict.certificates, model)
    detail = (
        f"the statement holds on {len(models)} model{' that violates' if len(models) == 1 else 's that violate'} it"
    )
    detail += f"; {ablation.note}" if ablation.note else ""
    grade = Grade.ENCLOSED if Grade.ENCLOSED in grades else Grade.CERTIFIED
    evidence = ScopedEvidence(Scope.INSTANCES, grade, len(models), detail)
    return replace(open_, needed=False, scopes=(Replayable(evidence, tuple(kept)),))


def _violates_alone(claim: Claim, hypothesis: Hypothesis, model: Model) -> bool:
    others = (other for other in claim.hypotheses if other.id != hypothesis.id)
    return not hypothesis.ask(model).satisfied and all(other.ask(model).satisfied for other in others)


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
    alone = _violates_alone(claim, ablation.hypothesis, model)
    return (model, verdict, "given, not searched") if alone and verdict.status is Status.REFUTED else None


def describe(model: Model) -> str:
    """A nameless model in a few words."""
    counts = ((model.n, "state"), (model.d, "feature"), (len(model.actions), "action"))
    return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for count, what in counts)


def _all_certificates(decision: ClaimDecision) -> list[Certificate]:
    asked = [answer.certificate for answer in decision.answers.values() if answer.certificate is not None]
    return [*asked, *decision.verdict.certificates]


def compare_with_predictions(claims: Sequence[ClaimVerdict]) -> tuple[str, ...]:
    """One sentence for each finding or status that differs from its prediction."""
    predictions = {name: _predicted(name) for name in {claim.entry.paper for claim in claims}}
    sentences = []
    for claim in claims:
        expected = predictions[claim.entry.paper]
        if claim.stated is None or claim.entry.own is not None or expected is None:
            continue
        readings = {"stated": claim.stated, "corrected": claim.corrected}
        found = {"finding": str(claim.finding), **{kind: x and str(x.status) for kind, x in readings.items()}}
        predicted = expected.get(claim.entry.id, {})
        for what, value in found.items():
            if predicted.get(what) != value:
                reading = claim.corrected if what == "corrected" else claim.stated
                why = f" ({reading.why})" if reading and reading.why else ""
                name = claim.entry.id
                sentences.append(f"{name}: {what} was predicted '{predicted.get(what)}' and is '{value}'{why}")
    return tuple(sentences)


def _predicted(paper: str) -> dict[str, dict[str, str]] | None:
    """What is expected of each statement of a paper; None where its folder does not say."""
    place = PREDICTIONS / paper / "predictions.json"
    found: dict[str, dict[str, str]] | None = json.loads(place.read_text("utf-8")) if place.is_file() else None
    return found


def against_own_claims(claims: Sequence[ClaimVerdict]) -> tuple[str, ...]:
    """One sentence for each claim of one's own that is refuted, or has a proof and does not hold all the same."""
    sentences = []
    for claim in claims:
        own, reading = claim.entry.own, claim.holding
        if own is None or reading is None or reading.status is Status.HOLDS:
            continue
        if reading.status is Status.REFUTED or own.prove is not None:
            why = f" ({reading.why})" if reading.why else ""
            sentences.append(f"{claim.entry.id}: was given to hold and is '{reading.status}'{why}")
    return tuple(sentences)
