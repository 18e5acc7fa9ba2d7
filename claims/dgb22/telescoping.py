r"""The trace sum telescopes: Σ_k γᵏ c_k (γP^{k+1} − Pᵏ) = M − I.

Place: A4.1, the displayed chain of equalities that defines M.
Statement: with N = γP and S = Σ_{k=0}^L c_k Nᵏ: S(N − I) = M − I, M = Σ_n w_n Nⁿ.
Hypotheses: none; it is a polynomial identity in N, so P need not be stochastic and the discount may depend on the
transition.
Model: any.
Check: both sides on the model, exactly.
Closed form: induction over L, S = I + λ_1 N S', M = N((1 − λ_1)I + λ_1 M').
"""

from tdcert.claims import kit
from tdcert.claims.kit import Model, Verdict, decide_relations, its
from tdcert.theory.identities import forms_and_norms

WHOLE_MATRIX_LIMIT = 60
"""Up to this many states the whole matrices are compared, above it their products with columns of the model."""


def prove() -> kit.Proof:
    """Induction over L on the two Horner steps, and the printed sums with one symbol P."""
    largest = 10
    return kit.proved_for_all(
        "induction over L with base and step checked, for any square N: a polynomial identity in one matrix",
        kit.shown(forms_and_norms.telescoping_base, forms_and_norms.telescoping_step),
    ) + kit.proved(
        f"the sums as printed in A4.1, symbolic P, γ, λ_1 … λ_L, L = 0 … {largest} (one symbol P stands for "
        "any matrix)",
        kit.shown(forms_and_norms.horner_equals_printed_sums, at=range(largest + 1)),
    )


def check(model: Model) -> Verdict:
    """S(N − I) = M − I on the model; applied to Φ, 1 and r where the whole matrices would be large."""
    difference = its.N - its.I
    if model.n <= WHOLE_MATRIX_LIMIT:
        return decide_relations(model, [(its.S @ difference, "=", its.M - its.I)])
    columns = ("ones", "r") if model.d > WHOLE_MATRIX_LIMIT else ("Phi", "ones", "r")
    relations = [(its.S @ (its.N @ X - X), "=", its.M @ X - X) for X in columns]
    return decide_relations(model, relations)


CLAIM = kit.Claim(
    id="telescoping",
    stated=kit.Reading(
        r"$\sum_{k=0}^{L} \gamma^k c_k (\gamma P^{k+1} - P^k) = M - I$ with $M = \sum_{n=1}^{L+1} w_n \gamma^n P^n$.",
        quote=r"and thus $A = \Phi^TD(M-I)\Phi$",
        place="A4.1, after the definition of M",
    ),
    anchors=(r"\left(\prod_{j=1}^{k}\gamma\lambda_j\right) (\gamma P^{k+1} - P^{k})$",),
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
)
