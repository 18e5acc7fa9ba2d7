"""The models that claims are checked on: the gallery, seeded random models, and the families that ablations need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tdcert.claims.box import Box, UncoveredBox
from tdcert.claims.claim import Ablation
from tdcert.sims import random_models
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import COVERAGE, IRREDUCIBLE, Hypothesis, Reply
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

HALF = Fraction(1, 2)

SCHEDULES = (
    Schedule(),
    Schedule.n_step(3),
    Schedule.equal_weights(2, 4),
    Schedule.constant(Fraction(3, 4), 3),
    Schedule.constant(HALF),
    Schedule((Fraction(1, 3), Fraction(1), Fraction(0), Fraction(2, 3))),
)
"""One schedule of each constructor, one classical TD(λ), one irregular."""

SMALL_LAMBDAS = (Fraction(0), Fraction(1), HALF, Fraction(1, 3), Fraction(2, 3))

COUNTS = {"quick": 4, "default": 24, "thorough": 200}
"""How many random models each claim is checked on, by profile."""


def gallery_models() -> list[Model]:
    """Every named model, under a schedule of its own."""
    return [
        gallery.one_state(HALF),
        gallery.absorbing_pair(),
        gallery.flip_chain(HALF, SCHEDULES[2]),
        gallery.theta_to_two_theta(Fraction(9, 10), SCHEDULES[0]),
        gallery.theta_to_two_theta(Fraction(9, 10), SCHEDULES[2], (1, 0)),
        gallery.bairds_star(Fraction(99, 100), Schedule.equal_weights(4, 6)),
        gallery.boyan_chain(SCHEDULES[1]),
        gallery.random_walk_5(SCHEDULES[4]),
        gallery.random_chain(),
    ]


def instances(profile: str, seed: int) -> list[Model]:
    """The gallery, and seeded random models: on- and off-policy, every kind of feature, every kind of schedule."""
    return [*gallery_models(), *random_instances(seed, COUNTS[profile])]


def random_instances(seed: int, count: int) -> list[Model]:
    """Irreducible Garnet models of up to six states; every second one on-policy, every kind of feature and
    schedule in turn.
    """
    rng = generator(seed, "claims/instances")
    kinds = ("random", "aggregated", "one_hot", "random")
    models = []
    for k in range(count):
        n = 2 + k % 5
        kind = kinds[k // 2 % len(kinds)]
        d = n if kind == "one_hot" else max(1, n // 2)
        model = random_models.random_model(
            rng,
            n,
            d,
            0,
            on_policy=k % 2 == 0,
            gamma=None if k % 7 == 3 else (Fraction(9, 10), HALF, Fraction(99, 100))[k % 3],
            kind=kind,
            name=f"Garnet {k + 1} (seed {seed})",
        )
        models.append(model.with_schedule(SCHEDULES[k // 3 % len(SCHEDULES)]))
    return models


# ---- boxes for ablations: searched whole for the smallest counterexample ------------------------------

ON_POLICY_BOX = Box(states=2, features=1, denominator=2, entries=(0, 1))
UNDISCOUNTED = Box(states=2, features=1, denominator=2, entries=(0, 1), gammas=(HALF, Fraction(1)))
UNDISCOUNTED_TWO_STEPS = Box(
    states=2, features=1, denominator=2, entries=(0, 1), gammas=(HALF, Fraction(1)), schedules=(Schedule.n_step(2),)
)
SIGNED_LAMBDAS = Box(
    states=1,
    entries=(1,),
    schedules=tuple(Schedule((Fraction(x),)) for x in (0, 1, HALF, -1, 2, Fraction(-1, 2), -2, 3, -3, 4)),
)
SIGNED_LAMBDAS_2 = Box(
    states=2, denominator=1, entries=(1, -1), schedules=tuple(Schedule((Fraction(x),)) for x in (-1, 2, -2, 3))
)
SHORT_SCHEDULES = Box(
    states=1,
    entries=(1,),
    schedules=tuple(Schedule((x, y)) for x in SMALL_LAMBDAS for y in SMALL_LAMBDAS),
)
OFF_POLICY = Box(states=2, features=1, denominator=2, entries=(1, 2), gammas=(HALF, Fraction(3, 4)), off_policy=True)
OFF_POLICY_SURE = Box(states=2, features=1, denominator=1, entries=(1, 2), off_policy=True)
OFF_POLICY_REWARDS = Box(
    states=1,
    denominator=1,
    entries=(1,),
    rewards=(0, 1),
    gammas=(Fraction(0), HALF),
    off_policy=True,
    rewards_of_actions=True,
)
TWO_CLASSES = Box(states=2, features=1, denominator=1, entries=(0, 1), rewards=(0, 1))
MONTE_CARLO = Box(states=1, entries=(1,), gammas=(HALF, Fraction(1)), schedules=(Schedule.constant(Fraction(1)),))
ENDLESS = Box(
    states=1, entries=(1,), schedules=tuple(Schedule.constant(x) for x in (HALF, Fraction(1, 3), Fraction(1)))
)
UNCOVERED = UncoveredBox()


# ---- families for ablations ---------------------------------------------------------------------


def two_absorbing_states() -> Model:
    """Two states that never leave themselves, φ = 1, rewards (1, 0): θ* is 2 in one class and 0 in the other."""
    P = RationalMatrix([[1, 0], [0, 1]])
    return Model.reward_process(
        P, RationalMatrix.column([1, 0]), HALF, RationalMatrix.column([1, 1]), name="two absorbing states"
    )


def one_state_two_actions(
    name: str,
    actions: tuple[str, str],
    behaviour: tuple[Fraction | int, Fraction | int],
    target: tuple[Fraction | int, Fraction | int],
    rewards: tuple[Fraction | int, Fraction | int] = (0, 0),
    gamma: Fraction = HALF,
    schedule: Schedule | None = None,
) -> Model:
    """One state with φ = 1 and two actions; ``rewards`` of each."""
    one = RationalMatrix([[1]])
    paid = tuple(one.scaled(Fraction(r)) for r in rewards)
    policies = RationalMatrix([behaviour]), RationalMatrix([target])
    return Model(actions, (one,) * 2, paid, (one.scaled(gamma),) * 2, *policies, one, schedule or Schedule(), name)


def jumps(
    name: str,
    law: Sequence[Fraction],
    target: Sequence[int],
    features: RationalMatrix,
    gamma: Fraction,
    schedule: Schedule | None = None,
) -> Model:
    """One action for each state, which leads there from every state; no rewards. The behaviour draws every next state
    from ``law``, the target goes from s to ``target[s]``.
    """
    n = len(law)
    to = tuple(RationalMatrix([[int(j == k) for j in range(n)]] * n) for k in range(n))
    taken = RationalMatrix([[int(k == after) for k in range(n)] for after in target])
    zero, discount = RationalMatrix.zeros(n, 1), RationalMatrix.column([gamma] * n)
    names = tuple(f"to {k + 1}" for k in range(n))
    policies = RationalMatrix([law] * n), taken
    return Model(names, to, (zero,) * n, (discount,) * n, *policies, features, schedule or Schedule(), name)


def uncovered_rewards() -> Model:
    """One state, μ = (1, 0), π = (½, ½), rewards 1 and 0, γ = ½: θ* = 1 while the algorithms rest at 2."""
    return one_state_two_actions("uncovered rewards", ("taken", "never taken"), (1, 0), (HALF, HALF), (1, 0))


def coin_flipper() -> Model:
    """One state, two actions, μ = (½, ½), π = (1, 0), no rewards, γ = ½, TD(0)."""
    return one_state_two_actions("one state, two actions", ("taken", "never meant"), (HALF, HALF), (1, 0))


def periodic_models() -> Sequence[Model]:
    """Irreducible chains of period 2 and 3, on-policy."""
    ring = RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    rewards = RationalMatrix.column([1, 0, 2])
    walk = RationalMatrix([[0, 1, 0], [HALF, 0, HALF], [0, 1, 0]])
    rank_two = RationalMatrix([[1, 0], [0, 1], [1, 1]])
    return (
        gallery.flip_chain(),
        gallery.flip_chain(Fraction(9, 10), SCHEDULES[2]),
        Model.reward_process(ring, rewards, Fraction(9, 10), None, SCHEDULES[2], "ring of three"),
        Model.reward_process(walk, rewards, Fraction(3, 4), rank_two, SCHEDULES[5], "walk on three states"),
    )


def reducible_models() -> Sequence[Model]:
    """Chains with transient states or several recurrent classes, on-policy."""
    P = RationalMatrix([[HALF, HALF, 0], [0, Fraction(1, 4), Fraction(3, 4)], [0, 1, 0]])
    return (
        gallery.absorbing_pair(),
        two_absorbing_states(),
        Model.reward_process(
            P, RationalMatrix.column([0, 1, 2]), Fraction(9, 10), None, SCHEDULES[2], "transient state"
        ),
    )


def uncovered_models() -> Sequence[Model]:
    """Missing coverage, A nonsingular."""
    return (uncovered_rewards(), gallery.uncovered_action())


def undiscounted_models() -> Sequence[Model]:
    """γ = 1 on every transition, and A nonsingular all the same."""
    return (gallery.fair_coin_chain(1), gallery.fair_coin_chain(1, SCHEDULES[2]))


def signed_lambda_models() -> Sequence[Model]:
    """λ's outside [0,1], A nonsingular and not negative definite, on chains without a period."""
    mostly_flips = RationalMatrix([[Fraction(1, 10), Fraction(9, 10)], [Fraction(9, 10), Fraction(1, 10)]])
    Phi = RationalMatrix.column([1, -1])
    return (
        gallery.one_state(HALF, Schedule((Fraction(-3),))),
        Model.reward_process(
            mostly_flips, RationalMatrix.column([1, 0]), HALF, Phi, Schedule((Fraction(3),)), "chain that mostly flips"
        ),
    )


