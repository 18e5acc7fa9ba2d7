"""Do differences of two runs die out in the mean dynamics? The exact sign.

−1 they die out, +1 they grow, 0 the mean does neither, None undecided. What Φ does not see on the class stays for ever
and predicts nothing: the sign is that of the quotient.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model

Sign = int | None


def mean_sign(model: Model, algorithm: ScheduleUpdate, eta: Fraction, states: Sequence[int]) -> Sign:
    """The sign of the spectral abscissa of the joint mean matrix at β = ηα (§4): of A for TD.

    Raises :class:`InputError` where the features vanish on the class.
    """
    reduced = reduce_features(model, tuple(states))
    if reduced is None:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    keys = behaviour_matrices(reduced.model, tuple(states))
    J = algorithm.mean(keys.A, keys.C, eta)
    try:
        return spectral_abscissa(J if reduced.is_full else algorithm.on_blocks(reduced.weight) @ J, bits=8).sign
    except BudgetExceededError:
        return None
