"""The exact sentences of A5.3 about single discounts: they hold, their certificates are accepted, wrong ones fail."""

from __future__ import annotations

from fractions import Fraction

import pytest

from claims import exp_baird, exp_gtd_lambda
from claims.claim import Fact
from sims.experiments.baird import ALPHA, SCHEDULE
from theory.certificate import checker
from theory.certificate.write import document, text
from theory.check.identities_star import CRITICAL_KAPPA
from theory.check.mean_dynamics import MeanDynamics
from theory.model.gallery import STAR_SCALE
from theory.verdict import Status


def accepted(fact: Fact) -> None:
    assert fact.verdict.status is Status.HOLDS, fact.sentence
    assert fact.verdict.certificates
    for certificate in fact.verdict.certificates:
        checker.check_text(text(document(certificate, fact.model, "exp_baird")))


def test_facts_about_gtd_lambda() -> None:
    facts = exp_gtd_lambda.facts()
    assert len(facts) == 7
    for fact in facts:
        accepted(fact)


def test_facts_about_the_mean_and_a_bounded_second_moment() -> None:
    """κ(97/100) < 15/17 < κ(49/50) under EqualWeights(4, 6)."""
    assert SCHEDULE.kappa(exp_baird.STABLE) < CRITICAL_KAPPA < SCHEDULE.kappa(exp_baird.BAND)
    accepted(exp_baird._mean(exp_baird.STABLE, "off_policy_td", MeanDynamics.STABLE))
    accepted(exp_baird._mean(exp_baird.BAND, "off_policy_td", MeanDynamics.UNSTABLE))
    accepted(exp_baird._mean_square(exp_baird.LOW, "off_policy_td", bounded=True))


def test_wrong_facts_do_not_hold() -> None:
    wrong = exp_baird._mean(exp_baird.STABLE, "off_policy_td", MeanDynamics.UNSTABLE)
    assert wrong.verdict.status is Status.REFUTED
    assert exp_baird._mean_square(exp_baird.LOW, "off_policy_td", bounded=False).verdict.status is Status.UNDECIDED
    finite = exp_gtd_lambda._trace(Fraction(9, 10), Fraction(3, 7), "finite")  # 7γ²λ² = 5103/4900
    assert finite.verdict.status is Status.REFUTED


@pytest.mark.thorough
def test_every_fact_of_exp_baird() -> None:
    for fact in exp_baird.facts():
        accepted(fact)


def test_certificates_speak_of_the_steps_of_the_paper() -> None:
    """The seven features have 104 times the inner products, so the step is divided by 104."""
    (certificate,) = exp_baird.judge_stated().verdict.certificates
    assert certificate.about["step"] == str(ALPHA / STAR_SCALE) == "1/20800"
