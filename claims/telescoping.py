r"""The trace sum telescopes: Σ_k γᵏ c_k (γP^{k+1} − Pᵏ) = M − I.

Place: A4.1, the displayed chain of equalities that defines M.
Statement: with N = γP and S = Σ_{k=0}^L c_k Nᵏ: S(N − I) = M − I, M = Σ_n w_n Nⁿ.
Hypotheses: none; it is a polynomial identity in N, so P need not be stochastic and the discount may depend on the
transition.
Model: any.
Check: both sides on the model, exactly.
Closed form: induction over L, S = I + λ_1 N S', M = N((1 − λ_1)I + λ_1 M').
"""

from __future__ import annotations

from claims.claim import Claim, ProofError, Reading
from theory.check import identities
from theory.check.relations import decide_relations
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict

WHOLE_MATRIX_LIMIT = 60
"""Up to this many states the whole matrices are compared, above it their products with columns of the model."""


def prove() -> tuple[ScopedEvidence, ...]:
    """Induction over L on the two Horner steps, and the printed sums with one symbol P."""
    if not (identities.telescoping_base() and identities.telescoping_step()):
        raise ProofError("the induction over L fails")
    largest = 10
    for length in range(largest + 1):
        if not identities.horner_equals_printed_sums(length):
            raise ProofError(f"the printed sums differ from S and M at L = {length}")
    return (
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 2,
            "induction over L with base and step checked, for any square N: a polynomial identity in one matrix",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, largest + 1,
            f"the sums as printed in A4.1, symbolic P, γ, λ_1 … λ_L, L = 0 … {largest} (one symbol P stands for "
            "any matrix)",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """S(N − I) = M − I on the model; applied to Φ, 1 and r where the whole matrices would be large."""
    difference = ("-", "N", "I")
    if model.n <= WHOLE_MATRIX_LIMIT:
        return decide_relations(model, [(("@", "S", difference), "=", ("-", "M", "I"))])
    columns = ("ones", "r") if model.d > WHOLE_MATRIX_LIMIT else ("Phi", "ones", "r")
    relations = [(("@", "S", ("-", ("@", "N", X), X)), "=", ("-", ("@", "M", X), X)) for X in columns]
    return decide_relations(model, relations)


CLAIM = Claim(
    id="telescoping",
    stated=Reading(
        r"$\sum_{k=0}^{L} \gamma^k c_k (\gamma P^{k+1} - P^k) = M - I$ with $M = \sum_{n=1}^{L+1} w_n \gamma^n P^n$."
    ),
    hypotheses=(),
    anchors=(
        r"and thus $A = \Phi^TD(M-I)\Phi$",
        r"\left(\prod_{j=1}^{k}\gamma\lambda_j\right) (\gamma P^{k+1} - P^{k})$",
    ),
    check=check,
    prove=prove,
    asked_of_large_models=True,
)
