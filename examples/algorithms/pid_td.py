"""TD as a controller: Bedaywi, Rakhsha, Farahmand, PID Accelerated Temporal Difference Algorithms, RLC 2024."""

import tdcert


@tdcert.algorithm(parameters={"theta": "d", "integral": "d", "before": "d"})
def pid_td(t, theta, integral, before, alpha, *, kp=1, ki=0, kd=0, decay=0.95, gain=0.05):
    """PID TD at constant gains: Bedaywi et al., RLC 2024; ``decay`` and ``gain`` are its β and α."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    summed, change = decay * (t.phi @ integral) + gain * delta, t.phi @ (theta - before)
    return (
        theta + alpha * (kp * delta + ki * summed + kd * change) * t.phi,
        integral + alpha * (summed - t.phi @ integral) * t.phi,
        before + alpha * change * t.phi,
    )
