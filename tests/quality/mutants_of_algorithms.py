"""Mutants of the algorithms: the mistakes people make when they write TD, off-policy TD, GTD or TDC with a λ-schedule.

Most are caught by statistics alone: simulation against the exact mean and covariance of the iterates. A mistake in what
the algorithms share must show in each algorithm that it touches.
"""

from __future__ import annotations

from tests.quality.edits import Mutant, Row, occurrence, rows

FILE = "sims/algorithms.py"
TESTS = "sims/test_variants.py"

EVERY = ("td", "off_policy_td", "gtd", "tdc")
WITH_RATIO = ("off_policy_td", "gtd", "tdc")
ANY_TD = ("td", "off_policy_td")
GRADIENT = ("gtd", "tdc")


def wrong(algorithms: tuple[str, ...], *table: Row, test: str = "test_the_law_at_a_finite_time") -> tuple[Mutant, ...]:
    """Mutants of the algorithms' file that the test must notice for each of these algorithms."""
    killers = tuple(f"{TESTS}::{test}[{name}]" for name in algorithms)
    return tuple(Mutant(row[0], FILE, row[1], row[2], killers, occurrence(row), every=True) for row in table)


C = "np.cumprod([1.0, *lambdas])"
DISCOUNT = "product = product * past.discount"
WITH = "if self.importance:\n                product"
RATIO = "product = product * past.rho"
TERM = "z = z + _times(self.c[k] * product, past.phi)"
EARLIER = "self.window[max(-2 - k, -len(self.window))]"  # the transition before ``past``
BEFORE = "self.window[-2 % len(self.window)]"  # the transition before t
DELTA = "t.reward + t.discount * _dot(t.phi_next, self.theta) - _dot(t.phi, self.theta)"
ON_TARGET = f"t.rho * ({DELTA.replace(' - ', ') - ')}".replace("self", "algorithm")
TRACE_STEP = "        z = self.trace(t)\n"
TD_UPDATE = "self.theta = self.theta + alpha * _times(delta, z)  #"
GTD_UPDATE = "self.theta = self.theta + alpha * _times(zw, t.phi - _times(t.discount, t.phi_next))"
TDC_UPDATE = "self.theta = self.theta + alpha * _times(delta, z) - alpha * correction"
CORRECTION = "_times(zw, _times(t.discount, t.phi_next) - t.phi) + _times(phi_w, t.phi)"
W_UPDATE = "        self.w = self.w + beta * (_times(delta, z) - _times(phi_w, t.phi))\n"
NEW_W = "self.w + beta * (_times(delta, z) - _times(_dot(t.phi, self.w), t.phi))"
STEP = "algorithm.step(t, float(alpha), float(beta))"
RECORD = "        thetas.append(algorithm.theta)\n        ws.append(algorithm.w)\n"


def in_batches_of(n: int) -> Row:
    """Updates added up from the iterate at the start of each batch."""
    return (
        f"mini-batches: δ from the θ at the start of a batch of {n} (another algorithm at finite step sizes)",
        STEP,
        f"if len(thetas) % {n} == 1:\n"
        f"            base, moved = (algorithm.theta, algorithm.w), (0.0, 0.0)\n"
        f"        {STEP}\n"
        f"        moved = moved[0] + algorithm.theta - base[0], moved[1] + algorithm.w - base[1]\n"
        f"        algorithm.theta, algorithm.w = base\n"
        f"        if len(thetas) % {n} == 0:\n"
        f"            algorithm.theta, algorithm.w = base[0] + moved[0], base[1] + moved[1]",
    )


