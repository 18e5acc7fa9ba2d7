r"""Exponentials of sums of steps, and powers.

Where: S_n = Σ_{k=2}^n k^{−p}.
Hypotheses: p < 1, none on the model.
Model: no chain: p = ½, q = 1, m⁴ ≤ n ≤ (m + 1)⁴; the relations between numbers are decided at one model.
Check: ½ log n ≤ 2 log(m + 1) ≤ 2m ≤ 2m² − 3 ≤ 2(√(n + 1) − √2) ≤ S_n at m = 2 … 9, so for n from 16 on.
Closed form: S_n ≥ (n^{1−p} − 2^{1−p})/(1 − p), p log n ≤ (p/s)n^s, s = ½(1 − p): q y² − 2p y − q2^{2s} ≥ 0 at large y =
n^s.
"""

from functools import reduce
from operator import mul

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, Relation, Verdict, free, one_state
from tdcert.theory.identities.step_noise import has_no_negative_coefficient


def large_enough() -> bool:
    """q y² − 2p y − q c at y = 2p/q + c + t, c = 1 + e ≥ 1: times one it is (2p + q(c + t))(c + t) − q c."""
    _, p, q, e, t = free(p=(), q=(), e=(), t=())
    c = 1 + e
    return has_no_negative_coefficient((2 * p + q * (c + t)) * (c + t) - q * c)


def check(model: Model) -> Verdict:
    relations: list[Relation] = [(Name(2), "<=", Name(Fraction(3, 2)) ** 2)]
    relations += [(2 * Name(m), "<=", 2 * Name(m) ** 2 - 3) for m in range(2, 10)]
    return kit.decide_relations(model, relations, detail="2m ≤ 2m² − 3 and √2 ≤ 3/2: e^{−S_n} ≤ n^{−½} for n ≥ 16")


def at_one() -> kit.Refutation:
    """p = q = 1: Π(1 − 1/k) = 1/n, and 1 − 1/k < e^{−1/k}, so that e^{−S_n} > 1/n at every n."""
    product: Expression = reduce(mul, [1 - Name(Fraction(1, k)) for k in range(2, 9)])
    found = kit.decide_relations(model := one_state(HALF), [(product, "<", Name(Fraction(1, 8)))])
    detail = "p = q = 1, n = 8: e^{−S_n} > Π_{k=2}^n (1 − 1/k)"
    return kit.explained(found, model, detail, "Π(1 − 1/k), below e^{−S_n}", "n^{−p}")


CLAIM = kit.Claim(
    id="da_subexp",
    stated=kit.Reading(
        r"For $p \in (0, 1)$, $q > 0$ there is $i_1$ with $e^{-q\sum_{k=1}^{n-1}(k+1)^{-p}} \le n^{-p}$ for all "
        r"$n \ge i_1$.",
        quote=r"such an $i_1$ exists as the l.h.s. is exponentially decaying",
        place="App. C",
    ),
    check=check,
    prove=lambda: kit.proved_for_all(
        "q y² − 2p y − q c ≥ 0 for y ≥ 2p/q + c, c ≥ 1, symbolic; S_n ≥ ((n + 1)^{1−p} − 2^{1−p})/(1 − p) by the "
        "integral, log n ≤ n^s/s",
        kit.shown(large_enough),
    ),
    variant=kit.FalseVariant("It holds at p = 1 for every q > 0.", at_one),
    notes=("“Exponentially decaying” is said of an exponential of the sum, which grows as n^{1−p}.",),
)
