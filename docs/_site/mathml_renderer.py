"""``$LaTeX$`` in the pages as MathML, which browsers draw without scripts or fonts from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from tdcert.reports.mathml import math

logger = logging.getLogger(__name__)


def _mathml(node: nodes.Element) -> str:
    converted = str(math(node.astext()))
    if not converted.startswith("<math"):
        logger.warning("this mathematics has no MathML: %s", node.astext(), location=node)
    return converted


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Mathematics in a line of text."""
    translator.body.append(_mathml(node))
    raise nodes.SkipNode


def visit_display(translator: Any, node: nodes.math_block) -> None:
    """Mathematics on a line of its own."""
    mathml = _mathml(node).replace('display="inline"', 'display="block"', 1)
    translator.body.append(f'<div class="equation">{mathml}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