SHARED = wrong(
    EVERY,
    # δ
    ("R_t used for R_{t+1}", "t.reward + t.discount", f"{BEFORE}.reward + t.discount"),
    (
        "the discount applied to the reward as well: γ (R_{t+1} + φ_{t+1}ᵀθ)",
        "t.reward + t.discount",
        "t.discount * t.reward + t.discount",
    ),
    ("φ_t used for φ_{t+1} in δ", "_dot(t.phi_next, self.theta)", "_dot(t.phi, self.theta)"),
    ("φ_{t+1} used for φ_t in δ", "- _dot(t.phi, self.theta)", "- _dot(t.phi_next, self.theta)"),
    ("γ φ_{t+1}ᵀθ missing in δ", " + t.discount * _dot(t.phi_next, self.theta)", ""),
    ("γ missing in δ", "t.discount * _dot(t.phi_next, self.theta)", "_dot(t.phi_next, self.theta)"),
    ("the discount of the transition before used in δ", "t.reward + t.discount", f"t.reward + {BEFORE}.discount"),
    (
        "the value after an episode's end used in δ (its discount is 0)",
        "t.reward + t.discount",
        "t.reward + np.where(t.discount == 0, 1.0, t.discount)",
    ),
    ("δ with the wrong sign", f"np.asarray({DELTA})", f"-np.asarray({DELTA})"),
    ("φ_tᵀθ added in δ instead of subtracted", "- _dot(t.phi, self.theta)", "+ _dot(t.phi, self.theta)"),
    ("φ_tᵀθ missing in δ", " - _dot(t.phi, self.theta))", ")"),
    (
        "δ_t from θ_{t−1} instead of θ_t",
        f"        return np.asarray({DELTA})",
        "        self.kept, kept = self.theta, vars(self).get('kept', self.theta)\n"
        f"        return np.asarray({DELTA.replace('self.theta', 'kept')})",
    ),
    (
        "φ_tᵀθ_{t−1} kept from before the last update used in δ",
        f"        return np.asarray({DELTA})",
        "        self.kept, kept = self.theta, vars(self).get('kept', self.theta)\n"
        f"        return np.asarray({DELTA.replace('_dot(t.phi, self.theta)', '_dot(t.phi, kept)')})",
    ),
    # the schedule
    ("the schedule shifted by one: λ_{k+1} used for λ_k", C, "np.cumprod([1.0, *lambdas[1:]])"),
    ("the schedule shifted by one: λ_{k−1} used for λ_k", C, "np.cumprod([1.0, 1.0, *lambdas])"),
    ("a window that is one too short: the last λ is not used", "maxlen=len(self.c))", "maxlen=len(self.c) - 1)"),
    ("a window that is one too long", C, "np.cumprod([1.0, *lambdas, lambdas[-1]])"),
    ("a window that never ends: λ_k = λ_L for k > L", C, "np.cumprod([1.0, *lambdas, *[lambdas[-1]] * 100])"),
    (
        "λ_1 used for every λ, without end (if one λ is meant, try --schedules constant)",
        C,
        "np.cumprod([1.0, *[lambdas[0]] * 100])",
    ),
    (
        "λ_1 used for every λ of the window (if one λ is meant, try --schedules constant)",
        C,
        "np.cumprod([1.0, *[lambdas[0]] * len(lambdas)])",
    ),
    ("the λ's not used: every weight of the window is 1", C, "np.ones(1 + len(lambdas))"),
    ("λ_k used as the trace weight for the product λ_1…λ_k", C, "np.array([1.0, *lambdas])"),
    ("the weights w_n of the returns used as trace weights", C, "-np.diff(np.cumprod([1.0, *lambdas, 0.0]))"),
    ("1 − λ used for λ", C, "np.cumprod([1.0, *(1 - lam for lam in lambdas)])"),
    ("the λ's in the reverse order", C, "np.cumprod([1.0, *reversed(lambdas)])"),
    (
        "the trace weights in the reverse order: c_k counted from the oldest state of the window",
        TERM,
        TERM.replace("self.c[k]", "self.c[len(self.window) - 1 - k]"),
    ),
    # the trace
    ("no trace: z_t = φ_t (TD(0))", C, "np.array([1.0])"),
    ("φ_{t+1} used for φ_t in the trace", TERM, TERM.replace("past.phi", "past.phi_next")),
    ("φ_t used for every φ_{t−k} in the trace", TERM, TERM.replace("past.phi", "t.phi")),
    ("φ_t missing in the trace", TERM, f"{TERM} * (k > 0)"),
    (
        "a replacing trace instead of an accumulating one",
        TERM,
        "z = np.where(z == 0, _times(self.c[k] * product, past.phi), z)",
    ),
    ("the trace averaged over its window", TERM, TERM.replace("self.c[k]", "self.c[k] / len(self.window)")),
    ("the oldest transition taken for the newest in the trace", "past = self.window[-1 - k]", "past = self.window[k]"),
    ("γ missing in the trace", DISCOUNT, "product = product * (past.discount != 0)"),
    ("γ squared in the trace", DISCOUNT, "product = product * past.discount**2"),
    (
        "γ taken once in the trace, not once per step",
        DISCOUNT,
        "product = product * (past.discount if k == 1 else 1.0)",
    ),
    (
        "the discount at the wrong end of a transition: γ_{t+1}, of the one made now, in the trace at time t",
        DISCOUNT,
        "product = product * self.window[-k].discount",
    ),
    ("the discount of the transition before used in the trace", DISCOUNT, f"product = product * {EARLIER}.discount"),
    (
        "the trace not begun anew after an episode's end",
        DISCOUNT,
        "product = product * np.where(past.discount == 0, 1.0, past.discount)",
    ),
)

