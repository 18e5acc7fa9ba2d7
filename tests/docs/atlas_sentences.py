"""What the atlas says in general, asked of many models: floats with bounds look for a counterexample, fractions decide.

A sentence of ``docs/atlas/known.json`` that speaks of more than one model has ``asked``, one of

* ``{"stable": ALGORITHM, "where": [NAMES of WHERE], "at": [[RATIOS of the steps]]}``: stable on every model, at each;
* ``{"equal": [ALGORITHM, ALGORITHM]}``: both have the same mean increments, on every model;
* ``{"check": NAME}``: the function of ``test_atlas_sentences.py`` that is called so;
* ``{"test": FILE::NAME}``: a test elsewhere.

Behaviour chains are irreducible, the behaviour policy covers the target, and every discount is below one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tdcert.algorithms import find
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily
from tdcert.sweeps.questions.stability import at_lambda
from tdcert.sweeps.update_means import signs
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import at_ratios
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
GAMMAS = (F(1, 2), F(19, 20), F(99, 100))
LAMBDAS = (F(0), F(1, 2))
SURE = 12
"""How many models of a batch that bounded floats leave open are decided in fractions."""


def chosen(words: str, lam: Fraction) -> Algorithm:
    (algorithm,) = find(words)
    return at_lambda(algorithm, lam)


def on_class(model: Model, words: str, lam: Fraction) -> Stationary[RationalMatrix]:
    return stationary(model, chosen(words, lam), model.behaviour_chain.recurrent_classes[0])


def mean(model: Model, words: str, lam: Fraction) -> RationalMatrix:
    """A of an algorithm with one parameter vector, or the whole matrix of one with several, all steps equal."""
    found = on_class(model, words, lam)
    J: RationalMatrix = found.joint([F(1)] * len(found.algorithm.steps))
    return J.take(columns=range(found.tables.D))


def word(model: Model, words: str, lam: Fraction, ratios: Sequence[Fraction]) -> MeanDynamics:
    return at_ratios(on_class(model, words, lam), ratios).mean_dynamics


def _independent(model: Model, lam: Fraction) -> bool:
    return model.features.rank == model.d


def _beside_constants(model: Model, lam: Fraction) -> bool:
    return RationalMatrix([[*row, 1] for row in model.features.rows]).rank == model.d + 1


WHERE: dict[str, Callable[[Model, Fraction], bool]] = {
    "independent features": _independent,
    "features independent of constants": _beside_constants,
    "A nonsingular": lambda model, lam: mean(model, "off_policy_td", lam).is_regular,
    "off-policy TD stable": lambda model, lam: word(model, "off_policy_td", lam, [F(1)]) is MeanDynamics.STABLE,
    "off-policy TD unstable": lambda model, lam: word(model, "off_policy_td", lam, [F(1)]) is MeanDynamics.UNSTABLE,
    "on-policy": lambda model, lam: model.is_on_policy,
    "tables": lambda model, lam: model.features == model.features.identity(model.n),
    "one discount": lambda model, lam: len({x for G in model.discounts for row in G.rows for x in row}) == 1,
}


def batches(count: int, where: Sequence[str] = ()) -> Iterator[Batch]:
    """``count`` models of each family: small numbers, Garnet, and one whose law is far from that of its target."""
    on, tables = "on-policy" in where, "tables" in where
    kept = frozenset({"coverage", "discount_below_one", *(["on_policy"] if on else [])})
    freedom = Freedom(kept | ({"constant_discount"} if "one discount" in where else set()))
    for kind, n, d in (("tiny", 2, 1), ("tiny", 3, 2), ("garnet", 3, 2)):
        width, features = (n, "one_hot") if tables else (d, "random")
        family = ModelFamily(kind, n, width, freedom, GAMMAS, (Schedule(),), features)
        yield family.batch(Draws("sentences of the atlas", 0, count))
    if not on:
        yield _skewed(3 * count, tables)


def _skewed(count: int, tables: bool) -> Batch:
    """Three states: the target goes where a map says, the behaviour mostly to where weights of 1, 40, 200 say."""
    rng = np.random.default_rng(7)
    goal = np.eye(3, dtype=np.int64)[rng.integers(0, 3, (count, 3))]
    weights = np.repeat(rng.choice([1, 40, 200], (count, 1, 3)), 3, axis=1)
    features = rng.integers(-2, 3, (count, 3, 2)) if not tables else np.tile(np.eye(3, dtype=np.int64), (count, 1, 1))
    still = np.zeros((count, 2, 3), dtype=np.int64)
    return Batch(
        np.stack([goal, weights], axis=1),
        np.tile([1, 9], (count, 3, 1)),
        np.tile([1, 0], (count, 3, 1)),
        features,
        still,
        still + rng.integers(0, len(GAMMAS), (count, 1, 1)),
        np.zeros(count, dtype=np.int64),
        GAMMAS,
        (Schedule(),),
    )


def counterexample(asked: Mapping[str, Any], count: int) -> tuple[Model, Fraction] | None:
    """A model and a λ on which what is ``asked`` (``stable`` or ``equal``) is not so, decided in fractions."""
    for lam, batch in product(LAMBDAS, batches(count, asked.get("where", ()))):
        for model in _suspects(asked, batch, lam):
            if model.behaviour_chain.is_irreducible and not holds(asked, model, lam):
                return model, lam
    return None


def holds(asked: Mapping[str, Any], model: Model, lam: Fraction) -> bool:
    """In fractions, on one model."""
    if "equal" in asked:
        first, second = (on_class(model, words, lam) for words in asked["equal"])
        return first.means == second.means
    if not all(WHERE[name](model, lam) for name in asked["where"]):
        return True
    at = [[F(x) for x in ratios] for ratios in asked["at"]]
    return all(word(model, asked["stable"], lam, ratios) is MeanDynamics.STABLE for ratios in at)


def _suspects(asked: Mapping[str, Any], batch: Batch, lam: Fraction) -> Iterator[Model]:
    """Models that bounded floats show to be unstable, and some of those that they leave open."""
    if "equal" in asked:
        yield from (batch.model(k) for k in range(min(SURE, batch.size)))
        return
    likely = np.ones(batch.size, dtype=bool)
    for name, sign in (("off-policy TD stable", 1), ("off-policy TD unstable", -1)):
        if name in asked["where"]:
            with np.errstate(invalid="ignore"):
                likely &= signs(batch, chosen("off_policy_td", lam), [F(1)]) == sign
    for ratios in asked["at"]:
        with np.errstate(invalid="ignore"):  # chains of small numbers need not be irreducible: these are left open
            found = signs(batch, chosen(asked["stable"], lam), [F(x) for x in ratios])
        yield from (batch.model(k) for k in np.flatnonzero(likely & (found < 0))[:SURE].tolist())
        yield from (batch.model(k) for k in np.flatnonzero(likely & (found == 0))[:SURE].tolist())
