r"""The trace is a window of the last L + 1 states.

Place: §2, (trace_eq); §4, the stationary trace.
Statement: λ_j = 0 for j > L makes the sum over the whole past end at k = t − L. §4 prints φ(s_τ) inside the product
over j: there a scalar feature would be raised to the power t − τ (and a vector could not be multiplied). Corrected:
outside.
Hypotheses: a schedule of finite length.
Model: any; the trace along paths from up to three states.
Check: the sum over all states seen against the window, two steps after it is full; of a long schedule c_{L+1} = 0.
Closed form: c_{t−k} = 0 for t − k > L.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Schedule, Verdict, decide_along, its, one_state, some_paths, total
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.expressions.paths import can_be_written_out, discounts
from tdcert.theory.identities import return_weights as identities


def prove() -> kit.Proof:
    """The suite's own trace with and without the λ's that are zero."""
    cases = [(length, t) for length in range(5) for t in range(1, length + 4)]
    return kit.proved(
        "the sum over all states seen is the sum over the last L + 1, symbolic γ, λ's and features, L = 0 … 4, t "
        "≤ L + 3",
        kit.shown(identities.window_equals_full_trace, at=cases),
    )


def summed(model: Model, first: int, t: int) -> kit.Expression:
    """Σ_{k=first}^t c_{t−k} Γ_k…Γ_{t−1} φ(s_k)."""
    weights = [its.c(t - k) * discounts(model, k, t) for k in range(first, t + 1)]
    return total([weight * its.phi(k) for k, weight in enumerate(weights, start=first)])


def check(model: Model) -> Verdict:
    """The full trace at t = L + 2 is the window; a schedule without end is held to a window of two states."""
    length = 1 if model.schedule.length is None else model.schedule.length
    if model.schedule.is_finite and not can_be_written_out(model):
        return decide_along(model, (), (), others=[(f"c:{length + 1}", "=", "0")], detail=f"c_{length + 1} = 0")
    t = length + 2
    relations = [(summed(model, 0, t), "=", summed(model, t - length, t)), (summed(model, 0, t), "=", f"z:{t}")]
    paths = some_paths(model, t)
    detail = f"{t + 1} states seen, a window of {length + 1}"
    return decide_along(model, paths, relations, detail=detail)


def judge_stated() -> kit.Refutation:
    """φ = 2, γ = ½, λ = (1, 1): z = 2 + 1 + ½ = 7/2; printed 1 + γφ + (γφ)² = 3, or 4 if the empty product were φ."""
    model = one_state(HALF, Schedule((Fraction(1), Fraction(1))), features=(2,))
    inside = [(its.discount(0) * its.phi(k)) ** (2 - k) for k in range(3)]
    relation = ("z:2", "=", total(inside))
    verdict = decide_along(model, some_paths(model, 2, 1), [relation])
    detail = "with φ inside the product a feature is raised to the power t − τ"
    return kit.explained(verdict, model, detail, "z_t", "printed in §4", φ="2", γ="1/2", λ="(1, 1)")


CLAIM = kit.Claim(
    id="trace_window",
    stated=kit.Reading(
        r"$z_t = \sum_{\tau = -\infty}^{t} \prod_{j=1}^{t-\tau} (\gamma \lambda_j \phi(s_\tau)) = \sum_{\tau = "
        r"t-L}^{t} \prod_{j=1}^{t-\tau} (\gamma \lambda_j \phi(s_\tau))$ is the trace (as §4 prints it).",
        quote=r"$\left(\prod_{j=1}^{t-\tau}\gamma\lambda_{j}\phi(s_{\tau})\right)$",
        place="§4, before Proposition 4.1",
    ),
    corrected=kit.Reading(
        r"$z_t = \sum_{\tau \leq t} (\prod_{j=1}^{t-\tau} \gamma \lambda_j) \phi(s_\tau) = \sum_{\tau = t-L}^{t} "
        r"(\prod_{j=1}^{t-\tau} \gamma \lambda_j) \phi(s_\tau)$ for a schedule of length $L$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"z_t = \sum_{k=t-L}^{t}\left(\prod_{j=1}^{t-k}\gamma\lambda_j\right)\phi(s_k)",),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(FINITE_SCHEDULE, box=models.ENDLESS),),
)
