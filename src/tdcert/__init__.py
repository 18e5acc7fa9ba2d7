"""The public Python face.

>>> import tdcert
>>> chain = {
...     "format": "tdcert-model/1",
...     "transitions": [["1/2", "1/2"], [1, 0]],
...     "rewards": [0, 1],
...     "discount": 0.9,
... }
>>> analysis = tdcert.analyze(chain, schedule="equal_weights:1,3")
>>> analysis["algorithms"]["td"]["mean_dynamics"]
'stable'

``analysis`` is the object that ``tdcert analyze --json`` prints: exact numbers are strings ``"p/q"``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert._face import (
        InputError,
        LoadedModel,
        LoadedSparse,
        Model,
        SparseModel,
        algorithm,
        analyze,
        certify,
        compare,
        conform,
        conform_estimator,
        load_model,
    )

__version__ = "0.2.0"
__all__ = [
    "InputError",
    "LoadedModel",
    "LoadedSparse",
    "Model",
    "SparseModel",
    "__version__",
    "algorithm",
    "analyze",
    "certify",
    "compare",
    "conform",
    "conform_estimator",
    "load_model",
]


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used (PEP 562): ``tdcert --help`` must come at once."""
    if name not in __all__:
        raise AttributeError(f"module 'tdcert' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module("tdcert._face"), name)
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
