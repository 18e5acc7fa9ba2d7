r"""Tabular differential TD whose states share one sequence of steps: r̄ − ηΣv never changes, which leaves

v' = Mv + D(r − (r̄₀ − ηΣv₀)𝟏),   M(η) = D(P − I) − ηd𝟏ᵀ,   with P of the target and d of the behaviour policy.
"""

from dataclasses import replace
from itertools import product

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, RationalMatrix, Reply, free, its, part
from tdcert.theory.identities.positive import additive_compound, determinant
from tdcert.theory.model.chain import Chain


def clocked(eta: Fraction | Expression) -> Expression:
    """M(η) (n×n)."""
    return its.D @ (its.P_pi - its.I) - part(eta) * (its.d @ its.ones.T)


@kit.hypothesis("target_unichain", "the target chain has one recurrent class", "our own")
def UNICHAIN(model: Model) -> Reply:
    classes = len(Chain(model.target_kernel.P).recurrent_classes)
    return Reply(classes == 1, f"the target chain has {classes} recurrent class{'es' if classes > 1 else ''}")


def eight_states() -> Model:
    """1 … 4 → 5 → 6 → 7 → 8, which leaves for 5 with 1/30000; d ∝ (8, 8, 8, 8, 5, 4, 2, 2400), drawn everywhere."""
    weights, rare = (8, 8, 8, 8, 5, 4, 2, 2400), Fraction(1, 30000)
    law = [Fraction(w, sum(weights)) for w in weights]
    made = models.jumps(
        "eight states", law, [4, 4, 4, 4, 5, 6, 7, 7], RationalMatrix.zeros(8, 1).identity(8), Fraction(1)
    )
    last = [Fraction(0)] * 4 + [rare, Fraction(0), Fraction(0), 1 - rare]
    return replace(made, target=RationalMatrix([*made.target.rows[:7], last]))


def positive_for_every_rate(n: int) -> bool:
    """det(−M) and det(−M⁽²⁾) are sums of positive monomials in the rates w = d_iP_ij, i ≠ j, and e = ηd; and on each
    tree that leads all states to one, some monomial of each is made of its rates and e alone.
    """
    _, w, e = free(w=(n, n), e=n)
    off = [[0 if i == j else w[i, j] for j in range(n)] for i in range(n)]
    M = [[(-sum(off[i]) if i == j else off[i][j]) - e[i] for j in range(n)] for i in range(n)]
    for matrix in (M, additive_compound(M)):
        signed = determinant([[-x for x in row] for row in matrix]).numer.to_dict()
        rates = {frozenset(divmod(k, n) for k in range(n * n) if powers[k]) for powers in signed}
        trees = (tree for root in range(n) for tree in _trees(n, root))
        if min(signed.values()) <= 0 or not all(any(used <= tree for used in rates) for tree in trees):
            return False
    return True


def _trees(n: int, root: int) -> list[frozenset[tuple[int, int]]]:
    """The sets of n − 1 moves, one out of each state but the root, that lead to the root."""
    found = []
    for choice in product(range(n), repeat=n):
        ends = list(range(n))
        for _ in range(n):
            ends = [choice[s] if s != root else s for s in ends]
        moves = frozenset((s, choice[s]) for s in range(n) if s != root)
        if choice[root] == root and ends == [root] * n and all(s != t for s, t in moves):
            found.append(moves)
    return found
