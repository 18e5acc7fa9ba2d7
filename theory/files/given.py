r"""What Python gives: arrays, sparse matrices, functions of the state, files of arrays, policies, schedules.

Everything becomes the tree of a ``tdcert-model/1`` document, whose leaves are exact, and is then read by the rules of
``tdcert.theory.files.model_file``. A float stands for the decimal that it prints, in the precision of its type.

Rows that are laws (of P and of policies) need to sum to one. Where they hold floats, rounding is allowed for: a row of
k quotients w/Σw is off by k − 1 roundings of the sum and one of the quotient, and each decimal by one more, so that the
printed row sums to one within (k + 1)u up to higher orders, u the unit of the floats. Within twice that a row is
divided by its exact sum, and this is said; beyond, it is refused.
"""

from __future__ import annotations

import csv
import difflib
import io
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from os import PathLike
from typing import Any

import numpy as np

from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.files.arrays import Rows, normalised, read_rows
from tdcert.theory.files.document import one_line, read_document, read_text
from tdcert.theory.files.limits import DEEPEST, MOST_DENSE
from tdcert.theory.files.numerals import Exact, Refused, exact, quoted, written
from tdcert.theory.limits import beyond, raised
from tdcert.theory.model.schedule import Schedule

BY_ACTION = "states × actions"
FLOAT = Fraction(1, 2**53)
"""The unit roundoff of Python's floats."""


def did_you_mean(word: str, known: Iterable[str], synonyms: Mapping[str, str] | None = None) -> str:
    """``; did you mean 'rewards'?``, or nothing where no word is near."""
    found = (synonyms or {}).get(word) or (synonyms or {}).get(word.lower())
    near = [found] if found else difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def is_sparse(value: object) -> bool:
    """Whether it is a sparse array or matrix of SciPy; nothing is while nobody has loaded that."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def kind_of(value: object) -> str:
    """What a Python value is, in words; never its content."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, np.ndarray) or is_sparse(value):
        array: Any = value
        return f"an array of shape {by_shape(array.shape)} and type {array.dtype}"
    name = type(value).__name__
    if isinstance(value, Real):
        return f"the number {quoted(written(repr, value))}"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


# ---- numbers and arrays ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Tree:
    """Nested lists with exact leaves, or one leaf. ``shape``: of the lists, which are of equal lengths; ``unit``: the
    largest unit roundoff of the floats among the leaves, None where there is no float.
    """

    values: Any
    shape: tuple[int, ...]
    unit: Fraction | None


def tree(value: Any, where: str) -> Tree:
    """The numbers of an array, a sparse matrix, a data frame, or nested lists; InputError for anything else."""
    units: list[Fraction] = []
    values = _nested(value, where, units, 0)
    return Tree(values, _shape(values, where), max(units, default=None))


def number(value: Any, where: str) -> Exact:
    """One number."""
    found = _leaf(value, where, [])
    if isinstance(found, list):
        raise InputError(f"{where} is {kind_of(value)}; give one number")
    return Fraction(found) if isinstance(found, Fraction) else int(found)


def _nested(value: Any, where: str, units: list[Fraction], depth: int) -> Any:
    if is_sparse(value):
        if (size := value.shape[0] * value.shape[-1]) > raised(MOST_DENSE):
            said = f"{where} is {kind_of(value)}, too large to be written out; give fewer columns"
            raise InputError(beyond(said, size / MOST_DENSE))
        value = value.toarray()
    elif not isinstance(value, np.ndarray | np.generic) and (
        hasattr(value, "__array__") or hasattr(value, "to_numpy") or hasattr(value, "__array_interface__")
    ):
        try:
            value = np.asarray(value)
        except Exception as error:  # a third party's conversion may raise anything
            raise InputError(f"{where} is {kind_of(value)}, which is not an array ({one_line(error)})") from None
    if isinstance(value, np.ndarray):
        return _array(value, where, units)
    if isinstance(value, list | tuple | range):
        if depth == DEEPEST:
            raise InputError(f"{where} is nested more than {DEEPEST} deep; give a list of numbers, or of rows")
        return [_nested(part, where, units, depth + 1) for part in value]
    return _leaf(value, where, units)


