r"""Is a sum of logarithms of quadratic forms positive on all directions? Branch and bound, every rounding bounded.

**Without a block** the drift is g(t) = Σ c ½ log tᵀSt on R^n∖0, of one value along each ray. It is looked at on the
faces t_i = 1 of the cube, |t_j| ≤ 1. **With a block** of m coordinates (:mod:`tdcert.theory.enclose.drift_forms`) it is

    g₀(t, p) + (1/m) Σ_s g₁(t, p, p z_s),   Σ z_s = 0, Σ z_s² = 1, so |z_s| ≤ √((m−1)/m),

on the faces of the cube in (t, p), p ≥ 0. It is ≥ need there if, on each box of an *outer* cover, functions B and C
affine in (t, p) have H = g₀ + g₁ − (need − C/m) − B z − C z² ≥ 0 for all z: the mean of H over s is the drift − need.
B and C are proposed by the dual of the least mean over z at the centre of the box, and by gradients at its support.

**One box** of centre x and radii R: of each logarithm the terms of first and second order at the centre, and with
s = xᵀSx, ρ² = Σ |S_ij| R_i R_j / s < 1 a remainder of at most ρ³/(3(1 − ρ)). For D in the box
(x + τD)ᵀS(x + τD) = s |1 − τ/ζ|² with |ζ|² = s/DᵀSD ≥ ρ⁻², where S ⪰ 0; so ½ log of it is ½ log s − Re Σ_j (τ/ζ)^j/j.
Forms in (t, p, q) may be negative in q, where |q| is too large for p: xᵀSx ≥ −φ q². If both ζ are real, the absolute
values of 1/ζ are at most β + √(β² + φ R_q²/s), β = Σ |(Sx)_i| R_i/s, and ρ is the larger of this and the above.
q = p z is expanded in p and z. Where ρ is large, or s is lost in roundings, the logarithm is bounded as a whole: it is
½ log s up to the larger of log(1 + ρ) and ½ log s/``least``, as xᵀSx ≤ s (1 + ρ)² in the box, and at least ``least`` on
all directions; of an s that is lost Σ|S_ij| is an upper bound. That is little where the word is of little probability,
or the coefficient small. Boxes with a lower bound < 0 are halved where the bound loses the most.

**Rounding.** u = 2⁻⁵³; |x_i| ≤ 1. With κ = Σ|S_ij|/s, N coordinates, n logarithms, Λ the largest |log s| or |log
least|: an entry of S is a nearest float, s and Sx meet at most N² + N + 2 ≤ 32 roundings in each product (N ≤ 5), in
whatever order they are added, so s is off by 32uκ of itself, (Sx)_i R_i/s, at most ρ, by 48u(κ + 1), products of two of
them by twice that; :func:`logarithm` is off by 8u(1 + |log s|), and a sum of n terms by nu of the sum of their sizes.
All that the bound multiplies or adds of one logarithm is below 1 + Λ + κ in size, and there are fewer than 8N² such
terms, each through fewer than 64 operations: together less than 2⁹ u N² Σ |c| (n + Λ + κ), as n + Λ + κ > 3. What is
affine adds less than 2⁹ u (|need| + |B| + |C| + their slopes). Both are taken off. Underflow does not happen: s < 2⁻¹⁰⁰
counts as lost, as κ > 2²⁶ does: where s is lost in roundings, log s is off by any amount. So ρ is off by less than
2⁹ uκ < 2⁻¹⁸: for ρ < ½ that is more than its formula then is off, and in the above; beyond, the formula is above the
sum of its series, that of ρ^j/j, j ≥ 3, by at least ρ⁴/(12(1 − ρ)) > .005/(1 − ρ), and off by less than .002/(1 − ρ),
as 1 − ρ > .001. The hundredth that is added to 1 + ρ under the logarithm is far more than ρ is off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats
from tdcert.theory.enclose.least_mean import least_means

Numbers = NDArray[np.int64]

CHUNK = 1 << 13
"""Logarithms that are taken at once."""
SMALLEST = 2.0**-100
"""Values of forms below it count as lost."""
LARGEST_RATIO = 2.0**26
"""Values with larger κ may have too little left by roundings."""
NEAR = 0.5
"""Larger ρ are those of logarithms that may be better off without an expansion."""
OUTER = 2.0**-11
"""Radius of an outer box that is not halved any more."""
INNER = 1_000
"""Boxes within one outer box before that is halved."""
NODES = 81
"""Places of z at which B and C are proposed, an odd number."""
CLOSER = (1.0, 0.2)
"""Parts of their distance at which more are looked at, next to the three that count."""
DIPS = 24
"""Most other such places."""
MARGINS = (0.01, 0.1, 1.0, 100.0)
"""How far from where H is least its slopes still count, in parts of its range: tried in turn."""
BATCH = 64
"""Outer boxes that are looked at together."""
TERMS = tuple(1 / (2 * j + 1) for j in range(11))
"""Coefficients of artanh x/x in x²: from j = 11 on they add less than 2⁻⁶⁰ for |x| ≤ 3 − √8."""
LOG_2 = float(np.log(2.0))


def logarithm(x: Floats) -> Floats:
    """log of normal positive numbers, off by at most 8u(1 + |log x|).

    x = 2^e m, m in [√½, √2]: log m = 2 artanh y, y = (m − 1)/(m + 1), |y| ≤ 3 − √8. m − 1 is exact (Sterbenz); y is off
    by 2u of itself, the polynomial in y² by 4u, so log m, at most .35, by 8u of itself; e log 2 by 2u of itself (LOG_2
    by u, asked of numpy once and held against 200 digits in the tests), and the sum by u.
    """
    m, e = np.frexp(x)
    low = m < 0.5**0.5
    m, e = np.where(low, 2 * m, m), e - low
    y = (m - 1) / (m + 1)
    square = y * y
    total = np.full_like(y, TERMS[-1])
    for c in reversed(TERMS[:-1]):
        total *= square
        total += c
    return np.asarray(2 * y * total + e * LOG_2)


@dataclass(frozen=True)
class Local:
    """A sum of logarithms on boxes (B of them, N coordinates): ``value``, gradient, second derivatives at the
    centres, ``rest``: the remainder and what roundings can do; ``share``: what of it each coordinate brings, roughly.
    """

    value: Floats
    slope: Floats
    bend: Floats
    rest: Floats
    share: Floats


class LogSums:
    """Σ c ½ log xᵀSx: ``S`` (n×N×N, symmetric, nearest floats), ``c`` (n, nearest floats). ``falling`` (n, rounded up):
    xᵀSx ≥ −falling q² with q the last coordinate; without it S ⪰ 0. ``least`` (n, rounded down): xᵀSx is at least so
    much wherever the sum is asked; without it nothing is known.
    """

    def __init__(self, S: Floats, c: Floats, falling: Floats | None = None, least: Floats | None = None) -> None:
        self.falling = falling
        least = np.zeros(len(c)) if least is None else least
        floors = logarithm(np.maximum(least, SMALLEST))
        self.floors, self.most = np.where(least > SMALLEST, floors, -np.inf), float(np.abs(floors).max(initial=0.0))
        self.c = np.asarray(c, dtype=np.float64)
        self.N: int = S.shape[1]
        self.i, self.j = np.triu_indices(self.N)
        self.both = np.zeros((self.N, self.N), dtype=np.intp)
        self.both[self.i, self.j] = self.both[self.j, self.i] = np.arange(len(self.i))
        twice = np.where(self.i == self.j, 1.0, 2.0)
        self.entries = np.ascontiguousarray(S[:, self.i, self.j].T)
        self.flat = self.entries * twice[:, None]
        self.sizes = np.abs(self.flat)
        self.rows = np.ascontiguousarray(S.transpose(1, 2, 0))
        self.diagonal = np.abs([S[:, k, k] for k in range(self.N)])
        self.norms = np.abs(S).sum(axis=(1, 2)) * (1 + 2.0**-40)

    def at(self, X: Floats, R: Floats) -> Local:
        """On boxes (B×N centres and radii, |X| ≤ 1)."""
        step = max(1, CHUNK // len(self.c))
        parts = [self._at(X[k : k + step], R[k : k + step]) for k in range(0, len(X), step)]
        return Local(*(np.concatenate([getattr(x, name) for x in parts]) for name in Local.__dataclass_fields__))

    def of(self, X: Floats) -> tuple[Floats, Floats]:
        """Values and gradients at points, in floats that only propose: what is lost in roundings is flat."""
        step = max(1, CHUNK // len(self.c))
        value, slope = np.empty(len(X)), np.empty((len(X), self.N))
        for k in range(0, len(X), step):
            x = X[k : k + step]
            s, known = self._forms(x)
            value[k : k + step] = 0.5 * (logarithm(s) @ self.c)
            weighted = (np.where(known, self.c / s, 0.0) @ self.entries.T)[:, self.both]
            slope[k : k + step] = (weighted @ x[:, :, None])[:, :, 0]
        return value, slope

    def _forms(self, X: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """xᵀSx, and where roundings leave it; elsewhere an upper bound."""
        s = (X[:, self.i] * X[:, self.j]) @ self.flat
        known = np.asarray((s > SMALLEST) & (s * LARGEST_RATIO > self.norms))
        return np.where(known, s, self.norms), known

    def _at(self, X: Floats, R: Floats) -> Local:
        N, c, size = self.N, self.c, np.abs(self.c)
        s, known = self._forms(X)
        inverse = 1 / s
        ratios = (X @ self.rows).transpose(1, 0, 2) * inverse[:, None]
        rho = np.sqrt(((R[:, self.i] * R[:, self.j]) @ self.sizes) * inverse)
        if self.falling is not None:
            beta = (R[:, None] @ np.abs(ratios))[:, 0]
            rho = np.maximum(rho, beta + np.sqrt(beta**2 + self.falling * R[:, -1:] ** 2 * inverse))
        logs = logarithm(s)
        near = np.minimum(rho, 0.999)
        left = near**3 / (1 - near) / 3
        kappa, most = inverse @ (size * self.norms), np.maximum(np.abs(logs).max(axis=1), self.most)
        share = (inverse @ (self.diagonal * size).T) * R**2
        far = (~known | (rho > NEAR)) & (size > 0)
        if far.any():
            there, sure = rho[far], known[far]
            whole = np.maximum((logs - self.floors)[far] / 2, np.where(sure, logarithm(1.01 + 1.01 * there), 0.0))
            better = ~sure | (there > 0.999) | (whole < left[far])
            far[far] = better
            left[far], inverse[far] = whole[better], 0.0
            ratios *= ~far[:, None]
        rest = left @ size + 2.0**9 * UNIT * N * N * (kappa + size.sum() * (len(c) + most))
        direct = (inverse @ (self.entries * c).T)[:, self.both]
        bend = direct - 2 * ((ratios * c) @ ratios.transpose(0, 2, 1))
        return Local(0.5 * (logs @ c), ratios @ c, bend, rest, share)


@dataclass(frozen=True)
class Drift:
    """g₀ = ``fixed``, and where there is a block of ``m`` coordinates g₁ = ``single``, in (t, p, q)."""

    fixed: LogSums
    single: LogSums | None = None
    m: int = 0

    @property
    def axes(self) -> int:
        """Coordinates of a direction: t, and p where there is a block."""
        return self.fixed.N

    @property
    def most(self) -> float:
        """A dyadic at or above every |z|."""
        return float(np.ceil(((self.m - 1) / self.m) ** 0.5 * 2**20 + 1) / 2**20)


@dataclass(frozen=True)
class Minorants:
    """B and C on outer boxes: at the centre X (o×a), (o×2), and slopes (o×2×a)."""

    X: Floats
    at: Floats
    slope: Floats


@dataclass(frozen=True)
class Covered:
    """``shown``: whether the drift is ≥ need on all directions; ``boxes``: how many were looked at; ``worst``: the
    centre of a box that was given up, None where the boxes ran out.
    """

    shown: bool
    boxes: int
    worst: Floats | None = None


def fall(slope: Floats, bend: Floats, radius: Floats) -> Floats:
    """−min of slope·x + ½ bend·x² over |x| ≤ radius."""
    inside = (bend > 0) & (np.abs(slope) < bend * radius)
    return np.asarray(
        np.where(inside, slope**2 / (2 * np.where(inside, bend, 1.0)), np.abs(slope) * radius - 0.5 * bend * radius**2)
    )


def _bounds(
    value: Floats, slope: Floats, bend: Floats, rest: Floats, R: Floats, share: Floats
) -> tuple[Floats, Floats]:
    """Lower bounds on boxes of radii R, and what each coordinate loses."""
    a = R.shape[1]
    lost = np.array([fall(slope[:, i], bend[:, i, i], R[:, i]) for i in range(a)]).T
    for i in range(a):
        for j in range(i):
            cross = np.abs(bend[:, i, j]) * R[:, i] * R[:, j]
            lost[:, i] += cross / 2
            lost[:, j] += cross / 2
    low = value - lost.sum(axis=1) - rest
    lost = np.where(np.isfinite(rest)[:, None], lost, 0.0)
    weight = np.where(np.isfinite(rest), rest, 1.0)[:, None]
    return low, lost + weight * share / np.maximum(share.sum(axis=1, keepdims=True), 1e-300)


def first_boxes(axes: int, block: bool, parts: int) -> tuple[Floats, Floats]:
    """Boxes that cover all directions up to sign: faces of the cube, ``parts`` along each side of length two."""
    centres, radii = list[Floats](), list[Floats]()
    for face in range(axes):
        sides = []
        for k in range(axes):
            half = block and (k == axes - 1 or (face == axes - 1 and k == 0))
            count = max(1, parts // 2) if half else parts
            low, width = (0.0, 1.0) if half else (-1.0, 2.0)
            sides.append(
                [(1.0, 0.0)]
                if k == face
                else [(low + (i + 0.5) * width / count, width / count / 2) for i in range(count)]
            )
        for index in np.ndindex(*(len(side) for side in sides)):
            chosen = [side[k] for side, k in zip(sides, index, strict=True)]
            centres.append(np.array([x for x, _ in chosen]))
            radii.append(np.array([r for _, r in chosen]))
    return np.array(centres), np.array(radii)


def _halved(X: Floats, R: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Both halves of each box, along its axis."""
    k = np.arange(len(X))
    half = R.copy()
    half[k, axis] /= 2
    low, high = X.copy(), X.copy()
    low[k, axis] -= half[k, axis]
    high[k, axis] += half[k, axis]
    return np.concatenate([low, high]), np.concatenate([half, half])


