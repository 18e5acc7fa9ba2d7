"""rlax, called as it is; where its arguments are made of others (c_t), they are made here."""

import jax.numpy as jnp
import rlax
from rlax._src import multistep  # not all of it is exported


def vtrace(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    return rlax.vtrace(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_)


def vtrace_td_error_and_advantage(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    return rlax.vtrace_td_error_and_advantage(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_)


def leaky_vtrace(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    return rlax.leaky_vtrace(v_tm1, v_t, r_t, discount_t, rho_tm1, 0.5, lambda_)


def _general(q_t, v_t, r_t, discount_t, c_t):
    return rlax.general_off_policy_returns_from_q_and_v(q_t[:-1], v_t, r_t, discount_t, c_t[:-1])


def retrace(q_t, v_t, r_t, discount_t, rho_t, lam):
    return _general(q_t, v_t, r_t, discount_t, lam * jnp.minimum(1.0, rho_t))


def tree_backup(q_t, v_t, r_t, discount_t, pi_t, lam):
    return _general(q_t, v_t, r_t, discount_t, lam * pi_t)


def q_lambda(q_t, v_t, r_t, discount_t, lam):
    return _general(q_t, v_t, r_t, discount_t, lam * jnp.ones_like(r_t))


def importance_corrected_td_errors(v_tm1, v_t, r_t, discount_t, rho_tm1, lambda_):
    values = jnp.concatenate([v_tm1[:1], v_t])
    return multistep.importance_corrected_td_errors(r_t, discount_t, rho_tm1, lambda_, values)
