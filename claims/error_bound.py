r"""How far the fixed point is from the value function.

Place: §4, the limit of Theorem 4.3, with the modulus of A4.1 sharpened.
Statement: (1 − κ²) ‖Φθ* − V^π‖²_D ≤ ‖V^π − ΠV^π‖²_D, Π the projection on the span of Φ in the D-norm.
Hypotheses: on-policy, λ_j ∈ [0,1], a discount below one, C positive definite. κ = Σ w_n γⁿ with γ the largest
discount, if there are several.
Model: any; each recurrent class on its own.
Check: both sides, exactly, at the exact θ* and V^π.
Closed form: e = V^π − Φθ* obeys Πe = ΠMe, so ‖e‖² = ‖V^π − ΠV^π‖² + ‖ΠMe‖² ≤ ‖V^π − ΠV^π‖² + κ²‖e‖².
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claims.box import Box
from claims.claim import Ablation, Claim, ProofError, Reading
from claims.m_contraction import prove as prove_contraction
from claims.models import OFF_POLICY_SURE, ON_POLICY_BOX, UNDISCOUNTED, reducible_models, varying_discount_models
from theory.arithmetic import RationalMatrix
from theory.check import identities_margins as identities
from theory.check.evidence import about_matrix, strings
from theory.check.hypotheses import C_POSITIVE, CONSTANT_DISCOUNT, DISCOUNTED, IRREDUCIBLE, LAMBDAS, ON_POLICY
from theory.check.margins import kappa_name, largest_kappa
from theory.check.relations import Context, Relation, decide_relations, relation_certificate
from theory.errors import SingularMatrixError
from theory.model.key_matrices import theorem_matrices, value_function
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

SIGNED = Box(
    states=2,
    denominator=1,
    entries=(1, -1),
    rewards=(0, 1),
    schedules=tuple(Schedule((Fraction(x),)) for x in (-1, 2, 3)),
)


def prove() -> tuple[ScopedEvidence, ...]:
    """Πe = ΠMe and two right angles, symbolic; ‖Me‖ ≤ κ‖e‖ as in m_contraction."""
    shapes, plain = ((1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 1, 2), (2, 2, 1), (3, 2, 1)), ((1, 1), (2, 1), (3, 1))
    if not all(identities.rest_point_identity(*shape) for shape in shapes):
        raise ProofError("ΦᵀD(I − M)(V − Φθ) is not Aθ + b")
    if not all(identities.projection_identity(*shape) for shape in plain):
        raise ProofError("the projection is not orthogonal")
    prove_contraction()
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(shapes) + len(plain),
            "ΦᵀD(I − M)(V − Φθ) = Aθ + b for free D, N, Φ, V, θ, λ at (n, d, L) up to (3, 2, 1), and ‖X‖² = ‖ΠX‖² + "
            "‖X − ΠX‖² at "
            "n = 1, 2, 3: so ‖e‖² = ‖V − ΠV‖² + ‖ΠMe‖² ≤ ‖V − ΠV‖² + κ²‖e‖² by the lemmas of m_contraction",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """The squared bound on every recurrent class."""
    certificates: list[Certificate] = []
    detail = f"(1 − κ²)‖Φθ* − V‖² ≤ ‖V − ΠV‖², κ = {largest_kappa(model)}"
    for states in model.behaviour_chain.recurrent_classes:
        keys = theorem_matrices(model, states)
        try:
            theta = keys.theta_star
        except SingularMatrixError:
            null = keys.A.null_vector()
            assert null is not None
            kept = Certificate(
                "singular",
                about_matrix(states, "target", matrix="A"),
                {"stationary": strings(keys.d), "vector": strings(null)},
            )
            return Verdict(
                Status.REFUTED,
                Grade.CERTIFIED,
                "A is singular: there is no θ*",
                {"x": strings(null)},
                certificates=(kept,),
            )
        try:
            value_function(model)
        except SingularMatrixError:
            return _no_value(model, states)
        verdict = decide_relations(model, _relations(model), states=states, theta=theta.column_entries(), detail=detail)
        if verdict.status is not Status.HOLDS:
            return verdict
        certificates += verdict.certificates
    return Verdict(Status.HOLDS, Grade.CERTIFIED, detail, certificates=tuple(certificates))


def _relations(model: Model) -> list[Relation]:
    """θ is θ*, and the bound."""
    kappa, V = kappa_name(model), "V"
    error = ("-", ("@", "Phi", "theta"), V)
    rest = ("-", V, ("@", "Phi", ("solve", "C", ("@", ("T", "Phi"), "D", V))))
    bound = ("*", ("-", "1", ("*", kappa, kappa)), ("@", ("T", error), "D", error))
    zero = ("*", "0", "theta")
    return [(("+", ("@", "A", "theta"), "b"), "=", zero), (bound, "<=", ("@", ("T", rest), "D", rest))]


def _no_value(model: Model, states: tuple[int, ...]) -> Verdict:
    """I − N is singular: V^π is not determined."""
    kernel = model.target_kernel
    ones = RationalMatrix.column([1] * model.n)
    context = Context(model, states)
    kept = (relation_certificate(context, [(("@", "N", "ones"), "=", "ones")]),) if kernel.N @ ones == ones else ()
    null = (kernel.N.identity(model.n) - kernel.N).null_vector()
    assert null is not None
    return Verdict(
        Status.REFUTED,
        Grade.CERTIFIED,
        "I − N is singular: V is not determined by (I − N)V = r",
        {"x": strings(null)},
        certificates=kept,
    )


def reducible_with_rank() -> Sequence[Model]:
    """Reducible chains, each class with independent features."""
    _, two, transient = reducible_models()
    return (two, transient.with_features(RationalMatrix([[1, 0], [1, 1], [1, 2]])))


CLAIM = Claim(
    id="error_bound",
    stated=Reading(r"$(1 - \kappa^2) \, \|\Phi\theta^* - V^\pi\|_D^2 \leq \|V^\pi - \Pi V^\pi\|_D^2$."),
    hypotheses=(ON_POLICY, LAMBDAS, DISCOUNTED, C_POSITIVE),
    anchors=(r"$\theta\not=\theta^*$", r"= \gamma||V||_{D}"),
    check=check,
    prove=prove,
    ablations=(
        Ablation(ON_POLICY, box=OFF_POLICY_SURE),
        Ablation(LAMBDAS, box=SIGNED),
        Ablation(DISCOUNTED, box=UNDISCOUNTED, note="neither θ* nor V is then determined"),
        Ablation(C_POSITIVE, box=ON_POLICY_BOX, note="θ* is then not determined; Φθ* on the class still is"),
        Ablation(IRREDUCIBLE, supports=reducible_with_rank, note="a class of its own, with its law, is enough"),
        Ablation(
            CONSTANT_DISCOUNT,
            supports=varying_discount_models,
            note="κ for the largest discount; it says nothing where that is 1",
        ),
    ),
    rests_on=("m_contraction", "bellman_operator"),
)
