"""Certificates of how robust a verdict is: one about all models around a model, and one about a counter-model.

The first is of the kinds about sets of models (docs/certificates.md, *Models around a model*), for TD, GTD and TDC,
whose verdicts are those of A. It is about the largest distance that was found for it, which may be larger than what an
enclosure of all updates shows, or smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tdcert.theory.certificate.bodies import kernel_name, singular_certificate, strings
from tdcert.theory.check.mean_dynamics import reduce_features, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.perturbation import Change, Perturbation
from tdcert.theory.limits import AROUND_ENTRIES, raised
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.around_set import ModelsNear
from tdcert.theory.samples.certificate import rank_of, regularity_body, stability_body
from tdcert.theory.samples.verdict import Update, form_of, is_nonsingular_on
from tdcert.theory.verdict import Certificate

TRIES = 5
"""How many distances are tried; the first that fails to be far from the last that holds ends it sooner."""
CLOSE = Fraction(1, 64)
"""The part of a distance that is not looked for."""
LEAST = Fraction(1, 2**20)
"""No smaller distance is tried."""


@dataclass(frozen=True)
class CertifiedAround:
    """A certificate that a verdict holds for every model of the set ``around``, and its distance."""

    around: ModelsNear
    body: Certificate

    @property
    def within(self) -> Fraction:
        """The distance in total variation."""
        return self.around.epsilon


def certified_around(
    perturbation: Perturbation, update: Update, verdict: MeanDynamics, within: Fraction, limit: Fraction
) -> CertifiedAround | str:
    """The certificate about the largest distance below ``limit`` that was found, beginning at ``within``; or why there
    is none. ``verdict``: stable or unstable, on the model itself.
    """
    model, schedule = perturbation.model, perturbation.model.schedule
    if refused := _refusal(model):
        return refused
    assert isinstance(schedule, Schedule)
    if update is not Update.TD and verdict is MeanDynamics.UNSTABLE:
        return "certificates around a model that say unstable are about TD alone"
    best: CertifiedAround | None = None
    low, high = Fraction(0), limit
    epsilon = within or limit / 8
    for _ in range(TRIES):
        found = ModelsNear.of(perturbation, epsilon, schedule)
        body = body_around(found, update, verdict)
        if body is not None:
            best, low = CertifiedAround(found, body), epsilon
        else:
            high = epsilon
        epsilon = ((low + high) / 2 if low else high / 4).limit_denominator(2**24)
        if not low < epsilon < high or high - low <= CLOSE * low or epsilon < LEAST:
            break
    return best or "no form was found that the checker can replay around the model"


def _is_more_than_A(model: Model) -> bool:
    """Whether λ by state, an interest or a law of draws stands in the model: no kind about A reads these."""
    return not isinstance(model.schedule, Schedule) or model.interest is not None or model.sampling is not None


def _refusal(model: Model) -> str:
    """Why no certificate is about the models around this one; empty where one may be."""
    if _is_more_than_A(model):
        return "certificates around a model are about λ's by time along a path, without interest"
    assert isinstance(model.schedule, Schedule)
    if any(not 0 <= x <= 1 for x in (*model.schedule.lambdas, model.schedule.tail)):
        return "certificates around a model are about λ's from 0 to 1"
    if model.uncovered:
        return "certificates around a model are about behaviour policies that take what the target policy takes"
    return ""


def body_around(found: ModelsNear, update: Update, verdict: MeanDynamics) -> Certificate | None:
    """The certificate that the verdict holds on all of the set, None where it is not shown."""
    model, stable = found.perturbation.model, verdict is MeanDynamics.STABLE
    if not found.core:
        return None
    d = found.features.shape[1]
    independent = found.features.take(rows=found.core).rank == d
    keeps_policies = found.perturbation.change in (Change.TRANSITIONS, Change.DISCOUNT)
    if stable and independent and model.is_on_policy and keeps_policies and found.largest_discount < 1:
        return Certificate("set_on_policy", {}, {"root": found.core[0], "rank": rank_of(found)})
    work = model.n**2 * len(model.actions) * d**2
    if found.schedule.tail or work > raised(AROUND_ENTRIES):
        return None
    if update is Update.TD:
        form = form_of(found)
        return None if form is None or (form.sign < 0) is not stable else stability_body(found, form)
    return regularity_body(found, form_of(found)) if independent and is_nonsingular_on(found) else None


def disagreement(
    perturbation: Perturbation, update: Update, other: Model, distance: Fraction
) -> tuple[ModelsNear, Certificate] | None:
    """The certificate that the model and ``other``, at that ``distance``, disagree about an update; None where one of
    them is marginal, or has no certificate of its own about A.
    """
    model, schedule = perturbation.model, perturbation.model.schedule
    if _refusal(model) or not isinstance(schedule, Schedule):
        return None
    found = ModelsNear.of(perturbation, distance, schedule)
    made = [witnessed(one, update, perturbation.change) for one in (model, other)]
    kept = sorted((one for one in made if one is not None), key=lambda pair: pair[0])
    if not found.core or len({second for second, _ in kept}) < 2:
        return None
    witness = {"root": found.core[0], "one": kept[0][1], "other": kept[1][1]}
    return found, Certificate("set_undecided", {"algorithm": str(update)}, witness)


def witnessed(model: Model, update: Update, change: Change) -> tuple[bool, Mapping[str, Any]] | None:
    """A model around another with a certificate about its A, and whether it is the unstable one of two, or that with
    the negative determinant.
    """
    if len(model.classes) != 1:
        return None
    states = model.classes[0]
    if update is Update.TD:
        dynamics = td_dynamics(model, states)
        body, second = dynamics.certificate, dynamics.mean_dynamics is MeanDynamics.UNSTABLE
        if dynamics.mean_dynamics not in (MeanDynamics.STABLE, MeanDynamics.UNSTABLE):
            return None
    else:
        keys = behaviour_matrices(model, states)
        det = keys.A.determinant()
        second = det < 0
        relation = [["det", "A"], "<", "0"] if second else ["0", "<", ["det", "A"]]
        about = {"relations": [relation], "stationary": strings(keys.d)}
        body = Certificate("relation", {"class": list(states)}, about) if det else None
    if body is None or "columns" in body.about:
        return None
    parts = {"kind": body.kind, "about": dict(body.about), "witness": dict(body.witness)}
    return second, {"changed": model.canonical[change.value], **parts}


def singular_at(model: Model) -> Certificate | None:
    """The certificate that A is singular on a model with one recurrent class, beyond the null space of its features
    there; None where it is not, or they vanish. (With dependent features A is singular on every model.)
    """
    if _is_more_than_A(model) or len(model.classes) != 1:
        return None
    if (reduced := reduce_features(model, model.classes[0])) is None:
        return None
    keys = behaviour_matrices(reduced.model, model.classes[0])
    if keys.A.determinant():
        return None
    plain = singular_certificate(keys, model.classes[0], kernel_name(model))
    return reduced.certificate(plain.kind, plain.about, plain.witness)
