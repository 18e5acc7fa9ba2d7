"""Known mistakes in return estimators: each the right estimate with one thing replaced. They name, they never decide.

Every estimate here is written as Σ_k c_k Π_{j<k} q_{t+j} δ_{t+k}, with δ_t = ρ_t (R_{t+1} + b_t V(s'_t) − V(s_t)) and q
the product of discount, λ, ratio and mask; :class:`View` holds these lists for one row, in floats, and a mistake
changes some of them, or what is made of the result. Off-policy returns without TD errors weigh R_{t+1} + … by the
ratios instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators.cases import Call, TrialRow
from tdcert.sims.estimators.contract import LONGEST, Contract
from tdcert.sims.estimators.judging import judged
from tdcert.sims.estimators.layout import JUNK, PAD, RESET, owed, slots
from tdcert.sims.trials.limits import SAMPLED_ROWS
from tdcert.sims.trials.trial import Likeness, likeness
from tdcert.theory.model.estimators import TRACES, Row, clipped

Array = NDArray[np.float64]
SUMS = ("n_step", "schedule_return", "equal_weights", "off_policy_schedule", "per_decision", "differential_return")


class View:
    """One row as lists of floats; see the module's docstring. ``raw`` is the case that it was made from."""

    def __init__(self, contract: Contract, case: TrialRow) -> None:
        self.contract, self.raw, self.settings = contract, case, case.settings
        row = owed(contract, case.row)
        self.T = T = row.steps
        self.estimator = contract.estimator
        mean = float(case.settings.mean_reward)
        self.r = [float(x) - mean for x in row.rewards]
        self.v = [float(x) for x in row.values]
        self.base = [float(x) for x in row.action_values] if row.action_values else list(self.v)
        self.nv = [float(x) for x in row.next_values]
        self.gamma = [float(x) for x in row.discounts]
        self.trace_gamma = list(self.gamma)
        self.lam = [float(x) for x in row.lambdas] if self.estimator not in SUMS else [1.0] * T
        if self.estimator == "discounted_return":
            self.lam = [1.0] * T
        self.terminated = [bool(x) for x in row.terminated]
        self.cut = [row.cut(t) for t in range(T)]
        self.truncated_here = [bool(x) for x in case.row.truncated]
        self.boot = [0.0 if x else 1.0 for x in self.terminated]
        self.go = [0.0 if x else 1.0 for x in self.cut]
        self.successors = [self.v[t + 1] if t + 1 < T else self.nv[t] for t in range(T)]
        self.ratios = [float(x) for x in row.rhos] or [1.0] * T
        self.rho, self.c = [1.0] * T, [1.0] * T
        s = case.settings
        if self.estimator == "vtrace":
            self.rho = [float(clipped(x, s.clip_rho, s.mix_rho)) for x in row.rhos]
            self.c = [float(clipped(x, s.clip_c, s.mix_c)) for x in row.rhos]
        if self.estimator in TRACES:
            found = [float(TRACES[self.estimator](row, s, t)) for t in range(1, T)]
            self.lam, self.c = [1.0] * T, [*found, 1.0]
        self.pg = [float(clipped(x, s.clip_pg)) for x in row.rhos]
        self.c_k = self._schedule()
        self.row, self.late = row, False

    def _schedule(self) -> list[float]:
        lambdas: list[float] = [1.0] * self.T
        if self.estimator in ("n_step", "differential_return"):
            lambdas = [1.0] * (self.settings.n - 1)
        elif self.estimator in ("schedule_return", "equal_weights", "off_policy_schedule"):
            lambdas = [float(x) for x in self.settings.schedule]
        weights = [1.0]
        for lam in [*lambdas, *[0.0] * self.T][: self.T - 1]:
            weights.append(weights[-1] * lam)
        return weights

    def deltas(self, form: Callable[..., float] = lambda rho, r, ahead, base: rho * (r + ahead - base)) -> list[float]:
        """δ_0 … δ_{T−1}, by another form of ρ, R, γV' and V."""
        rows = zip(self.rho, self.r, self.gamma, self.boot, self.nv, self.base, strict=True)
        return [form(rho, r, gamma * boot * nv, base) for rho, r, gamma, boot, nv, base in rows]

    def errors(self, deltas: Sequence[float] | None = None) -> list[float]:
        """Σ_k c_k Π q δ for every t."""
        deltas = self.deltas() if deltas is None else list(deltas)
        factors = zip(self.trace_gamma, self.lam, self.c, self.go, strict=True)
        q = [gamma * lam * c * go for gamma, lam, c, go in factors]
        found = []
        for t in range(self.T):
            total, weight = 0.0, 1.0
            for s in range(t, self.T):
                total += self.c_k[s - t] * weight * deltas[s]
                weight *= q[s]
            found.append(total)
        return found

    def sums(self) -> list[float]:
        """Σ_k Γ_k c_k ρ … ρ (R + γ(1 − λ)V'): the returns that carry their ratios."""
        found = []
        lambdas = [1.0] * self.T if self.estimator == "per_decision" else [float(x) for x in self.settings.schedule]
        for t in range(self.T):
            total, weight = 0.0, 1.0
            for s in range(t, self.T):
                before, weight = weight, weight * self.ratios[s]
                reward = (before if self.late else weight) * self.r[s]
                more = s + 1 < self.T and self.go[s]
                lam = lambdas[s - t] if s - t < len(lambdas) and more else 0.0
                total += reward + weight * self.gamma[s] * self.boot[s] * (1 - lam) * self.nv[s]
                weight *= self.trace_gamma[s] * lam
            found.append(total)
        return found

    def outputs(self) -> dict[str, list[float]]:
        """What the estimator returns."""
        if self.estimator in ("per_decision", "off_policy_schedule"):
            return {"returns": self.sums()}
        return self.named(self.errors())

    def named(self, errors: Sequence[float]) -> dict[str, list[float]]:
        """Errors, and what is made of them."""
        targets = [base + error for base, error in zip(self.base, errors, strict=True)]
        advantages = list(errors)
        if self.estimator == "vtrace":
            advantages = []
            for t in range(self.T):
                lam = self.lam[t] if self.settings.bootstrap == "lambda" else 1.0
                ahead = self.nv[t]
                if t + 1 < self.T and self.go[t]:
                    ahead = lam * targets[t + 1] + (1 - lam) * ahead
                value = self.r[t] + self.gamma[t] * self.boot[t] * ahead - self.v[t]
                advantages.append((self.pg[t] if self.pg else 1.0) * value)
        return {"errors": list(errors), "targets": targets, "returns": targets, "advantages": advantages}


