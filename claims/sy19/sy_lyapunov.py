r"""The Lyapunov function of the linear ODE.

Where: θ̇ = Āθ, and (5) is ĀᵀP + PĀ = −I.
Model: any, Ā = A of its first three features with λ as it has; each recurrent class on its own.
Check: (5) entry by entry, P > 0, and I ≥ P/g for a g above γ_max by no more than 1/1024.
Closed form: Ẇ = θᵀ(ĀᵀP + PĀ)θ = −‖θ‖² ≤ −W/γ_max for W = θᵀPθ, and γ_min‖θ‖² ≤ W ≤ γ_max‖θ‖².
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Name, Verdict, decide_definite, entry_of, free, its, literal, total
from tdcert.claims.sy19 import recursion as sy


def derivative(d: int) -> bool:
    """(Aθ)ᵀPθ + θᵀPAθ = θᵀ(AᵀP + PA)θ, everything free."""
    _, A, P, x = free(a=(d, d), p=("symmetric", d), x=(d, 1))
    moved = A @ x
    return bool((moved.T @ P @ x + x.T @ P @ moved - x.T @ (A.T @ P + P @ A) @ x).is_zero())


@kit.each_class
def decays(model: Model, states: kit.States, rate: Fraction) -> Verdict:
    """Whether (5) has a solution P > 0 with Ẇ ≤ −(rate/g)W, on every recurrent class."""
    P = sy.lyapunov(sy.leading(kit.evaluate(its.A, kit.Context(model, states))))
    if P is None:
        return sy.without(model, states, its.A, "P")
    d, equation = range(P.shape[0]), list[kit.Relation]()
    for i, j in ((i, j) for i in d for j in d):
        terms = [Name(P[k, j]) * entry_of(its.A, k, i) + Name(P[i, k]) * entry_of(its.A, k, j) for k in d]
        equation.append((total(terms), "=", Name(-int(i == j))))
    solved = kit.decide_relations(model, equation, states=states, detail="ĀᵀP + PĀ = −I")
    positive = decide_definite(model, literal(P), states, "P is positive definite")
    slack = P.identity(len(d)) - P.scaled(rate / kit.largest_eigenvalue(P))
    return kit.together((solved, positive, decide_definite(model, literal(slack), states, "I ≥ P/g", strict=False)), "")


def one_percent_faster() -> kit.Refutation:
    """One state, φ = 1, γ = ½: Ā = −½, P = 1, Ẇ = −W."""
    return kit.on(kit.one_state(HALF), decays, Fraction(101, 100))


CLAIM = kit.Claim(
    id="sy_lyapunov",
    stated=kit.Reading(
        r"$\|\theta_t\|^2 \le (\gamma_{max}/\gamma_{min}) e^{-t/\gamma_{max}} \|\theta_0\|^2$.",
        quote=r"$\|\theta_t\|^2$ decreases exponentially as $e^{-\frac{t}{\gamma_{max}}}$",
        place="§2.1, after Remark 2",
    ),
    check=lambda model: decays(model, Fraction(1)),
    prove=kit.proof(
        "Ẇ = θᵀ(ĀᵀP + PĀ)θ, symbolic Ā, P, θ, d = 1, 2, 3; then Gronwall's inequality", derivative, at=(1, 2, 3)
    ),
    variant=kit.FalseVariant("The exponent is one percent larger.", one_percent_faster),
    constants=(kit.NumericConstant("the 1 in t/γ_max", one_percent_faster),),
    ablations=(kit.Ablation(sy.HURWITZ, box=models.OFF_POLICY),),
)
