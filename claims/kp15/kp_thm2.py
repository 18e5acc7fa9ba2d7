r"""Theorem 2: averaged iterates.

Note: of θ_0 the printed K has B(s_0)‖θ_0‖² alone, so it is false where B(s_0) may be 0.
Hypotheses: (A1) to (A6); ‖φ‖ ≤ 1 and γ_1 ≤ c_0 < 1/(1 + β) for what holds.
Model: any, features divided by a whole number above their length, c_0 = 2/9; each recurrent class on its own.
Check: I − c_0A is positive definite.
Closed form: xᵀφ(φ − βφ')ᵀx ≤ (1 + β)‖x‖².
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A
from tdcert.claims.emphasis import lagrange_identity
from tdcert.claims.kit import HALF, Context, Fraction, Model, Name, Path, Verdict, along, entry_of, its, one_state
from tdcert.claims.sy19 import recursion as sy

C_0, FAR = Fraction(2, 9), 10**5
"""c_0, and θ_0 of the witness; its α = ¾, c = 16, so that c^α = 8."""


@kit.each_class
def moves(model: Model, states: kit.States, c_0: Fraction) -> Verdict:
    """Whether I − c_0A is positive definite on every recurrent class, features divided."""
    _, square = sy.largest(its.phi(0).T @ its.phi(0), sy.transitions(model, states), Context(model, states))
    left = kit.identity(model.d) - Name(c_0 / sy.whole_above(square) ** 2) * A
    return kit.decide_definite(model, left, states, "I − c_0A is positive definite")


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, r = 0, β = ½, so θ* = B = C = 0, μ = d = 1: θ̄_2 = θ_1 ≥ (1 − c_0/2)θ_0.

    n_0 = 8^{−4/3} = 1/16, (c + n_0)^{¼} ≤ 9/4, c_0c^α·9/4 = 4, e^{(1 + β)4} ≤ 3⁶, C'' ≤ 3, and the last term is
    16/9·(32/9)^{−15/4} ≤ 2; every power of n or n + c that divides is at least 1.
    """
    now = entry_of(its.phi(0), 0)
    first = its.theta - Name(C_0) * (now * (now - its.discount(0) * entry_of(its.phi(1), 0))) * its.theta
    grown = (1 + Name(4)) * Name(3) ** 6
    bound = grown * Name(3) + Name(Fraction(1, 16)) * grown + 2
    relations: list[kit.Relation] = [
        (Name(16 + Fraction(1, 16)), "<=", Name(Fraction(9, 4)) ** 4),
        (along(Path((0, 0), (0,)), first), "<=", bound),
    ]
    found = kit.decide_relations(model := one_state(HALF, reward=0), relations, theta=(FAR,))
    detail = (
        "one state, φ = 1, r = 0, β = ½ (B = C = θ* = 0), α = ¾, c = 16, c_0 = 2/9, n_0 = 1/16, n = 2, θ_0 = 10⁵: "
        "θ̄_2 = θ_1 ≥ (8/9)θ_0, and K_1^{IA} ≤ 5·3⁶·(3 + 1/16) + 2, as (c + n_0)^{1/4} ≤ 9/4, e⁶ ≤ 3⁶, Σ k^{−3/2} ≤ 3"
    )
    return kit.explained(found, model, detail, "below E‖θ̄_2 − θ*‖", "above the printed bound, whatever θ_0 is")


def steps_of_three() -> kit.Refutation:
    """One state, β = ½: 1 − 3/2 at γ_1 = 3."""
    return kit.Refutation(moves(model := one_state(HALF), Fraction(3)), model)


CLAIM = kit.Claim(
    id="kp_thm2",
    stated=kit.Reading(
        r"$E\|\bar\theta_n - \theta^*\| \le K_1^{IA}(n)/(n + c)^{\alpha/2}$ for $n > n_0$ under (A1) to (A6), with "
        r"$\gamma_n = c_0(\frac{c}{c+n})^\alpha$, $K_1^{IA}(n) = \frac{(L + \|\theta^*\| + C)C''}"
        r"{(n+c)^{(1-\alpha)/2}} + \frac{n_0(L + \|\theta^*\|)}{n^{1-\alpha/2}} + c^\alpha c_0(1 + "
        r"\|\theta^*\|^{1/2} + (\frac{C}{c^\alpha c_0})^{1/2})(\frac{\mu(1-\beta)c_0c^\alpha}{1-\alpha})"
        r"^{-\frac{\alpha + 2\alpha^2}{2(1-\alpha)}}$, $L = (1 + dc_0c^\alpha(c+n_0)^{1-\alpha})"
        r"e^{(1+\beta)c_0c^\alpha(c+n_0)^{1-\alpha}}$, $C'' = \sum_{k \ge 1} k^{-2\alpha}$, "
        r"$C = 6dB(s_0)(\frac{\|\theta_0\| + d + \|\theta^*\|}{1-\beta})^2$.",
        quote=(
            r"we have, for all $n > n_0 := (c\mu(1-\beta)/(2c_0(1+\beta)^2))^{-1/\alpha}$, $E\|\bar\theta_n - "
            r"\theta^*\|_2 \le K_1^{IA}(n)/(n+c)^{\alpha/2}$"
        ),
        place="§3.3, Theorem 2",
    ),
    corrected=kit.Reading(
        r"$E\bar\theta_2 - \theta^* = (I - \gamma_1 A)(\theta_0 - \theta^*)$ from the stationary law, where $I - "
        r"\gamma_1 A$ is positive definite for $\gamma_1 < 1/(1 + \beta)$: a bound has to grow with $\|\theta_0 - "
        r"\theta^*\|$."
    ),
    decides="that a bound has to contain the start; no other K is given",
    judge_stated=judge_stated,
    check=lambda model: moves(model, C_0),
    prove=kit.proof(
        "|xᵀφ·ψᵀx| ≤ ‖φ‖‖ψ‖‖x‖² by Lagrange's identity, symbolic, k = 2 … 5", lagrange_identity, at=range(2, 6)
    ),
    variant=kit.FalseVariant("I − γ_1A is positive definite for every step.", steps_of_three),
    ablations=(
        kit.Ablation(kit.APERIODIC.at("§3.1, (A1)"), supports=models.periodic_models),
        kit.Ablation(kit.IRREDUCIBLE.at("§3.1, (A1)"), supports=models.reducible_models),
    ),
    notes=(
        "Where B(s_0) > 0 the constant C grows as ‖θ_0‖², and this witness says nothing.",
        "So at every n, and with any other n_0: θ̄_n is a positive multiple of θ_0, which the printed K does not "
        "contain where B = 0. With ‖θ_0‖ for the 1 in both brackets of K the witness says nothing; whether the bound "
        "then holds rests on a report that was not read.",
        "Not used here: the printed n_0 falls as c grows, though γ_n rises; and the terms of C‴, in the bound in "
        "probability, do not contain its index k.",
    ),
)
