"""Claims decided exactly and fast on small models: integers, determinants, no certificates.

The answer is that of the claim's own check, which decides every counterexample again; this is for deciding many.
Only where the behaviour chain is irreducible, its policy covers the target's, and the schedule ends: there one law
exists and the algorithms meet the matrices of the theorems.
"""

from __future__ import annotations

from flint import fmpz, fmpz_mat

from tdcert.claims.claim import Claim
from tdcert.sweeps.batch import Batch
from tdcert.theory.arithmetic.unreduced import UnreducedMatrix, unreduced, weighted_laws
from tdcert.theory.check.decide import UNREDUCED, decide
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.mdp import mix_actions


def refuted(claim: Claim, batch: Batch, k: int) -> bool | None:
    """Whether the claim fails on the k-th model; None for a claim or a model that this does not decide."""
    schedule = batch.schedules[batch.schedule[k]]
    if claim.form is None or claim.form_is_part or not schedule.is_finite:
        return None
    if claim.form_under and not all(h.ask(batch.model(k)).satisfied for h in claim.form_under):
        return None
    keys = exact_keys(batch, k)
    if keys is None:
        return None
    gamma = max(batch.gammas[i] for i in batch.discounts[k].flat)
    holds = decide(claim.form, keys, gamma, schedule.kappa(gamma), UNREDUCED)
    return None if holds is None else not holds


def exact_keys(batch: Batch, k: int) -> KeyMatrices[UnreducedMatrix] | None:
    """The matrices of the theorems; None without coverage, or where the behaviour chain is not irreducible."""
    m = batch.shape[2]
    mu, pi = batch.behaviour[k].tolist(), batch.target[k].tolist()
    if any(p and not b for row, other in zip(pi, mu, strict=True) for p, b in zip(row, other, strict=True)):
        return None
    P = [weighted_laws(batch.transitions[k, a].tolist()) for a in range(m)]
    discounts = [unreduced([[batch.gammas[i]] for i in batch.discounts[k, a]]) for a in range(m)]
    rewards = [unreduced([[r] for r in batch.rewards[k, a].tolist()]) for a in range(m)]
    N, target, r, _ = mix_actions(P, discounts, rewards, _columns(pi))
    chain = target
    if m > 1:
        _, chain, _, _ = mix_actions(P, discounts, rewards, _columns(mu))
    law = _law(chain)
    if law is None:
        return None
    schedule = batch.schedules[batch.schedule[k]]
    return KeyMatrices(law, N, r, unreduced(batch.features[k].tolist()), schedule.lambdas, P=target)


def _law(P: UnreducedMatrix) -> UnreducedMatrix | None:
    """d = dP with Σd = 1 (n×1); None unless it is unique and positive, that is P irreducible."""
    n = P.shape[0]
    rows = (P.T - P.identity(n)).numerator.table()
    rows[-1] = [fmpz(1)] * n
    right = UnreducedMatrix(fmpz_mat(n, 1, [int(i == n - 1) for i in range(n)]), fmpz(1))
    try:
        law = UnreducedMatrix(fmpz_mat(rows), fmpz(1)).solve(right)
    except SingularMatrixError:
        return None
    sign = 1 if law.denominator > 0 else -1
    return law if all(sign * x > 0 for x in law.numerator.entries()) else None


def _columns(policy: list[list[int]]) -> list[UnreducedMatrix]:
    laws = weighted_laws(policy)
    table = laws.numerator.table()
    return [UnreducedMatrix(fmpz_mat([[row[a]] for row in table]), laws.denominator) for a in range(len(policy[0]))]
