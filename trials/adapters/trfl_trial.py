"""TRFL: its modules imported without the package around them (which asks for an older TensorFlow Probability)."""

import sys
from types import ModuleType

import tensorflow as tf

from taken import file_of

own = ModuleType("trfl")
own.__path__ = [str(file_of("trfl", "sequence_ops.py").parent)]
sys.modules["trfl"] = own

from trfl import sequence_ops, value_ops, vtrace_ops  # noqa: E402


def _tensors(*given):
    return [tf.constant(x) for x in given]


def scan_discounted_sum(rewards, discounts, last_value):
    return sequence_ops.scan_discounted_sum(*_tensors(rewards, discounts, last_value), reverse=True).numpy()


def multistep_forward_view(rewards, discounts, state_values, lambda_):
    return sequence_ops.multistep_forward_view(*_tensors(rewards, discounts, state_values, lambda_)).numpy()


def generalized_lambda_returns(rewards, discounts, values, last_value, lambda_):
    found = value_ops.generalized_lambda_returns(*_tensors(rewards, discounts, values, last_value), lambda_)
    return found.numpy()


def vtrace_from_importance_weights(log_rhos, discounts, rewards, values, last_value):
    found = vtrace_ops.vtrace_from_importance_weights(log_rhos, discounts, rewards, values, last_value)
    return found.vs.numpy(), found.pg_advantages.numpy()
