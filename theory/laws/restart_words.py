r"""The random matrix products between two visits, exactly, with a memory that is cut: what is listed, and the tail.

Contexts, memory, cuts and the tail are those of :mod:`tdcert.theory.laws.restart_exponents`. Moves out of a context
with one K(m), all of which cut or none, are a *group*. What follows a move depends on the past through the law of the
node that its group leads to. A group that cuts leads to one law, whatever the memory was. Of these laws *home* is the
one met most often, and a visit is a move of such a group; so the products between visits are independent, and visits
have the rate Σ d(h) p over these groups, d the law of the contexts.

Words are listed up to a depth. Behind it moves are of the tail: of contexts that moves without a cut lead to, and it
is asked of these that what cuts there leads home. With Q the moves of the tail without a cut, e the law of the contexts
at the depth and τ_h the mean number of moves until a cut, r = (1 − Qᵀ)⁻¹ e counts the moves of the tail by context, per
visit, and Σ k r_k = Σ_h r_h (τ_h − 1) counts each with the number k of moves of the tail before it.

**What the tail may do.** Let |m| ≤ gᵏ E there, entry by entry, E ≥ 1, and K(m) = K + Σ m_j K_j of rank one for all m,
with |det B| = |1 + tr K(m)| ≥ b for some 0 < b ≤ 1. Then B⁻¹ = 1 − K(m)/det B, so that for V ≻ 0 both xᵀBᵀVBx and
xᵀB⁻ᵀVB⁻¹x are at most

    c g²ᵏ xᵀVx,     c = n (1 + (E/b)² Σ tr V⁻¹K_jᵀVK_j),

with n the number of terms of B, and ½ log xᵀVx moves by at most ½ log c + k log g.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.path_exponents import log_sum, rounded
from tdcert.theory.laws.restart_exponents import ContextMove, LayerNode, Restarts, intervals, least
from tdcert.theory.laws.restart_forms import growth_of, size_of, times_left
from tdcert.theory.laws.return_words import SETTLED, ReturnWord, ReturnWords
from tdcert.theory.limits import LAYER_MOVES, RETURN_WORDS, raised

NodeLaw = tuple[tuple[LayerNode, Fraction], ...]
"""Nodes with their probabilities, increasing."""


@dataclass(frozen=True, eq=False)
class Group:
    """Moves out of a context with one K(m), all of which cut or none; ``home``: whether they are visits."""

    moves: tuple[ContextMove, ...]
    home: bool = False

    @property
    def p(self) -> Fraction:
        """Their probability."""
        return sum((move.p for move in self.moves), start=Fraction(0))

    def after(self, memory: Sequence[Fraction]) -> NodeLaw:
        """The law of the node that they lead to."""
        ends, total = defaultdict[LayerNode, Fraction](Fraction), self.p
        for move in self.moves:
            ends[move.after(memory)] += move.p / total
        return tuple(sorted(ends.items()))

    def home_law(self, M: int) -> NodeLaw | None:
        """The law that they lead to where it does not depend on the memory."""
        return self.after((Fraction(0),) * M) if self.moves[0].cuts else None


@dataclass(frozen=True)
class TailMove:
    """In the tail, per visit: how often (``flow``), its K_j, and b."""

    flow: Fraction
    parts: tuple[RationalMatrix, ...]
    away: Fraction


@dataclass(frozen=True)
class RestartWords(ReturnWords):
    """Words as in :class:`ReturnWords`; what those that are cut still may do: ``tail``, with E (``reach``), g
    (``growth``), and Σ k r_k (``later``).
    """

    tail: tuple[TailMove, ...]
    reach: Fraction
    growth: Fraction
    later: Fraction

    def change(self, V: RationalMatrix) -> Fraction:
        """Σ r (½ log c) + log g Σ k r_k (module docstring), rounded up."""
        terms, half = [(self.later, self.growth)], Fraction(1, 2)
        for move in self.tail:
            moved = sum((V.solve(K.T @ V @ K).trace() for K in move.parts), start=Fraction(0))
            c = (len(move.parts) + 1) * (1 + (self.reach / move.away) ** 2 * moved)
            terms.append((half * move.flow, c))
        return rounded(log_sum(terms), up=True)


def restart_words(of: Restarts, most: int = RETURN_WORDS) -> RestartWords | str:
    """The words between visits, cut where they are many more than ``most``, or why there are none."""
    assert of.law is not None
    groups, rate = _groups(of)
    home = next((group.home_law(of.M) for own in groups for group in own if group.home), None)
    if home is None:
        return "no moves that cut the memory lead to one law"
    one = RationalMatrix.zeros(of.D, of.D).identity(of.D)
    left, limit, wide = _tail_times(of), raised(most), raised(LAYER_MOVES)
    words, steps = defaultdict[RationalMatrix, Fraction](Fraction), dict[RationalMatrix, None]()
    layer: dict[tuple[NodeLaw, RationalMatrix], Fraction] = {(home, one): Fraction(1)}
    while True:
        later = defaultdict[tuple[NodeLaw, RationalMatrix], Fraction](Fraction)
        done, used = defaultdict[RationalMatrix, Fraction](Fraction), dict[RationalMatrix, None]()
        for (law, product), p in layer.items():
            for (h, memory), share in law:
                for group in groups[h]:
                    B = group.moves[0].B(memory, of.D)
                    used[B] = None
                    if group.home:
                        done[B @ product] += p * share * group.p
                    else:
                        later[group.after(memory), B @ product] += p * share * group.p
        # memories that no product sees may be many more than products
        if len(words.keys() | done.keys() | {product for _, product in later}) > limit or len(later) > wide:
            break
        steps |= used
        for product, p in done.items():
            words[product] += p
        layer = dict(later)
        if sum(p * share * left[h] for (law, _), p in layer.items() for (h, _), share in law) <= SETTLED:
            break
    if not words:
        return "there are too many products of moves for a drift on directions"
    for (_, product), p in layer.items():
        words[product] += p
    found = tuple(ReturnWord(p, x) for x, p in words.items())
    return _with_tail(of, groups, layer, ReturnWords(found, Fraction(0), 1 / rate, tuple(steps)))


def _groups(of: Restarts) -> tuple[list[list[Group]], Fraction]:
    """The groups out of each context, and the rate of visits."""
    assert of.law is not None
    found, flows = list[list[Group]](), defaultdict[NodeLaw, Fraction](Fraction)
    for h, moves in enumerate(of.leaving):
        alike: dict[tuple[bool, frozenset[tuple[int, RationalMatrix]]], list[ContextMove]] = {}
        for move in moves:
            alike.setdefault((move.cuts, frozenset(move.parts.items())), []).append(move)
        found.append([Group(tuple(some)) for some in alike.values()])
        for group in found[-1]:
            law = group.home_law(of.M)
            if law is not None:
                flows[law] += of.law[h] * group.p
    home = max(flows, key=flows.__getitem__, default=None)
    if home is None or not flows[home]:
        return found, Fraction(0)
    marked = [[Group(group.moves, group.home_law(of.M) == home) for group in own] for own in found]
    return marked, flows[home]


def _tail_times(of: Restarts) -> list[Fraction]:
    """τ by context, zero outside the class."""
    times = dict(zip(of.members, times_left(of), strict=True))
    return [times.get(h, Fraction(0)) for h in range(of.contexts)]


def _with_tail(
    of: Restarts,
    groups: Sequence[Sequence[Group]],
    layer: Mapping[tuple[NodeLaw, RationalMatrix], Fraction],
    listed: ReturnWords,
) -> RestartWords | str:
    entered = defaultdict[LayerNode, Fraction](Fraction)
    for (law, _), p in layer.items():
        for node, share in law:
            entered[node] += p * share
    ends = intervals(of, entered)
    inside = [h for h, one in enumerate(ends) if one is not None]
    place = {h: k for k, h in enumerate(inside)}
    if any(group.moves[0].cuts and not group.home for h in inside for group in groups[h]):
        return "what cuts the memory late leads to several laws"
    counts = [Fraction(0)] * len(inside)
    for (h, _), p in entered.items():
        counts[place[h]] += p
    rows = [[Fraction(int(i == j)) for j in inside] for i in inside]  # 1 − Qᵀ
    for move in (x for x in of.passages if x.source in place and not x.cuts):
        rows[place[move.target]][place[move.source]] -= move.p
    flows = RationalMatrix(rows).solve(RationalMatrix.column(counts)).column_entries() if inside else ()
    moves, left = list[TailMove](), _tail_times(of)
    for h, r in zip(inside, flows, strict=True):
        around = ends[h]
        assert around is not None
        for group in groups[h]:
            parts = group.moves[0].parts
            if not _rank_one(tuple(parts.values())):
                return "late moves are not of rank one, so they have no bounded inverse"
            det = {j: K.trace() for j, K in parts.items()}
            det[of.M] = det.get(of.M, Fraction(0)) + 1
            away = min(Fraction(1), least(det, around))
            if away == 0:
                return "late moves may be singular"
            moves.append(TailMove(r * group.p, tuple(parts.values()), away))
    reach = size_of(memory for _, memory in entered)
    later = sum((r * (left[h] - 1) for h, r in zip(inside, flows, strict=True)), start=Fraction(0))
    return RestartWords(
        listed.words, Fraction(0), listed.time, listed.steps, tuple(moves), reach, growth_of(of, reach), later
    )


def _rank_one(parts: Sequence[RationalMatrix]) -> bool:
    """Whether every combination of them is of rank one at most: all in one column, or in one row."""
    return not parts or any(
        RationalMatrix([row for K in some for row in K.rows]).rank <= 1 for some in (parts, [K.T for K in parts])
    )
