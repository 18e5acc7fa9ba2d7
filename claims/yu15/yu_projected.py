r"""The projected equation of ETD(λ) is Cθ + b = 0.

Where: Π projects on span Φ in the seminorm of M̄; (2.8), (2.9).
Model: any, with one λ and the interest r(s)² in each state; each recurrent class on its own.
Check: Πr^λ = ΦW⁻¹b and ΠP^λΦ − Φ = ΦW⁻¹C, entry by entry, W = ΦᵀM̄Φ.
Closed form: Π(r^λ + P^λΦθ) − Φθ = ΦW⁻¹(Cθ + b), and Φ is one-to-one as W is nonsingular.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import ON_MODELS, C, emphasis, lam_of, missed, rewarded
from tdcert.claims.kit import HALF, LAMBDAS, Model, Schedule, States, Verdict, diagonal, free, its, singular, solution
from tdcert.claims.yu15.yu_definite import NONSINGULAR, kept


def same_equation(n: int, d: int) -> bool:
    """The closed form for free m, Q (n×n), r, Φ (n×d) and θ."""
    ring, Q, m, r, Phi, theta = free(q=(n, n), m=n, r=(n, 1), f=(n, d), t=(d, 1))
    weighted = Phi.scale_rows(ring.matrix([[x] for x in m])).T
    W, image = weighted @ Phi, r + Q @ Phi @ theta
    C_theta_and_b = weighted @ (Q @ Phi @ theta - Phi @ theta) + weighted @ r
    return bool((Phi @ W.solve(weighted @ image) - Phi @ theta - Phi @ W.solve(C_theta_and_b)).is_zero())


def prove() -> kit.Proof:
    """The closed form on symbols."""
    sizes = ((1, 1), (2, 1), (2, 2), (3, 1))
    sentence = "Π(r + QΦθ) − Φθ = ΦW⁻¹(Cθ + b): symbolic M̄, Q, r, Φ, θ, (n, d) in " + ", ".join(map(str, sizes))
    return kit.proved(sentence, kit.shown(same_equation, at=sizes))


@kit.each_class
def projected_by(model: Model, states: States, weights: kit.Expression) -> Verdict:
    """Π in the seminorm of ``weights`` (n×1), against C and b with those of M̄."""
    lam = lam_of(model)
    onto = its.Phi.T @ diagonal(weights)
    if (flat := singular(model, states, onto @ its.Phi, "ΦᵀM̄Φ is singular", undefined="Π")) is not None:
        return flat
    W = its.Phi.T @ diagonal(emphasis(lam)) @ its.Phi
    b = its.Phi.T @ diagonal(emphasis(lam)) @ rewarded(lam)
    images = (rewarded(lam), its.Phi - missed(lam) @ its.Phi)
    project = [its.Phi @ solution(onto @ its.Phi, onto @ y) for y in images]
    wanted = [its.Phi @ solution(W, b), its.Phi + its.Phi @ solution(W, C(model))]
    relations = [(left, "=", right) for left, right in zip(project, wanted, strict=True)]
    return kit.decide_relations(model, relations, states=states, detail="Π(r^λ + P^λΦθ) − Φθ = ΦW⁻¹(Cθ + b)")


def by_the_law() -> kit.Refutation:
    """θ→2θ, γ = λ = ½, with rewards of one: the projection of off-policy TD(λ)."""
    (model,) = kept(lambda: (kit.theta_to_two_theta(HALF),))()
    sides = "by the law", "by M̄"
    return kit.explained(projected_by(model, its.d), model, "θ→2θ, R = 1, γ = λ = ½: Πr^λ, Π by d and by M̄", *sides)


def at_lambda_three() -> Model:
    """Two states that alternate, γ = ½, λ = 3, R = 1, 0, φ = 1, 2."""
    return kit.flip_chain(HALF, Schedule((HALF * 6,)), ((1,), (2,)))


CLAIM = kit.Claim(
    id="yu_projected",
    stated=kit.Reading(
        r"$v = \Pi(r^\lambda_{\pi,\gamma} + P^\lambda_{\pi,\gamma} v)$ with $v = \Phi\theta$ if and only if "
        r"$C\theta + b = 0$.",
        quote="ETD(λ) aims to solve a projected version of the Bellman equation (2.5)",
        place="§2.2, before (2.7)",
    ),
    anchors=("(2.7)",),
    check=lambda model: projected_by(model, emphasis(lam_of(model))),
    prove=prove,
    variant=kit.FalseVariant("It is so with the projection in the norm of the law d.", by_the_law),
    ablations=(
        kit.Ablation(
            NONSINGULAR, box=models.ON_POLICY_BOX, note="the paper says so after Assumption 2.2 and in Remark C.1"
        ),
        kit.Ablation(LAMBDAS.at("§2.2"), supports=lambda: (at_lambda_three(),)),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=kept(models.reducible_models)),
    ),
    notes=(ON_MODELS,),
    rests_on=("yu_bellman", "yu_rank"),
)
