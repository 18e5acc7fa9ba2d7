"""Each picture is drawn once in a process: many tests build pages from one sample, and drawing takes most of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tdcert.reports import pictures
from tdcert.theory.figures import Picture


@pytest.fixture(scope="package", autouse=True)
def drawn() -> Iterator[dict[Any, Any]]:
    """What was drawn, by the figure; a test that wants a picture drawn anew empties it."""
    kept: dict[Any, Any] = {}
    svg, png = pictures._drawn, pictures.png

    def once(figure: Picture, title: bool) -> str:
        key = (title, figure)
        return str(kept[key] if key in kept else kept.setdefault(key, svg(figure, title)))

    def once_png(figure: Picture) -> bytes:
        return bytes(kept[figure] if figure in kept else kept.setdefault(figure, png(figure)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "_drawn", once)
        patch.setattr(pictures, "png", once_png)
        yield kept
