r"""Tree backup and Retrace can be unstable with features.

Note: the model is ours; the matrix is positive where λ < (12γ − 10)/γ.
Model: θ→2θ with any γ, λ = 0, 1/2, 8/9, 1.
Check: the means of the shipped algorithms, from the transitions that updates see.
Closed form: the trace of φ is carried on by γλ to the second state and cut where the first action is taken.
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expr, Fraction, Model, Name, Verdict, free, its, literal, theta_to_two_theta
from tdcert.claims.means import decide_mean, seen

BOTH = ("tree_backup", "retrace")
LAMBDAS = (Fraction(0), HALF, Fraction(8, 9), Fraction(1))


def mean(lam: Fraction) -> Expr:
    """The mean matrix of the statement."""
    return kit.solution(2 * (its.gamma * Name(lam) - 2), 10 - 12 * its.gamma + its.gamma * Name(lam))


def mean_identity() -> bool:
    """z_1 = ½, z_2 = 1 + ½γλ(z_1 + z_2) for E[z1{s}]; ρ = 2 half the time: z_1(2γ − 1) + z_2(2γ − 2), free γ, λ."""
    _, gamma, lam = free(g=(), l=())
    first = HALF
    second = (1 + HALF * gamma * lam * first) / (1 - HALF * gamma * lam)
    found = first * (2 * gamma - 1) + second * (2 * gamma - 2)
    return bool(found == (10 - 12 * gamma + gamma * lam) / (2 * (gamma * lam - 2)))


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    asked = [(name, lam) for name in BOTH for lam in LAMBDAS]
    found = (decide_mean(model, one(model, *pair), mean(pair[1]), states, pair[0]) for pair in asked)
    return kit.together(found, "the means of tree backup and Retrace")


def one(model: Model, name: str, lam: Fraction) -> kit.RationalMatrix:
    """The mean matrix of an algorithm on the first class."""
    return seen(model, named(name).with_options(lam=lam), model.behaviour_chain.recurrent_classes[0])


def stable_at_a_half() -> kit.Refutation:
    """γ = 9/10, λ = ½: 7/62."""
    model = theta_to_two_theta(Fraction(9, 10))
    J = literal(one(model, "tree_backup", HALF))
    return kit.Refutation(kit.decide_hurwitz(model, J, (0, 1), "the mean matrix of tree backup, λ = ½"), model)


CLAIM = kit.Claim(
    id="to_unstable",
    stated=kit.Reading(
        r"Tree-backup($\lambda$) and Retrace($\lambda$) can be unstable with features: on $\theta \to 2\theta$ their "
        r"mean matrix is $(10 - 12\gamma + \gamma\lambda)/(2(\gamma\lambda - 2))$, positive at $\gamma = 9/10$ for "
        r"$\lambda < 8/9$."
    ),
    check=check,
    prove=lambda: kit.proved("(10 − 12γ + γλ)/(2(γλ − 2)) from E[z1{s}]: symbolic γ, λ", kit.shown(mean_identity)),
    instances=lambda: (theta_to_two_theta(HALF),),
    variant=kit.FalseVariant("At γ = 9/10 tree backup is stable there for λ = ½.", stable_at_a_half),
    ablations=(
        kit.Ablation(models.THETA_TO_TWO_THETA, counterexample=lambda: kit.flip_chain(HALF, features=((1,), (2,)))),
    ),
)
