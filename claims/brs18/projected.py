r"""Projected TD(0) along a chain with one feature: constants, the steps of the three parts, and what their proofs
share.

G = r_max + 2R, ω = λ_min(ΦᵀDΦ), s_0 from the stationary law, θ_0 = 0. A projection onto ‖θ‖ ≤ R is inactive where no
path leaves the ball (:mod:`tdcert.theory.laws.reach`), and then the moments are those of TD(0) itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb

from tdcert.claims import kit
from tdcert.claims.kit import BITS, ONE_FEATURE, Evaluated, Fraction, LinearTD, Model, Reply, ball, free, precision
from tdcert.theory.check.hypotheses import APERIODIC, C_POSITIVE, CONSTANT_DISCOUNT, DISCOUNTED, ON_POLICY, UNIQUE_LAW
from tdcert.theory.check.step_size_ratio import root_above


@dataclass(frozen=True)
class Projected:
    """TD(0) on a model with one feature; raises InputError as LinearTD does, and where ω = 0."""

    td: LinearTD

    @staticmethod
    def of(model: Model) -> Projected:
        found = Projected(LinearTD(model))
        if found.omega == 0:
            raise kit.InputError("the feature vanishes on the recurrent class, so ω = 0")
        return found

    @property
    def omega(self) -> Fraction:
        """ω = ΦᵀDΦ."""
        return self.td.C[0, 0]

    @property
    def rate(self) -> Fraction:
        """ω(1 − γ)."""
        return self.omega * (1 - self.td.gamma)

    @property
    def printed_radius(self) -> Fraction:
        """An upper bound of R in "Choice of the projection radius": R² = 4r_max²/(ω(1 − γ²)(1 − γ)²)."""
        gamma = self.td.gamma
        return root_above(4 * self.td.r_max**2 / (self.omega * (1 - gamma**2) * (1 - gamma) ** 2))

    def radius(self, steps: Sequence[Fraction]) -> Fraction:
        """The least R ≥ ‖θ*‖, up to rounding, that no path with these steps leaves."""
        return max(self.td.largest(steps), abs(self.td.target[0, 0]))

    def G(self, R: Fraction) -> Fraction:
        """r_max + 2R."""
        return self.td.r_max + 2 * R

    def decreasing(self, T: int) -> list[Fraction]:
        """The steps of part (c)."""
        return [1 / (self.rate * (t + 1)) for t in range(T)]

    def errors(self) -> Fraction:
        """‖θ* − θ_0‖²."""
        return self.td.target[0, 0] ** 2


def part_a(model: Model, root: int, R: Fraction | None = None, power: int = 1) -> Evaluated:
    """Part (a) at T = root², so that the step 1/√T is rational. ``R``: the least one, unless
    given; ``power``: of 1/(1 − γ).
    """
    of, T, step = Projected.of(model), root * root, Fraction(1, root)
    R = of.radius([step] * T) if R is None else R
    exact = of.td.path(averaged=True).after(T, step, of.td.C).average
    assert exact is not None
    with precision(BITS):
        G2, free_of_R = of.G(R) ** 2, root * (1 - of.td.gamma) ** power
        tau = of.td.mixing.time(step)
        bound = ball(((of.errors() + G2) / 2 + 2 * G2 * (1 + tau)) / free_of_R)
    return Evaluated("E‖V_θ̄ − V_θ*‖²_D", exact, bound, T, f"α = {step}", f"τ = {tau}, R = {float(R):.4g}")


def part_b(model: Model, T: int, share: Fraction, R: Fraction | None = None, noise: int = 1) -> Evaluated:
    """Part (b) at α_0 = ``share``/(2ω(1 − γ)); 0 < share ≤ 1. ``noise``: a factor of its second term."""
    of = Projected.of(model)
    step = share / (2 * of.rate)
    R = of.radius([step] * T) if R is None else R
    exact = of.td.path().after(T, step, of.td.weight).last
    with precision(BITS):
        tau = of.td.mixing.time(step)
        rest = noise * step * of.G(R) ** 2 * (1 + 4 * (1 + tau)) / (2 * of.rate)
        bound = (-ball(2 * step * of.rate * T)).exp() * ball(of.errors()) + ball(rest)
    return Evaluated("E‖θ_T − θ*‖²", exact, bound, T, f"α = {float(step):.4g}", f"τ = {tau}, R = {float(R):.4g}")


def part_c(model: Model, T: int, R: Fraction | None = None, exact: arb | None = None) -> Evaluated:
    """Part (c)."""
    of = Projected.of(model)
    steps = of.decreasing(T)
    R = of.radius(steps) if R is None else R
    if exact is None:
        exact = of.td.path(averaged=True).along(steps, of.td.C).average
        assert exact is not None
    with precision(BITS):
        mixing = of.td.mixing
        tau, G2 = mixing.time(1 / (of.rate * (T + 1))), of.G(R) ** 2
        first = ball(8 * G2 * (1 + tau) / (T * of.rate * (1 - of.td.gamma))) * (1 + arb(T).log())
        bound = first + ball(4 * G2 * mixing.m * mixing.rho / (T * (1 - mixing.rho) * (1 - of.td.gamma)))
    steps_said = "α_t = 1/(ω(t + 1)(1 − γ))"
    return Evaluated("E‖V_θ̄ − V_θ*‖²_D", exact, bound, T, steps_said, f"τ = {tau}, R = {float(R):.4g}")


def spread(td: LinearTD) -> Fraction:
    """The largest ‖A(X) − E A(X)‖, one feature."""
    return max(abs(K[0, 0] - td.A[0, 0]) for _, _, _, K in td.moves)


@kit.hypothesis(
    "lipschitz",
    r"$\|A(X) - E A(X)\| \le \frac43$, so that $\zeta_t$ is $2G$-Lipschitz",
    "the draft's lemma on ζ_t, for every model",
)
def LIPSCHITZ(model: Model) -> Reply:
    if model.d != 1:
        return Reply(False, "it is asked of one feature")
    found = spread(LinearTD(model))
    return Reply(found <= Fraction(4, 3), f"the largest ‖A(X) − E A(X)‖ is {found}")


@kit.hypothesis("unit_features", r"$\|\phi(s)\| \le 1$", "the draft's Assumption 1")
def UNIT_FEATURES(model: Model) -> Reply:
    largest = max(sum(x * x for x in row) for row in model.features.rows)
    return Reply(largest <= 1, f"the largest ‖φ‖² is {largest}")


CONDITIONS = (ONE_FEATURE, UNIT_FEATURES, ON_POLICY, UNIQUE_LAW, APERIODIC, DISCOUNTED, CONSTANT_DISCOUNT, C_POSITIVE)
"""What the bounds ask of a model, and that it has one feature."""


def rarely_turning() -> Model:
    """Two states, each left with probability 1/100, φ = (1, −1), reward φ, γ = 9/10."""
    stay = Fraction(99, 100)
    P = kit.RationalMatrix([[stay, 1 - stay], [1 - stay, stay]])
    phi = kit.RationalMatrix.column([1, -1])
    return Model.reward_process(P, phi, Fraction(9, 10), phi, name="rarely turning")


WITHOUT_LIPSCHITZ = kit.Ablation(
    LIPSCHITZ,
    supports=lambda: [rarely_turning()],
    note="on this model; the proof gives 6τ for 2τ there, as ζ_t is 6G-Lipschitz (brs_lipschitz)",
)
"""Where ζ_t is not 2G-Lipschitz the bounds may hold all the same; nothing is proved of them there."""


def models() -> Sequence[Model]:
    """The chains that mix, of those on which every bound is evaluated."""
    return kit.fast_chain(), kit.slow_chain(), kit.fair_coin_chain(kit.HALF)


def expansion() -> bool:
    """(x − αg)² = x² − 2αgx + α²g², entry by entry, and G²/4 − R² = (r + 4R)r/4 for G = r + 2R, so that R ≤ G/2."""
    _, x, a, g, r, R = free(x=(), a=(), g=(), r=(), R=())
    G = r + 2 * R
    return bool((x - a * g) ** 2 == x**2 - 2 * a * g * x + a**2 * g**2 and r * (r + 4 * R) == G**2 - 4 * R**2)


def sums_of_c() -> bool:
    """(t + 1)(1 − 1/(t + 1))e = te, so the sum telescopes; 8(1 + τ) − (1 + 4(1 + 2τ)) = 3."""
    _, t, e, tau = free(t=(), e=(), u=())
    return bool((t + 1) * e - e == t * e and 8 * (1 + tau) - (1 + 4 * (1 + 2 * tau)) == 0 * tau + 3)


BIAS = (
    "‖θ* − Π(θ + αg)‖² ≤ ‖θ* − θ − αg‖², expanded; E ζ_t ≤ 4GR mρ^τ + 2G·G·Στα by the Lipschitz constant 2G, brs_g and "
    "brs_info, with R ≤ G/2 (for t ≤ τ the first term vanishes, as s_0 has the stationary law); brs_mean for the drift"
)


def last_of_c(model: Model, T: int) -> Evaluated:
    """Remark 1 after the theorem: the last iterate at the steps of part (c), whose bound is that of part (c) over ω."""
    of = Projected.of(model)
    exact = of.td.path().along(of.decreasing(T), of.td.weight).last
    found = part_c(model, T, exact=exact)
    with precision(BITS):
        return Evaluated("E‖θ_T − θ*‖²", exact, found.bound / ball(of.omega), T, found.steps, found.constants)


def part(
    letter: str,
    statement: str,
    quote: str,
    bounds: kit.Bounds,
    prove: Callable[[], kit.Proof],
    variant: kit.FalseVariant,
    constants: Sequence[str],
    *,
    sharper: kit.Reading | None = None,
    facts: Callable[[], Sequence[kit.Fact]] | None = None,
) -> kit.Claim:
    """The claim of a part of the theorem, with what all three share. ``constants``: those of which nothing is known."""
    return kit.Claim(
        id=f"brs_{letter}",
        stated=kit.Reading(statement, quote=quote, place=f"the draft's Theorem mc_ana, part ({letter})"),
        sharper=sharper,
        bounds=bounds,
        check=kit.decided(bounds, *CONDITIONS),
        prove=prove,
        decides="where ζ_t is 2G-Lipschitz, as a lemma of the draft says",
        facts=facts,
        instances=models,
        variant=variant,
        constants=tuple(map(kit.NumericConstant, constants)),
        ablations=(WITHOUT_LIPSCHITZ,),
        rests_on=("brs_g", "brs_mean", "brs_info", "brs_lipschitz"),
    )
