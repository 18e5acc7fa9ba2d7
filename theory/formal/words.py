"""The words of a statement: every definition of the development that it mentions, and what that mentions in turn.

A statement is as good as its words. ``Notation finite_schedule := never.`` leaves the printed statement of a theorem as
it was and takes all meaning out of it. So the words are not read off what is printed: the assistant prints each
statement once more with every notation and every implicit argument written out, names qualified; the names of our own
files in it are its words, and each word is printed in the same way until nothing new comes. The digest of a theorem is
the SHA-256 of these texts: it changes with any of them. For readers each word is printed once more, with MathComp's
notations, and names of ours with their files. What MathComp defines is not followed further.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdcert.theory.formal.assistant import PRINTED, Inquiry, answers
from tdcert.theory.formal.sources import EXTRACTION, PROJECT, module, without_comments

_LEMMA = re.compile(r"\b(?:Lemma|Theorem|Corollary|Fact|Remark|Proposition|Example)\s+([\w']+)")
_WRITTEN_OUT = "Set Printing All. Set Printing Width 1000. Set Printing Depth 1000000."


@dataclass(frozen=True)
class Words:
    """``definitions``: each word by full name, as Coq prints it, names of ours with their files. By the full name of
    each theorem: ``of``, its words in the order of the files; ``digests``, the SHA-256 of its statement and of its
    words, written out.
    """

    definitions: Mapping[str, str]
    of: Mapping[str, tuple[str, ...]]
    digests: Mapping[str, str]


def words_of(theorems: Sequence[str], sources: Mapping[str, str], folder: Path) -> Words:
    """The words of theorems, given by their full names, from the compiled sources in a folder.

    Raises :class:`~tdcert.theory.formal.assistant.ReplayError` where the assistant gives no answer.
    """
    files = [name for name in sources if name not in (PROJECT, EXTRACTION)]
    modules = {Path(name).stem: module(name) for name in files}
    own = re.compile(rf"(?<![\w.'])(?:TD\.)?(?:verified\.)?({'|'.join(modules)})\.([\w']+)")
    lemmas = {f"{module(file)}.{name}" for file in files for name in _LEMMA.findall(without_comments(sources[file]))}
    head = ["From mathcomp Require all_ssreflect all_algebra.", *(f"Require {name}." for name in modules.values())]
    texts: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    names = list(dict.fromkeys(theorems))
    while names:
        # A lemma inside a word is its statement; its proof says nothing more.
        asked = [Inquiry(name, f"Check @{name}." if name in lemmas else f"Print {name}.") for name in names]
        said = answers("ask_words.v", [*head, _WRITTEN_OUT, *asked], folder)
        texts |= {name: said[name] for name in names}
        below |= {name: [f"{modules[stem]}.{word}" for stem, word in own.findall(said[name])] for name in names}
        names = [word for word in dict.fromkeys(word for name in names for word in below[name]) if word not in texts]
    place = {name: k for k, name in enumerate(modules.values())}
    of = {theorem: tuple(sorted(_closure(theorem, below), key=lambda word: place[_of(word)])) for theorem in theorems}
    return Words(
        definitions=_as_printed({word for words in of.values() for word in words}, modules.values(), folder),
        of=of,
        digests={theorem: _digest([theorem, *of[theorem]], texts) for theorem in theorems},
    )


def _closure(theorem: str, below: Mapping[str, Sequence[str]]) -> list[str]:
    found: dict[str, None] = {}
    ahead = list(below[theorem])
    while ahead:
        word = ahead.pop()
        if word not in found and word != theorem:
            found[word] = None
            ahead += below[word]
    return sorted(found)


def _digest(names: Sequence[str], texts: Mapping[str, str]) -> str:
    lines = "".join(f"{name}\n{' '.join(texts[name].split())}\n" for name in names)
    return hashlib.sha256(lines.encode()).hexdigest()


def _as_printed(words: Collection[str], modules: Collection[str], folder: Path) -> dict[str, str]:
    """Each word with the notations of MathComp alone, in the order of the files. None of ours is imported: so a name of
    ours stands behind that of its file, for several files use one name.
    """
    ordered = sorted(words, key=lambda word: ([*modules].index(_of(word)), word))
    loaded = [f"Require {name}." for name in modules]
    said = answers("ask_words.v", [*PRINTED, *loaded, *(Inquiry(word, f"Print {word}.") for word in ordered)], folder)
    return {word: said[word].partition("\n\n")[0].rstrip() for word in ordered}


def _of(name: str) -> str:
    """The module of a full name."""
    return name.rpartition(".")[0]
