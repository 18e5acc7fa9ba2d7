"""The colours and the hand of all pictures.

Colours are those of Okabe and Ito, told apart by all common forms of colour blindness; who draws repeats the
distinction by line styles and markers, for print. In a page each becomes a variable of the style sheet.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
INK, RULE = "#1d2127", "#d9dde2"


@contextmanager
def settings() -> Iterator[None]:
    """How matplotlib draws for us, the same on every machine."""
    import matplotlib

    chosen: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "tdcert",
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.linewidth": 0.7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": RULE,
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.5,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.formatter.use_mathtext": False,
    }
    with matplotlib.rc_context(chosen), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a state's name may use letters the font lacks
        yield
        interactive = matplotlib.is_interactive()
    # A notebook's backend, loaded with the first figure, makes it so; put back, no later figure would be shown.
    matplotlib.interactive(interactive)


def literal(text: str, width: int = 70) -> str:
    """Text as it stands, in lines of at most ``width`` letters: labels come from users too, and a dollar sign is no
    formula there.
    """
    return "\n".join(wrapped(text.replace("$", r"\$") if text.count("$") > 1 else text, width))


def wrapped(text: str, width: int = 70) -> list[str]:
    """Text in lines of at most ``width`` letters."""
    return textwrap.wrap(text, width)
