r"""Theorem 5(i): for independent data with second-order feature stationarity, averaged TD(0) may take the step 1/B².

Where: A_t = φ_t(φ_t − γφ'_t)ᵀ; that the mean is positive definite suffices, as the proof in App. C shows.
Hypotheses: independent pairs from the stationary law of a chain; one γ < 1; features independent there. Not needed: B ≥
1, an irreducible or aperiodic chain.
Model: any, its pairs (φ, φ') under the behaviour policy; B² is the largest ‖φ‖² on the recurrent class.
Check: the mean over all pairs = L diag(D) Lᵀ with D > 0.
Closed form: A + Aᵀ − αAᵀA = φφᵀ − γ²φ'φ'ᵀ + (1 − α‖φ‖²)ψψᵀ with ψ = φ − γφ', in the mean at least (1 − γ²)C.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, IRREDUCIBLE, Fraction, Model, Name, Path, RationalMatrix, Verdict, along, its
from tdcert.claims.ls18.ls_lemma11 import dot


def update(t: int = 0) -> kit.Expression:
    """A_t along a path."""
    return its.phi(t) @ (its.phi(t) - its.discount(t) * its.phi(t + 1)).T


def form_identity(d: int) -> bool:
    """The closed form as forms in x, for free φ, φ', γ, α, d features."""
    _, f, g, gamma, alpha, x = kit.free(f=d, g=d, c=(), a=(), x=d)
    now, ahead, square = dot(f, x), dot(g, x), dot(f, f)
    psi = now - gamma * ahead
    return bool(2 * now * psi - alpha * square * psi**2 == now**2 - gamma**2 * ahead**2 + (1 - alpha * square) * psi**2)


@kit.each_class
def definite_at(model: Model, states: kit.States, multiple: Fraction) -> Verdict:
    """The mean form at a multiple of 1/B²."""
    largest = max(sum(x * x for x in model.features.rows[s]) for s in states)
    alpha = multiple / largest if largest else multiple
    mean = kit.expected("mu", "d", 1, update() - Name(alpha / 2) * (update().T @ update()))
    detail = f"E[A + Aᵀ − αAᵀA] is positive definite at α = {alpha}"
    return kit.decide_definite(model, mean, states, detail)


def one_percent_more() -> kit.Refutation:
    """Two states that alternate, φ = 1, −1, γ = 99/100: A = 199/100 for each pair, and 2A − (101/100)A² < 0."""
    return kit.on(kit.flip_chain(Fraction(99, 100), features=((1,), (-1,))), definite_at, Fraction(101, 100))


def three_corners() -> Model:
    """0 → 1 → 2 → 0, φ = (−1, 0), (0, −1), (½, ½), γ = 9/10, R = 0: B = 1."""
    P = RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    Phi = RationalMatrix([[-1, 0], [0, -1], [Fraction(1, 2), Fraction(1, 2)]])
    return Model.reward_process(P, RationalMatrix.zeros(3, 1), Fraction(9, 10), Phi, name="three corners")


def facts() -> list[kit.Fact]:
    """Along a path the same step diverges: one round multiplies an error by −1017/800."""
    model, one = three_corners(), kit.diagonal(Name("ones:2"))
    path = Path((0, 1, 2, 0), (0, 0, 0))
    first, second, third = (one - update(t) for t in range(3))
    around = third @ second @ first
    verdict = kit.decide_relations(
        model,
        [(along(path, around @ around), "=", Name(Fraction(-1017, 800)) * along(path, around))],
        detail="M² = −(1017/800)M for the round M = (I − A_2)(I − A_1)(I − A_0)",
    )
    sentence = (
        "independence is needed: on three states in a circle, φ = (−1, 0), (0, −1), (½, ½), γ = 9/10, B = α = 1, a "
        "round of TD(0) multiplies an error by −1017/800"
    )
    return [kit.Fact(sentence, model, verdict)]


CLAIM = kit.Claim(
    id="ls_td_step",
    stated=kit.Reading(
        r"For independent $(\phi_t, \phi'_t)$ with $E[\phi_t\phi_t^\top] = E[\phi'_t(\phi'_t)^\top]$ and "
        r"$\|\phi_t\| \le B$, averaged TD(0) with the step $1/B^2$ has a mean squared error of $O(1/t)$ on each "
        r"instance, as $E[A_t + A_t^\top - \alpha A_t^\top A_t]$ is positive definite.",
        quote=r"CATD(0) has a universal stepsize of $\alpha_{td} = \frac{1}{B^2}$ for the class SOFS(B)",
        place="§5, Theorem 5(i)",
    ),
    anchors=("Theorem 5", "It is sufficient to show in all three cases that ρ_s(α, P_A) > 0"),
    decides="E[A + Aᵀ − αAᵀA] is positive definite",
    check=lambda model: definite_at(model, Fraction(1)),
    prove=lambda: kit.proved(
        "A + Aᵀ − αAᵀA = φφᵀ − γ²φ'φ'ᵀ + (1 − α‖φ‖²)ψψᵀ as forms, symbolic φ, φ', γ, α, d = 1 … 4: with α‖φ‖² ≤ 1 and "
        "E φφᵀ = E φ'φ'ᵀ the mean is at least (1 − γ²)C",
        kit.shown(form_identity, at=range(1, 5)),
    ),
    facts=facts,
    variant=kit.FalseVariant("It holds with a step that is one percent larger.", one_percent_more),
    constants=(kit.NumericConstant("the 1 in 1/B²", one_percent_more),),
    ablations=(
        kit.Ablation(kit.DISCOUNTED.at("§2, Example 2"), box=models.UNDISCOUNTED),
        kit.Ablation(
            kit.CONSTANT_DISCOUNT.at("§2, Example 2"),
            counterexample=kit.random_walk_5,
            note="discounts of one where no episode ends",
        ),
        kit.Ablation(C_POSITIVE.at("follows from Assumption 1: A is Hurwitz"), box=models.TWO_CLASSES),
        kit.Ablation(IRREDUCIBLE.at("not in the paper"), supports=models.meeting(models.reducible_models, C_POSITIVE)),
        kit.Ablation(kit.APERIODIC.at("not in the paper"), supports=models.periodic_models),
    ),
    notes=(
        "“Universal” is defined by the worst case over a class (§4) and used instance by instance, as the paragraph "
        "after the theorem says; it is read in the second sense.",
    ),
    rests_on=("ls_sofs",),
)
