r"""Without the projection the bound of part (c) is false.

Hypotheses: the chain is that one; γ ≥ 99/100.
Model: γ = 99/100, 999/1000.
Check: both sides in balls.
Closed form: φ_tφ_{t+1} = ±1 is independent of the past, so Var(θ_{t+1} | past) = α_t²γ²θ_t².
Proof: given the past, θ_{t+1} has two values, equally likely, that differ by 2αγ‖θ_t‖.
"""

from math import factorial

from tdcert.claims import kit
from tdcert.claims.brs18.projected import Projected, part_c
from tdcert.claims.kit import HALF, Evaluated, Fraction, Model, Reply, Status, Verdict, fair_coin_chain, free, where

T = 50
LEAST = Fraction(99, 100)


def bounds(model: Model) -> list[Evaluated]:
    """Part (c) with the draft's R, beside the moment of TD(0) without a projection."""
    return [part_c(model, T, R=Projected.of(model).printed_radius)]


def variance_identity() -> bool:
    """½(x + y)² + ½(x − y)² = x² + y²: of two values that are equally likely."""
    _, x, y = free(x=(), y=())
    return bool((x + y) ** 2 + (x - y) ** 2 == 2 * x**2 + 2 * y**2)


def is_large_enough() -> bool:
    """h²(γh)⁹⁶/(5000(49!)²) > 21h⁵ at γ = 99/100, h = 1/(1 − γ) = 100; the left side has the higher power of h."""
    h, gamma = 1 / (1 - LEAST), LEAST
    return bool(h**2 * (gamma * h) ** 96 / (5_000 * factorial(49) ** 2) > 21 * h**5)


def check(model: Model) -> Verdict:
    found = bounds(model)[0]
    if found.holds is False:
        return Verdict(Status.HOLDS, kit.Grade.ENCLOSED, f"{found.sentence()}: it exceeds the bound")
    grade = None if found.holds is None else kit.Grade.ENCLOSED
    return Verdict(Status.REFUTED if grade else Status.UNDECIDED, grade, found.sentence())


def exceeded() -> kit.Refutation:
    """The bound, at γ = 99/100."""
    return kit.on(fair_coin_chain(LEAST), lambda model: kit.decide_bounds(bounds(model)))


def at_one_half() -> kit.Refutation:
    """At γ = ½ the steps are small, and the bound holds."""
    return kit.on(fair_coin_chain(HALF), check)


@kit.hypothesis("fair_coin", r"the fair coin chain with $\frac{99}{100} \le \gamma < 1$", "not in the draft")
def FAIR_COIN(model: Model) -> Reply:
    gamma = model.gamma
    same = gamma is not None and LEAST <= gamma < 1 and fair_coin_chain(gamma).digest == model.digest
    return Reply(same, "the model is the chain meant" if same else "the model is another one")


CLAIM = kit.Claim(
    id="brs_projection",
    stated=kit.Reading(
        r"On the fair coin chain with $\frac{99}{100} \le \gamma < 1$ the mean square of TD(0) without a projection "
        r"exceeds the bound of part (c) at $T = 50$, with the $R$ of the draft."
    ),
    bounds=bounds,
    check=where(check, FAIR_COIN),
    prove=lambda: kit.proved_for_all(
        "E θ_{t+1}² ≥ α_t²γ²E θ_t² and E(θ̄_50 − θ*)² ≥ α_48²γ²E θ_48²/2500, by the variance of two values; with α_t "
        "= h/(t + 1), h = 1/(1 − γ), E θ_1² = h²/2, that is h²(γh)⁹⁶/(5000(49!)²). The bound is at most 21h⁵, as G² ≤ "
        "25h³, ω = 1 and τ = 0",
        kit.shown(variance_identity, is_large_enough),
    ),
    instances=lambda: [fair_coin_chain(LEAST), fair_coin_chain(Fraction(999, 1000))],
    variant=kit.FalseVariant("It does so at γ = ½ too.", at_one_half),
)
