"""The algorithms and the key matrices of the proofs are those of the suite.

On random models, along random paths, the suite computes θ and w of TD, off-policy TD, GTD and TDC and the key matrices,
exactly; that Coq's definition has this value is a lemma that Coq must prove. The same values a little off, and those of
a trace with a wrong recursion, must be other ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.formal import assistant
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
SEED, MODELS, STEPS = 20220329, 4, 6
Update = Callable[..., Any]

pytestmark = pytest.mark.skipif(
    not assistant.is_installed(), reason="Coq with MathComp is not installed here; .ci/run installs it where it can"
)

PRELUDE = """
From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From TD Require Import Schedule Chain KeyMatrices Windows Policies OffPolicy thm_4_3.
From TD Require Import Rationals Matrices Checker PathValues.
Import GRing.Theory.
Local Open Scope ring_scope.
Ltac computed := apply: equalP; vm_compute; reflexivity.
"""


@dataclass(frozen=True)
class Run:
    """A model, and a path o_0 … o_6 of (action, state), which need not be a likely one; steps, and where it starts."""

    model: Model
    path: tuple[tuple[int, int], ...]
    alpha: tuple[Fraction, ...]
    beta: tuple[Fraction, ...]
    theta0: tuple[Fraction, ...]
    w0: tuple[Fraction, ...]


def law(rng: random.Random, size: int) -> list[Fraction]:
    weights = [rng.randint(1, 4) for _ in range(size)]
    return [F(weight, sum(weights)) for weight in weights]


def a_run(rng: random.Random, lambdas: int, on_policy: bool) -> Run:
    """Three states, two actions and two features; on-policy one discount, else one for every transition."""

    def number() -> Fraction:
        return F(rng.randint(1, 5), rng.randint(1, 3)) * rng.choice((1, -1))

    def square(draw: Callable[[], Sequence[Fraction]]) -> RationalMatrix:
        return RationalMatrix([list(draw()) for _ in range(3)])

    one = F(rng.randint(1, 4), 5)

    def discount() -> Fraction:
        return one if on_policy else F(rng.randint(0, 4), 5)

    behaviour = square(lambda: law(rng, 2))
    model = Model(
        actions=("left", "right"),
        transitions=tuple(square(lambda: law(rng, 3)) for _ in range(2)),
        rewards=tuple(square(lambda: [number() for _ in range(3)]) for _ in range(2)),
        discounts=tuple(square(lambda: [discount() for _ in range(3)]) for _ in range(2)),
        behaviour=behaviour,
        target=behaviour if on_policy else square(lambda: law(rng, 2)),
        features=square(lambda: [number(), number()]),
        schedule=Schedule(tuple(F(rng.randint(1, 6), 6) for _ in range(lambdas))),
    )
    path = tuple((rng.randrange(2), rng.randrange(3)) for _ in range(STEPS + 1))
    steps = [tuple(F(1, rng.randint(2, 9)) for _ in range(STEPS)) for _ in range(2)]
    return Run(model, path, steps[0], steps[1], (number(), number()), (number(), number()))


def iterates(run: Run, name: str, update: Update | None = None) -> list[Fraction]:
    """θ, and then w where there is one, after the path."""
    model, algorithm = run.model, declared(name, run.model)
    parameters, memory = algorithm.slots(model.d)
    y = [np.array(start, dtype=object) for start in (run.theta0, run.w0)][: len(parameters)]
    y += [np.full(slot.shape, F(0), dtype=object) for slot in memory]
    Phi = [np.array(row, dtype=object) for row in model.features.rows]
    for t, ((_, s), (a, after)) in enumerate(zip(run.path, run.path[1:], strict=False)):
        seen = SimpleNamespace(
            phi=Phi[s],
            phi_next=Phi[after],
            reward=spread(model.rewards[a])[s][after],
            discount=spread(model.discounts[a])[s][after],
            rho=model.target.rows[s][a] / model.behaviour.rows[s][a],
        )
        steps = [run.alpha[t], run.beta[t]][: len(algorithm.steps)]
        y = [np.array(x, dtype=object) for x in (update or algorithm.function)(seen, *y, *steps, **algorithm.options)]
        y = [x.reshape(slot.shape) for x, slot in zip(y, [*parameters, *memory], strict=True)]
    return [F(x) for part in y[: len(parameters)] for x in part]


def forgets_the_discount(t: Any, theta: Any, z: Any, e: Any, alpha: Any, **options: Any) -> Any:
    """Off-policy TD with the discount of this transition in z_t, where that of the transition before belongs."""
    lambdas = options["lambdas"]
    rows = [*(t.phi + lam * t.discount * z[k] for k, lam in enumerate(lambdas)), t.phi]
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.rho * rows[0], [t.rho * row for row in rows[1:]], e


def spread(values: RationalMatrix) -> list[list[Fraction]]:
    """n×n, of what may be n×1."""
    return [list(row) * (3 if len(row) == 1 else 1) for row in values.rows]


def coq(value: Any) -> str:
    """A fraction, or nested lists of them, in Coq's notation."""
    if isinstance(value, Fraction):
        whole = f"({'Zneg' if value < 0 else 'Zpos'} {abs(value.numerator)})" if value else "Z0"
        return f"(Qmake {whole} {value.denominator})"
    return "[:: " + "; ".join(map(coq, value)) + "]"


