r"""The interval of a mean reward, valid at all times at once.

Rewards after a row lie in [c, c + 2σ], declared in advance, and have the mean m given all that was before. By
Hoeffding's lemma exp(t Σ(r_i − m) − t²σ²n/2) is a supermartingale for every t; its average over t ~ N(0, 1/(σ²κ)) is

.. math::
    \sqrt{\frac{\kappa}{\kappa + n}} \exp\Big(\frac{(\sum r_i - nm)^2}{2\sigma^2(n + \kappa)}\Big),

one too, from 1. Ville's inequality: with probability at least 1 − δ, after every visit,

.. math::
    |\textstyle\sum r_i - nm| < \sigma \sqrt{(n + \kappa)(2\log(1/\delta) + \log((n + \kappa)/\kappa))}.

Sources: H. Robbins, *Statistical methods related to the law of the iterated logarithm*, Ann. Math. Stat. 41 (1970);
W. Hoeffding, J. Amer. Statist. Assoc. 58 (1963).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.errors import InputError, short
from tdcert.theory.samples.row_set import BITS

KAPPA = 10
"""κ: the bound is narrowest, beside 1/√n, where n is a few times this."""


def mean_interval(total: Fraction, n: int, low: Fraction, high: Fraction, delta: Fraction) -> tuple[Fraction, Fraction]:
    """An interval that holds the mean reward, with probability at least 1 − ``delta`` at all times at once.

    ``total``: the sum of the n rewards seen; ``low`` and ``high``: declared bounds of each. Raises
    :class:`InputError` for delta outside (0, 1) and a sum that such rewards do not have.
    """
    if not 0 < delta < 1:
        raise InputError(f"delta is {short(delta)}; give a probability above 0 and below 1")
    if not n * low <= total <= n * high:
        raise InputError("the rewards have a sum beyond their declared range; declare what may come, and read anew")
    if n == 0 or low == high:
        return low, high
    with precision(BITS):
        log = 2 * arb(to_fmpq(1 / delta)).log() + (arb(n + KAPPA) / KAPPA).log()
        off = exact_value((arb(to_fmpq((high - low) / 2)) * ((n + KAPPA) * log).sqrt() / n).upper())
    return max(low, total / n - off), min(high, total / n + off)
