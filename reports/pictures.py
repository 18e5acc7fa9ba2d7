"""Figures as files: SVG inside a page and by itself, PNG, and the numbers as CSV.

Each kind of figure has a module with ``draw`` and ``table``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from types import ModuleType
from typing import TYPE_CHECKING

from tdcert.reports import phase_plot, plots, svg_plot
from tdcert.reports.palette import INK, RULE, SERIES, settings
from tdcert.sims.phases.diagram import PhaseDiagram
from tdcert.theory.figures import Figure, Picture
from tdcert.theory.progress import Progress, silently

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


KINDS = ("svg", "png", "csv")
"""The files of a figure."""
WITHOUT_PNG = ("svg", "csv")
"""The files that an analysis writes unasked: PNG is Matplotlib's, whose import takes longer than a page."""


def kind_of(figure: Picture) -> str:
    """The word that documents use for the figure: ``figure`` or ``phase_diagram``."""
    return "phase_diagram" if isinstance(figure, PhaseDiagram) else "figure"


def _painter(figure: Picture) -> ModuleType:
    return phase_plot if isinstance(figure, PhaseDiagram) else plots


def picture_files(
    figures: Sequence[Picture], on_progress: Progress = silently, kinds: Sequence[str] = KINDS
) -> dict[str, bytes]:
    """The files of each figure by path: ``figures/NAME.svg`` and so on, of the kinds that are asked for."""
    files: dict[str, bytes] = {}
    for done, figure in enumerate(figures):
        on_progress(done, len(figures), f"drawing {figure.name}")
        for kind in kinds:
            files[f"figures/{figure.name}.{kind}"] = _file(figure, kind)
    return files


def _file(figure: Picture, kind: str) -> bytes:
    if kind == "png":
        return png(figure)
    return (standalone_svg(figure) if kind == "svg" else table(figure)).encode()


def inline_svg(figure: Picture) -> str:
    """An ``<svg>`` element for a page: it follows the page's colours, and its ids carry the figure's name."""
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", _drawn(figure, title=False)).replace("xlink:href=", "href=")
    prefix = re.sub(r"\W", "_", figure.name)
    text = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r'href="#([^"]*)"', rf'href="#{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", text)
    for index, colour in enumerate(SERIES, start=1):
        text = text.replace(colour, f"var(--series-{index})")
    text = text.replace(INK, "currentColor").replace(RULE, "var(--rule)")
    # The page sizes the picture: only the view box stays.
    attributes = f'role="img" aria-label="{escape(figure.title)}"'
    return re.sub(r'^<svg height="[^"]*" (.*?)width="[^"]*"|^<svg', rf"<svg {attributes} \1", text, count=1, flags=re.S)


def standalone_svg(figure: Picture) -> str:
    """An SVG file with its title, on white, that opens by itself."""
    text = _drawn(figure, title=True)
    head, rest = text.split(">", 1)
    return f"{head}>\n<title>{escape(figure.title)}</title>{rest}\n"


def png(figure: Picture) -> bytes:
    """A PNG with its title, on white."""
    with settings():
        buffer = io.BytesIO()
        _laid_out(figure).savefig(buffer, format="png", dpi=160, metadata={"Software": None})
    return buffer.getvalue()


def table(figure: Picture) -> str:
    """The figure's numbers as CSV, with a heading."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(_painter(figure).table(figure))
    return buffer.getvalue()


@lru_cache(maxsize=64)
def _laid_out(figure: Picture) -> Canvas:
    """The figure with its title, every part in its place: finding the places takes as long as drawing."""
    canvas: Canvas = _painter(figure).draw(figure, title=True)
    canvas.draw_without_rendering()
    canvas.set_layout_engine(None)
    return canvas


def _drawn(figure: Picture, title: bool) -> str:
    """An ``<svg>`` element: text stays text, no metadata, no comments; without a title it ends below it."""
    if isinstance(figure, Figure):
        return svg_plot.svg(figure, title)
    from matplotlib.transforms import Bbox

    with settings():
        canvas = _laid_out(figure)
        (heading,) = canvas.findobj(lambda part: part.get_gid() == "title")
        width, height = canvas.get_size_inches()
        below = heading.get_window_extent().y0 / canvas.dpi
        buffer = io.StringIO()
        heading.set_visible(title)
        canvas.savefig(
            buffer,
            format="svg",
            transparent=not title,
            bbox_inches=Bbox(((0, 0), (width, height if title else below))),
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
        heading.set_visible(True)
    text = buffer.getvalue()
    return re.sub(r"\n\s*<!--.*?-->", "", text[text.index("<svg") :].strip(), flags=re.DOTALL)
