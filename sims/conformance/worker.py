"""The child process: builds the user's class and steps it along recorded trajectories.

Run as ``python worker.py FOLDER``. It imports nothing of ours, so that no module of the user's is hidden behind
one of ours with the same name; :class:`Transition` is therefore written a second time (a test holds the fields
equal). Iterates and progress lie in memory-mapped files: whatever the class does (hang, ``os._exit``, crash),
the parent can read how far it got. What the class prints never meets the protocol.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

CONSTRUCTOR, RESET, STEP = -2, -1, 0
"""Progress in place of a step's number: the constructor or ``reset`` is at work."""

ANYTHING = "**"
"""Among the names of parameters: any other keyword is taken."""


@dataclass(frozen=True)
class Transition:
    """What the class sees at time t: Python numbers, and read-only float64 arrays ``phi``, ``phi_next`` and
    ``expected_phi_next`` (d).
    """

    state: int
    action: int
    reward: float
    next_state: int
    phi: Any
    phi_next: Any
    rho: float
    discount: float
    first: bool
    pi: float = 1.0
    mu: float = 1.0
    interest: float = 1.0
    discount_before: float = 0.0
    rho_before: float = 1.0
    expected_phi_next: Any = None

    @property
    def terminated(self) -> bool:
        """Whether the transition ends an episode: its discount is 0."""
        return self.discount == 0.0

    @property
    def done(self) -> bool:
        """The value of ``terminated``, under the name that older code uses."""
        return self.terminated


class FaultError(Exception):
    """What ends the run: a kind, and what its sentence needs."""

    def __init__(self, kind: str, **detail: Any) -> None:
        super().__init__(kind)
        self.detail = {"kind": kind, **detail}


