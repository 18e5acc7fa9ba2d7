"""For which values of γ, λ or the ratio of steps mean dynamics are stable, asked of every algorithm alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from tdcert.analysis.robustness import NOT_EXACT
from tdcert.analysis.row import AlgorithmRow
from tdcert.theory.check.stable_values import Algebraic, Stretch
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.for_all_values import ForAllValues, Varied, for_all_values
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress

SYMBOLS = {Varied.GAMMA: "γ", Varied.LAMBDA: "λ", Varied.RATIO: "η"}
QUESTIONS = {
    Varied.GAMMA: "For which discounts γ are the mean dynamics stable?",
    Varied.LAMBDA: "For which constant λ are the mean dynamics stable?",
    Varied.RATIO: "For which ratios η of the later step sizes to the first are the mean dynamics stable?",
}
SHOWN = 6
"""Digits of a number in a sentence that is no short fraction."""
SHORT, LONG = 12, 48
"""Letters of a fraction, and of a polynomial, that a sentence shows."""
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class ForAllRow:
    """The answer about one algorithm: what was ``found``, or ``why`` there is nothing."""

    algorithm: str
    found: ForAllValues | None
    why: str = ""

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if self.found is None:
            return f"not known: {self.why}"
        symbol, domain, parts = SYMBOLS[self.found.varied], self.found.domain, self.found.stretches
        by = {answer: [one for one in parts if one.stable is answer] for answer in (True, False, None)}
        if not by[None] and not (by[True] and by[False]):
            said = f"stable for {'every' if by[True] else 'no'} {symbol} in {domain}"
        elif not by[None] and all(one.left == one.right for one in by[False]):
            said = f"stable for every {symbol} in {domain} other than {_values(by[False])}"
        elif not by[None]:
            said = f"stable for {symbol} in {_values(by[True])}, and for no other in {domain}"
        else:
            said = "; ".join(
                f"{word} for {symbol} in {_values(by[answer])}"
                for answer, word in ((True, "stable"), (False, "not stable"))
                if by[answer]
            )
        open_parts = "; ".join(f"not decided for {symbol} in {written(one)} ({one.why})" for one in by[None])
        ends = dict.fromkeys(end for one in parts for end in (one.left, one.right) if end is not None)
        roots = "; ".join(f"{shown(end)} is {_root(end)}" for end in ends if end.exact is None)
        return "; ".join(part for part in (said, open_parts, roots) if part)


@dataclass(frozen=True)
class ForAll:
    """What was asked of all algorithms: ``varied``, a ``note`` on what that means on the model, and the ``rows``."""

    varied: Varied
    note: str
    rows: tuple[ForAllRow, ...]

    @property
    def question(self) -> str:
        """The question in words."""
        return QUESTIONS[self.varied]


def shown(end: Algebraic) -> str:
    """A number in a sentence: a short fraction as it is, else its first digits."""
    if end.exact is not None and len(str(end.exact)) <= SHORT:
        return str(end.exact)
    context = Context(prec=SHOWN, rounding=ROUND_FLOOR)
    low, high = (context.divide(Decimal(x.numerator), Decimal(x.denominator)) for x in (end.low, end.high))
    return f"{low:f}…" if low == high else f"between {low:f} and {high.next_plus(context):f}"


def written(one: Stretch) -> str:
    """A stretch as an interval, or as a set of one value."""
    if one.left == one.right:
        return f"{{{shown(one.left)}}}"
    right = "∞" if one.right is None else shown(one.right)
    return f"{'[' if one.left_in else '('}{shown(one.left)}, {right}{']' if one.right_in else ')'}"


def _values(parts: Sequence[Stretch]) -> str:
    single = all(one.left == one.right for one in parts)
    *others, last = (shown(one.left) if single else written(one) for one in parts)
    return f"{', '.join(others)} and {last}" if others else last


def _root(end: Algebraic) -> str:
    """What an irrational number is a root of."""
    degree, terms = len(end.polynomial) - 1, list[str]()
    for k in range(degree, -1, -1):
        c = end.polynomial[k]
        if c:
            power = "" if k == 0 else "x" if k == 1 else f"x{str(k).translate(POWERS)}"
            size = "" if abs(c) == 1 and k else str(abs(c))
            terms.append(f"{'−' if c < 0 else '+' if terms else ''}{' ' if terms else ''}{size}{power}")
    said = " ".join(terms)
    return f"a root of {said}" if len(said) <= LONG else f"algebraic of degree {degree}"


def asked_for_all(
    model: Model,
    rows: Sequence[AlgorithmRow],
    varied: Varied,
    exact: bool,
    ratio: Fraction,
    on_progress: Progress,
) -> ForAll:
    """One answer for each algorithm of the rows; ``ratio``: of its later step sizes to the first."""
    classes, found = model.classes, list[ForAllRow]()
    by_label = {row.label: row for row in rows}
    for done, (label, row) in enumerate(by_label.items(), start=1):
        on_progress(done, len(by_label), f"all values of {SYMBOLS[varied]}")
        if not exact or len(classes) != 1:
            why = f"the behaviour chain has {len(classes)} recurrent classes; all values are asked about on one"
            found.append(ForAllRow(label, None, why if exact else NOT_EXACT))
            continue
        answer = for_all_values(model, row.algorithm, classes[0], varied, ratios_of(row.algorithm, ratio))
        found.append(ForAllRow(label, None, answer) if isinstance(answer, str) else ForAllRow(label, answer))
    proportions = varied is Varied.GAMMA and len({x for G in model.discounts for r in G.rows for x in r}) > 1
    note = "γ is the largest discount of the model; the others keep their proportion to it" if proportions else ""
    return ForAll(varied, note, tuple(found))
