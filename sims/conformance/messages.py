"""The sentences of a trial: what went wrong, where, and what is asked for instead."""

from __future__ import annotations

from collections.abc import Sequence

from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.path_differences import Difference
from tdcert.sims.conformance.worker import CONSTRUCTOR, RESET
from tdcert.sims.judge.agreement import Agreement
from tdcert.sims.trials import stops
from tdcert.sims.trials.stops import Stop
from tdcert.sims.trials.trial import Likeness
from tdcert.theory.errors import by_shape
from tdcert.theory.words import counted

CALLS = {
    "the constructor": "the class is made without arguments; for one that takes some, examples/adapters/ has adapters",
    "reset": (
        "it is called as reset(n_features=…, lambdas=…, theta0=…), with w0=… too where it names that, gamma=… where "
        "discounts are constant, and lam=… in place of lambdas where schedules are (see --discounts, --schedules)"
    ),
    "step": "it is called as step(t, alpha, beta), or step(t, alpha) where there is no w",
}
CALLS_OF_A_DECLARED_UPDATE = {
    "the constructor": CALLS["the constructor"],
    "reset": (
        "it is called as reset(n_features=…), with what it names besides of the options, of the starts NAME0 of the "
        "parameters, and gamma where discounts are constant"
    ),
    "step": "it is called as step(t, …) with the step sizes in the order in which the update declares them",
}
SYMBOLS = {"theta": "θ", "w": "w"}


def place(case: TrialCase) -> str:
    """How large the model is."""
    return f"a model with {counted(case.model.n, 'state')} and {counted(case.model.d, 'feature')}"


def numbers(values: Sequence[float]) -> str:
    """A vector for a sentence."""
    return f"({', '.join(f'{x:.10g}' for x in values)})"


def stopped(stop: Stop, case: TrialCase) -> str:
    """Why a run did not reach its end; with a new instance for each trajectory, or which way it was not."""
    way = {"reused": "reset after an earlier run, ", "side_by_side": "with two instances in turns, "}
    return way.get(stop.mode, "") + _stopped(stop, case)


def _stopped(stop: Stop, case: TrialCase) -> str:
    at = {CONSTRUCTOR: "in its constructor", RESET: "in reset"}.get(stop.step, f"in step, at update {stop.step + 1}")
    detail, when = stop.detail, "after reset" if stop.step == RESET else f"after update {stop.step + 1}"
    if str(detail.get("where")).startswith("reading "):
        at = f"in {detail['where']} {when}"
    match stop.kind:
        case "signature":
            calls = CALLS_OF_A_DECLARED_UPDATE if case.declared else CALLS
            return f"{detail['where']} cannot be called ({detail['text']}); {calls[detail['where']]}"
        case "lacks":
            return f"it has no {detail['what']} '{detail['name']}'; docs/conformance.md says what is asked of a class"
        case "not_an_array":
            return f"{detail['name']} is {detail['found']} {when}; give {_wanted(detail['shape'])}"
        case "not_run":
            return f"{detail['where']} returns a {detail['found']}, so nothing in it is run; make it a plain method"
        case "changes_input":
            return f"it changes an array that it was given, {at} ({detail['text']}); copy what is to be changed"
    none = "; lambdas is empty there: if one λ is meant, give --schedules constant"
    instead = none if not case.lambdas and "IndexError" in str(detail.get("text")) else ""
    faster = "compile what it computes with jax.jit, or " if detail.get("jax") else ""
    return stops.stopped(stop, f"{at}, on {place(case)}", faster=faster, instead=instead)


def _wanted(shape: Sequence[int]) -> str:
    if not shape:
        return "one number"
    size = f"length {shape[0]}" if len(shape) == 1 else f"shape {by_shape(tuple(shape))}"
    return f"a float64 NumPy array of {size}"


def differs(case: TrialCase, difference: Difference, like: Likeness | None) -> str:
    """A path that leaves its bound; the mistake it looks like, if one fits."""
    symbol, step = SYMBOLS.get(difference.name, difference.name), difference.step
    when = "after reset" if step == 0 else f"after {counted(step, 'update')}"
    where = f"{when}, on {place(case)}"
    if difference.kind == "diverges":
        found = f"{symbol} diverges: it passed 1e100 {where}, where {numbers(difference.right)} is right"
    elif difference.kind == "not_a_number":
        found = f"{symbol} is not a number {where}, where {numbers(difference.right)} is right"
    else:
        slack = max(difference.allowed)
        rounding = f" (rounding explains {slack:.1g})" if step else ""
        found = f"{symbol} = {numbers(difference.found)} {where}, where {numbers(difference.right)} is right{rounding}"
    return like.added_to(found, "paths") if like else found


def diverged_elsewhere(step: int, case: TrialCase) -> str:
    """Divergence on another trajectory than the smallest that fails."""
    return f"it diverges too: an entry passed 1e100 after {counted(step, 'update')}, on {place(case)}"


def shared_state(case: TrialCase) -> str:
    """A new instance that goes on where another ended."""
    return (
        f"a new instance does not begin anew: on {place(case)} its path is wrong after other instances, and another in "
        "a process of its own; keep all state in the instance, and set it in reset"
    )


def reset_keeps(case: TrialCase, difference: Difference) -> str:
    """A reset that leaves something behind."""
    when = "at once" if difference.step == 0 else f"at update {difference.step}"
    what = f"{SYMBOLS.get(difference.name, difference.name)} differs {when}"
    return f"reset keeps something of the run before: on {place(case)} {what}; set all state anew in reset"


def instances_share(case: TrialCase, difference: Difference) -> str:
    """Two instances with one state."""
    what = f"{SYMBOLS.get(difference.name, difference.name)} is wrong after {counted(difference.step, 'update')}"
    return (
        f"two instances disturb each other: stepped in turns, on {place(case)} {what}; keep all state in the instance"
    )


def nothing_to_judge(algorithm: str) -> str:
    """An update that makes too much of rounding."""
    return (
        f"nothing can be judged: rounding alone may move the parameters of {algorithm} by more than a hundredth of the "
        "largest in one update; give an update that does not multiply or divide by numbers so far from 1"
    )


def not_judged(properties: Sequence[str]) -> str:
    """Says what is not judged because the bound on rounding says nothing."""
    return (
        "not judged where rounding alone may move the parameters by more than a hundredth of the largest: "
        + "; ".join(properties)
    )


def no_law(algorithm: str, sampling: str) -> str:
    """What is not asked of an algorithm whose exact moments are not computed."""
    return f"judged by its paths alone: {_uncomputed(algorithm, sampling)}"


def random_without_law(algorithm: str, sampling: str) -> str:
    """Randomness where there is no law to hold it to."""
    return (
        "its own randomness moves its paths, so that they cannot be judged, and "
        f"{_uncomputed(algorithm, sampling)}; make it without its randomness"
    )


def _uncomputed(algorithm: str, sampling: str) -> str:
    draws = "" if sampling == "path" else " under independent draws"
    return f"the exact law of {algorithm}{draws} is not computed"


def law_differs(how: str, found: Agreement) -> str:
    """Moments that theory does not give."""
    why = {
        "in_law": "its own randomness moves its paths, and their law is wrong",
        "single_precision": "its paths agree to single precision, but their law is wrong",
        "in_batches": "its updates come in batches, and their law is wrong",
    }[how]
    return f"{why}: {found.sentence()}"
