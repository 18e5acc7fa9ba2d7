r"""The steps of Corollary 12.

Hypotheses: none on the model.
Model: no chain: the relations are about exponents, at κ = 1/10, 1/4, 1/2, 9/10; they are decided at one model.
Check: bounds of blocks of terms do not fall from one to the next, and the ratio does.
Closed form: Σ n^{−p} over 2^{mk} ≤ n < 2^{m(k+1)}, p = j/m, lies between (2^m − 1)2^{mk − j(k+1)} and (2^m − 1)2^{mk −
jk}.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Relation, Verdict, decide_relations, one_state
from tdcert.theory.check.polynomial_steps import block_relation, bounds_hold, ratio_relation, shift_identity

KAPPAS = (Fraction(1, 10), Fraction(1, 4), HALF, Fraction(9, 10))


def exponents(kappa: Fraction) -> tuple[Fraction, Fraction]:
    """The exponents of α and β."""
    return 1 - kappa, Fraction(2, 3) * (1 - kappa)


def relations(kappa: Fraction) -> list[Relation]:
    """Both sums are infinite, and the ratio goes to zero."""
    p, q = exponents(kappa)
    return [block_relation(p, False), block_relation(q, False), ratio_relation(p, q, "<")]


def check(model: Model) -> Verdict:
    wanted = [relation for kappa in KAPPAS for relation in relations(kappa)]
    return decide_relations(model, wanted, detail="Σα = Σβ = ∞, α/β → 0 at κ = 1/10, 1/4, 1/2, 9/10")


def square_summable() -> kit.Refutation:
    """κ = ¼: Σβ_n² = Σ 1/n."""
    relation = block_relation(2 * exponents(Fraction(1, 4))[1], True)
    found = decide_relations(model := one_state(HALF), [relation])
    return kit.explained(found, model, "κ = ¼: Σβ_n² = Σ 1/n", "the bound of a block", "that of the block before")


CLAIM = kit.Claim(
    id="da_steps",
    stated=kit.Reading(
        r"For $\alpha_n = n^{-(1-\kappa)}$, $\beta_n = n^{-(2/3)(1-\kappa)}$: $\sum\alpha_n = \sum\beta_n = \infty$ "
        r"and $\alpha_n/\beta_n \to 0$.",
        quote=r"Then for $\alpha_n = 1/n^{1-\kappa}$, $\beta_n = 1/n^{(2/3)(1-\kappa)}$",
        place="§5.1, Corollary 12",
    ),
    check=check,
    prove=lambda: kit.proved_for_all(
        "0 < 1 − κ < 1 and (2/3)(1 − κ) < 1 − κ: the bounds of blocks, seen at p = 1, 2 in 8 blocks, and t ≤ t + t_0 ≤ "
        "(1 + t_0)t",
        kit.shown(bounds_hold, at=((1, 8), (2, 8))) + kit.shown(shift_identity),
    ),
    variant=kit.FalseVariant("Σβ_n² is finite for every κ.", square_summable),
    notes=("Σβ_n² is infinite for κ ≥ ¼ and Σα_n² for κ ≥ ½, which the paper allows (Remark 2).",),
)
