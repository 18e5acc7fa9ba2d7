"""The kind `relation`: two expressions agree, or are ordered, on this model."""

from __future__ import annotations

import json

from . import limits
from .budget import Rejected
from .expressions import Scene
from .model import Case, System
from .reading import choice, items, listed, show

TOLD = 1_000


def count_nodes(*expressions: object) -> int:
    waiting, nodes = list(expressions), 0
    while waiting:
        nodes += 1
        node = waiting.pop()
        waiting.extend(node if isinstance(node, list) else [])
    return nodes


def shared(x: object, known: dict[tuple[object, ...], object]) -> object:
    """Parts of expressions that are written alike become one object, and a scene evaluates each object once."""
    if isinstance(x, list):
        x = [shared(part, known) for part in x]
    elif not isinstance(x, str | int):
        return x
    return known.setdefault(tuple(map(id, x)) if isinstance(x, list) else (type(x), x), x)


def told(relations: list[object]) -> str:
    """The relations as they stand in the file, as many as fit into so many characters, and how many follow."""
    first, *others = map(json.dumps, relations)
    shown = [first if len(first) <= TOLD else f"{first[:TOLD]}... ({len(first)} characters)"]
    for text in others:
        if sum(map(len, shown)) + len(text) > TOLD:
            break
        shown.append(text)
    more = len(relations) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)


def relation(case: Case) -> str:
    """Both sides of every relation are evaluated from the model up, and compared entry by entry."""
    case.open("", "relations", "class kernel", "stationary theta")
    given, where = items(case.witness["relations"], "witness.relations"), "witness.relations"
    nodes = count_nodes(*given)
    if not given or nodes > limits.MAX_NODES:
        raise Rejected(
            f"{where}: there are {nodes} nodes in the expressions, and the bounds are 1 and {limits.MAX_NODES}"
        )
    scene, parts = Scene(case, System(case), {}), dict[tuple[object, ...], object]()
    for i, item in enumerate([shared(x, parts) for x in given]):
        left, sign, right = items(item, f"{where}[{i}]", 3)
        choice(sign, f"{where}[{i}][1]", ["=", "!=", "<", "<="])
        a, b = scene.value(left, f"{where}[{i}][0]"), scene.value(right, f"{where}[{i}][2]")
        if a.shape != b.shape:
            raise Rejected(f"{where}[{i}]: the sides have the shapes {a.shape} and {b.shape}")
        entries = [x for row in (b - a).dense() for x in row]
        holds = {"=": not any(entries), "!=": any(entries), "<": min(entries) > 0, "<=": min(entries) >= 0}
        if not holds[str(sign)]:
            raise Rejected(f"{where}[{i}]: the left side {show(sign)} the right side is false")
    for key in ("stationary", "theta"):  # what is given is verified, used or not
        if key in case.witness:
            _ = case.law if key == "stationary" else case.theta
    theta = f", theta = {listed(case.witness['theta'])}" if "theta" in case.witness else ""
    return f"{len(given)} relation{'s' if len(given) > 1 else ''}: {told(given)}, on {case.place()}{theta}"
