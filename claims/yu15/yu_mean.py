r"""The mean matrix of ETD(λ).

Place: §2.2, (2.8) and (2.9).
Statement: in the stationary regime E[e_t ρ_t (γ_{t+1}φ_{t+1} − φ_t)ᵀ] = C = −ΦᵀM̄(I − P^λ)Φ, diag(M̄) = (I − (P^λ)ᵀ)⁻¹d.
Hypotheses: Assumption 2.1: (I − P_πΓ)⁻¹ exists, coverage. Not needed: an irreducible behaviour chain.
Model: any, with one λ and interest one; each recurrent class on its own.
Check: the mean of the shipped ETD(λ), from the transitions that updates see, against C, entry by entry.
Closed form: E[F 1{s}] = ((I − Nᵀ)⁻¹d)_s, E[M 1{s}] = λd + (1 − λ)E[F 1{s}], E[e 1{s}] = (I − λNᵀ)⁻¹ diag(E M) Φ.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from tdcert.algorithms import named
from tdcert.claims.kit import (
    Ablation,
    Claim,
    FalseVariant,
    Model,
    Proof,
    Reading,
    Refutation,
    Relation,
    explained,
    proved,
    shown,
)
from tdcert.claims.models import UNDISCOUNTED, lambda_of, reducible_models
from tdcert.claims.verdicts import States, Verdict, on_each_class
from tdcert.claims.yu15.emphasis import emphasis, mean_matrix, without_discount
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import COVERAGE, EPISODES_END, IRREDUCIBLE
from tdcert.theory.engine.means import stationary
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.expressions.notation import Name, entry_of, its
from tdcert.theory.expressions.relations import Context, Expression, decide_relations, evaluate
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.gallery import theta_to_two_theta


def seen(model: Model, states: States) -> RationalMatrix:
    """E[e_t ρ_t (γ_{t+1}φ_{t+1} − φ_t)ᵀ] (d×d), by the mean of the shipped ETD(λ), which is followed transition by
    transition: it shares nothing with C but the model.
    """
    found = stationary(model, named("etd").with_options(lam=lambda_of(model)), states).by_exponents
    mean = found.get((1,))  # of the order of α; without it nothing ever moves
    return RationalMatrix.zeros(model.d, model.d) if mean is None else mean.take(columns=range(model.d))


def both_are_one(n: int) -> bool:
    """The recursions and (2.9), for free N, λ(s), weights d(s)i(s) and one feature, n states."""
    ring, N, lam, d, phi = free(p=(n, n), l=n, d=n, f=(n, 1))
    unit = ring.matrix([[int(s == t) for t in range(n)] for s in range(n)])
    law = ring.matrix([[x] for x in d])
    before = ring.matrix([[unit[s, t] - N[s, t] * lam[t] for t in range(n)] for s in range(n)])
    Q = unit - before.solve(unit - N)
    m = (unit - Q).T.solve(law)
    left = phi.scale_rows(m).T @ (Q - unit) @ phi
    F = (unit - N).T.solve(law)
    M = ring.matrix([[lam[s] * d[s] + (1 - lam[s]) * F[s, 0]] for s in range(n)])
    e = before.T.solve(phi.scale_rows(M))  # carried on by the λ of the state that it comes to
    return bool((e.T @ (N - unit) @ phi)[0, 0] == left[0, 0])


def prove() -> Proof:
    """The linear recursions solved on symbols."""
    sentence = "E[eρ(γφ' − φ)ᵀ] = −ΦᵀM̄(I − P^λ)Φ: symbolic P_πΓ, λ(s), d(s)i(s), features, n = 1, 2"
    return proved(sentence, shown(both_are_one, at=(1, 2)))


def check(model: Model) -> Verdict:
    """What updates see, against C, on every recurrent class."""
    lam = lambda_of(model)
    return against(model, mean_matrix(lam, emphasis(lam, its.d)))


def against(model: Model, wanted: Expression) -> Verdict:
    """What updates see, entry by entry in numbers, against an expression of the target policy."""

    def decide(states: States) -> Verdict:
        try:
            evaluate(wanted, Context(model, states))
        except SingularMatrixError:
            return without_discount(states, model, "F grows without a mean", "E F")
        found, places = seen(model, states), product(range(model.d), repeat=2)
        relations: list[Relation] = [(entry_of(wanted, i, j), "=", Name(found[i, j])) for i, j in places]
        return decide_relations(model, relations, states=states, detail="E[eρ(γφ' − φ)ᵀ] = C")

    return on_each_class(decide, model)


def never_to_the_second() -> Model:
    """θ→2θ with a behaviour policy that never takes the target's action."""
    return replace(theta_to_two_theta(Fraction(9, 10)), behaviour=RationalMatrix([[1, 0], [1, 0]]), name="never to 2")


def with_the_law_as_weights() -> Refutation:
    """θ→2θ, γ = 9/10, λ = 1/2: weights of off-policy TD(λ)."""
    model = theta_to_two_theta(Fraction(9, 10))
    sides, detail = ("−ΦᵀD(I − P^λ)Φ", "E[eρ(γφ' − φ)ᵀ]"), "θ→2θ, γ = 9/10, λ = ½"
    return explained(against(model, mean_matrix(lambda_of(model), its.d)), model, detail, *sides)


CLAIM = Claim(
    id="yu_mean",
    stated=Reading(
        r"The mean matrix of ETD($\lambda$) is $C = -\Phi^\top \bar M (I - P^\lambda_{\pi,\gamma}) \Phi$ with "
        r"$\mathrm{diag}(\bar M) = d_{\pi^o,i}^\top (I - P^\lambda_{\pi,\gamma})^{-1}$.",
        quote=r"$C = -\Phi^\top \bar M (I - P^\lambda_{\pi,\gamma}) \Phi$",
        place="§2.2, (2.9)",
    ),
    anchors=("(2.8)", "(2.9)"),
    check=check,
    prove=prove,
    variant=FalseVariant("It is that with the law d in the place of M̄'s diagonal.", with_the_law_as_weights),
    ablations=(
        Ablation(EPISODES_END.at("Assumption 2.1(i)"), box=UNDISCOUNTED),
        Ablation(COVERAGE.at("Assumption 2.1(ii)"), counterexample=never_to_the_second),
        Ablation(IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=reducible_models),
    ),
    notes=("(2.9) defines C; that it is this mean is (A.9), from which Theorem 2.1 follows.",),
)
