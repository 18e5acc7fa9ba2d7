r"""TD(λ) as a special case of the λ-schedule.

Place: §2, observation (3).
Statement: λ_j = λ for every j gives TD(λ): the trace obeys z_t = γλz_{t−1} + φ_t. With a finite length the window drops
one term at each step: z_t = γλz_{t−1} + φ_t − (γλ)^{L+1}φ_{t−L−1}.
Hypotheses: one λ, for every j or up to the length of the schedule. The discount may depend on the transition.
Model: any; the trace along paths from up to three states.
Check: the recursion of the trace with its exact remainder, from the start of a path to two steps after the window is
full.
Closed form: c_k = λᵏ for k ≤ L.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Model, Relation, Verdict, decide_along, its, some_paths
from tdcert.theory.check.hypotheses import CONSTANT_UP_TO_END
from tdcert.theory.expressions.paths import can_be_written_out, discounts
from tdcert.theory.identities import return_weights as identities

STEPS = 5
"""Steps from the start along which a schedule without end is compared."""


def prove() -> kit.Proof:
    """The suite's own trace on symbols, against the recursion and against its recursive twin."""
    cases = [(length, t) for length in range(5) for t in range(1, length + 4)]
    return kit.proved(
        "z_t = γλz_{t−1} + φ_t, for t > L less (γλ)^(L+1)φ_{t−L−1}, symbolic γ, λ and features, L = 0 … 4, t ≤ L + 3",
        kit.shown(identities.constant_trace_recursion, at=cases),
    ) + kit.proved(
        "weights (1 − λ)λ^(n−1) of the n-step returns and λ^L of the last, L = 0 … 8",
        kit.shown(identities.weights_of_constant_schedule, at=range(9)),
    )


def check(model: Model) -> Verdict:
    """z_t = Γ_{t−1}λz_{t−1} + φ_t less what leaves the window, with λ = λ_1."""
    length = model.schedule.length
    if length is not None and not can_be_written_out(model):
        equal: list[Relation] = [(its.lambda_(j), "=", "lambda:1") for j in range(2, min(length, 400) + 1)]
        return decide_along(model, (), (), others=equal, detail="the first λ's are equal")
    last = STEPS if length is None else length + 2
    relations: list[Relation] = []
    for t in range(1, last + 1):
        trace: Expression = its.discount(t - 1) * its.lambda_(1) * its.z(t - 1) + its.phi(t)
        if length is not None and t > length:
            weight = its.lambda_(1) ** (length + 1) * discounts(model, t - length - 1, t)
            trace = trace - weight * its.phi(t - length - 1)
        relations.append((its.z(t), "=", trace))
    paths = some_paths(model, last)
    return decide_along(model, paths, relations, detail=f"the recursion of z_1 … z_{last}")


CLAIM = kit.Claim(
    id="td_lambda_special_case",
    stated=kit.Reading(
        r"$\lambda_j = \lambda$ for every $j$ gives the TD($\lambda$) algorithm, $z_t = \gamma \lambda z_{t-1} + "
        r"\phi_t$.",
        quote=r"If $\lambda_{j} = \lambda$ $\forall j \in \mathbb{N}$, then we obtain the TD($\lambda$) algorithm",
        place="§2, observation (3)",
    ),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(CONSTANT_UP_TO_END, box=models.SHORT_SCHEDULES),),
    notes=("With a finite length it is TD(λ) less the term (γλ)^(L+1) φ_{t−L−1} that leaves the window at each step.",),
    rests_on=("trace_window",),
)
