"""Mistakes as public issues and pull requests report them, put into functions of ``right_estimators``.

The names in ``sims/estimators/mistakes.py`` were written without them, so they measure how often a name is found for a
mistake that nobody had in mind. ``name``: the part of a name there that says what the report says, chosen before the
first run; None where there is none. ``found`` is what the first run named (None: nothing), and stays as it was then.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.sims.estimators.wrong_estimators import Edit


class Report(NamedTuple):
    """``where`` it is reported; ``found``: whether the first run gave the ``right`` name, ``none`` or ``another``."""

    where: str
    edit: Edit
    found: str


REPORTS = (
    Report(
        "vwxyzjn/cleanrl#337",
        Edit(
            "gae_cleanrl",
            "return advantages, advantages + values",
            "return advantages, 0 * advantages + values",
            None,
        ),
        "none",
    ),
    Report(
        "hill-a/stable-baselines#385",
        Edit(
            "gae_done_after_step",
            "(rewards, values, dones))",
            "(rewards, values, np.concatenate([dones[1:], 0 * dones[:1]])))",
            "the flag of the next step",
        ),
        "right",
    ),
    Report(
        "anthonytorlucci/rlevo#342",
        Edit(
            "gae_done_after_step",
            "(rewards, values, dones))",
            "(rewards, values, np.concatenate([dones[1:], dones[-1:]])))",
            "the flag of the next step",
        ),
        "right",
    ),
    Report(
        "DexForce/EmbodiChain#612",
        Edit(
            "gae_loop",
            "delta = rewards[t] + gamma * alive * next_values[t] - values[t]",
            "delta = rewards[t] + gamma * alive * np.where(truncated[t], values[t], next_values[t]) - values[t]",
            None,
        ),
        "another",
    ),
    Report(
        "rohitg00/ai-engineering-from-scratch#54",
        Edit(
            "gae_done_after_step",
            "gae_lambda * (1 - done) * advantage",
            "gae_lambda * advantage",
            "the trace not stopped where an episode ends",
        ),
        "right",
    ),
    Report(
        "rohitg00/ai-engineering-from-scratch#54",
        Edit(
            "gae_spinning_style",
            "np.append(values, last_value)",
            "np.append(values, 0 * last_value)",
            "no bootstrap at the end of the row",
        ),
        "right",
    ),
    Report(
        "callummcdougall/ARENA_3.0#249",
        Edit(
            "gae_torch_style",
            "gamma * lam * mask",
            "lam * mask",
            "γ missing from the trace",
        ),
        "right",
    ),
    Report(
        "juliusfrost/dreamer-pytorch#59",
        Edit(
            "n_step_loop",
            "total, discount = 0.0, 1.0",
            "total, discount = 0.0, gamma",
            None,
        ),
        "another",
    ),
    Report(
        "kc-ml2/SimpleDreamer#6",
        Edit(
            "lambda_return_done",
            "ahead = rewards[t] + gamma",
            "ahead = np.roll(rewards, 1, axis=0)[t] + gamma",
            "the reward of the step before used",
        ),
        "right",
    ),
    Report(
        "danijar/dreamerv3#14",
        Edit(
            "lambda_return_done",
            "np.concatenate([values[1:], last_value[None]])",
            "values",
            "V(s_t) used for V(s_{t+1})",
        ),
        "none",
    ),
    Report(
        "google-research/batch-ppo#32",
        Edit(
            "n_step_loop",
            "total + discount * (0.0 if terminated[s, b] else next_values[s, b])",
            "total + discount * (0.0 if terminated[s, b] or t + n >= steps else next_values[s, b])",
            None,
        ),
        "another",
    ),
    Report(
        "thu-ml/tianshou#135",
        Edit(
            "n_step_loop",
            "total += discount * rewards[s, b]",
            "total += discount * rewards[s, b] * (not terminated[s, b])",
            "the reward of the terminal step dropped",
        ),
        "right",
    ),
    Report(
        "conglu1997/v-d4rl#8",
        Edit(
            "n_step_ring",
            "total += discount * rewards[index]",
            "total += discount * rewards[(index + 1) % size]",
            "the reward of the next step used",
        ),
        "none",
    ),
    Report(
        "Stable-Baselines-Team/stable-baselines3-contrib#297",
        Edit(
            "n_step_ring",
            "total + discount * next_values",
            "total + gamma * next_values",
            "γ used for γⁿ",
        ),
        "right",
    ),
    Report(
        "micdoh/XLRON#50",
        Edit(
            "vtrace_loop",
            "deltas = rho * (rewards + discounts * next_values - values)",
            "next_values = np.concatenate([next_values[:-1], values[-1:]])\n"
            "    deltas = rho * (rewards + discounts * next_values - values)",
            "V(s_{T−1}) used for V(s_T)",
        ),
        "right",
    ),
    Report(
        "micdoh/XLRON#34",
        Edit(
            "gae_next_step",
            "goes_on = ~(terminated | truncated)",
            "goes_on = ~(terminated & truncated)",
            "the trace not stopped where an episode ends",
        ),
        "another",
    ),
    Report(
        "SlopDotCash/asi#487",
        Edit(
            "per_decision_loop",
            "rhos[t] * (rewards[t]",
            "rhos[t] * rhos[t] * (rewards[t]",
            None,
        ),
        "none",
    ),
    Report(
        "jsboige/CoursIA#7825",
        Edit(
            "gae_double_sum",
            "np.where(terminated, 0, next_values)",
            "np.where(terminated | truncated, 0, next_values)",
            "truncation treated as termination",
        ),
        "right",
    ),
    Report(
        "shehzaadzd/MINERVA#28",
        Edit(
            "discounted_return_loop",
            "returns[t] = ahead",
            "returns[t - 1] = ahead",
            None,
        ),
        "none",
    ),
    Report(
        "tensorflow/agents#251",
        Edit(
            "n_step_by_iteration",
            "cut = terminated | truncated",
            "cut = terminated.copy()",
            "runs on into the next episode",
        ),
        "right",
    ),
)