def cover(drift: Drift, need: float, most: int) -> Covered:
    """Whether the drift is ≥ ``need`` on all directions, with at most so many boxes."""
    return _with_block(drift, need, most) if drift.m else _without(drift, need, most)


def _without(drift: Drift, need: float, most: int) -> Covered:
    X, R = first_boxes(drift.axes, False, 2)
    seen = 0
    while len(X):
        now = slice(max(0, len(X) - 16 * BATCH), len(X))
        x, r = X[now], R[now]
        X, R = X[: now.start], R[: now.start]
        seen += len(x)
        if seen > most:
            return Covered(False, seen)
        here = drift.fixed.at(x, r)
        low, lost = _bounds(
            here.value - need, here.slope, here.bend, here.rest + 2.0**9 * UNIT * abs(need), r, here.share
        )
        left = ~(low >= 0)
        given_up = left & ((here.value < need) | (r.max(axis=1) < OUTER / 8))
        if given_up.any():
            return Covered(False, seen, x[np.argmax(given_up)])
        more, half = _halved(x[left], r[left], lost[left].argmax(axis=1))
        X, R = np.concatenate([X, more]), np.concatenate([R, half])
    return Covered(True, seen)


def _with_block(drift: Drift, need: float, most: int) -> Covered:
    X, R = first_boxes(drift.axes, True, 4)
    seen = 0
    while len(X):
        x, r = X[-BATCH:], R[-BATCH:]
        X, R = X[:-BATCH], R[:-BATCH]
        affine = proposed(drift, need, x, r)
        seen, failed, axis = _inside(drift, need, affine, x, r, seen, most)
        if seen > most:
            return Covered(False, seen)
        small = failed & (r.max(axis=1) < OUTER)
        if small.any():
            return Covered(False, seen, x[np.argmax(small)])
        more, half = _halved(x[failed], r[failed], axis[failed])
        X, R = np.concatenate([X, more]), np.concatenate([R, half])
    return Covered(True, seen)


