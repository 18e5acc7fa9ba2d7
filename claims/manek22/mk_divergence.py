r"""A ridge on TD never makes a stable mean unstable; of an unstable one solutions are missing at real eigenvalues.

Model: any, its schedule apart; each recurrent class on its own.
Check: X ≻ 0 with −(AᵀX + XA) ≻ 0; then −((A − η)ᵀX + X(A − η)) ≻ 0 too, 2ηX more.
Closed form: eigenvalues move by −η.
Proof: Lyapunov's matrix of A serves for every η ≥ 0.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Context, Fraction, Model, Name, Reply, Verdict, evaluate, free, theta_to_two_theta
from tdcert.claims.manek22.mk_vacuous import ridge
from tdcert.claims.means import MEAN, PAID
from tdcert.theory.check.decide import EXACT


@kit.hypothesis("TD_hurwitz", "$A$ of TD(0) is Hurwitz", "our own")
def STABLE(model: Model) -> Reply:
    classes = model.behaviour_chain.recurrent_classes
    stable = all(EXACT.hurwitz(evaluate(MEAN, Context(model, states))) for states in classes)
    return Reply(stable, f"A of TD(0) is {'' if stable else 'not '}Hurwitz")


def more_identity(d: int) -> bool:
    """(A − η)ᵀX + X(A − η) = AᵀX + XA − 2ηX for a free A, a free symmetric X and η."""
    _, A, X, eta = free(a=(d, d), x=("symmetric", d), e=())
    moved = X @ (A - A.identity(d).scaled(eta))
    return bool((moved + moved.T - X @ A - (X @ A).T + X.scaled(2 * eta)).is_zero())


def stable_at(model: Model, eta: Fraction, states: kit.States) -> Verdict:
    """A − η and, as Lyapunov's matrix says, all that are larger."""
    return kit.decide_hurwitz(model, -ridge(model, eta), states, f"A − η is Hurwitz for every η ≥ {eta}")


def too_small() -> kit.Refutation:
    """θ→2θ, γ = 9/10: A = 1/5."""
    return kit.on(theta_to_two_theta(Fraction(9, 10)), stable_at, Fraction(1, 10), (0, 1))


def facts() -> list[kit.Fact]:
    """Where A is not Hurwitz a ridge may have no solution."""
    model = theta_to_two_theta(Fraction(9, 10), rewards=(1, 0))
    relations = [(ridge(model, Fraction(1, 5)), "=", Name(0)), (PAID, "!=", Name(0))]
    sentence = "θ→2θ with R = 1, 0 and γ = 9/10: at η = 1/5, an eigenvalue of A, there is no solution, as b ≠ 0"
    return [kit.Fact(sentence, model, kit.decide_relations(model, relations))]


CLAIM = kit.Claim(
    id="mk_divergence",
    stated=kit.Reading(
        r"If $A$ is Hurwitz, $A - \eta I$ is for every $\eta \ge 0$: no ridge makes stable TD unstable."
    ),
    check=lambda model: kit.on_each_class(lambda states: stable_at(model, Fraction(0), states), model),
    prove=kit.proof("(A − η)ᵀX + X(A − η) = AᵀX + XA − 2ηX: symbolic, d = 1 … 3", more_identity, at=(1, 2, 3)),
    facts=facts,
    variant=kit.FalseVariant("Every ridge η > 0 makes TD stable.", too_small),
    ablations=(kit.Ablation(STABLE, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),),
)
