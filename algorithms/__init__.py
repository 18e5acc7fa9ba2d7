"""Published algorithms as updates, one file each, and what finds them; nothing else knows their names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isfunction
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeVar

from tdcert.theory.deferred import read_now
from tdcert.theory.engine.declare import OF_THE_STATE, Algorithm, in_words
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.sparse_model import SparseModel

ORDER = (
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
    "gtd2_lambda",
    "gtd_momentum",
    "tdc_momentum",
    "true_online_td",
    "implicit_td",
    "vmtdc",
    "direct_gtd",
)
"""Lists show the names in this order; what is not named follows."""
HELPERS = ("schedules", "traces")
"""Modules of this folder that declare no algorithm."""


def _names() -> tuple[str, ...]:
    files = {module.name for module in iter_modules(__path__)} - set(HELPERS)
    return (*(name for name in ORDER if name in files), *sorted(files - {*ORDER}))


NAMES = _names()
"""Each is a file of this folder that declares an algorithm of its name."""

ALL = "all"
Given = TypeVar("Given")


def find_all(given: object) -> list[Algorithm]:
    """The algorithms that are given: words as :func:`find` takes them, what :func:`tdcert.algorithm` declared, or a
    list of both; none twice. Raises :class:`InputError`.
    """
    listed = _distinct(given if isinstance(given, list | tuple) else [given])
    found: list[Algorithm] = []
    for one in listed:
        if not isinstance(one, str | Algorithm):
            said = "a plain function" if isfunction(one) else f"a {type(one).__name__}"
            raise InputError(f"algorithms holds {said}; give names, FILE.py:NAME, or what tdcert.algorithm declared")
        found += find(one) if isinstance(one, str) else [one]
    if not found:
        raise InputError("no algorithm was given; name one, or 'all'")
    return _told_apart(found)


def find(words: str) -> list[Algorithm]:
    """The algorithms of a list such as ``tdrc[ridge=1/2],mine.py:mine``: names, FILE.py:NAME, or all; none twice.

    Options stand in brackets, ``name=value``; several numbers in one value are separated by colons. Raises
    :class:`InputError`, one sentence, for what is not found.
    """
    found: list[Algorithm] = []
    for text in _distinct([word.strip() for word in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+", words)]):
        found += [named(name) for name in NAMES] if text == ALL else [_one(text)]
    if not found:
        raise InputError(f"no algorithm is named; give {ALL}, FILE.py:NAME, or some of {', '.join(NAMES)}")
    return _told_apart(found)


def _told_apart(found: Sequence[Algorithm]) -> list[Algorithm]:
    """Each once. Raises :class:`InputError` for two functions that answers would call by one name."""
    kept, by_name = _distinct(found), dict[str, Algorithm]()
    for one in kept:
        label = one.called(name for name, value in one.options.items() if value != one.defaults[name])
        if by_name.setdefault(label, one).function is not one.function:
            raise InputError(f"two different updates are called '{label}'; give one of them another name")
    return kept


def _distinct(given: Iterable[Given]) -> list[Given]:
    """Each once, where it comes first; compared by ``==``, since options make an algorithm that has no hash."""
    kept: list[Given] = []
    for one in given:
        if one not in kept:
            kept.append(one)
    return kept


def one(words: str) -> Algorithm:
    """The algorithm of a list that names one. Raises :class:`InputError` as :func:`find`, and for several."""
    found = find(words)
    if len(found) != 1:
        raise InputError(f"'{words}' names {len(found)} algorithms; give one of them")
    return found[0]


def named(name: str) -> Algorithm:
    """One of :data:`NAMES`, with its options as they are by default. Raises :class:`InputError`."""
    if name not in NAMES:
        raise InputError(f"there is no algorithm '{name}'; give FILE.py:NAME, or one of {', '.join(NAMES)}")
    found: Algorithm = getattr(import_module(f"tdcert.algorithms.{name}"), name)
    return found


def for_model(algorithm: Algorithm, model: Model | SparseModel) -> tuple[Algorithm, str]:
    """The algorithm under the model's schedule, and what is to be said about that; with a memory that is empty before
    each transition where these are drawn independently.
    """
    found, note = under(algorithm, model.schedule)
    independent = isinstance(model, Model) and model.sampling is not None
    return (found.emptying() if independent else found), note


def under(algorithm: Algorithm, schedule: Schedule) -> tuple[Algorithm, str]:
    """The algorithm with a schedule in the options that it declares for it, unless one of them was given; and what is
    to be said where it cannot hold that schedule.
    """
    names = algorithm.schedule
    if not names or algorithm.given.intersection(names):
        return algorithm, ""
    if isinstance(schedule, LambdaByState):
        held = algorithm.holding((), (OF_THE_STATE,))
        return replace(algorithm, options={**algorithm.options, **held}), ""
    if len(names) == 1 and schedule.lambdas:
        return algorithm, "the schedule has an end: algorithms with one λ were taken as they are by default"
    held = algorithm.holding(schedule.lambdas, (schedule.tail,) if schedule.tail else ())
    return replace(algorithm, options={**algorithm.options, **held}), ""


def as_written(algorithm: Algorithm, model: Model | SparseModel) -> str:
    """What is to be said of options that are named as λ often is and are not declared to be the model's: they are as
    the function says. Nothing but this sentence depends on these names.
    """
    schedule, written = model.schedule, algorithm.exact_options()
    by_state = isinstance(schedule, LambdaByState)
    one = OF_THE_STATE if by_state else None if schedule.lambdas else schedule.tail
    like = {"lam": one, "lambdas": OF_THE_STATE if by_state else schedule.lambdas}
    own = [name for name in like if name in written and name not in algorithm.given]
    if algorithm.schedule or all(written[name] == like[name] for name in own):
        return ""
    values = " and ".join(f"{name} = {in_words(written[name])}" for name in own)
    declared = '"lam"' if "lam" in own else '("lambdas", "tail")'
    return (
        f"'{algorithm.name}' has {values}, as its function says, whatever the model's schedule is; "
        f"to take that, declare schedule={declared}"
    )


def called(algorithm: Algorithm, model: Model | SparseModel) -> str:
    """Its name, with the options that are not those of an analysis that gives none, as a command line gives them."""
    usual = for_model(replace(algorithm, options=algorithm.defaults, given=frozenset()), model)[0].options
    return algorithm.called(name for name, value in algorithm.options.items() if value != usual[name])


def is_shipped(algorithm: Algorithm, model: Model) -> bool:
    """Whether this is the very update that ships under its name, with the options that the model's schedule gives."""
    if algorithm.name not in NAMES:
        return False
    own = for_model(named(algorithm.name), model)[0]
    return algorithm.function is own.function and for_model(algorithm, model)[0].options == own.options


