"""Each picture is drawn once in a process: many tests build pages from one sample, and drawing takes most of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tdcert.reports import pictures


@pytest.fixture(scope="package", autouse=True)
def drawn() -> Iterator[dict[str, Any]]:
    """What was drawn, by the figure's document; a test that wants a picture drawn anew empties it."""
    kept: dict[str, Any] = {}
    svg, png = pictures._drawn, pictures.png

    def once(figure: dict[str, Any], title: bool) -> str:
        key = json.dumps(["svg", title, figure], sort_keys=True)
        return str(kept[key] if key in kept else kept.setdefault(key, svg(figure, title)))

    def once_png(figure: dict[str, Any]) -> bytes:
        key = json.dumps(["png", figure], sort_keys=True)
        return bytes(kept[key] if key in kept else kept.setdefault(key, png(figure)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "_drawn", once)
        patch.setattr(pictures, "png", once_png)
        yield kept
