"""What a comparison of schedules says in sentences, against numbers that are computed anew for every schedule.

Errors, bounds, stability, rates and E‖z‖² come from ``plain_models``; asymptotic variances are those of the rows, which
``test_second_moments`` and ``test_schedule_comparison`` check.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.analysis.advice.answer import NAMED, answer
from tdcert.analysis.advice.compare_schedules import compare
from tdcert.analysis.advice.compared_schedules import Compared
from tests.analysis.plain_models import Plain, Rows, drawn, rank, solved, times, turned
from tests.analysis.test_warnings import numbers_of
from tests.analysis.test_warnings_decided import dynamics, floats, real_parts

F = Fraction
SHORT = (8, 25, 40, 46)
"""Seeds of models that take little time."""
LONG = range(2_000, 2_100)
TIGHT = 1e-12

NAMES = r"(?P<names>.+?)"
NUMBER = r"\d[\d.,]*(?:e[+-]?\d+)?"
WINNER = re.compile(
    rf"(Of the \d+ of \d+ for which it is known, )?([Oo]ne of )?{NAMES}(, which the errors[^,]*,)? ha(s|ve) the "
    r"(?P<what>[^:]+)(: (?P<effect>.+))?\.$"
)
RECOMMENDED = re.compile(
    r"(?P<matters>Recommended: )?.*"
    rf"(root mean square error that is (?P<above>more than )?(?P<gain>{NUMBER}) %|nothing to change|not stable, and).*"
)


@dataclass(frozen=True)
class Numbers:
    """One schedule's; None where there is no such number."""

    name: str
    error: Fraction | None
    bound: Fraction | None
    td: str | None
    abscissa: Any
    trace: Fraction | None


def numbers(plain: Plain, row: Compared) -> Numbers:
    schedule = row.candidate.schedule
    plain = replace(plain, lambdas=schedule.lambdas, tail=schedule.tail)
    states = plain.classes[0]
    if not plain.has_sum:
        return Numbers(row.name, None, None, None, None, None)
    keys = plain.keys(states, plain.pi)
    assert keys is not None
    d = plain.law(states)
    system, r = plain.value_system
    V = solved(system, r)

    # independent columns on the class, one after another
    columns: list[int] = []
    for j in range(plain.d):
        if rank([[plain.Phi[s][k] for k in (*columns, j)] for s in states]) > len(columns):
            columns.append(j)
    basis = replace(plain, Phi=[[row[j] for j in columns] for row in plain.Phi]) if columns else None
    error = bound = None
    if V is not None:
        fitted = reached = None
        if basis is None:
            fitted = [[F(0)]] * plain.n
            reached = fitted
        else:
            inner = basis.keys(states, basis.pi)
            assert inner is not None
            best = solved(inner[2], times(turned(basis.Phi), [[d[s] * V[s][0]] for s in range(plain.n)]))
            assert best is not None
            fitted = times(basis.Phi, best)
            theta = solved(inner[0], [[-x for x in line] for line in inner[1]])
            reached = None if theta is None else times(basis.Phi, theta)

        def square(y: Rows) -> Fraction:
            return sum((d[s] * (V[s][0] - y[s][0]) ** 2 for s in states), F(0))

        error = None if reached is None else square(reached)
        gamma = max(x for rows in plain.G for line in rows for x in line)
        c = plain.weights()
        if plain.tail:
            kappa = None if plain.tail * gamma == 1 else (1 - plain.tail) * gamma / (1 - plain.tail * gamma)
        else:
            weights = enumerate((x - y for x, y in zip(c, [*c[1:], F(0)], strict=True)), start=1)
            kappa = sum((w * gamma**k for k, w in weights), F(0))
        if all(plain.mu[s] == plain.pi[s] for s in states) and kappa is not None and kappa < 1:
            bound = square(fitted) / (1 - kappa * kappa)
    state = next(iter(dynamics(plain, states).values()))
    zeros = plain.d - len(columns)
    abscissa = max(sorted(real_parts(keys[0]), key=abs)[zeros:], default=0.0)
    return Numbers(row.name, error, bound, state, abscissa, trace(plain, states))


