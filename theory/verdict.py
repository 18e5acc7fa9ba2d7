"""Verdicts are data: a status, a grade of evidence, the scope it covers, and a witness.

The four grades are never mixed: a scope has one grade, and a claim lists its scopes side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Sign = int | None
"""−1: differences of two runs die out, +1: they grow from some start, 0: they do neither, None: undecided."""


class Status(StrEnum):
    """What was decided about one reading of one statement."""

    HOLDS = "holds"
    REFUTED = "refuted"
    HYPOTHESIS_VIOLATED = "hypothesis_violated"
    UNDECIDED = "undecided"


class Grade(StrEnum):
    """How strong the evidence is, strongest first."""

    PROVED = "proved"
    CERTIFIED = "certified"
    ENCLOSED = "enclosed"
    CONSISTENT = "consistent"


class Scope(StrEnum):
    """What the evidence ranges over."""

    ALL_SIZES = "all_sizes"
    SIZES = "sizes"
    INSTANCES = "instances"
    SIMULATION = "simulation"


_SCOPES_OF_GRADE = {
    Grade.PROVED: {Scope.ALL_SIZES, Scope.SIZES},
    Grade.CERTIFIED: {Scope.INSTANCES},
    Grade.ENCLOSED: {Scope.INSTANCES},
    Grade.CONSISTENT: {Scope.SIMULATION},
}


@dataclass(frozen=True)
class Certificate:
    """A certificate body before it is written: see docs/certificates.md."""

    kind: str
    about: Mapping[str, Any]
    witness: Mapping[str, Any]


@dataclass(frozen=True)
class FailedRelation:
    """A relation between two expressions (docs/certificates.md, *Relations*) that fails on a model.

    ``left_value`` and ``right_value``: the rows of both values, rational strings; ``sentence`` says that it fails.
    """

    left: object
    sign: str
    right: object
    left_value: tuple[tuple[str, ...], ...]
    right_value: tuple[tuple[str, ...], ...]
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """The answer of one check about one model (or one symbolic statement).

    ``witness`` is a mapping of names to rational strings or lists of them, small enough to print; ``certificates`` are
    what the independent checker replays. ``violated`` names hypotheses, only for ``hypothesis_violated``. ``undefined``
    names what the statement speaks of and the model does not have, where a statement is refuted for that reason; it is
    empty where both sides have a value and the statement fails. ``failed``: the relation that fails, where a relation
    was decided; ``witness`` then holds it in words. ``precision_needed``: of an undecided statement, the bits to
    compute with next; None where more bits do not help.
    """

    status: Status
    grade: Grade | None = None
    detail: str = ""
    witness: Mapping[str, Any] = field(default_factory=dict)
    violated: tuple[str, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    undefined: str = ""
    precision_needed: int | None = None
    failed: FailedRelation | None = None

    def __post_init__(self) -> None:
        if self.precision_needed is not None and self.status is not Status.UNDECIDED:
            raise ValueError("a verdict that was reached names a precision to try next")
        if self.undefined and self.status is not Status.REFUTED:
            raise ValueError("only a refuted statement speaks of what is undefined")
        if self.status in (Status.HOLDS, Status.REFUTED) and self.grade is None:
            raise ValueError(f"a verdict '{self.status}' needs a grade of evidence")
        if self.status in (Status.UNDECIDED, Status.HYPOTHESIS_VIOLATED) and not (self.detail or self.violated):
            raise ValueError(f"a verdict '{self.status}' must say why")
        if bool(self.violated) != (self.status is Status.HYPOTHESIS_VIOLATED):
            raise ValueError("violated hypotheses belong to the status 'hypothesis_violated', and only there")


@dataclass(frozen=True)
class ScopedEvidence:
    """Evidence of one grade over one scope: how many cases, and what they were.

    ``detail`` says it in one line; ``parts`` lists what would make that line long, one sentence each.
    """

    scope: Scope
    grade: Grade
    count: int
    detail: str
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.scope not in _SCOPES_OF_GRADE[self.grade]:
            raise ValueError(f"grade '{self.grade}' cannot cover the scope '{self.scope}'")
        if self.count < 1:
            raise ValueError("evidence without a single case is not evidence")
