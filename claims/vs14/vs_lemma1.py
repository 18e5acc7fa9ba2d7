r"""Lemma 1: truncating one step later changes the λ-return by a multiple of δ.

Where: δ_{t'} of (10) has θ_{t'} in its first value and θ_{t'−1} in its second.
Hypotheses: none; the vectors θ may even be any sequence.
Model: any; two paths of three steps.
Check: both sides at every t < t' < T, with the iterates as numbers.
Closed form: the difference is λ^{t'−t}(G^{(t'+1−t)} − G^{(t'−t)}), whose bracket is γ^{t'−t}δ_{t'}.
"""

from typing import Any

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, one_state
from tdcert.claims.vs14 import iterates


def changed(walk: iterates.Episode, t: int, h: int, thetas: list[iterates.Vector]) -> Any:
    """G_t^{λ|h+1} − G_t^{λ|h}."""
    return iterates.truncated(walk, t, h + 1, thetas.__getitem__) - iterates.truncated(walk, t, h, thetas.__getitem__)


def decayed(walk: iterates.Episode, t: int, h: int, theta: iterates.Vector, old: iterates.Vector) -> Any:
    """(γλ)^{h−t} δ_h."""
    error = iterates.td_error(walk, h, theta, old)
    for k in range(t, h):
        error = walk.discounts[k] * walk.lam * error
    return error


def same(found: iterates.Followed, one_earlier: bool = True) -> bool:
    """Both sides at every t < h; with θ_h for θ_{h−1} where not ``one_earlier``."""
    thetas = [row[-1] for row in found.forward()]
    held = True
    for h in range(1, found.numbers.length):
        old = thetas[h - 1] if one_earlier else thetas[h]
        for t in range(h):
            left = found.number(lambda walk, known, t=t, h=h: changed(walk, t, h, known), thetas)
            right = found.number(lambda walk, now, was, t=t, h=h: decayed(walk, t, h, now, was), thetas[h], old)
            held &= found.equal([left], [right])
    return held


def with_the_ordinary_error() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = λ = ½."""
    model = one_state(HALF)
    return iterates.varied(
        model,
        iterates.some(model)[0],
        lambda f: same(f, one_earlier=False),
        "with θ_h in both values of δ_h",
        ("G_t^{λ|h+1} − G_t^{λ|h}", "(γλ)^{h−t}δ_h"),
    )


CLAIM = kit.Claim(
    id="vs_lemma1",
    stated=kit.Reading(
        r"$G_t^{\lambda|t'+1} - G_t^{\lambda|t'} = (\gamma\lambda)^{t'-t} \delta_{t'}$ for $t' > t$.",
        quote=(
            r"$G_t^{\lambda|t'}$, used by the truncated $\lambda$-return algorithm, is related to $\delta_t$, used by "
            r"true online TD($\lambda$)"
        ),
        place="§4.2, Lemma 1",
    ),
    anchors=("Lemma 1",),
    check=lambda model: iterates.decide(model, iterates.some(model), same, "G_t^{λ|h+1} − G_t^{λ|h} = (γλ)^{h−t}δ_h"),
    prove=lambda: iterates.shown_along("G_t^{λ|h+1} − G_t^{λ|h} = (γλ)^{h−t}δ_h for t < h < T", same),
    variant=kit.FalseVariant(
        "The difference is that multiple of the TD error (3), which has one θ in both values.", with_the_ordinary_error
    ),
    ablations=(kit.Ablation(LAMBDAS.at("§2.3, after (5)"), supports=models.signed_lambda_models),),
)
