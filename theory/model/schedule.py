r"""λ-schedules and the weights they give to n-step returns (§2 and §2.1 of the paper).

A schedule is a sequence λ_1, λ_2, …; everything else is derived from it:

* c_k = λ_1…λ_k (c_0 = 1): the weight of δ_{t+k} in the return, of φ(s_{t−k}) in the trace;
* w_n = c_{n−1} − c_n: the weight of the n-step return, Σ_n w_n = 1 for a schedule of finite length;
* Λ: row i holds the weights of the returns that an episode of i steps allows, Λ_ij = c_{j−1}(1 − λ_j)
  for j < i and Λ_ii = c_{i−1};
* κ = Σ_n w_n γⁿ: the factor by which M contracts (constant discount).

The functions take λ's of any number system; :class:`Schedule` holds exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tdcert.theory.errors import InputError, short

if TYPE_CHECKING:
    from tdcert.theory.model.canonical import CanonicalSchedule

MAX_LENGTH = 2000
"""Longest finite schedule that is accepted; exact arithmetic beyond it has digits nobody reads."""

OF_ONE_SCHEDULE = (
    "the model's λ is given by state, and this is a question about one λ-schedule, whose λ's do not depend on the "
    "path; give another schedule for it"
)
"""Said of what asks λ_1, λ_2, … of a λ by state."""


def trace_weights(lambdas: Sequence[Any]) -> list[Any]:
    """c_0, …, c_L with c_k = λ_1…λ_k (equation (trace_eq) of §2, without the powers of γ)."""
    weights: list[Any] = [1]
    for lam in lambdas:
        weights.append(weights[-1] * lam)
    return weights


def return_weights(lambdas: Sequence[Any]) -> list[Any]:
    """w_1, …, w_{L+1} with w_n = c_{n−1} − c_n and c_{L+1} = 0 (§2, from Λ; A4.1 uses them in M)."""
    weights = trace_weights(lambdas)
    return [weights[k] - weights[k + 1] for k in range(len(lambdas))] + [weights[-1]]


def weight_matrix(lambdas: Sequence[Any], size: int) -> list[list[Any]]:
    """The first ``size`` rows and columns of Λ as §2 displays it; λ_j = 0 beyond the given ones."""
    padded = [*lambdas, *[Fraction(0)] * size][:size]
    weights = trace_weights(padded)
    return [
        [weights[j] * (1 - padded[j]) if j < i else (weights[i] if j == i else Fraction(0)) for j in range(size)]
        for i in range(size)
    ]


def lambdas_from_weights(weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The schedule with these weights of 1-, 2-, …-step returns: λ_n = 1 − w_n/(1 − Σ_{k<n} w_k).

    Where the mass is used up, λ_n = 0 (0/0 leaves it free). Raises :class:`InputError` unless the
    weights are non-negative and sum to exactly one.
    """
    for index, weight in enumerate(weights, start=1):
        if weight < 0:
            raise InputError(f"the {index}-step return has the weight {short(weight)}; give none below zero")
    total = sum(weights)
    if total != 1:
        raise InputError(f"the weights of the returns sum to {short(total)}; they must sum to exactly one")
    lambdas, tail = [], Fraction(1)
    for weight in weights[:-1]:
        lambdas.append(1 - weight / tail if tail else Fraction(0))
        tail -= weight
    return tuple(lambdas)


