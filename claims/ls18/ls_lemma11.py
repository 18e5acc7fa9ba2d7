r"""Lemma 11: the form of AᵀA for a matrix with entries of at most B.

Model: any; A is its key matrix, B its largest entry in absolute value; each recurrent class on its own.
Check: B²d²I − AᵀA = L diag(D) Lᵀ with D ≥ 0.
Closed form: ‖x‖²Σ_j a_j² − (Σ_j a_jx_j)² = Σ_{i<j} (a_ix_j − a_jx_i)² for each row a of A; Σ_ij A_ij² ≤ B²d².
Proof: Lagrange's identity for each row: xᵀAᵀAx ≤ ‖x‖² Σ A_ij² ≤ ‖x‖² B²d².
"""

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

from tdcert.claims import kit
from tdcert.claims.kit import Context, Fraction, Model, Name, RationalMatrix, Verdict, decide_relations, free, its


def dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    """xᵀy."""
    return reduce(add, (p * q for p, q in zip(x, y, strict=True)))


def row_identity(d: int) -> bool:
    """‖x‖²Σa_j² − (Σa_jx_j)² = Σ_{i<j}(a_ix_j − a_jx_i)², everything free."""
    _, a, x = free(a=d, x=d)
    pairs = [(a[i] * x[j] - a[j] * x[i]) ** 2 for i, j in combinations(range(d), 2)]
    return bool(dot(x, x) * dot(a, a) - dot(a, x) ** 2 == reduce(add, pairs, x[0] * 0))


@kit.each_class
def bounded(model: Model, states: kit.States, factor: int) -> Verdict:
    """Whether AᵀA ⪯ B² · factor · I."""
    A = kit.evaluate(its.A, Context(model, states))
    B = max(abs(entry) for row in A.rows for entry in row)
    form = Name(B * B * factor / 2) * kit.identity(model.d) - Name(Fraction(1, 2)) * (its.A.T @ its.A)
    return kit.decide_definite(model, form, states, f"AᵀA ⪯ B²·{factor}·I, B = {B}", strict=False)


def all_ones(d: int = 2) -> Model:
    """One state, φ = (1, …, 1), γ = 0: −A has only ones."""
    one = RationalMatrix([[1]])
    return Model.reward_process(one, one, Fraction(0), RationalMatrix([[1] * d]), name=f"all ones, d = {d}")


def judge_stated() -> kit.Refutation:
    """d = 2, all entries 1: xᵀAᵀAx = 4 at x = (1, 1)/√2, against B²d = 2."""
    model, one = all_ones(), Name("ones:2")
    found = decide_relations(model, [(one.T @ its.A.T @ its.A @ one, "<=", 2 * (one.T @ one))])
    return kit.explained(found, model, "all entries 1, d = 2, x = (1, 1)", "xᵀAᵀAx", "B²d‖x‖²")


def a_little_less() -> kit.Refutation:
    """d = 3, all entries 1: 9, against 9 − 1."""
    return kit.on(all_ones(3), bounded, 8)


def facts() -> Sequence[kit.Fact]:
    """B²d² is attained."""
    found = []
    for d in (2, 3, 4):
        model = all_ones(d)
        one = Name(f"ones:{d}")
        relation = (one.T @ its.A.T @ its.A @ one, "=", Name(d * d) * (one.T @ one))
        verdict = decide_relations(model, [relation], detail=f"xᵀAᵀAx = {d * d}‖x‖²")
        found.append(kit.Fact(f"B²d² is attained at d = {d}, where all entries are 1", model, verdict))
    return found


CLAIM = kit.Claim(
    id="ls_lemma11",
    stated=kit.Reading(
        r"If $B \ge \max_{ij} |A_{ij}|$, then $\max_{\|x\| \le 1} x^\top A^\top A x \le B^2 d$.",
        quote=(
            r"Let $A$ be a $d \times d$ matrix with $B \ge \max_{ij} |A_{ij}|$. It follows that "
            r"$\max_{x \in R^d : \|x\| \le 1} x^\top A^\top A x \le B^2 d$"
        ),
        place="App. C, Lemma 11",
    ),
    corrected=kit.Reading(r"If $B \ge \max_{ij} |A_{ij}|$, then $\max_{\|x\| \le 1} x^\top A^\top A x \le B^2 d^2$."),
    judge_stated=judge_stated,
    anchors=("Lemma 11",),
    check=lambda model: bounded(model, model.d**2),
    prove=lambda: kit.proved(
        "‖x‖²‖a‖² − (aᵀx)² is a sum of squares for each row a of A, symbolic a and x, d = 1 … 6; there are d² entries",
        kit.shown(row_identity, at=range(1, 7)),
    ),
    facts=facts,
    variant=kit.FalseVariant("The bound is B²(d² − 1).", a_little_less),
    notes=("The proof of Theorem 5(ii) uses the lemma twice.",),
)
