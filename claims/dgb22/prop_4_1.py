r"""Proposition 4.1: the matrix A is negative definite.

Place: §4, proof in A4.1.
Statement: A = ΦᵀD(M − I)Φ satisfies xᵀAx < 0 for every x ≠ 0 (A need not be symmetric).
Hypotheses: irreducible chain, on-policy, Φ of full column rank, γ < 1, λ_j ∈ [0,1]. Assumption 2 also asks for an
aperiodic chain: not needed.
Model: any; each recurrent class on its own.
Check: −sym A positive definite, or sym D(I − M) positive definite with the column rank of Φ; exact either way.
Large models, in enclosures: by its `form` (theory/enclose/).
Closed form: −xᵀAx = (1 − κ)‖Φx‖²_D + Σ_n w_n γⁿ ½ Σ_ij d_i (Pⁿ)_ij (V_i − V_j)², V = Φx.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import APERIODIC, DISCOUNTED, IRREDUCIBLE, LAMBDAS, ON_POLICY, Model, Verdict, on_each_class
from tdcert.claims.verdicts import negative_definite
from tdcert.theory.forms import NEGATIVE_A
from tdcert.theory.identities import forms_and_norms


def prove() -> kit.Proof:
    """The closed form, by the suite's own A on symbols, and each lemma it composes at more sizes."""
    whole = ((2, 0), (2, 1), (2, 2), (3, 0), (3, 1))
    return kit.proved(
        "−xᵀD(M − I)x = (1 − κ)‖x‖²_D + squares, symbolic P, γ, λ, x, its law as rational functions, (n, L) = "
        + ", ".join(f"({n}, {length})" for n, length in whole),
        kit.shown(forms_and_norms.key_matrix_identity, at=whole),
    ) + kit.proved(
        "by composition: xᵀD(I − Q)x = ½ Σ d_i q_ij (x_i − x_j)² at n = 1 … 4 for Q = Pⁿ, with κ ≤ γ < 1 at L = 0 "
        "… 6; then D > 0 (irreducible) and Φx ≠ 0 (column rank) give xᵀAx < 0; no step uses aperiodicity",
        kit.shown(forms_and_norms.dirichlet_identity, forms_and_norms.powers_keep_row_sums_and_law, at=(1, 2, 3, 4)),
        kit.shown(forms_and_norms.modulus_identity, at=range(7)),
    )


def check(model: Model) -> Verdict:
    """A negative definite on every recurrent class of the behaviour chain."""
    return on_each_class(lambda states: negative_definite(model, states), model, with_law=True)


CLAIM = kit.Claim(
    id="prop_4_1",
    stated=kit.Reading(
        r"The matrix $A = \Phi^T D (M - I) \Phi$ is negative definite.",
        quote="The matrix $A$ is negative definite.",
        place="§4, Proposition 4.1",
    ),
    anchors=(r"\label{propND}", r"$A$ can be shown to be negative definite"),
    form=NEGATIVE_A,
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(
        kit.Ablation(
            IRREDUCIBLE, box=models.ON_POLICY_BOX, note="not necessary: with φ = (0, 1) on the same chain A < 0"
        ),
        kit.Ablation(ON_POLICY, box=models.OFF_POLICY),
        kit.Ablation(
            kit.FULL_COLUMN_RANK,
            box=models.ON_POLICY_BOX,
            note="full column rank is what is needed; a wide Φ of full row rank fails",
        ),
        kit.Ablation(DISCOUNTED, box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(APERIODIC, supports=models.periodic_models, note="the proof never uses it"),
    ),
    notes=("With a unique law, γ < 1 and λ in [0,1]: A is negative definite exactly if C is positive definite.",),
    rests_on=("lemma_a4_1", "telescoping", "m_contraction"),
)
