r"""Step sizes against the noise of a chain: summation by parts, the look-ahead, and the flip chain on which Theorem 4.2
fails.

The witness: two states that alternate, φ = 1, γ = ½, reward 1 on leaving the first, TD(0), α_t = 1/t for even t (spent
in the first state) and 1/t² for odd t (in the second). With x = 2 − θ, and t = 2k the k-th even time:

    at t = 2k     x ← (1 − 1/(4k)) x,
    at t = 2k + 1 x ← (1 − β_k/2) x + β_k,   β_k = 1/(2k + 1)² ≤ ¼(1/k − 1/(k + 1)).

So from x_m ≥ 0 on, x_n ≤ p x_m + 1/(4m) − 1/(4n) with p = Π_{k=m}^{n−1}(1 − 1/(4k)) and p⁴ ≤ m/n. Two consequences:
from θ = 2, θ never falls below 7/4; and from any θ in [0, 2], x_n ≤ 9/(4m) as soon as n ≥ m⁵: θ_t → 2. The mean
dynamics has θ* = 1 as its only invariant set.

The same chain under TDC, with α_t and β_t that both follow it: x = 2 − θ, y = w,

    first state    x ← (1 − α/2) x + (α/2) y,       y ← (β/2) x + (1 − β) y,
    second state   the same, then x + α and y − β.

For 0 ≤ α, β ≤ 1 the linear part does not increase max(|x|, |y|). So from θ = 2, w = 0 it stays below the sum of all
max(α_t, β_t) spent in the second state: below ¼ for 1/t² at odd t ≥ 3, whatever the steps in the first state are.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.symbols import free
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.model.returns import td_errors


def has_no_negative_coefficient(element: Any) -> bool:
    """Whether numerator and denominator of a rational function have coefficients of one sign: then it is ≥ 0 for
    symbols ≥ 0."""
    parts = [list(element.numer.coeffs()), list(element.denom.coeffs())]
    signs = [{c > 0 for c in coefficients} for coefficients in parts]
    return not element or (signs[0] == signs[1] and len(signs[0]) == 1)


def flip_update() -> bool:
    """The two updates of x = 2 − θ, from the suite's own TD errors on symbols θ, α."""
    ring = SymbolicRing("t", "a")
    theta, alpha = ring.symbols
    half = 1 / ring.element(2)
    values = [theta, theta]
    (rewarded,), (plain,) = td_errors([ring.element(1)], [half], values), td_errors([ring.element(0)], [half], values)
    x = 2 - theta
    first, second = 2 - (theta + alpha * rewarded), 2 - (theta + alpha * plain)
    return bool(first == (1 - alpha / 2) * x and second == (1 - alpha / 2) * x + alpha)


def odd_steps_are_small() -> bool:
    """1/(2k + 1)² ≤ ¼(1/k − 1/(k + 1)) for k ≥ 1: with k = 1 + j the difference has no negative coefficient in j."""
    ring = SymbolicRing("j")
    k = ring.symbols[0] + 1
    return has_no_negative_coefficient((1 / k - 1 / (k + 1)) / 4 - 1 / (2 * k + 1) ** 2)


def even_steps_shrink() -> bool:
    """(1 − 1/(4k))⁴ ≤ k/(k + 1) for k ≥ 1, so that the product from m to n − 1 is at most (m/n)^{1/4}; and 1 − 1/(4k) ≥
    0."""
    ring = SymbolicRing("j")
    k = ring.symbols[0] + 1
    factor = 1 - 1 / (4 * k)
    return has_no_negative_coefficient(k / (k + 1) - factor**4) and has_no_negative_coefficient(factor)


def flip_bound_step() -> bool:
    """Induction step of x_n ≤ p x_m + 1/(4m) − 1/(4n): the bound at n, updated, lies below the bound at n + 1.

    With β ≤ ¼(1/n − 1/(n + 1)) for the step in the second state and x ≥ 0: new x ≤ (1 − 1/(4n))(p x_m + 1/(4m) −
    1/(4n)) + β. The slack is (1/(4n))(1/(4m) − 1/(4n)), which is ≥ 0 for n ≥ m: with m = 1 + i, n = m + j it has no
    negative coefficient.
    """
    ring = SymbolicRing("i", "j", "p", "x")
    i, j, p, x = ring.symbols
    m = 1 + i
    n = m + j
    updated = (1 - 1 / (4 * n)) * (p * x + 1 / (4 * m) - 1 / (4 * n)) + (1 / n - 1 / (n + 1)) / 4
    bound = (1 - 1 / (4 * n)) * p * x + 1 / (4 * m) - 1 / (4 * (n + 1))
    return has_no_negative_coefficient(bound - updated)


