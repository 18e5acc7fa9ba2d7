"""Hunts: false statements are found, shrunk and certified; true ones yield nothing; floats never decide."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tdcert.claims.claim import Claim
from tdcert.claims.paper import ENTRIES, claims_with_forms, entry
from tdcert.sweeps import exact
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily, discounts
from tdcert.sweeps.hunt import Hunted, decide_all, hunt
from tdcert.sweeps.question import Result, table_of
from tdcert.sweeps.questions import question_of
from tdcert.sweeps.questions.finds import OwnCounterexample, report, still_of_its_kind
from tdcert.sweeps.shrink import Challenge, shrunk, size
from tdcert.sweeps.spec import Spec, read_spec, spec_of
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.bodies import stationary_certificate
from tdcert.theory.errors import InputError
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Status, Verdict


def small(count: int, **tables: Any) -> Spec:
    return spec_of(
        {"format": "tdcert-sweep/1", "name": "t", "kind": "refute", "seed": 5, "count": count, "shard": 1} | tables
    )


def searched(count: int, **tables: Any) -> Result:
    """The result of a small hunt, in one shard."""
    question = question_of(small(count, **tables))
    return question.finish(table_of(question, 0, count), complete=True)


def searched_until_found(count: int, **tables: Any) -> Result:
    """The same, over no more indices than it takes: what follows a find would be searched for smaller ones."""
    question, rows = question_of(small(count, **tables)), list[pa.Table]()
    for k in range(count):
        rows.append(table_of(question, k, 1))
        if "refuted" in rows[-1].column("status").to_pylist():
            break
    return question.finish(pa.concat_tables(rows), complete=True)


# ---- exact decisions of many models -----------------------------------------------------------------


NEVER_REFUTED = (
    ("stationary_norm", "on_policy"),
    ("off_policy_margin",),
    ("off_policy_margin", "on_policy"),
    ("lambda_outside_unit_interval",),
    ("lambda_outside_unit_interval", "on_policy"),
)
"""Claims, with what is kept, that hold on each of these models on which the form is asked."""


@pytest.mark.parametrize("kept", [(), ("on_policy",)], ids=["off_policy", "on_policy"])
@pytest.mark.parametrize("claim", [name for name, claim in claims_with_forms().items() if not claim.form_is_part])
def test_fast_decisions_are_those_of_the_claims(claim: str, kept: tuple[str, ...]) -> None:
    freedom = Freedom(frozenset(kept))
    schedules = tuple(s for s in freedom.schedules(tiny=True) if s.is_finite)
    answers = []
    for n, d in ((2, 1), (3, 2)):
        batch = ModelFamily("tiny", n, d, freedom, discounts(freedom, True), schedules).batch(Draws("fast", 0, 14))
        for k in range(batch.size):
            answer = exact.refuted(entry(claim).load(), batch, k)
            if answer is not None:
                assert answer == (entry(claim).load().check(batch.model(k)).status is Status.REFUTED)
                answers.append(answer)
    assert set(answers) == ({False} if (claim, *kept) in NEVER_REFUTED else {True, False})


def test_fast_decisions_leave_alone_what_they_do_not_decide() -> None:
    freedom = Freedom(frozenset())
    batch = ModelFamily("tiny", 2, 1, freedom, discounts(freedom, True), freedom.schedules(True)).batch(
        Draws("not", 0, 60)
    )
    for k in range(batch.size):
        model = batch.model(k)
        plain = model.behaviour_chain.is_irreducible and not model.uncovered and model.schedule.is_finite
        assert (exact.refuted(entry("prop_4_1").load(), batch, k) is not None) == plain
    assert exact.refuted(entry("trace_variance").load(), batch, 0) is None


# ---- needed hypotheses ------------------------------------------------------------------------------

OUTGROWN = [(claim, "finite_schedule") for claim in ("thm_4_4", "thm_4_6", "time_scale_ratio_suffices")]
CELLS = [
    (row.id, hypothesis.id)
    for row in ENTRIES
    if not row.is_open
    for hypothesis in row.load().hypotheses
    if (row.id, hypothesis.id) != ("trace_variance", "nonnegative_features")  # features must cancel along every path
    # An endless trace must outgrow the steps on a transition s → s, which hardly any model drawn has.
    and (row.id, hypothesis.id) not in OUTGROWN
]
RARELY = ("prop_4_1", "on_policy")  # one tiny model in thousands; floats find it at once, below
QUICK = [c for c in CELLS if c[0] in ("prop_4_1", "thm_4_6", "monte_carlo_special_case") and c != RARELY]


@pytest.mark.parametrize(("claim", "dropped"), QUICK, ids=[f"{claim}-{name}" for claim, name in QUICK])
def test_a_needed_hypothesis_is_seen_to_be_needed(claim: str, dropped: str) -> None:
    needed(claim, dropped, 16 if dropped in ("return_exists", "aperiodic") else 3, "exact")


@pytest.mark.thorough
@pytest.mark.parametrize(("claim", "dropped"), CELLS, ids=[f"{claim}-{name}" for claim, name in CELLS])
def test_every_needed_hypothesis_is_seen_to_be_needed(claim: str, dropped: str) -> None:
    needed(claim, dropped, 16, "both")


def needed(claim_id: str, dropped: str, batches: int, search: str) -> None:
    """Without it a counterexample is found: it meets the others, the checker accepts what there is to check."""
    wanted = {"claims": [claim_id], "drop": [dropped], "search": search, "decided": 60, "models": 4_000}
    result = searched_until_found(batches, refute=wanted)
    find = result.details["questions"][0].find
    assert find is not None and find.violated == (dropped,) and not result.unexpected
    claim = entry(claim_id).load()
    model = asked(claim, dropped)
    for path in find.certificates:
        assert checker.check_text(result.files[path])
    assert json.loads(result.files[find.path])["transitions"] == find.model["transitions"]
    assert still_of_its_kind(model, True, Model.of_canonical(find.model))


def asked(claim: Claim, dropped: str) -> Challenge:
    return Challenge(claim, frozenset(h.id for h in claim.hypotheses) - {dropped})


def test_floats_find_what_exact_search_finds() -> None:
    result = searched(
        2, refute={"claims": ["prop_4_1", "negative_margin"], "drop": ["on_policy"], "models": 1_000, "descent": 1}
    )
    for question in result.details["questions"]:
        assert question.find.violated == ("on_policy",) and question.least_margin < 0


def test_true_statements_yield_nothing_and_are_not_said_to_hold() -> None:
    result = searched(len(claims_with_forms()), refute={"claims": "screened", "models": 1_000, "descent": 1})
    assert not result.files and not result.unexpected
    assert {question.find for question in result.details["questions"]} == {None}
    assert all(question.met > 300 and question.decided >= 1 for question in result.details["questions"])
    said = " ".join(result.summary)
    assert "17,000 models drawn" in said and "not thereby proved" in said and "holds" not in said


def test_a_claim_refuted_with_all_its_hypotheses_is_shouted() -> None:
    """A claim whose hypotheses do not suffice: Proposition 4.1 asked off-policy as if that were all it needs."""
    claim = replace(entry("prop_4_1").load(), ablations=())
    found = hunt(Challenge(claim, frozenset()), *_uniform((), 3, 1, 500), on_policy=False, descent=0)
    assert found.status == "refuted" and found.model is not None
    row = {
        "cell": [0],
        "screened": [500],
        "met": [500],
        "decided": [1],
        "undecided": [0],
        "margin": [-1.0],
        "status": ["refuted"],
        "model": [json.dumps(found.model.canonical)],
    }
    cell = Hunted(Challenge(claim, frozenset()), (), search="margin")
    result = report([cell], pa.table(row), complete=False, compare=False)
    assert len(result.unexpected) == 1 and "though all its hypotheses hold" in result.unexpected[0]
    assert "not complete" in " ".join(result.summary)


# ---- a rare counterexample --------------------------------------------------------------------------

RARE = ((3, -3), (-3, 3))


def rare(model: Model) -> bool:
    """Features (3, −3) and (−3, 3) in the first two states and γ = 99/100: one in 7⁴ · 4 = 9604 models."""
    rows = model.features.rows
    return model.n >= 2 and rows[:2] == tuple(map(tuple, RARE)) and model.gamma == Fraction(99, 100)


def planted() -> Claim:
    def check(model: Model) -> Verdict:
        chain = model.behaviour_chain
        law = stationary_certificate(chain, chain.recurrent_classes[0])  # what is certified has a certificate
        return Verdict(Status.REFUTED if rare(model) else Status.HOLDS, Grade.CERTIFIED, "planted", certificates=(law,))

    return replace(entry("negative_margin").load(), id="planted", check=check, form_is_part=True)


def _uniform(kept: tuple[str, ...], n: int, d: int, count: int) -> tuple[ModelFamily, Draws]:
    freedom = Freedom(frozenset(kept))
    schedules = tuple(s for s in freedom.schedules(tiny=False) if s.is_finite)
    return ModelFamily("uniform", n, d, freedom, discounts(freedom, False)[:4], schedules), Draws("rare", 0, count)


def test_one_model_in_ten_thousand_is_found_and_shrunk_to_its_smallest_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def margin(batch: Any) -> Any:
        plain = (batch.features[:, :2] == np.array(RARE)).all(axis=(1, 2))
        gammas = np.array([g == Fraction(99, 100) for g in batch.gammas])
        return np.where(plain & gammas[batch.discounts].all(axis=(1, 2)), -1.0, 1.0)

    monkeypatch.setattr("tdcert.sweeps.hunt.margins", lambda form, batch: margin(batch))
    kept = ("on_policy", "lambda_in_unit_interval", "constant_discount")
    question = Challenge(planted(), frozenset(kept))
    found = hunt(question, *_uniform(kept, 3, 2, 40_000), on_policy=None, descent=0)
    assert found.status == "refuted" and found.model is not None and found.model.n == 3 and found.screened == 40_000
    small = shrunk(found.model, partial(still_of_its_kind, question, True) if question.dropped else rare)
    # Two states that nothing is asked of but features and γ: sure steps, rewards zero, TD(0).
    P = gallery.flip_chain().transitions[0]
    best = Model.reward_process(
        P, gallery.flip_chain().rewards[0].scaled(0), Fraction(99, 100), found.model.features.take(rows=[0, 1])
    )
    assert size(small) == size(best)
    assert shrunk(found.model, rare).digest == small.digest


def test_all_are_decided_where_no_margin_is_known() -> None:
    family, draws = _uniform(("on_policy",), 2, 1, 40)
    outcome = decide_all(Challenge(planted(), frozenset({"on_policy"})), family.batch(draws))
    outside = sum(not _in_unit(family.batch(draws).model(k)) for k in range(40))
    assert (outcome.screened, outcome.met, outcome.decided, outcome.status) == (40, outside, outside, "holds")
    assert 0 < outside < 40


def _in_unit(model: Model) -> bool:
    return all(0 <= x <= 1 for x in model.schedule.lambdas)


# ---- what cannot be asked ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"claims": ["prop_9"]}, "no decided claim 'prop_9'"),
        ({"claims": ["thm_3_4"]}, 'no float margin to search by; give search = "exact"'),
        ({"claims": ["prop_4_1"], "drop": ["coverage"]}, "has no hypothesis 'coverage'"),
        ({"claims": ["prop_4_1"], "reading": "stated"}, "is printed as it is decided"),
        ({"claims": ["td_lambda_weights"], "search": "exact", "reading": "stated"}, "as another statement"),
        ({"claims": ["all", "prop_4_1"]}, "stands alone"),
        ({"claim": ["prop_4_1"]}, "unknown key 'claim'"),
        ({"claims": ["prop_4_1"], "models": 0}, "models in refute"),
    ],
)
def test_what_cannot_be_asked_is_said(table: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        searched(1, refute=table)


def test_a_family_without_a_model_is_said() -> None:
    with pytest.raises(InputError, match=r"more features than states; give a width of at most 3"):
        searched(1, refute={"claims": ["prop_4_1"]}, family=[{"kind": "garnet", "states": [2, 3], "width": 5}])


def test_finds_are_compared_when_the_sweep_is_complete() -> None:
    """One state with the feature 0 is the smallest of all models; the box of the claim fixes γ = 1/2."""
    spec = spec_of(
        {
            "format": "tdcert-sweep/1",
            "name": "t",
            "kind": "refute",
            "seed": 5,
            "count": 1,
            "shard": 1,
            "refute": {"claims": ["prop_4_1"], "drop": ["full_column_rank"], "search": "exact", "compare": True},
        }
    )
    question = question_of(spec)
    table = table_of(question, 0, 1)
    whole, part = (question.finish(table, complete).details["questions"][0].own for complete in (True, False))
    assert whole == OwnCounterexample((1, 1, 2, 11), "smaller")
    assert part == OwnCounterexample(None, "compared when the sweep is complete")


def test_the_stated_reading_drops_what_the_correction_adds() -> None:
    """Theorem 4.4 as printed, off-policy: A may be singular, and then there is no limit."""
    result = searched(3, refute={"claims": ["thm_4_4"], "reading": "stated", "search": "exact", "decided": 60})
    question = result.details["questions"][0]
    assert question.kept == ("aperiodic", "finite_schedule", "unique_law") and question.find.size == (1, 1, 1, 6)
    (path,) = question.find.certificates
    assert checker.check_text(result.files[path]).startswith("A is singular")


# ---- what ships -------------------------------------------------------------------------------------

SHIPPED = sorted((Path(__file__).parents[2] / "examples" / "sweeps").glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_sweeps_are_questions(path: Path) -> None:
    spec = read_spec(path)
    assert len(question_of(spec).columns) > 1 and spec.name.replace("-", "_") == path.stem
