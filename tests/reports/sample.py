"""Documents as ``claims`` hands them over, small enough to be read: what the tests build pages from."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tdcert.analysis.advice.advise import nothing
from tdcert.analysis.choose_arithmetic import Choice
from tdcert.analysis.facts import AlgorithmDynamics, ChainFacts, ClaimAnswer, ClassFacts, ModelFacts, Quantity
from tdcert.analysis.request import Arithmetic
from tdcert.analysis.result import AnalysisResult
from tdcert.reports.documents import Checked
from tdcert.reports.stored import verification_of
from tdcert.reports.verification_page import verification_page
from tdcert.sims.phases.diagram import Boundary, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.figures import Figure, Rule, Series
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade, Status, Verdict
from tdcert.verification.verification import Verification

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
    return {"scope": where, "grade": grade, "count": count, "detail": detail, "certificates": list(certificates)}


def reading(status: str, statement: str, *scopes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"status": status, "statement": statement, "witness": None, "scopes": list(scopes), **more}


def printed(status: str, statement: str, *scopes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A reading with its place in the paper."""
    return {"quote": "in the words of the paper", "place": "§1", **reading(status, statement, *scopes, **more)}


def decided(name: str, section: str, place: str, title: str, finding: str, **more: Any) -> dict[str, Any]:
    """A claim; ``more`` has its readings, at least ``stated``."""
    about = {"id": name, "section": section, "place": place, "title": title, "finding": finding}
    rest: dict[str, Any] = {"corrected": None, "hypotheses": [], "models": [], "figures": [], "notes": []}
    return {**about, **rest, "reproduce": f"tdcert verify {name} --seed 1 --profile default", **more}


def open_claim(name: str, section: str, place: str, title: str) -> dict[str, Any]:
    about = {"id": name, "section": section, "place": place, "title": title, "finding": "open"}
    return {**about, "stated": None, "corrected": None, "hypotheses": []}


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
)

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
)

