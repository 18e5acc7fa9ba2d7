"""garage: functions taken out of their files."""

import scipy.signal
import torch

from taken import taken

_advantages = taken("garage", "torch/_functions.py", "compute_advantages", torch=torch, F=torch.nn.functional,
                    global_device=lambda: "cpu", _DEVICE="cpu")  # fmt: skip
_sum = taken("garage", "np/_functions.py", "discount_cumsum", scipy=scipy)


def compute_advantages(discount, gae_lambda, baselines, rewards):
    return _advantages(discount, gae_lambda, baselines.shape[1], baselines, rewards)


def discount_cumsum(x, discount):
    return _sum(x, discount)
