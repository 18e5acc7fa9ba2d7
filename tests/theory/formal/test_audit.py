"""The audit of the proofs fails closed: planted axioms, admitted proofs, and answers that are not understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdcert.theory.formal import assistant, prove
from tdcert.theory.formal.audit import (
    CLOSED,
    complaints_about_assumptions,
    complaints_about_recheck,
    complaints_about_text,
)
from tdcert.theory.formal.record import Record
from tdcert.theory.formal.sources import PROJECT, read_sources, without_comments

installed = pytest.mark.skipif(
    not assistant.is_installed(), reason="Coq with MathComp is not installed here; .ci/run installs it where it can"
)


def test_the_sources_leave_nothing_unproved() -> None:
    assert complaints_about_text(read_sources()) == []


@pytest.mark.parametrize(
    "text",
    [
        "Axiom easy : forall P : Prop, P.",
        "Parameter easy : False.",
        "Conjecture easy : False.",
        "Lemma easy : False. Proof. Admitted.",
        "Lemma easy : False. Proof. admit. Qed.",
        "Variable easy : False.",
        "Section S. Variable n : nat. End S. Hypothesis easy : n = n.",
        "Module M. Context (easy : False). End M.",
        "Unset Guard Checking.",
        "Unset Universe Checking.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
        "(* a comment *) Axiom easy : False.",
        'Definition s := "(*". Axiom easy : False.',
        'Definition s := "a""(*". Axiom easy : False.',
        "Module M. Axiom easy : False. End M.",
        '(* "(*" *) Axiom easy : False. (* "*)" *)',
        '(* "(*" *) Unset Guard Checking. (* "*)" *)',
        '(* "(*" *) Unset Universe Checking. (* "*)" *)',
        "Unset(* *)Guard Checking.",
        "Time Variable easy : False.",
        "Lemma unused : False. Admitted. Theorem x : True. Proof. exact: I. Qed.",
        "Definition never := False. Notation finite_schedule := never.",
        "Lemma easy : 1 = 1. Proof. native_compute. reflexivity. Qed.",
        "Module M. Theorem x : 0 = 1. End M.\nDefinition x := I.",
        "Theorem x : True. Proof. exact: I. Qed.\nDefinition x := I.",
        "Module Type T. Definition x : nat. End T. Module F (A : T). Theorem y : A.x = A.x. End F.",
        'Add Rec LoadPath "elsewhere" as TD.',
        "Section S. Fail Check nat. End S.",
        "Lemma easy : False. Proof. give_up. Defined.",
        "Lemma easy : 1 = 1. Proof. native_cast_no_check (eq_refl 1). Qed.",
        'Declare ML Module "easy".',
        "Primitive easy := #int63_add.",
        'Redirect "elsewhere" Print nat.',
        'Load "elsewhere".',
        "Drop.",
        "#[bypass_check(positivity)] Inductive easy := Easy (f : easy -> False).",
        "Program Definition easy : False := _. Admit Obligations.",
        "Timeout 9 Variable easy : False.",
        "Succeed Variable easy : False.",
        "Section S. Time Check nat. End S.",
        "Section S. Succeed Check nat. End S.",
        "Section S. Timeout 9 Check nat. End S.",
        "Section S. Instructions Check nat. End S.",
        'Reserved Notation "x ; y".',
        "Monomorphic Variable easy : False.",
        "#[universes(polymorphic)] Variable easy : False.",
        "Theorem x : True. Proof. { Variable easy : False. exact: I. } Qed.",
        "Theorem x : True /\\ True. Proof. split. - Hypothesis easy : False. exact: I. - exact: I. Qed.",
        "Theorem x : True. Proof. 1: { Variables (easy : False). exact: I. } Qed.",
        "Section S. End S. End S. Variable easy : False.",
        "Require Import TD.infinite_paths.",
        "From TD Require Export infinite_paths.",
        "From\nTD Require infinite_paths.",
        "From TD.verified Require Import Extract.",
        "From Coq Require Import ZArith. From TD Require Import Forms infinite_paths.",
    ],
)
def test_text_that_would_leave_something_unproved_is_seen(text: str) -> None:
    assert complaints_about_text({"some.v": text})


def test_words_in_comments_and_variables_in_sections_are_fine() -> None:
    fine = "(* No Axiom, (* no Admitted *) *)\nSection S.\nVariables (n : nat).\nHypothesis n0 : n = 0.\nEnd S."
    assert complaints_about_text({"some.v": fine, PROJECT: "-Q . TD\n-arg -q\nsome.v"}) == []


def test_options_that_weaken_the_kernel_are_seen() -> None:
    assert complaints_about_text({PROJECT: "-Q . TD\n-arg -type-in-type\nsome.v"})


@pytest.mark.parametrize("answer", ["", "Axioms:\neasy : False", f"{CLOSED}\nAxioms:\neasy : False", "closed"])
def test_only_the_exact_words_count_as_closed(answer: str) -> None:
    assert complaints_about_assumptions({"some.v": f"{CLOSED}\n"}) == []
    assert complaints_about_assumptions({"some.v": answer})


CHOICE = """Axioms:
boolp.constructive_indefinite_description
  : forall (A : Type) (P : A -> Prop), (exists x, P x) -> {x : A | P x}
