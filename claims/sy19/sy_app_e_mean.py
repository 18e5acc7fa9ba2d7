r"""The ODE of the example without higher moments.

Where: A(X) = −2, 1 and b(X) = −1, 1 with probability ½ each.
Model: the example.
Check: E[A(X)θ + b(X)] = −θ/2 at θ = 1 and at θ = −3.
Closed form: E A = ½(−2) + ½ = −½, E b = 0.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Fraction, Model, Name, Verdict, decide_relations, free, its, together
from tdcert.claims.sy19.example import OF_EXAMPLE, example, mean, moved


def mean_identity() -> bool:
    """(−2θ − 1) + (θ + 1) = −θ, free θ."""
    _, x = free(x=())
    return bool((-2 * x - 1) + (x + 1) == -x)


def pulled(model: Model, factor: Fraction) -> Verdict:
    """Whether the mean increment is that multiple of θ."""
    relation = (mean(1, moved()), "=", Name(factor) * its.theta)
    found = (decide_relations(model, [relation], theta=[theta]) for theta in (1, -3))
    return together(found, f"E[A(X)θ + b(X)] = {factor}θ")


def not_so(factor: Fraction) -> kit.Refutation:
    """Another factor, at θ = 1."""
    model = example()
    return kit.explained(pulled(model, factor), model, "at θ = 1", "E[A(X)θ + b(X)]", f"{factor}θ")


CLAIM = kit.Claim(
    id="sy_app_e_mean",
    stated=kit.Reading(
        r"The ODE is $\dot\theta = -\theta$.", quote=r"Therefore, the ODE is $\dot\theta = -\theta$", place="App. E"
    ),
    corrected=kit.Reading(r"The ODE is $\dot\theta = -\frac12\theta$."),
    correction=kit.Finding.MISPRINT,
    judge_stated=lambda: not_so(Fraction(-1)),
    check=lambda model: pulled(model, Fraction(-1, 2)),
    prove=lambda: kit.proved_for_all("E[A(X)θ + b(X)] = −θ/2, symbolic θ", kit.shown(mean_identity)),
    instances=lambda: (example(),),
    variant=kit.FalseVariant("It is θ̇ = −(51/100)θ.", lambda: not_so(Fraction(-51, 100))),
    ablations=(OF_EXAMPLE,),
    notes=("The first-order term −2εnΘ_0^{2n} below it is −εnΘ_0^{2n} for the same reason.",),
)
