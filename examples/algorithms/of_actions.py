"""Algorithms that learn values of actions: ask about them on ``tdcert.state_action(model)``."""

import tdcert


@tdcert.algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="lam")
def expected_sarsa(t, theta, z, alpha, *, lam=0):
    """Expected Sarsa(λ) of a fixed policy: van Seijen et al., ADPRL 2009; the trace of Precup, Sutton, Singh, 2000."""
    z = t.phi + lam * z
    delta = t.reward + t.discount * (t.expected_phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * z, t.discount * t.rho * z


@tdcert.algorithm(parameters={"theta": "d", "w": "d"}, memory={"z": "d"}, steps=("alpha", "beta"), schedule="lam")
def gq(t, theta, w, z, alpha, beta, *, lam=0):
    """GQ(λ): Maei, Sutton, AGI 2010."""
    z = t.phi + lam * z
    gain = (t.reward + t.discount * (t.expected_phi_next @ theta) - t.phi @ theta) * z
    return (
        theta + alpha * (gain - t.discount * (1 - lam) * (z @ w) * t.expected_phi_next),
        w + beta * (gain - (t.phi @ w) * t.phi),
        t.discount * t.rho * z,
    )
