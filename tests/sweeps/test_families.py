"""Draws by index, families, and the floats of batches against exact models and against NumPy."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

from tdcert.claims.dgb22.negative_margin import FORM
from tdcert.claims.paper import entry
from tdcert.sweeps.batched import BatchMatrix, hurwitz_margin, smallest_eigenvalue, stationary_law, weakest_direction
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import KINDS, Freedom, ModelFamily, discounts, family_of
from tdcert.sweeps.screen import adversarial, margins
from tdcert.sweeps.tables import Table
from tdcert.theory.check import hypotheses
from tdcert.theory.errors import InputError
from tdcert.theory.model.key_matrices import theorem_matrices

ARRAYS = ("transitions", "behaviour", "target", "features", "rewards", "discounts", "schedule")


def family(kind: str, n: int = 4, d: int = 2, kept: Collection[str] = (), features: str = "random") -> ModelFamily:
    freedom = Freedom(frozenset(kept))
    tiny = kind == "tiny"
    finite = tuple(s for s in freedom.schedules(tiny) if s.is_finite)
    return ModelFamily(kind, n, d, freedom, discounts(freedom, tiny), finite, features)


# ---- draws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_is_drawn_alone_as_in_a_batch(kind: str) -> None:
    whole = family(kind).batch(Draws("sweep", 0, 50))
    for index in (0, 17, 49):
        alone = family(kind).batch(Draws("sweep", index, 1))
        for name in ARRAYS:
            assert np.array_equal(getattr(alone, name)[0], getattr(whole, name)[index])


def test_names_indices_and_sweeps_have_draws_of_their_own() -> None:
    drawn = [Draws(key, first, 64).below(name, 1 << 32) for key in "ab" for first in (0, 64) for name in "xy"]
    assert len({x for row in drawn for x in row.tolist()}) == 8 * 64


def test_whole_numbers_are_drawn_evenly() -> None:
    counts = np.bincount(Draws("even", 0, 3_000).below("x", 7, (10,)).ravel(), minlength=7)
    assert np.abs(counts - 30_000 / 7).max() < 5 * np.sqrt(30_000 * 6 / 49)  # five standard errors
    orders = Draws("even", 0, 6_000).order("y", 3)
    assert np.array_equal(np.sort(orders, axis=1), np.tile([0, 1, 2], (6_000, 1)))
    seen = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(seen) == 6 and np.abs(seen - 1_000).max() < 5 * np.sqrt(6_000 * 5 / 36)


# ---- families ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "kept",
    [
        (),
        ("coverage",),
        ("on_policy", "lambda_in_unit_interval"),
        ("constant_discount", "discount_below_one", "finite_schedule"),
    ],
    ids=["nothing", "coverage", "on_policy", "discounts"],
)
def test_what_is_kept_holds_and_what_is_not_varies(kind: str, kept: tuple[str, ...]) -> None:
    asked = {h.id: h for h in hypotheses.ALL}
    batch = family(kind, kept=kept).batch(Draws("kept", 0, 40))
    models = [batch.model(k) for k in range(batch.size)]
    for name in ("coverage", "on_policy", "lambda_in_unit_interval", "constant_discount", "discount_below_one"):
        answers = [asked[name].ask(model).satisfied for model in models]
        implied = name in kept or (name == "coverage" and "on_policy" in kept)
        assert all(answers) if implied else not all(answers), name


def test_families_have_the_shape_they_are_named_for() -> None:
    garnet = family("garnet", 6).batch(Draws("shape", 0, 30))
    assert (np.count_nonzero(garnet.transitions, axis=-1) <= 3).all()  # two successors and the next state
    assert all(garnet.model(k).behaviour_chain.is_irreducible for k in range(30))
    apart = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    for kind, near in (("ring", np.minimum(apart, 6 - apart) <= 1), ("birth_death", apart <= 1)):
        steps = family(kind, 6).batch(Draws("shape", 0, 30)).transitions
        assert (steps[..., ~near] == 0).all() and (steps[..., near] > 0).all()
    halves = family("near_reducible", 6).batch(Draws("shape", 0, 30))
    assert (halves.transitions[..., :3, 3:] <= 16).all() and (halves.transitions[..., :3, :3] >= 1000).all()
    tiny = family("tiny", 2, 1).batch(Draws("shape", 0, 200))
    assert 0 < sum(tiny.model(k).behaviour_chain.is_irreducible for k in range(200)) < 200
    one_hot = family("uniform", 4, 4, features="one_hot").batch(Draws("shape", 0, 2))
    assert np.array_equal(one_hot.features[1], np.eye(4))
    shared = family("uniform", 4, 2, features="aggregated").batch(Draws("shape", 0, 2))
    assert shared.features[1].tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_adversarial_features_are_worse() -> None:
    batch = family("uniform", kept=("on_policy", "discount_below_one", "lambda_in_unit_interval")).batch(
        Draws("worse", 0, 400)
    )
    before, after = margins(FORM, batch), margins(FORM, adversarial(batch))
    assert np.median(after) < np.median(before) / 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "torus"}, "kind in .* is the string 'torus'"),
        ({"states": 0}, "give whole numbers from 1 to 12"),
        ({"kinds": "ring"}, "unknown key 'kinds'"),
        ({"gammas": ["3/2"]}, r"must lie in \[0, 1\]"),
        ({"schedules": ["two_step"]}, "schedules in"),
        ({"schedules": ["constant:0.5"]}, "no schedule is left"),
    ],
)
def test_what_is_no_family_is_said(values: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(family_of(Table(values, "[family]"), Freedom(frozenset()), endless=False))


# ---- floats of batches ------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [(), ("on_policy",)], ids=["off_policy", "on_policy"])
@pytest.mark.parametrize("kind", ["uniform", "garnet", "birth_death"])
def test_batches_have_the_matrices_of_their_models(kind: str, kept: tuple[str, ...]) -> None:
    batch = family(kind, kept=(*kept, "coverage", "discount_below_one")).batch(Draws("floats", 0, 12))
    for k in range(batch.size):
        exact = theorem_matrices(batch.model(k), tuple(range(4)))
        for name in ("A", "b", "C"):
            close = getattr(exact, name).to_float()
            # a few hundred roundings of numbers below 10³
            assert np.abs(getattr(batch.keys, name).array[..., k] - close).max() < 1e-10
        kappa = batch.model(k).schedule.kappa(max(batch.gammas[i] for i in batch.discounts[k].flat))
        assert abs(batch.kappa[k] - float(kappa)) < 1e-12


def test_the_arithmetic_of_batches_is_that_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 5):
        X = BatchMatrix(rng.normal(size=(n, n, 40)))
        plain = X.array.transpose(2, 0, 1)
        right = BatchMatrix(rng.normal(size=(n, 2, 40)))
        solved = np.linalg.solve(plain, right.array.transpose(2, 0, 1))
        assert np.allclose(X.solve(right).array.transpose(2, 0, 1), solved, rtol=1e-6)
        S = X.symmetric_part()
        values, vectors = smallest_eigenvalue(S), weakest_direction(S)
        assert np.allclose(values, np.linalg.eigvalsh(S.array.transpose(2, 0, 1))[:, 0], atol=1e-12)
        residual = np.einsum("ijk,jk->ik", S.array, vectors) - values * vectors
        assert np.abs(residual).max() < 1e-12
        shifted = X - X.identity(n)
        abscissa = np.linalg.eigvals(shifted.array.transpose(2, 0, 1)).real.max(axis=1)
        assert np.array_equal(hurwitz_margin(shifted) > 0, abscissa < 0)
        assert n == 1 or 0 < (abscissa < 0).sum() < 40
        P = BatchMatrix(np.abs(X.array) / np.abs(X.array).sum(axis=1, keepdims=True))
        law = stationary_law(P)
        assert np.allclose((law.T @ P).array, law.T.array, atol=1e-14) and np.allclose(law.array.sum(axis=0), 1)


def test_floats_do_not_depend_on_the_batch() -> None:
    whole = family("uniform", kept=("on_policy",)).batch(Draws("alone", 0, 300))
    for claim in ("negative_margin", "sharp_modulus", "error_bound", "thm_4_4"):
        form = entry(claim).load().form
        assert form is not None
        together = margins(form, whole)
        for k in (0, 111, 299):
            assert margins(form, whole.take([k])).tobytes() == together[k : k + 1].tobytes()
