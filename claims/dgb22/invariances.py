r"""What leaves the verdicts and the values Φθ* unchanged, and what does not.

Place: §2–§4; nothing there depends on how states, rewards and features are written down.
Statement: permuting states, splitting a state into copies and padding λ with zeros leave A, b, C as they are; rewards
times x make b and θ* times x; features ΦT with T invertible make TᵀAT, Tᵀb, TᵀCT, so definiteness, det A ≠ 0 (GTD's
verdict) and Φθ* stay. TD's stability off-policy need not: if vᵀAv > 0 for some v, some basis makes A unstable.
Hypotheses: none. Φθ* is compared where A is nonsingular.
Model: any; each recurrent class on its own.
Check: the model is rewritten, its key matrices are computed afresh, and both are compared exactly.
Closed form: T = (v, εe_2, …) has tr TᵀAT = vᵀAv + O(ε²) > 0 for small ε, and a positive trace leaves no room for
stability.
"""

from collections.abc import Callable
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, RationalMatrix, Status, Verdict, holds, its, on_each_class, refuted
from tdcert.theory.certificate.bodies import about_matrix, stationary_certificate, strings
from tdcert.theory.check.margins import negative_direction
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.identities import semidefinite
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, apply_S, theorem_matrices
from tdcert.theory.model.transforms import change_basis, permute_states, scale_rewards, split_state

DECIDED_FEATURES = 12
"""Up to this many features a destabilising basis is sought."""


def tabular_pair(features: RationalMatrix | None = None) -> Model:
    """Two states, uniform law, the target takes the second, γ = 9/10: TD is stable with tabular features, not with
    [[1, 0], [2, 1]].
    """
    Phi = RationalMatrix([[1, 0], [0, 1]]) if features is None else features
    return models.jumps("all to the second", [HALF, HALF], (1, 1), Phi, Fraction(9, 10))


def prove() -> kit.Proof:
    """The congruence, the split and the padding on symbols, by the suite's own formulas.

    The pair that loses stability.
    """
    before, after = tabular_pair(), tabular_pair(RationalMatrix([[1, 0], [2, 1]]))
    verdicts = [td_dynamics(model, (0, 1)).mean_dynamics for model in (before, after)]
    kit.require(
        verdicts == [MeanDynamics.STABLE, MeanDynamics.UNSTABLE],
        "the change of basis keeps the stability of TD on the pair",
    )
    return kit.proved(
        "free N, D, r, Φ, T, λ: A, b, C of ΦT are TᵀAT, Tᵀb, TᵀCT at (n, d, L) up to (2, 2, 1) and (3, 1, 1); a "
        "state split with symbolic shares "
        "keeps A, b, C at n = 1, 2, L = 0, 1; a zero after λ_L keeps S and M, L = 0 … 4",
        kit.shown(semidefinite.basis_identity, at=((2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 1, 1))),
        kit.shown(semidefinite.split_identity, at=((1, 0), (1, 1), (2, 0), (2, 1))),
        kit.shown(semidefinite.padding_identity, at=range(5)),
    )


def check(model: Model) -> Verdict:
    """Every rewriting of the model against the model, on every recurrent class."""

    def decide(states: kit.States) -> Verdict:
        keys = theorem_matrices(model, states)
        for what, stays in _comparisons(model, states, keys):
            if not stays():
                return refuted(f"{what} changes what it should not", {"rewriting": what})
        found = kit.decide_relations(model, _relations(keys.A.rank == model.d), states=states)
        law = stationary_certificate(model.behaviour_chain, states)
        found = replace(found, certificates=(law, *found.certificates))
        if found.status is not Status.HOLDS or model.d > DECIDED_FEATURES:
            return found
        unstable = _unstable_basis(model, states, keys)
        return replace(unstable, certificates=(*found.certificates, *unstable.certificates))

    return on_each_class(decide, model, "permuted, split, padded, rescaled, in another basis: everything is as stated")


def _relations(regular: bool) -> list[kit.Relation]:
    """The model is written in the basis ΦQ with Q = I + C, and its rewards are doubled."""
    Q = its.C**0 + its.C
    features = its.Phi @ Q
    moved = its.M @ features - features
    A, b = features.T @ its.D @ moved, features.T @ its.D @ its.S @ its.r
    found: list[kit.Relation] = [(A, "=", Q @ its.A @ Q), (its.Phi.T @ its.D @ its.S @ (2 * its.r), "=", 2 * its.b)]
    if regular:
        found.append((features @ kit.solution(A, b), "=", its.Phi @ kit.solution(its.A, its.b)))
    return found


