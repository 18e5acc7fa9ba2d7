"""The site works without a network: a built page that would load something from elsewhere is a warning, so an error."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

_REMOTE = "(?:https?:)?//"
_FETCHED = re.compile(
    rf"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\s(?:src|srcset|data)=[\"']?\s*({_REMOTE}[^\"'\s>]*)"
    rf"|<link\b(?=[^>]*\srel=[\"']?(?:stylesheet|preload|preconnect|icon|modulepreload))[^>]*\shref=[\"']?({_REMOTE}[^\"'\s>]*)"
    rf"|url\(\s*[\"']?({_REMOTE}[^\"')]*)"
    rf"|@import\s+[\"']({_REMOTE}[^\"']*)",
    re.IGNORECASE,
)


def fetched(text: str) -> list[str]:
    """The addresses elsewhere that a browser would load by itself; links that a reader follows are none."""
    return [next(filter(None, match.groups())) for match in _FETCHED.finditer(text)]


def look(app: Sphinx, failure: Exception | None) -> None:
    """Reads every page and style sheet that was written."""
    if failure is None and app.builder.format == "html":
        for path in sorted(Path(app.outdir).rglob("*")):
            if path.suffix in {".html", ".css"}:
                for address in fetched(path.read_text(encoding="utf-8")):
                    logger.warning("%s loads %s, and the site must work without a network", path.name, address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", look)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
