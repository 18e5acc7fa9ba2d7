r"""Theorem 1: true online TD(λ) computes what the truncated λ-return algorithm computes.

Where: θ_{t,t} is that of (9) with the targets (8), and θ_t that of (10), (11), (12).
Hypotheses: none. Steps may have any sign and vary, λ and γ may lie outside [0, 1], discounts may depend on the step.
Model: any; two paths of three steps.
Check: every vector of both views is a number, and relations say that each is what its formula makes of those before it.
Closed form: none; the proof is an induction over t by Lemmas 1 and 2.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, one_state
from tdcert.claims.vs14.iterates import Followed, decide, shown_along, some, varied


def same(found: Followed) -> bool:
    """θ_{t,t} and θ_t."""
    return equal_views(found, found.backward()[0])


def equal_views(found: Followed, backward: Sequence[Sequence[object]]) -> bool:
    """Whether a backward view gives θ_{t,t}."""
    held = True
    for row, theta in zip(found.forward(), backward, strict=True):
        held &= found.equal(row[-1], theta)
    return held


def without_the_last_term() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = λ = ½."""
    model = one_state(HALF)
    detail = "without α_t(θ_{t−1}ᵀφ_t − θ_tᵀφ_t)φ_t in (12)"
    return varied(
        model, some(model)[0], lambda f: equal_views(f, f.backward(carry=False)[0]), detail, ("θ_{t,t}", "θ_t")
    )


def facts() -> Sequence[kit.Fact]:
    """θ_{−1} cancels."""
    model = one_state(HALF)

    def from_zero(found: Followed) -> bool:
        return equal_views(found, found.backward(old=[0] * len(found.numbers.start))[0])

    sentence = (
        "θ_{−1}, which (10) and (12) use at t = 0 and Algorithm 2 takes as θ_0, cancels: with θ_{−1} = 0 the iterates "
        "are the same"
    )
    return [kit.Fact(sentence, model, decide(model, some(model), from_zero, "θ_{−1} = 0 and θ_0 = 1"))]


CLAIM = kit.Claim(
    id="vs_thm1",
    stated=kit.Reading(
        r"$\theta_{t,t}$ of the truncated $\lambda$-return algorithm is $\theta_t$ of true online TD($\lambda$).",
        quote=(
            r"$\theta_{t,t}$, computed by the truncated $\lambda$-return algorithm, is the same as $\theta_t$, "
            r"computed by true online TD($\lambda$), for all time steps $t$"
        ),
        place="§4.2, Theorem 1",
    ),
    anchors=("Theorem 1",),
    check=lambda model: decide(model, some(model), same, "θ_{t,t} = θ_t"),
    prove=lambda: shown_along("θ_{t,t} = θ_t for every t ≤ T", same),
    facts=facts,
    variant=kit.FalseVariant("Both views agree without the term that (12) adds to TD(λ).", without_the_last_term),
    ablations=(kit.Ablation(LAMBDAS.at("§2.3, after (5)"), supports=models.signed_lambda_models),),
    rests_on=("vs_lemma1", "vs_lemma2"),
)
