r"""The centred recursion of TD(0).

Where: Θ is shifted by θ*.
Note: §3.2 has the same.
Model: any, with TD(0); each recurrent class on its own.
Check: E[cφ + Aθ*] = 0 over all transitions from the law, with θ* = −Ã⁻¹b̃.
Closed form: A(Θ + θ*) + cφ = AΘ + (cφ + Aθ*), and E[cφ + Aθ*] = b̃ + Ãθ* = 0; with − it is 2b̃.
Proof: the shift of (1); its mean at the equilibrium Ãθ* + b̃ = 0 is zero.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, HALF, IRREDUCIBLE, Expression, Model, Name, Verdict, expected, free, its
from tdcert.claims.means import MEAN
from tdcert.claims.sy19 import recursion as sy

CENTRED: Expression = sy.REWARDED + sy.UPDATE @ its.theta
"""b(X_0) at θ*, with the sign that it must have."""


def shifted(d: int) -> bool:
    """The first closed form, everything free."""
    _, A, x, rest, f = free(a=(d, d), x=(d, 1), t=(d, 1), f=(d, 1))
    return bool((A @ (x + rest) + f - A @ x - (f + A @ rest)).is_zero())


@kit.each_class
def centred(model: Model, states: kit.States, b: Expression) -> Verdict:
    """Whether the mean of an expression at θ* is zero, on every recurrent class."""
    if (rest := sy.equilibrium(model, states)) is None:
        return sy.without(model, states, MEAN, "θ*")
    relation = (expected("mu", "d", 1, b), "=", Name(0) * its.theta)
    found = rest.column_entries()
    return kit.decide_relations(model, [relation], states=states, theta=found, detail="E b(X) = 0")


def of_one_state(b: Expression, detail: str) -> kit.Refutation:
    """One state, φ = c = 1, α = ½: A = −½ and θ* = 2."""
    model, given = kit.one_state(HALF), "one state, φ = c = 1, α = ½: A = −½, θ* = 2"
    return kit.explained(centred(model, b), model, f"{given}; {detail}", "E b(X)", "0")


CLAIM = kit.Claim(
    id="sy_centering",
    stated=kit.Reading(
        r"$b(X_k) = c(Z_k)\phi(Z_k) - A(X_k)\theta^*$ has mean zero.",
        quote=r"$b(X_k) = c(Z_k)\phi(Z_k) - A(X_k)\theta^*$",
        place="§3.1, after (17)",
    ),
    corrected=kit.Reading(r"$b(X_k) = c(Z_k)\phi(Z_k) + A(X_k)\theta^*$ has mean zero."),
    correction=kit.Finding.MISPRINT,
    judge_stated=lambda: of_one_state(sy.REWARDED - sy.UPDATE @ its.theta, "b(X) = 1 + ½θ*"),
    check=lambda model: centred(model, CENTRED),
    prove=kit.proof("A(Θ + θ*) + cφ = AΘ + (cφ + Aθ*), free A, Θ, θ*, cφ, d = 1, 2, 3", shifted, at=(1, 2, 3)),
    variant=kit.FalseVariant("c(Z_k)φ(Z_k) has mean zero.", lambda: of_one_state(sy.REWARDED, "b(X) = cφ")),
    ablations=(
        kit.Ablation(kit.DISCOUNTED.at("§3"), box=models.UNDISCOUNTED),
        kit.Ablation(C_POSITIVE.at("§3.1, after (17)"), box=models.TWO_CLASSES),
        kit.Ablation(kit.ON_POLICY.at("§3: one policy"), box=models.OFF_POLICY_REWARDS),
        kit.Ablation(
            IRREDUCIBLE.at("§3"), supports=lambda: [m for m in models.reducible_models() if C_POSITIVE.ask(m).satisfied]
        ),
    ),
    notes=("The same sign is printed for TD(λ) in §3.2, and in the proof of Corollary 11.",),
)
