"""Updates that classes of ``declared_on_trial.py`` implement; there, their process would have to read tdcert."""

import tdcert


@tdcert.algorithm(parameters={"theta": "d", "bias": 1}, memory={"z": "d"}, steps=("alpha", "beta", "kappa"))
def with_bias(t, theta, bias, z, alpha, beta, kappa, *, lam=0, pull=1):
    """A file's own update: three steps, a number among the parameters."""
    z = t.discount_before * lam * z + t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta - bias
    return theta + alpha * t.rho * delta * z - kappa * pull * theta, bias + beta * delta, z


@tdcert.algorithm(parameters={"theta": "d", "w": 1}, steps=("alpha",))
def tripled(t, theta, w, alpha, *, factor=3):
    """Right paths have w = 0; whatever rounding makes of it is tripled."""
    return theta + alpha * (t.reward - t.phi @ theta) * t.phi + w * t.phi, factor * (w + t.reward - t.reward)
