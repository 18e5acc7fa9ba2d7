"""The report of ``tdcert verify``: its files, and the page. Pure functions: the same run gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from tdcert.claims.paper import EXPERIMENTS, SEED
from tdcert.reports import formal_theorems, pages, pictures
from tdcert.reports.check_here import check_here
from tdcert.reports.corrections import corrections
from tdcert.reports.documents import Checked, json_bytes
from tdcert.reports.evidence_lines import answers, grades_of, question, tally
from tdcert.reports.graph import drawing
from tdcert.reports.labels import FINDINGS, GRADES, STATUSES, UNPRINTED
from tdcert.reports.verdicts_json import environment_row, verdicts_document
from tdcert.theory.formal.record import Record
from tdcert.verification.verification import ClaimVerdict, Verification


def verification_files(run: Verification, checked: Checked | None = None) -> dict[str, bytes]:
    """A verification report's files, without its certificates, by their path inside the folder."""
    return {
        "verdicts.json": json_bytes(verdicts_document(run, checked)),
        "index.html": verification_page(run, checked).encode(),
        **(_proof_files(record) if (record := formal_theorems.proofs_of(run.formal)) else {}),
        **pictures.picture_files(run.figures),
    }


def _proof_files(record: Record) -> dict[str, bytes]:
    """The sources of the proofs, their record, and the page that says what the words of their theorems mean."""
    page = pages.render("words.html", record=record, files=formal_theorems.words_by_file(record))
    return {**formal_theorems.proof_files(record), formal_theorems.WORDS: page.encode()}


def verification_page(run: Verification, checked: Checked | None = None) -> str:
    """The page."""
    known = {claim.entry.id for claim in run.claims}
    rests = {claim.entry.id: [name for name in claim.rests_on if name in known] for claim in run.claims}
    figures = pages.drawn(run.figures)
    shown = [(claim, [figures[name] for name in claim.figures if name in figures]) for claim in run.claims]
    found = answers(run.claims)
    experiments = [(claim, drawn) for claim, drawn in shown if claim.entry.section == EXPERIMENTS]
    simulated = [
        (claim, drawn) for claim, drawn in shown if (drawn or claim.simulations) and claim.entry.section != EXPERIMENTS
    ]
    return pages.render(
        "verification.html",
        run=run,
        seed=any(claim.entry.paper == SEED.id for claim in run.claims),
        checked=checked,
        about_run={"seed": run.seed, "profile": run.profile, **environment_row(run.environment)},
        corrections=corrections(run.claims),
        drawn=drawing(run.claims),
        proofs_of=formal_theorems.overview(run),
        rests=rests,
        supports={name: [user for user, lemmas in rests.items() if name in lemmas] for name in rests},
        sections=[(name, list(group)) for name, group in groupby(run.claims, key=lambda claim: claim.entry.section)],
        tally=tally(run),
        answers=found,
        question=question(found) if found else "",
        simulated=simulated,
        experiments=experiments,
        elsewhere={
            **{claim.entry.id: ("simulated", "Simulations and figures") for claim, _ in simulated},
            **{claim.entry.id: ("experiment", "The experiment and its figures") for claim, _ in experiments},
        },
        choices=_choices(run.claims, {**FINDINGS, **UNPRINTED} if run.nothing_was_read else FINDINGS),
        here=check_here(run.certificates),
    )


def _choices(claims: Sequence[ClaimVerdict], words_of: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """What the filter offers: the statuses, grades and findings that these claims have; the words of a finding."""
    statuses = {claim.status for claim in claims}
    grades = {str(grade) for claim in claims for grade in grades_of(*claim.readings.values())}
    findings = {str(claim.finding) for claim in claims}
    return {
        "statuses": [(key, words) for key, (_, words) in STATUSES.items() if key in statuses],
        "grades": [(key, key) for key in GRADES if key in grades],
        "findings": [(key, words) for key, words in words_of.items() if key in findings],
    }
