r"""A model from Python: arrays by the field's names, a mapping, a path, an environment, or one that is built.

    P            (S,S); (A,S,S) or (S,A,S); a mapping {action: (S,S)}; a list of sparse matrices, one for each action
    rewards      one number; (S,); (S,A), on leaving s by a; (S,S) for all actions; (A,S,S) or (S,A,S); {action: …}
    discount     one number; the shapes of rewards
    features     (S,d); (S,), one feature; a function of the state; a file; "tabular"
    behaviour,   (S,A); one action for each state; a function of the state, to a row or an action; a file; "uniform"
    target
    terminal     states; a mask (S,); a function of the state
    sampling     "path"; "independent", with sampling_law (S,), a weight for each state
    schedule     a Schedule, a text, or the object of a model file

The arrays make a ``tdcert-model/1`` document, or, where P is sparse and large, an archive; both are read by the same
rules as files. What two readings fit is refused: no shape is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from re import findall, fullmatch
from typing import Any, TypedDict

import numpy as np
import scipy

from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.files.arrays import count
from tdcert.theory.files.document import one_line
from tdcert.theory.files.frames import actions_in_order, in_order, index_of, numbers_of
from tdcert.theory.files.given import (
    Tree,
    did_you_mean,
    is_sparse,
    kind_of,
    laws,
    number,
    of_names,
    terminal_states,
    tree,
)
from tdcert.theory.files.gym import PREFIX, environment_model, is_environment, is_table, table_model
from tdcert.theory.files.limits import LARGEST_EXACT
from tdcert.theory.files.load import load_any
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.model_file import FORMAT, ONLY_ACTION, model_from_document
from tdcert.theory.files.npz import FORMAT as ARCHIVE
from tdcert.theory.files.npz import LoadedSparse, csr_parts, in_floats, loads_npz
from tdcert.theory.files.numerals import quoted, unit_number
from tdcert.theory.files.overrides import Overrides
from tdcert.theory.limits import ENCLOSED_STATES
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel

LARGEST_DENSE = ENCLOSED_STATES
"""Most states of a dense P that is read as exact numbers."""

_ENVIRONMENT = r"[\w./-]+-v\d+(\?.*)?"
_BESIDE = ("discount", "schedule", "features", "behaviour", "target", "sampling", "sampling_law", "interest")
"""What may complete or replace a part of any model."""
SYNONYMS = {
    "transitions": "P",
    "transition": "P",
    "t": "P",
    "p": "P",
    "r": "rewards",
    "reward": "rewards",
    "gamma": "discount",
    "γ": "discount",
    "phi": "features",
    "x": "features",
    "mu": "behaviour",
    "behavior": "behaviour",
    "pi": "target",
    "policy": "behaviour",
    "lambda": "schedule",
    "lambdas": "schedule",
    "lam": "schedule",
    "terminals": "terminal",
    "done": "terminal",
}
"""What people call the parts of a model, for messages."""


class ModelParts(TypedDict, total=False):
    """The parts of a model by keyword, as public functions take them; ``policy`` is another name of ``behaviour``."""

    P: Any
    rewards: Any
    discount: Any
    features: Any
    behaviour: Any
    target: Any
    terminal: Any
    start: Any
    schedule: Any
    actions: Any
    name: str | None
    normalise: bool | None
    sampling: str | None
    sampling_law: Any
    interest: Any
    policy: Any


@dataclass(frozen=True)
class Parts:
    """The parts of a model by the field's names, as the head of this file lists them; None for what is not given."""

    P: Any = None
    rewards: Any = None
    discount: Any = None
    features: Any = None
    behaviour: Any = None
    target: Any = None
    terminal: Any = None
    start: Any = None
    schedule: Any = None
    actions: Any = None
    name: Any = None
    normalise: Any = None
    sampling: Any = None
    sampling_law: Any = None
    interest: Any = None
    said: list[str] = field(default_factory=list, compare=False)

    @staticmethod
    def of_names(given: ModelParts) -> Parts:
        """Gives the parts that a call names."""
        named: dict[str, Any] = {**given}
        policy = named.pop("policy", None)
        if policy is not None and named.get("behaviour") is not None:
            raise InputError("policy and behaviour are both given, and are the same; give behaviour alone")
        return Parts(**named) if policy is None else Parts(**{**named, "behaviour": policy})

    @staticmethod
    def of_mapping(given: Mapping[Any, Any], beside: Parts) -> Parts:
        """Gives the parts of a mapping, by these names or a model file's keys; ``beside`` fills in or replaces some."""
        known = [f.name for f in fields(Parts) if f.name != "said"]
        found: dict[str, Any] = {}
        for key, value in given.items():
            name = "P" if key == "transitions" else key
            if key == "format":
                if value != FORMAT:
                    raise InputError(f'format is {kind_of(value)}; give "format": "{FORMAT}", or leave it out')
            elif not isinstance(name, str) or name not in known:
                what = quoted(name) if isinstance(name, str) else kind_of(name)
                meant = did_you_mean(name, known, SYNONYMS) if isinstance(name, str) else ""
                raise InputError(f"unknown key {what}" + (meant or "; the keys of a model are " + ", ".join(known)))
            elif name in found:
                raise InputError("P and transitions are both given; give one of them")
            else:
                found[name] = value
        own = Parts(**found)
        return replace(own, **{key: value for key in _BESIDE if (value := getattr(beside, key)) is not None})

    def overrides(self, *, discount: bool) -> Overrides:
        """What is read by the rules of overrides."""
        return Overrides(
            self.discount if discount else None,
            self.schedule,
            self.features,
            self.behaviour,
            self.target,
            self.start,
            self.sampling,
            self.sampling_law,
            self.interest,
            from_python=True,
            said=self.said,
        )


