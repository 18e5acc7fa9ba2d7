r"""What the averaging of Markov noise needs of the steps: Σα_t² < ∞, and nothing else, on a chain with a limit law.

Place: beyond the paper; §4, (B4) and the proof of Theorem 4.3.
Statement: if P(s_t = j | s_0 = i) → d(j), then for every function f of the state (or of a window of states) and all
deterministic α_t > 0 with Σα_t² < ∞, Σ α_t(f(X_t) − E_0 f) converges almost surely. No regularity of the steps is
asked, in contrast to ``thm_4_2``. Machine-checked for every size (Coq). On a chain of period p it fails: let f be the
indicator of a phase, the chain start in it, α_t = 1/t at its times and 1/t² at all others. Then f − E_0 f = 1 − 1/p
where α_t = 1/t, and Σ 1/t² converges elsewhere: the sum diverges on every path.
Hypotheses: the chain has one stationary law and is aperiodic.
Model: any; its behaviour chain is X_t (windows are such a chain too, see window_chain).
Check: one law, the Poisson equation as in thm_4_2, the period; where the period p is above one, a phase has the mass
1/p < 1.
Closed form: with w_t = Σ_{i≥t} α_iP^{i−t}(f − E_0 f), Σ_{i<t} α_i(f(X_i) − E_0 f) + w_t(X_t) is a martingale, and
|w_t|² ≤ c Σ_{i≥t} α_i²rⁱ⁻ᵗ since Pᵏ(f − E_0 f) falls as rᵏ, r < 1.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.dgb22.thm_4_2 import check_averages
from tdcert.claims.kit import APERIODIC, Expression, Model, Status, Verdict, entry_of, flip_chain, its, total
from tdcert.theory.certificate.bodies import period_certificate
from tdcert.theory.check.hypotheses import UNIQUE_LAW
from tdcert.theory.identities import step_noise as identities


def prove() -> kit.Proof:
    """The martingale of the proof; the convergence itself is proved in Coq."""
    return kit.proved(
        "w_t − α_tf = Pw_{t+1} for w_t = Σ_{i≥t} α_iP^{i−t}f, free 2×2 P, f and 1 … 5 free steps",
        kit.shown(identities.look_ahead, at=range(1, 6)),
    )


def check(model: Model) -> Verdict:
    """One law and period 1; else the f and the steps for which the sum diverges."""
    averages = check_averages(model)
    chain = model.behaviour_chain
    if averages.status is not Status.HOLDS:
        return averages
    (states,) = chain.recurrent_classes
    evidence = chain.period(states)
    shown_period = period_certificate(chain, states)
    if evidence.period == 1:
        detail = "one law, period 1: the sum converges for every f and every square-summable steps"
        return replace(averages, detail=detail, certificates=(*averages.certificates, shown_period))
    phases = [
        [s for s, phase in zip(states, evidence.phase, strict=True) if phase == k] for k in range(evidence.period)
    ]
    smallest = min(phases, key=len)
    entries: list[Expression] = [entry_of(its.d, s) for s in smallest]
    share = f"1/{evidence.period}"
    mass = kit.decide_relations(model, [(total(entries), "=", share), (share, "<", "1")], states=states)
    assert mass.status is Status.HOLDS
    there = ", ".join(f"s{s}" for s in smallest)
    return replace(
        mass,
        status=Status.REFUTED,
        detail=f"the chain has the period {evidence.period}: with steps that are large in one phase the sum diverges",
        witness={
            "f": f"1 where s_t is in {{{there}}}, else 0",
            "E_0 f": share,
            "s_0": f"in {there}",
            "α_t": f"1/t where {evidence.period} divides t, 1/t² elsewhere, for t ≥ 1",
            "f − E_0 f where α_t = 1/t": f"1 − {share}",
        },
        certificates=(*mass.certificates, shown_period),
    )


CLAIM = kit.Claim(
    id="any_square_summable_steps",
    stated=kit.Reading(
        r"On a chain with one stationary law and without a period, for every $f$ and all deterministic $\alpha_t > 0$ "
        r"with $\sum_t \alpha_t^2 < \infty$, $\sum_t \alpha_t (f(X_t) - E_0 f)$ converges almost surely."
    ),
    anchors=(r"\item[{\bf (B4)}] The step-size sequence",),
    check=check,
    prove=prove,
    formal=True,
    ablations=(
        kit.Ablation(UNIQUE_LAW, box=models.TWO_CLASSES),
        kit.Ablation(
            APERIODIC, counterexample=flip_chain, note="for arbitrary steps; steps of summable variation average out"
        ),
        kit.Ablation(kit.IRREDUCIBLE, supports=lambda: (kit.absorbing_pair(),)),
    ),
    notes=(
        "In Coq in the Cauchy form: for all ε, δ > 0 there is an N with P(max_{N ≤ t ≤ T} |S_t − S_N|² ≥ ε) ≤ δ for "
        "every T ≥ N; and on every probability space that carries the process, with probability one, every ε > 0 has "
        "an N with |S_t − S_N|² < ε for all t ≥ N.",
        "Steps that depend on the path are not covered (deterministic_steps).",
    ),
    rests_on=("window_chain",),
)
