r"""Schedules and weight laws correspond.

Place: abstract; §2, "the user can assign the weights to different n-step returns".
Statement: λ_1 … λ_L in [0,1] give a law w on the returns after 1 … L + 1 steps, and every such law comes from a
schedule, λ_n = 1 − w_n/(1 − Σ_{k<n} w_k). One schedule only while the tails 1 − Σ_{k<n} w_k are positive; after that λ
is free.
Hypotheses: λ_j ∈ [0,1]; a finite schedule (with λ_j = 1 for every j no n-step return has a weight).
Model: only its schedule matters.
Check: the weights are non-negative, sum to one, and give the λ's back, exact.
Closed form: 1 − Σ_{k<n} w_k = c_{n−1}.
"""

from __future__ import annotations

from claims.box import laws
from claims.claim import Ablation, Claim, ProofError, Reading
from claims.models import ENDLESS, SIGNED_LAMBDAS
from theory.arithmetic import SymbolicRing
from theory.check import identities_schedule as identities
from theory.check.hypotheses import FINITE_SCHEDULE, LAMBDAS
from theory.check.paths import decide_along, total
from theory.check.relations import Relation
from theory.model.mdp import Model
from theory.model.schedule import lambdas_from_weights, return_weights
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict

FIRST, WRITTEN = 30, 100
"""λ's that are recovered, and weights that are written out, of a longer schedule."""


def prove() -> tuple[ScopedEvidence, ...]:
    """The inverse by induction and on symbols; every small rational law there and back, exhausted tails included."""
    ring = SymbolicRing("tail", "w")
    tail, w = ring.symbols
    # If c_{n−1} = tail, then c_n = tail·λ_n = tail − w_n: so w_n = c_{n−1} − c_n, and the next tail is c_n.
    if tail * (1 - w / tail) != tail - w:
        raise ProofError("the induction step of the inverse fails")
    lengths, places, denominator = range(1, 5), range(1, 6), 5
    if not all(identities.weights_and_back(length) for length in lengths):
        raise ProofError("weights and λ's do not invert each other")
    if not identities.used_up_mass_hides_lambdas():
        raise ProofError("a λ after the mass is used up changes a weight")
    small = [law for n in places for law in laws(n, denominator)]
    if not all(tuple(return_weights(lambdas_from_weights(law))) == law for law in small):
        raise ProofError("a weight law does not come back")
    if not all(0 <= lam <= 1 for law in small for lam in lambdas_from_weights(law)):
        raise ProofError("a weight law has a λ outside [0,1]")
    return (
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 1,
            "induction over n, while the tail t is positive: t(1 − w/t) = t − w, so c_n is the tail; after λ = 0 "
            "nothing counts",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(lengths),
            "both compositions are the identity, symbolic λ's and w's, L = 1 … 4",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(small),
            f"every law on up to 5 places with denominators up to {denominator}, zeros included, comes back from its "
            f"schedule",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """0 ≤ w_n, Σ w_n = 1, and λ_n = 1 − w_n/(1 − Σ_{k<n} w_k)."""
    length = model.schedule.length
    relations: list[Relation] = []
    places = WRITTEN if length is None else min(WRITTEN, length + 1)
    if length is None:  # the sum of N weights is 1 − λ^N: it tends to one exactly if λ < 1
        relations.append(("lambda:1", "<", "1"))
    rest = [f"c:{places}"]  # the weight of all further places; zero where there are none
    relations.append((total([f"w:{n}" for n in range(1, places + 1)] + rest), "=", "1"))
    relations += [("0", "<=", number) for number in [f"w:{n}" for n in range(1, places + 1)] + rest]
    recovered = min(FIRST, places - 1)
    for n in range(1, recovered + 1):
        tail = ("-", "1", total([f"w:{k}" for k in range(1, n)])) if n > 1 else "1"
        relations.append((f"lambda:{n}", "=", ("-", "1", ("solve", tail, f"w:{n}"))))
    return decide_along(model, (), (), others=relations, detail=f"a weight law, and {recovered} λ's recovered from it")


CLAIM = Claim(
    id="schedule_weight_bijection",
    stated=Reading(
        r"Every law of weights on the $n$-step returns, $1 \leq n \leq L+1$, comes from a $\lambda$-schedule, "
        r"$\lambda_n = 1 - w_n / (1 - \sum_{k<n} w_k)$, and every $\lambda$-schedule gives such a law."
    ),
    hypotheses=(LAMBDAS, FINITE_SCHEDULE),
    anchors=(
        r"the user can specify the weights assigned to different $n$-step returns by choosing a sequence",
        r"where the user can assign the weights to different $n$-step returns",
    ),
    check=check,
    prove=prove,
    ablations=(
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
        Ablation(FINITE_SCHEDULE, box=ENDLESS, note="λ < 1 without end gives a law on 1, 2, …; λ = 1 gives none"),
    ),
    notes=("The schedule is determined by its weights until they are used up: after λ_n = 0 no further λ counts.",),
)
