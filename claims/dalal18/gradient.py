"""What the statements of Dalal et al. 2018 share: A = E φ(φ − γφ')ᵀ, b = E rφ, C = E φφᵀ, and what the shipped GTD,
GTD2 and TDC do in the mean, h_i(θ, w) = v_i − Γ_iθ − W_iw (3).
"""

from dataclasses import dataclass
from itertools import product

from tdcert.algorithms import named
from tdcert.claims import kit
from tdcert.claims.kit import Expression, Model, Name, RationalMatrix, Relation, Reply, States, entry_of, singular
from tdcert.claims.means import MEAN
from tdcert.theory.engine.means import stationary

A: Expression = -MEAN
SHIPPED = {"GTD(0)": "gtd_2008", "GTD2": "gtd2", "TDC": "tdc"}
"""The paper's algorithms, by the names of the shipped ones."""


@dataclass(frozen=True)
class Field:
    """v_i (d×1), Γ_i and W_i (d×d)."""

    v: RationalMatrix
    Gamma: RationalMatrix
    W: RationalMatrix


def fields(model: Model, states: States, name: str) -> tuple[Field, Field]:
    """h_1 and h_2 of a shipped algorithm with λ = 0, from the transitions that updates see."""
    shipped = named(SHIPPED[name])
    shipped = shipped.with_options(lambdas=(), tail=()) if "tail" in shipped.options else shipped
    means, d, nothing = stationary(model, shipped, states).by_exponents, model.d, RationalMatrix.zeros
    found = [means.get(key, nothing(d * 2, d * 2 + 1)) for key in ((1, 0), (0, 1))]
    rows = [matrix.take(range(k * d, (k + 1) * d)) for k, matrix in enumerate(found)]
    parts = [[row.take(columns=range(first, last)) for first, last in ((0, d), (d, 2 * d))] for row in rows]
    last = [row.take(columns=[2 * d]) for row in rows]
    slow, fast = (Field(v, -Gamma, -W) for v, (Gamma, W) in zip(last, parts, strict=True))
    return slow, fast


def same(found: RationalMatrix, wanted: Expression) -> list[Relation]:
    """The relations that say that an expression has this value, entry by entry."""
    rows, columns = found.shape
    return [(entry_of(wanted, i, j), "=", Name(found[i, j])) for i, j in product(range(rows), range(columns))]


@kit.hypothesis("td0_matrix_nonsingular", "$A$ is nonsingular", "§5")
def A_REGULAR(model: Model) -> Reply:
    found = (singular(model, states, A, "") for states in model.behaviour_chain.recurrent_classes)
    return Reply(regular := all(one is None for one in found), f"A is {'non' if regular else ''}singular")
