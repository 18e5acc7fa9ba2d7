"""Writes docs/sweeps-results.md from the results of the shipped sweeps.

    python docs/write_sweeps_results.py DROPPED KEPT GARNET

The folders are those of ``examples/sweeps/one_hypothesis_dropped.toml``, ``hypotheses_kept.toml`` and
``garnet_stability.toml``, each run to its end. Every number of the page comes from their ``result.json``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tdcert.claims.paper import ENTRIES

PAGE = Path(__file__).with_name("sweeps-results.md")

HEAD = """# What the shipped sweeps found

Three sweeps ship with the suite, in `examples/sweeps/`. Each runs with one command on one machine, and the same version
gives the same tables again. This page is written from their results by `docs/write_sweeps_results.py`; below each
table stand the digest of the spec and of the sources that computed it. With later sources a table may differ.
"""
DROPPED = """## One hypothesis dropped at a time

```sh
tdcert sweep examples/sweeps/one_hypothesis_dropped.toml
```

Every claim, without one of the hypotheses it lists, each in turn: is there a counterexample that satisfies all the
others? `claims = "all"` asks every claim of the version that runs it, so the list grows with the claims. Each find is
decided by the claim's own exact check, shrunk to fewest states, fewest features and smallest numbers, and written with
the certificates that this check gives. A hypothesis with a counterexample is needed: without it the statement fails;
where none was found, nothing is said. *Size* is states, features, largest number, sum of all numbers of the
model. The last column compares it with the counterexample in the claim's file, the smallest of a box that was
searched whole; boxes fix rewards and discounts (γ = ½, say), which shrinking does not.
"""
KEPT = """## With all hypotheses nothing is found

```sh
tdcert sweep examples/sweeps/hypotheses_kept.toml
```

No hypothesis dropped, for every claim that has a float margin. A margin below zero, beyond rounding, would point at a
counterexample; the model of the least margin of each batch, made worse by local descent, is decided exactly, and so
are margins too thin for floats. A bound that is attained (‖M‖ = κ at V = 1) has a least margin of zero up to
rounding. Nothing found is nothing proved; what is proved, the report says.
"""
GARNET = """## How often off-policy TD is stable, against GTD and TDC

```sh
tdcert sweep examples/sweeps/garnet_stability.toml
```

The paper's Baird figure shows off-policy TD diverging where GTD and TDC converge, at constant steps α = 0.005 and β =
0.05. On Garnet MDPs of four states and two features (whole numbers from −3 to 3), two actions, γ = 0.99, with the
same steps:
"""
READING = """
Each entry counts the models found stable, with exact 99 % limits of the share found so; what is undecided counts as
unstable in the lower limit and as stable in the upper. Mean and mean square are decided exactly, each model on its
own (a mean-square question above 1,000 windows × D² is left undecided; a start may be a run under way); paths are
simulated: whether most runs shrink or grow from update 4,000 to 20,000, by a 99.9 % interval of the median over 16
runs, so this column is consistent with theory, never more.

What the counts carry: on this family, at these steps, the picture of the figure is the rarer one. In the mean GTD and
TDC were stable on every model drawn and off-policy TD on nearly every one; the paths of GTD and TDC grew on many
models, on most of them where returns are longer, and those of off-policy TD on few. In mean square the same is decided
for `td0` and `n_step:2`; for longer returns much is undecided, and for `equal_weights:4,6` next to everything.

