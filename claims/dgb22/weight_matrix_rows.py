r"""Λ is lower triangular and row-stochastic.

Place: §2, the display of Λ built from a λ-schedule.
Statement: Λ_ij = c_{j−1}(1 − λ_j) for j < i, Λ_ii = c_{i−1}, zero above; every entry lies in [0,1], every row sums
to one, Λ_11 = 1.
Hypotheses: λ_j ∈ [0,1].
Model: only its schedule matters.
Check: the matrix itself, exact, L + 2 rows.
Closed form: row i + 1 is row i with its last entry c_{i−1} split into c_{i−1}(1 − λ_i) and c_{i−1}λ_i.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import LAMBDAS, Model, Verdict, decide_relations, entry_of, its
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.model.schedule import weight_matrix

SHAPE_LIMIT = 30
"""Up to this many rows the zeros above the diagonal are listed one by one in the certificate."""


def prove() -> kit.Proof:
    """Induction over the rows, and the suite's own Λ on symbolic λ's."""
    ring = SymbolicRing("c", "l")
    c, lam = ring.symbols
    # Row i + 1 has the entries of row i, but c in place of its last entry becomes c(1 − λ) and cλ.
    step = c * (1 - lam) + c * lam == c
    # Entries stay in [0,1]: with 0 ≤ c, λ ≤ 1 each difference is a sum of products of non-negative numbers.
    bounds = 1 - c * lam == (1 - c) + c * (1 - lam) and 1 - c * (1 - lam) == (1 - c) + c * lam
    kit.require(step and bounds, "the induction step of the row sums fails")
    largest = 8
    for length in range(largest + 1):
        symbolic = SymbolicRing(*(f"l{j}" for j in range(1, length + 1)))
        rows = [[symbolic.element(entry) for entry in row] for row in weight_matrix(symbolic.symbols, length + 1)]
        for i, row in enumerate(rows):
            ends = sum(row, start=symbolic.element(0)) == 1 and all(entry == 0 for entry in row[i + 1 :])
            kit.require(ends, f"row {i + 1} of Λ fails at L = {length}")
            inherited = i == 0 or row[: i - 1] == rows[i - 1][: i - 1]
            split = i == 0 or row[i - 1] + row[i] == rows[i - 1][i - 1]
            message = f"row {i + 1} of Λ is not row {i} with its last entry split, at L = {length}"
            kit.require(inherited and split, message)
    return kit.proved_for_all(
        "induction over the rows: base Λ_11 = 1; step c = c(1 − λ) + cλ, entries in [0,1] by 1 − cλ = (1 − c) "
        "+ c(1 − λ)",
        1,
    ) + kit.proved(f"the computed Λ obeys that induction for symbolic λ's, L = 0 … {largest}", largest + 1)


def check(model: Model) -> Verdict:
    """L + 2 rows of Λ of the model's schedule (eight of a schedule without end): row sums, signs, shape, Λ_11."""
    size = 8 if model.schedule.length is None else model.schedule.length + 2
    Lambda, ones = its.Lambda(size), its.at("ones", size)
    above = [(entry_of(Lambda, i, j), "=", "0") for i in range(size) for j in range(i + 1, size)]
    relations = [
        (Lambda @ ones, "=", ones),
        (0 * Lambda, "<=", Lambda),
        (Lambda, "<=", ones @ ones.T),
        (entry_of(Lambda, 0), "=", "1"),
        *(above if size <= SHAPE_LIMIT else []),
    ]
    return decide_relations(model, relations, detail=f"{size} rows of Λ: entries in [0,1], each row sums to one")


CLAIM = kit.Claim(
    id="weight_matrix_rows",
    stated=kit.Reading(
        r"$\Lambda$ built from a $\lambda$-schedule is lower triangular with $\Lambda_{11} = 1$, entries in $[0,1]$, "
        "and rows that sum to one.",
        quote=r"each $\Lambda_{ij} \in [0,1]$ and weights in each row sum to one",
        place="§2, before the matrix Λ",
    ),
    anchors=(
        r"weights in each row sum to one",
        r"(1-\lambda_{1}) & \lambda_{1}(1-\lambda_{2}) & \lambda_{1}\lambda_{2}",
    ),
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),),
)
