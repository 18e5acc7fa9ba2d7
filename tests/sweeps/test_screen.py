"""Float margins of the claims' forms have the signs that exact arithmetic finds."""

from __future__ import annotations

import numpy as np
import pytest

from tdcert.claims.paper import claims_with_forms
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.exact import exact_keys
from tdcert.sweeps.families import Freedom, ModelFamily, discounts
from tdcert.sweeps.screen import _chain, margins
from tdcert.theory.check.decide import UNREDUCED, decide


@pytest.mark.parametrize("kept", [(), ("on_policy",)], ids=["off_policy", "on_policy"])
@pytest.mark.parametrize("claim", claims_with_forms())
def test_margins_have_the_signs_of_exact_decisions(claim: str, kept: tuple[str, ...]) -> None:
    """Away from zero (10⁻⁹ in the units of the margins, where numbers of two digits leave errors near 10⁻¹⁴)."""
    form, freedom = claims_with_forms()[claim].form, Freedom(frozenset(kept))
    assert form is not None
    schedules = tuple(s for s in freedom.schedules(tiny=False) if s.is_finite)
    batch = ModelFamily("uniform", 3, 2, freedom, discounts(freedom, False)[:3], schedules).batch(Draws("signs", 0, 40))
    found, compared = margins(form, batch), 0
    for k in range(batch.size):
        keys, schedule = exact_keys(batch, k), batch.schedules[batch.schedule[k]]
        if keys is None or not np.isfinite(found[k]) or abs(found[k]) < 1e-9:
            continue
        gamma = max(batch.gammas[i] for i in batch.discounts[k].flat)
        assert decide(form, keys, gamma, schedule.kappa(gamma), UNREDUCED) == bool(found[k] > 0)
        compared += 1
    assert compared > 5 or claim in ("stationary_norm", "sharp_modulus", "episodic_discount")


def test_the_margin_of_a_chain_is_that_of_the_last_conclusion_whose_premise_holds() -> None:
    links = [np.array(row) for row in ([1.0, 1.0, -2.0, -2.0], [3.0, -3.0, 5.0, -5.0], [-7.0, 7.0, 8.0, 9.0])]
    # m₂ > 0: m₃; else m₁ > 0: m₂, which is negative; else −m₁
    assert _chain(links).tolist() == [-7.0, -3.0, 8.0, 2.0]
