r"""λ's outside [0,1]: which schedules keep A negative definite on every chain.

Place: Proposition 4.1, generalised; the paper has λ_j ∈ [0,1].
Statement: let f(φ) = Re Σ w_n γⁿ e^{inφ}. If f < 1 for all φ, A < 0 for every on-policy chain with C > 0, whatever
the λ's. If f > 1 for some φ, a cycle and a feature on it have A > 0. Which it is, is decidable: Sturm's sequence of Σ
w_n γⁿ T_n(x) − 1 on [−1, 1].
Hypotheses: on-policy, C positive definite. γ is the largest discount, if there are several.
Model: any schedule; each recurrent class on its own.
Check: the symbol is decided exactly; f < 1: A < 0 on the model; f > 1: a cycle and an integer vector on it, found and
checked exactly.
Closed form: on the cycle of q states x_k = cos(2πkp/q) gives xᵀMx/‖x‖² = f(2πp/q). λ's in [0,1] have f ≤ κ < 1.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import IRREDUCIBLE, Fraction, Model, Name, RationalMatrix, Schedule, Verdict, its, undecided
from tdcert.claims.verdicts import definite_or_not, negative_definite
from tdcert.theory.check.mean_dynamics import definite_on_states
from tdcert.theory.check.schedule_symbol import BreakingCycle, breaking_cycle, symbol_sign
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.forms import NEGATIVE_A, in_unit_interval
from tdcert.theory.identities import forms_and_norms, semidefinite
from tdcert.theory.model.key_matrices import theorem_matrices

FORM = replace(NEGATIVE_A, where=lambda lambdas, gamma: in_unit_interval(lambdas, gamma) & (gamma < 1))
"""Where f < 1 for the simplest reason: λ's in [0,1] have f ≤ κ < 1 at γ < 1."""


def prove() -> kit.Proof:
    """N does not lengthen the D-norm; the cycle attains the symbol.

    The inequality in between is von Neumann's (cited).
    """
    return kit.proved(
        "‖PV‖_D ≤ ‖V‖_D as a sum of squares, n = 1 … 4; from there f < 1 gives xᵀDMx < ‖x‖² by von Neumann's "
        "inequality (cited, not proved here)",
        kit.shown(forms_and_norms.stationary_norm_identity, at=(1, 2, 3, 4)),
    ) + kit.proved(
        "on the cycle of q = 1 … 5 states xᵀMx = Σ_n w_n γⁿ ρ_n with ρ_n = Σ_k x_k x_{k+n}, symbolic x, γ, λ_1 … "
        "λ_3; x_k = cos kφ, φ = 2πp/q gives ρ_n = ρ_0 cos nφ, the symbol",
        kit.shown(semidefinite.cycle_symbol_identity, at=((1, 3), (2, 3), (3, 3), (4, 3), (5, 3))),
    )


def check(model: Model) -> Verdict:
    """The symbol's sign, and what follows from it on the model, or on a cycle."""
    try:
        sign = symbol_sign(model.schedule, kit.largest_discount(model))
        if sign > 0:
            return _broken(model)
    except BudgetExceededError as error:
        return undecided(str(error))
    if sign == 0:
        return _border(model)
    return kit.on_each_class(lambda states: _kept(model, states), model, "f < 1 everywhere, and A < 0", with_law=True)


def _border(model: Model) -> Verdict:
    """max f = 1: where every w_n ≥ 0, f ≤ f(0) = Σ w_n γⁿ = 1. Else no certificate is known for f ≤ 1."""
    gamma, schedule = Name(kit.largest_discount(model)), model.schedule
    relations: list[kit.Relation]
    if schedule.is_finite:
        lags = range(1, len(schedule.lambdas) + 2)
        terms: list[kit.Expression] = [its.w(n) * gamma**n for n in lags]
        relations = [(kit.total(terms), "=", "1"), *[("0", "<=", its.w(n)) for n in lags]]
    else:  # Σ (1 − λ)λ^{n−1}γⁿ = 1 exactly if γ = 1
        relations = [(gamma, "=", "1"), ("0", "<=", its.lambda_(1)), (its.lambda_(1), "<", "1")]
    proof = kit.decide_relations(model, relations)
    if proof.status is not kit.Status.HOLDS:
        return undecided("max f = 1, at weights with signs")
    return replace(proof, detail="max f = 1 at φ = 0: neither sentence applies")


