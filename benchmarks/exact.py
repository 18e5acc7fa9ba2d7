"""``python -m benchmarks.exact``: exact verdicts against the obvious alternatives, in turn in one run.

Each model: P and Φ random with row denominators 100 (or Φ tabular), n = d states and features, a random schedule of
length L. Ours is what ``tdcert analyze`` does for one class, certificates included; the others do less (see
docs/benchmarks-exact.md).
Seconds of processor time; other work on the machine moves all columns.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from benchmarks import results
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.bodies import fixed_point_certificate, rank_certificate, stationary_certificate
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.model.key_matrices import KeyMatrices, apply_S, apply_S_by_runs, behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate

F = Fraction
Timed = tuple[float, Any]
PATIENCE = 40.0
"""An alternative is not asked for the next size where, growing with the fourth power of n, it would take longer."""


def random_model(n: int, d: int, length: int, tabular: bool = False) -> Model:
    """On-policy, γ = 19/20."""
    rng = np.random.default_rng(1)
    P = [[F(int(x), 100) for x in rng.multinomial(100, np.full(n, 1 / n))] for _ in range(n)]
    Phi = [[F(int(x), 100) for x in rng.integers(-50, 50, d)] for _ in range(n)]
    if tabular:
        Phi = [[F(i == j) for j in range(n)] for i in range(n)]
    rewards = RationalMatrix.column([F(int(x), 100) for x in rng.integers(0, 100, n)])
    schedule = Schedule(tuple(F(int(x), 9) for x in rng.integers(1, 9, length)))
    return Model.reward_process(RationalMatrix(P), rewards, F(19, 20), features=RationalMatrix(Phi), schedule=schedule)


def timed(job: Callable[[], Any]) -> Timed:
    """Seconds of processor time, and what was found."""
    begin = time.process_time()
    found = job()
    return time.process_time() - begin, found


def ours(model: Model) -> tuple[dict[str, float], KeyMatrices[RationalMatrix], list[Certificate]]:
    """Seconds by part: law; A, b, C; θ*; certificates."""
    theorem_matrices.cache_clear()
    chain = model.behaviour_chain
    (states,) = chain.recurrent_classes
    parts: dict[str, float] = {}
    parts["law"], _ = timed(lambda: chain.stationary_law(states))
    keys = behaviour_matrices(model, states)
    parts["A, b, C"], _ = timed(lambda: (keys.A, keys.b, keys.C))
    parts["theta"], theta = timed(lambda: keys.theta_star)

    def certificates() -> list[Certificate | None]:
        td, (gradient, _) = td_dynamics(model, states), gradient_dynamics(model, states)
        fixed = fixed_point_certificate(keys, states, "target", theta)
        law, rank = stationary_certificate(chain, states), rank_certificate(model.features, states)
        return [law, rank, fixed, td.certificate, gradient.certificate]

    parts["certificates"], made = timed(certificates)
    assert all(made), "a verdict came without its certificate"
    return parts, keys, [c for c in made if c is not None]


def with_sympy(model: Model, law: RationalMatrix) -> Any:
    """A by Horner's rule and θ*, on SymPy's domain matrices over the rationals; the law is given."""

    def matrix(given: RationalMatrix) -> DomainMatrix:
        rows = [[QQ(x.numerator, x.denominator) for x in row] for row in given.rows]
        return DomainMatrix(rows, given.shape, QQ)

    N, Phi, r = matrix(model.target_kernel.N), matrix(model.features), matrix(model.target_kernel.r)
    D = matrix(law.identity(model.n).scale_rows(law))
    S_Phi, S_r = N * Phi - Phi, r
    first = S_Phi
    for lam in reversed(model.schedule.lambdas):
        scale = QQ(lam.numerator, lam.denominator)
        S_Phi, S_r = first + (N * S_Phi) * scale, r + (N * S_r) * scale
    weighted = Phi.transpose() * D
    return (weighted * S_Phi).lu_solve(-(weighted * S_r))


def plain_ldl(S: RationalMatrix) -> bool:
    """Whether S is positive definite, by LDLᵀ on python-flint's fractions."""
    n = S.shape[0]
    work = [[fmpq(x, S.denominator) for x in row] for row in S.numerator.table()]
    for k in range(n):
        if work[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            factor = work[i][k] / work[k][k]
            for j in range(k + 1, n):
                work[i][j] -= factor * work[k][j]
    return True


def with_numpy(model: Model) -> tuple[Any, float]:
    """θ* and the spectral abscissa of A in floats: law by an eigenvector, Horner, solve, eigvals."""
    N, Phi, r = (x.to_float() for x in (model.target_kernel.N, model.features, model.target_kernel.r))
    values, vectors = np.linalg.eig(model.behaviour_chain.P.to_float().T)
    law = np.real(vectors[:, np.argmax(np.real(values))])
    law = law / law.sum()
    S_Phi, S_r = N @ Phi - Phi, r
    first = S_Phi
    for lam in reversed(model.schedule.lambdas):
        S_Phi, S_r = first + float(lam) * N @ S_Phi, r + float(lam) * N @ S_r
    A = Phi.T @ (law[:, None] * S_Phi)
    theta = np.linalg.solve(A, -Phi.T @ (law[:, None] * S_r))
    return theta, float(np.max(np.linalg.eigvals(A).real))


def digits_right(found: Any, exact: RationalMatrix) -> float:
    """Correct decimal digits of the worst entry, relative to the largest."""
    largest = max(abs(x) for x in exact.column_entries())
    worst = max(abs(F(float(a)) - b) for a, b in zip(np.ravel(found), exact.column_entries(), strict=True))
    return float(-np.log10(float(worst / largest))) if worst else 17.0


def by_size(sizes: list[int], length: int) -> dict[str, list[tuple[int, float]]]:
    """The table over n = d; returns the points of every column."""
    points: dict[str, list[tuple[int, float]]] = {}
    print(f"n = d, L = {length}; seconds of processor time; numpy: correct digits of θ*; digits: of θ*'s denominator")
    heads = ("law", "A, b, C", "theta", "certificates", "ours", "SymPy", "LDL", "numpy")
    print(f"{'n':>5} " + " ".join(f"{head:>12}" for head in heads) + f" {'right':>6} {'digits':>7} {'MiB':>6}")
    for n in sizes:
        model = random_model(n, n, length)
        parts, keys, _ = ours(model)
        parts["ours"] = sum(parts.values())
        law = keys.d
        alternatives: dict[str, Callable[[], Any]] = {
            "SymPy": partial(with_sympy, model, law),
            "LDL": partial(plain_ldl, -keys.A.symmetric_part()),
            "numpy": partial(with_numpy, model),
        }
        right = ""
        for name, job in alternatives.items():
            before = points.get(name, [])
            if name != "numpy" and (
                len(before) < sizes.index(n) or (before and before[-1][1] * (n / before[-1][0]) ** 4 > PATIENCE)
            ):
                continue
            parts[name], found = timed(job)
            if name == "numpy":
                right = f"{digits_right(found[0], keys.theta_star):.1f}"
        for name, seconds in parts.items():
            points.setdefault(name, []).append((n, seconds))
        cells = " ".join(f"{parts[head]:12.3f}" if head in parts else f"{'–':>12}" for head in heads)
        long = int(keys.theta_star.denominator).bit_length() * 0.30103
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{n:>5} {cells} {right:>6} {long:7.0f} {peak:6d}", flush=True)
    slopes = {
        name: results.exponent([n for n, _ in row], [s for _, s in row]) for name, row in points.items() if len(row) > 2
    }
    print("fitted exponents in n: " + ", ".join(f"{name} {slope:.1f}" for name, slope in slopes.items()))
    if "LDL" in slopes:
        largest, seconds = points["LDL"][-1]
        ahead = ", ".join(f"{seconds * (n / largest) ** slopes['LDL']:.0f} s at {n}" for n in sizes if n > largest)
        print(f"LDL was run up to n = {largest}; by its exponent it would take {ahead or 'no longer'}", flush=True)
    return points


def by_features(n: int, length: int) -> None:
    """Everything over d at fixed n."""
    sizes, found = [n // 4, n // 2, n], []
    for d in sizes:
        parts, _, _ = ours(random_model(n, d, length))
        found.append(sum(parts.values()))
    shown = ", ".join(f"d = {d}: {s:.2f}" for d, s in zip(sizes, found, strict=True))
    print(f"n = {n}, L = {length}: {shown}; fitted exponent in d: {results.exponent(sizes, found):.1f}", flush=True)


def by_length(n: int) -> dict[str, list[tuple[int, float]]]:
    """S of EqualWeights(1, L), n×n, exactly: Horner and doubling."""
    N = random_model(n, n, 1).target_kernel.N
    one = N.identity(n)
    points: dict[str, list[tuple[int, float]]] = {"Horner": [], "doubling": []}
    for length in (25, 50, 100, 200, 400):
        lambdas = Schedule.equal_weights(1, length).lambdas
        horner, left = timed(partial(apply_S, N, lambdas, 0, one))
        doubled, right = timed(partial(apply_S_by_runs, N, lambdas, one))
        assert left == right, "doubling is not Horner"
        points["Horner"].append((length, horner))
        points["doubling"].append((length, doubled))
        print(f"S of EqualWeights(1, {length}) at n = {n}: Horner {horner:.3f}, doubling {doubled:.3f}", flush=True)
    print(
        "fitted exponents in L: "
        + ", ".join(
            f"{name} {results.exponent(*map(list, zip(*row, strict=True))):.1f}" for name, row in points.items()
        )
    )
    return points


def replay(n: int, length: int, tabular: bool = False) -> tuple[float, float]:
    """Everything of a model, and the independent checker on every certificate, each from the model up: seconds."""
    model = random_model(n, n, length, tabular)
    parts, _, made = ours(model)
    seconds = {}
    for certificate in made:
        check = partial(checker.check_text, text(document(certificate, model, None)), None)
        seconds[certificate.kind], _ = timed(check)
    name = f"{'tabular, ' if tabular else ''}n = d = {n}"
    told = ", ".join(f"{kind} {spent:.2f}" for kind, spent in seconds.items())
    print(f"{name}: found in {sum(parts.values()):.2f}, replayed in {sum(seconds.values()):.2f}: {told}", flush=True)
    return sum(parts.values()), sum(seconds.values())


def thin_margins(n: int) -> None:
    """The second difference with a corner 10^−k above what makes it singular."""
    for k in (10, 40, 160):
        rows = [[F(2 * (i == j) - (abs(i - j) == 1)) for j in range(n)] for i in range(n)]
        rows[0][0] = F(n - 1, n) + F(1, 10**k)
        S = RationalMatrix(rows)
        seconds, answer = timed(partial(decide_positive_definite, S))
        assert answer.positive and answer.factor is not None
        print(f"margin 10^-{k} at n = {n}: {seconds:.2f} with {answer.factor.bits} bits", flush=True)


def plot(sizes: dict[str, list[tuple[int, float]]], lengths: dict[str, list[tuple[int, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    labels = {
        "ours": "everything, with certificates",
        "A, b, C": "of it A, b, C",
        "SymPy": "SymPy: A, b, θ*",
        "LDL": "LDLᵀ of sym A alone",
        "numpy": "NumPy, floats",
    }
    for name, label in labels.items():
        if name in sizes:
            left.loglog(*zip(*sizes[name], strict=True), marker="o", label=label)
    left.set(xlabel="n = d", ylabel="seconds", title="Exact verdicts")
    for name, row in lengths.items():
        right.loglog(*zip(*row, strict=True), marker="o", label=name)
    right.set(xlabel="L", title="S of EqualWeights(1, L), exactly")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    figure.savefig(path, dpi=110)


def ratios() -> results.Ratios:
    """Everything with certificates over A, b and θ* in SymPy at n = d = 10; the exponent in n, 20 to 60; a replay."""
    found = {}
    model = random_model(10, 10, 5)
    parts, keys, _ = ours(model)
    theirs, _ = timed(partial(with_sympy, model, keys.d))
    found["ours over SymPy, n = d = 10"] = sum(parts.values()) / theirs
    sizes = [20, 40, 60]
    seconds = [sum(ours(random_model(n, n, 5))[0].values()) for n in sizes]
    found["exponent of the time in n"] = results.exponent(sizes, seconds)
    spent, replayed = replay(80, 10, tabular=True)
    found["replay over finding, tabular, n = 80, L = 10"] = replayed / spent
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=json.loads, default=[10, 20, 40, 60, 100, 200], help="n = d, as a JSON list")
    parser.add_argument("--length", type=int, default=10, help="L")
    parser.add_argument("--plot", type=Path, help="write the plot to this file")
    results.add_options(parser)
    arguments = parser.parse_args()
    if results.asked("exact", arguments, ratios):
        return
    sizes = by_size(arguments.sizes, arguments.length)
    by_features(160, arguments.length)
    lengths = by_length(20)
    thin_margins(100)
    replay(50, arguments.length)
    for n in (100, 400):
        replay(n, arguments.length, tabular=True)
    if arguments.plot:
        plot(sizes, lengths, arguments.plot)


if __name__ == "__main__":
    main()
