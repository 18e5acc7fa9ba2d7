r"""The follow-on trace may have an unbounded variance.

Where: F_0 > 0.
Note: with i > 0, equality is enough in both, and for γ²/q < 1 E F_t² tends to i²(1 + γ)/((1 − γ)(1 − γ²/q)).
Model: one state and any actions, with i = 1, F_0 = 1; s = E_μ[γ²ρ²].
Check: E F_{t+1}² = s E F_t² + 2γ E F_t + 1, t = 0 … 3; E F_{t+1}² ≥ E F_t² + 1 where s ≥ 1, else below its limit; F_k ≥
k + 1 in runs of an action with γρ ≥ 1; F = 1 (0 for i = 0) after one with ρ = 0.
Closed form: the recursion; runs of any length come infinitely often, and a_2 comes with probability one.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Name, Path, Verdict, along, decide_relations, expected, its

ONE_STATE = kit.Hypothesis(
    "one_state", "there is one state", "Remark A.1", lambda m: kit.Reply(m.n == 1, f"{m.n} states")
)
LIMIT = its.discount(0) ** 2 * its.rho(0) ** 2
"""γ²ρ²."""


def follow_on(steps: int) -> Expression:
    """F after so many steps, from F_0 = 1."""
    F: Expression = Name(1)
    for t in range(steps):
        F = its.discount(t) * (its.rho(t) * F) + 1
    return F


def square_identity() -> bool:
    """The square of gρF + i, and the limits of both recursions, for free g, s, i, ρF."""
    _, g, i, F, s = kit.free(g=(), i=(), f=(), s=())
    limit = i**2 * (1 + g)  # times 1/((1 − g)(1 − s)); the mean is i/(1 − g)
    return bool(
        (g * F + i) ** 2 == g**2 * F**2 + 2 * g * i * F + i**2
        and limit == s * limit + (1 - s) * (2 * g * i * i + i**2 * (1 - g))
    )


def check(model: Model) -> Verdict:
    s = kit.evaluate(expected("mu", 0, 1, LIMIT), kit.Context(model, (0,)))[0, 0]
    first, second = ([expected("mu", 0, max(t, 1), follow_on(t) ** k) for t in range(5)] for k in (1, 2))
    gamma = Name(max(model.recurrent_discounts))
    relations: list[kit.Relation] = []
    for t in range(4):
        relations.append((second[t + 1], "=", Name(s) * second[t] + 2 * gamma * first[t] + 1))
        below = (1 - gamma) * Name(1 - s) * second[t + 1]
        relations.append((second[t] + 1, "<=", second[t + 1]) if s >= 1 else (below, "<=", 1 + gamma))
    for a in range(len(model.actions)):
        if model.behaviour[0, a] == 0:
            continue
        grows = model.target[0, a] * max(model.recurrent_discounts) >= model.behaviour[0, a]
        for k in (1, 2, 3, 4):
            F = along(Path((0,) * (k + 1), (a,) * k), follow_on(k))
            relations += [(Name(k + 1), "<=", F)] if grows else []
            relations += [(F, "=", Name(1))] if model.target[0, a] == 0 else []
    found = decide_relations(model, relations, detail=f"E F_t² from its recursion, γ²E ρ² = {s}")
    return kit.in_words(found, "F_t does not follow the recursion of one state", "left", "right")


def of_remark(gamma: Fraction, q: Fraction) -> Model:
    """The example."""
    return models.one_state_two_actions(f"q = {q}", ("a_1", "a_2"), (q, 1 - q), (1, 0), (1, 1), gamma)


def two_ratios() -> Model:
    """Two states, each its own target, the behaviour goes to the second in nine of ten: ρ and F depend on the state."""
    law = [Fraction(1, 10), Fraction(9, 10)]
    return models.jumps("two ratios", law, (0, 1), kit.RationalMatrix.column([1, 1]), kit.HALF)


def at_99_percent() -> kit.Refutation:
    """γ = 9/10, q = 9/11, so γ²/q = 99/100: from 1900 the recursion stays at 1900, and all E F_t² are below."""
    model, limit = of_remark(Fraction(9, 10), Fraction(9, 11)), Name(1900)
    step = expected("mu", 0, 1, LIMIT) * limit + 2 * along(Path((0, 0), (0,)), its.discount(0)) * Name(10) + 1
    found = decide_relations(model, [(limit + 1, "<=", step)])
    return kit.explained(found, model, "γ²/q = 99/100, E F = 10, E F² = 1900", "wanted at least", "E F² a step later")


CLAIM = kit.Claim(
    id="yu_variance",
    stated=kit.Reading(
        r"One state, $\pi^o(a_1) = q$, $\pi(a_1) = 1$: $E[F_t^2] \to \infty$ if $\gamma^2/q > 1$, also with $i = 0$, "
        r"where $F_t \to 0$ a.s.; with $i > 0$, $F_t$ is a.s. unbounded if $\gamma/q > 1$.",
        quote=r"again $E[F_t^2] \to \infty$ if $\gamma^2/q > 1$",
        place="App. A, Remark A.1",
    ),
    sharper=kit.Reading(
        r"With $i > 0$: $E[F_t^2] \to \infty$ exactly if $\gamma^2/q \geq 1$, else it tends to $\frac{i^2(1 + \gamma)}"
        r"{(1 - \gamma)(1 - \gamma^2/q)}$; $F_t$ is a.s. unbounded if $\gamma/q \geq 1$."
    ),
    decides="the moments, and F in runs; that runs of each length come infinitely often is Borel and Cantelli's lemma",
    anchors=("Remark A.1",),
    check=check,
    prove=lambda: kit.proved(
        "E F_{t+1}² = (γ²/q)E F_t² + 2γi E F_t + i², symbolic, with the stated limit for γ²/q < 1; for γ²/q ≥ 1 and "
        "i > 0 it grows by i² a step at least, for i = 0 it is (γ²/q)ᵗF_0²; k times a_1 gives F ≥ (k + 1)i where "
        "γ/q ≥ 1, and such runs come infinitely often; a_2 makes F = i",
        kit.shown(square_identity),
    ),
    instances=lambda: [of_remark(Fraction(9, 10), Fraction(q, 100)) for q in (50, 81, 90, 95)],
    variant=kit.FalseVariant("With i > 0, γ²/q ≥ 99/100 is enough.", at_99_percent),
    constants=(kit.NumericConstant("the 1 in γ²/q ≥ 1", at_99_percent),),
    ablations=(kit.Ablation(ONE_STATE, counterexample=two_ratios),),
)