def _comparisons(
    model: Model, states: kit.States, keys: KeyMatrices[RationalMatrix]
) -> list[tuple[str, Callable[[], bool]]]:
    """What is done to the model, and whether theory's prediction then holds."""
    n, d = model.n, model.d
    order = [*range(1, n), 0]
    place = {old: new for new, old in enumerate(order)}
    T = RationalMatrix([[Fraction(int(i == j) + 2 * int(i == j + 1)) for j in range(d)] for i in range(d)])

    def same(other: KeyMatrices[RationalMatrix]) -> bool:
        return other.A == keys.A and other.b == keys.b and other.C == keys.C

    def permuted() -> bool:
        moved = permute_states(model, order)
        return same(theorem_matrices(moved, tuple(sorted(place[s] for s in states))))

    def split() -> bool:
        copied = split_state(model, states[0], Fraction(1, 3))
        return same(theorem_matrices(copied, (*states, n)))

    def padded() -> bool:
        lambdas, eye = (*model.schedule.lambdas, Fraction(0), HALF), keys.Phi
        if not model.schedule.is_finite:
            return True
        return apply_S(keys.N, lambdas, 0, eye) == keys.S(eye) and apply_M(keys.N, lambdas, 0, eye) == keys.M(eye)

    def rescaled() -> bool:
        other = theorem_matrices(scale_rewards(model, Fraction(-3, 2)), states)
        return other.A == keys.A and other.C == keys.C and other.b == keys.b.scaled(Fraction(-3, 2))

    def rewritten() -> bool:
        other = theorem_matrices(change_basis(model, T), states)
        if not (other.A == T.T @ keys.A @ T and other.b == T.T @ keys.b and other.C == T.T @ keys.C @ T):
            return False
        if other.A.rank != keys.A.rank:
            return False
        if keys.A.rank < d:
            return True
        return other.Phi @ other.theta_star == keys.Phi @ keys.theta_star

    return [
        ("permuting the states", permuted),
        ("splitting a state", split),
        ("padding λ with zeros", padded),
        ("scaling the rewards", rescaled),
        ("changing the basis", rewritten),
    ]


def _unstable_basis(model: Model, states: kit.States, keys: KeyMatrices[RationalMatrix]) -> Verdict:
    """Where vᵀAv > 0: a basis in which the trace of A is positive. Where A is negative definite no basis can."""
    v = negative_direction(-keys.A.symmetric_part())
    if v is None:
        return holds("there is no such v")
    about = about_matrix(states, "target", matrix="A", sign="negative")
    kept = kit.Certificate("not_definite", about, {"stationary": strings(keys.d), "vector": strings(v)})
    lead = next(i for i, x in enumerate(v.column_entries()) if x != 0)
    epsilon = Fraction(1)
    for _ in range(200):
        columns = [v.column_entries()] + [
            tuple(epsilon * int(i == j) for i in range(model.d)) for j in range(model.d) if j != lead
        ]
        T = RationalMatrix(columns).T
        if theorem_matrices(change_basis(model, T), states).A.trace() > 0:
            return holds("a basis in which A is unstable", by=[kept])
        epsilon /= 2
    return refuted("no basis of that form makes the trace positive", {"v": strings(v)})


CLAIM = kit.Claim(
    id="invariances",
    stated=kit.Reading(
        r"Permuting states, splitting a state into copies and padding $\lambda$ with zeros keep $A$, $b$, $C$; rewards "
        r"times $x$ make $\theta^*$ times $x$; features $\Phi T$ keep definiteness, $\Phi\theta^*$ and GTD's verdict. "
        "They may change off-policy TD's stability: if $v^T A v > 0$ for some $v$, some basis makes $A$ unstable."
    ),
    anchors=(r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$",),
    check=check,
    prove=prove,
    notes=(
        "Two states, all to the second, uniform law, γ = 9/10: TD(0) is stable with tabular features and unstable "
        "with [[1, 0], [2, 1]].",
    ),
)
