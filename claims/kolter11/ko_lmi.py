r"""The linear matrix inequality says that ΠP does not expand.

Where: Π is the D-projection onto span Φ.
Model: any; each recurrent class on its own.
Check: both forms are L diag(D) Lᵀ with D ≥ 0, or each is negative at a vector of its own.
Closed form: ‖ΠPΦw‖_D² = wᵀBᵀC⁻¹Bw, and C − BᵀC⁻¹B is the Schur complement.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, Expression, Model, Verdict, decide_definite, free, holds, its, refuted
from tdcert.claims.kolter11.lmi import C, lmi, to_the_second
from tdcert.theory.identities.symbols import inner

PROJECTED: Expression = its.Phi @ kit.solution(C, its.Phi.T @ its.D @ its.P_pi @ its.Phi)


def schur_identity(d: int) -> bool:
    """xᵀCx + 2xᵀBw + wᵀCw = (x + C⁻¹Bw)ᵀC(x + C⁻¹Bw) + wᵀ(C − BᵀC⁻¹B)w, free symmetric C, free B, x, w."""
    _, C, B, x, w = free(c=("symmetric", d), b=(d, d), x=(d, 1), w=(d, 1))
    y = x + C.solve(B @ w)
    left = inner(x, C @ x) + 2 * inner(x, B @ w) + inner(w, C @ w)
    return bool(left == inner(y, C @ y) + inner(w, C @ w) - inner(B @ w, C.solve(B @ w)))


@kit.each_class
def equivalent(model: Model, states: kit.States, image: Expression) -> Verdict:
    """Whether the matrix is semidefinite exactly where C minus the Gram matrix of the image is."""
    forms = {"the matrix": lmi(model.d), "the norms": C - image.T @ its.D @ image}
    try:
        found = [decide_definite(model, form, states, name, strict=False) for name, form in forms.items()]
    except kit.SingularMatrixError:
        singular = decide_definite(model, C, states, "C ≻ 0")
        return refuted("C is singular", singular.witness, by=singular.certificates, undefined="Π")
    kept = [certificate for one in found for certificate in one.certificates]
    if found[0].status is found[1].status:
        return holds("both hold" if found[0].status is kit.Status.HOLDS else "neither holds", by=kept)
    return refuted(
        "; ".join(one.detail for one in found), {n: f.status for n, f in zip(forms, found, strict=True)}, by=kept
    )


def without_projection() -> kit.Refutation:
    """C = 5/2 and ‖PΦw‖_D² = 4w²."""
    return kit.on(to_the_second(), equivalent, its.P_pi @ its.Phi)


CLAIM = kit.Claim(
    id="ko_lmi",
    stated=kit.Reading(
        r"For $C = \Phi^\top D \Phi \succ 0$, $B = \Phi^\top D P \Phi$: $[[C, B], [B^\top, C]] \succeq 0$ if and only "
        r"if $\|\Pi P \Phi w\|_D \leq \|\Phi w\|_D$ for every $w$."
    ),
    check=lambda model: equivalent(model, PROJECTED),
    prove=lambda: kit.proved(
        "the form of the matrix is that of C at x + C⁻¹Bw and of C − BᵀC⁻¹B at w: symbolic C, B, x, w, d = 1, 2",
        kit.shown(schur_identity, at=(1, 2)),
    ),
    variant=kit.FalseVariant("So it is without the projection.", without_projection),
    ablations=(kit.Ablation(C_POSITIVE.at("as remembered"), box=models.ON_POLICY_BOX), *models.any_chain(C_POSITIVE)),
)
