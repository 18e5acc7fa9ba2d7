r"""Lemma 3: how far the iterates go in τ steps.

Where: ‖A(x)‖ ≤ 1, ‖b(x)‖ ≤ b_max; (9) to (11).
Note: it holds with 4/3, 2 and 8 for 2, 4 and 32. App. A has the proof.
Hypotheses: Assumption 2 and ετ ≤ ¼; none on the chain.
Model: any, TD(0) divided by ⌈A_max⌉ as in Remark 2, Θ_0 = (1, −2, 3, …), τ = 3, ε = 1/12, along two paths.
Check: squares, with rational numbers below the norms on the larger sides.
Closed form: ‖Θ_k‖ + b_max ≤ (1 + ε)^k(‖Θ_0‖ + b_max), and (1 + ε)^τ(1 − ετ) ≤ 1.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Expression, Fraction, Model, Name, Path, Verdict, along, free, its, some_paths, together
from tdcert.claims.sy19 import recursion as sy

TAU, X = 3, Fraction(1, 4)
"""τ and ετ of the checks."""
SHARPER = (Fraction(4, 3), Fraction(2), Fraction(8))
"""The constants of (9), (10), (11)."""


def growth() -> bool:
    """The steps of both inductions, and what ετ = x ≤ ¼ makes of them: x/(1 − x) ≤ 4x/3, and 1 − 4x/3 ≥ 2/3."""
    _, eps, tau, n, b, g, x = free(e=(), t=(), n=(), b=(), g=(), x=())
    shrinks = (1 + eps) * (1 - (tau + 1) * eps) == 1 - tau * eps - (tau + 1) * eps**2
    carried = (1 + eps) * n + eps * b + b == (1 + eps) * (n + b) and (g - 1) + eps * g == (1 + eps) * g - 1
    return bool(shrinks and carried and 4 * x * (1 - x) - 3 * x == x * (1 - 4 * x))


def prove() -> kit.Proof:
    """Two inductions over k, and the triangle inequality."""
    return kit.proved_for_all(
        "‖Θ_τ − Θ_0‖ ≤ ((1 + ε)^τ − 1)(‖Θ_0‖ + b_max) ≤ (4/3)ετ(‖Θ_0‖ + b_max) by induction; with ‖Θ_0‖ ≤ ‖Θ_τ‖ + "
        "‖Θ_τ − Θ_0‖ it is ≤ 2ετ(‖Θ_τ‖ + b_max), whose square is ≤ 8ε²τ²(‖Θ_τ‖² + b_max²)",
        kit.shown(growth),
    )


def iterate(path: Path, s: Fraction) -> Expression:
    """Θ_τ along a path, from Θ_0 = ``its.theta``."""
    theta: Expression = its.theta
    for t in range(len(path.actions)):
        error = its.reward(t) + its.discount(t) * (its.phi(t + 1).T @ theta) - its.phi(t).T @ theta
        theta = theta + (Name(s * X / TAU) * error) * its.phi(t)
    return theta


def far(model: Model, path: Path, constants: tuple[Fraction, ...]) -> Verdict:
    """The inequalities (9), (10), (11) with these constants along a path."""
    start = kit.some_theta(model.d)
    context = kit.Context(model, model.behaviour_chain.recurrent_classes[0], theta=kit.RationalMatrix.column(start))
    s = sy.normalizer(model, context)
    b, end = Name(s) * sy.REWARDED, iterate(path, s)
    most, _ = sy.largest(b.T @ b, sy.transitions(model, tuple(range(model.n))), context)
    norms = along(most, b.T @ b), its.theta.T @ its.theta, along(path, end.T @ end)
    squares = [kit.evaluate(norm, context)[0, 0] for norm in norms]
    b_max, first, last = map(sy.below, squares)
    relations: list[kit.Relation] = [
        (Name(value**2), "<=", norm) for value, norm in zip((b_max, first, last), norms, strict=True)
    ]
    bounds = (constants[0] * X * (first + b_max)) ** 2, (constants[1] * X * (last + b_max)) ** 2
    gone = along(path, (end - its.theta).T @ (end - its.theta))
    relations += [(gone, "<=", Name(bound)) for bound in (*bounds, constants[2] * X**2 * (last**2 + b_max**2))]
    return sy.unless_rounded(kit.decide_relations(model, relations, theta=start), *squares)


def a_quarter() -> kit.Refutation:
    """One state, φ = 1, R = γ = 0: A = −1, b = 0, Θ_0 = 1, Θ_3 = (11/12)³: 1 − Θ_3 > ¼Θ_3."""
    model = kit.one_state(0, reward=0)
    found = far(model, Path((0,) * (TAU + 1), (0,) * TAU), (SHARPER[0], Fraction(1), SHARPER[2]))
    return kit.explained(found, model, "A = −1, b = 0, Θ_0 = 1, ε = 1/12, τ = 3", "‖Θ_τ − Θ_0‖²", "(ετ‖Θ_τ‖)²")


CLAIM = kit.Claim(
    id="sy_lemma3",
    stated=kit.Reading(
        r"For $\epsilon\tau \le \frac14$: $\|\Theta_\tau - \Theta_0\| \le 2\epsilon\tau(\|\Theta_0\| + b_{max})$, "
        r"$\le 4\epsilon\tau(\|\Theta_\tau\| + b_{max})$, and $\|\Theta_\tau - \Theta_0\|^2 \le "
        r"32\epsilon^2\tau^2(\|\Theta_\tau\|^2 + b_{max}^2)$.",
        quote=r"The following three inequalities hold when comparing $\Theta_0$ and $\Theta_\tau$",
        place="§2.2, Lemma 3",
    ),
    sharper=kit.Reading("They hold with $4/3$, $2$ and $8$ in the place of $2$, $4$ and $32$."),
    check=lambda model: together((far(model, path, SHARPER) for path in some_paths(model, TAU, 2)), "(9), (10), (11)"),
    prove=prove,
    variant=kit.FalseVariant("(10) holds with ετ in the place of 4ετ.", a_quarter),
    constants=tuple(
        kit.NumericConstant(f"the {printed} in {place}", better=prove, note=f"{ours} is enough")
        for printed, place, ours in ((2, "(9)", "4/3"), (4, "(10)", "2"), (32, "(11)", "8"))
    ),
    notes=("(11) has k² before ‖Θ_τ‖²; read as τ², as in the proof in App. A.",),
)
