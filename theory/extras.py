"""Libraries that some questions alone need, and the extras of tdcert that bring them."""

from __future__ import annotations

from importlib.util import find_spec

from tdcert.theory.errors import InputError

EXTRAS = {
    "distributed": "cluster",
    "gymnasium": "gym",
    "hypothesis": "strategies",
    "jinja2": "report",
    "matplotlib": "report",
    "numba": "sim",
    "pyarrow": "sweep",
}
"""The extra that brings a library; whatever else tdcert imports comes with it."""

PAGES = ("jinja2", "matplotlib")
"""What pages are made with."""


def lacking(what: str, *libraries: str) -> str:
    """The sentence that ``what`` needs those libraries that are not installed, with the pip line; empty if all are."""
    missing = [name for name in libraries if find_spec(name) is None]
    if not missing:
        return ""
    extras = ",".join(sorted({EXTRAS[name] for name in missing}))
    several, names = len(missing) > 1, " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    return (
        f"{what} needs {names}, which {'are' if several else 'is'} not installed; "
        f"pip install 'tdcert[{extras}]' brings {'them' if several else 'it'}"
    )


def require(what: str, *libraries: str) -> None:
    """Raises :class:`InputError`, the sentence of :func:`lacking`, unless all are installed."""
    if sentence := lacking(what, *libraries):
        raise InputError(sentence)


def of_an_extra(error: ImportError) -> InputError | None:
    """The sentence in the place of Python's own, where what could not be imported belongs to an extra."""
    name = str(error.name).partition(".")[0]
    return InputError(lacking("this question", name)) if name in EXTRAS and find_spec(name) is None else None
