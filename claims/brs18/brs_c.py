r"""Part (c): the average at decreasing steps.

Hypotheses: those of ``projected``; R ≥ ‖θ*‖.
Model: one feature, R the least radius that no path leaves; T = 1,000.
Check: both sides in balls.
Closed form: ω(t + 1)(1 − 1/(t + 1))e_t − ω(t + 1)e_{t+1} telescopes, and 1 + 4(1 + 2τ) ≤ 8(1 + τ).
Proof: the drift with half of its decrease, summed; the sums of ζ_t up to τ and after it.
"""

from tdcert.claims import kit
from tdcert.claims.brs18.brs_projection import exceeded
from tdcert.claims.brs18.projected import BIAS, Projected, expansion, part, part_c, sums_of_c
from tdcert.claims.dgb22.finite_time_moments import iterate
from tdcert.claims.kit import Name, Path, along, decide_relations, slow_chain

T = 1_000


def facts() -> list[kit.Fact]:
    """A path that leaves the ball of the draft's last subsection."""
    model, path = slow_chain(), Path((1, 0, 1, 0, 1), (0,) * 4)
    of = Projected.of(model)
    steps = of.decreasing(4)
    end = iterate("off_policy_td", 4, (steps, steps), Name(0))
    limit = of.printed_radius**2
    verdict = decide_relations(
        model, [(Name(limit), "<", along(path, end * end))], detail=f"θ_4² > R², R² ≤ {float(limit):.5g}"
    )
    said = (
        "on the slow pair the projection acts: with the radius of the draft the path 2 → 1 → 2 → 1 → 2 leaves the ball"
    )
    return [kit.Fact(said, model, verdict)]


CLAIM = part(
    "c",
    r"With $\alpha_t = \frac{1}{\omega(t+1)(1-\gamma)}$: $E\|V_{\bar\theta_T} - V_{\theta^*}\|_D^2 \le "
    r"\frac{8G^2(1 + \tau(\alpha_T))(1 + \log T)}{T(1-\gamma)^2\omega} + \frac{4G^2m\rho}{T(1-\rho)(1-\gamma)}$.",
    r"With a decaying stepsize $\alpha_t = 1/\omega (t+1) (1-\gamma)$",
    lambda model: [part_c(model, T)],
    lambda: kit.proved_for_all(BIAS, kit.shown(expansion, sums_of_c)),
    kit.FalseVariant("It holds without the projection, with the draft's R.", exceeded),
    ["the 8 in 8G²(1 + τ)", "the 4 in 4G²mρ"],
    facts=facts,
)
