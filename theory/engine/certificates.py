r"""Certificates about updates: their terms, a statement about them and a witness (docs/certificates.md, *Updates*).

The checker rebuilds everything from the terms, or from tables where there are no terms. That they are those of a
function is not its business: :func:`difference` makes them again, and they are to be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.fixed_point import Rest
from tdcert.theory.check.stability import LyapunovProof, prove_stable, prove_unstable, witness_of
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import TimeScales, quotient, time_scales
from tdcert.theory.engine.first_order import first_order
from tdcert.theory.engine.jumps import JumpSigns, chain_of
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Memory
from tdcert.theory.engine.nodes import Nodes
from tdcert.theory.engine.outcomes import DRAWN
from tdcert.theory.engine.spans import memory_spans, needs_spans
from tdcert.theory.engine.tables import Edge, Tables, tables
from tdcert.theory.engine.written_terms import other_terms, written, written_update
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.laws.mean_at_step import StepProof
from tdcert.theory.laws.mean_square import (
    ByWindow,
    JumpSystem,
    LyapunovAtStep,
    NearZero,
    WindowMove,
    growing_families,
    show_bounded,
)
from tdcert.theory.laws.mean_square import witness_of as witness_in_mean_square
from tdcert.theory.laws.path_cells import BITS as CELL_BITS
from tdcert.theory.laws.path_cells import Cells
from tdcert.theory.laws.path_exponents import (
    Determinants,
    Forms,
    OneDimension,
    PathSign,
    RestartDeterminants,
    RestartForms,
    ZeroProduct,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

if TYPE_CHECKING:
    from tdcert.theory.engine.finite_times import AtTime
    from tdcert.theory.engine.growth import Growth
    from tdcert.theory.engine.noise import Noise
    from tdcert.theory.engine.small_steps import SafeSteps
    from tdcert.theory.laws.restart_exponents import Ends, Restarts

WORD_OF_SIGN = {-1: "negative", 0: "zero", 1: "positive"}
"""What certificates call the sign of an exponent."""


def update_of(found: Tables | Stationary[Any]) -> dict[str, object]:
    """The update as certificates carry it: its terms, or its tables where it takes vectors apart."""
    if isinstance(found, Tables):
        return written_update(found) or tables_of(found)
    return update_of(found.tables) if found.whole_memory is None else _of_terms(found)


@lru_cache(maxsize=1)
def _of_terms(found: Stationary[Any]) -> dict[str, object]:
    """The update by the terms that the regime knows; its certificates share them."""
    assert found.terms is not None
    return written(found.terms, found.steps)


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
        divisor = [[list(exponents), str(x)] for exponents, x in edge.fan.divisor.items()]
        return [edge.target, memory, increments, *([divisor] if divisor else [])]

    order = {} if found.order is None else {"order": found.order}
    return {
        **order,
        "name": found.algorithm.name,
        "parameters": found.D,
        "memory": held,
        "steps": list(steps),
        "at": [str(found.steps[name]) for name in steps] if found.steps else None,
        "contexts": [None if context[0] == DRAWN else context[0] for context in found.contexts],
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

    def own_tables(stationary: bool) -> Tables:
        try:
            return tables(model, algorithm, states, stationary=stationary, steps=steps)
        except InputError:
            if certificate["kind"] != "update_for_ever":
                raise
            return tables(model, algorithm, states, stationary=stationary, divided=True)

    if "terms" in update:
        found = own_tables(not about.keys() & {"steps", "upto", "start"})
        own = written_update(found) or tables_of(found)
    elif "order" in update:
        own = tables_of(first_order(model, algorithm, states, RationalMatrix).tables)
    else:
        own = tables_of(own_tables(not update["starts"]))
    if own["steps"] != update["steps"]:
        return f"its step sizes are {', '.join(update['steps'])}, those of the function {', '.join(own['steps'])}"
    if "terms" in update:
        return (
            other_terms(own, update)
            if "terms" in own
            else "the function takes vectors apart or divides by its steps, and the certificate does not"
        )
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
    target, memory, increments, *divisor = move
    terms = {(tuple(powers), *place): x for powers, part in increments for *place, x in part if x != "0"}
    return target, {(i, j): x for i, j, x in memory if x != "0"}, terms, [sorted(part) for part in divisor]


def _about(found: Tables | Stationary[Any], seen: Sequence[int], **more: Any) -> dict[str, object]:
    about = {"class": list(found.states), "update": update_of(found), **more}
    return about if len(seen) == found.D else {**about, "seen": list(seen)}


@lru_cache(maxsize=1)
def regime_witness(found: Stationary[RationalMatrix]) -> Mapping[str, object] | None:
    """The parts of a witness that speak of the stationary regime; None where no weights are found. All certificates of
    one regime share them, so the last ones are kept.
    """
    known = _of_entries(found) if found.whole_memory is None else found.whole_memory.witness
    if known is None:
        return None
    witness = dict(known)
    columns, T = found.visible
    if len(columns) < found.D:
        witness["coordinates"] = T.to_strings()
        if needs_spans(found.tables, columns, T):
            witness["spans"] = [[[str(x) for x in row] for row in rows] for rows in memory_spans(found.tables)]
    return witness


def _of_entries(found: Stationary[RationalMatrix]) -> dict[str, object] | None:
    """``law``, ``mean`` and ``weights`` of the memory, entry by entry; None where there are no weights."""
    memory, weights = found.memory, found.memory.weights
    if weights is None:
        return None
    contexts, held = range(len(found.tables.contexts)), range(found.tables.M)
    return {
        "law": [str(x) for x in memory.law],
        "mean": [[str(memory.mean.get((h, i), fmpq(0))) for i in held] for h in contexts],
        "weights": [[str(weights.get((h, i), 0)) for i in held] for h in contexts],
    }


def stability_certificates(found: Stationary[RationalMatrix], ratios: Sequence[Fraction]) -> list[Certificate]:
    """The certificate of the mean dynamics at these ratios, if any: ``update_hurwitz`` or ``update_unstable``."""
    B, more = quotient(found, ratios), {"matrix": "joint", "ratios": [str(x) for x in ratios]}
    return [] if B is None else _signed(found, B, more)


def time_scale_certificates(found: Stationary[RationalMatrix]) -> list[Certificate]:
    """The certificates of the fast matrix and, where that is Hurwitz, of the slow one."""
    scales = time_scales(found)
    if not isinstance(scales, TimeScales):
        return []
    fast = _signed(found, scales.fast, {"matrix": "fast"})
    if not fast or fast[0].kind != "update_hurwitz":
        return fast
    assert scales.slow is not None  # a Hurwitz matrix is not singular
    return fast + _signed(found, scales.slow, {"matrix": "slow"})


def _signed(found: Stationary[RationalMatrix], B: RationalMatrix, more: Mapping[str, Any]) -> list[Certificate]:
    proof: LyapunovProof | None = prove_stable(B) or prove_unstable(B)
    regime = regime_witness(found)
    if proof is None or regime is None:
        return []
    about = _about(found, found.visible[0], **more, shift=str(proof.shift))
    kind = "update_hurwitz" if proof.vector is None else "update_unstable"
    return [Certificate(kind, about, {**regime, **witness_of(proof)})]


def rest_certificates(found: Stationary[Dense], ratios: Sequence[Fraction], rest: Rest) -> list[Certificate]:
    """The certificate that what updates see rests at ``rest`` alone, and of how the other parameters drift."""
    regime = regime_witness(found)
    if regime is None or rest.seen is None:
        return []
    about = _about(found, found.visible[0], ratios=[str(x) for x in ratios], **_drift(rest))
    return [Certificate("update_rest", about, {**regime, "rest": strings(rest.seen)})]


def _drift(rest: Rest) -> dict[str, object]:
    return {} if rest.drift.is_zero() else {"drift": strings(rest.drift)}


def at_step_certificates(answer: JumpSigns[Dense], ratios: Sequence[Fraction], alpha: Fraction) -> list[Certificate]:
    """The certificates of what was decided at constant steps."""
    made = [] if answer.growth is None else [growth_certificate(answer.growth, ratios)]
    if answer.system is not None and answer.square is not None:
        made.append(mean_square_certificate(answer.found, chain_of(answer.system), ratios, answer.square))
    if answer.system is not None and answer.first is not None:
        sizes = [alpha * x for x in ratios]
        made.append(mean_at_step_certificate(answer.found, chain_of(answer.system), sizes, answer.first))
    return made


def mean_square_certificate(
    found: Stationary[Dense], chain: Nodes, ratios: Sequence[Fraction], shown: NearZero | LyapunovAtStep
) -> Certificate:
    """``update_mean_square_bounded`` or ``…_unbounded``. ``chain``: the nodes from the states of the class."""
    columns, _ = found.visible
    sizes: dict[str, object]
    if isinstance(shown, NearZero):
        sizes = {"upto": str(shown.upto), "ratios": [str(x) for x in ratios]}
    else:
        sizes = {"steps": [str(shown.alpha * x) for x in ratios]}
    kind = "update_mean_square_bounded" if shown.vector is None else "update_mean_square_unbounded"
    witness = {**witness_in_mean_square(shown), **_coordinates(found)}
    return Certificate(kind, _about(chain.tables, columns, **sizes), witness)


def _coordinates(found: Stationary[Dense]) -> dict[str, object]:
    columns, T = found.visible
    return {} if len(columns) == found.tables.D else {"coordinates": T.to_strings()}


def mean_at_step_certificate(
    found: Stationary[Dense], chain: Nodes, sizes: Sequence[Fraction], proof: StepProof
) -> Certificate:
    """``update_mean_bounded`` or ``…_unbounded`` at these step sizes."""
    kind = "update_mean_bounded" if proof.vector is None else "update_mean_unbounded"
    about = _about(chain.tables, found.visible[0], steps=[str(x) for x in sizes])
    return Certificate(kind, about, {**proof.witness, **_coordinates(found)})


def path_certificates(
    found: Stationary[Dense], chain: Nodes, sizes: Sequence[Fraction], answer: PathSign
) -> list[Certificate]:
    """The certificates of what was decided about almost every path at these step sizes: ``path_exponent_forms``,
    ``path_exponent_determinant``, ``path_exponent_scalar``, ``path_exponent_cells``, ``path_product_zero``.
    """
    made, within = [], answer.found
    if within is None:
        return []
    ends = list(zip(chain.source.tolist(), chain.edge.tolist(), strict=True))
    numbers = {k: place for place, k in enumerate(sorted(range(len(ends)), key=ends.__getitem__))}
    law = dict(zip(within.nodes, within.law, strict=True))
    regime = {"law": [str(law.get(h, 0)) for h in range(len(chain.nodes))]}
    for shown in answer.shown:
        about: dict[str, object] = {}
        witness: dict[str, object] = dict(regime)
        match shown:
            case Forms():
                kind, about["bound"] = "path_exponent_forms", str(shown.bound)
                weights = dict(zip(within.moves, shown.weights, strict=True))
                witness["weights"] = [str(weights[k]) for k in sorted(weights, key=numbers.__getitem__)]
                witness["lyapunov"] = [X.to_strings() for X in shown.forms]
            case Determinants():
                kind, about["bound"] = "path_exponent_determinant", str(shown.bound)
                if len(shown.block) < within.system.size:
                    witness["block"] = list(shown.block)
            case OneDimension():
                kind, about["sign"] = "path_exponent_scalar", WORD_OF_SIGN[shown.sign]
            case Cells():
                kind, about["bound"] = "path_exponent_cells", str(shown.bound)
                about["side"] = "upper" if shown.upper else "lower"
                witness |= {"cells": len(shown.heights[0]), "bits": CELL_BITS}
                witness["heights"] = [[str(x) for x in row] for row in shown.heights]
            case ZeroProduct():
                kind = "path_product_zero"
                witness = {"nodes": len(chain.nodes), "moves": [numbers[k] for k in shown.moves]}
            case _:
                raise AssertionError(f"no certificate kind is known for {type(shown).__name__}")
        about = _about(chain.tables, found.visible[0], steps=[str(x) for x in sizes], **about)
        made.append(Certificate(kind, about, {**witness, **_coordinates(found)}))
    return made


def restart_certificates(
    own: Tables, columns: Sequence[int], T: RationalMatrix, sizes: Sequence[Fraction], of: Restarts, answer: PathSign
) -> list[Certificate]:
    """The certificates of what was decided where moves cut the memory: ``path_exponent_determinant_restart``,
    ``path_exponent_forms_restart``.
    """
    made = []
    law = {"law": [str(x) for x in of.law or ()]}
    seen = {} if len(columns) == own.D else {"coordinates": T.to_strings()}
    for shown in answer.shown:
        match shown:
            case RestartDeterminants():
                kind = "path_exponent_determinant_restart"
                witness: dict[str, object] = {"depth": shown.depth, "tail": [_intervals(x) for x in shown.tail]}
                if len(shown.block) < of.D:
                    witness["block"] = list(shown.block)
            case RestartForms():
                kind = "path_exponent_forms_restart"
                witness = {"depth": shown.depth, "weights": [str(w) for w in shown.weights]}
                witness["lyapunov"] = [X.to_strings() for X in shown.forms]
                numbers = {"size": shown.size, "growth": shown.growth, "factor": shown.factor}
                tail: dict[str, object] = {key: str(x) for key, x in numbers.items()}
                witness["tail"] = {**tail, "form": shown.form.to_strings(), "left": [str(x) for x in shown.left]}
            case _:
                raise AssertionError(f"no certificate kind is known for {type(shown).__name__}")
        about = _about(own, columns, steps=[str(x) for x in sizes], bound=str(shown.bound))
        made.append(Certificate(kind, about, {**law, **witness, **seen}))
    return made


def _intervals(ends: Sequence[Ends] | None) -> list[list[str | None]] | None:
    return None if ends is None else [[None if x is None else str(x) for x in pair] for pair in ends]


def memory_certificates(found: Stationary[RationalMatrix]) -> list[Certificate]:
    """The certificate of the memory's second moments, if any: ``update_memory_bounded`` or ``…_unbounded``."""
    memory, regime = found.memory, regime_witness(found)
    if regime is None or not found.tables.M:
        return []
    about = {"class": list(found.tables.states), "update": update_of(found.tables)}
    if memory.has_second_moments:
        forgets = _forgets(memory)
        return [] if forgets is None else [Certificate("update_memory_bounded", about, {"lyapunov": forgets})]
    for X in growing_families(_remembered(memory), Fraction(1), _where_it_grows(memory)):
        if gain_of(memory, X) > 0:
            witness = {key: regime[key] for key in ("law", "mean", "weights")}
            return [Certificate("update_memory_unbounded", about, {**witness, "lyapunov": [x.to_strings() for x in X]})]
    return []


