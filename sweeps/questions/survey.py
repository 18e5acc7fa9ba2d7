"""Survey: how a quantity is distributed over a family of models.

    [survey]
    numbers = ["kappa", "error_ratio"]      # see sweeps.quantities
    stability = ["mean", "mean_square", "path"]
    algorithms = ["off_policy_td", "gtd", "tdc"]   # any of `tdcert algorithms`, with options, or "FILE.py:NAME"
    schedules = ["td0", "n_step:4", "equal_weights:2,4"]    # every model under each
    policy = "off"             # or "on": behaviour and target equal
    alpha = 0.005              # constant steps, α the first and ηα the others, for stability
    eta = 10
    entries = 1000             # most windows × D² for which mean-square stability is decided exactly
    steps = 20_000             # of each path, and how many paths
    runs = 16
    path_level = 0.999         # of one sign: whether most runs shrink or grow
    level = 0.99               # of the limits of shares and quantiles

    [family]                   # one; see sweeps.families
    kind = "garnet"
    states = 4
    width = 2

Index i is one model. A row for each schedule and each quantity, with the grade of its evidence: floats and simulations
are labelled as such, and what is not decided is counted as undecided, never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from tdcert.sweeps.asked_algorithms import asked_algorithms, mean_of, without_schedule
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.exact import exact_keys
from tdcert.sweeps.families import Freedom, ModelFamily, family_of
from tdcert.sweeps.quantities import (
    ALGORITHMS,
    DEPENDENT,
    FLOATS,
    NOTIONS,
    NUMBERS,
    AskedUpdate,
    Measured,
    Paths,
    asymptotic_variance,
    float_number,
    least_stable_n,
    stable_in_mean,
    stable_in_mean_square,
    stable_on_paths,
    under,
)
from tdcert.sweeps.question import Result, SweepQuestion, by_column
from tdcert.sweeps.questions.distributions import distributions
from tdcert.sweeps.screen import adversarial
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.tables import Table
from tdcert.theory.arithmetic.unreduced import UnreducedMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files.schedule_forms import one_schedule_from_text
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

COLUMNS = (
    ("index", "int64"),
    ("schedule", "string"),
    ("algorithm", "string"),
    ("quantity", "string"),
    ("value", "float64"),
    ("word", "string"),
    ("grade", "string"),
)
"""``algorithm`` is empty for numbers; ``value`` not a number where there is none; ``word``: stable, not stable, …"""


@dataclass(frozen=True)
class Survey:
    """The question; see the module docstring."""

    key: str
    seed: int
    family: ModelFamily
    schedules: tuple[tuple[str, Schedule], ...]
    numbers: tuple[str, ...]
    notions: tuple[str, ...]
    algorithms: Mapping[tuple[str, str], AskedUpdate]
    alpha: Fraction
    eta: Fraction
    entries: int
    paths: Paths
    level: float

    columns = COLUMNS

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """The rows of these models: schedule by schedule, numbers first."""
        batch = self.batch(first, count)
        floats = {
            (text, quantity): float_number(quantity, under(batch, schedule))
            for text, schedule in self.schedules
            for quantity in self.numbers
            if quantity in FLOATS
        }
        found: list[tuple[Any, ...]] = []
        for k in range(count):
            known: dict[tuple[str, str], Measured] = {}
            for text, schedule in self.schedules:
                one = under(batch.take([k]), schedule)
                for quantity in self.numbers:
                    if quantity in FLOATS:
                        answer = Measured(float(floats[text, quantity][k]), grade="float")
                    else:
                        answer = least_stable_n(one) if quantity == "least_stable_n" else asymptotic_variance(one)
                    found.append((first + k, text, "", quantity, answer.value, answer.word, answer.grade))
                for algorithm, notion, answer in self._stability(one, text, f"{self.key}/{first + k}/{text}", known):
                    found.append((first + k, text, algorithm, notion, answer.value, answer.word, answer.grade))
        return by_column(COLUMNS, found)

    def batch(self, first: int, count: int) -> Batch:
        """The models of these indices, as the family draws them."""
        batch = self.family.batch(Draws(self.key, first, count))
        return adversarial(batch) if self.family.features == "adversarial" else batch

    def _stability(
        self, one: Batch, text: str, name: str, known: dict[tuple[str, str], Measured]
    ) -> Iterator[tuple[str, str, Measured]]:
        """``known``: what was answered under another schedule about updates that take none."""
        if not self.notions:
            return
        keys, model = exact_keys(one, 0), one.model(0)
        for (algorithm, under_text), asked in self.algorithms.items():
            for notion in self.notions if under_text == text else ():
                answer = known.get((algorithm, notion))
                if answer is None:
                    answer = self._answer(model, keys, asked, notion, f"{name}/{algorithm}")
                if not asked.algorithm.schedule:
                    known[algorithm, notion] = answer
                yield algorithm, notion, answer

    def _answer(
        self, model: Model, keys: KeyMatrices[UnreducedMatrix] | None, asked: AskedUpdate, notion: str, name: str
    ) -> Measured:
        if keys is None or not keys.C.is_nonsingular():
            return Measured(word=DEPENDENT)
        if notion == "mean":
            return stable_in_mean(model, keys, asked, self.eta)
        if notion == "mean_square":
            return stable_in_mean_square(model, asked, self.alpha, self.eta, self.entries)
        return stable_on_paths(model, asked, self.alpha, self.eta, self.paths, self.seed, name)

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Shares, quantiles with exact limits, figures, and the extreme models."""
        found = distributions(table, complete, self.level, self._model_under, self.family.freedom.on_policy)
        chosen = {name: asked.algorithm for (name, _), asked in self.algorithms.items()} if self.notions else {}
        return replace(found, summary=(*found.summary, *without_schedule(chosen, [x for _, x in self.schedules])))

    def _model_under(self, index: int, schedule: str) -> Model:
        return under(self.batch(index, 1), dict(self.schedules)[schedule]).model(0)


