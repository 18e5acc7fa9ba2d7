r"""How small β must be for the follow-on trace to have a variance.

Where: K is that of the class.
Hypotheses: no discount is zero, which would end the trace. Not needed: irreducible, coverage (of actions taken).
Model: any, β = 1/2 and 4/5; each recurrent class on its own.
Check: the memory of the shipped ETD(0, β), moment by moment, has second moments, and y > 0 has β²Ky = y − 1; or it has
none, and x ≥ 0, x ≠ 0, has β²Kx ≥ x.
Closed form: E[F'²1{s'}] = (β²Kᵀw + 2βNᵀu + d)_s' for w = E[F²1{s}], u = E[F1{s}], N = Σ_a πP_a.
Proof: the recursion of second moments, whose input d is positive on the class: it is bounded exactly if β²ρ(K) < 1.
"""

from tdcert.algorithms import named
from tdcert.claims import kit
from tdcert.claims.box import Box
from tdcert.claims.hallak16.weights import ANY_CHAIN, BETAS, ENDLESS, seldom_to_the_second
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, RationalMatrix, Verdict, free, its, refuted
from tdcert.theory.check.trace_law import growing_vector, radius_below_one
from tdcert.theory.engine.means import stationary
from tdcert.theory.expressions.paths import column


def moment_identity() -> bool:
    """Σ_a μ_a (β(π_a/μ_a)F + 1)² = β²F² Σ_a π_a²/μ_a + 2βF + 1, two actions with free probabilities."""
    _, mu, pi, beta, F = free(m=(), p=(), b=(), f=())
    mus, pis = (mu, 1 - mu), (pi, 1 - pi)
    left = sum((m * (beta * p / m * F + 1) ** 2 for m, p in zip(mus, pis, strict=True)), start=0 * F)
    second = sum((p * p / m for m, p in zip(mus, pis, strict=True)), start=0 * F)
    return bool(left == beta**2 * F**2 * second + 2 * beta * F + 1)


def finite_where(model: Model, beta: Fraction, factor: Fraction) -> Verdict:
    """Whether the trace has second moments exactly if factor · ρ(K) < 1."""

    def decide(states: kit.States) -> Verdict:
        context = kit.Context(model, states)
        rows = [kit.evaluate(carried(s, its.state(1).T), context).rows[0] for s in states]
        K = RationalMatrix(rows).take(columns=states).scaled(factor)
        has_moments = stationary(model, named("etd_beta").with_options(decay=beta), states).memory.has_second_moments
        below = radius_below_one(K)
        ones = RationalMatrix.column([1] * len(states))
        x = (K.identity(len(states)) - K).solve(ones) if below else growing_vector(K)
        if has_moments is None or x is None:
            return kit.undecided("whether the second moments are finite was not found out")
        place = dict(zip(states, x.column_entries(), strict=True))
        X = column([Fraction(place.get(s, 0)) for s in range(model.n)])
        relations: list[kit.Relation] = []
        for s in states:
            image = Name(factor) * carried(s, its.state(1).T @ X)
            relations.append((image, "=", Name(place[s] - 1)) if below else (Name(place[s]), "<=", image))
        facts = kit.decide_relations(model, relations, states=states)
        if below is not has_moments:
            told = "finite" if has_moments else "infinite"
            return refuted(f"the second moment is {told}", {"x": x.to_strings(), "E F²": told}, by=facts.certificates)
        return facts

    return kit.on_each_class(decide, model, f"both say so at β = {beta}")


def carried(s: int, value: Expression) -> Expression:
    """E_μ[ρ² · value | s], which is (Kx)_s for the value x(s')."""
    return kit.expected("mu", s, 1, (its.rho(0) * its.rho(0)) * value)


def with_the_first_power() -> kit.Refutation:
    """θ→2θ, μ(big) = ½, β = ½: ρ(K) = 2, so that βρ(K) = 1 while β²ρ(K) = ½."""
    return kit.on(seldom_to_the_second(HALF), finite_where, HALF, HALF)


CLAIM = kit.Claim(
    id="hallak_variance",
    stated=kit.Reading(
        r"The follow-on trace has a second moment exactly if $\beta^2 \rho(K) < 1$, $K = \sum_a (\pi^2/\mu) P_a$: with "
        r"every $\beta$ below one at which it has."
    ),
    check=lambda model: kit.together((finite_where(model, beta, beta**2) for beta in BETAS), ""),
    prove=kit.proof("E(βρF + 1)² = β²F² Σ π²/μ + 2βF + 1: symbolic μ, π, β, F, two actions", moment_identity),
    variant=kit.FalseVariant("It has exactly if βρ(K) < 1.", with_the_first_power),
    ablations=(kit.Ablation(ENDLESS, box=Box(states=1, gammas=(Fraction(0),), off_policy=True)), *ANY_CHAIN),
)
