"""stable-baselines3: its buffers, filled by hand."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import NStepReplayBuffer, RolloutBuffer

BOX = spaces.Box(-1, 1, (1,))


def rollout_buffer(rewards, values, episode_starts, last_values, dones, gamma, gae_lambda):
    steps, envs = rewards.shape
    buffer = RolloutBuffer(steps, BOX, BOX, "cpu", gae_lambda=gae_lambda, gamma=gamma, n_envs=envs)
    buffer.rewards[:], buffer.values[:], buffer.episode_starts[:] = rewards, values, episode_starts
    buffer.compute_returns_and_advantage(torch.tensor(last_values), np.asarray(dones))
    return buffer.advantages, buffer.returns


def n_step_replay_buffer(rewards, next_values, terminated, truncated, position, gamma, n):
    size = len(rewards)
    buffer = NStepReplayBuffer(size, BOX, BOX, "cpu", n_envs=1, n_steps=n, gamma=gamma)
    buffer.rewards[:, 0], buffer.next_observations[:, 0, 0] = rewards, next_values
    buffer.dones[:, 0], buffer.timeouts[:, 0] = terminated | truncated, truncated
    buffer.pos, buffer.full = position, True
    found = buffer._get_samples(np.arange(size))
    target = found.rewards + found.discounts * (1 - found.dones) * found.next_observations
    return target[:, 0].numpy()
