"""Which claim rests on which: a layered drawing, left to right, from ``rests_on`` alone.

Claims without an edge are left out. Levels are longest paths, and a lemma that rests on nothing stands just left of
what uses it first. Long edges pass through empty places of the levels between, so that no edge crosses a node; the
order within a level comes from barycentres (Sugiyama, Tagawa and Toda 1981), the heights from least squares with
fixed order, solved by pooling adjacent violators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tdcert.claims.claim import Finding
from tdcert.reports.evidence_lines import grades_of, is_wide
from tdcert.reports.labels import GRADES, NEEDED, STATUSES
from tdcert.theory.verdict import Grade, Status
from tdcert.verification.verification import ClaimVerdict

# Pixels. Names are set in a monospaced letter, whose width is 0.602 of its size in the common fonts.
# The line under a name is proportional; its average letter is narrower.
_NAME, _CHIP, _LETTER, _LINE = 12.5, 10.5, 0.615, 6.4
_PAD, _HEAD, _ROW, _CHIP_PAD = 12, 42, 19, 6
_ACROSS, _BETWEEN, _PASSING, _MARGIN = 54, 16, 10, 8
_SWEEPS = 12


@dataclass(frozen=True)
class Chip:
    """A hypothesis on a node; ``need``: whether it is needed, in words."""

    text: str
    title: str
    need: str
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Node:
    """A claim: its box, the grade or status that colours it, and the line under its name.

    ``wide``: it is proved for all sizes, not at stated ones alone.
    """

    id: str
    title: str
    kind: str
    wide: bool
    line: str
    chips: tuple[Chip, ...]
    width: float
    height: float
    x: float = 0
    y: float = 0


@dataclass(frozen=True)
class GraphEdge:
    """From a claim to one that rests on it, as an SVG path."""

    source: str
    target: str
    path: str


@dataclass(frozen=True)
class Drawing:
    """The picture, and its edges as text."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    edges: tuple[GraphEdge, ...]
    kinds: tuple[tuple[str, bool], ...]
    rests: tuple[tuple[str, tuple[str, ...]], ...]


def drawing(claims: Sequence[ClaimVerdict]) -> Drawing | None:
    """The picture of these claims; None where no claim rests on another of them."""
    by_id = {claim.entry.id: claim for claim in claims}
    rests = _acyclic({name: [n for n in claim.rests_on if n in by_id] for name, claim in by_id.items()})
    if not rests:
        return None
    nodes = {name: _node(by_id[name]) for name in by_id if name in rests}
    levels, chains = _levels(rests, list(nodes))
    _order(levels, chains)
    placed, places = _place(levels, chains, nodes)
    edges = tuple(GraphEdge(chain[0], chain[-1], _path(chain, placed, places)) for chain in chains)
    boxes = list(placed.values())
    kinds = {(node.kind, node.wide) for node in boxes}
    return Drawing(
        width=max(node.x + node.width for node in boxes) + _MARGIN,
        height=max([*(node.y + node.height for node in boxes), *(y for _, y, _ in places.values())]) + _MARGIN,
        nodes=tuple(boxes),
        edges=edges,
        kinds=tuple((kind, wide) for kind in (*GRADES, *STATUSES) for wide in (True, False) if (kind, wide) in kinds),
        rests=tuple((name, tuple(rests[name])) for name in nodes if rests[name]),
    )


def kind_of(claim: ClaimVerdict) -> str:
    """What colours a claim: the strongest grade of the reading that counts where it holds, its status elsewhere.

    What is proved or certified beside a sentence about an experiment is less than the sentence, and does not colour it.
    """
    reading = claim.holding
    if reading is None:
        return claim.status
    empirical = claim.finding is Finding.EMPIRICAL
    grades = [grade for grade in grades_of(reading) if not empirical or grade is Grade.CONSISTENT]
    return str(grades[0] if reading.status is Status.HOLDS and grades else reading.status)


