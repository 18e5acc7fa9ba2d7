"""Text and numbers as safe HTML: ``$LaTeX$`` and matrices become MathML, everything else is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

from tdcert.reports.labels import LETTERS, step_of
from tdcert.reports.numbers import shortened
from tdcert.theory.expressions.relations import written

LARGEST_SHOWN = 64
"""Numbers in the largest matrix, or model, that is written out."""

# The third form is a numbered name of an expression, such as lambda:1; the fourth a letter with an index, such as λ_1.
_INLINE = re.compile(
    r"\$([^$]+)\$|`([^`]+)`|(?<![\w:])(R|gamma|rho|phi|v|delta|z|lambda|c|w|Lambda):(\d{1,6})\b"
    r"|(?<![A-Za-z0-9_.])([A-Za-zα-ωΑ-Ω])_(\d+|[a-z]|\{[-−+\w, ]{1,20}\})(?![\w.^])"
)
_UNBROKEN, _PIECE = 28, 10
"""Letters of the longest formula that is left whole, and of the least piece of a longer one."""
_BREAKS = frozenset("=≠≈<>≤≥≮≰≺≻⪯⪰∈→⇒⇔≡+−-↦∑∼")
_OPENING = frozenset("([·|")
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
# Brackets stretch around a table only where a mathematics font is installed: the style sheet draws them.
_FENCED = re.compile(
    r"<mo[^>]*>(?:&#x00028;|&#x0005B;)</mo><mtable>((?:(?!</?mtable).)*)</mtable>"
    r"<mo[^>]*>(?:&#x00029;|&#x0005D;)</mo>"
)
_ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "math mrow mi mn mo ms mtext mspace mstyle mpadded mphantom menclose mfrac msqrt mroot mtable mtr mtd mfenced "
        "msub msup msubsup munder mover munderover mmultiscripts mprescripts none",
    )
)
_SYMBOL = re.compile(
    r"([A-Za-zα-ωΑ-Ω]|alpha|beta|gamma|Gamma|delta|eta|theta|kappa|lambda|Lambda|mu|pi|rho|phi|Phi)(?:_(\d+|[a-z]))?"
)
_FORM = re.compile(r"(?:[A-Za-zα-ωΑ-Ω]|ᵀ|⁻¹)*ᵀ(?:[A-Za-zα-ωΑ-Ω]|ᵀ|⁻¹)*")
_DECIMAL = re.compile(r"−?\d+\.\d+(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_LONGEST = 600
"""Letters of the longest expression that is written as mathematics."""
_RHO = {"zrho": "z", "Grho": "G"}
_NUMBER = re.compile(r"(-?)(\d+)(?:/(\d+))?")


def rich_text(text: object) -> Markup:
    """Escaped text in which ``$…$`` and numbered names such as ``w:1`` are MathML and `` `…` `` is code."""
    made, end = Markup(""), 0
    source = str(text)
    for match in _INLINE.finditer(source):
        made += escape(source[end : match.start()])
        if match[1]:
            made += breakable(math(match[1]))
        elif match[2]:
            made += Markup("<code>{}</code>").format(match[2])
        elif match[5]:
            made += math(f"{match[5]}_{{{match[6].strip('{}')}}}")
        else:
            made += math(f"{LETTERS.get(match[3], match[3])}_{{{step_of(match[3], match[4])}}}")
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


@lru_cache(maxsize=4096)
def breakable(formula: Markup) -> Markup:
    """A long ``<math>`` as several, between which a line may end: no browser breaks the lines of one.

    It is parted before relations and sums, after commas, and at need before brackets; tables, fractions and indices
    stay whole.
    """
    if not formula.startswith("<math"):
        return formula
    tree = ElementTree.fromstring(formula)
    parts = list(_unnested(tree))
    if len("".join(tree.itertext())) <= _UNBROKEN:
        return formula
    pieces: list[list[ElementTree.Element]] = [[]]
    letters = 0
    for before, part in zip([None, *parts], parts, strict=False):
        sign = part.text if part.tag == "mo" else ""
        after_comma = before is not None and before.tag == "mo" and before.text == ","
        if (letters >= _PIECE and (sign in _BREAKS or after_comma)) or (letters >= 2 * _PIECE and sign in _OPENING):
            if sign in _BREAKS:
                part.set("form", "infix")  # at the beginning of a row it would be read as a sign of its own
            pieces.append([])
            letters = 0
        pieces[-1].append(part)
        letters += len("".join(part.itertext()))
    opening = Markup("<math{}>").format(Markup(' display="inline"') if "display" in tree.attrib else "")
    made = (Markup("").join(Markup(ElementTree.tostring(part, "unicode")) for part in piece) for piece in pieces)
    return Markup("<wbr>").join(opening + Markup("<mrow>{}</mrow></math>").format(piece) for piece in made)


def _unnested(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """The parts of a row, rows inside of it opened."""
    for child in element:
        if child.tag == "mrow" and not child.attrib:
            yield from _unnested(child)
        else:
            yield child


def symbol(name: object) -> Markup:
    """A name such as ``lambda_1`` or ``w`` as the letter it stands for; other names as text."""
    match = _SYMBOL.fullmatch(str(name))
    if not match:
        if _FORM.fullmatch(str(name)):
            return math(str(name).replace("ᵀ", "^{T}").replace("⁻¹", "^{-1}"))
        return rich_text(name)
    letter = match[1] if len(match[1]) == 1 else "\\" + match[1]
    return math(letter + (f"_{{{match[2]}}}" if match[2] else ""))


def is_symbol(name: object) -> bool:
    """Whether :func:`symbol` shows the name as mathematics."""
    return bool(_SYMBOL.fullmatch(str(name)) or _FORM.fullmatch(str(name)))


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
    """A matrix, or a column where the entries are not lists, as MathML content."""
    table = [row if isinstance(row, list | tuple) else [row] for row in rows]
    if len(table) == len(table[0]) == 1:
        return number(table[0][0])
    body = Markup("").join(
        Markup("<mtr>{}</mtr>").format(Markup("").join(Markup("<mtd>{}</mtd>").format(number(x)) for x in row))
        for row in table
    )
    return Markup('<mtable class="matrix">{}</mtable>').format(body)


def has_value(item: Any) -> bool:
    """Whether :func:`value` can write it: a rational string, or a list or a table of at most 64 of them."""
    if isinstance(item, str | int):
        return not isinstance(item, bool) and _NUMBER.fullmatch(str(item)) is not None
    if not isinstance(item, list | tuple) or not item:
        return False
    rows = [row if isinstance(row, list | tuple) else [row] for row in item]
    entries = [x for row in rows for x in row]
    regular = all(len(row) == len(rows[0]) for row in rows) and 0 < len(entries) <= LARGEST_SHOWN
    return regular and all(isinstance(x, str | int) and has_value(x) for x in entries)


def value(item: Any) -> Markup:
    """A rational, or a list or a table of them, as MathML content; anything else, and large tables, as text."""
    if not has_value(item):
        return Markup("<mtext>{}</mtext>").format(shortened(str(item)))
    return matrix(item) if isinstance(item, list | tuple) else number(item)


def expression(part: object) -> Markup:
    """An expression of relations (docs/certificates.md) as MathML content; a very long one as text."""
    text = written(part)
    if len(text) > _LONGEST:
        return Markup("<mtext>{}</mtext>").format(text)
    parts = list(_parts(part))
    outer = isinstance(part, tuple) and (part[0] in ("+", "@", "*") or (part[0] == "-" and len(part) == 3))
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts[1:-1] if outer else parts))


def _parts(part: object) -> Iterator[Markup]:
    """The signs, letters and numbers of an expression, in the order in which it is written."""
    if not isinstance(part, tuple | list):
        text = str(part)
        if text.startswith("-"):
            yield _sign("−")
        bare = text.removeprefix("-")
        if bare:
            yield number(bare) if bare[0].isdigit() else _name(bare)
        return
    head, *rest = part
    if head in ("+", "@", "*") or (head == "-" and len(rest) == 2):
        yield from _enclosed("(", rest, {"@": "", "*": "·", "-": "−", "+": "+"}[head], ")")
    elif head == "-":
        yield _sign("−")
        yield from _parts(rest[0])
    elif head in ("T", "^"):
        *before, last = _parts(rest[0])
        raised = Markup("<mi>T</mi>") if head == "T" else Markup("<mn>{}</mn>").format(rest[1])
        yield from before
        yield Markup("<msup><mrow>{}</mrow>{}</msup>").format(last, raised)
    elif head in ("over", "beside"):
        yield from _enclosed(*(("[", rest, ";", "]") if head == "over" else ("", rest, ",", "")))
    elif head == "E":
        policy, start, _, inner = rest
        yield _name(f"E_{policy}")
        yield _sign("[")
        yield from _parts(inner)
        if start != "d":
            yield from (_sign("|"), _name("s_0"), _sign("="), number(start + 1))
        yield _sign("]")
    elif head == "on":
        yield from _parts(rest[1])
        yield Markup("<mtext> along {}</mtext>").format("→".join(str(s + 1) for s in rest[0].states))
    else:
        yield _name(head)
        yield from _enclosed("(", rest, ",", ")")


def _enclosed(opening: str, parts: Sequence[object], between: str, closing: str) -> Iterator[Markup]:
    """The parts between signs; an empty sign is none."""
    for k, part in enumerate(parts):
        sign = between if k else opening
        if sign:
            yield _sign(sign)
        yield from _parts(part)
    if closing:
        yield _sign(closing)


def _sign(sign: str) -> Markup:
    return Markup('<mo stretchy="false">{}</mo>').format(sign)


def _name(text: str) -> Markup:
    """A name such as ``w:1``, ``P_mu`` or ``zrho:3`` as the paper's letter with its index."""
    name, mark, index = text.partition(":") if ":" in text else text.partition("_")
    letter = _RHO.get(name, LETTERS.get(name, name))
    made = Markup("<mi{}>{}</mi>").format(Markup(' mathvariant="normal"') if len(letter) > 1 else "", letter)
    below = step_of(name, index) if mark == ":" and index.isdecimal() else LETTERS.get(index, index)
    above = Markup("<mi>ρ</mi>") if name in _RHO else Markup("")
    if below and above:
        return Markup("<msubsup>{}<mn>{}</mn>{}</msubsup>").format(made, below, above)
    if below:
        return Markup("<msub>{}<mn>{}</mn></msub>").format(made, below)
    return Markup("<msup>{}{}</msup>").format(made, above) if above else made