RATIOS = wrong(
    WITH_RATIO,
    ("ρ missing", WITH, "if False:\n                product"),
    ("ρ squared", RATIO, f"{RATIO}**2"),
    (
        "μ/π used for ρ = π/μ",
        RATIO,
        "product = product * np.where(past.rho == 0, 0.0, 1 / (past.rho + (past.rho == 0)))",
    ),
    ("ρ clipped at 1", RATIO, "product = product * np.minimum(past.rho, 1.0)"),
    ("ρ_t on the update instead of in the trace", WITH, WITH.replace("importance", "importance and k == 0")),
    (
        "ρ_t on the update as well as in the trace",
        f"np.asarray({DELTA})",
        f"np.asarray(t.rho if self.importance else 1.0) * np.asarray({DELTA})",
    ),
    ("ρ of the wrong step: ρ_{t−1} used for ρ_t", RATIO, f"product = product * {EARLIER}.rho"),
    ("ρ_t of the current step missing in the trace", WITH, WITH.replace("importance", "importance and k > 0")),
    ("ρ_t on the old trace only, not on φ_t", RATIO, "product = product * (self.window[-k].rho if k > 0 else 1.0)"),
    (
        "ρ on the target of δ instead of in the trace: ρ (R + γφ'ᵀθ) − φᵀθ",
        STEP,
        f"algorithm.importance, algorithm.delta = False, lambda t: {ON_TARGET}\n        {STEP}",
    ),
    (
        "ρ of each state's own step used for the product of all since",
        f"            {WITH} = product * past.rho  # ρ_{{t−k}}\n            {TERM}",
        f"            {TERM.replace('product', 'product * (past.rho if self.importance else 1.0)')}",
    ),
)