def _kept(model: Model, states: kit.States) -> Verdict:
    """f < 1: A < 0 on the class."""
    found = negative_definite(model, states, "f < 1 everywhere, but ")
    if found.status is not kit.Status.HOLDS:
        return found
    keys = theorem_matrices(model, states)
    answer = definite_on_states(keys, states)
    inner = None if answer is None or answer.factor is None else definite_or_not(keys, states, answer)
    return kit.holds(found.detail, by=[*found.certificates, inner])


def _broken(model: Model) -> Verdict:
    """f > 1 somewhere: the cycle, checked through its own A, and the certificate: Σ w_n γⁿ ρ_n > ρ_0."""
    gamma = kit.largest_discount(model)
    if not model.schedule.is_finite:
        return undecided("f > 1 for a λ without end: a cycle is sought for finite schedules only")
    cycle = breaking_cycle(model.schedule, gamma)
    broken = cycle_model(cycle, gamma, model.schedule)
    A = theorem_matrices(broken, tuple(range(cycle.length))).A[0, 0]
    witness = {
        "states of the cycle": str(cycle.length),
        "feature": "(" + ", ".join(map(str, cycle.vector)) + ")",
        "A": str(A),
    }
    if A <= 0:
        return kit.refuted("f > 1 somewhere, but the cycle keeps A ≤ 0", witness)
    lags = range(1, len(model.schedule.lambdas) + 2)
    terms: list[kit.Expression] = [its.w(n) * Name(gamma**n * cycle.correlation(n)) for n in lags]
    relations: list[kit.Relation] = [(str(cycle.correlation(0)), "<", kit.total(terms))]
    proof = kit.decide_relations(model, relations)
    detail = f"f > 1 somewhere: the cycle of {cycle.length} states with feature {witness['feature']} has A = {A} > 0"
    return Verdict(proof.status, proof.grade, detail, witness, certificates=proof.certificates)


def cycle_model(cycle: BreakingCycle, gamma: Fraction, schedule: Schedule) -> Model:
    """The cycle with its vector as the only feature."""
    q = cycle.length
    P = RationalMatrix([[int(j == (i + 1) % q) for j in range(q)] for i in range(q)])
    return Model.reward_process(
        P, RationalMatrix.zeros(q, 1), gamma, RationalMatrix.column(cycle.vector), schedule, f"cycle of {q} states"
    )


def outside_models() -> tuple[Model, ...]:
    """λ's outside [0,1] that keep A < 0 on every chain, and some that do not."""
    half = Fraction(1, 2)
    kept = [Schedule((Fraction(-1),)), Schedule((Fraction(3, 2),)), Schedule((Fraction(5, 4), Fraction(-1, 4)))]
    return (*(kit.one_state(half, schedule) for schedule in kept), *models.signed_lambda_models())


def varying_outside() -> tuple[Model, ...]:
    """Discounts that depend on the transition, λ_1 = −1/2."""
    return tuple(model.with_schedule(Schedule((Fraction(-1, 2),))) for model in models.varying_discount_models()[:2])


CLAIM = kit.Claim(
    id="lambda_outside_unit_interval",
    stated=kit.Reading(
        r"Let $f(\varphi) = \mathrm{Re} \sum_n w_n \gamma^n e^{i n \varphi}$, any real $\lambda_j$. If $f < 1$ "
        r"everywhere, $A$ is negative definite on every on-policy chain with $C$ "
        r"positive definite; if $f(\varphi) > 1$ for some $\varphi$, some cycle and feature have $A > 0$."
    ),
    anchors=(r"\label{propND}", r"||PV||_D \leq ||V||_D"),
    form=FORM,
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.ON_POLICY, box=models.OFF_POLICY_SURE),
        kit.Ablation(kit.C_POSITIVE, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.LAMBDAS, supports=outside_models, note="the symbol takes its place"),
        kit.Ablation(IRREDUCIBLE, supports=lambda: models.reducible_models()[1:2], note="each class has its own law"),
        kit.Ablation(
            kit.CONSTANT_DISCOUNT,
            supports=varying_outside,
            note="with γ the largest discount, N/γ does not lengthen the D-norm",
        ),
    ),
)