def read_model(model: Any, beside: Parts) -> LoadedModel | LoadedSparse:
    """A model that is ``model``, completed by what is given ``beside`` it; or, where it is None, those parts alone.

    ``model``: a path (``.json``, ``.npz``), ``gymnasium:ID`` or the id alone, a mapping of parts, an environment
    object, a :class:`Model` or :class:`SparseModel`, or what :func:`tdcert.load_model` returned. Raises
    :class:`InputError`, one sentence, for anything else.
    """
    if model is None:
        return _of_parts(beside, "arrays")
    if is_table(model) or (is_table(getattr(model, "P", None)) and not is_environment(model)):
        if beside.P is not None:
            raise InputError("P is given twice; give it by its name alone")
        said = [*beside.said, *getattr(model, "notes", ())]
        table = replace(beside, P=getattr(model, "P", model), start=_start_of(model, beside), said=said)
        return _of_table(
            table, "the table" if isinstance(model, Mapping) else "P, which has no initial_state_distrib beside it,"
        )
    if isinstance(model, Mapping):
        _require_none(beside, "a mapping")
        try:
            return _of_parts(Parts.of_mapping(model, beside), "a mapping")
        except RecursionError:
            raise InputError("the mapping is nested too deeply to be a model; give lists of rows at most") from None
    if isinstance(model, np.ndarray | list | tuple) or is_sparse(model):
        if beside.P is not None:
            raise InputError("P is given twice; give it by its name alone")
        return _of_parts(replace(beside, P=model), "arrays")
    if isinstance(model, str | PathLike):
        _require_none(beside, quoted(str(model)), "start" if _names_environment(model) else "")
        return _of_path(model, beside)
    if isinstance(model, Model | LoadedModel | SparseModel | LoadedSparse):
        _require_none(beside, "a model that is built")
        return _changed(_loaded(model), beside)
    if is_environment(model):
        _require_none(beside, "an environment", "start")
        return environment_model(model, beside.overrides(discount=True))
    raise InputError(
        f"the model is {kind_of(model)}; give a path, 'gymnasium:ID', an environment, a mapping, a Model, or P=, "
        "rewards= and discount="
    )