class WorkerRun:
    """One job: every trajectory in every mode, θ (and w) recorded after ``reset`` and after every step."""

    def __init__(self, folder: Path) -> None:
        self.job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        self.iterates = np.load(folder / "iterates.npy", mmap_mode="r+")
        self.progress = np.load(folder / "progress.npy", mmap_mode="r+")
        with np.load(folder / "job.npz") as arrays:
            self.sizes = arrays["sizes"]  # (cases, 3): d, number of λ's, T
            self.numbers = {name: arrays[name] for name in arrays.files}
        d, length, steps = self.sizes.T
        self.at = {
            "lambdas": _starts(length),
            "theta0": _starts(d),
            "steps": _starts(steps),
            "phi": _starts(steps * d),
        }
        entries = [sum(int(np.prod(shape)) for _, shape in slots) for slots in self.job["slots"]]
        lengths = (steps + 1) * np.array(entries, dtype=np.int64)
        self.at["iterates"] = _starts(lengths)
        self.per_mode = int(lengths.sum())

    def all(self, cls: Any) -> None:
        """``fresh``: an instance for each trajectory; ``reused``: one for all; ``side_by_side``: two in turns."""
        self.named = _parameters(getattr(cls, "reset", None))
        wanted = {what: word for what, word in self.wanted().items() if what in self.job["unless"]}
        if wanted != {what: self.job["unless"][what] for what in wanted}:
            raise FaultError("wants", **wanted)
        cases = range(len(self.sizes))
        for mode, name in enumerate(self.job["modes"]):
            if name == "side_by_side":
                for case in range(0, len(cases) - 1, 2):
                    pair = [self.built(cls, mode, case), self.built(cls, mode, case + 1)]
                    walks = [self.follow(learner, mode, case + i) for i, learner in enumerate(pair)]
                    for _ in zip_longest(*walks):
                        pass
                continue
            learner = None
            for case in cases:
                learner = self.built(cls, mode, case) if learner is None or name == "fresh" else learner
                for _ in self.follow(learner, mode, case):
                    pass

    def wanted(self) -> dict[str, str]:
        """What the parameters of ``reset`` ask for."""
        offered = self.job["offered"]
        if offered is None:
            return asked_for(self.named)
        taken = offered if ANYTHING in self.named else [name for name in offered if name in self.named]
        return {"takes": ",".join(taken), **({"discounts": "constant"} if "gamma" in self.named else {})}

    def built(self, cls: Any, mode: int, case: int) -> Any:
        """A new instance."""
        self.progress[:] = mode, case, CONSTRUCTOR
        learner = _guarded("the constructor", cls)
        for name in ("reset", "step"):
            if not callable(getattr(learner, name, None)):
                raise FaultError("lacks", name=name, what="method")
        return learner

    def follow(self, learner: Any, mode: int, case: int) -> Iterator[None]:
        """Resets the instance and steps it along one trajectory; pauses after each step."""
        d, length, steps = (int(x) for x in self.sizes[case])
        numbers, at = self.numbers, {name: int(starts[case]) for name, starts in self.at.items()}
        lambdas = tuple(numbers["lambdas"][at["lambdas"] : at["lambdas"] + length].tolist())
        here = mode * self.per_mode + at["iterates"]
        self.progress[:] = mode, case, RESET
        theta0 = _sealed(numbers["theta0"][at["theta0"] : at["theta0"] + d])
        _guarded("reset", learner.reset, **self.given(case, n_features=d, lambdas=lambdas, theta0=theta0))
        here = self.record(learner, here, case)
        yield
        rows = slice(at["steps"], at["steps"] + steps)
        handed = _handed(learner.step, self.job["steps"][case], numbers["sizes_of_steps"][rows].tolist())
        columns = ("state", "action", "reward", "next_state", "rho", "discount", "first")
        further = [numbers[name][rows].tolist() for name in ("pi", "mu", "interest", "discount_before", "rho_before")]
        for t, row in enumerate(zip(*(numbers[name][rows].tolist() for name in columns), strict=True)):
            state, action, reward, next_state, rho, discount, first = row
            phi, phi_next, expected = (
                _sealed(numbers[name][at["phi"] + t * d : at["phi"] + (t + 1) * d])
                for name in ("phi", "phi_next", "expected_phi_next")
            )
            self.progress[:] = mode, case, STEP + t
            more = (*(column[t] for column in further), expected)
            transition = Transition(state, action, reward, next_state, phi, phi_next, rho, discount, first, *more)
            _guarded("step", learner.step, transition, *handed[t][0], **handed[t][1])
            here = self.record(learner, here, case)
            yield

    def given(self, case: int, **given: Any) -> dict[str, Any]:
        """What ``reset`` is handed: ``gamma`` too where it names that and there is one, ``lam`` or nothing for the λ's
        where they are all the same and it names no ``lambdas``, ``theta0`` and ``w0`` where it names them. For a
        declared update, what was chosen for the case.
        """
        gamma, lambdas = self.job["gammas"][case], given["lambdas"]
        if {"gamma", ANYTHING} & self.named and gamma is not None:
            given["gamma"] = gamma
        settings, starts = self.job["given"][case]
        if self.job["offered"] is not None:
            del given["lambdas"], given["theta0"]
            given |= {name: tuple(x) if isinstance(x, list) else x for name, x in settings.items()}
            return given | {name: _start(np.array(x, dtype=np.float64)) for name, x in starts.items()}
        if self.named and not {"lambdas", ANYTHING} & self.named and len(set(lambdas)) <= 1:
            lam = lambdas[0] if lambdas else 0.0
            if "lam" in self.named:
                given["lam"] = lam
            if "lam" in self.named or lam == 0.0:
                del given["lambdas"]
        if "n_features" in self.named and not {"theta0", ANYTHING} & self.named:
            del given["theta0"]
        return given | {name: _start(np.array(x, dtype=np.float64)) for name, x in starts.items() if name in self.named}

    def record(self, learner: Any, here: int, case: int) -> int:
        """Copies the parameters; raises FaultError unless they are float64 arrays of their shapes, or numbers."""
        for name, shape in self.job["slots"][case]:
            try:
                value = getattr(learner, name)
            except AttributeError as error:
                if error.obj is not learner or error.name != name:  # raised by a property of that name
                    raise _raised(f"reading {name}", error) from None
                raise FaultError("lacks", name=name, what="attribute") from None
            except Exception as error:
                raise _raised(f"reading {name}", error) from None
            found = ""
            if not shape and isinstance(value, float | int):
                value = np.float64(value)
            if not isinstance(value, np.ndarray | np.float64):
                found = f"a {type(value).__name__}"
            elif value.dtype != np.float64:
                found = f"an array of {value.dtype}"
            elif list(value.shape) != shape:
                found = f"an array of shape {value.shape}"
            if found:
                raise FaultError("not_an_array", name=name, found=found, shape=shape)
            size = int(np.prod(shape))
            self.iterates[here : here + size] = np.ravel(value)
            here += size
        return here


def asked_for(named: Any) -> dict[str, str]:
    """The schedules and discounts that the parameters of ``reset`` speak of, and which starts it takes; what they leave
    open is missing.
    """
    if "n_features" not in named:
        return {}
    schedules = {} if {"lambdas", ANYTHING} & set(named) else {"schedules": "constant" if "lam" in named else "zero"}
    takes = [name for name in ("theta0", "w0") if name in named or (name == "theta0" and ANYTHING in named)]
    return {**schedules, **({"discounts": "constant"} if "gamma" in named else {}), "takes": ",".join(takes)}


def _parameters(call: Any) -> frozenset[str]:
    """The names that a call takes, :data:`ANYTHING` among them where it takes any; empty where they cannot be told."""
    try:
        found = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(ANYTHING if x.kind is x.VAR_KEYWORD else x.name for x in found)


