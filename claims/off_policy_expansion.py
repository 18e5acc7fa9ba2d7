r"""The off-policy return as a sum of TD errors.

Place: §3, the first display.
Statement: printed, G_t − V(s_t) = Σ_k γᵏc_k ρ_t…ρ_{t+k} δ_{t+k} for the per-decision return. Along a path this fails
for the return that §3 defines two pages later; corrected, the difference is Σ_k γᵏc_k ρ_t…ρ_{t+k−1}(ρ_{t+k} −
1)V(s_{t+k}), with mean zero under coverage. Read as the definition of a return with control variates it is right, and
then Theorem 3.4 needs no coverage.
Hypotheses: coverage, for the mean.
Model: any.
Check: the identity along a few paths; the two means from each state, in matrix form, and over all paths where they are
few.
Closed form: X = ρδ + (ρ − 1)V + ργλ_1 X' for X = G^ρ − V; the means differ by S((q − 1)∘V).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation
from claims.models import UNCOVERED, signed_lambda_models
from theory.arithmetic import RationalMatrix
from theory.check import identities_views as identities
from theory.check.hypotheses import COVERAGE, LAMBDAS
from theory.check.paths import decide_along, discounts, some_paths, some_theta, together, total
from theory.check.relations import Expression, Path, Relation, decide_relations
from theory.check.views import BELLMAN, EXPANDED, V_THETA, few
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

LONGEST = 12
"""Schedules up to this length are written out along paths."""


def ratios(last: int) -> Expression:
    """ρ_0…ρ_last; 1 for last = −1."""
    product: Expression = "1"
    for k in range(last + 1):
        product = ("*", f"rho:{k}", product)
    return product


def expansion(model: Model, length: int) -> Expression:
    """Σ_k Γ_0…Γ_{k−1} c_k ρ_0…ρ_k δ_k, as §3 prints it."""
    steps = range(length + 1)
    return total([("*", ("*", discounts(model, 0, k), ("*", f"c:{k}", ratios(k))), f"delta:{k}") for k in steps])


def control_variates(model: Model, length: int) -> Expression:
    """Σ_k Γ_0…Γ_{k−1} c_k ρ_0…ρ_{k−1}(ρ_k − 1) v_k."""
    return total(
        [
            (
                "*",
                ("*", discounts(model, 0, k), ("*", f"c:{k}", ratios(k - 1))),
                ("*", ("-", f"rho:{k}", "1"), f"v:{k}"),
            )
            for k in range(length + 1)
        ]
    )


def prove() -> tuple[ScopedEvidence, ...]:
    """The step of an induction over L, and the whole identity on the suite's own returns."""
    lengths = range(5)
    if not identities.expansion_step():
        raise ProofError("the induction step fails")
    if not all(identities.pathwise_expansion_identity(length) for length in lengths):
        raise ProofError("return and δ-expansion do not differ by the control variates")
    if not all(identities.backward_view_identity(m, length) for m, length in ((2, 0), (1, 1))):
        raise ProofError("the means do not differ by S((q − 1)∘V)")
    return (
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 1,
            "induction over L: X = ρδ + (ρ − 1)V + ργλ_1 X' for X = G^ρ − V(s_t), X' that of λ_2, …, base X' = 0 (G = "
            "V) at the end",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(lengths),
            "the suite's own return, expansion and gap with free rewards, discounts, ratios, values and λ's, L = 0 … 4",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """G^ρ − V = expansion + control variates along paths, and equal means from each state."""
    theta = some_theta(model.d)
    means: list[Relation] = [(("-", BELLMAN, V_THETA), "=", EXPANDED)]
    length = model.schedule.length
    if length is not None and few(model, range(model.n), length + 1):
        for s in range(model.n):
            left = ("E", "mu", s, length + 1, ("-", "Grho", "v:0"))
            means.append((left, "=", ("E", "mu", s, length + 1, expansion(model, length))))
    verdicts = [decide_relations(model, means, kernel="covered", theta=theta)]
    if length is not None and length <= LONGEST:
        right = ("+", expansion(model, length), control_variates(model, length))
        pathwise: Relation = (("-", "Grho", "v:0"), "=", right)
        verdicts.append(decide_along(model, some_paths(model, length + 1), [pathwise], theta=theta))
    return together(verdicts, "the expansion with its control variates along paths, and equal means from each state")


def coin_flipper() -> Model:
    """One state, two actions, μ = (½, ½), π = (1, 0), no rewards, γ = ½, TD(0)."""
    half, one, zero = Fraction(1, 2), RationalMatrix([[1]]), RationalMatrix([[0]])
    return Model(
        ("taken", "never meant"), (one, one), (zero, zero), (one.scaled(half),) * 2,
        RationalMatrix([[half, half]]), RationalMatrix([[1, 0]]), one, Schedule(), "one state, two actions",
    )  # fmt: skip


def judge_stated() -> Refutation:
    """One state, ρ = 2, γ = ½, θ = 1, no rewards: G − V = 2·½ − 1 = 0, and ρδ = 2(½ − 1) = −1."""
    model = coin_flipper()
    path = Path((0, 0), (0,))
    verdict = decide_relations(
        model, [(("on", path, ("-", "Grho", "v:0")), "=", ("on", path, expansion(model, 0)))], theta=[1]
    )
    if verdict.status is Status.REFUTED:
        values = {"G − V": verdict.witness["left value"], "ρδ": verdict.witness["right value"]}
        detail = "along one step with ρ = 2 the return of §3 and the expansion differ by (ρ − 1)V"
        verdict = replace(verdict, detail=detail, witness={"ρ": "2", "θ": "1", "γ": "1/2", "R": "0", **values})
    return Refutation(verdict, model)


CLAIM = Claim(
    id="off_policy_expansion",
    stated=Reading(
        r"$G_t - V_\theta(s_t) = \sum_{k=0}^{L} \gamma^k c_k \rho_t \cdots \rho_{t+k} \delta_{t+k}$ for the "
        r"per-decision return."
    ),
    corrected=Reading(
        r"$G_t^\rho - V_\theta(s_t) = \sum_{k=0}^{L} \gamma^k c_k \rho_t \cdots \rho_{t+k} \delta_{t+k} + "
        r"\sum_{k=0}^{L} \gamma^k c_k \rho_t \cdots \rho_{t+k-1} (\rho_{t+k} - 1) V_\theta(s_{t+k})$; under coverage "
        r"the last sum has mean zero given $s_t$."
    ),
    correction=Finding.FALSE,
    judge_stated=judge_stated,
    hypotheses=(COVERAGE,),
    anchors=(
        r"&= \rho_{t}\delta_{t} + \gamma\lambda_{1}\rho_{t}\rho_{t+1}\delta_{t+1}",
        r"we obtain the off-policy $\lambda$-schedule return as",
    ),
    check=check,
    prove=prove,
    ablations=(
        Ablation(COVERAGE, box=UNCOVERED, note="along a path it holds without"),
        Ablation(LAMBDAS, supports=signed_lambda_models),
    ),
    rests_on=("delta_expansion", "bellman_operator"),
)
