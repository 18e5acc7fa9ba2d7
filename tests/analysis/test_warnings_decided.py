"""Every warning states something that is true or false. Here each statement is computed anew on random small models.

The models are those of ``plain_models``: dependent features, several classes, discount 1, transient states, missing
coverage, off-policy, periodic chains, single states, absorbing states with equal rewards. A warning must be there
exactly if its statement says so, with the numbers of the independent computation. Floats decide where a number is far
from its threshold; the few models where it is not are left out by name (``None``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import tdcert
from tdcert.reports.analysis_json import plain_number
from tests.analysis.plain_models import (
    Plain,
    Rows,
    determinant,
    drawn,
    one,
    plus,
    rank,
    row_norm,
    semidefinite,
    solvable,
    solved,
    times,
    turned,
)
from tests.analysis.test_warnings import asked

F = Fraction
SHORT = (*range(5), 26, 36, 46, 80, 110, 160, 172, 203, 205, 219, 227, 261, 311, 382, 399, 409)
"""Seeds of models on which every warning fires at least once, at each of its severities that the long hunt meets."""
LONG = range(1_000, 1_600)
USERS = range(5_000, 5_060)
FAR = 1e-6
"""Relative distance from a threshold from which on floats decide."""

Expected = dict[str, Any] | None
"""What a warning must say: ``fires``, and some of its numbers; None where this test does not decide it."""


def floats(X: Rows) -> Any:
    return np.array([[float(x) for x in row] for row in X])


def real_parts(J: Rows) -> list[Any]:
    """Of the eigenvalues, at 120 digits: one of multiplicity three is known to 40 of them; what is smaller is zero."""
    with mpmath.workdps(120):
        if len(J) == 1:
            return [mpmath.mpf(J[0][0].numerator) / J[0][0].denominator]
        exact = mpmath.matrix([[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in J])
        real = [mpmath.re(x) for x in mpmath.eig(exact, left=False, right=False)]
        small = float(row_norm(J)) * mpmath.mpf(10) ** -30
        return [x if abs(x) > small else mpmath.mpf(0) for x in real]


def one_class(plain: Plain) -> list[int] | None:
    return plain.classes[0] if len(plain.classes) == 1 else None


def met(plain: Plain) -> tuple[Rows, Rows, Rows] | None:
    """A, b, C as the algorithms meet them on the one class."""
    states = one_class(plain)
    return None if states is None or not plain.has_sum else plain.keys(states, plain.seen)


def dynamics(plain: Plain, states: list[int]) -> dict[str, str]:
    """What the mean dynamics do: A has d − r zeros more than on the quotient; GTD and TDC need rank A = r."""
    keys = plain.keys(states, plain.seen)
    assert keys is not None
    A = keys[0]
    r = rank([plain.Phi[s] for s in states])
    real = real_parts(A)
    stable = "stable" if r == plain.d else "stable_modulo_null_space"
    extra = sum(x == 0 for x in real) - (plain.d - r)
    td = "unstable" if max(real) > 0 else "marginal" if extra else stable
    gradient = stable if rank(A) == r else "marginal"
    return {"td" if plain.mu == plain.pi else "off_policy_td": td, "gtd": gradient, "tdc": gradient}


# ---- the statements ----------------------------------------------------------------------------------------


def terminal_features(plain: Plain) -> Expected:
    """Left with reward 0 and discount 0 only, and with features; the fixed point may be zero there."""
    if len({x for rows in plain.G for row in rows for x in row}) == 1:
        return {"fires": False}
    steps = [(s, a, t) for a in plain.actions for s in range(plain.n) for t in range(plain.n) if plain.P[a][s][t]]
    goes_on = {s for s, a, t in steps if plain.R[a][s] or plain.G[a][s][t]}
    found = [s for states in plain.classes for s in states if s not in goes_on and any(plain.Phi[s])]
    if not found:
        return {"fires": False}
    zero = True
    for states in plain.classes:
        keys = plain.keys(states, plain.pi)
        here = [s for s in states if s in found]
        if here and keys is None:
            return {"fires": True, "severity": "serious", "states": sorted(found)}
        if keys is None:
            continue
        for s in here:
            assert keys is not None
            # Φθ is the same for every θ with Aθ + b = 0, and zero in s: (φ(s), 0) is a combination of rows of (A, b)
            A, b, _ = keys
            system = [[*row, *x] for row, x in zip(A, b, strict=True)]
            unique = solvable(A, b) and rank(A) == rank([*A, *plain.Phi])
            zero &= unique and rank(system) == rank([*system, [*plain.Phi[s], F(0)]])
    return {"fires": True, "severity": "note" if zero else "serious", "states": sorted(found)}


def absorbing_state(plain: Plain) -> Expected:
    """Nothing but zero-reward loops from it, something else leads to it, and it has features."""
    steps = [(s, a, t) for a in plain.actions for s in range(plain.n) for t in range(plain.n) if plain.P[a][s][t]]
    goes_on = {s for s, a, t in steps if t != s or plain.R[a][s]}
    found = {t for s, a, t in steps if t != s} - goes_on
    found = {s for s in found if any(plain.Phi[s])}
    return {"fires": True, "severity": "serious", "states": sorted(found)} if found else {"fires": False}


def several_classes(plain: Plain) -> Expected:
    if len(plain.classes) == 1:
        return {"fires": False}
    if not plain.has_sum:
        return {"fires": True, "severity": "warning", "classes": len(plain.classes)}
    systems = [keys for states in plain.classes if (keys := plain.keys(states, plain.seen))]
    without = sum(not solvable(A, b) for A, b, _ in systems)
    shared = solvable([row for A, _, _ in systems for row in A], [row for _, b, _ in systems for row in b])
    return {
        "fires": True,
        "severity": "note" if shared else "warning",
        "classes": len(plain.classes),
        "without_fixed_point": without,
        "common_fixed_point": shared,
    }


def transient_states(plain: Plain) -> Expected:
    if not plain.transient or len(plain.classes) > 1:
        return {"fires": bool(plain.transient)}
    seen = [plain.Phi[s] for s in plain.classes[0]]
    free = [s for s in plain.transient if rank([*seen, plain.Phi[s]]) > rank(seen)]
    return {"fires": True, "states": plain.transient, "undetermined": free}


def coverage(plain: Plain) -> Expected:
    pairs = plain.missing()
    if not pairs or not plain.has_sum:
        return {"fires": bool(pairs), "severity": "serious"}
    changed, distances = False, []
    for states in plain.classes:
        meant, seen = plain.keys(states, plain.pi), plain.keys(states, plain.seen)
        assert meant is not None and seen is not None
        changed |= meant[:2] != seen[:2]
        there, here = (solved(A, [[-x for x in row] for row in b]) for A, b, _ in (meant, seen))
        if there is not None and here is not None:
            apart, d = times(plain.Phi, plus(here, there, -1)), plain.law(states)
            distances.append(sum((d[s] * row[0] ** 2 for s, row in enumerate(apart)), F(0)))
    if not changed:
        return {"fires": True, "severity": "note", "pairs": len(pairs)}
    if len(distances) < len(plain.classes):
        return {"fires": True, "severity": "serious", "pairs": len(pairs)}
    level = "serious" if max(distances) else "warning"
    return {"fires": True, "severity": level, "pairs": len(pairs), "distance_squared": str(max(distances))}


def mean_dynamics(plain: Plain) -> Expected:
    if not plain.has_sum:
        return None
    found: dict[str, Counter[str]] = {}
    for states in plain.classes:
        for name, state in dynamics(plain, states).items():
            if not state.startswith("stable"):
                found.setdefault(name, Counter())[state] += 1
    single = len(plain.classes) == 1
    return {"fires": bool(found), **{k: next(iter(v)) if single else dict(v) for k, v in found.items()}}


def not_unique(plain: Plain) -> Expected:
    states = one_class(plain)
    if states is None or not plain.has_sum:
        return None
    return {"fires": "stable_modulo_null_space" in dynamics(plain, states).values()}


def value_not_unique(plain: Plain) -> Expected:
    system, r = plain.value_system
    if determinant(system):
        return {"fires": False}
    return {"fires": True, "solutions": "many" if solvable(system, r) else "none"}


def condition(which: int) -> Callable[[Plain], Expected]:
    def statement(plain: Plain) -> Expected:
        keys = met(plain)
        if keys is None:
            return None
        inverse = solved(keys[which], one(plain.d))
        if inverse is None:
            return {"fires": False}
        cond = row_norm(keys[which]) * row_norm(inverse)
        if which == 2:  # the sentence: squares of length-one directions differ by cond/d
            values = np.linalg.eigvalsh(floats(keys[2]))
            assert cond > 10**12 or values[-1] / values[0] >= float(cond) / plain.d * (1 - FAR)
        else:  # the sentence: the error u e_kᵀ of A, largest in A⁻¹u, moves θ by cond ε
            theta = times(inverse, keys[1])
            k = max(range(plain.d), key=lambda i: abs(theta[i][0]))
            line = max(inverse, key=lambda row: sum(map(abs, row)))
            u = [row_norm(keys[0]) * (1 if x >= 0 else -1) for x in line]
            moved = times(inverse, [[x * theta[k][0]] for x in u])
            assert max(abs(row[0]) for row in moved) == cond * abs(theta[k][0])
        return {"fires": cond >= 10**4, "condition_at_least": str(cond)}

    return statement


def transient_growth(plain: Plain) -> Expected:
    keys, states = met(plain), one_class(plain)
    if keys is None or states is None:
        return None
    stable = "stable" in [state for name, state in dynamics(plain, states).items() if name.endswith("td")][:1]
    A = keys[0]
    return {"fires": stable and not semidefinite(plus([[-x for x in row] for row in A], turned(A), -1))}


def slow_dynamics(plain: Plain) -> Expected:
    keys, states = met(plain), one_class(plain)
    if keys is None or states is None or plain.missing():
        return None
    found, A, C = {}, *(floats(keys[k]) for k in (0, 2))
    for name, state in dynamics(plain, states).items():
        if state != "stable":
            continue
        J = A
        if name == "gtd":
            J = np.block([[-C, A], [-A.T, np.zeros_like(A)]])
        elif name == "tdc":
            J = -A.T @ np.linalg.solve(C, A)
        a = np.linalg.eigvals(J).real.max()
        if np.linalg.cond(J) > 1e7:
            return None  # floats do not know the slowest eigenvalue
        least = abs(np.trace(J)) / (2 * len(J) * abs(a)) - 1
        if abs(least / 1000 - 1) < FAR:
            return None
        if least >= 1000:
            found[name] = least
            for alpha in np.geomspace(1e-3, 2, 60) * 2 * len(J) / abs(np.trace(J)):  # the sentence
                radius = np.abs(np.linalg.eigvals(np.eye(len(J)) + alpha * J)).max()
                assert radius >= 1 or -1 / np.log(radius) >= least * (1 - FAR)
    return {"fires": bool(found), **found}


def error_amplified(plain: Plain) -> Expected:
    keys, states = met(plain), one_class(plain)
    system, r = plain.value_system
    V = solved(system, r)
    if keys is None or states is None or plain.missing() or V is None:
        return None
    theta = solved(keys[0], [[-x for x in row] for row in keys[1]])
    if theta is None or solved(keys[2], keys[1]) is None:
        return None
    d = plain.law(states)

    def square(e: Rows) -> Fraction:
        return sum((d[s] * row[0] ** 2 for s, row in enumerate(e)), F(0))

    best = solved(keys[2], times(turned(plain.Phi), [[d[s] * V[s][0]] for s in range(plain.n)]))
    assert best is not None
    left, reached = square(plus(V, times(plain.Phi, best), -1)), square(plus(V, times(plain.Phi, theta), -1))
    if left == 0:
        return {"fires": False}
    return {"fires": reached >= 100 * left, "squared_ratio_at_least": str(reached / left)}


def trace_variance(plain: Plain) -> Expected:
    states = one_class(plain)
    if states is None:
        return None
    if not plain.has_sum:
        return {"fires": True, "severity": "serious", "second_moment": None}
    inside = plain.reached(states)
    if plain.tail and inside:
        squared = np.array([[float(x) for x in row] for row in plain.ratio_kernel(2)])[np.ix_(inside, inside)]
        radius = float(plain.tail) ** 2 * np.abs(np.linalg.eigvals(squared)).max()
        if radius > 1 - FAR:  # signs may keep the trace bounded; without signs nothing cancels
            signed = any(x < 0 for s in states for x in plain.Phi[s])
            sure = radius > 1 + FAR and not signed
            return {"fires": True, "severity": "serious", "second_moment": "infinite"} if sure else None
    if plain.missing():
        return None
    keys = plain.keys(states, plain.pi)
    assert keys is not None
    gamma = max(x for rows in plain.G for row in rows for x in row)
    if plain.tail * gamma == 1:
        return {"fires": False}
    total = sum((c * gamma**k for k, c in enumerate(plain.weights())), F(0))
    total = 1 / (1 - plain.tail * gamma) if plain.tail else total
    bound = total**2 * sum((keys[2][i][i] for i in range(plain.d)), F(0))
    on_policy = replace(plain, pi=plain.mu)
    square, plainly = (p.endless_trace_square(states) if p.tail else p.trace_square(states) for p in (plain, on_policy))
    assert plainly <= bound  # the sentence: as large as it can be on-policy
    if bound == 0:
        return {"fires": False}
    return {"fires": square >= 10 * bound, "times_at_least": str(square / bound)}


def large_ratio(plain: Plain) -> Expected:
    pairs = [
        plain.pi[s][a] / plain.mu[s][a]
        for states in plain.classes
        for s in states
        for a in plain.actions
        if plain.mu[s][a]
    ]
    return {"fires": max(pairs) >= 10, "ratio": str(max(pairs))}


def rare_states(plain: Plain) -> Expected:
    states = one_class(plain)
    if states is None:
        return None
    law = plain.law(states)
    least = min(law[s] for s in states)
    return {"fires": least <= F(1, 10**4), "probability_at_most": str(least)}


def slow_mixing(plain: Plain) -> Expected:
    """The largest inflation: an eigenvalue of the symmetric part of 2Z − I in the D-norm, Z = (I − P + 1d)⁻¹ on mean
    zero; the number of the product is that of a rounded function.
    """
    states = one_class(plain)
    if states is None or len(states) == 1:
        return None if states is None else {"fires": False}
    law = plain.law(states)
    P = [[plain.chain[s][t] for t in states] for s in states]
    Z = solved(plus(plus(one(len(states)), P, -1), [[law[t] for t in states]] * len(states)), one(len(states)))
    assert Z is not None
    root = np.sqrt([float(law[s]) for s in states])
    inner = root[:, None] * floats(Z) / root[None, :]
    values = np.linalg.eigvalsh(inner + inner.T - np.eye(len(states)) - np.outer(root, root))
    largest = float(values[-1])
    if abs(largest / 100 - 1) < 0.01 or min(root) < 1e-3:
        return None
    return {"fires": largest >= 100, "inflation_at_least": largest}


STATEMENTS: dict[str, Callable[[Plain], Expected]] = {
    "terminal_features": terminal_features,
    "absorbing_state": absorbing_state,
    "several_classes": several_classes,
    "transient_states": transient_states,
    "coverage": coverage,
    "mean_dynamics": mean_dynamics,
    "not_unique": not_unique,
    "value_not_unique": value_not_unique,
    "condition_of_A": condition(0),
    "condition_of_C": condition(2),
    "transient_growth": transient_growth,
    "slow_dynamics": slow_dynamics,
    "error_amplified": error_amplified,
    "trace_variance": trace_variance,
    "large_ratio": large_ratio,
    "rare_states": rare_states,
    "slow_mixing": slow_mixing,
}
OF_A_STEP = "averages_mislead"
"""Asked where a constant step is named, and none is here: tests/analysis/test_step_answers.py decides it."""


def contradictions(plain: Plain, document: dict[str, Any], counts: Counter[str]) -> list[str]:
    """Where the warnings of a document say something else than the statements."""
    fired, wrong = {w["id"]: w for w in document["warnings"]}, []
    asked_for = {*document["warnings_asked"], *(entry["id"] for entry in document["warnings_not_asked"])}
    assert asked_for == {*STATEMENTS, OF_A_STEP} and OF_A_STEP not in document["warnings_asked"]
    for name, statement in STATEMENTS.items():
        expected = statement(plain)
        if expected is None:
            counts[f"{name}: not decided here"] += 1
            continue
        fires = expected.pop("fires")
        counts[f"{name}: {'fires' if fires else 'silent'}"] += 1
        if fires != (name in fired):
            wrong.append(f"{name}: should {'' if fires else 'not '}fire")
        elif fires:
            said = {"severity": fired[name]["severity"], **fired[name]["numbers"]}
            for key, value in expected.items():
                given = said.get(key)
                same = given == value
                if isinstance(value, float) and given is not None:
                    same = (0.99 if key == "inflation_at_least" else 1 - FAR) <= float(F(given)) / value <= 1 + FAR
                if not same:
                    wrong.append(f"{name}: {key} is {given}, not {value}")
    growth = fired.get("transient_growth")
    if growth is not None:
        keys = met(plain)
        assert keys is not None
        x = [[F(entry)] for entry in growth["numbers"]["x"]]
        form = times(turned(x), times(keys[0], x))[0][0]
        if form <= 0 or growth["numbers"]["form"] != str(form):
            wrong.append(f"transient_growth: xᵀAx is {form}")
        weight = floats(times(x, turned(x)))  # the sentence about other features: RRᵀ = xxᵀ + εI
        small = weight + np.eye(plain.d) * 1e-9 * np.trace(weight)
        if np.linalg.eigvals(small @ floats(keys[0])).real.max() <= 0:
            wrong.append("transient_growth: the features named are not unstable")
    return wrong


def disagreements(seeds: Iterable[int], document: Callable[[Plain], dict[str, Any]]) -> tuple[list[str], Counter[str]]:
    counts: Counter[str] = Counter()
    wrong = []
    for seed in seeds:
        plain = drawn(seed)
        wrong += [f"seed {seed}: {line}" for line in contradictions(plain, document(plain), counts)]
    return wrong, counts


def advised(plain: Plain) -> dict[str, Any]:
    """The warnings alone, as a document has them."""
    told = asked(plain.built())
    fired = [
        {"id": one.id, "severity": one.severity, "text": one.text, "numbers": plain_number(one.numbers)}
        for one in told.fired
    ]
    left = [{"id": name, "why": why} for name, why in told.not_asked]
    return {"warnings": fired, "warnings_asked": list(told.asked), "warnings_not_asked": left}


def test_warnings_say_what_is_so() -> None:
    wrong, counts = disagreements(SHORT, advised)
    assert wrong == [] and all(counts[f"{name}: fires"] for name in STATEMENTS)


@pytest.mark.thorough
def test_a_long_hunt_finds_no_false_warning() -> None:
    wrong, counts = disagreements(LONG, advised)
    assert wrong == []
    for name in STATEMENTS:  # each is met on both sides
        assert counts[f"{name}: fires"] >= 3 and counts[f"{name}: silent"] >= 20, (name, counts)


@pytest.mark.thorough
def test_what_a_user_sees_is_so() -> None:
    """The document of ``tdcert analyze`` itself."""
    wrong, _ = disagreements(USERS, lambda plain: tdcert.analyze(plain.built()).to_dict())
    assert wrong == []
