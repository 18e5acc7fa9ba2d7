r"""Under the linear matrix inequality the fixed point of off-policy TD(0) has a bound.

Where: κ² = max w/d · max d/w.
Note: the 1 can be 1 − γ.
Hypotheses: the inequality; C ≻ 0; w > 0 on the class, which P does not leave. Not needed: irreducible, coverage.
Model: any, with one γ in (0, 1); each recurrent class on its own.
Check: w = Pᵀw, w ≤ xd and d ≤ yw entry by entry, and the squares of the bound with a number no smaller than √(xy).
Closed form: Φθ* − ΠV = ΠγP(Φθ* − ΠV) + γΠP(ΠV − V), ‖ΠPΦw‖ ≤ ‖Φw‖, and ‖Pv‖_D² ≤ y‖Pv‖_w² ≤ y‖v‖_w² ≤ xy‖v‖_D².
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, HALF, Fraction, Model, Name, RationalMatrix, States, Verdict, its, solution
from tdcert.claims.kolter11 import lmi
from tdcert.theory.check.step_size_ratio import root_above
from tdcert.theory.expressions.paths import column
from tdcert.theory.identities.forms_and_norms import stationary_norm_identity


def prove() -> kit.Proof:
    """The norm of P in its own law."""
    sentence = (
        "‖v‖_w² − ‖Pv‖_w² = ½ Σ w_ip_ijp_ik(v_j − v_k)², symbolic P, w, n = 1 … 4; joined by the triangle inequality"
    )
    return kit.proved(sentence, kit.shown(stationary_norm_identity, at=(1, 2, 3, 4)))


def bounded(model: Model, states: States, square: Fraction | None) -> Verdict:
    """‖Φθ* − V‖² ≤ square · ‖ΠV − V‖²; unless it is given the square is that of the statement."""
    gamma, w = models.gamma_of(model), lmi.law_of_target(model, states)
    if w is None:
        return lmi.without_law(model, states)
    law = dict(zip(states, w.column_entries(), strict=True))
    d = kit.evaluate(its.d, kit.Context(model, states)).column_entries()
    x, y = max(law[s] / d[s] for s in states), max(d[s] / law[s] for s in states)
    W = column([Fraction(law.get(s, 0)) for s in range(model.n)])
    q = 1 + gamma * root_above(x * y) / (1 - gamma)
    V = solution(its.I - Name(gamma) * its.P_pi, its.r)
    fixed, nearest = (
        solution(lmi.C - Name(gamma) * lmi.B, its.Phi.T @ its.D @ its.r),
        solution(lmi.C, its.Phi.T @ its.D @ V),
    )
    error, least = (its.Phi @ theta - V for theta in (fixed, nearest))
    relations: list[kit.Relation] = [(its.P_pi.T @ W, "=", W), (W, "<=", Name(x) * its.d), (its.d, "<=", Name(y) * W)]
    bound = Name(q**2 if square is None else square) * (least.T @ its.D @ least)
    try:
        return kit.decide_relations(model, [(error.T @ its.D @ error, "<=", bound), *relations], states=states)
    except kit.SingularMatrixError:
        flat = (
            kit.singular(model, states, X, "C or γB − C is singular", undefined="θ*")
            for X in (lmi.C, lmi.C - Name(gamma) * lmi.B)
        )
        return next(found for found in flat if found is not None)


def as_on_policy() -> kit.Refutation:
    """P = ((1/10, 9/10), the same), d = (19/20, 1/20), φ = 1, V = (0, 1), γ = ½."""
    P = RationalMatrix([[Fraction(1, 10), Fraction(9, 10)]] * 2)
    law, ones = (Fraction(19, 20), Fraction(1, 20)), RationalMatrix.column([1, 1])
    model = lmi.drawn("one feature, unequal laws", law, P, ones, HALF, RationalMatrix.column([0, 1]))
    found = bounded(model, (0, 1), Fraction(4, 3))
    return kit.explained(found, model, "one feature, φ = 1, γ = ½", "‖Φθ* − V‖²", "‖ΠV − V‖²/(1 − γ²)")


CLAIM = kit.Claim(
    id="ko_bound",
    stated=kit.Reading(
        r"If $[[C, B], [B^\top, C]] \succeq 0$ and $\gamma < 1$, then $\|\Phi\theta^* - V\|_D \leq "
        r"\frac{1 + \gamma\kappa}{1 - \gamma} \|\Pi V - V\|_D$, $\kappa$ the condition number of $D^{-1/2} "
        r"W^{1/2}$ for the law $w$ of $P$."
    ),
    sharper=kit.Reading(r"So it is with $1 - \gamma + \gamma\kappa$ for $1 + \gamma\kappa$."),
    check=lambda model: kit.on_each_class(lambda states: bounded(model, states, None), model),
    prove=prove,
    variant=kit.FalseVariant("The bound of on-policy TD(0), 1/√(1 − γ²), serves.", as_on_policy),
    constants=(kit.NumericConstant("the 1 in 1 + γκ", better=prove, note="1 − γ serves"),),
    ablations=(
        kit.Ablation(lmi.LMI, counterexample=lambda: lmi.example(lmi.OFF, lmi.LAW)),
        kit.Ablation(C_POSITIVE.at("as remembered"), box=models.ON_POLICY_BOX),
        kit.Ablation(lmi.IRREDUCIBLE_TARGET, counterexample=lmi.to_the_second),
        *models.any_chain(lmi.LMI, C_POSITIVE, lmi.IRREDUCIBLE_TARGET),
    ),
)
