"""The page in a real browser: it opens from a file, says nothing in the console, and holds every anchor."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reports.analysis_page import analysis_files
from reports.verification_page import verification_files
from tests.reports import sample

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium on this machine to look at the page with"
)


def browse(page: Path, profile: Path, *options: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None
    return subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={profile}", "--enable-logging=stderr", "--v=0", "--virtual-time-budget=2000",
            *options, page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["verification", "analysis"])
def test_the_page_opens_without_a_complaint(kind: str, tmp_path: Path) -> None:
    document: dict[str, Any]
    if kind == "verification":
        document = sample.verdicts()
        document["claims"][3]["rests_on"] = ["weight_matrix_rows", "n_step_special_case"]
        files = verification_files(document)
        anchors = {"summary", "corrections", "claims", "graph", "details", "limits"}
        anchors |= {claim["id"] for claim in document["claims"]}
    else:
        document = sample.analysis()
        files = analysis_files(document)
        anchors = {"summary", "chain", "algorithms", "values", "matrices", "claims", "reproduce"}
    page = tmp_path / "index.html"
    page.write_bytes(files["index.html"])

    seen = browse(page, tmp_path / "profile", "--dump-dom")
    assert seen.returncode == 0
    # Console messages of the page are logged with this word; the browser's own chatter is not.
    assert "CONSOLE" not in seen.stderr
    assert anchors <= set(re.findall(r'\bid="([^"]+)"', seen.stdout))

    picture = tmp_path / "page.png"
    assert (
        browse(page, tmp_path / "profile", f"--screenshot={picture}", "--window-size=420,900").returncode == 0
    )
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_console_is_really_read(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<!DOCTYPE html><title>x</title><script>console.error("seen")</script>')
    assert "CONSOLE" in browse(page, tmp_path / "profile", "--dump-dom").stderr
