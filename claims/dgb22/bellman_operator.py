r"""The λ-schedule Bellman operator, and V^π as its fixed point.

Place: §3, the display after the recursion of the return.
Statement: printed, V^π(s) = E_π[G_t(θ) | s_t = s] = (T V^π)(s). With G_t(θ) in its middle it is right only where V_θ =
V^π. Corrected: E_π[G_t(θ) | s_t = s] = (T V_θ)(s), T V = Σ_k γᵏc_k Pᵏ r + M V, and T V^π = V^π.
Hypotheses: V^π is defined: γ < 1, or a discounted transition is reached from every state.
Model: any.
Check: T V^π = V^π exactly; and T V_θ as a mean over all paths from each state, where they are few enough.
Closed form: T V − V = S(r + NV − V), so every schedule keeps V^π; it is the only fixed point where S is nonsingular.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, Model, Verdict, decide_relations, entry_of, expected, its, refuted
from tdcert.theory.expressions.forward_views import BELLMAN, few
from tdcert.theory.identities import forward_backward as identities

FIXED_POINT: kit.Relation = (its.S @ its.r + its.M @ its.V, "=", its.V)


def prove() -> kit.Proof:
    """Induction over L on the Horner steps; the mean over all paths on symbols; the fixed point by telescoping."""
    sizes = ((1, 2, 1), (2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 1, 1))
    return kit.proved_for_all(
        "induction over L: T V = r + N((1 − λ_1)V + λ_1 T'V), base and step checked for any N; T V − V = S(r + NV − V)",
        kit.shown(identities.bellman_base, identities.bellman_step, identities.fixed_point_of_bellman),
    ) + kit.proved(
        "the return's recursion summed over all paths of a free decision process, (n, actions, L) = "
        + ", ".join(map(str, sizes)),
        kit.shown(identities.mean_return_identity, at=sizes),
    )


def check(model: Model) -> Verdict:
    """T V^π = V^π, and T V_θ as the mean of the return over the paths from each state (if they are few)."""
    length = model.schedule.length
    relations = [FIXED_POINT]
    summed = length is not None and few(model, range(model.n), length + 1, "pi")
    if summed and length is not None:
        relations += [(expected("pi", s, length + 1, its.G), "=", entry_of(BELLMAN, s)) for s in range(model.n)]
    detail = "V^π is a fixed point of T" + (", and T V_θ is the mean return from each state" if summed else "")
    try:
        return decide_relations(model, relations, theta=kit.some_theta(model.d), detail=detail)
    except kit.SingularMatrixError:
        return _no_value(model)


def _no_value(model: Model) -> Verdict:
    """From some state on nothing is ever discounted, (Nⁿ1)_s = 1: I − N is singular, and V^π is not a fixed point."""
    alive = its.N**model.n @ its.ones
    column = kit.RationalMatrix.column([1] * model.n)
    for _ in range(model.n):
        column = model.target_kernel.N @ column
    s = column.column_entries().index(1)
    held = decide_relations(model, [(entry_of(alive, s), "=", "1")])
    witness = {"state": f"s{s}", "r": model.target_kernel.r.to_strings()}
    detail = f"no discount is met from state s{s} on: I − N is singular, V^π is not defined"
    return refuted(detail, witness, by=held.certificates, undefined="V^π")


def judge_stated() -> kit.Refutation:
    """One state, reward 1, γ = ½, TD(0), θ = 0: V^π = 2 = (T V^π), and E[G_t(θ)] = 1 + ½·0."""
    model = kit.one_state(HALF)
    verdict = decide_relations(model, [FIXED_POINT, (expected("pi", 0, 1, its.G), "=", its.V)], theta=[0])
    return kit.explained(
        verdict,
        model,
        "the return that bootstraps from V_θ has the mean (T V_θ)(s), not V^π(s)",
        "E[G_t(θ) | s_t = s]",
        "V^π(s)",
        θ="0",
        γ="1/2",
        R="1",
    )


CLAIM = kit.Claim(
    id="bellman_operator",
    stated=kit.Reading(
        r"$V^\pi(s) = E[G_t^{[\lambda_1:\lambda_L]}(\theta) \mid s_t = s, \pi] = (T^{\pi,[\lambda_1:\lambda_L]} "
        r"V^\pi)(s)$, for the return $G_t(\theta)$ that bootstraps from $V_\theta$.",
        quote=(
            r"$\mathbb{E}\left[G_{t}^{[\lambda_1:\lambda_L]}(\theta)|s_{t} = s,\pi\right] \triangleq "
            r"\left(T^{\pi,[\lambda_1:\lambda_L]}V^{\pi}\right)(s)$"
        ),
        place="§3, (eu_eqn), of V^π(s)",
    ),
    corrected=kit.Reading(
        r"$E[G_t^{[\lambda_1:\lambda_L]}(\theta) \mid s_t = s, \pi] = (T^{\pi,[\lambda_1:\lambda_L]} V_\theta)(s)$ "
        r"with $T V = \sum_{k=0}^{L} \gamma^k c_k P^k r + M V$, and $V^\pi = T V^\pi$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(
        r"\triangleq \left(T^{\pi,[\lambda_1:\lambda_L]}V^{\pi}\right)(s)",
        r"denotes the $\lambda$-schedule Bellman operator",
    ),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.EPISODES_END, box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models, note="a polynomial identity in the λ's"),
        kit.Ablation(kit.COVERAGE, supports=models.uncovered_models, note="the operator is the target policy's own"),
        kit.Ablation(kit.IRREDUCIBLE, supports=models.reducible_models),
    ),
    notes=("A3.1 uses the right form: E_π[δ_t | s_t = s] = (T V_θ − V_θ)(s).",),
    rests_on=("return_recursion", "telescoping"),
)