def _forgets(memory: Memory[RationalMatrix]) -> list[list[list[str]]] | None:
    """X ≻ 0 in each context with X − 𝒯*X ≻ 0; None where none is found."""
    if not memory.tables.M:
        return [[] for _ in memory.tables.contexts]
    shown = show_bounded(_remembered(memory), Fraction(1))
    return None if shown is None else [X.to_strings() for X in shown.lyapunov]


def _remembered(memory: Memory[RationalMatrix]) -> JumpSystem:
    """m' = R m, the difference of two memories, as a jump linear system at the step 1."""
    found, M = memory.tables, memory.tables.M
    moves, nothing = [], RationalMatrix.zeros(M, 1)
    for edge in found.edges:
        rows = [[Fraction(-(i == j)) for j in range(M)] for i in range(M)]
        for (i, j), x in found.recursions[edge][0].items():
            if (edge.source, j) in memory.reached:
                rows[i][j] += to_fraction(x)
        moves.append(WindowMove(edge.source, edge.target, edge.outcome.probability, RationalMatrix(rows), nothing))
    name, none = found.algorithm.name, RationalMatrix.zeros(M, M)
    return JumpSystem(name, None, found.states, found.contexts, tuple(moves), none, 0)


def gain_of(memory: Memory[RationalMatrix], X: ByWindow) -> Fraction:
    """What the jumps of the mean of the memory given the context add to the form, per step of the stationary regime."""
    found, M = memory.tables, memory.tables.M
    law = [to_fraction(x) for x in memory.law]
    g = [
        RationalMatrix.column([*(to_fraction(memory.mean.get((k, i), fmpq(0))) / d for i in range(M)), 1])
        for k, d in enumerate(law)
    ]
    total = Fraction(0)
    for edge in found.edges:
        b = (found.affine(edge) @ g[edge.source] - g[edge.target]).take(rows=range(M))
        total += edge.outcome.probability * law[edge.source] * (b.T @ X[edge.target] @ b)[0, 0]
    return total