def _inside(
    drift: Drift, need: float, affine: Minorants, outer: Floats, radii: Floats, seen: int, most: int
) -> tuple[int, Floats, Floats]:
    """Whether H ≥ 0 over each outer box fails, and along which axis that is then halved."""
    a, count, Z = drift.axes, len(outer), drift.most
    parts = 4
    h = Z / parts
    z = np.tile(-Z + (2 * np.arange(parts) + 1) * h, count)
    own = np.repeat(np.arange(count), parts)
    X = np.column_stack([outer[own], z])
    R = np.column_stack([radii[own], np.full(len(z), h)])
    failed, axis, spent = np.zeros(count, dtype=bool), np.argmax(radii, axis=1), np.zeros(count, dtype=int)
    while len(X) and seen <= most:
        alive = ~failed[own]
        X, R, own = X[alive], R[alive], own[alive]
        x, r, mine = X[-4096:], R[-4096:], own[-4096:]
        X, R, own = X[:-4096], R[:-4096], own[:-4096]
        if not len(x):
            break
        seen += len(x)
        np.add.at(spent, mine, 1)
        low, lost, value = _at_boxes(drift, need, affine, x, r, mine)
        left = ~(low >= 0)
        bad = left & ((value < 0) | (spent[mine] > INNER))
        for k in np.flatnonzero(bad):
            failed[mine[k]] = True
            own_radii = np.maximum(r[k, :a], 1e-300)
            axis[mine[k]] = int(np.argmax(lost[k, :a] * (radii[mine[k]] / own_radii) * (radii[mine[k]] > 0)))
        more, half = _halved(x[left], r[left], lost[left].argmax(axis=1))
        X, R = np.concatenate([X, more]), np.concatenate([R, half])
        own = np.concatenate([own, mine[left], mine[left]])
    return seen, failed, axis


