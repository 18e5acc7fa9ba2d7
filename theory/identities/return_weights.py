r"""Weights, mixtures, returns and traces of a λ-schedule: the identities of §2, A1 and A2, on symbols.

The return of §2 is a mixture over episode lengths: an episode ends after i steps with probability (1 − γ)γ^{i−1}, and
row i of Λ then weighs the bootstrapped returns after j < i steps and, on its diagonal, the flat return. A matrix of K
rows stands for one whose rows from the K-th on are equal (padded with zeros): its last row carries the whole mass
γ^{K−1} of the longer episodes, so every infinite sum closes.

Every function of this module that ends in a verdict returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.returns import delta_expansion, recursive_traces, schedule_return, td_errors, trace
from tdcert.theory.model.schedule import return_weights, trace_weights, weight_matrix

Rows = Sequence[Sequence[Any]]


def mixture_coefficients(rows: Rows, gamma: Any) -> tuple[list[Any], list[Any]]:
    """Coefficients of R_{t+1} … R_{t+K} and of V(s_{t+1}) … V(s_{t+K}) in the mixture G^Λ_t of §2, for K rows.

    R_{t+k} is part of the returns after j ≥ k steps: Σ_{i≥k} (1 − γ)γ^{i−1} Σ_{j=k}^i Λ_ij.
    V(s_{t+k}) is part of the bootstrapped return after k steps: Σ_{i>k} (1 − γ)γ^{i−1} Λ_ik.
    """
    K = len(rows)
    rewards, values = [], []
    for k in range(1, K + 1):
        # Horner over the lengths: the last row carries all that is left.
        reward, value = sum(rows[K - 1][k - 1 :]), rows[K - 1][k - 1]
        for i in range(K - 1, k - 1, -1):
            reward = (1 - gamma) * sum(rows[i - 1][k - 1 : i]) + gamma * reward
            if i > k:
                value = (1 - gamma) * rows[i - 1][k - 1] + gamma * value
        rewards.append(gamma ** (k - 1) * reward)
        values.append(gamma**k * value)
    return rewards, values


def geometric_step() -> bool:
    """(1 − q) + (1 − x)q = 1 − xq: the step of (1 − x) Σ_{i<k} xⁱ = 1 − xᵏ, with q = xᵏ."""
    x, q = SymbolicRing("x", "q").symbols
    return bool((1 - q) + (1 - x) * q == 1 - x * q)


def weights_of_constant_schedule(length: int) -> bool:
    """w_n = (1 − λ)λ^{n−1} for n ≤ L and w_{L+1} = λ^L, for symbolic λ."""
    ring = SymbolicRing("l")
    (lam,) = ring.symbols
    expected = [(1 - lam) * lam ** (n - 1) for n in range(1, length + 1)] + [lam**length]
    return [ring.element(w) for w in return_weights([lam] * length)] == [ring.element(w) for w in expected]


def coefficients_of_any_weights(size: int) -> bool:
    """For every row-stochastic Λ: R_{t+1} has the coefficient 1, and V(s_{t+1}), added under every length ≥ 2, has γ.

    Free Λ_ij (i ≥ 2, j < i), the diagonal one minus the rest of its row, free γ.
    """
    rows, gamma = free_weights(size)
    rewards, _ = mixture_coefficients(rows, gamma)
    after_adding = sum(rows[-1])
    for row in reversed(rows[1:-1]):
        after_adding = (1 - gamma) * sum(row) + gamma * after_adding
    return bool(rewards[0] == 1 and gamma * after_adding == gamma)


def coefficients_of_schedule(length: int) -> bool:
    """The coefficients of the schedule's Λ: γ^{k−1}c_{k−1} of R_{t+k}, γᵏc_{k−1}(1 − λ_k) of V(s_{t+k}); γ, λ free."""
    _, gamma, lambdas = free(g=(), l=length)
    size = length + 2
    rewards, values = mixture_coefficients(weight_matrix(lambdas, size), gamma)
    c, padded = [*trace_weights(lambdas), 0], [*lambdas, 0, 0]
    return all(
        rewards[k - 1] == gamma ** (k - 1) * c[k - 1] and values[k - 1] == gamma**k * c[k - 1] * (1 - padded[k - 1])
        for k in range(1, size + 1)
    )


