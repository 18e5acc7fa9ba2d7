r"""Lemma A4.1: correlations of the features through powers of P.

Place: A4.1.
Statement: E_0[φ(s_0)φ(s_m)ᵀ] = ΦᵀDPᵐΦ.
Hypotheses: none on the model; E_0 is the mean along the stationary chain, D its law, P its matrix (the behaviour
policy's).
Model: any; each recurrent class on its own.
Check: the mean over all paths of m steps, m = 0 … 3 as far as the paths are few; and the same between times 1 and 1 +
m.
Closed form: by the rule of total probability Σ d(s_0)p…p φ(s_0)φ(s_m)ᵀ = ΦᵀDPᵐΦ for any law d; dP = d makes it hold at
every time.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Model, Relation, Verdict, decide_relations, expected, its
from tdcert.theory.expressions.forward_views import few
from tdcert.theory.identities import algebra as identities

LONGEST_LAG = 3


def prove() -> kit.Proof:
    """The sum over all paths on symbols."""
    sizes = ((2, 0), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3))
    return kit.proved(
        "Σ over paths d(s_0)p…p φ(s_0)ψ(s_m) = φᵀDPᵐψ for free d, P, φ, ψ, (n, m) = " + ", ".join(map(str, sizes)),
        kit.shown(identities.lag_correlation_identity, at=sizes),
    )


def correlation(first: int, last: int) -> tuple[object, ...]:
    """E[φ(s_first)φ(s_last)ᵀ] over paths from the law."""
    return expected("mu", "d", last, its.phi(first) @ its.phi(last).T)


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """Every lag up to three whose paths are few, at time 0 and at time 1."""
    lags = [m for m in range(LONGEST_LAG + 1) if few(model, states, m)]
    relations: list[Relation] = []
    for m in lags:
        closed = its.Phi.T @ its.D @ its.P_mu**m @ its.Phi
        relations.append((correlation(0, m), "=", closed))
        if m + 1 in lags:
            relations.append((correlation(1, m + 1), "=", closed))
    if not lags:  # more states than the bound on paths: the lemma's step, dP = d, alone
        relations = [(its.P_mu.T @ its.d, "=", its.d)]
    return decide_relations(model, relations, states=states, detail=f"lags m = 0 … {len(lags) - 1}" if lags else "")


CLAIM = kit.Claim(
    id="lemma_a4_1",
    stated=kit.Reading(
        r"$E_0[\phi(s_0) \phi(s_m)^T] = \Phi^T D P^m \Phi$.",
        quote=r"$\mathbb{E}_{0}[\phi(s_0)\phi(s_m)^T] = \Phi^TDP^m\Phi$",
        place="A4.1, Lemma A4.1",
    ),
    anchors=(r"\label{lemma7_tsitsiklis}",),
    check=check,
    prove=prove,
)
