"""LaTeX as plain text, for terminals. A command that is not known here is printed with its backslash."""

from __future__ import annotations

import re

from latex2mathml.symbols_parser import convert_symbol

from tdcert.reports.labels import LETTERS, step_of

_NUMBERED = re.compile(r"(?<![\w:])(R|gamma|rho|phi|v|delta|z|lambda|c|w|Lambda):(\d{1,6})\b")
_PLAIN = {
    r"\phi": "φ",
    r"\epsilon": "ε",
    r"\sum": "Σ",
    r"\top": "ᵀ",
    r"\cdots": "…",
    r"\sqrt": "√",
    r"\iff": "⇔",
    r"\implies": "⇒",
    r"\sim": "∼",
    r"\mid": "|",
    **dict.fromkeys((r"\ ", r"\,", r"\;", r"\:", r"\quad", r"\qquad"), " "),
    **dict.fromkeys((r"\!", r"\left", r"\right", r"\text", r"\operatorname", r"\textstyle", r"\displaystyle"), ""),
    **dict.fromkeys((r"\mathrm", r"\mathbf", r"\mathbb", r"\mathcal"), ""),
}
"""Commands that are written otherwise in a terminal than the library's table of symbols has them."""
WORDS = frozenset(
    ["max", "min", "log", "exp", "det", "sup", "inf", "lim", "limsup", "Re", "Im", "Var", "Cov", "ker", "dim"]
)
"""LaTeX commands that read as they are called."""
_ACCENTS = {"dot": "\u0307", "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
_RAISED = str.maketrans("-0123456789T", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ")


def plain(text: object) -> str:
    """``$LaTeX$`` and numbered names such as ``lambda:1`` as readable plain text; other text unchanged."""
    made = re.sub(r"\$([^$]+)\$", lambda match: _plain_math(match[1]), str(text))
    return _NUMBERED.sub(lambda match: f"{LETTERS.get(match[1], match[1])}_{step_of(match[1], match[2])}", made)


_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
"""Braces, with two levels of braces in them."""
_FRACTION = re.compile(rf"\\[tdc]?frac\s*(?:{_GROUP}\s*{_GROUP}|(\d)(\d|\\[A-Za-z]+))")


def _plain_math(latex: str) -> str:
    text = re.sub(r"\\begin\{\w*matrix\}(.*?)\\end\{\w*matrix\}", _plain_matrix, latex, flags=re.DOTALL)
    while (made := _FRACTION.sub(_plain_fraction, text)) != text:  # a fraction may stand in another one
        text = made
    accented = rf"\\({'|'.join(_ACCENTS)})(?![A-Za-z])\s*(?:\{{([^{{}}]*)\}}|(\\[A-Za-z]+|\w))"
    text = re.sub(accented, lambda match: (match[2] or match[3]) + _ACCENTS[match[1]], text)
    text = re.sub(r"\\([A-Za-z]+|.)", _plain_command, text)
    text = re.sub(r"\^(?:\{(-?\d+|T|ᵀ)\}|(\d|T|ᵀ)(?!\w))", lambda m: (m[1] or m[2]).translate(_RAISED), text)
    text = text.replace("^*", "*")
    return " ".join(re.sub(r"\{([^{}]?)\}", r"\1", text).split())


def _plain_command(match: re.Match[str]) -> str:
    if match[1] in WORDS or match[0] in _PLAIN:
        return _PLAIN.get(match[0], match[1])
    code = convert_symbol(match[0])
    return match[0] if code is None else chr(int(code, 16))


_ONE_FACTOR = re.compile(r"(\d+|[A-Za-z]|\\[A-Za-z]+)([_^]\w)*")


def _plain_fraction(match: re.Match[str]) -> str:
    above, below = (match[1], match[2]) if match[3] is None else (match[3], match[4])
    above = f"({above})" if re.search(r"\S\s*[-+]", above) else above
    return f"{above}/{below}" if _ONE_FACTOR.fullmatch(below.strip()) else f"{above}/({below})"


def _plain_matrix(match: re.Match[str]) -> str:
    rows = [" , ".join(cell.strip() for cell in row.split("&")) for row in match[1].split(r"\\") if row.strip()]
    return "[" + " ; ".join(rows) + "]"
