"""Mutants of the paper's four functions, of the trace that they share, and of how they are run along trajectories.

The mistakes that people make in them are in ``sims/mistakes`` and must break the law of the iterates
(``sims/test_variants.py``). Here the compiled kernels, the other writing, must contradict the edited function.
"""

from __future__ import annotations

from tests.quality.edits import Mutant, Row, occurrence, rows

TESTS = "sims/test_variants.py"
KERNELS = "sims/test_every_schedule.py::test_kernels_follow_the_readable_algorithm_on_every_schedule"

EVERY = ("td", "off_policy_td", "gtd", "tdc")
WITH_RATIO = ("off_policy_td", "gtd", "tdc")


def unlike_kernels(file: str, names: tuple[str, ...], *table: Row, schedule: str = "any") -> tuple[Mutant, ...]:
    """Mutants with which the kernel of each of these algorithms must disagree."""
    killers = tuple(f"{KERNELS}[{schedule}-{name}]" for name in names)
    return tuple(Mutant(row[0], file, row[1], row[2], killers, occurrence(row), every=True) for row in table)


def in_law(*table: Row, names: tuple[str, ...] = EVERY) -> tuple[Mutant, ...]:
    """Mutants of runs along trajectories, which the law of each of these algorithms must contradict."""
    killers = tuple(f"{TESTS}::test_the_law_at_a_finite_time[{name}]" for name in names)
    return tuple(
        Mutant(row[0], "sims/algorithms.py", row[1], row[2], killers, occurrence(row), every=True) for row in table
    )


ALONE = (
    *(
        mutant
        for name in EVERY
        for mutant in unlike_kernels(
            f"algorithms/{name}.py",
            (name,),
            ("the reward with the wrong sign", "delta = t.reward", "delta = -t.reward"),
            ("γ missing in δ", "t.discount * (t.phi_next @ theta)", "(t.phi_next @ theta)"),
            ("φ_tᵀθ added in δ instead of subtracted", "theta) - t.phi @", "theta) + t.phi @"),
        )
    ),
    *(
        mutant
        for name in ("td", "off_policy_td")
        for mutant in unlike_kernels(
            f"algorithms/{name}.py",
            (name,),
            ("φ_t in place of z_t in the update", "alpha * delta * trace", "alpha * delta * t.phi"),
            ("θ moved the wrong way", "theta + alpha", "theta - alpha"),
        )
    ),
    *unlike_kernels(
        "algorithms/gtd.py",
        ("gtd",),
        ("φ_tᵀw used for z_tᵀw", "(trace @ w) * (", "(t.phi @ w) * ("),
        ("θ moved against its gradient", "theta + alpha", "theta - alpha"),
        ("γ missing in φ_t − γφ_{t+1}", "t.discount * t.phi_next)", "t.phi_next)"),
        ("zzᵀw used for φφᵀw in the update of w", "(t.phi @ w) * t.phi", "(trace @ w) * trace"),
        ("φφᵀw missing in the update of w", " - (t.phi @ w) * t.phi", ""),
        ("α used for w as well, where β belongs", "w + beta", "w + alpha"),
    ),
    *unlike_kernels(
        "algorithms/tdc.py",
        ("tdc",),
        ("φ_tᵀw used for z_tᵀw", "(trace @ w)", "(t.phi @ w)"),
        ("the correction added instead of subtracted", "gain - (trace @ w)", "gain + (trace @ w)"),
        ("γ missing in φ_t − γφ_{t+1}", "(t.discount * t.phi_next - t.phi)", "(t.phi_next - t.phi)"),
        ("φφᵀw with the wrong sign", "delta * trace - (t.phi", "delta * trace + (t.phi"),
        ("δφ used for δz", "delta * trace", "delta * t.phi"),
        ("α used for w as well, where β belongs", "w + beta", "w + alpha"),
    ),
)