def _at_boxes(
    drift: Drift, need: float, affine: Minorants, x: Floats, r: Floats, mine: Numbers
) -> tuple[Floats, Floats, Floats]:
    """Lower bounds of H on boxes of (t, p, z), what each coordinate loses, and H at the centres."""
    assert drift.single is not None
    a, m = drift.axes, drift.m
    P = a - 1
    X, R, z, h = x[:, :a], r[:, :a], x[:, a], r[:, a]
    p, Rp = X[:, P], R[:, P]
    base = drift.fixed.at(X, R)
    Rq = (np.abs(z) * Rp + (p + Rp) * h) * (1 + 4 * UNIT)
    radii = np.column_stack([R, Rq])
    one = drift.single.at(np.column_stack([X, p * z]), radii)
    q = a
    B, C = (affine.at[mine, k] + (affine.slope[mine, k] * (X - affine.X[mine])).sum(axis=1) for k in (0, 1))
    Bs, Cs = affine.slope[mine, 0], affine.slope[mine, 1]
    value = base.value + one.value - need + C * (1 / m - z * z) - B * z
    slope, bend = np.empty((len(x), a + 1)), np.empty((len(x), a + 1, a + 1))
    slope[:, :a] = base.slope + one.slope[:, :a] + Cs * (1 / m - z * z)[:, None] - Bs * z[:, None]
    slope[:, P] += z * one.slope[:, q]
    slope[:, a] = p * one.slope[:, q] - B - 2 * C * z
    bend[:, :a, :a] = base.bend + one.bend[:, :a, :a]
    bend[:, :a, P] += z[:, None] * one.bend[:, :a, q]
    bend[:, P, :a] += z[:, None] * one.bend[:, :a, q]
    bend[:, P, P] += z * z * one.bend[:, q, q]
    mixed = p[:, None] * one.bend[:, :a, q] - Bs - 2 * Cs * z[:, None]
    mixed[:, P] += p * z * one.bend[:, q, q] + one.slope[:, q]
    bend[:, :a, a] = bend[:, a, :a] = mixed
    bend[:, a, a] = p * p * one.bend[:, q, q] - 2 * C
    # q moves by z dp + p dz + dp dz: the last is of second order, counted above with the slope, and here with bends
    twist = Rp * h * ((np.abs(one.bend[:, q]) * radii).sum(axis=1) + 0.5 * np.abs(one.bend[:, q, q]) * Rp * h)
    rest = base.rest + one.rest + twist + (np.abs(Cs) * R).sum(axis=1) * h * h
    sizes = abs(need) + np.abs(B) + np.abs(C) + np.abs(Bs).sum(axis=1) + np.abs(Cs).sum(axis=1)
    rest = rest + 2.0**9 * UNIT * sizes
    share = np.zeros((len(x), a + 1))
    share[:, :a] = base.share + one.share[:, :a]
    part = one.share[:, q] / np.maximum(Rq, 1e-300) ** 2
    share[:, P] += part * (z * Rp) ** 2
    share[:, a] = part * ((p + Rp) * h) ** 2
    low, lost = _bounds(value, slope, bend, rest, r, share)
    return low, lost, value