def tdc_flip_update(tdc: ScheduleUpdate) -> bool:
    """The updates of x = 2 − θ and y = w in both states, from TDC's own terms, on symbols x, y, α, β."""
    ring = SymbolicRing("x", "y", "a", "b")
    x, y, alpha, beta = ring.symbols
    one, half = ring.element(1), 1 / ring.element(2)
    start = (2 - x, y, one)
    for reward, second in ((one, 0), (ring.element(0), 1)):
        z, ahead, phi = (np.array([[entry]], object) for entry in (one, half - 1, one))
        U, V = tdc.matrices(z, ahead, phi, np.array([reward], object))
        theta, w = (
            before + step * sum(row[k] * start[k] for k in range(3))
            for before, step, row in zip(start, (alpha, beta), (U[0][0], V[0][1]), strict=False)
        )
        if 2 - theta != (1 - alpha / 2) * x + alpha / 2 * y + second * alpha:
            return False
        if w != beta / 2 * x + (1 - beta) * y - second * beta:
            return False
    return True


def maximum_does_not_grow() -> bool:
    """The weights of :func:`tdc_flip_update` are ≥ 0 and sum to at most one: α = 1/(1 + i), β = 1/(1 + j), i, j ≥ 0."""
    ring = SymbolicRing("i", "j")
    alpha, beta = (1 / (1 + k) for k in ring.symbols)
    rows = ((1 - alpha / 2, alpha / 2), (beta / 2, 1 - beta))
    return all(has_no_negative_coefficient(part) for row in rows for part in (*row, 1 - sum(row)))


def summation_by_parts_step() -> bool:
    """Step of Σ_{t<T} α_t(f_t − f̄) = Σ α_t m_{t+1} + α_0 g_0 − α_{T−1} g_T + Σ_{0<t<T} (α_t − α_{t−1}) g_t, f − f̄ = g
    − Pg.

    The term t = T adds α_T(g_T − Pg_T) on the left; on the right α_T m_{T+1} with m_{T+1} = g_{T+1} − Pg_T, the
    boundary moves from −α_{T−1}g_T to −α_T g_{T+1}, and (α_T − α_{T−1}) g_T is new. All symbols free.
    """
    before, alpha, g, after, Pg = SymbolicRing("a", "b", "g", "h", "q").symbols
    added = alpha * (after - Pg) + (before * g - alpha * after) + (alpha - before) * g
    return bool(alpha * (g - Pg) == added)


def summation_by_parts(steps: int) -> bool:
    """The whole identity for ``steps`` free steps, solutions g and images Pg."""
    _, alpha, g, Pg = free(a=steps + 1, g=steps + 1, q=steps + 1)
    left = sum(alpha[t] * (g[t] - Pg[t]) for t in range(steps))
    martingale = sum(alpha[t] * (g[t + 1] - Pg[t]) for t in range(steps))
    parts = sum((alpha[t] - alpha[t - 1]) * g[t] for t in range(1, steps))
    return bool(left == martingale + alpha[0] * g[0] - alpha[steps - 1] * g[steps] + parts)


def look_ahead(steps: int) -> bool:
    """w_t = Σ_{i≥t} α_iP^{i−t}f makes Σ_{i<t} α_if(X_i) + w_t(X_t) a martingale: w_t − α_tf = Pw_{t+1}, on two states.

    All entries of P, f and the steps α_0, …, α_{T−1} are free; w is the sum of powers, not the recursion.
    """
    _, P, f, alpha = free(p=(2, 2), f=(2, 1), a=steps)
    images = [f]
    for _ in range(steps):
        images.append(P @ images[-1])

    def w(t: int) -> Any:
        return reduce(add, (images[i - t].scaled(alpha[i]) for i in range(t, steps)), f.scaled(0))

    return all((w(t) - f.scaled(alpha[t]) - P @ w(t + 1)).is_zero() for t in range(steps))


