r"""The number of samples from which Theorem 1 says anything.

Hypotheses: one class, aperiodic, on-policy; features independent; γ < 1.
Model: one feature, λ = 1/2, δ = 1/10; β = m and b = log(1/ρ) with d_TV ≤ mρ^t.
Check: low < n_0 ≤ high, both decided in balls.
Closed form: the left side of (7) is of the order (log n)^{3/2}/√n: Λ and m_n grow like log n.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Grade, Model, Status, Verdict, fast_chain, slow_chain, undecided, where
from tdcert.claims.ts15.first_n import SMALLEST, FirstN
from tdcert.theory.check.hypotheses import APERIODIC, C_POSITIVE, CONSTANT_DISCOUNT, DISCOUNTED, ON_POLICY, UNIQUE_LAW


def falls() -> bool:
    """With l = log(n − 1) the logarithm of (m + 1)Λ² grows by at most (1 + 2 · 3/2)/l for each unit of l, as Λ' ≤ 3 and
    Λ ≥ 2l, and that of 1/(n − 1) falls by 1: the first is smaller for l > 4, and e⁴ < 3⁴ is below all n that are used.
    """
    return Fraction(1) + 2 * Fraction(3, 2) == 4 and SMALLEST > 3**4 + 1


def check(model: Model) -> Verdict:
    low, high = FirstN.of(model, HALF).enclosed()
    said = f"{low:,} < n_0(1/10) ≤ {high:,} at λ = 1/2"
    return Verdict(Status.HOLDS, Grade.ENCLOSED, said, {"n_0, above": str(low), "n_0, at most": str(high)})


def a_million() -> kit.Refutation:
    """Rows (½, ½), φ = (1, ½), γ = ½: (7) fails at a million."""
    model = fast_chain()
    low = FirstN.of(model, HALF).enclosed()[0]
    said = f"n_0(1/10) is above {low:,} at λ = 1/2"
    verdict = Verdict(Status.REFUTED, Grade.ENCLOSED, said, {"n_0, above": str(low)})
    return kit.Refutation(verdict if low >= 10**6 else undecided(said), model)


CONDITIONS = (kit.ONE_FEATURE, ON_POLICY, UNIQUE_LAW, APERIODIC, DISCOUNTED, CONSTANT_DISCOUNT, C_POSITIVE)
"""Assumptions 1 and 2, and one feature."""
CLAIM = kit.Claim(
    id="ts_n0",
    stated=kit.Reading(
        r"The least $n_0(\delta)$ from which on (7) holds is finite.",
        quote="it is clear that the finite constant n0 (δ) exists",
        place="§3, after Theorem 1",
    ),
    check=where(check, *CONDITIONS),
    prove=kit.proof_for_all(
        "(log n)^{3/2}/√n → 0, and the left side of (7) with m_n rounded upwards falls with n from e⁴ on", falls
    ),
    instances=lambda: [fast_chain(), slow_chain()],
    variant=kit.FalseVariant("It is at most a million where two states are drawn evenly and γ = ½.", a_million),
    constants=(kit.NumericConstant("the 32 in I(n, δ)"),),
    notes=(
        "The bound of Theorem 1 itself has a remainder that is only said to be Õ((1/n) log(1/δ)), so it has no value.",
    ),
)
