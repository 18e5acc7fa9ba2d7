"""``tdcert show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tdcert.reports.cli.app import DONE, OUTPUT, REPORT, Task, app, claim_ids


@app.command()
def show(
    claim: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A claim, such as prop_4_1, or a file with one of your own.", autocompletion=claim_ids
        ),
    ],
    report: Annotated[
        Path, OUTPUT(metavar="DIR", help="Report that it is read from, if its file has not changed since.")
    ] = Path(REPORT),
) -> Task:
    """Show one claim: its readings, witnesses, hypotheses and evidence."""

    def task() -> int:
        from tdcert.claims.own import from_file, is_file, known
        from tdcert.reports import terminal
        from tdcert.reports.provenance import provenance
        from tdcert.reports.stored import read_verification
        from tdcert.verification.verification import ClaimVerdict
        from tdcert.verification.verify import DEFAULT_SEED, unexamined
        from tdcert.verification.verify import verify as decide

        own = from_file(claim) if is_file(claim) else None
        entry = own or next((entry for entry in known() if entry.id == claim), None)
        if entry is not None and entry.is_open:
            terminal.show_claim(ClaimVerdict(entry, unexamined(entry)), "")
            return DONE
        origin = "decided just now"
        if entry is not None and ((report / "verdicts.json").is_file() or report != Path(REPORT)):
            run = read_verification(report)
            for found in run.claims:
                if found.entry.id != entry.id or not found.stated:
                    continue
                if found.entry.digest != entry.digest:
                    origin = f"decided just now; {report} has another version of its file"
                    continue
                said = f"as decided in {report}, seed {run.seed}"
                terminal.show_claim(found, said, str(report), provenance(entry), run.environment.proofs)
                return DONE
        with terminal.progress(f"deciding {claim}") as on_progress:
            run = decide([claim], "quick", DEFAULT_SEED, on_progress)
        wanted = claim if own is None else own.id
        found = next(found for found in run.claims if found.entry.id == wanted)
        proofs = run.environment.proofs
        terminal.show_claim(found, origin, where=provenance(found.entry), proofs=proofs)
        return DONE

    return task
