"""What relation witnesses are written in, as mathematics: ``(Phiᵀ D)``, ``w:1``, ``E_mu[rho:0 | s_0 = 1]``.

The text is the one of ``tdcert.theory.expressions.relations.written``; anything else is no expression and stays text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup

from tdcert.reports import mathml
from tdcert.reports.labels import LETTERS, step_of

LONGEST = 600
"""Characters; a longer expression is nothing to read."""

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<along>along (?P<path>\d+(?:→\d+)*))|(?P<number>\d+(?:/\d+)?)"
    r"|(?P<name>[A-Za-z]+)(?:_(?P<of>[a-z]+|\d+)|:(?P<step>\d{1,6}))?"
    r"|\^(?P<power>\d{1,6})|(?P<transposed>ᵀ)|(?P<sign>[-−+·=≠<≤>≥|,()\[\]])"
)
_VALUE = re.compile(r"[-\d/\[\], ]+")
_TUPLE = re.compile(r"\(-?\d+(/\d+)?(, -?\d+(/\d+)?)*\)")
_RHO = {"zrho": "z", "Grho": "G"}


def expression(text: str) -> Markup | None:
    """MathML content, or None for what is no expression."""
    if len(text) > LONGEST:
        return None
    text = _unwrapped(text)
    parts: list[Markup] = []
    end = 0
    while end < len(text):
        token = _TOKEN.match(text, end)
        if token is None:
            return None
        end = token.end()
        if token["power"] or token["transposed"]:
            if not parts:
                return None
            raised = Markup("<mn>{}</mn>").format(token["power"]) if token["power"] else Markup("<mi>T</mi>")
            parts[-1] = Markup("<msup><mrow>{}</mrow>{}</msup>").format(parts[-1], raised)
        elif token["along"]:
            parts.append(Markup("<mtext> along {}</mtext>").format(token["path"]))
        elif token["number"]:
            parts.append(mathml.number(token["number"]))
        elif token["name"]:
            parts.append(_name(token["name"], token["of"], token["step"]))
        elif token["sign"]:
            sign = token["sign"].replace("-", "−")
            parts.append(Markup('<mo stretchy="false">{}</mo>').format(sign))
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts)) if parts else None


def value(item: Any) -> Markup | None:
    """A rational, a list of them, or ``[[1], [1/2]]`` or ``(1, 1/2)`` as text, as MathML content; else None."""
    if isinstance(item, str) and _TUPLE.fullmatch(item):
        entries = [mathml.number(entry) for entry in item[1:-1].split(", ")]
        return Markup("<mrow><mo>(</mo>{}<mo>)</mo></mrow>").format(Markup("<mo>,</mo>").join(entries))
    if isinstance(item, str) and item.startswith("[") and _VALUE.fullmatch(item):
        try:
            item = json.loads(re.sub(r"-?\d+(?:/\d+)?", lambda found: f'"{found[0]}"', item))
        except ValueError:
            return None
    if isinstance(item, str | int) and not isinstance(item, bool):
        return mathml.number(item) if re.fullmatch(r"-?\d+(/\d+)?", str(item)) else None
    if not isinstance(item, list | tuple) or not item:
        return None
    rows = [row if isinstance(row, list | tuple) else [row] for row in item]
    entries = [x for row in rows for x in row]
    regular = all(len(row) == len(rows[0]) for row in rows) and 0 < len(entries) <= mathml.LARGEST_SHOWN
    if not regular or any(isinstance(x, list | tuple | dict) or value(x) is None for x in entries):
        return None
    return mathml.matrix(rows)


def _name(name: str, of: str | None, step: str | None) -> Markup:
    letter = _RHO.get(name, LETTERS.get(name, name))
    upright = Markup(' mathvariant="normal"') if len(letter) > 1 else Markup("")
    made = Markup("<mi{}>{}</mi>").format(upright, letter)
    below = LETTERS.get(of, of) if of else step_of(name, step) if step else ""
    above = Markup("<mi>ρ</mi>") if name in _RHO else Markup("")
    if below and above:
        return Markup("<msubsup>{}<mn>{}</mn>{}</msubsup>").format(made, below, above)
    if below:
        return Markup("<msub>{}<mn>{}</mn></msub>").format(made, below)
    return Markup("<msup>{}{}</msup>").format(made, above) if above else made


def _unwrapped(text: str) -> str:
    """Without the brackets around the whole."""
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]
