r"""Corollary 11: the bounds of Theorems 7 and 9 apply to TD(0) and TD(λ).

Where: Remark 2 normalises the features to (1 + α)φ_max² ≤ 1, and to ≤ 1 − αλ for TD(λ) (App. H), so A_max ≤ 1.
Model: any, with one λ.
Check: a column of P^m, m = n², is positive, so the chain mixes geometrically; ‖A(x)‖ ≤ 1 at every transition once
features are normalised; Ã of TD(0) and of TD(λ) is negative definite.
Closed form: ‖A(x)‖² = ‖φ‖²‖φ − αφ'‖² ≤ ((1 + α)φ_max²)²; for TD(λ) with ‖φ_k‖ ≤ φ_max/(1 − αλ) in the place of ‖φ‖.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import every, reached
from tdcert.claims.kit import HALF, Fraction, Model, Name, Relation, Verdict, decide_relations, entry_of, its, one_state
from tdcert.claims.means import MEAN
from tdcert.claims.sy19 import recursion as sy
from tdcert.claims.sy19.sy_td_lambda import mean_matrix
from tdcert.theory.identities.forms_and_norms import stationary_norm_identity


def check(model: Model) -> Verdict:
    states = model.behaviour_chain.recurrent_classes[0]
    later = (its.P_mu**model.n) ** model.n  # by Wielandt's (n − 1)² + 1 on, a column that is positive stays so
    mixing: list[Relation] = [(Name(0), "<", entry_of(later, s, states[0])) for s in range(model.n)]
    mixes = decide_relations(model, mixing, states=states)
    _, square = sy.largest(its.phi(0).T @ its.phi(0), sy.transitions(model, states), kit.Context(model, states))
    scale = 1 / ((1 + kit.largest_discount(model)) * square) if square else Fraction(1)
    forms = [MEAN, mean_matrix(reached(every(models.lambda_of(model))))]
    definite = (kit.decide_definite(model, -A, states, "−Ã is positive definite") for A in forms)
    return kit.together((mixes, bounded(model, scale), *definite), "Assumptions 1 to 3")


def bounded(model: Model, scale: Fraction) -> Verdict:
    """‖A(x)‖ ≤ 1 at every transition with features whose inner products are multiplied by ``scale``."""
    steps = sy.transitions(model, states := model.behaviour_chain.recurrent_classes[0])
    relations: list[Relation] = [(Name(scale**2) * kit.along(x, sy.norm_squared()), "<=", Name(1)) for x in steps]
    return decide_relations(model, relations, states=states)


def of_length_ten() -> Model:
    """One state, φ = 10, α = ½, c = 0: A = −50."""
    return one_state(HALF, features=(10,), reward=0)


def without_normalisation() -> kit.Refutation:
    """A = −50."""
    found = bounded(model := of_length_ten(), Fraction(1))
    return kit.explained(found, model, "one state, φ = 10, α = ½, not normalised", "‖A‖²", "1")


def facts() -> list[kit.Fact]:
    """Without Remark 2 the condition of Theorem 7 is no bound: P = 1/100, κ_1 = 62/100, τ = 1, b_max = 0."""
    A, step = entry_of(MEAN, 0, 0), Fraction(1, 20)
    relations: list[Relation] = [(Name(Fraction(1, 50)) * A, "=", Name(-1))]
    relations.append((Name(step * Fraction(63, 100)), "<=", Name(Fraction(5, 100))))
    relations.append((1 + Name(step) * A, "=", Name(Fraction(-3, 2))))
    sentence = (
        "the normalisation of Remark 2 is needed: for one state, φ = 10, α = ½, c = 0, not normalised, "
        "κ_1ετ + εγ_max ≤ 0.05 admits ε = 1/20, at which each step multiplies Θ by −3/2"
    )
    return [kit.Fact(sentence, model := of_length_ten(), decide_relations(model, relations))]


def trace_is_bounded() -> bool:
    """xp/(1 − x) + p = p/(1 − x), times 1 − x: an update keeps ‖φ_k‖ ≤ φ_max/(1 − αλ), with x = αλ, p = φ_max."""
    _, x, p = kit.free(x=(), p=())
    return bool(x * p + p * (1 - x) == p)


CLAIM = kit.Claim(
    id="sy_cor11",
    stated=kit.Reading(
        r"Assumptions 1 to 3 hold for TD(0) and TD($\lambda$), features normalised, where $\Phi$ has full rank, "
        r"$\phi_{max} < \infty$ and $c_{max} < \infty$.",
        quote=r"apply to TD(0) and TD($\lambda$) when the feature matrix $\Phi$ is full rank",
        place="§3.2, Corollary 11",
    ),
    decides="the assumptions of both theorems; that the traces of TD(λ) mix is cited",
    check=check,
    prove=lambda: kit.proved(
        "‖V‖_D² − ‖PV‖_D² is a sum of squares for dP = d, n = 1 … 4, so −θᵀÃθ ≥ (1 − κ)‖Φθ‖_D², κ = α(1 − λ)/(1 − αλ) "
        "< 1; ‖φ_k‖ ≤ αλ‖φ_{k−1}‖ + φ_max ≤ φ_max/(1 − αλ); geometric mixing of finite chains that are irreducible and "
        "aperiodic is cited",
        kit.shown(stationary_norm_identity, at=(1, 2, 3, 4)),
        kit.shown(trace_is_bounded),
    ),
    facts=facts,
    variant=kit.FalseVariant("They hold without the normalisation of Remark 2.", without_normalisation),
    ablations=(
        kit.Ablation(kit.IRREDUCIBLE.at("§3"), box=models.TWO_CLASSES),
        kit.Ablation(kit.APERIODIC.at("§3"), counterexample=kit.flip_chain),
        kit.Ablation(kit.DISCOUNTED.at("§3"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("Corollary 11"), box=models.TWO_CLASSES),
        kit.Ablation(kit.ON_POLICY.at("§3: one policy"), box=models.OFF_POLICY),
        kit.Ablation(kit.LAMBDAS.at("§3.2"), counterexample=lambda: one_state(HALF, kit.Schedule((Fraction(3),)))),
    ),
    notes=(
        "Remark 2 assumes A_max ≤ 1 throughout the paper, so nothing is missing; the “minor changes” without "
        "normalization, of which it speaks, concern the condition on ε.",
    ),
)
