"""From checks to verdicts, on claims made up for the purpose: nothing that failed may end as a claim that holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tdcert.claims import paper, search
from tdcert.claims.box import Box
from tdcert.claims.claim import Ablation, Claim, Fact, Finding, ProofError, Reading, Refutation, Simulated, decide
from tdcert.claims.paper import Entry
from tdcert.reports.stored import _claim
from tdcert.reports.verdicts_json import claim_document, standing_document
from tdcert.sims.judge.agreement import ErrorBudget, judge_mean
from tdcert.sims.judge.replication import Share
from tdcert.theory.check import hypotheses as h
from tdcert.theory.check.hypotheses import Hypothesis, Reply
from tdcert.theory.document_types import plain
from tdcert.theory.figures import Figure, Series
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict
from tdcert.verification import verify as verification
from tdcert.verification.tallies import Counted, standing
from tdcert.verification.verification import ClaimVerdict, ReadingVerdict, Replayable

F = Fraction
HALF = F(1, 2)


def asked(name: str, condition: Callable[[Model], bool]) -> Hypothesis:
    return Hypothesis(name, name, "made up", lambda model: Reply(condition(model), f"about {name}"))


SHOWN = (Certificate("full_column_rank", {}, {"rank": {"prime": 2305843009213693951, "rows": [0]}}),)
HOLDS = Verdict(Status.HOLDS, Grade.CERTIFIED, certificates=SHOWN)
REFUTED = Verdict(Status.REFUTED, Grade.CERTIFIED, "it fails", witness={"x": "1"}, certificates=SHOWN)
WITHOUT_A_FILE = (replace(HOLDS, certificates=()), replace(REFUTED, certificates=()))
UNDECIDED = Verdict(Status.UNDECIDED, detail="out of budget")
PROOF = (ScopedEvidence(Scope.SIZES, Grade.PROVED, 1, "by hand"),)
ONE, FLIP, COIN = gallery.one_state(HALF), gallery.flip_chain(), gallery.fair_coin_chain()
SMALL = asked("small", lambda model: model.n == 1)
STILL = asked("still", lambda model: model.n == 1 or model.behaviour_chain.P[0, 0] == 0)


def made_up(check: Callable[[Model], Verdict] = lambda model: HOLDS, **parts: Any) -> Claim:
    """A claim that needs ``hypotheses`` beside those of its ablations."""
    needed = tuple(Ablation(x, counterexample=lambda: FLIP) for x in parts.pop("hypotheses", ()))
    parts["ablations"] = (*parts.get("ablations", ()), *needed)
    given = {"prove": lambda: PROOF, "anchors": ("none",), **parts}
    return Claim("made_up", Reading("as printed"), check=check, **given)


@dataclass(frozen=True)
class Row(Entry):
    """A row of the table whose claim is at hand."""

    claim: Claim | None = None

    def load(self) -> Claim:
        assert self.claim is not None
        return self.claim


def verified(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    claim: Claim,
    models: Sequence[Model] = (ONE,),
    predicted: Any = None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The row of ``verdicts.json`` for a made-up claim, and the differences from its prediction."""
    predictions = tmp_path / "made_up_paper" / "predictions.json"
    predictions.parent.mkdir(exist_ok=True)
    predictions.write_text(json.dumps({"made_up": predicted or {}}), encoding="utf-8")
    row = Row("made_up", "section", "place", "title", "made_up", "made_up_paper", claim=claim)
    for name, value in (
        ("PREDICTIONS", tmp_path),
        ("instances", lambda profile, seed: list(models)),
    ):
        monkeypatch.setattr(verification, name, value)
    monkeypatch.setattr(paper, "ENTRIES", (row,))
    run = verification.verify(["made_up"], "quick", 1, lambda done, total, label: None)
    (found,) = run.claims
    written = plain(claim_document(found))
    assert Counted.of(_claim(json.loads(json.dumps(written)))) == Counted.of(found)
    return written, run.summary.differences


def failing(reason: str) -> Callable[[], Any]:
    def prove() -> Any:
        raise ProofError(reason)

    return prove


