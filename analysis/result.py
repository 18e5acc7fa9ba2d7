"""The result of an analysis. JSON, terminal and page are views of it, written in ``reports/``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tdcert.analysis.budget import USUAL, Budget, LeftOut
from tdcert.analysis.choose_arithmetic import Choice
from tdcert.analysis.facts import ModelFacts
from tdcert.analysis.row import AlgorithmRow, rows_of_facts
from tdcert.theory.certificate.shelf import FiledCertificate

if TYPE_CHECKING:
    from tdcert.analysis.advice.advise import Advice
    from tdcert.analysis.advice.schedules_of import SchedulesOf
    from tdcert.analysis.at_step import StepAnswers
    from tdcert.analysis.certify import DistanceCurves
    from tdcert.analysis.for_all import ForAll
    from tdcert.analysis.model_diagram import Drawn
    from tdcert.analysis.robustness import RobustRow
    from tdcert.analysis.simulated_runs import Simulation
    from tdcert.sims.judge.agreement import Agreement
    from tdcert.theory.engine.declare import Algorithm


@dataclass(frozen=True, eq=False)
class AnalysisResult:
    """All that was found out about one model.

    ``source``: where it came from, as the user wrote it; ``defaults_used``: what was not given, and what was taken
    instead. ``choice``: the arithmetic and why that one; ``facts``: what was computed; ``advice``: what follows for
    whoever has to choose. ``rows_asked_for``: of algorithms that were named, None where
    the rows are those of the paper's. ``command`` makes the same analysis again; None where
    the model is in no file. ``certificates``: files for the independent checker, of facts in exact arithmetic alone,
    and of steps. ``steps``, ``simulation`` and ``phase_diagram``: None where they were not asked for; ``distances``:
    of each algorithm over time, where steps were asked about that decrease. ``comparisons``: by algorithm that was
    asked for and simulated, the agreement of its runs with their exact moments, or why there is none. ``schedules``: of
    each algorithm that was asked for, what it does under others, where they were to be compared. ``robustness``: how
    far the model may change, ``for_all``: for which values of γ, λ or a ratio there is stability; None where nobody
    asked.
    """

    source: str
    defaults_used: tuple[str, ...]
    choice: Choice
    facts: ModelFacts
    advice: Advice
    command: str | None
    certificates: tuple[FiledCertificate, ...] = ()
    simulation: Simulation | None = None
    phase_diagram: Drawn | None = None
    steps: StepAnswers | None = None
    distances: tuple[DistanceCurves, ...] = ()
    rows_asked_for: tuple[AlgorithmRow, ...] | None = None
    comparisons: tuple[tuple[Algorithm, Agreement | str], ...] = ()
    schedules: tuple[SchedulesOf, ...] = ()
    budget: Budget = USUAL
    robustness: tuple[RobustRow, ...] | None = None
    for_all: ForAll | None = None

    @property
    def how_far(self) -> dict[str, list[RobustRow]]:
        """The answers of ``robustness`` by what was asked."""
        from tdcert.analysis.robustness import by_question

        return by_question(self.robustness or ())

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not computed because nobody asked for it by name and its work is beyond the budget."""
        own = () if self.facts.left_out is None else (self.facts.left_out,)
        return (*own, *self.advice.left_out)

    @cached_property
    def rows(self) -> tuple[AlgorithmRow, ...]:
        """What each algorithm does on each recurrent class."""
        return rows_of_facts(self.facts) if self.rows_asked_for is None else self.rows_asked_for

    @property
    def algorithms(self) -> tuple[Algorithm, ...] | None:
        """The algorithms that were asked for by name, each once; None for the paper's."""
        if self.rows_asked_for is None:
            return None
        return tuple({id(row.algorithm): row.algorithm for row in self.rows_asked_for}.values())

    @property
    def listed(self) -> bool:
        """Whether the rows are of algorithms that were asked for by name, not of the paper's."""
        return self.rows_asked_for is not None

    @property
    def refuted(self) -> tuple[str, ...]:
        """Claims that fail though their hypotheses hold, and simulations that contradict theory."""
        ran = () if self.simulation is None else self.simulation.contradicted
        other = (one.name for one, said in self.comparisons if not isinstance(said, str) and said.contradicts)
        return (*self.facts.refuted, *(f"simulation of {name}" for name in dict.fromkeys((*ran, *other))))
