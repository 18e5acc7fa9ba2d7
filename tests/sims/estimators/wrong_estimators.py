"""Known mistakes: each a single edit of one function of ``right_estimators``, with a part of the name it should get.

``name`` None: the mistake is to be caught, and has no name in ``sims/estimators/mistakes.py``.
"""

from __future__ import annotations

from typing import NamedTuple


class Edit(NamedTuple):
    """In ``function``, ``old`` (which stands there once) is replaced by ``new``."""

    function: str
    old: str
    new: str
    name: str | None


EDITS = (
    # where episodes meet
    Edit("gae_loop", "lam * goes_on * carried", "lam * carried", "the trace not stopped where an episode ends"),
    Edit("gae_scan_jax_style", "lam * (1 - cut) *", "lam * (1 - end) *", "carried across truncation"),
    Edit("gae_torch_style", "gamma * not_terminated *", "gamma * not_done *", "truncation treated as termination"),
    Edit("gae_loop", "gamma * alive * next", "gamma * next", "termination treated as truncation"),
    Edit("gae_by_powers", "(terminated | truncated)[:-1]", "terminated[:-1]", "carried across truncation"),
    Edit("gae_cleanrl", "1.0 - dones[t + 1]", "1.0 - dones[t]", "the flag of the step before"),
    Edit("gae_cleanrl", "gamma * nextvalues * nextnonterminal", "gamma * nextvalues", "first state used at every cut"),
    Edit("gae_cleanrl", "gae_lambda * nextnonterminal * last", "gae_lambda * last", "the trace not stopped"),
    Edit("gae_done_after_step", "next_value * (1 - done)", "next_value", "first state used at every cut"),
    Edit("gae_next_step", "following * ~terminated", "following * ~(terminated | truncated)", "truncation treated"),
    Edit("gae_double_sum", "~ends[s]", "~terminated[s]", "carried across truncation"),
    Edit("n_step_loop", "if terminated[s, b] or truncated[s, b]:", "if terminated[s, b]:",
         "runs on into the next episode"),
    Edit("n_step_ring", " or index == newest", "", None),
    Edit("lambda_return_done", "gamma * (1 - dones[t]) *", "gamma *", "episode ends ignored"),
    Edit("discounted_return_loop", "np.where(truncated[t], next_values[t], ahead)", "ahead",
         "runs on into the next episode"),
    Edit("gae_padded", "length[row] - 1", "rewards.shape[1] - 1", None),
    # rewards, values, the end of the row
    Edit("gae_loop", "delta = rewards[t] +", "delta = rewards[t] * alive +", "the reward of the terminal step dropped"),
    Edit("gae_cleanrl", "1.0 - next_done, next_value", "1.0 - next_done, values[t]", "V(s_{T−1}) used"),
    Edit("gae_cleanrl", "1.0 - next_done, next_value", "1.0, next_value", "even after termination"),
    Edit("gae_done_after_step", "(np.zeros_like(last_value), last_value)",
         "(np.zeros_like(last_value), 0 * last_value)",
         "no bootstrap at the end of the row"),
    Edit("gae_next_step", "np.concatenate([values[1:], last_value[None]])", "np.roll(values, -1, axis=0)", "a roll"),
    Edit("gae_cleanrl", "in reversed(range(len(rewards)))", "in reversed(range(len(rewards) - 1))",
         "the last step never updated"),
    Edit("gae_double_sum", "gamma * np.where(terminated, 0, next_values)",
         "gamma * gamma * np.where(terminated, 0, next_values)", "the discount applied twice"),
    Edit("gae_by_powers", "float(gamma * lam)", "float(lam)", "γ missing from the trace"),
    Edit("gae_by_powers", "    episode = np.cumsum(", "    powers[powers < 1e-7] = 0\n    episode = np.cumsum(", None),
    Edit("gae_loop", "gamma * lam * goes_on", "gamma * goes_on", "λ missing from the trace"),
    Edit("gae_torch_style", "zip(td_errors[::-1], not_done[::-1], strict=True)", "zip(td_errors, not_done)", None),
    Edit("gae_torch_style", "gamma * not_terminated * next_values", "not_terminated * next_values", "γ missing from δ"),
    Edit("gae_in_chunks", "after = np.zeros_like(rewards[0])\n", "after = rewards[-1] * 0 + 1\n", None),
    Edit("gae_in_chunks", "begin in reversed(range(0, steps, 3))", "begin in range(0, steps, 3)", None),
    Edit("gae_loop", "return advantages, advantages + values",
         "advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)\n"
         "    return advantages, advantages + values", None),
    Edit("gae_spinning_style", "advantages = discount_cumsum(deltas, gamma * gae_lambda)\n",
         "advantages = discount_cumsum(deltas, gamma * gae_lambda)\n"
         "    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)\n",
         "normalised before the targets"),
    Edit("gae_from_lambda_returns", "return returns - values, returns", "return returns, returns",
         "the advantage is the target"),
    Edit("gae_scan_jax_style", "return advantages, advantages + values", "return advantages, advantages",
         "the target is the advantage"),
    Edit("lambda_return_loop", "(1 - lam) * next_values[t] + lam * ahead", "lam * next_values[t] + (1 - lam) * ahead",
         "1 − λ used for λ"),
    Edit("lambda_return_mixture", "weight *= lam", "weight *= 1.0", "λ missing from the weight"),
    Edit("lambda_return_done", "ahead, returns = last_value,", "ahead, returns = 0 * last_value,",
         "the recursion begun from 0"),
    Edit("gae_doubling", "np.concatenate([total[reach:], nothing])", "np.roll(total, -reach, axis=0)", None),
    # n-step
    Edit("n_step_loop", "total + discount * (0.0", "total + gamma * (0.0", "γ used for γⁿ"),
    Edit("n_step_loop", "min(t + n, steps)", "min(t + n + 1, steps)", "n + 1 steps"),
    Edit("n_step_loop", "min(t + n, steps)", "min(t + max(n - 1, 1), steps)", "n − 1 steps"),
    Edit("n_step_loop", "total + discount * (0.0", "total + (t + n <= steps) * discount * (0.0",
         "missing for the last n − 1 steps"),
    Edit("n_step_loop", "total + discount * (0.0", "total + gamma ** n * (0.0", "fewer than n steps are left"),
    Edit("n_step_by_iteration", "cut[-1] = True", "pass", None),
    Edit("n_step_by_iteration", "range(n - 1)", "range(n)", "n + 1 steps"),
    Edit("n_step_ring", " or index == newest", "", "a ring that wraps"),
    Edit("n_step_ring", "newest = (position - 1) % size", "newest = size - 1", "as if its first entry were the oldest"),
    # resets and padding
    Edit("gae_next_step", "~(terminated | truncated)", "np.ones_like(terminated)", "through the reset entry"),
    Edit("gae_next_step", "~(terminated | truncated)", "~terminated", "through the reset entry after truncation"),
    Edit("gae_padded", "range(length[row] - 1, -1, -1)", "range(len(mask[row]) - 1, -1, -1)",
         "padding taken for steps"),
    Edit("gae_padded", "following, last = last_value[row]",
         "following, last = np.append(values[row], last_value[row])[length[row]]", "a value of the padding used"),
    Edit("gae_padded", "following, last = last_value[row]",
         "following, last = last_value[row] * (length[row] == len(mask[row]))", "no bootstrap after the last step"),
    # off-policy
    Edit("vtrace_loop", "rho, c = np.minimum(1.0, ratios),", "rho, c = ratios,", "in δ and in the advantage"),
    Edit("vtrace_loop", "np.minimum(1.0, ratios), np.minimum(1.0, ratios)", "ratios, ratios",
         "V-trace without ρ̄ and c̄"),
    Edit("vtrace_loop", "np.minimum(1.0, ratios), np.minimum(1.0, ratios)", "np.minimum(1.0, ratios), ratios",
         "ρ not clipped in the trace"),
    Edit("vtrace_loop", "rho * (rewards + discounts * next_values - values)",
         "rho * rewards + discounts * next_values - values", "missing parentheses: ρR"),
    Edit("vtrace_loop", "rho * (rewards + discounts * next_values - values)",
         "rho * (rewards + discounts * next_values) - values", "missing parentheses: ρ(R + γV')"),
    Edit("vtrace_loop", "goes_on[t] * c[t] *", "goes_on[t] * c[min(t + 1, len(c) - 1)] *", "c of the next step used"),
    Edit("vtrace_loop", "np.concatenate([targets[1:], next_values[-1:]])",
         "np.concatenate([values[1:], next_values[-1:]])", "V(s_{t+1}) used for the target"),
    Edit("vtrace_loop", "advantages = rho * (", "advantages = (", "ρ missing from the advantage"),
    Edit("vtrace_scan_jax_style", "delta = rho * (", "delta = (", "ρ missing from δ"),
    Edit("vtrace_scan_jax_style", "ahead = np.where(cut, next_value, target)", "ahead = target", None),
    Edit("retrace_loop", "goes_on * c[t + 1]", "goes_on * c[t]", "c_t for c_{t+1}"),
    Edit("retrace_loop", "lam * np.minimum(1.0, rhos)", "lam * rhos", "ρ not clipped in the trace"),
    Edit("retrace_loop", "lam * np.minimum(1.0, rhos)", "np.minimum(1.0, rhos)", "λ missing from the trace"),
    Edit("tree_backup_loop", "lam * policy[t] * errors[t]", "policy[t] * errors[t]", "λ missing"),
    Edit("q_lambda_loop", "gamma * lam * ~(terminated[t] | truncated[t])", "gamma * lam * ~terminated[t]",
         "carried across truncation"),
    Edit("per_decision_loop", "ahead = rhos[t] * (rewards[t] + gamma * ahead)",
         "ahead = rewards[t] + gamma * rhos[t] * ahead",
         "the ratio one step late"),
    # schedules, average reward
    Edit("schedule_return_sum", "lambdas[k] if k < len(lambdas)", "lambdas[t] if t < len(lambdas)",
         "counted from the row's first step"),
    Edit("equal_weights_mean", "range(n1, n2 + 1)", "range(n1, max(n2, n1 + 1))", None),
    Edit("off_policy_schedule_recursion", "return rhos[t] * (rewards[t] +", "return (rewards[t] +",
         "the ratios missing"),
    Edit("differential_gae_loop", "rewards - mean_reward", "rewards", "the mean reward not taken off"),
)  # fmt: skip
