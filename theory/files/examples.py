"""Models that ship, by name: ``example:NAME`` wherever a model is read.

They are the models of the gallery (:mod:`tdcert.theory.model.gallery`, with the source of each); the files of
``examples/`` are among them. A discount that the source leaves open is 9/10, and 1/2 where the gallery proposes that;
schedules are those of the files.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tdcert.theory.errors import InputError
from tdcert.theory.files.given import did_you_mean, kind_of
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.model_file import model_from_document
from tdcert.theory.files.numerals import quoted
from tdcert.theory.files.overrides import Overrides
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

PREFIX = "example:"
_GAMMA = Fraction(9, 10)
EXAMPLES: dict[str, Callable[[], Model]] = {
    "baird": lambda: gallery.bairds_star(_GAMMA),
    "baird_full_rank": lambda: gallery.bairds_star_of_full_rank(_GAMMA),
    "boyan_chain": lambda: gallery.boyan_chain(Schedule.equal_weights(2, 4)),
    "random_chain": gallery.random_chain,
    "random_walk_5": lambda: gallery.random_walk_5(Schedule.constant(_GAMMA, 10)),
    "two_state_theta_2theta": lambda: gallery.theta_to_two_theta(_GAMMA),
    "absorbing_pair": gallery.absorbing_pair,
    "fair_coin_chain": gallery.fair_coin_chain,
    "flip_chain": gallery.flip_chain,
    "one_state": lambda: gallery.one_state(_GAMMA),
    "uncovered_action": gallery.uncovered_action,
}
"""The models of the gallery by name; those of papers first."""
_OTHER_NAMES = {
    "bairds_star": "baird",
    "star": "baird",
    "boyan": "boyan_chain",
    "random_walk": "random_walk_5",
    "theta_2theta": "two_state_theta_2theta",
    "theta_to_two_theta": "two_state_theta_2theta",
}
"""What people call them, for messages."""


def load_example(source: str, overrides: Overrides | None = None) -> LoadedModel:
    """The model that ``example:NAME`` names, with what is given beside it. Raises :class:`InputError`."""
    name = source.removeprefix(PREFIX)
    if not isinstance(name, str) or name not in EXAMPLES:
        said = f"there is no example {quoted(name) if isinstance(name, str) else kind_of(name)}"
        meant = did_you_mean(name, EXAMPLES, _OTHER_NAMES)
        raise InputError(said + (meant or f"; the examples are {', '.join(EXAMPLES)}"))
    model = EXAMPLES[name]()
    document = {**model.canonical, "name": model.name}
    return model_from_document(document, overrides or Overrides(), PREFIX + name)