def _acyclic(rests: dict[str, list[str]]) -> dict[str, list[str]]:
    """The ids that have an edge, and what they rest on; an edge that closes a circle is left out."""
    kept: dict[str, list[str]] = {}
    entered: set[str] = set()
    done: set[str] = set()

    def visit(name: str) -> None:
        entered.add(name)
        kept[name] = []
        for lemma in dict.fromkeys(rests[name]):
            if lemma not in entered:
                visit(lemma)
            if lemma in done:
                kept[name].append(lemma)
        done.add(name)

    for name in rests:
        if name not in entered:
            visit(name)
    used = {lemma for lemmas in kept.values() for lemma in lemmas}
    return {name: lemmas for name, lemmas in kept.items() if lemmas or name in used}


def _node(claim: ClaimVerdict) -> Node:
    kind, reading, name = kind_of(claim), claim.holding, claim.entry.id
    wide = False
    if reading is not None and kind in GRADES:
        wide = kind == Grade.PROVED and is_wide(reading.scopes)
        weaker = list(Grade)[list(Grade).index(Grade(kind)) + 1 :]
        others = "".join(f" {GRADES[grade][0]}" for grade in grades_of(reading) if grade in weaker)
        line = f"{GRADES[kind][0]} {kind}{', all sizes' if wide else ''}{others}"
        line += f" · {reading.decides}" if reading.decides else ""
    else:
        line = " ".join(STATUSES[kind])
    if claim.corrected and claim.stated and claim.stated.status is not Status.HOLDS:
        line += f" · printed: {STATUSES[claim.stated.status][0]}"
    inner = max(_LETTER * _NAME * len(name), _LINE * len(line), 164)
    chips: list[Chip] = []
    x, y = 0.0, float(_HEAD)
    longest = int((inner - 2 * _CHIP_PAD) / (_LETTER * _CHIP))
    for hypothesis in claim.hypotheses:
        text = hypothesis.id if len(hypothesis.id) <= longest else hypothesis.id[: longest - 1] + "…"
        width = _LETTER * _CHIP * len(text) + 2 * _CHIP_PAD
        if x and x + width > inner:
            x, y = 0.0, y + _ROW
        need = NEEDED[hypothesis.needed]
        chips.append(Chip(text, hypothesis.statement, need, round(x + _PAD, 1), y, round(width, 1)))
        x += width + 5
    height = y + _ROW + 5 if chips else _HEAD + 2
    return Node(name, claim.entry.title, kind, wide, line, tuple(chips), round(inner + 2 * _PAD, 1), height)