def endless_models() -> Sequence[Model]:
    """λ_j = λ for every j, with and without a constant discount; λ = 1 is Monte Carlo."""
    one = Schedule.constant(Fraction(1))
    return (
        gallery.one_state(HALF, Schedule.constant(HALF)),
        gallery.flip_chain(Fraction(9, 10), one, ((1,), (-1,))),
        gallery.random_walk_5(one),
        gallery.boyan_chain(Schedule.constant(Fraction(3, 4))),
    )


def varying_discount_models() -> Sequence[Model]:
    """On-policy chains whose discount depends on the transition, with a largest discount of one and below one."""
    P = RationalMatrix([[HALF, HALF], [Fraction(1, 4), Fraction(3, 4)]])
    discount = RationalMatrix([[HALF, Fraction(1, 3)], [0, Fraction(3, 4)]])
    return (
        Model.reward_process(
            P, RationalMatrix.column([1, 2]), discount, RationalMatrix.column([1, -1]), SCHEDULES[2], "varying discount"
        ),
        gallery.flip_chain(RationalMatrix([[0, 1], [0, 0]]), SCHEDULES[1]),
        gallery.random_walk_5(SCHEDULES[5]),
    )


def the_example(id: str, statement: str, source: str, make: Callable[[Fraction], Model]) -> Hypothesis:
    """The hypothesis that a model is the one that ``make`` builds with the model's largest discount on its classes."""

    def ask(model: Model) -> Reply:
        same = model.digest == make(max(model.recurrent_discounts)).digest
        return Reply(same, f"the model is {'the example' if same else 'another'}")

    return Hypothesis(id, statement, source, ask)


