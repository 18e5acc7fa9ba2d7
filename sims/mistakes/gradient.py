"""Mistakes in the updates of GTD, TDC, and the GTD(λ) of one λ."""

from __future__ import annotations

from typing import ClassVar

from tdcert.sims.algorithms import ALGORITHMS, Transition
from tdcert.sims.experiments.gtd_lambda import GTDLambda
from tdcert.sims.mistakes.variant import GRADIENT, TEXTBOOK, WITH_W, Variant, row

Terms = dict[str, float]

THETA: dict[str, Terms] = {
    "gtd": {"δz": 0, "δφ": 0, "φzw": 1, "γφ'zw": -1, "φφw": 0},
    "tdc": {"δz": 1, "δφ": 0, "φzw": 1, "γφ'zw": -1, "φφw": -1},
    "gtd_lambda": {"δz": 1, "δφ": 0, "φzw": 0, "γφ'zw": 0, "φφw": 0, "(1 − λ)γφ'zw": -1},
}
"""The terms of (θ_{t+1} − θ_t)/α_t: zw is zᵀw, φw is φᵀw."""

W: Terms = {"δz": 1, "δφ": 0, "φφw": -1, "zzw": 0, "zφw": 0, "φzw": 0, "w": 0}
"""The terms of (w_{t+1} − w_t)/β_t."""


class Gradient(Variant):
    """The algorithms with w term by term; ``theta_terms`` and ``w_terms`` hold what differs."""

    made_for: ClassVar[tuple[str, ...]] = WITH_W
    theta_terms: ClassVar[Terms] = {}
    w_terms: ClassVar[Terms] = {}
    by_phi: ClassVar[bool] = False
    """φᵀw in place of zᵀw in the update of θ."""
    undiscounted: ClassVar[bool] = False
    """φ' in place of γφ' in the update of θ, outside δ."""
    beta_on_correction: ClassVar[bool] = False
    new_theta: ClassVar[bool] = False
    """w is updated with θ_{t+1}."""
    new_w: ClassVar[bool] = False
    """θ is updated with w_{t+1}."""

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        self.z, self.error = self.trace(t), self.delta(t)
        if self.new_w:
            self._move_w(t, beta)
            self._move_theta(t, alpha, beta)
        else:
            self._move_theta(t, alpha, beta)
            self._move_w(t, beta)

    def _move_theta(self, t: Transition, alpha: float, beta: float) -> None:
        kinds = {"tdc": ALGORITHMS["tdc"], "gtd_lambda": GTDLambda, "gtd": ALGORITHMS["gtd"]}
        k = THETA[next(name for name, kind in kinds.items() if isinstance(self, kind))] | self.theta_terms
        lam = float(self.c[1]) if len(self.c) > 1 else 0.0
        along_next = k["γφ'zw"] + (1 - lam) * k.get("(1 − λ)γφ'zw", 0)
        zw = (t.phi if self.by_phi else self.z) @ self.w
        ahead = t.phi_next if self.undiscounted else t.discount * t.phi_next
        along = self.error * (k["δz"] * self.z + k["δφ"] * t.phi)
        correction = zw * (k["φzw"] * t.phi + along_next * ahead) + k["φφw"] * (t.phi @ self.w) * t.phi
        self.theta = self.theta + alpha * along + (beta if self.beta_on_correction else alpha) * correction

    def _move_w(self, t: Transition, beta: float) -> None:
        k = W | self.w_terms
        z, phi, zw, phi_w = self.z, t.phi, self.z @ self.w, t.phi @ self.w
        error = self.delta(t) if self.new_theta else self.error
        along = error * (k["δz"] * z + k["δφ"] * phi)
        pull = (k["φφw"] * phi_w + k["φzw"] * zw) * phi + (k["zzw"] * zw + k["zφw"] * phi_w) * z + k["w"] * self.w
        self.w = self.w + beta * (along + pull)


