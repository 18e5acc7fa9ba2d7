"""Text and numbers as safe HTML: ``$LaTeX$`` and matrices become MathML, everything else is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

from reports.numbers import shortened

_INLINE = re.compile(r"\$([^$]+)\$|`([^`]+)`")
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
# Brackets stretch around a table only where a mathematics font is installed: the style sheet draws them.
_FENCED = re.compile(
    r"<mo[^>]*>(?:&#x00028;|&#x0005B;)</mo><mtable>((?:(?!</?mtable).)*)</mtable>"
    r"<mo[^>]*>(?:&#x00029;|&#x0005D;)</mo>"
)
_ELEMENTS = frozenset(
    [
        *(
            "math",
            "mrow",
            "mi",
            "mn",
            "mo",
            "ms",
            "mtext",
            "mspace",
            "mstyle",
            "mpadded",
            "mphantom",
            "menclose",
        ),
        *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none"),
        *("mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mfenced"),
    ]
)
_SYMBOL = re.compile(
    r"([A-Za-z]|alpha|beta|gamma|Gamma|delta|eta|theta|kappa|lambda|Lambda|mu|pi|rho|phi|Phi)(?:_(\d+|[a-z]))?"
)
_DECIMAL = re.compile(r"−?\d+\.\d+(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_NUMBER = re.compile(r"(-?)(\d+)(?:/(\d+))?")


def rich_text(text: object) -> Markup:
    """Escaped text in which ``$…$`` is MathML and `` `…` `` is code."""
    made, end = Markup(""), 0
    source = str(text)
    for match in _INLINE.finditer(source):
        made += escape(source[end : match.start()])
        made += math(match[1]) if match[1] else Markup("<code>{}</code>").format(match[2])
        end = match.end()
    return made + escape(source[end:])


@lru_cache(maxsize=4096)
def math(latex: str) -> Markup:
    """LaTeX as inline MathML; what cannot be converted is shown as it was written."""
    try:
        xml = convert(latex)
        tree = ElementTree.fromstring(xml)
    except Exception:  # a converter's error must not cost the report
        return Markup("<code>{}</code>").format(latex)
    for element in tree.iter():
        name = element.tag.removeprefix("{http://www.w3.org/1998/Math/MathML}")
        if name not in _ELEMENTS or any(key == "href" or key.startswith("on") for key in element.attrib):
            return Markup("<code>{}</code>").format(latex)
    return Markup(_FENCED.sub(r'<mtable class="matrix">\1</mtable>', xml.replace(_NAMESPACE, "", 1)))


def symbol(name: object) -> Markup:
    """A name such as ``lambda_1`` or ``w`` as the letter it stands for; other names as text."""
    match = _SYMBOL.fullmatch(str(name))
    if not match:
        return rich_text(name)
    letter = match[1] if len(match[1]) == 1 else "\\" + match[1]
    return math(letter + (f"_{{{match[2]}}}" if match[2] else ""))


def number(value: object) -> Markup:
    """A rational string, or a decimal, as MathML content."""
    text = str(value)
    if _DECIMAL.fullmatch(text):
        return Markup("<mn>{}</mn>").format(text)
    match = _NUMBER.fullmatch(text)
    if not match or len(text) > 60:
        return Markup("<mtext>{}</mtext>").format(shortened(text, 24))
    made = Markup("<mo>−</mo>") if match[1] else Markup("")
    made += Markup("<mn>{}</mn>").format(match[2])
    if match[3]:
        made += Markup('<mo lspace="0" rspace="0">/</mo><mn>{}</mn>').format(match[3])
    return Markup("<mrow>{}</mrow>").format(made)


def matrix(rows: Sequence[Any]) -> Markup:
    """A matrix, or a column where the entries are no lists, as MathML content."""
    table = [row if isinstance(row, list | tuple) else [row] for row in rows]
    if len(table) == len(table[0]) == 1:
        return number(table[0][0])
    body = Markup("").join(
        Markup("<mtr>{}</mtr>").format(
            Markup("").join(Markup("<mtd>{}</mtd>").format(number(x)) for x in row)
        )
        for row in table
    )
    return Markup('<mtable class="matrix">{}</mtable>').format(body)


def equation(left: str, right: Markup, relation: str = "=") -> Markup:
    """``left = right`` with LaTeX on the left and MathML content on the right."""
    inner = str(math(left)).removeprefix('<math display="inline">').removesuffix("</math>")
    return Markup('<div class="equation"><math><mrow>{}<mo>{}</mo>{}</mrow></math></div>').format(
        Markup(inner), relation, right
    )


def model_equations(model: Mapping[str, Any], largest: int = 64) -> list[Markup]:
    """A canonical model as equations; empty where more than ``largest`` numbers would be shown."""
    parts: list[tuple[str, Any]] = []
    actions = list(model["actions"])
    for name in actions:
        index = "" if len(actions) == 1 else rf"_{{{actions.index(name) + 1}}}"
        parts.append((f"P{index}", model["transitions"][name]))
        parts.append((f"r{index}", model["rewards"][name]))
        if isinstance(model["discount"], dict):
            parts.append((rf"\gamma{index}", model["discount"][name]))
    if not isinstance(model["discount"], dict):
        parts.append((r"\gamma", model["discount"]))
    parts.append((r"\Phi", model["features"]))
    if len(actions) > 1:
        parts += [(r"\mu", model["behaviour"]), (r"\pi", model["target"])]
    schedule = model["schedule"]
    if "constant" in schedule:
        parts.append((r"\lambda_j", schedule["constant"]["lambda"]))
    else:
        for j, value in enumerate(schedule["lambdas"], start=1):
            parts.append((rf"\lambda_{{{j}}}", value))
    if sum(_count(value) for _, value in parts) > largest:
        return []
    return [
        equation(left, matrix(value) if isinstance(value, list) else number(value)) for left, value in parts
    ]


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1