def _one(text: str) -> Algorithm:
    name, bracket, rest = text.partition("[")
    found = _of_file(name) if ":" in name else named(name)
    if not bracket:
        return found
    if not rest.endswith("]"):
        raise InputError(f"the options in '{text}' have no end; write NAME[option=value,…]")
    options = {}
    for part in rest[:-1].split(","):
        option, _, value = part.partition("=")
        several = isinstance(found.defaults.get(option.strip()), tuple | list)
        options[option.strip()] = _value(text, value, several)
    return found.with_options(**options)


def _value(text: str, value: str, several: bool) -> Any:
    """``several``: one number is then a list of one."""
    try:
        numbers = [Fraction(part.strip()) for part in value.split(":")]
    except (ValueError, ZeroDivisionError):
        raise InputError(f"'{value}' in '{text}' is not a number; write option=1/2, or 1:2:3 for several") from None
    whole = [int(x) if x.denominator == 1 else x for x in numbers]
    return whole[0] if len(whole) == 1 and not several else tuple(whole)


def _of_file(text: str) -> Algorithm:
    place, _, name = text.rpartition(":")
    file = Path(place)
    if not file.is_file():
        raise InputError(f"there is no file '{place}'; give FILE.py:NAME")
    module = f"tdcert_update_{file.stem}"
    spec = spec_from_file_location(module, file)
    if spec is None or spec.loader is None:
        raise InputError(f"'{place}' is no Python file; give FILE.py:NAME")
    loaded = module_from_spec(spec)
    sys.modules[module] = loaded
    read_now()
    try:
        spec.loader.exec_module(loaded)
    except InputError:
        raise
    except Exception as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"'{place}' cannot be imported ({type(error).__name__}: {said}); mend it") from None
    found = getattr(loaded, name, None)
    if not isinstance(found, Algorithm):
        declared = _listed(key for key, value in vars(loaded).items() if isinstance(value, Algorithm))
        raise InputError(f"'{name}' in '{place}' is not declared by @tdcert.algorithm; {declared}")
    return found


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    return f"the file declares {', '.join(found)}" if found else "put that line above the function"
