r"""The recursion of the return.

Place: §3, equation (return); A2.
Statement: G_t of λ_1 … λ_L is R_{t+1} + γ[(1 − λ_1)V(s_{t+1}) + λ_1 G'_{t+1}], G' the return of λ_2 … λ_L.
Hypotheses: γ < 1, so that the episode lengths have total mass one. The discount may depend on the transition.
Model: any; along paths from up to two states, and in the mean.
Check: G by the recursion against the mixture over episode lengths that §2 defines, from the entries of Λ; without end,
in the mean.
Closed form: both are Σ_k γᵏc_k (R_{t+k+1} + γ(1 − λ_{k+1})V(s_{t+k+1})).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Model, Relation, Verdict, decide_along, its, some_paths, some_theta, total
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.expressions.mixtures import ROWS, decide_without_lengths, entry, episodes_end, over_lengths
from tdcert.theory.identities import return_weights as identities

UNROLLED = 6
"""Longest schedule whose recursion is unrolled."""


def prove() -> kit.Proof:
    """The mixture with its closed sums is the suite's own return; what A2's display leaves out."""
    kit.shown(identities.cut_mixture_gap)
    return kit.proved(
        "the mixture over all episode lengths equals the recursion, symbolic γ, λ's, rewards and values, L = 0 … 5",
        kit.shown(identities.mixture_is_recursion, at=range(6)),
    ) + kit.proved(
        "A2's display with L = 1 gives R_{t+2} the coefficient γλ_1(1 − γ); the recursion γλ_1: the gap is γ²λ_1",
        kit.shown(identities.geometric_step),
    )


def of_length(size: int, i: int) -> Expression:
    """Row i of Λ: Σ_{j<i} Λ_ij (R_1 + … + R_j + V_j) + Λ_ii (R_1 + … + R_i)."""
    terms = []
    for j in range(1, i + 1):
        collected = [f"R:{k}" for k in range(j)]
        bootstrapped = [] if j == i else [f"v:{j}"]
        terms.append(entry(size, i, j) * total([*collected, *bootstrapped]))
    return total(terms)


def check(model: Model) -> Verdict:
    """The mixture along paths for short schedules, and the recursion in the mean for each."""
    length = model.schedule.length
    v = its.Phi @ its.theta
    paths, relations = [], []
    if length is not None and length + 2 <= ROWS:
        size = length + 2  # Λ_ij = 0 in the last row's last column: every longer episode bootstraps as this one does
        amounts = [of_length(size, i) for i in range(1, size + 1)]
        if model.gamma == 1:
            return decide_without_lengths(model, amounts, "G", "the return of §2", some_theta(model.d))
        relations = [("G", "=", over_lengths(amounts))]
        paths = some_paths(model, size, 2)
    mean = mean_recursion(model, v)
    detail = "the recursion in the mean" + (", and the mixture" if paths else "")
    return decide_along(
        model, paths, relations, others=[*episodes_end(model), *mean], theta=some_theta(model.d), detail=detail
    )


def mean_recursion(model: Model, v: Expression) -> list[Relation]:
    """S r + M v by the recursion, unrolled for a short schedule; for one λ without end it is a fixed point."""
    length = model.schedule.length
    found: Expression = its.S @ its.r + its.M @ v
    if length is not None and length > UNROLLED:  # the TD errors of a long one, which is the same by delta_expansion
        return [(found, "=", v + its.S @ (its.r + (its.N @ v - v)))]
    inner: Expression = found if length is None else v
    for j in reversed(range(1, 2 if length is None else length + 2)):
        inner = its.r + its.N @ ((1 - its.lambda_(j)) * v + its.lambda_(j) * inner)
    return [(found, "=", inner)]


CLAIM = kit.Claim(
    id="return_recursion",
    stated=kit.Reading(
        r"$G_t^{[\lambda_1:\lambda_L]} = R_{t+1} + \gamma [(1-\lambda_1) V(s_{t+1}) + \lambda_1 "
        r"G_{t+1}^{[\lambda_2:\lambda_L]}]$.",
        quote=(
            r"$R_{t+1} + \gamma \left[(1-\lambda_1)V_{\theta}(s_{t+1})+\lambda_1 "
            r"G_{t+1}^{[\lambda_{2}:\lambda_{L}]}(\theta)\right]$"
        ),
        place="§3, (return); A2",
    ),
    anchors=(r"+\lambda_{2}\lambda_{3}(R_{t+2} + R_{t+3} + R_{t+3})] + \cdots",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.EPISODES_END, box=models.UNDISCOUNTED),
        kit.Ablation(FINITE_SCHEDULE, supports=models.endless_models, note="in the mean"),
    ),
    notes=(
        "Slips in A2's display: R_{t+3} stands twice where the second is R_{t+4}; the lengths are cut at L, so that "
        "mass γ^L is lost: with L = 1, γ = ½, λ_1 = 1 the coefficient of R_{t+2} would be ¼ in place of ½.",
    ),
    rests_on=("return_coefficients",),
)
