r"""Lemma 6: a Hurwitz matrix is similar to one whose symmetric part is positive definite.

Model: any, A of its independent pairs (``hurwitz``); each recurrent class on its own.
Check: W ≻ 0 and WA + AᵀW ≻ 0, entry by entry; U = W^{−1/2}.
Closed form: U(U⁻¹AU + UAᵀU⁻¹)U = AP + PAᵀ with P = U², and P = ∫e^{−tA}e^{−tAᵀ}dt makes this the identity.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Name, decide_relations, free, on_each_class, total
from tdcert.claims.ls18.hurwitz import HURWITZ, NO_CHAIN, SHEAR, decide_hurwitz, mostly_in_the_second
from tdcert.theory.check.stability import lyapunov_solution


def congruence(d: int) -> bool:
    """U(U⁻¹AU + UAᵀU⁻¹)U = AU² + U²Aᵀ for a free A (d×d) and a free symmetric U."""
    _, A, U = free(a=(d, d), u=("symmetric", d))
    B = U.solve(A @ U)
    return bool((U @ (B + B.T) @ U - A @ U @ U - U @ U @ A.T).is_zero())


def with_the_other_equation() -> kit.Refutation:
    """A of App. A.1: P = [[1/2, 5/2], [5/2, 51/2]] solves AᵀP + PA = I, and AP + PAᵀ begins with −49."""
    P = lyapunov_solution(SHEAR, SHEAR.identity(2))
    assert P is not None
    corner = total([2 * (Name(SHEAR[0, k]) * Name(P[k, 0])) for k in (0, 1)])
    found = decide_relations(NO_CHAIN, [(Name(0), "<", corner)])
    detail = "A = [[1, −10], [0, 1]], P = [[1/2, 5/2], [5/2, 51/2]]"
    return kit.explained(found, NO_CHAIN, detail, "wanted above", "(AP + PAᵀ)_11", P=P.to_strings())


CLAIM = kit.Claim(
    id="ls_lemma6",
    stated=kit.Reading(
        r"Any Hurwitz matrix $A$ is similar, by a symmetric positive definite $U$, to a real matrix $U^{-1} A U$ whose "
        r"symmetric part is positive definite.",
        quote="Any Hurwitz matrix is similar to a real matrix whose symmetric part is positive definite",
        place="App. A.1, Lemma 6",
    ),
    decides="the congruence; that there is a P is Lyapunov's theorem",
    anchors=("Lemma 6",),
    check=lambda model: on_each_class(lambda states: decide_hurwitz(model, states)[0], model),
    prove=lambda: kit.proved(
        "U(B + Bᵀ)U = AP + PAᵀ for B = U⁻¹AU, P = U²: symbolic A, U, d = 1, 2; P by Lyapunov's theorem",
        kit.shown(congruence, at=(1, 2)),
    ),
    instances=lambda: (mostly_in_the_second(),),
    variant=kit.FalseVariant("It is so with U = P^{1/2}, AᵀP + PA = I.", with_the_other_equation),
    ablations=(kit.Ablation(HURWITZ, box=models.ON_POLICY_BOX),),
    notes=(
        "The printed proof takes P from AᵀP + PA = I and puts AP + PAᵀ = I into its last line (the variant: on the "
        "page's own example it is indefinite). With AP + PAᵀ = I from the start, or with U = P^{−1/2}, it is right.",
    ),
)
