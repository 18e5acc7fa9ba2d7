"""Whether what is quoted from the further papers stands in their texts, kept for those who do not have these.

``python -m tests.quality.paper_quotes FOLDER`` takes the files of the folder whose SHA-256 some ``paper.toml`` names
(PDFs, read by poppler's ``pdftotext``, and LaTeX), looks in each for every quote and anchor of that paper's claims, and
writes ``tests/claims/quotes.json``. Formulas are set in their own way, so what is looked for are the runs of three or
more words between them; what has no such run, and does not stand in the text letter by letter (Theorem 5), is recorded
as a formula, which a reader has to compare.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from tdcert.claims.paper import SEED, Publication, Text, papers

RECORD = Path(__file__).parents[1] / "claims" / "quotes.json"
SHORTEST = 3
"""Words of a run that is looked for."""
Found = dict[str, dict[str, str]]
"""By claim and digest of what is quoted: ``text`` or ``formula``."""


def words(text: str) -> list[str]:
    """The words of a text in small letters; off-line is offline, and Greek and single letters are left out."""
    plain = re.sub("[Α-Ωα-ω]", " ", unicodedata.normalize("NFKC", text))
    return re.findall(r"[^\W\d_]{2,}", re.sub(r"(?<=\w\w)-\s*(?=\w\w)", "", plain).lower())


def runs(quote: str) -> list[list[str]]:
    """The runs of words between formulas, each of three or more."""
    pieces = re.split(r"\$[^$]*\$|[^\w\s,;:.'()’“”-]|\b\w*[\d_]\w*\b|\b\w\b", unicodedata.normalize("NFKC", quote))
    found = [words(piece) for piece in pieces]
    return [run for run in found if len(run) >= SHORTEST]


def stands(run: list[str], text: str) -> bool:
    """Whether these words follow each other in a text, given as its words with single blanks."""
    return f" {' '.join(run)} " in text


def digest(quote: str) -> str:
    """SHA-256 of a quote."""
    return hashlib.sha256(quote.encode()).hexdigest()


def quoted(paper: Publication) -> Mapping[str, list[str]]:
    """The quotes and anchors of a paper's claims, by id; statements that the paper does not make have none."""
    decided = [row for row in paper.entries if not row.is_open]
    loaded = {row.id: row.load() for row in decided}
    found = {
        name: [*claim.anchors, *([claim.stated.quote] if claim.stated.quote else [])] for name, claim in loaded.items()
    }
    return {name: quotes for name, quotes in found.items() if quotes}


def read() -> list[Publication]:
    """The further papers of which a text was read."""
    return [paper for paper in papers().values() if paper is not SEED and paper.text is not Text.NOT_SEEN]


def compared(paper: Publication, text: str) -> Found:
    """Every quote and anchor of a paper held against its text; ValueError, with all that are missing."""
    whole, lines = f" {' '.join(words(text))} ", " ".join(text.split())
    found: Found = {}
    missing = []
    for name, quotes in quoted(paper).items():
        for quote in quotes:
            wanted = runs(quote)
            missing += [f"{name}: '{' '.join(run)}' of '{quote}'" for run in wanted if not stands(run, whole)]
            stands_so = wanted or " ".join(quote.split()) in lines
            found.setdefault(name, {})[digest(quote)] = "text" if stands_so else "formula"
    if missing:
        raise ValueError(f"{paper.id}: not in the text: " + "; ".join(missing))
    return found


def text_of(place: Path) -> str:
    """The text of a PDF, or of a LaTeX file."""
    if place.suffix != ".pdf":
        return place.read_text(encoding="utf-8", errors="replace")
    ran = subprocess.run(["pdftotext", str(place), "-"], capture_output=True, check=True)
    return ran.stdout.decode("utf-8", "replace")


def main(folder: Path) -> int:
    """Write the record; what is not in a text is printed, and nothing is written for that paper."""
    files = {hashlib.sha256(place.read_bytes()).hexdigest(): place for place in folder.iterdir() if place.is_file()}
    record, failed = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}, 0
    for paper in read():
        try:
            text = text_of(files[paper.digest])
            record[paper.id] = {"text": paper.digest, "quotes": compared(paper, text)}
        except KeyError:
            print(f"{paper.id}: no file of the folder has the digest of its text")
        except ValueError as error:
            print(error)
            failed = 1
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
