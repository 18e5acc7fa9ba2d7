"""Contraction in the D-norm: answers of both kinds, each evaluated again by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.norms import decide_contraction
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status, Verdict
from tests.effort import examples
from tests.replay import replay

F = Fraction
HALF = F(1, 2)
some = settings(max_examples=examples(60), deadline=None)


def image(model: Model, V: list[Fraction]) -> list[Fraction]:
    """M V = Σ_n w_n Nⁿ V with plain powers (finite schedules)."""
    n = range(model.n)
    N = [[model.target_kernel.N[i, j] for j in n] for i in n]
    total, c, power = [F(0)] * model.n, F(1), V
    for lam in [*model.schedule.lambdas, F(0)]:
        power = [sum((N[i][j] * power[j] for j in n), F(0)) for i in n]
        total = [a + c * (1 - lam) * b for a, b in zip(total, power, strict=True)]
        c *= lam
    return total


def squared_norm(law: tuple[Fraction, ...], V: list[Fraction]) -> Fraction:
    return sum((d * v * v for d, v in zip(law, V, strict=True)), F(0))


def assert_refuted(model: Model, states: tuple[int, ...], modulus: Fraction, verdict: Verdict) -> None:
    """The witness V has ‖MV‖_D > modulus·‖V‖_D, evaluated exactly."""
    assert verdict.status is Status.REFUTED
    (certificate,) = verdict.certificates
    assert certificate.kind == "not_contraction"
    replay(certificate, model)
    V = [F(x) for x in verdict.witness["V"].strip("()").split(", ")]
    law = model.behaviour_chain.stationary_law(states).column_entries()
    assert len(V) == model.n and any(V)
    assert squared_norm(law, image(model, V)) > modulus**2 * squared_norm(law, V)


def assert_holds(model: Model, verdict: Verdict) -> None:
    assert verdict.status is Status.HOLDS
    (certificate,) = verdict.certificates
    assert certificate.kind == "contraction"
    replay(certificate, model)


MARGINS = st.sampled_from([F(0), F(1, 10**12), F(1, 7)])


@some
@given(models(policy="on"), MARGINS)
def test_on_policy_kappa_is_the_sharp_modulus(model: Model, margin: Fraction) -> None:
    """‖M‖_D = κ: M1 = κ1, and ‖PV‖_D ≤ ‖V‖_D. So κ + margin holds and κ − margin does not."""
    (states,) = model.behaviour_chain.recurrent_classes
    kappa = model.kappa
    assert kappa is not None
    assert_holds(model, decide_contraction(model, states, kappa + margin))
    if 0 < margin <= kappa:
        verdict = decide_contraction(model, states, kappa - margin)
        assert_refuted(model, states, kappa - margin, verdict)
    assert model.gamma is not None and kappa <= model.gamma
    assert_holds(model, decide_contraction(model, states, model.gamma))


@settings(max_examples=examples(120), deadline=None)
@given(models(policy="off", discount="any"), st.sampled_from([HALF, F(3, 4), F(1), F(3, 2)]))
def test_off_policy_answers_prove_themselves(model: Model, modulus: Fraction) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    verdict = decide_contraction(model, states, modulus)
    if verdict.status is Status.HOLDS:
        assert_holds(model, verdict)
    elif verdict.status is Status.REFUTED:
        assert_refuted(model, states, modulus, verdict)
    else:
        # Only a singular Z = q²D − MᵀDM can be left open: definite ones have a positive y, indefinite an x.
        assert verdict.status is Status.UNDECIDED and verdict.detail
        law, n = model.behaviour_chain.stationary_law(states).column_entries(), range(model.n)
        columns = [image(model, [F(int(i == j)) for i in n]) for j in n]
        Z = RationalMatrix(
            [
                [modulus**2 * law[i] * (i == j) - sum(law[k] * columns[i][k] * columns[j][k] for k in n) for j in n]
                for i in n
            ]
        )
        assert Z.rank < model.n


def two_blocks(mu: Fraction, gamma: Fraction) -> Model:
    """Behaviour hops between two pairs of states; the target never does, so M has two blocks."""
    stay = RationalMatrix([[0, 1, 0, 0], [HALF, HALF, 0, 0], [0, 0, 0, 1], [0, 0, F(1, 3), F(2, 3)]])
    hop = RationalMatrix([[0, 0, 1, 0]] * 2 + [[1, 0, 0, 0]] * 2)
    zero = RationalMatrix.zeros(4, 1)
    return Model(
        ("stay", "hop"),
        (stay, hop),
        (zero, zero),
        (RationalMatrix.column([gamma] * 4),) * 2,
        RationalMatrix([[mu, 1 - mu]] * 4),
        RationalMatrix([[1, 0]] * 4),
        stay.identity(4),
        Schedule(),
    )


def test_blocks_of_different_norm_leave_no_modulus_undecided() -> None:
    """The lowest eigenvector of Z lives on one block, where ones do not serve: every k/100 is still decided,
    and the answers change once."""
    model = two_blocks(F(1, 3), HALF)
    (states,) = model.behaviour_chain.recurrent_classes
    answers = []
    for k in range(60, 110, 2):
        verdict = decide_contraction(model, states, F(k, 100))
        answers.append(verdict.status)
        if verdict.status is Status.HOLDS:
            assert_holds(model, verdict)
        else:
            assert_refuted(model, states, F(k, 100), verdict)
    assert answers == sorted(answers, reverse=True)
    assert answers[0] is Status.REFUTED and answers[-1] is Status.HOLDS


def test_theta_to_two_theta_by_hand() -> None:
    """D = I/2, MV = κV_2(1, 1): ‖MV‖² = κ²V_2², ‖V‖² = ½(V_1² + V_2²), so ‖M‖_D = κ√2."""
    model = gallery.theta_to_two_theta(HALF)
    assert_holds(model, decide_contraction(model, (0, 1), F(7072, 10000)))  # 0.7072² > ½
    assert_refuted(model, (0, 1), F(7071, 10000), decide_contraction(model, (0, 1), F(7071, 10000)))


def test_one_discounted_transition_is_not_enough_for_a_modulus_below_one() -> None:
    """Flip chain, Γ = 0 on one transition, 1 on the other: V = (0, 1) has MV = (1, 0), of equal norm."""
    model = gallery.flip_chain(RationalMatrix([[1, 1], [0, 0]]))
    assert_holds(model, decide_contraction(model, (0, 1), F(1)))
    below = 1 - F(1, 10**6)
    assert_refuted(model, (0, 1), below, decide_contraction(model, (0, 1), below))


def test_a_target_that_leaves_the_class() -> None:
    """The behaviour stays in state 1, the target goes to state 2, where ‖V‖_D does not look."""
    to_first, to_second = RationalMatrix([[1, 0], [1, 0]]), RationalMatrix([[0, 1], [0, 1]])
    zero = RationalMatrix.zeros(2, 1)
    model = Model(
        ("to 1", "to 2"),
        (to_first, to_second),
        (zero, zero),
        (RationalMatrix.column([HALF] * 2),) * 2,
        RationalMatrix([[1, 0]] * 2),
        RationalMatrix([[0, 1]] * 2),
        to_first.identity(2),
        Schedule(),
    )
    assert model.behaviour_chain.recurrent_classes == ((0,),)
    verdict = decide_contraction(model, (0,), F(100))
    assert_refuted(model, (0,), F(100), verdict)
    assert verdict.witness == {"V": "(0, 1)"}


def test_lambdas_outside_the_unit_interval() -> None:
    """One state, γ = ½, λ_1 = −3: M = κ = 5/4; the certificate's argument needs M ≥ 0, which holds here."""
    model = gallery.one_state(HALF, Schedule((F(-3),)))
    assert decide_contraction(model, (0,), F(5, 4)).status is Status.HOLDS
    assert_refuted(model, (0,), F(6, 5), decide_contraction(model, (0,), F(6, 5)))
    # λ_1 = 3: M = −2·½ + 3·¼ = −¼, no longer non-negative: |M| ≤ ¼ is shown by semidefiniteness (at ¼ by Z = 0).
    other = gallery.one_state(HALF, Schedule((F(3),)))
    for modulus in (HALF, F(1, 4)):
        assert_holds(other, decide_contraction(other, (0,), modulus))
    assert_refuted(other, (0,), F(1, 5), decide_contraction(other, (0,), F(1, 5)))


@pytest.mark.parametrize("modulus", [HALF, F(1, 3)])
def test_an_absorbing_class_beside_a_transient_state(modulus: Fraction) -> None:
    """The class {2} alone: M = κ = ½ there; V keeps its full length."""
    model = gallery.absorbing_pair()
    verdict = decide_contraction(model, (1,), modulus)
    if modulus == HALF:
        assert_holds(model, verdict)
    else:
        assert_refuted(model, (1,), modulus, verdict)
        assert verdict.witness == {"V": "(0, 1)"}
