"""The words and signs for what verdicts say; never colour alone."""

from __future__ import annotations

STATUSES = {
    "holds": ("✓", "holds"),
    "refuted": ("✗", "refuted"),
    "hypothesis_violated": ("△", "hypothesis violated"),
    "undecided": ("?", "undecided"),
    "open": ("○", "open"),
}
"""Status → sign and words."""

GRADES = {
    "proved": ("■", "for all values of all symbols, at the stated sizes or at all sizes"),
    "certified": (
        "◆",
        "one model, exact rational arithmetic, a certificate that an independent checker replays",
    ),
    "enclosed": ("●", "one model, every rounding error bounded"),
    "consistent": ("≈", "simulation agrees with theory at a stated false-alarm rate"),
}
"""Grade of evidence → sign and meaning, strongest first."""

FINDINGS = {
    "as_stated": "holds as printed",
    "implicit_hypothesis": "holds with a hypothesis that is not printed",
    "false": "false as printed",
    "misprint": "a misprint",
    "empirical": "an experiment",
    "open": "open",
}
"""Finding → words."""

NEEDS = {"needed": "needed", "spare": "not needed", "undecided": "undecided"}
"""How a hypothesis is drawn → words."""

SCOPES = {
    "all_sizes": ("all sizes", "all sizes"),
    "sizes": ("size", "sizes"),
    "instances": ("model", "models"),
    "simulation": ("simulation", "simulations"),
}
"""Scope → what is counted, one and many."""

MEAN_DYNAMICS = {
    "stable": ("✓", "stable", "every eigenvalue lies in the open left half-plane"),
    "unstable": ("✗", "unstable", "an eigenvalue lies in the open right half-plane"),
    "stable_modulo_null_space": (
        "✓", "stable modulo the null space", "predictions converge, the parameters are not unique",
    ),
    "marginal": ("△", "marginal", "an eigenvalue lies on the imaginary axis"),
    "undecided": ("?", "undecided", "neither stability nor instability was shown"),
}  # fmt: skip
"""Mean dynamics → sign, words, meaning."""

ALGORITHMS = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
"""Key of the analysis → the algorithm's name."""


LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "Gamma": "Γ", "delta": "δ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "Lambda": "Λ", "mu": "μ", "pi": "π", "rho": "ρ", "phi": "φ", "Phi": "Φ",
    "ones": "𝟏",
}  # fmt: skip
"""A symbol's name in a witness → its letter."""


def step_of(name: str, number: str) -> str:
    """The index the paper prints for a numbered name of an expression: its R_{k+1} is our reward of step k."""
    return str(int(number) + 1) if name == "R" else str(int(number))


def counted(count: int, one: str, many: str = "") -> str:
    """``1 claim``, ``2 claims``; thousands are separated."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
