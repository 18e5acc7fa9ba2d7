"""Mutants of the kernels: the fast twins of what ``sims/mistakes`` gets wrong, and of the drawing of paths.

They run as plain Python (``tests/sims/plain_lanes.py``), and what catches them are comparisons path by path.
"""

from __future__ import annotations

from tests.quality.edits import Mutant, rows

FOLDER = "sims/kernels"
PATHS = "sims/test_every_schedule.py::test_kernels_follow_the_readable_algorithm_on_every_schedule"
WALK = "sims/test_trajectories.py::test_kernel_walks_word_by_word_as_the_readable_sampler"
DIVERGENCE = "sims/test_kernels.py::test_divergence_is_reported_with_its_step"
COMPANY = "sims/test_kernels.py::test_a_run_does_not_depend_on_what_runs_beside_it"
CARRIED = "sims/test_kernels.py::test_traces_carried_along_with_one_discount_agree_too"
ONE_HOT = "sims/test_kernels.py::test_the_same_with_one_feature_at_a_time"
LAZY = "sims/test_kernels.py::test_theta_read_lazily_agrees_with_fractions"
Row = tuple[str, str, str] | tuple[str, str, str, int]


def on(schedule: str, file: str, *table: Row, algorithm: str = "off_policy_td") -> tuple[Mutant, ...]:
    """Mutants of one file that this algorithm shows under this schedule."""
    return rows(f"{FOLDER}/{file}", f"{PATHS}[{schedule}-{algorithm}]", *table)