UPDATES = (
    *wrong(
        EVERY,
        (
            "the step sizes of the step before",
            "zip(transitions(trajectory), alphas, betas, strict=True)",
            "zip(transitions(trajectory), [alphas[0], *alphas[:-1]], [betas[0], *betas[:-1]], strict=True)",
        ),
        ("no update of θ at all", STEP, "algorithm.step(t, 0.0, float(beta))"),
        ("β used for θ, where α belongs", STEP, "algorithm.step(t, float(beta), float(beta))"),
        ("θ shown one update late", f"        {STEP}\n{RECORD}", f"{RECORD}        {STEP}\n"),
        in_batches_of(2),
        in_batches_of(4),
        in_batches_of(8),
        ("θ_0 = 0 whatever was asked for", "np.array(theta0, dtype=np.float64)", "np.zeros(np.shape(theta0))"),
        ("φ_t handed over as φ_{t+1}", "phi_next[..., t, :]", "phi[..., t, :]"),
        ("R_t handed over as R_{t+1}", "trajectory.rewards[..., t]", "trajectory.rewards[..., max(t - 1, 0)]"),
        (
            "the discount of the transition before handed over",
            "trajectory.discounts[..., t]",
            "trajectory.discounts[..., max(t - 1, 0)]",
        ),
    ),
    *wrong(
        WITH_RATIO,
        ("ρ_{t−1} handed over as ρ_t", "trajectory.rho[..., t]", "trajectory.rho[..., max(t - 1, 0)]"),
    ),
    *wrong(
        ANY_TD,
        ("TD: z updated after θ: z_{t−1} used for z_t", TRACE_STEP, "        z, self.z = self.z, self.trace(t)\n", 0),
        (
            "the residual gradient: z_t − γφ_{t+1} in place of z_t",
            TD_UPDATE,
            TD_UPDATE.replace(" z)", " z - _times(t.discount, t.phi_next))"),
        ),
        ("φ_t in place of z_t in the update", TD_UPDATE, TD_UPDATE.replace(" z)", " t.phi)")),
    ),
    *wrong(
        ("off_policy_td",),
        (
            "off-policy TD that is TD",
            "class OffPolicyTD(TD):",
            "class OffPolicyTD(TD):\n    pass\n\n\nclass Unused(TD):",
        ),
    ),
    *wrong(
        GRADIENT,
        ("α and β swapped", STEP, "algorithm.step(t, float(beta), float(alpha))"),
        ("α used for w as well, where β belongs", STEP, "algorithm.step(t, float(alpha), float(alpha))"),
        ("no update of w at all", STEP, "algorithm.step(t, float(alpha), 0.0)"),
        ("w_0 = θ_0, not 0", "np.zeros_like(self.theta)", "self.theta.copy()"),
    ),
)


def of_w(name: str, which: int) -> tuple[Mutant, ...]:
    """GTD and TDC have the same second line; ``which`` says whose is meant."""
    late = TRACE_STEP, "        z, self.z = self.z, self.trace(t)\n", which + 1
    table = (
        ("z updated after θ: z_{t−1} used for z_t", *late),
        ("w updated with the new θ", W_UPDATE, W_UPDATE.replace("delta", "self.delta(t)"), which),
        ("φφᵀw missing in the update of w", W_UPDATE, W_UPDATE.replace(" - _times(phi_w, t.phi)", ""), which),
        ("zzᵀw used for φφᵀw in the update of w", W_UPDATE, W_UPDATE.replace("phi_w, t.phi", "zw, z"), which),
        ("zφᵀw used for φφᵀw in the update of w", W_UPDATE, W_UPDATE.replace("phi_w, t.phi", "phi_w, z"), which),
        ("φzᵀw used for φφᵀw in the update of w", W_UPDATE, W_UPDATE.replace("phi_w, t.phi", "zw, t.phi"), which),
        ("w used for φφᵀw in the update of w", W_UPDATE, W_UPDATE.replace("_times(phi_w, t.phi)", "self.w"), which),
        ("δφ used for δz in the update of w", W_UPDATE, W_UPDATE.replace("delta, z", "delta, t.phi"), which),
        ("w updated with the wrong sign", W_UPDATE, W_UPDATE.replace("+", "-"), which),
    )
    return wrong((name,), *((f"{name.upper()}: {what}", *edit) for what, *edit in table))  # type: ignore[arg-type]


