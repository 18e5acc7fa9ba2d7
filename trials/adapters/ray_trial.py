"""RLlib: functions taken out of their files; a sample batch is a dictionary."""

from typing import Union

import numpy as np
import scipy.signal
import torch

from taken import taken

_targets = taken("ray", "rllib/utils/postprocessing/value_predictions.py", "compute_value_targets", np=np)
_vtrace = taken("ray", "rllib/algorithms/impala/torch/vtrace_torch_v2.py", "vtrace_torch", torch=torch, Union=Union)


class Names:
    """The keys that RLlib's functions look up."""

    REWARDS, VF_PREDS = "rewards", "vf_preds"
    ADVANTAGES, VALUE_TARGETS = "advantages", "value_targets"


_sum = taken("ray", "rllib/evaluation/postprocessing.py", "discount_cumsum", np=np, scipy=scipy)
_advantages = taken(
    "ray", "rllib/evaluation/postprocessing.py", "discount_cumsum", "compute_advantages",
    np=np, scipy=scipy, SampleBatch=Names, Postprocessing=Names, convert_to_numpy=np.asarray,
)  # fmt: skip


def compute_value_targets(values, last_value, rewards, terminateds, truncateds, gamma, lambda_):
    # the row's last value belongs to the step that prolongs its last episode
    on = [np.append(x, y) for x, y in ((values, last_value), (rewards, 0.0), (terminateds, False), (truncateds, True))]
    on[3][-2] |= ~on[2][-2]
    found = _targets(on[0], on[1], on[2].astype(float), on[3].astype(float), gamma, lambda_)
    return found[:-1]


def vtrace_torch(**given):
    return _vtrace(**given)


def compute_advantages(rewards, values, last_value, gamma, gae_lambda):
    found = _advantages({"rewards": rewards, "vf_preds": values}, float(last_value), gamma, gae_lambda)
    return found["advantages"], found["value_targets"]


def discount_cumsum(x, discount):
    return _sum(x, discount)
