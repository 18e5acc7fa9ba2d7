"""Trials of code that no Python can call: a file of questions is written, and a file of answers is judged.

Both are lines of JSON. The first line says what the file is, with an ``id`` that is made of all questions: answers
repeat it, so that they cannot be held against other questions. JSON has no infinities: they are the words "inf" and
"-inf", and what is not a number is null.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.trials.place import CodePlace
from tdcert.theory.errors import InputError

QUESTIONS, ANSWERS = "tdcert-rows/1", "tdcert-answers/1"
PRECISIONS = ("float64", "float32")
WORDS = {"inf": np.inf, "-inf": -np.inf}


@dataclass(frozen=True)
class Questions:
    """What code elsewhere is asked. ``about``: what every question is about; ``asked``: one dictionary for each."""

    about: Mapping[str, object]
    asked: Sequence[Mapping[str, object]]

    @cached_property
    def lines(self) -> Sequence[str]:
        """One for each question, numbered from 0."""
        return [json.dumps({"number": k, **in_json(one)}, allow_nan=False) for k, one in enumerate(self.asked)]

    def text(self) -> str:
        """The whole file."""
        head = {"format": QUESTIONS, "id": self.id, "questions": len(self.lines), **self.about}
        return "\n".join([json.dumps(head), *self.lines]) + "\n"

    @property
    def id(self) -> str:
        """Equal for equal questions alone."""
        return sha256("\n".join([json.dumps(self.about), *self.lines]).encode()).hexdigest()[:32]

    def write(self, file: str) -> None:
        """Writes the file whole or not at all. Raises :class:`InputError` where it cannot be written."""
        half = Path(f"{file}.{os.getpid()}.half")
        try:
            try:
                half.write_text(self.text(), encoding="ascii")
                os.replace(half, file)
            finally:
                half.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"'{file}' cannot be written ({error.strerror}); name another file with --rows") from None


@dataclass(frozen=True)
class Answers:
    """What a file answers: ``found[k]`` is the answer to question k. ``precision``: in which it was computed, where the
    file says so.
    """

    file: str
    found: Sequence[Mapping[str, object]]
    precision: str | None

    def array(self, number: int, name: str, shape: Sequence[int]) -> NDArray[np.float64]:
        """An output as an array. Raises :class:`InputError` where it is missing or has another shape."""
        where = f"line {line_of(number)} of '{self.file}'"
        if name not in self.found[number]:
            held = ", ".join(key for key in self.found[number] if key != "number") or "nothing"
            raise InputError(f"{where} has no '{name}', but {held}; write each output under its name")
        flat: list[float] = []
        if not _fits(self.found[number][name], shape, flat):
            asked = "×".join(map(str, shape)) or "one number"
            raise InputError(f"{where}: '{name}' is not a list of numbers of the shape {asked}; give it in that shape")
        return np.array(flat, dtype=np.float64).reshape(shape)


def elsewhere(file: str) -> CodePlace:
    """The place of code that is known by its answers alone."""
    return CodePlace("answers", file, None, file, "")


def line_of(number: int) -> int:
    """The line of a question in its file, and of its answer, counted from 1."""
    return number + 2


def _fits(value: object, shape: Sequence[int], flat: list[float]) -> bool:
    """Whether nested lists have the shape; their numbers are added to ``flat``."""
    if shape:
        return isinstance(value, list) and len(value) == shape[0] and all(_fits(x, shape[1:], flat) for x in value)
    if value is None or (isinstance(value, str) and value in WORDS):
        flat.append(nan if value is None else WORDS[str(value)])
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        flat.append(float(value))
    except OverflowError:  # an integer of more than 308 digits
        flat.append(np.inf if value > 0 else -np.inf)
    return True


def in_json(value: Any) -> Any:
    """Arrays as lists, infinities as words."""
    if isinstance(value, Mapping):
        return {str(key): in_json(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return in_json(value.tolist())
    if isinstance(value, list | tuple):
        return [in_json(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return "inf" if value > 0 else "-inf"
    return value


def read_answers(file: str, questions: Questions) -> Answers:
    """The answers in a file, in the order of the questions.

    Raises :class:`InputError` for a file that is not of this form, answers other questions, or leaves some out.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"the answers '{file}' cannot be read ({why}); give the file that your code wrote") from None
    lines = _objects(file, text)
    head = next(lines, {})
    if head.get("format") != ANSWERS:
        raise InputError(
            f'line 1 of \'{file}\' does not hold "format": "{ANSWERS}"; begin with that, and with the id of the rows'
        )
    if head.get("id") != questions.id:
        raise InputError(
            f"'{file}' answers the rows {head.get('id')!r}, and these options ask the rows '{questions.id}'; give "
            "the options that the rows were written with, or write them again with --rows"
        )
    precision = head.get("precision")
    if precision is not None and precision not in PRECISIONS:
        raise InputError(f"line 1 of '{file}' has precision = {precision!r}; give one of {', '.join(PRECISIONS)}")
    found = []
    for number, one in enumerate(lines):
        if number == len(questions.asked):
            raise InputError(f"'{file}' has more answers than the {number:,} questions; answer each once, in order")
        if one.get("number") != number:
            raise InputError(
                f"line {line_of(number)} of '{file}' is number {one.get('number')!r} where {number} is due; answer "
                "each question once, in order"
            )
        found.append(one)
    if len(found) < len(questions.asked):
        raise InputError(
            f"'{file}' ends after {len(found):,} of {len(questions.asked):,} answers, so nothing is decided; answer "
            "each question"
        )
    return Answers(file, found, None if precision is None else str(precision))


def _objects(file: str, text: str) -> Iterator[dict[str, object]]:
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError(f"line {number} of '{file}' is not an object of JSON; write one on each line")
        yield found
