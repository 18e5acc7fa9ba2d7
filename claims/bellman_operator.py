r"""The λ-schedule Bellman operator, and V^π as its fixed point.

Place: §3, the display after the recursion of the return.
Statement: (T V)(s) = E_π[G_t | s_t = s] is T V = Σ_k γᵏc_k Pᵏ r + M V, and T V^π = V^π. The displayed chain of
equalities has G_t(θ) in its middle, and is right only where V_θ = V^π.
Hypotheses: V^π is defined: γ < 1, or a discounted transition is reached from every state.
Model: any.
Check: T V^π = V^π exactly; and T V_θ as a mean over all paths from each state, where they are few enough.
Closed form: T V − V = S(r + NV − V), so every schedule keeps V^π; it is the only fixed point where S is nonsingular.
"""

from __future__ import annotations

from claims.claim import Ablation, Claim, ProofError, Reading
from claims.models import UNDISCOUNTED, reducible_models, signed_lambda_models, uncovered_models
from theory.arithmetic import RationalMatrix
from theory.check import identities_views as identities
from theory.check.hypotheses import COVERAGE, EPISODES_END, IRREDUCIBLE, LAMBDAS
from theory.check.paths import some_theta
from theory.check.relations import Relation, decide_relations
from theory.check.views import BELLMAN, few
from theory.errors import SingularMatrixError
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

FIXED_POINT: Relation = (("+", ("@", "S", "r"), ("@", "M", "V")), "=", "V")


def prove() -> tuple[ScopedEvidence, ...]:
    """Induction over L on the Horner steps; the mean over all paths on symbols; the fixed point by telescoping."""
    if not (identities.bellman_base() and identities.bellman_step()):
        raise ProofError("T V = S r + M V fails in the induction over L")
    if not identities.fixed_point_of_bellman():
        raise ProofError("T V − V is not S(r + NV − V)")
    sizes = ((1, 2, 1), (2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 1, 1))
    if not all(identities.mean_return_identity(*size) for size in sizes):
        raise ProofError("the mean of the return over all paths is not S r + M V")
    return (
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 3,
            "induction over L: T V = r + N((1 − λ_1)V + λ_1 T'V), base and step checked for any N; T V − V = S(r + NV "
            "− V)",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "the return's recursion summed over all paths of a free decision process, (n, actions, L) = "
            + ", ".join(map(str, sizes)),
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """T V^π = V^π, and T V_θ as the mean of the return over the paths from each state (if they are few)."""
    length = model.schedule.length
    relations = [FIXED_POINT]
    summed = length is not None and few(model, range(model.n), length + 1, "pi")
    if summed and length is not None:
        relations += [(("E", "pi", s, length + 1, "G"), "=", ("entry", BELLMAN, s, 0)) for s in range(model.n)]
    detail = "V^π is a fixed point of T" + (", and T V_θ is the mean return from each state" if summed else "")
    try:
        return decide_relations(model, relations, theta=some_theta(model.d), detail=detail)
    except SingularMatrixError:
        return _no_value(model)


def _no_value(model: Model) -> Verdict:
    """From some state on nothing is ever discounted, (Nⁿ1)_s = 1: I − N is singular, and V^π is no fixed point."""
    alive = ("@", ("^", "N", model.n), "ones")
    column = RationalMatrix.column([1] * model.n)
    for _ in range(model.n):
        column = model.target_kernel.N @ column
    s = column.column_entries().index(1)
    held = decide_relations(model, [(("entry", alive, s, 0), "=", "1")])
    witness = {"state": str(s + 1), "r": model.target_kernel.r.to_strings()}
    detail = f"no discount is met from state {s + 1} on: I − N is singular, V^π is not defined"
    return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=held.certificates)


CLAIM = Claim(
    id="bellman_operator",
    stated=Reading(
        r"$T^{\pi,[\lambda_1:\lambda_L]} V = \sum_{k=0}^{L} \gamma^k c_k P^k r + M V$, and $V^\pi$ is a fixed point of "
        r"it."
    ),
    hypotheses=(EPISODES_END,),
    anchors=(
        r"\triangleq \left(T^{\pi,[\lambda_1:\lambda_L]}V^{\pi}\right)(s)",
        r"denotes the $\lambda$-schedule Bellman operator",
    ),
    check=check,
    prove=prove,
    ablations=(
        Ablation(EPISODES_END, box=UNDISCOUNTED),
        Ablation(LAMBDAS, supports=signed_lambda_models, note="a polynomial identity in the λ's"),
        Ablation(COVERAGE, supports=uncovered_models, note="the operator is the target policy's own"),
        Ablation(IRREDUCIBLE, supports=reducible_models),
    ),
    notes=(
        "The display equates V^π(s) with E[G_t(θ) | s_t = s]: right at V_θ = V^π only; in general that mean is (T "
        "V_θ)(s).",
    ),
    rests_on=("return_recursion", "telescoping"),
)