def _starts(lengths: Any) -> Any:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]])


def _sealed(numbers: Any) -> Any:
    """A float64 array over bytes: it cannot be made writable."""
    return np.frombuffer(numbers.tobytes(), dtype=np.float64)


def _start(value: Any) -> Any:
    """Where a parameter begins: a read-only array, or a number."""
    return _sealed(value).reshape(value.shape) if value.shape else float(value)


def _handed(step: Any, steps: Any, sizes: Any) -> list[tuple[Any, dict[str, Any]]]:
    """How each update's step sizes go to ``step``, by place and by name: the first of these ways that its signature
    takes. ``steps``: their names, and how many of them the algorithm has; ``sizes``: one for each name.

    Those that it names, with all that the algorithm has among them; else in order: all, the algorithm's alone, or these
    and one more, for code that asks for a second where the algorithm has one.
    """
    names, own = steps
    named = _parameters(step)
    if set(names[:own]) <= named or ANYTHING in named:
        taken = [name for name in names if name in named or ANYTHING in named]
        if _fits(step, (None,), dict.fromkeys(taken, 0.0)):
            return [((), {name: x for name, x in zip(names, row, strict=True) if name in taken}) for row in sizes]
    rows: list[list[float]] = next(
        (
            found
            for found in (sizes, [row[:own] for row in sizes], [[*row[:own], row[0] / 2] for row in sizes])
            if _fits(step, (None, *found[0]), {})
        ),
        sizes,
    )
    return [(row, {}) for row in rows]


def _guarded(where: str, call: Any, *args: Any, **named: Any) -> Any:
    try:
        returned = call(*args, **named)
    except TypeError as error:
        if not _fits(call, args, named):
            raise FaultError("signature", where=where, text=_text(error)) from None
        raise _raised(where, error) from None
    except BaseException as error:  # SystemExit and the like too
        raise _raised(where, error) from None
    for found, holds in (("coroutine", inspect.iscoroutine), ("generator", inspect.isgenerator)):
        if holds(returned):
            returned.close()
            raise FaultError("not_run", where=where, found=found)
    return returned


def _fits(call: Any, args: Any, named: Any) -> bool:
    """Whether the call's signature takes these arguments (True where it cannot be told)."""
    try:
        inspect.signature(call).bind(*args, **named)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _raised(where: str, error: BaseException) -> FaultError:
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return FaultError("changes_input" if read_only else "raised", where=where, text=_text(error))


def _text(error: BaseException) -> str:
    try:
        words = " ".join(str(error).split())
    except Exception:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def load(target: Mapping[str, Any]) -> Any:
    """The class of that name."""
    found = find(target)
    if not isinstance(found, type):
        raise FaultError("not_a_class", name=target["qualname"], found=type(found).__name__)
    return found


def find(target: Mapping[str, Any]) -> Any:
    """What is named: by the module's name where that finds the right file, else from the file itself."""
    sys.path[:] = target["path"]
    module = _named(target) if target["module"] else None
    if module is None:
        module = _from_file(target)
    found: Any = module
    for name in target["qualname"].split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise FaultError("class_missing", name=target["qualname"], classes=_classes(module)) from None
    return found


def _named(target: Mapping[str, Any]) -> ModuleType | None:
    name = target["module"]
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise FaultError("import_failed", text=_text(error)) from None
        if target["file"] is None:
            raise FaultError("module_missing", name=name) from None
        return None
    except BaseException as error:
        raise FaultError("import_failed", text=_text(error)) from None
    asked, found = target["file"], getattr(module, "__file__", None)
    return module if asked is None or (found and os.path.samefile(found, asked)) else None


def _from_file(target: Mapping[str, Any]) -> ModuleType:
    place = Path(target["file"])
    sys.path.insert(0, str(place.parent))
    name = place.stem if place.stem not in sys.modules else f"_{place.stem}_on_trial"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise FaultError("import_failed", text="the file's name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        raise FaultError("import_failed", text=_text(error)) from None
    return module


def _classes(module: ModuleType) -> list[str]:
    own = [(name, found) for name, found in vars(module).items() if isinstance(found, type)]
    return [name for name, found in own if found.__module__ == module.__name__][:5]


def main(folder: Path) -> None:
    """Runs the job; what went wrong is left in ``fault.json``, and ``done`` says that the end was reached."""
    run = WorkerRun(folder)
    random.seed(run.job["seed"])
    np.random.seed(run.job["seed"])
    try:
        cls = load(run.job["target"])
        if "jax" in sys.modules:
            (folder / "jax").touch()
        run.all(cls)
    except FaultError as fault:
        (folder / "fault.json").write_text(json.dumps(fault.detail), encoding="utf-8")
    (folder / "done").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # threads the class left behind must not keep the process
