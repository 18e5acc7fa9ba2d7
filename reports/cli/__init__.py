"""The command line: one file for each command, registered here; what they ask for runs in :func:`main`.

Exit codes: 0 done, nothing against expectation; 1 a verdict differs from its prediction, a claim is
refuted though its hypotheses hold, a certificate is rejected, a class does not conform, ``diff`` found a
change; 2 bad usage or input, one sentence on stderr; 3 a fault of tdcert itself, one line with the
path of a log; 130 interrupted. No traceback reaches a user.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from tdcert.reports.cli import (  # noqa: F401  (each registers its command, in the order of the help)
    algorithms_command,  # isort: split
    analyze_command,  # isort: split
    certify_command,  # isort: split
    check_command,  # isort: split
    conform_command,  # isort: split
    diff_command,  # isort: split
    show_command,  # isort: split
    sweep_command,
    verify_command,  # isort: split
)

from tdcert.reports.cli.app import BAD_INPUT, DONE, INTERRUPTED, OWN_FAULT, Task, app, print_text, refuse
from tdcert.theory.errors import InputError

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "OWN_FAULT", "app", "main"]


def _version(asked: bool) -> None:
    from importlib.metadata import PackageNotFoundError, version

    if asked:
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
    """Runs the command line and returns its exit code; see the module docstring."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    restore = _interrupt_on_termination()
    try:
        asked: Any = app(args=arguments, prog_name="tdcert", standalone_mode=False)
        return asked() if callable(asked) else int(asked or DONE)
    except typer.TyperException as error:
        return refuse(_usage(error, arguments))
    except InputError as error:
        return refuse(str(error))
    except KeyboardInterrupt:
        return refuse("interrupted; no report was left half-written", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush must not fail too
        return DONE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else DONE
    except Exception as error:
        return _own_fault(error, arguments)
    finally:
        restore()


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> str:
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    command = next((word for word in arguments if word in commands), "")
    message = error.format_message().replace("Value error, ", "").strip().rstrip(".")
    return f"{message}; see 'tdcert {command + ' ' if command else ''}--help'"


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

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(getattr(signal, name), signal.signal(getattr(signal, name), interrupt)) for name in names]
    except ValueError:  # not the main thread
        return lambda: None

    def restore() -> None:
        for number, handler in before:
            signal.signal(number, handler)

    return restore
