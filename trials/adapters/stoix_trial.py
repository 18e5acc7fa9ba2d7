"""Stoix: its file of multi-step estimators, imported alone."""

import importlib.util

import jax.numpy as jnp

from taken import file_of

SPEC = importlib.util.spec_from_file_location("stoix_multistep", file_of("stoix", "stoix/utils/multistep.py"))
own = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(own)


def gae(r_t, discount_t, lambda_, values):
    return own.batch_truncated_generalized_advantage_estimation(r_t, discount_t, lambda_, values=values)


def gae_truncation(r_t, discount_t, lambda_, v_tm1, v_t, truncation_t):
    return own.batch_truncated_generalized_advantage_estimation(
        r_t, discount_t, lambda_, v_tm1=v_tm1, v_t=v_t, truncation_t=truncation_t
    )


def n_step(r_t, discount_t, v_t, n):
    return own.batch_n_step_bootstrapped_returns(r_t, discount_t, v_t, n)


def n_step_3(r_t, discount_t, v_t):
    return own.batch_n_step_bootstrapped_returns(r_t, discount_t, v_t, 3)


def lambda_returns(r_t, discount_t, v_t, lambda_):
    return own.batch_lambda_returns(r_t, discount_t, v_t, lambda_)


def lambda_returns_square(r_t, discount_t, v_t, lambda_):
    # with a λ per step the call ends unless there are as many rows as steps
    square = [jnp.tile(x, (len(x), 1)) for x in (r_t, discount_t, v_t, lambda_)]
    return own.batch_lambda_returns(*square)[-1]


def discounted_returns(r_t, discount_t, v_t):
    return own.batch_discounted_returns(r_t, discount_t, v_t)


def retrace(q_t, v_t, r_t, discount_t, rho_t, lam, q_tm1):
    return own.batch_retrace_continuous(q_tm1, q_t[:, :-1], v_t, r_t, discount_t, jnp.log(rho_t[:, :-1]), lam)


def importance_corrected_td_errors(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    values = jnp.concatenate([v_tm1[:1], v_t])
    return own.importance_corrected_td_errors(r_t, discount_t, rho_tm1, lambda_, values)
