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

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.box import laws
from tdcert.claims.kit import LAMBDAS, Model, Name, Relation, Status, Verdict, decide_along, its, solution, total
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.identities import return_weights as identities
from tdcert.theory.model.schedule import lambdas_from_weights, return_weights

FIRST, WRITTEN = 30, 100
"""λ's that are recovered, and weights that are written out, of a longer schedule."""


def prove() -> kit.Proof:
    """The inverse by induction and on symbols; every small rational law there and back, exhausted tails included."""
    ring = SymbolicRing("tail", "w")
    tail, w = ring.symbols
    # If c_{n−1} = tail, then c_n = tail·λ_n = tail − w_n: so w_n = c_{n−1} − c_n, and the next tail is c_n.
    kit.require(tail * (1 - w / tail) == tail - w, "the induction step of the inverse fails")
    places, denominator = range(1, 6), 5
    small = [law for n in places for law in laws(n, denominator)]
    kit.require(
        all(tuple(return_weights(lambdas_from_weights(law))) == law for law in small), "a weight law does not come back"
    )
    kit.require(
        all(0 <= lam <= 1 for law in small for lam in lambdas_from_weights(law)), "a weight law has a λ outside [0,1]"
    )
    return (
        kit.proved_for_all(
            "induction over n, while the tail t is positive: t(1 − w/t) = t − w, so c_n is the tail; after λ = 0 "
            "nothing counts",
            kit.shown(identities.used_up_mass_hides_lambdas),
        )
        + kit.proved(
            "both compositions are the identity, symbolic λ's and w's, L = 1 … 4",
            kit.shown(identities.weights_and_back, at=range(1, 5)),
        )
        + kit.proved(
            f"every law on up to 5 places with denominators up to {denominator}, zeros included, comes back from its "
            f"schedule",
            len(small),
        )
    )


def check(model: Model) -> Verdict:
    """0 ≤ w_n, Σ w_n = 1, and λ_n = 1 − w_n/(1 − Σ_{k<n} w_k)."""
    length = model.schedule.length
    relations: list[Relation] = []
    places = WRITTEN if length is None else min(WRITTEN, length + 1)
    if length is None:  # the sum of N weights is 1 − λ^N: it tends to one exactly if λ < 1
        if model.schedule.tail == 1:
            return _without_weights(model)
        relations.append((its.lambda_(1), "<", "1"))
    rest = [its.c(places)]  # the weight of all further places; zero where there are none
    relations.append((total([its.w(n) for n in range(1, places + 1)] + rest), "=", "1"))
    relations += [("0", "<=", number) for number in [its.w(n) for n in range(1, places + 1)] + rest]
    recovered = min(FIRST, places - 1)
    for n in range(1, recovered + 1):
        tail = 1 - total([its.w(k) for k in range(1, n)]) if n > 1 else Name(1)
        relations.append((its.lambda_(n), "=", 1 - solution(tail, its.w(n))))
    return decide_along(model, (), (), others=relations, detail=f"a weight law, and {recovered} λ's recovered from it")


def _without_weights(model: Model) -> Verdict:
    """λ_j = 1 for every j: w_n = c_{n−1} − c_n = 1 − 1 for every n, so the weights sum to 0."""
    ones = decide_along(model, (), (), others=[("lambda:1", "=", "1"), *((its.w(n), "=", "0") for n in (1, 2))])
    first = total([f"w:{n}" for n in range(1, WRITTEN + 1)])
    verdict = decide_along(model, (), (), others=[(first, "=", "1")])
    assert ones.status is Status.HOLDS and verdict.status is Status.REFUTED
    detail = "c_n = 1 for every n, so every w_n = c_(n−1) − c_n is 0, and the weights sum to 0, not 1"
    witness = {"λ_j": "1 for every j", f"w_1 + … + w_{WRITTEN}": verdict.witness["left value"]}
    certificates = (*verdict.certificates, *ones.certificates)
    return replace(verdict, detail=detail, witness=witness, certificates=certificates)


CLAIM = kit.Claim(
    id="schedule_weight_bijection",
    stated=kit.Reading(
        r"By choosing a $\lambda$-schedule the user can assign the weights of the $n$-step returns: every law of "
        r"weights on $1 \leq n \leq L+1$ comes from a schedule.",
        quote="the user can specify the weights assigned to different $n$-step returns by choosing a sequence",
        place="abstract",
    ),
    sharper=kit.Reading(
        r"Every schedule gives a law of weights, and every law $w$ is that of the schedule $\lambda_n = 1 - w_n / (1 - "
        r"\sum_{k<n} w_k)$, the only one while those tails are positive."
    ),
    anchors=(r"where the user can assign the weights to different $n$-step returns",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(
            FINITE_SCHEDULE, box=models.ENDLESS, note="λ < 1 without end gives a law on 1, 2, …; λ = 1 gives none"
        ),
    ),
    notes=("The schedule is determined by its weights until they are used up: after λ_n = 0 no further λ counts.",),
)