def column(values: Sequence[Fraction]) -> list[list[Fraction]]:
    return [[value] for value in values]


def definitions(run: Run, at: int) -> str:
    """The run in Coq's words, every name with the number of the run."""
    m = run.model
    per_action = {
        "transitions": [list(P.rows) for P in m.transitions],
        "rewards": [spread(R) for R in m.rewards],
        "discounts": [spread(G) for G in m.discounts],
    }
    matrices: dict[str, Sequence[Sequence[Fraction]]] = {
        "behaviour": m.behaviour.rows,
        "target": m.target.rows,
        "features": m.features.rows,
        "theta0": column(run.theta0),
        "w0": column(run.w0),
    }
    vectors = {"lambdas": m.schedule.lambdas, "alpha": run.alpha, "beta": run.beta}
    lines = [f"Definition {name}_{at} : seq mat := {coq(value)}." for name, value in per_action.items()]
    lines += [f"Definition {name}_{at} : mat := {coq(value)}." for name, value in matrices.items()]
    lines += [f"Definition {name}_{at} : vec := {coq(value)}." for name, value in vectors.items()]
    observed = "; ".join(f"(@Ordinal 2 {a} isT, @Ordinal 3 {s} isT)" for a, s in reversed(run.path))
    lines += [
        f"Definition path_{at} : seq ('I_2 * 'I_3) := [:: {observed}].",
        f"Definition M_{at} := Model 2 2 2 transitions_{at} rewards_{at} discounts_{at} behaviour_{at} target_{at} "
        f"features_{at} lambdas_{at}.",
        f"Definition gamma_{at} (i : nat) (o : nat * nat) := entry (nth [::] discounts_{at} o.1) i o.2.",
        f"Definition reward_{at} (i : nat) (o : nat * nat) := entry (nth [::] rewards_{at} o.1) i o.2.",
        f"Definition rho_{at} := fraction_ratio behaviour_{at} target_{at}.",
        f"Definition constant_{at} (i : nat) (o : nat * nat) := {coq(m.gamma or F(0))}.",  # td alone reads it
        f"Definition one_{at} (i : nat) (o : nat * nat) := qone.",
    ]
    return "\n".join(lines)


FORMS = {
    "td": "path_td 2 features_# lambdas_# constant_# one_# reward_# alpha_# theta0_# (numbered_path path_#)",
    "off_policy_td": "path_td 2 features_# lambdas_# gamma_# rho_# reward_# alpha_# theta0_# (numbered_path path_#)",
    "gtd": "path_gradient 2 features_# lambdas_# gamma_# rho_# reward_# alpha_# beta_# theta0_# w0_# false "
    "(numbered_path path_#)",
    "tdc": "path_gradient 2 features_# lambdas_# gamma_# rho_# reward_# alpha_# beta_# theta0_# w0_# true "
    "(numbered_path path_#)",
}
"""What computes, # for the number of the run."""

SHARED = (
    "snd (mx R 3 2 features_#) (schedule [seq qval R l | l <- lambdas_#]) (fun i o => qval R (gamma_# i (numbered o))) "
    "(fun i o => qval R (rho_# i (numbered o))) (fun i o => qval R (reward_# i (numbered o))) "
    "(fun t => qval R (at_ alpha_# t))"
)
FORMAL = {
    "td": "td snd (mx R 3 2 features_#) (schedule [seq qval R l | l <- lambdas_#]) (qval R (constant_# 0 (0, 0)%N)) "
    "(fun i o => qval R (reward_# i (numbered o))) (fun t => qval R (at_ alpha_# t)) (mx R 2 1 theta0_#) path_#",
    "off_policy_td": f"off_policy_td {SHARED} (mx R 2 1 theta0_#) path_#",
    "gtd": f"gtd {SHARED} (fun t => qval R (at_ beta_# t)) (mx R 2 1 theta0_#) (mx R 2 1 w0_#) path_#",
    "tdc": f"tdc {SHARED} (fun t => qval R (at_ beta_# t)) (mx R 2 1 theta0_#) (mx R 2 1 w0_#) path_#",
}
"""The definitions that the theorems speak of."""