@dataclass(frozen=True)
class Schedule:
    """λ_1, …, λ_L given, and λ_j = ``tail`` for every j > L (zero for a schedule of finite length).

    λ's from the first zero on never act and are dropped, so equal schedules compare equal. A non-zero tail is
    the classical TD(λ) and admits no λ's before it. λ's outside [0,1] can be built (ablations need
    them); files refuse them.
    """

    lambdas: tuple[Fraction, ...] = ()
    tail: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        # c_k = 0 from the first λ_k = 0 on, whatever follows: what never acts is dropped, so that equal
        # schedules compare equal.
        kept = list(self.lambdas)
        if Fraction(0) in kept:
            del kept[kept.index(Fraction(0)) :]
            object.__setattr__(self, "tail", Fraction(0))
        while kept and kept[-1] == self.tail:
            kept.pop()
        object.__setattr__(self, "lambdas", tuple(kept))
        if self.tail and kept:
            raise InputError("a schedule that never ends must be constant; give all λ's or one λ without a length")
        if len(kept) > MAX_LENGTH:
            raise InputError(f"the schedule has {len(kept)} λ's; at most {MAX_LENGTH} are accepted")

    @property
    def length(self) -> int | None:
        """L, the number of λ's up to the last non-zero one; None for a schedule that never ends."""
        return None if self.tail else len(self.lambdas)

    @property
    def is_finite(self) -> bool:
        """Whether λ_j = 0 from some j on, as §2 requires for everything after observation (3)."""
        return not self.tail

    @property
    def canonical(self) -> CanonicalSchedule:
        """The schedule as documents hold it (docs/certificates.md)."""
        if self.is_finite:
            return {"lambdas": [str(x) for x in self.lambdas]}
        return {"constant": {"lambda": str(self.tail)}}

    def kappa(self, gamma: Fraction) -> Fraction:
        """κ = Σ_n w_n γⁿ, for a constant discount (infinite schedules: the sum of the series)."""
        if self.tail:
            if self.tail * gamma == 1:
                raise InputError("κ does not exist for λ = 1 without a length at γ = 1: give the schedule a length")
            return gamma * (1 - self.tail) / (1 - self.tail * gamma)
        return sum((w * gamma**n for n, w in enumerate(return_weights(self.lambdas), start=1)), start=Fraction(0))

    def kappa_if_defined(self, gamma: Fraction | None) -> Fraction | None:
        """κ; None where the discount depends on the transition (``gamma`` None), or the series has no sum."""
        return None if gamma is None or self.tail * gamma == 1 else self.kappa(gamma)

    @staticmethod
    def n_step(n: int) -> Schedule:
        """The n-step return alone: λ_j = 1 for j < n (observation (1) of §2, index corrected)."""
        if n < 1:
            raise InputError(f"n_step is {n}; give a whole number from 1 on")
        if n > MAX_LENGTH + 1:
            raise InputError(f"n_step is {n}; at most {MAX_LENGTH + 1} is accepted")
        return Schedule((Fraction(1),) * (n - 1))

    @staticmethod
    def equal_weights(n1: int, n2: int) -> Schedule:
        """EqualWeights(n1, n2) of §2.1: each n-step return, n1 ≤ n ≤ n2, has weight 1/(n2 − n1 + 1)."""
        if n1 < 1:
            raise InputError(f"equal_weights starts at n1 = {n1}; give 1 ≤ n1 ≤ n2")
        if n1 > n2:
            raise InputError(f"equal_weights has n1 = {n1} above n2 = {n2}; give n1 ≤ n2")
        if n2 > MAX_LENGTH:
            raise InputError(f"equal_weights has n2 = {n2}; at most {MAX_LENGTH} is accepted")
        ones = (Fraction(1),) * (n1 - 1)
        return Schedule(ones + tuple(1 - Fraction(1, n2 - i + 1) for i in range(n1, n2 + 1)))

    @staticmethod
    def constant(lam: Fraction, length: int | None = None) -> Schedule:
        """λ_j = λ for j ≤ ``length``, or for every j (classical TD(λ)) where no length is given."""
        if length is None:
            return Schedule((), Fraction(lam))
        if not 0 <= length <= MAX_LENGTH:
            raise InputError(f"the constant schedule has length {length}; give a whole number from 0 to {MAX_LENGTH}")
        return Schedule((Fraction(lam),) * length)

    @staticmethod
    def from_weights(weights: Sequence[Fraction]) -> Schedule:
        """The schedule that gives the n-step returns these weights (they sum to one)."""
        return Schedule(lambdas_from_weights(weights))


class LambdaByState(Schedule):
    """λ(s) for each state, ``by_state`` (n): a trace decays by the λ of the state that it comes to,
    z_t = γ_t λ(s_t) z_{t−1} + φ_t, and a return goes on by it, G_t = R + γ((1 − λ(s'))V(s') + λ(s')G').

    It stands where a schedule does, and is none: its λ's depend on the path, so λ_j, what follows them, weights and κ
    raise :class:`InputError`. Source: Sutton and Barto, 2018, §12.8; Sutton, Mahmood, White, JMLR 2016.
    """

    by_state: tuple[Fraction, ...]

    def __init__(self, by_state: Sequence[Fraction]) -> None:
        object.__setattr__(self, "by_state", tuple(by_state))

    @property
    def lambdas(self) -> Any:
        """There are none. Raises :class:`InputError`."""
        raise InputError(OF_ONE_SCHEDULE)

    tail = lambdas

    @property
    def canonical(self) -> CanonicalSchedule:
        """λ of each state, as documents hold it."""
        return {"by_state": [str(x) for x in self.by_state]}

    @property
    def length(self) -> None:
        """None, for a trace has no end."""
        return None

    @property
    def is_finite(self) -> bool:
        """False."""
        return False

    def kappa_if_defined(self, gamma: Fraction | None) -> None:
        """None."""
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LambdaByState) and self.by_state == other.by_state

    def __hash__(self) -> int:
        return hash(self.by_state)

    def __repr__(self) -> str:
        return f"LambdaByState({self.by_state!r})"


def as_equal_weights(schedule: Schedule) -> tuple[int, int] | None:
    """(n1, n2) where the schedule is EqualWeights(n1, n2) of §2.1, None where it is not."""
    if schedule.tail:
        return None
    n2 = len(schedule.lambdas) + 1
    n1 = next((j for j, x in enumerate(schedule.lambdas, start=1) if x != 1), n2)
    return (n1, n2) if n2 <= MAX_LENGTH and Schedule.equal_weights(n1, n2) == schedule else None
