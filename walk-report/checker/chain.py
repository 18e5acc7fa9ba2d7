"""Kinds about the chain and the features: stationary law, classes, period, rank, coverage."""

from __future__ import annotations

import math
from itertools import pairwise

from .budget import Rejected, spend
from .matrices import Matrix
from .model import Case
from .reading import index, items, show, states


def stationary_law(case: Case) -> str:
    """A state of another recurrent class could never reach this one, and every state reaches some class."""
    case.open("class", "stationary", "unique")
    unique = case.about.get("unique", False)
    if not isinstance(unique, bool):
        raise Rejected(f"about.unique: {show(unique)} stands where true or false is needed")
    _ = case.law  # reading it verifies it
    if unique and len(case.model.reach(case.support[0], backward=True)) < case.model.n:
        raise Rejected("about.unique: there is another recurrent class")
    return f"the stationary law of the behaviour chain on {case.place()}{', the only one' if unique else ''}"


def irreducible(case: Case) -> str:
    """Every state is reached from the root (tree of predecessors) and reaches it (tree of successors)."""
    case.open("", "root from_root to_root")
    n, P = case.model.n, case.model.P_mu
    root = index(case.witness["root"], "witness.root", 0, n)
    for key in ("from_root", "to_root"):
        given = items(case.witness[key], f"witness.{key}", n)
        if given[root] is not None:
            raise Rejected(f"witness.{key}[{root}]: null is needed at the root")
        tree = [root if s == root else index(x, f"witness.{key}[{s}]", 0, n) for s, x in enumerate(given)]
        spend(50 * n * n)
        for s, t in enumerate(tree):
            if s != root and not (s in P[t] if key == "from_root" else t in P[s]):
                raise Rejected(f"witness.{key}[{s}]: the chain has no such transition between {s} and {t}")
            for _ in range(n):
                t = tree[t]
            if t != root:
                raise Rejected(f"witness.{key}[{s}]: the path from here does not end at the root")
    return f"the behaviour chain on {n} states is irreducible"


def reducible(case: Case) -> str:
    case.open("", "closed_set")
    n, closed = case.model.n, set(states(case.witness["closed_set"], "witness.closed_set", case.model.n))
    if len(closed) == n or any(case.model.P_mu[s].keys() - closed for s in closed):
        raise Rejected("witness.closed_set: the chain leaves this set, or it is every state")
    return f"the behaviour chain on {n} states is reducible: it never leaves a set of {len(closed)}"


def period(case: Case) -> str:
    """The phase grows by one along every edge: `period` divides the length of every closed walk in the class.

    The period of the class is the greatest common divisor of all these lengths.  So `period` divides it, and
    it divides the greatest common divisor of the lengths given, which is `period`.
    """
    case.open("class", "period phase closed_walks")
    support, P = case.support, case.model.P_mu
    length = index(case.witness["period"], "witness.period", 1, case.model.n + 1)
    given = items(case.witness["phase"], "witness.phase", len(support))
    phase = {s: index(x, "witness.phase", 0, length) for s, x in zip(support, given, strict=True)}
    if any((phase[s] + 1 - phase[t]) % length for s in support for t in P[s]):
        raise Rejected("witness.phase: a transition does not move the phase on by one")
    common = 0
    for i, value in enumerate(items(case.witness["closed_walks"], "witness.closed_walks")):
        where = f"witness.closed_walks[{i}]"
        spend(300 * len(items(value, where)))
        walk = [index(x, where, 0, case.model.n) for x in items(value, where)]
        closed = len(walk) > 1 and walk[0] == walk[-1] and walk[0] in phase
        if not closed or any(t not in P[s] for s, t in pairwise(walk)):
            raise Rejected(f"{where}: this is not a closed walk of the chain in the class")
        common = math.gcd(common, len(walk) - 1)
    if common != length:
        raise Rejected(f"witness.closed_walks: the lengths have the common divisor {common}, not {length}")
    return f"{case.place()} of the behaviour chain has period exactly {length}"


def full_column_rank(case: Case) -> str:
    case.open("", "rank", "class")
    case.require_rank(case.support if "class" in case.about else range(case.model.n))
    return f"Phi has full column rank {case.model.d} on {case.place()}"


def rank_deficient(case: Case) -> str:
    case.open("", "vector", "class")
    rows = [case.model.Phi[s] for s in (case.support if "class" in case.about else range(case.model.n))]
    if not (Matrix.of(rows, case.model.d) @ case.nonzero_vector(case.model.d)).is_zero():
        raise Rejected("witness.vector: Phi x is not zero")
    return f"Phi does not have full column rank {case.model.d} on {case.place()}"


def missing_coverage(case: Case) -> str:
    case.open("", "state action", "class")
    s = index(case.witness["state"], "witness.state", 0, case.model.n)
    a = index(case.witness["action"], "witness.action", 0, case.model.m)
    if a not in case.model.pi[s] or a in case.model.mu[s]:
        raise Rejected("witness: the target never takes this action there, or the behaviour does")
    if "class" in case.about and s not in case.support:
        raise Rejected("witness.state: the state lies outside the class")
    where = f" of {case.place()}" if "class" in case.about else ""
    return f"coverage fails: in state {s}{where} the target takes action number {a}, the behaviour never does"
