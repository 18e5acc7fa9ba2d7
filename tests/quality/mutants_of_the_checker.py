"""Mutants of the certificate checker: a test left out, an inequality weakened, a sign turned round.

``MORE`` are those of the thorough profile."""

from __future__ import annotations

from tests.quality.edits import Mutant, Row, rows

CHECKER = "theory/certificate/checker"
TESTS = "theory/certificate/test_checker.py"


def false(certificate: str, *table: Row) -> tuple[Mutant, ...]:
    """Mutants that accept something false where this certificate is changed."""
    return rows(CHECKER, f"{TESTS}::test_a_false_statement_is_rejected[{certificate}]", *table)


def true(certificate: str, *table: Row) -> tuple[Mutant, ...]:
    """Mutants that reject this certificate, which is true."""
    return rows(CHECKER, f"{TESTS}::test_true_certificates_are_accepted[{certificate}]", *table)


BY_TERMS = "theory/certificate/test_update_terms.py"

MUTANTS = (
    *rows(
        f"{CHECKER}/terms.py",
        f"{BY_TERMS}::test_a_term_is_worth_what_it_says",
        ("terms: powers of a number count once", "numbers += [name] * power", "numbers += [name]"),
        ("terms: powers of a step count once", "powers[name] += power", "powers[name] += 1"),
        (
            "terms: the sign is lost",
            "x, factors = Fraction(-1), [first[1:], *rest]",
            "x, factors = ONE, [first[1:], *rest]",
        ),
        ("terms: φ' is φ", "self.model.Phi[t if name == KNOWN[1] else s]", "self.model.Phi[s]"),
        (
            "terms: the target's expectation is the behaviour's",
            "for a, weight in self.model.pi[s].items():",
            "for a, weight in self.model.mu[s].items():",
        ),
        ("terms: a number of the memory is left out", "weights = [(first + i, y) for i, y in row.items()]", "pass"),
        ("terms: ρ is upside down", "return pi / mu", "return mu / pi"),
    ),
    *rows(
        f"{CHECKER}/terms.py",
        f"{BY_TERMS}::test_what_is_not_a_term_is_rejected",
        (
            "terms: products of parameters",
            "len(columns) > 1 or len(weights) + len(of_memory) > 1",
            "len(weights) + len(of_memory) > 1",
        ),
        ("terms: products of the memory", " or len(weights) + len(of_memory) > 1", ""),
        ("terms: a memory that learns", "if not learnt and (columns or any(powers.values())):", "if False:"),
        (
            "terms: dot products of parameters",
            "if any(left is not None and not self.whole(left) for _, left in columns):",
            "if False:",
        ),
        (
            "terms: two names for one",
            "if len(set(names)) < len(names) or not self.parameters:",
            "if not self.parameters:",
        ),
    ),
    *rows(
        f"{CHECKER}/terms.py",
        f"{BY_TERMS}::test_cases_are_charged_for_on_every_move",
        ("terms: conditions of cases are free", "        spend(1_000 + 5_000 * len(asked))\n", ""),
    ),
    *rows(
        f"{CHECKER}/terms.py",
        f"{BY_TERMS}::test_the_first_case_that_fits_is_meant",
        (
            "terms: the first case is always meant",
            "if self.fits(asked, context, a, t)",
            "",
        ),
    ),
    *rows(
        f"{CHECKER}/terms.py",
        f"{BY_TERMS}::test_contexts_hold_what_is_read_of_the_transition_before",
        (
            "terms: what was before is not told apart",
            "known[str(name)], context, a, t) if name in known else",
            "known[str(name)], context, a, t) if False else",
        ),
        (
            "terms: ρ before the first transition is zero",
            "AT_ZERO = (Fraction(0), ONE, ONE)",
            "AT_ZERO = (Fraction(0), Fraction(0), ONE)",
        ),
    ),
    *rows(
        CHECKER,
        "claims/test_distance_curves.py::test_the_last_point_has_a_certificate_that_the_checker_accepts",
        ("for ever: said of every start", ", from {begin} and a state of the law {law}", ""),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_rows_as_one_integer_make_the_product_entry_by_entry",
        (
            "sums of products leave their places",
            "self.bits + other.bits + len(other.rows).bit_length() + 1)",
            "self.bits + other.bits + 1)",
        ),
        ("entries of a packed row stay shifted", '"little") - half for j in places]', '"little") for j in places]'),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_model_that_was_read_last_is_told_from_its_neighbour_and_charged_again",
        (
            "the model read last stands for every one",
            "if self.last is not None and self.last[0] == text:",
            "if self.last is not None:",
        ),
        ("a model that was read before is free", "            spend(*self.last[2:])\n", ""),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_certificates_that_share_a_regime_are_told_from_each_other_and_charged_the_same",
        ("a regime is known by its update alone", '"law mean weights coordinates spans")', '"")'),
        ("a regime is known by its witness alone", '.text("class update seen", ', '.text("", '),
        ("a regime of another model is taken", "json.dumps([self.digest, *parts])", "json.dumps(parts)"),
    ),
    *false(
        "update, a pair of steps",
        ("an update: steps may come twice", "len(set(self.steps)) != len(items", "len(self.steps) != len(items"),
    ),
    *false(
        "update, stable",
        ("an update: the law need not sum to one", "sum(integers(law)[0]) != integers(law)[1] or any(flow", "any(flow"),
        (
            "an update: the start is stationary",
            "if self.contexts[: self.starts] != starts or not self.contexts:",
            "if not self.contexts:",
        ),
        ("an update: terms may come twice", "                if key in here:\n", "                if False:\n"),
        (
            "an update: products of steps have a mean",
            "                if exponents not in found:\n",
            "                if False:\n",
        ),
        (
            "an update: any ratios",
            'raise Rejected("about.ratios: the ratios of step',
            'print("about.ratios: the ratios of step',
        ),
    ),
    *false(
        "update, two contexts",
        (
            "an update: contexts need not be connected",
            "len(reached(follow, [0])) < len(follow) or len(reached(back",
            "len(reached(back",
        ),
        (
            "an update: the law need not be stationary",
            "or any(flow.get(h) != x for h, x in enumerate(law)):",
            "or False:",
        ),
    ),
    *false(
        "update, a trace",
        (
            "a memory: any mean",
            '                raise Rejected(f"witness.mean[{h}]: the equation of the mean fails")\n',
            "                pass\n",
        ),
        (
            "a memory: sizes with their signs",
            "add(sizes[move.target], i, move.p, abs(x), weights",
            "add(sizes[move.target], i, move.p, x, weights",
        ),
        (
            "a memory: weights need not be positive",
            "if not max(Fraction(0), sizes[h].get(i, Fraction(0))) <",
            "if not sizes[h].get(i, Fraction(0)) <=",
        ),
        (
            "a memory: sizes may stay",
            "sizes[h].get(i, Fraction(0))) < weights",
            "sizes[h].get(i, Fraction(0))) <= weights",
        ),
        (
            "a memory: what is dead may have a mean",
            "if any((h, i) not in update.alive for i, x in",
            "if any(False for i, x in",
        ),
    ),
    *false(
        "update, a sum",
        (
            "an update: everything is taken for seen",
            "    if {j: x for j, x in made.items() if x} != {j: x for j, x in row.items() if x}:\n",
            "    if False:\n",
        ),
        (
            "an update: coordinates need not be of columns",
            "if any({j: x for j, x in row.items() if j in inside} != {B[i]: ONE} for",
            "if any(False for",
        ),
    ),
    *false(
        "update, spans",
        (
            "spans need not hold a memory",
            "if not any(row.get(update.held) for rows in spans for row in rows):",
            "if False:",
        ),
        ("spans may be left", "                    if any(rest.values()):\n", "                    if False:\n"),
    ),
    *false(
        "update, slow",
        ("two time scales: a parameter on both", "        if slow_rows & fast_rows:\n", "        if False:\n"),
        (
            "two time scales: a drift moves nothing",
            "if row} for A in self.means",
            "if row.keys() - {self.update.size}} for A in self.means",
        ),
        ("two time scales: one may be empty", "        if not fast or not slow:\n", "        if False:\n"),
    ),
    *true(
        "update, slow",
        (
            "two time scales: no Schur complement",
            "carried_over(J, slow, fast) @ block(J, [*slow, *fast], slow), words",
            "block(J, slow, slow), words",
        ),
    ),
    *true(
        "update, a sum",
        (
            "an update: J_B without T",
            "return Matrix.of(self.T, self.update.size) @ self.of_seen(rows)[0]",
            "return self.of_seen(rows)[0]",
        ),
    ),
    *false(
        "update, two outcomes",
        ("an update: means without their probabilities", "Fraction(0)) + x * move.p", "Fraction(0)) + x"),
    ),
    *true(
        "update, a trace",
        ("an update: its memory is one", "weights[at if entry == update.held else at + 1 + entry]", "weights[at]"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_forged_certificate_is_rejected[rest beside a drift: of what is seen]",
        (
            "an update rests anywhere",
            "    if not (T @ drift).is_zero():\n",
            "    if False:\n",
        ),
    ),
    *false(
        "update, mean square",
        ("nodes without their bound", "            if len(order) > most:\n", "            if False:\n"),
        ("nodes: steps of any sign", "        if min(sizes) <= 0:\n", "        if False:\n"),
    ),
    *true(
        "update, mean square",
        ("nodes: the memory is forgotten", "held = [] if entry == self.held else [memory[entry]]", "held = []"),
    ),
    *false(
        "update, mean square, every step",
        ("every step: products of steps", "any(sum(e) != 1 for moves", "any(sum(e) > 9 for moves"),
        ("every step: tables of one", '(key == "ratios" or self.at != case', "(False and self.at != case"),
        (
            "every step: bounds of any sign",
            '<= 0:\n        raise Rejected("about.upto:',
            '< 0:\n        raise Rejected("about.upto:',
        ),
    ),
    *true(
        "update, mean square, a product",
        (
            "nodes: steps without their powers",
            "math.prod((x**k for x, k in zip(sizes",
            "math.prod((x*k for x, k in zip(sizes",
        ),
    ),
    *false(
        "update, mean square of a sum",
        (
            "nodes: what is not seen",
            "for increment in filter(None, rows) if self.seen else ():",
            "for increment in ():",
        ),
    ),
    *false(
        "update, for ever",
        ("for ever: ratios of any size", '"about.ratios")[0] != "1":', '"about.ratios")[0] == "":'),
        ("for ever: tables at constant steps", "if self.at is not None and (key", "if False and (key"),
    ),
    *true(
        "update, for ever, of a pair",
        ("for ever: all parameters are measured", "int(i == j and i in errors.measured)", "int(i == j)"),
        (
            "for ever: about −y*",
            "add(row, self.size, x, self.rest[j])",
            "add(row, self.size, -x, self.rest[j])",
        ),
    ),
    *false("update, mean", ("nodes: tables of other steps", 'or self.at != case.about["steps"]', "or False")),
    *false(
        "update, memory",
        (
            "a memory of any growth",
            'require_falling(case, memory, "lyapunov")',
            'memory.family(case.witness["lyapunov"], "", 1)',
        ),
        (
            "a memory with starts",
            "Remembered(Update(case, [], case.support))",
            "Remembered(Update(case, case.support, case.support))",
        ),
    ),
    *true(
        "update, memory",
        (
            "a memory: moves without their probability",
            "(h, move.target, move.p, hold(N.part(kept) - unit))",
            "(h, move.target, ONE, hold(N.part(kept) - unit))",
        ),
    ),
    *false(
        "update, memory without second moments",
        ("a memory gains nothing", "    if gain <= 0:\n", "    if gain < -1:\n"),
        (
            "a memory grows nowhere",
            'require_positive(-change, f"{where}: the growth in {jumps',
            'print(-change, f"{where}: the growth in {jumps',
        ),
    ),
    *true(
        "update, memory without second moments",
        ("a memory: jumps from zero", "b = drop @ (N @ g[h] - g[move.target])", "b = drop @ (g[h] - g[move.target])"),
    ),
    *false(
        "update, covariance of a memory",
        ("any noise", "if not (noise - Sigma).is_zero():", "if False:"),
        ("any covariance of averages", "if not (J @ C @ J.T - seen).is_zero():", "if False:"),
        ("any covariance at small steps", "if not (J @ X + X @ J.T + seen).is_zero():", "if False:"),
        ("any second moments", "or not (X - moved[h]).is_zero():", "or False:"),
        ("any last column of moments", "if not (X @ column_of({last: ONE}, last + 1) - known).is_zero() or", "if"),
        ("anything still to come", "        if not left[h].is_zero():\n", "        if False:\n"),
        (
            "a covariance: the memory need not contract in the square",
            '    require_falling(case, memory, "memory")\n',
            "",
        ),
        (
            "a covariance without stable means",
            '    all_below(case, *growth_of(case, J), "", "")',
            "    growth_of(case, J)",
        ),
    ),
    *true(
        "update, covariance of a memory",
        ("what is still to come without the move", "D = H[move.target] @ N - H[h]", "D = H[move.target] - H[h]"),
        ("moments transposed", "move.p * (N @ S[h] @ N.T)", "move.p * (N.T @ S[h] @ N)"),
        ("noise without correlation", "D = D + part @ point", "D = part @ point"),
    ),
    *true(
        "update, covariance of a sum",
        ("noise of all for the noise of the seen", "    seen, which = T @ noise @ T.T, ", "    seen, which = noise, "),
    ),
    *true(
        "update, covariance of what is slow",
        ("slow: noise of the slow parameters alone", "L @ seen.part(order) @ L.T", "seen.part(slow)"),
        ("slow: the fast ones do not follow", "J, seen = L @ block(J, order, slow)", "J, seen = block(J, slow, slow)"),
    ),
    *false(
        "update, safe steps",
        ("bounds that moves leave", "            if any(x > 0 for x in over.entries()):\n", "            if False:\n"),
        ("safe: negative bounds", "    if min(map(min, w)) < 0:\n", "    if False:\n"),
        ("safe: a form that is not positive", '    require_positive(P, "witness.lyapunov")\n', ""),
        ("safe: no square of K", "k.T @ sizes([P], [ONE]) @ k + k.T @ ahead", "k.T @ ahead"),
        ("safe: the tilt is not moved", "+ k.T @ ahead + ahead @ k + upto", "+ upto"),
        ("safe: no cube", " + upto * (k.T @ ahead @ k))", ")"),
        (
            "safe: what is left of the memory",
            "row_sums(sizes([*F[:last], Fraction(0) * P], w[h]) + upto * rest)",
            "row_sums(upto * rest)",
        ),
    ),
    *true(
        "update, safe steps",
        ("safe: the form does not follow the memory", "* T[move.target][i]", "* T[move.target][j]"),
    ),
    *false(
        "update, no safe step",
        (
            "growth: no part of the memory",
            "or a.is_zero() or not (N @ a - r * a).is_zero():",
            "or not (N @ a - r * a).is_zero():",
        ),
        ("growth: no eigenvector", "or not (N @ a - r * a).is_zero():", "or False:"),
        ("growth: others as large", "        if abs(other) >= abs(r):\n", "        if other > r:\n"),
        ("growth: a nilpotent product", "    if Gamma.is_zero():\n", "    if False:\n"),
        (
            "growth: the constant part too",
            "zip(update.parts(move, weights)[:last], a.dense()",
            "zip(update.parts(move, weights)[::-1], a.dense()",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_forged_certificate_is_rejected[no safe step: a memory that stays]",
        ("growth: what stays", "if abs(r) <= 1 or a.is_zero()", "if a.is_zero()"),
    ),
    *true(
        "update, no safe step",
        (
            "growth: the walk is not walked",
            '    for _, one in ways["walk"]:\n        a = one @ a\n',
            "    a = Fraction(0) * a\n",
        ),
    ),
    *false(
        "update, moments",
        ("moments: any mean", "    if not (total @ column_of", "    if False and not (total @ column_of"),
        (
            "moments: any covariance",
            "    if not ((total - mean @ mean.T).part",
            "    if False and not ((total - mean @ mean.T).part",
        ),
    ),
    *true(
        "update, moments",
        ("moments: the second for the covariance", "if not ((total - mean @ mean.T).part", "if not (total.part"),
        ("moments: moves without their probability", "move.p * (B @ Y @ B.T)", "B @ Y @ B.T"),
    ),
    *false(
        "update, mean grows",
        ("a mean grows from nowhere", '    case.require_definite(-decrease, "factor_growth")\n', ""),
    ),
    *false(
        "update, mean of a coin",
        ("any recursion of the mean", "        if not (T @ L - R @ T).is_zero():\n", "        if False:\n"),
        ("a recursion of anything", "        if not (S - S_T @ T).is_zero():\n", "        if False:\n"),
        ("any number of nodes", "        if nodes.count != most:\n", "        if False:\n"),
    ),
    *false(
        "update, mean grows later",
        (
            "what the mean does not show",
            "    if solve_modulo([rows[pair] for pair in pairs], [], LIFT) is None:\n",
            "    if False:\n",
        ),
        ("growth from where the form is negative", "    if sum((z.T @ X @ z).entries()) <= 0:\n", "    if False:\n"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_mean_is_the_sum_over_the_nodes",
        (
            "the list of means is called the mean",
            'what, start = "list of means of differences by node", "start, though its sum, the mean, may not,"',
            'what, start = "mean of differences", "start,"',
        ),
        (
            "a run under way is at time zero",
            'return "at time zero" if h < self.starts else',
            'return "at time zero" if True else',
        ),
    ),
    *true(
        "update, mean",
        (
            "the mean of differences, transposed",
            "add(made[g * size + i], h * size + i, p)",
            "add(made[h * size + i], g * size + i, p)",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_products_of_residues",
        ("residues run into each other", "size = (self.bits + other.bits +", "size = (self.bits +"),
    ),
    *rows(
        CHECKER,
        "claims/test_transient_states.py::test_S_and_M_need_a_sum_in_the_rows_that_D_keeps",
        ("S without the rows of some states", "everywhere=not weighted)", "everywhere=False)"),
        ("D S with the rows of all states", "everywhere=not weighted)", "everywhere=True)"),
        (
            "all that stands right of D has its rows",
            'seen = rest[i], inner[i], rest[i - 1] == "D" if i else weighted',
            "seen = rest[i], inner[i], True",
        ),
        ("what T and diag hold has the rows of D", 'kept = weighted and head in ("+", "-", "*")', "kept = weighted"),
    ),
    *rows(
        CHECKER,
        "claims/test_transient_states.py::test_the_rows_that_the_target_reaches_from_the_class_are_kept",
        (
            "no row is reached but those of the class",
            "kept = reached(self.rows, self.support)",
            "kept = set(self.support)",
        ),
    ),
    *rows(
        f"{CHECKER}/signs.py",
        f"{TESTS}::test_the_border_is_drawn_exactly",
        (
            "unstable: the form may be zero",
            "sum((x.T @ X @ x).entries()) <= 0:",
            "sum((x.T @ X @ x).entries()) < 0:",
            0,
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_the_border_is_drawn_exactly",
        (
            "weak dominance is enough",
            '        if x <= 0:\n            raise Rejected(f"{where}: the residual',
            '        if x < 0:\n            raise Rejected(f"{where}: the residual',
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_false_statement_is_rejected",
        ("another model's digest accepted", '        if value["digest"] != digest:\n', "        if False:\n"),
    ),
    *false(
        "contraction, semidefinite",
        ("any coordinates make the matrix", "    if not left.is_zero():\n", "    if False:\n"),
    ),
    *false(
        "unstable on the quotient",
        ("any coordinates make Phi", "        if not (basis @ T - ", "        if False and not (basis @ T - "),
    ),
    *false(
        "no contraction",
        (
            "no contraction, with equality",
            "V.T @ (system.D @ V))).entries()) <= 0",
            "V.T @ (system.D @ V))).entries()) < 0",
        ),
    ),
    *false(
        "D(I-M)",
        ("dominance without absolute values", "slack[i] -= abs(residual)", "slack[i] -= residual"),
    ),
    *false(
        "law",
        ("a law may be zero on its class", "if (x <= 0) if s in self.support", "if (x < 0) if s in self.support"),
        (
            "a law need not sum to one",
            "if sum(integers(law)[0]) != integers(law)[1]:",
            "if sum(integers(law)[0]) < 0:",
        ),
        ("a law need not be stationary", "if not (P.T @ d - d).is_zero():", "if False:"),
    ),
    *false(
        "law of one of two",
        (
            "a class need not be closed",
            "if self.model.reach(found[0]) != set(found):",
            "if not set(found) <= self.model.reach(found[0]):",
        ),
        ("uniqueness is not tested", "if unique and len(", "if False and len("),
    ),
    *false(
        "irreducible",
        ("a tree need not end at its root", "            if t != root:\n", "            if False:\n"),
    ),
    *false(
        "reducible",
        ("every state is a closed set", "if len(closed) == n or any(", "if any("),
    ),
    *false(
        "period two",
        ("phases need not move on", "if any((phase[s] + 1 - phase[t]) % length", "if any(0"),
        ("a walk need not close", "walk[0] == walk[-1] and walk[0] in phase", "walk[0] in phase"),
    ),
    *false(
        "rank on a class",
        ("rows for the rank may lie outside the class", "if not set(rows) <= set(support):", "if False:"),
    ),
    *false(
        "rank",
        (
            "Fermat's test with base 2 alone",
            "for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):",
            "for base in (2,):",
        ),
    ),
    *false(
        "deficient",
        (
            "the zero vector accepted",
            '        if x.is_zero():\n            raise Rejected("witness.vector: the vector is zero")',
            '        if False:\n            raise Rejected("witness.vector: the vector is zero")',
        ),
    ),
    *false(
        "not A",
        ("not definite: the wrong sign accepted", 'if total > 0 if sign == "positive" else total < 0:', "if False:"),
    ),
    *false(
        "gradient",
        (
            "gradient methods: A not asked",
            "    case.require_rank(case.support)\n    case.require_A_nonsingular()\n",
            "    case.require_rank(case.support)\n",
        ),
    ),
    *false(
        "hurwitz A",
        ("a Lyapunov matrix need not be symmetric", "if not (X - X.T).is_zero():", "if False:", 0),
    ),
    *false(
        "fixed point",
        (
            "fixed point: Aθ + b = 0 is not tested",
            "if not (system.Phi.T @ (system.D @ column)).is_zero():",
            "if False:",
        ),
    ),
    *false(
        "contraction",
        (
            "contraction: weights may be negative",
            "if len([x for x in y.entries() if x > 0]) < size:",
            "if False:",
        ),
    ),
    *false(
        "relations",
        ("relations: < accepts equality", '"<": min(entries) > 0', '"<": min(entries) >= 0'),
    ),
    *rows(
        CHECKER,
        "quality/test_killers.py::test_dominance_counts_both_halves_of_a_row",
        ("dominance of the rows above the diagonal alone", "                slack[j] -= abs(residual)\n", ""),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_known_answers",
        ("dominance is not tested", "    for i, x in enumerate(slack):\n", "    for i, x in enumerate(slack[:0]):\n"),
        ("the residual with + R Rᵀ", "<< 2 * bits) - unit * product", "<< 2 * bits) + unit * product"),
        ("Lyapunov: the shift added", "matrix - shift * Matrix.identity", "matrix + shift * Matrix.identity"),
        ("N + Q for N − Q", "self.S((self.N - self.Q) @ X)", "self.S((self.N + self.Q) @ X)"),
        ("A without D", "self.Phi.T @ (self.D @ self.K(self.Phi))", "self.Phi.T @ self.K(self.Phi)"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_class_must_be_strongly_connected",
        (
            "a class need not be connected",
            "if not set(found) <= self.model.reach(found[0], backward=True):",
            "if False:",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_rank_and_contraction_need_a_class_that_the_target_does_not_leave",
        ("a determinant of zero is full rank", "d, p).dense(), [], p) is None:", "d, p).dense(), [], p) == []:"),
        ("K may leave the class", "if outside := set(K.rows[s][0]) - inside:", "if outside := set():"),
    ),
    *true(
        "unstable on the quotient",
        ("the quotient without T T'", "B = A if weight is None else weight @ A", "B = A"),
    ),
    *true(
        "A by factor",
        ("A for −A in definiteness", 'part if sign == "positive" else -part', "part"),
        (
            "S shifted by one λ",
            "for x in reversed(self.model.lambdas):",
            "for x in reversed(self.model.lambdas[1:]):",
        ),
    ),
    *true(
        "hurwitz GTD",
        ("GTD's lower block with the wrong sign", "- below @ A.T @ above.T", "+ below @ A.T @ above.T"),
    ),
    *true(
        "A covered",
        (
            "the covered kernel is the target's",
            'if case.kernel_name == "target" or a in model.mu[s]',
            "if True or a in model.mu[s]",
        ),
    ),
    *false(
        "mean square, one step",
        ("leading minors may be zero", "        if pivot <= 0:\n", "        if pivot < 0:\n"),
    ),
    *false(
        "mean square, every step",
        (
            "second moments: T need not be positive",
            '        require_positive(T, f"witness.tilt[{h}]")\n',
            "        pass\n",
        ),
        (
            "second moments: the end of the interval is not tested",
            '            require_positive(end, f"{where}: the decrease at the end in window {h}")\n',
            "",
        ),
    ),
    *false(
        "mean square grows, every step",
        (
            "growth need not be at 0",
            '            require_positive(-zero[h], f"{where}: the growth at 0 in window {h}")\n',
            "",
        ),
        ("growth: the slope with the wrong sign", "jumps.step * one[h] - zero[h]", "-jumps.step * one[h] - zero[h]"),
    ),
    *false(
        "mean square, a longer window",
        ("a window without its last state", "[: len(model.lambdas)]", "[: max(len(model.lambdas) - 1, 0)]"),
    ),
    *true(
        "mean square, one step",
        ("second moments: γφ' + φ", "add(ahead, i, -gamma, x)", "add(ahead, i, gamma, x)"),
    ),
    *true(
        "mean square, gtd",
        ("second moments: GTD's θ with the wrong sign", "put(0, d, ONE, ahead, z)", "put(0, d, -ONE, ahead, z)"),
    ),
    *true(
        "mean square grows",
        ("second moments: the trace without its ratio", "{i: rho * y for i, y", "{i: y for i, y"),
    ),
    *true(
        "mean square, two outcomes",
        ("second moments: moves without their probability", "total[h] + p * of(K, g)", "total[h] + of(K, g)"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_decrease_of_something_negative_is_growth",
        ("second moments: X need not be positive", '        require_positive(X, f"{where}[{h}]")\n', ""),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_series_that_does_not_converge_is_rejected",
        (
            "singular: A x = 0 is not tested",
            "if not (system.Phi.T @ (system.D @ system.K(system.Phi @ x))).is_zero():",
            "if False:",
        ),
    ),
    *rows(
        f"{CHECKER}/signs.py",
        f"{TESTS}::test_every_key_is_needed_and_no_other_is_allowed",
        ("a Lyapunov matrix need not be positive", '    case.require_definite(X, "factor_lyapunov")\n', "", 0),
    ),
    *rows(
        CHECKER,
        "quality/test_killers.py::test_the_transpose_in_tdc_matters",
        (
            "TDC's matrix without its transpose",
            "B = -(A.T @ solve(system.C(), A))",
            "B = -(A @ solve(system.C(), A))",
        ),
    ),
    *rows(
        CHECKER,
        "quality/test_killers.py::test_a_fixed_point_among_many_is_refused",
        (
            "fixed point: others not excluded",
            '    case.require_A_nonsingular()\n    return f"A theta',
            '    return f"A theta',
        ),
    ),
    *rows(
        CHECKER,
        "quality/test_killers.py::test_a_modulus_is_squared",
        ("contraction: the modulus not squared", "modulus**2 * (D @ y)", "modulus * (D @ y)"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_solution_is_multiplied_back",
        (
            "a solution is not multiplied back",
            '    if not (W @ X - U).is_zero():\n        raise Rejected("a linear',
            '    if False:\n        raise Rejected("a linear',
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_duplicate_keys_are_rejected",
        ("duplicate keys accepted", "            if key in result:\n", "            if False:\n"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_forged_certificate_is_rejected",
        (
            "columns of a quotient may be dependent",
            "        if solve_modulo((basis.T @ basis).dense(), [], LIFT) is None:",
            "        if False:",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_forged_certificate_is_rejected",
        (
            "what no update sees may drift without a word",
            "    if not (drift - Matrix.column(given)).is_zero():",
            "    if False:",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_true_certificates_are_accepted[update, covariance beside a drift]",
        ("covariance: second moments beside a drift", "@ N - H[h] - moved_on", "@ N - H[h]"),
    ),
    *rows(
        CHECKER,
        "theory/certificate/test_work.py::test_what_is_gone_is_not_charged_for_good",
        ("what a move needs is charged for good", "    yield\n    SPENT.get()[1] = held\n", "    yield\n"),
        ("moments of the time before are charged for good", "now, SPENT.get()[1] = after, held", "now = after"),
    ),
    *false(
        "update, stable",
        ("any number of step sizes", "if len(self.steps) > limits.MAX_STEPS:", "if False:"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_what_a_file_calls_its_update_is_the_file_s_word",
        (
            "a sentence takes the file's word for what its update is",
            "in this file's table (the file's name for it: {show(given['name'])})",
            "{show(given['name'])}",
        ),
    ),
    *false(
        "update, stable",
        ("a step size may be called anything", "words = all(x.isidentifier() and len(x) <= 60", "words = all(x"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_without_the_targets_kernel_the_matrix_is_not_called_one_minus_m",
        (
            "−DK is always called D(I − M)",
            'return "-DK" if name == "D(I-M)" and self.case.kernel_name == "covered"',
            'return "-DK" if False',
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_growth_is_said_of_its_window",
        (
            "growth in one window is said of all",
            '[h], f"{jumps.places} {h} ({jumps.start(h)})"',
            '[h], "any window"',
        ),
    ),
    *rows(
        CHECKER,
        "theory/certificate/test_work.py::test_windows_are_counted_before_they_are_made",
        ("windows: walks go on after a zero product", "                    if g:\n", "                    if True:\n"),
        ("windows: equal ratios are counted twice", "ahead[s].add((t, g))", "ahead[s].add((t, g + len(ahead[s])))"),
    ),
    *rows(
        CHECKER,
        "theory/certificate/test_work.py::test_a_step_of_many_digits_has_a_name",
        (
            "a step is printed with all its digits",
            'brief(case.about["upto" if self.every else "step"])',
            "brief(str(self.step))",
        ),
    ),
    *rows(
        CHECKER,
        "reports/test_cli.py::test_check_does_not_call_a_refusal_for_work_a_rejection",
        ("what is not checked counts as accepted", "NOT_CHECKED = 0, 1, 4", "NOT_CHECKED = 0, 1, 0"),
        ("patience changes nothing", "None if patient else limits.MAX_WORK", "MAX_WORK"),
        ("one file not checked hides those rejected", "return min((code for", "return max((code for"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_work_adds_up",
        ("work is granted without a bound", "if budget is not None and time > budget:", "if False:"),
    ),
)

MORE = (
    *rows(
        CHECKER,
        f"{TESTS}::test_a_false_statement_is_rejected",
        (
            "dominance of the first row alone",
            "    for i, x in enumerate(slack):\n",
            "    for i, x in enumerate(slack[:1]):\n",
        ),
        ("a scale of the wrong sign", "if min(scale) <= 0 or any(", "if any("),
        (
            "R need not be integer",
            "if min(scale) <= 0 or any(denominator != 1 for _, denominator in R):",
            "if min(scale) <= 0:",
        ),
        ("a law may live outside its class", "else (x != 0):", "else (x < 0):"),
        ("a tree may invent transitions", "if s != root and not (s in P[t]", "if False and not (s in P[t]"),
        (
            "a closed set may be left",
            "any(case.model.P_mu[s].keys() - closed for s in closed)",
            "all(case.model.P_mu[s].keys() - closed for s in closed)",
        ),
        (
            "a walk may invent transitions",
            "if not closed or any(t not in P[s] for s, t in pairwise(walk)):",
            "if not closed:",
        ),
        ("walks are not asked for", "    if common != length:\n", "    if common % length:\n"),
        (
            "composite moduli accepted",
            "if x != 1 and all(pow(x, 1 << i, p) != p - 1 for i in range(twos)):",
            "if x != 1 and twos < 0:",
        ),
        (
            "Φx = 0 is not tested",
            "if not (Matrix.of(rows, case.model.d) @ case.nonzero_vector(case.model.d)).is_zero():",
            "if not case.nonzero_vector(case.model.d):",
        ),
        (
            "coverage: the behaviour may take the action",
            "if a not in case.model.pi[s] or a in case.model.mu[s]:",
            "if a not in case.model.pi[s]:",
        ),
        (
            "coverage: the state may lie outside the class",
            'if "class" in case.about and s not in case.support:',
            'if "class" in case.about and not case.support:',
        ),
        (
            "coverage: the target need not take the action",
            "if a not in case.model.pi[s] or a in case.model.mu[s]:",
            "if a in case.model.mu[s]:",
        ),
        (
            "D(I − M) without its rank",
            '        case "A", "negative", ["factor", "rank"]:\n            case.require_rank(case.support)\n',
            '        case "A", "negative", ["factor", "rank"]:\n',
        ),
        (
            "gradient methods: rank not asked",
            "    case.require_rank(case.support)\n    case.require_A_nonsingular()\n",
            "    case.require_A_nonsingular()\n",
        ),
        ("η may be negative", "if eta <= 0 or joint", "if joint"),
        (
            "unstable: a negative shift accepted",
            'if read_number(case.about["shift"], "about.shift") < 0 or sum(',
            "if sum(",
        ),
        ("contraction: M may have negative entries", "    if any(x < 0 for x in M.entries()):\n", "    if False:\n"),
        ("contraction: a negative modulus accepted", "if modulus < 0 or (", "if ("),
        (
            "rows need not sum to one",
            "if sum(numbers) != common or any(x < 0 for x in numbers):",
            "if any(x < 0 for x in numbers):",
        ),
        (
            "negative probabilities accepted",
            "if sum(numbers) != common or any(x < 0 for x in numbers):",
            "if sum(numbers) != common:",
        ),
        (
            "discounts above one accepted",
            "if any(not 0 <= x <= 1 for row in rows for x in row):",
            "if any(not 0 <= x for row in rows for x in row):",
        ),
        ("unknown keys accepted", "if unknown := value.keys() - {*needed, *allowed}:", "if unknown := set():"),
        ("relations: = accepts everything", '"=": not any(entries)', '"=": True'),
        (
            "relations: shapes may differ",
            '        if a.shape != b.shape:\n            raise Rejected(f"{where}[{i}]: the sides',
            '        if False:\n            raise Rejected(f"{where}[{i}]: the sides',
        ),
        (
            "relations: only the first is tested",
            "enumerate([shared(x, parts) for x in given])",
            "enumerate([shared(x, parts) for x in given[:1]])",
        ),
    ),
    *rows(
        CHECKER,
        "theory/certificate/test_relations.py::test_expectations[off-policy]",
        (
            "what is added to zeros keeps its own denominator",
            "values if factor == 1 else [factor * x for x in values]",
            "values",
        ),
        (
            "a step is known by its first state",
            "walk[step : step + 2], *actions[step : step + 1]",
            "walk[step : step + 1]",
        ),
        ("expressions are told apart by their heads", "tuple(map(id, x)) if", "tuple(map(id, x[:2])) if"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_known_answers",
        ("R over 2^bits not squared", "<< 2 * bits)", "<< bits)"),
        (
            "Lyapunov: growth for decrease",
            'case.require_definite(-growth, "factor_decrease")',
            'case.require_definite(growth, "factor_decrease")',
        ),
        ("Lyapunov: the decrease is not tested", '    case.require_definite(-growth, "factor_decrease")\n', ""),
        ("TDC's matrix with the wrong sign", "B = -(A.T @ solve(system.C(), A))", "B = A.T @ solve(system.C(), A)"),
        ("unstable: the growth is not tested", '    case.require_definite(growth, "factor_growth")\n', ""),
        ("N without the discount", "add(N[s], t, weight, x, gamma)", "add(N[s], t, weight, x)"),
        (
            "the behaviour chain follows the target",
            "in self.mu[s].items():",
            "in self.pi[s].items():",
        ),
        ("C without D", "self.Phi.T @ (self.D @ self.Phi)", "self.Phi.T @ self.Phi"),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_a_series_that_does_not_converge_is_rejected",
        ("dP = d with Pᵀ for P", "if not (P.T @ d - d).is_zero():", "if not (P @ d - d).is_zero():"),
        (
            "A singular modulo the prime accepted",
            "if solve_modulo(System(self, p).A().dense(), [], p) is None:",
            "if False:",
        ),
        (
            "S without end: I + λN",
            "self.prime) - self.model.constant * N, U)",
            "self.prime) + self.model.constant * N, U)",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_true_certificates_are_accepted",
        (
            "a tree may go backwards",
            's in P[t] if key == "from_root" else t in P[s]',
            't in P[s] if key == "from_root" else s in P[t]',
        ),
        (
            "A through D(I − M) with the wrong sign",
            "return -(self.D_on_class() @ self.K_on_class())",
            "return self.D_on_class() @ self.K_on_class()",
        ),
        (
            "not definite: sign mixed up",
            'if total > 0 if sign == "positive" else total < 0:',
            'if total < 0 if sign == "positive" else total > 0:',
        ),
        ("GTD's form with (η + 1) wᵀAv", "(eta - 1) * (w.T", "(eta + 1) * (w.T"),
        ("Lyapunov: XB alone", "return X, XB + XB.T", "return X, XB + XB"),
        (
            "GTD's C block with the wrong sign",
            "above @ (-eta * system.C()) @ above.T",
            "above @ (eta * system.C()) @ above.T",
        ),
        ("GTD's lower block without its transpose", "- below @ A.T @ above.T", "- below @ A @ above.T"),
        ("GTD without η beside A", "above @ (eta * A) @ below.T", "above @ A @ below.T"),
        ("fixed point: Aθ − b", "(system.Phi @ theta) + system.r())", "(system.Phi @ theta) - system.r())"),
        ("contraction: M Dᵀ for MᵀD", "M.T @ (D @ (M @ y))", "M @ (D @ (M @ y))"),
        ("S without N", "Y = U + (x * self.N) @ Y", "Y = U + x * Y"),
        ("the reward without the policy", "add(r[s], 0, weight, x, entry", "add(r[s], 0, x, entry"),
        (
            "relations: a path's probability without the policy",
            "weight * p * x, ([*walk, t]",
            "weight * x, ([*walk, t]",
        ),
    ),
    *rows(
        CHECKER,
        f"{TESTS}::test_the_border_is_drawn_exactly",
        (
            "not definite: zero no longer counts",
            'if total > 0 if sign == "positive" else total < 0:',
            'if total >= 0 if sign == "positive" else total <= 0:',
        ),
    ),
    *rows(
        CHECKER,
        "theory/certificate/test_checker.py::test_a_leaf_of_the_wrong_kind_is_rejected[stationary_law]",
        ("numbers not in lowest terms accepted", "if math.gcd(p, q) != 1 or bottom", "if bottom"),
    ),
)
