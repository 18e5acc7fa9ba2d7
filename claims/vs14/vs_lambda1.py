r"""At λ = 1, at the end of an episode, the values are those of Monte Carlo.

Where: θ_{T,T} is what θ ← θ + α_k(G_k − θᵀφ_k)φ_k makes of θ_init over k = 0 … T − 1, with the full returns G_k.
Hypotheses: the episode ends at T, where the value is zero for every θ.
Model: one with an episode of at most four steps; up to two of its shortest.
Check: the forward view and Monte Carlo, with all vectors as numbers.
Closed form: G_k^{1|T} is the (T − k)-step return, and θᵀφ_T = 0.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, RationalMatrix, one_state
from tdcert.claims.vs14 import iterates

ONE = Fraction(1)


def same(found: iterates.Followed, upto: int | None = None) -> bool:
    """θ_{T,T} and Monte Carlo; both after ``upto`` steps instead."""
    T, theta = found.numbers.length, list(found.numbers.start)
    stop = upto or T
    for t in range(stop):
        error = found.number(
            lambda walk, now, t=t: iterates.n_step(walk, t, T - t, now, end=False) - walk.value(now, t), theta
        )
        theta = found.vector(lambda walk, now, x, t=t: iterates.backed_up(walk, now, t, x), theta, error)
    return found.equal(found.forward(stop)[-1][-1], theta)


def two_steps() -> Model:
    """0 → 1 → an end without features, φ = 1 in both, R = 0 and 2, γ = ½."""
    P = RationalMatrix([[0, 1, 0], [0, 0, 1], [0, 0, 1]])
    return Model.reward_process(
        P, RationalMatrix.column([0, 2, 0]), HALF, RationalMatrix.column([1, 1, 0]), name="two steps"
    )


def before_the_end() -> kit.Refutation:
    """After the first of two steps: G_0^{1|1} still has the value of the next state in the place of its return."""
    model = two_steps()
    return iterates.varied(
        model,
        iterates.episodes(model)[-1],
        lambda f: same(f, upto=1),
        "after the first of two steps",
        ("θ_{1,1}", "θ_1 of Monte Carlo"),
        ONE,
    )


CLAIM = kit.Claim(
    id="vs_lambda1",
    stated=kit.Reading(
        r"For $\lambda = 1$ the values at the end of an episode are those of Monte Carlo.",
        quote=(
            r"for $\lambda = 1$ the values at the end of an episode computed by the truncated $\lambda$-return "
            r"algorithm are equal to those computed by (an online, step-size version of) Monte-Carlo"
        ),
        place="§3, after (9)",
    ),
    anchors=("For λ = 1, at the end of an episode (t' = T) the following holds",),
    check=lambda model: iterates.decide(
        model, (iterates.episodes(model) or iterates.some(model))[:2], same, "θ_{T,T} and Monte Carlo at λ = 1", ONE
    ),
    prove=lambda: iterates.shown_along(
        "θ_{T,T} = θ of Monte Carlo after T steps at λ = 1, φ_T = 0", same, lam=ONE, ends=True
    ),
    instances=lambda: (two_steps(),),
    variant=kit.FalseVariant("For λ = 1 the values are those of Monte Carlo at every time.", before_the_end),
    ablations=(kit.Ablation(iterates.AN_EPISODE_ENDS, counterexample=lambda: one_state(HALF)),),
)
