"""What a sweep can ask: ``refute`` a claim, ``survey`` a family, ``experiment`` over a grid, ``stability``."""

from __future__ import annotations

from collections.abc import Callable

from tdcert.sweeps.question import SweepQuestion
from tdcert.sweeps.questions.comparison import experiment
from tdcert.sweeps.questions.refute import refute
from tdcert.sweeps.questions.stability import stability
from tdcert.sweeps.questions.survey import survey
from tdcert.sweeps.spec import Spec

KINDS: dict[str, Callable[[Spec], SweepQuestion]] = {
    "refute": refute,
    "survey": survey,
    "experiment": experiment,
    "stability": stability,
}


def question_of(spec: Spec) -> SweepQuestion:
    """The question of a sweep. Raises :class:`InputError` for tables that do not describe one."""
    return KINDS[spec.kind](spec)