def lambda_of(model: Model) -> Fraction:
    """For statements about one λ: the λ of the model's schedule that is farthest from zero; ½ where all are zero."""
    return max((model.schedule.tail, *model.schedule.lambdas), key=abs) or Fraction(1, 2)


def gamma_of(model: Model) -> Fraction:
    """For statements about one γ in (0, 1) and any P: that of the model; 9/10 where it has none there."""
    return model.gamma if model.gamma and model.gamma < 1 else Fraction(9, 10)


GAMMA_BELOW_ONE = Hypothesis(
    "gamma_below_one",
    r"$\gamma < 1$, the largest discount",
    "as remembered",
    lambda model: Reply(largest_discount(model) < 1, f"γ = {largest_discount(model)}"),
)


def _two_states(model: Model) -> Reply:
    wanted = gallery.theta_to_two_theta(HALF)
    same = (model.features, model.behaviour_chain.P, model.target_kernel.P) == (
        *(wanted.features, wanted.behaviour_chain.P, wanted.target_kernel.P),
    )
    return Reply(same and model.gamma is not None, "it is θ→2θ" if same else "it is not θ→2θ")


THETA_TO_TWO_THETA = Hypothesis("theta_to_two_theta", "the model is θ→2θ, with one γ", "as remembered", _two_states)


def any_chain(*others: Hypothesis) -> tuple[Ablation, Ablation]:
    """What a statement about any law and any target policy does not need, on models that meet its ``others``."""

    return (
        Ablation(IRREDUCIBLE.at("as remembered"), supports=meeting(reducible_models, *others)),
        Ablation(COVERAGE.at("as remembered"), supports=meeting(uncovered_models, *others)),
    )


def meeting(models: Callable[[], Sequence[Model]], *hypotheses: Hypothesis) -> Callable[[], Sequence[Model]]:
    """The models that meet all of these hypotheses, as an ablation takes them."""
    return lambda: [model for model in models() if all(one.ask(model).satisfied for one in hypotheses)]
