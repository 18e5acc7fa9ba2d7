"""λ-schedules as model files and the command line write them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.document import parse_document
from tdcert.theory.files.numerals import describe, exact, number, quoted, unit_number, whole_number
from tdcert.theory.model.schedule import MAX_LENGTH, LambdaByState, Schedule

_FORMS = (
    '{"lambdas": […]}, {"equal_weights": [n1, n2]}, {"n_step": n}, '
    '{"constant": {"lambda": x, "length": L}}, {"weights": […]}, or {"by_state": […]} with a λ for each state'
)
_SHORT_FORMS = (
    "td0, n_step:3, equal_weights:4,6, constant:0.9, constant:0.9,20, lambdas:1,1/2, weights:1/2,1/2 or by_state:1,1/2"
)


def schedule_from_json(value: Any, where: str) -> Schedule:
    """A schedule object of a model file; every λ in [0,1], at most MAX_LENGTH of them."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is {describe(value)}; give one of {_FORMS}")
    form = next(iter(value), "")
    if len(value) != 1 or form not in _READERS:
        raise InputError(f"{where} has the keys {quoted(', '.join(value))}; give one of {_FORMS}")
    return _READERS[form](value[form], f"{form} of {where}")


def schedule_from_text(text: str, where: str) -> Schedule:
    """A schedule of the command line: the JSON object as text, or a short form (``td0``, …)."""
    if text.lstrip().startswith("{"):
        return schedule_from_json(parse_document(text, where), where)
    if text == "td0":
        return Schedule()
    form, colon, content = text.partition(":")
    values = [exact(part.strip()) for part in content.split(",")]
    if not colon or form not in _READERS:
        raise InputError(f"{where} is {quoted(text)}; give {_SHORT_FORMS}, or one of {_FORMS}")
    if form == "n_step" and len(values) == 1:
        return schedule_from_json({form: values[0]}, where)
    if form == "constant" and len(values) <= 2:
        return schedule_from_json({form: dict(zip(("lambda", "length"), values, strict=False))}, where)
    return schedule_from_json({form: values}, where)


def schedule_option(schedule: Schedule) -> str:
    """The schedule in the form that ``--schedule`` takes."""
    if isinstance(schedule, LambdaByState):
        return "by_state:" + ",".join(map(str, schedule.by_state))
    if schedule.tail:
        return f"constant:{schedule.tail}"
    return "lambdas:" + ",".join(map(str, schedule.lambdas)) if schedule.lambdas else "td0"


def one_schedule_from_text(text: str, where: str) -> Schedule:
    """A schedule, read by :func:`schedule_from_text`; no λ by state, for models of which the states are not known."""
    return of_one_schedule(schedule_from_text(text, where), where)


def _lambdas(value: Any, where: str) -> Schedule:
    given = enumerate(_list(value, where), start=1)
    return Schedule(tuple(unit_number(x, f"λ_{i} in {where}") for i, x in given))


def _by_state(value: Any, where: str) -> Schedule:
    if not isinstance(value, list):
        raise InputError(f"{where} is {describe(value)}; give a list of numbers, one for each state")
    return LambdaByState([Fraction(unit_number(x, f"λ(s{s}) in {where}")) for s, x in enumerate(value)])


def of_one_schedule(schedule: Schedule, where: str) -> Schedule:
    """The schedule. Raises :class:`InputError` for a λ by state, where models are many, or are not known."""
    if isinstance(schedule, LambdaByState):
        raise InputError(f"{where} gives λ by state, which is of one model that is known; give a λ-schedule")
    return schedule


def _weights(value: Any, where: str) -> Schedule:
    given = enumerate(_list(value, where), start=1)
    return Schedule.from_weights([Fraction(number(x, f"weight {i} of {where}")) for i, x in given])


def _equal_weights(value: Any, where: str) -> Schedule:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"{where} must be two whole numbers n1 ≤ n2, for example [4, 6]")
    n1, n2 = (whole_number(x, f"n{i} in {where}") for i, x in enumerate(value, start=1))
    return Schedule.equal_weights(n1, n2)


def _n_step(value: Any, where: str) -> Schedule:
    n = whole_number(value, where)
    if n > MAX_LENGTH + 1:
        raise InputError(f"{where} is {quoted(str(n))}; give a whole number from 1 to {MAX_LENGTH + 1}")
    return Schedule.n_step(n)


def _constant(value: Any, where: str) -> Schedule:
    if not isinstance(value, dict) or not {"lambda"} <= set(value) <= {"lambda", "length"}:
        raise InputError(f'{where} must be {{"lambda": x}} or {{"lambda": x, "length": L}}, and nothing else')
    length = whole_number(value["length"], f"length in {where}") if "length" in value else None
    return Schedule.constant(unit_number(value["lambda"], f"λ in {where}"), length)


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where} is {describe(value)}; give a list of numbers")
    if len(value) > MAX_LENGTH + 1:
        raise InputError(f"{where} has {len(value)} entries; at most {MAX_LENGTH} are accepted")
    return value


_READERS: dict[str, Callable[[Any, str], Schedule]] = {
    "lambdas": _lambdas,
    "equal_weights": _equal_weights,
    "n_step": _n_step,
    "constant": _constant,
    "weights": _weights,
    "by_state": _by_state,
}
