"""Papers as folders: what a paper.toml may say, the rules for statements of further papers, and the command line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tdcert.claims import own, paper
from tdcert.claims.claim import Finding
from tdcert.claims.kit import NumericConstant, Proof, ProofError, Refutation, proved
from tdcert.claims.paper import SEED, Publication, Text, papers, read_paper
from tdcert.reports import cli, stored, terminal
from tdcert.reports.labels import finding_words
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.reports.verification_page import verification_files, verification_page
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import text as written
from tdcert.theory.check.hypotheses import LAMBDAS
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.gallery import HALF, one_state
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Grade, Status, Verdict
from tdcert.verification import verify as verification
from tests.quality import paper_quotes

OTHERS = {name: one for name, one in papers().items() if one is not SEED}
ROWS = [row for one in OTHERS.values() for row in one.entries if not row.is_open]
SHORT = {"vs_no_other", "yu_mean", "ls_prop3"}
"""Statements that the default run asks; the others cost a second or two each."""
TOML = """
title = "A title"
authors = ["Ada van Lovelace", "Alan M. Turing"]
published = "nowhere, 1900"
version = "the only one"
url = "https://example.org"
text = "seen"
digest = "{digest}"
main = ["one"]

[[sections]]
title = "Section 1"
claims = [
    {{ id = "one", place = "§1", title = "first" }},
    {{ id = "two", place = "§2", title = "second", open = true }},
]
"""


def folder(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """A folder with a paper.toml."""
    told = TOML.format(digest="0" * 64)
    for old, new in changes:
        assert old in told
        told = told.replace(old, new)
    (tmp_path / "ada00").mkdir()
    (tmp_path / "ada00" / "__init__.py").touch()
    (tmp_path / "ada00" / "paper.toml").write_text(told, encoding="utf-8")
    return tmp_path / "ada00"


def test_a_folder_is_read(tmp_path: Path) -> None:
    found = read_paper(folder(tmp_path))
    assert (found.id, found.by, found.text, found.main) == ("ada00", "van Lovelace and Turing", Text.SEEN, ("one",))
    assert [(row.id, row.paper, row.is_open, row.source) for row in found.entries] == [
        ("one", "ada00", False, "claims/ada00/one.py"),
        ("two", "ada00", True, ""),
    ]
    assert "the only one" in found.which_text and "not yet asked" in found.which_text
    assert replace(found, authors=("John N. Tsitsiklis", "Benjamin Van Roy")).by == "Tsitsiklis and Van Roy"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('text = "seen"', 'text = "skimmed"'), "Invalid enum value 'skimmed'"),
        (('text = "seen"', 'text = "not seen"'), "one that was not has none"),
        (("0" * 64, ""), "a text that was read has a digest"),
        (("0" * 64, "0" * 63), "regex"),
        (('main = ["one"]', 'main = ["three"]'), "a main theorem is not among its claims"),
        (('id = "two"', 'id = "one"'), "two of its claims have one id"),
        (('id = "two"', 'id = "Two"'), "regex"),
        (('place = "§1", ', ""), "missing required field `place`"),
        (("open = true", "opened = true"), "unknown field `opened`"),
        (("open = true", 'open = true, not_decidable = "no"'), "a statement is either open or not decidable"),
        (('title = "A title"', 'title = "A title'), "Illegal character"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_a_paper_is_refused_in_a_sentence(tmp_path: Path, change: tuple[str, str], why: str) -> None:
    with pytest.raises(InputError, match="does not describe a paper: ") as refused:
        read_paper(folder(tmp_path, change))
    assert why in str(refused.value) and str(refused.value).count("\n") == 0


def test_what_is_not_decidable_here_is_a_finding_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "its constants are only said to exist"
    change = ("open = true", f'not_decidable = "{why}"')
    (tmp_path / "one").mkdir()
    found = read_paper(folder(tmp_path / "one", change))
    row = found.entries[1]
    assert row.is_open and row.not_decidable == why
    with pytest.raises(LookupError, match="claim two is not decidable here"):
        row.load()
    alone = replace(found, entries=(row,), main=())
    for module in ("tdcert.claims.paper", "tdcert.verification.verification", "tdcert.reports.terminal"):
        monkeypatch.setattr(f"{module}.papers", lambda: {SEED.id: SEED, "ada00": alone})
    run = verification.verify(None, "quick", 7, silently, paper="ada00")
    (claim,) = run.claims
    assert (claim.finding, claim.stated, claim.status) == (Finding.NOT_DECIDABLE, None, "not_decidable")
    assert run.summary.paper.findings["not_decidable"] == 1 and run.summary.paper.findings["open"] == 0
    (again,) = stored.verification_of(verdicts_document(run)).claims
    assert again.entry.not_decidable == why and again.finding is Finding.NOT_DECIDABLE
    terminal.show_verification(run)
    assert f"Not decidable here: two: {why}" in " ".join(capsys.readouterr().out.split())
    page = dict(verification_files(run, None))["index.html"]
    assert why in (page if isinstance(page, str) else page.decode()) and "decided by this version" not in str(page)
    assert cli.main(["papers"]) == 0
    assert "1 statement, 1 not decidable here" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_constant_is_sharp_or_not_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuted when tighter: sharp; proved: not; a tighter one that is neither, or a proof that fails: unknown."""
    from tdcert.claims.ls18 import ls_td_step

    claim = ls_td_step.CLAIM
    (one,) = claim.constants

    def fails() -> Proof:
        raise ProofError("x < x does not hold")

    def too_dear() -> Refutation:
        raise BudgetExceededError("more than a million boxes")

    found_by_hand = Verdict(Status.REFUTED, Grade.ENCLOSED, "it fails")
    tried = (
        one,
        NumericConstant("held", lambda: Refutation(claim.check(one_state(HALF)), one_state(HALF))),
        NumericConstant("better", better=lambda: proved("½ is enough", 1)),
        NumericConstant("failing", better=fails),
        NumericConstant("untried", note="nobody knows"),
        NumericConstant("without a model", lambda: Refutation(found_by_hand)),
        NumericConstant("beyond a budget", too_dear),
    )
    monkeypatch.setattr(ls_td_step, "CLAIM", replace(claim, constants=tried, ablations=(), facts=None))
    run = verification.verify(["ls_td_step"], "quick", 7, silently)
    found = run.claims[0].constants
    assert [constant.sharp for constant in found] == [True, None, False, None, None, None, None]
    assert found[-1].tighter is not None and found[-1].tighter.status is Status.UNDECIDED
    assert "more than a million boxes" in found[-1].tighter.why
    assert found[0].tighter is not None and any(scope.certificates for scope in found[0].tighter.scopes)
    assert "x < x" in found[3].note and found[4].note == "nobody knows"
    again = stored.verification_of(verdicts_document(run)).claims[0].constants
    assert [(x.what, x.sharp, x.note) for x in again] == [(x.what, x.sharp, x.note) for x in found]
    page = str(dict(verification_files(run, None))["index.html"])
    assert page.count("the statement fails") == 1 and page.count("a tighter one is proved") == 1
    with pytest.raises(ValueError, match="either refuted when it is tighter, or proved"):
        NumericConstant("both", one.tighter, fails)


