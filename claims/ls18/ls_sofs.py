r"""From the stationary law, features have one second moment before and after a step.

Place: §5, before Theorem 5.
Statement: E[φ_tφ_tᵀ] = E[φ'_tφ'_tᵀ] where the chain is started from its stationary law.
Hypotheses: none on the chain: any period, any number of recurrent classes.
Model: any; each recurrent class on its own.
Check: both sides over all transitions from the law.
Closed form: ΦᵀDΦ = Φᵀdiag(dP)Φ, as dP = d.
"""

from __future__ import annotations

from functools import reduce
from operator import add

from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, explained, proved, shown
from tdcert.claims.models import periodic_models, reducible_models
from tdcert.claims.verdicts import Verdict, on_each_class
from tdcert.theory.check.hypotheses import APERIODIC, IRREDUCIBLE
from tdcert.theory.expressions.notation import expected, its
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.gallery import HALF, flip_chain


def moments(n: int) -> bool:
    """E φ'² − E φ² = Σ_s ((dP)_s − d_s) φ_s², for free d, P and one feature."""
    _, P, d, phi = free(p=(n, n), d=n, f=n)
    ahead = reduce(add, (d[s] * P[s, t] * phi[t] ** 2 for s in range(n) for t in range(n)))
    now = reduce(add, (d[s] * phi[s] ** 2 for s in range(n)))
    carried = [reduce(add, (d[s] * P[s, t] for s in range(n))) for t in range(n)]
    return bool(ahead - now == reduce(add, ((carried[s] - d[s]) * phi[s] ** 2 for s in range(n))))


def prove() -> Proof:
    """The difference is a multiple of dP − d."""
    return proved("E[φ'φ'ᵀ] − E[φφᵀ] = Φᵀdiag(dP − d)Φ: symbolic d, P, Φ, n = 1 … 4", shown(moments, at=range(1, 5)))


def check(model: Model) -> Verdict:
    """Both second moments on every recurrent class."""
    return from_start(model, "d")


def from_start(model: Model, start: str | int) -> Verdict:
    """Both second moments from the law or from one state."""

    def decide(states: tuple[int, ...]) -> Verdict:
        now, ahead = (expected("mu", start, 1, its.phi(t) @ its.phi(t).T) for t in (0, 1))
        return decide_relations(model, [(ahead, "=", now)], states=states, detail="E[φφᵀ] = E[φ'φ'ᵀ]")

    return on_each_class(decide, model)


def from_one_state() -> Refutation:
    """Two states that alternate, φ = 1, 2, from the first."""
    model = flip_chain(HALF, features=((1,), (2,)))
    return explained(from_start(model, 0), model, "from the first state", "E[φ'φ'ᵀ]", "E[φφᵀ]")


CLAIM = Claim(
    id="ls_sofs",
    stated=Reading(
        r"From the stationary law $E[\phi_t\phi_t^\top] = E[\phi'_t(\phi'_t)^\top]$.",
        quote=(
            "will hold when sampling (in the underlying Markov reward process) is started from the stationary "
            "distribution"
        ),
        place="§5, before Theorem 5",
    ),
    anchors=("second order feature stationarity",),
    check=check,
    prove=prove,
    variant=FalseVariant("It holds where sampling is started from a state.", from_one_state),
    ablations=(
        Ablation(IRREDUCIBLE.at("not in the paper"), supports=reducible_models),
        Ablation(APERIODIC.at("not in the paper"), supports=periodic_models),
    ),
)
