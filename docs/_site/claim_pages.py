"""The pages about the claims, written when the site is built: from the table, the docstrings and the readings.

They go to ``docs/claims/``, one page for each section of the table, and are not committed.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from sphinx.application import Sphinx

from tdcert.claims.claim import Ablation, Claim
from tdcert.claims.paper import SEED, Entry, Publication, papers
from tdcert.reports.labels import FINDINGS, UNPRINTED
from tdcert.theory.words import counted

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "theory" / "formal" / "proofs.json"

_ROWS = ("proved", "proved_for_all", "proof", "proof_for_all", "shown_along")
"""The functions of the kit, and of True Online TD(λ), that make a row of a proof from its sentence."""
_PART = re.compile(r"^([A-Z][A-Za-z ]{2,20}):", re.MULTILINE)
# Mathematics and code; a letter with an index; what Markdown would take for markup.
_TOKEN = re.compile(
    r"(\$[^$]+\$|`+[^`]+`+)"
    r"|(?<![\w.])([A-Za-zα-ωΓΔΘΛΦ])_(\d+|[a-z]|\{[-−+\w, ]{1,20}\})(?![\w^])"
    r"|([\\`*_{}\[\]<>()#+\-.!|~$&:])"
)

INDEX = """# The claims

What papers state, in their order, and what goes beyond them. A paper is a folder of `claims/`, and every claim one file
of it, named as its id; these pages are made of the files' docstrings. They say how a claim is decided and not how it
came out: that is computed, by `make verify` for the report and by `tdcert show ID` for one claim, and is counted on the
first page.

*Fails without* and *holds without* name the hypotheses that are dropped one at a time, to be seen to be needed or not.

```{toctree}
:maxdepth: 2

"""


PAPERS = f"""# Papers on trial

How the statements of each paper came out. Its `paper.toml` names the version that was read and its digest; a finding is
about what is printed there, and authors were not asked yet. `tdcert verify --paper ID` decides a paper again and
replays every certificate; [a paper is added by a folder](../adding_a_paper.md).

| Paper | By | Text | Statements | {" | ".join(FINDINGS.values())} |
|---|---|---|---|{"---|" * len(FINDINGS)}"""
_SAID = " | ".join(UNPRINTED.get(key, words) for key, words in FINDINGS.items())
UNREAD = f"""
## Beside papers that were not read

Of these papers no text was read, so nothing is said of them. The statements are our own, on their subjects, as they are
remembered or often given.

| On the subject of | By | Text | Statements | {_SAID} |
|---|---|---|---|{"---|" * len(FINDINGS)}"""

_SEARCHED = "a box of small models, searched whole for the smallest counterexample"
_GIVEN = "a model on which it fails"
_SUPPORTED = "models on which it holds"


def parts(docstring: str) -> dict[str, str]:
    """The named parts of a claim's docstring (Place, Statement, …), in order, each on one line."""
    pieces = _PART.split(docstring)[1:]
    return {name: " ".join(text.split()) for name, text in zip(pieces[::2], pieces[1::2], strict=True)}


def escaped(text: str) -> str:
    """Text as Markdown that shows it, on one line. Mathematics and code stay what they are; X_t becomes mathematics."""

    def shown(token: re.Match[str]) -> str:
        kept, letter, index, sign = token.groups()
        return kept or (f"${letter}_{{{index.strip('{}')}}}$" if letter else f"\\{sign}")

    return _TOKEN.sub(shown, " ".join(text.split()))


def slug(section: str, paper: Publication = SEED) -> str:
    """The file name of a section's page."""
    return re.sub(r"[^a-z0-9]+", "-", ("" if paper is SEED else f"{paper.id}-") + section.lower()).strip("-")


def pages() -> dict[str, str]:
    """File name → Markdown, the index first."""
    theorems: dict[str, list[str]] = {}
    for theorem in json.loads(PROOFS.read_text(encoding="utf-8"))["theorems"]:
        theorems.setdefault(theorem["claim"], []).append(theorem["file"])
    unread = [paper for paper in papers().values() if paper.is_unread]
    read = [paper for paper in papers().values() if paper not in unread]
    made = {"papers.md": "\n".join([PAPERS, *map(row, read), UNREAD, *map(row, unread), ""])}
    for paper in papers().values():
        for section in dict.fromkeys(entry.section for entry in paper.entries):
            claims = [described(x, theorems.get(x.id, [])) for x in paper.entries if x.section == section]
            made[f"{slug(section, paper)}.md"] = "\n".join([head(section, paper), *claims])
    names = "\n".join(name.removesuffix(".md") for name in made)
    return {"index.md": f"{INDEX}{names}\n```\n", **made}


def head(section: str, paper: Publication) -> str:
    """The title of a section's page, and of a further paper which text was read."""
    if paper is SEED:
        return f"# {escaped(section)}\n"
    about = f"On the subject of “{paper.title}”" if paper.is_unread else paper.title
    return f"# {escaped(f'{about}: {section}')}\n\n{escaped(paper.which_text)}\n"


