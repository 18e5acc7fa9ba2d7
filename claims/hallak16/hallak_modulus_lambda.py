r"""A modulus for λ > 0 holds at β = γ alone.

Place: not seen; as remembered, for λ > 0.
Statement: in the norm of m, ΠP^λ contracts by √(γ²(1 + λβ)²(1 − λ)/(β(1 + γλ)²(1 − λβ))), Π the projection onto span Φ.
That is false: one state has the modulus γ(1 − λ)/(1 − γλ). At β = γ, where it reads √(γ(1 − λ)/(1 − γλ)), it holds.
Hypotheses: β = γ. Not needed: an irreducible chain, coverage.
Model: any, with λ and γ in (0, 1); each recurrent class on its own.
Check: the form of the norms of P^λ is L diag(D) Lᵀ with D ≥ 0; Π is a projection in the norm of m, so no longer.
Closed form: P^λ1 = c1 with c = γ(1 − λ)/(1 − γλ), so (P^λv)² ≤ c P^λv² by Cauchy and Schwarz, and mᵀP^λ = mᵀ − dᵀ ≤ mᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tdcert.claims.definite import decide_definite, decide_hurwitz, norm_bound, numbers
from tdcert.claims.hallak16.weights import ANY_CHAIN, ON_MODELS, emphasis, gamma_of, lam_of, reached, seen_at, weighted
from tdcert.claims.kit import Claim, Fact, FalseVariant, Model, Proof, Reading, Refutation, proved, shown
from tdcert.claims.verdicts import Status, Verdict, on_each_class
from tdcert.claims.yu15.emphasis import lagrange_identity, weights_identity
from tdcert.theory.expressions.notation import Name
from tdcert.theory.model.gallery import HALF, one_state

TENTH = Fraction(1, 10)


def prove() -> Proof:
    """Cauchy and Schwarz for each row of P^λ, and the law of m at β = γ."""
    return proved(
        "(Σa)(Σax²) − (Σax)² = Σ a_ia_j(x_i − x_j)², up to five terms: (P^λv)² ≤ c P^λv²; mᵀP^λ = mᵀ − dᵀ at β = γ: "
        "symbolic γP, λ, d, n = 1, 2",
        shown(lagrange_identity, at=range(2, 6)),
        shown(weights_identity, at=(1, 2)),
    )


def check(model: Model) -> Verdict:
    """At β = γ, on every recurrent class."""
    return contracts(model, lam_of(model), gamma_of(model), gamma_of(model))


def contracts(model: Model, lam: Fraction, gamma: Fraction, beta: Fraction, part: Fraction = Fraction(1)) -> Verdict:
    """‖P^λv‖_m² ≤ part · q²‖v‖_m² for the modulus q of this decay."""
    q2 = gamma**2 * (1 + lam * beta) ** 2 * (1 - lam) / (beta * (1 + gamma * lam) ** 2 * (1 - lam * beta))
    form = norm_bound(reached(lam, gamma), emphasis(lam, beta), Name(part * q2))
    detail = f"the form of the norms at γ = {gamma}, λ = {lam}, β = {beta}"
    return on_each_class(lambda states: decide_definite(model, form, states, detail, strict=False), model)


def judge_stated() -> Refutation:
    """One state, γ = λ = 9/10, β = ½: 9/19 against 0.4348; Π = I, as φ = 1."""
    model, high = one_state(9 * TENTH), 9 * TENTH
    return Refutation(contracts(model, high, high, HALF), model)


def one_per_cent_less() -> Refutation:
    """One state, γ = λ = 1/10 = β: c = 1/11, whose square is far below c; ½ of c² is asked."""
    model = one_state(TENTH)
    return Refutation(contracts(model, TENTH, TENTH, TENTH, Fraction(1, 22)), model)


def facts() -> Sequence[Fact]:
    """θ→2θ with μ(big) = 1/10: the modulus is below one, and the mean matrix of the algorithm is 3/22."""
    model = weighted(9 * TENTH, TENTH)
    found = decide_hurwitz(model, numbers(seen_at(model, HALF, HALF)), (0, 1), "the mean matrix")
    sentence = (
        "θ→2θ with μ(big) = 1/10, γ = 9/10, λ = β = ½: the modulus is √(1215/1512)… below 1, and the mean matrix of "
        "ETD(λ, β) is 3/22 > 0, so that it diverges."
    )
    return (Fact(sentence, model, found),)


CLAIM = Claim(
    id="hallak_modulus_lambda",
    stated=Reading(r""),
    check=check,
    prove=prove,
    variant=FalseVariant("", one_per_cent_less),
    ablations=ANY_CHAIN,
    notes=(ON_MODELS,),
)