def disagreeing(seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    agreement = judge_mean([[5.0]] * 400, [0.0], [1.0], alpha=1e-9, name="five for zero")
    assert not agreement.agrees
    return [Simulated(agreement, "five for zero", "400 runs")]


def observing(stated: Verdict | None, agrees: bool = True) -> Callable[[int, ErrorBudget], Sequence[Simulated]]:
    """A simulation that was shown by its runs or was not, and what it says of the printed reading."""
    share = Share("made up", "shown", 40 if agrees else 20, 40, 1e-9)
    assert share.agrees is agrees
    return lambda seed, budget: [Simulated(share, "runs", share.summary(), stated=stated)]


SEEN = Verdict(Status.REFUTED, Grade.CONSISTENT, "a rival was lower", {"rival": "Monte Carlo"})


@pytest.mark.parametrize(
    ("parts", "stated", "corrected", "finding"),
    [
        ({"simulate": observing(None)}, "holds", None, "empirical"),
        ({"simulate": observing(None, agrees=False)}, "undecided", None, "open"),
        ({"simulate": observing(SEEN), "corrected": Reading("mended")}, "refuted", "holds", "empirical"),
        ({"simulate": observing(UNDECIDED), "corrected": Reading("mended")}, "undecided", "holds", "empirical"),
        ({"simulate": observing(None), "corrected": Reading("mended")}, "undecided", "holds", "empirical"),
        ({"simulate": observing(UNDECIDED, False), "corrected": Reading("x")}, "undecided", "undecided", "open"),
        ({"simulate": observing(SEEN, False), "corrected": Reading("x")}, "refuted", "undecided", "empirical"),
        (
            {
                "simulate": observing(None),
                "corrected": Reading("mended"),
                "judge_stated": lambda: Refutation(REFUTED, ONE),
            },
            "refuted",
            "holds",
            "empirical",
        ),
    ],
)
def test_sentences_about_experiments(
    parts: Any,
    stated: str,
    corrected: str | None,
    finding: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    row, _ = verified(monkeypatch, tmp_path, made_up(empirical=True, **parts))
    found = row["corrected"] and row["corrected"]["status"]
    assert (row["stated"]["status"], found, row["finding"]) == (stated, corrected, finding)
    reading = row["corrected"] or row["stated"]
    (compared,) = [scope for scope in reading["scopes"] if scope["scope"] == "simulation"]
    assert compared["grade"] == "consistent" and compared["detail"].startswith("false alarm at most")
    assert compared["parts"] == [simulation["summary"] for simulation in row["simulations"]] != []
    (exact,) = [scope for scope in reading["scopes"] if scope["scope"] == "instances"]
    assert exact["detail"].startswith("what is exact in it holds")
    if stated == "refuted" and "judge_stated" not in parts:
        (scope,) = row["stated"]["scopes"]
        assert (scope["scope"], scope["grade"]) == ("simulation", "consistent")
        assert row["stated"]["witness"] == {"rival": "Monte Carlo"}


@pytest.mark.parametrize(
    ("verdicts", "status", "count"),
    [((HOLDS, HOLDS), "holds", 2), ((HOLDS, UNDECIDED), "undecided", 1), ((REFUTED, HOLDS), "refuted", 1)],
)
def test_facts_about_the_models_of_an_experiment(
    verdicts: Sequence[Verdict], status: str, count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """All must hold; those that do are counted, and only they."""
    facts = [Fact(f"sentence {k}", ONE, verdict) for k, verdict in enumerate(verdicts)]
    row, _ = verified(monkeypatch, tmp_path, made_up(facts=lambda: facts))
    assert row["stated"]["status"] == status
    (shown,) = [scope for scope in row["stated"]["scopes"] if scope["scope"] == "instances" and "parts" in scope]
    assert (shown["scope"], shown["grade"], shown["count"]) == ("instances", "certified", count)
    held = [f"sentence {k}" for k, verdict in enumerate(verdicts) if verdict.status is Status.HOLDS]
    assert shown["parts"] == held
    if status == "refuted":
        assert row["stated"]["witness"]["sentence"] == "sentence 0" and row["stated"]["witness"]["x"] == "1"


def test_pictures_are_made_with_the_profile_and_decide_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[int, str]] = []

    def pictures(seed: int, profile: str) -> Sequence[Figure]:
        asked.append((seed, profile))
        return [Figure("made_up_picture", "made_up", "t", "x", "y", (Series("s", (0.0,), (1.0,)),), "c")]

    row, _ = verified(monkeypatch, tmp_path, made_up(pictures=pictures))
    assert asked == [(1, "quick")] and row["figures"] == ["made_up_picture"] and row["stated"]["status"] == "holds"


def test_a_simulation_is_never_more_than_consistent() -> None:
    share = Share("made up", "shown", 40, 40, 1e-9)
    with pytest.raises(ValueError, match="'consistent' at best"):
        Simulated(share, "runs", "40 runs", stated=REFUTED)
    with pytest.raises(ValueError, match="decided by a simulation"):
        made_up(empirical=True)
    with pytest.raises(ValueError, match="come together"):
        made_up(corrected=Reading("mended"))


def test_decide_names_exactly_the_hypotheses_that_are_violated() -> None:
    claim = made_up(lambda model: REFUTED, hypotheses=(SMALL, STILL))
    assert decide(claim, ONE).verdict is REFUTED
    assert decide(claim, FLIP).verdict.violated == ("small",)
    assert decide(claim, COIN).verdict.violated == ("small", "still")


@pytest.mark.parametrize(
    ("claim", "status", "why"),
    [
        (made_up(), "holds", ""),
        (made_up(lambda model: REFUTED), "refuted", ""),
        (made_up(lambda model: REFUTED if model.n == 2 else HOLDS), "refuted", ""),
        (made_up(lambda model: UNDECIDED), "undecided", "out of budget"),
        (made_up(lambda model: UNDECIDED if model.n == 2 else HOLDS), "undecided", "out of budget"),
        (made_up(prove=failing("a gap")), "undecided", "a gap"),
        (made_up(prove=tuple, hypotheses=(asked("never", lambda model: False),)), "undecided", "no evidence"),
        (made_up(simulate=disagreeing), "undecided", "five for zero"),
    ],
    ids=[
        *("holds", "refuted", "refuted once", "undecided", "undecided once", "proof fails", "no evidence"),
        "simulation disagrees",
    ],
)
def test_a_status_is_the_worst_that_was_found(
    claim: Claim, status: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row, _ = verified(monkeypatch, tmp_path, claim, (ONE, FLIP))
    assert row["stated"]["status"] == status and why in row["stated"]["why"]
    assert row["finding"] == {"holds": "as_stated", "refuted": "false", "undecided": "open"}[status]


def test_only_models_on_which_it_holds_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    claim = made_up(lambda model: REFUTED if model is FLIP else HOLDS, hypotheses=(STILL,))
    row, _ = verified(monkeypatch, tmp_path, claim, (ONE, FLIP, COIN))
    assert [model["name"] for model in row["models"]] == [ONE.name]
    assert row["skipped"] == {"still": 1}
    against, instances = [scope for scope in row["stated"]["scopes"] if scope["scope"] == "instances"]
    assert "fails on 1 of the 2 models" in against["detail"]
    assert instances["count"] == 1 and instances["detail"].endswith("models that satisfy its hypotheses, 1 in number")
    assert "the other models" in instances["detail"]


def test_models_left_out_by_a_condition_of_the_check_are_not_said_to_violate_a_hypothesis(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    large = Verdict(Status.HYPOTHESIS_VIOLATED, detail="too large", violated=("one state",))
    claim = made_up(lambda model: HOLDS if model is ONE else large)
    row, _ = verified(monkeypatch, tmp_path, claim, (ONE, FLIP))
    assert row["skipped"] == {"one state": 1}
    (instances,) = [scope for scope in row["stated"]["scopes"] if scope["scope"] == "instances"]
    assert "models that satisfy its hypotheses and the conditions of its check, 1 in number" in instances["detail"]


@pytest.mark.parametrize(
    ("stated", "corrected", "finding"),
    [
        (REFUTED, HOLDS, "misprint"),
        (HOLDS, HOLDS, "as_stated"),
        (REFUTED, REFUTED, "false"),
        (REFUTED, UNDECIDED, "false"),
        (UNDECIDED, UNDECIDED, "open"),
        (UNDECIDED, HOLDS, "open"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.status,
)
def test_findings_of_two_readings(
    stated: Verdict, corrected: Verdict, finding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claim = made_up(
        lambda model: corrected,
        corrected=Reading("mended"),
        correction=Finding.MISPRINT,
        judge_stated=lambda: Refutation(stated, ONE),
    )
    row, _ = verified(monkeypatch, tmp_path, claim)
    assert (row["stated"]["status"], row["corrected"]["status"], row["finding"]) == (
        stated.status,
        corrected.status,
        finding,
    )


def test_a_model_that_is_undecided_leaves_the_claim_undecided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    claim = made_up(lambda model: HOLDS if model.n == 1 else UNDECIDED)
    row, _ = verified(monkeypatch, tmp_path, claim, models=(ONE, FLIP))
    assert row["stated"]["status"] == "undecided" and "out of budget" in row["stated"]["why"]


@pytest.mark.parametrize(
    ("check", "ablation", "needed"),
    [
        (lambda model: REFUTED, {"counterexample": lambda: FLIP}, True),
        (lambda model: HOLDS, {"counterexample": lambda: FLIP}, None),
        (lambda model: REFUTED, {"counterexample": lambda: COIN}, None),  # violates another hypothesis too
        (lambda model: REFUTED, {"counterexample": lambda: ONE}, None),  # does not violate it
        (lambda model: HOLDS, {"box": Box(states=1)}, None),
        (lambda model: HOLDS, {"supports": lambda: (FLIP,)}, False),
        (lambda model: REFUTED, {"supports": lambda: (FLIP,)}, None),
        (lambda model: UNDECIDED, {"supports": lambda: (FLIP,)}, None),
        (lambda model: HOLDS, {"supports": lambda: (FLIP, COIN)}, None),
        (lambda model: HOLDS, {"supports": lambda: (ONE,)}, None),
        (lambda model: WITHOUT_A_FILE[1], {"counterexample": lambda: FLIP}, None),
        (lambda model: WITHOUT_A_FILE[0], {"supports": lambda: (FLIP,)}, None),
    ],
)
def test_whether_a_hypothesis_is_needed(
    check: Callable[[Model], Verdict],
    ablation: Any,
    needed: bool | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    heads = asked("heads", lambda model: model is not COIN)
    yes = asked("yes", lambda model: True)
    row, _ = verified(
        monkeypatch,
        tmp_path,
        made_up(check, hypotheses=(heads, yes), ablations=(Ablation(SMALL, **ablation),)),
        (),
    )
    found = {entry["id"]: entry for entry in row["hypotheses"]}["small"]
    assert found["needed"] is needed
    assert (found["counterexample"] is not None) is (needed is True)


def test_without_a_certificate_nothing_is_certified(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither on a model, nor in a fact, nor where a row of the document is made."""
    held = made_up(lambda model: WITHOUT_A_FILE[0])
    assert decide(held, ONE).verdict.status is Status.UNDECIDED
    row, _ = verified(monkeypatch, tmp_path, held)
    assert row["stated"]["status"] == "undecided" and "no certificate" in row["stated"]["why"]
    assert "certified" not in {scope["grade"] for scope in row["stated"]["scopes"]}
    row, _ = verified(monkeypatch, tmp_path, made_up(facts=lambda: [Fact("so it is", ONE, WITHOUT_A_FILE[0])]))
    assert row["stated"]["status"] == "undecided" and "so it is" in row["stated"]["why"]
    assert all(scope.get("parts") is None for scope in row["stated"]["scopes"])
    certified = ScopedEvidence(Scope.INSTANCES, Grade.CERTIFIED, 1, "it is so")
    with pytest.raises(ValueError, match="without a certificate"):
        Replayable(certified)
    assert Replayable(certified, ("certificates/x.json",) * 2).certificates == ("certificates/x.json",)


def test_a_counterexample_says_what_does_not_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for undefined in ("", "A⁻¹"):
        verdict = replace(REFUTED, undefined=undefined)
        claim = made_up(
            partial(lambda found, model: found, verdict),
            ablations=(Ablation(SMALL, counterexample=lambda: FLIP),),
        )
        (found,) = verified(monkeypatch, tmp_path, claim, ())[0]["hypotheses"]
        assert found["counterexample"]["undefined"] == (undefined or None)
    with pytest.raises(ValueError, match="undefined"):
        replace(HOLDS, undefined="A⁻¹")


def row_of(finding: str, status: str, *scopes: str, decides: str = "") -> Counted:
    """A claim that is proved for these scopes, where its printed reading has this status."""
    proved = tuple(Replayable(ScopedEvidence(Scope(scope), Grade.PROVED, 1, "")) for scope in scopes)
    holding = ReadingVerdict(Reading("a sentence"), Status.HOLDS, "", {}, proved, decides)
    stated = None if status == "open" else replace(holding, status=Status(status), scopes=())
    mended = status not in ("holds", "open")
    stated = holding if status == "holds" else stated
    entry = Entry("made_up", "section", "place", "title")
    return Counted.of(ClaimVerdict(entry, Finding(finding), stated, holding if mended else None))


def test_statements_are_counted_once_each_and_experiments_apart() -> None:
    rows = [
        row_of("as_stated", "holds", "all_sizes", "sizes"),
        row_of("as_stated", "holds", "sizes"),
        row_of("false", "refuted", "sizes"),
        row_of("implicit_hypothesis", "refuted", "all_sizes", decides="mean dynamics"),
        row_of("misprint", "refuted"),
        row_of("open", "undecided", "sizes", decides="mean dynamics"),
        row_of("open", "open"),
        row_of("empirical", "refuted", "all_sizes"),
        row_of("empirical", "holds", "sizes"),
    ]
    assert plain(standing_document(standing(rows))) == {
        "statements": 9,
        "as_stated": 2,
        "false": 1,
        "implicit_hypothesis": 1,
        "misprint": 1,
        "not_decidable": 0,
        "undecided": 1,
        "open": 1,
        "experiments": {"holds": 1, "refuted": 1},
        "proved": {"all_sizes": 1, "some_sizes": 2, "in_part": 2},
    }


@pytest.mark.thorough
def test_every_difference_from_the_prediction_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right = {"finding": "as_stated", "stated": "holds", "corrected": None}
    assert verified(monkeypatch, tmp_path, made_up(), predicted=right)[1] == ()
    for what in ("finding", "stated", "corrected"):
        (sentence,) = verified(monkeypatch, tmp_path, made_up(), predicted={**right, what: "refuted"})[1]
        assert f"{what} was predicted 'refuted'" in sentence


def test_the_search_finds_the_smallest_that_violates_one_hypothesis_alone() -> None:
    """One state with φ = 1 and two λ's: refuted where λ_1 > 1. Largest number first: 2 beats 3, whatever the order."""
    schedules = tuple(Schedule((F(x),)) for x in (HALF, 3, 2, 4))
    box = Box(states=1, entries=(1,), schedules=schedules)
    claim = made_up(lambda model: REFUTED if model.schedule.lambdas[0] > 1 else HOLDS, hypotheses=(h.LAMBDAS, STILL))
    found = search.smallest_counterexample(claim, h.LAMBDAS, box)
    assert found.model is not None and found.model.schedule == schedules[2] and found.verdict is REFUTED
    assert found.enumerated == 4
    undecided = made_up(lambda model: UNDECIDED, hypotheses=(h.LAMBDAS,))
    assert search.smallest_counterexample(undecided, h.LAMBDAS, box).model is None
    always = made_up(lambda model: REFUTED, hypotheses=(h.LAMBDAS, h.FINITE_SCHEDULE))
    violating = search.smallest_counterexample(always, h.LAMBDAS, box).model
    assert violating is not None and violating.schedule == schedules[2]  # ½ is smaller, and violates nothing
    other = asked("odd", lambda model: model.schedule.lambdas[0] == 3)
    alone = search.smallest_counterexample(
        made_up(lambda model: REFUTED, hypotheses=(h.LAMBDAS, other, SMALL)), h.LAMBDAS, box
    )
    assert alone.model is not None and alone.model.schedule == schedules[1]
