r"""How far a correct float evaluation of an estimate may lie from its exact value.

Every estimate is a polynomial in the numbers handed out, affine in rewards and values. Expand it into monomials. A
float evaluation in any order of +, −, × returns the same monomials, each times at most m factors (1 + ε), |ε| ≤ u, m
being the longest chain of operations from an input to the result. So the error is at most γ_m S with γ_m = m u/(1 − m
u) and S the sum of the magnitudes of the monomials (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002,
§3.1). S is taken from the second writing with ``Magnitudes``: it expands every TD error, so it has at least the terms
of any other writing whose terms do not grow beyond those of the result.

m, over a row with T entries. A reward that lies k steps ahead is multiplied, for each step between, by γ, λ, a clipped
and mixed ratio (3: two products and a sum), a mask, and 1 − λ where returns are mixed: at most 7, or 14 where powers
are formed and divided by again; it is added at most once a step: 15 T together. δ and the advantage at the end take 8.
A ratio that is given by logarithms costs the rounding of log π and log μ, their difference and exp: |log ρ| ≤ 2 and
|log μ| ≤ 2 here, so at most 2 + 2 + 2 + 2 units and those of exp (2): 10 for each ratio, 10 T. An elementary function
that is off by a few units more, a reciprocal or a masked mean add no more than T entries do; 30 T + 20 covers them all.
Inputs are dyadic with few digits: they are exact in single precision too, but for logarithms.
The exact value is rounded to a float once, which is one of the 20.
"""

from __future__ import annotations

from tdcert.sims.rounding import gamma

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11}
SMALLEST = {"float64": 2.0**-1000, "float32": 2.0**-120, "float16": 2.0**-20}
"""Products below these may underflow."""


def relative(entries: int, dtype: str) -> float:
    """γ_m for a row with so many entries."""
    return gamma(30 * entries + 20, UNITS[dtype])
