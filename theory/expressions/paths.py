r"""Statements along concrete paths of a model: which paths, and relations that are spread over them.

An identity of §2 or §3 holds along every path. On one model it is decided along a few, chosen without chance: the
walk from state k takes the (k + t)-th possible (action, successor) pair at step t, so different walks turn in different
ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tdcert.theory.expressions.notation import Expr, Name, along, its
from tdcert.theory.expressions.relations import MAX_POWER, MAX_STEPS, Expression, Path, Relation, decide_relations
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Status, Verdict
from tdcert.theory.words import counted

NODES = 1_500
"""Expression nodes that go into one certificate (the checker accepts 2,000)."""


def some_paths(model: Model, steps: int, count: int = 3) -> list[Path]:
    """Up to ``count`` different paths of that many steps, all of positive probability under the behaviour policy."""
    paths: list[Path] = []
    for k in range(model.n):
        path = Path(*_walk(model, k, steps))
        if path not in paths:
            paths.append(path)
        if len(paths) == count:
            break
    return paths


def _walk(model: Model, start: int, steps: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    states, actions = [start], []
    for t in range(steps):
        moves = moves_from(model, states[-1])
        action, successor = moves[(start + t) % len(moves)]
        actions.append(action)
        states.append(successor)
    return tuple(states), tuple(actions)


def moves_from(model: Model, s: int) -> list[tuple[int, int]]:
    """(action, successor) pairs of positive probability under the behaviour policy."""
    allowed = [(a, P) for a, P in enumerate(model.transitions) if model.behaviour[s, a] > 0]
    return [(a, successor) for a, P in allowed for successor in range(model.n) if P[s, successor] > 0]


def some_theta(d: int) -> list[int]:
    """θ = (1, −2, 3, …): no entry zero, no two of one size."""
    return [(k + 1) * (-1) ** k for k in range(d)]


def discounts(model: Model, first: int, last: int) -> Expression:
    """Γ_first · … · Γ_{last−1}: a power where the discount is constant, else a product along the path."""
    if last <= first:
        return Name(1)
    if model.gamma is not None and last - first <= MAX_POWER:
        return its.discount(0) ** (last - first)
    if last == first + 1:
        return its.discount(first)
    middle = (first + last) // 2  # halves, so that a long product does not nest deep
    return discounts(model, first, middle) * discounts(model, middle, last)


def can_be_written_out(model: Model) -> bool:
    """Whether a sum over the λ's of the schedule, each with its discounts, fits into one relation of a certificate."""
    length = model.schedule.length
    return length is not None and length <= (30 if model.gamma is not None else 12)


def total(terms: Sequence[Expression]) -> Expression:
    """The sum of the terms (at least one)."""
    return terms[0] if len(terms) == 1 else Expr(("+", *terms))


def column(values: Sequence[Fraction]) -> Expression:
    """A number for each state of a model (n×1)."""
    base = max(values, key=values.count)  # the fewest parts
    others = [Name(x - base) * along(Path((s,), ()), its.state(0)) for s, x in enumerate(values) if x != base]
    return total([Name(base) * its.ones, *others])


def decide_along(
    model: Model,
    paths: Sequence[Path],
    statement: Sequence[Relation],
    *,
    others: Sequence[Relation] = (),
    theta: Sequence[Fraction | int] | None = None,
    detail: str = "",
) -> Verdict:
    """The statement along each path, and the ``others``, which need none; one certificate per 1,500 nodes.

    ``detail`` says what was compared; how many paths it was along is added to it.
    """
    if detail and paths:
        detail += f" along {counted(len(paths), 'path')}"
    walked = [(along(path, left), sign, along(path, right)) for path in paths for left, sign, right in statement]
    return together((decide_relations(model, batch, theta=theta) for batch in _batches([*others, *walked])), detail)


def on_each_class(decide: Callable[[tuple[int, ...]], Verdict], model: Model, detail: str = "") -> Verdict:
    """A check of one recurrent class of the behaviour chain, on every one of them."""
    return together((decide(states) for states in model.behaviour_chain.recurrent_classes), detail)


def together(verdicts: Iterable[Verdict], detail: str, witness: Mapping[str, Any] | None = None) -> Verdict:
    """The first verdict that is not ``holds`` (those after it are not asked for), else one with all certificates; its
    grade is ``enclosed`` where that of a part is.
    """
    certificates: list[Certificate] = []
    grade = Grade.CERTIFIED
    for verdict in verdicts:
        if verdict.status is not Status.HOLDS:
            return verdict
        certificates += verdict.certificates
        grade = Grade.ENCLOSED if verdict.grade is Grade.ENCLOSED else grade
        detail = detail or verdict.detail
    return Verdict(Status.HOLDS, grade, detail, witness or {}, certificates=tuple(certificates))


def _batches(relations: Sequence[Relation]) -> list[list[Relation]]:
    batches: list[list[Relation]] = [[]]
    size = 0
    for relation in relations:
        nodes = _nodes(relation)
        if batches[-1] and size + nodes > NODES:
            batches.append([])
            size = 0
        batches[-1].append(relation)
        size += nodes
    return batches


def _nodes(expression: Expression) -> int:
    if isinstance(expression, Path):
        return 4 * len(expression.states)
    return 1 + sum(map(_nodes, expression)) if isinstance(expression, tuple | list) else 1


def few_paths(model: Model, states: Sequence[int], steps: int, limit: int) -> bool:
    """Whether an expectation over the behaviour's paths from these states has at most ``limit`` of them, of a length
    that certificates may state.
    """
    if steps > MAX_STEPS:
        return False
    moves = [moves_from(model, s) for s in range(model.n)]
    ways = dict.fromkeys(states, 1)
    for _ in range(steps):
        longer: dict[int, int] = {}
        for s, count in ways.items():
            for _, successor in moves[s]:
                longer[successor] = longer.get(successor, 0) + count
        ways = longer
        if sum(ways.values()) > limit:
            return False
    return True
