"""LaTeX as plain text, for terminals. A command that is not known here is printed with its backslash."""

from __future__ import annotations

import re

from tdcert.reports.labels import LETTERS, step_of

_NUMBERED = re.compile(r"(?<![\w:])(R|gamma|rho|phi|v|delta|z|lambda|c|w|Lambda):(\d{1,6})\b")
_PLAIN = {
    r"\lambda": "λ",
    r"\Lambda": "Λ",
    r"\gamma": "γ",
    r"\Phi": "Φ",
    r"\phi": "φ",
    r"\theta": "θ",
    r"\kappa": "κ",
    r"\rho": "ρ",
    r"\delta": "δ",
    r"\alpha": "α",
    r"\beta": "β",
    r"\eta": "η",
    r"\mu": "μ",
    r"\pi": "π",
    r"\Pi": "Π",
    r"\sum": "Σ",
    r"\prod": "∏",
    r"\top": "ᵀ",
    r"\leq": "≤",
    r"\le": "≤",
    r"\geq": "≥",
    r"\ge": "≥",
    r"\neq": "≠",
    r"\ne": "≠",
    r"\in": "∈",
    r"\to": "→",
    r"\ldots": "…",
    r"\dots": "…",
    r"\cdots": "…",
    r"\cdot": "·",
    r"\infty": "∞",
    r"\|": "‖",
    r"\lVert": "‖",
    r"\rVert": "‖",
    r"\sqrt": "√",
    r"\times": "×",
    r"\quad": " ",
    r"\,": " ",
    r"\;": " ",
    r"\!": "",
    r"\left": "",
    r"\right": "",
    r"\mathrm": "",
    r"\mathbf": "",
    r"\mathbb": "",
    r"\text": "",
    r"\operatorname": "",
    r"\{": "{",
    r"\}": "}",
    r"\iff": "⇔",
    r"\Leftrightarrow": "⇔",
    r"\implies": "⇒",
    r"\mapsto": "↦",
    r"\tau": "τ",
    r"\sim": "∼",
    r"\nabla": "∇",
    r"\Sigma": "Σ",
    r"\sigma": "σ",
    r"\circ": "∘",
    r"\Gamma": "Γ",
    r"\varphi": "φ",
    r"\varepsilon": "ε",
    r"\epsilon": "ε",
    r"\xi": "ξ",
    r"\omega": "ω",
    r"\nu": "ν",
    r"\Delta": "Δ",
    r"\pm": "±",
    r"\approx": "≈",
    r"\prec": "≺",
    r"\succ": "≻",
    r"\preceq": "⪯",
    r"\succeq": "⪰",
    r"\mid": "|",
    r"\subset": "⊂",
    r"\cup": "∪",
    r"\cap": "∩",
    r"\notin": "∉",
    r"\forall": "∀",
    r"\exists": "∃",
    r"\partial": "∂",
    r"\ell": "ℓ",
    r"\odot": "⊙",
    r"\otimes": "⊗",
    r"\lfloor": "⌊",
    r"\rfloor": "⌋",
    r"\langle": "⟨",
    r"\rangle": "⟩",
    r"\Rightarrow": "⇒",
    r"\rightarrow": "→",
    r"\equiv": "≡",
    r"\ll": "≪",
    r"\gg": "≫",
    r"\qquad": " ",
    r"\ ": " ",
    r"\:": " ",
    r"\mathcal": "",
    r"\textstyle": "",
    r"\displaystyle": "",
}
WORDS = frozenset(["max", "min", "log", "exp", "det", "sup", "inf", "lim", "Re", "Im", "Var", "Cov", "ker", "dim"])
"""LaTeX commands that read as they are called."""
_ACCENTS = {"dot": "\u0307", "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
_RAISED = str.maketrans("-0123456789T", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ")


def plain(text: object) -> str:
    """``$LaTeX$`` and numbered names such as ``lambda:1`` as readable plain text; other text unchanged."""
    made = re.sub(r"\$([^$]+)\$", lambda match: _plain_math(match[1]), str(text))
    return _NUMBERED.sub(lambda match: f"{LETTERS.get(match[1], match[1])}_{step_of(match[1], match[2])}", made)


def _plain_math(latex: str) -> str:
    text = re.sub(r"\\begin\{\w*matrix\}(.*?)\\end\{\w*matrix\}", _plain_matrix, latex, flags=re.DOTALL)
    text = re.sub(r"\\[tdc]?frac\s*(?:\{([^{}]*)\}\s*\{([^{}]*)\}|(\d)(\d))", _plain_fraction, text)
    accented = rf"\\({'|'.join(_ACCENTS)})(?![A-Za-z])\s*(?:\{{([^{{}}]*)\}}|(\\[A-Za-z]+|\w))"
    text = re.sub(accented, lambda match: (match[2] or match[3]) + _ACCENTS[match[1]], text)
    text = re.sub(r"\\([A-Za-z]+|.)", _plain_command, text)
    text = re.sub(r"\^(?:\{(-?\d+|T|ᵀ)\}|(\d|T|ᵀ)(?!\w))", lambda m: (m[1] or m[2]).translate(_RAISED), text)
    text = text.replace("^*", "*")
    return " ".join(re.sub(r"\{([^{}]?)\}", r"\1", text).split())


def _plain_command(match: re.Match[str]) -> str:
    return match[1] if match[1] in WORDS else _PLAIN.get(match[0], match[0])


def _plain_fraction(match: re.Match[str]) -> str:
    above, below = (match[1], match[2]) if match[3] is None else (match[3], match[4])
    return f"{above}/{below}"


def _plain_matrix(match: re.Match[str]) -> str:
    rows = [" , ".join(cell.strip() for cell in row.split("&")) for row in match[1].split(r"\\") if row.strip()]
    return "[" + " ; ".join(rows) + "]"
