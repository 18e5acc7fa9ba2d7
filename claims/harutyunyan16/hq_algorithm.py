r"""The updates with small steps are stable below the threshold of sweeps, and may be so at every λ.

Where: ε = ‖P_π − P_μ‖_∞.
Model: any, tabular, at 99/100 of the threshold.
Check: a Lyapunov matrix of D(R − I).
Closed form: ‖R‖_∞ < 1 makes D(R − I) diagonally dominant with a negative diagonal, whatever D > 0 is.
Proof: Gershgorin's discs of D(R − I) lie left of zero, by hq_contraction.
"""

from dataclasses import replace
from fractions import Fraction

from tdcert.claims import kit, models
from tdcert.claims.harutyunyan16 import sweep
from tdcert.claims.kit import Expression, Model, RationalMatrix, Status, Verdict, determinant, its
from tdcert.claims.parameter import decide_stable
from tdcert.theory.check.one_parameter import Values


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    R = sweep.error_matrix(model, sweep.below(model, sweep.distance(model)))
    return kit.decide_hurwitz(model, its.D @ (R - its.I), states, "D(R − I) is Hurwitz")


def mostly_stays(gamma: Fraction = Fraction(9, 10)) -> Model:
    """Two states: the behaviour goes to the other one with probability 1/10, the target always."""
    one, swaps = RationalMatrix.zeros(2, 1).identity(2), Fraction(1, 10)
    made = models.jumps("mostly stays", (swaps, 1 - swaps), (1, 0), one, gamma)
    return replace(made, behaviour=RationalMatrix([[1 - swaps, swaps], [swaps, 1 - swaps]]))


def stable_between(lower: Fraction, upper: Fraction, model: Model) -> Verdict:
    """Whether det(I − λγP_μ)·D(R − I), a polynomial in λ, is Hurwitz for these λ, where det is positive."""

    def scaled(lam: Expression) -> Expression:
        return determinant(sweep.behind(model, lam)) * (its.D @ (sweep.error_matrix(model, lam) - its.I))

    return decide_stable(model, scaled, 2, Values(lower, upper), (0, 1), "D(R − I) is Hurwitz")


def judge_stated() -> kit.Refutation:
    """μ swaps with 1/10, γ = 9/10, ε = 9/5: the threshold is 5/81; stable from there to λ = 1."""
    model = mostly_stays()
    found = stable_between(
        (1 - sweep.discount(model)) / (sweep.discount(model) * sweep.distance(model)), Fraction(1), model
    )
    told = "two states, μ swaps with 1/10, γ = 9/10: D(R − I) is Hurwitz for all λ from the threshold 5/81 to 1"
    refuting = replace(found, status=Status.REFUTED, detail=told, witness={"threshold": "5/81", "λ": "(5/81, 1)"})
    return kit.Refutation(refuting if found.status is Status.HOLDS else found, model)


def undiscounted() -> kit.Refutation:
    """At γ = 1, on that chain, D(R − I)𝟏 = 0."""
    return kit.on(mostly_stays(gamma=Fraction(1)), lambda model: stable_between(Fraction(0), Fraction(1, 2), model))


CLAIM = kit.Claim(
    id="hq_algorithm",
    stated=kit.Reading(
        r"The mean of the tabular updates, $D(R - I)$, is Hurwitz exactly where "
        r"$\lambda < \frac{1 - \gamma}{\gamma\epsilon}$."
    ),
    corrected=kit.Reading(
        r"For $\gamma < 1$, every $D > 0$ and $0 \le \lambda \le 1$ below the threshold, $D(R - I)$ is Hurwitz."
    ),
    judge_stated=judge_stated,
    check=check,
    prove=kit.proof("hq_contraction: its identities, n = 1 … 3", sweep.split_identity, at=range(1, 4)),
    variant=kit.FalseVariant("It is Hurwitz at γ = 1 too.", undiscounted),
    ablations=(
        kit.Ablation(sweep.DISCOUNTED, box=models.UNDISCOUNTED),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), box=models.TWO_CLASSES),
    ),
    rests_on=("hq_contraction",),
)
