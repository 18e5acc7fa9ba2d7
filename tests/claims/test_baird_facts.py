"""The exact sentences of A5.3 about single discounts: they hold, their certificates are accepted, wrong ones fail."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.claims.claim import Fact, Simulated
from tdcert.claims.dgb22 import exp_baird, exp_gtd_lambda
from tdcert.sims.experiments.baird import ALPHA, SCHEDULE
from tdcert.sims.judge.replication import Share
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.identities.baird_star import CRITICAL_KAPPA
from tdcert.theory.model.gallery import STAR_SCALE
from tdcert.theory.verdict import Grade, Status
from tests.replay import replay


def accepted(fact: Fact) -> None:
    assert fact.verdict.status is Status.HOLDS, fact.sentence
    assert fact.verdict.certificates
    for certificate in fact.verdict.certificates:
        replay(certificate, fact.model, "exp_baird")


def test_facts_about_gtd_lambda() -> None:
    """κ = γ(1 − λ)/(1 − γλ) is 99/109 > 15/17 at γ = 99/100, λ = 9/10: there TD(λ), the reason given, does diverge."""
    facts = exp_gtd_lambda.facts()
    assert len(facts) == 8
    for fact in facts:
        accepted(fact)
    assert Fraction(99, 109) > CRITICAL_KAPPA > Fraction(9, 19)
    assert "γ = 99/100: TD(9/10) is unstable in the mean (κ = 99/109)" in [fact.sentence for fact in facts]
    wrong = exp_gtd_lambda._mean(Fraction(99, 100), Fraction(9, 10), "TD")
    assert wrong.verdict.status is Status.REFUTED


def found(agrees: bool) -> Simulated:
    """A comparison that shows what it was to show, or not."""
    share = Share("made up", "runs", 40 if agrees else 1, 40, 1e-6)
    return Simulated(share, "runs", share.summary())


def test_a_sentence_without_its_discount_is_judged_by_what_was_seen() -> None:
    """exp_baird: γ decides, so nothing is decided; exp_gtd_lambda: seen at both discounts, unless a sign is missing."""
    seen, missing = [found(True)] * 2, [found(True), found(False)]
    for runs, why in ((seen, "and it decides: at γ = 49/50"), (missing, "")):
        verdict = exp_baird.judged(runs)
        assert verdict.status is Status.UNDECIDED and verdict.detail.startswith("γ is not given")
        assert ("it decides" in verdict.detail) is bool(why) and why in verdict.detail
    confirmed = exp_gtd_lambda.judged(seen)
    assert (confirmed.status, confirmed.grade) == (Status.HOLDS, Grade.CONSISTENT)
    assert "9/10 and 99/100" in confirmed.detail
    assert exp_gtd_lambda.judged(missing).status is Status.UNDECIDED


@pytest.mark.thorough
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
    fact = exp_baird._mean_square(exp_baird.LOW, "off_policy_td", bounded=True)
    (certificate,) = fact.verdict.certificates
    assert certificate.about["step"] == str(ALPHA / STAR_SCALE) == "1/20800"
