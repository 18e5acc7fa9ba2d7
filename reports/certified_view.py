"""What :func:`tdcert.certify` returns: when iterates are within a distance of θ*, to work with in Python."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from tdcert.analysis.certify import Answer, distance_curves
from tdcert.reports.analysis_view import Floats
from tdcert.reports.certify import lines
from tdcert.reports.documents import Row
from tdcert.reports.lookups import ByName, Named, WithNames
from tdcert.reports.tabled import Tabled
from tdcert.reports.terminal import printable
from tdcert.theory.document_types import plain
from tdcert.theory.errors import InputError
from tdcert.theory.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tdcert.reports.certify import CertifyDocument


@dataclass(frozen=True)
class ExactCertified(WithNames):
    """Numbers as fractions: θ* and θ_0 (NumPy arrays of them), the distance, the probability, and the steps
    a/(t + t0)^p.
    """

    theta_star: Any
    theta0: Any
    within: Fraction
    probability: Fraction
    a: Fraction
    t0: Fraction
    p: Fraction


class CertifiedPlots(WithNames):
    """``bound``: draws on ``ax`` or new pyplot axes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def bound(self, ax: Axes | None = None, *, seed: int | None = None) -> Axes:
        """The distance of θ from θ* over time: root mean square, its bound, and a bound for ever with probability 9/10;
        with a ``seed`` the quantiles of simulated runs. Raises :class:`InputError` where nothing is known.
        """
        from tdcert.reports.analysis_plots import on_axes

        answer = self._answer
        process, ratios = answer.process, answer.process.ratios[1:]
        if len(set(ratios)) > 1:
            raise InputError(f"the bound is drawn for equal ratios of later step sizes, and these are {ratios}")
        curves = distance_curves(
            process.model,
            answer.question.algorithm,
            answer.steps,
            process.theta0,
            seed,
            ratios[0] if ratios else Fraction(1),
        )
        if curves.figure is None:
            raise InputError(f"the bound cannot be drawn: {curves.why}")
        return on_axes(ax, curves.figure)


class Certified(Tabled, ByName[Any]):
    """When θ_t is within a distance of θ*; :func:`tdcert.certify` makes it.

    ``one_time``: T with P(|θ_T − θ*| ≤ within) ≥ probability, None where none was found; ``one_time_is_least``: whether
    it is the least by second moments; ``ever_after``: N with P(|θ_t − θ*| ≤ within for all t ≥ N) ≥ probability,
    certified, or None with the reason in ``why``. ``theta_star``, ``theta0``, ``within``, ``probability``: floats;
    ``exact`` holds them as fractions. As a mapping it is the document of ``to_dict()``.
    """

    def __init__(self, answer: Answer, document: CertifyDocument) -> None:
        self._answer, self._said = answer, document
        self.algorithm, self.certificate, self.notes = document.algorithm, document.certificate, document.notes
        self.one_time, self.one_time_is_least = document.one_time, document.one_time_is_least
        self.ever_after, self.why, self.grade = document.ever_after, document.why, document.grade
        self.within, self.probability = float(answer.question.within), float(answer.question.probability)

    @cached_property
    def _named(self) -> Named[Any]:
        return Named("key", plain(self._said).items())

    @property
    def theta_star(self) -> Floats:
        """θ* (d,), where the mean increment is zero."""
        return np.array([float(x) for x in self._answer.process.theta_star])

    @property
    def theta0(self) -> Floats:
        """Where θ begins (d,)."""
        return np.array([float(x) for x in self._answer.process.theta0])

    @property
    def steps(self) -> str:
        """The first step size, in words."""
        return str(self._answer.steps)

    @property
    def exact(self) -> ExactCertified:
        """The numbers of the answer as fractions, which are not rounded."""
        asked, steps, process = self._answer.question, self._answer.steps, self._answer.process
        rest, start = (np.array(list(x), dtype=object) for x in (process.theta_star, process.theta0))
        return ExactCertified(rest, start, asked.within, asked.probability, steps.a, steps.t0, steps.p)

    @property
    def plot(self) -> CertifiedPlots:
        """``bound()``: Matplotlib axes."""
        require("a plot", "matplotlib")
        return CertifiedPlots(self._answer)

    def to_dict(self) -> Row:
        """The document ``tdcert-certify/1``, as ``tdcert certify --json`` prints it."""
        return plain(self._said)

    def rows(self) -> list[Row]:
        """One dictionary, numbers as floats."""
        names = ("algorithm", "steps", "within", "probability", "one_time", "ever_after", "why", "theta_star")
        return [{name: getattr(self, name) for name in names}]

    def __repr__(self) -> str:
        once, ever = ("none" if t is None else f"{t:,}" for t in (self.one_time, self.ever_after))
        return printable(
            f"<Certified {self.algorithm}: within {self.within:g} with probability {self.probability:g}, at one time "
            f"T = {once}, for ever after N = {ever}>"
        )

    def __str__(self) -> str:
        return printable(lines(self._said, "the model").rstrip())

    def _repr_html_(self) -> str:
        """The answer as HTML, for notebooks."""
        rows = "".join(f'<tr><td style="text-align:left">{escape(line)}</td></tr>' for line in str(self).split("\n"))
        return f"<table>{rows}</table>"