def _where_it_grows(memory: Memory[RationalMatrix]) -> Floats | None:
    """A Q ≻ 0 with ⟨Q, W⟩ < 0, W what would be the covariances of the memory; None where I will do."""
    try:
        moments = memory.second
    except SingularMatrixError:
        return None
    M = memory.tables.M
    means = [total.take(range(M), [M]) for total in moments]
    whole = [
        (total.take(range(M), range(M)) - (u @ u.T).scaled(1 / to_fraction(d))).to_float()
        for total, u, d in zip(moments, means, memory.law, strict=True)
    ]
    values, vectors = zip(*(np.linalg.eigh(W) for W in whole), strict=True)
    h = int(np.argmin([value[0] for value in values]))
    x, least, all_of_it = vectors[h][:, 0], float(values[h][0]), sum(float(np.abs(value).sum()) for value in values)
    if least >= 0:
        return None
    Q = np.array([np.eye(M) * (-least / (4 * all_of_it))] * len(whole))
    Q[h] += np.outer(x, x)
    return np.asarray(Q)


def covariance_certificates(
    found: Stationary[RationalMatrix], ratios: Sequence[Fraction], rest: Rest, noise: Noise
) -> list[Certificate]:
    """``update_covariance``: the noise at rest, and what averages and small steps make of it; jointly, and on the slow
    time scale.
    """
    regime, forgets = regime_witness(found), _forgets(found.memory)
    if regime is None or forgets is None:
        return []
    made = []
    scales = None if noise.slow is None else time_scales(found)
    slow = scales.slow if isinstance(scales, TimeScales) else None
    for name, B, spread in (("joint", quotient(found, ratios), noise.of_seen), ("slow", slow, noise.slow)):
        proof = None if B is None or spread is None else prove_stable(B)
        if proof is None or spread is None:
            continue
        given = {"noise": noise.long_run, "averaged": spread[0], "at_small_steps": spread[1]}
        about = _about(
            found.tables,
            found.visible[0],
            matrix=name,
            ratios=[str(x) for x in ratios],
            **_drift(rest),
            **{key: matrix.to_strings() for key, matrix in given.items()},
        )
        assert rest.seen is not None
        witness = {
            **regime,
            **witness_of(proof),
            "rest": strings(rest.seen),
            "memory": forgets,
            "moments": [X.to_strings() for X in found.memory.second],
            "ahead": [X.to_strings() for X in noise.ahead],
        }
        made.append(Certificate("update_covariance", about, witness))
    return made


