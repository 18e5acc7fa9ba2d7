"""Mutants of what runs sweeps: what counts as done, whole, the same sweep, the same versions."""

from __future__ import annotations

from tests.quality.edits import rows

_FOLDER, _ENGINES, _TASK = "sweeps/test_folder.py::", "sweeps/test_engines.py::", "sweeps/test_task.py::"

MUTANTS = (
    *rows(
        "sweeps/shards.py",
        f"{_FOLDER}test_a_damaged_shard_is_named_and_computed_again",
        ("a shard is taken for whole unseen", "or name != shard_name(number, content):", "or False:"),
    ),
    *rows(
        "sweeps/shards.py",
        f"{_FOLDER}test_a_shard_of_another_sweep_is_left_alone",
        ("shards of any sweep are merged", "or label != _label(spec, number):", "or False:"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_FOLDER}test_a_spec_that_changed_is_refused",
        ("a changed spec goes on", "        if changed:\n", "        if len(changed) > 1:\n"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_FOLDER}test_other_versions_do_not_go_on_with_a_half_done_sweep",
        ("shards of two versions are mixed", "        if self.done:\n", "        if False:\n"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_FOLDER}test_two_clients_on_one_folder",
        ("two clients hold one folder", "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB"),
    ),
    *rows(
        "sweeps/versions.py",
        f"{_TASK}test_a_task_of_other_versions_is_refused_before_anything_is_computed",
        ("a worker of another version computes", "    if here != asked:\n", "    if False:\n"),
    ),
    *rows(
        "theory/workers.py",
        f"{_ENGINES}test_who_was_in_flight_beside_a_deadly_shard_is_not_blamed",
        ("suspects are tried in a crowd", "_pool(work, suspects, 1, 1)", "_pool(work, suspects, 2, 4)"),
    ),
)
MORE = (
    *rows(
        "sweeps/folder.py",
        f"{_ENGINES}test_what_is_done_is_not_done_again",
        ("everything is done again", "if number not in self.done]", "]"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_ENGINES}test_neither_the_cut_nor_the_order_nor_a_restart_changes_it",
        ("rows in the order in which shards finished", "for number in sorted(self.done):", "for number in self.done:"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_FOLDER}test_a_task_that_is_not_pure_is_noticed",
        ("two answers to one shard", "if self.done.setdefault(number, name) != name:", "if False:"),
    ),
    *rows(
        "sweeps/folder.py",
        f"{_FOLDER}test_a_full_disk_keeps_what_is_done",
        ("half a file stays", "                    half.unlink()\n", "                    pass\n"),
    ),
    *rows(
        "theory/workers.py",
        f"{_ENGINES}test_two_processes_replace_a_worker_that_dies_and_write_the_same",
        ("shards of a dead worker are lost", "return sorted(flying.values())", "return []"),
    ),
    *rows(
        "theory/workers.py",
        f"{_ENGINES}test_workers_that_die_of_no_shard_blame_none",
        ("a shard is blamed by workers that never start", "                _require_start()\n", ""),
    ),
    *rows(
        "sweeps/cluster.py",
        "sweeps/test_cluster.py::test_who_waited_beside_a_deadly_shard_is_not_blamed",
        ("the scheduler's suspects are named", "            if alone:\n", "            if True:\n"),
    ),
    *rows(
        "sweeps/run.py",
        f"{_ENGINES}test_a_budget_ends_a_sweep_with_an_answer_of_what_is_done",
        ("a budget is not kept", "if until is not None and time.monotonic() >= until:", "if False:"),
    ),
    *rows(
        "sweeps/spec.py",
        "sweeps/test_spec.py::test_the_digest_depends_on_what_decides_an_index_and_on_nothing_else",
        ("one seed is as good as another", '"seed": self.seed, "question"', '"question"'),
    ),
    *rows(
        "sweeps/spec.py",
        "sweeps/test_spec.py::test_shards_cover_every_index_once",
        (
            "the last shard runs over the end",
            "return first, min(self.shard, self.count - first)",
            "return first, self.shard",
        ),
    ),
)
"""For the thorough profile."""
