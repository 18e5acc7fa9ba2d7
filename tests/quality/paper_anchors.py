"""The digests of what the claims cite from the paper, for those who do not have its source.

A claim names places (``anchors``) and quotes a phrase of the paper's source. ``tests/claims/anchors.json`` holds, for
each claim, the digest of each cited text and of the paragraph in which it stands. The tests compare the claims with the
digests; where the paper's source lies beside the repository, they also compare the digests with the source.

``python -m tests.quality.paper_anchors`` writes the file. Run it after a claim cites another text.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from tdcert.claims.claim import Claim
from tdcert.claims.paper import BEYOND, ENTRIES

SOURCE = Path("shared", "paper", "schedule-based-td.tex")
PAPER = next((folder / SOURCE for folder in Path(__file__).parents if (folder / SOURCE).is_file()), None)
"""The paper's source, beside the repository or in a folder further up."""
DIGESTS = Path(__file__).parents[1] / "claims" / "anchors.json"


def in_one_line(tex: str) -> str:
    """Without the signs that open and close formulas, which a page sets in its own way, and with single blanks."""
    return " ".join(re.sub(r"\$|\\[()\[\]]", " ", tex).split())


def digest(tex: str) -> str:
    """SHA-256 of the normalised text."""
    return hashlib.sha256(in_one_line(tex).encode()).hexdigest()


def printed(source: str) -> str:
    """The source without its comments: what stands in one is not printed."""
    return "\n".join(
        re.sub(r"(?<!\\)%.*", "", line) for line in source.split("\n") if not line.lstrip().startswith("%")
    )


def paragraph(phrase: str, source: str) -> str:
    """The first printed paragraph of the source that holds the phrase; ValueError where none does."""
    wanted = in_one_line(phrase)
    for part in re.split(r"\n\s*\n", printed(source)):
        if wanted in in_one_line(part):
            return part
    raise ValueError(f"'{phrase}' does not stand in the paper's source")


def cited(claim: Claim, section: str) -> list[str]:
    """What a claim cites: its anchors, and the quote of its printed reading."""
    return [*claim.anchors, *([] if section == BEYOND else [claim.stated.quote])]


def digests(source: str) -> dict[str, dict[str, str]]:
    """By claim: the digest of each cited text, and of the paragraph in which it stands."""
    return {
        entry.id: {digest(text): digest(paragraph(text, source)) for text in cited(entry.load(), entry.section)}
        for entry in ENTRIES
        if not entry.is_open
    }


if __name__ == "__main__":
    if PAPER is None:
        raise SystemExit(f"the paper's source was not found: put it at {SOURCE}, beside the repository")
    DIGESTS.write_text(json.dumps(digests(PAPER.read_text(encoding="utf-8")), indent=1) + "\n", encoding="utf-8")