def _levels(rests: dict[str, list[str]], order: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Names by level, empty places of long edges included, and each edge as the chain of places it passes."""
    depth: dict[str, int] = {}

    def measure(name: str) -> int:
        if name not in depth:
            depth[name] = max((measure(lemma) + 1 for lemma in rests[name]), default=0)
        return depth[name]

    for name in order:
        measure(name)
    for name in order:
        if not rests[name]:
            depth[name] = min(depth[user] for user in order if name in rests[user]) - 1
    levels: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in order:
        levels[depth[name]].append(name)
    chains = []
    for name in order:
        for lemma in rests[name]:
            passing = [f"{lemma} {name} {level}" for level in range(depth[lemma] + 1, depth[name])]
            for place in passing:
                levels[int(place.rsplit(" ", 1)[1])].append(place)
            chains.append([lemma, *passing, name])
    return levels, chains


def _order(levels: list[list[str]], chains: list[list[str]]) -> None:
    """Sort every level by the mean position of its neighbours, to and fro; keep the order with the fewest crossings."""
    before, after = _neighbours(chains)
    best, fewest = [list(level) for level in levels], _crossings(levels, after)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        sides = before if forward else after
        for level in levels[1:] if forward else levels[-2::-1]:
            position = {name: k for other in levels for k, name in enumerate(other)}
            here = {name: k for k, name in enumerate(level)}
            level.sort(key=_barycentre(sides, position, here))
        found = _crossings(levels, after)
        if found < fewest:
            best, fewest = [list(level) for level in levels], found
    levels[:] = best


def _barycentre(
    sides: Mapping[str, list[str]], position: Mapping[str, int], here: Mapping[str, int]
) -> Callable[[str], float]:
    def key(name: str) -> float:
        near = sides.get(name)
        return sum(position[other] for other in near) / len(near) if near else here[name]

    return key


def _neighbours(chains: list[list[str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    before: dict[str, list[str]] = {}
    after: dict[str, list[str]] = {}
    for chain in chains:
        for left, right in pairwise(chain):
            if right not in after.setdefault(left, []):
                after[left].append(right)
                before.setdefault(right, []).append(left)
    return before, after


def _crossings(levels: list[list[str]], after: Mapping[str, list[str]]) -> int:
    count = 0
    for level, following in pairwise(levels):
        position = {name: k for k, name in enumerate(following)}
        ends = [position[other] for name in level for other in sorted(after.get(name, ()), key=position.__getitem__)]
        count += sum(later < earlier for k, earlier in enumerate(ends) for later in ends[k + 1 :])
    return count


@dataclass
class _Column:
    """One level's names from top to bottom, their heights, and the least distances between their middles."""

    names: list[str]
    heights: list[float]
    gaps: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.gaps = [0.0, *((a + b) / 2 + _BETWEEN for a, b in pairwise(self.heights))]

    def settle(self, wanted: Sequence[float]) -> list[float]:
        """The middles closest to those wanted, in order and apart: isotonic least squares."""
        offsets, total = [], 0.0
        for gap in self.gaps:
            total += gap
            offsets.append(total)
        blocks: list[tuple[float, int]] = []  # mean and size
        for target, offset in zip(wanted, offsets, strict=True):
            mean, size = target - offset, 1
            while blocks and blocks[-1][0] > mean:
                earlier, count = blocks.pop()
                mean, size = (earlier * count + mean * size) / (count + size), count + size
            blocks.append((mean, size))
        flat = [mean for mean, size in blocks for _ in range(size)]
        return [mean + offset for mean, offset in zip(flat, offsets, strict=True)]


def _place(
    levels: list[list[str]], chains: list[list[str]], nodes: Mapping[str, Node]
) -> tuple[dict[str, Node], dict[str, tuple[float, float, float]]]:
    """The nodes where they stand; and x, y, width of every empty place."""
    columns = [_Column(level, [nodes[n].height if n in nodes else _PASSING for n in level]) for level in levels]
    before, after = _neighbours(chains)
    middle: dict[str, float] = {}
    for column in columns:
        middle.update(zip(column.names, column.settle([0.0] * len(column.names)), strict=True))
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 else columns[::-1]:
            near = {name: [*before.get(name, ()), *after.get(name, ())] for name in column.names}
            wanted = [sum(middle[other] for other in near[name]) / len(near[name]) for name in column.names]
            middle.update(zip(column.names, column.settle(wanted), strict=True))
    top = min(middle[n] - h / 2 for column in columns for n, h in zip(column.names, column.heights, strict=True))
    placed, places, x = {}, {}, float(_MARGIN)
    for column in columns:
        wide = max((nodes[name].width for name in column.names if name in nodes), default=0.0)
        for name in column.names:
            y = round(middle[name] - top + _MARGIN, 1)
            if name not in nodes:
                places[name] = (x, y, wide)
                continue
            node = nodes[name]
            placed[name] = replace(node, width=wide, x=round(x, 1), y=round(y - node.height / 2, 1))
        x += wide + _ACROSS
    return {name: placed[name] for name in nodes}, places


def _path(chain: Sequence[str], nodes: Mapping[str, Node], places: Mapping[str, tuple[float, float, float]]) -> str:
    """Out of the first box, straight through the places, into the last box; curves in between."""
    first, last = nodes[chain[0]], nodes[chain[-1]]
    x, y = first.x + first.width, first.y + first.height / 2
    parts = [f"M{x:g},{y:g}"]
    stops = [places[name] for name in chain[1:-1]] + [(last.x - 3, last.y + last.height / 2, 0.0)]
    for left, level, width in stops:
        bend = (left - x) / 2
        parts.append(f"C{x + bend:g},{y:g} {left - bend:g},{level:g} {left:g},{level:g}")
        if width:
            parts.append(f"H{left + width:g}")
        x, y = left + width, level
    return " ".join(parts)
