r"""Off-line TD(λ) with accumulating traces equals the off-line λ-return algorithm.

Where: θ is constant, and Σ_t δ_t e_t = Σ_t α_t(G_t^λ − θᵀφ_t)φ_t, with δ, e of (3), (5) and the λ-return (7).
Hypotheses: none: (7) closes with the T − t step return, which holds θᵀφ_T, so that the episode need not end.
Model: any; two paths of three steps, taken as episodes.
Check: both sums, entry by entry, with traces as numbers.
Closed form: G_t^λ − θᵀφ_t = Σ_{k≥t} (γλ)^{k−t} δ_k.
"""

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, one_state
from tdcert.claims.vs14 import iterates


def same(found: iterates.Followed, end: bool = True) -> bool:
    """Both changes of θ over an episode; ``end``: whether (7) closes with a return that holds the last value."""
    T, theta = found.numbers.length, list(found.numbers.start)
    weights = [
        found.number(
            lambda walk, now, t=t: iterates.truncated(walk, t, T, lambda _: now, end) - walk.value(now, t), theta
        )
        for t in range(T)
    ]
    errors = [found.number(lambda walk, now, t=t: iterates.td_error(walk, t, now, now), theta) for t in range(T)]
    traces = list[list[Any]]()
    for t in range(T):
        past = traces[-1] if traces else None
        traces.append(found.vector(lambda walk, before, t=t: iterates.accumulated(walk, t, before), past))
    forward = found.vector(
        lambda walk, given: summed(walk, lambda t, i: walk.steps[t] * (given[t] * walk.features[t][i])), weights
    )
    backward = found.vector(lambda walk, given, e: summed(walk, lambda t, i: given[t] * e[t][i]), errors, traces)
    return found.equal(forward, backward)


def summed(walk: iterates.Episode, term: Callable[[int, int], Any]) -> list[Any]:
    """Σ_t of a term, for each entry i of θ."""
    return [reduce(add, (term(t, i) for t in range(walk.length))) for i in range(len(walk.start))]


def with_the_full_return() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = λ = ½, cut after three steps."""
    model = one_state(HALF)
    sides, detail = ("change by returns", "change by traces"), "with the return of an episode that was cut"
    return iterates.varied(model, iterates.some(model)[0], lambda f: same(f, end=False), detail, sides)


CLAIM = kit.Claim(
    id="vs_offline",
    stated=kit.Reading(
        r"Over an episode, off-line TD($\lambda$) changes $\theta$ as the off-line $\lambda$-return algorithm does.",
        quote=r"off-line TD($\lambda$) is equal to the (off-line) $\lambda$-return algorithm",
        place="§2.4",
    ),
    anchors=("It has been shown that off-line TD(λ) is equal to the (off-line) λ-return algorithm",),
    check=lambda model: iterates.decide(model, iterates.some(model), same, "Σ_t α_t(G_t^λ − θᵀφ_t)φ_t = Σ_t δ_t e_t"),
    prove=lambda: iterates.shown_along("Σ_t α_t(G_t^λ − θᵀφ_t)φ_t = Σ_t δ_t e_t", same),
    variant=kit.FalseVariant(
        "They agree where the rewards of an episode that was cut stand for its return.", with_the_full_return
    ),
    ablations=(kit.Ablation(LAMBDAS.at("§2.3, after (5)"), supports=models.signed_lambda_models),),
)
