"""The command line: one file for each command, which registers it; what they ask for runs in :func:`main`.

Exit codes: 0 done, nothing against expectation; 1 a verdict differs from its prediction, a claim is
refuted though its hypotheses hold, a certificate is rejected, a class does not conform, ``diff`` found a
change; 2 bad usage or input, one sentence on stderr; 3 a fault of tdcert itself, one line with the
path of a log; 130 interrupted. No traceback reaches a user.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

from tdcert.reports.cli.app import BAD_INPUT, DONE, INTERRUPTED, OWN_FAULT, Task, app, print_text, refuse
from tdcert.theory import guard
from tdcert.theory.deferred import defer
from tdcert.theory.errors import InputError
from tdcert.theory.extras import of_an_extra
from tdcert.theory.threads import one_thread

COMMANDS = (
    "algorithms",
    "analyze",
    "certify",
    "check",
    "conform",
    "diff",
    "papers",
    "samples",
    "show",
    "sweep",
    "verify",
)
"""In the order of the help."""

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "OWN_FAULT", "app", "main"]

_IDLE = ("OPENBLAS_THREAD_TIMEOUT", "4")
"""How long idle threads of OpenBLAS, which NumPy comes with, wait for work without sleeping: 2⁴ cycles, the least
that it takes. Its 2²⁶ double the processor time of matrices with a hundred rows. Large ones keep all threads.
"""


_OBJECTS = (250_000, 20, 20)
"""How many new objects start a search for cycles of garbage in a process of the command: a seventh of the time of exact
tables is spent on them with Python's 700, and a command makes few cycles.
"""


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("tdcert")
        except PackageNotFoundError:
            found = "(not installed)"
        print_text(f"tdcert {found}\n")
        raise typer.Exit(DONE)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version and leave.")
    ] = False,
) -> Task | None:
    return partial(print_text, context.get_help() + "\n") if context.invoked_subcommand is None else None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; see the module docstring.

    Without arguments it is the process's own command line, and runs under a guard (:mod:`tdcert.theory.guard`).
    """
    if argv is not None:
        return _run(argv)
    if (code := guard.guarded(_lost)) is not None:
        return code
    one_thread()
    defer()
    gc.set_threshold(*_OBJECTS)
    return guard.end(_run(sys.argv[1:]))


def register(asked: str) -> None:
    """Registers a command by the import of its file; all of them where ``asked`` is none. The options of a command that
    is not asked for take as long to set up as those of the one that is.
    """
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        import_module(f"{__name__}.{name}_command")
    app.registered_commands.sort(key=lambda one: COMMANDS.index(one.callback.__name__) if one.callback else -1)


def _run(arguments: Sequence[str]) -> int:
    os.environ.setdefault(*_IDLE)  # read once, when NumPy is imported: by a task, not before
    arguments = with_values(arguments)
    register(arguments[0] if arguments else "")
    restore = _interrupt_on_termination()
    try:
        asked: Any = app(args=arguments, prog_name="tdcert", standalone_mode=False)
        return asked() if callable(asked) else int(asked or DONE)
    except typer.TyperException as error:
        return refuse(_usage(error, arguments))
    except InputError as error:
        return refuse(str(error))
    except ImportError as error:
        missing = of_an_extra(error)
        return refuse(str(missing)) if missing else _own_fault(error, arguments)
    except KeyboardInterrupt:
        return guard.leave(refuse(_HALF, INTERRUPTED))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush must not fail too
        return DONE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else DONE
    except Exception as error:
        return _own_fault(error, arguments)
    finally:
        restore()


WORDS_OF: dict[str, tuple[str, ...]] = {"--robustness": ("transitions", "discount", "behaviour", "target")}
"""Options whose value may be left out, and the words of which it is made."""


def with_values(arguments: Sequence[str]) -> list[str]:
    """The command line with an empty value behind each of :data:`WORDS_OF` that has none: what follows is another
    option or a model.
    """
    found = list(arguments)
    for k, option in enumerate(found):
        if option in WORDS_OF:
            following = found[k + 1] if k + 1 < len(found) else "-"
            named = set(map(str.strip, following.split(","))) <= set(WORDS_OF[option])
            model = re.search(r"^-|[./:\\]", following) or os.path.exists(following)
            found[k] = f"{option}=" if model and not named else option
    return found


_HALF = "interrupted; no report was left half-written"


def _lost(pid: int, folders: list[str], number: int | None) -> None:
    """What the guard says and does where the process that computed was killed."""
    if folders:
        from tdcert.reports.output import OutputFolder

        for place in folders:
            OutputFolder(place).tidy_after(pid)
    refuse(_HALF if number is None else f"the computation was killed by signal {number}, as happens where memory ends")


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> str:
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    command = next((word for word in arguments if word in commands), "")
    message = error.format_message().replace("Value error, ", "").strip().rstrip(".")
    unknown = re.match(r"No such option: --?([\w-]+)", message)
    if unknown and (meant := _meant(unknown[1].lower(), command)):
        message = f"{unknown[0]}; did you mean {meant}?"
    return f"{message}; see 'tdcert {command + ' ' if command else ''}--help'"


def _meant(option: str, command: str) -> str:
    """The option of the command that people often call so; empty where it has none."""
    from tdcert.reports.cli.synonyms import OPTIONS

    commands: Any = typer.main.get_command(app)
    known = {word for one in commands.commands[command].params for word in one.opts} if command else set()
    return next((f"--{name}" for name in OPTIONS.get(option, ()) if f"--{name}" in known), "")


def _own_fault(error: Exception, arguments: Sequence[str]) -> int:
    import platform
    import tempfile
    import traceback

    try:
        handle, path = tempfile.mkstemp(prefix="tdcert-", suffix=".log", text=True)
        with open(handle, "w", encoding="utf-8") as log:
            log.write(f"tdcert {' '.join(arguments)}\nPython {platform.python_version()}, {platform.platform()}\n\n")
            log.write("".join(traceback.format_exception(error)))
    except OSError:
        path = "nowhere, for no log could be written"
    return refuse(f"this is a fault of tdcert itself ({type(error).__name__}); the log is {path}", OWN_FAULT)


def _interrupt_on_termination() -> Callable[[], None]:
    """A polite request to end is treated as Ctrl-C is: clean up, then leave. Returns what undoes it."""

    heard = False

    def interrupt(number: int, frame: object) -> None:
        nonlocal heard
        guard.heard()
        if not heard:  # a group of processes is told at once, and the guard passes it on: both are one request
            heard = True
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(number, signal.signal(number, interrupt)) for number in guard.heeded(*numbers)]
    except ValueError:  # not the main thread
        return lambda: None

    def restore() -> None:
        for number, handler in before:
            signal.signal(number, handler)

    return restore