def test_a_folder_that_would_not_be_installed_is_refused(tmp_path: Path) -> None:
    place = folder(tmp_path)
    (place / "__init__.py").unlink()
    with pytest.raises(InputError, match=r"beside it is no __init__\.py"):
        read_paper(place)


def test_ids_are_unique_among_papers() -> None:
    ids = [row.id for one in papers().values() for row in one.entries]
    assert len(ids) == len(set(ids)) and next(iter(papers())) == SEED.id


def test_every_file_of_a_paper_that_holds_a_claim_is_in_its_table() -> None:
    for name, one in OTHERS.items():
        place = Path(paper.__file__).parent / name
        holding = {path.stem for path in place.glob("*.py") if "\nCLAIM = " in path.read_text(encoding="utf-8")}
        assert holding == {row.id for row in one.entries if not row.is_open}


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=row.id, marks=() if row.id in SHORT else pytest.mark.thorough) for row in ROWS],
)
def test_a_statement_of_a_further_paper_follows_the_rules(row: paper.Entry) -> None:
    """It meets a model, its nearest false variant is refuted, with a certificate or in an enclosure, and what was
    expected comes out.
    """
    run = verification.verify([row.id], "quick", 7, silently)
    (found,) = run.claims
    assert run.summary.differences == () and found.models and found.stated is not None
    variant = found.variant
    assert variant is not None and variant.status is Status.REFUTED and variant.witness
    assert any(scope.certificates or scope.evidence.grade is Grade.ENCLOSED for scope in variant.scopes)
    for kept in run.certificates:
        checker.check_text(written(kept.body))
    assert all(hypothesis.needed is not None for hypothesis in found.hypotheses)


