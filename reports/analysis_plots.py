"""The pictures of an analysis on Matplotlib axes: the user's own, or new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tdcert.algorithms.schedules import TITLES
from tdcert.analysis import model_diagram, simulated_runs
from tdcert.analysis.model_diagram import Drawn
from tdcert.analysis.request import PhaseAxes, SimulationRequest
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.simulated_runs import Simulation
from tdcert.reports import phase_plot, plots
from tdcert.reports.analysis_figures import schedule_figures, values_figure
from tdcert.reports.lookups import WithNames
from tdcert.reports.palette import literal, settings
from tdcert.theory.errors import InputError
from tdcert.theory.figures import Figure
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import silently

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Plots(WithNames):
    """``values``, ``schedules``, ``learning_curves``, ``phase_diagram``. Each draws on ``ax`` or new pyplot axes."""

    def __init__(self, result: AnalysisResult) -> None:
        self._result = result
        self._simulation, self._diagram = result.simulation, result.phase_diagram

    def values(self, ax: Axes | None = None) -> Axes:
        """The value at the fixed point beside the true value, state by state."""
        facts = self._result.facts
        fixed = None if facts.single is None else facts.single.values_at_fixed_point
        drawn = values_figure(facts.value, fixed)
        if not drawn:
            raise InputError(
                "the values cannot be drawn: the true value or the fixed point does not exist, is not unique, or has "
                "too many states"
            )
        return on_axes(ax, drawn[0])

    def schedules(self, ax: Axes | None = None) -> Axes:
        """Error and bound of the fixed point, by schedule."""
        found = self._result.advice.comparison
        drawn = [figure for figure in schedule_figures(found.rows) if figure.name == "schedules_error"]
        if not drawn:
            raise InputError(f"schedules cannot be drawn: {found.why or 'their errors are not known'}")
        return on_axes(ax, drawn[0])

    def learning_curves(self, ax: Axes | None = None, *, algorithms: Sequence[str] | str | None = None) -> Axes:
        """E ‖Φθ_t − Φθ*‖²_D over the updates: mean of runs with a band, and exactly where it can be had.

        ``algorithms``: names of some that were analysed; all of them by default. An analysis that
        was not asked to simulate does so now, with seed 0 and the default steps (some seconds).
        """
        ran = self._simulated()
        known = [run.algorithm for run in ran.runs]
        asked = known if algorithms is None else [algorithms] if isinstance(algorithms, str) else algorithms
        if not isinstance(asked, list | tuple) or not asked or not all(name in known for name in asked):
            raise InputError(f"learning curves of {asked!r} were asked for; give some of {', '.join(known)}")
        chosen = [run for run in ran.runs if run.algorithm in asked]
        series = tuple(
            replace(curve, label=f"{TITLES.get(run.algorithm, run.algorithm)}: {curve.label}")
            for run in chosen
            for curve in run.figure.series
        )
        return on_axes(ax, replace(chosen[0].figure, title="Learning curves", series=series))

    def phase_diagram(self) -> list[Axes]:
        """What dies out, by discount and schedule: one axes for each algorithm, on a figure of their own.

        An analysis that was not asked for it draws it now (a minute or two).
        """
        if self._diagram is None:
            axes = PhaseAxes(algorithms=self._result.algorithms or ())
            self._diagram = model_diagram.draw(self._result.facts.model, silently, axes)
        return _panels(self._diagram)

    def _simulated(self) -> Simulation:
        if self._simulation is None:
            model = self._result.facts.model
            if not isinstance(model, Model):
                raise InputError(
                    "learning curves need exact or enclosed arithmetic, and this analysis is in sparse arithmetic"
                )
            self._simulation = simulated_runs.simulate_model(model, SimulationRequest(), self._result.algorithms)
        return self._simulation


def on_axes(ax: Any, figure: Figure) -> Axes:
    """A figure on ``ax``, or on new pyplot axes. Raises :class:`InputError` for what is no axes."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(
            f"ax is a {type(ax).__name__}; give Matplotlib axes, such as plt.subplots()[1], or leave it out"
        )
    with settings():
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained")
        plots.draw_on(ax, figure)
        ax.set_title(literal(figure.title, 55))
        if len(figure.series) > 1:
            ax.legend(frameon=False)
    assert isinstance(ax, Axes)
    return ax


def _panels(drawn: Drawn) -> list[Axes]:
    if drawn.picture is None:
        raise InputError(f"there is no phase diagram of this model: {drawn.why}")
    with settings():
        from matplotlib import pyplot

        canvas = phase_plot.draw(drawn.picture, title=True, canvas=pyplot.figure(layout="constrained"))
    return list(canvas.axes)