def _require_none(beside: Parts, what: str, allowed: str = "") -> None:
    for name in ("P", "rewards", "terminal", "actions", "start"):
        if getattr(beside, name) is not None and name != allowed:
            raise InputError(
                f"{name} is given beside {what}, which has its own; change it there, or give all parts by name"
            )


def _of_path(path: str | PathLike[Any], beside: Parts) -> LoadedModel | LoadedSparse:
    source = path if isinstance(path, str) else fspath(path)
    if not isinstance(source, str):
        raise InputError(f"the model is {kind_of(path)}; give the path of a model as text")
    known = source.startswith(PREFIX) or not _names_environment(source)
    return load_any(source if known else PREFIX + source, beside.overrides(discount=True))


def _names_environment(path: Any) -> bool:
    source = str(path)
    return source.startswith(PREFIX) or (bool(fullmatch(_ENVIRONMENT, source)) and not Path(source).exists())


def _loaded(model: Model | LoadedModel | SparseModel | LoadedSparse) -> LoadedModel | LoadedSparse:
    """A model that is already built, with what is known of its origin."""
    if isinstance(model, Model):
        return LoadedModel(model, tuple(f"s{s}" for s in range(model.n)), [], [], model.name or "a model")
    if isinstance(model, SparseModel):
        return LoadedSparse(model, [], [], model.name or "a model")
    return model


def _changed(loaded: LoadedModel | LoadedSparse, beside: Parts) -> LoadedModel | LoadedSparse:
    """The model with some parts replaced."""
    if all(getattr(beside, name) is None for name in _BESIDE):
        return loaded
    if isinstance(loaded, LoadedSparse):
        raise InputError(
            "options were given beside a sparse model that is already built; build it with them, or give P=, rewards= …"
        )
    made = model_from_document(loaded.model.canonical, beside.overrides(discount=True), loaded.source)
    model = replace(made.model, name=loaded.model.name)
    replaced = loaded.replaced_features if beside.features is None else ()
    return replace(loaded, model=model, notes=[*loaded.notes, *made.notes], replaced_features=replaced)


# ---- arrays by name -------------------------------------------------------------------------------


def _start_of(model: Any, beside: Parts) -> Any:
    return getattr(model, "initial_state_distrib", None) if beside.start is None else beside.start


def _of_table(parts: Parts, what: str = "the table") -> LoadedModel:
    """A table of transitions, which has rewards and ends of its own; ``what`` it is, for messages."""
    for name in ("rewards", "terminal", "actions", "normalise"):
        if getattr(parts, name) is not None:
            raise InputError(f"{name} is given beside a table of transitions, which has its own; change it there")
    return table_model(parts.P, parts.overrides(discount=True), "" if parts.name is None else str(parts.name), what)