def free_weights(size: int) -> tuple[list[list[Any]], Any]:
    """A row-stochastic lower triangular Λ with free entries below its diagonal, and a free γ."""
    _, gamma, below = free(g=(), w=("symmetric", size - 1))
    return lower_triangular([row[: i + 1] for i, row in enumerate(below.rows)], gamma), gamma


def lower_triangular(below: Rows, gamma: Any) -> list[list[Any]]:
    """The row-stochastic Λ with these rows (1, 2, … entries) below its diagonal, in the field of γ."""
    zero, size = 0 * gamma, len(below) + 1
    return [[*row, 1 - sum(row, start=zero), *[zero] * (size - len(row) - 1)] for row in ([], *below)]


def recursion_defect(size: int) -> bool:
    """Coefficient of R_{t+2} − γΛ_22 = Σ_{i≥3} (mass of length i) (Λ_21 − Λ_i1), for free row-stochastic Λ and γ.

    The recursion asks for the left side to be zero. With the masses (1 − γ)γ^{i−1} the right side is a power series in
    γ times (1 − γ): it vanishes for every γ only if Λ_i1 = Λ_21 for every i, that is, if column 1 is constant below its
    diagonal. What is left is Λ without its first row and column, divided by Λ_22: the same again, column by column.
    """
    rows, gamma = free_weights(size)
    rewards, _ = mixture_coefficients(rows, gamma)
    masses = [(1 - gamma) * gamma ** (i - 1) for i in range(1, size)] + [gamma ** (size - 1)]
    gaps = (mass * (rows[1][0] - row[0]) for mass, row in zip(masses[2:], rows[2:], strict=True))
    return bool(rewards[1] - gamma * rows[1][1] == sum(gaps))


def one_gamma_condition(size: int) -> bool:
    """At one γ the return is that of a schedule exactly if R_{t+k} has the coefficient γ^{k−1}Λ_kk, for every k.

    A schedule's coefficients ν_k of V(s_{t+k}) and ρ_k of R_{t+k} obey ν_k = γρ_k − ρ_{k+1} (ρ_k = γ^{k−1}c_{k−1}). For
    free row-stochastic Λ and γ: ν_k − (γρ_k − ρ_{k+1}) = (1 − γ)(ρ_k − γ^{k−1}Λ_kk).
    """
    rows, gamma = free_weights(size)
    rewards, values = mixture_coefficients(rows, gamma)
    after = [*rewards[1:], 0]
    return all(
        values[k] - (gamma * rewards[k] - after[k]) == (1 - gamma) * (rewards[k] - gamma**k * rows[k][k])
        for k in range(size)
    )


def constant_columns_recur(size: int) -> bool:
    """Columns constant below the diagonal give the recursion: the coefficients of Λ shift to γΛ_22 times those of Λ'.

    Λ_ij = a_j below the diagonal, free a_j, γ; Λ'_ij = Λ_{i+1,j+1}/Λ_22. Then the coefficient of R_{t+1+k} (and of
    V(s_{t+1+k})) in Λ is γΛ_22 times that of R_{t+k} (V(s_{t+k})) in Λ', and V(s_{t+1}) has γ(1 − Λ_22).
    """
    _, gamma, columns = free(g=(), a=size - 1)
    rows = lower_triangular([columns[:i] for i in range(1, size)], gamma)
    rewards, values = mixture_coefficients(rows, gamma)
    second = rows[1][1]
    inner_rewards, inner_values = mixture_coefficients([[x / second for x in row[1:]] for row in rows[1:]], gamma)
    shifted = all(x == gamma * second * y for x, y in zip(rewards[1:], inner_rewards, strict=True))
    shifted = shifted and all(x == gamma * second * y for x, y in zip(values[1:], inner_values, strict=True))
    return bool(shifted and rewards[0] == 1 and values[0] == gamma * (1 - second))


def columns_give_the_printed_condition(size: int) -> bool:
    """Λ_{j,j−1} + Λ_jj = Λ_{j−1,j−1} for j = 2 … ``size``: rows that sum to one, columns a_j below the diagonal."""
    _, columns = free(a=size - 1)
    diagonal = [1 - sum(columns[:i]) for i in range(size)]
    return all(columns[j - 1] + diagonal[j] == diagonal[j - 1] for j in range(1, size))


