r"""On two states emphatic TD(0) contracts in the mean, and differences grow on almost every path, at three steps.

Note: the chain is our own; the exponent of ∏(1 + αA_t) is positive.
Model: θ→2θ, γ = 9/10, with any behaviour policy.
Check: A = −73/25 from the emphasis; a bound of the exponent from restarts of the trace.
Closed form: a move to the second state is the k-th of a run with probability (9/10)10⁻ᵏ⁻¹, k ≥ 0, and multiplies by 1 +
10αF_kc_k, F_0 = 1, F_{k+1} = 1 + 9F_k, c_0 = 4/5, else c_k = −2/5; every other move by one.
Proof: the exponent is the mean of the logarithms (ergodic theorem), all but two of which are positive.
"""

from dataclasses import replace
from fractions import Fraction

from tdcert.algorithms import named
from tdcert.claims import kit
from tdcert.claims.emphasis import emphasis, every, mean_matrix
from tdcert.claims.kit import Model, Name, Reply, Status, Verdict, holds, its, refuted, undecided
from tdcert.theory.engine.paths import on_paths

STEPS = (Fraction(3, 10), Fraction(1, 10), Fraction(1, 100))
A: kit.Expression = mean_matrix(every(0), emphasis(every(0), its.d))


def rarely_second(often: Fraction = Fraction(1, 10)) -> Model:
    """θ→2θ, γ = 9/10, whose behaviour goes to the second state that often."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    return replace(model, behaviour=kit.RationalMatrix([[1 - often, often]] * 2), name=f"θ→2θ, μ = {often}")


@kit.hypothesis("rarely_second", r"$\theta \to 2\theta$, $\gamma = 9/10$, $\mu = (9/10, 1/10)$", "our own")
def CHAIN(model: Model) -> Reply:
    same = model.transitions == (own := rarely_second()).transitions and model.behaviour == own.behaviour
    same = same and (model.target, model.features, model.gamma) == (own.target, own.features, own.gamma)
    return Reply(same, f"the chain is {'' if same else 'not '}that of the statement")


def factor(alpha: Fraction, k: int) -> Fraction:
    """What the k-th move of a run multiplies by, in absolute value."""
    F = sum((Fraction(9) ** j for j in range(k + 1)), start=Fraction(0))
    return abs(1 + 10 * alpha * F * (Fraction(4, 5) if k == 0 else Fraction(-2, 5)))


def growing(alpha: Fraction) -> bool:
    """Every factor from k = 2 on is above one, as 4αF_2 > 2 and F grows; so are the first two together, weighted ten to
    one.
    """
    return 4 * alpha * 91 > 2 and factor(alpha, 0) ** 10 * factor(alpha, 1) > 1


def grows(model: Model, states: kit.States, steps: tuple[Fraction, ...]) -> Verdict:
    """Whether −1 < 1 + αA < 1 and the exponent is positive, at every step."""
    kept, told = [], dict[str, str]()
    for alpha in steps:
        mean = Name(1) + Name(alpha) * A
        found = kit.decide_relations(model, [(Name(-1), "<", mean), (mean, "<", Name(1))], states=states)
        if found.status is not Status.HOLDS:
            return found
        paths = on_paths(model, named("etd"), states, [Fraction(1)], alpha)
        if paths.sign.sign is None:
            return undecided(f"α = {alpha}: {paths.sign.why}")
        kept += [*found.certificates, *paths.certificates]
        told[f"α = {alpha}"] = paths.sign.in_words
        if paths.sign.sign != 1:
            return refuted(f"α = {alpha}: on almost every path differences do not grow", told, by=kept)
    return holds("the mean contracts, and differences grow on almost every path", told, by=kept)


def at_one_quarter() -> kit.Refutation:
    """μ = (3/4, 1/4), α = 1/100: the exponent is below −1/100."""
    return kit.on(rarely_second(Fraction(1, 4)), grows, (0, 1), STEPS[2:])


CLAIM = kit.Claim(
    id="p19170_sign",
    stated=kit.Reading(
        r"On $\theta \to 2\theta$ with $\gamma = 9/10$ and $\mu = (9/10, 1/10)$, ETD(0) has a mean $1 + \alpha A$ "
        r"between $-1$ and $1$ at $\alpha = 3/10, 1/10, 1/100$, and differences of two runs grow on almost every path."
    ),
    check=lambda model: kit.on_each_class(lambda states: grows(model, states, STEPS), model),
    prove=lambda: kit.proved(
        "|1 + 10αF_kc_k| > 1 for k ≥ 2, and its tenth power at k = 0 times that at k = 1 is above one, at the three α",
        kit.shown(growing, at=STEPS),
    ),
    instances=lambda: (rarely_second(),),
    variant=kit.FalseVariant("They grow with μ = (3/4, 1/4) at α = 1/100 too.", at_one_quarter),
    ablations=(kit.Ablation(CHAIN, counterexample=lambda: rarely_second(Fraction(1, 2))),),
    notes=("The statement is about one chain; its certificates are of that chain, and no proof is of others.",),
)
