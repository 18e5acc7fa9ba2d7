r"""Several stationary laws, and features that are dependent on a class.

Place: §1.1, §5 ("these proofs also work …"), A6 remark 1.
Statement: printed, the proofs extend to processes without a unique law. The conclusion θ_t → one θ* does not: on a
reducible chain A, b and the limit are those of the class that is entered. Corrected: in each recurrent class the mean
dynamics of TD(λ)-schedule converges, and the values on the class with it, to what that class alone determines; θ_t
itself keeps its part in the null space of Φ on the class, so the limit depends on θ_0 there.
Hypotheses: on-policy, γ < 1, λ_j ∈ [0,1]. Neither irreducibility nor column rank.
Model: any; each recurrent class on its own.
Check: a rest point on the class, exactly, and stability modulo the null space of Φ on it.
Closed form: with Φ = Φ_B T on the class, u = Tθ obeys u' = TTᵀ(A_B u + b_B), A_B negative definite, and θ moves in the
range of Φᵀ.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Model, RationalMatrix, Status, Verdict, holds, its, one_state, refuted, undecided
from tdcert.theory.certificate.bodies import fixed_point_certificate, stationary_certificate, strings
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.identities import algebra, forms_and_norms
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices

AT_REST: kit.Relation = (its.A @ its.theta + its.b, "=", 0 * its.b)


def prove() -> kit.Proof:
    """The quotient by the null space of Φ, symbolic; A_B < 0 comes from Proposition 4.1 on the class."""
    sizes = ((1, 1, 2, 1), (2, 1, 2, 0), (2, 1, 2, 1), (3, 2, 3, 0))
    kit.shown(forms_and_norms.dirichlet_identity, forms_and_norms.powers_keep_row_sums_and_law, at=(1, 2, 3))
    return kit.proved(
        "A = TᵀA_B T and b = Tᵀb_B for Φ = Φ_B T, free N, D, r, Φ_B, T, λ, (n, rank, d, L) = "
        + ", ".join(map(str, sizes))
        + "; along u' = TTᵀ(A_B u + b_B) the form (u − u*)ᵀ(TTᵀ)⁻¹(u − u*) falls, as A_B is negative definite "
        "(Proposition 4.1)",
        kit.shown(algebra.dependent_features_identity, at=sizes),
    )


def rest_point(model: Model, states: kit.States) -> RationalMatrix:
    """A rest point of the class: zero but for independent columns of Φ on it, where it solves A_B u + b_B = 0."""
    columns = model.features.take(rows=states).independent_columns()
    theta = [RationalMatrix([[0]])[0, 0]] * model.d
    if columns:
        basis = model.with_features(model.features.take(columns=columns))
        for column, value in zip(columns, theorem_matrices(basis, states).theta_star.column_entries(), strict=True):
            theta[column] = value
    return RationalMatrix.column(theta)


def check(model: Model) -> Verdict:
    """A rest point and stability modulo the null space of Φ, on every recurrent class."""
    certificates: list[kit.Certificate] = []
    unique = 0
    for states in model.behaviour_chain.recurrent_classes:
        found = td_dynamics(model, states)
        kept = () if found.certificate is None else (found.certificate,)
        if found.mean_dynamics is MeanDynamics.UNDECIDED:
            return undecided(found.reason)
        if not found.mean_dynamics.is_stable:
            witness = {"A": behaviour_matrices(model, states).A.to_strings(), "class": [f"s{s}" for s in states]}
            return refuted(found.reason, witness, by=kept)
        theta = rest_point(model, states).column_entries()
        resting = kit.decide_relations(model, [AT_REST], states=states, theta=theta)
        if resting.status is not Status.HOLDS:
            return resting
        unique += found.mean_dynamics is MeanDynamics.STABLE
        certificates += [*kept, *resting.certificates, stationary_certificate(model.behaviour_chain, states)]
    classes = len(model.behaviour_chain.recurrent_classes)
    detail = f"θ unique on {unique} of {classes} recurrent class{'es' if classes > 1 else ''}, the values on it on all"
    return holds(detail, by=certificates)


def judge_stated() -> kit.Refutation:
    """Two absorbing states, φ = 1, γ = ½, rewards 1 and 0: θ_t → 2 from the first, 0 from the second."""
    model = models.two_absorbing_states()
    certificates, limits = [], []
    for states in model.behaviour_chain.recurrent_classes:
        keys = theorem_matrices(model, states)
        fixed = fixed_point_certificate(keys, states, "target", keys.theta_star)
        certificates += [c for c in (fixed, stationary_certificate(model.behaviour_chain, states)) if c is not None]
        limits.append(strings(keys.theta_star)[0])
    if len(set(limits)) < 2:
        return kit.Refutation(undecided("the two classes have one θ*"), model)
    witness = {"θ* from state 1": limits[0], "θ* from state 2": limits[1], "γ": "1/2", "rewards": ["1", "0"]}
    detail = "two stationary laws, two limits: no single θ* is approached"
    return kit.Refutation(refuted(detail, witness, by=certificates), model)


def dependent_models() -> tuple[Model, ...]:
    """On-policy and irreducible, columns of Φ dependent."""
    return (one_state(HALF, None, (1, 2)), kit.flip_chain(HALF, None, ((1, 1), (2, 2))), one_state(HALF, None, (0,)))


CLAIM = kit.Claim(
    id="non_unique_stationary",
    stated=kit.Reading(
        r"The convergence proofs also work where the stationary law is not unique, so that $\theta_t \to \theta^* = "
        r"-A^{-1} b$ (Theorem 4.3) there too.",
        quote=(
            "These proofs also work for the case where the underlying Markov process does not possess a unique "
            "stationary distribution"
        ),
        place="§5",
    ),
    corrected=kit.Reading(
        r"In each recurrent class the mean dynamics $\dot\theta = A\theta + b$ of that class converges, and "
        r"$\Phi\theta$ on the class to one limit that the class determines; $\theta$ itself has one limit exactly if "
        r"$\Phi$ has full column rank on the class, else the limit depends on $\theta_0$. Different classes may have "
        r"different limits.",
        added_hypotheses=(r"$A$, $b$ and $\theta^*$ are those of the recurrent class that is entered",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"allows for multiple stationary distributions",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY),
        kit.Ablation(kit.DISCOUNTED, box=models.UNDISCOUNTED),
        kit.Ablation(kit.LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(kit.IRREDUCIBLE, supports=models.reducible_models, note="each class has its own limit"),
        kit.Ablation(
            kit.FULL_COLUMN_RANK, supports=dependent_models, note="rank is for uniqueness of θ*, not for convergence"
        ),
    ),
    notes=(
        "With several laws the differential inclusion of Theorem 4.2 has whole segments of invariant points: its "
        "conclusion is true and says less.",
        "Read as that conclusion alone, convergence to an invariant set, the sentence is not judged here. A6 (Remark "
        "1) says itself that it was with one law that convergence to the fixed point could be shown.",
    ),
    rests_on=("prop_4_1",),
)
