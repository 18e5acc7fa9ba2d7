r"""On-policy TD(λ) converges almost surely.

Hypotheses: irreducible, aperiodic chain, one policy, independent columns, γ < 1, λ ∈ [0, 1]. Not needed then: steps
that do not increase.
Model: any.
Check: that of ``thm_4_3``: A Hurwitz and Aθ* + b = 0, exactly, and the period of the chain.
Closed form: that of ``thm_4_3``. That the steps are chosen in advance is needed: ``deterministic_steps``.
"""

from tdcert.claims import kit
from tdcert.claims.dgb22 import deterministic_steps, thm_4_3
from tdcert.claims.kit import Status, decide_relations, refuted
from tdcert.theory.expressions.forward_views import moved_by


def steps_that_follow_the_path() -> kit.Refutation:
    """Two states drawn evenly, φ = 1, γ = ½, R = 1, 0: twice the step in the first moves θ* = 1 in the mean."""
    model = deterministic_steps.two_states()
    found = decide_relations(model, [(moved_by(0, 0), "!=", "0")], kernel="covered", theta=[1])
    assert found.status is Status.HOLDS
    detail = "α_t = 2/(t + 1) in the first state, 1/(t + 1) in the second: the mean update at θ* = 1 is not zero"
    return kit.Refutation(refuted(detail, {"θ*": "1"}, by=found.certificates), model)


CLAIM = kit.Claim(
    id="tvr_steps",
    stated=kit.Reading(
        r"With deterministic, non-increasing $\alpha_t > 0$, $\sum_t \alpha_t = \infty$, $\sum_t \alpha_t^2 < \infty$, "
        r"on-policy TD($\lambda$) converges almost surely to $\theta^* = -A^{-1} b$."
    ),
    sharper=kit.Reading(
        r"With deterministic $\alpha_t > 0$, $\sum_t \alpha_t = \infty$, $\sum_t \alpha_t^2 < \infty$, which may "
        r"increase at times, on-policy TD($\lambda$) converges almost surely to $\theta^* = -A^{-1} b$."
    ),
    decides="the limit and the stability of its mean dynamics, and the period; the rest is thm_4_3, machine-checked",
    check=thm_4_3.check,
    prove=thm_4_3.prove,
    variant=kit.FalseVariant("So it does with such steps that depend on the state.", steps_that_follow_the_path),
    ablations=tuple(one.at("not seen") for one in thm_4_3.CLAIM.ablations),
    notes=(
        "“Non-increasing” is not needed on an aperiodic chain; with a period it is, or a summable variation "
        "(thm_4_3_regular_steps). For one λ without an end: schedules_without_end.",
    ),
    rests_on=("thm_4_3", "deterministic_steps", "schedules_without_end"),
)
