"""What a function that estimates returns is handed, and what it owes: declared in a contract, never guessed.

A contract says how a row of experience is laid out (axes, what stands where episodes meet), what each argument holds,
what is to happen where an episode is cut, and what is returned. Contracts for common conventions lie in ``contracts/``;
a file of the same form declares any other. ``docs/estimators.md`` explains the words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.model.estimators import FORWARD, TRACES

FORMAT = "tdcert-estimator-contract/1"
FOLDER = Path(__file__).parent / "contracts"

STEP, STEP_AND_LAST, ROW, SCALAR, SEQUENCE = "T", "T+1", "per row", "number", "sequence"

HOLDS: Mapping[str, tuple[str, str]] = {
    "rewards": (STEP, "R_{t+1}"),
    "folded_rewards": (STEP, "R_{t+1}, and where step t truncates R_{t+1} + γ V(final state)"),
    "values": (STEP, "V(s_t); with action values E_π Q(s_t, ·)"),
    "next_values": (STEP, "V of the state that step t leads to: the final one where an episode is cut"),
    "next_values_or_zero": (STEP, "the same, and 0 where step t terminates"),
    "successor_values": (STEP, "the entry of `values` one row later, whatever episode it is of; last: V(s_T)"),
    "action_values": (STEP, "Q(s_t, a_t)"),
    "next_action_values": (STEP, "Q(s_{t+1}, a_{t+1}); 0 at the end of the row"),
    "policy": (STEP, "π(a_t|s_t)"),
    "next_policy": (STEP, "π(a_{t+1}|s_{t+1}); 1 at the end of the row"),
    "rhos": (STEP, "ρ_t = π(a_t|s_t)/μ(a_t|s_t)"),
    "next_rhos": (STEP, "ρ_{t+1}; 1 at the end of the row"),
    "log_rhos": (STEP, "log ρ_t"),
    "target_log_probs": (STEP, "log π(a_t|s_t)"),
    "behaviour_log_probs": (STEP, "log μ(a_t|s_t)"),
    "discounts": (STEP, "the discount of step t, 0 where it terminates"),
    "lambdas": (STEP, "λ between steps t and t + 1"),
    "lambdas_and_cuts": (STEP, "the same, and 0 where an episode is cut at step t"),
    "terminated": (STEP, "whether step t ends its episode in a terminal state"),
    "truncated": (STEP, "whether step t is the last of an episode that was cut off"),
    "done": (STEP, "terminated or truncated"),
    "first": (STEP, "whether s_t is the first state of an episode"),
    "valid": (STEP, "whether row entry t is a step, not padding and not a reset"),
    "values_and_last": (STEP_AND_LAST, "V(s_0) … V(s_{T−1}), V(s_T)"),
    "first_and_last": (STEP_AND_LAST, "`first`, and whether the last step ended an episode"),
    "rewards_on_arrival": (STEP_AND_LAST, "R_t, the reward of the step that led to s_t; the first is of no row"),
    "values_on_arrival": (STEP_AND_LAST, "V(s_0), then `next_values`"),
    "terminated_on_arrival": (STEP_AND_LAST, "whether s_t is terminal: `terminated` of the step before; first 0"),
    "done_on_arrival": (
        STEP_AND_LAST,
        "whether s_t is the last state of an episode: `done` of the step before; first 0",
    ),
    "last_value": (ROW, "V of the state that the last step leads to"),
    "last_value_or_zero": (ROW, "the same, and 0 where the last step terminates"),
    "last_done": (ROW, "whether the last step ended an episode"),
    "last_terminated": (ROW, "whether the last step terminated"),
    "length": (ROW, "number of steps before the padding"),
    "position": (ROW, "entry of a ring that is written next: the oldest step"),
    "gamma": (SCALAR, "γ"),
    "lambda": (SCALAR, "λ"),
    "n": (SCALAR, "n of the n-step return"),
    "n1": (SCALAR, "n1 of EqualWeights(n1, n2)"),
    "n2": (SCALAR, "n2 of EqualWeights(n1, n2)"),
    "clip_rho": (SCALAR, "ρ̄"),
    "clip_c": (SCALAR, "c̄"),
    "clip_pg": (SCALAR, "ρ̄ of the policy gradient"),
    "mix_rho": (SCALAR, "share of the clipped ρ"),
    "mix_c": (SCALAR, "share of the clipped c"),
    "sigma": (SCALAR, "σ"),
    "mean_reward": (SCALAR, "the mean reward"),
    "schedule": (SEQUENCE, "λ_1 … λ_L"),
}
"""What an argument can hold → its length and its meaning. `not NAME` is 1 − NAME, for flags."""

RATIOS = {"rhos", "next_rhos", "log_rhos", "target_log_probs", "behaviour_log_probs"}
ACTIONS = {"action_values", "next_action_values", "policy", "next_policy"}
FLAGS = {"terminated", "truncated", "done", "first", "valid", "first_and_last", "last_done", "last_terminated"}
FLAGS |= {"terminated_on_arrival", "done_on_arrival"}

OUTPUTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(FORWARD, ("returns",)),
    "gae": ("advantages", "targets"),
    "differential_gae": ("advantages", "targets"),
    "vtrace": ("targets", "errors", "advantages"),
    **dict.fromkeys(TRACES, ("targets", "errors")),
}
"""Estimator → what it can return."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "n_step": ("n",),
    "lambda_return": ("lambda",),
    "gae": ("lambda", "values"),
    "vtrace": ("values", "rhos"),
    "retrace": ("lambda", "action_values", "next_rhos"),
    "tree_backup": ("lambda", "action_values", "next_policy"),
    "q_lambda": ("lambda", "action_values"),
    "q_sigma": ("lambda", "action_values", "next_rhos", "next_policy", "sigma"),
    "per_decision": ("rhos",),
    "schedule_return": ("schedule",),
    "equal_weights": ("n1", "n2"),
    "off_policy_schedule": ("rhos", "schedule"),
    "differential_return": ("n", "mean_reward"),
    "differential_gae": ("lambda", "values", "mean_reward"),
}
"""Estimator → what it cannot do without; ``GIVES`` says which arguments give it."""