_VERDICTS: dict[str, Any] = {
    "format": "tdcert-verdicts/1",
    "figures": [FIGURE, DIAGRAM],
    "claims": [
        open_claim("td_lambda_weights", SECTION_2, "§1.1", r"Weights of TD($\lambda$)"),
        decided(
            *("weight_matrix_rows", SECTION_2, "§2, Λ", r"Rows of $\Lambda$ are weights", "as_stated"),
            stated=printed(
                "holds",
                r"$\Lambda$ is lower triangular, entries lie in $[0,1]$, every row sums to one: "
                r"$\sum_{j \le i} \Lambda_{ij} = 1$, and $\Lambda_{11} = 1$.",
                scope("all_sizes", "proved", 1, r"telescoping sum $\sum_j (c_{j-1} - c_j) + c_{i-1}$, symbolic"),
                scope("sizes", "proved", 12, "every row of sizes 1 to 12 expanded as a polynomial"),
            ),
        ),
        decided(
            *("n_step_special_case", SECTION_2, "§2, observation (1)", "The n-step return as a schedule", "false"),
            stated=printed(
                "refuted",
                r"$\lambda_j = 1$ for $j \le n$ and $\lambda_j = 0$ after gives $n$-step TD.",
                scope("sizes", "proved", 20, r"the weight $w_{n+1} = c_n = 1$ falls on the $(n+1)$-step return"),
                witness={"n": "1", "weights of the returns": ["0", "1"], "the return it gives": "2-step"},
            ),
            corrected=reading(
                "holds",
                r"$\lambda_j = 1$ for $j < n$, $\lambda_j = 0$ for $j \ge n$ gives $n$-step TD.",
                scope("all_sizes", "proved", 1, "induction on n, base and step checked"),
                added_hypotheses=[],
            ),
            notes=["EqualWeights(n, n) agrees with the correction."],
        ),
        decided(
            *("prop_4_1", SECTION_4, "§4, A4.1", "$A$ is negative definite", "implicit_hypothesis"),
            stated=printed(
                "holds",
                r"$A = \Phi^\top D (M - I) \Phi$ is negative definite: "
                r"$x^\top A x \le -(1-\kappa)\, x^\top C x < 0$ for $x \ne 0$.",
                scope("all_sizes", "proved", 1, r"$(1-\kappa) C \le -\mathrm{sym} A \le (1+\kappa) C$"),
                scope(
                    *("instances", "certified", 8, "generated chains, 2 to 12 states"),
                    *(f"certificates/prop_4_1/{k:03d}-definite.json" for k in range(2, 10)),
                ),
                scope("simulation", "consistent", 4, "replicated runs against the exact mean, false alarm 1e-8"),
            ),
            hypotheses=[
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
                    **{"id": "rewards", "statement": "Rewards are bounded"},
                    **{"needed": None, "counterexample": None, "scopes": []},
                },
            ],
            models=[
                {"name": "two states, one absorbing", "states": 2, "features": 1, "actions": 1, "digest": DIGEST},
                {"name": "Garnet(12, 3, 2), seed 7", "states": 12, "features": 4, "actions": 3, "digest": "ab" * 32},
            ],
            figures=["convergence_td", "phases"],
        ),
        decided(
            *("thm_4_4_g_negative_definite", SECTION_4, "A4.2", "$G$ is negative definite", "false"),
            stated=printed(
                "refuted",
                r"$G = \begin{bmatrix} -\sqrt{\eta}\, C & A \\ -A^\top & 0 \end{bmatrix}$ is negative definite.",
                scope("all_sizes", "proved", 1, r"$x^\top G x = 0$ at every $x = (0, \theta)$"),
                witness={"$x$": ["0", "1"], r"$x^\top G x$": "0"},
            ),
            corrected=reading(
                "holds",
                "$G$ is Hurwitz when $A$ is nonsingular and $C > 0$.",
                scope(
                    *("instances", "certified", 3, "Lyapunov matrices"),
                    "certificates/thm_4_4_g_negative_definite/001-hurwitz.json",
                ),
                added_hypotheses=["$A$ is nonsingular", "$C > 0$, with $D$ from $\\mu$"],
            ),
        ),
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


def class_facts() -> ClassFacts:
    """The one recurrent class of :func:`analysis`."""

    def column(*entries: str) -> RationalMatrix:
        return RationalMatrix.column([Fraction(entry) for entry in entries])

    def rate(kind: str, matrix: str, low: str, high: str, path: str | None = None) -> AlgorithmDynamics:
        return AlgorithmDynamics(MeanDynamics(kind), (Fraction(low), Fraction(high)), matrix, certificate=path)

    return ClassFacts(
        (0, 1, 2, 3, 4, 5, 6),
        {
            "td": rate("stable", "A", "-2/11", "-1/6"),
            "off_policy_td": rate("unstable", "A", "1/300", "1/299"),
            "gtd": rate("marginal", "G at η = 1", "-1/300000000", "1/300000000"),
            "tdc": rate("stable_modulo_null_space", "−AᵀC⁻¹A", "-4/7", "-4/7", FIRST),
        },
        column("1/20", "1/10", "1/5", "3/10", "1/5", "1/10", "1/20"),
        RationalMatrix([[Fraction(-7, 20), Fraction(1, 10)], [Fraction(1, 10), Fraction(-31, 120)]]),
        column("1/24", "1/12"),
        RationalMatrix([[Fraction(1, 2), Fraction(1, 5)], [Fraction(1, 5), Fraction(1, 3)]]),
        column("123456789123456789/987654321987654321", "5/11"),
        column("0", "1/7", "2/7", "123456789123456789/246913578246913577", "5/7", "6/7", "0"),
        Quantity.exact(Fraction(1, 1024)),
        Quantity.exact(Fraction(123456789123456789, 98765432198765432100)),
    )


CLAIM_ANSWERS = (
    ClaimAnswer("prop_4_1", Verdict(Status.HOLDS, Grade.CERTIFIED), (FIRST,)),
    ClaimAnswer("m_contraction", Verdict(Status.HYPOTHESIS_VIOLATED, violated=("constant_discount",))),
    ClaimAnswer("thm_4_6", Verdict(Status.UNDECIDED, detail="the budget was exhausted")),
)


def analysis(**changes: Any) -> AnalysisResult:
    """An analysis of the walk of five states (γ = 1, episodes restart in the middle), whose numbers only look like the
    walk's; ``changes`` to its facts.
    """
    P = RationalMatrix([[Fraction(j in near, len(near)) for j in range(7)] for near in WALK])
    features = RationalMatrix([[Fraction(s), Fraction(1)] for s in range(7)])
    halves = Schedule((Fraction(1, 2), Fraction(1, 2)))
    model = Model.reward_process(P, RationalMatrix.column([0] * 7), Fraction(1), features, halves)
    facts = ModelFacts(
        replace(model, name="random walk of 5 states"),
        Arithmetic.EXACT,
        ChainFacts(True, (tuple(range(7)),), (2,), (), 1),
        (class_facts(),),
        value=RationalMatrix.column([Fraction(k, 6) if k < 6 else Fraction(0) for k in range(7)]),
        claims=CLAIM_ANSWERS,
        state_names=("left end", "1", "2", "3", "4", "5", "right end"),
        notes=("0.3333333333333333 was read as 1/3",),
    )
    return AnalysisResult(
        "random_walk.json",
        ("the target policy: the behaviour policy",),
        Choice(Arithmetic.EXACT, "it is small"),
        replace(facts, **changes),
        nothing("nobody asked"),
        "tdcert analyze random_walk.json",
    )


WALK = ((3,), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (3,))
"""Where each state leads."""


def run(document: dict[str, Any] | None = None, **changes: Any) -> Verification:
    """What a document of :func:`verdicts` tells of, with its pictures; ``changes`` to it."""
    given = verdicts() if document is None else document
    return replace(verification_of(given), **{"figures": tuple(given["figures"]), **changes})


def page(document: dict[str, Any] | None = None, checked: Checked | None = None) -> str:
    """The page about it."""
    return verification_page(run(document), checked)


def verdicts() -> dict[str, Any]:
    """A ``tdcert-verdicts/1`` document with every kind of finding's look, its pictures as they are drawn; free to be
    changed.
    """
    return copy.deepcopy(_VERDICTS)


def claim(document: dict[str, Any], claim_id: str) -> dict[str, Any]:
    """The claim of a document, to be changed."""
    found: dict[str, Any] = next(c for c in document["claims"] if c["id"] == claim_id)
    return found
