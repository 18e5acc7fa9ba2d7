"""The answer of ``tdcert sweep`` as files: ``result.json``, the page that is made from it alone, its figures.

Pure functions: the same document gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdcert.reports import pages, pictures
from tdcert.reports.documents import json_bytes

Document = Mapping[str, Any]


def sweep_files(document: Document, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """By their path inside the sweep's folder; ``files`` are what the question itself writes: finds, say."""
    return {
        "result.json": json_bytes(document),
        "index.html": sweep_page(document).encode(),
        **pictures.picture_files(document["figures"]),
        **files,
    }


def sweep_page(document: Document) -> str:
    """The page."""
    return pages.render("sweep.html", document=document, figures=list(pages.drawn(document["figures"]).values()))
