"""An update that the suite OffpolicyAlgorithms has and that does not ship, declared to be held against it."""

import tdcert


@tdcert.algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def pgtd2(t, theta, w, alpha, beta):
    """Proximal GTD2 (Liu et al. 2015) at λ = 0, with ρ where Maei's GTD2(λ) has it.

    With a trace it is not affine: the middle θ holds the trace, and the error taken there multiplies it again.
    """
    z = t.rho * t.phi
    ahead = t.discount * t.phi_next
    delta = t.reward + ahead @ theta - t.phi @ theta
    w_middle = w + beta * (delta * z - (t.phi @ w) * t.phi)
    theta_middle = theta + alpha * ((t.phi @ w) * t.phi - (z @ w) * ahead)
    delta = t.reward + ahead @ theta_middle - t.phi @ theta_middle
    return (
        theta + alpha * ((t.phi @ w_middle) * t.phi - (z @ w_middle) * ahead),
        w + beta * (delta * z - (t.phi @ w_middle) * t.phi),
    )
