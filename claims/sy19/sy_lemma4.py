r"""Lemma 4: the second-order term of the drift.

Note: App. B has the proof.
Hypotheses: Assumption 2. Not needed: Ā is Hurwitz; any symmetric P ≥ 0 will do.
Model: any, TD(0) divided by ⌈A_max⌉ as in Remark 2, Θ_k = (1, −2, 3, …); P solves (5), or is I where (5) has no P > 0
or d > 3.
Check: at every transition, with a number below γ_max on the larger side; ε² cancels.
Closed form: xᵀPx ≤ γ_max‖x‖², and 2‖u‖² + 2‖v‖² − ‖u + v‖² = ‖u − v‖².
Proof: the triangle inequality, the bounds of A(x) and P, and the parallelogram law.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Context, Fraction, Model, Name, Relation, Verdict, along, evaluate, free, its, one_state
from tdcert.claims.means import MEAN
from tdcert.claims.sy19 import recursion as sy


def parallelogram() -> bool:
    """The closed form, entry by entry."""
    _, u, v = free(u=(), v=())
    return bool(2 * u**2 + 2 * v**2 - (u + v) ** 2 == (u - v) ** 2)


def bounded(model: Model, factor: Fraction) -> Verdict:
    """At every transition with this factor in the place of 2."""
    context, steps = (
        Context(model, model.behaviour_chain.recurrent_classes[0]),
        sy.transitions(model, (*range(model.n),)),
    )
    P = sy.lyapunov(evaluate(MEAN, context)) if model.d <= sy.FEATURES else None
    P = P if P is not None and kit.is_positive_definite(P) else kit.RationalMatrix([[1]]).identity(model.d)
    s = Name(sy.normalizer(model, context))
    b = s * sy.REWARDED
    most, _ = sy.largest(b.T @ b, steps, context)
    error = its.reward(0) + its.discount(0) * (its.phi(1).T @ its.theta) - its.phi(0).T @ its.theta
    bound = Name(factor * sy.below_eigenvalue(P)) * (its.theta.T @ its.theta + along(most, b.T @ b))
    moved = (s * error) ** 2 * sy.form(P, its.phi(0))
    relations: list[Relation] = [(along(step, moved), "<=", bound) for step in steps]
    return kit.decide_relations(model, relations, theta=kit.some_theta(model.d), detail=f"{len(steps)} transitions")


def one_percent_less() -> kit.Refutation:
    """One state, φ = 1, γ = 0, R = −1, Θ = 1: A = −1, P = ½, and 4P = 2·γ_max·(1 + 1)."""
    model = one_state(0, reward=-1)
    found = bounded(model, Fraction(198, 100))
    return kit.explained(found, model, "A = b = −1, Θ = 1, P = ½", "ΔΘᵀPΔΘ/ε²", "1.98γ_max(‖Θ‖² + b²)")


CLAIM = kit.Claim(
    id="sy_lemma4",
    stated=kit.Reading(
        r"$|(\Theta_{k+1} - \Theta_k)^\top P (\Theta_{k+1} - \Theta_k)| \le 2\epsilon^2\gamma_{max}(\|\Theta_k\|^2 + "
        r"b_{max}^2)$.",
        quote=r"$\le 2\epsilon^2\gamma_{max} \|\Theta_k\|^2 + 2\epsilon^2\gamma_{max} b_{max}^2$",
        place="§2.2, Lemma 4",
    ),
    check=lambda model: bounded(model, Fraction(2)),
    prove=lambda: kit.proved_for_all(
        "2‖u‖² + 2‖v‖² − ‖u + v‖² = ‖u − v‖², u = A(X_k)Θ_k, v = b(X_k), P ≤ γ_max I", kit.shown(parallelogram)
    ),
    variant=kit.FalseVariant("It holds with a factor that is one percent smaller.", one_percent_less),
    constants=(kit.NumericConstant("the 2 in 2ε²γ_max", one_percent_less),),
    ablations=(kit.Ablation(sy.HURWITZ, supports=lambda: [kit.theta_to_two_theta(Fraction(9, 10))]),),
)