def _of_parts(parts: Parts, source: str) -> LoadedModel | LoadedSparse:
    if is_table(parts.P):
        return _of_table(parts)
    if parts.start is not None:
        raise InputError(
            "start is for a table of transitions {state: {action: [(p, s', r, done)]}}; in arrays the rows of terminal "
            "states lead to where episodes begin"
        )
    labels, parts = by_labels(parts)
    names = tuple(one_line(str(label)) for label in labels or ())
    for name in ("P", "rewards", "discount"):
        if getattr(parts, name) is None:
            raise InputError(f"{name} is missing; a model needs P, rewards and discount")
    if callable(parts.P) or isinstance(parts.P, str | PathLike):
        raise InputError(f"P is {kind_of(parts.P)}; give an array, a sparse matrix, or a mapping of actions to them")
    large = _large(parts.P)
    if large is not None:
        if labels is not None:
            parts.said.append("a model of this size keeps the order of the states, and not their names")
        return _of_large(large, parts, source)
    transitions = _transitions(parts.P)
    n, actions = transitions.n, _names(parts.actions, transitions)
    document: dict[str, object] = {
        "format": FORMAT,
        "actions": list(actions),
        "transitions": {
            name: laws(rows.values, rows.unit, _of_action("P", name, actions), parts.said)
            for name, rows in zip(actions, transitions.by_action, strict=True)
        },
        "rewards": _per_action(parts.rewards, "rewards", n, actions, transitions),
        "discount": _discount(parts.discount, n, actions, transitions),
        "terminal": [] if parts.terminal is None else terminal_states(parts.terminal, n),
    }
    if parts.name is not None:
        document["name"] = parts.name
    if parts.normalise is not None:
        document["normalise"] = parts.normalise
    try:
        found = model_from_document(document, parts.overrides(discount=False), source)
    except InputError as error:
        raise InputError(_with_names(str(error), names)) from error.__cause__
    return replace(found, state_names=names, state_keys=tuple(labels)) if labels else found


def _with_names(sentence: str, labels: Sequence[str]) -> str:
    """The sentence, and the names of the states that it speaks of by number."""
    spoken = sorted({int(s) for s in findall(r"\bs(\d{1,6})\b", sentence)} & {*range(len(labels))})
    return sentence + (f" ({', '.join(f's{s} is {labels[s]}' for s in spoken)})" if spoken else "")


def by_labels(parts: Parts) -> tuple[list[Any] | None, Parts]:
    """The names of the states that the indices of data frames say, and the parts with rows in the order of P's.

    Functions of the state, and policies as mappings of states, are of the names then.
    """
    P = parts.P if isinstance(parts.P, Mapping) else {"": parts.P}
    labels = next((found for frame in P.values() if (found := index_of(frame, "P")) is not None), None)
    named = parts.P if isinstance(parts.P, Mapping) else parts.actions
    actions = [str(name) for name in named] if isinstance(named, Mapping | list | tuple | np.ndarray) else []
    policies = {name: actions_in_order(getattr(parts, name), actions) for name in ("behaviour", "target")}
    parts = replace(parts, **policies)
    changed: dict[str, Any] = {}
    if labels is not None:
        ordered = {name: in_order(frame, labels, "P", columns=True) for name, frame in P.items()}
        changed["P"] = ordered if isinstance(parts.P, Mapping) else ordered[""]
    for name in ("rewards", "discount", "features", "behaviour", "target", "sampling_law", "interest"):
        value = getattr(parts, name)
        if labels is not None and name in ("features", "behaviour", "target"):
            changed[name] = in_order(of_names(value, labels, name), labels, name, columns=False)
        elif labels is not None:
            square = name in ("rewards", "discount")
            if isinstance(value, Mapping):
                changed[name] = {key: in_order(part, labels, name, columns=square) for key, part in value.items()}
            else:
                changed[name] = in_order(value, labels, name, columns=square)
        elif index_of(value, name) is not None:
            raise InputError(f"{name} is indexed by names and P is not; give P as a data frame with the same index")
    if labels is None:
        return None, parts
    changed["terminal"] = of_names(numbers_of(parts.terminal, labels), labels, "terminal")
    return labels, replace(parts, **changed)


@dataclass(frozen=True)
class _Transitions:
    """One n×n array for each action. ``by_name``: whether the actions were named; ``axes``: of an array in three
    dimensions, which came first: ``A`` or ``S``.
    """

    names: tuple[str, ...]
    by_action: tuple[Tree, ...]
    n: int
    by_name: bool = False
    axes: str = ""


