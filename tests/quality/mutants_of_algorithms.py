"""Mutants of the algorithms: the mistakes people make when they write TD, off-policy TD, GTD or TDC with a λ-schedule.

Most are caught by statistics alone: simulation against the exact mean and covariance of the iterates. A mistake in what
the algorithms share must show in each algorithm that it touches.
"""

from __future__ import annotations

from tests.quality.edits import Mutant, rows

FILE = "sims/algorithms.py"
Row = tuple[str, str, str] | tuple[str, str, str, int]

EVERY = ("td", "off_policy_td", "gtd", "tdc")
WITH_RATIO = ("off_policy_td", "gtd", "tdc")


def wrong(algorithms: tuple[str, ...], *table: Row, test: str = "test_the_law_at_a_finite_time") -> tuple[Mutant, ...]:
    """Mutants of the algorithms' file that the test must notice for each of these algorithms."""
    killers = tuple(f"sims/test_variants.py::{test}[{name}]" for name in algorithms)
    return tuple(Mutant(what, FILE, old, new, killers, *which, every=True) for what, old, new, *which in table)


C = "np.cumprod([1.0, *lambdas])"
DISCOUNT = "product = product * past.discount"
RATIO = "product = product * past.rho"
TERM = "z = z + _times(self.c[k] * product, past.phi)"
DELTA = "t.reward + t.discount * _dot(t.phi_next, self.theta) - _dot(t.phi, self.theta)"
TD_UPDATE = "self.theta = self.theta + alpha * _times(delta, z)  #"
GTD_UPDATE = "self.theta = self.theta + alpha * _times(zw, t.phi - _times(t.discount, t.phi_next))"
TDC_UPDATE = "self.theta = self.theta + alpha * _times(delta, z) - alpha * correction"
CORRECTION = "_times(zw, _times(t.discount, t.phi_next) - t.phi) + _times(phi_w, t.phi)"
W_UPDATE = "        self.w = self.w + beta * (_times(delta, z) - _times(phi_w, t.phi))\n"
STEP = "algorithm.step(t, float(alpha), float(beta))"
RECORD = "        thetas.append(algorithm.theta)\n        ws.append(algorithm.w)\n"
GTD, TDC = 0, 1  # W_UPDATE stands in both, in this order

