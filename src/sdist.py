"""The source distribution is the repository: its folders once, with the links of ``src/tdcert`` to them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from setuptools.command.sdist import sdist

LINKED = Path("src", "tdcert")


class Sdist(sdist):
    """Writes links where setuptools copies what they lead to."""

    def make_release_tree(self, base_dir: str, files: Sequence[str]) -> None:
        """Copies the files, then puts the links of the package back."""
        super().make_release_tree(base_dir, files)
        for link in (one for one in LINKED.iterdir() if one.is_symlink()):
            copied = Path(base_dir, link)
            shutil.rmtree(copied)
            copied.symlink_to(os.readlink(link))
