"""Claims decided exactly and fast on small models: integers, determinants, no certificates.

The answer is that of the claim's own check, which decides every counterexample again; this is for deciding many.
Only where the behaviour chain is irreducible, its policy covers the target's, and the schedule ends: there one law
exists and the algorithms meet the matrices of the theorems.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpz, fmpz_mat

from sweeps.batch import Batch
from sweeps.loose import LooseMatrix, loose, weighted_laws
from theory.errors import SingularMatrixError
from theory.model.key_matrices import KeyMatrices
from theory.model.mdp import mix_actions

Decision = Callable[[KeyMatrices[LooseMatrix], Fraction, Fraction], bool]


def refuted(claim: str, batch: Batch, k: int) -> bool | None:
    """Whether the claim fails on the k-th model; None for a claim or a model that this does not decide."""
    schedule = batch.schedules[batch.schedule[k]]
    if claim not in DECISIONS or not schedule.is_finite:
        return None
    keys = exact_keys(batch, k)
    if keys is None:
        return None
    gamma = max(batch.gammas[i] for i in batch.discounts[k].flat)
    return not DECISIONS[claim](keys, gamma, schedule.kappa(gamma))


def exact_keys(batch: Batch, k: int) -> KeyMatrices[LooseMatrix] | None:
    """The matrices of the theorems; None without coverage, or where the behaviour chain is not irreducible."""
    m = batch.shape[2]
    mu, pi = batch.behaviour[k].tolist(), batch.target[k].tolist()
    if any(p and not b for row, other in zip(pi, mu, strict=True) for p, b in zip(row, other, strict=True)):
        return None
    P = [weighted_laws(batch.transitions[k, a].tolist()) for a in range(m)]
    discounts = [loose([[batch.gammas[i]] for i in batch.discounts[k, a]]) for a in range(m)]
    rewards = [loose([[r] for r in batch.rewards[k, a].tolist()]) for a in range(m)]
    N, chain, r, _ = mix_actions(P, discounts, rewards, _columns(pi))
    if m > 1:
        _, chain, _, _ = mix_actions(P, discounts, rewards, _columns(mu))
    law = _law(chain)
    if law is None:
        return None
    return KeyMatrices(law, N, r, loose(batch.features[k].tolist()), batch.schedules[batch.schedule[k]].lambdas)


def _law(P: LooseMatrix) -> LooseMatrix | None:
    """d = dP with Σd = 1 (n×1); None unless it is unique and positive, that is P irreducible."""
    n = P.shape[0]
    rows = (P.T - P.identity(n)).numerator.table()
    rows[-1] = [fmpz(1)] * n
    right = LooseMatrix(fmpz_mat(n, 1, [int(i == n - 1) for i in range(n)]), fmpz(1))
    try:
        law = LooseMatrix(fmpz_mat(rows), fmpz(1)).solve(right)
    except SingularMatrixError:
        return None
    sign = 1 if law.denominator > 0 else -1
    return law if all(sign * x > 0 for x in law.numerator.entries()) else None


def _columns(policy: list[list[int]]) -> list[LooseMatrix]:
    laws = weighted_laws(policy)
    table = laws.numerator.table()
    return [
        LooseMatrix(fmpz_mat([[row[a]] for row in table]), laws.denominator) for a in range(len(policy[0]))
    ]


def _symmetric(X: LooseMatrix) -> LooseMatrix:
    return X + X.T


def _negative_definite(keys: KeyMatrices[LooseMatrix], gamma: Fraction, kappa: Fraction) -> bool:
    return _symmetric(keys.A).scaled(-1).is_positive_definite()


def _margin(keys: KeyMatrices[LooseMatrix], gamma: Fraction, kappa: Fraction) -> bool:
    return (_symmetric(keys.A).scaled(-1) - keys.C.scaled(2 * (1 - kappa))).is_positive_semidefinite()


def _contraction(keys: KeyMatrices[LooseMatrix], gamma: Fraction, kappa: Fraction) -> bool:
    one = keys.N.identity(keys.N.shape[0])
    M, D = keys.M(one), one.scale_rows(keys.d)
    return (D.scaled(gamma**2) - M.T @ D @ M).is_positive_semidefinite()


DECISIONS: dict[str, Decision] = {
    "m_contraction": _contraction,
    "prop_4_1": _negative_definite,
    "thm_4_3": lambda keys, gamma, kappa: keys.A.is_hurwitz(),
    "thm_4_4": lambda keys, gamma, kappa: keys.A.is_nonsingular(),
    "thm_4_6": lambda keys, gamma, kappa: keys.A.is_nonsingular(),
    "negative_margin": _margin,
    "stationary_features": _margin,
}
"""By id: whether the statement holds, from the matrices, the largest discount γ and κ."""
