"""Plausible mistakes, each a variant of the paper's functions with the words of the mistake.

They serve to *name* what an implementation does wrong, never to decide that it is wrong. Most variants replace one
hook of ``variant.Variant`` (what the schedule is, what the trace sees, what δ sees, the step sizes, what is added to θ
or w); those are rows of a table. Several variants may share their words. Each has been seen to break the law of the
iterates (``tests/sims/mistakes/test_variants.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tdcert.sims.algorithms import Twin
from tdcert.sims.experiments.gtd_lambda import any_algorithm_named
from tdcert.sims.mistakes.gradient import IN_GRADIENT
from tdcert.sims.mistakes.traces import IN_DELTA, IN_RATIOS, IN_SCHEDULE, IN_STEP_SIZES, IN_TRACE, IN_UPDATE

VARIANTS = (*IN_DELTA, *IN_SCHEDULE, *IN_TRACE, *IN_RATIOS, *IN_STEP_SIZES, *IN_UPDATE, *IN_GRADIENT)
"""In the order in which they are tried: where two cannot be told apart, the first gives its words."""


@dataclass(frozen=True)
class UpdateMistake:
    """``words`` complete "it looks like …"; ``variant`` does what they say."""

    words: str
    variant: type[Twin]


@cache
def mistakes_in(algorithm: str) -> tuple[UpdateMistake, ...]:
    """All known mistakes in one of the algorithms; InputError for another name."""
    base = any_algorithm_named(algorithm)
    return tuple(
        UpdateMistake(variant.words, type(variant.__name__, (variant, base), {}))
        for variant in VARIANTS
        if algorithm in variant.made_for
    )
