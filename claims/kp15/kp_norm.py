r"""The norm of parameters by the norm of values.

Note: it is to follow from θᵀθ ≤ (1/μ)θᵀΦᵀΨΦθ, so the left side must be squared.
Hypotheses: full rank (A3), so that μ = λ_min(ΦᵀΨΦ) > 0.
Model: any; each recurrent class on its own.
Check: ΦᵀΨΦ ≥ g for a g below μ by no more than 1/1024 of it, and g > 0.
Closed form: θᵀΦᵀΨΦθ ≥ μ‖θ‖².
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Fraction, Model, Name, Verdict, decide_relations, free, its, one_state
from tdcert.claims.sy19.recursion import below_least_eigenvalue


def rayleigh(n: int, d: int) -> bool:
    """θᵀ(ΦᵀΨΦ)θ = ‖Φθ‖_Ψ², free Φ, Ψ, θ."""
    _, Phi, law, theta = free(f=(n, d), d=(n, 1), t=(d, 1))
    values = Phi @ theta
    return bool((theta.T @ (Phi.T @ Phi.scale_rows(law)) @ theta - values.T @ values.scale_rows(law)).is_zero())


@kit.each_class
def bounded(model: Model, states: kit.States, multiple: Fraction) -> Verdict:
    """‖Φθ‖_Ψ² ≥ multiple · g‖θ‖² on every recurrent class."""
    if (found := kit.singular(model, states, its.C, "‖Φx‖_Ψ = 0: μ = 0")) is not None:
        return found
    g = below_least_eigenvalue(kit.evaluate(its.C, Context(model, states)))
    positive = decide_relations(model, [(Name(0), "<", Name(g))], states=states)
    shifted = its.C - Name(multiple * g) * kit.identity(model.d)
    return kit.together((positive, kit.decide_definite(model, shifted, states, f"C ≥ {g}", strict=False)), "")


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, m = 0, θ̄ − θ* = ½: ½ against ¼."""
    relation = (its.theta, "<=", its.theta * (its.C @ its.theta))
    found = decide_relations(model := one_state(HALF), [relation], theta=(HALF,))
    detail = "one state, φ = 1, μ = 1, m = 0, θ̄ − θ* = ½"
    return kit.explained(found, model, detail, "‖θ̄ − θ*‖", "(1/μ)‖Φ(θ̄ − θ*)‖_Ψ²")


def one_percent_more() -> kit.Refutation:
    """One state, φ = 1: μ = 1."""
    return kit.Refutation(bounded(model := one_state(HALF), Fraction(101, 100)), model)


CLAIM = kit.Claim(
    id="kp_norm",
    stated=kit.Reading(
        r"$\|\bar\theta^{(m)} - \theta^*\| \le \frac{1}{\mu}(C_1^m\|\Phi(\bar\theta^{(0)} - \theta^*)\|_\Psi^2 + "
        r"\dots)$.",
        quote=(
            "one can obtain the following bound on the parameter error for CTD: "
            r"$\|\bar\theta^{(m)} - \theta^*\|_2 \le (1/\mu)(C_1^m(\|\Phi(\bar\theta^{(0)} - \theta^*)\|_\Psi^2) "
            r"+ \dots)$"
        ),
        place="§4.1, Remark 5",
    ),
    corrected=kit.Reading(
        r"$\|\bar\theta^{(m)} - \theta^*\|_2^2 \le \frac{1}{\mu}\|\Phi(\bar\theta^{(m)} - \theta^*)\|_\Psi^2$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: bounded(model, Fraction(1)),
    prove=kit.proof(
        "θᵀ(ΦᵀΨΦ)θ = ‖Φθ‖_Ψ², symbolic, (n, d) = (1, 1), (2, 2), (3, 2)", rayleigh, at=((1, 1), (2, 2), (3, 2))
    ),
    variant=kit.FalseVariant("μ is one percent larger.", one_percent_more),
    constants=(kit.NumericConstant("the 1 in 1/μ", one_percent_more),),
    ablations=(
        kit.Ablation(kit.C_POSITIVE.at("§3.1, (A3)"), box=models.TWO_CLASSES),
        kit.Ablation(kit.APERIODIC.at("§3.1, (A1)"), supports=models.periodic_models),
    ),
    notes=(
        "For m > 0 too, at small errors: on one state with B = 0 the left side is linear in θ̄^{(0)} − θ*, and the "
        "right side quadratic.",
        "Footnote 1 defines ‖v‖_Ψ for v in R^d; it is used for v in R^{|S|}.",
    ),
)
