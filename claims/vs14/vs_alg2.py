r"""Algorithm 2, the pseudo-code of true online TD(λ), is (10), (11), (12).

Where: v̂_S' is taken before θ changes.
Model: any; two paths of three steps.
Check: the lines and the equations, with all vectors as numbers.
Closed form: α(1 − γλ eᵀφ)φ is the sum of both terms of (11), and v̂_S is θ_{t−1}ᵀφ_t.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, LAMBDAS, one_state
from tdcert.claims.vs14.iterates import Followed, decide, shown_along, some, varied


def same(found: Followed, before: bool = True) -> bool:
    """The lines of the loop and the equations; ``before``: v̂_S' is taken before θ changes, and after it if not."""
    theta, held = list(found.numbers.start), True
    e = [0 * x for x in theta]
    value = found.number(lambda walk, now: walk.value(now, 0), theta)
    equations = found.backward()[0]
    for t in range(found.numbers.length):
        ahead = found.number(lambda walk, now, t=t: walk.value(now, t + 1), theta)
        delta = found.number(
            lambda walk, there, here, t=t: walk.rewards[t] + walk.discounts[t] * there - here, ahead, value
        )
        e = found.vector(
            lambda walk, past, t=t: [
                decay * x + walk.steps[t] * (1 - decay * walk.value(past, t)) * phi
                for decay in [walk.decay(t) if t else walk.lam * 0]
                for x, phi in zip(past, walk.features[t], strict=True)
            ],
            e,
        )
        theta = found.vector(
            lambda walk, now, along, x, here, t=t: [
                old + x * y + walk.steps[t] * (here - walk.value(now, t)) * phi
                for old, y, phi in zip(now, along, walk.features[t], strict=True)
            ],
            theta,
            e,
            delta,
            value,
        )
        value = ahead if before else found.number(lambda walk, now, t=t: walk.value(now, t + 1), theta)
        held &= found.equal(theta, equations[t + 1])
    return held


def with_the_value_taken_after() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = λ = ½."""
    model = one_state(HALF)
    return varied(
        model,
        some(model)[0],
        lambda f: same(f, before=False),
        "with v̂_S' of the new θ",
        ("θ of the lines", "θ_t of the equations"),
    )


CLAIM = kit.Claim(
    id="vs_alg2",
    stated=kit.Reading(
        r"Algorithm 2 makes the $\theta_t$ of (10), (11), (12).",
        quote="Algorithm 2 shows pseudo-code that implements the true online TD($\\lambda$) equations",
        place="§4.1",
    ),
    anchors=("Algorithm 2 true online TD(λ)",),
    check=lambda model: decide(model, some(model), same, "Algorithm 2 and (10), (11), (12)"),
    prove=lambda: shown_along("the lines of Algorithm 2 make the θ_t of (10), (11), (12)", same),
    variant=kit.FalseVariant(
        "It makes them where the value of the next state is taken after θ has changed.", with_the_value_taken_after
    ),
    ablations=(kit.Ablation(LAMBDAS.at("§2.3, after (5)"), supports=models.signed_lambda_models),),
)
