r"""The window X_t is a Markov chain, and A(X_t) is a function of it.

Place: §4, before Proposition 4.1.
Statement: printed, X_t = (s_{t−L}, …, s_{t+1}) is a Markov chain with one stationary law, and A(X_t), b(X_t) are
functions of it. True on-policy. Off-policy z_t holds the ratios ρ, which no window of states determines. Corrected: the
window holds the actions too, and its law comes from d^μ.
Hypotheses: the behaviour chain has one stationary law; the schedule has an end.
Model: any.
Check: the chain of windows itself, built and solved, where the windows are few: one recurrent class, with the law
d(s_{t−L})μp…μp. Means of A(X_t) and b(X_t) over all windows, now and one step later, against A and b.
Closed form: L + 1 steps turn any law of windows into m(s_{t−L})μp…μp, m the law of its last state; so a stationary one
has m = d.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from claims.box import Box
from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation
from claims.models import TWO_CLASSES, periodic_models, uncovered_models
from claims.off_policy_expansion import coin_flipper
from theory.arithmetic import RationalMatrix
from theory.check import identities_views as identities
from theory.check.evidence import stationary_certificate
from theory.check.hypotheses import APERIODIC, COVERAGE, FINITE_SCHEDULE, IRREDUCIBLE, UNIQUE_LAW
from theory.check.paths import few_paths
from theory.check.relations import Expression, Path, Relation, decide_relations
from theory.check.views import summable
from theory.model.chain import Chain
from theory.model.gallery import HALF, absorbing_pair
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

WINDOWS = 80
"""The chain of windows is built up to this many of them."""
ENDLESS = Box(states=2, features=1, denominator=2, entries=(0, 1), schedules=(Schedule.constant(HALF),))

Window = tuple[int, ...]
"""s_{t−L}, a_{t−L}, s_{t−L+1}, …, a_t, s_{t+1}."""


def prove() -> tuple[ScopedEvidence, ...]:
    """What stationary laws of windows are, for free transition probabilities."""
    sizes = ((1, 2, 0), (2, 1, 0), (2, 1, 1), (2, 1, 2), (2, 2, 0), (3, 1, 0))
    if not all(identities.window_law_identity(*size) for size in sizes):
        raise ProofError("L + 1 steps from a law of windows do not end in a product law")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "L + 1 steps of the window chain turn any law ν into m(s)·p…p, m the law of ν's last state, free ν and p, "
            "(n, actions, L) = "
            + ", ".join(map(str, sizes)) + "; so stationary laws of windows and of states correspond one to one",
        ),
    )  # fmt: skip


def A_of_window(t: int) -> Expression:
    """z_t(γφ_{t+1} − φ_t)ᵀ."""
    return ("@", f"zrho:{t}", ("T", ("-", ("*", f"gamma:{t}", f"phi:{t + 1}"), f"phi:{t}")))


def check(model: Model) -> Verdict:
    """One law of windows, the product law; and E_0[A(X_t)] = A, E_0[b(X_t)] = b of the kernel that μ sees."""
    chain = model.behaviour_chain
    laws = tuple(stationary_certificate(chain, states) for states in chain.recurrent_classes)
    if len(laws) > 1:
        detail = f"{len(laws)} stationary laws, one for each recurrent class"
        return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, {"laws": str(len(laws))}, certificates=laws)
    (states,) = chain.recurrent_classes
    if model.schedule.length is None:
        return _endless(model)
    relations: list[Relation] = [(("@", ("T", "P_mu"), "d"), "=", "d")]
    t = summable(model, states, more=1)
    if t is not None:
        for time in (t, t + 1):
            relations.append((("E", "mu", "d", time + 1, A_of_window(time)), "=", "A"))
            relations.append((("E", "mu", "d", time + 1, ("*", f"R:{time}", f"zrho:{time}")), "=", "b"))
    detail = "the law of states is kept" + (
        "" if t is None else "; E_0[A(X_t)] = A and E_0[b(X_t)] = b now and one step later"
    )
    verdict = decide_relations(model, relations, states=states, kernel="covered", detail=detail)
    if verdict.status is Status.HOLDS and few_paths(model, range(model.n), model.schedule.length + 1, WINDOWS):
        count = product_law_of_windows(model, states)
        if count is None:
            return Verdict(
                Status.REFUTED, Grade.CERTIFIED, "the law of windows is not one product law", {"states": str(model.n)}
            )
        verdict = replace(
            verdict, detail=f"{verdict.detail}; {count} windows, one recurrent class with the product law"
        )
    return replace(verdict, certificates=(*verdict.certificates, *laws))


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


def product_law_of_windows(model: Model, states: tuple[int, ...]) -> int | None:
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
    chain = Chain(RationalMatrix(rows))
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
            differing: Relation = (("on", first, "z:1"), "!=", ("on", second, "z:1"))
            verdict = decide_relations(model, [differing])
            if verdict.status is Status.HOLDS:
                witness = {
                    name: "→".join(str(s + 1) for s in path.states)
                    for name, path in (("history", first), ("other", second))
                }
                detail = "histories that end alike have different traces: without an end no window holds them"
                return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=verdict.certificates)
    return Verdict(Status.UNDECIDED, detail="the schedule has no end; no two histories of two steps tell traces apart")


def judge_stated() -> Refutation:
    """One state, two actions, μ = (½, ½), π = (1, 0), γ = ½: the window of states never changes, A(X_t) = ρ_t(γ − 1)
    does."""
    model = coin_flipper()
    taken, other = (("on", Path((0, 0), (a,)), A_of_window(0)) for a in (0, 1))
    verdict = decide_relations(model, [(taken, "=", other)])
    if verdict.status is Status.REFUTED:
        values = {
            "A(X_t) after one action": verdict.witness["left value"],
            "after the other": verdict.witness["right value"],
        }
        detail = "off-policy: the same window of states (1, 1), two values of A(X_t); the trace holds ρ"
        verdict = replace(verdict, detail=detail, witness={"μ": ["1/2", "1/2"], "π": ["1", "0"], "γ": "1/2", **values})
    return Refutation(verdict, model)


CLAIM = Claim(
    id="window_chain",
    stated=Reading(
        r"$X_t = (s_{t-L}, \ldots, s_t, s_{t+1})$ is a Markov chain with one stationary law (that of $d^\pi$), and "
        r"$A(X_t)$, $b(X_t)$ are functions of $X_t$."
    ),
    corrected=Reading(
        r"$X_t = (s_{t-L}, a_{t-L}, \ldots, s_t, a_t, s_{t+1})$ is a Markov chain on the windows that are reached, its "
        r"stationary laws are $d^\mu(s_{t-L}) \mu p \cdots \mu p$, one for each law $d^\mu$, and $A(X_t)$, $b(X_t)$ "
        r"are functions of $X_t$. On-policy the actions may be left out."
    ),
    correction=Finding.FALSE,
    judge_stated=judge_stated,
    hypotheses=(UNIQUE_LAW, FINITE_SCHEDULE),
    anchors=(
        r"Clearly $X_t$ is a Markov chain because $s_{t+2}$ only depends on $s_{t+1}$",
        r"with $d^\pi(s)$, $s\in S$ as it's diagonal elements",
    ),
    check=check,
    prove=prove,
    ablations=(
        Ablation(UNIQUE_LAW, box=TWO_CLASSES),
        Ablation(FINITE_SCHEDULE, box=ENDLESS),
        Ablation(APERIODIC, supports=periodic_models),
        Ablation(IRREDUCIBLE, supports=lambda: (absorbing_pair(),)),
        Ablation(COVERAGE, supports=uncovered_models, note="A and b are then those of the covered actions"),
    ),
    notes=("Off-policy, d^π in the definition of D must read d^μ: E_0 is the mean of the chain that is walked.",),
    rests_on=("trace_window",),
)
