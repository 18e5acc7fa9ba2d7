"""The public Python face.

>>> import tdcert
>>> found = tdcert.analyze(
...     P=[[0.5, 0.5], [1, 0]], rewards=[0, 1], discount=0.9, schedule=tdcert.EqualWeights(1, 3)
... )
>>> found.algorithms["td"].mean_dynamics
<MeanDynamics.STABLE: 'stable'>
>>> found.theta_star, found.exact.stationary
(array([3.10344828, 3.79310345]), array([Fraction(2, 3), Fraction(1, 3)], dtype=object))

Arrays by the field's names, a mapping, a file, an environment or a :class:`Model` go in; an :class:`Analysis` comes
out. Its document, ``found.to_dict()``, is what ``tdcert analyze --json`` prints: exact numbers are strings ``"p/q"``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert._face import *

__version__ = "0.3.0"
__all__ = [
    "Analysis",
    "ByState",
    "Certified",
    "Constant",
    "EqualWeights",
    "InputError",
    "Lambdas",
    "LoadedModel",
    "LoadedSparse",
    "Model",
    "NStep",
    "Schedule",
    "SparseModel",
    "__version__",
    "algorithm",
    "analyze",
    "certify",
    "compare",
    "confident_ranges",
    "confident_report",
    "confident_verdicts",
    "conform",
    "conform_estimator",
    "enumerate_env",
    "estimate_visits",
    "example",
    "from_feature_rows",
    "from_transitions",
    "load_model",
    "sample",
    "state_action",
]


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used (PEP 562): ``tdcert --help`` must come at once."""
    if name not in __all__:
        raise AttributeError(f"module 'tdcert' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module("tdcert._face"), name)
    return value


def __dir__() -> list[str]:
    """The public names: not what this file imports, nor the rooms that happen to be loaded."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