PROOFS = {
    "td": "rewrite -(@path_td_on_policy R 2 1 2 features_# lambdas_# constant_# one_# reward_# alpha_# theta0_# "
    "(constant_# 0 (0, 0)%N) path_#) //; computed.",
    "off_policy_td": "rewrite -path_tdE; computed.",
    "gtd": "rewrite -path_gtdE; congr pair; computed.",
    "tdc": "rewrite -path_tdcE; congr pair; computed.",
}


def lemmas(run: Run, at: int) -> Iterator[str]:
    """The iterates and the matrices of one run as lemmas; and that numbers a little off are not theirs."""
    for name in ("off_policy_td", "gtd", "tdc", *(["td"] if run.model.is_on_policy else [])):
        found = iterates(run, name)
        formal, proof = (text[name].replace("#", str(at)) for text in (FORMAL, PROOFS))
        parts = [f"mx R 2 1 {coq(column(found[k : k + 2]))}" for k in range(0, len(found), 2)]
        value = parts[0] if len(parts) == 1 else f"({parts[0]}, {parts[1]})"
        yield f"Lemma {name}_value_{at} (R : realFieldType) : {formal} = {value}. Proof. {proof} Qed."
        yield differs(name, at, [found[0], found[1] + F(1, 10**9)])
    yield from matrices(run.model, at)


def differs(name: str, at: int, theta: Sequence[Fraction]) -> str:
    """The sentence that these numbers are not θ of this run, which Coq must prove too."""
    form = FORMS[name].replace("#", str(at))
    theta_of = f"({form}).1" if name in ("gtd", "tdc") else f"({form})"
    return f"Goal equal 2 1 {theta_of} {coq(column(theta))} = false. Proof. by vm_compute. Qed."


def matrices(model: Model, at: int) -> Iterator[str]:
    """A, b, the chain of the behaviour policy and the kernel of the target policy."""
    keys = theorem_matrices(model, (0, 1, 2))
    d = coq(keys.d.column_entries())
    of = f"(p R (M := M_{at})) (mu R (M := M_{at}))"
    ratio = f"ratio (mu R (M := M_{at})) (pi R (M := M_{at})) i o"
    N = f"(kernel_of snd (behave {of}) (fun i o => gamma R i o * {ratio}))"
    rest = f"(Phi R M_{at}) (lam R M_{at}) {len(model.schedule.lambdas)}"
    reward = f"(mean_reward (behave {of}) (fun i o => {ratio} * @reward R M_{at} i o))"
    yield f"Goal proper M_{at}. Proof. by vm_compute. Qed."
    for name, formal, of_checker, shape, value in (
        ("A", f"keyA (rowv R 3 {d}) {N} {rest}", f"AE R M_{at}", "2 2", keys.A),
        ("b", f"keyb (rowv R 3 {d}) {N} {reward} {rest}", f"bE R M_{at}", "2 1", keys.b),
        ("chain", f"policy_kernel {of}", f"chainE R M_{at}", "3 3", model.behaviour_chain.P),
        ("N", N, f"kernelE R M_{at}", "3 3", keys.N),
    ):
        stated = f"{formal} = mx R {shape} {coq(value.rows)}"
        yield f"Lemma {name}_value_{at} (R : realFieldType) : {stated}. Proof. rewrite -({of_checker}); computed. Qed."


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    rng = random.Random(SEED)
    return [a_run(rng, lambdas, on_policy=lambdas == 2) for lambdas in range(MODELS)]


@pytest.mark.thorough
def test_the_suite_and_the_proofs_run_the_same_algorithms(compiled: Path, runs: Sequence[Run]) -> None:
    lines = [line for at, run in enumerate(runs) for line in (definitions(run, at), *lemmas(run, at))]
    assistant.run_file("runs.v", PRELUDE + "\n".join(lines), compiled)


@pytest.mark.thorough
def test_a_wrong_recursion_of_the_trace_is_another_algorithm(compiled: Path, runs: Sequence[Run]) -> None:
    wrong = iterates(runs[3], "off_policy_td", forgets_the_discount)
    assert wrong != iterates(runs[3], "off_policy_td")
    text = PRELUDE + definitions(runs[3], 3)
    assistant.run_file("mutant.v", text + "\n" + differs("off_policy_td", 3, wrong), compiled)
    accepted = differs("off_policy_td", 3, iterates(runs[3], "off_policy_td"))
    with pytest.raises(assistant.ReplayError):
        assistant.run_file("genuine.v", text + "\n" + accepted, compiled)
