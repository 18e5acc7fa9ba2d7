"""Streams, sampling tables and trajectories: exact laws, checked by counting words, not by drawing them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.kernels import sample
from tdcert.sims.random_models import assemble, random_model
from tdcert.sims.step_sizes import Constant, Polynomial, StepSizes
from tdcert.sims.streams import generator, run_states, stream, xoshiro
from tdcert.sims.trajectories import WORD, AliasTable, Sampler, integer_masses, stationary_start, uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction


def test_xoshiro_known_answer() -> None:
    """The authors' C code from the state (1, 2, 3, 4), as recorded in the tests of the Rust crate
    rand_xoshiro."""
    state = [1, 2, 3, 4]
    assert [xoshiro(state) for _ in range(6)] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
    ]


def test_streams_depend_on_seed_and_name_alone() -> None:
    assert np.array_equal(run_states(1, "a", 3), run_states(1, "a", 3))
    assert np.array_equal(run_states(1, "a", 3), run_states(1, "a", 5)[:3])
    assert not np.array_equal(run_states(1, "a", 3), run_states(1, "b", 3))
    assert not np.array_equal(run_states(1, "a", 3), run_states(2, "a", 3))
    assert stream(1, "a").spawn_key != stream(1, "b").spawn_key
    assert generator(1, "a").integers(1 << 60) == generator(1, "a").integers(1 << 60)


LAWS = [
    [F(1)],
    [F(1, 2), F(1, 2)],
    [F(1, 3), F(2, 3)],
    [F(1, 10**30), 1 - F(1, 10**30)],
    [F(0), F(1, 7), F(0), F(2, 7), F(4, 7)],
    [F(k, 45) for k in range(10)],
]


@pytest.mark.parametrize("law", LAWS)
def test_integer_masses_are_within_one_of_the_law(law: list[Fraction]) -> None:
    masses = integer_masses(law)
    assert sum(masses) == WORD
    assert all(abs(N - p * WORD) < 1 for N, p in zip(masses, law, strict=True))
    assert all(N == 0 for N, p in zip(masses, law, strict=True) if p == 0)


def test_alias_table_gives_every_outcome_exactly_its_mass() -> None:
    """Counted, not drawn: each column contributes ``keep`` words to itself and the rest to its alias."""
    table = AliasTable.build(LAWS)
    capacity = WORD >> table.bits
    for row, law in enumerate(LAWS):
        counts = [0] * (1 << table.bits)
        for column in range(1 << table.bits):
            keep = int(table.keep[row, column])
            counts[column] += keep
            counts[int(table.alias[row, column])] += capacity - keep
        masses = integer_masses(law)
        assert counts[: len(law)] == masses
        distance = sum(abs(F(N, WORD) - p) for N, p in zip(masses, law, strict=True)) / 2
        assert distance <= F(table.distance) < F(1, 2**50)


def test_lookup_at_the_edges_of_a_column() -> None:
    table = AliasTable.build([[F(1, 4), F(3, 4)]])
    assert table.bits == 1
    quarter = WORD // 4
    assert [table.outcome(0, word) for word in (0, quarter - 1, quarter, WORD // 2, WORD - 1)] == [
        0,
        0,
        1,
        1,
        1,
    ]


def _model(seed: int) -> Model:
    return random_model(generator(seed, "trajectories"), 4, 2, 2, actions=3, gamma=None)


@pytest.mark.parametrize("seed", range(5))
def test_kernel_walks_word_by_word_as_the_readable_sampler(seed: int) -> None:
    """Same generator, same table, same states; everything recorded belongs to the transition that was
    made."""
    model = _model(seed)
    sampler = Sampler.of(model, uniform_start(model))
    states = run_states(seed, "walk", 20)
    recorded, twin = sample(sampler, states, 30), sampler.paths(states, 30)
    assert all(np.array_equal(getattr(recorded, part), getattr(twin, part)) for part in vars(twin))
    for r in range(20):
        rng = [int(word) for word in states[r]]
        path = recorded.run(r)
        s = sampler.start.outcome(0, xoshiro(rng))
        assert path.states[0] == s
        for t in range(30):
            o = sampler.steps.outcome(s, xoshiro(rng))
            s = int(sampler.next_states[s, o])
            before, a, after = int(path.states[t]), int(path.actions[t]), int(path.states[t + 1])
            assert after == s and a == sampler.actions[before, o]
            assert path.rewards[t] == float(model.rewards[a][before, 0])
            assert path.discounts[t] == float(model.discounts[a][before, after])
            assert path.rho[t] == float(model.target[before, a] / model.behaviour[before, a])
            assert model.transitions[a][before, after] > 0


def test_sampling_tables_hold_the_law_of_action_and_next_state() -> None:
    """For every state the outcomes are the pairs (a, s') with their probabilities μ(a|s) P_a(s, s')."""
    model = _model(1)
    sampler = Sampler.of(model, uniform_start(model))
    capacity = F(1, 1 << sampler.steps.bits)
    for s in range(model.n):
        found: dict[tuple[int, int], Fraction] = {}
        for column in range(1 << sampler.steps.bits):
            keep = F(int(sampler.steps.keep[s, column]), WORD)
            for o, p in ((column, keep), (int(sampler.steps.alias[s, column]), capacity - keep)):
                if p:
                    key = int(sampler.actions[s, o]), int(sampler.next_states[s, o])
                    found[key] = found.get(key, F(0)) + p
        for a in range(3):
            for after in range(model.n):
                exact = model.behaviour[s, a] * model.transitions[a][s, after]
                assert abs(found.get((a, after), F(0)) - exact) < F(1, WORD)


def test_a_sampler_keeps_together_what_belongs_to_a_transition() -> None:
    """Two states, two actions, nothing symmetric: reward, discount and ρ of (s, a, s'), and the start law 1/4, 3/4."""
    rewards = RationalMatrix([[1, 2], [3, 4]]), RationalMatrix([[5, 6], [7, 8]])
    discounts = RationalMatrix([[F(1, 2), F(1, 4)], [0, 1]]), RationalMatrix([[1, F(3, 4)], [F(1, 8), 0]])
    model = assemble(
        [RationalMatrix([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]])] * 2,
        rewards,
        discounts,
        RationalMatrix([[F(1, 4), F(3, 4)]] * 2),
        RationalMatrix([[F(1, 2), F(1, 2)], [1, 0]]),
        RationalMatrix([[1], [2]]),
        Schedule(),
    )
    sampler = Sampler.of(model, (F(1, 4), F(3, 4)))
    rho = {(0, 0): 2.0, (0, 1): 2 / 3, (1, 0): 4.0, (1, 1): 0.0}
    for s in range(2):
        kept = zip(sampler.actions[s], sampler.next_states[s], strict=True)
        for o, (a, after) in enumerate((int(a), int(after)) for a, after in kept):
            assert sampler.rewards[s, o] == 1 + 4 * a + 2 * s + after
            assert sampler.discounts[s, o] == float(discounts[a][s, after])
            assert sampler.rho[s, o] == rho[s, a]
    quarter = WORD // 4
    assert [sampler.start.outcome(0, word) for word in (0, quarter - 1, quarter, WORD - 1)] == [0, 0, 1, 1]


