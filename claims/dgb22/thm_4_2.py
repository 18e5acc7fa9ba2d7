r"""Theorem 4.2: stochastic approximation under Markov noise.

Place: §4, quoted from the literature without a condition on how the steps vary.
Statement: printed, (B1)–(B5) make θ_t converge to an internally chain transitive invariant set. False: nothing keeps
the steps from following the chain. Two states that alternate, φ = 1, γ = ½, reward 1 on leaving the first, TD(0), α_t =
1/t for even t, spent in the first state, and 1/t² for odd t: (B1)–(B5) hold, the only invariant set is {1}, and θ_t →
2. Corrected: for recursions that are linear in θ, on an irreducible finite chain, θ_t → −A⁻¹E_0 b(X_t) almost surely if
P(s_t = j | s_0 = i) has a limit, for all steps of (B4); on chains of any period for steps with Σ|α_t − α_{t+1}| < ∞,
non-increasing ones say. Machine-checked for every size (Coq). For maps that are not linear the theorem is not decided.
Hypotheses: the chain has one stationary law; A = E_0 A(X_t) is negative definite.
Model: any; its behaviour chain is X_t (windows are such a chain too, see window_chain).
Check: what the chain has to give: one law, the Poisson equation g − Pg = f − E_0 f, solved exactly for every function f
of the state (for r and Φ on large models), and the period, which says for which steps.
Closed form: Σ_{t<T} α_t(f_t − E_0 f) = Σ α_t m_{t+1} + α_0g_0 − α_{T−1}g_T + Σ_{0<t<T}(α_t − α_{t−1})g_t, m_{t+1} =
g(X_{t+1}) − (Pg)(X_t) martingale differences, bounded: Σα_t² < ∞ settles the first sum, Σ|α_t − α_{t−1}| < ∞ the last.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Path, Status, Verdict, along, decide_relations, its, solution
from tdcert.theory.certificate.bodies import fixed_point_certificate, period_certificate, stationary_certificate
from tdcert.theory.check.hypotheses import UNIQUE_LAW
from tdcert.theory.expressions.forward_views import refute_one_mean
from tdcert.theory.identities import step_noise as identities
from tdcert.theory.model.key_matrices import theorem_matrices

WHOLE_MATRIX_LIMIT = 30
"""Up to this many states the Poisson equation is solved for every function of the state at once."""
ROUNDS = 60
"""Rounds of two steps that the witness is iterated exactly."""
SUMMED = range(1, 7)


def prove() -> kit.Proof:
    """Summation by parts for any steps, and what it gives."""
    return kit.proved_for_all(
        "induction over T: Σ α_t(f_t − E_0f) = martingale + boundary + Σ (α_t − α_{t−1})g_t for any steps and any "
        "solution g; with |g| ≤ c the last sum converges if Σ|α_t − α_{t+1}| < ∞ (non-increasing steps: it is at "
        "most cα_0)",
        kit.shown(identities.summation_by_parts_step),
        kit.shown(identities.summation_by_parts, at=SUMMED),
    )


def centred(f: Expression) -> Expression:
    """f − 1 dᵀf."""
    return f - its.ones @ its.d.T @ f


def check(model: Model) -> Verdict:
    """One law, the Poisson equation solved, and the steps for which linear recursions on this chain converge."""
    averages = check_averages(model)
    if averages.status is not Status.HOLDS:
        return averages
    chain = model.behaviour_chain
    (states,) = chain.recurrent_classes
    period = chain.period(states).period
    for_which = "all steps of (B4)" if period == 1 else "steps of summable variation"
    detail = f"one law, the Poisson equation has a solution for every f, period {period}: {for_which}"
    return replace(averages, detail=detail, certificates=(*averages.certificates, period_certificate(chain, states)))


def check_averages(model: Model) -> Verdict:
    """One law, and the Poisson equation solved."""
    chain = model.behaviour_chain
    laws = tuple(stationary_certificate(chain, states) for states in chain.recurrent_classes)
    if len(laws) > 1:
        verdict = refute_one_mean(model, "a state")
        detail = "the mean of f depends on the class that is entered: no one mean is averaged to"
        return replace(verdict, detail=detail, certificates=(*verdict.certificates, *laws))
    regular: Expression = its.I - its.P_mu + its.ones @ its.d.T
    relations: list[kit.Relation] = []
    for f in (its.I,) if model.n <= WHOLE_MATRIX_LIMIT else (its.r, its.Phi):
        g: Expression = solution(regular, centred(f))
        relations.append((g - its.P_mu @ g, "=", centred(f)))
    verdict = decide_relations(
        model, relations, detail="the Poisson equation has a solution for every f: the noise averages out"
    )
    if verdict.status is not Status.HOLDS:
        return verdict
    return Verdict(Status.HOLDS, kit.Grade.CERTIFIED, verdict.detail, certificates=(*verdict.certificates, *laws))


def witness_path(theta: Fraction, rounds: int) -> list[Fraction]:
    """θ at the even times 2, 4, … of the witness, exactly."""
    path = [theta]
    for k in range(1, rounds + 1):
        theta += Fraction(1, 2 * k) * (1 - theta / 2)
        theta -= Fraction(1, (2 * k + 1) ** 2) * theta / 2
        path.append(theta)
    return path


def judge_stated() -> kit.Refutation:
    """The flip chain with steps that follow it: θ_t ≥ 7/4 for all t from θ = 2, and θ_t → 2 from any θ in [0, 2]."""
    model = kit.flip_chain()
    bounds = (
        identities.flip_update,
        identities.odd_steps_are_small,
        identities.even_steps_shrink,
        identities.flip_bound_step,
    )
    (states,) = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, states)
    # One round at θ = 2, as the checker sees it: δ = 0 in the first state, −1 in the second.
    first, second = (along(Path(path, (0,)), its.delta(0)) for path in ((0, 1), (1, 0)))
    steps = decide_relations(model, [(first, "=", "0"), (second, "=", "-1")], theta=[2])
    # The exact iteration obeys the bound that the induction proves: x_n ≤ p·x_1 + ¼ − 1/(4n), here with p·x_1 = 0.
    stays = all(
        0 <= 2 - theta <= Fraction(1, 4) - Fraction(1, 4 * n)
        for n, theta in enumerate(witness_path(Fraction(2), ROUNDS), start=1)
    )
    target = keys.theta_star[0, 0]
    if (
        not all(bound() for bound in bounds)
        or not stays
        or steps.status is not Status.HOLDS
        or keys.A[0, 0] >= 0
        or target >= Fraction(7, 4)
    ):
        return kit.Refutation(Verdict(Status.UNDECIDED, detail="the bounds of the witness fail"), model)
    fixed = fixed_point_certificate(keys, states, "target", keys.theta_star)
    period = period_certificate(model.behaviour_chain, states)
    certificates: list[kit.Certificate] = [
        *steps.certificates,
        stationary_certificate(model.behaviour_chain, states),
        period,
    ]
    certificates += [fixed] if fixed is not None else []
    after = [str(theta) for theta in witness_path(Fraction(2), 2)]
    witness = {
        "α_t": "1/t for even t, 1/t² for odd t, from t = 2 on",
        "θ_2, θ_4, θ_6": after,
        "θ_t for all t": "at least 7/4",
        "only invariant point": str(target),
        "from any θ in [0, 2]": "2 − θ_{2n} ≤ 9/(4m) for n ≥ m⁵, so θ_t → 2",
    }
    detail = (
        "(B1)–(B5) hold (Lipschitz ½, one law, no martingale noise, Σα = ∞ and Σα² < ∞, A = −½), and θ_t ≥ 7/4 for all "
        "t while {1} is the only invariant set; induction step of the bound proved for all t"
    )
    return kit.Refutation(
        Verdict(Status.REFUTED, kit.Grade.CERTIFIED, detail, witness, certificates=tuple(certificates)), model
    )


CLAIM = kit.Claim(
    id="thm_4_2",
    stated=kit.Reading(
        r"Under (B1)–(B5), $\theta_{t+1} = \theta_t + \alpha_t (h(\theta_t, X_t) + M_{t+1})$ converges almost surely "
        r"to an internally chain transitive invariant set of $\dot\theta \in \hat h(\theta)$.",
        quote="converges to an internally chain transitive invariant set of the differential inclusion",
        place="§4, Theorem 4.2, under (B1) to (B5)",
    ),
    corrected=kit.Reading(
        r"If $h(\theta, X_t) = A(X_t) \theta + b(X_t)$ without $M_{t+1}$, where $X_t$ is a window of observations of "
        r"an irreducible finite chain, and $A = E_0 A(X_t)$ is negative definite, then $\theta_t \to -A^{-1} E_0 "
        r"b(X_t)$ almost surely, the only invariant set: for all deterministic steps with $\sum_t \alpha_t = \infty$ "
        r"and $\sum_t \alpha_t^2 < \infty$ if $P(s_t = j \mid s_0 = i)$ has a limit; on chains of any period if in "
        r"addition $\sum_t |\alpha_t - \alpha_{t+1}| < \infty$ (non-increasing steps, say).",
        added_hypotheses=(
            "h linear in θ, with A negative definite",
            "deterministic steps",
            "a chain with a limit law, or step sizes of summable variation",
        ),
    ),
    correction=kit.Finding.FALSE,
    judge_stated=judge_stated,
    anchors=(
        r"converges to an internally chain transitive invariant set of the differential inclusion",
        r"\item[{\bf (B4)}] The step-size sequence",
    ),
    check=check,
    prove=prove,
    formal=True,
    ablations=(
        kit.Ablation(UNIQUE_LAW, box=models.TWO_CLASSES),
        kit.Ablation(
            kit.APERIODIC, supports=models.periodic_models, note="with such steps a periodic chain averages out too"
        ),
        kit.Ablation(kit.IRREDUCIBLE, supports=lambda: (kit.absorbing_pair(),)),
    ),
    notes=(
        "Not decided: maps h that are not linear in θ, differential inclusions, and invariant sets of more than one "
        "point.",
        "The steps of the witness have Σ|α_t − α_{t+1}| = ∞: each pair adds 1/(2k) − 1/(2k + 1)² ≥ 1/(4k).",
        "With the phases exchanged the same steps lead to 0; whatever the start state, never to 1.",
        "The witness is periodic, and its steps follow the period: in the linear case nothing else makes deterministic "
        "steps fail (thm_4_2_corrected_mixing).",
    ),
    rests_on=("window_chain",),
)
