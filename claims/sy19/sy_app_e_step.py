r"""A lower bound of a conditional mean in the example without higher moments.

Where: Θ̃ is between Θ_0 and Θ_1 by Taylor's theorem.
Note: it is false for some Θ_0 < 0.
Model: the example, ε = 1/10.
Check: at Θ_0 = ¼, 1, 4 and n = 1 … 4, with the left side from Θ_1^{2n} − Θ_0^{2n}.
Closed form: ε²n(2n − 1)Θ̃^{2n−2}Δ² = (Θ_0 + εΔ)^{2n} − Θ_0^{2n} − 2nεΘ_0^{2n−1}Δ with Δ = A(X_0)Θ_0 + b(X_0).
"""

from collections.abc import Sequence

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Name, Verdict, free, its, together
from tdcert.claims.sy19.example import EPSILON, OF_EXAMPLE, example, iterate, mean, moved
from tdcert.theory.identities.step_noise import has_no_negative_coefficient


def above(n: int) -> bool:
    """For X_0 = 1, Δ = θ + 1: the closed form less ε²n(2n − 1)θ^{2n} has no negative coefficient in θ and ε."""
    _, x, eps = free(x=(), e=())
    taylor = (x + eps * (x + 1)) ** (2 * n) - x ** (2 * n) - 2 * n * eps * x ** (2 * n - 1) * (x + 1)
    return has_no_negative_coefficient(taylor - eps**2 * n * (2 * n - 1) * x ** (2 * n))


def bounded(model: Model, start: Fraction, orders: Sequence[int]) -> Verdict:
    """The inequality at one start."""
    relations = list[kit.Relation]()
    for n in orders:
        power = its.theta ** (2 * n)
        first = Name(2 * n * EPSILON) * (its.theta ** (2 * n - 1) * mean(1, moved()))
        rest = mean(1, iterate(1) ** (2 * n)) - power - first
        relations.append((Name(HALF) * power, "<=", Name(1 / (EPSILON**2 * n * (2 * n - 1))) * rest))
    return kit.decide_relations(model, relations, theta=[start], detail=f"at n = {list(orders)}")


def at(start: Fraction, stays: int, Delta: Fraction) -> kit.Refutation:
    """n = 2 at one start, from which the X_0 = ``stays`` does not move Θ and the other moves it by εΔ."""
    model = example()
    meaning = "Θ_1⁴ = Θ_0⁴ + 4Θ_0³εΔ + 6Θ̃²ε²Δ², Δ = A(X_0)Θ_0 + b(X_0)"
    moves = f"Δ = 0 at X_0 = {stays}, Δ = {Delta} and Θ_1 = {start + EPSILON * Delta} at X_0 = {-stays}"
    detail = f"ε = 1/10, n = 2, Θ_0 = {start}, with {meaning}: {moves}"
    return kit.explained(bounded(model, start, [2]), model, detail, "½Θ_0⁴", "E[Θ̃²(AΘ_0 + b)²]")


CLAIM = kit.Claim(
    id="sy_app_e_step",
    stated=kit.Reading(
        r"$E[\tilde\Theta^{2n-2}(A(X_0)\Theta_0 + b(X_0))^2 | \Theta_0] \ge \frac12\Theta_0^{2n}$.",
        quote=r"$E[\tilde\Theta^{2n-2}(A(X_0)\Theta_0 + b(X_0))^2 | \Theta_0] \ge \frac12 \Theta_0^{2n}$",
        place="App. E",
    ),
    corrected=kit.Reading(r"It holds for $\Theta_0 \ge 0$.", added_hypotheses=(r"$\Theta_0 \ge 0$",)),
    judge_stated=lambda: at(Fraction(-1), 1, Fraction(1)),
    check=lambda model: together((bounded(model, x, range(1, 5)) for x in (HALF / 2, Fraction(1), Fraction(4))), ""),
    prove=lambda: kit.proved(
        "Θ̃^{2n−2}(Θ_0 + 1)² ≥ Θ_0^{2n} at X_0 = 1 for free Θ_0, ε ≥ 0, n = 1 … 8; X_0 = −1 adds a square times an even "
        "power",
        kit.shown(above, at=range(1, 9)),
    ),
    instances=lambda: (example(),),
    variant=kit.FalseVariant("It holds for Θ_0 ≥ −½.", lambda: at(-HALF, -1, HALF)),
    ablations=(OF_EXAMPLE,),
    notes=(
        "At Θ_0 = −1 it fails for all n ≥ 2 and ε < 1, so for n = ω(1/ε) too: X_0 = 1 does not move Θ, X_0 = −1 moves "
        "it to −1 + ε, and Θ̃² < 1.",
        "What the appendix concludes, that higher moments do not exist, stands: sy_app_e.",
    ),
)
