"""The folder of an analysis, as the command line and Python write it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tdcert.analysis.result import AnalysisResult
from tdcert.reports.documents import Checked, certificate_files, json_bytes
from tdcert.reports.output import OutputFolder
from tdcert.reports.replay import checker_files, replay
from tdcert.theory.files import LoadedModel, LoadedSparse
from tdcert.theory.files.npz import save_npz
from tdcert.theory.model.mdp import Model
from tdcert.theory.progress import Progress

ModelFile = tuple[str, bytes]
"""Name and content of the model file that lies in a report."""


def written_analysis(
    folder: OutputFolder, run: AnalysisResult, model_file: ModelFile | None, on_progress: Progress, png: bool
) -> Checked:
    """Writes certificates and their checker, page and, where there is one, the model file; what the checker says.
    ``png``: whether figures are written as PNG, too.
    """
    from tdcert.reports.analysis_page import analysis_files

    if run.certificates:
        folder.write({**certificate_files(run.certificates), **checker_files()})
    checked = replay(folder, run.certificates, on_progress)
    on_progress(1, 1, "writing the report")
    folder.write(analysis_files(run, checked, on_progress, png))
    if model_file:
        folder.write(dict([model_file]))
    return checked


def model_of_the_report(source: str, folder: OutputFolder) -> ModelFile | None:
    """The model file that is read from the very folder that is written: it must not go when the folder is replaced."""
    path = Path(source)
    if path.name not in ("model.json", "model.npz") or path.resolve().parent != folder.place:
        return None
    return path.name, path.read_bytes()


def file_name(loaded: LoadedModel | LoadedSparse) -> str:
    """The name of the file that a model from Python is saved in."""
    return "model.json" if isinstance(loaded, LoadedModel) else "model.npz"


def file_of(loaded: LoadedModel | LoadedSparse) -> ModelFile:
    """A model that is in no file, as one that reads back as an equal model."""
    name, model = file_name(loaded), loaded.model
    if isinstance(model, Model):
        return name, json_bytes({**model.canonical, **({"name": model.name} if model.name else {})})
    with tempfile.TemporaryDirectory() as place:
        save_npz(Path(place) / name, model)
        return name, (Path(place) / name).read_bytes()