Outcome = dict[str, list[float]]
Change = Callable[[View], "Outcome | None"]


@dataclass(frozen=True)
class Mistake:
    """``words`` complete "it looks like …"; ``change`` alters a view and may return its outputs."""

    words: str
    change: Change
    made_in: tuple[str, ...] = ()
    where: Callable[[Contract], bool] = lambda contract: True
    whole: bool = False
    """Whether the function takes resets and padding for steps."""

    def outputs(self, contract: Contract, case: TrialRow) -> Outcome:
        """What a function with this mistake returns for one row."""
        view = View(contract, _all_entries(contract, case) if self.whole else case)
        found = self.change(view) or view.outputs()
        if not self.whole:
            return found
        steps = [place for place, t in enumerate(slots(contract, case.row, case.padded)) if t >= 0]
        return {name: [values[place] for place in steps] for name, values in found.items()}


def _set(**made: Callable[[View], Any]) -> Change:
    def change(view: View) -> None:
        for name, found in {name: of(view) for name, of in made.items()}.items():
            setattr(view, name, found)

    return change


def _ones(view: View) -> list[float]:
    return [1.0] * view.T


def _later(name: str, last: float | None = None) -> Callable[[View], list[float]]:
    """The entry of the next step."""
    return lambda view: [*getattr(view, name)[1:], getattr(view, name)[-1] if last is None else last]


def _earlier(name: str, first: float | None = None) -> Callable[[View], list[float]]:
    """The entry of the step before."""
    return lambda view: [getattr(view, name)[0] if first is None else first, *getattr(view, name)[:-1]]


def _reward_before(view: View) -> list[float]:
    """The reward that lies one entry earlier: of the step before, of the reset, or of no step."""
    on_arrival = any(argument.holds == "rewards_on_arrival" for argument in view.contract.arguments)
    placed = slots(view.contract, view.raw.row)
    before = [float(JUNK) if on_arrival else 0.0]
    for place, t in enumerate(placed[1:]):
        if t >= 0:
            before.append(0.0 if placed[place] == RESET else view.r[placed[place]])
    return before


