r"""Certificates of verdicts over a set of models: docs/certificates.md, *Sets of models*.

A certificate holds the set, counts and intervals of each row, and what decided: the checker, with the standard library
alone, finds that the intervals follow from the counts at their share of δ, and that what is said holds for every model
whose rows lie in them. That the intervals hold the true rows with probability 1 − δ is Ville's theorem, about data of
which the caller declared that their states are Markov (docs/trust.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import rank_witness, strings
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.model.canonical import CanonicalRow, CanonicalSet, Matrix, UnknownPolicy
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.samples.extremes import UNIT
from tdcert.theory.samples.model_set import ModelSet
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import (
    ConfidentVerdict,
    SetForm,
    Update,
    Witness,
    distance_from_one,
    form_of,
    inverse_of,
    weights_below_one,
)
from tdcert.theory.verdict import Certificate


def canonical(found: SampledModel) -> CanonicalSet:
    """The canonical form of a set."""
    share = max((row.delta for row in found.distinct_rows), default=found.delta)
    behaviour: Matrix | UnknownPolicy = found.behaviour.to_strings()
    if found.acts is not None:
        behaviour = {"rows": [None if s in found.terminal else _row(row) for s, row in enumerate(found.acts)]}
    return {
        "format": "tdcert-set/1",
        "delta": str(found.delta),
        "share": str(share),
        "rows": [
            [None if s in found.terminal else _row(row) for row in of_state] for s, of_state in enumerate(found.rows)
        ],
        "start": _row(found.rows[found.terminal[0]][0]) if found.terminal else None,
        "terminal": list(found.terminal),
        "behaviour": behaviour,
        "target": None if found.follows else found.target.to_strings(),
        "discount": str(found.discount),
        "features": found.features.to_strings(),
        "schedule": found.schedule.canonical,
    }


def _row(row: RowSet) -> CanonicalRow:
    ends = [row.bounds[j] for j in row.possible]
    return {
        "possible": list(row.possible),
        "counts": [row.counts[j] for j in row.possible],
        "low": [str(low) for low, _ in ends],
        "high": [str(high) for _, high in ends],
    }


def certificates(found: SampledModel, verdicts: Sequence[ConfidentVerdict]) -> tuple[dict[str, Mapping[str, Any]], str]:
    """The files of verdicts about a set, by algorithm, and the digest of the set: none for a verdict that is undecided
    without two models that disagree.
    """
    models = canonical(found)
    digest = hashlib.sha256(json.dumps(models, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()
    bodies = {str(one.update): _body(found, one) for one in verdicts if isinstance(one.update, Update)}
    files: dict[str, Mapping[str, Any]] = {
        name: {
            "format": "tdcert-certificate/1",
            "kind": body.kind,
            "claim": None,
            "model": models,
            "digest": digest,
            "about": dict(body.about),
            "witness": dict(body.witness),
        }
        for name, body in bodies.items()
        if body is not None
    }
    return files, digest


def _body(found: SampledModel, verdict: ConfidentVerdict) -> Certificate | None:
    if verdict.answer is MeanDynamics.UNDECIDED:
        return _disagreement(found, verdict) if verdict.disagree else None
    if verdict.for_every_law:
        return Certificate("set_on_policy", {}, {"root": found.core[0], "rank": rank_of(found)})
    form = form_of(found)
    if verdict.update is not Update.TD:
        return regularity_body(found, form)
    assert form is not None
    return stability_body(found, form)


def rank_of(found: ModelSet) -> Mapping[str, Any]:
    """The witness of independent features on states that every model visits for ever."""
    return rank_witness(found.features, found.core)


def _over(found: ModelSet) -> dict[str, object]:
    """What every bound of A over a set needs."""
    return {"root": found.core[0], "unit": str(Fraction(2) ** found.features.magnitude)}


def _potentials(found: ModelSet, asked: Sequence[RationalMatrix]) -> list[list[list[str]]]:
    """For each W the vectors h that bound Σ W_kl A_kl from above and, as one of −W, from below."""
    return [[[str(Fraction(x, UNIT)) for x in found.potential(W)] for W in (one, -one)] for one in asked]


def _growth(found: ModelSet, form: SetForm) -> dict[str, object]:
    unit = found.in_unit
    factor = decide_positive_definite(form.lower(found)).factor
    assert factor is not None
    return {
        **_over(found),
        "lyapunov": form.X.to_strings(),
        "congruence": form.T.to_strings(),
        "potentials": _potentials(unit, unit.form_weights(form.X, form.T)),
        "factor_growth": factor.as_witness,
    }


def stability_body(found: ModelSet, form: SetForm) -> Certificate:
    """The certificate that A is stable, or unstable, for every model of a set."""
    body = _growth(found, form)
    if form.vector is None:
        factor = decide_positive_definite(form.X).factor
        assert factor is not None
        return Certificate("set_stable", {}, {**body, "factor_lyapunov": factor.as_witness})
    return Certificate("set_unstable", {}, {**body, "shift": str(form.shift), "vector": strings(form.vector)})


def regularity_body(found: ModelSet, form: SetForm | None) -> Certificate:
    """The certificate that C is definite and A nonsingular for every model of a set."""
    rank = {"rank": rank_of(found)}
    if form is not None and form.is_regular:
        sign = "negative" if form.sign < 0 else "positive"
        return Certificate("set_regular", {}, {**_growth(found, form), **rank, "sign": sign})
    R, unit = inverse_of(found), found.in_unit
    assert R is not None
    weights = weights_below_one(distance_from_one(unit.times(R)))
    assert weights is not None
    witness = {
        **_over(found),
        **rank,
        "inverse": R.to_strings(),
        "potentials": _potentials(unit, unit.product_weights(R)),
        "weights": strings(weights),
    }
    return Certificate("set_regular", {}, witness)


def _disagreement(found: SampledModel, verdict: ConfidentVerdict) -> Certificate | None:
    """Two models, the stable one first, or that with the positive determinant."""
    made = [
        one for witness in verdict.disagree if (one := _witness(found, witness, Update(verdict.update))) is not None
    ]
    if len(made) < 2:
        return None
    one, other = sorted(made, key=lambda pair: pair[0])
    witness = {"root": found.core[0], "one": one[1], "other": other[1]}
    return Certificate("set_undecided", {"algorithm": str(verdict.update)}, witness)


def _witness(found: SampledModel, witness: Witness, update: Update) -> tuple[bool, Mapping[str, Any]] | None:
    """A model with a certificate about its A, and whether it comes second."""
    model = witness.model
    (states,) = model.behaviour_chain.recurrent_classes
    if update is Update.TD:
        dynamics = td_dynamics(model, states)
        second, body = dynamics.mean_dynamics is MeanDynamics.UNSTABLE, dynamics.certificate
    else:
        keys = behaviour_matrices(model, states)
        second = keys.A.determinant() < 0
        relation = [["det", "A"], "<", "0"] if second else ["0", "<", ["det", "A"]]
        body = Certificate(
            "relation", {"class": list(states)}, {"relations": [relation], "stationary": strings(keys.d)}
        )
    if body is None:
        return None
    parts: dict[str, object] = {"kind": body.kind, "about": dict(body.about), "witness": dict(body.witness)}
    if found.acts is not None:
        parts["behaviour"] = [
            None if s in found.terminal else list(map(str, row)) for s, row in enumerate(model.behaviour.rows)
        ]
    return second, {**parts, **_laws(found, model)}


def _laws(found: SampledModel, model: Model) -> dict[str, object]:
    """Laws of a model over the possible successors of each row."""

    def law(s: int, a: int) -> list[str]:
        return [str(model.transitions[a][s, j]) for j in found.rows[s][a].possible]

    actions = range(found.behaviour.shape[1])
    return {
        "laws": [None if s in found.terminal else [law(s, a) for a in actions] for s in range(found.n)],
        "start": law(found.terminal[0], 0) if found.terminal else None,
    }
