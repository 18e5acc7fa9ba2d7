r"""No version of online TD(λ) equals the online λ-return algorithm.

Where: two episodes that agree in s_0, R_1, s_1 have different θ_1.
Hypotheses: two episodes agree on the first step, from a state with features, and differ in their λ-return.
Model: one with two such episodes of at most four steps.
Check: θ_1 = θ_0 + α_0(G_0^λ − θ_0ᵀφ_0)φ_0 along both, which differs in some entry.
Closed form: the difference is α_0(G_0^λ − G_0'^λ)φ_0.
"""

from dataclasses import replace
from itertools import combinations
from typing import Any

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Path, RationalMatrix, Reply, Verdict, decide_relations, undecided
from tdcert.claims.vs14.iterates import Episode, along, backed_up, episodes, free_walk, truncated
from tdcert.theory.expressions.notation import along as on_path


def first_return(walk: Episode) -> Any:
    """G_0^λ (7), with θ_0 in its values."""
    return truncated(walk, 0, walk.length, lambda _: walk.start)


def first_update(walk: Episode) -> list[Any]:
    """θ_1 of the online λ-return algorithm: the update (1) at t = 0 with the target (7)."""
    return backed_up(walk, walk.start, 0, first_return(walk) - walk.value(walk.start, 0))


def pairs(model: Model) -> list[tuple[Path, Path]]:
    """Episodes that agree on the first step and go on in different ways."""
    return [
        (one, other)
        for one, other in combinations(episodes(model, most=40), 2)
        if (one.states[:2], one.actions[:1]) == (other.states[:2], other.actions[:1])
    ]


def apart(model: Model, lam: Fraction | None = None) -> tuple[Path, Path] | None:
    """The first pair from a state with features that has two different λ-returns."""
    found = [pair for pair in pairs(model) if any(model.features.rows[pair[0].states[0]])]
    returns = {path: first_return(along(model, path, lam).numbers) for pair in found for path in pair}
    return next((pair for pair in found if returns[pair[0]] != returns[pair[1]]), None)


@kit.hypothesis(
    "two_ways_on",
    r"two episodes agree on the first step, from a state with features, and differ in their $\lambda$-return",
    "§2.4",
)
def TWO_WAYS_ON(model: Model) -> Reply:
    return Reply(apart(model) is not None, f"{len(pairs(model))} pairs of episodes agree on the first step")


def prove() -> kit.Proof:
    """θ_1 along a free path of two steps is not free of R_2."""
    found = free_walk(2, 1).numbers
    later = replace(found, rewards=[found.rewards[0], found.rewards[1] + 1])
    moved = first_update(later)[0] - first_update(found)[0]
    phi = found.features[0][0]
    kit.require(moved == found.steps[0] * found.discounts[0] * found.lam * phi, "one more reward moves θ_1 by αγλφ")
    return kit.proved(
        "θ_1 moves by αγλφ_0 where R_2 grows by one, which is not zero for α, γ, λ, φ_0 ≠ 0, T = 2, d = 1", 1
    )


def differs(model: Model, pair: tuple[Path, Path] | None, lam: Fraction | None) -> Verdict:
    """Whether θ_1 differs along a pair, by a relation in some entry."""
    if pair is None:
        known = pairs(model)
        if not known:
            return undecided("no two episodes of at most four steps agree on the first step")
        pair = known[0]
    both = [along(model, path, lam) for path in pair]
    numbers = list(zip(*(first_update(found.numbers) for found in both), strict=True))
    entry = next((i for i, (one, other) in enumerate(numbers) if one != other), 0)
    left, right = (on_path(path, first_update(found.written)[entry]) for path, found in zip(pair, both, strict=True))
    return decide_relations(model, [(left, "!=", right)], detail="θ_1 differs along two episodes with one first step")


def two_ends(first: int = 0, second: int = 1) -> Model:
    """0 → 1, and from 1 with probability ½ each to two ends without features; R = 0, then one of these."""
    P = RationalMatrix([[0, 1, 0, 0], [0, 0, HALF, HALF], [0, 0, 1, 0], [0, 0, 0, 1]])
    R = RationalMatrix([[0, 0, 0, 0], [0, 0, first, second], [0, 0, 0, 0], [0, 0, 0, 0]])
    return Model.reward_process(P, R, HALF, RationalMatrix.column([1, 1, 0, 0]), name="two ends")


def at_lambda_zero() -> kit.Refutation:
    """0 → 1 → two ends, R_2 = 0 or 1: at λ = 0 both have one θ_1."""
    model = two_ends()
    sides = ("θ_1 of one episode", "θ_1 of the other")
    return kit.explained(differs(model, None, Fraction(0)), model, "both episodes have one θ_1 at λ = 0", *sides)


CLAIM = kit.Claim(
    id="vs_no_other",
    stated=kit.Reading(
        r"No version of online TD($\lambda$) makes the iterates of the online $\lambda$-return algorithm: $\theta_1$ "
        r"depends on rewards and states after time 1.",
        quote=(
            r"no version of online TD($\lambda$) can be constructed that matches the online $\lambda$-return algorithm "
            r"exactly, because the $\lambda$-return uses rewards and states beyond the current time step"
        ),
        place="§2.4",
    ),
    anchors=("no version of online TD(λ) can be constructed",),
    check=lambda model: differs(model, apart(model), None),
    prove=prove,
    instances=lambda: (two_ends(),),
    variant=kit.FalseVariant("At λ = 0 θ_1 depends on rewards and states after time 1.", at_lambda_zero),
    ablations=(kit.Ablation(TWO_WAYS_ON, counterexample=lambda: two_ends(1, 1)),),
)
