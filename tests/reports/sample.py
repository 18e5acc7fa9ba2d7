"""Documents as ``claims`` hands them over, small enough to be read: what the tests build pages from."""

from __future__ import annotations

import copy
import hashlib
import json
from fractions import Fraction
from typing import Any

from tdcert.reports.analysis_figures import values_figure
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.figures import Figure, Rule, Series

TWO_STATES: dict[str, Any] = {
    "format": "tdcert-model/1",
    "actions": ["only"],
    "transitions": {"only": [["1", "0"], ["1/2", "1/2"]]},
    "rewards": {"only": ["0", "1"]},
    "discount": "1/2",
    "behaviour": [["1"], ["1"]],
    "target": [["1"], ["1"]],
    "features": [["1"], ["0"]],
    "schedule": {"lambdas": []},
}
DIGEST = hashlib.sha256(json.dumps(TWO_STATES, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def certificate(closed_set: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """State 0 is never left, so the chain is reducible; another closed set makes the certificate false."""
    return {
        "format": "tdcert-certificate/1",
        "kind": "reducible",
        "claim": "prop_4_1",
        "model": TWO_STATES,
        "digest": DIGEST,
        "about": {},
        "witness": {"closed_set": list(closed_set)},
    }


def scope(where: str, grade: str, count: int, detail: str, *certificates: str) -> dict[str, Any]:
    return {
        "scope": where,
        "grade": grade,
        "count": count,
        "detail": detail,
        "certificates": list(certificates),
    }


def open_claim(name: str, section: str, place: str, title: str) -> dict[str, Any]:
    return {
        "id": name,
        "section": section,
        "place": place,
        "title": title,
        "finding": "open",
        "stated": None,
        "corrected": None,
        "hypotheses": [],
    }


SECTION_2, SECTION_4 = "Sections 1 and 2: schedule, return, trace", "Section 4: convergence"
FIRST = "certificates/prop_4_1/001-reducible.json"

FIGURE = Figure(
    "convergence_td",
    "prop_4_1",
    "Mean of θ",
    "steps",
    "distance",
    (
        Series("exact", (1.0, 10.0, 100.0), (1.0, 0.1, 0.01)),
        Series("runs", (1.0, 10.0, 100.0), (1.1, 0.0, float("inf")), (1.0, 0.0, 0.01), (1.2, 0.2, float("inf"))),
    ),
    "Costs $5 or $6.",
    log_x=True,
    log_y=True,
    rules=(Rule("κ = 15/17", Fraction(15, 17)),),
).document()

_STABLE, _NOT = DiagramCell("stable", "✓", "stable in the mean"), DiagramCell("unstable", "✗", "unstable in the mean")
DIAGRAM = PhaseDiagram(
    "phases",
    "prop_4_1",
    "By discount and schedule",
    "Exact.",
    "discount $\\gamma$",
    "schedule",
    (Fraction(1, 2), Fraction(9, 10)),
    ("TD(0)", "3-step"),
    (Panel("TD", ((_STABLE, _NOT), (_STABLE, _STABLE)), (Boundary("κ = 15/17", (((Fraction(4, 5),) * 2,), ())),)),),
    (("stable", "stable"), ("unstable", "unstable"), ("open", "not decided")),
).document()

_VERDICTS: dict[str, Any] = {
    "format": "tdcert-verdicts/1",
    "figures": [FIGURE, DIAGRAM],
    "claims": [
        open_claim("td_lambda_weights", SECTION_2, "§1.1", r"Weights of TD($\lambda$)"),
        {
            "id": "weight_matrix_rows",
            "section": SECTION_2,
            "place": "§2, Λ",
            "title": r"Rows of $\Lambda$ are weights",
            "finding": "as_stated",
            "stated": {
                "status": "holds",
                "witness": None,
                "statement": r"$\Lambda$ is lower triangular, entries lie in $[0,1]$, every row sums to one: "
                r"$\sum_{j \le i} \Lambda_{ij} = 1$, and $\Lambda_{11} = 1$.",
                "scopes": [
                    scope(
                        "all_sizes",
                        "proved",
                        1,
                        r"telescoping sum $\sum_j (c_{j-1} - c_j) + c_{i-1}$, symbolic in $\lambda$",
                    ),
                    scope("sizes", "proved", 12, "every row of sizes 1 to 12 expanded as a polynomial"),
                ],
            },
            "corrected": None,
            "hypotheses": [],
            "models": [],
            "reproduce": "tdcert verify weight_matrix_rows --seed 1 --profile default",
            "figures": [],
            "notes": [],
        },
        {
            "id": "n_step_special_case",
            "section": SECTION_2,
            "place": "§2, observation (1)",
            "title": "The n-step return as a schedule",
            "finding": "false",
            "stated": {
                "status": "refuted",
                "statement": r"$\lambda_j = 1$ for $j \le n$ and $\lambda_j = 0$ after gives $n$-step TD.",
                "witness": {"n": "1", "weights of the returns": ["0", "1"], "the return it gives": "2-step"},
                "scopes": [
                    scope(
                        "sizes",
                        "proved",
                        20,
                        r"the weight $w_{n+1} = c_n = 1$ falls on the $(n+1)$-step return",
                    )
                ],
            },
            "corrected": {
                "status": "holds",
                "witness": None,
                "statement": r"$\lambda_j = 1$ for $j < n$, $\lambda_j = 0$ for $j \ge n$ gives $n$-step TD.",
                "added_hypotheses": [],
                "scopes": [scope("all_sizes", "proved", 1, "induction on n, base and step checked")],
            },
            "hypotheses": [],
            "models": [],
            "reproduce": "tdcert verify n_step_special_case --seed 1 --profile default",
            "figures": [],
            "notes": ["EqualWeights(n, n) agrees with the correction."],
        },
        {
            "id": "prop_4_1",
            "section": SECTION_4,
            "place": "§4, A4.1",
            "title": "$A$ is negative definite",
            "finding": "implicit_hypothesis",
            "stated": {
                "status": "holds",
                "witness": None,
                "statement": r"$A = \Phi^\top D (M - I) \Phi$ is negative definite: "
                r"$x^\top A x \le -(1-\kappa)\, x^\top C x < 0$ for $x \ne 0$.",
                "scopes": [
                    scope("all_sizes", "proved", 1, r"$(1-\kappa) C \le -\mathrm{sym} A \le (1+\kappa) C$"),
                    scope(
                        "instances",
                        "certified",
                        8,
                        "generated chains, 2 to 12 states",
                        *(f"certificates/prop_4_1/{k:03d}-definite.json" for k in range(2, 10)),
                    ),
                    scope(
                        "simulation",
                        "consistent",
                        4,
                        "replicated runs against the exact mean, false alarm at most 1e-8",
                    ),
                ],
            },
            "corrected": None,
            "hypotheses": [
                {
                    "id": "irreducible",
                    "statement": "The behaviour chain is irreducible",
                    "needed": True,
                    "counterexample": {
                        "description": "Two states, one absorbing: the smallest there is.",
                        "model": TWO_STATES,
                        "witness": {"$x^\\top A x$": "0", "x": ["1"]},
                    },
                    "scopes": [scope("instances", "certified", 1, "", FIRST)],
                },
                {
                    "id": "aperiodic",
                    "statement": "The behaviour chain is aperiodic",
                    "needed": False,
                    "counterexample": None,
                    "scopes": [scope("all_sizes", "proved", 1, "the proof does not use it")],
                },
                {
                    "id": "rewards",
                    "statement": "Rewards are bounded",
                    "needed": None,
                    "counterexample": None,
                    "scopes": [],
                },
            ],
            "models": [
                {
                    "name": "two states, one absorbing",
                    "states": 2,
                    "features": 1,
                    "actions": 1,
                    "digest": DIGEST,
                },
                {
                    "name": "Garnet(12, 3, 2), seed 7",
                    "states": 12,
                    "features": 4,
                    "actions": 3,
                    "digest": "ab" * 32,
                },
            ],
            "reproduce": "tdcert verify prop_4_1 --seed 1 --profile default",
            "figures": ["convergence_td", "phases"],
            "notes": [],
        },
        {
            "id": "thm_4_4_g_negative_definite",
            "section": SECTION_4,
            "place": "A4.2",
            "title": "$G$ is negative definite",
            "finding": "false",
            "stated": {
                "status": "refuted",
                "statement": r"$G = \begin{bmatrix} -\sqrt{\eta}\, C & A \\ -A^\top & 0 \end{bmatrix}$ "
                "is negative definite.",
                "witness": {"$x$": ["0", "1"], r"$x^\top G x$": "0"},
                "scopes": [scope("all_sizes", "proved", 1, r"$x^\top G x = 0$ at every $x = (0, \theta)$")],
            },
            "corrected": {
                "status": "holds",
                "witness": None,
                "statement": "$G$ is Hurwitz when $A$ is nonsingular and $C > 0$.",
                "added_hypotheses": ["$A$ is nonsingular", "$C > 0$, with $D$ from $\\mu$"],
                "scopes": [
                    scope(
                        "instances",
                        "certified",
                        3,
                        "Lyapunov matrices",
                        "certificates/thm_4_4_g_negative_definite/001-hurwitz.json",
                    )
                ],
            },
            "hypotheses": [],
            "models": [],
            "reproduce": "tdcert verify thm_4_4_g_negative_definite --seed 1",
            "figures": [],
            "notes": [],
        },
        open_claim("thm_4_5_conditions", SECTION_4, "§4, Theorem 4.5", "Conditions (C1) to (C6) for TDC"),
    ],
    "summary": {"decided": 4, "open": 2, "differences": []},
    "error_budget": [{"name": "mean of $\\theta_t$, 4 models", "false_alarm": 1e-8}],
    "seed": 1,
    "profile": "default",
    "environment": {
        "tdcert": "0.1.0",
        "python": "3.11.2",
        "numpy": "2.4.6",
        "platform": "Linux x86_64",
        "seconds": 12.3,
        "time": "2026-01-01T00:00:00Z",
    },
}

# The walk of five states, γ = 1, episodes restart in the middle; V = i/6.
_ANALYSIS: dict[str, Any] = {
    "format": "tdcert-analysis/1",
    "model": {
        "states": 7,
        "actions": 1,
        "features": 2,
        "schedule_length": 2,
        "digest": "cd" * 32,
        "name": "random walk of 5 states",
        "defaults_used": ["the target policy: the behaviour policy"],
    },
    "state_names": ["left end", "1", "2", "3", "4", "5", "right end"],
    "source": "random_walk.json",
    "notes": ["0.3333333333333333 was read as 1/3"],
    "reproduce": "tdcert analyze random_walk.json",
    "arithmetic": "exact",
    "chain": {"irreducible": True, "period": 2, "recurrent_classes": [[0, 1, 2, 3, 4, 5, 6]]},
    "stationary": ["1/20", "1/10", "1/5", "3/10", "1/5", "1/10", "1/20"],
    "kappa": None,
    "A": [["-7/20", "1/10"], ["1/10", "-31/120"]],
    "b": ["1/24", "1/12"],
    "C": [["1/2", "1/5"], ["1/5", "1/3"]],
    "theta_star": ["123456789123456789/987654321987654321", "5/11"],
    "values_at_fixed_point": ["0", "1/7", "2/7", "123456789123456789/246913578246913577", "5/7", "6/7", "0"],
    "value": ["0", "1/6", "1/3", "1/2", "2/3", "5/6", "0"],
    "projection_error_squared": "1/1024",
    "fixed_point_error_squared": "123456789123456789/98765432198765432100",
    "error_bound_squared": None,
    "claims": [
        {
            "id": "prop_4_1",
            "status": "holds",
            "grade": "certified",
            "violated": [],
            "witness": None,
            "certificate": FIRST,
        },
        {
            "id": "m_contraction",
            "status": "hypothesis_violated",
            "grade": None,
            "violated": ["constant_discount"],
            "witness": None,
            "certificate": None,
        },
        {
            "id": "thm_4_6",
            "status": "undecided",
            "grade": None,
            "violated": [],
            "witness": None,
            "certificate": None,
            "detail": "the budget was exhausted",
        },
    ],
    "algorithms": {
        "td": {
            "mean_dynamics": "stable",
            "matrix": "A",
            "rate": {"lower": "-2/11", "upper": "-1/6"},
            "certificate": None,
        },
        "off_policy_td": {
            "mean_dynamics": "unstable",
            "matrix": "A",
            "rate": {"lower": "1/300", "upper": "1/299"},
            "certificate": None,
        },
        "gtd": {
            "mean_dynamics": "marginal",
            "matrix": "G at η = 1",
            "rate": {"lower": "-1/300000000", "upper": "1/300000000"},
            "certificate": None,
        },
        "tdc": {
            "mean_dynamics": "stable_modulo_null_space",
            "matrix": "−AᵀC⁻¹A",
            "rate": {"lower": "-4/7", "upper": "-4/7"},
            "certificate": FIRST,
        },
    },
}


def verdicts() -> dict[str, Any]:
    """A ``tdcert-verdicts/1`` document with every kind of finding's look, free to be changed."""
    return copy.deepcopy(_VERDICTS)


def analysis() -> dict[str, Any]:
    """A ``tdcert-analysis/1`` document, free to be changed; the numbers only look like a walk's."""
    columns = ([Fraction(entry) for entry in _ANALYSIS[key]] for key in ("value", "values_at_fixed_point"))
    figures = values_figure(*map(RationalMatrix.column, columns))
    return copy.deepcopy({**_ANALYSIS, "figures": [figure.document() for figure in figures]})