GIVES: Mapping[str, frozenset[str]] = {
    "lambda": frozenset({"lambda", "lambdas", "lambdas_and_cuts"}),
    "values": frozenset({"values", "values_and_last"}),
    "rhos": frozenset({"rhos", "log_rhos", "target_log_probs"}),
    "action_values": frozenset({"action_values", "next_action_values"}),
    "next_rhos": frozenset({"rhos", "next_rhos", "log_rhos", "target_log_probs"}),
    "next_policy": frozenset({"policy", "next_policy"}),
    "gamma": frozenset({"gamma", "discounts"}),
    "rewards": frozenset({"rewards", "folded_rewards", "rewards_on_arrival"}),
}

LONGEST = 4
"""Steps of the rows whose patterns are gone through."""
AXES = ("T", "TB", "BT", "T1", "TB1", "BT1")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "axes": AXES,
    "boundaries": ("single", "same-step", "next-step"),
    "truncation": ("bootstrap", "as_termination", "never"),
    "end": ("bootstrap", "zero"),
    "library": ("numpy", "torch", "jax", "list"),
    "flags": ("bool", "float", "int"),
    "padding": ("none", "after"),
    "bootstrap": ("target", "lambda"),
}
UNIT = (0, 1, "a number from 0 to 1, or such a fraction as text")
CLIP = (0, None, 'a number from 0, a fraction as text, or "none"')
RANGES: Mapping[str, tuple[int | None, int | None, str]] = {
    **dict.fromkeys(("lambda", "gamma", "mix_rho", "mix_c", "sigma"), UNIT),
    **dict.fromkeys(("clip_rho", "clip_c", "clip_pg"), CLIP),
    "n": (1, None, "a whole number from 1"),
    "mean_reward": (None, None, "a number, or a fraction as text"),
}
"""What ``[ESTIMATOR.fixed]`` may fix where no argument gives it: the least, the most, and both in words."""
SEES_CUTS = {"done", "first", "first_and_last", "lambdas_and_cuts", "done_on_arrival"}
SEES_TERMINATION = {"terminated", "discounts", "next_values_or_zero", "terminated_on_arrival"}
FINAL_VALUES = {"next_values", "next_values_or_zero", "folded_rewards", "values_on_arrival"}
SEES_LAST = {
    "terminated", "done", "discounts", "next_values_or_zero", "first_and_last", "last_done", "last_terminated",
    "last_value_or_zero", "terminated_on_arrival", "done_on_arrival",
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """One argument: its name in the call, what it holds, and whether that is negated."""

    name: str
    holds: str
    negated: bool = False

    @property
    def extent(self) -> str:
        """How long it is."""
        return HOLDS[self.holds][0]


@dataclass(frozen=True, eq=False)
class Contract:
    """One convention for one estimator; see the module's docstring and ``docs/estimators.md``."""

    name: str
    estimator: str
    arguments: tuple[Argument, ...]
    returns: Mapping[str, int | str]
    axes: str = "T"
    boundaries: str = "single"
    truncation: str = "bootstrap"
    end: str = "bootstrap"
    library: str = "numpy"
    flags: str = "bool"
    padding: str = "none"
    bootstrap: str = "target"
    keywords: bool = True
    jit: bool = False
    dtypes: tuple[str, ...] = ("float64", "float32")
    above_zero: tuple[str, ...] = ()
    shortest: int = 1
    fixed: Mapping[str, Fraction | None] = field(default_factory=dict)
    about: str = ""
    sources: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Whether one of these is among what the arguments hold."""
        return any(argument.holds in names for argument in self.arguments)

    def gives(self, what: str) -> bool:
        """Whether an argument gives it."""
        return self.has(*GIVES.get(what, {what}))

    @property
    def batched(self) -> bool:
        """Whether several rows go into one call."""
        return "B" in self.axes

    @property
    def sees_last_termination(self) -> bool:
        """Whether a termination at the last step of a row is visible."""
        return self.has(*SEES_LAST)

    def needs_ratios(self) -> bool:
        """Whether ratios are looked at."""
        return self.estimator in ("vtrace", "per_decision", "off_policy_schedule", "retrace", "q_sigma")

    def check(self) -> None:
        """Raises :class:`InputError` where the contract contradicts itself."""
        place = f"the contract '{self.name}'"
        for what in ("rewards", "gamma", *NEEDS.get(self.estimator, ())):
            if not self.gives(what) and what not in self.fixed:
                if what == "gamma" and self.estimator.startswith("differential"):
                    continue
                raise InputError(
                    f"{place} has no argument that holds {_choice(GIVES.get(what, {what}))}, which {self.estimator} "
                    f"needs; give one" + (f", or {what} under [fixed]" if what in RANGES else "")
                )
        _check_what_it_has(self, place)
        _check_cuts(self, place)
        if self.end == "zero" and self.has("last_value", "last_value_or_zero", "values_and_last", "next_values"):
            raise InputError(
                f'{place} hands out a value for the end of the row and says end = "zero"; take away one of the two'
            )
        if self.end == "bootstrap" and not self.has(
            "last_value", "last_value_or_zero", "values_and_last", "next_values", "next_values_or_zero",
            "successor_values", "folded_rewards", "values_on_arrival",
        ):  # fmt: skip
            raise InputError(
                f"{place} asks to bootstrap at the end of the row, but no argument holds the value there; give one "
                'that holds last_value, values_and_last or next_values, or say end = "zero"'
            )
        if self.padding == "after" and not self.has("valid", "length"):
            raise InputError(f"{place} has padding, but no argument holds valid or length; give one")
        if self.has("position") and self.boundaries == "next-step":
            raise InputError(f'{place} holds a ring and has boundaries = "next-step"; a ring is same-step or single')


def _check_what_it_has(contract: Contract, place: str) -> None:
    """Nothing is handed out that the estimator has not, nothing twice, and outputs lie apart."""
    foreign = (set() if contract.needs_ratios() else RATIOS) | (set() if contract.estimator in TRACES else ACTIONS)
    for argument in contract.arguments:
        if argument.holds in foreign:
            raise InputError(
                f"{place}: the argument '{argument.name}' holds {argument.holds}, which {contract.estimator} does not "
                "have; leave it out, or put a function on trial that calls yours with it"
            )
    for name, value in contract.fixed.items():
        if contract.gives(name):
            raise InputError(f"{place} fixes {name}, and an argument holds it too; take away one of the two")
        if value == 0 and name in contract.above_zero:
            raise InputError(f"{place} fixes {name} = 0 and has it in above_zero; take away one of the two")
    if contract.jit and contract.library != "jax":
        raise InputError(f'{place} has jit = true and library = "{contract.library}"; say library = "jax"')
    places = list(contract.returns.values())
    if len(places) > 1 and ("whole" in places or len(set(places)) < len(places)):
        raise InputError(f"{place} returns {' and '.join(contract.returns)} at one place; give each a place of its own")


def _check_cuts(contract: Contract, place: str) -> None:
    """What must be visible where episodes meet."""
    seen, terminations = contract.has(*SEES_CUTS, "truncated"), contract.has(*SEES_TERMINATION)
    if contract.boundaries != "single" and not (seen or terminations):
        raise InputError(
            f"{place} has several episodes in a row, but no argument says where they end; give one that holds "
            'terminated, done, first or discounts, or say boundaries = "single"'
        )
    if contract.truncation == "never" or contract.boundaries == "single":
        return
    if not seen:
        raise InputError(
            f'{place} has truncation = "{contract.truncation}", but no argument says where an episode is truncated; '
            'give one that holds truncated, done or first, or say truncation = "never"'
        )
    if contract.truncation == "as_termination":
        return
    if contract.boundaries == "same-step" and not contract.has(*FINAL_VALUES):
        raise InputError(
            f"{place} asks to bootstrap at truncation, but no argument holds the value of an episode's final state; "
            'give one that holds next_values or folded_rewards, or say truncation = "as_termination"'
        )
    if not terminations and not contract.has("folded_rewards") and not contract.has("truncated"):
        raise InputError(
            f"{place} asks to bootstrap at truncation and not at termination, but no argument tells them apart; "
            "give one that holds terminated, truncated or discounts"
        )
    if contract.boundaries == "next-step" and contract.has("first", "first_and_last", "folded_rewards"):
        raise InputError(
            f'{place} has boundaries = "next-step" and an argument that holds first or folded_rewards, which has no '
            "meaning in a reset row; give terminated and truncated"
        )


def _choice(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))


def shipped() -> tuple[str, ...]:
    """The names of the contracts that come with the suite."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def text_of(given: str) -> str:
    """The text of a contract by name or file; :class:`InputError` where there is none."""
    path = FOLDER / f"{given}.toml" if given in shipped() else Path(given)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"there is no contract '{given}'; give a file, or one of {', '.join(shipped())}") from None


