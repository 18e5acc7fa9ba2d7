"""What a user gives beside a model: strings as the command line takes them, read by one set of rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.arrays import Rows, read_rows
from tdcert.theory.files.document import read_document
from tdcert.theory.files.numerals import exact, quoted, unit_number
from tdcert.theory.files.schedule_forms import schedule_from_text
from tdcert.theory.model.schedule import Schedule


@dataclass(frozen=True)
class Overrides:
    """Each None, or the text of the option of that name; they complete or replace what the model says.

    ``discount``: ``0.9`` or ``9/10``; in a model whose discount depends on the transition it replaces
    all but zero, which marks restarts. ``schedule``: JSON text such as ``{"equal_weights": [4, 6]}``, or a
    short form (``td0``, ``n_step:3``, ``equal_weights:4,6``, ``constant:0.9``, ``constant:0.9,20``,
    ``lambdas:1,1/2``, ``weights:1/2,1/2``). ``features``: ``tabular``, or the path of a JSON file with an n×d
    array. ``policy`` (behaviour) and ``target``: ``uniform``, or the path of a JSON file with an n×m array.
    For an environment n counts all its states: one row for each, and the rows of dropped states are ignored.
    """

    discount: str | None = None
    schedule: str | None = None
    features: str | None = None
    policy: str | None = None
    target: str | None = None

    def read_discount(self) -> Fraction | None:
        """The discount, in [0,1]."""
        if self.discount is None:
            return None
        with _named("--discount"):
            return unit_number(exact(self.discount), "the discount")

    def read_schedule(self) -> Schedule | None:
        """The schedule."""
        if self.schedule is None:
            return None
        with _named("--schedule"):
            return schedule_from_text(self.schedule, "the schedule")

    def read_features(self, n: int) -> Rows | None:
        """n rows of features; None also for ``tabular``, which needs no array."""
        if self.features is None or self.features == "tabular":
            return None
        with _named("--features"):
            meaning = "states × features, one row for each state and every row of the same length"
            return read_rows(read_document(self.features), quoted(self.features), n, None, meaning)

    def read_policy(self, n: int, m: int) -> Rows | None:
        """The behaviour policy, n×m."""
        with _named("--policy"):
            return _policy(self.policy, n, m)

    def read_target(self, n: int, m: int) -> Rows | None:
        """The target policy, n×m."""
        with _named("--target"):
            return _policy(self.target, n, m)


def both_policies(behaviour: Any, target: Any, only: Any, m: int, missing: str, defaults: list[str]) -> tuple[Any, Any]:
    """The two policies (None: not given) completed: ``only`` where there is one action, the behaviour for the target.

    What was completed is added to ``defaults``; ``missing`` names the behaviour in the sentence that asks for it.
    """
    if behaviour is None:
        if target is not None:
            raise InputError("target is given without behaviour; give both, or behaviour alone")
        if m > 1:
            raise InputError(f"{missing} is missing with {m} actions; give a policy, states × actions")
        defaults.append("behaviour = target = the only action")
        return only, only
    if target is None:
        defaults.append("target = behaviour")
    return behaviour, behaviour if target is None else target


class OverrideError(InputError):
    """An override that cannot be read: its sentence names the option, not the model it stands beside."""


@contextmanager
def _named(option: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise OverrideError(f"{option}: {error}") from None


def _policy(text: str | None, n: int, m: int) -> Rows | None:
    if text is None:
        return None
    if text == "uniform":
        return [[Fraction(1, m)] * m for _ in range(n)]
    return read_rows(read_document(text), quoted(text), n, m, "states × actions")
