"""The model file, ``"format": "tdcert-model/1"``: every key, every rule, and what replaces a key left out.

The canonical form of docs/certificates.md is a model file too, and reads back as an equal model. For its sake
``discount`` may also be a list of n numbers (alone or per action): the discount on leaving each state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, short
from tdcert.theory.files.arrays import Rows, is_vector, normalised, read_rows, read_vector, to_matrix
from tdcert.theory.files.interest import with_interest
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.numerals import describe, number, quoted, require_name, unit_number
from tdcert.theory.files.overrides import Overrides, both_policies
from tdcert.theory.files.sampling import with_sampling
from tdcert.theory.files.schedule_forms import schedule_from_json
from tdcert.theory.model.episodes import require_restart, said_of_ends, tabular_rows, zero_at_the_ends
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

FORMAT = "tdcert-model/1"
ONLY_ACTION = "only"
"""Name of the action of a model that names none."""

_PROCESS = ("format", "name", "transitions", "actions", "rewards", "discount", "terminal")
_KEYS = (*_PROCESS, "behaviour", "target", "features", "schedule", "normalise", "sampling", "sampling_law", "interest")


class _DocumentReader:
    """One pass over a document; collects the defaults it fills in and the corrections it makes."""

    def __init__(self, document: Any, overrides: Overrides) -> None:
        if not isinstance(document, dict):
            raise InputError(f"the document is {describe(document)}; give one JSON object, a model")
        for key in document:
            if key not in _KEYS:
                raise InputError(f"unknown key {quoted(key)}; the keys of a model are {', '.join(_KEYS)}")
        if document.get("format") != FORMAT:
            found = describe(document["format"]) if "format" in document else "missing"
            raise InputError(f'format is {found}; give "format": "{FORMAT}"')
        for key in ("transitions", "rewards"):
            if key not in document:
                raise InputError(f"the key '{key}' is missing; a model needs it")
        if "discount" not in document and overrides.discount is None:
            raise InputError("the key 'discount' is missing; a model needs it (or give --discount)")
        self.document: Mapping[str, Any] = document
        self.overrides = overrides
        self.defaults_used: list[str] = []
        self.notes: list[str] = []
        self.replaced_features: list[int] = []
        self.normalise = document.get("normalise", False)
        if not isinstance(self.normalise, bool):
            words = "True or False" if overrides.from_python else "true or false"
            raise InputError(f"normalise is {describe(self.normalise)}; give {words}")
        self.corrections: list[tuple[Fraction, str]] = []

    # ---- the process --------------------------------------------------------------------------

    def actions(self) -> tuple[str, ...]:
        transitions = self.document["transitions"]
        if isinstance(transitions, dict) and not transitions:
            raise InputError('transitions names no action; give {"action": n×n}, or n×n')
        named = tuple(transitions) if isinstance(transitions, dict) else (ONLY_ACTION,)
        listed = self.document.get("actions", list(named))
        if not isinstance(listed, list) or not all(type(name) is str for name in listed):
            raise InputError("actions must be a list of names, each a string")
        for name in (*named, *listed):
            require_name(name)
        if len(set(listed)) != len(listed):
            twice = next(name for name in listed if listed.count(name) > 1)
            raise InputError(f"actions lists {quoted(twice)} twice; list each action once")
        if isinstance(transitions, dict) and set(listed) != set(named):
            odd = min(set(listed) ^ set(named))
            raise InputError(
                f"actions and transitions must name the same actions, and {quoted(odd)} is in one only; "
                "list exactly the actions of transitions"
            )
        if len(listed) != len(named):
            raise InputError(f"actions lists {len(listed)} names for the one action of transitions; list one")
        return tuple(listed)

    def transitions(self, actions: tuple[str, ...]) -> tuple[RationalMatrix, ...]:
        value = self.document["transitions"]
        matrices, n = [], None
        for name in actions:
            where = f"transitions of action {quoted(name)}" if isinstance(value, dict) else "transitions"
            rows = value[name] if isinstance(value, dict) else value
            if not isinstance(rows, list) or not rows:
                found = "an empty state space" if rows == [] else describe(rows)
                raise InputError(f"{where} is {found}; give a list of n rows of n numbers, n at least 1")
            n = n or len(rows)
            matrices.append(self.laws(read_rows(rows, where, n, n, "states × states"), where))
        return tuple(matrices)

    def laws(self, rows: Rows, where: str) -> RationalMatrix:
        """Rows that are probability laws, normalised where the document says so."""
        if self.normalise:
            rows, largest = normalised(rows, where)
            self.corrections.append((largest, where))
        return to_matrix(rows, where)

    def per_transition(self, key: str, actions: tuple[str, ...], n: int) -> tuple[RationalMatrix, ...]:
        """n×n or a list of n numbers, once for all actions or per action."""
        value = self.document[key]
        if not isinstance(value, dict):
            return (_square_or_column(value, key, n),) * len(actions)
        if set(value) != set(actions):
            odd = min(set(value) ^ set(actions))
            raise InputError(
                f"{key} and transitions must name the same actions, and {quoted(odd)} is in one only; "
                f"give {key} for every action"
            )
        return tuple(_square_or_column(value[name], f"{key} of action {quoted(name)}", n) for name in actions)

    def terminal(self, n: int) -> list[int]:
        """The states in which episodes end."""
        value = self.document.get("terminal", [])
        if not isinstance(value, list):
            raise InputError(f"terminal is {describe(value)}; give a list of states, each a number from 0 to {n - 1}")
        for state in value:
            if type(state) is not int or not 0 <= state < n:
                raise InputError(f"terminal lists {describe(state)}; give states by their numbers, 0 to {n - 1}")
        return sorted(set(value))

    def discounts(self, actions: tuple[str, ...], n: int, terminal: Sequence[int]) -> tuple[RationalMatrix, ...]:
        """Gives the discounts by action, with zeros on leaving a terminal state."""
        given = self.given_discounts(actions, n)
        if not terminal:
            return given
        return tuple(
            RationalMatrix([[Fraction(0)] * len(row) if s in terminal else row for s, row in enumerate(G.rows)])
            for G in given
        )

    def given_discounts(self, actions: tuple[str, ...], n: int) -> tuple[RationalMatrix, ...]:
        override = self.overrides.read_discount()
        value = self.document.get("discount")
        if value is None and override is not None and "discount" not in self.document:
            return (_constant(override, n),) * len(actions)
        if not isinstance(value, list | dict):
            constant = unit_number(value, "discount")
            return (_constant(constant if override is None else override, n),) * len(actions)
        given = self.per_transition("discount", actions, n)
        if override is None:
            return given
        return self.replaced(given, override)

    def replaced(self, given: tuple[RationalMatrix, ...], override: Fraction) -> tuple[RationalMatrix, ...]:
        """Discounts of single transitions under an override: zeros mark restarts, and stay."""
        values = {x for G in given for row in G.rows for x in row}
        if len(values) == 1:
            return tuple(RationalMatrix([[override] * G.shape[1]] * G.shape[0]) for G in given)
        if 0 in values:
            self.notes.append(f"the discount {override} replaces all but zero, which marks a restart")
        return tuple(RationalMatrix([[override if x else Fraction(0) for x in row] for row in G.rows]) for G in given)

    # ---- policies, features, schedule ---------------------------------------------------------

    def policies(self, n: int, actions: tuple[str, ...]) -> tuple[RationalMatrix, RationalMatrix]:
        m = len(actions)
        behaviour = self.policy("behaviour", self.overrides.read_policy(n, actions), n, m)
        target = self.policy("target", self.overrides.read_target(n, actions), n, m)
        only = RationalMatrix.column([1] * n)
        return both_policies(behaviour, target, only, m, "behaviour", self.overrides.uniform, self.defaults_used)

    def policy(self, key: str, override: Rows | None, n: int, m: int) -> RationalMatrix | None:
        if override is not None:
            return self.laws(override, f"the {key} policy")
        if key not in self.document:
            return None
        return self.laws(read_rows(self.document[key], key, n, m, "states × actions"), f"the {key} policy")

    def features(self, n: int, terminal: Sequence[int]) -> RationalMatrix:
        rows, self.replaced_features = zero_at_the_ends(self.given_features(n) or tabular_rows(n, terminal), terminal)
        self.notes += said_of_ends(terminal, self.replaced_features)
        return to_matrix(rows, "the features")

    def given_features(self, n: int) -> Rows | None:
        """None where they are tabular."""
        if self.overrides.features is not None:
            return self.overrides.read_features(n)
        value = self.document.get("features", "tabular")
        if "features" not in self.document:
            self.defaults_used.append('features = "tabular"')
        if value == "tabular":
            return None
        if not isinstance(value, list):
            raise InputError(f'features is {describe(value)}; give "tabular" or n rows of d numbers')
        return read_rows(value, "features", n, None, "states × features; every row has as many entries as the first")

    def schedule(self) -> Schedule:
        override = self.overrides.read_schedule()
        if override is not None:
            return override
        if "schedule" not in self.document:
            self.defaults_used.append('schedule = {"n_step": 1}')
            return Schedule.n_step(1)
        return schedule_from_json(self.document["schedule"], "schedule")

    def name(self) -> str:
        name = self.document.get("name", "")
        if type(name) is not str or not (name == "" or name.isprintable()) or len(name) > 200:
            raise InputError(f"name is {describe(name)}; give a string of at most 200 printable characters")
        return name


def model_from_document(document: Any, overrides: Overrides, source: str) -> LoadedModel:
    """The model of a JSON tree as :func:`tdcert.theory.files.document.parse_document` makes it."""
    reader = _DocumentReader(document, overrides)
    name = reader.name()
    actions = reader.actions()
    transitions = reader.transitions(actions)
    n = transitions[0].shape[0]
    terminal = reader.terminal(n)
    rewards = reader.per_transition("rewards", actions, n)
    _require_restarts(transitions, rewards, terminal)
    discounts = reader.discounts(actions, n, terminal)
    behaviour, target = reader.policies(n, actions)
    features = reader.features(n, terminal)
    schedule = reader.schedule()
    model = Model(actions, transitions, rewards, discounts, behaviour, target, features, schedule, name)
    if reader.corrections:
        largest, where = max(reader.corrections)
        amount = f"{short(largest)}, in {where}" if largest else "none was needed"
        reader.notes.append(f"rows divided by their exact sums; largest correction of a sum: {amount}")
    notes = [*overrides.said, *reader.notes]
    names = tuple(f"s{i}" for i in range(n))
    replaced = tuple(reader.replaced_features)
    by_function = overrides.features_by_function
    loaded = LoadedModel(model, names, reader.defaults_used, notes, source, replaced, by_function)
    return with_interest(with_sampling(loaded, overrides, document), overrides, document)


def _require_restarts(
    transitions: Sequence[RationalMatrix], rewards: Sequence[RationalMatrix], terminal: Sequence[int]
) -> None:
    for s in terminal:
        for P, R in zip(transitions, rewards, strict=True):
            into = [j for j, p in enumerate(P.rows[s]) if p]
            require_restart(f"s{s}", into, [R[s, j if R.shape[1] > 1 else 0] for j in into], terminal)


def _square_or_column(value: Any, where: str, n: int) -> RationalMatrix:
    if is_vector(value):
        column = read_vector(value, where, n, "one number for each state")
        return to_matrix([[entry] for entry in column], where)
    if not isinstance(value, list):
        number(value, where)  # NaN and the like are named as what they are
        raise InputError(f"{where} is {describe(value)}; give a list of n rows of n numbers, or of n numbers")
    return to_matrix(read_rows(value, where, n, n, "states × states"), where)


def _constant(discount: Fraction, n: int) -> RationalMatrix:
    return RationalMatrix.column([discount] * n)
