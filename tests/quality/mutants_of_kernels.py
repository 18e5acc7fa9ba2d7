"""Mutants of the kernels: the fast twins of what ``mutants_of_algorithms.py`` gets wrong, and of the drawing of paths.

They run as plain Python (``tests/sims/plain_lanes.py``), and what catches them are comparisons path by path.
"""

from __future__ import annotations

from tests.quality.edits import Mutant, rows

LOOPS = "sims/kernels/compiled.py"
PATHS = "sims/test_every_schedule.py::test_kernels_follow_the_readable_algorithm_on_every_schedule"
GTD, TDC = f"{PATHS}[n-step-gtd]", f"{PATHS}[n-step-tdc]"


def on(schedule: str, *table: tuple[str, str, str] | tuple[str, str, str, int]) -> tuple[Mutant, ...]:
    """Mutants that off-policy TD shows under this schedule."""
    return rows(LOOPS, f"{PATHS}[{schedule}-off_policy_td]", *table)


# fmt: off
MUTANTS = (
    *rows(
        LOOPS, "sims/test_trajectories.py::test_kernel_walks_word_by_word_as_the_readable_sampler",
        ("words: a rotation by 44 for 45", "(e << 45) | (e >> 19)", "(e << 44) | (e >> 20)"),
        ("words: a shift by 16 for 17", "b << 17", "b << 16"),
        ("words: the state is not kept", "    store(rng, 2, c)\n", ""),
        ("a column and its alias swapped", "gather(picks, place, 1), gather(picks, place, 2)",
         "gather(picks, place, 2), gather(picks, place, 1)"),
        ("the first state's table for all", "((state << bits) + column) << 2", "column << 2"),
        ("s_0 drawn by the law of the first step",
         "_link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng)) >> 32",
         "_link(law.picks, law.bits, fill(np.uint64(0)), _next_words(rng)) >> 32"),
    ),
    # ---- q, and the traces ----
    *on(
        "one step",
        ("γ missing in δ", "gamma * quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))",
         "quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))"),
        ("φ_t used for φ_{t+1} in δ",
         "gamma * quad(Phi, after + np.uint64(i)) - quad", "gamma * quad(Phi, row + np.uint64(i)) - quad"),
        ("φ_tᵀθ added in δ instead of subtracted", "after + np.uint64(i)) - quad", "after + np.uint64(i)) + quad"),
        ("ρ_t of the current step missing", "            if off_policy:\n", "            if False:\n"),
        ("θ moved the wrong way", "quad(thetas, lane * d + i) + many", "quad(thetas, lane * d + i) - many"),
        ("δ without its reward",
         "step = alpha * (entry(scalars, 3 * t, lane) + total(along))", "step = alpha * total(along)"),
        ("the step sizes of the step before", "alpha, sizes = now & mask, (now + 1) & mask, alphas[now]",
         "alpha, sizes = now & mask, (now + 1) & mask, alphas[max(now - 1, 0)]", 0),
        ("the iterate recorded one update late", "times[wanted] == now + 1", "times[wanted] == now", 0),
        ("recorded rewards one step late", "rewards[r, begin + t]", "rewards[r, max(begin + t - 1, 0)]"),
        ("recorded paths begun anew with every tile", "states[r, begin + t + 1] * d", "states[r, t + 1] * d"),
        ("all runs repeat the first", "r = min(first + lane, runs - 1)", "r = 0", 0),
    ),
    *on(
        "n-step",
        ("γ missing in the trace", "q = weight * load(scalars, 3 * t + 1)", "q = weight"),
        ("ρ missing in the trace", "        if code != TD:\n", "        if False:\n"),
        ("λ for all that is no TD", "        if code != TD:\n", "        if code == TD:\n"),
        ("P not begun anew with a block", "            P = fill(1.0)\n", "            pass\n"),
        ("P one step ahead", "        store(Ps, time - begin, P)\n", "        store(Ps, time - begin, P * q)\n"),
        ("the products of a block one step late", "for past in range(time - late, time - late - W, -1):",
         "for past in range(time - late - 1, time - late - W - 1, -1):"),
    ),
    *on("constant", ("λ missing in the trace", "weight = fill(lam)", "weight = fill(1.0)")),
    *on(
        "without end",
        ("endless: the discount at the wrong end of a transition",
         "(time - 1) & mask, lane)) * y", "time & mask, lane)) * y"),
        ("endless: what a tile leaves is forgotten", "            put(carried, lane * d + i, y)\n", ""),
    ),
    *on(
        "EqualWeights",
        ("EqualWeights: 1/m one off", "fill(1.0 / m)", "fill(1.0 / (m + 1))"),
        ("EqualWeights: the flat window alone", "    if m > 1:\n", "    if False:\n"),
        ("EqualWeights: the falling weights one step late",
         "(begin + t - W) & tile.mask", "(begin + t - W + 1) & tile.mask"),
    ),
    *on(
        "any",
        ("window: c shifted by one", "y0 = y0 + spread(c[k + 1]) * phi", "y0 = y0 + spread(c[k]) * phi"),
        ("window: c shifted by one within the four", "fill(c[a - b])", "fill(c[a - b + 1])"),
        ("window: one too short", "before = min(L, now)", "before = min(L - 1, now)"),
        ("window: q one step late",
         "product = product * load(qs, (now - 1 - k) & mask)", "product = product * load(qs, (now - k) & mask)"),
        ("window: φ one step late", "entry(rows, (now - 1 - k) & mask, lane)", "entry(rows, (now - k) & mask, lane)"),
    ),
    # ---- GTD and TDC ----
    *rows(
        LOOPS, GTD,
        ("GTD: θ moved against its gradient", "quad(thetas, own + i) - down", "quad(thetas, own + i) + down"),
        ("GTD: TDC's update of θ", "                if corrected:\n", "                if True:\n"),
        ("ρ_t missing in z_tᵀw", "total(yw) * rho", "total(yw)"),
        ("ρ_t missing in δz", "total(along)) * rho", "total(along))"),
        ("φφᵀw missing in the update of w", "+ w_up * y - w_back * phi", "+ w_up * y"),
        ("w updated by the trace in place of φ", "- w_back * phi", "- w_back * y"),
        ("α used for w as well, where β belongs", "spread(beta * delta)", "spread(alpha * delta)"),
        ("γ missing in φ_t − γφ_{t+1}", "down * (gamma * quad(", "down * (quad("),
        ("θ recorded as w",
         "ws[first + lane, index, i] = w[lane * d + i]", "ws[first + lane, index, i] = theta[lane * d + i]"),
    ),
    *rows(
        LOOPS, TDC,
        ("TDC: GTD's update of θ", "                if corrected:\n", "                if False:\n"),
        ("TDC: φφᵀw missing in the update of θ", "theta + up * y - back * phi", "theta + up * y"),
        ("TDC: φ_tᵀw used for z_tᵀw", "total(yw) * rho, total(phi_w)", "total(phi_w), total(phi_w)"),
    ),
    # ---- divergence ----
    *rows(
        LOOPS, "sims/test_kernels.py::test_divergence_is_reported_with_its_step",
        ("divergence noted one step early",
         "_note_divergence(first, now + 1, tile, out)", "_note_divergence(first, now, tile, out)", 0),
        ("divergence noted at the last step",
         "if diverged_at[first + lane] < 0:\n                diverged", "if True:\n                diverged"),
        ("the last record repeated is that of the divergence",
         "problem.times[index] >= diverged_at[r]", "problem.times[index] > diverged_at[r]"),
    ),
    *rows(
        "sims/kernels/recursions.py", f"{PATHS}[EqualWeights-off_policy_td]",
        ("EqualWeights: m = n2 − n1", "n2 - n1 + 1, c)", "n2 - n1, c)"),
    ),
    *rows(
        "sims/kernels/recursions.py", f"{PATHS}[constant-off_policy_td]",
        ("constant: a window one too short", "float(lam), len(c), 1, c)", "float(lam), len(c) - 1, 1, c)"),
    ),
)
