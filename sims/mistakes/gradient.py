"""Mistakes in the updates of GTD, TDC, and the GTD(λ) of one λ: what is added to θ or to w, made of what is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tdcert.algorithms import named
from tdcert.sims.algorithms import Array
from tdcert.sims.mistakes.variant import GRADIENT, TEXTBOOK, WITH_W, Given, Variant, dot, row, times


def theta(words: str, made_for: tuple[str, ...], added: Callable[[Given], Array]) -> type[Variant]:
    """A mistake in the update of θ."""
    return row(words, made_for, moves_theta=lambda self, given: added(given))


def dual(words: str, added: Callable[[Given], Array]) -> type[Variant]:
    """A mistake in the update of w."""
    return row(words, WITH_W, moves_w=lambda self, given: added(given))


def of(name: str) -> Callable[[Given], Array]:
    """Another algorithm's update of θ."""
    return lambda given: replace(given, of=named(name)).theta


def no_correction(given: Given) -> Array:
    """δz alone, in TDC and GTD(λ)."""
    return given.without_w.theta


def corrected(given: Given) -> Array:
    """What is added for w alone."""
    return replace(given, delta=0 * given.delta).theta


def forgotten(given: Given) -> Array:
    """β φφᵀw."""
    return given.beta * given.along(given.t.phi, given.t.phi)


def forgets(pull: Callable[[Given], Array]) -> Callable[[Given], Array]:
    """What is added to w with another vector in place of φφᵀw."""
    return lambda given: given.dual + forgotten(given) - given.beta * pull(given)


def pulled(given: Given) -> Array:
    """α φφᵀw."""
    return given.alpha * given.along(given.t.phi, given.t.phi)


def straight(given: Given) -> Array:
    """δ(φ − z)."""
    return times(given.delta, given.t.phi - given.z)


def across(given: Given) -> Array:
    """α φ (zᵀw)."""
    return given.alpha * given.along(given.z, given.t.phi)


def ahead(given: Given) -> Array:
    """α γφ' (zᵀw)."""
    return given.alpha * given.along(given.z, times(given.t.discount, given.t.phi_next))


def undiscounted(given: Given) -> Array:
    """With 1 for γ outside of δ and the trace."""
    return replace(given, t=replace(given.t, discount=np.ones_like(given.t.discount))).theta


def with_new_theta(given: Given) -> Array:
    """What is added to w with δ at the new θ."""
    t, moved = given.t, given.theta
    later = given.delta + t.discount * dot(t.phi_next, moved) - dot(t.phi, moved)
    return replace(given, delta=later).dual


GTD, TDC = ("gtd",), ("tdc",)
BETA = "β on the correction"
NONE, ADDED = "no correction at all: off-policy TD", "the correction added instead of subtracted"
IN_GRADIENT: tuple[type[Variant], ...] = (
    # θ in GTD
    theta("θ moved against its gradient: γφ_{t+1} − φ_t used for φ_t − γφ_{t+1}", GTD, lambda given: -given.theta),
    theta("TDC's update of θ", GTD, of("tdc")),
    # θ in TDC, and in GTD(λ) of one λ
    *(theta(NONE, names, no_correction) for names in (TDC, TEXTBOOK)),
    *(theta(ADDED, names, lambda given: no_correction(given) - corrected(given)) for names in (TDC, TEXTBOOK)),
    *(
        theta(BETA, names, lambda given: no_correction(given) + corrected(replace(given, alpha=given.beta)))
        for names in (TDC, TEXTBOOK)
    ),
    theta("GTD's update of θ", TDC, of("gtd")),
    theta("φφᵀw missing in the update of θ", TDC, lambda given: given.theta + pulled(given)),
    theta("φφᵀw with the wrong sign in the update of θ", TDC, lambda given: given.theta + 2 * pulled(given)),
    theta("δφ used for δz in the update of θ", TDC, lambda given: given.theta + given.alpha * straight(given)),
    theta(
        "the correction γφ_{t+1} (z_tᵀw) alone, which is TDC only where z_t = φ_t",
        TDC,
        lambda given: given.theta + pulled(given) - across(given),
    ),
    theta(
        "GTD(λ)'s update of θ for one λ, δz − (1 − λ)γφ_{t+1} (z_tᵀw) (if that is meant, try --algorithm gtd_lambda)",
        GRADIENT,
        of("gtd_lambda"),
    ),
    theta("1 − λ missing in the correction", TEXTBOOK, lambda given: replace(given, lam=0.0).theta),
    theta("λ used for 1 − λ in the correction", TEXTBOOK, lambda given: replace(given, lam=1 - given.lam).theta),
    theta("γ missing in the correction", TEXTBOOK, undiscounted),
    theta("GTD2(λ)'s update of θ", TEXTBOOK, of("gtd2_lambda")),
    theta("TDC(λ)-schedule's update of θ (if that is meant, try --algorithm tdc)", TEXTBOOK, of("tdc")),
    theta("GTD(λ)-schedule's update of θ (if that is meant, try --algorithm gtd)", TEXTBOOK, of("gtd")),
    # θ in both of the paper's, or in all
    theta("φ_t (z_tᵀw) missing in the update of θ", GRADIENT, lambda given: given.theta - across(given)),
    theta("γφ_{t+1} (z_tᵀw) missing in the update of θ", GRADIENT, lambda given: given.theta + ahead(given)),
    theta(
        "φ_tᵀw used for z_tᵀw",
        WITH_W,
        lambda given: given.without_w.theta + corrected(replace(given, z=given.t.phi)),
    ),
    theta("γ missing in φ_t − γφ_{t+1}", GRADIENT, undiscounted),
    theta("θ updated with the new w", WITH_W, lambda given: replace(given, w=given.w + given.dual).theta),
    # w
    dual("w updated with the new θ", with_new_theta),
    dual("φφᵀw missing in the update of w", lambda given: given.dual + forgotten(given)),
    *(
        dual(f"{words}w used for φφᵀw in the update of w", instead)
        for words, instead in {
            "zzᵀ": forgets(lambda given: given.along(given.z, given.z)),
            "zφᵀ": forgets(lambda given: given.along(given.t.phi, given.z)),
            "φzᵀ": forgets(lambda given: given.along(given.z, given.t.phi)),
            "": forgets(lambda given: given.w),
        }.items()
    ),
    dual("δφ used for δz in the update of w", lambda given: given.dual + given.beta * straight(given)),
    dual("w updated with the wrong sign", lambda given: -given.dual),
)
