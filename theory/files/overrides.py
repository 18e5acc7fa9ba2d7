"""What a user gives beside a model, on the command line or from Python, read by one set of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files import given
from tdcert.theory.files.arrays import Rows
from tdcert.theory.files.frames import actions_in_order, in_order
from tdcert.theory.files.numerals import unit_number
from tdcert.theory.files.schedule_forms import schedule_from_json, schedule_from_text
from tdcert.theory.model.schedule import LambdaByState, Schedule


@dataclass(frozen=True)
class Overrides:
    """What completes or replaces a part of a model; each None, or the text of the option of that name, or from Python
    (``from_python``, which messages follow) a value.

    ``discount``: ``0.9`` or ``9/10``, or a number; in a model whose discount depends on the transition it replaces
    all but zero, which marks restarts. ``schedule``: JSON text such as ``{"equal_weights": [4, 6]}``, a
    short form (``td0``, ``n_step:3``, ``equal_weights:4,6``, ``constant:0.9``, ``constant:0.9,20``,
    ``lambdas:1,1/2``, ``weights:1/2,1/2``, ``by_state:1,0,1/2``),
    or a :class:`~tdcert.theory.model.schedule.Schedule`. ``features``:
    ``tabular``, or the path of a JSON, CSV or ``.npy`` file with an n×d array; or an array, or a function of the state.
    ``policy`` (behaviour) and ``target``: ``uniform``, or the path of such a file with an n×m array, or with one action
    per state; or such an array, or a function of the state. For an environment n counts all its states: one row for
    each, and the rows of dropped states are ignored. ``start``: where episodes begin, for a table of transitions that
    does not say it: a state, a law over all states, or a mapping of states to probabilities. ``sampling``:
    ``independent`` or ``path``, and ``sampling_law``: a weight for each state, between commas, or in a file, or as an
    array (:mod:`tdcert.theory.files.sampling`); ``interest``: likewise (:mod:`tdcert.theory.files.interest`). ``said``:
    what is to be told of how they were read.
    """

    discount: Any = None
    schedule: Any = None
    features: Any = None
    policy: Any = None
    target: Any = None
    start: Any = None
    sampling: Any = None
    sampling_law: Any = None
    interest: Any = None
    from_python: bool = False
    said: list[str] = field(default_factory=list, compare=False)

    @property
    def tabular(self) -> bool:
        """Whether tabular features were asked for."""
        return isinstance(self.features, str) and self.features == "tabular"

    @property
    def uniform(self) -> str:
        """How a uniform policy is asked for."""
        return 'behaviour="uniform"' if self.from_python else "--policy uniform"

    @property
    def features_by_function(self) -> bool:
        """Whether they are given for every state, terminal ones too, as a function has no other way."""
        return callable(self.features)

    def of_states(self, names: Sequence[Any], n: int, actions: Sequence[str]) -> Overrides:
        """Puts rows of data frames in the order of the n states, and columns of policies in that of the actions.

        ``names``: of the states where they are not numbers; functions and mappings of the state are of these then.
        Raises :class:`InputError` where the names are others.
        """
        made = {}
        for field_, where in (("features", "features"), ("policy", "behaviour"), ("target", "target")):
            value = getattr(self, field_)
            value = value if where == "features" else actions_in_order(value, actions)
            value = in_order(value, names or range(n), where, columns=False)
            made[field_] = given.of_names(value, names, where) if names else value
        return replace(self, **made)

    def read_discount(self) -> Fraction | None:
        """The discount, in [0,1]."""
        if self.discount is None:
            return None
        with self._named("discount"):
            return unit_number(given.number(self.discount, "the discount"), "the discount")

    def read_schedule(self) -> Schedule | None:
        """The schedule."""
        if self.schedule is None:
            return None
        with self._named("schedule"):
            found = given.schedule_tree(self.schedule)
            if isinstance(found, str):
                return schedule_from_text(found, "the schedule")
            if not isinstance(found, Schedule):
                return schedule_from_json(found, "the schedule")
            held = found.by_state if isinstance(found, LambdaByState) else (*found.lambdas, found.tail)
            for i, lam in enumerate(held, start=1):
                unit_number(lam, f"λ_{i} in the schedule")
            return found

    def read_features(self, n: int) -> Rows | None:
        """n rows of features; None also for ``tabular``, which needs no array."""
        if self.features is None:
            return None
        with self._named("features"):
            return given.features_rows(self.features, n)

    def read_policy(self, n: int, actions: Sequence[str]) -> Rows | None:
        """The behaviour policy, n×m."""
        return self._policy("policy", self.policy, n, actions)

    def read_target(self, n: int, actions: Sequence[str]) -> Rows | None:
        """The target policy, n×m."""
        return self._policy("target", self.target, n, actions)

    def _policy(self, option: str, value: Any, n: int, actions: Sequence[str]) -> Rows | None:
        if value is None:
            return None
        with self._named(option):
            where = "target" if option == "target" else "behaviour"
            return given.policy_rows(value, n, actions, where, self.said)

    @contextmanager
    def _named(self, option: str) -> Iterator[None]:
        """Complaints of the command line open with the option; from Python they name what was given themselves."""
        try:
            yield
        except InputError as error:
            raise OverrideError(str(error) if self.from_python else f"--{option}: {error}") from error.__cause__


def both_policies(
    behaviour: Any, target: Any, only: Any, m: int, missing: str, uniform: str, defaults: list[str]
) -> tuple[Any, Any]:
    """The two policies (None: not given) completed: ``only`` where there is one action, the behaviour for the target.

    What was completed is added to ``defaults``; ``missing`` names the behaviour in the sentence that asks for it,
    ``uniform`` how to ask for a uniform one.
    """
    if behaviour is None:
        if target is not None:
            raise InputError("target is given without behaviour; give both, or behaviour alone")
        if m > 1:
            raise InputError(f"{missing} is missing with {m} actions; give a policy, states × actions, or {uniform}")
        defaults.append("behaviour = target = the only action")
        return only, only
    if target is None:
        defaults.append("target = behaviour")
    return behaviour, behaviour if target is None else target


class OverrideError(InputError):
    """An override that cannot be read: its sentence names the option, not the model it stands beside."""
