"""The report of ``tdcert analyze``: its files, and the page that is made from ``analysis.json`` alone.

Pure functions: the same document gives the same bytes, and every number on the page comes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tdcert.reports import pages, pictures
from tdcert.reports.documents import certificate_files, json_bytes, with_side_files

Document = Mapping[str, Any]

_SHOWN_STATES = 100


def analysis_files(document: Document, certificates: Iterable[tuple[str, Document]] = ()) -> dict[str, bytes]:
    """An analysis report's files, by their path inside the folder; large matrices in files of their own."""
    written, side_files = with_side_files(document, "matrices/")
    return {
        "analysis.json": json_bytes(written),
        "index.html": analysis_page(written, document).encode(),
        **side_files,
        **certificate_files(certificates),
        **pictures.picture_files(document["figures"]),
    }


def analysis_page(written: Document, whole: Document) -> str:
    """The page; ``written`` names side files where ``whole`` holds the matrices."""
    n = whole["model"]["states"]
    columns = [
        (title, whole[key])
        for title, key in (
            ("stationary law", "stationary"),
            ("true value", "value"),
            ("at the fixed point", "values_at_fixed_point"),
        )
        if isinstance(whole.get(key), list)
    ]
    return pages.render(
        "analysis.html",
        document=written,
        chain=whole["chain"],
        missing=whole.get("coverage", {}).get("missing") or [],
        names=list(whole.get("state_names") or (f"s{s}" for s in range(n))),
        columns=columns,
        shown=_SHOWN_STATES,
        figures=pages.drawn(whole["figures"]),
    )
