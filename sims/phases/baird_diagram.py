"""The phase diagram of Baird's star: discount against schedule, at the steps of A5.3."""

from __future__ import annotations

from fractions import Fraction

from tdcert.sims.experiments.baird import ALPHA, BETA, ETA, SCHEDULE
from tdcert.sims.growth_signs import Round
from tdcert.sims.phases.cells import Effort, Grid, diagram, panels, signs_told
from tdcert.sims.phases.diagram import PhaseDiagram, Place
from tdcert.theory.check.critical_discount import critical_discounts
from tdcert.theory.identities.baird_star import CRITICAL_KAPPA
from tdcert.theory.model.gallery import bairds_star
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently

DISCOUNTS = tuple(Fraction(x) for x in ("1/4", "4/5", "9/10", "19/20", "97/100", "49/50", "99/100"))
MORE = tuple(Fraction(x) for x in ("1/10", "1/2", "39/40", "197/200", "199/200"))
"""Asked by the thorough profile too."""
ROWS = (
    ("TD(0)", Schedule()),
    ("2-step", Schedule.n_step(2)),
    ("EqualWeights(4, 6)", SCHEDULE),
    ("λ = 1/2", Schedule.constant(Fraction(1, 2))),
    ("λ = 9/10", Schedule.constant(Fraction(9, 10))),
)
EFFORTS = {
    "quick": Effort(60_000, 2, (Round(80, 25_000),)),
    "default": Effort(2_000_000, 2, (Round(80, 25_000), Round(80, 100_000, 6))),
    "thorough": Effort(20_000_000, 6, (Round(80, 25_000), Round(80, 200_000), Round(80, 1_000_000, 40))),
}


def star_diagram(seed: int, profile: str, claim: str | None) -> PhaseDiagram:
    """By the profile of ``tdcert verify``: how much is spent on what is undecided, and how many discounts are asked.

    ``claim``: the id that the picture belongs to.
    """
    columns = tuple(sorted({*DISCOUNTS, *MORE})) if profile == "thorough" else DISCOUNTS
    effort = EFFORTS[profile]
    grid = Grid(columns, ROWS, ("off_policy_td", "gtd", "tdc"), bairds_star, tuple(range(7)), ALPHA, ETA)
    drawn = panels(
        grid,
        effort,
        seed=seed,
        name="Baird's star: phase diagram",
        on_progress=silently,
        mean_places=_mean_places,
        mean_label="mean: κ = 15/17 solved for γ",
    )
    caption = f"Constant steps α = {ALPHA}, β = {BETA}; {signs_told('exact', effort.level)}"
    title = "Baird's star: what diverges depends on the discount, and on what is meant"
    return diagram("baird_phases", claim, title, caption, "discount γ", grid, drawn)


def _mean_places(algorithm: str, schedule: Schedule) -> tuple[Place, ...]:
    """Where κ = 15/17 for TD; GTD and TDC are stable in the mean for every κ < 1 (``identities_star``)."""
    return critical_discounts(schedule, CRITICAL_KAPPA) if algorithm == "off_policy_td" else ()
