r"""In the norm of f, P^λ is bounded for every λ.

Place: not in the paper: what can be said for β < γ, though ETD(λ, β) projects in the norm of m.
Statement: ‖P^λv‖_f ≤ γ(1 − λ)c/(1 − λγc)·‖v‖_f for every v, c = √((1 − κ)/β), if λγc < 1.
Hypotheses: λγc < 1. Not needed: an irreducible chain, coverage.
Model: any, with λ and γ in (0, 1), β = 1/2; each recurrent class on its own.
Check: the same with a rational number no larger in the place of γc: the form of the norms is semidefinite.
Closed form: P^λ = (1 − λ) Σ_k λᵏ(γP)ᵏ⁺¹ and ‖γP‖_f ≤ γc (``hallak_modulus_0``).
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.definite import decide_definite, norm_bound
from tdcert.claims.hallak16 import weights
from tdcert.claims.hallak16.weights import ANY_CHAIN, ON_MODELS, follow_on, lam_of, seldom_to_the_second
from tdcert.claims.kit import (
    Ablation,
    Claim,
    FalseVariant,
    Model,
    NumericConstant,
    Proof,
    Reading,
    Refutation,
    proved,
    shown,
)
from tdcert.claims.models import HALF, gamma_of
from tdcert.claims.verdicts import States, Status, Verdict, on_each_class, refuted, undecided
from tdcert.theory.check.hypotheses import Hypothesis, Reply
from tdcert.theory.check.step_size_ratio import root_above, root_below
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.paths import together
from tdcert.theory.expressions.relations import Expression, Relation, decide_relations
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.schedule import Schedule


def _small(model: Model) -> Reply:
    squares = [
        (lam_of(model) * gamma_of(model)) ** 2 * square(model, c)[0] for c in model.behaviour_chain.recurrent_classes
    ]
    return Reply(max(squares) < 1, f"(λγc)² = {max(squares)}")


SMALL = Hypothesis("series_converges", r"$\lambda\gamma c < 1$", "not in the paper", _small)


def square(model: Model, states: States) -> tuple[Fraction, list[Relation]]:
    """c² = (1 − κ)/β, and the relations of κ."""
    kappa, relations = weights.least_ratio(model, states, HALF)
    return (1 - kappa) / HALF, relations


def partial_sums(K: int) -> bool:
    """(1 − λg)(1 − λ) Σ_{k<K} λᵏgᵏ⁺¹ = (1 − λ)g(1 − (λg)ᴷ), free λ, g."""
    _, lam, g = free(l=(), g=())
    left = sum(((1 - lam) * lam**k * g ** (k + 1) for k in range(1, K)), start=(1 - lam) * g) * (1 - lam * g)
    return bool(left == (1 - lam) * g * (1 - (lam * g) ** K))


def prove() -> Proof:
    """The triangle inequality along the series of P^λ."""
    sentence = (
        "(1 − λ) Σ_{k<K} λᵏgᵏ⁺¹ = (1 − λ)g(1 − (λg)ᴷ)/(1 − λg), K = 1 … 5, and ‖γP‖_f ≤ g = γc by hallak_modulus_0"
    )
    return proved(sentence, shown(partial_sums, at=range(1, 6)))


def check(model: Model) -> Verdict:
    """The form of the norms, on every recurrent class."""
    return bounded(model, follow_on(HALF))


def bounded(model: Model, norm: Expression, part: Fraction = Fraction(1)) -> Verdict:
    """‖P^λv‖ ≤ part·q‖v‖ in the norm of these weights."""
    lam, gamma = lam_of(model), gamma_of(model)

    def decide(states: States) -> Verdict:
        c2, relations = square(model, states)
        g = gamma * root_below(c2)
        relations.append((Name(g**2), "<=", Name(gamma**2 * c2)))
        if lam * g >= 1:
            least = decide_relations(model, [*relations, (Name(1), "<=", Name(lam * g))], states=states)
            return refuted("the series of the bound has no sum", {"λγc": f"at least {lam * g}"}, by=least.certificates)
        found = form(states, g)
        if found.status is Status.REFUTED and g**2 < gamma**2 * c2:  # so is it for every larger number, or nobody knows
            found = form(states, gamma * root_above(c2))
            found = found if found.status is Status.REFUTED else undecided("the form lies between two roundings of c")
        return together((decide_relations(model, relations, states=states), found), "κ, and the form of the norms")

    def form(states: States, g: Fraction) -> Verdict:
        q = part * (1 - lam) * g / (1 - lam * g)
        gap = norm_bound(weights.reached(lam, gamma), norm, Name(q**2))
        return decide_definite(model, gap, states, "the form of the norms", strict=False)

    return on_each_class(decide, model)


def in_the_norm_of_the_law() -> Refutation:
    """θ→2θ, λ = β = ½, γ = 9/10: κ = ⅓, c² = 4/3, the bound is 1.08, and ‖P^λv‖_d = (9√2/11)‖v‖_d at v = (0, 1)."""
    model = seldom_to_the_second(HALF)
    return Refutation(bounded(model, its.d), model)


def one_per_cent_less() -> Refutation:
    """One state, γ = λ = ½: c = 1, and the bound is 1/3, as is the modulus."""
    return Refutation(bounded(one_state(HALF), follow_on(HALF), Fraction(99, 100)), one_state(HALF))


def seldom() -> Model:
    """θ→2θ, to the second with 1/10, λ = 9/10: κ = 1/11, c² = 20/11 and λγc = 1.09."""
    return seldom_to_the_second(Fraction(1, 10)).with_schedule(Schedule.constant(Fraction(9, 10)))


CLAIM = Claim(
    id="hallak_corrected",
    stated=Reading(
        r"$\|P^\lambda v\|_f \leq \gamma (1 - \lambda) c / (1 - \lambda \gamma c)\, \|v\|_f$ with $c = \sqrt{(1 - "
        r"\kappa)/\beta}$, where $\lambda \gamma c < 1$."
    ),
    check=check,
    prove=prove,
    variant=FalseVariant("So it is in the norm of d.", in_the_norm_of_the_law),
    constants=(NumericConstant("the 1 before γ(1 − λ)c/(1 − λγc)", one_per_cent_less),),
    ablations=(Ablation(SMALL, counterexample=seldom), *ANY_CHAIN),
    notes=(ON_MODELS,),
    rests_on=("hallak_modulus_0",),
)
