"""The model of docs/abilities.md, with other discounts and schedules: three states, two actions, two features."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tdcert.theory.files.load import load_model
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

FILE = Path(__file__).parents[1] / "docs" / "abilities_model.json"


def two_policies(gamma: Fraction, schedule: Schedule) -> Model:
    """A ring of three states; ρ is 2/3 or 4/3."""
    model = load_model(FILE).model
    discounts = tuple(G.scaled(gamma / Fraction(1, 2)) for G in model.discounts)
    return replace(model, discounts=discounts).with_schedule(schedule)