def mixture_is_recursion(length: int) -> bool:
    """The mixture of §2 with the schedule's Λ is the return of the recursion in §3; γ, λ, rewards, values free."""
    _, gamma, rewards, values, lambdas = free(g=(), r=length + 1, v=length + 2, l=length)
    recursion = schedule_return(rewards, [gamma] * len(rewards), values, lambdas)
    of_rewards, of_values = mixture_coefficients(weight_matrix(lambdas, length + 2), gamma)
    mixture = sum((x * y for x, y in zip(of_rewards, [*rewards, 0], strict=True)))
    mixture += sum((x * y for x, y in zip(of_values, [*values[1:], 0], strict=True)))
    return bool(mixture == recursion)


def cut_mixture_gap() -> bool:
    """A2 cuts the lengths at L: the mass that is left is 1 − γ^L, so with L = 1 the coefficient of R_{t+2} falls short.

    For L = 1 the braces hold (1 − γ)R_{t+2} alone: γλ_1(1 − γ) where the recursion has γλ_1; the gap is γ²λ_1.
    """
    gamma, lam = SymbolicRing("g", "l").symbols
    rewards, _ = mixture_coefficients(weight_matrix([lam], 3), gamma)
    return bool(rewards[1] - gamma * lam * (1 - gamma) == gamma**2 * lam)


def return_step() -> bool:
    """G − V = δ + γλ(G' − V') from G = R + γ((1 − λ)V' + λG'): the induction step of the δ-expansion, any L."""
    reward, gamma, lam, v0, v1, inner = SymbolicRing("R", "g", "l", "v0", "v1", "G").symbols
    outer = reward + gamma * ((1 - lam) * v1 + lam * inner)
    (delta,) = td_errors([reward], [gamma], [v0, v1])
    return bool(outer - v0 == delta + gamma * lam * (inner - v1))


def delta_expansion_holds(length: int) -> bool:
    """G − V(s_t) = Σ_k Γ_t…Γ_{t+k−1} c_k δ_{t+k}, with a discount of its own for every transition; all symbolic."""
    _, rewards, discounts, values, lambdas = free(r=length + 1, g=length + 1, v=length + 2, l=length)
    gap = schedule_return(rewards, discounts, values, lambdas) - values[0]
    return bool(gap == delta_expansion(rewards, discounts, values, lambdas))


def monte_carlo_remainder(length: int) -> bool:
    """λ_1 = … = λ_L = 1: the return is the flat one of L + 1 rewards plus the remainder γ^{L+1}V(s_{t+L+1})."""
    ring, gamma, rewards, values = free(g=(), r=length + 1, v=length + 2)
    found = schedule_return(rewards, [gamma] * len(rewards), values, [ring.element(1)] * length)
    flat = sum((gamma**k * reward for k, reward in enumerate(rewards)))
    return bool(found == flat + gamma ** (length + 1) * values[-1])


def constant_trace_recursion(length: int, t: int) -> bool:
    """z_t = γλz_{t−1} + φ_t − (γλ)^{L+1}φ_{t−L−1} (the last term only for t > L); d = 1, symbolic γ, λ, φ.

    For t ≤ L it is the trace of TD(λ) itself, :func:`tdcert.theory.model.returns.recursive_traces`.
    """
    _, gamma, lam, features = free(g=(), l=(), f=t + 1)
    phi, discounts, lambdas = [[f] for f in features], [gamma] * t, [lam] * length
    (now,), (before,) = trace(phi, discounts, lambdas, t), trace(phi[:-1], discounts[:-1], lambdas, t - 1)
    lost = (gamma * lam) ** (length + 1) * features[t - length - 1] if t > length else 0
    classical = t > length or recursive_traces(phi, discounts, lam)[t] == [now]
    return bool(classical and now == gamma * lam * before + features[t] - lost)


def window_equals_full_trace(length: int, t: int) -> bool:
    """The window of the last L + 1 states is the trace over all of them, λ_j = 0 for j > L; d = 1, all symbolic."""
    ring, gamma, lambdas, features = free(g=(), l=length, f=t + 1)
    phi, discounts = [[f] for f in features], [gamma] * t
    padded = [*lambdas, *[ring.element(0)] * max(0, t - length)]
    return bool(trace(phi, discounts, lambdas, t) == trace(phi, discounts, padded, t))


