"""The checker that is proved correct, as a program: it is what the record says, and it answers as the Python checker.

What needs OCaml, js_of_ocaml, Coq or node is skipped where they are missing.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from tdcert.reports.proved_checker import CONVERGENCE, KINDS, RELATION, ProvedChecker, reads, says_the_same
from tdcert.theory.certificate.checker import Rejected, check_text
from tdcert.theory.certificate.checker.matrices import LIFT
from tdcert.theory.formal import program
from tdcert.theory.formal.record import read_record
from tdcert.theory.formal.sources import ACCEPTED, proved_kinds, read_sources, theorems
from tests.theory.certificate.by_hand import Json, seal
from tests.theory.certificate.convergence_by_hand import damaged
from tests.theory.certificate.test_checker import FORGED, TRUE, changed
from tests.theory.certificate.test_soundness import TRUTH, Truth, forgery

CORPUS = Path(__file__).parents[1] / "certificate"
MINE = {name: one for name, one in TRUE.items() if one["kind"] in KINDS}
OTHERS = {name: one for name, one in MINE.items() if one["kind"] != CONVERGENCE and reads(one)}
QUOTIENT = "not read: it is about predictions, modulo the null space of Phi"
compilers = pytest.mark.skipif(not program.is_installed(), reason="OCaml or js_of_ocaml is not installed here")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProvedChecker]:
    found = ProvedChecker((str(program.native(program.in_tree()[program.EXTRACTED], tmp_path_factory.mktemp("bin"))),))
    yield found
    found.end()


def python_says(text: bytes) -> str:
    """The sentence that the Python checker accepts; empty where it refuses."""
    try:
        return check_text(text)
    except Rejected as error:
        assert "unexpected" not in str(error)
        return ""


def python_accepts(text: bytes) -> bool:
    return bool(python_says(text))


def require_agreement(text: bytes, sentence: str, said: str) -> None:
    """Both accept the same sentence, or both refuse. ``sentence``: of the Python checker, ``said``: of the other."""
    assert said.startswith("accepted: " if sentence else "refused: "), (said, text)
    assert not sentence or says_the_same(f"accepted: x: {sentence}", said), (sentence, said, text)


def is_unread(said: str, certificate: Json) -> bool:
    """Whether it was not read, as it should be where it speaks of predictions alone, or in words without a theorem."""
    if not said.startswith("not read: "):
        return False
    quotient = "columns" in certificate["about"] or "coordinates" in certificate["witness"]
    assert quotient if said == QUOTIENT else not reads(certificate), (said, certificate)
    return True


def test_the_record_names_every_file_of_the_program() -> None:
    assert read_record().program == program.hashes(program.in_tree())
    for name in ("reader", "convergence", "chain", "signs", "relations", "squares", "updates", "nodes", "kinds"):
        text = (program.VERIFIED / f"{name}.ml").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 150, "it is trusted after reading"


def test_every_kind_that_it_knows_has_its_theorem() -> None:
    sources = read_sources()
    kinds = [kind for text in sources.values() for kind in proved_kinds(text)]
    assert {CONVERGENCE, *kinds} == KINDS and len(set(kinds)) == len(kinds)
    assert [t.name for t in theorems(sources) if t.reading == ACCEPTED] == [f"{kind}_accepted" for kind in kinds]
    lists = [
        re.findall(r"known :?= (?:ref )?\[(.*?)\]", (program.VERIFIED / name).read_text(), re.DOTALL)
        for name in ("kinds.ml", "update_kinds.ml")
    ]
    known = dict(re.findall(r'"(\w+)", (?:\w+\.)?(\w+)', "".join(text for (text,) in lists)))
    assert known == {kind: kind for kind in KINDS}


def test_the_javascript_is_small_enough_for_a_page_and_evaluates_no_text() -> None:
    text = program.in_tree()[program.PAGE]
    assert len(gzip.compress(text.encode(), 9)) <= 40_000
    assert "eval(" not in text and "new Function" not in text and "</script" not in text.lower()


@pytest.mark.thorough
@compilers
def test_the_javascript_is_built_again_byte_for_byte() -> None:
    found = program.in_tree()
    if {key: read_record().assistant[key] for key in program.versions()} != program.versions():
        pytest.skip("the record was made by other versions of the compilers")
    for name in (program.JAVASCRIPT, program.PAGE):
        assert program.javascript(found[program.EXTRACTED], name) == found[name]


@pytest.mark.thorough
@needs_node
def test_node_answers_the_corpus_as_the_python_checker(node: ProvedChecker) -> None:
    known = tuple(f'"kind": "{kind}"'.encode() for kind in KINDS) + tuple(f'"kind":"{kind}"'.encode() for kind in KINDS)
    texts = [path.read_bytes() for path in sorted(CORPUS.glob("*correct/*.json"))]
    found = {True: 0, False: 0}
    for text in texts:
        if any(kind in text for kind in known) and b"tdcert-set/1" not in text:  # its models have certificates inside
            accepted, said = python_accepts(text), node.ask(text)
            if not said.startswith("not read: "):  # a file may hold no certificate at all
                assert said.startswith("accepted: " if accepted else "refused: no conclusion; "), text
                found[accepted] += 1
    assert found[True] > 40 and found[False] > 200


@needs_node
@pytest.mark.parametrize("name", OTHERS)
def test_it_says_the_same_words_as_the_python_checker(node: ProvedChecker, name: str) -> None:
    text = json.dumps(OTHERS[name]).encode()
    assert node.ask(text) == f"accepted: {check_text(text).rpartition(' (model ')[0]}"


@needs_node
def test_both_read_features_that_the_prime_of_the_python_checker_divides(node: ProvedChecker) -> None:
    """Features times 2^521 - 1 and theta over it: the Gram determinant of the columns is zero modulo that prime."""
    for name in ("convergence of td, dependent features", "convergence of tdc, dependent features"):
        given: Json = json.loads(json.dumps(MINE[name]))
        given["model"]["features"] = [[str(LIFT * Fraction(x)) for x in row] for row in given["model"]["features"]]
        given["witness"]["theta"] = [str(Fraction(x) / LIFT) for x in given["witness"]["theta"]]
        if "inverse" in given["witness"]:
            inverse = given["witness"]["inverse"]
            given["witness"]["inverse"] = [[str(Fraction(x) / LIFT**2) for x in row] for row in inverse]
        assert python_accepts(json.dumps(seal(given)).encode())
        assert node.ask(json.dumps(seal(given)).encode()).startswith("accepted: ")


@needs_node
def test_of_a_kind_without_a_theorem_it_says_nothing(node: ProvedChecker) -> None:
    other = next(one for one in TRUE.values() if one["kind"] not in KINDS)
    assert node.ask(json.dumps(other).encode()) == "refused: no conclusion; kind: it is none that is known here"


@needs_node
def test_it_does_not_read_what_is_about_predictions_alone(node: ProvedChecker) -> None:
    some = [one for one in MINE.values() if "columns" in one["about"] and one["kind"] != CONVERGENCE]
    assert {one["kind"] for one in some} == {"singular", "gradient_stable", "hurwitz", "unstable"}
    assert all(reads(one) for one in MINE.values() if one["kind"] == CONVERGENCE)
    assert not any(map(reads, some)) and {node.ask(json.dumps(one).encode()) for one in some} == {QUOTIENT}


@needs_node
def test_what_it_says(node: ProvedChecker) -> None:
    assert node.ask(json.dumps(MINE["convergence of gtd"]).encode()) == (
        "accepted: for every law of the first state, every start, and all deterministic α_t > 0 with Σα_t = ∞ and "
        "Σα_t² < ∞, and β_t = ηα_t with η > 0: θ_t of GTD(λ)-schedule → θ* and w_t → 0 with probability one, "
        "θ* = (-25/2)"
    )
    assert "TDC(λ)-schedule → θ* and w_t → 0" in node.ask(json.dumps(MINE["convergence of tdc"]).encode())
    assert "of TD(λ)-schedule → θ* with" in node.ask(json.dumps(MINE["convergence of td"]).encode())
    assert "off-policy TD(λ)" in node.ask(json.dumps(MINE["convergence of off-policy td"]).encode())
    assert "λ without an end, → θ* with" in node.ask(json.dumps(MINE["convergence of td, without an end"]).encode())
    said = node.ask(json.dumps(MINE["convergence of gtd, dependent features"]).encode())
    assert "Φθ_t of GTD(λ)-schedule → Φθ* and Φw_t → 0 with" in said
    assert said.endswith(" on the columns 0, 1 of Φ and zero elsewhere")


@needs_node
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b"[1, 2", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"nul", "not JSON"),
        (b'{"a": 01}', "not JSON"),
        (b'{"a": -1}', "not JSON"),
        (b'{"a": 1.5}', "not JSON"),
        (b'{"a" 1}', "not JSON"),
        (b'{"a": 1,}', "not JSON"),
        (b'{"a": "\t"}', "not JSON"),
        (b"[" * 40 + b"]" * 40, "the file: an object is needed"),
        (b"[" * 41 + b"]" * 41, "nests deeper than 40"),
        (b'{"a": 1, "a": 1}', "the key a stands twice"),
        (b'{"kind": "convergence"}', "the key format is missing"),
        (b'{"extra": 1}', "the key extra is not known here"),
    ],
)
def test_what_is_no_certificate_is_refused(node: ProvedChecker, text: bytes, words: str) -> None:
    assert node.ask(text).startswith("refused: no conclusion; ") and words in node.ask(text)
    assert not python_accepts(text)


@needs_node
def test_text_beyond_plain_ascii_is_not_read(node: ProvedChecker) -> None:
    for name in ("gehe", "geh\u00e9", 'g"o', "g\u2192o"):
        text = json.dumps(MINE["convergence of td"]).replace('"go"', json.dumps(name)).encode()
        raw = json.dumps(json.loads(text), ensure_ascii=False).encode()
        told = {node.ask(one).partition(":")[0] for one in (text, raw)}
        assert told == ({"refused"} if name == "gehe" else {"not read"})  # the digest is that of the other name


def agree(checker: ProvedChecker, certificates: Iterator[Json], count: int) -> dict[bool, int]:
    """How many were accepted, and how many refused, by both; fails at the first difference. What one of them does not
    read is passed over."""
    found = {True: 0, False: 0}
    while sum(found.values()) < count:
        one = next(certificates)
        text = json.dumps(one).encode()
        sentence, said = python_says(text), checker.ask(text)
        if is_unread(said, one):
            continue
        require_agreement(text, sentence, said)
        found[bool(sentence)] += 1
    return found


def mutants(seed: int, kinds: frozenset[str] = KINDS) -> Iterator[Json]:
    """Of true certificates, of each kind as many: a number, a list or a key is another one."""
    rng = random.Random(seed)
    while True:
        for kind in sorted(kinds):
            yield damaged(rng, rng.choice([one for one in MINE.values() if one["kind"] == kind]))


HOSTILE = (
    *("-0", "00", "-1", "1e0", "1E5", "1.0", "NaN", "Infinity", "9" * 20, "9" * 21, "true", "null", "[]", "{}", "/**/"),
    *('""', '"1/0"', '"0/1"', '"-0"', '"+1"', '" 1"', '"1 "', '"1/1"', '"2/4"', '"1/-2"', '"01"', '"1e3"', '"1_0"'),
    *('"\\u0031"', '"\u0661"', '"\x7f"', '"\x1f"', "\ufeff", "\x00", "\x0b", "\x0c", "\u00a0", "'", "\\", "\r\n"),
    *(",", ":", "]", "}", "[", "{", '"a":1,', '"unique":true,', '"kernel":"covered",', '"columns":[0],'),
)
"""What may be put into a text: numbers that are none or not in lowest terms, characters that readers may skip, keys."""


def damaged_texts(seed: int) -> Iterator[bytes]:
    """True certificates in which tokens are others, doubled or gone; with the digest of what is read, if it is JSON."""
    rng, tokens = random.Random(seed), re.compile(r'("(?:[^"\\]|\\.)*"|[0-9]+|true|false|null|[\[\]{},:])')
    while True:
        parts = [part for part in tokens.split(json.dumps(rng.choice(list(MINE.values())))) if part]
        for _ in range(rng.choice((1, 1, 2, 3))):
            at = rng.randrange(len(parts))
            key_and_value = parts[at : at + 6]  # with colon, comma and blanks
            put = rng.choice(([rng.choice(HOSTILE)], [rng.choice(parts)], key_and_value, []))
            parts[at : at + rng.randrange(2)] = put
        text = "".join(parts)
        with contextlib.suppress(ValueError, TypeError, KeyError):
            given = json.loads(text)
            text = text.replace(given["digest"], seal(given)["digest"])
        yield text.encode()


def false_ones(seed: int, kinds: frozenset[str] = KINDS) -> Iterator[Json]:
    """Forged certificates about random models, of which the second decision says that they are false, and mutants of
    true ones of which it says so; of each kind as many."""
    kinds = kinds - {RELATION}  # their second decision is in test_proved_relations.py
    rng, some = random.Random(seed), mutants(seed, kinds)
    waiting = [one for one, _ in FORGED.values() if one["kind"] in kinds]
    while True:
        for one in waiting:
            try:
                true = TRUTH[one["kind"]](Truth(one))
            except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError, StopIteration, AttributeError):
                true = False
            if not true:
                yield one
        waiting = [one for kind in sorted(kinds) for one in (forgery(rng, kind), next(some))]


@pytest.mark.thorough
@needs_node
def test_both_checkers_agree_about_mutants(node: ProvedChecker) -> None:
    found = agree(node, mutants(0), 150)
    assert found[True] > 10 and found[False] > 100


@needs_node
@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (one, _) in FORGED.items()
        if reads(one) and (one["kind"] == CONVERGENCE or "coordinates" not in one["witness"])
    ],
)
def test_both_checkers_refuse_what_is_forged_by_hand(node: ProvedChecker, name: str) -> None:
    """Random ones do not meet a prime that divides a denominator, which the theorem would not mind."""
    assert agree(node, iter([FORGED[name][0]]), 1) == {True: 0, False: 1}


@needs_node
def test_both_checkers_refuse_what_is_false(node: ProvedChecker) -> None:
    assert agree(node, false_ones(0), 100) == {True: 0, False: 100}


@compilers
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_the_native_program_agrees_about_a_thousand_mutants(native: ProvedChecker, seed: int) -> None:
    found = agree(native, mutants(seed + 1), 1_000)
    assert found[True] > 100 and found[False] > 500


@compilers
@pytest.mark.thorough
@pytest.mark.parametrize("kinds", [KINDS, frozenset([CONVERGENCE])], ids=["all", CONVERGENCE])
def test_the_native_program_refuses_a_thousand_forged_certificates(
    native: ProvedChecker, kinds: frozenset[str]
) -> None:
    assert agree(native, false_ones(1, kinds), 1_000) == {True: 0, False: 1_000}


@compilers
@pytest.mark.thorough
def test_the_native_program_agrees_about_five_thousand_mutants_of_convergence(native: ProvedChecker) -> None:
    found = agree(native, mutants(0, frozenset([CONVERGENCE])), 5_000)
    assert found[True] > 500 and found[False] > 2_500


@compilers
@pytest.mark.thorough
def test_both_readers_agree_what_a_text_says(native: ProvedChecker) -> None:
    """A number, a key or a character that one reader passes over would make it another certificate."""
    found, some = {True: 0, False: 0}, damaged_texts(0)
    for _ in range(3_000):
        text = next(some)
        sentence, said = python_says(text), native.ask(text)
        if not said.startswith("not read: "):  # beyond plain ASCII, or in words without a theorem
            require_agreement(text, sentence, said)
            found[bool(sentence)] += 1
    assert found[True] > 100 and found[False] > 2_000


@compilers
@needs_node
@pytest.mark.thorough
def test_both_forms_of_the_program_say_the_same(native: ProvedChecker, node: ProvedChecker) -> None:
    some = mutants(99)
    for _ in range(300):
        text = json.dumps(next(some)).encode()
        assert native.ask(text) == node.ask(text)
    one = json.dumps(changed(MINE["convergence of td"], ("claim",), "thm_4_3")).encode()
    assert native.ask(one) == node.ask(one) != ""


INTEGERS = """
const fs = require("fs");
globalThis.caml_jsbytes_of_string = globalThis.caml_string_of_jsbytes = (s) => s;
require("vm").runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const kept = (x) => Number.isSafeInteger(Number(x)) === (typeof x === "number");
for (const [a, b] of JSON.parse(fs.readFileSync(0, "utf8"))) {
  const x = bigint_of_string(a), y = bigint_of_string(b);
  const found = [bigint_add(x, y), bigint_sub(x, y), bigint_mult(x, y), bigint_minus(x), bigint_gcd(x, y)];
  if (b !== "0") found.push(bigint_div(x, y), bigint_mod(x, y));
  else for (const divide of [bigint_div, bigint_mod])
    try { divide(x, y); found.push("a quotient by zero"); }
    catch (error) { if (!(error instanceof RangeError)) throw error; }
  const words = found.map((one) => kept(one) ? bigint_to_string(one) : "in another form");
  console.log(JSON.stringify([...words, bigint_compare(x, y)]));
}
"""


@needs_node
@pytest.mark.thorough
def test_integers_of_the_page_are_exact() -> None:
    """About zero, where binary64 begins to round, and far beyond."""
    rng = random.Random(0)
    near = [
        sign * (base + k) for base in (0, 2**31, 2**52, 2**53, 2**106) for k in (-2, -1, 0, 1, 2) for sign in (1, -1)
    ]
    pairs = [(a, b) for a in near for b in near]
    sizes = [rng.choices(range(1, 200), k=2) for _ in range(3_000)]
    pairs += [(rng.randint(-(2**m), 2**m), rng.randint(-(2**n), 2**n)) for m, n in sizes]
    asked = json.dumps([[str(a), str(b)] for a, b in pairs])
    place = str(program.VERIFIED / "bigint.js")
    done = subprocess.run(["node", "-e", INTEGERS, place], input=asked, capture_output=True, text=True, check=True)
    for (a, b), line in zip(pairs, done.stdout.splitlines(), strict=True):
        rest = a % abs(b) if b else None
        divided = [] if rest is None else [(a - rest) // b, rest]
        expected = [a + b, a - b, a * b, -a, math.gcd(a, b), *divided]
        assert json.loads(line) == [*map(str, expected), (a > b) - (a < b)], (a, b)
