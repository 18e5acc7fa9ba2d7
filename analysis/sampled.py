"""Verdicts over a set of models about the algorithms that are asked for."""

from __future__ import annotations

from tdcert.algorithms import called, find_all, for_model, is_shipped
from tdcert.algorithms.schedules import PAPER, TD
from tdcert.theory.errors import InputError
from tdcert.theory.samples.nearby import verdict_nearby
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import ConfidentVerdict, Update, verdict, verdicts

OWN = dict(zip(PAPER[1:], Update, strict=True))
"""What is decided on the set itself; TD on-policy, too."""


def confident(found: SampledModel, algorithms: object = None) -> dict[str, ConfidentVerdict]:
    """The verdicts by name: of TD, GTD and TDC, or of the ``algorithms`` that are given as :func:`find_all` takes them;
    all share the set's δ. Raises :class:`InputError`.
    """
    if algorithms is None:
        return {str(one.update): one for one in verdicts(found)}
    own = OWN | ({TD: Update.TD} if found.is_on_policy else {})
    said = dict[str, ConfidentVerdict]()
    for one in find_all(algorithms):
        label = called(one, found.centre)
        if one.name in own and is_shipped(one, found.centre):
            said[label] = verdict(found, own[one.name])
        elif label in list(Update):  # verdicts and their certificates are told by these words
            raise InputError(f"verdicts about the paper's update are called '{label}'; give yours another name")
        else:
            chosen = for_model(one, found.centre)[0]
            said[label] = verdict_nearby(found, chosen, label, one.two_scales)
    return said
