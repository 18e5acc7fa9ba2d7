"""Stability: on which share of a family are the mean dynamics of declared updates unstable, and where do two disagree?

    [stability]
    algorithms = ["all"]       # of `tdcert algorithms`, with options: "tdrc[ridge=1/2]"; or "FILE.py:NAME"
    lam = 0.5                  # λ of all that have one and are not given another
    eta = 1                    # of the second step size to the first, and of every later one
    policy = "off"             # or "on": behaviour and target equal
    models = 1_000             # of one index
    exact = 1_000              # most exact decisions of one index and algorithm
    independent = "features"   # or "features and one": models where these are linearly dependent are left out
    level = 0.99               # of the limits of shares

    [family]                   # one; see sweeps.families

A row for each index, algorithm and word, and for each pair of algorithms that disagree, with the position of the first
model. Models are decided in floats with every rounding bounded (``enclosed``), and where these do not decide in
fractions (``certified``); what is then left is counted as undecided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tdcert.algorithms import ALL, under
from tdcert.sweeps.asked_algorithms import asked_algorithms, mean_of
from tdcert.sweeps.balls import Ball, hurwitz_signs
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily, family_of
from tdcert.sweeps.quantities import mean_dynamics
from tdcert.sweeps.question import PARTIAL, Result, ResultTable, SweepQuestion, by_index
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.statistics import share_limits
from tdcert.sweeps.tables import Table
from tdcert.sweeps.update_means import signs
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

COLUMNS = (
    ("index", "int64"),
    ("algorithm", "string"),
    ("other", "string"),
    ("word", "string"),
    ("grade", "string"),
    ("count", "int64"),
    ("first", "int64"),
)
"""``other``: empty, or the algorithm that is unstable where ``algorithm`` is stable; ``first``: position of a model."""

STABLE, UNSTABLE, MARGINAL, UNDECIDED = "stable", "unstable", "marginal", "undecided"
ENCLOSED, CERTIFIED = "enclosed", "certified"
INDEPENDENT = ("features", "features and one")
ABOUT = "enclosed where floats with bounds decide, else certified in fractions; limits take undecided models both ways"


@dataclass(frozen=True)
class UnstableShare:
    """``unstable`` of ``models`` have an unstable mean, ``enclosed`` of all decisions are by bounded floats.

    ``example``: the first unstable model.
    """

    algorithm: str
    models: int
    unstable: int
    marginal: int
    undecided: int
    enclosed: int
    limits: tuple[float, float]
    example: Mapping[str, Any] | None


@dataclass(frozen=True)
class Disagreement:
    """On ``count`` models ``stable`` is stable and ``unstable`` is not; ``example``: the first."""

    stable: str
    unstable: str
    count: int
    example: Mapping[str, Any]


def exact_word(model: Model, algorithm: Algorithm, eta: Fraction) -> str:
    """The mean dynamics in a word, as :func:`~tdcert.sweeps.quantities.mean_dynamics`."""
    word = str(mean_dynamics(model, algorithm, eta))
    return STABLE if word.startswith(STABLE) else word if word in (UNSTABLE, MARGINAL) else UNDECIDED


@dataclass(frozen=True)
class Stability:
    """The question; see the module docstring."""

    key: str
    family: ModelFamily
    algorithms: tuple[tuple[str, Algorithm], ...]
    eta: Fraction
    models: int
    exact: int
    with_one: bool
    level: float

    columns = COLUMNS

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Index by index: words by algorithm, then disagreements."""
        return by_index(COLUMNS, self._rows, first, count)

    def batch(self, index: int) -> Batch:
        """The models of one index."""
        return self.family.batch(Draws(self.key, index * self.models, self.models))

    def _rows(self, index: int) -> Iterator[tuple[Any, ...]]:
        batch = self.batch(index)
        kept = np.flatnonzero([self._independent(batch, k, sure) for k, sure in enumerate(self._surely(batch))])
        batch = batch.take(kept)
        words = {}
        for name, algorithm in self.algorithms:
            found, grades = self._decided(batch, algorithm)
            words[name] = found
            for (word, grade), number in sorted(Counter(zip(found.tolist(), grades.tolist(), strict=True)).items()):
                place = int(kept[np.flatnonzero((found == word) & (grades == grade))[0]])
                yield index, name, "", word, grade, number, place
        for name, found in words.items():
            for other, theirs in words.items():
                apart = np.flatnonzero((found == STABLE) & (theirs == UNSTABLE))
                if len(apart):
                    yield index, name, other, "", "", len(apart), int(kept[apart[0]])

    def _surely(self, batch: Batch) -> Any:
        """Where the features certainly are independent: their Gram matrix, whole numbers, has positive eigenvalues."""
        Phi = np.moveaxis(batch.features, 0, -1).astype(np.float64)
        if self.with_one:
            Phi = np.concatenate([Phi, np.ones((Phi.shape[0], 1, Phi.shape[2]))], axis=1)
        return hurwitz_signs(-Ball.of(np.einsum("sib,sjb->ijb", Phi, Phi))) == 1

    def _independent(self, batch: Batch, k: int, surely: bool) -> bool:
        rows = [[*row, 1] if self.with_one else row for row in batch.features[k].tolist()] if not surely else []
        return surely or len(RationalMatrix(rows).column_basis[0]) == len(rows[0])

    def _decided(self, batch: Batch, algorithm: Algorithm) -> tuple[Any, Any]:
        """Words and grades of all models of a batch."""
        found = signs(batch, algorithm, ratios_of(algorithm, self.eta))
        words = np.select([found > 0, found < 0], [STABLE, UNSTABLE], UNDECIDED).astype(object)
        grades = np.where(found == 0, "", ENCLOSED).astype(object)
        for k in np.flatnonzero(found == 0)[: self.exact].tolist():
            words[k] = exact_word(batch.model(k), algorithm, self.eta)
            grades[k] = "" if words[k] == UNDECIDED else CERTIFIED
        return words, grades

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """Shares with exact limits, and how often one is stable where another is not."""
        rows = list(zip(*(table.column(name).to_pylist() for name, _ in COLUMNS), strict=True))
        shares = [
            self._share(name, [row for row in rows if row[1] == name and not row[2]]) for name, _ in self.algorithms
        ]
        shares = [share for share in shares if share.models]
        pairs = []
        for name, _ in self.algorithms:
            for other, _ in self.algorithms:
                here = [row for row in rows if row[1] == name and row[2] == other]
                if here:
                    pairs.append(Disagreement(name, other, sum(row[5] for row in here), self._model(here[0])))
        shown = ResultTable(
            "Unstable means",
            ("algorithm", "models", "unstable", "marginal", "undecided", "share unstable, with limits"),
            tuple(
                (
                    *(getattr(x, name) for name in ("algorithm", "models", "unstable", "marginal", "undecided")),
                    f"{x.unstable / x.models:.4%} ({x.limits[0]:.4%} … {x.limits[1]:.4%})",
                )
                for x in shares
            ),
        )
        apart = ResultTable(
            "How often one is stable where another is unstable",
            ("stable", "unstable", "models"),
            tuple((x.stable, x.unstable, x.count) for x in pairs),
        )
        drawn = max((share.models for share in shares), default=0)
        summary = (f"{drawn:,} models with independent {INDEPENDENT[self.with_one]}: {ABOUT}.",)
        return Result(
            (*summary, *([] if complete else [PARTIAL])),
            tuple(part for part in (shown, apart) if part.rows),
            {"unstable_shares": shares, "disagreements": pairs},
        )

    def _share(self, name: str, rows: Sequence[tuple[Any, ...]]) -> UnstableShare:
        counts: Counter[str] = Counter()
        enclosed = 0
        for row in rows:
            counts[row[3]] += row[5]
            enclosed += row[5] * (row[4] == ENCLOSED)
        n, unstable, undecided = counts.total(), counts[UNSTABLE], counts[UNDECIDED]
        low, high = (0.0, 1.0)
        if n:
            low, high = share_limits(unstable, n, self.level)[0], share_limits(unstable + undecided, n, self.level)[1]
        example = next((self._model(row) for row in rows if row[3] == UNSTABLE), None)
        return UnstableShare(name, n, unstable, counts[MARGINAL], undecided, enclosed, (low, high), example)

    def _model(self, row: tuple[Any, ...]) -> Mapping[str, Any]:
        return self.batch(row[0]).model(row[6]).canonical


