r"""Lemma 2: truncating one step later moves the helper vector along the trace.

Model: any; two paths of three steps.
Check: both sides at every 0 < t < T, with all vectors as numbers.
Closed form: θ_{t+1,k} − θ_{t,k} = (γλ)^{t+1−k} δ_t e_{k−1} for 1 ≤ k ≤ t, by induction over k.
"""

from collections.abc import Callable
from typing import Any

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, one_state
from tdcert.claims.vs14.iterates import Followed, accumulated, decide, dutch, shown_along, some, varied


def same(found: Followed, trace: Callable[..., list[Any]] = dutch) -> bool:
    """Both sides at every t, with a ``trace`` in the place of (11)."""
    table, (_, errors, traces) = found.forward(), found.backward(trace)
    held = True
    for t in range(1, found.numbers.length):
        moved = found.vector(
            lambda walk, before, delta, e, t=t: [
                x + walk.decay(t) * (delta * y) for x, y in zip(before, e, strict=True)
            ],
            table[t][t],
            errors[t],
            traces[t - 1],
        )
        held &= found.equal(table[t + 1][t], moved)
    return held


def with_accumulating_traces() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = λ = ½: they are apart from t = 2 on."""
    model = one_state(HALF)
    return varied(
        model,
        some(model)[0],
        lambda f: same(f, accumulated),
        "with accumulating traces",
        ("θ_{t+1,t}", "θ_{t,t} + γλδ_t e_{t−1}"),
    )


CLAIM = kit.Claim(
    id="vs_lemma2",
    stated=kit.Reading(
        r"$\theta_{t+1,t} - \theta_{t,t} = \gamma\lambda\delta_t e_{t-1}$, with $\delta_t$ of (10) and $e$ of (11).",
        quote=r"$\theta_{t+1,t} - \theta_{t,t} = \gamma\lambda\delta_t e_{t-1}$",
        place="§4.2, Lemma 2",
    ),
    anchors=("Lemma 2",),
    check=lambda model: decide(model, some(model), same, "θ_{t+1,t} = θ_{t,t} + γλδ_t e_{t−1}"),
    prove=lambda: shown_along("θ_{t+1,t} = θ_{t,t} + γλδ_t e_{t−1} for 0 < t < T", same),
    variant=kit.FalseVariant("The difference is γλδ_t times the accumulating trace of (5).", with_accumulating_traces),
    ablations=(kit.Ablation(LAMBDAS.at("§2.3, after (5)"), supports=models.signed_lambda_models),),
    rests_on=("vs_lemma1",),
)