def same_trace_then_another(length: int) -> bool:
    """Two histories with the same z_{t−1} and the same φ_t whose z_t differ by γλ_1x; d = 1, L ≥ 1, all symbolic.

    They differ by x in φ_{t−1} and by −x/(γ^L c_L) in φ_{t−1−L}: the window of z_{t−1} sees both, that of z_t one only.
    """
    _, gamma, x, lambdas, features = free(g=(), x=(), l=length, f=length + 2)
    c = trace_weights(lambdas)[-1]
    other = list(features)
    other[0] = other[0] - x / (gamma**length * c)
    other[length] = other[length] + x
    t = length + 1
    histories = [[[f] for f in features], [[f] for f in other]]
    (first,), (second,) = (trace(h[:-1], [gamma] * (t - 1), lambdas, t - 1) for h in histories)
    (first_now,), (second_now,) = (trace(h, [gamma] * t, lambdas, t) for h in histories)
    return bool(first == second and second_now - first_now == gamma * lambdas[0] * x)


def weights_and_back(length: int) -> bool:
    """λ_n = 1 − w_n/(1 − Σ_{k<n} w_k) inverts w_n = c_{n−1} − c_n, both ways, for symbolic λ's and symbolic w's."""
    _, symbols = free(x=length)
    weights = [*symbols, 1 - sum(symbols)]
    return _lambdas_of(return_weights(symbols)) == symbols and return_weights(_lambdas_of(weights)) == weights


def _lambdas_of(weights: Sequence[Any]) -> list[Any]:
    """The printed inverse where no tail is zero (symbols); ``lambdas_from_weights`` is its twin for rationals."""
    lambdas, tail = [], 1 + 0 * weights[0]
    for w in weights[:-1]:
        lambdas.append(1 - w / tail)
        tail = tail - w
    return lambdas


def used_up_mass_hides_lambdas() -> bool:
    """After λ_1 = 0 no weight depends on λ_2: where the mass is used up, the schedule is not determined."""
    ring = SymbolicRing("l2")
    (free,) = ring.symbols
    return [ring.element(w) for w in return_weights([ring.element(0), free])] == [1, 0, 0]


def frozen_updates_agree(length: int, steps: int) -> bool:
    """Σ_t δ_t z_t = Σ_t (G_t − V(s_t))φ_t over a path of ``steps`` transitions, θ frozen, returns cut at its end.

    The forward and the backward algorithm make the same updates in sum where θ does not move in between. d = 1.
    """
    shapes = {"r": steps, "g": steps, "v": steps + 1, "f": steps + 1, "l": length}
    _, rewards, discounts, values, features, lambdas = free(**shapes)
    deltas = td_errors(rewards, discounts, values)
    phi = [[f] for f in features]
    backward = (deltas[t] * trace(phi, discounts, lambdas, t)[0] for t in range(steps))
    returns = (schedule_return(rewards[t:], discounts[t:], values[t:], lambdas) for t in range(steps))
    forward = ((found - values[t]) * features[t] for t, found in enumerate(returns))
    return bool(sum(backward) == sum(forward))


def state_lambdas_agree(steps: int, shift: int) -> bool:
    """Variable λ: Σ_t δ_t z_t = Σ_t (G_t − V(s_t))φ_t, z_t = γλ(s_t)z_{t−1} + φ_t, λ_j = λ(s_{t+j−shift}) in G_t.

    True for ``shift`` = 0, the usual variable λ; with ``shift`` = 1, the printed indices, it fails.
    """
    shapes = {"r": steps, "v": steps + 1, "f": steps + 1, "l": steps + 1}
    _, gamma, rewards, values, features, lambdas = free(g=(), **shapes)
    discounts = [gamma] * steps
    deltas = td_errors(rewards, discounts, values)
    z = backward = forward = 0
    for t in range(steps):
        z = gamma * lambdas[t] * z + features[t]
        backward += deltas[t] * z
        used = [lambdas[t + j - shift] for j in range(1, steps - t)]
        forward += (schedule_return(rewards[t:], discounts[t:], values[t:], used) - values[t]) * features[t]
    return bool(backward == forward)
