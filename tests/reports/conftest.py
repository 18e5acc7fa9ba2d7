"""Each picture is drawn once in a process: many tests build pages from one sample, and drawing takes most of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tdcert.reports import pictures
from tdcert.theory.figures import Picture
from tests.reports.browser import CHROMIUM, Browser, browser


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


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser to look at pages with. Without one the test is skipped, or fails where CI is set."""
    if CHROMIUM is None:
        reason = "no Chromium on this machine to look at the pages with"
        if os.environ.get("CI"):
            pytest.fail(reason + ", and CI has to look")
        pytest.skip(reason)
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started