def _at_the_end(name: str, of: Callable[[View], float]) -> Change:
    return _set(**{name: lambda view: [*getattr(view, name)[:-1], of(view)]})


def _where(view: View, name: str, other: Sequence[float], here: Sequence[Any]) -> list[float]:
    return [x if at else own for own, x, at in zip(getattr(view, name), other, here, strict=True)]


def _reversed(view: View) -> Outcome:
    """Time runs the wrong way in the sum."""
    deltas, errors, carried = view.deltas(), [], 0.0
    for t in range(view.T):
        q = view.trace_gamma[t] * view.lam[t] * view.c[t] * view.go[t]
        carried = deltas[t] + q * carried
        errors.append(carried)
    return view.named(errors)


def _masked(mask: str) -> Change:
    """``mask`` multiplies the whole of what is carried, δ too."""
    return lambda view: view.named(
        view.errors([x * on for x, on in zip(view.deltas(), getattr(view, mask), strict=True)])
    )


def _last_missing(carried: bool) -> Change:
    def change(view: View) -> Outcome:
        deltas = view.deltas()
        if not carried:
            deltas[-1] = 0.0
        errors = view.errors(deltas)
        errors[-1] = 0.0
        return view.named(errors)

    return change


def _output(**made: Callable[[View, Outcome], list[float]]) -> Change:
    def change(view: View) -> Outcome:
        right = view.outputs()
        return right | {name: of(view, right) for name, of in made.items()}

    return change


def _normalised(view: View, given: Sequence[float]) -> list[float]:
    found = np.array(given)
    return list((found - found.mean()) / (found.std() + 1e-8))


def _target_from_normalised(view: View, right: Outcome) -> list[float]:
    return [v + x for v, x in zip(view.base, _normalised(view, right["advantages"]), strict=True)]


def _n(extra: int) -> Change:
    def change(view: View) -> None:
        n = view.settings.n + extra
        view.c_k = [1.0 if k < max(n, 1) else 0.0 for k in range(view.T)]

    return change


def _walk(weight_of_value: Callable[[View, int, int], float], missing: bool = False) -> Change:
    """n-step returns as a sum of rewards, with another weight of the value: ``weight(view, t, steps)``."""

    def change(view: View) -> Outcome:
        found = []
        for t in range(view.T):
            end = min(t + view.settings.n, view.row.end(t))
            total, weight = 0.0, 1.0
            for s in range(t, end):
                total += weight * view.r[s]
                weight *= view.gamma[s] * view.boot[s]
            short = end - t < view.settings.n
            if weight and not (missing and short):
                total += weight_of_value(view, t, end - t) * view.nv[end - 1]
            found.append(total)
        return view.named([x - base for x, base in zip(found, view.base, strict=True)])

    return change


def _product(view: View, t: int, steps: int) -> float:
    return float(np.prod(view.gamma[t : t + steps]))


def _delta(form: Callable[..., float]) -> Change:
    return lambda view: view.named(view.errors(view.deltas(form)))


def _pg(value_ahead: bool = False, rho: bool = True, shifted: bool = False) -> Change:
    def made(view: View, right: Outcome) -> list[float]:
        found = []
        for t in range(view.T):
            ahead = view.nv[t]
            if not value_ahead and t + 1 < view.T and view.go[t]:
                ahead = right["targets"][t + 1]
            if shifted:
                ahead = right["targets"][t]
            value = view.r[t] + view.gamma[t] * view.boot[t] * ahead - view.v[t]
            found.append((view.pg[t] if rho else 1.0) * value)
        return found

    return _output(advantages=made)


def _pg_shifted_values(view: View, right: Outcome) -> list[float]:
    found = []
    for t in range(view.T):
        lam = view.go[t] * (view.lam[t] if view.settings.bootstrap == "lambda" else 1.0)
        target = right["targets"][t + 1] if t + 1 < view.T else 0.0
        ahead = lam * target + (1 - lam) * view.successors[t] if t + 1 < view.T else view.nv[t]
        found.append(view.pg[t] * (view.r[t] + view.gamma[t] * view.boot[t] * ahead - view.v[t]))
    return found


