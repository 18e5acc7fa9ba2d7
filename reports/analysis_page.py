"""The report of ``tdcert analyze``: its files, and the page. Pure functions: the same analysis gives the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tdcert.analysis.analyse import numbers_of_any_length
from tdcert.analysis.facts import ClassFacts
from tdcert.analysis.independent import is_independent
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.run_results import START
from tdcert.claims.dgb22.limit import starts
from tdcert.claims.paper import MAIN, entry
from tdcert.reports import pages, pictures
from tdcert.reports.analysis_figures import ROW_FIGURES, figures
from tdcert.reports.analysis_json import analysis_document, digest_of
from tdcert.reports.check_here import check_here
from tdcert.reports.documents import Checked, json_bytes, with_side_files
from tdcert.reports.number_texts import column
from tdcert.theory.model.episodes import looks_terminal
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress, silently

if TYPE_CHECKING:
    from tdcert.analysis.for_all import ForAll
    from tdcert.reports.value_line import Bar

_SHOWN_STATES = 100
_FOLDER = "matrices/"


def analysis_files(
    run: AnalysisResult, checked: Checked | None = None, on_progress: Progress = silently, png: bool = False
) -> dict[str, bytes]:
    """An analysis report's files, without its certificates, by their path; large matrices in files of their own.
    ``png``: whether figures are written as PNG, too.
    """
    kinds = pictures.KINDS if png else pictures.WITHOUT_PNG
    written, side_files = with_side_files(analysis_document(run, checked), _FOLDER)
    return {
        "analysis.json": json_bytes(written),
        "index.html": analysis_page(run, checked, side_files, kinds).encode(),
        **side_files,
        **pictures.picture_files(figures(run), on_progress, kinds),
    }


def analysis_page(
    run: AnalysisResult,
    checked: Checked | None = None,
    side_files: Mapping[str, bytes] | None = None,
    kinds: Sequence[str] = pictures.WITHOUT_PNG,
) -> str:
    """The page; ``side_files`` hold the matrices that are named there, not shown; ``kinds``: of files of figures."""
    facts = run.facts
    about = facts.single or ClassFacts((), {})
    independent = is_independent(facts.model)
    values = (
        ("sampling law" if independent else "stationary law", about.stationary),
        ("true value", facts.value),
        ("at the fixed point", about.values_at_fixed_point),
    )
    said = starts(facts.model) if isinstance(facts.model, Model) else ""
    with numbers_of_any_length():
        return pages.render(
            "analysis.html",
            run=run,
            checked=checked,
            facts=facts,
            model=facts.model,
            advised=run.advice,
            single=facts.single,
            independent=independent,
            digest=digest_of(facts.model),
            aside={name: hashlib.sha256(content).hexdigest() for name, content in (side_files or {}).items()},
            folder=_FOLDER,
            ends=looks_terminal(facts.model),
            names=list(facts.state_names or (f"s{s}" for s in range(facts.model.n))),
            columns=[(title, column(given, _SHOWN_STATES)) for title, given in values if given is not None],
            shown=_SHOWN_STATES,
            figures=pages.drawn(figures(run), kinds),
            start=START,
            row_figures=ROW_FIGURES,
            here=check_here(run.certificates),
            value_lines={} if run.for_all is None else _value_lines(run.for_all),
            converging=[
                (one.id, entry(one.id).title + (said if said in one.verdict.detail else ""))
                for one in facts.claims
                if one.id in MAIN and one.verdict.status == "holds"
            ],
        )


def _value_lines(found: ForAll) -> Mapping[str, Sequence[Bar]]:
    from tdcert.reports.value_line import bars

    return {one.algorithm: bars(one.found) for one in found.rows if one.found}
