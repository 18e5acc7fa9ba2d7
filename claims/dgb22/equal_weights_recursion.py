r"""An O(d) recursion of the EqualWeights trace.

Place: §2.1; the paper says of z_t that it has no recursion in z_{t−1} alone.
Statement: for EqualWeights(n1, n2), m = n2 − n1 + 1: z_t = γz_{t−1} + φ_t − S_t/m with S_t = Σ_{k=n1}^{n2} γᵏφ_{t−k},
and S_t = γS_{t−1} + γ^{n1}φ_{t−n1} − γ^{n2+1}φ_{t−n2−1}: O(d) work a step whatever n2, with one extra vector.
Hypotheses: the schedule is EqualWeights(n1, n2).
Model: any; with discounts that depend on the transition, γᵏ is the product of the last k of them.
Check: both equations along a few paths, at the times where something enters or leaves the window.
Closed form: for any schedule z_t − γz_{t−1} = φ_t − Σ_k w_k γᵏφ_{t−k}; here w_k = 1/m from n1 to n2 and 0 elsewhere.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Relation, Verdict, decide_along, its, some_paths, total
from tdcert.theory.check.hypotheses import EQUAL_WEIGHTS_SCHEDULE
from tdcert.theory.expressions.paths import discounts
from tdcert.theory.identities import trace_recursions as identities
from tdcert.theory.model.schedule import return_weights


def prove() -> kit.Proof:
    """The difference of two traces for any schedule, and the two recursions for every small n1 ≤ n2, symbolic γ, φ."""
    largest = 5
    pairs = [(n1, n2) for n2 in range(1, largest + 1) for n1 in range(1, n2 + 1)]
    return kit.proved(
        "z_t − Γz_{t−1} = φ_t − Σ w_k(Γ…Γ)φ_{t−k} for free λ, φ and discounts, L = 0 … 5, at every t up to L + 2",
        kit.shown(identities.trace_difference_identity, at=range(6)),
    ) + kit.proved(
        f"both recursions with the suite's own EqualWeights(n1, n2) and trace, symbolic φ and discounts, 1 ≤ n1 ≤ "
        f"n2 ≤ {largest}",
        kit.shown(identities.equal_weights_identity, at=pairs),
    )


def window_sum(model: Model, t: int, n1: int, n2: int) -> Expression:
    """S_t = Σ_{k=n1}^{n2} Γ_{t−k}…Γ_{t−1} φ_{t−k} as far as the path reaches back."""
    terms = [discounts(model, t - k, t) * its.phi(t - k) for k in range(n1, min(n2, t) + 1)]
    return total(terms) if terms else 0 * its.phi(0)


def recursions(model: Model, t: int, n1: int, n2: int) -> list[Relation]:
    """z_t and S_t from those one step before."""
    share = str(Fraction(1, n2 - n1 + 1))
    before = its.discount(t - 1) * its.z(t - 1) + its.phi(t)
    found: list[Relation] = [(its.z(t), "=", before - share * window_sum(model, t, n1, n2))]
    after: Expression = its.discount(t - 1) * window_sum(model, t - 1, n1, n2)
    if t >= n1:
        after = after + discounts(model, t - n1, t) * its.phi(t - n1)
    if t > n2:
        after = after - discounts(model, t - n2 - 1, t) * its.phi(t - n2 - 1)
    return [*found, (window_sum(model, t, n1, n2), "=", after)]


def check(model: Model) -> Verdict:
    """The recursions along a few paths, with n1 the first weight that is not zero and n2 = L + 1."""
    weights = return_weights(model.schedule.lambdas)
    n1, n2 = next((n for n, w in enumerate(weights, start=1) if w != 0), len(weights)), len(weights)
    times = sorted({t for t in (1, 2, n1, n1 + 1, n2, n2 + 1, n2 + 2) if t >= 1})
    statement = [relation for t in times for relation in recursions(model, t, n1, n2)]
    paths = some_paths(model, times[-1] + 1)
    return decide_along(model, paths, statement, detail=f"n1 = {n1}, n2 = {n2}, at t = {', '.join(map(str, times))}")


CLAIM = kit.Claim(
    id="equal_weights_recursion",
    stated=kit.Reading(
        r"For EqualWeights$(n_1, n_2)$ with $m = n_2 - n_1 + 1$: $z_t = \gamma z_{t-1} + \phi_t - \frac{1}{m} S_t$ and "
        r"$S_t = \gamma S_{t-1} + \gamma^{n_1} \phi_{t-n_1} - \gamma^{n_2+1} \phi_{t-n_2-1}$."
    ),
    anchors=(
        r"We call this schedule \emph{EqualWeights}$(n_1,n_2)$",
        r"$z_t$ can't be written recursively in terms of $z_{t-1}$",
    ),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(EQUAL_WEIGHTS_SCHEDULE, box=models.SHORT_SCHEDULES),),
    notes=(
        "The last n2 + 1 states are still stored: what is saved is work, O(d) a step instead of O(d·n2).",
        "Products of discounts (and off-policy of ratios) over the window can be zero, so they cannot be updated by "
        "dividing.",
    ),
    rests_on=("equal_weights_schedule",),
)