def _array(value: Any, where: str, units: list[Fraction]) -> Any:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InputError(f"{where} has masked entries; give a number for each")
    value = np.asarray(value)  # a np.matrix stays in two dimensions whatever is asked of it
    if value.ndim > DEEPEST:
        raise InputError(f"{where} is {kind_of(value)}; give at most {DEEPEST} dimensions")
    if value.size > raised(MOST_DENSE):
        said = f"{where} is {kind_of(value)}, too large to be written out; give scipy.sparse, or an .npz"
        raise InputError(beyond(said, value.size / MOST_DENSE))
    if value.dtype.kind in "iu":
        return value.tolist()
    if value.dtype.kind in "fOSU":
        flat = [_leaf(x, where, units) for x in value.ravel()]
        return _folded(flat, value.shape)
    raise InputError(f"{where} is {kind_of(value)}; give real numbers")


def _folded(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return flat
    size = len(flat) // shape[0] if shape[0] else 0
    return [_folded(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]


def _unit(kind: Any) -> Fraction:
    """u = ε/2 of a floating type."""
    return Fraction(float(np.finfo(kind).eps)) / 2


def _leaf(value: Any, where: str, units: list[Fraction]) -> Any:
    """One number, exact: floats and decimals as they print."""
    if type(value) is int or type(value) is Fraction:
        return value
    if isinstance(value, bool | np.bool_):
        raise InputError(f"{where} holds {value}; give numbers")
    found: Any = None
    if isinstance(value, float | np.floating):
        units.append(_unit(type(value)) if isinstance(value, np.floating) else FLOAT)
        found = exact(repr(float(value)) if isinstance(value, float) else str(value))
    elif isinstance(value, Integral):
        found = int(value)
    elif isinstance(value, Rational):
        found = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, str | Decimal):
        found = exact(str(value).strip())
    elif value is not None and type(value).__name__ in ("fmpq", "fmpz"):
        found = exact(str(value))
    else:
        raise InputError(f'{where} holds {kind_of(value)}; give a number or a string "p/q"')
    if isinstance(found, Refused):
        raise InputError(f"{where}: {quoted(found.text)} {found.reason}")
    return found


def _shape(values: Any, where: str) -> tuple[int, ...]:
    """The shape of nested lists, () for a leaf. Raises :class:`InputError` where their lengths differ."""
    if not isinstance(values, list):
        return ()
    inner = {_shape(part, where) for part in values}
    if len(inner) > 1:
        given = " and ".join(sorted(by_shape(shape) if shape else "a number" for shape in inner)[:2])
        raise InputError(f"{where} has parts of different shapes, {given}; give every row the same length")
    return (len(values), *(inner.pop() if inner else ()))


# ---- files of arrays ------------------------------------------------------------------------------


def array_file(path: str) -> Any:
    """The content of a ``.npy`` or ``.csv`` file for :func:`tree`, or the JSON tree of any other file."""
    what = quoted(path, limit=300)
    if path.endswith(".npy"):
        try:
            return np.load(path, allow_pickle=False)
        except FileNotFoundError:
            raise InputError(f"there is no file {what}; give the path of an array") from None
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{what} is not a NumPy array ({one_line(error)}); write it with numpy.save") from None
    if path.endswith(".csv"):
        return _comma_separated(read_text(path, "CSV"), what)
    return read_document(path)


def _comma_separated(text: str, what: str) -> list[list[str]]:
    """The rows of a CSV file; a first row without a number is its header."""
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if any(map(str.strip, row))]
    except csv.Error as error:
        raise InputError(f"{what} is not a CSV file ({one_line(error)})") from None
    if rows and all(isinstance(exact(cell), Refused) for cell in rows[0]):
        rows = rows[1:] or rows
    return rows


# ---- laws -----------------------------------------------------------------------------------------


