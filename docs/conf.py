"""Configuration of the documentation site. ``make docs`` builds it into ``build/docs``, warnings as errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent / "src"), str(DOCS / "_site")]

project = "tdcert"
author = "the tdcert contributors"
project_copyright = author
html_title = "tdcert"

extensions = ["myst_parser", "sphinx.ext.autodoc", "claim_pages", "mathml_renderer", "offline"]
exclude_patterns: list[str] = []

# Pages are Markdown. Headings down to the third level can be linked to from other pages.
myst_enable_extensions = ["deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# Every reference must lead somewhere; only types of other projects and type
# variables may not, for nothing is fetched to link to the former.
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!tdcert\.(?!sweeps\.|analysis\.)).*"),
    ("py:.*", r"tdcert\.reports\..*Document"),  # their schemas describe them
    ("py:class", r"tdcert\.theory\.model\.canonical\..*"),  # they stand in the schema of certificates
    ("py:class", r"tdcert\.sims\.trials\.worker\..*"),  # runs beside code on trial; it is not an interface
    ("py:.*", r".*\.(Mat|Bound|BlockMat|Number|M|Found|Size|Answer|_\w+)"),
]

# Docstrings are the API pages: in the order of the source, types as they stand in the signature.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
python_use_unqualified_type_names = True

# Mathematics is MathML and the fonts are the reader's own: nothing is fetched from elsewhere.
html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
highlight_language = "none"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def bars_are_absolute_values(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """In docstrings |x| is an absolute value, not a substitution of reStructuredText."""
    lines[:] = [
        "".join(part if k % 2 else part.replace("|", r"\|") for k, part in enumerate(re.split("(``.*?``)", line)))
        for line in lines
    ]


def readable_without_a_mouse(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Captions of the contents are headings and say of which level; wide code scrolls by keyboard too."""
    contents, body = context.get("furo_navigation_tree", ""), context.get("body", "")
    context["furo_navigation_tree"] = contents.replace('role="heading"', 'role="heading" aria-level="2"')
    context["body"] = body.replace("<pre>", '<pre tabindex="0">')


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("html-page-context", readable_without_a_mouse, priority=900)  # behind the theme's own
    app.connect("autodoc-process-docstring", bars_are_absolute_values)
