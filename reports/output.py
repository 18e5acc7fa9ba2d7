"""The folder a run writes: made beside its place, then swapped in whole.

While it is written the folder is called ``.NAME.tdcert-PID``; during the swap the previous one is
``.NAME.tdcert-PID.previous``. A run that is killed leaves such a folder behind, and the next run tidies
it up: a previous report without a successor is put back, the rest of a dead process is removed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tdcert.theory.errors import InputError
from tdcert.theory.files.examples import PREFIX as EXAMPLE
from tdcert.theory.files.gym import PREFIX
from tdcert.theory.files.numerals import quoted
from tdcert.theory.guard import writes_beside

DOCUMENTS = {
    "verdicts.json": "a verification",
    "analysis.json": "an analysis",
    "certify.json": "an answer of tdcert certify",
    "updates.json": "a comparison of algorithms",
    "samples.json": "transitions",
}
"""The file that marks a folder as a report, which opens with its format; and what it is the report of."""

_MARK = re.compile(rb'\s*\{\s*"format":\s*"tdcert-(verdicts|analysis|certify|updates|samples)/[12]"')
_OURS = re.compile(
    r"index\.html|model\.(json|npz)|verdicts\.json|analysis\.json|certify\.json|updates\.json|samples\.json|matrices/.*\.json|certificates/.*\.json"
    r"|figures/.*\.(svg|png|csv)|formal/(.*\.v|_CoqProject|proofs\.json|words\.html)|verdicts/\w+\.json|checker/(\w+\.py|__pycache__/.*\.pyc)"
)
_IGNORED = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})  # file managers leave these anywhere


def analysis_folder(source: str) -> Path:
    """``analysis-NAME``: where an analysis goes if no folder is given, NAME from the file or environment."""
    named = next((prefix for prefix in (PREFIX, EXAMPLE) if source.startswith(prefix)), None)
    name = Path(source).stem if named is None else source.removeprefix(named)
    return Path("analysis-" + (re.sub(r"[^\w.+-]+", "-", name)[:100].strip("-.") or "model"))


@dataclass(frozen=True)
class Analysed:
    """What makes two analyses analyses of one model: its ``source`` as the user wrote it (None: it is in no file), or
    else its ``digest``.
    """

    source: str | None
    digest: str
    document: str = "analysis.json"


class OutputFolder:
    """A report's folder in the making; use as a context manager, then ``write`` and ``commit``.

    ``model``: of an analysis; None for a verification. Entering refuses, before any work is done, a place that is no
    folder, holds what is not ours, or a report of another kind or model.
    Leaving without ``commit`` removes everything that was written and leaves the previous report whole.
    Raises :class:`InputError` for every such refusal and whenever the place cannot be written; where nobody ``asked``
    for that place, the report is written among the temporary files instead, and ``elsewhere`` says so.
    """

    def __init__(self, place: str | Path, model: Analysed | None = None, *, asked: bool = True) -> None:
        self.shown, self.model, self.asked, self.elsewhere = str(place), model, asked, ""
        try:
            self.place = Path(os.path.realpath(place))
        except ValueError:  # a NUL byte
            raise InputError("the path given to --out cannot be a path; give the name of a folder") from None
        self._made_parents: list[Path] = []
        self._staging = self._beside(os.getpid())

    def __enter__(self) -> OutputFolder:
        self._refuse_what_is_not_ours()
        try:
            self._stage()
        except OSError as error:
            self._remove_made_parents()
            if self.asked:
                raise self._unwritable(error) from None
            self._move(error)
        return self

    def _stage(self) -> None:
        for parent in reversed(self.place.parents):
            if not parent.exists():
                parent.mkdir()
                self._made_parents.append(parent)
        for path, pid in self._left_behind():
            if pid == os.getpid() or not _alive(pid):
                self._tidy(path)
        writes_beside(str(self.place))
        self._staging.mkdir()

    def _move(self, why: OSError) -> None:
        try:
            self.place = Path(os.path.realpath(tempfile.mkdtemp(prefix="tdcert-"))) / self.place.name
            self._staging = self._beside(os.getpid())
            self._stage()
        except OSError:
            raise self._unwritable(why) from None
        self.elsewhere = (
            f"the folder '{self.shown}' cannot be written ({why.strerror}); the report is in '{self.place}'"
        )
        self.shown = str(self.place)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tidy_after(os.getpid())
        if kind is not None:
            self._remove_made_parents()

    def tidy_after(self, pid: int) -> None:
        """Removes what a process left unfinished, and puts back the report that it was about to replace."""
        for path, writer in self._left_behind():
            if writer == pid:
                self._tidy(path)

    def path(self, relative: str) -> Path:
        """Where a file lies until the swap."""
        inside = Path(relative)
        if inside.is_absolute() or ".." in inside.parts:
            raise ValueError(f"a report's file leaves its folder: {relative}")
        return self._staging / inside

    def write(self, files: Mapping[str, bytes]) -> None:
        """Writes files, named by their path inside the folder."""
        try:
            for relative, content in files.items():
                path = self.path(relative)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        except OSError as error:
            raise self._unwritable(error) from None

    def commit(self) -> None:
        """Swaps the folder in; whatever goes wrong in between, leaving puts the previous one back."""
        self._refuse_what_is_not_ours()
        try:
            if self.place.exists():
                self.place.rename(self._beside(os.getpid(), ".previous"))
            self._staging.rename(self.place)
        except OSError as error:
            raise self._unwritable(error) from None

    def _beside(self, pid: int, suffix: str = "") -> Path:
        return self.place.with_name(f".{self.place.name}.tdcert-{pid}{suffix}") if self.place.name else self.place

    def _left_behind(self) -> list[tuple[Path, int]]:
        pattern = re.compile(rf"\.{re.escape(self.place.name)}\.tdcert-(\d+)(\.previous)?")
        try:
            names = sorted(os.listdir(self.place.parent))
        except OSError:
            return []
        return [(self.place.parent / name, int(match[1])) for name in names if (match := pattern.fullmatch(name))]

    def _tidy(self, path: Path) -> None:
        if path.name.endswith(".previous") and not self.place.exists():
            path.rename(self.place)
        else:
            shutil.rmtree(path, ignore_errors=True)

    def _remove_made_parents(self) -> None:
        for parent in reversed(self._made_parents):
            try:
                parent.rmdir()
            except OSError:  # somebody else uses it by now
                return

    def _refuse_what_is_not_ours(self) -> None:
        try:
            if not self.place.name or Path.cwd().is_relative_to(self.place):
                raise InputError(f"'{self.shown}' holds the current folder; give --out a folder of its own")
            if not self.place.exists():
                return
            if not self.place.is_dir():
                raise InputError(f"'{self.shown}' is not a folder; give --out the name of a folder")
            found = [
                str(path.relative_to(self.place).as_posix())
                for path in sorted(self.place.rglob("*"))
                if not path.is_dir() and path.name not in _IGNORED
            ]
            if not found:
                return
            marks = [name for name in found if name in DOCUMENTS and _is_marked(self.place / name)]
            if not marks:
                raise InputError(
                    f"the folder '{self.shown}' is not empty and holds no report of tdcert; give --out another folder"
                )
            foreign = [name for name in found if not _OURS.fullmatch(name)]
            if foreign:
                raise InputError(
                    f"the folder '{self.shown}' also holds '{foreign[0]}', which tdcert did not write "
                    "and would remove; move it away or give --out another folder"
                )
            for name in marks:
                self._refuse_another_report(name)
        except OSError as error:
            raise self._unwritable(error) from None

    def _refuse_another_report(self, name: str) -> None:
        """A report is replaced by one of its own kind and model alone."""
        kind = "verdicts.json" if self.model is None else self.model.document
        if name != kind:
            raise InputError(
                f"the folder '{self.shown}' holds the report of {DOCUMENTS[name]}, and this is {DOCUMENTS[kind]}; give "
                "--out another folder"
            )
        if self.model is None:
            return
        try:
            document = json.loads((self.place / name).read_bytes())
            about = document.get("model", document)  # of transitions no model is known, and the set has a digest
            known = document.get("source", about.get("name")), about["digest"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            known = "an unknown model", ""
        same_source = self.model.source is not None and known[0] == self.model.source
        if not same_source and known[1] != self.model.digest:
            raise InputError(
                f"the folder '{self.shown}' holds {DOCUMENTS[kind]} of another model, {quoted(str(known[0]))}; "
                "give --out another folder"
            )

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(f"the folder '{self.shown}' cannot be written ({error.strerror}); give --out another folder")


def beside_certificates(paths: Sequence[Path]) -> list[Path]:
    """The files found in a folder that belong to a report and are none of its certificates."""
    reports = [path.parent for path in paths if path.name in DOCUMENTS and _is_marked(path)]
    return [
        path
        for path in paths
        if any(path.is_relative_to(top) and path.relative_to(top).parts[0] != "certificates" for top in reports)
    ]


def _is_marked(path: Path) -> bool:
    with open(path, "rb") as file:
        return _MARK.match(file.read(200)) is not None


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