def laws(rows: Rows, unit: Fraction | None, where: str, said: list[str]) -> Rows:
    """Rows that are laws: those that sum to one up to the rounding of their floats, divided by their exact sums."""
    if unit is None:
        return rows
    made, largest, k = list(rows), Fraction(0), 0
    for i, row in enumerate(rows):
        off = abs(sum(map(Fraction, row), start=Fraction(0)) - 1)
        k = sum(1 for x in row if x)
        if 0 < off <= 2 * (k + 1) * unit:
            made[i] = normalised([row], where)[0][0]
            largest = max(largest, off)
    if largest:
        said.append(
            f"{where}: rows of floats that sum to one up to rounding are divided by their exact sums; the largest "
            f"correction is {float(largest):.2g}"
        )
    return made


@dataclass(frozen=True)
class OfNames:
    """A user's function of the state where the states have names: it is called with these, and not with numbers."""

    function: Callable[..., Any]
    names: Sequence[Any]

    def __call__(self, s: int, *more: Any) -> Any:
        return self.function(self.names[s], *more)


def of_names(value: Any, names: Sequence[Any], where: str) -> Any:
    """A function of named states as one of their numbers, a mapping of them as its values in order; else what is given.

    A mapping that holds no name at all is left. Raises :class:`InputError` where one holds some names only, or
    others beside them.
    """
    if callable(value):
        return OfNames(value, names)
    if not isinstance(value, Mapping) or not any(name in value for name in names):
        return value
    odd = next((key for key in (*names, *value) if (key in value) != (key in names)), None)
    if odd is not None:
        said = "has no entry for" if odd in names else "has an entry for what is no state,"
        raise InputError(f"{where} {said} '{one_line(str(odd))}'; give one for each state, by its name")
    return [value[name] for name in names]


def by_state(value: Callable[[int], Any], n: int, where: str) -> list[Any]:
    """A function of the state, asked of all n states."""
    found = []
    for s in range(n):
        try:
            found.append(value(s))
        except Exception as error:  # the user's own function may raise anything
            state = f"'{one_line(str(value.names[s]))}'" if isinstance(value, OfNames) else s
            raise InputError(
                f"the function given as {where} fails in state {state}: {type(error).__name__} ({one_line(error)})"
            ) from error
    return found


def features_rows(value: Any, n: int) -> Rows | None:
    """n rows of features from an array, a function of the state, or the path of a file; None for ``"tabular"``."""
    where = "features"
    if isinstance(value, str | PathLike):
        if str(value) == "tabular":
            return None
        where, value = f"{where} in {quoted(str(value))}", array_file(str(value))
    elif callable(value):
        value = by_state(value, n, where)
        value = [x if _is_row(x) else [x] for x in value]
    meaning = "states × features, one row for each state and every row of the same length"
    given = tree(_zeros_and_ones(value), where)
    if len(given.shape) == 2 and given.shape[1] == n != given.shape[0]:
        raise InputError(
            f"{where} has shape {by_shape(given.shape)}; did you mean its transpose, {n}×{given.shape[0]} (states × "
            "features)?"
        )
    values = [[x] for x in given.values] if len(given.shape) == 1 else given.values
    return read_rows(values, where, n, None, meaning)


def _zeros_and_ones(value: Any) -> Any:
    """Truths as the numbers 0 and 1: a feature that is there or not is often written so."""
    if isinstance(value, list | tuple):
        return [_zeros_and_ones(part) for part in value]
    if isinstance(value, bool):
        return int(value)
    return value.astype(np.int64) if getattr(value, "dtype", None) == np.bool_ else value


def policy_rows(value: Any, n: int, actions: Sequence[str], where: str, said: list[str]) -> Rows:
    """n rows of probabilities from an array, a function of the state, one action per state, ``"uniform"`` or a file.

    An action is its number or its name; a law of one state may be a mapping of actions to probabilities.
    """
    m, unit = len(actions), None
    if isinstance(value, str | PathLike):
        if str(value) == "uniform":
            return [[Fraction(1, m)] * m for _ in range(n)]
        unit = FLOAT if str(value).endswith(".csv") else None  # as floats were printed into it
        where, value = f"{where} in {quoted(str(value))}", array_file(str(value))
        if (
            isinstance(value, list)
            and value
            and all(isinstance(row, list) and len(row) == 1 for row in value)
            and m > 1
        ):
            value = [row[0] for row in value]  # a column of actions
    elif callable(value):
        value = by_state(value, n, where)
    elif isinstance(value, Mapping):
        missing = [s for s in range(n) if s not in value]
        if missing:
            raise InputError(f"{where} has no entry for state {missing[0]}; give one for each state, 0 to {n - 1}")
        value = [value[s] for s in range(n)]
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        value = value.tolist() if value.ndim == 1 else value
    if isinstance(value, list | tuple | range) and any(not _is_row(x) or isinstance(x, Mapping) for x in value):
        value = [_law_of(x, actions, f"{where} in state {s}") for s, x in enumerate(value)]
    given = tree(value, where)
    if len(given.shape) == 2 and given.shape == (m, n) and m != n:
        raise InputError(
            f"{where} has shape {by_shape(given.shape)}; did you mean its transpose, {n}×{m} ({BY_ACTION})?"
        )
    return laws(read_rows(given.values, where, n, m, BY_ACTION), given.unit or unit, where, said)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple | range | Mapping) or (hasattr(value, "shape") and len(value.shape) > 0)


