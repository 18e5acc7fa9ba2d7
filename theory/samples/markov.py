r"""Do the data refute that the next state depends on state and action alone?

Let a row, a pair of state and action, have k possible successors and be left n times, N_j times to j. If all that was
before does not matter, the next successors have one law p; let Q be a rule as in :mod:`tdcert.theory.samples.row_set`
that keeps counts apart by what came before, N_cj of the context c. Then Q/Π p_j^{N_j} is a non-negative supermartingale
that starts at 1, and so

.. math::
    E = Q / \sup_p \prod p_j^{N_j} = \prod_c Q_c \big/ \prod_j (N_j/n)^{N_j}

lies below one after every visit, whatever p is. Q is the average of three: contexts are the state before, the action
before, or both; the first transition of an episode has none. R rows that are possible are put together as

.. math::
    \tfrac12 \Big( \prod_r \frac{1 + E_r}{2} + \prod_r \big(1 - \frac1R + \frac{E_r}R\big) \Big),

below a supermartingale from 1 again, as a visit changes one factor, in which the product is affine with weights that
are not negative. The first is large where many rows depend a little on the past, the second where few do much. By
Ville's inequality it reaches 1/δ at any time with probability at most δ, whatever behaviour and stopping are: a test
with an exact level. It looks one transition back, no further; a hidden state whose trace is only seen after longer is
not found out, and nothing confirms that states are Markov.

Sources: J. Ville (1939); L. Wasserman, A. Ramdas, S. Balakrishnan, *Universal inference*, PNAS 117 (2020).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.samples.row_set import BITS, log_largest, log_mean, log_mixture

MARKOV_SHARE = Fraction(1, 10)
"""What the question takes of δ; the rows share the rest."""

Pair = tuple[int, int]
Histories = dict[Pair, dict[Pair, dict[int, int]]]
"""For each pair of state and action, by the pair before, or (−1, −1) where there is none, counts of what came."""

CONTEXTS: tuple[Callable[[Pair], object], ...] = (lambda pair: pair[0], lambda pair: pair[1], lambda pair: pair)
"""What is asked for as a further cause: the state before, the action before, both."""


@dataclass(frozen=True)
class MarkovTest:
    """What transitions say against states that are Markov.

    ``level``: the probability with which it refutes at some time states that are, at most. ``log_evidence``: log of the
    number that reaches 1/level with at most that probability, in a ball. ``strongest``: the state and action after
    which the transition before matters most, or None where no row was left twice.
    """

    level: Fraction
    log_evidence: arb
    strongest: Pair | None

    @property
    def refuted(self) -> bool:
        """Whether the data refute that the next state depends on state and action alone."""
        with precision(BITS):
            return bool(self.log_evidence >= arb(to_fmpq(1 / self.level)).log())

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if not self.refuted or self.strongest is None:
            return "the data do not refute that these states are Markov, which confirms nothing"
        s, a = self.strongest
        return (
            "the data refute that these states are Markov: what comes next depends on the transition before too, most "
            f"after action {a} in state {s}; of states that are, data would say so with probability at most "
            f"{self.level}"
        )


def markov_test(histories: Histories, successors: Mapping[Pair, int], level: Fraction) -> MarkovTest:
    """The test of all rows. ``successors``: for every row that is possible, visited or not, how many successors are."""
    several = {pair: k for pair, k in successors.items() if k > 1}
    found = {pair: _log_e(by, several[pair]) for pair, by in histories.items() if pair in several}
    with precision(BITS):
        share = arb(1) / max(len(several), 1)
        even = sum((_mixed(log_e, arb(1) / 2) for log_e in found.values()), start=arb(0))
        sparse = sum((_mixed(log_e, share) for log_e in found.values()), start=arb(0))
        together = log_mean(even, sparse)
    strongest = max(found, key=lambda pair: float(found[pair].mid()), default=None)
    return MarkovTest(level, together, strongest)


def _log_e(by_pair: Mapping[Pair, Mapping[int, int]], k: int) -> arb:
    """log E of one row, from its counts by the pair before."""
    with precision(BITS):
        largest = log_largest(list(_summed(by_pair, lambda pair: None)[None].values()))
        rules = []
        for context in CONTEXTS:
            parts = _summed(by_pair, context).values()
            rules.append(sum((log_mixture(list(counts.values()), k) for counts in parts), start=arb(0)))
        top = max(rules, key=lambda x: float(x.mid()))
        mean = top + sum(((x - top).exp() for x in rules), start=arb(0)).log() - arb(len(rules)).log()
        return mean - largest


def _summed(by_pair: Mapping[Pair, Mapping[int, int]], context: Callable[[Pair], object]) -> dict[object, Counter[int]]:
    found: dict[object, Counter[int]] = {}
    for pair, counts in by_pair.items():
        found.setdefault(context(pair), Counter()).update(counts)
    return found


def _mixed(log_e: arb, weight: arb) -> arb:
    """log(1 − w + w E), without the exponential of a large number."""
    if log_e.mid() > 0:
        return log_e + (weight + (1 - weight) * (-log_e).exp()).log()
    return (1 - weight + weight * log_e.exp()).log()
