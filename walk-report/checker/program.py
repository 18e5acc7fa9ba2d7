"""All kinds, and the program that reads files."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Sequence

from . import limits
from .around import ModelsAround
from .budget import BUDGET, SPENT, Kept, NotChecked, Rejected
from .cells import path_exponent_cells
from .chain import full_column_rank, irreducible, missing_coverage, period, rank_deficient, reducible, stationary_law
from .convergence import convergence
from .folder import ACCEPTED, NOT_CHECKED, REJECTED, overall, printable, replayed
from .for_ever import update_for_ever
from .memory import update_covariance, update_memory_bounded, update_memory_unbounded
from .model import Case, Model
from .nodes import (
    update_mean_bounded,
    update_mean_square_bounded,
    update_mean_square_unbounded,
    update_mean_unbounded,
    update_moments,
)
from .over_sets import OverSet, set_on_policy, set_regular, set_stable, set_undecided, set_unstable
from .paths import path_exponent_determinant, path_exponent_forms, path_exponent_scalar, path_product_zero
from .reading import ModelRead, choice, parse, record, show
from .regime import update_hurwitz, update_rest, update_unstable
from .relation import relation
from .restart import path_exponent_determinant_restart, path_exponent_forms_restart
from .sets import SetOfModels
from .signs import (
    contraction,
    definite,
    fixed_point,
    gradient_stable,
    hurwitz,
    nonsingular,
    not_contraction,
    not_definite,
    singular,
    unstable,
)
from .small_steps import update_no_safe_step, update_safe_steps
from .sums import Models
from .windows import mean_square_bounded, mean_square_unbounded

LAWS = (stationary_law, irreducible, reducible, period, full_column_rank, rank_deficient, missing_coverage)
SIGNS = (definite, not_definite, nonsingular, singular, gradient_stable, hurwitz, unstable)
NUMBERS = (fixed_point, contraction, not_contraction, mean_square_bounded, mean_square_unbounded, convergence, relation)
UPDATES = (update_hurwitz, update_unstable, update_rest, update_mean_square_bounded, update_mean_square_unbounded)
AT_STEPS = (update_mean_bounded, update_mean_unbounded, update_for_ever, update_moments)
MEMORY = (update_memory_bounded, update_memory_unbounded, update_covariance, update_safe_steps, update_no_safe_step)
PATHS = (path_exponent_forms, path_exponent_determinant, path_exponent_scalar, path_product_zero)
RESTARTS = (path_exponent_determinant_restart, path_exponent_forms_restart)
DIRECTIONS = (path_exponent_cells,)
ALL = LAWS + SIGNS + NUMBERS + UPDATES + AT_STEPS + MEMORY + PATHS + RESTARTS + DIRECTIONS
DRAWN = UPDATES + AT_STEPS[:2] + (update_moments, update_covariance) + PATHS + DIRECTIONS
"""Kinds that are asked of transitions drawn independently, too; all others are about a path."""
BY_TERMS = UPDATES + AT_STEPS + MEMORY + PATHS + RESTARTS + DIRECTIONS
"""Kinds that are about an update by its terms; where lambda is given by state, no other is asked."""
OVER_SETS = (set_stable, set_unstable, set_regular, set_on_policy, set_undecided)
SETS: dict[str, Callable[[OverSet], str]] = {kind.__name__: kind for kind in OVER_SETS}
KINDS: dict[str, Callable[..., str]] = {**{kind.__name__: kind for kind in ALL}, **SETS}
MODELS: Kept[Model] = Kept()
MODEL_SETS: Kept[Models] = Kept()
READ: list[ModelRead | None] = [None]
"""The model of the file that was read last: many files of a report hold the same."""


def read_set(value: object) -> Models:
    """Models around one, or those that counts leave."""
    is_around = isinstance(value, dict) and value.get("format") == "tdcert-around/1"
    return ModelsAround(value) if is_around else SetOfModels(value)


def check_text(text: str | bytes, budget: int | None = limits.MAX_WORK) -> str:
    """What the certificate establishes, in words; raises `Rejected` or `NotChecked`, and nothing else.

    `budget`: estimated nanoseconds; None: however many it takes.
    """
    SPENT.set([0, 0])
    BUDGET.set(budget)
    try:
        keys = "format kind claim model digest about witness"
        value = record(parse(text, READ[0]), "the file", keys.split())
        choice(value["format"], "format", ["tdcert-certificate/1"])
        kind = choice(value["kind"], "kind", list(KINDS))
        if not isinstance(value["claim"], str | None):
            raise Rejected(f"claim: {show(value['claim'])} stands where a name or null is needed")
        if (read := READ[0]) is None or value["model"] is not read.value:
            READ[0] = read = ModelRead(value["model"])
        canonical, digest, given = read.canonical, read.digest, (value["about"], value["witness"])
        case: Case | OverSet
        if kind in SETS:
            case = OverSet(MODEL_SETS.of(canonical, lambda: read_set(value["model"])), digest, *given)
        else:
            model = MODELS.of(canonical, lambda: Model(value["model"]))
            case = Case(copy.copy(model), digest, *given)  # what a check adds to it stays its own
        if value["digest"] != digest:
            raise Rejected(f"digest: {show(value['digest'])} is not that of the model, {digest}")
        if isinstance(case, Case) and case.model.sampling is not None and KINDS[kind] not in DRAWN:
            raise Rejected("kind: it is about a path, and the model's transitions are drawn independently")
        if isinstance(case, Case) and (case.model.by_state or case.model.interest) and KINDS[kind] not in BY_TERMS:
            what = "lambda is given by state" if case.model.by_state else "interest is given"
            raise Rejected(f"kind: it is about no update by its terms, and the model's {what}")
        return f"{KINDS[kind](case)} (model {digest[:12]})"
    except (Rejected, NotChecked):
        raise
    except MemoryError:
        raise NotChecked("the file needs more memory than there is") from None
    except Exception as error:  # the last net: no input may end in a traceback
        raise Rejected(f"the checker met something unexpected ({type(error).__name__})") from error


def check_file(path: str, budget: int | None = limits.MAX_WORK) -> str:
    """`check_text` of a file."""
    try:
        with open(path, "rb") as file:
            content = file.read(limits.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Rejected(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return check_text(content, budget)


def answer(path: str, patient: bool) -> tuple[int, str]:
    """The exit code that one file asks for, and its line."""
    name = printable(path)
    try:
        return ACCEPTED, f"accepted: {name}: {check_file(path, None if patient else limits.MAX_WORK)}"
    except Rejected as reason:
        return REJECTED, f"rejected: {name}: {reason}"
    except NotChecked as reason:
        return NOT_CHECKED, f"not checked: {name}: {reason}"


def main(argv: Sequence[str]) -> int:
    """One line for each file; of a folder, what `replayed` says; `--patient`: the work has no bound."""
    paths, codes = [x for x in argv if x != "--patient"], []

    def ask(path: str) -> tuple[int, str]:
        return answer(path, len(paths) < len(argv))

    for path in paths:
        for code, line in replayed(path, ask) if os.path.isdir(path) else [ask(path)]:
            codes.append(code)
            encoding = sys.stdout.encoding or "ascii"
            print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    if not paths:
        print("rejected: no file was named; give certificates as arguments", file=sys.stderr)
        return REJECTED
    return overall(codes)
