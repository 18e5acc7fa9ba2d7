"""One figure's data as an inline SVG that follows the page's colours, and as a PNG that stands alone.

Colours are those of Okabe and Ito, told apart by all common forms of colour blindness; line styles and
markers repeat the distinction for print. Legends stand below the axes, where they cannot cover data.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from claims.figures import Figure

# Drawn in these colours; in the page each becomes a variable of the style sheet (light and dark).
_SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
_MARKERS = ("o", "s", "^", "D", "v", "P")
_INK, _RULE = "#1d2127", "#d9dde2"
_MOST_MARKED = 40


def svg(figure: Figure) -> str:
    """An ``<svg>`` element for an HTML page: text stays text, ids carry the figure's name, no metadata."""
    with _settings():
        canvas = _draw(figure, title=False)
        buffer = io.StringIO()
        canvas.savefig(
            buffer,
            format="svg",
            transparent=True,
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    text = buffer.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href=", "href=")
    text = re.sub(r"\n\s*<!--.*?-->", "", text, flags=re.DOTALL)
    prefix = re.sub(r"\W", "_", figure.name)
    text = re.sub(r'\bid="([^"]*)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r'href="#([^"]*)"', rf'href="#{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]*)\)", rf"url(#{prefix}-\1)", text)
    for index, colour in enumerate(_SERIES, start=1):
        text = text.replace(colour, f"var(--series-{index})")
    text = text.replace(_INK, "currentColor").replace(_RULE, "var(--rule)")
    # The page sizes the picture: only the view box stays.
    return re.sub(
        r'^<svg height="[^"]*" (.*?)width="[^"]*"|^<svg', r'<svg role="img" \1', text, count=1, flags=re.S
    )


def png(figure: Figure) -> bytes:
    """A PNG with its title, on white."""
    with _settings():
        buffer = io.BytesIO()
        _draw(figure, title=True).savefig(buffer, format="png", dpi=160, metadata={"Software": None})
    return buffer.getvalue()


@contextmanager
def _settings() -> Iterator[None]:
    import matplotlib

    settings: Any = {
        "svg.fonttype": "none", "svg.hashsalt": "tdcert", "font.family": "DejaVu Sans", "font.size": 9,
        "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK,
        "xtick.color": _INK, "ytick.color": _INK,
        "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
        "grid.color": _RULE, "grid.linewidth": 0.6, "lines.linewidth": 1.5, "axes.titlesize": 10,
        "axes.titlelocation": "left", "axes.formatter.use_mathtext": False,
    }  # fmt: skip
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a state's name may use letters the font lacks
        yield


def _draw(figure: Figure, title: bool) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(5.0, 3.3), layout="constrained")
    axes = canvas.add_subplot()
    drawn = 0
    for index, series in enumerate(figure.series):
        points = [
            (x, y) for x, y in zip(series.x, series.y, strict=True)
            if math.isfinite(x) and (x > 0 or not figure.log_x)
        ]  # fmt: skip
        ys = [y if math.isfinite(y) and (y > 0 or not figure.log_y) else math.nan for _, y in points]
        drawn += sum(not math.isnan(y) for y in ys)
        axes.plot(
            [x for x, _ in points], ys, label=_literal(series.label), color=_SERIES[index % len(_SERIES)],
            linestyle=_STYLES[index % len(_STYLES)], marker=_MARKERS[index % len(_MARKERS)],
            markersize=3.5 if len(points) <= _MOST_MARKED else 0,
        )  # fmt: skip
    if figure.log_x and drawn:
        axes.set_xscale("log")
    if figure.log_y and drawn:
        axes.set_yscale("log")
    axes.set_axisbelow(True)
    axes.set_xlabel(_literal(figure.x_label))
    axes.set_ylabel(_literal(figure.y_label))
    if title:
        axes.set_title(_literal(figure.title))
    if len(figure.series) > 1:
        canvas.legend(
            loc="outside lower center", ncols=min(3, len(figure.series)), frameon=False, handlelength=3.2
        )
    return canvas


def _literal(text: str) -> str:
    """Text as it stands: labels come from users too, and a dollar sign is no formula there."""
    return text.replace("$", r"\$") if text.count("$") > 1 else text