What they do not carry: that one algorithm is better than another. Features here are as large as ±3, so the same α and
β are mostly larger steps than on Baird's star; β, the larger of the two, only GTD and TDC take; and features divided by
c are the same as α and β divided by c². Where the mean matrix is Hurwitz every step below some α₀ is stable in mean
square, hence on paths (`mean_square_stability`): with steps small enough, what is stable in the first column is so in
all three. Nor do the shares say anything of other families, discounts or ratios β/α.
"""


def load(folder: str) -> dict[str, Any]:
    """The result of a finished sweep."""
    result: dict[str, Any] = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
    if not result["complete"]:
        raise SystemExit(f"{folder}: the sweep is not complete")
    if result["unexpected"]:
        raise SystemExit(f"{folder}: {result['unexpected'][0]}")
    return result


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines)


def size(numbers: Sequence[int] | None) -> str:
    """(n, d, largest number, sum)."""
    return "" if numbers is None else ", ".join(map(str, numbers))


def since(pairs: Collection[tuple[str, str]]) -> str:
    """What a table of these pairs of a claim and a hypothesis lacks, or has too much, against the present claims."""
    asked = {(row.id, h.id) for row in ENTRIES if not row.is_open for h in row.load().hypotheses}
    gone = [f"`{claim}` without `{dropped}`" for claim, dropped in pairs if (claim, dropped) not in asked]
    new = sorted({claim for claim, dropped in asked - set(pairs)})
    if not gone and not new:
        return ""
    said = (
        "The table is that of the sources whose digest stands below it, and claims have changed since: where it says "
        "that `gamma < 1` or `lambda:1 < 1` fails, or that no certificate was written, the present checks show what "
        "fails of the statement, or what does not exist, with a certificate."
    )
    said += f" No longer asked, as the statement no longer has the hypothesis: {', '.join(gone)}." if gone else ""
    said += (
        f" Not yet in the table, with some or all of their hypotheses: {', '.join(map('`{}`'.format, new))}."
        if new
        else ""
    )
    return said


def dropped(result: dict[str, Any]) -> str:
    """Counterexamples, claim by claim."""
    questions = result["answer"]["questions"]
    rows = []
    for body in questions:
        find, own = body["find"], body["own"]
        rows.append(
            [
                f"`{body['claim']}`",
                f"`{body['dropped'][0]}`",
                f"{body['screened']:,}",
                "none found" if find is None else size(find["size"]),
                "" if find is None else find["why"],
                own["find_is"] if own["size"] is None else f"{own['find_is']} ({size(own['size'])})",
            ]
        )
    kinds = Counter(body["own"]["find_is"] for body in questions)
    found = sum(body["find"] is not None for body in questions)
    compared = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda pair: -pair[1]))
    said = f"Found for **{found} of {len(questions)}** pairs; against the claims' files: {compared}."
    fewer = [
        f"`{b['claim']}` without `{b['dropped'][0]}`"
        for b in questions
        if b["find"] is not None and b["own"]["size"] is not None and b["find"]["size"][:2] < b["own"]["size"][:2]
    ]
    said += f" Fewer states or features than there: {', '.join(fewer) or 'none'}."
    smaller = [b["find"]["model"] for b in questions if b["find"] is not None and b["own"]["find_is"] == "smaller"]
    zero = sum(nothing(model["rewards"]) or model["discount"] == "0" for model in smaller)
    said += f" Of the {len(smaller)} smaller ones {zero} have only zeros as rewards, or the discount zero."
    bare = [b for b in questions if b["find"] is not None and not b["find"]["certificates"]]
    named = ", ".join(f"`{b['claim']}` without `{b['dropped'][0]}`" for b in bare)
    missed = [f"`{b['claim']}` without `{b['dropped'][0]}`" for b in questions if b["find"] is None]
    if missed:
        said += f" None was drawn for {', '.join(missed)}; the last column is what the claim's file has."
    if bare:
        said += f"\n\nNo certificate, since the claim's check decides exactly and writes none there: {named}."
    if changed := since([(b["claim"], b["dropped"][0]) for b in questions]):
        said += f"\n\n{changed}"
    said += "\n"
    columns = ["claim", "without", "models", "size", "why it fails", "than the claim's own"]
    return f"{said}\n{table(columns, rows)}"


def nothing(value: Any) -> bool:
    """Whether a value of a model file holds no number but zero."""
    if isinstance(value, dict | list):
        return all(map(nothing, value.values() if isinstance(value, dict) else value))
    return str(value) == "0"


def kept(result: dict[str, Any]) -> str:
    """Models screened, claim by claim."""
    rows = [
        [
            f"`{body['claim']}`",
            f"{body['screened']:,}",
            f"{body['met']:,}",
            f"{body['decided']:,}",
            body["undecided"],
            "" if body["least_margin"] is None else f"{body['least_margin']:.2g}",
            "none" if body["find"] is None else size(body["find"]["size"]),
        ]
        for body in result["answer"]["questions"]
    ]
    columns = ["claim", "models drawn", "screened, hypotheses met", "decided exactly", "undecided", "least margin"]
    columns.append("counterexamples")
    return table(columns, rows)


def garnet(result: dict[str, Any]) -> str:
    """Shares by schedule and algorithm."""
    shares = {(b["schedule"], b["algorithm"], b["notion"]): b for b in result["answer"]["quantities"] if "notion" in b}
    schedules = list(dict.fromkeys(key[0] for key in shares))
    algorithms, notions = (list(dict.fromkeys(key[k] for key in shares)) for k in (1, 2))
    names = {"off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
    rows = []
    for schedule in schedules:
        for algorithm in algorithms:
            cells = []
            for notion in notions:
                body = shares[schedule, algorithm, notion]
                low, high = body["limits"]
                undecided = f", {body['undecided']} undecided" if body["undecided"] else ""
                cells.append(f"{body['stable']} of {body['models']}{undecided} ({low:.3f} … {high:.3f})")
            rows.append([f"`{schedule}`", names[algorithm], *cells])
    return table(["schedule", "algorithm", *(f"stable: {notion.replace('_', ' ')}" for notion in notions)], rows)


def line(result: dict[str, Any]) -> str:
    """What the sweep was, to find it again."""
    versions = result["versions"]
    return (
        f"\n\nDigest of the spec: `{result['digest'][:16]}…`, {result['indices']['done']:,} indices; "
        f"tdcert {versions['tdcert']}, digest of its sources: `{versions['source'][:16]}…`.\n"
    )


def main() -> None:
    """Reads the three folders, writes the page."""
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    first, second, third = map(load, sys.argv[1:])
    parts = [HEAD, DROPPED, dropped(first) + line(first), KEPT, kept(second) + line(second)]
    parts += [GARNET, garnet(third), READING.rstrip("\n") + line(third)]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
