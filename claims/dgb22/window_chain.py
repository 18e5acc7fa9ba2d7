r"""The window X_t is a Markov chain, and A(X_t) is a function of it.

Place: §4, before Proposition 4.1.
Statement: X_t = (s_{t−L}, …, s_{t+1}) is a Markov chain with one stationary law, and A(X_t), b(X_t) are functions of
it. It is introduced on-policy, with rewards r(s_t, s_{t+1}), and there it holds. §4 uses it off-policy as well, where
z_t holds the ratios ρ, which no window of states determines: a hypothesis is missing there. In general the window holds
the actions too, and its law comes from d^μ.
Hypotheses: the behaviour chain has one stationary law; the schedule has an end.
Model: any.
Check: the chain of windows itself, built and solved, where the windows are few: one recurrent class, with the law
d(s_{t−L})μp…μp. Means of A(X_t) and b(X_t) over all windows, now and one step later, against A and b. On-policy, with
rewards and discounts of s_t and s_{t+1} alone: A(X_t) and b(X_t) along windows with the same states, other actions.
Closed form: L + 1 steps turn any law of windows into m(s_{t−L})μp…μp, m the law of its last state; so a stationary one
has m = d.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.kit import COVERAGE, HALF, Fraction, Model, Path, Relation, Verdict, along, decide_relations, its
from tdcert.theory.certificate.bodies import stationary_certificate
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE, UNIQUE_LAW
from tdcert.theory.expressions.forward_views import refute_one_mean, summable
from tdcert.theory.expressions.paths import few_paths
from tdcert.theory.identities import forward_backward as identities
from tdcert.theory.model.chain import Chain

WINDOWS = 80
"""The chain of windows is built up to this many of them."""
ENDLESS = Box(states=2, features=1, denominator=2, entries=(0, 1), schedules=(kit.Schedule.constant(HALF),))

Window = tuple[int, ...]
"""s_{t−L}, a_{t−L}, s_{t−L+1}, …, a_t, s_{t+1}."""


def prove() -> kit.Proof:
    """What stationary laws of windows are, for free transition probabilities."""
    sizes = ((1, 2, 0), (2, 1, 0), (2, 1, 1), (2, 1, 2), (2, 2, 0), (3, 1, 0))
    return kit.proved(
        "L + 1 steps of the window chain turn any law ν into m(s)·p…p, m the law of ν's last state, free ν and p, "
        "(n, actions, L) = "
        + ", ".join(map(str, sizes))
        + "; so stationary laws of windows and of states correspond one to one",
        kit.shown(identities.window_law_identity, at=sizes),
    )


def A_of_window(t: int) -> kit.Expression:
    """z_t(γφ_{t+1} − φ_t)ᵀ."""
    return its.z_rho(t) @ (its.discount(t) * its.phi(t + 1) - its.phi(t)).T


def check(model: Model) -> Verdict:
    """One law of windows, the product law; and E_0[A(X_t)] = A, E_0[b(X_t)] = b of the kernel that μ sees."""
    chain = model.behaviour_chain
    laws = tuple(stationary_certificate(chain, states) for states in chain.recurrent_classes)
    if len(laws) > 1:
        verdict = refute_one_mean(model, "the window's first state")
        detail = f"{len(laws)} stationary laws of windows, one for each recurrent class"
        return replace(verdict, detail=detail, certificates=(*verdict.certificates, *laws))
    (states,) = chain.recurrent_classes
    if model.schedule.length is None:
        return _endless(model)
    relations: list[Relation] = [(its.P_mu.T @ its.d, "=", its.d)]
    t = summable(model, states, more=1)
    if t is not None:
        for time in (t, t + 1):
            relations.append((kit.expected("mu", "d", time + 1, A_of_window(time)), "=", its.A))
            relations.append((kit.expected("mu", "d", time + 1, its.reward(time) * its.z_rho(time)), "=", its.b))
    pairs = without_actions(model)
    relations += pairs
    detail = "the law of states is kept" + (
        "" if t is None else "; E_0[A(X_t)] = A and E_0[b(X_t)] = b now and one step later"
    )
    if pairs:
        detail += "; windows with the same states have one A(X_t) and one b(X_t), whatever the actions"
    verdict = decide_relations(model, relations, states=states, kernel="covered", detail=detail)
    if verdict.status is kit.Status.HOLDS and few_paths(model, range(model.n), model.schedule.length + 1, WINDOWS):
        count = product_law_of_windows(model, states)
        if count is None:
            return kit.refuted("the law of windows is not one product law", {"states": str(model.n)})
        verdict = replace(
            verdict, detail=f"{verdict.detail}; {count} windows, one recurrent class with the product law"
        )
    return replace(verdict, certificates=(*verdict.certificates, *laws))


PAIRS = 4
"""Pairs of windows with the same states and different actions that are compared on one model."""


def without_actions(model: Model) -> list[Relation]:
    """A(X_t) and b(X_t) along pairs of windows that differ in their actions alone, on-policy, where no reward and no
    discount depends on the action; nothing for other models.
    """
    tables = (*zip(model.rewards, model.discounts, strict=True),)
    if not model.is_on_policy or any(table != tables[0] for table in tables):
        return []
    return [relation for first, second in twins(model) for relation in same_functions(model, first, second)]


def twins(model: Model) -> list[tuple[Path, Path]]:
    """Up to :data:`PAIRS` pairs of windows with the same states: in the second one some action is another."""
    found = []
    for path in kit.some_paths(model, (model.schedule.length or 0) + 1, PAIRS):
        for k, (s, after) in enumerate(zip(path.states, path.states[1:], strict=False)):
            others = [
                a
                for a, P in enumerate(model.transitions)
                if a != path.actions[k] and model.behaviour[s, a] * P[s, after] > 0
            ]
            if others:
                actions = (*path.actions[:k], others[0], *path.actions[k + 1 :])
                found.append((path, Path(path.states, actions)))
                break
    return found


def same_functions(model: Model, first: Path, second: Path) -> list[Relation]:
    """A(X_t) and b(X_t) along two windows are equal."""
    t = model.schedule.length or 0
    functions: tuple[kit.Expression, ...] = (A_of_window(t), its.reward(t) * its.z_rho(t))
    return [(along(first, f), "=", along(second, f)) for f in functions]


def windows_of(model: Model, length: int) -> list[tuple[Window, Fraction]]:
    """Every window of positive probability, with its probability from its first state."""
    found: list[tuple[Window, Fraction]] = [((s,), Fraction(1)) for s in range(model.n)]
    for _ in range(length + 1):
        found = [
            ((*window, a, after), p * model.behaviour[window[-1], a] * P[window[-1], after])
            for window, p in found
            for a, P in enumerate(model.transitions)
            for after in range(model.n)
        ]
        found = [(window, p) for window, p in found if p != 0]
    return found


def product_law_of_windows(model: Model, states: kit.States) -> int | None:
    """The number of windows, if their chain has one recurrent class and there the product law; None otherwise."""
    assert model.schedule.length is not None
    found = windows_of(model, model.schedule.length)
    place = {window: k for k, (window, _) in enumerate(found)}
    rows = [[Fraction(0)] * len(found) for _ in found]
    for window, k in place.items():
        s = window[-1]
        for a, P in enumerate(model.transitions):
            for after in range(model.n):
                p = model.behaviour[s, a] * P[s, after]
                if p != 0:
                    rows[k][place[(*window[2:], a, after)]] += p
    chain = Chain(kit.RationalMatrix(rows))
    if len(chain.recurrent_classes) != 1:
        return None
    d = model.behaviour_chain.stationary_law(states).column_entries()
    law = chain.stationary_law(chain.recurrent_classes[0]).column_entries()
    return len(found) if all(x == d[w[0]] * p for x, (w, p) in zip(law, found, strict=True)) else None


def _endless(model: Model) -> Verdict:
    """Without an end there is no window: two histories that share their last transition and have different traces."""
    ends: dict[Window, list[Path]] = defaultdict(list)
    for window, _ in windows_of(model, 1):
        ends[window[2:]].append(Path(window[0::2], window[1::2]))
    for shared in ends.values():
        for first, second in combinations(shared, 2):
            differing: Relation = (along(first, its.z(1)), "!=", along(second, its.z(1)))
            verdict = decide_relations(model, [differing])
            if verdict.status is kit.Status.HOLDS:
                witness = {
                    name: "→".join(f"s{s}" for s in path.states)
                    for name, path in (("history", first), ("other", second))
                }
                detail = "histories that end alike have different traces: without an end no window holds them"
                return kit.refuted(detail, witness, by=verdict.certificates)
    return kit.undecided("the schedule has no end; no two histories of two steps tell traces apart")


def coin_rewarded(first: int, second: int) -> Model:
    """One state, on-policy, two actions with these rewards, γ = ½, TD(0)."""
    name, even = f"one state, rewards {first} and {second}", (HALF, HALF)
    return models.one_state_two_actions(name, ("first", "second"), even, even, rewards=(first, second))


def facts() -> Sequence[kit.Fact]:
    """On-policy the actions may be left out if they do not change the reward, and not if they do."""
    equal, unequal = coin_rewarded(1, 1), coin_rewarded(0, 1)
    (pair,) = twins(equal)
    apart = [
        (along(path, its.reward(0) * its.z_rho(0)), "=", value) for path, value in zip(pair, ("0", "1"), strict=True)
    ]
    return [
        kit.Fact(
            "one state, on-policy, two actions with one reward: A(X_t) and b(X_t) do not depend on the action",
            equal,
            decide_relations(equal, without_actions(equal)),
        ),
        kit.Fact(
            "one state, on-policy, rewards 0 and 1 for its two actions: b(X_t) is 0 or 1 while the window of states "
            "does not change, so there the actions may not be left out",
            unequal,
            decide_relations(unequal, apart),
        ),
    ]


def judge_stated() -> kit.Refutation:
    """One state, two actions, μ = (½, ½), π = (1, 0), γ = ½: the window of states never changes, A(X_t) = ρ_t(γ − 1)
    does.
    """
    model = models.coin_flipper()
    taken, other = (along(Path((0, 0), (a,)), A_of_window(0)) for a in (0, 1))
    return kit.explained(
        decide_relations(model, [(taken, "=", other)]),
        model,
        "used off-policy, as in Theorems 4.4 to 4.6: the same window of states (1, 1), two values of A(X_t); the trace "
        "holds ρ",
        "A(X_t) after one action",
        "after the other",
        μ=["1/2", "1/2"],
        π=["1", "0"],
        γ="1/2",
    )


CLAIM = kit.Claim(
    id="window_chain",
    stated=kit.Reading(
        r"$X_t = (s_{t-L}, \ldots, s_t, s_{t+1})$ is a Markov chain with one stationary law (that of $d^\pi$), and "
        r"$z_t$, $A(X_t)$, $b(X_t)$ are functions of $X_t$. (Introduced for TD($\lambda$)-schedule, and used for "
        r"GTD($\lambda$)- and TDC($\lambda$)-schedule too.)",
        quote=(
            "Clearly $X_t$ is a Markov chain because $s_{t+2}$ only depends on $s_{t+1}$. Note that $z_{t}$ is not "
            "included in the Markov chain as it can be constructed from $X_{t}$"
        ),
        place="§4, before Proposition 4.1",
    ),
    corrected=kit.Reading(
        r"$X_t = (s_{t-L}, a_{t-L}, \ldots, s_t, a_t, s_{t+1})$ is a Markov chain on the windows that are reached, "
        r"its one stationary law is $d^\mu(s_{t-L}) \mu p \cdots \mu p$, and $A(X_t)$, $b(X_t)$ have the means $A$ "
        r"and $b$. Where $\mu = \pi$ and rewards and discounts depend on $s_t, s_{t+1}$ alone, the actions may be "
        "left out: $A(X_t)$ and $b(X_t)$ do not depend on them.",
        added_hypotheses=("on-policy, with rewards $r(s_t, s_{t+1})$; else the actions belong to the window",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(
        r"Clearly $X_t$ is a Markov chain because $s_{t+2}$ only depends on $s_{t+1}$",
        r"with $d^\pi(s)$, $s\in S$ as it's diagonal elements",
    ),
    check=check,
    prove=prove,
    facts=facts,
    ablations=(
        kit.Ablation(UNIQUE_LAW, box=models.TWO_CLASSES),
        kit.Ablation(FINITE_SCHEDULE, box=ENDLESS),
        kit.Ablation(kit.APERIODIC, supports=models.periodic_models),
        kit.Ablation(kit.IRREDUCIBLE, supports=lambda: (kit.absorbing_pair(),)),
        kit.Ablation(COVERAGE, supports=models.uncovered_models, note="A and b are then those of the covered actions"),
    ),
    notes=("Off-policy, d^π in the definition of D must read d^μ: E_0 is the mean of the chain that is walked.",),
    rests_on=("trace_window",),
)