def weighted_rest_point() -> bool:
    """With steps a·α_t in the first state and b·α_t in the second, TD(0) rests in the mean at 2a/(a + b), not at 1.

    Two equally likely states, φ = 1, γ = ½, reward 1 on leaving the first; from the suite's own TD errors on symbols.
    """
    ring = SymbolicRing("a", "b")
    a, b = ring.symbols
    theta, half = 2 * a / (a + b), 1 / ring.element(2)
    (rewarded,), (plain,) = (td_errors([ring.element(reward)], [half], [theta, theta]) for reward in (1, 0))
    return not (half * a * rewarded + half * b * plain)


def even_update() -> bool:
    """Two equally likely states, φ = 1, γ = ½, reward 1 on leaving the first, TD(0): E(θ' − 1)² = (1 − α/2)²(θ − 1)² +
    α²/4, from the suite's own TD errors on symbols θ, α."""
    ring = SymbolicRing("t", "a")
    theta, alpha = ring.symbols
    half = 1 / ring.element(2)
    errors = [td_errors([ring.element(reward)], [half], [theta, theta])[0] for reward in (1, 0)]
    mean = half * sum((theta + alpha * error - 1) ** 2 for error in errors)
    return bool(mean == (1 - alpha / 2) ** 2 * (theta - 1) ** 2 + alpha**2 / 4)


def slow_drift_step() -> bool:
    """e' = (1 − α/2)²e + α²/4, α = a/s, 0 < a ≤ 1 ≤ s: se' ≥ (s − 1)e + a²/(4s).

    With a = 1/(1 + i) and s = 1 + j the difference has no negative coefficient in i, j, e ≥ 0. So (t + t_0 − 1)e_t, s =
    t + t_0, is at least (a²/4) Σ_{i<t} 1/(i + t_0), which has no bound.
    """
    ring = SymbolicRing("i", "j", "e")
    i, j, e = ring.symbols
    a, s = 1 / (1 + i), 1 + j
    after = (1 - a / s / 2) ** 2 * e + (a / s) ** 2 / 4
    return has_no_negative_coefficient(s * after - (s - 1) * e - a**2 / (4 * s))


def slow_steps_step() -> bool:
    """e' = (1 − α/2)²e + α²/4 ≥ α/4 where e ≥ α/4 and α ≤ 1: with α = 1/(1 + i), e = α/4 + u."""
    ring = SymbolicRing("i", "u")
    i, u = ring.symbols
    alpha = 1 / (1 + i)
    return has_no_negative_coefficient((1 - alpha / 2) ** 2 * (alpha / 4 + u) + alpha**2 / 4 - alpha / 4)


def fast_ratio_step(tdc: ScheduleUpdate) -> bool:
    """TDC in one state, φ = 1, γ = ½, z = −½ (λ_1 = −3), reward 0, α = 10β: V = θ² − 18θw + 104w² never falls.

    V(next) − V = (β/2)(θ² + 34w²) + β²((a − 9b)² + 23b²) with a = 10(θ − 5w)/4, b = (θ − 4w)/4, from TDC's own
    terms on symbols; and V = (θ − 9w)² + 23w² is positive off the origin.
    """
    ring = SymbolicRing("t", "w", "b")
    theta, w, beta = ring.symbols
    one, half = ring.element(1), 1 / ring.element(2)
    z, ahead, phi = (np.array([[entry]], object) for entry in (-half, half - 1, one))
    U, V = tdc.matrices(z, ahead, phi, np.array([ring.element(0)], object))
    start = (theta, w, one)
    theta_next = theta + 10 * beta * sum(U[0][0][k] * start[k] for k in range(3))
    w_next = w + beta * sum(V[0][1][k] * start[k] for k in range(3))

    def form(x: Any, y: Any) -> Any:
        return (x - 9 * y) ** 2 + 23 * y**2

    grown = beta / 2 * (theta**2 + 34 * w**2) + beta**2 * form(10 * (theta - 5 * w) / 4, (theta - 4 * w) / 4)
    written = theta**2 - 18 * theta * w + 104 * w**2
    return bool(form(theta, w) == written and form(theta_next, w_next) - written == grown)
