r"""The generalised Bellman operator P^λ, weights of states and means with both, as expressions in a model's quantities.

The notation is that of Yu 2015 (§2); with the law in the place of emphasis and one λ they are those of TD(λ).

N = P_πΓ. On models the λ(s) are those of the schedule in turn, and the interest in a state is the square of its mean
reward, which may be zero; the proofs have any λ(s) and i(s), by symbols for the law weighted with the interest and for
the substochastic Q = P^λ. Λ is the diagonal matrix of the λ(s).

    I − Q = (I − NΛ)⁻¹(I − N), so Q = (I − NΛ)⁻¹N(I − Λ),    diag(M̄) = (I − Qᵀ)⁻¹d,    C = −ΦᵀM̄(I − Q)Φ.

The forms behind all of it, for any Q, m and v (:func:`form_identity`, :func:`lagrange_identity`):

    vᵀ(M̄(I − Q) + (I − Qᵀ)M̄)v = Σ_s v_s² (m(1 − Q1) + (m − Qᵀm))_s + Σ_{s,s'} m_s Q_ss' (v_s − v_s')²,
    (M̄(I − Q)v)_s² ≤ m_s (m_s (1 − Q1)_s v_s² + Σ_s' m_s Q_ss' (v_s − v_s')²)        (Cauchy and Schwarz).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations, cycle, islice
from operator import add
from typing import Any

from tdcert.claims.box import Box
from tdcert.claims.verdicts import Status, Verdict, refuted
from tdcert.theory.expressions.notation import Name, diagonal, its, solution
from tdcert.theory.expressions.paths import column
from tdcert.theory.expressions.relations import Expression, decide_relations
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule


def lambdas_of(model: Model) -> tuple[Fraction, ...]:
    """λ(s) of each state: those of the schedule in turn; ½ where all are zero."""
    given = (*model.schedule.lambdas, *[model.schedule.tail] * bool(model.schedule.tail))
    return tuple(islice(cycle(given if any(given) else (Fraction(1, 2),)), model.n))


def lam_of(model: Model) -> Expression:
    """λ(s) of each state (n×1)."""
    return column(lambdas_of(model))


def every(lam: Fraction | int) -> Expression:
    """One λ in every state (n×1)."""
    return Name(lam) * its.ones


def missed(lam: Expression) -> Expression:
    """I − Q (n×n) for Q = P^λ, from the λ(s) (n×1)."""
    return solution(its.I - its.N @ diagonal(lam), its.I - its.N)


def reached(lam: Expression) -> Expression:
    """Q = P^λ (n×n)."""
    return its.I - missed(lam)


def rewarded(lam: Expression) -> Expression:
    """r^λ (n×1)."""
    return solution(its.I - its.N @ diagonal(lam), its.r)


ON_MODELS = (
    "On models the λ(s) are those of the schedule in turn, and i(s) = r(s)²; the proof has any λ(s), and any law "
    "weighted with any interest."
)
"""What certificates of these statements are about."""
OF_INTEREST: Expression = its.D @ diagonal(its.r) @ its.r
"""d(s)i(s) with i(s) = r(s)² (n×1); zero outside the recurrent class."""


def emphasis(lam: Expression, weighted: Expression = OF_INTEREST) -> Expression:
    """diag(M̄) (n×1), from the law ``weighted`` with the interest in each state."""
    return solution(missed(lam).T, weighted)


def mean_matrix(lam: Expression, weights: Expression) -> Expression:
    """−Φᵀ diag(weights) (I − Q)Φ (d×d): C (2.9) with the weights :func:`emphasis`."""
    return -(its.Phi.T @ diagonal(weights) @ missed(lam) @ its.Phi)


def without_discount(states: Sequence[int], model: Model, detail: str, undefined: str) -> Verdict:
    """The refutation where I − N is singular because no transition is discounted: N1 = 1. Called while a
    SingularMatrixError is handled, which it raises again for any other reason.
    """
    constant = decide_relations(model, [(its.N @ its.ones, "=", its.ones)], states=states)
    if constant.status is not Status.HOLDS:
        raise
    return refuted(f"no transition is discounted: {detail}", by=constant.certificates, undefined=undefined)


OUTSIDE = Box(entries=(0, 1), gammas=(Fraction(3, 4),), schedules=(Schedule((Fraction(2),)),))
"""λ = 2."""


def C(model: Model) -> Expression:
    """C of the model, with its λ(s)."""
    lam = lam_of(model)
    return mean_matrix(lam, emphasis(lam))


def form_identity(n: int) -> bool:
    """The first form, for a free Q (n×n), m and v."""
    _, Q, m, v = free(q=(n, n), m=n, v=n)
    rows = Q.rows
    image = [m[s] * (v[s] - reduce(add, (rows[s][t] * v[t] for t in range(n)))) for s in range(n)]
    form = 2 * reduce(add, (x * y for x, y in zip(v, image, strict=True)))
    law = [m[s] - reduce(add, (rows[t][s] * m[t] for t in range(n))) for s in range(n)]
    lost = [m[s] * (1 - reduce(add, rows[s])) for s in range(n)]
    squares = reduce(add, (v[s] ** 2 * (lost[s] + law[s]) for s in range(n)))
    spread = reduce(add, (m[s] * rows[s][t] * (v[s] - v[t]) ** 2 for s in range(n) for t in range(n)))
    return bool(form == squares + spread)


def lagrange_identity(k: int) -> bool:
    """(Σ a_i)(Σ a_ix_i²) − (Σ a_ix_i)² = Σ_{i<j} a_ia_j(x_i − x_j)², for k free terms: no less than zero for a ≥ 0."""
    _, a, x = free(a=k, x=k)
    left = reduce(add, a) * reduce(add, (p * y**2 for p, y in zip(a, x, strict=True)))
    left = left - reduce(add, (p * y for p, y in zip(a, x, strict=True))) ** 2
    pairs = [a[i] * a[j] * (x[i] - x[j]) ** 2 for i, j in combinations(range(k), 2)]
    return bool(left == reduce(add, pairs))


def law_identity(n: int) -> bool:
    """m_s = d_s + Σ_t m_tQ_ts and G_ss = 2m_s(1 − Q_ss), for d = (I − Qᵀ)m with a free Q (n×n) and m."""
    ring, Q, m = free(q=(n, n), m=n)
    unit = Q.identity(n)
    column = ring.matrix([[x] for x in m])
    half = (unit - Q).scale_rows(column)
    d, G = (unit - Q).T @ column, half + half.T
    carried = [d[s, 0] + reduce(add, (m[t] * Q[t, s] for t in range(n))) for s in range(n)]
    return bool(all(carried[s] == m[s] and G[s, s] == 2 * m[s] * (1 - Q[s, s]) for s in range(n)))


def trace_identity(n: int) -> bool:
    """eᵀ(N − I)Φ = Φᵀ diag(M)(Q − I)Φ for the trace e = (I − NΛ)⁻ᵀ diag(M)Φ, which is carried on by the λ of the state
    that it comes to: free N, λ(s), M and one feature, n states.
    """
    ring, N, lam, M, phi = free(p=(n, n), l=n, m=(n, 1), f=(n, 1))
    unit, before, Q = reached_by_states(ring, N, lam)
    e = before.T.solve(phi.scale_rows(M))
    return bool(((e.T @ (N - unit) - phi.scale_rows(M).T @ (Q - unit)) @ phi).is_zero())


def weights_identity(n: int) -> bool:
    """Λd + (I − Λ)(I − Nᵀ)⁻¹d = (I − Qᵀ)⁻¹d, for free N, λ(s) and weights d, n states: E M is diag(M̄)."""
    ring, N, lam, d = free(p=(n, n), l=n, d=(n, 1))
    unit, _, Q = reached_by_states(ring, N, lam)
    F = (unit - N).T.solve(d)
    M = ring.matrix([[x * d[s, 0] + (1 - x) * F[s, 0]] for s, x in enumerate(lam)])
    return bool((M - Q.T @ M - d).is_zero())


def reached_by_states(ring: Any, N: Any, lam: Any) -> tuple[Any, Any, Any]:
    """I, I − NΛ and Q on symbols."""
    n = len(lam)
    unit = N.identity(n)
    before = ring.matrix([[unit[s, t] - N[s, t] * lam[t] for t in range(n)] for s in range(n)])
    return unit, before, unit - before.solve(unit - N)
