r"""Coefficients of the rewards and values in the return, a mixture over episode lengths.

Place: A1, and the sentence before the first display of §2.
Statement: in G^Λ_t the coefficient of R_{t+1} is 1 and that of V(s_{t+1}), after adding it under every length ≥ 2, is
γ. For the Λ of a schedule: R_{t+k} has γ^{k−1}c_{k−1}, V(s_{t+k}) has γᵏc_{k−1}(1 − λ_k).
Hypotheses: γ < 1, so that the episode lengths have total mass one. The discount may depend on the transition: γᵏ
becomes Γ_t…Γ_{t+k−1}.
Model: any; the coefficients along two of its paths.
Check: the sums over lengths, exact, from the entries of Λ; the last row used carries all longer episodes.
Closed form: Horner over lengths: (1 − γ)x + γx = x, wherever the rows of Λ agree.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import EPISODES_END, Model, Relation, Verdict, decide_along, its, some_paths
from tdcert.theory.expressions import mixtures
from tdcert.theory.expressions.paths import discounts
from tdcert.theory.identities import return_weights as identities
from tdcert.theory.words import counted

DEPTH = 3
"""Rewards and values, counted from s_t, whose coefficients are compared."""


def prove() -> kit.Proof:
    """Symbolic Λ, γ and λ's; infinite sums closed by the geometric sum."""
    kit.shown(identities.geometric_step)
    return kit.proved(
        "any row-stochastic Λ whose rows agree from the K-th on, K = 2 … 5, free entries and γ: R_{t+1} has 1, "
        "V(s_{t+1}) has γ",
        kit.shown(identities.coefficients_of_any_weights, at=range(2, 6)),
    ) + kit.proved(
        "schedules of length L = 0 … 5, symbolic γ and λ's: every coefficient of a reward and a value",
        kit.shown(identities.coefficients_of_schedule, at=range(6)),
    )


def check(model: Model) -> Verdict:
    """Coefficients of R and V at the first three places, from the entries of Λ."""
    size = mixtures.rows_used(model)
    if model.gamma == 1:
        amounts = [mixtures.share(size, i, 1) for i in range(1, size + 1)]
        return mixtures.decide_without_lengths(model, amounts, "1", "the coefficient of R_{t+1}")
    relations: list[Relation] = []
    for k in range(1, min(DEPTH, size - 1) + 1):
        lengths = range(k, size + 1)
        before, weight = discounts(model, 0, k - 1), f"c:{k - 1}"
        relations.append((mixtures.over_lengths([mixtures.share(size, i, k) for i in lengths], k), "=", weight))
        entries = ["0", *[mixtures.entry(size, i, k) for i in lengths[1:]]]
        value = before * mixtures.over_lengths(entries, k)
        expected = discounts(model, 0, k) * (weight * (1 - its.lambda_(k)))
        relations.append((value, "=", expected))
    added = ["0", *[mixtures.share(size, i, 1) for i in range(2, size + 1)]]
    relations.append((mixtures.over_lengths(added), "=", "gamma:0"))
    paths = some_paths(model, size, 1 if model.gamma is not None else 2)
    detail = f"coefficients of R and V at {counted(min(DEPTH, size - 1), 'place')} from {size} rows of Λ"
    return decide_along(model, paths, relations, others=mixtures.episodes_end(model), detail=detail)


CLAIM = kit.Claim(
    id="return_coefficients",
    stated=kit.Reading(
        "In the return of §2 the coefficient of $R_{t+1}$ is $1$ and, after $V(s_{t+1})$ is added and subtracted, "
        r"that of $V(s_{t+1})$ is $\gamma$.",
        quote=(
            r"on RHS, the coefficient of $R_{t+1}$ is 1. Similarly, the coefficient of $V_{\theta}(s_{t+1})$ is "
            r"$\gamma$"
        ),
        place="§2, before the first display; A1",
    ),
    sharper=kit.Reading(
        r"In general $R_{t+k}$ has the coefficient $\gamma^{k-1} c_{k-1}$ and $V(s_{t+k})$ has $\gamma^k c_{k-1} (1 - "
        r"\lambda_k)$, for the $\Lambda$ of a schedule."
    ),
    anchors=(r"the coefficient of $R_{t+1}$ is 1", r"Similarly, the coefficient of \(V_{\theta}(s_{t+1})\) is"),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(EPISODES_END, box=models.UNDISCOUNTED),),
    rests_on=("weight_matrix_rows",),
)