MUTANTS = (
    *rows(
        f"{FOLDER}/compiled.py",
        WALK,
        ("words: a rotation by 44 for 45", "(e << 45) | (e >> 19)", "(e << 44) | (e >> 20)"),
        ("words: a shift by 16 for 17", "b << 17", "b << 16"),
        ("words: the state is not kept", "    store(rng, 2, c)\n", ""),
        (
            "a column and its alias swapped",
            "gather(picks, place, 1), gather(picks, place, 2)",
            "gather(picks, place, 2), gather(picks, place, 1)",
        ),
        ("the first state's table for all", "((state << bits) + column) << 2", "column << 2"),
        (
            "s_0 drawn by the law of the first step",
            "_link(law.start, law.start_bits, fill(np.uint64(0)), _next_words(rng)) >> 32",
            "_link(law.picks, law.bits, fill(np.uint64(0)), _next_words(rng)) >> 32",
        ),
    ),
    *on(
        "n-step",
        "compiled.py",
        ("γ missing in the trace", "q = lam * scalars[own + 1]", "q = lam"),
        ("ρ missing in the trace", "        if code != TD:\n", "        if False:\n"),
        ("ρ in the trace of TD alone", "        if code != TD:\n", "        if code == TD:\n"),
        ("R_t used for R_{t+1}", "rewards[r, begin + t]", "rewards[r, max(begin + t - 1, 0)]"),
        ("recorded paths begun anew with every tile", "starts[states[r, begin + t + 1]]", "starts[states[r, t + 1]]"),
        ("all runs repeat the first", "r = min(first + lane, runs - 1)", "r = 0", 0),
    ),
    *on("constant", "compiled.py", ("λ missing in the trace", "q = lam * scalars[own + 1]", "q = scalars[own + 1]")),
    # ---- traces ----
    *on(
        "n-step",
        "trace_kernels.py",
        ("blocks: P not begun anew", "            P = fill(1.0)\n", "            pass\n"),
        (
            "blocks: P one step ahead",
            "        store(Ps, time - begin, P)\n",
            "        store(Ps, time - begin, P * q)\n",
        ),
        (
            "blocks: products one step late",
            "for past in range(time - late, time - late - W, -1):",
            "for past in range(time - late - 1, time - late - W - 1, -1):",
        ),
        (
            "blocks: U not begun anew",
            "        if p == W:\n            p = 0\n            forth[:] = 0.0\n",
            "        if p == W:\n            p = 0\n",
            0,
        ),
    ),
    *on(
        "without end",
        "trace_kernels.py",
        (
            "without end: the discount at the wrong end of a transition",
            "entry(qs, (time - 1) & mask, lane)",
            "entry(qs, time & mask, lane)",
        ),
        ("without end: what a tile leaves is forgotten", "            put(carried, lane * d + i, y)\n", ""),
    ),
    *on(
        "EqualWeights",
        "trace_kernels.py",
        ("EqualWeights: 1/m one off", "fill(1.0 / m)", "fill(1.0 / (m + 1))"),
        ("EqualWeights: the flat window alone", "    if m > 1:\n", "    if False:\n"),
        (
            "EqualWeights: the falling weights one step late",
            "(begin + t - W) & tile.mask",
            "(begin + t - W + 1) & tile.mask",
        ),
        ("EqualWeights: W − p one off", "spread(float(W - p))", "spread(float(W - p + 1))"),
    ),
    *on(
        "any",
        "trace_kernels.py",
        ("window: c shifted by one", "y0 = y0 + spread(c[k + 1]) * phi", "y0 = y0 + spread(c[k]) * phi"),
        ("window: c shifted by one within the four", "fill(c[a - b])", "fill(c[a - b + 1])"),
        ("window: one too short", "before = min(L, now)", "before = min(L - 1, now)"),
        (
            "window: q one step late",
            "product = product * load(qs, (now - 1 - k) & mask)",
            "product = product * load(qs, (now - k) & mask)",
        ),
        ("window: φ one step late", "entry(rows, (now - 1 - k) & mask, lane)", "entry(rows, (now - k) & mask, lane)"),
    ),
    *rows(
        f"{FOLDER}/trace_kernels.py",
        f"{CARRIED}[EqualWeights(1, 7)]",
        ("carried: what leaves the window one step late", "(time - W) & mask, lane", "(time - W - 1) & mask, lane"),
        ("carried: what leaves S one step early", "(time - W - m) & mask, lane", "(time - W - m + 1) & mask, lane"),
        ("carried: S without its past", " + feature) + q * S", " + feature)"),
        ("carried: the trace added to, not trimmed", "+ feature) - S + q * y", "+ feature) + S + q * y"),
        ("carried: S forgotten between tiles", "            put(carried, leaves + own, S)\n", ""),
    ),
    *rows(
        f"{FOLDER}/compiled.py",
        f"{COMPANY}[td-6-EqualWeights(1, 7)]",
        ("carried: what the runs before left behind", "            carried[:] = 0.0\n", ""),
    ),
    *rows(
        f"{FOLDER}/compiled.py",
        f"{CARRIED}[EqualWeights(1, 7)]",
        ("carried: features before time 0", "            tile.rows[:] = len(Phi) - width ", "            "),
    ),
    *rows(
        f"{FOLDER}/recursions.py",
        f"{CARRIED}[EqualWeights(1, 7)]",
        ("carried: one weight of S missing", "q**found.flat / found.m,", "q**found.flat / (found.m + 1),"),
        ("carried: γ short by one where S ends", "q ** (found.flat + found.m)", "q ** (found.flat + found.m - 1)"),
    ),
    *rows(
        f"{FOLDER}/run_kernels.py",
        f"{CARRIED}[5-step]",
        ("carried: whatever the recorded discounts are", "gamma if bool(np.all(recorded == gamma)) else None", "gamma"),
    ),
    # ---- updates ----
    *on(
        "n-step",
        "update_kernels.py",
        (
            "γ missing in δ",
            "gamma * quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))",
            "quad(Phi, after + np.uint64(i)) - quad(Phi, row + np.uint64(i))",
        ),
        (
            "φ_t used for φ_{t+1} in δ",
            "gamma * quad(Phi, after + np.uint64(i)) - quad",
            "gamma * quad(Phi, row + np.uint64(i)) - quad",
        ),
        ("φ_tᵀθ added in δ instead of subtracted", "after + np.uint64(i)) - quad", "after + np.uint64(i)) + quad"),
        ("ρ_t of the current step missing", "            if off_policy:\n", "            if False:\n"),
        (
            "no trace: z_t = φ_t",
            "row if one_step else np.uint64((t * LANES + lane) * d)\n            for",
            "row\n            traces = Phi\n            for",
        ),
        ("θ moved the wrong way", "quad(thetas, lane * d + i) + many", "quad(thetas, lane * d + i) - many"),
        ("δ without its reward", "alpha * (scalars[given] + total(along))", "alpha * total(along)"),
        ("the step sizes of the step before", "alphas[now], spread(0.0)", "alphas[max(now - 1, 0)], spread(0.0)", 0),
        ("the iterate recorded one update late", "times[wanted] == now + 1", "times[wanted] == now", 0),
    ),
    *on(
        "n-step",
        "update_kernels.py",
        ("GTD: θ moved against its gradient", "quad(thetas, own + i) - down", "quad(thetas, own + i) + down"),
        ("GTD: TDC's update of θ", "                if corrected:\n", "                if True:\n"),
        ("ρ_t missing in z_tᵀw", "total(yw) * rho", "total(yw)"),
        ("ρ_t missing in δz", "total(along)) * rho", "total(along))"),
        ("φφᵀw missing in the update of w", "+ w_up * y - w_back * phi", "+ w_up * y"),
        ("z used for φ in the update of w", "- w_back * phi", "- w_back * y"),
        ("α used for w as well, where β belongs", "spread(beta * delta)", "spread(alpha * delta)"),
        ("γ missing in φ_t − γφ_{t+1}", "down * (gamma * quad(", "down * (quad("),
        ("θ recorded as w", "index, i] = w[lane * d + i]", "index, i] = theta[lane * d + i]"),
        algorithm="gtd",
    ),
    *on(
        "n-step",
        "update_kernels.py",
        ("TDC: GTD's update of θ", "                if corrected:\n", "                if False:\n"),
        ("TDC: φφᵀw missing in the update of θ", "theta + up * y - back * phi", "theta + up * y"),
        ("TDC: φ_tᵀw used for z_tᵀw", "total(yw) * rho, total(phi_w)", "total(phi_w), total(phi_w)"),
        algorithm="tdc",
    ),
    # ---- one-hot features ----
    *rows(
        f"{FOLDER}/one_hot.py",
        f"{ONE_HOT}[off_policy_td-window]",
        ("c shifted by one", "fill(c[k]) * product", "fill(c[k - 1]) * product"),
        ("one weight too few", "count = min(L, now + 1)", "count = min(L - 1, now + 1)"),
        ("γ missing in δ", "+ gamma * theta[j]", "+ theta[j]"),
        ("ρ_t of the current step missing", "delta *= rho", "delta *= 1.0"),
    ),
    *rows(
        f"{FOLDER}/one_hot.py",
        f"{ONE_HOT}[gtd-window]",
        ("θ moved against its gradient", "theta[j] -= down", "theta[j] += down"),
        ("φφᵀw missing in the update of w", "w_up - beta * against", "w_up"),
        ("z_tᵀw without what φ_t adds", "(against + entry(work, L, lane))", "entry(work, L, lane)"),
        ("z_tᵀw of φ_t alone", "(against + entry(work, L, lane))", "against"),
        ("w learns what θ does", "load(work, L + 2) * weight", "load(work, L + 1) * weight"),
    ),
    *rows(
        f"{FOLDER}/one_hot.py",
        f"{ONE_HOT}[tdc-window]",
        ("φφᵀw missing in the update of θ", "down - alpha * against if", "down if"),
    ),
    *rows(
        f"{FOLDER}/lazy.py",
        f"{LAZY}[0-EqualWeights(8, 10)]",
        ("G without discount", "since[known + 1] + weight * e", "since[known + 1] + e"),
        ("H one step late", "float(x) * (weight * e)", "float(x + 1) * (weight * e)"),
        ("a visit takes part in the past", "since[known + 4] = -G", "since[known + 4] = 0.0"),
        ("what leaves, in the past as well", "since[known + 8] = -H", "since[known + 8] = 0.0"),
        ("c falls one step late", "(now - W) & mask, (now", "(now - W - 1) & mask, (now"),
        ("c ends one step early", "(now - span) & mask", "(now - span + 1) & mask"),
        ("c falls by one more at once", "spread(leaves * (1.0 - x)", "spread(leaves * (2.0 - x)"),
        ("c ends one step below zero", "spread(left * (1.0 - x))", "spread(left * (0.0 - x))"),
        ("the trace does not fade", "turn[5], turn[9], turn[10] = fade,", "turn[5], turn[9], turn[10] = 1.0,"),
        ("the slope forgotten between epochs", "= fade, K * fade, fade", "= fade, 0.0, fade"),
        ("sums never begun anew", "        _begin_epoch(since, lane)\n        own", "        own"),
    ),
    *rows(
        f"{FOLDER}/lazy.py",
        f"{LAZY}[1-EqualWeights(1, 7)]",
        ("a feature met twice taken on twice", "if held[place + np.uint64(3)] != epoch:", "if True:"),
        ("a trace zero while one visit is left", "past > now - span else", "past > now - span + 1 else"),
    ),
    *rows(
        f"{FOLDER}/lazy.py",
        "sims/test_kernels.py::test_where_no_visit_is_left_theta_stays_bit_for_bit[5-step]",
        ("a trace without a visit left to rounding", "0 if past > now - span else 12", "0"),
        ("a trace zero one step late", "past > now - span else", "past >= now - span else"),
        ("the first that left forgotten", "now - span - K), -1)", "now - span - K + 1), -1)"),
    ),
    *rows(
        f"{FOLDER}/lazy.py",
        f"{LAZY}[1-without end]",
        ("without end, only what was met lately", "if span == 0 or d <=", "if d <="),
    ),
    *rows(
        f"{FOLDER}/recursions.py",
        "sims/test_kernels.py::test_an_epoch_is_as_long_as_its_growth_allows[-0.9-39]",
        ("epochs by a signed discount", "math.log(abs(q))", "math.log(max(q, 1e-9))"),
    ),
    # ---- divergence ----
    *rows(
        f"{FOLDER}/update_kernels.py",
        "sims/test_kernels.py::test_each_run_diverges_on_its_own[td-False]",
        (
            "divergence noted one step early",
            "note_divergence(first, now + 1, tile, out)",
            "note_divergence(first, now, tile, out)",
            0,
        ),
    ),
    *rows(
        f"{FOLDER}/update_kernels.py",
        DIVERGENCE,
        (
            "divergence noted at the last step",
            "if lane < lanes and diverged_at[first + lane] < 0:",
            "if lane < lanes:",
        ),
        (
            "what is recorded at the very step of divergence",
            "problem.times[index] >= diverged_at[r]",
            "problem.times[index] > diverged_at[r]",
        ),
    ),
    # ---- which recursion ----
    *on("EqualWeights", "recursions.py", ("EqualWeights: m = n2 − n1", "n2 - n1 + 1, c,", "n2 - n1, c,")),
    *on(
        "constant",
        "recursions.py",
        ("constant: a window one too short", "float(lam), len(c), 1, c,", "float(lam), len(c) - 1, 1, c,"),
    ),
)
