"""The words and signs for what verdicts say; never colour alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert.verification.verification import ClaimVerdict

STATUSES = {
    "holds": ("✓", "holds"),
    "refuted": ("✗", "refuted"),
    "hypothesis_violated": ("△", "hypothesis violated"),
    "undecided": ("?", "undecided"),
    "open": ("○", "open"),
    "not_decidable": ("–", "not decidable here"),
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
    "not_decidable": "not decidable here",
    "open": "open",
}
"""Finding → words."""

UNPRINTED = {"as_stated": "holds", "implicit_hypothesis": "holds with one hypothesis more", "false": "false"}
"""The words for findings of statements that are printed nowhere."""

SHARP = {True: "sharp", False: "not sharp", None: "unknown"}
"""Whether a constant is sharp → words."""

WHAT_IS_WRONG = {
    "false": ("False as printed", "The statement fails under the hypotheses that are printed with it."),
    "implicit_hypothesis": (
        "A hypothesis is missing",
        "The statement fails as printed, and holds with a hypothesis that is not printed where it stands.",
    ),
    "misprint": ("Misprints", "A printed expression is wrong; the one that is meant is plain, and right."),
    "empirical": (
        "Sentences about experiments",
        "What speaks against them is certified on a model, or no better than consistent with simulation, as the grade "
        "beside each says.",
    ),
}
"""Finding → heading and meaning of what is wrong, in the order of the report."""

WHAT_IS_WRONG_UNREAD = {
    **WHAT_IS_WRONG,
    "false": ("False", "The statement fails under the hypotheses that stand with it here."),
    "implicit_hypothesis": ("A hypothesis is missing", "The statement fails, and holds with a hypothesis more."),
}
"""Heading and meaning where no text was read: nothing is said of what is printed."""

PRINTED = {
    "as_stated": "hold as printed",
    "false": "false",
    "implicit_hypothesis": "need a hypothesis that is not printed",
    "misprint": "misprints",
    "not_decidable": "not decidable here",
    "undecided": "undecided as printed",
    "open": "not examined",
}
"""How statements stand as printed → words after their number."""

BEYOND_IT = {
    **PRINTED,
    "as_stated": "hold",
    "implicit_hypothesis": "with a further hypothesis",
    "undecided": "undecided",
}
"""The words for the same statuses of statements that the paper does not make."""

NEEDED = {True: "needed", False: "not needed", None: "undecided"}
"""Whether a hypothesis is needed → words."""

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
        "✓",
        "stable modulo the null space",
        "predictions converge, the parameters are not unique",
    ),
    "marginal": ("△", "marginal", "an eigenvalue lies on the imaginary axis"),
    "undecided": ("?", "undecided", "neither stability nor instability was shown"),
}
"""Mean dynamics → sign, words, meaning."""

LIMITS = {
    "stable": ("converges", "nearer"),
    "unstable": ("diverges", "farther"),
    "stable_modulo_null_space": ("predictions converge, θ is not unique", "nearer"),
    "marginal": ("does not settle by its mean alone", ""),
    "undecided": ("not decided", ""),
}
"""Mean dynamics → what the mean does for small steps, and what it becomes by the time constant."""

CONVERGES = {
    "stable": True,
    "unstable": False,
    "stable_modulo_null_space": True,
    "marginal": None,
    "undecided": None,
}
"""Mean dynamics → whether predictions converge in the mean; None where the mean alone does not say."""


LETTERS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "Gamma": "Γ",
    "delta": "δ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "Lambda": "Λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "phi": "φ",
    "Phi": "Φ",
    "ones": "𝟏",
}
"""A symbol's name in a witness → its letter."""


def told(witness: Mapping[str, Any]) -> dict[str, Any]:
    """A witness without a side that is a number under its own name, such as 0 = 0."""
    return {name: value for name, value in witness.items() if name != value}


def finding_words(claim: ClaimVerdict) -> str:
    """A claim's finding in words; of a statement beyond the paper nothing is said about print."""
    words = FINDINGS[claim.finding]
    if claim.stated is None or claim.stated.reading.quote:
        return words
    return UNPRINTED.get(claim.finding, words)


def label_of(claim: ClaimVerdict, kind: str) -> str:
    """What the ``stated`` or ``corrected`` reading of a claim is called: what has no quote is printed nowhere."""
    if kind == "corrected":
        return "Found" if claim.finding == "empirical" else "Corrected"
    return "As printed" if claim.readings[kind].reading.quote else "Statement"


def step_of(name: str, number: str) -> str:
    """The index the paper prints for a numbered name of an expression: its R_{k+1} is our reward of step k."""
    return str(int(number) + 1) if name == "R" else str(int(number))
