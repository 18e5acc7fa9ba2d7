r"""V-trace on-policy is the n-step return.

Place: §3, the δ-expansion with importance ratios; the target is that of Espeholt et al. 2018, (1).
Statement: v_t = V(s_t) + Σ_{k<H} γᵏ c_t…c_{t+k−1} ρ̂_{t+k} δ_{t+k} with ρ̂ = min(ρ̄, ρ), c = min(c̄, ρ) and ρ̄, c̄ ≥ 1 is
Σ_{k<H} γᵏ R_{t+k+1} + γᴴ V(s_{t+H}) where the data are on-policy.
Hypotheses: π = μ in every state, for paths begin anywhere, so that every ρ is 1 and no minimum acts. The discount may
depend on the transition.
Model: any; its paths, H one more than the length of the schedule (4 for a schedule without end).
Check: the sum with its ratios against the n-step return along each path.
Closed form: v = R + γv' at ρ = 1.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22.off_policy_expansion import ratios
from tdcert.claims.kit import Model, Relation, Verdict, decide_along, its, some_paths, some_theta, total
from tdcert.theory.check.hypotheses import ON_POLICY_EVERYWHERE
from tdcert.theory.expressions.paths import discounts
from tdcert.theory.identities import estimators as identities

LONGEST = 6
"""Most steps that a path has here."""


def prove() -> kit.Proof:
    """Induction over H, and the suite's own V-trace with and without clipping."""
    return kit.proved_for_all(
        "induction over H, base H = 1 (v = R + γV'); step v − V = δ + γ(v' − V') gives v = R + γv', with a discount of "
        "its own for every step; min(1, 1) = 1",
        kit.shown(identities.vtrace_step),
    ) + kit.proved(
        "the suite's own V-trace at ρ = 1, clipped at 1 and not, against the flat return, symbolic rewards, values and "
        "a discount for every transition, H = 1 … 5",
        kit.shown(identities.vtrace_on_policy, at=range(1, 6)),
    )


def check(model: Model) -> Verdict:
    """V(s_0) + Σ_k Γ_0…Γ_{k−1} ρ_0…ρ_k δ_k = Σ_k Γ_0…Γ_{k−1} R_k + Γ_0…Γ_{H−1} V(s_H) along some paths."""
    length = model.schedule.length
    steps = range(min(LONGEST, 4 if length is None else length + 1))
    errors = [discounts(model, 0, k) * ratios(k) * its.delta(k) for k in steps]
    rewards = [discounts(model, 0, k) * its.reward(k) for k in steps]
    last = len(steps)
    flat = total([*rewards, discounts(model, 0, last) * its.v(last)])
    relation: Relation = (total([its.v(0), *errors]), "=", flat)
    paths = some_paths(model, last)
    return decide_along(model, paths, [relation], theta=some_theta(model.d), detail=f"{last} steps")


CLAIM = kit.Claim(
    id="vtrace_on_policy",
    stated=kit.Reading(
        r"Where $\pi = \mu$ and $\bar\rho, \bar c \ge 1$, the V-trace target over $H$ steps is the $H$-step return: "
        r"$V(s_t) + \sum_{k=0}^{H-1} \gamma^k c_t \cdots c_{t+k-1} \hat\rho_{t+k} \delta_{t+k} = \sum_{k=0}^{H-1} "
        r"\gamma^k R_{t+k+1} + \gamma^H V(s_{t+H})$."
    ),
    anchors=(r"we obtain the off-policy $\lambda$-schedule return as",),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(ON_POLICY_EVERYWHERE, box=models.OFF_POLICY_SURE),),
    rests_on=("delta_expansion", "n_step_special_case"),
)
