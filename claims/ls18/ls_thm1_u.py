r"""Theorem 1: in suitable coordinates ρ_s is positive for all small steps.

Where: ρ_s(α, P_U) is of B + Bᵀ − αE[B_tᵀB_t], B_t = U⁻¹A_tU, B = E B_t. App. A has the proof.
Hypotheses: A is Hurwitz (else there is no U).
Model: any, its independent pairs with their importance-sampling ratios; each recurrent class on its own.
Check: WA + AᵀW − αE[A_tᵀWA_t] ≻ 0 at α = 0, W ≻ 0, and at one α_P > 0: so at every α between.
Closed form: U⁻ᵀ(B + Bᵀ − αB_tᵀB_t)U⁻¹ = WA + AᵀW − αA_tᵀWA_t with W = U⁻ᵀU⁻¹; affine in α.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Context, Fraction, Model, Name, States, Verdict, evaluate, expected, free, together, total
from tdcert.claims.ls18 import hurwitz


def congruence(d: int) -> bool:
    """U⁻ᵀ(B + Bᵀ − αBᵀB)U⁻¹ = WA + AᵀW − αAᵀWA for free A, U (d×d) and α."""
    _, A, U, alpha = free(a=(d, d), u=(d, d), s=())
    B, one = U.solve(A @ U), U.identity(d)
    inverse = U.solve(one)
    W = inverse.T @ inverse
    left = inverse.T @ (B + B.T - (B.T @ B).scaled(alpha)) @ inverse
    return bool((left - W @ A - A.T @ W + (A.T @ W @ A).scaled(alpha)).is_zero())


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    at_zero, W = hurwitz.decide_hurwitz(model, states)
    if W is None:
        return at_zero
    form = hurwitz.constant(model, W)
    square = expected("mu", "d", 1, hurwitz.WEIGHTED.T @ form @ hurwitz.WEIGHTED)
    S, Q = (evaluate(X, Context(model, states)) for X in (form @ hurwitz.MEAN, square))
    alpha = Fraction(1)
    while not kit.is_positive_definite(S + S.T - Q.scaled(alpha)):
        alpha /= 2  # ends, as S + Sᵀ is positive definite
    at_end = kit.decide_definite(model, form @ hurwitz.MEAN - Name(alpha / 2) * square, states, "")
    return together((at_zero, at_end), f"WA + AᵀW − αE[A_tᵀWA_t] ≻ 0 for 0 ≤ α ≤ {alpha}, W = {W.to_strings()}")


def in_given_coordinates() -> kit.Refutation:
    """A_t = A of App. A.1, U = I: xᵀ(A + Aᵀ)x = −16 at x = (1, 1), and −αAᵀA lowers it."""
    found = kit.decide_relations(
        hurwitz.NO_CHAIN, [(Name(0), "<", total([2 * Name(x) for row in hurwitz.SHEAR.rows for x in row]))]
    )
    return kit.explained(found, hurwitz.NO_CHAIN, "A = [[1, −10], [0, 1]], x = (1, 1)", "wanted above", "xᵀ(A + Aᵀ)x")


CLAIM = kit.Claim(
    id="ls_thm1_u",
    stated=kit.Reading(
        r"For a Hurwitz $A$ and any $U$ for which $U^{-1} A U$ has a positive definite symmetric part there is an "
        r"$\alpha_{P_U} > 0$ such that $\rho_s(\alpha, P_U) > 0$ for all $\alpha \in (0, \alpha_{P_U})$.",
        quote=r"for any $U \in R^{d \times d}$ and $P_U$ as in the previous paragraph there exists $\alpha_{P_U} > 0$",
        place="§3, Theorem 1",
    ),
    decides="ρ_s(α, P_U) > 0; the bound that it gives is ls_thm9 in these coordinates",
    anchors=("Theorem 1",),
    check=check,
    prove=lambda: kit.proved(
        "U⁻ᵀ(B + Bᵀ − αBᵀB)U⁻¹ = WA + AᵀW − αAᵀWA, W = U⁻ᵀU⁻¹: symbolic A, U, α, d = 1, 2; positive definite at α = 0, "
        "and so up to an α_P, as E[A_tᵀWA_t] is finite",
        kit.shown(congruence, at=(1, 2)),
    ),
    instances=lambda: (hurwitz.mostly_in_the_second(),),
    variant=kit.FalseVariant("It is so for U = I too, whatever A is.", in_given_coordinates),
    ablations=(kit.Ablation(hurwitz.HURWITZ, box=models.ON_POLICY_BOX),),
    notes=(
        "“As in the previous paragraph” is read as binding U too, as the supplement does (“Choose a matrix U with this "
        "properties”): the words “any U” alone would take in the variant.",
    ),
    rests_on=("ls_lemma6",),
)
