r"""Monte Carlo as a special case of the λ-schedule.

Place: §2, observation (2).
Statement: λ_j = 1 for every j gives Monte Carlo: the return is the discounted sum of all rewards. With the finite
length that the convergence theorems ask for it is the flat return of L + 1 rewards plus the remainder
γ^{L+1}V(s_{t+L+1}).
Hypotheses: λ_j = 1 for every j, or up to L; the return exists, which without end takes γ < 1.
Model: any; finite schedules along paths (of long ones the weights), those without end in the mean.
Check: G against the flat sum and the exact remainder; without end, S r = V^π and M = 0.
Closed form: c_k = 1, so w_n = 0 for n ≤ L and w_{L+1} = 1; the remainder is at most γ^{L+1} max |V|.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Model, Verdict, decide_along, its, some_paths, some_theta, total
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.check.hypotheses import ALL_ONES, RETURN_EXISTS
from tdcert.theory.expressions.mixtures import decide_without_sum, episodes_end
from tdcert.theory.expressions.paths import can_be_written_out, discounts
from tdcert.theory.identities import return_weights as identities
from tdcert.theory.model.key_matrices import apply_M, apply_S


def prove() -> kit.Proof:
    """The exact remainder for finite L; without end S = (I − N)⁻¹ and M = 0."""
    ring = SymbolicRing("N", "r")
    N, r = ring.symbols
    kernel, one = ring.matrix([[N]]), ring.matrix([[1]])
    kit.require(
        apply_S(kernel, (), 1, ring.matrix([[r]]))[0, 0] == r / (1 - N) and apply_M(kernel, (), 1, one).is_zero(),
        "without end the return is not that of Monte Carlo",
    )
    return kit.proved(
        "G = Σ_{k≤L} γᵏR_{t+k+1} + γ^(L+1)V(s_{t+L+1}), symbolic rewards, values and γ, L = 0 … 6",
        kit.shown(identities.monte_carlo_remainder, at=range(7)),
    ) + kit.proved_for_all(
        "without end, a rational identity in one matrix N with I − N invertible: S = (I − N)⁻¹, so S r = V^π, and "
        "M = 0",
        1,
    )


def check(model: Model) -> Verdict:
    """The flat return and its remainder along paths; without end V^π itself, in the mean."""
    if not model.has_trace_sum:
        return decide_without_sum(model, "the Monte Carlo return Σ_k R_{t+k+1}")
    length = model.schedule.length
    if length is None:
        v = its.Phi @ its.theta
        limit = [(its.S @ its.r, "=", its.V), (its.M @ v, "=", 0 * v)]
        relations = [*episodes_end(model), *limit]
        return decide_along(model, (), (), others=relations, theta=some_theta(model.d), detail="S r = V^π and M v = 0")
    if not can_be_written_out(model):
        return decide_along(model, (), (), others=[(its.w(length + 1), "=", "1")], detail=f"w_{length + 1} = 1")
    terms = [discounts(model, 0, k) * its.reward(k) for k in range(length + 1)]
    remainder = discounts(model, 0, length + 1) * its.v(length + 1)
    paths = some_paths(model, length + 1)
    detail = f"{length + 1} rewards and the remainder"
    relation = (its.G, "=", total([*terms, remainder]))
    return decide_along(model, paths, [relation], theta=some_theta(model.d), detail=detail)


CLAIM = kit.Claim(
    id="monte_carlo_special_case",
    stated=kit.Reading(
        r"$\lambda_j = 1$ for every $j$ gives the Monte Carlo algorithm.",
        quote=r"If $\lambda_{j} = 1$ $\forall j \in \mathbb{N}$, then we obtain the MC algorithm",
        place="§2, observation (2)",
    ),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(ALL_ONES, box=models.SHORT_SCHEDULES), kit.Ablation(RETURN_EXISTS, box=models.MONTE_CARLO)),
    notes=(
        "It holds in the limit of the schedule. The convergence theorems assume a finite L, and then it is (L + "
        "1)-step TD: the return keeps the remainder γ^(L+1) V(s_{t+L+1}).",
        "Equal returns, not equal online iterates: see online_equivalence.",
    ),
)
