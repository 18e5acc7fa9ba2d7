r"""What the statements about the fixed points of off-policy TD share. D is any law, that of the behaviour of a model
(:func:`drawn` makes a model of every one), and P the matrix of the target policy; C = ΦᵀDΦ, B = ΦᵀDPΦ.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expression, Fraction, Model, RationalMatrix, Reply, States, entry_of, its
from tdcert.theory.model.chain import Chain

C: Expression = its.C
B: Expression = its.Phi.T @ its.D @ its.P_pi @ its.Phi


OFF, LAW = Fraction(1, 1000), Fraction(7515701, 10564701)
"""ε of the example, and the p at which its A is zero."""


def drawn(
    name: str, law: Sequence[Fraction], P: RationalMatrix, Phi: RationalMatrix, gamma: Fraction, V: RationalMatrix
) -> Model:
    """The behaviour draws every next state from a law, the target from its row of P; the rewards make V the value."""
    n = len(law)
    model = models.jumps(name, law, (0,) * n, Phi, gamma)
    return replace(model, target=P, rewards=(V - (P @ V).scaled(gamma),) * n)


def example(epsilon: Fraction, p: Fraction = HALF) -> Model:
    """The example as remembered, at the law (p, 1 − p)."""
    even, V = RationalMatrix([[HALF, HALF]] * 2), RationalMatrix.column([1, Fraction(21, 20)])
    Phi = RationalMatrix.column([1, Fraction(21, 20) + epsilon])
    return drawn(f"the example at ε = {epsilon}", (p, 1 - p), even, Phi, Fraction(99, 100), V)


def to_the_second() -> Model:
    """Evenly drawn states, P to the second, φ = (1, −2): C = 5/2, B = 1, ‖PΦw‖_D² = 4w², and the law of P is (0, 1)."""
    return models.jumps("to the second, φ = (1, −2)", (HALF, HALF), (1, 1), RationalMatrix.column([1, -2]), HALF)


def lmi(d: int) -> Expression:
    """E with E + Eᵀ = [[C, B], [Bᵀ, C]] (2d×2d)."""
    half = kit.Name(Fraction(1, 2)) * C
    return kit.blocks([[half, B], [0, half]], d)


@kit.hypothesis(
    "lmi",
    r"$[[\Phi^\top D\Phi, \Phi^\top DP\Phi], [\Phi^\top P^\top D\Phi, \Phi^\top D\Phi]] \succeq 0$",
    "as remembered",
)
def LMI(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        found = kit.decide_definite(model, lmi(model.d), states, "[[C, B], [Bᵀ, C]]", strict=False)
        if found.status is not kit.Status.HOLDS:
            return Reply(False, found.detail)
    return Reply(True, "[[C, B], [Bᵀ, C]] is positive semidefinite on every recurrent class")


def law_of_target(model: Model, states: States) -> RationalMatrix | None:
    """The stationary law of P on a class that it neither leaves nor falls apart in; None elsewhere."""
    P = model.target_kernel.P.take(states, states)
    if any(sum(row) != 1 for row in P.rows) or not (chain := Chain(P)).is_irreducible:
        return None
    return chain.stationary_law(tuple(range(len(states))))


def without_law(model: Model, states: States) -> kit.Verdict:
    """The refutation where P has no positive law on a class: it leaves the class from a state, or stays in a part."""
    P = model.target_kernel.P.take(states, states)
    leaving = next((s for s, row in zip(states, P.rows, strict=True) if sum(row) < 1), None)
    if leaving is not None:
        inside = kit.total([entry_of(its.P_pi, leaving, j) for j in states])
        found = kit.decide_relations(model, [(inside, "<", "1")], states=states)
    else:
        part = [states[i] for i in Chain(P).recurrent_classes[0]]
        pairs = [(s, j) for s in part for j in states if j not in part]
        found = kit.decide_relations(model, [(entry_of(its.P_pi, s, j), "=", "0") for s, j in pairs], states=states)
    return kit.refuted("P has no positive law on the class", by=found.certificates, undefined="κ")


@kit.hypothesis("irreducible_target", "$P$ is irreducible on the class", "as remembered")
def IRREDUCIBLE_TARGET(model: Model) -> Reply:
    lost = [states for states in model.behaviour_chain.recurrent_classes if law_of_target(model, states) is None]
    return Reply(not lost, "P leaves a class, or part of it" if lost else "P is irreducible on every class")