def test_the_docstring_of_a_statement_has_the_parts_that_its_claim_has_not() -> None:
    order = ("Where", "Note", "Hypotheses", "Model", "Check", "Closed form", "Proof")
    for row in ROWS:
        told = import_module(f"tdcert.claims.{row.paper}.{row.module}").__doc__ or ""
        parts = re.findall(r"^([A-Z][a-z]+(?: form)?): ", told, re.MULTILINE)
        assert parts == [part for part in order if part in parts], row.id
        assert {"Model", "Check", "Closed form"} <= set(parts), row.id


def test_what_is_quoted_was_found_in_the_text_that_was_read() -> None:
    """``tests/claims/quotes.json`` knows every quote and anchor, of the text that the paper's folder names."""
    record = json.loads(paper_quotes.RECORD.read_text(encoding="utf-8"))
    assert set(record) == {one.id for one in paper_quotes.read()}, "run python -m tests.quality.paper_quotes FOLDER"
    for one in paper_quotes.read():
        kept = record[one.id]
        wanted = {name: {*map(paper_quotes.digest, quotes)} for name, quotes in paper_quotes.quoted(one).items()}
        assert kept["text"] == one.digest and {name: set(found) for name, found in kept["quotes"].items()} == wanted


def test_a_quote_that_does_not_stand_in_a_text_is_found_out() -> None:
    text = "It is shown that o\ufb00-line TD(λ) con-\nverges with probability one, see Theorem 5. So α → 0."
    loaded = replace(papers()["vs14"], entries=papers()["vs14"].entries[:1])
    ((name, quotes),) = paper_quotes.quoted(loaded).items()
    with pytest.raises(ValueError, match=f"vs14: not in the text: {name}: '"):
        paper_quotes.compared(loaded, text)
    assert set(paper_quotes.compared(loaded, " ".join(quotes))[name].values()) == {"text"}
    for quote, there in (
        (r"off-line TD($\lambda$) converges with probability one", True),
        ("It is shown that off-line TD", True),
        ("off-line TD(λ) diverges with probability one", False),
        ("converges with probability two", False),
    ):
        whole = f" {' '.join(paper_quotes.words(text))} "
        assert all(paper_quotes.stands(run, whole) for run in paper_quotes.runs(quote)) is there
    assert paper_quotes.runs(r"$\alpha \to 0$ so $x$") == []


