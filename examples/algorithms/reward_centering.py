"""TD whose rewards are centred: Naik, Wan, Tomar, Sutton, Reward Centering, RLC 2024."""

import tdcert


@tdcert.algorithm(
    parameters={"theta": "d", "mean_reward": 1},
    steps=("alpha", "eta"),
    estimates="discounted value up to a constant",
)
def centred_td(t, theta, mean_reward, alpha, eta):
    """TD with value-based reward centering, off-policy: Naik et al., RLC 2024; ``eta`` is its ηα."""
    delta = t.reward - mean_reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * t.rho * delta * t.phi, mean_reward + eta * t.rho * delta