def load_contract(given: str, estimator: str) -> Contract:
    """A contract by name or file, for one estimator.

    Raises :class:`InputError` for another estimator, no such contract, a file of another form, or a contradiction.
    """
    if estimator not in FORWARD:
        raise InputError(f"there is no estimator '{estimator}'; give one of {', '.join(FORWARD)}")
    return _contract(given, text_of(given), estimator)


@lru_cache(maxsize=64)
def _contract(given: str, text: str, estimator: str) -> Contract:
    """The contract that a text declares. Equal texts give the same object, so that trials share what is made of it.

    Raises :class:`InputError` for a text that is not TOML, or not a contract for the estimator.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the contract '{given}' is not TOML: {error}") from None
    contract = _parsed(given if given in shipped() else Path(given).stem, document, estimator)
    contract.check()
    return contract


COMMON = ("format", "about", "sources", *CHOICES, "dtypes", "jit", "keywords", "above_zero", "shortest")


def _parsed(name: str, document: Mapping[str, Any], estimator: str) -> Contract:
    place = f"the contract '{name}'"
    if document.get("format") != FORMAT:
        raise InputError(f'{place} does not begin with format = "{FORMAT}"; give a file of that form')
    unknown = [key for key in document if key not in COMMON and key not in FORWARD]
    if unknown:
        raise InputError(f"{place} has the unknown key '{unknown[0]}'; give {', '.join(COMMON)} or an estimator")
    tables = [key for key in document if key in FORWARD]
    if estimator not in tables:
        raise InputError(f"{place} has no table [{estimator}]; it has {', '.join(tables) or 'none'}")
    table = document[estimator]
    if not isinstance(table, Mapping):
        raise InputError(f"{place} has no table [{estimator}], but a {type(table).__name__} of that name")
    unknown = [key for key in table if key not in (*COMMON, "arguments", "returns", "fixed")]
    if unknown:
        raise InputError(f"{place} has the unknown key '{unknown[0]}' in [{estimator}]; give arguments, returns")
    merged = {**{key: value for key, value in document.items() if key in COMMON}, **table}
    chosen = {}
    for key, allowed in CHOICES.items():
        if key in merged:
            if merged[key] not in allowed:
                raise InputError(f"{place} has {key} = {merged[key]!r}; give one of {', '.join(allowed)}")
            chosen[key] = merged[key]
    dtypes = tuple(merged.get("dtypes", ("float64", "float32")))
    if not dtypes or not set(dtypes) <= {"float64", "float32"}:
        raise InputError(f"{place} has dtypes = {list(dtypes)}; give float64, float32 or both")
    return Contract(
        name,
        estimator,
        _arguments(place, merged.get("arguments")),
        _returns(place, estimator, merged.get("returns")),
        keywords=_flag(place, merged, "keywords", True),
        jit=_flag(place, merged, "jit", False),
        dtypes=dtypes,
        above_zero=_above_zero(place, merged.get("above_zero", ())),
        shortest=_shortest(place, merged.get("shortest", 1)),
        fixed=_fixed(place, merged.get("fixed", {})),
        about=str(merged.get("about", "")),
        sources=tuple(merged.get("sources", ())),
        **chosen,
    )


def _flag(place: str, merged: Mapping[str, Any], key: str, default: bool) -> bool:
    found = merged.get(key, default)
    if not isinstance(found, bool):
        raise InputError(f"{place} has {key} = {found!r}; give true or false")
    return found


def _above_zero(place: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not set(map(str, given)) <= {"gamma", "lambda"}:
        raise InputError(f'{place} has above_zero = {given!r}; give ["gamma"], ["lambda"] or ["gamma", "lambda"]')
    return tuple(given)


def _shortest(place: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= LONGEST:
        raise InputError(f"{place} has shortest = {given!r}; give the least number of steps in a row, 1 to {LONGEST}")
    return given


def _arguments(place: str, given: Any) -> tuple[Argument, ...]:
    if not isinstance(given, Mapping) or not given:
        raise InputError(f'{place} names no arguments; give a table such as arguments = {{ rewards = "rewards" }}')
    found = []
    for name, holds in given.items():
        words = str(holds).split()
        negated = len(words) == 2 and words[0] == "not"
        what = words[-1] if words else ""
        if what not in HOLDS or len(words) != 1 + negated:
            raise InputError(f"{place}: the argument '{name}' holds '{holds}'; give one of {', '.join(HOLDS)}")
        if negated and what not in FLAGS:
            raise InputError(
                f"{place}: the argument '{name}' holds 'not {what}', which is not a flag; leave out the not"
            )
        found.append(Argument(name, what, negated))
    return tuple(found)


def _returns(place: str, estimator: str, given: Any) -> dict[str, int | str]:
    allowed = OUTPUTS[estimator]
    if not isinstance(given, Mapping) or not given:
        example = f'{{ {allowed[0]} = "whole" }}'
        raise InputError(f"{place} does not say what is returned; give a table such as returns = {example}")
    for name, where in given.items():
        if name not in allowed:
            raise InputError(f"{place} returns '{name}'; {estimator} has {', '.join(allowed)}")
        if isinstance(where, bool) or not isinstance(where, int | str):
            raise InputError(f'{place}: {name} is returned at {where!r}; give a place in a tuple, a key, or "whole"')
    return dict(given)


def _number(place: str, name: str, value: Any) -> Fraction | None:
    least, most, wanted = RANGES[name]
    if value == "none" and name.startswith("clip"):
        return None
    try:
        number = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{place}; give {wanted}") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise InputError(f"{place}; give {wanted}")
    if name == "n" and number.denominator != 1:
        raise InputError(f"{place}; give {wanted}")
    return number


def _fixed(place: str, given: Any) -> dict[str, Fraction | None]:
    if not isinstance(given, Mapping):
        raise InputError(f"{place} has fixed = {given!r}; give a table")
    found: dict[str, Fraction | None] = {}
    for name, value in given.items():
        if name not in RANGES:
            raise InputError(f"{place} fixes '{name}'; give one of {', '.join(RANGES)}")
        found[name] = _number(f"{place} fixes {name} = {value!r}", name, value)
    return found