# ---- B and C, in floats, which only propose -------------------------------------------------------------------------


def proposed(drift: Drift, need: float, X: Floats, R: Floats) -> Minorants:
    """B and C on boxes of these centres: at evenly spread z, where logarithms of the first word are least, and closer
    where the dual is tight."""
    assert drift.single is not None
    a, m, count, one = drift.axes, drift.m, len(X), drift.single
    P, k = a - 1, np.arange(count)
    base, base_slope = drift.fixed.of(X)

    def at(z: Floats) -> tuple[Floats, Floats]:
        """Values and gradients in (t, p)."""
        n = z.shape[1]
        Y = np.column_stack([np.repeat(X, n, axis=0), (X[:, P, None] * z).ravel()])
        value, slope = (x.reshape(count, n, -1) for x in one.of(Y))
        up = slope[:, :, :a] + base_slope[:, None]
        up[:, :, P] += z * slope[:, :, a]
        return base[:, None] + value[:, :, 0], up

    even = np.linspace(-drift.most, drift.most, NODES)
    p = np.maximum(X[:, P], 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        dips = -(X @ one.rows[a][:a, :DIPS]) / one.rows[a][a, :DIPS] / p[:, None]
    z = np.concatenate([np.tile(even, (count, 1)), np.nan_to_num(dips)], axis=1).clip(-drift.most, drift.most)
    y, up = at(z)
    near = drift.most / NODES * np.array([-1.0, -0.6, -0.2, 0.2, 0.6, 1.0])
    for closer in CLOSER:
        tight = z[k[:, None], least_means(z, y, 1 / m, (0, NODES // 2, NODES - 1)).points]
        more = (tight[:, :, None] + closer * near).reshape(count, -1).clip(-drift.most, drift.most)
        new = at(more)
        z, y, up = (np.concatenate(both, axis=1) for both in ((z, more), (y, new[0]), (up, new[1])))
    best_law = least_means(z, y, 1 / m, (0, NODES // 2, NODES - 1))
    B, C = best_law.B, best_law.C
    over = y - B[:, None] * z - C[:, None] * z * z
    over -= over.min(axis=1, keepdims=True)
    F = np.stack([np.ones_like(z), z, z * z], axis=1)
    best, found = np.full(count, -np.inf), np.zeros((count, 2, a))
    for times in MARGINS:
        margin = times * over.max(axis=1, keepdims=True) + 5 * need
        weight = (margin / (over + margin)) ** 2
        normal = np.einsum("bin,bjn,bn->bij", F, F, weight) + 1e-9 * np.eye(3)
        right = np.einsum("bin,bn,bna->bia", F, weight, up)
        slopes = np.linalg.solve(normal, right)[:, 1:]
        off = up + slopes[:, None, 1] * (1 / m - z * z)[:, :, None] - slopes[:, None, 0] * z[:, :, None]
        left = (over - (np.abs(off) * R[:, None]).sum(axis=2)).min(axis=1)
        better = left > best
        best, found = np.where(better, left, best), np.where(better[:, None, None], slopes, found)
    return Minorants(X, np.stack([B, C], axis=1), found)