ONE_LAMBDA = (
    "GTD(λ)'s update of θ for one λ, δz − (1 − λ)γφ_{t+1} (z_tᵀw) (if that is meant, try --algorithm gtd_lambda)"
)
OF_GTD = wrong(
    ("gtd",),
    (
        "GTD: θ moved against its gradient: γφ_{t+1} − φ_t used for φ_t − γφ_{t+1}",
        GTD_UPDATE,
        GTD_UPDATE.replace("+", "-"),
    ),
    (
        "GTD: γ missing in φ_t − γφ_{t+1}",
        GTD_UPDATE,
        GTD_UPDATE.replace("_times(t.discount, t.phi_next)", "t.phi_next"),
    ),
    (
        "GTD: γφ_{t+1} (z_tᵀw) missing in the update of θ",
        GTD_UPDATE,
        GTD_UPDATE.replace(" - _times(t.discount, t.phi_next)", ""),
    ),
    ("GTD: φ_t (z_tᵀw) missing in the update of θ", GTD_UPDATE, GTD_UPDATE.replace("t.phi - ", "-")),
    ("GTD: φ_tᵀw used for z_tᵀw", GTD_UPDATE, GTD_UPDATE.replace("zw", "phi_w")),
    ("GTD: θ updated with the new w", GTD_UPDATE, GTD_UPDATE.replace("zw", f"_dot(z, {NEW_W})")),
    ("GTD: TDC's update of θ", GTD_UPDATE, f"{GTD_UPDATE} + alpha * (_times(delta, z) - _times(phi_w, t.phi))"),
    (
        f"GTD: {ONE_LAMBDA}",
        GTD_UPDATE,
        "self.theta = self.theta + alpha * (_times(delta, z) - _times((1 - self.c[1]) * zw, "
        "_times(t.discount, t.phi_next)))",
    ),
)
OF_TDC = wrong(
    ("tdc",),
    ("TDC: no correction at all: off-policy TD", TDC_UPDATE, TDC_UPDATE.replace(" - alpha * correction", "")),
    ("TDC: the correction added instead of subtracted", TDC_UPDATE, TDC_UPDATE.replace(" - alpha", " + alpha")),
    ("TDC: β on the correction", TDC_UPDATE, TDC_UPDATE.replace("alpha * correction", "beta * correction")),
    ("TDC: GTD's update of θ", TDC_UPDATE, "self.theta = self.theta - alpha * (correction - _times(phi_w, t.phi))"),
    ("TDC: φφᵀw missing in the update of θ", CORRECTION, CORRECTION.replace(" + _times(phi_w, t.phi)", "")),
    ("TDC: φφᵀw with the wrong sign in the update of θ", CORRECTION, CORRECTION.replace(" + ", " - ")),
    (
        "TDC: γ missing in φ_t − γφ_{t+1}",
        CORRECTION,
        CORRECTION.replace("_times(t.discount, t.phi_next)", "t.phi_next"),
    ),
    (
        "TDC: γφ_{t+1} (z_tᵀw) missing in the update of θ",
        CORRECTION,
        CORRECTION.replace("_times(t.discount, t.phi_next) - t.phi", "-t.phi"),
    ),
    ("TDC: φ_t (z_tᵀw) missing in the update of θ", CORRECTION, CORRECTION.replace(" - t.phi)", ")")),
    (
        "TDC: the correction γφ_{t+1} (z_tᵀw) alone, which is TDC only where z_t = φ_t",
        CORRECTION,
        "_times(zw, _times(t.discount, t.phi_next))",
    ),
    (
        f"TDC: {ONE_LAMBDA}",
        CORRECTION,
        "_times((1 - self.c[1]) * zw, _times(t.discount, t.phi_next))",
    ),
    ("TDC: φ_tᵀw used for z_tᵀw", CORRECTION, CORRECTION.replace("zw", "phi_w")),
    ("TDC: δφ used for δz in the update of θ", TDC_UPDATE, TDC_UPDATE.replace("delta, z", "delta, t.phi")),
    (
        "TDC: θ updated with the new w",
        f"        correction = {CORRECTION}\n",
        f"        old, self.w = self.w, {NEW_W}\n"
        "        zw, phi_w, self.w = _dot(z, self.w), _dot(t.phi, self.w), old\n"
        f"        correction = {CORRECTION}\n        phi_w = _dot(t.phi, self.w)\n",
    ),
)

