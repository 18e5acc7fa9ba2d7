r"""The off-policy return as a sum of TD errors.

Place: §3, the first display.
Statement: the display defines the off-policy return (one with control variates), G_t − V(s_t) = Σ_k γᵏc_k ρ_t…ρ_{t+k}
δ_{t+k}, and the trace of §3 is its backward view: E_μ[(G_t − V(s_t))φ_t] = E_μ[δ_t z_t], with no need of coverage.
Sharper: the return that §3 defines later by a recursion differs from it along a path by Σ_k γᵏc_k ρ_t…ρ_{t+k−1}(ρ_{t+k}
− 1)V(s_{t+k}), which has mean zero given s_t under coverage.
Hypotheses: none; E_μ is the mean along the stationary chain.
Model: any; each recurrent class on its own.
Check: both views in matrix form, and over all paths where they are few; the identity along a few paths; under coverage
the two means from each state.
Closed form: X = ρδ + (ρ − 1)V + ργλ_1 X' for X = G^ρ − V; the means differ by S((q − 1)∘V).
"""

from collections.abc import Iterator, Sequence

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Model, Name, Relation, Verdict, decide_relations, expected, its, together
from tdcert.theory.check.hypotheses import COVERAGE_EVERYWHERE
from tdcert.theory.expressions.forward_views import BACKWARD, BELLMAN, EXPANDED, V_THETA, backward_mean, few, summable
from tdcert.theory.expressions.paths import discounts
from tdcert.theory.identities import forward_backward as identities
from tdcert.theory.identities.forms_and_norms import telescoping_base, telescoping_step
from tdcert.theory.model.gallery import uncovered_action

LONGEST = 12
"""Schedules up to this length are written out along paths."""


def ratios(last: int) -> Expression:
    """ρ_0…ρ_last; 1 for last = −1."""
    product: Expression = Name(1)
    for k in range(last + 1):
        product = its.rho(k) * product
    return product


def expansion(model: Model, length: int) -> Expression:
    """Σ_k Γ_0…Γ_{k−1} c_k ρ_0…ρ_k δ_k, as §3 prints it."""
    steps = range(length + 1)
    return kit.total([discounts(model, 0, k) * (its.c(k) * ratios(k)) * its.delta(k) for k in steps])


def control_variates(model: Model, length: int) -> Expression:
    """Σ_k Γ_0…Γ_{k−1} c_k ρ_0…ρ_{k−1}(ρ_k − 1) v_k."""
    return kit.total(
        [discounts(model, 0, k) * (its.c(k) * ratios(k - 1)) * ((its.rho(k) - 1) * its.v(k)) for k in range(length + 1)]
    )


def prove() -> kit.Proof:
    """Both views on symbols; for the return that §3 defines later the step of an induction, and the whole identity."""
    views = ((1, 0), (2, 0), (1, 1), (1, 2), (2, 1))
    kit.shown(identities.backward_view_identity, at=((2, 0), (1, 1)))
    kit.shown(telescoping_base, telescoping_step)
    return (
        kit.proved(
            "E_μ[(G_t − V(s_t))φ_t] = E_μ[δ_t z_t] for the return that is defined, π = μρ with free mass, summed over "
            "all paths of two stationary states, (actions, L) = " + ", ".join(map(str, views)),
            kit.shown(identities.expansion_view_identity, at=views),
        )
        + kit.proved(
            "of the sharper statement, the step of an induction over L: X = ρδ + (ρ − 1)V + ργλ_1 X' for X = G^ρ − "
            "V(s_t), X' that of λ_2, …, base X' = 0 (G = V) at the end",
            kit.shown(identities.expansion_step),
        )
        + kit.proved(
            "the suite's own return, expansion and gap with free rewards, discounts, ratios, values and λ's, L = 0 … 4",
            kit.shown(identities.pathwise_expansion_identity, at=range(5)),
        )
    )


