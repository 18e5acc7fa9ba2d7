r"""(B1)–(B5) hold for TD(λ)-schedule.

Place: §4, proof of Theorem 4.3.
Statement: each condition on its own. (B1) h(·, X) is Lipschitz with the constant B = (1 + γ)Σ_k c_kγᵏ·d·max|φ|², the
same for all X (maximum norm). (B2) one law of windows, so D(θ) is one point. (B3) M_t = 0. (B4) is Assumption 1. (B5)
h̃_c(θ) = Aθ + b/c → Aθ uniformly, and with A < 0 the origin attracts the unit ball: d‖θ‖²/dt = 2θᵀ(sym A)θ.
Hypotheses: those of Proposition 4.1, and a schedule with an end. Assumption 2 also asks for an aperiodic chain: not
needed here.
Model: any.
Check: one law and E_0[A(X_t)] = A (window_chain); the bound B along a few paths; A negative definite, exactly.
Closed form: |A(X)θ|_∞ ≤ d·max|z|·(1 + γ)max|φ|·|θ|_∞ and max|z| ≤ Σ_k c_kγᵏ max|φ|.
"""

from collections.abc import Iterator

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import prop_4_1, window_chain
from tdcert.claims.kit import LAMBDAS, ON_POLICY, Expression, Fraction, Model, Name, Relation, Verdict, its, together
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.forms import NEGATIVE_A
from tdcert.theory.identities import forms_and_norms
from tdcert.theory.model.schedule import trace_weights


def prove() -> kit.Proof:
    """(B5): the form of A along the flow; A < 0 and the law of windows by composition."""
    sizes = (1, 2, 3)
    kit.shown(forms_and_norms.dirichlet_identity, forms_and_norms.powers_keep_row_sums_and_law, at=sizes)
    window_chain.prove()
    return kit.proved(
        "(B5) by composition: hᵀ sym(A) h at d = 1, 2, 3 is the derivative along the flow, negative by Proposition "
        "4.1; (B2) by window_chain; (B1) z and φ take finitely many values; (B3) M_t = 0; (B4) is Assumption 1",
        kit.shown(forms_and_norms.gradient_lyapunov_identity, at=sizes),
    )


def lipschitz_constant(model: Model) -> Fraction:
    """B for the maximum norm, γ the largest discount; the schedule has an end."""
    gamma = kit.largest_discount(model)
    largest = max(abs(x) for row in model.features.rows for x in row)
    reach = sum((abs(c) * gamma**k for k, c in enumerate(trace_weights(model.schedule.lambdas))), start=Fraction(0))
    return model.d * (1 + gamma) * reach * largest**2


def check(model: Model) -> Verdict:
    """(B2) and E_0[A(X_t)] = A, (B5), then (B1) along a few paths."""

    def lipschitz() -> Verdict:
        t = model.schedule.length or 0
        step: Expression = its.discount(t) * its.phi(t + 1) - its.phi(t)
        bound: Expression = Name(lipschitz_constant(model) / model.d) * (
            its.at("ones", model.d) @ its.at("ones", model.d).T
        )
        A = its.z(t) @ step.T
        statement: list[Relation] = [(A, "<=", bound), (-A, "<=", bound)]
        return kit.decide_along(model, kit.some_paths(model, t + 1), statement)

    def parts() -> Iterator[Verdict]:
        yield prop_4_1.check(model)
        yield window_chain.check(model)
        yield lipschitz()

    return together(parts(), "(B1), (B2) and (B5), each on its own; (B3) and (B4) do not depend on the model")


CLAIM = kit.Claim(
    id="thm_4_2_conditions",
    stated=kit.Reading(
        r"Under Assumptions 1–3, TD($\lambda$)-schedule satisfies (B1)–(B5).",
        quote="The set $D$ is trivially compact and convex, establishing (B2)",
        place="§4, proof of Theorem 4.3, which takes (B1) to (B5) in turn",
    ),
    anchors=(r"or for that matter any closed subset of $\mathbb{R}^d$ containing the origin",),
    form=NEGATIVE_A,
    form_is_part=True,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.IRREDUCIBLE, box=models.ON_POLICY_BOX),
        kit.Ablation(ON_POLICY, counterexample=lambda: kit.theta_to_two_theta(Fraction(5, 6)), note="A = 0 at κ = 5/6"),
        kit.Ablation(kit.FULL_COLUMN_RANK, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.DISCOUNTED, box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        kit.Ablation(FINITE_SCHEDULE, box=window_chain.ENDLESS, note="without an end X_t is not a finite window"),
        kit.Ablation(kit.APERIODIC, supports=models.periodic_models),
    ),
    notes=(
        "The proof calls any closed set that contains the origin a fundamental neighbourhood of it. {0} is closed and "
        "no neighbourhood; ℝ^d is closed and not attracted uniformly. The unit ball, which is what (B5) asks for, is "
        "one.",
        "The proof's F_t = σ(θ_0, s_m, R_m, m ≤ t) leaves out s_{t+1}, on which X_t and so θ_{t+1} depend; (B3) is not "
        "touched, as M_t = 0.",
        "That (B1)–(B5) hold does not give Theorem 4.3: Theorem 4.2 is false as printed (thm_4_2).",
    ),
    rests_on=("prop_4_1", "window_chain"),
)