CARRY = "self.tail * self.window[-1].discount"
KEPT = "        self.window.append(t)\n        return self.z"
RECURSIVE = (
    *wrong(
        EVERY,
        ("recursive trace: λ missing", CARRY, "self.window[-1].discount"),
        ("recursive trace: λ squared", CARRY, CARRY.replace("tail", "tail**2")),
        ("recursive trace: γ missing", CARRY, "self.tail"),
        ("recursive trace: the discount at the wrong end of a transition", CARRY, "self.tail * t.discount"),
        (
            "recursive trace: the first discount used for all",
            KEPT,
            "        self.window or self.window.append(t)\n        return self.z",
        ),
        ("recursive trace: nothing remembered", "z = z + _times(self.tail", "z = z + 0 * _times(self.tail"),
        test="test_a_constant_lambda_without_end",
    ),
    *wrong(
        WITH_RATIO,
        ("recursive trace: ρ missing", "self.z = _times(t.rho, z) if self.importance else z", "self.z = z"),
        (
            "recursive trace: ρ_t twice on φ_t",
            "        z = t.phi\n",
            "        z = _times(t.rho if self.importance else 1.0, t.phi)\n",
        ),
        (
            "recursive trace: ρ_{t−1} used for ρ_t",
            "self.z = _times(t.rho, z)",
            "self.z = _times((self.window or [t])[-1].rho, z)",
        ),
        (
            "recursive trace: ρ on the update, not remembered",
            KEPT,
            "        self.window.append(t)\n        kept, self.z = self.z, z\n        return kept",
        ),
        test="test_a_constant_lambda_without_end",
    ),
)

FIRST = "            if past.first:\n                break\n"
BY_HAND = (
    *rows(
        FILE,
        f"{TESTS}::test_a_first_step_begins_the_trace_anew",
        ("the mark of an episode's start ignored", FIRST, ""),
        ("an episode's first φ left out of the trace", f"            {TERM}\n{FIRST}", f"{FIRST}            {TERM}\n"),
        (
            "recursive trace: the mark of an episode's start ignored",
            "if self.window and not t.first:",
            "if self.window:",
        ),
    ),
    *rows(
        FILE,
        f"{TESTS}::test_reset_forgets_everything",
        (
            "the window survives a reset",
            "self.window: deque[Transition] = deque(maxlen=len(self.c))",
            "self.window = vars(self).get('window', deque(maxlen=len(self.c)))",
        ),
        (
            "w survives a reset",
            "self.w = np.zeros_like(self.theta)",
            "self.w = vars(self).get('w', np.zeros_like(self.theta))",
        ),
    ),
)

# Not in the theory's table, whose tests are exact: wrong matrices that simulation contradicts.
MATRICES = rows(
    "theory/model/key_matrices.py",
    f"{TESTS}::test_the_fixed_point_equation",
    (
        "A transposed",
        "return self.Phi.T @ self.K_Phi.scale_rows(self.d)",
        "return (self.Phi.T @ self.K_Phi.scale_rows(self.d)).T",
    ),
    (
        "A with D between M − I and Φ",
        "return self.Phi.T @ self.K_Phi.scale_rows(self.d)",
        "return self.Phi.T @ self.K(self.Phi.scale_rows(self.d))",
    ),
    (
        "A with D twice",
        "return self.Phi.T @ self.K_Phi.scale_rows(self.d)",
        "return self.Phi.T @ self.K_Phi.scale_rows(self.d).scale_rows(self.d)",
    ),
    ("b with D between S and r", "self.S(self.r).scale_rows(self.d)", "self.S(self.r.scale_rows(self.d))"),
    ("b with the discounted reward", "self.S(self.r).scale_rows(self.d)", "self.S(self.N @ self.r).scale_rows(self.d)"),
    (
        "C with M",
        "return self.Phi.T @ self.Phi.scale_rows(self.d)",
        "return self.Phi.T @ self.M(self.Phi).scale_rows(self.d)",
    ),
)

MUTANTS = (
    *SHARED,
    *RATIOS,
    *UPDATES,
    *of_w("gtd", 0),
    *of_w("tdc", 1),
    *OF_GTD,
    *OF_TDC,
    *RECURSIVE,
    *BY_HAND,
    *MATRICES,
)
