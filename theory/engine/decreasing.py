r"""Steps that decrease, α_t = a/(t + t_0)^p with 0 < p ≤ 1: do differences of two runs die out? For every memory within
bounds, and for updates that are not linear in their steps.

All step sizes are in fixed ratios to α_t. Where the update sees all of its parameters (else on the quotient) let one
transition be, in the slow parameters s = Ly and what is left of y (:mod:`tdcert.theory.engine.first_order`; where the
update is linear in its steps, s = y and nothing is left),

    s' = (I + αG(m)) s + O(α)|u| + O(α²)(|s| + |u|),      u' = Λu + O(α)(|s| + |u|),      m' = Rm + c + O(α),

of differences of two runs, Λ with spectral radius below one. (Where Λ depends on the transition its second moments die
out; s' has a term Nu more with mean zero, given the past; Y is a family with E[ΛᵀY_{h'}Λ] − Y_h = −I, and k so large
that k|u|² exceeds what Nu adds to the form.) The memory is bounded, |m| ≤ w, so that what O stands for is bounded on
all transitions at every α ≤ α_0, some α_0 > 0; where the recursion of the memory holds steps itself, its bound has
room, |R|w + |c| < w. Let J be the mean of G, X a symmetric solution of JᵀX + XJ = ∓I,
H what is still to come of G − J (:mod:`tdcert.theory.engine.noise`; affine in m, so bounded), Y ≻ 0 with
ΛᵀYΛ − Y = −I, and

    V_t = sᵀ(X + α_t(HᵀX + XH))s ± k uᵀYu.

*J is Hurwitz* (X ≻ 0, upper signs): E[V_{t+1} | past] ≤ V_t − α_t|s|² − k|u|² + O(α_t)(|s||u| + k|s||u| + k|u|²) +
O(α_t²)|s|² + o(α_t)|s|², the last term because α_t − α_{t+1} = o(α_t). As 2|s||u| ≤ ε|s|² + |u|²/ε, that is at most
(1 − cα_t)V_t for a c > 0, k = 1 and all t from some t_1 on. As Σ α_t = ∞, E V_t → 0; and V_t, from t_1 on a
supermartingale that is not negative, tends to zero on almost every path. So differences die out in the mean, in mean
square and on paths. *J has an eigenvalue with positive real part*: for some small σ > 0 so has J − σI, no two
eigenvalues of which add up to zero; with it in the place of J, X has a positive direction, and with the lower signs
E[V_{t+1} | past] ≥ (1 + cα_t)V_t, so that mean square grows from some start. Where the memory has an end, means on its
finitely many values follow one linear recursion I + αJ + O(α²) on the slow part, and grow, too.

*Memory that grows* along a cycle (:mod:`tdcert.theory.engine.growth`) does so exponentially, and α_t falls as a power
of t: along round k differences are multiplied by (α_t r^k)^L Γ up to what is small beside it, so mean square grows.

Where forms are explicit for all constant steps up to some α_0, and fall for steps that decrease
(:mod:`tdcert.theory.laws.mean_square`, where the memory takes few values), t_1 is the first t with α_t ≤ α_0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.dynamics import NO_MEAN, at_ratios
from tdcert.theory.engine.growth import growth_of
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.nodes import node_chain
from tdcert.theory.engine.small_steps import memory_bounds
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.decreasing_steps import LARGEST_DENOMINATOR, power
from tdcert.theory.laws.mean_square import NearZero, decide_near_zero
from tdcert.theory.limits import DECREASING_ENTRIES, LARGEST_STEP_ENTRIES, LimitError, raised
from tdcert.theory.verdict import Sign

UNDER_WAY = "a run under way counts as a start"
"""Said of growth where it is not known whether runs from time zero show it."""
SLOW = "Σ α_t² is infinite, so Assumption 1 fails and no theorem says that runs converge to θ*"


@dataclass(frozen=True)
class AtDecreasing:
    """Differences of two runs: −1 they die out, 1 they grow from some start, 0 they do neither, None undecided, and
    ``why``; where they die out, what else is to be said. ``from_update``: the first update t_1 from which the forms of
    the proof fall, where they are explicit; ``near``: these.
    """

    mean: Sign
    mean_square: Sign
    paths: Sign
    why: str = ""
    from_update: int | None = None
    near: NearZero | None = None


def first_below(a: Fraction, t0: Fraction, p: Fraction, upto: Fraction) -> int | None:
    """The first t ≥ 0 with a/(t + t0)^p ≤ ``upto``; None where the exponent takes roots of too high an order."""
    if p.denominator > LARGEST_DENOMINATOR:
        return None
    return max(0, ceil(power(a / upto, 1 / p, True) - t0))


def refused(p: Fraction, steps: str = "the steps") -> str:
    """Why nothing is said of steps with this power; empty where something is. ``steps``: what they are called."""
    if p > 1:
        return f"the sum of {steps} is finite, so runs may stop short of θ*; give a power of at most 1"
    return "" if p else "the power is zero: give one number for a constant step"


def at_decreasing_steps(
    found: Stationary[Dense],
    ratios: Sequence[Fraction],
    a: Fraction,
    t0: Fraction,
    p: Fraction,
    entries: int = LARGEST_STEP_ENTRIES,
) -> AtDecreasing:
    """What the module docstring decides, of steps a/(t + t0)^p and the others in these ``ratios`` to them.

    ``found``: of :func:`~tdcert.theory.engine.first_order.with_mean_dynamics`. ``entries``: most nodes × D² for which
    the first such update is sought. Raises :class:`BudgetExceededError` where tables are too many.
    """
    if why := refused(p):
        return AtDecreasing(None, None, None, why)
    parameters, memory = found.algorithm.slots(found.model.d)
    held = found.model.n * sum(slot.size for slot in (*parameters, *memory)) ** 2
    if held > raised(DECREASING_ENTRIES):
        said = f"states × (parameters and memory)² are {held:,}, more than {raised(DECREASING_ENTRIES):,}"
        raise LimitError(said, held / DECREASING_ENTRIES)
    own = tables(found.model, found.algorithm, found.states, first_order=found.cut, known=found.raw)
    ends = found.memory.without_end is None
    if not (ends and not found.cut) and memory_bounds(own, room=found.cut) is None:
        grown = None if found.cut else growth_of(own, ratios)
        if grown is not None:
            return AtDecreasing(None, 1, None, f"{grown.reason}; {UNDER_WAY}")
        why = NO_MEAN[found.has_mean] if found.has_mean is not True else "the memory is not shown to be bounded"
        return AtDecreasing(None, None, None, why)
    verdict = at_ratios(found, ratios)
    state = verdict.mean_dynamics
    hidden = len(found.visible[0]) < found.D
    if hidden and found.cut:
        return AtDecreasing(None, None, None, "to first order updates do not see all parameters")
    if state.is_stable:
        near = None if found.cut or not found.visible[0] else _near(found, ratios, entries)
        first = None if near is None else first_below(a, t0, p, near.upto)
        return AtDecreasing(-1, -1, -1, "" if 2 * p > 1 else SLOW, first, near)
    if state is MeanDynamics.UNSTABLE:
        ends = ends and not (found.cut and found.tables.M)
        near = None if found.cut else _near(found, ratios, entries)
        first = None if near is None else first_below(a, t0, p, near.upto)
        why = "the mean dynamics are unstable" + ("" if first == 0 else f"; {UNDER_WAY}")
        return AtDecreasing(1 if ends else None, 1, None, why, None, near)
    why = "the mean dynamics are marginal" if state is MeanDynamics.MARGINAL else verdict.reason
    return AtDecreasing(None, None, None, why)


def _near(found: Stationary[Dense], ratios: Sequence[Fraction], entries: int) -> NearZero | None:
    """Explicit forms, where the memory takes few values."""
    size = len(found.visible[0])
    own = tables(found.model, found.algorithm, found.states, known=found.raw)
    most = entries // max(1, size**2) * max(map(len, own.leaving))
    try:
        return decide_near_zero(jump_system(found, node_chain(own, most=most), ratios))
    except (BudgetExceededError, InputError):
        return None
