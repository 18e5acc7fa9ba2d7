r"""TDRC at β = 1 is not stable on every model with a unique solution; it is where H + AAᵀ is positive definite.

Model: any, its schedule apart; each recurrent class on its own.
Check: a Lyapunov matrix of the slow matrix at β = 1.
Closed form: θ→2θ, γ = 9/10: A = −1/5 and det J = ηA(A + β) < 0 for every β > 1/5 and every η > 0.
"""

from dataclasses import replace

from tdcert.claims import kit
from tdcert.claims.ghiassian20.tdrc import joint, slow, squares
from tdcert.claims.ghiassian20.tdrc_two_scale import lyapunov_identity
from tdcert.claims.kit import Fraction, Model, Reply, Status, Verdict, determinant, theta_to_two_theta
from tdcert.claims.parameter import decide_positive
from tdcert.theory.check.one_parameter import Values

ONE = Fraction(1)


@kit.hypothesis("H_plus_squares", r"$H + AA^\top \succ 0$", "our own")
def DEFINITE(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        if kit.decide_definite(model, squares(model, ONE), states, "H + AAᵀ ≻ 0").status is not Status.HOLDS:
            return Reply(False, "H + AAᵀ is not positive definite")
    return Reply(True, "H + AAᵀ is positive definite on every recurrent class")


def check(model: Model) -> Verdict:
    told = "the slow matrix is Hurwitz at β = 1"
    return kit.on_each_class(lambda states: kit.decide_hurwitz(model, slow(model, ONE), states, told), model)


def saddles(above: Fraction) -> kit.Refutation:
    """θ→2θ: whether det J < 0 at η = 1 for every β above that."""
    model = theta_to_two_theta(Fraction(9, 10))
    told = "−det J > 0"
    return kit.Refutation(
        decide_positive(model, lambda beta: -determinant(joint(model, beta)), Values(above), (0, 1), told), model
    )


def judge_stated() -> kit.Refutation:
    """det J < 0, so that J has a positive eigenvalue, for all β > 1/5; det J is a multiple of η."""
    found = saddles(Fraction(1, 5))
    told = "θ→2θ, γ = 9/10: J has a negative determinant for every β > 1/5 and η > 0, so a positive eigenvalue"
    witness = {"A": "-1/5", "det J at β = 1, η = 1": "-4/25"}
    if found.verdict.status is not Status.HOLDS:
        return found
    return kit.Refutation(replace(found.verdict, status=Status.REFUTED, detail=told, witness=witness), found.model)


CLAIM = kit.Claim(
    id="tdrc_default",
    stated=kit.Reading(r"At $\beta = 1$ TDRC is stable on two time scales wherever $A$ is nonsingular."),
    corrected=kit.Reading(
        r"At $\beta = 1$ TDRC is stable on two time scales where $H + AA^\top \succ 0$.",
        added_hypotheses=(r"$H + AA^\top \succ 0$",),
    ),
    judge_stated=judge_stated,
    check=check,
    prove=kit.proof("tdrc_two_scale at β = 1: its identity, d = 1 … 3", lyapunov_identity, at=(1, 2, 3)),
    variant=kit.FalseVariant(
        "On θ→2θ J is a saddle for one percent less than β = 1/5 too.", lambda: saddles(Fraction(99, 500))
    ),
    ablations=(kit.Ablation(DEFINITE, counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),),
    notes=("On-policy A is positive definite, so that β = 1 is safe there (tdrc_on_policy).",),
    rests_on=("tdrc_two_scale",),
)
