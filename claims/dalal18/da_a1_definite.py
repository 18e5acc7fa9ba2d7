r"""What Assumption A1 is used for: positive definite matrices make the linear ODEs converge.

Note: X Hurwitz is enough.
Model: any, −A of its first three features with λ as it has in the place of X; each recurrent class on its own.
Check: a symmetric P > 0 with XᵀP + PX = I, entry by entry.
Closed form: ½ d/dt ‖θ − θ*‖² = −(θ − θ*)ᵀX(θ − θ*).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Fraction, Model, RationalMatrix, Reply, decide_definite, evaluate, its
from tdcert.claims.sy19 import recursion as sy
from tdcert.claims.sy19.sy_lyapunov import decays, derivative


@kit.hypothesis("X_positive_definite", "$X$ is positive definite", "§2, A1")
def DEFINITE(model: Model) -> Reply:
    contexts = (Context(model, states) for states in model.behaviour_chain.recurrent_classes)
    found = all(kit.is_positive_definite(-sy.leading(evaluate(its.A, x)).symmetric_part()) for x in contexts)
    return Reply(found, f"X is {'' if found else 'not '}positive definite")


def both_to_the_first() -> Model:
    """Two states, tabular, next states evenly; the target goes to the first. X = [[1/20, 0], [−9/20, ½]]."""
    unit = RationalMatrix([[1, 0], [0, 1]])
    return models.jumps("both to the first", (HALF, HALF), (0, 0), unit, Fraction(9, 10))


def the_distance_grows() -> kit.Refutation:
    """X is Hurwitz, and not positive definite."""
    return kit.on(both_to_the_first(), decide_definite, -its.A, (0, 1), "the distance falls from every θ")


CLAIM = kit.Claim(
    id="da_a1_definite",
    stated=kit.Reading(
        r"If $X$ is positive definite, $\dot\theta = -X(\theta - \theta^*)$ leads to $\theta^*$.",
        quote=r"Since $X_1$ is positive definite due to",
        place="§4.1, Remark 10",
    ),
    check=lambda model: decays(model, Fraction(1)),
    prove=lambda: kit.proved("d/dt θᵀPθ = −θᵀ(XᵀP + PX)θ, symbolic, d = 1, 2, 3", kit.shown(derivative, at=(1, 2, 3))),
    instances=lambda: (both_to_the_first(),),
    variant=kit.FalseVariant("‖θ − θ*‖ falls at all times where X is Hurwitz.", the_distance_grows),
    ablations=(
        kit.Ablation(DEFINITE, supports=lambda: [both_to_the_first()], note="Hurwitz is enough, with other constants"),
        kit.Ablation(sy.HURWITZ.at("follows from A1"), box=models.OFF_POLICY),
    ),
    rests_on=("sy_lyapunov",),
)
