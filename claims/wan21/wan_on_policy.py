r"""On-policy one clock is stable: D(P − I) − ηd𝟏ᵀ is Hurwitz for every η > 0.

Where: M(η) = D(P − I) − ηd𝟏ᵀ.
Model: any, tabular.
Check: 𝟏ᵀD(P − I) = 0, 𝟏ᵀd = 1 and sym D(I − P) + 𝟏𝟏ᵀ ≻ 0; where one fails, an η at which M is unstable.
Closed form: 𝟏ᵀM = −η𝟏ᵀ; an eigenvector x of another eigenvalue z has 𝟏ᵀx = 0, so Mx = D(P − I)x and Re z < 0.
Proof: 𝟏 is a left eigenvector, and on what it annuls D(P − I) has a negative definite symmetric part.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import APERIODIC, ON_POLICY, Fraction, Model, Name, Status, Verdict, free, its, sum_of, together
from tdcert.claims.wan21.one_clock import clocked, eight_states
from tdcert.theory.identities.forms_and_norms import dirichlet_identity


def left_identity(n: int) -> bool:
    """𝟏ᵀ(D(P − I) − ηd𝟏ᵀ) = dᵀP − dᵀ − η(𝟏ᵀd)𝟏ᵀ for a free P and d."""
    ring, P, d, eta = free(p=(n, n), d=(n, 1), e=())
    ones = ring.matrix([[1]] * n)
    M = (P - P.identity(n)).scale_rows(d) - (d @ ones.T).scaled(eta)
    return bool((ones.T @ M - d.T @ P + d.T + ones.T.scaled(eta * (ones.T @ d)[0, 0])).is_zero())


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    flow = its.D @ (its.P_pi - its.I)
    law = [(flow.T @ its.ones, "=", Name(0) * its.ones), (sum_of(its.d), "=", Name(1))]
    balanced = kit.decide_relations(model, law, states=states)
    definite = kit.decide_definite(model, its.ones @ its.ones.T - flow, states, "sym D(I − P) + 𝟏𝟏ᵀ ≻ 0")
    if balanced.status is definite.status is Status.HOLDS:
        told = "𝟏ᵀM = −η𝟏ᵀ, and sym D(I − P) ≻ 0 beside 𝟏: Hurwitz for every η > 0"
        return together((balanced, definite), told)
    if balanced.status is Status.HOLDS:
        return definite
    found = kit.decide_hurwitz(model, clocked(Fraction(1, 1000)), states, "M is Hurwitz at η = 1/1000")
    return found if found.status is Status.REFUTED else kit.undecided("off-policy; M is Hurwitz at η = 1/1000")


CLAIM = kit.Claim(
    id="wan_on_policy",
    stated=kit.Reading(
        r"On-policy, on an irreducible chain, $D(P - I) - \eta d 1^\top$ is Hurwitz for every $\eta > 0$."
    ),
    check=check,
    prove=lambda: kit.proved(
        "𝟏ᵀM = dᵀP − dᵀ − η(𝟏ᵀd)𝟏ᵀ, and xᵀD(I − P)x in squares (x_i − x_j)²: symbolic P, d, η, x, n = 1 … 3",
        kit.shown(left_identity, dirichlet_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("It is so off-policy.", lambda: kit.Refutation(check(eight_states()), eight_states())),
    ablations=(
        kit.Ablation(ON_POLICY.at("our own"), counterexample=eight_states),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(APERIODIC.at("our own"), supports=models.periodic_models),
    ),
)
