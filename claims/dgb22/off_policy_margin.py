r"""When A is negative definite off-policy.

Place: §3 and §4, where Proposition 4.1 is used off-policy without a proof.
Statement: with D = D_μ and M of the target policy, each line implies the next: Σ_n w_n ‖Nⁿ‖_D < 1 (N = γP_π:
γⁿ‖P_πⁿ‖); ‖M‖_D < 1; sym D(I − M) > 0, that is λ_max(sym D^{1/2} M D^{−1/2}) < 1; A < 0 for every Φ with C > 0. The
last two are equivalent. For the n-step return the first line holds as soon as γ^{2n} < min d. (κ‖P_π‖ < 1 does not
suffice: ``three_state_model``.)
Hypotheses: C positive definite, λ_j ∈ [0,1].
Model: any; each recurrent class of the behaviour chain on its own.
Check: sym D(I − M) decided exactly. If positive definite, A < 0 for the model's Φ; if not, a feature x with xᵀD(I −
M)x ≤ 0, and neither norm is below one.
Closed form: 2xᵀD(I − M)x = (‖x‖² − ‖Mx‖²) + ‖x − Mx‖²; ‖Pⁿx‖²_D ≤ max x² ≤ ‖x‖²_D / min d.
"""

from math import isqrt

from tdcert.claims import kit, models
from tdcert.claims.kit import COVERAGE, LAMBDAS, Context, Fraction, Model, RationalMatrix, Status, Verdict, holds, its
from tdcert.claims.verdicts import definite_or_not, negative_definite
from tdcert.theory.certificate.bodies import stationary_certificate, strings
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.margins import norm_bound
from tdcert.theory.expressions.relations import relation_certificate
from tdcert.theory.forms import DEFINITE_ON_STATES, NEGATIVE_A, Implications, NormBound, norm_gap, operator_M
from tdcert.theory.identities import forms_and_norms, semidefinite
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices
from tdcert.theory.model.schedule import return_weights

NORMED_WEIGHTS = 12
"""Schedules with more weights skip the norms of single powers."""
STEPS_DECIDED = 6
"""Smaller n for which the n-step return is decided on its own."""

FORM = Implications((NormBound(operator_M, lambda gamma, kappa: 1, "M", strict=True), DEFINITE_ON_STATES, NEGATIVE_A))


def three_state_model() -> Model:
    """κ‖P_π‖ < 1 and A > 0: target 1→2→3→3, d_μ = (12, 3, 1)/16, φ = (1, 1, 5), γ = 2/3, 2-step return: κ‖P_π‖ = 8/9,
    A = 5/18.
    """
    law, Phi = [Fraction(k, 16) for k in (12, 3, 1)], RationalMatrix.column([1, 1, 5])
    return models.jumps("three states in a row", law, (1, 2, 2), Phi, Fraction(2, 3), kit.Schedule.n_step(2))


def prove() -> kit.Proof:
    """The polar identity, A as a congruence, Jensen; and the three-state model on which κ‖P‖ < 1 is not enough."""
    keys = theorem_matrices(three_state_model(), (0, 1, 2))
    P, D = three_state_model().target_kernel.P, RationalMatrix.zeros(3, 3).identity(3).scale_rows(keys.d)
    kit.require(
        norm_bound(P, D) * Fraction(4, 9) < 1 and keys.A[0, 0] == Fraction(5, 18),
        "the three-state model does not separate κ‖P‖ < 1 from A < 0",
    )
    return kit.proved(
        "2xᵀD(I − M)x = (‖x‖² − ‖Mx‖²) + ‖x − Mx‖² for free D, M, x and Jensen's inequality at n = 1, 2, 3; sym A "
        "= −Φᵀ(D − sym DM)Φ for free N, D, Φ, λ at (n, d, L) up to (3, 2, 1); the triangle inequality joins them, "
        "and a single feature x is the converse",
        kit.shown(semidefinite.polar_identity, forms_and_norms.stationary_norm_identity, at=(1, 2, 3)),
        kit.shown(semidefinite.margin_identity, at=((2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 2, 1))),
    )


def check(model: Model) -> Verdict:
    """The four lines on every recurrent class; see the module docstring."""
    return kit.on_each_class(lambda states: _check_class(model, states), model)


