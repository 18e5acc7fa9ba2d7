"""The definitions of the proofs and those of the suite speak of the same things.

On random rationals the suite computes c_k, w_n, Λ, κ, M, S, returns and traces; each value becomes a lemma about the
formal definition, which Coq must prove, and the same lemma with a value that is off by a little must not be provable by
the same steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.formal import assistant
from tdcert.theory.model.key_matrices import apply_M, apply_S
from tdcert.theory.model.returns import schedule_return, trace
from tdcert.theory.model.schedule import Schedule, return_weights, trace_weights, weight_matrix

SEED = 20220328

pytestmark = pytest.mark.skipif(
    not assistant.is_installed(), reason="Coq with MathComp is not installed here; .ci/run installs it where it can"
)

PRELUDE = """
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From TD Require Import Schedule Returns Traces equal_weights_schedule equal_weights_recursion Values.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Section Compared.
Variable R : numFieldType.
Ltac sums := rewrite /index_iota; repeat (progress rewrite /= ?(big_cons, big_nil)).
Ltac compute_along_path := rewrite /trace /window /window_sum /seen /= /span; sums;
  rewrite ?cS ?c0 /= /EqualWeights /= ?(subSS, subn0) /GRing.scale /numbers /=; by_field.
"""


def coq(value: Any) -> str:
    """A rational, or nested lists of them, in Coq's notation."""
    if isinstance(value, list):
        return "[:: " + "; ".join(map(coq, value)) + "]"
    number = Fraction(value)
    return f"({'-' if number < 0 else ''} ({abs(number.numerator)} / {number.denominator}))"


def off(value: Any) -> Any:
    """The same, its last entry too large by one part of its denominator."""
    if isinstance(value, list):
        return [*value[:-1], off(value[-1])]
    number = Fraction(value)
    return number + Fraction(1, number.denominator)


def values(rng: random.Random) -> Iterator[tuple[str, str, Any, Callable[[str], str]]]:
    """(formal expression, tactic, the suite's value, how a value is written) for each definition."""

    # Small numbers: Coq counts a numeral of a field in units.
    def rational() -> Fraction:
        return Fraction(rng.randint(1, 3), rng.randint(1, 2)) * rng.choice((1, -1))

    def inside() -> Fraction:
        return rng.choice([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)])

    lambdas = [(1 + inside()) * rng.choice((1, -1)) for _ in range(3)]
    lam = f"(schedule {coq(lambdas)})"
    plain: Callable[[str], str] = lambda text: f"{text} :> R"  # noqa: E731
    for k, c in enumerate([*trace_weights(lambdas), Fraction(0)]):
        yield f"c {lam} {k}", "compute_c", c, plain
    for n, w in enumerate([*return_weights(lambdas), Fraction(0)], start=1):
        yield f"w {lam} {n}", "compute_w", w, plain
    Lambda = weight_matrix(lambdas, 5)
    for i, j in ((1, 1), (2, 1), (2, 3), (3, 2), (4, 4), (5, 4), (5, 5)):
        yield f"Lambda {lam} {i} {j}", "compute_Lambda", Lambda[i - 1][j - 1], plain
    gamma, convex = inside(), [inside(), inside()]
    kappa = Schedule(tuple(convex)).kappa(gamma)
    yield f"kappa (schedule {coq(convex)}) 2 {coq(gamma)}", "compute_kappa", kappa, plain

    square: Callable[[str], str] = lambda text: f"matrix_of 2 {text} :> 'M[R]_2"  # noqa: E731
    N = [[rational() for _ in range(2)] for _ in range(2)]
    kernel, one = RationalMatrix(N), RationalMatrix([[1, 0], [0, 1]])
    short = lambdas[:2]
    for name, tactic, apply in (("M", "compute_M", apply_M), ("trace_sum", "compute_S", apply_S)):
        found = [list(row) for row in apply(kernel, short, Fraction(0), one).rows]
        shown = f"{name} (schedule {coq(short)}) 2 (matrix_of 2 {coq(N)})"
        yield shown, f"{tactic} ({coq(short)} : seq R)", found, square

    phi = [rational() for _ in range(4)]
    discounts = [inside() for _ in range(3)]
    path = f"(numbers {coq(discounts)}) (numbers {coq(phi)} : nat -> R^o)"
    rewards, worth = [rational() for _ in range(3)], [rational() for _ in range(4)]
    # R_{t+1}, the reward of the first step, is r 1 in the proofs, as λ_1 is lam 1.
    forward = f"(numbers {coq(discounts)}) (schedule {coq(rewards)}) (numbers {coq(worth)})"
    found = schedule_return(rewards, discounts, worth, short)
    yield f"G 2 (schedule {coq(short)}) {forward}", "compute_G", found, plain

    def z(schedule: Sequence[Fraction], t: int) -> Fraction:
        return Fraction(trace([[x] for x in phi], discounts, schedule, t)[0])

    yield f"trace (schedule {coq(short)}) {path} 2", "compute_along_path", z(short, 2), plain
    yield f"window 1 (schedule {coq(lambdas[:1])}) {path} 3", "compute_along_path", z(lambdas[:1], 3), plain
    equal = Schedule.equal_weights(2, 3).lambdas
    for i, x in enumerate([*equal, Fraction(0), Fraction(0)], start=1):
        yield f"EqualWeights R 2 3 {i}", "compute_EqualWeights", x, plain
    yield f"trace (EqualWeights R 2 3) {path} 3", "compute_along_path", z(equal, 3), plain
    # z_t = γz_{t−1} + φ_t − S_t/m, solved for the extra vector S_t of the recursion.
    S = 2 * (discounts[2] * z(equal, 2) + phi[3] - z(equal, 3))
    yield f"window_sum 2 3 {path} 3", "compute_along_path", S, plain


@pytest.mark.thorough
def test_the_suite_and_the_proofs_define_the_same_objects(compiled: Path) -> None:
    lemmas = []
    for number, (formal, tactic, value, write) in enumerate(values(random.Random(SEED))):
        lemmas += [
            f"Lemma value_{number} : {formal} = {write(coq(value))}. Proof. {tactic}. Qed.",
            f"Goal {formal} = {write(coq(off(value)))}. Proof. Fail (solve [{tactic}]). Abort.",
        ]
    assistant.run_file("values.v", PRELUDE + "\n".join(lemmas) + "\nEnd Compared.\n", compiled)


@pytest.mark.thorough
def test_a_wrong_value_is_refused(compiled: Path) -> None:
    """Against a test that accepts anything: c_1 = λ_1 = 1/2 is not 1."""
    wrong = "Lemma wrong : c (schedule [:: 1 / 2]) 1 = 1 :> R. Proof. compute_c. Qed.\nEnd Compared.\n"
    with pytest.raises(assistant.ReplayError, match="wrong"):
        assistant.run_file("wrong.v", PRELUDE + wrong, compiled)