def trace(plain: Plain, states: list[int]) -> Fraction | None:
    """E ‖z‖², where paths are few or there is no end and it is finite."""
    if not plain.tail:
        return plain.trace_square(states) if len(plain.lambdas) <= 2 else None
    inside = plain.reached(states)
    squared = floats(plain.ratio_kernel(2))[np.ix_(inside, inside)]
    finite = not inside or float(plain.tail) ** 2 * np.abs(np.linalg.eigvals(squared)).max() < 1 - 1e-6
    return plain.endless_trace_square(states) if finite else None


def listed(names: str, all_of_them: list[str]) -> tuple[set[str], int]:
    """The names that a sentence lists, and how many it only counts."""
    more = re.search(r" and (\d+) more$", names)
    if more:
        names = names[: more.start()]
    found = {name for name in all_of_them if re.search(rf"(^|, | and ){re.escape(name)}($|, | and )", names)}
    return found, int(more.group(1)) if more else 0


def wrong_sentences(plain: Plain, counts: Counter[str]) -> list[str]:
    rows = compare(numbers_of(plain.built())).rows
    if not rows:
        return []
    known = [numbers(plain, row) for row in rows]
    wrong = []
    for row, own in zip(rows, known, strict=True):
        for what, given, right in (("error", row.error, own.error), ("bound", row.bound, own.bound)):
            if (given is None) != (right is None) or (given and not given.lower == right == given.upper):
                wrong.append(f"{row.name}: {what} is {given}, not {right}")
        square = row.trace_square
        if own.trace is not None and (square is None or not square.lower <= own.trace <= square.upper):
            wrong.append(f"{row.name}: E‖z‖² is {square}, not {own.trace}")
        counts["traces"] += own.trace is not None
    for sentence in answer(rows):
        kind, true = judged(sentence, rows, known)
        counts[kind] += 1
        if not true:
            wrong.append(sentence)
    return wrong


def judged(sentence: str, rows: tuple[Compared, ...], known: list[Numbers]) -> tuple[str, bool]:
    """The kind of a sentence, and whether it is true."""
    asked = [own for own in known if own.td is not None]
    stable = [own for own in asked if own.td and own.td.startswith("stable")]
    errors = [own.error for own in known if own.error is not None]
    said = re.match(r"(TD|Off-policy TD) is stable with (each of the|\w+ of) (\d+) schedules", sentence)
    if said:
        count = said.group(2).removesuffix(" of")
        right = int(count) if count.isdigit() else 0 if count == "none" else len(asked)
        named = dict.fromkeys(re.findall(r", (unstable|marginal|undecided) with", sentence))
        kinds = {own.td for own in asked} - {"stable", "stable_modulo_null_space"}
        return "stability", (len(stable), len(asked)) == (right, int(said.group(3))) and set(named) == kinds
    if "Over 40,000 steps" in sentence or sentence.startswith(("Recommended", "No schedule is")):
        return "recommended", recommended(sentence, rows, known)
    if sentence.startswith("The features can write"):
        count = re.search(r"each of the (\d+)", sentence)
        return "no error", not any(errors) and count is not None and int(count.group(1)) == len(errors)
    if sentence.startswith("The error bound applies to none"):
        return "no bound", all(own.bound is None for own in known)
    if sentence.startswith("The asymptotic variance is 0"):
        return "no variance", all(row.variance.upper == 0 for row in rows if row.variance)
    if sentence.startswith("Of averages over T steps"):
        return "trade", traded(sentence, rows, known)
    equal = re.match(r"(All|Of the) .*are equal in this: (?P<what>.+)\.$", sentence)
    winner = WINNER.match(sentence)
    found = equal or winner
    assert found, sentence
    what = found.group("what")
    for start, of in (
        ("smallest error bound", [(own.name, own.bound) for own in known]),
        ("fixed point nearest", [(own.name, own.error) for own in known]),
        ("fastest mean dynamics", [(own.name, own.abscissa if own in stable else None) for own in known]),
        ("smallest asymptotic variance", [(r.name, None if r.variance is None else r.variance.upper) for r in rows]),
    ):
        if what.startswith(start):
            values = {name: value for name, value in of if value is not None}
            least = min(values.values())
            rates = start == "fastest mean dynamics"  # the others are exact, or balls of 320 bits
            apart = TIGHT if rates else 0
            near = {name for name, x in values.items() if x - least <= apart * max(abs(x), abs(least))}
            if equal:
                return start, near == set(values)
            assert winner
            names, more = listed(winner.group("names"), list(values))
            one_of = winner.group(2) is not None
            complete = len(names) + more == len(near) if not one_of else len(names) + more >= len(near)
            if winner.group("effect"):
                (best,) = names
                mine = rows[0].name if rows[0].name != best else ""
                other = values[mine] if mine in values else sorted(values.values())[1]
                if not effect_is(winner.group("effect"), start, values[best], other):
                    return start, False
            return start, names <= near and (complete or rates) and (not more or len(names) == NAMED)
    raise AssertionError(sentence)


