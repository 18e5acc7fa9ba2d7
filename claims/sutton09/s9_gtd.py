r"""GTD's joint mean matrix is stable.

Where: the matrix is [[0, −Aᵀ], [ηA, −ηI]].
Hypotheses: A nonsingular. Not needed: C ≻ 0, an irreducible behaviour chain, coverage (A as the updates meet it).
Model: any, with λ = 0; each recurrent class on its own.
Check: the mean of the shipped algorithm, entry by entry; X ≻ 0 with −XB − BᵀX ≻ 0.
Closed form: the form of ``gradient`` is −√η|w|², so an eigenvalue on the axis has w = 0, then Aθ = 0.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, blocks, decide_definite, one_state
from tdcert.claims.sutton09.gradient import ANY_CHAIN, NONSINGULAR, A, decide_joint
from tdcert.theory.identities.forms_and_norms import saddle_form_identity


def prove() -> kit.Proof:
    """The form of the joint matrix."""
    sentence = "ξᵀGξ = −√η wᵀKw for free A, K, d = 1, 2, 3: on the axis w = 0, so Aθ = 0"
    return kit.proved(sentence, kit.shown(saddle_form_identity, at=(1, 2, 3)))


def definite() -> kit.Refutation:
    """One state, γ = ½: [[0, ½], [−½, −1]], whose form is −w²."""
    return kit.on(one_state(HALF), decide_definite, blocks([[0, A.T], [-A, 1]], 1), (0,), "−B − Bᵀ, η = 1")


CLAIM = kit.Claim(
    id="s9_gtd",
    stated=kit.Reading(
        r"If $A$ is nonsingular, GTD's joint mean matrix is Hurwitz for every ratio $\eta > 0$ of its steps."
    ),
    check=lambda model: decide_joint(model, "gtd_2008", 1),
    prove=prove,
    variant=kit.FalseVariant("It is negative definite.", definite),
    ablations=(kit.Ablation(NONSINGULAR, box=models.ON_POLICY_BOX), *ANY_CHAIN),
)
