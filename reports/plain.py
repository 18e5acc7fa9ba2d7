"""LaTeX as plain text, for terminals."""

from __future__ import annotations

import re

_PLAIN = {
    r"\lambda": "λ", r"\Lambda": "Λ", r"\gamma": "γ", r"\Phi": "Φ", r"\phi": "φ", r"\theta": "θ",
    r"\kappa": "κ", r"\rho": "ρ", r"\delta": "δ", r"\alpha": "α", r"\beta": "β", r"\eta": "η",
    r"\mu": "μ", r"\pi": "π", r"\Pi": "Π", r"\sum": "Σ", r"\prod": "∏", r"\top": "ᵀ", r"\leq": "≤",
    r"\le": "≤", r"\geq": "≥", r"\ge": "≥", r"\neq": "≠", r"\ne": "≠", r"\in": "∈", r"\to": "→",
    r"\ldots": "…", r"\dots": "…", r"\cdots": "…", r"\cdot": "·", r"\infty": "∞", r"\|": "‖",
    r"\lVert": "‖", r"\rVert": "‖", r"\sqrt": "√", r"\times": "×", r"\quad": " ", r"\,": " ", r"\;": " ",
    r"\!": "", r"\left": "", r"\right": "", r"\mathrm": "", r"\mathbf": "", r"\mathbb": "", r"\text": "",
    r"\operatorname": "", r"\{": "{", r"\}": "}", r"\iff": "⇔", r"\Leftrightarrow": "⇔", r"\implies": "⇒",
}  # fmt: skip


def plain(text: object) -> str:
    """``$LaTeX$`` as readable plain text; other text unchanged."""
    return re.sub(r"\$([^$]+)\$", lambda match: _plain_math(match[1]), str(text))


def _plain_math(latex: str) -> str:
    text = re.sub(r"\\begin\{\w*matrix\}(.*?)\\end\{\w*matrix\}", _plain_matrix, latex, flags=re.DOTALL)
    text = re.sub(r"\\[tdc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2", text)
    text = re.sub(r"\\([A-Za-z]+|.)", lambda match: _PLAIN.get(match[0], match[1]), text)
    text = text.replace("^ᵀ", "ᵀ").replace("^{ᵀ}", "ᵀ")
    return " ".join(re.sub(r"\{([^{}]?)\}", r"\1", text).split())


def _plain_matrix(match: re.Match[str]) -> str:
    rows = [
        " , ".join(cell.strip() for cell in row.split("&")) for row in match[1].split(r"\\") if row.strip()
    ]
    return "[" + " ; ".join(rows) + "]"
