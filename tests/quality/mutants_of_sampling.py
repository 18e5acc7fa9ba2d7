"""Mutants of what simulations draw: random words, the tables they are looked up in, and the paths that come of it."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "sims/streams.py",
        "sims/test_trajectories.py::test_xoshiro_known_answer",
        ("a rotation by 44 for 45", "_rotate(state[3], 45)", "_rotate(state[3], 44)"),
        ("a rotation to the right", "return (x << k | x >> 64 - k) & MASK", "return (x >> k | x << 64 - k) & MASK"),
        (
            "the state of the word before scrambled",
            "_rotate(state[1] * 5 & MASK, 7)",
            "_rotate(state[0] * 5 & MASK, 7)",
        ),
    ),
    *rows(
        "sims/streams.py",
        "sims/test_trajectories.py::test_streams_depend_on_seed_and_name_alone",
        ("all names share one stream", "hashlib.sha256(name.encode())", "hashlib.sha256(b'')"),
        ("the seed is not used", "SeedSequence(entropy=seed", "SeedSequence(entropy=0"),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_trajectories.py::test_integer_masses_are_within_one_of_the_law",
        ("masses rounded down, what is left lost", "by_remainder[: WORD - sum(floors)]", "by_remainder[:0]"),
        ("what is left goes to the first outcomes", "key=lambda o: (-remainders[o], o)", "key=lambda o: o"),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_trajectories.py::test_alias_table_gives_every_outcome_exactly_its_mass",
        ("a column filled up by its donor for nothing", "if remaining[donor] < capacity:", "if remaining[donor] == 0:"),
        (
            "a column's own share given to its donor",
            "keep[column], alias[column] = remaining[column], donor",
            "keep[column], alias[column] = capacity - remaining[column], donor",
        ),
        (
            "one table for all states",
            "for row, law in enumerate(laws):",
            "for row, law in enumerate([laws[-1]] * len(laws)):",
        ),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_trajectories.py::test_lookup_at_the_edges_of_a_column",
        ("the alias drawn one word late", "rest < int(self.keep", "rest <= int(self.keep"),
        ("a column and its alias swapped", "column if rest < int", "column if rest >= int"),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_trajectories.py::test_sampling_tables_hold_the_law_of_action_and_next_state",
        ("the target's actions drawn", "found.append((mu * p,", "found.append((model.target.rows[s][a] * p,"),
        ("transitions of the first action for all", "enumerate(transitions[a][s])", "enumerate(transitions[0][s])"),
        ("transitions drawn backwards", "enumerate(transitions[a][s])", "enumerate(row[s] for row in transitions[a])"),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_trajectories.py::test_a_sampler_keeps_together_what_belongs_to_a_transition",
        (
            "every start equally likely",
            "AliasTable.build([list(start)])",
            "AliasTable.build([[Fraction(1, model.n)] * model.n])",
        ),
        ("ρ upside down", "rho = model.target.rows[s][a] / mu", "rho = mu / (model.target.rows[s][a] or 1)"),
        ("the reward at the wrong end of a transition", "_at(rewards[a], s, after)", "_at(rewards[a], after, s)"),
        ("the discount at the wrong end of a transition", "_at(discounts[a], s, after)", "_at(discounts[a], after, s)"),
        ("the reward of the first action for all", "_at(rewards[a], s, after)", "_at(rewards[0], s, after)"),
    ),
    *rows(
        "sims/trajectories.py",
        "sims/test_variants.py::test_the_law_at_a_finite_time",
        ("φ_{t+1} recorded as φ_t", "self.states[..., :-1]", "self.states[..., 1:]"),
        ("φ_t recorded as φ_{t+1}", "self.states[..., 1:]", "self.states[..., :-1]"),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_the_kernel_follows_the_readable_algorithm",
        ("growth: c shifted by one", "z[i] += c[k] * product", "z[i] += c[k - 1] * product"),
        (
            "growth: the trace without earlier ratios",
            "states[here], factors[here] = s, ratio * gamma",
            "states[here], factors[here] = s, gamma",
        ),
        (
            "growth: the trace without end keeps ρ out",
            "z[i] = ratio * (Phi[s, i] + before * z[i])",
            "z[i] = Phi[s, i] + before * z[i]",
        ),
        ("growth: nothing moves where z = 0", "ratio != 0.0 or terms[k, 3]", "ratio != 0.0"),
        ("growth: every number from the first vector", "y[dots[k, 1]], 0.0", "y[0], 0.0"),
        ("growth: every term moves θ", "y[terms[k, 0]]", "y[0]"),
        ("growth: a stale z counts where ρ = 0", "[a > 0 and dots[which][0] > 0 for", "[True for"),
        ("growth: β without η", "float(alpha * eta)", "float(alpha)"),
    ),
    *rows(
        "sims/growth_of_tables.py",
        "sims/test_lyapunov.py::test_the_kernel_follows_the_readable_algorithm",
        ("growth: the norm forgotten", "logarithm += np.log(norm)", "logarithm = np.log(norm)"),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_what_features_do_not_see_does_not_count",
        ("growth: what Φ does not see counts", "if on_class.rank == model.d:", "if on_class.rank > 0:"),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_a_deterministic_product_grows_as_its_eigenvalue",
        ("growth: half the time for all of it", "(early + late) / (4 * part)", "(early + late) / (2 * part)"),
    ),
)
