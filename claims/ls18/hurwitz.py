r"""Whether A = E A_t is Hurwitz (eigenvalues with positive real parts), by a form W; A_t = ρ_tφ_t(φ_t − γφ'_t)ᵀ.

W ≻ 0 with WA + AᵀW ≻ 0 shows that A is Hurwitz, and U = W^{−1/2} is then symmetric, positive definite, with
U⁻¹AU + (U⁻¹AU)ᵀ = U(WA + AᵀW)U ≻ 0. For U⁻¹A_tU in the place of A_t, ρ_s(α) > 0 says WA + AᵀW − αE[A_tᵀWA_t] ≻ 0.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Name, RationalMatrix, Reply, Verdict, decide_definite, its
from tdcert.claims.ls18.ls_lemma11 import all_ones
from tdcert.claims.ls18.ls_td_step import update
from tdcert.theory.check.stability import prove_stable, prove_unstable, spectral_abscissa

WEIGHTED: Expression = its.rho(0) * update()
"""A_t along a path, with its importance-sampling ratio."""
MEAN: Expression = kit.expected("mu", "d", 1, WEIGHTED)
"""A over independent pairs from the law."""
SHEAR = RationalMatrix([[1, -10], [0, 1]])
"""The example of App. A.1: Hurwitz, and A + Aᵀ has the eigenvalues 12 and −8."""
NO_CHAIN = replace(all_ones(), name="no chain: the relations are about numbers alone")


def mostly_in_the_second() -> Model:
    """Tabular, the law (1/10, 9/10), the target goes to the first state, γ = 9/10: A = [[1/100, 0], [−81/100, 9/10]] is
    Hurwitz, and A + Aᵀ is indefinite.
    """
    law = [Fraction(1, 10), Fraction(9, 10)]
    return models.jumps("mostly in the second", law, (0, 0), RationalMatrix([[1, 0], [0, 1]]), Fraction(9, 10))


def mean(model: Model, states: kit.States) -> RationalMatrix:
    """A (d×d)."""
    return kit.evaluate(MEAN, kit.Context(model, states))


@kit.hypothesis("mean_hurwitz", r"$E[A_t]$ is Hurwitz", "§2, Assumption 1")
def HURWITZ(model: Model) -> Reply:
    ends = [spectral_abscissa(-mean(model, states), bits=8) for states in model.behaviour_chain.recurrent_classes]
    good = all(end.sign < 0 for end in ends)
    return Reply(good, f"{'every' if good else 'not every'} eigenvalue of E A_t has a positive real part")


@kit.hypothesis("mean_nonsingular", "$E[A_t]$ is nonsingular", "§2, before Assumption 1")
def NONSINGULAR(model: Model) -> Reply:
    ranks = {mean(model, states).rank for states in model.behaviour_chain.recurrent_classes}
    return Reply(ranks == {model.d}, f"E A_t has the rank {min(ranks)} of {model.d}")


def constant(model: Model, W: RationalMatrix) -> Expression:
    """A given W (d×d) as an expression: Σ k_ij φ(s_i)φ(s_j)ᵀ over d states with independent features."""
    if W.identity(model.d) == W:
        return kit.identity(model.d)
    basis, _ = model.features.T.column_basis
    T = model.features.take(rows=basis)
    K = T.T.solve(T.T.solve(W.T).T)
    phi = [kit.along(kit.Path((s,), ()), its.phi(0)) for s in basis]
    places = [(i, j) for i in range(model.d) for j in range(model.d) if K[i, j]]
    return kit.total([Name(K[i, j]) * (phi[i] @ phi[j].T) for i, j in places])


def decide_hurwitz(model: Model, states: kit.States) -> tuple[Verdict, RationalMatrix | None]:
    """Whether A of a class is Hurwitz, and a W as above if it is. Features need not be independent on the class, but
    must be on all states.
    """
    A = mean(model, states)
    if (flat := kit.singular(model, states, MEAN, "Ax = 0")) is not None:
        return flat, None
    if kit.is_positive_definite(A + A.T):
        return decide_definite(model, MEAN, states, "A + Aᵀ ≻ 0, so W = I"), A.identity(model.d)
    if (stable := prove_stable(-A)) is not None:
        W = constant(model, stable.X)
        parts = (decide_definite(model, S, states, "") for S in (Name(Fraction(1, 2)) * W, W @ MEAN))
        return kit.together(parts, f"W ≻ 0 and WA + AᵀW ≻ 0, W = {stable.X.to_strings()}"), stable.X
    if (found := prove_unstable(-A)) is None or found.vector is None:
        return kit.undecided("no form shows on which side the eigenvalues of A are"), None
    X, v = constant(model, found.X), found.vector.column_entries(0)
    places = [(i, j) for i in range(model.d) for j in range(model.d) if v[i] * v[j]]
    grown: kit.Relation = (Name(0), "<", kit.total([Name(v[i] * v[j]) * kit.entry_of(X, i, j) for i, j in places]))
    shifted = -(X @ MEAN) - Name(found.shift) * X
    kept = kit.together(
        (decide_definite(model, shifted, states, "grows"), kit.decide_relations(model, [grown], states=states)), ""
    )
    assert kept.status is kit.Status.HOLDS
    witness = {"X": found.X.to_strings(), "v": [str(x) for x in v]}
    return kit.refuted("an eigenvalue of A has a negative real part", witness, by=kept.certificates), None
