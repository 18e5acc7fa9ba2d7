"""The interest i(s) in each state, of a document and of what is beside it: by it emphatic algorithms weight states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.overrides import OverrideError, Overrides
from tdcert.theory.files.sampling import weights_of


def with_interest(loaded: LoadedModel, overrides: Overrides, document: Mapping[str, Any] | None = None) -> LoadedModel:
    """The model with the interest that the ``document`` gives, or what is beside it, which comes first.

    Raises :class:`InputError` for other than a number for each state that is not negative.
    """
    own = (document or {}).get("interest")
    if document is not None and "interest" in document and not isinstance(own, list):
        raise InputError("interest is no list; give a number for each state, or leave the key out")
    weights = interest_of(own, overrides, loaded.all_states or loaded.model.n)
    if weights is None:
        return loaded
    kept = loaded.state_numbers or tuple(range(loaded.model.n))
    return replace(loaded, model=replace(loaded.model, interest=tuple(weights[s] for s in kept)))


def interest_of(own: Any, overrides: Overrides, n: int) -> tuple[Fraction, ...] | None:
    """The interest in n states: the model's ``own``, unless one is given beside it; None where there is neither.

    Raises :class:`InputError` as :func:`with_interest`.
    """
    given = own if overrides.interest is None else overrides.interest
    try:
        return None if given is None else tuple(weights_of(given, n, "interest"))
    except InputError as error:
        raise (error if overrides.interest is None else OverrideError(str(error))) from None