MUTANTS = (
    # ---- what all four share: the trace and δ ----
    *wrong(
        EVERY,
        ("R_t used for R_{t+1}", "t.reward + t.discount", "self.window[-2 % len(self.window)].reward + t.discount"),
        ("R_{t+1} discounted", DELTA, DELTA.replace("t.reward + t.discount * _dot(t.phi_next, self.theta)",
                                                    "t.discount * (t.reward + _dot(t.phi_next, self.theta))")),
        ("γ missing in δ", "t.discount * _dot(t.phi_next, self.theta)", "_dot(t.phi_next, self.theta)"),
        ("γ of the transition before used in δ", "t.reward + t.discount",
         "t.reward + self.window[-2 % len(self.window)].discount"),
        ("φ_t used for φ_{t+1} in δ", "_dot(t.phi_next, self.theta)", "_dot(t.phi, self.theta)"),
        ("φ_{t+1} used for φ_t in δ", "- _dot(t.phi, self.theta)", "- _dot(t.phi_next, self.theta)"),
        ("δ with + φ_tᵀθ_t", "- _dot(t.phi, self.theta)", "+ _dot(t.phi, self.theta)"),
        ("δ without − φ_tᵀθ_t", " - _dot(t.phi, self.theta))", ")"),
        ("δ with φ_tᵀθ_{t−1}, the value kept from before the last update",
         f"        return np.asarray({DELTA})",
         f"        self.kept, kept = self.theta, vars(self).get('kept', self.theta)\n"
         f"        return np.asarray({DELTA.replace('_dot(t.phi, self.theta)', '_dot(t.phi, kept)')})"),
        ("λ shifted by one: λ_2 used for λ_1", C, "np.cumprod([1.0, *lambdas[1:]])"),
        ("λ shifted by one the other way: λ_1 used for λ_2", C, "np.cumprod([1.0, 1.0, *lambdas])"),
        ("λ_k used for c_k = λ_1…λ_k", C, "np.array([1.0, *lambdas])"),
        ("the λ's in reverse", C, "np.cumprod([1.0, *reversed(lambdas)])"),
        ("1 − λ used for λ", C, "np.cumprod([1.0, *(1 - lam for lam in lambdas)])"),
        ("the weights w_n of the returns used for c_k", C, "-np.diff(np.cumprod([1.0, *lambdas, 0.0]))"),
        ("window one too short", "maxlen=len(self.c))", "maxlen=len(self.c) - 1)"),
        ("window one too long, the last λ once more", C, "np.cumprod([1.0, *lambdas, lambdas[-1]])"),
        ("γ missing in the trace", DISCOUNT, "product = product"),
        ("γ squared in the trace", DISCOUNT, "product = product * past.discount**2"),
        ("γ taken once in the trace, not once a step",
         DISCOUNT, "product = product * (past.discount if k == 1 else 1.0)"),
        ("discount at the wrong end of a transition: Γ_{t−k+1} used for Γ_{t−k}", DISCOUNT,
         "product = product * self.window[-k].discount"),
        ("discount one transition early in the trace", DISCOUNT,
         "product = product * self.window[max(-2 - k, -len(self.window))].discount"),
        ("trace not reset at an episode's end", DISCOUNT,
         "product = product * np.where(past.discount == 0, 1.0, past.discount)"),
        ("the oldest step counted first in the trace", "past = self.window[-1 - k]", "past = self.window[k]"),
        ("φ_{t−k+1} used for φ_{t−k} in the trace", TERM, TERM.replace("past.phi", "past.phi_next")),
        ("φ_t used for φ_{t−k} in the trace", TERM, TERM.replace("past.phi", "t.phi")),
        ("trace without the current φ", TERM, f"z = {TERM[4:]} * (k > 0)"),
        ("replacing trace used for the accumulating one", TERM,
         "z = np.where(z == 0, _times(self.c[k] * product, past.phi), z)"),
        ("trace averaged over the window", TERM, TERM.replace("self.c[k]", "self.c[k] / len(self.window)")),
    ),
    # ---- importance ratios ----
    *wrong(
        WITH_RATIO,
        ("ρ missing", "if self.importance:\n                product", "if False:\n                product"),
        ("ρ squared", RATIO, f"{RATIO}**2"),
        ("ρ on the update instead of in the trace: only ρ_t", "if self.importance:\n                product",
         "if self.importance and k == 0:\n                product"),
        ("ρ_t missing in the trace, the earlier ones kept", "if self.importance:\n                product",
         "if self.importance and k > 0:\n                product"),
        ("ρ applied to the wrong step: ρ_{t−1} used for ρ_t", RATIO,
         "product = product * self.window[max(-2 - k, -len(self.window))].rho"),
        ("ρ of the step of φ_{t−k} missing: ρ_{t−k+1} … ρ_t", RATIO,
         "product = product * (self.window[-k].rho if k > 0 else 1.0)"),
        ("ρ of the step alone used for the product of ρ's",
         f"            if self.importance:\n                {RATIO}  # ρ_{{t−k}}\n            {TERM}",
         f"            {TERM.replace('product', 'product * (past.rho if self.importance else 1.0)')}"),
        ("ρ cut at one", RATIO, "product = product * np.minimum(past.rho, 1.0)"),
        ("δ multiplied by ρ_t once more",
         "return np.asarray(t.reward", "return np.asarray(t.rho) * np.asarray(t.reward"),
    ),
    # ---- the updates ----
    *wrong(
        ("td", "off_policy_td"),
        ("z updated after θ", "        z = self.trace(t)\n", "        z, self.z = self.z, self.trace(t)\n", 0),
        ("θ updated with the wrong sign", TD_UPDATE, TD_UPDATE.replace("+", "-")),
        ("β used for α", TD_UPDATE, TD_UPDATE.replace("alpha", "beta")),
        ("φ_t used for z_t: no trace at all", TD_UPDATE, TD_UPDATE.replace(" z)", " t.phi)")),
        ("the residual gradient: z_t − γφ_{t+1} used for z_t", TD_UPDATE,
         TD_UPDATE.replace(" z)", " z - _times(t.discount, t.phi_next))")),
    ),
    *wrong(
        ("off_policy_td",),
        ("off-policy TD without ρ",
         "class OffPolicyTD(TD):", "class OffPolicyTD(TD):\n    pass\n\n\nclass Unused(TD):"),
    ),
    *wrong(
        ("gtd",),
        ("GTD: z updated after θ and w",
         "        z = self.trace(t)\n", "        z, self.z = self.z, self.trace(t)\n", 1),
        ("GTD with the wrong sign in θ", GTD_UPDATE, GTD_UPDATE.replace("+", "-")),
        ("GTD: γ missing in φ_t − γφ_{t+1}",
         GTD_UPDATE, GTD_UPDATE.replace("_times(t.discount, t.phi_next)", "t.phi_next")),
        ("GTD: φ_t alone used for φ_t − γφ_{t+1}",
         GTD_UPDATE, GTD_UPDATE.replace(" - _times(t.discount, t.phi_next)", "")),
        ("GTD: φ_tᵀw_t used for z_tᵀw_t", GTD_UPDATE, GTD_UPDATE.replace("zw", "phi_w")),
        ("GTD: β used for α in θ", GTD_UPDATE, GTD_UPDATE.replace("alpha", "beta")),
        ("GTD: α used for β in w", W_UPDATE, W_UPDATE.replace("beta", "alpha"), GTD),
        ("GTD: w updated with the new θ", W_UPDATE, W_UPDATE.replace("delta", "self.delta(t)"), GTD),
        ("GTD: θ updated with the new w", GTD_UPDATE,
         f"new = {W_UPDATE.strip().removeprefix('self.w = ')}\n        {GTD_UPDATE.replace('zw', '_dot(z, new)')}"),
        ("GTD: w without φφᵀw", W_UPDATE, W_UPDATE.replace(" - _times(phi_w, t.phi)", ""), GTD),
        ("GTD: w used for φφᵀw", W_UPDATE, W_UPDATE.replace("_times(phi_w, t.phi)", "self.w"), GTD),
        ("GTD: zφᵀw used for φφᵀw", W_UPDATE, W_UPDATE.replace("t.phi)", "z)"), GTD),
        ("GTD: φzᵀw used for φφᵀw", W_UPDATE, W_UPDATE.replace("phi_w", "zw"), GTD),
        ("GTD: δφ used for δz", W_UPDATE, W_UPDATE.replace("delta, z", "delta, t.phi"), GTD),
        ("GTD: w updated with the wrong sign", W_UPDATE, W_UPDATE.replace("+", "-"), GTD),
    ),
    *wrong(
        ("tdc",),
        ("TDC: z updated after θ and w",
         "        z = self.trace(t)\n", "        z, self.z = self.z, self.trace(t)\n", 2),
        ("TDC without its correction: off-policy TD", TDC_UPDATE, TDC_UPDATE.replace(" - alpha * correction", "")),
        ("TDC with the wrong sign of its correction", TDC_UPDATE, TDC_UPDATE.replace(" - alpha", " + alpha")),
        ("TDC without φφᵀw", CORRECTION, CORRECTION.replace(" + _times(phi_w, t.phi)", "")),
        ("TDC with − φφᵀw", CORRECTION, CORRECTION.replace(" + ", " - ")),
        ("TDC: γ missing in γφ_{t+1} − φ_t",
         CORRECTION, CORRECTION.replace("_times(t.discount, t.phi_next)", "t.phi_next")),
        ("TDC: γφ_{t+1}z_tᵀw_t alone, the correction of TDC(0)", CORRECTION, "_times(zw * t.discount, t.phi_next)"),
        ("TDC: (1 − λ)γφ_{t+1}z_tᵀw_t, the correction of TDC(λ)", CORRECTION,
         "_times((1 - self.c[1]) * zw * t.discount, t.phi_next)"),
        ("TDC: φ_tᵀw_t used for z_tᵀw_t", CORRECTION, CORRECTION.replace("zw", "phi_w")),
        ("TDC: β on the correction", TDC_UPDATE, TDC_UPDATE.replace("alpha * correction", "beta * correction")),
        ("TDC: β used for α in θ", TDC_UPDATE, TDC_UPDATE.replace("alpha", "beta")),
        ("TDC: α used for β in w", W_UPDATE, W_UPDATE.replace("beta", "alpha"), TDC),
        ("TDC: w updated with the new θ", W_UPDATE, W_UPDATE.replace("delta", "self.delta(t)"), TDC),
        ("TDC: θ updated with the new w",
         "zw, phi_w = _dot(z, self.w), _dot(t.phi, self.w)\n        # θ_{t+1} = θ_t + α_t δ_t(θ_t) z_t −",
         "old, self.w = self.w, self.w + beta * (_times(delta, z) - _times(_dot(t.phi, self.w), t.phi))\n"
         "        zw, phi_w, self.w = _dot(z, self.w), _dot(t.phi, self.w), old\n        #"),
        ("TDC: w without φφᵀw", W_UPDATE, W_UPDATE.replace(" - _times(phi_w, t.phi)", ""), TDC),
        ("TDC: w used for φφᵀw", W_UPDATE, W_UPDATE.replace("_times(phi_w, t.phi)", "self.w"), TDC),
        ("TDC: zφᵀw used for φφᵀw in w", W_UPDATE, W_UPDATE.replace("t.phi)", "z)"), TDC),
        ("TDC: δφ used for δz in w", W_UPDATE, W_UPDATE.replace("delta, z", "delta, t.phi"), TDC),
        ("TDC: δφ used for δz in θ", TDC_UPDATE, TDC_UPDATE.replace("delta, z", "delta, t.phi")),
    ),
    # ---- the start, and what the algorithm is given ----
    *wrong(
        EVERY,
        ("θ_0 = 0 whatever was asked for",
         "np.array(theta0, dtype=np.float64)", "np.zeros_like(np.array(theta0, dtype=np.float64))"),
        ("φ_t given as φ_{t+1}", "phi_next[..., t, :]", "phi[..., t, :]"),
        ("R_t given as R_{t+1}", "trajectory.rewards[..., t]", "trajectory.rewards[..., max(t - 1, 0)]"),
        ("the discount of the transition before given",
         "trajectory.discounts[..., t]", "trajectory.discounts[..., max(t - 1, 0)]"),
        ("θ_{t−1} recorded as θ_t", f"        {STEP}\n{RECORD}", f"{RECORD}        {STEP}\n"),
    ),
    *wrong(
        WITH_RATIO,
        ("ρ_{t−1} given as ρ_t", "trajectory.rho[..., t]", "trajectory.rho[..., max(t - 1, 0)]"),
    ),
    *wrong(
        ("gtd", "tdc"),
        ("w_0 = θ_0, not 0", "np.zeros_like(self.theta)", "self.theta.copy()"),
        ("α and β swapped", STEP, "algorithm.step(t, float(beta), float(alpha))"),
    ),
    # ---- a constant λ without end: the trace by its recursion ----
    *wrong(
        EVERY,
        ("recursive trace: λ missing", "self.tail * self.window[-1].discount", "self.window[-1].discount"),
        ("recursive trace: λ squared",
         "self.tail * self.window[-1].discount", "self.tail**2 * self.window[-1].discount"),
        ("recursive trace: γ missing", "self.tail * self.window[-1].discount", "self.tail"),
        ("recursive trace: discount at the wrong end, Γ_t used for Γ_{t−1}",
         "self.tail * self.window[-1].discount", "self.tail * t.discount"),
        ("recursive trace: discount of the very first transition for all",
         "        self.window.append(t)\n        return self.z",
         "        self.window or self.window.append(t)\n        return self.z"),
        ("recursive trace: z_t = φ_t, nothing remembered", "z = z + _times(self.tail", "z = z + 0 * _times(self.tail"),
        test="test_a_constant_lambda_without_end",
    ),
    *wrong(
        WITH_RATIO,
        ("recursive trace: ρ missing", "self.z = _times(t.rho, z) if self.importance else z", "self.z = z"),
        ("recursive trace: ρ_t on φ_t alone", "        z = t.phi\n",
         "        z = _times(t.rho, t.phi)\n", ),
        ("recursive trace: ρ_{t−1} used for ρ_t",
         "self.z = _times(t.rho, z)", "self.z = _times((self.window or [t])[-1].rho, z)"),
        ("recursive trace: ρ on the update, not remembered", "        self.window.append(t)\n        return self.z",
         "        self.window.append(t)\n        kept, self.z = self.z, z\n        return kept"),
        test="test_a_constant_lambda_without_end",
    ),
    # ---- episodes that begin anew, and reset: by hand ----
    *rows(
        FILE, "sims/test_variants.py::test_a_first_step_begins_the_trace_anew",
        ("the mark of an episode's start is ignored", "            if past.first:\n                break\n", ""),
        ("the first φ of an episode is left out of the trace",
         f"            {TERM}\n            if past.first:\n                break\n",
         f"            if past.first:\n                break\n            {TERM}\n"),
        ("recursive trace: the mark of an episode's start is ignored",
         "if self.window and not t.first:", "if self.window:"),
    ),
    *rows(
        FILE, "sims/test_variants.py::test_reset_forgets_everything",
        ("the window survives a reset", "self.window: deque[Transition] = deque(maxlen=len(self.c))",
         "self.window = vars(self).get('window', deque(maxlen=len(self.c)))"),
        ("w survives a reset",
         "self.w = np.zeros_like(self.theta)", "self.w = vars(self).get('w', np.zeros_like(self.theta))"),
    ),
)  # fmt: skip
