r"""The generalized advantage estimate is the λ-return less the value.

Place: §2, with λ_j = λ (observation (3)); the estimate is that of Schulman et al. 2016, (16).
Statement: over H steps, Σ_{k<H} (γλ)ᵏ δ_{t+k} = G_t^{[λ_1:λ_{H−1}]} − V(s_t) with λ_j = λ for j < H.
Hypotheses: one λ up to the length of the schedule, H − 1. The discount may depend on the transition: γᵏ becomes
Γ_t…Γ_{t+k−1}, and an episode's end is a discount of zero. A row that is cut after H steps has this H, so truncation
bootstraps from V(s_{t+H}).
Model: any; along paths from up to three states.
Check: the sum against the return of the schedule along each path.
Closed form: A = δ + γλA' for A = G − V.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import delta_expansion
from tdcert.claims.kit import Expression, Model, Name, Relation, Verdict, decide_along, its, some_theta, total
from tdcert.theory.check.hypotheses import CONSTANT_UP_TO_END, FINITE_SCHEDULE
from tdcert.theory.expressions.paths import can_be_written_out, discounts
from tdcert.theory.identities import estimators as identities

STEPS = (1, 2, 3)


def prove() -> kit.Proof:
    """Induction over H, and the suite's own estimators against the return of §3 and against each other."""
    cases = [(name, steps) for name in identities.POLYNOMIAL for steps in STEPS[:2]]
    return (
        kit.proved_for_all(
            "induction over H, base H = 1 (G = R + γV', A = δ); step A = δ + γλA' for A = G − V, a discount and a λ "
            "of its own for every step",
            kit.shown(identities.gae_step),
        )
        + kit.proved(
            "both writings of the suite's GAE against the return of the recursion, symbolic rewards, values, λ and a "
            "discount for every transition, H = 1 … 5",
            kit.shown(identities.gae_is_return, at=range(1, 6)),
        )
        + kit.proved(
            "the two writings of every estimator without a minimum in it, all symbols free, rows of 1 and 2 steps cut "
            "into episodes in every way",
            kit.shown(identities.writings_agree, at=cases),
        )
    )


def check(model: Model) -> Verdict:
    """Σ_k Γ_0…Γ_{k−1} λ_1ᵏ δ_k = G − V(s_0) along some paths; without end, in the mean."""
    length = model.schedule.length
    if length is None:
        return delta_expansion.check(model)
    if not can_be_written_out(model):
        equal: list[Relation] = [(its.lambda_(j), "=", its.lambda_(1)) for j in range(2, min(length, 400) + 1)]
        return decide_along(model, (), (), others=equal, detail="the first λ's are equal")
    terms: list[Expression] = []
    for k in range(length + 1):
        weight: Expression = Name(1) if k == 0 else discounts(model, 0, k) * its.lambda_(1) ** k
        terms.append(weight * its.delta(k))
    paths = kit.some_paths(model, length + 1)
    relation: Relation = (total(terms), "=", its.G - its.v(0))
    return decide_along(model, paths, [relation], theta=some_theta(model.d), detail=f"{length + 1} TD errors")


CLAIM = kit.Claim(
    id="gae_is_lambda_return",
    stated=kit.Reading(
        r"The generalized advantage estimate over $H$ steps is the $\lambda$-return less the value: $\sum_{k=0}^{H-1} "
        r"(\gamma\lambda)^k \delta_{t+k} = G_t^{[\lambda_1:\lambda_{H-1}]} - V(s_t)$ with $\lambda_j = \lambda$."
    ),
    anchors=(r"then we obtain the TD($\lambda$) algorithm",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(CONSTANT_UP_TO_END, box=models.SHORT_SCHEDULES),
        kit.Ablation(FINITE_SCHEDULE, supports=models.endless_models, note="in the mean, as for delta_expansion"),
    ),
    rests_on=("delta_expansion", "td_lambda_special_case"),
)
