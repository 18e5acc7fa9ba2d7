r"""From the stationary law, features have one second moment before and after a step.

Model: any; each recurrent class on its own.
Check: both sides over all transitions from the law.
Closed form: ΦᵀDΦ = Φᵀdiag(dP)Φ, as dP = d.
"""

from functools import reduce
from operator import add

from tdcert.claims import kit, models
from tdcert.claims.kit import APERIODIC, HALF, IRREDUCIBLE, Model, Verdict, expected, flip_chain, free, its


def moments(n: int) -> bool:
    """E φ'² − E φ² = Σ_s ((dP)_s − d_s) φ_s², for free d, P and one feature."""
    _, P, d, phi = free(p=(n, n), d=n, f=n)
    ahead = reduce(add, (d[s] * P[s, t] * phi[t] ** 2 for s in range(n) for t in range(n)))
    now = reduce(add, (d[s] * phi[s] ** 2 for s in range(n)))
    carried = [reduce(add, (d[s] * P[s, t] for s in range(n))) for t in range(n)]
    return bool(ahead - now == reduce(add, ((carried[s] - d[s]) * phi[s] ** 2 for s in range(n))))


@kit.each_class
def from_start(model: Model, states: kit.States, start: str | int) -> Verdict:
    """Both second moments from the law or from one state."""
    now, ahead = (expected("mu", start, 1, its.phi(t) @ its.phi(t).T) for t in (0, 1))
    return kit.decide_relations(model, [(ahead, "=", now)], states=states, detail="E[φφᵀ] = E[φ'φ'ᵀ]")


def from_one_state() -> kit.Refutation:
    """Two states that alternate, φ = 1, 2, from the first."""
    model = flip_chain(HALF, features=((1,), (2,)))
    return kit.explained(from_start(model, 0), model, "from the first state", "E[φ'φ'ᵀ]", "E[φφᵀ]")


CLAIM = kit.Claim(
    id="ls_sofs",
    stated=kit.Reading(
        r"From the stationary law $E[\phi_t\phi_t^\top] = E[\phi'_t(\phi'_t)^\top]$.",
        quote=(
            "will hold when sampling (in the underlying Markov reward process) is started from the stationary "
            "distribution"
        ),
        place="§5, before Theorem 5",
    ),
    anchors=("second order feature stationarity",),
    check=lambda model: from_start(model, "d"),
    prove=kit.proof("E[φ'φ'ᵀ] − E[φφᵀ] = Φᵀdiag(dP − d)Φ: symbolic d, P, Φ, n = 1 … 4", moments, at=range(1, 5)),
    variant=kit.FalseVariant("It holds where sampling is started from a state.", from_one_state),
    ablations=(
        kit.Ablation(IRREDUCIBLE.at("not in the paper"), supports=models.reducible_models),
        kit.Ablation(APERIODIC.at("not in the paper"), supports=models.periodic_models),
    ),
)