def effect_is(said: str, start: str, best: Any, other: Any) -> bool:
    """Whether the effect size that is printed is that of two numbers, to the digits printed."""
    ratio = float(best) / float(other)
    if start != "smallest asymptotic variance" and not start.startswith("fastest"):
        ratio = ratio**0.5
    part = re.match(rf"({NUMBER}) (%|times)", said)
    if part is None:
        return bool(best == 0)
    printed = float(part.group(1))
    wanted = 100 * (1 - ratio) if part.group(2) == "%" else ratio if start.startswith("fastest") else 1 / ratio
    return bool(abs(printed - wanted) <= 0.06 * abs(wanted))


def recommended(sentence: str, rows: tuple[Compared, ...], known: list[Numbers]) -> bool:
    """The schedule with the least e + v/40,000 among the stable ones, worth it where its root falls by a twentieth."""
    totals = {
        own.name: own.error + row.variance.lower / 40_000
        for own, row in zip(known, rows, strict=True)
        if own.error is not None and row.variance is not None and own.td and own.td.startswith("stable")
    }
    totals = {name: total for name, total in totals.items() if total > 0}
    mine, said = rows[0].name, RECOMMENDED.match(sentence)
    if said is None:
        return sentence.startswith("No schedule") and (not totals or mine not in totals)
    if "not stable" in sentence:
        return bool(known[0].td) and not str(known[0].td).startswith("stable")
    least = min(totals.values())
    if "nothing to change" in sentence:
        return totals[mine] <= least * F(1_000_001, 1_000_000)
    gain = 1 - float(least / totals[mine]) ** 0.5
    printed = float(said.group("gain"))
    close = printed < 100 * gain < 100 if said.group("above") else abs(printed - 100 * gain) <= 6 * gain
    return bool(close) and bool(said.group("matters")) == (gain > 0.05)


def traded(sentence: str, rows: tuple[Compared, ...], known: list[Numbers]) -> bool:
    """At half the time named the first has the smaller error to first order, at twice the time the other."""
    shape = rf"Of .*: (.+) has the smaller mean square error than (.+) up to about T = ({NUMBER}), and"
    said = re.match(shape, sentence)
    assert said, sentence
    T = F(said.group(3).replace(",", ""))
    by_name = {own.name: (own.error, row.variance) for own, row in zip(known, rows, strict=True)}

    def error(name: str, length: Fraction) -> Fraction:
        first, variance = by_name[name]
        assert first is not None and variance is not None
        return first + variance.lower / length

    calm, near = said.group(1), said.group(2)
    return error(calm, T / 2) < error(near, T / 2) and error(calm, 2 * T) > error(near, 2 * T)


def test_sentences_about_schedules_are_so() -> None:
    counts: Counter[str] = Counter()
    assert [line for seed in SHORT for line in wrong_sentences(drawn(seed), counts)] == []
    assert counts["stability"] >= 3


@pytest.mark.thorough
def test_a_long_hunt_finds_no_false_sentence() -> None:
    counts: Counter[str] = Counter()
    assert [(seed, line) for seed in LONG for line in wrong_sentences(drawn(seed), counts)] == []
    for kind in (
        *("recommended", "stability", "no error", "no bound", "smallest error bound", "fixed point nearest"),
        *("fastest mean dynamics", "smallest asymptotic variance", "traces"),
    ):
        assert counts[kind] >= 3, (kind, counts)