def _whole_row_ratio(view: View) -> None:
    product = float(np.prod(view.ratios))
    view.ratios = [product if t == 0 else 1.0 for t in range(view.T)]


def _retrace_unclipped(view: View) -> list[float]:
    return [float(view.row.lambdas[t - 1]) * view.ratios[t] for t in range(1, view.T)] + [1.0]


def _without_lambda(view: View) -> list[float]:
    row = replace(view.row, lambdas=[1] * view.T)
    return [*(float(TRACES[view.estimator](row, view.settings, t)) for t in range(1, view.T)), 1.0]


def _all_entries(contract: Contract, case: TrialRow) -> TrialRow:
    """The row with resets and padding as steps like others; what leads into padding has its value."""
    row, entries = case.row, slots(contract, case.row, case.padded)
    kinds: dict[str, list[Any]] = {field.name: [] for field in fields(Row)}
    for place, t in enumerate(entries):
        step = {name: getattr(row, name)[t] for name in kinds if t >= 0 and getattr(row, name)}
        if t == RESET:
            before = entries[place - 1]
            ahead = row.values[before + 1]
            step = {"rewards": 0, "values": row.next_values[before], "next_values": ahead}
        elif t == PAD:
            step = dict.fromkeys(("rewards", "values", "next_values"), JUNK)
        if place + 1 < len(entries) and entries[place + 1] == PAD:
            step |= {"next_values": JUNK, "terminated": False}
        if place + 1 == len(entries) and t == PAD:
            step["next_values"] = 0 if row.terminated[-1] else row.next_values[-1]
        step = {"terminated": False, "truncated": False, "discounts": row.discounts[-1]} | step
        for name, found in kinds.items():
            if getattr(row, name):
                found.append(step.get(name, getattr(row, name)[-1]))
    return replace(case, row=Row(**kinds))


def _masked_padding(view: View) -> None:
    """Nothing of padding but its value, where the last step leads."""
    view.go[view.T - view.raw.padded - 1] = 0.0


def _wrapped(turned: bool) -> Change:
    """n-step returns that run on from the newest entry of a ring to the oldest; ``turned``: and stop at its end."""

    def change(view: View) -> Outcome:
        found = []
        for t in range(view.T):
            total, weight, s = 0.0, 1.0, t
            for k in range(view.settings.n):
                total += weight * view.r[s]
                weight *= view.gamma[s] * view.boot[s]
                last = turned and (s + view.raw.turn) % view.T == view.T - 1
                if view.cut[s] or last or k + 1 == view.settings.n:
                    break
                s = (s + 1) % view.T
            found.append(total + weight * view.nv[s])
        return view.named([x - base for x, base in zip(found, view.base, strict=True)])

    return change


def _late_weights(view: View) -> Outcome:
    found = []
    for t in range(view.T):
        end, total, weight, returned = view.row.end(t), 0.0, 1.0, 0.0
        for s in range(t, end):
            total += weight * view.r[s]
            weight *= view.gamma[s] * view.boot[s]
            share = 1.0 if s + 1 == end else 1 - float(view.row.lambdas[s])
            returned += share * (total + weight * view.nv[s])
        found.append(returned)
    return view.named([x - base for x, base in zip(found, view.base, strict=True)])


def _absolute_schedule(view: View) -> Outcome:
    lambdas = [*(float(x) for x in view.settings.schedule), *[0.0] * view.T]
    view.lam, view.c_k = lambdas[: view.T], [1.0] * view.T
    # the λ of entry t stands between t + 1 and what lies ahead of it, for a row that begins with it
    deltas, errors = view.deltas(), []
    for t in range(view.T):
        total, weight = 0.0, 1.0
        for s in range(t, view.T):
            total += weight * deltas[s]
            weight *= view.trace_gamma[s] * lambdas[t] * view.go[s]
        errors.append(total)
    return view.named(errors)


TD = ("gae", "lambda_return", "vtrace", "discounted_return", "differential_gae", "retrace", "tree_backup", "q_lambda",
      "q_sigma", "n_step", "schedule_return", "equal_weights", "differential_return", "per_decision",
      "off_policy_schedule")  # fmt: skip
WITH_TD = tuple(name for name in TD if name not in ("per_decision", "off_policy_schedule"))
WITH_LAMBDA = ("gae", "lambda_return", "vtrace", "differential_gae")
N_STEP = ("n_step", "differential_return")