def equation(left: str, right: Markup, relation: str = "=") -> Markup:
    """``left = right`` with LaTeX on the left and MathML content on the right."""
    return formula(content(math(left)), right, relation)


def formula(left: Markup, right: Markup, relation: str = "=") -> Markup:
    """``left = right`` with MathML content on both sides, as a line of its own."""
    whole = Markup("<math><mrow>{}<mo>{}</mo>{}</mrow></math>").format(left, relation, right)
    return Markup('<div class="equation">{}</div>').format(breakable(whole))


def content(inline: Markup) -> Markup:
    """What stands inside an inline ``<math>``."""
    return Markup(str(inline).removeprefix('<math display="inline">').removesuffix("</math>"))


def model_equations(model: Mapping[str, Any]) -> list[Markup]:
    """A canonical model as equations; empty where it is too large to be written out."""
    return [
        equation(left, matrix(value) if isinstance(value, list) else number(value))
        for left, value in model_parts(model)
    ]


def model_parts(model: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The parts of a canonical model, each value once, by the LaTeX of their name; empty above so many numbers."""
    parts: list[tuple[str, Any]] = []
    actions = list(model["actions"])
    discount = model["discount"]
    by_action = [("P", model["transitions"]), ("r", model["rewards"])]
    by_action += [(r"\Gamma", discount)] if isinstance(discount, dict) else []
    for letter, values in by_action:
        for value in _distinct(values[name] for name in actions):
            sharing = [k for k, name in enumerate(actions, start=1) if values[name] == value]
            every = len(sharing) == len(actions)
            parts.append((letter if every else " = ".join(f"{letter}_{{{k}}}" for k in sharing), value))
    if not isinstance(discount, dict):
        parts.append((r"\gamma", discount))
    parts.append((r"\Phi", model["features"]))
    if len(actions) > 1:
        shared = model["behaviour"] == model["target"]
        parts.append((r"\mu = \pi" if shared else r"\mu", model["behaviour"]))
        parts += [] if shared else [(r"\pi", model["target"])]
    schedule = model["schedule"]
    lambdas = schedule.get("lambdas", ())
    parts += [(rf"\lambda_{{{j}}}", value) for j, value in enumerate(lambdas, start=1)]
    if "by_state" in schedule:
        parts.append((r"\lambda(s)", schedule["by_state"]))
    elif not lambdas:
        parts.append((r"\lambda_j", schedule["constant"]["lambda"] if "constant" in schedule else "0"))
    return [] if sum(_count(value) for _, value in parts) > LARGEST_SHOWN else parts


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1
