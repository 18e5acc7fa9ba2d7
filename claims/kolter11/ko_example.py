r"""The fixed point of off-policy TD(0) can be as wrong as one likes.

Note: A has two signs and V is outside the span, so one law (p, 1 − p) has A = 0 and b ≠ 0, and beside it Φθ* is as far
away as one likes; so for every ε > 0 up to a bound, of which 1/1000 is one.
Model: any of two states with one feature; its own law is not used.
Check: 0 < p < 1, pA_1 + (1 − p)A_2 = 0 and pb_1 + (1 − p)b_2 ≠ 0 for p = A_2/(A_2 − A_1).
Closed form: (A_2 − A_1)(pb_1 + (1 − p)b_2) = −φ_1φ_2 det(I − N)(V_1φ_2 − V_2φ_1), N = P_πΓ.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, Relation, Reply, Verdict, diagonal, entry_of, its
from tdcert.claims.kolter11.lmi import OFF, example

A: Expression = diagonal(its.Phi) @ (its.N - its.I) @ its.Phi
b: Expression = diagonal(its.Phi) @ its.r


def numbers(model: Model, expression: Expression) -> tuple[Fraction, ...]:
    """The values of both states."""
    return kit.evaluate(expression, kit.Context(model, model.behaviour_chain.recurrent_classes[0])).column_entries()


OTHER = Reply(False, "not two states with one feature")


@kit.hypothesis("opposite_signs", "two states, one feature, $A_1A_2 < 0$", "as remembered")
def OPPOSITE(model: Model) -> Reply:
    if (model.n, model.d) != (2, 1):
        return OTHER
    first, second = numbers(model, A)
    return Reply(first * second < 0, f"A_1 = {first}, A_2 = {second}")


@kit.hypothesis("value_outside_span", r"$V$ is no multiple of $\phi$", "as remembered")
def OUTSIDE(model: Model) -> Reply:
    if (model.n, model.d) != (2, 1):
        return OTHER
    (v, w), (x, y) = (numbers(model, side) for side in (its.r, (its.I - its.N) @ its.Phi))
    return Reply(v * y != w * x, f"r = (I − N)V = ({v}, {w}), (I − N)φ = ({x}, {y})")


def closed_form() -> bool:
    """The closed form times A_2 − A_1, free N, φ, V."""
    _, N, phi, V = kit.free(n=(2, 2), f=(2, 1), v=(2, 1))
    M = N.identity(2) - N
    a, c = (X.scale_rows(phi) for X in (M.scaled(-1) @ phi, M @ V))
    det = M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
    span = V[0, 0] * phi[1, 0] - V[1, 0] * phi[0, 0]
    return bool(a[1, 0] * c[0, 0] - a[0, 0] * c[1, 0] == -phi[0, 0] * phi[1, 0] * det * span)


def at_law(model: Model, p: Fraction | None) -> Verdict:
    """Whether A = 0 and b ≠ 0 at (p, 1 − p); p is that where A vanishes, unless it is given."""
    first, second = numbers(model, A)
    if first == second:
        same = kit.decide_relations(model, [(entry_of(A, 0), "=", entry_of(A, 1))])
        return kit.refuted("A is the same in both states", {"A": str(first)}, by=same.certificates)
    p = second / (second - first) if p is None else p
    at_A, at_b = (Name(p) * entry_of(x, 0) + Name(1 - p) * entry_of(x, 1) for x in (A, b))
    relations: list[Relation] = [(at_A, "=", "0"), ("0", "<", Name(p)), (Name(p), "<", "1"), (at_b, "!=", "0")]
    return kit.decide_relations(model, relations, detail=f"A = 0 and b ≠ 0 at p = {p}")


def at_the_even_law() -> kit.Refutation:
    """The example: A is not zero where both states are drawn evenly."""
    model = example(OFF)
    return kit.explained(at_law(model, HALF), model, "the example, ε = 1/1000, p = ½", "A", "0")


CLAIM = kit.Claim(
    id="ko_example",
    stated=kit.Reading(
        r"On two states with $P = \frac12 \mathbf{1}\mathbf{1}^\top$, $V = (1, 1.05)$, $\phi = (1, 1.05 + \epsilon)$, "
        r"$\gamma = 0.99$ the error of off-policy TD's fixed point is unbounded over the laws $D$, however small "
        r"$\epsilon > 0$ is."
    ),
    check=lambda model: at_law(model, None),
    prove=kit.proof(
        "(A_2 − A_1)b = −φ_1φ_2 det(I − N)(V_1φ_2 − V_2φ_1) at p = A_2/(A_2 − A_1): symbolic N, φ, V", closed_form
    ),
    instances=lambda: (example(OFF), example(OFF**3)),
    variant=kit.FalseVariant("It is so at the law that draws both states evenly.", at_the_even_law),
    ablations=(
        kit.Ablation(OPPOSITE, counterexample=lambda: kit.flip_chain(HALF)),
        kit.Ablation(OUTSIDE, counterexample=lambda: example(Fraction(0))),
    ),
)
