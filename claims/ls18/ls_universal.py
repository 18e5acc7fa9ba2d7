r"""Theorem 4: every step in (0, 1) is universal for symmetric positive definite matrices.

Note: E‖ê_t‖² is at most ‖(αA)⁻¹‖²(‖e_0‖² + tα²σ_b²)/(t + 1)². App. B has the proof.
Model: any, A the mean of its independent pairs; each recurrent class on its own.
Check: ‖(I − (I − αA)ⁱ)x‖ ≤ ‖x‖ for i = 1 … 4 at α = ¼, ½, ¾, and A is nonsingular.
Closed form: (t + 1)ê_t = S_te_0 + αΣ_s S_{t−s}b_s, S_i = Σ_{k≤i}(I − αA)ᵏ = (αA)⁻¹(I − (I − αA)ⁱ⁺¹).
"""

from tdcert.claims import kit
from tdcert.claims.box import Box
from tdcert.claims.kit import Fraction, Model, Name, Reply, States, Verdict, decide_relations, free, one_state, total
from tdcert.claims.ls18.hurwitz import MEAN, mean
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite

STEPS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


@kit.hypothesis("class_spd", r"$A$ is symmetric, positive definite and $\|A\| \leq 1$", "§4, SPD")
def SPD(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        A = mean(model, states)
        below = decide_positive_semidefinite(A.identity(model.d).scaled(2) - A - A.T).positive
        if not (A == A.T and kit.is_positive_definite(A) and below):
            return Reply(False, "E A_t is not symmetric, positive definite and at most I")
    return Reply(True, "E A_t is symmetric, positive definite and at most I")


def geometric(steps: int) -> bool:
    """αa Σ_{k<i} (1 − αa)ᵏ = 1 − (1 − αa)ⁱ for a free eigenvalue a and α."""
    _, a, alpha = free(a=(), s=())
    q = 1 - alpha * a
    return bool(alpha * a * sum((q**k for k in range(1, steps)), q**0) == 1 - q**steps)


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    if (flat := kit.singular(model, states, MEAN, "Ax = 0: an error x stays")) is not None:
        return flat
    one, parts = kit.identity(model.d), []
    for alpha in STEPS:
        M = one - Name(alpha) * MEAN
        for i in range(1, 5):
            X = one - M**i
            parts.append((Name(Fraction(1, 2)) * (one - X.T @ X), f"no expansion at α = {alpha}, i = {i}"))
    each = (kit.decide_definite(model, E, states, detail, strict=False) for E, detail in parts)
    exists = decide_relations(model, [kit.regular(MEAN, model.d)], states=states)
    return kit.together((*each, exists), "I − (I − αA)ⁱ expands nothing at α = ¼, ½, ¾, i = 1 … 4")


def worst_at(t: int) -> kit.Refutation:
    """One state, A = 1 − γ = 1/(α(t + 1)), α = ½, b = 0: ê_t is above e_0/2, whatever t is."""
    model = one_state(1 - Fraction(2, t + 1))
    averaged = Name(Fraction(1, t + 1)) * total([(1 - Name(Fraction(1, 2)) * MEAN) ** s for s in range(t + 1)])
    found = decide_relations(model, [(averaged**2, "<=", Name(Fraction(1, 4)))])
    return kit.explained(
        found, model, f"α = ½, t = {t}, A = 2/(t + 1), b = 0, e_0 = 1", "E‖ê_t‖²", "a quarter of ‖e_0‖²"
    )


CLAIM = kit.Claim(
    id="ls_universal",
    stated=kit.Reading(
        r"Any $\alpha \in (0, 1)$ leads to an $O(1/t)$ decrease of $E\|\hat e_t\|^2$ on each instance with $A_t = A$ "
        r"symmetric positive definite, $\|A\| \leq 1$ and $E[b_t] = 0$.",
        quote=r"Any $\alpha \in (0, 1)$ is a universal stepsize for both SPD and SPDSN",
        place="§4, Theorem 4",
    ),
    anchors=("Theorem 4", "although any α ∈ (0, 1) leads to an asymptotic O(1/t) decrease of the error"),
    check=check,
    prove=lambda: kit.proved(
        "αa Σ_{k<i}(1 − αa)ᵏ = 1 − (1 − αa)ⁱ ∈ [0, 1] for an eigenvalue a ∈ (0, 1], symbolic a and α, i = 1 … 6; b_t "
        "independent with mean zero",
        kit.shown(geometric, at=range(1, 7)),
    ),
    instances=lambda: (one_state(Fraction(1, 2)), one_state(Fraction(99, 100))),
    variant=kit.FalseVariant("The worst case over the class vanishes: sup E‖ê_t‖² → 0.", lambda: worst_at(9)),
    ablations=(kit.Ablation(SPD, box=Box(states=1, entries=(0, 1, 2))),),
    notes=(
        "The paragraph after the theorem says what “universal” means in it, and that the worst case over the class "
        "does not vanish (the variant; ε_t(SPD) of the theorem says so too). The first lines of §4 use the word for a "
        "worst case that vanishes; the theorem is not read so, and nothing in it is wrong.",
    ),
)