def _transitions(P: Any) -> _Transitions:
    if isinstance(P, Mapping):
        names = tuple(str(key) for key in P)
        if not names:
            raise InputError("P names no action; give {action: states × states}, or states × states")
        matrices = tuple(
            tree(value, f"P of action {quoted(name)}") for name, value in zip(names, P.values(), strict=True)
        )
        _require_square([m.shape for m in matrices], names)
        return _Transitions(names, matrices, matrices[0].shape[0], by_name=True)
    if isinstance(P, list | tuple) and any(is_sparse(part) for part in P):
        parts = [tree(part, f"P of action {a}") for a, part in enumerate(P)]
        if len({part.shape for part in parts}) > 1:
            _require_square([part.shape for part in parts], _numbered(len(parts)))
        units = [part.unit for part in parts if part.unit is not None]
        found = Tree([part.values for part in parts], (len(parts), *parts[0].shape), max(units, default=None))
    else:
        found = tree(P, "P")
    if len(found.shape) == 2:
        if found.shape[0] != found.shape[1] or not found.shape[0]:
            raise InputError(f"P has shape {by_shape(found.shape)}; give states × states, or one such for each action")
        return _Transitions((ONLY_ACTION,), (found,), found.shape[0])
    if len(found.shape) != 3 or 0 in found.shape:
        raise InputError(
            f"P has shape {by_shape(found.shape)}; give (S, S) for one action, (A, S, S) or (S, A, S) for several"
        )
    values, axes = _action_first(found, "P")
    names = _numbered(len(values))
    unit = found.unit
    shape = (len(values[0]), len(values[0]))
    return _Transitions(names, tuple(Tree(rows, shape, unit) for rows in values), shape[0], axes=axes)


def _numbered(m: int) -> tuple[str, ...]:
    return (ONLY_ACTION,) if m == 1 else tuple(map(str, range(m)))


def _action_first(given: Tree, what: str, n: int | None = None) -> tuple[list[Any], str]:
    """An array in three dimensions, its action axis first, and which axis came first; refused where both may be."""
    x, y, z = given.shape
    first, second = y == z and n in (None, z), x == z and n in (None, z)
    if first and second:
        turned = [list(row) for row in zip(*given.values, strict=True)]
        if turned != given.values:
            raise InputError(
                f"{what} has shape {by_shape(given.shape)}, which may be (A, S, S) or (S, A, S); give a mapping of "
                f"actions to states × states: dict(enumerate({what})) where actions come first, "
                f"{{a: [rows[a] for rows in {what}] for a in range({x})}} where states do"
            )
        return given.values, "A"
    if first:
        return given.values, "A"
    if second:
        return [list(rows) for rows in zip(*given.values, strict=True)], "S"
    raise InputError(
        f"{what} has shape {by_shape(given.shape)}; give (A, S, S) or (S, A, S)"
        + (f", S = {n}" if n else "")
        + _transposed(given.shape, n)
    )


def _transposed(shape: tuple[int, ...], n: int | None) -> str:
    """``; did you mean …``, where the axes in another order would do."""
    if shape[0] == shape[1] and n in (None, shape[0]):
        return "; did you mean .transpose(2, 0, 1), with the actions first?"
    return ""