def check(model: Model) -> Verdict:
    """Forward view of the defined return against the trace; G^ρ along paths, and its mean where μ covers π."""
    theta = kit.some_theta(model.d)
    length = model.schedule.length

    def views(states: kit.States) -> Verdict:
        relations: list[Relation] = [(its.Phi.T @ its.D @ EXPANDED, "=", BACKWARD)]
        summed = summable(model, states)
        if summed is not None and summed <= LONGEST:
            forward = expected("mu", "d", summed + 1, expansion(model, summed) * its.phi(0))
            relations += [(forward, "=", BACKWARD), (forward, "=", backward_mean(summed))]
        return decide_relations(model, relations, states=states, kernel="covered", theta=theta)

    def parts() -> Iterator[Verdict]:
        yield kit.on_each_class(views, model)
        if length is not None and length <= LONGEST:
            right = expansion(model, length) + control_variates(model, length)
            pathwise: Relation = (its.Grho - its.v(0), "=", right)
            yield kit.decide_along(model, kit.some_paths(model, length + 1), [pathwise], theta=theta)
        if not model.uncovered:
            yield decide_relations(model, mean_gap(model), kernel="covered", theta=theta)

    return together(parts(), "its backward view is the trace; G^ρ is it and control variates, of mean zero if covered")


def mean_gap(model: Model) -> list[Relation]:
    """E[G^ρ − V | s_t] is that of the expansion, from each state: the control variates have mean zero."""
    means: list[Relation] = [(BELLMAN - V_THETA, "=", EXPANDED)]
    length = model.schedule.length
    if length is not None and length <= LONGEST and few(model, range(model.n), length + 1):
        for s in range(model.n):
            means.append((expected("mu", s, length + 1, control_variates(model, length)), "=", "0"))
    return means


def facts() -> Sequence[kit.Fact]:
    """The two returns are not one along a path (ρ = 2); nor in the mean, where μ does not cover π."""
    model, path = models.coin_flipper(), kit.Path((0, 0), (0,))
    apart: list[Relation] = [
        (kit.along(path, its.Grho - its.v(0)), "=", "0"),
        (kit.along(path, expansion(model, 0)), "=", "-1"),
    ]
    uncovered = uncovered_action()
    gap = expected("mu", 0, 1, control_variates(uncovered, 0))
    return [
        kit.Fact(
            "one state, γ = ½, θ = 1, no rewards, ρ = 2: the return of the later recursion has G − V = 0, the one that "
            "the display defines −1",
            model,
            decide_relations(model, apart, theta=[1]),
        ),
        kit.Fact(
            "one state, μ = (1, 0), π = (½, ½), θ = 1: the control variates have the mean −½, not 0",
            uncovered,
            decide_relations(uncovered, [(gap, "=", "-1/2")], kernel="covered", theta=[1]),
        ),
    ]


CLAIM = kit.Claim(
    id="off_policy_expansion",
    stated=kit.Reading(
        r"The off-policy return is defined by $G_t - V_\theta(s_t) = \sum_{k=0}^{L} \gamma^k c_k \rho_t \cdots "
        r"\rho_{t+k} \delta_{t+k}$, and from it the algorithm with the trace $z_t$ of §3 is obtained, read in the "
        r"mean: $E_\mu[(G_t - V_\theta(s_t)) \phi_t] = E_\mu[\delta_t z_t]$.",
        quote=r"we obtain the off-policy $\lambda$-schedule return as",
        place="§3, before the first display",
    ),
    sharper=kit.Reading(
        r"The return $G_t^\rho$ that §3 later defines by a recursion differs from it along a path: $G_t^\rho - "
        r"V_\theta(s_t) = \sum_{k=0}^{L} \gamma^k c_k \rho_t \cdots \rho_{t+k} \delta_{t+k} + \sum_{k=0}^{L} \gamma^k "
        r"c_k \rho_t \cdots \rho_{t+k-1} (\rho_{t+k} - 1) V_\theta(s_{t+k})$; where $\mu$ covers $\pi$ the last sum "
        "has mean zero given $s_t$."
    ),
    anchors=(r"&= \rho_{t}\delta_{t} + \gamma\lambda_{1}\rho_{t}\rho_{t+1}\delta_{t+1}",),
    check=check,
    prove=prove,
    facts=facts,
    ablations=(
        kit.Ablation(
            COVERAGE_EVERYWHERE,
            supports=models.uncovered_models,
            note="coverage counts only where G^ρ is compared in the mean",
        ),
        kit.Ablation(kit.LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=(
        "A3.2 and A3.3 expand δ^ρ, made from the later return, into Σ γᵏc_k ρ…ρ δ inside of expectations: right under "
        "coverage. Along a path it would not be.",
        "If Theorem 3.4 is read with the return that is defined here, it needs no coverage.",
    ),
    rests_on=("delta_expansion", "bellman_operator", "telescoping"),
)
