"""Published algorithms as updates, one file each: :func:`named` finds one. Nothing else knows their names."""

from __future__ import annotations

from importlib import import_module

from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import InputError

NAMES = (
    "td",
    "off_policy_td",
    "gtd",
    "tdc",
    "gtd_2008",
    "gtd2",
    "gtd_lambda",
    "tdrc",
    "htd",
    "etd",
    "etd_beta",
    "tree_backup",
    "retrace",
    "vtrace",
    "abtd",
    "q_sigma",
    "average_reward_td",
    "differential_td",
    "averaging_target",
    "residual_gradient",
    "ridge_td",
    "categorical_td",
    "gtd2_mp",
)
"""In the order of lists: the paper's four first."""


def named(name: str) -> Algorithm:
    """The algorithm of this name, with its options as they are by default. Raises :class:`InputError`."""
    if name not in NAMES:
        raise InputError(f"there is no algorithm '{name}'; give FILE.py:NAME, or one of {', '.join(NAMES)}")
    found: Algorithm = getattr(import_module(f"tdcert.algorithms.{name}"), name)
    return found