def patched(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> paper.Entry:
    """Theorem 1 of van Seijen and Sutton, of a paper that says something else of itself."""
    other = replace(papers()["vs14"], **changes)
    monkeypatch.setattr(paper, "papers", lambda: {SEED.id: SEED, "vs14": other})
    return next(row for row in other.entries if row.id == "vs_thm1")


def test_a_quote_of_a_text_that_was_not_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = patched(monkeypatch, text=Text.NOT_SEEN, digest="")
    with pytest.raises(InputError, match="vs_thm1 of vs14 needs no quote"):
        row.load()


def test_a_statement_without_its_quote_or_its_variant_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.claims.vs14 import vs_thm1

    row, claim = patched(monkeypatch), vs_thm1.CLAIM
    monkeypatch.setattr(vs_thm1, "CLAIM", replace(claim, stated=replace(claim.stated, quote="", place="")))
    with pytest.raises(InputError, match="vs_thm1 of vs14 needs a quote"):
        row.load()
    monkeypatch.setattr(vs_thm1, "CLAIM", replace(claim, variant=None))
    with pytest.raises(InputError, match="vs_thm1 of vs14 has no nearest false variant"):
        row.load()


def test_a_hypothesis_with_its_place_in_another_paper_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.claims.vs14 import vs_thm1

    row, claim = patched(monkeypatch), vs_thm1.CLAIM
    (own,) = claim.ablations
    assert own.hypothesis.source == "§2.3, after (5)" and own.hypothesis.ask is LAMBDAS.ask
    monkeypatch.setattr(vs_thm1, "CLAIM", replace(claim, ablations=(replace(own, hypothesis=LAMBDAS),)))
    with pytest.raises(InputError, match="the hypothesis lambda_in_unit_interval has its place in another paper"):
        row.load()


def test_a_misprint_in_a_text_that_was_not_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.claims.vs14 import vs_thm1

    row, claim = patched(monkeypatch, text=Text.NOT_SEEN, digest=""), vs_thm1.CLAIM
    unquoted = replace(claim, stated=replace(claim.stated, quote="", place=""))
    monkeypatch.setattr(vs_thm1, "CLAIM", unquoted)
    assert row.load() is unquoted
    monkeypatch.setattr(vs_thm1, "CLAIM", replace(unquoted, correction=Finding.MISPRINT))
    with pytest.raises(InputError, match="vs_thm1 of vs14 is no misprint"):
        row.load()


def test_what_fails_is_our_own_where_nothing_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = [row for row in ROWS if row.id == "mk_vacuous"]
    assert row.load().corrected is not None
    with pytest.raises(InputError, match="mk_vacuous of manek22 fails and is ascribed to a paper"):
        replace(row, place="as remembered").load()
    (holds,) = [row for row in ROWS if row.id == "ko_lmi"]
    assert holds.place == "as remembered" and holds.load().corrected is None


def test_of_a_text_that_was_not_read_nothing_is_said_of_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = verification.verify(["vs_lambda0"], "quick", 7, silently)
    terminal.show_verification(run)
    assert "As printed" in (told := capsys.readouterr().out) and "1 holds as printed" in told
    unread = {"vs14": replace(papers()["vs14"], text=Text.NOT_SEEN, digest="")}
    monkeypatch.setattr("tdcert.verification.verification.papers", lambda: unread)
    terminal.show_verification(run)
    told = capsys.readouterr().out
    assert "As printed" not in told and "1 holds." in told and "Its text was not read" in told
    assert "statement of the paper" not in told and "1 statement: 1 holds." in told
    (claim,) = run.claims
    assert claim.stated is not None
    unquoted = replace(claim.stated, reading=replace(claim.stated.reading, quote="", place=""))
    for finding, words in ((Finding.FALSE, "false"), (Finding.AS_STATED, "holds")):
        assert finding_words(replace(claim, finding=finding)) == f"{words} as printed"
        assert finding_words(replace(claim, finding=finding, stated=unquoted)) == words


@pytest.mark.thorough
def test_the_page_of_a_text_that_was_not_read_says_nothing_of_print() -> None:
    """Neither of a statement that fails, nor of a hypothesis that it lacks."""
    run = verification.verify(["mk_vacuous", "hq_algorithm"], "quick", 7, silently)
    assert run.nothing_was_read and all(claim.finding == "false" for claim in run.claims)
    lacking = replace(run.claims[0], finding=Finding.IMPLICIT_HYPOTHESIS)
    for claim in (*run.claims, lacking):
        page = verification_page(replace(run, claims=(claim,)))
        shown = unescape(re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL))
        assert "What is wrong, and the corrections" in shown and "on the subject of the paper by" in shown
        for words in (
            "as printed",
            "Printed",
            "not printed",
            "Not printed",
            "printed with",
            "of the paper that",
            "gets",
        ):
            assert words not in shown, (words, shown[shown.index(words) - 80 :][:200])
        assert "paper's statements" not in shown and "The paper</span>" not in shown


@pytest.mark.thorough
def test_of_a_text_that_was_not_read_neither_the_list_nor_a_row_says_that_the_paper_has_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["papers"]) == 0
    listed = capsys.readouterr().out
    assert "text not seen; 4 statements on its subject" in listed and "text seen; 8 statements\n" in listed
    for name, words in (("ko_lmi", "on the subject of the paper by Kolter"), ("vs_lambda0", "in the paper by van")):
        (claim,) = verification.verify([name], "quick", 7, silently).claims
        terminal.show_claim(claim, "decided just now")
        assert words in " ".join(capsys.readouterr().out.split())


