"""Hypothesis strategies for property tests of your own: chains, policies, features, schedules, models.

>>> from hypothesis import given
>>> from tdcert.strategies import arrays, models
>>> @given(arrays(models(policy="off")))
... def test_features_have_a_row_for_every_state(m):
...     assert m.features.shape[0] == m.P.shape[1]
>>> test_features_have_a_row_for_every_state()

See docs/property_tests.md. Needs the extra ``tdcert[strategies]``.
"""

try:
    import hypothesis as _hypothesis  # noqa: F401
except ImportError:
    raise ImportError("tdcert.strategies needs Hypothesis; install tdcert[strategies]") from None

from tdcert.sims.strategies import (
    ModelArrays,
    arrays,
    chains,
    covered_policies,
    deficient_features,
    full_rank_features,
    irreducible_chains,
    models,
    near_threshold_models,
    periodic_chains,
    policies,
    reducible_chains,
    schedules,
    uncovered_policies,
    unit_rationals,
    unstable_models,
)

__all__ = [
    "ModelArrays",
    "arrays",
    "chains",
    "covered_policies",
    "deficient_features",
    "full_rank_features",
    "irreducible_chains",
    "models",
    "near_threshold_models",
    "periodic_chains",
    "policies",
    "reducible_chains",
    "schedules",
    "uncovered_policies",
    "unit_rationals",
    "unstable_models",
]
