r"""At λ = 1 the limit is the orthogonal projection of the value function.

Hypotheses: v exists; ΦᵀDΦ is invertible. Not needed: one policy, an irreducible or aperiodic chain.
Model: any, at λ = 1 whatever its schedule; each recurrent class on its own.
Check: A = ΦᵀDΦ and b = ΦᵀDv by (3) and (5) at λ = 1, and Φ A⁻¹b = Πv.
Closed form: (I − γP)(I − γP)⁻¹ = I, (I − γP)⁻¹r = v.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import every, mean_matrix, rewarded, without_discount
from tdcert.claims.kit import APERIODIC, HALF, Fraction, Model, Relation, States, Verdict, free, its, solution
from tdcert.claims.verdicts import decide_with_inverse_of_gram


def normal_equations(n: int, d: int) -> bool:
    """Φᵀdiag(m)(I − N)(I − N)⁻¹Φ = Φᵀdiag(m)Φ and Φᵀdiag(m)(I − N)⁻¹r = Φᵀdiag(m)v, r = (I − N)v, all free."""
    ring, N, m, Phi, v = free(p=(n, n), m=n, f=(n, d), v=(n, 1))
    onto, one = Phi.scale_rows(ring.matrix([[x] for x in m])).T, N.identity(n)
    A, b = onto @ (one - N) @ (one - N).solve(Phi), onto @ (one - N).solve((one - N) @ v)
    return bool((A - onto @ Phi).is_zero() and (b - onto @ v).is_zero())


def prove() -> kit.Proof:
    """Both equations are those of the projection."""
    sizes = ((1, 1), (2, 1), (2, 2), (3, 1))
    sentence = "at λ = 1 Aθ = b is ΦᵀDΦθ = ΦᵀDv: symbolic N, D, Φ, v, (n, d) in " + ", ".join(map(str, sizes))
    return kit.proved(sentence, kit.shown(normal_equations, at=sizes))


@kit.each_class
def at_lambda(model: Model, states: States, lam: Fraction) -> Verdict:
    """The limit at λ against Πv."""
    A, b = -mean_matrix(every(lam), its.d), its.Phi.T @ its.D @ rewarded(every(lam))
    onto = its.Phi.T @ its.D
    theta = kit.some_theta(model.d)  # the certificate of a class has one
    equations: list[Relation] = [(A, "=", its.C), (b, "=", onto @ its.V)] if lam == 1 else []
    limit: Relation = (its.Phi @ solution(A, b), "=", its.Phi @ solution(its.C, onto @ its.V))
    try:
        return decide_with_inverse_of_gram(model, [*equations, limit], states, theta, "ΦᵀDΦ is singular")
    except kit.SingularMatrixError:
        return without_discount(states, model, "the value is not determined", "v")


def at_nine_tenths() -> kit.Refutation:
    """Two states that alternate, R = 1, 0, φ = 1, 2, γ = ½, λ = 9/10."""
    model = kit.flip_chain(HALF, features=((1,), (2,)))
    return kit.explained(at_lambda(model, Fraction(9, 10)), model, "two states, γ = ½, λ = 9/10", "the limit", "Πv")


CLAIM = kit.Claim(
    id="ts_lambda1",
    stated=kit.Reading(
        r"LSTD(1) computes the orthogonal projection $\Pi v$ of $v$.",
        quote=r"the well-known fact that LSTD(1) computes the orthogonal projection $\Pi v$ of $v$",
        place="§3, after Theorem 2",
    ),
    anchors=("LSTD(1) computes the orthogonal projection",),
    check=lambda model: at_lambda(model, Fraction(1)),
    prove=prove,
    variant=kit.FalseVariant("So does LSTD(9/10).", at_nine_tenths),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("§2: γ < 1"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("§2, Assumption 1 and ergodic"), box=models.TWO_CLASSES),
        kit.Ablation(kit.ON_POLICY.at("§2: one Markov chain"), supports=lambda: (kit.theta_to_two_theta(HALF),)),
        kit.Ablation(APERIODIC.at("§2: ergodic"), supports=models.periodic_models),
    ),
    notes=("(2) asks for λ ∈ (0, 1); (3) and (5) make sense at λ = 1 too.",),
)
