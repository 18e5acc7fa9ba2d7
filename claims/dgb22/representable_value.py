r"""Where the value is representable, θ* is the same for every schedule.

Place: §4, the limit θ* = −A⁻¹b.
Statement: if V^π lies in the span of the features, θ* is the same for every λ-schedule, and Φθ* = V^π.
Hypotheses: V^π ∈ span Φ on the states that the target policy reaches from a recurrent class; A nonsingular.
Model: any; each recurrent class on its own.
Check: with u = r + NΦθ* − Φθ* at the model's own θ*, θ* is the rest point of every schedule exactly if ΦᵀDNᵏu = 0 for k
= 0 … n − 1 (Cayley–Hamilton); u = 0 says so at once. The first k that fails gives the schedule that moves θ*:
(k+1)-step TD.
Closed form: Aθ + b = Σ_k c_k ΦᵀDNᵏu.
"""

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.kit import HALF, Expression, Model, Relation, Schedule, Status, Verdict, decide_relations, its
from tdcert.theory.certificate.bodies import singular_certificate
from tdcert.theory.check.hypotheses import REPRESENTABLE
from tdcert.theory.identities import algebra as identities
from tdcert.theory.model.key_matrices import theorem_matrices

V_THETA: Expression = its.Phi @ its.theta
RESIDUAL: Expression = its.r + its.N @ its.Phi @ its.theta - V_THETA
"""u = r + NΦθ − Φθ."""
OWN: Relation = (its.A @ its.theta + its.b, "=", 0 * its.b)
FEATURES_OF_ONE_STATE = Box(states=1, features=2, entries=(0, 1), rewards=(0, 1))


def prove() -> kit.Proof:
    """Aθ + b = Σ_k c_k ΦᵀDNᵏu, by the suite's own A and b."""
    sizes = ((1, 0), (2, 0), (2, 1), (2, 2), (3, 1))
    return kit.proved(
        "Aθ + b = Σ c_k ΦᵀDNᵏu with u = r + NΦθ − Φθ, free N, D, Φ, r, θ, λ, (n, L) = "
        + ", ".join(map(str, sizes))
        + "; V = Φθ gives u = 0, so θ is a rest point of every schedule",
        kit.shown(identities.residual_identity, at=sizes),
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """θ* of the model's schedule is that of every schedule, on every recurrent class."""
    keys = theorem_matrices(model, states)
    try:
        theta = keys.theta_star.column_entries()
    except kit.SingularMatrixError:
        certificate = singular_certificate(keys, states, "target")
        return Verdict(
            Status.REFUTED,
            kit.Grade.CERTIFIED,
            "A is singular: θ* is not one point",
            {"x": certificate.witness["vector"]},
            certificates=(certificate,),
            undefined="θ* = −A⁻¹b",
        )
    bellman: Relation = (RESIDUAL, "=", 0 * its.r)
    held = decide_relations(model, [OWN, bellman], states=states, theta=theta, detail="Φθ* = V^π")
    if held.status is Status.HOLDS:
        return held
    relations = [OWN]
    for k in range(model.n):
        moved: Expression = its.Phi.T @ its.D @ its.N**k @ RESIDUAL
        relations.append((moved, "=", 0 * its.b))
        verdict = decide_relations(model, relations[-1:], states=states, theta=theta)
        if verdict.status is Status.REFUTED:
            detail = f"θ* of this schedule is not a rest point of {k + 1}-step TD"
            witness = {"θ*": [str(x) for x in theta], "Aθ* + b there": verdict.witness["left value"]}
            return Verdict(Status.REFUTED, kit.Grade.CERTIFIED, detail, witness, certificates=verdict.certificates)
    return decide_relations(model, relations, states=states, theta=theta, detail="ΦᵀDNᵏu = 0 for k < n")


def signed_models() -> tuple[Model, ...]:
    """λ's outside [0,1], V^π representable, A nonsingular."""
    return (kit.one_state(HALF, Schedule((-3 * HALF,))), kit.one_state(HALF, Schedule((-6 * HALF, 4 * HALF)), reward=2))


def off_policy_models() -> tuple[Model, ...]:
    """θ→2θ with zero rewards: V^π = 0; A is positive at γ = 0.9, and θ* = 0 all the same."""
    return (kit.theta_to_two_theta(9 * HALF / 5), kit.theta_to_two_theta(HALF, Schedule.n_step(3)))


CLAIM = kit.Claim(
    id="representable_value",
    stated=kit.Reading(
        r"If $V^\pi$ lies in the span of the features, then $\theta^* = -A^{-1} b$ is the same for every "
        r"$\lambda$-schedule."
    ),
    anchors=(r"-A^{-1}b$ almost surely as $t\rightarrow\infty$", r"\theta^*\stackrel{\triangle}{="),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(REPRESENTABLE, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.A_NONSINGULAR, box=FEATURES_OF_ONE_STATE),
        kit.Ablation(kit.ON_POLICY, supports=off_policy_models),
        kit.Ablation(kit.LAMBDAS, supports=signed_models),
        kit.Ablation(kit.APERIODIC, supports=lambda: models.periodic_models()[2:3]),
    ),
    notes=(
        "Where V^π is not representable, θ* of TD(0) and of another schedule agree only if ΦᵀDNᵏu = 0 for the k it "
        "uses.",
    ),
    rests_on=("telescoping",),
)