def stability(spec: Spec) -> SweepQuestion:
    """The question of a spec of kind ``stability``. Raises :class:`InputError`."""
    top = Table(spec.question, "the sweep")
    table, families = top.table("stability"), top.tables("family")
    top.done()
    on_policy = table.word("policy", "off", ("off", "on")) == "on"
    named = table.words("algorithms", ["all"])
    lam, eta = _one(table, "lam", Fraction(0)), _one(table, "eta", Fraction(1))
    if not 0 <= lam <= 1 or eta <= 0:
        raise InputError(f"lam in {table.where} must lie in [0, 1], and eta above 0")
    models, exact = table.whole("models", 1_000, most=100_000), table.whole("exact", 1_000, least=0)
    with_one = table.word("independent", INDEPENDENT[0], INDEPENDENT) == INDEPENDENT[1]
    level = _one(table, "level", Fraction(99, 100))
    if not 0 < level < 1:
        raise InputError(f"level in {table.where} must be one number between 0 and 1")
    table.raw("sources")  # the digests of files, which make it another sweep where a file changes
    table.done()
    kept = {"coverage", "constant_discount", "discount_below_one"}
    freedom = Freedom(frozenset(kept | ({"on_policy"} if on_policy else set())))
    if len(families) != 1:
        raise InputError(f"the sweep has {len(families)} families; a question of stability is of one [family]")
    listed = [replace(x, schedules=(Schedule.constant(lam),)) for x in family_of(families[0], freedom, endless=True)]
    if len(listed) != 1 or listed[0].kind == "tiny":
        raise InputError(
            "stability is asked of models of one size with irreducible chains; give one states and one width"
        )
    return Stability(spec.digest, listed[0], _with_lambda(named, lam), eta, models, exact, with_one, float(level))


def _one(table: Table, key: str, default: Fraction) -> Fraction:
    found = table.numbers(key, [default])
    if len(found) != 1:
        raise InputError(f"{key} in {table.where} must be one number")
    return found[0]


def _with_lambda(named: Sequence[str], lam: Fraction) -> tuple[tuple[str, Algorithm], ...]:
    """The algorithms with their names, λ put in where they stand at their defaults.

    Of ``all`` those that are not linear in their steps are left out. Raises :class:`InputError` for one without mean
    dynamics, and as :func:`asked_algorithms`.
    """
    found: dict[str, Algorithm] = {}
    for name, algorithm in asked_algorithms(named):
        chosen = at_lambda(algorithm, lam)
        if not (mean_of(chosen).cut and ALL in named and name not in named):
            found[name] = chosen
    return tuple(found.items())


def at_lambda(algorithm: Algorithm, lam: Fraction) -> Algorithm:
    """The algorithm with one λ without end, where it takes one from a schedule and is not given another. It is given to
    it, so that no model's schedule replaces it.
    """
    chosen = under(algorithm, Schedule.constant(lam))[0]
    return chosen.with_options(**{name: chosen.options[name] for name in chosen.schedule})
