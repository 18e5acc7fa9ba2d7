r"""The gradient versions of tree backup and Retrace are stable.

Hypotheses: A nonsingular, of both. Not needed: C ≻ 0 (Cx = 0 gives xᵀA = 0), an irreducible chain, coverage.
Model: any, with one λ in (0, 1); each recurrent class on its own.
Check: A from the shipped algorithm; C entry by entry; X ≻ 0 with −XB − BᵀX ≻ 0, at η = 1.
Closed form: that of ``s9_gtd``.
Proof: the form of the joint matrix, with any A and K.
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Fraction, Model, Reply, States, Verdict, decide_hurwitz, evaluate, literal
from tdcert.claims.means import decide_mean, seen
from tdcert.claims.sutton09 import s9_gtd
from tdcert.claims.sutton09.gradient import MET, C, decide_saddle
from tdcert.claims.touati18.to_unstable import BOTH
from tdcert.theory.model.key_matrices import gtd_matrix


def mean(model: Model, name: str, states: States) -> kit.RationalMatrix:
    """A of an algorithm, at the model's λ; at ½ where that is a whole number."""
    return seen(model, named(name).with_options(lam=models.lambda_of(model) % 1 or HALF), states)


@kit.hypothesis("A_nonsingular", "$A$ is nonsingular", "as remembered")
def NONSINGULAR(model: Model) -> Reply:
    classes = model.behaviour_chain.recurrent_classes
    return Reply(all(mean(model, name, c).rank == model.d for name in BOTH for c in classes), "the rank of A")


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    gram = evaluate(C, Context(model, states, MET))
    joint = [gtd_matrix(mean(model, name, states), gram, theta_first=True) for name in BOTH]
    found = [decide_saddle(model, J, states) for J in joint]
    return kit.together([decide_mean(model, gram, C, states, "C", MET), *found], "")


def itself() -> kit.Refutation:
    """θ→2θ, γ = 9/10, λ = ½: A = 7/62."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    return kit.Refutation(decide_hurwitz(model, literal(mean(model, "retrace", (0, 1))), (0, 1), "A of Retrace"), model)


CLAIM = kit.Claim(
    id="to_saddle",
    stated=kit.Reading(
        r"If the mean matrix $A$ of tree backup (Retrace) is nonsingular, its gradient version is stable: "
        r"$[[0, -A^\top], [\eta A, -\eta C]]$ is Hurwitz for every $\eta > 0$."
    ),
    check=check,
    prove=s9_gtd.prove,
    variant=kit.FalseVariant("Then the algorithm itself is stable.", itself),
    ablations=(kit.Ablation(NONSINGULAR, box=models.ON_POLICY_BOX), *models.any_chain(NONSINGULAR)),
    rests_on=("s9_gtd",),
)
