"""Draws a picture of docs/questions.md: mean, mean square and runs of one state with two actions, at three steps.

    python docs/write_runs.py

The curves are those of the claim ``path_growth``.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from tdcert.claims.dgb22.path_growth import pictures
from tdcert.reports.palette import settings
from tdcert.reports.plots import draw_on

PAGE = Path(__file__).parent / "images" / "runs.png"
SHOWN = ((2, "the mean square misleads"), (3, "the mean misleads"), (4, "both mislead"))
"""Which of the five pictures, and what an average over runs does there."""
SEED = 1


def main() -> None:
    drawn = pictures(SEED, "full")
    with settings():
        canvas = Figure(figsize=(11, 3.8), layout="constrained")
        for axes, (number, title) in zip(canvas.subplots(1, len(SHOWN)), SHOWN, strict=True):
            figure = drawn[number - 1]
            draw_on(axes, figure)
            axes.set_title(f"{figure.title.split(':')[0]}:\n{title}")
        handles, labels = axes.get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
        canvas.savefig(PAGE, dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