def test_a_finding_about_a_draft_is_not_about_the_paper() -> None:
    said = papers()["brs18"].which_text
    assert "A draft was read" in said and "not about the paper" in said and "printed there" not in said
    assert "Findings are about what is printed there" in papers()["vs14"].which_text


@pytest.mark.thorough
def test_claims_of_two_papers_say_which_text_of_each_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    run = verification.verify(["ls_prop3", "vs_no_other"], "quick", 7, silently)
    terminal.show_verification(run)
    told = " ".join(capsys.readouterr().out.split())
    assert run.paper is None and "the PDF of PMLR 84" in told and "the PDF of PMLR 32" in told


@pytest.mark.thorough
def test_a_variant_that_holds_makes_the_claim_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.claims.vs14 import vs_thm1

    claim = vs_thm1.CLAIM
    variant = claim.variant
    assert variant is not None
    true = replace(variant, judge=lambda: replace(variant.judge(), verdict=claim.check(one_state(HALF))))
    monkeypatch.setattr(vs_thm1, "CLAIM", replace(claim, variant=true))
    (found,) = verification.verify(["vs_thm1"], "quick", 7, silently).claims
    assert found.stated is not None and found.stated.status is Status.UNDECIDED
    assert found.stated.why.startswith("its nearest false variant is not refuted")


def test_a_statement_that_no_model_meets_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.claims.vs14 import vs_no_other

    monkeypatch.setattr(vs_no_other, "CLAIM", replace(vs_no_other.CLAIM, instances=None))
    monkeypatch.setattr(verification, "instances", lambda profile, seed: [])
    (found,) = verification.verify(["vs_no_other"], "quick", 7, silently).claims
    assert found.stated is not None and found.stated.status is Status.UNDECIDED and "vacuous" in found.stated.why


@pytest.mark.thorough
def test_without_predictions_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verification, "PREDICTIONS", tmp_path)
    assert verification.verify(["vs_lambda0"], "quick", 7, silently).summary.differences == ()
    (tmp_path / "vs14").mkdir()
    (tmp_path / "vs14" / "predictions.json").write_text("{}", encoding="utf-8")
    assert len(verification.verify(["vs_lambda0"], "quick", 7, silently).summary.differences) == 2


def test_what_is_decided_by_default_is_the_first_paper() -> None:
    assert {row.paper for row in own.every()} == {SEED.id} and {row.paper for row in own.known()} == set(papers())
    with pytest.raises(InputError, match="there is no paper 'ls99'; give one of dgb22, "):
        verification.verify(None, "quick", 7, silently, paper="ls99")


# ---- the command line -------------------------------------------------------------------------------


def test_papers_lists_which_text_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["papers"]) == 0
    told = capsys.readouterr().out
    assert "dgb22" in told and "44 statements" in told and "van Seijen and Sutton" in told and "8 statements" in told


def test_paper_and_claims_are_not_both_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "prop_4_1", "--paper", "vs14"]) == 2
    assert capsys.readouterr().err.startswith("tdcert: --paper decides all claims of a paper")


@pytest.mark.thorough
def test_every_paper_has_a_report_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {"dgb22": ("prop_4_1",), "vs14": ("vs_lambda0", "vs_thm1")}

    def short(one: Publication) -> Publication:
        ids = kept[one.id]
        return replace(one, main=(), entries=tuple(row for row in one.entries if row.id in ids))

    found = {name: short(papers()[name]) for name in kept}
    monkeypatch.setattr(paper, "papers", lambda: found)
    monkeypatch.setattr(verification, "paper_of", found.__getitem__)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["verify", "--paper", "all", "--profile", "quick", "--workers", "1"]) == 0
    for name, ids in kept.items():
        document = json.loads((tmp_path / "verification-reports" / name / "verdicts.json").read_text(encoding="utf-8"))
        assert document["paper"]["id"] == name and tuple(row["id"] for row in document["claims"]) == ids
        page = (tmp_path / "verification-reports" / name / "index.html").read_text(encoding="utf-8")
        assert f"<h1>{papers()[name].title}" in page and document["paper"]["version"] in page
    assert cli.main(["verify", "vs_lambda0", "--profile", "quick"]) == 0  # its folder is another one
    assert "Nearest false variant" in page and "variant" in document["claims"][0]
    assert "The text was read: the PDF of PMLR 32" in " ".join(capsys.readouterr().out.split())