def survey(spec: Spec) -> SweepQuestion:
    """The question of a spec of kind ``survey``. Raises :class:`InputError`."""
    top = Table(spec.question, "the sweep")
    table, families = top.table("survey"), top.tables("family")
    top.done()
    on_policy = table.word("policy", "off", ("off", "on")) == "on"
    texts = table.words("schedules", ["td0"])
    schedules = tuple((text, one_schedule_from_text(text, f"schedules in {table.where}")) for text in texts)
    numbers = _known(table.words("numbers", ["none"]), NUMBERS, "numbers", table)
    notions = _known(table.words("stability", ["none"]), NOTIONS, "stability", table)
    named = asked_algorithms(table.words("algorithms", list(ALGORITHMS)))
    table.raw("sources")  # the digests of files, which make it another sweep where a file changes
    alpha, eta = (table.numbers(key, [Fraction(default)]) for key, default in (("alpha", "1/100"), ("eta", "1")))
    paths = Paths(
        table.whole("steps", 20_000, least=5), table.whole("runs", 16, least=2), _level(table, "path_level", "999/1000")
    )
    entries, level = table.whole("entries", 1000, most=10_000), _level(table, "level", "99/100")
    table.done()
    if not numbers and not notions:
        raise InputError(f"{table.where} asks for nothing; give numbers or stability")
    if not all(schedule.is_finite for _, schedule in schedules):
        raise InputError(f"schedules in {table.where} has one without an end; give it a length")
    if len(alpha) > 1 or len(eta) > 1 or alpha[0] <= 0 or eta[0] <= 0:
        raise InputError(f"alpha and eta in {table.where} must each be one positive number")
    kept = {"coverage", "lambda_in_unit_interval", "constant_discount", "discount_below_one"}
    freedom = Freedom(frozenset(kept | ({"on_policy"} if on_policy else set())))
    if len(families) != 1:
        raise InputError(f"the sweep has {len(families)} families; a survey is of one [family]")
    family = list(family_of(families[0], freedom, endless=False))
    if len(family) != 1 or family[0].kind == "tiny":
        raise InputError("a survey is of models of one size with irreducible chains; give one states and one width")
    asked = {
        (name, text): AskedUpdate.of(algorithm, schedule, on_policy)
        for text, schedule in schedules
        for name, algorithm in named
        if notions
    }
    if "mean" in notions:
        for one in asked.values():
            mean_of(one.algorithm)
    return Survey(
        spec.digest,
        spec.seed,
        family[0],
        schedules,
        numbers,
        notions,
        asked,
        alpha[0],
        eta[0],
        entries,
        paths,
        level,
    )


def _known(given: list[str], known: Sequence[str], key: str, table: Table) -> tuple[str, ...]:
    if given == ["none"]:
        return ()
    for word in given:
        if word not in known:
            raise InputError(f"{key} in {table.where} names '{word}'; give some of {', '.join(known)}")
    return tuple(dict.fromkeys(given))


def _level(table: Table, key: str, default: str) -> float:
    value = table.numbers(key, [Fraction(default)])
    if len(value) != 1 or not 0 < value[0] < 1:
        raise InputError(f"{key} in {table.where} must be one number between 0 and 1")
    return float(value[0])
