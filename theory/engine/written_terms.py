r"""Terms as text: what certificates say of an update, and a reader holds against the paper.

TD(0) adds to ``theta`` the sum of ``alpha * t.reward * t.phi``, ``alpha * t.discount * (t.phi_next @ theta) * t.phi``
and ``-alpha * (t.phi @ theta) * t.phi``. Numbers of the transition are called as the function reads them; steps that
are numbers are in the coefficients. docs/certificates.md, *Updates*, has the grammar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from flint import fmpq

from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.means import traced_or_none
from tdcert.theory.engine.tables import Tables
from tdcert.theory.engine.terms import DOTS, KNOWN, NUMBERS, ONE, SAME, Exponents, Place, Term, Terms
from tdcert.theory.engine.transition import LOOKED_UP

Part: TypeAlias = dict[str, Any]
"""A part of a certificate: JSON."""
NO_PLACE = -1


def written_update(found: Tables) -> Part | None:
    """``about.update`` by terms. None where tables have to say it: for an update that takes vectors apart or divides by
    its steps, and for the first order in the steps.
    """
    if found.order is not None:
        return None
    how: Any = {"steps": found.steps or None, "stationary": not found.starts}
    terms = traced_or_none(found.model, found.algorithm, found.states, **how)
    return None if terms is None or terms.fields != found.fields else written(terms, found.steps)


def written(terms: Terms, steps: Mapping[str, Fraction] | None) -> Part:
    """``about.update`` of these terms; ``steps``: step sizes that are numbers in them."""
    names = terms.algorithm.steps
    return {
        "name": terms.algorithm.name,
        "parameters": [[place.name, "d" if place.vector else 1] for place in terms.parameters],
        "memory": [[place.name, "d" if place.vector else 1] for place in terms.memory],
        "steps": list(names),
        "at": [str(steps[name]) for name in names] if steps else None,
        "reads": [f"t.{field}" for field in terms.fields],
        "terms": [
            {"when": {_asked(name): str(x) for name, x in when.items()}, **_rows(terms, evaluation, names)}
            for when, evaluation in zip(terms.when, terms.evaluations, strict=True)
        ],
    }


def _asked(name: str) -> str:
    """What the terms depend on, as it is written."""
    return f"({name})" if "@" in name else f"t.{name}" if name in LOOKED_UP or name == "first" else name


def _rows(terms: Terms, evaluation: Mapping[Term, Any], steps: Sequence[str]) -> dict[str, list[str]]:
    places = (*terms.parameters, *terms.memory)
    rows: dict[str, list[str]] = {place.name: [] for place in places}
    for term, polynomial in evaluation.items():
        for given, x in polynomial.items():
            rows[places[term.row].name].append(_text(terms, term, given, x, steps))
    return {name: sorted(texts, key=_plain) for name, texts in rows.items()}


def _plain(text: str) -> list[str]:
    """Its factors without the coefficient."""
    return [factor for factor in text.removeprefix("-").split(" * ") if not factor[0].isdigit()]


def _text(terms: Terms, term: Term, given: Exponents, x: fmpq, steps: Sequence[str]) -> str:
    factors = [*_powers(steps, term.powers)]
    dots = [f"({KNOWN[a]} @ {KNOWN[b]})" for a, b in DOTS]
    factors += _powers([*(f"t.{name}" for name in NUMBERS), *dots], given)
    if term.weight is not None:
        place, known = terms.memory[term.weight[0]], term.weight[1]
        factors.append(place.name if known == ONE else f"({KNOWN[known]} @ {place.name})")
    if term.column != NO_PLACE:
        name = terms.parameters[term.column].name
        factors.append(name if term.b in (ONE, SAME) else f"({_vector(terms.memory, term.b)} @ {name})")
    if term.a not in (ONE, SAME):
        factors.append(_vector(terms.memory, term.a))
    if abs(x) == 1 and factors:
        return ("-" if x < 0 else "") + " * ".join(factors)
    return " * ".join((str(to_fraction(x)), *factors))


def _powers(names: Sequence[str], exponents: Exponents) -> Iterator[str]:
    for name, power in zip(names, exponents, strict=False):
        if power:
            yield name if power == 1 else f"{name}^{power}"


def _vector(memory: Sequence[Place], v: int) -> str:
    return KNOWN[v] if v in KNOWN else memory[v - len(KNOWN)].name


def other_terms(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """In which row two updates by terms differ, in words; empty where they do not, whatever the order of factors."""
    for key in ("parameters", "memory", "reads"):
        if ours[key] != theirs[key]:
            return f"the certificate is about other {'fields' if key == 'reads' else key} than the function has"
    cases = [{tuple(sorted(part["when"].items())): part for part in one["terms"]} for one in (ours, theirs)]
    if cases[0].keys() != cases[1].keys():
        return "the function tells other transitions apart"
    for when, part in cases[0].items():
        for row in part:
            if row != "when" and _sum(part[row]) != _sum(cases[1][when][row]):
                where = ", where " + " and ".join(f"{name} is {x}" for name, x in when) if when else ""
                own = " + ".join(part[row]).replace(" + -", " - ") or "0"
                return f"the function does something else to {row}{where}: {own}"
    return ""


def _sum(texts: Sequence[str]) -> dict[tuple[tuple[str, int], ...], Fraction]:
    """The coefficient of each product of factors, whatever their order; none is zero."""
    total: dict[tuple[tuple[str, int], ...], Fraction] = {}
    for text in texts:
        first, factors = text.removeprefix("-").split(" * ")[0], Counter[str]()
        x = Fraction(first) if first[0].isdigit() else Fraction(1)
        for factor in _plain(text):
            name, _, power = factor.partition("^")
            factors[name] += int(power or 1)
        key = tuple(sorted(factors.items()))
        total[key] = total.get(key, Fraction(0)) + (-x if text.startswith("-") else x)
    return {key: x for key, x in total.items() if x}
