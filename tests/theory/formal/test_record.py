"""The record of the proofs: it speaks of the sources in the tree, covers what it promises, and falls with one byte."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tdcert.theory.errors import InputError
from tdcert.theory.formal.audit import CLASSICAL
from tdcert.theory.formal.record import (
    NOT_REPLAYED,
    RECORD,
    REPLAYED,
    STAMP,
    mismatch,
    read_record,
    replay_state,
    stamp_of,
    valid_record,
)
from tdcert.theory.formal.sources import (
    ABLATION,
    ACCEPTED,
    AS_STATED,
    CORRECTED,
    FORMAL,
    INSTANCE,
    PART,
    PROJECT,
    STATED_REFUTED,
    not_formalised,
    proved_kinds,
    read_sources,
    theorems,
)

PIN = "coq-tdcert-proofs.opam"
DECIDING = {AS_STATED, CORRECTED, STATED_REFUTED}
PROMISED = {
    *("almost_sure_rate", "any_square_summable_steps", "lemma_a4_1", "schedules_without_end", "thm_4_2", "thm_4_3"),
    *("time_scale_ratio_suffices", "thm_4_4", "weight_matrix_rows", "weight_matrix_recursion"),
    *("schedule_weight_bijection", "return_coefficients", "delta_expansion", "n_step_special_case", "trace_window"),
    *("equal_weights_schedule", "equal_weights_recursion", "telescoping", "stationary_norm", "m_contraction"),
    *("sharp_modulus", "prop_4_1", "negative_margin", "error_bound", "off_policy_margin", "representable_value"),
    *("lemma_3_1", "mspbe_gradient", "thm_4_4_g_negative_definite", "thm_4_4_block_inverse", "thm_4_6"),
    *("episodic_discount", "return_recursion", "path_growth"),
}
REFUTED_AS_PRINTED = {
    *("n_step_special_case", "trace_window", "lemma_3_1", "thm_4_4_g_negative_definite", "thm_4_4_block_inverse"),
    *("thm_4_2", "thm_4_4", "thm_4_6"),
}
INSTANCE_ELSEWHERE = {"any_square_summable_steps", "thm_4_2"}
"""Their hypotheses are among those of ``thm_4_3_instance`` and ``thm_4_3_regular_steps_flip``."""
IN_PARTS = {
    *("thm_4_3", "thm_4_4", "thm_4_6", "deterministic_steps", "episodic_discount", "off_policy_margin"),
    *("two_timescale_ratio", "path_growth"),
}
"""Claims with theorems in files about several claims."""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The folder of the proofs, to be damaged."""
    for path in [*FORMAL.rglob("*.v"), FORMAL / PROJECT, FORMAL / RECORD]:
        copy = tmp_path / path.relative_to(FORMAL)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
    return tmp_path


def test_the_record_speaks_of_the_sources_in_the_tree() -> None:
    record = read_record()
    assert mismatch(record) == "", "run 'make prove' and commit theory/formal/proofs.json"
    kept = [(t.claim, t.name, t.reading, t.file) for t in record.theorems]
    assert kept == [(t.claim, t.path, t.reading, t.file) for t in theorems(read_sources())]


def test_every_promised_claim_is_proved_and_no_other() -> None:
    record = read_record()
    assert {t.claim for t in record.theorems if t.reading in DECIDING} == PROMISED
    assert {t.claim for t in record.theorems if t.reading == STATED_REFUTED} == REFUTED_AS_PRINTED
    assert {t.claim for t in record.theorems if t.reading == PART} <= IN_PARTS


@pytest.mark.parametrize("claim", sorted(PROMISED - INSTANCE_ELSEWHERE))
def test_each_claim_has_an_instance_against_vacuity(claim: str) -> None:
    readings = {t.reading for t in read_record().of(claim)}
    assert INSTANCE in readings and readings & {AS_STATED, CORRECTED}


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("td", "thm_4_3.td"),
        ("without_end", "thm_4_3.td"),
        ("transitions", "OffPolicy.off_policy_td"),
        ("fading", "OffPolicy.off_policy_td"),
        ("off_policy", "OffPolicy.off_policy_td"),
    ],
)
def test_the_rate_of_td_names_the_algorithm_and_is_given_no_poisson_equation(name: str, algorithm: str) -> None:
    """E[… | h] occurs in the Poisson equations alone, which the bounds with numbers are given."""
    words = {theorem.name: theorem.words for theorem in read_record().of("almost_sure_rate")}
    by_name = words[f"TD.almost_sure_rate.almost_sure_rate_{name}"]
    assert {f"TD.{algorithm}", "TD.Rates.rate", "TD.ProbabilityOne.has_law"} <= set(by_name)
    assert "TD.Mixing.cond" not in by_name
    numbers = words["TD.almost_sure_rate.almost_sure_rate_mean_square"]
    assert "TD.Mixing.cond" in numbers and f"TD.{algorithm}" not in numbers


def test_the_bound_of_paths_speaks_of_all_paths_and_of_the_forms_that_certificates_hold() -> None:
    words = {theorem.name: set(theorem.words) for theorem in read_record().of("path_growth")}
    bound = words["TD.path_growth.path_bound"]
    assert {f"TD.path_growth.{word}" for word in ("moves", "difference", "mean_form", "bounded")} <= bound
    assert {"TD.Paths.prob", "TD.Paths.visits", "TD.Forms.possemidef", "TD.Markov.distribution"} <= bound
    assert "TD.ProbabilityOne.has_law" in words["TD.path_growth.path_bound_every_space"]
    assert "TD.infinite_paths.path_space" in words["TD.infinite_paths.path_growth_infinite_paths_bound"]
    assert "TD.ProbabilityOne.almost_surely" in words["TD.path_growth.path_growth"]