def _law_of(value: Any, actions: Sequence[str], where: str) -> Any:
    """The row of a state that was given as an action, or as a mapping of actions to probabilities."""
    if isinstance(value, Mapping):
        row: list[Any] = [0] * len(actions)
        for action, probability in value.items():
            row[_action(action, actions, where)] = probability
        return row
    if _is_row(value):
        return value
    chosen = _action(value, actions, where)
    return [int(a == chosen) for a in range(len(actions))]


def _action(value: Any, actions: Sequence[str], where: str) -> int:
    """The number of an action given by number or name."""
    m = len(actions)
    if isinstance(value, str) and value in actions:
        return list(actions).index(value)
    found = exact(value.strip()) if isinstance(value, str) else value
    if isinstance(found, Integral) and not isinstance(found, bool) and 0 <= int(found) < m:
        return int(found)
    named = did_you_mean(value, actions) if isinstance(value, str) else ""
    raise InputError(
        f"{where} is {kind_of(value)}; give an action by its number, 0 to {m - 1}, or its name, or a row of {m} "
        f"probabilities{named}"
    )


# ---- schedules ------------------------------------------------------------------------------------


def schedule_tree(value: Any) -> Any:
    """A schedule as text or as the object of a model file, its numbers exact; a Schedule stays one."""
    if isinstance(value, str | Schedule):
        return value
    if isinstance(value, Mapping):
        return {str(form): _form(content, f"{form} of the schedule") for form, content in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        raise InputError("the schedule is a list; did you mean tdcert.Lambdas([…]), or tdcert.EqualWeights(n1, n2)?")
    if isinstance(value, Real) and not isinstance(value, bool):
        raise InputError(
            f"the schedule is {kind_of(value)}; did you mean tdcert.Constant({written(str, value)}), or "
            "tdcert.NStep(n)?"
        )
    raise InputError(
        f"the schedule is {kind_of(value)}; give tdcert.NStep(3), tdcert.EqualWeights(2, 4), tdcert.Constant(0.9), "
        'tdcert.Lambdas([…]), tdcert.ByState([…]), or a text such as "n_step:3"'
    )


def _form(content: Any, where: str) -> Any:
    if isinstance(content, Mapping):
        return {str(key): number(value, where) for key, value in content.items()}
    return tree(content, where).values


def terminal_states(value: Any, n: int) -> list[int]:
    """States by their numbers, a mask of n truths, or a function of the state that says whether it is terminal."""
    if callable(value):
        value = [bool(x) for x in by_state(value, n, "terminal")]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, Collection) or isinstance(value, str | bytes | Mapping):
        raise InputError(f"terminal is {kind_of(value)}; give a list of states, each a number from 0 to {n - 1}")
    listed = list(value)
    if listed and all(isinstance(x, bool | np.bool_) for x in listed):
        if len(listed) != n:
            raise InputError(f"terminal has {len(listed)} truths; give one for each of the {n} states")
        return [s for s, end in enumerate(listed) if end]
    for state in listed:
        if not isinstance(state, Integral) or isinstance(state, bool) or not 0 <= int(state) < n:
            raise InputError(f"terminal lists {kind_of(state)}; give states by their numbers, 0 to {n - 1}")
    return sorted({int(state) for state in listed})