"""


def test_one_file_may_lean_on_the_axioms_that_are_named_for_it() -> None:
    assert complaints_about_assumptions({"infinite_paths.v": CHOICE}) == []
    assert complaints_about_assumptions({"thm_4_3.v": CHOICE})
    assert complaints_about_assumptions({"infinite_paths.v": CHOICE + "easy : False\n"})
    assert complaints_about_assumptions({"infinite_paths.v": CHOICE + "what is this\n"})


@pytest.mark.parametrize(
    ("file", "text", "refused"),
    [
        ("some.v", "From TD Require Import Forms infinite_paths.", True),
        ("some.v", "From TD Require Import Extract.", True),
        ("some.v", 'Extract Constant f => "g".', True),
        ("verified/Extract.v", 'Extract Constant f => "g".', False),
        ("verified/Extract.v", "Axiom easy : False.", True),
    ],
)
def test_what_is_kept_apart_stays_apart(file: str, text: str, refused: bool) -> None:
    assert bool(complaints_about_text({file: text})) == refused


REPORT = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    mathcomp.ssreflect.bigop.BigOp.bigop

* Constants/Inductives relying on type-in-type: <none>

* Constants/Inductives relying on unsafe (co)fixpoints: <none>

* Inductives whose positivity is assumed: <none>
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mathcomp.ssreflect", "TD.prop_4_1"),
        ("* Axioms:", "* Other:"),
        ("type-in-type: <none>", "type-in-type: TD.a"),
        ("positivity is assumed: <none>", "positivity is assumed:"),
        (REPORT, ""),
    ],
)
def test_every_doubt_of_coqchk_counts(old: str, new: str) -> None:
    assert complaints_about_recheck(REPORT) == []
    assert complaints_about_recheck(REPORT.replace(old, new))


def test_strings_in_comments_end_where_coq_ends_them() -> None:
    assert without_comments('(* "*)" (* "" *) *) kept (* " (* " *) too').split() == ["kept", "too"]
    assert without_comments('a "b ""(*"" c" d (* e *) f').split() == ["a", '""', "d", "f"]


def _development(folder: Path, statement: str) -> None:
    folder.mkdir(parents=True)
    (folder / PROJECT).write_text("-Q . TD\n-arg -q\nplanted.v\n", encoding="utf-8")
    imports = "From mathcomp Require Import all_ssreflect.\n"
    (folder / "planted.v").write_text(imports + statement, encoding="utf-8")


@pytest.mark.thorough
@installed
@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("Axiom easy : 0 = 1.\nTheorem planted : 0 = 1. Proof. exact: easy. Qed.\n", "easy : 0%N = 1%N"),
        ("Theorem planted : 0 = 1. Proof. Admitted.\n", "planted : 0%N = 1%N"),
        ("Theorem planted : 0 = 1. Proof. by []. Qed.\n", "failed with exit code"),
    ],
)
def test_planted_axioms_are_found_by_the_assistant_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, what: str
) -> None:
    _development(tmp_path / "source", statement)
    build = tmp_path / "build"
    build.mkdir()
    # The text alone would give it away; the second judge has to find it without that help.
    monkeypatch.setattr(vars(prove)["audit"], "complaints_about_text", lambda sources: [])
    with pytest.raises(assistant.ReplayError, match=what):
        prove.replay(tmp_path / "source", build, lambda words: None)


def _replayed(folder: Path, text: str) -> Record:
    _development(folder / "source", text)
    (folder / "build").mkdir()
    return prove.replay(folder / "source", folder / "build", lambda what: None)


SMALL = """
Definition ends (n : nat) := n < 3.
Definition early (n : nat) := ends n.+1.
Theorem planted n : early n -> n + 0 = n. Proof. by rewrite addn0. Qed.
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return _replayed(tmp_path_factory.mktemp("small"), SMALL)


@pytest.mark.thorough
@installed
def test_a_small_development_is_replayed_and_recorded(small: Record) -> None:
    (theorem,) = small.theorems
    assert (theorem.name, theorem.statement) == ("TD.planted.planted", "forall n : nat, early n -> (n + 0)%N = n")
    assert theorem.words == ("TD.planted.early", "TD.planted.ends") == tuple(small.words)
    assert "planted.ends n.+1" in small.words["TD.planted.early"] and "(n < 3)%N" in small.words["TD.planted.ends"]


@pytest.mark.thorough
@installed
def test_a_weaker_word_is_another_record(small: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The text alone would give the notation away; the record has to differ without that help.
    monkeypatch.setattr(vars(prove)["audit"], "complaints_about_text", lambda sources: [])
    below = _replayed(tmp_path / "2", SMALL.replace("n < 3", "n < 0"))
    never = "Definition never (n : nat) := False. Notation early := never."
    hidden = _replayed(tmp_path / "3", SMALL.replace("Definition early (n : nat) := ends n.+1.", never))
    for weaker in (below, hidden):  # what is printed is the same
        assert weaker.theorems[0].statement == small.theorems[0].statement
        assert weaker.theorems[0].digest != small.theorems[0].digest
    true = SMALL.replace("n + 0 = n. Proof. by rewrite addn0.", "n + 0 = n \\/ True. Proof. by right.")
    (always,) = _replayed(tmp_path / "4", true).theorems
    assert always.statement == f"{small.theorems[0].statement} \\/ True" and always.words == small.theorems[0].words
    assert always.digest != small.theorems[0].digest
    assert hidden.theorems[0].words == ("TD.planted.never",)


@pytest.mark.thorough
@installed
def test_an_admitted_lemma_that_nothing_uses_is_found_by_the_second_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vars(prove)["audit"], "complaints_about_text", lambda sources: [])
    with pytest.raises(assistant.ReplayError, match=r"coqchk calls TD\.planted\.unused an axiom"):
        _replayed(tmp_path, f"Lemma unused : False. Proof. Admitted.\n{SMALL}")