IN_GRADIENT: tuple[type[Variant], ...] = (
    # θ in GTD
    row(
        "θ moved against its gradient: γφ_{t+1} − φ_t used for φ_t − γφ_{t+1}",
        ["gtd"],
        Gradient,
        theta_terms={"φzw": -1, "γφ'zw": 1},
    ),
    row("TDC's update of θ", ["gtd"], Gradient, theta_terms=THETA["tdc"]),
    # θ in TDC
    row("no correction at all: off-policy TD", ["tdc"], Gradient, theta_terms={"φzw": 0, "γφ'zw": 0, "φφw": 0}),
    row(
        "the correction added instead of subtracted",
        ["tdc"],
        Gradient,
        theta_terms={"φzw": -1, "γφ'zw": 1, "φφw": 1},
    ),
    row("β on the correction", ["tdc"], Gradient, beta_on_correction=True),
    row("GTD's update of θ", ["tdc"], Gradient, theta_terms=THETA["gtd"]),
    row("φφᵀw missing in the update of θ", ["tdc"], Gradient, theta_terms={"φφw": 0}),
    row("φφᵀw with the wrong sign in the update of θ", ["tdc"], Gradient, theta_terms={"φφw": 1}),
    row("δφ used for δz in the update of θ", ["tdc"], Gradient, theta_terms={"δz": 0, "δφ": 1}),
    row(
        "the correction γφ_{t+1} (z_tᵀw) alone, which is TDC only where z_t = φ_t",
        ["tdc"],
        Gradient,
        theta_terms={"φzw": 0, "φφw": 0},
    ),
    row(
        "GTD(λ)'s update of θ for one λ, δz − (1 − λ)γφ_{t+1} (z_tᵀw) (if that is meant, try --algorithm gtd_lambda)",
        GRADIENT,
        Gradient,
        theta_terms=THETA["gtd_lambda"],
    ),
    # θ in GTD(λ) of one λ
    row("no correction at all: off-policy TD", TEXTBOOK, Gradient, theta_terms={"(1 − λ)γφ'zw": 0}),
    row("the correction added instead of subtracted", TEXTBOOK, Gradient, theta_terms={"(1 − λ)γφ'zw": 1}),
    row("1 − λ missing in the correction", TEXTBOOK, Gradient, theta_terms={"γφ'zw": -1, "(1 − λ)γφ'zw": 0}),
    row("λ used for 1 − λ in the correction", TEXTBOOK, Gradient, theta_terms={"γφ'zw": -1, "(1 − λ)γφ'zw": 1}),
    row("β on the correction", TEXTBOOK, Gradient, beta_on_correction=True),
    row("γ missing in the correction", TEXTBOOK, Gradient, undiscounted=True),
    row("GTD2(λ)'s update of θ", TEXTBOOK, Gradient, theta_terms={"δz": 0, "φφw": 1}),
    row(
        "TDC(λ)-schedule's update of θ (if that is meant, try --algorithm tdc)",
        TEXTBOOK,
        Gradient,
        theta_terms=THETA["tdc"] | {"(1 − λ)γφ'zw": 0},
    ),
    row(
        "GTD(λ)-schedule's update of θ (if that is meant, try --algorithm gtd)",
        TEXTBOOK,
        Gradient,
        theta_terms=THETA["gtd"] | {"(1 − λ)γφ'zw": 0},
    ),
    # θ in both of the paper's, or in all
    row("φ_t (z_tᵀw) missing in the update of θ", GRADIENT, Gradient, theta_terms={"φzw": 0}),
    row("γφ_{t+1} (z_tᵀw) missing in the update of θ", GRADIENT, Gradient, theta_terms={"γφ'zw": 0}),
    row("φ_tᵀw used for z_tᵀw", WITH_W, Gradient, by_phi=True),
    row("γ missing in φ_t − γφ_{t+1}", GRADIENT, Gradient, undiscounted=True),
    row("θ updated with the new w", WITH_W, Gradient, new_w=True),
    # w
    row("w updated with the new θ", WITH_W, Gradient, new_theta=True),
    row("φφᵀw missing in the update of w", WITH_W, Gradient, w_terms={"φφw": 0}),
    row("zzᵀw used for φφᵀw in the update of w", WITH_W, Gradient, w_terms={"φφw": 0, "zzw": -1}),
    row("zφᵀw used for φφᵀw in the update of w", WITH_W, Gradient, w_terms={"φφw": 0, "zφw": -1}),
    row("φzᵀw used for φφᵀw in the update of w", WITH_W, Gradient, w_terms={"φφw": 0, "φzw": -1}),
    row("w used for φφᵀw in the update of w", WITH_W, Gradient, w_terms={"φφw": 0, "w": -1}),
    row("δφ used for δz in the update of w", WITH_W, Gradient, w_terms={"δz": 0, "δφ": 1}),
    row("w updated with the wrong sign", WITH_W, Gradient, w_terms={"δz": -1, "φφw": 1}),
)