def test_what_is_proved_of_paths_is_proved_on_every_probability_space() -> None:
    """Of a bound of paths of any finite length another theorem says so."""
    proved = {t.name: set(t.words) for t in read_record().theorems if t.reading in (AS_STATED, CORRECTED)}
    every = {name for name, words in proved.items() if "TD.ProbabilityOne.has_law" in words}
    finite = {name for name, words in proved.items() if "TD.Paths.prob" in words} - every
    assert finite == {"TD.almost_sure_rate.almost_sure_rate_any_time", "TD.path_growth.path_bound"}
    assert {f"{name}_every_space" for name in finite} <= every
    assert "TD.any_square_summable_steps.any_square_summable_steps" in every


@pytest.mark.parametrize("file", ["Schedule.v", "prop_4_1.v", "verified/Checker.v", PROJECT])
def test_one_changed_byte_takes_the_record_out_of_force(copied: Path, file: str) -> None:
    assert valid_record(copied)[0] is not None
    (copied / file).write_text((copied / file).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    record, why = valid_record(copied)
    assert record is None and file in why


def test_a_file_more_or_less_takes_it_out_of_force(copied: Path) -> None:
    (copied / "More.v").write_text("", encoding="utf-8")
    assert "More.v" in valid_record(copied)[1]  # not in _CoqProject
    with (copied / PROJECT).open("a", encoding="utf-8") as project:
        project.write("More.v\n")
    assert "More.v" in valid_record(copied)[1]  # not in the record


def test_opam_is_asked_for_the_versions_of_the_record() -> None:
    pinned = dict(re.findall(r'"coq-?([a-z-]*)" \{= "([^"]+)"\}', (FORMAL / PIN).read_text(encoding="utf-8")))
    recorded = read_record().assistant
    assert pinned[""] == recorded["coq"]
    assert pinned["mathcomp-ssreflect"] == pinned["mathcomp-algebra"] == recorded["mathcomp"]
    others = {name for name in recorded if name.startswith("mathcomp-")}
    assert {name: pinned[name] for name in others} == {name: recorded[name] for name in others}
    page = (Path(__file__).parents[3] / "docs" / "formal.md").read_text(encoding="utf-8")
    short = {name: re.match(r"\d+\.\d+", version)[0] for name, version in recorded.items()}  # type: ignore[index]
    asked = f"Coq {short['coq']} with MathComp {short['mathcomp']} and mathcomp-analysis {short['mathcomp-analysis']}"
    assert asked in page and PIN in page


def test_one_file_alone_leans_on_axioms() -> None:
    record = read_record()
    assert list(record.classical) == ["infinite_paths.v"]
    assert all(words == tuple(sorted(CLASSICAL[file])) for file, words in record.classical.items())


def test_a_record_edited_by_hand_is_refused(copied: Path) -> None:
    document = json.loads((copied / RECORD).read_text(encoding="utf-8"))
    document["sources"]["prop_4_1.v"] = "0" * 64
    (copied / RECORD).write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="has been changed"):
        read_record(copied)
    (copied / RECORD).write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="not a record of proofs"):
        read_record(copied)
    (copied / RECORD).unlink()
    with pytest.raises(InputError, match="make prove"):
        read_record(copied)


@pytest.mark.thorough
def test_replayed_is_said_only_with_a_stamp_of_this_record(copied: Path) -> None:
    record = read_record(copied)
    assert replay_state(record, copied) == NOT_REPLAYED
    (copied / STAMP).write_text(json.dumps({"record": "0" * 64}), encoding="utf-8")
    assert replay_state(record, copied) == NOT_REPLAYED
    (copied / STAMP).write_text(json.dumps(stamp_of(record)), encoding="utf-8")
    assert replay_state(record, copied) == REPLAYED


def test_names_say_which_reading_a_theorem_is_about() -> None:
    statements = "Theorem {0}. Proof. done. Qed.\n"
    some = "(* some *)\n" + "".join(
        statements.format(name) for name in ("some_stated_refuted", "some", "some_corrected_twice", "some_instance")
    )
    plain = "(* Not formalised: the noise,\n   and more. *)\nTheorem plain : True. (* Theorem hidden : True. *)\n"
    plain += "Corollary plain_ablation_order : True.\nLemma not_listed : True."
    parts = "(* Claims: thm_1, thm_2 (in part) *)\nTheorem thm_2_mean : True.\nTheorem both : True."
    kinds = "(* Kinds: period, rank_deficient\n   Place: a page *)\nTheorem period_accepted : True."
    files = {"in/Shared.v": "Theorem shared : True.", "some.v": some, "plain.v": plain, "in/x.v": parts, "y.v": kinds}
    found = theorems({PROJECT: "", **files})
    assert [(t.claim, t.path, t.reading) for t in found] == [
        ("some", "TD.some.some_stated_refuted", STATED_REFUTED),
        ("some", "TD.some.some", CORRECTED),
        ("some", "TD.some.some_corrected_twice", CORRECTED),
        ("some", "TD.some.some_instance", INSTANCE),
        ("plain", "TD.plain.plain", AS_STATED),
        ("plain", "TD.plain.plain_ablation_order", ABLATION),
        ("thm_2", "TD.in.x.thm_2_mean", PART),
        ("thm_1", "TD.in.x.both", PART),
        ("thm_2", "TD.in.x.both", PART),
        ("", "TD.y.period_accepted", ACCEPTED),
    ]
    assert proved_kinds(kinds) == ("period", "rank_deficient") and proved_kinds(parts) == ()
    assert not_formalised(plain) == "the noise, and more."