def row(paper: Publication) -> str:
    """A paper in the table of all: how its statements came out, as every run compares with what it finds."""
    place = ROOT / "claims" / paper.id / "predictions.json"
    known = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    unknown = {x.id: {"finding": "not_decidable" if x.not_decidable else "open"} for x in paper.entries if x.is_open}
    counts = Counter({**known, **unknown}[x.id]["finding"] for x in paper.entries if x.is_of_the_paper)
    cells = [f"[*{escaped(paper.title)}*]({paper.url})", escaped(f"{paper.by}, {paper.published}"), str(paper.text)]
    return "| " + " | ".join([*cells, str(counts.total()), *(str(counts[name]) for name in FINDINGS)]) + " |"


def described(entry: Entry, theorems: Sequence[str]) -> str:
    """One claim as Markdown. ``theorems``: the file of each machine-checked theorem about it."""
    title = escaped(entry.title[0].upper() + entry.title[1:])
    head = f"({entry.id})=\n## {title}\n\n`{entry.id}` · {escaped(entry.place)}\n"
    if entry.not_decidable:
        return f"{head}\nNot decidable here: {escaped(entry.not_decidable)}\n"
    if entry.is_open:
        return f"{head}\nOpen: nothing decides it yet.\n"
    claim, module = entry.load(), import_module(f"tdcert.claims.{entry.paper}.{entry.module}")
    quoted = [("Quote", f"“{claim.stated.quote}” ({claim.stated.place})")] if claim.stated.quote else []
    rows = [("As printed" if quoted else "Statement", claim.stated.statement), *quoted]
    if claim.corrected is not None:
        words = FINDINGS if quoted else {**FINDINGS, **UNPRINTED}
        rows.append((f"Corrected ({words[claim.correction.value]})", claim.corrected.statement))
    written = parts(module.__doc__ or "")
    rows += [("In symbols", written[name]) for name in ("Statement", "Where") if name in written]
    rows += [("Hypotheses", written.get("Hypotheses") or _hypotheses(claim))]
    rows += [(name, written[name]) for name in ("Model", "Check", "Closed form")]
    rows += [
        *_evidence(claim, written.get("Proof") or _rows_of(module)),
        *(("Note", note) for note in (*_note(written), *claim.notes)),
    ]
    fields = [f":{escaped(name)}: {escaped(text)}" for name, text in rows]
    if theorems:
        places = [f"theory/formal/{name}" for name in sorted(set(theorems))]
        files = ", ".join(f"[{place}](../../{place})" for place in places)
        fields.append(f":For every size: {counted(len(theorems), 'theorem')} in {files}, replayed by `make prove`")
    if claim.rests_on:
        fields.append(":Rests on: " + ", ".join(f"{{ref}}`{name}`" for name in claim.rests_on))
    fields.append(f":File: [{entry.source}](../../{entry.source})")
    commands = f"tdcert show {entry.id}\ntdcert verify {entry.id}\nmake test ARGS='-k {entry.id}'"
    return "\n".join([head, *fields, f"\n```sh\n{commands}\n```\n"])


def _hypotheses(claim: Claim) -> str:
    """Those of the ablations, with their places, where the docstring adds nothing to them."""
    kept, free = (
        [f"{x.hypothesis.statement} ({x.hypothesis.source})" for x in claim.ablations if x.is_needed is needed]
        for needed in (True, False)
    )
    return ". Not needed: ".join("; ".join(told) for told in (kept or ["none"], free) if told)


def _note(written: Mapping[str, str]) -> list[str]:
    return [written["Note"]] if "Note" in written else []


def _rows_of(module: ModuleType) -> str:
    """The sentences of the rows of a proof, where they are written out in the module."""
    calls = [
        node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Call) and node.args
    ]
    rows = [node.args[0] for node in calls if ast.unparse(node.func).rpartition(".")[2] in _ROWS]
    return "; ".join(row.value for row in rows if isinstance(row, ast.Constant))


def _evidence(claim: Claim, proof: str) -> list[tuple[str, str]]:
    told = inspect.getdoc(claim.prove) or proof or "the closed form, on symbols"
    rows = [("General evidence", told if claim.prove else "None: models decide it, and only against it.")]
    for name, ways in (("Fails without", (_SEARCHED, _GIVEN)), ("Holds without", (_SUPPORTED,))):
        told = [f"{', '.join(found)} ({way})" for way in ways if (found := _dropped(claim, way))]
        rows += [(name, "; ".join(told))] if told else []
    return rows + ([("Simulated", inspect.getdoc(claim.simulate) or "")] if claim.simulate else [])


def _dropped(claim: Claim, way: str) -> list[str]:
    return [ablation.hypothesis.id.replace("_", " ") for ablation in claim.ablations if _way(ablation) == way]


def _way(ablation: Ablation) -> str:
    if ablation.supports is not None:
        return _SUPPORTED
    return _SEARCHED if ablation.box is not None else _GIVEN


def write(app: Sphinx) -> None:
    """Renews ``docs/claims/``; a page that has not changed is left as it is."""
    folder, made = Path(app.srcdir) / "claims", pages()
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
