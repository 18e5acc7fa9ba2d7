"""The fenced blocks of a Markdown page, run as a reader would: in order, in a folder that holds the examples only.

What may stand behind the language of a block::

    file=NAME         the block is written to that file
    exit=N            the last command of the block ends with N (default: every command ends with 0)
    thorough          run with ``-m thorough`` only, for it takes long
    not-run="why"     not run, and why
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUN = ("python", "console")
BESIDE = ("examples", "theory")
"""Folders of the repository that a reader sits beside."""

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)
_MAKE = {"verify": "tdcert verify"}

Tdcert = Callable[[list[str]], tuple[int, str]]
"""Runs ``tdcert`` with these arguments: exit code, and what a terminal shows."""


class PageError(AssertionError):
    """A page shows what does not come true."""


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language, and what is said behind it."""

    page: str
    line: int
    language: str
    said: dict[str, str]
    text: str

    @property
    def place(self) -> str:
        """Page and line, as editors read them."""
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    source, name = page.read_text(encoding="utf-8"), page.name
    found = []
    for match in _FENCE.finditer(source):
        language, *words = shlex.split(match["info"]) or [""]
        said = {key: value for key, _, value in (word.partition("=") for word in words)}
        block = Block(name, source.count("\n", 0, match.start()) + 1, language, said, match["text"])
        if language not in RUN and re.search(r"^(\$|>>>) ", block.text, re.MULTILINE):
            raise PageError(f"{block.place}: a block with prompts is python or console, not '{language}'")
        if not set(said) <= {"file", "exit", "thorough", "not-run"} and not language.startswith("{"):
            raise PageError(f"{block.place}: '{match['info']}' says something unknown")
        if "not-run" in said and len(said["not-run"].split()) < 3:
            raise PageError(f"{block.place}: why is this block not run?")
        found.append(block)
    return found


@dataclass
class Reader:
    """Somebody who does what the pages say, one after the other. ``folder`` is where they sit."""

    folder: Path
    tdcert: Tdcert

    def __post_init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        for name in BESIDE:
            (self.folder / name).symlink_to(ROOT / name)

    def sit_alone(self) -> None:
        """The folder is empty from now on, as that of somebody who has installed a wheel."""
        for name in BESIDE:
            (self.folder / name).unlink()

    def run(self, block: Block) -> None:
        """Raises :class:`PageError` where the block does not do what it shows."""
        if "not-run" in block.said:
            return
        if "file" in block.said:
            (self.folder / block.said["file"]).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            self._python(block)
        elif block.language == "console":
            self._console(block)

    def _python(self, block: Block) -> None:
        if ">>> " not in block.text:
            exec(compile(block.text, block.place, "exec"), self.names)
            return
        test = doctest.DocTestParser().get_doctest(block.text, {}, block.place, block.page, block.line)
        test.globs = self.names
        told: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
        if runner.run(test, out=told.append, clear_globs=False).failed:
            raise PageError("".join(told))

    def _console(self, block: Block) -> None:
        commands = list(_commands(block.text))
        for k, (command, shown) in enumerate(commands):
            code, printed = self._command(command)
            right = int(block.said.get("exit", 0)) if k == len(commands) - 1 else 0
            if code != right:
                raise PageError(f"{block.place}: {command} ended with {code}, not {right}:\n{printed}")
            if shown.strip() and not doctest.OutputChecker().check_output(shown, printed, FLAGS):
                raise PageError(f"{block.place}: {command} prints\n{printed}\nand not\n{shown}")

    def _command(self, command: str) -> tuple[int, str]:
        name, *arguments = shlex.split(command)
        if name == "make":
            target, *given = arguments
            if f"\t@$(BIN)/{_MAKE[target]} $(ARGS)\n" not in (ROOT / "Makefile").read_text(encoding="utf-8"):
                raise PageError(f"the Makefile no longer says '{_MAKE[target]} $(ARGS)'")
            extra = " ".join(text.removeprefix("ARGS=") for text in given)
            return self._command(f"{_MAKE[target]} {extra}")
        if name.removeprefix(".venv/bin/") == "tdcert":
            return self.tdcert(arguments)
        if name in ("python", "pytest"):
            arguments = [*(["-m", "pytest", "-p", "no:cacheprovider"] if name == "pytest" else []), *arguments]
            name = sys.executable
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(
            [name, *arguments],
            cwd=self.folder,
            env=environment,
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return ran.returncode, ran.stdout


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Command, and the output that is shown below it. A command goes on behind a backslash."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        joined = re.sub(r"\\\n>?\s*", "", part)
        command, _, shown = joined.partition("\n")
        yield command, shown