def safe_step_certificate(found: SafeSteps, ratios: Sequence[Fraction]) -> Certificate:
    """``update_safe_steps``: every step up to one, with bounded memory."""
    about = _about(found.tables, range(found.tables.D), ratios=[str(x) for x in ratios], upto=str(found.upto))
    witness = {
        "bounds": [[str(x) for x in w] for w in found.bounds],
        "lyapunov": found.lyapunov.to_strings(),
        "tilt": [[part.to_strings() for part in parts] for parts in found.tilt],
    }
    return Certificate("update_safe_steps", about, witness)


def growth_certificate(found: Growth, ratios: Sequence[Fraction]) -> Certificate:
    """``update_no_safe_step``: memory that grows along a cycle; at these ratios, or at the steps of the tables."""
    within = found.tables
    names = within.algorithm.steps
    sizes = {"steps": [str(within.steps[name]) for name in names]} if within.steps else {"ratios": [*map(str, ratios)]}

    def numbers(edges: Iterable[Edge]) -> list[int]:
        return [within.leaving[edge.source].index(edge) for edge in edges]

    witness = {
        "start": (*found.walk, *found.cycle)[0].source,
        "walk": numbers(found.walk),
        "cycle": numbers(found.cycle),
        "factor": str(found.factor),
        "others": [str(x) for x in found.others],
    }
    return Certificate("update_no_safe_step", _about(within, range(within.D), **sizes), witness)


def moments_certificate(own: Tables, start: Sequence[Fraction], y0: Sequence[Fraction], at: AtTime) -> Certificate:
    """``update_moments``: mean and covariance at a time. Arguments as of ``moments_in_time``."""
    law = [Fraction(0)] * own.model.n
    if own.model.sampling is not None:
        law = list(own.model.sampling.column_entries())
    else:
        for s, p in zip(own.states, start, strict=True):
            law[s] = p
    about = {
        "update": update_of(own),
        "steps": [str(own.steps[name]) for name in own.algorithm.steps],
        "start": [str(p) for p in law],
        "begin": [str(y) for y in y0],
        "time": at.t,
        "mean": strings(at.mean),
        "covariance": at.covariance.to_strings(),
    }
    return Certificate("update_moments", about, {})
