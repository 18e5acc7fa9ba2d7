r"""How far the fixed point is from the value function.

Place: §4, the limit of Theorem 4.3, with the modulus of A4.1 sharpened.
Statement: (1 − κ²) ‖Φθ* − V^π‖²_D ≤ ‖V^π − ΠV^π‖²_D, Π the projection on the span of Φ in the D-norm.
Hypotheses: on-policy, λ_j ∈ [0,1], a discount below one, C positive definite. κ = Σ w_n γⁿ with γ the largest
discount, if there are several.
Model: any; each recurrent class on its own.
Check: both sides, exactly, at the exact θ* and V^π.
Closed form: e = V^π − Φθ* obeys Πe = ΠMe, so ‖e‖² = ‖V^π − ΠV^π‖² + ‖ΠMe‖² ≤ ‖V^π − ΠV^π‖² + κ²‖e‖².
"""

from collections.abc import Sequence
from typing import Any

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.dgb22.m_contraction import prove as prove_contraction
from tdcert.claims.kit import C_POSITIVE, LAMBDAS, Expression, Fraction, Model, RationalMatrix, States, Verdict, its
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.margins import kappa_name, largest_kappa
from tdcert.theory.expressions.relations import relation_certificate
from tdcert.theory.forms import Form, Over
from tdcert.theory.identities import semidefinite as identities
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices

SIGNED = Box(
    states=2,
    denominator=1,
    entries=(1, -1),
    rewards=(0, 1),
    schedules=tuple(kit.Schedule((Fraction(x),)) for x in (-1, 2, 3)),
)


def _squared(keys: KeyMatrices[Any], V: Any) -> Any:
    """‖V‖²_D, 1×1."""
    return V.T @ V.scale_rows(keys.d)


def _value(keys: KeyMatrices[Any]) -> Any:
    return (keys.N.identity(keys.N.shape[0]) - keys.N).solve(keys.r)


def _gap(keys: KeyMatrices[Any], gamma: Any, kappa: Any) -> Any:
    """‖V − ΠV‖² − (1 − κ²)‖Φθ* − V‖², 1×1."""
    V = _value(keys)
    rest = V - keys.Phi @ keys.C.solve(keys.Phi.T @ V.scale_rows(keys.d))
    return _squared(keys, rest) - _squared(keys, keys.Phi @ keys.theta_star - V).scaled(1 - kappa * kappa)


FORM = Form(
    _gap,
    "‖V − ΠV‖² − (1 − κ²)‖Φθ* − V‖²",
    strict=False,
    over=Over.VALUE,
    unit=lambda k, gap: _squared(k, _value(k)) + k.r.T @ k.r,
)


def prove() -> kit.Proof:
    """Πe = ΠMe and two right angles, symbolic; ‖Me‖ ≤ κ‖e‖ as in m_contraction."""
    shapes = ((1, 1, 1), (2, 1, 0), (2, 1, 1), (2, 1, 2), (2, 2, 1), (3, 2, 1))
    prove_contraction()
    return kit.proved(
        "ΦᵀD(I − M)(V − Φθ) = Aθ + b for free D, N, Φ, V, θ, λ at (n, d, L) up to (3, 2, 1), and ‖X‖² = ‖ΠX‖² + ‖X "
        "− ΠX‖² at n = 1, 2, 3: so ‖e‖² = ‖V − ΠV‖² + ‖ΠMe‖² ≤ ‖V − ΠV‖² + κ²‖e‖² by the lemmas of m_contraction",
        kit.shown(identities.rest_point_identity, at=shapes),
        kit.shown(identities.projection_identity, at=((1, 1), (2, 1), (3, 1))),
    )


def check(model: Model) -> Verdict:
    """The squared bound on every recurrent class."""
    return bounded(model, 1 - kappa_name(model) * kappa_name(model), "1 − κ²")


@kit.each_class
def bounded(model: Model, states: States, factor: Expression, name: str) -> Verdict:
    """Whether a factor times ‖Φθ* − V‖² is at most ‖V − ΠV‖², on every recurrent class; ``name``: of the factor."""
    detail = f"({name})‖Φθ* − V‖² ≤ ‖V − ΠV‖², κ = {largest_kappa(model)}"
    keys = theorem_matrices(model, states)
    try:
        theta = keys.theta_star
    except kit.SingularMatrixError:
        return kit.refuted_where_singular(keys, states, "target")
    if not model.has_value_from(range(model.n)):
        if not model.has_value_from(states):
            return _no_value(model, states)
        # V^π exists on the class; the relation in the certificate asks for it on all states
        return kit.undecided("V^π is not determined at a state that the class never reaches")
    relations = _relations(factor)
    return kit.decide_relations(model, relations, states=states, theta=theta.column_entries(), detail=detail)


def _relations(factor: Expression) -> list[kit.Relation]:
    """θ is θ*, and the bound."""
    V = its.V
    error = its.Phi @ its.theta - V
    rest = V - its.Phi @ kit.solution(its.C, its.Phi.T @ its.D @ V)
    bound = factor * (error.T @ its.D @ error)
    zero = 0 * its.theta
    return [(its.A @ its.theta + its.b, "=", zero), (bound, "<=", rest.T @ its.D @ rest)]


def _no_value(model: Model, states: kit.States) -> Verdict:
    """I − N is singular: V^π is not determined."""
    kernel = model.target_kernel
    ones = RationalMatrix.column([1] * model.n)
    context = kit.Context(model, states)
    kept = (relation_certificate(context, [(its.N @ its.ones, "=", its.ones)]),) if kernel.N @ ones == ones else ()
    null = (kernel.N.identity(model.n) - kernel.N).null_vector()
    assert null is not None
    return kit.refuted(
        "I − N is singular: V is not determined by (I − N)V = r", {"x": strings(null)}, by=kept, undefined="V^π"
    )


def reducible_with_rank() -> Sequence[Model]:
    """Reducible chains, each class with independent features."""
    _, two, transient = models.reducible_models()
    return (two, transient.with_features(RationalMatrix([[1, 0], [1, 1], [1, 2]])))


CLAIM = kit.Claim(
    id="error_bound",
    stated=kit.Reading(r"$(1 - \kappa^2) \, \|\Phi\theta^* - V^\pi\|_D^2 \leq \|V^\pi - \Pi V^\pi\|_D^2$."),
    anchors=(r"$\theta\not=\theta^*$", r"= \gamma||V||_{D}"),
    form=FORM,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY_SURE),
        kit.Ablation(LAMBDAS, box=SIGNED),
        kit.Ablation(kit.DISCOUNTED, box=models.UNDISCOUNTED, note="neither θ* nor V is then determined"),
        kit.Ablation(C_POSITIVE, box=models.ON_POLICY_BOX, note="θ* is then not determined; Φθ* on the class still is"),
        kit.Ablation(kit.IRREDUCIBLE, supports=reducible_with_rank, note="a class of its own, with its law, is enough"),
        kit.Ablation(
            kit.CONSTANT_DISCOUNT,
            supports=models.varying_discount_models,
            note="κ for the largest discount; it says nothing where that is 1",
        ),
    ),
    rests_on=("m_contraction", "bellman_operator"),
)
