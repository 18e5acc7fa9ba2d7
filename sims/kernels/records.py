"""What the compiled loops are given and what they work in, as named tuples, which Numba knows."""

from __future__ import annotations

from typing import Any, NamedTuple

TD, OFF_POLICY_TD, GTD, TDC = range(4)
WINDOW, ENDLESS, BLOCKS, CARRIED = range(4)
DENSE, ENTRIES, LAZY = range(3)
"""How features are used: as they are; where φ is a single one, the trace's entries one by one, or θ when it is read."""

LANES = 16
"""Runs side by side: enough for one to go on while another waits for its numbers."""

QUAD = 4
"""Features side by side."""

DIVERGED = 1e100
"""A run counts as diverged at the first t where an entry of θ_t or w_t exceeds this; it stops there."""


class DrawLaw(NamedTuple):
    """What a run draws from, one record of four words for each (state, column): the threshold of the column, the link
    of its own transition and that of its alias. A link holds the next state and the number of a row of ``values``:
    R, Γ, ρ, and one place to spare."""

    start_bits: Any
    start: Any
    bits: Any
    picks: Any
    values: Any


class TraceRecursion(NamedTuple):
    """How z_t is found: ``kind``, λ, the length of the flat window, m, c_0 … c_L for the window itself, and for
    CARRIED q, q^flat/m and q^(flat + m)/m. ``epoch``: the steps of an epoch of ``lazy``, 0 without q."""

    kind: Any
    lam: Any
    flat: Any
    m: Any
    c: Any
    steady: Any
    epoch: Any


class Recorded(NamedTuple):
    """Paths that were drawn before: states (runs, T+1), and (runs, T) each R, Γ, ρ. Without runs: draw them."""

    states: Any
    rewards: Any
    discounts: Any
    rho: Any


class RunRequest(NamedTuple):
    """Algorithm, step sizes, start, the times to be recorded, and the length of a tile."""

    code: Any
    alphas: Any
    betas: Any
    times: Any
    theta0: Any
    w0: Any
    tile: Any


class Results(NamedTuple):
    """θ and w (runs, times, d), and when a run diverged (−1: it did not)."""

    thetas: Any
    ws: Any
    diverged_at: Any


class Tile(NamedTuple):
    """Work space for one tile. ``lanes``: how many of the lanes are runs. ``links``: a row to look at lane by lane.
    ``scalars``: R, Γ, ρ and a place to spare, those of a run's step t from 4(t·LANES + run) on. ``rows`` (where φ
    begins) and ``q`` (as in the docstring of the traces) are rings: time τ in row τ & mask. ``y``: the traces before
    ρ_t, that of a run's step t from (t·LANES + run)·d on. ``theta``, ``w``: a run's from run·d on."""

    lanes: Any
    state: Any
    links: Any
    scalars: Any
    rows: Any
    q: Any
    y: Any
    theta: Any
    w: Any
    mask: Any
    length: Any
    d: Any
