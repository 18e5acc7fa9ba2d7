r"""The key matrix of emphatic TD(λ) is positive definite.

Hypotheses: (I − P_πΓ)⁻¹ exists; λ(s) ∈ [0, 1]; C ≻ 0. Not needed: irreducible, coverage, a stationary law.
Model: any, with λ(s) and the interest 1 + r(s)² in each state; each recurrent class on its own.
Check: E + Eᵀ = L diag(D) Lᵀ with D > 0, entry by entry.
Closed form: that of ``yu_semidefinite``, whose squares have the weights m(1 − Q1) + d, and d > 0 on the class.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import OF_INTEREST, OUTSIDE, emphasis, lam_of, mean_matrix
from tdcert.claims.kit import C_POSITIVE, EPISODES_END, HALF, LAMBDAS, Expression, Model, Verdict, its, one_state
from tdcert.claims.yu15 import yu_semidefinite


def key_is_definite(model: Model, weighted: Expression) -> Verdict:
    """Whether the key matrix from a law weighted with interest is positive definite, on every recurrent class."""
    lam = lam_of(model)
    key = -mean_matrix(lam, emphasis(lam, weighted))
    return yu_semidefinite.sign_of(key, model, "the key matrix is positive definite", strict=True)


def without_interest() -> kit.Refutation:
    """One state of no interest: the key matrix is 0."""
    return kit.on(one_state(HALF, reward=0), key_is_definite, OF_INTEREST)


CLAIM = kit.Claim(
    id="smw_definite",
    stated=kit.Reading(
        r"The key matrix of emphatic TD($\lambda$) is positive definite, for every interest $i(s) > 0$, $\lambda(s)$ "
        r"and $\gamma(s)$, if the features are independent."
    ),
    check=lambda model: key_is_definite(model, its.d + OF_INTEREST),
    prove=yu_semidefinite.prove,
    variant=kit.FalseVariant("i(s) ≥ 0 suffices.", without_interest),
    ablations=(
        kit.Ablation(EPISODES_END.at("as remembered"), box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS.at("as remembered"), box=OUTSIDE),
        kit.Ablation(C_POSITIVE.at("as remembered"), box=models.ON_POLICY_BOX),
        *models.any_chain(C_POSITIVE, EPISODES_END),
    ),
    notes=("On models the λ(s) are those of the schedule in turn, and γ(s) may differ by transitions.",),
    rests_on=("yu_semidefinite",),
)