def _check_class(model: Model, states: kit.States) -> Verdict:
    keys = theorem_matrices(model, states)
    law = stationary_certificate(model.behaviour_chain, states)
    M = keys.M(keys.N.identity(model.n))
    outside = [s for s in range(model.n) if s not in set(states)]
    if outside and not M.take(rows=states, columns=outside).is_zero():
        detail = (
            "the target policy leaves the class: no norm is finite, and large values outside make D(I − M) indefinite"
        )
        return holds(detail, by=[law])
    inner = M.take(states, states)
    D = inner.identity(len(states)).scale_rows(keys.d.take(rows=states))
    answer = decide_positive_definite((D - D @ inner).symmetric_part())
    kept = definite_or_not(keys, states, answer)
    if answer.vector is None:
        found = negative_definite(model, states, "sym D(I − M) > 0, but ")
        if found.status is not Status.HOLDS:
            return found
        steps, more = _steps(model, states, keys, D)
        return holds("sym D(I − M) > 0 and A < 0" + steps, by=[kept, *found.certificates, law, *more])
    below = None
    if decide_positive_definite(norm_gap(inner, D, 1)).positive:
        below = "‖M‖_D < 1"
    elif _weighted_norms(model, keys, states, D) < 1:
        below = "Σ w_n ‖Nⁿ‖_D < 1"
    if below is not None:
        witness = {
            "x": "(" + ", ".join(strings(answer.vector)) + ")",
            "A of the feature x": str(-(D - D @ inner).quadratic_form(answer.vector)),
        }
        return kit.refuted(f"{below}, but A ≥ 0 for a feature x", witness, by=[kept])
    steps, more = _steps(model, states, keys, D)
    detail = "sym D(I − M) is not positive definite: A ≥ 0 for some feature, and no norm is below one" + steps
    return holds(detail, by=[kept, law, *more])


def _weighted_norms(model: Model, keys: KeyMatrices[RationalMatrix], states: kit.States, D: RationalMatrix) -> Fraction:
    """An upper bound of Σ w_n ‖Nⁿ‖_D; for a negative w_n the norm is bounded below, by ‖Nⁿ1‖_D.

    Two where it is not computed.
    """
    weights = return_weights(model.schedule.lambdas)
    if not model.schedule.is_finite or len(weights) > NORMED_WEIGHTS:
        return Fraction(2)
    N = keys.N.take(states, states)
    power, total, unit = N.identity(len(states)), Fraction(0), 2**20
    ones = RationalMatrix.column([1] * len(states))
    for w in weights:
        power = power @ N
        if w > 0:
            total += w * norm_bound(power, D)
        elif w < 0:
            square = D.quadratic_form(power @ ones) * unit * unit
            total += w * Fraction(isqrt(int(square)), unit)
    return total


def _steps(
    model: Model, states: kit.States, keys: KeyMatrices[RationalMatrix], D: RationalMatrix
) -> tuple[str, tuple[kit.Certificate, ...]]:
    """The n from which on γ^{2n} < min d, so that the n-step return is safe; and which smaller n are."""
    gamma = model.gamma
    if gamma is None or gamma == 1 or len(states) < model.n:
        return "", ()
    smallest, n = min(keys.d.column_entries()), 1
    while gamma ** (2 * n) >= smallest and 2 * n < 198:
        n += 1
    if gamma ** (2 * n) >= smallest:
        return "", ()
    safe, power = [], D.identity(model.n)
    for k in range(1, min(n - 1, STEPS_DECIDED) + 1):
        power = power @ keys.N
        if decide_positive_definite((D - D @ power).symmetric_part()).positive:
            safe.append(str(k))
    among = f" (of n = 1 … {min(n - 1, STEPS_DECIDED)} itself: {', '.join(safe) or 'none'})" if n > 1 else ""
    relation = (its.gamma ** (2 * n) * its.ones, "<", its.d)
    return f"; n-step returns are safe from n = {n} on{among}", (
        relation_certificate(Context(model, states), [relation]),
    )


CLAIM = kit.Claim(
    id="off_policy_margin",
    stated=kit.Reading(
        r"Off-policy, with $D = D_\mu$: $\sum_n w_n \gamma^n \|P_\pi^n\|_D < 1$ or $\|M\|_D < 1$ implies "
        r"$\lambda_{\max}(\frac12 (D^{1/2} M D^{-1/2} + D^{-1/2} M^T D^{1/2})) < 1$, and that holds exactly if $A$ "
        r"is negative definite for every $\Phi$ with "
        r"$C$ positive definite. For the $n$-step return $\gamma^{2n} < \min_s d^\mu(s)$ suffices."
    ),
    anchors=(r"where $d^{\mu}(s)$ is the visitation probability to state $s$", r"$x^T(-A^T C^{-1} A) x <0$"),
    form=FORM,
    form_under=(LAMBDAS,),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.C_POSITIVE, box=models.ON_POLICY_BOX),
        kit.Ablation(
            LAMBDAS, box=models.SIGNED_LAMBDAS_2, note="the sum then no longer bounds ‖M‖; the other lines keep"
        ),
        kit.Ablation(kit.IRREDUCIBLE, supports=lambda: models.reducible_models()[1:2], note="each class has its own D"),
        kit.Ablation(COVERAGE, supports=models.uncovered_models, note="A of the theorem, not what the algorithm meets"),
    ),
    notes=("κ‖P_π‖_D < 1 does not suffice: κ‖P_π‖ = 8/9 and A = 5/18 on three states in a row.",),
)
