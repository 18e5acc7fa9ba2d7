r"""In the norm of f, P^λ is bounded for every λ.

Note: it is what can be said for β < γ, though ETD(λ, β) projects in the norm of m.
Model: any, with λ and γ in (0, 1), β = 1/2, g a fraction just above the root, and the root where that is one; each
recurrent class on its own.
Check: κ by its relations; the form of the norms is L diag(D) Lᵀ with D ≥ 0.
Closed form: P^λ = (1 − λ) Σ_k λᵏ(γP)ᵏ⁺¹ and ‖γP‖_f ≤ g (``hallak_modulus_0``).
Proof: the triangle inequality along the series of P^λ.
"""

from fractions import Fraction

from tdcert.claims import kit, models
from tdcert.claims.hallak16.weights import ANY_CHAIN, follow_on, lam_of, least_ratio, reached, seldom_to_the_second
from tdcert.claims.kit import HALF, Model, Name, Reply, States, Verdict, free, its, norm_bound, one_state
from tdcert.theory.check.step_size_ratio import root_above


def bound_of(model: Model, states: States) -> tuple[Fraction, list[kit.Relation]]:
    """g, and the relations that say g² ≥ γ²(1 − κ)/β."""
    kappa, relations = least_ratio(model, states, HALF)
    g = models.gamma_of(model) * root_above((1 - kappa) / HALF)
    return g, [*relations, (Name(models.gamma_of(model) ** 2 * (1 - kappa) / HALF), "<=", Name(g**2))]


@kit.hypothesis("series_converges", r"$\lambda g < 1$", "our own")
def SMALL(model: Model) -> Reply:
    found = lam_of(model) * max(bound_of(model, states)[0] for states in model.behaviour_chain.recurrent_classes)
    return Reply(found < 1, f"λg = {found}")


def partial_sums(K: int) -> bool:
    """(1 − λg)(1 − λ) Σ_{k<K} λᵏgᵏ⁺¹ = (1 − λ)g(1 − (λg)ᴷ), free λ, g."""
    _, lam, g = free(l=(), g=())
    left = sum(((1 - lam) * lam**k * g ** (k + 1) for k in range(1, K)), start=(1 - lam) * g) * (1 - lam * g)
    return bool(left == (1 - lam) * g * (1 - (lam * g) ** K))


def bounded(model: Model, norm: kit.Expression, part: Fraction = Fraction(1)) -> Verdict:
    """‖P^λv‖ ≤ part·(1 − λ)g/(1 − λg)·‖v‖ in the norm of these weights."""
    lam = lam_of(model)

    def decide(states: States) -> Verdict:
        g, relations = bound_of(model, states)
        least = kit.decide_relations(model, relations, states=states)
        if lam * g >= 1:
            return kit.refuted("the series of the bound has no sum", {"λg": str(lam * g)}, by=least.certificates)
        gap = norm_bound(reached(lam, models.gamma_of(model)), norm, Name((part * (1 - lam) * g / (1 - lam * g)) ** 2))
        return kit.together((least, kit.decide_definite(model, gap, states, "the form of the norms", strict=False)), "")

    return kit.on_each_class(decide, model, "κ, and the form of the norms")


def in_the_norm_of_the_law() -> kit.Refutation:
    """θ→2θ, λ = β = ½, γ = 9/10: κ = ⅓, g near 1.04, a bound near 1.08, and ‖P^λv‖_d = (9√2/11)‖v‖_d at v = (0, 1)."""
    return kit.on(seldom_to_the_second(HALF), bounded, its.d)


def one_per_cent_less() -> kit.Refutation:
    """One state, γ = λ = ½: g = ½, and the bound is ⅓, as is the norm."""
    return kit.Refutation(bounded(one_state(HALF), follow_on(HALF), Fraction(99, 100)), one_state(HALF))


def seldom() -> Model:
    """θ→2θ, to the second with 1/10, λ = 9/10: κ = 1/11, and λγ√(20/11) = 1.09."""
    return seldom_to_the_second(Fraction(1, 10)).with_schedule(kit.Schedule.constant(Fraction(9, 10)))


CLAIM = kit.Claim(
    id="hallak_corrected",
    stated=kit.Reading(
        r"$\|P^\lambda v\|_f \leq (1 - \lambda) g / (1 - \lambda g)\, \|v\|_f$ for every $g \geq \gamma \sqrt{(1 - "
        r"\kappa)/\beta}$ with $\lambda g < 1$."
    ),
    check=lambda model: bounded(model, follow_on(HALF)),
    prove=lambda: kit.proved(
        "(1 − λ) Σ_{k<K} λᵏgᵏ⁺¹ = (1 − λ)g(1 − (λg)ᴷ)/(1 − λg), K = 1 … 5; ‖γP‖_f ≤ g by hallak_modulus_0",
        kit.shown(partial_sums, at=range(1, 6)),
    ),
    variant=kit.FalseVariant("So it is in the norm of d.", in_the_norm_of_the_law),
    constants=(kit.NumericConstant("the 1 before (1 − λ)g/(1 − λg)", one_per_cent_less),),
    ablations=(kit.Ablation(SMALL, counterexample=seldom), *ANY_CHAIN),
    rests_on=("hallak_modulus_0",),
)