TRACE = (
    *unlike_kernels(
        "algorithms/traces.py",
        EVERY,
        ("the λ's in the reverse order", "enumerate(lambdas)", "enumerate(lambdas[::-1])"),
        ("every row from the first one", "lam * z[k]", "lam * z[0]"),
        ("γ squared", "[t.discount * rho * row for", "[t.discount**2 * rho * row for"),
        ("γ of the transition before is not the one remembered", "rho * rows[0], [t", "t.discount * rho * rows[0], [t"),
    ),
    *unlike_kernels(
        "algorithms/traces.py",
        WITH_RATIO,
        ("ρ not remembered", "[t.discount * rho * row for", "[t.discount * row for"),
        ("ρ_t of the current step missing", "return rho * rows[0]", "return rows[0]"),
    ),
    *unlike_kernels(
        "algorithms/traces.py",
        EVERY,
        ("without end: λ missing", "tail[0] * e[0] if", "e[0] if"),
        ("without end: λ squared", "tail[0] * e[0] if", "tail[0] ** 2 * e[0] if"),
        ("without end: γ missing", "[t.discount * rho * innermost]", "[rho * innermost]"),
        ("without end: nothing remembered", "[t.discount * rho * innermost]", "[0 * rho * innermost]"),
        schedule="without end",
    ),
    *unlike_kernels(
        "algorithms/traces.py",
        WITH_RATIO,
        ("without end: ρ missing", "[t.discount * rho * innermost]", "[t.discount * innermost]"),
        schedule="without end",
    ),
)

STEP = "algorithm.step(t, float(alpha), float(beta))"
RECORD = "        thetas.append(algorithm.theta)\n        ws.append(algorithm.w)\n"
RUNS = (
    *in_law(
        (
            "the step sizes of the step before",
            "zip(transitions(trajectory), alphas, betas, strict=True)",
            "zip(transitions(trajectory), [alphas[0], *alphas[:-1]], [betas[0], *betas[:-1]], strict=True)",
        ),
        ("β used for θ, where α belongs", STEP, "algorithm.step(t, float(beta), float(beta))"),
        ("θ shown one update late", f"        {STEP}\n{RECORD}", f"{RECORD}        {STEP}\n"),
        ("θ_0 = 0 whatever was asked for", "np.array(theta0, dtype=np.float64)", "np.zeros(np.shape(theta0))"),
        ("φ_t handed over as φ_{t+1}", "phi_next[..., t, :]", "phi[..., t, :]"),
        ("R_t handed over as R_{t+1}", "trajectory.rewards[..., t]", "trajectory.rewards[..., max(t - 1, 0)]"),
        (
            "the discount of the transition before handed over",
            "trajectory.discounts[..., t]",
            "trajectory.discounts[..., max(t - 1, 0)]",
        ),
    ),
    *in_law(
        ("ρ_{t−1} handed over as ρ_t", "trajectory.rho[..., t]", "trajectory.rho[..., max(t - 1, 0)]"),
        names=WITH_RATIO,
    ),
    *in_law(
        ("α used for w as well, where β belongs", STEP, "algorithm.step(t, float(alpha), float(alpha))"),
        ("w_0 = θ_0, not 0", "self.w = np.zeros_like(self.theta)", "self.w = self.theta.copy()"),
        names=("gtd", "tdc"),
    ),
    *rows(
        "sims/algorithms.py",
        f"{TESTS}::test_a_first_step_begins_the_trace_anew",
        ("the mark of an episode's start ignored", "if t.first else self.memory, np", "if False else self.memory, np"),
        ("the trace is not remembered", "theta, w, self.memory = moved(", "theta, w, _ = moved("),
    ),
    *rows(
        "sims/algorithms.py",
        f"{TESTS}::test_reset_forgets_everything",
        (
            "the memory survives a reset",
            "self.memory = self._nothing()",
            "vars(self).setdefault('memory', self._nothing())",
        ),
        (
            "w survives a reset",
            "self.w = np.zeros_like(self.theta)",
            "self.w = vars(self).get('w', np.zeros_like(self.theta))",
        ),
    ),
    *rows(
        "sims/mistakes/variant.py",
        f"{TESTS}::test_a_variant_without_a_mistake_is_the_function",
        ("variants: the present discount counts", "return past.discount if k else 1.0", "return past.discount"),
        ("variants: what is given is not the trace", "side_by_side(self.z - self.t.phi)", "side_by_side(self.z)"),
        ("variants: the change of w with w", "return theta, w - self.w", "return theta, w"),
        ("variants: ρ twice", "rho=np.ones_like(self.t.rho)", "rho=self.t.rho"),
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

MUTANTS = (*ALONE, *TRACE, *RUNS, *MATRICES)