def _require_square(shapes: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
    n = shapes[0][0] if shapes[0] else 0
    for name, shape in zip(names, shapes, strict=True):
        if shape != (n, n) or n == 0:
            raise InputError(
                f"P of action {quoted(name)} has shape {by_shape(shape)}; give states × states, the same for every "
                "action"
            )


def _names(given: Any, transitions: _Transitions) -> tuple[str, ...]:
    """The names of the actions, in order."""
    if given is None:
        return transitions.names
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or getattr(given, "ndim", 1) != 1:
        raise InputError(f"actions is {kind_of(given)}; give a list of names")
    names = tuple(str(x) for x in given)
    if transitions.by_name and names != transitions.names:
        if sorted(names) == sorted(transitions.names):
            raise InputError("actions lists the actions of P in another order; order P so, or leave actions out")
        odd = next((x for x in (*names, *transitions.names) if (x in names) != (x in transitions.names)), names[:1])
        raise InputError(f"actions and P must name the same actions, and {quoted(str(odd))} is in one only")
    if len(names) != len(transitions.names):
        raise InputError(f"actions has {count(len(names), 'name')} for the {len(transitions.names)} actions of P")
    return names


def _of_action(what: str, name: str, actions: Sequence[str]) -> str:
    return what if len(actions) == 1 else f"{what} of action {quoted(name)}"


def _discount(value: Any, n: int, actions: tuple[str, ...], transitions: _Transitions) -> Any:
    if isinstance(value, Mapping) or _dimensions(value):
        return _per_action(value, "discount", n, actions, transitions)
    return unit_number(number(value, "discount"), "discount")


def _dimensions(value: Any) -> bool:
    """Whether a value is not a single number."""
    return isinstance(value, list | tuple | range) or bool(getattr(value, "shape", ())) or hasattr(value, "to_numpy")


def _per_action(value: Any, what: str, n: int, actions: tuple[str, ...], transitions: _Transitions) -> Any:
    """Numbers for each transition or each state left, of all actions or by action, as a model file has them."""
    m = len(actions)
    if callable(value) or (isinstance(value, str | PathLike) and not _is_number(value)):
        raise InputError(f"{what} is {kind_of(value)}; give numbers: one, (S,), (S, A), (S, S) or (A, S, S)")
    if isinstance(value, Mapping):
        by_name = {str(key): part for key, part in value.items()}
        if set(by_name) != set(actions):
            odd = min(set(by_name) ^ set(actions))
            raise InputError(f"{what} and P must name the same actions, and {quoted(odd)} is in one only")
        return {
            name: _square_or_column(tree(by_name[name], f"{what} of action {quoted(name)}"), what, n)
            for name in actions
        }
    found = tree(value, what)
    shape = found.shape
    if shape == ():
        return [found.values] * n
    if len(shape) == 3:
        return dict(zip(actions, _by_action(found, what, n, m, transitions), strict=True))
    if shape == (n, m) and m > 1:
        if m == n:
            raise InputError(
                f"{what} has shape {n}×{n}, which may be (S, A) or (S, S) here; give a mapping of actions to (S,) or "
                f"(S, S): dict(enumerate({what}.T)) for (S, A)"
            )
        return {name: [row[a] for row in found.values] for a, name in enumerate(actions)}
    if shape == (m, n) and m not in (1, n):
        raise InputError(f"{what} has shape {m}×{n}; did you mean its transpose, {n}×{m} (states × actions)?")
    if shape == (n, 1):
        return [row[0] for row in found.values]
    return _square_or_column(found, what, n)


def _is_number(value: object) -> bool:
    return isinstance(value, str) and fullmatch(r"\s*-?[\d.]+(/\d+|[eE][+-]?\d+)?\s*", value) is not None


def _by_action(found: Tree, what: str, n: int, m: int, transitions: _Transitions) -> list[Any]:
    if m == n and not transitions.axes:
        raise InputError(f"{what} has shape {by_shape(found.shape)} beside P by action; give a mapping by action too")
    values, _ = _action_first(found, what, n)
    if len(values) != m:
        raise InputError(f"{what} has {count(len(values), 'action')}, and P has {m}; give both the same")
    return values


def _square_or_column(found: Tree, what: str, n: int) -> Any:
    if found.shape in ((n,), (n, n)):
        return found.values
    if found.shape == (n, 1):
        return [row[0] for row in found.values]
    if found.shape == ():
        return [found.values] * n
    raise InputError(
        f"{what} has shape {by_shape(found.shape)}; give one number, {n} numbers (on leaving each state), or {n}×{n}"
    )


# ---- large models ---------------------------------------------------------------------------------


def _large(P: Any) -> dict[str, object] | None:
    """Transitions by action in CSR form, where they are too many to be read as exact numbers; else None."""
    if isinstance(P, Mapping):
        named = {str(key): part for key, part in P.items()}
    elif isinstance(P, list | tuple):
        if not P or not all(is_sparse(part) for part in P):
            return None
        named = dict(zip(_numbered(len(P)), P, strict=True))
    elif isinstance(P, np.ndarray) and P.ndim == 3 and max(P.shape) > LARGEST_DENSE:
        first = P if P.shape[1] == P.shape[2] else P.transpose(1, 0, 2)
        named = dict(zip(_numbered(len(first)), first, strict=True))
    else:
        named = {ONLY_ACTION: P}
    sizes = [
        (part.shape, LARGEST_EXACT if is_sparse(part) else LARGEST_DENSE) for part in named.values() if _is_2d(part)
    ]
    if not sizes or len(sizes) < len(named) or not all(shape[0] > most for shape, most in sizes):
        return None
    made = {}
    for name, part in named.items():
        if part.dtype.kind not in "fiu":
            raise InputError(f"P is {kind_of(part)}; give floats for a model of this size")

        made[name] = scipy.sparse.csr_array(part, dtype=np.float64, copy=True)
        made[name].sum_duplicates()
        made[name].eliminate_zeros()
    return made


def _is_2d(value: Any) -> bool:
    return (is_sparse(value) or isinstance(value, np.ndarray)) and value.ndim == 2


def _of_large(by_action: Mapping[str, Any], parts: Parts, source: str) -> LoadedSparse:
    """Read as an archive with these arrays is."""
    if parts.normalise is not None:
        raise InputError(f"normalise is not offered beyond {LARGEST_EXACT} states; divide the rows of P by their sums")
    if parts.sampling is not None or parts.sampling_law is not None:
        raise InputError(f"independent draws are not offered beyond {LARGEST_EXACT} states; give a smaller model")
    n = next(iter(by_action.values())).shape[0]
    _require_square([P.shape for P in by_action.values()], list(by_action))
    actions = _names(parts.actions, _Transitions(tuple(by_action), (), n))
    m = len(actions)
    arrays: dict[str, object] = {"format": ARCHIVE, "rewards": _floats(parts.rewards, "rewards", n, actions)}
    if m > 1:
        arrays["actions"] = list(actions)
    for a, P in enumerate(by_action.values()):
        arrays |= csr_parts(f"transitions_{a}" if m > 1 else "transitions", P)
    discount = parts.discount
    if _dimensions(discount):
        arrays["discount"] = _floats(discount, "discount", n, ("",))[:, 0]
    else:
        arrays["discount"] = str(Fraction(unit_number(number(discount, "discount"), "discount")))
    if parts.terminal is not None:
        arrays["terminal"] = np.array(terminal_states(parts.terminal, n), dtype=np.int64)
    if parts.name is not None:
        arrays["name"] = str(parts.name)
    return loads_npz(arrays, parts.overrides(discount=False), source)


def _floats(value: Any, what: str, n: int, actions: Sequence[str]) -> Any:
    """Numbers by state and action (n×m floats): one, (S,), (S, A), or a mapping of actions to the first two."""
    m = len(actions)
    if isinstance(value, Mapping):
        if set(map(str, value)) != set(actions):
            raise InputError(f"{what} and P must name the same actions")
        by_name = {str(key): part for key, part in value.items()}
        return np.hstack([_floats(by_name[name], f"{what} of action {quoted(name)}", n, ("",)) for name in actions])
    array = value if isinstance(value, np.ndarray) else None
    if array is None or array.dtype.kind not in "fiu":
        array = in_floats(tree(value, what).values, what)
    if array.shape == () or array.shape == (n,):
        return np.broadcast_to(array.astype(np.float64).reshape(-1, 1), (n, m)).copy()
    if array.shape == (n, m):
        return array.astype(np.float64)
    raise InputError(f"{what} has shape {by_shape(array.shape)}; give one number, {n}, or {n}×{m} (states × actions)")