def _resets(contract: Contract) -> bool:
    return contract.boundaries == "next-step"


def _padded(contract: Contract) -> bool:
    return contract.padding == "after"


def _ring(contract: Contract) -> bool:
    return contract.has("position")


MISTAKES = (
    Mistake("the trace not stopped where an episode ends: what follows is carried into it", _set(go=_ones)),
    Mistake("truncation treated as termination: no bootstrap", _set(
        boot=lambda x: _where(x, "boot", [0.0] * x.T, x.truncated_here))),
    Mistake("termination treated as truncation: the terminal state's value is bootstrapped from", _set(boot=_ones)),
    Mistake("the value of the next episode's first state used after truncation", _set(
        nv=lambda x: _where(x, "nv", x.successors, x.cut))),
    Mistake("the value of the next episode's first state used at every cut, termination too", _set(
        boot=_ones, nv=lambda x: _where(x, "nv", x.successors, x.cut))),
    Mistake("episode ends ignored: everything runs on into the next episode", _set(
        boot=_ones, go=_ones, nv=lambda x: _where(x, "nv", x.successors, x.cut))),
    Mistake("truncation ignored: the return runs on into the next episode", _set(
        go=lambda x: _where(x, "go", [1.0] * x.T, x.truncated_here),
        boot=lambda x: _where(x, "boot", [1.0] * x.T, x.truncated_here),
        nv=lambda x: _where(x, "nv", x.successors, x.truncated_here))),
    Mistake("the trace carried across termination, but not across truncation", _set(
        go=lambda x: _where(x, "go", [1.0] * x.T, x.terminated))),
    Mistake("the trace carried across truncation, but not across termination", _set(
        go=lambda x: _where(x, "go", [1.0] * x.T, x.truncated_here))),
    Mistake("the flag of the next step used: done_{t+1} for done_t", _set(
        boot=_later("boot"), go=_later("go"), nv=lambda x: _where(x, "nv", x.successors, x.cut))),
    Mistake("the flag of the step before used: done_{t−1} for done_t", _set(
        boot=_earlier("boot", 1.0), go=_earlier("go", 1.0), nv=lambda x: _where(x, "nv", x.successors, x.cut))),
    Mistake("the reward of the terminal step dropped", _set(
        r=lambda x: _where(x, "r", [0.0] * x.T, x.terminated))),
    Mistake("δ masked as a whole at termination, reward and V(s_t) too", _masked("boot"), WITH_TD),
    Mistake("δ masked as a whole where an episode ends, reward and V(s_t) too", _masked("go"), WITH_TD),
    Mistake("the discount applied twice to V(s_{t+1})", _set(nv=lambda x: [
        g * y for g, y in zip(x.gamma, x.nv, strict=True)])),
    Mistake("γ missing from δ: V(s_{t+1}) is not discounted", _set(gamma=_ones), WITH_TD),
    Mistake("γ missing from the trace", _set(trace_gamma=_ones)),
    Mistake("γ applied twice in the trace", _set(trace_gamma=lambda x: [g * g for g in x.trace_gamma])),
    Mistake("the reward discounted too", _set(r=lambda x: [g * y for g, y in zip(x.gamma, x.r, strict=True)])),
    Mistake("λ missing from the trace", _set(lam=_ones), WITH_LAMBDA),
    Mistake("λ missing from the trace", _set(c=_without_lambda), tuple(TRACES)),
    Mistake("the trace never carried, as if λ = 0", _set(lam=lambda x: [0.0] * x.T)),
    Mistake("λ applied twice", _set(lam=lambda x: [y * y for y in x.lam]), WITH_LAMBDA),
    Mistake("1 − λ used for λ", _set(lam=lambda x: [1 - y for y in x.lam]), WITH_LAMBDA),
    Mistake("λ_{t+1} used for λ_t", _set(lam=_later("lam")), WITH_LAMBDA),
    Mistake("λ_{t−1} used for λ_t", _set(lam=_earlier("lam")), WITH_LAMBDA),
    Mistake("the last λ used for the whole row: λ not transposed with the batch", _set(
        lam=lambda x: [x.lam[-1]] * x.T), WITH_LAMBDA),
    Mistake("the discount of the next step used in the trace", _set(trace_gamma=_later("trace_gamma"))),
    Mistake("the discount of the step before used in the trace", _set(trace_gamma=_earlier("trace_gamma"))),
    Mistake("the discount of the next step used throughout, flags too", _set(
        trace_gamma=_later("trace_gamma"), gamma=_later("gamma"), boot=_later("boot"), go=_later("go"))),
    Mistake("the discount of the step before used throughout, flags too", _set(
        trace_gamma=_earlier("trace_gamma"), gamma=_earlier("gamma"), boot=_earlier("boot"), go=_earlier("go"))),
    Mistake("the last step never updated", _last_missing(False), WITH_TD),
    Mistake("the last step's estimate left at zero", _last_missing(True), WITH_TD),
    Mistake("no bootstrap at the end of the row", _at_the_end("nv", lambda x: 0.0)),
    Mistake("the recursion begun from 0 for V(s_T): only 1 − λ of it is taken", _at_the_end(
        "nv", lambda x: (1 - x.lam[-1]) * x.nv[-1]), WITH_LAMBDA),
    Mistake("V(s_{T−1}) used for V(s_T) at the end of the row", _at_the_end("nv", lambda x: x.v[-1])),
    Mistake("the first value of the row used for V(s_T) at its end: a roll", _at_the_end("nv", lambda x: x.v[0])),
    Mistake("the bootstrap at the end of the row taken even after termination", _at_the_end("boot", lambda x: 1.0)),
    Mistake("V(s_t) used for V(s_{t+1})", _set(nv=lambda x: list(x.v))),
    Mistake("the reward of the next step used: R_{t+2} for R_{t+1}", _set(r=_later("r", 0.0))),
    Mistake("the reward of the step before used: R_t for R_{t+1}", _set(r=_reward_before)),
    Mistake("the sum run forwards in time: it collects the past", _reversed, WITH_TD),
    Mistake("V(s_t) not subtracted in δ", _set(base=lambda x: [0.0] * x.T), WITH_TD),
    Mistake("V(s_t) not added: the target is the advantage", _output(
        targets=lambda x, y: list(y["errors"]), returns=lambda x, y: list(y.get("errors", y["returns"]))), WITH_TD),
    Mistake("V(s_t) not subtracted: the advantage is the target", _output(
        advantages=lambda x, y: list(y["targets"]), errors=lambda x, y: list(y["targets"])), WITH_TD),
    Mistake("the value of the next state added to the advantage for the target", _output(
        targets=lambda x, y: [a + v for a, v in zip(y["errors"], x.nv, strict=True)]), WITH_TD),
    Mistake("advantages normalised before they are returned", _output(
        advantages=lambda x, y: _normalised(x, y["advantages"])), ("gae", "vtrace", "differential_gae")),
    Mistake("advantages normalised before the targets are made of them", _output(
        advantages=lambda x, y: _normalised(x, y["advantages"]), targets=_target_from_normalised),
        ("gae", "differential_gae")),
    Mistake("targets made of normalised advantages", _output(targets=_target_from_normalised),
            ("gae", "differential_gae")),
    Mistake("n + 1 steps taken for n", _n(1), N_STEP),
    Mistake("n − 1 steps taken for n", _n(-1), N_STEP),
    Mistake("γ used for γⁿ at the value", _walk(lambda x, t, n: x.gamma[t]), N_STEP),
    Mistake("γⁿ used where fewer than n steps are left", _walk(
        lambda x, t, n: x.gamma[t] ** x.settings.n), N_STEP),
    Mistake("γ^{n+1} used for γⁿ at the value", _walk(lambda x, t, n: x.gamma[t] * _product(x, t, n)), N_STEP),
    Mistake("γ^{n−1} used for γⁿ at the value", _walk(lambda x, t, n: _product(x, t, n - 1)), N_STEP),
    Mistake("the value at the end missing for the last n − 1 steps", _walk(_product, missing=True), N_STEP),
    Mistake("rewards not discounted", _set(trace_gamma=_ones), ("discounted_return", *N_STEP)),
    Mistake("the sum carried on through the reset entry", _set(go=_ones), WITH_TD, _resets, whole=True),
    Mistake("the sum carried on through the reset entry after truncation", _set(
        go=lambda x: _where(x, "go", [1.0] * x.T, x.truncated_here)), WITH_TD, _resets, whole=True),
    Mistake("padding taken for steps: the value after the row is used behind it", lambda x: None, WITH_TD, _padded,
            whole=True),
    Mistake("a value of the padding used for the value after the last step", _masked_padding, WITH_TD, _padded,
            whole=True),
    Mistake("no bootstrap after the last step where padding follows", _at_the_end(
        "nv", lambda x: 0.0 if x.raw.padded else x.nv[-1]), WITH_TD, _padded),
    Mistake("a ring that wraps: returns run on from the newest entry to the oldest", _wrapped(False), ("n_step",),
            _ring),
    Mistake("the ring read as if its first entry were the oldest", _wrapped(True), ("n_step",), _ring),
    Mistake("ρ not clipped at all: V-trace without ρ̄ and c̄", _set(
        rho=lambda x: list(x.ratios), c=lambda x: list(x.ratios), pg=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ not clipped in δ and in the trace: V-trace without ρ̄ and c̄", _set(
        rho=lambda x: list(x.ratios), c=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ not clipped in δ and in the advantage", _set(
        rho=lambda x: list(x.ratios), pg=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ not clipped in δ", _set(rho=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ not clipped in the trace", _set(c=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ missing from δ", _set(rho=_ones), ("vtrace",)),
    Mistake("c missing from the trace", _set(c=_ones), ("vtrace", "retrace", "tree_backup", "q_sigma")),
    Mistake("missing parentheses: ρR + γV' − V for ρ(R + γV' − V)", _delta(
        lambda rho, r, ahead, base: rho * r + ahead - base), ("vtrace",)),
    Mistake("missing parentheses: ρ(R + γV') − V for ρ(R + γV' − V)", _delta(
        lambda rho, r, ahead, base: rho * (r + ahead) - base), ("vtrace",)),
    Mistake("ρ̄ used for c̄: the ratio of δ in the trace", _set(c=lambda x: list(x.rho)), ("vtrace",)),
    Mistake("c̄ used for ρ̄: the ratio of the trace in δ", _set(rho=lambda x: list(x.c)), ("vtrace",)),
    Mistake("c of the next step used: c_{t+1} for c_t", _set(c=_later("c")), ("vtrace",)),
    Mistake("c of the step before used: c_{t−1} for c_t", _set(c=_earlier("c")), ("vtrace",)),
    Mistake("ρ of the next step used in δ", _set(rho=_later("rho")), ("vtrace",)),
    Mistake("V(s_{t+1}) used for the target v_{t+1} in the advantage", _pg(value_ahead=True), ("vtrace",)),
    Mistake("the target v_t used for v_{t+1} in the advantage", _pg(shifted=True), ("vtrace",)),
    Mistake("the next entry of the values used in the advantage for the value of the state that the step leads to",
            _output(advantages=_pg_shifted_values), ("vtrace",)),
    Mistake("ρ missing from the advantage", _pg(rho=False), ("vtrace",)),
    Mistake("ρ not clipped in the advantage", _set(pg=lambda x: list(x.ratios)), ("vtrace",)),
    Mistake("ρ of the trace's first action in the trace: c_t for c_{t+1}", _set(
        c=lambda x: [float(TRACES[x.estimator](x.row, x.settings, t)) for t in range(x.T)]), tuple(TRACES)),
    Mistake("ρ not clipped in the trace", _set(c=_retrace_unclipped), ("retrace",)),
    Mistake("E_π Q(s_t, ·) used for Q(s_t, a_t)", _set(base=lambda x: list(x.v)), tuple(TRACES)),
    Mistake("the ratio one step late: ρ_t missing from R_{t+1}", _set(late=lambda x: True), (
        "per_decision", "off_policy_schedule")),
    Mistake("the ratio of the next step used: ρ_{t+1} for ρ_t", _set(ratios=_later("ratios", 1.0)), (
        "per_decision", "off_policy_schedule")),
    Mistake("one ratio for the whole row: trajectory-wise importance sampling", _whole_row_ratio, ("per_decision",)),
    Mistake("the ratios missing", _set(ratios=_ones), ("per_decision", "off_policy_schedule")),
    Mistake("λ missing from the weight of later returns: each has 1 − λ", _late_weights, ("lambda_return",)),
    Mistake("λ_k of the step's own number used: the schedule counted from the row's first step", _absolute_schedule, (
        "schedule_return", "equal_weights")),
    Mistake("the schedule begun one step late: λ_{k+1} for λ_k", _set(c_k=lambda x: [1.0, *x.c_k[:-1]]), (
        "schedule_return", "equal_weights")),
    Mistake("the mean reward not taken off", _set(
        r=lambda x: [y + float(x.settings.mean_reward) for y in x.r]), ("differential_return", "differential_gae")),
)  # fmt: skip
"""They are tried in this order: where two cannot be told apart, the first gives its words."""


def mistakes_in(estimator: str) -> tuple[Mistake, ...]:
    """The mistakes that can be made in one estimator."""
    return tuple(x for x in MISTAKES if (estimator in x.made_in if x.made_in else x.words and estimator in TD))


def mistake_in(contract: Contract, calls: Sequence[Call], returned: Sequence[dict[str, Array]]) -> Likeness | None:
    """The mistake that fits best, if one fits; compared on some wrong rows and some right ones."""
    wrong, right = _samples(contract, calls, returned)
    if not wrong:
        return None

    def makes(mistake: Mistake, sample: Sample) -> bool:
        case, found, is_wrong = sample
        return _fits(contract, mistake, case, found) and (not is_wrong or differs(contract, mistake, case))

    known = [mistake for mistake in mistakes_in(contract.estimator) if mistake.where(contract)]
    found = likeness(known, [*wrong, *right], wrong, makes)
    if found is None and all(
        len(call.rows) == call.rows[0].row.steps > 1 for call in _wrong_calls(contract, calls, returned)
    ):
        return Likeness("rows and steps transposed where there are as many of one as of the other", False)
    return found


Sample = tuple[TrialRow, dict[str, list[float]], bool]
"""A row, what was returned for its steps, and whether that is wrong."""


def _wrong_calls(contract: Contract, calls: Sequence[Call], returned: Sequence[dict[str, Array]]) -> list[Call]:
    return [
        call
        for call, found in zip(calls, returned, strict=True)
        if judged(contract, call, call.dtype).wrong_rows(found).any()
    ]


def _samples(
    contract: Contract, calls: Sequence[Call], returned: Sequence[dict[str, Array]]
) -> tuple[list[Sample], list[Sample]]:
    """Wrong and right rows with what was returned for their steps, evenly drawn."""
    wrong: list[Sample] = []
    right: list[Sample] = []
    for call, found in zip(calls, returned, strict=True):
        if call.dtype != contract.dtypes[0]:
            continue
        bad = judged(contract, call, call.dtype).wrong_rows(found)
        for k, case in enumerate(call.rows):
            if not all(np.isfinite(array[k]).all() for array in found.values()):
                continue
            places = case.places(contract)
            steps = [places.index(t) for t in range(case.row.steps)]
            returned_for = {name: [float(array[k, at]) for at in steps] for name, array in found.items()}
            (wrong if bad[k] else right).append((case, returned_for, bool(bad[k])))
    return _spread(wrong), _spread(right)


def _spread(samples: list[Sample]) -> list[Sample]:
    """Evenly of the short rows, and a few longer ones: on those a mistake that depends on a row's ends shows less."""
    short = [x for x in samples if x[0].row.steps <= LONGEST]
    long = [x for x in samples if x[0].row.steps > LONGEST]
    return short[:: max(1, len(short) // SAMPLED_ROWS)] + long[:: max(1, 10 * len(long) // SAMPLED_ROWS)]


def _fits(contract: Contract, mistake: Mistake, case: TrialRow, found: dict[str, list[float]]) -> bool:
    made = mistake.outputs(contract, case)
    size = 1.0 + max((abs(x) for values in found.values() for x in values), default=0.0)
    close = size * (1e-9 if contract.dtypes[0] == "float64" else 1e-4)
    return all(abs(x - y) <= close for name in found for x, y in zip(found[name], made[name], strict=True))


def differs(contract: Contract, mistake: Mistake, case: TrialRow) -> bool:
    """Whether the mistake shows on this row by more than naming allows for."""
    made = mistake.outputs(contract, case)
    return any(
        abs(x - float(y)) > 1e-6 for name in case.exact for x, y in zip(made[name], case.exact[name], strict=True)
    )
