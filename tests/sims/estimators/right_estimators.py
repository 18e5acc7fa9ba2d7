"""Right return estimators, as they are written: loops, sums of TD errors, scans, powers, chunks, whole matrices.

Each function's docstring is ``ESTIMATOR CONTRACT``. Those whose name says so are in the style of PyTorch or JAX, on
NumPy.
"""

import numpy as np

# ---- GAE: terminated, truncated, values of final states ---------------------------------------------------------


def gae_loop(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    advantages = np.zeros_like(rewards)
    carried = np.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        alive = 1.0 - terminated[t]
        goes_on = 1.0 - (terminated[t] | truncated[t])
        delta = rewards[t] + gamma * alive * next_values[t] - values[t]
        carried = delta + gamma * lam * goes_on * carried
        advantages[t] = carried
    return advantages, advantages + values


def gae_double_sum(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    steps = len(rewards)
    deltas = rewards + gamma * np.where(terminated, 0, next_values) - values
    ends = terminated | truncated
    advantages = np.zeros_like(rewards)
    for t in range(steps):
        weight = np.ones_like(rewards[t])
        for s in range(t, steps):
            advantages[t] += weight * deltas[s]
            weight = weight * gamma * lam * ~ends[s]
    return advantages, advantages + values


def gae_by_powers(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    steps = len(rewards)
    deltas = rewards + gamma * (1 - terminated) * next_values - values
    ahead = np.arange(steps)[None, :] - np.arange(steps)[:, None]
    powers = np.where(ahead >= 0, np.power(float(gamma * lam), np.maximum(ahead, 0)), 0.0).astype(rewards.dtype)
    episode = np.cumsum(np.vstack([np.zeros_like(terminated[:1]), (terminated | truncated)[:-1]]), axis=0)
    same = episode[:, None, :] == episode[None, :, :]
    advantages = np.einsum("ts,tsb,sb->tb", powers, same.astype(rewards.dtype), deltas)
    return advantages, advantages + values


def scan(step, carried, inputs):
    """What jax.lax.scan(..., reverse=True) does."""
    outputs = []
    for entry in reversed(list(zip(*inputs, strict=True))):
        carried, output = step(carried, entry)
        outputs.append(output)
    return carried, np.stack(outputs[::-1])


def gae_scan_jax_style(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""

    def step(advantage, transition):
        reward, value, next_value, end, cut = transition
        delta = reward + gamma * next_value * (1 - end) - value
        advantage = delta + gamma * lam * (1 - cut) * advantage
        return advantage, advantage

    cuts = np.logical_or(terminated, truncated)
    _, advantages = scan(step, np.zeros_like(rewards[0]), (rewards, values, next_values, terminated, cuts))
    return advantages, advantages + values


def gae_torch_style(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    not_terminated, not_done = ~terminated, ~(terminated | truncated)
    td_errors = rewards + gamma * not_terminated * next_values - values
    advantages, running = [], 0
    for td_error, mask in zip(td_errors[::-1], not_done[::-1], strict=True):
        running = td_error + gamma * lam * mask * running
        advantages.append(running)
    advantages = np.stack(advantages[::-1])
    return advantages, advantages + values


def gae_in_chunks(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    steps, advantages = len(rewards), np.zeros_like(rewards)
    after = np.zeros_like(rewards[0])
    for begin in reversed(range(0, steps, 3)):
        end = min(begin + 3, steps)
        for t in reversed(range(begin, end)):
            delta = rewards[t] + gamma * next_values[t] * ~terminated[t] - values[t]
            after = delta + gamma * lam * ~(terminated[t] | truncated[t]) * after
            advantages[t] = after
    return advantages, advantages + values


def gae_doubling(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    total = rewards + gamma * ~terminated * next_values - values
    factor = (gamma * lam * ~(terminated | truncated)).astype(rewards.dtype)
    reach, steps = 1, len(rewards)
    while reach < steps:
        nothing = np.zeros((reach, *rewards.shape[1:]), dtype=rewards.dtype)
        total = total + factor * np.concatenate([total[reach:], nothing])
        factor = factor * np.concatenate([factor[reach:], nothing])
        reach *= 2
    return total, total + values


def gae_from_lambda_returns(rewards, values, next_values, terminated, truncated, gamma, lam):
    """gae gymnasium-autoreset-same-step"""
    returns = lambda_return_loop(rewards, next_values, terminated, truncated, gamma, lam)
    return returns - values, returns


# ---- GAE: other conventions -------------------------------------------------------------------------------------


def gae_cleanrl(rewards, values, dones, next_value, next_done, gamma, gae_lambda):
    """gae cleanrl-done"""
    advantages, last = np.zeros_like(rewards), 0
    for t in reversed(range(len(rewards))):
        if t == len(rewards) - 1:
            nextnonterminal, nextvalues = 1.0 - next_done, next_value
        else:
            nextnonterminal, nextvalues = 1.0 - dones[t + 1], values[t + 1]
        delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
        advantages[t] = last = delta + gamma * gae_lambda * nextnonterminal * last
    return advantages, advantages + values


def gae_done_after_step(rewards, values, dones, last_value, gamma, gae_lambda):
    """gae done-after-step"""

    def step(carried, transition):
        advantage, next_value = carried
        reward, value, done = transition
        delta = reward + gamma * next_value * (1 - done) - value
        advantage = delta + gamma * gae_lambda * (1 - done) * advantage
        return (advantage, value), advantage

    _, advantages = scan(step, (np.zeros_like(last_value), last_value), (rewards, values, dones))
    return advantages, advantages + values


def gae_next_step(rewards, values, last_value, terminated, truncated, gamma, gae_lambda):
    """gae gymnasium-autoreset-next-step"""
    following = np.concatenate([values[1:], last_value[None]])
    deltas = rewards + gamma * following * ~terminated - values
    goes_on = ~(terminated | truncated)
    advantages, last = np.zeros_like(rewards), 0
    for t in reversed(range(len(rewards))):
        advantages[t] = last = deltas[t] + gamma * gae_lambda * goes_on[t] * last
    return advantages, advantages + values


def discount_cumsum(x, discount):
    """Σ_k discountᵏ x_{t+k}."""
    found, total = np.zeros_like(x), 0.0
    for t in range(len(x) - 1, -1, -1):
        total = x[t] + discount * total
        found[t] = total
    return found


def gae_spinning_style(rewards, values, last_value, gamma, gae_lambda):
    """gae single-episode"""
    values_on = np.append(values, last_value).astype(rewards.dtype)
    deltas = rewards + gamma * values_on[1:] - values_on[:-1]
    advantages = discount_cumsum(deltas, gamma * gae_lambda)
    return advantages, advantages + values


def gae_padded(rewards, values, last_value, mask, gamma, gae_lambda):
    """gae padded-episodes"""
    advantages, length = np.zeros_like(rewards), mask.sum(axis=1).astype(int)
    for row in range(len(rewards)):
        following, last = last_value[row], 0.0
        for t in range(length[row] - 1, -1, -1):
            last = rewards[row, t] + gamma * following - values[row, t] + gamma * gae_lambda * last
            following = values[row, t]
            advantages[row, t] = last
    return advantages, (advantages + values) * mask


# ---- returns ----------------------------------------------------------------------------------------------------


def lambda_return_loop(rewards, next_values, terminated, truncated, gamma, lam):
    """lambda_return gymnasium-autoreset-same-step"""
    returns = np.zeros_like(rewards)
    ahead = next_values[-1]
    for t in reversed(range(len(rewards))):
        cut = terminated[t] | truncated[t]
        mixed = np.where(cut, next_values[t], (1 - lam) * next_values[t] + lam * ahead)
        ahead = rewards[t] + gamma * ~terminated[t] * mixed
        returns[t] = ahead
    return returns


def lambda_return_mixture(rewards, next_values, terminated, truncated, gamma, lam):
    """lambda_return gymnasium-autoreset-same-step"""
    steps, ends = len(rewards), terminated | truncated
    returns = np.zeros_like(rewards)
    for b in range(rewards.shape[1]):
        for t in range(steps):
            weight, total, discount, found = 1.0, 0.0, 1.0, 0.0
            for s in range(t, steps):
                total = total + discount * rewards[s, b]
                discount = discount * gamma * (not terminated[s, b])
                if ends[s, b] or s == steps - 1:
                    found += weight * (total + discount * next_values[s, b])
                    break
                found += weight * (1 - lam) * (total + discount * next_values[s, b])
                weight *= lam
            returns[t, b] = found
    return returns


def lambda_return_done(rewards, values, dones, last_value, gamma, gae_lambda):
    """lambda_return done-after-step"""
    following = np.concatenate([values[1:], last_value[None]])
    ahead, returns = last_value, np.zeros_like(rewards)
    for t in reversed(range(len(rewards))):
        ahead = rewards[t] + gamma * (1 - dones[t]) * ((1 - gae_lambda) * following[t] + gae_lambda * ahead)
        returns[t] = ahead
    return returns


def discounted_return_loop(rewards, next_values, terminated, truncated, gamma):
    """discounted_return gymnasium-autoreset-same-step"""
    returns, ahead = np.zeros_like(rewards), next_values[-1]
    for t in reversed(range(len(rewards))):
        ahead = np.where(truncated[t], next_values[t], ahead)
        ahead = rewards[t] + gamma * ~terminated[t] * ahead
        returns[t] = ahead
    return returns


def discounted_return_single(rewards, last_value, gamma):
    """discounted_return single-episode"""
    return discount_cumsum(np.append(rewards, last_value), gamma)[:-1]


def n_step_loop(rewards, next_values, terminated, truncated, gamma, n):
    """n_step gymnasium-autoreset-same-step"""
    steps, returns = len(rewards), np.zeros_like(rewards)
    for b in range(rewards.shape[1]):
        for t in range(steps):
            total, discount = 0.0, 1.0
            for s in range(t, min(t + n, steps)):
                total += discount * rewards[s, b]
                discount *= gamma
                if terminated[s, b] or truncated[s, b]:
                    break
            returns[t, b] = total + discount * (0.0 if terminated[s, b] else next_values[s, b])
    return returns


def n_step_by_iteration(rewards, next_values, terminated, truncated, gamma, n):
    """n_step gymnasium-autoreset-same-step"""
    cut = terminated | truncated
    cut[-1] = True
    target = np.where(terminated, 0, next_values)
    returns = rewards + gamma * target
    for _ in range(n - 1):
        shifted = np.concatenate([returns[1:], returns[-1:]])
        returns = rewards + gamma * np.where(cut, target, shifted)
    return returns


def n_step_ring(rewards, next_values, terminated, truncated, position, gamma, n):
    """n_step replay-ring"""
    size = len(rewards)
    newest = (position - 1) % size
    returns = np.zeros_like(rewards)
    for start in range(size):
        index, total, discount = start, 0.0, 1.0
        for k in range(n):
            total += discount * rewards[index]
            discount *= gamma
            if terminated[index] or truncated[index] or index == newest or k == n - 1:
                break
            index = (index + 1) % size
        returns[start] = total + discount * next_values[index] * (1 - terminated[index])
    return returns


# ---- off-policy -------------------------------------------------------------------------------------------------


def vtrace_loop(log_rhos, rewards, values, next_values, terminated, truncated, gamma):
    """vtrace gymnasium-autoreset-same-step"""
    ratios = np.exp(log_rhos)
    rho, c = np.minimum(1.0, ratios), np.minimum(1.0, ratios)
    discounts, goes_on = gamma * ~terminated, ~(terminated | truncated)
    deltas = rho * (rewards + discounts * next_values - values)
    errors, carried = np.zeros_like(rewards), np.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        carried = deltas[t] + discounts[t] * goes_on[t] * c[t] * carried
        errors[t] = carried
    targets = values + errors
    shifted = np.concatenate([targets[1:], next_values[-1:]])
    ahead = np.where(goes_on, shifted, next_values)
    ahead[-1] = next_values[-1]
    advantages = rho * (rewards + discounts * ahead - values)
    return targets, advantages


def vtrace_scan_jax_style(log_rhos, rewards, values, next_values, terminated, truncated, gamma):
    """vtrace gymnasium-autoreset-same-step"""
    rhos = np.exp(log_rhos)
    clipped = np.where(rhos > 1.0, np.ones_like(rhos), rhos)

    def step(carried, inputs):
        error, target = carried
        rho, reward, value, next_value, end, cut = inputs
        delta = rho * (reward + gamma * (1 - end) * next_value - value)
        error = delta + gamma * (1 - cut) * rho * error
        ahead = np.where(cut, next_value, target)
        advantage = rho * (reward + gamma * (1 - end) * ahead - value)
        return (error, value + error), np.stack([value + error, advantage])

    inputs = (clipped, rewards, values, next_values, terminated, terminated | truncated)
    _, found = scan(step, (np.zeros_like(rewards[0]), next_values[-1]), inputs)
    return found[:, 0], found[:, 1]


def retrace_loop(rewards, action_values, next_values, rhos, terminated, truncated, gamma, lam):
    """retrace gymnasium-autoreset-same-step"""
    c = lam * np.minimum(1.0, rhos)
    targets = np.zeros_like(rewards)
    for t in reversed(range(len(rewards))):
        ahead = next_values[t]
        if t + 1 < len(rewards):
            goes_on = ~(terminated[t] | truncated[t])
            ahead = ahead + goes_on * c[t + 1] * (targets[t + 1] - action_values[t + 1])
        targets[t] = rewards[t] + gamma * ~terminated[t] * ahead
    return targets


def tree_backup_loop(rewards, action_values, next_values, policy, terminated, truncated, gamma, lam):
    """tree_backup gymnasium-autoreset-same-step"""
    deltas = rewards + gamma * ~terminated * next_values - action_values
    errors, carried = np.zeros_like(rewards), 0
    for t in reversed(range(len(rewards))):
        errors[t] = deltas[t] + gamma * ~(terminated[t] | truncated[t]) * carried
        carried = lam * policy[t] * errors[t]
    return action_values + errors


def q_lambda_loop(rewards, action_values, next_values, terminated, truncated, gamma, lam):
    """q_lambda gymnasium-autoreset-same-step"""
    deltas = rewards + gamma * ~terminated * next_values - action_values
    errors, carried = np.zeros_like(rewards), 0
    for t in reversed(range(len(rewards))):
        carried = deltas[t] + gamma * lam * ~(terminated[t] | truncated[t]) * carried
        errors[t] = carried
    return action_values + errors


def q_sigma_loop(rewards, action_values, next_values, rhos, policy, terminated, truncated, gamma, lam, sigma):
    """q_sigma gymnasium-autoreset-same-step"""
    trace = lam * (sigma * rhos + (1 - sigma) * policy)
    return _with_trace(rewards, action_values, next_values, terminated, truncated, gamma, trace)


def _with_trace(rewards, action_values, next_values, terminated, truncated, gamma, trace):
    deltas = rewards + gamma * ~terminated * next_values - action_values
    errors, carried = np.zeros_like(rewards), 0
    for t in reversed(range(len(rewards))):
        errors[t] = deltas[t] + gamma * ~(terminated[t] | truncated[t]) * carried
        carried = trace[t] * errors[t]
    return action_values + errors


def per_decision_loop(rewards, next_values, rhos, terminated, truncated, gamma):
    """per_decision gymnasium-autoreset-same-step"""
    returns, ahead = np.zeros_like(rewards), next_values[-1]
    for t in reversed(range(len(rewards))):
        ahead = np.where(truncated[t], next_values[t], ahead) * ~terminated[t]
        ahead = rhos[t] * (rewards[t] + gamma * ahead)
        returns[t] = ahead
    return returns


# ---- schedules, average reward ----------------------------------------------------------------------------------


def schedule_return_sum(rewards, next_values, terminated, truncated, gamma, lambdas):
    """schedule_return gymnasium-autoreset-same-step"""
    steps, returns = len(rewards), np.zeros_like(rewards)
    for b in range(rewards.shape[1]):
        for t in range(steps):
            weight = 1.0
            for k, s in enumerate(range(t, steps)):
                cut = terminated[s, b] or truncated[s, b] or s == steps - 1
                lam = lambdas[k] if k < len(lambdas) and not cut else 0.0
                alive = 1.0 - terminated[s, b]
                returns[t, b] += weight * (rewards[s, b] + gamma * alive * (1 - lam) * next_values[s, b])
                weight = weight * gamma * lam
    return returns


def equal_weights_mean(rewards, next_values, terminated, truncated, gamma, n1, n2):
    """equal_weights gymnasium-autoreset-same-step"""
    found = [n_step_loop(rewards, next_values, terminated, truncated, gamma, n) for n in range(n1, n2 + 1)]
    return np.mean(found, axis=0).astype(rewards.dtype)


def off_policy_schedule_recursion(rewards, next_values, rhos, terminated, truncated, gamma, lambdas):
    """off_policy_schedule gymnasium-autoreset-same-step"""
    steps = len(rewards)

    def at(t, k):
        following = next_values[t]
        if k < len(lambdas) and t + 1 < steps:
            mixed = (1 - lambdas[k]) * following + lambdas[k] * at(t + 1, k + 1)
            following = np.where(terminated[t] | truncated[t], following, mixed)
        return rhos[t] * (rewards[t] + gamma * ~terminated[t] * following)

    return np.stack([at(t, 0) for t in range(steps)])


def differential_return_loop(rewards, next_values, terminated, truncated, mean_reward, n):
    """differential_return gymnasium-autoreset-same-step"""
    return n_step_loop(rewards - mean_reward, next_values, terminated, truncated, 1.0, n)


def differential_gae_loop(rewards, values, next_values, terminated, truncated, mean_reward, lam):
    """differential_gae gymnasium-autoreset-same-step"""
    return gae_loop(rewards - mean_reward, values, next_values, terminated, truncated, 1.0, lam)


# ---- what the step led to, beside the state --------------------------------------------------------------------


def lambda_return_on_arrival(last, term, rew, boot, disc, lam):
    """lambda_return dreamer-arrivals"""
    returns = np.empty_like(rew[:, 1:])
    ahead = boot[:, -1]
    for t in reversed(range(returns.shape[1])):
        mixed = (1 - lam * (1 - last[:, t + 1])) * boot[:, t + 1] + lam * (1 - last[:, t + 1]) * ahead
        ahead = rew[:, t + 1] + disc * (1 - term[:, t + 1]) * mixed
        returns[:, t] = ahead
    return returns


def q_lambda_of_maxima(reward, done, max_q, last_max_q, gamma, lam):
    """lambda_return purejaxql"""
    following, ahead = last_max_q, last_max_q
    returns = np.empty_like(reward)
    for t in reversed(range(len(reward))):
        ahead = reward[t] + gamma * (1 - done[t]) * (following + lam * (ahead - following))
        returns[t], following = ahead, max_q[t]
    return returns


def gae_folded(rewards, values, episode_starts, last_values, dones, gamma, gae_lambda):
    """gae folded-rewards"""
    ends = np.concatenate([episode_starts[1:], dones[None]])
    following = np.concatenate([values[1:], last_values[None]])
    advantages, ahead = np.empty_like(rewards), np.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        ahead = rewards[t] - values[t] + gamma * ~ends[t] * (following[t] + gae_lambda * ahead)
        advantages[t] = ahead
    return advantages, advantages + values
