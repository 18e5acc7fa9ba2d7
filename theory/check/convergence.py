"""Certificates of convergence with probability one: everything that the theorems ask of a model, in one file.

On a chain with one recurrent class and no period, under coverage there and with a finite schedule:

* TD(λ)-schedule, on- or off-policy, where A is Hurwitz: a rank, where the kernel is below the behaviour chain, as it is
  on-policy; or a factor of −sym(A), or a Lyapunov matrix of A;
* GTD(λ)-schedule and TDC(λ)-schedule, where A is nonsingular: a prime modulo which it is.

Where columns of Φ are dependent on all states together, the certificate is about the predictions Φθ_t, and about some
of the columns that all are made of. By rank TD is certified for a constant λ without an end, too, where λγρ < 1 at
every transition.

θ* = −A⁻¹b is the limit. The theorems are 4.3, 4.4 and 4.6, as ``theory/formal/verified/checked.v`` and
``checked_columns.v`` state them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import prime_of, rank_witness, strings
from tdcert.theory.check.decide import definiteness
from tdcert.theory.check.mean_dynamics import reduce_features, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.forms import NEGATIVE_A
from tdcert.theory.limits import cached
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

FORMS = ("lyapunov", "factor_lyapunov", "factor_decrease")


def convergence_certificates(model: Model) -> tuple[Certificate, ...]:
    """The certificates of TD under its name on this model, of GTD and of TDC, where there are any."""
    names = ("td" if model.is_on_policy else "off_policy_td", "gtd", "tdc")
    found = (convergence_certificate(model, name) for name in names)
    return tuple(certificate for certificate in found if certificate is not None)


def convergence_certificate(model: Model, algorithm: str) -> Certificate | None:
    """The certificate that ``td``, ``off_policy_td``, ``gtd`` or ``tdc`` converges to −A⁻¹b with probability one;
    of its predictions, where features are dependent.

    None where the theorem does not apply, or nothing is found that shows it.
    """
    gradient = algorithm in ("gtd", "tdc")
    reduced = reduce_features(model, tuple(range(model.n)))
    if reduced is None or (algorithm == "td" and not model.is_on_policy):
        return None
    inner = reduced.model
    shared = _shared(inner)
    if shared is None or (gradient and not model.schedule.is_finite):
        return None
    proof = _nonsingular(inner) if gradient else _by_rank(inner) or _decrease(inner)
    if proof is None or ("lyapunov" in proof and not reduced.is_full):
        return None
    return reduced.certificate("convergence", {"algorithm": algorithm}, {**shared, **proof})


@lru_cache(maxsize=8)
def _shared(model: Model) -> Mapping[str, object] | None:
    """What the certificates of all algorithms hold."""
    classes = model.behaviour_chain.recurrent_classes
    uncovered = {s for s, _ in model.uncovered}
    if len(classes) > 1 or uncovered & set(classes[0]):
        return None
    full = _full_column(model.behaviour_chain)
    keys = _keys(model)
    try:
        theta = keys.theta_star
    except SingularMatrixError:
        return None
    if full is None:
        return None
    doublings, column = full
    return {"stationary": strings(keys.d), "theta": strings(theta), "doublings": doublings, "column": column}


def _keys(model: Model) -> KeyMatrices[RationalMatrix]:
    return theorem_matrices(model, model.behaviour_chain.recurrent_classes[0])


def _full_column(chain: Chain) -> tuple[int, int] | None:
    """The smallest k with a column of P^(2^k) that has no zero, and such a column; None where there is none.

    An aperiodic class of n states has one after n² steps (Wielandt), which transient states reach after n more.
    """
    reached = np.zeros((chain.n, chain.n), dtype=np.float32)
    for s, targets in enumerate(chain.successors):
        reached[s, list(targets)] = 1
    for k in range((chain.n**2 + chain.n).bit_length() + 1):
        full = np.flatnonzero(reached.all(axis=0))
        if full.size:
            return k, int(full[0])
        reached = np.minimum(reached @ reached, 1)  # counts of paths, of which only the sign matters
    return None


@cached(8)
def _by_rank(model: Model) -> Mapping[str, object] | None:
    """A rank of Φ on the class, where the kernel that is met is below the chain's and is not the chain's there. A must
    be nonsingular, so that the columns are independent there.
    """
    states, keys = model.behaviour_chain.recurrent_classes[0], _keys(model)
    gap = model.behaviour_kernel.P - model.covered_kernel.N
    if not gap.is_nonnegative() or gap.take(rows=states).is_zero():
        return None
    if any(not 0 <= x <= 1 for x in model.schedule.lambdas):
        return None
    proof = {"rank": rank_witness(model.features, states)}
    if model.schedule.is_finite:
        return proof
    if model.uncovered or not _traces_fade(model):
        return None
    V = model.features @ keys.theta_star
    return {**proof, "series": strings(keys.S(keys.N @ V - V + keys.r))}


def _traces_fade(model: Model) -> bool:
    """Whether λγρ < 1 at every transition, λ the constant of a schedule without an end."""
    return all(
        model.schedule.tail * max(row) * pi < mu
        for a, discounts in enumerate(model.discounts)
        for row, pis, mus in zip(discounts.rows, model.target.rows, model.behaviour.rows, strict=True)
        for pi, mu in [(pis[a], mus[a])]
        if mu
    )


@cached(8)
def _decrease(model: Model) -> Mapping[str, object] | None:
    """A factor of −sym(A), or a Lyapunov matrix of A with its factors."""
    if not model.schedule.is_finite:
        return None
    states = model.behaviour_chain.recurrent_classes[0]
    found = td_dynamics(model, states)
    if found.mean_dynamics is not MeanDynamics.STABLE:
        return None
    known = found.certificate
    if known is not None and known.kind == "hurwitz":
        return {key: known.witness[key] for key in FORMS}
    if known is not None and "rank" not in known.witness:
        return {"factor": known.witness["factor"]}
    try:  # it is known by rank and D(I − M)
        answer = definiteness(NEGATIVE_A, _keys(model), states)
    except BudgetExceededError:
        return None
    return None if answer is None or answer.factor is None else {"factor": answer.factor.as_witness}


def _nonsingular(model: Model) -> Mapping[str, object]:
    """A prime modulo which A is nonsingular. It must be."""
    return {"prime": prime_of(_keys(model))}
