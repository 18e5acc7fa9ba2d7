r"""Lemma 3.3: the index shift under stationarity.

Place: §3, proof in A3.3.
Statement: E_μ[ρ_tγλ_1 δ_{t+1}^{[λ_2:λ_L],ρ} φ_t] = E_μ[ρ_{t−1}γλ_1 δ_t^{[λ_2:λ_L],ρ} φ_{t−1}].
Hypotheses: none on the model; E_μ is the mean along the stationary chain.
Model: any; each recurrent class on its own.
Check: the mean at t = 1 against the mean at t = 0 over all paths from the law, where the paths are few and L ≤ 6; for
every model the matrix form, ΦᵀD Y = Φᵀdiag(dP_μ) Y with Y = λ_1 N(T'V − V).
Closed form: E_d[f at t + 1] − E_d[f at t] = (dP_μ − d)g, g_s = E[f at t | s_t = s].
"""

from tdcert.claims import kit
from tdcert.claims.kit import Expr, Expression, Model, Relation, Verdict, diagonal, expected, its, some_theta
from tdcert.theory.expressions.forward_views import BELLMAN, V_THETA, summable
from tdcert.theory.identities import forward_backward as identities

Y: Expression = BELLMAN - its.r - Expr(("@", its.N, *V_THETA[1:]))
"""λ_1 N(T'V − V) = S r − r + MV − NV: the mean of ρ_tΓ_tλ_1 δ_{t+1}^{[λ_2:λ_L],ρ} from each state."""

LONGEST_UNROLLED = 6
"""Most λ's whose return is unrolled: five levels each, and a certificate nests at most 40 deep."""


def per_decision_return(t: int, j: int, length: int) -> Expression:
    """G_t^{[λ_j:λ_L],ρ} along a path, unrolled from the recursion of §3."""
    onward: Expression = its.v(t + 1)
    if j <= length:
        bootstrap = (1 - its.lambda_(j)) * its.v(t + 1)
        onward = bootstrap + its.lambda_(j) * per_decision_return(t + 1, j + 1, length)
    return its.rho(t) * (its.reward(t) + its.discount(t) * onward)


def shifted_error(t: int, length: int) -> Expression:
    """ρ_tΓ_tλ_1 (G_{t+1}^{[λ_2:λ_L],ρ} − V(s_{t+1})) φ_t along a path."""
    error = per_decision_return(t + 1, 2, length) - its.v(t + 1)
    weight = its.lambda_(1) * (its.discount(t) * error)
    return its.rho(t) * weight * its.phi(t)


def prove() -> kit.Proof:
    """The mean one step later is the mean from P_μ's law of that step, on all paths of a free process."""
    sizes = ((2, 1, 1), (2, 2, 1), (2, 1, 2))
    return kit.proved(
        "E[f at t = 1 | s_0] = Σ P_μ(s_0, j) E[f at t = 0 | s_0 = j] for free μ, ρ, P, rewards, φ, V, γ, λ; so the "
        "two means differ by (dP_μ − d)g; (n, actions, L) = " + ", ".join(map(str, sizes)),
        kit.shown(identities.index_shift_identity, at=sizes),
    )


def check(model: Model) -> Verdict:
    """The mean at t = 1 and at t = 0, on every recurrent class."""
    return shift_from(model, "d")


@kit.each_class
def shift_from(model: Model, states: kit.States, start: str | int) -> Verdict:
    """Decides the lemma from any start: the law, or one state, from which the lemma may fail."""
    left: Expression = its.Phi.T @ diagonal(its.P_mu.T @ its.d) @ Y
    relations: list[Relation] = [(left, "=", its.Phi.T @ its.D @ Y)]
    length = summable(model, states, more=1)
    if length and length <= LONGEST_UNROLLED:  # for L = 0 both sides are zero
        now = expected("mu", start, length + 1, shifted_error(0, length))
        later = expected("mu", start, length + 2, shifted_error(1, length))
        relations.append((later, "=", now))
        if start == "d":
            relations.append((now, "=", its.Phi.T @ its.D @ Y))
    return kit.decide_relations(model, relations, states=states, kernel="covered", theta=some_theta(model.d))


CLAIM = kit.Claim(
    id="lemma_3_3",
    stated=kit.Reading(
        r"$E_\mu[\rho_t \gamma \lambda_1 \delta_{t+1}^{[\lambda_2:\lambda_L],\rho} \phi_t] = E_\mu[\rho_{t-1} \gamma "
        r"\lambda_1 \delta_t^{[\lambda_2:\lambda_L],\rho} \phi_{t-1}]$ along the stationary chain.",
        quote=(
            r"$\mathbb{E}_{\mu}\left[\rho_{t}\gamma\lambda_{1}\delta_{t+1}^{[\lambda_{2}:\lambda_{L}],\rho}(\theta)"
            r"\phi_{t}\right] = "
            r"\mathbb{E}_{\mu}\left[\rho_{t-1}\gamma\lambda_{1}\delta_{t}^{[\lambda_{2}:\lambda_{L}],\rho}(\theta)\phi_{t-1}\right]$"
        ),
        place="§3, Lemma 3.3",
    ),
    anchors=(r"\label{index_change_lemma}", r"\delta_{t:t+L-1}\delta_{t+L-1}"),
    check=check,
    prove=prove,
    notes=(
        "The last display of A3.3 has slips: δ_{t:t+L−1} for ρ_{t:t+L−1}, and δ_{t+1} is missing after ρ_{t:t+1}.",
        "A3.3 expands δ^ρ as Σ γᵏc_k ρ…ρ δ inside of the expectation, which takes coverage; the shift needs neither.",
    ),
    rests_on=("off_policy_expansion",),
)