def test_paths_do_not_depend_on_how_many_run_beside_them() -> None:
    model = _model(2)
    sampler = Sampler.of(model, stationary_start(model))
    many, few = sample(sampler, run_states(0, "x", 50), 10), sample(sampler, run_states(0, "x", 7), 10)
    assert np.array_equal(many.states[:7], few.states)
    assert few.phi.shape == (7, 10, 2) and np.array_equal(few.phi[:, 1:], few.phi_next[:, :-1])


def test_stationary_start_needs_one_recurrent_class() -> None:
    identity = RationalMatrix([[1, 0], [0, 1]])
    model = Model.reward_process(identity, RationalMatrix.column([0, 0]), F(1, 2))
    with pytest.raises(InputError, match="2 recurrent classes"):
        stationary_start(model)
    assert stationary_start(model, (1,)) == (0, 1)


def test_a_start_law_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="one for each of the 4 states"):
        Sampler.of(_model(0), [F(1)])
    with pytest.raises(InputError, match="does not sum to exactly one"):
        Sampler.of(_model(0), [F(1, 2)] * 4)


def test_step_sizes() -> None:
    steps = StepSizes(Polynomial(2.0, 4.0, 0.5), Constant(0.25))
    alphas, betas = steps.arrays(6)
    assert alphas[0] == 1.0 and alphas[5] == 2.0 / 3.0 and list(betas) == [0.25] * 6
    assert np.array_equal(StepSizes(Constant(1.0)).arrays(2)[1], [1.0, 1.0])
    with pytest.raises(InputError, match="need a > 0, t0 > 0"):
        Polynomial(1.0, 0.0, 1.0)
    with pytest.raises(InputError, match="not negative"):
        Constant(float("nan"))
