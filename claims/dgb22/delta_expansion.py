r"""The return as a sum of TD errors.

Place: §2, second display after Λ.
Statement: G_t − V(s_t) = Σ_{k=0}^L γᵏ c_k δ_{t+k}, along every path.
Hypotheses: the return exists, as for every finite schedule. The discount may depend on the transition: γᵏ becomes
Γ_t…Γ_{t+k−1}. For a schedule without end it is decided in the mean.
Model: any.
Check: along paths from up to three states (not for long schedules); in the mean from every state,
S r + (M − I)v = S(r + Nv − v).
Closed form: G − V = δ + γλ_1(G' − V'), G' the return of λ_2, λ_3, … from the next state.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Model, Relation, Verdict, decide_along, its, some_paths, some_theta, total
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE, RETURN_EXISTS
from tdcert.theory.expressions.mixtures import decide_without_sum, episodes_end
from tdcert.theory.expressions.paths import can_be_written_out, discounts
from tdcert.theory.identities import return_weights as identities


def prove() -> kit.Proof:
    """Induction over L, and the suite's own returns against the printed sum."""
    return kit.proved_for_all(
        "induction over L, base L = 0 (G = R + γV'); step G − V = δ + γλ_1(G' − V') from the recursion of the return",
        kit.shown(identities.return_step),
    ) + kit.proved(
        "the sum as printed, symbolic rewards, values, λ's and a discount for every transition, L = 0 … 5",
        kit.shown(identities.delta_expansion_holds, at=range(6)),
    )


def check(model: Model) -> Verdict:
    """Along paths for a finite schedule; in the mean for each."""
    if not model.has_trace_sum:
        return decide_without_sum(model, "G_t = Σ_k R_{t+k+1}")
    v = its.Phi @ its.theta
    left = its.S @ its.r + (its.M @ v - v)
    mean: Relation = (left, "=", its.S @ (its.r + (its.N @ v - v)))
    series = episodes_end(model) if model.schedule.tail == 1 else []
    length, paths, relations = model.schedule.length, [], []
    if length is not None and can_be_written_out(model):
        paths = some_paths(model, length + 1)
        errors = [discounts(model, 0, k) * (its.c(k) * its.delta(k)) for k in range(length + 1)]
        relations = [(its.G - its.v(0), "=", total(errors))]
    detail = "in the mean from every state" + (", and" if paths else "")
    return decide_along(model, paths, relations, others=[*series, mean], theta=some_theta(model.d), detail=detail)


CLAIM = kit.Claim(
    id="delta_expansion",
    stated=kit.Reading(
        r"$G_t - V(s_t) = \sum_{k=0}^{L} \gamma^k c_k \delta_{t+k}$ with $c_k = \lambda_1 \cdots \lambda_k$.",
        quote=(
            r"$= \delta_{t} + \gamma\lambda_{1}\delta_{t+1} + \gamma^{2}\lambda_{1}\lambda_{2}\delta_{t+2} + \cdots$"
        ),
        place="§2, second display after Λ",
    ),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(RETURN_EXISTS, box=models.MONTE_CARLO),
        kit.Ablation(FINITE_SCHEDULE, supports=models.endless_models, note="in the mean, where the series has a sum"),
    ),
    rests_on=("return_recursion",),
)
