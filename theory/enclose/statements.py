"""Statements asked of a model in enclosures, with their hypotheses; from decisions on each class to one verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tdcert.theory.check.hypotheses import Hypothesis
from tdcert.theory.enclose.definite import Conclusion
from tdcert.theory.forms import Statement
from tdcert.theory.verdict import Grade, Status, Verdict


@dataclass(frozen=True)
class AskedStatement:
    """A statement and the hypotheses under which it is made.

    ``theorem``: the name of a theorem that proves it, at every size and under these hypotheses, where there is one.
    """

    form: Statement
    hypotheses: tuple[Hypothesis, ...]
    theorem: str = ""


@dataclass(frozen=True)
class HypothesisFacts:
    """What is known of the hypotheses: ``exact`` of the whole model, ``enclosed`` on each recurrent class."""

    exact: Mapping[Hypothesis, bool]
    enclosed: Sequence[Mapping[Hypothesis, Conclusion]]


def judged(asked: AskedStatement, facts: HypothesisFacts, decisions: Callable[[], Sequence[Conclusion]]) -> Verdict:
    """A violated hypothesis comes first, then one that is open, then a class that refutes, then one that is open.

    ``decisions``: of the statement, on each recurrent class; called once the hypotheses are known to hold. A statement
    that enclosures leave open, as they do every equality, holds by its theorem where it has one: grade ``proved``.
    """
    violated = tuple(h.id for h in asked.hypotheses if facts.exact.get(h) is False)
    if violated:
        return Verdict(Status.HYPOTHESIS_VIOLATED, detail="hypotheses do not hold", violated=violated)
    unknown = Conclusion(None, "enclosures do not decide one of its hypotheses")
    rest = [h for h in asked.hypotheses if h not in facts.exact]
    enclosed = [(h, answers.get(h, unknown)) for h in rest for answers in facts.enclosed]
    for hypothesis, answer in enclosed:
        if answer.holds is False:
            return Verdict(Status.HYPOTHESIS_VIOLATED, detail=answer.why, violated=(hypothesis.id,))
    for _, answer in enclosed:
        if answer.holds is None:
            return Verdict(Status.UNDECIDED, detail=answer.why, precision_needed=answer.precision_needed)
    found = decisions()
    for answer in found:
        if answer.holds is False:  # one class is enough
            return Verdict(Status.REFUTED, Grade.ENCLOSED, answer.why)
    for answer in found:
        if answer.holds is None and asked.theorem:
            why = f"by the theorem {asked.theorem}, whose hypotheses the model meets; the number itself is not decided"
            return Verdict(Status.HOLDS, Grade.PROVED, f"{why}: {answer.why}")
        if answer.holds is None:
            return Verdict(Status.UNDECIDED, detail=answer.why, precision_needed=answer.precision_needed)
    return Verdict(Status.HOLDS, Grade.ENCLOSED, "; ".join(dict.fromkeys(answer.why for answer in found)))
