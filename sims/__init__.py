"""Simulation: seeded, exact in law, and judged with tolerances that are derived."""
