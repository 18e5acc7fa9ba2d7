"""TD relative to a baseline: Sakha, Kamalapurkar, Meyn, Stability and Sensitivity Analysis of Relative
Temporal-Difference Learning, arXiv 2603.27874, 2026.
"""

import tdcert


@tdcert.algorithm(parameters={"theta": "d"}, estimates="discounted value up to a constant")
def relative_td(t, theta, alpha, *, baseline=(1,), weight=1):
    """Relative TD(0): Sakha et al., 2026; ``baseline`` is the mean feature of its law, ``weight`` its κ."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta - weight * (baseline @ theta)
    return theta + alpha * delta * t.phi
