"""Certificate bodies for the facts every other check rests on: laws, classes, ranks, nonsingular matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpz, nmod_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import PRIME, to_fmpq
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

PRIMES = (1073741789, 1073741783, 1073741741, 1073741723)
"""The four largest primes below 2^30, a digit of Python's integers: the checker multiplies residues by the million.
Where none of them serves, larger ones are asked.
"""


def strings(vector: RationalMatrix) -> list[str]:
    """A column as rational strings."""
    return [row[0] for row in vector.to_strings()]


def stationary_certificate(chain: Chain, states: Sequence[int]) -> Certificate:
    """The stationary law of one recurrent class; ``unique`` where there is no other."""
    law = chain.stationary_law(tuple(states))
    about = {"class": list(states), "unique": len(chain.recurrent_classes) == 1}
    return Certificate("stationary_law", about, {"stationary": strings(law)})


def irreducibility_certificate(chain: Chain) -> Certificate:
    """Two spanning arborescences, or a closed set that the chain never leaves."""
    if chain.is_irreducible:
        from_root, to_root = chain.spanning_arborescences()
        return Certificate("irreducible", {}, {"root": 0, "from_root": from_root, "to_root": to_root})
    return Certificate("reducible", {}, {"closed_set": list(chain.recurrent_classes[0])})


def period_certificate(chain: Chain, states: Sequence[int]) -> Certificate:
    """The period of a recurrent class, pinned from both sides."""
    evidence = chain.period(tuple(states))
    witness = {
        "period": evidence.period,
        "phase": list(evidence.phase),
        "closed_walks": [list(walk) for walk in evidence.closed_walks],
    }
    return Certificate("period", {"class": list(states)}, witness)


def rank_certificate(Phi: RationalMatrix, states: Sequence[int] | None) -> Certificate:
    """Full column rank of Φ on the states (None: all), or a vector of its kernel."""
    about = {} if states is None else {"class": list(states)}
    restricted = Phi if states is None else Phi.take(rows=states)
    vector = restricted.null_vector()
    if vector is not None:
        return Certificate("rank_deficient", about, {"vector": strings(vector)})
    return Certificate("full_column_rank", about, {"rank": rank_witness(Phi, states)})


def rank_witness(Phi: RationalMatrix, states: Sequence[int] | None) -> Mapping[str, Any]:
    """The sub-witness ``rank``: rows of Φ (full column rank) whose determinant is not zero modulo a prime."""
    index = list(range(Phi.shape[0])) if states is None else list(states)
    chosen = Phi.take(rows=index).T.independent_columns()
    rows = [index[k] for k in chosen]
    square = Phi.take(rows=rows)
    return {"prime": nonzero_modulo(square), "rows": rows}


def nonzero_modulo(square: RationalMatrix, apart: int = 1) -> int | None:
    """A prime modulo which the determinant of a square matrix is not zero; None where the matrix is singular.

    It divides no denominator of the matrix, and not ``apart``. After PRIMES come all primes below 2^61, from above:
    only finitely many fail.
    """
    below = apart * int(square.denominator)

    def serves(prime: int) -> bool:
        return below % prime != 0 and int(nmod_mat(square.numerator, prime).det()) != 0

    found = next(filter(serves, PRIMES), None)
    if found is not None or not square.is_regular:
        return found
    return next(p for p in range(PRIME, 2**30, -2) if fmpz(p).is_prime() and serves(p))


def prime_of(keys: KeyMatrices[RationalMatrix]) -> int | None:
    """A prime that shows det A ≠ 0 to whoever builds A modulo it, so it divides no denominator on the way to A either;
    None where A is singular.
    """
    parts = (keys.d, keys.N, keys.Phi, *(() if keys.mass is None else (keys.mass,)))
    lambdas = (to_fmpq(x) for x in (*keys.lambdas, keys.tail))
    return nonzero_modulo(keys.A, math.lcm(*(int(x.denominator) for x in parts), *(int(x.q) for x in lambdas)))


def about_matrix(states: Sequence[int], kernel: str, **more: Any) -> Mapping[str, Any]:
    """The ``about`` of a certificate on a key matrix."""
    about: dict[str, object] = {"class": list(states), **more}
    if kernel != "target":
        about["kernel"] = kernel
    return about


def singular_certificate(keys: KeyMatrices[RationalMatrix], states: Sequence[int], kernel: str) -> Certificate:
    """A x = 0 for an x ≠ 0. A must be singular."""
    null = keys.A.null_vector()
    assert null is not None
    witness = {"stationary": strings(keys.d), "vector": strings(null)}
    return Certificate("singular", about_matrix(states, kernel, matrix="A"), witness)


def fixed_point_certificate(
    keys: KeyMatrices[RationalMatrix], states: Sequence[int], kernel: str, theta: RationalMatrix
) -> Certificate | None:
    """Aθ + b = 0 with A nonsingular; None where A is singular."""
    prime = prime_of(keys)
    if prime is None:
        return None
    witness = {"stationary": strings(keys.d), "theta": strings(theta), "prime": prime}
    return Certificate("fixed_point", about_matrix(states, kernel), witness)


def kernel_name(model: Model) -> str:
    """The kernel that the algorithms meet: the target's, or the covered part of it."""
    return "covered" if model.uncovered else "target"
