"""Mutants of the Python face: what is read from arrays, and what the answer says in its own words."""

from __future__ import annotations

from tests.quality.edits import rows

PARTS = "theory/test_python_model.py"
VIEW = "reports/test_analysis_view.py"

MUTANTS = (
    *rows(
        "theory/files/python_model.py",
        f"{PARTS}::test_every_shape_of_P_is_one_model",
        (
            "states first is read as actions first",
            'return [list(rows) for rows in zip(*given.values, strict=True)], "S"',
            'return given.values, "S"',
        ),
    ),
    *rows(
        "theory/files/python_model.py",
        f"{PARTS}::test_what_two_readings_fit_is_refused",
        ("A = S is guessed", "if turned != given.values:", "if False:"),
        ("rewards with A = S are guessed", "if m == n:\n            raise", "if False:\n            raise"),
        ("rewards in three dimensions are guessed", "if m == n and not transitions.axes:", "if False:"),
    ),
    *rows(
        "theory/files/python_model.py",
        f"{PARTS}::test_rewards_by_action_and_by_transition",
        (
            "rewards by state and action lose the action",
            "[row[a] for row in found.values]",
            "[row[0] for row in found.values]",
        ),
    ),
    *rows(
        "theory/files/python_model.py",
        f"{PARTS}::test_a_built_model_takes_other_parts",
        ("a part beside a model is dropped", "return replace(loaded, model=model,", "return replace(loaded,"),
    ),
    *rows(
        "theory/files/python_model.py",
        f"{PARTS}::test_large_sparse_arrays_are_read_by_their_entries",
        ("stored entries that repeat are not added", "made[name].sum_duplicates()", "pass"),
        ("one discount for all states is lost", "str(Fraction(unit_number(", "str(2 * Fraction(unit_number("),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_rows_of_floats_are_mended_up_to_rounding_and_it_is_said",
        ("rows of floats are not divided by their sums", "made[i] = normalised([row], where)[0][0]", "made[i] = row"),
        (
            "rows are mended without a word",
            '        said.append(\n            f"{where}: rows',
            '        str(\n            f"{where}: rows',
        ),
        (
            "single precision is read as double",
            "units.append(_unit(type(value)) if isinstance(value, np.floating) else FLOAT)",
            "units.append(FLOAT)",
        ),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_rows_that_rounding_does_not_explain_are_refused",
        ("any row of floats is divided by its sum", "if 0 < off <= 2 * (k + 1) * unit:", "if 0 < off:"),
        ("exact rows are mended too", "    if unit is None:\n        return rows", "    unit = unit or FLOAT"),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_policies_and_features_in_every_form",
        ("an action of each state is that of the first", "[_law_of(x, actions,", "[_law_of(value[0], actions,"),
        ("a header is read as a state", "rows = rows[1:] or rows", "pass"),
        (
            "a law by action ignores which action",
            "row[_action(action, actions, where)] = probability",
            "row[0] = probability",
        ),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_terminal_states_in_every_form",
        (
            "a mask is read as numbers",
            "return [s for s, end in enumerate(listed) if end]",
            "return [int(end) for end in listed]",
        ),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_whatever_cannot_be_is_one_sentence",
        ("no word is near", 'return f"; did you mean \'{near[0]}\'?" if near else ""', 'return ""'),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_whatever_cannot_be_is_one_sentence",
        ("masked entries are read", "if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):", "if False:"),
        ("whatever nests is followed", "if depth == DEEPEST:", "if False:"),
    ),
    *rows(
        "reports/analysis_view.py",
        f"{VIEW}::test_numbers_as_floats_as_fractions_and_with_a_radius",
        ("a column as a row", "shape = (values.shape[0],) if is_column else values.shape", "shape = values.shape"),
        ("A is transposed", "exact.reshape(shape))", "exact.reshape(shape).T)"),
        ("no radius for a fraction", "return mid, _up(abs(value - Fraction(mid)))", "return mid, 0.0"),
        ("fractions in enclosures", 'if self._arithmetic != "exact":', "if False:"),
    ),
    *rows(
        "reports/analysis_view.py",
        f"{VIEW}::test_a_number_with_a_radius",
        ("the radius of an interval is its width", "_up((b - a) / 2 + Fraction(off))", "_up((b - a) / 4)"),
        (
            "the lower end is rounded up",
            "np.nextafter(self.mid - self.radius, -inf)",
            "np.nextafter(self.mid - self.radius, inf)",
        ),
    ),
    *rows(
        "reports/analysis_view.py",
        f"{VIEW}::test_parts_say_what_the_document_says",
        (
            "bound and error are exchanged",
            "Enclosed._of(row.error),\n            Enclosed._of(row.bound),",
            "Enclosed._of(row.bound),\n            Enclosed._of(row.error),",
        ),
    ),
    *rows(
        "reports/analysis_view.py",
        f"{VIEW}::test_the_table_of_a_notebook_escapes_names",
        (
            "names of models are HTML",
            "title = escape(self.model.name or self._result.source)",
            "title = self.model.name or self._result.source",
        ),
    ),
    *rows(
        "analysis/advice/advise.py",
        f"{VIEW}::test_warnings_alone_ask_about_the_own_schedule",
        ("schedules that nobody asked for", "() if not schedules else", "COMPARED if not schedules else"),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_mdp.py::test_another_schedule_forgets_what_was_of_the_first",
        (
            "κ of another schedule is remembered",
            '_OF_THE_SCHEDULE = ("has_trace_sum", "kappa",',
            '_OF_THE_SCHEDULE = ("has_trace_sum",',
        ),
    ),
    *rows(
        "src/tdcert/_face.py",
        "reports/test_public_face.py::test_what_the_code_of_a_caller_raises_is_named_as_theirs",
        ("errors of a caller's code pass as ours", 'if module == "tdcert" or module in', "if module or module in"),
    ),
    *rows(
        "reports/palette.py",
        "reports/test_plots.py::test_a_backend_that_is_loaded_while_drawing_stays_interactive",
        ("notebooks show the first picture alone", "    matplotlib.interactive(interactive)\n", ""),
    ),
    *rows(
        "reports/numbers.py",
        "reports/test_advice_page.py::test_time_constants_are_between_those_of_both_ends",
        ("a time constant of a rate that may be zero", "or rate[0] <= 0 <= rate[1]", "or rate[0] > 0"),
        (
            "one end of a time constant for both",
            'between({"lower": str(low), "upper": str(high)}, 3)',
            'between({"lower": str(low), "upper": str(low)}, 3)',
        ),
    ),
    *rows(
        "reports/analysis_view.py",
        f"{VIEW}::test_an_analysis_can_be_pickled_with_all_its_parts[exact]",
        ("arrays that cannot be pickled", "partial(getattr, part, name, None)", "lambda: getattr(part, name, None)"),
    ),
    *rows(
        "reports/lookups.py",
        f"{VIEW}::test_what_is_not_there_is_answered_by_what_is",
        ("a missing key in quotes", "__str__ = Exception.__str__", "__str__ = KeyError.__str__"),
        ("what is there is not named", "(meant or f", '("" or f'),
    ),
    *rows(
        "reports/output.py",
        "reports/test_output.py::test_a_place_that_nobody_asked_for_may_be_another",
        ("a folder that was asked for is another", "            if self.asked:\n", "            if False:\n"),
    ),
    *rows(
        "theory/files/gym.py",
        "theory/test_gymnasium.py::test_a_module_in_the_current_folder_is_found",
        (
            "a folder stays on the path",
            "        if here in sys.path:\n            sys.path.remove(here)\n",
            "        pass\n",
        ),
    ),
    *rows(
        "theory/files/given.py",
        f"{PARTS}::test_features_that_are_there_or_not_are_zeros_and_ones",
        ("a truth is no number", "    if isinstance(value, bool):\n        return int(value)\n", ""),
    ),
)
