r"""Certificates about updates: their tables, a statement about them and a witness (docs/certificates.md, *Updates*).

The checker rebuilds everything from the tables. That the tables are those of a function is not its business:
:func:`tables_of` makes them again, and they are to be equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from scipy.sparse import csc_array
from scipy.sparse import identity as sparse_identity
from scipy.sparse.linalg import splu

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.stability import LyapunovProof, prove_stable, prove_unstable, witness_of
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import Rest, TimeScales, quotient, time_scales
from tdcert.theory.engine.jumps import NodeChain, StepAnswer
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Memory
from tdcert.theory.engine.spans import memory_spans, needs_spans
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.laws.mean_at_step import StepProof
from tdcert.theory.laws.mean_square import AtStep, NearZero
from tdcert.theory.laws.mean_square import witness_of as witness_in_mean_square
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

BITS = (20, 40)
"""Binary digits of the weights, tried in turn before exact ones."""


def tables_of(found: Tables) -> dict[str, Any]:
    """The tables as certificates carry them."""
    held, steps = found.M, found.algorithm.steps

    def move(edge: Any) -> list[Any]:
        R, s = edge.recursion
        memory = [[i, j, str(x)] for (i, j), x in R.items()] + [[i, held, str(x)] for i, x in s.items()]
        increments = [
            [
                list(exponents),
                [[held if entry is None else entry, i, j, str(x)] for (entry, i, j), x in part.items()],
            ]
            for exponents, part in edge.increments.items()
        ]
        return [edge.target, memory, increments]

    return {
        "name": found.algorithm.name,
        "parameters": found.D,
        "memory": held,
        "steps": list(steps),
        "at": [str(found.steps[name]) for name in steps] if found.steps else None,
        "contexts": [context[0] for context in found.contexts],
        "starts": found.starts,
        "moves": [[move(edge) for edge in edges] for edges in found.leaving],
    }


def difference(certificate: Mapping[str, Any], model: Model, algorithm: Algorithm) -> str:
    """Where the tables of an accepted certificate are not those of the function, in words; empty where they are.

    Raises :class:`InputError` for a function that is not an affine update.
    """
    about = certificate["about"]
    update = about["update"]
    steps = None
    if update["at"] is not None and len(update["at"]) == len(algorithm.steps):
        steps = dict(zip(algorithm.steps, map(Fraction, update["at"]), strict=True))
    states = about["class"] if "class" in about else [s for s, p in enumerate(about["start"]) if Fraction(p)]
    own = tables_of(tables(model, algorithm, states, stationary=not update["starts"], steps=steps))
    if own["steps"] != update["steps"]:
        return f"its step sizes are {', '.join(update['steps'])}, those of the function {', '.join(own['steps'])}"
    for key, of in (("parameters", "parameters"), ("memory", "numbers in its memory")):
        if own[key] != update[key]:
            return f"the certificate is about {update[key]} {of}, and the function has {own[key]}"
    if own["contexts"] != update["contexts"]:
        return "the function tells other contexts apart"
    for h, (ours, theirs) in enumerate(zip(own["moves"], update["moves"], strict=True)):
        for k, (mine, its) in enumerate(zip(ours, theirs, strict=True)):
            if _sorted(mine) != _sorted(its):
                return f"the function does something else on move {k} out of context {h} (state {own['contexts'][h]})"
    return ""


def _sorted(move: Sequence[Any]) -> Any:
    """A move whatever the order of its terms, without zeros."""
    target, memory, increments = move
    terms = {(tuple(powers), *place): x for powers, part in increments for *place, x in part if x != "0"}
    return target, {(i, j): x for i, j, x in memory if x != "0"}, terms


def _about(found: Tables, seen: Sequence[int], **more: Any) -> dict[str, Any]:
    about = {"class": list(found.states), "update": tables_of(found), **more}
    return about if len(seen) == found.D else {**about, "seen": list(seen)}


def regime_witness(found: Stationary) -> dict[str, Any] | None:
    """The parts of a witness that speak of the stationary regime; None where no weights are found."""
    memory, within = found.memory, found.tables
    weights = memory_weights(memory)
    if weights is None:
        return None
    contexts, held = range(len(within.contexts)), range(within.M)
    witness: dict[str, Any] = {
        "law": [str(x) for x in memory.law],
        "mean": [[str(memory.mean.get((h, i), fmpq(0))) for i in held] for h in contexts],
        "weights": [[str(weights.get((h, i), 0)) for i in held] for h in contexts],
    }
    columns, T = found.visible
    if len(columns) < within.D:
        witness["coordinates"] = T.to_strings()
        if needs_spans(within, columns, T):
            witness["spans"] = [[[str(x) for x in row] for row in rows] for rows in memory_spans(within)]
    return witness


def memory_weights(memory: Memory) -> dict[tuple[int, ...], Fraction] | None:
    """w > 0 with B w < w, B the sizes of the recursion of the memory; None where rounded solutions do not show it."""
    names = sorted(memory.reached)
    if not names:
        return {}
    place = {unknown: k for k, unknown in enumerate(names)}
    entries = [(place[to], place[of], x) for (to, of), x in memory.sizes.items()]
    rows, columns = [i for i, _, _ in entries], [j for _, j, _ in entries]
    B = csc_array(([float(x) for *_, x in entries], (rows, columns)), shape=(len(names),) * 2)
    try:
        solution = splu(csc_array(sparse_identity(len(names)) - B)).solve(np.ones(len(names)))
    except RuntimeError:
        return None
    if not np.isfinite(solution).all() or solution.min() <= 0:
        return None
    for bits in BITS:
        unit = 2**bits
        w = [fmpq(max(1, round(float(x) * unit)), unit) for x in solution]
        made = [fmpq(0)] * len(names)
        for i, j, x in entries:
            made[i] += x * w[j]
        if all(x < y for x, y in zip(made, w, strict=True)):
            return {name: Fraction(int(x.p), int(x.q)) for name, x in zip(names, w, strict=True)}
    return None


def stability_certificates(found: Stationary, ratios: Sequence[Fraction]) -> list[Certificate]:
    """Of the mean dynamics at these ratios: ``update_hurwitz`` or ``update_unstable``, where one is found."""
    B, more = quotient(found, ratios), {"matrix": "joint", "ratios": [str(x) for x in ratios]}
    return [] if B is None else _signed(found, B, more)


def time_scale_certificates(found: Stationary) -> list[Certificate]:
    """Of the fast matrix and, where that is Hurwitz, of the slow one."""
    scales = time_scales(found)
    if not isinstance(scales, TimeScales):
        return []
    fast = _signed(found, scales.fast, {"matrix": "fast"})
    if not fast or fast[0].kind != "update_hurwitz":
        return fast
    assert scales.slow is not None  # a Hurwitz matrix is not singular
    return fast + _signed(found, scales.slow, {"matrix": "slow"})


def _signed(found: Stationary, B: RationalMatrix, more: Mapping[str, Any]) -> list[Certificate]:
    proof: LyapunovProof | None = prove_stable(B) or prove_unstable(B)
    regime = regime_witness(found)
    if proof is None or regime is None:
        return []
    about = _about(found.tables, found.visible[0], **more, shift=str(proof.shift))
    kind = "update_hurwitz" if proof.vector is None else "update_unstable"
    return [Certificate(kind, about, {**regime, **witness_of(proof)})]


def rest_certificates(found: Stationary, ratios: Sequence[Fraction], rest: Rest) -> list[Certificate]:
    """That the mean increment is zero there alone."""
    regime = regime_witness(found)
    if regime is None or rest.seen is None:
        return []
    about = _about(found.tables, found.visible[0], ratios=[str(x) for x in ratios])
    return [Certificate("update_rest", about, {**regime, "rest": strings(rest.seen)})]


def at_step_certificates(answer: StepAnswer, ratios: Sequence[Fraction], alpha: Fraction) -> list[Certificate]:
    """Of what was decided at constant steps."""
    made = []
    if answer.chain is not None and answer.square is not None:
        made.append(mean_square_certificate(answer.found, answer.chain, ratios, answer.square))
    if answer.chain is not None and answer.first is not None:
        sizes = [alpha * x for x in ratios]
        made.append(mean_at_step_certificate(answer.found, answer.chain, sizes, answer.first))
    return made


def mean_square_certificate(
    found: Stationary, chain: NodeChain, ratios: Sequence[Fraction], shown: NearZero | AtStep
) -> Certificate:
    """``update_mean_square_bounded`` or ``…_unbounded``. ``chain``: the nodes from the states of the class."""
    columns, _ = found.visible
    sizes: dict[str, Any]
    if isinstance(shown, NearZero):
        sizes = {"upto": str(shown.upto), "ratios": [str(x) for x in ratios]}
    else:
        sizes = {"steps": [str(shown.alpha * x) for x in ratios]}
    kind = "update_mean_square_bounded" if shown.vector is None else "update_mean_square_unbounded"
    witness = {**witness_in_mean_square(shown), **_coordinates(found)}
    return Certificate(kind, _about(chain.tables, columns, **sizes), witness)


def _coordinates(found: Stationary) -> dict[str, Any]:
    columns, T = found.visible
    return {} if len(columns) == found.tables.D else {"coordinates": T.to_strings()}


def mean_at_step_certificate(
    found: Stationary, chain: NodeChain, sizes: Sequence[Fraction], proof: StepProof
) -> Certificate:
    """``update_mean_bounded`` or ``…_unbounded`` at these step sizes."""
    kind = "update_mean_bounded" if proof.vector is None else "update_mean_unbounded"
    about = _about(chain.tables, found.visible[0], steps=[str(x) for x in sizes])
    return Certificate(kind, about, {**proof.witness, **_coordinates(found)})
