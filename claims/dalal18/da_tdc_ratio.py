r"""TDC needs no condition on the ratio of its steps.

Model: any; each recurrent class on its own.
Check: A and C are positive definite, so that the joint mean matrix is Hurwitz at every fixed ratio η > 0; where not, is
A singular, or the trace of the joint matrix at least 0 at η = 1/100?
Closed form: d/dt (‖v‖² + η‖w‖²) = −2ηwᵀ(A + ηC)w with v = ηθ − w, along θ' = −Aθ − (C − Aᵀ)w, w' = −ηAθ − ηCw.
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A
from tdcert.claims.kit import Fraction, Model, Name, Status, Verdict, entry_of, free, its, theta_to_two_theta, total

ETA = Fraction(1, 100)


def decrease(d: int) -> bool:
    """The closed form halved, everything free."""
    _, M, C, t, w, eta = free(a=(d, d), c=("symmetric", d), t=(d, 1), w=(d, 1), e=())
    slow = (M @ t + (C - M.T) @ w).scaled(-1)
    fast = (M @ t + C @ w).scaled(-eta)
    v, moved = t.scaled(eta) - w, slow.scaled(eta) - fast
    form = v.T @ moved + (w.T @ fast).scaled(eta) + (w.T @ (M + C.scaled(eta)) @ w).scaled(eta)
    return bool(form.is_zero())


@kit.each_class
def stable(model: Model, states: kit.States) -> Verdict:
    """On every recurrent class."""
    if (flat := kit.singular(model, states, A, "Ax = 0: (θ, w) = (x, 0) does not move")) is not None:
        return flat
    definite = [kit.decide_definite(model, M, states, f"{name} > 0") for M, name in ((its.C, "C"), (A, "A"))]
    found = kit.together(definite, "A and C are positive definite: stable at every ratio")
    if found.status is Status.HOLDS:
        return found
    trace: kit.Expression = total([-entry_of(A, i, i) - Name(ETA) * entry_of(its.C, i, i) for i in range(model.d)])
    grows = kit.decide_relations(model, [(Name(0), "<=", trace)], states=states)
    if grows.status is not Status.HOLDS:
        return kit.undecided("A is not positive definite, and the trace of the joint matrix is negative")
    return kit.refuted("the joint matrix has a trace of at least 0 at η = 1/100: not Hurwitz", by=grows.certificates)


def off_policy() -> kit.Refutation:
    """θ→2θ, γ = 9/10: A = −1/5, C = 5/2, trace 1/5 − 1/40."""
    return kit.Refutation(stable(model := theta_to_two_theta(Fraction(9, 10))), model)


CLAIM = kit.Claim(
    id="da_tdc_ratio",
    stated=kit.Reading(
        "TDC needs no condition on the ratio of its steps where $A$ and $C$ are positive definite.",
        quote="we find that this condition to be unnecessary because $A$ and $C$ are positive definite",
        place="§5, after Corollary 12",
    ),
    check=stable,
    prove=lambda: kit.proved(
        "½ d/dt (‖ηθ − w‖² + η‖w‖²) = −ηwᵀ(A + ηC)w, symbolic A, C, θ, w, η, d = 1, 2, 3; it stays zero only where "
        "w = 0 and Aθ = 0",
        kit.shown(decrease, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("It needs none off-policy.", off_policy),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("App. A"), counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        kit.Ablation(kit.DISCOUNTED.at("§5"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("§5"), box=models.TWO_CLASSES),
    ),
    notes=(
        "The steps of the paper have β_n/α_n → ∞; then W_2 = C and X_1 = AᵀC⁻¹A decide, and A need not be definite.",
    ),
)
